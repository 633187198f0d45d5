//! The state of a draw, in plain names: what a scene may say about viewport, rasteriser and output merger.

use serde::Deserialize;

use super::text::{
    BlendEquation, BlendFactor, Compare, FogMode, FrontFace, LogicOperation, PolygonMode, ShadeModel, StencilOperation,
    Text,
};

/// Declares the state: fields that may be left out, and how an inner state wins over an outer one.
macro_rules! state {
    ( $( $(#[$meta:meta])* $name:ident: $kind:ty, )* ) => {
        /// State of a draw; what is left out comes from the pass, then from the defaults.
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct State {
            $( $(#[$meta])* #[serde(default)] pub $name: Option<$kind>, )*
        }

        impl State {
            /// This state where it says something, else the outer one.
            #[must_use]
            pub fn inside(&self, outer: &Self) -> Self {
                Self { $( $name: self.$name.clone().or_else(|| outer.$name.clone()), )* }
            }
        }
    };
}

state! {
    /// Left, top, width and height that −1 to 1 is mapped to; the whole target by default.
    viewport: (f32, f32, f32, f32),
    /// Window depths that near and far are mapped to; (0, 1) by default.
    depth_range: (f32, f32),
    /// Whether primitives are clipped at near and far; true by default.
    depth_clip: bool,
    /// Whether depths are clamped to the depth range; false by default.
    depth_clamp: bool,
    /// User clip planes whose distances the vertex program writes.
    clip_planes: Vec<u8>,
    /// Left, top, width and height outside of which nothing is drawn.
    scissor: (u32, u32, u32, u32),
    /// Up to eight rectangles (left, top, width, height) inside of which is drawn.
    window_clip: Vec<(u32, u32, u32, u32)>,
    /// Whether is drawn outside of them instead.
    window_clip_outside: bool,

    /// Faces that are not drawn; NONE by default.
    cull: Cull,
    /// The winding of front faces as seen in the picture; CCW by default.
    front_face: FrontFace,
    /// How front faces are drawn.
    polygon_mode: PolygonMode,
    /// How back faces are drawn.
    back_polygon_mode: PolygonMode,
    /// Slope factor and units of depth that are added to polygons.
    polygon_offset: (f32, f32),
    /// Flat or smooth colours.
    shade_model: ShadeModel,
    /// Whether the first vertex gives the colours of a flat primitive.
    first_vertex: bool,
    /// Whether back faces take the colours of back faces.
    two_sided: bool,
    /// Width of lines in pixels.
    line_width: f32,
    /// Smooth lines.
    line_smooth: bool,
    /// Pixels per bit, and sixteen bits, of a line's stipple.
    line_stipple: (u32, u32),
    /// Smooth edges of polygons.
    polygon_smooth: bool,
    /// Thirty-two rows of a polygon's stipple.
    polygon_stipple: Vec<u32>,
    /// Size of points in pixels, where the vertex program gives none.
    point_size: f32,
    /// Texture coordinates that are replaced by the position in a point.
    point_sprite: Vec<u8>,
    /// Alpha decides which samples are covered, becomes one, and the samples that may be written.
    multisample: Multisampling,
    /// Mode and two parameters of the fog factor.
    fog: (FogMode, f32, f32),

    /// Alpha test: comparison and reference, 0 to 1.
    alpha_test: (Compare, f32),
    /// Depth test.
    depth: Depth,
    /// Smallest and largest stored depth at which is drawn.
    depth_bounds: (f32, f32),
    /// Stencil test of front faces, and of back faces too unless they have their own.
    stencil: Stencil,
    /// Stencil test of back faces.
    back_stencil: Stencil,
    /// Blending of all colour surfaces.
    blend: Blend,
    /// Colour surfaces that are blended; all by default.
    blend_surfaces: Vec<u8>,
    /// The constant colour of blending.
    blend_color: (f32, f32, f32, f32),
    /// Logic operation.
    logic: LogicOperation,
    /// Whether colours are dithered; false by default.
    dither: bool,
    /// Letters r, g, b, a that are written; one text for all surfaces, or one for each.
    color_mask: Vec<Text>,
    /// Whether colours are stored as sRGB.
    srgb: bool,
}

/// Faces that are not drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Cull {
    /// All are drawn.
    #[serde(rename = "NONE")]
    None,
    /// Front faces.
    #[serde(rename = "FRONT")]
    Front,
    /// Back faces.
    #[serde(rename = "BACK")]
    Back,
    /// All faces; points and lines are drawn.
    #[serde(rename = "FRONT_AND_BACK")]
    FrontAndBack,
}

/// Depth test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Depth {
    /// The comparison of the new depth with the stored one.
    pub test: Compare,
    /// Whether the new depth is stored.
    #[serde(default = "yes")]
    pub write: bool,
}

const fn yes() -> bool {
    true
}

/// Stencil test of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stencil {
    /// The comparison of the reference with the stored value.
    #[serde(default = "always")]
    pub test: Compare,
    /// The reference.
    #[serde(default)]
    pub reference: u8,
    /// Bits that are compared.
    #[serde(default = "all_bits")]
    pub mask: u8,
    /// Bits that are written.
    #[serde(default = "all_bits")]
    pub write_mask: u8,
    /// What happens when this test fails.
    #[serde(default = "keep")]
    pub fail: StencilOperation,
    /// What happens when the depth test fails.
    #[serde(default = "keep")]
    pub depth_fail: StencilOperation,
    /// What happens when both tests pass.
    #[serde(default = "keep")]
    pub pass: StencilOperation,
}

fn always() -> Compare {
    Compare::named("ALWAYS")
}

const fn all_bits() -> u8 {
    0xff
}

fn keep() -> StencilOperation {
    StencilOperation::named("KEEP")
}

/// Blending: (source factor, destination factor) of colours and alpha, and their equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// Factors of red, green and blue.
    pub color: (BlendFactor, BlendFactor),
    /// Factors of alpha; those of the colours when left out.
    #[serde(default)]
    pub alpha: Option<(BlendFactor, BlendFactor)>,
    /// Equation of red, green and blue.
    #[serde(default = "add")]
    pub equation: BlendEquation,
    /// Equation of alpha; that of the colours when left out.
    #[serde(default)]
    pub alpha_equation: Option<BlendEquation>,
}

fn add() -> BlendEquation {
    BlendEquation::named("ADD")
}

/// What samples are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multisampling {
    /// Whether primitives cover samples rather than pixels.
    #[serde(default = "yes")]
    pub enable: bool,
    /// Whether alpha decides how many samples are covered.
    #[serde(default)]
    pub alpha_to_coverage: bool,
    /// Whether alpha becomes one.
    #[serde(default)]
    pub alpha_to_one: bool,
    /// Samples that may be written.
    #[serde(default = "all_samples")]
    pub mask: u32,
}

const fn all_samples() -> u32 {
    0xffff
}
