//! Values of enumerated fields of the generation's methods, and their names.
//!
//! Source: envytools `rnndb/graph/g80_3d.xml`, `g80_2d.xml`, `nv_3ddefs.xml` and `rnndb/g80_defs.xml`. Values that the
//! earlier chips have too are in the [common lists](crate::command::methods::enums).

use crate::command::methods::enums::Names;
use crate::format::{ColorFormat, TeslaVertexSizes, ZetaFormat};

/// A list of all formats of a type with this function for codes.
macro_rules! coded {
    ($type:ident, $code:ident) => {{
        const COUNT: usize = {
            let (mut count, mut number) = (0, 0);
            while number < $type::ALL.len() {
                count += $type::ALL[number].$code().is_some() as usize;
                number += 1;
            }
            count
        };
        const ROWS: [(u32, &str); COUNT] = {
            let mut rows = [(0, ""); COUNT];
            let (mut count, mut number) = (0, 0);
            while number < $type::ALL.len() {
                if let Some(code) = $type::ALL[number].$code() {
                    rows[count] = (code, $type::ALL[number].name());
                    count += 1;
                }
                number += 1;
            }
            rows
        };
        &ROWS
    }};
}

/// Formats of colors in targets and images.
pub const COLOR_FORMAT: Names = coded!(ColorFormat, tesla_code);

/// Formats of depth and stencil surfaces.
pub const ZETA_FORMAT: Names = coded!(ZetaFormat, tesla_code);

/// Sizes of the components of vertex attributes.
pub const ATTRIBUTE_SIZES: Names = {
    const ROWS: [(u32, &str); TeslaVertexSizes::ALL.len()] = {
        let mut rows = [(0, ""); TeslaVertexSizes::ALL.len()];
        let mut number = 0;
        while number < rows.len() {
            rows[number] = (TeslaVertexSizes::ALL[number].code(), TeslaVertexSizes::ALL[number].name());
            number += 1;
        }
        rows
    };
    &ROWS
};

/// Kinds of the components of vertex attributes.
pub const ATTRIBUTE_KIND: Names = &[
    (0x09, "SNORM"),
    (0x12, "UNORM"),
    (0x1b, "SINT"),
    (0x24, "UINT"),
    (0x2d, "USCALED"),
    (0x36, "SSCALED"),
    (0x3f, "FLOAT"),
];

/// Comparison functions.
pub const COMPARE: Names = &[
    (0x200, "NEVER"),
    (0x201, "LESS"),
    (0x202, "EQUAL"),
    (0x203, "LEQUAL"),
    (0x204, "GREATER"),
    (0x205, "NOTEQUAL"),
    (0x206, "GEQUAL"),
    (0x207, "ALWAYS"),
];

/// Blend factors.
pub const BLEND_FACTOR: Names = &[
    (0x4000, "ZERO"),
    (0x4001, "ONE"),
    (0x4300, "SRC_COLOR"),
    (0x4301, "ONE_MINUS_SRC_COLOR"),
    (0x4302, "SRC_ALPHA"),
    (0x4303, "ONE_MINUS_SRC_ALPHA"),
    (0x4304, "DST_ALPHA"),
    (0x4305, "ONE_MINUS_DST_ALPHA"),
    (0x4306, "DST_COLOR"),
    (0x4307, "ONE_MINUS_DST_COLOR"),
    (0x4308, "SRC_ALPHA_SATURATE"),
    (0xc001, "CONST_COLOR"),
    (0xc002, "ONE_MINUS_CONST_COLOR"),
    (0xc003, "CONST_ALPHA"),
    (0xc004, "ONE_MINUS_CONST_ALPHA"),
    (0xc900, "SRC1_COLOR"),
    (0xc901, "ONE_MINUS_SRC1_COLOR"),
    (0xc902, "SRC1_ALPHA"),
    (0xc903, "ONE_MINUS_SRC1_ALPHA"),
];

