//! Defines the viewport, rasterizer and ROP state of a draw.

use super::{MAX_COLOR_TARGETS, MultisampleCoverage, Multisampling, Rect, SampleMode, Targets};

/// The maximum number of distances from planes that a vertex has.
pub const MAX_CLIP_DISTANCES: usize = 8;

/// What a user clip plane keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ClipPlane {
    /// Everything.
    #[default]
    Off,
    /// Distances below 0.
    KeepsNegative,
    /// Distances of 0 and above.
    KeepsNonNegative,
    /// Primitives that have a vertex with a distance of 0 or above, and all of them.
    CullsNegative,
}

/// Transformation and depth range. Floats are stored as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewportState {
    /// Scale of x, y, z.
    pub scale: [u32; 3],
    /// Translation of x, y, z.
    pub translate: [u32; 3],
    /// Whether the program's position is already in window coordinates.
    pub skips_transform: bool,
    /// The depth of the near end of the range.
    pub depth_near: u32,
    /// The depth of the far end of the range.
    pub depth_far: u32,
    /// Whether fragments outside the depth range are clipped.
    pub clips_depth: bool,
    /// Whether depth is clamped to the range.
    pub clamps_depth: bool,
    /// User clip planes.
    pub clip_planes: [ClipPlane; MAX_CLIP_DISTANCES],
    /// Columns and rows added to window coordinates.
    pub window_offset: [i32; 2],
}

/// The eight window clip rectangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowClip {
    /// The rectangles.
    pub rects: [Rect; 8],
    /// Drops the pixels inside any of them; otherwise those outside all.
    pub is_exclusive: bool,
}

impl WindowClip {
    /// Whether a pixel remains.
    #[must_use]
    pub fn keeps(&self, x: u32, y: u32) -> bool {
        self.rects.iter().any(|rect| rect.contains(x, y)) != self.is_exclusive
    }
}

/// Which faces are culled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CullFace {
    /// Front faces.
    Front,
    /// Back faces.
    Back,
    /// All triangles.
    Both,
}

impl CullFace {
    /// Whether a front face (or else a back face) is culled.
    #[must_use]
    pub const fn culls(self, is_front: bool) -> bool {
        match self {
            Self::Front => is_front,
            Self::Back => !is_front,
            Self::Both => true,
        }
    }
}

/// How polygons are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolygonMode {
    /// Their vertices as points.
    Point,
    /// Their edges as lines.
    Line,
    /// Filled.
    Fill,
}

/// Point sprites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PointSprite {
    /// Whether coordinates are replaced at all.
    pub enabled: bool,
    /// What the third component of a replaced coordinate is.
    pub r: SpriteR,
    /// Bit i: texture coordinate i is replaced, if any are.
    pub replaced: u16,
}

impl PointSprite {
    /// Whether a texture coordinate is replaced: `NV_point_sprite`, section 3.3, asks for both bits.
    #[must_use]
    pub const fn replaces(self, coordinate: usize) -> bool {
        self.enabled && self.replaced >> coordinate & 1 != 0
    }
}

/// The third component of a texture coordinate that a point sprite replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum SpriteR {
    /// Zero.
    #[default]
    Zero = 0,
    /// That of the replaced coordinate.
    R = 1,
    /// The first component of the replaced coordinate.
    S = 2,
}

