//! The part of a texture unit's text that reads texels beyond the edges of a cube map's faces from the adjacent faces.

use std::fmt::Write;

use super::key::TextureKey;
use crate::recompiler::text::{COMPONENTS, end_of_loop};

/// Imports that only this part uses.
pub(crate) const IMPORTS: &str = "import package::texture::seams::{CubeTexel, texel_on_cube, cube_taps};\n\
    import package::texture::probes::{probe_mean_fraction, probe_mean_float};\n";

/// The most loop iterations for one texel.
pub(crate) const MAX_ITERATIONS: u64 = 3;

/// Declares the number of each pixel's face in its cube map.
pub(crate) fn declarations(text: &mut String, unit: u8) {
    let _ = writeln!(text, "\nvar<private> texture_face_{unit}: vec4u;");
}

/// One texel of each pixel by its place, from the function that reads texels of a face: beyond a corner, the mean of three.
pub(crate) fn cube_texel_function(text: &mut String, unit: u8, key: &TextureKey) {
    // Integers have no mean.
    let averaged = if key.format.holds_integers() { 1 } else { MAX_ITERATIONS };
    let _ = write!(
        text,
        "\nfn texture_texel_{unit}(level: TextureLevel, x: vec4u, y: vec4u, z: vec4u, reference: vec4u) -> QuadVector {{\n\
         \x20   let size = level.width;\n    let is_beyond_x = x >= size;\n    let is_beyond_y = y >= size;\n\
         \x20   let is_beyond = any(is_beyond_x | is_beyond_y);\n    let is_corner = is_beyond_x & is_beyond_y;\n\
         \x20   let texels = select(vec4u(1u), vec4u({averaged}u), is_corner);\n\
         \x20   let max_texels = max(max(texels.x, texels.y), max(texels.z, texels.w));\n\
         \x20   var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n    var number = 0u;\n    loop {{\n\
         \x20       let column = select(x, edge_texel(vec4i(x), size), is_corner & vec4<bool>(number != 1u));\n\
         \x20       let row = select(y, edge_texel(vec4i(y), size), is_corner & vec4<bool>(number != 2u));\n\
         \x20       var place = CubeTexel(texture_face_{unit}, column, row);\n\
         \x20       if is_beyond {{\n            place = texel_on_cube(texture_face_{unit}, column, row, size);\n        }}\n\
         \x20       var image = level;\n\
         \x20       image.offset += (place.face - texture_face_{unit}) * texture_unit_{unit}.face_bytes;\n\
         \x20       let texel = texture_image_texel_{unit}(image, place.x, place.y, z, reference);\n\
         \x20       let is_averaged = vec4u(number) < texels;\n"
    );
    let used = key.used_channels();
    for &channel in &used {
        let component = COMPONENTS[channel];
        let added = match key.filters_integers {
            true => format!("sum.{component} + texel.{component}"),
            false => format!(
                "select(fp_add(sum.{component}, texel.{component}), texel.{component}, vec4<bool>(number == 0u))"
            ),
        };
        let _ = writeln!(text, "        sum.{component} = select(sum.{component}, {added}, is_averaged);");
    }
    text.push_str(&end_of_loop("number", "max_texels"));
    let function = if key.filters_integers { "probe_mean_fraction" } else { "probe_mean_float" };
    text.push_str("    if max_texels > 1u {\n");
    for &channel in &used {
        let component = COMPONENTS[channel];
        let _ = writeln!(text, "        sum.{component} = {function}(sum.{component}, texels);");
    }
    text.push_str("    }\n    return sum;\n}\n");
}
