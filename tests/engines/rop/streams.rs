//! Streams of methods through the chip and both engines: queries, conditional rendering, fences, notifiers, targets and
//! depth, with the resulting bytes in memory.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::common;
use curie::capture::Capture;
use curie::chip::{Chip, Reason};
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D};
use curie::command::methods::three_d::{draw, program, raster, rop, sync, targets, vertex};
use curie::isa::nv40_fragment::{FragmentField, FragmentWord};
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::reference::Reference;

/// The location of the builder's first buffers.
const NOTIFIERS: u32 = 0x10_0000;
const PROGRAM: u32 = 0x10_0000;
const COLOR: u32 = 0x10_1000;
const SECOND: u32 = 0x10_2000;
const ZETA: u32 = 0x10_3000;
const END: u32 = 0x10_4000;
/// Side of the targets in pixels; rows are 64 bytes.
const SIDE: u32 = 16;

/// A target of 16×16 32-bit pixels, and programs that pass position and color through.
fn scene() -> StreamBuilder {
    let mut stream = StreamBuilder::new();
    stream.bind_three_d();
    stream.methods(THREE_D, targets::RT_HORIZ, &[SIDE << 16, SIDE << 16, 0x148, 64, COLOR, ZETA]);
    stream.methods(THREE_D, targets::COLOR1_OFFSET, &[SECOND, 64]);
    stream.method(THREE_D, targets::ZETA_PITCH, 64);
    // MOV o0, v0 and MOV o1, v3, as drivers write them; positions are window coordinates.
    stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80]);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[0x401f_9c6c, 0x0040_030d, 0x8106_c083, 0x6041_ff85]);
    stream.method(THREE_D, program::VP_START_FROM_ID, 0);
    stream.method(THREE_D, program::ENGINE, 0x103);
    stream.methods(THREE_D, program::VP_ATTRIB_EN, &[0b1001, 1]);
    stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, PROGRAM | 1);
    stream.method(THREE_D, program::FP_CONTROL, 0x0200_0440);
    stream.method(THREE_D, rop::DITHER_ENABLE, 0);
    stream
}

/// MOV R0, f[COL0]; MOV R2, f[COL0]; the end.
fn fragment_program() -> Vec<u8> {
    let in_place = 0b11_10_01_00;
    let word = FragmentWord([0, 1 | in_place << 9, in_place << 9, in_place << 9])
        .with(FragmentField::OPCODE, 1)
        .with(FragmentField::INPUT, 1)
        .with(FragmentField::WRITE_MASK, 15)
        .with(FragmentField::CONDITION, 7)
        .with(FragmentField::CONDITION_SWIZZLE, in_place);
    let last = word.with(FragmentField::DESTINATION, 2).with(FragmentField::END, 1);
    [word.0, last.0].as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A rectangle of one color at one depth.
fn rectangle(stream: &mut StreamBuilder, [left, top, right, bottom]: [f32; 4], depth: f32, color: [f32; 4]) {
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 8);
    stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 3 * 16, &color);
    for [x, y] in [[left, top], [right, top], [right, bottom], [left, bottom]] {
        stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[x, y, depth, 1.0]);
    }
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
}

const ALL: [f32; 4] = [0.0, 0.0, 16.0, 16.0];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

fn capture(stream: StreamBuilder) -> Capture {
    let mut builder = CaptureBuilder::new();
    let buffer = builder.buffer(MemorySpace::Vram, u64::from(END - PROGRAM));
    assert_eq!(u32::try_from(buffer.offset).unwrap(), PROGRAM);
    builder.write(&buffer, &fragment_program());
    builder.submit(stream);
    builder.finish()
}

/// The chip and all memory after a stream.
struct Run {
    chip: Chip,
    memory: [Vec<u8>; 2],
}

impl Run {
    fn word(&self, space: MemorySpace, address: u32) -> u32 {
        let start = address as usize;
        u32::from_le_bytes(self.memory[space as usize][start..start + 4].try_into().unwrap())
    }

    fn pixel(&self, surface: u32, x: u32, y: u32) -> u32 {
        self.word(MemorySpace::Vram, surface + 64 * y + 4 * x)
    }

