//! The events that the stages of a draw report to an observer, for counters and traces; they never affect results.

use std::fmt::Debug;

use super::rop::merge_pixels::QuadOutcomes;
use crate::counters::LookupCounts;
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{Draw, QuadInputs, ShadedQuad, ShadedVertex};
use crate::shader::condition::ConditionTest;

/// Observes the stages of a draw. Each method is called where its event happens; the defaults do nothing. Several
/// stages hold the observer at a time, so all methods take it by shared reference.
pub trait DrawObserver: Debug {
    /// A vertex enters the block of the vertex program with this number.
    fn enter_vertex_block(&self, _block: usize) {}

    /// A vertex program reads a constant through an address.
    fn index_constant(&self, _index: u16) {}

    /// A batch of primitives over these vertices was set up for a draw; setup i belongs to primitive i.
    fn set_up_batch(&self, _: &Draw, _vertices: &[ShadedVertex], _primitives: &[Primitive], _: &[PrimitiveSetup]) {}

    /// The fragments of `mask` enter a block of the fragment program.
    fn enter_block(&self, _entry: BlockEntry, _mask: u8) {}

    /// The fragments leave the block entered last.
    fn leave_block(&self) {}

    /// Of the fragments in `mask`, those in `taken` pass the condition of the flow instruction at this position.
    fn branch(&self, _position: usize, _condition: ConditionTest, _mask: u8, _taken: u8) {}

    /// A texture unit reads a texel at an offset into a window, possibly beyond its end.
    fn read_texel(&self, _window: MemoryWindow, _offset: u32) {}

    /// A texture unit samples a level or a footprint for a pixel; events for its texels follow.
    fn sample_texture(&self, _taken: LookupCounts) {}

    /// A texture unit takes these steps for a pixel
    /// ([`QuadFiltering::steps`](crate::counters::trace::QuadFiltering::steps)).
    fn filter_steps(&self, _steps: u32) {}

    /// A texture unit has finished a pixel.
    fn finish_pixel(&self) {}

    /// A texture unit has finished the four pixels of a fetch.
    fn finish_fetch(&self, _unit: u8) {}

    /// These threads of a warp, lane 0 in bit 0, have fetched from a texture with a sampler.
    fn finish_threads(&self, _units: [u8; 2], _threads: u32) {}

    /// A quad of a primitive of the last batch was shaded and merged.
    fn merge_quad(&self, _primitive: u32, _inputs: &QuadInputs, _shaded: &ShadedQuad, _outcomes: &QuadOutcomes) {}

    /// Whether the threads of such a quad, whose program is a SIMT program, are counted.
    fn counts_threads(&self, _inputs: &QuadInputs, _outcomes: &QuadOutcomes) -> bool {
        false
    }
}

/// An observer that ignores every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl DrawObserver for Unobserved {}

/// How a block of a fragment program is entered; positions are those of instructions in the enclosing block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEntry {
    /// The program begins.
    Main,
    /// IF whose condition passes.
    Then {
        /// Its position.
        position: usize,
    },
    /// IF whose condition fails.
    Else {
        /// Its position.
        position: usize,
    },
    /// An iteration of LOOP or REP.
    Iteration {
        /// Its position.
        position: usize,
        /// The iteration, starting at 0.
        number: u16,
    },
    /// CAL.
    Call {
        /// Its position.
        position: usize,
        /// The number of the subroutine.
        subroutine: usize,
    },
}
