//! Lists the values of methods that ask for what this chip does not execute. The class counts them, and draws without it.

use crate::chip::bits::bit;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};

/// A method, whether a value asks for what is not executed, and what that is.
type Row = (u16, fn(u32) -> bool, &'static str);

const ROWS: &[Row] = &[
    (late::CLIPID_ENABLE, |value| bit(value, 0), "the clip id test"),
    (early::SCREEN_Y_CONTROL, |value| value != 0, "rows that count from below"),
    (late::FRAMEBUFFER_SRGB, |value| bit(value, 0), "sRGB for targets whose format does not say so"),
    (late::BIND_TIC2, |value| bit(value, 0), "a second list of textures"),
    (late::BIND_TSC2, |value| bit(value, 0), "a second list of samplers"),
    (early::VTX_ATTR_DEFINE, |_| true, "attributes by their definition"),
    (late::POINT_RASTER_RULES, |value| bit(value, 0), "points by the rules of Direct3D"),
    (late::POINT_SMOOTH_ENABLE, |value| bit(value, 0), "smooth points"),
    (late::VIEW_VOLUME_CLIP_CTRL, |value| bit(value, 3) != bit(value, 4), "clamping of one end of the depths"),
];

/// What a value of a method asks for that is not executed.
pub(super) fn unsupported(address: u16, value: u32) -> Option<&'static str> {
    ROWS.iter().find(|(method, asks, _)| *method == address && asks(value)).map(|(_, _, what)| *what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_ask_for_nothing_are_supported() {
        assert_eq!(unsupported(late::VIEW_VOLUME_CLIP_CTRL, 0x18), None);
        assert_eq!(unsupported(late::VIEW_VOLUME_CLIP_CTRL, 0x10), Some("clamping of one end of the depths"));
        assert_eq!(unsupported(late::CLIPID_ENABLE, 1), Some("the clip id test"));
        assert_eq!(unsupported(late::POINT_RASTER_RULES, 0), None);
        assert_eq!(unsupported(late::POINT_SIZE, 1), None);
    }
}
