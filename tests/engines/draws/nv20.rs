//! Draws whose vertices the vertex engine of NV20 transforms.

use curie::asm::{Assembly, assemble_for};
use curie::command::methods::nv20_three_d as nv20;
use curie::isa::NvVertexIsa;

use super::stage::{NV20, Stage};

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
