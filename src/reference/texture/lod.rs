//! Level of detail of a fetch: turns the quad's derivatives into mip levels and their weight.

use crate::arith::fragment;
use crate::pipeline::{Dimensions, MipFilter, TextureState};

/// Limits level-of-detail values to well inside 32 bits, so that sums cannot overflow.
const LIMIT: i32 = 1 << 20;

/// The footprint of a fetch in the texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Level of detail in 1/256.
    pub lod: i32,
    /// Its longer side, if filtering is anisotropic.
    pub axis: Option<Axis>,
}

/// The longer side of a footprint, along which an anisotropic filter takes its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The derivatives of s and t along it.
    pub step: [u32; 2],
    /// Its length in texels of the base level, as a base-2 logarithm in 1/256.
    pub length: i32,
    /// The width of the footprint, likewise; at least the length divided by the largest anisotropy.
    pub width: i32,
}

impl Footprint {
    /// A footprint with only a level of detail, in 1/256.
    #[must_use]
    pub const fn point(lod: i32) -> Self {
        Self { lod, axis: None }
    }

    /// The samples of a level. Their distance is the footprint's width, and a texel at least.
    ///
    /// Source: US patents 7,372,467 and 7,372,468.
    // Unverified: that the chip does so, and rounds the number up.
    #[must_use]
    pub fn samples(&self, level: u32) -> u32 {
        let Some(Axis { length, width, .. }) = self.axis else { return 1 };
        let texel = i32::try_from(level << 8).unwrap_or(LIMIT);
        TextureState::anisotropic_samples(length - width.max(texel))
    }
}

/// The mip levels that a pixel reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelTaps {
    /// The first and second level.
    pub levels: [u32; 2],
    /// Weight of the second level in 1/256; 0 if only the first counts.
    pub weight: u32,
    /// Whether the magnification filter applies within levels.
    pub is_magnified: bool,
}

/// Converts a float to a level of detail in 1/256, limited; NaN gives 0.
#[must_use]
pub fn fixed_lod(value: u32) -> i32 {
    fragment::float_to_fixed(value, 8).clamp(-LIMIT, LIMIT)
}

/// The footprint of derivatives of the coordinates along x and y.
///
/// Its level of detail is the base-2 logarithm of the longer derivative in texels of the base level. With anisotropic
/// filtering it is that of the shorter one, unless the longer exceeds it by more than the limit; see
/// `EXT_texture_filter_anisotropic`.
#[must_use]
pub fn footprint(state: &TextureState, along_x: [u32; 3], along_y: [u32; 3]) -> Footprint {
    let axes = if state.view.dimensions == Dimensions::Three { 3 } else { 2 };
    let length = |derivative: [u32; 3]| {
        let mut sum = 0;
        for (axis, step) in derivative.into_iter().take(axes).enumerate() {
            let size = i32::try_from(state.view.size[axis]).unwrap_or(i32::MAX);
            let texels = match state.view.is_unnormalized {
                true => step,
                false => fragment::mul(step, fragment::int_to_float(size)),
            };
            let square = fragment::mul(texels, texels);
            sum = if axis == 0 { square } else { fragment::add(sum, square) };
        }
        half_logarithm(sum)
    };
    let (x, y) = (length(along_x), length(along_y));
    let longer = x.max(y);
    if !state.is_anisotropic() {
        return Footprint::point(longer);
    }
    let width = x.min(y).max(longer - state.sampler.anisotropy_limit());
    let [s, t, _] = if x >= y { along_x } else { along_y };
    Footprint { lod: width, axis: Some(Axis { step: [s, t], length: longer, width }) }
}

