//! Formats of texels, surfaces and vertex attributes: one table each, with their codes, sizes and names.

mod attribute;
mod component_kind;
mod depth;
mod image;
mod pixel;
mod samples;
mod shown;
pub mod srgb;
pub mod srgb_decode;
mod surface;
mod tesla_vertex;
pub mod texel;
mod texture;
mod vertex;
mod vertex_decode;

pub use attribute::AttributeFormat;
pub use component_kind::ComponentKind;
pub use depth::DepthStorage;
pub use image::{ImageFormat, ImageFormatRow};
pub use samples::{MAX_SAMPLES, Sample, SampleMode, SampleRow};
pub use shown::ShownFields;
pub use surface::{Channels, ColorFormat, MAX_COLOR_TARGETS, PixelStorage, SurfaceFormat, ZetaFormat, ZetaStorage};
pub use tesla_vertex::{TeslaVertexFormat, TeslaVertexKind, TeslaVertexSizes};
pub use texture::{Components, PackedComponents, TexelStorage, TextureFormat, signed, signed_clamped};
pub use vertex::VertexFormat;
pub use vertex_decode::{MISSING_COMPONENTS, decode_element, element_bytes, snorm16_to_float, unorm8_to_float};

/// Declares an enum of hardware formats from rows `Variant = code "NAME" bytes`.
macro_rules! formats {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( #[doc = $doc:literal] $variant:ident = $code:literal $label:literal $bytes:literal; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum $name {
            $( #[doc = $doc] $variant = $code, )*
        }

        impl $name {
            /// Every format, in code order.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// Finds the format with this code; `None` if the code is unused.
            #[must_use]
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$variant), )*
                    _ => None,
                }
            }

            /// The number in the format field.
            #[must_use]
            pub const fn code(self) -> u32 {
                self as u32
            }

            /// The documented name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $label, )*
                }
            }

            /// Bytes per element: per texel, per 4×4 block if compressed, per component or element of a vertex attribute.
            #[must_use]
            pub const fn bytes(self) -> u32 {
                match self {
                    $( Self::$variant => $bytes, )*
                }
            }
        }
    };
}
pub(crate) use formats;
