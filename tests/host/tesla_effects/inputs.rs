//! Vertex attributes, arrays and indices.

use curie::format::TeslaVertexFormat;
use curie::pipeline::{AttributeWord, Elements, GpuCommand, VertexAttribute, VertexStage};

use super::super::tesla_draws::{Methods, STATE, TRIANGLE, VERTICES, draw};
use super::{commands, f, notes, place};

/// The constant value of attribute 5 behind methods of the one with this address, whose elements are so far apart.
fn constant(address: u32, stride: u32, words: &[u32]) -> [u32; 4] {
    let attribute = draw(&[(address + 5 * stride, words)]).input.attributes[5];
    let VertexAttribute::Constant(value) = attribute else { panic!("no array") };
    value
}

/// Half floats 1, 2, 3 and 4 in pairs.
const HALVES: [u32; 2] = [0x4000_3c00, 0x4400_4200];

#[test]
fn constants_of_attributes_are_converted() {
    let floats = [1.5, 2.5, 3.5, 4.5].map(f);
    let values = |values: [f32; 4]| values.map(f);
    assert_eq!(constant(0x300, 4, &floats[..1]), values([1.5, 0.0, 0.0, 1.0]));
    assert_eq!(constant(0x380, 8, &floats[..2]), values([1.5, 2.5, 0.0, 1.0]));
    assert_eq!(constant(0x400, 16, &floats[..3]), values([1.5, 2.5, 3.5, 1.0]));
    assert_eq!(constant(0x500, 16, &floats), floats);
    assert_eq!(constant(0x340, 4, &HALVES[..1]), values([1.0, 2.0, 0.0, 1.0]));
    assert_eq!(constant(0x600, 8, &HALVES), values([1.0, 2.0, 3.0, 4.0]));
    let integers = [0x8000_7fff, 0xfffe_0003];
    assert_eq!(constant(0x680, 4, &integers[..1]), values([32767.0, -32768.0, 0.0, 1.0]));
    assert_eq!(constant(0x700, 8, &integers), values([32767.0, -32768.0, 3.0, -2.0]));
    // The least integer is beyond −1, which is the least fraction.
    let fractions = [0x8000_7fff, 0x7fff_8001];
    assert_eq!(constant(0x6c0, 4, &fractions[..1]), values([1.0, -1.0, 0.0, 1.0]));
    assert_eq!(constant(0x780, 8, &fractions), values([1.0, -1.0, -1.0, 1.0]));
    assert_eq!(constant(0x800, 4, &[0xff80_0201]), values([1.0, 2.0, 128.0, 255.0]));
    assert_eq!(constant(0x840, 4, &[0xff80_7f01]), values([1.0, 127.0, -128.0, -1.0]));
    assert_eq!(constant(0x880, 4, &[0x00ff_00ff]), values([1.0, 0.0, 1.0, 0.0]));
    assert_eq!(constant(0x8c0, 4, &[0x8100_7f80]), values([-1.0, 1.0, 0.0, -1.0]));
}

#[test]
fn a_word_of_an_attribute_of_several_keeps_the_others() {
    let value = |more: Methods<'_>| draw(more).input.attributes[5];
    // The first word of a method of several sets the missing components.
    let all: Methods<'_> = &[(0x550, &[f(1.0), f(2.0), f(3.0), f(4.0)])];
    let changed = |method: u32| value(&[all, &[(method, &[f(9.0)])]].concat());
    let constant = |values: [f32; 4]| VertexAttribute::Constant(values.map(f));
    assert_eq!(changed(0x554), constant([1.0, 9.0, 3.0, 4.0]));
    assert_eq!(changed(0x558), constant([1.0, 2.0, 9.0, 4.0]));
    assert_eq!(changed(0x55c), constant([1.0, 2.0, 3.0, 9.0]));
    assert_eq!(changed(0x550), constant([9.0, 0.0, 0.0, 1.0]));
}

