//! A function of fragment operations: its computation in Rust and WGSL, the facts about its results, and its cost.
//!
//! A function is a row of the table in [`functions`]. The reference evaluates its [`Shape`], the recompiler calls
//! its [`Kernel`], the analyses read its [`ResultFacts`], and the schedule uses its steps. None of them names a
//! function.

pub mod functions;

use super::condition::WriteMask;
use super::kernel_function::KernelFunction;
use super::shader_unit_steps::Schedule;
use crate::arith::vertex_functions::equal_by_name;

/// A vector of one fragment, as bits of floats.
type Vector = [u32; 4];

/// A row of the table of functions.
#[derive(Debug)]
pub struct FragmentFunction {
    /// Its unique name.
    pub name: &'static str,
    /// Its operands and results, and the Rust function.
    pub shape: Shape,
    /// How kernels compute it.
    pub kernel: Kernel,
    /// Facts about its results.
    pub facts: ResultFacts,
    /// The class in which it is counted.
    pub class: InstructionClass,
    /// Its steps in the shader units.
    pub schedule: Schedule,
}

equal_by_name!(FragmentFunction);

/// Operands and results of a function, with the Rust function of that shape.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// No operands; this value in every component.
    Constant(u32),
    /// Each component of the operand.
    Unary(fn(u32) -> u32),
    /// Each component of both operands.
    Binary(fn(u32, u32) -> u32),
    /// Each component of all three operands.
    Ternary(fn(u32, u32, u32) -> u32),
    /// Each component of the first operand, with the x of the second.
    BinaryByScalar(fn(u32, u32) -> u32),
    /// The x of the operand into every component.
    Scalar(fn(u32) -> u32),
    /// The x of both operands into every component.
    ScalarBinary(fn(u32, u32) -> u32),
    /// The first two components of both operands into every component.
    Dot2(fn(Vector, Vector) -> u32),
    /// The first two components of both operands, plus the x of the third, into every component.
    Dot2Add(fn(Vector, Vector, Vector) -> u32),
    /// The first three components of both operands into every component.
    Dot3(fn(Vector, Vector) -> u32),
    /// All components of both operands into every component.
    Dot4(fn(Vector, Vector) -> u32),
    /// All components of the operand into packed bits, the same in every component.
    Pack(fn(Vector) -> Vector),
    /// The packed bits in the x of the operand into a vector.
    Unpack(fn(Vector) -> Vector),
    /// A vector from one operand.
    Vector(fn(Vector) -> Vector),
    /// A vector from two operands.
    VectorBinary(fn(Vector, Vector) -> Vector),
    /// A vector from three operands.
    VectorTernary(fn(Vector, Vector, Vector) -> Vector),
}

/// How a WGSL function takes an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The current component.
    Component,
    /// The first components, each as an argument.
    First(u8),
    /// All four as one `QuadVector`.
    Vector,
}

/// What a WGSL function returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultForm {
    /// The current component.
    Component,
    /// One value for all components.
    Replicated,
    /// A `QuadVector`.
    Vector,
}

