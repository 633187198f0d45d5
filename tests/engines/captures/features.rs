//! Takes a feature out of a capture's stream, and sees that its pictures tell.

use curie::capture::{Capture, Record};
use curie::command::methods::three_d::raster::POLYGON_STIPPLE_PATTERN;
use curie::command::methods::{Field, class_table};
use curie::command::packet::Command;
use curie::present::{Channel, Picture};

use super::{Bound, capture, captures_with_two_pictures, disagreement, disagreement_with, on_reference};

/// The subchannel on which Mesa's driver keeps the 3D class, and the class.
const THREE_D: (u8, u32) = (7, 0x4097);

/// A feature of a capture: the field of a method that asks for it, and the value of that field without it.
struct Feature {
    capture: &'static str,
    method: &'static str,
    element: u16,
    field: &'static str,
    without: u32,
}

const fn feature(
    capture: &'static str,
    method: &'static str,
    element: u16,
    field: &'static str,
    without: u32,
) -> Feature {
    Feature { capture, method, element, field, without }
}

/// What decides the pictures of the captures. `X8R8G8B8_O` is color format 5, `A8R8G8B8` is 8 and texture format 5.
const FEATURES: [Feature; 30] = [
    feature("culling", "CULL_FACE_ENABLE", 0, "enable", 0),
    feature("culling", "CULL_FACE", 0, "face", 0x405),
    feature("culling", "FRONT_FACE", 0, "winding", 0x900),
    feature("two_sided_color", "VERTEX_TWO_SIDE_ENABLE", 0, "enable", 0),
    feature("two_sided_color", "VP_RESULT_EN", 0, "bfc0", 0),
    feature("two_sided_program", "VERTEX_TWO_SIDE_ENABLE", 0, "enable", 0),
    feature("two_sided_stencil", "STENCIL_ENABLE", 1, "enable", 0),
    feature("two_sided_stencil", "STENCIL_OP_ZPASS", 1, "operation", 0x1e00),
    feature("two_sided_stencil", "STENCIL_FUNC_FUNC", 1, "function", 0x202),
    feature("two_sided_stencil", "STENCIL_FUNC_REF", 1, "reference", 0),
    feature("two_sided_stencil", "STENCIL_FUNC_MASK", 1, "mask", 0xff),
    feature("point_sprites", "POINT_SPRITE", 0, "replaced", 0),
    feature("point_sprites", "POINT_SPRITE", 0, "enable", 0),
    feature("clip_planes", "VP_CLIP_PLANES_ENABLE", 0, "plane0", 0),
    feature("fog", "VP_RESULT_EN", 0, "fog", 0),
    feature("window_position", "COORD_CONVENTIONS", 0, "inverted", 0),
    feature("flat_shading", "SHADE_MODEL", 0, "model", 0x1d01),
    feature("flat_shading", "FLATSHADE_FIRST", 0, "enable", 0),
    feature("primitive_restart", "PRIMITIVE_RESTART_ENABLE", 0, "enable", 0),
    feature("primitive_restart", "PRIMITIVE_RESTART_INDEX", 0, "index", 0xffff),
    feature("render_targets", "RT_ENABLE", 0, "color3", 0),
    feature("render_targets", "MRT_COLOR_MASK", 0, "blue1", 1),
    feature("cube_map", "TEX_FORMAT", 0, "cubic", 0),
    feature("shadow_compare", "TEX_WRAP", 0, "compare", 0),
    feature("multisample", "MULTISAMPLE_CONTROL", 0, "enable", 0),
    feature("srgb_textures", "TEX_WRAP", 0, "gamma", 0),
    feature("srgb_filter", "TEX_WRAP", 0, "gamma", 0),
    feature("texture_formats", "TEX_FORMAT", 0, "format", 5),
    feature("target_formats", "RT_FORMAT", 0, "color", 8),
    feature("target_formats", "RT_FORMAT", 0, "layout", 1),
];

/// Gives the feature's field its other value wherever the stream sets it, and returns how many words that changes.
fn take_out(feature: &Feature, capture: &mut Capture) -> usize {
    let table = class_table(THREE_D.1).unwrap();
    let row = table.rows().find(|row| row.name == feature.method).unwrap();
    let field = row.fields.iter().find(|field| field.name == feature.field).unwrap();
    let is_method = |method: u16| {
        table.find(method).is_some_and(|(found, element)| std::ptr::eq(found, row) && element == feature.element)
    };
    let change = |method, word| if is_method(method) { with_field(word, field, feature.without) } else { word };
    change_capture(capture, THREE_D.0, change)
}

