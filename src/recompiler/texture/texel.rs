//! The parts of a texture unit's text that address and decode texels.

use crate::recompiler::condition::comparison;
use std::fmt::Write;

use super::key::TextureKey;
use super::seams::cube_texel_function;
use crate::format::texel::{BlockKind, Field};
use crate::format::{ComponentKind, PackedComponents, TexelStorage};
use crate::pipeline::{ChannelRule, LayoutKind, RemappedChannel, Wrap};
use crate::recompiler::text::COMPONENTS;

/// The wrap mode in effect.
fn effective_wrap(key: &TextureKey, axis: usize) -> Wrap {
    // Repeat is undefined for coordinates in texels; they clamp.
    match key.wrap[axis] {
        Wrap::Repeat | Wrap::MirroredRepeat if key.is_unnormalized => Wrap::ClampToEdge,
        wrap => wrap,
    }
}

/// `coordinate`, wrapped and in texels of `size`, without denormals.
fn scaled(key: &TextureKey, axis: usize) -> String {
    let wrapped = match effective_wrap(key, axis) {
        Wrap::Repeat => {
            return "scaled_flushed(bitcast<vec4f>(fp_frc_ftz(fp_flush(coordinate))), size)".to_owned();
        }
        Wrap::MirroredRepeat => "mirrored_coordinate(coordinate)",
        Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::Clamp => "coordinate",
        Wrap::MirrorClampToEdge | Wrap::MirrorClampToBorder | Wrap::MirrorClamp => "coordinate & vec4u(0x7fffffffu)",
    };
    match key.is_unnormalized {
        true => format!("fp_flush({wrapped})"),
        false => format!("scaled_coordinate({wrapped}, size)"),
    }
}

/// The stored index of a texel number, after wrapping.
fn wrapped_texel(key: &TextureKey, axis: usize, texel: &str, is_filtered: bool) -> String {
    let border = key.border_texels[axis];
    if effective_wrap(key, axis) == Wrap::Repeat && has_power_sides(key) {
        return format!("periodic_texel({texel}, size)");
    }
    if key.has_seams() && is_filtered {
        return format!("outer_texel({texel}, size)");
    }
    if border == 0 {
        return wrapped_in_image(effective_wrap(key, axis), texel, is_filtered);
    }
    let wrapped = match effective_wrap(key, axis) {
        Wrap::ClampToBorder => format!("outer_texel({texel}, size)"),
        Wrap::MirrorClampToBorder => format!("outer_texel(max({texel}, vec4i(0)), size)"),
        Wrap::Clamp if is_filtered => format!("outer_texel({texel}, size)"),
        Wrap::MirrorClamp if is_filtered => format!("outer_texel(max({texel}, vec4i(0)), size)"),
        wrap => wrapped_in_image(wrap, texel, is_filtered),
    };
    format!("({wrapped} + vec4u({border}u))")
}

fn wrapped_in_image(wrap: Wrap, texel: &str, is_filtered: bool) -> String {
    match wrap {
        Wrap::Repeat => format!("repeated_texel({texel}, size)"),
        Wrap::ClampToBorder => format!("border_texel({texel}, size)"),
        Wrap::MirrorClampToBorder => format!("border_texel(max({texel}, vec4i(0)), size)"),
        Wrap::Clamp if is_filtered => format!("border_texel({texel}, size)"),
        Wrap::MirrorClamp if is_filtered => format!("border_texel(max({texel}, vec4i(0)), size)"),
        Wrap::MirroredRepeat | Wrap::ClampToEdge | Wrap::MirrorClampToEdge | Wrap::Clamp | Wrap::MirrorClamp => {
            format!("edge_texel({texel}, size)")
        }
    }
}

/// The nearest texel of one axis, for any filter.
pub(crate) fn nearest_function(text: &mut String, unit: u8, key: &TextureKey, axis: usize) {
    let nearest = wrapped_texel(key, axis, "nearest_texel(scaled, size)", false);
    let _ = write!(
        text,
        "\nfn texture_nearest_{unit}_{axis}(coordinate: vec4u, size: vec4u) -> vec4u {{\n\
         \x20   let scaled = {};\n    return {nearest};\n}}\n",
        scaled(key, axis)
    );
}

