//! Lists the families, and finds that of a chip.

use std::fmt;

use super::chipset::{Chipset, code_name};
use super::family::Family;
use super::nv20::NV20;
use super::nv40::NV40;
use super::pica200::PICA200;
use super::tesla::TESLA;
use crate::capture::Header;
use crate::chip::Chip;

/// Every family, the default first.
pub static FAMILIES: &[&Family] = &[&NV40, &NV20, &PICA200, &TESLA];

impl Family {
    /// Finds the family of a chipset number.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_chipset(chipset: u32) -> Result<&'static Self, UnsupportedChipset> {
        FAMILIES.iter().copied().find(|family| family.answers_to(chipset)).ok_or(UnsupportedChipset { chipset })
    }

    pub(super) fn named(name: &str) -> Option<&'static Self> {
        FAMILIES.iter().copied().find(|family| family.name == name)
    }
}

/// No family has the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedChipset {
    /// The chipset number.
    pub chipset: u32,
}

impl std::error::Error for UnsupportedChipset {}

impl fmt::Display for UnsupportedChipset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = FAMILIES.iter().filter(|family| !family.chipsets.is_empty());
        let others: Vec<_> = others.map(ToString::to_string).collect();
        write!(formatter, "curie has no machine of {} yet; it runs: {}", Chipset(self.chipset), others.join("; "))
    }
}

/// Whether the stream of a driver for this chip can be recorded without executing it: with virtual memory, the driver waits
/// for reports and semaphores alone.
#[must_use]
pub fn is_recordable(chipset: u32) -> bool {
    Family::of_chipset(chipset).is_ok_and(|family| family.has_virtual_memory)
}

/// A driver's stream cannot be recorded without a chip that executes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("streams of {} cannot be recorded without executing them; those of {} can", Chipset(*.chipset), recorded())]
pub struct NotRecordable {
    /// The chipset number.
    pub chipset: u32,
}

fn recorded() -> String {
    let chipsets = FAMILIES.iter().flat_map(|family| family.chipsets).filter(|chipset| is_recordable(**chipset));
    chipsets.filter_map(|chipset| code_name(*chipset)).collect::<Vec<_>>().join(", ")
}

/// Builds the chip that a capture was recorded on.
///
/// # Errors
/// When no family has its chipset number.
pub fn chip_of(header: &Header) -> Result<Chip, UnsupportedChipset> {
    Ok(Family::of_chipset(header.chipset)?.build(header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{bundled, open_any};

    #[test]
    fn chipsets_belong_to_one_family_and_have_a_name() {
        let mut all: Vec<_> = FAMILIES.iter().flat_map(|family| family.chipsets).collect();
        assert!(all.iter().all(|chipset| code_name(**chipset).is_some()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(FAMILIES.iter().all(|family| family.chipsets.is_sorted()));
    }

    #[test]
    fn every_family_has_its_default_machine() {
        for family in FAMILIES {
            assert_eq!(open_any(family.default_machine).unwrap().sheet().family, *family);
        }
        for machine in bundled() {
            assert_eq!(open_any(machine.name).unwrap().sheet().family, machine.family, "{}", machine.name);
        }
    }

    #[test]
    fn classes_have_numbers_of_their_own() {
        for family in FAMILIES {
            let numbers = family.classes.iter().flat_map(|row| row.table.aliases.iter().chain([&row.table.class]));
            let mut numbers: Vec<_> = numbers.collect();
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), count, "{}", family.name);
        }
    }

    #[test]
    fn chipsets_that_no_family_has_are_refused_by_name() {
        let header = Header { chipset: 0x35, ..Header::default() };
        let error = chip_of(&header).unwrap_err();
        assert_eq!(
            error.to_string(),
            "curie has no machine of chipset 0x35 (GeForce FX 5900, NV35) yet; it runs: GeForce 6 and 7 \
             (chipsets 0x40-0x47, 0x49-0x4c, 0x4e, 0x63, 0x67-0x68); GeForce 8 to 300 (chipsets 0x50, 0x84, 0x86, \
             0x92, 0x94, 0x96, 0x98, 0xa0, 0xa3, 0xa5, 0xa8, 0xaa, 0xac, 0xaf)"
        );
        assert!([0x4b, 0x50, 0xaf].into_iter().all(|chipset| chip_of(&Header { chipset, ..header }).is_ok()));
    }

    #[test]
    fn streams_that_cannot_be_recorded_are_refused_by_name() {
        assert!(is_recordable(0x50) && !is_recordable(0x40) && !is_recordable(0xc0));
        assert_eq!(
            NotRecordable { chipset: 0xc0 }.to_string(),
            "streams of chipset 0xc0 (unknown) cannot be recorded without executing them; those of NV50, G84, G86, \
             G92, G94, G96, G98, GT200, GT215, GT216, GT218, MCP77, MCP79, MCP89 can"
        );
    }
}
