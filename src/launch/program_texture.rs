//! Textures of a vertex or fragment program from text, laid out in memory as a driver lays them out.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::texture_argument::{TextureArgumentError, parts, read_size, unknown_format};
use crate::asm::program_file::{Program, ProgramFile};
use crate::asm::{Assembly, TextureTarget};
use crate::files;
use crate::format::{TexelStorage, TextureFormat};
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow};
use crate::pipeline::program_run::ProgramTextures;
use crate::pipeline::{
    Compare, Dimensions, Filter, MipFilter, Sampler, TextureState, TextureView, VertexTexture, VertexTextureFormat,
    Wrap,
};
use crate::plural::counted;
use crate::scene::image::{Texel, Texels, decode_png};
use crate::scene::texture::PlacedTexture;
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::analysis::vertex_resources::VertexResources;

/// What a PNG file begins with.
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The largest file of texels, and the most memory of all textures.
const MAX_BYTES: u64 = 1 << 30;

/// The alignment of textures in memory.
const ALIGNMENT: u32 = 256;

/// A texture with the name or number of its unit, as text describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramTexture {
    /// The number of its unit, or its name in the program.
    pub name: String,
    /// Its format.
    pub format: TextureFormat,
    /// Its dimensions and its size; without one it is that of a picture.
    pub size: Option<(Dimensions, [u32; 3])>,
    /// How it is sampled.
    pub sampling: Sampling,
    /// Where its texels come from.
    pub texels: TexelSource,
}

/// How a texture is sampled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampling {
    /// The wrap mode in all directions.
    pub wrap: Wrap,
    /// The filter within levels, and between them if there are several.
    pub filter: Filter,
    /// Whether there are smaller levels.
    pub has_levels: bool,
    /// Whether six images are the faces of a cube.
    pub is_cube: bool,
    /// Whether coordinates count texels.
    pub is_rectangle: bool,
    /// Whether red, green and blue are stored as sRGB.
    pub is_srgb: bool,
    /// How depths are compared, as reference OP texel.
    pub compare: Compare,
}

impl Sampling {
    /// The nearest texel of the only level, with coordinates that clamp to the edge; depths compare as in OpenGL.
    const PLAIN: Self = Self {
        wrap: Wrap::ClampToEdge,
        filter: Filter::Nearest,
        has_levels: false,
        is_cube: false,
        is_rectangle: false,
        is_srgb: false,
        compare: Compare::LessEqual,
    };
}

/// Where texels come from.
#[derive(Debug, Clone, PartialEq)]
pub enum TexelSource {
    /// All bits are zero.
    Zeros,
    /// The stored channels of each texel.
    Numbers(Vec<f32>),
    /// A PNG file, or a file of elements as the format stores them.
    File(PathBuf),
}

