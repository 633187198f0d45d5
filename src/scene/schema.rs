//! What a scene file says: targets, textures, meshes, programs and the passes of a frame.
//!
//! `docs/scenes.md` describes it for those who write scenes. Words in capitals are the names that the method tables and
//! `curie list` use.

use serde::Deserialize;

use super::state::State;
use super::text::{
    ColorFormat, Convolution, Entries, ImageFilter, IndexType, MagFilter, MinFilter, Multisample, Named, Primitive,
    ShadowCompare, SurfaceType, Text, TextureFormat, VertexType, Wrap, ZetaFormat,
};

/// A scene.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// Width and height of the picture in pixels.
    pub size: (u32, u32),
    /// Frames until the animation repeats.
    #[serde(default = "one")]
    pub frames: u32,
    /// Frames that one second has.
    #[serde(default = "thirty")]
    pub frames_per_second: f64,
    /// Named expressions.
    #[serde(default)]
    pub values: Named<Text>,
    /// Surfaces to draw into.
    pub targets: Named<Target>,
    /// Textures.
    #[serde(default)]
    pub textures: Named<Texture>,
    /// Meshes.
    #[serde(default)]
    pub meshes: Named<Mesh>,
    /// Vertex and fragment programs.
    #[serde(default)]
    pub programs: Named<Program>,
    /// What a frame consists of, in order.
    pub passes: Vec<Pass>,
    /// The target that is the picture; that of the last pass when left out.
    #[serde(default)]
    pub picture: Option<Text>,
}

const fn one() -> u32 {
    1
}

const fn thirty() -> f64 {
    30.0
}

/// Surfaces that are drawn into together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Width and height; those of the picture when left out.
    #[serde(default)]
    pub size: Option<(u32, u32)>,
    /// Divides the size.
    #[serde(default = "one")]
    pub divide: u32,
    /// Format of the colour surfaces.
    #[serde(default)]
    pub color: Option<ColorFormat>,
    /// How many colour surfaces, 1 to 4.
    #[serde(default = "one")]
    pub colors: u32,
    /// Format of the depth and stencil surface.
    #[serde(default)]
    pub zeta: Option<ZetaFormat>,
    /// Whether depth is a float.
    #[serde(default)]
    pub float_depth: bool,
    /// The order of pixels in memory.
    #[serde(default = "linear")]
    pub layout: SurfaceType,
    /// Samples of a pixel.
    #[serde(default = "single")]
    pub samples: Multisample,
}

fn linear() -> SurfaceType {
    SurfaceType::named("LINEAR")
}

fn single() -> Multisample {
    Multisample::named("X1")
}

/// One surface of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Surface {
    /// A colour surface, by number from 0.
    Color(u32),
    /// The depth and stencil surface.
    Zeta,
}

/// A texture: texels, how they are stored, and how a unit reads them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texture {
    /// Where the texels come from.
    pub image: Image,
    /// Their format; that of the surface for `Target` and A8R8G8B8 for others when left out.
    #[serde(default)]
    pub format: Option<TextureFormat>,
    /// Their order; swizzled where the sizes and the format allow it when left out.
    #[serde(default)]
    pub layout: Option<SurfaceType>,
    /// Whether there are smaller levels, each made from the one before.
    #[serde(default)]
    pub mipmaps: bool,
    /// Filter when made smaller.
    #[serde(default)]
    pub min: Option<MinFilter>,
    /// Filter when made larger.
    #[serde(default)]
    pub mag: Option<MagFilter>,
    /// Kernel of the convolution filters.
    #[serde(default)]
    pub kernel: Option<Convolution>,
    /// Largest anisotropy: 1, 2, 4, 6, 8, 10, 12 or 16.
    #[serde(default = "one")]
    pub anisotropy: u32,
    /// What lies beyond the edges, in the directions s, t, r.
    #[serde(default)]
    pub wrap: Option<(Wrap, Wrap, Wrap)>,
    /// Added to the level of detail.
    #[serde(default)]
    pub lod_bias: f64,
    /// Smallest and largest level of detail.
    #[serde(default)]
    pub lod: Option<(f64, f64)>,
    /// Comparison of the coordinate with depths, as reference OP texel.
    #[serde(default)]
    pub compare: Option<ShadowCompare>,
    /// Red, green, blue and alpha beyond the border.
    #[serde(default)]
    pub border: (f64, f64, f64, f64),
    /// Where red, green, blue and alpha come from: four of r, g, b, a, 0, 1.
    #[serde(default)]
    pub remap: Option<Text>,
    /// Whether red, green and blue are stored as sRGB.
    #[serde(default)]
    pub srgb: bool,
    /// Whether channels are signed bytes.
    #[serde(default)]
    pub signed: bool,
    /// Whether 0 to 1 is expanded to −1 to 1.
    #[serde(default)]
    pub expand: bool,
    /// Whether fragments with alpha 0 are discarded.
    #[serde(default)]
    pub alpha_kill: bool,
    /// Whether coordinates count texels.
    #[serde(default)]
    pub rectangle: bool,
}

