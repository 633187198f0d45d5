// Converts words of vertex arrays to float bits, as the vertex fetch unit does.

// The leading 24 bits of 32-bit fractions, as floats.
fn fraction_to_float(fraction: vec4u) -> vec4u {
    let zeros = countLeadingZeros(fraction);
    let shifted = fraction << min(zeros, vec4u(31u));
    let bits = ((vec4u(126u) - zeros) << vec4u(23u)) | ((shifted >> vec4u(8u)) & vec4u(0x007fffffu));
    return select(bits, vec4u(0u), fraction == vec4u(0u));
}

fn bytes_of(word: u32) -> vec4u {
    return (vec4u(word) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(0xffu);
}

fn half_words_of(words: vec2u) -> vec4u {
    return (words.xxyy >> vec4u(0u, 16u, 0u, 16u)) & vec4u(0xffffu);
}

// Bytes as v / 255, truncated; 255 is exactly 1.
fn unorm8_elements(word: u32) -> vec4u {
    let bytes = bytes_of(word);
    return select(fraction_to_float(bytes * 0x01010101u), vec4u(0x3f800000u), bytes == vec4u(255u));
}

// Bytes as integers.
fn u8_elements(word: u32) -> vec4u {
    return bitcast<vec4u>(vec4f(bytes_of(word)));
}

fn signed_half_words_of(words: vec2u) -> vec4i {
    return bitcast<vec4i>(half_words_of(words) << vec4u(16u)) >> vec4u(16u);
}

// Signed 16-bit values as (2v + 1) / 65535, truncated; the ends are exactly -1 and 1.
fn snorm16_elements(words: vec2u) -> vec4u {
    let values = signed_half_words_of(words);
    let magnitude = bitcast<vec4u>(abs(values * 2 + 1));
    let sign = bitcast<vec4u>(values) & vec4u(0x80000000u);
    let inner = sign | fraction_to_float(magnitude * 0x10001u);
    let ends = (values == vec4i(-32768)) | (values == vec4i(32767));
    return select(inner, sign | vec4u(0x3f800000u), ends);
}

// Signed 16-bit values as integers.
fn s16_elements(words: vec2u) -> vec4u {
    return bitcast<vec4u>(vec4f(signed_half_words_of(words)));
}

// Halves, exactly; NaN becomes the chip's single NaN.
fn half_elements(words: vec2u) -> vec4u {
    let halves = half_words_of(words);
    let sign = (halves & vec4u(0x8000u)) << vec4u(16u);
    let exponent = (halves >> vec4u(10u)) & vec4u(31u);
    let fraction = halves & vec4u(0x3ffu);
    let normal = sign | ((exponent + 112u) << vec4u(23u)) | (fraction << vec4u(13u));
    let shift = max(countLeadingZeros(fraction), vec4u(21u)) - 21u;
    let moved = (fraction << min(shift, vec4u(31u))) & vec4u(0x3ffu);
    let denormal = sign | ((vec4u(113u) - shift) << vec4u(23u)) | (moved << vec4u(13u));
    let small = select(denormal, sign, fraction == vec4u(0u));
    let large = select(vec4u(0x7fffffffu), sign | vec4u(0x7f800000u), fraction == vec4u(0u));
    return select(select(normal, large, exponent == vec4u(31u)), small, exponent == vec4u(0u));
}

// Signed fields of 11, 11 and 10 bits, shifted left to 16 bits and divided by 32767; w is 1.
fn s11s11s10_elements(word: u32) -> vec4u {
    let values = bitcast<vec4i>(vec4u(word << 21u, (word << 10u) & 0xffe00000u, word & 0xffc00000u, 0u)) >> vec4u(16u);
    let magnitude = bitcast<vec4u>(abs(values));
    let sign = bitcast<vec4u>(values) & vec4u(0x80000000u);
    // m / 32767 is the fraction whose 15-bit digits are all m. It never ends, so rounding to nearest has no ties.
    let high = (magnitude << vec4u(17u)) | (magnitude << vec4u(2u)) | (magnitude >> vec4u(13u));
    let low = (magnitude << vec4u(19u)) | (magnitude << vec4u(4u)) | (magnitude >> vec4u(11u));
    let zeros = countLeadingZeros(max(high, vec4u(1u)));
    let shifted = (high << zeros) | select(vec4u(0u), low >> (vec4u(32u) - max(zeros, vec4u(1u))), zeros > vec4u(0u));
    let rounded = (shifted >> vec4u(8u)) + ((shifted >> vec4u(7u)) & vec4u(1u));
    let inner = sign | (((vec4u(126u) - zeros) << vec4u(23u)) + (rounded & vec4u(0x007fffffu)));
    // 32768 / 32767 = 1 + 2^-15 + 2^-30 + …
    let outer = select(inner, sign | vec4u(0x3f800100u), magnitude == vec4u(0x8000u));
    return vec4u(select(outer, vec4u(0u), magnitude == vec4u(0u)).xyz, 0x3f800000u);
}
