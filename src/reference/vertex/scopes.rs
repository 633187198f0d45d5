//! Keeps the open scopes of IF, calls and loops, and closes those that end after an executed instruction.
//!
//! Each kind has a stack of its own, a ring: opening a scope in a full one forgets the outermost, and closing one frees
//! an entry. Nothing ties the kinds together, so that scopes may overlap in any way.
//!
//! Source: hardware tests on the PICA200, documented on 3dbrew ("GPU/Shader Instruction Set").

use crate::shader::vertex_blocks::{CALL_SCOPES, IF_SCOPES, LOOP_SCOPES};

/// A block to continue at; `None` for the end of the program.
type Block = Option<usize>;

/// A stack that forgets its lowest entry when it is full.
#[derive(Debug)]
struct Ring<T, const ENTRIES: usize> {
    entries: [T; ENTRIES],
    /// The entry that the next scope takes.
    next: usize,
    depth: usize,
}

impl<T: Copy + Default, const ENTRIES: usize> Default for Ring<T, ENTRIES> {
    fn default() -> Self {
        Self { entries: [T::default(); ENTRIES], next: 0, depth: 0 }
    }
}

impl<T: Copy, const ENTRIES: usize> Ring<T, ENTRIES> {
    const fn push(&mut self, entry: T) {
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % ENTRIES;
        if self.depth < ENTRIES {
            self.depth += 1;
        }
    }

    fn top(&mut self) -> Option<&mut T> {
        (self.depth > 0).then(|| &mut self.entries[(self.next + ENTRIES - 1) % ENTRIES])
    }

    fn pop(&mut self) {
        self.next = (self.next + ENTRIES - 1) % ENTRIES;
        self.depth -= 1;
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct If {
    or_else: u16,
    end: Block,
}

#[derive(Debug, Clone, Copy, Default)]
struct Call {
    end: u16,
    return_slot: u16,
    return_block: Block,
}

#[derive(Debug, Clone, Copy, Default)]
struct Loop {
    end: u16,
    end_block: Block,
    body: Block,
    /// Repetitions to come.
    remaining: u32,
    step: i32,
    /// The counter of the loop around this one.
    outer_counter: i32,
}

/// The open scopes of a program.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    ifs: Ring<If, IF_SCOPES>,
    calls: Ring<Call, CALL_SCOPES>,
    loops: Ring<Loop, LOOP_SCOPES>,
}

impl Scopes {
    /// Opens the scope of a taken IF.
    pub(super) const fn open_if(&mut self, or_else: u16, end: Block) {
        self.ifs.push(If { or_else, end });
    }

    /// Opens the scope of a call.
    pub(super) const fn open_call(&mut self, end: u16, return_slot: u16, return_block: Block) {
        self.calls.push(Call { end, return_slot, return_block });
    }

    /// Opens the scope of a loop with these parameters and sets the loop counter.
    pub(super) fn open_loop(
        &mut self,
        (end, end_block): (u16, Block),
        body: Block,
        [count, first, step, _]: [u32; 4],
        counter: &mut i32,
    ) {
        let (remaining, step) = (count & 0xff, (step & 0xff).cast_signed());
        self.loops.push(Loop { end, end_block, body, remaining, step, outer_counter: *counter });
        *counter = (first & 0xff).cast_signed();
    }

    /// Closes the scopes that end at `slot`, and the innermost loop if the instruction before it breaks that. Returns
    /// where execution continues, which is at `following` if no scope ends.
    pub(super) fn close(&mut self, slot: u16, following: Block, breaks: bool, counter: &mut i32) -> Block {
        let mut following = following;
        let mut reached = slot;
        for closed in 1..=CALL_SCOPES {
            let Some(&mut Call { end, return_slot, return_block }) = self.calls.top() else { break };
            if end != reached {
                break;
            }
            reached = return_slot;
            // A fourth call that ends at once is closed, but does not return.
            if closed < CALL_SCOPES {
                following = return_block;
            }
            self.calls.pop();
        }
        if let Some(&mut If { or_else, end }) = self.ifs.top()
            && or_else == slot
        {
            following = end;
            self.ifs.pop();
        }
        self.close_loop(slot, following, breaks, counter)
    }

