//! Loads and stores of the lanes of a warp, the faults of their addresses, and the barriers between them.

use super::emitter::{Emitter, NotedFault, Pending};
use crate::pipeline::launch::{FaultKind, MemoryKind};
use crate::shader::simt::{Access, Address, AtomicOperation, ElementType, MemoryOperand};

/// The module with the functions of accesses.
const ACCESSES: &str = "compute::access_memory";

/// The maximum number of faults of accesses that are counted at once, and the number from which on they share the text that
/// counts them.
const MAX_NOTED: usize = 32;
const SHARING_FAULTS: usize = 4;

/// The lanes that access memory, and at which address.
pub(super) struct Place {
    memory: MemoryKind,
    /// The address.
    pub(super) address: String,
    /// Whether the lane's access is none of the faults.
    pub(super) is_valid: String,
    /// Whether the access is none of the faults in any lane.
    is_fixed: bool,
}

impl Emitter<'_> {
    /// Lets the accesses before be over that this one must not pass.
    fn emit_order(&mut self, memory: MemoryKind, writes: bool) {
        let Pending { shared_reads, shared_writes, global_reads, global_writes } = self.pending;
        let (needed, of_global) = match memory {
            MemoryKind::Shared => (shared_writes || writes && shared_reads, false),
            MemoryKind::Global(_) => (global_writes || writes && global_reads, global_writes),
            _ => (false, false),
        };
        if needed {
            self.emit_pending(of_global);
        }
    }

    /// A barrier, also for writes to global memory if asked for.
    fn emit_pending(&mut self, of_global: bool) {
        if of_global {
            self.text.line("storageBarrier();");
            self.pending.global_writes = false;
        } else {
            self.text.line("workgroupBarrier();");
            self.pending.shared_writes = false;
        }
        // Reads are over where execution is.
        self.pending.shared_reads = false;
        self.pending.global_reads = false;
    }

    /// Lets all accesses of a basic block be over.
    pub(super) fn emit_last_barriers(&mut self) {
        let Pending { shared_reads, shared_writes, global_reads, global_writes } = self.pending;
        if shared_writes {
            self.emit_pending(false);
        }
        if global_writes {
            self.emit_pending(true);
        }
        if !shared_writes && !global_writes && (shared_reads || global_reads) {
            self.emit_pending(false);
        }
    }

    /// The barrier of a ballot.
    pub(super) const fn note_ballot(&mut self) {
        self.pending = Pending { global_writes: self.pending.global_writes, ..NOTHING };
    }

    const fn note(&mut self, memory: MemoryKind, writes: bool) {
        match (memory, writes) {
            (MemoryKind::Shared, false) => self.pending.shared_reads = true,
            (MemoryKind::Shared, true) => self.pending.shared_writes = true,
            (MemoryKind::Global(_), false) => self.pending.global_reads = true,
            (MemoryKind::Global(_), true) => self.pending.global_writes = true,
            _ => {}
        }
    }

    /// The lanes in which a value is true, as a name.
    pub(super) fn emit_ballot(&mut self, is_true: &str) -> String {
        self.give_up();
        self.note_ballot();
        self.text.bind("lanes", &format!("ballot({is_true})"))
    }

    /// Counts a fault of lanes, whose number is an expression.
    fn emit_fault(&mut self, number: &str, is_fault: &str, address: &str) {
        let function = self.text.import("compute::records", "note_fault");
        self.text.line(format!("{function}({number}, {is_fault}, block_number, block_warp, {address});"));
    }

    /// Counts the faults of the accesses so far. Compilers take long for the text that counts one, so that accesses share it.
    pub(super) fn emit_noted_faults(&mut self) {
        let noted = std::mem::take(&mut self.noted);
        if noted.len() < SHARING_FAULTS {
            for NotedFault { number, is_fault, address } in &noted {
                self.emit_fault(number, is_fault, address);
            }
            return;
        }
        let [faults, place, number, address] =
            ["faults", "place", "number", "address"].map(|prefix| self.text.name(prefix));
        self.text.line(format!("var {faults} = 0u;"));
        for (bit, NotedFault { is_fault, .. }) in noted.iter().enumerate() {
            self.text.line(format!("{faults} |= select(0u, {:#x}u, {is_fault});", 1_u32 << bit));
        }
        self.text.open(format!("while {faults} != 0u {{"));
        self.text.line(format!("let {place} = countTrailingZeros({faults});"));
        self.text.line(format!("var {number} = 0u;"));
        self.text.line(format!("var {address} = 0u;"));
        for (bit, fault) in noted.iter().enumerate() {
            let is_it = format!("{place} == {bit}u");
            self.text.line(format!("{number} = select({number}, {}, {is_it});", fault.number));
            self.text.line(format!("{address} = select({address}, {}, {is_it});", fault.address));
        }
        self.emit_fault(&number, "true", &address);
        self.text.line(format!("{faults} &= {faults} - 1u;"));
        let function = self.text.import("compute::records", "note_more_faults");
        self.text.line(format!("{function}({faults} != 0u);"));
        self.text.close();
        self.loops += 1;
        self.loop_faults += u32::try_from(noted.len()).unwrap_or(u32::MAX);
    }

    /// Counts a fault of the warp by the lowest of these lanes, or gives up the launch. Without lanes it is the first one's.
    pub(super) fn emit_warp_fault(&mut self, at: u32, kind: FaultKind, lanes: &str) {
        self.give_up();
        if self.is_ordered() {
            let number = self.layout.fault(at, kind);
            self.emit_fault(&format!("{number}u"), &format!("lane == countTrailingZeros({lanes}) % 32u"), "0u");
        } else {
            self.text.line("is_abandoned = true;");
        }
    }

    /// The same for a fault that ends the warp, so that no other basic block follows in this pass.
    pub(super) fn emit_ending_fault(&mut self, at: u32, kind: FaultKind, lanes: &str) {
        if self.is_ordered() {
            let number = self.layout.fault(at, kind);
            let function = self.text.import("compute::records", "end_with_fault");
            self.text.line(format!("{function}({number}u, {lanes});"));
        } else {
            self.text.line("is_abandoned = true;");
        }
    }

    /// Checks the addresses of an access.
    pub(super) fn emit_place(&mut self, at: u32, operand: &MemoryOperand, lanes: &str) -> Option<Place> {
        let memory = MemoryKind::of(operand.space);
        if memory == MemoryKind::Primitive {
            // Only single threads run geometry programs.
            let threads = self.emit_ballot(lanes);
            self.emit_warp_fault(at, FaultKind::Unsupported, &threads);
            return None;
        }
        let bytes = operand.access.bytes();
        let fixed = match operand.address {
            Address::Offset { base: 0, offset } => Some(offset & 0xffff),
            _ => None,
        };
        let size = if let MemoryKind::Shared = memory { Some(self.key.shared_bytes) } else { None };
        if let (Some(address), Some(size)) = (fixed, size)
            && address.is_multiple_of(bytes)
            && address + bytes <= size
        {
            let address = format!("{address:#x}u");
            return Some(Place { memory, address, is_valid: lanes.to_owned(), is_fixed: true });
        }
        let address = self.emit_address(operand);
        let is_aligned = if bytes == 1 {
            "true".to_owned()
        } else {
            self.text.bind("is_aligned", &format!("({address} & {}u) == 0u", bytes - 1))
        };
        let inside = match memory {
            MemoryKind::Shared => self.space_has(&address, bytes, &format!("{}u", self.key.shared_bytes)),
            MemoryKind::Local => self.space_has(&address, bytes, "(compute_parameters.local_words * 4u)"),
            MemoryKind::Constant(number) => {
                self.space_has(&address, bytes, &format!("compute_parameters.constants[{}].y", number & 15))
            }
            MemoryKind::Global(number) => match self.global_space(number) {
                Some(true) => {
                    self.text.import(ACCESSES, "global_memory_has");
                    format!("global_memory_has({address}, {bytes}u)")
                }
                Some(false) => {
                    self.text.import(ACCESSES, "global_space_has");
                    format!("global_space_has({address}, {bytes}u, {number}u)")
                }
                None => "false".to_owned(),
            },
            MemoryKind::Attribute | MemoryKind::Primitive | MemoryKind::Interpolant => {
                self.space_has(&address, bytes, "(compute_parameters.input_words * 4u)")
            }
            MemoryKind::Output => self.space_has(&address, bytes, "(compute_parameters.output_words * 4u)"),
        };
        let is_inside = self.text.bind("is_inside", &inside);
        let is_valid = self.text.bind("is_valid", &format!("{lanes} & {is_aligned} & {is_inside}"));
        if self.is_ordered() {
            let mut number = format!("{}u", self.layout.fault(at, FaultKind::OutOfRange(memory)));
            if bytes > 1 {
                let misaligned = self.layout.fault(at, FaultKind::Misaligned(memory));
                number = format!("select({misaligned}u, {number}, {is_aligned})");
            }
            let is_fault = format!("{lanes} & !{is_valid}");
            self.noted.push(NotedFault { number, is_fault, address: address.clone() });
            if self.noted.len() == MAX_NOTED {
                self.emit_noted_faults();
            }
        } else {
            self.text.line(format!("is_abandoned |= {lanes} & !{is_valid};"));
        }
        let address = match memory {
            MemoryKind::Global(number) if self.global_space(number) == Some(false) => {
                self.text.bind("place", &format!("{address} + compute_parameters.globals[{number}].x"))
            }
            _ => address,
        };
        Some(Place { memory, address, is_valid, is_fixed: false })
    }

    /// Whether a global space is the whole memory; `None` if it is empty.
    fn global_space(&self, number: u8) -> Option<bool> {
        self.key.globals.iter().find(|(own, _)| *own == number).map(|(_, is_whole)| *is_whole)
    }

    fn space_has(&mut self, address: &str, bytes: u32, size: &str) -> String {
        let function = self.text.import(ACCESSES, "space_has");
        format!("{function}({address}, {bytes}u, {size})")
    }

    /// Loads words for lanes, lowest word first; smaller values are extended to the first word. A lane whose access is a
    /// fault, and any other lane, gets zeros.
    pub(super) fn emit_memory_load(&mut self, at: u32, operand: &MemoryOperand, lanes: &str) -> Vec<String> {
        if self.thread.is_some() {
            return self.thread_words(operand);
        }
        let count = operand.access.bytes().div_ceil(4);
        let Some(Place { memory, address, is_valid, is_fixed }) = self.emit_place(at, operand, lanes) else {
            return vec!["0u".to_owned(); 4];
        };
        self.emit_order(memory, false);
        self.note(memory, false);
        if let (MemoryKind::Global(_), false) = (memory, self.is_ordered()) {
            self.emit_read_claims(&address, &is_valid, count);
        }
        let first = match memory {
            MemoryKind::Shared => format!("{address} >> 2u"),
            MemoryKind::Global(_) => {
                let function = self.text.import(ACCESSES, "global_word");
                format!("{function}({address})")
            }
            MemoryKind::Local => {
                let function = self.text.import("compute::local_memory", "local_word");
                format!("{function}({address})")
            }
            MemoryKind::Constant(number) => {
                format!("compute_parameters.constants[{}].x + ({address} >> 2u)", number & 15)
            }
            MemoryKind::Attribute => {
                let function = self.text.import("compute::threads", "input_word");
                format!("{function}({address})")
            }
            // No instruction loads these.
            MemoryKind::Primitive | MemoryKind::Interpolant | MemoryKind::Output => return vec!["0u".to_owned(); 4],
        };
        // A word that is the same in all lanes is loaded once.
        let first = if is_fixed { format!("({first})") } else { format!("select(0u, {first}, {is_valid})") };
        let first = self.text.bind("word", &first);
        let mut words = Vec::new();
        for part in 0..count {
            let loaded = match memory {
                MemoryKind::Shared => {
                    let array = self.text.import("compute::block", "compute_shared");
                    format!("atomicLoad(&{array}[{first} + {part}u])")
                }
                MemoryKind::Global(_) => {
                    let array = self.text.import(ACCESSES, "compute_memory");
                    format!("atomicLoad(&{array}[{first} + {part}u])")
                }
                MemoryKind::Local => {
                    let array = self.text.import("compute::local_memory", "compute_local");
                    format!("{array}[{first} + {}u]", part * 32)
                }
                MemoryKind::Constant(_)
                | MemoryKind::Attribute
                | MemoryKind::Primitive
                | MemoryKind::Interpolant
                | MemoryKind::Output => {
                    let array = self.text.import("compute::parameters", "compute_tables");
                    format!("{array}[{first} + {part}u]")
                }
            };
            let loaded = match operand.access {
                Access::U8 | Access::S8 | Access::U16 | Access::S16 => {
                    let function = self.text.import(ACCESSES, "value_in_word");
                    let is_signed = matches!(operand.access, Access::S8 | Access::S16);
                    format!("{function}({loaded}, {address}, {}u, {is_signed})", operand.access.bytes())
                }
                Access::B32 | Access::B64 | Access::B128 => loaded,
            };
            words.push(self.text.bind("loaded", &format!("select(0u, {loaded}, {is_valid})")));
        }
        words.resize(4, "0u".to_owned());
        words
    }

    /// Stores the low bytes of words from lanes, as if in ascending order. A lane whose access is a fault stores nothing.
    pub(super) fn emit_memory_store(&mut self, at: u32, operand: &MemoryOperand, lanes: &str, values: &[String]) {
        if self.thread.is_some() {
            self.emit_thread_stores(operand, lanes, values);
            return;
        }
        let bytes = operand.access.bytes();
        let Some(Place { memory, address, is_valid, .. }) = self.emit_place(at, operand, lanes) else { return };
        self.emit_order(memory, true);
        let value = &values[0];
        let is_ordered = self.key.has_ordered_stores;
        let (function, arguments) = match memory {
            MemoryKind::Shared if bytes < 4 => ("shared_part", format!("{address}, {bytes}u, {value}")),
            MemoryKind::Shared => ("shared_word", format!("{address}, {value}")),
            MemoryKind::Global(_) => {
                self.emit_write_claims(&address, &is_valid, bytes.div_ceil(4), "block_number + 1u");
                if bytes < 4 {
                    ("global_part", format!("{address}, {bytes}u, {value}"))
                } else {
                    ("global_words", format!("{address}, {}u, vec4u({})", bytes / 4, values.join(", ")))
                }
            }
            MemoryKind::Local => {
                self.emit_local_store(&address, bytes, values, &is_valid);
                return;
            }
            MemoryKind::Output => {
                let word = self.text.import("compute::threads", "output_word").to_owned();
                let array = self.text.import(ACCESSES, "compute_memory");
                let store = format!("atomicStore(&{array}[{word}({address} >> 2u)], {value});");
                self.text.line(format!("if {is_valid} {{ {store} }}"));
                return;
            }
            // The processor has no such instruction.
            MemoryKind::Constant(_) | MemoryKind::Attribute | MemoryKind::Primitive | MemoryKind::Interpolant => return,
        };
        if is_ordered {
            let function = self.text.import(ACCESSES, &format!("write_{function}")).to_owned();
            self.text.line(format!("if {is_valid} {{ {function}({arguments}); }}"));
            self.note(memory, true);
            return;
        }
        let function = self.text.import(ACCESSES, &format!("store_{function}")).to_owned();
        self.text.line(format!("{function}({arguments}, {is_valid});"));
        self.loops += 1;
        self.note_ballot();
        if memory != MemoryKind::Shared {
            self.pending.global_writes = false;
        }
    }

    fn emit_local_store(&mut self, address: &str, bytes: u32, values: &[String], is_valid: &str) {
        let function = self.text.import("compute::local_memory", "local_word");
        let array = self.text.import("compute::local_memory", "compute_local");
        let (function, array) = (function.to_owned(), array.to_owned());
        self.text.open(format!("if {is_valid} {{"));
        let word = self.text.bind("word", &format!("{function}({address})"));
        if bytes < 4 {
            let merge = self.text.import(ACCESSES, "word_with");
            let merged = format!("{merge}({array}[{word}], {address}, {bytes}u, {})", values[0]);
            self.text.line(format!("{array}[{word}] = {merged};"));
        } else {
            for (part, value) in values.iter().take(bytes as usize / 4).enumerate() {
                self.text.line(format!("{array}[{word} + {}u] = {value};", part * 32));
            }
        }
        self.text.close();
    }

    fn emit_read_claims(&mut self, address: &str, is_valid: &str, count: u32) {
        self.text.import("compute::claims", "claim_to_read");
        let word = self.text.import(ACCESSES, "global_word").to_owned();
        self.text.open(format!("if {is_valid} {{"));
        for part in 0..count {
            self.text.line(format!("claim_to_read({word}({address}) + {part}u, block_number);"));
        }
        self.text.close();
    }

    fn emit_write_claims(&mut self, address: &str, is_valid: &str, count: u32, claim: &str) {
        if self.is_ordered() {
            return;
        }
        self.text.import("compute::claims", "claim_to_write");
        let word = self.text.import(ACCESSES, "global_word").to_owned();
        self.text.open(format!("if {is_valid} {{"));
        for part in 0..count {
            self.text.line(format!("is_abandoned |= !claim_to_write({word}({address}) + {part}u, {claim});"));
        }
        self.text.close();
    }

    /// Updates memory atomically, as if in ascending order of lanes; returns the words before if they are needed.
    pub(super) fn emit_memory_update(
        &mut self,
        at: u32,
        operand: &MemoryOperand,
        lanes: &str,
        (operation, element): (AtomicOperation, ElementType),
        [value, swap]: &[Vec<String>; 2],
        needs_result: bool,
    ) -> Vec<String> {
        let zeros = vec!["0u".to_owned(); 4];
        let Some(Place { memory, address, is_valid, .. }) = self.emit_place(at, operand, lanes) else { return zeros };
        let has_memory = matches!(memory, MemoryKind::Global(number) if self.global_space(number).is_some());
        if !has_memory {
            // All addresses are outside.
            return zeros;
        }
        let number = update_number(operation);
        if let (Some(function), false) = (any_order_function(operation, element), needs_result) {
            self.emit_order(memory, true);
            self.emit_write_claims(&address, &is_valid, 1, &format!("CLAIM_OPERATIONS + {number}u"));
            if !self.is_ordered() {
                self.text.import("compute::claims", "CLAIM_OPERATIONS");
            }
            let array = self.text.import(ACCESSES, "compute_memory").to_owned();
            let word = self.text.import(ACCESSES, "global_word").to_owned();
            let place = format!("&{array}[{word}({address})]");
            self.text.line(format!("if {is_valid} {{ {function}({place}, {}); }}", value[0]));
            self.note(memory, true);
            return zeros;
        }
        let is_wide = matches!(element, ElementType::B64 | ElementType::U64);
        self.emit_order(memory, true);
        let count = if is_wide { 2 } else { 1 };
        self.emit_write_claims(&address, &is_valid, count, "block_number + 1u");
        if !self.is_ordered() {
            self.emit_read_claims(&address, &is_valid, count);
        }
        if self.key.has_ordered_stores
            && let Some((function, result)) = lane_order_function(operation, element)
        {
            let operands = if result.is_empty() { value[0].clone() } else { format!("{}, {}", value[0], swap[0]) };
            let array = self.text.import(ACCESSES, "compute_memory").to_owned();
            let word = self.text.import(ACCESSES, "global_word").to_owned();
            let before = self.text.name("before");
            self.text.line(format!("var {before} = 0u;"));
            let update = format!("{function}(&{array}[{word}({address})], {operands}){result}");
            self.text.line(format!("if {is_valid} {{ {before} = {update}; }}"));
            self.note(memory, true);
            return [before].into_iter().chain(zeros).take(4).collect();
        }
        let bits = number | if is_wide { 0x10 } else { 0 } | if element == ElementType::S32 { 0x20 } else { 0 };
        let function = self.text.import("compute::update_memory", "update_in_order");
        let update = format!(
            "{function}({bits:#x}u, {address}, vec2u({}, {}), vec2u({}, {}), {is_valid})",
            value[0], value[1], swap[0], swap[1]
        );
        let before = self.text.bind("before", &update);
        self.loops += 1;
        self.pending = NOTHING;
        let mut words = vec![format!("{before}.x"), format!("{before}.y")];
        words.resize(4, "0u".to_owned());
        words
    }
}