/// The texels that one axis touches.
pub(crate) fn axis_function(text: &mut String, unit: u8, key: &TextureKey, axis: usize) {
    taps_function(text, (unit, &format!("texture_axis_{unit}_{axis}")), key, axis, key.filters_linearly);
}

/// The two texels of one axis between which a place is, whatever the filters.
pub(crate) fn gathered_function(text: &mut String, unit: u8, key: &TextureKey, axis: usize) {
    taps_function(text, (unit, &format!("texture_gathered_{unit}_{axis}")), key, axis, (true, true));
}

/// A function of this name for the texels of one axis, which are weighted for minification and magnification or not.
fn taps_function(
    text: &mut String,
    (unit, name): (u8, &str),
    key: &TextureKey,
    axis: usize,
    (minifies, magnifies): (bool, bool),
) {
    let wrap = effective_wrap(key, axis);
    let texel = |texel: &str, is_filtered: bool| wrapped_texel(key, axis, texel, is_filtered);
    let clamps = matches!(wrap, Wrap::Clamp | Wrap::MirrorClamp);
    let (coordinate, moved) = match key.uses.offsets {
        true => (
            "given",
            format!(
                "    let coordinate = moved_coordinate(given, size, texture_offsets_{unit}[{axis}], {});\n",
                key.is_unnormalized
            ),
        ),
        false => ("coordinate", String::new()),
    };
    let _ = write!(
        text,
        "\nfn {name}({coordinate}: vec4u, size: vec4u, is_filtered: vec4<bool>) -> AxisTaps {{\n\
         {moved}    let scaled = {};\n",
        scaled(key, axis)
    );
    let linear = format!(
        "AxisTaps({}, {}, vec4u(corner & vec4i(255)))",
        texel("(corner >> vec4u(8u))", true),
        texel("((corner >> vec4u(8u)) + vec4i(1))", true)
    );
    let nearest = texel("nearest_texel(scaled, size)", false);
    if minifies || magnifies {
        // A fraction of 1/256 of a texel rounds to the next with 11 bits, or at once.
        let carry = if key.format.rounds_weights() { "0.5" } else { "0.9375" };
        let corner = match wrap {
            Wrap::Repeat | Wrap::MirroredRepeat => format!("inner_corner(scaled, {carry})"),
            _ => format!("linear_corner(scaled, size, {clamps}, {carry})"),
        };
        let _ = writeln!(text, "    let corner = {corner};");
        let _ = writeln!(text, "    let linear = {linear};");
    }
    if !minifies || !magnifies {
        let _ = writeln!(text, "    let nearest = {nearest};");
    }
    text.push_str(match (minifies, magnifies) {
        (true, true) => "    return linear;\n}\n",
        (false, false) => "    return AxisTaps(nearest, nearest, vec4u(0u));\n}\n",
        _ => {
            "    return AxisTaps(select(nearest, linear.first, is_filtered), select(nearest, linear.second, is_filtered), \
             select(vec4u(0u), linear.weight, is_filtered));\n}\n"
        }
    });
}

/// The texel `step` after the nearest one of one axis, wrapped as for linear filtering.
pub(crate) fn neighbor_function(text: &mut String, unit: u8, key: &TextureKey, axis: usize) {
    let nearest = match effective_wrap(key, axis) {
        Wrap::Clamp | Wrap::MirrorClamp => "vec4i(edge_texel(fp_float_to_int_floor(scaled), size))",
        _ => "clamp(fp_float_to_int_floor(scaled), vec4i(-2), vec4i(size) + vec4i(1))",
    };
    let _ = write!(
        text,
        "\nfn texture_neighbor_{unit}_{axis}(coordinate: vec4u, size: vec4u, step: i32) -> vec4u {{\n\
         \x20   let scaled = {};\n    let texel = {nearest} + vec4i(step);\n    return {};\n}}\n",
        scaled(key, axis),
        wrapped_texel(key, axis, "texel", true)
    );
}

/// Width, height and depth of a level as stored.
fn stored_sizes(key: &TextureKey) -> [String; 3] {
    std::array::from_fn(|axis| {
        let size = format!("level.{}", ["width", "height", "depth"][axis]);
        let size = match key.border_texels[axis] {
            0 => size,
            border => format!("({size} + vec4u({}u))", 2 * border),
        };
        if key.is_padded { format!("texel_power_of_two({size})") } else { size }
    })
}

