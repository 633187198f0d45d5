//! Tests each rule for sharing a pass with a tiny program; the rules are those of `docs/shader-schedule.md`.

use super::fragment_schedule::{FragmentOutputs, FragmentSchedule, Obstacle, Place};
use super::shader_units::ShaderUnits;
use crate::shader::fragment::FragmentProgram;
use curie_asm::program_file::{FileOptions, Program, read_program_file};

const OUTPUTS: FragmentOutputs = FragmentOutputs { has_full_outputs: true, exports_depth: false, targets: 1 };

pub(super) fn program(statements: &str) -> FragmentProgram {
    // A program does not end inside a loop.
    let end = if statements.ends_with("ENDREP;") { "RET;\n" } else { "" };
    let text = format!("!!NV40fp1.0\n{statements}\n{end}END\n");
    match read_program_file("test", text.as_bytes(), FileOptions::default()) {
        Ok(file) => match file.program {
            Program::Fragment(program) => program,
            Program::Vertex(_) => panic!("a fragment program:\n{text}"),
        },
        Err(error) => panic!("{error}\n{text}"),
    }
}

pub(super) fn schedule(statements: &str) -> FragmentSchedule {
    FragmentSchedule::new(&program(statements), OUTPUTS, &ShaderUnits::default())
}

/// The passes of the first run: per pass the positions of the operations in unit 1, unit 2, the normalizer and the
/// branch unit, as in `0 1 | 2 | |`.
fn passes(statements: &str) -> Vec<String> {
    let schedule = schedule(statements);
    let at = |pass: &super::fragment_schedule::Pass, place| {
        let steps: Vec<String> = pass.at(place).map(|step| step.operation.to_string()).collect();
        steps.join(" ")
    };
    let text = |pass| {
        let places = [Place::UnitOne, Place::UnitTwo, Place::Normalizer, Place::BranchUnit];
        places.map(|place| at(pass, place)).join("|")
    };
    schedule.runs[0].passes.iter().map(text).collect()
}

/// Why each unit of the first pass took no further step.
fn closed_by(statements: &str) -> Vec<(Place, Obstacle)> {
    schedule(statements).runs[0].passes[0].closed_by.clone()
}

#[test]
fn a_reciprocal_feeds_the_multipliers_of_its_unit() {
    assert_eq!(passes("RCPR R0.w, R1.w;\nMULR R2.xyz, R3, R0.w;"), ["0 1|||"]);
    assert_eq!(passes("RSQR R0.w, R1.w;\nMULR R2.xyz, R3, R0.w;"), ["0 1|||"]);
    // Four products leave no channel for the reciprocal; unit 2 multiplies by the forwarded result of unit 1.
    assert_eq!(passes("RCPR R0.w, R1.w;\nMULR R2, R3, R0.w;"), ["0|1||"]);
    // SFU and MUL3 in unit 1, then MAD in unit 2, which reads both results.
    assert_eq!(passes("RCPR R0.w, R1.w;\nMULR R2.xyz, R3, R0.w;\nMADR R4, R2, R0.w, {1, 2, 3, 4};"), ["0 1|2||"]);
}

#[test]
fn a_reciprocal_does_not_wait_for_a_product() {
    assert_eq!(passes("MULR R0.x, R1, R2;\nRCPR R0.y, R0.x;"), ["0|||", "1|||"]);
    assert_eq!(
        closed_by("MULR R0.x, R1, R2;\nRCPR R0.y, R0.x;"),
        [(Place::UnitOne, Obstacle::Result { register: Some(register("R0")) })]
    );
    // But an independent product may precede it.
    assert_eq!(passes("MULR R0.x, R1, R2;\nRCPR R3.y, R1.x;"), ["0 1|||"]);
}

fn register(name: &str) -> crate::shader::fragment::FragmentRegister {
    let index = name[1..].parse().unwrap();
    crate::shader::fragment::FragmentRegister { index, is_half: name.starts_with('H') }
}

