//! Writes the kernel `shade_quads` around a program: one invocation covers, interpolates and shades a 2×2 quad, and stores it.

use crate::pipeline::{EngineError, SampleMode};
use crate::recompiler::quad_inputs::{QuadKey, QuadSource};
use crate::recompiler::quad_program::{QuadProgram, TextureUnits};
use crate::recompiler::text::{COMPONENTS, Text};

/// Invocations per workgroup.
pub const WORKGROUP_SIZE: u32 = 64;

/// Vectors that shading stores per quad: depth, coverage, four per target of the mask, the depths of further samples.
/// The counts of the program's work follow.
#[must_use]
pub const fn shaded_stride(targets: u8, sample_depths: u32) -> u32 {
    1 + 4 * targets.count_ones() + sample_depths
}

/// Writes the kernel; `counts` if the quads' pixels and samples at the start are stored.
///
/// # Errors
/// Those of the program.
pub(in crate::recompiler) fn source(
    quads: &QuadKey,
    counts: bool,
    program: &mut dyn QuadProgram,
    texture_units: TextureUnits<'_>,
) -> Result<String, EngineError> {
    let text = &mut Text::default();
    text.line("// [0]: zero, first quad, quad count; then the program's constants.");
    text.line("@group(0) @binding(12) var<storage, read> fragment_constants: array<vec4u>;");
    text.line("@group(0) @binding(13) var<storage, read_write> shaded: array<vec4u>;");
    text.line("const IS_FAST_PATH: bool = false;");
    program.declare(text, texture_units, ("fragment_constants", 1))?;
    text.line(format!("@compute @workgroup_size({WORKGROUP_SIZE})"));
    text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
    if quads.source == QuadSource::Interpolated {
        text.import("raster::parameters", "load_raster");
        text.line("load_raster();");
    }
    text.import("arith::optimization_barrier", "set_opaque_zero");
    text.line("set_opaque_zero(fragment_constants[0].x);");
    program.load_constants(text, "fragment_constants", 1);
    text.line(format!("let invocation = id.y * (groups.x * {WORKGROUP_SIZE}u) + id.x;"));
    text.line("if invocation >= fragment_constants[0].z { return; }");
    text.line("let quad = fragment_constants[0].y + invocation;");
    let module = quads.source.module();
    text.import(quads.source.list_module(), "load_quad");
    for function in ["quad_coverage", "quad_position_word", "quad_is_front", "quad_depth"] {
        text.import(module, function);
    }
    if quads.selects_viewports {
        text.import("raster::listed_quads", "quads");
        text.import("setup::load_setup", "stored_header");
        quads.emit_viewport(text, "stored_header(quads[quad].x)");
    }
    text.line("load_quad(quad);");
    if counts {
        text.line("var begun_samples = 0u;");
    }
    if quads.samples == SampleMode::One {
        text.line("var coverage = (vec4u(quad_coverage()) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);");
    } else {
        text.import("raster::listed_quads", "quads");
        quads.emit_samples(text, "quads[quad]");
    }
    quads.emit_alpha_coverage(text);
    if counts {
        text.line("let begun = coverage;");
        if quads.samples != SampleMode::One {
            text.line("begun_samples = countOneBits(sample_coverage);");
        }
    }
    quads.emit_inputs(text, &program.inputs());
    program.enter_primitive(text);
    program.shade(text)?;
    emit_stores(text, quads, counts, program);
    text.close();
    Ok(std::mem::take(text).finish("Runs one fragment program over quads; generated."))
}

/// Stores the shaded quad.
fn emit_stores(text: &mut Text, quads: &QuadKey, counts: bool, program: &mut dyn QuadProgram) {
    let (exports_depth, mut work_words) = (program.exports_depth(), program.work_words());
    work_words.resize(work_words.len().next_multiple_of(4), "0u".to_owned());
    let (work_vectors, sample_depths) = (work_words.chunks(4), quads.sample_depths() as usize);
    let stride = shaded_stride(program.targets(), quads.sample_depths()) as usize;
    let depth = match (exports_depth, quads.has_sample_depths) {
        (true, _) => program.exported_depth(text),
        (false, true) => "sample0.depth".to_owned(),
        (false, false) => "quad_depth()".to_owned(),
    };
    text.line(format!("let first = quad * {}u;", stride + work_vectors.len()));
    text.line(format!("shaded[first] = {depth};"));
    for sample in 1..sample_depths {
        let depth = if exports_depth { depth.clone() } else { format!("sample{sample}.depth") };
        text.line(format!("shaded[first + {}u] = {depth};", stride - sample_depths + sample));
    }
    let covered = quads.emit_covered(text);
    let begun = if counts {
        text.line("let begun_pixels = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), begun), vec4u(1u));");
        "begun_pixels | (begun_samples << 8u)"
    } else {
        "0u"
    };
    text.line(format!(
        "shaded[first + 1u] = vec4u({covered}, quad_position_word(), select(0u, 1u, quad_is_front()), {begun});"
    ));
    for (vector, words) in (stride..).zip(work_vectors) {
        text.line(format!("shaded[first + {vector}u] = vec4u({});", words.join(", ")));
    }
    let targets = program.targets();
    for (position, target) in (0..8u8).filter(|target| targets >> target & 1 != 0).enumerate() {
        let names = program.color(text, target).values;
        for (pixel, letter) in COMPONENTS.iter().enumerate() {
            let components: Vec<_> = names.iter().map(|name| format!("{name}.{letter}")).collect();
            let offset = 2 + 4 * position + pixel;
            text.line(format!("shaded[first + {offset}u] = vec4u({});", components.join(", ")));
        }
    }
}
