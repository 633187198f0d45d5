//! Runs a [`FragmentProgram`] on a quad: interpolants to output registers, as the fragment processor does.
//!
//! The four fragments execute every block together. A mask selects those that write. The others, and those that the
//! primitive does not cover, still contribute their registers to derivatives and texture fetches.

use super::operation::{QuadVector, compute};
use super::register_file::RegisterFile;
use crate::arith::{ConditionCode, ONE, fragment as fp};
use crate::pipeline::{EngineError, FragmentResult, MAX_COLOR_TARGETS, QuadInputs};
use crate::reference::observer::{BlockEntry, DrawObserver};
pub use crate::reference::texture::unit::{LodMode, NoTextures, TextureUnits};
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::fragment::{
    Block, EXECUTION_LIMIT, FragmentInput, FragmentNode, FragmentOperation, FragmentOperationKind, FragmentOutputs,
    FragmentProgram, FragmentSource, FragmentSourceKind, Precision, Scale, output_registers,
};

/// Runs a program on a quad.
///
/// Executed instructions are counted in whole blocks, whenever at least one fragment enters one: the nodes of the main
/// block once, those of a branch, a loop iteration or a subroutine on each entry. A loop iteration or a call that would
/// begin at [`EXECUTION_LIMIT`] or later ends all four fragments; they keep their registers.
///
/// # Errors
/// When a texture unit fails.
pub fn run_fragment_program(
    program: &FragmentProgram,
    has_full_outputs: bool,
    inputs: &QuadInputs,
    units: &mut dyn TextureUnits,
    observer: &dyn DrawObserver,
) -> Result<FragmentResult, EngineError> {
    let mut processor = Processor {
        program,
        inputs,
        units,
        observer,
        registers: std::array::from_fn(|_| RegisterFile::new()),
        conditions: [[[ConditionCode::Equal; 4]; 2]; 4],
        loop_index: 0,
        executed: 0,
        discarded: 0,
        broken: 0,
        returned: 0,
        ended: 0,
    };
    processor.block(&program.body, 0xf, BlockEntry::Main)?;
    let mut colors = [[[0; 4]; 4]; MAX_COLOR_TARGETS];
    for (color, register) in colors.iter_mut().zip(output_registers(has_full_outputs)) {
        *color = processor.registers.each_ref().map(|file| file.read(register));
    }
    Ok(FragmentResult {
        colors,
        depth: processor.registers.each_ref().map(|file| file.read(FragmentOutputs::DEPTH)[2]),
        coverage: inputs.coverage & 0xf & !processor.discarded,
    })
}

/// Four fragments; a set of fragments is a mask whose bit i is fragment i.
struct Processor<'run> {
    program: &'run FragmentProgram,
    inputs: &'run QuadInputs,
    units: &'run mut dyn TextureUnits,
    observer: &'run dyn DrawObserver,
    registers: [RegisterFile; 4],
    conditions: [[[ConditionCode; 4]; 2]; 4],
    loop_index: i32,
    executed: u32,
    discarded: u8,
    /// Fragments that left the innermost loop.
    broken: u8,
    /// Fragments that left the current routine.
    returned: u8,
    /// Fragments that reached the execution limit.
    ended: u8,
}

