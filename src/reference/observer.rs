//! What the stages of a draw tell an observer while they run: counters and traces come of it, results never depend on it.

use std::fmt::Debug;

use super::rop::merge_pixels::QuadOutcomes;
use crate::counters::LookupCounts;
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{QuadInputs, ShadedQuad, ShadedVertex};
use crate::shader::condition::ConditionTest;

/// Watches the stages of a draw. Each method is called where its event happens, and does nothing unless an observer wants
/// it. Several stages hold the observer at a time, so that all take it by shared reference.
pub trait DrawObserver: Debug {
    /// A vertex enters the block with this number of the vertex program.
    fn enter_vertex_block(&self, _block: usize) {}

    /// A batch of primitives was set up over these vertices; setup i belongs to primitive i.
    fn set_up_batch(&self, _vertices: &[ShadedVertex], _primitives: &[Primitive], _setups: &[PrimitiveSetup]) {}

    /// The fragments of `mask` enter a block of the fragment program.
    fn enter_block(&self, _entry: BlockEntry, _mask: u8) {}

    /// They leave the block that was entered last.
    fn leave_block(&self) {}

    /// Of the fragments of `mask`, those of `taken` pass the condition of the flow instruction at this position of the block.
    fn branch(&self, _position: usize, _condition: ConditionTest, _mask: u8, _taken: u8) {}

    /// A texture unit reads a texel at an offset into a window, which may end before it.
    fn read_texel(&self, _window: MemoryWindow, _offset: u32) {}

    /// A texture unit samples a level or a footprint for a pixel; its texels follow one by one.
    fn sample_texture(&self, _taken: LookupCounts) {}

    /// A texture unit takes so many steps for a pixel ([`QuadFiltering::steps`](crate::counters::trace::QuadFiltering::steps)).
    fn filter_steps(&self, _steps: u32) {}

    /// A texture unit is done with a pixel.
    fn finish_pixel(&self) {}

    /// A texture unit is done with the four pixels of a fetch.
    fn finish_fetch(&self, _unit: u8) {}

    /// A quad of a primitive of the last batch was shaded and merged.
    fn merge_quad(&self, _primitive: u32, _inputs: &QuadInputs, _shaded: &ShadedQuad, _outcomes: &QuadOutcomes) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl DrawObserver for Unobserved {}

/// How a block of a fragment program is entered; positions are those of instructions in the block around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEntry {
    /// The program begins.
    Main,
    /// IF, where its condition passes.
    Then {
        /// Its position.
        position: usize,
    },
    /// IF, where its condition fails.
    Else {
        /// Its position.
        position: usize,
    },
    /// An iteration of LOOP or REP.
    Iteration {
        /// Its position.
        position: usize,
        /// The iteration, counted from 0.
        number: u16,
    },
    /// CAL.
    Call {
        /// Its position.
        position: usize,
        /// Which subroutine.
        subroutine: usize,
    },
}
