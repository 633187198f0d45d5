//! Translates depth and stencil tests into the text of the kernels that merge pixels: the test before a quad is shaded,
//! the test of a bound for many pixels, and the test when a quad is merged.

use std::fmt::Write;

use super::counts::{self, Tallying};
use super::expressions::offsets;
use super::key::{MergeKey, StencilKey, ZETA_SURFACE, ZetaKey};
use crate::format::DepthStorage;
use crate::format::texel::Field;
use crate::pipeline::{Compare, StencilOp};
use crate::recompiler::condition::comparison;
use crate::recompiler::software::pixel_pairs::{Stored, loaded, store};

/// The source of a quad's depth for the depth test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DepthSource {
    /// In `shaded_depth`.
    Any,
    /// In `shaded_depth`, which is certain to be in 0..1.
    Saturated,
    /// Encoded in `tested_depth`, with the stored value in `tested_zeta`: the test ran earlier.
    Tested,
}

/// The text that computes `passes_early` and, for the stencil test, `stencil_passes` at pixels `x`, `y` of the face in
/// `head.z`, for a depth before the fragment program runs; `None` if that must wait because the program decides the
/// depth or stencil counts failures.
pub(crate) fn early_test(key: &MergeKey, exports_depth: bool) -> Option<String> {
    // Pixels outside the bounds count as such, whatever the other tests give.
    let waits = |zeta: &ZetaKey| exports_depth || (zeta.has_bounds && key.counting.is_some());
    let zeta = key.zeta.as_ref().filter(|zeta| !waits(zeta))?;
    let mut text = String::new();
    depth_test(&mut text, zeta, DepthSource::Saturated);
    match (&zeta.stencil, zeta.depth) {
        (None, None) => return None,
        (None, Some(_)) => text.push_str("        let passes_early = depth_passes;\n"),
        (Some(faces), depth) => {
            let failures = if depth.is_some() { 2 } else { 1 };
            let keeps = |face: &StencilKey| face.operations[..failures].iter().all(|op| *op == StencilOp::Keep);
            if !faces.iter().all(keeps) || counts::tells_faces(key) {
                return None;
            }
            if depth.is_none() {
                text.push_str("        let depth = vec4u(0u);\n");
            }
            stencil_test(&mut text, zeta, faces);
            text.push_str("        let passes_early = depth_passes & stencil_passes;\n");
        }
    }
    Some(text)
}

/// A depth test against a bound: if the bound fails, every pixel fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundTest {
    /// The text that computes `stored_depth` at pixels `x`, `y`.
    pub(crate) load: String,
    /// The expression for whether pixels with depth `bound` pass.
    pub(crate) passes: String,
    /// Number of depth bits.
    pub(crate) bits: u32,
    /// Pixels with greater depth are more likely to pass, instead of those closer to 0.
    pub(crate) prefers_greater: bool,
}

/// The test of a bound, if depths are integers and compared by order.
pub(crate) fn bound_test(key: &MergeKey) -> Option<BoundTest> {
    let zeta = key.zeta.as_ref()?;
    let (compare, _) = zeta.depth?;
    let DepthStorage::Fraction(bits) = zeta.storage else { return None };
    let prefers_greater = match compare {
        Compare::Less | Compare::LessEqual => false,
        Compare::Greater | Compare::GreaterEqual => true,
        Compare::Never | Compare::Always | Compare::Equal | Compare::NotEqual => return None,
    };
    let mut load = String::new();
    load_depth(&mut load, zeta, DepthSource::Any);
    Some(BoundTest {
        load,
        passes: comparison(compare, "vec4u(bound)", "stored_depth"),
        bits: bits.into(),
        prefers_greater,
    })
}

