//! The chip's own counters of stages: values by calculation, on both engines.

use super::geometry_programs::{copy, with_program};
use super::simt::{MEMORY_BYTES, TARGET, execute, window, word};
use super::stream_out::{row, stream_out, streamed};
use crate::common;
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    CounterReport, Draw, EmittedPrimitive, Engine, GpuCommand, PipelineCounter, PrimitiveType, Rect, ReportedCounter,
};
use curie::reference::Reference;

/// All counters.
const COUNTERS: [PipelineCounter; 8] = [
    PipelineCounter::FetchedVertices,
    PipelineCounter::FetchedPrimitives,
    PipelineCounter::VertexThreads,
    PipelineCounter::GeometryThreads,
    PipelineCounter::EmittedPrimitives,
    PipelineCounter::RasterizerInputs,
    PipelineCounter::RasterizerOutputs,
    PipelineCounter::Pixels,
];

/// The target in whose place reports are written.
const REPORTS: u32 = 5;

fn report(engine: &mut dyn Engine) -> [u32; 8] {
    for (place, counter) in (0..).zip(COUNTERS) {
        let place = MemoryWindow { start: REPORTS * TARGET + 16 * place, bytes: 16, ..window(0) };
        let report = CounterReport::before_time(ReportedCounter::Pipeline(counter), 0);
        engine.execute(&GpuCommand::WriteReport { window: place, report }).unwrap();
    }
    let mut bytes = vec![0; MEMORY_BYTES as usize];
    let all = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: MEMORY_BYTES };
    engine.read_memory(all, &mut bytes).unwrap();
    [0, 1, 2, 3, 4, 5, 6, 7].map(|place| word(&bytes, REPORTS * TARGET + 16 * place))
}

/// What draws add to the counters, the same on both engines. A draw before the first report does not count.
fn counted(draws: &[Draw]) -> [u32; 8] {
    let count = |engine: &mut dyn Engine| {
        execute(engine, &draws[..1]).unwrap();
        assert_eq!(report(engine), [0; 8]);
        let memory = execute(engine, draws).unwrap();
        (memory, report(engine))
    };
    let expected = count(&mut Reference::new(MEMORY_BYTES.into(), 0).unwrap());
    if let Some(gpu) = common::gpu() {
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), MEMORY_BYTES.into(), 0).unwrap();
        assert!(count(&mut kernels) == expected, "the engines differ");
    }
    expected.1
}

#[test]
fn each_stage_counts_what_it_does() {
    let strip = row(5, PrimitiveType::TriangleStrip);
    // A trapezoid between (0, 0), (32, 0), (24, 16) and (8, 16): 32 − y pixels in even rows, 31 − y in odd ones.
    let pixels = (0..16).map(|y| 32 - y - y % 2).sum();
    assert_eq!(counted(std::slice::from_ref(&strip)), [5, 3, 5, 0, 0, 3, 3, pixels]);
    // A quadrilateral is one primitive, and two triangles.
    let [vertices, primitives, threads, .., inputs, _, _] = counted(&[row(4, PrimitiveType::Quads)]);
    assert_eq!([vertices, primitives, threads, inputs], [4, 1, 4, 2]);
    // Two draws add up.
    assert_eq!(counted(&[strip.clone(), strip]), [10, 6, 10, 0, 0, 6, 6, 2 * pixels]);
}

#[test]
fn a_geometry_program_counts_what_it_takes_and_emits() {
    let text: String = [0, 1, 2].map(copy).concat() + "    restart\n" + &[2, 1].map(copy).concat();
    let lines = with_program(row(6, PrimitiveType::Triangles), &text, EmittedPrimitive::LineStrip, 6);
    // Two triangles give two lines and one each.
    assert_eq!(counted(std::slice::from_ref(&lines))[..6], [6, 2, 6, 2, 6, 6]);
    // They are run once more if they are also written.
    let written = counted(&[streamed(lines, stream_out(TARGET))]);
    assert_eq!(written, [6, 2, 6, 2, 6, 0, 0, 0]);
}

#[test]
fn what_draws_nothing_is_fetched() {
    let mut hidden = row(5, PrimitiveType::TriangleStrip);
    hidden.raster.clip = Rect::default();
    assert_eq!(counted(&[hidden]), [5, 3, 5, 0, 0, 0, 0, 0]);
}
