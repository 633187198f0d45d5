//! The classes of the Tesla generation (G80 to MCP89): the 3D class, the compute class, uploads and memory copies.
//!
//! Buffers have virtual addresses, and every DMA object of a stream covers all of virtual memory.

mod address;
mod compute;
mod condition;
mod constant_buffers;
mod launch_state;
mod memory_copy;
mod packed_indices;
mod processor;
mod program_cache;
mod report;
mod sampler_entry;
mod semaphores;
mod texture_entry;
mod texture_units;
mod three_d;
mod two_d;

use super::class::{Class, Context};
use super::objects::Objects;
use super::{BoundSurface, ChipError, ClassRow};
use crate::command::methods::tesla::{
    compute as compute_methods, memory_copy as copy_methods, three_d as three_d_methods, two_d as two_d_methods,
};
use processor::Processor;
pub use sampler_entry::SamplerEntry;
pub(super) use semaphores::Semaphores;
pub use texture_entry::TextureEntry;

/// The classes. The compute class has the state of the 3D class.
pub static CLASSES: &[ClassRow] = &[
    ClassRow::new(&three_d_methods::CLASS, || Box::new(Processor::default())),
    ClassRow::same(&compute_methods::CLASS),
    ClassRow::new(&two_d_methods::CLASS, || Box::new(two_d::TwoD::default())),
    ClassRow::new(&copy_methods::CLASS, || Box::new(memory_copy::Copy::default())),
];

impl Class for Processor {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match compute_methods::CLASS.has(context.class) {
            true => compute::method(self, context),
            false => three_d::method(self, context),
        }
    }

    fn repeat(&mut self, class: u32, method: u16, words: &[u32]) -> bool {
        !compute_methods::CLASS.has(class) && self.push_elements(method, words)
    }

    fn bound_surfaces(&self, objects: &Objects) -> Vec<BoundSurface> {
        self.target_surfaces(objects)
    }
}