/// State of primitive set-up and rasterization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RasterState {
    /// Pixels that primitives are drawn to: targets ∩ viewport.
    pub surface: Rect,
    /// Pixels that drawing may touch: those of the surface inside the scissor.
    pub clip: Rect,
    /// Window clip rectangles; `None` if none removes anything.
    pub window_clip: Option<WindowClip>,
    /// Flat shading of colors.
    pub is_flat: bool,
    /// The first vertex of a primitive provokes, not the last. Quadrilaterals have a rule of their own.
    pub first_vertex_provokes: bool,
    /// The first vertex of a quadrilateral provokes, not the last.
    pub first_vertex_of_quads_provokes: bool,
    /// The front is counter-clockwise as seen with the first row at the top, regardless of the window position's
    /// conventions. RPCS3 says so of the RSX, from tests with games. Mesa's driver sets OpenGL's winding if it flips
    /// the picture, so that rows count downward, and the opposite otherwise.
    pub front_is_counter_clockwise: bool,
    /// Culled faces.
    pub cull: Option<CullFace>,
    /// Polygon mode of front and back faces.
    pub polygon_mode: [PolygonMode; 2],
    /// Polygon offset applies to points, lines, fills.
    pub offset_enabled: [bool; 3],
    /// Polygon offset per unit of depth slope, as float bits.
    pub offset_factor: u32,
    /// Constant polygon offset, as float bits; one unit is a step of the depth format.
    pub offset_units: u32,
    /// The limit of the offset, as float bits: its greatest value if positive, its least if negative; 0 for none.
    pub offset_limit: u32,
    /// Line width in eighths of a pixel, at most 511.
    pub line_width_eighths: u32,
    /// Smooth lines.
    pub line_smooth: bool,
    /// Line stipple: (repeat, pattern), repeat 1..256.
    pub line_stipple: Option<(u32, u16)>,
    /// Smooth polygons.
    pub polygon_smooth: bool,
    /// Polygon stipple: a word for each window row modulo 32, whose most significant bit is column 0.
    pub polygon_stipple: Option<Box<[u32; 32]>>,
    /// Point size as float bits, if the program does not output one.
    pub point_size: u32,
    /// Point sprites.
    pub point_sprite: PointSprite,
    /// Back colors replace front colors on back faces.
    pub two_sided_color: bool,
    /// Bit i: texture coordinate i has the "2D" flag (z = 0, w = position w).
    pub flat_2d_coordinates: u16,
    /// Bit i: texture coordinate i is interpolated at a covered position of the pixel.
    pub centroid_coordinates: u16,
    /// Points that are not sprites are centered on their exact position, as sprites are.
    pub has_exact_point_centers: bool,
    /// Elements before which the edge flag changes, in order; it is set before the first. Outlines of separate
    /// triangles, quadrilaterals and polygons omit edges that begin at a vertex without it.
    pub edge_flag_changes: Vec<u32>,
    /// Cylindrical wrap, 4 bits per texture coordinate: x, y, z, w.
    pub cylindrical_wrap: u64,
    /// The samples at which coverage and depth are computed; one if multisampling is disabled.
    pub samples: SampleMode,
}

impl RasterState {
    /// Whether the scissor or window clips remove pixels of the surface.
    #[must_use]
    pub fn cuts_surface(&self) -> bool {
        self.clip != self.surface || self.window_clip.is_some()
    }

    /// Whether points are centered on their exact position, not on the center or corner of a pixel.
    #[must_use]
    pub const fn centers_points_exactly(&self) -> bool {
        self.point_sprite.enabled || self.has_exact_point_centers
    }
}

/// Comparison functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Compare {
    /// Never passes.
    Never = 0,
    /// Passes when the first value is less.
    Less = 1,
    /// Passes when both are equal.
    Equal = 2,
    /// Passes when the first value is less or equal.
    LessEqual = 3,
    /// Passes when the first value is greater.
    Greater = 4,
    /// Passes when they differ.
    NotEqual = 5,
    /// Passes when the first value is greater or equal.
    GreaterEqual = 6,
    /// Always passes.
    Always = 7,
}

impl Compare {
    /// Every comparison.
    pub const ALL: [Self; 8] = [
        Self::Never,
        Self::Less,
        Self::Equal,
        Self::LessEqual,
        Self::Greater,
        Self::NotEqual,
        Self::GreaterEqual,
        Self::Always,
    ];

    /// Whether the comparison of two values passes.
    #[must_use]
    pub const fn passes(self, first: u32, second: u32) -> bool {
        match self {
            Self::Never => false,
            Self::Less => first < second,
            Self::Equal => first == second,
            Self::LessEqual => first <= second,
            Self::Greater => first > second,
            Self::NotEqual => first != second,
            Self::GreaterEqual => first >= second,
            Self::Always => true,
        }
    }
}

