//! The part of a texture unit's text that averages the texels of an anisotropic footprint.

use std::fmt::Write;

use super::counts;
use super::key::TextureKey;
use super::texel::{element_words, has_power_sides, nearest_function};
use crate::format::TexelStorage;
use crate::format::texel::Field;
use crate::pipeline::MOST_ELLIPSE_TEXELS;
use crate::pipeline::{Dimensions, MipFilter, Wrap};
use crate::recompiler::text::COMPONENTS;

/// Imports that only these functions use.
pub(crate) const IMPORTS: &str = "import package::texture::ellipse::{texture_ellipse, ellipse_weights, ellipse_span, \
    ellipse_rows, ellipse_other, ellipse_distance, ellipse_fraction_sum, ellipse_mean_fraction, ellipse_mirrored, \
    ellipse_center, ellipse_coordinate};\n\
    import package::arith::fragment::{fp_div, fp_rcp};\n";

/// Maximum number of iterations of an ellipse's loops: all of its rows, and their columns.
pub(crate) const MOST_ROUNDS: u64 = MOST_SIDE * (1 + MOST_SIDE);
const MOST_SIDE: u64 = 2 * MOST_ELLIPSE_TEXELS as u64 + 2;
/// The loop over columns runs once if there are none.
const COUNT: &str = "        loop_iterations += 1u + u32(max(most_columns, 1));\n";

const SIZES: [&str; 2] = ["level.width", "level.height"];

/// The weighted mean of the texels of each pixel for which `is_elliptical`.
///
/// If iterations are counted, it ends without a result before a row that might exceed the budget.
pub(crate) fn ellipse_function(text: &mut String, unit: u8, key: &TextureKey, counts_rounds: bool) {
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
    ellipse_level(text, unit, key);
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
         \x20   let most_rows = max(max(rows.x, rows.y), max(rows.z, rows.w));\n\
         \x20   let origin = ellipse_distance(-(ellipse.columns << vec4u(8u)) - (center_x & vec4i(255)));\n\
         \x20   var y = ellipse_distance(-(ellipse.rows << vec4u(8u)) - (center_y & vec4i(255)));\n\
         \x20   let ellipse_row = ellipse_rows(ellipse);\n",
        scaled("footprint.x_s", 0),
        scaled("footprint.x_t", 1),
        scaled("footprint.y_s", 0),
        scaled("footprint.y_t", 1),
        scaled("coordinate.x", 0),
        scaled("coordinate.y", 1),
    );
    let fields = byte_fields(key);
    let walk = Walk::new(unit, key, fields.is_some());
    for channel in key.used_channels() {
        let (component, kind) = (COMPONENTS[channel], if key.filters_integers { "vec4f" } else { "vec4u" });
        let _ = writeln!(text, "    var sum_{component} = {kind}();");
    }
    counts::begin_texels(text, key);
    let _ = write!(
        text,
        "{}    var weights = vec4u(0u);\n\
         \x20   var row = 0;\n\
         \x20   loop {{\n\
         \x20       let texel_y = first_y + vec4i(row);\n\
         \x20       let other = ellipse_other(ellipse, y);\n\
         \x20       let row_columns = select(vec4i(0), columns, vec4i(row) < rows);\n\
         \x20       let span = ellipse_span(ellipse_row, y, other, origin, row_columns);\n\
         \x20       let most_columns = max(max(span.count.x, span.count.y), max(span.count.z, span.count.w));\n\
         \x20       var texel_x = first_x + span.first;\n\
         \x20       let first_distance = origin + vec4f(span.first);\n{}\
{}\
         \x20       var column = 0;\n\
         \x20       loop {{\n\
         \x20           let x = first_distance + vec4f(f32(column));\n\
         \x20           let is_near = vec4i(column) < span.count;\n\
         \x20           let weight = select(vec4u(0u), ellipse_weights(ellipse, x, y, other), is_near);\n{}\
         \x20           texel_x += vec4i(1);\n            weights += weight;\n",
        walk.before,
        walk.row,
        if counts_rounds { COUNT } else { "" },
        walk.texel,
    );
    let positions: &[&str] = if key.has_border { &["wrapped_x", "wrapped_y"] } else { &[] };
    counts::texel(text, key, positions, "(weight != vec4u(0u))");
    sum_texels(text, key, fields, counts_rounds);
    counts::end_texels(text, unit, key);
    divide_sums(text, key);
}

/// Computes the `level` in which footprints are averaged.
fn ellipse_level(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("texture_unit_{unit}");
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
}

/// How texels are addressed.
struct Walk {
    /// Code before the first row.
    before: String,
    /// Code at the start of a row with number `texel_y` and first column `texel_x`.
    row: String,
    /// Code that loads each column's `texel`, or the `words` that hold it.
    texel: String,
}

