//! Methods of the 3D class for vertex arrays and attributes sent as methods.

use crate::command::methods::enums::{VERTEX_DMA, VERTEX_TYPE};
use crate::command::methods::kinds::{Address, Bits, Enum, Float, Signed, Unsigned};
use crate::command::methods::methods;

methods! {
    VTX_ATTR_4NS_XY 0x0a80 [16; 8] { x 15:0 Signed, y 31:16 Signed }
    VTX_ATTR_4NS_ZW 0x0a84 [16; 8] { z 15:0 Signed, w 31:16 Signed }
    VTX_ATTR_3F_X 0x1500 [16; 16] { x 31:0 Float }
    VTX_ATTR_3F_Y 0x1504 [16; 16] { y 31:0 Float }
    VTX_ATTR_3F_Z 0x1508 [16; 16] { z 31:0 Float }
    VTXBUF 0x1680 [16; 4] { offset 27:0 Address, dma 31:31 Enum(VERTEX_DMA) }
    VTX_CACHE_INVALIDATE_1710 0x1710 { value 31:0 Bits }
    VTX_CACHE_INVALIDATE 0x1714 { value 31:0 Bits }
    PIPE_NOP 0x1718 {}
    VERTEX_ENGINE_SYNC 0x171c {}
    VERTEX_DATA_BASE_OFFSET 0x1738 { offset 31:0 Address }
    VB_ELEMENT_BASE 0x173c { base 31:0 Unsigned }
    VTXFMT 0x1740 [16; 4] = 2 {
        component 2:0 Enum(VERTEX_TYPE), size 7:4 Unsigned, stride 15:8 Unsigned, frequency 31:16 Unsigned
    }
    VTX_ATTR_2F_X 0x1880 [16; 8] { x 31:0 Float }
    VTX_ATTR_2F_Y 0x1884 [16; 8] { y 31:0 Float }
    VTX_ATTR_2I 0x1900 [16; 4] { x 15:0 Signed, y 31:16 Signed }
    VTX_ATTR_4UB 0x1940 [16; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VTX_ATTR_4I_XY 0x1980 [16; 8] { x 15:0 Signed, y 31:16 Signed }
    VTX_ATTR_4I_ZW 0x1984 [16; 8] { z 15:0 Signed, w 31:16 Signed }
    VTX_ATTR_4F_X 0x1c00 [16; 16] { x 31:0 Float }
    VTX_ATTR_4F_Y 0x1c04 [16; 16] { y 31:0 Float }
    VTX_ATTR_4F_Z 0x1c08 [16; 16] { z 31:0 Float }
    VTX_ATTR_4F_W 0x1c0c [16; 16] { w 31:0 Float }
    VTX_ATTR_1F 0x1e40 [16; 4] { x 31:0 Float }
    FREQUENCY_DIVIDER_OPERATION 0x1fc0 { modulo 15:0 Bits }
}