/// Why textures do not fit a program.
#[derive(Debug, thiserror::Error)]
pub enum ProgramTextureError {
    /// The program has no such unit.
    #[error("the program samples no texture '{name}'; it samples {known}")]
    NoUnit {
        /// What is asked for.
        name: String,
        /// What can be.
        known: String,
    },
    /// A unit has two textures.
    #[error("texture '{name}': unit {unit} has another texture")]
    Twice {
        /// The second name.
        name: String,
        /// The unit.
        unit: u8,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The description is wrong for the program or for the texels.
    #[error("texture '{name}': {what}")]
    Wrong {
        /// The texture.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// The textures are too large together.
    #[error("textures: {0}")]
    Memory(#[from] MemoryError),
}

/// What an option changes.
type Setter = fn(&mut Sampling);

/// The options of a texture beside its size.
const OPTIONS: &[(&str, Setter)] = &[
    ("wrap=clamp", |sampling| sampling.wrap = Wrap::ClampToEdge),
    ("wrap=repeat", |sampling| sampling.wrap = Wrap::Repeat),
    ("wrap=mirror", |sampling| sampling.wrap = Wrap::MirroredRepeat),
    ("wrap=border", |sampling| sampling.wrap = Wrap::ClampToBorder),
    ("wrap=half-border", |sampling| sampling.wrap = Wrap::Clamp),
    ("wrap=mirror-once", |sampling| sampling.wrap = Wrap::MirrorClampToEdge),
    ("filter=nearest", |sampling| sampling.filter = Filter::Nearest),
    ("filter=linear", |sampling| sampling.filter = Filter::Linear),
    ("mipmaps", |sampling| sampling.has_levels = true),
    ("cube", |sampling| sampling.is_cube = true),
    ("rectangle", |sampling| sampling.is_rectangle = true),
    ("srgb", |sampling| sampling.is_srgb = true),
    ("compare=never", |sampling| sampling.compare = Compare::Never),
    ("compare=less", |sampling| sampling.compare = Compare::Less),
    ("compare=equal", |sampling| sampling.compare = Compare::Equal),
    ("compare=lequal", |sampling| sampling.compare = Compare::LessEqual),
    ("compare=greater", |sampling| sampling.compare = Compare::Greater),
    ("compare=notequal", |sampling| sampling.compare = Compare::NotEqual),
    ("compare=gequal", |sampling| sampling.compare = Compare::GreaterEqual),
    ("compare=always", |sampling| sampling.compare = Compare::Always),
];

/// The formats of the chip's textures.
fn formats() -> impl Iterator<Item = TextureFormat> {
    TextureFormat::ALL.iter().copied().filter(|format| !format.is_of_tesla())
}

impl FromStr for ProgramTexture {
    type Err = TextureArgumentError;

    fn from_str(text: &str) -> Result<Self, TextureArgumentError> {
        let (name, words, content) = parts(text)?;
        let mut words = words.split(',').peekable();
        let format = words.next().unwrap_or_default();
        let Some(format) = formats().find(|known| known.name() == format) else {
            return Err(unknown_format(format, formats().map(TextureFormat::name)));
        };
        let is_size = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_digit());
        let size = words.next_if(is_size).map(read_size).transpose()?;
        let mut sampling = Sampling::PLAIN;
        for word in words {
            let Some((_, set)) = OPTIONS.iter().find(|(own, _)| *own == word) else {
                let options = OPTIONS.iter().map(|(own, _)| *own).collect::<Vec<_>>().join(", ");
                return Err(TextureArgumentError::Option { text: word.to_owned(), options });
            };
            set(&mut sampling);
        }
        let list = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let texels = match (content, list) {
            ("zeros", _) => TexelSource::Zeros,
            (_, Some(list)) => TexelSource::Numbers(read_numbers(list, format)?),
            (path, None) => TexelSource::File(path.into()),
        };
        if size.is_none() && !matches!(texels, TexelSource::File(_)) {
            return Err(TextureArgumentError::Form { text: text.to_owned() });
        }
        Ok(Self { name: name.to_owned(), format, size, sampling, texels })
    }
}

fn read_numbers(list: &str, format: TextureFormat) -> Result<Vec<f32>, TextureArgumentError> {
    let numbers = list.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers
        .map(|number| {
            number
                .parse()
                .map_err(|_| TextureArgumentError::Number { number: number.to_owned(), format: format.name() })
        })
        .collect()
}

/// The channels that a format stores; numbers of texels are given for these, in this order.
fn stored_channels(format: TextureFormat) -> Vec<usize> {
    let first_of = |places: [u8; 4]| (0..4).filter(|&channel| !places[..channel].contains(&places[channel])).collect();
    match format.storage() {
        TexelStorage::Fields(fields) | TexelStorage::SignedFields(fields) => (0..4)
            .filter(|&channel| {
                let others = fields[..channel].iter().fold(0, |mask, field| mask | field.mask());
                fields[channel].mask() & !others != 0
            })
            .collect(),
        TexelStorage::Depth { .. } | TexelStorage::FloatDepth { .. } => vec![0],
        TexelStorage::Half(order) | TexelStorage::Float(order) => first_of(order),
        TexelStorage::Pair(_) => vec![0, 1, 2],
        TexelStorage::Block(_)
        | TexelStorage::Components(_)
        | TexelStorage::Packed(_)
        | TexelStorage::SharedExponent
        | TexelStorage::ShortFloats => vec![0, 1, 2, 3],
    }
}

/// A texture that fits a unit: its layout and its bytes.
struct Placed {
    layout: PlacedTexture,
    bytes: Vec<u8>,
    is_rectangle: bool,
}

/// Reads the texels of textures and binds them to the units of a program. Paths are relative to `folder`.
///
/// # Errors
/// When the program does not sample such a unit, a file cannot be read, or the texels do not fit.
pub fn bind_textures(
    file: &ProgramFile,
    textures: &[ProgramTexture],
    folder: &Path,
) -> Result<ProgramTextures, ProgramTextureError> {
    let mut bound = ProgramTextures { memory: GuestMemory::new(MAX_BYTES, 0)?, ..ProgramTextures::default() };
    let mut end = 0;
    for texture in textures {
        let unit = unit_of(file, &texture.name)?;
        let wrong = |what| ProgramTextureError::Wrong { name: texture.name.clone(), what };
        if bound.has(unit) {
            return Err(ProgramTextureError::Twice { name: texture.name.clone(), unit });
        }
        let is_vertex = matches!(file.program, Program::Vertex(_));
        let placed = place(texture, target_of(file, unit), is_vertex, folder)?;
        let bytes = u32::try_from(placed.bytes.len()).map_err(|_| wrong("it is too large".to_owned()))?;
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        bound.memory.grow(MemorySpace::Vram, u64::from(end) + u64::from(bytes))?;
        let window = MemoryWindow { space: MemorySpace::Vram, start: end, bytes };
        end += bytes;
        bound.memory.store(window, &placed.bytes);
        match is_vertex {
            true => {
                let state = vertex_state(&placed.layout, &texture.sampling, window).map_err(wrong)?;
                bound.vertex[usize::from(unit & 3)] = Some(state);
            }
            false => {
                let state = fragment_state(&placed, &texture.sampling, window);
                state.view.unsupported().map_or(Ok(()), |what| Err(wrong(format!("{what} is not possible"))))?;
                bound.fragment[usize::from(unit)] = Some(state);
            }
        }
    }
    Ok(bound)
}

/// The units that a program samples.
#[must_use]
pub fn sampled_units(program: &Program) -> Vec<u8> {
    let units = match program {
        Program::Vertex(program) => u16::from(VertexResources::of(program).texture_units),
        Program::Fragment(program) => ResourceUsage::of_blocks(program).units,
    };
    (0..16).filter(|unit| units >> unit & 1 != 0).collect()
}

/// What the text of a program says of its textures: the unit of the chip, that of the text, the target.
fn uses(file: &ProgramFile) -> Vec<(u8, u8, Option<TextureTarget>)> {
    let textures = match &file.assembly {
        Some(Assembly::Vertex(vertex)) => vertex.textures.as_slice(),
        Some(Assembly::Fragment(fragment)) => fragment.textures.as_slice(),
        None => &[],
    };
    textures.iter().map(|texture| (texture.unit, texture.image, texture.target)).collect()
}

fn target_of(file: &ProgramFile, unit: u8) -> Option<TextureTarget> {
    uses(file).into_iter().find(|(own, ..)| *own == unit).and_then(|(.., target)| target)
}

/// The unit of the chip that a name or number means.
fn unit_of(file: &ProgramFile, name: &str) -> Result<u8, ProgramTextureError> {
    let (sampled, uses) = (sampled_units(&file.program), uses(file));
    let in_text = |unit: u8| uses.iter().find(|(own, ..)| *own == unit).map_or(unit, |(_, image, _)| *image);
    let number = name.strip_prefix("texture[").and_then(|rest| rest.strip_suffix(']')).or(name.strip_prefix("TEX"));
    let number: Option<u8> = number.unwrap_or(name).parse().ok();
    let sampler = file.samplers.iter().find(|(own, _)| own == name).map(|(_, unit)| *unit);
    let unit = match sampler {
        Some(unit) => sampled.iter().find(|own| **own == unit),
        None => sampled.iter().find(|own| Some(in_text(**own)) == number),
    };
    unit.copied().ok_or_else(|| {
        let names = sampled.iter().map(|unit| match file.samplers.iter().find(|(_, own)| own == unit) {
            Some((name, _)) => format!("{} ({name})", in_text(*unit)),
            None => in_text(*unit).to_string(),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let known = if names.is_empty() { "none".to_owned() } else { names };
        ProgramTextureError::NoUnit { name: name.to_owned(), known }
    })
}

/// Texels of the largest level, face by face, or bytes that are already elements.
enum Contents {
    Zeros,
    Texels(Vec<Texel>),
    Elements(Vec<u8>),
}

/// Reads the texels of a texture and lays them out.
fn place(
    texture: &ProgramTexture,
    target: Option<TextureTarget>,
    is_vertex: bool,
    folder: &Path,
) -> Result<Placed, ProgramTextureError> {
    let ProgramTexture { format, sampling, .. } = texture;
    let wrong = |what| ProgramTextureError::Wrong { name: texture.name.clone(), what };
    let is_cube = sampling.is_cube || target == Some(TextureTarget::Cube);
    let is_rectangle =
        sampling.is_rectangle || matches!(target, Some(TextureTarget::Rectangle | TextureTarget::ShadowRectangle));
    let (picture, contents) = match &texture.texels {
        TexelSource::Zeros => (None, Contents::Zeros),
        TexelSource::Numbers(numbers) => {
            let channels = stored_channels(*format);
            if !numbers.len().is_multiple_of(channels.len()) {
                let (numbers, channels) = (counted(numbers.len(), "number"), channels.len());
                return Err(wrong(format!("{numbers} where each texel has {channels}")));
            }
            let texels = numbers.chunks_exact(channels.len()).map(|numbers| {
                let mut texel = [0.0, 0.0, 0.0, 1.0];
                channels.iter().zip(numbers).for_each(|(&channel, &number)| texel[channel] = number);
                texel
            });
            (None, Contents::Texels(texels.collect()))
        }
        TexelSource::File(path) => {
            let path = folder.join(path);
            let bytes = files::read(&path, MAX_BYTES)
                .map_err(|source| ProgramTextureError::File { path: path.clone(), source })?;
            match bytes.starts_with(PNG_SIGNATURE) {
                true => {
                    let (width, height, texels) =
                        decode_png(&bytes).map_err(|why| wrong(format!("{}: {why}", path.display())))?;
                    (Some((width, height)), Contents::Texels(texels))
                }
                false => (None, Contents::Elements(bytes)),
            }
        }
    };
    let (dimensions, size) = shape(texture.size, picture, is_cube).map_err(wrong)?;
    let levels = if sampling.has_levels { size.iter().max().map_or(1, |side| side.max(&1).ilog2() + 1) } else { 1 };
    // Rectangles have rows, as drivers store them; the units of the vertex processor read nothing else.
    let linear = (is_vertex || is_rectangle && !format.is_compressed()).then_some(true);
    let layout = PlacedTexture::new(*format, dimensions, size, levels, linear).map_err(wrong)?;
    if layout.bytes() > MAX_BYTES {
        return Err(wrong(format!("{} bytes are more than {MAX_BYTES}", layout.bytes())));
    }
    let bytes = match contents {
        Contents::Zeros => vec![0; usize::try_from(layout.bytes()).unwrap_or(0)],
        Contents::Elements(elements) => layout.arrange(&elements).ok_or_else(|| {
            let (found, needed) = (elements.len(), layout.packed_bytes());
            wrong(format!("the file has {found} bytes, its texels take {needed}"))
        })?,
        Contents::Texels(texels) => {
            let of_face = size.iter().map(|side| *side as usize).product::<usize>();
            let faces = if dimensions == Dimensions::Cube { 6 } else { 1 };
            if texels.len() != of_face * faces {
                let (found, needed) = (counted(texels.len(), "texel"), of_face * faces);
                return Err(wrong(format!("{found} where {needed} are needed")));
            }
            let faces = texels.chunks_exact(of_face).map(<[Texel]>::to_vec).collect();
            let mut texels = Texels::new(dimensions, size, faces);
            if sampling.has_levels {
                texels.build_levels();
            }
            layout.encode(&texels)
        }
    };
    Ok(Placed { layout, bytes, is_rectangle })
}

/// The dimensions and the size of a texture from those that are given, or from a picture that holds slices and faces below
/// each other.
fn shape(
    given: Option<(Dimensions, [u32; 3])>,
    picture: Option<(u32, u32)>,
    is_cube: bool,
) -> Result<(Dimensions, [u32; 3]), String> {
    let faces = if is_cube { 6 } else { 1 };
    let (dimensions, size) = match (given, picture) {
        (Some(given), _) => given,
        (None, Some((width, height))) => (Dimensions::Two, [width, height / faces, 1]),
        (None, None) => return Err("a file that is no PNG file needs a size".to_owned()),
    };
    if let Some((width, height)) = picture
        && [u64::from(width), u64::from(height)]
            != [u64::from(size[0]), u64::from(size[1]) * u64::from(size[2]) * u64::from(faces)]
    {
        return Err(format!("a picture of {width}×{height} does not fit the size"));
    }
    match (is_cube, dimensions, size) {
        (false, ..) => Ok((dimensions, size)),
        (true, Dimensions::Two, [width, height, _]) if width == height => Ok((Dimensions::Cube, size)),
        (true, ..) => Err("the faces of a cube are squares".to_owned()),
    }
}

/// The state of a unit of the fragment processor.
fn fragment_state(placed: &Placed, sampling: &Sampling, window: MemoryWindow) -> TextureState {
    let Placed { layout, is_rectangle, .. } = placed;
    let plain = TextureState::plain(layout.format, layout.dimensions, layout.size);
    TextureState {
        view: TextureView {
            window,
            layout: layout.layout,
            is_unnormalized: *is_rectangle,
            levels: layout.levels,
            gamma: [sampling.is_srgb, sampling.is_srgb, sampling.is_srgb, false],
            ..plain.view
        },
        sampler: Sampler {
            wrap: [sampling.wrap; 3],
            min_filter: sampling.filter,
            mag_filter: sampling.filter,
            mip_filter: match (layout.levels, sampling.filter) {
                (1, _) => MipFilter::None,
                (_, Filter::Linear) => MipFilter::Linear,
                (..) => MipFilter::Nearest,
            },
            max_lod: (layout.levels - 1) << 8,
            shadow_compare: sampling.compare,
            ..plain.sampler
        },
    }
}

/// The state of a unit of the vertex processor, which reads the nearest texel whatever the filter.
fn vertex_state(layout: &PlacedTexture, sampling: &Sampling, window: MemoryWindow) -> Result<VertexTexture, String> {
    let format = match layout.format {
        TextureFormat::X32F => VertexTextureFormat::X32F,
        TextureFormat::W32Z32Y32X32F => VertexTextureFormat::W32Z32Y32X32F,
        other => {
            let names = [TextureFormat::X32F, TextureFormat::W32Z32Y32X32F].map(TextureFormat::name);
            return Err(format!("vertex programs read {} and {}, not {}", names[0], names[1], other.name()));
        }
    };
    if !matches!(layout.dimensions, Dimensions::One | Dimensions::Two) || sampling.is_rectangle {
        return Err("vertex programs read textures of one or two dimensions, with coordinates 0 to 1".to_owned());
    }
    Ok(VertexTexture {
        window,
        format,
        size: [layout.size[0], layout.size[1]],
        pitch_bytes: layout.pitch_bytes(),
        levels: layout.levels,
        wrap: [sampling.wrap; 2],
        lod_bias: 0,
        min_lod: 0,
        max_lod: (layout.levels - 1) << 8,
        border_color: 0,
    })
}