#[test]
fn there_is_one_unit_for_reciprocals() {
    assert_eq!(passes("RCPR R0.x, R1.x;\nRSQR R0.y, R1.x;"), ["0|||", "1|||"]);
    assert_eq!(closed_by("RCPR R0.x, R1.x;\nRSQR R0.y, R1.x;"), [(Place::UnitOne, Obstacle::Busy)]);
}

#[test]
fn two_products_go_through_unit_1_and_unit_2() {
    assert_eq!(passes("MULR R0, R1, R2;\nMULR R3, R0, R2;"), ["0|1||"]);
    assert_eq!(passes("MULR R0, R1, R2;\nMULR R3, R1, R2;\nMULR R4, R1, R2;"), ["0|1||", "2|||"]);
    assert_eq!(passes("MULR R0, R1, R2;\nMADR R0, R0, R1, R2;"), ["0|1||"]);
}

#[test]
fn unit_2_hands_nothing_back_to_unit_1() {
    assert_eq!(passes("MADR R0, R1, R2, R1;\nMULR R3, R0, R1;"), ["|0||", "1|||"]);
    // An independent product may still go through unit 1, ahead of the sum.
    assert_eq!(passes("MADR R0, R1, R2, R1;\nMULR R3, R1, R2;"), ["1|0||"]);
    // The sum's operands may be overwritten: registers are read first.
    assert_eq!(passes("MADR R0, R1, R2, R1;\nMULR R1, R2, R2;"), ["1|0||"]);
    // The sum's result may not: the product would be written first.
    assert_eq!(passes("MADR R0, R1, R2, R1;\nMULR R0, R1, R2;"), ["|0||", "1|||"]);
    assert_eq!(
        closed_by("MADR R0, R1, R2, R1;\nMULR R0, R1, R2;"),
        [(Place::UnitOne, Obstacle::Order), (Place::UnitTwo, Obstacle::Order)]
    );
}

#[test]
fn dependent_sums_take_a_pass_each() {
    assert_eq!(passes("MADR R0, R1, R2, R1;\nMADR R3, R0, R1, R2;"), ["|0||", "|1||"]);
    assert_eq!(
        closed_by("MADR R0.xyz, R1, R2, R1;\nMADR R3.w, R0.x, R1, R2;"),
        [(Place::UnitTwo, Obstacle::Result { register: Some(register("R0")) })]
    );
    assert_eq!(passes("ADDR R0, R1, R2;\nADDR R3, R1, -R2;"), ["|0||", "|1||"]);
    assert_eq!(closed_by("ADDR R0, R1, R2;\nADDR R3, R1, -R2;"), [(Place::UnitTwo, Obstacle::Channels)]);
}

#[test]
fn a_unit_splits_into_three_and_one_or_two_and_two() {
    let sums = |first: &str, second: &str| passes(&format!("ADDR R0.{first}, R1, R2;\nADDR R3.{second}, R2, R1;"));
    assert_eq!(sums("xyz", "w"), ["|0 1||"]);
    assert_eq!(sums("w", "xyz"), ["|0 1||"]);
    assert_eq!(sums("xy", "zw"), ["|0 1||"]);
    assert_eq!(sums("x", "w"), ["|0 1||"]);
    assert_eq!(sums("y", "z"), ["|0 1||"]);
    assert_eq!(sums("x", "y"), ["|0||", "|1||"]);
    assert_eq!(sums("xw", "y"), ["|0||", "|1||"]);
    assert_eq!(sums("xyz", "z"), ["|0||", "|1||"]);
    // A third instruction does not fit, however the channels split.
    assert_eq!(passes("ADDR R0.xy, R1, R2;\nADDR R0.z, R1, R2;\nADDR R0.w, R1, R2;"), ["|0 1||", "|2||"]);
}

