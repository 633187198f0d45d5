//! Determines which parts of the ROP state take effect on targets of a format.

use super::{Blend, LogicOp, RopState, ZetaTarget};
use crate::format::texel::Field;
use crate::format::{Channels, ColorFormat, ComponentKind, DepthStorage, PixelStorage};

impl RopState {
    /// The fragment program's color that a target receives.
    #[must_use]
    pub const fn color_source(&self, target: usize) -> usize {
        if self.broadcasts_first_color { 0 } else { target }
    }

    /// Whether clamping of colors changes what a target stores: fractions of 0..1 clamp in any case.
    // Unverified: that integers are not clamped.
    #[must_use]
    pub const fn clamps_color(&self, target: usize, format: ColorFormat) -> bool {
        let is_wider = match format.storage() {
            PixelStorage::Fields { .. } => false,
            PixelStorage::Channels(channels) => {
                matches!(channels.kind, ComponentKind::Snorm | ComponentKind::Float)
            }
        };
        is_wider && self.clamped_colors >> self.color_source(target) & 1 != 0
    }

    /// The logic operation; only targets of fractions have one, and none on the sRGB curve.
    // Unverified: others blend as if it were disabled.
    #[must_use]
    pub const fn used_logic_op(&self, format: ColorFormat) -> Option<LogicOp> {
        match format.storage() {
            PixelStorage::Fields { .. }
            | PixelStorage::Channels(Channels {
                kind: ComponentKind::Unorm | ComponentKind::Snorm,
                is_srgb: false,
                ..
            }) => self.logic_op,
            PixelStorage::Channels(_) => None,
        }
    }

    /// How a target is blended: integers never are, and none is whose blending a logic operation replaces.
    #[must_use]
    pub fn used_blend(&self, target: usize, format: ColorFormat) -> Option<Blend> {
        let is_integer = matches!(format.storage(), PixelStorage::Channels(channels) if !channels.are_blended());
        self.blend[target].filter(|_| !is_integer && self.used_logic_op(format).is_none())
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

    /// Whether the state stores red, green and blue on the sRGB curve: only in channels of 8 bits. Formats of their own do so
    /// always.
    // Unverified: which formats. Blending uses the encoded value, as is known of Direct3D 9 chips; formats of their own blend
    // linear values, as Direct3D 10 asks.
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
        PixelStorage::Channels(_) => false,
    }
}

impl ZetaTarget {
    /// The storage of its depth.
    #[must_use]
    pub const fn depth_storage(&self) -> DepthStorage {
        self.format.depth_storage(self.is_float)
    }
}
