//! Draws whose programs are SIMT programs of the Tesla processor: pixels by calculation, on both engines.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::common;
use crate::common::merging::REPLACE;
use crate::common::nightly::cases;
use crate::common::random::Random;
use crate::engines::geometry::scene::plain_draw;
use curie::asm::tesla::read_module;
use curie::format::{ColorFormat, TextureFormat, ZetaFormat};
use curie::gpu::{AdapterChoice, Gpu, StageClock};
use curie::isa::tesla::module::TeslaModule;
use curie::kernels::{DrawPath, KernelOptions, KernelPath, Kernels};
use curie::launch::find_kernel;
use curie::memory::block_linear::BlockLinear;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    AttributeWord, Blend, BlendFactor, ColorTarget, Compare, DepthTest, Dimensions, Draw, Elements, Engine,
    EngineError, FragmentStage, GpuCommand, Interpolant, InterpolantMode, InterpolantSource, MAX_COLOR_TARGETS,
    MipFilter, MultisampleCoverage, OutputComponent, OutputWord, PrimitiveType, Rect, ResultRegisters, Sample,
    SampleMode, Sampler, ShadedSamples, SimtFragmentStage, SimtStage, SimtVertexStage, SurfaceLayout, Targets,
    TextureLayout, TextureState, TextureView, VertexOutputs, VertexStage, ZetaTarget,
};
use curie::reference::Reference;
use curie::shader::simt::SimtProgram;

/// Pixels along a side of the targets.
pub(super) const SIDE: u32 = 64;
pub(super) const MEMORY_BYTES: u32 = 1 << 20;
/// Bytes from a target to the next one.
pub(super) const TARGET: u32 = 1 << 16;
/// The target in whose place texels begin.
pub(super) const TEXELS: u32 = 8;

/// Copies eight words of attributes to the outputs.
pub(super) const COPY: &str =
    ".kind vertex\n    mov b32 o[0x0] a[0x0]\n    mov b32 o[0x4] a[0x4]\n    mov b32 o[0x8] a[0x8]
    mov b32 o[0xc] a[0xc]\n    mov b32 o[0x10] a[0x10]\n    mov b32 o[0x14] a[0x14]\n    mov b32 o[0x18] a[0x18]
    exit mov b32 o[0x1c] a[0x1c]\n";

/// Copies this many words of attributes to the outputs.
pub(super) fn copy_words(count: u32) -> String {
    let copies: String = (0..count).map(|word| format!("    mov b32 o[{0:#x}] a[{0:#x}]\n", 4 * word)).collect();
    format!(".kind vertex\n{copies}    exit nop\n")
}

/// The color of the vertices, with perspective; `v[]` begins with 1/w.
pub(super) const COLOR: &str = ".kind fragment\n    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n    interp $r0 v[0x4] $r4
    interp $r1 v[0x8] $r4\n    interp $r2 v[0xc] $r4\n    interp $r3 v[0x10] $r4\n    exit nop\n";

/// The program of a text without its first line, with words of constant space 0.
pub(super) fn stage(text: &str, constants: &[f32]) -> SimtStage {
    let module = read_module("program", format!("!!Tesla1.0\n.kernel program\n{text}").as_bytes()).unwrap().unwrap();
    stage_of(&module, None, constants)
}

/// A program of a module, with words of constant space 0.
pub(super) fn stage_of(module: &TeslaModule, entry: Option<&str>, constants: &[f32]) -> SimtStage {
    let kernel = find_kernel(module, entry).unwrap();
    let constants: Vec<u8> = constants.iter().flat_map(|value| value.to_le_bytes()).collect();
    SimtStage {
        program: Arc::new(SimtProgram::decode_kind(&kernel.code, kernel.kind)),
        generation: module.generation,
        registers: kernel.registers.into(),
        local_bytes: kernel.local_bytes,
        constants: Arc::new(BTreeMap::from([(0, constants)])),
    }
}

pub(super) fn output(slot: u8, component: u8) -> InterpolantSource {
    InterpolantSource::Output { front: OutputComponent { slot, component }, back: None }
}

/// 1/w, then a color of this mode.
pub(super) fn interpolants(mode: InterpolantMode) -> BTreeMap<u8, Interpolant> {
    let color = (0..4).map(|component| (1 + component, Interpolant::new(output(1, component), mode)));
    let reciprocal = Interpolant::new(InterpolantSource::WindowPosition(3), InterpolantMode::Linear);
    std::iter::once((0, reciprocal)).chain(color).collect()
}

