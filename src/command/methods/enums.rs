//! Values of enumerated method fields and their names.

/// Names of values.
pub type Names = &'static [(u32, &'static str)];

/// Finds the name of a value.
#[must_use]
pub fn name_of(names: Names, value: u32) -> Option<&'static str> {
    names.iter().find(|(known, _)| *known == value).map(|(_, name)| *name)
}

/// Comparison functions, in OpenGL and Direct3D numbers.
pub const COMPARE: Names = &[
    (0x200, "NEVER"),
    (0x201, "LESS"),
    (0x202, "EQUAL"),
    (0x203, "LEQUAL"),
    (0x204, "GREATER"),
    (0x205, "NOTEQUAL"),
    (0x206, "GEQUAL"),
    (0x207, "ALWAYS"),
    (1, "NEVER"),
    (2, "LESS"),
    (3, "EQUAL"),
    (4, "LEQUAL"),
    (5, "GREATER"),
    (6, "NOTEQUAL"),
    (7, "GEQUAL"),
    (8, "ALWAYS"),
];

/// Blend factors, in OpenGL and Direct3D numbers.
pub const BLEND_FACTOR: Names = &[
    (0, "ZERO"),
    (1, "ONE"),
    (0x300, "SRC_COLOR"),
    (0x301, "ONE_MINUS_SRC_COLOR"),
    (0x302, "SRC_ALPHA"),
    (0x303, "ONE_MINUS_SRC_ALPHA"),
    (0x304, "DST_ALPHA"),
    (0x305, "ONE_MINUS_DST_ALPHA"),
    (0x306, "DST_COLOR"),
    (0x307, "ONE_MINUS_DST_COLOR"),
    (0x308, "SRC_ALPHA_SATURATE"),
    (0x8001, "CONST_COLOR"),
    (0x8002, "ONE_MINUS_CONST_COLOR"),
    (0x8003, "CONST_ALPHA"),
    (0x8004, "ONE_MINUS_CONST_ALPHA"),
    (0x1001, "ZERO"),
    (0x1002, "ONE"),
    (0x1003, "SRC_COLOR"),
    (0x1004, "ONE_MINUS_SRC_COLOR"),
    (0x1005, "SRC_ALPHA"),
    (0x1006, "ONE_MINUS_SRC_ALPHA"),
    (0x1007, "DST_ALPHA"),
    (0x1008, "ONE_MINUS_DST_ALPHA"),
    (0x1009, "DST_COLOR"),
    (0x100a, "ONE_MINUS_DST_COLOR"),
    (0x100b, "SRC_ALPHA_SATURATE"),
    (0x100c, "SRC_ALPHA"),
    (0x100d, "ONE_MINUS_SRC_ALPHA"),
    (0x100e, "CONST_COLOR"),
    (0x100f, "ONE_MINUS_CONST_COLOR"),
];

/// Blend equations, in OpenGL and Direct3D numbers.
pub const BLEND_EQUATION: Names = &[
    (0x8006, "ADD"),
    (0x8007, "MIN"),
    (0x8008, "MAX"),
    (0x800a, "SUBTRACT"),
    (0x800b, "REVERSE_SUBTRACT"),
    (1, "ADD"),
    (2, "SUBTRACT"),
    (3, "REVERSE_SUBTRACT"),
    (4, "MIN"),
    (5, "MAX"),
    (0xf005, "REVERSE_SUBTRACT_SIGNED"),
    (0xf006, "ADD_SIGNED"),
    (0xf007, "REVERSE_ADD_SIGNED"),
];

/// Stencil operations.
pub const STENCIL_OP: Names = &[
    (0, "ZERO"),
    (0x150a, "INVERT"),
    (0x1e00, "KEEP"),
    (0x1e01, "REPLACE"),
    (0x1e02, "INCR"),
    (0x1e03, "DECR"),
    (0x8507, "INCR_WRAP"),
    (0x8508, "DECR_WRAP"),
];

