//! Turns a bundle of a vertex program into what its stages need: registers that it reads and writes, and units.

use std::fmt::{self, Display, Formatter};

use super::vertex_units::{STATUS_COMPARISON, UnitUse, units_of};
use crate::shader::vertex::{
    FlowAction, FlowTest, LOOP_COUNTER, OperationKind, Unit, VertexBundle, VertexOperation, VertexRegister,
};

/// An operation that the vertex processors of a timetable do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("slot {slot}: no unit of the vertex processor computes {operation}")]
pub struct UnknownOperation {
    /// The slot of its instruction.
    pub slot: u16,
    /// Its name.
    pub operation: String,
}

/// A register whose value an instruction may have to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum WrittenRegister {
    Temporary(u8),
    Output(u8),
    Address,
    LoopCounter,
    Status,
}

/// Shows the name that the PICA200's assembly language gives it.
impl Display for WrittenRegister {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Temporary(index) => write!(f, "r{index}"),
            Self::Output(index) => write!(f, "o{index}"),
            Self::Address => f.write_str("a0"),
            Self::LoopCounter => f.write_str("aL"),
            Self::Status => f.write_str("cmp"),
        }
    }
}

/// A component of a register: 0 x … 3 w.
pub(super) type RegisterComponent = (WrittenRegister, u8);

/// The needs of an instruction, stage by stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Issue {
    /// Its slot in the program store.
    pub(super) slot: u16,
    /// Whether it has a read stage.
    pub(super) has_read: bool,
    /// What it reads of registers that programs write.
    pub(super) reads: Vec<RegisterComponent>,
    /// The units of its execute stage, with their number.
    pub(super) units: Vec<(UnitUse, u32)>,
    /// Clocks of its execute stage.
    pub(super) execute_clocks: u32,
    /// Whether it has a post-processing stage.
    pub(super) has_post_processing: bool,
    /// What it writes; nothing if it has no write-back stage.
    pub(super) writes: Vec<RegisterComponent>,
}

impl Issue {
    /// The needs of a bundle.
    pub(super) fn new(bundle: &VertexBundle) -> Result<Self, UnknownOperation> {
        let mut issue = Self {
            slot: bundle.slot,
            has_read: false,
            reads: Vec::new(),
            units: Vec::new(),
            execute_clocks: 1,
            has_post_processing: false,
            writes: Vec::new(),
        };
        issue.add_operation(bundle, &bundle.vector, Unit::Vector)?;
        issue.add_operation(bundle, &bundle.scalar, Unit::Scalar)?;
        if let Some(test) = bundle.condition {
            issue.read(WrittenRegister::Status, test.swizzle.0);
        }
        issue.add_flow(bundle);
        Ok(issue)
    }

    fn add_operation(
        &mut self,
        bundle: &VertexBundle,
        operation: &VertexOperation,
        unit: Unit,
    ) -> Result<(), UnknownOperation> {
        let output = bundle.output.filter(|output| output.unit == unit);
        let update = bundle.condition_update.filter(|update| update.takes(unit));
        let mask = (operation.mask.0 | output.map_or(0, |output| output.mask.0)) & 15;
        let units = match operation.kind {
            OperationKind::Idle => return Ok(()),
            // Source: the hardware specifications list the copying of registers under the execute stage.
            OperationKind::Move | OperationKind::Constant(_) => &[],
            // Unverified: that the conversion to an integer is the post-processing of a copy, which takes a clock.
            OperationKind::LoadAddress(_) => {
                self.has_post_processing = true;
                &[]
            }
            OperationKind::Arithmetic(_) if update.is_some() && operation.destination.is_none() && output.is_none() => {
                STATUS_COMPARISON
            }
            OperationKind::Arithmetic(function) => units_of(function)
                .ok_or_else(|| UnknownOperation { slot: bundle.slot, operation: function.name.to_owned() })?,
            OperationKind::AddAddress { .. } | OperationKind::FetchTexture { .. } => {
                return Err(UnknownOperation { slot: bundle.slot, operation: format!("{:?}", operation.kind) });
            }
        };
        for each in units {
            self.execute_clocks = self.execute_clocks.max(each.end());
            let copies = each.copies(mask);
            if copies > 0 {
                self.units.push((*each, copies));
            }
        }
        for (position, source) in operation.read_sources().iter().enumerate() {
            self.has_read = true;
            let read = match operation.kind {
                OperationKind::Arithmetic(function) => function.components_read(position, mask),
                _ => mask,
            };
            let components = components(read).map(|component| source.swizzle.0[usize::from(component)]);
            match source.register {
                VertexRegister::Temporary(index) => self.read(WrittenRegister::Temporary(index), components),
                VertexRegister::Output(index) => self.read(WrittenRegister::Output(index), components),
                VertexRegister::Attribute { .. }
                | VertexRegister::Constant { .. }
                | VertexRegister::WrappedConstant { .. } => {}
            }
            match source.register.relative() {
                Some(address) if address == LOOP_COUNTER => self.read(WrittenRegister::LoopCounter, [0]),
                Some(address) => self.read(WrittenRegister::Address, [address.component]),
                None => {}
            }
        }
        let written = match operation.destination {
            Some(_) if operation.kind.writes_address() => Some(WrittenRegister::Address),
            other => other.map(WrittenRegister::Temporary),
        };
        let targets = [
            written.map(|register| (register, operation.mask.0)),
            output.map(|output| (WrittenRegister::Output(output.index), output.mask.0)),
            update.map(|_| (WrittenRegister::Status, operation.mask.0)),
        ];
        for (register, mask) in targets.into_iter().flatten() {
            self.writes.extend(components(mask).map(|component| (register, component)));
        }
        Ok(())
    }

    fn add_flow(&mut self, bundle: &VertexBundle) {
        let Some(flow) = bundle.flow else { return };
        if matches!(flow.action, FlowAction::Loop { .. }) {
            // The integer register, whose fields start the loop counter.
            self.has_read = true;
            self.writes.push((WrittenRegister::LoopCounter, 0));
        }
        match flow.test {
            FlowTest::Condition => {}
            FlowTest::Boolean { .. } => self.has_read = true,
            FlowTest::Flags { x, y, .. } => {
                let tested = [x.map(|_| 0), y.map(|_| 1)];
                self.read(WrittenRegister::Status, tested.into_iter().flatten());
            }
        }
    }

    fn read(&mut self, register: WrittenRegister, components: impl IntoIterator<Item = u8>) {
        self.has_read = true;
        self.reads.extend(components.into_iter().map(|component| (register, component)));
    }

    /// Clocks from its slot, which is that of the read stage, to its write-back.
    pub(super) fn write_back(&self) -> u32 {
        1 + self.execute_clocks + u32::from(self.has_post_processing)
    }

    /// Clocks from its slot to the end of its last stage.
    pub(super) fn clocks(&self) -> u32 {
        self.write_back() + u32::from(!self.writes.is_empty())
    }
}

/// The components of a mask, x first.
fn components(mask: u8) -> impl Iterator<Item = u8> {
    (0..4).filter(move |component| mask >> component & 1 != 0)
}
