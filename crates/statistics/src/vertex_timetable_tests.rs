//! Tests the timetable on programs whose stages were drawn by hand, and checks random programs against the rules.

use std::collections::BTreeMap;

use super::explain_timetable::{TimetableExplanation, letters};
use super::explanation::Explanation;
use super::test_random::Random;
use super::vertex_timetable::{
    FILL_CLOCKS, StallCause, TimedBlock, TimedInstruction, TimetableParameters, UnitSpan, VertexClocks, VertexTimetable,
};
use super::vertex_units::ArithmeticUnit;
use crate::shader::test_programs::{attribute, bundle, operation, program};
use crate::shader::vertex::{OperationKind, VertexProgram};
use crate::shader::vertex_blocks::VertexEdges;
use curie_asm::pica::{PicaOptions, assemble};

const PARAMETERS: TimetableParameters = TimetableParameters { vertex_units: 4, fill: FILL_CLOCKS, refetch: 1 };

/// The program of a main procedure with these statements.
fn lowered(body: &str) -> VertexProgram {
    let text = format!(".proc main\n{body}\n.end");
    let binary = assemble("test", &text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    binary.shader().lower(0).unwrap()
}

fn timetable(body: &str) -> VertexTimetable {
    VertexTimetable::new(&lowered(body), PARAMETERS).unwrap()
}

/// The rows of a block, one letter for each clock from 0 on.
fn rows(block: &TimedBlock) -> Vec<String> {
    let row = |instruction: &TimedInstruction| {
        let letters = letters(instruction);
        let begin = letters.find(|letter| letter != '.').unwrap();
        format!("{:indent$}{letters}", "", indent = instruction.clock as usize - begin)
    };
    block.instructions.iter().map(row).collect()
}

/// The rows of the first block of a program, and the reasons to wait, each with its slot and clocks.
fn drawn(body: &str) -> (Vec<String>, Vec<(u16, u32, StallCause)>) {
    let timetable = timetable(body);
    let stalls = timetable.blocks[0].instructions.iter().flat_map(|instruction| {
        instruction.stalls.iter().map(|stall| (instruction.slot, stall.clocks, stall.cause.clone()))
    });
    (rows(&timetable.blocks[0]), stalls.collect())
}

fn read(register: &str, written_by: u16) -> StallCause {
    StallCause::Read { register: register.to_owned(), written_by }
}

fn unit(unit: ArithmeticUnit) -> StallCause {
    StallCause::Unit { unit }
}

#[test]
fn a_sum_of_a_product_reads_in_the_clock_of_its_write_back() {
    let (rows, stalls) = drawn("mul r0, c0, v0\nadd o0, c1, r0\nend");
    assert_eq!(rows, ["rMw", " .rAw", "   -x"]);
    assert_eq!(stalls, [(1, 1, read("r0", 0))]);
    // With an independent instruction between them, nothing waits.
    let (rows, stalls) = drawn("mul r0, c0, v0\nmov r1, v0\nadd o0, c1, r0\nend");
    assert_eq!((rows, stalls), (vec!["rMw".into(), " rxw".into(), "  rAw".into(), "   -x".into()], vec![]));
}

#[test]
fn clocks_are_fill_instructions_stalls_and_drain() {
    let clocks = timetable("mul r0, c0, v0\nadd o0, c1, r0\nend").straight_clocks().unwrap();
    // The sum is written in clock 4, one after the slot of END in clock 3.
    let expected = VertexClocks { fill: 3, instructions: 3, register_stalls: 1, drain: 1, ..VertexClocks::default() };
    assert_eq!((clocks, clocks.total()), (expected, 8));
}

#[test]
fn a_product_and_sum_take_two_units_in_series() {
    let (rows, stalls) = drawn("mad r0, v0, c0, v0\nmov o0, r0\nend");
    assert_eq!(rows, ["rMAw", " ..rxw", "    -x"]);
    assert_eq!(stalls, [(1, 2, read("r0", 0))]);
    // The sum of the second instruction needs the adders in the clock in which the first one adds.
    let (rows, stalls) = drawn("mad r0, v0, c0, v0\nadd r1, c1, v0\nend");
    assert_eq!(rows, ["rMAw", " .rAw", "   -x"]);
    assert_eq!(stalls, [(1, 1, unit(ArithmeticUnit::Adder))]);
    // Two components each fit the four adders.
    let (rows, stalls) = drawn("mad r0.xy, v0, c0, v0\nadd r1.zw, c1, v0\nend");
    assert_eq!((rows, stalls), (vec!["rMAw".into(), " rAw".into(), "  -x".into()], vec![]));
}

#[test]
fn a_transform_is_one_dot_product_a_clock() {
    let (rows, stalls) =
        drawn("dp4 r0.x, c0, v0\ndp4 r0.y, c1, v0\ndp4 r0.z, c2, v0\ndp4 r0.w, c3, v0\nmov o0, r0\nend");
    // Two adders of one dot product beside the third of the one before: three of four.
    assert_eq!(rows, ["rMAAw", " rMAAw", "  rMAAw", "   rMAAw", "    ...rxw", "        -x"]);
    assert_eq!(stalls, [(4, 3, read("r0.w", 3))]);
}

#[test]
fn dot_products_that_need_each_other_take_four_clocks_each() {
    let (rows, stalls) = drawn("dp4 r0.x, c0, v0\ndp4 r0.x, c1, r0.x\ndp3 r0.x, c2, r0.x\nend");
    assert_eq!(rows, ["rMAAw", " ...rMAAw", "     ...rMAAw", "         -x"]);
    assert_eq!(stalls, [(1, 3, read("r0.x", 0)), (2, 3, read("r0.x", 1))]);
}

#[test]
fn only_the_components_that_are_read_count() {
    let (rows, _) = drawn("dp4 r0.x, c0, v0\nmov r1, r0.y\nend");
    assert_eq!(rows, ["rMAAw", " rxw", "  -x"]);
    let (rows, stalls) = drawn("rcp r0.x, v0\nmov r0.y, v0\nmul r1.xy, r0.xyyy, v0\nend");
    // r0.x and r0.y are both written in clock 3.
    assert_eq!(rows, ["rRRw", " rxw", "  .rMw", "    -x"]);
    assert_eq!(stalls.len(), 1);
}

#[test]
fn two_reciprocal_units_take_one_operation_a_clock() {
    let (rows, stalls) = drawn("rcp r0.x, v0\nrsq r1.x, v0\nrcp r2.x, v0\nend");
    assert_eq!(rows, ["rRRw", " rRRw", "  rRRw", "   -x"]);
    assert_eq!(stalls, []);
}

#[test]
fn one_exponential_unit_takes_an_operation_every_two_clocks() {
    let (rows, stalls) = drawn("ex2 r0.x, v0\nex2 r1.x, v0\nend");
    assert_eq!(rows, ["rEEw", " .rEEw", "   -x"]);
    assert_eq!(stalls, [(1, 1, unit(ArithmeticUnit::Exponential))]);
    let (rows, stalls) = drawn("ex2 r0.x, v0\nlg2 r1.x, v0\nend");
    assert_eq!((rows, stalls), (vec!["rEEw".into(), " rLLw".into(), "  -x".into()], vec![]));
}

#[test]
fn a_condition_waits_for_its_comparison() {
    for comparisons in ["gt, le", "lt, lt"] {
        let (rows, stalls) = drawn(&format!("cmp v0, {comparisons}, r1\nifc cmp.x && !cmp.y\nmov o0, v0\n.end\nend"));
        assert_eq!(rows, ["rCCw", " ..rx"]);
        assert_eq!(stalls, [(1, 2, read("cmp.xy", 0))]);
    }
    // Both comparators are busy for two clocks.
    let (rows, stalls) = drawn("cmp v0, gt, le, r1\ncmp v0, eq, eq, r1\nend");
    assert_eq!(rows, ["rCCw", " .rCCw", "   -x"]);
    assert_eq!(stalls, [(1, 1, unit(ArithmeticUnit::Comparator))]);
}

#[test]
fn lighting_compares_beside_its_clamps() {
    let (rows, stalls) = drawn("litp r0, v0\nifc cmp.y\nmov o0, v0\n.end\nend");
    assert_eq!(rows, ["rXXw", " ..rx"]);
    assert_eq!(stalls, [(1, 2, read("cmp.y", 0))]);
    // LITP also occupies the comparators for two clocks. The next instruction enters in the second of them.
    let (rows, stalls) = drawn("litp r0, v0\ncmp v0, eq, eq, r1\nend");
    assert_eq!(rows, ["rXXw", " .rCCw", "   -x"]);
    assert_eq!(stalls, [(1, 1, unit(ArithmeticUnit::Comparator))]);
}

#[test]
fn an_address_is_post_processed() {
    let (rows, stalls) = drawn("mova a0.x, v0\nmov o0, c4[a0.x]\nmov o1, c4[a0.y]\nend");
    assert_eq!(rows, ["rxpw", " ..rxw", "    rxw", "     -x"]);
    assert_eq!(stalls, [(1, 2, read("a0.x", 0))]);
}

#[test]
fn results_are_written_in_program_order() {
    let (rows, stalls) = drawn("rcp r0.x, v0\nmov r0.x, v0\nend");
    assert_eq!(rows, ["rRRw", " .rxw", "   -x"]);
    assert_eq!(stalls, [(1, 1, StallCause::Write { register: "r0.x".to_owned(), written_by: 0 })]);
    let (rows, stalls) = drawn("rcp r0.x, v0\nmov r0.y, v0\nend");
    assert_eq!((rows, stalls), (vec!["rRRw".into(), " rxw".into(), "  -x".into()], vec![]));
}

#[test]
fn an_empty_mask_uses_no_unit_and_writes_nothing() {
    let (rows, stalls) = drawn("mul r0._, v0, v0\nmov r1, r0\nend");
    assert_eq!((rows, stalls), (vec!["rx".into(), " rxw".into(), "  -x".into()], vec![]));
}

#[test]
fn a_loop_is_refetched_and_waits_for_its_last_iteration() {
    let timetable = timetable("mov r0, c0\nfor i0\ndp4 r0, c1, r0\n.end\nmov o0, r0\nend");
    let blocks: Vec<_> = timetable.blocks.iter().map(rows).collect();
    assert_eq!(blocks, [vec!["rxw", " rxw"], vec!["rMAAw"], vec!["rxw", " -x"]]);
    assert_eq!(timetable.straight_clocks(), None);
    // Three iterations. The read stages of all instructions, without the fill: MOV 0, FOR 1, DP4 2, written in 6; one
    // clock to fetch again, then DP4 waits from 4 to 6, and again from 8 to 10, written in 14; MOV waits from 11 to 14,
    // END enters in 15 and executes in 16.
    let mut edges = VertexEdges::default();
    edges.add_path(&[0, 1, 1, 1, 2], 1);
    let clocks = timetable.clocks(&edges);
    let expected = VertexClocks { fill: 3, instructions: 7, register_stalls: 7, unit_stalls: 0, refetch: 2, drain: 1 };
    assert_eq!((clocks, clocks.total()), (expected, 3 + 17));
    // Another refetch penalty: two more clocks hide the stalls of two iterations.
    let slower = TimetableParameters { refetch: 3, ..PARAMETERS };
    let program = lowered("mov r0, c0\nfor i0\ndp4 r0, c1, r0\n.end\nmov o0, r0\nend");
    let clocks = VertexTimetable::new(&program, slower).unwrap().clocks(&edges);
    assert_eq!((clocks.refetch, clocks.register_stalls, clocks.total()), (6, 3, 20));
}

#[test]
fn a_loop_counter_is_written_like_a_register() {
    let timetable = timetable("for i0\nadd r0, c1[aL], r0\n.end\nmov o0, r0\nend");
    let mut edges = VertexEdges::default();
    edges.add_path(&[0, 1, 2], 1);
    // FOR writes in clock 2, one after the sum could read; MOV waits for the sum.
    assert_eq!(timetable.clocks(&edges).register_stalls, 1 + 1);
}

#[test]
fn calls_and_other_sides_are_refetched() {
    let text =
        ".proc sub\nmov r1, v1\n.end\n.proc main\nifu b0\nmov r0, v0\n.else\nmov r0, v1\n.end\ncall sub\nend\n.end";
    let binary = assemble("test", text, PicaOptions::default()).unwrap();
    // 0 MOV of sub; 1 IFU, 2 MOV, 3 MOV, 4 CALL, 5 END.
    let timetable = VertexTimetable::new(&binary.shader().lower(1).unwrap(), PARAMETERS).unwrap();
    let firsts: Vec<_> = timetable.blocks.iter().map(|block| block.first_slot).collect();
    assert_eq!(firsts, [0, 1, 2, 3, 4, 5]);
    let refetches = |path: &[usize]| {
        let mut edges = VertexEdges::default();
        edges.add_path(path, 5);
        timetable.clocks(&edges).refetch
    };
    // Over the other side, into the procedure and back.
    assert_eq!(refetches(&[1, 2, 4, 0, 5]), 5 * 3);
    // IF branches to the other side. Execution then continues at the next word.
    assert_eq!(refetches(&[1, 3, 4, 0, 5]), 5 * 3);
    assert_eq!(refetches(&[1, 2, 3, 4, 5]), 0);
}

#[test]
fn the_pipeline_is_filled_and_drained_once_a_vertex() {
    let timetable = timetable("mov o0, v0\nend");
    let mut edges = VertexEdges::default();
    edges.add_path(&[0], 1);
    let one = timetable.clocks(&edges);
    assert_eq!((one.total(), timetable.straight_clocks()), (3 + 2 + 1, Some(one)));
    edges.add_path(&[0], 9);
    assert_eq!(timetable.clocks(&edges).total(), 60);
    edges.add_path(&[0], u64::MAX);
    assert_eq!(timetable.clocks(&edges).total(), u64::MAX);
}

#[test]
fn units_are_busy_for_their_clocks() {
    let explanation = |body: &str| TimetableExplanation::new(&lowered(body), Vec::new(), PARAMETERS).unwrap();
    let of = |explanation: &TimetableExplanation, wanted| {
        let (_, busy, available) = explanation.occupancy().into_iter().find(|(unit, ..)| *unit == wanted).unwrap();
        (busy, available)
    };
    // Fill 3, five instructions, two stalls of MOV, which reads r0.w in clock 5, one clock of drain: 11.
    let transform = explanation("dp4 r0.x, c0, v0\ndp4 r0.w, c3, v0\nrcp r1.x, v0\nmov o0, r0\nend");
    assert_eq!(transform.timetable.straight_clocks().unwrap().total(), 11);
    assert_eq!(of(&transform, ArithmeticUnit::Multiplier), (8, 44));
    assert_eq!(of(&transform, ArithmeticUnit::Adder), (6, 44));
    assert_eq!(of(&transform, ArithmeticUnit::Reciprocal), (2, 22));
    assert_eq!(of(&transform, ArithmeticUnit::Logarithm), (0, 11));
    assert_eq!(transform.vertices_per_clock(), Some([4.0 / 11.0, 3.0 / 11.0]));
    let json = transform.to_json();
    assert_eq!((&json["straight_clocks"], &json["units"]["vertex_units"]), (&11.into(), &4.into()));
    assert_eq!(json["vertices_per_clock_beside_geometry"], 3.0 / 11.0);
}

#[test]
fn the_text_shows_stages_by_clock() {
    // The second EX2 waits for the only unit, MAD for its result: 5 instructions, 3 stalls, written back in clock 9, two
    // after the slot of END.
    let body = "dp4 o0.x, c0, v0\nex2 r0.x, v0\nex2 r1.x, v0\nmad o1, r1, c1, v1\nend";
    let statements = body.lines().map(str::to_owned).collect();
    let explanation = TimetableExplanation::new(&lowered(body), statements, PARAMETERS).unwrap();
    let expected = "\
stages: r read, - nothing to read, x execute without a unit, p post-process, w write back, . wait
execute in units: M MUL, A ADD, R RCP/RSQ, F FLOOR, L LOG, E EXP, X MAX, N MIN, G SGE, S SLT, C CMP
block 0: 10 clocks, 3 of them stalls; the program ends
clock 0    5
   0  rMAAw       dp4 o0.x, c0, v0
   1   rEEw       ex2 r0.x, v0
   2    .rEEw     ex2 r1.x, v0; waits 1 clock for EXP
   3      ..rMAw  mad o1, r1, c1, v1; waits 2 clocks for r1.x of slot 2
   4         -x   end
totals
    instructions        5
    clocks per vertex   13
        fill            3, before the first instruction reads
        instructions    5, one clock each
        stalls          2 for registers, 1 for units
        drain           2, until the last instruction is done
    vertices per clock  0.308, 4 vertex units
                        0.231, 3 while a geometry shader takes one
    units
        MUL             8 of 52, 15 % busy
        ADD             7 of 52, 13 % busy
        RCP/RSQ         0 of 26, 0 % busy
        FLOOR           0 of 52, 0 % busy
        LOG             0 of 13, 0 % busy
        EXP             4 of 13, 31 % busy
        MAX             0 of 52, 0 % busy
        MIN             0 of 52, 0 % busy
        SGE             0 of 52, 0 % busy
        SLT             0 of 52, 0 % busy
        CMP             0 of 26, 0 % busy
";
    assert_eq!(explanation.to_string(), expected);
    let json = explanation.to_json();
    let second = &json["schedule"]["blocks"][0]["instructions"][2];
    assert_eq!(second["stalls"][0], serde_json::json!({ "clocks": 1, "cause": "unit", "unit": "EXP" }));
    assert_eq!(
        (&second["clock"], &second["execute"], &second["write_back"]),
        (&3.into(), &[4, 5][..].into(), &6.into())
    );
    assert_eq!(
        (&json["schema"], &json["stage"], &json["instructions"][4]),
        (&1.into(), &"vertex".into(), &"end".into())
    );
}

#[test]
fn long_blocks_are_cut_into_tables() {
    let body = "mov r0, v0\n".repeat(100) + "end";
    let statements = body.lines().map(str::to_owned).collect();
    let text = TimetableExplanation::new(&lowered(&body), statements, PARAMETERS).unwrap().to_string();
    let heads: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("clock ")).collect();
    // 40 clocks hold 38 rows of three. The second table begins at a multiple of five at or before clock 38.
    assert_eq!(heads.len(), 3);
    assert!(heads[0].starts_with("0    5    10") && heads[1].starts_with("35   40"), "{heads:?}");
    assert!(text.contains("\n  37                                       rxw  mov r0, v0\n"), "{text}");
    assert!(text.contains("\n  38     rxw"), "{text}");
}

