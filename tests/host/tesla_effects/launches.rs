//! The compute class: what a launch is.

use std::collections::BTreeMap;

use curie::format::TextureFormat;
use curie::launch::read_module;
use curie::pipeline::GpuCommand;
use curie::pipeline::launch::{ComputeLaunch, GlobalSpace};

use super::super::tesla_draws::{CODE, COLOR, CONSTANTS, ChipClasses, G92, GT215, Methods, ONE, VERTEX, run_on, words};
use super::{memory, notes, place};

/// Stores a texel's first component, times a constant.
const STORE: &str = "!!Tesla1.0\n.kernel store\n.param u32 place\n    mov b32 $r0 0x0\n    mov b32 $r1 0x0
    texfetch all $r0:$r1:$r2:$r3 $t2 $s1 $r0:$r1 0 0 0\n    mul rn f32 $r0 $r0 c2[0x4]\n    mov b32 $r8 0x0
    add b32 $r9 b32 s[place] $r8\n    exit st b32 g5[$r9] $r0\n";

const TEXTURE: [u32; 8] = [
    5 << 27 | 4 << 24 | 3 << 21 | 2 << 18 | 2 << 15 | 2 << 12 | 2 << 9 | 2 << 6 | 8,
    CONSTANTS + 0x1000,
    1 << 31 | 1 << 30 | 1 << 22 | 1 << 14,
    0,
    24,
    1 << 16 | 10,
    0,
    0,
];

/// A launch whose addresses have these upper bits.
fn launched(high: u32, more: Methods<'_>) -> (ComputeLaunch, Vec<u8>) {
    launched_on(G92, STORE, high, more)
}

fn launched_on(chip: ChipClasses, text: &str, high: u32, more: Methods<'_>) -> (ComputeLaunch, Vec<u8>) {
    let code = [&VERTEX[..], &read_module("store.tesla", text.as_bytes()).unwrap().kernels[0].code].concat();
    let address = |low: u32| [high, low];
    let [code_address, entries, samplers] = [CODE, CONSTANTS, CONSTANTS + 0x200].map(address);
    let constants = [high, CONSTANTS, 5 << 16 | 0x400];
    let query = [high, CONSTANTS + 0x800, 9, 0];
    let mut texture = TEXTURE;
    texture[2] |= high;
    let state: Methods<'_> = &[
        (0x210, &code_address),
        (0x3b4, &[0x20]),
        (0x2c0, &[10]),
        (0x220, &[5]),
        (0x29c, &[3]),
        (0x3ac, &[2 << 16 | 3, 4]),
        (0x2b4, &[1 << 16 | 24]),
        (0x3a4, &[6 << 16 | 5]),
        (0x388, &[0x77]),
        (0x3a8, &[0x80]),
        (0x374, &[2 << 8]),
        (0x600, &[0x40, 8]),
        (0x400 + 5 * 32, &[0, 0x100, 0, 0xfff, 1]),
        (0x2a4, &constants),
        (0x238, &[5]),
        (0x23c, &[0, ONE, 0, 0, 0, 0, 0, 0]),
        (0x238, &[(3 * 8) << 8 | 5]),
        (0x23c, &texture),
        (0x3c8, &[5 << 12 | 2 << 8 | 1]),
        (0x2c4, &entries),
        (0x2cc, &[3]),
        (0x22c, &samplers),
        (0x234, &[2]),
        (0x3bc, &[0x21]),
        (0x3c0, &[2 << 12 | 1 << 4 | 1, 3 << 9 | 2 << 1 | 1]),
        (0x310, &query),
    ];
    let bind: Methods<'_> = &[(0, &[0xbeef_50c0])];
    let (chip, mut engine) = run_on(chip, high.into(), &code, words(&[bind, state, more, &[(0x368, &[0])]]));
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    let launch = engine.work.iter().find_map(|command| match command {
        GpuCommand::Launch(launch) => Some((**launch).clone()),
        _ => None,
    });
    (launch.unwrap(), memory(&mut engine, CONSTANTS + 0x800, 4))
}

