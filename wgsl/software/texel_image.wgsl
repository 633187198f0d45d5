// Reads texture memory from a storage image of words that holds all texels that the draw may sample
// (`src/kernels/software/texel_image.rs`); addresses count bytes of the mirror.
//
// Llvmpipe gathers image words for all lanes at once, but loads buffer words lane by lane.

@group(0) @binding(20) var texel_image: texture_storage_2d<r32uint, read>;

const TEXELS_LIE_IN_IMAGE: bool = true;

// Base-2 logarithm of the words in a row of the image.
const TEXEL_ROW_SHIFT: u32 = 14u;

// The word at an address that is a multiple of 4.
fn load_texel_word(address: u32) -> u32 {
    let index = address >> 2u;
    return textureLoad(texel_image, vec2u(index & ((1u << TEXEL_ROW_SHIFT) - 1u), index >> TEXEL_ROW_SHIFT)).x;
}

// The byte at an address.
fn load_texel_u8(address: u32) -> u32 {
    return (load_texel_word(address) >> ((address & 3u) * 8u)) & 0xffu;
}

// The two bytes at an address of any alignment.
fn load_texel_u16(address: u32) -> u32 {
    return load_texel_u8(address) | (load_texel_u8(address + 1u) << 8u);
}

// The four bytes at an address of any alignment.
fn load_texel_u32(address: u32) -> u32 {
    let shift = (address & 3u) * 8u;
    let high = load_texel_word(address + 3u);
    return (load_texel_word(address) >> shift) | select(high << ((32u - shift) & 31u), 0u, shift == 0u);
}
