//! Attributes sent as methods or inline, as floats; attribute 0 inside a primitive makes a vertex.

use super::ThreeD;
use crate::chip::ChipError;
use crate::chip::bits::{signed_high, signed_low};
use crate::chip::context::Context;
use crate::command::methods::three_d::vertex as methods;
use crate::format::VertexFormat;

/// Bits of 1.0.
const ONE: u32 = 0x3f80_0000;

/// What missing components are.
pub(super) const DEFAULT: [u32; 4] = [0, 0, 0, ONE];

/// The value of every attribute that no array provides.
#[derive(Debug, Clone)]
pub(super) struct CurrentAttributes {
    pub(super) values: [[u32; 4]; 16],
}

impl Default for CurrentAttributes {
    fn default() -> Self {
        Self { values: [DEFAULT; 16] }
    }
}

/// Bits of an integer as a float; exact, since attributes have at most 16 bits.
fn integer(value: i32) -> u32 {
    (value as f32).to_bits()
}

/// Signed 16 bits onto −1..1 by the old OpenGL rule (2v + 1) / 65535, which hardware tests found.
fn signed_norm(value: i32) -> u32 {
    // Both operands are exact and the host's division rounds once.
    ((2 * value + 1) as f32 / 65535.0).to_bits()
}

/// Unsigned 8 bits onto 0..1: the byte thrice as a 24-bit fraction, and 255 is exactly 1.
fn unsigned_norm(value: u32) -> u32 {
    match value & 0xff {
        255 => ONE,
        byte => ((byte * 0x01_0101) as f32 / 16_777_216.0).to_bits(),
    }
}

/// Eleven or ten bits, signed, moved to the top of 16 bits and divided by 32767.
fn packed_norm(value: u32, low: u32, width: u32) -> u32 {
    let top = (value >> low) << (32 - width);
    let number = (top.cast_signed() >> 16) as f32;
    (number / 32767.0).to_bits()
}

/// Bits of a half float as bits of a float, denormals and NaNs kept.
fn half_to_float(bits: u32) -> u32 {
    let sign = (bits & 0x8000) << 16;
    let [exponent, fraction] = [bits >> 10 & 0x1f, bits & 0x3ff];
    match (exponent, fraction) {
        (0, 0) => sign,
        (0, _) => sign | (fraction as f32 / 16_777_216.0).to_bits(),
        (31, _) => sign | 0x7f80_0000 | fraction << 13,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

/// Words that an attribute takes inline.
pub(super) const fn inline_words(format: VertexFormat, size: u8) -> usize {
    match format {
        VertexFormat::S11S11S10Norm => 1,
        _ => (format.bytes() as usize * size as usize).div_ceil(4),
    }
}

/// Components of an attribute from its words.
pub(super) fn decode(format: VertexFormat, size: u8, words: &[u32]) -> [u32; 4] {
    let word = |index: usize| words.get(index).copied().unwrap_or(0);
    let byte = |index: usize| word(index / 4) >> (index % 4 * 8) & 0xff;
    let short = |index: usize| word(index / 2) >> (index % 2 * 16) & 0xffff;
    let component = |index: usize| match format {
        VertexFormat::B8G8R8A8Unorm => unsigned_norm(byte([2, 1, 0, 3][index])),
        VertexFormat::S16Norm => signed_norm(signed_low(short(index))),
        VertexFormat::F32 => word(index),
        VertexFormat::F16 => half_to_float(short(index)),
        VertexFormat::U8Unorm => unsigned_norm(byte(index)),
        VertexFormat::S16 => integer(signed_low(short(index))),
        VertexFormat::S11S11S10Norm => {
            let [low, width] = [[0, 11], [11, 11], [22, 10]][index];
            packed_norm(word(0), low, width)
        }
        VertexFormat::U8 => (byte(index) as f32).to_bits(),
    };
    let count = if format == VertexFormat::S11S11S10Norm { 3 } else { usize::from(size) };
    std::array::from_fn(|index| if index < count { component(index) } else { DEFAULT[index] })
}

impl ThreeD {
    /// Sets an attribute if the method is one that sends attributes; any other method has been stored already.
    pub(super) fn attribute_method(
        &mut self,
        base: u16,
        attribute: usize,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        let value = context.value;
        let [low, high] = [signed_low(value), signed_high(value)];
        let byte = |index: u32| value >> (index * 8) & 0xff;
        let current = &mut self.attributes.values[attribute & 15];
        let is_complete = match base {
            methods::VTX_ATTR_4NS_XY | methods::VTX_ATTR_4I_XY => {
                let convert = if base == methods::VTX_ATTR_4NS_XY { signed_norm } else { integer };
                [current[0], current[1]] = [convert(low), convert(high)];
                false
            }
            methods::VTX_ATTR_4NS_ZW | methods::VTX_ATTR_4I_ZW => {
                let convert = if base == methods::VTX_ATTR_4NS_ZW { signed_norm } else { integer };
                [current[2], current[3]] = [convert(low), convert(high)];
                true
            }
            methods::VTX_ATTR_2I => {
                *current = [integer(low), integer(high), 0, ONE];
                true
            }
            methods::VTX_ATTR_4UB => {
                *current = [0, 1, 2, 3].map(|index| unsigned_norm(byte(index)));
                true
            }
            methods::VTX_ATTR_1F => {
                *current = [value, 0, 0, ONE];
                true
            }
            methods::VTX_ATTR_2F_X | methods::VTX_ATTR_3F_X => {
                *current = [value, current[1], if base == methods::VTX_ATTR_2F_X { 0 } else { current[2] }, ONE];
                false
            }
            methods::VTX_ATTR_4F_X => {
                current[0] = value;
                false
            }
            methods::VTX_ATTR_2F_Y | methods::VTX_ATTR_3F_Y | methods::VTX_ATTR_4F_Y => {
                current[1] = value;
                base == methods::VTX_ATTR_2F_Y
            }
            methods::VTX_ATTR_3F_Z | methods::VTX_ATTR_4F_Z => {
                current[2] = value;
                base == methods::VTX_ATTR_3F_Z
            }
            methods::VTX_ATTR_4F_W => {
                current[3] = value;
                true
            }
            _ => return Ok(()),
        };
        if is_complete && attribute == 0 {
            self.emit_vertex();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_shorts() {
        assert_eq!(decode(VertexFormat::U8Unorm, 4, &[0xff80_0100]), [0, 0x3b80_8080, 0x3f00_8080, ONE]);
        assert_eq!(decode(VertexFormat::B8G8R8A8Unorm, 4, &[0x00ff_0000]), [ONE, 0, 0, 0]);
        assert_eq!(decode(VertexFormat::S16Norm, 2, &[0x8000_7fff]), [ONE, 0xbf80_0000, 0, ONE]);
        assert_eq!(decode(VertexFormat::S16, 2, &[0xffff_0003]), [0x4040_0000, 0xbf80_0000, 0, ONE]);
        assert_eq!(decode(VertexFormat::U8, 1, &[7]), [0x40e0_0000, 0, 0, ONE]);
    }

    #[test]
    fn halves_and_packed() {
        assert_eq!(decode(VertexFormat::F16, 2, &[0xbc00_0001]), [0x3380_0000, 0xbf80_0000, 0, ONE]);
        assert_eq!(half_to_float(0x7c00), 0x7f80_0000);
        // x = −1 of 11 bits at the top of 16 bits is −32.
        let [x, y, z, w] = decode(VertexFormat::S11S11S10Norm, 1, &[0x7ff]);
        assert_eq!((x, y, z, w), ((-32.0f32 / 32767.0).to_bits(), 0, 0, ONE));
    }
}
