//! Methods of the compute classes 0x50c0 and 0x85c0.
//!
//! Source: envytools `rnndb/graph/g80_compute.xml`.

use crate::command::methods::kinds::{Bits, Flag, Handle, Unsigned};
use crate::command::methods::{ClassTable, methods, puller};

use super::{fifo, graph};

/// The class.
pub static CLASS: ClassTable =
    ClassTable::family(0x50c0, &[0x85c0], "G80_COMPUTE", &[puller::TABLE, fifo::TABLE, graph::TABLE, TABLE]);

methods! {
    DMA_NOTIFY 0x180 { value 31:0 Handle }
    DMA_GLOBAL 0x1a0 { value 31:0 Handle }
    DMA_QUERY 0x1a4 { value 31:0 Handle }
    DMA_LOCAL 0x1b8 { value 31:0 Handle }
    DMA_STACK 0x1bc { value 31:0 Handle }
    DMA_CODE_CB 0x1c0 { value 31:0 Handle }
    DMA_TSC 0x1c4 { value 31:0 Handle }
    DMA_TIC 0x1c8 { value 31:0 Handle }
    DMA_TEXTURE 0x1cc { value 31:0 Handle }
    UNK0200 0x200 { unk1 15:0 Bits, unk2 23:16 Bits }
    UNK0204 0x204 {}
    UNK0208 0x208 {}
    UNK020C 0x20c {}
    CP_ADDRESS_HIGH 0x210 {}
    CP_ADDRESS_LOW 0x214 {}
    STACK_ADDRESS_HIGH 0x218 {}
    STACK_ADDRESS_LOW 0x21c {}
    STACK_SIZE_LOG 0x220 { value 31:0 Unsigned }
    CALL_LIMIT_LOG 0x224 {}
    UNK0228 0x228 { unk0 0:0 Flag, unk4 11:4 Bits, unk12 19:12 Bits }
    TSC_ADDRESS_HIGH 0x22c {}
    TSC_ADDRESS_LOW 0x230 {}
    TSC_LIMIT 0x234 { value 31:0 Unsigned }
    CB_ADDR 0x238 { id 21:8 Unsigned, buffer 6:0 Unsigned }
    CB_DATA 0x23c [16; 4] {}
    TSC_FLUSH 0x27c { specific 0:0 Flag, entry 25:4 Bits }
    TIC_FLUSH 0x280 { specific 0:0 Flag, entry 25:4 Bits }
    DELAY1 0x284 {}
    WATCHDOG_TIMER 0x288 { value 31:0 Unsigned }
    DELAY2 0x28c {}
    UNK0290 0x290 { value 0:0 Flag }
    LOCAL_ADDRESS_HIGH 0x294 {}
    LOCAL_ADDRESS_LOW 0x298 {}
    LOCAL_SIZE_LOG 0x29c { value 31:0 Unsigned }
    UNK02A0 0x2a0 {}
    CB_DEF_ADDRESS_HIGH 0x2a4 {}
    CB_DEF_ADDRESS_LOW 0x2a8 {}
    CB_DEF_SET 0x2ac { size 15:0 Unsigned, buffer 22:16 Unsigned }
    UNK02B0 0x2b0 {}
    BLOCK_ALLOC 0x2b4 { threads 15:0 Unsigned, barriers 23:16 Unsigned }
    LANES32_ENABLE 0x2b8 { value 0:0 Flag }
    UNK02BC 0x2bc { unk1 2:0 Bits, unk2 6:4 Bits }
    CP_REG_ALLOC_TEMP 0x2c0 {}
    TIC_ADDRESS_HIGH 0x2c4 {}
    TIC_ADDRESS_LOW 0x2c8 {}
    TIC_LIMIT 0x2cc { value 31:0 Unsigned }
    MP_PM_SET 0x2d0 [4; 4] {}
    MP_PM_CONTROL 0x2e0 [4; 4] { mode 0:0 Flag, unit 6:4 Bits, func 23:8 Bits, sig 31:24 Bits }
    MP_PM_OVERFLOW_TRAP_ENABLE 0x2f0 { c0 0:0 Flag, c1 1:1 Flag, c2 2:2 Flag, c3 3:3 Flag }
    UNK02F4 0x2f4 {}
    BLOCKDIM_LATCH 0x2f8 { value 0:0 Flag }
    LOCAL_WARPS_LOG_ALLOC 0x2fc { value 31:0 Unsigned }
    LOCAL_WARPS_NO_CLAMP 0x300 { value 0:0 Flag }
    STACK_WARPS_LOG_ALLOC 0x304 { value 31:0 Unsigned }
    STACK_WARPS_NO_CLAMP 0x308 { value 0:0 Flag }
    UNK030C 0x30c { value 0:0 Flag }
    QUERY_ADDRESS_HIGH 0x310 {}
    QUERY_ADDRESS_LOW 0x314 {}
    QUERY_SEQUENCE 0x318 {}
    QUERY_GET 0x31c { intr 9:9 Flag, short 15:15 Flag }
    COND_ADDRESS_HIGH 0x320 {}
    COND_ADDRESS_LOW 0x324 {}
    COND_MODE 0x328 {}
    UNK032C 0x32c {}
    UNK0330 0x330 {}
    UNK0334 0x334 [3; 4] {}
    UNK0340 0x340 [2; 4] {}
    UNK0348 0x348 [2; 4] {}
    UNK0350 0x350 [2; 4] {}
    UNK0358 0x358 {}
    UNK035C 0x35c {}
    UNK0360 0x360 { unk0 7:4 Bits, unk1 11:8 Bits }
    UNK0364 0x364 {}
    LAUNCH 0x368 {}
    UNK036C 0x36c {}
    UNK0370 0x370 {}
    USER_PARAM_COUNT 0x374 { unk0 7:0 Unsigned, count 15:8 Unsigned }
    LINKED_TSC 0x378 { value 0:0 Flag }
    ISA_FLAGS 0x37c { nonfp_deriv 0:0 Flag, mul_zero_wins 16:16 Flag }
    CODE_CB_FLUSH 0x380 {}
    UNK0384 0x384 {}
    GRIDID 0x388 {}
    UNK038C 0x38c [3; 4] {}
    WRCACHE_FLUSH 0x398 {}
    UNK039C 0x39c [2; 4] {}
    GRIDDIM 0x3a4 { x 15:0 Unsigned, y 31:16 Unsigned }
    SHARED_SIZE 0x3a8 {}
    BLOCKDIM_XY 0x3ac { x 15:0 Unsigned, y 31:16 Unsigned }
    BLOCKDIM_Z 0x3b0 { value 31:0 Unsigned }
    CP_START_ID 0x3b4 {}
    REG_MODE 0x3b8 {}
    TEX_LIMITS 0x3bc { samplers_log2 3:0 Unsigned, textures_log2 7:4 Unsigned }
    BIND_TSC 0x3c0 { valid 0:0 Flag, sampler 7:4 Unsigned, tsc 22:12 Unsigned }
    BIND_TIC 0x3c4 { valid 0:0 Flag, texture 8:1 Unsigned, tic 30:9 Unsigned }
    SET_PROGRAM_CB 0x3c8 { index 11:8 Unsigned, buffer 18:12 Unsigned, valid 7:0 Bits }
    UNK03CC 0x3cc {}
    TEX_CACHE_CTL 0x3d0 { unk1 5:4 Bits }
    UNK03D4 0x3d4 {}
    UNK03D8 0x3d8 {}
    UNK03DC 0x3dc {}
    UNK03E0 0x3e0 {}
    UNK03E4 0x3e4 {}
    TEX_MISC 0x3e8 { unk1 0:0 Flag, seamless_cube_map 1:1 Flag }
    GLOBAL_ADDRESS_HIGH 0x400 [16; 32] {}
    GLOBAL_ADDRESS_LOW 0x404 [16; 32] {}
    GLOBAL_PITCH 0x408 [16; 32] {}
    GLOBAL_LIMIT 0x40c [16; 32] {}
    GLOBAL_MODE 0x410 [16; 32] { linear 0:0 Flag, block_width 7:4 Bits, block_height 11:8 Bits }
    USER_PARAM 0x600 [64; 4] {}
    UNK0700 0x700 [16; 4] {}
}
