//! Computes the peak rates of a machine: units × clocks, as products advertise them.

use super::parameters::Machine;

/// A peak rate that follows from a machine's parameters.
#[derive(Debug, Clone, Copy)]
pub struct RateRow<Of = Machine> {
    /// The name in files and tables.
    pub key: &'static str,
    /// What is counted, in a few words.
    pub what: &'static str,
    /// The printed unit.
    pub unit: &'static str,
    /// The counts per printed unit.
    pub scale: f64,
    /// Its formula in terms of parameters.
    pub formula: &'static str,
    /// The rate per second, unscaled.
    pub of: fn(&Of) -> f64,
}

/// A peak rate of a machine.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// The name in files and tables.
    pub key: &'static str,
    /// What is counted, in a few words.
    pub what: &'static str,
    /// The printed unit.
    pub unit: &'static str,
    /// The rate in that unit.
    pub printed: f64,
    /// The rate per second.
    pub per_second: f64,
    /// Its formula in terms of parameters.
    pub formula: &'static str,
}

impl<Of> RateRow<Of> {
    /// The rate of a machine.
    pub fn rate(&self, machine: &Of) -> Rate {
        let Self { key, what, unit, scale, formula, of } = *self;
        let per_second = of(machine);
        Rate { key, what, unit, printed: per_second / scale, per_second, formula }
    }
}

const MILLION: f64 = 1e6;
/// 1 GB is 1,000,000,000 bytes, as in the documents.
const BILLION: f64 = 1e9;

/// All peak rates, from the front of the pipeline to the memory.
pub const RATES: &[RateRow] = &[
    RateRow {
        key: "vertices",
        what: "vertices with the shortest transform",
        unit: "Mvertices/s",
        scale: MILLION,
        formula: "vertex.units / vertex.transform_clocks × clock",
        of: |machine| clock(machine) * f64::from(machine.vertex.units) / machine.vertex.transform_clocks,
    },
    RateRow {
        key: "vertex_vectors",
        what: "vector operations of vertex programs, each with a scalar one beside it",
        unit: "Mops/s",
        scale: MILLION,
        formula: "vertex.units / vertex.vector_clocks × clock",
        of: |machine| clock(machine) * f64::from(machine.vertex.units) / machine.vertex.vector_clocks,
    },
    RateRow {
        key: "triangles",
        what: "triangles set up",
        unit: "Mtriangles/s",
        scale: MILLION,
        formula: "setup.triangles_per_clock × clock",
        of: |machine| clock(machine) * machine.setup.triangles_per_clock,
    },
    RateRow {
        key: "zcull_pixels",
        what: "pixels that z-cull rejects",
        unit: "Mpixels/s",
        scale: MILLION,
        formula: "zcull.pixels_per_clock × clock",
        of: |machine| clock(machine) * machine.zcull.pixels_per_clock,
    },
    RateRow {
        key: "fragment_vectors",
        what: "multiply-adds of four components in fragment programs, each with a multiply beside it",
        unit: "Mops/s",
        scale: MILLION,
        formula: "fragment.quad_pipes × fragment.pixels_per_pipe × clock",
        of: |machine| clock(machine) * fragments_per_clock(machine),
    },
    RateRow {
        key: "texels",
        what: "bilinear texture lookups",
        unit: "Mtexels/s",
        scale: MILLION,
        formula: "texture.lookups_per_clock × clock",
        of: |machine| clock(machine) * f64::from(machine.texture.lookups_per_clock),
    },
    RateRow {
        key: "pixels",
        what: "pixels with one texture, color and depth",
        unit: "Mpixels/s",
        scale: MILLION,
        formula: "minimum of rop.units, fragments and lookups per clock, × clock",
        of: |machine| fill(machine, 1, 1),
    },
    RateRow {
        key: "depth_only_pixels",
        what: "pixels with depth and stencil only",
        unit: "Mpixels/s",
        scale: MILLION,
        formula: "rop.units × rop.depth_only_pixels × clock",
        of: |machine| clock(machine) * f64::from(machine.rop.units * machine.rop.depth_only_pixels),
    },
    RateRow {
        key: "pixels_4x_one_texture",
        what: "pixels of four samples with one texture",
        unit: "Mpixels/s",
        scale: MILLION,
        formula: "as pixels, with at most rop.units × rop.samples_per_clock / 4 per clock",
        of: |machine| fill(machine, 4, 1),
    },
    RateRow {
        key: "pixels_4x_two_textures",
        what: "pixels of four samples with two textures",
        unit: "Mpixels/s",
        scale: MILLION,
        formula: "as pixels_4x_one_texture, with two lookups and two clocks of a fragment",
        of: |machine| fill(machine, 4, 2),
    },
    RateRow {
        key: "memory_bandwidth",
        what: "bytes to and from memory",
        unit: "GB/s",
        scale: BILLION,
        formula: "memory.partitions × memory.partition_bits / 8 × clocks.memory_transfers_per_clock × memory clock",
        of: Machine::memory_bytes_per_second,
    },
    RateRow {
        key: "effective_bandwidth",
        what: "bytes to and from memory, a third each texture, color and depth, compressed as assumed",
        unit: "GB/s",
        scale: BILLION,
        formula: "memory_bandwidth × mean of compression.assumed_ratio for textures, color and depth, 1 where none is",
        of: effective_bandwidth,
    },
    RateRow {
        key: "bus_to_chip",
        what: "bytes from the host",
        unit: "GB/s",
        scale: BILLION,
        formula: "bus.to_chip",
        of: |machine| machine.bus.to_chip * MILLION,
    },
];

