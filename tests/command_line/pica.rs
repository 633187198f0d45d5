//! Tests the program subcommands on programs for the PICA200: one text through all of them, and files that are wrong.

use super::command::{error, file, stdout};

/// Halves a position `count` + 1 times, and copies a color if a boolean says so.
const TEXT: &str = "
.fvec factor
.ivec count
.bool isLit
.constf one(1.0, 1.0, 1.0, 1.0)
.in position v0
.in color v1
.out outPosition position
.out outColor color
.proc main
    mov r0, position
    for count
        mul r0, factor, r0
    .end
    mov outPosition, r0
    ifu isLit
        mov outColor, color
    .else
        mov outColor, one
    .end
    end
.end
";

#[test]
fn a_program_is_assembled_listed_and_run() {
    let text = file("scale.v.pica", TEXT);
    let binary = file("scale.shbin", "");
    stdout(&["assemble", "--machine", "pica200", &text, "--output", &binary]);
    assert!(std::fs::read(&binary).unwrap().starts_with(b"DVLB"));
    // The binary names its machine; a text without the usual name needs `--machine`.
    let listed = file("listed", stdout(&["disassemble", &binary]));
    let again = file("again.shbin", "");
    stdout(&["assemble", "--machine", "pica200", &listed, "--output", &again]);
    assert_eq!(stdout(&["disassemble", &again]), std::fs::read_to_string(&listed).unwrap());
    for program in [&text, &binary] {
        // A quarter of the position, since the body runs count + 1 times.
        let inputs =
            ["position=1,2,3,4 color=0.1,0x7f8000,0xbf800000,0", "factor=0.5,0.5,0.5,0.5 count=1,0,1 isLit=true"];
        let run = ["run-program", program, "--engine", "reference", "--input", inputs[0], "--input", inputs[1]];
        // 0.1 is 1.6 · 2⁻⁴; 16 bits of the fraction are 0x9999.
        assert_eq!(
            stdout(&run),
            "1 o0 0.25 0.5 0.75 1.0 3e800000 3f000000 3f400000 3f800000 3d0000 3e0000 3e8000 3f0000\n\
             1 o1 0.09999943 NaN -1.0 0.0 3dcccc80 7fc00000 bf800000 00000000 3b9999 7f8000 bf0000 000000\n"
        );
        let dark = stdout(&["run-program", program, "--engine", "reference"]);
        assert!(
            dark.ends_with(" o1 1.0 1.0 1.0 1.0 3f800000 3f800000 3f800000 3f800000 3f0000 3f0000 3f0000 3f0000\n")
        );
        assert!(stdout(&["recompile", program]).contains("pica_mul"));
    }
}

/// A point becomes a triangle; the constant is the offset of its corners.
const GEOMETRY: &str = "
.gsh point c0
.fvec offset
.in position v0
.out outPosition position
.proc corner
    add r0, offset, r0
    mov outPosition, r0
    emit
    nop
.end
.proc main
    mov r0, position
    setemit 0
    call corner
    setemit 1
    call corner
    setemit 2, prim inv
    call corner
    end
.end
";

#[test]
fn a_geometry_shader_prints_the_triangles_that_it_emits() {
    let text = file("corner.g.pica", GEOMETRY);
    let binary = file("corner.shbin", "");
    stdout(&["assemble", &text, "--output", &binary]);
    for program in [&text, &binary] {
        let run =
            stdout(&["run-program", program, "--engine", "reference", "--input", "position=1,0,0,1 offset=1,0,0,0"]);
        let line = |vertex: u32, x: f32, short: &str| {
            let bits = x.to_bits();
            format!(
                "1 triangle0.vertex{vertex}.o0 {x:?} 0.0 0.0 1.0 {bits:08x} 00000000 00000000 3f800000 {short} 000000 \
                 000000 3f0000\n"
            )
        };
        // The first two vertices are exchanged.
        let expected = [line(0, 3.0, "408000"), line(1, 2.0, "400000"), line(2, 4.0, "410000")].concat();
        let (count, triangles) = run.split_once('\n').unwrap();
        assert!(count.starts_with("1 triangles 1.0 "), "{count}");
        assert_eq!(triangles, expected);
    }
}

