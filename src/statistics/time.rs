//! Turns the loads that draws put on the chip's units into clocks per unit, the bottleneck, and seconds on a
//! machine.
//!
//! The units work in parallel, so a draw takes as long as its slowest unit. Whether the units overlap two draws is
//! not known; a frame therefore has two bounds: all draws overlap, or none do.

use std::fmt;

use crate::machine::{BusKind, DrawingMachine, Machine, TeslaMachine, Texture};

/// The load of a draw, a clear or a copy on each unit. All counts add up over draws with the same number of
/// samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Loads {
    /// Methods, one word of the push buffer each.
    pub methods: u64,
    /// Packets, each with one word before its methods.
    pub packets: u64,
    /// Indices that the front end reads.
    pub indices: u64,
    /// Bytes from the host besides the push buffer: indices, vertices, textures and surfaces outside the chip's
    /// memory, and what the host writes to the chip's memory.
    pub bus_bytes: u64,
    /// Bytes to the host: surfaces and copies outside the chip's memory.
    pub host_bytes: u64,
    /// Clocks of one vertex unit, summed over all vertices.
    pub vertex_clocks: u64,
    /// Clocks of the chip in which the vertex units of another chip run their programs.
    pub other_vertex_clocks: u64,
    /// Fetches from vertex textures.
    pub vertex_lookups: u64,
    /// Triangles set up.
    pub triangles: u64,
    /// Triangles culled before setup.
    pub culled_triangles: u64,
    /// Pixels that the z-cull test rejects.
    pub zcull_pixels: u64,
    /// Quads that the early depth test processes.
    pub early_quads: u64,
    /// Clocks of one quad pipeline, summed over all shaded quads.
    pub quad_clocks: u64,
    /// Primitives that a unified chip's input assembler collects.
    pub assembled: u64,
    /// Components of attributes that it fetches.
    pub attributes: u64,
    /// Clocks of the processor, if one multiprocessor of a unified chip runs all warps.
    pub processor_clocks: u64,
    /// Texture lookups of pixels.
    pub texture: TextureLoads,
    /// Pixels with color writes, once per target, of 32 bits or fewer.
    pub pixels: u64,
    /// Pixels with writes of four half floats, once per target.
    pub half_float_pixels: u64,
    /// Of these, in pixels of 32 bits, those that are blended.
    pub blended_pixels: u64,
    /// Samples of these pixels; equal to their number without multisampling.
    pub samples: u64,
    /// Pixels that write only depth or stencil.
    pub depth_only_pixels: u64,
    /// Samples of these pixels.
    pub depth_only_samples: u64,
    /// Bytes to and from the chip's memory.
    pub memory: MemoryBytes,
    /// Memory clocks of the busiest partition, if a model of the memory has run; else zero.
    pub partition_clocks: u64,
}

impl Loads {
    /// All bytes that cross the bus, with those of the push buffer.
    #[must_use]
    pub const fn bytes_from_host(&self) -> u64 {
        let words = self.methods.saturating_add(self.packets);
        self.bus_bytes.saturating_add(words.saturating_mul(4))
    }
}

/// Lookups of pixels in units of bilinear ones: a longer lookup counts as the bilinear ones that take the same
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct TextureLoads {
    /// In formats of four half floats.
    pub half_floats: u64,
    /// In formats of four single floats.
    pub single_floats: u64,
    /// In all other formats.
    pub others: u64,
    /// Lookups of pixels, each with one address, however many samples it takes.
    pub addresses: u64,
}

impl TextureLoads {
    /// Clocks that `units` texture units take together.
    #[must_use]
    pub fn clocks(&self, texture: &Texture, units: f64) -> f64 {
        let half_floats = count(self.half_floats) * texture.half_float_clocks;
        let single_floats = count(self.single_floats) * texture.single_float_clocks;
        (count(self.others) + half_floats + single_floats) / units
    }
}

