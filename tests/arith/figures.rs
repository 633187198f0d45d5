//! Measures the largest errors of the vertex processor's special functions, over every mantissa, against exact integers.
//!
//! The bounds are the figures of the notes on the chip's arithmetic, section 8, found with 20,000 inputs each; over all
//! mantissas the error may be slightly larger, never smaller.

use curie::arith::vertex::{self as xf, VertexRuleSet};
use curie::gpu::Gpu;

use crate::common;

/// Mantissas per exponent.
const MANTISSAS: u32 = 1 << 23;
/// Samples if there are too many arguments to try all.
const SAMPLES: u32 = 20_000_000;

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// The base-2 logarithm of the largest error over these arguments.
fn largest(arguments: impl Iterator<Item = u32>, error: impl Fn(u32) -> f64) -> f64 {
    arguments.map(error).fold(0.0, f64::max).log2()
}

/// Every float from 2^exponent up to twice that.
fn mantissas(exponent: u32) -> impl Iterator<Item = u32> {
    ((127 + exponent) << 23)..((128 + exponent) << 23)
}

/// Positive floats with exponents from `low` to `high`, from a fixed seed.
fn samples(low: u32, high: u32) -> impl Iterator<Item = u32> {
    let mut state = 0x4097u64;
    (0..SAMPLES).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = u32::try_from(state >> 32).expect("half of it");
        (low + (word >> 23) % (high - low)) << 23 | word & (MANTISSAS - 1)
    })
}

fn relative(found: u32, exact: f64) -> f64 {
    (value(found) / exact - 1.0).abs()
}

/// Asserts that the largest error lies between the figure found with fewer inputs and slightly more.
#[track_caller]
fn assert_figure(name: &str, found: f64, figure: f64) {
    assert!(found >= figure - 0.15 && found <= figure + 0.35, "{name}: 2^{found:.2} against 2^{figure}");
}

#[test]
fn reciprocals_over_all_mantissas() {
    assert_figure("RCP", largest(mantissas(0), |a| relative(xf::rcp(a), 1.0 / value(a))), -22.2);
    let roots = mantissas(0).chain(mantissas(1));
    assert_figure(
        "RSQ",
        largest(roots, |a| relative(xf::rsq(VertexRuleSet::Nv40Modern, a), 1.0 / value(a).sqrt())),
        -21.8,
    );
}

#[test]
fn logarithms_over_all_mantissas() {
    assert_figure("LG2", largest(mantissas(0), |a| (value(xf::lg2(a)) - value(a).log2()).abs()), -21.9);
    let rough = |a| (value(xf::log(VertexRuleSet::Nv40Modern, a)[2]) - value(a).log2()).abs();
    assert_figure("LOG.z", largest(mantissas(0), rough), -12.0);
}

#[test]
fn powers_over_all_fractions() {
    // 1..2 contains every fraction of 23 bits.
    assert_figure("EX2", largest(mantissas(0), |a| relative(xf::ex2(a), value(a).exp2())), -22.2);
    assert_figure("EXP.z", largest(mantissas(0), |a| relative(xf::exp(a)[2], value(a).exp2())), -13.2);
}

#[test]
fn sines_over_twenty_million_samples() {
    // The figure is that of the evaluated quarter wave; 2⁻¹² to 8 covers the whole circle.
    let sine = largest(samples(115, 130), |a| (value(xf::sin(a)) - value(a).sin()).abs());
    let cosine = largest(samples(115, 130), |a| (value(xf::cos(a)) - value(a).cos()).abs());
    println!("SIN: 2^{sine:.2}, COS: 2^{cosine:.2}");
    assert!(sine < -21.0 && cosine < -21.0, "{sine} {cosine}");
}

/// The truncated product of two normal floats, computed with integers only.
fn product(a: u32, b: u32) -> u32 {
    let significand = |bits: u32| u64::from(bits & 0x7f_ffff | 0x80_0000);
    let exact = significand(a) * significand(b);
    let carry = u32::from(exact >> 47 != 0);
    let exponent = (a >> 23 & 255) + (b >> 23 & 255) + carry - 127;
    let fraction = u32::try_from(exact >> (23 + carry)).expect("24 bits") & 0x7f_ffff;
    (a ^ b) & 0x8000_0000 | exponent << 23 | fraction
}

