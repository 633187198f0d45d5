//! Reads numbers, tables and names of a compiled program of Cg; every offset is checked.

use std::ops::Range;

use super::limits::{MAX_NAME_LENGTH, MAX_PLACES};
use crate::isa::NvVertexIsa;
use crate::isa::nv40_fragment::decode::FragmentDecodeError;

/// Why bytes are not a compiled program of Cg. Offsets count from the start of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CgBinaryError {
    /// The file ends early.
    #[error("byte {offset:#x}: expected {expected}, the file ends at byte {end:#x}")]
    Truncated {
        /// The offset of what is expected.
        offset: usize,
        /// What is expected.
        expected: &'static str,
        /// The end of the file.
        end: usize,
    },
    /// A table leaves the file.
    #[error("byte {offset:#x}: {what} from byte {start:#x} to {stop:#x}, the file ends at byte {end:#x}")]
    Outside {
        /// The offset of the table's field.
        offset: usize,
        /// The table.
        what: &'static str,
        /// Where it begins.
        start: u64,
        /// Where it ends.
        stop: u64,
        /// The end of the file.
        end: usize,
    },
    /// A value has no meaning.
    #[error("byte {offset:#x}: {what} {value:#x}, expected {expected}")]
    Value {
        /// The offset of the value.
        offset: usize,
        /// What it is.
        what: &'static str,
        /// The value.
        value: u32,
        /// What values it can have.
        expected: &'static str,
    },
    /// A name is not a text.
    #[error("byte {offset:#x}: the name at byte {start:#x} {problem}")]
    Text {
        /// The offset of the name's field.
        offset: usize,
        /// Where it begins.
        start: u64,
        /// What is wrong.
        problem: &'static str,
    },
    /// The words are not a fragment program.
    #[error("fragment program: {0}")]
    Fragment(FragmentDecodeError),
}

/// The bytes of a file, or of what it says that it has.
pub(super) struct Reader<'file> {
    pub(super) bytes: &'file [u8],
    pub(super) is_little: bool,
}

impl<'file> Reader<'file> {
    pub(super) fn array<const N: usize>(
        &self,
        offset: usize,
        expected: &'static str,
    ) -> Result<[u8; N], CgBinaryError> {
        let found = self.bytes.get(offset..).and_then(|rest| rest.first_chunk());
        found.copied().ok_or(CgBinaryError::Truncated { offset, expected, end: self.bytes.len() })
    }

    pub(super) fn byte(&self, offset: usize, expected: &'static str) -> Result<u8, CgBinaryError> {
        self.array(offset, expected).map(|[byte]| byte)
    }

