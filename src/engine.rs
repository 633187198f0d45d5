//! Opens the chosen engine and adapter.

use std::str::FromStr;
use std::sync::Arc;

use crate::asm::inputs::ElementInputs;
use crate::asm::program_file::Program;
use crate::capture::Capture;
use crate::counting::{CountingEngine, CoverageEngine};
use crate::gpu::{AdapterChoice, DeviceError, Gpu, StageClock};
use crate::kernels::run_elements::run_elements;
use crate::kernels::run_launch::{PASSES, RunLaunchError, run_launch};
use crate::kernels::self_test::{SelfTestError, self_test};
use crate::kernels::{KernelOptions, Kernels};
use crate::named_enum;
use crate::pipeline::EngineError;
use crate::pipeline::launch::{
    Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, TraceStep,
};
use crate::pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};
use crate::reference::Reference;
use crate::reference::compute;
use crate::reference::run_program::run_textured_program;

named_enum! {
    /// Which engine to use.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum EngineChoice {
        /// The kernels if an adapter passes the self-test, else the reference. A specific adapter must exist.
        #[default]
        Auto = "auto",
        /// WGSL kernels on an adapter.
        Kernels = "kernels",
        /// The reference, on the host.
        Reference = "reference",
    }
}

impl FromStr for AdapterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "best" => Self::Best,
            "software" => Self::Software,
            name => Self::Named(name.to_owned()),
        })
    }
}

