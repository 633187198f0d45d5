//! Recorded lookups into the order in which a rasteriser would have walked over their quads.

use super::{LookupStream, QuadLookup};

/// How a rasteriser walks over the quads of a primitive; primitives follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadOrder {
    /// As the trace was recorded.
    Recorded,
    /// Tile by tile, rows of tiles and inside of them rows of quads.
    Tiled {
        /// Quads along a side of a tile, from 1; 4 are 8×8 pixels.
        quads: u32,
    },
    /// Row by row.
    Scanline,
}

impl std::fmt::Display for QuadOrder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Recorded => formatter.write_str("recorded"),
            Self::Tiled { quads } => write!(formatter, "tiled {0}x{0}", u64::from(*quads) * 2),
            Self::Scanline => formatter.write_str("scanline"),
        }
    }
}

/// The numbers of lookups in an order; lookups of one quad stay as they were recorded.
#[must_use]
pub fn order_of(lookups: &[QuadLookup], streams: &[LookupStream], order: QuadOrder) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..).take(lookups.len()).collect();
    let quads = match order {
        QuadOrder::Recorded => return numbers,
        QuadOrder::Tiled { quads } => quads.max(1),
        // A tile as wide as any picture.
        QuadOrder::Scanline => 1 << 16,
    };
    numbers.sort_by_cached_key(|number| {
        let lookup = &lookups[*number as usize];
        let draw = streams.get(lookup.stream as usize).map(|stream| stream.draw);
        let (column, row) = (lookup.position & 0xffff, lookup.position >> 16);
        (draw, lookup.primitive, row / quads, column / quads, row, column)
    });
    numbers
}
