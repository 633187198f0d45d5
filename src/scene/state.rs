//! The state of a draw: what a scene may set for viewport, rasterizer and ROP.

use serde::Deserialize;

use super::text::{
    BlendEquation, BlendFactor, Compare, FogMode, FrontFace, LogicOperation, PolygonMode, ShadeModel, StencilOperation,
    Text,
};

/// Declares the state: optional fields, and how an inner state overrides an outer one.
macro_rules! state {
    ( $( $(#[$meta:meta])* $name:ident: $kind:ty, )* ) => {
        /// State of a draw; missing fields come from the pass, then from the defaults.
        #[derive(Debug, Clone, Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct State {
            $( $(#[$meta])* #[serde(default)] pub $name: Option<$kind>, )*
        }

        impl State {
            /// Combines this state with an outer one, which applies where this one has no value.
            #[must_use]
            pub fn inside(&self, outer: &Self) -> Self {
                Self { $( $name: self.$name.clone().or_else(|| outer.$name.clone()), )* }
            }
        }
    };
}

state! {
    /// Left, top, width and height of the area that −1 to 1 is mapped to; by default the whole target.
    viewport: (f32, f32, f32, f32),
    /// Window depths that near and far are mapped to; by default (0, 1).
    depth_range: (f32, f32),
    /// Whether primitives are clipped at near and far; true by default.
    depth_clip: bool,
    /// Whether depths are clamped to the depth range; false by default.
    depth_clamp: bool,
    /// User clip planes whose distances the vertex program writes.
    clip_planes: Vec<u8>,
    /// Left, top, width and height of the area to draw in.
    scissor: (u32, u32, u32, u32),
    /// Up to eight rectangles (left, top, width, height) to draw in.
    window_clip: Vec<(u32, u32, u32, u32)>,
    /// Whether to draw outside these rectangles instead.
    window_clip_outside: bool,

    /// Faces that are not drawn; NONE by default.
    cull: Cull,
    /// The winding of front faces as seen in the picture; CCW by default.
    front_face: FrontFace,
    /// Polygon mode of front faces.
    polygon_mode: PolygonMode,
    /// Polygon mode of back faces.
    back_polygon_mode: PolygonMode,
    /// Slope factor and units of depth added to polygons.
    polygon_offset: (f32, f32),
    /// Flat or smooth colors.
    shade_model: ShadeModel,
    /// Whether the first vertex determines the colors of a flat primitive.
    first_vertex: bool,
    /// Whether back faces use the back colors.
    two_sided: bool,
    /// Width of lines in pixels.
    line_width: f32,
    /// Smooth lines.
    line_smooth: bool,
    /// Pixels per bit, and sixteen bits, of a line's stipple.
    line_stipple: (u32, u32),
    /// Smooth polygon edges.
    polygon_smooth: bool,
    /// Thirty-two rows of a polygon's stipple, from above; the most significant bit is the leftmost pixel.
    polygon_stipple: Vec<u32>,
    /// Size of points in pixels, if the vertex program does not write it.
    point_size: f32,
    /// Texture coordinates that are replaced by the position within a point.
    point_sprite: Vec<u8>,
    /// Whether alpha determines coverage, whether it becomes one, and the sample mask.
    multisample: Multisampling,
    /// Mode and two parameters of the fog factor.
    fog: (FogMode, f32, f32),

    /// Alpha test: comparison and reference, 0 to 1.
    alpha_test: (Compare, f32),
    /// Depth test.
    depth: Depth,
    /// The least and greatest stored depth that passes.
    depth_bounds: (f32, f32),
    /// Stencil test of front faces, and of back faces too unless they have their own.
    stencil: Stencil,
    /// Stencil test of back faces.
    back_stencil: Stencil,
    /// Blending of all color surfaces.
    blend: Blend,
    /// Color surfaces that are blended; all by default.
    blend_surfaces: Vec<u8>,
    /// The constant color of blending.
    blend_color: (f32, f32, f32, f32),
    /// Logic operation.
    logic: LogicOperation,
    /// Whether colors are dithered; false by default.
    dither: bool,
    /// The written channels among r, g, b, a; one text for all surfaces, or one for each.
    color_mask: Vec<Text>,
    /// Whether colors are stored as sRGB.
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

impl Cull {
    /// OpenGL's number of the faces, which the chips take; that of the back if none is culled.
    pub(super) const fn face(self) -> u32 {
        match self {
            Self::None | Self::Back => 0x405,
            Self::Front => 0x404,
            Self::FrontAndBack => 0x408,
        }
    }
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
    /// Bits to compare.
    #[serde(default = "all_bits")]
    pub mask: u8,
    /// Bits to write.
    #[serde(default = "all_bits")]
    pub write_mask: u8,
    /// Operation if this test fails.
    #[serde(default = "keep")]
    pub fail: StencilOperation,
    /// Operation if the depth test fails.
    #[serde(default = "keep")]
    pub depth_fail: StencilOperation,
    /// Operation if both tests pass.
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

/// Blending: (source factor, destination factor) of colors and alpha, and their equations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blend {
    /// Factors of red, green and blue.
    pub color: (BlendFactor, BlendFactor),
    /// Factors of alpha; by default those of the colors.
    pub alpha: Option<(BlendFactor, BlendFactor)>,
    /// Equation of red, green and blue.
    #[serde(default = "add")]
    pub equation: BlendEquation,
    /// Equation of alpha; by default that of the colors.
    pub alpha_equation: Option<BlendEquation>,
}

fn add() -> BlendEquation {
    BlendEquation::named("ADD")
}

/// Multisampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multisampling {
    /// Whether primitives cover samples rather than pixels.
    #[serde(default = "yes")]
    pub enable: bool,
    /// Whether alpha determines how many samples are covered.
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
