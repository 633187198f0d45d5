//! Turns the state of the output merger into the WGSL of its kernel: one invocation merges the quads of one tile in order.
//!
//! Values are held channel by channel, four pixels side by side. References, masks and constants are data; formats,
//! layouts, comparisons and operations are baked.

use std::fmt::Write;

use super::color::{ShadedColor, ValueRange, merge_color};
use super::counts::{self, Counting};
use super::depth::{DepthSource, depth_and_stencil};
use super::samples::{SHADED_ALPHA, open_samples};
use crate::format::{ColorFormat, DepthStorage, PixelStorage, ZetaFormat};
use crate::pipeline::{
    Blend, BlendEquation, BlendFactor, Compare, EngineError, Multisampling, RopState, StencilFace, StencilOp,
    SurfaceLayout, Targets,
};
use crate::recompiler::software::pixel_pairs;

/// What is baked for one colour target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ColorKey {
    /// Its colour's position among those that shading writes.
    pub slot: u8,
    /// Swizzled instead of linear.
    pub is_swizzled: bool,
    /// Whether it is blended.
    pub is_blended: bool,
    /// Whether all bits of a pixel are written, in formats that are bit fields.
    pub is_whole: bool,
    /// The channels written, for formats that are not bit fields.
    pub float_mask: u8,
    /// Whether its pixels are loaded and stored two at a time, those of 64 bits and more 64 bits at a time.
    pub is_paired: bool,
}

/// What is baked for one face of the stencil test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StencilKey {
    /// The comparison.
    pub compare: Compare,
    /// Operations when stencil fails, depth fails, both pass.
    pub operations: [StencilOp; 3],
}

/// What is baked for the depth and stencil surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZetaKey {
    /// Its format.
    pub format: ZetaFormat,
    /// How depth is stored; a fraction where no depth is compared.
    pub storage: DepthStorage,
    /// Swizzled instead of linear.
    pub is_swizzled: bool,
    /// Depth comparison, and whether depth is written.
    pub depth: Option<(Compare, bool)>,
    /// Whether stored depth is tested against bounds.
    pub has_bounds: bool,
    /// Front and back face.
    pub stencil: Option<[StencilKey; 2]>,
    /// Whether its pixels are loaded and stored two at a time.
    pub is_paired: bool,
}

/// Everything that the kernel's text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MergeKey {
    /// The format of all colour targets.
    pub color_format: ColorFormat,
    /// Colour targets that are written.
    pub colors: [Option<ColorKey>; 4],
    /// How many colours shading writes per quad.
    pub shaded_colors: u32,
    /// Alpha comparison.
    pub alpha_test: Option<Compare>,
    /// Depth and stencil.
    pub zeta: Option<ZetaKey>,
    /// Factors (source, destination) and equations of colour and alpha, where a target is blended.
    pub blend: Option<([BlendFactor; 2], [BlendFactor; 2], [BlendEquation; 2])>,
    /// Logic operation.
    pub logic_op: Option<u8>,
    /// Whether colours are dithered.
    pub dithers: bool,
    /// Whether colours are stored on the sRGB curve.
    pub encodes_srgb: bool,
    /// Whether passing samples are counted.
    pub counts_samples: bool,
    /// What happens to the samples of multisampled targets.
    pub multisampling: Option<Multisampling>,
    /// How outcomes of tests are counted, where they are.
    pub counting: Option<Counting>,
}

