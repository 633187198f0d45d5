//! Defines the commands from a chip to an engine as decoded plain data: draws, clears, copies, reports, fences.
//!
//! The [`chip`](crate::chip) turns methods into [`GpuCommand`]s; an [`Engine`] executes them. Nothing here reads a
//! register or depends on how a stage works, so a list of commands can be stored, compared and replayed.

mod convolution;
mod counter_report;
mod draw;
mod engine_error;
mod engine_layer;
mod feedback;
mod fragment_stage;
pub mod front_end;
mod geometry_stage;
pub mod host_transfer;
mod interpolation;
pub mod launch;
mod merge;
mod multisample;
mod null_engine;
mod output_map;
mod pipeline_statistics;
pub(crate) mod pixel_encoding;
mod pixel_operation;
mod primitive_selection;
pub mod primitive_setup;
mod primitive_type;
pub mod program_run;
mod raster;
mod rect;
mod scaled_image;
mod simt_stage;
mod stage_values;
mod stream_out;
mod surface;
mod surface_geometry;
mod texture;
mod texture_levels;
mod texture_rules;
mod texture_samples;
mod transfer;
mod vertex_context;
mod vertex_outputs;
mod vertex_stage;
mod vertex_texture;

pub use crate::format::{MAX_SAMPLES, Sample, SampleMode};
pub(crate) use convolution::{kernel_texels, kernel_weights};
pub use counter_report::{CounterReport, DrawTotals, ReportedCounter};
pub use draw::{Draw, Elements, IndexType, VertexAttribute, VertexInput};
pub use engine_error::EngineError;
pub use engine_layer::EngineLayer;
pub(crate) use feedback::WrittenSurface;
pub use fragment_stage::{
    FragmentStage, Interpolant, InterpolantMode, InterpolantSource, ResultRegisters, ShadedSamples, SimtFragmentStage,
    SpriteValue, VEC4_INPUTS, Vec4FragmentStage,
};
pub use geometry_stage::{EmittedPrimitive, PrimitiveWord, SimtGeometryStage, VertexWord};
pub use interpolation::{Fog, FogCurve, InterpolationState, PixelCenter, WindowOrigin, WindowPosition};
pub use multisample::{MultisampleCoverage, Multisampling};
pub use null_engine::NullEngine;
pub use output_map::{MappedComponent, OutputMap};
pub use pipeline_statistics::{PipelineCounter, PipelineStatistics};
pub use pixel_operation::{ColorConversion, ImageOperation, Pattern, PatternShape, PixelOperation};
pub use primitive_selection::{LayerStep, PrimitiveSelection, Selected, SelectedViewport};
pub use primitive_type::PrimitiveType;
pub use raster::{
    AlphaReference, AlphaTest, Blend, BlendEquation, BlendFactor, ClipPlane, Compare, CullFace, DepthTest, Dither,
    LogicOp, MAX_CLIP_DISTANCES, PointSprite, PolygonMode, RasterState, RopState, SpriteR, StencilFace, StencilOp,
    ViewportState, WindowClip,
};
pub use rect::Rect;
pub use scaled_image::{DestinationRange, SourceTap};
pub use simt_stage::{OutputWord, SimtStage};
pub use stage_values::{EmittedTriangles, FragmentResult, QuadInputs, QuadSamples, ShadedQuad, ShadedVertex};
pub use stream_out::{MAX_STREAM_BUFFERS, MAX_STREAM_WORDS, StreamBuffer, StreamCounts, StreamOut};
pub use surface::{ColorTarget, LayoutKind, MAX_COLOR_TARGETS, SurfaceLayout, Targets, ZetaTarget};
pub(crate) use surface_geometry::SECOND_SOURCE;
pub use texture::{
    BorderColor, ColorKeyMode, ConvolutionKernel, Dimensions, Filter, MipFilter, RemappedChannel, Sampler,
    TextureLayout, TextureState, TextureView, Wrap,
};
#[cfg(test)]
pub(crate) use texture_levels::tests::plain_texture;
pub use texture_levels::{MAX_LEVELS, MipLevel};
pub(crate) use texture_rules::ANISOTROPY_LOGARITHMS;
pub use texture_rules::{ChannelRule, Convolution};
pub use transfer::{Clear, ImageSource, MemoryCopy, ScaledImage};
pub use vertex_context::VertexContext;
pub use vertex_outputs::{OutputComponent, VertexOutputs};
pub use vertex_stage::{AttributeWord, SimtVertexStage, Vec4VertexStage, VertexStage};
pub use vertex_texture::{VertexTexture, VertexTextureFormat, VertexTextureLevel};

use crate::memory::{MemorySpace, MemoryWindow};

/// One command; an engine executes commands in the given order.
#[derive(Debug, Clone, PartialEq)]
pub enum GpuCommand {
    /// Renders primitives.
    Draw(Box<Draw>),
    /// Fills color and depth surfaces.
    Clear(Box<Clear>),
    /// Copies lines of bytes.
    CopyMemory(MemoryCopy),
    /// Copies an image into a surface, converting, scaling and combining.
    ScaleImage(ScaledImage),
    /// Fills a window with zeros.
    ZeroMemory(MemoryWindow),
    /// Sets the counter of passing samples to zero.
    ResetSampleCounter,
    /// Writes a report of a counter.
    WriteReport {
        /// Its destination; dropped if shorter than 16 bytes.
        window: MemoryWindow,
        /// What it consists of.
        report: CounterReport,
    },
    /// Writes 16 bytes after all earlier commands: `u64 timestamp_ns`, eight zero bytes. Used for notifiers, and for
    /// reports of counters that never count.
    WriteNotifier {
        /// Its destination; dropped if shorter than 16 bytes.
        window: MemoryWindow,
        /// The timestamp to write.
        timestamp_ns: u64,
    },
    /// Runs a compute program.
    Launch(Box<launch::ComputeLaunch>),
    /// Writes a 32-bit value after all earlier commands.
    WriteFence {
        /// Its destination; dropped if shorter than 4 bytes.
        window: MemoryWindow,
        /// The value.
        value: u32,
    },
}

/// Executes commands on guest memory: the reference on the host, the kernels on a GPU, with the same results.
pub trait Engine: std::fmt::Debug {
    /// Grows a space to `end` bytes; new bytes are zero.
    ///
    /// # Errors
    /// When the space or the device cannot hold that much.
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError>;

    /// The number of bytes in a space.
    fn memory_extent(&self, space: MemorySpace) -> u32;

    /// Writes bytes as the host does, after all earlier commands. Bytes beyond the window or the extent are dropped.
    ///
    /// # Errors
    /// When the device fails.
    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError>;

    /// Reads `bytes.len()` bytes from the start of the window, after all earlier commands; zeros beyond its end.
    ///
    /// # Errors
    /// When the device fails.
    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError>;

    /// Executes one command, or starts it.
    ///
    /// # Errors
    /// When it cannot be executed; memory then holds none or a part of its writes.
    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError>;

    /// Ends a frame: submits all commands so far, and waits until at most `unfinished` of the ended frames are unfinished.
    ///
    /// # Errors
    /// When the device fails.
    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        let _ = unfinished;
        self.finish()
    }

    /// Waits until all commands have finished.
    ///
    /// # Errors
    /// When the device fails.
    fn finish(&mut self) -> Result<(), EngineError>;
}