impl std::iter::Sum for TextureLoads {
    fn sum<I: Iterator<Item = Self>>(loads: I) -> Self {
        loads.fold(Self::default(), |sum, each| Self {
            half_floats: sum.half_floats + each.half_floats,
            single_floats: sum.single_floats + each.single_floats,
            others: sum.others + each.others,
            addresses: sum.addresses + each.addresses,
        })
    }
}

/// Bytes to and from the chip's memory by client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct MemoryBytes {
    /// Texture caches.
    pub texture: u64,
    /// Color surfaces.
    pub color: u64,
    /// Depth and stencil surfaces.
    pub depth: u64,
    /// Vertices.
    pub vertex: u64,
    /// Indices.
    pub index: u64,
    /// Copies and images.
    pub copy: u64,
    /// Scan-out to the display.
    pub scan_out: u64,
    /// Writes of the host.
    pub host: u64,
}

impl MemoryBytes {
    /// Adds other bytes.
    pub const fn add(&mut self, other: &Self) {
        let Self { texture, color, depth, vertex, index, copy, scan_out, host } = other;
        self.texture += *texture;
        self.color += *color;
        self.depth += *depth;
        self.vertex += *vertex;
        self.index += *index;
        self.copy += *copy;
        self.scan_out += *scan_out;
        self.host += *host;
    }

    /// All bytes.
    pub fn total(&self) -> u64 {
        let Self { texture, color, depth, vertex, index, copy, scan_out, host } = *self;
        [texture, color, depth, vertex, index, copy, scan_out, host].into_iter().fold(0, u64::saturating_add)
    }
}

/// A unit of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Commands and indices, and the bus that carries them.
    FrontEnd,
    /// The vertex units.
    Vertex,
    /// Culling and setup.
    Setup,
    /// Rasterization, z-cull and early depth tests.
    Raster,
    /// The fragment pipelines.
    Shader,
    /// The texture units.
    Texture,
    /// The ROP.
    Rop,
    /// The memory.
    Memory,
}

impl Unit {
    /// All units in the order of the pipeline.
    pub const ALL: [Self; 8] =
        [Self::FrontEnd, Self::Vertex, Self::Setup, Self::Raster, Self::Shader, Self::Texture, Self::Rop, Self::Memory];

    /// Its name in files.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::FrontEnd => "front_end",
            Self::Vertex => "vertex",
            Self::Setup => "set_up",
            Self::Raster => "raster",
            Self::Shader => "shader",
            Self::Texture => "texture",
            Self::Rop => "rop",
            Self::Memory => "memory",
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrontEnd => "front end and bus",
            Self::Vertex => "vertex",
            Self::Setup => "set-up",
            Self::Raster => "raster and z-cull",
            Self::Shader => "shader",
            Self::Texture => "texture",
            Self::Rop => "ROP",
            Self::Memory => "memory",
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Clocks of the chip that each unit is busy.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct UnitClocks {
    /// In the order of [`Unit::ALL`].
    clocks: [f64; Unit::ALL.len()],
}

impl UnitClocks {
    /// Returns the clocks that a machine's units take for loads.
    pub fn of<'machine>(machine: impl Into<DrawingMachine<'machine>>, loads: &Loads) -> Self {
        match machine.into() {
            DrawingMachine::Staged(machine) => Self::of_staged(machine, loads),
            DrawingMachine::Unified(machine) => Self::of_unified(machine, loads),
        }
    }

