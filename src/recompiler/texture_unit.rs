//! Turns the state of a texture unit into the WGSL functions that sample it for a quad.
//!
//! Values are held channel by channel, four pixels side by side. Formats, layouts, wraps, filters and the remap are baked;
//! addresses, sizes, limits and the border are data (`wgsl/texture_parameters.wgsl`).

use std::fmt::Write;

use crate::format::texel::{BlockKind, Field};
use crate::format::{TexelStorage, TextureFormat};
use crate::work::{Dimensions, EngineError, MipFilter, RemappedChannel, TextureState, Wrap};

/// Everything that the text of a unit depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TextureKey {
    /// The texel format.
    pub format: TextureFormat,
    /// Its dimensionality; one-dimensional textures are two-dimensional.
    pub dimensions: Dimensions,
    /// Linear rows instead of swizzled order.
    pub is_linear: bool,
    /// Coordinates in texels.
    pub is_unnormalized: bool,
    /// Whether elements lie at multiples of their size, up to 4.
    pub is_aligned: bool,
    /// Wrap modes of s, t, r.
    pub wrap: [Wrap; 3],
    /// Whether minification and magnification weight texels.
    pub filters_linearly: (bool, bool),
    /// Between levels; `None` also for a single level.
    pub mip_filter: MipFilter,
    /// Filtered as 16-bit fractions instead of floats.
    pub filters_integers: bool,
    /// Shadow comparison code, for depth formats.
    pub shadow_compare: Option<u8>,
    /// Signed flags: bit 0 B, 1 G, 2 R, 3 A.
    pub signed: u8,
    /// Gamma flags: bit 0 R, 1 G, 2 B, 3 A.
    pub gamma: u8,
    /// Expands 0..1 to −1..1.
    pub expand_normal: bool,
    /// Sources of red, green, blue, alpha.
    pub remap: [RemappedChannel; 4],
}

impl TextureKey {
    /// The key of a unit's state.
    ///
    /// # Errors
    /// When the state asks for something that is not executed.
    pub fn new(state: &TextureState) -> Result<Self, EngineError> {
        if let Some(what) = state.unsupported() {
            return Err(EngineError::Unsupported { what });
        }
        let alignment = state.format.element_bytes().min(4);
        let pitch = if state.is_linear { state.pitch_bytes } else { 0 };
        let is_cube = state.dimensions == Dimensions::Cube;
        Ok(Self {
            format: state.format,
            dimensions: if state.dimensions == Dimensions::One { Dimensions::Two } else { state.dimensions },
            is_linear: state.is_linear,
            is_unnormalized: state.is_unnormalized,
            is_aligned: (state.window.start | pitch) % alignment == 0,
            wrap: if is_cube { [Wrap::ClampToEdge; 3] } else { state.wrap },
            filters_linearly: state.filters_linearly(),
            mip_filter: if state.last_level() == 0 { MipFilter::None } else { state.mip_filter },
            filters_integers: state.filters_integers(),
            shadow_compare: state.compares_depth().then_some(state.shadow_compare & 7),
            signed: if state.filters_integers() { 0 } else { state.signed & 15 },
            gamma: if state.removes_gamma() { state.gamma & 15 } else { 0 },
            expand_normal: state.expand_normal && !state.filters_integers(),
            remap: state.remapped_channels(),
        })
    }

    /// Whether the level of detail makes a difference.
    const fn uses_lod(&self) -> bool {
        !matches!(self.mip_filter, MipFilter::None) || self.filters_linearly.0 != self.filters_linearly.1
    }

    const fn has_slices(&self) -> bool {
        matches!(self.dimensions, Dimensions::Three)
    }

    /// Whether texels may lie outside the image.
    fn has_border(&self) -> bool {
        let axes = if self.has_slices() { 3 } else { 2 };
        self.wrap[..axes].iter().any(|&wrap| self.reaches_border(wrap))
    }

