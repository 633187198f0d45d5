//! Resource usage of a vertex program: finds the registers, attributes, constants and texture units that it uses.

use std::collections::BTreeSet;

use crate::shader::vertex::{
    AddressComponent, CONSTANT_SLOTS, FlowAction, FlowTest, OperationKind, VertexBundle, VertexProgram, VertexRegister,
};

/// The resources of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VertexResources {
    /// Bit i: attribute i is read.
    pub attributes: u16,
    /// Temporaries that are read or written.
    pub temporaries: BTreeSet<u8>,
    /// Constants that are read without an index.
    pub constants: BTreeSet<u16>,
    /// Bit i: address register i is used.
    pub addresses: u8,
    /// Bit i: condition register i is used.
    pub conditions: u8,
    /// Bit i: output register i is written without an index.
    pub outputs: u16,
    /// Bit i: output register i is read, or written and emitted.
    pub outputs_read: u16,
    /// Constants that are written.
    pub written_constants: BTreeSet<u16>,
    /// Bit i: texture unit i is sampled.
    pub texture_units: u8,
    /// Whether an attribute is read with an index.
    pub has_indexed_inputs: bool,
    /// Whether a constant is read with an index.
    pub has_indexed_constants: bool,
    /// Whether a constant is read with an index that wraps.
    pub has_wrapped_constants: bool,
    /// Whether an output register is written with an index.
    pub has_indexed_outputs: bool,
}

impl VertexResources {
    /// Collects the resources of the bundles.
    #[must_use]
    pub fn of(program: &VertexProgram) -> Self {
        let mut resources = Self::default();
        for bundle in &program.bundles {
            resources.add(bundle);
        }
        if resources.has_indexed_inputs {
            resources.attributes = u16::MAX;
        }
        if program.emits() {
            resources.outputs_read |= resources.outputs;
        }
        resources
    }

    fn add(&mut self, bundle: &VertexBundle) {
        for operation in bundle.operations() {
            for source in operation.read_sources() {
                self.add_read(source.register);
            }
            if let OperationKind::FetchTexture { unit } = operation.kind {
                self.texture_units |= 1 << (unit & 3);
            }
            if operation.kind.writes_address() {
                // AddAddress and the stack use either register; declaring both is free.
                self.addresses = 3;
            } else {
                self.temporaries.extend(operation.destination);
            }
        }
        if let Some(condition) = bundle.condition {
            self.conditions |= 1 << (condition.register & 1);
        }
        if let Some(update) = bundle.condition_update {
            self.conditions |= 1 << (update.register & 1);
        }
        if let Some(output) = bundle.output {
            // Registers beyond the last are not written.
            if output.index < 16 {
                self.outputs |= 1 << output.index;
            }
            self.has_indexed_outputs |= output.relative.is_some();
            self.add_relative(output.relative);
        }
        let written = bundle.constant_write.map(|write| write.index);
        self.written_constants.extend(written.filter(|index| usize::from(*index) < CONSTANT_SLOTS));
        let action = bundle.flow.map(|flow| flow.action);
        if let Some(FlowAction::BranchToAddress(_) | FlowAction::PushAddress { .. } | FlowAction::PopAddress { .. }) =
            action
        {
            self.addresses = 3;
        }
        if let Some(FlowAction::Loop { parameters, .. }) = action {
            self.constants.insert(parameters);
        }
        // Closing any scope may change the loop counter.
        if bundle.scope_end().is_some() || matches!(action, Some(FlowAction::Break)) {
            self.addresses = 3;
        }
        if bundle.flow.is_some_and(|flow| matches!(flow.test, FlowTest::Flags { .. })) {
            self.conditions |= 1;
        }
    }

