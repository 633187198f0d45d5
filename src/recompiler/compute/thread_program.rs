//! The text of a SIMT program for single threads of vertices and quads of fragments, without warps: functions over a thread's
//! registers, from one step in which the threads of a quad read each other's registers to the next, and the flow from one basic
//! block to the next.
//!
//! It has the meaning that warps have for programs whose flow depends on a quad's own threads (`thread_flow.rs`). Accesses beyond
//! constants, inputs and outputs read zero and write nothing. What a program reads has names: `k0_4` is word 4 of constant space
//! 0, `in2` word 2 of `a[]`, `v0_5` word 5 of `v[]` at the fragment's center (1 at its centroid, 2 at the provoking vertex), `out3`
//! word 3 of `o[]`.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::emitter::{Emitter, ThreadNames, constant_name};
use super::fast_floats::has_fast_twin;
use super::fast_registers::FastFloats;
use super::kernel_key::{BlockOrder, ComputeKernelKey};
use super::thread_flow::{FLOW, ThreadFlow, end_of_block, thread_flow};
use super::unit_texts::UnitTexts;
use crate::pipeline::launch::{
    CONSTANT_STEP, CoordinatePlaces, LaunchLimits, LaunchTextures, LaunchThreads, MAX_QUAD_BLOCKS, VERTEX_STRIDE,
};
use crate::pipeline::{OutputWord, SimtStage};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::recompiler::texture::unit::UnitUses;
use crate::shader::simt::{
    Access, Address, Instruction, InterpolationMode, MemoryOperand, Operation, ProgramInstruction, ProgramKind,
    QuadLane, Space, TextureFetch,
};

/// The maximum number of bytes of a thread's local memory in a kernel of draws.
const MAX_LOCAL_BYTES: u32 = 1 << 12;

/// The least number of instructions with native operations for which a second text of a vertex program pays.
const MIN_TWIN_OPERATIONS: usize = 12;

/// What determines the text of a SIMT program of a draw, apart from how its inputs and outputs are connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimtProgramKey {
    kernel: ComputeKernelKey,
    /// The bytes of each constant space that is not empty.
    constants: BTreeMap<u8, u32>,
    input_words: u32,
    output_words: u32,
    local_bytes: u32,
}

impl Hash for SimtProgramKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kernel.registers, &self.constants, self.input_words, self.output_words, self.local_bytes).hash(state);
        self.kernel.program.entry().hash(state);
        for found in self.kernel.program.instructions() {
            (found.next, found.instruction.operation).hash(state);
        }
    }
}

impl SimtProgramKey {
    /// The key of a stage whose threads are like these, with these textures; `None` if a processor does not launch it.
    #[must_use]
    pub fn new(stage: &SimtStage, threads: LaunchThreads, textures: LaunchTextures) -> Option<Self> {
        let launch = stage.launch(threads, textures);
        LaunchLimits::of(stage.generation).check(&launch).ok()?;
        let size = |bytes: &Vec<u8>| u32::try_from(bytes.len().next_multiple_of(CONSTANT_STEP)).unwrap_or(u32::MAX);
        Some(Self {
            kernel: ComputeKernelKey {
                sample: launch.threads.first_sample(),
                ..ComputeKernelKey::new(&launch, BlockOrder::Ordered, false)
            },
            constants: stage.constants.iter().map(|(space, bytes)| (*space, size(bytes))).collect(),
            input_words: launch.threads.input_words(),
            output_words: launch.threads.output_words(),
            local_bytes: launch.reserved_local_bytes(),
        })
    }

    /// Whether threads may be discarded.
    pub(super) fn discards(&self) -> bool {
        let instructions = self.kernel.program.instructions().iter();
        instructions.map(|found| found.instruction.operation).any(|operation| operation == Operation::Discard)
    }

    /// What it does with a texture and a sampler.
    pub(super) fn uses(&self, [texture, sampler]: [u8; 2]) -> UnitUses {
        let mut textures = self.kernel.textures.iter();
        let found = textures.find(|own| [own.texture, own.sampler] == [texture, sampler]);
        found.map_or_else(UnitUses::default, |own| own.key.uses)
    }

    /// The units of the textures that it reads, for threads alone.
    pub(super) fn unit_texts(&self) -> UnitTexts {
        UnitTexts::new(&self.kernel)
    }