#[test]
fn four_instructions_go_through_in_one_pass() {
    let four = "MULR R0.xyz, R1, R2;\nMULR R0.w, R1, R2;\nMADR R3.xyz, R0, R1, R2;\nMADR R3.w, R0, R1, R2;";
    assert_eq!(passes(four), ["0 1|2 3||"]);
    assert_eq!(passes(&format!("{four}\nMULR R4.x, R1, R2;")).len(), 2);
}

#[test]
fn placements_change_while_a_pass_fills() {
    // A lone product goes to unit 1; it makes room for coordinates that do not depend on it.
    assert_eq!(passes("MULR R0, R1, R2;\nTEX R3, R1, TEX0;"), ["1|0||"]);
}

#[test]
fn dot_products_take_as_many_channels_as_they_have_terms() {
    assert_eq!(passes("DP3R R0.x, R1, R2;\nADDR R0.w, R1, R2;"), ["|0 1||"]);
    assert_eq!(passes("DP4R R0.x, R1, R2;\nADDR R0.w, R1, R2;"), ["|0||", "|1||"]);
    assert_eq!(passes("DP2R R0.x, R1, R2;\nADDR R0.zw, R1, R2;"), ["|0 1||"]);
    assert_eq!(passes("DP2AR R0.x, R1, R2, R1;\nADDR R0.zw, R1, R2;"), ["|0||", "|1||"]);
    // The sum of x, y and z comes out in w, which is then not free.
    assert_eq!(passes("DP3R R0.w, R1, R2;\nADDR R3.w, R1, R2;"), ["|0||", "|1||"]);
}

#[test]
fn a_special_function_takes_the_place_of_the_sum_in_w() {
    assert_eq!(passes("EX2R R0.w, R1.x;\nMADR R2.xyz, R1, R3, R1;"), ["|0 1||"]);
    assert_eq!(passes("MADR R2.xyz, R1, R3, R1;\nLG2R R0.x, R1.x;"), ["|0 1||"]);
    assert_eq!(passes("EX2R R0.x, R1.x;\nADDR R2.w, R1, R3;"), ["|0||", "|1||"]);
    assert_eq!(passes("SINR R0.x, R1.x;\nCOSR R0.y, R1.x;"), ["|0||", "|1||"]);
    // Four products in its unit leave no room: they go through unit 1 instead.
    assert_eq!(passes("EX2R R0.w, R1.x;\nMULR R2, R1, R3;"), ["1|0||"]);
    // A unit outputs at most four components.
    assert_eq!(passes("EX2R R0.xy, R1.x;\nADDR R2.xyz, R1, R3;"), ["|0||", "|1||"]);
}

#[test]
fn a_fetch_hands_its_texel_to_unit_2() {
    assert_eq!(passes("TEX R0, f[TEX0], TEX0;\nMULR R0, R0, R1;"), ["0|1||"]);
    assert_eq!(passes("TEX R0, f[TEX0], TEX0;\nMULR R0, R0, f[COL0];"), ["0|1||"]);
    assert_eq!(passes("TEX R0, f[TEX0], TEX0;\nTEX R1, f[TEX0], TEX1;"), ["0|||", "1|||"]);
    // A texel as a coordinate: a dependent fetch.
    assert_eq!(passes("TEX R0, f[TEX0], TEX0;\nTEX R1, R0, TEX1;"), ["0|||", "1|||"]);
    // The special function unit of unit 1 stays free, its multipliers do not.
    assert_eq!(passes("TEX R0, f[TEX0], TEX0;\nRCPR R1.x, R2.x;\nMULR R0, R0, R1.x;"), ["0 1|2||"]);
    assert_eq!(passes("TXP R0, f[TEX0], TEX0;\nRCPR R1.x, R2.x;"), ["0|||", "1|||"]);
}

