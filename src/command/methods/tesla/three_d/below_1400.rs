//! Methods of the 3D class below 0x1400: targets, vertex attributes and arrays, viewports.

use crate::command::methods::enums;
use crate::command::methods::kinds::{Bits, Enum, Flag, Float, Handle, Unsigned};
use crate::command::methods::methods;
use crate::command::methods::tesla::enums as values;

methods! {
    DMA_NOTIFY 0x180 { value 31:0 Handle }
    DMA_ZETA 0x184 { value 31:0 Handle }
    DMA_QUERY 0x188 { value 31:0 Handle }
    DMA_VTXBUF 0x18c { value 31:0 Handle }
    DMA_LOCAL 0x190 { value 31:0 Handle }
    DMA_STACK 0x194 { value 31:0 Handle }
    DMA_CODE_CB 0x198 { value 31:0 Handle }
    DMA_TSC 0x19c { value 31:0 Handle }
    DMA_TIC 0x1a0 { value 31:0 Handle }
    DMA_TEXTURE 0x1a4 { value 31:0 Handle }
    DMA_STRMOUT 0x1a8 { value 31:0 Handle }
    DMA_CLIPID 0x1ac { value 31:0 Handle }
    DMA_COLOR 0x1c0 [8; 4] { value 31:0 Handle }
    RT_ADDRESS_HIGH 0x200 [8; 32] {}
    RT_ADDRESS_LOW 0x204 [8; 32] {}
    RT_FORMAT 0x208 [8; 32] { format 31:0 Enum(values::COLOR_FORMAT) }
    RT_BLOCK_DIMENSIONS 0x20c [8; 32] {}
    RT_LAYER_STRIDE 0x210 [8; 32] {}
    RT_UNK14 0x214 [8; 32] {}
    VTX_ATTR_1F 0x300 [16; 4] { value 31:0 Float }
    VTX_ATTR_2H 0x340 [16; 4] { x 15:0 Bits, y 31:16 Bits }
    VTX_ATTR_2F_X 0x380 [16; 8] { value 31:0 Float }
    VTX_ATTR_2F_Y 0x384 [16; 8] { value 31:0 Float }
    VTX_ATTR_3F_X 0x400 [16; 16] { value 31:0 Float }
    VTX_ATTR_3F_Y 0x404 [16; 16] { value 31:0 Float }
    VTX_ATTR_3F_Z 0x408 [16; 16] { value 31:0 Float }
    VTX_ATTR_4F_X 0x500 [16; 16] { value 31:0 Float }
    VTX_ATTR_4F_Y 0x504 [16; 16] { value 31:0 Float }
    VTX_ATTR_4F_Z 0x508 [16; 16] { value 31:0 Float }
    VTX_ATTR_4F_W 0x50c [16; 16] { value 31:0 Float }
    VTX_ATTR_4H_0 0x600 [16; 8] { x 15:0 Bits, y 31:16 Bits }
    VTX_ATTR_4H_1 0x604 [16; 8] { z 15:0 Bits, w 31:16 Bits }
    VTX_ATTR_2I 0x680 [16; 4] { x 15:0 Unsigned, y 31:16 Unsigned }
    VTX_ATTR_2NI 0x6c0 [16; 4] { x 15:0 Unsigned, y 31:16 Unsigned }
    VTX_ATTR_4I_0 0x700 [16; 8] { x 15:0 Unsigned, y 31:16 Unsigned }
    VTX_ATTR_4I_1 0x704 [16; 8] { z 15:0 Unsigned, w 31:16 Unsigned }
    VTX_ATTR_4NI_0 0x780 [16; 8] { x 15:0 Unsigned, y 31:16 Unsigned }
    VTX_ATTR_4NI_1 0x784 [16; 8] { z 15:0 Unsigned, w 31:16 Unsigned }
    VTX_ATTR_4UB 0x800 [16; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VTX_ATTR_4B 0x840 [16; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VTX_ATTR_4NUB 0x880 [16; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VTX_ATTR_4NB 0x8c0 [16; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VERTEX_ARRAY_FETCH 0x900 [16; 16] { stride 11:0 Unsigned, enable 29:29 Flag }
    VERTEX_ARRAY_START_HIGH 0x904 [16; 16] {}
    VERTEX_ARRAY_START_LOW 0x908 [16; 16] {}
    VERTEX_ARRAY_DIVISOR 0x90c [16; 16] {}
    VIEWPORT_SCALE_X 0xa00 [16; 32] { value 31:0 Float }
    VIEWPORT_SCALE_Y 0xa04 [16; 32] { value 31:0 Float }
    VIEWPORT_SCALE_Z 0xa08 [16; 32] { value 31:0 Float }
    VIEWPORT_TRANSLATE_X 0xa0c [16; 32] { value 31:0 Float }
    VIEWPORT_TRANSLATE_Y 0xa10 [16; 32] { value 31:0 Float }
    VIEWPORT_TRANSLATE_Z 0xa14 [16; 32] { value 31:0 Float }
    VIEWPORT_HORIZ 0xc00 [16; 16] { x 15:0 Unsigned, w 31:16 Unsigned }
    VIEWPORT_VERT 0xc04 [16; 16] { y 15:0 Unsigned, h 31:16 Unsigned }
    DEPTH_RANGE_NEAR 0xc08 [16; 16] { value 31:0 Float }
    DEPTH_RANGE_FAR 0xc0c [16; 16] { value 31:0 Float }
    CLIP_RECT_HORIZ 0xd00 [8; 8] { min 15:0 Unsigned, max 31:16 Unsigned }
    CLIP_RECT_VERT 0xd04 [8; 8] { min 15:0 Unsigned, max 31:16 Unsigned }
    CLIPID_REGION_HORIZ 0xd40 [4; 8] {}
    CLIPID_REGION_VERT 0xd44 [4; 8] {}
    UNK0D60 0xd60 {}
    UNK0D64 0xd64 {}
    COUNTER_ENABLE 0xd68 = 0x3ff {
        vfetch_vertices 0:0 Flag, vfetch_primitives 1:1 Flag, vp_launches 2:2 Flag, gp_launches 3:3 Flag,
        gp_primitives_out 4:4 Flag, transform_feedback 5:5 Flag, generated_primitives 6:6 Flag,
        rast_primitives_preclip 7:7 Flag, rast_primitives_postclip 8:8 Flag, fp_pixels 9:9 Flag,
    }
    UNK0D6C 0xd6c [2; 4] {}
    VERTEX_BUFFER_FIRST 0xd74 {}
    VERTEX_BUFFER_COUNT 0xd78 {}
    DEPTH_CLIP_NEGATIVE_Z 0xd7c { value 0:0 Flag }
    CLEAR_COLOR 0xd80 [4; 4] { value 31:0 Float }
    CLEAR_DEPTH 0xd90 { value 31:0 Float }
    STACK_ADDRESS_HIGH 0xd94 {}
    STACK_ADDRESS_LOW 0xd98 {}
    STACK_SIZE_LOG 0xd9c { value 31:0 Unsigned }
    CLEAR_STENCIL 0xda0 {}
    STRMOUT_PARAMS_LATCH 0xda4 {}
    STRMOUT_PRIMITIVE_LIMIT 0xda8 { value 31:0 Unsigned }
    POLYGON_MODE_FRONT 0xdac = 0x1b02 { mode 31:0 Enum(enums::POLYGON_MODE) }
    POLYGON_MODE_BACK 0xdb0 = 0x1b02 { mode 31:0 Enum(enums::POLYGON_MODE) }
    POLYGON_SMOOTH_ENABLE 0xdb4 { value 0:0 Flag }
    UNK0DB8 0xdb8 { value 0:0 Flag }
    ZCULL_UNK0DBC 0xdbc { unk0 0:0 Flag, unk16 17:16 Bits }
    POLYGON_OFFSET_POINT_ENABLE 0xdc0 { value 0:0 Flag }
    POLYGON_OFFSET_LINE_ENABLE 0xdc4 { value 0:0 Flag }
    POLYGON_OFFSET_FILL_ENABLE 0xdc8 { value 0:0 Flag }
    UNK0DCC 0xdcc {}
    VTX_ATTR_MASK_UNK0DD0 0xdd0 [2; 4] {}
    ZCULL_UNK0DD8 0xdd8 { unk0 2:0 Bits, unk16 31:16 Bits }
    UNK0DDC 0xddc {}
    UNK0DE0 0xde0 { value 0:0 Flag }
    WATCHDOG_TIMER 0xde4 { value 31:0 Unsigned }
    PRIM_RESTART_WITH_DRAW_ARRAYS 0xde8 { value 0:0 Flag }
    UNK0DEC 0xdec { value 0:0 Flag }
    UNK0DF0 0xdf0 { unk0 0:0 Flag, unk1 11:4 Bits }
    UNK0DF4 0xdf4 {}
    WINDOW_OFFSET_X 0xdf8 { value 31:0 Unsigned }
    WINDOW_OFFSET_Y 0xdfc { value 31:0 Unsigned }
    SCISSOR_ENABLE 0xe00 [16; 16] { value 0:0 Flag }
    SCISSOR_HORIZ 0xe04 [16; 16] { min 15:0 Unsigned, max 31:16 Unsigned }
    SCISSOR_VERT 0xe08 [16; 16] { min 15:0 Unsigned, max 31:16 Unsigned }
    CB_ADDR 0xf00 { id 21:8 Unsigned, buffer 6:0 Unsigned }
    CB_DATA 0xf04 [16; 4] {}
    LOCAL_WARPS_LOG_ALLOC 0xf44 { value 31:0 Unsigned }
    LOCAL_WARPS_NO_CLAMP 0xf48 { value 0:0 Flag }
    STACK_WARPS_LOG_ALLOC 0xf4c { value 31:0 Unsigned }
    STACK_WARPS_NO_CLAMP 0xf50 { value 0:0 Flag }
    STENCIL_BACK_FUNC_REF 0xf54 {}
    STENCIL_BACK_MASK 0xf58 {}
    STENCIL_BACK_FUNC_MASK 0xf5c {}
    UNK0F60 0xf60 [4; 4] {}
    GP_ADDRESS_HIGH 0xf70 {}
    GP_ADDRESS_LOW 0xf74 {}
    UNK0F78 0xf78 {}
    VP_ADDRESS_HIGH 0xf7c {}
    VP_ADDRESS_LOW 0xf80 {}
    VERTEX_RUNOUT_ADDRESS_HIGH 0xf84 {}
    VERTEX_RUNOUT_ADDRESS_LOW 0xf88 {}
    UNK0F8C 0xf8c { value 0:0 Flag }
    COLOR_MASK_COMMON 0xf90 { value 0:0 Flag }
    UNK0F94 0xf94 {}
    UNK0F98 0xf98 { value 0:0 Flag }
    DEPTH_BOUNDS 0xf9c [2; 4] { value 31:0 Float }
    FP_ADDRESS_HIGH 0xfa4 {}
    FP_ADDRESS_LOW 0xfa8 {}
    UNK0FAC 0xfac { unk0 0:0 Flag, unk1 19:4 Bits }
    UNK0FB0 0xfb0 { value 0:0 Flag }
    UNK0FB4 0xfb4 {}
    UNK0FB8 0xfb8 {}
    MSAA_MASK 0xfbc [4; 4] = 0xffff {}
    CLIPID_ADDRESS_HIGH 0xfcc {}
    CLIPID_ADDRESS_LOW 0xfd0 {}
    SEMANTIC_VIEWPORT 0xfd4 = 0x27 { viewport_id 7:0 Unsigned }
    UNK0FD8 0xfd8 { unk0 0:0 Flag, unk1 4:4 Flag }
    UNK0FDC 0xfdc { value 0:0 Flag }
    ZETA_ADDRESS_HIGH 0xfe0 {}
    ZETA_ADDRESS_LOW 0xfe4 {}
    ZETA_FORMAT 0xfe8 { format 31:0 Enum(values::ZETA_FORMAT) }
    ZETA_BLOCK_DIMENSIONS 0xfec {}
    ZETA_LAYER_STRIDE 0xff0 {}
    SCREEN_SCISSOR_HORIZ 0xff4 { w 31:16 Unsigned, x 15:0 Unsigned }
    SCREEN_SCISSOR_VERT 0xff8 { h 31:16 Unsigned, y 15:0 Unsigned }
    UNK0FFC 0xffc {}
    VERTEX_ARRAY_PER_INSTANCE 0x1000 [16; 4] { value 0:0 Flag }
    UNK1040 0x1040 [16; 4] {}
    VERTEX_ARRAY_LIMIT_HIGH 0x1080 [16; 8] {}
    VERTEX_ARRAY_LIMIT_LOW 0x1084 [16; 8] {}
    UNK1100 0x1100 {}
    UNK1104 0x1104 { c0 15:0 Bits, c1 31:16 Bits }
    UNK1108 0x1108 { c0 0:0 Flag, c1 4:4 Flag }
    UNK110C 0x110c {}
    UNK1110 0x1110 { value 0:0 Flag }
    WRCACHE_FLUSH 0x1114 {}
    VERTEX_ID_BASE 0x1118 {}
    PRIMITIVE_ID 0x111c {}
    VTX_ATTR_MASK_UNK0DD0_ALT 0x1120 [4; 4] {}
    VP_ATTR_EN_ALT 0x1130 [4; 4] {
        c7 31:28 Bits, c6 27:24 Bits, c5 23:20 Bits, c4 19:16 Bits, c3 15:12 Bits, c2 11:8 Bits, c1 7:4 Bits,
        c0 3:0 Bits,
    }
    UNK1140 0x1140 {}
    UNK1144 0x1144 {}
    VTX_ATTR_DEFINE 0x114c { attr 7:0 Bits, comp 10:8 Unsigned, size 14:12 Bits, kind 18:16 Bits }
    VTX_ATTR_DATA 0x1150 [4; 4] {}
    VERTEX_ARRAY_ATTRIB_ALT 0x1160 [32; 4] {
        buffer 4:0 Unsigned, const_bits 6:6 Flag, offset 20:7 Unsigned, format 26:21 Bits, kind 29:27 Bits,
        bgra 31:31 Flag,
    }
    RT_CONTROL 0x121c = 0x0fac_6881 {
        count 3:0 Unsigned, map0 6:4 Unsigned, map1 9:7 Unsigned, map2 12:10 Unsigned, map3 15:13 Unsigned,
        map4 18:16 Unsigned, map5 21:19 Unsigned, map6 24:22 Unsigned, map7 27:25 Unsigned,
    }
    UNK1220 0x1220 {}
    RT_ARRAY_MODE 0x1224 { layers 15:0 Unsigned, mode 16:16 Flag }
    ZETA_HORIZ 0x1228 { value 31:0 Unsigned }
    ZETA_VERT 0x122c { value 31:0 Unsigned }
    ZETA_ARRAY_MODE 0x1230 = 0x1001 { layers 15:0 Unsigned, unk 16:16 Flag }
    LINKED_TSC 0x1234 { value 0:0 Flag }
    UNK1238 0x1238 {}
    DRAW_TFB_BYTES 0x123c {}
    RT_HORIZ 0x1240 [8; 8] = 0x400 { width 27:0 Bits, layout 31:31 Flag }
    RT_VERT 0x1244 [8; 8] = 0x300 {}
    CB_DEF_ADDRESS_HIGH 0x1280 {}
    CB_DEF_ADDRESS_LOW 0x1284 {}
    CB_DEF_SET 0x1288 { size 15:0 Unsigned, buffer 22:16 Unsigned }
    UNK128C 0x128c { c0 1:0 Bits, c1 5:4 Bits, c2 9:8 Bits, c3 13:12 Bits }
    CALL_LIMIT_LOG 0x1290 { vp 3:0 Bits, gp 7:4 Bits, fp 11:8 Bits }
    STRMOUT_BUFFERS_CTRL 0x1294 = 0x102 { interleaved 0:0 Flag, separate 7:4 Unsigned, stride 19:8 Unsigned }
    FP_RESULT_COUNT 0x1298 { value 31:0 Unsigned }
    VTX_UNK129C 0x129c {}
    UNK12A0 0x12a0 {}
    UNK12A8 0x12a8 { unk0 0:0 Flag, unk4 11:4 Bits, unk12 19:12 Bits }
    UNK12AC 0x12ac { value 0:0 Flag }
    UNK12B0 0x12b0 { unk0 7:0 Bits, unk1 15:8 Bits, unk2 23:16 Bits, unk3 31:24 Bits }
    UNK12B4 0x12b4 {}
    UNK12B8 0x12b8 {}
    DEPTH_TEST_ENABLE 0x12cc { value 0:0 Flag }
    D3D_FILL_MODE 0x12d0 { mode 31:0 Enum(values::FILL_MODE) }
    SHADE_MODEL 0x12d4 { model 31:0 Enum(enums::SHADE_MODEL) }
    LOCAL_ADDRESS_HIGH 0x12d8 {}
    LOCAL_ADDRESS_LOW 0x12dc {}
    LOCAL_SIZE_LOG 0x12e0 { value 31:0 Unsigned }
    BLEND_INDEPENDENT 0x12e4 { value 0:0 Flag }
    DEPTH_WRITE_ENABLE 0x12e8 { value 0:0 Flag }
    ALPHA_TEST_ENABLE 0x12ec { value 0:0 Flag }
    MP_PM_SET 0x12f0 [4; 4] {}
    VB_ELEMENT_U8_SETUP 0x1300 { offset 31:30 Bits, count 29:0 Unsigned }
    VB_ELEMENT_U8 0x1304 { i0 7:0 Unsigned, i1 15:8 Unsigned, i2 23:16 Unsigned, i3 31:24 Unsigned }
    D3D_CULL_MODE 0x1308 { mode 31:0 Enum(values::CULL_MODE) }
    DEPTH_TEST_FUNC 0x130c { function 31:0 Enum(values::COMPARE) }
    ALPHA_TEST_REF 0x1310 { value 31:0 Float }
    ALPHA_TEST_FUNC 0x1314 { function 31:0 Enum(values::COMPARE) }
    DRAW_TFB_STRIDE 0x1318 {}
    BLEND_COLOR 0x131c [4; 4] { value 31:0 Float }
    MP_PM_OVERFLOW_TRAP_ENABLE 0x132c { c0 0:0 Flag, c1 1:1 Flag, c2 2:2 Flag, c3 3:3 Flag }
    TSC_FLUSH 0x1330 { specific 0:0 Flag, entry 25:4 Bits }
    TIC_FLUSH 0x1334 { specific 0:0 Flag, entry 25:4 Bits }
    TEX_CACHE_CTL 0x1338 { unk1 5:4 Bits }
    BLEND_SEPARATE_ALPHA 0x133c = 1 { value 0:0 Flag }
    BLEND_EQUATION_RGB 0x1340 = 0x8006 { equation 31:0 Enum(values::BLEND_EQUATION) }
    BLEND_FUNC_SRC_RGB 0x1344 = 0x4001 { factor 31:0 Enum(values::BLEND_FACTOR) }
    BLEND_FUNC_DST_RGB 0x1348 = 0x4000 { factor 31:0 Enum(values::BLEND_FACTOR) }
    BLEND_EQUATION_ALPHA 0x134c = 0x8006 { equation 31:0 Enum(values::BLEND_EQUATION) }
    BLEND_FUNC_SRC_ALPHA 0x1350 = 0x4001 { factor 31:0 Enum(values::BLEND_FACTOR) }
    UNK1354 0x1354 {}
    BLEND_FUNC_DST_ALPHA 0x1358 = 0x4000 { factor 31:0 Enum(values::BLEND_FACTOR) }
    BLEND_ENABLE_COMMON 0x135c { value 0:0 Flag }
    BLEND_ENABLE 0x1360 [8; 4] { value 0:0 Flag }
    STENCIL_ENABLE 0x1380 { value 0:0 Flag }
    STENCIL_FRONT_OP_FAIL 0x1384 { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_FRONT_OP_ZFAIL 0x1388 { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_FRONT_OP_ZPASS 0x138c { operation 31:0 Enum(enums::STENCIL_OP) }
    STENCIL_FRONT_FUNC_FUNC 0x1390 { function 31:0 Enum(values::COMPARE) }
    STENCIL_FRONT_FUNC_REF 0x1394 {}
    STENCIL_FRONT_MASK 0x1398 {}
    STENCIL_FRONT_FUNC_MASK 0x139c {}
    UNK13A0 0x13a0 {}
    DRAW_TFB_BASE 0x13a4 {}
    FRAG_COLOR_CLAMP_EN 0x13a8 {
        c0 0:0 Flag, c1 4:4 Flag, c2 8:8 Flag, c3 12:12 Flag, c4 16:16 Flag, c5 20:20 Flag, c6 24:24 Flag,
        c7 28:28 Flag,
    }
    SCREEN_Y_CONTROL 0x13ac { y_negate 0:0 Flag, triangle_rast_flip 4:4 Flag }
    LINE_WIDTH 0x13b0 = 0x3f80_0000 { value 31:0 Float }
    TEX_LIMITS 0x13b4 [3; 4] { samplers_log2 3:0 Unsigned, textures_log2 7:4 Unsigned }
    POINT_COORD_REPLACE_MAP 0x13c0 [16; 4] {}
}
