//! Stream output: the words of vertices in memory by calculation, on both engines.

use super::geometry_programs::{JOINS_ELSEWHERE, copy, with_program};
use super::simt::{COLOR, MEMORY_BYTES, TARGET, draw, execute, memory, pixel, run, window, word};
use curie::kernels::DrawPath;
use curie::memory::MemoryWindow;
use curie::pipeline::{
    Draw, EmittedPrimitive, OutputComponent, PolygonMode, PrimitiveType, StreamBuffer, StreamOut, VertexWord,
};
use curie::reference::Reference;

/// The buffers begin at the third and the fourth target.
const BUFFERS: [u32; 2] = [2, 3];

const fn output(slot: u8, component: u8) -> Option<VertexWord> {
    Some(VertexWord::Output(OutputComponent { slot, component }))
}

/// x and y of the position with a word between that stays, 16 bytes each; red and a constant.
pub(super) fn stream_out(bytes: u32) -> StreamOut {
    let place = |number: usize| MemoryWindow { bytes, ..window(BUFFERS[number]) };
    let position = StreamBuffer { window: place(0), stride: 16, words: vec![output(0, 0), None, output(0, 1)] };
    let color = StreamBuffer { window: place(1), stride: 8, words: vec![output(1, 0), Some(VertexWord::Word(7))] };
    StreamOut { buffers: vec![position, color], continues: false, rasterizes: false }
}

/// Vertices in a row of eight pixels each, whose red is their number.
pub(super) fn row(count: u16, primitive: PrimitiveType) -> Draw {
    let vertices: Vec<_> = (0..count)
        .map(|number| {
            let x = f32::from(number) * 8.0;
            ([x, f32::from(number % 2) * 16.0, 0.5, 1.0], [f32::from(number), 1.0, 1.0, 1.0])
        })
        .collect();
    Draw { primitive, ..draw(&vertices, COLOR) }
}

pub(super) fn streamed(draw: Draw, stream_out: StreamOut) -> Draw {
    Draw { stream_out: Some(stream_out), ..draw }
}

/// The numbers of the vertices in the buffers, up to the first place without one.
fn written(memory: &[u8]) -> Vec<u32> {
    let at = |buffer: usize, offset: u32| word(memory, BUFFERS[buffer] * TARGET + offset);
    let vertices = (0..TARGET / 16).take_while(|vertex| at(1, 8 * vertex + 4) == 7);
    let numbers = vertices.map(|vertex| {
        let number = f32::from_bits(at(1, 8 * vertex)) as u32;
        let position = [0, 8].map(|offset| f32::from_bits(at(0, 16 * vertex + offset)));
        assert_eq!(position, [number as f32 * 8.0, (number % 2) as f32 * 16.0], "vertex {vertex}");
        assert_eq!([4, 12].map(|offset| at(0, 16 * vertex + offset)), [0; 2], "what is no output stays");
        number
    });
    numbers.collect()
}

fn is_drawn(memory: &[u8]) -> bool {
    (0..64).any(|place| pixel(memory, 0, place, 4) != [0; 4])
}

