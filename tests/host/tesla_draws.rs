//! Methods of the Tesla generation's 3D class as the draws and clears that they become.
//!
//! Fields are those of envytools' `rnndb/graph/g80_3d.xml`; programs and values are what Mesa's nv50 driver sends.

use curie::capture::{Buffer, DOMAIN_GART, DOMAIN_VRAM, Header, Push, Record, Submission};
use curie::chip::Chip;
use curie::format::{AttributeFormat, ColorFormat, TeslaVertexKind, TeslaVertexSizes, ZetaFormat};
use curie::machine::chip_of;
use curie::memory::block_linear::BlockLinear;
use curie::pipeline::{
    AttributeWord, Blend, BlendEquation, BlendFactor, ClipPlane, Compare, Draw, Elements, FragmentStage, GpuCommand,
    InterpolantMode, InterpolantSource, OutputComponent, OutputWord, PipelineCounter, PrimitiveType, Rect,
    ReportedCounter, SampleMode, ShadedSamples, SpriteValue, SurfaceLayout, VertexAttribute, VertexStage, VertexWord,
    WindowOrigin,
};

use crate::common::recorder::Recorder;

const HEADER: Header = Header { chipset: 0x92, vram_bytes: 16 << 20, gart_bytes: 16 << 20 };

const PUSHES: u32 = 0x2000_0000;
pub(super) const CODE: u32 = 0x2010_0000;
pub(super) const CONSTANTS: u32 = 0x2020_0000;
pub(super) const COLOR: u32 = 0x2030_0000;
pub(super) const ZETA: u32 = 0x2040_0000;
pub(super) const VERTICES: u32 = 0x2050_0000;

pub(super) const ONE: u32 = 0x3f80_0000;

