//! Branches, loops, calls and barriers: what each thread computes, and that warps run together again.

use super::{Machine, compile};
use crate::common::random::Random;

/// Runs statements on one block, for threads %t and the result %d, and counts diverged branches.
fn run(functions: &str, registers: &str, statements: &str, threads: u32) -> (Vec<u32>, u64) {
    let text = format!(
        ".version 1.4\n.target sm_10\n{functions}
.entry test (.param .u32 out) {{
    .reg .u32 %t, %d, %address;
    .reg .pred %p, %q;
    {registers}
    cvt.u32.u16 %t, %tid.x;
    mov.u32 %d, 0;
    {statements}
    ld.param.u32 %address, [out];
    mad24.lo.u32 %address, %t, 4, %address;
    st.global.u32 [%address], %d;
}}"
    );
    let mut machine = Machine::new(&text);
    let out = machine.buffer("out", &vec![0; threads as usize]);
    let report = machine.run("test", [1, 1], [threads, 1, 1], &[out]);
    (machine.words("out"), report.divergent_branches)
}

fn check(registers: &str, statements: &str, expected: impl Fn(u32) -> u32) -> u64 {
    let (found, divergences) = run("", registers, statements, 64);
    assert_eq!(found, (0..64).map(expected).collect::<Vec<_>>(), "{statements}");
    divergences
}

#[test]
fn alternatives_join() {
    let statements = "
        setp.lt.u32 %p, %t, 10;
        @%p bra small;
        mul.lo.u32 %d, %t, 3;
        bra both;
    small:
        add.u32 %d, %t, 1000;
    both:
        bar.sync 0;
        add.u32 %d, %d, 1;";
    // A barrier that only a part of a warp reaches is a fault.
    let divergences = check("", statements, |t| if t < 10 { t + 1001 } else { t * 3 + 1 });
    assert_eq!(divergences, 1, "only the first warp diverges");
}

#[test]
fn nested_alternatives_join_at_one_place() {
    let statements = "
        and.b32 %x, %t, 1;
        setp.eq.u32 %p, %x, 0;
        @%p bra even;
        and.b32 %x, %t, 2;
        setp.eq.u32 %p, %x, 0;
        @%p bra one;
        mov.u32 %d, 3;
        bra end;
    one:
        mov.u32 %d, 1;
        bra end;
    even:
        and.b32 %x, %t, 2;
        setp.eq.u32 %p, %x, 0;
        @!%p mov.u32 %d, 2;
        @!%p bra end;
        mov.u32 %d, 4;
    end:
        bar.sync 0;";
    check(".reg .u32 %x;", statements, |t| [4, 1, 2, 3][(t % 4) as usize]);
}

#[test]
fn loops_end_at_different_times() {
    let statements = "
        mov.u32 %i, %t;
    again:
        setp.eq.u32 %p, %i, 0;
        @%p bra end;
        add.u32 %d, %d, %i;
        sub.u32 %i, %i, 1;
        bra again;
    end:
        bar.sync 0;";
    check(".reg .u32 %i;", statements, |t| t * (t + 1) / 2);
    let statements = "
        mov.u32 %i, 0;
    again:
        add.u32 %i, %i, 1;
        add.u32 %d, %d, %i;
        setp.lt.u32 %p, %i, %t;
        @%p bra again;
        bar.sync 0;";
    check(".reg .u32 %i;", statements, |t| (1..=t.max(1)).sum());
}

#[test]
fn loops_in_loops_with_breaks_and_continues() {
    // Counts pairs i < 20, j < i where (i + j + t) is no multiple of 3; leaves both loops at i·j > 40 + t.
    let statements = "
        mov.u32 %i, 0;
    outer:
        setp.ge.u32 %p, %i, 20;
        @%p bra end;
        mov.u32 %j, 0;
    inner:
        setp.ge.u32 %p, %j, %i;
        @%p bra next;
        mul24.lo.u32 %x, %i, %j;
        add.u32 %y, %t, 40;
        setp.gt.u32 %q, %x, %y;
        @%q bra end;
        add.u32 %x, %i, %j;
        add.u32 %x, %x, %t;
        rem.u32 %x, %x, 3;
        setp.eq.u32 %p, %x, 0;
        @%p bra skip;
        add.u32 %d, %d, 1;
    skip:
        add.u32 %j, %j, 1;
        bra inner;
    next:
        bar.sync 1;
        add.u32 %i, %i, 1;
        bra outer;
    end:
        bar.sync 0;";
    let expected = |t: u32| {
        let mut count = 0;
        for i in 0..20 {
            for j in 0..i {
                if i * j > 40 + t {
                    return count;
                }
                count += u32::from(!(i + j + t).is_multiple_of(3));
            }
        }
        count
    };
    // Threads leave at different times here, so that the barrier in the loop would not be reached by all.
    let statements = statements.replace("bar.sync 1;", "");
    check(".reg .u32 %i, %j, %x, %y;", &statements, expected);
}