#[test]
fn a_launch_has_a_grid_parameters_and_memory() {
    let (ComputeLaunch { launch, .. }, report) = launched(0, &[]);
    assert_eq!((launch.grid, launch.block, launch.grid_id), ([5, 6, 1], [3, 2, 4], 0x77));
    assert_eq!((launch.shared_bytes, launch.stack_entries), (0x80, 16));
    assert_eq!((launch.stage.registers, launch.stage.local_bytes), (10, 64));
    assert_eq!(launch.parameters, [0x40, 0, 0, 0, 8, 0, 0, 0]);
    assert_eq!(launch.globals, BTreeMap::from([(5, GlobalSpace { start: 0x100, last: 0xfff })]));
    let constants = [0, ONE].map(u32::to_le_bytes).concat();
    assert_eq!(*launch.stage.constants, BTreeMap::from([(2, constants)]));
    assert!(!launch.stage.program.instructions().is_empty());
    assert_eq!(report, [9, 0, 0, 0]);
}

#[test]
fn a_launch_has_textures() {
    let (ComputeLaunch { launch, .. }, _) = launched(0, &[]);
    let textures = format!("{:?}", launch.textures);
    assert!(textures.contains(&format!("{:?}", TextureFormat::Unorm8x4)), "{textures}");
}

/// Bit 1 of `TEX_MISC`, on chips from GT200 on.
#[test]
fn launches_ask_for_cube_maps_without_seams() {
    // Sampler entry 2, with nearest filters.
    let entry = [0, 1 << 6 | 1 << 4 | 1, 0, 0, 0, 0, 0, 0];
    let is_seamless = |chip: ChipClasses, value: u32| {
        let more: Methods<'_> = &[(0x238, &[(0x80 + 2 * 8) << 8 | 5]), (0x23c, &entry), (0x3e8, &[value])];
        let (ComputeLaunch { launch, .. }, _) = launched_on(chip, &STORE.replace("texfetch", "texauto"), 0, more);
        launch.textures.state(2, 1).unwrap().sampler.is_seamless
    };
    assert_eq!([0, 1, 2, 3].map(|value| is_seamless(GT215, value)), [false, false, true, true]);
    assert!(is_seamless([0xa0, 0x8397, 0x50c0], 2));
    assert!(!is_seamless(G92, 2));
}

#[test]
fn zero_wins_in_launches_where_it_is_asked_for() {
    let program = |flags: u32| launched(0, &[(0x37c, &[flags])]).0.launch.stage.program.clone();
    assert_ne!(program(0), program(1 << 16));
    assert_eq!(*program(1 << 16), program(0).as_ref().clone().with_zero_wins(true));
}

#[test]
fn conditions_of_launches_are_counted() {
    let note = |mode: u32| notes(&[&[(0, &[0xbeef_50c0]), (0x328, &[mode])]]);
    assert!(note(2).contains("launches under a condition"));
    assert_eq!(note(1), "");
}

/// Global memory reaches 4 GiB; all else lies beyond.
#[test]
fn launches_have_addresses_of_forty_bits() {
    let (below, report) = launched(0, &[]);
    let (beyond, other_report) = launched(0x12, &[]);
    assert_eq!(beyond.launch, below.launch);
    assert_eq!(other_report, report);
}

#[test]
fn the_memory_of_global_spaces_is_what_they_reach() {
    let spaces: Methods<'_> = &[(0x400 + 5 * 32, &[0, COLOR, 0, 0xfff, 1])];
    let (ComputeLaunch { windows, .. }, _) = launched(0, spaces);
    let reached: Vec<_> = windows.iter().map(|(start, window)| (*start, window.start, window.bytes)).collect();
    assert_eq!(reached, [(COLOR, place(COLOR), 0x1000)]);
}
