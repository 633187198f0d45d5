//! Builds the typed program of the chip from instructions and the places of their registers.

use super::allocate::Places;
use super::code::{FragmentCode, Instruction, Node, Source, SourceKind};
use crate::arith::{Precision, Scale, SourcePrecision};
use crate::assembly::loop_numbers;
use crate::constants::ConstantSource;
use crate::shader::condition::ConditionTest;
use crate::shader::fragment::{
    Block, FragmentInput, FragmentNode, FragmentOperation, FragmentProgram, FragmentSource, FragmentSourceKind,
};

/// A program with the sources of its constants and loops, in the order of [`FragmentProgram::constants`] and of the
/// loops in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Emitted {
    pub(super) program: FragmentProgram,
    pub(super) constants: Vec<ConstantSource>,
    pub(super) loops: Vec<ConstantSource>,
    /// Interpolants that are read, by attribute number.
    pub(super) inputs: u16,
}

/// Builds a program with these places.
pub(super) fn emit(code: &FragmentCode, places: &Places) -> Emitted {
    let mut emitter = Emitter { code, places, constants: Vec::new(), loops: Vec::new(), inputs: 0 };
    let body = emitter.block(&code.body);
    let subroutines = code.routines.iter().map(|routine| emitter.block(routine)).collect();
    let Emitter { constants, loops, inputs, .. } = emitter;
    let values = constants.iter().map(initial_value).collect();
    let program = FragmentProgram { body, subroutines, constants: values, words: 0 };
    Emitted { program, constants, loops, inputs }
}

/// What a constant holds before it is patched.
pub(super) const fn initial_value(source: &ConstantSource) -> [u32; 4] {
    match source {
        ConstantSource::Literal(value) | ConstantSource::Named(_, value) => *value,
        ConstantSource::Local(_)
        | ConstantSource::Environment(_)
        | ConstantSource::State(_)
        | ConstantSource::Register(_) => [0; 4],
    }
}

struct Emitter<'code> {
    code: &'code FragmentCode,
    places: &'code Places,
    constants: Vec<ConstantSource>,
    loops: Vec<ConstantSource>,
    inputs: u16,
}

impl Emitter<'_> {
    fn block(&mut self, nodes: &[Node]) -> Block {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn node(&mut self, node: &Node) -> FragmentNode {
        match node {
            Node::Instruction(instruction) => FragmentNode::Operation(self.operation(instruction)),
            Node::If { condition, then, otherwise } => {
                FragmentNode::If { condition: *condition, then: self.block(then), otherwise: self.block(otherwise) }
            }
            Node::Loop { parameters, has_index, body, .. } => {
                let (count, initial, increment) = loop_numbers(initial_value(parameters));
                self.loops.push(*parameters);
                FragmentNode::Loop {
                    count,
                    initial: if *has_index { initial } else { 0 },
                    increment: if *has_index { increment } else { 0 },
                    has_index: *has_index,
                    condition: ConditionTest::ALWAYS,
                    body: self.block(body),
                }
            }
            Node::Call { condition, routine } => FragmentNode::Call { condition: *condition, subroutine: *routine },
            Node::Break { condition } => FragmentNode::Break { condition: *condition },
            Node::Return { condition } => FragmentNode::Return { condition: *condition },
        }
    }

    fn operation(&mut self, instruction: &Instruction) -> FragmentOperation {
        let mut input = FragmentInput::WindowPosition;
        let mut displacement = None;
        let mut constant = None;
        let mut sources = [FragmentSource::UNREAD; 3];
        for (place, source) in sources.iter_mut().zip(&instruction.sources) {
            let Source { register, swizzle, absolute, negate } = *source;
            let kind = match register {
                SourceKind::Register(register) => FragmentSourceKind::Register(self.places.of(register)),
                SourceKind::Input(read) => {
                    (input, displacement) = (read.input, read.displacement);
                    FragmentSourceKind::Input
                }
                SourceKind::Constant(value) => {
                    let index = *constant.get_or_insert_with(|| {
                        self.constants.push(value);
                        self.constants.len() - 1
                    });
                    // Encoding rejects a program with more constants.
                    FragmentSourceKind::Constant(u16::try_from(index).unwrap_or(u16::MAX))
                }
            };
            *place = FragmentSource { kind, swizzle, absolute, precision: SourcePrecision::Full, negate };
        }
        if instruction.sources.iter().any(|source| matches!(source.register, SourceKind::Input(_))) {
            // An indexed read can reach every texture coordinate.
            self.inputs |= if displacement.is_some() { 0x3ff << 4 } else { 1 << input.attribute() };
        }
        FragmentOperation {
            kind: instruction.opcode.operation().expect("flow is no instruction here"),
            word_offset: 0,
            destination: instruction.destination.map(|register| self.places.of(register)),
            mask: instruction.mask,
            condition_update: instruction.condition_update,
            condition: instruction.condition,
            precision: self.precision(instruction),
            scale: Scale::One,
            saturate: instruction.saturate,
            expand_texel: false,
            texture_unit: instruction.texture_unit,
            input,
            is_input_indexed: displacement.is_some(),
            input_displacement: displacement.unwrap_or(0),
            divides_by_w: false,
            sources,
        }
    }

    /// The precision of an operation, which rounds a half value that was placed in a full register.
    fn precision(&self, instruction: &Instruction) -> Precision {
        let is_wide_half = instruction
            .destination
            .is_some_and(|register| self.code.row(register).is_half && !self.places.of(register).is_half);
        if is_wide_half && instruction.precision == Precision::Fp32 { Precision::Fp16 } else { instruction.precision }
    }
}
