//! Draws with geometry programs: pixels by calculation, on both engines.

use super::simt::{
    COLOR, SIDE, TARGET, block_linear, corner_triangle, draw, interpolants, linear, memory, pixel, run, stage, texture,
    wide, window, word,
};
use crate::common::merging::REPLACE;
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::format::{ColorFormat, ZetaFormat};
use curie::kernels::DrawPath;
use curie::pipeline::{
    Blend, BlendFactor, ColorTarget, Compare, DepthTest, Draw, EmittedPrimitive, FragmentStage, InterpolantMode,
    MAX_COLOR_TARGETS, OutputComponent, OutputWord, PolygonMode, PrimitiveType, PrimitiveWord, SimtGeometryStage,
    VertexWord, ZetaTarget,
};

/// Lines without effect of a program that only warps run.
pub(super) const JOINS_ELSEWHERE: &str = "    joinat other\n    join nop\nother:\n";

/// A program over the position and color of vertices: the words of `a[]` are six vertices and the number of the primitive.
fn program(text: &str, emitted: EmittedPrimitive, max_vertices: u32) -> SimtGeometryStage {
    let word = |word: u8| VertexWord::Output(OutputComponent { slot: word / 4, component: word % 4 });
    SimtGeometryStage {
        stage: stage(&format!(".kind geometry\n{text}"), &[16.0, 0.25, 1.0, 0.0]),
        inputs: (0..6).map(PrimitiveWord::Vertex).chain([PrimitiveWord::Number]).collect(),
        vertex_words: (0..8).map(word).collect(),
        emitted,
        max_vertices,
        outputs: OutputWord::in_place(8),
        textures: Vec::new(),
    }
}

/// Lines that emit the vertex of this number.
pub(super) fn copy(vertex: u32) -> String {
    let words: String = (0..8).map(|word| format!("    mov b32 o[{0:#x}] p[$a1+{0:#x}]\n", 4 * word)).collect();
    format!("    shl $a1 a[{:#x}] 0x0\n{words}    emit\n", 4 * vertex)
}

pub(super) fn with_program(draw: Draw, text: &str, emitted: EmittedPrimitive, max_vertices: u32) -> Draw {
    Draw { geometry: Some(program(&format!("{text}    exit nop\n"), emitted, max_vertices)), ..draw }
}

/// Vertices at these places with color (1, 1, 0, 1).
fn places(places: &[[f32; 2]]) -> Vec<([f32; 4], [f32; 4])> {
    places.iter().map(|[x, y]| ([*x, *y, 0.5, 1.0], [1.0, 1.0, 0.0, 1.0])).collect()
}

/// The pixels that a draw colors.
fn drawn(memory: &[u8]) -> Vec<[u32; 2]> {
    let places = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [x, y]));
    places.filter(|[x, y]| pixel(memory, 0, *x, *y) != [0; 4]).collect()
}

/// A rectangle of pixels.
fn filled([left, top, right, bottom]: [u32; 4]) -> Vec<[u32; 2]> {
    (top..bottom).flat_map(|y| (left..right).map(move |x| [x, y])).collect()
}

#[test]
fn a_program_that_copies_its_primitive_changes_nothing() {
    let plain = draw(&corner_triangle(0.5, [1.0, 2.0, 4.0]), COLOR);
    let text: String = (0..3).map(copy).collect();
    let copied = with_program(plain.clone(), &text, EmittedPrimitive::TriangleStrip, 3);
    assert_eq!(memory(&[copied]), memory(&[plain]));
}

