//! The text of a SIMT program for single threads of vertices and quads of fragments, without warps: functions over a thread's
//! registers, from one step in which the threads of a quad read each other's registers to the next.
//!
//! It has the meaning that warps have for programs whose blocks lead forward (`thread_flow.rs`) and whose accesses cannot be
//! faults. What a program reads has names: `k0_4` is word 4 of constant space 0, `in2` word 2 of `a[]`, `v0_5` word 5 of
//! `v[]` at the fragment's center (1 at its centroid, 2 at the provoking vertex), `out3` word 3 of `o[]`.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::emitter::{Emitter, ThreadNames};
use super::kernel_key::{BlockOrder, ComputeKernelKey};
use super::thread_flow::{ThreadBlock, ThreadNext, thread_blocks};
use crate::pipeline::launch::{CONSTANT_STEP, LaunchLimits, LaunchTextures, LaunchThreads, VERTEX_STRIDE};
use crate::pipeline::{Dimensions, SimtStage};
use crate::recompiler::text::{COMPONENTS, Text};
use crate::shader::simt::{
    Access, Address, Instruction, InterpolationMode, MemoryOperand, Operation, ProgramInstruction, ProgramKind,
    QuadLane, Space, TextureFetch,
};

/// What determines the text of a SIMT program of a draw, apart from how its inputs and outputs are connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimtProgramKey {
    kernel: ComputeKernelKey,
    /// The bytes of each constant space that is not empty.
    constants: BTreeMap<u8, u32>,
    input_words: u32,
    output_words: u32,
}

impl Hash for SimtProgramKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kernel.registers, &self.constants, self.input_words, self.output_words).hash(state);
        self.kernel.program.entry().hash(state);
        for found in self.kernel.program.instructions() {
            (found.next, found.instruction.operation).hash(state);
        }
    }
}

impl SimtProgramKey {
    /// The key of a stage whose threads are like these, with these textures; `None` if kernels do not run it.
    #[must_use]
    pub fn new(stage: &SimtStage, threads: LaunchThreads, textures: LaunchTextures) -> Option<Self> {
        let launch = stage.launch(threads, textures);
        LaunchLimits::of(stage.generation).check(&launch).ok()?;
        let size = |bytes: &Vec<u8>| u32::try_from(bytes.len().next_multiple_of(CONSTANT_STEP)).unwrap_or(u32::MAX);
        let key = Self {
            kernel: ComputeKernelKey::new(&launch, BlockOrder::Ordered, false),
            constants: stage.constants.iter().map(|(space, bytes)| (*space, size(bytes))).collect(),
            input_words: launch.threads.input_words(),
            output_words: launch.threads.output_words(),
        };
        ThreadProgram::new(&key).is_some().then_some(key)
    }

    /// Whether threads may be discarded.
    pub(super) fn discards(&self) -> bool {
        let instructions = self.kernel.program.instructions().iter();
        instructions.map(|found| found.instruction.operation).any(|operation| operation == Operation::Discard)
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
        /// The dimensions of the texture.
        dimensions: Dimensions,
    },
}

/// The functions of a program.
#[derive(Debug)]
pub(super) struct ThreadProgram {
    pub(super) text: Text,
    pub(super) steps: Vec<ThreadStep>,
    names: ThreadNames,
    variables: Vec<String>,
}

impl ThreadProgram {
    /// Writes the functions; `None` if the program needs warps.
    pub(super) fn new(key: &SimtProgramKey) -> Option<Self> {
        let blocks = thread_blocks(&key.kernel)?;
        let names = ThreadNames {
            sizes: key.constants.clone(),
            input_words: key.input_words,
            output_words: key.output_words,
            ..ThreadNames::default()
        };
        let mut emitter = Emitter::new(&key.kernel, Text::default(), Some(names));
        let variables = emitter.layout.resources.variables();
        let mut writer = Writer { emitter: &mut emitter, variables: &variables, steps: Vec::new() };
        writer.declare_thread();
        match is_straight(&blocks) {
            true => writer.emit_line(&blocks),
            false => writer.emit_branches(&blocks),
        }
        let steps = writer.steps;
        let names = emitter.thread.take().unwrap_or_default();
        (!names.is_impossible).then_some(Self { text: emitter.text, steps, names, variables })
    }

    /// A thread that begins, before any function.
    pub(super) fn first(&self) -> String {
        let zeros: String = self.variables.iter().map(|_| "0u, ").collect();
        format!("SimtThread({zeros}true, true)")
    }