/// Loads `zeta` at `zeta_offsets`, and compares `shaded_depth`, encoded as `depth`.
fn depth_test(text: &mut String, zeta: &ZetaKey, source: DepthSource) {
    load_depth(text, zeta, source);
    let Some((compare, _)) = zeta.depth else {
        text.push_str("        let depth_passes = vec4<bool>(true);\n");
        return;
    };
    let test = comparison(compare, "depth", "stored_depth");
    let encoded = match zeta.storage {
        _ if source == DepthSource::Tested => "tested_depth".to_owned(),
        DepthStorage::Fraction(bits) if source == DepthSource::Saturated => {
            format!("fp_saturated_to_unorm(shaded_depth, {bits}u)")
        }
        DepthStorage::Fraction(bits) => format!("fp_float_to_unorm(shaded_depth, {bits}u)"),
        DepthStorage::Float24 => "float24_depths(shaded_depth)".to_owned(),
        DepthStorage::Single => "select(shaded_depth, vec4u(0u), shaded_depth > vec4u(0x7f800000u))".to_owned(),
        DepthStorage::Half => {
            "fp_half_bits_from(select(shaded_depth, vec4u(0u), shaded_depth > vec4u(0x7f800000u)))".to_owned()
        }
    };
    let _ = writeln!(text, "        let depth = {encoded};");
    let _ = writeln!(text, "        let depth_passes = {test};");
}

/// Loads `zeta`, the word of each pixel that contains `stored_depth`.
fn load_depth(text: &mut String, zeta: &ZetaKey, source: DepthSource) {
    let bytes = zeta.format.bytes();
    let _ = writeln!(text, "        let zeta_offsets = {};", offsets(ZETA_SURFACE, zeta.layout, bytes, 0));
    let stored = match source {
        DepthSource::Tested => "tested_zeta".to_owned(),
        DepthSource::Any | DepthSource::Saturated => {
            loaded(&zeta_window(), "zeta_offsets", bytes.min(4), zeta.is_paired && bytes <= 4)
        }
    };
    let _ = writeln!(text, "        let zeta = {stored};");
    let depth = match zeta.format.storage().depth {
        // The other bits are above depth.
        Field::Bits { shift: 0, width: width @ 17..32 } => format!("zeta & vec4u({}u)", u32::MAX >> (32 - width)),
        Field::Bits { shift, .. } => format!("zeta >> vec4u({shift}u)"),
        Field::One | Field::Zero => "vec4u(0u)".to_owned(),
    };
    let _ = writeln!(text, "        let stored_depth = {depth};");
}

/// The name of the window of the depth and stencil surface.
fn zeta_window() -> String {
    format!("window{ZETA_SURFACE}")
}

/// Tests depth and stencil, in a tile kernel or on the split path; `is_inside` if all pixels lie inside the targets.
pub(crate) fn depth_and_stencil(
    text: &mut String,
    (key, zeta): (&MergeKey, &ZetaKey),
    source: DepthSource,
    tallying: Tallying,
    is_inside: bool,
) {
    let counts = key.counting.is_some();
    depth_test(text, zeta, source);
    if zeta.has_bounds {
        if counts {
            text.push_str("        let before_bounds = alive;\n");
        }
        text.push_str(
            "        alive = alive & (stored_depth >= vec4u(bounds.x)) & (stored_depth <= vec4u(bounds.y));\n",
        );
    }
    text.push_str("        let tested = alive;\n");
    if counts && zeta.has_bounds {
        counts::count_bounds(text, tallying);
    }
    if let Some(faces) = &zeta.stencil {
        stencil(text, zeta, faces);
        text.push_str("        alive = alive & stencil_passes & depth_passes;\n");
    } else {
        text.push_str("        alive = alive & depth_passes;\n");
    }
    if counts {
        counts::count_failures(text, key, tallying);
    }
    let writes_depth = zeta.depth.is_some_and(|(_, writes)| writes);
    if zeta.format.bytes() > 4 {
        if writes_depth {
            let window = zeta_window();
            let _ = writeln!(text, "        store_pixels({window}, zeta_offsets, 4u, 0u, depth, alive);");
        }
        if zeta.stencil.is_some() {
            let window = zeta_window();
            let _ = writeln!(
                text,
                "        let merged_words = (stencil_words & vec4u(0xffffff00u)) | merged_stencil;\n\
                 \x20       store_pixels({window}, stencil_offsets, 4u, 0u, merged_words, tested);"
            );
        }
        return;
    }
    let storage = zeta.format.storage();
    let [depth_bits, stencil_bits] = [storage.depth, storage.stencil].map(Field::mask);
    let shifted = |value: &str, field: Field| match field {
        Field::Bits { shift: 0, .. } | Field::One | Field::Zero => value.to_owned(),
        Field::Bits { shift, .. } => format!("({value} << vec4u({shift}u))"),
    };
    let has_stencil = zeta.stencil.is_some();
    let merged_stencil = shifted("merged_stencil", storage.stencil);
    let mut merged = if has_stencil {
        format!("((zeta & vec4u({:#x}u)) | {merged_stencil})", !stencil_bits)
    } else {
        "zeta".to_owned()
    };
    if writes_depth {
        // The whole of pixels that hold depth alone.
        let is_alone = depth_bits == u32::MAX >> (32 - 8 * zeta.format.bytes());
        let kept = if has_stencil { merged_stencil } else { format!("(zeta & vec4u({:#x}u))", !depth_bits) };
        let depth = shifted("depth", storage.depth);
        let deeper = if is_alone { depth } else { format!("({depth} | {kept})") };
        merged = format!("select({merged}, {deeper}, alive)");
    }
    if writes_depth || has_stencil {
        let stored = Some(Stored { name: "zeta", is_inside });
        let bytes = zeta.format.bytes();
        let store = store([&zeta_window(), "zeta_offsets"], bytes, zeta.is_paired, stored, [&merged, "tested"]);
        let _ = writeln!(text, "        {store}");
    }
}

