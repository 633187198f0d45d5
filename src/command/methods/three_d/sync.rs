//! Methods of the 3D class for objects, synchronization, fences, queries and z-cull.

use crate::command::methods::enums::{NOTIFY as NOTIFY_STYLE, RENDER_MODE, REPORT};
use crate::command::methods::kinds::{Address, Bits, Enum, Flag, Handle, Unsigned};
use crate::command::methods::methods;

methods! {
    NOP 0x0100 {}
    NOTIFY 0x0104 { style 31:0 Enum(NOTIFY_STYLE) }
    WARNING 0x0108 { value 31:0 Bits }
    STATE_010C 0x010c { value 31:0 Bits }
    WAIT_FOR_IDLE 0x0110 {}
    FLIP_SET_READ 0x0120 { buffer 31:0 Unsigned }
    FLIP_SET_WRITE 0x0124 { buffer 31:0 Unsigned }
    FLIP_MAX 0x0128 { buffers 31:0 Unsigned }
    FLIP_INCR_WRITE 0x012c {}
    FLIP_WAIT 0x0130 {}
    PM_TRIGGER 0x0140 {}
    DMA_NOTIFY 0x0180 { object 31:0 Handle }
    DMA_TEXTURE0 0x0184 { object 31:0 Handle }
    DMA_TEXTURE1 0x0188 { object 31:0 Handle }
    DMA_COLOR1 0x018c { object 31:0 Handle }
    DMA_STATE 0x0190 { object 31:0 Handle }
    DMA_COLOR0 0x0194 { object 31:0 Handle }
    DMA_ZETA 0x0198 { object 31:0 Handle }
    DMA_VTXBUF0 0x019c { object 31:0 Handle }
    DMA_VTXBUF1 0x01a0 { object 31:0 Handle }
    DMA_FENCE 0x01a4 { object 31:0 Handle }
    DMA_QUERY 0x01a8 { object 31:0 Handle }
    DMA_CLIP_ID 0x01ac { object 31:0 Handle }
    DMA_CULL_DATA 0x01b0 { object 31:0 Handle }
    DMA_COLOR2 0x01b4 { object 31:0 Handle }
    DMA_COLOR3 0x01b8 { object 31:0 Handle }
    INVALIDATE_ZCULL 0x0234 { value 31:0 Bits }
    ZCULL_SYNC 0x0a1c { value 31:0 Bits }
    CLEAR_ZCULL_SURFACE 0x1438 { value 31:0 Bits }
    QUERY_RESET 0x17c8 { counter 31:0 Enum(REPORT) }
    QUERY_ENABLE 0x17cc { enable 0:0 Flag }
    QUERY_GET 0x1800 { offset 23:0 Address, counter 31:24 Enum(REPORT) }
    ZCULL_STATS_ENABLE 0x1804 { enable 0:0 Flag }
    FENCE_OFFSET 0x1d6c { offset 31:0 Address }
    FENCE_VALUE 0x1d70 { value 31:0 Bits }
    TEXTURE_READ_FENCE_VALUE 0x1d74 { value 31:0 Bits }
    SURFACE_COMPRESSION 0x1d80 = 3 { value 31:0 Bits }
    ZCULL_EN 0x1d84 = 3 { value 31:0 Bits }
    RENDER_ENABLE 0x1e98 = 0x0100_0000 { offset 23:0 Address, mode 31:24 Enum(RENDER_MODE) }
    ZCULL_CONTROL0 0x1ea4 = 0x10 { value 31:0 Bits }
    ZCULL_CONTROL1 0x1ea8 = 0x0100_0100 { value 31:0 Bits }
    SCULL_CONTROL 0x1eac = 0xff80_0006 { value 31:0 Bits }
}