    /// The clocks of a chip with one processor for the programs of all stages. The input assembler is its vertex unit.
    fn of_unified(machine: &TeslaMachine, loads: &Loads) -> Self {
        let TeslaMachine { clocks, bus, front_end, setup, zcull, texture, rop, memory, processor, .. } = machine;
        let hertz = clocks.core_mhz * 1e6;
        let words = (count(loads.methods) + count(loads.packets)) / front_end.methods_per_clock;
        let over_bus = count(loads.bytes_from_host().max(loads.host_bytes)) / (bus.megabytes_per_second * 1e6) * hertz;
        let assembled = count(loads.assembled) / front_end.primitives_per_clock;
        let attributes = count(loads.attributes) / front_end.attributes_per_clock;
        let set_up = count(loads.triangles) / setup.triangles_per_clock;
        let culled = count(loads.culled_triangles) / setup.culled_per_clock;
        let issued = count(loads.processor_clocks) / f64::from(machine.multiprocessors());
        let lookups = &loads.texture;
        let addresses = count(lookups.addresses) / f64::from(texture.address_units);
        let samples = count(lookups.others)
            + count(lookups.half_floats) * texture.half_float_clocks
            + count(lookups.single_floats) * texture.single_float_clocks;
        let filtered = samples / f64::from(texture.filter_units);
        let colors = count(loads.pixels) + count(loads.half_float_pixels) * rop.half_float_clocks;
        let blended = count(loads.blended_pixels) * (rop.blend_clocks - 1.0);
        let merged = (colors + blended) / f64::from(rop.pixels);
        let merged = merged.max(count(loads.samples) / f64::from(rop.color_samples));
        let depth_only = count(loads.depth_only_samples) / f64::from(rop.depth_only_pixels);
        let streamed = count(loads.memory.total()) / machine.memory_bytes_per_second() * hertz;
        let busiest = count(loads.partition_clocks) / clocks.memory_mhz * clocks.core_mhz;
        let clocks = Unit::ALL.map(|unit| match unit {
            Unit::FrontEnd => words.max(over_bus),
            Unit::Vertex => assembled.max(attributes),
            Unit::Setup => set_up + culled,
            Unit::Raster => count(loads.zcull_pixels) / zcull.pixels_per_clock,
            Unit::Shader => issued / clocks.processor_mhz * clocks.core_mhz,
            Unit::Texture => addresses.max(filtered) / f64::from(processor.clusters),
            Unit::Rop => (merged + depth_only) / f64::from(memory.partitions),
            Unit::Memory => streamed.max(busiest),
        });
        Self { clocks }
    }

    fn of_staged(machine: &Machine, loads: &Loads) -> Self {
        let Machine { clocks, bus, front_end, vertex, setup, zcull, fragment, texture, rop, prefetch, .. } = machine;
        let hertz = clocks.core_mhz * 1e6;
        let words = (count(loads.methods) + count(loads.packets)) / front_end.methods_per_clock;
        let indices = count(loads.indices) / front_end.indices_per_clock;
        let to_chip = count(loads.bytes_from_host()) / (bus.to_chip * 1e6) * hertz;
        let from_chip = count(loads.host_bytes) / (bus.from_chip * 1e6) * hertz;
        let over_bus = match bus.kind {
            // Both directions share the lines.
            BusKind::Agp => to_chip + from_chip,
            BusKind::PciExpress => to_chip.max(from_chip),
        };
        let vertex_clocks = count(loads.vertex_clocks);
        let vertex_latency = count(loads.vertex_lookups) * f64::from(prefetch.memory_latency);
        // A unit processes other vertices while one waits.
        let vertex_clocks = vertex_clocks.max((vertex_clocks + vertex_latency) / f64::from(vertex.threads_per_unit));
        let set_up = count(loads.triangles) / setup.triangles_per_clock;
        let culled = count(loads.culled_triangles) / setup.culled_per_clock;
        let rejected = count(loads.zcull_pixels) / zcull.pixels_per_clock;
        let early = count(loads.early_quads) / zcull.early_quads_per_clock;
        let merged = count(loads.pixels) + count(loads.half_float_pixels) * rop.half_float_clocks;
        let merged = merged.max(count(loads.samples) / f64::from(rop.samples_per_clock));
        let depth_only = count(loads.depth_only_pixels) / f64::from(rop.depth_only_pixels);
        let depth_only = depth_only.max(count(loads.depth_only_samples) / f64::from(rop.samples_per_clock));
        let streamed = count(loads.memory.total()) / machine.memory_bytes_per_second() * hertz;
        let busiest = count(loads.partition_clocks) / clocks.memory_mhz * clocks.core_mhz;
        let clocks = Unit::ALL.map(|unit| match unit {
            Unit::FrontEnd => (words + indices).max(over_bus),
            Unit::Vertex => vertex_clocks / f64::from(vertex.units) + count(loads.other_vertex_clocks),
            Unit::Setup => set_up + culled,
            Unit::Raster => rejected + early,
            Unit::Shader => count(loads.quad_clocks) / f64::from(fragment.quad_pipes),
            Unit::Texture => loads.texture.clocks(texture, texture.lookups_per_clock.into()),
            Unit::Rop => (merged + depth_only) / f64::from(rop.units),
            Unit::Memory => streamed.max(busiest),
        });
        Self { clocks }
    }

