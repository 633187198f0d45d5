//! Checks that parameter blocks of the pixel kernels have the same layout in Rust and in WGSL.

use std::mem::{offset_of, size_of};

use curie::gpu::{link, module_source};
use curie::kernels::merge_pixels::{MergeParameters, MergeSurface};
use curie::kernels::scale_image::ScaleParameters;
use curie::kernels::texture_parameters::{ShadeParameters, TextureParameters};
use curie::kernels::transfer::{CopyParameters, FillParameters, WordsParameters};

/// Size and member offsets of a struct in a WGSL text.
fn wgsl_layout(source: &str, name: &str) -> (usize, Vec<(String, usize)>) {
    let linked = link("test", source, &module_source).expect("links");
    let module = naga::front::wgsl::parse_str(&linked.source).expect("parses");
    let (_, found) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).expect("declared");
    let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is not a struct") };
    let members = members.iter().map(|member| (member.name.clone().unwrap_or_default(), member.offset as usize));
    (*span as usize, members.collect())
}

macro_rules! assert_layout {
    ($source:expr, $name:ident, [$($field:ident),* $(,)?]) => {{
        let (size, members) = wgsl_layout($source, stringify!($name));
        let fields = vec![$((stringify!($field).to_owned(), offset_of!($name, $field))),*];
        // A run-time sized array may follow the block.
        assert_eq!(members[..fields.len()], fields[..]);
        if members.len() == fields.len() {
            assert_eq!(size, size_of::<$name>());
        } else {
            assert_eq!(members[fields.len()].1, size_of::<$name>());
        }
    }};
}

#[test]
fn parameter_blocks_agree() {
    let merge = include_str!("../../wgsl/rop/merge_surface.wgsl");
    assert_layout!(merge, MergeSurface, [start, bytes, write_mask, padding, order]);
    assert_layout!(
        merge,
        MergeParameters,
        [
            zero,
            tile_count,
            alpha_reference,
            first_tile,
            depth_bounds,
            first_count,
            padding,
            blend_constant,
            float_blend_constant,
            stencil,
            surfaces
        ]
    );
    let texture = include_str!("../../wgsl/texture/parameters.wgsl");
    assert_layout!(
        texture,
        TextureParameters,
        [start, bytes, face_bytes, last_level, lod_bias, min_lod, max_lod, anisotropy_limit, border, color_key, levels]
    );
    assert_layout!(texture, ShadeParameters, [zero, targets, padding, spare, textures, linear]);
}

#[test]
fn transfer_blocks_agree() {
    let fill = include_str!("../../wgsl/blit/fill_parameters.wgsl");
    assert_layout!(
        fill,
        FillParameters,
        [
            zero,
            start,
            bytes,
            first_word,
            word_count,
            pixel_bytes,
            order,
            left,
            top,
            right,
            bottom,
            padding,
            values,
            masks
        ]
    );
    let words = include_str!("../../wgsl/blit/write_words.wgsl");
    assert_layout!(words, WordsParameters, [counter, start, count, counter_word, values, factor, padding]);
    let import = "import package::blit::source_memory::{load_source_u8, load_source_u32};\n";
    let copy = format!("{import}{}", include_str!("../../wgsl/blit/copy_memory.wgsl"));
    assert_layout!(
        &copy,
        CopyParameters,
        [
            zero,
            source_start,
            source_bytes,
            source_pitch,
            source_increment,
            destination_start,
            destination_bytes,
            destination_pitch,
            destination_increment,
            line_length,
            line_count,
            first_word,
            word_count
        ]
    );
    let constants = "const SOURCE_BYTES: u32 = 4u;\nconst PIXEL_BYTES: u32 = 4u;\n\
        fn drawn_pixel(column: u32, row: u32, position: vec2u, address: u32) -> vec2u { return vec2u(0u); }\n";
    let scale = format!("{import}{constants}{}", include_str!("../../wgsl/blit/scale_image.wgsl"));
    assert_layout!(
        &scale,
        ScaleParameters,
        [
            zero,
            source_start,
            source_bytes,
            source_pitch,
            destination_start,
            destination_bytes,
            first_word,
            word_count,
            order,
            left,
            top,
            width,
            height,
            source_fields,
            destination_fields
        ]
    );
}

#[test]
#[should_panic(expected = "left")]
fn a_planted_difference_is_seen() {
    let source = "struct MergeSurface { bytes: u32, start: u32 }";
    assert_layout!(source, MergeSurface, [start, bytes]);
}