/// Where texels come from.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Image {
    /// A PNG file in the scene's folder.
    File(Text),
    /// Six PNG files: the faces +x, −x, +y, −y, +z, −z of a cube.
    Faces(Vec<Text>),
    /// An expression of `u` (0 to 1).
    Line {
        /// Texels.
        size: u32,
        /// Their colour.
        color: Text,
    },
    /// An expression of `u` and `v`, from the upper left corner on.
    Formula {
        /// Width and height.
        size: (u32, u32),
        /// The colour of a texel.
        color: Text,
    },
    /// An expression of `u`, `v` and `w`.
    Volume {
        /// Width, height and depth.
        size: (u32, u32, u32),
        /// The colour of a texel.
        color: Text,
    },
    /// A cube map: an expression of `direction`.
    Cube {
        /// Width of a face.
        size: u32,
        /// The colour of a texel.
        color: Text,
    },
    /// The normals of a height field that repeats, as colours.
    NormalMap {
        /// Width and height.
        size: (u32, u32),
        /// The height at `u`, `v`.
        height: Text,
        /// How steep the heights are.
        strength: f64,
    },
    /// A surface of a target, read where it lies.
    Target(Text, Surface),
}

/// Vertices and what joins them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// The shape.
    pub shape: Shape,
    /// What each attribute of the vertex program holds, by number.
    #[serde(default)]
    pub attributes: Option<Entries<u8, Attribute>>,
    /// Applied to positions, normals and tangents.
    #[serde(default)]
    pub transform: Option<Text>,
    /// Type of the indices; the shorter that suffices when left out.
    #[serde(default)]
    pub indices: Option<IndexType>,
}

/// A shape. Where a shape has segments, more of them are finer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// The whole target: x and y from −1 to 1 at z = 0.
    Screen,
    /// A rectangle at y = 0 that looks up, centred.
    Plane {
        /// Width (x) and depth (z).
        size: (f64, f64),
        /// Cells in x and z.
        #[serde(default = "one_by_one")]
        segments: (u32, u32),
    },
    /// A cube, centred.
    Cube {
        /// Length of an edge.
        size: f64,
    },
    /// A sphere, centred.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Cells around and from pole to pole.
        segments: (u32, u32),
    },
    /// A ring about the y axis.
    Torus {
        /// Radius of the ring.
        radius: f64,
        /// Radius of the tube.
        tube: f64,
        /// Cells around the ring and around the tube.
        segments: (u32, u32),
    },
    /// A knot on a torus.
    Knot {
        /// Turns about the axis, and turns about the ring.
        turns: (u32, u32),
        /// Radius of the torus's ring.
        radius: f64,
        /// Radius of the tube.
        tube: f64,
        /// Cells along the tube and around it.
        segments: (u32, u32),
    },
    /// A surface of revolution about the y axis.
    Lathe {
        /// Radius and height of each ring, from the bottom up.
        profile: Vec<(f64, f64)>,
        /// Cells around.
        segments: u32,
    },
    /// Several meshes in one.
    Join(Vec<Text>),
    /// Vertices without indices; their attributes are formulas.
    Vertices {
        /// How many.
        count: u32,
        /// What they form.
        primitive: Primitive,
    },
    /// A mesh file in the scene's folder.
    File(Text),
}

const fn one_by_one() -> (u32, u32) {
    (1, 1)
}

