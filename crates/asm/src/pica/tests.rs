//! Tests of the assembler: words of each statement, directives, padding, errors, and listings that assemble back.

use super::{PicaOptions, assemble, constants, listing};
use crate::isa::pica_vertex::{PicaInstruction, PicaTest};
use crate::shader::condition::WriteMask;
use crate::shbin::{
    GeometryMode, OutputSemantic, RegisterFile, Shbin, ShbinConstant, ShbinOutput, ShbinStage, ShbinUniform, ShbinValue,
};

fn binary(text: &str) -> Shbin {
    assemble("test", text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The statements in a main procedure, decoded again.
fn statements(body: &str) -> Vec<String> {
    let binary = binary(&format!(".proc main\n{body}\n.end"));
    let program = binary.shader().decode().unwrap();
    program.iter().map(|instruction| instruction.to_string()).collect()
}

/// The message of the only error.
fn error(text: &str) -> String {
    let errors = assemble("test", text, PicaOptions::default()).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors}");
    errors.errors()[0].message.clone()
}

/// The message of the only error of a statement in a main procedure; it must be on that line.
fn wrong(statement: &str) -> String {
    let text = format!(".proc main\n{statement}\nend\n.end");
    let errors = assemble("test", &text, PicaOptions::default()).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors}");
    assert_eq!(errors.location(&errors.errors()[0]).0, 2, "{errors}");
    errors.errors()[0].message.clone()
}

const LIGHT: &str = "
; A shader with uniforms, constants, scopes and a procedure.
.fvec projection[4], model$view[4]
.fvec _private
.ivec count
.bool lit, flags[2]
.constf ones(1.0, -0.5, .25, 0)
.consti steps(3, 0, 1, -1)
.constfa table[3]
.constfa (1, 2, 3, 4)
.constfa (0x7f0000, 0x7f8000, 0x000001, 0x800000)
.end
.in position
.in normal v5
.out outPosition position
.out outColor color.rgb
.out - texcoord0w outColor.a
.alias half ones.yyyy
.setf c40(4096, 0.125, -3, 1e9)
.setb b9 on

.proc project
    dp4 outPosition.x, projection[0], r0
    dp4 outPosition.y, projection[1], r0
    mad r1.xyz, -r2, c4[aL+2].zyxw, r7
.end

.proc main
    mova a0.xy, position
    mov r0, position
    cmp r0, gt, le, r1
    ifc cmp.x && !cmp.y
        call project
        nop
    .else
        for count
            add r3, half, r3
            breakc !cmp.x || cmp.y
            slt r4, r3, table[a0.x]
        .end
    .end
    ifu lit
        rsq r5.w, -r3.x
    .end
    jmpu !flags[1], done
    callu lit, project
done:
    mov outColor, r4
    end
.end
";

