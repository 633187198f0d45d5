//! Resource usage: finds the registers, inputs, constants and texture units that a fragment program uses.

use std::collections::BTreeSet;

use super::ProgramView;
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::{
    FragmentInput, FragmentNode, FragmentOperation, FragmentOutputs, FragmentProgram, FragmentRegister,
    FragmentSourceKind, TEXCOORD0,
};

/// The resources of a program.
#[derive(Debug, Default)]
pub struct ResourceUsage {
    /// Registers that are read, written or output.
    registers: Vec<FragmentRegister>,
    /// Numbers of full registers that are used in both views.
    pub shared: BTreeSet<u8>,
    /// Constants.
    pub constants: BTreeSet<u16>,
    /// Inputs that are read without an index.
    pub inputs: Vec<FragmentInput>,
    /// Attribute numbers that indexed inputs can reach.
    pub indexed_attributes: BTreeSet<u8>,
    /// Displacements of indexed inputs.
    pub displacements: BTreeSet<i16>,
    /// Values that the loop index can have.
    loop_indices: BTreeSet<i32>,
    /// Whether a loop or input uses the loop index.
    pub has_loop_index: bool,
    /// Bit i: condition register i is used.
    pub conditions: u8,
    /// Bit i: texture unit i is sampled.
    pub units: u16,
    /// Whether there is flow.
    pub has_flow: bool,
}

impl ResourceUsage {
    /// Collects the resources of a program.
    #[must_use]
    pub fn of(view: &ProgramView<'_>) -> Self {
        let mut usage = Self { loop_indices: BTreeSet::from([0]), ..Self::default() };
        view.blocks().for_each(|block| usage.add_block(block));
        view.outputs.color_registers().for_each(|register| usage.add_register(register));
        if view.outputs.exports_depth {
            usage.add_register(FragmentOutputs::DEPTH);
        }
        let halves: BTreeSet<u8> =
            usage.registers.iter().filter(|register| register.is_half).map(|register| register.index / 2).collect();
        usage.shared = usage
            .registers
            .iter()
            .filter(|register| !register.is_half && halves.contains(&register.index))
            .map(|register| register.index)
            .collect();
        for displacement in &usage.displacements {
            let first = i32::from(TEXCOORD0) + i32::from(*displacement);
            let reached = usage.loop_indices.iter().filter_map(|index| u8::try_from(first + index).ok());
            usage.indexed_attributes.extend(reached);
        }
        usage
    }

    /// The resources of a program, whatever its outputs.
    #[must_use]
    pub fn of_blocks(program: &FragmentProgram) -> Self {
        let outputs = FragmentOutputs { has_full_outputs: false, exports_depth: false, targets: 0 };
        let FragmentProgram { body, subroutines, .. } = program;
        Self::of(&ProgramView { body, subroutines, outputs, interpolates: true, unit_range_fetches: 0 })
    }

    /// Whether the program may read an input.
    #[must_use]
    pub fn reads(&self, input: FragmentInput) -> bool {
        self.inputs.contains(&input) || self.indexed_attributes.contains(&input.attribute())
    }

    /// The registers that need their own storage; with `splits_words`, shared registers have that of both views.
    #[must_use]
    pub fn stored_registers(&self, splits_words: bool) -> Vec<FragmentRegister> {
        let shared = |register: &FragmentRegister| register.is_half && self.is_shared(*register);
        let mut stores: Vec<FragmentRegister> =
            self.registers.iter().copied().filter(|register| !shared(register)).collect();
        if splits_words {
            let halves = self.shared.iter().flat_map(|number| [number * 2, number * 2 + 1]);
            stores.extend(halves.map(|index| FragmentRegister { index, is_half: true }));
        }
        stores
    }

    /// Whether the program uses both views of the full register that this is or belongs to.
    #[must_use]
    pub fn is_shared(&self, register: FragmentRegister) -> bool {
        self.shared.contains(&register.full_index())
    }

    fn add_register(&mut self, register: FragmentRegister) {
        if register.exists() && !self.registers.contains(&register) {
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
                        let values = (0..i32::from(*count))
                            .map(|iteration| i32::from(*initial) + iteration * i32::from(*increment));
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
        if operation.kind.samples() {
            self.units |= 1 << (operation.texture_unit & 15);
        }
        for source in operation.read_sources() {
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

#[cfg(test)]
mod tests {
    use super::ResourceUsage;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op};
    use crate::isa::test_words::{INPUT, ended, flow, fragment, full, half};
    use crate::shader::analysis::test_programs::{straight, view};
    use crate::shader::fragment::{FragmentInput, FragmentProgram, FragmentRegister};

    #[test]
    fn both_views_of_a_register_make_it_shared() {
        let program = straight(vec![
            fragment(Op::Tex, 2, &[INPUT]).with(Field::INPUT, 6).with(Field::TEXTURE_UNIT, 3),
            fragment(Op::Add, 0, &[half(4), half(9)]).with(Field::CONDITION_UPDATE, 1),
        ]);
        let usage = ResourceUsage::of(&view(&program));
        assert_eq!(usage.shared.iter().copied().collect::<Vec<_>>(), [2]);
        assert!(usage.is_shared(FragmentRegister { index: 5, is_half: true }));
        assert_eq!((usage.units, usage.conditions, usage.has_flow), (1 << 3, 1, false));
        assert_eq!(usage.inputs, [FragmentInput::TexCoord(2)]);
        let count = |splits| usage.stored_registers(splits).len();
        // R2, R0 and H9; split, H4 and H5 as well.
        assert_eq!((count(false), count(true)), (3, 5));
    }

    #[test]
    fn loops_reach_further_inputs() {
        // Two iterations from index 1 in steps of 2 read TEX2 and TEX4; outside the loop TEX1 would be read.
        let read = fragment(Op::Mov, 0, &[INPUT]).with(Field::INPUT_INDEXED, 1).with(Field::DISPLACEMENT, 1);
        let program = [flow(Op::Loop, 2 << 2 | 1 << 10 | 2 << 19, 8), read, fragment(Op::Mov, 1, &[full(0)])];
        let program = FragmentProgram::decode(&ended(program.to_vec())).unwrap();
        let usage = ResourceUsage::of(&view(&program));
        let reached: Vec<_> = usage.indexed_attributes.iter().copied().collect();
        assert_eq!(reached, [5, 6, 8]);
        assert!(usage.has_loop_index && usage.has_flow && usage.inputs.is_empty());
    }
}