/// A sum of normal floats: all of them cut off to units of 2^(largest exponent + 2 − 30), then truncated to 24 bits.
fn sum(values: &[u32]) -> u32 {
    let top = i64::from(values.iter().map(|bits| bits >> 23 & 255).max().expect("some")) + 2;
    let total: i64 = values
        .iter()
        .map(|bits| {
            let shift = top - i64::from(bits >> 23 & 255) - 7;
            let significand = i64::from(bits & 0x7f_ffff | 0x80_0000);
            let aligned = if shift < 0 { significand << -shift } else { significand >> shift.min(63) };
            if bits >> 31 != 0 { -aligned } else { aligned }
        })
        .sum();
    if total == 0 {
        return 0;
    }
    let magnitude = total.unsigned_abs();
    let width = i64::from(64 - magnitude.leading_zeros());
    let fraction = if width > 24 { magnitude >> (width - 24) } else { magnitude << (24 - width) };
    let exponent = u32::try_from(top + width - 31).expect("far from underflow");
    u32::from(total < 0) << 31 | exponent << 23 | u32::try_from(fraction).expect("24 bits") & 0x7f_ffff
}

#[test]
fn products_and_sums_over_twenty_million_samples() {
    let mut arguments = samples(110, 145).zip(samples(110, 145).skip(12_345)).zip(samples(120, 135).skip(777));
    for count in 0.. {
        let Some(((a, b), c)) = arguments.next() else { break };
        // The lowest bits become the signs.
        let [a, b, c] = [a, b, c].map(|bits| bits ^ bits << 31);
        let d = a ^ c & 0x807f_ffff;
        assert_eq!(xf::mul(VertexRuleSet::Nv40Modern, a, b), product(a, b), "{a:08x} × {b:08x}");
        assert_eq!(xf::add(a, b), sum(&[a, b]), "{a:08x} + {b:08x}");
        if count % 4 == 0 {
            let dot = sum(&[product(a, b), product(b, c), product(c, d), product(d, a)]);
            assert_eq!(
                xf::dp4(VertexRuleSet::Nv40Modern, [a, b, c, d], [b, c, d, a]),
                dot,
                "{a:08x} {b:08x} {c:08x} {d:08x}"
            );
        }
    }
}

/// The device's results of a function of one word, for every float from 2^exponent up to twice that.
fn on_device(gpu: &Gpu, expression: &str, first: u32) -> Vec<u32> {
    let source = format!(
        "import package::arith::optimization_barrier::set_opaque_zero;
         import package::arith::vertex::{{xf_rcp, xf_rsq, xf_lg2, xf_ex2, xf_sin, xf_cos}};
         import package::arith::vertex_approximate::{{xf_exp, xf_log}};
         @group(0) @binding(0) var<storage, read> zero: array<u32>;
         @group(0) @binding(1) var<storage, read_write> results: array<u32>;
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
             set_opaque_zero(zero[0]);
             let index = id.y * 16384u + id.x;
             let a = {first}u + index;
             results[index] = {expression};
         }}"
    );
    let mut results = vec![0; MANTISSAS as usize];
    gpu.run("mantissas", &source, &mut [(0, &mut vec![0; 4]), (1, &mut results)], [256, 512, 1]).expect("it runs");
    results
}

/// A function of one word in WGSL and in Rust.
type Twin = (&'static str, fn(u32) -> u32);

const TWINS: [Twin; 9] = [
    ("xf_rcp(a)", xf::rcp),
    ("xf_rsq(a, true)", |a| xf::rsq(VertexRuleSet::Nv40Modern, a)),
    ("xf_lg2(a)", xf::lg2),
    ("xf_ex2(a)", xf::ex2),
    ("xf_sin(a)", xf::sin),
    ("xf_cos(a)", xf::cos),
    ("xf_exp(a).z", |a| xf::exp(a)[2]),
    ("xf_exp(a).y", |a| xf::exp(a)[1]),
    ("xf_log(a, true).z", |a| xf::log(VertexRuleSet::Nv40Modern, a)[2]),
];

#[test]
fn kernels_agree_over_all_mantissas() {
    let Some(gpu) = common::gpu() else { return };
    for (expression, host) in TWINS {
        for exponent in [127, 128, 0x80 | 124] {
            let first = exponent << 23;
            for (bits, found) in (first..).zip(on_device(&gpu, expression, first)) {
                assert_eq!(found, host(bits), "{expression} of {bits:08x}");
            }
        }
    }
}