/// Logic operations.
pub const LOGIC_OP: Names = &[
    (0x1500, "CLEAR"),
    (0x1501, "AND"),
    (0x1502, "AND_REVERSE"),
    (0x1503, "COPY"),
    (0x1504, "AND_INVERTED"),
    (0x1505, "NOOP"),
    (0x1506, "XOR"),
    (0x1507, "OR"),
    (0x1508, "NOR"),
    (0x1509, "EQUIV"),
    (0x150a, "INVERT"),
    (0x150b, "OR_REVERSE"),
    (0x150c, "COPY_INVERTED"),
    (0x150d, "OR_INVERTED"),
    (0x150e, "NAND"),
    (0x150f, "SET"),
];

/// Faces to cull.
pub const CULL_FACE: Names = &[(0x404, "FRONT"), (0x405, "BACK"), (0x408, "FRONT_AND_BACK")];

/// Winding of front faces.
pub const FRONT_FACE: Names = &[(0x900, "CW"), (0x901, "CCW")];

/// Polygon modes.
pub const POLYGON_MODE: Names = &[(0x1b00, "POINT"), (0x1b01, "LINE"), (0x1b02, "FILL")];

/// Shade models.
pub const SHADE_MODEL: Names = &[(0x1d00, "FLAT"), (0x1d01, "SMOOTH")];

/// Fog modes.
pub const FOG_MODE: Names = &[
    (0x2601, "LINEAR"),
    (0x800, "EXP"),
    (0x801, "EXP2"),
    (0x802, "EXP_ABS"),
    (0x803, "EXP2_ABS"),
    (0x804, "LINEAR_ABS"),
];

/// Primitive types.
pub const PRIMITIVE: Names = &[
    (0, "STOP"),
    (1, "POINTS"),
    (2, "LINES"),
    (3, "LINE_LOOP"),
    (4, "LINE_STRIP"),
    (5, "TRIANGLES"),
    (6, "TRIANGLE_STRIP"),
    (7, "TRIANGLE_FAN"),
    (8, "QUADS"),
    (9, "QUAD_STRIP"),
    (10, "POLYGON"),
];

/// Types of indices.
pub const INDEX_TYPE: Names = &[(0, "U32"), (1, "U16")];

/// Component types of vertex attributes.
pub const VERTEX_TYPE: Names = &[
    (0, "B8G8R8A8_UNORM"),
    (1, "S16_NORM"),
    (2, "F32"),
    (3, "F16"),
    (4, "U8_UNORM"),
    (5, "S16"),
    (6, "S11S11S10_NORM"),
    (7, "U8"),
];

/// Formats of color targets.
pub const COLOR_FORMAT: Names = &[
    (1, "X1R5G5B5_Z"),
    (2, "X1R5G5B5_O"),
    (3, "R5G6B5"),
    (4, "X8R8G8B8_Z"),
    (5, "X8R8G8B8_O"),
    (8, "A8R8G8B8"),
    (9, "B8"),
    (10, "G8B8"),
    (11, "A16B16G16R16F"),
    (12, "A32B32G32R32F"),
    (13, "R32F"),
    (14, "X8B8G8R8_Z"),
    (15, "X8B8G8R8_O"),
    (16, "A8B8G8R8"),
];

/// Formats of depth and stencil surfaces.
pub const ZETA_FORMAT: Names = &[(1, "Z16"), (2, "Z24S8")];

/// Layouts of render targets.
pub const SURFACE_TYPE: Names = &[(1, "LINEAR"), (2, "SWIZZLED")];

/// Multisampling modes.
pub const MULTISAMPLE: Names = &[(0, "X1"), (3, "X2_DIAGONAL"), (4, "X4_SQUARE"), (5, "X4_ROTATED")];

/// Texture formats.
pub const TEXTURE_FORMAT: Names = &[
    (0x01, "B8"),
    (0x02, "A1R5G5B5"),
    (0x03, "A4R4G4B4"),
    (0x04, "R5G6B5"),
    (0x05, "A8R8G8B8"),
    (0x06, "DXT1"),
    (0x07, "DXT23"),
    (0x08, "DXT45"),
    (0x0b, "G8B8"),
    (0x0d, "B8R8_G8R8"),
    (0x0e, "R8B8_R8G8"),
    (0x0f, "R6G5B5"),
    (0x10, "DEPTH24_D8"),
    (0x11, "DEPTH24_D8_FLOAT"),
    (0x12, "DEPTH16"),
    (0x13, "DEPTH16_FLOAT"),
    (0x14, "X16"),
    (0x15, "Y16_X16"),
    (0x17, "R5G5B5A1"),
    (0x18, "HILO8"),
    (0x19, "HILO_S8"),
    (0x1a, "W16_Z16_Y16_X16_FLOAT"),
    (0x1b, "W32_Z32_Y32_X32_FLOAT"),
    (0x1c, "X32_FLOAT"),
    (0x1d, "D1R5G5B5"),
    (0x1e, "D8R8G8B8"),
    (0x1f, "Y16_X16_FLOAT"),
];

