//! Machines of compute kernels: chips with the Tesla processor, found by name or read from files like other machines.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::bundled::{Bundled, DEFAULT_TESLA_MACHINE, TESLA_MACHINES, bundled, names};
use super::error::MachineError;
use super::find::{open, read, read_file};
use super::parameter::{Parameter, Sections};
use super::parameters::Machine;
use super::read::is_tesla;
use super::tesla_parameters::{TESLA_SECTIONS, TeslaMachine};
use crate::isa::tesla::TeslaGeneration;
use crate::pipeline::launch::{LaunchLimits, WARP_THREADS};

/// Finds a machine of kernels: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, when it is a machine of graphics alone, or when the file has faults.
pub fn open_tesla(name: &str) -> Result<TeslaMachine, MachineError> {
    match open_of(name, &[TESLA_MACHINES])? {
        AnyMachine::Tesla(machine) => Ok(*machine),
        AnyMachine::Graphics(_) => {
            let (name, known) = (name.to_owned(), names(TESLA_MACHINES));
            Err(MachineError::OtherKind { name, kind: "graphics", wanted: "kernels", known })
        }
    }
}

/// A machine of either kind.
#[derive(Debug)]
pub enum AnyMachine {
    /// A machine of graphics streams.
    Graphics(Box<Machine>),
    /// A machine of compute kernels.
    Tesla(Box<TeslaMachine>),
}

/// Finds a machine of either kind: a bundled one by its name, or one in a file.
///
/// # Errors
/// When there is neither, or the file has faults.
pub fn open_any(name: &str) -> Result<AnyMachine, MachineError> {
    open_of(name, &[bundled(), TESLA_MACHINES])
}

