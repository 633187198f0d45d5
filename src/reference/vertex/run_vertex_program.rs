//! Runs a [`VertexProgram`] on one vertex: attributes to output registers, as the vertex processor does.
//!
//! Both units of a bundle read all sources, the address registers and the condition register before either unit writes.

use std::borrow::Cow;

use super::emission::Emitter;
use super::sample_vertex_texture::{NoVertexTextures, VertexTextureUnits};
use super::scopes::Scopes;
use crate::arith::vertex::{self as xf, VertexRuleSet};
use crate::arith::{ConditionCode, ONE, pica};
use crate::pipeline::{EmittedTriangles, ShadedVertex, VertexContext};
use crate::reference::observer::{DrawObserver, Unobserved};
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::vertex::{
    AddressComponent, CONSTANT_SLOTS, FlowTest, LOOP_COUNTER, OperationKind, UNWRITTEN_OUTPUT, Unit, VertexBundle,
    VertexOperand, VertexOperation, VertexProgram, VertexRegister, WRAPPED_CONSTANTS,
};
use crate::shader::vertex_blocks::{BlockExit, STACK_ENTRIES};

/// Runs a program from its start slot to END.
///
/// Initially temporaries are 0, outputs (0, 0, 0, 1), condition registers equal, and address registers 0.
#[must_use]
pub fn run_vertex_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
    units: &dyn VertexTextureUnits,
    observer: &dyn DrawObserver,
) -> ShadedVertex {
    ShadedVertex {
        outputs: run(program, context, Cow::Borrowed(context.constants), inputs, units, observer).outputs.to_vec(),
    }
}

/// Runs a program that writes constants on one vertex; returns the store that it leaves.
#[must_use]
pub fn run_state_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
) -> Vec<[u32; 4]> {
    let mut constants = context.constants.to_vec();
    constants.resize(CONSTANT_SLOTS, [0; 4]);
    run(program, context, Cow::Owned(constants), inputs, &NoVertexTextures, &Unobserved).constants.into_owned()
}

/// Runs a geometry shader on one set of inputs; returns the triangles that it emits.
#[must_use]
pub fn run_geometry_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
) -> EmittedTriangles {
    let constants = Cow::Borrowed(context.constants);
    let processor = run(program, context, constants, inputs, &NoVertexTextures, &Unobserved);
    processor.emitter.map(|emitter| emitter.emitted).unwrap_or_default()
}

/// Runs a program on this constant store.
fn run<'run>(
    program: &VertexProgram,
    context: &'run VertexContext<'_>,
    constants: Cow<'run, [[u32; 4]]>,
    inputs: &'run [[u32; 4]; 16],
    units: &'run dyn VertexTextureUnits,
    observer: &'run dyn DrawObserver,
) -> Processor<'run> {
    let mut processor = Processor {
        context,
        constants,
        inputs: match context.rules {
            VertexRuleSet::Nv40Legacy | VertexRuleSet::Nv40Modern => Cow::Borrowed(inputs),
            VertexRuleSet::Pica200 => Cow::Owned(inputs.map(|attribute| attribute.map(pica::from_single))),
        },
        units,
        observer,
        temporaries: [[0; 4]; 64],
        outputs: [UNWRITTEN_OUTPUT; 16],
        conditions: [[ConditionCode::Equal; 4]; 2],
        addresses: [[0; 4]; 2],
        stack: Vec::with_capacity(STACK_ENTRIES),
        scopes: Scopes::default(),
        emitter: None,
    };
    let blocks = program.blocks();
    let mut executed = 0u32;
    let mut next = Some(program.start_block());
    while let Some(index) = next
        && let Some(block) = blocks.get(index)
    {
        // Unverified: the chip's counter stops a program at some point; both engines check it at the start of a block.
        if executed >= context.instruction_limit {
            break;
        }
        observer.enter_vertex_block(index);
        let bundles = &program.bundles[block.bundles.clone()];
        executed = executed.saturating_add(u32::try_from(bundles.len()).unwrap_or(u32::MAX));
        let Some((last, straight)) = bundles.split_last() else { break };
        for bundle in straight {
            processor.execute(bundle);
        }
        // The condition of a branch is read before the same bundle's operations can update it.
        let is_taken = processor.is_taken(last);
        let address = processor.addresses;
        processor.execute(last);
        next = processor.leave(block.exit, is_taken, address);
        if let Some(slot) = block.closes {
            let breaks = is_taken && matches!(block.exit, BlockExit::Break { .. });
            next = processor.close_scopes(slot, next, breaks);
        }
    }
    processor
}

