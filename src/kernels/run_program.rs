//! Runs one program over many given elements on the adapter, without the surrounding stages.

use super::plan::run_vertex_programs::{VertexParameters, constant_store, immediate_stream};
use super::plan::shade_quads::{ShadeHeader, constants, disabled_texture_unit};
use super::plan::{run_vertex_programs, shade_quads};
use crate::gpu::{DeviceError, Gpu};
use crate::pipeline::{EmittedTriangles, EngineError, FragmentResult, QuadInputs, ShadedVertex, VertexContext};
use crate::recompiler::fragment::{self, FragmentKernelKey, QuadSource, shaded_stride};
use crate::recompiler::vertex::{
    self, EMISSION_BINDING, EMISSION_VECTORS, ProgramTraits, TRIANGLE_VECTORS, VertexFetch, VertexKernelKey,
    output_vectors, outputs_by_vertex,
};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::{UNWRITTEN_OUTPUT, VertexProgram};

/// Elements per dispatch; larger jobs are split.
const BATCH: usize = 1 << 16;

/// Invocations of a geometry shader per dispatch, whose triangles take 12 MiB.
const GEOMETRY_BATCH: usize = 1 << 6;

/// All color targets.
const ALL_TARGETS: u8 = 15;

fn device_error(error: &DeviceError) -> EngineError {
    EngineError::Device { message: error.to_string() }
}

fn count_of<T>(elements: &[T]) -> u32 {
    u32::try_from(elements.len()).expect("a batch has at most 65536 elements")
}

/// Runs a vertex program on each set of attributes.
///
/// # Errors
/// If the device fails.
pub fn run_vertex_program(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[[u32; 4]; 16]],
) -> Result<Vec<ShadedVertex>, EngineError> {
    let mut results = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(if program.emits() { GEOMETRY_BATCH } else { BATCH }) {
        let VertexResults { vertices, .. } = dispatch_vertices(gpu, program, context, batch)?;
        let outputs = outputs_by_vertex(bytemuck::cast_slice(&vertices), batch.len());
        results.extend(outputs.into_iter().map(|outputs| ShadedVertex { outputs }));
    }
    Ok(results)
}

/// Runs a program that writes constants on one vertex; returns the store that it leaves.
///
/// # Errors
/// If the device fails.
pub fn run_state_program(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
) -> Result<Vec<[u32; 4]>, EngineError> {
    let VertexResults { constants, .. } = dispatch_vertices(gpu, program, context, std::slice::from_ref(inputs))?;
    Ok(constants.as_chunks::<4>().0.to_vec())
}

/// Runs a geometry shader on each set of inputs; returns the triangles that each invocation emits.
///
/// # Errors
/// If the device fails.
pub fn run_geometry_program(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[[u32; 4]; 16]],
) -> Result<Vec<EmittedTriangles>, EngineError> {
    if !program.emits() {
        return Ok(vec![EmittedTriangles::default(); inputs.len()]);
    }
    let mut results = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(GEOMETRY_BATCH) {
        let VertexResults { emitted, .. } = dispatch_vertices(gpu, program, context, batch)?;
        let vectors: &[[u32; 4]] = bytemuck::cast_slice(&emitted);
        results.extend(vectors.chunks_exact(EMISSION_VECTORS).map(|invocation| {
            let count = invocation[0][0];
            let kept = invocation[1..].chunks_exact(TRIANGLE_VECTORS).take(count as usize);
            EmittedTriangles { triangles: kept.map(triangle).collect(), count }
        }));
    }
    Ok(results)
}

/// The vertices of a triangle of these vectors.
fn triangle(vectors: &[[u32; 4]]) -> [ShadedVertex; 3] {
    std::array::from_fn(|vertex| ShadedVertex { outputs: std::array::from_fn(|output| vectors[vertex * 16 + output]) })
}

/// The words that the kernel of a vertex program leaves.
struct VertexResults {
    /// The output registers of each vertex.
    vertices: Vec<u32>,
    /// The constant store.
    constants: Vec<u32>,
    /// [`EMISSION_VECTORS`] for each invocation of a geometry shader.
    emitted: Vec<u32>,
}

