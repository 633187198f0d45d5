//! Runs handmade streams through the chip: each block of registers must show in the commands that follow.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::recorder::Recorder;
use curie::arith::vertex::VertexRuleSet;
use curie::capture::{Capture, Record};
use curie::chip::{Anomaly, Chip, ChipError, Reason};
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D, handles};
use curie::command::methods::three_d::{draw, program, raster, rop, sync, targets, texture, vertex};
use curie::command::methods::{memory_copy, nv20_three_d, puller, scaled_image, surfaces};
use curie::command::packet::PushError;
use curie::format::{AttributeFormat, ColorFormat, ImageFormat, VertexFormat};
use curie::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    BlendFactor, BorderColor, Compare, Draw, Elements, GpuCommand, ImageSource, IndexType, MAX_COLOR_TARGETS,
    PrimitiveType, Rect, StencilOp, SurfaceLayout, TextureLayout, VertexAttribute,
};

const VRAM_BYTES: u32 = 256 << 20;

/// The commands of one stream, after the buffers of the capture.
pub(super) fn run(stream: StreamBuilder) -> (Chip, Recorder) {
    let mut builder = CaptureBuilder::new();
    builder.submit(stream);
    replay(&builder.finish()).unwrap()
}

/// As [`run`], with an object of a class.
pub(super) fn run_with_class(class: u32, stream: StreamBuilder) -> (Chip, Recorder) {
    let mut builder = CaptureBuilder::new();
    builder.record(Record::Object { handle: handles::object(class), class });
    builder.submit(stream);
    replay(&builder.finish()).unwrap()
}

pub(super) fn replay(capture: &Capture) -> Result<(Chip, Recorder), ChipError> {
    let mut chip = chip_of(&capture.header).unwrap();
    let mut engine = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
    for record in &capture.records {
        chip.apply(record, &mut engine)?;
    }
    Ok((chip, engine))
}

/// The 3D object with its DMA slots and a linear 64×32 target.
pub(super) fn three_d() -> StreamBuilder {
    let mut stream = StreamBuilder::new();
    stream.bind_three_d();
    stream.methods(THREE_D, targets::RT_HORIZ, &[64 << 16, 32 << 16, 0x148, 256, 0x10_0020, 0x20_0000]);
    stream.method(THREE_D, targets::ZETA_PITCH, 256);
    stream
}

pub(super) fn draws(engine: &Recorder) -> Vec<&Draw> {
    let mut draws = Vec::new();
    for command in &engine.work {
        if let GpuCommand::Draw(draw) = command {
            draws.push(&**draw);
        }
    }
    draws
}

fn only_draw(engine: &Recorder) -> &Draw {
    let draws = draws(engine);
    assert_eq!(draws.len(), 1);
    draws[0]
}

pub(super) fn triangle(stream: &mut StreamBuilder) {
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 5);
    stream.method(THREE_D, draw::VB_VERTEX_BATCH, 2 << 24);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
}

pub(super) fn reasons(chip: &Chip) -> Vec<(u32, u16, Reason)> {
    chip.anomalies().iter().map(|(anomaly, _)| (anomaly.class, anomaly.method, anomaly.reason.clone())).collect()
}

#[test]
fn targets_scissor_and_viewport() {
    let mut stream = three_d();
    stream.methods(THREE_D, raster::SCISSOR_HORIZ, &[10 | 20 << 16, 4 | 100 << 16]);
    stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[32.0, 16.0, 0.5, 0.0, 32.0, -16.0, 0.5, 1.0]);
    triangle(&mut stream);
    let (chip, engine) = run(stream);
    let draw = only_draw(&engine);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let target = draw.targets.color[0].unwrap();
    assert_eq!(target.format, ColorFormat::A8R8G8B8);
    // The address is rounded down to 64 bytes and the window ends with VRAM.
    let start = 0x10_0000;
    assert_eq!(target.window, MemoryWindow { space: MemorySpace::Vram, start, bytes: VRAM_BYTES - start });
    assert_eq!(target.layout, SurfaceLayout::Linear { pitch_bytes: 256 });
    assert_eq!(draw.targets.color[1], None);
    assert_eq!(draw.raster.clip, Rect { x: 10, y: 4, width: 20, height: 28 });
    assert_eq!(draw.raster.window_clip, None, "seven of the rectangles cover everything");
    assert_eq!(draw.viewport.scale[1], (-16.0f32).to_bits());
    assert_eq!(draw.viewport.translate[0], 32.0f32.to_bits());
    let names: Vec<_> = chip.bound_surfaces().iter().map(|surface| (surface.name, surface.format.name())).collect();
    assert_eq!(names, [("color0", "A8R8G8B8"), ("zeta", "Z24S8")]);
}

