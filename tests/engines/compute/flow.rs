//! Launches that stop: traps, programs without an end, warps that wait forever, faults.

use std::sync::Arc;

use curie::asm::tesla::read_module;
use curie::engine::ComputeError;
use curie::launch::{KernelRequest, PreparedLaunch, prepare};
use curie::pipeline::SimtStage;
use curie::pipeline::launch::{
    FaultKind, LaunchError, LaunchOptions, LaunchTextures, LaunchThreads, MemoryKind, Primitives,
};
use curie::shader::simt::{ProgramKind, SimtProgram};

use super::{compare, kernels};

/// A launch of assembly text with a buffer of zeros.
fn launch(text: &str, grid: u32, block: u32) -> PreparedLaunch {
    let module = read_module("test", format!("!!Tesla1.0\n{text}").as_bytes()).unwrap().unwrap();
    let request = KernelRequest {
        entry: None,
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        arguments: vec!["zeros:4096".parse().unwrap()],
        more_shared_bytes: 0,
        pointer_bytes: 4,
        textures: Vec::new(),
    };
    prepare(&module, &request).unwrap()
}

#[test]
fn a_program_without_an_end_names_the_place() {
    let Some(kernels) = kernels() else { return };
    let prepared = launch(".kernel endless\n.param u32 out\nagain:\n    add b32 $r1 $r1 $r2\n    bra again\n", 3, 64);
    for limit in [1, 1000, 100_001] {
        let (expected, differs) = compare(&kernels, &prepared, limit);
        assert_eq!(differs, None);
        assert!(matches!(expected.report, Err(LaunchError::Endless { .. })), "{:?}", expected.report);
    }
}

#[test]
fn a_trap_ends_the_launch() {
    let Some(kernels) = kernels() else { return };
    let text =
        ".kernel trap\n.param u32 out\n    mov b32 $r1 b32 s[out]\n    st b32 g14[$r1] $r0\n    trap\n    exit\n";
    let (expected, differs) = compare(&kernels, &launch(text, 2, 40), 1_000_000);
    assert_eq!(differs, None);
    assert!(matches!(expected.report, Err(LaunchError::Trap { .. })), "{:?}", expected.report);
}

#[test]
fn faults_have_their_counts_and_first_threads() {
    let Some(kernels) = kernels() else { return };
    // Each thread stores its number at four times 100 its number: the first eleven are inside.
    let text = ".kernel faults\n.param u32 out\n    cvt u32 $r1 u16 $r0l\n    mov b32 $r2 0x190\n    mul $r2 u24 $r1 $r2\n    add b32 $r2 b32 s[out] $r2\n    exit st b32 g14[$r2] $r1\n";
    let (expected, differs) = compare(&kernels, &launch(text, 2, 40), 1_000_000);
    assert_eq!(differs, None);
    let faults = expected.report.unwrap().faults;
    assert_eq!(faults.len(), 1);
    assert_eq!((faults[0].kind, faults[0].count), (FaultKind::OutOfRange(MemoryKind::Global(14)), 58));
}

#[test]
fn a_program_of_too_many_basic_blocks_is_refused() {
    let Some(kernels) = kernels() else { return };
    let mut prepared = launch(".kernel exits\n.param u32 out\n    exit nop\n", 1, 32);
    // `exit nop`, which ends its basic block.
    prepared.launch.stage.program = Arc::new(SimtProgram::decode(&[0xf000_0001, 0xe000_0781].repeat(40_000)));
    let PreparedLaunch { launch, limits, memory } = &mut prepared;
    match kernels.run(launch, limits, memory, &LaunchOptions::default(), &mut |_| ()) {
        Err(ComputeError::Kernels(error)) => {
            assert_eq!(error.to_string(), "the program has 40000 basic blocks; the kernels run at most 32768");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_launch_of_primitives_is_refused() {
    let Some(kernels) = kernels() else { return };
    let mut prepared = launch(".kernel exits\n.param u32 out\n    exit nop\n", 1, 32);
    let program = Arc::new(SimtProgram::decode_kind(&[0xf000_0001, 0xe000_0781], ProgramKind::Geometry));
    let primitives = Primitives {
        count: 1,
        input_words: 0,
        inputs: Vec::new(),
        vertices: 1,
        vertex_words: 0,
        vertex_values: Vec::new(),
        output_words: 4,
        max_vertices: 1,
    };
    let stage = SimtStage { program, ..prepared.launch.stage.clone() };
    let PreparedLaunch { launch, limits, memory } = &mut prepared;
    *launch = stage.launch(LaunchThreads::Primitives(primitives), LaunchTextures::default());
    match kernels.run(launch, limits, memory, &LaunchOptions::default(), &mut |_| ()) {
        Err(ComputeError::Kernels(error)) => {
            assert_eq!(error.to_string(), "the kernels run geometry programs only in draws");
        }
        other => panic!("{other:?}"),
    }
}