/// A peak rate per second by its key in [`RATES`].
pub fn rate(machine: &Machine, key: &str) -> Option<f64> {
    RATES.iter().find(|row| row.key == key).map(|row| (row.of)(machine))
}

fn clock(machine: &Machine) -> f64 {
    machine.clocks.core_mhz * MILLION
}

fn fragments_per_clock(machine: &Machine) -> f64 {
    f64::from(machine.fragment.quad_pipes) * f64::from(machine.fragment.pixels_per_pipe)
}

/// Pixels per second with `samples` samples and `textures` textures; a fragment can look up one texture per clock.
fn fill(machine: &Machine, samples: u32, textures: u32) -> f64 {
    let rop = &machine.rop;
    let merged = f64::from(rop.units) * (f64::from(rop.samples_per_clock) / f64::from(samples)).min(1.0);
    let looked_up = f64::from(machine.texture.lookups_per_clock) / f64::from(textures);
    let shaded = fragments_per_clock(machine) / f64::from(textures);
    clock(machine) * merged.min(looked_up).min(shaded)
}

/// Counts all textures as compressed, as GPU Gems 2's historical table assumes 4:1 "in all cases".
fn effective_bandwidth(machine: &Machine) -> f64 {
    let compression = &machine.compression;
    let ratio = |is_compressed: bool| if is_compressed { compression.assumed_ratio } else { 1.0 };
    machine.memory_bytes_per_second() * (ratio(true) + ratio(compression.color) + ratio(compression.depth)) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Machine, open};

    fn assert_rates(name: &str, expected: &[(&str, f64)]) {
        let machine = open(name).unwrap();
        for &(key, value) in expected {
            let row = RATES.iter().find(|row| row.key == key).unwrap();
            let scaled = (row.of)(&machine) / row.scale;
            assert!((scaled - value).abs() < 1e-6 * value, "{name}: {key} is {scaled} {}, not {value}", row.unit);
        }
    }

    /// GPU Gems 2, section 30.4 and Figure 30-2: per second 600 million vertices, 6.4 billion texels, 12.8 billion
    /// pixels of depth and stencil; per clock 6 vector operations on vertices, 16 on fragments, 64 pixels of
    /// z-cull; 550 MHz × 256 bits × 2 transfers.
    #[test]
    fn the_default_machine_has_the_headline_rates() {
        assert_eq!(Machine::default().name, "geforce-6800-ultra");
        assert_rates(
            "geforce-6800-ultra",
            &[
                ("vertices", 600.0),
                ("vertex_vectors", 6.0 * 400.0),
                ("zcull_pixels", 64.0 * 400.0),
                ("fragment_vectors", 16.0 * 400.0),
                ("texels", 6400.0),
                ("pixels", 6400.0),
                ("depth_only_pixels", 12_800.0),
                ("memory_bandwidth", 35.2),
                ("effective_bandwidth", 140.8),
            ],
        );
    }

    /// The last row of GPU Gems 2's historical table, before rounding: its clock is 425 MHz.
    #[test]
    fn at_425_mhz_the_rates_are_those_of_the_historical_table() {
        assert_rates(
            "geforce-6800-ultra-425",
            &[
                ("triangles", 170.0),
                ("vertices", 637.5),
                ("pixels", 6800.0),
                ("depth_only_pixels", 13_600.0),
                ("pixels_4x_one_texture", 6800.0),
                ("pixels_4x_two_textures", 3400.0),
                ("texels", 6800.0),
                ("memory_bandwidth", 35.2),
                ("effective_bandwidth", 140.8),
            ],
        );
    }

    /// Tom's Hardware on the GeForce 6600 GT: 375 million vertices and 2000 million pixels per second, 16.0 GB/s;
    /// The Tech Report: 4000 million texels. The memory rates of the GT and the 6200 follow from clock × bus.
    #[test]
    fn smaller_machines_have_the_printed_rates() {
        let printed = [("vertices", 375.0), ("pixels", 2000.0), ("texels", 4000.0), ("memory_bandwidth", 16.0)];
        assert_rates("geforce-6600-gt", &printed);
        assert_rates("geforce-6800-gt", &[("pixels", 5600.0), ("texels", 5600.0), ("memory_bandwidth", 32.0)]);
        let smallest = [("pixels", 1200.0), ("memory_bandwidth", 8.8), ("effective_bandwidth", 17.6)];
        assert_rates("geforce-6200", &smallest);
    }

    /// The row of GPU Gems 2's historical table, where 33 million vertices are rounded.
    #[test]
    fn the_geforce_3_has_the_rates_of_the_historical_table() {
        assert_rates(
            "geforce-3",
            &[
                ("triangles", 30.0),
                ("vertices", 200.0 / 6.0),
                ("vertex_vectors", 200.0),
                ("pixels", 800.0),
                ("depth_only_pixels", 800.0),
                ("pixels_4x_one_texture", 400.0),
                ("pixels_4x_two_textures", 400.0),
                ("texels", 1600.0),
                ("memory_bandwidth", 7.36),
            ],
        );
    }

    #[test]
    fn a_rate_follows_the_fields() {
        let mut machine = Machine::default();
        machine.rop.samples_per_clock = 2;
        machine.fragment.quad_pipes = 3;
        assert_eq!(rate(&machine, "pixels_4x_one_texture"), Some(8.0 * 400e6));
        assert_eq!(rate(&machine, "pixels"), Some(12.0 * 400e6));
        assert_eq!(rate(&machine, "wishes"), None);
    }
}