/// Computes `stencil_passes`.
fn stencil_test(text: &mut String, zeta: &ZetaKey, faces: &[StencilKey; 2]) {
    let stencil = match zeta.format.storage().stencil {
        Field::Bits { shift: 32.., .. } => {
            let offsets = offsets(ZETA_SURFACE, zeta.layout, zeta.format.bytes(), 1);
            let window = zeta_window();
            let _ = write!(
                text,
                "        let stencil_offsets = {offsets};\n\
                 \x20       let stencil_words = load_pixels({window}, stencil_offsets, 4u, 0u);\n"
            );
            "stencil_words & vec4u(0xffu)".to_owned()
        }
        Field::Bits { shift: shift @ 1.., .. } => format!("zeta >> vec4u({shift}u)"),
        Field::Bits { .. } | Field::One | Field::Zero => "zeta & vec4u(0xffu)".to_owned(),
    };
    let _ = write!(
        text,
        "        let is_front = head.z != 0u;\n        let face = select(back, front, is_front);\n\
         \x20       let stencil = {stencil};\n\
         \x20       let compared = stencil & vec4u(face.y);\n        let reference = vec4u(face.x & face.y);\n"
    );
    let passes = per_face(faces, &|face| comparison(face.compare, "reference", "compared"));
    let _ = writeln!(text, "        let stencil_passes = {passes};");
}

/// A value that differs by face.
fn per_face(faces: &[StencilKey; 2], value: &dyn Fn(&StencilKey) -> String) -> String {
    let [front, back] = [value(&faces[0]), value(&faces[1])];
    if front == back { front } else { format!("select({back}, {front}, vec4<bool>(is_front))") }
}

/// Tests the stencil, and computes its new value.
fn stencil(text: &mut String, zeta: &ZetaKey, faces: &[StencilKey; 2]) {
    stencil_test(text, zeta, faces);
    let [fail, depth_fail, pass] = [0, 1, 2].map(|op| per_face(faces, &|face| stencil_operation(face.operations[op])));
    let _ = writeln!(text, "        let passed = select({depth_fail}, {pass}, depth_passes);");
    let _ = writeln!(text, "        let updated = select({fail}, passed, stencil_passes);");
    text.push_str("        let merged_stencil = (stencil & ~vec4u(face.z)) | (updated & vec4u(face.z));\n");
}

fn stencil_operation(op: StencilOp) -> String {
    match op {
        StencilOp::Keep => "stencil",
        StencilOp::Zero => "vec4u(0u)",
        StencilOp::Replace => "vec4u(face.x)",
        StencilOp::IncrementSaturate => "min(stencil + vec4u(1u), vec4u(255u))",
        StencilOp::DecrementSaturate => "(max(stencil, vec4u(1u)) - vec4u(1u))",
        StencilOp::Invert => "(~stencil)",
        StencilOp::IncrementWrap => "(stencil + vec4u(1u))",
        StencilOp::DecrementWrap => "(stencil - vec4u(1u))",
    }
    .to_owned()
}
