//! Geometry shaders of the PICA200 on both engines: triangles worked out by hand, and the same ones for random programs.

use curie::arith::ONE;
use curie::asm::inputs::ElementInputs;
use curie::asm::program_file::Program;
use curie::gpu::Gpu;
use curie::isa::pica_vertex::{FIRST_INTEGER, PicaInstruction, PicaShader};
use curie::kernels::run_elements::run_elements;
use curie::kernels::run_program::{run_geometry_program, run_vertex_program};
use curie::pipeline::program_run::{ProgramTextures, RunSettings};
use curie::pipeline::{EmittedTriangles, VertexContext};
use curie::reference::observer::Unobserved;
use curie::reference::run_program::run_program;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::vertex::{AddressComponent, Emission, EmissionTarget, KEPT_TRIANGLES, VertexProgram};

use super::pica::{Inputs, assembled, context, instruction, numbered, value, vertex};
use super::random::Random;
use crate::common;

/// What a register holds before it is written.
const UNWRITTEN: [u32; 4] = [0, 0, 0, ONE];

/// Assembles the main procedure of a geometry shader, and others, and lowers it.
fn lowered(main: &str, others: &str) -> VertexProgram {
    let (shader, entry) = assembled(&format!(".gsh point c0\n.proc main\n{main}end\n.end\n{others}"));
    shader.lower_geometry(entry).unwrap()
}

/// Runs a program on both engines, which must agree.
fn run(gpu: &Gpu, program: &VertexProgram, context: &VertexContext<'_>, inputs: &[Inputs]) -> Vec<EmittedTriangles> {
    let results = run_geometry_program(gpu, program, context, inputs).unwrap();
    assert_eq!(results.len(), inputs.len());
    for (input, result) in inputs.iter().zip(&results) {
        let expected = reference::run_geometry_program(program, context, input);
        assert_eq!(expected, *result, "{program:#x?}\ninputs {input:x?}");
    }
    results
}

/// Runs a program on one vertex.
fn run_once(gpu: &Gpu, program: &VertexProgram, context: &VertexContext<'_>) -> EmittedTriangles {
    run(gpu, program, context, &[vertex(0.0)]).remove(0)
}

fn bits(vector: [f32; 4]) -> [u32; 4] {
    vector.map(f32::to_bits)
}

/// One output register of every vertex.
fn register(emitted: &EmittedTriangles, output: usize) -> Vec<[[u32; 4]; 3]> {
    emitted.triangles.iter().map(|triangle| triangle.each_ref().map(|vertex| vertex.outputs[output])).collect()
}

/// Component x of o0 of every vertex.
fn first(emitted: &EmittedTriangles) -> Vec<[f32; 3]> {
    register(emitted, 0).into_iter().map(|triangle| triangle.map(|[x, ..]| f32::from_bits(x))).collect()
}

/// Twice the area of a triangle in the plane of o0.xy, positive if it is counterclockwise.
fn area([a, b, c]: [[u32; 4]; 3]) -> f32 {
    let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|[x, y, ..]| [x, y].map(f32::from_bits));
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

const QUAD: &str = "
setemit 0
add o0, c10, v0
mov o1, v1
emit
setemit 1
add o0, c11, v0
mov o1, v1
emit
setemit 2, prim
add o0, c12, v0
mov o1, v1
emit
setemit 0, prim inv
add o0, c13, v0
mov o1, v1
emit
";

/// The corners that `QUAD` adds to its point.
fn corners() -> Vec<[u32; 4]> {
    let mut constants = numbered(&[]);
    for (corner, [x, y]) in [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]].into_iter().enumerate() {
        constants[10 + corner] = bits([x, y, 0.0, 0.0]);
    }
    constants
}

#[test]
fn a_point_becomes_two_triangles_of_the_same_winding() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(QUAD, "");
    let color = bits([0.5, 0.25, 0.125, 1.0]);
    let input = |x: f32, y: f32| std::array::from_fn(|number| if number == 1 { color } else { bits([x, y, 0.0, 1.0]) });
    let points = [[3.0, 4.0], [-8.0, 0.5]];
    let results = run(&gpu, &program, &context(&corners(), 0), &points.map(|[x, y]| input(x, y)));
    for ([x, y], emitted) in points.into_iter().zip(&results) {
        let at = |dx: f32, dy: f32| bits([x + dx, y + dy, 0.0, 1.0]);
        // The second triangle is (1, 1), (1, -1), (-1, 1) with its first vertices exchanged.
        let expected = [[at(-1.0, -1.0), at(1.0, -1.0), at(-1.0, 1.0)], [at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)]];
        assert_eq!(register(emitted, 0), expected);
        assert_eq!(expected.map(area), [4.0; 2]);
        assert_eq!(register(emitted, 1), [[color; 3]; 2]);
        assert_eq!(register(emitted, 2), [[UNWRITTEN; 3]; 2]);
        assert_eq!(emitted.count, 2);
    }
}