/// Words that are written to consecutive methods from an address on.
pub(super) type Methods<'a> = &'a [(u32, &'a [u32])];

/// A vertex program that passes four words on, and a fragment program of Mesa that divides four interpolants by 1/w.
pub(super) const VERTEX: [u32; 8] = [
    // mov b32 o[0x0] a[0x0], …, exit mov b32 o[0xc] a[0xc]
    0x1000_0001,
    0x0423_c788,
    0x1000_0205,
    0x0423_c788,
    0x1000_0409,
    0x0423_c788,
    0x1000_060d,
    0x0423_c789,
];
pub(super) const FRAGMENT: [u32; 8] =
    [0x8000_0000, 0x9000_000c, 0x8201_0600, 0x8202_0604, 0x8003_0609, 0x0002_0780, 0x8004_060d, 0x0002_0781];

/// State of a triangle in an RGBA8 target of 100 × 60 pixels in blocks of four gobs, with depth.
pub(super) const STATE: Methods<'static> = &[
    (0x200, &[0, COLOR, 0xd5, 0x20, 0]),
    (0x1240, &[100, 60]),
    (0x121c, &[1]),
    (0x1224, &[1]),
    (0xfe0, &[0, ZETA, 0x16, 0x20, 0]),
    (0x1228, &[100, 60, 0x1_0001]),
    (0x1538, &[1]),
    (0xff4, &[100 << 16, 60 << 16]),
    (0xa00, &[0x4248_0000, 0xc1f0_0000, 0x3f00_0000, 0x4248_0000, 0x41f0_0000, 0x3f00_0000]),
    (0xc00, &[100 << 16, 60 << 16, 0, ONE]),
    (0xe00, &[1, 40 << 16 | 10, 30 << 16 | 5]),
    (0x192c, &[1]),
    (0x193c, &[0]),
    (0x17b4, &[1]),
    (0x1684, &[1]),
    (0xf7c, &[0, CODE]),
    (0xfa4, &[0, CODE]),
    (0x140c, &[0]),
    (0x1414, &[0x20]),
    (0x16b0, &[4]),
    (0x198c, &[4]),
    (0x1298, &[4]),
    (0x16ac, &[8]),
    (0x16bc, &[0x0302_0100, 0x4140_0100]),
    (0x1988, &[0x0804_0404]),
    (0x1904, &[0x0104_0404]),
    (0x1908, &[4]),
    (0x1910, &[0]),
    (0x1650, &[0xf]),
    (0x1ac0, &[0x3f << 25 | 1 << 19 | 16 << 5]),
    (0x900, &[1 << 29 | 32, 0, VERTICES]),
    (0x1080, &[0, VERTICES + 0xff]),
];

pub(super) const TRIANGLE: Methods<'static> = &[(0x15dc, &[4]), (0xd74, &[0, 3]), (0x15e0, &[0])];

/// The bytes of each buffer.
pub(super) const BUFFER: u32 = 0x4_0000;

fn buffer(handle: u32, domain: u32, offset: u64) -> Record {
    let bytes = BUFFER.into();
    Record::CreateBuffer(Buffer { handle, domain, tile_mode: 0, tile_flags: 0, bytes, offset })
}

pub(super) fn words(parts: &[Methods<'_>]) -> Vec<u32> {
    let mut words = vec![1 << 18, 0xbeef_5097];
    for (method, values) in parts.iter().copied().flatten() {
        words.push(u32::try_from(values.len()).expect("a test has few words") << 18 | method);
        words.extend_from_slice(values);
    }
    words
}

/// Runs methods on a chip with programs in memory.
pub(super) fn run(parts: &[Methods<'_>]) -> (Chip, Recorder) {
    run_words(words(parts))
}

/// The same for words of packets.
fn run_words(words: Vec<u32>) -> (Chip, Recorder) {
    run_program(0, &[VERTEX, FRAGMENT].concat(), words)
}

/// The same with other programs, and buffers whose addresses have these upper bits.
pub(super) fn run_program(high: u64, code: &[u32], words: Vec<u32>) -> (Chip, Recorder) {
    run_on(G92, high, code, words)
}

/// A chipset with its 3D class and its compute class.
pub(super) type ChipClasses = [u32; 3];

pub(super) const G92: ChipClasses = [HEADER.chipset, 0x8297, 0x50c0];
pub(super) const GT215: ChipClasses = [0xa3, 0x8597, 0x85c0];

/// The same on another chip.
pub(super) fn run_on(
    [chipset, three_d, compute]: ChipClasses,
    high: u64,
    code: &[u32],
    words: Vec<u32>,
) -> (Chip, Recorder) {
    let mut chip = chip_of(&Header { chipset, ..HEADER }).expect("the chipset is a GeForce 8");
    let mut engine = Recorder::new(HEADER.vram_bytes, HEADER.gart_bytes);
    let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let buffers = [CODE, CONSTANTS, COLOR, ZETA, VERTICES];
    let mut records = vec![buffer(1, DOMAIN_GART, PUSHES.into())];
    let at = |address: u32| high << 32 | u64::from(address);
    records.extend((2..).zip(buffers).map(|(handle, address)| buffer(handle, DOMAIN_VRAM, at(address))));
    records.push(Record::Channel { vram_handle: 0xbeef_0201, gart_handle: 0xbeef_0202, notifier_buffer: 1 });
    records.push(Record::Notifier { handle: 0xbeef_0301, offset: 0x20, bytes: 0x20, buffer: 1 });
    let objects = [(0xbeef_5097, three_d), (0xbeef_502d, 0x502d), (0xbeef_5039, 0x5039), (0xbeef_50c0, compute)];
    records.extend(objects.map(|(handle, class)| Record::Object { handle, class }));
    records.push(Record::Write { handle: 2, offset: 0, bytes: code });
    let push = Push { buffer: 1, offset: 0, words };
    records.push(Record::Submit(Submission {
        sequence: 1,
        buffers: Vec::new(),
        relocations: Vec::new(),
        pushes: vec![push],
    }));
    records.iter().for_each(|record| chip.apply(record, &mut engine).expect("the record is valid"));
    (chip, engine)
}

/// The only command of methods that have no anomalies.
pub(super) fn command(parts: &[Methods<'_>]) -> GpuCommand {
    let (chip, mut engine) = run(parts);
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    assert_eq!(engine.work.len(), 1);
    engine.work.remove(0)
}

pub(super) fn draw(more: Methods<'_>) -> Draw {
    let GpuCommand::Draw(draw) = command(&[STATE, more, TRIANGLE]) else { panic!("a draw") };
    *draw
}

pub(super) fn fragment(draw: &Draw) -> &curie::pipeline::SimtFragmentStage {
    let FragmentStage::Simt(stage) = &draw.fragment else { panic!("a SIMT program") };
    stage
}

pub(super) fn output(slot: u8, component: u8) -> InterpolantSource {
    InterpolantSource::Output { front: OutputComponent { slot, component }, back: None }
}

#[test]
fn a_triangle_has_targets_of_blocks_and_an_array() {
    let draw = draw(&[]);
    assert_eq!((draw.primitive, &draw.elements), (PrimitiveType::Triangles, &Elements::Ranges(vec![(0, 3)])));
    let layout = |bytes: u32| SurfaceLayout::BlockLinear {
        blocks: BlockLinear { size: [100 * bytes, 60, 1], log2_block: [0, 2, 0] },
        slice: 0,
    };
    let color = draw.targets.color[0].unwrap();
    assert_eq!((color.format, color.layout), (ColorFormat::A8B8G8R8, layout(4)));
    let zeta = draw.targets.zeta.unwrap();
    // Z24_S8: the stencil is above.
    assert_eq!((zeta.format, zeta.layout), (ZetaFormat::S8Z24, layout(4)));
    assert_eq!(
        (draw.targets.samples, draw.targets.rect),
        (SampleMode::One, Rect { x: 0, y: 0, width: 100, height: 60 })
    );
    assert_eq!(draw.raster.clip, Rect { x: 10, y: 5, width: 30, height: 25 });
    assert_eq!(draw.viewport.scale.map(f32::from_bits), [50.0, -30.0, 0.5]);
    assert!(!draw.raster.first_vertex_provokes && draw.viewport.clips_depth);
    let VertexAttribute::Array { window, format, stride, .. } = draw.input.attributes[0] else { panic!("an array") };
    let AttributeFormat::Tesla(format) = format else { panic!("a format of the generation") };
    assert_eq!((format.sizes, format.kind), (TeslaVertexSizes::Size32x4, TeslaVertexKind::Float));
    // The array ends at its limit, 16 bytes behind its first element.
    assert_eq!((stride, window.bytes), (32, 0xf0));
}

/// Viewport 0 has no pixels; those of viewport 1 and 2 lie apart. The others have none.
#[test]
fn a_draw_reaches_the_pixels_of_all_viewports_that_a_program_selects() {
    let draw = draw(&[
        (0x1900, &[1]),
        (0xfd4, &[6]),
        (0xc00, &[0]),
        (0xc10, &[20 << 16 | 4, 10 << 16 | 2, ONE, 0]),
        (0xc20, &[8 << 16 | 60, 40 << 16 | 40]),
        (0xe20, &[1, 66 << 16 | 62, 60 << 16]),
    ]);
    let selection = draw.selection.unwrap();
    assert_eq!((selection.viewport, selection.layer), (Some(OutputComponent { slot: 1, component: 2 }), None));
    let clips: Vec<_> =
        selection.viewports.iter().map(|viewport| viewport.clip).filter(|clip| !clip.is_empty()).collect();
    let rect = |x, y, width, height| Rect { x, y, width, height };
    assert_eq!(clips, [rect(4, 2, 20, 10), rect(62, 40, 4, 20)]);
    assert_eq!(selection.viewports.len(), 16);
    assert_eq!(selection.viewports[1].depth_range.map(f32::from_bits), [1.0, 0.0]);
    assert_eq!((draw.raster.surface, draw.raster.clip), (rect(4, 2, 64, 58), rect(4, 2, 62, 58)));
}

#[test]
fn maps_connect_programs() {
    let draw = draw(&[]);
    let VertexStage::Simt(vertex) = &draw.vertex else { panic!("a SIMT program") };
    let component = |component| AttributeWord::Component { attribute: 0, component };
    assert_eq!(vertex.attributes, [0, 1, 2, 3].map(component));
    let [zero, one] = [0, ONE].map(OutputWord::Value);
    let word = OutputWord::Word;
    assert_eq!(vertex.outputs, [word(0), word(1), word(2), word(3), word(0), word(1), zero, one]);
    let stage = fragment(&draw);
    let sources: Vec<_> = stage.interpolants.iter().map(|(word, own)| (*word, own.source, own.mode)).collect();
    let perspective = |component| (component + 1, output(1, component), InterpolantMode::Perspective);
    let reciprocal = (0, InterpolantSource::WindowPosition(3), InterpolantMode::Linear);
    assert_eq!(sources, [reciprocal, perspective(0), perspective(1), perspective(2), perspective(3)]);
    assert_eq!((stage.results.colors[0], stage.results.depth), (Some(0), None));
}

#[test]
fn instances_ids_and_swapped_colors_are_words_of_attributes() {
    let draw = draw(&[
        (0x164c, &[0x11]),
        (0x1ac0, &[1 << 31 | 0x12 << 25 | 0xa << 19]),
        (0x15dc, &[4]),
        (0x15e0, &[0]),
        (0x15dc, &[1 << 28 | 4]),
        (0x15e0, &[0]),
    ]);
    let VertexStage::Simt(vertex) = &draw.vertex else { panic!("a SIMT program") };
    let component = |component| AttributeWord::Component { attribute: 0, component };
    let swapped = [2, 1, 0, 3].map(component);
    assert_eq!(vertex.attributes, [&swapped[..], &[AttributeWord::Index, AttributeWord::Word(0)]].concat());
}

#[test]
fn flat_linear_and_two_sided_colors() {
    let modes = |more: Methods<'_>| {
        let draw = draw(more);
        fragment(&draw).interpolants.values().skip(1).map(|own| own.mode).collect::<Vec<_>>()
    };
    assert_eq!(modes(&[(0x12d4, &[0x1d00])]), [InterpolantMode::FlatPerspective; 4]);
    // Two are smooth; the second of the four is linear.
    let mixed = modes(&[(0x1988, &[8 << 24 | 2 << 16 | 4 << 8 | 4]), (0x1540, &[1 << 5])]);
    let [perspective, linear, flat] = [InterpolantMode::Perspective, InterpolantMode::Linear, InterpolantMode::Flat];
    assert_eq!(mixed, [perspective, linear, flat, flat]);
    let two_sided = draw(&[(0x1904, &[0x04_0004]), (0x1688, &[1])]);
    let back = Some(OutputComponent { slot: 0, component: 3 });
    let source = InterpolantSource::Output { front: OutputComponent { slot: 1, component: 3 }, back };
    assert_eq!(fragment(&two_sided).interpolants[&4].source, source);
    assert!(two_sided.raster.two_sided_color);
}

#[test]
fn a_slot_is_the_number_of_the_primitive() {
    let slot = |more: Methods<'_>| fragment(&draw(more)).interpolants[&3];
    let numbered = slot(&[(0x1914, &[6])]);
    assert_eq!((numbered.source, numbered.mode), (InterpolantSource::PrimitiveNumber, InterpolantMode::Flat));
    assert_eq!(slot(&[(0x1914, &[5])]).source, output(1, 2));
}

#[test]
fn sprites_and_distances() {
    let draw = draw(&[
        (0x1520, &[1]),
        (0x13c0, &[0x4321_0000]),
        (0x1908, &[2 << 8 | 4]),
        (0x1510, &[3]),
        (0x1940, &[0x10]),
        (0x1910, &[7 << 4 | 1]),
    ]);
    let sprites: Vec<_> = fragment(&draw).interpolants.values().skip(1).map(|own| own.sprite).collect();
    let values = [SpriteValue::S, SpriteValue::T(WindowOrigin::LowerLeft), SpriteValue::Zero, SpriteValue::One];
    assert_eq!(sprites, values.map(Some));
    assert_eq!(draw.outputs.point_size, Some(OutputComponent { slot: 1, component: 3 }));
    assert_eq!(draw.outputs.clip_distances[1], Some(OutputComponent { slot: 1, component: 1 }));
    assert_eq!(draw.outputs.clip_distances[2], None);
    assert_eq!(draw.viewport.clip_planes[..3], [ClipPlane::KeepsNonNegative, ClipPlane::CullsNegative, ClipPlane::Off]);
}

#[test]
fn blending_depth_and_masks() {
    let draw = draw(&[
        (0x1360, &[1]),
        (0x133c, &[1]),
        (0x1344, &[0x4302, 0xc902]),
        (0x12cc, &[1]),
        (0x12e8, &[1]),
        (0x130c, &[0x203]),
        (0x1a00, &[0x1011]),
        (0x13a8, &[0x11]),
    ]);
    let blend = draw.rop.blend[0].unwrap();
    assert_eq!((blend.source[0], blend.destination[0]), (BlendFactor::SourceAlpha, BlendFactor::SecondAlpha));
    assert_eq!(blend.source[1], BlendFactor::One);
    let depth = draw.rop.depth_test.unwrap();
    assert_eq!((depth.compare, depth.writes), (Compare::LessEqual, true));
    assert_eq!((draw.rop.color_mask[0], draw.rop.clamped_colors), (0b1011, 0b11));
}

#[test]
fn targets_blend_by_functions_of_their_own() {
    // Targets 0 and 2 are enabled; 2 alone is not as after a reset: alpha minus, by constants, and colors for alpha too.
    let own: Methods<'_> = &[
        (0x135c, &[0]),
        (0x1360, &[1, 0, 1]),
        (0x12e4, &[1]),
        (0x1340, &[0x8008, 0x4306, 0x4306, 0x8008, 0x4306]),
        (0x1e44, &[0x800a, 0x4302, 0x4303, 0x8007, 0xc003, 0xc004]),
    ];
    let blends = draw(own).rop.blend;
    let blend = |functions: [(BlendEquation, BlendFactor, BlendFactor); 2]| Blend {
        equation: functions.map(|(equation, ..)| equation),
        source: functions.map(|(_, source, _)| source),
        destination: functions.map(|(.., destination)| destination),
    };
    let replaced = (BlendEquation::Add, BlendFactor::One, BlendFactor::Zero);
    let color = (BlendEquation::Subtract, BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha);
    let alpha = (BlendEquation::Min, BlendFactor::ConstantAlpha, BlendFactor::OneMinusConstantAlpha);
    assert_eq!(blends[..4], [Some(blend([replaced; 2])), None, Some(blend([color, alpha])), None]);
    let shared = draw(&[own, &[(0x1e40, &[0])]].concat()).rop.blend;
    assert_eq!(shared[2], Some(blend([color; 2])));
    // Without the switch both have those of all targets.
    let common = draw(&[own, &[(0x12e4, &[0])]].concat()).rop.blend;
    assert_eq!(common[0].unwrap().equation, [BlendEquation::Max; 2]);
    assert_eq!(common[0], common[2]);
}

#[test]
fn programs_run_for_samples() {
    // Eight samples; a depth, and a mask of samples before it.
    let set_up: Methods<'_> = &[(0x15d0, &[3]), (0x1534, &[1]), (0x19a8, &[0x100]), (0x1298, &[6]), (0x1928, &[3])];
    let drawn = |more: Methods<'_>| fragment(&draw(&[set_up, more].concat())).clone();
    let masked = drawn(&[]);
    assert_eq!((masked.samples, masked.results.sample_mask), (ShadedSamples::Each, Some(4)));
    assert_eq!((masked.results.depth, masked.results.colors[0]), (Some(5), Some(0)));
    let samples = |more: Methods<'_>| drawn(&[&[(0x1298, &[5][..]), (0x1928, &[0])], more].concat()).samples;
    assert_eq!(samples(&[(0x169c, &[0x12])]), ShadedSamples::Each);
    assert_eq!(samples(&[(0x1928, &[2])]), ShadedSamples::Each);
    assert_eq!(samples(&[(0x169c, &[0x11])]), ShadedSamples::Together);
    assert_eq!(samples(&[(0x169c, &[2])]), ShadedSamples::Together);
    // Pixels without samples have no mask.
    let single = drawn(&[(0x1534, &[0])]);
    assert_eq!((single.samples, single.results.sample_mask), (ShadedSamples::Together, None));
}

#[test]
fn packed_vertices_and_packed_indices() {
    let elements = |more: Methods<'_>| match command(&[STATE, more]) {
        GpuCommand::Draw(draw) => draw.elements,
        _ => panic!("a draw"),
    };
    // The words of a method that does not increase are written one by one.
    let vertex = [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits);
    let words: Vec<(u32, &[u32])> = vertex.iter().map(|word| (0x1640, std::slice::from_ref(word))).collect();
    let packed = [&[(0x900, &[0][..]), (0x15dc, &[0])], &words[..], &[(0x15e0, &[0])]].concat();
    let Elements::Immediate(vertices) = elements(&packed) else { panic!("vertices") };
    assert_eq!(vertices.iter().map(|vertex| vertex[0]).collect::<Vec<_>>(), [vertex]);
    // The first half word of three is skipped, and the last one is beyond the count.
    let set_up = [(0x15dc, &[4][..]), (0x15ec, &[1 << 31 | 2]), (0x15f0, &[7 << 16 | 9]), (0x15f0, &[6 << 16 | 8])];
    assert_eq!(elements(&[&set_up[..], &[(0x15e0, &[0])]].concat()), Elements::Inline(vec![7, 8]));
}

/// The elements of a packet are taken at once; packets of one word each mean the same. Those of `VERTEX_DATA` have four words.
#[test]
fn elements_of_a_packet_follow_one_another() {
    let set_up = |address| [(0x900, &[0][..]), (0x15dc, &[0]), (address, &[1 << 30 | 37])];
    let values: Vec<u32> = (0..40_u32).map(|number| number / 2 * 0x0301_0005).collect();
    // VB_ELEMENT_U8, VB_ELEMENT_U16, VB_ELEMENT_U32, VERTEX_DATA, and EDGEFLAG, which is none of them.
    for (method, limit, elements) in
        [(0x1304, 0x1300, 37), (0x15f0, 0x15ec, 37), (0x15e8, 0x15ec, 40), (0x1640, 0x15ec, 10), (0x15e4, 0x15ec, 0)]
    {
        let first = words(&[STATE, &set_up(limit)]);
        let count = u32::try_from(values.len()).unwrap();
        let packet = [vec![1 << 30 | count << 18 | method], values.clone()].concat();
        let alone: Vec<u32> = values.iter().flat_map(|value| [1 << 18 | method, *value]).collect();
        let end = [1 << 18 | 0x15e0, 0];
        let run = |elements: &[u32]| run_words([&first[..], elements, &end].concat());
        let ((whole, drawn), (single, expected)) = (run(&packet), run(&alone));
        assert_eq!(drawn.work, expected.work, "{method:#x}");
        let counts = |chip: &Chip| (chip.counts().methods, chip.counts().state_changes);
        assert_eq!(counts(&whole), counts(&single), "{method:#x}");
        assert_eq!(whole.counts().packets + u64::from(count) - 1, single.counts().packets);
        let found = drawn.work.first().map(|command| match command {
            GpuCommand::Draw(draw) => match &draw.elements {
                Elements::Inline(indices) => indices.len(),
                Elements::Immediate(vertices) => vertices.len(),
                _ => 0,
            },
            _ => 0,
        });
        assert_eq!(found.unwrap_or(0), elements, "{method:#x}");
    }
}

#[test]
fn numbers_of_direct3d_and_what_stream_output_wrote() {
    let begin = |number: u32| (0x15d4, [number]);
    let drawn = |number: u32, elements: Methods<'_>| {
        let (method, number) = begin(number);
        let end: Methods<'_> = &[(0x15d8, &[0])];
        match command(&[STATE, &[(method, &number)], elements, end]) {
            GpuCommand::Draw(draw) => (draw.primitive, draw.elements),
            _ => panic!("a draw"),
        }
    };
    let elements: Methods<'_> = &[(0xd74, &[2, 6])];
    assert_eq!(drawn(1, elements).0, PrimitiveType::Points);
    assert_eq!(drawn(5, elements), (PrimitiveType::TriangleStrip, Elements::Ranges(vec![(2, 6)])));
    // 16 bytes before the vertices, of 20 bytes each; the last one is not whole.
    let streamed: Methods<'_> = &[(0x13a4, &[16]), (0x1318, &[20]), (0x123c, &[16 + 20 * 7 + 3])];
    assert_eq!(drawn(4, streamed), (PrimitiveType::Triangles, Elements::Ranges(vec![(0, 7)])));
}

