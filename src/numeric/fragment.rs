//! Stand-in for the fragment arithmetic until the module of that name arrives.
#![expect(missing_docs, clippy::cast_possible_truncation, reason = "replaced on merge")]

fn f(a: u32) -> f32 {
    let v = f32::from_bits(a);
    if v.is_subnormal() { f32::from_bits(a & 0x8000_0000) } else { v }
}
fn b(v: f32) -> u32 {
    if v.is_nan() {
        0x7fff_ffff
    } else if v.is_subnormal() {
        v.to_bits() & 0x8000_0000
    } else {
        v.to_bits()
    }
}
pub fn add(x: u32, y: u32) -> u32 {
    b(f(x) + f(y))
}
pub fn sub(x: u32, y: u32) -> u32 {
    b(f(x) - f(y))
}
pub fn mul(x: u32, y: u32) -> u32 {
    b(f(x) * f(y))
}
pub fn max(x: u32, y: u32) -> u32 {
    b(f(x).max(f(y)))
}
pub fn min(x: u32, y: u32) -> u32 {
    b(f(x).min(f(y)))
}
pub fn frc(x: u32) -> u32 {
    b(f(x) - f(x).floor())
}
pub fn lg2(x: u32) -> u32 {
    b(f(x).log2())
}
pub fn rcp(x: u32) -> u32 {
    b(1.0 / f(x))
}
pub fn pow(x: u32, y: u32) -> u32 {
    b(f(x).powf(f(y)))
}
pub fn is_less(x: u32, y: u32) -> bool {
    f(x) < f(y)
}
pub fn float_to_unorm(x: u32, bits: u32) -> u32 {
    let v = f64::from(f(x));
    let v = if v.is_nan() { 0.0 } else { v.clamp(0.0, 1.0) };
    (v * f64::from((1u64 << bits) as u32 - 1) + 0.5).floor() as u32
}
pub fn unorm_to_float(v: u32, bits: u32) -> u32 {
    ((f64::from(v) / f64::from((1u64 << bits) as u32 - 1)) as f32).to_bits()
}
pub fn float_to_int_floor(x: u32) -> i32 {
    f(x).floor() as i32
}
pub fn int_to_float(v: i32) -> u32 {
    (v as f32).to_bits()
}
pub fn float_to_fixed(x: u32, fraction: u32) -> i32 {
    (f64::from(f(x)) * f64::from(1 << fraction) + 0.5).floor() as i32
}
pub fn half_bits_to(h: u16) -> u32 {
    let (s, e, m) = (u32::from(h >> 15) << 31, u32::from(h >> 10 & 31), u32::from(h & 1023));
    match (e, m) {
        (0, 0) => s,
        (0, m) => s | (m as f32 / 16_777_216.0).to_bits(),
        (31, 0) => s | 0x7f80_0000,
        (31, _) => 0x7fff_ffff,
        (e, m) => s | (e + 112) << 23 | m << 13,
    }
}
pub fn half_bits_from(x: u32) -> u16 {
    let v = f(x);
    if v.is_nan() {
        return 0x7fff;
    }
    let s = (x >> 16 & 0x8000) as u16;
    let a = f64::from(v.abs());
    if a >= 65520.0 {
        return s | 0x7c00;
    }
    let e = if a < 6.103_515_625e-5 { -14 } else { a.log2().floor() as i32 };
    let q = (a / 2f64.powi(e - 10)).round_ties_even() as u32;
    s | (if q < 1024 { q } else { ((e + 14) as u32 * 1024) + q }) as u16
}
