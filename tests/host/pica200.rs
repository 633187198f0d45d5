//! Streams for the PICA200's vertex processor: each register must show in the draws that follow.

use curie::arith::ONE;
use curie::arith::vertex::VertexRuleSet;
use curie::capture::Record;
use curie::chip::Reason;
use curie::command::builder::{CaptureBuilder, StreamBuilder, THREE_D, handles};
use curie::command::list::describe_method;
use curie::command::methods::pica200_vertex as methods;
use curie::command::methods::three_d::{draw as draw_methods, vertex};
use curie::command::packet::MethodWrite;
use curie::isa::VertexMicrocode;
use curie::isa::pica_vertex::{FIRST_INTEGER, PicaShader};
use curie::listing::list_capture;
use curie::pipeline::{Draw, Elements, MappedComponent, OutputComponent, VertexAttribute};

use super::stream::{draws, reasons, run_with_class, three_d, triangle};

/// The class, which has no number of NVIDIA's.
const CLASS: u32 = 0xf1ca;
/// The subchannel of its object.
const PICA: u8 = 5;

/// A stream with objects of both classes, in configuration mode as after reset.
fn stream() -> StreamBuilder {
    let mut stream = three_d();
    stream.bind(PICA, CLASS, handles::object(CLASS));
    stream
}

/// Draws a triangle with the shader.
fn draw(stream: &mut StreamBuilder) {
    stream.method(PICA, methods::START_DRAW_FUNC0, 0);
    triangle(stream);
    stream.method(PICA, methods::START_DRAW_FUNC0, 1);
}