#[test]
fn a_program_has_its_words_and_tables() {
    let binary = binary(LIGHT);
    let program = binary.shader().decode().unwrap();
    let text: Vec<_> = program.iter().map(|instruction| instruction.to_string()).collect();
    let expected = [
        "dp4 o0.x, c0, r0",
        "dp4 o0.y, c1, r0",
        "mad r1.xyz, -r2, c6[aL].zyx, r7",
        "mova a0.xy, v0",
        "mov r0, v0",
        "cmp r0, gt, le, r1",
        "ifc cmp.x && !cmp.y",
        "call proc_0",
        "nop",
        "for i0",
        "add r3, c95.y, r3",
        "breakc !cmp.x || cmp.y",
        "slt r4, r3, c92[a0.x]",
        // The loop and the if would end at the same word.
        "nop",
        "ifu b0",
        "rsq r5.w, -r3",
        "jmpu !b2, label_18",
        "callu b0, proc_0",
        "mov o1, r4",
        "end",
    ];
    assert_eq!(text, expected);
    let call = PicaInstruction::Call { test: PicaTest::Always, target: 0, count: 3 };
    assert_eq!(program[7], call);
    assert!(matches!(program[6], PicaInstruction::If { otherwise: 9, count: 5, .. }));
    assert_eq!(program[9], PicaInstruction::Loop { register: 0, last: 12 });
    assert!(matches!(program[14], PicaInstruction::If { otherwise: 16, count: 0, .. }));

    let [executable] = &binary.executables[..] else { panic!("one executable") };
    assert_eq!((executable.entry, executable.end), (3, 20));
    assert_eq!((executable.input_mask, executable.output_mask), (1 | 1 << 5, 0b11));
    let uniform = |name: &str, file, first, last| ShbinUniform { name: name.to_owned(), file, first, last };
    let uniforms = [
        uniform("position", RegisterFile::Input, 0, 0),
        uniform("normal", RegisterFile::Input, 5, 5),
        uniform("projection", RegisterFile::Float, 0, 3),
        uniform("model.view", RegisterFile::Float, 4, 7),
        uniform("count", RegisterFile::Integer, 0, 0),
        uniform("lit", RegisterFile::Boolean, 0, 0),
        uniform("flags", RegisterFile::Boolean, 1, 2),
    ];
    assert_eq!(executable.uniforms, uniforms);
    let output = |semantic, register, mask| ShbinOutput { semantic, register, mask: WriteMask(mask) };
    let outputs = [
        output(OutputSemantic::Position, 0, 15),
        output(OutputSemantic::Color, 1, 0b0111),
        output(OutputSemantic::Texcoord0W, 1, 0b1000),
    ];
    assert_eq!(executable.outputs, outputs);
    // 1.0 is 0x3f0000: exponent 63, mantissa 0. 0.5 has exponent 62, 0.25 has 61.
    let float = |register, value| ShbinConstant { register, value: ShbinValue::Float(value) };
    let constants = [
        float(95, [0x3f_0000, 0xbe_0000, 0x3d_0000, 0]),
        ShbinConstant { register: 3, value: ShbinValue::Integer([3, 0, 1, 255]) },
        float(92, [0x3f_0000, 0x40_0000, 0x40_8000, 0x41_0000]),
        float(93, [0x7f_0000, 0x7f_8000, 0x00_0001, 0x80_0000]),
        float(94, [0; 4]),
        // 10^9 is 1.8626451 · 2^29; 0.8626451 · 2^16 is 56534.3, which is truncated.
        float(40, [0x4b_0000, 0x3c_0000, 0xc0_8000, (63 + 29) << 16 | 56534]),
        ShbinConstant { register: 9, value: ShbinValue::Boolean(true) },
    ];
    assert_eq!(executable.constants, constants);
}

#[test]
fn words_are_those_of_the_documents() {
    // azahar, tests/video_core/shader: CALL inside CALL. The procedures there have END as their second word.
    let text = "
        .proc outer\ncall middle\nend\n.end
        .proc middle\ncall inner\n.end
        .proc words\nend\n.end
        .proc inner\nex2 o0, v0\n.end
        .proc more\nend\n.end
        .entry outer";
    let assembled = assemble("test", text, PicaOptions { pads_scopes: false }).unwrap();
    assert_eq!(assembled.code, [0x9000_0801, 0x8800_0000, 0x9000_1001, 0x8800_0000, 0x1400_0000, 0x8800_0000]);
    // All components, and x of the source; the other components of the swizzle are as the text has them.
    assert_eq!(assembled.shader().descriptors, [0x36f]);
}

#[test]
fn constants_that_no_number_gives_are_listed_as_bits() {
    assert_eq!([0x80_0000, 0x3f_0000, 0x01_0000].map(constants::number_of), [-0.0, 1.0, 2.0f32.powi(-62)].map(Some));
    assert_eq!([0x7f_0000, 0xff_0001, 0x00_0001].map(constants::number_of), [None; 3]);
}

