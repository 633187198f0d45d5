// Reads texels from guest memory, four pixels at once: addresses, fields, blocks, interpolation. The twin of
// `crates/isa/src/format/texel.rs` and of parts of `src/reference/texture/unit.rs`. The kernel imports `load_texel_u8`, its
// siblings and `TEXELS_LIE_IN_IMAGE` from the module of the memory that holds its texels.
import package::fragment::quad::QuadVector;
import package::arith::fragment::{fp_add, fp_mul};
import package::arith::convert::{fp_unorm_to_float, fp_half_bits_from};

// Moves bit i of a number of 16 bits to bit 2i.
fn texel_spread_by_two(value: vec4u) -> vec4u {
    var v = (value | (value << vec4u(8u))) & vec4u(0x00ff00ffu);
    v = (v | (v << vec4u(4u))) & vec4u(0x0f0f0f0fu);
    v = (v | (v << vec4u(2u))) & vec4u(0x33333333u);
    return (v | (v << vec4u(1u))) & vec4u(0x55555555u);
}

// Moves bit i of the low 11 bits to bit 3i.
fn texel_spread_by_three(value: vec4u) -> vec4u {
    var v = value & vec4u(0x7ffu);
    v = (v | (v << vec4u(16u))) & vec4u(0x070000ffu);
    v = (v | (v << vec4u(8u))) & vec4u(0x0700f00fu);
    v = (v | (v << vec4u(4u))) & vec4u(0x430c30c3u);
    return (v | (v << vec4u(2u))) & vec4u(0x49249249u);
}

// Indices in two-dimensional swizzled order; sizes are powers of two.
fn texel_swizzle_2d(x: vec4u, y: vec4u, width: vec4u, height: vec4u) -> vec4u {
    // The smaller size minus one masks the bits that both coordinates have.
    let side = min(width, height);
    let mask = side - vec4u(1u);
    let inside = texel_spread_by_two(x & mask) | (texel_spread_by_two(y & mask) << vec4u(1u));
    return inside | (((x | y) & ~mask) * side);
}

// The bits of these indices that hold the column.
fn texel_columns_2d(width: vec4u, height: vec4u) -> vec4u {
    let side = min(width, height);
    return ((side * side - vec4u(1u)) & vec4u(0x55555555u)) | ((width - side) * side);
}

// Indices in three-dimensional swizzled order.
fn texel_swizzle_3d(x: vec4u, y: vec4u, z: vec4u, width: vec4u, height: vec4u, depth: vec4u) -> vec4u {
    let side = min(width, min(height, depth));
    let mask = side - vec4u(1u);
    let all = countTrailingZeros(side);
    let inside = texel_spread_by_three(x & mask) | (texel_spread_by_three(y & mask) << vec4u(1u))
        | (texel_spread_by_three(z & mask) << vec4u(2u));
    // The shortest dimension has no bits left; the other two continue in the order x, y, z.
    let without_x = width == side;
    let without_y = height == side;
    let first = select(x, y, without_x) >> all;
    let first_size = select(width, height, without_x) >> all;
    let takes_z = without_x | without_y;
    let second = select(y, z, takes_z) >> all;
    let second_size = select(height, depth, takes_z) >> all;
    let rest = texel_swizzle_2d(first, second, first_size, second_size);
    // Three sides of 2048 texels leave no further bits; a shift by more than 31 would not drop them.
    return inside | select(rest << (vec4u(3u) * all), vec4u(0u), all > vec4u(10u));
}

// Byte offsets of bytes x of rows y of slices z in blocks of gobs of 64 bytes and four rows; a level of `rows` rows has
// pitch & 0xffffff blocks in a row of them, whose height and depth in gobs have the logarithms above.
fn texel_block_linear(x: vec4u, y: vec4u, z: vec4u, pitch: vec4u, rows: vec4u) -> vec4u {
    return texel_block_columns(x, pitch) + texel_block_rows(y, z, pitch, rows);
}

// The part of these offsets that the bytes of a row decide.
fn texel_block_columns(x: vec4u, pitch: vec4u) -> vec4u {
    let log2_block = ((pitch >> vec4u(24u)) & vec4u(15u)) + (pitch >> vec4u(28u)) + vec4u(8u);
    return ((x >> vec4u(6u)) << log2_block) + (x & vec4u(63u));
}

// The part that rows and slices decide.
fn texel_block_rows(y: vec4u, z: vec4u, pitch: vec4u, rows: vec4u) -> vec4u {
    let log2_height = (pitch >> vec4u(24u)) & vec4u(15u);
    let log2_depth = pitch >> vec4u(28u);
    let log2_rows = log2_height + vec4u(2u);
    let down = (rows + (vec4u(1u) << log2_rows) - vec4u(1u)) >> log2_rows;
    let blocks = (pitch & vec4u(0xffffffu)) * ((y >> log2_rows) + down * (z >> log2_depth));
    let gob_y = (y >> vec4u(2u)) & ((vec4u(1u) << log2_height) - vec4u(1u));
    let gob_z = z & ((vec4u(1u) << log2_depth) - vec4u(1u));
    let gob = (blocks << (log2_height + log2_depth)) + (gob_y | (gob_z << log2_height));
    return (gob << vec4u(8u)) | ((y & vec4u(3u)) << vec4u(6u));
}

