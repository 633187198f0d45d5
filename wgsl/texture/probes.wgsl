// Places the samples of anisotropic footprints and averages them, four pixels at once; the twin of
// `src/reference/texture/probes.rs`.
import package::arith::fragment::{fp_add, fp_mul, fp_div};
import package::arith::convert::fp_short_to_float;

// Half of a sample's share of the line along a step.
fn probe_half_share(step: vec4u, samples: vec4u) -> vec4u {
    return fp_div(step, fp_short_to_float(vec4i(samples * 2u)));
}

// The coordinate of a sample; `at` is the middle of the line. A single sample lies there.
fn probe_place(at: vec4u, half_share: vec4u, number: u32, samples: vec4u) -> vec4u {
    let half_shares = vec4i(i32(number * 2u + 1u)) - vec4i(samples);
    let place = fp_add(at, fp_mul(fp_short_to_float(half_shares), half_share));
    return select(at, place, samples > vec4u(1u));
}

// The mean of 16-bit fractions.
fn probe_mean_fraction(sum: vec4u, samples: vec4u) -> vec4u {
    return (sum * 2u + samples) / (samples * 2u);
}

// The mean of floats.
fn probe_mean_float(sum: vec4u, samples: vec4u) -> vec4u {
    return select(sum, fp_div(sum, fp_short_to_float(vec4i(samples))), samples > vec4u(1u));
}
