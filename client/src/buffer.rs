//! Buffers: where they lie, and the file in memory through which program and emulator share their content.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, fstat, ftruncate, memfd_create};
use rustix::io::{Errno, pread, pwrite};

use crate::connection::Connection;
use crate::generation::Generation;
use crate::protocol::{self, words};
use crate::uapi::{GemInfo, PREPARE_WRITE};

/// Maps of buffers begin at this offset of the device node, a page for each handle. Programs of 32 bits reach 2^44.
const FIRST_MAP_OFFSET: u64 = 1 << 40;

/// How submissions used a buffer since the last wait for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Uses {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
}

/// A buffer.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) handle: u32,
    /// The place where it lies, a flag.
    pub(crate) place: u32,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
    /// The flags and the mode of tiling that it was created with.
    tiling: [u32; 2],
    /// Uses that the program has not waited for.
    pub(crate) uses: Uses,
    /// Whether the chip may access its content, other than to fetch words of submissions.
    pub(crate) is_accessed: bool,
    /// The file; `None` until it is needed.
    file: Option<OwnedFd>,
    /// The file by which others know a buffer of another program, which this is a copy of.
    imported: Option<OwnedFd>,
    /// Whether the program may have mapped the file.
    is_mapped: bool,
    /// Whether the file has the content that the emulator shares.
    is_shared: bool,
    /// Whether others know the buffer.
    is_exported: bool,
}

impl Buffer {
    /// A buffer that neither side has accessed.
    pub(crate) const fn new(handle: u32, place: u32, bytes: u64, address: u64, tiling: [u32; 2]) -> Self {
        let uses = Uses { reads: false, writes: false };
        let (file, imported) = (None, None);
        let [is_accessed, is_mapped, is_shared, is_exported] = [false; 4];
        Self {
            handle,
            place,
            bytes,
            address,
            tiling,
            uses,
            is_accessed,
            file,
            imported,
            is_mapped,
            is_shared,
            is_exported,
        }
    }

    /// Makes a new buffer the copy of one of another program, which has this file.
    pub(crate) fn set_imported(&mut self, file: OwnedFd) {
        self.imported = Some(file);
        self.is_exported = true;
        // It may have a content from before.
        self.is_accessed = true;
    }

    /// The payload of the message that it is new or moves.
    pub(crate) fn location(&self, generation: &Generation) -> Vec<u8> {
        let [tile_flags, tile_mode] = generation.captured_tiling(self.tiling);
        let mut message = words(&[self.handle, self.place, tile_mode, tile_flags]);
        message.extend_from_slice(&self.bytes.to_le_bytes());
        message.extend_from_slice(&self.address.to_le_bytes());
        message
    }

    /// What the kernel says of it.
    pub(crate) fn info(&self) -> GemInfo {
        let Self { handle, place: places, bytes, address, tiling: [tile_flags, tile_mode], .. } = *self;
        GemInfo { handle, places, bytes, address, map_offset: map_offset(handle), tile_mode, tile_flags }
    }