/// Bytes from the start of a level to the element of a texel.
fn element_position(key: &TextureKey) -> String {
    let bytes = key.format.element_bytes();
    let [width, height, depth] = stored_sizes(key);
    let (is_compressed, has_slices) = (key.format.is_compressed(), key.has_slices());
    let rows = if is_compressed { format!("(({height} + vec4u(3u)) >> vec4u(2u))") } else { height.clone() };
    let slices = |z: &str| if has_slices { format!(" + {z} * (level.pitch * {rows})") } else { String::new() };
    match (key.format.storage(), key.layout) {
        (storage, LayoutKind::BlockLinear) => {
            let [column, row] = match storage {
                TexelStorage::Block(_) => ["(x >> vec4u(2u))", "(y >> vec4u(2u))"],
                _ => ["x", "y"],
            };
            format!("texel_block_linear({column} * {bytes}u, {row}, z, level.pitch, {rows})")
        }
        (TexelStorage::Block(_), _) => {
            let block = format!("(y >> vec4u(2u)) * level.pitch + (x >> vec4u(2u)) * {bytes}u");
            if !key.has_bricks {
                return format!("{block}{}", slices("z"));
            }
            let first = "(z & vec4u(0xfffffffcu))";
            let thickness = format!("min({depth} - {first}, vec4u(4u))");
            format!("({block}) * {thickness} + (z & vec4u(3u)) * {bytes}u{}", slices(first))
        }
        (_, LayoutKind::Swizzled) if has_slices => {
            format!("texel_swizzle_3d(x, y, z, {width}, {height}, {depth}) * {bytes}u")
        }
        (_, LayoutKind::Swizzled) => format!("texel_swizzle_2d(x, y, {width}, {height}) * {bytes}u"),
        (TexelStorage::Pair(_), LayoutKind::Linear) => {
            format!("y * level.pitch + (x >> vec4u(1u)) * {bytes}u{}", slices("z"))
        }
        (_, LayoutKind::Linear) => format!("y * level.pitch + x * {bytes}u{}", slices("z")),
    }
}

/// A word of each pixel's element at an offset of the texture; needs `window`.
pub(crate) fn element_words(key: &TextureKey, offsets: &str, word: u32) -> String {
    let (bytes, is_aligned) = (key.format.element_bytes(), key.is_aligned);
    match key.is_whole && is_aligned {
        true => format!("texel_whole_words(window, {offsets}, {bytes}u, {word}u)"),
        false => format!("texel_words(window, {offsets}, {bytes}u, {word}u, {is_aligned})"),
    }
}

/// The number of words that an element is read as.
pub(crate) const fn word_count(key: &TextureKey) -> u32 {
    let bytes = key.format.element_bytes();
    if bytes < 4 { 1 } else { bytes / 4 }
}

/// Whether every side is a power of two and the image starts at its first texel.
pub(crate) fn has_power_sides(key: &TextureKey) -> bool {
    key.layout == LayoutKind::Swizzled && !key.format.is_compressed() && !key.is_padded && key.border_texels == [0; 3]
}

