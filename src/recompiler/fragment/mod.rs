//! Translates a fragment program into the WGSL kernel `shade_quads`: one invocation per 2×2 quad.
//!
//! Every register component is a `vec4u` with the bits of one value for the four pixels. Programs without flow become
//! straight-line code without masks. Flow becomes structured WGSL over the whole quad, with a mask of active pixels
//! that guards writes. All four pixels always compute, so that derivatives exist for any mask.

pub(super) mod flow;
mod generator;
mod key;
pub(super) mod operands;
pub(super) mod operations;
pub(super) mod registers;

use super::condition::passing_codes;
use super::sample_positions::offset_vectors;
use super::text::COMPONENTS;
use super::texture::unit;
use crate::pipeline::{EngineError, SampleMode};
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::{FragmentOutputs, color_register};
use crate::shader::kernel_function as wgsl;
pub(super) use generator::Generator;
pub use generator::INLINED_LIMIT;
pub use key::{FragmentKernelKey, QuadSource};

/// Invocations per workgroup.
pub const WORKGROUP_SIZE: u32 = 64;

/// Vectors that shading stores per quad: depth, coverage, four per target of the mask, the depths of further samples.
/// The counts of the program's work follow.
#[must_use]
pub const fn shaded_stride(targets: u8, sample_depths: u32) -> u32 {
    1 + 4 * (targets & 15).count_ones() + sample_depths
}

/// Writes the kernel; `texture_unit` returns the text that declares a sampled unit's functions, with its imports.
///
/// # Errors
/// If the program is too large after inlining its calls.
pub fn source(
    key: &FragmentKernelKey,
    texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
) -> Result<String, EngineError> {
    let mut generator = Generator::new(key)?;
    generator.declare(texture_unit)?;
    let text = &mut generator.text;
    text.line(format!("@compute @workgroup_size({WORKGROUP_SIZE})"));
    text.open("fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {");
    if key.quads == QuadSource::Interpolated {
        text.import("raster::parameters", "load_raster");
        text.line("load_raster();");
    }
    text.import("arith::optimization_barrier", "set_opaque_zero");
    text.line("set_opaque_zero(fragment_constants[0].x);");
    generator.emit_prologue("fragment_constants", 1);
    let text = &mut generator.text;
    text.line(format!("let invocation = id.y * (groups.x * {WORKGROUP_SIZE}u) + id.x;"));
    text.line("if invocation >= fragment_constants[0].z { return; }");
    text.line("let quad = fragment_constants[0].y + invocation;");
    let module = key.quads.module();
    text.import(key.quads.list_module(), "load_quad");
    for function in ["quad_coverage", "quad_position_word", "quad_is_front", "quad_depth"] {
        text.import(module, function);
    }
    text.line("load_quad(quad);");
    if key.counts {
        text.line("var begun_samples = 0u;");
    }
    if key.samples == SampleMode::One {
        text.line("var coverage = (vec4u(quad_coverage()) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);");
    } else {
        text.import("raster::listed_quads", "quads");
        generator.emit_samples("quads[quad]");
    }
    generator.emit_alpha_coverage();
    let text = &mut generator.text;
    if key.counts {
        text.line("let begun = coverage;");
        if key.samples != SampleMode::One {
            text.line("begun_samples = countOneBits(sample_coverage);");
        }
    }
    generator.emit_inputs();
    generator.emit_registers();
    generator.emit_program()?;
    generator.emit_stores();
    generator.text.close();
    Ok(generator.text.finish("Runs one fragment program over quads; generated."))
}

