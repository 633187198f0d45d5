//! Lowers PICA200 programs to the typed program that engines take.
//!
//! Constants 0..95 of the typed program are the registers c; the integer registers follow.

use std::collections::BTreeMap;

use super::{
    CONSTANTS, PicaArithmetic, PicaComparison, PicaCondition, PicaDecodeError, PicaDestination, PicaIndex,
    PicaInstruction, PicaOpcode, PicaRegister, PicaShader, PicaSource, PicaTest,
};
use crate::arith::vertex_functions::VertexFunction;
use crate::arith::vertex_functions::pica as functions;
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{
    AddressComponent, ConditionUpdate, Emission, EmissionTarget, FlowAction, FlowTest, LOOP_COUNTER, OperationKind,
    Unit, VertexBundle, VertexFlow, VertexOperand, VertexOperation, VertexOutput, VertexProgram, VertexRegister,
};

/// The constant of the typed program that holds integer register 0.
pub const FIRST_INTEGER: u16 = CONSTANTS as u16;

const X: WriteMask = WriteMask(1);
const XY: WriteMask = WriteMask(3);
const Y: WriteMask = WriteMask(2);

impl PicaShader {
    /// Lowers the words of a vertex shader that execution can reach from an entry.
    ///
    /// # Errors
    /// When the entry is outside of the program, or a reachable word has no meaning or is for geometry shaders only.
    pub fn lower(&self, entry: u16) -> Result<VertexProgram, PicaDecodeError> {
        let program = self.lower_geometry(entry)?;
        match program.bundles.iter().find(|bundle| bundle.emission.is_some()) {
            Some(bundle) => Err(PicaDecodeError::GeometryOnly { address: bundle.slot }),
            None => Ok(program),
        }
    }

    /// Lowers the words of a geometry shader that execution can reach from an entry.
    ///
    /// # Errors
    /// When the entry is outside of the program, or a reachable word has no meaning.
    pub fn lower_geometry(&self, entry: u16) -> Result<VertexProgram, PicaDecodeError> {
        let reached = self.reachable(entry)?;
        let bundles = reached.into_iter().map(|(address, instruction)| bundle(address, &instruction));
        Ok(VertexProgram { start: entry, bundles: bundles.collect() })
    }

    /// The instructions that execution can reach from an entry, by address.
    ///
    /// # Errors
    /// When the entry is outside of the program, or a reachable word has no meaning.
    pub fn reachable(&self, entry: u16) -> Result<BTreeMap<u16, PicaInstruction>, PicaDecodeError> {
        let mut reached = BTreeMap::new();
        let mut waiting = vec![entry];
        while let Some(address) = waiting.pop() {
            if reached.contains_key(&address) {
                continue;
            }
            let instruction = self.instruction(usize::from(address))?;
            let targets = successors(address, &instruction);
            // A program may end with its last word.
            waiting.extend(targets.into_iter().filter(|target| usize::from(*target) < self.code.len()));
            reached.insert(address, instruction);
        }
        Ok(reached)
    }
}

/// The addresses at which execution may continue.
fn successors(address: u16, instruction: &PicaInstruction) -> Vec<u16> {
    let next = address + 1;
    match *instruction {
        PicaInstruction::End => Vec::new(),
        PicaInstruction::If { otherwise, count, .. } => vec![next, otherwise, otherwise + u16::from(count)],
        PicaInstruction::Call { target, .. } | PicaInstruction::Jump { target, .. } => vec![next, target],
        PicaInstruction::Loop { last, .. } => vec![next, last + 1],
        _ => vec![next],
    }
}

fn bundle(slot: u16, instruction: &PicaInstruction) -> VertexBundle {
    let mut bundle = VertexBundle::idle(slot);
    let flow = |action, test| Some(VertexFlow { action, test });
    match *instruction {
        PicaInstruction::Nop => {}
        PicaInstruction::End => bundle.is_last = true,
        PicaInstruction::Arithmetic(arithmetic) => lower_arithmetic(&mut bundle, &arithmetic),
        PicaInstruction::LoadAddress { mask, source } => {
            let kind = OperationKind::LoadAddress(&functions::ADDRESS_TRUNCATED);
            let mask = WriteMask(mask.0 & XY.0);
            bundle.vector = VertexOperation::new(kind, [operand(source)], Some(0), mask);
        }
        PicaInstruction::Compare { comparisons: [x, y], sources: [a, b] } => {
            let compare = |comparison, mask| {
                let kind = OperationKind::Arithmetic(relation(comparison));
                VertexOperation::new(kind, [operand(a), operand(b)], None, mask)
            };
            if x == y {
                bundle.vector = compare(x, XY);
            } else {
                (bundle.vector, bundle.scalar) = (compare(x, X), compare(y, Y));
            }
            bundle.condition_update = Some(ConditionUpdate { register: 0, unit: (x == y).then_some(Unit::Vector) });
        }
        PicaInstruction::If { test, otherwise, count } => {
            let action = FlowAction::If { or_else: otherwise, end: otherwise + u16::from(count) };
            bundle.flow = flow(action, flow_test(test));
        }
        PicaInstruction::Call { test, target, count } => {
            let action = FlowAction::CallUntil { target, end: target + u16::from(count) };
            bundle.flow = flow(action, flow_test(test));
        }
        PicaInstruction::Loop { register, last } => {
            let action = FlowAction::Loop { parameters: FIRST_INTEGER + u16::from(register), end: last + 1 };
            bundle.flow = flow(action, FlowTest::Condition);
        }
        PicaInstruction::Break { test } => bundle.flow = flow(FlowAction::Break, flow_test(test)),
        PicaInstruction::Jump { test, target } => {
            bundle.flow = flow(FlowAction::Branch { target }, flow_test(test));
        }
        PicaInstruction::Emit => bundle.emission = Some(Emission::Emit),
        PicaInstruction::SetEmit { vertex, is_primitive, is_inverted } => {
            let target = EmissionTarget { vertex, completes_triangle: is_primitive, is_inverted };
            bundle.emission = Some(Emission::Select(target));
        }
    }
    bundle
}

