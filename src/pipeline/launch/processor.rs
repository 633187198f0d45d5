//! The sizes and steps of the processor that all launches share.

/// The lanes of a warp.
pub const WARP_THREADS: u32 = 32;

/// The instructions of a warp after which another one of its block runs, as soon as a basic block begins and unless it
/// waits or ends before.
pub const TURN_INSTRUCTIONS: u32 = 4096;

/// Clocks in which a multiprocessor issues one instruction of a warp.
pub const ISSUE_CLOCKS: u32 = 4;

/// The clusters of the processor, which get blocks in this order.
// Unverified: that block n runs on cluster n mod 8.
pub const CLUSTERS: u32 = 8;

/// The multiprocessors of a cluster.
pub const CLUSTER_MULTIPROCESSORS: u32 = 2;

/// The largest number of entries that a launch can give the stack of a warp.
///
/// Source: envytools `rnndb/graph/g80_compute.xml`, `STACK_SIZE_LOG`.
// Unverified: what drivers set; a smaller stack overflows earlier.
pub const STACK_ENTRIES: u32 = 1 << 12;

/// Constant spaces have lengths of multiples of this.
///
/// Source: envytools `docs/hw/graph/tesla/cuda/isa.rst`.
pub const CONSTANT_STEP: usize = 0x100;

/// Global spaces begin at multiples of this.
// Unverified: envytools states this alignment for pitches only; Mesa's driver gives such addresses.
pub const GLOBAL_STEP: u32 = 0x100;

/// Shared memory is reserved in steps of this size.
pub(super) const SHARED_STEP: u32 = 0x40;

/// The smallest local memory of a thread, if there is any; larger ones are powers of two.
pub(super) const MIN_LOCAL: u32 = 0x10;