/// No accesses.
const NOTHING: Pending =
    Pending { shared_reads: false, shared_writes: false, global_reads: false, global_writes: false };

/// The number of an operation in `wgsl/compute/update_memory.wgsl`.
const fn update_number(operation: AtomicOperation) -> u32 {
    match operation {
        AtomicOperation::Add => 0,
        AtomicOperation::Exchange => 1,
        AtomicOperation::CompareAndSwap => 2,
        AtomicOperation::Increment => 3,
        AtomicOperation::Decrement => 4,
        AtomicOperation::Max => 5,
        AtomicOperation::Min => 6,
        AtomicOperation::And => 7,
        AtomicOperation::Or => 8,
        AtomicOperation::Xor => 9,
    }
}

/// The function of an operation whose order does not matter.
const fn any_order_function(operation: AtomicOperation, element: ElementType) -> Option<&'static str> {
    if matches!(element, ElementType::B64 | ElementType::U64) {
        return None;
    }
    match (operation, element) {
        (AtomicOperation::Add, _) => Some("atomicAdd"),
        (AtomicOperation::And, _) => Some("atomicAnd"),
        (AtomicOperation::Or, _) => Some("atomicOr"),
        (AtomicOperation::Xor, _) => Some("atomicXor"),
        (AtomicOperation::Max, ElementType::U32 | ElementType::B32) => Some("atomicMax"),
        (AtomicOperation::Min, ElementType::U32 | ElementType::B32) => Some("atomicMin"),
        _ => None,
    }
}

/// The function of an operation on words for adapters whose lanes access memory in their order, and what selects the old
/// value from its result; only a function with such a result takes two values.
const fn lane_order_function(operation: AtomicOperation, element: ElementType) -> Option<(&'static str, &'static str)> {
    match (operation, any_order_function(operation, element)) {
        (_, Some(function)) => Some((function, "")),
        _ if matches!(element, ElementType::B64 | ElementType::U64) => None,
        (AtomicOperation::Exchange, _) => Some(("atomicExchange", "")),
        (AtomicOperation::CompareAndSwap, _) => Some(("atomicCompareExchangeWeak", ".old_value")),
        _ => None,
    }
}