#[test]
fn a_product_may_be_the_coordinate() {
    assert_eq!(passes("MULR R0.xy, R1, R2;\nTEX R3, R0, TEX0;"), ["0 1|||"]);
    assert_eq!(passes("RCPR R0.x, R1.x;\nTEX R3, R0.x, TEX0;"), ["0 1|||"]);
    // Unit 1 holds two instructions.
    assert_eq!(passes("RCPR R0.w, R1.w;\nMULR R0.xyz, R1, R0.w;\nTEX R3, R0, TEX0;"), ["0 1|||", "2|||"]);
    // TXP itself needs the multipliers.
    assert_eq!(passes("MULR R0, R1, R2;\nTXP R3, R0, TEX0;"), ["0|||", "1|||"]);
    // A sum comes too late.
    assert_eq!(passes("ADDR R0.xy, R1, R2;\nTEX R3, R0, TEX0;"), ["|0||", "1|||"]);
}

#[test]
fn normalizing_at_half_precision_is_free() {
    assert_eq!(passes("NRMH H0.xyz, R1;\nMULR R2, R1, R3;\nMADR R4, R2, R1, R3;"), ["1|2|0|"]);
    // Its result is available in the next pass; its operand must be available before.
    assert_eq!(passes("NRMH H0.xyz, R1;\nDP3R R2.x, H0, R1;"), ["||0|", "|1||"]);
    assert_eq!(passes("MULR R1, R2, R3;\nNRMH H0.xyz, R1;"), ["0|||", "||1|"]);
    assert_eq!(passes("NRMH H0.xyz, R1;\nNRMH H2.xyz, R2;"), ["||0|", "||1|"]);
}

#[test]
fn normalizing_at_full_precision_takes_two_passes() {
    // DP3 in unit 2; then RSQ and MUL3 in unit 1, whose product unit 2 may take.
    assert_eq!(passes("NRMR R0.xyz, R1;\nDP3R R2.x, R0, R1;"), ["|0||", "0 0|1||"]);
}

#[test]
fn composite_operations_take_the_passes_of_their_parts() {
    assert_eq!(passes("DIVR R0.xyz, R1, R2.x;"), ["0 0|||"]);
    assert_eq!(passes("DIVR R0, R1, R2.x;"), ["0|0||"]);
    assert_eq!(passes("LRPR R0, R1, R2, R3;"), ["|0||", "|0||"]);
    assert_eq!(passes("POWR R0.x, R1.x, R2.x;"), ["|0||", "0|0||"]);
    assert_eq!(passes("LITR R0, R1;"), ["|0||", "0|0||"]);
    assert_eq!(passes("RFLR R0.xyz, R1, R2;"), ["|0||", "|0||", "0 0|0||"]);
    assert_eq!(passes("TXD R0, R1, R2, R3, TEX0;"), ["0|||", "0|||", "0|||"]);
    assert_eq!(passes("X2DR R0.xy, R1, R2, R3;"), ["|0||", "|0||"]);
}

#[test]
fn conditions_wait_for_the_next_pass() {
    assert_eq!(passes("MULRC RC.x, R0, R1;\nMOVR R2 (GT.x), R1;"), ["0|||", "1|||"]);
    assert_eq!(
        closed_by("MULRC RC.x, R0, R1;\nMOVR R2 (GT.x), R1;"),
        [(Place::UnitOne, Obstacle::Condition), (Place::UnitTwo, Obstacle::Condition)]
    );
    // Another component, and the other register, do not matter.
    assert_eq!(passes("MULRC RC.x, R0, R1;\nMOVR R2 (GT.y), R1;"), ["0|1||"]);
    assert_eq!(passes("MULRC1 RC.x, R0, R1;\nMOVR R2 (GT.x), R1;"), ["0|1||"]);
    assert_eq!(passes("MULRC RC.x, R0, R1;\nKIL GT.x;"), ["0|||", "|||1"]);
    assert_eq!(passes("KIL GT.x;\nMULRC RC.x, R0, R1;\nADDR R2, R0, R1;"), ["1|2||0"]);
    // A conditional write may keep the old value, so no step can forward it or write over it within the pass.
    assert_eq!(passes("MULR R2 (GT.x), R0, R1;\nADDR R3, R2, R0;"), ["0|||", "|1||"]);
    assert_eq!(passes("MULR R2, R0, R1;\nADDR R2 (GT.x), R1, R0;"), ["0|||", "|1||"]);
}