/// Runs a vertex program on one batch.
fn dispatch_vertices(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    batch: &[[[u32; 4]; 16]],
) -> Result<VertexResults, EngineError> {
    let key = VertexKernelKey {
        program: program.clone(),
        rules: context.rules,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: gpu.summary().is_software(),
    };
    let source = vertex::source(&key);
    let traits = ProgramTraits::new(program, key.has_runs);
    let count = count_of(batch);
    let parameters =
        VertexParameters::without_arrays(count, context.booleans, context.instruction_limit, context.indexed_constants)
            .with_constants(&traits, context.constants);
    let mut parameters: Vec<u32> = bytemuck::cast_slice(&[parameters]).to_vec();
    let mut constants: Vec<u32> = constant_store(context.constants).into_iter().flatten().collect();
    let mut attributes = immediate_stream(batch);
    let mut vertices = vec![0; output_vectors(batch.len()) * 4];
    // Texture units are disabled; a program that samples them reads no memory.
    let mut memory = vec![0; 4];
    let emitted_vectors = if program.emits() { batch.len() * EMISSION_VECTORS } else { 0 };
    let mut emitted = bytemuck::cast_slice(&vec![UNWRITTEN_OUTPUT; emitted_vectors]).to_vec();
    let mut bindings =
        vec![(0, &mut memory), (1, &mut parameters), (2, &mut constants), (3, &mut attributes), (4, &mut vertices)];
    if program.emits() {
        bindings.push((EMISSION_BINDING, &mut emitted));
    }
    gpu.run(
        "run_vertex_programs",
        &source,
        &mut bindings,
        run_vertex_programs::workgroups(count, program, key.has_runs),
    )
    .map_err(|error| device_error(&error))?;
    Ok(VertexResults { vertices, constants, emitted })
}

/// Runs a fragment program on each quad, without textures.
///
/// # Errors
/// If the program is too large, or the device fails.
pub fn run_fragment_program(
    gpu: &Gpu,
    program: &FragmentProgram,
    has_full_outputs: bool,
    inputs: &[QuadInputs],
) -> Result<Vec<FragmentResult>, EngineError> {
    run_fragment_program_with(gpu, program, has_full_outputs, inputs, &|unit| Ok(disabled_texture_unit(unit)))
}

/// Runs a fragment program on each quad, with these texture units.
///
/// # Errors
/// If the program is too large, or the device fails.
pub fn run_fragment_program_with(
    gpu: &Gpu,
    program: &FragmentProgram,
    has_full_outputs: bool,
    inputs: &[QuadInputs],
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<Vec<FragmentResult>, EngineError> {
    let key = FragmentKernelKey::new(program, true, has_full_outputs, ALL_TARGETS, QuadSource::Given);
    let source = fragment::source(&key, texture_unit)?;
    let stride = shaded_stride(ALL_TARGETS, 1) as usize;
    let mut results = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(BATCH) {
        let count = count_of(batch);
        let mut constants = constants(ShadeHeader { quad_count: count, ..ShadeHeader::default() }, program);
        let mut quads: Vec<u32> = batch.iter().flat_map(given_quad).flatten().collect();
        let mut shaded = vec![0; batch.len() * stride * 4];
        let mut bindings = [(4, &mut quads), (12, &mut constants), (13, &mut shaded)];
        gpu.run("shade_quads", &source, &mut bindings, shade_quads::workgroups(count))
            .map_err(|error| device_error(&error))?;
        let vectors: &[[u32; 4]] = bytemuck::cast_slice(&shaded);
        results.extend(vectors.chunks_exact(stride).map(|quad| FragmentResult {
            colors: std::array::from_fn(|target| std::array::from_fn(|pixel| quad[2 + 4 * target + pixel])),
            depth: quad[0],
            coverage: u8::try_from(quad[1][0] & 15).expect("four bits"),
        }));
    }
    Ok(results)
}

/// The vectors of one quad in the order of `wgsl/interp/immediate_quads.wgsl`.
fn given_quad(quad: &QuadInputs) -> Vec<[u32; 4]> {
    let position = (quad.x & 0xffff) | quad.y << 16;
    let mut vectors = vec![[u32::from(quad.coverage), position, u32::from(quad.is_front_facing), 0], quad.depth];
    let inputs = [&quad.window_position, &quad.color0, &quad.color1, &quad.fog];
    for pixels in inputs.into_iter().chain(&quad.texture_coordinates) {
        vectors.extend((0..4).map(|component| pixels.map(|pixel| pixel[component])));
    }
    vectors
}
