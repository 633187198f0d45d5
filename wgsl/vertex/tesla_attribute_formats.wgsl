// Converts components of vertex attributes of the Tesla generation to the words that programs read; the twin of
// `crates/isa/src/format/tesla_vertex.rs`. Components are extended to 32 bits.
import package::arith::tesla_convert::{TeslaMagnitude, tesla_magnitude, tesla_float_of_magnitude, tesla_half_to_single};
import package::arith::tesla_float::TESLA_NEAREST_EVEN;

// v/(2^n - 1) to nearest for n of 1..=32 bits. The binary digits of the quotient repeat those of v without end, so that
// there are no ties. Leading zeros of v follow its other digits in every period.
fn tesla_unorm_component(value: u32, bits: u32) -> u32 {
    let zeros = countLeadingZeros(value) & 31u;
    var digits = value << zeros;
    for (var period = bits; period < 32u; period *= 2u) {
        digits |= digits >> period;
    }
    // All digits are ones if the quotient is 1: the carry runs into the exponent.
    let rounded = (digits >> 8u) + ((digits >> 7u) & 1u);
    return select(((157u - zeros - bits) << 23u) + rounded, 0u, value == 0u);
}

// The magnitude is at most that of the greatest value.
fn tesla_snorm_component(value: u32, bits: u32) -> u32 {
    let magnitude = bitcast<u32>(abs(bitcast<i32>(value)));
    let fraction = tesla_unorm_component(min(magnitude, (1u << (bits - 1u)) - 1u), bits - 1u);
    return (value & 0x80000000u) | fraction;
}

// An integer as a float.
fn tesla_integer_component(value: u32, is_signed: bool) -> u32 {
    return tesla_float_of_magnitude(tesla_magnitude(value, 32u, is_signed, false, false), TESLA_NEAREST_EVEN);
}

// A float of 16 bits, or one of 11 or 10 bits without sign.
fn tesla_float_component(value: u32, bits: u32) -> u32 {
    return tesla_half_to_single(value << (15u - min(bits, 15u)));
}
