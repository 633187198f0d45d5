//! Tests how operations are packed into instructions of NV20.

use crate::assemble::assemble_for;
use crate::assembly::Assembly;
use crate::isa::NvVertexIsa;
use crate::vertex::listing::listing_of;

/// The instructions of statements that need not write the position.
fn lines(statements: &str) -> Vec<String> {
    let text = format!("!!VP1.1\n{statements}\nEND");
    let assembly = match assemble_for("test", &text, NvVertexIsa::Nv20) {
        Ok(Assembly::Vertex(vertex)) => vertex,
        Ok(Assembly::Fragment(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}\n{text}"),
    };
    let listed = listing_of(&assembly.microcode());
    let lines = listed.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_lighting_program_hides_the_ilu_behind_the_transform() {
    // Eight operations of the MAC, two of the ILU. The chains have 6 (DP3, RSQ, MUL, DP3, LIT, MUL) and 4 operations (DP4,
    // whose outputs keep their order), and the text decides between chains that are equally long. RSQ and LIT are at the
    // head of the longest chain, or as long as it, where DP4 is ready.
    let found = lines(
        "DP4 o[HPOS].x, c[0], v[OPOS];
         DP4 o[HPOS].y, c[1], v[OPOS];
         DP4 o[HPOS].z, c[2], v[OPOS];
         DP4 o[HPOS].w, c[3], v[OPOS];
         DP3 R0.w, v[NRML], v[NRML];
         RSQ R0.w, R0.w;
         MUL R0.xyz, R0.w, v[NRML];
         DP3 R1.x, R0, c[4];
         LIT R2, R1.x;
         MUL o[COL0], R2.z, c[5];",
    );
    assert_eq!(
        found,
        [
            "DP3 R0.w, v2, v2",
            "DP4 oPos.x, c[96], v0 + RSQ R1.w, R0.w",
            "MUL R0.xyz, R1.w, v2",
            "DP4 oPos.y, c[97], v0",
            "DP3 R1.x, R0, c[100]",
            "DP4 oPos.z, c[98], v0 + LIT R1, R1.x",
            "DP4 oPos.w, c[99], v0",
            "MUL oD0, R1.z, c[101]",
        ]
    );
}

#[test]
fn r1_holds_one_value_at_a_time() {
    // Both reciprocals are read at the end, so only one can be in R1.x.
    let found = lines(
        "RCP R2.x, v[0].x;
         RCP R3.x, v[0].y;
         MOV o[COL0], v[0];
         MOV o[COL1], v[0];
         ADD o[HPOS], R2.x, R3.x;",
    );
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found.iter().filter(|line| line.contains(" + RCP R1.x")).count(), 1, "{found:?}");
    // In different components, both fit.
    let found = lines(
        "RCP R2.x, v[0].x;
         RCP R3.y, v[0].y;
         MOV o[COL0], v[0];
         MOV o[COL1], v[0];
         ADD o[HPOS], R2.x, R3.y;",
    );
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_move_goes_to_the_unit_that_is_free() {
    let found = lines("MOV o[COL0], v[3];\nMUL R4, v[3], c[1];\nMOV o[HPOS], R4;");
    assert_eq!(found, ["MUL R4, v3, c[97] + MOV oD0, v3", "MOV oPos, R4"]);
    let found = lines("MOV R0, v[3];\nRCP R3.x, v[3].x;\nMUL o[HPOS], R0, R3.x;");
    assert_eq!(found, ["MOV R0, v3 + RCP R1.x, v3.x", "MUL oPos, R0, R1.x"]);
}

#[test]
fn fields_are_not_shared_by_different_operands() {
    let both =
        |first: &str, second: &str| lines(&format!("{first}\n{second}\nMUL o[HPOS], R2, R3.x;"))[0].contains(" + ");
    assert!(both("MUL R2, v[0], c[1];", "RCP R3.x, c[1].y;"));
    assert!(!both("MUL R2, v[0], c[1];", "RCP R3.x, c[2].y;"));
    assert!(!both("MUL R2, v[0], c[1];", "RCP R3.x, v[2].y;"));
    // ADD and MAD read C too, whose component x the ILU takes.
    assert!(both("ADD R2, v[0], c[1].yxzw;", "RCP R3.x, c[1].y;"));
    assert!(!both("ADD R2, v[0], c[1];", "RCP R3.x, c[1].y;"));
    assert!(!both("MAD R2, v[0], v[0], c[1].y;", "RCP R3.x, -c[1].y;"));
    // Only one of both can write an output.
    let found = lines("MOV o[COL0], v[3];\nRCP o[HPOS], v[3].x;");
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn the_address_register_and_outputs_keep_their_order() {
    let found = lines(
        "ARL A0.x, v[1].x;
         MOV R2, c[A0.x+1];
         ARL A0.x, v[1].y;
         RCP R3.x, c[A0.x+1].x;
         MUL o[HPOS], R2, R3.x;
         MOV o[HPOS].x, v[1];",
    );
    let expected = [
        "ARL A0, v1.x",
        "MOV R2, c[A0+97]",
        "ARL A0, v1.y",
        "RCP R3.x, c[A0+97].x",
        "MUL oPos, R2, R3.x",
        "MOV oPos.x, v1",
    ];
    assert_eq!(found, expected);
}

#[test]
fn twelve_live_temporaries_still_have_registers() {
    let mut text: String = (0..12).map(|number| format!("MUL R{number}, v[0], c[{number}];\n")).collect();
    text.push_str("RCP R0.x, R0.x;\n");
    (0..12).for_each(|number| text.push_str(&format!("MAD R0, R{number}, v[1], R0;\n")));
    text.push_str("MOV o[HPOS], R0;");
    let found = lines(&text);
    assert!(found.len() <= 26, "{found:?}");
}
