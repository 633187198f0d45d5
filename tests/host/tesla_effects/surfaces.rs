//! Targets, clears, stream output and reports.

use curie::format::ColorFormat;
use curie::memory::block_linear::BlockLinear;
use curie::pipeline::{GpuCommand, LayerStep, Rect, ReportedCounter, SurfaceLayout};

use super::super::tesla_draws::{
    CODE, COLOR, CONSTANTS, FRAGMENT, Methods, STATE, TRIANGLE, VERTEX, VERTICES, ZETA, draw, run_program, words,
};
use super::{commands, f, notes, place, plain_run};

#[test]
fn targets_begin_at_their_addresses() {
    let targets = draw(&[(0x204, &[COLOR + 0x100]), (0xfe4, &[ZETA + 0x200])]).targets;
    assert_eq!(targets.color[0].unwrap().window.start, place(COLOR) + 0x100);
    assert_eq!(targets.zeta.unwrap().window.start, place(ZETA) + 0x200);
}

/// Color 0 goes to target 3, and color 1 to target 7, whose rows have a pitch.
#[test]
fn colors_go_to_mapped_targets() {
    let targets: Methods<'_> = &[
        (0x200 + 32 * 3, &[0, COLOR + 0x4000, 0xcf, 0x10, 0]),
        (0x1240 + 8 * 3, &[80, 50]),
        (0x200 + 32 * 7, &[0, COLOR + 0x8000, 0xe8, 0, 0]),
        (0x1240 + 8 * 7, &[1 << 31 | 0x100, 40]),
        (0x121c, &[7 << 7 | 3 << 4 | 2]),
    ];
    let targets = draw(targets).targets;
    let [first, second] = [0, 1].map(|number| targets.color[number].unwrap());
    assert_eq!((first.format, first.window.start), (ColorFormat::A8R8G8B8, place(COLOR) + 0x4000));
    let blocks = BlockLinear { size: [320, 50, 1], log2_block: [0, 1, 0] };
    assert_eq!(first.layout, SurfaceLayout::BlockLinear { blocks, slice: 0 });
    assert_eq!((second.format, second.window.start), (ColorFormat::R5G6B5, place(COLOR) + 0x8000));
    assert_eq!(second.layout, SurfaceLayout::Linear { pitch_bytes: 0x100 });
    assert_eq!(targets.color[2..], [None; 6]);
    assert_eq!(targets.rect, Rect { x: 0, y: 0, width: 80, height: 40 });
}

#[test]
fn layers_are_apart_or_slices() {
    let layered: Methods<'_> = &[(0x15cc, &[2]), (0x1224, &[4]), (0x210, &[0x400]), (0xff0, &[0x800]), (0x1230, &[4])];
    let targets = draw(layered).targets;
    // Strides count four bytes.
    assert_eq!(targets.color[0].unwrap().window.start, place(COLOR) + 2 * 0x1000);
    assert_eq!(targets.zeta.unwrap().window.start, place(ZETA) + 2 * 0x2000);
    let volume = draw(&[layered, &[(0x1224, &[1 << 16 | 4]), (0x20c, &[0x110])]].concat()).targets;
    let blocks = BlockLinear { size: [400, 60, 4], log2_block: [0, 1, 1] };
    let color = volume.color[0].unwrap();
    assert_eq!((color.window.start, color.layout), (place(COLOR), SurfaceLayout::BlockLinear { blocks, slice: 2 }));
    let zeta = draw(&[layered, &[(0x1230, &[1 << 16 | 4])]].concat()).targets.zeta.unwrap();
    let SurfaceLayout::BlockLinear { slice: 2, .. } = zeta.layout else { panic!("a slice") };
    assert_eq!(draw(&[(0x1538, &[0])]).targets.zeta, None);
}

#[test]
fn programs_select_viewports_and_layers() {
    let selection: Methods<'_> = &[
        (0x15cc, &[1 << 16]),
        (0x1900, &[1]),
        (0xfd4, &[6]),
        (0x190c, &[5]),
        (0x1224, &[3]),
        (0x210, &[0x400]),
        (0xa00 + 15 * 32, &[f(7.0)]),
        (0xc00 + 15 * 16, &[10 << 16 | 2, 20 << 16 | 3, f(0.25), f(0.5)]),
    ];
    let selection = draw(selection).selection.unwrap();
    let slot = |slot, component| curie::pipeline::OutputComponent { slot, component };
    assert_eq!((selection.viewport, selection.layer), (Some(slot(1, 2)), Some(slot(1, 1))));
    assert_eq!((selection.layers, selection.color_steps[0]), (3, LayerStep::Bytes(0x1000)));
    let last = &selection.viewports[15];
    assert_eq!((last.scale[0], last.depth_range), (f(7.0), [f(0.25), f(0.5)]));
    assert_eq!(last.clip, Rect { x: 2, y: 3, width: 10, height: 20 });
    assert_eq!(draw(&[]).selection, None);
}

