//! The part of a texture unit's text that averages an ellipse of texels.

use std::fmt::Write;

use super::texture_key::TextureKey;
use super::texture_unit::COMPONENTS;
use crate::work::{MipFilter, Wrap};

/// Imports that only these functions use.
pub(super) const IMPORTS: &str = "import package::texture_ellipse::{texture_ellipse, ellipse_weights, ellipse_center, \
    ellipse_mirrored_coordinate, ellipse_repeated_texel, ellipse_mirrored_texel, ellipse_once_mirrored_texel};\n\
    import package::numeric_fragment::fp_div;\n\
    import package::numeric_convert::fp_float_to_fixed;\n";

const SIZES: [&str; 2] = ["level.width", "level.height"];

/// The weighted mean of the texels of each pixel for which `is_elliptical`.
pub(super) fn ellipse_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("shade_parameters.textures[{unit}]");
    let _ = writeln!(
        text,
        "\nfn texture_in_ellipse_{unit}(coordinate: QuadVector, footprint: TextureFootprint, is_elliptical: vec4<bool>, \
         reference: vec4u) -> QuadVector {{"
    );
    if key.mip_filter == MipFilter::None {
        let _ = writeln!(text, "    let level = texture_level({unit}u, 0u);");
    } else {
        let _ = write!(
            text,
            "    let limited = vec4u(min(max(footprint.lod, vec4i({parameters}.min_lod)), vec4i({parameters}.max_lod)));\n\
             \x20   let level = texture_levels({unit}u, min(limited >> vec4u(8u), vec4u({parameters}.last_level)));\n"
        );
    }
    let scaled = |value: &str, axis: usize| match key.is_unnormalized {
        true => value.to_owned(),
        false => format!("scaled_coordinate({value}, {})", SIZES[axis]),
    };
    let _ = write!(
        text,
        "    let ellipse = texture_ellipse({}, {}, {}, {});\n\
         \x20   let center_x = ellipse_center({}, level.width);\n\
         \x20   let center_y = ellipse_center({}, level.height);\n\
         \x20   let first_x = (center_x >> vec4u(8u)) - ellipse.columns;\n\
         \x20   let first_y = (center_y >> vec4u(8u)) - ellipse.rows;\n\
         \x20   let columns = select(vec4i(0), ellipse.columns * 2 + vec4i(2), is_elliptical);\n\
         \x20   let rows = select(vec4i(0), ellipse.rows * 2 + vec4i(2), is_elliptical);\n\
         \x20   let most_columns = max(max(columns.x, columns.y), max(columns.z, columns.w));\n\
         \x20   let most_rows = max(max(rows.x, rows.y), max(rows.z, rows.w));\n",
        scaled("footprint.x_s", 0),
        scaled("footprint.x_t", 1),
        scaled("footprint.y_s", 0),
        scaled("footprint.y_t", 1),
        scaled(&near_coordinate(key, 0), 0),
        scaled(&near_coordinate(key, 1), 1),
    );
    let _ = write!(
        text,
        "    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n    var weights = vec4u(0u);\n\
         \x20   for (var row = 0; row < most_rows; row++) {{\n\
         \x20       let texel_y = first_y + vec4i(row);\n        let distance_y = (texel_y << vec4u(8u)) - center_y;\n\
         \x20       let wrapped_y = {};\n\
         \x20       for (var column = 0; column < most_columns; column++) {{\n\
         \x20           let texel_x = first_x + vec4i(column);\n\
         \x20           let distance_x = (texel_x << vec4u(8u)) - center_x;\n\
         \x20           let is_near = (vec4i(column) < columns) & (vec4i(row) < rows);\n\
         \x20           let weight = select(vec4u(0u), ellipse_weights(ellipse, distance_x, distance_y), is_near);\n\
         \x20           let is_inside = weight != vec4u(0u);\n\
         \x20           if !any(is_inside) {{ continue; }}\n\
         \x20           let texel = texture_texel_{unit}(level, {}, wrapped_y, vec4u(0u), reference);\n\
         \x20           let factor = fp_int_to_float(vec4i(weight));\n            weights += weight;\n",
        wrapped_texel(key, 1, "texel_y"),
        wrapped_texel(key, 0, "texel_x"),
    );
    sum_and_divide(text, key);
}

/// The coordinate in the periods that texel numbers are taken from.
fn near_coordinate(key: &TextureKey, axis: usize) -> String {
    let coordinate = format!("coordinate.{}", COMPONENTS[axis]);
    match key.wrap[axis] {
        Wrap::Repeat if !key.is_unnormalized => format!("fp_frc({coordinate})"),
        Wrap::MirroredRepeat if !key.is_unnormalized => format!("ellipse_mirrored_coordinate({coordinate})"),
        _ => coordinate,
    }
}

/// The texel that a number stands for.
fn wrapped_texel(key: &TextureKey, axis: usize, texel: &str) -> String {
    let size = SIZES[axis];
    match key.wrap[axis] {
        // Repeating is not defined for coordinates in texels; they clamp.
        Wrap::Repeat | Wrap::MirroredRepeat if key.is_unnormalized => format!("edge_texel({texel}, {size})"),
        Wrap::Repeat => format!("ellipse_repeated_texel({texel}, {size})"),
        Wrap::MirroredRepeat => format!("ellipse_mirrored_texel({texel}, {size})"),
        Wrap::ClampToEdge => format!("edge_texel({texel}, {size})"),
        Wrap::MirrorClampToEdge => format!("edge_texel(ellipse_once_mirrored_texel({texel}), {size})"),
        Wrap::ClampToBorder | Wrap::Clamp => format!("border_texel({texel}, {size})"),
        Wrap::MirrorClampToBorder | Wrap::MirrorClamp => {
            format!("border_texel(ellipse_once_mirrored_texel({texel}), {size})")
        }
    }
}

fn sum_and_divide(text: &mut String, key: &TextureKey) {
    let used = key.used_channels();
    for &channel in &used {
        let component = COMPONENTS[channel];
        let value = match key.filters_integers {
            true => format!("fp_int_to_float(vec4i(texel.{component}))"),
            false => format!("texel.{component}"),
        };
        let _ = writeln!(
            text,
            "            sum.{component} = select(sum.{component}, fp_add(sum.{component}, fp_mul({value}, factor)), \
             is_inside);"
        );
    }
    text.push_str(
        "        }\n    }\n    let divisor = fp_int_to_float(vec4i(weights));\n    let is_empty = weights == vec4u(0u);\n",
    );
    let means: [String; 4] = std::array::from_fn(|channel| {
        if !used.contains(&channel) {
            return "vec4u(0u)".to_owned();
        }
        let mean = format!("fp_div(sum.{}, divisor)", COMPONENTS[channel]);
        let mean = match key.filters_integers {
            true => format!("vec4u(clamp(fp_float_to_fixed({mean}, 0u), vec4i(0), vec4i(0xffff)))"),
            false => mean,
        };
        format!("select({mean}, vec4u(0u), is_empty)")
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", means.join(", "));
}
