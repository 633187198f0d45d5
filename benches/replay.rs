//! Whole captures on both engines: one sample is one replay, kernels compiled before.

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use curie::capture::Capture;
use curie::gpu::{AdapterChoice, Gpu};
use curie::kernels::{KernelOptions, Kernels};
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};
use curie::work::Engine;

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
        // Every replay opens the device anew, so pipelines come from the driver's cache.
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(5));
    targets = replays
}
criterion_main!(benches);
