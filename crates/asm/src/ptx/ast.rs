//! A PTX text as typed values: variables, functions and instructions whose names are resolved.

use super::opcodes::{Modifier, Opcode};
use super::types::{Special, StateSpace, Type};
use crate::diagnostic::Span;
use crate::isa::tesla::TeslaGeneration;
use crate::shader::simt::{AtomicOperation, LogicOperation, Relations, Rounding};

use super::opcodes::ProductPart;

/// A text.
#[derive(Debug)]
pub(super) struct Module {
    /// The target.
    pub(super) generation: TeslaGeneration,
    /// The variables of the module and of all functions.
    pub(super) variables: Vec<Variable>,
    /// The kernels and functions.
    pub(super) functions: Vec<Function>,
}

/// A variable, or a parameter of a kernel.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) space: StateSpace,
    /// The type of its elements.
    pub(super) element: Type,
    pub(super) alignment: u32,
    /// Its size; 0 for shared memory whose size the launch gives.
    pub(super) bytes: u32,
    /// Its first bytes; the rest is zero.
    pub(super) initial: Vec<u8>,
    /// The addresses that are added to these bytes.
    pub(super) addresses: Vec<InitialAddress>,
}

/// An address in the initial value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InitialAddress {
    /// Where it is in the value; the bytes there hold what is added to it.
    pub(super) offset: usize,
    /// The variable that has it.
    pub(super) variable: usize,
}

/// A kernel or a function.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) is_kernel: bool,
    /// Whether it is more than a declaration.
    pub(super) has_body: bool,
    /// The registers with the result of a function.
    pub(super) results: Vec<usize>,
    /// The registers with the arguments of a function.
    pub(super) arguments: Vec<usize>,
    /// The parameters of a kernel, as variables.
    pub(super) parameters: Vec<usize>,
    /// The types of its registers.
    pub(super) registers: Vec<Type>,
    /// The registers of the module that it names, each with its own register for it.
    pub(super) shared: Vec<(usize, usize)>,
    /// How many labels it has.
    pub(super) labels: usize,
    pub(super) body: Vec<Statement>,
    /// The most registers that a thread may take.
    pub(super) max_registers: u32,
}

/// A statement of a function.
#[derive(Debug)]
pub(super) enum Statement {
    /// A place to branch to.
    Label(usize),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction.
#[derive(Debug)]
pub(super) struct Instruction {
    pub(super) span: Span,
    /// The predicate under which it is executed.
    pub(super) guard: Option<PredicateUse>,
    pub(super) opcode: Opcode,
    pub(super) modifiers: Modifiers,
    pub(super) types: Vec<Type>,
    pub(super) operands: Vec<Operand>,
}

/// A predicate that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PredicateUse {
    pub(super) register: usize,
    pub(super) is_negated: bool,
}

/// An operand.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Register(usize),
    /// An integer, or the bits of a float in single precision.
    Constant(u64),
    Special(Special),
    /// The address of a variable and a constant.
    VariableAddress {
        variable: usize,
        offset: u64,
    },
    Predicate(PredicateUse),
    /// The predicates that receive a result and its opposite.
    Predicates {
        result: usize,
        opposite: Option<usize>,
    },
    Vector(Vec<Self>),
    Memory {
        base: Base,
        offset: u64,
    },
    Label(usize),
    Texture {
        variable: usize,
        coordinates: Vec<Self>,
    },
    Call {
        function: usize,
        results: Vec<usize>,
        arguments: Vec<Self>,
    },
    /// A result that is not needed.
    Ignored,
}

/// What an address is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The beginning of the space.
    Zero,
    /// A register.
    Register(usize),
    /// A variable.
    Variable(usize),
}

/// The modifiers of an instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct Modifiers(pub(super) Vec<Modifier>);

impl Modifiers {
    fn find<T>(&self, of: impl Fn(Modifier) -> Option<T>) -> Option<T> {
        self.0.iter().find_map(|modifier| of(*modifier))
    }

    pub(super) fn has(&self, wanted: Modifier) -> bool {
        self.0.contains(&wanted)
    }

    pub(super) fn product(&self) -> Option<ProductPart> {
        self.find(|modifier| if let Modifier::Product(part) = modifier { Some(part) } else { None })
    }

    pub(super) fn rounding(&self) -> Option<Rounding> {
        self.find(|modifier| if let Modifier::Rounding(mode) = modifier { Some(mode) } else { None })
    }

    pub(super) fn rounding_to_integer(&self) -> Option<Rounding> {
        self.find(|modifier| if let Modifier::RoundingToInteger(mode) = modifier { Some(mode) } else { None })
    }

    pub(super) fn saturates(&self) -> bool {
        self.has(Modifier::Saturation)
    }

    pub(super) fn relations(&self) -> Option<Relations> {
        self.find(|modifier| if let Modifier::Comparison(found) = modifier { Some(found.relations) } else { None })
    }

    pub(super) fn combination(&self) -> Option<LogicOperation> {
        self.find(|modifier| if let Modifier::Combination(how) = modifier { Some(how) } else { None })
    }

    pub(super) fn space(&self) -> Option<StateSpace> {
        self.find(|modifier| if let Modifier::Space(space) = modifier { Some(space) } else { None })
    }

    pub(super) fn vector(&self) -> u8 {
        self.find(|modifier| if let Modifier::Vector(count) = modifier { Some(count) } else { None }).unwrap_or(1)
    }

    pub(super) fn geometry(&self) -> u8 {
        self.find(|modifier| if let Modifier::Geometry(count) = modifier { Some(count) } else { None }).unwrap_or(1)
    }

    pub(super) fn update(&self) -> Option<AtomicOperation> {
        self.find(|modifier| if let Modifier::Update(update) = modifier { Some(update) } else { None })
    }
}
