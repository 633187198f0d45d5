//! Conversions against those of the host, and the documented errors of the chip.

use super::{ROUNDINGS, Random, SPECIAL};
use crate::arith::tesla::convert::ConversionFormat::{F16, F32, Integer};
use crate::arith::tesla::convert::{Conversion, ConversionFormat, convert, half_to_single, single_to_half};
use crate::arith::tesla::float::{flush, saturate};
use crate::arith::tesla::{Flags, Rounding};
use crate::arith::{INFINITY, NAN, ONE, SIGN, fragment, is_nan};

const U8: ConversionFormat = Integer { bits: 8, is_signed: false };
const S8: ConversionFormat = Integer { bits: 8, is_signed: true };
const U16: ConversionFormat = Integer { bits: 16, is_signed: false };
const S16: ConversionFormat = Integer { bits: 16, is_signed: true };
const U32: ConversionFormat = Integer { bits: 32, is_signed: false };
const S32: ConversionFormat = Integer { bits: 32, is_signed: true };
const INTEGERS: [ConversionFormat; 6] = [U8, S8, U16, S16, U32, S32];

const fn plain(from: ConversionFormat, to: ConversionFormat, rounding: Rounding) -> Conversion {
    Conversion { from, to, absolute: false, negate: false, rounding, rounds_to_integer: false, saturates: false }
}

fn result(value: u32, conversion: Conversion) -> u32 {
    convert(value, &conversion).0
}

/// The least and the greatest number of a format, and its number of bits.
fn range(format: ConversionFormat) -> (i64, i64, u32) {
    match format {
        Integer { bits, is_signed: false } => (0, (1 << bits) - 1, bits),
        Integer { bits, is_signed: true } => (-1 << (bits - 1), (1 << (bits - 1)) - 1, bits),
        F16 | F32 => unreachable!("an integer format"),
    }
}

/// The number in the low bits of a word.
fn number(value: u32, format: ConversionFormat) -> i64 {
    let (least, _, bits) = range(format);
    let unsigned = i64::from(value) % (1 << bits);
    if unsigned <= range(format).1 { unsigned } else { unsigned + 2 * least }
}

/// The register that holds a number: 16 bits, or the word.
fn register(value: i64, format: ConversionFormat) -> u32 {
    let bits = if range(format).2 == 16 { 16 } else { 32 };
    u32::try_from(value.rem_euclid(1 << bits)).expect("at most 32 bits")
}

#[test]
fn integers_are_clamped() {
    let mut random = Random(0x5020);
    for _ in 0..20_000 {
        let value = random.word().cast_signed().wrapping_shr(random.word()).cast_unsigned();
        for from in INTEGERS {
            for to in INTEGERS {
                for modifiers in 0..4 {
                    let (absolute, negate) = (modifiers & 1 != 0, modifiers & 2 != 0);
                    let source = number(value, from);
                    let source = if absolute { source.abs() } else { source };
                    let source = if negate { -source } else { source };
                    let (least, greatest, _) = range(to);
                    let clamped = source.clamp(least, greatest);
                    let expected = register(clamped, to);
                    let conversion = Conversion { absolute, negate, ..plain(from, to, Rounding::NearestEven) };
                    let is_negative = if to == U16 {
                        expected >= 0x8000
                    } else {
                        expected.cast_signed() < 0 || to == S16 && clamped < 0
                    };
                    let flags = Flags::new(clamped == 0, is_negative, false, false);
                    assert_eq!(convert(value, &conversion), (expected, flags), "{value:x} {conversion:?}");
                }
            }
        }
    }
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "the host rounds on purpose")]
fn integers_become_the_nearest_floats() {
    let mut random = Random(0x5021);
    for _ in 0..50_000 {
        let value = random.word().cast_signed().wrapping_shr(random.word()).cast_unsigned();
        for from in INTEGERS {
            let source = number(value, from);
            let nearest = source as f32;
            let (above, below) = (f64::from(nearest) > source as f64, f64::from(nearest) < source as f64);
            for rounding in ROUNDINGS {
                let expected = match rounding {
                    Rounding::Down if above => nearest.next_down(),
                    Rounding::Up if below => nearest.next_up(),
                    Rounding::TowardZero if above && source > 0 => nearest.next_down(),
                    Rounding::TowardZero if below && source < 0 => nearest.next_up(),
                    _ => nearest,
                };
                let conversion = plain(from, F32, rounding);
                assert_eq!(result(value, conversion), expected.to_bits(), "{value:x} {conversion:?}");
                let conversion = Conversion { saturates: true, ..conversion };
                assert_eq!(result(value, conversion), saturate(expected.to_bits()), "{value:x} {conversion:?}");
            }
        }
    }
    let negated = Conversion { negate: true, ..plain(S32, F32, Rounding::NearestEven) };
    assert_eq!(convert(0, &negated), (SIGN, Flags::new(true, false, false, false)), "the negated zero");
    assert_eq!(result(0x8000_0000, negated), 0x4f00_0000);
    let magnitude = Conversion { absolute: true, ..plain(S16, F32, Rounding::NearestEven) };
    assert_eq!(result(0x8000, magnitude), 0x4700_0000);
}

