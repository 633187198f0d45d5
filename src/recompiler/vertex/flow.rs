//! Branches, calls and returns of vertex programs into a loop over basic blocks.
//!
//! `block` holds the block to run next, or `DONE`; every executed instruction is counted, so that the loop ends.

use std::collections::BTreeSet;

use super::needs::{Needs, is_flow};
use super::operands::indexed;
use super::{VertexKernelKey, operations};
use crate::isa::nv40_vertex::ScalarOpcode;
use crate::program::condition::Relation;
use crate::program::vertex::VertexInstruction;
use crate::recompiler::text::Text;
use crate::work::EngineError;

/// Entries of the call and address stack.
const STACK_ENTRIES: u32 = 8;
/// The value of `block` that ends the program.
const DONE: &str = "0xffffffffu";

/// The instructions from the start to the last one, for programs without flow.
pub(super) fn straight_line(key: &VertexKernelKey) -> Vec<&VertexInstruction> {
    let mut result = Vec::new();
    let mut slot = key.start;
    while let Some(instruction) = at(key, slot) {
        result.push(instruction);
        if instruction.is_last || result.len() > key.instructions.len() {
            break;
        }
        slot = slot.saturating_add(1);
    }
    result
}

fn at(key: &VertexKernelKey, slot: u16) -> Option<&VertexInstruction> {
    key.instructions.iter().find(|instruction| instruction.slot == slot)
}

/// Emits the whole program as basic blocks, named by their first slot.
pub(super) fn emit(text: &mut Text, key: &VertexKernelKey, needs: &Needs) -> Result<(), EngineError> {
    let leaders = leaders(key);
    text.line(format!("var block = {};", block(key, key.start)));
    text.line("var executed = 0u;");
    text.line("var depth = 0u;");
    text.line("// Bit i: entry i of the stack is an address register, not a return address.");
    text.line("var kinds = 0u;");
    text.line(format!("var stack: array<vec4i, {STACK_ENTRIES}>;"));
    text.open("loop {");
    text.line(format!("if block == {DONE} {{ break; }}"));
    text.open("switch block {");
    for &leader in &leaders {
        text.open(format!("case {leader}u: {{"));
        emit_block(text, key, needs, &leaders, leader)?;
        text.close();
    }
    text.line(format!("default: {{ block = {DONE}; }}"));
    text.close();
    text.close();
    Ok(())
}

/// The slots at which blocks start.
fn leaders(key: &VertexKernelKey) -> BTreeSet<u16> {
    let mut leaders = BTreeSet::from([key.start]);
    for instruction in &key.instructions {
        if !is_flow(instruction.scalar) {
            continue;
        }
        leaders.insert(instruction.slot.saturating_add(1));
        if has_target(instruction.scalar) {
            leaders.insert(instruction.branch.target);
        }
        if instruction.scalar == ScalarOpcode::BraIndirect {
            leaders.extend(key.instructions.iter().map(|instruction| instruction.slot));
        }
    }
    leaders.retain(|slot| at(key, *slot).is_some());
    leaders
}

const fn has_target(opcode: ScalarOpcode) -> bool {
    matches!(
        opcode,
        ScalarOpcode::Bra | ScalarOpcode::CalIndirect | ScalarOpcode::Cal | ScalarOpcode::Brb | ScalarOpcode::Clb
    )
}

/// The block at a slot, as a WGSL value.
fn block(key: &VertexKernelKey, slot: u16) -> String {
    if at(key, slot).is_some() { format!("{slot}u") } else { DONE.to_owned() }
}

