//! Translates the basic blocks of vertex programs with branches, calls and returns into a loop over a switch.
//!
//! `block` holds the next block, or `DONE`. Executed instructions are counted at the start of a block, so that the loop
//! ends.

use super::key::{SINGLE, VertexKernelKey, run_and_workgroup};
use super::operands::{component, indexed};
use super::{emission, operations};
use crate::recompiler::text::Text;
use crate::shader::analysis::vertex_normal_range::NormalRangePlan;
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::condition::Relation;
use crate::shader::vertex::{FlowTest, LOOP_COUNTER, VertexBundle};
use crate::shader::vertex_blocks::{BasicBlock, BlockExit, STACK_ENTRIES};

/// The value of `block` that ends the program.
const DONE: &str = "0xffffffffu";

/// Emits the loads of the limit and the booleans.
pub(super) fn emit_uniform_loads(text: &mut Text, key: &VertexKernelKey) {
    text.line("let instruction_limit = vertex_parameters.instruction_limit;");
    if run_and_workgroup(&key.program, key.has_runs) != SINGLE {
        text.line("let has_normal_range_constants = vertex_parameters.has_normal_range_constants != 0u;");
    }
    if key.program.bundles.iter().any(|bundle| boolean_test(bundle).is_some()) {
        text.line("let booleans = vertex_parameters.booleans;");
    }
}

/// Emits the whole program.
pub(super) fn emit(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    let blocks = key.program.blocks();
    let has_scopes = blocks.iter().any(|block| block.closes.is_some());
    if let [block] = blocks.as_slice()
        && matches!(block.exit, BlockExit::Continue { next: None })
    {
        text.open("if instruction_limit > 0u {");
        for bundle in &key.program.bundles[block.bundles.clone()] {
            operations::emit(text, key, resources, bundle);
        }
        if key.program.bundles[block.bundles.end - 1].emits_vertex() {
            emission::emit_vertex(text, resources);
        }
        text.close();
        return;
    }
    text.line(format!("var block = {}u;", key.program.start_block()));
    text.line("var executed = 0u;");
    if has_scopes {
        text.import(SCOPES, "scopes_reset");
        text.line("scopes_reset();");
    } else {
        text.line("var depth = 0u;");
        text.line("// Bit i: entry i of the stack is an address register, not a return address.");
        text.line("var kinds = 0u;");
        text.line(format!("var stack: array<vec4i, {STACK_ENTRIES}>;"));
    }
    text.open("loop {");
    text.line(format!("if block == {DONE} || executed >= instruction_limit {{ break; }}"));
    // An emission ends its block. Drivers take seconds to compile a kernel with a copy of its text per emission.
    let emits = key.program.bundles.iter().any(VertexBundle::emits_vertex);
    if emits {
        text.line("var is_emitting = false;");
    }
    text.open("switch block {");
    for (number, block) in blocks.iter().enumerate() {
        text.open(format!("case {number}u: {{"));
        emit_block(text, key, resources, block);
        text.close();
    }
    text.line(format!("default: {{ block = {DONE}; }}"));
    text.close();
    if emits {
        text.open("if is_emitting {");
        emission::emit_vertex(text, resources);
        text.close();
    }
    text.close();
}

/// Emits a program without branches as planned; sets `is_exact` if a check fails.
pub(super) fn emit_normal_range(
    text: &mut Text,
    key: &VertexKernelKey,
    resources: &VertexResources,
    plan: &NormalRangePlan,
) {
    text.open("if instruction_limit > 0u {");
    for (bundle, planned) in key.program.bundles.iter().zip(&plan.operations) {
        operations::emit_normal_range(text, key, resources, bundle, planned.as_ref());
    }
    text.close();
}