/// Rounds a number to an integer by the host's functions.
fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
        Rounding::TowardZero => value.trunc(),
    }
}

/// Floats around the ranges of integers, and any.
fn float(random: &mut Random) -> u32 {
    if random.word() & 1 == 0 {
        return random.any();
    }
    let exponent = 120 + random.word() % 42;
    random.float(exponent)
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "the conversion of the host clamps")]
fn floats_are_rounded_and_clamped_to_integers() {
    let mut random = Random(0x5022);
    let specials = SPECIAL.iter().flat_map(|&bits| [bits, bits | SIGN]);
    for value in specials.chain((0..100_000).map(|_| float(&mut random))) {
        for (to, rounding) in [U16, S16, U32, S32].into_iter().flat_map(|to| ROUNDINGS.map(|rounding| (to, rounding))) {
            let source = f64::from(f32::from_bits(flush(value)));
            let (least, greatest, _) = range(to);
            let expected = register((integral(source, rounding) as i64).clamp(least, greatest), to);
            assert_eq!(result(value, plain(F32, to, rounding)), expected, "{value:x} {to:?} {rounding:?}");
            let modified = Conversion { absolute: true, negate: true, ..plain(F32, to, rounding) };
            let expected = register((integral(-source.abs(), rounding) as i64).clamp(least, greatest), to);
            assert_eq!(result(value, modified), expected, "{value:x} {to:?} {rounding:?}");
        }
    }
    // Half-precision denormals are numbers.
    assert_eq!(ROUNDINGS.map(|rounding| result(0x8001, plain(F16, S32, rounding))), [0, u32::MAX, 0, 0]);
    assert_eq!(result(0x7c00, plain(F16, U16, Rounding::NearestEven)), 0xffff);
    assert_eq!(convert(0x4f00_0000, &plain(F32, U32, Rounding::TowardZero)).1.bits(), 2, "flags are signed");
}

#[test]
#[expect(clippy::cast_possible_truncation, reason = "integral floats are exact in single precision")]
fn floats_are_rounded_to_integral_floats() {
    let mut random = Random(0x5023);
    for value in SPECIAL.iter().flat_map(|&bits| [bits, bits | SIGN]).chain((0..100_000).map(|_| float(&mut random))) {
        for rounding in ROUNDINGS {
            let source = f64::from(f32::from_bits(flush(value)));
            let expected = if is_nan(value) { NAN } else { (integral(source, rounding) as f32).to_bits() };
            let conversion = Conversion { rounds_to_integer: true, ..plain(F32, F32, rounding) };
            assert_eq!(result(value, conversion), expected, "{value:x} {rounding:?}");
            // Clamping comes first.
            let clamped = Conversion { saturates: true, ..conversion };
            let expected =
                if is_nan(value) { NAN } else { (integral(source.clamp(0.0, 1.0), rounding) as f32 + 0.0).to_bits() };
            assert_eq!(result(value, clamped), expected, "{value:x} {rounding:?}");
        }
        let plain = plain(F32, F32, Rounding::NearestEven);
        assert_eq!(result(value, plain), if is_nan(value) { NAN } else { flush(value) });
    }
}

#[test]
fn every_half_survives_single_precision() {
    for half in 0..0x1_0000 {
        let single = result(half, plain(F16, F32, Rounding::NearestEven));
        let is_nan = half & 0x7fff > 0x7c00;
        assert_eq!(single, if is_nan { NAN } else { half_to_single(half) });
        for rounding in ROUNDINGS {
            assert_eq!(single_to_half(single, rounding), if is_nan { 0x7fff } else { half }, "{half:x} {rounding:?}");
        }
    }
}

#[test]
fn single_precision_is_rounded_to_half() {
    let mut random = Random(0x5024);
    for index in 0..300_000 {
        let exponent = 90 + random.word() % 56;
        let value = if index % 8 == 0 { random.any() } else { random.float(exponent) };
        let nearest = single_to_half(value, Rounding::NearestEven);
        assert_eq!(nearest, u32::from(fragment::half_bits_from(flush(value))), "{value:08x}");
        if is_nan(value) {
            continue;
        }
        let magnitude = value & !SIGN;
        let zero = single_to_half(magnitude, Rounding::TowardZero);
        let away = single_to_half(magnitude, Rounding::Up);
        assert_eq!(single_to_half(magnitude, Rounding::Down), zero);
        assert_eq!(single_to_half(magnitude | SIGN, Rounding::Down), away | 0x8000);
        assert_eq!(single_to_half(magnitude | SIGN, Rounding::Up), zero | 0x8000);
        // Below 2⁻³³ nothing is rounded up.
        let is_tiny = magnitude < (127 - 33) << 23;
        let is_exact = half_to_single(zero) == magnitude || is_tiny;
        assert_eq!(away, zero + u32::from(!is_exact), "{value:08x}");
        assert!(half_to_single(zero) <= magnitude && (half_to_single(away) >= magnitude || is_tiny), "{value:08x}");
    }
}