impl MergeKey {
    /// The key of a draw's state.
    ///
    /// # Errors
    /// When the state asks for something that is not executed.
    pub fn new(rop: &RopState, targets: &Targets) -> Result<Self, EngineError> {
        if let Some(what) = rop.unsupported(targets) {
            return Err(EngineError::Unsupported { what });
        }
        let shaded = rop.shaded_colors(targets);
        let is_swizzled = |layout| matches!(layout, SurfaceLayout::Swizzled { .. });
        let has_fields = matches!(targets.color_format.storage(), PixelStorage::Fields { .. });
        let format = targets.color_format;
        let colors: [_; 4] = std::array::from_fn(|index| {
            let target = targets.color[index].filter(|_| rop.color_mask[index] & 15 != 0)?;
            Some(ColorKey {
                slot: u8::try_from((shaded & ((1 << rop.color_source(index)) - 1)).count_ones())
                    .expect("there are four"),
                is_swizzled: is_swizzled(target.layout),
                is_blended: rop.blends(index, format),
                is_whole: has_fields
                    && format.write_mask(rop.color_mask[index], false) == u32::MAX >> (32 - 8 * format.bytes().min(4)),
                float_mask: if has_fields { 0 } else { rop.color_mask[index] & 15 },
                is_paired: false,
            })
        });
        let stencil_key = |face: &StencilFace| StencilKey {
            compare: face.compare,
            operations: [face.fail, face.depth_fail, face.pass],
        };
        let zeta = rop.used_zeta(targets).map(|zeta| ZetaKey {
            format: zeta.format,
            storage: zeta
                .format
                .depth_storage(zeta.is_float && (rop.depth_test.is_some() || rop.depth_bounds.is_some())),
            is_swizzled: is_swizzled(zeta.layout),
            depth: rop.depth_test.map(|test| (test.compare, test.writes)),
            has_bounds: rop.depth_bounds.is_some(),
            stencil: rop
                .stencil
                .as_ref()
                .filter(|_| zeta.format == ZetaFormat::Z24S8)
                .map(|[front, back]| [stencil_key(front), stencil_key(back)]),
            is_paired: false,
        });
        let is_written = colors.iter().any(Option::is_some);
        let is_blended = colors.iter().flatten().any(|color| color.is_blended);
        let Blend { source, destination, equation } = rop.blend;
        Ok(Self {
            color_format: targets.color_format,
            colors,
            shaded_colors: shaded.count_ones(),
            alpha_test: rop.alpha_test.map(|test| test.compare),
            zeta,
            blend: is_blended.then_some((source, destination, equation)),
            logic_op: rop.used_logic_op(format).filter(|_| is_written).map(|op| op as u8),
            dithers: is_written && rop.dithers(format),
            encodes_srgb: is_written && rop.encodes_srgb(format),
            counts_samples: rop.counts_samples,
            multisampling: rop.multisampling(targets),
            counting: None,
        })
    }
}

impl MergeKey {
    /// Whether pixels are written whole, whatever was stored, and nothing else happens to them.
    pub(crate) fn overwrites(&self) -> bool {
        let is_whole = |color: &ColorKey| match self.color_format.storage() {
            PixelStorage::Fields { .. } => color.is_whole,
            PixelStorage::Half => color.float_mask == 15,
            PixelStorage::Float(count) => color.float_mask.trailing_ones() >= u32::from(count),
        };
        let is_plain = self.zeta.is_none() && self.alpha_test.is_none() && self.multisampling.is_none();
        let reads = self.blend.is_some() || self.logic_op.is_some() || self.counts_samples;
        is_plain && !reads && self.colors.iter().flatten().all(is_whole)
    }

    /// Whether stencil is tested.
    pub(crate) fn has_stencil(&self) -> bool {
        self.zeta.is_some_and(|zeta| zeta.stencil.is_some())
    }
}

/// What merging reads of shaded quads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShadedQuad<'a> {
    /// The list that shading stored, from `base` on.
    Listed,
    /// Names of values of the same invocation.
    Named {
        /// Whether they are covered.
        coverage: &'a str,
        /// Depth of the four pixels.
        depth: &'a str,
        /// Where the depth test takes it from.
        source: DepthSource,
        /// Red, green, blue, alpha of the colours that shading writes, four pixels each.
        colors: &'a [ShadedColor],
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
        "import package::arith::optimization_barrier::opaque_zero;\n\
         import package::fragment::quad::QuadVector;\n\
         import package::arith::fragment::{fp_add, fp_sub, fp_mul, fp_min, fp_max};\n\
         import package::arith::convert::{fp_float_to_unorm, fp_saturated_to_unorm, fp_half_to_unorm, \
         fp_unit_half_to_unorm, fp_half_bits_from, fp_half_bits_to};\n\
         import package::rop::merge_surface::{MergeParameters, load_pixels, store_pixels, load_half_pairs, \
         store_half_pairs, swizzled_offsets, ordered_floats, expand_to_bytes, over_255, float24_depths, \
         dithered};\n",
    );
    if key.uses_wide_words() {
        text.push_str(pixel_pairs::IMPORTS);
    }
    if key.counting.is_some() {
        text.push_str(counts::IMPORTS);
    }
    if key.encodes_srgb {
        text.push_str("import package::rop::srgb_curve::srgb_bytes;\n");
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
         \x20   opaque_zero = parameters.zero;\n"
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

/// Merges one quad: `head` holds its coverage, its position and whether it is a front.
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
    if is_listed {
        counts::begin(text, key);
    }
    if let Some(compare) = key.alpha_test {
        alpha_test(text, key, compare, (&quad.alpha(), quad.ranges(0)[3]));
        counts::count_alpha(text, key, !is_listed);
    }
    if let Some(multisampling) = &key.multisampling {
        open_samples(text, key, multisampling);
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
        depth_and_stencil(text, (key, zeta), source, !is_listed);
    }
    counts::count_passed(text, key, !is_listed);
    if key.counts_samples {
        text.push_str("        passing += dot(select(vec4u(0u), vec4u(1u), alive), vec4u(1u));\n");
    }
    for (index, color) in key.colors.iter().enumerate() {
        if let Some(color) = color {
            merge_color(text, key, index, color, (&quad.color(key, color.slot), quad.ranges(color.slot)));
        }
    }
    if key.multisampling.is_some() {
        text.push_str("        }\n");
    }
    if is_listed {
        counts::end(text, key);
    }
}

