//! The table of functions: one row for each computation of fragment operations.
//!
//! Columns: shape with the Rust function; kernel with the WGSL function; facts; class; steps in the shader units.

use super::{FragmentFunction, InstructionClass, Kernel, ResultFacts, ResultFraction, Select, Shape, Term, Variant};
use crate::arith::{ONE as ONE_BITS, fragment as fp};
use crate::shader::kernel_function as wgsl;
use crate::shader::shader_unit_steps::{
    ALL, BUMP, BUMP_AGAIN, ONE, SCALAR, Schedule, StepRead, THREE, TWO, UnitPart, UnitStep, VECTOR, step,
};
use InstructionClass::{Arithmetic, Special};
use ResultFraction::{OfOperands, OfTerms, Whole};
use Shape::{
    Binary, BinaryByScalar, Constant, Dot2, Dot2Add, Dot3, Dot4, Pack, Scalar, ScalarBinary, Ternary, Unary, Unpack,
    Vector, VectorBinary, VectorTernary,
};
use StepRead::{First, Written};

macro_rules! functions {
    ($( $(#[$doc:meta])* $name:ident { $shape:expr; $kernel:expr; $facts:expr; $class:expr; $schedule:expr } )*) => {
        $(
            $(#[$doc])*
            pub static $name: FragmentFunction = FragmentFunction {
                name: stringify!($name),
                shape: $shape,
                kernel: $kernel,
                facts: $facts,
                class: $class,
                schedule: $schedule,
            };
        )*

        /// Every row.
        pub static TABLE: &[&FragmentFunction] = &[$( &$name ),*];
    };
}

functions! {
    /// 1.
    STR { Constant(ONE_BITS); Kernel::literal(ONE_BITS); ResultFacts::NUMBERS; Arithmetic; CONSTANT }
    /// 0.
    SFL { Constant(0); Kernel::literal(0); ResultFacts::NUMBERS; Arithmetic; CONSTANT }
    /// a·b.
    MUL {
        Binary(fp::mul);
        Kernel::ftz(&wgsl::MUL_FTZ).or_terms(&PRODUCT);
        ResultFacts::fraction(OfTerms).unit_of_units();
        Arithmetic;
        Schedule::of(&[step(UnitPart::Multiply, "", 0, TWO)])
    }
    /// a + b.
    ADD { Binary(fp::add); Kernel::ftz(&wgsl::ADD_FTZ); ResultFacts::fraction(OfOperands); Arithmetic; SUM }
    /// a·b + c, rounded twice.
    MAD {
        Ternary(fp::mad);
        Kernel::ftz(&wgsl::MAD_FTZ).or_terms(&Term::Sum(&PRODUCT, &Term::Operand(2, Select::Component)));
        ResultFacts::fraction(OfTerms);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0, THREE)])
    }
    /// The lesser.
    MIN {
        Binary(fp::min);
        Kernel::ftz(&wgsl::MIN_FTZ);
        ResultFacts::fraction(OfOperands).unit_of_units();
        Arithmetic;
        SUM
    }
    /// The greater.
    MAX {
        Binary(fp::max);
        Kernel::ftz(&wgsl::MAX_FTZ);
        ResultFacts::fraction(OfOperands).unit_of_units();
        Arithmetic;
        SUM
    }
    /// 1 where a < b, else 0.
    SLT { Binary(fp::slt); Kernel::ftz(&wgsl::SLT_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// 1 where a ≥ b, else 0.
    SGE { Binary(fp::sge); Kernel::ftz(&wgsl::SGE_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// 1 where a ≤ b, else 0.
    SLE { Binary(fp::sle); Kernel::ftz(&wgsl::SLE_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// 1 where a > b, else 0.
    SGT { Binary(fp::sgt); Kernel::ftz(&wgsl::SGT_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// 1 where a ≠ b, else 0.
    SNE { Binary(fp::sne); Kernel::ftz(&wgsl::SNE_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// 1 where a = b, else 0.
    SEQ { Binary(fp::seq); Kernel::ftz(&wgsl::SEQ_FTZ); ResultFacts::ZERO_OR_ONE; Arithmetic; SUM }
    /// The fraction above the floor.
    FRC {
        Unary(fp::frc);
        Kernel::ftz(&wgsl::FRC_FTZ);
        ResultFacts::fraction(OfOperands);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0, ONE)])
    }
    /// The largest integer not above.
    FLR {
        Unary(fp::flr);
        Kernel::ftz(&wgsl::FLR_FTZ);
        ResultFacts::fraction(Whole);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0, ONE)])
    }
    /// a·b + (1 − a)·c.
    // 1 − a is rounded by at most 2⁻²⁵, so the rounded sum for operands in 0..1 is not above 1.
    LRP {
        Ternary(fp::lrp);
        Kernel::ftz(&wgsl::LRP_FTZ).or_terms(&Term::Sum(&PRODUCT, &Term::Product(
            &Term::Difference(&Term::One, &Term::Operand(0, Select::Component)),
            &Term::Operand(2, Select::Component),
        )));
        ResultFacts::fraction(OfTerms).unit_of_units();
        Arithmetic;
        Schedule::of(&[
            step(UnitPart::Add, "s2 - s0 * s2", 0, &[(0, Written), (2, Written)]).to(15),
            step(UnitPart::Add, "s0 * s1 + the rest", 0, TWO).from(15),
        ])
    }
    /// The dot product of x, y.
    DP2 {
        Dot2(fp::dp2);
        Kernel::ftz(&wgsl::DP2_FTZ).or_terms(&DOT2);
        ResultFacts::fraction(OfTerms);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0b0011, &[(0, First(2)), (1, First(2))])])
    }
    /// The dot product of x, y plus the x of the third operand.
    DP2A {
        Dot2Add(fp::dp2a);
        Kernel::ftz(&wgsl::DP2A_FTZ).or_terms(&Term::Sum(&DOT2, &Term::Operand(2, Select::At(0))));
        ResultFacts::fraction(OfTerms);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0b0111, &[(0, First(2)), (1, First(2)), (2, First(1))])])
    }
    /// The dot product of x, y, z.
    DP3 { Dot3(fp::dp3); Kernel::ftz(&wgsl::DP3_FTZ).or_terms(&DOT3); ResultFacts::fraction(OfTerms); Arithmetic; Schedule::of(&[DOT3_STEP]) }
    /// The dot product of all four components.
    DP4 {
        Dot4(fp::dp4);
        Kernel::ftz(&wgsl::DP4_FTZ).or_terms(&Term::Sum(&DOT3, &product_at(3)));
        ResultFacts::fraction(OfTerms);
        Arithmetic;
        Schedule::of(&[step(UnitPart::Add, "", 0b1111, &[(0, First(4)), (1, First(4))])])
    }
    /// The distance vector (1, y·y, z, w).
    DST {
        VectorBinary(fp::dst);
        Kernel::inline(Variant::Full, [
            &Term::One,
            &product_at(1),
            &Term::Operand(0, Select::At(2)),
            &Term::Operand(1, Select::At(3)),
        ]);
        ResultFacts::copies(0b1100);
        Arithmetic;
        SUM
    }
    /// The 2D transformation a.xyxy + b.xxxx·c.xzxz + b.yyyy·c.ywyw.
    X2D {
        VectorTernary(fp::x2d);
        Kernel::inline(Variant::Ftz, X2D_TERMS);
        ResultFacts::NUMBERS;
        Arithmetic;
        Schedule::of(&[
            step(UnitPart::Add, "by x", 0, BUMP).to(15),
            step(UnitPart::Add, "by y", 0, BUMP_AGAIN).from(15),
        ])
    }
    /// A color times a bump environment's luminance: a·(b.z·c.x + c.y).
    BEM_LUM {
        VectorTernary(fp::bem_lum);
        Kernel::inline(Variant::Ftz, [&LUMINANCE; 4]);
        ResultFacts::NUMBERS;
        Arithmetic;
        Schedule::of(&[
            step(UnitPart::Add, "luminance", 0, &[(1, First(3)), (2, First(2))]).to(1),
            step(UnitPart::Multiply, "multiply", 0, ONE).from(1),
        ])
    }
    /// The reciprocal of x.
    RCP { Scalar(fp::rcp); Kernel::full(&wgsl::RCP); ResultFacts::NUMBERS; Special; RECIPROCAL }
    /// The reciprocal square root of the magnitude of x.
    RSQ { Scalar(fp::rsq); Kernel::full(&wgsl::RSQ); ResultFacts::NUMBERS; Special; RECIPROCAL }
    /// The base-2 exponential of x.
    EX2 { Scalar(fp::ex2); Kernel::full(&wgsl::EX2); ResultFacts::NUMBERS; Special; SPECIAL }
    /// The base-2 logarithm of x.
    LG2 { Scalar(fp::lg2); Kernel::full(&wgsl::LG2); ResultFacts::NUMBERS; Special; SPECIAL }
    /// The cosine of x.
    COS { Scalar(fp::cos); Kernel::full(&wgsl::COS); ResultFacts::NUMBERS; Special; SPECIAL }
    /// The sine of x.
    SIN { Scalar(fp::sin); Kernel::full(&wgsl::SIN); ResultFacts::NUMBERS; Special; SPECIAL }
    /// The first operand's x to the power of the second's.
    POW {
        ScalarBinary(fp::pow);
        Kernel::full(&wgsl::POW);
        ResultFacts::NUMBERS;
        Special;
        Schedule::of(&[
            step(UnitPart::Special, "LG2", 0, SCALAR).to(1),
            step(UnitPart::Multiply, "MUL", 0, &[(1, First(1))]).from(1).to(1),
            step(UnitPart::Special, "EX2", 0, &[]).from(1),
        ])
    }
    /// The quotient by the x of the second operand.
    DIV {
        BinaryByScalar(fp::div);
        Kernel::full(&wgsl::DIV);
        ResultFacts::NUMBERS;
        Special;
        Schedule::of(&[DIVISOR_RECIPROCAL, TIMES_INTERNAL])
    }
    /// The quotient by the square root of the x of the second operand.
    DIV_SQRT {
        BinaryByScalar(fp::div_sqrt);
        Kernel::full(&wgsl::DIV_SQRT);
        ResultFacts::NUMBERS;
        Special;
        Schedule::of(&[UnitStep { name: "RSQ", ..DIVISOR_RECIPROCAL }, TIMES_INTERNAL])
    }
    /// Lighting coefficients.
    LIT {
        Vector(fp::lit);
        Kernel::full(&wgsl::LIT);
        ResultFacts::NUMBERS;
        Special;
        Schedule::of(&[
            step(UnitPart::Special, "LG2", 0, ALL).to(1),
            step(UnitPart::Multiply, "MUL", 0, ALL).from(1).to(1),
            step(UnitPart::Special, "EX2", 0b1111, ALL).from(1),
        ])
    }
    /// Lighting coefficients from a base-2 exponent.
    LIT_EX2 {
        Vector(fp::lit_ex2);
        Kernel::full(&wgsl::LIT_EX2);
        ResultFacts::copies(0b0010);
        Special;
        Schedule::of(&[step(UnitPart::Special, "", 0b1111, ALL)])
    }
    /// The vector, normalized.
    NRM {
        Vector(fp::nrm);
        Kernel::full(&wgsl::NRM);
        ResultFacts::NUMBERS;
        Arithmetic;
        Schedule {
            steps: &[
                step(UnitPart::Add, "DP3", 0b0111, VECTOR).to(1),
                step(UnitPart::Reciprocal, "RSQ", 0, &[]).from(1).to(1),
                TIMES_INTERNAL,
            ],
            unscaled_half: Some(&[step(UnitPart::Normalize, "", 0, VECTOR)]),
        }
    }
    /// The reflection of the second operand about the first.
    RFL {
        VectorBinary(fp::rfl);
        Kernel::full(&wgsl::RFL);
        ResultFacts::NUMBERS;
        Arithmetic;
        Schedule::of(&[
            UnitStep { name: "DP3", ..DOT3_STEP }.to(1),
            step(UnitPart::Add, "DP3", 0b0111, VECTOR).to(2),
            step(UnitPart::Reciprocal, "RCP", 0, &[]).from(2).to(2),
            step(UnitPart::Multiply, "MUL", 0, &[]).from(3).to(1),
            step(UnitPart::Add, "MAD", 0, TWO).from(1),
        ])
    }
    /// Packs two halves into a word.
    PK2H { Pack(fp::pk2h); Kernel::full(&wgsl::PK2H); ResultFacts::PACKED; Arithmetic; PACK_TWO }
    /// Packs two unsigned 16-bit values into a word.
    PK2US { Pack(fp::pk2us); Kernel::full(&wgsl::PK2US); ResultFacts::PACKED; Arithmetic; PACK_TWO }
    /// Packs four signed bytes into a word.
    PK4B { Pack(fp::pk4b); Kernel::full(&wgsl::PK4B); ResultFacts::PACKED; Arithmetic; PACK_FOUR }
    /// Packs four unsigned bytes into a word.
    PK4UB { Pack(fp::pk4ub); Kernel::full(&wgsl::PK4UB); ResultFacts::PACKED; Arithmetic; PACK_FOUR }
    /// Packs four unsigned bytes with gamma into a word.
    PK4UBG { Pack(fp::pk4ubg); Kernel::full(&wgsl::PK4UBG); ResultFacts::PACKED; Arithmetic; PACK_FOUR }
    /// Unpacks two halves from a word.
    UP2H { Unpack(fp::up2h); Kernel::full(&wgsl::UP2H); ResultFacts::UNPACKED; Arithmetic; UNPACK }
    /// Unpacks two unsigned 16-bit values from a word.
    UP2US { Unpack(fp::up2us); Kernel::full(&wgsl::UP2US); ResultFacts::UNPACKED; Arithmetic; UNPACK }
    /// Unpacks four signed bytes from a word.
    UP4B { Unpack(fp::up4b); Kernel::full(&wgsl::UP4B); ResultFacts::UNPACKED; Arithmetic; UNPACK }
    /// Unpacks four unsigned bytes from a word.
    UP4UB { Unpack(fp::up4ub); Kernel::full(&wgsl::UP4UB); ResultFacts::UNPACKED; Arithmetic; UNPACK }
    /// Unpacks four unsigned bytes with gamma from a word.
    UP4UBG { Unpack(fp::up4ubg); Kernel::full(&wgsl::UP4UBG); ResultFacts::UNPACKED; Arithmetic; UNPACK }
}

