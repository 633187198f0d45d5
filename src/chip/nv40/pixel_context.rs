//! The objects that decide how 2D pixels are combined, and the slots of other objects that they are bound to.
//!
//! There is one state of each kind in a channel; binding an object to a slot switches its use on, a null object off
//! (envytools, "Overview of the 2D pipeline").

use crate::chip::anomalies::Reason;
use crate::chip::bits::{signed_high, signed_low};
use crate::chip::context::Context;
use crate::chip::{
    CLASS_BETA, CLASS_BETA4, CLASS_CLIP, CLASS_COLOR_KEY, CLASS_NULL, CLASS_PATTERN, CLASS_ROP, CLASS_SURFACE,
    CLASS_SWIZZLED_SURFACE, ChipError,
};
use crate::command::methods::pixel_context::{beta, beta4, clip, color_key, pattern, rop};
use crate::pipeline::{ColorConversion, ImageOperation, Pattern, PatternShape, PixelOperation};

/// The operation with this code.
const fn image_operation(code: u32) -> Option<ImageOperation> {
    Some(match code {
        0 => ImageOperation::SourceCopyAnd,
        1 => ImageOperation::RopAnd,
        2 => ImageOperation::BlendAnd,
        3 => ImageOperation::SourceCopy,
        4 => ImageOperation::SourceCopyPremultiplied,
        5 => ImageOperation::BlendPremultiplied,
        _ => return None,
    })
}

/// The conversion with this code.
const fn color_conversion(code: u32) -> Option<ColorConversion> {
    Some(match code {
        0 => ColorConversion::Dither,
        1 => ColorConversion::Truncate,
        2 => ColorConversion::SubtractTruncate,
        _ => return None,
    })
}

/// State of all context objects.
#[derive(Debug)]
pub(crate) struct PixelContext {
    beta: u8,
    beta4: u32,
    rop: u8,
    pattern: Pattern,
    pattern_format: u32,
    bitmap_format: u32,
    shape: u32,
    select: u32,
    key: u32,
    key_format: u32,
    /// Left, top; right, bottom.
    clip: [[i32; 2]; 2],
}

impl Default for PixelContext {
    fn default() -> Self {
        let pattern =
            Pattern { shape: PatternShape::Square, bitmap: [0; 2], bitmap_colors: [0; 2], colors: [0xff00_0000; 64] };
        Self {
            beta: 0,
            beta4: 0,
            rop: 0,
            pattern,
            pattern_format: 3,
            bitmap_format: 2,
            shape: 0,
            select: 1,
            key: 0,
            key_format: 3,
            clip: [[0; 2]; 2],
        }
    }
}

/// A colour of a context object as A8R8G8B8.
///
/// Unverified: which bits of `A16R5G6B5` are alpha; the lowest eight of its sixteen are taken, as for colours of eight.
fn context_color(color: u32, format: u32) -> u32 {
    let [five, six] = [|value: u32| ((value & 31) * 33) >> 2, |value: u32| ((value & 63) * 65) >> 4];
    match format {
        1 => (color >> 16 & 255) << 24 | five(color >> 11) << 16 | six(color >> 5) << 8 | five(color),
        2 => ((color >> 15 & 1) * 0xff00_0000) | five(color >> 10) << 16 | five(color >> 5) << 8 | five(color),
        _ => color,
    }
}

impl PixelContext {
    pub(crate) fn method(&mut self, class: u32, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match (class, context.method) {
            (_, beta::NOP) => {}
            // A fraction with a sign, of which eight bits are kept; a negative one is zero.
            (CLASS_BETA, beta::BETA_1D31) => self.beta = if value >> 31 == 0 { (value >> 23 & 255) as u8 } else { 0 },
            (CLASS_BETA4, beta4::BETA_FACTOR) => self.beta4 = value,
            (CLASS_ROP, rop::ROP) => self.rop = (value & 255) as u8,
            (CLASS_PATTERN, _) => return self.pattern_method(context),
            (CLASS_COLOR_KEY, color_key::COLOR_FORMAT) if (1..=3).contains(&value) => self.key_format = value,
            (CLASS_COLOR_KEY, color_key::COLOR_FORMAT) => return context.anomaly(Reason::IllegalValue),
            (CLASS_COLOR_KEY, color_key::COLOR) => self.key = context_color(value, self.key_format),
            // Either two corners, or a corner and a size.
            (CLASS_CLIP, clip::POINT) => self.clip = [self.clip[1], [signed_low(value), signed_high(value)]],
            (CLASS_CLIP, clip::SIZE) => {
                let [left, top] = self.clip[1];
                let corner = [left + (value & 0xffff).cast_signed(), top + (value >> 16).cast_signed()];
                // A further size counts from a corner that is not growing without end.
                self.clip = [[left, top], corner.map(|edge| edge.min(i32::from(u16::MAX)))];
            }
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }

    fn pattern_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
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
            pattern::COLOR_FORMAT => self.pattern_format = value,
            pattern::BITMAP_FORMAT => self.bitmap_format = value,
            pattern::BITMAP_SHAPE => self.shape = value,
            pattern::SELECT => self.select = value,
            _ if within(pattern::BITMAP_COLOR, 2) => {
                bitmap_colors[element(pattern::BITMAP_COLOR)] = context_color(value, self.pattern_format);
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

/// Bits of a bitmap so that the lowest bit of each byte is the leftmost pixel.
pub(crate) const fn little_endian_bits(word: u32, bitmap_format: u32) -> u32 {
    if bitmap_format == 1 { word.reverse_bits().swap_bytes() } else { word }
}

/// What is bound to the slots of an object that draws, and how it combines.
#[derive(Debug)]
pub(crate) struct Slots {
    pub(crate) surface: Option<u32>,
    pattern: bool,
    rop: bool,
    beta: bool,
    beta4: bool,
    color_key: bool,
    clip: bool,
    operation: ImageOperation,
    conversion: ColorConversion,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            surface: None,
            pattern: false,
            rop: false,
            beta: false,
            beta4: false,
            color_key: false,
            clip: false,
            operation: ImageOperation::SourceCopy,
            conversion: ColorConversion::Truncate,
        }
    }
}

/// The kinds of slots of the objects that draw.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    Surface,
    LinearSurface,
    Pattern,
    Rop,
    Beta,
    Beta4,
    ColorKey,
    Clip,
}