fn emit_block(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources, block: &BasicBlock) {
    let bundles = &key.program.bundles[block.bundles.clone()];
    let Some((last, straight)) = bundles.split_last() else { return };
    text.line(format!("executed += {}u;", bundles.len()));
    for bundle in straight {
        operations::emit(text, key, resources, bundle);
    }
    // The condition and the pushed address are read before the vector unit of the same bundle writes.
    let taken = emit_taken(text, last, block.exit);
    let address = match block.exit {
        BlockExit::PushAddress { register, .. } => text.bind("address", &format!("a{}", register & 1)),
        BlockExit::BranchToAddress { address, .. } => text.bind("address", &indexed(address, 0)),
        _ => String::new(),
    };
    operations::emit(text, key, resources, last);
    if last.emits_vertex() {
        text.line("is_emitting = true;");
    }
    match block.exit {
        BlockExit::Continue { next } => text.line(format!("block = {};", number(next))),
        BlockExit::Branch { target, next } => {
            text.line(format!("block = select({}, {target}u, {taken});", number(next)));
        }
        // Blocks are slots; blocks that do not exist have no case in the switch.
        BlockExit::BranchToAddress { next, .. } => {
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
        BlockExit::PushAddress { next, .. } => {
            emit_push(text, &address, true);
            text.line(format!("block = {};", number(next)));
        }
        BlockExit::PopAddress { register, next } => {
            emit_pop(text, true);
            text.line(format!("a{} = stack[depth];", register & 1));
            text.line(format!("block = {};", number(next)));
        }
        BlockExit::If { or_else, or_else_slot, end, next } => {
            text.import(SCOPES, "scopes_open_if");
            text.line(format!("block = select({}, {}, {taken});", number(or_else), number(next)));
            text.line(format!("if {taken} {{ scopes_open_if({or_else_slot}u, {}); }}", number(end)));
        }
        BlockExit::CallUntil { target, end_slot, next_slot, next } => {
            text.import(SCOPES, "scopes_open_call");
            let next = number(next);
            text.line(format!("block = select({next}, {target}u, {taken});"));
            text.line(format!("if {taken} {{ scopes_open_call({end_slot}u, {next_slot}u, {next}); }}"));
        }
        BlockExit::Loop { parameters, end_slot, end, next } => {
            text.import(SCOPES, "scopes_open_loop");
            let (end, next, counter) = (number(end), number(next), component(LOOP_COUNTER));
            text.line(format!("{counter} = scopes_open_loop({end_slot}u, {end}, {next}, c{parameters}, {counter});"));
            text.line(format!("block = {next};"));
        }
        BlockExit::Break { next } => text.line(format!("block = {};", number(next))),
    }
    if let Some(slot) = block.closes {
        text.import(SCOPES, "scopes_close");
        let (breaks, counter) =
            (if matches!(block.exit, BlockExit::Break { .. }) { &*taken } else { "false" }, component(LOOP_COUNTER));
        let closed = text.bind("closed", &format!("scopes_close({slot}u, block, {breaks}, {counter})"));
        text.line(format!("block = {closed}.block;"));
        text.line(format!("{counter} = {closed}.counter;"));
    }
}

/// The WGSL module that keeps open scopes.
const SCOPES: &str = "vertex::scopes";

/// The boolean that a bundle's flow tests, and the value for which the flow is taken.
fn boolean_test(bundle: &VertexBundle) -> Option<(u8, bool)> {
    match bundle.flow?.test {
        FlowTest::Boolean { index, value } => Some((index, value)),
        FlowTest::Condition | FlowTest::Flags { .. } => None,
    }
}

/// A block, or the end of the program, as a WGSL value.
fn number(block: Option<usize>) -> String {
    block.map_or(DONE.to_owned(), |block| format!("{block}u"))
}

/// Names the value of whether the branch, call or return at the end of a block is taken.
fn emit_taken(text: &mut Text, last: &VertexBundle, exit: BlockExit) -> String {
    match exit {
        BlockExit::Branch { .. }
        | BlockExit::BranchToAddress { .. }
        | BlockExit::Call { .. }
        | BlockExit::Return { .. }
        | BlockExit::If { .. }
        | BlockExit::CallUntil { .. }
        | BlockExit::Break { .. } => {}
        BlockExit::Continue { .. }
        | BlockExit::PushAddress { .. }
        | BlockExit::PopAddress { .. }
        | BlockExit::Loop { .. } => {
            return String::new();
        }
    }
    if let Some(FlowTest::Flags { x, y, needs_both }) = last.flow.map(|flow| flow.test) {
        // Bit 1 of a condition code is set for a zero.
        let term = |component: &str, value: bool| format!("((cc0.{component} & 2u) == 0u) == {value}");
        let terms: Vec<String> =
            [("x", x), ("y", y)].into_iter().filter_map(|(component, value)| Some(term(component, value?))).collect();
        let taken = match (terms.as_slice(), needs_both) {
            ([], both) => both.to_string(),
            ([term], _) => term.clone(),
            ([x, y, ..], true) => format!("({x}) && ({y})"),
            ([x, y, ..], false) => format!("({x}) || ({y})"),
        };
        return text.bind("taken", &taken);
    }
    if let Some((index, value)) = boolean_test(last) {
        let bit = format!("((booleans >> {}u) & 1u)", index & 31);
        return text.bind("taken", &format!("{bit} == {}u", u32::from(value)));
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

/// Pops the top entry; an empty stack or an entry of the other kind ends the program.
fn emit_pop(text: &mut Text, is_address: bool) {
    let other = u32::from(!is_address);
    text.line(format!("if depth == 0u || ((kinds >> (depth - 1u)) & 1u) == {other}u {{ block = {DONE}; break; }}"));
    text.line("depth -= 1u;");
}
