//! Translates a fragment program into the WGSL kernel `shade_quads`: one invocation per 2×2 quad.
//!
//! Every register component is a `vec4u` with the bits of one value for the four pixels. Programs without flow become
//! straight-line code without masks. Flow becomes structured WGSL over the whole quad, with a mask of active pixels
//! that guards writes. All four pixels always compute, so that derivatives exist for any mask.

pub(super) mod flow;
pub(super) mod operands;
pub(super) mod operations;
pub(super) mod registers;

use std::collections::HashMap;

use super::condition::passing_codes;
use super::sample_positions::offset_vectors;
use super::text::{COMPONENTS, Text};
use super::texture::unit;
use super::tiles::iteration_budget::QuadIterations;
use crate::counters::{ProgramNumbers, ProgramWords};
use crate::pipeline::{EngineError, SampleMode};
use crate::recompiler::rop::color::ValueRange;
use crate::shader::analysis::execution_bounds::{inlined_operations, iterations_bound};
use crate::shader::analysis::execution_order::{EarlyEnds, Step, execution_order};
use crate::shader::analysis::nan_and_denormals::NanAndDenormals;
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::analysis::underflow::Underflow;
use crate::shader::analysis::value_ranges::ValueRanges;
use crate::shader::analysis::{ArithmeticPath, ProgramView};
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::{Block, FragmentOutputs, FragmentProgram, color_register};
use crate::shader::kernel_function as wgsl;

/// Invocations per workgroup.
pub const WORKGROUP_SIZE: u32 = 64;

/// Maximum number of operations in a program after its subroutines are inlined.
pub const INLINED_LIMIT: u64 = 1 << 16;

/// The source of interpolants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadSource {
    /// Plane equations of the primitive of each quad.
    Interpolated,
    /// A buffer that holds every input of each quad.
    Given,
}

impl QuadSource {
    /// The module of `load_quad`.
    const fn list_module(self) -> &'static str {
        match self {
            Self::Interpolated => "raster::listed_quads",
            Self::Given => "interp::immediate_quads",
        }
    }

    /// The module of the inputs.
    const fn module(self) -> &'static str {
        match self {
            Self::Interpolated => "interp::interpolate",
            Self::Given => "interp::immediate_quads",
        }
    }
}

/// Everything that is baked into one kernel, except the state of texture units.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FragmentKernelKey {
    /// The main block.
    pub body: Block,
    /// Subroutines.
    pub subroutines: Vec<Block>,
    /// Depth comes from R1.z.
    pub exports_depth: bool,
    /// Results are full registers.
    pub has_full_outputs: bool,
    /// Bit i: color target i is stored.
    pub targets: u8,
    /// The source of interpolants.
    pub quads: QuadSource,
    /// Alpha is multiplied with the coverage of smooth lines and polygons.
    pub has_alpha_coverage: bool,
    /// Some texture coordinate wraps around a cylinder.
    pub wraps_coordinates: bool,
    /// Bit i: fetches from texture unit i can discard fragments.
    pub discarding_units: u16,
    /// Bit i: fetches from texture unit i return values of 0..1.
    pub unit_fetches: u16,
    /// The samples of a pixel with individual coverage.
    pub samples: SampleMode,
    /// Whether depth is stored for each sample.
    pub has_sample_depths: bool,
    /// Bit i: texture coordinate i is sampled at a covered position.
    pub centroids: u16,
    /// Whether quads are counted: their pixels and samples at the start, and their program's work.
    pub counts: bool,
    /// Bit i: the work of fetches from texture unit i is counted.
    pub counted_units: u16,
    /// The counter words that each unit's text updates, as a bit mask; the other words are 0.
    pub counted_words: [u8; 16],
}

impl FragmentKernelKey {
    /// The key of a program with these controls and targets, without coverage, multisampling and cylindrical wrap.
    #[must_use]
    pub fn new(
        program: &FragmentProgram,
        exports_depth: bool,
        has_full_outputs: bool,
        targets: u8,
        quads: QuadSource,
    ) -> Self {
        Self {
            body: program.body.clone(),
            subroutines: program.subroutines.clone(),
            exports_depth,
            has_full_outputs,
            targets: targets & 15,
            quads,
            has_alpha_coverage: false,
            wraps_coordinates: false,
            discarding_units: 0,
            unit_fetches: 0,
            samples: SampleMode::One,
            has_sample_depths: false,
            centroids: 0,
            counts: false,
            counted_units: 0,
            counted_words: [0; 16],
        }
    }