/// A draw of triangles with window positions, w, and colors.
pub(super) fn draw(vertices: &[([f32; 4], [f32; 4])], fragment: &str) -> Draw {
    let immediate = vertices.iter().map(|([x, y, z, w], color)| {
        let mut attributes = [[0; 4]; 16];
        attributes[2] = [x * w, y * w, z * w, *w].map(f32::to_bits);
        attributes[5] = color.map(f32::to_bits);
        attributes
    });
    let words = [2, 5]
        .into_iter()
        .flat_map(|attribute| (0..4).map(move |component| AttributeWord::Component { attribute, component }));
    Draw {
        primitive: PrimitiveType::Triangles,
        elements: Elements::Immediate(immediate.collect()),
        vertex: VertexStage::Simt(SimtVertexStage {
            stage: stage(COPY, &[]),
            attributes: words.collect(),
            outputs: OutputWord::in_place(8),
            textures: Vec::new(),
        }),
        outputs: VertexOutputs::default(),
        fragment: FragmentStage::Simt(SimtFragmentStage {
            stage: stage(fragment, &[8.0, 0.25]),
            interpolants: interpolants(InterpolantMode::Perspective),
            units: Vec::new(),
            results: ResultRegisters { colors: registers(&[0]), ..ResultRegisters::default() },
            samples: ShadedSamples::default(),
        }),
        targets: Targets {
            color: std::array::from_fn(|number| (number == 0).then_some(linear(0))),
            zeta: None,
            samples: SampleMode::One,
            rect: Rect { x: 0, y: 0, width: SIDE, height: SIDE },
        },
        ..plain_draw()
    }
}

/// The first registers of the colors of targets.
fn registers(first: &[u8]) -> [Option<u8>; MAX_COLOR_TARGETS] {
    std::array::from_fn(|target| first.get(target).copied())
}

pub(super) fn window(target: u32) -> MemoryWindow {
    MemoryWindow { space: MemorySpace::Vram, start: target * TARGET, bytes: TARGET }
}

pub(super) fn linear(target: u32) -> ColorTarget {
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    ColorTarget { window: window(target), layout, format: ColorFormat::A8R8G8B8 }
}

pub(super) fn block_linear() -> SurfaceLayout {
    SurfaceLayout::BlockLinear { blocks: BlockLinear { size: [SIDE * 4, SIDE, 1], log2_block: [0, 2, 0] }, slice: 0 }
}

/// Executes draws on an engine, over memory with the texels of [`texture`]; returns the memory.
pub(super) fn execute(engine: &mut dyn Engine, draws: &[Draw]) -> Result<Vec<u8>, EngineError> {
    execute_over(engine, draws, &texels())
}

/// The same with these texels.
fn execute_over(engine: &mut dyn Engine, draws: &[Draw], texels: &[u8]) -> Result<Vec<u8>, EngineError> {
    engine.grow_memory(MemorySpace::Vram, MEMORY_BYTES.into())?;
    let bytes = u32::try_from(texels.len()).unwrap();
    engine.write_memory(MemoryWindow { bytes, ..texture().view.window }, texels)?;
    for draw in draws {
        engine.execute(&GpuCommand::Draw(Box::new(draw.clone())))?;
    }
    engine.finish()?;
    let mut bytes = vec![0; MEMORY_BYTES as usize];
    engine.read_memory(MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: MEMORY_BYTES }, &mut bytes)?;
    Ok(bytes)
}

/// All paths of kernels.
pub(super) const PATHS: [KernelPath; 3] = [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages];

/// What draws leave in memory, the same on both engines. Kernels run them on all paths.
pub(super) fn memory(draws: &[Draw]) -> Vec<u8> {
    memory_over(draws, &texels(), &PATHS)
}

/// The same with these texels, by kernels on some of the paths.
pub(super) fn memory_over(draws: &[Draw], texels: &[u8], paths: &[KernelPath]) -> Vec<u8> {
    let (expected, taken) = run_over(draws, (texels, KernelOptions::default()), paths);
    assert!(!taken.contains(&DrawPath::Host), "{taken:?}");
    expected
}

/// The same for draws that kernels may leave to the reference, with the paths of draws.
pub(super) fn run(draws: &[Draw]) -> (Vec<u8>, Vec<DrawPath>) {
    run_by(draws, KernelOptions::default())
}

/// The same on kernels with these options.
pub(super) fn run_by(draws: &[Draw], options: KernelOptions) -> (Vec<u8>, Vec<DrawPath>) {
    run_over(draws, (&texels(), options), &PATHS)
}

/// The same with these texels, by kernels on some of the paths.
pub(super) fn run_over(
    draws: &[Draw],
    (texels, options): (&[u8], KernelOptions),
    paths: &[KernelPath],
) -> (Vec<u8>, Vec<DrawPath>) {
    let expected = execute_over(&mut Reference::new(MEMORY_BYTES.into(), 0).unwrap(), draws, texels).unwrap();
    let mut taken = Vec::new();
    for &path in paths {
        if common::gpu().is_none() {
            continue;
        }
        let gpu = Gpu::open_timed(&AdapterChoice::Best, Arc::new(StageClock::default())).unwrap();
        let options = KernelOptions { path, tile_size: 8, ..options };
        let mut kernels = Kernels::new(gpu, options, MEMORY_BYTES.into(), 0).unwrap();
        kernels.start_profile().unwrap();
        assert!(execute_over(&mut kernels, draws, texels).unwrap() == expected, "the engines differ by {path:?}");
        taken.extend(kernels.profiled_draws().iter().map(|draw| draw.path));
    }
    (expected, taken)
}

