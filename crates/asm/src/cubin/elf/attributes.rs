//! The attributes of a kernel: records of a format, a number, and a value or the length of bytes that follow.

use super::error::ElfCubinError;

/// `EIFMT_SVAL`: the value is a length. Other formats have two bytes of value.
const FORMAT_BYTES: u8 = 4;

/// `EIATTR_IMAGE_SLOT`: the number of a texture's symbol, and its unit.
const IMAGE_SLOT: u8 = 0x02;

/// `EIATTR_KPARAM_INFO`: index, number, offset, and the size from bit 18 on.
const PARAMETER: u8 = 0x17;

/// `EIATTR_SMEM_PARAM_SIZE`: the bytes of all parameters.
const PARAMETER_BYTES: u8 = 0x18;

/// What the attributes of a kernel say.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    /// Whether they tell the parameters.
    pub(super) tell_parameters: bool,
    /// Number, offset from the first one, and size.
    pub(super) parameters: Vec<(u16, u16, u32)>,
    /// The number of a symbol, and a unit.
    pub(super) textures: Vec<(u32, u32)>,
}

impl Attributes {
    /// Reads the bytes of a section.
    ///
    /// # Errors
    /// When a record does not end in the section, or has another length than its kind.
    pub(super) fn read(section: &str, bytes: &[u8]) -> Result<Self, ElfCubinError> {
        let mut attributes = Self::default();
        let mut rest = bytes;
        while let [format, number, low, high, tail @ ..] = rest {
            let offset = (bytes.len() - rest.len()) as u64;
            let error = |problem| ElfCubinError::Bytes { section: section.to_owned(), offset, problem };
            let value = u16::from_le_bytes([*low, *high]);
            let length = if *format == FORMAT_BYTES { usize::from(value) } else { 0 };
            let (record, next) =
                tail.split_at_checked(length).ok_or_else(|| error("an attribute that does not end"))?;
            rest = next;
            let words: Vec<u32> = record.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
            match (*number, &words[..]) {
                (PARAMETER, [_, place, size]) => {
                    // The number is in the low half, the offset in the high one.
                    let [low, second, third, high] = place.to_le_bytes();
                    let (number, offset) = (u16::from_le_bytes([low, second]), u16::from_le_bytes([third, high]));
                    attributes.parameters.push((number, offset, size >> 18));
                }
                (IMAGE_SLOT, [symbol, unit]) => attributes.textures.push((*symbol, *unit)),
                (PARAMETER_BYTES, _) => attributes.tell_parameters |= value == 0,
                (PARAMETER | IMAGE_SLOT, _) => return Err(error("an attribute of another length")),
                _ => {}
            }
        }
        match rest {
            [] => {}
            _ => {
                let offset = (bytes.len() - rest.len()) as u64;
                return Err(ElfCubinError::Bytes { section: section.to_owned(), offset, problem: "half an attribute" });
            }
        }
        attributes.tell_parameters |= !attributes.parameters.is_empty();
        attributes.parameters.sort_unstable();
        Ok(attributes)
    }
}