    fn reaches_border(&self, wrap: Wrap) -> bool {
        match wrap {
            Wrap::ClampToBorder | Wrap::MirrorClampToBorder => true,
            Wrap::Clamp | Wrap::MirrorClamp => self.filters_linearly.0 || self.filters_linearly.1,
            Wrap::Repeat | Wrap::MirroredRepeat | Wrap::ClampToEdge | Wrap::MirrorClampToEdge => false,
        }
    }

    /// The channels that are computed at all: those that the remap takes.
    fn used_channels(&self) -> Vec<usize> {
        if self.shadow_compare.is_some() {
            return vec![0];
        }
        let is_used = |channel: &usize| {
            self.remap
                .iter()
                .any(|remap| matches!(remap, RemappedChannel::Source(source) if usize::from(*source) == *channel))
        };
        (0..4).filter(is_used).collect()
    }
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The loops of the text end at a number that a compiler cannot know, so that it does not unroll them: sixteen copies of a
/// fetch take seconds to compile.
const IMPORTS: &str = "import package::opaque::opaque_zero;\n\
    import package::quad::QuadVector;\n\
    import package::texture_parameters::{ShadeParameters, TextureLevel, texture_level, texture_levels, texture_linear_fractions};\n\
    import package::texture_addressing::{BORDER, AxisTaps, scaled_coordinate, mirrored_coordinate, linear_corner, \
    nearest_texel, repeated_texel, edge_texel, border_texel, lod_of_squares, fixed_lod, cube_faces, cube_coordinates};\n\
    import package::texture_texels::{texel_swizzle_2d, texel_swizzle_3d, texel_words, texel_field, texel_block_color, \
    texel_block_explicit_alpha, texel_block_interpolated_alpha, texel_signed_byte, texel_mix_floats, \
    texel_mix_fractions};\n\
    import package::numeric_fragment::{fp_add, fp_sub, fp_mul, fp_frc};\n\
    import package::numeric_convert::{fp_unorm_to_float, fp_float_to_unorm, fp_half_bits_to, fp_int_to_float};\n";

/// The functions `sample_texture_{unit}`, `sample_texture_lod_{unit}` and `sample_texture_gradient_{unit}`, with their
/// imports.
#[must_use]
pub fn source(unit: u8, key: &TextureKey) -> String {
    let mut text = String::from(IMPORTS);
    let axes = if key.has_slices() { 3 } else { 2 };
    for axis in 0..axes {
        axis_function(&mut text, unit, key, axis);
    }
    texel_function(&mut text, unit, key);
    slice_function(&mut text, unit, key);
    level_function(&mut text, unit, key);
    filter_function(&mut text, unit, key);
    if key.uses_lod() {
        lod_functions(&mut text, unit, key);
    }
    sample_functions(&mut text, unit, key);
    text
}

/// The texels that one axis touches.
fn axis_function(text: &mut String, unit: u8, key: &TextureKey, axis: usize) {
    // Repeating is not defined for coordinates in texels; they clamp.
    let wrap = match key.wrap[axis] {
        Wrap::Repeat | Wrap::MirroredRepeat if key.is_unnormalized => Wrap::ClampToEdge,
        wrap => wrap,
    };
    let wrapped = match wrap {
        Wrap::Repeat => "fp_frc(coordinate)",
        Wrap::MirroredRepeat => "mirrored_coordinate(coordinate)",
        Wrap::ClampToEdge | Wrap::ClampToBorder | Wrap::Clamp => "coordinate",
        Wrap::MirrorClampToEdge | Wrap::MirrorClampToBorder | Wrap::MirrorClamp => "coordinate & vec4u(0x7fffffffu)",
    };
    let scaled = if key.is_unnormalized { wrapped.to_owned() } else { format!("scaled_coordinate({wrapped}, size)") };
    let texel = |texel: &str, is_linear: bool| match wrap {
        Wrap::Repeat => format!("repeated_texel({texel}, size)"),
        Wrap::ClampToBorder => format!("border_texel({texel}, size)"),
        Wrap::MirrorClampToBorder => format!("border_texel(max({texel}, vec4i(0)), size)"),
        Wrap::Clamp if is_linear => format!("border_texel({texel}, size)"),
        Wrap::MirrorClamp if is_linear => format!("border_texel(max({texel}, vec4i(0)), size)"),
        Wrap::MirroredRepeat | Wrap::ClampToEdge | Wrap::MirrorClampToEdge | Wrap::Clamp | Wrap::MirrorClamp => {
            format!("edge_texel({texel}, size)")
        }
    };
    let clamps = matches!(wrap, Wrap::Clamp | Wrap::MirrorClamp);
    let _ = write!(
        text,
        "\nfn texture_axis_{unit}_{axis}(coordinate: vec4u, size: vec4u, is_linear: vec4<bool>) -> AxisTaps {{\n\
         \x20   let scaled = {scaled};\n"
    );
    let linear = format!(
        "AxisTaps({}, {}, vec4u(corner & vec4i(255)))",
        texel("(corner >> vec4u(8u))", true),
        texel("((corner >> vec4u(8u)) + vec4i(1))", true)
    );
    let nearest = texel("nearest_texel(scaled, size)", false);
    let (minifies, magnifies) = key.filters_linearly;
    if minifies || magnifies {
        let _ = writeln!(text, "    let corner = linear_corner(scaled, size, {clamps});");
        let _ = writeln!(text, "    let linear = {linear};");
    }
    if !minifies || !magnifies {
        let _ = writeln!(text, "    let nearest = {nearest};");
    }
    text.push_str(match (minifies, magnifies) {
        (true, true) => "    return linear;\n}\n",
        (false, false) => "    return AxisTaps(nearest, nearest, vec4u(0u));\n}\n",
        _ => {
            "    return AxisTaps(select(nearest, linear.first, is_linear), select(nearest, linear.second, is_linear), \
             select(vec4u(0u), linear.weight, is_linear));\n}\n"
        }
    });
}

/// One texel of each pixel, decoded.
fn texel_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("shade_parameters.textures[{unit}]");
    let bytes = key.format.element_bytes();
    let storage = key.format.storage();
    let _ = write!(
        text,
        "\nfn texture_texel_{unit}(level: TextureLevel, x: vec4u, y: vec4u, z: vec4u, reference: vec4u) -> QuadVector {{\n\
         \x20   let window = vec2u({parameters}.start, {parameters}.bytes);\n"
    );
    let position = match (storage, key.is_linear) {
        (TexelStorage::Block(_), _) => format!("(y >> vec4u(2u)) * level.pitch + (x >> vec4u(2u)) * {bytes}u"),
        (_, false) if key.has_slices() => {
            format!("texel_swizzle_3d(x, y, z, level.width, level.height, level.depth) * {bytes}u")
        }
        (_, false) => format!("texel_swizzle_2d(x, y, level.width, level.height) * {bytes}u"),
        (TexelStorage::Pair(_), true) => format!("y * level.pitch + (x >> vec4u(1u)) * {bytes}u"),
        (_, true) => format!("y * level.pitch + x * {bytes}u"),
    };
    let rows = if key.format.is_compressed() { "((level.height + vec4u(3u)) >> vec4u(2u))" } else { "level.height" };
    let has_stacked_slices = key.has_slices() && (key.is_linear || key.format.is_compressed());
    let slice = if has_stacked_slices { format!(" + z * (level.pitch * {rows})") } else { String::new() };
    let _ = writeln!(text, "    let offsets = level.offset + {position}{slice};");
    let words = if bytes < 4 { 1 } else { bytes / 4 };
    for word in 0..words {
        let is_aligned = key.is_aligned;
        let _ = writeln!(text, "    let word{word} = texel_words(window, offsets, {bytes}u, {word}u, {is_aligned});");
    }
    decode(text, key, storage);
    if key.has_border() {
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
    if let Some(code) = key.shadow_compare {
        let operator = ["", ">", "==", ">=", "<", "!=", "<=", ""][usize::from(code)];
        let test = match code {
            0 => "vec4<bool>(false)".to_owned(),
            7 => "vec4<bool>(true)".to_owned(),
            _ => format!("reference {operator} value.x"),
        };
        let _ = writeln!(text, "    value.x = select(vec4u(0u), vec4u(0xffffu), {test});");
    }
    text.push_str("    return value;\n}\n");
}

/// Writes `var value: QuadVector` from the element's words.
fn decode(text: &mut String, key: &TextureKey, storage: TexelStorage) {
    let zero = "vec4u(0u)".to_owned();
    let used = key.used_channels();
    let only_used = |value: &dyn Fn(usize) -> String| -> [String; 4] {
        std::array::from_fn(|channel| if used.contains(&channel) { value(channel) } else { zero.clone() })
    };
    let channels: [String; 4] = match storage {
        TexelStorage::Fields(fields) => only_used(&|channel| {
            let fraction = fraction_of_field(fields[channel]);
            finished_fraction(key, channel, &fraction)
        }),
        TexelStorage::SignedFields(fields) => {
            only_used(&|channel| format!("texel_signed_byte({} >> vec4u(8u))", fraction_of_field(fields[channel])))
        }
        TexelStorage::Depth { shift, width } => {
            let mask = u32::MAX >> (32 - width);
            [format!("(word0 >> vec4u({shift}u)) & vec4u({mask}u)"), zero.clone(), zero.clone(), zero.clone()]
        }
        TexelStorage::FloatDepth => std::array::from_fn(|_| zero.clone()),
        TexelStorage::Block(kind) => {
            let (color, is_dxt1) = if kind == BlockKind::Dxt1 { ([0, 1], true) } else { ([2, 3], false) };
            text.push_str("    let texel = (y & vec4u(3u)) * 4u + (x & vec4u(3u));\n");
            let _ = writeln!(
                text,
                "    let color = texel_block_color(word{}, word{}, texel, {is_dxt1});",
                color[0], color[1]
            );
            only_used(&|channel| {
                let byte = match (kind, channel) {
                    (BlockKind::Dxt3, 3) => "texel_block_explicit_alpha(word0, word1, texel)".to_owned(),
                    (BlockKind::Dxt5, 3) => "texel_block_interpolated_alpha(word0, word1, texel)".to_owned(),
                    _ => format!("color.{}", COMPONENTS[channel]),
                };
                finished_fraction(key, channel, &format!("({byte} * 0x101u)"))
            })
        }
        TexelStorage::Pair([red0, red1, green, blue]) => only_used(&|channel| {
            let shift = match channel {
                0 => format!("select(vec4u({red0}u), vec4u({red1}u), (x & vec4u(1u)) != vec4u(0u))"),
                1 => format!("vec4u({green}u)"),
                2 => format!("vec4u({blue}u)"),
                _ => return finished_fraction(key, channel, "vec4u(0xffffu)"),
            };
            finished_fraction(key, channel, &format!("(((word0 >> {shift}) & vec4u(0xffu)) * 0x101u)"))
        }),
        TexelStorage::Half(order) => only_used(&|channel| {
            let (word, shift) = (order[channel] / 2, order[channel] % 2 * 16);
            format!("fp_half_bits_to((word{word} >> vec4u({shift}u)) & vec4u(0xffffu))")
        }),
        TexelStorage::Float(order) => only_used(&|channel| format!("word{}", order[channel])),
    };
    let _ = writeln!(text, "    var value = QuadVector({});", channels.join(", "));
}

fn fraction_of_field(field: Field) -> String {
    match field {
        Field::Bits { shift, width } => format!("texel_field(word0, {shift}u, {width}u)"),
        Field::One => "vec4u(0xffffu)".to_owned(),
        Field::Zero => "vec4u(0u)".to_owned(),
    }
}

/// A fraction as it is filtered: itself, or a float by the signed and expanding rules.
fn finished_fraction(key: &TextureKey, channel: usize, fraction: &str) -> String {
    if key.filters_integers {
        fraction.to_owned()
    } else if (key.signed >> [2, 1, 0, 3][channel]) & 1 != 0 {
        format!("texel_signed_byte({fraction} >> vec4u(8u))")
    } else if key.expand_normal {
        format!("texel_signed_byte(({fraction} >> vec4u(8u)) ^ vec4u(0x80u))")
    } else {
        format!("fp_unorm_to_float({fraction}, 16u)")
    }
}

/// The bilinear sum of one slice.
fn slice_function(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = writeln!(
        text,
        "\nfn texture_slice_{unit}(level: TextureLevel, x: AxisTaps, y: AxisTaps, z: vec4u, reference: vec4u) -> \
         QuadVector {{"
    );
    if key.filters_linearly == (false, false) {
        let _ = writeln!(text, "    return texture_texel_{unit}(level, x.first, y.first, z, reference);\n}}");
        return;
    }
    let used = key.used_channels();
    text.push_str("    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n");
    if !key.filters_integers {
        text.push_str("    var left = sum;\n");
    }
    let _ = write!(
        text,
        "    for (var tap = 0u; tap < 4u + opaque_zero; tap++) {{\n        let is_right = vec4<bool>((tap & 1u) != 0u);\n\
         \x20       let is_below = vec4<bool>(tap >= 2u);\n        let column = select(x.first, x.second, is_right);\n\
         \x20       let row = select(y.first, y.second, is_below);\n\
         \x20       let texel = texture_texel_{unit}(level, column, row, z, reference);\n"
    );
    if key.filters_integers {
        text.push_str(
            "        let column_weight = select(vec4u(256u) - x.weight, x.weight, is_right);\n\
             \x20       let row_weight = select(vec4u(256u) - y.weight, y.weight, is_below);\n\
             \x20       let weight = column_weight * row_weight;\n",
        );
        for &channel in &used {
            let component = COMPONENTS[channel];
            let _ = writeln!(text, "        sum.{component} += texel.{component} * weight;");
        }
        text.push_str("    }\n    let half = vec4u(0x8000u);\n    let shift = vec4u(16u);\n");
        let sums = COMPONENTS.map(|component| format!("(sum.{component} + half) >> shift"));
        let _ = writeln!(text, "    return QuadVector({});\n}}", sums.join(", "));
        return;
    }
    text.push_str("        if (tap & 1u) == 0u {\n            left = texel;\n            continue;\n        }\n");
    for &channel in &used {
        let component = COMPONENTS[channel];
        let _ = write!(
            text,
            "        let row_{component} = texel_mix_floats(left.{component}, texel.{component}, x.weight);\n\
             \x20       sum.{component} = select(row_{component}, \
             texel_mix_floats(sum.{component}, row_{component}, y.weight), is_below);\n"
        );
    }
    text.push_str("    }\n    return sum;\n}\n");
}

fn mix(key: &TextureKey, first: &str, second: &str, weight: &str) -> String {
    let function = if key.filters_integers { "texel_mix_fractions" } else { "texel_mix_floats" };
    let used = key.used_channels();
    let channels: [String; 4] = std::array::from_fn(|channel| {
        let component = COMPONENTS[channel];
        match used.contains(&channel) {
            true => format!("{function}({first}.{component}, {second}.{component}, {weight})"),
            false => "vec4u(0u)".to_owned(),
        }
    });
    format!("QuadVector({})", channels.join(", "))
}

/// One mip level: the axes, and the slices of volumes.
fn level_function(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = write!(
        text,
        "\nfn texture_in_level_{unit}(level: TextureLevel, position: QuadVector, is_linear: vec4<bool>, \
         reference: vec4u) -> QuadVector {{\n\
         \x20   let x = texture_axis_{unit}_0(position.x, level.width, is_linear);\n\
         \x20   let y = texture_axis_{unit}_1(position.y, level.height, is_linear);\n"
    );
    if !key.has_slices() {
        let _ = writeln!(text, "    return texture_slice_{unit}(level, x, y, vec4u(0u), reference);\n}}");
        return;
    }
    let _ = writeln!(text, "    let z = texture_axis_{unit}_2(position.z, level.depth, is_linear);");
    if key.filters_linearly == (false, false) {
        let _ = writeln!(text, "    return texture_slice_{unit}(level, x, y, z.first, reference);\n}}");
        return;
    }
    let _ = write!(
        text,
        "    var first: QuadVector;\n    var second: QuadVector;\n    for (var slice = 0u; slice < 2u + opaque_zero; slice++) {{\n\
         \x20       first = second;\n        let texel = select(z.first, z.second, vec4<bool>(slice != 0u));\n\
         \x20       second = texture_slice_{unit}(level, x, y, texel, reference);\n    }}\n    return {};\n}}\n",
        mix(key, "first", "second", "z.weight")
    );
}

/// All levels, the remap and gamma.
fn filter_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("shade_parameters.textures[{unit}]");
    let is_cube = key.dimensions == Dimensions::Cube;
    let _ = writeln!(text, "\nfn texture_filter_{unit}(coordinate: QuadVector, lod: vec4i) -> QuadVector {{");
    let reference = match (key.shadow_compare, key.format.storage()) {
        (Some(_), TexelStorage::Depth { width, .. }) => {
            let _ = writeln!(text, "    let reference = fp_float_to_unorm(coordinate.z, {width}u);");
            "reference"
        }
        _ => "vec4u(0u)",
    };
    let position = if is_cube {
        let _ = writeln!(
            text,
            "    let face = cube_faces(coordinate);\n    let position = cube_coordinates(coordinate, face);\n\
             \x20   let face_offset = face * {parameters}.face_bytes;"
        );
        "position"
    } else {
        "coordinate"
    };
    let is_linear = match key.filters_linearly {
        (false, true) => "lod <= vec4i(0)",
        (true, false) => "lod > vec4i(0)",
        (true, true) => "vec4<bool>(true)",
        (false, false) => "vec4<bool>(false)",
    };
    let _ = writeln!(text, "    let is_linear = {is_linear};");
    let in_level = |level: &str| format!("texture_in_level_{unit}({level}, {position}, is_linear, {reference})");
    let adds_face = if is_cube { "level.offset += face_offset;" } else { "" };
    if key.mip_filter == MipFilter::None {
        let _ = writeln!(text, "    var level = texture_level({unit}u, 0u);\n    {adds_face}");
        let _ = writeln!(text, "    let filtered = {};", in_level("level"));
    } else {
        let _ = writeln!(
            text,
            "    let limited = vec4u(min(max(lod, vec4i({parameters}.min_lod)), vec4i({parameters}.max_lod)));\n\
             \x20   let last = vec4u({parameters}.last_level);"
        );
        if key.mip_filter == MipFilter::Nearest {
            let _ = writeln!(
                text,
                "    var level = texture_levels({unit}u, min((limited + vec4u(127u)) >> vec4u(8u), last));\n    \
                 {adds_face}\n    let filtered = {};",
                in_level("level")
            );
        } else {
            let _ = writeln!(
                text,
                "    var first: QuadVector;\n    var second: QuadVector;\n\
                 \x20   for (var step = 0u; step < 2u + opaque_zero; step++) {{\n        first = second;\n\
                 \x20       var level = texture_levels({unit}u, min((limited >> vec4u(8u)) + vec4u(step), last));\n\
                 \x20       {adds_face}\n        second = {};\n    }}\n    let weight = select(vec4u(0u), limited & vec4u(255u), (limited >> vec4u(8u)) < last);\n\
                 \x20   let filtered = {};",
                in_level("level"),
                mix(key, "first", "second", "weight")
            );
        }
    }
    let channels: [String; 4] = std::array::from_fn(|channel| {
        let source = match key.remap[channel] {
            RemappedChannel::Zero => return "vec4u(0u)".to_owned(),
            RemappedChannel::One => return "vec4u(0x3f800000u)".to_owned(),
            RemappedChannel::Source(_) if key.shadow_compare.is_some() => "filtered.x".to_owned(),
            RemappedChannel::Source(source) => format!("filtered.{}", COMPONENTS[usize::from(source)]),
        };
        if !key.filters_integers {
            source
        } else if (key.gamma >> channel) & 1 != 0 {
            format!("fp_unorm_to_float(texture_linear_fractions({source}), 24u)")
        } else {
            format!("fp_unorm_to_float({source}, 16u)")
        }
    });
    let _ = writeln!(text, "    return QuadVector({});\n}}", channels.join(", "));
}