/// A surface as its name, width, start and layout.
fn places(chip: &Chip) -> Vec<(&'static str, u32, u32, SurfaceLayout)> {
    let surfaces = chip.bound_surfaces().into_iter();
    surfaces.map(|it| (it.name, it.width, it.window.start, it.layout)).collect()
}

#[test]
fn depth_is_that_of_the_last_draw_that_used_depth() {
    const LINEAR: SurfaceLayout = SurfaceLayout::Linear { pitch_bytes: 256 };
    const SWIZZLED: SurfaceLayout = SurfaceLayout::swizzled(6, 5);
    let copy = |stream: &mut StreamBuilder| {
        // As Mesa copies a picture: new colors in another layout and size, without depth, whose address stays.
        stream.method(THREE_D, rop::DEPTH_TEST_ENABLE, 0);
        stream.methods(THREE_D, targets::RT_HORIZ, &[32 << 16, 16 << 16, 0x0506_0248, 256, 0x30_0000]);
        triangle(stream);
    };
    // Nothing has used depth: the bound surface, as the registers now give it.
    let mut stream = three_d();
    copy(&mut stream);
    let bound = [("color0", 32, 0x30_0000, SWIZZLED), ("zeta", 32, 0x20_0000, SWIZZLED)];
    assert_eq!(places(&run(stream).0), bound);
    // Any of the tests, and clears of depth or stencil, use it; a clear of colors does not.
    type Use = fn(&mut StreamBuilder);
    let uses: [(bool, Use); 5] = [
        (true, |stream| triangle(stream.method(THREE_D, rop::DEPTH_TEST_ENABLE, 1))),
        (true, |stream| {
            triangle(stream.method(THREE_D, rop::STENCIL_ENABLE, 1));
            stream.method(THREE_D, rop::STENCIL_ENABLE, 0);
        }),
        (true, |stream| {
            stream.method(THREE_D, targets::CLEAR_BUFFERS, 1);
        }),
        (true, |stream| {
            stream.method(THREE_D, targets::CLEAR_BUFFERS, 2);
        }),
        (false, |stream| {
            stream.method(THREE_D, targets::CLEAR_BUFFERS, 0xf0);
        }),
    ];
    for (number, (is_use, draw)) in uses.into_iter().enumerate() {
        let mut stream = three_d();
        draw(&mut stream);
        copy(&mut stream);
        let used = [("color0", 32, 0x30_0000, SWIZZLED), ("zeta", 64, 0x20_0000, LINEAR)];
        assert_eq!(places(&run(stream).0), if is_use { used } else { bound }, "use {number}");
    }
}

#[test]
fn depth_that_was_used_before_can_be_bound_again() {
    let mut stream = three_d();
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 1);
    stream.method(THREE_D, targets::ZETA_OFFSET, 0x40_0000);
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 1);
    let zeta = |stream: &StreamBuilder| places(&run(stream.clone()).0)[1].2;
    assert_eq!(zeta(&stream), 0x40_0000);
    stream.method(THREE_D, targets::ZETA_OFFSET, 0x20_0000);
    assert_eq!(zeta(&stream), 0x20_0000, "bound again");
    stream.method(THREE_D, targets::ZETA_OFFSET, 0x50_0000);
    assert_eq!(zeta(&stream), 0x40_0000, "never used");
    // Without any depth bound, there still is the one that was used.
    stream.method(THREE_D, sync::DMA_ZETA, handles::object(0x30));
    assert_eq!(zeta(&stream), 0x40_0000, "none bound");
}