/// Source: azahar, pull request 2338: the shader of a game that only draws rectangles on hardware with two banks.
#[test]
fn a_register_has_the_value_of_two_emissions_ago() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(
        "
setemit 0
mov o0, c10
mov o1, c20
emit
setemit 1
mov o0.yzw, c10
mov o0.x, c11
emit
setemit 2, prim
mov o0.y, c11
emit
setemit 0, prim inv
mov o0, c11
emit
",
        "",
    );
    let mut constants = numbered(&[]);
    let corner = |x, y| bits([x, y, 0.0, 1.0]);
    (constants[10], constants[11]) = (corner(1.0, 2.0), corner(5.0, 6.0));
    let emitted = run_once(&gpu, &program, &context(&constants, 0));
    let expected = [
        [corner(1.0, 2.0), corner(5.0, 2.0), corner(1.0, 6.0)],
        [corner(5.0, 2.0), corner(5.0, 6.0), corner(1.0, 6.0)],
    ];
    assert_eq!(register(&emitted, 0), expected);
    // o1 is written in one bank only.
    let once = constants[20];
    assert_eq!(register(&emitted, 1), [[once, UNWRITTEN, once], [UNWRITTEN, UNWRITTEN, once]]);
}

#[test]
fn an_integer_register_decides_how_many_triangles_a_loop_emits() {
    let Some(gpu) = common::gpu() else { return };
    let text = "for i0\nmov o0, c20[aL]\nsetemit 0\nemit\nmov o0, c21[aL]\nsetemit 1\nemit\nmov o0, c22[aL]
        setemit 2, prim\nemit\n.end\n";
    let program = lowered(text, "");
    for repetitions in [1, 2, 7] {
        let constants = numbered(&[[repetitions - 1, 0, 2, 0]]);
        let emitted = run_once(&gpu, &program, &context(&constants, 0));
        let expected: Vec<[f32; 3]> =
            (0..repetitions).map(|triangle| [20, 21, 22].map(|constant| (constant + 2 * triangle) as f32)).collect();
        assert_eq!(first(&emitted), expected);
        assert_eq!(emitted.count, repetitions);
    }
}

#[test]
fn procedures_and_conditions_emit() {
    let Some(gpu) = common::gpu() else { return };
    let text = "setemit 0\nmov r0, c1\ncall put\nsetemit 1\nmov r0, c2\ncall put
        ifu b0\nsetemit 2, prim\n.else\nsetemit 2, prim inv\n.end\nmov r0, c3\ncall put
        mov r0, c4.xxxx\ncmp v0, gt, gt, r0\nifc cmp.x\nmov o0, c5\nemit\n.else\nnop\n.end\n";
    let program = lowered(text, ".proc put\nmov o0, r0\nemit\n.end\n");
    let constants = numbered(&[]);
    for booleans in [0, 1] {
        let results = run(&gpu, &program, &context(&constants, booleans), &[vertex(4.0), vertex(4.5)]);
        let triangle = |last| if booleans == 0 { [2.0, 1.0, last] } else { [1.0, 2.0, last] };
        assert_eq!(first(&results[0]), [triangle(3.0)]);
        assert_eq!(first(&results[1]), [triangle(3.0), triangle(5.0)]);
    }
}

/// Expected: the fields of SETEMIT, as in the test `SETEMIT` of azahar's `tests/video_core/shader.cpp`.
#[test]
fn every_target_is_selected() {
    let Some(gpu) = common::gpu() else { return };
    let constants = numbered(&[]);
    for (vertex, is_primitive, is_inverted) in (0..16).map(|fields: u8| (fields & 3, fields & 4 != 0, fields & 8 != 0))
    {
        let flags = match (is_primitive, is_inverted) {
            (false, false) => "",
            (true, false) => ", prim",
            (false, true) => ", inv",
            (true, true) => ", prim inv",
        };
        let text = format!(
            "setemit 0\nmov o0, c1\nemit\nsetemit 1\nmov o0, c2\nemit\nsetemit 2\nmov o0, c3\nemit
             setemit {vertex}{flags}\nmov o0, c4\nemit\n"
        );
        let program = lowered(&text, "");
        let selected = program.bundles.iter().rev().find_map(|bundle| match bundle.emission? {
            Emission::Select(target) => Some(target),
            Emission::Emit => None,
        });
        assert_eq!(selected, Some(EmissionTarget { vertex, completes_triangle: is_primitive, is_inverted }));
        let emitted = run_once(&gpu, &program, &context(&constants, 0));
        let mut slots = [1.0, 2.0, 3.0];
        if let Some(slot) = slots.get_mut(usize::from(vertex)) {
            *slot = 4.0;
        }
        if is_inverted {
            slots.swap(0, 1);
        }
        let expected = if is_primitive { vec![slots] } else { Vec::new() };
        assert_eq!(first(&emitted), expected, "setemit {vertex}{flags}");
    }
}

