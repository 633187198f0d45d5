//! Recompiled programs against the reference: the same bits for random programs, inputs and formats.

mod common;
#[path = "recompiler/fragment.rs"]
mod fragment;
#[path = "recompiler/random.rs"]
mod random;
#[path = "recompiler/vertex.rs"]
mod vertex;
