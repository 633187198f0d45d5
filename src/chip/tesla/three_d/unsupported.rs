//! Lists the values of methods that ask for what this chip does not execute. The class counts them, and draws without it.

use crate::chip::bits::bit;
use crate::chip::registers::Registers;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::pipeline::Elements;

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
    (late::CLIP_RECTS_MODE, |value| value > 1, "clip rectangles that keep nothing"),
    (early::D3D_FILL_MODE, |_| true, "the fill mode of Direct3D"),
    (early::D3D_CULL_MODE, |_| true, "the cull mode of Direct3D"),
    (early::VERTEX_ID_BASE, |value| value != 0, "numbers of vertices from a base"),
    (late::VERTEX_BEGIN_GL, |value| bit(value, 29), "numbers of primitives that go on"),
    (late::VERTEX_BEGIN_D3D, |value| bit(value, 29), "numbers of primitives that go on"),
    (early::VP_ATTR_EN_ALT, |value| value != 0, "more than sixteen attributes"),
    (early::VERTEX_ARRAY_ATTRIB_ALT, |value| value != 0, "more than sixteen attributes"),
    (late::VERTEX_ARRAY_FETCH_ALT, |value| bit(value, 29), "more than sixteen arrays"),
    (late::VP_RESULT_MAP_ALT, |value| value != 0, "a longer map of a vertex program's results"),
];

/// What a value of a method asks for that is not executed.
pub(super) fn unsupported(address: u16, value: u32) -> Option<&'static str> {
    ROWS.iter().find(|(method, asks, _)| *method == address && asks(value)).map(|(_, _, what)| *what)
}

/// What a draw of these elements asks for that is not executed.
pub(super) fn unsupported_draw(registers: &Registers, elements: &Elements) -> Option<&'static str> {
    let mask = |pixel| registers.element(early::MSAA_MASK, 4, pixel);
    if registers.is_set(late::MULTISAMPLE_ENABLE) && (1..4).any(|pixel| mask(pixel) != mask(0)) {
        return Some("masks of samples that differ between the pixels of a quad");
    }
    let Elements::Ranges(ranges) = elements else { return None };
    let built_in = registers.get(late::VP_GP_BUILTIN_ATTR_EN);
    if bit(built_in, 0) && !bit(built_in, 12) && ranges.iter().any(|(first, _)| *first != 0) {
        return Some("numbers of vertices that do not begin with the first one");
    }
    let restart = registers.get(late::PRIM_RESTART_INDEX);
    let restarts = [late::PRIM_RESTART_ENABLE, early::PRIM_RESTART_WITH_DRAW_ARRAYS]
        .iter()
        .all(|method| registers.is_set(*method));
    let has_restart = |(first, count): &(u32, u32)| restart.checked_sub(*first).is_some_and(|place| place < *count);
    (restarts && ranges.iter().any(has_restart)).then_some("a restart between vertices without indices")
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
        assert_eq!([0, 1].map(|mode| unsupported(late::CLIP_RECTS_MODE, mode)), [None; 2]);
        assert_eq!(unsupported(late::VERTEX_BEGIN_GL, 1 << 28 | 4), None);
        assert_eq!(unsupported(late::VERTEX_BEGIN_GL, 1 << 29 | 4), Some("numbers of primitives that go on"));
    }
    #[test]
    fn draws_ask_for_what_their_elements_show() {
        use crate::command::methods::tesla::three_d::CLASS;
        let asks = |set: &[(u16, u32)], ranges: &[(u32, u32)]| {
            let mut registers = Registers::new(&CLASS);
            set.iter().for_each(|(method, value)| registers.set(*method, *value));
            unsupported_draw(&registers, &Elements::Ranges(ranges.to_vec()))
        };
        let masks = [(late::MULTISAMPLE_ENABLE, 1), (early::MSAA_MASK + 12, 5)];
        assert_eq!(asks(&masks, &[]), Some("masks of samples that differ between the pixels of a quad"));
        assert_eq!(asks(&masks[1..], &[]), None);
        let numbers = [(late::VP_GP_BUILTIN_ATTR_EN, 1)];
        assert_eq!(asks(&numbers, &[(0, 3)]), None);
        assert!(asks(&numbers, &[(0, 3), (3, 3)]).is_some());
        assert_eq!(asks(&[(late::VP_GP_BUILTIN_ATTR_EN, 0x1001)], &[(3, 3)]), None);
        let restarts =
            [(late::PRIM_RESTART_ENABLE, 1), (early::PRIM_RESTART_WITH_DRAW_ARRAYS, 1), (late::PRIM_RESTART_INDEX, 5)];
        assert_eq!(asks(&restarts, &[(0, 5), (6, 3)]), None);
        assert!(asks(&restarts, &[(3, 3)]).is_some());
        assert_eq!(asks(&restarts[..1], &[(0, 5)]), None);
    }
}