#[test]
fn an_emission_without_a_target_fills_slot_0() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered("mov o0, c1\nemit\nmov o0, c2\nsetemit 2, prim\nemit\n", "");
    let constants = numbered(&[]);
    let emitted = run_once(&gpu, &program, &context(&constants, 0));
    assert_eq!(register(&emitted, 0), [[constants[1], UNWRITTEN, constants[2]]]);
}

#[test]
fn triangles_beyond_the_limit_are_counted() {
    let Some(gpu) = common::gpu() else { return };
    let one = ".constf one(1.0, 1.0, 1.0, 1.0)\n";
    let text = "setemit 0, prim\nfor i0\nfor i1\nadd r0, r1, r0\nmov o0, r0\nemit\n.end\n.end\nmov o0, r1\nemit\n";
    let (shader, entry) = assembled(&format!("{one}.proc main\nmov r1, one\n{text}end\n.end\n"));
    let program = shader.lower_geometry(entry).unwrap();
    for (outer, inner) in [(1, 255), (1, 256), (3, 100)] {
        let mut constants = numbered(&[[outer - 1, 0, 1, 0], [inner - 1, 0, 1, 0]]);
        // The assembler allocates constants from the top.
        constants[95] = [ONE; 4];
        let emitted = run_once(&gpu, &program, &context(&constants, 0));
        let in_loop = outer * inner;
        assert_eq!(emitted.count, in_loop + 1);
        let kept = emitted.count.min(KEPT_TRIANGLES);
        assert_eq!(emitted.triangles.len(), kept as usize);
        // The triangle behind the loops is kept where there is room for it.
        let expected = (1..=kept).map(|triangle| if triangle > in_loop { 1.0 } else { triangle as f32 });
        assert!(first(&emitted).iter().map(|[x, ..]| *x).eq(expected), "{outer} × {inner}");
    }
}

#[test]
fn the_vertices_of_a_primitive_are_read_from_constants() {
    let Some(gpu) = common::gpu() else { return };
    // Three vertices of two registers from c2 on; and as many as i0 says from c0 on, behind their number.
    let fixed = ".gsh fixed c48 c2 3\n.proc main\nsetemit 0\nmov o0, c2\nmov o1, c3\nemit\nsetemit 1\nmov o0, c4
        mov o1, c5\nemit\nsetemit 2, prim\nmov o0, c6\nmov o1, c7\nemit\nend\n.end\n";
    let variable = ".gsh variable c48 3\n.proc main\nsetemit 0\nmov o0, c1\nemit\nfor i0\nmova a0.x, c0.x\nsetemit 1
        mov o0, c1[aL]\nemit\nsetemit 2, prim\nmov o0, c1[a0.x]\nemit\n.end\nend\n.end\n";
    let mut constants = numbered(&[[1, 1, 1, 0]]);
    constants[0] = bits([7.0, 0.0, 0.0, 0.0]);
    let [fixed, variable] = [fixed, variable].map(|text| {
        let (shader, entry) = assembled(text);
        run_once(&gpu, &shader.lower_geometry(entry).unwrap(), &context(&constants, 0))
    });
    assert_eq!(first(&fixed), [[2.0, 4.0, 6.0]]);
    assert_eq!(register(&fixed, 1), [[constants[3], constants[5], constants[7]]]);
    assert_eq!(first(&variable), [[1.0, 2.0, 8.0], [1.0, 3.0, 8.0]]);
}

#[test]
fn results_are_named_by_triangle_and_vertex() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(QUAD, "");
    let settings = RunSettings::of(None);
    let mut element = ElementInputs::default();
    element.constants.extend(corners().into_iter().enumerate());
    let (program_of_elements, textures) = (Program::Vertex(program.clone()), ProgramTextures::default());
    let results = run_elements(&gpu, &program_of_elements, &settings, &textures, &[&element, &element]).unwrap();
    let named = run_program(&Program::Vertex(program), &settings, &element).unwrap();
    assert_eq!(results, [named.clone(), named.clone()]);
    let names: Vec<&str> = named.registers.iter().map(|(name, _)| name.as_str()).collect();
    let expected = (0..12).map(|place| format!("triangle{}.vertex{}.o{}", place / 6, place / 2 % 3, place % 2));
    assert_eq!(names, std::iter::once("triangles".to_owned()).chain(expected).collect::<Vec<_>>());
    assert_eq!(named.registers[0].1, bits([2.0, 0.0, 0.0, 1.0]));
    // The point is (0, 0, 0, 1), and the second vertex of the second triangle its last corner.
    assert_eq!(named.registers[9], ("triangle1.vertex1.o0".to_owned(), bits([1.0, 1.0, 0.0, 1.0])));
}

