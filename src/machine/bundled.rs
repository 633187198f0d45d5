//! The machine files embedded in the program.

use super::family::{Family, MachineKind};
use super::nv20::NV20;
use super::nv40::NV40;
use super::pica200::PICA200;
use super::tesla::TESLA;

/// A machine file embedded in the program.
#[derive(Debug, Clone, Copy)]
pub struct Bundled {
    /// The name for `--machine` and `base`.
    pub name: &'static str,
    /// The family, which the text or its base also names.
    pub family: &'static Family,
    /// The file's text.
    pub text: &'static str,
}

static BUNDLED: &[Bundled] = &[
    Bundled { name: "geforce-6800-ultra", family: &NV40, text: include_str!("geforce_6800_ultra.toml") },
    Bundled { name: "geforce-6800-ultra-425", family: &NV40, text: include_str!("geforce_6800_ultra_425.toml") },
    Bundled { name: "geforce-6800-gt", family: &NV40, text: include_str!("geforce_6800_gt.toml") },
    Bundled { name: "geforce-6600-gt", family: &NV40, text: include_str!("geforce_6600_gt.toml") },
    Bundled { name: "geforce-6200", family: &NV40, text: include_str!("geforce_6200.toml") },
    Bundled { name: "geforce-3", family: &NV20, text: include_str!("geforce_3.toml") },
    Bundled { name: "pica200", family: &PICA200, text: include_str!("pica200.toml") },
    Bundled { name: "geforce-8800-gtx", family: &TESLA, text: include_str!("geforce_8800_gtx.toml") },
    Bundled { name: "geforce-8800-ultra", family: &TESLA, text: include_str!("geforce_8800_ultra.toml") },
    Bundled { name: "geforce-9800-gtx", family: &TESLA, text: include_str!("geforce_9800_gtx.toml") },
    Bundled { name: "geforce-gtx-280", family: &TESLA, text: include_str!("geforce_gtx_280.toml") },
];

/// Every bundled machine, family by family. A base comes before the machines that name it.
#[must_use]
pub fn bundled() -> &'static [Bundled] {
    BUNDLED
}

/// The names of the bundled machines, all or those of one kind.
#[must_use]
pub fn machine_names(kind: Option<MachineKind>) -> Vec<&'static str> {
    let is_of_kind = |machine: &&Bundled| kind.is_none_or(|kind| machine.family.kind() == kind);
    BUNDLED.iter().filter(is_of_kind).map(|machine| machine.name).collect()
}
