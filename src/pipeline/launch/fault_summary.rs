//! The faults of a launch in one sentence.

use std::fmt;

use super::Fault;

/// What threads of a launch could not do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultSummary {
    /// How many faults there were.
    pub count: u64,
    /// The first kind of them.
    pub first: Fault,
}

impl fmt::Display for FaultSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.first)?;
        match self.count - self.first.count {
            0 => Ok(()),
            others => write!(formatter, "; {others} other faults"),
        }
    }
}
