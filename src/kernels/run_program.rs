//! Runs one program over many given elements on the adapter, without the surrounding stages.

use super::memory_mirror::MirrorWindow;
use super::plan::run_vertex_programs::{VertexParameters, VertexTextureParameters, constant_store, immediate_stream};
use super::plan::shade_quads::{ShadeHeader, constants, disabled_texture_unit};
use super::plan::texture_parameters::ShadeParameters;
use super::plan::{run_vertex_programs, shade_quads};
use super::software::adapter_choices::AdapterChoices;
use super::stages::run_geometry_programs::{ASSEMBLE_PRIMITIVES, Assembly};
use crate::gpu::{DeviceError, Gpu};
use crate::memory::{GuestMemory, MemorySpace, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::{KIND_MASK, KIND_TRIANGLE, Primitive};
use crate::pipeline::program_run::ProgramTextures;
use crate::pipeline::{
    EmittedTriangles, EngineError, FragmentResult, QuadInputs, ShadedVertex, TextureState, VertexContext,
};
use crate::recompiler::emitted_vertices::{EMITTED_BINDING, STRIPS_BINDING};
use crate::recompiler::fragment::{self, FragmentKernelKey, shaded_stride};
use crate::recompiler::quad_inputs::QuadSource;
use crate::recompiler::texture::unit::{self, TextureKey};
use crate::recompiler::vertex::{
    self, EMITTED_VERTICES, ProgramTraits, VertexFetch, VertexKernelKey, output_vectors, outputs_by_vertex,
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

/// The words of guest memory, VRAM before GART.
fn words_of(memory: &GuestMemory) -> Vec<u32> {
    let bytes = MemorySpace::ALL.map(|space| memory.bytes(space)).concat();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Where a window lies in [`words_of`] memory.
fn locate(memory: &GuestMemory, window: MemoryWindow) -> MirrorWindow {
    let window = memory.clamp(window);
    let base = if window.space == MemorySpace::Gart { memory.extent(MemorySpace::Vram) } else { 0 };
    MirrorWindow { start: base + window.start.min(memory.extent(window.space)), bytes: window.bytes }
}

/// Runs a vertex program on each set of attributes, without textures.
///
/// # Errors
/// If the device fails.
pub fn run_vertex_program(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[[u32; 4]; 16]],
) -> Result<Vec<ShadedVertex>, EngineError> {
    run_textured_vertex_program(gpu, program, context, inputs, &ProgramTextures::default())
}

/// The same with the textures of vertex units.
///
/// # Errors
/// If the device fails.
pub fn run_textured_vertex_program(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[[u32; 4]; 16]],
    textures: &ProgramTextures,
) -> Result<Vec<ShadedVertex>, EngineError> {
    let mut results = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(if program.emits() { GEOMETRY_BATCH } else { BATCH }) {
        let VertexResults { vertices, .. } = dispatch_vertices(gpu, program, context, batch, textures)?;
        let outputs = outputs_by_vertex(bytemuck::cast_slice(&vertices), batch.len());
        results.extend(outputs.into_iter().map(|outputs| ShadedVertex { outputs: outputs.to_vec() }));
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
    let (batch, textures) = (std::slice::from_ref(inputs), ProgramTextures::default());
    let VertexResults { constants, .. } = dispatch_vertices(gpu, program, context, batch, &textures)?;
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
        let VertexResults { emitted, mut strips, .. } =
            dispatch_vertices(gpu, program, context, batch, &ProgramTextures::default())?;
        let room = batch.len() * EMITTED_VERTICES as usize;
        let vertices = outputs_by_vertex(bytemuck::cast_slice(&emitted), room);
        let counts = strips.split_off(room);
        let assembled = assemble(gpu, strips)?;
        let mut invocations: Vec<_> =
            counts.into_iter().map(|count| EmittedTriangles { triangles: Vec::new(), count }).collect();
        for Primitive { vertices: numbers, .. } in
            assembled.into_iter().filter(|own| own.flags & KIND_MASK == KIND_TRIANGLE)
        {
            let triangle = numbers.map(|vertex| ShadedVertex { outputs: vertices[vertex as usize].to_vec() });
            invocations[(numbers[0] / EMITTED_VERTICES) as usize].triangles.push(triangle);
        }
        results.append(&mut invocations);
    }
    Ok(results)
}

/// The triangles of vertices with these places in strips.
fn assemble(gpu: &Gpu, mut strips: Vec<u32>) -> Result<Vec<Primitive>, EngineError> {
    let (count, assembly) = (count_of(&strips), Assembly::TRIANGLES);
    let mut assembled = vec![0; strips.len() * (size_of::<Primitive>() / 4)];
    let mut bindings =
        [(1, &mut assembly.parameters(count).to_vec()), (STRIPS_BINDING, &mut strips), (22, &mut assembled)];
    gpu.run("assemble_primitives", ASSEMBLE_PRIMITIVES, &mut bindings, Assembly::workgroups(count))
        .map_err(|error| device_error(&error))?;
    Ok(bytemuck::pod_collect_to_vec(&assembled))
}

/// The words that the kernel of a vertex program leaves.
struct VertexResults {
    /// The output registers of each vertex.
    vertices: Vec<u32>,
    /// The constant store.
    constants: Vec<u32>,
    /// The output registers of [`EMITTED_VERTICES`] for each invocation of a geometry shader.
    emitted: Vec<u32>,
    /// Their places in strips, then the number of triangles of each invocation.
    strips: Vec<u32>,
}

/// Runs a vertex program on one batch.
fn dispatch_vertices(
    gpu: &Gpu,
    program: &VertexProgram,
    context: &VertexContext<'_>,
    batch: &[[[u32; 4]; 16]],
    textures: &ProgramTextures,
) -> Result<VertexResults, EngineError> {
    let key = VertexKernelKey {
        program: program.clone(),
        rules: context.rules,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: AdapterChoices::of(gpu.summary()).has_runs,
    };
    let source = vertex::source(&key);
    let traits = ProgramTraits::new(program, key.has_runs);
    let count = count_of(batch);
    let units = textures.vertex.each_ref().map(|unit| {
        let parameters = |unit| VertexTextureParameters::new(unit, &|window| locate(&textures.memory, window));
        unit.as_ref().map_or_else(Default::default, parameters)
    });
    let parameters =
        VertexParameters::without_arrays(count, context.booleans, context.instruction_limit, context.indexed_constants)
            .with_constants(&traits, context.constants);
    let parameters = VertexParameters { textures: units, ..parameters };
    let mut parameters: Vec<u32> = bytemuck::cast_slice(&[parameters]).to_vec();
    let mut constants: Vec<u32> = constant_store(context.constants).into_iter().flatten().collect();
    let mut attributes = immediate_stream(batch);
    let mut vertices = vec![0; output_vectors(batch.len()) * 4];
    let mut memory = words_of(&textures.memory);
    // A buffer is not empty, and units without a texture read no memory.
    memory.resize(memory.len().max(4), 0);
    let room = if program.emits() { batch.len() * EMITTED_VERTICES as usize } else { 0 };
    let mut emitted = bytemuck::cast_slice(&vec![UNWRITTEN_OUTPUT; output_vectors(room)]).to_vec();
    let mut strips = vec![0; room + batch.len()];
    let mut bindings =
        vec![(0, &mut memory), (1, &mut parameters), (2, &mut constants), (3, &mut attributes), (4, &mut vertices)];
    if program.emits() {
        bindings.extend([(EMITTED_BINDING, &mut emitted), (STRIPS_BINDING, &mut strips)]);
    }
    gpu.run(
        "run_vertex_programs",
        &source,
        &mut bindings,
        run_vertex_programs::workgroups(count, program, key.has_runs),
    )
    .map_err(|error| device_error(&error))?;
    Ok(VertexResults { vertices, constants, emitted, strips })
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
    run_textured_fragment_program(gpu, program, has_full_outputs, inputs, &ProgramTextures::default())
}

/// The same with the textures of fragment units.
///
/// # Errors
/// If the program is too large, a texture has state that is not supported, or the device fails.
pub fn run_textured_fragment_program(
    gpu: &Gpu,
    program: &FragmentProgram,
    has_full_outputs: bool,
    inputs: &[QuadInputs],
    textures: &ProgramTextures,
) -> Result<Vec<FragmentResult>, EngineError> {
    let ProgramTextures { memory, fragment: units, .. } = textures;
    let locate = |window| locate(memory, window);
    let unit = |unit: u8| match &units[usize::from(unit & 15)] {
        Some(state) => Ok(unit::source(unit, &TextureKey::new(state, locate(state.view.window).bytes)?)),
        None => Ok(disabled_texture_unit(unit)),
    };
    let mut key = FragmentKernelKey::new(program, true, has_full_outputs, ALL_TARGETS, QuadSource::Given);
    let sampled = key.sampled_units();
    let bound = (0..16).filter_map(|unit| Some((unit, units[unit].as_ref().filter(|_| sampled >> unit & 1 != 0)?)));
    let discards = |(unit, state): (usize, &TextureState)| u16::from(state.can_discard()) << unit;
    key.discarding_units = bound.clone().map(discards).fold(0, |units, unit| units | unit);
    // A kernel that samples no texture has neither binding.
    let more = match bound.count() {
        0 => Vec::new(),
        _ => vec![(0, words_of(memory)), (11, bytemuck::pod_collect_to_vec(&[ShadeParameters::new(units, &locate)]))],
    };
    dispatch_quads(gpu, program, &key, inputs, &unit, more)
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
    dispatch_quads(gpu, program, &key, inputs, texture_unit, Vec::new())
}

/// Runs the kernel of a key on each quad; `more` are bindings of its texture units.
fn dispatch_quads(
    gpu: &Gpu,
    program: &FragmentProgram,
    key: &FragmentKernelKey,
    inputs: &[QuadInputs],
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
    mut more: Vec<(u32, Vec<u32>)>,
) -> Result<Vec<FragmentResult>, EngineError> {
    let source = fragment::source(key, texture_unit)?;
    let stride = shaded_stride(ALL_TARGETS, 1) as usize;
    let mut results = Vec::with_capacity(inputs.len());
    for batch in inputs.chunks(BATCH) {
        let count = count_of(batch);
        let mut constants = constants(ShadeHeader { quad_count: count, ..ShadeHeader::default() }, &program.constants);
        let mut quads: Vec<u32> = batch.iter().flat_map(given_quad).flatten().collect();
        let mut shaded = vec![0; batch.len() * stride * 4];
        let mut bindings = vec![(4, &mut quads), (12, &mut constants), (13, &mut shaded)];
        bindings.extend(more.iter_mut().map(|(binding, words)| (*binding, words)));
        gpu.run("shade_quads", &source, &mut bindings, shade_quads::workgroups(count))
            .map_err(|error| device_error(&error))?;
        let vectors: &[[u32; 4]] = bytemuck::cast_slice(&shaded);
        results.extend(vectors.chunks_exact(stride).map(|quad| FragmentResult {
            colors: std::array::from_fn(|target| match ALL_TARGETS >> target & 1 {
                0 => [[0; 4]; 4],
                _ => std::array::from_fn(|pixel| quad[2 + 4 * target + pixel]),
            }),
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
    for pixels in &quad.slots {
        vectors.extend((0..4).map(|component| pixels.map(|pixel| pixel[component])));
    }
    vectors
}
