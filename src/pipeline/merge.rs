//! Determines which parts of the ROP state take effect on targets of a format.

use super::{AlphaTest, LogicOp, RopState, ZetaTarget};
use crate::arith::fragment;
use crate::format::texel::Field;
use crate::format::{ColorFormat, DepthStorage, PixelStorage};

impl AlphaTest {
    /// The reference of float targets as bits of a single. Sources differ, so 16-bit values are half floats and larger
    /// ones singles.
    // Unverified: that both forms are accepted; no useful single is below 2^16 here.
    #[must_use]
    pub fn float_reference(&self) -> u32 {
        u16::try_from(self.reference).map_or(self.reference, fragment::half_bits_to)
    }
}

impl RopState {
    /// The blend color of float targets as singles.
    #[must_use]
    pub fn float_blend_color(&self) -> [u32; 4] {
        self.half_blend_color.map(fragment::half_bits_to)
    }

    /// The fragment program's color that a target receives.
    #[must_use]
    pub const fn color_source(&self, target: usize) -> usize {
        if self.broadcasts_first_color { 0 } else { target }
    }

    /// The logic operation; float targets have none.
    // Unverified: float targets blend as if it were disabled.
    #[must_use]
    pub const fn used_logic_op(&self, format: ColorFormat) -> Option<LogicOp> {
        if matches!(format.storage(), PixelStorage::Fields { .. }) { self.logic_op } else { None }
    }

    /// Whether a target is blended: never single floats (GeForce 6 overview: blending up to fp16×4), and never if a
    /// logic operation replaces blending.
    #[must_use]
    pub const fn blends(&self, target: usize, format: ColorFormat) -> bool {
        self.blend_enabled[target]
            && !matches!(format.storage(), PixelStorage::Float(_))
            && self.used_logic_op(format).is_none()
    }

    /// Whether colors are dithered: only into 16-bit targets with fewer than 8 bits per channel.
    #[must_use]
    pub fn dithers(&self, format: ColorFormat) -> bool {
        self.dither.0 && has_channels(format, |width| width < 8)
    }

    /// Whether red, green and blue are stored on the sRGB curve: only in channels of 8 bits.
    // Unverified: which formats. Blending uses the encoded value, as is known of Direct3D 9 chips.
    #[must_use]
    pub fn encodes_srgb(&self, format: ColorFormat) -> bool {
        self.srgb_write && has_channels(format, |width| width == 8)
    }
}

fn has_channels(format: ColorFormat, is_wanted: impl Fn(u8) -> bool) -> bool {
    match format.storage() {
        PixelStorage::Fields { channels, .. } => channels[..3].iter().any(|channel| match channel {
            Field::Bits { width, .. } => is_wanted(*width),
            Field::One | Field::Zero => false,
        }),
        PixelStorage::Half | PixelStorage::Float(_) => false,
    }
}

impl ZetaTarget {
    /// The storage of its depth.
    #[must_use]
    pub const fn depth_storage(&self) -> DepthStorage {
        self.format.depth_storage(self.is_float)
    }
}
