//! Draws whose SIMT programs loop, branch around fetches and call functions: pixels by calculation, on both engines.

use super::simt::{
    COLOR, COPY, SIDE, TARGET, corner_triangle, draw, memory, output, pixel, rectangle, run_by, stage, texture, wide,
    word,
};
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::format::ColorFormat;
use curie::kernels::{DrawPath, KernelOptions};
use curie::pipeline::launch::MAX_QUAD_BLOCKS;
use curie::pipeline::{
    ColorTarget, Draw, FragmentStage, Interpolant, InterpolantMode, InterpolantSource, PrimitiveType, VertexStage,
};

/// A rectangle over the target whose program begins with the column in `$r4` and the row, from below, in `$r5`, and ends with
/// four floats in `$r0` to `$r3`.
pub(super) fn by_place(text: &str) -> Draw {
    let begin = ".kind fragment\n    interp $r4 v[0x0]\n    cvt rzi u32 $r4 f32 $r4\n    interp $r5 v[0x4]\n    cvt rzi u32 $r5 f32 $r5
    mov b32 $r0 0x0\n    mov b32 $r1 0x0\n    mov b32 $r2 0x0\n    mov b32 $r3 0x0\n";
    let mut draw = draw(&rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [1.0; 4]), &format!("{begin}{text}    exit nop\n"));
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    let place = |axis| Interpolant::new(InterpolantSource::WindowPosition(axis), InterpolantMode::Linear);
    stage.interpolants = [(0, place(0)), (1, place(1))].into();
    draw.targets.color[0] =
        Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..super::simt::linear(0) });
    draw
}

/// The first of the four floats of each pixel of the first rows that fit in the target.
fn floats(memory: &[u8]) -> impl Iterator<Item = ([u32; 2], f32)> {
    let places = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| [x, y]));
    places.map(|[x, y]| ([x, y], f32::from_bits(word(memory, (y * SIDE + x) * 16))))
}

/// Adds the numbers below the column one after the other.
#[test]
fn threads_of_a_quad_leave_a_loop_one_after_the_other() {
    let text = "    mov b32 $r6 0x0\n    breakaddr end\nagain:\n    set $c0 # ge u32 $r6 $r4\n    (lg $c0) break
    cvt rn f32 $r7 u32 $r6\n    add rn f32 $r0 $r0 $r7\n    add b32 $r6 $r6 0x1\n    bra again\nend:\n";
    for ([x, y], found) in floats(&memory(&[by_place(text)])) {
        let x = x as f32;
        assert_eq!(found, x * (x - 1.0) / 2.0, "{x}, {y}");
    }
}

/// A program that does not end is ended: its first basic block, and the others all in the loop. Others of the warp go on.
#[test]
fn quads_end_after_so_many_basic_blocks() {
    let text =
        "    mov b32 $r6 0x3f800000\n    shr u32 $r7 $r4 0x2\n    mov b32 $r8 0x8\nagain:\n    add rn f32 $r0 $r0 $r6
    set $c0 # l u32 $r7 $r8\n    (lg $c0) bra again\n";
    let endless = (MAX_QUAD_BLOCKS - 1) as f32;
    for ([x, y], found) in floats(&memory(&[by_place(text)])) {
        assert_eq!(found, if x < 32 { endless } else { 1.0 }, "{x}, {y}");
    }
}

/// One thread of a quad keeps on: the others wait, with their values, and end with it.
#[test]
fn threads_that_wait_for_an_endless_one_end_with_it() {
    let text = "    mov b32 $r6 0x3f800000\n    mov b32 $r0 0x40000000\n    joinat done\n    set $c0 # l u32 $r4 c0[0x8]\n    (lg $c0) bra again\n    bra done
again:\n    add rn f32 $r1 $r1 $r6\n    bra again\ndone:\n    join nop\n    mov b32 $r0 $r6\n";
    let mut draw = by_place(text);
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.stage.constants = stage(COLOR, &[0.0, 0.0, f32::from_bits(33)]).constants;
    for ([x, y], found) in floats(&memory(&[draw])) {
        // Columns 32 and 33 are of one quad.
        assert_eq!(found, if x < 34 { 2.0 } else { 1.0 }, "{x}, {y}");
    }
}

