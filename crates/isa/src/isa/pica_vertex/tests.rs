//! Tests of the shader processor's words: documented words, every opcode, and round trips of random ones.
#![expect(clippy::cast_possible_truncation, reason = "numbers are below small limits")]

use super::*;
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{Emission, EmissionTarget};

/// The identity for three sources, and all components.
const PLAIN: u32 = 0x1b << 5 | 0x1b << 14 | 0x1b << 23 | 0xf;

/// A small congruential generator; the upper half of its state is the result.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.word() % limit
    }

    fn number(&mut self, limit: u8) -> u8 {
        self.below(limit.into()) as u8
    }
}

fn shader(code: &[u32], descriptors: &[u32]) -> PicaShader {
    PicaShader { code: code.to_vec(), descriptors: descriptors.to_vec() }
}

/// The text of a word whose operand descriptor has number 0.
fn text(word: u32, descriptor: u32) -> String {
    let code = vec![word; 64];
    shader(&code, &[descriptor]).instruction(0).unwrap().to_string()
}

fn of(opcode: u32) -> PicaWord {
    PicaWord(opcode << 26)
}

#[test]
fn words_of_the_documents_have_their_meaning() {
    // azahar, tests/video_core/shader: CALL inside CALL.
    let code = [0x9000_0801, 0x8800_0000, 0x9000_1001, 0x8800_0000, 0x1400_0000, 0x8800_0000];
    let statements: Vec<_> =
        shader(&code, &[PLAIN]).decode().unwrap().iter().map(|instruction| instruction.to_string()).collect();
    assert_eq!(statements, ["call proc_2", "end", "call proc_4", "end", "ex2 o0, v0", "end"]);
    let second = shader(&code, &[PLAIN]).instruction(2).unwrap();
    assert_eq!(second, PicaInstruction::Call { test: PicaTest::Always, target: 4, count: 1 });
}

#[test]
fn each_format_reads_its_fields() {
    // Numbers from the bit ranges: o3 is 3, r3 is 0x13, c5 is 0x25.
    let word = of(0x00).0 | 0x13 << 21 | 2 << 19 | 0x25 << 12 | 0x11 << 7;
    assert_eq!(text(word, PLAIN), "add r3, c5[a0.y], r1");
    let word = of(0x18).0 | 3 << 21 | 3 << 19 | 0x02 << 14 | 0x7f << 7;
    assert_eq!(text(word, PLAIN), "dph o3, v2, c95[aL]");
    let word = 7 << 29 | 0x1f << 24 | 1 << 22 | 0x01 << 17 | 0x24 << 10 | 0x12 << 5;
    assert_eq!(text(word, PLAIN | 1 << 22), "mad r15, v1, c4[a0.x], -r2");
    let word = 6 << 29 | 0x0f << 24 | 0x10 << 17 | 0x12 << 12 | 0x60 << 5;
    assert_eq!(text(word, PLAIN & !0xf | 0b1010), "mad o15.xz, r0, r2, c64");
    // The opcode's low bit is part of CMPX: 5 is 101.
    let word = 0x2e << 26 | 5 << 24 | 2 << 21 | 0x20 << 12 | 0x1f << 7;
    assert_eq!((word >> 26, text(word, 0x1b << 5 | 0x1b << 14)), (0x2f, "cmp c0, ge, lt, r15".to_owned()));
    let word = 0x2e << 26 | 0x10 << 12;
    assert_eq!(text(word, 0x1b << 5), "cmp r0, eq, eq, v0.x");
    assert_eq!(text(of(0x12).0 | 0x10 << 12, 0x1b << 5 | 0b1100), "mova a0.xy, r0");
    assert_eq!(text(of(0x12).0 | 0x10 << 12, 0b1011 | 0b11 << 11), "mova a0.x, r0.w");
    assert_eq!(text(of(0x13).0, 0x1b << 5), "mov o0._, v0");
}