/// Parameters are read once, before the first branch.
pub(crate) fn declare_surfaces(text: &mut String, key: &MergeKey, parameters: &str) {
    let colors = key.colors.iter().enumerate().filter_map(|(index, color)| Some((index, color.as_ref()?.is_swizzled)));
    let zeta = key.zeta.iter().map(|zeta| (4, zeta.is_swizzled));
    for (index, is_swizzled) in colors.chain(zeta) {
        let surface = format!("{parameters}.surfaces[{index}]");
        let _ = writeln!(text, "    let window{index} = vec2u({surface}.start, {surface}.bytes);");
        let _ = writeln!(text, "    let write_mask{index} = {surface}.write_mask;");
        if is_swizzled {
            let _ = writeln!(text, "    let log2_{index} = vec2u({surface}.log2_width, {surface}.log2_height);");
        } else {
            let _ = writeln!(text, "    let pitch{index} = {surface}.pitch_bytes;");
        }
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
    if key.blend.is_some() {
        let _ = writeln!(text, "    let constant = {parameters}.blend_constant;");
    }
}

/// Where a word of each pixel lies, or the whole of shorter pixels.
pub(crate) fn offsets(index: usize, is_swizzled: bool, bytes: u32, word: u32) -> String {
    let words = (bytes / 4).max(1);
    match (is_swizzled, words) {
        (true, 1) => format!("swizzled_offsets(x, y, log2_{index}.x, log2_{index}.y, {bytes}u)"),
        (true, _) => {
            let log2 = words.trailing_zeros();
            let column = format!("x * {words}u + {word}u");
            format!("swizzled_offsets({column}, y, log2_{index}.x + {log2}u, log2_{index}.y, 4u)")
        }
        (false, 1) => format!("y * pitch{index} + x * {bytes}u"),
        (false, _) => format!("y * pitch{index} + x * {bytes}u + {}u", 4 * word),
    }
}

pub(crate) fn comparison(compare: Compare, first: &str, second: &str) -> String {
    let operator = match compare {
        Compare::Never => return "vec4<bool>(false)".to_owned(),
        Compare::Always => return "vec4<bool>(true)".to_owned(),
        Compare::Less => "<",
        Compare::Equal => "==",
        Compare::LessEqual => "<=",
        Compare::Greater => ">",
        Compare::NotEqual => "!=",
        Compare::GreaterEqual => ">=",
    };
    format!("(({first}) {operator} ({second}))")
}

fn alpha_test(text: &mut String, key: &MergeKey, compare: Compare, (alpha, range): (&str, ValueRange)) {
    let alpha = if key.makes_opaque() { "vec4u(0x3f800000u)" } else { alpha };
    let value = match key.color_format.storage() {
        PixelStorage::Fields { .. } => range.unorm(alpha, 8),
        PixelStorage::Half | PixelStorage::Float(_) => format!("ordered_floats({alpha})"),
    };
    let test = comparison(compare, &value, "vec4u(alpha_reference)");
    let _ = writeln!(text, "        alive = alive & {test};");
}