/// Each point becomes two squares of eight pixels, the second one 16 pixels to the right; green is the number of the point by
/// quarters. What is emitted after the eighth vertex is lost.
#[test]
fn points_become_squares() {
    let mut text = "    shl $a1 a[0x0] 0x0\n    mov b32 $r0 p[$a1+0x0]\n    mov b32 $r1 p[$a1+0x4]
    mov b32 $r7 a[0x18]\n    cvt rn f32 $r7 u32 $r7\n    mul rn f32 $r7 $r7 c0[0x4]\n    mov b32 $r8 0x41000000
    mov b32 $r9 0x3f800000\n    mov b32 $r10 0x0\n"
        .to_owned();
    for vertex in 0..12 {
        if vertex == 4 {
            text += "    restart\n    add rn f32 $r0 $r0 c0[0x0]\n";
        }
        text += if vertex & 1 == 0 { "    mov b32 o[0x0] $r0\n" } else { "    add rn f32 o[0x0] $r0 $r8\n" };
        text += if vertex & 2 == 0 { "    mov b32 o[0x4] $r1\n" } else { "    add rn f32 o[0x4] $r1 $r8\n" };
        text += "    mov b32 o[0x8] p[$a1+0x8]\n    mov b32 o[0xc] p[$a1+0xc]\n    mov b32 o[0x10] $r9
    mov b32 o[0x14] $r7\n    mov b32 o[0x18] $r10\n    mov b32 o[0x1c] $r9\n    emit\n";
    }
    let mut points = draw(&places(&[[8.0, 0.0], [8.0, 16.0], [40.0, 32.0]]), COLOR);
    points.primitive = PrimitiveType::Points;
    let memory = memory(&[with_program(points, &text, EmittedPrimitive::TriangleStrip, 8)]);
    let squares = [[8, 0], [24, 0], [8, 16], [24, 16], [40, 32], [56, 32]];
    let mut expected: Vec<_> = squares.iter().flat_map(|[x, y]| filled([*x, *y, x + 8, y + 8])).collect();
    expected.sort_by_key(|[x, y]| (*y, *x));
    assert_eq!(drawn(&memory), expected);
    for ([x, y], green) in squares.into_iter().zip([0, 0, 64, 64, 128, 128]) {
        assert_eq!(pixel(&memory, 0, x, y), [0, green, 255, 255], "{x}, {y}");
    }
}

/// The outputs are zero after each emission: the second and third vertex have the position, and no color.
#[test]
fn an_emission_clears_the_outputs() {
    let color = ["    mov b32 $r9 0x3f800000\n    mov b32 o[0x10] $r9\n", "", ""];
    let vertex = |(vertex, color): (u32, &str)| copy(vertex).replace("    emit", &format!("{color}    emit"));
    let positions: String = (0..3).zip(color).map(vertex).collect();
    let without_color = |line: &&str| !line.contains("p[$a1+0x1");
    let text: String = positions.lines().filter(without_color).map(|line| format!("{line}\n")).collect();
    let mut plain = draw(&places(&[[0.0, 0.0], [64.0, 0.0], [0.0, 64.0]]), COLOR);
    plain.raster.first_vertex_provokes = true;
    let FragmentStage::Simt(fragment) = &mut plain.fragment else { unreachable!() };
    fragment.interpolants = interpolants(InterpolantMode::Linear);
    fragment.stage = stage(
        ".kind fragment\n    interp $r0 v[0x4]\n    interp $r1 v[0x8]\n    interp $r2 v[0xc]\n    interp $r3 v[0x10]\n    exit nop\n",
        &[],
    );
    let memory = memory(&[with_program(plain, &text, EmittedPrimitive::TriangleStrip, 3)]);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| (x, y))) {
        // One at the first vertex, zero at the others.
        let red = 255.0 * (1.0 - f64::from(x + y + 1) / 64.0);
        let [blue, green, found, alpha] = pixel(&memory, 0, x, y);
        assert!((f64::from(found) - red).abs() < 0.501 && [blue, green, alpha] == [0; 3], "{x}, {y}");
    }
}

/// The three vertices beside the edges make the triangle that is drawn.
#[test]
fn a_program_reads_adjacent_vertices() {
    // (0, 0), (32, 0) and (0, 32) are beside the edges of a triangle elsewhere.
    let separate = places(&[[40.0, 40.0], [0.0, 0.0], [60.0, 40.0], [32.0, 0.0], [40.0, 60.0], [0.0, 32.0]]);
    let mut plain = draw(&separate, COLOR);
    plain.primitive = PrimitiveType::TrianglesAdjacency;
    let text: String = [1, 3, 5].map(copy).concat();
    let beside = memory(&[with_program(plain.clone(), &text, EmittedPrimitive::TriangleStrip, 3)]);
    let expected: Vec<_> = filled([0, 0, 32, 32]).into_iter().filter(|[x, y]| x + y + 1 < 32).collect();
    assert_eq!(drawn(&beside), expected);
    // Without a program the neighbors are left out.
    let left_out = memory(&[plain]);
    let expected: Vec<_> = filled([40, 40, 60, 60]).into_iter().filter(|[x, y]| x - 40 + y - 40 + 1 < 20).collect();
    assert_eq!(drawn(&left_out), expected);
    let lines: String = [0, 3].map(copy).concat();
    let mut line = draw(&places(&[[0.0, 8.5], [3.0, 50.0], [9.0, 50.0], [32.0, 8.5]]), COLOR);
    line.primitive = PrimitiveType::LinesAdjacency;
    let ends = memory(&[with_program(line, &lines, EmittedPrimitive::LineStrip, 2)]);
    assert_eq!(drawn(&ends), filled([0, 8, 32, 9]));
}

