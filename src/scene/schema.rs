//! Defines scene files: targets, textures, meshes, programs and the passes of a frame.
//!
//! `docs/scenes.md` describes them for authors. Names in capitals are those of the method tables and `curie list`.

use serde::Deserialize;

use super::state::State;
use super::text::{
    ColorFormat, Convolution, Entries, ImageFilter, IndexType, MagFilter, MinFilter, Named, Primitive, Samples,
    ShadowCompare, SurfaceType, Text, TextureFormat, VertexType, Wrap, ZetaFormat,
};
use crate::pipeline::SampleMode;

/// A scene.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// The display name.
    #[serde(default)]
    pub title: String,
    /// The chip that draws it, by NVIDIA's name or by chipset number; by default NV40.
    pub chipset: Option<Text>,
    /// Width and height of the picture in pixels.
    pub size: (u32, u32),
    /// Frames until the animation repeats.
    #[serde(default = "one")]
    pub frames: u32,
    /// Frames per second.
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
    /// Vertex, geometry and fragment programs.
    #[serde(default)]
    pub programs: Named<Program>,
    /// The steps of a frame, in order.
    pub passes: Vec<Pass>,
    /// The target of the picture; by default that of the last pass.
    pub picture: Option<Text>,
}

const fn one() -> u32 {
    1
}

const fn thirty() -> f64 {
    30.0
}

/// Surfaces that are drawn to together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Width and height; by default those of the picture.
    pub size: Option<(u32, u32)>,
    /// Divisor of the size.
    #[serde(default = "one")]
    pub divide: u32,
    /// Format of the color surfaces.
    pub color: Option<ColorFormat>,
    /// Number of color surfaces, 1 to 4.
    #[serde(default = "one")]
    pub colors: u32,
    /// Format of the depth and stencil surface.
    pub zeta: Option<ZetaFormat>,
    /// Whether depth is a float.
    #[serde(default)]
    pub float_depth: bool,
    /// The order of pixels in memory; by default that which the chip's driver takes.
    pub layout: Option<SurfaceType>,
    /// Samples per pixel.
    #[serde(default = "single")]
    pub samples: Samples,
}

const fn single() -> Samples {
    Samples(SampleMode::One)
}

/// One surface of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Surface {
    /// A color surface, by number from 0.
    Color(u32),
    /// The depth and stencil surface.
    Zeta,
}

/// A texture: its texels, their storage, and how a unit reads them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texture {
    /// The source of the texels.
    pub image: Image,
    /// Their format; by default that of the surface for `Target`, and A8R8G8B8 for others.
    pub format: Option<TextureFormat>,
    /// Their order; by default swizzled if the sizes and the format allow it.
    pub layout: Option<SurfaceType>,
    /// Whether there are smaller levels, each made from the previous one.
    #[serde(default)]
    pub mipmaps: bool,
    /// Minification filter.
    pub min: Option<MinFilter>,
    /// Magnification filter.
    pub mag: Option<MagFilter>,
    /// Kernel of the convolution filters.
    pub kernel: Option<Convolution>,
    /// The greatest anisotropy: 1, 2, 4, 6, 8, 10, 12 or 16.
    #[serde(default = "one")]
    pub anisotropy: u32,
    /// Wrap modes in the directions s, t, r.
    pub wrap: Option<(Wrap, Wrap, Wrap)>,
    /// Added to the level of detail.
    #[serde(default)]
    pub lod_bias: f64,
    /// The least and greatest level of detail.
    pub lod: Option<(f64, f64)>,
    /// Comparison of the coordinate with depths, as reference OP texel.
    pub compare: Option<ShadowCompare>,
    /// Red, green, blue and alpha of the border.
    #[serde(default)]
    pub border: (f64, f64, f64, f64),
    /// Sources of red, green, blue and alpha: four of r, g, b, a, 0, 1.
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

/// The source of texels.
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
        /// Their color.
        color: Text,
    },
    /// An expression of `u` and `v`, starting at the upper left corner.
    Formula {
        /// Width and height.
        size: (u32, u32),
        /// The color of a texel.
        color: Text,
    },
    /// An expression of `u`, `v` and `w`.
    Volume {
        /// Width, height and depth.
        size: (u32, u32, u32),
        /// The color of a texel.
        color: Text,
    },
    /// A cube map: an expression of `direction`.
    Cube {
        /// Width of a face.
        size: u32,
        /// The color of a texel.
        color: Text,
    },
    /// The normals of a repeating height field, as colors.
    NormalMap {
        /// Width and height.
        size: (u32, u32),
        /// The height at `u`, `v`.
        height: Text,
        /// Factor of the heights.
        strength: f64,
    },
    /// A surface of a target, read in place.
    Target(Text, Surface),
}

/// Vertices and their connections.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// The shape.
    pub shape: Shape,
    /// The contents of each vertex program attribute, by number.
    pub attributes: Option<Entries<u8, Attribute>>,
    /// Applied to positions, normals and tangents.
    pub transform: Option<Text>,
    /// Type of the indices; by default the shorter one that suffices.
    pub indices: Option<IndexType>,
}