/// The texels of [`texture`]: red in level 0, in level 1 the column in blue and the row in green, four for each.
fn texels() -> Vec<u8> {
    let view = texture().view;
    let mut bytes = vec![0; TARGET as usize * 2];
    for (number, level) in view.level_layout().0.iter().enumerate() {
        for (x, y) in (0..level.size[1]).flat_map(|y| (0..level.size[0]).map(move |x| (x, y))) {
            let place = (level.offset + level.layout.pixel_offset(x, y, 4)) as usize;
            let color = if number == 0 { [0, 0, 255, 255] } else { [4 * x as u8, 4 * y as u8, 0, 255] };
            bytes[place..place + 4].copy_from_slice(&color);
        }
    }
    bytes
}

/// A texture of 128×128 texels with two levels, in blocks of gobs.
pub(super) fn texture() -> TextureState {
    let view = TextureView {
        window: MemoryWindow { bytes: 2 * TARGET, ..window(TEXELS) },
        layout: TextureLayout::BlockLinear { log2_block: [2, 0] },
        levels: 2,
        ..TextureView::plain(TextureFormat::A8R8G8B8, Dimensions::Two, [128, 128, 1])
    };
    TextureState { view, sampler: Sampler { mip_filter: MipFilter::Nearest, max_lod: 1 << 8, ..Sampler::PLAIN } }
}

pub(super) fn word(memory: &[u8], offset: u32) -> u32 {
    u32::from_le_bytes(memory[offset as usize..][..4].try_into().unwrap())
}

/// Blue, green, red, alpha of a pixel in rows.
pub(super) fn pixel(memory: &[u8], target: u32, x: u32, y: u32) -> [u8; 4] {
    word(memory, target * TARGET + (y * SIDE + x) * 4).to_le_bytes()
}

/// A triangle over the lower half with a color that depends on the place: red x / 64, green y / 64.
pub(super) fn corner_triangle(z: f32, w: [f32; 3]) -> [([f32; 4], [f32; 4]); 3] {
    let at = |x: f32, y: f32, w: f32| ([x, y, z, w], [x / 64.0, y / 64.0, 1.0, 1.0]);
    [at(0.0, 0.0, w[0]), at(64.0, 0.0, w[1]), at(0.0, 64.0, w[2])]
}

/// Two triangles over a rectangle of pixels, of one color.
pub(super) fn rectangle([left, top, right, bottom]: [f32; 4], z: f32, color: [f32; 4]) -> Vec<([f32; 4], [f32; 4])> {
    let corner = |x, y| ([x, y, z, 1.0], color);
    vec![
        corner(left, top),
        corner(right, top),
        corner(left, bottom),
        corner(left, bottom),
        corner(right, top),
        corner(right, bottom),
    ]
}

/// At the center of a pixel the color is ((x + 1/2) / 64, (y + 1/2) / 64, 1, 1); the diagonal edge belongs to the other side.
#[test]
fn a_color_is_a_plane_over_the_window() {
    let memory = memory(&[draw(&corner_triangle(0.5, [1.0; 3]), COLOR)]);
    let byte = |place: u32| ((f64::from(place) + 0.5) / 64.0 * 255.0).round() as u8;
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let expected = if x + y + 1 < SIDE { [255, byte(y), byte(x), 255] } else { [0; 4] };
        assert_eq!(pixel(&memory, 0, x, y), expected, "{x}, {y}");
    }
}

/// With w of 1, 2 and 4, the value is the sum of the corners' values by λ/w, divided by the sum of λ/w.
#[test]
fn a_color_follows_the_perspective() {
    let memory = memory(&[draw(&corner_triangle(0.5, [1.0, 2.0, 4.0]), COLOR)]);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| (x, y))) {
        let [s, t] = [x, y].map(|place| (f64::from(place) + 0.5) / 64.0);
        let parts = [1.0 - s - t, s / 2.0, t / 4.0];
        let sum: f64 = parts.iter().sum();
        let [_, green, red, alpha] = pixel(&memory, 0, x, y).map(f64::from);
        // Half a step of rounding, and that of some float operations.
        let is_near = |found: f64, value: f64| (found - value * 255.0).abs() < 0.501;
        assert!(is_near(red, parts[1] / sum) && is_near(green, parts[2] / sum) && alpha == 255.0, "{x}, {y}");
    }
}

