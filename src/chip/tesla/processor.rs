//! The state that the 3D class and the compute class share.
//!
//! Compute programs run where fragment programs do: they have their code address, their registers and their constant
//! buffers. Mesa's driver (`nv50_compute.c`) never sets the address of compute programs, and sets that of fragment programs
//! again after a launch.

use super::address::Address;
use super::constant_buffers::ConstantBuffers;
use super::launch_state::LaunchState;
use super::packed_indices::PackedIndices;
use super::program_cache::ProgramCache;
use super::report::Report;
use super::texture_units::TextureUnits;
use crate::chip::open_primitive::OpenPrimitive;
use crate::chip::registers::Registers;
use crate::command::methods::tesla::three_d::{CLASS, from_1400 as late};
use crate::format::MISSING_COMPONENTS;

/// State of both classes.
#[derive(Debug)]
pub(super) struct Processor {
    /// The registers of the 3D class.
    pub(super) registers: Registers,
    pub(super) constants: ConstantBuffers,
    /// Where the code of fragment and compute programs begins.
    pub(super) code: Address,
    /// Where the program begins in it.
    pub(super) start: u32,
    /// The registers of a thread.
    pub(super) thread_registers: u32,
    /// The report of the 3D class, and that of the compute class.
    pub(super) reports: [Report; 2],
    pub(super) launch: LaunchState,
    pub(super) programs: ProgramCache,
    /// The textures and samplers of vertex, geometry and fragment programs.
    pub(super) units: [TextureUnits; 3],
    /// The value of every attribute that no array provides.
    pub(super) attributes: [[u32; 4]; 16],
    /// The primitive between `VERTEX_BEGIN_GL` and `VERTEX_END_GL`.
    pub(super) primitive: Option<OpenPrimitive>,
    /// What the next packed indices are.
    pub(super) packed_indices: PackedIndices,
    /// The number of the instance that is drawn.
    pub(super) instance: u32,
    /// Whether the next draw begins the buffers of stream output.
    pub(super) begins_stream: bool,
    /// Whether reports have told what stages of draws do, so that draws count even if nothing of them is seen.
    pub(super) counts_stages: bool,
    /// Whether conditional rendering enables drawing.
    pub(super) is_rendering: bool,
}

impl Default for Processor {
    fn default() -> Self {
        let mut registers = Registers::new(&CLASS);
        // Reset values of elements whose arrays have others; source: the Linux kernel's `ctxnv50.c`.
        for (method, value) in [
            (late::VP_ATTR_EN, 0xf),
            (late::COLOR_MASK, 0x1111),
            (late::VP_RESULT_MAP, 0x0302_0100),
            (late::GP_RESULT_MAP, 0x8080_8080),
        ] {
            registers.set(method, value);
        }
        Self {
            registers,
            constants: ConstantBuffers::default(),
            code: Address::default(),
            start: 0,
            thread_registers: 0,
            reports: [Report::default(); 2],
            launch: LaunchState::default(),
            programs: ProgramCache::default(),
            units: std::array::from_fn(|_| TextureUnits::default()),
            attributes: [MISSING_COMPONENTS; 16],
            primitive: None,
            packed_indices: PackedIndices::default(),
            instance: 0,
            begins_stream: true,
            counts_stages: false,
            is_rendering: true,
        }
    }
}