#[test]
fn integral_halves_truncate() {
    let integral = |rounding| Conversion { rounds_to_integer: true, ..plain(F32, F16, rounding) };
    // 2049.5 becomes 2050, which halves have; 2050.5 becomes 2050 or 2051, which is truncated.
    assert_eq!(ROUNDINGS.map(|rounding| result(0x4500_1800, integral(rounding))), [0x6801, 0x6800, 0x6801, 0x6800]);
    assert_eq!(ROUNDINGS.map(|rounding| result(0x4500_2800, integral(rounding))), [0x6801; 4]);
    // 65536 is beyond the range.
    assert_eq!(ROUNDINGS.map(|rounding| result(0x4780_0000, integral(rounding))), [0x7c00, 0x7bff, 0x7c00, 0x7bff]);
    let clamped = Conversion { saturates: true, ..plain(F16, F16, Rounding::NearestEven) };
    assert_eq!([0xbc00, 0x4000, 0x7e00, 0x8001].map(|half| result(half, clamped)), [0, 0x3c00, 0x7fff, 0]);
    let flags = [0x8001, 1, 0, 0x7c01].map(|half| convert(half, &plain(F16, F16, Rounding::NearestEven)).1.bits());
    assert_eq!(flags, [2, 0, 1, 3], "denormal halves are not zero");
}

#[test]
fn integers_become_halves_with_the_errors_of_the_chip() {
    let unsigned = |rounding| plain(U32, F16, rounding);
    let signed = |rounding| plain(S32, F16, rounding);
    // Integers of 16 bits with the highest one set are correct, and so are shorter ones.
    for value in 0..0x8000u32 {
        assert_eq!(
            result(value, unsigned(Rounding::TowardZero)),
            single_to_half(fragment::int_to_float(value.cast_signed()), Rounding::TowardZero)
        );
    }
    assert_eq!(result(0xffe0, unsigned(Rounding::NearestEven)), 0x7bff);
    assert_eq!(result(0xffff, unsigned(Rounding::NearestEven)), 0x7c00);
    // The low half 0x8000 has no leading zeros, so that two bits are lost; 1 has fifteen, so that seven are.
    assert_eq!(result(0xc000_8000, unsigned(Rounding::TowardZero)), 0x7800);
    assert_eq!(result(0x2000_8000, unsigned(Rounding::TowardZero)), 0x7bff);
    assert_eq!(result(0xfe00_0001, unsigned(Rounding::TowardZero)), 0x3c00);
    assert_eq!(result(0x0100_0001, unsigned(Rounding::TowardZero)), 0x7bff);
    // A negative source counts the zeros of the magnitude less one: 0x7fff has one.
    assert_eq!(result(0x2000_8000u32.wrapping_neg(), signed(Rounding::TowardZero)), 0xf800);
    let magnitude = Conversion { absolute: true, ..signed(Rounding::TowardZero) };
    assert_eq!(result(0x2000_8000u32.wrapping_neg(), magnitude), 0x7800);
    // Ones in bits 29:5 are lost where the rounding may carry into bit 30.
    let ones = 0x3fff_ffe0;
    assert_eq!(ROUNDINGS.map(|rounding| result(ones, unsigned(rounding))), [0, 0x7bff, 0, 0x7bff]);
    let negative = ones.wrapping_neg();
    assert_eq!(ROUNDINGS.map(|rounding| result(negative, signed(rounding))), [0x8000, 0x8000, 0xfbff, 0xfbff]);
    // Single precision does not have the errors.
    assert_eq!(result(ones, plain(U32, F32, Rounding::TowardZero)), 0x4e7f_ffff);
    // An integer is rounded twice: 32 bits to 24, then to 11.
    let clamped = Conversion { saturates: true, ..unsigned(Rounding::NearestEven) };
    assert_eq!([0, 1, 5].map(|value| result(value, clamped)), [0, 0x3c00, 0x3c00]);
    assert_eq!(result(INFINITY, plain(F32, F16, Rounding::TowardZero)), 0x7c00);
    assert_eq!(result(ONE, plain(F32, F16, Rounding::TowardZero)), 0x3c00);
}
