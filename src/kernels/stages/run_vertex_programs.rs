//! The vertex stage: runs vertex programs over the vertices of a batch.

use std::ops::Range;

use crate::gpu::{Bound, DeviceError, Gpu, Kernel};
use crate::kernels::bindings::bindings;
use crate::kernels::context::Context;
use crate::kernels::plan::run_vertex_programs::{self, VertexArray, VertexParameters};
use crate::kernels::plan::texture_parameters::ShadeParameters;
use crate::kernels::plan::vec4_stages::vertex_stage;
use crate::kernels::plan::vertex_dispatches::multi_draw_spans;
use crate::pipeline::{self, Draw};
use crate::recompiler::compute::SimtProgramKey;
use crate::recompiler::software::multi_draw::PartVector;
use crate::recompiler::vertex::{ProgramTraits, output_vectors};

bindings! {
    /// Bindings of `run_vertex_programs`.
    VertexBindings {
        /// Guest memory.
        0 => memory: Bound<'a>,
        /// Parameters; for a multi-draw the parameters and constants of each draw.
        1 => parameters: Bound<'a>,
        /// The constant store, except for multi-draws.
        2 => constants: Option<Bound<'a>>,
        /// Vertex indices, or immediate vertices.
        3 => stream: Bound<'a>,
        /// Sixteen output registers of each vertex.
        4 => vertices: Bound<'a>,
        /// Texture parameters, for SIMT programs that read textures.
        11 => textures: Option<Bound<'a>>,
    }
}

/// The output registers of vertices, reused between draws.
#[derive(Debug)]
pub(in crate::kernels) struct VertexStage {
    vertices: wgpu::Buffer,
    vertices_run: u64,
}

/// Vertices of a draw with one kernel.
pub(in crate::kernels) struct DrawnVertices<'a> {
    pub(in crate::kernels) draw: &'a Draw,
    pub(in crate::kernels) traits: &'a ProgramTraits,
    pub(in crate::kernels) vertices: Range<u32>,
}

impl VertexStage {
    /// Creates a stage without vertices.
    pub(in crate::kernels) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self { vertices: gpu.buffer("vertices", 0)?, vertices_run: 0 })
    }

    /// The output registers of the last vertices that programs ran on.
    pub(in crate::kernels) const fn vertices(&self) -> &wgpu::Buffer {
        &self.vertices
    }

    /// The number of vertices that programs ran on.
    pub(in crate::kernels) const fn vertices_run(&self) -> u64 {
        self.vertices_run
    }

    /// Makes room for the vertices of the next batch.
    pub(in crate::kernels) fn begin(&mut self, gpu: &Gpu, vertices: usize) -> Result<(), DeviceError> {
        self.vertices_run += vertices as u64;
        let bytes = (output_vectors(vertices) * size_of::<[u32; 4]>()) as u64;
        if self.vertices.size() < bytes {
            let limit = gpu.summary().max_binding_bytes;
            self.vertices = gpu.buffer("vertices", bytes.next_power_of_two().min(limit))?;
        }
        Ok(())
    }

    /// Records the program of one draw; submits earlier work if the program may take long.
    pub(in crate::kernels) fn run(
        &self,
        context: &mut Context,
        kernel: &Kernel,
        drawn: &DrawnVertices<'_>,
        stream: Bound<'_>,
    ) -> Result<(), DeviceError> {
        let Context { gpu, recording, memory, .. } = context;
        let &DrawnVertices { draw, traits, vertices: Range { start, end } } = drawn;
        let constants = match &draw.vertex {
            pipeline::VertexStage::Vec4(stage) => run_vertex_programs::constant_store(&stage.constants),
            pipeline::VertexStage::Simt(stage) => {
                let mut constants = SimtProgramKey::constant_vectors(&stage.stage);
                // A buffer is not empty.
                constants.push([0; 4]);
                constants
            }
        };
        let parameters = VertexParameters::new(draw, traits, end, &|window| memory.locate(window));
        let textures = match &draw.vertex {
            pipeline::VertexStage::Simt(stage) if !stage.textures.is_empty() => {
                let locate = |window| memory.locate(window);
                let textures = ShadeParameters::of_program(&stage.stage.program, &stage.textures, &locate);
                Some(recording.store_changed("vertex textures", bytemuck::bytes_of(&textures))?)
            }
            _ => None,
        };
        for range in run_vertex_programs::dispatch_ranges(traits, end - start) {
            if range.start != 0 {
                gpu.flush(recording)?;
            }
            let constants = recording.store_changed("vertex constants", bytemuck::cast_slice(&constants))?;
            let parameters =
                VertexParameters { first_vertex: start + range.start, vertex_count: start + range.end, ..parameters };
            let parameters = recording.store_changed("vertex parameters", bytemuck::bytes_of(&parameters))?;
            let bindings = VertexBindings {
                memory: memory.buffer().into(),
                parameters: (&parameters).into(),
                constants: Some((&constants).into()),
                stream,
                vertices: (&self.vertices).into(),
                textures: textures.as_ref().map(Into::into),
            };
            let workgroups = run_vertex_programs::linear_workgroups(range.end - range.start, traits.run_and_workgroup);
            recording.dispatch(kernel, &bindings, workgroups);
        }
        Ok(())
    }

    /// Records vertices of several draws as one dispatch of their kernel, which loads `part` for each draw.
    pub(in crate::kernels) fn run_multi_draw<'d>(
        &self,
        context: &mut Context,
        kernel: &Kernel,
        part: &[PartVector],
        drawn: impl Iterator<Item = DrawnVertices<'d>> + Clone,
        stream: Bound<'_>,
    ) -> Result<(), DeviceError> {
        let Context { recording, memory, .. } = context;
        let ranges: Vec<_> = drawn.clone().map(|drawn| drawn.vertices).collect();
        let (mut vectors, workgroups) = multi_draw_spans(&ranges, part.len());
        for DrawnVertices { draw, traits, .. } in drawn {
            let parameters = VertexParameters::new(draw, traits, 0, &|window| memory.locate(window));
            vectors.extend(part.iter().map(|vector| part_vector(*vector, &parameters, &vertex_stage(draw).constants)));
        }
        let parameters = recording.store_changed("vertex parts", bytemuck::cast_slice(&vectors))?;
        let bindings = VertexBindings {
            memory: memory.buffer().into(),
            parameters: (&parameters).into(),
            constants: None,
            stream,
            vertices: (&self.vertices).into(),
            textures: None,
        };
        recording.dispatch(kernel, &bindings, [workgroups, 1, 1]);
        Ok(())
    }
}

/// A vector that a multi-draw loads for a draw, from the draw's parameters and constants.
fn part_vector(vector: PartVector, parameters: &VertexParameters, constants: &[[u32; 4]]) -> [u32; 4] {
    match vector {
        PartVector::Limits => [parameters.base_index, parameters.instruction_limit, 0, 0],
        PartVector::Value(attribute) => parameters.arrays[usize::from(attribute)].value,
        PartVector::Array(attribute) => {
            let VertexArray { start, element_count, stride, divider, .. } = parameters.arrays[usize::from(attribute)];
            [start, element_count, stride, divider]
        }
        PartVector::Constant(constant) => constants.get(usize::from(constant)).copied().unwrap_or_default(),
    }
}
