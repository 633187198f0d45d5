//! Implements [`Driver`] by methods of the 3D class.

use super::draw::{self, DrawPrograms};
use super::methods::{COPY, Methods, THREE_D};
use super::{constants, resolve, state_registers, target, textures};
use crate::capture::Buffer;
use crate::command::builder::{BuildError, StreamBuilder, address, handles};
use crate::command::methods::tesla::memory_copy;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::format::VertexFormat;
use crate::pipeline::SampleMode;
use crate::scene::attribute::PlacedAttribute;
use crate::scene::constants::Finder;
use crate::scene::driver::{Driver, PlacedDraw, Resources};
use crate::scene::error::SceneError;
use crate::scene::expression::{Scope, Value};
use crate::scene::loaded_program::SimtCode;
use crate::scene::plan::{DrawPlan, PassPlan, StreamPlan};
use crate::scene::schema::{Clear, Surface};
use crate::scene::state::State;
use crate::scene::store::{Store, Stored, StoredMesh};
use crate::scene::target::PlacedTarget;
use crate::scene::text::{ImageFilter, Primitive};
use crate::scene::texture::PlacedTexture;
use crate::shader::simt::ProgramKind;

/// Programs begin at multiples of this many bytes, and as many bytes follow the last one, because the chip reads ahead.
const PROGRAM_ALIGNMENT: usize = 256;

/// The bytes of a constant buffer.
const CONSTANT_BYTES: u32 = 1 << 16;

/// The stages with programs: the registers of the address and of the entry, the number in `SET_PROGRAM_CB`. The constant
/// buffer of a stage has the number of its row.
const STAGES: [(ProgramKind, [u16; 3], u32); 3] = [
    (ProgramKind::Vertex, [early::VP_ADDRESS_HIGH, early::VP_ADDRESS_LOW, late::VP_START_ID], 0),
    (ProgramKind::Geometry, [early::GP_ADDRESS_HIGH, early::GP_ADDRESS_LOW, late::GP_START_ID], 2),
    (ProgramKind::Fragment, [early::FP_ADDRESS_HIGH, early::FP_ADDRESS_LOW, late::FP_START_ID], 3),
];

/// The most words of indices in a frame.
const MAX_LISTED: u64 = 1 << 21;

/// The bytes of a report.
const REPORT_BYTES: u32 = 16;

/// `QUERY_GET` of the samples that passed, as a number and its count.
const PASSED_SAMPLES: u32 = 0x0100_f002;

/// Values of `COND_MODE`: draws always, and if the report is not zero.
const ALWAYS: u32 = 1;
const IF_NOT_ZERO: u32 = 2;

/// The most bytes of a line of a memory copy.
const COPY_LINE: u32 = 1 << 17;

/// The words of c0[] of a stage.
type ConstantRuns = Vec<(u32, Vec<u32>)>;

/// The programs and the texture that average the samples of a target.
#[derive(Debug)]
struct Resolve {
    /// The address of the samples.
    source: u32,
    programs: [SimtCode; 2],
    addresses: [u32; 2],
    /// The number of the texture's entry.
    entry: u32,
}

/// The writer of the 3D class's methods, with what the chip needs in memory.
#[derive(Debug)]
pub(in crate::scene) struct TeslaDriver {
    methods: Methods,
    /// The addresses of programs, in the order of the scene.
    code: Vec<u32>,
    /// What the constant buffers of the stages hold.
    constants: [Option<ConstantRuns>; STAGES.len()],
    resolves: Vec<Resolve>,
    /// The triangle that covers a target.
    cover: StoredMesh,
    reports: Buffer,
    /// The words of indices in the frame so far.
    listed: u64,
}