/// The program's colors are 2, −1, not a number and a fifth at two vertices; they are clamped at the vertices, not in the pixels between them.
/// A corner far outside is cut off after that.
#[test]
fn clamped_outputs_change_between_clamped_values() {
    for (left, mode) in [
        (0.0, InterpolantMode::Perspective),
        (0.0, InterpolantMode::Linear),
        (-20000.0, InterpolantMode::Perspective),
        (0.0, InterpolantMode::Flat),
        (0.0, InterpolantMode::FlatPerspective),
    ] {
        let (before, after) = ([2.0, -1.0, f32::NAN, 0.2], [-1.0, 3.0, 2.0, 0.2]);
        let vertices = [(left, 0.0, before), (64.0, 0.0, after), (left, 2.0 * (64.0 - left), before)];
        let vertices = vertices.map(|(x, y, color)| ([x, y, 0.5, 1.0], color));
        let has_w = matches!(mode, InterpolantMode::Perspective | InterpolantMode::FlatPerspective);
        let mut draw = draw(&vertices, &if has_w { COLOR.to_owned() } else { COLOR.replace("] $r4", "]") });
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        stage.interpolants = interpolants(mode);
        for word in 1..5 {
            stage.interpolants.entry(word).and_modify(|interpolant| interpolant.is_clamped = true);
        }
        let memory = memory(&[draw]);
        for x in 0..SIDE - 1 {
            let share = match mode {
                // That of the last vertex.
                InterpolantMode::Flat | InterpolantMode::FlatPerspective => 0.0,
                _ => (f64::from(x) + 0.5 - f64::from(left)) / (64.0 - f64::from(left)),
            };
            let [blue, green, red, alpha] = pixel(&memory, 0, x, 0).map(f64::from);
            let is_near = |found: f64, value: f64| (found - value * 255.0).abs() < 0.502;
            let all = is_near(red, 1.0 - share) && is_near(green, share) && is_near(blue, share) && alpha == 51.0;
            assert!(all, "{left}, {mode:?}, {x}: {red} {green} {blue} {alpha} at {share}");
        }
    }
}

/// The back of a triangle shows other outputs while colors have two sides.
#[test]
fn back_faces_show_outputs_of_their_own() {
    let mut draws: Vec<_> = [false, true]
        .map(|is_two_sided| {
            let [a, b, c] = corner_triangle(0.5, [1.0, 2.0, 4.0]);
            let mut draw = draw(&[a, b, c], COLOR);
            draw.raster.front_is_counter_clockwise = true;
            draw.raster.two_sided_color = is_two_sided;
            let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
            for (word, component) in [(1, 2), (2, 0), (3, 1)] {
                let back = Some(OutputComponent { slot: 1, component });
                let front = OutputComponent { slot: 1, component: 3 };
                let source = InterpolantSource::Output { front, back };
                stage.interpolants.entry(word).and_modify(|interpolant| interpolant.source = source);
            }
            draw
        })
        .into();
    draws[1].targets.color[0] = Some(linear(1));
    let memory = memory(&draws);
    assert_eq!(pixel(&memory, 0, 3, 3), [255; 4]);
    let [blue, green, red, alpha] = pixel(&memory, 1, 40, 3).map(u16::from);
    assert!(red == 255 && alpha == 255 && green > 2 * blue && blue > 0, "{red} {green} {blue}");
}

/// Words of `o[]` change places, one of them is missing and another one a value.
#[test]
fn outputs_pass_on_the_words_that_a_map_names() {
    let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), COLOR);
    let VertexStage::Simt(stage) = &mut draw.vertex else { unreachable!() };
    let words = [0, 1, 2, 3, 5, 60, 4].map(OutputWord::Word);
    stage.outputs = words.into_iter().chain([OutputWord::Value(0.2_f32.to_bits())]).collect();
    let memory = memory(&[draw]);
    let byte = |place: u32| ((f64::from(place) + 0.5) / 64.0 * 255.0).round() as u8;
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| (x, y))) {
        assert_eq!(pixel(&memory, 0, x, y), [byte(x), 0, byte(y), 51], "{x}, {y}");
    }
}

/// The program divides by 1/w, which differs between the vertices.
#[test]
fn a_flat_color_follows_the_perspective_of_programs() {
    let mut draw = draw(&corner_triangle(0.5, [1.0, 2.0, 4.0]), COLOR);
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.interpolants = interpolants(InterpolantMode::FlatPerspective);
    let memory = memory(&[draw]);
    assert_eq!([(0, 0), (30, 20), (5, 50)].map(|(x, y)| pixel(&memory, 0, x, y)), [[255, 255, 0, 255]; 3]);
}

/// 0 × ∞ + ¼ is not a number, which the target stores as 0, unless zero wins.
#[test]
fn zero_wins_in_products_if_asked_for() {
    let text = ".kind fragment\n    ld $r4 b32 c0[0x0]\n    mov b32 $r2 0x3e800000\n    mov b32 $r3 0x3f800000
    mov b32 $r0 0x0\n    mov b32 $r1 0x0\n    add f32 $r0 (mul $r0 $r4) $r2\n    mul rn f32 $r1 $r1 $r4
    add rn f32 $r1 $r1 $r2\n    exit nop\n";
    let colors = [true, false].map(|zero_wins| {
        let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), text);
        let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
        own.stage = stage(text, &[f32::INFINITY]);
        let program = SimtProgram::clone(&own.stage.program).with_zero_wins(zero_wins);
        own.stage.program = Arc::new(program);
        pixel(&memory(&[draw]), 0, 0, 0)
    });
    // Blue, green, red, alpha.
    assert_eq!(colors, [[64, 64, 64, 255], [64, 0, 0, 255]]);
}

