//! Attributes sent as methods; a whole attribute 0 inside a primitive is a vertex.

use super::Processor;
use crate::arith::fragment::half_bits_to;
use crate::chip::bits::field16;
use crate::command::methods::tesla::three_d::below_1400 as methods;
use crate::format::MISSING_COMPONENTS;

impl Processor {
    /// Sets the components of an attribute that a method sends, if it sends any.
    pub(super) fn attribute_method(&mut self, method: u16, attribute: usize, value: u32) {
        let halves = [field16(value, 15, 0), field16(value, 31, 16)];
        let normalized = |half: u16| (f32::from(half.cast_signed()).max(-32767.0) / 32767.0).to_bits();
        let integer = |half: u16| f32::from(half.cast_signed()).to_bits();
        let bytes = value.to_le_bytes();
        let (first, values, is_last) = match method {
            methods::VTX_ATTR_1F => (0, vec![value], true),
            methods::VTX_ATTR_2F_X | methods::VTX_ATTR_3F_X | methods::VTX_ATTR_4F_X => (0, vec![value], false),
            methods::VTX_ATTR_2F_Y => (1, vec![value], true),
            methods::VTX_ATTR_3F_Y | methods::VTX_ATTR_4F_Y => (1, vec![value], false),
            methods::VTX_ATTR_3F_Z => (2, vec![value], true),
            methods::VTX_ATTR_4F_Z => (2, vec![value], false),
            methods::VTX_ATTR_4F_W => (3, vec![value], true),
            methods::VTX_ATTR_2H => (0, halves.map(half_bits_to).to_vec(), true),
            methods::VTX_ATTR_4H_0 => (0, halves.map(half_bits_to).to_vec(), false),
            methods::VTX_ATTR_4H_1 => (2, halves.map(half_bits_to).to_vec(), true),
            methods::VTX_ATTR_2I => (0, halves.map(integer).to_vec(), true),
            methods::VTX_ATTR_4I_0 => (0, halves.map(integer).to_vec(), false),
            methods::VTX_ATTR_4I_1 => (2, halves.map(integer).to_vec(), true),
            methods::VTX_ATTR_2NI => (0, halves.map(normalized).to_vec(), true),
            methods::VTX_ATTR_4NI_0 => (0, halves.map(normalized).to_vec(), false),
            methods::VTX_ATTR_4NI_1 => (2, halves.map(normalized).to_vec(), true),
            methods::VTX_ATTR_4UB => (0, bytes.map(|byte| f32::from(byte).to_bits()).to_vec(), true),
            methods::VTX_ATTR_4B => (0, bytes.map(|byte| f32::from(byte.cast_signed()).to_bits()).to_vec(), true),
            methods::VTX_ATTR_4NUB => (0, bytes.map(|byte| (f32::from(byte) / 255.0).to_bits()).to_vec(), true),
            methods::VTX_ATTR_4NB => {
                let normalized = |byte: u8| (f32::from(byte.cast_signed()).max(-127.0) / 127.0).to_bits();
                (0, bytes.map(normalized).to_vec(), true)
            }
            _ => return,
        };
        let current = &mut self.attributes[attribute & 15];
        if first == 0 {
            *current = MISSING_COMPONENTS;
        }
        current[first..first + values.len()].copy_from_slice(&values);
        if is_last && attribute == 0 {
            self.emit_vertex();
        }
    }
}
