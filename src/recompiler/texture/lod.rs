//! The parts of a texture unit's text that compute the level of detail and the footprint of a fetch, and its three
//! entry points.

use std::fmt::Write;

use super::key::TextureKey;
use crate::pipeline::{Dimensions, MipFilter};

const COORDINATES: [&str; 3] = ["x", "y", "z"];
/// In the names of functions that take the faces of an array of cube maps as layers.
const FACES: &str = "_faces";
const SIZES: [&str; 3] = ["size.width", "size.height", "size.depth"];

/// Footprints from the quad's coordinates and from given derivatives.
pub(crate) fn footprint_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let axes = if key.has_slices() { 3 } else { 2 };
    shared_function(text, unit, key);
    implicit_function(text, (unit, ""), key, axes, key.dimensions == Dimensions::Cube);
    if key.is_cube_array() {
        implicit_function(text, (unit, FACES), key, axes, false);
    }
    gradient_function(text, unit, key, axes);
}

/// A derivative of a coordinate in texels of the base level.
fn in_texels(key: &TextureKey, value: &str, axis: usize) -> String {
    match key.is_unnormalized {
        true => format!("fp_flush({value})"),
        false => format!("scaled_coordinate({value}, {})", SIZES[axis]),
    }
}

/// The squared length; every NaN results in the same level of detail.
fn sum_of_squares(prefix: &str, axes: usize) -> String {
    (1..axes).fold(format!("fp_mul_ftz({prefix}0, {prefix}0)"), |sum, axis| {
        format!("fp_add_ftz({sum}, fp_mul_ftz({prefix}{axis}, {prefix}{axis}))")
    })
}

/// The footprint from squared lengths and derivatives along x and y.
fn shared_function(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = write!(
        text,
        "\nfn texture_footprint_{unit}(square_x: vec4u, square_y: vec4u, x_s: vec4u, x_t: vec4u, y_s: vec4u, \
         y_t: vec4u) -> TextureFootprint {{\n\
         \x20   let x = lod_of_square(square_x);\n    let y = lod_of_square(square_y);\n    let longer = max(x, y);\n"
    );
    if !key.is_anisotropic {
        text.push_str("    return point_footprint(longer);\n}\n");
        return;
    }
    let _ = write!(
        text,
        "    let limit = vec4i(texture_unit_{unit}.anisotropy_limit);\n\
         \x20   let width = max(min(x, y), longer - limit);\n    let is_x = x >= y;\n\
         \x20   return TextureFootprint(width, longer, width, select(y_s, x_s, is_x), select(y_t, x_t, is_x));\n}}\n"
    );
}

fn implicit_function(text: &mut String, (unit, form): (u8, &str), key: &TextureKey, axes: usize, is_cube: bool) {
    let _ = writeln!(
        text,
        "\nfn texture_implicit_footprint{form}_{unit}(coordinate: QuadVector) -> TextureFootprint {{\n    \
         let size = texture_base_level(texture_unit_{unit}.levels);"
    );
    if is_cube {
        // Each pixel takes the differences of pixels 0, 1 and 2 on its own face.
        text.push_str("    let face = cube_faces(coordinate);\n");
        for (name, lane) in [("first", "xxxx"), ("right", "yyyy"), ("below", "zzzz")] {
            let _ = writeln!(
                text,
                "    let {name} = cube_coordinates(QuadVector(coordinate.x.{lane}, coordinate.y.{lane}, \
                 coordinate.z.{lane}, vec4u(0u)), face);"
            );
        }
        for (axis, component) in COORDINATES.into_iter().take(axes).enumerate() {
            for (name, end) in [("x", "right"), ("y", "below")] {
                let _ = write!(
                    text,
                    "    let {name}_step{axis} = fp_sub({end}.{component}, first.{component});\n\
                     \x20   let {name}{axis} = {};\n",
                    in_texels(key, &format!("{name}_step{axis}"), axis)
                );
            }
        }
        let (x, y) = (sum_of_squares("x", axes), sum_of_squares("y", axes));
        let _ =
            writeln!(text, "    return texture_footprint_{unit}({x}, {y}, x_step0, x_step1, y_step0, y_step1);\n}}");
        return;
    }
    // Lane 0 holds the derivative along x, lane 1 along y.
    for (axis, component) in COORDINATES.into_iter().take(axes).enumerate() {
        let _ = write!(
            text,
            "    let step{axis} = fp_sub(coordinate.{component}.yzyz, coordinate.{component}.xxxx);\n\
             \x20   let texels{axis} = {};\n",
            in_texels(key, &format!("step{axis}"), axis)
        );
    }
    let _ = writeln!(
        text,
        "    let squares = {};\n    return texture_footprint_{unit}(squares.xxxx, squares.yyyy, step0.xxxx, step1.xxxx, \
         step0.yyyy, step1.yyyy);\n}}",
        sum_of_squares("texels", axes)
    );
}

