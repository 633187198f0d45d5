//! Encodes vertex values in the chip's attribute formats; the inverse of `format::vertex_decode`.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are clamped before they are cut")]

use crate::arith::fragment::half_bits_from;
use crate::format::VertexFormat;

/// An attribute of an interleaved vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlacedAttribute {
    /// The attribute number.
    pub(super) slot: u8,
    pub(super) format: VertexFormat,
    /// Number of components.
    pub(super) size: u8,
    /// Bytes from the start of the vertex.
    pub(super) offset: u32,
}

/// How a chip reads shorts as −1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShortScale {
    /// As (2v + 1) / 65535.
    Odd,
    /// As v / 32767.
    Symmetric,
}

impl ShortScale {
    /// The short that stands for a number, before it is rounded.
    fn short(self, value: f64) -> f64 {
        match self {
            Self::Odd => (value * 65535.0 - 1.0) / 2.0,
            Self::Symmetric => value * 32767.0,
        }
    }
}

/// The largest vertex stride; a register holds it in eight bits.
const MAX_STRIDE: u32 = 255;

/// Lays out attributes at consecutive multiples of four bytes; returns them and the vertex stride.
pub(super) fn place(wanted: &[(u8, VertexFormat, u8)]) -> Result<(Vec<PlacedAttribute>, u32), String> {
    let mut offset = 0;
    let mut placed = Vec::new();
    for &(slot, format, size) in wanted {
        if slot > 15 {
            return Err(format!("attribute {slot}: there are 16, from 0"));
        }
        if !(1..=4).contains(&size) {
            return Err(format!("attribute {slot}: 1 to 4 components are possible"));
        }
        let bytes = match format {
            // One word holds three components.
            VertexFormat::S11S11S10Norm => 4,
            VertexFormat::B8G8R8A8Unorm if size < 3 => {
                return Err(format!("attribute {slot}: B8G8R8A8_UNORM has 3 or 4 components"));
            }
            _ => format.bytes() * u32::from(size),
        };
        let size = if format == VertexFormat::S11S11S10Norm { 1 } else { size };
        placed.push(PlacedAttribute { slot, format, size, offset });
        offset += bytes.next_multiple_of(4);
    }
    if offset > MAX_STRIDE {
        return Err(format!("a vertex of {offset} bytes; {MAX_STRIDE} are possible"));
    }
    Ok((placed, offset))
}

/// Writes four components at the attribute's offset in a vertex.
pub(super) fn encode(attribute: &PlacedAttribute, value: [f64; 4], scale: ShortScale, vertex: &mut [u8]) {
    let bytes: Vec<u8> = match attribute.format {
        VertexFormat::S11S11S10Norm => packed(value).to_le_bytes().to_vec(),
        VertexFormat::B8G8R8A8Unorm => {
            [value[2], value[1], value[0], value[3]].map(|v| rounded(v * 255.0, 0.0, 255.0) as u8).to_vec()
        }
        format => value.iter().flat_map(|&value| component(format, value, scale)).collect(),
    };
    let length = match attribute.format {
        VertexFormat::S11S11S10Norm => 4,
        format => format.bytes() as usize * usize::from(attribute.size),
    };
    let start = attribute.offset as usize;
    vertex[start..start + length].copy_from_slice(&bytes[..length]);
}

fn component(format: VertexFormat, value: f64, scale: ShortScale) -> Vec<u8> {
    match format {
        VertexFormat::F32 => (value as f32).to_le_bytes().to_vec(),
        VertexFormat::F16 => half_bits_from((value as f32).to_bits()).to_le_bytes().to_vec(),
        VertexFormat::S16Norm => (rounded(scale.short(value), -32768.0, 32767.0) as i16).to_le_bytes().to_vec(),
        VertexFormat::S16 => (rounded(value, -32768.0, 32767.0) as i16).to_le_bytes().to_vec(),
        VertexFormat::U8 => vec![rounded(value, 0.0, 255.0) as u8],
        VertexFormat::U8Unorm | VertexFormat::B8G8R8A8Unorm | VertexFormat::S11S11S10Norm => {
            vec![rounded(value * 255.0, 0.0, 255.0) as u8]
        }
    }
}

fn rounded(value: f64, low: f64, high: f64) -> f64 {
    (value + 0.5).floor().clamp(low, high)
}

/// Three signed fields of 11, 11 and 10 bits.
fn packed(value: [f64; 4]) -> u32 {
    let field = |value: f64, bits: u32| {
        let largest = f64::from((1u32 << (bits - 1)) - 1);
        (rounded(value * largest, -largest, largest) as i32).cast_unsigned() & ((1 << bits) - 1)
    };
    field(value[0], 11) | field(value[1], 11) << 11 | field(value[2], 10) << 22
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::decode_element;

    #[test]
    fn every_format_reads_back_what_it_was_given() {
        for &format in VertexFormat::ALL {
            let (placed, stride) = place(&[(3, format, 4)]).unwrap();
            let is_integer = matches!(format, VertexFormat::S16 | VertexFormat::U8);
            let value = if is_integer { [3.0, 250.0, 0.0, 1.0] } else { [0.25, 0.5, 0.875, 1.0] };
            let mut bytes = [0; 16];
            encode(&placed[0], value, ShortScale::Odd, &mut bytes[..stride as usize]);
            let decoded = decode_element(format, placed[0].size, bytes).map(f32::from_bits);
            for (found, wanted) in decoded.into_iter().zip(value) {
                assert!((f64::from(found) - wanted).abs() < 0.003, "{}: {decoded:?}", format.name());
            }
        }
    }

    #[test]
    fn attributes_are_placed_at_words() {
        let (placed, stride) =
            place(&[(0, VertexFormat::F16, 3), (2, VertexFormat::U8, 3), (8, VertexFormat::F32, 2)]).unwrap();
        assert_eq!(placed.iter().map(|attribute| attribute.offset).collect::<Vec<_>>(), [0, 8, 12]);
        assert_eq!(stride, 20);
        assert!(place(&[(16, VertexFormat::F32, 1)]).is_err());
        assert!(place(&[(0, VertexFormat::B8G8R8A8Unorm, 2)]).is_err());
        assert!(place(&[(0, VertexFormat::F32, 4); 16]).is_err(), "256 bytes");
    }

    #[test]
    fn normalized_shorts_take_the_nearest_step() {
        let attribute = PlacedAttribute { slot: 0, format: VertexFormat::S16Norm, size: 2, offset: 0 };
        let mut bytes = [0; 4];
        encode(&attribute, [-1.0, 1.0, 0.0, 0.0], ShortScale::Odd, &mut bytes);
        assert_eq!(bytes, [0, 0x80, 0xff, 0x7f]);
        encode(&attribute, [-9.0, 9.0, 0.0, 0.0], ShortScale::Odd, &mut bytes);
        assert_eq!(bytes, [0, 0x80, 0xff, 0x7f]);
        encode(&attribute, [-1.0, 0.5, 0.0, 0.0], ShortScale::Symmetric, &mut bytes);
        assert_eq!(bytes, [1, 0x80, 0, 0x40]);
    }
}
