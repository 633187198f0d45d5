//! Lists the families, and finds that of a chip.

use super::chipset::{Chipset, is_recordable};
use super::family::Family;
use super::nv20::NV20;
use super::nv40::NV40;
use super::pica200::PICA200;
use crate::capture::Header;
use crate::chip::{Chip, tesla};

/// Every family, the default first.
pub static FAMILIES: &[&Family] = &[&NV40, &NV20, &PICA200];

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("curie has no machine of {} yet; it runs: {}", Chipset(*.chipset), families())]
pub struct UnsupportedChipset {
    /// The chipset number.
    pub chipset: u32,
}

fn families() -> String {
    let families: Vec<_> =
        FAMILIES.iter().filter(|family| !family.chipsets.is_empty()).map(ToString::to_string).collect();
    families.join("; ")
}

/// Builds the chip that a capture was recorded on. Those of the Tesla generation run compute launches and draw nothing.
///
/// # Errors
/// When no family has its chipset number.
pub fn chip_of(header: &Header) -> Result<Chip, UnsupportedChipset> {
    if is_recordable(header.chipset) {
        return Ok(Chip::with_virtual_memory(header, tesla::CLASSES));
    }
    Ok(Family::of_chipset(header.chipset)?.build(header))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::chipset::chip_name;
    use crate::machine::{bundled, open};

    #[test]
    fn chipsets_belong_to_one_family_and_have_a_name() {
        let mut all: Vec<_> = FAMILIES.iter().flat_map(|family| family.chipsets).collect();
        assert!(all.iter().all(|chipset| chip_name(**chipset).is_some()));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(FAMILIES.iter().all(|family| family.chipsets.is_sorted()));
    }

    #[test]
    fn every_family_has_its_default_machine() {
        for family in FAMILIES {
            assert_eq!(open(family.default_machine).unwrap().family.name, family.name);
        }
        assert!(bundled().iter().all(|machine| FAMILIES.contains(&open(machine.name).unwrap().family)));
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
             (chipsets 0x40-0x47, 0x49-0x4c, 0x4e, 0x63, 0x67-0x68)"
        );
        assert!([0x4b, 0x50, 0xaf].into_iter().all(|chipset| chip_of(&Header { chipset, ..header }).is_ok()));
    }
}
