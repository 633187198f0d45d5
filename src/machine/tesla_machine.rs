//! What follows from the numbers of a machine with the Tesla processor: units, clocks, limits of launches, peak rates.

use super::rates::RateRow;
use super::tesla_parameters::TeslaMachine;
use crate::isa::tesla::TeslaGeneration;
use crate::pipeline::launch::{LaunchLimits, WARP_THREADS};

impl TeslaMachine {
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

    /// Clocks that the interpolation of an attribute for a warp occupies the special function units.
    #[must_use]
    pub fn interpolation_clocks(&self) -> u32 {
        (WARP_THREADS / (self.processor.special_units * self.processor.interpolated_threads)).max(1)
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
}

/// The peak rates of unified machines.
pub const TESLA_RATES: &[RateRow<TeslaMachine>] = &[
    RateRow {
        key: "multiply_adds",
        what: "multiply-adds of threads",
        unit: "Gops/s",
        scale: 1e9,
        formula: "multiprocessors × scalar_units × clock",
        of: |machine| operations(machine, machine.processor.scalar_units),
    },
    RateRow {
        key: "special_functions",
        what: "special functions of threads",
        unit: "Gops/s",
        scale: 1e9,
        formula: "multiprocessors × special_units × clock",
        of: |machine| operations(machine, machine.processor.special_units),
    },
    RateRow {
        key: "triangles",
        what: "triangles set up",
        unit: "Mtriangles/s",
        scale: 1e6,
        formula: "setup.triangles_per_clock × core clock",
        of: |machine| core_clock(machine) * machine.setup.triangles_per_clock,
    },
    RateRow {
        key: "zcull_pixels",
        what: "pixels that z-cull rejects",
        unit: "Gpixels/s",
        scale: 1e9,
        formula: "zcull.pixels_per_clock × core clock",
        of: |machine| core_clock(machine) * machine.zcull.pixels_per_clock,
    },
    RateRow {
        key: "texels",
        what: "bilinear texture lookups",
        unit: "Gtexels/s",
        scale: 1e9,
        formula: "clusters × minimum of address_units and filter_units × core clock",
        of: |machine| samples(machine, machine.texture.address_units.min(machine.texture.filter_units)),
    },
    RateRow {
        key: "filtered_samples",
        what: "bilinear samples, several for each lookup",
        unit: "Gsamples/s",
        scale: 1e9,
        formula: "clusters × filter_units × core clock",
        of: |machine| samples(machine, machine.texture.filter_units),
    },
    RateRow {
        key: "pixels",
        what: "pixels with color and depth",
        unit: "Gpixels/s",
        scale: 1e9,
        formula: "partitions × rop.pixels × core clock",
        of: |machine| merged(machine, machine.rop.pixels),
    },
    RateRow {
        key: "blended_pixels",
        what: "blended pixels",
        unit: "Gpixels/s",
        scale: 1e9,
        formula: "pixels / rop.blend_clocks",
        of: |machine| merged(machine, machine.rop.pixels) / machine.rop.blend_clocks,
    },
    RateRow {
        key: "depth_only_pixels",
        what: "pixels with depth and stencil only",
        unit: "Gpixels/s",
        scale: 1e9,
        formula: "partitions × rop.depth_only_pixels × core clock",
        of: |machine| merged(machine, machine.rop.depth_only_pixels),
    },
    RateRow {
        key: "memory_bandwidth",
        what: "bytes to and from memory",
        unit: "GB/s",
        scale: 1e9,
        formula: "partitions × partition_bits / 8 × memory_transfers_per_clock × memory_mhz",
        of: TeslaMachine::memory_bytes_per_second,
    },
];

/// Operations per second of units that each multiprocessor has.
fn operations(machine: &TeslaMachine, units: u32) -> f64 {
    machine.clocks.processor_mhz * 1e6 * f64::from(machine.multiprocessors() * units)
}

/// The clock of the chip but for the processor, in Hz.
const fn core_clock(machine: &TeslaMachine) -> f64 {
    machine.clocks.core_mhz * 1e6
}

/// Samples per second, if each texture unit takes `per_clock` of them.
fn samples(machine: &TeslaMachine, per_clock: u32) -> f64 {
    core_clock(machine) * f64::from(machine.processor.clusters * per_clock)
}

/// Pixels per second, if each ROP finishes `per_clock` of them.
fn merged(machine: &TeslaMachine, per_clock: u32) -> f64 {
    core_clock(machine) * f64::from(machine.memory.partitions * per_clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{MachineKind, machine_names, open_tesla};

    fn machine(name: &str) -> TeslaMachine {
        open_tesla(name).unwrap_or_else(|error| panic!("{error}"))
    }

    fn rate(name: &str, key: &str) -> f64 {
        let row = TESLA_RATES.iter().find(|row| row.key == key).unwrap();
        row.rate(&machine(name)).printed
    }

    /// The limits of launches are those of the programming guide: two sources of the same numbers.
    #[test]
    fn limits_are_those_of_the_generation() {
        for name in machine_names(Some(MachineKind::Unified)) {
            let machine = machine(name);
            assert_eq!(machine.limits(), LaunchLimits::of(machine.processor.generation), "{name}");
        }
    }

    /// IEEE Micro 28(2): 36 Gflops of a multiprocessor at 1.5 GHz, 12 of them products of the special function units, and
    /// 104 GB/s. The advertised numbers of the GTX: 345.6 Gflops of multiply-adds, 86.4 GB/s; of the GTX 280: 622 Gflops
    /// of multiply-adds and 141.7 GB/s.
    #[test]
    fn peak_rates_are_those_that_were_printed() {
        let rates = |name: &str| {
            let [multiply_adds, bandwidth] = ["multiply_adds", "memory_bandwidth"].map(|key| rate(name, key));
            [2.0 * multiply_adds, bandwidth].map(|rate| (rate * 10.0).round() / 10.0)
        };
        assert_eq!(rates("geforce-8800-ultra"), [24.0 * 16.0, 103.7]);
        assert_eq!(rates("geforce-8800-gtx"), [345.6, 86.4]);
        assert_eq!(rates("geforce-gtx-280"), [622.1, 141.7]);
        assert_eq!(rates("geforce-9800-gtx"), [432.1, 70.4]);
    }

    /// Of the 8800 GTX, 13.8 Gpixels/s and 36.8 Gsamples/s (Tom's Hardware, November 2006), 24 pixels a clock, 192 without
    /// color (bit-tech), and half the pixels blended (Tom's Hardware, June 2008); of the Ultra 38.4 Gsamples/s (IEEE Micro
    /// 28(2)); of the 9800 GTX 43.2 Gtexels/s.
    #[test]
    fn peak_rates_of_draws_are_those_that_were_printed() {
        let gtx = |key| rate("geforce-8800-gtx", key);
        assert!((gtx("pixels") - 13.8).abs() < 1e-9 && (gtx("filtered_samples") - 36.8).abs() < 1e-9);
        let per_clock = |key| (gtx(key) / 0.575).round();
        assert_eq!(["pixels", "depth_only_pixels", "blended_pixels"].map(per_clock), [24.0, 192.0, 12.0]);
        assert!((rate("geforce-8800-ultra", "filtered_samples") - 38.4).abs() < 1e-9);
        assert!((rate("geforce-9800-gtx", "texels") - 43.2).abs() < 1e-9);
        assert_eq!(rate("geforce-gtx-280", "blended_pixels"), rate("geforce-gtx-280", "pixels"));
    }

    #[test]
    fn a_warp_takes_four_clocks_of_scalars_and_sixteen_of_special_functions() {
        let machine = TeslaMachine::default();
        assert_eq!((machine.scalar_clocks(), machine.special_clocks(), machine.multiprocessors()), (4, 16, 16));
    }
}
