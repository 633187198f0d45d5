//! The parts of a texture unit's text that read texels by integer coordinates, gather them, and return sizes.

use std::fmt::Write;

use super::key::TextureKey;
use super::lod::forms;
use super::post_filter::finish;
use super::texel::gathered_function;
use super::unit::enter_face;
use crate::pipeline::Dimensions;
use crate::recompiler::text::end_of_loop;

/// The functions `fetch_texel_{unit}`, which reads the texels at integer coordinates x, y and z (of arrays, the layer) of the levels w, and
/// `texture_size_{unit}`. They need the text of [`source`](super::unit::source).
#[must_use]
pub fn fetch_source(unit: u8, key: &TextureKey) -> String {
    let mut text = String::new();
    let parameters = format!("texture_unit_{unit}");
    let stored = |axis: usize, coordinate: &str| match key.border_texels[axis] {
        0 => format!("select(vec4u(0u), coordinate.{coordinate}, is_inside)"),
        border => format!("select(vec4u(0u), coordinate.{coordinate}, is_inside) + vec4u({border}u)"),
    };
    let (is_inside_z, z) = match (key.has_slices(), key.layers) {
        (true, _) => (" & (coordinate.z < level.depth)".to_owned(), stored(2, "z")),
        (false, Some(_)) => (format!(" & (coordinate.z <= vec4u({parameters}.color_key.y))"), "vec4u(0u)".to_owned()),
        (false, None) => (String::new(), "vec4u(0u)".to_owned()),
    };
    let layer = match key.layers {
        Some(_) => {
            format!("    level.offset += select(vec4u(0u), coordinate.z, is_inside) * {parameters}.face_bytes;\n")
        }
        None => String::new(),
    };
    let size = match key.layers {
        Some(Dimensions::Cube) => format!("found.width.x, found.height.x, {parameters}.color_key.y / 6u + 1u"),
        Some(Dimensions::One) => format!("found.width.x, {parameters}.color_key.y + 1u, 1u"),
        Some(_) => format!("found.width.x, found.height.x, {parameters}.color_key.y + 1u"),
        None => "found.width.x, found.height.x, found.depth.x".to_owned(),
    };
    let _ = write!(
        text,
        "\nfn texture_stored_texel_{unit}(level: TextureLevel, x: vec4u, y: vec4u, z: vec4u, reference: vec4u) -> \
         QuadVector {{\n    var filtered = texture_texel_{unit}(level, x, y, z, reference);\n"
    );
    finish(&mut text, unit, key);
    let _ = write!(
        text,
        "\nfn fetch_texel_{unit}(coordinate: QuadVector) -> QuadVector {{\n\
         \x20   let has_level = coordinate.w <= vec4u({parameters}.last_level);\n\
         \x20   var level = texture_levels({parameters}.levels, select(vec4u(0u), coordinate.w, has_level));\n\
         \x20   let is_inside = has_level & (coordinate.x < level.width) & (coordinate.y < level.height){is_inside_z};\n{layer}\
         \x20   let texel = texture_stored_texel_{unit}(level, {}, {}, {z}, vec4u(0u));\n\
         \x20   let zero = vec4u(0u);\n\
         \x20   return QuadVector(select(zero, texel.x, is_inside), select(zero, texel.y, is_inside), \
         select(zero, texel.z, is_inside), select(zero, texel.w, is_inside));\n}}\n",
        stored(0, "x"),
        stored(1, "y"),
    );
    let _ = write!(
        text,
        "\nfn texture_size_{unit}(level: u32) -> vec4u {{\n\
         \x20   let has_level = level <= {parameters}.last_level;\n\
         \x20   let found = texture_levels({parameters}.levels, vec4u(select(0u, level, has_level)));\n\
         \x20   let size = vec3u({size});\n\
         \x20   return vec4u(select(vec3u(0u), size, has_level), {parameters}.last_level + 1u);\n}}\n"
    );
    if key.uses.gathers {
        gather_functions(&mut text, unit, key);
    }
    text
}

/// The functions that gather the first components of the four texels around a place of the first level.
fn gather_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let axes = if key.has_slices() { 3 } else { 2 };
    for axis in 0..axes {
        gathered_function(text, unit, key, axis);
    }
    let _ = writeln!(text, "\nfn texture_gather_{unit}(coordinate: QuadVector) -> QuadVector {{");
    let (position, face_offset) = enter_face(text, unit, key);
    let slice = match key.has_slices() {
        true => format!("texture_gathered_{unit}_2({position}.z, level.depth, vec4<bool>(true)).first"),
        false => "vec4u(0u)".to_owned(),
    };
    let _ = writeln!(
        text,
        "    var level = texture_base_level(texture_unit_{unit}.levels);\n    level.offset += {face_offset};\n\
         \x20   let x = texture_gathered_{unit}_0({position}.x, level.width, vec4<bool>(true));\n\
         \x20   let y = texture_gathered_{unit}_1({position}.y, level.height, vec4<bool>(true));\n\
         \x20   let z = {slice};\n    var texels: QuadVector;\n    var tap = 0u;\n    loop {{\n\
         \x20       let column = select(x.first, x.second, vec4<bool>(tap == 1u || tap == 2u));\n\
         \x20       let row = select(y.second, y.first, vec4<bool>(tap >= 2u));\n\
         \x20       let texel = texture_stored_texel_{unit}(level, column, row, z, reference).x;\n\
         \x20       texels = QuadVector(texels.y, texels.z, texels.w, texel);\n{}    return texels;\n}}",
        end_of_loop("tap", "4u + opaque_zero")
    );
    for (form, place) in forms(unit, key) {
        let _ = writeln!(
            text,
            "\nfn gather_texels{form}_{unit}(coordinate: QuadVector) -> QuadVector {{\n{place}    \
             return texture_gather_{unit}(place);\n}}"
        );
    }
}
