//! Compares the models with published measurements of the family; docs/launch-model.md has the table.

use super::test_kernels::{module, run};
use super::*;
use crate::machine::{TeslaMachine, open_tesla};

/// How often a measured sequence is repeated.
const REPEATS: u32 = 200;

/// The clocks that a repetition of instructions takes in one block of a number of threads.
fn clocks_each(machine: &TeslaMachine, threads: u32, [start, repeated]: [&str; 2], arguments: &[&str]) -> f64 {
    let of = |repeats: u32| {
        let body = format!("{start}\n{}    exit nop\n", format!("{repeated}\n").repeat(repeats as usize));
        run(machine, &module(&body), [1, threads], arguments).clocks
    };
    (of(2 * REPEATS) - of(REPEATS)) / f64::from(REPEATS)
}

fn gtx() -> TeslaMachine {
    TeslaMachine::default()
}

fn gt200() -> TeslaMachine {
    open_tesla("geforce-gtx-280").unwrap()
}

/// Whether numbers are equal up to a part of the second.
fn is_near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected
}

/// Dependent operations of one warp: 24 clocks on G80 (Volkov and Demmel, SC 2008) and on GT200 (Wong et al., ISPASS 2010);
/// functions: 28 on GT200 (Wong et al.).
#[test]
fn dependent_operations_of_one_warp() {
    for machine in [gtx(), gt200()] {
        assert_eq!(clocks_each(&machine, 32, ["", "    add f32 $r1 (mul $r1 $r2) $r1"], &[]), 24.0);
        assert_eq!(clocks_each(&machine, 32, ["", "    rcp f32 $r1 $r1"], &[]), 28.0);
    }
}

/// Independent operations of many warps: 4 clocks of a warp for sums and products, 16 for reciprocals and logarithms, 32 for
/// sines, whose argument is reduced by an instruction of its own (CUDA Programming Guide 1.1, section 5.1.1.1; Wong et al.: 8
/// and 2 operations a clock).
#[test]
fn throughput_of_many_warps() {
    let warps = 16.0;
    for (repeated, expected) in [
        ("    add f32 $r1 $r1 $r2", 4.0),
        ("    mul f32 $r1 $r1 $r2", 4.0),
        ("    rcp f32 $r1 $r1", 16.0),
        ("    lg2 f32 $r1 $r1", 16.0),
        ("    presin f32 $r1 $r1\n    sin f32 $r1 $r1", 32.0),
    ] {
        assert_eq!(clocks_each(&gtx(), 512, ["", repeated], &[]) / warps, expected, "{repeated}");
    }
}

/// Six warps hide the latency of operations: 192 threads (CUDA Programming Guide 1.1, section 5.1.2.5).
#[test]
fn six_warps_hide_operations() {
    let of = |warps: u32| clocks_each(&gtx(), 32 * warps, ["", "    add f32 $r1 $r1 $r2"], &[]);
    let found: Vec<_> = (1..=8).map(of).collect();
    assert_eq!(found, [24.0, 24.0, 24.0, 24.0, 24.0, 24.0, 28.0, 32.0]);
}

/// A product of 32 bits takes four instructions, and each needs the result of the one before: 96 clocks for one warp, 16 for
/// each of many (Wong et al.: 96 clocks, 2 operations a clock).
#[test]
fn products_of_32_bits() {
    let product = "    mul $r3 u16 $r1l u16 $r2h\n    add $r3 (mul u16 $r1h $r2l) $r3\n    shl b32 $r3 $r3 0x10\n    \
                   add $r1 (mul u16 $r1l $r2l) $r3";
    assert_eq!(clocks_each(&gt200(), 32, ["", product], &[]), 96.0);
    assert_eq!(clocks_each(&gt200(), 512, ["", product], &[]) / 16.0, 16.0);
}

/// A chain of loads, each of which reads the address of the next: 400 to 600 clocks on G80 (CUDA Programming Guide 1.1,
/// section 5.1.1.3), 435 to 450 on GT200 (Wong et al.).
#[test]
fn chains_of_loads() {
    // The buffer begins at 0x10000, and its first word holds this address.
    let start = ".param u32 in\n    mov b32 $r1 b32 s[in]";
    let load = "    ld b32 $r1 g14[$r1]";
    let of = |machine: &TeslaMachine| clocks_each(machine, 1, [start, load], &["u32:[0x10000]"]);
    assert!((400.0..=600.0).contains(&of(&gtx())), "{}", of(&gtx()));
    assert!((435.0..=450.0).contains(&of(&gt200())), "{}", of(&gt200()));
}

/// Shared memory with n words of a half-warp in a bank is read n times, every two clocks (CUDA Programming Guide 1.1, section
/// 5.1.2.4): a warp then takes 4 n clocks of many warps.
#[test]
fn conflicts_by_degree() {
    for shift in 2..=6_u32 {
        let start = format!(".shared 0x1000\n    and b32 $r1 $r0 0xf\n    shl $a1 $r1 {shift:#x}");
        let read = "    mov b32 $r2 b32 s[$a1+0x20]";
        let degree = f64::from(1 << (shift - 2));
        assert_eq!(clocks_each(&gtx(), 512, [&start, read], &[]) / 16.0, 4.0 * degree, "{degree} words in a bank");
    }
}

/// Copies 512 KiB with 512 blocks of 256 threads: the time is that of the peak bandwidth within a tenth, coalesced. Words that are
/// 8 words apart move eight times as much. Volkov and Demmel reached 89 % of the peak with a GeForce 8800 GTX; the model has no
/// refresh and no turn-around of the bus.
#[test]
fn streams_reach_the_bandwidth() {
    let copy = |shift: u32| {
        let text = format!(
            ".param u32 in\n.param u32 out\n    cvt u32 $r1 u16 u16 s[0xc]\n    shl b32 $r1 $r1 0x8\n    cvt u32 $r2 u16 \
             $r0l\n    add b32 $r1 $r1 $r2\n    shl b32 $r1 $r1 {shift:#x}\n    add b32 $r2 b32 s[in] $r1\n    ld b32 $r3 \
             g14[$r2]\n    add b32 $r2 b32 s[out] $r1\n    exit st b32 g14[$r2] $r3"
        );
        let bytes = format!("zeros:{}", (256 * 512) << shift);
        run(&gtx(), &module(&text), [512, 256], &[&bytes, &bytes])
    };
    let rate = |found: &LaunchStatistics| found.total().bytes_moved as f64 / found.seconds(&gtx());
    let dense = copy(2);
    assert_eq!(dense.bottleneck(), Bottleneck::Bandwidth);
    let (found, peak) = (rate(&dense), gtx().memory_bytes_per_second());
    assert!(found <= peak && found > 0.85 * peak, "{found} of {peak}");
    let apart = copy(5);
    assert_eq!(apart.total().bytes_moved, 8 * dense.total().bytes_moved);
    assert!(is_near(apart.clocks / dense.clocks, 8.0, 0.15), "{}", apart.clocks / dense.clocks);
}

/// Warps that meet at barriers: each barrier takes 20 clocks of one warp (Wong et al.).
#[test]
fn barriers_of_one_warp() {
    assert_eq!(clocks_each(&gt200(), 32, ["", "    bar inc wait 0x0 0xfff"], &[]), 20.0);
}