/// A report of the place behind the vertices of buffer 1, before and after a draw.
#[test]
fn the_end_of_a_buffer_of_stream_output_is_reported() {
    let state: Methods<'_> = &[
        (0x1294, &[0x22]),
        (0x1480, &[0, 0x8580]),
        (0x1a80, &[0, VERTICES, 4, 0x100]),
        (0x1a90, &[0, VERTICES + 0x1000, 3, 0x100]),
        (0x1780, &[0, 24]),
        (0xda4, &[1]),
        (0x17b8, &[1]),
    ];
    let query: Methods<'_> = &[(0x1b00, &[0, CONSTANTS, 7, 0x0d00_5022])];
    let reports = |parts: &[Methods<'_>]| {
        let (chip, engine) = run(parts);
        assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
        let reports = engine.work.into_iter().filter_map(|command| match command {
            GpuCommand::WriteReport { report, .. } => Some((report.words[..2].to_vec(), report.factor)),
            _ => None,
        });
        reports.collect::<Vec<_>>()
    };
    assert_eq!(reports(&[STATE, state, query]), []);
    assert_eq!(reports(&[STATE, state, TRIANGLE, query]), [(vec![7, 24], 12)]);
}

/// The counters that Mesa's driver asks for. A draw that only counts has no pixels.
#[test]
fn stages_are_counted_once_a_report_has_asked() {
    let query = |value: u32| [(0x1b00, [0, CONSTANTS, 7, value])];
    let reported = |value: u32| {
        let query = query(value);
        let parts = query.each_ref().map(|(method, values)| (*method, &values[..]));
        let GpuCommand::WriteReport { report, .. } = command(&[&parts]) else { panic!("a report") };
        assert_eq!(report.place, 0);
        report.counter
    };
    let counters = [
        (0x0080_1002, PipelineCounter::FetchedVertices),
        (0x0180_1002, PipelineCounter::FetchedPrimitives),
        (0x0280_2002, PipelineCounter::VertexThreads),
        (0x0380_6002, PipelineCounter::GeometryThreads),
        (0x0480_6002, PipelineCounter::EmittedPrimitives),
        (0x0780_4002, PipelineCounter::RasterizerInputs),
        (0x0880_4002, PipelineCounter::RasterizerOutputs),
        (0x0980_a002, PipelineCounter::Pixels),
    ];
    for (value, counter) in counters {
        assert_eq!(reported(value), ReportedCounter::Pipeline(counter), "{value:#x}");
    }
    // Other units have no counter; their report is the sequence alone.
    for unit in [0, 7, 12] {
        let query: Methods<'_> = &[(0x1b00, &[0, CONSTANTS, 7, unit << 12 | 2])];
        let (chip, engine) = run(&[query]);
        assert!(chip.anomalies().is_empty() && engine.work.is_empty(), "{:?}", engine.work);
    }
    let hidden: Methods<'_> = &[(0x17b4, &[0])];
    assert!(run(&[STATE, hidden, TRIANGLE]).1.work.is_empty());
    let query: Methods<'_> = &[(0x1b00, &[0, CONSTANTS, 7, 0x0080_1002])];
    let (_, engine) = run(&[STATE, hidden, query, TRIANGLE]);
    let [GpuCommand::WriteReport { .. }, GpuCommand::Draw(draw)] = &engine.work[..] else { panic!("a report, a draw") };
    assert!(draw.raster.clip.is_empty() && draw.stream_out.is_none());
    // Nor has one with stream output that has no buffers.
    let (_, engine) = run(&[STATE, hidden, &[(0x17b8, &[1])], TRIANGLE]);
    let [GpuCommand::Draw(draw)] = &engine.work[..] else { panic!("a draw") };
    assert!(draw.raster.clip.is_empty() && draw.stream_out.is_none());
}