/// Changes the values of methods of a subchannel in all packets, and returns how many words that changes.
pub(super) fn change_capture(capture: &mut Capture, subchannel: u8, mut change: impl FnMut(u16, u32) -> u32) -> usize {
    let submissions = capture.records.iter_mut().filter_map(|record| match record {
        Record::Submit(submission) => Some(submission),
        _ => None,
    });
    let pushes = submissions.flat_map(|submission| &mut submission.pushes);
    pushes.map(|push| change_words(&mut push.words, subchannel, &mut change)).sum()
}

/// Changes the values of methods of a subchannel. The words hold whole packets.
fn change_words(words: &mut [u32], changed_subchannel: u8, mut change: impl FnMut(u16, u32) -> u32) -> usize {
    let (mut at, mut changed) = (0, 0);
    while at < words.len() {
        let command = Command::decode(words[at]).unwrap();
        at += 1;
        let Command::Methods { subchannel, method, count, is_increasing } = command else { continue };
        for index in 0..count {
            let address = if is_increasing { method + 4 * index } else { method };
            let word = words[at];
            if subchannel == changed_subchannel {
                words[at] = change(address, word);
                changed += usize::from(words[at] != word);
            }
            at += 1;
        }
    }
    changed
}

fn with_field(word: u32, field: &Field, value: u32) -> u32 {
    let mask = u32::MAX >> (31 - (field.high - field.low)) << field.low;
    word & !mask | value << field.low
}

/// Whether the pictures beside a capture show that a feature is missing.
fn is_seen(feature: &Feature) -> bool {
    let mut capture = capture(feature.capture);
    if take_out(feature, &mut capture) == 0 {
        return false;
    }
    let outcome = on_reference(&capture).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    disagreement(feature.capture, &picture).is_some()
}

#[test]
fn pictures_tell_when_a_feature_is_missing() {
    let unseen = FEATURES.iter().filter(|feature| !is_seen(feature));
    let unseen: Vec<_> =
        unseen.map(|feature| format!("{}: {} {}", feature.capture, feature.method, feature.field)).collect();
    assert_eq!(unseen, [""; 0]);
}

#[test]
fn what_changes_no_pixel_is_not_seen() {
    assert!(!is_seen(&feature("culling", "CULL_FACE_ENABLE", 1, "enable", 0)), "there is no such method");
    assert!(!is_seen(&feature("culling", "LINE_WIDTH", 0, "eighths", 16)), "there are no lines");
}

#[test]
fn each_capture_with_two_pictures_has_a_feature() {
    for name in captures_with_two_pictures() {
        assert!(FEATURES.iter().any(|feature| feature.capture == name), "{name}");
    }
}

#[test]
fn a_field_is_changed_alone() {
    let field = |name| {
        let row = class_table(THREE_D.1).unwrap().rows().find(|row| row.name == "TEX_WRAP").unwrap();
        row.fields.iter().find(|field| field.name == name).unwrap()
    };
    assert_eq!(with_field(0x1071_0101, field("gamma"), 0), 0x1001_0101);
    assert_eq!(with_field(0x1071_0101, field("compare"), 0), 0x0071_0101);
    assert_eq!(with_field(0x1001_0101, field("s"), 3), 0x1001_0103);
    // Two packets; the second goes to another subchannel.
    let mut words = [Command::encode_methods(7, 0x100, 2, true), 1, 2, Command::encode_methods(6, 0x104, 1, true), 3];
    assert_eq!(change_words(&mut words, 7, |method, word| if method == 0x104 { word + 8 } else { word }), 1);
    assert_eq!((words[1], words[2], words[4]), (1, 10, 3));
}

/// The driver does not know the order of a polygon stipple (docs/adr/0016-polygon-stipple.md). With the words in the chip's
/// order, the picture has the bound that it has without the stipple.
#[test]
fn stipples_in_the_order_of_the_chip_are_those_of_the_picture() {
    let mut capture = capture("prims");
    let row = |method: u16| {
        let offset = method.checked_sub(POLYGON_STIPPLE_PATTERN)?;
        Some(usize::from(offset / 4)).filter(|row| *row < 32)
    };
    let mut words = [0; 32];
    change_capture(&mut capture, THREE_D.0, |method, word| {
        if let Some(row) = row(method) {
            words[row] = word;
        }
        word
    });
    let changed = change_capture(&mut capture, THREE_D.0, |method, word| {
        row(method).map_or(word, |row| words[31 - row].swap_bytes())
    });
    assert_ne!(changed, 0);
    let outcome = on_reference(&capture).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let bound = Bound { picture: ".png", steps: 8, exceptions: 10 };
    assert_eq!(disagreement_with(&[bound], "prims", &picture), None);
}
