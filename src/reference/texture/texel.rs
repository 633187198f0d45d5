//! Fetches the texels of a texture from guest memory: addresses, decoding, comparison, the border.

use super::addressing::{AxisTaps, TapFilter, axis_taps};
use super::probes::mean;
use super::seams::{averaged_places, texel_on_cube};
use crate::arith::{MINUS_ONE, ONE, fragment};
use crate::format::srgb_decode::linear_fraction;
use crate::format::{signed, signed_clamped};
use crate::memory::GuestMemory;
use crate::pipeline::{ChannelRule, MipLevel, RemappedChannel, TextureState, Wrap};
use crate::reference::observer::DrawObserver;

/// Reads texels of one image and interpolates among them.
pub(crate) struct Fetcher<'a> {
    pub(crate) memory: &'a GuestMemory,
    pub(crate) state: &'a TextureState,
    pub(crate) levels: &'a [MipLevel],
    /// The number of the image: a face of a cube map, a layer, or 0.
    pub(crate) face: u32,
    /// The texels that are added to each place.
    pub(crate) offsets: [i8; 3],
    pub(crate) filters_integers: bool,
    pub(crate) filters_bytes: bool,
    pub(crate) observer: &'a dyn DrawObserver,
    face_bytes: u32,
    wrap: [Wrap; 3],
    is_seamless: bool,
    rules: [ChannelRule; 4],
    remaps_texels: bool,
    border: [u32; 4],
}

impl<'a> Fetcher<'a> {
    /// Creates a fetcher of the only image, or of the first face, from levels and the distance of faces.
    pub(crate) fn new(
        memory: &'a GuestMemory,
        state: &'a TextureState,
        (levels, face_bytes): &'a (Vec<MipLevel>, u32),
        observer: &'a dyn DrawObserver,
    ) -> Self {
        let (filters_integers, filters_bytes) = (state.view.filters_integers(), state.view.filters_bytes());
        Self {
            memory,
            state,
            levels,
            face: 0,
            offsets: [0; 3],
            filters_integers,
            filters_bytes,
            observer,
            face_bytes: *face_bytes,
            wrap: state.wrap_modes(),
            is_seamless: state.is_seamless(),
            rules: state.view.channel_rules(),
            remaps_texels: state.remaps_texels(),
            border: state.filtered_border(),
        }
    }

    /// The wrap mode of an axis.
    pub(crate) const fn wrap(&self, axis: usize) -> Wrap {
        self.wrap[axis]
    }

    /// The texels of an axis in stored order.
    pub(crate) fn axis(&self, level: &MipLevel, position: u32, axis: usize, is_filtered: bool) -> AxisTaps {
        let filter = match (is_filtered, self.state.view.format.rounds_weights()) {
            (false, _) => TapFilter::Nearest,
            (true, false) => TapFilter::Linear,
            (true, true) => TapFilter::LinearRounded,
        };
        let position = self.moved(position, level.size[axis], self.offsets[axis]);
        let taps = axis_taps(position, level.size[axis], self.wrap(axis), filter, self.state.view.is_unnormalized);
        AxisTaps { texels: self.stored(axis, taps.texels, taps.with_border), ..taps }
    }

    /// A coordinate that is moved by texels of a level.
    // Unverified: that the coordinate moves before it is wrapped, rounded to a float.
    fn moved(&self, position: u32, size: u32, offset: i8) -> u32 {
        if offset == 0 {
            return position;
        }
        let texels = fragment::int_to_float(offset.into());
        let step = match self.state.view.is_unnormalized {
            true => texels,
            false => fragment::div(texels, fragment::int_to_float(size.cast_signed())),
        };
        fragment::add(position, step)
    }

    /// Texels of an axis, counting those before the image if the border is stored. Of seamless cube maps, −1 (modulo 2³²) and the
    /// size are on adjacent faces.
    pub(crate) fn stored<const N: usize>(
        &self,
        axis: usize,
        texels: [Option<u32>; N],
        with_border: [i32; N],
    ) -> [Option<u32>; N] {
        match self.state.view.border_texels()[axis] {
            0 if !self.is_seamless => texels,
            border => with_border.map(|texel| Some(border.wrapping_add_signed(texel))),
        }
    }

    /// Fetches a texel by its stored position; the border if there is none.
    pub(crate) fn texel(&self, level: &MipLevel, position: [Option<u32>; 3], reference: u32) -> [u32; 4] {
        let [Some(x), Some(y), Some(z)] = position else { return self.border(reference) };
        if !self.is_seamless {
            return self.image_texel(level, self.face, [x, y, z], reference);
        }
        let (side, first) = (level.size[0], self.face - self.face % 6);
        let texel = |place: [u32; 2]| {
            let (face, [x, y]) = texel_on_cube(self.face % 6, place, side);
            self.image_texel(level, first + face, [x, y, z], reference)
        };
        match averaged_places([x, y], side)[..] {
            // Unverified: that integers, which have no mean, are those of the face itself. Only gathers read them.
            [own, ..] if self.state.view.format.holds_integers() => texel(own),
            [place] => texel(place),
            // Unverified: that comparisons come before the mean, and how it is rounded.
            ref places => mean(&places.iter().map(|place| texel(*place)).collect::<Vec<_>>(), self.filters_integers),
        }
    }

