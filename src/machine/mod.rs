//! Machines: the family whose streams a chip runs, and the numbers of the chip and its board, read from files.
//!
//! A [`Family`] is the executable part: its chipset numbers, its classes, and its default machine. The chipset
//! number of a capture selects the family, which builds the [`Chip`](crate::chip::Chip). A [`Machine`] adds the
//! numbers that statistics models need: units, clocks, caches, memory. [`PARAMETERS`] is their table: each row is
//! a field of a section's struct, a key of machine files, and a line of `docs/machines.md` and of `curie machines
//! NAME`.
//!
//! ```
//! # fn main() -> Result<(), curie::machine::MachineError> {
//! let machine = curie::machine::open("geforce-6600-gt")?;
//! assert_eq!(machine.vertex.units, 3);
//! assert_eq!(curie::machine::rate(&machine, "memory_bandwidth"), Some(16.0e9));
//! # Ok(())
//! # }
//! ```
//!
//! A file gives every parameter as `key = { value = …, provenance = "…", source = "…" }`, or names a bundled
//! machine as its `base` and gives only the differences. [`Provenance`] lists the provenances. `family` names the
//! family; by default it is the base's, or the first.
//!
//! A [`TeslaMachine`] is described in files of the same form with a table of its own, [`TESLA_PARAMETERS`]: the numbers that
//! models of compute kernels need.

mod bundled;
mod chipset;
mod contradictions;
mod error;
mod family;
pub mod historical;
mod legal;
mod nv20;
mod nv40;
mod parameters;
mod pica200;
mod place;
mod provenance;
mod rates;
mod read;
mod sections;
mod tesla;
mod tesla_parameters;

use std::io::ErrorKind;
use std::path::Path;

use crate::capture::Header;
use crate::files;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

pub use bundled::{Bundled, DEFAULT_MACHINE, bundled};
pub use chipset::{NotRecordable, UnsupportedChipset, chipset_named, is_recordable};
pub use error::{Fault, FaultKind, MachineError};
pub use family::{FAMILIES, Family, VertexPipeline, chip_of};
pub use legal::{Legal, Value};
pub use parameters::{
    Bus, BusKind, Clocks, Compression, Fragment, FrontEnd, Machine, Memory, PARAMETERS, Prefetch, Replacement, Rop,
    SECTIONS, Setup, Texture, Vertex, Zcull,
};
pub use provenance::Provenance;
pub use rates::{RATES, RateRow, rate};
pub use sections::{ParameterRow, SectionRow};
pub use tesla::{AnyMachine, DEFAULT_TESLA_MACHINE, TESLA_MACHINES, open_any, open_tesla, read_tesla};
pub use tesla_parameters::{
    TESLA_PARAMETERS, TESLA_SECTIONS, TeslaClocks, TeslaConstant, TeslaIssue, TeslaMachine, TeslaMemory,
    TeslaMultiprocessor, TeslaProcessor, TeslaShared,
};

/// The most bytes of a machine file.
const MAX_BYTES: u64 = 1 << 20;

/// A parameter of a machine file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its row of the table.
    pub row: &'static ParameterRow,
    /// Its value.
    pub value: Value,
    /// How trustworthy it is.
    pub provenance: Provenance,
    /// Its source.
    pub source: String,
    /// The file that contains it.
    pub file: String,
    /// The line of that file, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// Finds a machine: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, or the file has faults.
pub fn open(name: &str) -> Result<Machine, MachineError> {
    match bundled().iter().find(|machine| machine.name == name) {
        Some(machine) => read(machine.name, machine.text),
        None if TESLA_MACHINES.iter().any(|machine| machine.name == name) => {
            let (name, known) = (name.to_owned(), bundled::names(bundled()));
            Err(MachineError::OtherKind { name, kind: "kernels", wanted: "graphics", known })
        }
        None => read_file(Path::new(name), &[bundled()]).and_then(|(file, text)| read(&file, &text)),
    }
}

