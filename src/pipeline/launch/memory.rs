//! The memory of launches: named buffers in one 32-bit address space, with gaps between them, and texels.

use std::sync::Arc;

use crate::memory::{GuestMemory, MemorySpace, MemoryWindow};

/// Buffers begin at multiples of this address.
const ALIGNMENT: u32 = 256;

/// Where the first buffer begins, so that small addresses are in no buffer.
const FIRST_ADDRESS: u32 = 0x1_0000;

/// Where the last buffer ends at most: 1 GiB, the memory of the largest boards of the first generations.
const LAST_ADDRESS: u64 = 1 << 30;

/// A buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchBuffer {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub address: u32,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// The buffers in order of their addresses. At least 256 addresses after each buffer belong to none, so that
/// an access beyond its end hits no other one. Texels of textures are apart: nothing writes them during a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchMemory {
    buffers: Vec<LaunchBuffer>,
    texels: Arc<GuestMemory>,
    texels_end: u64,
}

impl Default for LaunchMemory {
    fn default() -> Self {
        let texels = GuestMemory::new(LAST_ADDRESS, 0).expect("the size is a space's largest");
        Self { buffers: Vec::new(), texels: Arc::new(texels), texels_end: 0 }
    }
}

/// The buffers need more memory than there is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no memory is left for the {bytes} bytes of buffer {name}")]
pub struct OutOfMemory {
    /// The buffer that does not fit.
    pub name: String,
    /// How long it is.
    pub bytes: usize,
}

impl LaunchMemory {
    /// Adds a buffer and returns its address, a multiple of 256.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn allocate(&mut self, name: &str, bytes: Vec<u8>) -> Result<u32, OutOfMemory> {
        self.allocate_aligned(name, bytes, 0, ALIGNMENT)
    }

    /// The same with zeros behind the bytes up to a size, and at a multiple of another alignment, a power of two, if it is
    /// larger.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn allocate_aligned(
        &mut self,
        name: &str,
        mut bytes: Vec<u8>,
        size: u32,
        alignment: u32,
    ) -> Result<u32, OutOfMemory> {
        let alignment = u64::from(alignment.max(ALIGNMENT));
        let size = bytes.len().max(size as usize);
        let no_room = || OutOfMemory { name: name.to_owned(), bytes: size };
        let address = match self.buffers.last() {
            None => u64::from(FIRST_ADDRESS),
            Some(last) => u64::from(last.address) + last.bytes.len() as u64 + u64::from(ALIGNMENT),
        };
        let address = address.next_multiple_of(alignment);
        if address + size as u64 > LAST_ADDRESS {
            return Err(no_room());
        }
        let address = u32::try_from(address).map_err(|_| no_room())?;
        bytes.resize(size, 0);
        self.buffers.push(LaunchBuffer { name: name.to_owned(), address, bytes });
        Ok(address)
    }

    /// Adds a buffer without a name at an address: a multiple of 256, behind all other buffers.
    pub(super) fn place(&mut self, address: u32, bytes: Vec<u8>) {
        debug_assert!(address.is_multiple_of(ALIGNMENT), "buffers are aligned");
        self.buffers.push(LaunchBuffer { name: String::new(), address, bytes });
    }

    /// Adds the bytes of a texture and returns where [`Self::texels`] has them, from a multiple of 256 on; `None` if there
    /// is no room.
    pub fn add_texels(&mut self, bytes: &[u8]) -> Option<MemoryWindow> {
        let start = self.texels_end.next_multiple_of(ALIGNMENT.into());
        let end = start + bytes.len() as u64;
        let memory = Arc::make_mut(&mut self.texels);
        // A word beyond the last texel.
        memory.grow(MemorySpace::Vram, end + 4).ok()?;
        let [start, length] = [start, bytes.len() as u64].map(|value| u32::try_from(value).ok());
        let window = MemoryWindow { space: MemorySpace::Vram, start: start?, bytes: length? };
        memory.store(window, bytes);
        self.texels_end = end;
        Some(window)
    }

    /// The memory of texels.
    #[must_use]
    pub const fn texels(&self) -> &Arc<GuestMemory> {
        &self.texels
    }

    /// The buffers in the order in which they were added.
    #[must_use]
    pub fn buffers(&self) -> &[LaunchBuffer] {
        &self.buffers
    }

    /// The same to be changed.
    #[must_use]
    pub fn buffers_mut(&mut self) -> &mut [LaunchBuffer] {
        &mut self.buffers
    }

    /// The bytes of an access, if a buffer holds them all.
    #[must_use]
    pub fn read(&self, address: u32, bytes: u32) -> Option<&[u8]> {
        let buffer = &self.buffers[self.buffer_at(address)?];
        let start = (address - buffer.address) as usize;
        buffer.bytes.get(start..start + bytes as usize)
    }

    /// The same to be changed.
    #[must_use]
    pub fn write(&mut self, address: u32, bytes: u32) -> Option<&mut [u8]> {
        let index = self.buffer_at(address)?;
        let buffer = &mut self.buffers[index];
        let start = (address - buffer.address) as usize;
        buffer.bytes.get_mut(start..start + bytes as usize)
    }

    /// The last buffer that begins at the address or before it.
    fn buffer_at(&self, address: u32) -> Option<usize> {
        self.buffers.partition_point(|buffer| buffer.address <= address).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_apart() {
        let mut memory = LaunchMemory::default();
        let first = memory.allocate("a", vec![1; 256]).unwrap();
        let second = memory.allocate("b", vec![2; 4]).unwrap();
        assert_eq!((first, second), (0x1_0000, 0x1_0200));
        assert_eq!(memory.read(first + 252, 4), Some(&[1; 4][..]));
        assert_eq!(memory.read(second, 4), Some(&[2; 4][..]));
        for outside in [0, first - 1, first + 253, first + 256, second - 1, second + 1, second + 4, u32::MAX] {
            assert_eq!(memory.read(outside, 4), None, "{outside:#x}");
            assert_eq!(memory.write(outside, 4), None, "{outside:#x}");
        }
        memory.write(second, 2).unwrap().copy_from_slice(&[7, 8]);
        assert_eq!(memory.buffers()[1].bytes, [7, 8, 2, 2]);
    }

    #[test]
    fn a_larger_alignment_is_kept() {
        let mut memory = LaunchMemory::default();
        memory.allocate("a", vec![0; 4]).unwrap();
        assert_eq!(memory.allocate_aligned("b", vec![0; 4], 0, 0x1000), Ok(0x1_1000));
        assert_eq!(memory.allocate_aligned("c", vec![0; 4], 0, 4), Ok(0x1_1200));
    }

    #[test]
    fn zeros_follow_what_is_given_and_memory_ends() {
        let mut memory = LaunchMemory::default();
        let address = memory.allocate_aligned("a", vec![1; 4], 8, 4).unwrap();
        assert_eq!(memory.read(address, 8), Some(&[1, 1, 1, 1, 0, 0, 0, 0][..]));
        let error = memory.allocate_aligned("b", Vec::new(), u32::MAX, 4).unwrap_err();
        assert_eq!(error.to_string(), "no memory is left for the 4294967295 bytes of buffer b");
        assert_eq!(memory.buffers().len(), 1);
    }

    #[test]
    fn an_empty_buffer_holds_no_access() {
        let mut memory = LaunchMemory::default();
        let address = memory.allocate("empty", Vec::new()).unwrap();
        assert_eq!(memory.read(address, 1), None);
        assert_eq!(LaunchMemory::default().read(0, 1), None);
    }
}
