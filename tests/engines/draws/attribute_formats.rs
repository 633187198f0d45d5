//! Vertex attributes of the Tesla generation: the words that programs read by calculation, on both engines.

use super::simt::{COLOR, TARGET, copy_words, draw, memory, stage, window, word};
use curie::format::{AttributeFormat, TeslaVertexFormat, TeslaVertexKind};
use curie::memory::MemoryWindow;
use curie::pipeline::{
    AttributeWord, Draw, Elements, OutputComponent, OutputWord, PrimitiveType, SimtVertexStage, StreamBuffer,
    StreamOut, VertexAttribute, VertexStage, VertexWord,
};

/// The target in whose place the elements are.
const ELEMENTS: u32 = 4;
/// The target in whose place the words are that programs read.
const WORDS: u32 = 2;

/// Attributes that a draw reads besides the first one.
const READ: usize = 15;

/// A draw of points that streams all attributes but the first to memory, 16 bytes each.
fn streaming(elements: Elements, target: u32) -> Draw {
    let attributes =
        (0..16).flat_map(|attribute| (0..4).map(move |component| AttributeWord::Component { attribute, component }));
    let outputs = (1..16).flat_map(|slot| (0..4).map(move |component| OutputComponent { slot, component }));
    let words = outputs.map(|output| Some(VertexWord::Output(output))).collect();
    let buffer = StreamBuffer { window: window(target), stride: 16 * READ as u32, words };
    Draw {
        primitive: PrimitiveType::Points,
        elements,
        vertex: VertexStage::Simt(SimtVertexStage {
            stage: stage(&copy_words(4 * (1 + READ as u32)), &[]),
            attributes: attributes.collect(),
            outputs: OutputWord::in_place(64),
            textures: Vec::new(),
        }),
        stream_out: Some(StreamOut { buffers: vec![buffer], continues: false, rasterizes: false }),
        ..draw(&[], COLOR)
    }
}

/// What a program reads of each element of arrays over these words, at most [`READ`] arrays: array by array.
fn read_elements(words: &[u32], arrays: &[VertexAttribute], count: u32) -> Vec<Vec<[u32; 4]>> {
    let vertices = words.chunks(4 * READ).map(|words| {
        let mut attributes = [[0; 4]; 16];
        attributes.as_flattened_mut()[4..][..words.len()].copy_from_slice(words);
        attributes
    });
    let mut reading = streaming(Elements::Ranges(vec![(0, count)]), WORDS);
    reading.input.attributes[1..][..arrays.len()].copy_from_slice(arrays);
    let memory = memory(&[streaming(Elements::Immediate(vertices.collect()), ELEMENTS), reading]);
    let read = |vertex: u32, array: u32, at| word(&memory, WORDS * TARGET + 16 * (READ as u32 * vertex + array) + at);
    let of_array = |array| (0..count).map(|vertex| [0, 4, 8, 12].map(|at| read(vertex, array, at))).collect();
    (0..arrays.len() as u32).map(of_array).collect()
}

/// The word of a component whose bits are in a word of their own. No quotient here lies so near to the middle of two
/// floats that double precision cannot tell.
fn component(kind: TeslaVertexKind, field: u32, bits: u32) -> u32 {
    let number = f64::from((field << (32 - bits)).cast_signed() >> (32 - bits));
    let most = |bits: u32| f64::from(bits).exp2() - 1.0;
    let float = match kind {
        TeslaVertexKind::Unorm => f64::from(field) / most(bits),
        TeslaVertexKind::Snorm => (number / most(bits - 1)).max(-1.0),
        TeslaVertexKind::Uscaled => field.into(),
        TeslaVertexKind::Sscaled => number,
        TeslaVertexKind::Uint => return field,
        TeslaVertexKind::Sint => return (number as i64) as u32,
        TeslaVertexKind::Float if bits == 32 => return field,
        TeslaVertexKind::Float => {
            // Five bits of exponent, above them the sign of halves alone.
            let fraction_bits = if bits == 16 { 10 } else { bits as i32 - 5 };
            let fraction = f64::from(field & ((1 << fraction_bits) - 1)) * 2f64.powi(-fraction_bits);
            let magnitude = match field >> fraction_bits & 31 {
                0 => fraction * 2f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => return 0x7fff_ffff,
                exponent => (1.0 + fraction) * 2f64.powi(exponent as i32 - 15),
            };
            if bits == 16 && field >> 15 != 0 { -magnitude } else { magnitude }
        }
    };
    (float as f32).to_bits()
}

#[test]
fn every_format_is_read_as_its_kind() {
    let elements = [
        [0u32; 4],
        [u32::MAX; 4],
        [0x8000_0000, 0x7fff_ffff, 0x8000_0001, 0x0000_0001],
        [0x8001_7fff, 0x7c00_fc00, 0x0001_8000, 0x7c01_83ff],
        [0x3f80_0000, 0x7f80_81ff, 0x0100_0001, 0x3c00_0400],
        [0x1234_5678, 0x9abc_def0, 0x0fed_cba9, 0x8765_4321],
    ];
    let formats: Vec<_> = TeslaVertexFormat::all().collect();
    for formats in formats.chunks(READ) {
        let arrays: Vec<_> = formats.iter().map(|format| array(window(ELEMENTS), *format, 16)).collect();
        let found = read_elements(elements.as_flattened(), &arrays, 6);
        for (format, found) in formats.iter().zip(found) {
            for (words, found) in elements.iter().zip(found) {
                // Copies of words keep their bits, also those of floats that are not a number.
                assert_eq!(found, decoded(*format, *words), "{format:?} of {words:x?}");
            }
        }
    }
}

/// The four words of an element.
fn decoded(format: TeslaVertexFormat, words: [u32; 4]) -> [u32; 4] {
    let one = if matches!(format.kind, TeslaVertexKind::Uint | TeslaVertexKind::Sint) { 1 } else { 0x3f80_0000 };
    let mut expected = [0, 0, 0, one];
    let mut start = 0;
    for (value, &bits) in expected.iter_mut().zip(format.sizes.component_bits()) {
        let field = words[start as usize / 32] >> (start % 32) & (u32::MAX >> (32 - bits));
        *value = component(format.kind, field, bits);
        start += bits;
    }
    expected
}

fn array(window: MemoryWindow, format: TeslaVertexFormat, stride: u32) -> VertexAttribute {
    VertexAttribute::Array { window, format: AttributeFormat::Tesla(format), stride, divider: 0, is_modulo: false }
}

/// Elements at every byte and 4095 bytes apart; the third one begins in its window and ends outside.
#[test]
fn elements_outside_of_their_window_are_zeros() {
    let words: Vec<u32> = (0..4096).map(|word| 0x0101_0000 * (word / 16) + word).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let format = TeslaVertexFormat::from_codes(0x05, 0x24).unwrap();
    let arrays = [0, 1, 2, 3].map(|start| {
        let first = window(ELEMENTS);
        array(MemoryWindow { start: first.start + start, bytes: 2 * 4095 + 5, ..first }, format, 4095)
    });
    for (start, found) in read_elements(&words, &arrays, 4).into_iter().enumerate() {
        let at = |element: usize, half: usize| {
            let place = start + 4095 * element + 2 * half;
            u32::from(u16::from_le_bytes([bytes[place], bytes[place + 1]]))
        };
        let expected = [0, 1].map(|element| [at(element, 0), at(element, 1), at(element, 2), 1]);
        assert_eq!(found, [expected[0], expected[1], [0; 4], [0; 4]], "{start}");
    }
}