    /// The clocks of a unit.
    pub fn get(&self, unit: Unit) -> f64 {
        Unit::ALL.iter().zip(self.clocks).find(|(each, _)| **each == unit).map_or(0.0, |(_, clocks)| clocks)
    }

    /// Sets the clocks of a unit.
    pub fn set(&mut self, unit: Unit, clocks: f64) {
        self.clocks[unit as usize] = clocks;
    }

    /// The unit with the most clocks, the first of several; none if all are idle.
    pub fn bottleneck(&self) -> Option<Unit> {
        let most = self.most();
        Unit::ALL.into_iter().find(|unit| most > 0.0 && self.get(*unit) >= most)
    }

    /// The clocks of the busiest unit.
    pub fn most(&self) -> f64 {
        self.clocks.into_iter().fold(0.0, f64::max)
    }

    /// Each unit with its clocks, in the order of the pipeline.
    pub fn iter(&self) -> impl Iterator<Item = (Unit, f64)> {
        Unit::ALL.into_iter().zip(self.clocks)
    }
}

/// Counts beyond 2^53 lose their last bits; no rate is known that exactly.
fn count(number: u64) -> f64 {
    number as f64
}

/// The time of several draws, such as a frame's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Time {
    /// Clocks of each unit, over all draws.
    pub units: UnitClocks,
    /// Clocks if no two draws overlap: the sum of each draw's slowest unit.
    pub apart: f64,
}

impl Time {
    /// Adds a draw that takes at least so many clocks if nothing overlaps it.
    pub fn add(&mut self, draw: &UnitClocks, least: f64) {
        for (sum, clocks) in self.units.clocks.iter_mut().zip(draw.clocks) {
            *sum += clocks;
        }
        self.apart += draw.most().max(least);
    }

    /// Clocks if all draws overlap: those of the unit that is busiest over all of them.
    pub fn together(&self) -> f64 {
        self.units.most()
    }

