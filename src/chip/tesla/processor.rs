//! The state that the 3D class and the compute class share.
//!
//! Compute programs run where fragment programs do: they have their code address, their registers and their constant
//! buffers. Mesa's driver (`nv50_compute.c`) never sets the address of compute programs, and sets that of fragment programs
//! again after a launch.

use super::address::Address;
use super::constant_buffers::ConstantBuffers;
use super::launch_state::LaunchState;
use super::report::Report;

/// State of both classes.
#[derive(Debug, Default)]
pub(super) struct Processor {
    pub(super) constants: ConstantBuffers,
    /// Where the code of fragment and compute programs begins.
    pub(super) code: Address,
    /// Where the program begins in it.
    pub(super) start: u32,
    /// The registers of a thread.
    pub(super) registers: u32,
    /// The report of the 3D class, and that of the compute class.
    pub(super) reports: [Report; 2],
    pub(super) launch: LaunchState,
}
