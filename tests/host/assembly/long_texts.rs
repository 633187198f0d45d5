//! Tests that texts with many labels, calls and blanks are assembled or rejected quickly.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use curie::asm::assemble;

/// The errors of an `!!ARBfp1.0` text with blocks, or nothing.
fn outcome(statements: &str) -> String {
    let text = format!("!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP t;\n{statements}");
    let begin = Instant::now();
    let outcome = assemble("long", &text);
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    outcome.err().map(|errors| errors.to_string()).unwrap_or_default()
}

/// Calls to this many subroutines.
fn calls(count: u32) -> String {
    (0..count).fold(String::new(), |mut text, label| {
        let _ = write!(text, "CAL l{label};");
        text
    })
}

#[test]
fn blanks_behind_the_text_cost_nothing_for_each_token() {
    let statements = "SHORT t;".repeat(4) + &"MOV t,t;".repeat(50_000) + "END";
    let blanks = " ".repeat(600_000);
    assert!(outcome(&(statements + &blanks)).contains("TEMP or OUTPUT"));
}

#[test]
fn many_labels() {
    let mut statements = String::new();
    for label in 0..110_000 {
        let _ = write!(statements, "l{label}:");
    }
    assert_eq!(outcome(&(statements + "MOV result.color, t;\nEND")), "");
}

#[test]
fn blocks_that_many_labels_lead_to_count_with_all_their_statements() {
    let mut statements = calls(4000) + "RET;";
    for label in 0..4000 {
        let _ = write!(statements, "l{label}:");
    }
    statements += "IF GT.x;";
    statements += &"MOV t,t;".repeat(50_000);
    statements += "ENDIF;RET;END";
    assert!(outcome(&statements).contains("instructions where at most 65535 are possible"));
}

#[test]
fn rows_of_calls() {
    let mut statements = calls(12_000) + "MOV result.color, t;RET;";
    for label in 0..12_000 {
        let _ = write!(statements, "l{label}:ADD t,t,fragment.texcoord;RET;");
    }
    assert_eq!(outcome(&(statements + "END")), "");
}
