//! The programs of a draw, decoded, and the runs of its vertices.

use std::borrow::Cow;

use super::compute::run_primitives::run_simt_primitives;
use super::compute::run_vertices::run_simt_vertices;
use super::count_threads::{count_primitives, count_vertices};
use super::observer::Unobserved;
use super::trace_warps::WarpRecorder;
use super::vertex::fetch_vertices::fetch_inputs;
use super::vertex::run_vertex_program::run_vertex_program;
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::counters::Counters;
use crate::memory::GuestMemory;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::front_end::decode_programs::{decode_fragment_program, decode_vertex_program};
use crate::pipeline::front_end::fetch_indices::FetchedIndices;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, VertexBatch, vertex_batches};
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

    /// The programs, if all are over registers of four components.
    pub(super) const fn vec4(&self) -> Option<(&VertexProgram, &FragmentProgram)> {
        match (&self.vertices.vertex, self.vertices.geometry, &self.fragment) {
            (VertexCode::Vec4(_, vertex), None, FragmentCode::Vec4(_, fragment)) => Some((vertex, fragment)),
            _ => None,
        }
    }
}

impl<'draw> VertexPrograms<'draw> {
    /// The vertex program, if it is over registers of four components.
    pub(super) const fn vec4(&self) -> Option<(&'draw Vec4VertexStage, &VertexProgram)> {
        match &self.vertex {
            VertexCode::Vec4(stage, program) => Some((stage, program)),
            VertexCode::Simt(_) => None,
        }
    }

    /// Counts the threads of the vertices that miss the post-transform cache, and those of primitives, and records their warps.
    pub(super) fn count_threads(
        &self,
        counters: &mut Counters,
        memory: &GuestMemory,
        draw: &Draw,
        misses: &[u32],
        (elements, primitives): (&FetchedIndices, &[Primitive]),
        mut recorder: Option<&mut WarpRecorder>,
    ) -> Result<(), EngineError> {
        if let VertexCode::Simt(stage) = &self.vertex {
            count_vertices(counters, memory, draw, stage, misses, recorder.as_deref_mut())?;
        }
        let Some(stage) = self.geometry else { return Ok(()) };
        let mut first = 0;
        for batch in vertex_batches(elements.unique.clone(), primitives.to_vec(), BATCH_VERTICES) {
            let vertices = self.run_vertices(memory, draw, &batch.vertices)?;
            let recorder = recorder.as_deref_mut();
            count_primitives(counters, memory, draw, stage, (&vertices, &batch.primitives), first, recorder)?;
            first += u32::try_from(batch.primitives.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

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
