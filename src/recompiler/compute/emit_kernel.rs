//! Writes the kernel of a program: its blocks and turns of warps around the text of its instructions.

use super::emitter::Emitter;
use super::kernel_key::ComputeKernelKey;
use super::layout::ComputeLayout;
use super::regions::Region;
use crate::recompiler::text::Text;
use crate::shader::simt::ProgramKind;

/// The words of a slot in front of its shared memory.
pub const SLOT_WORDS: u32 = 64;

/// What every kernel imports.
const IMPORTS: [(&str, &str); 40] = [
    ("arith::optimization_barrier", "set_opaque_zero"),
    ("compute::ballot", "lane"),
    ("compute::ballot", "ballot"),
    ("compute::ballot", "begin_ballots"),
    ("compute::barriers", "block_barriers"),
    ("compute::barriers", "warps_ready"),
    ("compute::barriers", "warps_ended"),
    ("compute::block", "begin_turn"),
    ("compute::block", "block_instructions"),
    ("compute::block", "block_is_open"),
    ("compute::block", "block_number"),
    ("compute::block", "block_warp"),
    ("compute::block", "change_warp"),
    ("compute::block", "close_slot"),
    ("compute::block", "compute_slots"),
    ("compute::block", "count_instructions"),
    ("compute::block", "end_turn"),
    ("compute::block", "first_register"),
    ("compute::block", "launch_instructions"),
    ("compute::block", "open_block"),
    ("compute::block", "open_slot"),
    ("compute::block", "pause_turn"),
    ("compute::block", "save_warp"),
    ("compute::block", "slot"),
    ("compute::block", "stop_at_limit"),
    ("compute::block", "warp_is_loaded"),
    ("compute::block", "warp_resumes"),
    ("compute::block", "warp_words"),
    ("compute::block", "warps_fresh"),
    ("compute::block", "warps_interrupted"),
    ("compute::parameters", "compute_parameters"),
    ("compute::records", "add_to_record"),
    ("compute::records", "compute_records"),
    ("compute::warp", "divergent_branches"),
    ("compute::warp", "launch_passes"),
    ("compute::warp", "warp_active"),
    ("compute::warp", "warp_end"),
    ("compute::warp", "warp_is_active"),
    ("compute::warp", "warp_next"),
    ("compute::warp", "warp_unwind"),
];

/// The words of a warp in front of its registers.
pub const WARP_WORDS: u32 = 7;

/// The text of a kernel, and where it records what.
#[derive(Debug, Clone)]
pub struct ComputeKernel {
    /// WGSL with import lines.
    pub source: String,
    /// Its records.
    pub layout: ComputeLayout,
    /// How many loops the text has, and the faults that they count in a basic block. A software adapter enters each of them once
    /// in a pass, even if no lane does.
    pub loops: u32,
}

/// Variables with their numbers.
type Numbered = Vec<(usize, String)>;

/// Translates a program.
#[must_use]
pub fn compute_kernel(key: &ComputeKernelKey) -> ComputeKernel {
    let mut emitter = Emitter::new(key, Text::default(), None);
    emitter.emit();
    let Emitter { text, layout, loops, max_loop_faults, .. } = emitter;
    let loops = loops.saturating_add(max_loop_faults);
    ComputeKernel { source: text.finish("Runs a compute program."), layout, loops }
}

