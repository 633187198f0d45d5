//! Turns a surface in guest memory into a picture on the device, as a display controller reads it: for windows, without
//! a readback.

use bytemuck::{Pod, Zeroable};

use crate::chip::BoundSurface;
use crate::format::{ColorFormat, SurfaceFormat, ZetaFormat};
use crate::gpu::{Bound, DeviceError, Gpu};
use crate::kernels::bindings::bindings;
use crate::kernels::memory_mirror::MirrorWindow;
use crate::kernels::plan::surface_layout::LayoutParameters;
use crate::pipeline::{SampleMode, SurfaceLayout};

const SCAN_OUT: &str = include_str!("../../../wgsl/present/scan_out.wgsl");

/// Invocations per workgroup, as in the kernel.
const GROUP: u32 = 64;

/// The kinds of texels, by the source of red, green and blue; constants in front of the kernel's text name them.
const KINDS: [&str; 11] = [
    "KIND_RGB555",
    "KIND_RGB565",
    "KIND_RED_HIGH",
    "KIND_RED_LOW",
    "KIND_GREEN_BLUE",
    "KIND_HALVES",
    "KIND_FLOATS",
    "KIND_FLOAT",
    "KIND_SECOND_BYTE",
    "KIND_HIGH_BYTE",
    "KIND_LOW_BYTE",
];

bindings! {
    /// Bindings of `scan_out`.
    ScanOutBindings {
        0 => memory: Bound<'a>,
        1 => picture: Bound<'a>,
        14 => parameters: Bound<'a>,
    }
}

/// The surface to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanOut {
    /// Columns of texels.
    pub width: u32,
    /// Rows of texels.
    pub height: u32,
    /// The samples whose texels make up a pixel.
    pub samples: SampleMode,
    /// The surface's format.
    pub format: SurfaceFormat,
    /// The surface's layout.
    pub layout: SurfaceLayout,
    /// Shows stencil instead of depth.
    pub shows_stencil: bool,
}

/// Parameters of `scan_out`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct ScanOutParameters {
    pub start: u32,
    pub bytes: u32,
    pub width: u32,
    pub height: u32,
    pub order: LayoutParameters,
}

impl ScanOut {
    /// The scan-out of a bound surface.
    #[must_use]
    pub const fn new(bound: &BoundSurface, shows_stencil: bool) -> Self {
        let BoundSurface { width, height, samples, format, layout, .. } = *bound;
        Self { width, height, samples, format, layout, shows_stencil }
    }

    /// Columns and rows of pixels.
    #[must_use]
    pub const fn size(&self) -> (u32, u32) {
        let [columns, rows] = self.samples.log2_size();
        (self.width >> columns, self.height >> rows)
    }

    /// Size of the picture in bytes.
    #[must_use]
    pub const fn picture_bytes(&self) -> u64 {
        let (width, height) = self.size();
        width as u64 * height as u64 * 4
    }

    /// The kernel's text, with format, layout and samples baked.
    #[must_use]
    pub fn source(&self) -> String {
        let names = (0..).zip(KINDS).map(|(number, name): (u32, _)| format!("const {name} = {number}u;\n"));
        let names: String = names.collect();
        let [columns, rows] = self.samples.log2_size();
        format!(
            "{names}const KIND = {};\nconst PIXEL_BYTES = {}u;\nconst LAYOUT = {}u;\n\
             const LOG2_COLUMNS = {columns}u;\nconst LOG2_ROWS = {rows}u;\n{SCAN_OUT}",
            self.kind(),
            self.format.bytes(),
            self.layout.kind() as u32,
        )
    }

    const fn kind(&self) -> &'static str {
        match self.format {
            SurfaceFormat::Color(format) => match format {
                ColorFormat::X1R5G5B5Zero | ColorFormat::X1R5G5B5One => "KIND_RGB555",
                ColorFormat::R5G6B5 => "KIND_RGB565",
                ColorFormat::X8R8G8B8Zero | ColorFormat::X8R8G8B8One | ColorFormat::A8R8G8B8 => "KIND_RED_HIGH",
                ColorFormat::X8B8G8R8Zero | ColorFormat::X8B8G8R8One | ColorFormat::A8B8G8R8 => "KIND_RED_LOW",
                ColorFormat::B8 => "KIND_LOW_BYTE",
                ColorFormat::G8B8 => "KIND_GREEN_BLUE",
                ColorFormat::A16B16G16R16F => "KIND_HALVES",
                ColorFormat::A32B32G32R32F => "KIND_FLOATS",
                ColorFormat::R32F => "KIND_FLOAT",
            },
            SurfaceFormat::Zeta(ZetaFormat::Z24S8) if self.shows_stencil => "KIND_LOW_BYTE",
            SurfaceFormat::Zeta(ZetaFormat::Z24S8) => "KIND_HIGH_BYTE",
            SurfaceFormat::Zeta(ZetaFormat::Z16) => "KIND_SECOND_BYTE",
        }
    }

    /// The parameters for a surface at this location in guest memory.
    #[must_use]
    pub fn parameters(&self, surface: MirrorWindow) -> ScanOutParameters {
        let (width, height) = self.size();
        // The host does not read bytes behind the last pixel either.
        let span = self.layout.span_bytes(self.width, self.height, self.format.bytes());
        ScanOutParameters {
            start: surface.start,
            bytes: surface.bytes.min(u32::try_from(span).unwrap_or(u32::MAX)),
            width,
            height,
            order: LayoutParameters::new(self.layout),
        }
    }
}

/// Submits the kernel that turns a surface in guest memory into a picture.
///
/// # Errors
/// If the device fails.
pub fn scan_out(
    gpu: &Gpu,
    what: &ScanOut,
    (memory, surface): (&wgpu::Buffer, MirrorWindow),
    picture: &wgpu::Buffer,
) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("scan_out", &what.source())?;
    let (width, height) = what.size();
    let mut recording = gpu.record();
    let parameters = recording.store(bytemuck::bytes_of(&what.parameters(surface)))?;
    let bindings = ScanOutBindings { memory: memory.into(), picture: picture.into(), parameters: (&parameters).into() };
    recording.dispatch(&kernel, &bindings, [width.div_ceil(GROUP), height, 1]);
    gpu.submit(recording)
}
