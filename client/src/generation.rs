//! What differs between the generations of chips that drivers find: addresses, the ends of pushes, and what the kernel says.
//!
//! Numbers of units are from envytools, `docs/hw/gpu.rst`. Numbers of PCI devices are those of one board with the chip.

use std::ops::RangeInclusive;

/// What a generation of chips expects of this library.
#[derive(Debug)]
pub(crate) struct Generation {
    chipsets: &'static [RangeInclusive<u32>],
    /// Whether all buffers of a channel lie in one virtual address space, and keep their address when they move.
    pub(crate) has_virtual_addresses: bool,
    /// Words that the driver puts at the end of each push. A chip that calls pushes needs a return.
    pub(crate) suffix: [u32; 2],
    /// The kernel's number of the generation (`nvif/cl0080.h`).
    pub(crate) family: u8,
}

/// In the first the kernel lists pushes that the chip's pusher calls. The second has an IB buffer, and a packet may go on in the
/// next push (envytools, `docs/hw/fifo/dma-pusher.rst`).
const GENERATIONS: &[Generation] = &[
    Generation {
        chipsets: &[0x40..=0x4f, 0x60..=0x6f],
        has_virtual_addresses: false,
        suffix: [0x0002_0000, 0],
        family: 5,
    },
    Generation { chipsets: &[0x50..=0x5f, 0x80..=0xaf], has_virtual_addresses: true, suffix: [0, 0], family: 6 },
];

impl Generation {
    /// The generation of a chip; `None` if this library does not know it.
    pub(crate) fn of(chipset: u32) -> Option<&'static Self> {
        GENERATIONS.iter().find(|generation| generation.chipsets.iter().any(|range| range.contains(&chipset)))
    }

    /// The flags and the mode of a buffer's tiling as captures hold them: those of a surface and its pitch, or on chips with
    /// virtual addresses the type of the memory and the size of blocks.
    ///
    /// Source: libdrm, `nouveau/abi16.c`, for how both become the kernel's.
    pub(crate) const fn captured_tiling(&self, [flags, mode]: [u32; 2]) -> [u32; 2] {
        if self.has_virtual_addresses { [flags >> 8 & 0x7f | flags >> 9 & 0x180, mode << 4] } else { [flags & 7, mode] }
    }
}

/// What a kernel says of a chip.
struct Chip {
    chipset: u32,
    /// The number of its PCI device.
    device: u16,
    /// Texture processing clusters, and multiprocessors in each.
    clusters: u32,
    multiprocessors: u32,
}

macro_rules! chips {
    ($($chipset:literal $device:literal $clusters:literal $multiprocessors:literal,)+) => {
        &[$(Chip { chipset: $chipset, device: $device, clusters: $clusters, multiprocessors: $multiprocessors },)+]
    };
}

const CHIPS: &[Chip] = chips! {
    0x50 0x0191 8 2,
    0x84 0x0402 2 2,
    0x86 0x0422 1 2,
    0x92 0x0611 8 2,
    0x94 0x0622 4 2,
    0x96 0x0640 2 2,
    0x98 0x06e4 1 1,
    0xa0 0x05e1 10 3,
    0xa3 0x0ca3 4 3,
    0xa5 0x0a20 2 3,
    0xa8 0x0a65 1 2,
    0xaa 0x0849 1 1,
    0xac 0x0863 1 2,
    0xaf 0x08a0 2 3,
};

fn chip(chipset: u32) -> Option<&'static Chip> {
    CHIPS.iter().find(|chip| chip.chipset == chipset)
}

/// The number of the PCI device with this chip; by default that of a GeForce 6800.
pub(crate) fn pci_device(chipset: u32) -> u16 {
    chip(chipset).map_or(crate::identity::DEVICE, |chip| chip.device)
}

/// The units of a chip as the kernel's parameter has them: a bit for each cluster from bit 0, and for each multiprocessor of
/// a cluster from bit 24.
pub(crate) fn graph_units(chipset: u32) -> Option<u64> {
    let bits = |count: u32| (1_u64 << count) - 1;
    chip(chipset).map(|chip| bits(chip.clusters) | bits(chip.multiprocessors) << 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chip_has_one_generation() {
        for chipset in 0..=0xff {
            let count =
                GENERATIONS.iter().flat_map(|generation| generation.chipsets).filter(|range| range.contains(&chipset));
            assert!(count.count() <= 1, "{chipset:#x}");
        }
        assert!(
            [0x40, 0x4e, 0x63].iter().all(|chip| Generation::of(*chip).is_some_and(|it| !it.has_virtual_addresses))
        );
        assert!(CHIPS.iter().all(|chip| Generation::of(chip.chipset).is_some_and(|it| it.has_virtual_addresses)));
        assert!(Generation::of(0xc0).is_none() && Generation::of(0x100).is_none());
    }

    #[test]
    fn units_are_bits() {
        // GeForce GTX 280: 240 processors, 8 in a multiprocessor, 3 of these in each of 10 clusters.
        assert_eq!(graph_units(0xa0), Some(0x0700_03ff));
        assert_eq!(graph_units(0x40), None);
        assert_eq!((pci_device(0x40), pci_device(0x50)), (0x0041, 0x0191));
    }
}