/// The names and offsets of the four texels that a pair of axes touches.
pub(crate) fn corner_offsets(text: &mut String, unit: u8, key: &TextureKey) -> [(&'static str, String); 4] {
    let corners = [
        ("upper_left", "first", "first"),
        ("upper_right", "second", "first"),
        ("lower_left", "first", "second"),
        ("lower_right", "second", "second"),
    ];
    if key.layout == LayoutKind::BlockLinear && !key.format.is_compressed() {
        // An offset is the sum of a part of its column and one of its row.
        let bytes = key.format.element_bytes();
        let height = &stored_sizes(key)[1];
        for tap in ["first", "second"] {
            let _ = write!(
                text,
                "    let column_{tap} = level.offset + texel_block_columns(x.{tap} * {bytes}u, level.pitch);\n\
                 \x20   let row_{tap} = texel_block_rows(y.{tap}, z, level.pitch, {height});\n"
            );
        }
        return corners.map(|(corner, x, y)| (corner, format!("column_{x} + row_{y}")));
    }
    if key.layout != LayoutKind::Swizzled || key.has_slices() {
        return corners.map(|(corner, x, y)| (corner, format!("texture_offset_{unit}(level, x.{x}, y.{y}, z)")));
    }
    // Columns and rows occupy separate bits in swizzled order.
    let [width, height, _] = stored_sizes(key);
    let bytes = key.format.element_bytes();
    let swizzled = |x: &str, y: &str| format!("texel_swizzle_2d({x}, {y}, {width}, {height})");
    let _ = write!(
        text,
        "    let first_column = {};\n    let first_row = {};\n",
        swizzled("x.first", "vec4u(0u)"),
        swizzled("vec4u(0u)", "y.first")
    );
    if has_power_sides(key) && !key.has_border {
        let _ = write!(
            text,
            "    let columns = texel_columns_2d({width}, {height});\n\
             \x20   let rows = ({width} * {height} - vec4u(1u)) ^ columns;\n\
             \x20   let second_column = {};\n    let second_row = {};\n",
            next_place(key, 0),
            next_place(key, 1)
        );
    } else {
        let _ = write!(
            text,
            "    let second_column = {};\n    let second_row = {};\n",
            swizzled("x.second", "vec4u(0u)"),
            swizzled("vec4u(0u)", "y.second")
        );
    }
    for tap in ["first", "second"] {
        let _ = write!(
            text,
            "    let column_{tap} = level.offset + {tap}_column * {bytes}u;\n    let row_{tap} = {tap}_row * {bytes}u;\n"
        );
    }
    corners.map(|(corner, x, y)| (corner, format!("column_{x} + row_{y}")))
}

/// The offset of the second of two texels of an axis in swizzled order, which follows the first; it is the same at an
/// edge, or if only the nearest texel is wanted.
fn next_place(key: &TextureKey, axis: usize) -> String {
    let (place, bits, taps) = [("first_column", "columns", "x"), ("first_row", "rows", "y")][axis];
    let next = format!("({place} - {bits}) & {bits}");
    match (effective_wrap(key, axis), key.filters_linearly) {
        (Wrap::Repeat, (true, true)) => next,
        _ => format!("select({next}, {place}, {taps}.first == {taps}.second)"),
    }
}

/// The element of each pixel at an offset, decoded at a stored position; and one texel of each pixel by its position.
pub(crate) fn texel_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("texture_unit_{unit}");
    let storage = key.format.storage();
    let name = if key.has_seams() { "texture_image_texel" } else { "texture_texel" };
    let _ = write!(
        text,
        "\nfn texture_element_{unit}(offsets: vec4u, x: vec4u, y: vec4u) -> QuadVector {{\n\
         \x20   let window = vec2u({parameters}.start, {parameters}.bytes);\n"
    );
    for word in 0..word_count(key) {
        let _ = writeln!(text, "    let word{word} = {};", element_words(key, "offsets", word));
    }
    decode(text, key, storage);
    let _ = write!(
        text,
        "    return value;\n}}\n\n\
         fn texture_offset_{unit}(level: TextureLevel, x: vec4u, y: vec4u, z: vec4u) -> vec4u {{\n\
         \x20   return level.offset + {};\n}}\n\n\
         fn {name}_{unit}(level: TextureLevel, x: vec4u, y: vec4u, z: vec4u, reference: vec4u) -> QuadVector {{\n\
         \x20   var value = texture_element_{unit}(texture_offset_{unit}(level, x, y, z), x, y);\n",
        element_position(key)
    );
    if key.remaps_texels {
        let one = if key.filters_integers { "vec4u(0xffffu)" } else { "vec4u(0x3f800000u)" };
        let channels = key.remap.map(|source| match source {
            RemappedChannel::Zero => "vec4u(0u)".to_owned(),
            RemappedChannel::One => one.to_owned(),
            RemappedChannel::OneInteger => "vec4u(1u)".to_owned(),
            RemappedChannel::Source(source) => format!("value.{}", COMPONENTS[usize::from(source)]),
        });
        let _ = writeln!(text, "    value = QuadVector({});", channels.join(", "));
    }
    if key.has_border && !key.has_seams() {
        let z = if key.has_slices() { " | (z == vec4u(BORDER))" } else { "" };
        let _ = writeln!(text, "    let is_border = (x == vec4u(BORDER)) | (y == vec4u(BORDER)){z};");
        let _ = writeln!(text, "    let border = {parameters}.border;");
        for channel in key.used_channels() {
            let component = COMPONENTS[channel];
            let _ = writeln!(
                text,
                "    value.{component} = select(value.{component}, vec4u(border.{component}), is_border);"
            );
        }
    }
    if let Some(compare) = key.shadow_compare {
        let test = comparison(compare, "reference", "value.x");
        let _ = match key.expands_depth {
            // Uses the sign of 1, so that no compiler chooses between floats.
            true => writeln!(text, "    value.x = vec4u(0x3f800000u) | (vec4u(!({test})) << vec4u(31u));"),
            false => writeln!(text, "    value.x = select(vec4u(0u), vec4u(0xffffu), {test});"),
        };
    }
    text.push_str("    return value;\n}\n");
    if key.has_seams() {
        cube_texel_function(text, unit, key);
    }
}