impl Walk {
    fn new(unit: u8, key: &TextureKey, has_words: bool) -> Self {
        let wrapped_y = wrapped(key, unit, 1, "texel_y");
        if !has_steps(key) {
            return Self {
                before: String::new(),
                row: format!("        let wrapped_y = {wrapped_y};\n"),
                texel: format!(
                    "            let wrapped_x = {};\n\
                     \x20           let texel = texture_texel_{unit}(level, wrapped_x, wrapped_y, vec4u(0u), reference);\n",
                    wrapped(key, unit, 0, "texel_x")
                ),
            };
        }
        let bytes = key.format.element_bytes();
        let place = |x: &str, y: &str| format!("texel_swizzle_2d({x}, {y}, level.width, level.height) * {bytes}u");
        let next = "(place - step) & step";
        let next = match key.wrap[0] {
            Wrap::Repeat => next.to_owned(),
            // Columns beyond an edge repeat the edge column.
            _ => format!("select(place, {next}, vec4u(texel_x) < last_column)"),
        };
        let texel = match has_words {
            true => format!("let words = {};", element_words(key, "row_offsets + place", 0)),
            false => format!("let texel = texture_element_{unit}(row_offsets + place, vec4u(0u), vec4u(0u));"),
        };
        Self {
            // Subtracting two offsets skips the bits of the other coordinate.
            before: format!(
                "    let window = vec2u(texture_unit_{unit}.start, texture_unit_{unit}.bytes);\n\
                 \x20   let step = {};\n    let last_column = level.width - vec4u(1u);\n",
                place("level.width - vec4u(1u)", "vec4u(0u)")
            ),
            row: format!(
                "        let row_offsets = level.offset + {};\n        var place = {};\n",
                place("vec4u(0u)", &wrapped_y),
                place(&wrapped(key, unit, 0, "texel_x"), "vec4u(0u)"),
            ),
            texel: format!("            {texel}\n            place = {next};\n"),
        }
    }
}

/// Whether all sizes are powers of two, so that the coordinate of a texel's center is exact and wraps like its number.
fn has_exact_middles(key: &TextureKey) -> bool {
    has_power_sides(key) && !key.is_unnormalized
}

/// Whether a step in swizzled order leads to the next texel of a row.
fn has_steps(key: &TextureKey) -> bool {
    has_exact_middles(key)
        && matches!(key.wrap[0], Wrap::Repeat | Wrap::ClampToEdge | Wrap::Clamp)
        && !key.has_border
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

/// The texel fields if each is a byte, a constant, or not stored, and steps lead to the texels.
fn byte_fields(key: &TextureKey) -> Option<[Field; 4]> {
    let TexelStorage::Fields(fields) = key.format.storage() else { return None };
    let is_byte = |field: Field| matches!(field, Field::Bits { width: 8, .. } | Field::One | Field::Zero);
    (has_steps(key) && key.filters_integers && fields.into_iter().all(is_byte)).then_some(fields)
}

/// Sums the weighted texels, and ends the loops.
fn sum_texels(text: &mut String, key: &TextureKey, fields: Option<[Field; 4]>, counts_rounds: bool) {
    text.push_str(match (fields, key.filters_integers) {
        // A byte times 257 is its 16-bit fraction.
        (Some(_), _) => "            let factor = vec4f(vec4i(weight * 257u));\n",
        (None, true) => "            let factor = vec4f(vec4i(weight));\n",
        (None, false) => {
            "            let factor = fp_int_to_float(vec4i(weight));\n            let is_inside = weight != vec4u(0u);\n"
        }
    });
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let sum = match (fields.map(|fields| fields[channel]), key.filters_integers) {
            (Some(field), _) => format!("ellipse_fraction_sum(sum_{component}, {}, factor)", byte(field)),
            (None, true) => format!("ellipse_fraction_sum(sum_{component}, texel.{component}, factor)"),
            (None, false) => {
                format!(
                    "select(sum_{component}, fp_add(sum_{component}, fp_mul(texel.{component}, factor)), is_inside)"
                )
            }
        };
        let _ = writeln!(text, "            sum_{component} = {sum};");
    }
    let is_last =
        if counts_rounds { "row >= most_rows || loop_iterations >= most_row_iterations" } else { "row >= most_rows" };
    let _ = write!(
        text,
        "            column += 1;\n            if column >= most_columns {{\n                break;\n            }}\n        }}\n\
         \x20       y += vec4f(1.0);\n        row += 1;\n        if {is_last} {{\n            break;\n        }}\n    }}\n"
    );
}

/// Divides the sums by the sum of the weights.
fn divide_sums(text: &mut String, key: &TextureKey) {
    let used = key.used_channels();
    text.push_str("    let is_empty = weights == vec4u(0u);\n    let divisor = fp_int_to_float(vec4i(weights));\n");
    if key.filters_integers {
        text.push_str("    let reciprocal = bitcast<vec4f>(fp_rcp(divisor));\n");
    }
    let means: [String; 4] = std::array::from_fn(|channel| {
        if !used.contains(&channel) {
            return "vec4u(0u)".to_owned();
        }
        let component = COMPONENTS[channel];
        let mean = match key.filters_integers {
            true => format!("ellipse_mean_fraction(sum_{component}, reciprocal)"),
            false => format!("fp_div(sum_{component}, divisor)"),
        };
        format!("select({mean}, vec4u(0u), is_empty)")
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", means.join(", "));
}

/// The byte of a field of `words`.
fn byte(field: Field) -> String {
    match field {
        Field::Bits { shift, .. } => format!("(words >> vec4u({shift}u)) & vec4u(255u)"),
        Field::One => "vec4u(255u)".to_owned(),
        Field::Zero => "vec4u(0u)".to_owned(),
    }
}
