//! SIMT fragment programs as the programs of the kernels that shade quads: the four threads of a quad run side by side.

use std::collections::BTreeMap;

use super::sample_texture::{fetch_call, set_offsets};
use super::simt_programs::{SimtPrograms, ThreadFacts};
use super::thread_program::{SimtProgramKey, ThreadProgram, ThreadStep, interpolant_name};
use crate::counters::ProgramWords;
use crate::pipeline::launch::{
    CoordinatePlaces, FragmentQuad, Fragments, Interpolants, LaunchTextures, LaunchThreads, Plane,
};
use crate::pipeline::{
    EngineError, Interpolant, InterpolantMode, InterpolantSource, ResultRegisters, SampleMode, ShadedSamples,
    SimtFragmentStage, SpriteValue, TextureState, WindowOrigin,
};
use crate::recompiler::quad_inputs::{QuadInput, QuadKey};
use crate::recompiler::quad_program::{ProgramFacts, QuadProgram, TextureUnits};
use crate::recompiler::rop::shaded_color::{ShadedColor, ValueRange};
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::recompiler::text::{COMPONENTS, Text};
use crate::recompiler::texture::unit::{self, TextureKey, UnitUses};
use crate::shader::simt::{InterpolationMode, ProgramKind, QuadLane, TextureFetch, TextureSource};

const PLANES: &str = "interp::plane_equations";
const FAST: &str = "software::thread_fast";

/// The words in front of those of [`ProgramWords`] that count branches by their outcome.
const BRANCH_WORDS: usize = 3;

/// The fetches of a counted program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountedFetches {
    /// Bit i: the work of fetches from unit i of the draw is counted.
    pub units: u16,
    /// The counter words that each unit's text updates, as a bit mask; the other words are 0.
    pub words: [u8; 16],
}

impl CountedFetches {
    /// The units in order.
    fn numbers(self) -> impl Iterator<Item = u8> {
        (0..16).filter(move |unit| self.units >> unit & 1 != 0)
    }
}

/// What determines the text of a SIMT fragment program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SimtFragmentKey {
    program: SimtProgramKey,
    /// The maximum number of passes over the program's basic blocks.
    passes: u64,
    /// Whether its instructions run one after the other.
    is_straight: bool,
    interpolants: BTreeMap<u8, Interpolant>,
    units: Vec<[u8; 2]>,
    results: ResultRegisters,
    /// The only sample that it runs for, if it does not run for pixels.
    sample: Option<u8>,
    /// Bit i: the color of target i is computed.
    pub targets: u8,
    /// The quads that it shades.
    pub quads: QuadKey,
    /// The fetches that are counted, if quads are; the program has no flow then.
    pub counts: Option<CountedFetches>,
}

impl SimtFragmentKey {
    /// The key of a stage with the textures of a draw's units; `None` if kernels do not run its program.
    #[must_use]
    pub fn new(
        programs: &mut SimtPrograms,
        stage: &SimtFragmentStage,
        textures: &[Option<TextureState>],
        targets: u8,
        quads: QuadKey,
    ) -> Option<Self> {
        let interpolant_words = stage.input_words();
        let sample = match stage.samples {
            ShadedSamples::Together => None,
            ShadedSamples::Only(sample) => Some(sample),
            // One by one.
            ShadedSamples::Each => return None,
        };
        let fragments = Fragments {
            quads: vec![FragmentQuad { sample: sample.unwrap_or(0), ..FragmentQuad::new(0) }],
            interpolant_words,
            interpolants: Interpolants::Planes(vec![Plane::default(); interpolant_words as usize]),
            results: stage.results.count(),
        };
        let program = SimtProgramKey::new(
            &stage.stage,
            LaunchThreads::Fragments(fragments),
            LaunchTextures::of_units(&stage.units, textures),
        )?;
        let ThreadFacts { passes, is_straight, reads_centroids, .. } = programs.facts(&program)?;
        let (interpolants, units) = (stage.interpolants.clone(), stage.units.clone());
        let results = stage.results;
        let key =
            Self { program, passes, is_straight, interpolants, units, results, sample, targets, quads, counts: None };
        // Centroids of several samples are left to the reference.
        (quads.samples == SampleMode::One || sample.is_some() || !reads_centroids).then_some(key)
    }