impl TeslaDriver {
    /// Stores what all frames share, and begins with the state that a driver sets up once.
    pub(in crate::scene) fn new(
        store: &mut Store<'_>,
        targets: &[PlacedTarget],
        textures: &[(PlacedTexture, Option<Stored>)],
    ) -> Result<Self, SceneError> {
        let plan = store.plan;
        let name = plan.scene.targets.0.first().map(|(name, _)| name.clone()).unwrap_or_default();
        let mut entries = Vec::new();
        for ((name, texture), (placed, _)) in plan.scene.textures.iter().zip(textures) {
            let own = textures::entries(texture, placed);
            entries.push(own.map_err(|why| plan.source.at(name, format!("texture `{name}` is impossible"), why))?);
        }
        let mut code = CodeMemory::default();
        let offsets: Vec<_> = plan.programs.iter().map(|program| code.add(program.words())).collect();
        let mut resolves = Vec::new();
        for pass in &plan.passes {
            let PassPlan::Resolve { from, name, .. } = pass else { continue };
            let fail = |why| plan.source.at(name, "this copy is impossible", why);
            let source = targets[*from].texture(Surface::Color(0));
            let source = source.ok_or_else(|| fail("programs cannot read the texels of this color".to_owned()))?;
            let programs = resolve::programs(targets[*from].samples).map_err(fail)?;
            let addresses = [&programs[0], &programs[1]].map(|program| code.add(&program.words));
            let entry = u32::try_from(entries.len()).unwrap_or(0);
            entries.push(textures::texel_entries(&source).map_err(fail)?);
            resolves.push(Resolve { source: source.offset, programs, addresses, entry });
        }
        let start = address(&store.filled(&name, &code.finish())?);
        let code = offsets.iter().map(|offset| start + offset).collect();
        resolves.iter_mut().flat_map(|resolve| &mut resolve.addresses).for_each(|offset| *offset += start);
        let all = entries.iter().map(|[texture, _]| texture).chain(entries.iter().map(|[_, sampler]| sampler));
        let bytes: Vec<u8> = all.flatten().flat_map(|word| word.to_le_bytes()).collect();
        let descriptors = store.filled(&name, &bytes)?;
        let constants = store.buffer(&name, u64::from(CONSTANT_BYTES) * STAGES.len() as u64)?;
        let reports = store.buffer(&name, u64::from(REPORT_BYTES) * plan.reports as u64)?;
        let corners: Vec<u8> = resolve::CORNERS.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect();
        let cover = cover(store.filled(&name, &corners)?);
        let class = plan.chip.three_d_class();
        let mut methods = Methods { limits_bytes: plan.chip.limits_streams_in_bytes(), ..Methods::default() };
        first_state(&mut methods, class, &constants);
        textures::describe(&mut methods, address(&descriptors), u32::try_from(entries.len()).unwrap_or(0));
        Ok(Self { methods, code, constants: Default::default(), resolves, cover, reports, listed: 0 })
    }

    /// Selects the program of a stage.
    fn select(&mut self, stage: usize, address: u32) {
        let [high, low, start] = STAGES[stage].1;
        self.methods.set_address(high, low, address);
        self.methods.set(start, 0u32);
    }

    /// Selects a program of the scene, and fills its constants.
    fn program(&mut self, stage: usize, index: usize, finder: &Finder<'_>) -> Result<(), SceneError> {
        self.select(stage, self.code[index]);
        let runs = constants::runs(finder.plan.simt_code(index), finder)?;
        if self.constants[stage].as_ref() != Some(&runs) {
            constants::upload(&mut self.methods, u32::try_from(stage).unwrap_or(0), &runs);
            self.constants[stage] = Some(runs);
        }
        Ok(())
    }

    /// Binds the textures of a draw.
    fn textures(&mut self, draw: &DrawPlan, programs: DrawPrograms<'_>) -> Result<(), String> {
        let DrawPrograms { vertex, geometry, fragment } = programs;
        let stages = [
            (0, Some(vertex), &draw.vertex_textures),
            (1, geometry, &draw.vertex_textures),
            (2, Some(fragment), &draw.textures),
        ];
        for (stage, program, bound) in stages {
            let Some(program) = program else { continue };
            for (texture, sampler) in &program.uses.textures {
                let is_bound = |unit: &u8| bound.iter().any(|(own, _)| *own == u16::from(*unit));
                if let Some(unit) = [texture, sampler].into_iter().find(|unit| !is_bound(unit)) {
                    return Err(format!("a program reads texture unit {unit}, which has no texture"));
                }
            }
            for (unit, index) in bound {
                textures::bind(&mut self.methods, stage, u32::from(*unit), u32::try_from(*index).unwrap_or(0));
            }
        }
        Ok(())
    }