#[test]
fn stream_output_names_slots_by_their_words() {
    let draw = draw(&[
        (0x1294, &[1]),
        (0x1480, &[0, 0x8081]),
        (0x1a80, &[0, VERTICES + 0x100, 2]),
        (0xda8, &[1]),
        (0xda4, &[1]),
        (0x17b8, &[1]),
    ]);
    let stream = draw.stream_out.unwrap();
    let word = |component| Some(VertexWord::Output(OutputComponent { slot: 1, component }));
    assert_eq!(stream.buffers[0].words, [word(1), word(0)]);
    // One triangle of two words a vertex.
    assert_eq!((stream.buffers[0].stride, stream.buffers[0].window.bytes), (8, 24));
    assert!(!stream.continues && stream.rasterizes);
}

#[test]
fn a_clear_fills_one_target_inside_the_viewport() {
    let command = command(&[
        STATE,
        &[
            (0xd80, &[ONE, 0, 0x3f00_0000, ONE, 0x3f00_0000]),
            (0xda0, &[0x55]),
            (0x143c, &[0x10]),
            (0xc00, &[50 << 16 | 10, 20 << 16]),
            (0x19d0, &[0x3f]),
        ],
    ]);
    let GpuCommand::Clear(clear) = command else { panic!("a clear") };
    assert_eq!(clear.color[0], 0xff80_00ff);
    assert_eq!(clear.zeta[0], 0x5580_0000);
    assert_eq!((clear.color_mask, clear.clears_depth, clear.clears_stencil), (0xf, true, true));
    assert_eq!(clear.rect, Rect { x: 10, y: 0, width: 50, height: 20 });
}

