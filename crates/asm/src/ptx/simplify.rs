//! Removes blocks that cannot be reached or do nothing, and instructions whose results are not read.

use super::ir::{Program, Terminator};

/// Simplifies a program. The blocks come in the order in which they are written.
pub(super) fn simplify(program: &mut Program) {
    skip_empty_blocks(program);
    for block in &mut program.blocks {
        if let Terminator::Branch { taken, otherwise, .. } = block.terminator
            && taken == otherwise
        {
            block.terminator = Terminator::Jump(taken);
        }
    }
    join_blocks(program);
    order_blocks(program);
    remove_unread(program);
}

/// Lets branches to a block that only jumps go to where it jumps.
fn skip_empty_blocks(program: &mut Program) {
    let mut targets: Vec<Option<usize>> = vec![None; program.blocks.len()];
    for start in 0..program.blocks.len() {
        let (mut chain, mut block) = (Vec::new(), start);
        let end = loop {
            if let Some(known) = targets[block] {
                break known;
            }
            match program.blocks[block].terminator {
                Terminator::Jump(next) if program.blocks[block].instructions.is_empty() => {
                    // A chain of jumps may be a loop, which ends at its first block.
                    targets[block] = Some(block);
                    chain.push(block);
                    block = next;
                }
                _ => break block,
            }
        };
        targets[block].get_or_insert(end);
        for link in chain {
            targets[link] = Some(end);
        }
    }
    let targets: Vec<usize> = targets.into_iter().enumerate().map(|(block, end)| end.unwrap_or(block)).collect();
    for block in &mut program.blocks {
        block.terminator.redirect(|next| targets[next]);
    }
}

/// Appends a block to the only one that jumps to it.
fn join_blocks(program: &mut Program) {
    let mut predecessors = vec![0usize; program.blocks.len()];
    for block in program.reverse_postorder() {
        program.blocks[block].terminator.successors().for_each(|next| predecessors[next] += 1);
    }
    for block in program.reverse_postorder() {
        while let Terminator::Jump(next) = program.blocks[block].terminator {
            if next == block || next == 0 || predecessors[next] != 1 {
                break;
            }
            let instructions = std::mem::take(&mut program.blocks[next].instructions);
            let (terminator, span) = (program.blocks[next].terminator, program.blocks[next].span.clone());
            // What is left of the other block cannot be reached.
            program.blocks[next].terminator = Terminator::Exit;
            let joined = &mut program.blocks[block];
            joined.instructions.extend(instructions);
            (joined.terminator, joined.span) = (terminator, span);
        }
    }
}

/// Puts blocks into the order in which they are written, without those that cannot be reached.
pub(super) fn order_blocks(program: &mut Program) {
    let order = program.reverse_postorder();
    let mut numbers = vec![usize::MAX; program.blocks.len()];
    for (number, block) in order.iter().enumerate() {
        numbers[*block] = number;
    }
    let old = std::mem::take(&mut program.blocks);
    let mut old: Vec<_> = old.into_iter().map(Some).collect();
    program.blocks = order.iter().filter_map(|block| old[*block].take()).collect();
    for block in &mut program.blocks {
        block.terminator.redirect(|next| numbers[next]);
        for instruction in &mut block.instructions {
            for source in &mut instruction.sources {
                if let super::ir::Operand::Block(target) = &mut source.operand {
                    *target = numbers[*target];
                }
            }
        }
    }
}

/// Removes instructions that only write what no instruction reads.
fn remove_unread(program: &mut Program) {
    loop {
        let mut registers = vec![0u8; program.registers.len()];
        let mut conditions = vec![false; program.conditions.len()];
        for block in &program.blocks {
            for instruction in &block.instructions {
                instruction.reads().for_each(|slice| registers[slice.register as usize] |= slice.mask());
                instruction.condition_reads().for_each(|condition| conditions[condition as usize] = true);
            }
            if let Terminator::Branch { guard, .. } = block.terminator {
                conditions[guard.condition as usize] = true;
            }
        }
        let mut has_changed = false;
        for block in &mut program.blocks {
            let before = block.instructions.len();
            block.instructions.retain(|instruction| {
                instruction.has_effect()
                    || instruction.write().is_some_and(|slice| registers[slice.register as usize] & slice.mask() != 0)
                    || instruction.condition_written().is_some_and(|condition| conditions[condition as usize])
            });
            has_changed |= block.instructions.len() != before;
        }
        if !has_changed {
            return;
        }
    }
}