impl Slots {
    /// Binds the object whose handle is the method's value.
    pub(crate) fn bind(&mut self, slot: Slot, context: &mut Context<'_>) -> Result<(), ChipError> {
        let accepted: &[u32] = match slot {
            Slot::Surface => &[CLASS_SURFACE, CLASS_SWIZZLED_SURFACE],
            Slot::LinearSurface => &[CLASS_SURFACE],
            Slot::Pattern => &[CLASS_PATTERN],
            Slot::Rop => &[CLASS_ROP],
            Slot::Beta => &[CLASS_BETA],
            Slot::Beta4 => &[CLASS_BETA4],
            Slot::ColorKey => &[CLASS_COLOR_KEY],
            Slot::Clip => &[CLASS_CLIP],
        };
        let class = match context.objects.class(context.value).map(crate::chip::own_class) {
            Some(CLASS_NULL) => None,
            None if context.value == 0 => None,
            None => return context.anomaly(Reason::UnknownHandle),
            Some(class) if accepted.contains(&class) => Some(class),
            Some(_) => return context.anomaly(Reason::IllegalValue),
        };
        let is_bound = class.is_some();
        match slot {
            Slot::Surface | Slot::LinearSurface => self.surface = class,
            Slot::Pattern => self.pattern = is_bound,
            Slot::Rop => self.rop = is_bound,
            Slot::Beta => self.beta = is_bound,
            Slot::Beta4 => self.beta4 = is_bound,
            Slot::ColorKey => self.color_key = is_bound,
            Slot::Clip => self.clip = is_bound,
        }
        Ok(())
    }

    pub(crate) fn set_operation(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match image_operation(context.value) {
            Some(operation) => self.operation = operation,
            None => return context.anomaly(Reason::IllegalValue),
        }
        Ok(())
    }

    pub(crate) fn set_conversion(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match color_conversion(context.value) {
            Some(conversion) => self.conversion = conversion,
            None => return context.anomaly(Reason::IllegalValue),
        }
        Ok(())
    }

    /// How an object with these slots combines pixels.
    ///
    /// Unverified: that without a bound object a factor is one and the truth table takes the source.
    pub(crate) fn pixel_operation(&self, state: &PixelContext) -> PixelOperation {
        PixelOperation {
            operation: self.operation,
            conversion: self.conversion,
            rop: if self.rop { state.rop } else { PixelOperation::COPY.rop },
            beta: if self.beta { state.beta } else { PixelOperation::COPY.beta },
            beta4: if self.beta4 { state.beta4 } else { PixelOperation::COPY.beta4 },
            pattern: (self.pattern && self.operation == ImageOperation::RopAnd)
                .then(|| Box::new(state.pattern.clone())),
            color_key: self.color_key.then_some(state.key),
            skips_transparent: false,
        }
    }

    /// The clip rectangle, first pixel and size; everything when none is bound.
    pub(crate) fn clip(&self, state: &PixelContext) -> ([i32; 2], [u32; 2]) {
        if !self.clip {
            return EVERYTHING;
        }
        clip_between(state.clip[0], state.clip[1])
    }
}

/// A rectangle around all pixels of any surface.
pub(crate) const EVERYTHING: ([i32; 2], [u32; 2]) = ([i16::MIN as i32; 2], [1 << 17; 2]);

/// The pixels from one corner up to, not including, the other.
pub(crate) fn clip_between(first: [i32; 2], end: [i32; 2]) -> ([i32; 2], [u32; 2]) {
    let size = [0, 1].map(|axis| u32::try_from(i64::from(end[axis]) - i64::from(first[axis])).unwrap_or(0));
    (first, size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_context_objects() {
        assert_eq!(context_color(0x00ff_ffff, 1), 0xffff_ffff);
        // 17 of 31 repeats as 10001100, 33 of 63 as 10000110.
        assert_eq!(context_color(17 << 11 | 33 << 5 | 1, 1), 0x008c_8608);
        assert_eq!(context_color(0x8000 | 17 << 10, 2), 0xff8c_0000);
        assert_eq!(context_color(0x1234_5678, 3), 0x1234_5678);
        assert_eq!(little_endian_bits(0x8001_0302, 1), 0x0180_c040);
    }
}