    /// The unit of each fetch of the program; `units` are the numbers of each unit's texture and sampler.
    pub(super) fn fetched_units<'u>(&'u self, units: &'u [[u8; 2]]) -> impl Iterator<Item = u8> + 'u {
        let instructions = self.kernel.program.instructions().iter();
        let fetches = instructions.filter_map(|found| TextureFetch::of(&found.instruction));
        fetches.filter_map(move |fetch| {
            (0..).zip(units).find(|(_, own)| **own == [fetch.texture, fetch.sampler]).map(|(unit, _)| unit)
        })
    }

    /// The constant spaces of a stage as the text reads them: one after the other.
    #[must_use]
    pub fn constant_vectors(stage: &SimtStage) -> Vec<[u32; 4]> {
        let spaces = stage.constants.values().flat_map(|bytes| {
            let mut bytes = bytes.clone();
            bytes.resize(bytes.len().next_multiple_of(CONSTANT_STEP), 0);
            bytes
        });
        let bytes: Vec<u8> = spaces.collect();
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        words.as_chunks().0.to_vec()
    }
}

/// A step of a program.
#[derive(Debug)]
pub(super) enum ThreadStep {
    /// A function of a thread and its interpolants.
    Own { function: String, interpolants: Vec<(InterpolationMode, u32)> },
    /// A function of a thread, the word of another thread of the quad, and the number of the thread in it.
    Quad {
        function: String,
        lane: QuadLane,
        /// The register of the word.
        word: String,
    },
    /// A function of a thread and the components of what it fetches.
    Texture {
        function: String,
        fetch: TextureFetch,
        /// Where its coordinates are.
        places: CoordinatePlaces,
        /// The place of its texture among those of the program.
        unit: u8,
    },
}

/// The functions of a program.
#[derive(Debug)]
pub(super) struct ThreadProgram {
    text: Text,
    /// The steps of its basic blocks, or all steps, if these run one after the other.
    blocks: Vec<Vec<ThreadStep>>,
    /// What follows the steps of each basic block; empty if they run one after the other.
    ends: Vec<Text>,
    /// The maximum number of passes over the blocks.
    passes: u64,
    /// Whether it accesses local memory.
    uses_local: bool,
    /// Whether a thread has its number in the quad.
    has_number: bool,
    names: ThreadNames,
    variables: Vec<String>,
    /// What is known of the registers at the end, if the text is that of the fast path.
    fast: Option<FastFloats>,
}

impl ThreadProgram {
    /// Writes the functions; `None` if the program needs warps.
    pub(super) fn new(key: &SimtProgramKey) -> Option<Self> {
        Self::with_path(key, None)
    }

    /// The functions of the fast path, if there is one; `planes` are the words of `v[]` that are planes with checked values.
    pub(super) fn fast(key: &SimtProgramKey, planes: Vec<u8>) -> Option<Self> {
        Self::with_path(key, Some(FastFloats::new(planes))).filter(Self::is_straight)
    }

    fn with_path(key: &SimtProgramKey, fast: Option<FastFloats>) -> Option<Self> {
        let ThreadFlow { blocks, repeats, is_straight } = thread_flow(&key.kernel)?;
        let names = ThreadNames {
            sizes: key.constants.clone(),
            input_words: key.input_words,
            output_words: key.output_words,
            local_bytes: key.local_bytes,
            ..ThreadNames::default()
        };
        let mut emitter = Emitter::new(&key.kernel, Text::default(), Some(names));
        emitter.fast = fast.filter(|_| is_straight);
        let mut variables = emitter.layout.resources.variables();
        let uses_local = emitter.layout.resources.uses_local() && key.local_bytes != 0;
        if uses_local && key.local_bytes > MAX_LOCAL_BYTES {
            return None;
        }
        let mut operations = key.kernel.program.instructions().iter().map(|found| found.instruction.operation);
        let has_number = uses_local || operations.any(Operation::masks_lanes);
        variables.extend(has_number.then(|| "number".to_owned()));
        let mut writer =
            Writer { emitter: &mut emitter, variables: &variables, is_straight, functions: 0, steps: Vec::new() };
        writer.declare_thread();
        let (blocks, ends) = if is_straight {
            let numbers: Vec<usize> = blocks.iter().flat_map(|block| block.instructions.clone()).collect();
            (vec![writer.steps(&numbers)], Vec::new())
        } else {
            let steps = blocks.iter().map(|block| writer.steps(&block.instructions.clone().collect::<Vec<_>>()));
            (steps.collect(), blocks.iter().map(|block| end_of_block(&key.kernel.program, block)).collect())
        };
        let names = emitter.thread.take().unwrap_or_default();
        // A pass runs a block at least, or removes an entry that a block has pushed.
        let passes = match (ends.len(), repeats) {
            (0, _) => 1,
            (_, true) => 2 * u64::from(MAX_QUAD_BLOCKS),
            (blocks, false) => 2 * 4 * blocks as u64,
        };
        (!names.is_impossible).then_some(Self {
            fast: emitter.fast,
            text: emitter.text,
            blocks,
            ends,
            passes,
            uses_local,
            has_number,
            names,
            variables,
        })
    }

