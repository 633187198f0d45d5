//! Turns a surface in guest memory into a picture on the device, as a display controller reads it: for windows, without
//! a readback.

use bytemuck::{Pod, Zeroable};

use crate::chip::BoundSurface;
use crate::format::texel::Field;
use crate::format::{ShownFields, SurfaceFormat};
use crate::gpu::{Bound, DeviceError, Gpu};
use crate::kernels::bindings::bindings;
use crate::kernels::memory_mirror::MirrorWindow;
use crate::kernels::plan::surface_layout::LayoutParameters;
use crate::pipeline::{SampleMode, SurfaceLayout};

const SCAN_OUT: &str = include_str!("../../../wgsl/present/scan_out.wgsl");

/// Invocations per workgroup, as in the kernel.
const GROUP: u32 = 64;

/// The names of the kinds of channels, in the order of [`ComponentKind`]; constants in front of the kernel's text.
const KINDS: [&str; 5] = ["KIND_UNORM", "KIND_SNORM", "KIND_UINT", "KIND_SINT", "KIND_FLOAT"];

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
        let ShownFields { kind, fields } = self.shown();
        let [[red, red_bits], [green, green_bits], [blue, blue_bits]] = fields.map(|field| match field {
            Field::Bits { shift, width } => [shift, width],
            Field::One | Field::Zero => [0, 0],
        });
        format!(
            "{names}const KIND = {};\nconst SHIFTS = vec3u({red}u, {green}u, {blue}u);\n\
             const WIDTHS = vec3u({red_bits}u, {green_bits}u, {blue_bits}u);\nconst PIXEL_BYTES = {}u;\n\
             const LAYOUT = {}u;\nconst LOG2_COLUMNS = {columns}u;\nconst LOG2_ROWS = {rows}u;\n{SCAN_OUT}",
            KINDS[kind as usize],
            self.format.bytes(),
            self.layout.kind() as u32,
        )
    }

    /// The fields that the picture shows.
    const fn shown(&self) -> ShownFields {
        match self.format {
            SurfaceFormat::Color(format) => format.shown_colors(),
            SurfaceFormat::Zeta(format) => match format.shown_stencil() {
                Some(stencil) if self.shows_stencil => stencil,
                _ => format.shown_depth(),
            },
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