#[test]
fn flow_is_spelled_as_the_assembler_does() {
    let flow =
        |opcode: u32, high: u32, target: u32, count: u32| text(of(opcode).0 | high << 22 | target << 10 | count, 0);
    assert_eq!(flow(0x28, 0b1101, 9, 3), "ifc cmp.x && cmp.y");
    assert_eq!(flow(0x28, 0b1001, 9, 3), "ifc cmp.x && !cmp.y");
    assert_eq!(flow(0x28, 0b0100, 9, 3), "ifc !cmp.x || cmp.y");
    assert_eq!(flow(0x23, 0b1010, 0, 0), "breakc cmp.x");
    assert_eq!(flow(0x2c, 0b1011, 9, 0), "jmpc !cmp.y, label_9");
    assert_eq!(flow(0x25, 0b0111, 9, 1), "callc cmp.y, proc_9");
    assert_eq!(flow(0x26, 14, 9, 1), "callu b14, proc_9");
    assert_eq!(flow(0x27, 15, 9, 1), "ifu b15");
    assert_eq!(flow(0x2d, 7, 9, 0), "jmpu b7, label_9");
    assert_eq!(flow(0x2d, 7, 9, 1), "jmpu !b7, label_9");
    assert_eq!(flow(0x29, 2, 9, 0), "for i2");
    assert_eq!([0x20, 0x21, 0x22, 0x2a].map(|opcode| flow(opcode, 0, 0, 0)), ["break", "nop", "end", "emit"]);
    assert_eq!(flow(0x2b, 0b1000, 0, 0), "setemit 2");
    assert_eq!(flow(0x2b, 0b0111, 0, 0), "setemit 1, prim inv");
}

#[test]
fn the_index_applies_to_constants_only() {
    let word = of(0x08).0 | 1 << 19 | 0x10 << 12;
    assert_eq!(text(word, PLAIN), "mul o0, r0, v0");
}

#[test]
fn errors_name_the_word() {
    let message = |code: &[u32], address| shader(code, &[PLAIN]).instruction(address).unwrap_err().to_string();
    for opcode in [0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x1c, 0x1d, 0x1e, 0x1f] {
        let code = [of(0x21).0, of(opcode).0];
        assert_eq!(message(&code, 1), format!("word 1: opcode {opcode:#04x} has no meaning"));
    }
    let outside = "word 0: operand descriptor 1 is outside of the 1 descriptors of the program";
    assert_eq!(message(&[1], 0), outside);
    assert_eq!(message(&[7 << 29 | 1], 0), outside);
    for (field, name) in [(24, "CMPX"), (21, "CMPY")] {
        for value in [6, 7] {
            let error = message(&[0x2e << 26 | value << field], 0);
            assert_eq!(error, format!("word 0: {name} {value} has no meaning"));
        }
    }
    assert_eq!(message(&[0], 1), "address 1 is outside of the 1 words of the program");
    assert_eq!(shader(&[0; 513], &[0]).decode().unwrap_err(), PicaDecodeError::TooManyWords { words: 513 });
    assert_eq!(shader(&[0], &[0; 129]).decode().unwrap_err(), PicaDecodeError::TooManyDescriptors { count: 129 });
    assert!(shader(&[0; 512], &[0; 128]).decode().is_ok());
}

#[test]
fn targets_stay_in_the_program() {
    let flow = |opcode: u32, target: u32, count: u32| {
        let mut code = vec![of(0x21).0; 10];
        code[0] = of(opcode).0 | target << 10 | count;
        shader(&code, &[]).decode()
    };
    let outside = |what, target| Err(PicaDecodeError::TargetOutside { address: 0, what, target, words: 10 });
    assert!(flow(0x2c, 9, 0).is_ok() && flow(0x2d, 9, 255).is_ok() && flow(0x24, 9, 1).is_ok());
    assert!(flow(0x28, 10, 0).is_ok() && flow(0x27, 5, 5).is_ok() && flow(0x29, 9, 255).is_ok());
    assert_eq!(flow(0x2c, 10, 0), outside("target", 10));
    assert_eq!(flow(0x2d, 4095, 0), outside("target", 4095));
    assert_eq!(flow(0x24, 10, 0), outside("target", 10));
    assert_eq!(flow(0x25, 9, 2), outside("end of the procedure", 11));
    assert_eq!(flow(0x28, 11, 0), outside("end", 11));
    assert_eq!(flow(0x27, 4095, 255), outside("end", 4350));
    assert_eq!(flow(0x29, 10, 0), outside("last word", 10));
}