#[test]
fn window_clip_rectangles_that_cut() {
    let mut stream = three_d();
    for index in 0..8 {
        stream.methods(THREE_D, targets::VIEWPORT_CLIP_HORIZ + index * 8, &[15 << 16, 15 << 16]);
    }
    triangle(&mut stream);
    let (_, engine) = run(stream);
    let clip = only_draw(&engine).raster.window_clip.clone().unwrap();
    assert!(!clip.is_exclusive);
    assert_eq!(clip.rects[7], Rect { x: 0, y: 0, width: 16, height: 16 });
}

#[test]
fn output_merger_state() {
    let mut stream = three_d();
    stream.methods(THREE_D, rop::BLEND_FUNC_ENABLE, &[1, 0x0302_0001, 0x1006_0303]);
    stream.method(THREE_D, targets::RT_ENABLE, 0x13);
    stream.method(THREE_D, rop::COLOR_MASK, 0x0001_0100);
    stream.method(THREE_D, rop::MRT_COLOR_MASK, 0x0020);
    stream.methods(THREE_D, rop::STENCIL_ENABLE, &[1, 0x0f, 0x202, 5, 0xf0, 0x1e01, 0x8507, 0x150a]);
    stream.methods(THREE_D, rop::DEPTH_FUNC, &[4, 0, 1]);
    triangle(&mut stream);
    stream.methods(THREE_D, rop::STENCIL_ENABLE + 32, &[1, 0xff, 0x205]);
    stream.method(THREE_D, rop::DEPTH_FUNC + 8, 0);
    triangle(&mut stream);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [first, second] = draws(&engine)[..] else { panic!("two draws") };
    let rop = &first.rop;
    let blend = rop.blend[0].unwrap();
    assert_eq!(rop.blend[1..], [None; MAX_COLOR_TARGETS - 1]);
    assert_eq!(blend.source, [BlendFactor::One, BlendFactor::SourceAlpha]);
    assert_eq!(blend.destination, [BlendFactor::OneMinusSourceAlpha, BlendFactor::OneMinusSourceAlpha]);
    // Red and green of target 0; red of target 1.
    assert_eq!(rop.color_mask[..2], [0b0011, 0b0001]);
    let [front, back] = rop.stencil.unwrap();
    assert_eq!(front, back, "one-sided");
    assert_eq!((front.compare, front.reference, front.compare_mask, front.write_mask), (Compare::Equal, 5, 0xf0, 0x0f));
    assert_eq!(
        (front.fail, front.depth_fail, front.pass),
        (StencilOp::Replace, StencilOp::IncrementWrap, StencilOp::Invert)
    );
    let depth = rop.depth_test.unwrap();
    assert_eq!((depth.compare, depth.writes), (Compare::LessEqual, false), "4 is Direct3D's LEQUAL");
    assert_eq!(second.rop.stencil.unwrap()[1].compare, Compare::NotEqual);
    assert_eq!(second.rop.depth_test, None);
}

#[test]
fn arrays_and_current_attributes() {
    let mut stream = three_d();
    stream.method(THREE_D, vertex::VTXBUF + 4, 0x8000_0100);
    stream.method(THREE_D, vertex::VTXFMT + 4, 0x1832);
    stream.method(THREE_D, vertex::VTXFMT + 8, 0x1044);
    stream.method(THREE_D, program::VP_ATTRIB_EN, 0b1010);
    stream.method(THREE_D, vertex::VTX_ATTR_4UB + 12, 0xff00_00ff);
    stream.method(THREE_D, vertex::VB_ELEMENT_BASE, 3);
    triangle(&mut stream);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 4);
    stream.methods(THREE_D, draw::VB_ELEMENT_U32, &[7]);
    stream.repeated(THREE_D, draw::VB_ELEMENT_U16, &[0x0002_0001]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [first, second] = draws(&engine)[..] else { panic!("two draws") };
    assert_eq!(first.elements, Elements::Ranges(vec![(0, 3)]));
    assert_eq!(first.input.base_index, 0);
    let VertexAttribute::Array { window, format, stride, .. } = first.input.attributes[1] else { panic!("an array") };
    assert_eq!((window.space, window.start), (MemorySpace::Gart, 0x100));
    assert_eq!((format, stride), (AttributeFormat::Nv40 { components: VertexFormat::F32, size: 3 }, 0x18));
    // Attribute 2 has an array, but the program does not read it; attribute 3 was sent as bytes.
    assert!(matches!(first.input.attributes[2], VertexAttribute::Constant(_)));
    let one = 1.0f32.to_bits();
    assert_eq!(first.input.attributes[3], VertexAttribute::Constant([one, 0, 0, one]));
    assert_eq!(second.elements, Elements::Inline(vec![7, 1, 2]));
    assert_eq!((second.input.base_index, second.primitive), (3, PrimitiveType::LineStrip));
}

