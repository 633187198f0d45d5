//! Tests encoding: documented words, and that everything that decodes encodes to an equivalent program.

use super::{FragmentEncodeError, encode_operation};
use crate::isa::nv40_fragment::decode_operation::decode_operation;
use crate::isa::nv40_fragment::{FragmentField, FragmentOpcode as Op, FragmentWord};
use crate::isa::test_words::{CONSTANT, Random, ended, flow, fragment, full, words};
use crate::shader::fragment::{Block, FragmentNode, FragmentProgram};

/// The same block with each instruction at word 0.
fn without_offsets(block: &Block) -> Block {
    let stripped = |node: &FragmentNode| match node.clone() {
        FragmentNode::Operation(mut operation) => {
            operation.word_offset = 0;
            FragmentNode::Operation(operation)
        }
        FragmentNode::If { condition, then, otherwise } => {
            FragmentNode::If { condition, then: without_offsets(&then), otherwise: without_offsets(&otherwise) }
        }
        FragmentNode::Loop { count, initial, increment, has_index, condition, body } => {
            FragmentNode::Loop { count, initial, increment, has_index, condition, body: without_offsets(&body) }
        }
        node => node,
    };
    block.iter().map(stripped).collect()
}

/// Everything except offsets, without the NOP that carries END.
fn meaning(program: &FragmentProgram) -> (Vec<Block>, Vec<[u32; 4]>) {
    let mut blocks: Vec<Block> = program.blocks().map(without_offsets).collect();
    let is_nop = |node: &FragmentNode| matches!(node, FragmentNode::Operation(operation) if operation.kind == crate::shader::fragment::FragmentOperationKind::Nothing);
    while blocks[0].last().is_some_and(is_nop) {
        blocks[0].pop();
    }
    (blocks, program.constants.clone())
}

fn round_trip(words: &[u32]) -> FragmentProgram {
    let program = FragmentProgram::decode(words).unwrap();
    let encoded = program.encode().unwrap();
    let again = FragmentProgram::decode(&encoded.words).unwrap();
    assert_eq!(meaning(&again), meaning(&program));
    for (slot, constant) in &encoded.constant_slots {
        let start = *slot as usize * 4;
        assert_eq!(encoded.words[start..start + 4], program.constants[usize::from(*constant)]);
    }
    again
}

#[test]
fn fields_of_the_blit_program_are_put_in_their_documented_places() {
    // Mesa's blit program; the unread sources name R0, and word 3 has no displacement.
    let words =
        [0x1700_9e00, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800, 0x0140_1e81, 0x1c9d_c800, 0x0001_c800, 0x0001_c800];
    let program = FragmentProgram::decode(&words).unwrap();
    assert_eq!(program.encode().unwrap().words, words);
}

#[test]
fn random_instructions_keep_every_field_that_has_a_meaning() {
    let mut random = Random(0x2545_f491);
    let mut decoded = 0;
    for _ in 0..20_000 {
        let word = FragmentWord([(); 4].map(|()| random.bits())).with(FragmentField::FLOW, 0);
        let Some(kind) = Op::from_code(word.opcode_bits()).and_then(Op::operation) else { continue };
        let constant = word.has_constant().then_some(0);
        let Ok(operation) = decode_operation(0, word, kind, constant) else { continue };
        let encoded = encode_operation(&operation);
        assert_eq!(encoded.has_constant(), word.has_constant());
        assert_eq!(decode_operation(0, encoded, kind, constant), Ok(operation), "{word:x?} {encoded:x?}");
        decoded += 1;
    }
    assert!(decoded > 2000, "only {decoded} were instructions");
}

#[test]
fn flow_offsets_are_those_of_the_tree() {
    let mut words = ended(vec![
        flow(Op::If, 16, 24),
        fragment(Op::Mov, 1, &[full(0)]),
        flow(Op::If, 16, 16),
        fragment(Op::Mov, 2, &[full(0)]),
        fragment(Op::Mov, 3, &[full(0)]),
        flow(Op::Ret, 0, 0).with(FragmentField::CONDITION, 1),
        flow(Op::Loop, 3 << 2 | 1 << 10 | 0xff << 19, 36),
        flow(Op::Brk, 0, 0).with(FragmentField::CONDITION, 2),
        flow(Op::Cal, 40, 0),
        fragment(Op::Mov, 6, &[full(0)]),
    ]);
    words.extend(self::words(&[fragment(Op::Mul, 1, &[full(0), CONSTANT]), FragmentWord([7; 4])]));
    words.extend(self::words(&[flow(Op::Ret, 0, 0)]));
    let again = round_trip(&words);
    let encoded = again.encode().unwrap();
    let offsets = |words: &[u32]| words.as_chunks().0.iter().map(|&[_, _, a, b]| [a, b]).collect::<Vec<[u32; 2]>>();
    assert_eq!(offsets(&encoded.words), offsets(&words), "the layout was canonical before");
    assert_eq!(encoded.words[24..][..4], [0x4300_0000, 0x1c9c_0000, 0x87f8_040c, 36]);
    assert_eq!(encoded.constant_slots, [(11, 0)]);
    assert_eq!(encoded.loop_slots, [6]);
}

#[test]
fn a_program_that_ends_with_flow_gets_an_instruction_to_end_with() {
    let program = round_trip(&ended(vec![flow(Op::If, 8, 8), fragment(Op::Mov, 1, &[full(0)])]));
    assert_eq!(program.body.len(), 2);
}

#[test]
fn what_a_program_does_not_have_is_named() {
    let mut program = FragmentProgram::decode(&ended(vec![fragment(Op::Nop, 0, &[])])).unwrap();
    program.body.push(FragmentNode::Call { condition: super::ConditionTest::ALWAYS, subroutine: 3 });
    assert_eq!(program.encode(), Err(FragmentEncodeError::MissingSubroutine { index: 3 }));
    let mut words = ended(vec![fragment(Op::Mul, 1, &[full(0), CONSTANT])]);
    words.extend([0; 4]);
    let mut program = FragmentProgram::decode(&words).unwrap();
    program.constants.clear();
    assert_eq!(program.encode(), Err(FragmentEncodeError::MissingConstant { index: 0 }));
    let nop = program.body[0].clone();
    program.body = vec![nop; 40_000];
    program.constants.push([0; 4]);
    assert_eq!(program.encode(), Err(FragmentEncodeError::TooLong));
}