/// A function that returns early for small values, twice: 10 more, or twice as much for values from 16 on.
#[test]
fn functions_return_to_where_they_were_called() {
    let text = "    mov b32 $r6 0x10\n    mov b32 $r7 0xa\n    call function\n    call function\n    cvt rn f32 $r0 u32 $r4\n    exit nop
function:\n    set $c0 # l u32 $r4 $r6\n    (e $c0) bra large\n    add b32 $r4 $r4 $r7\n    ret\nlarge:\n    add b32 $r4 $r4 $r4\n    ret\n";
    let function = |value: u32| if value < 16 { value + 10 } else { value * 2 };
    for ([x, y], found) in floats(&memory(&[by_place(text)])) {
        assert_eq!(found, function(function(x)) as f32, "{x}, {y}");
    }
}

/// Thirteen places to join, and within them four threads on ways of their own: as many entries as the stack of a quad has. Each
/// thread comes by its own number of places.
#[test]
fn the_stack_of_a_quad_holds_its_deepest_program() {
    let joins = |number: u32| format!("    joinat done{number}\n");
    let joined = |number: u32| format!("done{number}:\n    join add rn f32 $r0 $r0 $r9\n");
    let pushed: String = (0..13).map(joins).collect();
    let text = format!(
        "    mov b32 $r9 0x3f800000\n    and b32 $r4 $r4 0x1\n    and b32 $r5 $r5 0x1\n    add b32 $r5 $r5 $r5\n    add b32 $r6 $r4 $r5
{pushed}    mov b32 $r7 0x3\n    set $c0 # l u32 $r6 $r7\n    (lg $c0) bra three\n    bra done12\nthree:\n    add rn f32 $r0 $r0 $r9
    mov b32 $r7 0x2\n    set $c0 # l u32 $r6 $r7\n    (lg $c0) bra two\n    bra done12\ntwo:\n    add rn f32 $r0 $r0 $r9
    mov b32 $r7 0x1\n    set $c0 # l u32 $r6 $r7\n    (lg $c0) bra one\n    bra done12\none:\n    add rn f32 $r0 $r0 $r9\n{}",
        (0..13).rev().map(joined).collect::<String>()
    );
    for ([x, y], found) in floats(&memory(&[by_place(&text)])) {
        // Rows count from below.
        let thread = (x & 1) + 2 * ((SIDE - 1 - y) & 1);
        assert_eq!(found, (13 + 3 - thread) as f32, "{x}, {y}");
    }
}

/// Threads return or are discarded, one after the other; the rest go on in a straight line.
#[test]
fn threads_end_early_in_a_straight_program() {
    let text = "    mov b32 $r0 0x3f800000\n    mov b32 $r7 0x20\n    set $c0 # l u32 $r4 $r7\n    (lg $c0) ret\n    set $c0 # l u32 $r5 $r7\n    (lg $c0) discard
    mov b32 $r7 0x30\n    set $c0 # l u32 $r5 $r7\n    (lg $c0) discard\n    mov b32 $r0 0x40000000\n";
    for ([x, y], found) in floats(&memory(&[by_place(text)])) {
        let row = SIDE - 1 - y;
        let expected = match (x, row) {
            (..32, _) => 1.0,
            (_, ..48) => 0.0,
            _ => 2.0,
        };
        assert_eq!(found, expected, "{x}, {y}");
    }
}

/// A fetch that one of the threads of a quad executes takes its level from the coordinates of all, as the others would.
#[test]
fn a_fetch_behind_a_branch_has_the_differences_of_its_quad() {
    let text = ".kind fragment\n    interp $r8 v[0x0]\n    rcp f32 $r8 $r8\n    interp $r4 v[0x4] $r8\n    interp $r5 v[0x8] $r8
    mov b32 $r0 0x0\n    mov b32 $r1 0x0\n    mov b32 $r2 0x0\n    mov b32 $r3 0x0\n    joinat done\n    set $c0 # l f32 $r4 c0[0x0]\n    (e $c0) bra done
    texauto all $r4:$r5:$r6:$r7 $t3 $s2 $r4:$r5 0x0 0x0 0x0\n    mov b32 $r0 $r4\n    mov b32 $r1 $r5\n    mov b32 $r2 $r6\n    mov b32 $r3 $r7\ndone:\n    join nop\n    exit nop\n";
    let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), text);
    draw.textures[0] = Some(texture());
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.units = vec![[3, 2]];
    // Between columns 20 and 21, of one quad.
    own.stage.constants = stage(COLOR, &[21.0 / 64.0]).constants;
    let memory = memory(&[draw]);
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| (x, y))) {
        let expected = if x < 21 { [4 * x as u8, 4 * y as u8, 0, 255] } else { [0; 4] };
        assert_eq!(pixel(&memory, 0, x, y), expected, "{x}, {y}");
    }
}