impl Generator<'_> {
    pub(super) fn declare(
        &mut self,
        texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
    ) -> Result<(), EngineError> {
        let text = &mut self.text;
        text.line("// [0]: zero, first quad, quad count; then the program's constants.");
        text.line("@group(0) @binding(12) var<storage, read> fragment_constants: array<vec4u>;");
        text.line("@group(0) @binding(13) var<storage, read_write> shaded: array<vec4u>;");
        text.line("const IS_FAST_PATH: bool = false;");
        self.declare_functions(texture_unit)
    }

    /// Declares the functions of texture units and inputs.
    pub(super) fn declare_functions(
        &mut self,
        texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
    ) -> Result<(), EngineError> {
        let text = &mut self.text;
        text.import("fragment::quad", "QuadVector");
        for unit in (0..16u8).filter(|unit| self.usage.units >> unit & 1 != 0) {
            text.line("");
            for line in texture_unit(unit)?.lines() {
                text.line(line);
            }
        }
        if self.key.centroids != 0 {
            self.declare_centroids();
        }
        if !self.usage.displacements.is_empty() {
            self.declare_indexed_input();
        }
        self.text.line("");
        Ok(())
    }

    /// Computes which samples of a quad, as the rasterizer lists it, are covered; a pixel is covered if one of its samples
    /// is.
    pub(super) fn emit_samples(&mut self, quad: &str) {
        let (mode, text) = (self.key.samples, &mut self.text);
        text.import("interp::quad_samples", "quad_sample");
        text.line(format!("let sampled_quad = {quad};"));
        let samples: Vec<_> = (0..mode.count()).map(|sample| format!("sample{sample}")).collect();
        for (number, [column, row]) in mode.offsets().iter().enumerate() {
            text.line(format!("let sample{number} = quad_sample(sampled_quad, {number}u, {column}, {row});"));
        }
        let planes: Vec<_> =
            samples.iter().zip(0..).map(|(sample, number)| format!("({sample}.coverage << {}u)", 4 * number)).collect();
        text.line(format!("let sample_coverage = {};", planes.join(" | ")));
        let pixels: Vec<_> = samples.iter().map(|sample| format!("{sample}.coverage")).collect();
        let pixels = pixels.join(" | ");
        text.line(format!("var coverage = (vec4u({pixels}) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);"));
        if self.key.centroids != 0 {
            text.import("interp::quad_samples", "load_centroid");
            let [columns, rows] = offset_vectors(mode);
            text.line(format!("load_centroid(sampled_quad, {}u, {columns}, {rows});", mode.count()));
        }
    }

    /// Removes pixels that smooth lines and polygons do not cover.
    pub(super) fn emit_alpha_coverage(&mut self) {
        if self.key.has_alpha_coverage {
            self.text.import(self.key.quads.module(), "quad_alpha_coverage");
            self.text.line("let alpha_coverage = quad_alpha_coverage();");
            self.text.line("coverage &= alpha_coverage != vec4u(0u);");
        }
    }

    pub(super) fn emit_inputs(&mut self) {
        for input in self.usage.inputs.clone() {
            let call = self.input_call(input);
            self.text.line(format!("let {} = {call};", operands::input_name(input)));
        }
    }

    /// Loads the values that all quads share, before any lane is masked; constant 0 is element `first` of the array
    /// `constants`.
    pub(super) fn emit_prologue(&mut self, constants: &str, first: u32) {
        for unit in (0..16u8).filter(|unit| self.usage.units >> unit & 1 != 0) {
            self.text.line(unit::prologue(unit));
        }
        for constant in &self.usage.constants {
            self.text.line(format!("let k{constant} = {constants}[{}];", u32::from(*constant) + first));
            if !self.is_fast_path() {
                let flush = wgsl::FLUSH.exact;
                self.text.import(flush.module, flush.name);
                self.text.line(format!("let c{constant} = {}(k{constant});", flush.name));
            }
        }
    }

    pub(super) fn emit_registers(&mut self) {
        let zero = self.zero();
        for variable in self.variables() {
            self.text.line(format!("var {variable} = {zero};"));
        }
        for register in (0..2u8).filter(|register| self.usage.conditions >> register & 1 != 0) {
            for component in COMPONENTS {
                // The initial condition is "equal".
                self.text.line(format!("var cc{register}{component} = vec4u(2u);"));
            }
        }
        if self.usage.has_loop_index {
            self.text.line("var loop_index = 0;");
        }
    }

    /// The pixels for which one component of a condition test passes.
    pub(super) fn passing(test: ConditionTest, component: usize) -> String {
        let selected = COMPONENTS[usize::from(test.swizzle.0[component] & 3)];
        let codes = passing_codes(test.relation);
        format!("((cc{}{selected} & vec4u({codes}u)) != vec4u(0u))", test.register & 1)
    }

    /// The pixels for which any component of a condition test passes; `None` for all of them.
    pub(super) fn passing_any(test: ConditionTest) -> Option<String> {
        match test.relation {
            Relation::Always => return None,
            Relation::Never => return Some("vec4<bool>(false)".to_owned()),
            _ => {}
        }
        let mut selected: Vec<u8> = test.swizzle.0.iter().map(|component| component & 3).collect();
        selected.sort_unstable();
        selected.dedup();
        let register = test.register & 1;
        let codes: Vec<_> =
            selected.iter().map(|component| format!("cc{register}{}", COMPONENTS[usize::from(*component)])).collect();
        Some(format!("((({}) & vec4u({}u)) != vec4u(0u))", codes.join(" | "), passing_codes(test.relation)))
    }

    /// Computes the pixels left after shading as `covered`; returns the expression of their samples, four bits a sample.
    pub(super) fn emit_covered(&mut self) -> &'static str {
        self.text.line("let covered = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), coverage), vec4u(1u));");
        match self.key.samples {
            SampleMode::One => "covered",
            _ => "(covered * 0x1111u) & sample_coverage",
        }
    }

    /// The names of red, green, blue and alpha of a target's color.
    pub(super) fn emit_color(&mut self, target: u8) -> [String; 4] {
        let register = color_register(target, self.key.has_full_outputs);
        std::array::from_fn(|component| {
            let mut value = self.read(register, component);
            if component == 3 && self.key.has_alpha_coverage {
                value = self.call(&wgsl::MUL, &[&value, "alpha_coverage"]);
            }
            self.text.bind("t", &value)
        })
    }

    pub(super) fn emit_stores(&mut self) {
        let targets: Vec<u8> = (0..4).filter(|target| self.key.targets >> target & 1 != 0).collect();
        let stride = shaded_stride(self.key.targets, self.key.sample_depths());
        let flow_vectors = self.key.flow_counts().div_ceil(4);
        let depth = match (self.key.exports_depth, self.key.has_sample_depths) {
            (true, _) => self.read(FragmentOutputs::DEPTH, 2),
            (false, true) => "sample0.depth".to_owned(),
            (false, false) => "quad_depth()".to_owned(),
        };
        self.text.line(format!("let first = quad * {}u;", stride + flow_vectors));
        self.text.line(format!("shaded[first] = {depth};"));
        for sample in 1..self.key.sample_depths() {
            let depth = if self.key.exports_depth { depth.clone() } else { format!("sample{sample}.depth") };
            self.text.line(format!("shaded[first + {}u] = {depth};", stride - self.key.sample_depths() + sample));
        }
        let covered = self.emit_covered();
        let begun = if self.key.counts {
            self.text.line("let begun_pixels = dot(select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), begun), vec4u(1u));");
            "begun_pixels | (begun_samples << 8u)"
        } else {
            "0u"
        };
        self.text.line(format!(
            "shaded[first + 1u] = vec4u({covered}, quad_position_word(), select(0u, 1u, quad_is_front()), {begun});"
        ));
        self.emit_flow_stores(stride);
        for (position, target) in targets.iter().enumerate() {
            let names = self.emit_color(*target);
            for (pixel, letter) in COMPONENTS.iter().enumerate() {
                let components: Vec<_> = names.iter().map(|name| format!("{name}.{letter}")).collect();
                let offset = 2 + 4 * position + pixel;
                self.text.line(format!("shaded[first + {offset}u] = vec4u({});", components.join(", ")));
            }
        }
    }
}
