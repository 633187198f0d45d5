//! Turns the state of a texture unit into the WGSL functions that sample it for a quad.
//!
//! Values are held channel by channel, four pixels side by side. Formats, layouts, wraps, filters and the remap are baked;
//! addresses, sizes, limits and the border are data (`wgsl/texture/parameters.wgsl`).

use std::fmt::Write;

use super::convolution::{self, convolution_function, mixed_function};
use super::counts;
pub use super::counts::counted_words;
pub use super::key::{TextureKey, UnitUses};
use super::lod::{footprint_functions, prepare_function, sample_functions};
use super::packed::{packed_fields, packed_sum};
use super::post_filter::finish;
use super::probes::{self, samples_function};
use super::seams;
use super::texel::{axis_function, corner_offsets, element_words, texel_function, word_count};
use crate::format::TexelStorage;
use crate::format::texel::BlockKind;
use crate::pipeline::{Convolution, Dimensions, MipFilter};
use crate::recompiler::software::iteration_budget::QuadIterations;
use crate::recompiler::text::{COMPONENTS, end_of_loop};

/// A compiler cannot know the iteration counts of the text's loops, so it does not unroll them: sixteen copies of a
/// fetch take seconds to compile.
const IMPORTS: &str = "import package::arith::optimization_barrier::opaque_zero;\n\
    import package::fragment::quad::QuadVector;\n\
    import package::texture::parameters::{ShadeParameters, TextureParameters, TextureLevel, texture_base_level, texture_levels, texture_linear_fractions};\n\
    import package::texture::addressing::{BORDER, AxisTaps, scaled_coordinate, scaled_flushed, mirrored_coordinate, linear_corner, \
    inner_corner, nearest_texel, repeated_texel, periodic_texel, edge_texel, border_texel, outer_texel, lod_of_square, fixed_lod, TextureFootprint, \
    point_footprint, cube_faces, cube_coordinates};\n\
    import package::texture::texel::{texel_swizzle_2d, texel_columns_2d, texel_swizzle_3d, texel_block_linear, texel_block_columns, texel_block_rows, texel_words, texel_whole_words, texel_byte, texel_block_color, \
    texel_block_explicit_alpha, texel_block_interpolated_alpha, texel_signed, texel_signed_clamped, \
    texel_depth_float24, texel_depth_float16, texel_power_of_two, texel_mix_floats, texel_mix_integers};\n\
    import package::arith::fragment::{fp_flush, fp_add, fp_sub, fp_mul, fp_frc, fp_add_ftz, fp_mul_ftz, fp_frc_ftz};\n\
    import package::arith::convert::{fp_unorm_to_float, fp_fraction_to_float, fp_float_to_unorm, fp_half_bits_to, fp_int_to_float};\n";

/// The source of texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TexelMemory {
    /// Guest memory, which the kernel does not write.
    ReadOnly,
    /// Guest memory, which the kernel also writes.
    Written,
    /// An image with a copy of guest memory.
    Image,
}

impl TexelMemory {
    /// The module that loads words.
    const fn module(self) -> &'static str {
        match self {
            Self::ReadOnly => "memory::texel_read",
            Self::Written => "memory::texel_write",
            Self::Image => "software::texel_image",
        }
    }
}

/// Maximum number of loop iterations of a sample in a level.
fn sample_rounds(key: &TextureKey) -> u64 {
    let slice = if key.is_seamless() { 4 * (1 + seams::MAX_ITERATIONS) } else { 4 };
    let level = if key.has_slices() { 2 * (1 + slice) } else { slice };
    // The loop over taps exits at its top.
    let convolved = if key.convolution.is_some() { 10 } else { 0 };
    level + convolved + u64::from(key.is_anisotropic)
}

/// Maximum numbers of loop iterations of a fetch: those that it does not count itself, and those that it counts.
#[must_use]
pub fn max_rounds(key: &TextureKey) -> QuadIterations {
    let sample = sample_rounds(key);
    let [fixed, levels] = match key.mip_filter {
        MipFilter::Linear => [2 * (1 + sample), 2],
        MipFilter::None | MipFilter::Nearest => [sample, 1],
    };
    let further = if key.is_anisotropic { probes::MAX_SAMPLES - 1 } else { 0 };
    QuadIterations { fixed, samples: levels * further * sample, ..QuadIterations::default() }
}

/// The line of `main` that loads the unit's parameters.
///
/// It belongs first, before any lane is masked: there the loads, which have constant addresses, run once for all lanes.
/// The unit's functions read only these parameters and texels.
#[must_use]
pub fn prologue(unit: u8) -> String {
    format!("load_texture_unit_{unit}();")
}