#[test]
fn a_flat_color_is_that_of_the_provoking_vertex() {
    let mut draw = draw(&corner_triangle(0.5, [1.0, 2.0, 1.0]), COLOR.replace("] $r4", "]").as_str());
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.interpolants = interpolants(InterpolantMode::Flat);
    let memory = memory(&[draw]);
    // The last vertex: red 0, green 1, blue 1.
    assert_eq!([(0, 0), (30, 20), (5, 50)].map(|(x, y)| pixel(&memory, 0, x, y)), [[255, 255, 0, 255]; 3]);
}

/// Three rectangles at depths 1/2, 1/4 and 3/4 in block linear targets: the second one adds to the first, the third is behind.
#[test]
fn depth_and_blending_work_on_block_linear_targets() {
    let zeta = ZetaTarget { window: window(1), layout: block_linear(), format: ZetaFormat::Z24S8, is_float: false };
    let draws = [
        (rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [0.2, 0.0, 0.0, 1.0]), false),
        (rectangle([0.0, 0.0, 32.0, 64.0], 0.25, [0.4, 0.8, 0.0, 0.0]), true),
        (rectangle([0.0, 0.0, 64.0, 64.0], 0.75, [1.0; 4]), true),
    ];
    let draws = draws.map(|(vertices, is_tested)| {
        let mut draw = draw(&vertices, COLOR);
        draw.targets.color[0] = Some(ColorTarget { layout: block_linear(), ..linear(0) });
        draw.targets.zeta = Some(zeta);
        let compare = if is_tested { Compare::Less } else { Compare::Always };
        draw.rop.depth_test = Some(DepthTest { compare, writes: true });
        let blend = Blend { destination: [BlendFactor::One; 2], ..REPLACE };
        draw.rop.blend = [is_tested.then_some(blend); MAX_COLOR_TARGETS];
        draw
    });
    let memory = memory(&draws);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let place = block_linear().pixel_offset(x, y, 4);
        let (color, depth) = if x < 32 { ([0, 204, 153, 255], 0x40_0000) } else { ([0, 0, 51, 255], 0x80_0000) };
        assert_eq!(word(&memory, place).to_le_bytes(), color, "{x}, {y}");
        assert_eq!(word(&memory, TARGET + place) >> 8, depth, "{x}, {y}");
    }
}

/// Columns to the left of 8 are discarded; the first target has the row, the second one the face, and the depth is 1/4.
#[test]
fn a_program_discards_computes_depth_and_writes_two_targets() {
    let text = ".kind fragment\n    interp $r9 v[0x0]\n    set $c0 # l f32 $r9 c0[0x0]\n    (lg $c0) discard
    interp $r0 v[0x4]\n    mov b32 $r1 0x0\n    mov b32 $r2 0x0\n    mov b32 $r3 0x0\n    interp $r4 flat v[0x3fc]
    and b32 $r4 $r4 0x3f800000\n    mov b32 $r5 0x0\n    mov b32 $r6 0x0\n    mov b32 $r7 0x0\n    mov b32 $r8 0x3f800000\n    mul rn f32 $r8 $r8 c0[0x4]\n    exit nop\n";
    let place = |axis| Interpolant::new(InterpolantSource::WindowPosition(axis), InterpolantMode::Linear);
    let facing = Interpolant::new(InterpolantSource::Facing, InterpolantMode::Flat);
    let draws = [true, false].map(|is_front| {
        let mut vertices =
            rectangle(if is_front { [0.0, 0.0, 64.0, 1.0] } else { [0.0, 1.0, 64.0, 2.0] }, 0.9, [0.0; 4]);
        if !is_front {
            vertices.reverse();
        }
        let mut draw = draw(&vertices, text);
        draw.targets.color[1] = Some(linear(1));
        let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
        draw.targets.zeta = Some(ZetaTarget { window: window(2), layout, format: ZetaFormat::Z24S8, is_float: false });
        draw.rop.depth_test = Some(DepthTest { compare: Compare::Always, writes: true });
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        stage.interpolants = BTreeMap::from([(0, place(0)), (1, place(1)), (255, facing)]);
        stage.results = ResultRegisters { colors: registers(&[0, 4]), depth: Some(8), sample_mask: None };
        draw
    });
    let memory = memory(&draws);
    // Rows count from below, as the draw's window position says: 63.5 and 62.5 are more than one.
    for (x, y) in (0..2).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let face = if y == 0 { 0 } else { 255 };
        let expected = if x < 8 { [[0; 4]; 2] } else { [[0, 0, 255, 0], [0, 0, face, 0]] };
        assert_eq!([0, 1].map(|target| pixel(&memory, target, x, y)), expected, "{x}, {y}");
        let depth = word(&memory, 2 * TARGET + (y * SIDE + x) * 4) >> 8;
        assert_eq!(depth, if x < 8 { 0 } else { 0x40_0000 }, "{x}, {y}");
    }
}

