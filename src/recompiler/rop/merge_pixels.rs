//! Turns the state of the output merger into the WGSL of its kernel: one invocation merges the quads of one tile in order.
//!
//! Values are held channel by channel, four pixels side by side. References, masks and constants are data; formats,
//! layouts, comparisons and operations are baked.

use std::fmt::Write;

use super::channels;
use super::color::merge_color;
use super::counts::{self, Tallying};
use super::depth::{DepthSource, depth_and_stencil};
pub use super::key::{ColorKey, MergeKey, StencilKey, ZETA_SURFACE, ZetaKey};
use super::samples::{SHADED_ALPHA, open_samples};
use super::shaded_color::{ShadedColor, ValueRange};
use crate::format::{ColorFormat, PixelStorage};
use crate::pipeline::{Compare, LayoutKind};
use crate::recompiler::condition::comparison;
use crate::recompiler::software::pixel_pairs;

/// The source of shaded quads for merging.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShadedQuad<'a> {
    /// The list that shading stored, starting at `base`.
    Listed,
    /// Named values of the same invocation.
    Named {
        /// Whether the pixels are covered.
        coverage: &'a str,
        /// Depth of the four pixels.
        depth: &'a str,
        /// The depth test's source of the depth.
        source: DepthSource,
        /// Red, green, blue, alpha of the colors that shading writes, four pixels each.
        colors: &'a [ShadedColor],
        /// Whether all four pixels lie inside the clip rectangle, covered or not.
        is_inside: bool,
        /// How outcomes are counted, if they are.
        tallying: Tallying,
    },
}

impl ShadedQuad<'_> {
    fn color(self, key: &MergeKey, slot: u8) -> String {
        match self {
            Self::Listed => format!("shaded_color(base + {}u)", 2 + 4 * slot),
            Self::Named { colors, .. } => {
                let [red, green, blue, alpha] = &colors[usize::from(slot)].values;
                let alpha = if key.makes_opaque() { "vec4u(0x3f800000u)" } else { alpha };
                format!("QuadVector({red}, {green}, {blue}, {alpha})")
            }
        }
    }

    fn alpha(self) -> String {
        match self {
            Self::Listed => format!("vec4u({SHADED_ALPHA})"),
            Self::Named { colors, .. } => {
                colors.first().map_or("vec4u(0u)".to_owned(), |color| color.values[3].clone())
            }
        }
    }

    const fn is_inside(self) -> bool {
        matches!(self, Self::Named { is_inside: true, .. })
    }

    fn tallying(self) -> Tallying {
        match self {
            Self::Listed => Tallying::Stored,
            Self::Named { tallying, .. } => tallying,
        }
    }

    fn ranges(self, slot: u8) -> [ValueRange; 4] {
        match self {
            Self::Listed => [ValueRange::ANY; 4],
            Self::Named { colors, .. } => {
                colors.get(usize::from(slot)).map_or([ValueRange::ANY; 4], |color| color.ranges)
            }
        }
    }
}

/// The imports of the text that merges a quad.
pub(crate) fn imports(key: &MergeKey) -> String {
    let mut text = String::from(
        "import package::arith::optimization_barrier::set_opaque_zero;\n\
         import package::fragment::quad::QuadVector;\n\
         import package::arith::fragment::{fp_add, fp_sub, fp_mul, fp_min, fp_max};\n\
         import package::arith::convert::{fp_float_to_unorm, fp_saturated_to_unorm, fp_half_to_unorm, \
         fp_unit_half_to_unorm, fp_half_bits_from, fp_half_bits_to};\n\
         import package::rop::merge_surface::{MergeParameters, load_pixels, store_pixels, load_half_pairs, \
         store_half_pairs, swizzled_offsets, block_linear_offsets, wide_block_linear_offsets, ordered_floats, \
         expand_to_bytes, over_255, float24_depths, dithered};\n",
    );
    if key.uses_wide_words() {
        text.push_str(pixel_pairs::IMPORTS);
    }
    if key.counting.is_some() {
        text.push_str(counts::IMPORTS);
    }
    if key.encodes_srgb() {
        text.push_str("import package::rop::srgb_curve::{srgb_bytes, srgb_values};\n");
    }
    let has_others =
        key.written_colors().any(|color| has_channels(color) && color.format != ColorFormat::A16B16G16R16F);
    if has_others {
        text.push_str(channels::IMPORTS);
    }
    if has_others || key.clamps_alpha || key.written_colors().any(|color| color.clamps) {
        text.push_str("import package::arith::fragment::fp_saturate;\n");
    }
    text
}