fn emit_block(
    text: &mut Text,
    key: &VertexKernelKey,
    needs: &Needs,
    leaders: &BTreeSet<u16>,
    leader: u16,
) -> Result<(), EngineError> {
    let mut slot = leader;
    while let Some(instruction) = at(key, slot) {
        text.line(format!("if executed >= vertex_parameters.instruction_limit {{ block = {DONE}; break; }}"));
        text.line("executed += 1u;");
        slot = slot.saturating_add(1);
        let next = if instruction.is_last { DONE.to_owned() } else { block(key, slot) };
        if is_flow(instruction.scalar) {
            // The condition and the address are read before the vector unit writes.
            let taken = emit_taken(text, instruction);
            let address = emit_address(text, instruction);
            operations::emit(text, key, needs, instruction)?;
            text.line(format!("block = {next};"));
            emit_transfer(text, key, instruction, &taken, &address);
            return Ok(());
        }
        operations::emit(text, key, needs, instruction)?;
        if instruction.is_last || leaders.contains(&slot) || at(key, slot).is_none() {
            text.line(format!("block = {next};"));
            return Ok(());
        }
    }
    text.line(format!("block = {DONE};"));
    Ok(())
}

/// Names whether the flow operation takes effect.
fn emit_taken(text: &mut Text, instruction: &VertexInstruction) -> String {
    let mut terms = Vec::new();
    if let Some(test) = instruction.condition.filter(|test| test.relation != Relation::Always) {
        terms.push(format!("any({})", operations::passing(test)));
    }
    if matches!(instruction.scalar, ScalarOpcode::Brb | ScalarOpcode::Clb) {
        let bit = format!("(vertex_parameters.booleans >> {}u) & 1u", instruction.branch.boolean & 31);
        terms.push(format!("({bit}) == {}u", u32::from(instruction.branch.polarity)));
    }
    if terms.is_empty() {
        return "true".to_owned();
    }
    text.bind("taken", &terms.join(" && "))
}

/// Names the address operand of indirect branches and pushes.
fn emit_address(text: &mut Text, instruction: &VertexInstruction) -> String {
    match instruction.scalar {
        ScalarOpcode::BraIndirect => text.bind("i", &indexed(instruction, 0)),
        ScalarOpcode::PushA => text.bind("i", &format!("a{}", instruction.address.register & 1)),
        _ => String::new(),
    }
}

fn emit_transfer(text: &mut Text, key: &VertexKernelKey, instruction: &VertexInstruction, taken: &str, address: &str) {
    let is_conditional = taken != "true";
    if is_conditional {
        text.open(format!("if {taken} {{"));
    }
    let target = block(key, instruction.branch.target);
    match instruction.scalar {
        ScalarOpcode::Bra | ScalarOpcode::Brb => text.line(format!("block = {target};")),
        ScalarOpcode::BraIndirect => text.line(format!("block = u32({address});")),
        ScalarOpcode::Cal | ScalarOpcode::CalIndirect | ScalarOpcode::Clb => {
            // Overflow and underflow of the stack end the program.
            text.line(format!("if depth >= {STACK_ENTRIES}u {{ block = {DONE}; break; }}"));
            text.line("stack[depth] = vec4i(bitcast<i32>(block));");
            text.line("kinds &= ~(1u << depth);");
            text.line("depth += 1u;");
            text.line(format!("block = {target};"));
        }
        ScalarOpcode::Ret => {
            text.line(format!("if depth == 0u || ((kinds >> (depth - 1u)) & 1u) != 0u {{ block = {DONE}; break; }}"));
            text.line("depth -= 1u;");
            text.line("block = bitcast<u32>(stack[depth].x);");
        }
        ScalarOpcode::PushA => {
            text.line(format!("if depth >= {STACK_ENTRIES}u {{ block = {DONE}; break; }}"));
            text.line(format!("stack[depth] = {address};"));
            text.line("kinds |= 1u << depth;");
            text.line("depth += 1u;");
        }
        ScalarOpcode::PopA => {
            text.line(format!("if depth == 0u || ((kinds >> (depth - 1u)) & 1u) == 0u {{ block = {DONE}; break; }}"));
            text.line("depth -= 1u;");
            text.line(format!("a{} = stack[depth];", instruction.vector_destination.unwrap_or(0) & 1));
        }
        _ => {}
    }
    if is_conditional {
        text.close();
    }
}
