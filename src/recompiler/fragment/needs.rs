//! Which registers, inputs, constants and texture units a fragment program touches.

use std::collections::BTreeSet;

use super::operands::TEXCOORD0;
use super::registers::{color_output, exists, full, variable};
use super::{FragmentKernelKey, operations};
use crate::isa::Operand;
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::{FragmentInput, FragmentNode, FragmentOperation, FragmentRegister, FragmentSourceKind};

/// What a program touches.
#[derive(Debug, Default)]
pub(in crate::recompiler) struct Needs {
    /// Registers that are read, written or put out.
    registers: Vec<FragmentRegister>,
    /// Numbers of full registers of which both views are used.
    pub(in crate::recompiler) shared: BTreeSet<u8>,
    /// Constants.
    pub(in crate::recompiler) constants: BTreeSet<u16>,
    /// Inputs that are read without an index.
    pub(in crate::recompiler) inputs: Vec<FragmentInput>,
    /// Attribute numbers that indexed inputs can reach.
    pub(in crate::recompiler) indexed_attributes: BTreeSet<u8>,
    /// Displacements of indexed inputs.
    pub(in crate::recompiler) displacements: BTreeSet<i16>,
    /// Values that the loop index can have.
    loop_indices: BTreeSet<i32>,
    /// Some loop or input uses the loop index.
    pub(in crate::recompiler) has_loop_index: bool,
    /// Bit i: condition register i is used.
    pub(in crate::recompiler) conditions: u8,
    /// Bit i: texture unit i is sampled.
    pub(in crate::recompiler) units: u16,
    /// There is flow.
    pub(in crate::recompiler) has_flow: bool,
}

impl Needs {
    /// Looks through the program.
    pub(in crate::recompiler) fn of(key: &FragmentKernelKey) -> Self {
        let mut needs = Self { loop_indices: BTreeSet::from([0]), ..Self::default() };
        for block in std::iter::once(&key.body).chain(&key.subroutines) {
            needs.add_block(block);
        }
        for target in (0..4).filter(|target| key.targets >> target & 1 != 0) {
            needs.add_register(color_output(target, key.has_full_outputs));
        }
        if key.exports_depth {
            needs.add_register(full(1));
        }
        let halves: BTreeSet<u8> =
            needs.registers.iter().filter(|register| register.is_half).map(|register| register.index / 2).collect();
        needs.shared = needs
            .registers
            .iter()
            .filter(|register| !register.is_half && halves.contains(&register.index))
            .map(|register| register.index)
            .collect();
        for displacement in &needs.displacements {
            let first = i32::from(TEXCOORD0) + i32::from(*displacement);
            let reached = needs.loop_indices.iter().filter_map(|index| u8::try_from(first + index).ok());
            needs.indexed_attributes.extend(reached);
        }
        needs
    }

    /// The variables that hold the registers; with `splits_words` shared registers have those of both views.
    pub(in crate::recompiler) fn variables(&self, splits_words: bool) -> Vec<String> {
        let shared = |register: &FragmentRegister| register.is_half && self.shared.contains(&(register.index / 2));
        let mut stores: Vec<FragmentRegister> =
            self.registers.iter().copied().filter(|register| !shared(register)).collect();
        if splits_words {
            let halves = self.shared.iter().flat_map(|number| [number * 2, number * 2 + 1]);
            stores.extend(halves.map(|index| FragmentRegister { index, is_half: true }));
        }
        stores.into_iter().flat_map(|register| (0..4).map(move |component| variable(register, component))).collect()
    }

    fn add_register(&mut self, register: FragmentRegister) {
        if exists(register) && !self.registers.contains(&register) {
            self.registers.push(register);
        }
    }

    fn add_condition(&mut self, condition: ConditionTest) {
        if !matches!(condition.relation, Relation::Always | Relation::Never) {
            self.conditions |= 1 << (condition.register & 1);
        }
    }

    fn add_block(&mut self, block: &[FragmentNode]) {
        for node in block {
            match node {
                FragmentNode::Operation(operation) => self.add_operation(operation),
                FragmentNode::If { condition, then, otherwise } => {
                    self.has_flow = true;
                    self.add_condition(*condition);
                    self.add_block(then);
                    self.add_block(otherwise);
                }
                FragmentNode::Loop { count, initial, increment, has_index, condition, body } => {
                    self.has_flow = true;
                    self.has_loop_index |= has_index;
                    if *has_index {
                        let values =
                            (0..i32::from(*count)).map(|round| i32::from(*initial) + round * i32::from(*increment));
                        self.loop_indices.extend(values);
                    }
                    self.add_condition(*condition);
                    self.add_block(body);
                }
                FragmentNode::Call { condition, .. }
                | FragmentNode::Break { condition }
                | FragmentNode::Return { condition } => {
                    self.has_flow = true;
                    self.add_condition(*condition);
                }
            }
        }
    }

    fn add_operation(&mut self, operation: &FragmentOperation) {
        self.add_condition(operation.condition);
        if let Some(register) = operation.condition_update {
            self.conditions |= 1 << (register & 1);
        }
        if let Some(register) = operation.destination {
            self.add_register(register);
        }
        if operations::samples(operation.opcode) {
            self.units |= 1 << (operation.texture_unit & 15);
        }
        for operand in operation.opcode.row().operands {
            let source = match operand {
                Operand::S0 => operation.sources[0],
                Operand::S1 => operation.sources[1],
                Operand::S2 => operation.sources[2],
            };
            match source.kind {
                FragmentSourceKind::Register(register) => self.add_register(register),
                FragmentSourceKind::Constant(index) => {
                    self.constants.insert(index);
                }
                FragmentSourceKind::Input => self.add_input(operation),
            }
        }
    }

    fn add_input(&mut self, operation: &FragmentOperation) {
        let mut add = |input| {
            if !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
        };
        if operation.divides_by_w {
            add(FragmentInput::WindowPosition);
        }
        if operation.is_input_indexed {
            self.displacements.insert(operation.input_displacement);
            self.has_loop_index = true;
        } else {
            add(operation.input);
        }
    }
}