/// Two rectangles of two triangles each: the second one adds to the first. Depth, blending, a texture and targets in blocks of
/// gobs work behind a geometry program that moves the rectangles by 16 pixels.
#[test]
fn all_stages_work_behind_a_program() {
    let moved = |vertex| {
        copy(vertex).replacen(
            "    mov b32 o[0x0] p[$a1+0x0]",
            "    mov b32 $r0 p[$a1+0x0]\n    add rn f32 o[0x0] $r0 c0[0x0]",
            1,
        )
    };
    let text: String = (0..3).map(moved).collect();
    let sampled = ".kind fragment\n    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n    interp $r0 v[0x4] $r4\n    interp $r1 v[0x8] $r4
    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n    exit nop\n";
    let zeta = ZetaTarget { window: window(1), layout: block_linear(), format: ZetaFormat::Z24S8, is_float: false };
    // The whole texture at a quarter of its size, at depths 1/2 and 1/4: level 1 has the texel of each pixel twice.
    let square = [[0.0, 0.0], [64.0, 0.0], [0.0, 64.0]];
    let draws = [(0.5, false), (0.25, true), (0.75, true)].map(|(z, is_tested)| {
        let corners = square.map(|[x, y]: [f32; 2]| ([x, y, z, 1.0], [x / 64.0, y / 64.0, 0.0, 0.0]));
        let mut draw = draw(&corners, sampled);
        draw.textures[0] = Some(texture());
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        stage.units = vec![[3, 2]];
        draw.targets.color[0] = Some(ColorTarget { layout: block_linear(), ..linear(0) });
        draw.targets.zeta = Some(zeta);
        let compare = if is_tested { Compare::Less } else { Compare::Always };
        draw.rop.depth_test = Some(DepthTest { compare, writes: true });
        let blend = Blend { destination: [BlendFactor::One; 2], ..REPLACE };
        draw.rop.blend = [is_tested.then_some(blend); MAX_COLOR_TARGETS];
        with_program(draw, &text, EmittedPrimitive::TriangleStrip, 3)
    });
    let memory = memory(&draws);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let place = block_linear().pixel_offset(x, y, 4);
        let is_covered = x >= 16 && x - 16 + y + 1 < SIDE;
        // Level 1 has four times the column in blue and the row in green; two of them are added.
        let twice = |place: u32| u8::try_from((8 * place).min(255)).unwrap();
        let color = if is_covered { [twice(x - 16), twice(y), 0, 255] } else { [0; 4] };
        assert_eq!(word(&memory, place).to_le_bytes(), color, "{x}, {y}");
        assert_eq!(word(&memory, TARGET + place) >> 8, if is_covered { 0x40_0000 } else { 0 }, "{x}, {y}");
    }
}

#[test]
fn a_program_with_a_loop_emits_in_each_pass() {
    let text = "    mov b32 $r0 0x0\n    mov b32 $r1 0x1\n    mov b32 $r3 0x3\n    mov b32 $r9 0x3f800000\nagain:\n    shl $a1 $r0 0x2\n    mov b32 o[0x0] p[$a1+0x0]\n    mov b32 o[0x4] p[$a1+0x4]
    mov b32 o[0x8] p[$a1+0x8]\n    mov b32 o[0xc] p[$a1+0xc]\n    mov b32 o[0x10] $r9\n    emit\n    add b32 $r0 $r0 $r1
    set $c0 # l u32 $r0 $r3\n    (lg $c0) bra again\n";
    let draw = with_program(draw(&corner_triangle(0.5, [1.0; 3]), COLOR), text, EmittedPrimitive::TriangleStrip, 3);
    assert_eq!(drawn(&memory(&[draw])).len(), 63 * 64 / 2);
}