/// Four instances: the last one is number 3, which is step 1 of two instances each, behind a base of 3.
#[test]
fn arrays_step_by_instances() {
    let array = |more: Methods<'_>| {
        let mut parts: Vec<(u32, &[u32])> = more.to_vec();
        for number in [4, 1 << 28 | 4, 1 << 28 | 4] {
            let begin: &[u32] = if number == 4 { &[4] } else { &[1 << 28 | 4] };
            parts.extend([(0x15dc, begin), (0x15e0, &[0])]);
        }
        parts.extend([(0x15dc, &[1 << 28 | 4][..]), (0xd74, &[0, 3]), (0x15e0, &[0])]);
        let GpuCommand::Draw(draw) = commands(&[STATE, &parts]).remove(0) else { panic!("a draw") };
        let VertexAttribute::Array { window, stride, .. } = draw.input.attributes[0] else { panic!("an array") };
        (window.start, stride)
    };
    let first = place(VERTICES) + 16;
    assert_eq!(array(&[]), (first, 32));
    assert_eq!(array(&[(0x1000, &[1])]), (first + 3 * 32, 0));
    assert_eq!(array(&[(0x1000, &[1]), (0x90c, &[2])]), (first + 32, 0));
    assert_eq!(array(&[(0x1000, &[1]), (0x90c, &[2]), (0x1438, &[3])]), (first + 4 * 32, 0));
}

#[test]
fn arrays_begin_at_addresses_and_end_at_limits() {
    let array = |more: Methods<'_>| {
        let VertexAttribute::Array { window, stride, .. } = draw(more).input.attributes[0] else { panic!("an array") };
        (window.start, window.bytes, stride)
    };
    assert_eq!(array(&[]), (place(VERTICES) + 16, 0xf0, 32));
    assert_eq!(array(&[(0x908, &[VERTICES + 0x40])]), (place(VERTICES) + 0x50, 0xb0, 32));
    assert_eq!(array(&[(0x1084, &[VERTICES + 0x7f])]), (place(VERTICES) + 16, 0x70, 32));
    assert_eq!(array(&[(0x900, &[1 << 29 | 48])]), (place(VERTICES) + 16, 0xf0, 48));
    // Without an array the attribute is constant.
    assert!(matches!(draw(&[(0x900, &[32])]).input.attributes[0], VertexAttribute::Constant(_)));
    assert!(matches!(draw(&[(0x1ac0, &[1 << 4])]).input.attributes[0], VertexAttribute::Constant(_)));
}

#[test]
fn programs_read_enabled_components() {
    let draw = draw(&[(0x1650, &[0x3, 0x9])]);
    let VertexStage::Simt(vertex) = &draw.vertex else { panic!("a SIMT program") };
    let components = [(0, 0), (0, 1), (8, 0), (8, 3)];
    let expected = components.map(|(attribute, component)| AttributeWord::Component { attribute, component });
    assert_eq!(vertex.attributes, expected);
}

fn indexed(more: Methods<'_>) -> Box<curie::pipeline::Draw> {
    let end: Methods<'_> = &[(0x15e0, &[0])];
    let GpuCommand::Draw(draw) = commands(&[STATE, more, end]).remove(0) else { panic!("a draw") };
    draw
}

#[test]
fn indices_have_a_base_and_restart() {
    let elements: Methods<'_> = &[(0x15dc, &[5]), (0x15e8, &[0]), (0x15e8, &[9]), (0x15e8, &[2])];
    let plain = indexed(elements);
    assert_eq!((plain.input.base_index, plain.input.restart_index), (0, None));
    assert_eq!(plain.elements, Elements::Inline(vec![0, 9, 2]));
    let set_up: Methods<'_> = &[(0x1434, &[5]), (0x1644, &[1, 9])];
    let based = indexed(&[set_up, elements].concat());
    assert_eq!((based.input.base_index, based.input.restart_index), (5, Some(9)));
}

