//! Textures of a kernel from text: the unit, the format, the size, how they are sampled, and the texels.

use std::path::Path;
use std::str::FromStr;

use super::arguments::MAX_BYTES;
use crate::arith::fragment::half_bits_from;
use crate::asm::diagnostic::closest;
use crate::files;
use crate::format::{ComponentKind, Components, TexelStorage, TextureFormat};
use crate::pipeline::launch::rows_of_texels;
use crate::pipeline::{Dimensions, Filter, Sampler, TextureView, Wrap};

/// A texture with the name or number of its unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureArgument {
    /// The name that the module gives the texture, or the number of its unit.
    pub name: String,
    /// What it is.
    pub texture: TextureView,
    /// How it is sampled.
    pub sampler: Sampler,
    /// Its texels row by row.
    pub texels: Vec<u8>,
}

/// Why a text is not a texture.
#[derive(Debug, thiserror::Error)]
pub enum TextureArgumentError {
    /// It has not the form of one.
    #[error(
        "'{text}' is not a texture; write NAME=FORMAT,WIDTHxHEIGHT[,OPTION…]:FILE, with zeros or [1,2,…] for a file"
    )]
    Form {
        /// The text.
        text: String,
    },
    /// The format is unknown.
    #[error("'{name}' is not a format of textures{suggestion}; the formats are {formats}")]
    Format {
        /// What stands for a format.
        name: String,
        /// `, did you mean …` for a similar format.
        suggestion: String,
        /// Their names.
        formats: String,
    },
    /// The size is none.
    #[error("'{text}' is not a size; write up to three numbers, as in 64x32")]
    Size {
        /// What stands for a size.
        text: String,
    },
    /// An option is unknown.
    #[error("'{text}' is not an option of textures; write {options}")]
    Option {
        /// The option.
        text: String,
        /// Those that exist.
        options: String,
    },
    /// A component is no number of the format.
    #[error("'{number}' is not a component of format {format}")]
    Number {
        /// The number.
        number: String,
        /// The format.
        format: &'static str,
    },
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// What an option changes.
type Setter = fn(&mut TextureArgument);

/// The options of a texture beside its size.
const OPTIONS: [(&str, Setter); 7] = [
    ("wrap=clamp", |argument| argument.sampler.wrap = [Wrap::ClampToEdge; 3]),
    ("wrap=repeat", |argument| argument.sampler.wrap = [Wrap::Repeat; 3]),
    ("wrap=mirror", |argument| argument.sampler.wrap = [Wrap::MirroredRepeat; 3]),
    ("wrap=border", |argument| argument.sampler.wrap = [Wrap::ClampToBorder; 3]),
    ("filter=nearest", |argument| set_filter(argument, Filter::Nearest)),
    ("filter=linear", |argument| set_filter(argument, Filter::Linear)),
    ("normalized", |argument| argument.texture.is_unnormalized = false),
];

const fn set_filter(argument: &mut TextureArgument, filter: Filter) {
    (argument.sampler.min_filter, argument.sampler.mag_filter) = (filter, filter);
}

/// The name of a texture's unit, the words that describe it, and its content.
pub(super) fn parts(text: &str) -> Result<(&str, &str, &str), TextureArgumentError> {
    let form = || TextureArgumentError::Form { text: text.to_owned() };
    let (name, rest) = text.split_once('=').ok_or_else(form)?;
    let (description, content) = rest.split_once(':').ok_or_else(form)?;
    Ok((name, description, content))
}

/// The error for a name that is none of these formats.
pub(super) fn unknown_format(name: &str, formats: impl Iterator<Item = &'static str>) -> TextureArgumentError {
    let names: Vec<_> = formats.collect();
    let similar = closest(name, names.iter().copied());
    let suggestion = similar.map_or_else(String::new, |similar| format!(", did you mean '{similar}'"));
    TextureArgumentError::Format { name: name.to_owned(), suggestion, formats: names.join(", ") }
}

/// The formats of textures of kernels.
fn formats() -> impl Iterator<Item = (TextureFormat, Components)> {
    TextureFormat::ALL.iter().filter_map(|format| match format.storage() {
        TexelStorage::Components(components) => Some((*format, components)),
        _ => None,
    })
}

impl FromStr for TextureArgument {
    type Err = TextureArgumentError;

    fn from_str(text: &str) -> Result<Self, TextureArgumentError> {
        Self::read(text, Path::new(""))
    }
}

impl TextureArgument {
    /// Reads a texture; the path of a file is relative to `folder`.
    ///
    /// # Errors
    /// When the text is not a texture, or its file cannot be read.
    pub fn read(text: &str, folder: &Path) -> Result<Self, TextureArgumentError> {
        let (name, description, content) = parts(text)?;
        let mut words = description.split(',');
        let (Some(format), Some(size)) = (words.next(), words.next()) else {
            return Err(TextureArgumentError::Form { text: text.to_owned() });
        };
        let Some((format, components)) = formats().find(|(own, _)| own.name() == format) else {
            return Err(unknown_format(format, formats().map(|(format, _)| format.name())));
        };
        let (dimensions, size) = read_size(size)?;
        let texture = rows_of_texels(format, dimensions, size);
        let sampler = Sampler::CLAMPED;
        let mut argument = Self { name: name.to_owned(), texture, sampler, texels: Vec::new() };
        for word in words {
            let Some((_, set)) = OPTIONS.iter().find(|(own, _)| *own == word) else {
                let options = OPTIONS.map(|(own, _)| own).join(", ");
                return Err(TextureArgumentError::Option { text: word.to_owned(), options });
            };
            set(&mut argument);
        }
        argument.texels = read_texels(content, &argument.texture, components, folder)?;
        Ok(argument)
    }
}