#[test]
fn index_buffers_and_restart() {
    let mut stream = three_d();
    stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[0x400, 0x10]);
    stream.methods(THREE_D, draw::PRIMITIVE_RESTART_ENABLE, &[1, 0xffff]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 6);
    stream.repeated(THREE_D, draw::VB_INDEX_BATCH, &[0xff00_0000, 0x0500_0100]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (_, engine) = run(stream);
    let draw = only_draw(&engine);
    let Elements::Buffer { window, index_type, ranges } = &draw.elements else { panic!("an index buffer") };
    assert_eq!((window.space, window.start, *index_type), (MemorySpace::Vram, 0x400, IndexType::U16));
    assert_eq!(*ranges, [(0, 256 + 6)], "batches that continue are one range");
    assert_eq!(draw.input.restart_index, Some(0xffff));
}

#[test]
fn attribute_zero_makes_vertices() {
    let mut stream = three_d();
    stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 48, &[1.0, 2.0, 3.0, 4.0]);
    stream.floats(THREE_D, vertex::VTX_ATTR_2F_X, &[9.0, 9.0]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 1);
    stream.floats(THREE_D, vertex::VTX_ATTR_3F_X, &[5.0, 6.0, 7.0]);
    stream.method(THREE_D, vertex::VTX_ATTR_2I, 0xffff_0002);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (_, engine) = run(stream);
    let Elements::Immediate(vertices) = &only_draw(&engine).elements else { panic!("whole vertices") };
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    assert_eq!(vertices.len(), 2, "the one outside BEGIN and END makes none");
    assert_eq!(vertices[0][0], bits([5.0, 6.0, 7.0, 1.0]));
    assert_eq!(vertices[0][3], bits([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(vertices[1][0], bits([2.0, -1.0, 0.0, 1.0]));
}

#[test]
fn packed_vertices_are_split_by_the_enabled_arrays() {
    let mut stream = three_d();
    stream.method(THREE_D, vertex::VTXFMT, 0x22);
    stream.method(THREE_D, vertex::VTXFMT + 8, 0x34);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 1);
    let words = [1.0f32.to_bits(), 2.0f32.to_bits(), 0x00ff_0000, 3.0f32.to_bits(), 4.0f32.to_bits(), 0xff];
    stream.repeated(THREE_D, draw::VERTEX_DATA, &words);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (_, engine) = run(stream);
    let Elements::Immediate(vertices) = &only_draw(&engine).elements else { panic!("whole vertices") };
    let bits = |values: [f32; 4]| values.map(f32::to_bits);
    assert_eq!([vertices[0][0], vertices[0][2]], [bits([1.0, 2.0, 0.0, 1.0]), bits([0.0, 0.0, 1.0, 1.0])]);
    assert_eq!([vertices[1][0], vertices[1][2]], [bits([3.0, 4.0, 0.0, 1.0]), bits([1.0, 0.0, 0.0, 1.0])]);
}

#[test]
fn a_restart_index_between_packed_vertices_starts_another_primitive() {
    let mut stream = three_d();
    stream.method(THREE_D, vertex::VTXFMT, 0x12);
    stream.methods(THREE_D, draw::PRIMITIVE_RESTART_ENABLE, &[1, 0xffff]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 4);
    stream.repeated(THREE_D, draw::VERTEX_DATA, &[1, 2]);
    stream.method(THREE_D, draw::VB_ELEMENT_U32, 0xffff);
    stream.repeated(THREE_D, draw::VERTEX_DATA, &[3, 4, 5]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let xs = |draw: &&Draw| match &draw.elements {
        Elements::Immediate(vertices) => vertices.iter().map(|vertex| vertex[0][0]).collect(),
        _ => vec![],
    };
    assert_eq!(draws(&engine).iter().map(xs).collect::<Vec<_>>(), [vec![1, 2], vec![3, 4, 5]]);
}

#[test]
fn uploads_continue_from_packet_to_packet() {
    let mut stream = three_d();
    stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 5);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[1, 2, 3, 4]);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[5, 6, 7, 8]);
    stream.method(THREE_D, program::VP_START_FROM_ID, 5);
    stream.methods(THREE_D, program::VP_UPLOAD_CONST_ID, &[10]);
    stream.methods(THREE_D, program::VP_UPLOAD_CONST, &[1, 2, 3, 4, 5, 6, 7, 8]);
    stream.methods(THREE_D, program::VP_UPLOAD_CONST, &[9, 9, 9, 9]);
    stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, 0x1_0042);
    stream.method(THREE_D, program::FP_CONTROL, 0x0200_00ce);
    triangle(&mut stream);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let draw = only_draw(&engine);
    let VertexMicrocode::Nv(NvMicrocode { isa: NvVertexIsa::Nv40, slots, start }) =
        &draw.vertex.vec4().unwrap().microcode
    else {
        panic!("a draw of NV40")
    };
    assert_eq!((&slots[5..7], *start), (&[[1, 2, 3, 4], [5, 6, 7, 8]][..], 5));
    assert_eq!(draw.vertex.vec4().unwrap().constants[10..13], [[1, 2, 3, 4], [5, 6, 7, 8], [9, 9, 9, 9]]);
    assert_eq!(draw.vertex.vec4().unwrap().rules, VertexRuleSet::Nv40Modern);
    let fragment = draw.fragment.vec4().unwrap();
    assert_eq!((fragment.program.space, fragment.program.start), (MemorySpace::Gart, 0x1_0040));
    assert!(fragment.exports_depth && fragment.has_full_outputs && fragment.uses_kill);
}

