//! Records of a captured stream, and what they hold.

use super::CaptureWarning;
use crate::memory::MemorySpace;

/// The first eight bytes of a capture.
pub(super) const MAGIC: [u8; 8] = *b"NVCAPT\0\0";

/// The version of the format.
pub(super) const VERSION: u32 = 1;

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 32;

/// Words of one relocation entry of a submission.
pub(super) const RELOCATION_WORDS: usize = 7;

/// The machine that a capture was recorded on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The chipset number, `0x40` for NV40.
    pub chipset: u32,
    /// Size of video memory in bytes.
    pub vram_bytes: u64,
    /// Size of the window into system memory in bytes.
    pub gart_bytes: u64,
}

impl Default for Header {
    fn default() -> Self {
        Self { chipset: 0x40, vram_bytes: 256 << 20, gart_bytes: 512 << 20 }
    }
}

/// A buffer object and its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// The client's number for it.
    pub handle: u32,
    /// The address space, as recorded: 2 VRAM, 4 GART.
    pub domain: u32,
    /// Tiling that the client requested. It does not change guest memory.
    pub tile_mode: u32,
    /// Flags of the tiling.
    pub tile_flags: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// Address of its first byte inside the address space.
    pub offset: u64,
}

/// The domain number of video memory.
pub const DOMAIN_VRAM: u32 = 2;

/// The domain number of the window into system memory.
pub const DOMAIN_GART: u32 = 4;

impl Buffer {
    /// The address space of its domain; `None` when the domain is neither VRAM nor GART.
    #[must_use]
    pub const fn space(&self) -> Option<MemorySpace> {
        match self.domain {
            DOMAIN_VRAM => Some(MemorySpace::Vram),
            DOMAIN_GART => Some(MemorySpace::Gart),
            _ => None,
        }
    }
}

/// A buffer object that a submission uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferUse {
    /// The buffer.
    pub handle: u32,
    /// Domains in which the chip may read it.
    pub read_domains: u32,
    /// Domains in which the chip may write it.
    pub write_domains: u32,
    /// Domains in which it may be placed.
    pub valid_domains: u32,
    /// The domain in which it was placed.
    pub domain: u32,
    /// Its address at that time.
    pub offset: u32,
}

/// A piece of a push buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The buffer object that held the words.
    pub buffer: u32,
    /// Offset of the first word in it, in bytes.
    pub offset: u32,
    /// The words as the chip read them.
    pub words: Vec<u32>,
}

/// One submission.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Submission {
    /// Its number, assigned by the client.
    pub sequence: u32,
    /// The buffers it uses.
    pub buffers: Vec<BufferUse>,
    /// Relocations, already applied to the words.
    pub relocations: Vec<[u32; RELOCATION_WORDS]>,
    /// The words to execute, in order.
    pub pushes: Vec<Push>,
}

/// One action of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// `CHAN`: the channel, with DMA objects that each cover a whole address space.
    Channel {
        /// Handle of the DMA object of VRAM.
        vram_handle: u32,
        /// Handle of the DMA object of GART.
        gart_handle: u32,
        /// The buffer object that contains notifiers.
        notifier_buffer: u32,
    },
    /// `GOBJ`: a graphics object.
    Object {
        /// Its handle.
        handle: u32,
        /// Its class.
        class: u32,
    },
    /// `NTFY`: a DMA object that covers part of the notifier buffer.
    Notifier {
        /// Its handle.
        handle: u32,
        /// First byte inside the buffer.
        offset: u32,
        /// How many bytes it covers.
        bytes: u32,
        /// The buffer object.
        buffer: u32,
    },
    /// `BONW`: a buffer object is created, filled with zeros.
    CreateBuffer(Buffer),
    /// `BOMV`: a buffer object moves, along with its contents.
    MoveBuffer(Buffer),
    /// `BODL`: a buffer object is destroyed.
    DestroyBuffer {
        /// The buffer.
        handle: u32,
    },
    /// `PAGE`: pages that the host wrote.
    Pages {
        /// The buffer.
        handle: u32,
        /// The first page inside the buffer.
        first_page: u32,
        /// Their bytes, a multiple of the page size.
        bytes: Vec<u8>,
    },
    /// `WRIT`: bytes that the host wrote, exactly. A live client sees what the chip writes, so all of them are its own.
    Write {
        /// The buffer.
        handle: u32,
        /// The first byte inside the buffer.
        offset: u32,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// `PREP`: the client is about to access a buffer on the host.
    Prepare {
        /// The buffer.
        handle: u32,
        /// Bit 2: it will write.
        flags: u32,
    },
    /// `MARK`: a label that the client set.
    Mark(Vec<u8>),
    /// `TIME`: the times in nanoseconds that the next submission writes to reports and notifiers, in order.
    Times(Vec<u64>),
    /// `SUBM`: words for the chip.
    Submit(Submission),
}

impl Record {
    /// The four characters that name the record in a file.
    #[must_use]
    pub const fn tag(&self) -> [u8; 4] {
        match self {
            Self::Channel { .. } => *b"CHAN",
            Self::Object { .. } => *b"GOBJ",
            Self::Notifier { .. } => *b"NTFY",
            Self::CreateBuffer(_) => *b"BONW",
            Self::MoveBuffer(_) => *b"BOMV",
            Self::DestroyBuffer { .. } => *b"BODL",
            Self::Pages { .. } => *b"PAGE",
            Self::Write { .. } => *b"WRIT",
            Self::Prepare { .. } => *b"PREP",
            Self::Mark(_) => *b"MARK",
            Self::Times(_) => *b"TIME",
            Self::Submit(_) => *b"SUBM",
        }
    }

    /// The tag as text.
    #[must_use]
    pub fn tag_name(&self) -> String {
        String::from_utf8_lossy(&self.tag()).into_owned()
    }

    /// A mark that precedes a frame.
    #[must_use]
    pub fn frame_mark() -> Self {
        Self::Mark(b"frame".to_vec())
    }

    /// Whether this is a mark that precedes a frame: `frame` or `frame N`, perhaps padded with zero bytes.
    #[must_use]
    pub fn begins_frame(&self) -> bool {
        let Self::Mark(text) = self else { return false };
        let padding = text.iter().rev().take_while(|byte| **byte == 0).count();
        match text[..text.len() - padding].strip_prefix(b"frame") {
            Some([]) => true,
            Some([b' ', number @ ..]) => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
            _ => false,
        }
    }
}

/// A recorded stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Capture {
    /// The machine.
    pub header: Header,
    /// The records, in order.
    pub records: Vec<Record>,
    /// What the reader skipped.
    pub warnings: Vec<CaptureWarning>,
}

#[cfg(test)]
mod tests {
    use super::super::*;

    #[test]
    fn marks_of_frames_have_a_number_or_none() {
        let begins = |text: &[u8]| Record::Mark(text.to_vec()).begins_frame();
        assert!(Record::frame_mark().begins_frame());
        assert!(begins(b"frame") && begins(b"frame 0") && begins(b"frame 12\0\0\0") && begins(b"frame\0"));
        assert!(
            !begins(b"frames") && !begins(b"frame ") && !begins(b"frame buffers") && !begins(b"") && !begins(b"\0")
        );
    }
}