fn gradient_function(text: &mut String, unit: u8, key: &TextureKey, axes: usize) {
    let is_cube = key.dimensions == Dimensions::Cube;
    let _ = writeln!(
        text,
        "\nfn texture_gradient_footprint_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector) -> \
         TextureFootprint {{\n    let size = texture_base_level(texture_unit_{unit}.levels);"
    );
    if is_cube {
        text.push_str("    let face = cube_faces(coordinate);\n    let origin = cube_coordinates(coordinate, face);\n");
    }
    for name in ["ddx", "ddy"] {
        if is_cube {
            let _ = writeln!(
                text,
                "    let moved_{name} = cube_coordinates(QuadVector(fp_add(coordinate.x, {name}.x), \
                 fp_add(coordinate.y, {name}.y), fp_add(coordinate.z, {name}.z), vec4u(0u)), face);"
            );
        }
        for (axis, component) in COORDINATES.into_iter().take(axes).enumerate() {
            let step = match is_cube {
                true => format!("fp_sub(moved_{name}.{component}, origin.{component})"),
                false => format!("{name}.{component}"),
            };
            let _ = writeln!(text, "    let {name}_step{axis} = {step};");
            let texels = in_texels(key, &format!("{name}_step{axis}"), axis);
            let _ = writeln!(text, "    let {name}{axis} = {texels};");
        }
    }
    let _ = writeln!(
        text,
        "    return texture_footprint_{unit}({}, {}, ddx_step0, ddx_step1, ddy_step0, ddy_step1);\n}}",
        sum_of_squares("ddx", axes),
        sum_of_squares("ddy", axes)
    );
}

/// The function that turns directions and layers of arrays of cube maps into the coordinates and numbers of their faces.
pub(crate) fn prepare_function(text: &mut String, unit: u8) {
    let _ = write!(
        text,
        "\nfn prepare_cube_{unit}(coordinate: QuadVector) -> QuadVector {{\n    let face = cube_faces(coordinate);\n\
         \x20   let place = cube_coordinates(coordinate, face);\n\
         \x20   let layer = min(coordinate.w, vec4u(texture_unit_{unit}.color_key.y / 6u));\n\
         \x20   return QuadVector(place.x, place.y, layer * 6u + face, vec4u(0u));\n}}\n"
    );
}

/// The forms of the functions that programs call: a part of their names, and the text that names the `place` of a `coordinate`.
pub(crate) fn forms(unit: u8, key: &TextureKey) -> Vec<(&'static str, String)> {
    let plain = "    let place = coordinate;\n".to_owned();
    match key.is_cube_array() {
        false => vec![("", plain)],
        true => {
            let prepared = format!(
                "    let prepared = prepare_cube_{unit}(coordinate);\n\
                 \x20   let place = QuadVector(prepared.x, prepared.y, vec4u(0u), prepared.z);\n"
            );
            vec![("", prepared), (FACES, plain)]
        }
    }
}

/// The functions that programs call.
pub(crate) fn sample_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let bias = format!("vec4i(texture_unit_{unit}.lod_bias)");
    for (form, place) in forms(unit, key) {
        let footprints = if key.uses_lod() {
            [
                format!(
                    "    var footprint = texture_implicit_footprint{form}_{unit}(coordinate);\n    footprint.lod += fixed_lod(bias) + {bias};"
                ),
                format!("    let footprint = point_footprint(fixed_lod(lod) + {bias});"),
                format!(
                    "    var footprint = texture_gradient_footprint_{unit}(coordinate, ddx, ddy);\n    footprint.lod += {bias};"
                ),
            ]
        } else {
            std::array::from_fn(|_| "    let footprint = point_footprint(vec4i(0));".to_owned())
        };
        let signatures = [
            format!("sample_texture{form}_{unit}(coordinate: QuadVector, bias: vec4u)"),
            format!("sample_texture_lod{form}_{unit}(coordinate: QuadVector, lod: vec4u)"),
            format!("sample_texture_gradient{form}_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector)"),
        ];
        for (signature, footprint) in signatures.iter().zip(&footprints) {
            let _ = writeln!(
                text,
                "\nfn {signature} -> QuadVector {{\n{footprint}\n{place}    return texture_filter_{unit}(place, footprint);\n}}"
            );
        }
        if key.uses.lods {
            let _ = writeln!(
                text,
                "\nfn query_texture{form}_{unit}(coordinate: QuadVector) -> QuadVector {{\n    \
                 return texture_queried_{unit}(texture_implicit_footprint{form}_{unit}(coordinate).lod + {bias});\n}}"
            );
        }
    }
    if key.uses.lods {
        queried_function(text, unit, key);
    }
}

/// The level that is read at a level of detail, and the level of detail itself.
fn queried_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("texture_unit_{unit}");
    let level = match key.mip_filter {
        MipFilter::None => "vec4u(0u)",
        MipFilter::Nearest => "min((limited + vec4u(127u)) & vec4u(0xffffff00u), last)",
        MipFilter::Linear => "min(limited, last)",
    };
    let _ = write!(
        text,
        "\nfn texture_queried_{unit}(lod: vec4i) -> QuadVector {{\n\
         \x20   let limited = vec4u(min(max(lod, vec4i({parameters}.min_lod)), vec4i({parameters}.max_lod)));\n\
         \x20   let last = vec4u({parameters}.last_level << 8u);\n\
         \x20   return QuadVector({level}, vec4u(lod), vec4u(0u), vec4u(0u));\n}}\n\n\
         fn query_texture_at_{unit}(lod: vec4u) -> QuadVector {{\n\
         \x20   return texture_queried_{unit}(fixed_lod(lod) + vec4i({parameters}.lod_bias));\n}}\n"
    );
}