/// The offset is in bytes.
#[test]
fn packed_indices_have_an_offset_and_a_count() {
    let elements = |set_up: u32, setting: u32, method: u32, words: [u32; 2]| {
        let [first, second] = &words;
        let parts: [(u32, &[u32]); 4] = [
            (0x15dc, &[0]),
            (set_up, std::slice::from_ref(&setting)),
            (method, std::slice::from_ref(first)),
            (method, std::slice::from_ref(second)),
        ];
        indexed(&parts).elements
    };
    assert_eq!(elements(0x15ec, 2 << 30 | 2, 0x15f0, [2 << 16 | 1, 4 << 16 | 3]), Elements::Inline(vec![2, 3]));
    assert_eq!(elements(0x1300, 3 << 30 | 3, 0x1304, [0x0403_0201, 0x0807_0605]), Elements::Inline(vec![4, 5, 6]));
}

#[test]
fn edge_flags_change_between_vertices() {
    let parts: Methods<'_> = &[(0x15dc, &[4]), (0xd74, &[0, 2]), (0x15e4, &[0]), (0xd74, &[2, 1]), (0x15e0, &[0])];
    let GpuCommand::Draw(draw) = commands(&[STATE, &[(0x15e4, &[1])], parts]).remove(0) else { panic!("a draw") };
    assert_eq!(draw.raster.edge_flag_changes, [2]);
}

#[test]
fn every_format_of_attributes_has_its_codes() {
    // Sizes and the bits of components, from the names of `g80_vtxelt_format`.
    let sizes: [(u32, &[u32]); 14] = [
        (0x01, &[32; 4]),
        (0x02, &[32; 3]),
        (0x03, &[16; 4]),
        (0x04, &[32; 2]),
        (0x05, &[16; 3]),
        (0x0a, &[8; 4]),
        (0x0f, &[16; 2]),
        (0x12, &[32]),
        (0x13, &[8; 3]),
        (0x18, &[8; 2]),
        (0x1b, &[16]),
        (0x1d, &[8]),
        (0x30, &[10, 10, 10, 2]),
        (0x31, &[11, 11, 10]),
    ];
    for (code, bits) in sizes {
        let format = array_format(code, 0x24);
        assert_eq!(format.sizes.component_bits(), bits, "{code:#x}");
    }
    // A byte of 0x80, or the bits of one in a word.
    let kinds: [(u32, u32, u32, u32); 7] = [
        (0x09, 0x1d, 0x80, f(-1.0)),
        (0x12, 0x1d, 0xff, f(1.0)),
        (0x1b, 0x1d, 0x80, 0xffff_ff80),
        (0x24, 0x1d, 0x80, 0x80),
        (0x2d, 0x1d, 0x80, f(128.0)),
        (0x36, 0x1d, 0x80, f(-128.0)),
        (0x3f, 0x12, f(1.25), f(1.25)),
    ];
    for (kind, sizes, stored, expected) in kinds {
        let mut element = [0; 16];
        element[..4].copy_from_slice(&stored.to_le_bytes());
        assert_eq!(array_format(sizes, kind).decode(element)[0], expected, "{kind:#x}");
    }
}

fn array_format(sizes: u32, kind: u32) -> TeslaVertexFormat {
    let draw = draw(&[(0x1ac0, &[kind << 25 | sizes << 19])]);
    let VertexAttribute::Array { format: curie::format::AttributeFormat::Tesla(format), .. } = draw.input.attributes[0]
    else {
        panic!("an array of the generation's formats")
    };
    format
}

#[test]
fn what_vertices_lack_is_counted() {
    let counted = |more: Methods<'_>, what: &str| {
        let notes = notes(&[STATE, more, TRIANGLE]);
        assert!(notes.contains(what), "{notes}");
    };
    counted(&[(0x114c, &[0x0104])], "attributes by their definition");
}
