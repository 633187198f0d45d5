//! Captures of the GeForce 8.

use curie::command::methods::class_table;
use curie::present::{Channel, Picture};

use super::features::change_capture;
use super::{Bound, capture, captures, check_kernels, check_picture, disagreement, on_reference};

/// The captures' folder, before their names.
pub(super) const FOLDER: &str = "geforce-8/";

/// The subchannel on which Mesa's driver keeps the 3D class, and the class.
const THREE_D: (u8, u32) = (3, 0x8297);

captures! {
    "geforce-8/";
    buffers: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    clamped_colors: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    clip_distances: ".llvmpipe.png" within 1 except 1,
        ".llvmpipe.png" within 100 except 0,
        ".softpipe.png" within 1 except 7,
        ".softpipe.png" within 152 except 0;
    conditions: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    cube_map: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    culling: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    depth_clamp: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    eight_samples: ".llvmpipe.png" within 1 except 664,
        ".llvmpipe.png" within 223 except 0,
        ".softpipe.png" within 1 except 664,
        ".softpipe.png" within 223 except 0;
    eight_targets: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    flat_shading: ".llvmpipe.png" within 1 except 1156,
        ".llvmpipe.png" within 255 except 0,
        ".softpipe.png" within 1 except 1152,
        ".softpipe.png" within 255 except 0;
    float_targets: ".llvmpipe.png" within 1 except 7,
        ".llvmpipe.png" within 2 except 0,
        ".softpipe.png" within 1 except 7,
        ".softpipe.png" within 2 except 0;
    flow: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    geometry_program: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    instances: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    integer_targets: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    interpolation: ".llvmpipe.png" within 1 except 23,
        ".llvmpipe.png" within 204 except 0,
        ".softpipe.png" within 1 except 26,
        ".softpipe.png" within 204 except 0;
    layers: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    lookups: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    multisample: ".llvmpipe.png" within 1 except 6,
        ".llvmpipe.png" within 64 except 0,
        ".softpipe.png" within 1 except 536,
        ".softpipe.png" within 255 except 0;
    packed_vertices: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    point_sizes: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    primitive_restart: ".llvmpipe.png" within 1 except 5,
        ".llvmpipe.png" within 204 except 0,
        ".softpipe.png" within 0 except 0;
    render_targets: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    rgtc_textures: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    srgb_filter: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    srgb_target: ".llvmpipe.png" within 1 except 28,
        ".llvmpipe.png" within 2 except 0,
        ".softpipe.png" within 1 except 0;
    srgb_textures: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    stream_output: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    target_formats: ".llvmpipe.png" within 1 except 144,
        ".llvmpipe.png" within 9 except 0,
        ".softpipe.png" within 0 except 0;
    texture_arrays: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    texture_formats: ".llvmpipe.png" within 1 except 0, ".softpipe.png" within 1 except 0;
    two_sided_lighting: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    two_sided_stencil: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
    two_sources: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 1 except 0;
    window_position: ".llvmpipe.png" within 0 except 0, ".softpipe.png" within 0 except 0;
}

/// What decides the pictures: a capture, a method, its element, and a value without the feature.
const FEATURES: [(&str, &str, u16, u32); 19] = [
    ("culling", "CULL_FACE_ENABLE", 0, 0),
    ("flat_shading", "SHADE_MODEL", 0, 0x1d01),
    ("flat_shading", "PROVOKING_VERTEX_LAST", 0, 0),
    ("two_sided_lighting", "VERTEX_TWO_SIDE_ENABLE", 0, 0),
    ("two_sided_stencil", "STENCIL_TWO_SIDE_ENABLE", 0, 0),
    ("multisample", "MULTISAMPLE_ENABLE", 0, 0),
    ("eight_samples", "MULTISAMPLE_ENABLE", 0, 0),
    ("geometry_program", "GP_ENABLE", 0, 0),
    ("stream_output", "STRMOUT_ENABLE", 0, 0),
    ("instances", "VERTEX_ARRAY_PER_INSTANCE", 2, 0),
    ("clamped_colors", "SEMANTIC_COLOR", 0, 0x0004_0404),
    ("clip_distances", "CLIP_DISTANCE_ENABLE", 0, 0),
    ("layers", "SEMANTIC_LAYER", 0, 0),
    ("conditions", "COND_MODE", 0, 1),
    ("depth_clamp", "VIEW_VOLUME_CLIP_CTRL", 0, 0),
    ("two_sources", "BLEND_FUNC_DST_RGB", 0, 0x4000),
    ("point_sizes", "POINT_SPRITE_ENABLE", 0, 0),
    ("eight_targets", "COLOR_MASK", 5, 0x1111),
    ("float_targets", "BLEND_FUNC_DST_RGB", 0, 0x4000),
];

#[test]
fn pictures_tell_when_a_feature_is_missing() {
    let table = class_table(THREE_D.1).unwrap();
    let is_seen = |(name, method, element, value): (&str, &str, u16, u32)| {
        let name = format!("{FOLDER}{name}");
        let mut capture = capture(&name);
        let is_method =
            |address: u16| table.find(address).is_some_and(|(row, found)| row.name == method && found == element);
        let change = |address: u16, word: u32| if is_method(address) { value } else { word };
        if change_capture(&mut capture, THREE_D.0, change) == 0 {
            return false;
        }
        let outcome = on_reference(&capture).outcome;
        let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
        disagreement(&name, &picture).is_some()
    };
    let unseen: Vec<_> = FEATURES.into_iter().filter(|feature| !is_seen(*feature)).collect();
    assert_eq!(unseen, []);
    assert!(!is_seen(("two_sources", "POINT_SIZE", 0, 0x3f80_0000)), "there are no points");
}

#[test]
fn edges_have_the_seven_steps_of_eight_samples() {
    let outcome = on_reference(&capture(&format!("{FOLDER}eight_samples"))).outcome;
    let picture = Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap();
    let ends = [[51, 255], [51, 255], [51, 0]];
    let step = |samples: u16| ends.map(|[from, to]: [u16; 2]| (from * (8 - samples) + to * samples + 4) / 8);
    let pixels: Vec<_> = picture.rgb.as_chunks::<3>().0.iter().map(|pixel| pixel.map(u16::from)).collect();
    let absent: Vec<_> = (1..8).map(step).filter(|step| !pixels.contains(step)).collect();
    assert!(absent.is_empty(), "{absent:?}");
}