    /// Fetches a texel of an image: a face or layer.
    fn image_texel(&self, level: &MipLevel, face: u32, [x, y, z]: [u32; 3], reference: u32) -> [u32; 4] {
        let state = self.state;
        let element = self.element(level, face, [x, y, z]);
        if state.view.compares_depth() {
            return self.compare(reference, state.view.format.depth_bits(element[0]));
        }
        let texel = match self.filters_integers {
            true => self.integers(state.view.format.decode_unorm16(element, x, y).unwrap_or_default()),
            false => self.decode_float(element, x, y),
        };
        if self.remaps_texels { self.remapped(texel) } else { texel }
    }

    /// A texel whose channels are those that programs read.
    fn remapped(&self, texel: [u32; 4]) -> [u32; 4] {
        let one = if self.filters_integers { 0xffff } else { ONE };
        self.state.view.remap.map(|source| match source {
            RemappedChannel::Zero => 0,
            RemappedChannel::One => one,
            RemappedChannel::OneInteger => 1,
            RemappedChannel::Source(source) => texel[usize::from(source)],
        })
    }

    /// Reads an element of up to 16 bytes; zeros unless all of it lies in the window.
    fn element(&self, level: &MipLevel, face: u32, position: [u32; 3]) -> [u32; 4] {
        let (memory, window) = (self.memory, self.state.view.window);
        let face_offset = self.face_bytes.wrapping_mul(face);
        let offset =
            face_offset.wrapping_add(level.offset).wrapping_add(self.state.view.element_offset(level, position));
        self.observer.read_texel(window, offset);
        match self.state.view.format.element_bytes() {
            1 => [u32::from(memory.read::<1>(window, offset)[0]), 0, 0, 0],
            2 => [u32::from(u16::from_le_bytes(memory.read(window, offset))), 0, 0, 0],
            4 => [memory.read_u32(window, offset), 0, 0, 0],
            8 => words_of(&memory.read::<8>(window, offset)),
            _ => words_of(&memory.read::<16>(window, offset)),
        }
    }

    /// Decodes with the unit's signed and expansion rules.
    fn decode_float(&self, element: [u32; 4], x: u32, y: u32) -> [u32; 4] {
        let state = self.state;
        let Some(fractions) = state.view.format.decode_unorm16(element, x, y) else {
            return state.view.format.decode(element, x, y);
        };
        let width = state.view.format.signed_width();
        std::array::from_fn(|channel| {
            let bits = fractions[channel] >> (16 - width);
            match self.rules[channel] {
                ChannelRule::Unsigned => fragment::unorm_to_float(fractions[channel], 16),
                ChannelRule::Signed => signed(bits, width),
                ChannelRule::SignedClamped => signed_clamped(bits, width),
                ChannelRule::Expanded => signed(bits ^ (1 << (width - 1)), width),
                ChannelRule::Srgb => fragment::unorm_to_float(linear_fraction(fractions[channel]), 24),
            }
        })
    }

    fn border(&self, reference: u32) -> [u32; 4] {
        if self.state.view.compares_depth() { self.compare(reference, self.border[0]) } else { self.border }
    }

    /// What is filtered for 16-bit fractions: bytes, if the channels have no more.
    fn integers(&self, fractions: [u32; 4]) -> [u32; 4] {
        if self.filters_bytes { fractions.map(|fraction| fraction >> 8) } else { fractions }
    }

    /// Compares the reference, as bits of the format, with a stored depth.
    fn compare(&self, reference: u32, depth: u32) -> [u32; 4] {
        let reference = self.state.view.format.reference_depth_bits(reference);
        let passes = self.state.sampler.shadow_compare.passes(reference, depth);
        let [fails, passed] = if self.state.view.expands_depth() { [MINUS_ONE, ONE] } else { [0, 0xffff] };
        [if passes { passed } else { fails }; 4]
    }

    /// Interpolates between two values with a weight in 1/256.
    pub(crate) fn interpolate(&self, first: [u32; 4], second: [u32; 4], weight: u32) -> [u32; 4] {
        if weight == 0 {
            return first;
        }
        if self.filters_integers {
            return std::array::from_fn(|channel| {
                (first[channel] * (256 - weight) + second[channel] * weight + 128) >> 8
            });
        }
        // Weights of 8 bits are exact.
        let [kept, taken] = [256 - weight, weight].map(|weight| {
            let weight = fragment::int_to_float(weight.cast_signed());
            fragment::mul(weight, 0x3b80_0000)
        });
        std::array::from_fn(|channel| {
            fragment::add(fragment::mul(first[channel], kept), fragment::mul(second[channel], taken))
        })
    }
}

/// Reads little-endian words, padded with zeros.
fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}
