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
//! The numbers follow from the family. Where it has a [`VertexStage`], they are those of a [`Machine`]. Where the processor
//! of compute kernels runs all programs, they are those of a [`TeslaMachine`], with a table of its own,
//! [`TESLA_PARAMETERS`]. An [`AnyMachine`] is either; its [`Sheet`] is what both have.

mod any;
mod bundled;
mod chipset;
mod contradictions;
mod drawing;
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
mod tesla_machine;
mod tesla_parameters;

pub use any::{AnyMachine, Sheet};
pub use bundled::{Bundled, bundled, machine_names};
pub use chipset::chipset_named;
pub use drawing::DrawingMachine;
pub use error::{Fault, FaultKind, MachineError};
pub use families::{FAMILIES, NotRecordable, UnsupportedChipset, chip_of, is_recordable};
pub use family::{Family, MachineKind, VertexPipeline, VertexStage};
pub use find::{open, open_any, open_for, open_tesla};
pub use legal::{Legal, Value};
pub use nv40::DEFAULT_MACHINE;
pub use parameter::Parameter;
pub use parameters::{
    Bus, BusKind, Clocks, Compression, Fragment, FrontEnd, Machine, Memory, PARAMETERS, Prefetch, Replacement, Rop,
    SECTIONS, Setup, Texture, Vertex, Zcull,
};
pub use provenance::Provenance;
pub use rates::{RATES, Rate, RateRow, rate};
pub use read::read;
pub use sections::{ParameterRow, SectionRow};
pub use tesla::DEFAULT_TESLA_MACHINE;
pub use tesla_machine::TESLA_RATES;
pub use tesla_parameters::{
    TESLA_PARAMETERS, TESLA_SECTIONS, TeslaBus, TeslaClocks, TeslaConstant, TeslaFrontEnd, TeslaIssue, TeslaMachine,
    TeslaMemory, TeslaMultiprocessor, TeslaProcessor, TeslaRop, TeslaSetup, TeslaShared, TeslaTexture, TeslaZcull,
};

impl Machine {
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

impl Default for TeslaMachine {
    /// The default machine with a unified processor: [`DEFAULT_TESLA_MACHINE`].
    fn default() -> Self {
        open_tesla(DEFAULT_TESLA_MACHINE).expect("the bundled machines are read by a test")
    }
}