#[test]
fn typed_programs_emit_indexed_outputs_and_results_of_the_same_bundle() {
    let Some(gpu) = common::gpu() else { return };
    let mut program = lowered(QUAD, "");
    for output in program.bundles.iter_mut().filter_map(|bundle| bundle.output.as_mut()) {
        // The address register is 0.
        output.relative = Some(AddressComponent { register: 0, component: 0 });
    }
    // The third vertex is emitted by the bundle that writes o1.
    let last = program.bundles.iter().rposition(|bundle| bundle.output.is_some()).unwrap();
    program.bundles[last - 4].emission = Some(Emission::Emit);
    program.bundles[last - 3].emission = None;
    let direct = run_once(&gpu, &lowered(QUAD, ""), &context(&corners(), 0));
    assert_eq!(run_once(&gpu, &program, &context(&corners(), 0)), direct);
    assert_eq!(direct.count, 2);
}

#[test]
fn the_output_registers_behind_the_last_emission_are_those_of_its_other_bank() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered("setemit 0\nmov o0, c1\nemit\nmov o0, c2\nemit\nmov o0.y, c3.xxxx\n", "");
    let constants = numbered(&[]);
    let context = context(&constants, 0);
    let [result] = run_vertex_program(&gpu, &program, &context, &[vertex(0.0)]).unwrap().try_into().unwrap();
    assert_eq!(result.outputs[0], bits([1.0, 3.0, 0.0, 0.0]));
    let expected = reference::run_vertex_program(&program, &context, &vertex(0.0), &NoVertexTextures, &Unobserved);
    assert_eq!(result, expected);
}

#[test]
fn a_program_without_emissions_emits_nothing() {
    let Some(gpu) = common::gpu() else { return };
    let constants = numbered(&[]);
    let emitted = run_once(&gpu, &lowered("mov o0, c1\n", ""), &context(&constants, 0));
    assert_eq!(emitted, EmittedTriangles::default());
}

#[test]
fn a_changed_target_is_noticed() {
    let Some(gpu) = common::gpu() else { return };
    let constants = corners();
    let program = lowered(QUAD, "");
    let result = run_once(&gpu, &program, &context(&constants, 0));
    for planted in [
        |target: &mut EmissionTarget| target.vertex ^= 1,
        |target: &mut EmissionTarget| target.completes_triangle ^= true,
        |target: &mut EmissionTarget| target.is_inverted ^= true,
    ] {
        let mut changed = program.clone();
        let last = changed.bundles.iter_mut().rev().find_map(|bundle| match &mut bundle.emission {
            Some(Emission::Select(target)) => Some(target),
            _ => None,
        });
        planted(last.unwrap());
        assert_ne!(result, reference::run_geometry_program(&changed, &context(&constants, 0), &vertex(0.0)));
    }
}

#[test]
fn random_programs_emit_the_same_triangles() {
    const WORDS: u16 = 24;
    let Some(gpu) = common::gpu() else { return };
    let (mut kept, mut distinct) = (0, 0);
    for seed in super::random::seeds(60_000, 32) {
        let mut random = Random::new(seed);
        let mut instructions: Vec<PicaInstruction> = (0..WORDS - 1)
            .map(|address| match random.below(6) {
                0 | 1 => PicaInstruction::Emit,
                2 => PicaInstruction::SetEmit {
                    vertex: random.below(4) as u8,
                    is_primitive: random.one_in(2),
                    is_inverted: random.one_in(2),
                },
                _ => instruction(&mut random, address, WORDS),
            })
            .collect();
        instructions.push(PicaInstruction::End);
        let program = PicaShader::encode(&instructions).unwrap().lower_geometry(0).unwrap();
        let mut constants: Vec<[u32; 4]> =
            (0..FIRST_INTEGER).map(|_| std::array::from_fn(|_| value(&mut random))).collect();
        constants.extend((0..4).map(|_| [random.below(4), random.below(256), random.below(256), 0]));
        let inputs: Vec<Inputs> =
            (0..8).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| value(&mut random)))).collect();
        let results = run(&gpu, &program, &context(&constants, random.next()), &inputs);
        kept += results.iter().map(|emitted| emitted.triangles.len()).sum::<usize>();
        distinct += usize::from(results.iter().any(|result| *result != results[0]));
    }
    assert!(kept > 0 && distinct > 0, "programs emit triangles that depend on their inputs");
}
