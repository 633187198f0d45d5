//! The output merger (ROP): writes shaded quads to color and depth surfaces.
//!
//! Order per pixel: multisample coverage and alpha, alpha test; then per sample depth bounds, stencil, depth, sample
//! count, color.

use super::blend::{blend_bytes, blend_floats, logic_op};
use super::dither::dithered;
use super::stencil::{stencil_passes, updated_stencil};
use crate::arith::{ONE, SIGN, fragment, ordered};
use crate::format::texel::Field;
use crate::format::{Channels, ColorFormat, PixelStorage, ZetaStorage, srgb};
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::ShadedQuad;
use crate::pipeline::{
    AlphaReference, AlphaTest, ColorTarget, MAX_COLOR_TARGETS, MAX_SAMPLES, Multisampling, RopState, SECOND_SOURCE,
    Targets, ZetaTarget,
};

/// The outcome of a quad's fragments and samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QuadOutcomes {
    /// Fragments that failed the alpha test.
    pub alpha: u32,
    /// Samples beyond the depth bounds.
    pub depth_bounds: u32,
    /// Samples that failed the stencil test.
    pub stencil: u32,
    /// Samples that failed only the depth test.
    pub depth: u32,
    /// Samples that passed all tests.
    pub passed: u32,
    /// Bit i: a sample of pixel i passed.
    pub passing: u8,
}

/// The outcome of a sample at the depth and stencil surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SampleOutcome {
    BeyondDepthBounds,
    FailedStencil,
    FailedDepth,
    Passed,
}

/// Merges a quad into the targets; returns the outcome of its samples.
// Unverified: that the counter counts every sample of a pixel; OpenGL's occlusion queries require that.
pub fn merge_quad(memory: &mut GuestMemory, rop: &RopState, targets: &Targets, quad: &ShadedQuad) -> QuadOutcomes {
    let multisampling = rop.multisampling(targets);
    let mut outcomes = QuadOutcomes::default();
    for pixel in 0..4usize {
        if (quad.coverage >> pixel) & 1 == 0 {
            continue;
        }
        let position = [quad.x + u32::from(pixel % 2 == 1), quad.y + u32::from(pixel >= 2)];
        let mut colors = quad.colors.map(|color| color[pixel]);
        let covered = covered_samples(multisampling, quad, pixel, colors[0][3]);
        if multisampling.is_some_and(|samples| samples.alpha_to_one) {
            colors = colors.map(|[red, green, blue, _]| [red, green, blue, ONE]);
        }
        let clamps_alpha = rop.clamped_colors & 1 != 0;
        if !alpha_passes(rop.alpha_test, if clamps_alpha { fragment::saturate(colors[0][3]) } else { colors[0][3] }) {
            outcomes.alpha += 1;
            continue;
        }
        let passed_before = outcomes.passed;
        for sample in (0..targets.samples.count()).filter(|sample| covered >> sample & 1 != 0) {
            let depth = quad.samples.map_or(quad.depth, |samples| samples.depth[sample as usize])[pixel];
            let texel = targets.samples.texel(position[0], position[1], sample);
            match merge_sample(memory, (rop, targets), texel, depth, quad.is_front_facing, &colors) {
                SampleOutcome::BeyondDepthBounds => outcomes.depth_bounds += 1,
                SampleOutcome::FailedStencil => outcomes.stencil += 1,
                SampleOutcome::FailedDepth => outcomes.depth += 1,
                SampleOutcome::Passed => outcomes.passed += 1,
            }
        }
        outcomes.passing |= u8::from(outcomes.passed > passed_before) << pixel;
    }
    outcomes
}

/// Bit i: sample i of a covered pixel is merged. Without multisampling all samples are, like the pixel.
// Unverified: alpha covers the first samples, alpha times their number, rounded to nearest; never dithered.
fn covered_samples(multisampling: Option<Multisampling>, quad: &ShadedQuad, pixel: usize, alpha: u32) -> u8 {
    let Some(multisampling) = multisampling else { return 1 };
    let mut covered = multisampling.sample_mask;
    if let Some(samples) = &quad.samples {
        covered &=
            (0..MAX_SAMPLES).fold(0, |covered, sample| covered | (samples.coverage[sample] >> pixel & 1) << sample);
    }
    if multisampling.alpha_to_coverage {
        let count = multisampling.mode.count();
        let first = (fragment::float_to_unorm(alpha, 8) * count + 127) / 255;
        let [samples, _] = ((1u16 << first) - 1).to_le_bytes();
        covered &= samples;
    }
    covered
}