/// The functions `sample_texture_{unit}`, `sample_texture_lod_{unit}` and `sample_texture_gradient_{unit}`, with their
/// imports, over parameters that [`prologue`] loads. Fetches that can discard fragments set `texture_discards_{unit}`,
/// counted fetches set `texture_counts_{unit}`.
#[must_use]
pub fn source(unit: u8, key: &TextureKey) -> String {
    source_over(TexelMemory::ReadOnly, unit, key)
}

/// The same for a source of texels.
#[must_use]
pub fn source_over(memory: TexelMemory, unit: u8, key: &TextureKey) -> String {
    let module = memory.module();
    let mut text = format!(
        "import package::{module}::{{TEXELS_LIE_IN_IMAGE, load_texel_u8, load_texel_u16, load_texel_u32, load_texel_word}};\n{IMPORTS}"
    );
    let _ = write!(
        text,
        "\nvar<private> texture_unit_{unit}: TextureParameters;\n\nfn load_texture_unit_{unit}() {{\n\
         \x20   texture_unit_{unit} = shade_parameters.textures[{unit}];\n}}\n"
    );
    if key.is_anisotropic {
        text.push_str(probes::IMPORTS);
    }
    if key.uses.offsets {
        text.push_str("import package::texture::offsets::moved_coordinate;\n");
        let _ = writeln!(text, "var<private> texture_offsets_{unit}: vec3i;");
    }
    if let TexelStorage::Block(BlockKind::Rgtc1 { is_signed: true } | BlockKind::Rgtc2 { is_signed: true }) =
        key.format.storage()
    {
        text.push_str("import package::texture::rgtc::rgtc_signed_channel;\n");
    }
    if key.can_discard() {
        let _ = writeln!(
            text,
            "\n// Which pixels the last fetch discards.\nvar<private> texture_discards_{unit}: vec4<bool>;"
        );
    }
    if key.has_seams() {
        text.push_str(seams::IMPORTS);
        seams::declarations(&mut text, unit);
    }
    counts::declarations(&mut text, unit, key);
    let axes = if key.has_slices() { 3 } else { 2 };
    for axis in 0..axes {
        axis_function(&mut text, unit, key, axis);
    }
    texel_function(&mut text, unit, key);
    if let Some(convolution) = key.convolution {
        text.push_str(convolution::IMPORTS);
        convolution_function(&mut text, unit, key, convolution.kernel);
    }
    if !matches!(key.convolution, Some(Convolution { applies: (true, true), .. })) {
        slice_function(&mut text, unit, key);
        level_function(&mut text, unit, key);
        if key.convolution.is_some() {
            mixed_function(&mut text, unit, key);
        }
    }
    if key.is_anisotropic {
        samples_function(&mut text, unit, key, &in_level(unit, key, "place"), sample_rounds(key));
    }
    levels_function(&mut text, unit, key);
    filter_function(&mut text, unit, key);
    if key.is_cube_array() || key.uses.cubes {
        prepare_function(&mut text, unit);
    }
    if key.uses_lod() || key.uses.lods {
        footprint_functions(&mut text, unit, key);
    }
    sample_functions(&mut text, unit, key);
    text
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
    if let Some(fields) = packed_fields(key)
        && word_count(key) == 1
    {
        let _ = writeln!(text, "    let window = vec2u(texture_unit_{unit}.start, texture_unit_{unit}.bytes);");
        for (corner, offset) in corner_offsets(text, unit, key) {
            let _ = writeln!(text, "    let {corner} = {};", element_words(key, &offset, 0));
        }
        packed_sum(text, key, fields);
        return;
    }
    if key.filters_integers && !key.filters_bytes() {
        return fraction_sum(text, unit, key);
    }
    let mix = mix_function(key);
    let _ = write!(
        text,
        "    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n    var left = sum;\n    var tap = 0u;\n\
         \x20   loop {{\n        let is_below = vec4<bool>(tap >= 2u);\n\
         \x20       let column = select(x.first, x.second, vec4<bool>((tap & 1u) != 0u));\n\
         \x20       let row = select(y.first, y.second, is_below);\n\
         \x20       let texel = texture_texel_{unit}(level, column, row, z, reference);\n\
         \x20       if (tap & 1u) != 0u {{\n"
    );
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let _ = write!(
            text,
            "            let row_{component} = {mix}(left.{component}, texel.{component}, x.weight);\n\
             \x20           sum.{component} = select(row_{component}, \
             {mix}(sum.{component}, row_{component}, y.weight), is_below);\n"
        );
    }
    let _ = writeln!(
        text,
        "        }}\n        left = texel;\n{}    return sum;\n}}",
        end_of_loop("tap", "4u + opaque_zero")
    );
}