/// Finds the machine that runs a capture: by name or file like [`open`], or the default of the capture's family.
///
/// # Errors
/// When there is none, its file has faults, or its family does not run the capture.
pub fn open_for(name: Option<&str>, header: &Header) -> Result<Machine, MachineError> {
    let Some(name) = name else { return open(Family::of_chipset(header.chipset)?.default_machine) };
    let machine = open(name)?;
    match machine.family.answers_to(header.chipset) {
        true => Ok(machine),
        false => Err(MachineError::OtherFamily { machine: Box::new(machine), chipset: header.chipset }),
    }
}

/// The name and the text of a machine file; an error lists the known machines.
fn read_file(path: &Path, known: &[&'static [Bundled]]) -> Result<(String, String), MachineError> {
    let name = path.display().to_string();
    let known = || known.iter().copied().flat_map(bundled::names).collect();
    let unreadable = |source| MachineError::Unreadable { name: name.clone(), bundled: known(), source };
    match files::read_text(path, MAX_BYTES) {
        Ok(text) => Ok((name, text)),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            Err(MachineError::TooLong { file: name, limit_bytes: MAX_BYTES })
        }
        Err(error) => Err(unreadable(error)),
    }
}

/// Reads a machine from the text of a file; errors call it `file`.
///
/// # Errors
/// When the text has faults; all of them are collected.
pub fn read(file: &str, text: &str) -> Result<Machine, MachineError> {
    read::read(file, text)
}

impl Machine {
    /// Returns the chipset number that its driver finds: that of its chip, or else its family's first; `None` if no driver knows
    /// the family.
    #[must_use]
    pub fn chipset(&self) -> Option<u32> {
        let own = chipset_named(&self.chip).filter(|chipset| self.family.answers_to(*chipset));
        own.or_else(|| self.family.chipsets.first().copied())
    }

    /// Every parameter with its provenance and source, in the order of [`PARAMETERS`].
    ///
    /// Later changes of the sections' fields have no effect here.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Bytes per second between the chip and its memory.
    pub fn memory_bytes_per_second(&self) -> f64 {
        let bytes_per_transfer = f64::from(self.memory.partitions * self.memory.partition_bits) / 8.0;
        self.clocks.memory_mhz * 1e6 * f64::from(self.clocks.memory_transfers_per_clock) * bytes_per_transfer
    }
}

impl Default for Machine {
    /// The default machine: [`DEFAULT_MACHINE`].
    fn default() -> Self {
        open(DEFAULT_MACHINE).expect("the bundled machines are read by a test")
    }
}

/// A section of a machine's parameters, as an object of keys.
struct SectionOf<'a>(&'a [Parameter], &'static str);

impl Serialize for SectionOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for parameter in self.0.iter().filter(|parameter| parameter.row.section == self.1) {
            let Parameter { row, value, provenance, source, file, .. } = parameter;
            let entry = serde_json::json!({
                "value": value, "unit": row.unit, "provenance": provenance, "source": source, "file": file
            });
            map.serialize_entry(row.key, &entry)?;
        }
        map.end()
    }
}

/// All sections of a machine's parameters.
struct Sections<'a>(&'static [SectionRow], &'a [Parameter]);

impl Serialize for Sections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|section| (section.name, SectionOf(self.1, section.name))))
    }
}

impl Serialize for Machine {
    /// An object with `name`, `title`, `chip`, `about`, `parameters` by section and key, and `rates` per second by key.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("title", &self.title)?;
        map.serialize_entry("chip", &self.chip)?;
        map.serialize_entry("about", &self.about)?;
        map.serialize_entry("parameters", &Sections(SECTIONS, &self.parameters))?;
        let rates: serde_json::Map<String, serde_json::Value> = RATES
            .iter()
            .map(|row| (row.key.to_owned(), serde_json::json!({ "per_second": (row.of)(self), "what": row.what })))
            .collect();
        map.serialize_entry("rates", &rates)?;
        map.end()
    }
}
