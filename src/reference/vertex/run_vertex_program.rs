//! Runs a [`VertexProgram`] on one vertex: attributes to output registers, as the vertex processor does.
//!
//! Both units of an instruction read all sources, the address registers and the condition register before either writes.

use super::sample_vertex_texture::{NoVertexTextures, VertexTextureUnits};
use crate::arith::vertex::{self as xf, VertexRuleSet};
use crate::arith::{ConditionCode, ONE};
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::pipeline::{ShadedVertex, VertexContext};
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::vertex::{CONSTANT_SLOTS, Unit, VertexInstruction, VertexProgram, VertexSource, VertexSourceKind};
use crate::shader::vertex_blocks::{BlockExit, STACK_ENTRIES};

/// Runs a program from its start slot to END.
///
/// Temporaries begin as 0, outputs as (0, 0, 0, 1), condition registers as equal, address registers as 0. Texture units
/// are disabled.
#[must_use]
pub fn run_vertex_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
) -> ShadedVertex {
    run_textured_vertex_program(program, context, inputs, &NoVertexTextures)
}

/// Runs a program that may fetch from these texture units.
#[must_use]
pub fn run_textured_vertex_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
    units: &dyn VertexTextureUnits,
) -> ShadedVertex {
    run_visited_vertex_program(program, context, inputs, units, &mut |_| {})
}

/// Runs a program as [`run_textured_vertex_program`] does; `visit` is told the number of each block that the vertex enters.
#[must_use]
pub fn run_visited_vertex_program(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    inputs: &[[u32; 4]; 16],
    units: &dyn VertexTextureUnits,
    visit: &mut dyn FnMut(usize),
) -> ShadedVertex {
    let mut processor = Processor {
        context,
        inputs,
        units,
        temporaries: [[0; 4]; 64],
        outputs: [[0, 0, 0, ONE]; 16],
        conditions: [[ConditionCode::Equal; 4]; 2],
        addresses: [[0; 4]; 2],
        stack: Vec::with_capacity(STACK_ENTRIES),
    };
    let blocks = program.blocks();
    let mut executed = 0u32;
    let mut next = Some(program.start_block());
    while let Some(index) = next
        && let Some(block) = blocks.get(index)
    {
        // Unverified: the chip's counter stops a program somewhere; both engines look at it where a block begins.
        if executed >= context.instruction_limit {
            break;
        }
        visit(index);
        executed = executed.saturating_add(u32::try_from(block.instructions.len()).unwrap_or(u32::MAX));
        let instructions = &program.instructions[block.instructions.clone()];
        let Some((last, straight)) = instructions.split_last() else { break };
        for instruction in straight {
            processor.execute(instruction);
        }
        // The condition of a branch is read before the same instruction's vector operation can update it.
        let is_taken = processor.is_taken(last);
        let address = processor.addresses;
        processor.execute(last);
        next = processor.leave(block.exit, last, is_taken, address);
    }
    ShadedVertex { outputs: processor.outputs }
}

/// An entry of the stack that calls and PUSHA share.
#[derive(Debug, Clone, Copy)]
enum StackEntry {
    /// The block to return to; `None` is the end of the program.
    Return(Option<usize>),
    /// An address register.
    Address([i32; 4]),
}

struct Processor<'run> {
    context: &'run VertexContext<'run>,
    inputs: &'run [[u32; 4]; 16],
    units: &'run dyn VertexTextureUnits,
    temporaries: [[u32; 4]; 64],
    outputs: [[u32; 4]; 16],
    conditions: [[ConditionCode; 4]; 2],
    addresses: [[i32; 4]; 2],
    stack: Vec<StackEntry>,
}

/// What a unit computed; the address operations of the vector unit have integers.
#[derive(Debug, Clone, Copy)]
enum UnitResult {
    Nothing,
    Vector([u32; 4]),
    Address([i32; 4]),
}