/// Buffers beyond 4 GiB, with the same state otherwise: the commands are those of buffers below.
#[test]
fn addresses_have_forty_bits() {
    let code = [VERTEX, FRAGMENT].concat();
    let low: Methods<'_> = &[
        (0xf74, &[CODE]),
        (0x1798, &[1]),
        (0x1294, &[1]),
        (0x1480, &[0, 0x8081]),
        (0x1a84, &[VERTICES + 0x100, 2]),
        (0xda8, &[1]),
        (0x17b8, &[1]),
        (0x1b04, &[CONSTANTS + 0x40, 7]),
        (0x1554, &[CODE]),
    ];
    let work = |high: u32| {
        let high_words = [0x200, 0xfe0, 0xf70, 0xf7c, 0xfa4, 0x904, 0x1080, 0x1a80, 0x1b00, 0x1550, 0x1280];
        let value = [high];
        let high_words: Vec<(u32, &[u32])> = high_words.iter().map(|method| (*method, &value[..])).collect();
        let act: Methods<'_> = &[(0x1284, &[CONSTANTS, 1 << 16 | 0x100]), (0xf00, &[1]), (0xf04, &[5]), (0x1558, &[2])];
        let report: Methods<'_> = &[(0x1b0c, &[0x0100_f002])];
        let stream = words(&[STATE, low, &high_words, act, TRIANGLE, report]);
        let (chip, engine) = run_program(high.into(), &code, stream);
        assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
        engine.work
    };
    let below = work(0);
    assert_eq!(below.len(), 2);
    assert_eq!(work(0x12), below);
}

#[test]
fn clears_are_limited_by_the_stencil_mask() {
    let clear = |flags: u32| {
        let set_up: Methods<'_> = &[(0x1398, &[0x5a]), (0x143c, &[0x10 | flags]), (0x19d0, &[2])];
        let GpuCommand::Clear(clear) = commands(&[STATE, set_up]).remove(0) else { panic!("a clear") };
        clear.stencil_mask
    };
    assert_eq!([0, 1].map(clear), [0xff, 0x5a]);
}

/// Two buffers of two and one word a vertex, up to limits in bytes, behind offsets.
#[test]
fn stream_output_has_buffers_and_limits() {
    let state: Methods<'_> = &[
        (0x1294, &[0x22]),
        (0x1480, &[0, 0x0084_8081]),
        (0x1a80, &[0, VERTICES + 0x100, 2, 0x80]),
        (0x1a90, &[0, VERTICES + 0x200, 1, 0x60]),
        (0x1780, &[0x10, 0x20]),
        (0xda4, &[0]),
        (0x17b8, &[1]),
    ];
    let stream = draw(state).stream_out.unwrap();
    let windows: Vec<_> = stream.buffers.iter().map(|buffer| (buffer.window.start, buffer.window.bytes)).collect();
    let start = place(VERTICES);
    assert_eq!(windows, [(start + 0x110, 0x70), (start + 0x220, 0x40)]);
    assert_eq!(stream.buffers.iter().map(|buffer| buffer.stride).collect::<Vec<_>>(), [8, 4]);
    assert_eq!(stream.buffers[1].words.iter().flatten().count(), 1);
    assert_eq!(draw(&[]).stream_out, None);
}

/// The second draw appends to the first. The third begins the buffer again.
#[test]
fn stream_output_begins_where_it_is_told_to() {
    let state: Methods<'_> =
        &[(0x1294, &[1]), (0x1480, &[0, 0x8081]), (0x1a80, &[0, VERTICES, 2]), (0xda8, &[1]), (0x17b8, &[1])];
    let latch: Methods<'_> = &[(0xda4, &[1])];
    let drawn = commands(&[STATE, state, TRIANGLE, TRIANGLE, latch, TRIANGLE]);
    let continues = |command: &GpuCommand| match command {
        GpuCommand::Draw(draw) => draw.stream_out.as_ref().unwrap().continues,
        _ => panic!("a draw"),
    };
    assert_eq!(drawn.iter().map(continues).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn counters_are_reported_and_reset() {
    let reports =
        commands(&[&[(0x1b00, &[0, CONSTANTS + 0x40, 7, 0x0100_f002]), (0x1b0c, &[0x0580_5002]), (0x1530, &[1])]]);
    let GpuCommand::WriteReport { window, report } = &reports[0] else { panic!("a report") };
    assert_eq!((window.start, report.counter), (place(CONSTANTS) + 0x40, ReportedCounter::PassedSamples));
    assert_eq!((report.words[0], report.place), (7, 1));
    let GpuCommand::WriteReport { report, .. } = &reports[1] else { panic!("a report") };
    assert_eq!((report.counter, report.place), (ReportedCounter::WrittenPrimitives, 0));
    assert_eq!(reports[2], GpuCommand::ResetSampleCounter);
    assert!(notes(&[&[(0x1530, &[2])]]).contains("a reset of another counter than samples"));
}

#[test]
fn fences_are_one_word() {
    let fence = commands(&[&[(0x1b00, &[0, CONSTANTS + 0x40, 7, 0x1000_f010])]]);
    let [GpuCommand::WriteFence { window, value }] = &fence[..] else { panic!("a fence") };
    assert_eq!((window.start, *value), (place(CONSTANTS) + 0x40, 7));
}

#[test]
fn nothing_is_rasterized_where_it_is_turned_off() {
    let state: Methods<'_> = &[(0x17b4, &[0])];
    assert!(plain_run(&[STATE, state, TRIANGLE]).1.work.is_empty());
}
