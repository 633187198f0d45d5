//! Checks registers, clocks, fetches and slots of small programs against hand calculations.

use super::fragment_passes_tests::{program, schedule};
use super::fragment_schedule::{ClockBounds, FragmentCounts, FragmentOutputs, FragmentSchedule, SlotUsage};
use super::shader_units::ShaderUnits;

/// Named and live half registers.
fn halves(statements: &str) -> (u32, u32) {
    let registers = schedule(statements).registers;
    (registers.named_halves, registers.live_halves)
}

fn bounds(statements: &str) -> (u64, u64) {
    let ClockBounds { fewest, most } = schedule(statements).clocks;
    (fewest, most)
}

#[test]
fn live_registers_are_those_that_are_read_again() {
    // R0 (the output) alone is live after the sum, R1 and R2 before it.
    assert_eq!(halves("MOVR R1, f[TEX0];\nMOVR R2, f[TEX1];\nADDR R0, R1, R2;"), (6, 4));
    // R3 is dead: nothing reads it.
    assert_eq!(halves("MOVR R3, f[TEX0];\nMOVR R0, f[TEX1];"), (8, 2));
    // A half register counts as one half, and so do two components of a full register.
    assert_eq!(halves("MOVH H2, f[TEX0];\nMOVH H3, f[TEX1];\nADDR R0.xy, H2, H3;"), (4, 2));
    // A write of some components keeps the others.
    assert_eq!(halves("MOVR R0.xyz, f[TEX0];\nMOVR R1, f[TEX1];\nMOVR R0.w, R1.x;"), (4, 3));
    // So does a conditional write: R0 is live from the start.
    assert_eq!(halves("MOVR R1, f[TEX0];\nMOVR R0 (GT.x), R1;"), (4, 4));
    assert_eq!(halves("MOVR R1, f[TEX0];\nMOVR R0, R1;"), (4, 2));
}

#[test]
fn what_a_loop_needs_is_live_around_it() {
    // R1 is read in each iteration, so R0 and R1 are live at the end of the body.
    let text = "MOVR R1, f[TEX0];\nMOVR R0, f[TEX1];\nREP {4};\nADDR R0, R0, R1;\nENDREP;";
    assert_eq!(halves(text), (4, 4));
    // R2 is written in one iteration and read in the next: it is live around the loop although nothing writes it
    // before.
    let text = "MOVR R0, f[TEX1];\nREP {4};\nADDR R0, R0, R2;\nMOVR R1, f[TEX0];\nADDR R2, R1, R0;\nENDREP;";
    // After MOV R1: R0 and R1; before it R0; R2 with R0 around.
    assert_eq!(halves(text), (6, 4));
    // What is read only after the loop is live at BRK.
    let text = "MOVR R0, f[TEX0];\nREP {4};\nMOVR R1, f[TEX1];\nBRK (GT.x);\nADDR R0, R1, R1;\nENDREP;";
    assert_eq!(halves(text), (4, 4));
}

#[test]
fn both_sides_of_a_branch_and_subroutines_count() {
    let text = "MOVR R1, f[TEX0];\nMOVR R2, f[TEX1];\nIF GT.x;\nMOVR R0, R1;\nELSE;\nMOVR R0, R2;\nENDIF;";
    assert_eq!(halves(text), (6, 4));
    // R3 lives across the call, in which R1 and R2 are live: three at once.
    let text = "MOVR R3, f[TEX0];\nCAL sub;\nADDR R0, R3, R1;\nRET;\nsub:\nMOVR R1, f[TEX1];\nMOVR R2, f[TEX2];\n\
                ADDR R1, R1, R2;\nRET;";
    assert_eq!(halves(text), (8, 6));
}

#[test]
fn more_registers_leave_fewer_quads_in_flight() {
    let schedule = schedule("MOVR R7, f[TEX0];\nADDR R0, R7, R7;");
    // Eight registers named: 256 · 4 / 8; two live.
    assert_eq!((schedule.quads_in_flight, schedule.quads_if_packed), (128, 256));
}

#[test]
fn a_fetch_is_hidden_by_the_passes_before_its_use() {
    // Three consecutive sums do not need the texel: pass 0 requests it, pass 2 uses it.
    let text = "TEX R1, f[TEX0], TEX0;\nADDR R2, R3, R3;\nADDR R2, R2, R3;\nADDR R0, R2, R1;";
    let lookups = schedule(text).lookups;
    let found: Vec<_> = lookups.iter().map(|l| (l.operation, l.pass, l.used_in, l.distance, l.hidden_clocks)).collect();
    assert_eq!(found, [(0, 0, Some(2), 2, 512)]);
    // In the pass that requests it: one turn of all quads.
    let used_at_once = schedule("TEX R1, f[TEX0], TEX0;\nADDR R0, R1, R1;");
    assert_eq!(used_at_once.hidden_latency(), Some(256));
    assert_eq!(used_at_once.lookups[0].used_in, Some(0));
    // Never read.
    let unread = schedule("TEX R1, f[TEX0], TEX0;\nMOVR R1, f[TEX1];\nMOVR R0, R1;");
    assert_eq!((unread.lookups[0].used_in, unread.lookups[0].distance), (None, 2));
    assert_eq!(schedule("MOVR R0, f[TEX0];").hidden_latency(), None);
}

