//! The parts of a texture unit's text that compute the level of detail and the footprint of a fetch, and its three
//! entry points.

use std::fmt::Write;

use super::key::TextureKey;
use crate::pipeline::Dimensions;

const COORDINATES: [&str; 3] = ["x", "y", "z"];
const SIZES: [&str; 3] = ["size.width", "size.height", "size.depth"];

/// Footprints from the quad's coordinates and from given derivatives.
pub(crate) fn footprint_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let axes = if key.has_slices() { 3 } else { 2 };
    shared_function(text, unit, key);
    implicit_function(text, unit, key, axes);
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

fn implicit_function(text: &mut String, unit: u8, key: &TextureKey, axes: usize) {
    let _ = writeln!(
        text,
        "\nfn texture_implicit_footprint_{unit}(coordinate: QuadVector) -> TextureFootprint {{\n    \
         let size = texture_base_level(texture_unit_{unit}.levels);"
    );
    if key.dimensions == Dimensions::Cube {
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

/// The functions that programs call.
pub(crate) fn sample_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let bias = format!("vec4i(texture_unit_{unit}.lod_bias)");
    let footprints = if key.uses_lod() {
        [
            format!(
                "    var footprint = texture_implicit_footprint_{unit}(coordinate);\n    footprint.lod += fixed_lod(bias) + {bias};"
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
        format!("sample_texture_{unit}(coordinate: QuadVector, bias: vec4u)"),
        format!("sample_texture_lod_{unit}(coordinate: QuadVector, lod: vec4u)"),
        format!("sample_texture_gradient_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector)"),
    ];
    for (signature, footprint) in signatures.iter().zip(&footprints) {
        let _ = writeln!(
            text,
            "\nfn {signature} -> QuadVector {{\n{footprint}\n    return texture_filter_{unit}(coordinate, footprint);\n}}"
        );
    }
}