// Loads word `index` of an element of 1, 2 or a multiple of 4 bytes; zero unless the texture holds the whole
// element.
fn texel_word(start: u32, bytes: u32, offset: u32, element_bytes: u32, index: u32, is_aligned: bool) -> u32 {
    let is_inside = offset < bytes && bytes - offset >= element_bytes;
    let address = select(0u, start + offset + 4u * index, is_inside);
    var word = 0u;
    if element_bytes == 1u {
        word = load_texel_u8(address);
    } else if element_bytes == 2u {
        if is_aligned {
            word = (load_texel_word(address) >> (8u * (address & 2u))) & 0xffffu;
        } else {
            word = load_texel_u16(address);
        }
    } else if is_aligned {
        word = load_texel_word(address);
    } else {
        word = load_texel_u32(address);
    }
    return select(0u, word, is_inside);
}

// `texel_word` for four pixels.
fn texel_words(window: vec2u, offsets: vec4u, element_bytes: u32, index: u32, is_aligned: bool) -> vec4u {
    return vec4u(
        texel_word(window.x, window.y, offsets.x, element_bytes, index, is_aligned),
        texel_word(window.x, window.y, offsets.y, element_bytes, index, is_aligned),
        texel_word(window.x, window.y, offsets.z, element_bytes, index, is_aligned),
        texel_word(window.x, window.y, offsets.w, element_bytes, index, is_aligned),
    );
}

// `texel_words` for textures that lie in memory completely, with elements at multiples of their size.
//
// A software adapter loads lane by lane and moves sums and shifts of an address into that loop, but not a minimum.
// The highest bits are zero, so the loop is followed by no further operation. An image returns whole words.
fn texel_whole_words(window: vec2u, offsets: vec4u, element_bytes: u32, index: u32) -> vec4u {
    let addresses = offsets + vec4u(window.x + 4u * index);
    if TEXELS_LIE_IN_IMAGE && element_bytes >= 4u {
        return vec4u(
            load_texel_word(addresses.x),
            load_texel_word(addresses.y),
            load_texel_word(addresses.z),
            load_texel_word(addresses.w),
        );
    }
    let most = vec4u((window.x + window.y) >> 2u) & vec4u(0x1fffffffu);
    let places = min((addresses >> vec4u(2u)) & vec4u(0x1fffffffu), most) << vec4u(2u);
    let words = vec4u(load_texel_word(places.x), load_texel_word(places.y), load_texel_word(places.z), load_texel_word(places.w));
    if element_bytes == 1u {
        return (words >> ((addresses & vec4u(3u)) << vec4u(3u))) & vec4u(0xffu);
    }
    if element_bytes == 2u {
        return (words >> ((addresses & vec4u(2u)) << vec4u(3u))) & vec4u(0xffffu);
    }
    return words;
}

// Expands a field of at most 8 bits to bytes.
fn texel_byte(words: vec4u, shift: u32, width: u32) -> vec4u {
    let values = (words >> vec4u(shift)) & vec4u((1u << width) - 1u);
    switch width {
        case 1u: { return values * 255u; }
        case 4u: { return values * 17u; }
        case 5u: { return (values * 527u + 23u) >> vec4u(6u); }
        case 6u: { return (values * 259u + 33u) >> vec4u(6u); }
        default: { return values; }
    }
}

// Expands colors of 5, 6 and 5 bits to bytes; alpha is left out.
fn texel_expand_565(color: vec4u) -> QuadVector {
    return QuadVector(
        ((color >> vec4u(11u)) * 527u + 23u) >> vec4u(6u),
        (((color >> vec4u(5u)) & vec4u(63u)) * 259u + 33u) >> vec4u(6u),
        ((color & vec4u(31u)) * 527u + 23u) >> vec4u(6u),
        vec4u(0u),
    );
}

// One channel of a block's palette, rounded to nearest.
fn texel_palette(first: vec4u, second: vec4u, index: vec4u, has_four_colors: vec4<bool>) -> vec4u {
    let near_first = (first * 2u + second + vec4u(1u)) / vec4u(3u);
    let near_second = (first + second * 2u + vec4u(1u)) / vec4u(3u);
    let middle = (first + second + vec4u(1u)) / vec4u(2u);
    var value = select(first, second, index == vec4u(1u));
    value = select(value, select(middle, near_first, has_four_colors), index == vec4u(2u));
    return select(value, select(vec4u(0u), near_second, has_four_colors), index == vec4u(3u));
}

