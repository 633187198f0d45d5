//! Turns the output registers of the PICA200's vertex processor, and their semantics, into an [`OutputMap`].

use crate::chip::bits::field8;
use crate::command::methods::enums::{OUTPUT_SEMANTIC, name_of};
use crate::pipeline::{MAX_CLIP_DISTANCES, MappedComponent, OutputComponent, OutputMap, VertexOutputs};

/// The registers that later stages read. The chip's lighting takes quaternion and view vector; here they are
/// coordinates 3 and 4, which fragment programs read.
const POSITION: u8 = 0;
const COLOR: u8 = 1;
const COORDINATES: [u8; 3] = [2, 3, 4];
const QUATERNION: u8 = 5;
const VIEW: u8 = 6;

/// Where later stages find the results.
pub(super) const OUTPUTS: VertexOutputs = VertexOutputs {
    colors: [Some(COLOR), None, None, None],
    fog: None,
    point_size: None,
    clip_distances: [None; MAX_CLIP_DISTANCES],
    texture_coordinates: [
        Some(COORDINATES[0]),
        Some(COORDINATES[1]),
        Some(COORDINATES[2]),
        Some(QUATERNION),
        Some(VIEW),
        None,
        None,
        None,
        None,
        None,
    ],
};

/// Consecutive semantics, and the components that they are.
struct Place {
    /// The first semantic.
    first: u8,
    /// How many follow each other.
    count: u8,
    register: u8,
    /// The component of the first.
    component: u8,
}

const fn place(first: u8, count: u8, register: u8, component: u8) -> Place {
    Place { first, count, register, component }
}

/// Numbers of azahar's `regs_rasterizer.h`. Coordinate 0 has a third component, which cube maps read as z and
/// projections as w.
const PLACES: &[Place] = &[
    place(0, 4, POSITION, 0),
    place(4, 4, QUATERNION, 0),
    place(8, 4, COLOR, 0),
    place(12, 2, COORDINATES[0], 0),
    place(14, 2, COORDINATES[1], 0),
    place(16, 1, COORDINATES[0], 2),
    place(16, 1, COORDINATES[0], 3),
    place(18, 3, VIEW, 0),
    place(22, 2, COORDINATES[2], 0),
];

/// The semantics of the four components in a word of `SH_OUTMAP`.
fn semantics(word: u32) -> [u8; 4] {
    [0, 8, 16, 24].map(|low| field8(word, low + 4, low))
}

/// Whether each component of a word of `SH_OUTMAP` has a known semantic.
pub(super) fn is_legal_semantics(word: u32) -> bool {
    let are_known = semantics(word).iter().all(|&semantic| name_of(OUTPUT_SEMANTIC, semantic.into()).is_some());
    word & !0x1f1f_1f1f == 0 && are_known
}

/// The registers that map output registers to semantics.
#[derive(Debug, Default)]
pub(super) struct OutputRegisters {
    /// Bit i: output register i is exported. Exported registers are numbered in order.
    pub(super) exported: u16,
    /// How many exported registers have semantics.
    pub(super) count: u8,
    /// The semantics of exported registers.
    pub(super) semantics: [u32; 7],
}

impl OutputRegisters {
    /// The map of a draw. Components without a source are 1 (hardware tests; azahar, `output_vertex.cpp`); of several
    /// sources the last counts.
    ///
    /// Unverified: semantics of a register that is not exported count for nothing.
    pub(super) fn map(&self) -> OutputMap {
        let mut map = OutputMap::default();
        let exported = (0u8..16).filter(|register| self.exported >> register & 1 != 0);
        for (register, word) in exported.zip(self.semantics).take(usize::from(self.count)) {
            for (component, semantic) in (0u8..).zip(semantics(word)) {
                let output = OutputComponent { slot: register, component };
                for place in PLACES {
                    let Some(offset) = semantic.checked_sub(place.first).filter(|offset| *offset < place.count) else {
                        continue;
                    };
                    map.0[usize::from(place.register)][usize::from(place.component + offset)] = match place.register {
                        COLOR => MappedComponent::Color(output),
                        _ => MappedComponent::Output(output),
                    };
                }
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MappedComponent::One;

    fn output(register: u8, component: u8) -> MappedComponent {
        MappedComponent::Output(OutputComponent { slot: register, component })
    }

    fn color(register: u8, component: u8) -> MappedComponent {
        MappedComponent::Color(OutputComponent { slot: register, component })
    }

    #[test]
    fn exported_registers_have_semantics_in_order() {
        // o1, o4, o5 and o9; the third has a swizzled color, the fourth is beyond the count.
        let registers = OutputRegisters {
            exported: 1 << 1 | 1 << 4 | 1 << 5 | 1 << 9,
            count: 3,
            semantics: [0x0302_0100, 0x1f10_0c0d, 0x0808_0b0a, 0x1f1f_1716, 0, 0, 0],
        };
        let map = registers.map();
        assert_eq!(map.0[0], [0, 1, 2, 3].map(|component| output(1, component)));
        assert_eq!(map.0[2], [output(4, 1), output(4, 0), output(4, 2), output(4, 2)], "texcoord0 v, u, w");
        assert_eq!(map.0[1], [color(5, 3), One, color(5, 0), color(5, 1)], "the last of two sources");
        assert_eq!(map.0[3..], [[One; 4]; 13]);
        assert_eq!(map.sources(u16::MAX), 1 << 1 | 1 << 4 | 1 << 5);
    }

    #[test]
    fn every_semantic_has_its_place() {
        for (word, register, expected) in [
            (0x0706_0504, 5, [0, 1, 2, 3].map(|component| output(0, component))),
            (0x0f0e_0d0c, 3, [output(0, 2), output(0, 3), One, One]),
            (0x1f14_1312, 6, [output(0, 0), output(0, 1), output(0, 2), One]),
            (0x1617_1f1f, 4, [output(0, 3), output(0, 2), One, One]),
        ] {
            let registers = OutputRegisters { exported: 1, count: 1, semantics: [word, 0, 0, 0, 0, 0, 0] };
            assert!(is_legal_semantics(word));
            assert_eq!(registers.map().0[register], expected, "{word:08x}");
        }
        for word in [0x11, 0x15, 0x18, 0x1e, 0x2000, 0x8000_0000] {
            assert!(!is_legal_semantics(word), "{word:08x}");
        }
    }

    #[test]
    fn places_are_named_and_do_not_overlap() {
        let mut taken = std::collections::BTreeSet::new();
        for place in PLACES {
            for offset in 0..place.count {
                assert!(name_of(OUTPUT_SEMANTIC, u32::from(place.first + offset)).is_some());
                assert!(taken.insert((place.register, place.component + offset)));
            }
        }
        // Each named semantic but UNUSED, and the w of coordinate 0 twice.
        assert_eq!(taken.len(), OUTPUT_SEMANTIC.len());
    }

    #[test]
    fn without_exported_registers_everything_is_one() {
        let registers = OutputRegisters { exported: 0, count: 7, semantics: [0x0302_0100; 7] };
        assert_eq!(registers.map(), OutputMap::default());
    }
}