/// The sum of weighted 16-bit fractions, which is rounded once.
fn fraction_sum(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = write!(
        text,
        "    var sum = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));\n\
         \x20   var tap = 0u;\n    loop {{\n        let is_right = vec4<bool>((tap & 1u) != 0u);\n\
         \x20       let is_below = vec4<bool>(tap >= 2u);\n        let column = select(x.first, x.second, is_right);\n\
         \x20       let row = select(y.first, y.second, is_below);\n\
         \x20       let texel = texture_texel_{unit}(level, column, row, z, reference);\n\
         \x20       let column_weight = select(vec4u(256u) - x.weight, x.weight, is_right);\n\
         \x20       let row_weight = select(vec4u(256u) - y.weight, y.weight, is_below);\n\
         \x20       let weight = column_weight * row_weight;\n"
    );
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let _ = writeln!(text, "        sum.{component} += texel.{component} * weight;");
    }
    text.push_str(&end_of_loop("tap", "4u + opaque_zero"));
    text.push_str("    let half = vec4u(0x8000u);\n    let shift = vec4u(16u);\n");
    let sums = COMPONENTS.map(|component| format!("(sum.{component} + half) >> shift"));
    let _ = writeln!(text, "    return QuadVector({});\n}}", sums.join(", "));
}

/// The function that interpolates between two values of a channel.
const fn mix_function(key: &TextureKey) -> &'static str {
    if key.filters_integers { "texel_mix_integers" } else { "texel_mix_floats" }
}

fn mix(key: &TextureKey, first: &str, second: &str, weight: &str) -> String {
    let function = mix_function(key);
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
        "\nfn texture_in_level_{unit}(level: TextureLevel, position: QuadVector, is_filtered: vec4<bool>, \
         reference: vec4u) -> QuadVector {{\n\
         \x20   let x = texture_axis_{unit}_0(position.x, level.width, is_filtered);\n\
         \x20   let y = texture_axis_{unit}_1(position.y, level.height, is_filtered);\n"
    );
    if !key.has_slices() {
        counts::texels(text, unit, key);
        let _ = writeln!(text, "    return texture_slice_{unit}(level, x, y, vec4u(0u), reference);\n}}");
        return;
    }
    let _ = writeln!(text, "    let z = texture_axis_{unit}_2(position.z, level.depth, is_filtered);");
    counts::texels(text, unit, key);
    if key.filters_linearly == (false, false) {
        let _ = writeln!(text, "    return texture_slice_{unit}(level, x, y, z.first, reference);\n}}");
        return;
    }
    let _ = write!(
        text,
        "    var first: QuadVector;\n    var second: QuadVector;\n    var slice = 0u;\n    loop {{\n\
         \x20       first = second;\n        let texel = select(z.first, z.second, vec4<bool>(slice != 0u));\n\
         \x20       second = texture_slice_{unit}(level, x, y, texel, reference);\n{}    return {};\n}}\n",
        end_of_loop("slice", "2u + opaque_zero"),
        mix(key, "first", "second", "z.weight")
    );
}

/// The value of one sample of a level at a position.
fn in_level(unit: u8, key: &TextureKey, position: &str) -> String {
    let mixed = |is_convolved: &str| {
        format!(
            "texture_in_mixed_level_{unit}(level, {position}, is_filtered, footprint.lod {is_convolved} vec4i(0), reference)"
        )
    };
    match key.convolution.map(|convolution| convolution.applies) {
        Some((true, true)) => format!("texture_convolved_{unit}(level, {position}, reference)"),
        Some((true, false)) => mixed(">"),
        Some(_) => mixed("<="),
        None => format!("texture_in_level_{unit}(level, {position}, is_filtered, reference)"),
    }
}