    /// The file, whose size is the buffer's.
    fn file(&mut self) -> Result<BorrowedFd<'_>, Errno> {
        if self.file.is_none() {
            let file = memfd_create("curie buffer", MemfdFlags::CLOEXEC)?;
            ftruncate(&file, self.bytes)?;
            self.file = Some(file);
        }
        self.file.as_ref().map(OwnedFd::as_fd).ok_or(Errno::MFILE)
    }

    /// Lets the chip access the content; if the program may have mapped the file, the emulator shares it. Buffers that hold words
    /// of submissions only stay the program's own.
    pub(crate) fn allow_access(&mut self, connection: &Connection) -> Result<(), Errno> {
        if self.is_mapped {
            self.share(connection)?;
        }
        self.is_accessed = true;
        Ok(())
    }

    fn share(&mut self, connection: &Connection) -> Result<(), Errno> {
        if !std::mem::replace(&mut self.is_shared, true) {
            let handle = self.handle;
            connection.send_with(protocol::SHARE, &words(&[handle]), self.file()?);
            // What the chip wrote before is not in the file yet, whatever the program has waited for.
            self.uses.writes |= self.is_accessed;
        }
        Ok(())
    }

    /// The file for a map of the program, with the content of the buffer.
    pub(crate) fn map(&mut self, connection: &Connection) -> Result<OwnedFd, Errno> {
        self.file()?;
        self.is_mapped = true;
        if self.is_accessed {
            self.share(connection)?;
        }
        // The program may know by a fence that the chip has written.
        self.prepare(connection, 0);
        self.file()?.try_clone_to_owned().map_err(|_| Errno::MFILE)
    }

    /// The file by which others know the buffer. Its content need not be in the file.
    pub(crate) fn export(&mut self, connection: &Connection) -> Result<OwnedFd, Errno> {
        if let Some(file) = &self.imported {
            return file.try_clone().map_err(|_| Errno::MFILE);
        }
        let (is_exported, [tile_flags, tile_mode]) = (self.is_exported, self.tiling);
        let message = words(&[self.handle, tile_flags, tile_mode]);
        let file = self.file()?;
        if !is_exported {
            // Once another program has the file, the emulator knows it.
            connection.request_shared(protocol::EXPORT, &message, file, protocol::DONE);
        }
        self.is_exported = true;
        self.file()?.try_clone_to_owned().map_err(|_| Errno::MFILE)
    }

    /// Whether others know the buffer by the file of a descriptor.
    pub(crate) fn is_known_by(&self, descriptor: BorrowedFd<'_>) -> bool {
        let identity = |descriptor: BorrowedFd<'_>| fstat(descriptor).map(|status| (status.st_dev, status.st_ino));
        let own = self.imported.as_ref().or(self.file.as_ref()).map(|file| identity(file.as_fd()));
        matches!((own, identity(descriptor)), (Some(Ok(own)), Ok(other)) if own == other)
    }

    /// Waits until the chip is idle on the buffer and the file is up to date, as far as an access needs that.
    pub(crate) fn prepare(&mut self, connection: &Connection, flags: u32) {
        let Uses { reads, writes } = self.uses;
        let will_write = flags & PREPARE_WRITE != 0;
        // Another program may have written a buffer that it knows.
        if writes || will_write && reads || self.is_exported {
            let flags = if will_write { protocol::PREPARE_WRITE } else { 0 };
            connection.send_time();
            connection.request(protocol::PREPARE, &words(&[self.handle, flags]), protocol::DONE);
            self.uses = Uses::default();
        }
    }

    /// Reads words that the chip is to execute.
    pub(crate) fn read(&mut self, connection: &Connection, offset: u64, bytes: usize) -> Result<Vec<u8>, Errno> {
        if self.is_accessed {
            // The emulator may have content that the file lacks.
            self.share(connection)?;
        }
        if self.is_shared {
            self.prepare(connection, 0);
        }
        let mut content = vec![0; bytes];
        let file = self.file()?;
        let mut filled = 0;
        while filled < bytes {
            // A program could cut the file, which then reads as zero.
            match pread(file, &mut content[filled..], offset + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(content)
    }

    /// Writes a word as the program would.
    pub(crate) fn write(&mut self, offset: u64, word: u32) -> Result<(), Errno> {
        pwrite(self.file()?, &word.to_le_bytes(), offset).map(drop)
    }
}

/// The offset of the device node at which a buffer is mapped.
fn map_offset(handle: u32) -> u64 {
    FIRST_MAP_OFFSET + (u64::from(handle) << 12)
}

/// The buffer that is mapped at an offset of the device node.
pub(crate) fn mapped_at(offset: u64) -> Option<u32> {
    let pages = offset.checked_sub(FIRST_MAP_OFFSET)?;
    u32::try_from(pages >> 12).ok().filter(|handle| map_offset(*handle) == offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uapi::VRAM;

    #[test]
    fn offsets_of_maps_are_within_reach_and_apart() {
        for handle in [1, 2, 0x7fff_ffff] {
            assert_eq!(mapped_at(map_offset(handle)), Some(handle));
            assert!(map_offset(handle) < 1 << 44);
        }
        assert_eq!([0, (1 << 40) - 1, (1 << 40) + 1, 1 << 52].map(mapped_at), [None; 4]);
    }

    #[test]
    fn a_location_is_what_captures_hold() {
        let location = |chipset, tiling| {
            let generation = Generation::of(chipset).expect("a known chip");
            Buffer::new(7, VRAM, 0x2000, 0x1_0000_3000, tiling).location(generation)
        };
        assert_eq!(location(0x40, [0x0a, 0x800]), words(&[7, 2, 0x800, 2, 0x2000, 0, 0x3000, 1]));
        // Type 0x170 of the memory, and mode 0x40.
        assert_eq!(location(0x50, [0x2_7000, 4]), words(&[7, 2, 0x40, 0x170, 0x2000, 0, 0x3000, 1]));
    }
}