#[test]
fn operands_have_offsets_aliases_and_old_names() {
    let with = |declaration: &str, statement: &str| {
        let text = format!("{declaration}\n.proc main\n{statement}\nend\n.end");
        binary(&text).shader().instruction(0).unwrap().to_string()
    };
    assert_eq!(with("", "mov r4[-2], c8[4]"), "mov r2, c12");
    assert_eq!(with("", "MOV r0.rgb, c0[a0.y].stpq"), "mov r0.xyz, c0[a0.y]");
    assert_eq!(with("", "mov r0, c0[lcnt + 2]"), "mov r0, c2[aL]");
    assert_eq!([with("", "mov r0, c0[a1]"), with("", "mova a01, r0")], ["mov r0, c0[a0.y]", "mova a0.xy, r0"]);
    assert_eq!([with("", "mova a0, r0.w"), with("", "mova a1, r0.w")], ["mova a0.x, r0.w", "mova a0.y, r0.w"]);
    assert_eq!(with(".alias x c0.wyxz", "mov r0, x.xxww"), "mov r0, c0.wwz");
    assert_eq!(with(".alias x -c0", "mov r0, -x"), "mov r0, c0");
    assert_eq!(with(".fvec m[4]", "mov r0, -m[aL+2].yx"), "mov r0, -c2[aL].yx");
    assert_eq!(with("", "mov r0._, r1"), "mov r0._, r1");
    assert_eq!(with("", "dphi r0, r1, c4"), "dph r0, r1, c4");
    assert_eq!(with("", "setemit 2, prim inv"), "setemit 2, prim inv");
    assert_eq!(with("", "breakc cmp.y & !!cmp.x"), "breakc cmp.x && cmp.y");
    assert_eq!(with("", "breakc cmp.y|!cmp.x"), "breakc !cmp.x || cmp.y");
    assert_eq!(with("", "label: other: nop ; text"), "nop");
}

#[test]
fn scopes_are_padded_as_the_hardware_needs() {
    // An empty body, and a body that ends with a call, a jump, or a break out of it.
    assert_eq!(statements("ifu b0\n.end\nend"), ["ifu b0", "nop", "end"]);
    assert_eq!(statements("for i1\n.end\nend"), ["for i1", "nop", "end"]);
    assert_eq!(statements("ifu b0\n.else\nend\n.end\nend"), ["ifu b0", "nop", "end", "end"]);
    assert_eq!(statements("x: for i1\njmpu b0, x\n.end\nend"), ["for i1", "jmpu b0, label_0", "nop", "end"]);
    assert_eq!(statements("for i1\nbreakc cmp.x\n.end\nend"), ["for i1", "breakc cmp.x", "nop", "end"]);
    assert_eq!(statements("for i1\nbreak\n.end\nend"), ["for i1", "break", "nop", "end"]);
    // A break in an if ends the loop, not the if.
    let nested = "for i1\nifu b0\nbreak\n.end\nnop\n.end\nend";
    assert_eq!(statements(nested), ["for i1", "ifu b0", "break", "nop", "end"]);
    // Two scopes that end at the same word; the procedure is a scope, too.
    assert_eq!(statements("ifu b0\nifu b1\nend\n.end\n.end\nend"), ["ifu b0", "ifu b1", "end", "nop", "end"]);
    assert_eq!(statements("ifu b0\nend\n.end"), ["ifu b0", "end", "nop"]);
    assert_eq!(binary(".proc a\n.end\n.proc main\ncall a\n.end").code.len(), 3, "an empty procedure, and a last call");
    let plain =
        assemble("test", ".proc main\nifu b0\nifu b1\n.end\n.end\nend\n.end", PicaOptions { pads_scopes: false });
    assert_eq!(plain.unwrap().code.len(), 3);
}

#[test]
fn geometry_shaders_have_their_stage() {
    let stage = |directive: &str| {
        let text = format!("{directive}\n.fvec first\n.out - dummy o0\n.proc main\nsetemit 1\nemit\nend\n.end");
        let executable = binary(&text).executables.remove(0);
        assert!(executable.merges_outputs);
        (executable.stage, executable.uniforms[0].first)
    };
    let geometry = |mode, fixed_start, variable_count, fixed_count| ShbinStage::Geometry {
        mode,
        fixed_start,
        variable_count,
        fixed_count,
    };
    assert_eq!(stage(".gsh point c7"), (geometry(GeometryMode::Point, 0, 0, 0), 7));
    assert_eq!(stage(".gsh variable c48 3"), (geometry(GeometryMode::Variable, 0, 3, 0), 48));
    assert_eq!(stage(".gsh fixed c48 c2 4"), (geometry(GeometryMode::Fixed, 2, 0, 4), 48));
    let dummies = error(".gsh point c0\n.out - dummy o7\n.proc main\nend\n.end");
    assert_eq!(dummies, "o7 can be a dummy output of a vertex shader only");
    assert_eq!(error(".gsh fixed c2 c2 4\n.proc main\nend\n.end"), "the vertices overlap the registers of uniforms");
    assert_eq!(error(".gsh point c0\n.proc main\nmov o7, r0\nend\n.end"), "a geometry shader has no such output");
    let late = error(".fvec a\n.gsh point c0\n.proc main\nend\n.end");
    assert_eq!(late, "`.gsh` with a mode stands once, before constants, uniforms and outputs");
}