/// The product of a component of the first two operands.
const PRODUCT: Term = Term::Product(&Term::Operand(0, Select::Component), &Term::Operand(1, Select::Component));

/// x·x + y·y.
const DOT2: Term = Term::Sum(&product_at(0), &product_at(1));

/// x·x + y·y + z·z.
const DOT3: Term = Term::Sum(&DOT2, &product_at(2));

/// The product of one component of the first two operands.
const fn product_at(component: usize) -> Term {
    const OPERANDS: [[Term; 4]; 2] = [
        [operand(0, 0), operand(0, 1), operand(0, 2), operand(0, 3)],
        [operand(1, 0), operand(1, 1), operand(1, 2), operand(1, 3)],
    ];
    const TABLE: &[[Term; 4]; 2] = &OPERANDS;
    Term::Product(&TABLE[0][component], &TABLE[1][component])
}

const fn operand(source: usize, component: usize) -> Term {
    Term::Operand(source, Select::At(component))
}

/// The x of X2D: (a.x + b.x·c.x) + b.y·c.y.
const ROW0: Term = Term::Sum(
    &Term::Sum(&operand(0, 0), &Term::Product(&operand(1, 0), &operand(2, 0))),
    &Term::Product(&operand(1, 1), &operand(2, 1)),
);

/// The y of X2D: (a.y + b.x·c.z) + b.y·c.w.
const ROW1: Term = Term::Sum(
    &Term::Sum(&operand(0, 1), &Term::Product(&operand(1, 0), &operand(2, 2))),
    &Term::Product(&operand(1, 1), &operand(2, 3)),
);