// Texels of a block's colors as bytes; alpha is 0 for transparent texels.
fn texel_block_color(ends: vec4u, indices: vec4u, texel: vec4u, is_dxt1: bool) -> QuadVector {
    let first = ends & vec4u(0xffffu);
    let second = ends >> vec4u(16u);
    let index = (indices >> (texel * 2u)) & vec4u(3u);
    let has_four_colors = (first > second) | vec4<bool>(!is_dxt1);
    let a = texel_expand_565(first);
    let b = texel_expand_565(second);
    let is_clear = (index == vec4u(3u)) & !has_four_colors;
    return QuadVector(
        texel_palette(a.x, b.x, index, has_four_colors),
        texel_palette(a.y, b.y, index, has_four_colors),
        texel_palette(a.z, b.z, index, has_four_colors),
        select(vec4u(255u), vec4u(0u), is_clear),
    );
}

// A block's explicit alpha as bytes.
fn texel_block_explicit_alpha(low: vec4u, high: vec4u, texel: vec4u) -> vec4u {
    let word = select(low, high, texel >= vec4u(8u));
    return ((word >> ((texel & vec4u(7u)) * 4u)) & vec4u(15u)) * 17u;
}

// A block's interpolated alpha as bytes.
fn texel_block_interpolated_alpha(low: vec4u, high: vec4u, texel: vec4u) -> vec4u {
    let first = low & vec4u(255u);
    let second = (low >> vec4u(8u)) & vec4u(255u);
    let bit = vec4u(16u) + texel * 3u;
    // The first word holds 16 of the 48 index bits; `bit` is never 32 where both words are joined.
    let joined = (low >> (bit & vec4u(31u))) | (high << ((vec4u(32u) - bit) & vec4u(31u)));
    let index = select(joined, high >> (bit & vec4u(31u)), bit >= vec4u(32u)) & vec4u(7u);
    let steps = select(vec4u(5u), vec4u(7u), first > second);
    let mixed = ((steps + vec4u(1u) - index) * first + (index - vec4u(1u)) * second + steps / vec4u(2u)) / steps;
    var value = select(mixed, first, index == vec4u(0u));
    value = select(value, second, index == vec4u(1u));
    let is_six = first <= second;
    value = select(value, vec4u(0u), is_six & (index == vec4u(6u)));
    return select(value, vec4u(255u), is_six & (index == vec4u(7u)));
}

// Two's complement numbers of 8 or 16 bits: v/127 or v/32767, the least one below -1.
fn texel_signed(value: vec4u, width: u32) -> vec4u {
    let top = 1u << (width - 1u);
    // 128/127 and 32768/32767 are so many units above 1.
    let beyond = select(vec4u(0u), vec4u(select(0x100u, 0x10204u, width == 8u)), (value & vec4u(2u * top - 1u)) == vec4u(top));
    return texel_signed_clamped(value, width) + beyond;
}

// The same, at least -1.
fn texel_signed_clamped(value: vec4u, width: u32) -> vec4u {
    let top = 1u << (width - 1u);
    let is_negative = (value & vec4u(top)) != vec4u(0u);
    let low = value & vec4u(top - 1u);
    let magnitude = select(low, min(vec4u(top) - low, vec4u(top - 1u)), is_negative);
    return fp_unorm_to_float(magnitude, width - 1u) | select(vec4u(0u), vec4u(0x80000000u), is_negative);
}

// Positive depths as the upper 24 bits of single floats, to nearest even; negative numbers, denormals and NaN are 0.
fn texel_depth_float24(depth: vec4u) -> vec4u {
    let rounded = (depth + vec4u(63u) + ((depth >> vec4u(7u)) & vec4u(1u))) >> vec4u(7u);
    return select(rounded, vec4u(0u), (depth > vec4u(0x7f800000u)) | (depth < vec4u(0x00800000u)));
}

// The same for half floats.
fn texel_depth_float16(depth: vec4u) -> vec4u {
    return select(fp_half_bits_from(depth), vec4u(0u), depth > vec4u(0x7f800000u));
}

// Rounds a size up to a power of two.
fn texel_power_of_two(size: vec4u) -> vec4u {
    return vec4u(1u) << (vec4u(32u) - countLeadingZeros(size - vec4u(1u)));
}

// Interpolates floats with weights in 1/256.
fn texel_mix_floats(first: vec4u, second: vec4u, weight: vec4u) -> vec4u {
    let kept = bitcast<vec4u>(vec4f(vec4u(256u) - weight) * vec4f(0x1p-8));
    let taken = bitcast<vec4u>(vec4f(weight) * vec4f(0x1p-8));
    return select(fp_add(fp_mul(first, kept), fp_mul(second, taken)), first, weight == vec4u(0u));
}

// Interpolates bytes or 16-bit fractions with weights in 1/256.
fn texel_mix_integers(first: vec4u, second: vec4u, weight: vec4u) -> vec4u {
    return (first * (vec4u(256u) - weight) + second * weight + vec4u(128u)) >> vec4u(8u);
}