/// A shape. Shapes with more segments are finer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// The whole target: x and y from −1 to 1 at z = 0.
    Screen,
    /// A centered rectangle at y = 0 that faces up.
    Plane {
        /// Width (x) and depth (z).
        size: (f64, f64),
        /// Cells in x and z.
        #[serde(default = "one_by_one")]
        segments: (u32, u32),
    },
    /// A cube, centered.
    Cube {
        /// Length of an edge.
        size: f64,
    },
    /// A sphere, centered.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Cells around, and from pole to pole.
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
    /// Several meshes joined into one.
    Join(Vec<Text>),
    /// Vertices without indices; their attributes are formulas.
    Vertices {
        /// The number of vertices.
        count: u32,
        /// The type of primitive.
        primitive: Primitive,
    },
    /// A mesh file in the scene's folder.
    File(Text),
}

const fn one_by_one() -> (u32, u32) {
    (1, 1)
}

/// The contents of an attribute, and their storage.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// The source of its values.
    pub from: AttributeSource,
    /// Type of its components.
    #[serde(default = "float")]
    pub format: VertexType,
    /// Number of components; by default that of the source.
    pub size: Option<u32>,
}

fn float() -> VertexType {
    VertexType::named("F32")
}

/// The source of an attribute's values.
#[derive(Debug, Clone, Deserialize)]
pub enum AttributeSource {
    /// The shape's position, three components.
    Position,
    /// The shape's normal, three components.
    Normal,
    /// The direction in which the first texture coordinate increases, three components.
    Tangent,
    /// The shape's texture coordinates, two components.
    Coordinate,
    /// An expression of `vertex` (the number), `position`, `normal`, `tangent` and `coordinate`.
    Formula(Text),
}

/// A program and its constants.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Its file in the scene's folder: assembly, or microcode in hexadecimal.
    pub file: Text,
    /// The machine whose vertex processor runs it; by default one of the instruction set that the file's first line
    /// names, or else of NV40.
    pub machine: Option<Text>,
    /// Expressions for its parameters, by name; a matrix fills four.
    #[serde(default)]
    pub constants: Named<Text>,
    /// `FP_CONTROL` of a fragment program in microcode.
    pub control: Option<u32>,
    /// The name of the program, if its file holds several.
    pub entry: Option<Text>,
    /// What a geometry program emits.
    pub emits: Option<Emits>,
    /// Where in `o[]` a program of the GeForce 8 writes the size of a point, in bytes.
    pub point_size: Option<u32>,
    /// The same of the distance from user clip plane 0; those of the others follow.
    pub clip_distances: Option<u32>,
    /// Whether a fragment program of the GeForce 8 leaves the depth in the register behind its colors.
    #[serde(default)]
    pub depth: bool,
}

/// What a geometry program emits.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emits {
    /// The type of its primitives: points or strips.
    pub primitive: Primitive,
    /// The most vertices for each primitive that it takes.
    pub vertices: u32,
}

/// One step of a frame.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pass {
    /// Clears and draws.
    Render(Box<Render>),
    /// Replaces the vertices of a mesh.
    Stream(Box<Stream>),
    /// Copies a color surface to another, scaled to its size; this resolves samples to pixels.
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

/// Replaces the vertices of a mesh by what a vertex program makes of them (stream output). Every frame begins with the mesh
/// as it is described.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// The mesh: points whose attributes are floats.
    pub mesh: Text,
    /// The program: word n that it writes becomes word n of the vertex.
    pub vertex: Text,
    /// How many times; `index` counts them from 0.
    pub times: Option<Text>,
    /// Named expressions.
    #[serde(default)]
    pub values: Named<Text>,
    /// Constants of the program; they override its own.
    #[serde(default)]
    pub constants: Named<Text>,
}

/// Clears and draws to one target.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Render {
    /// The target.
    pub target: Text,
    /// What to clear before drawing.
    pub clear: Option<Clear>,
    /// Named expressions for the draws of this pass.
    #[serde(default)]
    pub values: Named<Text>,
    /// State of all its draws.
    #[serde(default)]
    pub state: State,
    /// The draws.
    #[serde(default)]
    pub draws: Vec<Draw>,
}

/// The surfaces to clear, and their values.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clear {
    /// Red, green, blue and alpha of the color surfaces.
    pub color: Option<(f64, f64, f64, f64)>,
    /// Depth, 0 to 1.
    pub depth: Option<f64>,
    /// Stencil, 0 to 255.
    pub stencil: Option<u8>,
}

/// A mesh drawn with a vertex and a fragment program, and perhaps a geometry program between them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// The mesh.
    pub mesh: Text,
    /// The vertex program.
    pub vertex: Text,
    /// The geometry program.
    pub geometry: Option<Text>,
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
    /// Constants of both programs; they override those of the programs.
    #[serde(default)]
    pub constants: Named<Text>,
    /// State; it overrides the pass's.
    #[serde(default)]
    pub state: State,
    /// Number of times to draw, with `index` counting from 0.
    #[serde(default = "one")]
    pub repeat: u32,
    /// Draws many instances at once.
    pub instances: Option<Instances>,
    /// Counts the passing samples under this name.
    pub count: Option<Text>,
    /// Draws only if samples passed in the draw that counted under this name.
    pub only_if: Option<Text>,
}

/// Instances by frequency dividers: attributes that advance once per instance.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Instances {
    /// The number of instances.
    pub count: u32,
    /// Attributes by number; their expressions depend on `instance`.
    pub attributes: Entries<u8, InstanceAttribute>,
}

/// An attribute with one value per instance.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceAttribute {
    /// An expression of `instance`.
    pub from: Text,
    /// Type of its components.
    #[serde(default = "float")]
    pub format: VertexType,
    /// Number of components; by default that of the expression.
    pub size: Option<u32>,
}
