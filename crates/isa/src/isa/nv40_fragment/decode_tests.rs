//! Tests the structured flow of fragment programs: what nests, and what is refused.

use super::FragmentDecodeError as Error;
use crate::isa::nv40_fragment::{FragmentField, FragmentOpcode as Op, FragmentWord};
use crate::isa::test_words::{CONSTANT, ended, flow, fragment, full, words};
use crate::shader::fragment::{FragmentNode, FragmentProgram};

fn step(register: u32) -> FragmentWord {
    fragment(Op::Mov, register, &[full(0)])
}

fn shape(block: &[FragmentNode]) -> String {
    block
        .iter()
        .map(|node| match node {
            FragmentNode::Operation(operation) => {
                operation.destination.map_or_else(|| "-".to_owned(), |register| register.index.to_string())
            }
            FragmentNode::If { then, otherwise, .. } => format!("if({}|{})", shape(then), shape(otherwise)),
            FragmentNode::Loop { body, has_index: true, .. } => format!("loop({})", shape(body)),
            FragmentNode::Loop { body, .. } => format!("rep({})", shape(body)),
            FragmentNode::Call { subroutine, .. } => format!("call{subroutine}"),
            FragmentNode::Break { .. } => "brk".to_owned(),
            FragmentNode::Return { .. } => "ret".to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

fn decoded(program: Vec<FragmentWord>) -> Result<FragmentProgram, Error> {
    FragmentProgram::decode(&ended(program))
}

#[test]
fn offsets_become_nested_blocks() {
    let program = decoded(vec![
        flow(Op::If, 16, 24),                 // 0
        step(1),                              // 4
        flow(Op::If, 16, 16),                 // 8: without ELSE
        step(2),                              // 12
        step(3),                              // 16
        step(4),                              // 20
        flow(Op::Loop, 3 << 2 | 1 << 10, 36), // 24
        step(5),                              // 28
        flow(Op::Brk, 0, 0),                  // 32
        step(6),                              // 36
    ])
    .unwrap();
    assert_eq!(shape(&program.body), "if(1 if(2|)|3 4) loop(5 brk) 6");
    assert_eq!(program.words, 40);
    let FragmentNode::Loop { count, initial, increment, .. } = &program.body[1] else { panic!("a loop") };
    assert_eq!((*count, *initial, *increment), (3, 1, 0));
}

#[test]
fn constants_count_as_a_slot_and_are_no_part_of_the_shape() {
    let program = |value: u32| {
        let code = [fragment(Op::Mov, 1, &[CONSTANT]), FragmentWord([value, 2, 3, 4]), flow(Op::If, 16, 16), step(2)];
        let mut words = words(&code);
        words.extend(ended(vec![step(3)]));
        FragmentProgram::decode(&words).unwrap()
    };
    let (one, other) = (program(1), program(9));
    assert_eq!(shape(&one.body), "1 if(2|) 3");
    assert_eq!(one.constants, [[1, 2, 3, 4]]);
    assert_eq!((&one.body, &one.subroutines), (&other.body, &other.subroutines));
    assert_ne!(one, other);
}

#[test]
fn a_last_instruction_with_a_constant_includes_it() {
    let mut words = ended(vec![fragment(Op::Mov, 1, &[CONSTANT])]);
    words.extend([7; 4]);
    let program = FragmentProgram::decode(&words).unwrap();
    assert_eq!((program.words, program.constants[0]), (8, [7; 4]));
    assert_eq!(FragmentProgram::decode(&words[..6]), Err(Error::MissingEnd { offset: 4 }));
}

#[test]
fn a_block_may_reach_exactly_to_the_end() {
    let program = decoded(vec![step(1), flow(Op::If, 12, 16), step(2), step(3)]).unwrap();
    assert_eq!(shape(&program.body), "1 if(2|3)");
    let program = decoded(vec![flow(Op::If, 8, 8), step(2)]).unwrap();
    assert_eq!(shape(&program.body), "if(2|)");
}

#[test]
fn end_inside_a_block_is_refused() {
    let end = |word: FragmentWord| word.with(FragmentField::END, 1);
    let behind_then = words(&[flow(Op::If, 8, 12), end(step(1)), step(2), end(step(3))]);
    let in_loop = words(&[flow(Op::Rep, 1 << 2, 8), end(step(1)), end(step(2))]);
    for words in [behind_then, in_loop] {
        let error = FragmentProgram::decode(&words).unwrap_err();
        assert!(matches!(error, Error::MisplacedEnd { offset: 4, .. }), "{error}");
    }
    let on_if = FragmentProgram::decode(&words(&[end(flow(Op::If, 8, 8)), step(1)])).unwrap_err();
    assert!(matches!(on_if, Error::MisplacedEnd { offset: 0, .. }));
}

#[test]
fn offsets_that_do_not_nest_are_refused() {
    let bad = |program: Vec<FragmentWord>| match decoded(program).unwrap_err() {
        Error::BadOffset { offset, problem, .. } => (offset, problem),
        other => panic!("{other}"),
    };
    let crosses = "crosses the end of the enclosing block";
    assert_eq!(bad(vec![flow(Op::If, 12, 12), flow(Op::If, 16, 16), step(1), step(2), step(3)]), (4, crosses));
    assert_eq!(bad(vec![flow(Op::If, 16, 8), step(1), step(2)]), (0, crosses));
    assert_eq!(bad(vec![step(1), flow(Op::Rep, 4, 4), step(2)]), (4, "goes back"));
    assert_eq!(bad(vec![flow(Op::If, 6, 8), step(1), step(2)]), (0, "is not a multiple of 4"));
    // The end lies between an instruction and its constant.
    let middle = vec![flow(Op::If, 8, 8), fragment(Op::Mov, 1, &[CONSTANT]), step(0), step(2)];
    assert_eq!(bad(middle), (12, "lies inside an instruction"));
}

#[test]
fn subroutines_are_decoded_once_and_may_lie_behind_the_end() {
    let mut words = ended(vec![flow(Op::Cal, 8, 0), flow(Op::Cal, 8, 0)]);
    words.extend(self::words(&[flow(Op::If, 16, 16), flow(Op::Ret, 0, 0), step(1), flow(Op::Ret, 0, 0)]));
    let program = FragmentProgram::decode(&words).unwrap();
    assert_eq!(shape(&program.body), "call0 call0");
    assert_eq!(program.subroutines.iter().map(|block| shape(block)).collect::<Vec<_>>(), ["if(ret|) 1"]);
    assert_eq!(program.words, 24);
    let endless = &mut |offset: u32| Some(words.get(offset as usize).copied().unwrap_or(0));
    assert_eq!(FragmentProgram::decode_from(endless), Ok(program));
}

#[test]
fn recursion_and_missing_returns_are_refused() {
    let recursive = vec![flow(Op::Cal, 8, 0), flow(Op::Ret, 0, 0), flow(Op::Cal, 8, 0), flow(Op::Ret, 0, 0)];
    assert_eq!(decoded(recursive), Err(Error::Recursion { offset: 8, target: 8 }));
    let endless = decoded(vec![flow(Op::Cal, 8, 0), flow(Op::Ret, 0, 0), step(1)]).unwrap_err();
    assert!(matches!(endless, Error::MisplacedEnd { offset: 8, .. }));
}

#[test]
fn nesting_is_limited_as_in_the_processor() {
    let nested = |opcode: Op, second: &dyn Fn(u32) -> u32, depth: u32| {
        let end = (depth + 1) * 4;
        let mut program: Vec<_> = (0..depth).map(|_| flow(opcode, second(end), end)).collect();
        program.extend([step(1), step(2)]);
        decoded(program)
    };
    assert!(nested(Op::If, &|end| end, 48).is_ok());
    assert_eq!(nested(Op::If, &|end| end, 49), Err(Error::TooDeep { offset: 48 * 4, what: "IF", limit: 48 }));
    assert!(nested(Op::Rep, &|_| 4, 4).is_ok());
    assert_eq!(nested(Op::Rep, &|_| 4, 5), Err(Error::TooDeep { offset: 16, what: "LOOP", limit: 4 }));

    let calls = |depth: u32| {
        let mut program = vec![flow(Op::Cal, 8, 0), flow(Op::Ret, 0, 0)];
        for routine in 1..depth {
            program.extend([flow(Op::Cal, 8 * (routine + 1), 0), flow(Op::Ret, 0, 0)]);
        }
        program.push(flow(Op::Ret, 0, 0));
        decoded(program)
    };
    assert!(calls(4).is_ok());
    assert!(matches!(calls(5), Err(Error::TooDeep { what: "CAL", limit: 4, .. })));
}

#[test]
fn nesting_counts_across_calls() {
    // Two loops around a call of a subroutine with three more.
    let program = vec![
        flow(Op::Rep, 4, 12),
        flow(Op::Rep, 4, 12),
        flow(Op::Cal, 16, 0),
        flow(Op::Ret, 0, 0),
        flow(Op::Rep, 4, 32),
        flow(Op::Rep, 4, 32),
        flow(Op::Rep, 4, 32),
        step(1),
        flow(Op::Ret, 0, 0),
    ];
    assert_eq!(decoded(program), Err(Error::TooDeep { offset: 8, what: "LOOP", limit: 4 }));
}

#[test]
fn a_break_needs_a_loop() {
    assert_eq!(decoded(vec![flow(Op::Brk, 0, 0), step(1)]), Err(Error::BreakOutsideLoop { offset: 0 }));
}

#[test]
fn endless_memory_is_read_up_to_the_limit() {
    assert_eq!(FragmentProgram::decode_from(&mut |_| Some(0)), Err(Error::TooLong { offset: 65_535 * 4 }));
}

#[test]
fn numbers_without_a_meaning_are_refused() {
    let unknown = FragmentProgram::decode(&ended(vec![step(1).with(FragmentField::OPCODE, 0x30)])).unwrap_err();
    assert_eq!(unknown.to_string(), "word 0: OPCODE 0x30 has no meaning");
    let register = FragmentProgram::decode(&ended(vec![step(48)])).unwrap_err();
    assert_eq!(register.to_string(), "word 0: DESTINATION 0x30 has no meaning");
}
