//! Determines which parts of the ROP state take effect on targets of a format.

use super::{Blend, LogicOp, RopState, ZetaTarget};
use crate::format::texel::Field;
use crate::format::{ColorFormat, DepthStorage, PixelStorage};

impl RopState {
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

    /// How a target is blended: single floats never are (GeForce 6 overview: blending up to fp16×4), and none is whose
    /// blending a logic operation replaces.
    #[must_use]
    pub fn used_blend(&self, target: usize, format: ColorFormat) -> Option<Blend> {
        let is_blendable = !matches!(format.storage(), PixelStorage::Float(_)) && self.used_logic_op(format).is_none();
        self.blend[target].filter(|_| is_blendable)
    }

    /// Whether the stored colors of a target are read.
    #[must_use]
    pub fn reads_color(&self, target: usize, format: ColorFormat) -> bool {
        self.used_blend(target, format).is_some() || self.used_logic_op(format).is_some()
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