fn source(random: &mut Random, may_be_constant: bool) -> PicaSource {
    let register = match random.below(if may_be_constant { 3 } else { 2 }) {
        0 => PicaRegister::Input(random.number(INPUTS)),
        1 => PicaRegister::Temporary(random.number(TEMPORARIES)),
        _ => PicaRegister::Constant(random.number(CONSTANTS)),
    };
    let index = match register {
        PicaRegister::Constant(_) => {
            [None, Some(PicaIndex::AddressX), Some(PicaIndex::AddressY), Some(PicaIndex::Loop)]
                [random.below(4) as usize]
        }
        _ => None,
    };
    let swizzle = Swizzle(std::array::from_fn(|_| random.number(4)));
    PicaSource { register, index, swizzle, negate: random.below(2) == 1 }
}

fn test(random: &mut Random) -> PicaTest {
    let flags = [random.below(2) == 1, random.below(2) == 1];
    PicaTest::Condition(match random.below(4) {
        0 => PicaCondition::Either(flags),
        1 => PicaCondition::Both(flags),
        2 => PicaCondition::X(flags[0]),
        _ => PicaCondition::Y(flags[1]),
    })
}

/// A legal instruction of an operation in a program of 512 words.
fn instruction(random: &mut Random, opcode: PicaOpcode) -> PicaInstruction {
    let operation = opcode.row().operation;
    let wide = opcode.row().format.operands().map_or(0, |fields| fields.wide);
    let mut sources = [PicaSource::UNREAD; 3];
    for (position, slot) in sources.iter_mut().enumerate().take(operation.row().sources.len()) {
        *slot = source(random, position == wide);
    }
    let (target, count) = (random.below(256) as u16, random.number(255));
    let boolean = PicaTest::Boolean { register: random.number(BOOLEANS), value: true };
    let instruction = match operation {
        PicaOpcode::Nop => PicaInstruction::Nop,
        PicaOpcode::End => PicaInstruction::End,
        PicaOpcode::Emit => PicaInstruction::Emit,
        PicaOpcode::Break => PicaInstruction::Break { test: PicaTest::Always },
        PicaOpcode::Breakc => PicaInstruction::Break { test: test(random) },
        PicaOpcode::Call => PicaInstruction::Call { test: PicaTest::Always, target, count },
        PicaOpcode::Callc => PicaInstruction::Call { test: test(random), target, count },
        PicaOpcode::Callu => PicaInstruction::Call { test: boolean, target, count },
        PicaOpcode::Ifc => PicaInstruction::If { test: test(random), otherwise: target, count },
        PicaOpcode::Ifu => PicaInstruction::If { test: boolean, otherwise: target, count },
        PicaOpcode::Loop => PicaInstruction::Loop { register: random.number(INTEGERS), last: target },
        PicaOpcode::Jmpc => PicaInstruction::Jump { test: test(random), target },
        PicaOpcode::Jmpu => {
            let test = PicaTest::Boolean { register: random.number(BOOLEANS), value: random.below(2) == 1 };
            PicaInstruction::Jump { test, target }
        }
        PicaOpcode::Setemit => PicaInstruction::SetEmit {
            vertex: random.number(4),
            is_primitive: random.below(2) == 1,
            is_inverted: random.below(2) == 1,
        },
        PicaOpcode::Mova => PicaInstruction::LoadAddress { mask: WriteMask(random.number(4)), source: sources[0] },
        PicaOpcode::Cmp => PicaInstruction::Compare {
            comparisons: [0, 0].map(|_| PicaComparison::ALL[random.below(6) as usize]),
            sources: [sources[0], sources[1]],
        },
        _ => PicaInstruction::Arithmetic(PicaArithmetic {
            operation,
            destination: if random.below(2) == 0 {
                PicaDestination::Output(random.number(OUTPUTS))
            } else {
                PicaDestination::Temporary(random.number(TEMPORARIES))
            },
            mask: WriteMask(random.number(16)),
            sources,
        }),
    };
    instruction.canonical()
}