    /// The maximum number of passes over its basic blocks.
    pub(super) const fn passes(&self) -> u64 {
        self.passes
    }

    /// Whether its instructions run one after the other.
    pub(super) const fn is_straight(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether the text is that of the fast path.
    pub(super) const fn is_fast(&self) -> bool {
        self.fast.is_some()
    }

    /// Whether it computes the same for all pixels of a draw.
    pub(super) fn is_uniform(&self) -> bool {
        let is_own = |step: &ThreadStep| matches!(step, ThreadStep::Own { .. });
        self.is_straight()
            && !self.has_number
            && self.names.interpolants.is_empty()
            && self.blocks.iter().flatten().all(is_own)
    }

    /// Whether enough of its instructions have native operations for a fast path of vertices to pay.
    pub(super) fn is_worth_twin(key: &SimtProgramKey) -> bool {
        let instructions = key.kernel.program.instructions().iter().map(|found| found.instruction.operation);
        instructions.filter(|operation| has_fast_twin(*operation)).count() >= MIN_TWIN_OPERATIONS
    }

    /// Checks that these registers of the four threads are finite where the fast path has not done so.
    pub(super) fn emit_finite(&self, text: &mut Text, registers: &[u8]) {
        let unsettled = self.fast.as_ref().map_or(Vec::new(), FastFloats::unsettled);
        for number in unsettled.into_iter().filter(|number| registers.contains(number)) {
            let check = text.import("software::thread_fast", "check_finite");
            (0..4).for_each(|thread| text.line(format!("{check}(thread{thread}.r{number});")));
        }
    }

    /// A thread that begins, before any function.
    pub(super) fn first(&self) -> String {
        let zeros: String = self.variables.iter().map(|_| "0u, ").collect();
        format!("{}({zeros}true, true, false)", thread_type(self.is_fast()))
    }

    /// Runs it in the variables `thread0` and so on.
    pub(super) fn emit_threads(&self, text: &mut Text, count: usize, emit_step: &dyn Fn(&mut Text, &ThreadStep)) {
        let first = self.first();
        (0..count).for_each(|thread| text.line(format!("var thread{thread} = {first};")));
        if self.has_number {
            (0..count).for_each(|thread| text.line(format!("thread{thread}.number = {thread}u;")));
        }
        if self.uses_local {
            text.line(format!("local_memory = array<u32, {}>();", self.names.local_bytes));
        }
        let emit_steps = |text: &mut Text, steps: &[ThreadStep]| {
            for step in steps {
                text.open("{");
                emit_step(text, step);
                text.close();
            }
        };
        if self.ends.is_empty() {
            self.blocks.iter().for_each(|steps| emit_steps(text, steps));
            return;
        }
        let items = ["begin_flow", "begin_flow_block", "flow_executing", "flow_next", "unwind_flow"];
        items.iter().for_each(|item| _ = text.import(FLOW, item));
        text.import_all(&[(FLOW, "FLOW_ENDED"), (FLOW, "FLOW_UNWINDS")]);
        text.line(format!("begin_flow({}u);", (1 << count) - 1));
        text.open("loop {");
        for (place, (steps, end)) in self.blocks.iter().zip(&self.ends).enumerate() {
            text.open(format!("if flow_next == {place}u && begin_flow_block() {{"));
            for thread in 0..count {
                text.import(FLOW, "flow_is_active");
                text.line(format!("thread{thread}.is_active = flow_is_active({thread}u);"));
            }
            emit_steps(text, steps);
            let executing =
                (0..count).map(|thread| format!("select(0u, {}u, thread{thread}.executes_last)", 1 << thread));
            text.line(format!("flow_executing = {};", executing.collect::<Vec<_>>().join(" | ")));
            text.append(end.clone());
            text.close();
        }
        text.line("if flow_next == FLOW_UNWINDS { unwind_flow(); }");
        text.line("if flow_next == FLOW_ENDED { break; }");
        text.close();
    }

    /// Runs it in a thread that has no others in its quad, and reads textures by the units of its key.
    pub(super) fn emit_alone(&self, text: &mut Text, units: &UnitTexts) {
        self.emit_threads(text, 1, &|text, step| match step {
            ThreadStep::Own { function, .. } => text.line(format!("thread0 = {function}(thread0);")),
            // What it would read of neighbors is zero.
            ThreadStep::Quad { function, .. } => text.line(format!("thread0 = {function}(thread0, 0u, 0u);")),
            ThreadStep::Texture { function, fetch, places, unit } => {
                units.emit_fetch(text, (*unit, fetch, places), &|number| match self.has_register(number) {
                    true => format!("thread0.r{number}"),
                    false => "0u".to_owned(),
                });
                let texel = COMPONENTS.map(|component| format!("fetched.{component}.x")).join(", ");
                text.line(format!("thread0 = {function}(thread0, vec4u({texel}));"));
            }
        });
    }

    /// The words of `a[]` that it reads.
    pub(super) fn inputs(&self) -> impl Iterator<Item = u32> {
        self.names.inputs.iter().copied()
    }

    /// The words of `v[]` that it reads, and where.
    pub(super) fn interpolants(&self) -> impl Iterator<Item = (InterpolationMode, u32)> {
        self.names.interpolants.iter().copied()
    }

    /// Declares its functions, and the variables that they read and write besides registers. Element `first` of an array has
    /// the first constant.
    pub(super) fn declare(&self, text: &mut Text, array: &str, first: u32) {
        let names = &self.names;
        if names.indexes_constants {
            text.line("// A word of an access to constants by their place; zero if some of it is outside, or it is misaligned.");
            text.open("fn constant_word(start: u32, size: u32, address: u32, bytes: u32, part: u32) -> u32 {");
            text.line("if (address & (bytes - 1u)) != 0u || address + bytes > size { return 0u; }");
            text.line("let place = start + address + 4u * part;");
            text.line(format!("return {array}[{first}u + (place >> 4u)][(place >> 2u) & 3u];"));
            text.close();
        }
        let constants = names.constants.iter().map(|word| constant_name(*word));
        let inputs = names.inputs.iter().map(|word| format!("in{word}"));
        let outputs = names.outputs.iter().map(|word| format!("out{word}"));
        for name in constants.chain(inputs).chain(outputs) {
            text.line(format!("var<private> {name}: u32;"));
        }
        if self.uses_local {
            self.declare_local_memory(text);
        }
        self.declare_functions(text);
    }

    /// Declares its functions alone, beside another path of the same program that declares the rest.
    pub(super) fn declare_functions(&self, text: &mut Text) {
        text.append(self.text.clone());
        text.line("");
    }

    /// Declares the local memory of the threads of a quad and its accesses; what is outside or misaligned reads zero and stores
    /// nothing.
    fn declare_local_memory(&self, text: &mut Text) {
        let bytes = self.names.local_bytes;
        text.line(format!("var<private> local_memory: array<u32, {bytes}>;"));
        text.open("fn is_local(address: u32, bytes: u32) -> bool {");
        text.line(format!("return (address & (bytes - 1u)) == 0u && address + bytes <= {bytes}u;"));
        text.close();
        text.open("fn local_word(number: u32, address: u32, bytes: u32, part: u32) -> u32 {");
        text.line("if !is_local(address, bytes) { return 0u; }");
        text.line(format!("return local_memory[number * {}u + (address >> 2u) + part];", bytes / 4));
        text.close();
        text.open("fn store_local(number: u32, address: u32, bytes: u32, part: u32, value: u32) {");
        text.line("if !is_local(address, bytes) { return; }");
        text.line(format!("let place = number * {}u + (address >> 2u) + part;", bytes / 4));
        text.line("let bits = min(8u * bytes, 32u);");
        text.line("local_memory[place] = insertBits(local_memory[place], value, 8u * (address & 3u), bits);");
        text.close();
    }

    /// Stores slots of these words, one for each bit, as those of a vertex in an array.
    pub(super) fn emit_output_stores(
        &self,
        text: &mut Text,
        (outputs, slots): (&[OutputWord], u16),
        array: &str,
        vertex: &str,
    ) {
        for slot in (0..16).filter(|slot| slots >> slot & 1 != 0) {
            let words = [0, 1, 2, 3].map(|component| match outputs.get(4 * slot + component) {
                Some(OutputWord::Word(word)) if self.names.outputs.contains(&u32::from(*word)) => format!("out{word}"),
                Some(OutputWord::Value(value)) => format!("{value:#x}u"),
                Some(OutputWord::Word(_)) | None => "0u".to_owned(),
            });
            let place = text.import("vertex::output_place", "output_place");
            text.line(format!("{array}[{place}({vertex}, {slot}u)] = stored_of(vec4u({}));", words.join(", ")));
        }
    }

    /// The words of `o[]` that it writes.
    pub(super) fn outputs(&self) -> impl Iterator<Item = u32> {
        self.names.outputs.iter().copied()
    }

    /// A register of the four threads of a quad; those without a variable are zero.
    pub(super) fn register(&self, number: u8) -> String {
        match self.has_register(number) {
            true => format!("vec4u(thread0.r{number}, thread1.r{number}, thread2.r{number}, thread3.r{number})"),
            false => "vec4u(0u)".to_owned(),
        }
    }

    fn has_register(&self, number: u8) -> bool {
        self.variables.contains(&format!("r{number}"))
    }

    /// The loads of the constants that it reads, from an array whose element `first` has the first one.
    pub(super) fn emit_constant_loads(&self, text: &mut Text, array: &str, first: u32) {
        for (space, word) in &self.names.constants {
            let vector = first + self.names.constant_start(*space) / 16 + word / 4;
            let component = COMPONENTS[(word % 4) as usize];
            text.line(format!("k{space}_{word} = {array}[{vector}].{component};"));
        }
        let Some(fast) = &self.fast else { return };
        text.import("software::thread_fast", "begin_constant_floats");
        text.line("begin_constant_floats();");
        for word in &fast.constants {
            let check = text.import("software::thread_fast", "check_constant");
            text.line(format!("{check}({});", constant_name(*word)));
        }
    }
}

/// The name of the structure of a thread's registers.
const fn thread_type(is_fast: bool) -> &'static str {
    if is_fast { "FastThread" } else { "SimtThread" }
}