/// The text of the channels of a block's texel, after that of what they share.
fn block<'a>(text: &mut String, key: &'a TextureKey, kind: BlockKind) -> impl Fn(usize) -> String + use<'a> {
    let is_rgtc = matches!(kind, BlockKind::Rgtc1 { .. } | BlockKind::Rgtc2 { .. });
    if !is_rgtc {
        let ([low, high], is_dxt1) = if kind == BlockKind::Dxt1 { ([0, 1], true) } else { ([2, 3], false) };
        let _ = writeln!(text, "    let color = texel_block_color(word{low}, word{high}, texel, {is_dxt1});");
    }
    move |channel| {
        let byte = match (kind, channel) {
            (BlockKind::Rgtc1 { is_signed } | BlockKind::Rgtc2 { is_signed }, _) => {
                let first = 2 * channel;
                if first + 1 >= word_count(key) as usize {
                    return "vec4u(0u)".to_owned();
                }
                let function = if is_signed { "rgtc_signed_channel" } else { "texel_block_interpolated_alpha" };
                format!("{function}(word{first}, word{}, texel)", first + 1)
            }
            (BlockKind::Dxt3, 3) => "texel_block_explicit_alpha(word0, word1, texel)".to_owned(),
            (BlockKind::Dxt5, 3) => "texel_block_interpolated_alpha(word0, word1, texel)".to_owned(),
            _ => format!("color.{}", COMPONENTS[channel]),
        };
        finished_byte(key, channel, &byte)
    }
}

/// Writes `let value: QuadVector` from the element's words.
fn decode(text: &mut String, key: &TextureKey, storage: TexelStorage) {
    let zero = "vec4u(0u)".to_owned();
    let used = key.stored_channels();
    let only_used = |value: &dyn Fn(usize) -> String| -> [String; 4] {
        std::array::from_fn(|channel| if used.contains(&channel) { value(channel) } else { zero.clone() })
    };
    let channels: [String; 4] = match storage {
        TexelStorage::Fields(fields) => only_used(&|channel| match fields[channel] {
            Field::Bits { shift, width: 16 } => {
                finished_fraction(key, channel, &format!("((word0 >> vec4u({shift}u)) & vec4u(0xffffu))"))
            }
            field => finished_byte(key, channel, &byte_of_field(field)),
        }),
        TexelStorage::SignedFields(fields) => {
            only_used(&|channel| format!("texel_signed_clamped({}, 8u)", byte_of_field(fields[channel])))
        }
        TexelStorage::Depth { shift, width } | TexelStorage::FloatDepth { shift, width } => {
            let mask = u32::MAX >> (32 - width);
            [format!("(word0 >> vec4u({shift}u)) & vec4u({mask}u)"), zero.clone(), zero.clone(), zero.clone()]
        }
        TexelStorage::Block(kind) => {
            text.push_str("    let texel = (y & vec4u(3u)) * 4u + (x & vec4u(3u));\n");
            only_used(&block(text, key, kind))
        }
        TexelStorage::Pair([red0, red1, green, blue]) => only_used(&|channel| {
            let shift = match channel {
                0 => format!("select(vec4u({red0}u), vec4u({red1}u), (x & vec4u(1u)) != vec4u(0u))"),
                1 => format!("vec4u({green}u)"),
                2 => format!("vec4u({blue}u)"),
                _ => return finished_byte(key, channel, "vec4u(255u)"),
            };
            finished_byte(key, channel, &format!("((word0 >> {shift}) & vec4u(255u))"))
        }),
        TexelStorage::Half(order) => only_used(&|channel| {
            let (word, shift) = (order[channel] / 2, order[channel] % 2 * 16);
            format!("fp_half_bits_to((word{word} >> vec4u({shift}u)) & vec4u(0xffffu))")
        }),
        TexelStorage::Float(order) => only_used(&|channel| format!("word{}", order[channel])),
        TexelStorage::Components(components) => only_used(&|channel| component(key, components.packed(), channel)),
        TexelStorage::Packed(packed) => only_used(&|channel| component(key, packed, channel)),
        TexelStorage::SharedExponent => {
            text.push_str("    let scale = ((word0 >> vec4u(27u)) + vec4u(103u)) << vec4u(23u);\n");
            only_used(&|channel| match channel {
                3 => zero.clone(),
                channel => {
                    format!("fp_mul(fp_int_to_float(vec4i((word0 >> vec4u({}u)) & vec4u(0x1ffu))), scale)", 9 * channel)
                }
            })
        }
        TexelStorage::ShortFloats => only_used(&|channel| {
            let Some((shift, mask, more)) = [(0, 0x7ff, 4), (11, 0x7ff, 4), (22, 0x3ff, 5)].get(channel) else {
                return zero.clone();
            };
            format!("fp_half_bits_to(((word0 >> vec4u({shift}u)) & vec4u({mask}u)) << vec4u({more}u))")
        }),
    };
    let _ = writeln!(text, "    let value = QuadVector({});", channels.join(", "));
}

