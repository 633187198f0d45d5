//! The buffers of a program: their memory in the program, and what others know of them.

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::LiveError;
use super::exports::{Export, FileIdentity};
use super::shared_buffer::SharedBuffer;
use crate::capture::{Buffer, DOMAIN_GART, Tag};

/// Buffers that may exist at a time.
const MAX_BUFFERS: usize = 1 << 20;

/// A buffer of the program.
#[derive(Debug)]
pub(super) struct LiveBuffer {
    pub(super) domain: u32,
    pub(super) bytes: u32,
    /// Whether a submission that may write it has run since its content was last brought to the program.
    pub(super) chip_wrote: bool,
    pub(super) shared: Option<SharedBuffer>,
    /// What others know of it.
    pub(super) exported: Option<Exported>,
}

/// A buffer that its program has exported, or imported.
#[derive(Debug, Clone)]
pub(super) struct Exported {
    pub(super) export: Arc<Export>,
    /// The version of the chip's content.
    pub(super) version: Option<u64>,
    /// Whether a submission has used it.
    pub(super) is_used: bool,
    /// The version that others have fetched last.
    pub(super) shown: Option<u64>,
}

impl LiveBuffer {
    /// Whether the program finds what the chip writes in it without asking.
    pub(super) const fn is_watched(&self) -> bool {
        self.shared.is_some() && self.domain == DOMAIN_GART
    }
}

/// The buffers of a program by handle.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    buffers: HashMap<u32, LiveBuffer>,
    /// Those that others know, by file.
    exported: HashMap<FileIdentity, u32>,
    /// Bytes of all shared buffers.
    shared_bytes: u64,
}

impl Buffers {
    /// Fails if no more buffers may be created.
    pub(super) fn check_space(&self) -> Result<(), LiveError> {
        match self.buffers.len() < MAX_BUFFERS {
            true => Ok(()),
            false => Err(LiveError::TooMany { what: "buffers", limit: MAX_BUFFERS as u64 }),
        }
    }

    /// Fails if the buffer that a message names does not exist.
    pub(super) fn check(&self, tag: Tag, handle: u32) -> Result<(), LiveError> {
        match self.buffers.contains_key(&handle) {
            true => Ok(()),
            false => Err(LiveError::UnknownBuffer { tag, handle }),
        }
    }

    pub(super) fn get(&self, handle: u32) -> Option<&LiveBuffer> {
        self.buffers.get(&handle)
    }

    pub(super) fn get_mut(&mut self, handle: u32) -> Option<&mut LiveBuffer> {
        self.buffers.get_mut(&handle)
    }

    /// Adds a buffer whose size the backend has accepted.
    pub(super) fn insert(&mut self, buffer: &Buffer) {
        let &Buffer { handle, domain, .. } = buffer;
        let buffer = LiveBuffer { domain, bytes: bytes_of(buffer), chip_wrote: false, shared: None, exported: None };
        self.buffers.insert(handle, buffer);
    }

    /// Notes the new place of a buffer.
    pub(super) fn move_to(&mut self, moved: &Buffer) {
        if let Some(buffer) = self.buffers.get_mut(&moved.handle) {
            (buffer.domain, buffer.bytes) = (moved.domain, bytes_of(moved));
        }
    }

    /// Removes a buffer, if it exists.
    pub(super) fn remove(&mut self, handle: u32) {
        let Some(LiveBuffer { shared, exported, .. }) = self.buffers.remove(&handle) else { return };
        self.shared_bytes -= shared.map_or(0, |shared| shared.bytes() as u64);
        self.forget_exported(exported, handle);
    }

    fn forget_exported(&mut self, exported: Option<Exported>, handle: u32) {
        if let Some(Exported { export, .. }) = exported
            && self.exported.get(export.file()) == Some(&handle)
        {
            self.exported.remove(export.file());
        }
    }

    /// The buffer that others know by a file.
    pub(super) fn exported(&self, file: &FileIdentity) -> Option<u32> {
        self.exported.get(file).copied()
    }

    /// All buffers that others know.
    pub(super) fn all_exported(&self) -> Vec<u32> {
        self.exported.values().copied().collect()
    }

    /// Notes that others know a buffer.
    pub(super) fn set_exported(&mut self, handle: u32, exported: Exported) {
        let Some(buffer) = self.buffers.get_mut(&handle) else { return };
        let file = *exported.export.file();
        let before = buffer.exported.replace(exported);
        self.forget_exported(before, handle);
        self.exported.insert(file, handle);
    }

    /// Takes a descriptor as the memory of a buffer. All shared buffers have at most `limit` bytes.
    pub(super) fn share(
        &mut self,
        tag: Tag,
        handle: u32,
        descriptor: Option<OwnedFd>,
        limit: u64,
    ) -> Result<&LiveBuffer, LiveError> {
        let buffer = self.buffers.get_mut(&handle).ok_or(LiveError::UnknownBuffer { tag, handle })?;
        let bytes = buffer.bytes;
        let memory = File::from(descriptor.ok_or(LiveError::NoDescriptor { handle })?);
        let found = memory.metadata().map_err(|source| LiveError::SharedMemory { handle, source })?;
        let wrong = |found: String| LiveError::WrongDescriptor { handle, bytes, found };
        if !found.is_file() {
            return Err(wrong("no memory".to_owned()));
        }
        if found.len() < u64::from(bytes) {
            return Err(wrong(format!("{} bytes of memory", found.len())));
        }
        if let Some(before) = buffer.shared.take() {
            self.shared_bytes -= before.bytes() as u64;
        }
        self.shared_bytes += u64::from(bytes);
        if self.shared_bytes > limit {
            return Err(LiveError::TooMany { what: "bytes of shared memory", limit });
        }
        buffer.shared = Some(SharedBuffer::new(memory, bytes as usize));
        Ok(buffer)
    }
}

/// The size of a buffer. Address spaces are smaller than 4 GiB.
fn bytes_of(buffer: &Buffer) -> u32 {
    u32::try_from(buffer.bytes).unwrap_or(u32::MAX)
}