impl Processor<'_> {
    /// Carries out both units of an instruction, without its flow.
    fn execute(&mut self, instruction: &VertexInstruction) {
        let vector = self.vector_result(instruction);
        let scalar = self.scalar_result(instruction);
        let passes = self.passing(instruction.condition);
        let vector_mask = WriteMask(instruction.vector_mask.0 & passes);
        let scalar_mask = WriteMask(instruction.scalar_mask.0 & passes);
        let output = self.output_index(instruction);
        self.write(instruction, Unit::Vector, vector, vector_mask, output);
        self.write(instruction, Unit::Scalar, scalar, scalar_mask, output);
    }

    fn write(
        &mut self,
        instruction: &VertexInstruction,
        unit: Unit,
        result: UnitResult,
        mask: WriteMask,
        output: Option<usize>,
    ) {
        let destination = match unit {
            Unit::Vector => instruction.vector_destination,
            Unit::Scalar => instruction.scalar_destination,
        };
        let codes = match result {
            UnitResult::Nothing => return,
            UnitResult::Vector(value) => {
                let value = if instruction.saturate { value.map(xf::saturate) } else { value };
                if let Some(index) = destination {
                    assign(&mut self.temporaries[usize::from(index) & 63], value, mask);
                }
                if let (Some(index), Some(write)) = (output, instruction.output)
                    && write.unit == unit
                {
                    assign(&mut self.outputs[index], value, mask);
                }
                value.map(|component| xf::condition(component, self.context.rules))
            }
            // Unverified: address operations write nothing else, whatever the output field says.
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
        if let Some(update) = instruction.condition_update
            && update.unit == unit
        {
            assign(&mut self.conditions[usize::from(update.register) & 1], codes, mask);
        }
    }

    /// The output register that is written; `None` beyond the last, where writes are dropped.
    fn output_index(&self, instruction: &VertexInstruction) -> Option<usize> {
        let write = instruction.output?;
        let offset = if write.is_indexed { self.address(instruction) } else { 0 };
        usize::try_from(i32::from(write.index) + offset).ok().filter(|&index| index < self.outputs.len())
    }

    /// The address component that indexed operands add.
    fn address(&self, instruction: &VertexInstruction) -> i32 {
        let address = instruction.address;
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

    fn source(&self, instruction: &VertexInstruction, source: VertexSource) -> [u32; 4] {
        let value = match source.kind {
            VertexSourceKind::Temporary(index) => self.temporaries[usize::from(index) & 63],
            VertexSourceKind::Input => {
                let offset = if instruction.is_input_indexed { self.address(instruction) } else { 0 };
                // Unverified: an attribute beyond the last reads zero, as a constant does.
                usize::try_from(i32::from(instruction.input_index) + offset)
                    .ok()
                    .and_then(|index| self.inputs.get(index).copied())
                    .unwrap_or_default()
            }
            VertexSourceKind::Constant => self.constant(instruction),
        };
        source.swizzle.0.map(|component| {
            let value = value[usize::from(component) & 3];
            let value = if source.absolute { value & 0x7fff_ffff } else { value };
            if source.negate { value ^ 0x8000_0000 } else { value }
        })
    }

    fn constant(&self, instruction: &VertexInstruction) -> [u32; 4] {
        let mut index = i32::from(instruction.constant_index);
        if instruction.is_constant_indexed {
            index += self.address(instruction);
            let (lowest, highest) = self.context.indexed_constants;
            if !(i32::from(lowest)..=i32::from(highest)).contains(&index) {
                return [0; 4];
            }
        }
        let index = usize::try_from(index).ok().filter(|&index| index < CONSTANT_SLOTS);
        index.and_then(|index| self.context.constants.get(index).copied()).unwrap_or_default()
    }

    fn vector_result(&self, instruction: &VertexInstruction) -> UnitResult {
        let rules = self.context.rules;
        let [s0, s1, s2] = instruction.sources.map(|source| self.source(instruction, source));
        let each = |operation: fn(VertexRuleSet, u32, u32) -> u32| per_component(s0, s1, |a, b| operation(rules, a, b));
        UnitResult::Vector(match instruction.vector {
            VectorOpcode::Nop => return UnitResult::Nothing,
            VectorOpcode::Txl => self.units.sample(instruction.texture_unit, s0),
            VectorOpcode::Mov => s0,
            VectorOpcode::Mul => each(xf::mul),
            VectorOpcode::Add => per_component(s0, s2, xf::add),
            VectorOpcode::Mad => per_component(each(xf::mul), s2, xf::add),
            VectorOpcode::Dp3 => [xf::dp3(rules, s0, s1); 4],
            VectorOpcode::Dph => [xf::dph(rules, s0, s1); 4],
            VectorOpcode::Dp4 => [xf::dp4(rules, s0, s1); 4],
            VectorOpcode::Dst => xf::dst(rules, s0, s1),
            VectorOpcode::Min => each(xf::min),
            VectorOpcode::Max => each(xf::max),
            VectorOpcode::Slt => each(xf::slt),
            VectorOpcode::Sge => each(xf::sge),
            VectorOpcode::Arl => return UnitResult::Address(s0.map(xf::arl)),
            VectorOpcode::Frc => s0.map(xf::frc),
            VectorOpcode::Flr => s0.map(xf::flr),
            VectorOpcode::Seq => each(xf::seq),
            VectorOpcode::Sfl => [0; 4],
            VectorOpcode::Sgt => each(xf::sgt),
            VectorOpcode::Sle => each(xf::sle),
            VectorOpcode::Sne => each(xf::sne),
            VectorOpcode::Str => [ONE; 4],
            VectorOpcode::Ssg => s0.map(|component| xf::ssg(rules, component)),
            VectorOpcode::Arr => return UnitResult::Address(s0.map(xf::arr)),
            VectorOpcode::Ara => {
                let [x, y, z, w] = self.addresses[usize::from(instruction.address.register) & 1];
                let (xz, yw) = ((x + z).clamp(-512, 511), (y + w).clamp(-512, 511));
                return UnitResult::Address([xz, yw, xz, yw]);
            }
        })
    }

    fn scalar_result(&self, instruction: &VertexInstruction) -> UnitResult {
        let rules = self.context.rules;
        let s2 = self.source(instruction, instruction.sources[2]);
        let x = s2[0];
        UnitResult::Vector(match instruction.scalar {
            ScalarOpcode::Mov => s2,
            ScalarOpcode::Rcp => [xf::rcp(x); 4],
            ScalarOpcode::Rcc => [xf::rcc(x); 4],
            ScalarOpcode::Rsq => [xf::rsq(rules, x); 4],
            ScalarOpcode::Exp => xf::exp(x),
            ScalarOpcode::Log => xf::log(rules, x),
            ScalarOpcode::Lit => xf::lit(s2),
            ScalarOpcode::Lg2 => [xf::lg2(x); 4],
            ScalarOpcode::Ex2 => [xf::ex2(x); 4],
            ScalarOpcode::Sin => [xf::sin(x); 4],
            ScalarOpcode::Cos => [xf::cos(x); 4],
            ScalarOpcode::Nop
            | ScalarOpcode::BraIndirect
            | ScalarOpcode::Bra
            | ScalarOpcode::CalIndirect
            | ScalarOpcode::Cal
            | ScalarOpcode::Ret
            | ScalarOpcode::Brb
            | ScalarOpcode::Clb
            | ScalarOpcode::PushA
            | ScalarOpcode::PopA => return UnitResult::Nothing,
        })
    }

    /// Whether a branch, call or return of this instruction is taken.
    fn is_taken(&self, instruction: &VertexInstruction) -> bool {
        match instruction.scalar {
            // Unverified: the boolean alone decides, the condition field does not matter.
            ScalarOpcode::Brb | ScalarOpcode::Clb => {
                (self.context.booleans >> (instruction.branch.boolean & 31) & 1 != 0) == instruction.branch.polarity
            }
            _ => self.passing(instruction.condition) != 0,
        }
    }

    /// Follows the exit of a block to the next one; `None` ends the program.
    fn leave(
        &mut self,
        exit: BlockExit,
        last: &VertexInstruction,
        is_taken: bool,
        addresses: [[i32; 4]; 2],
    ) -> Option<usize> {
        // Unverified: PUSHA and POPA name their register in the vector destination, and ignore the condition.
        let register = usize::from(last.vector_destination.unwrap_or(last.address.register)) & 1;
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
            // Unverified: the component holds a slot, as RPCS3 reads it; a slot that does not exist ends the program.
            BlockExit::BranchToAddress { .. } if is_taken => {
                let address = last.address;
                usize::try_from(addresses[usize::from(address.register) & 1][usize::from(address.component) & 3]).ok()
            }
            BlockExit::BranchToAddress { next } => next,
            BlockExit::Branch { next, .. } | BlockExit::Call { next, .. } | BlockExit::Return { next } => next,
            BlockExit::PushAddress { next } => {
                self.push(StackEntry::Address(addresses[register]))?;
                next
            }
            BlockExit::PopAddress { next } => match self.stack.pop()? {
                StackEntry::Address(address) => {
                    self.addresses[register] = address;
                    next
                }
                StackEntry::Return(_) => None,
            },
        }
    }

    /// Pushes an entry; `None` when the stack is full, which ends the program.
    fn push(&mut self, entry: StackEntry) -> Option<()> {
        if self.stack.len() == STACK_ENTRIES {
            return None;
        }
        self.stack.push(entry);
        Some(())
    }
}

fn per_component(a: [u32; 4], b: [u32; 4], operation: impl Fn(u32, u32) -> u32) -> [u32; 4] {
    std::array::from_fn(|component| operation(a[component], b[component]))
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
