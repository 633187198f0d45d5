//! Tells the 3D class of a chip.

/// The number of the 3D class of a chipset of the Tesla generation. Source: Mesa's `nv50_screen.c`.
pub(in crate::scene) const fn three_d_class(chipset: u32) -> u32 {
    match chipset {
        0x50 => 0x5097,
        0xa0 | 0xaa | 0xac => 0x8397,
        0xa3 | 0xa5 | 0xa8 => 0x8597,
        0xaf => 0x8697,
        _ => 0x8297,
    }
}
