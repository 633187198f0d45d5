//! Structs that Rust and WGSL share have the same members at the same offsets.

use std::mem::offset_of;

use curie::gpu::{link, module_source};
use curie::pipeline::front_end::assemble_primitives::Primitive;
use curie::pipeline::primitive_setup::PrimitiveSetup;
use curie::recompiler::raster_block::RasterBlock;
use curie::recompiler::selection_block::{SelectionBlock, ViewportBlock};

/// Offsets of a struct's members and its size, by name.
fn layout(source: &str, name: &str) -> (Vec<(String, usize)>, usize) {
    let linked = link("layout", source, &module_source).unwrap();
    let module = naga::front::wgsl::parse_str(&linked.source).unwrap();
    let (_, found) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap();
    let naga::TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is not a struct") };
    let members = members.iter().map(|m| (m.name.clone().unwrap(), m.offset as usize)).collect();
    (members, *span as usize)
}

macro_rules! assert_layout {
    ($source:expr, $name:literal is $ty:ty, [$($field:ident),*]) => {
        let expected = vec![$((stringify!($field).to_owned(), offset_of!($ty, $field))),*];
        assert_eq!(layout($source, $name), (expected, size_of::<$ty>()));
    };
}

#[test]
fn shared_structs_have_one_layout() {
    assert_layout!(
        "import package::raster::parameters::raster;",
        "RasterParameters" is RasterBlock,
        [
            zero,
            flags,
            primitive_count,
            bin_words,
            clip,
            tiles,
            round,
            scale,
            translate,
            depth,
            shapes,
            colors,
            scalars,
            fog,
            clip_planes,
            texcoords,
            window_clips,
            stipple,
            counts
        ]
    );
    assert_layout!(
        "import package::raster::parameters::raster_source;",
        "Selection" is SelectionBlock,
        [viewport_output, layer_output, viewports, layers, layer, padding]
    );
    assert_layout!(
        "import package::raster::parameters::raster_source;",
        "Viewport" is ViewportBlock,
        [scale, translate, depth, clip]
    );
    assert_layout!(
        "import package::setup::primitive_setup::PrimitiveSetup;",
        "PrimitiveSetup" is PrimitiveSetup,
        [header, vertices, weights, perspective, depth, shares, span, edges]
    );
    // Two vec4u: the provoking vertex is the fourth component of the first, the flags of the second.
    assert_eq!(offset_of!(Primitive, provoking), 12);
    assert_eq!(offset_of!(Primitive, face), 16);
    assert_eq!(offset_of!(Primitive, flags), 28);
}

#[test]
fn the_layout_comparison_sees_a_moved_member() {
    let moved = "struct Moved { a: u32, c: vec4u, b: u32 }\n@group(0) @binding(0) var<storage> moved: Moved;";
    let (members, size) = layout(moved, "Moved");
    assert_eq!(members[1], ("c".to_owned(), 16));
    assert_eq!((members[2].1, size), (32, 48));
}
