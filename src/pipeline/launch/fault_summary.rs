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

impl FaultSummary {
    /// The summary of these faults; `None` if there are none.
    #[must_use]
    pub fn of(faults: &[Fault]) -> Option<Self> {
        let first = *faults.first()?;
        Some(Self { count: faults.iter().map(|fault| fault.count).sum(), first })
    }
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
