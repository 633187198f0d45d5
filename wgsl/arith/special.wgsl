// Computes the special functions of both processors on four values at once; the twin of `crates/isa/src/arith/special.rs`.
//
// WGSL has no 64-bit integers: products are split into parts that fit 32 bits, and the parts are recombined with
// the exact floor of the whole.
import package::arith::bits::{BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_ONES, BITS_MIN_NORMAL};
import package::arith::bits::{bits_is_nan, bits_is_zero, bits_exponent, bits_significand};
import package::arith::tables::{table_index, table_logarithm_value, table_logarithm_slope, table_exponential_value};
import package::arith::tables::{table_exponential_slope, table_sine_value, table_sine_slope};

// The fraction of 1/m for m in (1, 2): a seven-bit guess and two Newton steps.
fn special_reciprocal_fraction(fraction: vec4u) -> vec4u {
    let m = fraction | vec4u(0x800000u);
    // The table's entries are 8192/(i + 64.5) rounded; none is nearer than 0.002 to a tie, so any division will do.
    let divisor = vec4f(vec4i(((fraction >> vec4u(17u)) << vec4u(1u)) + vec4u(129u)));
    let guess = vec4u(vec4i(vec4f(16384.0) / divisor + vec4f(0.5)));
    let error = vec4u(0x80000000u) - guess * m;
    let better = ((error >> vec4u(16u)) * guess + (((error & vec4u(0xffffu)) * guess) >> vec4u(16u))) >> vec4u(8u);
    // 2³⁷ − better·m in two limbs of 12 low bits.
    let low_product = better * (m & vec4u(0xfffu));
    let low = (vec4u(0u) - low_product) & vec4u(0xfffu);
    let borrow = select(vec4u(0u), vec4u(1u), low != vec4u(0u));
    let high = vec4u(0x2000000u) - better * (m >> vec4u(12u)) - (low_product >> vec4u(12u)) - borrow;
    let rest = (high & vec4u(0x1fffu)) * better + ((low * better) >> vec4u(12u));
    return ((high >> vec4u(13u)) * better + (rest >> vec4u(13u))) & vec4u(BITS_FRACTION);
}

// Exponent and fraction of 1/a, before the special cases.
struct SpecialParts {
    exponent: vec4i,
    fraction: vec4u,
}

fn special_reciprocal_parts(a: vec4u) -> SpecialParts {
    let fraction = a & vec4u(BITS_FRACTION);
    let is_power = fraction == vec4u(0u);
    let exponent = select(vec4i(0xfd), vec4i(0xfe), is_power) - bits_exponent(a);
    return SpecialParts(exponent, select(special_reciprocal_fraction(fraction), vec4u(0u), is_power));
}

// The magnitude of 1/a. Where 1/a is not a normal number, the magnitude is below the least normal number as a
// signed integer.
fn special_reciprocal_magnitude(a: vec4u) -> vec4u {
    let fraction = a & vec4u(BITS_FRACTION);
    let exponent = a & vec4u(BITS_INFINITY);
    let between = (vec4u(0x7e800000u) - exponent) | special_reciprocal_fraction(fraction);
    return select(between, vec4u(0x7f000000u) - exponent, fraction == vec4u(0u));
}

fn special_rcp(a: vec4u) -> vec4u {
    var magnitude = special_reciprocal_magnitude(a);
    magnitude = select(magnitude, vec4u(0u), vec4i(magnitude) < vec4i(i32(BITS_MIN_NORMAL)));
    magnitude = select(magnitude, vec4u(BITS_INFINITY), bits_is_zero(a));
    return select(magnitude | (a & vec4u(BITS_SIGN)), vec4u(BITS_NAN), bits_is_nan(a));
}

// Clamps the magnitude to 2⁻⁶⁴..2⁶⁴.
fn special_rcc(a: vec4u) -> vec4u {
    let parts = special_reciprocal_parts(a);
    var magnitude = (vec4u(parts.exponent) << vec4u(23u)) | parts.fraction;
    magnitude = select(magnitude, vec4u(0x1f800000u), parts.exponent < vec4i(0x3f));
    magnitude = select(magnitude, vec4u(0x5f800000u), parts.exponent >= vec4i(0xbf));
    return select(magnitude | (a & vec4u(BITS_SIGN)), vec4u(BITS_NAN), bits_is_nan(a));
}