    /// The address of a report.
    fn report(&self, number: u32) -> u32 {
        address(&self.reports) + number * REPORT_BYTES
    }

    /// Begins to count samples, and restricts drawing to a condition.
    fn begin_reports(&mut self, draw: &DrawPlan) {
        if let Some(report) = draw.only_if {
            let address = self.report(report);
            self.methods.set_address(late::COND_ADDRESS_HIGH, late::COND_ADDRESS_LOW, address);
            self.methods.act(late::COND_MODE, IF_NOT_ZERO);
        }
        if draw.count.is_some() {
            self.methods.act(late::COUNTER_RESET, 1);
            self.methods.set(late::SAMPLECNT_ENABLE, 1u32);
        }
    }

    /// Ends both.
    fn end_reports(&mut self, draw: &DrawPlan) {
        if let Some(report) = draw.count {
            let address = self.report(report);
            self.methods.set_address(late::QUERY_ADDRESS_HIGH, late::QUERY_ADDRESS_LOW, address);
            self.methods.set(late::QUERY_SEQUENCE, 0u32);
            self.methods.act(late::QUERY_GET, PASSED_SAMPLES);
            self.methods.set(late::SAMPLECNT_ENABLE, 0u32);
        }
        if draw.only_if.is_some() {
            self.methods.act(late::COND_MODE, ALWAYS);
        }
    }
}

impl Driver for TeslaDriver {
    fn begin_pass(&mut self, target: &PlacedTarget) {
        target::bind(target, &mut self.methods);
        textures::flush(&mut self.methods);
    }

    fn clear(&mut self, target: &PlacedTarget, clear: &Clear) -> Result<(), String> {
        target::clear(target, clear, &mut self.methods);
        Ok(())
    }

    fn draw(&mut self, resources: &Resources<'_>, placed: PlacedDraw<'_>, scope: &Scope<'_>) -> Result<(), SceneError> {
        let (plan, draw) = (resources.plan, placed.draw);
        let fail = |why| plan.source.at(&draw.name, "this draw is impossible", why);
        let programs = DrawPrograms {
            vertex: plan.simt_code(draw.vertex),
            geometry: draw.geometry.map(|index| plan.simt_code(index)),
            fragment: plan.simt_code(draw.fragment),
        };
        state_registers::write(&draw.state, placed.target, &mut self.methods).map_err(fail)?;
        draw::connect(programs, &draw.state, placed.target, &mut self.methods).map_err(fail)?;
        draw::arrays(placed.mesh, placed.instances, &mut self.methods).map_err(fail)?;
        self.textures(draw, programs).map_err(fail)?;
        let instances = placed.instances.map_or(1, |instances| instances.count);
        self.listed += draw::listed(placed.mesh) * u64::from(instances) * u64::from(draw.repeat);
        if self.listed > MAX_LISTED {
            return Err(fail(format!("the indices of a frame are words of the stream, at most {MAX_LISTED}")));
        }
        self.begin_reports(draw);
        let mut inner = scope.with(&draw.values);
        for number in 0..draw.repeat {
            inner.set("index", Value::from(f64::from(number)));
            let stages = [Some(draw.vertex), draw.geometry, Some(draw.fragment)];
            for (stage, index) in stages.into_iter().enumerate() {
                let Some(index) = index else { continue };
                let program = &plan.scene.programs.0[index].0;
                let finder = Finder { plan, name: &draw.name, constants: &draw.constants, scope: &inner, program };
                self.program(stage, index, &finder)?;
            }
            draw::elements(placed.mesh, instances, &mut self.methods);
        }
        self.end_reports(draw);
        Ok(())
    }

    fn stream(&mut self, resources: &Resources<'_>, stream: &StreamPlan, scope: &Scope<'_>) -> Result<(), SceneError> {
        let (plan, name) = (resources.plan, &stream.name);
        let program = &plan.scene.programs.0[stream.vertex].0;
        let finder = Finder { plan, name, constants: &stream.constants, scope, program };
        self.program(0, stream.vertex, &finder)?;
        let vertex = plan.simt_code(stream.vertex);
        draw::stream(vertex, &resources.meshes[stream.mesh], &mut self.methods)
            .map_err(|why| plan.source.at(name, "these vertices cannot be replaced", why))
    }

