//! Defines the state of a texture unit.

use super::{Compare, LayoutKind};
use crate::format::TextureFormat;
use crate::memory::MemoryWindow;

/// The dimensionality of a texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimensions {
    /// One-dimensional.
    One,
    /// Two-dimensional.
    Two,
    /// Three-dimensional.
    Three,
    /// Six square faces.
    Cube,
}

/// Wrap modes; the kernels take their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wrap {
    /// Repeats.
    Repeat = 1,
    /// Repeats, every other copy mirrored.
    MirroredRepeat = 2,
    /// Clamps to the center of the edge texels.
    ClampToEdge = 3,
    /// Clamps into the border.
    ClampToBorder = 4,
    /// Clamps to 0..1, blending in half of the border.
    Clamp = 5,
    /// Mirrors once, then clamps to edge.
    MirrorClampToEdge = 6,
    /// Mirrors once, then clamps to border.
    MirrorClampToBorder = 7,
    /// Mirrors once, then clamps to 0..1.
    MirrorClamp = 8,
}

impl Wrap {
    /// Every mode, by its number.
    pub const ALL: [Self; 8] = [
        Self::Repeat,
        Self::MirroredRepeat,
        Self::ClampToEdge,
        Self::ClampToBorder,
        Self::Clamp,
        Self::MirrorClampToEdge,
        Self::MirrorClampToBorder,
        Self::MirrorClamp,
    ];

    /// Whether coordinates may lead into the border. `weights_texels` says that the filter weights several texels.
    #[must_use]
    pub const fn reaches_border(self, weights_texels: bool) -> bool {
        match self {
            Self::ClampToBorder | Self::MirrorClampToBorder => true,
            Self::Clamp | Self::MirrorClamp => weights_texels,
            Self::Repeat | Self::MirroredRepeat | Self::ClampToEdge | Self::MirrorClampToEdge => false,
        }
    }
}

/// How texels of one level are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// Weighted by distance.
    Linear,
    /// Weighted by a fixed kernel.
    Convolution(ConvolutionKernel),
}

/// The kernel of a convolution filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConvolutionKernel {
    /// The center and two corners of the pixel, those of the next row.
    Quincunx,
    /// A binomial in both directions.
    Gaussian,
    /// The same as quincunx, with the corners of the previous row.
    QuincunxAlternative,
}

/// What a channel of the sampled value is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemappedChannel {
    /// The constant 0.
    Zero,
    /// The constant 1, a float.
    One,
    /// The constant 1, an integer.
    OneInteger,
    /// A natural channel: 0 red, 1 green, 2 blue, 3 alpha.
    Source(u8),
}

impl RemappedChannel {
    /// Red, green, blue and alpha in place.
    pub const IDENTITY: [Self; 4] = [Self::Source(0), Self::Source(1), Self::Source(2), Self::Source(3)];
}

/// What happens to a filtered value that equals the color key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColorKeyMode {
    /// Nothing.
    Off,
    /// Its alpha becomes 0.
    ClearAlpha,
    /// All of it becomes 0.
    ClearColor,
    /// The fragment is discarded.
    Discard,
}

/// How mip levels are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// Only the base level.
    None,
    /// The nearest level.
    Nearest,
    /// The two nearest levels, weighted.
    Linear,
}

/// How the levels of a texture are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextureLayout {
    /// Rows with one pitch for all levels.
    Linear {
        /// Bytes from one row to the next.
        pitch_bytes: u32,
    },
    /// Morton order; the blocks of compressed formats row by row.
    Swizzled,
    /// Blocks of gobs, in each level no larger than needed.
    BlockLinear {
        /// The base-2 logarithms of a block's height and depth in gobs; it is one gob wide.
        log2_block: [u8; 2],
    },
}

impl TextureLayout {
    /// Its kind, without sizes.
    #[must_use]
    pub const fn kind(self) -> LayoutKind {
        match self {
            Self::Linear { .. } => LayoutKind::Linear,
            Self::Swizzled => LayoutKind::Swizzled,
            Self::BlockLinear { .. } => LayoutKind::BlockLinear,
        }
    }
}