// The fraction of 1/√m for m of 24 or 25 bits: a seven-bit guess and two Newton steps.
fn special_root_fraction(m: vec4u, index: vec4u) -> vec4u {
    // The table's entries are 128/√m at the middle of each interval, rounded, at most 127; none is nearer than 0.004
    // to a tie.
    let middle = vec4f(((index & vec4u(63u)) << vec4u(1u)) + vec4u(129u)) * select(vec4f(0.0078125), vec4f(0.015625), index >= vec4u(64u));
    let guess = min(vec4u(inverseSqrt(middle) * vec4f(128.0) + vec4f(0.5)), vec4u(127u));
    // (3·2³⁷ − guess²·m)·guess / 2³², in limbs of 12 low bits.
    let guess_squared = guess * guess;
    let first_product = guess_squared * (m & vec4u(0xfffu));
    let first_low = (vec4u(0u) - first_product) & vec4u(0xfffu);
    let first_borrow = select(vec4u(0u), vec4u(1u), first_low != vec4u(0u));
    let first_high = vec4u(0x6000000u) - guess_squared * (m >> vec4u(12u)) - (first_product >> vec4u(12u)) - first_borrow;
    let first_rest = (first_high & vec4u(0x3ffu)) * guess + ((first_low * guess) >> vec4u(12u));
    let better = ((first_high >> vec4u(10u)) * guess + (first_rest >> vec4u(10u))) >> vec4u(10u);
    // (3·2⁴⁹ − better²·m)·better / 2³⁹, in limbs of 13 bits.
    let squared = better * better;
    let s0 = squared & vec4u(0x1fffu);
    let s1 = squared >> vec4u(13u);
    let m0 = m & vec4u(0x1fffu);
    let m1 = m >> vec4u(13u);
    let product0 = s0 * m0;
    let product1 = s1 * m0 + s0 * m1 + (product0 >> vec4u(13u));
    let product_low = ((product1 & vec4u(0x1fffu)) << vec4u(13u)) | (product0 & vec4u(0x1fffu));
    let low = (vec4u(0u) - product_low) & vec4u(0x3ffffffu);
    let borrow = select(vec4u(0u), vec4u(1u), low != vec4u(0u));
    let high = vec4u(0x1800000u) - s1 * m1 - (product1 >> vec4u(13u)) - borrow;
    let carried = ((low >> vec4u(13u)) * better + (((low & vec4u(0x1fffu)) * better) >> vec4u(13u))) >> vec4u(13u);
    let rest = (high & vec4u(0x1fffu)) * better + carried;
    return ((high >> vec4u(13u)) * better + (rest >> vec4u(13u))) & vec4u(BITS_FRACTION);
}

// 1/√|a|.
fn special_rsq(a: vec4u) -> vec4u {
    let exponent = (a >> vec4u(23u)) & vec4u(0xffu);
    let fraction = a & vec4u(BITS_FRACTION);
    let is_odd_power = (exponent & vec4u(1u)) == vec4u(0u);
    let m = select(fraction | vec4u(0x800000u), (fraction | vec4u(0x800000u)) << vec4u(1u), is_odd_power);
    let index = (fraction >> vec4u(17u)) | select(vec4u(0u), vec4u(64u), is_odd_power);
    // 0x7f − (e − 0x7f)/2 − 1 for odd and 0x7f − (e − 0x80)/2 − 1 for even exponent fields; e + (e & 1) is even.
    let result = vec4u(0xbeu) - ((exponent + (exponent & vec4u(1u))) >> vec4u(1u));
    var magnitude = (result << vec4u(23u)) | special_root_fraction(m, index);
    magnitude = select(magnitude, (result + vec4u(1u)) << vec4u(23u), (fraction == vec4u(0u)) & !is_odd_power);
    magnitude = select(magnitude, vec4u(0u), exponent == vec4u(0xffu));
    magnitude = select(magnitude, vec4u(BITS_INFINITY), exponent == vec4u(0u));
    return select(magnitude, vec4u(BITS_NAN), bits_is_nan(a));
}