/// The name of an interpolant.
pub(super) fn interpolant_name((mode, word): (InterpolationMode, u32)) -> String {
    let mode = match mode {
        InterpolationMode::Center => 0,
        InterpolationMode::Centroid => 1,
        InterpolationMode::Flat => 2,
    };
    format!("v{mode}_{word}")
}

/// Writes the functions of a program one after the other.
struct Writer<'w, 'key> {
    emitter: &'w mut Emitter<'key>,
    variables: &'w [String],
    is_straight: bool,
    functions: usize,
    /// Those of the open basic block.
    steps: Vec<ThreadStep>,
}

impl Writer<'_, '_> {
    fn declare_thread(&mut self) {
        let text = &mut self.emitter.text;
        text.line("// The registers of a thread; whether it is active and not discarded, and whether it executes the last instruction of");
        text.line("// its basic block.");
        text.open(format!("struct {} {{", thread_type(self.emitter.fast.is_some())));
        for name in self.variables {
            text.line(format!("{name}: u32,"));
        }
        text.line("is_active: bool,");
        text.line("is_kept: bool,");
        text.line("executes_last: bool,");
        text.close();
    }

    /// Opens a function with these further parameters; variables have the names of registers.
    fn open(&mut self, name: &str, parameters: &str) {
        let text = &mut self.emitter.text;
        text.line("");
        let thread = thread_type(self.emitter.fast.is_some());
        text.open(format!("fn {name}(before: {thread}{parameters}) -> {thread} {{"));
        for name in self.variables.iter().map(String::as_str).chain(["is_active", "is_kept", "executes_last"]) {
            text.line(format!("var {name} = before.{name};"));
        }
    }