/// Half the base-2 logarithm of a positive float, in 1/256.
///
/// The fraction f of the significand contributes `f + 0.3437·f·(1 − f)`, which is within 1/128 of the logarithm, so the
/// result is within 1/256 of a level plus rounding. Unverified: the chip's approximation.
fn half_logarithm(square: u32) -> i32 {
    let exponent = (square >> 23).cast_signed();
    match exponent {
        0 => return -LIMIT,
        255 if square == 0x7f80_0000 => return LIMIT,
        255 => return 0,
        _ => {}
    }
    let fraction = (square >> 7) & 0xffff;
    let bend = (((fraction * (0x1_0000 - fraction)) >> 16) * 22_525) >> 16;
    let logarithm = ((exponent - 127) << 16) + (fraction + bend).cast_signed();
    (logarithm + 256) >> 9
}

/// Clamps a level of detail to the limits of the unit.
fn limited_lod(state: &TextureState, lod: i32) -> u32 {
    let limit = |value: u32| i32::try_from(value).unwrap_or(LIMIT).min(LIMIT);
    lod.max(limit(state.sampler.min_lod)).min(limit(state.sampler.max_lod)).unsigned_abs()
}

/// Chooses levels from a level of detail in 1/256 that already includes all biases.
///
/// Unverified: the choice between minification and magnification is made before the limits apply, because the open
/// driver sets both limits to the base level to disable the mip filter.
#[must_use]
pub fn level_taps(state: &TextureState, lod: i32) -> LevelTaps {
    let is_magnified = lod <= 0;
    let clamped = limited_lod(state, lod);
    let last = state.view.last_level();
    let (first, weight) = match state.sampler.mip_filter {
        MipFilter::None => (0, 0),
        MipFilter::Nearest => ((clamped + 127) >> 8, 0),
        MipFilter::Linear => (clamped >> 8, clamped & 255),
    };
    let second = if state.sampler.mip_filter == MipFilter::Linear { first + 1 } else { first };
    let levels = [first.min(last), second.min(last)];
    LevelTaps { levels, weight: if levels[0] == levels[1] { 0 } else { weight }, is_magnified }
}