#[test]
fn a_vertex_engine_of_nv20_replaces_the_program_while_it_is_selected() {
    const VERTEX_ENGINE: u8 = 5;
    let mut stream = three_d();
    stream.bind(VERTEX_ENGINE, 0x0097, handles::object(0x0097));
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_FROM_ID, 134);
    stream.methods(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_INST, &[1, 2, 3, 4, 5, 6, 7, 8]);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_START_FROM_ID, 135);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_CONST_ID, 191);
    stream.methods(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_CONST, &[9, 8, 7, 6]);
    stream.method(VERTEX_ENGINE, nv20_three_d::ENGINE, 2);
    triangle(&mut stream);
    stream.method(VERTEX_ENGINE, nv20_three_d::ENGINE, 0);
    triangle(&mut stream);
    let (chip, engine) = run_with_class(0x0097, stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [nv20, nv40] = draws(&engine).try_into().unwrap();
    let VertexMicrocode::Nv(NvMicrocode { isa: NvVertexIsa::Nv20, slots, start }) =
        &nv20.vertex.vec4().unwrap().microcode
    else {
        panic!("a draw of NV20")
    };
    assert_eq!((slots.len(), &slots[134..], *start), (136, &[[1, 2, 3, 4], [5, 6, 7, 8]][..], 135));
    assert_eq!(
        (nv20.vertex.vec4().unwrap().constants.len(), nv20.vertex.vec4().unwrap().constants[191]),
        (192, [9, 8, 7, 6])
    );
    assert_eq!(
        (nv20.vertex.vec4().unwrap().rules, nv20.vertex.vec4().unwrap().indexed_constants),
        (VertexRuleSet::Nv40Legacy, (0, 191))
    );
    // oD0, oD1, oB0, oB1 are 3, 4, 7, 8; oT0 to oT3 are 9 to 12.
    assert_eq!(nv20.outputs.colors, [3, 4, 7, 8].map(Some));
    assert_eq!(nv20.outputs.texture_coordinates[..5], [Some(9), Some(10), Some(11), Some(12), None]);
    assert!(matches!(
        nv40.vertex.vec4().unwrap().microcode,
        VertexMicrocode::Nv(NvMicrocode { isa: NvVertexIsa::Nv40, .. })
    ));
}

