//! Lowers operations that both generations of chips share to those of NV20, and places its constants and results.

use std::collections::{BTreeMap, BTreeSet};

use super::operation::{Opcode, Operation, Register, Source, Target};
use crate::assembly::NamedOutput;
use crate::constants::{ConstantSlot, ConstantSource};
use crate::diagnostic::Diagnostic;
use crate::isa::nv20_vertex::{IluOpcode, MacOpcode, Nv20OutputRegister};
use crate::isa::nv40_vertex::VectorOpcode;
use crate::operand;
use crate::state::StateBinding;
use crate::vertex::profile::Profile;
use crate::vertex::statement::{self, Output, ParameterUse, Text, UnitOperation};

/// The slot of c[0], as `vp20compiler` of XboxDev/nxdk has it. The slots below hold the state of the fixed pipeline.
pub(super) const FIRST_PARAMETER: u8 = 96;
/// Parameters of the language.
const PARAMETERS: u8 = 96;

/// The output register of each result, in the order in which NV40 numbers results: HPOS, COL0, COL1, BFC0, BFC1, FOGC,
/// PSIZ, TEX0 to TEX3.
const OUTPUT_REGISTERS: [u8; 11] = [0, 3, 4, 7, 8, 5, 6, 9, 10, 11, 12];

/// Operations of the chip with what they read.
#[derive(Debug)]
pub(super) struct Lowered {
    /// In the order of the text.
    pub(super) operations: Vec<Operation>,
    /// What each used constant holds, by slot.
    pub(super) constants: Vec<ConstantSlot>,
    /// The slots that addresses reach.
    pub(super) indexed: Option<(u16, u16)>,
}

struct Lowering<'text> {
    text: &'text Text,
    /// Temporaries from this number on are parameters that a state program writes.
    temporaries: u32,
    constants: BTreeMap<u8, ConstantSource>,
    is_indexed: bool,
}

