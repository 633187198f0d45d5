//! Words over and over, as sources of copies: clears of whole pixels.

use super::transfer::PlainFill;
use crate::gpu::{DeviceError, Gpu, Recording};

/// Bytes of a pattern; larger fills are several copies.
const PATTERN_BYTES: u64 = 1 << 20;
/// Words whose patterns are kept.
const PATTERN_LIMIT: usize = 16;

/// Buffers that hold one word over and over, the latest used last.
#[derive(Debug, Default)]
pub(super) struct FillPatterns {
    patterns: Vec<(u32, wgpu::Buffer)>,
}

impl FillPatterns {
    /// Records a fill of a part of the heap.
    pub(super) fn fill(
        &mut self,
        gpu: &Gpu,
        recording: &mut Recording,
        heap: &wgpu::Buffer,
        fill: &PlainFill,
    ) -> Result<(), DeviceError> {
        let pattern = self.pattern(gpu, fill.word)?;
        for row in 0..fill.rows {
            let start = fill.start + row * fill.pitch_bytes;
            for offset in (0..fill.row_bytes).step_by(PATTERN_BYTES as usize) {
                let bytes = PATTERN_BYTES.min(fill.row_bytes - offset);
                recording.copy((pattern, 0), (heap, start + offset), bytes);
            }
        }
        Ok(())
    }

    fn pattern(&mut self, gpu: &Gpu, word: u32) -> Result<&wgpu::Buffer, DeviceError> {
        match self.patterns.iter().position(|(known, _)| *known == word) {
            Some(index) => self.patterns[index..].rotate_left(1),
            None => {
                if self.patterns.len() == PATTERN_LIMIT {
                    self.patterns.remove(0);
                }
                let words = vec![word; PATTERN_BYTES as usize / 4];
                self.patterns.push((word, gpu.buffer_with("fill pattern", bytemuck::cast_slice(&words))?));
            }
        }
        Ok(&self.patterns.last().expect("the pattern is there now").1)
    }
}