/// Fetches of level 1, one more of each column: the sum of blue over the columns to the left. An adapter that ends loops may leave
/// it to the reference.
#[test]
fn a_fetch_in_a_loop_works_on_kernels() {
    let text = "    mov b32 $r6 0x0\n    mov b32 $r7 0x1\n    mov b32 $r8 0x0\n    breakaddr end\nagain:\n    set $c0 # ge u32 $r6 $r4\n    (lg $c0) break
    mov b32 $r10 $r6\n    mov b32 $r11 $r8\n    mov b32 $r12 $r7\n    texfetch all $r10:$r11:$r12:$r13 $t3 $s2 $r10:$r11:$r12 0x0 0x0 0x0
    add rn f32 $r0 $r0 $r12\n    add b32 $r6 $r6 $r7\n    bra again\nend:\n    mov b32 $r9 0x437f0000\n    mul rn f32 $r0 $r0 $r9\n";
    let mut draw = by_place(text);
    draw.textures[0] = Some(texture());
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.units = vec![[3, 2]];
    let unlimited = KernelOptions { max_loop_iterations: Some(u32::MAX), ..KernelOptions::default() };
    let (memory, paths) = run_by(&[draw.clone()], unlimited);
    assert!(!paths.contains(&DrawPath::Host), "{paths:?}");
    for ([x, y], found) in floats(&memory) {
        let sum = (0..x).map(|column| 4 * column).sum::<u32>() as f32;
        assert!((found - sum).abs() < 0.05, "{x}, {y}: {found} for {sum}");
    }
    let limited = KernelOptions { max_loop_iterations: Some(65_535), ..KernelOptions::default() };
    let (again, paths) = run_by(&[draw], limited);
    assert!(paths.iter().all(|path| *path == DrawPath::Host) && again == memory, "{paths:?}");
}

/// The columns as constants, up to 47; what lies beyond is zero, as are other spaces, a misaligned access, and one whose address
/// begins again at zero.
#[test]
fn a_register_addresses_constants() {
    let columns: Vec<f32> = (0..48u8).map(f32::from).collect();
    for (line, expected) in [
        ("ld $r0 b32 c0[$a1+0x0]", [0.0, 1.0, 47.0, 0.0, 0.0]),
        ("ld $r0 b32 c0[$a1+0x4]", [1.0, 2.0, 0.0, 0.0, 0.0]),
        ("ld $r0 b32 c1[$a1+0x0]", [0.0; 5]),
        ("ld $r0 b32 c0[0xfc]", [0.0; 5]),
        ("ld $r0 b32 c5[0x0]", [0.0; 5]),
    ] {
        let mut draw = by_place(&format!("    shl $a1 $r4 0x2\n    {line}\n"));
        let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
        own.stage.constants = stage(COLOR, &columns).constants;
        let memory = memory(&[draw]);
        let found = [0, 1, 47, 48, 63].map(|x| f32::from_bits(word(&memory, (SIDE + x) * 16)));
        assert_eq!(found, expected, "{line}");
    }
    let mut draw = by_place("    mov b32 $r6 0x1\n    shl $a1 $r6 0x0\n    ld $r0 b32 c0[$a1+0x4]\n");
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.stage.constants = stage(COLOR, &columns).constants;
    assert!(floats(&memory(&[draw])).all(|(_, found)| found == 0.0), "a misaligned access");
    let mut draw = by_place("    mov b32 $r6 0xfffc\n    shl $a1 $r6 0x0\n    ld $r0 b32 c0[$a1+0x20]\n");
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.stage.constants = stage(COLOR, &columns).constants;
    assert!(floats(&memory(&[draw])).all(|(_, found)| found == 7.0), "an address that begins again");
}

/// Some threads of a quad make all of them active, in a branch and in a straight line; parts of a quad are written by their places.
#[test]
fn quads_are_entered_and_left() {
    let entered = "    quadon\n    mov b32 $r0 0x3f800000\n    (l0) mov b32 $r0 $r9\n    quadpop\n";
    let branch = format!(
        "    mov b32 $r9 0x40000000\n    mov b32 $r7 0x21\n    joinat done\n    set $c0 # l u32 $r4 $r7\n    (lg $c0) bra body\n    bra done\nbody:\n{entered}done:\n    join nop\n"
    );
    let straight = format!("    mov b32 $r9 0x40000000\n{entered}");
    for (text, columns) in [(branch, 34), (straight, SIDE)] {
        for ([x, y], found) in floats(&memory(&[by_place(&text)])) {
            let expected = match (x < columns, x % 2 + y % 2) {
                (false, _) => 0.0,
                (true, 0) => 2.0,
                _ => 1.0,
            };
            assert_eq!(found, expected, "{x}, {y}");
        }
    }
}

