//! Finds the basic blocks that the threads of a quad can reach, and an order in which most of them lead forward.
//!
//! A warp keeps the places of joins, breaks and returns on a stack. Where a basic block is always entered with the same entries of
//! its function, no use of the stack can be a fault, and what a quad does depends on its own threads only. Other programs need
//! warps.

use std::collections::BTreeMap;
use std::ops::Range;

use super::kernel_key::ComputeKernelKey;
use crate::recompiler::text::Text;
use crate::shader::simt::{Operation, Predicate, ProgramKind, SimtProgram};

/// The module of the flow of a quad.
pub(super) const FLOW: &str = "compute::quad_flow";
/// The entries of a quad's stack (`wgsl/compute/quad_flow.wgsl`).
const QUAD_STACK_ENTRIES: usize = 16;
/// Entries that threads of a quad need to go different ways: all but the last one wait.
const BRANCH_ENTRIES: usize = 3;

/// A basic block of a quad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadBlock {
    /// Its instructions by their numbers.
    pub(super) instructions: Range<usize>,
    /// The place of the block after it. Like the other one, it is beyond all blocks if no thread continues there.
    pub(super) next: usize,
    /// The place to which its last instruction leads, or which it pushes.
    pub(super) target: usize,
    /// Whether threads that return have been called.
    pub(super) is_called: bool,
}

/// The basic blocks of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadFlow {
    /// The blocks in the order of their text, from the entry on.
    pub(super) blocks: Vec<ThreadBlock>,
    /// Whether a thread may execute a block again.
    pub(super) repeats: bool,
    /// Whether all blocks run one after the other; threads only end early.
    pub(super) is_straight: bool,
}

/// The entries of the stack that a function has pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The address of the instruction that joins.
    Join(u32),
    /// The address after a loop.
    Loop(u32),
    /// The address after what is called.
    Return(u32),
    /// All threads of the quad are active.
    Quads,
}

/// A basic block with addresses instead of places.
struct Found {
    instructions: Range<usize>,
    /// Where threads continue.
    successors: Vec<u32>,
    is_called: bool,
}

/// What is known of a function.
#[derive(Default)]
struct Function {
    /// The entries that it pushes, at most.
    entries: usize,
    /// What it calls, with the entries that are pushed then.
    calls: Vec<(u32, usize)>,
}

/// The stack of a function, and where a thread continues with it.
type Continuation = (u32, Vec<Entry>);

/// The basic blocks that threads of a quad reach; `None` if they need warps.
pub(super) fn thread_flow(key: &ComputeKernelKey) -> Option<ThreadFlow> {
    let program = &*key.program;
    let ranges: Vec<Range<usize>> = program.basic_blocks().collect();
    let mut found: BTreeMap<u32, Found> = BTreeMap::new();
    // The function of each block and its stack there.
    let mut entered: BTreeMap<u32, (u32, Vec<Entry>)> = BTreeMap::new();
    let mut functions: BTreeMap<u32, Function> = BTreeMap::new();
    let mut open = vec![(program.entry(), (program.entry(), Vec::new()))];
    while let Some((function, (address, stack))) = open.pop() {
        if let Some(known) = entered.get(&address) {
            if *known != (function, stack) {
                return None;
            }
            continue;
        }
        entered.insert(address, (function, stack.clone()));
        let instructions = ranges.get(program.basic_block_at(address)?)?.clone();
        if !program.instructions()[instructions.clone()].iter().all(|instruction| key.executes(instruction)) {
            return None;
        }
        let own = functions.entry(function).or_default();
        own.entries = own.entries.max(stack.len());
        let is_called = function != program.entry() || stack.iter().any(|entry| matches!(entry, Entry::Return(_)));
        let last = &program.instructions()[instructions.end - 1];
        let mut successors = Vec::new();
        if let Operation::Call { .. } = last.instruction.operation {
            let callee = last.instruction.target()?;
            own.calls.push((callee, stack.len() + 1));
            open.push((callee, (callee, Vec::new())));
            successors.push(callee);
        }
        let continuations = continuations(program, instructions.end - 1, stack)?;
        successors.extend(continuations.iter().map(|(address, _)| *address));
        found.insert(address, Found { instructions, successors, is_called });
        open.extend(continuations.into_iter().map(|continuation| (function, continuation)));
    }
    if entries(program.entry(), &functions, &mut BTreeMap::new())? + BRANCH_ENTRIES > QUAD_STACK_ENTRIES {
        return None;
    }
    let (mut order, mut repeats) = (Vec::new(), functions.len() > 1);
    visit(program.entry(), &found, &mut BTreeMap::new(), &mut order, &mut repeats);
    order.reverse();
    let place = |address: u32| order.iter().position(|own| *own == address).unwrap_or(order.len());
    let blocks: Vec<_> = order.iter().map(|address| thread_block(program, &found[address], &place)).collect();
    let is_straight = (1..).zip(&order).all(|(next, address)| {
        let successors = &found[address].successors;
        !found[address].is_called
            && match successors.as_slice() {
                [] => next == order.len(),
                [successor] => place(*successor) == next,
                _ => false,
            }
    });
    Some(ThreadFlow { blocks, repeats, is_straight })
}

