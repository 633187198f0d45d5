//! Records every kernel that hardware adapters take for the bundled streams, on wgpu's adapter that runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use curie::capture::Capture;
use curie::counters::CountingOptions;
use curie::counting::CountingEngine as _;
use curie::gpu::{Gpu, modules};
use curie::kernels::scan_out::ScanOut;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::pipeline::{Engine, EngineError, EngineLayer, GpuCommand};
use curie::recompiler::compute::{BlockOrder, ComputeKernelKey, compute_kernel};
use curie::replay::{IdleKernels, Player, ReplayOptions};
use curie::scene::{SceneFile, SceneOptions};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::common::check_files::bundled_streams;

/// Kernels by their joined text, with their labels.
type Texts = BTreeMap<String, String>;

/// A device with these limits and no optional features, which runs nothing. wgpu checks all that it is given.
pub(super) fn device(limits: wgpu::Limits) -> Gpu {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    let features = Some(wgpu::Features::empty());
    descriptor.backend_options.noop =
        wgpu::NoopBackendOptions { enable: true, limits: Some(limits), features, ..Default::default() };
    let adapters = curie::gpu::instance(descriptor).enumerate_adapters(wgpu::Backends::NOOP);
    Gpu::from_adapter(&pollster::block_on(adapters)[0], None).unwrap()
}

/// The kernels of all streams, which ran within the limits of WebGPU's default adapter, and the fixed ones that none takes.
pub(super) fn kernels() -> &'static Texts {
    static KERNELS: OnceLock<Texts> = OnceLock::new();
    KERNELS.get_or_init(|| {
        let (gpu, texts) = (device(wgpu::Limits::default()), Arc::new(Mutex::new(Texts::new())));
        let (streams, next) = (bundled_streams(), AtomicUsize::new(0));
        let record = |run: &dyn Fn()| {
            let recorder = tracing_subscriber::registry().with(Recorder(Arc::clone(&texts)));
            tracing::subscriber::with_default(recorder, run);
        };
        let play_streams = || {
            record(&|| {
                while let Some(path) = streams.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play(&gpu, path);
                }
            });
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(play_streams);
            }
        });
        let played: BTreeSet<_> = texts.lock().unwrap().values().cloned().collect();
        record(&|| {
            for (label, text) in fixed_kernels().filter(|(label, _)| !played.contains(label)) {
                gpu.module(&label, text).unwrap();
            }
        });
        std::mem::take(&mut *texts.lock().unwrap())
    })
}

/// The names and the texts of the modules with an entry point, without those that only software adapters run.
pub(super) fn fixed_kernels() -> impl Iterator<Item = (String, &'static str)> {
    let kernels = modules().filter(|(name, text)| text.contains("@compute") && !name.starts_with("software::"));
    kernels.map(|(name, text)| (name.rsplit("::").next().unwrap_or_default().to_owned(), text))
}

/// Plays a capture or a scene by workgroups and by separate stages, without and with counters.
fn play(gpu: &Gpu, path: &Path) {
    let capture = match path.is_dir() {
        false => Capture::open(path).unwrap(),
        true => {
            // The halves of the floor are given in pixels.
            let size = (!path.ends_with("anisotropic_floor")).then_some((96, 72));
            SceneFile::open(path, &SceneOptions { size }).unwrap().capture(0..1).unwrap()
        }
    };
    let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
    let divisions = [KernelPath::Auto, KernelPath::Stages];
    for (division, counts) in divisions.into_iter().flat_map(|division| [(division, false), (division, true)]) {
        let options = KernelOptions { path: division, ..KernelOptions::default() };
        let mut kernels = Kernels::new(gpu.clone(), options, vram, gart).unwrap();
        if counts {
            kernels.start_counting(CountingOptions::default()).unwrap();
        }
        let kernels = IdleKernels::new(kernels, vram, gart).unwrap();
        let mut engine = Undrawn { gpu: gpu.clone(), kernels };
        let mut player = Player::new(&capture, &ReplayOptions::default()).unwrap();
        while let Some(_step) = player.step(&mut engine).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        }
        for bound in player.bound_surfaces() {
            for shows_stencil in [false, true] {
                gpu.module("scan_out", &ScanOut::new(&bound, shows_stencil).source()).unwrap();
            }
        }
    }
}

/// Collects what the library reports of kernels.
struct Recorder(Arc<Mutex<Texts>>);

impl<S: tracing::Subscriber> Layer<S> for Recorder {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "curie::gpu::kernel" {
            event.record(&mut |_: &tracing::field::Field, value: &dyn std::fmt::Debug| {
                let message = format!("{value:?}");
                let joined = message.strip_prefix("joined ").and_then(|rest| rest.split_once('\n'));
                if let Some((label, text)) = joined {
                    self.0.lock().unwrap().insert(text.to_owned(), label.to_owned());
                }
            });
        }
    }
}

/// The kernels, and those of compute launches.
#[derive(Debug)]
struct Undrawn {
    gpu: Gpu,
    kernels: IdleKernels,
}

impl EngineLayer for Undrawn {
    fn inner(&self) -> &dyn Engine {
        &self.kernels
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        &mut self.kernels
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        if let GpuCommand::Launch(launch) = command {
            for order in [BlockOrder::Concurrent, BlockOrder::Ordered] {
                let key = ComputeKernelKey::new(&launch.launch, order, false);
                self.gpu.module("run_launch", &compute_kernel(&key).source)?;
            }
        }
        self.kernels.execute(command)
    }
}