/// A component as the filter takes it.
fn component(key: &TextureKey, PackedComponents { kind, fields }: PackedComponents, channel: usize) -> String {
    let Field::Bits { shift, width } = fields[channel] else { return "vec4u(0u)".to_owned() };
    let (word, shift) = (format!("word{}", shift / 32), shift % 32);
    let bits = match width {
        32 => word.clone(),
        width => format!("(({word} >> vec4u({shift}u)) & vec4u({}u))", u32::MAX >> (32 - width)),
    };
    match kind {
        ComponentKind::Unorm => match width {
            8 => finished_byte(key, channel, &bits),
            1 | 4..8 => finished_byte(key, channel, &format!("texel_byte({word}, {shift}u, {width}u)")),
            2 => finished_fraction(key, channel, &format!("({bits} * 0x5555u)")),
            10 => finished_fraction(key, channel, &format!("(({bits} << vec4u(6u)) | ({bits} >> vec4u(4u)))")),
            16 => finished_fraction(key, channel, &bits),
            width => format!("fp_unorm_to_float({bits}, {width}u)"),
        },
        ComponentKind::Snorm => format!("texel_signed_clamped({bits}, {width}u)"),
        ComponentKind::Sint => {
            let unused = 32 - width;
            format!("bitcast<vec4u>(bitcast<vec4i>({bits} << vec4u({unused}u)) >> vec4u({unused}u))")
        }
        ComponentKind::Float if width == 16 => format!("fp_half_bits_to({bits})"),
        ComponentKind::Uint | ComponentKind::Float => bits,
    }
}

fn byte_of_field(field: Field) -> String {
    match field {
        Field::Bits { shift, width } => format!("texel_byte(word0, {shift}u, {width}u)"),
        Field::One => "vec4u(255u)".to_owned(),
        Field::Zero => "vec4u(0u)".to_owned(),
    }
}

/// The filter input of a byte: itself, or the input of the fraction that it expands to.
fn finished_byte(key: &TextureKey, channel: usize, byte: &str) -> String {
    if key.filters_bytes() {
        return byte.to_owned();
    }
    finished_fraction(key, channel, &format!("({byte} * 0x101u)"))
}

/// The filter input of a fraction: the fraction itself, or a float by the signed and expanding rules.
fn finished_fraction(key: &TextureKey, channel: usize, fraction: &str) -> String {
    if key.filters_integers {
        return fraction.to_owned();
    }
    let width = key.format.signed_width();
    let bits = if width == 16 { fraction.to_owned() } else { format!("({fraction} >> vec4u(8u))") };
    match key.rules[channel] {
        ChannelRule::Unsigned => format!("fp_fraction_to_float({fraction})"),
        ChannelRule::Signed => format!("texel_signed({bits}, {width}u)"),
        ChannelRule::SignedClamped => format!("texel_signed_clamped({bits}, {width}u)"),
        ChannelRule::Expanded => format!("texel_signed({bits} ^ vec4u({}u), {width}u)", 1 << (width - 1)),
        ChannelRule::Srgb => format!("fp_unorm_to_float(texture_linear_fractions({fraction}), 24u)"),
    }
}
