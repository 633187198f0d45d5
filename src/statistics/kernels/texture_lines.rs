//! Turns texel addresses into ranks of the cache lines that they touch, so that tables have entries for touched
//! lines only.

use bytemuck::{Pod, Zeroable};

use super::{ModelError, read_back};
use crate::gpu::{Bound, Gpu};
use crate::kernels::linear_workgroups;

const MARK_TEXTURE_LINES: &str = include_str!("../../../wgsl/models/mark_texture_lines.wgsl");

/// Invocations per workgroup, as in the kernel.
const GROUP: u32 = 64;

/// Parameters of `mark_texture_lines`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct MarkedLines {
    texel_count: u32,
    row: u32,
    window: u32,
    line_shift: u32,
}

/// Lines of one length that a trace touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRanks {
    /// For 32 lines: a bit for each touched line, and the number of touched lines before them.
    pub(super) ranks: Vec<[u32; 2]>,
    /// The number of touched lines.
    pub(super) lines: u32,
}

impl LineRanks {
    fn new(marks: &[u32]) -> Self {
        let mut lines = 0;
        let ranks = marks.iter().map(|&word| {
            let before = lines;
            lines += word.count_ones();
            [word, before]
        });
        Self { ranks: ranks.collect(), lines }
    }
}

/// Marks of lines of twice the length.
fn halved(marks: &[u32]) -> Vec<u32> {
    let half = |word: u32| (0..16).fold(0, |bits, bit| bits | u32::from(word >> (2 * bit) & 3 != 0) << bit);
    marks.chunks(2).map(|pair| half(pair[0]) | pair.get(1).map_or(0, |word| half(*word) << 16)).collect()
}

/// The ranks of lines of each of these lengths, given ascending as base-2 logarithms.
///
/// `window` is the first address and the number of bytes from there on that texels may lie in, a multiple of the
/// longest line.
pub(super) fn line_ranks(
    gpu: &Gpu,
    (texels, texel_count): (&wgpu::Buffer, u32),
    (window, bytes): (u32, u64),
    shifts: &[u32],
) -> Result<Vec<LineRanks>, ModelError> {
    let Some(&least) = shifts.first() else { return Ok(Vec::new()) };
    let words = usize::try_from(bytes.div_ceil(32 << least)).expect("a 64th of 32 bits of addresses");
    let marks = gpu.buffer("marks of lines", 4 * words as u64)?;
    let kernel = gpu.kernel("mark_texture_lines", MARK_TEXTURE_LINES)?;
    let mut recording = gpu.record();
    let workgroups = linear_workgroups(texel_count, GROUP);
    let run = MarkedLines { texel_count, row: workgroups[0] * GROUP, window, line_shift: least };
    let run = recording.store(bytemuck::bytes_of(&run))?;
    let bindings: [(u32, Bound<'_>); 3] = [(14, (&run).into()), (32, texels.into()), (36, (&marks).into())];
    recording.dispatch(&kernel, &bindings, workgroups);
    gpu.submit(recording)?;
    let mut marks = read_back::<u32>(gpu, &marks, words)?;
    let mut shift = least;
    let mut ranks = Vec::with_capacity(shifts.len());
    for &wanted in shifts {
        while shift < wanted {
            marks = halved(&marks);
            shift += 1;
        }
        ranks.push(LineRanks::new(&marks));
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::test_random::Random;

    #[test]
    fn lines_that_are_touched_are_numbered_in_order() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(5);
        let window = 0x0040_0000;
        let texels: Vec<u32> = (0..3000).map(|number| window + random.below(64 << (number % 8))).collect();
        let buffer = gpu.buffer_with("texels", bytemuck::cast_slice(&texels)).unwrap();
        let ranks = line_ranks(&gpu, (&buffer, 3000), (window, 8192), &[4, 5, 8]).unwrap();
        for (ranks, shift) in ranks.iter().zip([4, 5, 8]) {
            let lines: BTreeSet<u32> = texels.iter().map(|texel| (texel - window) >> shift).collect();
            assert_eq!(ranks.lines as usize, lines.len());
            for (rank, line) in (0..).zip(&lines) {
                let [word, before] = ranks.ranks[(line / 32) as usize];
                assert_eq!(word >> (line % 32) & 1, 1);
                assert_eq!(before + (word & ((1 << (line % 32)) - 1)).count_ones(), rank);
            }
        }
    }
}
