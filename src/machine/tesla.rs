//! The family of the Tesla processor: the GeForce 8 to 300.

use super::family::Family;
use crate::chip::tesla;

/// The default machine with a unified processor.
pub const DEFAULT_TESLA_MACHINE: &str = "geforce-8800-gtx";

/// The GeForce 8 to 300. One processor runs kernels and the programs of draws.
pub(super) static TESLA: Family = Family {
    name: "tesla",
    title: "GeForce 8 to 300",
    chipsets: &[0x50, 0x84, 0x86, 0x92, 0x94, 0x96, 0x98, 0xa0, 0xa3, 0xa5, 0xa8, 0xaa, 0xac, 0xaf],
    default_machine: DEFAULT_TESLA_MACHINE,
    classes: tesla::CLASSES,
    has_virtual_memory: true,
    vertex_stage: None,
};