impl Processor<'_> {
    /// The fragments of a mask that still execute.
    const fn live(&self, mask: u8) -> u8 {
        mask & !(self.broken | self.returned | self.ended)
    }

    /// Executes a block for the fragments of a mask.
    fn block(&mut self, block: &Block, mask: u8, entry: BlockEntry) -> Result<(), EngineError> {
        if self.live(mask) == 0 {
            return Ok(());
        }
        self.observer.enter_block(entry, mask);
        self.executed = self.executed.saturating_add(u32::try_from(block.len()).unwrap_or(u32::MAX));
        for (position, node) in block.iter().enumerate() {
            let live = self.live(mask);
            if live == 0 {
                break;
            }
            match node {
                FragmentNode::Operation(operation) => self.operation(operation, live)?,
                FragmentNode::If { condition, then, otherwise } => {
                    let taken = self.branch(*condition, live, position);
                    self.block(then, taken, BlockEntry::Then { position })?;
                    self.block(otherwise, live & !taken, BlockEntry::Else { position })?;
                }
                FragmentNode::Loop { .. } => self.repeat(node, live, position)?,
                FragmentNode::Call { condition, subroutine } => {
                    let taken = self.branch(*condition, live, position);
                    if let Some(body) = self.program.subroutines.get(*subroutine)
                        && self.may_go_on(taken)
                    {
                        let outer = self.returned;
                        self.block(body, taken, BlockEntry::Call { position, subroutine: *subroutine })?;
                        self.returned = outer;
                    }
                }
                FragmentNode::Break { condition } => self.broken |= self.branch(*condition, live, position),
                FragmentNode::Return { condition } => self.returned |= self.branch(*condition, live, position),
            }
        }
        self.observer.leave_block();
        Ok(())
    }

    fn repeat(&mut self, node: &FragmentNode, live: u8, position: usize) -> Result<(), EngineError> {
        let FragmentNode::Loop { count, initial, increment, has_index, condition, body } = node else {
            return Ok(());
        };
        let entering = self.branch(*condition, live, position);
        let (outer_broken, outer_index) = (self.broken, self.loop_index);
        for number in 0..u16::from(*count) {
            let live = self.live(entering);
            if !self.may_go_on(live) {
                break;
            }
            if *has_index {
                self.loop_index = i32::from(*initial) + i32::from(number) * i32::from(*increment);
            }
            self.block(body, live, BlockEntry::Iteration { position, number })?;
        }
        self.broken = outer_broken;
        self.loop_index = outer_index;
        Ok(())
    }

    /// Whether any fragment remains to begin a loop iteration or a call; ends all of them at the execution limit.
    const fn may_go_on(&mut self, mask: u8) -> bool {
        if mask != 0 && self.executed >= EXECUTION_LIMIT {
            self.ended = 0xf;
        }
        self.live(mask) != 0
    }

    /// The fragments of a mask that take the branch at a position of a block.
    fn branch(&self, condition: ConditionTest, mask: u8, position: usize) -> u8 {
        let taken = self.taken(condition, mask);
        self.observer.branch(position, condition, mask, taken);
        taken
    }

    /// The fragments of a mask that pass a test in any component.
    fn taken(&self, condition: ConditionTest, mask: u8) -> u8 {
        fragments(mask).fold(0, |taken, lane| taken | u8::from(self.passing(condition, lane) != 0) << lane)
    }

    /// Bit i: component i of a fragment's condition register passes the test.
    fn passing(&self, test: ConditionTest, lane: usize) -> u8 {
        let codes = self.conditions[lane][usize::from(test.register) & 1];
        test.swizzle.0.iter().enumerate().fold(0, |mask, (component, &selected)| {
            mask | u8::from(test.relation.holds(codes[usize::from(selected) & 3])) << component
        })
    }

    fn operation(&mut self, operation: &FragmentOperation, live: u8) -> Result<(), EngineError> {
        if operation.kind == FragmentOperationKind::Kill {
            // A discarded fragment keeps executing for its neighbors' derivatives.
            self.discarded |= self.taken(operation.condition, live);
            return Ok(());
        }
        let sources = operation.sources.map(|source| self.source(operation, source));
        let result = compute(operation, &sources, self.units)?;
        // Unverified: a fetch discards regardless of its condition and mask.
        self.discarded |= self.units.take_discarded() & live;
        let Some(result) = result else { return Ok(()) };
        for lane in fragments(live) {
            let mask = WriteMask(operation.mask.0 & self.passing(operation.condition, lane));
            let value = result[lane].map(|component| finished(operation, component));
            let mut written = value;
            if let Some(register) = operation.destination {
                self.registers[lane].write(register, value, mask);
                if register.is_half {
                    written = value.map(fp::round_to_half);
                }
            }
            if let Some(index) = operation.condition_update {
                let codes = &mut self.conditions[lane][usize::from(index) & 1];
                for component in (0..4).filter(|&component| mask.has(component)) {
                    codes[component] = fp::condition(written[component]);
                }
            }
        }
        Ok(())
    }

    /// Reads a source operand of all four fragments: swizzle, precision, magnitude, sign.
    fn source(&self, operation: &FragmentOperation, source: FragmentSource) -> QuadVector {
        std::array::from_fn(|lane| {
            let value = match source.kind {
                FragmentSourceKind::Register(register) => self.registers[lane].read(register),
                FragmentSourceKind::Input => self.input(operation, lane),
                FragmentSourceKind::Constant(index) => {
                    self.program.constants.get(usize::from(index)).copied().unwrap_or_default()
                }
            };
            source.swizzle.0.map(|component| {
                let value = value[usize::from(component) & 3];
                let value = fp::clamp_source(value, source.precision);
                let value = if source.absolute { fp::absolute(value) } else { value };
                if source.negate { fp::negate(value) } else { value }
            })
        })
    }

    fn input(&self, operation: &FragmentOperation, lane: usize) -> [u32; 4] {
        let inputs = self.inputs;
        let slot = |input: FragmentInput| inputs.slots[usize::from(input.attribute())][lane];
        match operation.input_at(self.loop_index) {
            None => [0; 4],
            Some(input @ FragmentInput::TexCoord(_)) if operation.divides_by_w => {
                let reciprocal_w = slot(FragmentInput::WindowPosition)[3];
                slot(input).map(|component| fp::mul(component, reciprocal_w))
            }
            Some(FragmentInput::Facing) => [if inputs.is_front_facing { ONE } else { fp::negate(ONE) }, 0, 0, ONE],
            Some(input) => slot(input),
        }
    }
}

/// Scales, saturates and rounds a component of a result; packed bits stay unchanged.
fn finished(operation: &FragmentOperation, value: u32) -> u32 {
    if operation.kind.packs() {
        return value;
    }
    let value = if operation.scale == Scale::One { value } else { fp::scale(value, operation.scale) };
    let value = if operation.saturate { fp::saturate(value) } else { value };
    // Unverified: rounding comes last. At full precision a copy preserves every bit, so that packed values can be moved.
    if operation.precision == Precision::Fp32 { value } else { fp::round_to_precision(value, operation.precision) }
}

fn fragments(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |lane| mask >> lane & 1 != 0)
}

#[cfg(test)]
#[path = "run_fragment_program_tests.rs"]
mod tests;