#[test]
fn a_program_with_a_fault_is_an_error() {
    let text = ".kind fragment\n    interp $r0 v[0x4]\n    interp $r1 v[0x8]\n    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let draw = draw(&corner_triangle(0.5, [1.0; 3]), text);
    let message = "launch: 0x0008: texture not bound, 66 times, first by block (0,0) thread (0,0,0)";
    let reference = execute(&mut Reference::new(MEMORY_BYTES.into(), 0).unwrap(), std::slice::from_ref(&draw));
    assert_eq!(reference.unwrap_err().to_string(), message);
    if let Some(gpu) = common::gpu() {
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), MEMORY_BYTES.into(), 0).unwrap();
        let found = execute(&mut kernels, std::slice::from_ref(&draw));
        assert_eq!(found.unwrap_err().to_string(), message);
    }
}

/// The coordinates are red and green of the corners, two texels from pixel to pixel: level 1. A fetch of texels names the
/// level; sizes are those of level 0 and 1.
#[test]
fn a_program_samples_a_texture_of_guest_memory() {
    let begin = ".kind fragment\n    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n    interp $r0 v[0x4] $r4\n    interp $r1 v[0x8] $r4\n";
    let sampled = "    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let fetched = "    mov b32 $r8 0x0\n    texsize all $r8:$r9:$r10:$r11 $t3 $s2 $r8\n    cvt rn f32 $r8 u32 $r8
    mul rn f32 $r0 $r0 $r8\n    mul rn f32 $r1 $r1 $r8\n    mov b32 $r5 0x3f000000\n    mul rn f32 $r0 $r0 $r5
    mul rn f32 $r1 $r1 $r5\n    cvt rzi u32 $r0 f32 $r0\n    cvt rzi u32 $r1 f32 $r1\n    mov b32 $r2 0x1
    texfetch all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2 0x0 0x0 0x0\n    exit nop\n";
    for (name, text) in [("sampled", sampled), ("fetched", fetched)] {
        let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), &format!("{begin}{text}"));
        draw.textures[0] = Some(texture());
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        stage.units = vec![[3, 2]];
        let memory = memory(&[draw]);
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| (x, y))) {
            assert_eq!(pixel(&memory, 0, x, y), [4 * x as u8, 4 * y as u8, 0, 255], "{name}, {x}, {y}");
        }
    }
}

/// Vertices of a warp are in quads: all three have the red of the second one, 1. Kernels run each vertex by itself.
#[test]
fn a_vertex_program_reads_another_vertex_on_the_host() {
    let lane = "    mov b32 $r0 a[0x10]\n    mov b32 $r1 0x0\n    quadop f32 add add add add $r0 l1 $r0 $r1\n    mov b32 o[0x10] $r0";
    let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), COLOR);
    let VertexStage::Simt(vertex) = &mut draw.vertex else { unreachable!() };
    vertex.stage = stage(&COPY.replace("    mov b32 o[0x10] a[0x10]", lane), &[]);
    let (memory, paths) = run(&[draw]);
    assert!(paths.iter().all(|path| *path == DrawPath::Host), "{paths:?}");
    assert_eq!([(0, 0), (30, 20), (5, 50)].map(|(x, y)| pixel(&memory, 0, x, y)[2]), [255; 3]);
}

/// A sample is covered where its own place is, and has the color of its pixel.
#[test]
fn samples_of_a_pixel_are_covered_alone() {
    for mode in [SampleMode::FourRotated, SampleMode::Eight] {
        // Eight samples are four texels wide.
        let side = SIDE / 4;
        let corner = side as f32;
        let corners = [(0.0, 0.0), (corner, 0.0), (0.0, corner)].map(|(x, y)| ([x, y, 0.5, 1.0], [0.0, 1.0, 0.4, 1.0]));
        let mut draw = draw(&corners, COLOR);
        let rect = Rect { x: 0, y: 0, width: side, height: side };
        draw.targets = Targets { samples: mode, rect, ..draw.targets };
        (draw.raster.samples, draw.raster.surface, draw.raster.clip) = (mode, rect, rect);
        draw.rop.multisample = MultisampleCoverage { is_enabled: true, ..MultisampleCoverage::DISABLED };
        let memory = memory(&[draw]);
        for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
            for (number, Sample { offset: [column, row], .. }) in (0..).zip(mode.samples()) {
                // In sixteenths of a pixel; the diagonal belongs to the other side.
                let place = 16 * (x + y) as i32 + 16 + column + row;
                let expected = if place < 16 * side as i32 { [102, 255, 0, 255] } else { [0; 4] };
                let [x, y] = mode.texel(x, y, number);
                assert_eq!(pixel(&memory, 0, x, y), expected, "{mode:?} {x}, {y}");
            }
        }
    }
}