    /// Runs it in a thread that has no others in its quad and samples nothing.
    pub(super) fn emit_alone(&self, text: &mut Text) {
        text.line(format!("var thread = {};", self.first()));
        for step in &self.steps {
            match step {
                ThreadStep::Own { function, .. } => text.line(format!("thread = {function}(thread);")),
                // What it would read of neighbors is zero.
                ThreadStep::Quad { function, .. } => text.line(format!("thread = {function}(thread, 0u, 0u);")),
                ThreadStep::Texture { .. } => {}
            }
        }
    }

    /// The words of `a[]` that it reads.
    pub(super) fn inputs(&self) -> impl Iterator<Item = u32> {
        self.names.inputs.iter().copied()
    }

    /// The words of `v[]` that it reads, and where.
    pub(super) fn interpolants(&self) -> impl Iterator<Item = (InterpolationMode, u32)> {
        self.names.interpolants.iter().copied()
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
            let before: u32 = self.names.sizes.range(..space).map(|(_, bytes)| bytes / 16).sum();
            let (vector, component) = (first + before + word / 4, COMPONENTS[(word % 4) as usize]);
            text.line(format!("k{space}_{word} = {array}[{vector}].{component};"));
        }
    }
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

/// Whether all blocks run one after the other; threads only end early.
fn is_straight(blocks: &[ThreadBlock]) -> bool {
    blocks.iter().enumerate().all(|(place, block)| {
        let is_next = |next: Option<usize>| next.is_none_or(|next| next == place + 1);
        match block.next {
            ThreadNext::Always(next) => is_next(next) && (next.is_some() || place + 1 == blocks.len()),
            ThreadNext::Either(taken, next) => taken.is_none() && next == Some(place + 1),
        }
    })
}

/// Writes the functions of a program one after the other.
struct Writer<'w, 'key> {
    emitter: &'w mut Emitter<'key>,
    variables: &'w [String],
    steps: Vec<ThreadStep>,
}

impl Writer<'_, '_> {
    fn declare_thread(&mut self) {
        let text = &mut self.emitter.text;
        text.line("// The registers of a thread; whether it has not ended, and whether it is not discarded.");
        text.open("struct SimtThread {");
        for name in self.variables {
            text.line(format!("{name}: u32,"));
        }
        text.line("is_active: bool,");
        text.line("is_kept: bool,");
        text.close();
    }

    /// Opens a function with these further parameters; variables have the names of registers.
    fn open(&mut self, name: &str, parameters: &str) {
        let text = &mut self.emitter.text;
        text.line("");
        text.open(format!("fn {name}(before: SimtThread{parameters}) -> SimtThread {{"));
        for name in self.variables.iter().map(String::as_str).chain(["is_active", "is_kept"]) {
            text.line(format!("var {name} = before.{name};"));
        }
    }

    fn close(&mut self) {
        let names: String = self.variables.iter().map(|name| format!("{name}, ")).collect();
        self.emitter.text.line(format!("return SimtThread({names}is_active, is_kept);"));
        self.emitter.text.close();
    }

