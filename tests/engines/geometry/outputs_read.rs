//! The output registers that the later stages of a draw read.

use curie::asm::{Assembly, assemble};
use curie::kernels::outputs_read::outputs_read;
use curie::pipeline::{ClipPlane, Draw, PolygonMode, PrimitiveType, VertexOutputs};
use curie::shader::analysis::resource_usage::ResourceUsage;
use curie::shader::fragment::FragmentProgram;

use super::scene::plain_draw;

/// The mask for a draw with all results in the usual registers and a fragment program that reads these inputs.
fn mask(inputs: &[&str], change: impl FnOnce(&mut Draw)) -> u16 {
    let reads: String = inputs.iter().map(|input| format!("ADDR R0, R0, f[{input}];\n")).collect();
    mask_of(&format!("!!NV40fp1.0\n{reads}END\n"), change)
}

fn mask_of(text: &str, change: impl FnOnce(&mut Draw)) -> u16 {
    let mut draw = plain_draw();
    draw.outputs = VertexOutputs::ALL;
    change(&mut draw);
    let Ok(Assembly::Fragment(assembly)) = assemble("test", text) else { panic!("it assembles") };
    let program = FragmentProgram::decode(&assembly.words).unwrap();
    outputs_read(&draw, Some(&ResourceUsage::of_blocks(&program)))
}

#[test]
fn a_program_reads_the_results_that_its_inputs_come_from() {
    let nothing = |_: &mut Draw| {};
    assert_eq!(mask(&["WPOS", "FACE"], nothing), 1, "the position always");
    assert_eq!(mask(&["COL0"], nothing), 1 | 1 << 1);
    assert_eq!(mask(&["COL1", "FOGC"], nothing), 1 | 1 << 2 | 1 << 5, "fog is o5.x");
    assert_eq!(mask(&["TEX0", "TEX8", "TEX9"], nothing), 1 | 1 << 7 | 1 << 15 | 1 << 6);
    let absent = |draw: &mut Draw| draw.outputs.texture_coordinates[0] = None;
    assert_eq!(mask(&["TEX0"], absent), 1);
}

#[test]
fn loops_reach_the_coordinates_of_their_indices() {
    let text = "!!NV40fp1.0\nLOOP {2, 3, 5};\nADDR R0, R0, f[TEX[A0.x+1]];\nENDLOOP;\nMOVR R1, R0;\nEND\n";
    // Coordinates 4 and 9 in the loop, 1 outside of it.
    assert_eq!(mask_of(text, |_| {}), 1 | 1 << 8 | 1 << 11 | 1 << 6);
}

#[test]
fn state_reads_back_colors_point_sizes_and_clip_distances() {
    let both_sides = |draw: &mut Draw| draw.raster.two_sided_color = true;
    assert_eq!(mask(&["COL0"], both_sides), 1 | 1 << 1 | 1 << 3);
    assert_eq!(mask(&["COL1"], both_sides), 1 | 1 << 2 | 1 << 4);
    assert_eq!(mask(&["TEX0"], both_sides), 1 | 1 << 7, "the program reads no color");
    let points = |draw: &mut Draw| draw.primitive = PrimitiveType::Points;
    assert_eq!(mask(&["WPOS"], points), 1 | 1 << 6);
    let corners = |draw: &mut Draw| draw.raster.polygon_mode[1] = PolygonMode::Point;
    assert_eq!(mask(&["WPOS"], corners), 1 | 1 << 6);
    let fixed_size = |draw: &mut Draw| {
        points(draw);
        draw.outputs.point_size = None;
    };
    assert_eq!(mask(&["WPOS"], fixed_size), 1);
    let plane = |draw: &mut Draw| draw.viewport.clip_planes[1] = ClipPlane::KeepsNegative;
    assert_eq!(mask(&["WPOS"], plane), 1 | 1 << 5, "distance 1 is o5.z");
    let plane = |draw: &mut Draw| draw.viewport.clip_planes[4] = ClipPlane::KeepsNonNegative;
    assert_eq!(mask(&["WPOS"], plane), 1 | 1 << 6, "distance 4 is o6.z");
}