    /// Seconds if all draws overlap and if none do, the least and the most.
    pub fn seconds<'machine>(&self, machine: impl Into<DrawingMachine<'machine>>) -> [f64; 2] {
        let hertz = machine.into().core_hertz();
        [self.together(), self.apart].map(|clocks| clocks / hertz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::rate;

    fn bilinear(others: u64) -> TextureLoads {
        TextureLoads { others, ..TextureLoads::default() }
    }

    /// What the default machine does in one second, by the headline rates of GPU Gems 2, section 30.4.
    fn a_second_of(unit: Unit) -> Loads {
        match unit {
            Unit::FrontEnd => Loads { bus_bytes: 2_112_000_000, ..Loads::default() },
            Unit::Vertex => Loads { vertex_clocks: 600_000_000 * 4, ..Loads::default() },
            Unit::Setup => Loads { triangles: 160_000_000, ..Loads::default() },
            Unit::Raster => Loads { zcull_pixels: 64 * 400_000_000, ..Loads::default() },
            Unit::Shader => Loads { quad_clocks: 4 * 400_000_000, ..Loads::default() },
            Unit::Texture => Loads { texture: bilinear(6_400_000_000), ..Loads::default() },
            Unit::Rop => {
                Loads { depth_only_pixels: 12_800_000_000, depth_only_samples: 12_800_000_000, ..Loads::default() }
            }
            Unit::Memory => {
                let memory = MemoryBytes { texture: 35_000_000_000, scan_out: 200_000_000, ..MemoryBytes::default() };
                Loads { memory, ..Loads::default() }
            }
        }
    }

    #[test]
    fn what_the_headline_rates_do_in_a_second_takes_one() {
        let machine = Machine::default();
        for unit in Unit::ALL {
            let clocks = UnitClocks::of(&machine, &a_second_of(unit));
            assert!((clocks.get(unit) - 400e6).abs() < 1.0, "{unit}: {clocks:?}");
            assert_eq!(clocks.bottleneck(), Some(unit));
            assert_eq!(clocks.iter().filter(|(_, clocks)| *clocks > 0.0).count(), 1);
        }
    }

    /// What a GeForce 8800 does in one second: of the GTX, 24 pixels a clock with color and depth, 192 with depth alone and 12
    /// blended ones (bit-tech, Tom's Hardware), 36.8 billion samples (Tom's Hardware), 256 pixels a clock rejected, a primitive
    /// and eight components of attributes a clock (Lindholm et al., IEEE Micro 28(2)).
    #[test]
    fn the_printed_rates_of_a_unified_chip_take_a_second() {
        let machine = TeslaMachine::default();
        let clock = 575_000_000;
        let depth_only = Loads { depth_only_pixels: 192 * clock, depth_only_samples: 192 * clock, ..Loads::default() };
        let colors = Loads { pixels: 24 * clock, samples: 24 * clock, ..Loads::default() };
        let blended = Loads { pixels: 12 * clock, blended_pixels: 12 * clock, samples: 12 * clock, ..Loads::default() };
        let four_samples = Loads { depth_only_pixels: 48 * clock, depth_only_samples: 192 * clock, ..Loads::default() };
        let half_floats = Loads { half_float_pixels: 12 * clock, samples: 12 * clock, ..Loads::default() };
        let filtered = TextureLoads { others: 36_800_000_000, addresses: 18_400_000_000, ..TextureLoads::default() };
        let memory = MemoryBytes { texture: 86_400_000_000, ..MemoryBytes::default() };
        for (unit, loads) in [
            (Unit::Rop, colors),
            (Unit::Rop, blended),
            (Unit::Rop, depth_only),
            (Unit::Rop, four_samples),
            (Unit::Rop, half_floats),
            (Unit::Texture, Loads { texture: filtered, ..Loads::default() }),
            (Unit::Raster, Loads { zcull_pixels: 256 * clock, ..Loads::default() }),
            (Unit::Vertex, Loads { assembled: clock, attributes: 8 * clock, ..Loads::default() }),
            (Unit::Setup, Loads { triangles: clock, ..Loads::default() }),
            (Unit::Shader, Loads { processor_clocks: 16 * 1_350_000_000, ..Loads::default() }),
            (Unit::FrontEnd, Loads { bus_bytes: 4_000_000_000, ..Loads::default() }),
            (Unit::Memory, Loads { memory, ..Loads::default() }),
        ] {
            let clocks = UnitClocks::of(&machine, &loads);
            assert!((clocks.get(unit) - 575e6).abs() < 1.0, "{unit}: {clocks:?}");
            assert_eq!(clocks.iter().filter(|(_, clocks)| *clocks > 0.0).count(), 1, "{unit}");
        }
    }

    #[test]
    fn a_machines_peak_rates_are_reached() {
        let machine = crate::machine::open("geforce-6600-gt").unwrap();
        let loads = Loads {
            texture: bilinear(4_000_000_000),
            pixels: 2_000_000_000,
            samples: 8_000_000_000,
            ..Loads::default()
        };
        let clocks = UnitClocks::of(&machine, &loads);
        assert_eq!(rate(&machine, "pixels_4x_one_texture"), Some(2e9));
        assert_eq!((clocks.get(Unit::Texture), clocks.get(Unit::Rop)), (500e6, 500e6));
        assert_eq!(clocks.bottleneck(), Some(Unit::Texture), "the first of two");
    }

    #[test]
    fn formats_samples_and_partitions_take_their_clocks() {
        let machine = Machine::default();
        let loads = Loads {
            methods: 8,
            packets: 2,
            indices: 20,
            culled_triangles: 7,
            triangles: 2,
            early_quads: 32,
            texture: TextureLoads { half_floats: 16, single_floats: 16, ..TextureLoads::default() },
            half_float_pixels: 160,
            samples: 160,
            depth_only_pixels: 32,
            depth_only_samples: 128,
            partition_clocks: 1100,
            ..Loads::default()
        };
        let clocks = UnitClocks::of(&machine, &loads);
        let expected = [30.0, 0.0, 2.0 / 0.4 + 7.0, 2.0, 0.0, 2.0 + 4.0, 20.0 + 2.0, 800.0];
        for ((unit, found), expected) in clocks.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{unit}: {found}, not {expected}");
        }
        // Words of the push buffer cross the bus; AGP shares the bus between both directions: 2112 and 264 MB/s at
        // 400 MHz.
        let loads = Loads { methods: 10, packets: 1, bus_bytes: 5280 - 44, host_bytes: 264, ..Loads::default() };
        assert!((UnitClocks::of(&machine, &loads).get(Unit::FrontEnd) - (1000.0 + 400.0)).abs() < 1e-9);
        // 4000 MB/s each way at 500 MHz.
        let express = crate::machine::open("geforce-6600-gt").unwrap();
        let loads = Loads { bus_bytes: 4000, host_bytes: 6000, ..Loads::default() };
        assert!((UnitClocks::of(&express, &loads).get(Unit::FrontEnd) - 750.0).abs() < 1e-9);
        // Twelve vertices of a unit wait together for 250 clocks each; longer programs hide it.
        let vertices = |vertex_clocks| Loads { vertex_clocks, vertex_lookups: 600, ..Loads::default() };
        let clocks = |loads| UnitClocks::of(&machine, &loads).get(Unit::Vertex);
        assert!((clocks(vertices(1200)) - (1200.0 + 600.0 * 250.0) / 12.0 / 6.0).abs() < 1e-9);
        assert!((clocks(vertices(60_000)) - 10_000.0).abs() < 1e-9);
        // Units of another chip, beside those of the machine.
        let loads = Loads { vertex_clocks: 60, other_vertex_clocks: 7, ..Loads::default() };
        assert_eq!(UnitClocks::of(&machine, &loads).get(Unit::Vertex), 60.0 / 6.0 + 7.0);
        // With 16 samples a pixel, the samples take longer than the pixels.
        let loads = Loads { pixels: 16, samples: 256, ..Loads::default() };
        assert_eq!(UnitClocks::of(&machine, &loads).get(Unit::Rop), 4.0);
    }

    #[test]
    fn a_frame_lies_between_all_draws_overlapping_and_none() {
        let machine = Machine::default();
        let mut frame = Time::default();
        assert_eq!(frame.units.bottleneck(), None);
        for unit in [Unit::Texture, Unit::Vertex, Unit::Texture] {
            frame.add(&UnitClocks::of(&machine, &a_second_of(unit)), 0.0);
        }
        assert_eq!(frame.units.bottleneck(), Some(Unit::Texture));
        assert_eq!(frame.seconds(&machine), [2.0, 3.0]);
    }

    #[test]
    fn the_largest_counts_do_not_overflow() {
        let memory = MemoryBytes { texture: u64::MAX, color: u64::MAX, ..MemoryBytes::default() };
        let loads = Loads { memory, samples: u64::MAX, partition_clocks: u64::MAX, ..Loads::default() };
        assert_eq!(memory.total(), u64::MAX);
        assert!(UnitClocks::of(&Machine::default(), &loads).most().is_finite());
    }
}
