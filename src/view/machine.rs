//! The engine behind a window, and the picture that it renders on the device.

use super::preparation::Preparation;
use crate::capture::Capture;
use crate::chip::BoundSurface;
use crate::counting::CountingEngine;
use crate::engine::{EngineChoice, OpenError, open_reference, tested};
use crate::gpu::{DeviceError, Gpu};
use crate::kernels::scan_out::{ScanOut, scan_out};
use crate::kernels::{KernelOptions, Kernels, MirrorWindow};
use crate::machine::Family;
use crate::pipeline::{Engine, EngineError};
use crate::present::Picture;

/// The engine that a window opens, and its device.
#[derive(Debug)]
pub struct Maker {
    gpu: Gpu,
    uses_kernels: bool,
    options: KernelOptions,
    name: String,
}

/// An engine whose surfaces can be shown.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a window has one")]
pub enum Machine {
    /// An engine with guest memory on the device.
    Kernels(Box<Kernels>),
    /// An engine with guest memory on the host; the bytes of a surface are uploaded to be shown.
    Reference {
        /// The engine.
        engine: Box<dyn CountingEngine>,
        /// The device that shows them.
        gpu: Gpu,
    },
}

/// A picture on the device, one word per pixel: red lowest.
#[derive(Debug)]
pub struct Shown {
    /// Its words, first row first; the buffer may be longer.
    pub buffer: wgpu::Buffer,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Maker {
    /// Chooses an engine on an open device. With `auto`, also returns the reason if the kernels are not used.
    ///
    /// # Errors
    /// When the kernels are requested and the device fails the self-test.
    pub fn new(gpu: Gpu, choice: EngineChoice, options: KernelOptions) -> Result<(Self, Option<OpenError>), OpenError> {
        let failed = match choice {
            EngineChoice::Reference => None,
            EngineChoice::Auto | EngineChoice::Kernels => tested(gpu.clone()).err(),
        };
        if choice == EngineChoice::Kernels
            && let Some(error) = failed
        {
            return Err(error);
        }
        let uses_kernels = choice != EngineChoice::Reference && failed.is_none();
        let adapter = &gpu.summary().name;
        let name = if uses_kernels { format!("kernels on {adapter}") } else { "reference".to_owned() };
        Ok((Self { gpu, uses_kernels, options, name }, failed))
    }

    /// The engine's display name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The device.
    #[must_use]
    pub const fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Starts to compile the kernels of a capture's first frame, where that takes long.
    #[must_use]
    pub fn prepare(&self, capture: &Capture, family: &'static Family) -> Option<Preparation> {
        self.uses_kernels.then(|| Preparation::start(&self.gpu, self.options, capture, family)).flatten()
    }

    /// Opens an engine with empty memory that can grow to these sizes.
    ///
    /// # Errors
    /// When a size exceeds the chip's, or the device fails.
    pub fn make(&self, (vram_bytes, gart_bytes): (u64, u64)) -> Result<Machine, EngineError> {
        let gpu = self.gpu.clone();
        if self.uses_kernels {
            return Ok(Machine::Kernels(Box::new(Kernels::new(gpu, self.options, vram_bytes, gart_bytes)?)));
        }
        Ok(Machine::Reference { engine: open_reference((vram_bytes, gart_bytes))?, gpu })
    }
}

impl Machine {
    /// The engine.
    pub fn engine(&mut self) -> &mut dyn Engine {
        match self {
            Self::Kernels(kernels) => kernels.as_mut(),
            Self::Reference { engine, .. } => engine.as_mut(),
        }
    }

    /// Renders a surface to the picture after all earlier work, without a readback. Overwrites the earlier
    /// picture.
    ///
    /// # Errors
    /// When the device fails.
    pub fn show(
        &mut self,
        bound: &BoundSurface,
        shows_stencil: bool,
        earlier: Option<Shown>,
    ) -> Result<Shown, EngineError> {
        let what = ScanOut::new(bound, shows_stencil);
        let span = bound.layout.span_bytes(bound.width, bound.height, bound.format.bytes());
        let window = bound.window.truncated(u32::try_from(span).unwrap_or(u32::MAX));
        let (gpu, heap, place) = match self {
            Self::Kernels(kernels) => kernels.device_memory(window)?,
            Self::Reference { engine, gpu } => {
                let extent = engine.memory_extent(window.space);
                let window = window.truncated(extent.saturating_sub(window.start));
                let mut bytes = vec![0; window.bytes as usize];
                engine.read_memory(window, &mut bytes)?;
                (&*gpu, gpu.buffer_with("surface", &bytes)?, MirrorWindow { start: 0, bytes: window.bytes })
            }
        };
        let buffer = match earlier.map(|earlier| earlier.buffer) {
            Some(buffer) if buffer.size() >= what.picture_bytes() => buffer,
            _ => gpu.buffer("picture", what.picture_bytes())?,
        };
        scan_out(gpu, &what, (&heap, place), &buffer)?;
        let (width, height) = what.size();
        Ok(Shown { buffer, width, height })
    }
}

impl Shown {
    /// Reads the picture back, for a file.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self, gpu: &Gpu) -> Result<Picture, DeviceError> {
        let (width, height) = (self.width, self.height);
        let mut words = vec![0; width as usize * height as usize * 4];
        gpu.download(&self.buffer, 0, &mut words)?;
        let rgb = words.chunks_exact(4).flat_map(|word| [word[0], word[1], word[2]]).collect();
        Ok(Picture { width, height, rgb })
    }
}
