//! Finds the basic blocks that one thread of a program runs, where each leads, and an order in which all lead forward.
//!
//! A warp keeps the places of joins, breaks and returns on a stack. Where each basic block is always entered with the same
//! stack, they lead to known places, and a thread needs none. A program with loops, or with another use of the stack, has no
//! such form; warps run it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::kernel_key::ComputeKernelKey;
use crate::shader::simt::{Operation, Predicate, SimtProgram};

/// A basic block of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadBlock {
    /// Its instructions by their numbers.
    pub(super) instructions: Range<usize>,
    /// Where it leads.
    pub(super) next: ThreadNext,
}

/// Where a basic block leads: to later blocks by their places, or `None` to the thread's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadNext {
    /// To one place.
    Always(Option<usize>),
    /// To the first place if the thread executes the last instruction, else to the second one.
    Either(Option<usize>, Option<usize>),
}

/// The kinds of entries of the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// The address of the instruction that joins.
    Join(u32),
    /// The address after a loop.
    Loop(u32),
    /// The address after a call.
    Call(u32),
}

/// A basic block with addresses instead of places.
struct Found {
    instructions: Range<usize>,
    next: (Option<u32>, Option<u32>),
    is_either: bool,
}

/// The basic blocks of a thread from its entry on, in an order in which all lead forward; `None` if there is none.
pub(super) fn thread_blocks(key: &ComputeKernelKey) -> Option<Vec<ThreadBlock>> {
    let program = &*key.program;
    let ranges: Vec<Range<usize>> = program.basic_blocks().collect();
    let mut stacks: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    let mut found: BTreeMap<u32, Found> = BTreeMap::new();
    let mut open = vec![(program.entry(), Vec::new())];
    while let Some((address, stack)) = open.pop() {
        if let Some(known) = stacks.get(&address) {
            if *known != stack {
                return None;
            }
            continue;
        }
        stacks.insert(address, stack.clone());
        let instructions = ranges.get(program.basic_block_at(address)?)?.clone();
        if !program.instructions()[instructions.clone()].iter().all(|instruction| key.executes(instruction)) {
            return None;
        }
        let (first, second) = leads(program, instructions.end - 1, stack)?;
        let is_either = second.is_some();
        let address_of = |next: &Option<(u32, Vec<Entry>)>| next.as_ref().map(|(address, _)| *address);
        let second = second.flatten();
        found.insert(address, Found { instructions, next: (address_of(&first), address_of(&second)), is_either });
        open.extend(first.into_iter().chain(second));
    }
    let mut order = Vec::new();
    visit(program.entry(), &found, &mut BTreeMap::new(), &mut order)?;
    order.reverse();
    let place = |address: Option<u32>| address.and_then(|address| order.iter().position(|own| *own == address));
    let block = |address: &u32| {
        let Found { instructions, next: (first, second), is_either } = &found[address];
        let next = match is_either {
            true => ThreadNext::Either(place(*first), place(*second)),
            false => ThreadNext::Always(place(*first)),
        };
        ThreadBlock { instructions: instructions.clone(), next }
    };
    Some(order.iter().map(block).collect())
}

/// Adds the addresses of blocks behind those that they lead to; `None` if a block leads back to itself.
fn visit(
    address: u32,
    found: &BTreeMap<u32, Found>,
    is_done: &mut BTreeMap<u32, bool>,
    order: &mut Vec<u32>,
) -> Option<()> {
    match is_done.insert(address, false) {
        None => {}
        Some(true) => {
            is_done.insert(address, true);
            return Some(());
        }
        Some(false) => return None,
    }
    let (first, second) = found[&address].next;
    for next in [second, first].into_iter().flatten() {
        visit(next, found, is_done, order)?;
    }
    is_done.insert(address, true);
    order.push(address);
    Some(())
}

/// Where a thread continues, and with which stack; `None` if it ends.
type Continuation = Option<(u32, Vec<Entry>)>;

