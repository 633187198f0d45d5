//! The part of a texture unit's text that averages an ellipse of texels.

use std::fmt::Write;

use super::texture_key::TextureKey;
use super::texture_texel::{has_power_sides, nearest_function};
use super::texture_unit::COMPONENTS;
use crate::format::TexelStorage;
use crate::reference::texture_ellipse::MOST_TEXELS;
use crate::work::{Dimensions, MipFilter, Wrap};

/// Imports that only these functions use.
pub(super) const IMPORTS: &str = "import package::texture_ellipse::{texture_ellipse, ellipse_weights, ellipse_span, \
    ellipse_fraction_sum, ellipse_mirrored, ellipse_center, ellipse_coordinate};\n\
    import package::numeric_fragment::fp_div;\n\
    import package::numeric_convert::fp_float_to_fixed;\n";

/// Most rounds of an ellipse's loops: all of its rows, and their columns.
pub(super) const MOST_ROUNDS: u64 = MOST_SIDE * (1 + MOST_SIDE);
const MOST_SIDE: u64 = 2 * MOST_TEXELS as u64 + 2;

const SIZES: [&str; 2] = ["level.width", "level.height"];

/// The weighted mean of the texels of each pixel for which `is_elliptical`.
pub(super) fn ellipse_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("texture_unit_{unit}");
    if !has_exact_middles(key) {
        for axis in 0..2 {
            nearest_function(text, unit, key, axis);
        }
    }
    let _ = writeln!(
        text,
        "\nfn texture_in_ellipse_{unit}(coordinate: QuadVector, face_offset: vec4u, footprint: TextureFootprint, \
         is_elliptical: vec4<bool>, reference: vec4u) -> QuadVector {{"
    );
    if key.mip_filter == MipFilter::None {
        let _ = writeln!(text, "    var level = texture_base_level(texture_unit_{unit}.levels);");
    } else {
        let _ = write!(
            text,
            "    let limited = vec4u(min(max(footprint.lod, vec4i({parameters}.min_lod)), vec4i({parameters}.max_lod)));\n\
             \x20   var level = texture_levels(texture_unit_{unit}.levels, min(limited >> vec4u(8u), vec4u({parameters}.last_level)));\n"
        );
    }
    if key.dimensions == Dimensions::Cube {
        text.push_str("    level.offset += face_offset;\n");
    }
    let scaled = |value: &str, axis: usize| match key.is_unnormalized {
        true => value.to_owned(),
        false => format!("scaled_coordinate({value}, {})", SIZES[axis]),
    };
    let _ = write!(
        text,
        "    let ellipse = texture_ellipse({}, {}, {}, {});\n\
         \x20   let center_x = ellipse_center({});\n\
         \x20   let center_y = ellipse_center({});\n\
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
        scaled("coordinate.x", 0),
        scaled("coordinate.y", 1),
    );
    let (place, texel) = next_texel(unit, key);
    let _ = write!(
        text,
        "    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n    var weights = vec4u(0u);\n\
         \x20   for (var row = 0; row < most_rows; row++) {{\n\
         \x20       let texel_y = first_y + vec4i(row);\n        let distance_y = (texel_y << vec4u(8u)) - center_y;\n\
         \x20       let wrapped_y = {};\n\
         \x20       let row_columns = select(vec4i(0), columns, vec4i(row) < rows);\n\
         \x20       let span = ellipse_span(ellipse, distance_y, (first_x << vec4u(8u)) - center_x, row_columns);\n\
         \x20       let most_columns = max(max(span.count.x, span.count.y), max(span.count.z, span.count.w));\n\
         \x20       let first_column = first_x + span.first;\n{place}\
         \x20       for (var column = 0; column < most_columns; column++) {{\n\
         \x20           let texel_x = first_column + vec4i(column);\n\
         \x20           let distance_x = (texel_x << vec4u(8u)) - center_x;\n\
         \x20           let is_near = vec4i(column) < span.count;\n\
         \x20           let weight = select(vec4u(0u), ellipse_weights(ellipse, distance_x, distance_y), is_near);\n\
         {texel}            weights += weight;\n",
        wrapped(key, unit, 1, "texel_y"),
    );
    sum_and_divide(text, key);
}