#[test]
fn barriers_in_loops_are_reached_by_joined_warps() {
    let statements = "
        mov.u32 %i, 0;
    outer:
        mov.u32 %j, %t;
    inner:
        setp.eq.u32 %p, %j, 0;
        @%p bra done;
        and.b32 %x, %j, 1;
        setp.ne.u32 %q, %x, 0;
        sub.u32 %j, %j, 1;
        @%q bra inner;
        add.u32 %d, %d, 1;
        bra inner;
    done:
        bar.sync 0;
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, 5;
        @%p bra outer;";
    check(".reg .u32 %i, %j, %x;", statements, |t| 5 * (t / 2));
}

#[test]
fn threads_that_exit_early_leave_the_others_together() {
    let text = "
        and.b32 %x, %t, 3;
        setp.eq.u32 %p, %x, 0;
        @%p exit;
        setp.eq.u32 %p, %x, 1;
        @%p ret;
        mov.u32 %d, 9;";
    let (found, _) = run("", ".reg .u32 %x;", text, 64);
    let expected: Vec<u32> = (0..64).map(|t| if t % 4 > 1 { 9 } else { 0 }).collect();
    assert_eq!(found, expected);
}

#[test]
fn functions_are_inlined() {
    let functions = "
.func (.reg .u32 %r) square (.reg .u32 %x) {
    mul.lo.u32 %r, %x, %x;
    ret;
}
.func (.reg .u32 %r, .reg .pred %odd) collatz (.reg .u32 %x, .reg .pred %skip) {
    .reg .u32 %bit;
    mov.u32 %r, %x;
    and.b32 %bit, %x, 1;
    setp.ne.u32 %odd, %bit, 0;
    @%skip ret;
    @!%odd bra even;
    mad.lo.u32 %r, %x, 3, 1;
    ret;
even:
    shr.u32 %r, %x, 1;
    call (%r), square, (%r);
}";
    let statements = "
        setp.ge.u32 %q, %t, 60;
        call (%d, %p), collatz, (%t, %q);
        @%p add.u32 %d, %d, 100000;
        setp.lt.u32 %q, %t, 4;
        @%q call (%d), square, (%d);
        bar.sync 0;";
    let (found, _) = run(functions, "", statements, 64);
    let expected: Vec<u32> = (0..64)
        .map(|t| {
            let odd = t % 2 == 1;
            let value = if t >= 60 {
                t
            } else if odd {
                3 * t + 1
            } else {
                (t / 2) * (t / 2)
            };
            let value = value + if odd { 100_000 } else { 0 };
            if t < 4 { u32::wrapping_mul(value, value) } else { value }
        })
        .collect();
    assert_eq!(found, expected);
}

/// As compilers of 2008 wrote calls: declared functions, whose arguments and results are registers of the module.
#[test]
fn functions_share_the_registers_of_the_module() {
    let functions = "
.reg .u32 %ra<17>;
.reg .v2 .u32 %pair;
.reg .pred %all;
.func (.reg .u32 %rv1) later (.reg .u32 %ra1)
.func count;
.func (.reg .u32 %rv1) twice (.reg .u32 %ra1) {
    call (%rv1), later, (%ra1);
    add.u32 %rv1, %rv1, %ra1;
    call count;
}
.func (.reg .u32 %rv1) later (.reg .u32 %ra1) {
    call count;
    add.u32 %rv1, %ra1, 100;
}
.func count {
    @%all add.u32 %ra16, %ra16, 1;
    mov.u32 %pair.y, %ra16;
}";
    let statements = "
        mov.u32 %ra16, 10;
        setp.gt.u32 %all, %t, 5;
        call (%d), twice, (%t);
        call count;
        mul.lo.u32 %d, %d, %pair.y;";
    let (found, _) = run(functions, "", statements, 64);
    let expected: Vec<u32> = (0..64).map(|t| (2 * t + 100) * if t > 5 { 13 } else { 10 }).collect();
    assert_eq!(found, expected);
}

