//! Tests `curie explain`: schedules of whole programs, worked out by hand, and schedules of random microcode.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use curie::isa::nv40_vertex::VertexMicroprogram;
use curie::shader::fragment::FragmentProgram;
use curie::statistics::explain::Explanation;
use curie::statistics::explain_fragment::FragmentExplanation;
use curie::statistics::explain_vertex::VertexExplanation;
use curie::statistics::fragment_schedule::{FragmentCounts, FragmentOutputs, FragmentSchedule, Place};
use curie::statistics::shader_units::ShaderUnits;

use super::command::{error, file, stdout};
use crate::common::microcode::{Generator, fragment_block, vertex_slots};

const OUTPUTS: FragmentOutputs = FragmentOutputs { has_full_outputs: false, exports_depth: true, targets: 15 };

fn explain(arguments: &[&str]) -> String {
    stdout(&[&["explain"], arguments].concat())
}

/// The output for a program text.
fn explained(name: &str, text: &str) -> String {
    explain(&[&file(name, text)])
}

/// The row of the totals that begins with this name.
fn total(text: &str, name: &str) -> String {
    let (_, totals) = text.split_once("totals\n").unwrap();
    let row = totals.lines().find_map(|line| line.trim().strip_prefix(name));
    row.unwrap_or_else(|| panic!("{name} in\n{text}")).trim().to_owned()
}