#[test]
fn every_opcode_is_encoded_and_decoded() {
    let mut random = Random(1);
    for opcode in PicaOpcode::ALL {
        for _ in 0..200 {
            let mut program = vec![PicaInstruction::Nop; STORE_WORDS];
            program[0] = instruction(&mut random, *opcode);
            let shader = PicaShader::encode(&program).unwrap();
            let found = PicaOpcode::of_word(PicaWord(shader.code[0])).unwrap();
            assert_eq!(found.row().operation, opcode.row().operation);
            assert_eq!(shader.decode().unwrap(), program, "{opcode:?} {:#010x}", shader.code[0]);
        }
    }
}

#[test]
fn random_programs_share_descriptors_and_decode_to_themselves() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let mut program = vec![PicaInstruction::Nop; STORE_WORDS];
        for slot in program.iter_mut().take(60) {
            // A quarter are MAD, so that all of its descriptors may be in use.
            let opcode = match random.below(8) {
                0 => PicaOpcode::Mad,
                1 => PicaOpcode::Madi,
                _ => PicaOpcode::ALL[random.below(PicaOpcode::ALL.len() as u32) as usize],
            };
            *slot = instruction(&mut random, opcode);
        }
        let shader = PicaShader::encode(&program).unwrap();
        assert_eq!(shader.decode().unwrap(), program, "seed {seed}");
        assert!(shader.descriptors.len() < 60, "no descriptor is shared");
    }
}

#[test]
fn random_words_keep_their_meaning() {
    let mut random = Random(7);
    let mut decoded = 0;
    for _ in 0..20_000 {
        let mut code = vec![of(0x21).0; STORE_WORDS];
        code[0] = random.word();
        let descriptors: Vec<u32> = (0..DESCRIPTORS).map(|_| random.word()).collect();
        let Ok(program) = shader(&code, &descriptors).decode() else { continue };
        decoded += 1;
        let again = PicaShader::encode(&program).unwrap();
        assert_eq!(again.decode().unwrap(), program, "{:#010x}", code[0]);
    }
    assert!(decoded > 10_000, "only {decoded} words are valid");
}

fn arithmetic(operation: PicaOpcode, sources: &[PicaSource]) -> PicaInstruction {
    PicaInstruction::Arithmetic(PicaArithmetic::new(operation, PicaDestination::Temporary(0), WriteMask::ALL, sources))
}

/// The error of a program of one instruction.
fn problem(instruction: PicaInstruction) -> PicaEncodeProblem {
    let error = PicaShader::encode(&[PicaInstruction::Nop, instruction]).unwrap_err();
    assert_eq!(error.address, 1);
    error.problem
}

