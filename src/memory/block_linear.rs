//! Computes the places of bytes in block linear surfaces: blocks of gobs of 64 × 4 bytes.
//!
//! Source: envytools `docs/hw/memory/g80-surface.rst`. `wgsl/memory/surface_layout.wgsl` holds the same functions.

use std::ops::Range;

/// The bytes of a gob's rows, its rows and its slices.
pub const GOB: [u32; 3] = [64, 4, 1];

/// The bytes of a gob; block linear surfaces begin at multiples of it.
pub const GOB_BYTES: u32 = 256;

/// The largest logarithm of a block's side in gobs.
pub const MAX_LOG2_BLOCK: u8 = 5;

/// A block linear surface of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockLinear {
    /// The bytes of a row, the rows of a slice, the slices.
    pub size: [u32; 3],
    /// The base-2 logarithms of a block's sides in gobs, at most [`MAX_LOG2_BLOCK`].
    pub log2_block: [u8; 3],
}

impl BlockLinear {
    /// The same surface in the smallest blocks that cover it, as the texture unit takes it.
    #[must_use]
    pub fn fitted(self) -> Self {
        let log2_block = std::array::from_fn(|axis| {
            let covers = |log2: &u8| GOB[axis] << log2 >= self.size[axis];
            (0..self.log2_block[axis]).find(covers).unwrap_or(self.log2_block[axis])
        });
        Self { log2_block, ..self }
    }

    /// The bytes, rows and slices of a block.
    #[must_use]
    pub fn block_size(&self) -> [u32; 3] {
        std::array::from_fn(|axis| GOB[axis] << self.log2_block[axis])
    }

    /// The bytes of a block.
    #[must_use]
    pub fn block_bytes(&self) -> u32 {
        GOB_BYTES << self.log2_block.into_iter().sum::<u8>()
    }

    /// The blocks in each direction.
    #[must_use]
    pub fn blocks(&self) -> [u32; 3] {
        let block = self.block_size();
        std::array::from_fn(|axis| self.size[axis].div_ceil(block[axis]))
    }

    /// The bytes of all blocks, at most [`u64::MAX`].
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.blocks().into_iter().fold(self.block_bytes().into(), |bytes, blocks| bytes.saturating_mul(blocks.into()))
    }

    /// The offset of byte x of row y of slice z: blocks, gobs in a block and bytes in a gob all have x as the fastest.
    #[must_use]
    pub fn offset(&self, place: [u32; 3]) -> u64 {
        let (size, blocks) = (self.block_size(), self.blocks().map(u64::from));
        let block: [u64; 3] = std::array::from_fn(|axis| u64::from(place[axis] / size[axis]));
        let block = block[0] + blocks[0] * (block[1] + blocks[1] * block[2]);
        let gob: [u32; 3] = std::array::from_fn(|axis| place[axis] % size[axis] / GOB[axis]);
        let gob = gob[0] + ((gob[1] + (gob[2] << self.log2_block[1])) << self.log2_block[0]);
        block * u64::from(self.block_bytes()) + u64::from(gob * GOB_BYTES + place[1] % 4 * 64 + place[0] % 64)
    }

    /// Where bytes of a row are, in pieces that do not cross gobs.
    pub fn pieces(self, [x, y, z]: [u32; 3], count: u32) -> impl Iterator<Item = Range<usize>> {
        let mut at = x;
        std::iter::from_fn(move || {
            let length = (64 - at % 64).min(x + count - at);
            let start = self.offset([at, y, z]);
            at += length;
            (length != 0).then(|| piece(start, length))
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "surfaces lie in buffers of less than 4 GiB")]
const fn piece(start: u64, count: u32) -> Range<usize> {
    start as usize..start as usize + count as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the document: 13 × 17 × 3 elements of 16 bytes in blocks of 2 × 2 × 2 gobs.
    const EXAMPLE: BlockLinear = BlockLinear { size: [13 * 16, 17, 3], log2_block: [1, 1, 1] };

    #[test]
    fn bytes_are_where_the_document_tells() {
        assert_eq!(EXAMPLE.bytes(), 0x6000);
        let places = [
            ([0, 0, 0], 0),
            ([3, 1, 0], 0x70),
            ([4, 0, 0], 0x100),
            ([7, 3, 0], 0x1f0),
            ([8, 0, 0], 0x800),
            ([12, 3, 0], 0x9c0),
            ([0, 4, 0], 0x200),
            ([5, 6, 0], 0x390),
            ([0, 8, 0], 0x1000),
            ([12, 16, 0], 0x2900),
            ([0, 0, 1], 0x400),
            ([4, 5, 1], 0x740),
            ([12, 15, 1], 0x1fc0),
            ([0, 0, 2], 0x3000),
            ([11, 12, 2], 0x4a30),
            ([12, 16, 2], 0x5900),
        ];
        for ([x, y, z], offset) in places {
            assert_eq!(EXAMPLE.offset([16 * x, y, z]), offset, "{x} {y} {z}");
        }
    }

    #[test]
    fn rows_are_pieces_of_gobs() {
        let pieces = |place, count| EXAMPLE.pieces(place, count).collect::<Vec<_>>();
        assert_eq!(pieces([60, 1, 0], 80), [0x7c..0x80, 0x140..0x180, 0x840..0x84c]);
        assert_eq!(pieces([0, 0, 2], 128), [0x3000..0x3040, 0x3100..0x3140]);
        assert_eq!(pieces([5, 0, 0], 0), []);
    }

    #[test]
    fn textures_have_blocks_that_are_not_too_large() {
        let fitted = |size, log2_block| BlockLinear { size, log2_block }.fitted();
        // Four rows fit in a gob; five need two, and nine four.
        assert_eq!(fitted([16, 4, 1], [0, 4, 5]).log2_block, [0, 0, 0]);
        assert_eq!(fitted([16, 5, 2], [0, 4, 5]).log2_block, [0, 1, 1]);
        assert_eq!(fitted([4096, 9, 3], [0, 4, 5]).log2_block, [0, 2, 2]);
        assert_eq!(fitted([4096, 400, 1], [0, 4, 0]).log2_block, [0, 4, 0]);
        // Seventeen rows need a block of 32 rows, and 65 bytes two of them.
        assert_eq!(fitted([65, 17, 1], [0, 5, 0]).bytes(), 2 * 8 * 256);
    }
}