    /// The program as input of analyses.
    #[must_use]
    pub fn view(&self) -> ProgramView<'_> {
        ProgramView {
            body: &self.body,
            subroutines: &self.subroutines,
            outputs: FragmentOutputs {
                has_full_outputs: self.has_full_outputs,
                exports_depth: self.exports_depth,
                targets: self.targets,
            },
            interpolates: self.quads == QuadSource::Interpolated,
            unit_range_fetches: self.unit_fetches,
        }
    }

    /// The resources that the program uses.
    #[must_use]
    pub fn resource_usage(&self) -> ResourceUsage {
        ResourceUsage::of(&self.view())
    }

    /// Number of words that count the program's work for a quad: branches by their outcome, then those of
    /// [`ProgramWords`]; none if there is neither flow nor a counted fetch.
    #[must_use]
    pub fn flow_counts(&self) -> u32 {
        if !self.counts || !self.resource_usage().has_flow && self.counted_units == 0 {
            return 0;
        }
        let blocks = ProgramNumbers::new(&self.body, &self.subroutines).count;
        let words = 3 + ProgramWords { blocks, units: self.counted_units }.count();
        u32::try_from(words).expect("a program has fewer instructions")
    }

    /// Number of depths stored for each pixel.
    #[must_use]
    pub const fn sample_depths(&self) -> u32 {
        if self.has_sample_depths { self.samples.count() } else { 1 }
    }

    /// Bit i: the program samples texture unit i.
    #[must_use]
    pub fn sampled_units(&self) -> u16 {
        self.resource_usage().units
    }

    /// Maximum number of loop iterations for a quad; `fetch` returns those of a texture unit.
    #[must_use]
    pub fn most_rounds(&self, fetch: &dyn Fn(u8) -> QuadIterations) -> QuadIterations {
        let bound = |own: u64, rounds: &dyn Fn(QuadIterations) -> u64| {
            iterations_bound(&self.view(), own, &|operation| match operation.kind.samples() {
                true => rounds(fetch(operation.texture_unit & 15)),
                false => 0,
            })
        };
        QuadIterations {
            fixed: bound(1, &|rounds| rounds.fixed),
            samples: bound(0, &|rounds| rounds.samples),
            ..QuadIterations::default()
        }
    }
}

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

/// The state of code generation.
pub(super) struct Generator<'k> {
    pub(super) key: &'k FragmentKernelKey,
    pub(super) usage: ResourceUsage,
    pub(super) values: NanAndDenormals,
    pub(super) ranges: ValueRanges,
    /// How products are checked on the fast path; `None` on the exact path.
    pub(super) underflow: Option<Underflow>,
    /// Whether some pixel may skip each operation, by the operation's number.
    pub(super) masks: Vec<bool>,
    pub(super) early_ends: EarlyEnds,
    /// The number of the next operation in execution order, as the analyses number them.
    pub(super) next_operation: usize,
    pub(super) text: Text,
    /// Values of the current operation's source components, by (source, component).
    pub(super) operands: HashMap<(usize, usize), String>,
    /// The same without denormals.
    pub(super) flushed_operands: HashMap<(usize, usize), String>,
    /// Words of shared registers that are stored as two halves, by register and word.
    pub(super) split_words: HashMap<(u8, usize), [registers::HalfForm; 2]>,
    /// Half writes split words instead of packing them; this does not extend across flow.
    pub(super) splits_words: bool,
    pub(super) scopes: Vec<flow::Scope>,
    /// The current operation's writes are guarded by `active_pixels`.
    pub(super) is_masked: bool,
    pub(super) numbers: ProgramNumbers,
}

impl<'k> Generator<'k> {
    /// # Errors
    /// If the program is too large after inlining its calls.
    pub(super) fn new(key: &'k FragmentKernelKey) -> Result<Self, EngineError> {
        let view = key.view();
        let inlined = inlined_operations(&view);
        if inlined > INLINED_LIMIT {
            return Err(EngineError::TooLarge {
                what: "fragment program with inlined calls",
                size: inlined,
                limit: INLINED_LIMIT,
            });
        }
        let usage = ResourceUsage::of(&view);
        let masks = execution_order(&view).into_iter().filter_map(|step| match step {
            Step::Operation { is_masked, .. } => Some(is_masked),
            Step::Join => None,
        });
        Ok(Self {
            key,
            split_words: HashMap::new(),
            splits_words: !usage.has_flow,
            values: NanAndDenormals::of(&view, &usage, ArithmeticPath::Exact),
            ranges: ValueRanges::of(&view, &usage),
            underflow: None,
            masks: masks.collect(),
            early_ends: EarlyEnds::of(&view),
            next_operation: 0,
            usage,
            text: Text::default(),
            operands: HashMap::new(),
            flushed_operands: HashMap::new(),
            scopes: Vec::new(),
            is_masked: false,
            numbers: ProgramNumbers::new(&key.body, &key.subroutines),
        })
    }

    /// Compiles sums and products to single float operations; the constants have at most this many fraction bits.
    pub(super) fn take_fast_path(&mut self, constant_fraction_bits: u8) {
        let view = self.key.view();
        self.values = NanAndDenormals::of(&view, &self.usage, ArithmeticPath::Fast);
        self.underflow = Some(Underflow::of(&view, &self.usage, &self.values, constant_fraction_bits));
    }

    /// Whether sums and products are single float operations.
    pub(super) const fn is_fast_path(&self) -> bool {
        self.underflow.is_some()
    }

    /// The value ranges of the color that the program leaves for a target.
    pub(super) fn color_ranges(&self, target: u8) -> [ValueRange; 4] {
        let register = color_register(target, self.key.has_full_outputs);
        [0, 1, 2, 3].map(|component| match component {
            3 if self.key.has_alpha_coverage => ValueRange::ANY,
            _ => ValueRange { is_half: register.is_half, is_unit: self.ranges.is_unit_at_end(register, component) },
        })
    }

    /// A zero, the initial value of variables.
    pub(super) fn zero(&mut self) -> &'static str {
        if !self.is_fast_path() {
            return "vec4u(0u)";
        }
        self.text.import("arith::optimization_barrier", "opaque_zero");
        "vec4u(opaque_zero)"
    }

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
