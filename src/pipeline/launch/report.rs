//! What an engine reports about a launch: counts, faults, races, and the steps of a traced warp.

use std::fmt;

use crate::plural::counted;
use crate::shader::simt::Space;

/// What happened during a launch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchReport {
    /// Instructions that warps executed.
    pub warp_instructions: u64,
    /// Instructions that threads executed: active ones whose predicate held.
    pub thread_instructions: u64,
    /// Branches whose threads took both ways.
    pub divergent_branches: u64,
    /// The executions of each instruction of the program, in its order.
    pub instructions: Vec<InstructionCount>,
    /// The faults in order of their instruction and kind.
    pub faults: Vec<Fault>,
    /// The races in order of their instructions; empty if they are not looked for.
    pub races: Vec<Race>,
    /// The results of each vertex or fragment: the words of `o[]`, or registers. `None` for fragments that are
    /// discarded, and for helpers. Empty for other launches.
    pub outputs: Vec<Option<Vec<u32>>>,
    /// What the thread of each primitive emits, in order. Empty for other launches.
    pub emitted: Vec<Vec<EmittedVertex>>,
}

/// A vertex that a geometry program emits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmittedVertex {
    /// The words of `o[]`.
    pub words: Vec<u32>,
    /// Whether it is the last one of its strip.
    pub ends_strip: bool,
}

/// How often an instruction was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InstructionCount {
    /// By warps.
    pub warps: u64,
    /// By threads: active ones whose predicate held.
    pub threads: u64,
}

/// A place in memory of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryKind {
    /// Shared memory of the block.
    Shared,
    /// Local memory of the thread.
    Local,
    /// A constant space.
    Constant(u8),
    /// A global space.
    Global(u8),
    /// The inputs of a vertex or primitive.
    Attribute,
    /// The vertices of a primitive.
    Primitive,
    /// The inputs of a fragment.
    Interpolant,
    /// The outputs of a vertex, or of the next one that a primitive emits.
    Output,
}

impl MemoryKind {
    /// The memory of an address space.
    #[must_use]
    pub const fn of(space: Space) -> Self {
        match space {
            Space::Shared => Self::Shared,
            Space::Local => Self::Local,
            Space::Constant(number) => Self::Constant(number),
            Space::Global(number) => Self::Global(number),
            Space::Attribute => Self::Attribute,
            Space::Interpolant => Self::Interpolant,
            Space::Output => Self::Output,
            Space::Primitive => Self::Primitive,
        }
    }
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => write!(formatter, "s[]"),
            Self::Local => write!(formatter, "l[]"),
            Self::Constant(number) => write!(formatter, "c{number}[]"),
            Self::Global(number) => write!(formatter, "g{number}[]"),
            Self::Attribute => write!(formatter, "a[]"),
            Self::Primitive => write!(formatter, "p[]"),
            Self::Interpolant => write!(formatter, "v[]"),
            Self::Output => write!(formatter, "o[]"),
        }
    }
}

/// What is wrong with an instruction or its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// An access whose address is no multiple of its size; it reads zero or writes nothing.
    Misaligned(MemoryKind),
    /// An access outside the memory; it reads zero or writes nothing.
    OutOfRange(MemoryKind),
    /// An instruction that is not emulated; it gives zero.
    Unsupported,
    /// A texture or sampler to which the launch binds nothing; it gives zero.
    UnboundTexture,
    /// A barrier in a warp with threads that are elsewhere; the whole warp arrives.
    DivergentBarrier,
    /// A break without a loop; the threads end.
    BreakOutsideLoop,
    /// The end of a quad operation that has not begun; the warp ends.
    UnbalancedQuads,
    /// Words that are no instruction of the processor; the warp ends.
    InvalidInstruction,
    /// An address without code; the warp ends.
    OutsideCode,
    /// More branches, calls, loops or joins in one another than the stack holds; the warp ends.
    StackOverflow,
    /// A warp that waits at a barrier to which too few others come; the block ends.
    Deadlock,
}

