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
mod families;
mod family;
mod find;
pub mod historical;
mod legal;
mod nv20;
mod nv40;
mod parameter;
mod parameters;
mod pica200;
mod place;
mod provenance;
mod rates;
mod read;
mod sections;
mod tesla;
mod tesla_parameters;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

pub use bundled::{Bundled, DEFAULT_MACHINE, DEFAULT_TESLA_MACHINE, TESLA_MACHINES, bundled};
pub use chipset::{NotRecordable, chipset_named, is_recordable};
pub use error::{Fault, FaultKind, MachineError};
pub use families::{FAMILIES, UnsupportedChipset, chip_of};
pub use family::{Family, VertexPipeline};
pub use find::{open, open_for, read};
pub use legal::{Legal, Value};
pub use parameter::Parameter;
use parameter::Sections;
pub use parameters::{
    Bus, BusKind, Clocks, Compression, Fragment, FrontEnd, Machine, Memory, PARAMETERS, Prefetch, Replacement, Rop,
    SECTIONS, Setup, Texture, Vertex, Zcull,
};
pub use provenance::Provenance;
pub use rates::{RATES, RateRow, rate};
pub use sections::{ParameterRow, SectionRow};
pub use tesla::{AnyMachine, open_any, open_tesla, read_tesla};
pub use tesla_parameters::{
    TESLA_PARAMETERS, TESLA_SECTIONS, TeslaClocks, TeslaConstant, TeslaIssue, TeslaMachine, TeslaMemory,
    TeslaMultiprocessor, TeslaProcessor, TeslaShared,
};

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
