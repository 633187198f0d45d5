//! Draws whose vertices the vertex engine of NV20 transforms.

use curie::asm::{Assembly, assemble_for};
use curie::command::methods::nv20_three_d as nv20;
use curie::command::methods::three_d::draw;
use curie::counters::Counter;
use curie::counting::CountingEngine;
use curie::isa::NvVertexIsa;
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::{DEFAULT_MACHINE, open};
use curie::reference::Reference;
use curie::replay::ReplayOptions;
use curie::statistics::collect;
use curie::statistics::models::{ModelRunner, counting_options, model};

use super::stage::{NV20, Stage, THREE_D};
use crate::common;

const POINTS: u32 = 1;

/// Uploads a program and selects it.
fn select(stage: &mut Stage, text: &str) {
    let Assembly::Vertex(program) = assemble_for("test.vp", text, NvVertexIsa::Nv20).unwrap() else { unreachable!() };
    stage.stream.method(NV20, nv20::VP_UPLOAD_FROM_ID, 0);
    for instruction in &program.instructions {
        stage.stream.methods(NV20, nv20::VP_UPLOAD_INST, instruction);
    }
    stage.stream.method(NV20, nv20::VP_START_FROM_ID, program.start.into());
    stage.stream.method(NV20, nv20::ENGINE, 2);
}

#[test]
fn the_selected_engine_transforms_vertices() {
    let mut stage = Stage::new();
    stage.positions(0, 3);
    // TEX0 of three vertices, the last with a number whose double is too large.
    let largest = f32::MAX;
    stage.put_floats(0x1000, &[1.0, 2.0, 3.0, 4.0, 0.5, -1.0, 0.0, 8.0, largest, -largest, 1.0, 1.0]);
    stage.array(8, 0x1000, 0x1042);
    stage.bind_class(NV20, 0x0097);
    // Parameter c[3] is constant 99.
    stage.stream.method(NV20, nv20::VP_UPLOAD_CONST_ID, 99);
    stage.stream.floats(NV20, nv20::VP_UPLOAD_CONST, &[2.0, 4.0, -1.0, 1.0]);
    select(&mut stage, "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMUL o[TEX0], v[TEX0], c[3];\nEND");
    stage.draw_arrays(POINTS, 0, 1);
    stage.draw_arrays(POINTS, 2, 1);
    // The 3D class's own program copies TEX0.
    stage.stream.method(NV20, nv20::ENGINE, 0);
    stage.draw_arrays(POINTS, 1, 1);
    let picture = stage.run();
    assert_eq!(picture.at(0, 0), [2.0, 8.0, -3.0, 4.0]);
    assert_eq!(picture.at(1, 0), [0.5, -1.0, 0.0, 8.0]);
    assert_eq!(picture.at(2, 0), [largest, -largest, -1.0, 1.0], "products saturate");
    assert_eq!(picture.drawn().len(), 3);
}

#[test]
fn the_selected_engine_has_its_own_cache_and_clock() {
    let mut stage = Stage::new();
    stage.positions(0, 80);
    stage.array(8, 0x1000, 0x1042);
    stage.bind_class(NV20, 0x0097);
    select(&mut stage, "!!VP1.0\nMOV o[HPOS], v[OPOS];\nADD o[TEX0], v[TEX0], v[TEX0];\nEND");
    // The same 80 elements twice: enough for the kernels to keep what they assembled.
    let elements: Vec<u32> = (0..18).chain([0, 18, 0]).chain(20..79).collect();
    stage.put_words(0x4000, &elements);
    let address = stage.address(0x4000);
    stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[address, 0]);
    for mode in [2, 0] {
        stage.stream.method(NV20, nv20::ENGINE, mode);
        stage.begin(POINTS);
        stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, 79 << 24);
        stage.end();
    }
    let (capture, machine) = (stage.capture(), open(DEFAULT_MACHINE).unwrap());
    let (options, header) = (ReplayOptions::default(), capture.header);
    let count = |engine: &mut dyn CountingEngine| {
        collect(&capture, engine, &options, counting_options(&machine), &mut |_, _| {}).unwrap().1
    };
    let statistics = count(&mut Reference::new(header.vram_bytes, header.gart_bytes).unwrap());
    if let Some(gpu) = common::gpu() {
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap();
        assert_eq!(count(&mut kernels), statistics);
    }
    // 18 of the GeForce 3's 24 entries are effective: element 18 replaces element 0. The GeForce 6800 keeps it.
    let total = |draw: usize, counter| statistics.draws[draw].counters.total(counter);
    assert_eq!([0, 1].map(|draw| total(draw, Counter::CacheMisses)), [18 + 2 + 59, 18 + 1 + 59]);
    let models = model(&capture, &machine, ModelRunner::default(), &options, &mut |_, _| {}).unwrap();
    let [nv20, nv40] = [0, 1].map(|draw| &models.draws[draw]);
    // Two instructions a vertex, one a clock on one unit at 200 MHz; the machine has 400 MHz.
    let vertices = nv20.programs.vertices().unwrap();
    assert_eq!((vertices.machine.as_str(), vertices.clocks.total()), ("geforce-3", 2 * 79));
    assert_eq!((nv20.loads.vertex_clocks, nv20.loads.other_vertex_clocks), (0, 2 * 2 * 79));
    assert_eq!((nv40.loads.vertex_clocks, nv40.loads.other_vertex_clocks), (2 * 78, 0));
    let json = serde_json::to_value(models.json((&machine).into())).unwrap();
    let rows = json["vertex"]["draws"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["draw"], &rows[0]["cache_entries"]), (1, &0.into(), &18.into()));
    assert_eq!((&rows[0]["cache_hits"], &rows[0]["vertices_per_clock"]), (&1.into(), &0.5.into()));
}