#[test]
fn flow_costs_what_table_30_2_says() {
    assert_eq!(bounds("IF GT.x;\nMOVR R0, R1;\nENDIF;"), (4, 5));
    assert_eq!(bounds("IF GT.x;\nMOVR R0, R1;\nELSE;\nADDR R0, R1, R1;\nADDR R0, R0, R1;\nENDIF;"), (7, 9));
    assert_eq!(bounds("REP {1};\nMOVR R0, R1;\nENDREP;"), (5, 5));
    // ENDREP takes two cycles per further iteration.
    assert_eq!(bounds("REP {10};\nMOVR R0, R1;\nENDREP;"), (4 + 9 * 2 + 10, 4 + 9 * 2 + 10));
    assert_eq!(bounds("REP {0};\nMOVR R0, R1;\nENDREP;"), (4, 4));
    // CAL and RET.
    assert_eq!(bounds("CAL sub;\nRET;\nsub:\nMOVR R0, R1;\nRET;"), (5, 5));
    assert_eq!(bounds("CAL sub (GT.x);\nRET;\nsub:\nMOVR R0, R1;\nRET;"), (2, 5));
    // The shortest path breaks in the first iteration, before the sum.
    assert_eq!(bounds("REP {10};\nBRK (GT.x);\nADDR R0, R1, R1;\nENDREP;"), (6, 4 + 9 * 2 + 10 * 3));
    assert_eq!(bounds("MOVR R0, R1;\nRET (GT.x);\nADDR R0, R0, R1;"), (3, 4));
    assert_eq!(
        bounds("REP {255};\nREP {255};\nREP {255};\nREP {255};\nADDR R0, R1, R1;\nENDREP;\nENDREP;\nENDREP;\nENDREP;")
            .1,
        {
            // Each level: 4 + 2 · 254 and 255 times what is inside.
            (0..4).fold(1, |inside, _| 512 + 255 * inside)
        }
    );
}

#[test]
fn cycles_follow_counts() {
    let text = "MOVR R1, f[TEX0];\nIF GT.x;\nADDR R0, R1, R1;\nADDR R0, R0, R1;\nELSE;\nREP {3};\nADDR R0, R0, R1;\n\
                ENDREP;\nENDIF;\nMOVR R2, R0;";
    let schedule = schedule(text);
    // Runs: MOV (1 pass), the branch (2), the body (1), MOV (1). Of ten quads six take the branch, four the loop.
    let counts = FragmentCounts { runs: vec![10, 6, 12, 10], flows: vec![10, 4], rounds: vec![0, 12] };
    let straight = 10 + 6 * 2 + 12 + 10;
    let flow = 10 * 6 + 4 * 4 + (12 - 4) * 2;
    assert_eq!(schedule.cycles(&counts), straight + flow);
    assert_eq!(schedule.cycles(&FragmentCounts::default()), 0);
    // The same derived from blocks entered: main, THEN, ELSE, the loop's body.
    let program = program(text);
    let blocks = program.numbered_blocks();
    assert_eq!(FragmentCounts::of_entered(&blocks, &[10, 6, 4, 12]), counts);
    let numbers = crate::shader::fragment_blocks::ProgramNumbers::new(&program.body, &program.subroutines);
    assert_eq!((numbers.count, numbers.body.inner[1].inner[0].number), (blocks.block_count, 3));
    let huge = FragmentCounts { runs: vec![u64::MAX; 9], flows: vec![u64::MAX; 9], rounds: vec![u64::MAX; 9] };
    assert_eq!(schedule.cycles(&huge), u64::MAX);
}

#[test]
fn slots_are_counted_by_unit_and_channel() {
    let text = "RCPR R0.w, R1.w;\nMULR R2.xy, R1, R0.w;\nMADR R3.xyz, R2, R1, R1;\nEX2R R0.x, R1.x;\nNRMH H10.xyz, R1;\n\
                TEX R4, f[TEX0], TEX0;";
    let schedule = schedule(text);
    assert_eq!(schedule.passes(), 2);
    let expected = SlotUsage {
        passes: 14,
        issued: 7 * 5,
        // RCP takes the channel of w, coordinates all four.
        unit_one: [14, 14, 7, 14],
        reciprocal: 7,
        texture: 7,
        unit_two: [7, 7, 7, 7],
        special: 7,
        normalizer: 7,
    };
    // All but the fetch share the first pass.
    assert_eq!(schedule.usage(&[7]), expected);
    assert_eq!(schedule.usage(&[]), SlotUsage::default());
}

#[test]
fn outputs_that_nothing_writes_need_no_register() {
    let program = program("MOVR R0, f[TEX0];");
    let outputs = |targets| FragmentOutputs { has_full_outputs: true, exports_depth: true, targets };
    let live =
        |targets| FragmentSchedule::new(&program, outputs(targets), &ShaderUnits::default()).registers.live_halves;
    assert_eq!((live(0), live(1), live(15)), (0, 2, 2));
}