/// Tests and writes one sample.
fn merge_sample(
    memory: &mut GuestMemory,
    (rop, targets): (&RopState, &Targets),
    [x, y]: [u32; 2],
    depth: u32,
    is_front_facing: bool,
    colors: &[[u32; 4]; MAX_COLOR_TARGETS],
) -> SampleOutcome {
    if let Some(zeta) = rop.used_zeta(targets) {
        let outcome = merge_depth(memory, rop, zeta, [x, y], depth, is_front_facing);
        if outcome != SampleOutcome::Passed {
            return outcome;
        }
    }
    for (index, target) in targets.written_colors(rop.color_mask) {
        let sources = [rop.color_source(index), SECOND_SOURCE].map(|source| colors[source]);
        merge_color(memory, rop, (index, target), [x, y], sources);
    }
    SampleOutcome::Passed
}

fn alpha_passes(test: Option<AlphaTest>, alpha: u32) -> bool {
    test.is_none_or(|AlphaTest { compare, reference }| match reference {
        AlphaReference::Byte(reference) => compare.passes(fragment::float_to_unorm(alpha, 8), reference.into()),
        AlphaReference::Float(reference) => compare.passes(ordered(alpha), ordered(reference)),
    })
}

/// Depth bounds, stencil and depth test.
fn merge_depth(
    memory: &mut GuestMemory,
    rop: &RopState,
    zeta: &ZetaTarget,
    [x, y]: [u32; 2],
    depth: u32,
    is_front_facing: bool,
) -> SampleOutcome {
    let bytes = zeta.format.bytes();
    let offsets = [0, 1].map(|word| zeta.layout.word_offset(x, y, bytes, word));
    let count = bytes.div_ceil(4) as usize;
    let mut words = [0; 2];
    for (word, offset) in words.iter_mut().zip(offsets).take(count) {
        *word = read_word(memory, zeta.window, offset, bytes);
    }
    let ZetaStorage { depth: depth_field, stencil, .. } = zeta.format.storage();
    let (stencil_word, stencil_field) = stencil.in_word();
    let stored_depth = depth_field.extract(words[0]).unwrap_or(0);
    let stored_stencil = stencil_field.extract(words[stencil_word]).unwrap_or(0);
    let storage = zeta.depth_storage();
    if let Some((low, high)) = rop.depth_bounds {
        let [low, high] = [low, high].map(|bound| storage.encode(bound));
        if stored_depth < low || stored_depth > high {
            return SampleOutcome::BeyondDepthBounds;
        }
    }
    let mut merged_depth = stored_depth;
    let depth_passes = rop.depth_test.is_none_or(|test| {
        let depth = storage.encode(depth);
        let passes = test.compare.passes(depth, stored_depth);
        if passes && test.writes {
            merged_depth = depth;
        }
        passes
    });
    let mut merged_stencil = stored_stencil;
    let mut stencil_ok = true;
    if let Some(faces) = rop.stencil.as_ref().filter(|_| zeta.format.has_stencil()) {
        let face = &faces[usize::from(!is_front_facing)];
        stencil_ok = stencil_passes(face, stored_stencil);
        let op = match (stencil_ok, depth_passes) {
            (false, _) => face.fail,
            (true, false) => face.depth_fail,
            (true, true) => face.pass,
        };
        merged_stencil = updated_stencil(face, op, stored_stencil);
    }
    if !stencil_ok {
        merged_depth = stored_depth;
    }
    words[0] = depth_field.replaced(words[0], merged_depth);
    words[stencil_word] = stencil_field.replaced(words[stencil_word], merged_stencil);
    for (word, offset) in words.into_iter().zip(offsets).take(count) {
        memory.write(zeta.window, offset, &word.to_le_bytes()[..bytes.min(4) as usize]);
    }
    match (stencil_ok, depth_passes) {
        (false, _) => SampleOutcome::FailedStencil,
        (true, false) => SampleOutcome::FailedDepth,
        (true, true) => SampleOutcome::Passed,
    }
}

/// Reads a word of a pixel, or a whole shorter pixel.
fn read_word(memory: &GuestMemory, window: MemoryWindow, offset: u32, pixel_bytes: u32) -> u32 {
    match pixel_bytes {
        1 => memory.read::<1>(window, offset)[0].into(),
        2 => u16::from_le_bytes(memory.read(window, offset)).into(),
        _ => memory.read_u32(window, offset),
    }
}