/// The text of the kernel.
#[must_use]
pub fn source(key: &MergeKey) -> String {
    let mut text =
        String::from("// Merges shaded quads into the targets; generated from the state of the output merger.\n");
    text.push_str(&imports(key));
    text.push_str(
        "\n\
         @group(0) @binding(9) var<storage, read> tiles: array<vec2u>;\n\
         @group(0) @binding(14) var<storage, read> parameters: MergeParameters;\n",
    );
    let access = if key.counting.is_some() { "read_write" } else { "read" };
    let _ = writeln!(text, "@group(0) @binding(13) var<storage, {access}> shaded: array<vec4u>;");
    if key.counting.is_none() && key.counts_samples {
        text.push_str("@group(0) @binding(15) var<storage, read_write> counters: array<atomic<u32>>;\n");
    }
    let alpha = if key.makes_opaque() { "vec4u(0x3f800000u)" } else { "vec4u(a.w, b.w, c.w, d.w)" };
    let _ = write!(
        text,
        "\n// Four pixels of a colour, channel by channel.\n\
         fn shaded_color(base: u32) -> QuadVector {{\n\
         \x20   let a = shaded[base];\n    let b = shaded[base + 1u];\n\
         \x20   let c = shaded[base + 2u];\n    let d = shaded[base + 3u];\n\
         \x20   return QuadVector(vec4u(a.x, b.x, c.x, d.x), vec4u(a.y, b.y, c.y, d.y), vec4u(a.z, b.z, c.z, d.z), \
         {alpha});\n}}\n\n\
         @compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3u) {{\n\
         \x20   set_opaque_zero(parameters.zero);\n"
    );
    declare_surfaces(&mut text, key, "parameters");
    let stride = key.stride();
    let mut tallies = String::new();
    counts::declare(&mut tallies, key);
    let _ = write!(
        text,
        "    if id.x >= parameters.tile_count {{\n        return;\n    }}\n\
         \x20   let tile = tiles[parameters.first_tile + id.x];\n    var passing = 0u;\n{tallies}\
         \x20   for (var quad = tile.x; quad < tile.x + tile.y; quad++) {{\n        let base = quad * {stride}u;\n\
         \x20       let head = shaded[base + 1u];\n        if head.x == 0u {{\n            continue;\n        }}\n"
    );
    merge_quad(&mut text, key, ShadedQuad::Listed);
    text.push_str("    }\n");
    counts::add(&mut text, key);
    if key.counts_samples {
        text.push_str("    if passing != 0u {\n        atomicAdd(&counters[0], passing);\n    }\n");
    }
    text.push_str("}\n");
    text
}