#[test]
fn a_vertex_engine_of_nv20_has_no_more_slots_than_the_chip() {
    const VERTEX_ENGINE: u8 = 5;
    let mut stream = three_d();
    stream.bind(VERTEX_ENGINE, 0x0097, handles::object(0x0097));
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_FROM_ID, 136);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_INST, 1);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_START_FROM_ID, 136);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_CONST_ID, 192);
    stream.method(VERTEX_ENGINE, nv20_three_d::VP_UPLOAD_CONST, 1);
    stream.method(VERTEX_ENGINE, 0x200, 1);
    let (chip, _) = run_with_class(0x0097, stream);
    let illegal = |method| Anomaly { class: 0x0097, method, reason: Reason::IllegalValue };
    for anomaly in [
        illegal(nv20_three_d::VP_UPLOAD_INST),
        illegal(nv20_three_d::VP_START_FROM_ID),
        illegal(nv20_three_d::VP_UPLOAD_CONST),
        Anomaly { class: 0x0097, method: 0x200, reason: Reason::UnknownMethod },
    ] {
        assert!(chip.anomalies().iter().any(|(known, _)| *known == anomaly), "{anomaly}");
    }
}

#[test]
fn texture_units() {
    let mut stream = three_d();
    let base = texture::TEX_OFFSET + 0x20 * 9;
    stream.methods(
        THREE_D,
        base,
        &[0x4000, 0x0001_a52a, 0x0001_0302, 0x8000_8030, 0xaae4, 0x1206_3f80, 100 << 16 | 50, 0xff],
    );
    stream.method(THREE_D, texture::TEX_SIZE1 + 4 * 9, 0x0010_0180);
    triangle(&mut stream);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let draw = only_draw(&engine);
    assert!(draw.textures[..9].iter().all(Option::is_none));
    let unit = draw.textures[9].as_ref().unwrap();
    assert_eq!((unit.view.window.space, unit.view.window.start), (MemorySpace::Gart, 0x4000));
    assert_eq!(
        (unit.view.size, unit.view.layout, unit.view.levels),
        ([100, 50, 1], TextureLayout::Linear { pitch_bytes: 0x180 }, 1)
    );
    assert!(!unit.view.is_unnormalized && !unit.view.has_border_texels);
    assert_eq!(
        (unit.sampler.lod_bias, unit.sampler.min_lod, unit.sampler.max_lod, unit.sampler.max_anisotropy),
        (-128, 0, 0x100, 6)
    );
    // Bit 28 is the sign of alpha.
    assert_eq!((unit.view.signed, unit.sampler.border_color), ([false, false, false, true], BorderColor::Argb8(0xff)));
}

#[test]
fn clears() {
    let mut stream = three_d();
    stream.methods(THREE_D, targets::CLEAR_DEPTH_VALUE, &[0xffff_ff07, 0x1122_3344, 0xf2]);
    stream.methods(THREE_D, targets::CLEAR_RECT_HORIZ, &[8 | 15 << 16, 7 << 16]);
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 0x21);
    let (_, engine) = run(stream);
    let clears: Vec<_> = engine
        .work
        .iter()
        .filter_map(|command| match command {
            GpuCommand::Clear(clear) => Some(clear),
            _ => None,
        })
        .collect();
    let [first, second] = clears[..] else { panic!("two clears") };
    assert_eq!((first.color, first.zeta, first.color_mask), ([0x1122_3344; 4], [0xffff_ff07, 0], 0xf));
    assert!(!first.clears_depth && first.clears_stencil);
    assert_eq!(first.rect, Rect { x: 0, y: 0, width: 64, height: 32 });
    assert_eq!((second.color_mask, second.clears_depth), (2, true));
    assert_eq!(second.rect, Rect { x: 8, y: 0, width: 8, height: 8 });
}

