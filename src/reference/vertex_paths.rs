//! Follows a vertex through the blocks of its program to count its instructions when vertices diverge.

use std::cell::RefCell;

use super::observer::DrawObserver;
use super::vertex::fetch_vertices::fetch_inputs;
use super::vertex::run_vertex_program::run_vertex_program;
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::memory::GuestMemory;
use crate::pipeline::{Draw, Vec4VertexStage, VertexContext};
use crate::shader::vertex::VertexProgram;

/// The blocks that a vertex has entered.
#[derive(Debug, Default)]
struct Path(RefCell<Vec<usize>>);

impl DrawObserver for Path {
    fn enter_vertex_block(&self, block: usize) {
        self.0.borrow_mut().push(block);
    }
}

/// The numbers of the blocks that the vertex with this index enters, in order.
pub(crate) fn vertex_path(
    memory: &GuestMemory,
    draw: &Draw,
    stage: &Vec4VertexStage,
    program: &VertexProgram,
    index: u32,
) -> Vec<usize> {
    let path = Path::default();
    let units = BoundVertexTextures::new(memory, &stage.textures);
    let context = VertexContext::new(stage);
    let _ = run_vertex_program(program, &context, &fetch_inputs(memory, draw, index), &units, &path);
    path.0.into_inner()
}
