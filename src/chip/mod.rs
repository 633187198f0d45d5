//! The chip: records become memory traffic, words become methods, methods become [`GpuCommand`](crate::pipeline::GpuCommand).
//!
//! [`Chip::apply`] takes the records of a capture one by one and drives an [`Engine`]. State lives in the channel's
//! context, one set per class, as on the chip; graphics objects only name the class that a subchannel talks to.

mod anomalies;
mod bits;
mod channel;
mod context;
mod memory;
mod notifiers;
pub mod nv40;
mod objects;

pub use anomalies::{Anomalies, Anomaly, Occurrences, Reason};
pub use channel::{SubmissionPosition, SubmissionRun};
pub use nv40::three_d::BoundSurface;

use std::collections::BTreeMap;

use crate::capture::{Header, Record};
use crate::command::methods::class_table;
use crate::command::packet::PushError;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Engine, EngineError};

/// The 3D class.
const CLASS_THREE_D: u32 = 0x4097;
/// The memory copy.
const CLASS_COPY: u32 = 0x0039;
/// Linear 2D surfaces.
const CLASS_SURFACE: u32 = 0x0062;
/// Swizzled 2D surfaces.
const CLASS_SWIZZLED_SURFACE: u32 = 0x309e;
/// The scaled image.
const CLASS_SCALED_IMAGE: u32 = 0x3089;
/// The image from the processor.
const CLASS_IMAGE_UPLOAD: u32 = 0x308a;
/// The texture from the processor.
const CLASS_TEXTURE_UPLOAD: u32 = 0x307b;
/// The image blit.
const CLASS_BLIT: u32 = 0x009f;
/// Solid rectangles and bitmaps.
const CLASS_RECTANGLES: u32 = 0x004a;
/// The blend factor of 2D objects.
const CLASS_BETA: u32 = 0x0012;
/// The four factors of 2D objects.
const CLASS_BETA4: u32 = 0x0072;
/// The bitwise operation of 2D objects.
const CLASS_ROP: u32 = 0x0043;
/// The pattern of 2D objects.
const CLASS_PATTERN: u32 = 0x0044;
/// The colour key of 2D objects.
const CLASS_COLOR_KEY: u32 = 0x0057;
/// The clip rectangle of 2D objects.
const CLASS_CLIP: u32 = 0x0019;
/// The null object.
const CLASS_NULL: u32 = 0x0030;

/// The class whose methods a class has: its own number, or that of a later class of the same kind.
fn own_class(class: u32) -> u32 {
    class_table(class).map_or(class, |table| table.class)
}

/// Virtual time that passes with each method, so that reports carry times that are the same in every run.
const NANOSECONDS_PER_METHOD: u64 = 10;

/// Largest address space, as guest memory has it.
const MAX_SPACE_BYTES: u64 = 1 << 30;

/// Why a stream cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ChipError {
    /// The pusher stopped, as the chip's does.
    #[error("submission {sequence}: {source}")]
    Push {
        /// The submission.
        sequence: u32,
        /// What happened.
        #[source]
        source: PushError,
    },
    /// An anomaly in strict mode.
    #[error("{anomaly} (value {value:#010x})")]
    Anomaly {
        /// What it is.
        anomaly: Anomaly,
        /// The value written.
        value: u32,
    },
    /// A memory record names a domain that is neither VRAM nor GART.
    #[error("buffer {handle}: domain {domain}, expected 2 (VRAM) or 4 (GART)")]
    Domain {
        /// The buffer.
        handle: u32,
        /// The domain.
        domain: u32,
    },
    /// A buffer does not fit into its address space.
    #[error("buffer {handle}: {bytes} bytes at {offset:#x} lie outside {space:?}")]
    BufferOutside {
        /// The buffer.
        handle: u32,
        /// Its address.
        offset: u64,
        /// Its size.
        bytes: u64,
        /// The address space.
        space: MemorySpace,
    },
    /// A record names a buffer that does not exist.
    #[error("{tag} names buffer {handle}, which does not exist")]
    UnknownBuffer {
        /// The record's tag.
        tag: &'static str,
        /// The buffer.
        handle: u32,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// The chip with one channel.
#[derive(Debug)]
pub struct Chip {
    sizes: [u64; 2],
    objects: objects::Objects,
    channel: channel::Channel,
    three_d: nv40::three_d::ThreeD,
    copy: nv40::copy::Copy,
    surfaces: nv40::surfaces::Surfaces,
    scaled_image: nv40::scaled_image::ScaledImages,
    image_upload: nv40::unscaled_image::Uploads,
    texture_upload: nv40::unscaled_image::Uploads,
    blit: nv40::unscaled_image::Blits,
    rectangles: nv40::rectangles::Rectangles,
    pixel_context: nv40::pixel_context::PixelContext,
    notifiers: notifiers::Notifiers,
    /// What the client last wrote, by buffer handle and page offset.
    client_pages: BTreeMap<(u32, u32), Vec<u8>>,
    anomalies: Anomalies,
    is_strict: bool,
    time_ns: u64,
    counts: MethodCounts,
}

/// What a channel has executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MethodCounts {
    /// Methods.
    pub methods: u64,
    /// Packets with a method at least.
    pub packets: u64,
    /// Methods of the 3D object that changed the value of a register.
    pub state_changes: u64,
    /// Methods of it with which the client goes on to the next buffer (`FLIP_INCR_WRITE`).
    pub flips: u64,
    /// Draws that the engine has taken.
    pub draws: u64,
}