#[test]
fn operations_of_other_processors_are_refused() {
    let sine =
        bundle(operation(OperationKind::Arithmetic(&crate::arith::vertex_functions::SIN), &[attribute(0)], Some(0)));
    let error = VertexTimetable::new(&program(vec![sine]), PARAMETERS).unwrap_err();
    assert_eq!(error.to_string(), "slot 0: no unit of the vertex processor computes xf_sin");
    let fetch = bundle(operation(OperationKind::FetchTexture { unit: 1 }, &[attribute(0)], Some(0)));
    assert!(VertexTimetable::new(&program(vec![fetch]), PARAMETERS).is_err());
}

/// A statement on few registers, so that many need each other.
fn statement(random: &mut Random) -> String {
    let mut register = |names: &[&'static str]| names[random.below(u32::try_from(names.len()).unwrap()) as usize];
    let destination = register(&["r0", "r1", "r0.x", "r1.yz", "r2.w", "o0", "o1.xy"]);
    let (a, b) = (register(&["r0", "r1", "r2.w", "r0.x", "v0"]), register(&["r0.y", "r1", "r2", "v0"]));
    let one = ["mov", "rcp", "rsq", "ex2", "lg2", "flr", "litp"];
    let two = ["add", "mul", "dp3", "dp4", "dph", "max", "min", "sge", "slt", "dst"];
    match random.below(20) {
        kind @ 0..7 => format!("{} {destination}, {a}", one[kind as usize]),
        kind @ 7..17 => format!("{} {destination}, {a}, {b}", two[kind as usize - 7]),
        17 => format!("mad {destination}, {a}, {b}, r1"),
        18 => format!("cmp {a}, gt, le, {b}"),
        _ => format!("mova a0.xy, {a}"),
    }
}

/// Checks the rules of a timetable by themselves: one instruction a clock, no unit more often than installed, and no
/// instruction that waits without need.
fn check(block: &TimedBlock) -> Result<(), String> {
    let mut busy: BTreeMap<(ArithmeticUnit, u32), u32> = BTreeMap::new();
    for pair in block.instructions.windows(2) {
        let stalls: u32 = pair[1].stalls.iter().map(|stall| stall.clocks).sum();
        if pair[1].clock != pair[0].clock + 1 + stalls {
            return Err(format!("slot {} does not follow the one before after its stalls", pair[1].slot));
        }
    }
    for instruction in &block.instructions {
        // The clocks of a stall and of those after it.
        let mut remaining: u32 = instruction.stalls.iter().map(|stall| stall.clocks).sum();
        for stall in &instruction.stalls {
            let written = |slot: u16| {
                let writer = block.instructions.iter().find(|writer| writer.slot == slot);
                writer.and_then(|writer| writer.write_back)
            };
            let is_needed = match &stall.cause {
                StallCause::Read { written_by, .. } => {
                    written(*written_by) == Some(instruction.clock - remaining + stall.clocks)
                }
                StallCause::Write { written_by, .. } => {
                    let own = instruction.write_back.map(|own| own - remaining + stall.clocks);
                    own.is_some() && own == written(*written_by).map(|written| written + 1)
                }
                StallCause::Unit { unit } => {
                    // A clock earlier, the units are too few.
                    let is_short = |span: &UnitSpan, clock: u32| {
                        busy.get(&(*unit, clock)).copied().unwrap_or(0) + span.copies > unit.row().installed
                    };
                    let mut spans = instruction.units.iter().filter(|span| span.unit == *unit);
                    spans.any(|span| (span.clock..span.clock + span.clocks).any(|clock| is_short(span, clock - 1)))
                }
            };
            remaining -= stall.clocks;
            if !is_needed {
                return Err(format!("slot {} waits without need", instruction.slot));
            }
        }
        for span in &instruction.units {
            for clock in span.clock..span.clock + span.clocks {
                let copies = busy.entry((span.unit, clock)).or_default();
                *copies += span.copies;
                if *copies > span.unit.row().installed {
                    return Err(format!("{} units {} in clock {clock}", *copies, span.unit));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn random_programs_keep_the_rules() {
    let mut random = Random::new(0x5eed_0200);
    let (mut waits_for_registers, mut waits_for_units) = (0, 0);
    for round in 0..400 {
        let statements: Vec<_> = (0..24).map(|_| statement(&mut random)).collect();
        let body = format!("{}\nend", statements.join("\n"));
        let timetable = timetable(&body);
        check(&timetable.blocks[0]).unwrap_or_else(|error| panic!("round {round}: {error}\n{body}"));
        let clocks = timetable.straight_clocks().unwrap();
        assert_eq!(clocks.total(), u64::from(FILL_CLOCKS + timetable.blocks[0].clocks), "round {round}");
        waits_for_registers += clocks.register_stalls;
        waits_for_units += clocks.unit_stalls;
        let explanation = TimetableExplanation::new(&lowered(&body), statements, PARAMETERS).unwrap();
        let text = explanation.to_string();
        assert!(text.lines().all(|line| !line.ends_with(' ') && line.len() < 200), "{text}");
    }
    assert!(waits_for_registers > 1000 && waits_for_units > 100, "{waits_for_registers}, {waits_for_units}");
}

#[test]
fn the_check_finds_planted_differences() {
    let timetable = timetable("ex2 r0.x, v0\nex2 r1.x, v0");
    let block = &timetable.blocks[0];
    assert_eq!(check(block), Ok(()));
    let changed = |change: &dyn Fn(&mut TimedInstruction), slot: usize| {
        let mut changed = block.clone();
        change(&mut changed.instructions[slot]);
        check(&changed)
    };
    let earlier = |instruction: &mut TimedInstruction| {
        instruction.clock -= 1;
        instruction.stalls.clear();
        instruction.units.iter_mut().for_each(|span| span.clock -= 1);
    };
    assert!(changed(&earlier, 1).unwrap_err().contains("units EXP"), "a unit is used twice");
    let later = |instruction: &mut TimedInstruction| {
        instruction.clock += 1;
        instruction.stalls[0].clocks += 1;
        instruction.units.iter_mut().for_each(|span| span.clock += 1);
    };
    assert!(changed(&later, 1).unwrap_err().contains("without need"), "it could enter a clock before");
    assert!(changed(&|instruction| instruction.stalls.clear(), 1).unwrap_err().contains("does not follow"));
}
