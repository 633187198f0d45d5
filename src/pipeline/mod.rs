//! Defines the commands that a chip gives to an engine, as decoded plain data: draws, clears, copies, reports, fences.
//!
//! The [`chip`](crate::chip) turns methods into [`GpuCommand`]; an [`Engine`] carries it out. Nothing here reads a register or
//! knows how a stage works, so that a list of commands can be written down, compared and replayed.

mod convolution;
mod draw;
mod feedback;
pub mod front_end;
pub mod host_transfer;
mod merge;
mod multisample;
mod null_engine;
pub(crate) mod pixel_encoding;
mod pixel_operation;
pub mod primitive_setup;
pub mod program_run;
mod raster;
mod scaled_image;
mod stage_values;
mod surface;
mod surface_geometry;
mod texture;
mod texture_levels;
mod texture_rules;
mod texture_samples;
mod transfer;
mod vertex_context;
mod vertex_outputs;
mod vertex_texture;

pub(crate) use convolution::{kernel_texels, kernel_weights};
pub use draw::{
    Draw, Elements, Fog, FogCurve, FragmentStage, IndexType, PixelCenter, PrimitiveType, VertexAttribute, VertexInput,
    VertexStage, WindowOrigin, WindowPosition,
};
pub use multisample::{MultisampleCoverage, Multisampling, SampleMode};
pub use null_engine::NullEngine;
pub use pixel_operation::{ColorConversion, ImageOperation, Pattern, PatternShape, PixelOperation};
pub use raster::{
    AlphaTest, Blend, BlendEquation, BlendFactor, ClipPlane, Compare, CullFace, DepthTest, Dither, LogicOp,
    PointSprite, PolygonMode, RasterState, Rect, RopState, SpriteR, StencilFace, StencilOp, ViewportState, WindowClip,
};
pub use scaled_image::{DestinationRange, SourceTap};
pub use stage_values::{FragmentResult, QuadInputs, QuadSamples, ShadedQuad, ShadedVertex};
pub use surface::{ColorTarget, SurfaceLayout, Targets, ZetaTarget};
pub use texture::{
    ColorKeyMode, ConvolutionKernel, Dimensions, Filter, MipFilter, RemappedChannel, TextureState, Wrap,
};
#[cfg(test)]
pub(crate) use texture_levels::tests::plain_texture;
pub use texture_levels::{MAX_LEVELS, MipLevel};
pub(crate) use texture_rules::ANISOTROPY_LOGARITHMS;
pub use texture_rules::{ChannelRule, Convolution};
pub(crate) use texture_samples::MOST_ELLIPSE_TEXELS;
pub use transfer::{Clear, ImageSource, MemoryCopy, ScaledImage};
pub use vertex_context::VertexContext;
pub use vertex_outputs::{OutputComponent, VertexOutputs};
pub use vertex_texture::{VertexTexture, VertexTextureFormat, VertexTextureLevel};

use crate::memory::{MemoryError, MemorySpace, MemoryWindow};

/// One command; an engine executes commands in the order given.
#[derive(Debug, Clone, PartialEq)]
pub enum GpuCommand {
    /// Renders primitives.
    Draw(Box<Draw>),
    /// Fills color and depth surfaces.
    Clear(Clear),
    /// Copies lines of bytes.
    CopyMemory(MemoryCopy),
    /// Copies an image into a surface, converting, scaling and combining.
    ScaleImage(ScaledImage),
    /// Makes the bytes of a window zero.
    ZeroMemory(MemoryWindow),
    /// Sets the counter of passing samples to zero.
    ResetSampleCounter,
    /// Writes 16 bytes: `u64 timestamp_ns`, `u32` value of the sample counter, `u32` status 0.
    WriteReport {
        /// Where; dropped when fewer than 16 bytes long.
        window: MemoryWindow,
        /// The time that the report carries.
        timestamp_ns: u64,
    },
    /// Writes 16 bytes once all earlier work is done: `u64 timestamp_ns`, eight bytes of zeros. Notifiers, and reports of
    /// counters that never count.
    WriteNotifier {
        /// Where; dropped when fewer than 16 bytes long.
        window: MemoryWindow,
        /// The time that the notifier carries.
        timestamp_ns: u64,
    },
    /// Writes a 32-bit value once all earlier work is done.
    WriteFence {
        /// Where; dropped when fewer than 4 bytes long.
        window: MemoryWindow,
        /// The value.
        value: u32,
    },
}

/// Why an engine cannot execute a command.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Guest memory cannot be provided.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The command asks for something that is decoded but not executed yet.
    #[error("{what} is not executed yet")]
    Unsupported {
        /// What was asked for, in words.
        what: String,
    },
    /// A program cannot be decoded.
    #[error("{stage} program: {message}")]
    Program {
        /// `vertex` or `fragment`.
        stage: &'static str,
        /// What is wrong with it.
        message: String,
    },
    /// The command is larger than the engine accepts.
    #[error("{what} of {size} is beyond the limit of {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// The device failed.
    #[error("device: {message}")]
    Device {
        /// What the device or its driver said.
        message: String,
    },
}

/// Executes commands on guest memory: the reference on the host, the kernels on a GPU, with the same results.
pub trait Engine: std::fmt::Debug {
    /// Makes `end` bytes of a space exist; new bytes are zero.
    ///
    /// # Errors
    /// When the space or the device cannot hold that much.
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError>;

    /// How many bytes of a space exist.
    fn memory_extent(&self, space: MemorySpace) -> u32;

    /// Writes bytes as the host does, after all earlier work. Bytes beyond the window or the extent are dropped.
    ///
    /// # Errors
    /// When the device fails.
    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError>;

    /// Reads `bytes.len()` bytes from the start of the window, after all earlier work is done; zeros beyond its end.
    ///
    /// # Errors
    /// When the device fails.
    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError>;

    /// Executes one command, or starts it.
    ///
    /// # Errors
    /// When it cannot be carried out; memory is then as before it, or as after a part of it.
    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError>;

    /// Ends a frame: starts all work so far, and waits until at most `unfinished` of the frames ended are not done.
    ///
    /// # Errors
    /// When the device fails.
    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        let _ = unfinished;
        self.finish()
    }

    /// Waits until all work is done.
    ///
    /// # Errors
    /// When the device fails.
    fn finish(&mut self) -> Result<(), EngineError>;
}
