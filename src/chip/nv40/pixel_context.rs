//! The classes that determine how 2D pixels are combined: factors, bitwise operation, pattern, color key and clip
//! rectangle.
//!
//! A channel has one state of each. A drawing object uses it once an object of the class is bound to its
//! [`Slots`](super::slots::Slots).

use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{signed_high, signed_low};
use crate::chip::class::{Class, Context};
use crate::command::methods::pixel_context::{beta, beta4, clip, color_key, pattern, rop};
use crate::pipeline::{Pattern, PatternShape};

/// The blend factor, class 0x0012.
#[derive(Debug, Default)]
pub(super) struct Beta(pub(super) u8);

impl Class for Beta {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            beta::NOP => {}
            // The register holds a signed fraction. Eight bits are kept; negative values become zero.
            beta::BETA_1D31 => self.0 = if context.value >> 31 == 0 { (context.value >> 23 & 255) as u8 } else { 0 },
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// The four factors of premultiplied operations, class 0x0072.
#[derive(Debug, Default)]
pub(super) struct Beta4(pub(super) u32);

impl Class for Beta4 {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            beta4::NOP => {}
            beta4::BETA_FACTOR => self.0 = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// The truth table of bitwise operations, class 0x0043.
#[derive(Debug, Default)]
pub(super) struct Rop(pub(super) u8);

impl Class for Rop {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            rop::NOP => {}
            rop::ROP => self.0 = (context.value & 255) as u8,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// The color key, class 0x0057.
#[derive(Debug)]
pub(super) struct ColorKey {
    /// The key as A8R8G8B8.
    pub(super) color: u32,
    format: u32,
}

impl Default for ColorKey {
    fn default() -> Self {
        Self { color: 0, format: 3 }
    }
}

impl Class for ColorKey {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            color_key::NOP => {}
            color_key::COLOR_FORMAT if (1..=3).contains(&value) => self.format = value,
            color_key::COLOR_FORMAT => return context.anomaly(Reason::IllegalValue),
            color_key::COLOR => self.color = context_color(value, self.format),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// The clip rectangle, class 0x0019.
#[derive(Debug, Default)]
pub(super) struct Clip {
    /// Left, top; right, bottom.
    pub(super) corners: [[i32; 2]; 2],
}

impl Class for Clip {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            clip::NOP => {}
            // Clients write either two corners, or a corner and a size.
            clip::POINT => self.corners = [self.corners[1], [signed_low(value), signed_high(value)]],
            clip::SIZE => {
                let [left, top] = self.corners[1];
                let corner = [left + (value & 0xffff).cast_signed(), top + (value >> 16).cast_signed()];
                // The limit keeps a series of sizes from overflowing.
                self.corners = [[left, top], corner.map(|edge| edge.min(i32::from(u16::MAX)))];
            }
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// The pattern, class 0x0044.
#[derive(Debug)]
pub(super) struct PatternState {
    pub(super) pattern: Pattern,
    color_format: u32,
    bitmap_format: u32,
    shape: u32,
    select: u32,
}

impl Default for PatternState {
    fn default() -> Self {
        let pattern =
            Pattern { shape: PatternShape::Square, bitmap: [0; 2], bitmap_colors: [0; 2], colors: [0xff00_0000; 64] };
        Self { pattern, color_format: 3, bitmap_format: 2, shape: 0, select: 1 }
    }
}

impl Class for PatternState {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let element = |first: u16| usize::from((context.method - first) / 4);
        let within = |first: u16, count: u16| (first..first + 4 * count).contains(&context.method);
        let is_legal = match context.method {
            pattern::COLOR_FORMAT => (1..=3).contains(&value),
            pattern::BITMAP_FORMAT | pattern::SELECT => (1..=2).contains(&value),
            pattern::BITMAP_SHAPE => value <= 2,
            _ => true,
        };
        if !is_legal {
            return context.anomaly(Reason::IllegalValue);
        }
        let Pattern { bitmap, bitmap_colors, colors, .. } = &mut self.pattern;
        match context.method {
            pattern::NOP => {}
            pattern::COLOR_FORMAT => self.color_format = value,
            pattern::BITMAP_FORMAT => self.bitmap_format = value,
            pattern::BITMAP_SHAPE => self.shape = value,
            pattern::SELECT => self.select = value,
            _ if within(pattern::BITMAP_COLOR, 2) => {
                bitmap_colors[element(pattern::BITMAP_COLOR)] = context_color(value, self.color_format);
            }
            _ if within(pattern::BITMAP, 2) => {
                bitmap[element(pattern::BITMAP)] = little_endian_bits(value, self.bitmap_format);
            }
            _ if within(pattern::COLOR_Y8, 16) => {
                for (color, byte) in colors[element(pattern::COLOR_Y8) * 4..].iter_mut().zip(value.to_le_bytes()) {
                    *color = 0xff00_0000 | (u32::from(byte) * 0x01_0101);
                }
            }
            _ if within(pattern::COLOR_R5G6B5, 32) => {
                let pair = [value & 0xffff, value >> 16];
                for (color, half) in colors[element(pattern::COLOR_R5G6B5) * 2..].iter_mut().zip(pair) {
                    *color = 0xff00_0000 | context_color(half, 1);
                }
            }
            _ if within(pattern::COLOR_X1R5G5B5, 32) => {
                let pair = [value & 0xffff, value >> 16];
                for (color, half) in colors[element(pattern::COLOR_X1R5G5B5) * 2..].iter_mut().zip(pair) {
                    *color = 0xff00_0000 | context_color(half, 2);
                }
            }
            _ if within(pattern::COLOR_X8R8G8B8, 64) => {
                colors[element(pattern::COLOR_X8R8G8B8)] = 0xff00_0000 | value;
            }
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        self.pattern.shape = match (self.select, self.shape) {
            (2, _) => PatternShape::Colors,
            (_, 1) => PatternShape::Row,
            (_, 2) => PatternShape::Column,
            _ => PatternShape::Square,
        };
        Ok(())
    }
}

/// A color of a context object as A8R8G8B8.
///
/// Unverified: which bits of `A16R5G6B5` are alpha; the lowest eight of its sixteen are used, as for eight-bit
/// colors.
fn context_color(color: u32, format: u32) -> u32 {
    let [five, six] = [|value: u32| ((value & 31) * 33) >> 2, |value: u32| ((value & 63) * 65) >> 4];
    match format {
        1 => (color >> 16 & 255) << 24 | five(color >> 11) << 16 | six(color >> 5) << 8 | five(color),
        2 => ((color >> 15 & 1) * 0xff00_0000) | five(color >> 10) << 16 | five(color >> 5) << 8 | five(color),
        _ => color,
    }
}

/// Reorders the bits of a bitmap so that the lowest bit of each byte is the leftmost pixel.
pub(super) const fn little_endian_bits(word: u32, bitmap_format: u32) -> u32 {
    if bitmap_format == 1 { word.reverse_bits().swap_bytes() } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_of_context_objects() {
        assert_eq!(context_color(0x00ff_ffff, 1), 0xffff_ffff);
        // 17 of 31 repeats as 10001100, 33 of 63 as 10000110.
        assert_eq!(context_color(17 << 11 | 33 << 5 | 1, 1), 0x008c_8608);
        assert_eq!(context_color(0x8000 | 17 << 10, 2), 0xff8c_0000);
        assert_eq!(context_color(0x1234_5678, 3), 0x1234_5678);
        assert_eq!(little_endian_bits(0x8001_0302, 1), 0x0180_c040);
    }
}