    /// The maximum number of loop iterations for a quad, with the textures of a draw's units.
    #[must_use]
    pub fn max_loop_iterations(&self, textures: &[Option<TextureState>]) -> u64 {
        let rounds = self.max_rounds(&|unit| match textures.get(usize::from(unit)) {
            Some(Some(state)) => unit::max_rounds(&TextureKey::of(state, state.view.window.bytes)),
            _ => QuadIterations::default(),
        });
        rounds.fixed + rounds.samples
    }

    /// Maximum numbers of loop iterations for a quad; `fetch` returns those of a texture unit.
    fn max_rounds(&self, fetch: &dyn Fn(u8) -> QuadIterations) -> QuadIterations {
        // Software adapters enter the loops of all fetches in each pass over the basic blocks.
        let (passes, fetches) = (self.passes, self.program.fetched_units(&self.units).map(fetch));
        fetches.fold(QuadIterations { fixed: passes, ..QuadIterations::default() }, |sum, fetch| QuadIterations {
            fixed: sum.fixed + passes * fetch.fixed,
            samples: sum.samples + passes * fetch.samples,
            ..sum
        })
    }

    /// What it does with a unit of the draw.
    #[must_use]
    pub fn uses(&self, unit: u8) -> UnitUses {
        self.units.get(usize::from(unit)).map_or_else(UnitUses::default, |numbers| self.program.uses(*numbers))
    }

    /// The number of words that count the program's work for a quad: those of branches, which stay zero, then those of
    /// [`ProgramWords`]. It is 0 if no fetch is counted.
    #[must_use]
    pub fn flow_counts(&self) -> u32 {
        match self.counts {
            Some(CountedFetches { units: units @ 1.., .. }) => {
                u32::try_from(BRANCH_WORDS + ProgramWords { blocks: 1, units }.count()).unwrap_or(u32::MAX)
            }
            _ => 0,
        }
    }

    /// How many units of the draw it has.
    #[must_use]
    pub fn unit_count(&self) -> usize {
        self.units.len()
    }

    /// What tile kernels depend on; `fetch` returns the loop iterations of a texture unit.
    pub(crate) fn facts(&self, fetch: &dyn Fn(u8) -> QuadIterations) -> ProgramFacts {
        let rounds = self.max_rounds(fetch);
        let mut sources = self.interpolants.values().map(|interpolant| interpolant.source);
        let shows_sides = sources.any(|source| matches!(source, InterpolantSource::Output { back: Some(_), .. }));
        // Constants are checked where a kernel begins; the checks of planes are those at centers.
        let constant_fraction_bits = (self.is_straight && self.sample.is_none()).then_some(0);
        ProgramFacts { quads: self.quads, inputs: Vec::new(), shows_sides, rounds, constant_fraction_bits }
    }
}

/// The program of a key.
///
/// # Errors
/// If kernels do not run it.
pub(in crate::recompiler) fn quad_program(key: &SimtFragmentKey) -> Result<impl QuadProgram + '_, EngineError> {
    let program = ThreadProgram::new(&key.program);
    let unsupported = || EngineError::Unsupported { what: "a fragment program that needs warps".to_owned() };
    Ok(SimtQuads { key, program: program.ok_or_else(unsupported)? })
}

/// A program over the threads of a quad, in `thread0` to `thread3`.
struct SimtQuads<'key> {
    key: &'key SimtFragmentKey,
    program: ThreadProgram,
}