/// Lowers every operation.
///
/// # Errors
/// When the chip lacks what an operation needs.
pub(super) fn lower(
    operations: &[statement::Operation],
    text: &Text,
    profile: &Profile,
) -> Result<Lowered, Vec<Diagnostic>> {
    let temporaries = u32::from(profile.temporaries);
    let mut lowering = Lowering { text, temporaries, constants: BTreeMap::new(), is_indexed: false };
    let mut lowered = Vec::with_capacity(operations.len());
    let mut errors = Vec::new();
    for operation in operations {
        match lowering.operation(operation) {
            Ok(operation) => lowered.push(operation),
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let range = (u16::from(FIRST_PARAMETER), u16::from(FIRST_PARAMETER + PARAMETERS - 1));
    let constants = lowering.constants.into_iter();
    Ok(Lowered {
        operations: lowered,
        constants: constants.map(|(slot, source)| ConstantSlot { slot: u32::from(slot), source }).collect(),
        indexed: lowering.is_indexed.then_some(range),
    })
}

/// Renames the registers of results to those of the chip.
pub(super) fn named_in_hardware(outputs: Vec<NamedOutput>) -> Vec<NamedOutput> {
    let named = outputs.into_iter().filter_map(|output| {
        let register = *OUTPUT_REGISTERS.get(usize::from(output.register))?;
        Some(NamedOutput { register, ..output })
    });
    let mut named: Vec<NamedOutput> = named.collect();
    named.sort_by_key(|output| output.register);
    named
}

/// The constants that a state program writes, which are its results.
pub(super) fn named_constants(operations: &[Operation]) -> Vec<NamedOutput> {
    let written = operations.iter().filter_map(|operation| match operation.target {
        Target::Output(Nv20OutputRegister::Constant(register)) => Some(register),
        _ => None,
    });
    let named = written.collect::<BTreeSet<u8>>().into_iter().map(|register| {
        let name = format!("c[{}]", register.saturating_sub(FIRST_PARAMETER));
        NamedOutput { name, register, component: None }
    });
    named.collect()
}

/// The operation of the same name.
fn opcode(unit: UnitOperation) -> Option<Opcode> {
    let name = match unit {
        UnitOperation::Vector(VectorOpcode::Mov) => return Some(Opcode::Move),
        UnitOperation::Vector(opcode) => opcode.mnemonic(),
        UnitOperation::Scalar(opcode) => opcode.mnemonic(),
    };
    let mac = MacOpcode::ALL.iter().find(|opcode| opcode.mnemonic() == name).map(|opcode| Opcode::Mac(*opcode));
    mac.or_else(|| IluOpcode::ALL.iter().find(|opcode| opcode.mnemonic() == name).map(|opcode| Opcode::Ilu(*opcode)))
}

impl Lowering<'_> {
    fn operation(&mut self, operation: &statement::Operation) -> Result<Operation, Diagnostic> {
        let error = |message: String| {
            let statement = self.text.statements.get(operation.statement);
            Diagnostic::new(statement.map_or(0..0, |statement| statement.span.clone()), message)
        };
        let target = match operation.target {
            statement::Target::Temporary(number) => match number.checked_sub(self.temporaries) {
                None => Target::Temporary(number),
                Some(parameter) => {
                    let slot = FIRST_PARAMETER.saturating_add(parameter.to_le_bytes()[0]);
                    Target::Output(Nv20OutputRegister::Constant(slot))
                }
            },
            statement::Target::Output(Output { register, .. }) => {
                let found = OUTPUT_REGISTERS.get(usize::from(register));
                let register = *found.ok_or_else(|| {
                    error("the result does not exist on the GeForce 3".to_owned())
                        .label("no output register")
                        .note("limit: texture coordinates of the GeForce 3 = 4, o[TEX0] to o[TEX3]")
                })?;
                Target::Output(Nv20OutputRegister::Output(register))
            }
            statement::Target::Address(_) | statement::Target::Nothing => Target::Address,
        };
        let Some(opcode) = opcode(operation.unit) else {
            return Err(
                error("the GeForce 3 does not have this operation".to_owned()).label("no operation of its units")
            );
        };
        let sources: Option<Vec<Source>> = operation.sources.iter().map(|source| self.source(source)).collect();
        let sources = sources.ok_or_else(|| error("the GeForce 3 cannot address an operand".to_owned()))?;
        // RSQ and LOG take magnitudes by themselves. Of other operations, only ABS has one.
        let is_absolute = opcode == Opcode::Move && operation.sources.iter().any(|source| source.absolute);
        let (opcode, sources) = if is_absolute {
            (Opcode::Mac(MacOpcode::Max), vec![sources[0], sources[0].negated()])
        } else {
            (opcode, sources)
        };
        Ok(Operation { opcode, target, mask: operation.mask, sources })
    }

    fn source(&mut self, source: &statement::Source) -> Option<Source> {
        let register = match source.register {
            statement::Register::Temporary(number) => Register::Temporary(number),
            statement::Register::Attribute(index, None) => Register::Attribute(index),
            statement::Register::Parameter(parameter) => self.parameter(parameter)?,
            statement::Register::Attribute(_, Some(_)) | statement::Register::Constant(..) => return None,
        };
        Some(operand::Source { register, swizzle: source.swizzle, absolute: false, negate: source.negate })
    }

    fn parameter(&mut self, parameter: ParameterUse) -> Option<Register> {
        match parameter {
            ParameterUse::Single(source) => {
                let index = match source {
                    ConstantSource::Register(index) => u8::try_from(index).ok()?.checked_add(FIRST_PARAMETER)?,
                    // The matrix of a position-invariant program is where the fixed pipeline has it.
                    ConstantSource::State(StateBinding::MatrixRow(_, _, row)) => row,
                    _ => return None,
                };
                self.constants.insert(index, source);
                Some(Register::Constant { index, is_indexed: false })
            }
            ParameterUse::Element { offset, .. } => {
                self.is_indexed = true;
                let slots = FIRST_PARAMETER..FIRST_PARAMETER + PARAMETERS;
                self.constants.extend(slots.zip(0..).map(|(slot, index)| (slot, ConstantSource::Register(index))));
                let index = u8::try_from(i32::from(FIRST_PARAMETER) + offset).ok()?;
                Some(Register::Constant { index, is_indexed: true })
            }
        }
    }
}