#[test]
fn files_that_are_no_program_are_refused() {
    let binary = file("whole.shbin", "");
    stdout(&["assemble", &file("whole.v.pica", TEXT), "--output", &binary]);
    let bytes = std::fs::read(&binary).unwrap();
    let other = file("other.vp", "!!VP1.0\nMOV o[HPOS], v[OPOS];\nEND\n");
    let short = file("short.shbin", &bytes[..40]);
    let wrong = file("wrong.v.pica", ".proc main\nmov o0, c96\nend\n.end\n");
    // A text that emits is a geometry shader; in a binary, byte 6 of the executable's header says what it is.
    let emits = file("emits.shbin", "");
    stdout(&["assemble", &file("emits.g.pica", ".proc main\nsetemit 0\nend\n.end\n"), "--output", &emits]);
    let mut emitting = std::fs::read(&emits).unwrap();
    let header = emitting.windows(4).position(|tag| tag == b"DVLE").unwrap();
    assert_eq!(std::mem::replace(&mut emitting[header + 6], 0), 1);
    std::fs::write(&emits, emitting).unwrap();
    let raw = file("raw", [0u8, 159, 146, 150]);
    for (arguments, message) in [
        (["disassemble", "--executable=1", &binary], "there is no executable 1; the shader binary has 1"),
        (["disassemble", "--machine=geforce-3", &binary], "a shader binary of PICA200 where a program for NV20"),
        (["disassemble", "--machine=pica200", &other], "neither a shader binary (which begins with DVLB) nor a text"),
        (["disassemble", "--machine=pica200", &raw], "neither a shader binary (which begins with DVLB) nor a text"),
        (["disassemble", "--stage=vertex", &short], "shader binary: byte 0x"),
        (["disassemble", "--stage=fragment", &binary], "PICA200 has no fragment programs"),
        (["recompile", "--stage=vertex", &emits], "word 0: only geometry shaders emit vertices"),
        (["recompile", "--stage=vertex", &wrong], "wrong.v.pica:2:"),
        (["assemble", "--stage=vertex", &binary], "a shader binary is not text; name a file with --output"),
        (["run-program", "--input=v16=0,0,0,0", &binary], "\"v16\" is not an input: v0, c0, i0, b0"),
    ] {
        let found = error(&arguments);
        assert!(found.contains(message), "{arguments:?}: {found}");
    }
}

#[test]
fn a_timetable_shows_stages_stalls_and_occupancy() {
    let text = ".fvec m[4]\n.out o position\n.proc main\ndp4 o.x, m[0], v0\ndp4 o.y, m[1], v0\ndp4 o.z, m[2], v0\n\
                dp4 o.w, m[3], v0\nend\n.end\n";
    let text = file("transform.v.pica", text);
    let explained = stdout(&["explain", "--machine", "pica200", &text]);
    // A dot product enters each clock; the last enters in clock 3 and is written in clock 7. With 3 clocks to fill the
    // pipeline, clocks 0 to 7 are 11.
    for line in [
        "   0  rMAAw     dp4 o0.x, c0, v0",
        "   3     rMAAw  dp4 o0.w, c3, v0",
        "   4      -x    end",
        "    clocks per vertex   11",
        "    vertices per clock  0.364, 4 vertex units",
        "                        0.273, 3 while a geometry shader takes one",
        // Four of four units for one clock a dot product: 16 of 4 · 11; three adders each.
        "        MUL             16 of 44, 36 % busy",
        "        ADD             12 of 44, 27 % busy",
    ] {
        assert!(explained.lines().any(|found| found == line), "{line}\n{explained}");
    }
    let binary = file("transform.shbin", "");
    stdout(&["assemble", "--machine", "pica200", &text, "--output", &binary]);
    assert_eq!(stdout(&["explain", &binary]), explained, "a binary names its instruction set");
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&["explain", "--machine", "pica200", "--json", &text])).unwrap();
    assert_eq!((&json["schema"], &json["stage"], &json["straight_clocks"]), (&1.into(), &"vertex".into(), &11.into()));
    assert_eq!(json["schedule"]["blocks"][0]["instructions"][3]["write_back"], 7);
    // With flow, the clocks depend on the way of a vertex.
    let looped = file("scale_loop.v.pica", TEXT);
    let explained = stdout(&["explain", "--machine", "pica200", &looped]);
    assert!(explained.contains("3 to fill the pipeline, one for each instruction executed, its stalls, 1 for each"));
}