    fn resolve(&mut self, [from, to]: [&PlacedTarget; 2], filter: ImageFilter) -> Result<(), String> {
        if (from.width, from.height) != (to.width, to.height) || to.samples != SampleMode::One {
            return Err(
                "a resolve averages the samples of each pixel: both targets need the same size, the second one \
                        sample; draw a Screen with the texture to scale it"
                    .to_owned(),
            );
        }
        if filter.name() != "BILINEAR" {
            return Err(format!("filter: the GeForce 8 averages samples by a program, without {}", filter.name()));
        }
        let found = self.resolves.iter().position(|resolve| from.colors.first() == Some(&resolve.source));
        let number = found.ok_or("both targets need a color")?;
        target::bind(to, &mut self.methods);
        textures::flush(&mut self.methods);
        state_registers::write(&State::default(), to, &mut self.methods)?;
        let Resolve { programs: [vertex, fragment], addresses, entry, .. } = &self.resolves[number];
        let (addresses, entry) = (*addresses, *entry);
        let programs = DrawPrograms { vertex, geometry: None, fragment };
        draw::connect(programs, &State::default(), to, &mut self.methods)?;
        self.select(0, addresses[0]);
        self.select(2, addresses[1]);
        textures::bind(&mut self.methods, 2, 0, entry);
        draw::arrays(&self.cover, None, &mut self.methods)?;
        draw::elements(&self.cover, 1, &mut self.methods);
        Ok(())
    }

    fn copy(&mut self, [from, to]: [(&PlacedTarget, Surface); 2]) -> Result<(), String> {
        let (Some((source, source_bytes)), Some((destination, bytes))) = (from.0.surface(from.1), to.0.surface(to.1))
        else {
            return Err("a target has no such surface".to_owned());
        };
        let same = [(from.0, source_bytes), (to.0, bytes)].map(|(own, bytes)| (own.texels(), own.layout, bytes));
        if same[0] != same[1] {
            return Err("both surfaces need the same size, layout and bytes per pixel".to_owned());
        }
        let all = u32::try_from(to.0.surface_bytes(bytes)).unwrap_or(0);
        for first in (0..all).step_by(COPY_LINE as usize) {
            let line = (all - first).min(COPY_LINE);
            for (method, value) in [
                (memory_copy::LAYOUT_IN, 1),
                (memory_copy::LAYOUT_OUT, 1),
                (memory_copy::OFFSET_IN_HIGH, 0),
                (memory_copy::OFFSET_OUT_HIGH, 0),
                (memory_copy::OFFSET_IN, source + first),
                (memory_copy::OFFSET_OUT, destination + first),
                (memory_copy::PITCH_IN, line),
                (memory_copy::PITCH_OUT, line),
                (memory_copy::LINE_LENGTH_IN, line),
                (memory_copy::LINE_COUNT, 1),
                (memory_copy::FORMAT, 0x101),
                (memory_copy::BUF_NOTIFY, 0),
            ] {
                self.methods.writer.upload(COPY, method, &[value]);
            }
        }
        Ok(())
    }

    fn show(&mut self, target: &PlacedTarget) {
        target::bind(target, &mut self.methods);
    }

    fn take(&mut self) -> Result<StreamBuilder, BuildError> {
        self.methods.take()
    }

    fn memory(&mut self) -> Vec<(Buffer, Vec<u8>)> {
        self.listed = 0;
        Vec::new()
    }
}

/// The code of programs, one after the other.
#[derive(Debug, Default)]
struct CodeMemory(Vec<u8>);

impl CodeMemory {
    /// Adds a program; returns its offset.
    fn add(&mut self, words: &[u32]) -> u32 {
        let offset = self.0.len();
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.0.resize(self.0.len().next_multiple_of(PROGRAM_ALIGNMENT), 0);
        u32::try_from(offset).unwrap_or(0)
    }

    /// The bytes.
    fn finish(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + PROGRAM_ALIGNMENT, 0);
        self.0
    }
}

