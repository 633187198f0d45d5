//! Decodes attributes sent as methods or inline to floats; attribute 0 inside a primitive emits a vertex.

use super::ThreeD;
use crate::chip::ChipError;
use crate::chip::bits::field16;
use crate::chip::class::Context;
use crate::command::methods::three_d::vertex as methods;
use crate::format::{
    MISSING_COMPONENTS, VertexFormat, decode_element, element_bytes, snorm16_to_float, unorm8_to_float,
};

/// Bits of 1.0.
const ONE: u32 = MISSING_COMPONENTS[3];

/// The bits of an integer as a float.
fn integer(value: i16) -> u32 {
    f32::from(value).to_bits()
}

/// The number of words of an inline attribute.
pub(super) fn inline_words(format: VertexFormat, size: u8) -> usize {
    (element_bytes(format, size) as usize).div_ceil(4)
}

/// Decodes the components of an attribute.
pub(super) fn decode(format: VertexFormat, size: u8, words: &[u32]) -> [u32; 4] {
    let mut bytes = [0; 16];
    for (target, word) in bytes.chunks_exact_mut(4).zip(words) {
        target.copy_from_slice(&word.to_le_bytes());
    }
    decode_element(format, size, bytes)
}

impl ThreeD {
    /// Sets an attribute if the method sends one; all other methods have already been stored.
    pub(super) fn attribute_method(
        &mut self,
        base: u16,
        attribute: usize,
        context: &mut Context<'_>,
    ) -> Result<(), ChipError> {
        let value = context.value;
        let [low, high] = [field16(value, 15, 0), field16(value, 31, 16)].map(u16::cast_signed);
        let current = &mut self.attributes.values[attribute & 15];
        let is_complete = match base {
            methods::VTX_ATTR_4NS_XY | methods::VTX_ATTR_4I_XY => {
                let convert = if base == methods::VTX_ATTR_4NS_XY { snorm16_to_float } else { integer };
                [current[0], current[1]] = [convert(low), convert(high)];
                false
            }
            methods::VTX_ATTR_4NS_ZW | methods::VTX_ATTR_4I_ZW => {
                let convert = if base == methods::VTX_ATTR_4NS_ZW { snorm16_to_float } else { integer };
                [current[2], current[3]] = [convert(low), convert(high)];
                true
            }
            methods::VTX_ATTR_2I => {
                *current = [integer(low), integer(high), 0, ONE];
                true
            }
            methods::VTX_ATTR_4UB => {
                *current = value.to_le_bytes().map(unorm8_to_float);
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
    fn inline_attributes_fill_whole_words() {
        assert_eq!(inline_words(VertexFormat::U8, 1), 1);
        assert_eq!(inline_words(VertexFormat::S16, 3), 2);
        assert_eq!(inline_words(VertexFormat::F32, 4), 4);
        assert_eq!(inline_words(VertexFormat::S11S11S10Norm, 1), 1);
        assert_eq!(decode(VertexFormat::S16, 3, &[0xffff_0003, 4]), [0x4040_0000, 0xbf80_0000, 0x4080_0000, ONE]);
        assert_eq!(decode(VertexFormat::U8Unorm, 4, &[0xff80_0100]), [0, 0x3b80_8080, 0x3f00_8080, ONE]);
    }
}