impl FaultKind {
    /// The memory of an access.
    #[must_use]
    pub const fn memory(self) -> Option<MemoryKind> {
        match self {
            Self::Misaligned(memory) | Self::OutOfRange(memory) => Some(memory),
            _ => None,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Misaligned(memory) => write!(formatter, "misaligned access to {memory}"),
            Self::OutOfRange(memory) => write!(formatter, "access outside {memory}"),
            Self::Unsupported => write!(formatter, "instruction is not emulated"),
            Self::UnboundTexture => write!(formatter, "texture not bound"),
            Self::DivergentBarrier => write!(formatter, "barrier in a diverged warp"),
            Self::BreakOutsideLoop => write!(formatter, "break outside a loop"),
            Self::UnbalancedQuads => write!(formatter, "quadpop without quadon"),
            Self::InvalidInstruction => write!(formatter, "invalid instruction"),
            Self::OutsideCode => write!(formatter, "execution outside the code"),
            Self::StackOverflow => write!(formatter, "stack overflow"),
            Self::Deadlock => write!(formatter, "warp waits at a barrier forever"),
        }
    }
}

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadPlace {
    /// The coordinates of its block.
    pub block: [u32; 3],
    /// Its coordinates in the block.
    pub thread: [u32; 3],
}

impl fmt::Display for ThreadPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([block_x, block_y, _], [x, y, z]) = (self.block, self.thread);
        write!(formatter, "block ({block_x},{block_y}) thread ({x},{y},{z})")
    }
}

/// A fault, with how often it happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The address of the instruction.
    pub instruction: u32,
    /// What is wrong.
    pub kind: FaultKind,
    /// How often, once for each thread for accesses to memory and else once for each warp.
    pub count: u64,
    /// The first thread.
    pub first: ThreadPlace,
    /// The address of the first thread's access.
    pub address: Option<u32>,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { instruction, kind, count, first, address } = self;
        write!(formatter, "{instruction:#06x}: {kind}, ")?;
        match count {
            1 => write!(formatter, "once, by {first}")?,
            _ => write!(formatter, "{}, first by {first}", counted(count, "time"))?,
        }
        if let Some(address) = address { write!(formatter, " at {address:#x}") } else { Ok(()) }
    }
}

/// Accesses of two warps of a block to the same byte without a barrier between them, at least one of them a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Race {
    /// The memory.
    pub memory: MemoryKind,
    /// The addresses of the two instructions, that of the earlier access first.
    pub instructions: [u32; 2],
    /// How many bytes were accessed like this.
    pub count: u64,
    /// The thread of the first later access.
    pub first: ThreadPlace,
    /// The byte of that access.
    pub address: u32,
}

impl fmt::Display for Race {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, instructions: [earlier, later], count, first, address } = self;
        write!(
            formatter,
            "{earlier:#06x} and {later:#06x}: race in {memory}, {}, first by {first} at {address:#x}",
            counted(count, "byte")
        )
    }
}

/// How an instruction accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It updates atomically.
    Update,
}

/// The access of an instruction of a warp to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpAccess {
    /// The memory.
    pub memory: MemoryKind,
    /// What is done.
    pub kind: AccessKind,
    /// The bytes of each thread.
    pub bytes: u32,
    /// The threads that access it, lane 0 in bit 0.
    pub threads: u32,
    /// The address of each of these threads.
    pub addresses: [u32; 32],
}

/// One instruction of a traced warp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceStep {
    /// The number of the block in the grid.
    pub block: u64,
    /// The number of the warp in the block.
    pub warp: u32,
    /// The number of the instruction in the program.
    pub instruction: usize,
    /// The threads that were active.
    pub active: u32,
    /// Those of them whose predicate held.
    pub executing: u32,
    /// The entries of the warp's stack after it.
    pub stack_entries: usize,
    /// Its accesses to memory, if they are traced.
    pub accesses: Vec<WarpAccess>,
    /// What it wrote.
    pub written: Vec<(Written, [u32; 32])>,
}

/// A register that an instruction wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// A general register.
    Register(u8),
    /// An address register.
    Address(u8),
    /// A condition register: Z, S, C and O from bit 0.
    Condition(u8),
}

impl fmt::Display for Written {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Register(number) => write!(formatter, "$r{number}"),
            Self::Address(number) => write!(formatter, "$a{number}"),
            Self::Condition(number) => write!(formatter, "$c{number}"),
        }
    }
}