/// Texture wrap modes.
pub const WRAP: Names = &[
    (1, "REPEAT"),
    (2, "MIRRORED_REPEAT"),
    (3, "CLAMP_TO_EDGE"),
    (4, "CLAMP_TO_BORDER"),
    (5, "CLAMP"),
    (6, "MIRROR_CLAMP_TO_EDGE"),
    (7, "MIRROR_CLAMP_TO_BORDER"),
    (8, "MIRROR_CLAMP"),
];

/// Shadow comparisons, written as reference OP texel.
pub const SHADOW_COMPARE: Names = &[
    (0, "NEVER"),
    (1, "GREATER"),
    (2, "EQUAL"),
    (3, "GEQUAL"),
    (4, "LESS"),
    (5, "NOTEQUAL"),
    (6, "LEQUAL"),
    (7, "ALWAYS"),
];

/// Minification filters.
pub const MIN_FILTER: Names = &[
    (1, "NEAREST"),
    (2, "LINEAR"),
    (3, "NEAREST_MIPMAP_NEAREST"),
    (4, "LINEAR_MIPMAP_NEAREST"),
    (5, "NEAREST_MIPMAP_LINEAR"),
    (6, "LINEAR_MIPMAP_LINEAR"),
    (7, "CONVOLUTION"),
];

/// Magnification filters.
pub const MAG_FILTER: Names = &[(1, "NEAREST"), (2, "LINEAR"), (4, "CONVOLUTION")];

/// Convolution kernels.
pub const CONVOLUTION: Names = &[(1, "QUINCUNX"), (2, "GAUSSIAN"), (3, "QUINCUNX_ALT")];

/// The greatest anisotropy.
pub const ANISOTROPY: Names = &[(0, "1"), (1, "2"), (2, "4"), (3, "6"), (4, "8"), (5, "10"), (6, "12"), (7, "16")];

/// Sources of a remapped texture channel.
pub const REMAP_SOURCE: Names = &[(0, "A"), (1, "R"), (2, "G"), (3, "B")];

/// How a remapped texture channel is computed.
pub const REMAP_CONTROL: Names = &[(0, "ZERO"), (1, "ONE"), (2, "SOURCE")];

/// DMA objects that texture and program addresses are relative to.
pub const TEXTURE_DMA: Names = &[(1, "TEXTURE0"), (2, "TEXTURE1")];

/// DMA objects that vertex addresses are relative to.
pub const VERTEX_DMA: Names = &[(0, "VTXBUF0"), (1, "VTXBUF1")];

/// Modes of the vertex engine.
pub const ENGINE_MODE: Names = &[(0, "FIXED"), (1, "PROGRAM_V3"), (2, "PROGRAM_V1"), (3, "PROGRAM_V2")];

/// Modes of the vertex engine of NV20.
pub const VERTEX_MODE: Names = &[(0, "FIXED"), (2, "PROGRAM")];

/// Modes of the PICA200's vertex processor.
pub const DRAW_MODE: Names = &[(0, "DRAW"), (1, "CONFIGURE")];

/// What components of the PICA200's output registers are.
pub const OUTPUT_SEMANTIC: Names = &[
    (0, "POSITION_X"),
    (1, "POSITION_Y"),
    (2, "POSITION_Z"),
    (3, "POSITION_W"),
    (4, "QUATERNION_X"),
    (5, "QUATERNION_Y"),
    (6, "QUATERNION_Z"),
    (7, "QUATERNION_W"),
    (8, "COLOR_R"),
    (9, "COLOR_G"),
    (10, "COLOR_B"),
    (11, "COLOR_A"),
    (12, "TEXCOORD0_U"),
    (13, "TEXCOORD0_V"),
    (14, "TEXCOORD1_U"),
    (15, "TEXCOORD1_V"),
    (16, "TEXCOORD0_W"),
    (18, "VIEW_X"),
    (19, "VIEW_Y"),
    (20, "VIEW_Z"),
    (22, "TEXCOORD2_U"),
    (23, "TEXCOORD2_V"),
    (31, "UNUSED"),
];

