//! Small kernels and accesses for tests.

use super::{LaunchModel, LaunchStatistics};
use crate::asm::tesla::read_module;
use crate::engine::ComputeEngine;
use crate::isa::tesla::module::TeslaModule;
use crate::launch::{KernelRequest, prepare, run as run_kernel};
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{AccessKind, LaunchOptions, MemoryKind, WarpAccess};

/// An access of these threads with an address for each lane.
pub(super) fn access(
    memory: MemoryKind,
    kind: AccessKind,
    bytes: u32,
    threads: u32,
    address: impl Fn(u32) -> u32,
) -> WarpAccess {
    let addresses = std::array::from_fn(|lane| {
        let lane = u32::try_from(lane).unwrap();
        if threads >> lane & 1 == 0 { 0xdead_beef } else { address(lane) }
    });
    WarpAccess { memory, kind, bytes, threads, addresses }
}

/// A module with one kernel of these directives and instructions.
pub(super) fn module(body: &str) -> TeslaModule {
    let text = format!("!!Tesla1.0\n.kernel test\n{body}\n");
    read_module("test.tesla", text.as_bytes()).unwrap().unwrap_or_else(|errors| panic!("{errors}"))
}

/// The words of a kernel of these instructions.
pub(super) fn words(body: &str) -> Vec<u32> {
    module(body).kernels[0].code.clone()
}

/// Runs a module's kernel with blocks in x and threads in x, and follows its steps.
pub(super) fn run(
    machine: &TeslaMachine,
    module: &TeslaModule,
    [blocks, threads]: [u32; 2],
    arguments: &[&str],
) -> LaunchStatistics {
    let request = KernelRequest {
        entry: None,
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        arguments: arguments.iter().map(|argument| argument.parse().unwrap()).collect(),
        more_shared_bytes: 0,
        pointer_bytes: 4,
        textures: Vec::new(),
    };
    let mut prepared = prepare(module, &request).unwrap();
    prepared.limits = machine.limits();
    let launch = prepared.launch.clone();
    let mut model = LaunchModel::new(machine, &launch);
    let options = LaunchOptions { traces_accesses: true, ..LaunchOptions::default() };
    let report =
        run_kernel(prepared, &ComputeEngine::REFERENCE, &options, &mut |step| model.step(&step)).unwrap().report;
    assert_eq!(report.faults, [], "the kernel is correct");
    let statistics = model.finish();
    let total = statistics.total();
    assert_eq!(
        (total.warps, total.executing, total.divergent),
        (report.warp_instructions, report.thread_instructions, report.divergent_branches),
        "the steps are those that the engine counts"
    );
    statistics
}