    fn notifier(&self, offset: u32) -> [u32; 4] {
        [0, 4, 8, 12].map(|word| self.word(MemorySpace::Gart, NOTIFIERS + offset + word))
    }

    fn reasons(&self) -> Vec<(u16, Reason)> {
        self.chip.anomalies().iter().map(|(anomaly, _)| (anomaly.method, anomaly.reason.clone())).collect()
    }
}

fn run_on(capture: &Capture, engine: &mut dyn Engine) -> Run {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let memory = MemorySpace::ALL.map(|space| {
        let mut bytes = vec![0; engine.memory_extent(space) as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes: u32::MAX }, &mut bytes).unwrap();
        bytes
    });
    Run { chip, memory }
}

/// Runs a stream on the reference, and on the kernels if there is an adapter: every byte is the same.
fn run(stream: StreamBuilder) -> Run {
    let capture = capture(stream);
    let header = capture.header;
    let expected = run_on(&capture, &mut Reference::new(header.vram_bytes, header.gart_bytes).unwrap());
    if let Some(gpu) = common::gpu() {
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
        let actual = run_on(&capture, &mut kernels);
        assert_eq!(expected.reasons(), actual.reasons());
        assert_eq!(difference(&expected, &actual), None);
    }
    expected
}

/// The space and byte of the first difference between two runs.
fn difference(left: &Run, right: &Run) -> Option<(MemorySpace, usize)> {
    MemorySpace::ALL.into_iter().find_map(|space| {
        let pair = left.memory[space as usize].iter().zip(&right.memory[space as usize]);
        pair.enumerate().find_map(|(index, (left, right))| (left != right).then_some((space, index)))
    })
}

#[test]
fn a_planted_difference_is_seen() {
    let capture = capture(scene());
    let mut runs = [(); 2].map(|()| run_on(&capture, &mut Reference::new(capture.header.vram_bytes, 1 << 24).unwrap()));
    assert_eq!(difference(&runs[0], &runs[1]), None);
    runs[1].memory[0][COLOR as usize + 5] ^= 1;
    assert_eq!(difference(&runs[0], &runs[1]), Some((MemorySpace::Vram, COLOR as usize + 5)));
}

#[test]
fn reports_count_passing_samples_and_tell_the_same_time() {
    let build = || {
        let mut stream = scene();
        stream.method(THREE_D, rop::DEPTH_FUNC, 0x201);
        stream.methods(THREE_D, rop::DEPTH_WRITE_ENABLE, &[1, 1]);
        stream.methods(THREE_D, targets::CLEAR_DEPTH_VALUE, &[0x8000_0000, 0, 1]);
        rectangle(&mut stream, ALL, 0.25, RED);
        stream.method(THREE_D, sync::QUERY_GET, 0x0100_0000);
        stream.methods(THREE_D, sync::QUERY_RESET, &[1, 1]);
        rectangle(&mut stream, [0.0, 0.0, 8.0, 4.0], 0.125, RED);
        rectangle(&mut stream, [8.0, 0.0, 16.0, 4.0], 0.75, RED);
        stream.method(THREE_D, sync::QUERY_GET, 0x0100_0020);
        rectangle(&mut stream, [0.0, 4.0, 4.0, 8.0], 0.125, RED);
        stream.method(THREE_D, sync::QUERY_ENABLE, 0);
        rectangle(&mut stream, [0.0, 8.0, 4.0, 12.0], 0.125, RED);
        stream.method(THREE_D, sync::QUERY_GET, 0x0100_0040);
        // The counters of z-cull are zero, while 48 samples have passed.
        for counter in 2..5 {
            stream.method(THREE_D, sync::QUERY_GET, counter << 24 | (0xa0 + 0x20 * (counter - 2)));
        }
        stream.method(THREE_D, sync::QUERY_RESET, 2);
        stream.method(THREE_D, sync::QUERY_GET, 0x0500_0060);
        stream.method(THREE_D, sync::QUERY_GET, 0x0600_0080);
        stream
    };
    let first = run(build());
    let report = |run: &Run, offset: u32| run.notifier(0x40 + offset);
    let counts: Vec<_> = [0, 0x20, 0x40, 0x60].map(|offset| report(&first, offset)[2]).to_vec();
    assert_eq!(counts, [0, 32, 48, 0]);
    let times = [0, 0x20, 0x40, 0x60].map(|offset| report(&first, offset)[0]);
    assert!(times.is_sorted() && times[0] > 0, "{times:?}");
    assert!([0, 0x20, 0x40, 0x60].iter().all(|offset| report(&first, *offset)[3] == 0));
    assert_eq!(first.reasons(), [(sync::QUERY_GET, Reason::IllegalValue)]);
    assert_eq!(report(&first, 0x80), [0; 4]);
    for offset in [0xa0, 0xc0, 0xe0] {
        let [time, _, count, status] = report(&first, offset);
        assert!(time > 0 && [count, status] == [0, 0], "{offset:#x}");
    }
    let second = run(build());
    assert_eq!(times, [0, 0x20, 0x40, 0x60].map(|offset| report(&second, offset)[0]));
}