/// Blend equations.
pub const BLEND_EQUATION: Names =
    &[(0x8006, "ADD"), (0x8007, "MIN"), (0x8008, "MAX"), (0x800a, "SUBTRACT"), (0x800b, "REVERSE_SUBTRACT")];

/// Polygon modes of Direct3D.
pub const FILL_MODE: Names = &[(1, "POINT"), (2, "WIREFRAME"), (3, "SOLID")];

/// Faces to cull in Direct3D.
pub const CULL_MODE: Names = &[(1, "NONE"), (2, "FRONT"), (3, "BACK")];

/// Conditions of draws, clears and copies.
pub const CONDITION: Names = &[(0, "NEVER"), (1, "ALWAYS"), (2, "RES_NON_ZERO"), (3, "EQUAL"), (4, "NOT_EQUAL")];

/// Samples of a pixel; those behind `CS` are of coverage alone.
pub const SAMPLES: Names = &[
    (0, "MS1"),
    (1, "MS2"),
    (2, "MS4"),
    (3, "MS8"),
    (4, "MS8_D3D"),
    (5, "MS2_D3D"),
    (8, "MS4_CS4"),
    (9, "MS4_CS12"),
    (10, "MS8_CS8"),
];

/// Primitive types.
pub const PRIMITIVE: Names = &[
    (0, "POINTS"),
    (1, "LINES"),
    (2, "LINE_LOOP"),
    (3, "LINE_STRIP"),
    (4, "TRIANGLES"),
    (5, "TRIANGLE_STRIP"),
    (6, "TRIANGLE_FAN"),
    (7, "QUADS"),
    (8, "QUAD_STRIP"),
    (9, "POLYGON"),
    (10, "LINES_ADJACENCY"),
    (11, "LINE_STRIP_ADJACENCY"),
    (12, "TRIANGLES_ADJACENCY"),
    (13, "TRIANGLE_STRIP_ADJACENCY"),
];

/// Primitive types of Direct3D.
pub const PRIMITIVE_D3D: Names = &[
    (1, "POINTS"),
    (2, "LINES"),
    (3, "LINE_STRIP"),
    (4, "TRIANGLES"),
    (5, "TRIANGLE_STRIP"),
    (10, "LINES_ADJACENCY"),
    (11, "LINE_STRIP_ADJACENCY"),
    (12, "TRIANGLES_ADJACENCY"),
    (13, "TRIANGLE_STRIP_ADJACENCY"),
];

/// Primitive types that geometry programs emit.
pub const EMITTED_PRIMITIVE: Names = &[(1, "POINTS"), (2, "LINE_STRIP"), (3, "TRIANGLE_STRIP")];

/// Which pixels window clip rectangles keep.
pub const CLIP_RECTS: Names = &[(0, "INSIDE_ANY"), (1, "OUTSIDE_ALL"), (2, "NEVER")];

/// Whether a distance cuts primitives or drops them whole.
pub const CLIP_DISTANCE: Names = &[(0, "CLIP"), (1, "CULL")];

/// What limits clears.
pub const CLEAR_RECT: Names = &[(0, "SCISSOR"), (1, "VIEWPORT")];

/// Rules of points.
pub const POINT_RULES: Names = &[(0, "OGL"), (1, "D3D")];

/// Where the vertical coordinate of sprites is zero.
pub const SPRITE_ORIGIN: Names = &[(0, "LOWER_LEFT"), (1, "UPPER_LEFT")];

/// How wide smooth lines are blurred.
pub const LINE_BLUR: Names = &[(0, "LOW"), (1, "MEDIUM"), (2, "HIGH")];

/// Kinds of programs that see constant buffers.
pub const PROGRAM: Names = &[(0, "VERTEX"), (2, "GEOMETRY"), (3, "FRAGMENT")];