    /// Writes a function of a thread's own work.
    fn emit_own(&mut self, write: impl FnOnce(&mut Self)) {
        let function = format!("simt_step{}", self.steps.len());
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

    /// A program whose blocks run one after the other, with steps between which threads read each other's registers.
    fn emit_line(&mut self, blocks: &[ThreadBlock]) {
        let program = Arc::clone(&self.emitter.key.program);
        let numbers: Vec<usize> = blocks.iter().flat_map(|block| block.instructions.clone()).collect();
        let mut rest = numbers.as_slice();
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
    }

    /// A program with branches, as one function.
    fn emit_branches(&mut self, blocks: &[ThreadBlock]) {
        self.emit_own(|writer| {
            writer.emitter.text.line("var next = 0u;");
            let end = blocks.len();
            let number = |next: Option<usize>| next.unwrap_or(end);
            for (place, block) in blocks.iter().enumerate() {
                writer.emitter.text.open(format!("if next == {place}u {{"));
                for instruction in block.instructions.clone() {
                    if writer.emitter.reads_other_threads(instruction) {
                        writer.emitter.give_up();
                    }
                    writer.emit_instruction(instruction);
                }
                let next = match block.next {
                    ThreadNext::Always(next) => format!("{}u", number(next)),
                    ThreadNext::Either(taken, next) => {
                        format!("select({}u, {}u, executes)", number(next), number(taken))
                    }
                };
                writer.emitter.text.line(format!("next = {next};"));
                writer.emitter.text.close();
            }
        });
    }

    /// An instruction; flow itself is text of its own.
    fn emit_instruction(&mut self, number: usize) {
        let program = Arc::clone(&self.emitter.key.program);
        let ProgramInstruction { instruction, text, .. } = &program.instructions()[number];
        self.emitter.text.line(format!("// {text}"));
        let changes_flow = instruction.operation.changes_flow();
        if !changes_flow {
            self.emitter.emit_instruction(number, 0, false);
            return;
        }
        let is_discard = instruction.operation == Operation::Discard;
        let is_branch = matches!(instruction.operation, Operation::Branch | Operation::Break | Operation::Return);
        if is_discard || is_branch {
            self.emitter.emit_instruction(number, 0, true);
        }
        if is_discard {
            self.emitter.text.line("is_kept = is_kept & !executes;");
            self.emitter.text.line("is_active = is_active & !executes;");
        }
    }

    /// An instruction that fetches texels for the threads of a quad.
    fn emit_texture(&mut self, fetch: &TextureFetch, number: usize) {
        let function = format!("simt_step{}", self.steps.len());
        let bound = self.emitter.key.textures.iter();
        let found = bound.clone().find(|own| (own.texture, own.sampler) == (fetch.texture, fetch.sampler));
        let is_fragment = self.emitter.key.program.kind() == ProgramKind::Fragment;
        let Some(texture) = found.filter(|_| is_fragment) else {
            self.emitter.give_up();
            return;
        };
        let dimensions = texture.dimensions;
        self.open(&function, ", texel: vec4u");
        self.emit_instruction(number);
        self.close();
        self.steps.push(ThreadStep::Texture { function, fetch: *fetch, dimensions });
    }

    /// An instruction that reads a register of another thread of the quad.
    fn emit_quad(&mut self, instruction: &Instruction, number: usize) {
        let function = format!("simt_step{}", self.steps.len());
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
            _ => 0,
        };
        let Some((offset, bytes)) = fixed_place(operand, size) else {
            names.is_impossible = true;
            return zeros();
        };
        let words = (offset / 4..(offset + bytes).div_ceil(4)).map(|word| match operand.space {
            Space::Constant(space) => {
                names.constants.insert((space, word));
                format!("k{space}_{word}")
            }
            _ => {
                names.inputs.insert(word);
                format!("in{word}")
            }
        });
        let mut words: Vec<String> = words.collect();
        let part = |bits: u32| (8 * (offset % 4), bits);
        match operand.access {
            Access::U8 | Access::U16 => {
                let (shift, bits) = part(8 * bytes);
                words[0] = format!("extractBits({}, {shift}u, {bits}u)", words[0]);
            }
            Access::S8 | Access::S16 => {
                let (shift, bits) = part(8 * bytes);
                words[0] = format!("bitcast<u32>(extractBits(bitcast<i32>({}), {shift}u, {bits}u))", words[0]);
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

    /// Stores words to the outputs of a thread that is one of these lanes.
    pub(super) fn emit_thread_outputs(&mut self, operand: &MemoryOperand, lanes: &str, values: &[String]) {
        let Some(names) = &mut self.thread else { return };
        let size = if operand.space == Space::Output { names.output_words * 4 } else { 0 };
        let place = fixed_place(operand, size).filter(|(_, bytes)| bytes % 4 == 0);
        let Some((offset, bytes)) = place else {
            names.is_impossible = true;
            return;
        };
        for (word, value) in (offset / 4..(offset + bytes) / 4).zip(values) {
            names.outputs.insert(word);
            self.text.line(format!("out{word} = select(out{word}, {value}, {lanes});"));
        }
    }

    /// An interpolant of a thread, by name.
    pub(super) fn thread_interpolant(&mut self, operand: &MemoryOperand, mode: InterpolationMode) -> String {
        let Some(names) = &mut self.thread else { return "0u".to_owned() };
        let place = fixed_place(operand, names.input_words * 4).filter(|(_, bytes)| *bytes == 4);
        let Some((offset, _)) = place else {
            names.is_impossible = true;
            return "0u".to_owned();
        };
        let interpolant = (mode, offset / 4);
        names.interpolants.insert(interpolant);
        interpolant_name(interpolant)
    }
}

/// The offset of an access with a constant address, and its length in bytes; `None` if it is a fault, or the address is in
/// a register.
fn fixed_place(operand: &MemoryOperand, size: u32) -> Option<(u32, u32)> {
    let Address::Offset { base: 0, offset } = operand.address else { return None };
    let (offset, bytes) = (offset & 0xffff, operand.access.bytes());
    (offset.is_multiple_of(bytes) && offset + bytes <= size).then_some((offset, bytes))
}

/// Declares the variables that functions of a program read and write besides registers.
pub(super) fn declare_names(text: &mut Text, program: &ThreadProgram) {
    let names = &program.names;
    let constants = names.constants.iter().map(|(space, word)| format!("k{space}_{word}"));
    let inputs = names.inputs.iter().map(|word| format!("in{word}"));
    let outputs = names.outputs.iter().map(|word| format!("out{word}"));
    for name in constants.chain(inputs).chain(outputs) {
        text.line(format!("var<private> {name}: u32;"));
    }
}