    fn close(&mut self) {
        let names: String = self.variables.iter().map(|name| format!("{name}, ")).collect();
        let thread = thread_type(self.emitter.fast.is_some());
        self.emitter.text.line(format!("return {thread}({names}is_active, is_kept, executes_last);"));
        self.emitter.text.close();
    }

    /// The name of the next function.
    fn next_function(&mut self) -> String {
        self.functions += 1;
        let path = if self.emitter.fast.is_some() { "fast" } else { "simt" };
        format!("{path}_step{}", self.functions - 1)
    }

    /// Writes a function of a thread's own work.
    fn emit_own(&mut self, write: impl FnOnce(&mut Self)) {
        let function = self.next_function();
        let before = self.emitter.thread.as_mut().map(|names| std::mem::take(&mut names.interpolants));
        // The parameters are known when the text is written.
        let text = std::mem::take(&mut self.emitter.text);
        write(self);
        let body = std::mem::replace(&mut self.emitter.text, text);
        let Some(names) = &mut self.emitter.thread else { return };
        let interpolants: Vec<_> = names.interpolants.iter().copied().collect();
        names.interpolants.extend(before.unwrap_or_default());
        let parameters: String = interpolants.iter().map(|own| format!(", {}: u32", interpolant_name(*own))).collect();
        self.open(&function, &parameters);
        self.emitter.text.append(body);
        self.close();
        self.steps.push(ThreadStep::Own { function, interpolants });
    }