/// The same; an error lists the known machines.
fn open_of(name: &str, known: &[&'static [Bundled]]) -> Result<AnyMachine, MachineError> {
    if let Some(machine) = TESLA_MACHINES.iter().find(|machine| machine.name == name) {
        return Ok(AnyMachine::Tesla(Box::new(read_tesla(machine.name, machine.text)?)));
    }
    if bundled().iter().any(|machine| machine.name == name) {
        return Ok(AnyMachine::Graphics(Box::new(open(name)?)));
    }
    let (file, text) = read_file(Path::new(name), known)?;
    Ok(match is_tesla(&text) {
        true => AnyMachine::Tesla(Box::new(read_tesla(&file, &text)?)),
        false => AnyMachine::Graphics(Box::new(read(&file, &text)?)),
    })
}

/// Reads a machine of kernels from the text of a file; errors call it `file`.
///
/// # Errors
/// When the text has faults; all of them are collected.
pub fn read_tesla(file: &str, text: &str) -> Result<TeslaMachine, MachineError> {
    super::read::read_tesla(file, text)
}

impl TeslaMachine {
    /// Every parameter with its provenance and source, in the order of the table.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Its multiprocessors.
    #[must_use]
    pub const fn multiprocessors(&self) -> u32 {
        self.processor.clusters * self.processor.cluster_multiprocessors
    }

    /// Clocks that an instruction of a warp occupies the scalar processors.
    #[must_use]
    pub const fn scalar_clocks(&self) -> u32 {
        WARP_THREADS / self.processor.scalar_units
    }

    /// Clocks that an instruction of a warp occupies the special function units.
    #[must_use]
    pub const fn special_clocks(&self) -> u32 {
        WARP_THREADS / self.processor.special_units
    }

    /// Bytes per second between the chip and its memory.
    #[must_use]
    pub fn memory_bytes_per_second(&self) -> f64 {
        let bytes_per_transfer = f64::from(self.memory.partitions * self.memory.partition_bits) / 8.0;
        self.clocks.memory_mhz * 1e6 * f64::from(self.clocks.memory_transfers_per_clock) * bytes_per_transfer
    }

    /// Bytes per clock of the processor between the chip and its memory.
    #[must_use]
    pub fn memory_bytes_per_clock(&self) -> f64 {
        self.memory_bytes_per_second() / (self.clocks.processor_mhz * 1e6)
    }

    /// What a launch can ask for on this machine.
    #[must_use]
    pub const fn limits(&self) -> LaunchLimits {
        let held = &self.multiprocessor;
        LaunchLimits {
            block_threads: held.block_threads,
            thread_registers: held.thread_registers,
            registers: held.registers,
            register_step: held.register_step,
            shared_bytes: held.shared_bytes,
            ..LaunchLimits::G80
        }
    }

    /// Whether it has the instructions of a generation.
    #[must_use]
    pub fn runs(&self, generation: TeslaGeneration) -> bool {
        generation <= self.processor.generation
    }

    /// Its peak rates: the name, the rate per second, and the formula.
    #[must_use]
    pub fn rates(&self) -> [(&'static str, f64, &'static str); 3] {
        let clock = self.clocks.processor_mhz * 1e6;
        let operations = |units: u32| clock * f64::from(self.multiprocessors() * units);
        [
            ("multiply_adds", operations(self.processor.scalar_units), "multiprocessors × scalar_units × clock"),
            ("special_functions", operations(self.processor.special_units), "multiprocessors × special_units × clock"),
            (
                "memory_bandwidth",
                self.memory_bytes_per_second(),
                "partitions × partition_bits / 8 × memory_transfers_per_clock × memory_mhz",
            ),
        ]
    }
}

impl Default for TeslaMachine {
    /// The default machine of kernels: [`DEFAULT_TESLA_MACHINE`].
    fn default() -> Self {
        open_tesla(DEFAULT_TESLA_MACHINE).expect("the bundled machines are read by a test")
    }
}

impl Serialize for TeslaMachine {
    /// An object with `name`, `title`, `chip`, `about`, `parameters` by section and key, and `rates` per second by key.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("title", &self.title)?;
        map.serialize_entry("chip", &self.chip)?;
        map.serialize_entry("about", &self.about)?;
        map.serialize_entry("parameters", &Sections(TESLA_SECTIONS, &self.parameters))?;
        let rates = self.rates().map(|(key, rate, _)| (key.to_owned(), serde_json::json!({ "per_second": rate })));
        map.serialize_entry("rates", &serde_json::Map::from_iter(rates))?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(name: &str) -> TeslaMachine {
        open_tesla(name).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The limits of launches are those of the programming guide: two sources of the same numbers.
    #[test]
    fn limits_are_those_of_the_generation() {
        for bundled in TESLA_MACHINES {
            let machine = machine(bundled.name);
            assert_eq!(machine.limits(), LaunchLimits::of(machine.processor.generation), "{}", bundled.name);
        }
    }

    /// IEEE Micro 28(2): 36 Gflops of a multiprocessor at 1.5 GHz, 12 of them products of the special function units, and
    /// 104 GB/s. The advertised numbers of the GTX: 345.6 Gflops of multiply-adds, 86.4 GB/s; of the GTX 280: 622 Gflops
    /// of multiply-adds and 141.7 GB/s.
    #[test]
    fn peak_rates_are_those_that_were_printed() {
        let rates = |name: &str| {
            let machine = machine(name);
            [2.0 * machine.rates()[0].1 / 1e9, machine.rates()[2].1 / 1e9].map(|rate| (rate * 10.0).round() / 10.0)
        };
        assert_eq!(rates("geforce-8800-ultra"), [24.0 * 16.0, 103.7]);
        assert_eq!(rates("geforce-8800-gtx"), [345.6, 86.4]);
        assert_eq!(rates("geforce-gtx-280"), [622.1, 141.7]);
    }

    #[test]
    fn a_warp_takes_four_clocks_of_scalars_and_sixteen_of_special_functions() {
        let machine = TeslaMachine::default();
        assert_eq!((machine.scalar_clocks(), machine.special_clocks(), machine.multiprocessors()), (4, 16, 16));
    }

    #[test]
    fn each_kind_of_machine_is_refused_where_the_other_is_wanted() {
        let error = open_tesla("geforce-3").unwrap_err().to_string();
        let known = "geforce-8800-gtx, geforce-8800-ultra, geforce-gtx-280";
        assert_eq!(error, format!("'geforce-3' is a machine of graphics, not of kernels; those are {known}"));
        let error = open("geforce-8800-gtx").unwrap_err().to_string();
        assert!(
            error.starts_with("'geforce-8800-gtx' is a machine of kernels, not of graphics; those are geforce-6800")
        );
    }

    #[test]
    fn files_of_kernels_are_told_by_family_or_base() {
        let entry = "{ value = 8, provenance = \"estimate\", source = \"s\" }";
        let text = format!("base = \"geforce-8800-gtx\"\ntitle = \"Eight\"\n[memory]\npartitions = {entry}\n");
        let machine = read_tesla("my.toml", &text).unwrap();
        assert_eq!((machine.memory.partitions, machine.chip.as_str()), (8, "G80"));
        let other = |text: &str| read_tesla("my.toml", text).unwrap_err().to_string();
        let found = other("base = \"geforce-3\"\ntitle = \"T\"\n");
        assert!(found.starts_with("my.toml:1:8: base: base 'geforce-3' is not a bundled machine"), "{found}");
        let found = other("base = \"geforce-8800-gtx\"\nfamily = \"nv40\"\ntitle = \"T\"\n");
        assert_eq!(found, "my.toml:2:10: family: family 'nv40' is unknown; known: tesla");
        let found = other("base = \"geforce-8800-gtx\"\ntitle = \"T\"\n[vertex]\n");
        assert!(
            found.starts_with("my.toml:3:2: vertex: unknown key; known here: base, title, chip, about, family, clocks")
        );
    }
}