#[test]
fn copies_and_images() {
    let mut stream = StreamBuilder::new();
    stream.bind(2, 0x39, handles::object(0x39));
    stream.methods(2, memory_copy::DMA_BUFFER_IN, &[handles::GART, handles::VRAM]);
    stream.methods(2, memory_copy::OFFSET_IN, &[0x100, 0x200, 64, 128, 48, 3, 0x101, 0]);
    stream.bind(3, 0x309e, handles::object(0x309e));
    stream.method(3, surfaces::swizzled::DMA_IMAGE, handles::VRAM);
    stream.methods(3, surfaces::swizzled::FORMAT, &[0x0504_000a, 0x8000]);
    stream.bind(4, 0x3089, handles::object(0x3089));
    stream.method(4, scaled_image::DMA_IMAGE, handles::GART);
    stream.method(4, scaled_image::SURFACE, handles::object(0x309e));
    stream.methods(
        4,
        scaled_image::COLOR_FORMAT,
        &[3, 3, 0xffff_0001, 16 | 32 << 16, 0, 16 | 32 << 16, 1 << 20, 1 << 20],
    );
    stream.methods(4, scaled_image::SIZE, &[16 | 32 << 16, 0x0001_0040, 0x9000, 0]);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [GpuCommand::CopyMemory(copy), GpuCommand::ScaleImage(image)] = &engine.work[..] else {
        panic!("{:?}", engine.work)
    };
    assert_eq!((copy.source.space, copy.source.start), (MemorySpace::Gart, 0x100));
    assert_eq!((copy.destination.space, copy.destination.start), (MemorySpace::Vram, 0x200));
    assert_eq!((copy.source_pitch, copy.destination_pitch, copy.line_length, copy.line_count), (64, 128, 48, 3));
    let ImageSource::Memory(source) = image.source else { panic!("{image:?}") };
    assert_eq!((source.start, image.source_pitch, image.source_format), (0x9000, 64, ImageFormat::A8R8G8B8));
    assert_eq!(image.destination_layout, SurfaceLayout::swizzled(4, 5));
    assert_eq!((image.out_size, image.clip_point, image.source_size), ([16, 32], [1, -1], [16, 32]));
    assert!(!image.origin_is_corner && !image.is_bilinear);
}

#[test]
fn fences_reports_and_conditional_rendering() {
    let mut stream = three_d();
    stream.methods(THREE_D, sync::FENCE_OFFSET, &[0x10, 77]);
    stream.method(THREE_D, sync::QUERY_RESET, 1);
    stream.method(THREE_D, sync::QUERY_GET, 0x0100_0020);
    stream.method(THREE_D, sync::RENDER_ENABLE, 0x0200_0020);
    triangle(&mut stream);
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 0xf3);
    stream.method(THREE_D, sync::RENDER_ENABLE, 0x0100_0000);
    triangle(&mut stream);
    stream.method(THREE_D, puller::REF_CNT, 12);
    let (chip, engine) = run(stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    assert_eq!(chip.reference_count(), 12);
    // The notifier buffer is the first of GART, at 1 MiB: fences at its start, reports 0x40 bytes later.
    let window = |start, bytes| MemoryWindow { space: MemorySpace::Gart, start, bytes };
    assert_eq!(engine.work[0], GpuCommand::WriteFence { window: window(0x10_0010, 4), value: 77 });
    assert_eq!(engine.work[1], GpuCommand::ResetSampleCounter);
    let GpuCommand::WriteReport { window: place, report } = engine.work[2] else { panic!("a report") };
    assert_eq!(place, window(0x10_0060, 16));
    assert!(report.words[0] > 0 && report.place == 2);
    assert_eq!(engine.work.len(), 4, "the first draw and the clear are skipped: the report says zero");
}

#[test]
fn anomalies_are_counted_and_strict_makes_them_errors() {
    let mut stream = three_d();
    stream.method(THREE_D, 0x0154, 1);
    stream.method(THREE_D, rop::DEPTH_FUNC, 99);
    stream.method(5, 0x200, 1);
    stream.method(THREE_D, draw::VB_VERTEX_BATCH, 0);
    stream.method(THREE_D, sync::DMA_ZETA, 0x1234);
    stream.bind(6, 0x1111, 0x4321);
    let mut builder = CaptureBuilder::new();
    builder.record(Record::Object { handle: 0x4321, class: 0x1111 });
    stream.bind(6, 0x1111, 0x4321);
    stream.method(6, 0x300, 0);
    builder.submit(stream);
    let capture = builder.finish();
    let (chip, _) = replay(&capture).unwrap();
    assert_eq!(
        reasons(&chip),
        [
            (0, 0x200, Reason::EmptySubchannel),
            (0x1111, 0x300, Reason::UnknownClass),
            (0x4097, 0x154, Reason::UnknownMethod),
            (0x4097, 0x198, Reason::UnknownHandle),
            (0x4097, 0xa6c, Reason::IllegalValue),
            (0x4097, 0x1814, Reason::DroppedDraw("no primitive has begun")),
        ]
    );
    let mut chip = chip_of(&capture.header).unwrap().strict(true);
    let mut engine = Recorder::new(capture.header.vram_bytes, capture.header.gart_bytes);
    let error = capture.records.iter().find_map(|record| chip.apply(record, &mut engine).err()).unwrap();
    assert_eq!(error.to_string(), "class 0x4097 method 0x0154: unknown method (value 0x00000001)");
}