/// One or two levels; the second only if a pixel of the quad mixes it.
fn levels_function(text: &mut String, unit: u8, key: &TextureKey) {
    let parameters = format!("texture_unit_{unit}");
    let _ = writeln!(
        text,
        "\nfn texture_in_levels_{unit}(position: QuadVector, face_offset: vec4u, footprint: TextureFootprint, \
         reference: vec4u) -> QuadVector {{"
    );
    let is_filtered = match key.filters_linearly {
        (false, true) => "footprint.lod <= vec4i(0)",
        (true, false) => "footprint.lod > vec4i(0)",
        (true, true) => "vec4<bool>(true)",
        (false, false) => "vec4<bool>(false)",
    };
    let _ = writeln!(text, "    let is_filtered = {is_filtered};");
    let in_level = match key.is_anisotropic {
        true => format!("texture_samples_{unit}(level, numbers, position, footprint, is_filtered, reference)"),
        false => in_level(unit, key, "position"),
    };
    if key.mip_filter != MipFilter::Linear {
        counts::level(text, unit, key);
    }
    if key.mip_filter == MipFilter::None {
        let _ = writeln!(
            text,
            "    var level = texture_base_level(texture_unit_{unit}.levels);\n    level.offset += face_offset;\n    \
             let numbers = vec4u(0u);\n    return {in_level};\n}}"
        );
        return;
    }
    let _ = writeln!(
        text,
        "    let limited = vec4u(min(max(footprint.lod, vec4i({parameters}.min_lod)), vec4i({parameters}.max_lod)));\n\
         \x20   let last = vec4u({parameters}.last_level);"
    );
    if key.mip_filter == MipFilter::Nearest {
        let _ = writeln!(
            text,
            "    let numbers = min((limited + vec4u(127u)) >> vec4u(8u), last);\n    \
             var level = texture_levels(texture_unit_{unit}.levels, numbers);\n    level.offset += face_offset;\n    return {in_level};\n}}"
        );
        return;
    }
    text.push_str("    let weight = select(vec4u(0u), limited & vec4u(255u), (limited >> vec4u(8u)) < last);\n");
    counts::mixed_levels(text, unit, key);
    text.push_str(
        "    let mixes = any(weight != vec4u(0u));\n    let rounds = select(1u, 2u, mixes);\n\
         \x20   var first: QuadVector;\n    var second: QuadVector;\n    var step = 0u;\n    loop {\n        first = second;\n",
    );
    counts::next_level(text, unit, key);
    let _ = writeln!(
        text,
        "        let numbers = min((limited >> vec4u(8u)) + vec4u(step), last);\n\
         \x20       var level = texture_levels(texture_unit_{unit}.levels, numbers);\n\
         \x20       level.offset += face_offset;\n        second = {in_level};\n{}",
        end_of_loop("step", "rounds")
    );
    for channel in key.used_channels() {
        let component = COMPONENTS[channel];
        let _ = writeln!(text, "    first.{component} = select(second.{component}, first.{component}, mixes);");
    }
    let _ = writeln!(text, "    return {};\n}}", mix(key, "first", "second", "weight"));
}

/// The levels, then the post-filter.
fn filter_function(text: &mut String, unit: u8, key: &TextureKey) {
    let _ = writeln!(
        text,
        "\nfn texture_filter_{unit}(coordinate: QuadVector, footprint: TextureFootprint) -> QuadVector {{"
    );
    counts::begin(text, unit, key);
    let (position, face_offset) = enter_face(text, unit, key);
    let _ =
        writeln!(text, "    var filtered = texture_in_levels_{unit}({position}, {face_offset}, footprint, reference);");
    counts::end(text, unit, key);
    finish(text, unit, key);
}

/// Names the `reference` of `coordinate`; returns the place in a face or layer, and the offset of that.
pub(super) fn enter_face(text: &mut String, unit: u8, key: &TextureKey) -> (&'static str, String) {
    let parameters = format!("texture_unit_{unit}");
    let is_cube = key.dimensions == Dimensions::Cube && !key.is_cube_array();
    let reference = reference_depth(key, if is_cube { "coordinate.w" } else { "coordinate.z" });
    let _ = writeln!(text, "    let reference = {};", reference.unwrap_or_else(|| "vec4u(0u)".to_owned()));
    let (position, image) = match is_cube {
        true => {
            text.push_str("    let face = cube_faces(coordinate);\n");
            text.push_str("    let position = cube_coordinates(coordinate, face);\n");
            ("position", "face".to_owned())
        }
        // The number of the last layer or face is beside the color key, which Tesla does not have.
        false if key.layers.is_some() => ("coordinate", format!("min(coordinate.w, vec4u({parameters}.color_key.y))")),
        false => return ("coordinate", "vec4u(0u)".to_owned()),
    };
    if key.has_seams() {
        let _ = writeln!(text, "    texture_face_{unit} = {image} % vec4u(6u);");
    }
    (position, format!("{image} * {parameters}.face_bytes"))
}

/// The depth that is compared with texels, in the bits of the format.
fn reference_depth(key: &TextureKey, component: &str) -> Option<String> {
    key.shadow_compare?;
    match key.format.storage() {
        TexelStorage::Depth { width, .. } => Some(format!("fp_float_to_unorm({component}, {width}u)")),
        TexelStorage::FloatDepth { width: 24, .. } => Some(format!("texel_depth_float24({component})")),
        TexelStorage::FloatDepth { width: 32, .. } => {
            Some(format!("select({component}, vec4u(0u), {component} > vec4u(0x7f800000u))"))
        }
        TexelStorage::FloatDepth { .. } => Some(format!("texel_depth_float16({component})")),
        _ => None,
    }
}