/// Alpha test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlphaTest {
    /// Compares the fragment's alpha with `reference`.
    pub compare: Compare,
    /// What alpha is compared with.
    pub reference: AlphaReference,
}

/// The reference of an alpha test, in the representation in which values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlphaReference {
    /// A fraction of 8 bits, to which alpha is rounded.
    Byte(u8),
    /// The bits of a single float.
    Float(u32),
}

/// Depth test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthTest {
    /// Compares the fragment's depth with the stored one.
    pub compare: Compare,
    /// Whether passing fragments store their depth.
    pub writes: bool,
}

/// Operations on a stored stencil value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StencilOp {
    /// Leaves it.
    Keep = 0,
    /// Sets 0.
    Zero = 1,
    /// Sets the reference value.
    Replace = 2,
    /// Adds 1 up to 255.
    IncrementSaturate = 3,
    /// Subtracts 1 down to 0.
    DecrementSaturate = 4,
    /// Inverts all bits.
    Invert = 5,
    /// Adds 1 modulo 256.
    IncrementWrap = 6,
    /// Subtracts 1 modulo 256.
    DecrementWrap = 7,
}

/// Stencil test of one face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StencilFace {
    /// Compares (reference & mask) with (stored & mask).
    pub compare: Compare,
    /// The reference value.
    pub reference: u8,
    /// The mask of the comparison.
    pub compare_mask: u8,
    /// Bits that operations may write.
    pub write_mask: u8,
    /// Operation when the stencil test fails.
    pub fail: StencilOp,
    /// Operation when the depth test fails.
    pub depth_fail: StencilOp,
    /// Operation when both pass.
    pub pass: StencilOp,
}

/// Blend factors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BlendFactor {
    /// 0.
    Zero = 0,
    /// 1.
    One = 1,
    /// Source color.
    SourceColor = 2,
    /// 1 − source color.
    OneMinusSourceColor = 3,
    /// Source alpha.
    SourceAlpha = 4,
    /// 1 − source alpha.
    OneMinusSourceAlpha = 5,
    /// Destination alpha.
    DestinationAlpha = 6,
    /// 1 − destination alpha.
    OneMinusDestinationAlpha = 7,
    /// Destination color.
    DestinationColor = 8,
    /// 1 − destination color.
    OneMinusDestinationColor = 9,
    /// min(source alpha, 1 − destination alpha); 1 for alpha.
    SourceAlphaSaturate = 10,
    /// Constant color.
    ConstantColor = 11,
    /// 1 − constant color.
    OneMinusConstantColor = 12,
    /// Constant alpha.
    ConstantAlpha = 13,
    /// 1 − constant alpha.
    OneMinusConstantAlpha = 14,
    /// Color 1 of the fragment program, the second source.
    SecondColor = 15,
    /// 1 − second source.
    OneMinusSecondColor = 16,
    /// Alpha of the second source.
    SecondAlpha = 17,
    /// 1 − alpha of the second source.
    OneMinusSecondAlpha = 18,
}

impl BlendFactor {
    /// Whether it is computed from the second source.
    #[must_use]
    pub const fn reads_second(self) -> bool {
        matches!(self, Self::SecondColor | Self::OneMinusSecondColor | Self::SecondAlpha | Self::OneMinusSecondAlpha)
    }
}

/// Blend equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BlendEquation {
    /// Source + destination.
    Add = 0,
    /// Smaller of the two, without factors.
    Min = 1,
    /// Larger of the two, without factors.
    Max = 2,
    /// Source − destination.
    Subtract = 3,
    /// Destination − source.
    ReverseSubtract = 4,
    /// Destination − source; the source may be negative.
    ReverseSubtractSigned = 5,
    /// Source + destination; the source may be negative.
    AddSigned = 6,
    /// Source + destination; the destination may be negative.
    ReverseAddSigned = 7,
}

/// Blending of a target; first entry color, second alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Source factors.
    pub source: [BlendFactor; 2],
    /// Destination factors.
    pub destination: [BlendFactor; 2],
    /// Equations.
    pub equation: [BlendEquation; 2],
}