#[test]
fn older_texts_name_no_mode_of_geometry() {
    // The manual of picasso: `.gsh` without a mode, and setemit, which stand anywhere. Uniforms begin at c0, and b15 is one.
    let point = ShbinStage::Geometry { mode: GeometryMode::Point, fixed_start: 0, variable_count: 0, fixed_count: 0 };
    for directive in [".gsh", ".gsh\n.gsh", ""] {
        let text = format!(
            ".fvec first\n.bool flags[16]\n.out where position\n{directive}\n.proc main\nsetemit 1\nmov where, v0\nemit\nend\n.end"
        );
        let executable = binary(&text).executables.remove(0);
        assert_eq!(executable.stage, point, "{directive}");
        assert_eq!(executable.uniforms[0].first, 0);
    }
    assert_eq!(error(".gsh\n.proc main\nmov o7, r0\nend\n.end"), "a geometry shader has no such output");
    // Only one with registers of its own merges outputs, as picasso's code decides; the listing keeps that.
    for (directive, merges) in [(".gsh point c32", true), (".gsh", false), ("", false)] {
        let text = format!("{directive}\n.out where position\n.out - dummy o3\n.proc main\nsetemit 1\nemit\nend\n.end");
        let assembled = binary(&text);
        assert_eq!(assembled.executables[0].merges_outputs, merges, "{directive}");
        assert_eq!(binary(&listing(&assembled, 0).unwrap()), assembled, "{directive}");
    }
}

#[test]
fn descriptors_keep_what_picasso_writes() {
    // By the rules of picasso: an entry begins with the whole swizzle of its first instruction, and others that share it
    // change what they use. The words are mask, then 9 bits a source: sign and components, x in the highest bits.
    let descriptors = |statements: &str| binary(&format!(".proc main\n{statements}\nend\n.end")).shader().descriptors;
    let word = |mask: u32, first: u32, second: u32| mask | first << 5 | second << 14;
    let (identity, wwww, xyww) = (0b00_01_10_11, 0xff, 0b00_01_11_11);
    assert_eq!(descriptors("mov r0.x, r1.w"), [word(0b1000, wwww, 0)]);
    assert_eq!(descriptors("mov r0.x, r1.w\nmov r2.x, r3.wxyz"), [word(0b1000, wwww, 0)]);
    assert_eq!(descriptors("dp3 r0, r1, r2\ndp4 r0, r1, r2"), [word(0b1111, identity, identity)]);
    // CMP uses x and y of the first source, and all of the second one. Its mask is free.
    assert_eq!(descriptors("cmp r0.xyww, eq, eq, r1.w"), [word(0, xyww, wwww)]);
    assert_eq!(descriptors("cmp r0.xyww, eq, eq, r1.w\nadd r0, r1.xyzw, r2.w"), [word(0b1111, identity, wwww)]);
    let two = [word(0, xyww, wwww), word(0b1111, identity, identity)];
    assert_eq!(descriptors("cmp r0.xyww, eq, eq, r1.w\nadd r0, r1.xyzw, r2"), two);
}

#[test]
fn a_mad_takes_a_low_descriptor_from_another_instruction() {
    let letters = ['x', 'y', 'z', 'w'];
    let swizzle = |number: usize| -> String { (0..4).map(|position| letters[number >> (2 * position) & 3]).collect() };
    let moves: String = (0..32).map(|number| format!("mov r0, r1.{}\n", swizzle(number))).collect();
    let shader = binary(&format!(".proc main\n{moves}mad r0, r1, r2.w, r3\nend\n.end")).shader();
    assert_eq!(shader.descriptors.len(), 33);
    // Entry 0 was that of the first MOV, which now names entry 32.
    assert_eq!((shader.code[0] & 0x7f, shader.code[32] & 0x1f), (32, 0));
    assert_eq!(shader.descriptors[0] >> 14 & 0xff, 0xff);
}

