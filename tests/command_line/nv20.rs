//! Tests the program subcommands on programs for the GeForce 3: one text through all of them.

use super::command::{error, file, stdout};

/// Four numbers divided by a parameter. The copy and the reciprocal fit one instruction, as neither needs the other.
const TEXT: &str = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nRCP R0.x, c[0].x;\nMUL o[COL0], R0.x, v[COL0];\nEND\n";

#[test]
fn a_program_is_assembled_listed_explained_and_run() {
    let text = file("nv20.vp", TEXT);
    let words = stdout(&["assemble", "--machine", "geforce-3", &text]);
    assert!(words.starts_with("!!NV20vp\n.language !!VP1.0\n"), "{words}");
    // The file names its instruction set, so that the machine may be left out.
    let words = file("nv20.words", &words);
    let listed = stdout(&["disassemble", &words]);
    assert_eq!(
        listed, "!!NV20vp1.0\n    MOV oPos, v0 + RCP R1.x, c[96].x;\n    MUL oD0, R1.x, v3;\nEND\n",
        "Parameter 0 is constant 96; the ILU of a pair writes R1"
    );
    let listed = file("nv20.listed", &listed);
    assert_eq!(stdout(&["disassemble", &listed]), std::fs::read_to_string(&listed).unwrap());
    for program in [&words, &listed] {
        let explained = stdout(&["explain", program]);
        assert!(explained.contains("clocks per vertex   2"), "{explained}");
        assert!(explained.contains("0.500, 1 vertex units"), "one unit of the GeForce 3: {explained}");
    }
    let input = "v[OPOS]=1,2,3,1 v[COL0]=2,4,8,1 c[0]=4,0,0,0";
    for program in [&text, &words] {
        let run =
            stdout(&["run-program", "--machine", "geforce-3", program, "--engine", "reference", "--input", input]);
        assert_eq!(
            run,
            "1 o[HPOS] 1.0 2.0 3.0 1.0 3f800000 40000000 40400000 3f800000\n\
             1 o[COL0] 0.5 1.0 2.0 0.25 3f000000 3f800000 40000000 3e800000\n"
        );
    }
}

#[test]
fn programs_of_other_machines_are_refused() {
    let later = file("later.vp", "!!VP2.0\nMOV o[HPOS], v[OPOS];\nEND\n");
    let words = file("nv40.words", stdout(&["assemble", &later]));
    for (program, message) in
        [(&later, "NV20 has no programs in !!VP2.0"), (&words, "words of NV40 where a program for NV20")]
    {
        let error = error(&["disassemble", "--machine", "geforce-3", program]);
        assert!(error.contains(message), "{error}");
    }
}