/// The mesh of a triangle that covers a target.
fn cover(buffer: Buffer) -> StoredMesh {
    StoredMesh {
        vertices: Stored { buffer, is_dynamic: false },
        next: None,
        attributes: vec![PlacedAttribute { slot: 0, format: VertexFormat::F32, size: 2, offset: 0 }],
        stride: 8,
        vertex_count: 3,
        primitive: Primitive::named("TRIANGLES").0,
        indices: None,
        index_values: Vec::new(),
    }
}

/// The state that a driver sets up once. The values are those of Mesa's `nv50_screen.c`.
fn first_state(methods: &mut Methods, class: u32, constants: &Buffer) {
    methods.writer.bind(COPY, 0x5039, handles::object(0x5039));
    for method in [memory_copy::DMA_BUFFER_IN, memory_copy::DMA_BUFFER_OUT] {
        methods.writer.set_value(COPY, method, handles::VRAM);
    }
    methods.writer.bind(THREE_D, class, handles::object(0x5097));
    methods.set(early::DMA_NOTIFY, handles::NOTIFIER);
    // Every object covers the whole virtual memory.
    for method in (early::DMA_ZETA..=early::DMA_CLIPID).step_by(4) {
        methods.set(method, handles::VRAM);
    }
    for color in 0..8 {
        methods.set_element(early::DMA_COLOR, 4, color, handles::VRAM);
    }
    let registers: [(u16, u32); 22] = [
        (late::COND_MODE, 1),
        (late::REG_MODE, 2),
        (late::UNK1400_LANES, 0xf),
        (early::WATCHDOG_TIMER, 0x18),
        (late::CSAA_ENABLE, 0),
        (early::PRIM_RESTART_WITH_DRAW_ARRAYS, 1),
        (early::SCREEN_Y_CONTROL, 0),
        (early::WINDOW_OFFSET_X, 0),
        (early::WINDOW_OFFSET_Y, 0),
        (late::ZCULL_REGION, 0x3f),
        (early::LINKED_TSC, 0),
        (late::VIEWPORT_TRANSFORM_EN, 1),
        (late::CLEAR_FLAGS, 0x10),
        (early::SCISSOR_ENABLE, 1),
        (late::RASTERIZE_ENABLE, 1),
        (late::POINT_RASTER_RULES, 0),
        (early::FRAG_COLOR_CLAMP_EN, 0),
        (late::EDGEFLAG, 1),
        (late::VB_ELEMENT_BASE, 0),
        (early::DEPTH_CLIP_NEGATIVE_Z, 0),
        (late::PIXEL_CENTER_INTEGER, 0),
        (late::VERTEX_TWO_SIDE_ENABLE, 0),
    ];
    for (method, value) in registers {
        methods.set(method, value);
    }
    // No slot is a color of the fixed pipeline, a layer or a number. Distances clip.
    for (method, value) in [
        (late::SEMANTIC_COLOR, 0x0000_0404_u32),
        (late::SEMANTIC_LAYER, 0),
        (late::SEMANTIC_PRIM_ID, 0xff),
        (early::SEMANTIC_VIEWPORT, 0),
        (late::GP_VIEWPORT_ID_ENABLE, 0),
        (late::LAYER, 0),
        (late::CLIP_DISTANCE_MODE, 0),
    ] {
        methods.set(method, value);
    }
    for attribute in 0..16u16 {
        for (component, value) in (0u16..).zip([0.0, 0.0, 0.0, 1.0]) {
            methods.set_float(early::VTX_ATTR_4F_X + 16 * attribute + 4 * component, value);
        }
    }
    for (buffer, (_, _, program)) in (0u32..).zip(STAGES) {
        methods.act(early::CB_DEF_ADDRESS_HIGH, 0);
        methods.act(early::CB_DEF_ADDRESS_LOW, address(constants) + buffer * CONSTANT_BYTES);
        // A size of 0 stands for 64 KiB.
        methods.act(early::CB_DEF_SET, buffer << 16);
        methods.act(late::SET_PROGRAM_CB, buffer << 12 | program << 4 | 1);
    }
    methods.act(late::CODE_CB_FLUSH, 0);
}