/// The draw of a stream that nothing refuses.
fn only_draw(stream: StreamBuilder) -> Draw {
    let (chip, engine) = run_with_class(CLASS, stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [draw] = draws(&engine)[..] else { panic!("one draw") };
    draw.clone()
}

fn shader(draw: &Draw) -> (&PicaShader, u16) {
    let microcode = draw.vertex.vec4().map(|stage| &stage.microcode);
    let Some(VertexMicrocode::Pica200 { shader, entry }) = microcode else { panic!("a shader") };
    (shader, *entry)
}

/// The shader after some methods, and the anomalies without those of the draw.
fn refused(stream: &dyn Fn(&mut StreamBuilder)) -> (Draw, Vec<(u16, Reason)>) {
    let mut built = self::stream();
    stream(&mut built);
    draw(&mut built);
    let (chip, engine) = run_with_class(CLASS, built);
    let anomalies = reasons(&chip).into_iter().map(|(class, method, reason)| {
        assert_eq!(class, CLASS);
        (method, reason)
    });
    (draws(&engine)[0].clone(), anomalies.collect())
}

#[test]
fn draws_run_the_shader_in_drawing_mode() {
    let mut stream = stream();
    triangle(&mut stream);
    draw(&mut stream);
    triangle(&mut stream);
    let (chip, engine) = run_with_class(CLASS, stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let is_pica = |draw: &&Draw| matches!(draw.vertex.vec4().unwrap().microcode, VertexMicrocode::Pica200 { .. });
    let draws = draws(&engine);
    assert_eq!(draws.iter().map(is_pica).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(
        (draws[1].vertex.vec4().unwrap().rules, draws[1].vertex.vec4().unwrap().output_map.is_some()),
        (VertexRuleSet::Pica200, true)
    );
    assert!(draws[0].vertex.vec4().unwrap().output_map.is_none() && draws[2].vertex == draws[0].vertex);
}

#[test]
fn code_and_descriptors_advance_with_each_word() {
    let mut stream = stream();
    stream.method(PICA, methods::VSH_CODETRANSFER_INDEX, 510);
    // Any of the eight addresses takes the next word.
    stream.methods(PICA, methods::VSH_CODETRANSFER_DATA + 24, &[11, 12]);
    stream.method(PICA, methods::VSH_CODETRANSFER_INDEX, 3);
    stream.repeated(PICA, methods::VSH_CODETRANSFER_DATA, &[13, 14]);
    stream.method(PICA, methods::VSH_CODETRANSFER_END, 1);
    stream.method(PICA, methods::VSH_OPDESCS_INDEX, 126);
    stream.methods(PICA, methods::VSH_OPDESCS_DATA, &[21, 22]);
    stream.method(PICA, methods::VSH_ENTRYPOINT, 0x7fff_01ff);
    draw(&mut stream);
    let draw = only_draw(stream);
    let (shader, entry) = shader(&draw);
    assert_eq!((shader.code.len(), shader.descriptors.len(), entry), (512, 128, 511));
    assert_eq!((&shader.code[..6], &shader.code[509..]), (&[0, 0, 0, 13, 14, 0][..], &[0, 11, 12][..]));
    assert_eq!(shader.descriptors[125..], [0, 21, 22]);
}

#[test]
fn words_beyond_the_stores_are_dropped() {
    let (draw, anomalies) = refused(&|stream| {
        stream.method(PICA, methods::VSH_CODETRANSFER_INDEX, 511);
        stream.methods(PICA, methods::VSH_CODETRANSFER_DATA, &[1, 2]);
        stream.method(PICA, methods::VSH_OPDESCS_INDEX, 127);
        stream.methods(PICA, methods::VSH_OPDESCS_DATA, &[3, 4]);
        stream.method(PICA, methods::VSH_FLOATUNIFORM_INDEX, 95);
        stream.repeated(PICA, methods::VSH_FLOATUNIFORM_DATA, &[0, 0, 0x3f_0000, 5, 5, 5]);
    });
    let dropped = [methods::VSH_FLOATUNIFORM_DATA, methods::VSH_CODETRANSFER_DATA + 4, methods::VSH_OPDESCS_DATA + 4];
    assert_eq!(anomalies, dropped.map(|method| (method, Reason::IllegalValue)));
    let (shader, _) = shader(&draw);
    assert_eq!((shader.code[511], shader.code[0], shader.descriptors[127], shader.descriptors[0]), (1, 0, 3, 0));
    assert_eq!(draw.vertex.vec4().unwrap().constants[95], [ONE, 0, 0, 0]);
    assert_eq!(draw.vertex.vec4().unwrap().constants[96..], [[0; 4]; 4], "integers are not floats");
}

/// Expected: c = (1, −2, 0.5, 1.5), in 24-bit floats 3f0000, c00000, 3e0000, 3f8000.
#[test]
fn float_registers_take_packed_words_and_singles() {
    let vector = [1.0f32, -2.0, 0.5, 1.5].map(f32::to_bits);
    let mut stream = stream();
    stream.method(PICA, methods::VSH_FLOATUNIFORM_INDEX, 5);
    let packed = [0x3f80_003e, 0x0000_c000, 0x003f_0000];
    stream.methods(PICA, methods::VSH_FLOATUNIFORM_DATA, &[packed, packed].concat());
    // From the index on, as libctru sends them: mode of singles, w first.
    let single = [1.5f32, 0.5, -2.0, 1.0].map(f32::to_bits);
    stream.methods(PICA, methods::VSH_FLOATUNIFORM_INDEX, &[vec![0x8000_0008], single.to_vec()].concat());
    stream.floats(PICA, methods::VSH_FLOATUNIFORM_DATA, &[4.0, 3.0, 2.0, 1.000_007_6]);
    draw(&mut stream);
    let draw = only_draw(stream);
    let constants = &draw.vertex.vec4().unwrap().constants;
    assert_eq!(constants[4..8], [[0; 4], vector, vector, [0; 4]]);
    assert_eq!(constants[8..11], [vector, [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits), [0; 4]], "2⁻¹⁷ is truncated");
}

#[test]
fn integers_and_booleans() {
    let mut stream = stream();
    stream.methods(PICA, methods::VSH_INTUNIFORM, &[0x0403_0201, 0, 0, 0xff00_80fe]);
    stream.method(PICA, methods::VSH_BOOLUNIFORM, 0x7fff_8001);
    draw(&mut stream);
    let draw = only_draw(stream);
    let vertex = draw.vertex.vec4().unwrap();
    assert_eq!(vertex.constants[usize::from(FIRST_INTEGER)..], [[1, 2, 3, 4], [0; 4], [0; 4], [0xfe, 0x80, 0, 0xff]]);
    assert_eq!(vertex.booleans, 0x8001);
}

/// Three attributes with these values in their x, which a draw reads as constants.
fn attributes(stream: &mut StreamBuilder) {
    for (attribute, value) in [(1u16, 1.0f32), (2, 2.0), (9, 9.0)] {
        stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * attribute, &[value, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn attributes_go_to_the_registers_of_the_permutation() {
    let mut stream = stream();
    attributes(&mut stream);
    // Attribute 0 to v15, 1 to v7, 2 to v0; 3 to 8 and 10 to v14; 9 to v3; no more than eleven attributes.
    stream.methods(PICA, methods::VSH_ATTRIBUTES_PERMUTATION_LOW, &[0xeeee_e07f, 0x1111_1e3e]);
    stream.method(PICA, methods::VSH_INPUTBUFFER_CONFIG, 0xa000_000a);
    draw(&mut stream);
    stream.method(PICA, methods::START_DRAW_FUNC0, 0);
    stream.method(THREE_D, draw_methods::VERTEX_BEGIN_END, 1);
    stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[5.0, 0.0, 0.0, 1.0]);
    stream.method(THREE_D, draw_methods::VERTEX_BEGIN_END, 0);
    let (chip, engine) = run_with_class(CLASS, stream);
    assert!(chip.anomalies().is_empty(), "{:?}", reasons(&chip));
    let [arrays, immediate] = draws(&engine)[..] else { panic!("two draws") };
    let value = |x: f32| [x.to_bits(), 0, 0, ONE];
    let constants = arrays.input.attributes.map(|attribute| match attribute {
        VertexAttribute::Constant(value) => value,
        VertexAttribute::Array { .. } => panic!("no array"),
    });
    assert_eq!([0, 3, 7].map(|register| constants[register]), [2.0, 9.0, 1.0].map(value));
    // No attribute is loaded into v1, although one that is not loaded names it.
    assert_eq!((constants[1], constants[2]), ([0; 4], [0; 4]));
    let Elements::Immediate(vertices) = &immediate.elements else { panic!("immediate") };
    assert_eq!(
        [15, 0, 3, 7, 1].map(|register| vertices[0][register]),
        [value(5.0), value(2.0), value(9.0), value(1.0), [0; 4]]
    );
}

#[test]
fn outputs_go_where_their_semantics_say() {
    let mut stream = stream();
    stream.method(PICA, methods::VSH_OUTMAP_MASK, 1 << 2 | 1 << 8);
    stream.method(PICA, methods::SH_OUTMAP_TOTAL, 2);
    // o2 is the position, backward; o8 is green, texcoord1.v and two unused components.
    stream.methods(PICA, methods::SH_OUTMAP, &[0x0001_0203, 0x1f1f_0f09, 0x0302_0100]);
    draw(&mut stream);
    let draw = only_draw(stream);
    let map = draw.vertex.vec4().unwrap().output_map.unwrap();
    let output = |register, component| OutputComponent { slot: register, component };
    assert_eq!(map.0[0], [3, 2, 1, 0].map(|component| MappedComponent::Output(output(2, component))));
    let color = usize::from(draw.outputs.colors[0].unwrap());
    assert_eq!(map.0[color][1], MappedComponent::Color(output(8, 0)));
    let coordinate = usize::from(draw.outputs.texture_coordinates[1].unwrap());
    assert_eq!(map.0[coordinate][..2], [MappedComponent::One, MappedComponent::Output(output(8, 1))]);
    assert_eq!(map.sources(u16::MAX), 1 << 2 | 1 << 8);
}

#[test]
fn values_that_the_chip_cannot_take_are_dropped() {
    let writes = [
        (methods::SH_OUTMAP_TOTAL, 8),
        (methods::SH_OUTMAP + 24, 0x1f1f_1f11),
        (methods::START_DRAW_FUNC0, 2),
        // An attribute count above sixteen, a geometry shader, and subdivision.
        (methods::VSH_INPUTBUFFER_CONFIG, 0xa000_0010),
        (methods::VSH_INPUTBUFFER_CONFIG, 0x0800_0000),
        (methods::VSH_INPUTBUFFER_CONFIG, 0xa000_0100),
        (methods::VSH_ENTRYPOINT, 0x7fff_0200),
        (methods::VSH_OUTMAP_MASK, 0x1_0000),
        (methods::VSH_FLOATUNIFORM_INDEX, 0x4000_0000),
        (methods::VSH_CODETRANSFER_INDEX, 0x1000),
        (methods::VSH_OPDESCS_INDEX, 0x1000),
    ];
    let (plain, none) = refused(&|_| {});
    assert_eq!(none, []);
    for (method, value) in writes {
        let (draw, anomalies) = refused(&|stream| {
            stream.method(PICA, method, value);
        });
        assert_eq!(anomalies, [(method, Reason::IllegalValue)], "{value:#x}");
        assert_eq!(draw.vertex, plain.vertex, "{method:#x} {value:#x}");
    }
    // A register of the rasterizer, which the class does not have.
    let (_, anomalies) = refused(&|stream| {
        stream.method(PICA, 4 * 0x4d, 0);
    });
    assert_eq!(anomalies, [(4 * 0x4d, Reason::UnknownMethod)]);
}

#[test]
fn listings_name_registers_and_fields() {
    let line = |method, value| {
        describe_method(Some(CLASS), MethodWrite { subchannel: PICA, method, value, begins_packet: true })
    };
    assert_eq!(
        line(methods::SH_OUTMAP + 4, 0x1f10_0d0c),
        "5 f1ca SH_OUTMAP[1] = 0x1f100d0c  x=TEXCOORD0_U y=TEXCOORD0_V z=TEXCOORD0_W w=UNUSED"
    );
    assert_eq!(line(methods::START_DRAW_FUNC0, 0), "5 f1ca START_DRAW_FUNC0 = 0x00000000  mode=DRAW");
    assert_eq!(
        line(methods::VSH_INTUNIFORM + 12, 0x0403_02ff),
        "5 f1ca VSH_INTUNIFORM[3] = 0x040302ff  x=255 y=2 z=3 w=4"
    );
    assert_eq!(
        line(methods::VSH_FLOATUNIFORM_INDEX, 0x8000_005f),
        "5 f1ca VSH_FLOATUNIFORM_INDEX = 0x8000005f  register=95 is_single=1"
    );
}

#[test]
fn listings_show_the_shader_of_a_draw() {
    let mut stream = stream();
    stream.method(PICA, methods::VSH_CODETRANSFER_INDEX, 2);
    // NOP, END.
    stream.methods(PICA, methods::VSH_CODETRANSFER_DATA, &[0x8400_0000, 0x8800_0000]);
    stream.method(PICA, methods::VSH_ENTRYPOINT, 0x7fff_0002);
    draw(&mut stream);
    let mut builder = CaptureBuilder::new();
    builder.record(Record::Object { handle: handles::object(CLASS), class: CLASS });
    builder.submit(stream);
    let mut text = Vec::new();
    list_capture(&builder.finish(), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("5 f1ca VSH_ENTRYPOINT = 0x7fff0002  word=2 mask=0x7fff\n"), "{text}");
    assert!(text.contains("    vertex program at slot 2:\n         2  nop\n         3  end\n"), "{text}");
}