impl Chip {
    /// Creates the chip of a capture, with everything as after reset.
    #[must_use]
    pub fn new(header: &Header) -> Self {
        Self {
            sizes: [header.vram_bytes, header.gart_bytes].map(|bytes| bytes.min(MAX_SPACE_BYTES)),
            objects: objects::Objects::default(),
            channel: channel::Channel::default(),
            three_d: nv40::three_d::ThreeD::new(),
            copy: nv40::copy::Copy::default(),
            surfaces: nv40::surfaces::Surfaces::default(),
            scaled_image: nv40::scaled_image::ScaledImages::default(),
            image_upload: nv40::unscaled_image::Uploads::default(),
            texture_upload: nv40::unscaled_image::Uploads::default(),
            blit: nv40::unscaled_image::Blits::default(),
            rectangles: nv40::rectangles::Rectangles::default(),
            pixel_context: nv40::pixel_context::PixelContext::default(),
            notifiers: notifiers::Notifiers::default(),
            client_pages: BTreeMap::new(),
            anomalies: Anomalies::default(),
            is_strict: false,
            time_ns: 0,
            counts: MethodCounts::default(),
        }
    }

    /// Makes anomalies errors.
    #[must_use]
    pub const fn strict(mut self, is_strict: bool) -> Self {
        self.is_strict = is_strict;
        self
    }

    /// Applies one record.
    ///
    /// # Errors
    /// When the record is impossible, the pusher stops, the engine fails, or there is an anomaly in strict mode.
    pub fn apply(&mut self, record: &Record, engine: &mut dyn Engine) -> Result<(), ChipError> {
        match record {
            &Record::Channel { vram_handle, gart_handle, .. } => {
                for (handle, space) in [(vram_handle, MemorySpace::Vram), (gart_handle, MemorySpace::Gart)] {
                    self.objects.insert(handle, objects::Object::Dma(self.whole(space)));
                }
                Ok(())
            }
            &Record::Object { handle, class } => {
                self.objects.insert(handle, objects::Object::Graphics(class));
                Ok(())
            }
            &Record::Notifier { handle, offset, bytes, buffer } => self.create_notifier(handle, offset, bytes, buffer),
            Record::CreateBuffer(buffer) => self.create_buffer(buffer, engine),
            Record::MoveBuffer(buffer) => self.move_buffer(buffer, engine),
            &Record::DestroyBuffer { handle } => {
                self.objects.remove_buffer(handle);
                self.forget_client_pages(handle);
                Ok(())
            }
            Record::Pages { handle, first_page, bytes } => self.write_pages(*handle, *first_page, bytes, engine),
            Record::Prepare { .. } | Record::Mark(_) => Ok(()),
            Record::Submit(submission) => self.submit(submission, engine),
        }
    }

    /// What the stream asked for so far that the chip does not know or refuses.
    #[must_use]
    pub const fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    /// What has been executed so far.
    #[must_use]
    pub const fn counts(&self) -> MethodCounts {
        self.counts
    }

    /// The buffers that the display reads and that the client draws, as the flip methods count them.
    #[must_use]
    pub const fn flip_buffers(&self) -> (u32, u32) {
        self.three_d.flip_buffers()
    }

    /// The surfaces that drawing would write now: enabled colour targets, then depth.
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.three_d.bound_surfaces()
    }

    /// Where the active fragment program starts.
    #[must_use]
    pub fn fragment_program(&self) -> MemoryWindow {
        self.three_d.fragment_stage().program
    }

    /// The value of the last `REF_CNT`.
    #[must_use]
    pub const fn reference_count(&self) -> u32 {
        self.channel.reference_count()
    }

    /// A window over a whole address space.
    fn whole(&self, space: MemorySpace) -> MemoryWindow {
        let bytes = u32::try_from(self.sizes[space as usize]).expect("sizes are at most 1 GiB");
        MemoryWindow { space, start: 0, bytes }
    }
}