/// A program that kernels do not run is left to the reference: it joins at another place than it says.
#[test]
fn a_program_that_needs_warps_runs_on_the_host() {
    let text = format!("{JOINS_ELSEWHERE}{}", (0..3).map(copy).collect::<String>());
    let draw = with_program(draw(&corner_triangle(0.5, [1.0; 3]), COLOR), &text, EmittedPrimitive::TriangleStrip, 3);
    let (memory, paths) = run(&[draw]);
    assert!(paths.iter().all(|path| *path == DrawPath::Host), "{paths:?}");
    assert_eq!(drawn(&memory).len(), 63 * 64 / 2);
}

/// A random line that emits, restarts or reads `p[]` at any address.
fn random_line(random: &mut Random) -> String {
    let predicate = match random.below(4) {
        0 => random.pick(&["(lg $c0) ", "(e $c0) ", "(l $c1) ", "(ge $c1) "]),
        _ => "",
    };
    let mut register = || random.below(8);
    let (a, b, to) = (register(), register(), register());
    let (word, vertex) = (4 * random.below(8), 4 * random.below(7));
    let text = match random.below(12) {
        0..=3 => "emit".to_owned(),
        4 => "restart".to_owned(),
        5 => format!("shl $a1 a[{vertex:#x}] 0x0"),
        6 => format!("mov b32 $r{to} p[$a1+{word:#x}]"),
        7 => format!("add rn f32 $r{to} $r{a} $r{b}"),
        8 => format!("mov b32 o[{:#x}] $r{a}", 16 + word % 16),
        9 => format!("set $c{} # l f32 $r{a} $r{b}", random.below(2)),
        10 => format!("mov b32 o[{word:#x}] p[$a1+{word:#x}]"),
        _ => format!("shl $a1 $r{a} {:#x}", random.below(4)),
    };
    format!("    {predicate}{text}\n")
}

#[test]
fn random_programs_emit_the_same_on_both_engines() {
    let mut count = 0;
    for seed in 0..cases(6, 48) {
        let mut random = Random::new(seed);
        let begin: String = (0..8).map(|word| format!("    mov b32 $r{word} p[$a1+{:#x}]\n", 4 * word)).collect();
        let mut text =
            format!("    shl $a1 a[0x4] 0x0\n{begin}    set $c0 # l f32 $r4 $r5\n    set $c1 # l f32 $r6 $r5\n");
        for vertex in 0..4 {
            text += &copy(vertex % 3);
            text.extend((0..4).map(|_| random_line(&mut random)));
        }
        let mut float = |low: f32, high: f32| low + (high - low) * random.below(1 << 16) as f32 / 65_536.0;
        let corners: Vec<_> = (0..14)
            .map(|_| {
                let position = [float(-20.0, 84.0), float(-20.0, 84.0), float(-0.2, 1.2), float(0.5, 3.0)];
                (position, [(); 4].map(|()| float(-2.0, 2.0)))
            })
            .collect();
        let mut draw = draw(&corners, COLOR);
        let inputs = [
            PrimitiveType::Triangles,
            PrimitiveType::TriangleStripAdjacency,
            PrimitiveType::LineStrip,
            PrimitiveType::Points,
            PrimitiveType::LineStripAdjacency,
            PrimitiveType::TriangleFan,
        ];
        draw.primitive = inputs[seed as usize % inputs.len()];
        let modes = [PolygonMode::Fill, PolygonMode::Line, PolygonMode::Point];
        draw.raster.polygon_mode = [modes[seed as usize % 3], modes[seed as usize / 3 % 3]];
        draw.raster.first_vertex_provokes = seed % 2 == 0;
        draw.outputs.point_size = None;
        draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
        let emitted = [
            EmittedPrimitive::TriangleStrip,
            EmittedPrimitive::LineStrip,
            EmittedPrimitive::TriangleStrip,
            EmittedPrimitive::Points,
        ];
        let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
        let mode = if seed % 3 == 0 { InterpolantMode::Flat } else { InterpolantMode::Perspective };
        stage.interpolants = interpolants(mode);
        let draw = with_program(draw, &text, emitted[seed as usize / 2 % 4], 2 + (seed as u32 * 5) % 12);
        let (memory, paths) = run(&[draw]);
        assert!(!paths.contains(&DrawPath::Host), "seed {seed}: {paths:?}\n{text}");
        count += u64::from(memory[..TARGET as usize].iter().any(|byte| *byte != 0));
    }
    assert!(count >= cases(3, 30), "{count} drew something");
}
