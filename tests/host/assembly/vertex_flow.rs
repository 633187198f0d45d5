//! Tests branches, calls, the stack of address registers, and the liveness of values.

use super::{result, vertex};

#[test]
fn branches_go_where_their_condition_says() {
    let text = "!!VP2.0
        MOV o[HPOS], v[0];
        MOVC R0, v[1];
        MOV o[COL0], c[1];
        BRA behind (LT.x);
        MOV o[COL0].x, c[2];
        BRA end;
        behind: MOV o[COL0].y, c[2];
        end: MOV o[COL0].z, c[2];
        END";
    let constants = "c[1]=0,0,0,0 c[2]=1,1,1,1";
    assert_eq!(result(text, &format!("v[1]=5,0,0,0 {constants}"), "o[COL0]"), [1.0, 0.0, 1.0, 0.0]);
    assert_eq!(result(text, &format!("v[1]=-5,0,0,0 {constants}"), "o[COL0]"), [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_branch_is_taken_if_any_component_passes() {
    let text =
        "!!VP2.0\nMOV o[HPOS], v[0]; MOVC R0, v[1]; BRA end (EQ.xyzw); MOV o[HPOS].x, c[0]; end: MOV R1, v[0];\nEND";
    assert_eq!(result(text, "v[0]=9,0,0,0 v[1]=1,2,0,3 c[0]=4,4,4,4", "o[HPOS]")[0], 9.0);
    assert_eq!(result(text, "v[0]=9,0,0,0 v[1]=1,2,8,3 c[0]=4,4,4,4", "o[HPOS]")[0], 4.0);
}

#[test]
fn execution_starts_at_main_and_calls_return() {
    let text = "!!VP2.0
        twice: ADD R0, R0, R0;
        RET (TR);
        main: MOV R0, v[0];
        CAL twice;
        CAL twice;
        MOVC R1, R0;
        CAL twice (LT.y);
        MOV o[HPOS], R0;
        RET;
        MOV o[HPOS], v[0];
        END";
    assert_eq!(vertex(text).start, 2);
    assert_eq!(result(text, "v[0]=1,2,3,4", "o[HPOS]"), [4.0, 8.0, 12.0, 16.0]);
    assert_eq!(result(text, "v[0]=1,-2,3,4", "o[HPOS]"), [8.0, -16.0, 24.0, 32.0]);
}

#[test]
fn a_loop_ends_when_its_condition_fails() {
    // 10 + 9 + … + 1
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program2;\nTEMP n, sum;\nMOV n, vertex.position.x;\nMOV sum, 0;
        again: ADD sum, sum, n; ADDC n, n, -1.0; BRA again (GT.x);\nMOV result.position, sum;\nEND";
    assert_eq!(result(text, "vertex.position=10,0,0,0", "result.position"), [55.0; 4]);
}

#[test]
fn address_registers_are_pushed_and_popped() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nADDRESS A, B; TEMP t; PARAM p[] = { 1.0, 2.0, 3.0, 4.0 };
        ARL A, vertex.position; PUSHA A; ARL A, 0.0; POPA B; MOV result.position, p[B.y];
        MOV result.color, p[A.y+1];\nEND";
    assert_eq!(result(text, "vertex.position=0,3,0,0", "result.position"), [4.0; 4]);
    assert_eq!(result(text, "vertex.position=0,3,0,0", "result.color"), [2.0; 4]);
}

#[test]
fn many_names_share_the_registers_of_the_chip() {
    // Of sixty temporaries, at most two hold a value at any time.
    let names: Vec<String> = (0..60).map(|number| format!("t{number}")).collect();
    let mut text = format!("!!ARBvp1.0\nTEMP {};\nMOV t0, vertex.position;\n", names.join(", "));
    for number in 1..60 {
        text.push_str(&format!("ADD t{number}, t{}, 1.0;\n", number - 1));
    }
    text.push_str("MOV result.position, t59;\nEND");
    assert_eq!(result(&text, "vertex.position=1,2,3,4", "result.position"), [60.0, 61.0, 62.0, 63.0]);
}

#[test]
fn a_value_is_kept_through_a_loop_and_a_call() {
    // More names than registers; `kept` is needed after the loop although nothing inside reads it.
    let names: Vec<String> = (0..40).map(|number| format!("t{number}")).collect();
    let mut text = format!("!!ARBvp1.0\nOPTION NV_vertex_program2;\nTEMP kept, n, {};\n", names.join(", "));
    text.push_str("MOV kept, vertex.position; MOV n, 3.0;\nagain:\n");
    for number in 0..40 {
        text.push_str(&format!("ADD t{number}, n, {number}.0; MAX n.y, t{number}, n;\n"));
    }
    text.push_str(
        "CAL less; BRA again (GT.x); ADD result.position, kept, n.x; RET;\nless: ADDC n.x, n, -1.0; RET;\nEND",
    );
    assert_eq!(result(&text, "vertex.position=1,2,3,4", "result.position"), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn numbers_share_vectors_of_the_constant_store() {
    let text =
        "!!ARBvp1.0\nTEMP t;\nMUL t, vertex.position, 2.0; ADD t, t, 3.0; MAD t, t, 2.0, -3.0; MUL t, t, {2, 3, 2, 3};
        MOV result.position, t;\nEND";
    let assembly = vertex(text);
    assert_eq!(assembly.constants.len(), 1);
    assert_eq!(assembly.instructions.len(), 5);
    // ((1·2 + 3)·2 − 3)·2 = 14; for 2: 11·3; for 3: 15·2; for 4: 19·3.
    assert_eq!(result(text, "vertex.position=1,2,3,4", "result.position"), [14.0, 33.0, 30.0, 57.0]);
}

#[test]
fn lookups_put_their_level_into_w() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t;\nTEX t, vertex.position, texture[9], 2D;
        TXL t, t, texture, 2D;\nTXB t, t, texture[9], 2D;\nTXP result.color, t, texture[2], RECT;\nEND";
    let assembly = vertex(text);
    let units: Vec<_> = assembly.textures.iter().map(|texture| (texture.unit, texture.image)).collect();
    assert_eq!(units, [(0, 9), (1, 0), (2, 2)]);
    let listing = curie::asm::vertex::listing::listing(&assembly.instructions, assembly.start);
    assert!(listing.contains("SFL R0.w;\n    TXL R0, R0, texture[0];\n    TXL R0, R0, texture[1];"), "{listing}");
}