/// Where an instruction that ends a basic block leads: where threads that execute it continue, and the others if these
/// continue elsewhere. `None` if that is not known.
fn leads(program: &SimtProgram, last: usize, mut stack: Vec<Entry>) -> Option<(Continuation, Option<Continuation>)> {
    let found = &program.instructions()[last];
    let instruction = &found.instruction;
    let next = found.next;
    let target = instruction.target();
    if instruction.exits {
        let is_plain = !instruction.joins && !instruction.operation.changes_flow();
        let is_discard = instruction.operation == Operation::Discard;
        return (is_plain || is_discard).then_some((None, None));
    }
    if instruction.joins {
        // The stack of another place to join would tell apart warps and threads.
        let joins_here = stack.pop() == Some(Entry::Join(instruction.address));
        return (joins_here && !instruction.operation.changes_flow()).then_some((Some((next, stack)), None));
    }
    let before = stack.clone();
    let taken: Continuation = match instruction.operation {
        Operation::Branch => Some((target?, stack.clone())),
        Operation::Break => loop {
            if let Entry::Loop(address) = stack.pop()? {
                break Some((address, stack.clone()));
            }
        },
        Operation::Return => loop {
            match stack.pop() {
                None => break None,
                Some(Entry::Call(address)) => break Some((address, stack.clone())),
                Some(_) => {}
            }
        },
        Operation::Discard => None,
        Operation::PushJoin | Operation::PushBreak | Operation::PushReturn { .. } | Operation::Call { .. } => {
            let (entry, to) = match instruction.operation {
                Operation::PushJoin => (Entry::Join(target?), next),
                Operation::PushBreak => (Entry::Loop(target?), next),
                Operation::PushReturn { .. } => (Entry::Call(target?), next),
                _ => (Entry::Call(next), target?),
            };
            stack.push(entry);
            // Warps do so whatever the predicate of their threads is.
            return Some((Some((to, stack)), None));
        }
        Operation::EnterQuads | Operation::LeaveQuads | Operation::Barrier { .. } | Operation::Trap => return None,
        _ => return Some((Some((next, stack)), None)),
    };
    let others = Some((next, before));
    Some(match instruction.predicate {
        Predicate::Always => (taken, None),
        Predicate::Never => (others, None),
        Predicate::If { .. } => (taken, Some(others)),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::asm::tesla::read_module;
    use crate::pipeline::SimtStage;
    use crate::pipeline::launch::{FragmentQuad, Fragments, Interpolants, LaunchTextures, LaunchThreads};
    use crate::recompiler::compute::BlockOrder;

    /// Where the blocks of a fragment program lead.
    fn nexts(lines: &str) -> Option<Vec<ThreadNext>> {
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
        let blocks = thread_blocks(&ComputeKernelKey::new(&launch, BlockOrder::Ordered, false))?;
        Some(blocks.into_iter().map(|block| block.next).collect())
    }

    #[test]
    fn threads_end_early_and_go_on() {
        let discard = "    set $c0 # l f32 $r0 $r1\n    (lg $c0) discard\n    exit nop\n";
        assert_eq!(nexts(discard), Some(vec![ThreadNext::Either(None, Some(1)), ThreadNext::Always(None)]));
        assert_eq!(nexts("    mov b32 $r0 $r1\n    exit nop\n"), Some(vec![ThreadNext::Always(None)]));
    }

    #[test]
    fn branches_join_and_breaks_lead_to_the_end_of_their_loop() {
        // The side of the branch that is taken comes first.
        let joined = "    joinat done\n    (l $c0) bra other\n    mov b32 $r0 $r1\n    bra done\nother:\n    mov b32 $r1 $r0\ndone:\n    join nop\n    exit nop\n";
        let found = nexts(joined).unwrap();
        let [begin, branch, other, rest, done, end] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(
            [*begin, *done, *end],
            [ThreadNext::Always(Some(1)), ThreadNext::Always(Some(5)), ThreadNext::Always(None)]
        );
        let ThreadNext::Either(Some(taken), Some(next)) = *branch else { panic!("{branch:?}") };
        assert_eq!([taken, next].map(|place| found[place]), [ThreadNext::Always(Some(4)); 2]);
        assert_eq!([*other, *rest], [ThreadNext::Always(Some(4)); 2]);
        let broken = "    breakaddr end\n    (l $c0) break\n    mov b32 $r0 $r1\n    break\nend:\n    exit nop\n";
        let found = nexts(broken).unwrap();
        assert_eq!(found[1], ThreadNext::Either(Some(3), Some(2)));
        assert_eq!([found[2], found[3]], [ThreadNext::Always(Some(3)), ThreadNext::Always(None)]);
    }

    #[test]
    fn loops_and_other_uses_of_the_stack_need_warps() {
        assert_eq!(nexts("again:\n    mov b32 $r0 $r1\n    (l $c0) bra again\n    exit nop\n"), None);
        // A join at another place than was pushed, and without one.
        assert_eq!(nexts("    joinat done\n    join nop\ndone:\n    exit nop\n"), None);
        assert_eq!(nexts("    join nop\n    exit nop\n"), None);
        // A block that is entered with two stacks.
        assert_eq!(
            nexts("    (l $c0) bra inside\n    breakaddr end\ninside:\n    mov b32 $r0 $r1\nend:\n    exit nop\n"),
            None
        );
        assert_eq!(nexts("    (l $c0) break\n    exit nop\n"), None);
    }
}