#[test]
fn a_name_is_refused_once() {
    let text =
        ".proc main\nmov r0, lost\nmul r1, lost, r0\nmov lost, r1\nfoo r0\nfoo r1\ncall gone\ncall gone\nend\n.end";
    let errors = assemble("test", text, PicaOptions::default()).unwrap_err();
    let messages: Vec<_> = errors.errors().iter().map(|error| error.message.as_str()).collect();
    assert_eq!(messages, ["unknown register `lost`", "unknown instruction `foo`"]);
    let errors = assemble("test", ".proc main\ncall gone\ncall gone\nend\n.end", PicaOptions::default()).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors}");
}

#[test]
fn wrong_statements_are_explained() {
    assert_eq!(wrong("mul r0, r1, c4"), "source 2 of MUL cannot be a constant");
    assert_eq!(wrong("mad r0, r1, c4, c5"), "MAD reads 2 constants, one is possible");
    assert_eq!(wrong("add r0, v1, v2"), "reads two input registers, v1 and v2");
    assert_eq!(wrong("mov r16, r0"), "register r16 does not exist");
    assert_eq!(wrong("mov r0, c95[1]"), "register 96 does not exist");
    assert_eq!(wrong("mov r0, v0[-1]"), "register -1 does not exist");
    assert_eq!(wrong("mov r0, r1[aL]"), "only constant registers can have an index");
    assert_eq!(wrong("mov r0, c0[a3]"), "unknown index register `a3`");
    assert_eq!(wrong("mov r0, o1"), "this register is not a source");
    assert_eq!(wrong("mov v0, r1"), "this register cannot be written");
    assert_eq!(wrong("mov -r0, r1"), "a destination has neither sign nor index");
    assert_eq!(wrong("mov r0.xyzwx, r1"), "`xyzwx` does not name components");
    assert_eq!(wrong("mov r0, r1._"), "a source without components");
    assert_eq!(wrong("mov r0, lihgt"), "unknown register `lihgt`");
    assert_eq!(wrong("mvo r0, r1"), "unknown instruction `mvo`");
    assert_eq!(wrong("loop i0"), "unknown instruction `loop`");
    assert_eq!(wrong("mov r0"), "the text ends where `,` is expected");
    assert_eq!(wrong("nop r0"), "`r0` stands here where the end of the line is expected");
    assert_eq!(wrong("mova a0.z, r0"), "not an address register");
    assert_eq!(wrong("cmp r0, gt, xx, r1"), "unknown comparison `xx`");
    assert_eq!(wrong("breakc cmp.x && cmp.x"), "one flag is tested twice");
    assert_eq!(wrong("breakc b0"), "`b0` stands here where cmp.x or cmp.y is expected");
    assert_eq!(wrong("callu !b0, main"), "only jmpu can test for a clear boolean");
    assert_eq!(wrong("jmpu r0, main"), "expected a boolean register (b0 to b15)");
    assert_eq!(wrong("for b0\n"), "expected an integer register (i0 to i3)");
    assert_eq!(wrong("setemit 4"), "a vertex 4 is out of range");
    assert_eq!(wrong("setemit 0, x"), "unknown flag `x`");
    assert_eq!(wrong("call mian"), "there is no procedure `mian`");
    assert_eq!(wrong("jmpc cmp.x, nowhere"), "there is no label `nowhere`");
    assert_eq!(wrong(".proc inner"), "`.proc` within a procedure");
    assert_eq!(wrong(".else"), "`.else` does not stand in an if");
    assert_eq!(wrong("mov r0, @"), "`@` has no meaning here");
    assert_eq!(wrong("main: main: nop"), "label `main` stands twice");
    assert_eq!(wrong(".fvec a[96], b"), "fewer than 1 registers are left");
    assert_eq!(wrong(".ivec a[0]"), "an array without elements");
    assert_eq!(wrong(".bool r0"), "`r0` is the name of a register");
    assert_eq!(wrong(".fvec a, a"), "`a` is declared twice");
    assert_eq!(wrong(".constf a(1, 2, 3)"), "`)` stands here where `,` is expected");
    assert_eq!(wrong(".constf a(1, 2, 3, 0x1000000)"), "more than 24 bits");
    assert_eq!(wrong(".consti a(256, 0, 0, 0)"), "a number 256 is out of range");
    assert_eq!(wrong(".consti a(-129, 0, 0, 0)"), "a number is out of range");
    assert_eq!(wrong(".seti c0(0, 0, 0, 0)"), "expected an integer register (i0 to i3)");
    assert_eq!(wrong(".setb b0 maybe"), "`maybe` stands here where true, false, on, off, 1 or 0 is expected");
    assert_eq!(wrong(".in a r0"), "expected an input register (v0 to v15)");
    assert_eq!(wrong(".out a colour"), "unknown meaning `colour`");
    assert_eq!(wrong(".out a color o7"), "o7 can be a dummy output of a vertex shader only");
    assert_eq!(wrong(".gsh lines c0"), "unknown mode `lines`");
    assert_eq!(wrong(".fvek a"), "unknown directive `.fvek`");
    assert_eq!(wrong(&format!(".fvec {}", "n".repeat(256))), "256 bytes where at most 255 are possible");
}