#[test]
fn strips_fans_and_loops_are_separate_primitives() {
    let whole = |primitive| {
        let memory = memory(&[streamed(row(5, primitive), stream_out(TARGET))]);
        assert!(!is_drawn(&memory));
        written(&memory)
    };
    assert_eq!(whole(PrimitiveType::TriangleStrip), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
    assert_eq!(whole(PrimitiveType::TriangleFan), [0, 1, 2, 0, 2, 3, 0, 3, 4]);
    assert_eq!(whole(PrimitiveType::LineLoop), [0, 1, 1, 2, 2, 3, 3, 4, 4, 0]);
    assert_eq!(whole(PrimitiveType::Points), [0, 1, 2, 3, 4]);
    assert_eq!(whole(PrimitiveType::LinesAdjacency), [1, 2]);
}

/// By the table of `ARB_provoking_vertex`: strips begin with vertex i, fans with i + 1. Polygons and quadrilaterals
/// keep the winding.
#[test]
fn primitives_begin_with_the_vertex_that_provokes() {
    let whole = |primitive| {
        let mut draw = row(5, primitive);
        draw.raster.first_vertex_provokes = true;
        written(&memory(&[streamed(draw, stream_out(TARGET))]))
    };
    assert_eq!(whole(PrimitiveType::TriangleStrip), [0, 1, 2, 1, 3, 2, 2, 3, 4]);
    assert_eq!(whole(PrimitiveType::TriangleFan), [1, 2, 0, 2, 3, 0, 3, 4, 0]);
    assert_eq!(whole(PrimitiveType::LineLoop), [0, 1, 1, 2, 2, 3, 3, 4, 4, 0]);
    assert_eq!(whole(PrimitiveType::Quads), [0, 1, 2, 3, 0, 2]);
    assert_eq!(whole(PrimitiveType::Polygon), [0, 1, 2, 0, 2, 3, 0, 3, 4]);
}

/// Ten vertices fit: of the second draw one triangle, of the third one, which begins anew, three.
#[test]
fn primitives_that_do_not_fit_are_left_out() {
    let strip = |continues| {
        let stream_out = StreamOut { continues, ..stream_out(10 * 16) };
        streamed(row(4, PrimitiveType::TriangleStrip), stream_out)
    };
    let first = [0, 1, 2, 2, 1, 3];
    assert_eq!(written(&memory(&[strip(true), strip(true)])), [&first[..], &[0, 1, 2]].concat());
    let again = streamed(row(5, PrimitiveType::TriangleStrip), stream_out(10 * 16));
    assert_eq!(written(&memory(&[strip(false), strip(true), again])), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
    // Points behind triangles fill the last place.
    let points = StreamOut { continues: true, ..stream_out(10 * 16) };
    let draws = [strip(false), strip(true), streamed(row(3, PrimitiveType::Points), points)];
    assert_eq!(written(&memory(&draws)), [0, 1, 2, 2, 1, 3, 0, 1, 2, 0]);
}

#[test]
fn a_geometry_program_streams_what_it_emits() {
    let text: String = [0, 1, 2].map(copy).concat() + "    restart\n" + &[2, 1].map(copy).concat();
    let lines = with_program(row(6, PrimitiveType::Triangles), &text, EmittedPrimitive::LineStrip, 6);
    let memory = memory(&[streamed(lines, stream_out(TARGET))]);
    assert_eq!(written(&memory), [0, 1, 1, 2, 2, 1, 3, 4, 4, 5, 5, 4]);
}

/// Kernels leave a program that needs warps to the reference. Each engine appends behind the vertices of the other.
#[test]
fn both_engines_go_on_in_the_same_buffers() {
    let text = JOINS_ELSEWHERE.to_owned() + &copy(0) + &copy(0);
    let copied = with_program(row(2, PrimitiveType::Points), &text, EmittedPrimitive::Points, 2);
    let go_on = |draw: Draw, continues| streamed(draw, StreamOut { continues, ..stream_out(TARGET) });
    let points = || row(2, PrimitiveType::Points);
    let (memory, _) = run(&[go_on(points(), false), go_on(copied, true), go_on(points(), true)]);
    assert_eq!(written(&memory), [0, 1, 0, 0, 1, 1, 0, 1]);
}

/// Triangles are written, their outlines are drawn.
#[test]
fn primitives_are_written_and_rasterized() {
    let mut outlined = row(5, PrimitiveType::TriangleStrip);
    outlined.raster.polygon_mode = [PolygonMode::Line; 2];
    let both = StreamOut { rasterizes: true, ..stream_out(TARGET) };
    let (found, paths) = run(&[streamed(outlined.clone(), both)]);
    assert!(!paths.contains(&DrawPath::Host) && is_drawn(&found));
    assert_eq!(written(&found), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
    assert_eq!(found[..TARGET as usize], memory(&[outlined])[..TARGET as usize]);
}

#[test]
fn buffers_that_no_engine_writes_are_an_error() {
    let refused = |change: fn(&mut StreamOut)| {
        let mut stream_out = stream_out(TARGET);
        change(&mut stream_out);
        let draw = streamed(row(3, PrimitiveType::Triangles), stream_out);
        let mut reference = Reference::new(MEMORY_BYTES.into(), 0).unwrap();
        execute(&mut reference, &[draw]).unwrap_err().to_string()
    };
    let crooked = "a buffer of stream output at 0x20002 with 3 words in 16 bytes";
    assert!(refused(|out| out.buffers[0].window.start += 2).contains(crooked));
    assert!(refused(|out| out.buffers[0].stride = 8).contains("3 words in 8 bytes"));
    assert!(refused(|out| out.buffers[1].stride = 6).contains("2 words in 6 bytes"));
    assert!(refused(|out| out.buffers = vec![out.buffers[0].clone(); 5]).contains("15 words to 5 buffers"));
}