/// The color target is in no buffer any more, and smaller.
#[test]
fn a_clear_of_depth_alone_leaves_color_targets_out() {
    let command = command(&[STATE, &[(0x204, &[0x7000_0000]), (0x1240, &[8, 8]), (0x19d0, &[3])]]);
    let GpuCommand::Clear(clear) = command else { panic!("a clear") };
    assert_eq!((clear.targets.color[0], clear.color_mask), (None, 0));
    assert!(clear.clears_depth && clear.clears_stencil && clear.targets.zeta.is_some());
    assert_eq!(clear.rect, Rect { x: 0, y: 0, width: 100, height: 60 });
}

/// The depth surface has no format, as in a clear of Mesa's driver before it has drawn, and is smaller.
#[test]
fn a_clear_of_color_alone_leaves_the_depth_surface_out() {
    let command = command(&[STATE, &[(0xfe8, &[0]), (0x1228, &[8, 8]), (0x19d0, &[0x3c])]]);
    let GpuCommand::Clear(clear) = command else { panic!("a clear") };
    assert_eq!((clear.targets.zeta, clear.color_mask), (None, 0xf));
    assert!(!clear.clears_depth && !clear.clears_stencil);
    assert_eq!(clear.rect, Rect { x: 0, y: 0, width: 100, height: 60 });
}

#[test]
fn what_is_not_executed_is_counted() {
    let notes = |parts: &[Methods<'_>]| run(parts).0.anomalies().lines().join("\n");
    assert!(notes(&[STATE, &[(0x15d0, &[8])], TRIANGLE]).contains("coverage samples are not implemented"));
    assert!(notes(&[&[(0x15d4, &[6])]]).contains("illegal value"));
    assert!(notes(&[&[(0x15d4, &[4]), (0x123c, &[96])]]).contains("illegal value"));
    assert!(notes(&[STATE, &[(0x208, &[0xfb])], TRIANGLE]).contains("the color format is unknown"));
    assert!(notes(&[&[(0x15dc, &[0x77])]]).contains("illegal value"));
    assert!(notes(&[&[(0xd74, &[0, 3])]]).contains("no primitive has begun"));
}

#[test]
fn conditions_skip_draws_and_clears() {
    for (mode, drawn) in [(0, 0), (1, 2), (2, 0), (3, 2), (4, 0)] {
        let (chip, engine) = run(&[STATE, &[(0x1550, &[0, CONSTANTS, mode])], TRIANGLE, &[(0x19d0, &[0x3f])]]);
        assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
        assert_eq!(engine.work.len(), drawn, "{mode}");
    }
}