/// Merges one quad: `head` holds its coverage, its position and whether it is front-facing.
pub(crate) fn merge_quad(text: &mut String, key: &MergeKey, quad: ShadedQuad<'_>) {
    let is_listed = matches!(quad, ShadedQuad::Listed);
    let alive = match quad {
        _ if key.multisampling.is_some() => "vec4<bool>(true)",
        ShadedQuad::Listed => "((vec4u(head.x) >> vec4u(0u, 1u, 2u, 3u)) & vec4u(1u)) != vec4u(0u)",
        ShadedQuad::Named { coverage, .. } => coverage,
    };
    let _ = write!(
        text,
        "        let x = vec4u(head.y & 0xffffu) + vec4u(0u, 1u, 0u, 1u);\n\
         \x20       let y = vec4u(head.y >> 16u) + vec4u(0u, 0u, 1u, 1u);\n        var alive = {alive};\n",
    );
    let tallying = quad.tallying();
    if tallying != Tallying::Tile {
        counts::begin(text, key);
    }
    if let Some(test) = key.alpha_test {
        alpha_test(text, key, test, (&quad.alpha(), quad.ranges(0)[3]));
        counts::count_alpha(text, key, tallying);
    }
    if let Some(multisampling) = &key.multisampling {
        open_samples(text, multisampling, &quad.alpha());
        if is_listed && key.has_sample_depths() {
            let further = key.stride() - key.flow_vectors() - multisampling.mode.count();
            let _ = writeln!(text, "        let depth_place = base + select({further}u + sample, 0u, sample == 0u);");
        }
    }
    if key.zeta.is_some_and(|zeta| zeta.depth.is_some()) {
        let depth = match quad {
            ShadedQuad::Listed if key.has_sample_depths() => "shaded[depth_place]",
            ShadedQuad::Listed => "shaded[base]",
            ShadedQuad::Named { depth, .. } => depth,
        };
        let _ = writeln!(text, "        let shaded_depth = {depth};");
    }
    if let Some(zeta) = &key.zeta {
        let source = if let ShadedQuad::Named { source, .. } = quad { source } else { DepthSource::Any };
        depth_and_stencil(text, (key, zeta), source, tallying, quad.is_inside());
    }
    counts::count_passed(text, key, tallying);
    if key.counts_samples {
        text.push_str("        passing += dot(select(vec4u(0u), vec4u(1u), alive), vec4u(1u));\n");
    }
    for (index, color) in key.colors.iter().enumerate() {
        if let Some(color) = color {
            let source = (quad.color(key, color.slot), quad.ranges(color.slot));
            let second = color.second_slot.map(|slot| quad.color(key, slot));
            merge_color(text, key, index, color, (&source, second), quad.is_inside());
        }
    }
    if key.multisampling.is_some() {
        text.push_str("        }\n");
    }
    if is_listed {
        counts::end(text, key);
    }
}

/// Declares the parameters, which are read once, before the first branch.
pub(crate) fn declare_surfaces(text: &mut String, key: &MergeKey, parameters: &str) {
    let colors = key.colors.iter().enumerate().filter_map(|(index, color)| Some((index, color.as_ref()?.layout)));
    let zeta = key.zeta.iter().map(|zeta| (ZETA_SURFACE, zeta.layout));
    for (index, layout) in colors.chain(zeta) {
        let surface = format!("{parameters}.surfaces[{index}]");
        let _ = writeln!(text, "    let window{index} = vec2u({surface}.start, {surface}.bytes);");
        let _ = writeln!(text, "    let write_mask{index} = {surface}.write_mask;");
        let _ = match layout {
            LayoutKind::Linear => writeln!(text, "    let pitch{index} = {surface}.order.row;"),
            LayoutKind::Swizzled => writeln!(
                text,
                "    let log2_{index} = (vec2u({surface}.order.log2_size) >> vec2u(0u, 8u)) & vec2u(0xffu);"
            ),
            LayoutKind::BlockLinear => writeln!(text, "    let order{index} = {surface}.order;"),
        };
    }
    if key.has_stencil() {
        let _ = writeln!(text, "    let front = {parameters}.stencil[0];\n    let back = {parameters}.stencil[1];");
    }
    if key.zeta.is_some_and(|zeta| zeta.has_bounds) {
        let _ = writeln!(text, "    let bounds = {parameters}.depth_bounds;");
    }
    if key.alpha_test.is_some() {
        let _ = writeln!(text, "    let alpha_reference = {parameters}.alpha_reference;");
    }
    let blended = || key.written_colors().filter(|color| color.blend.is_some());
    if blended().any(|color| !has_channels(color)) {
        let _ = writeln!(text, "    let constant = {parameters}.blend_constant;");
    }
    if blended().any(has_channels) {
        let _ = writeln!(text, "    let float_constant = {parameters}.float_blend_constant;");
    }
}

/// Whether a color is blended in single precision, if at all.
const fn has_channels(color: &ColorKey) -> bool {
    matches!(color.format.storage(), PixelStorage::Channels(_))
}

fn alpha_test(
    text: &mut String,
    key: &MergeKey,
    (compare, is_float): (Compare, bool),
    (alpha, range): (&str, ValueRange),
) {
    let alpha = if key.makes_opaque() { "vec4u(0x3f800000u)" } else { alpha };
    let value = match is_float {
        true if key.clamps_alpha => format!("ordered_floats(fp_saturate({alpha}))"),
        true => format!("ordered_floats({alpha})"),
        false => range.unorm(alpha, 8),
    };
    let test = comparison(compare, &value, "vec4u(alpha_reference)");
    let _ = writeln!(text, "        alive = alive & {test};");
}