/// What an attribute holds and how it is stored.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Where its values come from.
    pub from: AttributeSource,
    /// Type of its components.
    #[serde(default = "float")]
    pub format: VertexType,
    /// How many components; as many as the source has when left out.
    #[serde(default)]
    pub size: Option<u32>,
}

fn float() -> VertexType {
    VertexType::named("F32")
}

/// Where an attribute's values come from.
#[derive(Debug, Clone, Deserialize)]
pub enum AttributeSource {
    /// The shape's position, three components.
    Position,
    /// The shape's normal, three components.
    Normal,
    /// The direction in which the first texture coordinate grows, three components.
    Tangent,
    /// The shape's texture coordinates, two components.
    Coordinate,
    /// An expression of `vertex` (the number), `position`, `normal`, `tangent` and `coordinate`.
    Formula(Text),
}

/// A program and the constants that it is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its file in the scene's folder: assembly, or microcode in hexadecimal.
    pub file: Text,
    /// Expressions for its parameters, by name; a matrix fills four.
    #[serde(default)]
    pub constants: Named<Text>,
    /// `FP_CONTROL` of a fragment program in microcode.
    #[serde(default)]
    pub control: Option<u32>,
}

/// One step of a frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pass {
    /// Clears and draws.
    Render(Box<Render>),
    /// Copies a colour surface into another, scaled to its size: the way in which samples become pixels.
    Resolve {
        /// The target to read.
        from: Text,
        /// The target to write.
        to: Text,
        /// The filter.
        #[serde(default = "bilinear")]
        filter: ImageFilter,
    },
    /// Copies the bytes of a surface.
    Copy {
        /// The target to read, and which of its surfaces.
        from: (Text, Surface),
        /// The target to write, and which of its surfaces.
        to: (Text, Surface),
    },
}

fn bilinear() -> ImageFilter {
    ImageFilter::named("BILINEAR")
}

/// Clears and draws into one target.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Render {
    /// The target.
    pub target: Text,
    /// What to clear before drawing.
    #[serde(default)]
    pub clear: Option<Clear>,
    /// Named expressions for the draws of this pass.
    #[serde(default)]
    pub values: Named<Text>,
    /// State of all its draws.
    #[serde(default)]
    pub state: State,
    /// What is drawn.
    #[serde(default)]
    pub draws: Vec<Draw>,
}

/// What to clear, and to what.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clear {
    /// Red, green, blue and alpha of the colour surfaces.
    #[serde(default)]
    pub color: Option<(f64, f64, f64, f64)>,
    /// Depth, 0 to 1.
    #[serde(default)]
    pub depth: Option<f64>,
    /// Stencil, 0 to 255.
    #[serde(default)]
    pub stencil: Option<u8>,
}

/// A mesh drawn with two programs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The mesh.
    pub mesh: Text,
    /// The vertex program.
    pub vertex: Text,
    /// The fragment program.
    pub fragment: Text,
    /// Textures by unit.
    #[serde(default)]
    pub textures: Entries<u8, Text>,
    /// Textures of the vertex program by unit.
    #[serde(default)]
    pub vertex_textures: Entries<u8, Text>,
    /// Named expressions.
    #[serde(default)]
    pub values: Named<Text>,
    /// Constants of both programs; they win over those of the programs.
    #[serde(default)]
    pub constants: Named<Text>,
    /// State; it wins over the pass's.
    #[serde(default)]
    pub state: State,
    /// Draws this many times, with `index` counting from 0.
    #[serde(default = "one")]
    pub repeat: u32,
    /// Draws many instances at once.
    #[serde(default)]
    pub instances: Option<Instances>,
    /// Counts the samples that pass, under this name.
    #[serde(default)]
    pub count: Option<Text>,
    /// Draws only if samples passed in the draw that counted under this name.
    #[serde(default)]
    pub only_if: Option<Text>,
}

/// Instances by frequency dividers: attributes that advance once per instance.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instances {
    /// How many.
    pub count: u32,
    /// Attributes by number; their expressions depend on `instance`.
    pub attributes: Entries<u8, InstanceAttribute>,
}

/// An attribute that every instance has once.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceAttribute {
    /// An expression of `instance`.
    pub from: Text,
    /// Type of its components.
    #[serde(default = "float")]
    pub format: VertexType,
    /// How many components; as many as the expression gives when left out.
    #[serde(default)]
    pub size: Option<u32>,
}