/// Counters to reset.
pub const COUNTER: Names = &[
    (1, "SAMPLECNT"),
    (2, "ZCULL_STATS"),
    (8, "STRMOUT_VERTICES"),
    (0x10, "TRANSFORM_FEEDBACK"),
    (0x11, "GENERATED_PRIMITIVES"),
    (0x12, "VFETCH_VERTICES"),
    (0x13, "VFETCH_PRIMITIVES"),
    (0x15, "VP_LAUNCHES"),
    (0x1a, "GP_LAUNCHES"),
    (0x1b, "GP_PRIMITIVES_OUT"),
    (0x1c, "RAST_PRIMITIVES_PRECLIP"),
    (0x1d, "RAST_PRIMITIVES_POSTCLIP"),
    (0x1e, "FP_PIXELS"),
];

/// Units that write reports.
pub const REPORT_UNIT: Names = &[
    (0, "UNK00"),
    (1, "VFETCH"),
    (2, "VP"),
    (4, "RAST"),
    (5, "STRMOUT"),
    (6, "GP"),
    (7, "ZCULL"),
    (10, "PROP"),
    (12, "UNK0C"),
    (15, "CROP"),
];

/// Operations of the 2D class.
pub const OPERATION: Names = &[
    (0, "SRCCOPY_AND"),
    (1, "ROP_AND"),
    (2, "BLEND"),
    (3, "SRCCOPY"),
    (4, "ROP"),
    (5, "SRCCOPY_PREMULT"),
    (6, "BLEND_PREMULT"),
];

/// The contents of a pattern, and how its bits cover the image.
pub const PATTERN: Names = &[(0, "BITMAP_8X8"), (1, "BITMAP_64X1"), (2, "BITMAP_1X64"), (3, "COLOR")];

/// Formats of a pattern's two colors.
pub const PATTERN_COLOR: Names = &[(0, "A16R5G6B5"), (1, "X16A1R5G5B5"), (2, "A8R8G8B8"), (3, "X16A8Y8")];

/// Which bit of a byte is the leftmost pixel of a pattern: the highest, or the lowest.
pub const PATTERN_BITS: Names = &[(0, "CGA6"), (1, "LE")];

/// Formats of color keys.
pub const KEY_FORMAT: Names =
    &[(0, "16BPP"), (1, "15BPP"), (2, "24BPP"), (3, "30BPP"), (4, "8BPP"), (5, "16BPP2"), (6, "32BPP")];

/// Shapes that the 2D class draws.
pub const SHAPE: Names = &[(0, "POINTS"), (1, "LINES"), (2, "LINE_STRIP"), (3, "TRIANGLES"), (4, "RECTANGLES")];

/// Bits of a texel of an uploaded bitmap.
pub const BITMAP_FORMAT: Names = &[(0, "I1"), (1, "I4"), (2, "I8")];

/// Where rows of an uploaded bitmap begin.
pub const LINE_PACK: Names = &[(0, "PACKED"), (1, "ALIGN_BYTE"), (2, "ALIGN_WORD")];

/// Origins of sample positions of copies.
pub const COPY_ORIGIN: Names = &[(0, "CENTER"), (1, "CORNER")];

/// Filters of copies.
pub const COPY_FILTER: Names = &[(0, "POINT_SAMPLE"), (1, "BILINEAR")];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TeslaVertexKind;

    #[test]
    fn formats_have_the_codes_of_their_tables() {
        assert_eq!([COLOR_FORMAT.len(), ZETA_FORMAT.len(), ATTRIBUTE_SIZES.len()], [55, 6, 14]);
        assert!(COLOR_FORMAT.contains(&(0xd5, "A8B8G8R8")) && ZETA_FORMAT.contains(&(0x16, "Z24_S8")));
        assert!(ATTRIBUTE_SIZES.contains(&(0x30, "10_10_10_2")));
        let kinds: Vec<_> = TeslaVertexKind::ALL.iter().map(|kind| *kind as u32).collect();
        assert_eq!(ATTRIBUTE_KIND.iter().map(|(code, _)| *code).collect::<Vec<_>>(), kinds);
    }
}