// Fixed point with 38 fraction bits: units of 2⁻²³, and 15 bits below.
struct SpecialFixed {
    high: vec4i,
    low: vec4i,
}

// r² in units of 2¹⁴, rounded as the squarer rounds.
fn special_square(r: vec4i) -> vec4i {
    let high = r >> vec4u(7u);
    var result = high * high + select(vec4i(0), high, (r & vec4i(64)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(4096)) >> vec4u(13u), (r & vec4i(1)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(2048)) >> vec4u(12u), (r & vec4i(2)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(1024)) >> vec4u(11u), (r & vec4i(4)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(512)) >> vec4u(10u), (r & vec4i(8)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(256)) >> vec4u(9u), (r & vec4i(16)) != vec4i(0));
    result += select(vec4i(0), (r + vec4i(128)) >> vec4u(8u), (r & vec4i(32)) != vec4i(0));
    return result;
}

// One digit below the unit of the radix-4 Booth product: ±r or ±2r, shifted and rounded half up.
fn special_booth_digit(digits: vec4u, position: u32, r: vec4i) -> vec4i {
    let is_negative = vec4i(digits << vec4u(29u - 2u * position)) >> vec4u(31u);
    // Negative digits are complements of positive ones: 0, ±1, ±1, ±2.
    let digit = (digits >> vec4u(position * 2u)) & vec4u(3u);
    let magnitude = (vec4i(digit) ^ is_negative) & vec4i(3);
    let once = (r + vec4i(1i << (13u - 2u * position))) >> vec4u(14u - 2u * position);
    let twice = (r + vec4i((1i << (13u - 2u * position)) >> 1u)) >> vec4u(13u - 2u * position);
    let value = select(select(once, twice, magnitude == vec4i(3)), vec4i(0), magnitude == vec4i(0));
    return (value ^ is_negative) - is_negative;
}

// c·r in units of 2¹⁴. The digits of weight 1 and above are exact, so one multiplication covers them.
fn special_booth_product(c: vec4u, r: vec4i) -> vec4i {
    let digits = c << vec4u(1u);
    var result = vec4i((c >> vec4u(14u)) + ((c >> vec4u(13u)) & vec4u(1u))) * r;
    result += special_booth_digit(digits, 0u, r);
    result += special_booth_digit(digits, 1u, r);
    result += special_booth_digit(digits, 2u, r);
    result += special_booth_digit(digits, 3u, r);
    result += special_booth_digit(digits, 4u, r);
    result += special_booth_digit(digits, 5u, r);
    result += special_booth_digit(digits, 6u, r);
    return result;
}

// The interval of a 23-bit fraction: its nearest even point and the signed distance from it.
fn special_point(fraction: vec4u) -> vec4u {
    return ((fraction >> vec4u(16u)) + vec4u(1u)) >> vec4u(1u);
}

fn special_distance(fraction: vec4u) -> vec4i {
    return vec4i(fraction & vec4u(0xffffu)) - vec4i(fraction & vec4u(0x10000u));
}

// Value plus slope times distance, minus `bend`, the curvature's share (already divided by 2⁵).
fn special_line(value: vec4u, slope: vec4u, distance: vec4i, bend: vec4i) -> SpecialFixed {
    let product = special_booth_product(slope, distance);
    let low = ((product & vec4i(0x1ff)) << vec4u(6u)) - bend;
    return SpecialFixed(vec4i(value) + (product >> vec4u(9u)) + (low >> vec4u(15u)), low & vec4i(0x7fff));
}