impl Emitter<'_> {
    fn emit(&mut self) {
        for (module, item) in IMPORTS {
            self.text.import(module, item);
        }
        if self.is_ordered() {
            self.text.import_all(&[("compute::records", "begin_faults"), ("compute::records", "count_ending_fault")]);
        }
        if self.layout.resources.uses_local() {
            self.text.import("compute::local_memory", "clear_local_memory");
        }
        self.text.line(format!("const SHARED_WORDS: u32 = {}u;", self.key.shared_bytes / 4));
        self.text.line(format!("const IS_SPARSE: bool = {};", self.key.is_sparse));
        self.text.line(format!("const ENTRY_BLOCK: u32 = {}u;", self.layout.entry(&self.key.program)));
        self.text.line(format!("const HAS_SCOPES: bool = {};", self.layout.resources.has_scopes()));
        self.text.line("");
        self.text.line("@compute @workgroup_size(32)");
        self.text.open("fn main(@builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3u) {");
        self.text.line("set_opaque_zero(compute_parameters.zero);");
        self.emit_texture_parameters();
        self.text.line("lane = index;");
        if self.is_ordered() {
            self.text.line("begin_faults();");
        }
        self.text.line("begin_ballots();");
        self.text.line("open_slot(group.x);");
        self.emit_variables();
        self.emit_barrier_loads();
        // Blocks, and the turns of the warps of each.
        self.text.open("loop {");
        self.text.line("open_block();");
        self.text.line("let has_block = block_is_open;");
        self.text.open("loop {");
        self.text.line("let runs = begin_turn();");
        self.emit_load();
        self.text.open("if runs {");
        self.emit_program();
        self.emit_end_of_turn();
        self.text.close();
        self.text.line("if !runs || !block_is_open { break; }");
        self.text.close();
        self.text.line("launch_passes += 4u;");
        self.text.line("let is_last = launch_passes >= compute_parameters.pass_limit;");
        self.text.line("if !has_block || block_is_open || is_last { break; }");
        self.text.close();
        self.text.line("stop_at_limit();");
        if !self.is_ordered() {
            self.text.line("if is_abandoned { atomicOr(&compute_records[RECORD_STOP], STOP_ABANDONED); }");
        }
        self.text.line("close_slot();");
        self.emit_barrier_saves();
        self.emit_records();
        self.text.close();
        self.text.line("");
        self.emit_texture_units();
    }

    fn emit_variables(&mut self) {
        for name in self.layout.resources.variables() {
            self.text.line(format!("var {name} = 0u;"));
        }
        for group in 0..self.layout.blocks().div_ceil(32) {
            self.text.line(format!("var executed{group} = 0u;"));
            self.text.line(format!("var executed_lanes{group} = 0u;"));
        }
        for count in 0..self.layout.thread_counts() {
            self.text.line(format!("var threads{count} = 0u;"));
        }
        if !self.is_ordered() {
            self.text.line("var is_abandoned = false;");
        }
    }

    /// Where a register is saved, as an index of the slots' words.
    fn saved(number: usize) -> String {
        format!("compute_slots[words + {}u]", number * 32)
    }

    /// Loads the barriers of the slot's block.
    fn emit_barrier_loads(&mut self) {
        for barrier in self.layout.resources.barriers().collect::<Vec<_>>() {
            let word = format!("slot * compute_parameters.slot_words + {}u", 16 + 3 * barrier);
            let words = [0, 1, 2].map(|part| format!("compute_slots[{word} + {part}u]")).join(", ");
            self.text.import("compute::barriers", "BlockBarrier");
            self.text.line(format!("block_barriers[{barrier}] = BlockBarrier({words});"));
        }
    }

    /// Saves the barriers of the slot's block.
    fn emit_barrier_saves(&mut self) {
        self.text.open("if lane == 0u {");
        for barrier in self.layout.resources.barriers().collect::<Vec<_>>() {
            let word = format!("slot * compute_parameters.slot_words + {}u", 16 + 3 * barrier);
            for (part, field) in ["arrived", "needed", "waiting"].into_iter().enumerate() {
                self.text.line(format!("compute_slots[{word} + {part}u] = block_barriers[{barrier}].{field};"));
            }
        }
        self.text.close();
    }

    /// Loads the registers of the warp whose turn begins: after a barrier, those that are read there.
    fn emit_load(&mut self) {
        self.text.open("if runs && !warp_is_loaded {");
        self.text.line(format!("let words = warp_words(block_warp) + {}u;", WARP_WORDS * 32));
        self.text.line("let is_fresh = ((warps_fresh >> block_warp) & 1u) != 0u;");
        let (kept, others) = self.kept_variables();
        let coordinates = if self.key.program.kind() == ProgramKind::Compute { "first_register()" } else { "0u" };
        for (number, name) in &kept {
            let first = if name == "r0" { coordinates } else { "0u" };
            self.text.line(format!("{name} = select({}, {first}, is_fresh);", Self::saved(*number)));
        }
        for (_, name) in &others {
            let first = if name == "r0" { coordinates } else { "0u" };
            self.text.line(format!("{name} = select({name}, {first}, is_fresh);"));
        }
        if !others.is_empty() {
            self.text.open("if ((warps_interrupted >> block_warp) & 1u) != 0u {");
            for (number, name) in &others {
                self.text.line(format!("{name} = {};", Self::saved(*number)));
            }
            self.text.close();
        }
        if self.layout.resources.uses_local() {
            self.text.line("if is_fresh { clear_local_memory(); }");
        }
        self.text.line("warp_is_loaded = true;");
        self.text.close();
    }

    /// The variables that a warp keeps at a barrier, and the others, with their numbers.
    fn kept_variables(&self) -> (Numbered, Numbered) {
        let variables = self.layout.resources.variables().into_iter().enumerate();
        variables.partition(|(number, _)| self.layout.is_read_after_barriers(*number))
    }

    /// Runs the warp until its turn ends.
    fn emit_program(&mut self) {
        let regions = std::mem::take(&mut self.layout.regions);
        self.text.open("loop {");
        self.loops = 2;
        for region in &regions {
            self.emit_region(region);
        }
        if self.is_ordered() {
            self.text.line("count_ending_fault(block_number, block_warp);");
        }
        self.text.line("if warp_next == WARP_UNWINDS { warp_unwind(); pause_turn(); }");
        self.text.line(format!("launch_passes += {}u;", self.loops));
        self.text.line("if warp_next >= WARP_PAUSES || launch_passes >= compute_parameters.pass_limit { break; }");
        self.text.close();
    }

    fn emit_region(&mut self, region: &Region) {
        match region {
            region if !self.layout.is_reached(region) => {}
            Region::Block(block) => self.emit_block(*block),
            Region::Loop(regions) => {
                let (first, count) = (self.first_place(region), region.blocks());
                self.text.open(format!("if warp_next - {first}u < {count}u {{"));
                self.text.open("loop {");
                let outer = std::mem::replace(&mut self.loops, 1);
                for region in regions {
                    self.emit_region(region);
                }
                self.text.line(format!("launch_passes += {}u;", self.loops));
                self.text.line(format!(
                    "if warp_next - {first}u >= {count}u || launch_passes >= compute_parameters.pass_limit {{ break; }}"
                ));
                self.text.close();
                self.text.close();
                self.loops += outer;
            }
        }
    }

    fn first_place(&self, region: &Region) -> u32 {
        match region {
            Region::Block(block) => self.layout.place(*block),
            Region::Loop(regions) => regions.first().map_or(0, |region| self.first_place(region)),
        }
    }

    fn emit_end_of_turn(&mut self) {
        // Nothing counts passes between here and the next turn, so that a warp is saved if there is none.
        self.text.line("launch_passes += 4u;");
        if self.max_loop_faults != 0 {
            let function = self.text.import("compute::records", "passes_of_faults");
            self.text.line(format!("launch_passes += {function}(launch_instructions);"));
        }
        self.text.line("let is_paused = warp_next == WARP_PAUSES;");
        self.text.line("warp_next = select(warp_next, warp_resumes, is_paused);");
        self.text.open("if warp_next == WARP_ENDED {");
        self.emit_results();
        self.text.line("let bit = 1u << block_warp;");
        self.text.line("warps_ended |= bit;");
        for barrier in self.layout.resources.barriers().collect::<Vec<_>>() {
            let function = self.text.import("compute::barriers", "left_barrier");
            let left = format!("{function}(block_barriers[{barrier}], bit)");
            self.text.line(format!("block_barriers[{barrier}] = {left};"));
        }
        self.text.line("warps_ready &= ~bit;");
        self.text.close();
        self.text.line("let next = end_turn(is_paused);");
        self.text.line("let is_last = launch_passes >= compute_parameters.pass_limit || launch_instructions >= compute_parameters.instruction_limit;");
        self.text.open("if (next != block_warp || is_last) && warp_next != WARP_ENDED {");
        self.text.line("save_warp();");
        self.text.line(format!("let words = warp_words(block_warp) + {}u;", WARP_WORDS * 32));
        let (kept, others) = self.kept_variables();
        for (number, name) in &kept {
            self.text.line(format!("{} = {name};", Self::saved(*number)));
        }
        if !others.is_empty() {
            self.text.open("if ((warps_interrupted >> block_warp) & 1u) != 0u {");
            for (number, name) in &others {
                self.text.line(format!("{} = {name};", Self::saved(*number)));
            }
            self.text.close();
        }
        self.text.close();
        if self.is_ordered() {
            // Without barriers, no warp waits.
            if self.layout.resources.barriers().next().is_some() {
                let function = self.text.import("compute::deadlocks", "record_deadlocks");
                self.text.line(format!("if next == 32u && block_is_open {{ {function}(); }}"));
            }
        } else {
            let function = self.text.import("compute::block", "block_has_ended");
            let waits = format!("next == 32u && !{function}()");
            self.text.line(format!("is_abandoned |= {waits};"));
        }
        self.text.line("change_warp(next);");
    }

    /// Stores the result registers of the fragments of a warp that has ended.
    fn emit_results(&mut self) {
        if self.key.results == 0 {
            return;
        }
        self.text.import_all(&[("compute::threads", "output_word"), ("compute::access_memory", "compute_memory")]);
        self.text.import("compute::warp", "warp_threads");
        self.text.open("if ((warp_threads >> lane) & 1u) != 0u {");
        for (number, word) in (0..=u8::MAX).zip(0..self.key.results) {
            let value = self.register(number);
            self.text.line(format!("atomicStore(&compute_memory[output_word({word}u)], {value});"));
        }
        self.text.close();
    }

    /// Adds what this dispatch has counted to the records.
    fn emit_records(&mut self) {
        self.text.open("if lane == 0u {");
        self.text.line("atomicAdd(&compute_records[RECORD_OPEN_BLOCKS], select(0u, 1u, block_is_open));");
        self.text.line("add_to_record(RECORD_INSTRUCTIONS, launch_instructions);");
        self.text.line("add_to_record(RECORD_DIVERGENT_BRANCHES, divergent_branches);");
        self.text.close();
        let start = self.layout.block_record(0);
        for group in 0..self.layout.blocks().div_ceil(32) {
            let block = format!("({}u + lane)", group * 32);
            self.text.open(format!("if {block} < {}u {{", self.layout.blocks()));
            self.text.line(format!("add_to_record({start}u + {block} * 4u, executed{group});"));
            self.text.line(format!("add_to_record({start}u + {block} * 4u + 2u, executed_lanes{group});"));
            self.text.close();
        }
        let counts = self.layout.thread_counts();
        if counts == 0 {
            return;
        }
        // A loop, because compilers take longer for each access than for a choice.
        self.text.open(format!("for (var number = 0u; number < {counts}u; number += 1u) {{"));
        self.text.line("var threads = 0u;");
        for count in 0..counts {
            self.text.line(format!("threads = select(threads, threads{count}, number == {count}u);"));
        }
        self.text.line(format!("add_to_record({}u + number * 2u, threads);", self.layout.thread_record(0)));
        self.text.close();
    }
}
