//! Measures whole captures on both engines: one sample is one replay, or one frame with kernels compiled in advance.

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use curie::bench::Frames;
use curie::capture::Capture;
use curie::gpu::{AdapterChoice, Gpu};
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::chip_of;
use curie::pipeline::Engine;
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};
use curie::scene::{SceneFile, SceneOptions};

const CAPTURES: &[&str] = &["flat", "cube", "blend_stencil", "copy"];

fn run(capture: &Capture, engine: &mut dyn Engine) {
    replay(capture, engine, &ReplayOptions::default(), &mut |_, _| {}).expect("the capture replays");
}

fn replays(criterion: &mut Criterion) {
    for name in CAPTURES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/{name}.nvcap"));
        let capture = Capture::read(&std::fs::read(path).expect("bundled")).expect("bundled captures are whole");
        let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
        criterion.bench_function(&format!("replay/reference/{name}"), |bencher| {
            bencher.iter(|| run(&capture, &mut Reference::new(vram, gart).expect("sizes are the chip's")));
        });
        // Every replay reopens the device, so pipelines come from the driver's cache.
        let open = || Gpu::open(&AdapterChoice::Best).ok();
        if open().is_none() {
            continue;
        }
        criterion.bench_function(&format!("replay/kernels/{name}"), |bencher| {
            bencher.iter(|| {
                let gpu = open().expect("it opened before");
                let mut engine = Kernels::new(gpu, KernelOptions::default(), vram, gart).expect("memory fits");
                run(&capture, &mut engine);
            });
        });
    }
}

/// The frames of an animation in sequence, waiting for each.
fn frames(criterion: &mut Criterion) {
    // Without an adapter there is nothing to measure.
    let Ok(gpu) = Gpu::open(&AdapterChoice::Best) else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/army");
    let scene = SceneFile::open(&path, &SceneOptions::default()).expect("the scene is right");
    let capture = scene.capture(0..8).expect("the scene fits");
    let frames = Frames::find(&capture).expect("it has frames");
    let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
    let mut engine = Kernels::new(gpu, KernelOptions::default(), vram, gart).expect("memory fits");
    let mut chip = chip_of(&capture.header).expect("scenes are of a supported chipset");
    let mut play = |records: &mut dyn Iterator<Item = usize>| {
        for record in records {
            chip.apply(&capture.records[record], &mut engine).expect("the capture replays");
        }
        engine.finish().expect("the device works");
    };
    play(&mut (0..frames.records_before));
    let mut parts = frames.parts.iter().cycle();
    criterion.bench_function("frame/kernels/army", |bencher| {
        bencher.iter(|| play(&mut parts.next().expect("a circle has no end").iter().copied()));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = replays, frames
}
criterion_main!(benches);
