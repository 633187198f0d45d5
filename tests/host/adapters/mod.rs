//! The kernels of hardware adapters, checked without one: what each API is given, and the limits of WebGPU.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod limits;
mod recorded;
mod translated;