/// A texture: texels in memory, and what programs read of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureView {
    /// The start and extent of the texture's memory.
    pub window: MemoryWindow,
    /// The texel format.
    pub format: TextureFormat,
    /// Its dimensionality.
    pub dimensions: Dimensions,
    /// How its levels are stored.
    pub layout: TextureLayout,
    /// Coordinates are in texels.
    pub is_unnormalized: bool,
    /// The image is surrounded by border texels.
    pub has_border_texels: bool,
    /// Width, height, depth in texels.
    pub size: [u32; 3],
    /// The number of layers of an array, each with its own levels, or of its cube maps; `None` if it is no array.
    pub layers: Option<u32>,
    /// Number of mip levels, 1..13.
    pub levels: u32,
    /// Bytes from one cube face or layer to the next, if it has levels that are not sampled; else these are as far apart as
    /// their levels ask for.
    pub face_bytes: Option<u32>,
    /// What red, green, blue and alpha of the sampled value are taken from.
    pub remap: [RemappedChannel; 4],
    /// Which of red, green, blue and alpha are signed.
    pub signed: [bool; 4],
    /// Signed values are at least −1.
    pub is_signed_clamped: bool,
    /// Which of red, green, blue and alpha are encoded as sRGB: of the filtered value, or of the texels in Tesla's formats.
    pub gamma: [bool; 4],
    /// Expands 0..1 to −1..1.
    pub expand_normal: bool,
}

impl TextureView {
    /// A texture of one swizzled level without memory, whose channels are read in place.
    #[must_use]
    pub const fn plain(format: TextureFormat, dimensions: Dimensions, size: [u32; 3]) -> Self {
        Self {
            window: MemoryWindow::EMPTY,
            format,
            dimensions,
            layout: TextureLayout::Swizzled,
            is_unnormalized: false,
            has_border_texels: false,
            size,
            layers: None,
            levels: 1,
            face_bytes: None,
            remap: RemappedChannel::IDENTITY,
            signed: [false; 4],
            is_signed_clamped: false,
            gamma: [false; 4],
            expand_normal: false,
        }
    }
}

/// The color of a border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BorderColor {
    /// A texel of four bytes, ARGB8, whose channels the remap takes as those of other texels.
    Argb8(u32),
    /// What programs read as red, green, blue and alpha: bits of floats or integers.
    Words([u32; 4]),
}

/// How a texture is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampler {
    /// Wrap modes of s, t, r.
    pub wrap: [Wrap; 3],
    /// Minification filter within a level.
    pub min_filter: Filter,
    /// Filter between levels.
    pub mip_filter: MipFilter,
    /// Magnification filter.
    pub mag_filter: Filter,
    /// Level-of-detail bias, in 1/256 of a level.
    pub lod_bias: i32,
    /// Smallest level of detail, in 1/256 of a level.
    pub min_lod: u32,
    /// Largest level of detail, in 1/256 of a level.
    pub max_lod: u32,
    /// Largest anisotropy: 1, 2, 4, 6, 8, 10, 12, 16.
    pub max_anisotropy: u8,
    /// The color of the border.
    pub border_color: BorderColor,
    /// Compares the reference with the texel.
    pub shadow_compare: Compare,
    /// Discards fragments whose sampled alpha is 0.
    pub alpha_kill: bool,
    /// What the color key does.
    pub color_key_mode: ColorKeyMode,
    /// The color key, ARGB8.
    pub color_key: u32,
    /// Linear filters of cube maps read texels beyond the edge of a face from the adjacent face.
    pub is_seamless: bool,
}

impl Sampler {
    /// Repeats, with nearest filters and all options off.
    pub const PLAIN: Self = Self {
        wrap: [Wrap::Repeat; 3],
        min_filter: Filter::Nearest,
        mip_filter: MipFilter::None,
        mag_filter: Filter::Nearest,
        lod_bias: 0,
        min_lod: 0,
        max_lod: 0,
        max_anisotropy: 1,
        border_color: BorderColor::Argb8(0),
        shadow_compare: Compare::Never,
        alpha_kill: false,
        color_key_mode: ColorKeyMode::Off,
        color_key: 0,
        is_seamless: false,
    };

    /// Clamps to the edge, otherwise plain.
    pub const CLAMPED: Self = Self { wrap: [Wrap::ClampToEdge; 3], ..Self::PLAIN };
}

/// One enabled texture unit: a texture, and how it is sampled. Some machines bind the two apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureState {
    /// The texture.
    pub view: TextureView,
    /// How it is sampled.
    pub sampler: Sampler,
}

impl TextureState {
    /// A plain [view](TextureView::plain), [plainly](Sampler::PLAIN) sampled.
    #[must_use]
    pub const fn plain(format: TextureFormat, dimensions: Dimensions, size: [u32; 3]) -> Self {
        Self { view: TextureView::plain(format, dimensions, size), sampler: Sampler::PLAIN }
    }
}