#[test]
fn constants_stand_where_a_format_has_a_wide_source() {
    let (input, constant) = (PicaSource::of(PicaRegister::Input(0)), PicaSource::of(PicaRegister::Constant(9)));
    let code = |operation, sources: &[PicaSource]| {
        PicaShader::encode(&[arithmetic(operation, sources)]).map(|shader| shader.code[0] >> 26)
    };
    assert_eq!(code(PicaOpcode::Slt, &[constant, input]), Ok(0x0a));
    assert_eq!(code(PicaOpcode::Slt, &[input, constant]), Ok(0x1b));
    assert_eq!(code(PicaOpcode::Mad, &[input, constant, input]).unwrap() >> 3, 7);
    assert_eq!(code(PicaOpcode::Mad, &[input, input, constant]).unwrap() >> 3, 6);
    let narrow = |operation: PicaOpcode, source_number| PicaEncodeProblem::NarrowSource {
        mnemonic: operation.mnemonic(),
        source_number,
    };
    assert_eq!(problem(arithmetic(PicaOpcode::Mul, &[input, constant])), narrow(PicaOpcode::Mul, 2));
    assert_eq!(problem(arithmetic(PicaOpcode::Mad, &[constant, input, input])), narrow(PicaOpcode::Mad, 1));
    let compare = PicaInstruction::Compare { comparisons: [PicaComparison::Equal; 2], sources: [input, constant] };
    assert_eq!(problem(compare), narrow(PicaOpcode::Cmp, 2));
    let several = PicaEncodeProblem::SeveralConstants { mnemonic: "MAD", count: 2 };
    assert_eq!(problem(arithmetic(PicaOpcode::Mad, &[input, constant, constant])), several);
    let indexed = PicaSource { index: Some(PicaIndex::Loop), ..input };
    let wrong = PicaEncodeProblem::IndexedRegister { mnemonic: "ADD", source_number: 1 };
    assert_eq!(problem(arithmetic(PicaOpcode::Add, &[indexed, input])), wrong);
}

#[test]
fn what_has_no_word_is_an_error() {
    let input = PicaSource::of(PicaRegister::Input(0));
    let out_of_range = |what, value, most| PicaEncodeProblem::OutOfRange { what, value, most };
    let mov = |register| arithmetic(PicaOpcode::Mov, &[PicaSource::of(register)]);
    assert_eq!(problem(mov(PicaRegister::Input(16))), out_of_range("input register v", 16, 15));
    assert_eq!(problem(mov(PicaRegister::Temporary(16))), out_of_range("temporary register r", 16, 15));
    assert_eq!(problem(mov(PicaRegister::Constant(96))), out_of_range("constant register c", 96, 95));
    let to = |destination| {
        PicaInstruction::Arithmetic(PicaArithmetic::new(PicaOpcode::Mov, destination, WriteMask::ALL, &[input]))
    };
    assert_eq!(problem(to(PicaDestination::Output(16))), out_of_range("output register o", 16, 15));
    assert_eq!(problem(to(PicaDestination::Temporary(77))), out_of_range("temporary register r", 77, 15));
    let boolean = PicaTest::Boolean { register: 16, value: true };
    let jump = |test, target| PicaInstruction::Jump { test, target };
    assert_eq!(problem(jump(boolean, 0)), out_of_range("boolean register b", 16, 15));
    let condition = PicaTest::Condition(PicaCondition::X(true));
    assert_eq!(problem(jump(condition, 4096)), out_of_range("target", 4096, 4095));
    assert_eq!(problem(PicaInstruction::Loop { register: 4, last: 0 }), out_of_range("integer register i", 4, 3));
    let set_emit = PicaInstruction::SetEmit { vertex: 4, is_primitive: false, is_inverted: false };
    assert_eq!(problem(set_emit), out_of_range("vertex", 4, 3));
    assert_eq!(problem(jump(PicaTest::Always, 0)), PicaEncodeProblem::UnknownTest);
    let clear = PicaTest::Boolean { register: 0, value: false };
    for test in [PicaTest::Always, clear] {
        assert_eq!(problem(PicaInstruction::If { test, otherwise: 0, count: 0 }), PicaEncodeProblem::UnknownTest);
    }
    assert_eq!(problem(PicaInstruction::Call { test: clear, target: 0, count: 0 }), PicaEncodeProblem::UnknownTest);
    assert_eq!(problem(PicaInstruction::Break { test: clear }), PicaEncodeProblem::UnknownTest);
    for opcode in [PicaOpcode::Dphi, PicaOpcode::Madi, PicaOpcode::Mova, PicaOpcode::Cmp, PicaOpcode::End] {
        let not = PicaEncodeProblem::NotArithmetic { mnemonic: opcode.mnemonic() };
        assert_eq!(problem(arithmetic(opcode, &[input, input, input])), not);
    }
    let error = PicaShader::encode(&[PicaInstruction::Nop; STORE_WORDS + 1]).unwrap_err();
    assert_eq!(error.to_string(), "instruction 512: the program has more than 512 words");
}