/// Arithmetic rule sets of the vertex engine.
pub const ARITHMETIC: Names = &[(0, "LEGACY"), (1, "MODERN")];

/// Counters of reports.
pub const REPORT: Names = &[(1, "ZPASS"), (2, "ZCULL_0"), (3, "ZCULL_1"), (4, "ZCULL_2"), (5, "ZCULL_3")];

/// Conditions for rendering.
pub const RENDER_MODE: Names = &[(1, "ALWAYS"), (2, "REPORT_NOT_ZERO")];

/// Notification styles.
pub const NOTIFY: Names = &[(0, "WRITE"), (1, "WRITE_AND_AWAKEN")];

/// Pixel formats of 2D surfaces.
pub const SURFACE_FORMAT: Names = &[
    (1, "Y8"),
    (2, "X1R5G5B5_Z"),
    (3, "X1R5G5B5_X"),
    (4, "R5G6B5"),
    (5, "Y16"),
    (6, "X8R8G8B8_Z"),
    (7, "X8R8G8B8_X"),
    (8, "X1A7R8G8B8_Z"),
    (9, "X1A7R8G8B8_X"),
    (10, "A8R8G8B8"),
    (11, "Y32"),
];

/// Pixel formats of source images.
pub const IMAGE_FORMAT: Names = &[
    (1, "A1R5G5B5"),
    (2, "X1R5G5B5"),
    (3, "A8R8G8B8"),
    (4, "X8R8G8B8"),
    (5, "V8YB8U8YA8"),
    (6, "YB8V8YA8U8"),
    (7, "R5G6B5"),
    (8, "Y8"),
    (9, "AY8"),
    (12, "A8B8G8R8"),
    (13, "X8B8G8R8"),
];

/// Operations of image copies.
pub const IMAGE_OPERATION: Names = &[
    (0, "SRCCOPY_AND"),
    (1, "ROP_AND"),
    (2, "BLEND_AND"),
    (3, "SRCCOPY"),
    (4, "SRCCOPY_PREMULT"),
    (5, "BLEND_PREMULT"),
];

/// Color conversions of image copies.
pub const COLOR_CONVERSION: Names = &[(0, "DITHER"), (1, "TRUNCATE"), (2, "SUBTRACT_TRUNCATE")];

/// Origins of sample positions of image copies.
pub const IMAGE_ORIGIN: Names = &[(1, "CENTER"), (2, "CORNER")];

/// Filters of image copies.
pub const IMAGE_FILTER: Names = &[(0, "POINT"), (1, "BILINEAR")];

/// Pixel formats of images from the processor.
pub const UPLOAD_FORMAT: Names = &[
    (1, "R5G6B5"),
    (2, "A1R5G5B5"),
    (3, "X1R5G5B5"),
    (4, "A8R8G8B8"),
    (5, "X8R8G8B8"),
    (6, "A8B8G8R8"),
    (7, "X8B8G8R8"),
];

/// Formats of solid colors.
pub const SOLID_FORMAT: Names = &[(1, "X16R5G6B5"), (2, "X17R5G5B5"), (3, "X8R8G8B8"), (4, "X8B8G8R8")];

/// Formats of the colors of patterns and color keys.
pub const CONTEXT_FORMAT: Names = &[(1, "A16R5G6B5"), (2, "X16A1R5G5B5"), (3, "A8R8G8B8")];

/// Which bit of a byte is the leftmost pixel of a bitmap: the highest, or the lowest.
pub const BITMAP_FORMAT: Names = &[(1, "CGA6"), (2, "LE")];

/// How the bits of a pattern cover the surface.
pub const PATTERN_SHAPE: Names = &[(0, "8X8"), (1, "64X1"), (2, "1X64")];

/// The contents of a pattern.
pub const PATTERN_SELECT: Names = &[(1, "BITMAP"), (2, "COLOR")];