/// Why no engine could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no device.
    #[error("{0}; {INSTALL_HINT}")]
    Device(#[from] DeviceError),
    /// The adapter fails the self-test.
    #[error("adapter '{adapter}' is refused: {source}")]
    SelfTest {
        /// The adapter.
        adapter: String,
        /// The difference.
        source: SelfTestError,
    },
    /// The process may not have the memory that a driver takes.
    #[error("the kernels take {NEEDED_MIB} MiB of address space, and the limit of this process is {limit_mib} MiB")]
    Memory {
        /// The limit.
        limit_mib: u64,
    },
    /// The engine cannot be created.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Address space, in MiB, that lavapipe takes for a small capture. Its compiler ends the process by a signal with 1,000 and
/// does not with 2,000; the drivers of hardware take more.
const NEEDED_MIB: u64 = 2000;

/// What to install on a machine without an adapter.
pub const INSTALL_HINT: &str =
    "a Vulkan driver gives one (Debian and Ubuntu: apt install libvulkan1 mesa-vulkan-drivers)";

/// An open engine.
#[derive(Debug)]
pub struct Opened {
    /// The engine.
    pub engine: Box<dyn CountingEngine>,
    /// Its display name: `reference`, or `kernels on ADAPTER`.
    pub name: String,
    /// The adapter that the kernels run on.
    pub adapter: Option<String>,
    /// The device that the kernels run on, for sharing.
    pub gpu: Option<Gpu>,
    /// Why the kernels are not used, if the choice was [`EngineChoice::Auto`].
    pub fallback: Option<OpenError>,
}

/// Opens an engine whose guest memory can grow to these sizes.
///
/// # Errors
/// When the kernels or a specific adapter are chosen, and no such adapter can run them.
pub fn open(
    choice: EngineChoice,
    adapter: &AdapterChoice,
    options: KernelOptions,
    sizes: (u64, u64),
) -> Result<Opened, OpenError> {
    open_with(choice, adapter, options, sizes, None)
}

/// Opens an engine whose guest memory can grow to the sizes in a capture.
///
/// # Errors
/// As for [`open`].
pub fn open_for(capture: &Capture, choice: EngineChoice, adapter: &AdapterChoice) -> Result<Opened, OpenError> {
    let header = &capture.header;
    open(choice, adapter, KernelOptions::default(), (header.vram_bytes, header.gart_bytes))
}

/// Opens an engine like [`open`], with a clock that times the kernels while it runs. The reference is not timed.
///
/// # Errors
/// As for [`open`], and when the adapter has no timestamp queries.
pub fn open_timed(
    choice: EngineChoice,
    adapter: &AdapterChoice,
    options: KernelOptions,
    sizes: (u64, u64),
    clock: &Arc<StageClock>,
) -> Result<Opened, OpenError> {
    open_with(choice, adapter, options, sizes, Some(clock))
}

fn open_with(
    choice: EngineChoice,
    adapter: &AdapterChoice,
    options: KernelOptions,
    sizes: (u64, u64),
    clock: Option<&Arc<StageClock>>,
) -> Result<Opened, OpenError> {
    let EngineSource { mut gpu, options, mut fallback } = EngineSource::choose(choice, adapter, options, clock)?;
    let engine = match open_on(gpu.as_ref(), options, sizes) {
        Err(error) if gpu.is_some() && choice == EngineChoice::Auto && may_fall_back(adapter) => {
            (gpu, fallback) = (None, Some(error.into()));
            open_reference(sizes)?
        }
        opened => opened?,
    };
    let name = name_on(gpu.as_ref());
    let adapter = gpu.as_ref().map(|gpu| gpu.summary().name.clone());
    Ok(Opened { engine, name, adapter, gpu, fallback })
}

/// An engine and adapter that were chosen and tested once, for any number of engines on any thread.
#[derive(Debug)]
pub struct EngineSource {
    gpu: Option<Gpu>,
    options: KernelOptions,
    /// Why the kernels are not used, if the choice was [`EngineChoice::Auto`].
    pub fallback: Option<OpenError>,
}

impl EngineSource {
    /// Chooses an engine, opens its adapter and tests it.
    ///
    /// # Errors
    /// As for [`open`].
    pub fn open(choice: EngineChoice, adapter: &AdapterChoice, options: KernelOptions) -> Result<Self, OpenError> {
        Self::choose(choice, adapter, options, None)
    }

    fn choose(
        choice: EngineChoice,
        adapter: &AdapterChoice,
        options: KernelOptions,
        clock: Option<&Arc<StageClock>>,
    ) -> Result<Self, OpenError> {
        if choice == EngineChoice::Reference {
            return Ok(Self { gpu: None, options, fallback: None });
        }
        let has_memory = if choice == EngineChoice::Auto && may_fall_back(adapter) { check_memory() } else { Ok(()) };
        let opened = has_memory.and_then(|()| match clock {
            None => Ok(Gpu::open(adapter)?),
            Some(clock) => Ok(Gpu::open_timed(adapter, Arc::clone(clock))?),
        });
        match opened.map(Gpu::compiling_on_all_cores).and_then(tested) {
            Ok(gpu) => Ok(Self { gpu: Some(gpu), options, fallback: None }),
            Err(error) if choice == EngineChoice::Kernels || !may_fall_back(adapter) => Err(error),
            Err(error) => Ok(Self { gpu: None, options, fallback: Some(error) }),
        }
    }

    /// Creates an engine whose guest memory can grow to these sizes. Engines share compiled kernels and nothing else.
    ///
    /// # Errors
    /// When a size exceeds the chip's limit, or the device fails.
    pub fn engine(&self, sizes: (u64, u64)) -> Result<Box<dyn CountingEngine>, EngineError> {
        open_on(self.gpu.as_ref(), self.options, sizes)
    }

    /// The display name of its engines: `reference`, or `kernels on ADAPTER`.
    #[must_use]
    pub fn name(&self) -> String {
        name_on(self.gpu.as_ref())
    }

    /// How many kernels its engines wait for.
    #[must_use]
    pub fn compiling(&self) -> usize {
        self.gpu.as_ref().map_or(0, Gpu::compiling)
    }

    /// Runs a program on every element, with these textures.
    ///
    /// # Errors
    /// When the program uses something that is not executed, or the device fails.
    pub fn run_program(
        &self,
        program: &Program,
        settings: &RunSettings,
        textures: &ProgramTextures,
        elements: &[&ElementInputs],
    ) -> Result<Vec<ElementResult>, EngineError> {
        match &self.gpu {
            Some(gpu) => run_elements(gpu, program, settings, textures, elements),
            None => elements.iter().map(|element| run_textured_program(program, settings, textures, element)).collect(),
        }
    }

    /// The same engine for compute programs.
    #[must_use]
    pub fn compute(&self) -> ComputeEngine {
        self.gpu.clone().map_or(ComputeEngine::REFERENCE, ComputeEngine::on)
    }
}

fn open_on(
    gpu: Option<&Gpu>,
    options: KernelOptions,
    (vram_bytes, gart_bytes): (u64, u64),
) -> Result<Box<dyn CountingEngine>, EngineError> {
    match gpu {
        Some(gpu) => Ok(Box::new(Kernels::new(gpu.clone(), options, vram_bytes, gart_bytes)?)),
        None => open_reference((vram_bytes, gart_bytes)),
    }
}

fn name_on(gpu: Option<&Gpu>) -> String {
    gpu.map_or_else(|| "reference".to_owned(), |gpu| format!("kernels on {}", gpu.summary().name))
}

/// Opens the reference engine, whose guest memory can grow to these sizes.
///
/// # Errors
/// When a size exceeds the chip's limit.
pub fn open_reference((vram_bytes, gart_bytes): (u64, u64)) -> Result<Box<dyn CountingEngine>, EngineError> {
    Ok(Box::new(Reference::new(vram_bytes, gart_bytes)?))
}

/// Opens an engine that finds the coverage of draws, whose guest memory can grow to these sizes.
///
/// # Errors
/// When a size exceeds the chip's limit.
pub fn open_coverage((vram_bytes, gart_bytes): (u64, u64)) -> Result<Box<dyn CoverageEngine>, EngineError> {
    Ok(Box::new(Reference::new(vram_bytes, gart_bytes)?))
}

/// Why a compute program did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComputeError {
    /// The kernels neither trace, nor look for races, nor count accesses.
    #[error("the kernels neither trace warps, nor look for races, nor count statistics; use --engine reference")]
    OnlyReference,
    /// The adapter cannot run it.
    #[error(transparent)]
    Kernels(RunLaunchError),
    /// The launch does not fit or does not end.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

/// What runs compute programs.
#[derive(Debug)]
pub struct ComputeEngine {
    /// The device of the kernels; without one the reference runs.
    gpu: Option<Gpu>,
    /// Whether the reference runs what the kernels cannot.
    may_fall_back: bool,
    /// The passes of a dispatch of the kernels.
    passes: u32,
}

impl ComputeEngine {
    /// The reference, which needs no adapter.
    pub const REFERENCE: Self = Self { gpu: None, may_fall_back: false, passes: PASSES };

    /// Opens an engine. [`EngineChoice::Auto`] takes the kernels on a hardware adapter; the host starts as fast as a
    /// software adapter compiles.
    ///
    /// # Errors
    /// As for [`open`].
    pub fn open(choice: EngineChoice, adapter: &AdapterChoice) -> Result<Self, OpenError> {
        let gpu = match choice {
            EngineChoice::Reference => None,
            EngineChoice::Kernels => Some(open_gpu(adapter)?),
            EngineChoice::Auto => open_hardware(adapter)?,
        };
        Ok(Self { gpu, may_fall_back: choice == EngineChoice::Auto, passes: PASSES })
    }

    /// The kernels on an open device.
    #[must_use]
    pub const fn on(gpu: Gpu) -> Self {
        Self { gpu: Some(gpu), may_fall_back: false, passes: PASSES }
    }

    /// The same with shorter dispatches, which end after this many passes through the program.
    #[must_use]
    pub fn with_passes(mut self, passes: u32) -> Self {
        self.passes = passes;
        self
    }

    /// Its display name: `reference`, or `kernels on ADAPTER`.
    #[must_use]
    pub fn name(&self) -> String {
        name_on(self.gpu.as_ref())
    }

    /// Runs a compute program. `observer` receives the steps of the traced warp.
    ///
    /// # Errors
    /// When the launch does not fit or does not end, or the engine cannot run it.
    pub fn run(
        &self,
        launch: &Launch,
        limits: &LaunchLimits,
        memory: &mut LaunchMemory,
        options: &LaunchOptions,
        observer: &mut dyn FnMut(TraceStep),
    ) -> Result<LaunchReport, ComputeError> {
        if let Some(gpu) = &self.gpu {
            let traces = options.traced_warp.is_some() || options.traces_warps || options.traces_accesses;
            let is_observed = options.finds_races || traces;
            if !is_observed {
                match run_launch(gpu, launch, limits, memory, options.instruction_limit, self.passes) {
                    Ok(report) => return Ok(report),
                    Err(RunLaunchError::Launch(error)) => return Err(error.into()),
                    Err(error) if !self.may_fall_back => return Err(ComputeError::Kernels(error)),
                    Err(error) => tracing::warn!("using the reference engine: {error}"),
                }
            } else if !self.may_fall_back {
                return Err(ComputeError::OnlyReference);
            }
        }
        Ok(compute::run_launch(launch, limits, memory, options, observer)?)
    }
}

/// Whether the host may replace an adapter that cannot be opened: only if no specific one was chosen.
fn may_fall_back(adapter: &AdapterChoice) -> bool {
    *adapter == AdapterChoice::Best
}

/// Opens a hardware adapter, for work that the host does faster than a software adapter. Returns `None` if the adapter
/// is software, or if there is none and the best was chosen.
///
/// # Errors
/// When a specific adapter was chosen, and it does not exist or fails the self-test.
pub fn open_hardware(adapter: &AdapterChoice) -> Result<Option<Gpu>, OpenError> {
    let opened = check_memory().and_then(|()| Ok(Gpu::open(adapter)?));
    let opened = opened.and_then(|gpu| if gpu.summary().is_software() { Ok(None) } else { tested(gpu).map(Some) });
    match opened {
        Err(_) if may_fall_back(adapter) => Ok(None),
        opened => opened,
    }
}

/// Fails where a driver would end the process for want of memory.
fn check_memory() -> Result<(), OpenError> {
    match address_space_mib() {
        Some(limit_mib) if limit_mib < NEEDED_MIB => Err(OpenError::Memory { limit_mib }),
        _ => Ok(()),
    }
}

/// The limit of this process's address space in MiB, if it has one.
#[cfg(target_os = "linux")]
fn address_space_mib() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current.map(|bytes| bytes >> 20)
}

/// Only Linux tells.
#[cfg(not(target_os = "linux"))]
const fn address_space_mib() -> Option<u64> {
    None
}

/// Opens an adapter and tests its arithmetic against the reference.
///
/// # Errors
/// When there is no such adapter, or it fails the self-test.
pub fn open_gpu(adapter: &AdapterChoice) -> Result<Gpu, OpenError> {
    tested(Gpu::open(adapter)?)
}

/// Tests the arithmetic of an open adapter against the reference.
///
/// # Errors
/// When a result differs.
pub fn tested(gpu: Gpu) -> Result<Gpu, OpenError> {
    match self_test(&gpu) {
        Ok(()) => Ok(gpu),
        Err(source) => Err(OpenError::SelfTest { adapter: gpu.summary().name.clone(), source }),
    }
}