/// An operation whose descriptor differs for each number.
fn numbered(operation: PicaOpcode, number: u8) -> PicaInstruction {
    let swizzle = Swizzle([number & 3, number >> 2 & 3, number >> 4 & 3, number >> 6]);
    let source = PicaSource { swizzle, ..PicaSource::of(PicaRegister::Temporary(0)) };
    arithmetic(operation, &[source, source, source])
}

#[test]
fn mad_takes_the_first_descriptors_wherever_it_stands() {
    let moves = (0..96).map(|number| numbered(PicaOpcode::Mov, number + 32));
    let program: Vec<_> = moves.chain((0..32).map(|number| numbered(PicaOpcode::Mad, number))).collect();
    let shader = PicaShader::encode(&program).unwrap();
    assert_eq!(shader.descriptors.len(), 128);
    assert_eq!(shader.decode().unwrap().len(), 128);
    let canonical: Vec<_> = program.iter().map(|instruction| instruction.canonical()).collect();
    assert_eq!(shader.decode().unwrap(), canonical);
    let more: Vec<_> = (0..33).map(|number| numbered(PicaOpcode::Mad, number)).collect();
    let error = PicaShader::encode(&more).unwrap_err();
    assert_eq!(error, PicaEncodeError { address: 32, problem: PicaEncodeProblem::MadDescriptors });
    let more: Vec<_> = (0..129).map(|number| numbered(PicaOpcode::Mov, number)).collect();
    let error = PicaShader::encode(&more).unwrap_err();
    assert_eq!(error, PicaEncodeError { address: 128, problem: PicaEncodeProblem::Descriptors });
}

#[test]
fn rows_of_inverted_formats_name_an_operation_with_the_same_sources() {
    for opcode in PicaOpcode::ALL {
        let row = opcode.row();
        let operation = row.operation.row();
        assert_eq!(row.sources, operation.sources);
        assert_eq!(opcode.inverted().map(|other| other.row().operation), opcode.inverted().map(|_| row.operation));
        assert_eq!(row.format.operands().map(|fields| fields.sources.len()).unwrap_or(0), row.sources.len());
        assert!(row.code <= row.last_code && row.last_code < 64);
    }
    let inverted: Vec<_> = PicaOpcode::ALL.iter().filter(|opcode| opcode.row().operation != **opcode).collect();
    assert_eq!(inverted.len(), 5);
}

#[test]
fn geometry_shaders_alone_emit() {
    // Expected: the ranges of bits of SETEMIT, and azahar, tests/video_core/shader: SETEMIT.
    for fields in 0..16u8 {
        let code = [of(0x22).0, of(0x21).0, of(0x2b).0 | u32::from(fields) << 22, of(0x2a).0, of(0x22).0];
        let shader = shader(&code, &[]);
        let program = shader.lower_geometry(1).unwrap();
        let emissions: Vec<_> = program.bundles.iter().map(|bundle| bundle.emission).collect();
        let target =
            EmissionTarget { vertex: fields >> 2, completes_triangle: fields & 2 != 0, is_inverted: fields & 1 != 0 };
        assert_eq!(emissions, [None, Some(Emission::Select(target)), Some(Emission::Emit), None]);
        assert!(program.emits());
        assert_eq!(shader.lower(1), Err(PicaDecodeError::GeometryOnly { address: 2 }));
        assert_eq!(shader.lower(3), Err(PicaDecodeError::GeometryOnly { address: 3 }));
        // Words that are not reached do not count.
        assert!(!shader.lower(0).unwrap().emits());
    }
}