impl SimtQuads<'_> {
    /// The unit of the draw that a fetch reads.
    fn unit(&self, fetch: &TextureFetch) -> u8 {
        let numbers = [fetch.texture, fetch.sampler];
        (0..).zip(&self.key.units).find(|(_, own)| **own == numbers).map_or(0, |(unit, _)| unit)
    }

    /// Names what the four threads fetch, as `fetched`.
    fn emit_fetch(&self, text: &mut Text, fetch: &TextureFetch, places: &CoordinatePlaces) {
        let (first, count) = fetch.coordinates;
        let coordinate = |place: usize| match (first..).take(count.into()).nth(place) {
            Some(number) => self.program.register(number),
            None => "vec4u(0u)".to_owned(),
        };
        let unit = self.unit(fetch);
        let call = if fetch.source == TextureSource::Size {
            let sizes = ["x", "y", "z", "w"]
                .map(|pixel| text.bind("size", &format!("texture_size_{unit}({}.{pixel})", coordinate(0))));
            let component =
                |part: char| format!("vec4u({})", sizes.each_ref().map(|size| format!("{size}.{part}")).join(", "));
            format!("QuadVector({})", COMPONENTS.map(component).join(", "))
        } else {
            if self.key.uses(unit).offsets {
                text.line(set_offsets(unit, places, fetch));
            }
            fetch_call(unit, places, fetch, ProgramKind::Fragment, &mut |place| coordinate(place))
        };
        text.line(format!("let fetched = {call};"));
        if self.key.counts.is_some_and(|counts| counts.units >> unit & 1 != 0) {
            text.line(format!("taken{unit} += texture_counts_{unit};"));
        }
    }

    /// The interpolant that a word of `v[]` is.
    fn interpolant(&self, word: u32) -> Option<&Interpolant> {
        u8::try_from(word).ok().and_then(|word| self.key.interpolants.get(&word))
    }

    /// Names what an interpolant is for the current primitive: a value, or how it changes.
    fn emit_setup(&self, text: &mut Text, (mode, word): (InterpolationMode, u32)) {
        let Some(interpolant) = self.interpolant(word) else { return };
        let name = interpolant_name((mode, word));
        let setup = match (interpolant.source, interpolant.mode) {
            (InterpolantSource::Facing, _) => {
                text.import("interp::interpolate", "quad_is_front");
                "select(0u, 0xffffffffu, quad_is_front())".to_owned()
            }
            (InterpolantSource::Output { .. }, _) if is_constant(interpolant, mode) => {
                self.emit_output(text, interpolant, "flat_output")
            }
            // A flat position is that at corner 0, or where its equation begins.
            (InterpolantSource::WindowPosition(2), _) if is_constant(interpolant, mode) => {
                format!("{}.x", text.import("interp::interpolate", "setup_depth"))
            }
            (InterpolantSource::WindowPosition(3), _) if is_constant(interpolant, mode) => {
                format!("{}.x", text.import("interp::interpolate", "setup_perspective"))
            }
            (InterpolantSource::WindowPosition(2), _) => format!("{}()", text.import(PLANES, "depth_plane")),
            (InterpolantSource::WindowPosition(3), _) => format!("{}()", text.import(PLANES, "reciprocal_plane")),
            (InterpolantSource::Output { .. }, InterpolantMode::Perspective) => {
                self.emit_output(text, interpolant, "perspective_plane")
            }
            (InterpolantSource::Output { .. }, InterpolantMode::FlatPerspective) => {
                self.emit_output(text, interpolant, "flat_perspective_plane")
            }
            (InterpolantSource::Output { .. }, _) => self.emit_output(text, interpolant, "linear_plane"),
            (InterpolantSource::PrimitiveNumber, _) => {
                format!("{}.w", text.import("interp::interpolate", "quad_vertices"))
            }
            (InterpolantSource::WindowPosition(_), _) => return,
        };
        text.line(format!("let setup_{name} = {setup};"));
        let is_plane = !is_constant(interpolant, mode);
        if self.program.is_fast() && is_plane {
            text.import(PLANES, "check_plane_setup");
            text.line(format!("check_plane_setup(setup_{name});"));
        }
    }

    /// Names the values of an interpolant at the four pixels.
    fn emit_interpolant(&self, text: &mut Text, (mode, word): (InterpolationMode, u32)) {
        let name = interpolant_name((mode, word));
        let Some(interpolant) = self.interpolant(word) else {
            text.line(format!("let {name} = vec4u(0u);"));
            return;
        };
        let (is_flat, is_constant) = (mode == InterpolationMode::Flat, is_constant(interpolant, mode));
        let Interpolant { source, mode: change, sprite, .. } = interpolant;
        let plane = match source {
            _ if is_constant => format!("vec4u(setup_{name}, 0u, 0u, 0u)"),
            InterpolantSource::WindowPosition(0) => format!("{}()", text.import(PLANES, "column_plane")),
            InterpolantSource::WindowPosition(1) => format!("{}()", text.import(PLANES, "row_plane")),
            _ => format!("{}(setup_{name})", text.import(PLANES, "plane_at_quad")),
        };
        let plane = match sprite {
            Some(sprite) => {
                let sprite = emit_sprite(text, *sprite, *change);
                format!("{}({plane}, {sprite})", text.import(PLANES, "plane_or_sprite"))
            }
            None => plane,
        };
        let value = match is_flat {
            true => format!("vec4u({plane}.x)"),
            false if mode == InterpolationMode::Centroid && self.key.sample.is_some() => {
                let places = self.sample_places();
                format!("{}({plane}, {places})", text.import(PLANES, "plane_at_places"))
            }
            false if sprite.is_some() || is_constant => {
                format!("{}({plane})", text.import(PLANES, "exact_plane_at_centers"))
            }
            false => format!("{}({plane})", text.import(PLANES, "plane_at_centers")),
        };
        text.line(format!("let {name} = {value};"));
    }

    /// Columns and rows of the sample in the pixels of a quad, as bits of floats.
    fn sample_places(&self) -> String {
        let samples = self.key.quads.samples.samples();
        let sample = self.key.sample.and_then(|sample| samples.get(usize::from(sample)));
        let places = sample.map_or([0; 2], |sample| sample.offset).map(|offset| {
            let [first, second] = [8, 24].map(|center| ((center + offset) as f32 / 16.0).to_bits());
            format!("vec2u({first:#x}u, {second:#x}u)")
        });
        places.join(", ")
    }

    /// A function of the slot and component of an output, and of whether it is clamped.
    fn emit_output(&self, text: &mut Text, interpolant: &Interpolant, function: &'static str) -> String {
        let InterpolantSource::Output { front, back } = interpolant.source else { return "0u".to_owned() };
        text.import(PLANES, function);
        let shown = |text: &mut Text, front: u8, back: u8| match front == back {
            true => format!("{front}u"),
            false => format!("{}({front}u, {back}u)", text.import(PLANES, "shown_output")),
        };
        let back = back.unwrap_or(front);
        let (slot, component) = (shown(text, front.slot, back.slot), shown(text, front.component, back.component));
        format!("{function}({slot}, {component}, {})", interpolant.is_clamped)
    }

    /// Runs a step in all four threads.
    fn emit_step(&self, text: &mut Text, step: &ThreadStep) {
        if let ThreadStep::Texture { fetch, places, .. } = step {
            self.emit_fetch(text, fetch, places);
        }
        for thread in 0..4_usize {
            let call = match step {
                ThreadStep::Own { function, interpolants } => {
                    let letter = ["x", "y", "z", "w"][thread];
                    let values: String =
                        interpolants.iter().map(|own| format!(", {}.{letter}", interpolant_name(*own))).collect();
                    format!("{function}(thread{thread}{values})")
                }
                ThreadStep::Texture { function, .. } => {
                    let letter = COMPONENTS[thread];
                    let texel = COMPONENTS.map(|part| format!("fetched.{part}.{letter}")).join(", ");
                    format!("{function}(thread{thread}, vec4u({texel}))")
                }
                ThreadStep::Quad { function, lane, word } => {
                    let other = match lane {
                        QuadLane::Number(number) => usize::from(number & 3),
                        QuadLane::NeighborX => thread ^ 1,
                        QuadLane::NeighborY => thread ^ 2,
                    };
                    let word = if word == "0u" { word.clone() } else { format!("thread{other}.{word}") };
                    format!("{function}(thread{thread}, {word}, {thread}u)")
                }
            };
            text.line(format!("let after{thread} = {call};"));
        }
        for thread in 0..4 {
            text.line(format!("thread{thread} = after{thread};"));
        }
    }
}

