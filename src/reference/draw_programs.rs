//! The programs of a draw, decoded, and the runs of its vertices.

use std::borrow::Cow;

use super::compute::run_primitives::run_simt_primitives;
use super::compute::run_vertices::run_simt_vertices;
use super::observer::Unobserved;
use super::vertex::fetch_vertices::fetch_inputs;
use super::vertex::run_vertex_program::run_vertex_program;
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::memory::GuestMemory;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::decode_programs::{decode_fragment_program, decode_vertex_program};
use crate::pipeline::front_end::vertex_batches::VertexBatch;
use crate::pipeline::{
    Draw, EngineError, FragmentStage, ShadedVertex, SimtFragmentStage, SimtGeometryStage, SimtVertexStage,
    Vec4FragmentStage, Vec4VertexStage, VertexContext, VertexStage,
};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// A vertex program. SIMT programs are part of the draw.
enum VertexCode<'draw> {
    Vec4(&'draw Vec4VertexStage, VertexProgram),
    Simt(&'draw SimtVertexStage),
}

/// A fragment program. SIMT programs are part of the draw.
pub(super) enum FragmentCode<'draw> {
    Vec4(&'draw Vec4FragmentStage, FragmentProgram),
    Simt(&'draw SimtFragmentStage),
}

/// The programs of a draw in front of the rasterizer.
pub(super) struct VertexPrograms<'draw> {
    vertex: VertexCode<'draw>,
    geometry: Option<&'draw SimtGeometryStage>,
}

/// The programs of a draw.
pub(super) struct DrawPrograms<'draw> {
    pub(super) vertices: VertexPrograms<'draw>,
    pub(super) fragment: FragmentCode<'draw>,
}

impl<'draw> DrawPrograms<'draw> {
    /// Decodes the programs of a draw; the microcode of fragment programs is in memory.
    pub(super) fn decode(draw: &'draw Draw, memory: &GuestMemory) -> Result<Self, EngineError> {
        let vertices = VertexPrograms::decode(draw)?;
        let fragment = match &draw.fragment {
            FragmentStage::Vec4(stage) => {
                let microcode = memory.slice(stage.program).as_chunks().0;
                let word = |offset| microcode.get(offset as usize).map(|word| u32::from_le_bytes(*word));
                FragmentCode::Vec4(stage, decode_fragment_program(&mut |offset| word(offset))?)
            }
            FragmentStage::Simt(stage) => FragmentCode::Simt(stage),
        };
        Ok(Self { vertices, fragment })
    }

    /// The programs of a draw whose work is counted.
    pub(super) fn counted(&self) -> Result<(&'draw Vec4VertexStage, &VertexProgram, &FragmentProgram), EngineError> {
        match (&self.vertices.vertex, self.vertices.geometry, &self.fragment) {
            (VertexCode::Vec4(stage, vertex), None, FragmentCode::Vec4(_, fragment)) => Ok((stage, vertex, fragment)),
            _ => Err(EngineError::uncounted()),
        }
    }
}

impl<'draw> VertexPrograms<'draw> {
    /// Decodes the programs of a draw.
    pub(super) fn decode(draw: &'draw Draw) -> Result<Self, EngineError> {
        let vertex = match &draw.vertex {
            VertexStage::Vec4(stage) => VertexCode::Vec4(stage, decode_vertex_program(stage)?),
            VertexStage::Simt(stage) => VertexCode::Simt(stage),
        };
        Ok(Self { vertex, geometry: draw.geometry.as_ref() })
    }

    /// Runs the vertices of a batch, and the geometry program on its primitives if there is one; returns what is set up.
    /// `first` is the number of the first primitive in the draw.
    pub(super) fn run_batch<'batch>(
        &self,
        memory: &GuestMemory,
        draw: &Draw,
        batch: &'batch VertexBatch,
        first: u32,
    ) -> Result<(Vec<ShadedVertex>, Cow<'batch, [Primitive]>), EngineError> {
        let vertices = self.run_vertices(memory, draw, &batch.vertices)?;
        match self.geometry {
            Some(stage) => {
                let (vertices, primitives) =
                    run_simt_primitives(memory, draw, stage, &vertices, &batch.primitives, first)?;
                Ok((vertices, Cow::Owned(primitives)))
            }
            None => Ok((vertices, Cow::Borrowed(&batch.primitives))),
        }
    }

    /// Runs the vertices of a draw with these indices.
    fn run_vertices(
        &self,
        memory: &GuestMemory,
        draw: &Draw,
        indices: &[u32],
    ) -> Result<Vec<ShadedVertex>, EngineError> {
        match &self.vertex {
            VertexCode::Vec4(stage, program) => Ok(run_vec4_vertices(memory, draw, stage, program, indices)),
            VertexCode::Simt(stage) => run_simt_vertices(memory, draw, stage, indices),
        }
    }
}

fn run_vec4_vertices(
    memory: &GuestMemory,
    draw: &Draw,
    stage: &Vec4VertexStage,
    program: &VertexProgram,
    indices: &[u32],
) -> Vec<ShadedVertex> {
    let context = VertexContext::new(stage);
    let units = BoundVertexTextures::new(memory, &stage.textures);
    let run = |&index: &u32| {
        let inputs = fetch_inputs(memory, draw, index);
        let shaded = run_vertex_program(program, &context, &inputs, &units, &Unobserved);
        match &stage.output_map {
            Some(map) => ShadedVertex { outputs: map.apply(&shaded.outputs) },
            None => shaded,
        }
    };
    indices.iter().map(run).collect()
}