    fn add_read(&mut self, register: VertexRegister) {
        self.add_relative(register.relative());
        match register {
            VertexRegister::Temporary(index) => {
                self.temporaries.insert(index);
            }
            VertexRegister::Attribute { index, relative } => {
                self.has_indexed_inputs |= relative.is_some();
                self.attributes |= 1 << (index & 15);
            }
            VertexRegister::Constant { relative: Some(_), .. } => self.has_indexed_constants = true,
            VertexRegister::WrappedConstant { .. } => self.has_wrapped_constants = true,
            VertexRegister::Constant { index, relative: None } => {
                if usize::from(index) < CONSTANT_SLOTS {
                    self.constants.insert(index);
                }
            }
            VertexRegister::Output(index) => self.outputs_read |= 1 << (index & 15),
        }
    }

    fn add_relative(&mut self, relative: Option<AddressComponent>) {
        if let Some(address) = relative {
            self.addresses |= 1 << (address.register & 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::VertexResources;
    use crate::arith::vertex_functions::{ADD, ADDRESS_FLOOR};
    use crate::shader::condition::WriteMask;
    use crate::shader::test_programs::{attribute, bundle, constant, operation, program, temporary};
    use crate::shader::vertex::{
        AddressComponent, FlowAction, FlowTest, OperationKind, Unit, VertexBundle, VertexConstantWrite, VertexFlow,
        VertexOutput, VertexRegister,
    };

    #[test]
    fn sources_that_are_not_read_do_not_count() {
        let mut add = operation(OperationKind::Arithmetic(&ADD), &[attribute(3), constant(7)], Some(2));
        add.sources[2] = temporary(9);
        let resources = VertexResources::of(&program(vec![bundle(add)]));
        assert_eq!((resources.attributes, resources.constants), (1 << 3, BTreeSet::from([7])));
        assert_eq!(resources.temporaries, BTreeSet::from([2]));
    }

    #[test]
    fn outputs_that_are_read_and_constants_that_are_written_are_seen() {
        let mut read = attribute(0);
        read.register = VertexRegister::Output(5);
        let mut write = bundle(operation(OperationKind::Move, &[read], None));
        write.constant_write = Some(VertexConstantWrite { index: 9, unit: Unit::Vector, mask: WriteMask(3) });
        let mut beyond = write.clone();
        beyond.constant_write.as_mut().unwrap().index = 544;
        assert_eq!(write.vector_components(), WriteMask::ALL);
        let resources = VertexResources::of(&program(vec![write, beyond]));
        assert_eq!((resources.outputs_read, resources.outputs, resources.attributes), (1 << 5, 0, 0));
        assert_eq!(resources.written_constants, BTreeSet::from([9]));
    }

    #[test]
    fn an_indexed_attribute_reads_them_all() {
        let relative = Some(AddressComponent { register: 1, component: 0 });
        let mut indexed = attribute(0);
        indexed.register = VertexRegister::Attribute { index: 0, relative };
        let resources =
            VertexResources::of(&program(vec![bundle(operation(OperationKind::Move, &[indexed], Some(0)))]));
        assert!(resources.has_indexed_inputs);
        assert_eq!((resources.attributes, resources.addresses), (u16::MAX, 2));
    }

    #[test]
    fn address_destinations_are_no_temporaries() {
        let load = operation(OperationKind::LoadAddress(&ADDRESS_FLOOR), &[attribute(0)], Some(1));
        let resources = VertexResources::of(&program(vec![bundle(load)]));
        assert_eq!((resources.addresses, resources.temporaries.len()), (3, 0));
    }

    #[test]
    fn outputs_textures_and_the_stack_are_seen() {
        let mut fetch = bundle(operation(OperationKind::FetchTexture { unit: 2 }, &[attribute(0)], None));
        fetch.output = Some(VertexOutput { index: 7, relative: None, unit: Unit::Vector, mask: WriteMask::ALL });
        let mut push = VertexBundle::idle(0);
        push.flow = Some(VertexFlow { action: FlowAction::PushAddress { register: 0 }, test: FlowTest::Condition });
        let resources = VertexResources::of(&program(vec![fetch, push]));
        assert_eq!((resources.outputs, resources.texture_units, resources.addresses), (1 << 7, 1 << 2, 3));
    }
}