pub(super) fn read_size(text: &str) -> Result<(Dimensions, [u32; 3]), TextureArgumentError> {
    let sides: Result<Vec<u32>, _> = text.split('x').map(str::parse).collect();
    let dimensions = [Dimensions::One, Dimensions::Two, Dimensions::Three];
    match sides {
        Ok(sides) if sides.len() <= dimensions.len() => {
            let mut size = [1; 3];
            size[..sides.len()].copy_from_slice(&sides);
            Ok((dimensions[sides.len() - 1], size))
        }
        _ => Err(TextureArgumentError::Size { text: text.to_owned() }),
    }
}

/// The bytes of texels: zeros, the components in brackets, or a file.
fn read_texels(
    text: &str,
    texture: &TextureView,
    components: Components,
    folder: &Path,
) -> Result<Vec<u8>, TextureArgumentError> {
    if text == "zeros" {
        // The size is checked where the texture is bound.
        return Ok(vec![0; usize::try_from(texture.reached_bytes()).unwrap_or(0).min(1 << 30)]);
    }
    let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return files::read(&folder.join(text), MAX_BYTES)
            .map_err(|source| TextureArgumentError::File { path: text.to_owned(), source });
    };
    let mut bytes = Vec::new();
    for number in list.split(',').map(str::trim).filter(|number| !number.is_empty()) {
        let format = texture.format.name();
        let bits = component_bits(number, components)
            .ok_or_else(|| TextureArgumentError::Number { number: number.to_owned(), format })?;
        bytes.extend(&bits.to_le_bytes()[..usize::from(components.width / 8)]);
    }
    Ok(bytes)
}

/// The bits of a component: an integer as it is stored, or a float.
fn component_bits(text: &str, Components { kind, width, .. }: Components) -> Option<u32> {
    if kind == ComponentKind::Float {
        let bits = text.parse::<f32>().ok()?.to_bits();
        return Some(if width == 16 { half_bits_from(bits).into() } else { bits });
    }
    let number: i64 = text.parse().ok()?;
    let is_signed = matches!(kind, ComponentKind::Snorm | ComponentKind::Sint);
    let (least, most) = match is_signed {
        true => (-1_i64 << (width - 1), (1_i64 << (width - 1)) - 1),
        false => (0, (1_i64 << width) - 1),
    };
    let bits = u32::try_from(number & 0xffff_ffff).ok()?;
    (least..=most).contains(&number).then_some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> TextureArgument {
        text.parse().unwrap()
    }

    fn error(text: &str) -> String {
        text.parse::<TextureArgument>().unwrap_err().to_string()
    }

    #[test]
    fn textures_are_read() {
        let image = read("image=unorm8x4,2x1,wrap=repeat,filter=linear,normalized:[1,2,3,4,5,6,7,255]");
        let expected = TextureView {
            is_unnormalized: false,
            ..rows_of_texels(TextureFormat::Unorm8x4, Dimensions::Two, [2, 1, 1])
        };
        let (wrap, filter) = ([Wrap::Repeat; 3], Filter::Linear);
        let sampler = Sampler { wrap, min_filter: filter, mag_filter: filter, ..Sampler::CLAMPED };
        assert_eq!((&*image.name, image.texture, image.sampler), ("image", expected, sampler));
        assert_eq!(image.texels, [1, 2, 3, 4, 5, 6, 7, 255]);
        let volume = read("3=f32,2x3x4:zeros");
        assert_eq!((volume.texture.dimensions, volume.texels.len()), (Dimensions::Three, 96));
        assert_eq!(read("a=s16,2:[-2, 3]").texels, [0xfe, 0xff, 3, 0]);
        assert_eq!(read("a=f16,1:[-2]").texels, [0, 0xc0]);
        assert_eq!(read("a=u32,1:[4294967295]").texels, [255; 4]);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error("image").starts_with("'image' is not a texture; write NAME=FORMAT"));
        assert!(error("image=f32:zeros").starts_with("'image=f32:zeros' is not a texture"));
        let formats = error("image=float,4:zeros");
        assert!(formats.starts_with("'float' is not a format of textures; the formats are snorm16x4, "), "{formats}");
        let similar = error("image=unrm8x4,4:zeros");
        assert!(
            similar.starts_with("'unrm8x4' is not a format of textures, did you mean 'unorm8x4'; the "),
            "{similar}"
        );
        assert_eq!(error("a=f32,4x:zeros"), "'4x' is not a size; write up to three numbers, as in 64x32");
        assert!(error("a=f32,4,filter=cubic:zeros").starts_with("'filter=cubic' is not an option of textures; write "));
        assert_eq!(error("a=u8,1:[256]"), "'256' is not a component of format u8");
        assert_eq!(error("a=s8,1:[-129]"), "'-129' is not a component of format s8");
        assert_eq!(error("a=f32,1:[x]"), "'x' is not a component of format f32");
        assert!(error("a=f32,1:/does/not/exist").starts_with("/does/not/exist: "));
    }
}