impl Shape {
    /// How the WGSL function takes each operand.
    #[must_use]
    pub const fn arguments(&self) -> &'static [Argument] {
        use Argument::{Component, First, Vector};
        match self {
            Self::Constant(_) => &[],
            Self::Unary(_) => &[Component],
            Self::Binary(_) => &[Component; 2],
            Self::Ternary(_) => &[Component; 3],
            Self::BinaryByScalar(_) => &[Component, First(1)],
            Self::Scalar(_) | Self::Unpack(_) => &[First(1)],
            Self::ScalarBinary(_) => &[First(1); 2],
            Self::Dot2(_) => &[First(2); 2],
            Self::Dot2Add(_) => &[First(2), First(2), First(1)],
            Self::Dot3(_) => &[First(3); 2],
            Self::Dot4(_) => &[First(4); 2],
            Self::Pack(_) | Self::Vector(_) => &[Vector],
            Self::VectorBinary(_) => &[Vector; 2],
            Self::VectorTernary(_) => &[Vector; 3],
        }
    }

    /// The number of operands.
    #[must_use]
    pub const fn operand_count(&self) -> usize {
        self.arguments().len()
    }

    /// What the WGSL function returns.
    #[must_use]
    pub const fn result(&self) -> ResultForm {
        match self {
            Self::Unary(_) | Self::Binary(_) | Self::Ternary(_) | Self::BinaryByScalar(_) => ResultForm::Component,
            Self::Constant(_)
            | Self::Scalar(_)
            | Self::ScalarBinary(_)
            | Self::Dot2(_)
            | Self::Dot2Add(_)
            | Self::Dot3(_)
            | Self::Dot4(_)
            | Self::Pack(_) => ResultForm::Replicated,
            Self::Unpack(_) | Self::Vector(_) | Self::VectorBinary(_) | Self::VectorTernary(_) => ResultForm::Vector,
        }
    }

    /// Computes it for one fragment.
    #[must_use]
    pub fn evaluate(&self, [a, b, c]: [Vector; 3]) -> Vector {
        match *self {
            Self::Constant(bits) => [bits; 4],
            Self::Unary(function) => a.map(function),
            Self::Binary(function) => std::array::from_fn(|i| function(a[i], b[i])),
            Self::Ternary(function) => std::array::from_fn(|i| function(a[i], b[i], c[i])),
            Self::BinaryByScalar(function) => a.map(|value| function(value, b[0])),
            Self::Scalar(function) => [function(a[0]); 4],
            Self::ScalarBinary(function) => [function(a[0], b[0]); 4],
            Self::Dot2(function) | Self::Dot3(function) | Self::Dot4(function) => [function(a, b); 4],
            Self::Dot2Add(function) => [function(a, b, c); 4],
            Self::Pack(function) | Self::Unpack(function) | Self::Vector(function) => function(a),
            Self::VectorBinary(function) => function(a, b),
            Self::VectorTernary(function) => function(a, b, c),
        }
    }
}

/// How kernels compute a function.
#[derive(Debug, Clone, Copy)]
pub struct Kernel {
    /// The operands that it accepts.
    pub variant: Variant,
    /// The text that computes it.
    pub text: KernelText,
    /// The sum of products that the fast path inlines instead of a call.
    pub fast_terms: Option<&'static Term>,
}

/// The operands and results of a function in kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Accepts any bits and returns the chip's result: no denormals, one NaN.
    Full,
    /// Accepts and returns values without denormals and with any NaN.
    Ftz,
}