fn lower_arithmetic(bundle: &mut VertexBundle, arithmetic: &PicaArithmetic) {
    let kind = function(arithmetic.operation).map_or(OperationKind::Move, OperationKind::Arithmetic);
    let read = arithmetic.read_sources().iter().map(|read| operand(*read));
    bundle.vector = VertexOperation::new(kind, read, None, arithmetic.mask);
    match arithmetic.destination {
        PicaDestination::Temporary(index) => bundle.vector.destination = Some(index),
        PicaDestination::Output(index) => {
            bundle.output = Some(VertexOutput { index, relative: None, unit: Unit::Vector, mask: arithmetic.mask });
        }
    }
    if arithmetic.operation == PicaOpcode::Litp {
        // cmp.x and cmp.y: x and w are not negative.
        let [source, ..] = bundle.vector.sources;
        let [x, _, _, w] = source.swizzle.0;
        let tested = VertexOperand { swizzle: Swizzle([x, w, w, w]), ..source };
        let kind = OperationKind::Arithmetic(&functions::SGE);
        bundle.scalar = VertexOperation::new(kind, [tested, VertexOperand::ZERO], None, XY);
        bundle.condition_update = Some(ConditionUpdate { register: 0, unit: Some(Unit::Scalar) });
    }
}

/// What an arithmetic operation computes; `None` for a copy.
fn function(operation: PicaOpcode) -> Option<&'static VertexFunction> {
    Some(match operation {
        PicaOpcode::Add => &functions::ADD,
        PicaOpcode::Dp3 => &functions::DP3,
        PicaOpcode::Dp4 => &functions::DP4,
        PicaOpcode::Dph => &functions::DPH,
        PicaOpcode::Dst => &functions::DST,
        PicaOpcode::Ex2 => &functions::EX2,
        PicaOpcode::Lg2 => &functions::LG2,
        PicaOpcode::Litp => &functions::LITP,
        PicaOpcode::Mul => &functions::MUL,
        PicaOpcode::Sge => &functions::SGE,
        PicaOpcode::Slt => &functions::SLT,
        PicaOpcode::Flr => &functions::FLR,
        PicaOpcode::Max => &functions::MAX,
        PicaOpcode::Min => &functions::MIN,
        PicaOpcode::Rcp => &functions::RCP,
        PicaOpcode::Rsq => &functions::RSQ,
        PicaOpcode::Mad => &functions::MAD,
        _ => return None,
    })
}

const fn relation(comparison: PicaComparison) -> &'static VertexFunction {
    match comparison {
        PicaComparison::Equal => &functions::SEQ,
        PicaComparison::NotEqual => &functions::SNE,
        PicaComparison::Less => &functions::SLT,
        PicaComparison::LessEqual => &functions::SLE,
        PicaComparison::Greater => &functions::SGT,
        PicaComparison::GreaterEqual => &functions::SGE,
    }
}

fn operand(source: PicaSource) -> VertexOperand {
    let address = source.index.map(|index| match index {
        PicaIndex::AddressX => AddressComponent { register: 0, component: 0 },
        PicaIndex::AddressY => AddressComponent { register: 0, component: 1 },
        PicaIndex::Loop => LOOP_COUNTER,
    });
    let register = match (source.register, address) {
        (PicaRegister::Input(index), _) => VertexRegister::Attribute { index, relative: None },
        (PicaRegister::Temporary(index), _) => VertexRegister::Temporary(index),
        (PicaRegister::Constant(index), None) => VertexRegister::Constant { index: index.into(), relative: None },
        (PicaRegister::Constant(index), Some(address)) => VertexRegister::WrappedConstant { index, address },
    };
    VertexOperand { register, swizzle: source.swizzle, absolute: false, negate: source.negate }
}

const fn flow_test(test: PicaTest) -> FlowTest {
    match test {
        PicaTest::Always => FlowTest::Condition,
        PicaTest::Boolean { register, value } => FlowTest::Boolean { index: register, value },
        PicaTest::Condition(PicaCondition::Either([x, y])) => {
            FlowTest::Flags { x: Some(x), y: Some(y), needs_both: false }
        }
        PicaTest::Condition(PicaCondition::Both([x, y])) => {
            FlowTest::Flags { x: Some(x), y: Some(y), needs_both: true }
        }
        PicaTest::Condition(PicaCondition::X(x)) => FlowTest::Flags { x: Some(x), y: None, needs_both: true },
        PicaTest::Condition(PicaCondition::Y(y)) => FlowTest::Flags { x: None, y: Some(y), needs_both: true },
    }
}
