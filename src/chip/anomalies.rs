//! Counts what the chip does not know or refuses, instead of stopping the stream.

use std::collections::BTreeMap;
use std::fmt;

use crate::command::methods::class_table;
use crate::plural::counted;

/// The most distinct anomalies counted one by one; further ones only add to a total.
const MAX_DISTINCT: usize = 4096;

/// Why a method had no effect, or not the intended one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The subchannel has no object.
    EmptySubchannel,
    /// The class is not implemented.
    UnknownClass,
    /// The class has no such method.
    UnknownMethod,
    /// The value is illegal; the method was dropped.
    IllegalValue,
    /// No object has this handle.
    UnknownHandle,
    /// A virtual address is in no buffer.
    OutsideBuffers,
    /// The value is legal, but its effect is not implemented.
    Unsupported(&'static str),
    /// The draw was dropped because of bound state.
    DroppedDraw(&'static str),
    /// The client or the chip would wait forever here.
    Deadlock,
    /// The engine refused the command.
    Engine(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptySubchannel => formatter.write_str("the subchannel has no object"),
            Self::UnknownClass => formatter.write_str("unknown class"),
            Self::UnknownMethod => formatter.write_str("unknown method"),
            Self::IllegalValue => formatter.write_str("illegal value, dropped"),
            Self::UnknownHandle => formatter.write_str("no object has this handle"),
            Self::OutsideBuffers => formatter.write_str("the address is in no buffer"),
            Self::Unsupported(what) => write!(formatter, "{what} is not implemented"),
            Self::DroppedDraw(why) => write!(formatter, "not drawn: {why}"),
            Self::Deadlock => formatter.write_str("would wait forever"),
            Self::Engine(message) => formatter.write_str(message),
        }
    }
}

/// One kind of anomaly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anomaly {
    /// The class; 0 if no object was bound.
    pub class: u32,
    /// The method.
    pub method: u16,
    /// The reason.
    pub reason: Reason,
}

impl fmt::Display for Anomaly {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = class_table(self.class).and_then(|table| table.find(self.method));
        write!(formatter, "class {:#06x} method {:#06x}", self.class, self.method)?;
        if let Some((row, element)) = row {
            write!(formatter, " {}", row.name)?;
            if row.count > 1 {
                write!(formatter, "[{element}]")?;
            }
        }
        write!(formatter, ": {}", self.reason)
    }
}

/// How often an anomaly occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrences {
    /// How often.
    pub count: u64,
    /// The value written the first time.
    pub first_value: u32,
}

/// All anomalies of a stream so far.
#[derive(Debug, Clone, Default)]
pub struct Anomalies {
    counts: BTreeMap<Anomaly, Occurrences>,
    further: u64,
}

impl Anomalies {
    /// Whether nothing was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.further == 0
    }

    /// Each anomaly once, by class and method.
    pub fn iter(&self) -> impl Iterator<Item = (&Anomaly, &Occurrences)> {
        self.counts.iter()
    }

    /// One line per anomaly, with its count.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let line = |(anomaly, occurrences): (&Anomaly, &Occurrences)| {
            let Occurrences { count, first_value } = occurrences;
            format!("{anomaly} ({}, first value {first_value:#x})", counted(count, "time"))
        };
        let mut lines: Vec<_> = self.iter().map(line).collect();
        if self.further > 0 {
            lines.push(counted(self.further, "further anomaly"));
        }
        lines
    }

    /// How often an anomaly occurred.
    #[must_use]
    pub fn count_of(&self, anomaly: &Anomaly) -> u64 {
        self.counts.get(anomaly).map_or(0, |occurrences| occurrences.count)
    }

    /// The number of anomalies that were only added to the total.
    #[must_use]
    pub const fn further(&self) -> u64 {
        self.further
    }

    pub(crate) fn count(&mut self, anomaly: Anomaly, value: u32) {
        if let Some(occurrences) = self.counts.get_mut(&anomaly) {
            occurrences.count += 1;
        } else if self.counts.len() < MAX_DISTINCT {
            self.counts.insert(anomaly, Occurrences { count: 1, first_value: value });
        } else {
            self.further += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_anomaly_is_kept_once() {
        let mut anomalies = Anomalies::default();
        let anomaly = Anomaly { class: 0x4097, method: 0x1a24, reason: Reason::IllegalValue };
        anomalies.count(anomaly.clone(), 7);
        anomalies.count(anomaly.clone(), 8);
        assert_eq!(anomalies.iter().next(), Some((&anomaly, &Occurrences { count: 2, first_value: 7 })));
        assert_eq!(anomaly.to_string(), "class 0x4097 method 0x1a24 TEX_FORMAT[1]: illegal value, dropped");
    }

    #[test]
    fn memory_is_bounded() {
        let mut anomalies = Anomalies::default();
        for class in 0..5000 {
            anomalies.count(Anomaly { class, method: 0, reason: Reason::UnknownClass }, 0);
        }
        assert_eq!((anomalies.iter().count(), anomalies.further()), (4096, 904));
    }
}