#[test]
fn conditional_rendering_lets_draws_and_clears_through() {
    let mut stream = scene();
    stream.methods(THREE_D, sync::QUERY_RESET, &[1, 1]);
    rectangle(&mut stream, [0.0, 0.0, 2.0, 1.0], 0.5, RED);
    stream.method(THREE_D, sync::QUERY_GET, 0x0100_0000);
    stream.method(THREE_D, sync::QUERY_RESET, 1);
    stream.method(THREE_D, sync::QUERY_GET, 0x0100_0020);
    // The second report is zero.
    stream.method(THREE_D, sync::RENDER_ENABLE, 0x0200_0020);
    rectangle(&mut stream, [4.0, 0.0, 6.0, 1.0], 0.5, RED);
    stream.methods(THREE_D, targets::CLEAR_RECT_HORIZ, &[0x000f_0000, 0x0002_0002]);
    stream.methods(THREE_D, targets::CLEAR_COLOR_VALUE, &[0x1234_5678, 0xf0]);
    // The first is not.
    stream.method(THREE_D, sync::RENDER_ENABLE, 0x0200_0000);
    rectangle(&mut stream, [0.0, 4.0, 2.0, 5.0], 0.5, RED);
    stream.methods(THREE_D, targets::CLEAR_RECT_VERT, &[0x0006_0006]);
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 0xf0);
    stream.method(THREE_D, sync::RENDER_ENABLE, 0x0200_0020);
    stream.method(THREE_D, sync::RENDER_ENABLE, 0);
    rectangle(&mut stream, [0.0, 5.0, 2.0, 6.0], 0.5, RED);
    let run = run(stream);
    assert_eq!(run.reasons(), []);
    let red = 0xffff_0000;
    assert_eq!(
        [[0, 0], [4, 0], [3, 2], [0, 4], [3, 6], [0, 5]].map(|[x, y]| run.pixel(COLOR, x, y)),
        [red, 0, 0, red, 0x1234_5678, red]
    );
}

#[test]
fn fences_and_notifiers_follow_the_stream() {
    let mut stream = scene();
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0x10, 7]);
    stream.method(THREE_D, sync::TEXTURE_READ_FENCE_VALUE, 9);
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0, 8]);
    // The method after NOTIFY completes it.
    stream.method(THREE_D, sync::NOTIFY, 0);
    let mut waiting = stream.clone();
    stream.method(THREE_D, sync::NOP, 0);
    stream.method(THREE_D, sync::WAIT_FOR_IDLE, 0);
    let run_words = |stream| {
        let run = run(stream);
        assert_eq!(run.reasons(), []);
        ([0, 0x10].map(|offset| run.notifier(offset)[0]), run.notifier(0x20))
    };
    let (fences, notifier) = run_words(stream);
    assert_eq!(fences, [8, 9]);
    assert!(notifier[0] > 0 && notifier[1..] == [0; 3], "{notifier:?}");
    assert_eq!(run_words(waiting.clone()).1, [0; 4], "nothing came after it");
    waiting.method(THREE_D, sync::NOTIFY, 1);
    waiting.method(THREE_D, sync::DMA_NOTIFY, 0);
    assert!(run_words(waiting).1[0] > 0);
}