    /// The steps of these instructions. Threads read each other's registers as they are between steps.
    fn steps(&mut self, instructions: &[usize]) -> Vec<ThreadStep> {
        let program = Arc::clone(&self.emitter.key.program);
        let mut rest = instructions;
        while let Some(first) = rest.first() {
            if self.emitter.reads_other_threads(*first) {
                let instruction = &program.instructions()[*first].instruction;
                match TextureFetch::of(instruction) {
                    Some(fetch) => self.emit_texture(&fetch, *first),
                    None => self.emit_quad(instruction, *first),
                }
                rest = &rest[1..];
                continue;
            }
            let is_others = |number: &usize| self.emitter.reads_other_threads(*number);
            let count = rest.iter().position(is_others).unwrap_or(rest.len());
            let (own, others) = rest.split_at(count);
            rest = others;
            self.emit_own(|writer| own.iter().for_each(|number| writer.emit_instruction(*number)));
        }
        std::mem::take(&mut self.steps)
    }

    /// An instruction; flow itself is text of its own.
    fn emit_instruction(&mut self, number: usize) {
        let program = Arc::clone(&self.emitter.key.program);
        let ProgramInstruction { instruction, text, .. } = &program.instructions()[number];
        self.emitter.text.line(format!("// {text}"));
        if !instruction.operation.changes_flow() {
            self.emitter.emit_instruction(number, 0, false);
            return;
        }
        let ends = matches!(instruction.operation, Operation::Discard | Operation::Return);
        if !ends && !matches!(instruction.operation, Operation::Branch | Operation::Break) {
            return;
        }
        self.emitter.text.open("{");
        self.emitter.emit_instruction(number, 0, true);
        if instruction.operation == Operation::Discard {
            self.emitter.text.line("is_kept = is_kept & !executes;");
        }
        if let Some(fast) = &mut self.emitter.fast {
            fast.may_have_ended |= ends;
        }
        match self.is_straight {
            true if ends => self.emitter.text.line("is_active = is_active & !executes;"),
            true => {}
            false => self.emitter.text.line("executes_last = executes;"),
        }
        self.emitter.text.close();
    }

    /// An instruction that fetches texels for the threads of a quad.
    fn emit_texture(&mut self, fetch: &TextureFetch, number: usize) {
        let function = self.next_function();
        let mut bound = (0..).zip(&self.emitter.key.textures);
        let found = bound.find(|(_, own)| (own.texture, own.sampler) == (fetch.texture, fetch.sampler));
        let Some((unit, places)) = found.map(|(unit, texture)| (unit, texture.places)) else {
            self.emitter.give_up();
            return;
        };
        self.open(&function, ", texel: vec4u");
        self.emit_instruction(number);
        self.close();
        self.steps.push(ThreadStep::Texture { function, fetch: *fetch, places, unit });
    }