fn special_interpolate_subtracting(row0: vec4u, row1: vec4u, distance: vec4i) -> SpecialFixed {
    let square = special_square(distance);
    let curvature = vec4i((row0 >> vec4u(24u)) | ((row1 >> vec4u(24u)) << vec4u(8u)));
    let bend = (curvature * square + ((square - vec4i(0x400)) >> vec4u(12u)) + vec4i(0x20)) >> vec4u(5u);
    return special_line(row0 & vec4u(0xffffffu), row1 & vec4u(0xffffffu), distance, bend);
}

// Converts a fixed-point magnitude and its sign to a float; truncates.
fn special_float_from_fixed(sign: vec4u, fixed: SpecialFixed) -> vec4u {
    // The 46 bits as two words, normalized to the top.
    let top = (vec4u(fixed.high) << vec4u(1u)) | (vec4u(fixed.low) >> vec4u(14u));
    let bottom = vec4u(fixed.low) << vec4u(18u);
    let is_tiny = top == vec4u(0u);
    let word = select(top, bottom, is_tiny);
    let shift = countLeadingZeros(word) & vec4u(31u);
    let filler = select((bottom >> vec4u(1u)) >> (vec4u(31u) - shift), vec4u(0u), is_tiny);
    let normal = (word << shift) | filler;
    let exponent = select(vec4u(134u), vec4u(102u), is_tiny) - shift;
    let result = sign | (exponent << vec4u(23u)) | ((normal >> vec4u(8u)) & vec4u(BITS_FRACTION));
    return select(result, vec4u(0u), word == vec4u(0u));
}

fn special_lg2(a: vec4u) -> vec4u {
    let fraction = a & vec4u(BITS_FRACTION);
    let point = table_index(special_point(fraction));
    let row0 = table_logarithm_value(point);
    let row1 = table_logarithm_slope(point);
    var fixed = special_interpolate_subtracting(row0, row1, special_distance(fraction));
    fixed.high += (bits_exponent(a) - vec4i(127)) << vec4u(23u);
    // One's complement of negative numbers.
    let mask = fixed.high >> vec4u(31u);
    let magnitude = SpecialFixed(fixed.high ^ mask, fixed.low ^ (mask & vec4i(0x7fff)));
    var result = special_float_from_fixed(vec4u(mask) & vec4u(BITS_SIGN), magnitude);
    result = select(result, vec4u(BITS_INFINITY), a == vec4u(BITS_INFINITY));
    result = select(result, vec4u(BITS_NAN), (a >= vec4u(BITS_SIGN)) | bits_is_nan(a));
    return select(result, vec4u(BITS_SIGN | BITS_INFINITY), bits_is_zero(a));
}

fn special_ex2(a: vec4u) -> vec4u {
    let exponent = bits_exponent(a);
    let is_negative = a >= vec4u(BITS_SIGN);
    let significand = bits_significand(a);
    let shift = exponent - vec4i(127);
    let magnitude = select(significand >> vec4u(clamp(-shift, vec4i(0), vec4i(31))), significand << vec4u(clamp(shift, vec4i(0), vec4i(6))), shift >= vec4i(0));
    let fixed = select(magnitude, ~magnitude, is_negative);
    let floor = vec4i(fixed) >> vec4u(23u);
    let fraction = fixed & vec4u(BITS_FRACTION);
    let point = table_index(special_point(fraction));
    let row0 = table_exponential_value(point);
    let row1 = table_exponential_slope(point);
    let distance = special_distance(fraction);
    let curvature = vec4i((row0 >> vec4u(24u)) | ((row1 >> vec4u(24u)) << vec4u(8u)));
    let bend = (curvature * special_square(distance)) >> vec4u(5u);
    let line = special_line(row0 & vec4u(0xffffffu), row1 & vec4u(0xffffffu), distance, -bend);
    var result = vec4u(((floor + vec4i(127)) << vec4u(23u)) + line.high);
    result = select(result, vec4u(0u), floor <= vec4i(-127));
    result = select(result, select(vec4u(BITS_INFINITY), vec4u(0u), is_negative), exponent >= vec4i(0x86));
    result = select(result, BITS_ONES, exponent < vec4i(0x46));
    return select(result, vec4u(BITS_NAN), bits_is_nan(a));
}