#[test]
fn flips_count_buffers() {
    let buffers = |counters: [u32; 4], waits: bool| {
        let mut stream = scene();
        stream.methods(THREE_D, sync::FLIP_SET_READ, &counters);
        if waits {
            stream.method(THREE_D, sync::FLIP_WAIT, 0);
        }
        let run = run(stream);
        assert_eq!(run.reasons(), []);
        run.chip.flip_buffers()
    };
    // Of three buffers, the first follows the last.
    assert_eq!(buffers([1, 2, 3, 0], false), (1, 0));
    assert_eq!(buffers([1, 0, 0, 0], false), (1, 1));
    // The buffer that the client waits for is free once the display shows the next.
    assert_eq!(buffers([1, 0, 0, 0], true), (2, 1));
}

#[test]
fn z_cull_never_changes_a_byte() {
    let build = |with_cull: bool| {
        let mut stream = scene();
        let cull = |stream: &mut StreamBuilder, values: &[(u16, u32)]| {
            for (method, value) in values.iter().filter(|_| with_cull) {
                stream.method(THREE_D, *method, *value);
            }
        };
        let all = [
            (sync::ZCULL_EN, 3),
            (sync::ZCULL_STATS_ENABLE, 1),
            (sync::ZCULL_CONTROL0, 0x11),
            (sync::ZCULL_CONTROL1, 0x0200_0200),
            (sync::SCULL_CONTROL, 0x0180_0002),
            (sync::SURFACE_COMPRESSION, 0),
            (sync::CLEAR_ZCULL_SURFACE, 3),
            (sync::INVALIDATE_ZCULL, 0),
            (sync::ZCULL_SYNC, 1),
        ];
        cull(&mut stream, &all);
        stream.method(THREE_D, rop::DEPTH_FUNC, 0x201);
        stream.methods(THREE_D, rop::DEPTH_WRITE_ENABLE, &[1, 1]);
        stream.methods(THREE_D, targets::CLEAR_DEPTH_VALUE, &[0xffff_ff00, 0, 0xf3]);
        rectangle(&mut stream, [0.0, 0.0, 9.0, 9.0], 0.25, RED);
        cull(&mut stream, &[(sync::ZCULL_EN, 0), (sync::ZCULL_EN, 3), (sync::INVALIDATE_ZCULL, 1)]);
        // The clear makes room again; a zcull buffer that missed it would discard the second rectangle.
        stream.methods(THREE_D, targets::CLEAR_RECT_HORIZ, &[0x0007_0000, 0x0007_0000]);
        stream.method(THREE_D, targets::CLEAR_BUFFERS, 1);
        rectangle(&mut stream, ALL, 0.5, [0.0, 1.0, 0.0, 1.0]);
        stream
    };
    let [plain, culled] = [false, true].map(|with_cull| run(build(with_cull)));
    assert_eq!(culled.reasons(), []);
    assert_eq!(plain.memory[0], culled.memory[0]);
    assert_eq!(
        [[0, 0], [8, 8], [15, 15]].map(|[x, y]| culled.pixel(COLOR, x, y)),
        [0xff00_ff00, 0xffff_0000, 0xff00_ff00]
    );
}

#[test]
fn target_selection_masks_and_shared_pixels() {
    let draw = |enabled: u32, second: u32| {
        let mut stream = scene();
        stream.method(THREE_D, targets::RT_ENABLE, enabled);
        stream.method(THREE_D, targets::COLOR1_OFFSET, second);
        // The first target writes red and alpha, the second only green.
        stream.method(THREE_D, rop::COLOR_MASK, 0x0101_0000);
        stream.method(THREE_D, rop::MRT_COLOR_MASK, 0x0040);
        rectangle(&mut stream, ALL, 0.5, [1.0, 0.2, 1.0, 1.0]);
        let run = run(stream);
        assert_eq!(run.reasons(), []);
        [COLOR, SECOND].map(|surface| run.pixel(surface, 3, 3))
    };
    assert_eq!(draw(0, SECOND), [0, 0]);
    assert_eq!(draw(1, SECOND), [0xffff_0000, 0]);
    assert_eq!(draw(2, SECOND), [0, 0xffff_0000], "a single target takes colour 0 and the first mask");
    assert_eq!(draw(0x13, SECOND), [0xffff_0000, 0x3300]);
    assert_eq!(draw(0x13, COLOR), [0xffff_3300, 0], "surfaces that share every pixel");
}