/// Alpha 1/2 covers four samples of eight, and the mask keeps two of them; depth is tested at each.
#[test]
fn alpha_and_a_mask_cover_some_of_eight_samples() {
    let mode = SampleMode::Eight;
    let side = SIDE / 4;
    let rect = Rect { x: 0, y: 0, width: side, height: side };
    let draws = [(0.5, 0.5), (0.25, 1.0)].map(|(z, alpha)| {
        let mut draw = draw(&rectangle([0.0, 0.0, 16.0, 16.0], z, [1.0, 1.0, 1.0, alpha]), COLOR);
        let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
        let zeta = ZetaTarget { window: window(1), layout, format: ZetaFormat::Z32F, is_float: false };
        draw.targets = Targets { samples: mode, rect, zeta: Some(zeta), ..draw.targets };
        (draw.raster.samples, draw.raster.surface, draw.raster.clip) = (mode, rect, rect);
        draw.rop.depth_test = Some(DepthTest { compare: Compare::Greater, writes: true });
        draw.rop.multisample = MultisampleCoverage {
            is_enabled: true,
            alpha_to_coverage: true,
            alpha_to_one: false,
            sample_mask: 0b1010_0101,
        };
        draw
    });
    let memory = memory(&draws);
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        for number in 0..8 {
            let [x, y] = mode.texel(x, y, number);
            // The second draw is behind, and covers all that the mask has.
            let expected = match number {
                0 | 2 => [255, 255, 255, 128],
                5 | 7 => [255; 4],
                _ => [0; 4],
            };
            assert_eq!(pixel(&memory, 0, x, y), expected, "{number}: {x}, {y}");
        }
    }
}

/// A line of a random program over `$r0` to `$r9`.
fn random_line(random: &mut Random) -> String {
    let register = |random: &mut Random| format!("$r{}", random.below(10));
    let [to, a, b, c] = [(); 4].map(|()| register(random));
    let predicate = match random.below(6) {
        0 => random.pick(&["(lg $c0) ", "(e $c0) ", "(l $c1) ", "(ge $c1) "]),
        _ => "",
    };
    let text = match random.below(16) {
        0 => format!("add rn f32 {to} {a} neg {b}"),
        1 => format!("mul rn f32 {to} {a} {b}"),
        2 => format!("add f32 {to} (mul {a} {b}) {c}"),
        3 => format!("min f32 {to} {a} {b}"),
        4 => format!("max f32 {to} {a} {b}"),
        5 => format!("rcp f32 {to} {a}"),
        6 => format!("rsqrt f32 {to} {a}"),
        7 => format!("cvt abs f32 {to} f32 {a}"),
        8 => format!("add b32 {to} {a} {b}"),
        9 => format!("and b32 {to} {a} {b}"),
        10 => format!("mul rn f32 {to} {a} c0[{:#x}]", 4 * random.below(2)),
        11 => format!("set $c{} # l f32 {a} {b}", random.below(2)),
        12 => format!("set $c{} # ge s32 {a} {b}", random.below(2)),
        13 => format!("quadop f32 sub subr sub subr {to} dx {a} {b}"),
        14 => format!("interp {to} v[{:#x}]", 4 * random.below(5)),
        _ => format!("interp {to} flat v[{:#x}]", 4 * random.below(5)),
    };
    format!("    {predicate}{text}\n")
}

/// A random program; one with a branch that joins has no reads of neighbors.
fn random_program(random: &mut Random, branches: bool) -> String {
    let mut lines = |count: u32| -> String {
        (0..count).map(|_| random_line(random)).filter(|line| !branches || !line.contains("quadop")).collect()
    };
    let (first, second, third, last) = (lines(10), lines(5), lines(5), lines(4));
    let body = if branches {
        format!("    joinat done\n    (l $c0) bra other\n{second}    bra done\nother:\n{third}done:\n    join nop\n")
    } else {
        format!("{second}    (lg $c1) discard\n{third}")
    };
    let begin: String = (0..5).map(|word| format!("    interp $r{word} v[{:#x}]\n", 4 * word)).collect();
    let begin = format!(".kind fragment\n{begin}    set $c0 # l f32 $r1 $r2\n    set $c1 # l f32 $r3 $r2\n");
    format!(
        "{begin}    mov b32 $r5 0x3f000000\n    mov b32 $r6 $r1\n    mov b32 $r7 $r2\n    mov b32 $r8 $r3\n    mov b32 $r9 $r4\n{first}{body}{last}    exit nop\n"
    )
}

#[test]
fn random_programs_draw_the_same_on_both_engines() {
    let mut drawn = 0;
    for seed in 0..cases(6, 40) {
        let mut random = Random::new(seed);
        let text = random_program(&mut random, seed % 2 == 0);
        let mut float = |low: f32, high: f32| low + (high - low) * random.below(1 << 16) as f32 / 65_536.0;
        let corners: Vec<_> = (0..9)
            .map(|_| {
                // Some are beyond the planes that clip.
                let position = [float(-20.0, 84.0), float(-20.0, 84.0), float(-0.2, 1.2), float(0.5, 3.0)];
                (position, [(); 4].map(|()| float(-2.0, 2.0)))
            })
            .collect();
        let mut draw = draw(&corners, &text);
        draw.primitive = [PrimitiveType::Triangles, PrimitiveType::LineStrip, PrimitiveType::Points][seed as usize % 3];
        draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        let modes = [InterpolantMode::Perspective, InterpolantMode::Linear, InterpolantMode::Flat];
        stage.interpolants = interpolants(modes[seed as usize / 2 % 3]);
        let (memory, paths) = run(&[draw]);
        assert!(!paths.contains(&DrawPath::Host), "seed {seed}: {paths:?}\n{text}");
        drawn += u64::from(memory[..TARGET as usize].iter().any(|byte| *byte != 0));
    }
    assert!(drawn >= cases(4, 30), "{drawn} drew something");
}

