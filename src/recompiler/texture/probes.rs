//! The part of a texture unit's text that averages the samples along an anisotropic footprint.

use std::fmt::Write;

use super::counts;
use super::key::TextureKey;
use crate::pipeline::ANISOTROPY_LOGARITHMS;
use crate::recompiler::text::{COMPONENTS, end_of_loop};

/// Imports that only this part uses.
pub(crate) const IMPORTS: &str = "import package::texture::probes::{probe_half_share, probe_place, probe_mean_fraction, \
    probe_mean_float};\nimport package::software::iteration_budget::loop_iterations;\n";

/// The most samples of a level.
pub(crate) const MAX_SAMPLES: u64 = ANISOTROPY_LOGARITHMS.len() as u64;

/// The mean of the samples of levels with these `numbers`; `in_level` is the value of one at a `place`. Samples after the
/// first count their loop iterations, `rounds` each, which tile kernels limit.
pub(crate) fn samples_function(text: &mut String, unit: u8, key: &TextureKey, in_level: &str, rounds: u64) {
    let _ = writeln!(
        text,
        "\nfn texture_samples_{unit}(level: TextureLevel, numbers: vec4u, position: QuadVector, footprint: TextureFootprint, \
         is_filtered: vec4<bool>, reference: vec4u) -> QuadVector {{\n\
         \x20   let distances = footprint.length - max(footprint.width, vec4i(numbers << vec4u(8u)));\n\
         \x20   var samples = vec4u(1u);"
    );
    let [logarithms @ .., _] = ANISOTROPY_LOGARITHMS;
    for logarithm in logarithms {
        let _ = writeln!(text, "    samples += select(vec4u(0u), vec4u(1u), distances > vec4i({logarithm}));");
    }
    let _ = write!(
        text,
        "    let max_samples = max(max(samples.x, samples.y), max(samples.z, samples.w));\n\
         \x20   loop_iterations += {rounds}u * (max_samples - 1u);\n\
         \x20   let half_share_s = probe_half_share(footprint.step_s, samples);\n\
         \x20   let half_share_t = probe_half_share(footprint.step_t, samples);\n"
    );
    counts::begin_samples(text, unit, key);
    let used = key.used_channels();
    text.push_str(
        "    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n    var number = 0u;\n    loop {\n\
         \x20       let is_sample = vec4u(number) < samples;\n        var place = position;\n\
         \x20       place.x = probe_place(position.x, half_share_s, number, samples);\n\
         \x20       place.y = probe_place(position.y, half_share_t, number, samples);\n",
    );
    counts::next_sample(text, unit, key);
    let _ = writeln!(text, "        let value = {in_level};");
    for &channel in &used {
        let component = COMPONENTS[channel];
        let added = match key.filters_integers {
            true => format!("sum.{component} + value.{component}"),
            false => format!(
                "select(fp_add(sum.{component}, value.{component}), value.{component}, vec4<bool>(number == 0u))"
            ),
        };
        let _ = writeln!(text, "        sum.{component} = select(sum.{component}, {added}, is_sample);");
    }
    text.push_str(&end_of_loop("number", "max_samples"));
    counts::end_samples(text, unit, key);
    let function = if key.filters_integers { "probe_mean_fraction" } else { "probe_mean_float" };
    let means: [String; 4] = std::array::from_fn(|channel| match used.contains(&channel) {
        true => format!("{function}(sum.{}, samples)", COMPONENTS[channel]),
        false => "vec4u(0u)".to_owned(),
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", means.join(", "));
}