/// A block with the places of addresses.
fn thread_block(program: &SimtProgram, found: &Found, place: &dyn Fn(u32) -> usize) -> ThreadBlock {
    let last = &program.instructions()[found.instructions.end - 1];
    let target = last.instruction.target().unwrap_or(last.next);
    // Threads that join continue after the instruction that joins.
    let target = match (last.instruction.operation, program.at(target)) {
        (Operation::PushJoin, Ok(join)) => program.instructions()[join].next,
        _ => target,
    };
    ThreadBlock {
        instructions: found.instructions.clone(),
        next: place(last.next),
        target: place(target),
        is_called: found.is_called,
    }
}

/// The entries that a function and all that it calls push at most; `None` if it calls itself.
fn entries(
    function: u32,
    functions: &BTreeMap<u32, Function>,
    known: &mut BTreeMap<u32, Option<usize>>,
) -> Option<usize> {
    if let Some(entries) = known.insert(function, None) {
        known.insert(function, entries);
        return entries;
    }
    let own = functions.get(&function)?;
    let mut max = own.entries;
    for (callee, pushed) in &own.calls {
        max = max.max(pushed + entries(*callee, functions, known)?);
    }
    known.insert(function, Some(max));
    Some(max)
}

/// Adds the addresses of blocks behind those that they lead to, and notes whether one leads back.
fn visit(
    address: u32,
    found: &BTreeMap<u32, Found>,
    is_done: &mut BTreeMap<u32, bool>,
    order: &mut Vec<u32>,
    repeats: &mut bool,
) {
    is_done.insert(address, false);
    for next in found[&address].successors.iter().rev() {
        match is_done.get(next) {
            None => visit(*next, found, is_done, order, repeats),
            Some(is_done) => *repeats |= !is_done,
        }
    }
    is_done.insert(address, true);
    order.push(address);
}

/// Where threads continue in their function after an instruction that ends a basic block; those that execute it first. `None`
/// if that is not known or may be a fault.
fn continuations(program: &SimtProgram, last: usize, mut stack: Vec<Entry>) -> Option<Vec<Continuation>> {
    let found = &program.instructions()[last];
    let instruction = &found.instruction;
    let next = found.next;
    let target = instruction.target();
    // What diverges there would tell apart warps and quads.
    let leaves = instruction.operation == Operation::LeaveQuads;
    let changes = instruction.exits || instruction.joins || instruction.operation.changes_flow();
    if stack.last() == Some(&Entry::Quads) && changes && (!leaves || instruction.exits || instruction.joins) {
        return None;
    }
    if instruction.exits {
        let is_plain = !instruction.joins && !instruction.operation.changes_flow();
        let is_discard = instruction.operation == Operation::Discard;
        return (is_plain || is_discard).then(Vec::new);
    }
    if instruction.joins {
        // The stack of another place to join would tell apart warps and quads.
        let joins_here = stack.pop() == Some(Entry::Join(instruction.address));
        return (joins_here && !instruction.operation.changes_flow()).then(|| vec![(next, stack)]);
    }
    let others = (next, stack.clone());
    let taken: Option<Continuation> = match instruction.operation {
        Operation::Branch => Some((target?, stack)),
        Operation::Break => loop {
            if let Entry::Loop(address) = stack.pop()? {
                break Some((address, stack));
            }
        },
        Operation::Return => loop {
            match stack.pop() {
                None => break None,
                Some(Entry::Return(address)) => break Some((address, stack)),
                Some(_) => {}
            }
        },
        Operation::Discard => None,
        Operation::PushJoin | Operation::PushBreak | Operation::PushReturn { .. } => {
            stack.push(match instruction.operation {
                Operation::PushJoin => Entry::Join(target?),
                Operation::PushBreak => Entry::Loop(target?),
                _ => Entry::Return(target?),
            });
            // Warps do so whatever the predicate of their threads is.
            return Some(vec![(next, stack)]);
        }
        Operation::EnterQuads if program.kind() == ProgramKind::Fragment => {
            stack.push(Entry::Quads);
            return Some(vec![(next, stack)]);
        }
        Operation::LeaveQuads if stack.pop() == Some(Entry::Quads) => return Some(vec![(next, stack)]),
        Operation::EnterQuads | Operation::LeaveQuads | Operation::Barrier { .. } | Operation::Trap => return None,
        // Of a call, threads continue when they have returned.
        _ => return Some(vec![others]),
    };
    Some(match instruction.predicate {
        Predicate::Always => taken.into_iter().collect(),
        Predicate::Never => vec![others],
        Predicate::If { .. } => taken.into_iter().chain([others]).collect(),
    })
}