fn merge_color(
    memory: &mut GuestMemory,
    rop: &RopState,
    (index, target): (usize, &ColorTarget),
    [x, y]: [u32; 2],
    mut sources: [[u32; 4]; 2],
) {
    let format = target.format;
    if rop.clamps_color(index, format) {
        sources = sources.map(|color| color.map(fragment::saturate));
    }
    let bytes = format.bytes();
    let offsets = [0, 1, 2, 3].map(|word| target.layout.word_offset(x, y, bytes, word));
    let count = bytes.div_ceil(4) as usize;
    let mut stored = [0; 4];
    for (word, offset) in stored.iter_mut().zip(offsets).take(count) {
        *word = read_word(memory, target.window, offset, bytes);
    }
    let storage = format.storage();
    let packed = match storage {
        PixelStorage::Fields { channels, .. } => {
            [packed_color(rop, (index, format), channels, sources, stored[0], [x, y]), 0, 0, 0]
        }
        PixelStorage::Channels(channels) => packed_channels(rop, (index, format), &channels, sources, stored),
    };
    let (masks, fill) = (format.write_masks(rop.color_mask[index], false), storage.fill());
    for word in 0..count {
        let merged = stored[word] & !masks[word] | (packed[word] | fill[word]) & masks[word];
        memory.write(target.window, offsets[word], &merged.to_le_bytes()[..bytes.min(4) as usize]);
    }
}

/// Encodes the color as words of a pixel: blending in single precision, conversion, logic operation.
fn packed_channels(
    rop: &RopState,
    (index, format): (usize, ColorFormat),
    channels: &Channels,
    sources: [[u32; 4]; 2],
    stored: [u32; 4],
) -> [u32; 4] {
    let blended = rop.used_blend(index, format).map_or(sources[0], |blend| {
        let clamped = |color: [u32; 4]| color.map(|value| channels.clamped(value));
        let destination = std::array::from_fn(|channel| channels.decode(stored, channel));
        blend_floats(&blend, sources.map(clamped), destination, clamped(rop.float_blend_color))
    });
    let packed = channels.pack(blended);
    match rop.used_logic_op(format) {
        Some(op) => std::array::from_fn(|word| logic_op(op as u8, packed[word], stored[word])),
        None => packed,
    }
}

/// Encodes the color as a pixel: sRGB curve, blending, dithering or rounding to the fields, logic operation.
fn packed_color(
    rop: &RopState,
    (index, format): (usize, ColorFormat),
    channels: [Field; 4],
    sources: [[u32; 4]; 2],
    stored: u32,
    [x, y]: [u32; 2],
) -> u32 {
    let blend = rop.used_blend(index, format);
    let encodes_srgb = rop.encodes_srgb(format);
    let dithers = rop.dithers(format);
    let color = sources[0];
    let [mut bytes, second]: [[u32; 4]; 2] = sources.map(|color| {
        std::array::from_fn(|channel| match encodes_srgb && channel < 3 {
            true => srgb::encode(color[channel]),
            false => fragment::float_to_unorm(color[channel], 8),
        })
    });
    if let Some(blend) = &blend {
        // The curve has no negative values.
        let negative = color.map(|value| if encodes_srgb { 0 } else { fragment::float_to_unorm(value ^ SIGN, 8) });
        let destination = channels.map(|field| field.unorm16(stored) >> 8);
        let constant = rop.blend_color.map(u32::from);
        bytes = blend_bytes(blend, [bytes, second], negative, destination, constant);
    }
    let packed = pack(channels, |channel, width| {
        if dithers {
            dithered(bytes[channel], width, x, y)
        } else if blend.is_some() || encodes_srgb {
            (bytes[channel] * ((1 << width) - 1) + 127) / 255
        } else {
            fragment::float_to_unorm(color[channel], width)
        }
    });
    match rop.used_logic_op(format) {
        Some(op) => logic_op(op as u8, packed, stored) & channels.iter().fold(0, |mask, field| mask | field.mask()),
        None => packed,
    }
}

fn pack(channels: [Field; 4], value: impl Fn(usize, u32) -> u32) -> u32 {
    channels.iter().enumerate().fold(0, |packed, (channel, field)| match *field {
        Field::Bits { shift, width } => packed | value(channel, u32::from(width)) << shift,
        Field::One | Field::Zero => packed,
    })
}
