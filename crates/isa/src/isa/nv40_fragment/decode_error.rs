//! Why words are not a fragment program.

use super::limits::SLOT_LIMIT;

/// Why words are not a fragment program. Offsets count 32-bit words from the start of the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FragmentDecodeError {
    /// The words end before the program does.
    #[error("word {offset}: the program goes on behind the last word")]
    MissingEnd {
        /// The first missing word.
        offset: u32,
    },
    /// The program has more slots than the processor can address.
    #[error("word {offset}: the program has more than {SLOT_LIMIT} instruction slots")]
    TooLong {
        /// The first word beyond the limit.
        offset: u32,
    },
    /// A field holds an undefined value.
    #[error("word {offset}: {field} {value:#x} has no meaning")]
    UnknownValue {
        /// The instruction.
        offset: u32,
        /// The name of the field.
        field: &'static str,
        /// The value.
        value: u32,
    },
    /// A flow offset goes back, crosses the enclosing block, or is not an instruction boundary.
    #[error("word {offset}: {field} {target} {problem}")]
    BadOffset {
        /// The flow instruction.
        offset: u32,
        /// The name of the field.
        field: &'static str,
        /// The offset in the field.
        target: u32,
        /// The problem.
        problem: &'static str,
    },
    /// Something nests deeper than the processor's stacks.
    #[error("word {offset}: {what} nests deeper than {limit}")]
    TooDeep {
        /// The innermost flow instruction.
        offset: u32,
        /// `IF`, `LOOP` or `CAL`.
        what: &'static str,
        /// The limit.
        limit: u32,
    },
    /// A subroutine calls itself, directly or through others.
    #[error("word {offset}: the call of {target} is recursive")]
    Recursion {
        /// The call.
        offset: u32,
        /// The subroutine.
        target: u32,
    },
    /// BRK is outside LOOP and REP.
    #[error("word {offset}: BRK outside of a loop")]
    BreakOutsideLoop {
        /// The instruction.
        offset: u32,
    },
    /// END is where the program cannot end.
    #[error("word {offset}: END {problem}")]
    MisplacedEnd {
        /// The instruction.
        offset: u32,
        /// The problem.
        problem: &'static str,
    },
}