#[test]
fn wrong_texts_are_explained() {
    assert_eq!(error("nop\n.proc main\nend\n.end"), "an instruction outside of a procedure");
    assert_eq!(error(".proc main\nend"), "a scope without `.end`");
    assert_eq!(error(".proc main\nend\n.end\n.end"), "`.end` without a scope");
    assert_eq!(error(".proc man\nend\n.end"), "there is no procedure `main`");
    assert_eq!(error(".entry man\n.proc main\nend\n.end"), "there is no procedure `man`");
    assert_eq!(error(".proc main\nend\n.end\n.proc main\nend\n.end"), "procedure `main` stands twice");
    assert_eq!(error(".constfa a[]\n.proc main"), "an array of constants has `.constfa` and `.end` only");
    assert_eq!(error(".constfa a[]"), "`.constfa` without `.end`");
    assert_eq!(error(".constfa a[]\n.end\n.proc main\nend\n.end"), "an array without elements");
    let full = ".constfa a[1]\n.constfa (0, 0, 0, 0)\n.constfa (0, 0, 0, 0)\n.end\n.proc main\nend\n.end";
    assert_eq!(error(full), "2 elements where at most 1 are possible");
    let outputs = ".out a position o1.xy\n.out b color o1.yz\n.proc main\nend\n.end";
    assert_eq!(error(outputs), "a component of o1 has two meanings");
    let long = format!(".proc main\n{}.end", "nop\n".repeat(513));
    assert_eq!(error(&long), "513 words where at most 512 are possible");
    assert_eq!(binary(&format!(".proc main\n{}.end", "nop\n".repeat(512))).code.len(), 512);
    let part = format!(".proc main\nifu b0\nnop\n.else\n{}.end\nend\n.end", "nop\n".repeat(256));
    assert_eq!(error(&part), "256 words of an else part where at most 255 are possible");
    let called = format!(".proc main\ncall a\nend\n.end\n.proc a\n{}.end", "nop\n".repeat(256));
    assert_eq!(error(&called), "256 words where at most 255 are possible");
    assert!(error(".proc main\njmpc cmp.x, here\nend\n.end\nhere:").contains("target 2 is outside of the 2 words"));
    let scopes = format!(".proc main\n{}", "ifu b0\n".repeat(32));
    let errors = assemble("test", &scopes, PicaOptions::default()).unwrap_err();
    assert_eq!(errors.errors()[0].message, "33 scopes where at most 32 are possible");
    let empty = assemble("test", ".proc main\n.end", PicaOptions { pads_scopes: false }).unwrap_err();
    assert_eq!(empty.errors()[0].message, "procedure `main` has no instructions");
    assert!(assemble("test", &" ".repeat((1 << 20) + 1), PicaOptions::default()).is_err());
}