/// Whether an interpolant is the same for all quads of a primitive, if no sprite replaces it.
fn is_constant(interpolant: &Interpolant, mode: InterpolationMode) -> bool {
    let is_flat = mode == InterpolationMode::Flat;
    match interpolant.source {
        InterpolantSource::Facing | InterpolantSource::PrimitiveNumber => true,
        InterpolantSource::Output { .. } => is_flat || interpolant.mode == InterpolantMode::Flat,
        InterpolantSource::WindowPosition(axis) => axis >= 2 && is_flat,
    }
}

/// The equation of what replaces an interpolant on a point, divided by w for perspective.
fn emit_sprite(text: &mut Text, sprite: SpriteValue, mode: InterpolantMode) -> String {
    let function = match sprite {
        SpriteValue::S => "sprite_s",
        SpriteValue::T(WindowOrigin::UpperLeft) => "sprite_t",
        SpriteValue::T(WindowOrigin::LowerLeft) => "sprite_t_upward",
        SpriteValue::Zero | SpriteValue::One => "",
    };
    let sprite = match sprite {
        SpriteValue::Zero => "vec4u(0u)".to_owned(),
        SpriteValue::One => "vec4u(0x3f800000u, 0u, 0u, 0u)".to_owned(),
        _ => format!("{}()", text.import(PLANES, function)),
    };
    match mode {
        InterpolantMode::Perspective | InterpolantMode::FlatPerspective => {
            format!("{}({sprite})", text.import(PLANES, "sprite_by_w"))
        }
        InterpolantMode::Linear | InterpolantMode::Flat => sprite,
    }
}