    /// An instruction that reads a register of another thread of the quad.
    fn emit_quad(&mut self, instruction: &Instruction, number: usize) {
        let function = self.next_function();
        let Operation::Quad { lane, .. } = instruction.operation else { return };
        // Only fragments have others in their quads at hand; neighbors are none of those.
        if self.emitter.key.program.kind() != ProgramKind::Fragment && matches!(lane, QuadLane::Number(_)) {
            self.emitter.give_up();
        }
        let word = self.emitter.register_source(instruction, 0).swap_remove(0);
        self.open(&function, ", word: u32, lane: u32");
        self.emit_instruction(number);
        self.close();
        self.steps.push(ThreadStep::Quad { function, lane, word });
    }
}

impl Emitter<'_> {
    /// Notes that single threads cannot run the program.
    pub(super) const fn give_up(&mut self) {
        if let Some(names) = &mut self.thread {
            names.is_impossible = true;
        }
    }

    /// Whether an instruction reads what other threads of the quad have, or samples for all of them at once.
    fn reads_other_threads(&self, number: usize) -> bool {
        let operation = self.key.program.instructions()[number].instruction.operation;
        matches!(operation, Operation::Quad { .. } | Operation::Texture(_))
    }

    /// The words that a thread loads, by name.
    pub(super) fn thread_words(&mut self, operand: &MemoryOperand) -> Vec<String> {
        let zeros = || vec!["0u".to_owned(); 4];
        if operand.space == Space::Primitive {
            return self.primitive_words(operand);
        }
        let Some(names) = &mut self.thread else { return zeros() };
        let size = match operand.space {
            Space::Constant(space) => names.sizes.get(&space).copied().unwrap_or(0),
            Space::Attribute => names.input_words * 4,
            Space::Local => names.local_bytes,
            _ => {
                names.is_impossible = true;
                return zeros();
            }
        };
        let bytes = operand.access.bytes();
        let (mut words, shift): (Vec<String>, String) = match (thread_place(operand, size), operand.space) {
            (ThreadPlace::Nowhere, _) => return zeros(),
            (_, Space::Local) if size == 0 => return zeros(),
            (place @ (ThreadPlace::At(_) | ThreadPlace::Indexed { .. }), Space::Local) => {
                let address = self.place_address(place);
                let call = |part| format!("local_word(number, {address}, {bytes}u, {part}u)");
                let words = (0..bytes.div_ceil(4)).map(|part| self.text.bind("word", &call(part)));
                (words.collect(), format!("(({address} & 3u) << 3u)"))
            }
            (ThreadPlace::At(offset), Space::Constant(space)) => {
                let words = offset / 4..(offset + bytes).div_ceil(4);
                names.constants.extend(words.clone().map(|word| (space, word)));
                (words.map(|word| constant_name((space, word))).collect(), format!("{}u", 8 * (offset % 4)))
            }
            (ThreadPlace::At(offset), _) => {
                let words = offset / 4..(offset + bytes).div_ceil(4);
                names.inputs.extend(words.clone());
                (words.map(|word| format!("in{word}")).collect(), format!("{}u", 8 * (offset % 4)))
            }
            (place @ ThreadPlace::Indexed { .. }, Space::Constant(space)) => {
                names.indexes_constants = true;
                let start = names.constant_start(space);
                let address = self.place_address(place);
                let call = |part| format!("constant_word({start}u, {size}u, {address}, {bytes}u, {part}u)");
                let words = (0..bytes.div_ceil(4)).map(|part| self.text.bind("word", &call(part)));
                (words.collect(), format!("(({address} & 3u) << 3u)"))
            }
            _ => {
                names.is_impossible = true;
                return zeros();
            }
        };
        let bits = 8 * bytes;
        match operand.access {
            Access::U8 | Access::U16 => words[0] = format!("extractBits({}, {shift}, {bits}u)", words[0]),
            Access::S8 | Access::S16 => {
                words[0] = format!("bitcast<u32>(extractBits(bitcast<i32>({}), {shift}, {bits}u))", words[0]);
            }
            Access::B32 | Access::B64 | Access::B128 => {}
        }
        words.resize(4, "0u".to_owned());
        words
    }

    /// A word of the vertices of a thread's primitive.
    fn primitive_words(&mut self, operand: &MemoryOperand) -> Vec<String> {
        let mut words = vec!["0u".to_owned(); 4];
        match (operand.address, operand.access) {
            (Address::Offset { base, offset }, Access::B32) => {
                let (base, offset) = (self.address_register(base), offset * VERTEX_STRIDE);
                let word = format!("primitive_word(({base} + {offset}u) & 0xffffu)");
                words[0] = self.text.bind("word", &word);
            }
            _ => self.give_up(),
        }
        words
    }

    /// Emits a vertex or ends a strip, in a thread that is one of these lanes.
    pub(super) fn emit_emission(&mut self, operation: Operation, lanes: &str) {
        let function = if operation == Operation::Emit { "emit_vertex" } else { "restart_strip" };
        self.text.line(format!("if {lanes} {{ {function}(); }}"));
    }

    /// The address of an access.
    fn place_address(&mut self, place: ThreadPlace) -> String {
        match place {
            ThreadPlace::Indexed { base, offset } => {
                let address = format!("({} + {offset:#x}u) & 0xffffu", self.address_register(base));
                self.text.bind("address", &address)
            }
            ThreadPlace::At(offset) => format!("{offset}u"),
            ThreadPlace::Nowhere | ThreadPlace::Unknown => "0u".to_owned(),
        }
    }

    /// Stores words to the outputs or the local memory of a thread that is one of these lanes.
    pub(super) fn emit_thread_stores(&mut self, operand: &MemoryOperand, lanes: &str, values: &[String]) {
        let Some(names) = &mut self.thread else { return };
        let bytes = operand.access.bytes();
        if operand.space == Space::Local {
            match thread_place(operand, names.local_bytes) {
                _ if names.local_bytes == 0 => {}
                ThreadPlace::Nowhere => {}
                ThreadPlace::Unknown => names.is_impossible = true,
                place => {
                    let address = self.place_address(place);
                    self.text.open(format!("if {lanes} {{"));
                    for (part, value) in (0..bytes.div_ceil(4)).zip(values) {
                        self.text.line(format!("store_local(number, {address}, {bytes}u, {part}u, {value});"));
                    }
                    self.text.close();
                }
            }
            return;
        }
        let offset = match thread_place(operand, names.output_words * 4) {
            ThreadPlace::At(offset) if operand.space == Space::Output && bytes.is_multiple_of(4) => offset,
            ThreadPlace::Nowhere if operand.space == Space::Output => return,
            _ => {
                names.is_impossible = true;
                return;
            }
        };
        for (word, value) in (offset / 4..(offset + bytes) / 4).zip(values) {
            names.outputs.insert(word);
            self.text.line(format!("out{word} = select(out{word}, {value}, {lanes});"));
        }
    }

    /// An interpolant of a thread, by name.
    pub(super) fn thread_interpolant(&mut self, operand: &MemoryOperand, mode: InterpolationMode) -> String {
        let Some(names) = &mut self.thread else { return "0u".to_owned() };
        let offset = match thread_place(operand, names.input_words * 4) {
            ThreadPlace::At(offset) if operand.access.bytes() == 4 => offset,
            ThreadPlace::Nowhere if operand.access.bytes() == 4 => return "0u".to_owned(),
            _ => {
                names.is_impossible = true;
                return "0u".to_owned();
            }
        };
        let interpolant = (mode, offset / 4);
        names.interpolants.insert(interpolant);
        interpolant_name(interpolant)
    }
}

/// Where a thread accesses memory.
enum ThreadPlace {
    /// At this offset.
    At(u32),
    /// Outside the memory, or misaligned.
    Nowhere,
    /// At the sum of an address register and this offset, of 16 bits.
    Indexed { base: u8, offset: u32 },
    /// At another address of a register.
    Unknown,
}

/// The place of an access to memory of a size.
fn thread_place(operand: &MemoryOperand, size: u32) -> ThreadPlace {
    let bytes = operand.access.bytes();
    match operand.address {
        Address::Offset { base: 0, offset } => {
            let offset = offset & 0xffff;
            let is_inside = offset.is_multiple_of(bytes) && offset + bytes <= size;
            if is_inside { ThreadPlace::At(offset) } else { ThreadPlace::Nowhere }
        }
        Address::Offset { base, offset } => ThreadPlace::Indexed { base, offset },
        Address::Register(_) | Address::PostIncrement { .. } => ThreadPlace::Unknown,
    }
}