/// Levels of detail from the quad's coordinates and from given derivatives.
fn lod_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let is_cube = key.dimensions == Dimensions::Cube;
    let axes = if key.has_slices() { 3 } else { 2 };
    let component_of = ["x", "y", "z"];
    let size = ["size.width", "size.height", "size.depth"];
    let scaled = |value: String, axis: usize| match key.is_unnormalized {
        true => value,
        false => format!("fp_mul({value}, fp_int_to_float(vec4i({})))", size[axis]),
    };
    let _ = writeln!(
        text,
        "\nfn texture_implicit_lod_{unit}(coordinate: QuadVector) -> i32 {{\n    let size = texture_level({unit}u, 0u);"
    );
    let position = if is_cube {
        // Derivatives are taken on the face of the first pixel.
        text.push_str("    let face = vec4u(cube_faces(coordinate).x);\n");
        text.push_str("    let position = cube_coordinates(coordinate, face);\n");
        "position"
    } else {
        "coordinate"
    };
    // Lane 0 holds the derivative along x, lane 1 along y.
    for axis in 0..axes {
        let component = component_of[axis];
        let step = format!("fp_sub({position}.{component}.yzyz, {position}.{component}.xxxx)");
        let _ = writeln!(text, "    let step{axis} = {};", scaled(step, axis));
    }
    let squares = |prefix: &str| {
        (1..axes).fold(format!("fp_mul({prefix}0, {prefix}0)"), |sum, axis| {
            format!("fp_add({sum}, fp_mul({prefix}{axis}, {prefix}{axis}))")
        })
    };
    let _ = writeln!(
        text,
        "    let squares = {};\n    return lod_of_squares(squares, squares.yyyy).x;\n}}",
        squares("step")
    );
    let _ = writeln!(
        text,
        "\nfn texture_gradient_lod_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector) -> vec4i {{\n    \
         let size = texture_level({unit}u, 0u);"
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
        for axis in 0..axes {
            let component = component_of[axis];
            let step = match is_cube {
                true => format!("fp_sub(moved_{name}.{component}, origin.{component})"),
                false => format!("{name}.{component}"),
            };
            let _ = writeln!(text, "    let {name}{axis} = {};", scaled(step, axis));
        }
    }
    let _ = writeln!(text, "    return lod_of_squares({}, {});\n}}", squares("ddx"), squares("ddy"));
}

fn sample_functions(text: &mut String, unit: u8, key: &TextureKey) {
    let bias = format!("vec4i(shade_parameters.textures[{unit}].lod_bias)");
    let lods = if key.uses_lod() {
        [
            format!("vec4i(texture_implicit_lod_{unit}(coordinate)) + fixed_lod(bias) + {bias}"),
            "fixed_lod(lod)".to_owned(),
            format!("texture_gradient_lod_{unit}(coordinate, ddx, ddy) + {bias}"),
        ]
    } else {
        std::array::from_fn(|_| "vec4i(0)".to_owned())
    };
    let signatures = [
        format!("sample_texture_{unit}(coordinate: QuadVector, bias: vec4u)"),
        format!("sample_texture_lod_{unit}(coordinate: QuadVector, lod: vec4u)"),
        format!("sample_texture_gradient_{unit}(coordinate: QuadVector, ddx: QuadVector, ddy: QuadVector)"),
    ];
    for (signature, lod) in signatures.iter().zip(&lods) {
        let _ = writeln!(
            text,
            "\nfn {signature} -> QuadVector {{\n    return texture_filter_{unit}(coordinate, {lod});\n}}"
        );
    }
}
