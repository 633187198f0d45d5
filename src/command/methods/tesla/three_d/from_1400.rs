//! Methods of the 3D class from 0x1400: programs, draws, rasterization, constants, queries. Reset values are those that the
//! Linux kernel's `ctxnv50.c` gives a context.

use crate::command::methods::enums;
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Unsigned};
use crate::command::methods::methods;
use crate::command::methods::tesla::enums as values;

methods! {
    UNK1400_LANES 0x1400 {}
    UNK1404 0x1404 {}
    UNK1408 0x1408 {}
    VP_START_ID 0x140c {}
    GP_START_ID 0x1410 {}
    FP_START_ID 0x1414 {}
    UNK1418 0x1418 { value 0:0 Flag }
    UNK141C 0x141c {}
    GP_VERTEX_OUTPUT_COUNT 0x1420 = 0x80 { value 31:0 Unsigned }
    VERTEX_ARRAY_FLUSH 0x142c {}
    UNK1430 0x1430 { unk0 4:4 Flag, unk1 8:8 Flag }
    VB_ELEMENT_BASE 0x1434 { value 31:0 Unsigned }
    VB_INSTANCE_BASE 0x1438 { value 31:0 Unsigned }
    CLEAR_FLAGS 0x143c { stencil_mask 0:0 Flag, clear_rect 4:4 Enum(values::CLEAR_RECT) }
    CODE_CB_FLUSH 0x1440 {}
    BIND_TSC 0x1444 [3; 8] { valid 0:0 Flag, sampler 7:4 Unsigned, tsc 22:12 Unsigned }
    BIND_TIC 0x1448 [3; 8] { valid 0:0 Flag, texture 8:1 Unsigned, tic 30:9 Unsigned }
    BIND_TSC2 0x1468 [3; 8] { valid 0:0 Flag, sampler 4:4 Unsigned, tsc 22:12 Unsigned }
    BIND_TIC2 0x146c [3; 8] { valid 0:0 Flag, texture 1:1 Unsigned, tic 30:9 Unsigned }
    STRMOUT_MAP 0x1480 [32; 4] {}
    CLIPID_HEIGHT 0x1504 { value 31:0 Unsigned }
    CLIPID_FILL_RECT_HORIZ 0x1508 { low 15:0 Bits, high 31:16 Bits }
    CLIPID_FILL_RECT_VERT 0x150c { low 15:0 Bits, high 31:16 Bits }
    CLIP_DISTANCE_ENABLE 0x1510 {
        c0 0:0 Flag, c1 1:1 Flag, c2 2:2 Flag, c3 3:3 Flag, c4 4:4 Flag, c5 5:5 Flag, c6 6:6 Flag, c7 7:7 Flag,
    }
    SAMPLECNT_ENABLE 0x1514 {}
    POINT_SIZE 0x1518 { value 31:0 Float }
    ZCULL_STATCTRS_ENABLE 0x151c {}
    POINT_SPRITE_ENABLE 0x1520 { value 0:0 Flag }
    UNK152C 0x152c { unk0 0:0 Flag, unk1 4:4 Flag, unk2 8:8 Flag, unk3 19:12 Bits }
    COUNTER_RESET 0x1530 { counter 31:0 Enum(values::COUNTER) }
    MULTISAMPLE_ENABLE 0x1534 { value 0:0 Flag }
    ZETA_ENABLE 0x1538 = 1 { value 0:0 Flag }
    MULTISAMPLE_CTRL 0x153c { alpha_to_coverage 0:0 Flag, alpha_to_one 4:4 Flag }
    NOPERSPECTIVE_BITMAP 0x1540 [4; 4] {}
    COND_ADDRESS_HIGH 0x1550 {}
    COND_ADDRESS_LOW 0x1554 {}
    COND_MODE 0x1558 = 1 { mode 31:0 Enum(values::CONDITION) }
    TSC_ADDRESS_HIGH 0x155c {}
    TSC_ADDRESS_LOW 0x1560 {}
    TSC_LIMIT 0x1564 { value 31:0 Unsigned }
    UNK1568 0x1568 {}
    POLYGON_OFFSET_FACTOR 0x156c { value 31:0 Float }
    LINE_SMOOTH_ENABLE 0x1570 { value 0:0 Flag }
    TIC_ADDRESS_HIGH 0x1574 {}
    TIC_ADDRESS_LOW 0x1578 {}
    TIC_LIMIT 0x157c { value 31:0 Unsigned }
    MP_PM_CONTROL 0x1580 [4; 4] { mode 0:0 Flag, unit 6:4 Bits, func 23:8 Bits, sig 31:24 Bits }
    ZCULL_REGION 0x1590 {}
    STENCIL_TWO_SIDE_ENABLE 0x1594 { value 0:0 Flag }
    STENCIL_BACK_OP_FAIL 0x1598 { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_BACK_OP_ZFAIL 0x159c { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_BACK_OP_ZPASS 0x15a0 { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_BACK_FUNC_FUNC 0x15a4 { function 31:0 Enum(values::COMPARE) }
    UNK15A8 0x15a8 { unk1 2:0 Bits, unk2 6:4 Bits }
    UNK15AC 0x15ac {}
    UNK15B0 0x15b0 { c0 0:0 Flag, c1 4:4 Flag, c2 8:8 Flag }
    CSAA_ENABLE 0x15b4 = 1 { value 0:0 Flag }
    FRAMEBUFFER_SRGB 0x15b8 { value 0:0 Flag }
    POLYGON_OFFSET_UNITS 0x15bc { value 31:0 Float }
    UNK15C4 0x15c4 { value 0:0 Flag }
    UNK15C8 0x15c8 {}
    LAYER 0x15cc { idx 15:0 Bits, use_gp 16:16 Flag }
    MULTISAMPLE_MODE 0x15d0 { samples 31:0 Enum(values::SAMPLES) }
    VERTEX_BEGIN_D3D 0x15d4 {
        primitive 27:0 Enum(values::PRIMITIVE_D3D), instance_next 28:28 Flag, primitive_id_cont 29:29 Flag,
        instance_cont 30:30 Flag,
    }
    VERTEX_END_D3D 0x15d8 { unk0 0:0 Flag }
    VERTEX_BEGIN_GL 0x15dc {
        primitive 27:0 Enum(values::PRIMITIVE), instance_next 28:28 Flag, primitive_id_cont 29:29 Flag,
        instance_cont 30:30 Flag,
    }
    VERTEX_END_GL 0x15e0 { unk0 0:0 Flag }
    EDGEFLAG 0x15e4 { value 0:0 Flag }
    VB_ELEMENT_U32 0x15e8 { value 31:0 Unsigned }
    VB_ELEMENT_U16_SETUP 0x15ec { offset 31:30 Bits, count 29:0 Unsigned }
    VB_ELEMENT_U16 0x15f0 { i0 15:0 Unsigned, i1 31:16 Unsigned }
    VERTEX_BASE_HIGH 0x15f4 {}
    VERTEX_BASE_LOW 0x15f8 {}
    VERTEX_DATA 0x1640 {}
    PRIM_RESTART_ENABLE 0x1644 { value 0:0 Flag }
    PRIM_RESTART_INDEX 0x1648 { value 31:0 Unsigned }
    VP_GP_BUILTIN_ATTR_EN 0x164c {
        vertex_id 0:0 Flag, instance_id 4:4 Flag, primitive_id 8:8 Flag, vertex_id_draw_arrays_add_start 12:12 Flag,
    }
    VP_ATTR_EN 0x1650 [2; 4] {
        c7 31:28 Bits, c6 27:24 Bits, c5 23:20 Bits, c4 19:16 Bits, c3 15:12 Bits, c2 11:8 Bits, c1 7:4 Bits,
        c0 3:0 Bits,
    }
    POINT_SMOOTH_ENABLE 0x1658 { value 0:0 Flag }
    POINT_RASTER_RULES 0x165c = 1 { rules 31:0 Enum(values::POINT_RULES) }
    POINT_SPRITE_CTRL 0x1660 { coord_origin 4:4 Enum(values::SPRITE_ORIGIN) }
    TEX_MISC 0x1664 { unk1 1:1 Flag, seamless_cube_map 2:2 Flag }
    LINE_SMOOTH_BLUR 0x1668 { blur 31:0 Enum(values::LINE_BLUR) }
    LINE_STIPPLE_ENABLE 0x166c { value 0:0 Flag }
    COVERAGE_LUT 0x1670 [4; 4] { c0 7:0 Bits, c1 15:8 Bits, c2 23:16 Bits, c3 31:24 Bits }
    LINE_STIPPLE 0x1680 = 0x00ff_ff00 { factor_m1 7:0 Bits, pattern 23:8 Bits }
    PROVOKING_VERTEX_LAST 0x1684 { value 0:0 Flag }
    VERTEX_TWO_SIDE_ENABLE 0x1688 { value 0:0 Flag }
    POLYGON_STIPPLE_ENABLE 0x168c { value 0:0 Flag }
    ISA_FLAGS 0x1690 { nonfp_deriv 0:0 Flag, mul_zero_wins 16:16 Flag }
    SET_PROGRAM_CB 0x1694 { program 7:4 Enum(values::PROGRAM), index 11:8 Unsigned, buffer 18:12 Unsigned, valid 0:0 Flag }
    UNK1698 0x1698 { unk0 0:0 Flag, unk4 4:4 Flag, unk8 8:8 Flag }
    SAMPLE_SHADING 0x169c = 1 { min_samples 3:0 Bits, enable 4:4 Flag }
    UNK16A0 0x16a0 { value 0:0 Flag }
    VP_RESULT_MAP_SIZE 0x16ac = 4 { value 31:0 Unsigned }
    VP_REG_ALLOC_TEMP 0x16b0 = 1 { value 31:0 Unsigned }
    UNK16B4 0x16b4 { unk0 0:0 Flag }
    VP_REG_ALLOC_RESULT 0x16b8 = 4 { value 31:0 Unsigned }
    VP_RESULT_MAP 0x16bc [17; 4] { c0 7:0 Unsigned, c1 15:8 Unsigned, c2 23:16 Unsigned, c3 31:24 Unsigned }
    POLYGON_STIPPLE_PATTERN 0x1700 [32; 4] {}
    STRMOUT_OFFSET 0x1780 [4; 4] {}
    GP_ENABLE 0x1798 { value 0:0 Flag }
    GP_REG_ALLOC_TEMP 0x17a0 { value 31:0 Unsigned }
    GP_REG_ALLOC_RESULT 0x17a8 = 4 { value 31:0 Unsigned }
    GP_RESULT_MAP_SIZE 0x17ac = 4 { value 31:0 Unsigned }
    GP_OUTPUT_PRIMITIVE_TYPE 0x17b0 { primitive 31:0 Enum(values::EMITTED_PRIMITIVE) }
    RASTERIZE_ENABLE 0x17b4 { value 0:0 Flag }
    STRMOUT_ENABLE 0x17b8 { value 0:0 Flag }
    GP_RESULT_MAP 0x17fc [32; 4] { c0 7:0 Unsigned, c1 15:8 Unsigned, c2 23:16 Unsigned, c3 31:24 Unsigned }
    POLYGON_OFFSET_CLAMP 0x187c { value 31:0 Float }
    VERTEX_ARRAY_PER_INSTANCE_ALT 0x1880 [32; 4] { value 0:0 Flag }
    GP_VIEWPORT_ID_ENABLE 0x1900 { value 0:0 Flag }
    SEMANTIC_COLOR 0x1904 = 0x8_0c14 { ffc0_id 7:0 Unsigned, bfc0_id 15:8 Unsigned, colr_nr 23:16 Unsigned, clmp_en 24:24 Flag }
    SEMANTIC_CLIP 0x1908 = 0x804 { clip_start 7:0 Unsigned, clip_num 11:8 Unsigned }
    SEMANTIC_LAYER 0x190c = 0x26 { layer_id 7:0 Unsigned }
    SEMANTIC_PTSZ 0x1910 = 0x52 { ptsz_en 0:0 Unsigned, ptsz_id 11:4 Unsigned }
    SEMANTIC_PRIM_ID 0x1914 = 0x27 { prim_id 7:0 Unsigned }
    CULL_FACE_ENABLE 0x1918 { value 0:0 Flag }
    FRONT_FACE 0x191c { winding 31:0 Enum(enums::FRONT_FACE) }
    CULL_FACE 0x1920 = 0x405 { face 31:0 Enum(enums::CULL_FACE) }
    PIXEL_CENTER_INTEGER 0x1924 { value 0:0 Flag }
    FP_MULTISAMPLE 0x1928 { export_sample_mask 0:0 Flag, force_per_sample 1:1 Flag }
    VIEWPORT_TRANSFORM_EN 0x192c { value 0:0 Flag }
    VIEW_VOLUME_CLIP_CTRL 0x193c = 0x10 {
        unk0 0:0 Flag, depth_clamp_near 3:3 Flag, depth_clamp_far 4:4 Flag, unk7 7:7 Flag, unk10 10:10 Flag,
        unk11 11:11 Flag, unk12 13:12 Bits,
    }
    CLIP_DISTANCE_MODE 0x1940 {
        c0 0:0 Enum(values::CLIP_DISTANCE), c1 4:4 Enum(values::CLIP_DISTANCE), c2 8:8 Enum(values::CLIP_DISTANCE),
        c3 12:12 Enum(values::CLIP_DISTANCE), c4 16:16 Enum(values::CLIP_DISTANCE), c5 20:20 Enum(values::CLIP_DISTANCE),
        c6 24:24 Enum(values::CLIP_DISTANCE), c7 28:28 Enum(values::CLIP_DISTANCE),
    }
    UNK1944 0x1944 {}
    CLIP_RECTS_EN 0x194c { value 0:0 Flag }
    CLIP_RECTS_MODE 0x1950 { mode 31:0 Enum(values::CLIP_RECTS) }
    ZCULL_VALIDATE 0x1954 { clear_unk0 0:0 Flag, clear_unk1 4:4 Flag }
    ZCULL_INVALIDATE 0x1958 {}
    UNK1960 0x1960 { c0 0:0 Flag, c1 4:4 Flag }
    UNK1968 0x1968 { c0 0:0 Flag, c1 4:4 Flag }
    FP_CTRL_UNK196C 0x196c { c0 0:0 Flag, c1 4:4 Flag }
    UNK1978 0x1978 {}
    CLIPID_ENABLE 0x197c { value 0:0 Flag }
    CLIPID_WIDTH 0x1980 { value 31:0 Unsigned }
    CLIPID_ID 0x1984 {}
    FP_INTERPOLANT_CTRL 0x1988 = 0x0810_0c12 {
        count 7:0 Unsigned, offset 15:8 Unsigned, count_nonflat 23:16 Unsigned, umask 27:24 Bits, unk28 28:28 Flag,
    }
    FP_REG_ALLOC_TEMP 0x198c = 4 { value 31:0 Unsigned }
    REG_MODE 0x19a0 {}
    FP_CONTROL 0x19a8 { multiple_results 0:0 Flag, exports_z 8:8 Flag, uses_kil 20:20 Flag }
    DEPTH_BOUNDS_EN 0x19bc { value 0:0 Flag }
    UNK19C0 0x19c0 { value 0:0 Flag }
    LOGIC_OP_ENABLE 0x19c4 { value 0:0 Flag }
    LOGIC_OP 0x19c8 { operation 31:0 Enum(enums::LOGIC_OP) }
    ZETA_COMP_ENABLE 0x19cc { value 0:0 Flag }
    CLEAR_BUFFERS 0x19d0 {
        z 0:0 Flag, s 1:1 Flag, r 2:2 Flag, g 3:3 Flag, b 4:4 Flag, a 5:5 Flag, rt 9:6 Unsigned, layer 20:10 Unsigned,
    }
    CLIPID_FILL 0x19d4 {}
    UNK19D8 0x19d8 [2; 4] {}
    RT_COMP_ENABLE 0x19e0 [8; 4] { value 0:0 Flag }
    COLOR_MASK 0x1a00 [8; 4] { r 3:0 Bits, g 7:4 Bits, b 11:8 Bits, a 15:12 Bits }
    UNK1A20 0x1a20 {}
    DELAY 0x1a24 {}
    UNK1A28 0x1a28 { c0 7:0 Bits, c1 8:8 Flag }
    UNK1A2C 0x1a2c {}
    UNK1A30 0x1a30 {}
    UNK1A34 0x1a34 {}
    UNK1A38 0x1a38 {}
    UNK1A3C 0x1a3c {}
    UNK1A40 0x1a40 [16; 4] {
        c0 2:0 Bits, c1 6:4 Bits, c2 10:8 Bits, c3 14:12 Bits, c4 18:16 Bits, c5 22:20 Bits, c6 26:24 Bits,
        c7 30:28 Bits,
    }
    STRMOUT_ADDRESS_HIGH 0x1a80 [4; 16] {}
    STRMOUT_ADDRESS_LOW 0x1a84 [4; 16] {}
    STRMOUT_NUM_ATTRIBS 0x1a88 [4; 16] = 4 { value 31:0 Unsigned }
    STRMOUT_OFFSET_LIMIT 0x1a8c [4; 16] {}
    VERTEX_ARRAY_ATTRIB 0x1ac0 [16; 4] {
        buffer 3:0 Unsigned, const_bits 4:4 Flag, offset 18:5 Unsigned, format 24:19 Enum(values::ATTRIBUTE_SIZES),
        kind 30:25 Enum(values::ATTRIBUTE_KIND), bgra 31:31 Flag,
    }
    QUERY_ADDRESS_HIGH 0x1b00 {}
    QUERY_ADDRESS_LOW 0x1b04 {}
    QUERY_SEQUENCE 0x1b08 {}
    QUERY_GET 0x1b0c {
        mode 1:0 Bits, unk4 4:4 Flag, index 7:5 Unsigned, unk8 8:8 Flag, unit 15:12 Enum(values::REPORT_UNIT),
        sync_cond 16:16 Flag, intr 20:20 Flag, kind 23:23 Flag, query_select 27:24 Bits, short 28:28 Flag,
    }
    VP_RESULT_MAP_ALT 0x1b3c [32; 4] { c0 7:0 Unsigned, c1 15:8 Unsigned, c2 23:16 Unsigned, c3 31:24 Unsigned }
    VERTEX_ARRAY_FETCH_ALT 0x1c00 [32; 16] { stride 11:0 Unsigned, enable 29:29 Flag }
    VERTEX_ARRAY_START_HIGH_ALT 0x1c04 [32; 16] {}
    VERTEX_ARRAY_START_LOW_ALT 0x1c08 [32; 16] {}
    VERTEX_ARRAY_DIVISOR_ALT 0x1c0c [32; 16] {}
    IBLEND_SEPARATE_ALPHA 0x1e00 [8; 32] = 1 { value 0:0 Flag }
    IBLEND_EQUATION_RGB 0x1e04 [8; 32] = 0x8006 { equation 31:0 Enum(values::BLEND_EQUATION) }
    IBLEND_FUNC_SRC_RGB 0x1e08 [8; 32] = 0x4001 { factor 31:0 Enum(values::BLEND_FACTOR) }
    IBLEND_FUNC_DST_RGB 0x1e0c [8; 32] = 0x4000 { factor 31:0 Enum(values::BLEND_FACTOR) }
    IBLEND_EQUATION_ALPHA 0x1e10 [8; 32] = 0x8006 { equation 31:0 Enum(values::BLEND_EQUATION) }
    IBLEND_FUNC_SRC_ALPHA 0x1e14 [8; 32] = 0x4001 { factor 31:0 Enum(values::BLEND_FACTOR) }
    IBLEND_FUNC_DST_ALPHA 0x1e18 [8; 32] = 0x4000 { factor 31:0 Enum(values::BLEND_FACTOR) }
    VERTEX_ARRAY_LIMIT_HIGH_ALT 0x1f00 [32; 8] {}
    VERTEX_ARRAY_LIMIT_LOW_ALT 0x1f04 [32; 8] {}
}
