//! The index unit: turns the elements of a draw into its distinct vertices and the order of their use.

use std::collections::HashMap;

use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::{Draw, Elements, EngineError, IndexType};

/// In [`FetchedIndices::order`]: the primitive ends here and a new one starts.
pub const RESTART: u32 = u32::MAX;

/// Limit of elements in one draw.
pub const ELEMENT_LIMIT: u64 = 1 << 24;

/// The vertices that a draw shades, and the order in which it uses them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchedIndices {
    /// Distinct vertex indices, in the order of their first use; the base index is not added.
    pub unique: Vec<u32>,
    /// For each element, its position in `unique`, or [`RESTART`].
    pub order: Vec<u32>,
}

impl FetchedIndices {
    /// The positions in `unique` of all elements, without restarts.
    pub fn positions(&self) -> impl Iterator<Item = u32> {
        self.order.iter().copied().filter(|position| *position != RESTART)
    }
}

/// Reads the elements of a draw.
///
/// The restart index applies to indices, not to ranges of arrays. Indices outside the index buffer's window read 0.
///
/// # Errors
/// When the draw has more than [`ELEMENT_LIMIT`] elements.
pub fn fetch_indices(memory: &GuestMemory, draw: &Draw) -> Result<FetchedIndices, EngineError> {
    resolve(&|window| memory.slice(window), &draw.elements, draw.input.restart_index)
}

/// Reads elements; `read` returns the existing bytes of a window.
///
/// # Errors
/// When there are more than [`ELEMENT_LIMIT`].
pub fn resolve<'m>(
    read: &dyn Fn(MemoryWindow) -> &'m [u8],
    elements: &Elements,
    restart_index: Option<u32>,
) -> Result<FetchedIndices, EngineError> {
    let size = match elements {
        Elements::Ranges(ranges) | Elements::Buffer { ranges, .. } => {
            ranges.iter().map(|(_, count)| u64::from(*count)).sum()
        }
        Elements::Inline(indices) => indices.len() as u64,
        Elements::Immediate(vertices) => vertices.len() as u64,
    };
    if size > ELEMENT_LIMIT {
        return Err(EngineError::TooLarge { what: "number of elements in a draw", size, limit: ELEMENT_LIMIT });
    }
    let capacity = usize::try_from(size).expect("at most 2^24");
    let mut collector = Collector::new(capacity);
    match elements {
        Elements::Ranges(ranges) => {
            for &(first, count) in ranges {
                (0..count).for_each(|offset| collector.push(first.wrapping_add(offset)));
            }
        }
        Elements::Inline(indices) => indices.iter().for_each(|index| collector.push_or_restart(*index, restart_index)),
        Elements::Buffer { window, index_type, ranges } => {
            let bytes = read(*window);
            for &(first, count) in ranges {
                for offset in 0..u64::from(count) {
                    let index = read_index(bytes, *index_type, u64::from(first) + offset);
                    collector.push_or_restart(index, restart_index);
                }
            }
        }
        Elements::Immediate(vertices) => {
            let count = u32::try_from(vertices.len()).expect("at most 2^24");
            let unique: Vec<u32> = (0..count).collect();
            return Ok(FetchedIndices { order: unique.clone(), unique });
        }
    }
    Ok(collector.resolved)
}

fn read_index(bytes: &[u8], index_type: IndexType, position: u64) -> u32 {
    let Ok(position) = usize::try_from(position) else { return 0 };
    match index_type {
        IndexType::U16 => bytes
            .get(position * 2..)
            .and_then(<[u8]>::first_chunk)
            .map_or(0, |bytes| u32::from(u16::from_le_bytes(*bytes))),
        IndexType::U32 => {
            bytes.get(position * 4..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_le_bytes(*bytes))
        }
    }
}

/// Indices below this are looked up in a table, the others in a map.
const TABLE_INDICES: u32 = 1 << 22;

struct Collector {
    resolved: FetchedIndices,
    /// Position in `unique` of each small index, or `RESTART`; its length covers the largest one seen.
    table: Vec<u32>,
    map: HashMap<u32, u32>,
}

impl Collector {
    fn new(capacity: usize) -> Self {
        let resolved = FetchedIndices { unique: Vec::new(), order: Vec::with_capacity(capacity) };
        Self { resolved, table: Vec::new(), map: HashMap::new() }
    }

    fn push_or_restart(&mut self, index: u32, restart_index: Option<u32>) {
        if restart_index == Some(index) {
            self.resolved.order.push(RESTART);
        } else {
            self.push(index);
        }
    }

    fn push(&mut self, index: u32) {
        let next = u32::try_from(self.resolved.unique.len()).expect("at most 2^24 elements");
        let position = if index < TABLE_INDICES {
            let slot = index as usize;
            if slot >= self.table.len() {
                self.table.resize((slot + 1).next_power_of_two(), RESTART);
            }
            let position = &mut self.table[slot];
            if *position == RESTART {
                *position = next;
            }
            *position
        } else {
            *self.map.entry(index).or_insert(next)
        };
        if position == next {
            self.resolved.unique.push(index);
        }
        self.resolved.order.push(position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: MemoryWindow = MemoryWindow::EMPTY;

    fn resolved(elements: &Elements, restart: Option<u32>, bytes: &'static [u8]) -> FetchedIndices {
        resolve(&|_| bytes, elements, restart).unwrap()
    }

    #[test]
    fn repeated_indices_are_shaded_once() {
        let elements = Elements::Inline(vec![7, 5, 7, 0xffff, 5, 0x0500_0000, 0x0500_0000]);
        let result = resolved(&elements, Some(0xffff), &[]);
        assert_eq!(result.unique, [7, 5, 0x0500_0000]);
        assert_eq!(result.order, [0, 1, 0, RESTART, 1, 2, 2]);
    }

    #[test]
    fn ranges_ignore_the_restart_index() {
        let result = resolved(&Elements::Ranges(vec![(3, 2), (4, 2)]), Some(4), &[]);
        assert_eq!(result.unique, [3, 4, 5]);
        assert_eq!(result.order, [0, 1, 1, 2]);
    }

    #[test]
    fn index_buffers_read_zero_beyond_their_window() {
        let ranges = vec![(1, 2)];
        let elements = Elements::Buffer { window: WINDOW, index_type: IndexType::U16, ranges: ranges.clone() };
        assert_eq!(resolved(&elements, None, &[1, 0, 2, 3, 9]).unique, [0x0302, 0], "the third index is cut off");
        let elements = Elements::Buffer { window: WINDOW, index_type: IndexType::U32, ranges };
        assert_eq!(resolved(&elements, Some(0x0807_0605), &[0, 0, 0, 0, 5, 6, 7, 8]).order, [RESTART, 0]);
        let ranges = vec![(u32::MAX, 1)];
        let elements = Elements::Buffer { window: WINDOW, index_type: IndexType::U32, ranges };
        assert_eq!(resolved(&elements, None, &[1]).unique, [0]);
    }

    #[test]
    fn immediate_vertices_are_all_distinct() {
        let result = resolved(&Elements::Immediate(vec![[[0; 4]; 16]; 3]), None, &[]);
        assert_eq!((result.unique, result.order), (vec![0, 1, 2], vec![0, 1, 2]));
    }

    #[test]
    fn too_many_elements_are_refused() {
        let elements = Elements::Ranges(vec![(0, 1 << 24), (0, 1)]);
        assert!(matches!(resolve(&|_| &[], &elements, None), Err(EngineError::TooLarge { .. })));
    }
}
