//! Registers of the PICA200's vertex processor, as methods of a class that only curie has.
//!
//! The address of a method is four times the index of the register. The PICA200 is no NVIDIA chip and has no classes;
//! no header of NVIDIA's open kernel modules has a class of this number. As in every class, methods 0x100, 0x104 and
//! 0x180 are those of notifiers, so the rasterizer's registers 040, 041 and 060 have no place here.
//!
//! Source: names and fields, 3dbrew "GPU/Internal Registers"; semantics, azahar `regs_rasterizer.h`.

use super::enums::{DRAW_MODE, NOTIFY as NOTIFY_STYLE, OUTPUT_SEMANTIC as SEMANTIC};
use super::kinds::{Bits, Enum, Flag, Handle, Unsigned};
use super::{ClassTable, methods, puller};

/// The class.
pub static CLASS: ClassTable = ClassTable::new(0xf1ca, "PICA200_VERTEX", &[puller::TABLE, TABLE]);

methods! {
    NOP 0x100 {}
    NOTIFY 0x104 { style 31:0 Enum(NOTIFY_STYLE) }
    SH_OUTMAP_TOTAL 0x13c { count 2:0 Unsigned }
    SH_OUTMAP 0x140 [7; 4] {
        x 4:0 Enum(SEMANTIC), y 12:8 Enum(SEMANTIC), z 20:16 Enum(SEMANTIC), w 28:24 Enum(SEMANTIC),
    }
    DMA_NOTIFY 0x180 { object 31:0 Handle }
    START_DRAW_FUNC0 0x914 = 1 { mode 0:0 Enum(DRAW_MODE) }
    VSH_BOOLUNIFORM 0xac0 { values 15:0 Bits, mask 31:16 Bits }
    VSH_INTUNIFORM 0xac4 [4; 4] { x 7:0 Unsigned, y 15:8 Unsigned, z 23:16 Unsigned, w 31:24 Unsigned }
    VSH_INPUTBUFFER_CONFIG 0xae4 { last_attribute 3:0 Unsigned, subdivision 15:8 Unsigned, geometry 31:24 Bits }
    VSH_ENTRYPOINT 0xae8 { word 15:0 Unsigned, mask 31:16 Bits }
    VSH_ATTRIBUTES_PERMUTATION_LOW 0xaec {
        register0 3:0 Unsigned, register1 7:4 Unsigned, register2 11:8 Unsigned, register3 15:12 Unsigned,
        register4 19:16 Unsigned, register5 23:20 Unsigned, register6 27:24 Unsigned, register7 31:28 Unsigned,
    }
    VSH_ATTRIBUTES_PERMUTATION_HIGH 0xaf0 {
        register8 3:0 Unsigned, register9 7:4 Unsigned, register10 11:8 Unsigned, register11 15:12 Unsigned,
        register12 19:16 Unsigned, register13 23:20 Unsigned, register14 27:24 Unsigned, register15 31:28 Unsigned,
    }
    VSH_OUTMAP_MASK 0xaf4 { registers 15:0 Bits }
    VSH_CODETRANSFER_END 0xafc { signal 31:0 Bits }
    VSH_FLOATUNIFORM_INDEX 0xb00 { register 7:0 Unsigned, is_single 31:31 Flag }
    VSH_FLOATUNIFORM_DATA 0xb04 [8; 4] { word 31:0 Bits }
    VSH_CODETRANSFER_INDEX 0xb2c { word 11:0 Unsigned }
    VSH_CODETRANSFER_DATA 0xb30 [8; 4] { word 31:0 Bits }
    VSH_OPDESCS_INDEX 0xb54 { descriptor 11:0 Unsigned }
    VSH_OPDESCS_DATA 0xb58 [8; 4] { descriptor 31:0 Bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_four_times_the_indices_of_registers() {
        // 3dbrew, "GPU/Internal Registers": index of the first register, and how many have its name.
        for (name, index, count) in [
            ("SH_OUTMAP_TOTAL", 0x4f, 1),
            ("SH_OUTMAP", 0x50, 7),
            ("START_DRAW_FUNC0", 0x245, 1),
            ("VSH_BOOLUNIFORM", 0x2b0, 1),
            ("VSH_INTUNIFORM", 0x2b1, 4),
            ("VSH_INPUTBUFFER_CONFIG", 0x2b9, 1),
            ("VSH_ENTRYPOINT", 0x2ba, 1),
            ("VSH_ATTRIBUTES_PERMUTATION_LOW", 0x2bb, 1),
            ("VSH_ATTRIBUTES_PERMUTATION_HIGH", 0x2bc, 1),
            ("VSH_OUTMAP_MASK", 0x2bd, 1),
            ("VSH_CODETRANSFER_END", 0x2bf, 1),
            ("VSH_FLOATUNIFORM_INDEX", 0x2c0, 1),
            ("VSH_FLOATUNIFORM_DATA", 0x2c1, 8),
            ("VSH_CODETRANSFER_INDEX", 0x2cb, 1),
            ("VSH_CODETRANSFER_DATA", 0x2cc, 8),
            ("VSH_OPDESCS_INDEX", 0x2d5, 1),
            ("VSH_OPDESCS_DATA", 0x2d6, 8),
        ] {
            let (row, element) = CLASS.find(4 * index).unwrap();
            assert_eq!((row.name, row.count, row.stride, element), (name, count, 4, 0));
        }
    }
}