/// Eight squares in local memory of each thread, read by the column; what is outside is zero, and half words are parts of words.
#[test]
fn threads_have_local_memory() {
    let text = "    mov b32 $r6 0x0\nagain:\n    shl $a1 $r6 0x2\n    cvt rn f32 $r7 u32 $r6\n    mul rn f32 $r7 $r7 $r7\n    st b32 l[$a1+0x0] $r7
    add b32 $r6 $r6 0x1\n    mov b32 $r8 0x8\n    set $c0 # l u32 $r6 $r8\n    (lg $c0) bra again\n    shl $a1 $r4 0x2\n    ld b32 $r0 l[$a1+0x0]
    mov b32 $r6 0x3f80\n    st u16 l[0x3e] $r6\n    ld b32 $r1 l[0x3c]\n    ld u16 $r2 l[0x1e]\n    ld b32 $r3 l[0x100]\n";
    let mut draw = by_place(text);
    let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
    own.stage.local_bytes = 0x40;
    let memory = memory(&[draw]);
    for ([x, y], found) in floats(&memory) {
        let expected = if x < 8 { (x * x) as f32 } else { 0.0 };
        assert_eq!(found, expected, "{x}, {y}");
    }
    // The upper half of 49.0 and what is outside.
    let words = [1, 2, 3].map(|part| word(&memory, 4 * part));
    assert_eq!(words, [1.0f32.to_bits(), 49.0f32.to_bits() >> 16, 0]);
}

/// A vertex program adds 1/64 to red until it has counted up to green.
#[test]
fn a_vertex_program_loops() {
    let lane = "    mov b32 $r0 0x0\n    mov b32 $r1 a[0x14]\n    mov b32 $r2 0x3c800000\n    mov b32 $r3 0x0
again:\n    add rn f32 $r0 $r0 $r2\n    add rn f32 $r3 $r3 $r2\n    set $c0 # l f32 $r3 $r1\n    (lg $c0) bra again\n    mov b32 o[0x10] $r0";
    let vertices = rectangle([0.0, 0.0, 64.0, 64.0], 0.5, [0.0, 0.5, 0.0, 1.0]);
    let mut draw = draw(&vertices, COLOR);
    let VertexStage::Simt(vertex) = &mut draw.vertex else { unreachable!() };
    vertex.stage = stage(&COPY.replace("    mov b32 o[0x10] a[0x10]", lane), &[]);
    let memory = memory(&[draw]);
    assert_eq!([(0, 0), (30, 20), (63, 63)].map(|(x, y)| pixel(&memory, 0, x, y)), [[0, 128, 128, 255]; 3]);
}

/// Random programs: lines, sides of branches, loops and functions in each other, over `$r0` to `$r9` and `$c0`. `$r12` and above
/// count.
struct Programs<'r> {
    random: &'r mut Random,
    labels: u32,
    functions: Vec<String>,
}