#[test]
fn a_result_is_handed_on_under_its_own_name_only() {
    assert_eq!(passes("MULH H0, H2, H3;\nADDH H4, H0, H3;"), ["0|1||"]);
    // R0 is H0 and H1 together; the product alone is not the value of R0.
    assert_eq!(passes("MULH H0, H2, H3;\nADDR R4, R0, R1;"), ["0|||", "|1||"]);
}

#[test]
fn scaling_stands_behind_unit_2() {
    assert_eq!(passes("MULR_x2 R0, R1, R2;\nMULR R3, R1, R2;"), ["1|0||"]);
    assert_eq!(passes("MULR_x2 R0, R1, R2;\nMULR_x2 R3, R1, R2;"), ["|0||", "|1||"]);
    assert_eq!(passes("RCPR_d2 R0.x, R1.x;\nADDR R3, R1, R2;"), ["0|||", "|1||"]);
    assert_eq!(closed_by("RCPR_d2 R0.x, R1.x;\nADDR R3, R1, R2;"), [(Place::UnitTwo, Obstacle::HandsOver)]);
}

#[test]
fn interpolants_come_through_unit_1() {
    // One per unit; the operands of unit 2 bypass the multipliers of unit 1.
    assert_eq!(passes("MULR R0, f[TEX0], R1;\nADDR R2, f[TEX1], R1;"), ["0|||", "|1||"]);
    assert_eq!(closed_by("MULR R0, f[TEX0], R1;\nADDR R2, f[TEX1], R1;"), [(Place::UnitTwo, Obstacle::HandsOver)]);
    assert_eq!(passes("RCPR R0.x, f[TEX0].w;\nADDR R2, f[TEX1], R1;"), ["0|1||"]);
    assert_eq!(passes("ADDR R0.xyz, f[TEX0], R1;\nADDR R0.w, f[TEX0], R1;"), ["|0 1||"]);
    assert_eq!(passes("ADDR R0.xyz, f[TEX0], R1;\nADDR R0.w, f[TEX1], R1;"), ["|0||", "|1||"]);
    assert_eq!(
        closed_by("ADDR R0.xyz, f[TEX0], R1;\nADDR R0.w, f[TEX1], R1;"),
        [(Place::UnitTwo, Obstacle::Interpolants)]
    );
}

#[test]
fn a_pass_reads_three_full_registers_or_six_halves() {
    assert_eq!(passes("MULR R0, R1, R2;\nMADR R5, R0, R3, R1;"), ["0|1||"]);
    assert_eq!(passes("MULR R0, R1, R2;\nMADR R5, R0, R3, R4;"), ["0|||", "|1||"]);
    assert_eq!(closed_by("MULR R0, R1, R2;\nMADR R5, R0, R3, R4;"), [(Place::UnitTwo, Obstacle::RegisterReads)]);
    assert_eq!(passes("MULH H0, H2, H3;\nMADH H1, H4, H5, H6;"), ["0|1||"]);
    // Constants come with the instruction.
    assert_eq!(passes("MULR R0, R1, {1, 2, 3, 4};\nMADR R5, R0, R3, {4, 3, 2, 1};"), ["0|1||"]);
}

#[test]
fn fences_end_a_pass_and_take_no_slot() {
    assert_eq!(passes("MULR R0, R1, R2;\nFENCB;\nFENCT;\nADDR R3, R1, R2;"), ["0|||", "|3||"]);
    assert_eq!(closed_by("MULR R0, R1, R2;\nFENCB;\nADDR R3, R1, R2;"), [(Place::UnitTwo, Obstacle::Fence)]);
    assert_eq!(schedule("MULR R0, R1, R2;\nFENCB;\nADDR R3, R1, R2;").runs[0].fences, [1]);
    assert_eq!(passes("NOP;\nMULR R0, R1, R2;"), ["0 1|||"]);
}
