//! The part of a texture unit's text that weights nine texels by a fixed kernel.

use std::fmt::Write;

use super::counts;
use super::key::TextureKey;
use super::texel::{nearest_function, neighbor_function};
use crate::pipeline::{ConvolutionKernel, kernel_weights};
use crate::recompiler::text::COMPONENTS;

/// Imports that only this function uses.
pub(crate) const IMPORTS: &str = "import package::arith::convert::fp_float_to_int_floor;\n";

/// The convolution of the nearest texel and its neighbours in the nearest slice of a level.
pub(crate) fn convolution_function(text: &mut String, unit: u8, key: &TextureKey, kernel: ConvolutionKernel) {
    for axis in 0..2 {
        neighbor_function(text, unit, key, axis);
    }
    if key.has_slices() {
        nearest_function(text, unit, key, 2);
    }
    let (weights, places) = kernel_weights(kernel);
    let packed = weights.iter().enumerate().fold(0, |packed, (tap, weight)| packed | weight << (3 * tap));
    let slice = match key.has_slices() {
        true => format!("texture_nearest_{unit}_2(position.z, level.depth)"),
        false => "vec4u(0u)".to_owned(),
    };
    let _ = write!(
        text,
        "\nfn texture_convolved_{unit}(level: TextureLevel, position: QuadVector, reference: vec4u) -> QuadVector {{\n\
         \x20   let z = {slice};\n\
         \x20   var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n"
    );
    counts::begin_texels(text, key);
    let _ = write!(
        text,
        "    for (var tap = 0u; tap < 9u + opaque_zero; tap++) {{\n\
         \x20       let weight = ({packed}u >> (3u * tap)) & 7u;\n        if weight == 0u {{ continue; }}\n\
         \x20       let x = texture_neighbor_{unit}_0(position.x, level.width, i32(tap % 3u) - 1);\n\
         \x20       let y = texture_neighbor_{unit}_1(position.y, level.height, i32(tap / 3u) - 1);\n\
         \x20       let texel = texture_texel_{unit}(level, x, y, z, reference);\n"
    );
    counts::texel(text, key, &["x", "y", "z"], &format!("counted_pixels_{unit}"));
    if !key.filters_integers {
        // The power of two as a float.
        let _ =
            writeln!(text, "        let factor = fp_int_to_float(vec4i(vec4u(weight))) - vec4u({}u);", places << 23);
    }
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let sum = match key.filters_integers {
            true => format!("sum.{component} + texel.{component} * weight"),
            false => format!("fp_add(sum.{component}, fp_mul(texel.{component}, factor))"),
        };
        let _ = writeln!(text, "        sum.{component} = {sum};");
    }
    text.push_str("    }\n");
    counts::end_texels(text, unit, key);
    if !key.filters_integers {
        text.push_str("    return sum;\n}\n");
        return;
    }
    let sums =
        COMPONENTS.map(|component| format!("(sum.{component} + vec4u({}u)) >> vec4u({places}u)", 1 << (places - 1)));
    let _ = writeln!(text, "    return QuadVector({});\n}}", sums.join(", "));
}

/// One level, convolved if `is_convolved`, else filtered as usual.
pub(crate) fn mixed_function(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = writeln!(
        text,
        "\nfn texture_in_mixed_level_{unit}(level: TextureLevel, position: QuadVector, is_filtered: vec4<bool>, \
         is_convolved: vec4<bool>, reference: vec4u) -> QuadVector {{"
    );
    counts::filtered(text, unit, key);
    let _ = writeln!(text, "    var value = texture_in_level_{unit}(level, position, is_filtered, reference);");
    counts::convolved(text, unit, key);
    let _ = writeln!(text, "    let convolved = texture_convolved_{unit}(level, position, reference);");
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let _ =
            writeln!(text, "    value.{component} = select(value.{component}, convolved.{component}, is_convolved);");
    }
    text.push_str("    return value;\n}\n");
}
