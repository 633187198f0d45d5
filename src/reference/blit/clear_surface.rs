//! Clears color and depth surfaces: writes the masked bits of every pixel of a rectangle.
#![expect(clippy::cast_possible_truncation, reason = "halves and bytes are cut out of words")]

use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::{Clear, ColorTarget, Rect, SurfaceLayout};

/// Executes a clear that is not [unsupported](Clear::unsupported).
pub fn clear_surfaces(memory: &mut GuestMemory, clear: &Clear) {
    for ColorTarget { window, layout, format } in clear.targets.color.iter().flatten() {
        let masks = clear.color_word_masks(*format);
        fill(memory, *window, *layout, format.bytes(), clear.rect, clear.color, masks);
    }
    if let Some(zeta) = &clear.targets.zeta {
        let (values, masks) = clear.zeta_words(zeta.format);
        fill(memory, zeta.window, zeta.layout, zeta.format.bytes(), clear.rect, values, masks);
    }
}

/// Sets the masked bits of every pixel of a rectangle.
fn fill(
    memory: &mut GuestMemory,
    window: MemoryWindow,
    layout: SurfaceLayout,
    bytes: u32,
    rect: Rect,
    values: [u32; 4],
    masks: [u32; 4],
) {
    if masks == [0; 4] {
        return;
    }
    let window = memory.clamp(window);
    for y in rect.y..rect.y.saturating_add(rect.height) {
        for x in rect.x..rect.x.saturating_add(rect.width) {
            for (word, (value, mask)) in (0..bytes.div_ceil(4)).zip(values.into_iter().zip(masks)) {
                let slice = memory.slice_mut(window.from_offset(layout.word_offset(x, y, bytes, word)));
                let Some(pixel) = slice.get_mut(..bytes.min(4) as usize) else { continue };
                for (index, byte) in pixel.iter_mut().enumerate() {
                    let shift = 8 * index;
                    *byte = (*byte & !(mask >> shift) as u8) | ((value & mask) >> shift) as u8;
                }
            }
        }
    }
}
