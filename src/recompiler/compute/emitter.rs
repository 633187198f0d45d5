//! The text of a SIMT program under construction, and what its parts have to know of each other.

use std::collections::{BTreeMap, BTreeSet};

use super::fast_registers::FastFloats;
use super::kernel_key::{BlockOrder, ComputeKernelKey};
use super::layout::ComputeLayout;
use crate::recompiler::text::Text;
use crate::shader::simt::InterpolationMode;

/// Accesses of other lanes since the last barrier, which have to be over before the next one to the same memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pending {
    pub(super) shared_reads: bool,
    pub(super) shared_writes: bool,
    pub(super) global_reads: bool,
    pub(super) global_writes: bool,
}

/// A fault of an access that is not counted yet, as expressions.
pub(super) struct NotedFault {
    pub(super) number: String,
    pub(super) is_fault: String,
    pub(super) address: String,
}

/// What the text of a thread reads and writes by name, and whether it has the program's meaning.
#[derive(Debug, Default)]
pub(super) struct ThreadNames {
    pub(super) sizes: BTreeMap<u8, u32>,
    pub(super) input_words: u32,
    pub(super) output_words: u32,
    pub(super) local_bytes: u32,
    pub(super) constants: BTreeSet<(u8, u32)>,
    pub(super) inputs: BTreeSet<u32>,
    pub(super) interpolants: BTreeSet<(InterpolationMode, u32)>,
    pub(super) outputs: BTreeSet<u32>,
    /// A register addresses constants.
    pub(super) indexes_constants: bool,
    /// Something is a fault or is emulated by warps alone.
    pub(super) is_impossible: bool,
}

impl ThreadNames {
    /// Where a constant space begins among all, in bytes.
    pub(super) fn constant_start(&self, space: u8) -> u32 {
        self.sizes.range(..space).map(|(_, bytes)| bytes).sum()
    }
}

/// The name of a word of a constant space.
pub(super) fn constant_name((space, word): (u8, u32)) -> String {
    format!("k{space}_{word}")
}

/// A kernel's text under construction.
pub(super) struct Emitter<'key> {
    pub(super) text: Text,
    pub(super) key: &'key ComputeKernelKey,
    pub(super) layout: ComputeLayout,
    pub(super) pending: Pending,
    /// The loops in the text of the open region, which software adapters enter once even where they are skipped.
    pub(super) loops: u32,
    /// The names of what a thread reads and writes, if the text is that of single threads instead of warps.
    pub(super) thread: Option<ThreadNames>,
    /// What is known of the thread's registers, if the text is that of the fast path.
    pub(super) fast: Option<FastFloats>,
    /// The faults of accesses of the open basic block that are not counted yet.
    pub(super) noted: Vec<NotedFault>,
    /// The faults of the open basic block that loops count, and their maximum number in a basic block.
    pub(super) loop_faults: u32,
    pub(super) max_loop_faults: u32,
}

impl<'key> Emitter<'key> {
    /// Begins a text; that of single threads has their names.
    pub(super) fn new(key: &'key ComputeKernelKey, text: Text, thread: Option<ThreadNames>) -> Self {
        let (layout, pending, noted) = (ComputeLayout::new(key), Pending::default(), Vec::new());
        Self { text, key, layout, pending, loops: 0, thread, fast: None, noted, loop_faults: 0, max_loop_faults: 0 }
    }
}

impl Emitter<'_> {
    pub(super) const fn is_ordered(&self) -> bool {
        matches!(self.key.order, BlockOrder::Ordered)
    }
}
