//! Models of a unified processor: traces hold what counters count, and the numbers of models agree with them.

use curie::capture::Capture;
use curie::counters::{Counter, Counters};
use curie::machine::{TeslaMachine, open, open_tesla};
use curie::replay::ReplayOptions;
use curie::statistics::memory_partitions::Client;
use curie::statistics::models::{ModelRunner, Models, ModelsError, STAGES, TracedFrames, model};
use curie::statistics::time::Unit;

/// Models a capture on a machine.
fn modeled(capture: &Capture, machine: &TeslaMachine) -> Models {
    model(capture, machine, ModelRunner::default(), &ReplayOptions::default(), &mut |_, _| {}).unwrap()
}

/// Asserts that the traces of a capture's draws hold what was counted.
fn check_traces(name: &str, capture: &Capture, machine: &TeslaMachine, expected: &[Counters]) {
    let frames = TracedFrames::new(capture, machine, &ReplayOptions::default()).unwrap();
    let draws: Vec<_> = frames.flat_map(|frame| frame.unwrap().draws).collect();
    assert_eq!(draws.len(), expected.len(), "{name}");
    for (traced, expected) in draws.iter().zip(expected) {
        assert_eq!(traced.counters, *expected, "{name}");
        assert!(!traced.trace.is_cut_off, "{name}");
        let warps = traced.warps().unwrap();
        for (stage, kind) in STAGES.into_iter().enumerate() {
            let of_stage = || warps.iter().filter(|(warp, _)| warp.kind == kind);
            let element = |counter| expected.elements(counter)[stage];
            assert_eq!(of_stage().count() as u64, element(Counter::Warps), "{name}: {kind:?}");
            let threads: u64 = of_stage().map(|(warp, _)| u64::from(warp.threads)).sum();
            assert_eq!(threads, element(Counter::Threads), "{name}: {kind:?}");
            let issued: usize = of_stage().map(|(_, instructions)| instructions.len()).sum();
            assert_eq!(issued as u64, element(Counter::WarpInstructions), "{name}: {kind:?}");
            let executed = of_stage().flat_map(|(_, instructions)| instructions);
            let executed: u64 = executed.map(|executed| u64::from(executed.threads.count_ones())).sum();
            assert_eq!(executed, element(Counter::ThreadInstructions), "{name}: {kind:?}");
        }
        let lookups = &traced.trace.lookups;
        assert!(lookups.is_sorted_by_key(|lookup| lookup.quad), "{name}");
        assert_eq!(lookups.len() as u64, expected.total(Counter::TextureInstructions), "{name}");
        let samples: u64 = lookups.iter().map(|lookup| u64::from(lookup.filtered.samples)).sum();
        assert_eq!(samples, expected.total(Counter::TextureSamples), "{name}");
        let texels: u64 = lookups.iter().map(|lookup| u64::from(lookup.texels)).sum();
        assert_eq!(texels, expected.total(Counter::Texels), "{name}");
        let shaded = traced.trace.quads.iter().filter(|quad| quad.is_shaded).count();
        assert_eq!(shaded as u64, expected.total(Counter::ShadedQuads), "{name}");
    }
}