#[test]
fn loops_with_two_entries_join() {
    // Two loops that are entered in the middle of each other: no structured program is like this.
    let statements = "
        mov.u32 %i, 0;
        and.b32 %x, %t, 1;
        setp.eq.u32 %p, %x, 0;
        @%p bra second;
    first:
        add.u32 %d, %d, 1;
        add.u32 %i, %i, 1;
    second:
        add.u32 %d, %d, 100;
        add.u32 %i, %i, 1;
        setp.lt.u32 %p, %i, 6;
        @%p bra first;
        bar.sync 0;";
    check(".reg .u32 %i, %x;", statements, |t| {
        let (mut d, mut i, mut at_second) = (0, 0, t % 2 == 0);
        loop {
            if !at_second {
                d += 1;
                i += 1;
            }
            d += 100;
            i += 1;
            if i >= 6 {
                return d;
            }
            at_second = false;
        }
    });
}

#[test]
fn registers_that_do_not_suffice_are_kept_in_memory() {
    let many = 40;
    let load: String = (0..many).map(|k| format!("mad.lo.u32 %v{k}, %t, {}, {k};\n", k * k + 1)).collect();
    let add: String =
        (0..many).map(|k| format!("mul.lo.u32 %v{k}, %v{k}, %v{}; add.u32 %d, %d, %v{k};\n", (k + 7) % many)).collect();
    let expected = |t: u32| {
        let mut values: Vec<u32> = (0..many).map(|k: u32| t.wrapping_mul(k * k + 1).wrapping_add(k)).collect();
        let mut sum = 0u32;
        for k in 0..many as usize {
            values[k] = values[k].wrapping_mul(values[(k + 7) % many as usize]);
            sum = sum.wrapping_add(values[k]);
        }
        sum
    };
    for most in [10, 16, 24, 128] {
        let text = format!(
            ".version 1.4\n.target sm_10\n.entry test (.param .u32 out) .maxnreg {most} {{
    .reg .u32 %t, %d, %address, %v<{many}>;
    .reg .u64 %wide;
    cvt.u32.u16 %t, %tid.x;
    mov.u32 %d, 0;
    {load}
    mul.wide.u32 %wide, %t, %v3;
    {add}
    add.u64 %wide, %wide, %wide;
    cvt.u32.u64 %address, %wide;
    add.u32 %d, %d, %address;
    ld.param.u32 %address, [out];
    mad24.lo.u32 %address, %t, 4, %address;
    st.global.u32 [%address], %d;
}}"
        );
        let mut machine = Machine::new(&text);
        let kernel = &machine.module.kernels[0];
        assert!(u32::from(kernel.registers) <= most, "{} registers", kernel.registers);
        assert_eq!(kernel.local_bytes > 0, most < 40, "{most}");
        let out = machine.buffer("out", &[0; 64]);
        machine.run("test", [1, 1], [64, 1, 1], &[out]);
        let expected: Vec<u32> = (0..64)
            .map(|t: u32| {
                expected(t).wrapping_add(2u32.wrapping_mul(t.wrapping_mul(t.wrapping_mul(10).wrapping_add(3))))
            })
            .collect();
        assert_eq!(machine.words("out"), expected, "{most}");
    }
}

/// More than 64 live registers: halves and constants then need low ones.
#[test]
fn high_registers_are_used() {
    let many = 100u32;
    let load: String = (0..many).map(|k| format!("ld.global.u32 %v{k}, [%address+{}];\n", 4 * k)).collect();
    let add: String = (0..many)
        .map(|k| {
            format!(
                "mul.lo.u32 %v{k}, %v{k}, %v{}; add.u32 %v{k}, %v{k}, {}; xor.b32 %d, %d, %v{k};\n",
                many - 1 - k,
                k + 5
            )
        })
        .collect();
    let text = format!(
        ".version 1.4\n.target sm_10\n.entry test (.param .u32 values, .param .u32 out) {{
    .reg .u32 %t, %d, %address, %v<{many}>;
    ld.param.u32 %address, [values];
    mov.u32 %d, 0;
    {load}{add}
    cvt.u32.u16 %t, %tid.x;
    add.u32 %d, %d, %t;
    ld.param.u32 %address, [out];
    mad24.lo.u32 %address, %t, 4, %address;
    st.global.u32 [%address], %d;
}}"
    );
    let mut machine = Machine::new(&text);
    let kernel = &machine.module.kernels[0];
    assert!(kernel.registers > 100 && kernel.local_bytes == 0, "{} {}", kernel.registers, kernel.local_bytes);
    let values: Vec<u32> = (0..many).map(|k| k.wrapping_mul(0x9e37_79b9) ^ 77).collect();
    let (from, out) = (machine.buffer("values", &values), machine.buffer("out", &[0; 32]));
    machine.run("test", [1, 1], [32, 1, 1], &[from, out]);
    let (mut v, mut sum) = (values, 0);
    for k in 0..many {
        let other = v[(many - 1 - k) as usize];
        let value = &mut v[k as usize];
        *value = value.wrapping_mul(other).wrapping_add(k + 5);
        sum ^= *value;
    }
    assert_eq!(machine.words("out"), (0..32).map(|t| t + sum).collect::<Vec<u32>>());
}