impl QuadProgram for SimtQuads<'_> {
    fn inputs(&self) -> Vec<QuadInput> {
        Vec::new()
    }

    fn targets(&self) -> u8 {
        self.key.targets
    }

    fn exports_depth(&self) -> bool {
        self.key.results.depth.is_some()
    }

    fn discards(&self) -> bool {
        self.key.program.discards() || self.key.results.sample_mask.is_some()
    }

    fn is_uniform(&self) -> bool {
        self.program.is_uniform() && !self.discards()
    }

    fn take_fast_path(&mut self, _constant_fraction_bits: u8) -> bool {
        let is_plane = |interpolant: &Interpolant| {
            interpolant.sprite.is_none()
                && match interpolant.source {
                    InterpolantSource::Output { .. } => interpolant.mode != InterpolantMode::Flat,
                    InterpolantSource::WindowPosition(_) => true,
                    InterpolantSource::Facing | InterpolantSource::PrimitiveNumber => false,
                }
        };
        let planes = self.key.interpolants.iter().filter(|(_, interpolant)| is_plane(interpolant));
        let program = ThreadProgram::fast(&self.key.program, planes.map(|(word, _)| *word).collect());
        if let Some(program) = program {
            self.program = program;
        }
        self.program.is_fast()
    }

    fn declare(
        &mut self,
        text: &mut Text,
        texture_units: TextureUnits<'_>,
        (constants, first): (&str, u32),
    ) -> Result<(), EngineError> {
        if !self.key.units.is_empty() {
            text.import("fragment::quad", "QuadVector");
        }
        for (unit, _) in (0..).zip(&self.key.units) {
            text.line("");
            for line in texture_units(unit)?.lines() {
                text.line(line);
            }
        }
        self.program.declare(text, constants, first);
        Ok(())
    }

    fn load_constants(&mut self, text: &mut Text, constants: &str, first: u32) {
        for (number, _) in (0..).zip(&self.key.units) {
            text.line(unit::prologue(number));
        }
        self.program.emit_constant_loads(text, constants, first);
    }

    fn enter_primitive(&mut self, text: &mut Text) {
        if self.program.interpolants().next().is_some() {
            text.import(PLANES, "enter_primitive_planes");
            text.line("enter_primitive_planes();");
        }
        if self.program.is_fast() {
            text.import(FAST, "begin_primitive_floats");
            text.line("begin_primitive_floats();");
        }
        for interpolant in self.program.interpolants() {
            self.emit_setup(text, interpolant);
        }
    }

    fn work_words(&self) -> Vec<String> {
        let Some(counts) = self.key.counts.filter(|_| self.key.flow_counts() != 0) else { return Vec::new() };
        let fetched = counts.numbers().flat_map(|unit| {
            let words = counts.words[usize::from(unit)];
            [0, 1, 2, 3].map(|word| match words >> word & 1 {
                0 => "0u".to_owned(),
                _ => format!("taken{unit}.{}", COMPONENTS[word]),
            })
        });
        std::iter::repeat_n("0u".to_owned(), BRANCH_WORDS).chain(fetched).collect()
    }

    fn shade(&mut self, text: &mut Text) -> Result<(), EngineError> {
        for unit in self.key.counts.into_iter().flat_map(CountedFetches::numbers) {
            text.line(format!("var taken{unit} = vec4u(0u);"));
        }
        let is_fast = self.program.is_fast();
        if is_fast {
            text.import_all(&[(FAST, "begin_floats"), (FAST, "floats_are_exact")]);
            if self.is_uniform() {
                text.import(FAST, "begin_primitive_floats");
                text.line("begin_primitive_floats();");
            }
            text.line("begin_floats();");
        }
        if self.program.interpolants().next().is_some() {
            text.import(PLANES, "enter_quad_planes");
            text.line("enter_quad_planes();");
        }
        for interpolant in self.program.interpolants() {
            self.emit_interpolant(text, interpolant);
        }
        self.program.emit_threads(text, 4, &|text, step| self.emit_step(text, step));
        if self.key.program.discards() {
            text.line("coverage &= vec4<bool>(thread0.is_kept, thread1.is_kept, thread2.is_kept, thread3.is_kept);");
        }
        if let (Some(register), Some(sample)) = (self.key.results.sample_mask, self.key.sample) {
            let mask = self.program.register(register);
            text.line(format!("coverage &= ({mask} & vec4u({:#x}u)) != vec4u(0u);", 1 << sample));
        }
        if is_fast {
            let colors = self.key.results.colors.iter().flatten().flat_map(|first| *first..*first + 4);
            let results: Vec<u8> = colors.chain(self.key.results.depth).collect();
            self.program.emit_finite(text, &results);
            text.line("let no_value_underflowed = floats_are_exact();");
        }
        Ok(())
    }

    fn exported_depth(&mut self, text: &mut Text) -> String {
        let value = self.program.register(self.key.results.depth.unwrap_or_default());
        format!("{}({value})", text.import("arith::fragment", "fp_saturate"))
    }

    fn color(&mut self, text: &mut Text, target: u8) -> ShadedColor {
        let first = self.key.results.colors[usize::from(target)];
        let mut values = [0, 1, 2, 3].map(|channel| match first {
            Some(first) => {
                let value = self.program.register(first + channel);
                text.bind("color", &value)
            }
            None => "vec4u(0u)".to_owned(),
        });
        if self.key.quads.has_alpha_coverage {
            let function = text.import("arith::fragment", "fp_mul");
            let product = format!("{function}({}, alpha_coverage)", values[3]);
            let is_whole = "alpha_coverage == vec4u(0x3f800000u)";
            values[3] = text.bind("color", &format!("select({product}, {}, {is_whole})", values[3]));
        }
        ShadedColor { values, ranges: [ValueRange::ANY; 4] }
    }
}