#[test]
fn a_texture_times_a_colour_takes_one_pass() {
    // The texel arrives at unit 2, which reads the second interpolant: one pass, the chip's fill rate.
    let text = explained(
        "explain_modulate.fp",
        "!!NV40fp1.0\nCONTROL 0x02000040;\nTEX R0, f[TEX0], TEX0;\nMULR R0, R0, f[COL0];\nEND\n",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn lighting_from_a_normal_map() {
    // Pass 0: the coordinate takes unit 1, the texel arrives at unit 2, which expands it from 0..1. Pass 1: the dot
    // product needs that sum. Pass 2: LG2 needs the dot product. Pass 3: its multiple in unit 1 feeds EX2 in unit 2,
    // and the color fits beside the multiple, as xyz and w. Pass 4: the highlight needs EX2; the copy of w takes unit
    // 1. Registers: R0 to R2. The most are live before the last sum: R0.xyz (two halves) and R2.w (one).
    let text = explained(
        "explain_normal_map.fp",
        "!!NV40fp1.0
CONTROL 0x03000040;
TEX R1, f[TEX0], TEX1;
MADR R1.xyz, R1, {2, -1, 0, 0}.x, {2, -1, 0, 0}.y;
DP3R_SAT R1.x, R1, f[TEX1];
LG2R R1.w, R1.x;
MULR R1.w, R1.w, {16, 16, 16, 16};
EX2R R2.w, R1.w;
MULR R0.xyz, R1.x, f[COL0];
MADR R0.xyz, R2.w, {0.5, 0.5, 0.5, 0}, R0;
MOVR R0.w, {1, 1, 1, 1};
END
",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn half_precision_makes_room() {
    // Each normalization runs beside both units, one per pass. The dot product needs the second, so it runs in pass 2;
    // the copy of w uses unit 1. The product needs the dot product: pass 3. Four half registers equal two full ones.
    let text = explained(
        "explain_half.fp",
        "!!NV40fp1.0
CONTROL 0x02000000;
NRMH H2.xyz, f[TEX0];
NRMH H3.xyz, f[TEX1];
DP3H_SAT H2.x, H2, H3;
MOVH H0.w, {1, 1, 1, 1};
MULH H0.xyz, H2.x, f[COL0];
END
",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn flow_is_nested_and_costs_cycles() {
    // Flow separates passes: each run is one operation and one pass. Shortest path: 1, IF 6, the ELSE side's 1, 1,
    // which is 9. All: 1 + 6, LOOP 4 + 3 · 2 with 4 · (1 + BRK 2 + 1), CAL and RET 4 + 1, ELSE side 1, 1: 40.
    let text = explained(
        "explain_flow.fp",
        "!!NV40fp1.0
CONTROL 0x02000040;
MOVRC R1, f[TEX0];
IF GT.x;
    LOOP {4, 0, 1};
        ADDR R1, R1, f[TEX[A0.x+0]];
        BRK (LT.x);
        ADDR R1, R1, R1;
    ENDLOOP;
    CAL sub (NE.y);
ELSE;
    MULR R1, R1, R1;
ENDIF;
MOVR R0, R1;
RET;
sub:
ADDR R1, R1, {1, 1, 1, 1};
RET;
END
",
    );
    insta::assert_snapshot!(text);
}

#[test]
fn a_vertex_program_shows_both_units() {
    let text = explain(&["scenes/army/pawn.vp"]);
    // 16 words, one of which has a scalar operation; six units.
    assert_eq!(total(&text, "clocks per vertex"), "16");
    assert_eq!(total(&text, "vertices per clock"), "0.375, 6 vertex units");
    assert_eq!(total(&text, "vector  "), "15 of 16, 6 % idle");
    assert_eq!(total(&text, "scalar"), "1 of 16, 94 % idle");
}

#[test]
fn json_says_the_same() {
    let text = "!!NV40fp1.0\nRCPR R1.w, f[TEX0].w;\nMULR R1.xyz, R1.w, R2;\nADDR R0, R1, R2;\nEND\n";
    let path = &file("explain_json.fp", text);
    let value: serde_json::Value = serde_json::from_str(&explain(&[path, "--json", "--full-outputs"])).unwrap();
    let steps = &value["schedule"]["runs"][0]["passes"][0]["steps"];
    let places: Vec<&str> = steps.as_array().unwrap().iter().map(|step| step["place"].as_str().unwrap()).collect();
    assert_eq!(places, ["unit_one", "unit_one", "unit_two"]);
    assert_eq!(value["operations"][0][1], "MULR R1.xyz, R1.w, R2");
    assert_eq!(value["pixels_per_clock"]["most_clocks"], 16.0);
    assert_eq!((&value["passes"], &value["schema"]), (&1.into(), &1.into()));
    assert_eq!(total(&explain(&[path]), "passes"), "1");
    // A machine with two pipes.
    assert_eq!(total(&explain(&[path, "--machine", "geforce-6600-gt"]), "pixels per clock"), "8.00, 2 quad pipes");
}

/// A random fragment program, if it decodes.
fn random_program(random: &mut Generator, operations: u32) -> Option<FragmentProgram> {
    let mut words = Vec::new();
    fragment_block(random, &mut words, operations, 2, 2);
    words.extend([
        0x0100_0001 | random.next() & 0x00ff_fffe,
        random.next() & !3,
        random.next() & !(1 << 31 | 3),
        random.next() & !3,
    ]);
    FragmentProgram::decode(&words).ok()
}

/// Checks the properties of every schedule.
fn check(schedule: &FragmentSchedule, program: &FragmentProgram) -> Result<(), String> {
    let blocks = program.numbered_blocks();
    for (number, (run, operations)) in schedule.runs.iter().zip(&blocks.runs).enumerate() {
        // Every operation except fences has all its steps, in order, and one last step.
        let steps: Vec<_> = run.passes.iter().flat_map(|pass| &pass.steps).collect();
        let mut expected = 0;
        let mut part = 0;
        for step in &steps {
            while run.fences.contains(&expected) {
                expected += 1;
            }
            if (step.operation, step.part) != (expected, part) {
                return Err(format!("run {number}: operation {} is out of order", step.operation));
            }
            part += 1;
            if part == step.parts {
                (expected, part) = (expected + 1, 0);
            }
        }
        let ends = steps.iter().filter(|step| step.part + 1 == step.parts).count();
        if ends + run.fences.len() != operations.len() {
            return Err(format!("run {number}: {ends} of {} operations", operations.len()));
        }
        for pass in &run.passes {
            let at = |place| pass.at(place).count();
            let (one, two, free) =
                (at(Place::UnitOne), at(Place::UnitTwo), at(Place::Normalizer) + at(Place::BranchUnit));
            if one > 2 || two > 2 || at(Place::Normalizer) > 1 || at(Place::BranchUnit) > 1 || one + two + free == 0 {
                return Err(format!("run {number}: {one} and {two} instructions, {free} beside"));
            }
        }
        // Four steps in the units and two beside them.
        if run.passes.len() < steps.len().div_ceil(6) || run.passes.len() > steps.len() {
            return Err(format!("run {number}: {} passes of {} steps", run.passes.len(), steps.len()));
        }
    }
    let once = vec![1; schedule.runs.len()];
    let counts = FragmentCounts { runs: once.clone(), ..FragmentCounts::default() };
    let usage = schedule.usage(&once);
    if schedule.cycles(&counts) != schedule.passes() as u64 || usage.passes != schedule.passes() as u64 {
        return Err("passes and cycles differ".to_owned());
    }
    let channels = usage.unit_one.iter().chain(&usage.unit_two);
    if usage.issued > usage.passes * 4 || channels.clone().any(|&used| used > usage.passes) {
        return Err("more slots are used than there are".to_owned());
    }
    let registers = schedule.registers;
    if schedule.clocks.fewest > schedule.clocks.most || registers.live_halves > registers.named_halves {
        return Err("bounds are exchanged".to_owned());
    }
    Ok(())
}

#[test]
fn any_fragment_microcode_has_a_schedule() {
    let mut random = Generator(0x5eed_0031);
    let (mut decoded, mut shared) = (0, 0);
    for round in 0..4000 {
        let Some(program) = random_program(&mut random, 2 + round % 14) else { continue };
        let explanation = FragmentExplanation::new(&program, OUTPUTS, &ShaderUnits::default());
        check(&explanation.schedule, &program)
            .unwrap_or_else(|error| panic!("round {round}: {error}\n{program}{explanation}"));
        let passes = explanation.schedule.runs.iter().flat_map(|run| &run.passes);
        shared += passes.filter(|pass| pass.steps.len() > 1).count();
        let text = explanation.to_string();
        assert!(text.lines().all(|line| !line.ends_with(' ')), "round {round}:\n{text}");
        assert!(explanation.to_json().is_object());
        // Scheduling again gives the same result, and degenerate units work.
        assert_eq!(explanation.schedule, FragmentSchedule::new(&program, OUTPUTS, &ShaderUnits::default()));
        let odd = ShaderUnits {
            quad_pipes: 0,
            quads_in_flight: 0,
            free_registers: 0,
            register_reads: 0,
            ..ShaderUnits::default()
        };
        check(&FragmentSchedule::new(&program, OUTPUTS, &odd), &program).unwrap();
        decoded += 1;
    }
    assert!(decoded > 1000 && shared > 500, "{decoded} programs, {shared} passes of several steps");
}

#[test]
fn the_check_finds_what_is_wrong() {
    let mut random = Generator(0x5eed_0032);
    let program = std::iter::from_fn(|| Some(random_program(&mut random, 12)))
        .flatten()
        .find(|program| program.numbered_blocks().runs.iter().any(|run| run.len() > 3))
        .unwrap();
    let schedule = FragmentSchedule::new(&program, OUTPUTS, &ShaderUnits::default());
    assert_eq!(check(&schedule, &program), Ok(()));
    let run = schedule.runs.iter().position(|run| run.passes.len() > 1).unwrap();
    let mut lost = schedule.clone();
    lost.runs[run].passes.pop();
    assert!(check(&lost, &program).is_err());
    let mut exchanged = schedule.clone();
    exchanged.runs[run].passes.swap(0, 1);
    assert!(check(&exchanged, &program).is_err());
}

#[test]
fn any_vertex_microcode_has_a_schedule() {
    let mut random = Generator(0x5eed_0033);
    let mut decoded = 0;
    for round in 0..2000 {
        let slots = vertex_slots(&mut random);
        let Ok(program) = VertexMicroprogram::decode(&slots, 0) else { continue };
        let explanation = VertexExplanation::new(&program.lower(), program.statements(), &ShaderUnits::default());
        assert_eq!(explanation.usage().instructions, program.instructions.len() as u64, "round {round}");
        assert!(explanation.to_string().lines().count() > program.instructions.len());
        assert!(explanation.to_json().is_object());
        decoded += 1;
    }
    assert!(decoded > 500, "only {decoded} programs");
}

#[test]
fn the_longest_programs_take_no_longer_per_instruction() {
    // 65,000 products that all depend on each other, then all independent: if this takes seconds, time is not linear.
    for register in [0u32, 2] {
        let mut words: Vec<u32> = Vec::new();
        for _ in 0..65_000 {
            words.extend([0x0200_1e00 | register, 0x1c9d_c800, 0x0001_c800, 0x0001_c800]);
        }
        words.extend([0x0100_1e01, 0x1c9d_c800, 0x0001_c800, 0x0001_c800]);
        let program = FragmentProgram::decode(&words).unwrap();
        let begin = std::time::Instant::now();
        let schedule = FragmentSchedule::new(&program, OUTPUTS, &ShaderUnits::default());
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
        assert!(schedule.passes() > 32_000);
    }
}

/// A sum, a product that needs it 24 clocks later, and blocks of 256 threads by the occupancy calculator's example.
#[test]
fn kernels_are_explained() {
    let text = "!!Tesla1.0\n.kernel one\n.reg 10\n.shared 0x1000\n    add f32 $r1 $r2 $r3\n    mul f32 $r4 $r1 $r1\n    \
                exit nop\n.kernel two\n    exit nop\n";
    let program = file("explain_kernels.tesla", text);
    let printed = explain(&[&program, "--entry", "one", "--block", "256"]);
    assert!(
        printed.starts_with("one on the GeForce 8800 GTX (G80)\n10 registers and 0 bytes of local memory"),
        "{printed}"
    );
    assert!(
        printed.contains("\n    256       3     24      100 %       2560    4096  warps, registers\n"),
        "{printed}"
    );
    assert!(
        printed.contains("\n    24  000004  scalar   mul f32 $r4 $r1 $r1; waits 20 clocks for a result\n"),
        "{printed}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&explain(&[&program, "--entry", "one", "--machine", "geforce-gtx-280", "--json"]))
            .unwrap();
    assert_eq!(json["blocks"][0]["instructions"][1]["waits_for"], "scalar");
    let sizes = json["occupancy"].as_array().unwrap().iter().map(|row| row["threads"].as_u64().unwrap());
    assert_eq!(sizes.collect::<Vec<_>>(), [32, 64, 96, 128, 160, 192, 256, 320, 384, 512]);
    let message = error(&["explain", &program]);
    assert_eq!(message, "error: the module has several kernels; name one of one, two\n");
}