/// The text of a function in a kernel.
#[derive(Debug, Clone, Copy)]
pub enum KernelText {
    /// A constant.
    Literal(u32),
    /// A call.
    Call(&'static KernelFunction),
    /// The terms of each component, inlined.
    Inline([&'static Term; 4]),
}

impl Kernel {
    /// A constant.
    #[must_use]
    pub const fn literal(bits: u32) -> Self {
        Self { variant: Variant::Full, text: KernelText::Literal(bits), fast_terms: None }
    }

    /// A call of a function that accepts any bits.
    #[must_use]
    pub const fn full(function: &'static KernelFunction) -> Self {
        Self { variant: Variant::Full, text: KernelText::Call(function), fast_terms: None }
    }

    /// A call of a function of flushed values.
    #[must_use]
    pub const fn ftz(function: &'static KernelFunction) -> Self {
        Self { variant: Variant::Ftz, text: KernelText::Call(function), fast_terms: None }
    }

    /// Inlined terms.
    #[must_use]
    pub const fn inline(variant: Variant, components: [&'static Term; 4]) -> Self {
        Self { variant, text: KernelText::Inline(components), fast_terms: None }
    }

    /// Inlined terms on the fast path, in place of the call.
    #[must_use]
    pub const fn or_terms(self, terms: &'static Term) -> Self {
        Self { fast_terms: Some(terms), ..self }
    }
}

/// Sums and products, each rounded.
#[derive(Debug, Clone, Copy)]
pub enum Term {
    /// 1.
    One,
    /// A component of a source.
    Operand(usize, Select),
    /// a·b.
    Product(&'static Self, &'static Self),
    /// a + b.
    Sum(&'static Self, &'static Self),
    /// a − b.
    Difference(&'static Self, &'static Self),
}

/// The component of a source that a term reads.
#[derive(Debug, Clone, Copy)]
pub enum Select {
    /// The current component.
    Component,
    /// This component.
    At(usize),
}

impl Select {
    /// The component that is read for the result component `component`.
    #[must_use]
    pub const fn of(self, component: usize) -> usize {
        match self {
            Self::Component => component,
            Self::At(fixed) => fixed,
        }
    }
}

impl Term {
    /// The source components that it reads for the result component `component`, in order.
    #[must_use]
    pub fn operands(&self, component: usize) -> Vec<(usize, usize)> {
        match self {
            Self::One => Vec::new(),
            Self::Operand(source, select) => vec![(*source, select.of(component))],
            Self::Product(a, b) | Self::Sum(a, b) | Self::Difference(a, b) => {
                [a.operands(component), b.operands(component)].concat()
            }
        }
    }
}

/// Facts about a function's results.
#[derive(Debug, Clone, Copy)]
pub struct ResultFacts {
    /// How it uses bits.
    pub bits: BitUse,
    /// Their range.
    pub range: ResultRange,
    /// Their number of fraction bits.
    pub fraction: ResultFraction,
}

/// Whether a function distinguishes NaN operands, or passes bits through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitUse {
    /// It treats all NaN alike and returns no denormals.
    Numbers,
    /// These components of the result are bits of operands.
    Copies(WriteMask),
    /// The result is packed bits, made of bits.
    Packs,
    /// It unpacks packed bits.
    Unpacks,
}

/// The range of a function's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultRange {
    /// Not known.
    Any,
    /// In 0..1 if its operands are; never −0.
    UnitOfUnits,
    /// 0 or 1.
    ZeroOrOne,
}

/// The fraction bits of a function's results: n says that they are multiples of 2⁻ⁿ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultFraction {
    /// Not known.
    Any,
    /// None.
    Whole,
    /// No more than the operands have in the same component.
    OfOperands,
    /// Those of the fast path's terms.
    OfTerms,
}

impl ResultFacts {
    /// Numbers without further facts.
    pub const NUMBERS: Self = Self { bits: BitUse::Numbers, range: ResultRange::Any, fraction: ResultFraction::Any };
    /// Comparisons.
    pub const ZERO_OR_ONE: Self =
        Self { range: ResultRange::ZeroOrOne, fraction: ResultFraction::Whole, ..Self::NUMBERS };
    /// Packed bits.
    pub const PACKED: Self = Self { bits: BitUse::Packs, ..Self::NUMBERS };
    /// Unpacked numbers.
    pub const UNPACKED: Self = Self { bits: BitUse::Unpacks, ..Self::NUMBERS };

    /// Numbers with this many fraction bits.
    #[must_use]
    pub const fn fraction(fraction: ResultFraction) -> Self {
        Self { fraction, ..Self::NUMBERS }
    }

    /// Numbers in 0..1 if the operands are.
    #[must_use]
    pub const fn unit_of_units(self) -> Self {
        Self { range: ResultRange::UnitOfUnits, ..self }
    }

    /// Numbers, except for components that are copied from operands.
    #[must_use]
    pub const fn copies(components: u8) -> Self {
        Self { bits: BitUse::Copies(WriteMask(components)), ..Self::NUMBERS }
    }
}

/// The class in which an instruction is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstructionClass {
    /// Multiplications, additions and similar ones.
    Arithmetic,
    /// Uses a special function unit (3DCenter, "NV40 technology explained", page 2).
    Special,
}
