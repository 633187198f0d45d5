// Reads texture memory in kernels that also write guest memory; addresses count bytes of the mirror.

import package::memory::write::{load_u8, load_u16, load_u32, load_word};

const TEXELS_LIE_IN_IMAGE: bool = false;

// The byte at an address.
fn load_texel_u8(address: u32) -> u32 {
    return load_u8(address);
}

// The two bytes at an address of any alignment.
fn load_texel_u16(address: u32) -> u32 {
    return load_u16(address);
}

// The four bytes at an address of any alignment.
fn load_texel_u32(address: u32) -> u32 {
    return load_u32(address);
}

// The word at an address that is a multiple of 4.
fn load_texel_word(address: u32) -> u32 {
    return load_word(address);
}