/// The level that a fetch reads at a level of detail, in 1/256: between two levels as far as they are mixed.
#[must_use]
pub fn accessed_level(state: &TextureState, lod: i32) -> u32 {
    let (clamped, last) = (limited_lod(state, lod), state.view.last_level() << 8);
    match state.sampler.mip_filter {
        MipFilter::None => 0,
        MipFilter::Nearest => ((clamped + 127) & !255).min(last),
        MipFilter::Linear => clamped.min(last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::pipeline::{Filter, plain_texture};

    #[test]
    fn one_texel_per_pixel_is_level_zero() {
        let state = plain_texture(TextureFormat::A8R8G8B8, 64, 32, 1);
        let step = |x: f32, y: f32| [x.to_bits(), y.to_bits(), 0];
        assert_eq!(footprint(&state, step(1.0 / 64.0, 0.0), step(0.0, 1.0 / 32.0)).lod, 0);
        assert_eq!(footprint(&state, step(4.0 / 64.0, 0.0), step(0.0, 1.0 / 32.0)).lod, 512);
        assert_eq!(footprint(&state, step(0.0, 0.0), step(0.0, 0.25 / 32.0)).lod, -512);
        assert_eq!(footprint(&state, step(0.0, 0.0), step(0.0, 0.0)).lod, -LIMIT);
        assert_eq!(footprint(&state, step(f32::MAX, 0.0), step(0.0, 0.0)).lod, LIMIT);
    }

    #[test]
    fn anisotropy_follows_the_shorter_derivative() {
        let mut state = plain_texture(TextureFormat::A8R8G8B8, 64, 64, 5);
        let step = |x: f32, y: f32| [(x / 64.0).to_bits(), (y / 64.0).to_bits(), 0];
        (state.sampler.max_anisotropy, state.sampler.min_filter, state.sampler.mip_filter) =
            (8, Filter::Linear, MipFilter::Linear);
        let lod = |state: &TextureState, x: f32, y: f32| footprint(state, step(x, 0.0), step(0.0, y)).lod;
        assert_eq!([lod(&state, 4.0, 4.0), lod(&state, 4.0, 2.0), lod(&state, 2.0, 8.0)], [512, 256, 256]);
        assert_eq!([lod(&state, 64.0, 1.0), lod(&state, 64.0, 0.0), lod(&state, 0.5, 0.25)], [768, 768, -512]);
        let long = |x: f32, y: f32| footprint(&state, step(x, 0.0), step(0.0, y));
        let steps = [long(4.0, 2.0), long(2.0, 4.0), long(3.0, 3.0)];
        let steps = steps.map(|footprint| footprint.axis.unwrap().step.map(f32::from_bits));
        assert_eq!(steps, [[4.0 / 64.0, 0.0], [0.0, 4.0 / 64.0], [3.0 / 64.0, 0.0]]);
        // 8 texels long and 2 wide: four samples in levels 0 and 1, two in level 2, whose texels are 4 wide.
        assert_eq!([0, 1, 2, 3].map(|level| long(8.0, 2.0).samples(level)), [4, 4, 2, 1]);
        // Longer than the limit: the width is an eighth.
        assert_eq!([0, 3, 4].map(|level| long(64.0, 1.0).samples(level)), [8, 8, 4]);
        // Narrower than a texel: as many samples as the length has texels.
        assert_eq!([long(4.0, 0.5), long(3.0, 0.75), long(0.5, 0.25)].map(|footprint| footprint.samples(0)), [4, 3, 1]);
        assert_eq!(long(2.0, 2.0).samples(0), 1);
        state.sampler.min_filter = Filter::Nearest;
        assert_eq!(footprint(&state, step(4.0, 0.0), step(0.0, 2.0)), Footprint::point(512));
    }

    #[test]
    fn levels_of_detail_follow_the_logarithm() {
        for step in 1..2000u32 {
            let square = f32::from(u16::try_from(step).unwrap()).powi(2) / 1369.0;
            let lod = half_logarithm(square.to_bits());
            assert!((f64::from(lod) - f64::from(square).log2() * 128.0).abs() <= 1.7, "{square}: {lod}");
        }
    }

    #[test]
    fn accessed_levels_are_those_of_taps() {
        let mut state = plain_texture(TextureFormat::A8R8G8B8, 16, 16, 5);
        for (mip_filter, expected) in [
            (MipFilter::None, [0; 5]),
            (MipFilter::Nearest, [0, 0, 256, 512, 1024]),
            (MipFilter::Linear, [0, 128, 129, 500, 1024]),
        ] {
            state.sampler.mip_filter = mip_filter;
            assert_eq!([-7, 128, 129, 500, 5000].map(|lod| accessed_level(&state, lod)), expected);
        }
    }

    #[test]
    fn levels_and_weights() {
        let mut state = plain_texture(TextureFormat::A8R8G8B8, 16, 16, 5);
        let taps = |state: &TextureState, lod| {
            let taps = level_taps(state, lod);
            (taps.levels, taps.weight, taps.is_magnified)
        };
        assert_eq!(taps(&state, 700), ([0, 0], 0, false));
        state.sampler.mip_filter = MipFilter::Nearest;
        assert_eq!([taps(&state, 128).0[0], taps(&state, 129).0[0], taps(&state, 5000).0[0]], [0, 1, 4]);
        state.sampler.mip_filter = MipFilter::Linear;
        assert_eq!(taps(&state, 0x1c0), ([1, 2], 0xc0, false));
        assert_eq!(taps(&state, 0x4c0), ([4, 4], 0, false));
        assert_eq!(taps(&state, -9), ([0, 1], 0, true));
        (state.sampler.min_lod, state.sampler.max_lod) = (0x200, 0x280);
        assert_eq!(taps(&state, -9), ([2, 3], 0, true));
        assert_eq!(taps(&state, 0x7ff), ([2, 3], 0x80, false));
    }
}