/// The components of X2D, which bump-mapped fetches also compute.
pub const X2D_TERMS: [&Term; 4] = [&ROW0, &ROW1, &ROW0, &ROW1];

/// A component of `BEMLUM`.
const LUMINANCE: Term = Term::Product(
    &Term::Operand(0, Select::Component),
    &Term::Sum(&Term::Product(&operand(1, 2), &operand(2, 0)), &operand(2, 1)),
);

const CONSTANT: Schedule = Schedule::of(&[step(UnitPart::Multiply, "", 0, &[])]);
const SUM: Schedule = Schedule::of(&[step(UnitPart::Add, "", 0, TWO)]);
const RECIPROCAL: Schedule = Schedule::of(&[step(UnitPart::Reciprocal, "", 0, SCALAR)]);
const SPECIAL: Schedule = Schedule::of(&[step(UnitPart::Special, "", 0, SCALAR)]);
const PACK_TWO: Schedule = Schedule::of(&[step(UnitPart::Add, "", 0b0011, &[(0, First(2))])]);
const PACK_FOUR: Schedule = Schedule::of(&[step(UnitPart::Add, "", 0b1111, ALL)]);
const UNPACK: Schedule = Schedule::of(&[step(UnitPart::Add, "", 0, SCALAR)]);
const DOT3_STEP: UnitStep = step(UnitPart::Add, "", 0b0111, &[(0, First(3)), (1, First(3))]);
const DIVISOR_RECIPROCAL: UnitStep = step(UnitPart::Reciprocal, "RCP", 0, &[(1, First(1))]).to(1);
const TIMES_INTERNAL: UnitStep = step(UnitPart::Multiply, "MUL", 0, ONE).from(1);