#[test]
fn a_primitive_with_too_many_elements_is_dropped() {
    let mut stream = three_d();
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 1);
    stream.repeated(THREE_D, draw::VB_VERTEX_BATCH, &vec![0xff00_0000; 65536]);
    stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    let (chip, engine) = run(stream);
    assert!(draws(&engine).is_empty());
    assert_eq!(reasons(&chip), [(0x4097, 0x1808, Reason::DroppedDraw("too many elements in one primitive"))]);
}

#[test]
fn jumps_lead_into_guest_memory() {
    let mut builder = CaptureBuilder::new();
    let code = builder.buffer(MemorySpace::Gart, 4096);
    let words = [0x0004_0000 | 0x50, 99, 0x0002_0000];
    builder.write(&code, &words.map(u32::to_le_bytes).concat());
    let mut stream = StreamBuilder::new().finish(0, 2);
    stream.pushes[0].words = vec![u32::try_from(code.offset).unwrap() | 2, 0x0004_0000 | 7 << 13, 5, 0x0002_0000];
    builder.record(Record::Submit(stream));
    let (chip, _) = replay(&builder.finish()).unwrap();
    assert_eq!(chip.reference_count(), 99);
    assert_eq!(reasons(&chip), [(0, 0, Reason::UnknownHandle)], "the words behind the call ran as well");
}

#[test]
fn jumps_in_a_circle_end_with_an_error() {
    let mut builder = CaptureBuilder::new();
    let mut submission = StreamBuilder::new().finish(3, 2);
    // The push buffer is the second buffer of GART, behind the page of notifiers.
    submission.pushes[0].words = vec![0x10_1001];
    builder.record(Record::Submit(submission));
    let error = replay(&builder.finish()).unwrap_err();
    let ChipError::Push { sequence, source } = error else { panic!("{error}") };
    assert_eq!(sequence, 3);
    assert!(matches!(source, PushError::Endless { get: 0x10_1000, .. }));
}

#[test]
fn moved_buffers_keep_their_bytes() {
    let mut builder = CaptureBuilder::new();
    let buffer = builder.buffer(MemorySpace::Gart, 8192);
    builder.write(&buffer, &[7; 8192]);
    let mut moved = buffer;
    moved.offset += 4096;
    builder.record(Record::MoveBuffer(moved));
    let mut again = moved;
    (again.domain, again.offset) = (2, 0x40_0000);
    builder.record(Record::MoveBuffer(again));
    builder.record(Record::CreateBuffer(moved));
    let (_, engine) = replay(&builder.finish()).unwrap();
    let window = |space, start: u64| MemoryWindow { space, start: u32::try_from(start).unwrap(), bytes: 8192 };
    assert!(engine.memory.slice(window(MemorySpace::Vram, 0x40_0000)).iter().all(|byte| *byte == 7));
    assert!(engine.memory.slice(window(MemorySpace::Gart, moved.offset)).iter().all(|byte| *byte == 0));
}

#[test]
fn impossible_memory_records_are_errors() {
    let mut builder = CaptureBuilder::new();
    let mut buffer = builder.buffer(MemorySpace::Vram, 4096);
    buffer.offset = u64::MAX - 5;
    let mut outside = builder.clone();
    outside.record(Record::CreateBuffer(buffer));
    assert!(matches!(replay(&outside.finish()), Err(ChipError::BufferOutside { .. })));
    let mut unknown = builder.clone();
    unknown.record(Record::Pages { handle: 99, first_page: 0, bytes: vec![0; 4096] });
    assert!(matches!(replay(&unknown.finish()), Err(ChipError::UnknownBuffer { tag: "PAGE", handle: 99 })));
    buffer.domain = 3;
    builder.record(Record::CreateBuffer(buffer));
    assert!(matches!(replay(&builder.finish()), Err(ChipError::Domain { domain: 3, .. })));
}
