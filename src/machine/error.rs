//! Errors in machine files, each with file, line and key, and captures that a machine cannot run.

use std::fmt;

use super::chipset::Chipset;
use super::families::UnsupportedChipset;
use super::family::{Family, MachineKind};
use super::legal::Legal;
use super::provenance::Provenance;

/// Why a machine cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The name is neither a bundled machine nor a readable file.
    #[error("no machine is called '{name}', and no such file can be read ({source}); bundled: {}", bundled.join(", "))]
    Unreadable {
        /// The requested name.
        name: String,
        /// The names of the bundled machines.
        bundled: Vec<&'static str>,
        /// Why it cannot be read as a file.
        source: std::io::Error,
    },
    /// The file is longer than any machine.
    #[error("{file}: a machine file has at most {limit_bytes} bytes")]
    TooLong {
        /// The file.
        file: String,
        /// The most bytes that are read.
        limit_bytes: u64,
    },
    /// The machine is of the other kind.
    #[error("'{name}' is a {kind} machine, not a {wanted} one; those are {}", known.join(", "))]
    OtherKind {
        /// The requested name.
        name: String,
        /// Its kind.
        kind: MachineKind,
        /// The kind that is needed.
        wanted: MachineKind,
        /// The names of the bundled machines of that kind.
        known: Vec<&'static str>,
    },
    /// No machine runs the capture.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// The machine and the capture belong to different families.
    #[error(
        "capture is of {}, but the machine {} ({}) is of the family {} and runs: {}",
        Chipset(*.chipset), name, title, .family.name, family
    )]
    OtherFamily {
        /// The name of the machine.
        name: String,
        /// Its product.
        title: String,
        /// Its family.
        family: &'static Family,
        /// The chipset number of the capture.
        chipset: u32,
    },
    /// The file has one or several faults.
    #[error("{}", lines(faults))]
    Faults {
        /// The faults, in the order of the file; never empty.
        faults: Vec<Fault>,
    },
}

/// A fault in a machine file.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The key with its section, `clocks.core_mhz`; empty if the text is not TOML.
    pub key: String,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// A kind of fault in a machine file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FaultKind {
    /// The text is not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// There is no such section or key.
    #[error("unknown key; known here: {}", known.join(", "))]
    UnknownKey {
        /// The keys that the section has.
        known: Vec<&'static str>,
    },
    /// Neither the file nor its base has the key.
    #[error("missing, and no base provides it")]
    MissingKey,
    /// A part of an entry is missing.
    #[error("'{0}' is missing; an entry is {ENTRY}")]
    MissingPart(&'static str),
    /// The value is of another type.
    #[error("{expected} is expected, not {found}")]
    WrongType {
        /// The expected type.
        expected: &'static str,
        /// The type found.
        found: String,
    },
    /// The value is not in the legal range.
    #[error("{} is out of range; legal: {legal}{}", short(value), with_space(unit))]
    OutOfRange {
        /// The value found.
        value: String,
        /// The legal values.
        legal: Legal,
        /// The unit, or empty.
        unit: &'static str,
    },
    /// The provenance is unknown.
    #[error("provenance '{}' is unknown; known: {}", short(word), Provenance::ALL.map(Provenance::name).join(", "))]
    UnknownProvenance {
        /// The word found.
        word: String,
    },
    /// The source is empty.
    #[error("the source is empty")]
    EmptySource,
    /// A text has control characters, which a terminal would interpret.
    #[error("control characters are not allowed")]
    ControlCharacter,
    /// The base is not a bundled machine of the file's kind.
    #[error("base '{}' is not a bundled {kind} machine; those are {}", short(name), bundled.join(", "))]
    UnknownBase {
        /// The name found.
        name: String,
        /// The kind of the file's machine.
        kind: MachineKind,
        /// The names of the bundled machines of that kind.
        bundled: Vec<&'static str>,
    },
    /// There is no such family.
    #[error("family '{}' is unknown; known: {}", short(name), known.join(", "))]
    UnknownFamily {
        /// The name found.
        name: String,
        /// The names of the families.
        known: Vec<&'static str>,
    },
    /// Two values contradict each other.
    #[error("{0}")]
    Contradiction(String),
}

/// How an entry is written.
pub(super) const ENTRY: &str = "{ value = …, provenance = \"…\", source = \"…\" }";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, key, kind } = self;
        write!(f, "{file}:{line}:{column}: ")?;
        if !key.is_empty() {
            write!(f, "{}: ", short(key))?;
        }
        write!(f, "{kind}")
    }
}

fn lines(faults: &[Fault]) -> String {
    /// The most faults reported; more would hide the first.
    const MOST: usize = 16;
    let mut lines: Vec<_> = faults.iter().take(MOST).map(Fault::to_string).collect();
    if faults.len() > MOST {
        lines.push(format!("and {} more", faults.len() - MOST));
    }
    lines.join("\n")
}

/// Shortens a text from a file to one line for a message.
fn short(text: &str) -> String {
    const MOST: usize = 64;
    let mut line: String = text.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MOST).is_some() {
        line.push('…');
    }
    line
}

fn with_space(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