    pub(super) fn half(&self, offset: usize, expected: &'static str) -> Result<u16, CgBinaryError> {
        let bytes = self.array(offset, expected)?;
        Ok(if self.is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    pub(super) fn word(&self, offset: usize, expected: &'static str) -> Result<u32, CgBinaryError> {
        self.array(offset, expected).map(|bytes| self.number(bytes))
    }

    const fn number(&self, bytes: [u8; 4]) -> u32 {
        if self.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    }

    /// The value of the field at `offset`, if it is valid.
    pub(super) const fn checked(
        offset: usize,
        what: &'static str,
        value: u32,
        is_valid: bool,
        expected: &'static str,
    ) -> Result<u32, CgBinaryError> {
        if is_valid { Ok(value) } else { Err(CgBinaryError::Value { offset, what, value, expected }) }
    }

    /// The range of a table whose field is at `offset`.
    pub(super) fn table(
        &self,
        offset: usize,
        what: &'static str,
        start: u64,
        length: u64,
    ) -> Result<Range<usize>, CgBinaryError> {
        let (end, stop) = (self.bytes.len(), start.saturating_add(length));
        match (usize::try_from(start), usize::try_from(stop)) {
            (Ok(first), Ok(last)) if last <= end => Ok(first..last),
            _ => Err(CgBinaryError::Outside { offset, what, start, stop, end }),
        }
    }

    /// The words in a range that [`Self::table`] gave.
    pub(super) fn words(&self, range: Range<usize>) -> impl Iterator<Item = u32> + use<'_, 'file> {
        let (words, _) = self.bytes.get(range).unwrap_or_default().as_chunks::<4>();
        words.iter().map(|&bytes| self.number(bytes))
    }

    /// The words of a fragment program in the chip's order.
    pub(super) fn fragment_words(&self, range: Range<usize>) -> Vec<u32> {
        // Unverified: little-endian files. A public loader turns their words into those of big-endian files by swapping
        // bytes and then halves, so their halves are in order.
        self.words(range).map(|word| if self.is_little { word } else { word.rotate_left(16) }).collect()
    }

    /// The instruction store of a vertex program that begins at slot `start`, whose field is at `offset`.
    pub(super) fn slots(
        &self,
        range: Range<usize>,
        offset: usize,
        start: u32,
    ) -> Result<(Vec<[u32; 4]>, u16), CgBinaryError> {
        let words: Vec<u32> = self.words(range).collect();
        let (slots, _) = words.as_chunks::<4>();
        let free = NvVertexIsa::Nv40.slots().saturating_sub(slots.len());
        let is_valid = slots.len() <= NvVertexIsa::Nv40.slots() && start as usize <= free;
        let expected = "a program that fits the instruction store";
        Self::checked(offset, "first instruction slot", start, is_valid, expected)?;
        let mut store = vec![[0; 4]; start as usize];
        store.extend_from_slice(slots);
        Ok((store, u16::try_from(start).unwrap_or(u16::MAX)))
    }

    /// The name at byte `start`, which the field at `offset` gives.
    pub(super) fn name(&self, offset: usize, start: u64) -> Result<String, CgBinaryError> {
        let fail = |problem| CgBinaryError::Text { offset, start, problem };
        let rest = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..));
        let rest = rest.filter(|rest| !rest.is_empty()).ok_or(fail("is outside of the file"))?;
        let shown = rest.get(..=MAX_NAME_LENGTH).unwrap_or(rest);
        let Some(length) = shown.iter().position(|&byte| byte == 0) else {
            let is_long = rest.len() > MAX_NAME_LENGTH;
            return Err(fail(if is_long { "has more than 255 bytes" } else { "has no end" }));
        };
        let name = shown.get(..length).unwrap_or_default();
        if !name.iter().all(u8::is_ascii_graphic) {
            return Err(fail("has other characters than those of a name"));
        }
        Ok(name.iter().map(|&byte| char::from(byte)).collect())
    }
}

/// Collects where uniforms are in microcode.
pub(super) struct Places {
    /// Words of the microcode.
    pub(super) words: u32,
    /// How many places are left.
    left: usize,
}

impl Places {
    pub(super) fn new(words: &[u32]) -> Self {
        Self { words: u32::try_from(words.len()).unwrap_or(u32::MAX), left: MAX_PLACES }
    }

    /// Checks how many places a parameter has; the field is at `offset`.
    pub(super) fn count(&mut self, offset: usize, count: u32) -> Result<u32, CgBinaryError> {
        let left = usize::try_from(count).ok().and_then(|count| self.left.checked_sub(count));
        let Some(left) = left else {
            let (what, expected) = ("number of places of a uniform", "at most 65536 for all uniforms");
            return Err(CgBinaryError::Value { offset, what, value: count, expected });
        };
        self.left = left;
        Ok(count)
    }

    /// The word at the byte that the field at `offset` gives, where components of a constant are.
    pub(super) fn place(&self, offset: usize, byte: u32, components: u8) -> Result<u32, CgBinaryError> {
        let word = byte / 4;
        let is_valid = byte.is_multiple_of(4) && word % 4 + u32::from(components) <= 4 && (word & !3) + 4 <= self.words;
        let expected = "components of a constant in the microcode";
        Reader::checked(offset, "place of a uniform", byte, is_valid, expected)?;
        Ok(word)
    }
}