impl Programs<'_> {
    fn line(&mut self) -> String {
        let [to, a, b] = [(); 3].map(|()| self.random.below(10));
        let first = 4 * self.random.below(2);
        let text = match self.random.below(14) {
            10 => format!("shl $a1 $r{a} {:#x}", self.random.below(4)),
            11 => format!("ld $r{to} b32 c0[$a1+{:#x}]", 4 * self.random.below(4)),
            12 => format!("st b32 l[$a1+{:#x}] $r{a}", 4 * self.random.below(4)),
            13 => format!("ld b32 $r{to} l[$a1+{:#x}]", 4 * self.random.below(4)),
            0 => format!("add rn f32 $r{to} $r{a} neg $r{b}"),
            1 => format!("mul rn f32 $r{to} $r{a} $r{b}"),
            2 => format!("add b32 $r{to} $r{a} $r{b}"),
            3 => format!("max f32 $r{to} $r{a} $r{b}"),
            4 => format!("set $c0 # l f32 $r{a} $r{b}"),
            5 => format!("(lg $c0) mov b32 $r{to} $r{a}"),
            6 => format!("quadop f32 sub subr sub subr $r{to} dx $r{a} $r{b}"),
            7 => format!("interp $r{to} v[{:#x}]", 4 * self.random.below(5)),
            8 => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|register| first + register);
                format!("texauto all $r{a}:$r{b}:$r{c}:$r{d} $t3 $s2 $r{a}:$r{b} 0x0 0x0 0x0")
            }
            9 if self.random.below(8) == 0 => "(l $c0) discard".to_owned(),
            _ => format!("set $c0 # ge s32 $r{a} $r{b}"),
        };
        format!("    {text}\n")
    }

    fn lines(&mut self) -> String {
        (0..1 + self.random.below(3)).map(|_| self.line()).collect()
    }

    fn body(&mut self, depth: u32) -> String {
        let mut text = self.lines();
        for _ in 0..1 + self.random.below(2) {
            if depth < 2 {
                text += &self.nested(depth + 1);
            }
            text += &self.lines();
        }
        text
    }

    fn nested(&mut self, depth: u32) -> String {
        self.labels += 1;
        let (number, counter) = (self.labels, 12 + depth);
        let joins = self.random.below(2) == 0;
        let (before, joined) =
            if joins { (format!("    joinat done{number}\n"), "    join nop\n") } else { (String::new(), "") };
        let condition = self.random.pick(&["lg", "e", "l", "ge"]);
        match self.random.below(4) {
            0 => {
                let (first, second) = (self.body(depth), self.body(depth));
                format!(
                    "{before}    ({condition} $c0) bra other{number}\n{first}    bra done{number}\nother{number}:\n{second}done{number}:\n{joined}"
                )
            }
            1 => {
                let (first, second) = (self.body(depth), self.lines());
                format!("    breakaddr end{number}\n    mov b32 $r{counter} 0x0\nagain{number}:\n{first}    ({condition} $c0) break
{second}    add b32 $r{counter} $r{counter} 0x1\n    and b32 $r11 $r0 0x3\n    set $c1 # l u32 $r{counter} $r11\n    (lg $c1) bra again{number}\n    break\nend{number}:\n")
            }
            2 => {
                let first = self.body(depth);
                format!("    mov b32 $r{counter} 0x0\nagain{number}:\n{first}    add b32 $r{counter} $r{counter} 0x1\n    and b32 $r11 $r1 0x3
    set $c1 # l u32 $r{counter} $r11\n    (lg $c1) bra again{number}\n")
            }
            _ => {
                let first = self.body(depth);
                let second = self.lines();
                self.functions.push(format!("function{number}:\n{first}    ({condition} $c0) ret\n{second}    ret\n"));
                format!("    call function{number}\n")
            }
        }
    }
}

#[test]
fn random_programs_go_the_same_ways_on_both_engines() {
    let mut drawn = 0;
    for seed in 0..cases(4, 48) {
        let mut random = Random::new(seed);
        let mut programs = Programs { random: &mut random, labels: 0, functions: Vec::new() };
        let body = programs.body(0);
        let functions = programs.functions.concat();
        let begin: String = (0..5).map(|word| format!("    interp $r{word} v[{:#x}]\n", 4 * word)).collect();
        let rest: String = (5..10).map(|to| format!("    mov b32 $r{to} $r{}\n", to - 5)).collect();
        let text = format!(".kind fragment\n{begin}{rest}    set $c0 # l f32 $r1 $r2\n{body}    exit nop\n{functions}");
        let mut float = |low: f32, high: f32| low + (high - low) * random.below(1 << 16) as f32 / 65_536.0;
        let corners: Vec<_> = (0..6)
            .map(|_| {
                let position = [float(-20.0, 84.0), float(-20.0, 84.0), float(-0.2, 1.2), float(0.5, 3.0)];
                (position, [(); 4].map(|()| float(-2.0, 2.0)))
            })
            .collect();
        let mut draw = draw(&corners, &text);
        draw.primitive = [PrimitiveType::Triangles, PrimitiveType::LineStrip][seed as usize % 2];
        draw.textures[0] = Some(texture());
        draw.targets.color[0] =
            Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..super::simt::linear(0) });
        let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
        own.units = vec![[3, 2]];
        own.stage.local_bytes = 0x40;
        own.interpolants.insert(0, Interpolant::new(output(1, 0), InterpolantMode::Linear));
        let unlimited = KernelOptions { max_loop_iterations: Some(u32::MAX), ..KernelOptions::default() };
        let (memory, paths) = run_by(&[draw], unlimited);
        assert!(!paths.contains(&DrawPath::Host), "seed {seed}: {paths:?}\n{text}");
        drawn += u64::from(memory[..TARGET as usize].iter().any(|byte| *byte != 0));
    }
    assert!(drawn >= cases(2, 30), "{drawn} drew something");
}