    fn close_loop(&mut self, slot: u16, following: Block, breaks: bool, counter: &mut i32) -> Block {
        let Some(top) = self.loops.top() else {
            // Unverified: the chip hangs; here a break outside of loops ends the program.
            return if breaks { None } else { following };
        };
        if top.end != slot && !breaks {
            return following;
        }
        *counter = (*counter + top.step) & 0xff;
        if !breaks && top.remaining > 0 {
            top.remaining -= 1;
            return top.body;
        }
        let &mut Loop { end_block, outer_counter, .. } = top;
        self.loops.pop();
        if self.loops.depth > 0 {
            *counter = outer_counter;
        }
        end_block
    }
}

#[cfg(test)]
mod tests {
    use super::Scopes;

    #[test]
    fn the_first_side_of_an_if_continues_after_the_second() {
        let mut scopes = Scopes::default();
        scopes.open_if(5, Some(8));
        assert_eq!(scopes.close(4, Some(4), false, &mut 0), Some(4));
        assert_eq!(scopes.close(5, Some(5), false, &mut 0), Some(8));
        assert_eq!(scopes.close(5, Some(5), false, &mut 0), Some(5), "the scope is closed");
    }

    #[test]
    fn only_one_if_closes_per_instruction() {
        let mut scopes = Scopes::default();
        scopes.open_if(5, Some(8));
        scopes.open_if(5, Some(7));
        assert_eq!(scopes.close(5, Some(5), false, &mut 0), Some(7));
        assert_eq!(scopes.close(5, Some(5), false, &mut 0), Some(8));
    }

    #[test]
    fn calls_that_end_where_another_returns_close_together_but_the_fourth_does_not_return() {
        let mut scopes = Scopes::default();
        for end in [23, 22, 21, 20] {
            scopes.open_call(end, end + 1, Some(usize::from(end) + 1));
        }
        assert_eq!(scopes.close(20, Some(20), false, &mut 0), Some(23));
        for end in 20..24u16 {
            assert_eq!(scopes.close(end, Some(0), false, &mut 0), Some(0), "all four are closed");
        }
        for end in [22, 21, 20] {
            scopes.open_call(end, end + 1, Some(usize::from(end) + 1));
        }
        assert_eq!(scopes.close(20, Some(20), false, &mut 0), Some(23), "three return");
    }

    #[test]
    fn a_full_stack_forgets_the_outermost() {
        let mut scopes = Scopes::default();
        for scope in 0..9u16 {
            scopes.open_if(scope, Some(100 + usize::from(scope)));
        }
        for scope in (1..9u16).rev() {
            assert_eq!(scopes.close(scope, None, false, &mut 0), Some(100 + usize::from(scope)));
        }
        assert_eq!(scopes.close(0, None, false, &mut 0), None);
    }

    #[test]
    fn a_loop_runs_once_more_than_its_count_and_its_counter_wraps() {
        let (mut scopes, mut counter) = (Scopes::default(), 77);
        scopes.open_loop((9, Some(9)), Some(4), [2, 250, 3, 0], &mut counter);
        assert_eq!(counter, 250);
        assert_eq!((scopes.close(9, Some(9), false, &mut counter), counter), (Some(4), 253));
        assert_eq!((scopes.close(9, Some(9), false, &mut counter), counter), (Some(4), 0));
        assert_eq!((scopes.close(9, Some(9), false, &mut counter), counter), (Some(9), 3));
        assert_eq!((scopes.close(9, Some(9), false, &mut counter), counter), (Some(9), 3), "the loop is closed");
    }

    #[test]
    fn an_inner_loop_gives_the_counter_back_and_a_break_leaves_it() {
        let (mut scopes, mut counter) = (Scopes::default(), 0);
        scopes.open_loop((9, Some(9)), Some(1), [5, 10, 1, 0], &mut counter);
        scopes.open_loop((7, Some(7)), Some(3), [5, 40, 1, 0], &mut counter);
        assert_eq!((scopes.close(5, Some(5), true, &mut counter), counter), (Some(7), 10));
        assert_eq!((scopes.close(8, Some(8), true, &mut counter), counter), (Some(9), 11));
        assert_eq!(scopes.close(8, Some(8), true, &mut counter), None, "a break outside of loops");
    }
}
