//! Basic blocks of vertex programs with branches, calls and returns into a loop over a switch.
//!
//! `block` holds the block to run next, or `DONE`. Executed instructions are counted where a block begins, so that the
//! loop ends.

use super::needs::Needs;
use super::normal_range::NormalRange;
use super::operands::indexed;
use super::{VertexKernelKey, operations};
use crate::isa::nv40_vertex::ScalarOpcode;
use crate::recompiler::text::Text;
use crate::shader::condition::Relation;
use crate::shader::vertex::VertexInstruction;
use crate::shader::vertex_blocks::{BasicBlock, BlockExit, STACK_ENTRIES};

/// The value of `block` that ends the program.
const DONE: &str = "0xffffffffu";

/// Emits the loads of the limit and the booleans.
pub(super) fn emit_uniform_loads(text: &mut Text, key: &VertexKernelKey) {
    text.line("let instruction_limit = vertex_parameters.instruction_limit;");
    if super::run_and_workgroup(&key.program, key.has_runs) != super::SINGLE {
        text.line("let has_normal_range_constants = vertex_parameters.has_normal_range_constants != 0u;");
    }
    if key.program.instructions.iter().any(|i| matches!(i.scalar, ScalarOpcode::Brb | ScalarOpcode::Clb)) {
        text.line("let booleans = vertex_parameters.booleans;");
    }
}

/// Emits the whole program.
pub(super) fn emit(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    let blocks = key.program.blocks();
    if let [block] = blocks.as_slice()
        && matches!(block.exit, BlockExit::Continue { next: None })
    {
        text.open("if instruction_limit > 0u {");
        for instruction in &key.program.instructions[block.instructions.clone()] {
            operations::emit(text, key, needs, instruction);
        }
        text.close();
        return;
    }
    text.line(format!("var block = {}u;", key.program.start_block()));
    text.line("var executed = 0u;");
    text.line("var depth = 0u;");
    text.line("// Bit i: entry i of the stack is an address register, not a return address.");
    text.line("var kinds = 0u;");
    text.line(format!("var stack: array<vec4i, {STACK_ENTRIES}>;"));
    text.open("loop {");
    text.line(format!("if block == {DONE} || executed >= instruction_limit {{ break; }}"));
    text.open("switch block {");
    for (number, block) in blocks.iter().enumerate() {
        text.open(format!("case {number}u: {{"));
        emit_block(text, key, needs, block);
        text.close();
    }
    text.line(format!("default: {{ block = {DONE}; }}"));
    text.close();
    text.close();
}

/// Emits a program without branches the short way; sets `is_exact` where that does not hold.
pub(super) fn emit_normal_range(text: &mut Text, key: &VertexKernelKey, needs: &Needs) {
    let Some(mut normal_range) = NormalRange::of(&key.program) else { return };
    text.open("if instruction_limit > 0u {");
    for instruction in &key.program.instructions {
        operations::emit_normal_range(text, key, needs, instruction, &mut normal_range);
    }
    text.close();
}

fn emit_block(text: &mut Text, key: &VertexKernelKey, needs: &Needs, block: &BasicBlock) {
    let instructions = &key.program.instructions[block.instructions.clone()];
    let Some((last, straight)) = instructions.split_last() else { return };
    text.line(format!("executed += {}u;", instructions.len()));
    for instruction in straight {
        operations::emit(text, key, needs, instruction);
    }
    // The condition and the pushed address are read before the same instruction's vector unit writes.
    let taken = emit_taken(text, last, block.exit);
    let register = last.vector_destination.unwrap_or(last.address.register) & 1;
    let address = match block.exit {
        BlockExit::PushAddress { .. } => text.bind("address", &format!("a{register}")),
        BlockExit::BranchToAddress { .. } => text.bind("address", &indexed(last, 0)),
        _ => String::new(),
    };
    operations::emit(text, key, needs, last);
    match block.exit {
        BlockExit::Continue { next } => text.line(format!("block = {};", number(next))),
        BlockExit::Branch { target, next } => {
            text.line(format!("block = select({}, {target}u, {taken});", number(next)));
        }
        // Blocks are slots; those that do not exist are no case of the switch.
        BlockExit::BranchToAddress { next } => {
            text.line(format!("block = select({}, bitcast<u32>({address}), {taken});", number(next)));
        }
        BlockExit::Call { target, next } => {
            text.line(format!("block = {};", number(next)));
            text.open(format!("if {taken} {{"));
            emit_push(text, &format!("vec4i(bitcast<i32>({}))", number(next)), false);
            text.line(format!("block = {target}u;"));
            text.close();
        }
        BlockExit::Return { next } => {
            text.line(format!("block = {};", number(next)));
            text.open(format!("if {taken} {{"));
            emit_pop(text, false);
            text.line("block = bitcast<u32>(stack[depth].x);");
            text.close();
        }
        BlockExit::PushAddress { next } => {
            emit_push(text, &address, true);
            text.line(format!("block = {};", number(next)));
        }
        BlockExit::PopAddress { next } => {
            emit_pop(text, true);
            text.line(format!("a{register} = stack[depth];"));
            text.line(format!("block = {};", number(next)));
        }
    }
}

/// A block, or the end of the program, as a WGSL value.
fn number(block: Option<usize>) -> String {
    block.map_or(DONE.to_owned(), |block| format!("{block}u"))
}

/// Names whether the branch, call or return at the end of a block is taken.
fn emit_taken(text: &mut Text, last: &VertexInstruction, exit: BlockExit) -> String {
    match exit {
        BlockExit::Branch { .. }
        | BlockExit::BranchToAddress { .. }
        | BlockExit::Call { .. }
        | BlockExit::Return { .. } => {}
        BlockExit::Continue { .. } | BlockExit::PushAddress { .. } | BlockExit::PopAddress { .. } => {
            return String::new();
        }
    }
    if matches!(last.scalar, ScalarOpcode::Brb | ScalarOpcode::Clb) {
        let bit = format!("((booleans >> {}u) & 1u)", last.branch.boolean & 31);
        return text.bind("taken", &format!("{bit} == {}u", u32::from(last.branch.polarity)));
    }
    match last.condition {
        Some(test) if test.relation == Relation::Never => "false".to_owned(),
        Some(test) if test.relation != Relation::Always => {
            text.bind("taken", &format!("any({})", operations::passing(test)))
        }
        _ => "true".to_owned(),
    }
}

/// Pushes an entry; a full stack ends the program.
fn emit_push(text: &mut Text, value: &str, is_address: bool) {
    text.line(format!("if depth >= {STACK_ENTRIES}u {{ block = {DONE}; break; }}"));
    text.line(format!("stack[depth] = {value};"));
    let change = if is_address { "kinds | (1u << depth)" } else { "kinds & ~(1u << depth)" };
    text.line(format!("kinds = {change};"));
    text.line("depth += 1u;");
}

/// Takes the top entry off; an empty stack or an entry of the other kind ends the program.
fn emit_pop(text: &mut Text, is_address: bool) {
    let other = u32::from(!is_address);
    text.line(format!("if depth == 0u || ((kinds >> (depth - 1u)) & 1u) == {other}u {{ block = {DONE}; break; }}"));
    text.line("depth -= 1u;");
}