impl Blend {
    /// Whether it reads the second source.
    #[must_use]
    pub fn reads_second(&self) -> bool {
        self.source.iter().chain(&self.destination).any(|factor| factor.reads_second())
    }
}

/// Logic operations of source and destination bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LogicOp {
    /// 0.
    Clear = 0,
    /// Source and destination.
    And = 1,
    /// Source and not destination.
    AndReverse = 2,
    /// Source.
    Copy = 3,
    /// Not source, and destination.
    AndInverted = 4,
    /// Destination.
    NoOperation = 5,
    /// Source or destination, not both.
    Xor = 6,
    /// Source or destination.
    Or = 7,
    /// Neither.
    Nor = 8,
    /// Both or neither.
    Equivalent = 9,
    /// Not destination.
    Invert = 10,
    /// Source, or not destination.
    OrReverse = 11,
    /// Not source.
    CopyInverted = 12,
    /// Not source, or destination.
    OrInverted = 13,
    /// Not both.
    Nand = 14,
    /// 1.
    Set = 15,
}

impl LogicOp {
    /// Every operation, in the order of their numbers.
    pub const ALL: [Self; 16] = [
        Self::Clear,
        Self::And,
        Self::AndReverse,
        Self::Copy,
        Self::AndInverted,
        Self::NoOperation,
        Self::Xor,
        Self::Or,
        Self::Nor,
        Self::Equivalent,
        Self::Invert,
        Self::OrReverse,
        Self::CopyInverted,
        Self::OrInverted,
        Self::Nand,
        Self::Set,
    ];
}

/// Whether colors written to 16-bit targets are dithered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dither(pub bool);

/// State of the output merger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RopState {
    /// Alpha test; `None` when disabled.
    pub alpha_test: Option<AlphaTest>,
    /// Depth test; `None` when disabled (which also disables depth writes).
    pub depth_test: Option<DepthTest>,
    /// Depth bounds (min, max) as float bits, tested against the stored depth.
    pub depth_bounds: Option<(u32, u32)>,
    /// Stencil test of front and back faces; equal when one-sided.
    pub stencil: Option<[StencilFace; 2]>,
    /// Blending per target; `None` when disabled.
    pub blend: [Option<Blend>; MAX_COLOR_TARGETS],
    /// Blend color of integer targets: red, green, blue, alpha.
    pub blend_color: [u8; 4],
    /// Blend color of float targets, as bits of singles.
    pub float_blend_color: [u32; 4],
    /// Every target takes color 0 instead of the color of its number.
    pub broadcasts_first_color: bool,
    /// Logic operation; replaces blending.
    pub logic_op: Option<LogicOp>,
    /// Dithering.
    pub dither: Dither,
    /// Write mask per target: bit 0 red, 1 green, 2 blue, 3 alpha.
    pub color_mask: [u8; MAX_COLOR_TARGETS],
    /// Bit i: color i of the fragment program is clamped to 0..1 before tests and blending, except for integer targets.
    pub clamped_colors: u8,
    /// Encodes sRGB on color writes.
    pub srgb_write: bool,
    /// How samples are covered.
    pub multisample: MultisampleCoverage,
    /// Whether passing samples are counted.
    pub counts_samples: bool,
}

impl RopState {
    /// How the samples of multisampled targets are treated; `None` for targets of one sample.
    ///
    /// Without coverage per sample, only the sample mode has an effect (OpenGL 2.1, section 4.1.3).
    #[must_use]
    pub fn multisampling(&self, targets: &Targets) -> Option<Multisampling> {
        let mode = targets.samples;
        if mode == SampleMode::One {
            return None;
        }
        let MultisampleCoverage { is_enabled, alpha_to_coverage, alpha_to_one, sample_mask } = self.multisample;
        let all = u8::MAX >> (8 - mode.count());
        let [mask, _] = sample_mask.to_le_bytes();
        Some(Multisampling {
            mode,
            is_enabled,
            sample_mask: if is_enabled { mask & all } else { all },
            alpha_to_coverage: is_enabled && alpha_to_coverage,
            alpha_to_one: is_enabled && alpha_to_one,
        })
    }
}