/// Where a quad continues after a basic block: what `flow.rs` writes for a warp.
pub(super) fn end_of_block(program: &SimtProgram, block: &ThreadBlock) -> Text {
    let instruction = &program.instructions()[block.instructions.end - 1].instruction;
    let ThreadBlock { next, target, is_called, .. } = block;
    let mut text = Text::default();
    let mut call = |function: &str, arguments: &str| {
        let function = text.import(FLOW, function);
        text.line(format!("{function}({arguments});"));
    };
    let threads = match instruction.predicate {
        Predicate::Always => "flow_active",
        Predicate::Never => "0u",
        Predicate::If { .. } => "flow_executing",
    };
    let mut push = |kind: &str, pushed: &usize, next: &usize| {
        call("push_flow", &format!("{kind} | {pushed}u, {next}u"));
    };
    match instruction.operation {
        Operation::Branch => call("branch_flow", &format!("{threads}, {target}u, {next}u")),
        Operation::Call { .. } => push("ENTRY_CALL", next, target),
        Operation::PushReturn { .. } => push("ENTRY_CALL", target, next),
        Operation::PushBreak => push("ENTRY_LOOP", target, next),
        Operation::PushJoin => push("ENTRY_JOIN", target, next),
        Operation::Return if *is_called => call("return_flow", &format!("{threads}, {next}u")),
        Operation::Break => call("break_flow", &format!("{threads}, {next}u")),
        Operation::EnterQuads => call("enter_quads", &format!("{next}u")),
        Operation::LeaveQuads => call("leave_quads", &format!("{next}u")),
        Operation::Return | Operation::Discard => call("exit_flow", &format!("{threads}, {next}u")),
        _ if !instruction.exits => call("branch_flow", &format!("flow_active, {next}u, {next}u")),
        _ => {}
    }
    if instruction.exits {
        call("exit_flow", &format!("flow_active, {next}u"));
    }
    if instruction.joins {
        call("join_flow", "");
    }
    text.import_all(&[(FLOW, "flow_active"), (FLOW, "flow_executing")]);
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::asm::tesla::read_module;
    use crate::pipeline::SimtStage;
    use crate::pipeline::launch::{FragmentQuad, Fragments, Interpolants, LaunchTextures, LaunchThreads};
    use crate::recompiler::compute::BlockOrder;

    /// The flow of a fragment program.
    fn flow(lines: &str) -> Option<ThreadFlow> {
        let text = format!("!!Tesla1.0\n.kernel program\n.kind fragment\n{lines}");
        let module = read_module("program", text.as_bytes()).unwrap().unwrap();
        let kernel = &module.kernels[0];
        let threads = LaunchThreads::Fragments(Fragments {
            quads: vec![FragmentQuad::new(0)],
            interpolant_words: 0,
            interpolants: Interpolants::Planes(Vec::new()),
            results: 1,
        });
        let program = Arc::new(SimtProgram::decode_kind(&kernel.code, kernel.kind));
        let (generation, registers, constants) = (module.generation, kernel.registers.into(), Arc::default());
        let stage = SimtStage { program, generation, registers, local_bytes: 0, constants };
        let launch = stage.launch(threads, LaunchTextures::default());
        thread_flow(&ComputeKernelKey::new(&launch, BlockOrder::Ordered, false))
    }

    /// Where each block and its last instruction lead, and whether threads may execute a block again.
    fn places(lines: &str) -> (Vec<[usize; 2]>, bool) {
        let flow = flow(lines).unwrap();
        assert!(!flow.is_straight);
        (flow.blocks.iter().map(|block| [block.next, block.target]).collect(), flow.repeats)
    }

    #[test]
    fn blocks_in_their_order_need_no_flow() {
        let discard = "    set $c0 # l f32 $r0 $r1\n    (lg $c0) discard\n    exit nop\n";
        assert!(flow(discard).unwrap().is_straight);
        assert!(flow("    (lg $c0) ret\n    exit nop\n").unwrap().is_straight);
        assert!(flow("    joinat done\n    mov b32 $r0 $r1\ndone:\n    join nop\n    exit nop\n").unwrap().is_straight);
        assert!(!flow("    (lg $c0) bra done\n    mov b32 $r0 $r1\ndone:\n    exit nop\n").unwrap().is_straight);
    }

    #[test]
    fn branches_join_and_breaks_lead_to_the_end_of_their_loop() {
        // The side of the branch that is taken comes first.
        let joined = "    joinat done\n    (l $c0) bra other\n    mov b32 $r0 $r1\n    bra done\nother:\n    mov b32 $r1 $r0\ndone:\n    join nop\n    exit nop\n";
        assert_eq!(places(joined), (vec![[1, 5], [3, 2], [4, 4], [2, 4], [5, 5], [6, 6]], false));
        let broken = "    breakaddr end\n    (l $c0) break\n    mov b32 $r0 $r1\n    break\nend:\n    exit nop\n";
        assert_eq!(places(broken), (vec![[1, 3], [2, 2], [3, 3], [4, 4]], false));
    }

    #[test]
    fn loops_and_calls_repeat_blocks() {
        let again = "again:\n    mov b32 $r0 $r1\n    (l $c0) bra again\n    exit nop\n";
        assert_eq!(places(again), (vec![[1, 0], [2, 2]], true));
        let called = "    call function\n    call function\n    exit nop\nfunction:\n    (l $c0) ret\n    mov b32 $r0 $r1\n    ret\n";
        let flow = flow(called).unwrap();
        assert!(flow.repeats);
        let called: Vec<bool> = flow.blocks.iter().map(|block| block.is_called).collect();
        assert_eq!(called.iter().filter(|is_called| **is_called).count(), 2, "{:?}", flow.blocks);
    }

    #[test]
    fn other_uses_of_the_stack_need_warps() {
        // A join at another place than was pushed, and without one.
        assert_eq!(flow("    joinat done\n    join nop\ndone:\n    exit nop\n"), None);
        assert_eq!(flow("    join nop\n    exit nop\n"), None);
        // A block that is entered with two stacks.
        assert_eq!(
            flow("    (l $c0) bra inside\n    breakaddr end\ninside:\n    mov b32 $r0 $r1\nend:\n    exit nop\n"),
            None
        );
        assert_eq!(flow("    (l $c0) break\n    exit nop\n"), None);
        // A function that calls itself, and one that a branch enters.
        assert_eq!(
            flow("    call function\n    exit nop\nfunction:\n    (l $c0) ret\n    call function\n    ret\n"),
            None
        );
        assert_eq!(flow("    (l $c0) bra function\n    call function\nfunction:\n    ret\n"), None);
        // A branch while all threads of a quad are active, and the end of that without its begin.
        assert!(flow("    quadon\n    mov b32 $r0 $r1\n    quadpop\n    exit nop\n").is_some());
        assert_eq!(
            flow("    quadon\n    (l $c0) bra end\n    mov b32 $r0 $r1\nend:\n    quadpop\n    exit nop\n"),
            None
        );
        assert_eq!(flow("    quadpop\n    exit nop\n"), None);
        // More entries than a quad has.
        let pushes = |count: usize| "    breakaddr end\n".repeat(count) + "    (l $c0) break\nend:\n    exit nop\n";
        assert_eq!(flow(&pushes(14)), None);
    }
}
