//! The machine files embedded in the program.

/// A machine file embedded in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundled {
    /// The name for `--machine` and `base`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// The default machine.
pub const DEFAULT_MACHINE: &str = "geforce-6800-ultra";

/// Every bundled machine, the largest first. A base comes before the machines that name it.
pub fn bundled() -> &'static [Bundled] {
    &[
        Bundled { name: "geforce-6800-ultra", text: include_str!("geforce_6800_ultra.toml") },
        Bundled { name: "geforce-6800-ultra-425", text: include_str!("geforce_6800_ultra_425.toml") },
        Bundled { name: "geforce-6800-gt", text: include_str!("geforce_6800_gt.toml") },
        Bundled { name: "geforce-6600-gt", text: include_str!("geforce_6600_gt.toml") },
        Bundled { name: "geforce-6200", text: include_str!("geforce_6200.toml") },
        Bundled { name: "geforce-3", text: include_str!("geforce_3.toml") },
        Bundled { name: "pica200", text: include_str!("pica200.toml") },
    ]
}

/// The name of the family of kernels in machine files.
pub(super) const TESLA_FAMILY: &str = "tesla";

/// The default machine of kernels.
pub const DEFAULT_TESLA_MACHINE: &str = "geforce-8800-gtx";

/// Every bundled machine of kernels. A base comes before the machines that name it.
pub const TESLA_MACHINES: &[Bundled] = &[
    Bundled { name: DEFAULT_TESLA_MACHINE, text: include_str!("geforce_8800_gtx.toml") },
    Bundled { name: "geforce-8800-ultra", text: include_str!("geforce_8800_ultra.toml") },
    Bundled { name: "geforce-gtx-280", text: include_str!("geforce_gtx_280.toml") },
];

/// The names of machines.
pub(super) fn names(machines: &[Bundled]) -> Vec<&'static str> {
    machines.iter().map(|machine| machine.name).collect()
}