/// An entry of the stack shared by return addresses and address registers.
#[derive(Debug, Clone, Copy)]
enum StackEntry {
    /// The block to return to; `None` for the end of the program.
    Return(Option<usize>),
    /// An address register.
    Address([i32; 4]),
}

struct Processor<'run> {
    context: &'run VertexContext<'run>,
    constants: Cow<'run, [[u32; 4]]>,
    inputs: Cow<'run, [[u32; 4]; 16]>,
    units: &'run dyn VertexTextureUnits,
    observer: &'run dyn DrawObserver,
    temporaries: [[u32; 4]; 64],
    outputs: [[u32; 4]; 16],
    conditions: [[ConditionCode; 4]; 2],
    addresses: [[i32; 4]; 2],
    stack: Vec<StackEntry>,
    scopes: Scopes,
    /// Kept from the first emission on.
    emitter: Option<Box<Emitter>>,
}

/// The result of a unit; operations that write address registers return integers.
#[derive(Debug, Clone, Copy)]
enum UnitResult {
    Nothing,
    Vector([u32; 4]),
    Address([i32; 4]),
}

impl Processor<'_> {
    /// Executes both operations of a bundle, without its flow.
    fn execute(&mut self, bundle: &VertexBundle) {
        let results = bundle.operations().map(|operation| self.result(operation));
        let passes = self.passing(bundle.condition);
        let output = self.output_index(bundle);
        for ((unit, operation), result) in
            [Unit::Vector, Unit::Scalar].into_iter().zip(bundle.operations()).zip(results)
        {
            self.write(bundle, (unit, operation), result, passes, output);
        }
        if let Some(emission) = bundle.emission {
            self.emitter.get_or_insert_default().execute(emission, &mut self.outputs);
        }
    }

    fn write(
        &mut self,
        bundle: &VertexBundle,
        (unit, operation): (Unit, &VertexOperation),
        result: UnitResult,
        passes: u8,
        output: Option<usize>,
    ) {
        let (destination, mask) = (operation.destination, WriteMask(operation.mask.0 & passes));
        let codes = match result {
            UnitResult::Nothing => return,
            UnitResult::Vector(value) => {
                let value = if bundle.saturate { value.map(xf::saturate) } else { value };
                if let Some(index) = destination {
                    assign(&mut self.temporaries[usize::from(index) & 63], value, mask);
                }
                if let (Some(index), Some(write)) = (output, bundle.output)
                    && write.unit == unit
                {
                    assign(&mut self.outputs[index], value, WriteMask(write.mask.0 & passes));
                }
                if let Some(write) = bundle.constant_write.filter(|write| write.unit == unit)
                    && usize::from(write.index) < self.constants.len()
                {
                    let constant = &mut self.constants.to_mut()[usize::from(write.index)];
                    assign(constant, value, WriteMask(write.mask.0 & passes));
                }
                value.map(|component| xf::condition(component, self.context.rules))
            }
            // Unverified: address operations write nothing else, regardless of the output field.
            UnitResult::Address(value) => {
                if let Some(index) = destination {
                    assign(&mut self.addresses[usize::from(index) & 1], value, mask);
                }
                value.map(|component| match component.signum() {
                    -1 => ConditionCode::Less,
                    0 => ConditionCode::Equal,
                    _ => ConditionCode::Greater,
                })
            }
        };
        if let Some(update) = bundle.condition_update
            && update.takes(unit)
        {
            assign(&mut self.conditions[usize::from(update.register) & 1], codes, mask);
        }
    }

    /// The output register to write; `None` beyond the last, where writes are dropped.
    fn output_index(&self, bundle: &VertexBundle) -> Option<usize> {
        let write = bundle.output?;
        let offset = write.relative.map_or(0, |relative| self.address(relative));
        usize::try_from(i32::from(write.index) + offset).ok().filter(|&index| index < self.outputs.len())
    }

    /// A component of an address register.
    fn address(&self, address: AddressComponent) -> i32 {
        self.addresses[usize::from(address.register) & 1][usize::from(address.component) & 3]
    }

    /// Bit i: component i passes the test.
    fn passing(&self, condition: Option<ConditionTest>) -> u8 {
        let Some(test) = condition else { return WriteMask::ALL.0 };
        let codes = self.conditions[usize::from(test.register) & 1];
        test.swizzle.0.iter().enumerate().fold(0, |mask, (component, &selected)| {
            mask | u8::from(test.relation.holds(codes[usize::from(selected) & 3])) << component
        })
    }

    fn source(&self, source: &VertexOperand) -> [u32; 4] {
        let value = match source.register {
            VertexRegister::Temporary(index) => self.temporaries[usize::from(index) & 63],
            VertexRegister::Attribute { index, relative } => {
                let offset = relative.map_or(0, |relative| self.address(relative));
                // Unverified: an attribute beyond the last reads zero, as a constant does.
                usize::try_from(i32::from(index) + offset)
                    .ok()
                    .and_then(|index| self.inputs.get(index).copied())
                    .unwrap_or_default()
            }
            VertexRegister::Constant { index, relative } => self.constant(index, relative),
            VertexRegister::WrappedConstant { index, address } => {
                let address = Some(self.address(address)).filter(|address| (-128..=127).contains(address));
                let index = (i32::from(index) + address.unwrap_or(0)) & 0x7f;
                match u16::try_from(index) {
                    Ok(index) if index < WRAPPED_CONSTANTS => {
                        self.observer.index_constant(index);
                        self.constant(index, None)
                    }
                    _ => [ONE; 4],
                }
            }
            VertexRegister::Output(index) => self.outputs[usize::from(index) & 15],
        };
        source.swizzle.0.map(|component| {
            let value = value[usize::from(component) & 3];
            let value = if source.absolute { value & 0x7fff_ffff } else { value };
            if source.negate { value ^ 0x8000_0000 } else { value }
        })
    }

    fn constant(&self, index: u16, relative: Option<AddressComponent>) -> [u32; 4] {
        let mut index = i32::from(index);
        if let Some(relative) = relative {
            index += self.address(relative);
            let (lowest, highest) = self.context.indexed_constants;
            if !(i32::from(lowest)..=i32::from(highest)).contains(&index) {
                return [0; 4];
            }
        }
        let Some(slot) = u16::try_from(index).ok().filter(|&index| usize::from(index) < CONSTANT_SLOTS) else {
            return [0; 4];
        };
        if relative.is_some() {
            self.observer.index_constant(slot);
        }
        self.constants.get(usize::from(slot)).copied().unwrap_or_default()
    }

    fn result(&self, operation: &VertexOperation) -> UnitResult {
        let mut sources = [[0; 4]; 3];
        for (value, source) in sources.iter_mut().zip(operation.read_sources()) {
            *value = self.source(source);
        }
        match operation.kind {
            OperationKind::Idle => UnitResult::Nothing,
            OperationKind::Move => UnitResult::Vector(sources[0]),
            OperationKind::Constant(bits) => UnitResult::Vector([bits; 4]),
            OperationKind::Arithmetic(function) => UnitResult::Vector(function.evaluate(self.context.rules, &sources)),
            OperationKind::LoadAddress(function) => UnitResult::Address(sources[0].map(function.evaluate)),
            OperationKind::AddAddress { register } => {
                let [x, y, z, w] = self.addresses[usize::from(register) & 1];
                let (xz, yw) = ((x + z).clamp(-512, 511), (y + w).clamp(-512, 511));
                UnitResult::Address([xz, yw, xz, yw])
            }
            OperationKind::FetchTexture { unit } => UnitResult::Vector(self.units.sample(unit, sources[0])),
        }
    }

    /// Whether the flow of this bundle is taken.
    fn is_taken(&self, bundle: &VertexBundle) -> bool {
        match bundle.flow.map(|flow| flow.test) {
            Some(FlowTest::Boolean { index, value }) => (self.context.booleans >> (index & 31) & 1 != 0) == value,
            Some(FlowTest::Flags { x, y, needs_both }) => {
                let flag = |component: usize| self.conditions[0][component] != ConditionCode::Equal;
                let mut terms =
                    [(0, x), (1, y)].into_iter().filter_map(|(component, value)| Some(flag(component) == value?));
                if needs_both { terms.all(|passes| passes) } else { terms.any(|passes| passes) }
            }
            Some(FlowTest::Condition) | None => self.passing(bundle.condition) != 0,
        }
    }

    /// Closes the scopes that end before a slot.
    fn close_scopes(&mut self, slot: u16, following: Option<usize>, breaks: bool) -> Option<usize> {
        let AddressComponent { register, component } = LOOP_COUNTER;
        self.scopes.close(slot, following, breaks, &mut self.addresses[usize::from(register)][usize::from(component)])
    }

    /// Follows the exit of a block to the next one; `None` ends the program.
    fn leave(&mut self, exit: BlockExit, is_taken: bool, addresses: [[i32; 4]; 2]) -> Option<usize> {
        match exit {
            BlockExit::Continue { next } => next,
            BlockExit::Branch { target, .. } if is_taken => Some(target),
            BlockExit::Call { target, next } if is_taken => {
                self.push(StackEntry::Return(next))?;
                Some(target)
            }
            BlockExit::Return { .. } if is_taken => match self.stack.pop()? {
                StackEntry::Return(block) => block,
                StackEntry::Address(_) => None,
            },
            // Every slot is a block; a nonexistent slot ends the program.
            BlockExit::BranchToAddress { address, .. } if is_taken => {
                usize::try_from(addresses[usize::from(address.register) & 1][usize::from(address.component) & 3]).ok()
            }
            BlockExit::BranchToAddress { next, .. } => next,
            BlockExit::Branch { next, .. } | BlockExit::Call { next, .. } | BlockExit::Return { next } => next,
            BlockExit::PushAddress { register, next } => {
                self.push(StackEntry::Address(addresses[usize::from(register) & 1]))?;
                next
            }
            BlockExit::PopAddress { register, next } => match self.stack.pop()? {
                StackEntry::Address(address) => {
                    self.addresses[usize::from(register) & 1] = address;
                    next
                }
                StackEntry::Return(_) => None,
            },
            BlockExit::If { or_else_slot, end, next, .. } if is_taken => {
                self.scopes.open_if(or_else_slot, end);
                next
            }
            BlockExit::If { or_else, .. } => or_else,
            BlockExit::CallUntil { target, end_slot, next_slot, next } if is_taken => {
                self.scopes.open_call(end_slot, next_slot, next);
                Some(target)
            }
            BlockExit::Loop { parameters, end_slot, end, next } => {
                let parameters = self.constant(parameters, None);
                let AddressComponent { register, component } = LOOP_COUNTER;
                let counter = &mut self.addresses[usize::from(register)][usize::from(component)];
                self.scopes.open_loop((end_slot, end), next, parameters, counter);
                next
            }
            BlockExit::CallUntil { next, .. } | BlockExit::Break { next } => next,
        }
    }

    /// Pushes an entry; `None` if the stack is full, which ends the program.
    fn push(&mut self, entry: StackEntry) -> Option<()> {
        if self.stack.len() == STACK_ENTRIES {
            return None;
        }
        self.stack.push(entry);
        Some(())
    }
}

fn assign<T: Copy>(register: &mut [T; 4], value: [T; 4], mask: WriteMask) {
    for component in 0..4 {
        if mask.has(component) {
            register[component] = value[component];
        }
    }
}

#[cfg(test)]
#[path = "run_vertex_program_tests.rs"]
mod tests;