// Converts an angle in radians to turns with 25 fraction bits; the sign is a complement.
fn special_turns(a: vec4u) -> vec4u {
    // The steps of fraction bits 0..20 together fit 32 bits.
    var sum = vec4u(0u);
    sum += select(vec4u(0u), vec4u(0x518u), (a & vec4u(0x1u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0xa2fu), (a & vec4u(0x2u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x145fu), (a & vec4u(0x4u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x28bfu), (a & vec4u(0x8u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x517du), (a & vec4u(0x10u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0xa2f9u), (a & vec4u(0x20u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x145f3u), (a & vec4u(0x40u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x28be6u), (a & vec4u(0x80u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x517ccu), (a & vec4u(0x100u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0xa2f98u), (a & vec4u(0x200u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x145f31u), (a & vec4u(0x400u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x28be61u), (a & vec4u(0x800u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x517cc2u), (a & vec4u(0x1000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0xa2f983u), (a & vec4u(0x2000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x145f307u), (a & vec4u(0x4000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x28be60eu), (a & vec4u(0x8000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x517cc1bu), (a & vec4u(0x10000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0xa2f9837u), (a & vec4u(0x20000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x145f306eu), (a & vec4u(0x40000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x28be60dbu), (a & vec4u(0x80000u)) != vec4u(0u));
    sum += select(vec4u(0u), vec4u(0x517cc1b7u), (a & vec4u(0x100000u)) != vec4u(0u));
    let has_21 = (a & vec4u(0x200000u)) != vec4u(0u);
    let has_22 = (a & vec4u(0x400000u)) != vec4u(0u);
    let low = (sum & vec4u(0xffu)) + select(vec4u(0u), vec4u(0x6eu), has_21) + select(vec4u(0u), vec4u(0xdcu), has_22) + vec4u(0xb8u);
    let high = (sum >> vec4u(8u)) + select(vec4u(0u), vec4u(0xa2f983u), has_21) + select(vec4u(0u), vec4u(0x145f306u), has_22) + vec4u(0x28be60du);
    let product = high + (low >> vec4u(8u));
    let exponent = bits_exponent(a);
    // The hardware takes the shift modulo 32, from −31 at 0x63.
    var shift = exponent - vec4i(0x82);
    shift += select(vec4i(0), vec4i(0x20), exponent < vec4i(0x63));
    shift -= select(vec4i(0), vec4i(0x20), exponent >= vec4i(0xa2));
    shift -= select(vec4i(0), vec4i(0x20), exponent >= vec4i(0xc2));
    shift -= select(vec4i(0), vec4i(0x20), exponent >= vec4i(0xe2));
    let magnitude = select(product >> vec4u(-shift & vec4i(31)), product << vec4u(shift & vec4i(31)), shift >= vec4i(0));
    return select(magnitude, ~magnitude, a >= vec4u(BITS_SIGN));
}

fn special_sine_of_turns(angle: vec4u) -> vec4u {
    let folded = select(angle, ~angle, (angle & vec4u(0x800000u)) != vec4u(0u)) & vec4u(BITS_FRACTION);
    let point = table_index(special_point(folded));
    let row0 = table_sine_value(point);
    let row1 = table_sine_slope(point);
    let fixed = special_interpolate_subtracting(row0, row1, special_distance(folded));
    return special_float_from_fixed((angle << vec4u(7u)) & vec4u(BITS_SIGN), fixed);
}

fn special_sin(a: vec4u) -> vec4u {
    let exponent = bits_exponent(a);
    let result = select(special_sine_of_turns(special_turns(a)), vec4u(0u), exponent < vec4i(0x60));
    return select(result, vec4u(BITS_NAN), exponent == vec4i(0xff));
}

fn special_cos(a: vec4u) -> vec4u {
    let exponent = bits_exponent(a);
    let result = select(special_sine_of_turns(special_turns(a) + vec4u(0x800000u)), BITS_ONES, exponent < vec4i(0x70));
    return select(result, vec4u(BITS_NAN), exponent == vec4i(0xff));
}