/// What a row begins with, and how each column finds its texel.
fn next_texel(unit: u8, key: &TextureKey) -> (String, String) {
    match has_steps(key) {
        true => (
            format!(
                "        let row_offsets = level.offset + texel_swizzle_2d(vec4u(0u), wrapped_y, level.width, level.height) * \
                 {bytes}u;\n\
                 \x20       let step = texel_swizzle_2d(level.width - vec4u(1u), vec4u(0u), level.width, level.height) * \
                 {bytes}u;\n\
                 \x20       var place = texel_swizzle_2d({}, vec4u(0u), level.width, level.height) * {bytes}u;\n",
                wrapped(key, unit, 0, "first_column"),
                bytes = key.format.element_bytes(),
            ),
            // The bits of the other coordinate are left out of the difference.
            format!(
                "            let texel = texture_element_{unit}(row_offsets + place, vec4u(0u), vec4u(0u));\n\
                 \x20           place = (place - step) & step;\n"
            ),
        ),
        false => (
            String::new(),
            format!(
                "            let wrapped_x = {};\n\
                 \x20           let texel = texture_texel_{unit}(level, wrapped_x, wrapped_y, vec4u(0u), reference);\n",
                wrapped(key, unit, 0, "texel_x")
            ),
        ),
    }
}

/// Whether all sizes are powers of two, so that the coordinate of a texel's middle is exact and wraps like its number.
fn has_exact_middles(key: &TextureKey) -> bool {
    has_power_sides(key) && !key.is_unnormalized
}

/// Whether the next texel of a row is found by a step in swizzled order.
fn has_steps(key: &TextureKey) -> bool {
    has_exact_middles(key)
        && key.wrap[0] == Wrap::Repeat
        && !key.has_border()
        && key.shadow_compare.is_none()
        && !matches!(key.format.storage(), TexelStorage::Block(_) | TexelStorage::Pair(_))
}

/// The stored position of a texel number.
fn wrapped(key: &TextureKey, unit: u8, axis: usize, texel: &str) -> String {
    let size = SIZES[axis];
    if has_exact_middles(key) {
        let magnitude = format!("({texel} ^ ({texel} >> vec4u(31u)))");
        return match key.wrap[axis] {
            Wrap::Repeat => format!("periodic_texel({texel}, {size})"),
            Wrap::MirroredRepeat => format!("ellipse_mirrored({texel}, {size})"),
            Wrap::ClampToEdge | Wrap::Clamp => format!("edge_texel({texel}, {size})"),
            Wrap::ClampToBorder => format!("border_texel({texel}, {size})"),
            Wrap::MirrorClampToEdge | Wrap::MirrorClamp => format!("edge_texel({magnitude}, {size})"),
            Wrap::MirrorClampToBorder => format!("border_texel({magnitude}, {size})"),
        };
    }
    let coordinate = match key.is_unnormalized {
        true => format!("fp_int_to_float({texel})"),
        false => format!("ellipse_coordinate({texel}, {size})"),
    };
    format!("texture_nearest_{unit}_{axis}({coordinate}, {size})")
}

fn sum_and_divide(text: &mut String, key: &TextureKey) {
    let used = key.used_channels();
    text.push_str(match key.filters_integers {
        true => "            let factor = vec4f(weight);\n",
        false => {
            "            let factor = fp_int_to_float(vec4i(weight));\n            let is_inside = weight != vec4u(0u);\n"
        }
    });
    for &channel in &used {
        let component = COMPONENTS[channel];
        let sum = match key.filters_integers {
            true => format!("ellipse_fraction_sum(sum.{component}, texel.{component}, factor)"),
            false => format!(
                "select(sum.{component}, fp_add(sum.{component}, fp_mul(texel.{component}, factor)), is_inside)"
            ),
        };
        let _ = writeln!(text, "            sum.{component} = {sum};");
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