/// Asserts that the models of a capture agree with its counters, of which there is one set for each draw.
pub(crate) fn check_models(name: &str, capture: &Capture, expected: &[Counters]) {
    let machine = TeslaMachine::default();
    check_traces(name, capture, &machine, expected);
    let models = modeled(capture, &machine);
    assert_eq!((models.draws.len(), models.is_cut_off), (expected.len(), false), "{name}");
    for (draw, counters) in models.draws.iter().zip(expected) {
        let warps = draw.programs.warps().unwrap();
        for (stage, of_stage) in warps.stages.iter().enumerate() {
            assert_eq!(of_stage.warps, counters.elements(Counter::Warps)[stage], "{name}");
            assert_eq!(of_stage.threads, counters.elements(Counter::Threads)[stage], "{name}");
            assert!(of_stage.resident_warps <= machine.multiprocessor.warps, "{name}");
            assert!(of_stage.interpolation_clocks <= of_stage.special_clocks, "{name}");
        }
        let scalar: u64 = warps.stages.iter().map(|stage| stage.scalar_clocks).sum();
        let special: u64 = warps.stages.iter().map(|stage| stage.special_clocks).sum();
        assert!((warps.time.scalar - scalar as f64).abs() < 0.5, "{name}: every instruction is issued once");
        assert!((warps.time.special - special as f64).abs() < 0.5, "{name}");
        assert_eq!(warps.busy.len(), 16, "{name}");
        assert!((warps.busy.iter().sum::<f64>() - warps.time.scalar).abs() < 0.5, "{name}");
        // No multiprocessor can do it faster than all together without a wait.
        assert!(warps.clocks + 1e-6 >= warps.issue_clocks() as f64 / 16.0, "{name}");
        let shader = draw.clocks.get(Unit::Shader);
        let issued = warps.issue_clocks() as f64 / 16.0 * 575.0 / 1350.0;
        assert!((shader - issued).abs() < 1e-6, "{name}: {shader} {issued}");
        assert_eq!(draw.texture.first.accesses(), counters.total(Counter::Texels), "{name}");
    }
    for frame in &models.frames {
        let bytes: u64 = Client::ALL.iter().flat_map(|client| frame.memory.bytes_of(*client)).sum();
        let clocks: u64 = frame.memory.partitions.iter().map(|partition| partition.clocks).sum();
        // Two clocks move 32 bytes over 64 lines with two transfers a clock.
        assert_eq!((frame.memory.partitions.len(), clocks), (6, bytes / 16), "{name}");
        assert!(frame.time.apart + 1e-6 >= frame.time.together(), "{name}");
        let parts = frame.balance.iter().flat_map(|slice| slice.stages);
        assert!(parts.clone().all(|part| (-1e-9..=1.0 + 1e-9).contains(&part)), "{name}");
    }
    // What the frames' slices show is all that the draws' programs take.
    let shown: f64 = models
        .frames
        .iter()
        .map(|frame| {
            let slice = frame.time.apart / frame.balance.len() as f64 * 16.0 * 1350.0 / 575.0;
            frame.balance.iter().flat_map(|slice| slice.stages).sum::<f64>() * slice
        })
        .sum();
    let stages = models.draws.iter().flat_map(|draw| draw.programs.warps().unwrap().stages);
    let taken: u64 = stages.map(|stage| stage.clocks()).sum();
    assert!((shown - taken as f64).abs() <= 1e-6 * taken as f64, "{name}: {shown} {taken}");
}

fn capture(name: &str) -> Capture {
    Capture::open(format!("{}/scenes/captures/geforce-8/{name}.nvcap", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn a_machine_of_other_processors_is_refused() {
    let staged = open("geforce-6800-ultra").unwrap();
    let run = |capture: &Capture| {
        let options = ReplayOptions::default();
        model(capture, &staged, ModelRunner::default(), &options, &mut |_, _| {}).unwrap_err()
    };
    let error = run(&capture("culling"));
    assert!(matches!(error, ModelsError::Programs { draw: 0, .. }), "{error}");
    assert_eq!(error.to_string(), "draw 0 has programs that `geforce-6800-ultra` does not run");
    let older = Capture::open(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/captures/flat.nvcap")).unwrap();
    let unified = TeslaMachine::default();
    let found = model(&older, &unified, ModelRunner::default(), &ReplayOptions::default(), &mut |_, _| {});
    assert_eq!(found.unwrap_err().to_string(), "draw 0 has programs that `geforce-8800-gtx` does not run");
}

/// A longer latency of textures, fewer places for warps and fewer clusters make draws slower.
#[test]
fn numbers_of_the_machine_count() {
    let capture = capture("lookups");
    let clocks = |machine: &TeslaMachine| -> f64 {
        modeled(&capture, machine).draws.iter().map(|draw| draw.programs.warps().unwrap().clocks).sum()
    };
    let gtx = TeslaMachine::default();
    let mut far = gtx.clone();
    far.texture.latency = 2000;
    let mut few = gtx.clone();
    few.multiprocessor.warps = 1;
    let mut small = gtx.clone();
    small.processor.clusters = 1;
    let own = clocks(&gtx);
    assert!(clocks(&far) > own + 1000.0);
    assert!(clocks(&few) > 1.5 * own);
    assert!(clocks(&small) > 2.0 * own);
    let later = open_tesla("geforce-gtx-280").unwrap();
    let seconds = |machine: &TeslaMachine| {
        modeled(&capture, machine).frames.iter().map(|frame| frame.time.seconds(machine)[0]).sum::<f64>()
    };
    assert!(seconds(&later) < seconds(&gtx));
}