/// Rows of four floats.
pub(super) fn wide() -> SurfaceLayout {
    SurfaceLayout::Linear { pitch_bytes: SIDE * 16 }
}

/// Programs that Mesa's driver compiled (`../compute/gl/`): the outputs of one are the interpolants of the other.
#[test]
fn programs_of_mesa_draw_the_same_on_both_engines() {
    for name in ["edges", "light", "escape"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/engines/compute/gl/{name}.tesla"));
        let module = read_module(name, &std::fs::read(path).unwrap()).unwrap().unwrap();
        let stage = |kind: &str| stage_of(&module, Some(&format!("{name}_{kind}")), &[3.0, 1.0, 0.25, 8.0]);
        let mut draw = draw(&corner_triangle(0.5, [1.0, 2.0, 1.5]), COLOR);
        draw.vertex = VertexStage::Simt(SimtVertexStage {
            stage: stage("vertex"),
            attributes: (0..8)
                .map(|word| AttributeWord::Component { attribute: [2, 5][word / 4], component: word as u8 % 4 })
                .collect(),
            outputs: OutputWord::in_place(16),
            textures: Vec::new(),
        });
        let outputs = (4..16).map(|word: u8| {
            let source = output(word / 4, word % 4);
            (word - 3, Interpolant::new(source, InterpolantMode::Perspective))
        });
        let reciprocal = Interpolant::new(InterpolantSource::WindowPosition(3), InterpolantMode::Linear);
        let facing = Interpolant::new(InterpolantSource::Facing, InterpolantMode::Flat);
        draw.fragment = FragmentStage::Simt(SimtFragmentStage {
            stage: stage("fragment"),
            interpolants: [(0, reciprocal), (255, facing)].into_iter().chain(outputs).collect(),
            units: Vec::new(),
            results: ResultRegisters { colors: registers(&[0]), ..ResultRegisters::default() },
            samples: ShadedSamples::default(),
        });
        draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
        let memory = memory(&[draw]);
        assert!(memory[..TARGET as usize].iter().any(|byte| *byte != 0), "{name} draws nothing");
    }
}

#[test]
fn stages_that_name_what_others_lack_are_an_error() {
    type Change<'c> = &'c dyn Fn(&mut SimtVertexStage, &mut SimtFragmentStage, &mut [Option<TextureState>; 16]);
    let refused = |change: Change<'_>| {
        let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), COLOR);
        let VertexStage::Simt(vertex) = &mut draw.vertex else { unreachable!() };
        let FragmentStage::Simt(fragment) = &mut draw.fragment else { unreachable!() };
        change(vertex, fragment, &mut draw.textures);
        let reference = execute(&mut Reference::new(MEMORY_BYTES.into(), 0).unwrap(), std::slice::from_ref(&draw));
        let message = reference.unwrap_err().to_string();
        if let Some(gpu) = common::gpu() {
            let mut kernels = Kernels::new(gpu, KernelOptions::default(), MEMORY_BYTES.into(), 0).unwrap();
            assert_eq!(execute(&mut kernels, &[draw]).unwrap_err().to_string(), message);
        }
        message
    };
    let output = |front: [u8; 2], back: Option<[u8; 2]>| {
        let output = |[slot, component]: [u8; 2]| OutputComponent { slot, component };
        let source = InterpolantSource::Output { front: output(front), back: back.map(output) };
        Interpolant::new(source, InterpolantMode::Linear)
    };
    let slot = refused(&|_, fragment, _| _ = fragment.interpolants.insert(1, output([16, 0], None)));
    assert!(slot.contains("component 0 of output slot 16"), "{slot}");
    let back = refused(&|_, fragment, _| _ = fragment.interpolants.insert(1, output([1, 0], Some([1, 4]))));
    assert!(back.contains("component 4 of output slot 1"), "{back}");
    let attribute =
        refused(&|vertex, _, _| vertex.attributes[3] = AttributeWord::Component { attribute: 16, component: 2 });
    assert!(attribute.contains("component 2 of attribute 16"), "{attribute}");
    let bind = |textures: &mut [Option<TextureState>; 16], change: &dyn Fn(&mut TextureState)| {
        let mut other = texture();
        change(&mut other);
        (textures[0], textures[1]) = (Some(texture()), Some(other));
    };
    let state = refused(&|_, fragment, textures| {
        fragment.units = vec![[3, 2], [3, 2]];
        bind(textures, &|state| state.sampler.max_lod = 0);
    });
    assert!(state.contains("two states of texture 3 with sampler 2"), "{state}");
}
