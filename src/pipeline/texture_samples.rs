//! Counts the samples and texels of a fetch that follow from the state of its unit alone.

use super::texture_rules::ANISOTROPY_LOGARITHMS;
use super::{Dimensions, Filter, MipFilter, TextureState};

impl TextureState {
    /// Texels of a pixel's fetch, if each fetch takes one sample with the same number of texels: nothing depends on the
    /// level of detail, nor on whether the coordinate lies outside the image.
    #[must_use]
    pub fn fixed_texels(&self) -> Option<u32> {
        let mixes_levels = self.sampler.mip_filter == MipFilter::Linear && self.view.last_level() != 0;
        self.sample_texels().filter(|_| !mixes_levels && !self.is_anisotropic())
    }

    /// Texels of one sample of a level, if all samples have the same number.
    #[must_use]
    pub fn sample_texels(&self) -> Option<u32> {
        let (minification, magnification) = self.filters();
        if minification != magnification || self.reaches_border() {
            return None;
        }
        match minification {
            Filter::Nearest => Some(1),
            Filter::Linear if self.view.dimensions != Dimensions::Three => Some(4),
            Filter::Linear | Filter::Convolution(_) => None,
        }
    }

    /// Whether fetches may reach beyond an image without border texels: to the border, or to adjacent faces of a seamless cube map.
    #[must_use]
    pub fn reaches_border(&self) -> bool {
        let axes = if self.view.dimensions == Dimensions::Three { 3 } else { 2 };
        let weights_texels = self.filters() != (Filter::Nearest, Filter::Nearest);
        let (wrap, border) = (self.wrap_modes(), self.view.border_texels());
        (0..axes).any(|axis| border[axis] == 0 && wrap[axis].reaches_border(weights_texels))
    }

    /// Returns the number of samples that an anisotropic fetch takes along a line: the line's length in sample
    /// distances, rounded up (`EXT_texture_filter_anisotropic`). The length comes as a base-2 logarithm in 1/256.
    // Unverified: the chip's own number; it may follow the steps of the limit (1, 2, 4, 6, …).
    #[must_use]
    pub fn anisotropic_samples(stretch: i32) -> u32 {
        (1..).zip(ANISOTROPY_LOGARITHMS).find(|(_, logarithm)| stretch <= *logarithm).map_or(16, |(samples, _)| samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::TextureFormat;
    use crate::pipeline::{Sampler, Wrap, plain_texture};

    #[test]
    fn one_filter_of_one_level_is_fixed() {
        let plain = plain_texture(TextureFormat::A8R8G8B8, 16, 16, 5);
        let fixed = |change: &dyn Fn(&mut TextureState)| {
            let mut texture = plain.clone();
            (texture.sampler.min_filter, texture.sampler.mag_filter) = (Filter::Linear, Filter::Linear);
            (texture.sampler.mip_filter, texture.sampler.wrap) = (MipFilter::Nearest, [Wrap::Repeat; 3]);
            change(&mut texture);
            texture.fixed_texels()
        };
        assert_eq!(fixed(&|_| {}), Some(4));
        assert_eq!(fixed(&|texture| texture.sampler.min_filter = Filter::Nearest), None);
        let nearest = |texture: &mut TextureState| {
            (texture.sampler.min_filter, texture.sampler.mag_filter) = (Filter::Nearest, Filter::Nearest);
        };
        assert_eq!(fixed(&nearest), Some(1));
        assert_eq!(fixed(&|texture| texture.sampler.mip_filter = MipFilter::Linear), None);
        assert_eq!(
            fixed(&|texture| (texture.sampler.mip_filter, texture.view.levels) = (MipFilter::Linear, 1)),
            Some(4)
        );
        assert_eq!(fixed(&|texture| texture.sampler.max_anisotropy = 2), None);
        let mixed = TextureState {
            sampler: Sampler { mip_filter: MipFilter::Linear, max_anisotropy: 2, ..plain.sampler },
            ..plain.clone()
        };
        let [linear, nearest_far] = [Filter::Linear, Filter::Nearest].map(|min_filter| TextureState {
            sampler: Sampler { min_filter, mag_filter: Filter::Linear, ..mixed.sampler },
            ..mixed.clone()
        });
        assert_eq!([linear.sample_texels(), nearest_far.sample_texels()], [Some(4), None]);
        assert_eq!(fixed(&|texture| texture.sampler.wrap[1] = Wrap::Clamp), None);
        assert_eq!(fixed(&|texture| texture.sampler.wrap[2] = Wrap::ClampToBorder), Some(4));
        let clamped = |texture: &mut TextureState| {
            nearest(texture);
            texture.sampler.wrap[0] = Wrap::Clamp;
        };
        assert_eq!(fixed(&clamped), Some(1));
        assert_eq!(fixed(&|texture| texture.view.dimensions = Dimensions::Three), None);
        // Three texels stand for the one beyond a corner of a cube.
        let cube = |texture: &mut TextureState, is_seamless| {
            (texture.view.dimensions, texture.sampler.is_seamless) = (Dimensions::Cube, is_seamless);
        };
        assert_eq!([false, true].map(|is_seamless| fixed(&|texture| cube(texture, is_seamless))), [Some(4), None]);
        let nearest_cube = |texture: &mut TextureState| {
            nearest(texture);
            cube(texture, true);
        };
        assert_eq!(fixed(&nearest_cube), Some(1));
    }

    #[test]
    fn a_footprint_takes_as_many_samples_as_it_is_long() {
        for ratio in 1..=16u32 {
            let stretch = ANISOTROPY_LOGARITHMS[ratio as usize - 1];
            assert_eq!(TextureState::anisotropic_samples(stretch), ratio);
            assert_eq!(TextureState::anisotropic_samples(stretch + 1), (ratio + 1).min(16));
        }
        assert_eq!(TextureState::anisotropic_samples(-9), 1);
    }
}