#[test]
fn kernels_without_an_end_are_compiled() {
    let module = compile(".version 1.0\n.target sm_10\n.entry spin { again: bra again; }\n.entry empty { }");
    assert_eq!(module.kernels.len(), 2);
    assert_eq!(module.kernels[1].code, [0xf000_0001, 0xe000_0001 | 0xf << 7]);
}

/// A block of a random program: what it adds, and where it goes by a bit of the value, or of one that all threads share.
#[derive(Debug, Clone, Copy)]
struct RandomBlock {
    constant: u32,
    bit: u32,
    is_uniform: bool,
    /// Where threads with the bit go; back only as long as their steps last.
    taken: usize,
    otherwise: usize,
}

/// Blocks with any branches, which the steps of each thread end; the last one goes on to the end.
fn random_blocks(random: &mut Random) -> Vec<RandomBlock> {
    let count = 3 + random.below(9);
    (0..count)
        .map(|index| {
            let behind = |random: &mut Random| (index + 1 + random.below(count - index)) as usize;
            let goes_back = random.below(3) == 0;
            let taken = if goes_back { random.below(index + 1) as usize } else { behind(random) };
            let (constant, bit, is_uniform) = (random.word(), random.below(16), random.below(3) == 0);
            RandomBlock { constant, bit, is_uniform, taken, otherwise: behind(random) }
        })
        .collect()
}

fn text_of(blocks: &[RandomBlock]) -> String {
    let label = |block: usize| if block == blocks.len() { "end".to_owned() } else { format!("block_{block}") };
    let mut text = "mov.u32 %steps, 12; mov.u32 %d, %t;\n".to_owned();
    for (index, block) in blocks.iter().enumerate() {
        let RandomBlock { constant, bit, is_uniform, taken, otherwise } = *block;
        text += &format!("{}: mad.lo.u32 %d, %d, 31, {constant};\n", label(index));
        text += &format!("cvt.u32.u16 %x, %ntid.x; mul.lo.u32 %u, %x, {constant};\n");
        let value = if is_uniform { "%u" } else { "%d" };
        text += &format!("shr.u32 %x, {value}, {bit}; and.b32 %x, %x, 1; setp.ne.u32 %p, %x, 0;\n");
        if taken <= index {
            text += "setp.ne.and.u32 %p, %steps, 0, %p; @%p sub.u32 %steps, %steps, 1;\n";
        }
        text += &format!("@%p bra {};\n", label(taken));
        if otherwise != index + 1 {
            text += &format!("bra {};\n", label(otherwise));
        }
    }
    text + "end: bar.sync 0;\n"
}

fn result_of(blocks: &[RandomBlock], thread: u32) -> u32 {
    let (mut value, mut steps, mut index) = (thread, 12, 0);
    while let Some(block) = blocks.get(index) {
        value = value.wrapping_mul(31).wrapping_add(block.constant);
        // The block has 64 threads.
        let decides = if block.is_uniform { block.constant.wrapping_mul(64) } else { value };
        let is_taken = decides >> block.bit & 1 != 0 && (block.taken > index || steps != 0);
        if is_taken && block.taken <= index {
            steps -= 1;
        }
        index = if is_taken { block.taken } else { block.otherwise };
    }
    value
}

/// All threads compute what each one would alone, and the barrier at the end finds whole warps.
#[test]
fn random_flow_joins() {
    let mut divergences = 0;
    for seed in 0..300 {
        let blocks = random_blocks(&mut Random::new(seed));
        let (found, count) = run("", ".reg .u32 %x, %u, %steps;", &text_of(&blocks), 64);
        let expected: Vec<u32> = (0..64).map(|thread| result_of(&blocks, thread)).collect();
        assert_eq!(found, expected, "seed {seed}: {blocks:?}");
        divergences += count;
    }
    assert!(divergences > 1000, "{divergences}");
}
