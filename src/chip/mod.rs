//! The chip: decodes the records of a capture into memory accesses and [`GpuCommand`](crate::pipeline::GpuCommand)s.
//!
//! [`Chip::apply`] takes records one by one and drives an [`Engine`]. The channel keeps one state per class, as the chip
//! does; graphics objects only name the class that a subchannel talks to. The classes come from the table of a machine.

mod anomalies;
mod bits;
mod bound_surface;
mod channel;
mod chip_error;
mod class;
mod classes;
mod clock;
mod gl_numbers;
mod memory;
mod method_counts;
mod notifier;
pub mod nv20;
pub mod nv40;
mod objects;
mod open_primitive;
mod pica200;
mod registers;
mod submission;
pub mod tesla;
mod upload_store;
mod virtual_memory;

pub use anomalies::{Anomalies, Anomaly, Occurrences, Reason};
pub use bound_surface::BoundSurface;
pub use chip_error::ChipError;
pub use classes::ClassRow;
pub(crate) use clock::Clock;
pub use method_counts::MethodCounts;
pub use submission::{SubmissionPosition, SubmissionRun};

use std::collections::{BTreeMap, BTreeSet};

use crate::capture::{Header, Record};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::Engine;
use class::Class;

/// The largest address space of guest memory.
const MAX_SPACE_BYTES: u64 = 1 << 30;

/// The chip with one channel.
#[derive(Debug)]
pub struct Chip {
    sizes: [u64; 2],
    objects: objects::Objects,
    channel: channel::Channel,
    classes: classes::Classes,
    /// The client's view of its pages, by buffer handle and page offset.
    client_pages: BTreeMap<(u32, u32), Vec<u8>>,
    anomalies: Anomalies,
    is_strict: bool,
    clock: Clock,
    counts: MethodCounts,
    /// The buffers that the chip wrote by virtual addresses.
    written: BTreeSet<u32>,
    /// Those of earlier calls.
    ever_written: BTreeSet<u32>,
}

impl Chip {
    /// Creates a chip with these classes and the memory that a capture requests, in its state after reset.
    #[must_use]
    pub fn new(header: &Header, classes: &'static [ClassRow]) -> Self {
        Self {
            sizes: [header.vram_bytes, header.gart_bytes].map(|bytes| bytes.min(MAX_SPACE_BYTES)),
            objects: objects::Objects::new(header.chipset, None),
            channel: channel::Channel::default(),
            classes: classes::Classes::new(classes),
            client_pages: BTreeMap::new(),
            anomalies: Anomalies::default(),
            is_strict: false,
            clock: Clock::default(),
            counts: MethodCounts::default(),
            written: BTreeSet::new(),
            ever_written: BTreeSet::new(),
        }
    }

    /// The same for a chip whose client names buffers by virtual addresses, and whose pushes come from a list (IB mode).
    #[must_use]
    pub fn with_virtual_memory(header: &Header, classes: &'static [ClassRow]) -> Self {
        let objects = objects::Objects::new(header.chipset, Some(virtual_memory::VirtualMemory::default()));
        Self { objects, ..Self::new(header, classes) }
    }

    /// Sets whether anomalies are errors.
    #[must_use]
    pub const fn strict(mut self, is_strict: bool) -> Self {
        self.is_strict = is_strict;
        self
    }

    /// Applies one capture record.
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
                self.objects.insert(handle, objects::Object::Graphics(self.classes.object(class)));
                Ok(())
            }
            &Record::Notifier { handle, offset, bytes, buffer } => self.create_notifier(handle, offset, bytes, buffer),
            Record::CreateBuffer(buffer) => self.create_buffer(buffer, engine),
            Record::MoveBuffer(buffer) => self.move_buffer(buffer, engine),
            &Record::DestroyBuffer { handle } => {
                self.objects.remove_buffer(handle);
                self.ever_written.remove(&handle);
                self.forget_client_pages(handle);
                Ok(())
            }
            Record::Pages { handle, first_page, bytes } => self.write_pages(*handle, *first_page, bytes, engine),
            Record::Write { handle, offset, bytes } => self.write_bytes(*handle, *offset, bytes, engine),
            Record::Prepare { .. } | Record::Mark(_) => Ok(()),
            Record::Times(times) => {
                self.clock.set(times);
                Ok(())
            }
            Record::Submit(submission) => self.submit(submission, engine),
        }
    }

    /// Lets reports and notifiers hold the host's time, in nanoseconds, instead of that of [`Record::Times`].
    pub fn follow_clock(&mut self, host: fn() -> u64) {
        self.clock.follow(host);
    }

    /// Ends a submission that the caller executed with [`Self::execute_method`]. Returns the times that it read from the
    /// host: a replay needs them, as [`Record::Times`], before the submission.
    pub fn end_submission(&mut self) -> Vec<u64> {
        self.clock.end_submission()
    }

    /// The buffers that the chip wrote by virtual addresses since the last call.
    pub(crate) fn take_written(&mut self) -> BTreeSet<u32> {
        self.ever_written.extend(&self.written);
        std::mem::take(&mut self.written)
    }

    /// Whether the chip has written a buffer by virtual addresses.
    fn has_written(&self, handle: u32) -> bool {
        self.written.contains(&handle) || self.ever_written.contains(&handle)
    }

    /// The memory of a buffer; `None` if there is no such buffer.
    #[must_use]
    pub fn buffer_window(&self, handle: u32) -> Option<MemoryWindow> {
        self.objects.buffer(handle)
    }

    /// The memory from a virtual address to the end of its buffer; empty if it is in no buffer.
    #[must_use]
    pub fn virtual_window(&self, address: u64) -> MemoryWindow {
        self.objects.virtual_window(address)
    }

    /// What the chip did not know or refused so far.
    #[must_use]
    pub const fn anomalies(&self) -> &Anomalies {
        &self.anomalies
    }

    /// What the channel executed so far.
    #[must_use]
    pub const fn counts(&self) -> MethodCounts {
        self.counts
    }

    /// The value of the last `REF_CNT`.
    #[must_use]
    pub const fn reference_count(&self) -> u32 {
        self.channel.reference_count()
    }

    /// The buffers that the display reads and the client draws to, as the flip methods count them.
    #[must_use]
    pub fn flip_buffers(&self) -> (u32, u32) {
        self.classes.iter().find_map(Class::flip_buffers).unwrap_or_default()
    }

    /// The surfaces that drawing would write now: enabled color targets, then depth; of depth the one that was used last, if
    /// the bound one never was.
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.classes.iter().flat_map(|class| class.bound_surfaces(&self.objects)).collect()
    }

    /// The start of the active fragment program.
    #[must_use]
    pub fn fragment_program(&self) -> MemoryWindow {
        self.classes.iter().find_map(Class::fragment_program).unwrap_or(MemoryWindow::EMPTY)
    }

    /// A window over a whole address space.
    fn whole(&self, space: MemorySpace) -> MemoryWindow {
        let bytes = u32::try_from(self.sizes[space as usize]).expect("sizes are at most 1 GiB");
        MemoryWindow { space, start: 0, bytes }
    }
}