#[test]
fn depth_in_floats() {
    let mut stream = scene();
    stream.method(THREE_D, targets::CONTROL0, 0x0010_1000);
    stream.method(THREE_D, rop::DEPTH_FUNC, 0x201);
    stream.methods(THREE_D, rop::DEPTH_WRITE_ENABLE, &[1, 1]);
    // 1.0 and stencil 0x5a.
    stream.methods(THREE_D, targets::CLEAR_DEPTH_VALUE, &[0x7f00_005a, 0, 0xf3]);
    rectangle(&mut stream, [0.0, 0.0, 8.0, 16.0], 0.3, RED);
    stream.methods(THREE_D, rop::DEPTH_BOUNDS_TEST_ENABLE, &[1, 0.25f32.to_bits(), 0.5f32.to_bits()]);
    rectangle(&mut stream, [4.0, 0.0, 12.0, 16.0], 0.1, [0.0, 0.0, 1.0, 1.0]);
    let run = run(stream);
    assert_eq!(run.reasons(), []);
    let stored = |depth: f32| (depth.to_bits() + 0x40) >> 7 << 8 | 0x5a;
    let zeta = [0, 4, 8].map(|x| run.pixel(ZETA, x, 5));
    assert_eq!(zeta, [stored(0.3), stored(0.1), 0x7f00_005a]);
    assert_eq!([0, 4, 8].map(|x| run.pixel(COLOR, x, 5)), [0xffff_0000, 0xff00_00ff, 0]);
}

#[test]
fn colors_on_the_srgb_curve_and_dithered() {
    let mut stream = scene();
    stream.method(THREE_D, targets::SHADER_PACKER, 1);
    // 0.5 is 187.515 of 255 on the curve; alpha stays linear.
    rectangle(&mut stream, ALL, 0.5, [0.5, 0.0, 1.0, 0.5]);
    // Halfway between 15 and 16 of 31: half of the pixels in the pattern.
    stream.methods(THREE_D, targets::RT_FORMAT, &[0x123, 64, SECOND]);
    stream.method(THREE_D, rop::DITHER_ENABLE, 1);
    rectangle(&mut stream, ALL, 0.5, [0.5, 0.0, 1.0, 1.0]);
    let run = run(stream);
    assert_eq!(run.reasons(), []);
    assert_eq!(run.pixel(COLOR, 7, 7), 0x80bc_00ff);
    let reds: Vec<_> = (0..16u32)
        .map(|place| run.word(MemorySpace::Vram, SECOND + 64 * (place / 4) + 4 * (place % 4 / 2)) >> (16 * (place % 2)))
        .map(|pixel| ((pixel >> 11) & 31, pixel & 0x7ff))
        .collect();
    assert!(reds.iter().all(|(_, rest)| *rest == 0x1f));
    let [low, high] = [15, 16].map(|step| reds.iter().filter(|(red, _)| *red == step).count());
    assert_eq!((low, high), (7, 9), "0.5 is 128 of 255, a little above the middle");
}

#[test]
fn what_the_chip_cannot_be_known_to_do_is_counted() {
    let mut stream = scene();
    stream.method(THREE_D, targets::CLIP_ID_TEST_ENABLE, 0);
    stream.method(THREE_D, targets::CLIP_ID_TEST_ENABLE, 1);
    stream.method(THREE_D, targets::CLEAR_CLIP_ID, 0);
    stream.methods(THREE_D, targets::RT_FORMAT, &[0x148, 64, COLOR]);
    stream.method(THREE_D, raster::DEPTH_CONTROL, 0x11);
    stream.methods(THREE_D, targets::RT_ENABLE, &[0x13]);
    // Half a surface below the first: rows of one are other rows of the other.
    stream.method(THREE_D, targets::COLOR1_OFFSET, COLOR + 512);
    rectangle(&mut stream, ALL, 0.5, RED);
    let run = run(stream);
    let methods: Vec<_> = run.reasons().iter().map(|(method, _)| *method).collect();
    assert_eq!(methods, [draw::VERTEX_BEGIN_END, targets::CLEAR_CLIP_ID, targets::CLIP_ID_TEST_ENABLE]);
    assert_eq!(run.pixel(COLOR, 0, 0), 0, "targets that overlap otherwise are refused");
}