#[test]
fn errors_of_several_statements_are_shown_with_their_lines() {
    let text = ".proc main\n    mov r0, r99\n    add r0, r1\n    muls r0, r1 ; no\n    end\n.end\n";
    let errors = assemble("light.v.pica", text, PicaOptions::default()).unwrap_err();
    insta::assert_snapshot!(errors.to_string(), @"
    error: register r99 does not exist
      ┌─ light.v.pica:2:13
      │
    2 │     mov r0, r99
      │             ^^^ expected a temporary register (r0 to r15)

    error: the text ends where `,` is expected
      ┌─ light.v.pica:3:15
      │
    3 │     add r0, r1
      │               ^ expected `,`

    error: unknown instruction `muls`
      ┌─ light.v.pica:4:5
      │
    4 │     muls r0, r1 ; no
      │     ^^^^
      │
      = did you mean `mul`?
    ");
}

#[test]
fn more_descriptors_than_exist_are_an_error_of_the_statement() {
    let letters = ['x', 'y', 'z', 'w'];
    let swizzle = |number: usize| -> String { (0..4).map(|position| letters[number >> (2 * position) & 3]).collect() };
    let mads: String = (0..33).map(|number| format!("mad r0, r1.{}, r2, r3\n", swizzle(number))).collect();
    let text = format!(".proc main\n{mads}end\n.end");
    let errors = assemble("test", &text, PicaOptions::default()).unwrap_err();
    assert_eq!(errors.errors()[0].message, "more than 32 different operand descriptors of MAD");
    assert_eq!(errors.location(&errors.errors()[0]).0, 34);
}

#[test]
fn listings_assemble_to_the_same_binary() {
    let geometry = "
        .gsh fixed c48 c2 4\n.fvec _hidden[3], matrix[4]\n.bool on\n.out - dummy o0.xy\n.out - color o3
        .proc main\nfor i0\nifc cmp.x\nsetemit 1, prim\n.else\nsetemit 2\n.end\nemit\n.end
        back: jmpc !cmp.y, back\ncallc cmp.y, tail\nend\n.end
        .proc unused\nmov r0._, r1\n.end
        .proc tail\nmov o0, matrix[3]\n.end";
    for text in [LIGHT, geometry] {
        let assembled = binary(text);
        let listed = listing(&assembled, 0).unwrap();
        for pads_scopes in [true, false] {
            let again = assemble("listing", &listed, PicaOptions { pads_scopes });
            assert_eq!(again.unwrap_or_else(|errors| panic!("{errors}\n{listed}")), assembled, "{listed}");
        }
        // The binary is a file that can be read.
        assert_eq!(Shbin::read(&assembled.write().unwrap()), Ok(assembled));
    }
}

#[test]
fn what_the_language_lacks_is_not_listed() {
    let message = |binary: &Shbin| listing(binary, 0).unwrap_err().to_string();
    let mut assembled = binary(".fvec a[2]\n.proc main\nifu b0\nnop\nnop\n.end\nend\n.end");
    assert_eq!(listing(&assembled, 1).unwrap_err().to_string(), "there is no executable 1");
    let code = assembled.code.clone();
    // The if reaches beyond the procedure, or back to itself.
    for target in [0, 6] {
        assembled.code[0] = code[0] & !(0xfff << 10) | target << 10;
        assembled.code.resize(8, code[1]);
        assert_eq!(message(&assembled), "word 0: the scope from here reaches beyond the one around it");
    }
    // A call into the middle of the main procedure.
    assembled.code[0] = 0x24 << 26 | 2 << 10 | 1;
    assert!(message(&assembled).starts_with("word 2: the procedure from here is empty, or shares words"));
    assembled.code = code;
    for name in ["1a", "a b", "", "_a", "c0"] {
        assembled.executables[0].uniforms[0].name = name.to_owned();
        assert_eq!(message(&assembled), format!("no directive declares {name:?}"));
    }
    assembled.executables[0].uniforms[0].name = "a".to_owned();
    let twice = assembled.executables[0].uniforms[0].clone();
    assembled.executables[0].uniforms.push(twice);
    assert_eq!(message(&assembled), "no directive declares \"a\"");
    assembled.code[0] = 0x10 << 26;
    assert_eq!(message(&assembled), "word 0: opcode 0x10 has no meaning");
}

#[test]
fn the_example_of_the_documentation_assembles() {
    let page = include_str!("../../../../docs/assembly.md");
    let (_, section) = page.split_once("### The PICA200").unwrap();
    let example = section.split("```").nth(1).unwrap().strip_prefix("text\n").unwrap();
    let binary = binary(example);
    assert_eq!(binary.executables[0].output_mask, 0b11);
    assert!(!example.contains("nop"), "the assembler inserts one behind breakc");
    assert!(binary.shader().decode().unwrap().contains(&PicaInstruction::Nop));
}
