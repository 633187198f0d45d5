//! Profiles a stream: how long each of its draws takes on the device and on the host, with which kernels, and why not with
//! faster ones.
//!
//! [`profile()`] plays a stream three times on one device. The first play compiles kernels. The second one takes the times,
//! with timestamps around each kernel and a wait after every submission. The third one counts: this needs other kernels,
//! so the counts come from a play that is not timed.
//!
//! Draws have the numbers of [`statistics`](crate::statistics). Draws that merge run their kernels together, so that the
//! first of them has the kernels and their time, and the others have none.

mod play;
mod rows;
mod table;
mod trace;

pub use play::{ProfileError, ProfileOptions, profile};
pub use rows::{DrawCounts, DrawRow, KernelRow, Order, Profile};
pub use trace::Trace;
