//! Underflow: tracks how many fraction bits the values of the fast path have, so that only products that may fall
//! below the least normal number are checked.
//!
//! n fraction bits mean that a value is an integer multiple of 2⁻ⁿ, an infinity or NaN. A sum has at most as many
//! as the term with more, a product at most as many as both factors together: rounding to 24 bits takes a multiple
//! of 2⁻ⁿ to another one. The fast path (`wgsl/software/fragment_fast.wgsl`) operates on values with at most 126. If
//! the factors have more together, the product is checked.

use std::collections::HashMap;

use super::ProgramView;
use super::execution_order::{Step, execution_order};
use super::nan_and_denormals::NanAndDenormals;
use super::resource_usage::ResourceUsage;
use crate::shader::fragment::{
    FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSourceKind, Precision, Scale, SourcePrecision,
};
use crate::shader::fragment_function::{FragmentFunction, ResultFraction, Term};

/// Fraction bits of multiples of the least normal number.
const MOST: u8 = 126;
/// Fraction bits of zero and of values of at least 2⁻⁴⁰.
const NARROW: u8 = 63;
/// Fraction bits of half floats.
const HALF: u8 = 24;
/// Fraction bits of fixed point, and of the limits that sources are clamped to.
const FIXED: u8 = 10;

/// The classes of constants by fraction bits: most numbers from 2⁻⁸ on are in the first.
const CONSTANT_CLASSES: [u8; 3] = [31, NARROW, MOST];

/// The most fraction bits of a program's constants, rounded up to a class so that programs share kernels; `None`
/// if some constants are denormal.
#[must_use]
pub fn constant_fraction_bits(constants: &[[u32; 4]]) -> Option<u8> {
    let most = constants.iter().flatten().map(|bits| fraction_bits_of(*bits)).max().unwrap_or(0);
    CONSTANT_CLASSES.into_iter().find(|class| most <= u32::from(*class))
}

/// The fraction bits of a float with these bits.
fn fraction_bits_of(bits: u32) -> u32 {
    let exponent = bits >> 23 & 0xff;
    let fraction = bits & 0x007f_ffff;
    match (exponent, fraction) {
        (255, _) | (0, 0) => 0,
        (0, _) => 150,
        _ => 150u32.saturating_sub(exponent + (fraction | 1 << 23).trailing_zeros()),
    }
}

/// How the fast path handles underflow of an operation's products.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProductCheck {
    /// No product can underflow, whatever the values.
    None,
    /// The quad leaves the fast path unless the products are zero or at least 2⁻⁴⁰.
    Narrow,
    /// The quad leaves the fast path unless the products are zero or at least 2⁻¹⁰³.
    Normal,
}

impl ProductCheck {
    /// The check for products of factors with these fraction bits, and the fraction bits of the products. `None`
    /// is a factor of any size that is often tiny.
    fn of(factors: impl IntoIterator<Item = [Option<u8>; 2]>) -> (Self, u8) {
        let sums = factors.into_iter().map(|[a, b]| Some(u16::from(a?) + u16::from(b?)));
        match sums.collect::<Option<Vec<_>>>().map(|sums| sums.into_iter().max().unwrap_or(0)) {
            None => (Self::Normal, MOST),
            Some(sum) => u8::try_from(sum)
                .ok()
                .filter(|sum| *sum <= MOST)
                .map_or((Self::Narrow, NARROW), |sum| (Self::None, sum)),
        }
    }
}

/// The check of each operation's products, by the index in [`execution_order`].
#[derive(Debug)]
pub struct Underflow {
    checks: Vec<[ProductCheck; 4]>,
}

impl Underflow {
    /// Analyzes the program from its start, for constants with this many fraction bits.
    #[must_use]
    pub fn of(view: &ProgramView<'_>, usage: &ResourceUsage, values: &NanAndDenormals, constants: u8) -> Self {
        let mut pass = Pass { usage, values, constants, registers: HashMap::new() };
        let mut checks = Vec::new();
        for step in execution_order(view) {
            match step {
                Step::Operation { operation, is_masked } => {
                    checks.push([0, 1, 2, 3].map(|component| pass.products(operation, component).0));
                    pass.note(operation, is_masked);
                }
                Step::Join => pass.registers.clear(),
            }
        }
        Self { checks }
    }

    /// The check of an operation's products.
    #[must_use]
    pub fn check(&self, operation: usize, component: usize) -> ProductCheck {
        self.checks[operation][component]
    }
}

struct Pass<'a> {
    usage: &'a ResourceUsage,
    values: &'a NanAndDenormals,
    /// Fraction bits of constants.
    constants: u8,
    /// Fraction bits of register components, if fewer than those of any value; shared registers have no entry.
    registers: HashMap<(FragmentRegister, usize), u8>,
}

impl Pass<'_> {
    /// The fraction bits of an arbitrary value of a register.
    const fn most(register: FragmentRegister) -> u8 {
        match (register.exists(), register.is_half) {
            (false, _) => 0,
            (true, true) => HALF,
            (true, false) => MOST,
        }
    }

    fn register(&self, register: FragmentRegister, component: usize) -> u8 {
        self.registers.get(&(register, component)).copied().unwrap_or_else(|| Self::most(register))
    }

    /// The fraction bits of a source's component; `None` if it has any size.
    fn source(&self, operation: &FragmentOperation, source: usize, component: usize) -> Option<u8> {
        if self.values.is_source_unflushed(operation, source, component) {
            return None;
        }
        let source = operation.sources[source];
        let component = usize::from(source.swizzle.0[component] & 3);
        let bits = match source.kind {
            FragmentSourceKind::Register(register) => self.register(register, component),
            FragmentSourceKind::Constant(_) => self.constants,
            FragmentSourceKind::Input => MOST,
        };
        Some(match source.precision {
            SourcePrecision::Full => bits,
            SourcePrecision::Half => HALF,
            SourcePrecision::Fx12 | SourcePrecision::Fx9 | SourcePrecision::Saturate => bits.max(FIXED),
        })
    }

    /// The check of an operation's products, and their fraction bits.
    fn products(&self, operation: &FragmentOperation, component: usize) -> (ProductCheck, u8) {
        let mut factors = Vec::new();
        if let FragmentOperationKind::Compute(FragmentFunction { kernel, .. }) = operation.kind
            && let Some(terms) = kernel.fast_terms
        {
            self.collect_factors(operation, component, terms, &mut factors);
        }
        ProductCheck::of(factors)
    }

    fn collect_factors(
        &self,
        operation: &FragmentOperation,
        component: usize,
        term: &Term,
        factors: &mut Vec<[Option<u8>; 2]>,
    ) {
        match term {
            Term::Product(a, b) => {
                factors.push([a, b].map(|factor| self.factor(operation, component, factor)));
            }
            Term::Sum(a, b) | Term::Difference(a, b) => {
                [a, b].into_iter().for_each(|term| self.collect_factors(operation, component, term, factors));
            }
            Term::One | Term::Operand(..) => {}
        }
    }

    /// The fraction bits of a factor that is a sum of operands.
    fn factor(&self, operation: &FragmentOperation, component: usize, term: &Term) -> Option<u8> {
        match term {
            Term::One => Some(0),
            Term::Operand(source, select) => self.source(operation, *source, select.of(component)),
            Term::Sum(a, b) | Term::Difference(a, b) => {
                Some(self.factor(operation, component, a)?.max(self.factor(operation, component, b)?))
            }
            Term::Product(..) => None,
        }
    }

    /// The fraction bits of terms whose products have `products` fraction bits.
    fn terms(&self, operation: &FragmentOperation, component: usize, products: u8, term: &Term) -> u8 {
        match term {
            Term::One => 0,
            Term::Operand(source, select) => self.source(operation, *source, select.of(component)).unwrap_or(MOST),
            Term::Product(..) => products,
            Term::Sum(a, b) | Term::Difference(a, b) => {
                let bits = |term| self.terms(operation, component, products, term);
                bits(a).max(bits(b))
            }
        }
    }

    /// The fraction bits of the result that an operation writes to a component.
    fn result(&self, operation: &FragmentOperation, component: usize) -> u8 {
        let operands = || {
            let bits = |source| self.source(operation, source, component).unwrap_or(MOST);
            (0..operation.kind.source_count()).map(bits).max().unwrap_or(0)
        };
        let exact = match operation.kind {
            FragmentOperationKind::Move | FragmentOperationKind::Derivative(_) => operands(),
            FragmentOperationKind::Compute(function) => match (function.facts.fraction, function.kernel.fast_terms) {
                (ResultFraction::OfTerms, Some(terms)) => {
                    self.terms(operation, component, self.products(operation, component).1, terms)
                }
                (ResultFraction::Any, _) | (ResultFraction::OfTerms, None) => MOST,
                (ResultFraction::Whole, _) => 0,
                (ResultFraction::OfOperands, _) => operands(),
            },
            FragmentOperationKind::Sample(_)
            | FragmentOperationKind::Kill
            | FragmentOperationKind::Fence(_)
            | FragmentOperationKind::Nothing => MOST,
        };
        let is_half = operation.destination.is_some_and(|register| register.is_half);
        match (operation.is_rounded(), operation.precision, operation.scale) {
            (true, _, _) if is_half => HALF,
            (true, Precision::Fp16, _) => HALF,
            (true, Precision::Fx12, _) => FIXED,
            (true, _, Scale::Half | Scale::Quarter | Scale::Eighth) => MOST,
            _ => exact,
        }
    }

    /// Records an operation's writes, which may affect only some pixels.
    fn note(&mut self, operation: &FragmentOperation, is_masked: bool) {
        let Some(register) = operation.written_register() else { return };
        if self.usage.is_shared(register) {
            return;
        }
        let is_guarded = is_masked || operation.is_predicated();
        let results = [0, 1, 2, 3].map(|component| self.result(operation, component));
        for component in (0..4).filter(|component| operation.mask.has(*component)) {
            let before = if is_guarded { self.register(register, component) } else { 0 };
            let bits = results[component].max(before).min(Self::most(register));
            self.registers.insert((register, component), bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::fragment as exact;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
    use crate::isa::test_words::{CONSTANT, INPUT, fragment, full, half};
    use crate::shader::analysis::ArithmeticPath;
    use crate::shader::analysis::test_programs::{straight, view};

    fn checks(words: Vec<FragmentWord>, constants: u8) -> Vec<ProductCheck> {
        let program = straight(words);
        let view = view(&program);
        let usage = ResourceUsage::of(&view);
        let values = NanAndDenormals::of(&view, &usage, ArithmeticPath::Fast);
        let count = program.body.len();
        let underflow = Underflow::of(&view, &usage, &values, constants);
        (0..count).map(|operation| underflow.check(operation, 0)).collect()
    }

    #[test]
    fn products_of_products_are_checked_once_they_are_too_fine() {
        let words = vec![
            // Halves have 24 fraction bits, their products 48, products of these 96.
            fragment(Op::Mul, 1, &[half(20), half(20)]),
            fragment(Op::Mul, 2, &[full(1), full(1)]),
            fragment(Op::Mul, 3, &[full(2), full(1)]),
            // A product of at least 2⁻⁴⁰ has 63.
            fragment(Op::Mul, 4, &[full(3), full(3)]),
            // Sampled values have any size.
            fragment(Op::Tex, 5, &[INPUT]).with(Field::INPUT, 4),
            fragment(Op::Mul, 6, &[full(5), full(1)]),
            // Integers have none.
            fragment(Op::Flr, 7, &[full(4)]),
            fragment(Op::Dp4, 8, &[full(7), full(4)]),
        ];
        let (none, narrow, normal) = (ProductCheck::None, ProductCheck::Narrow, ProductCheck::Normal);
        assert_eq!(checks(words, 31), [none, none, narrow, none, none, normal, none, none]);
    }

    #[test]
    fn constants_count_with_their_class() {
        let product = |constants| {
            let mut words = vec![fragment(Op::Mul, 1, &[half(20), CONSTANT])];
            words.push(FragmentWord([0; 4]));
            let mut all = crate::isa::test_words::words(&words);
            all[0] |= 1;
            let program = crate::shader::fragment::FragmentProgram::decode(&all).unwrap();
            let view = view(&program);
            let usage = ResourceUsage::of(&view);
            let values = NanAndDenormals::of(&view, &usage, ArithmeticPath::Fast);
            Underflow::of(&view, &usage, &values, constants).check(0, 0)
        };
        assert_eq!(product(102), ProductCheck::None);
        assert_eq!(product(103), ProductCheck::Narrow);
    }

    #[test]
    fn constants_fall_into_classes() {
        let class = |value: f32| constant_fraction_bits(&[[value.to_bits(), 0, 0, 0]]);
        assert_eq!(constant_fraction_bits(&[]), Some(31));
        assert_eq!([0.5, 0.299, 0.1, f32::INFINITY, f32::NAN].map(class), [Some(31); 5]);
        // 2⁻³¹ has 31 bits; 0.001 = 1.024 × 2⁻¹⁰ has its last bit at 2⁻³³.
        assert_eq!([2f32.powi(-31), 2f32.powi(-32), 0.001].map(class), [Some(31), Some(63), Some(63)]);
        assert_eq!([1e-12, f32::MIN_POSITIVE, 1e-38].map(class), [Some(63), Some(126), None]);
        assert_eq!(fraction_bits_of(0.001f32.to_bits()), 33);
        assert_eq!(fraction_bits_of(3.5f32.to_bits()), 1);
        assert_eq!(fraction_bits_of(16_777_216f32.to_bits()), 0);
    }

    #[test]
    fn products_are_checked_where_factors_are_too_fine_together() {
        let check = |a, b| ProductCheck::of([[a, b]]);
        assert_eq!(check(Some(63), Some(63)), (ProductCheck::None, 126));
        assert_eq!(check(Some(63), Some(64)), (ProductCheck::Narrow, NARROW));
        assert_eq!(check(Some(24), Some(31)), (ProductCheck::None, 55));
        assert_eq!(check(None, Some(0)), (ProductCheck::Normal, MOST));
        assert_eq!(ProductCheck::of([[Some(1), Some(2)], [Some(100), Some(20)]]), (ProductCheck::None, 120));
        assert_eq!(ProductCheck::of([[Some(1), Some(2)], [None, Some(20)]]), (ProductCheck::Normal, MOST));
    }

    /// A multiple of 2⁻ⁿ with up to 24 bits; often small.
    fn multiple(state: &mut u64, fraction_bits: u8) -> u32 {
        let mut below = |limit: u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 33) % limit
        };
        let bits = 1 << below(25);
        let shift = if below(2) == 0 { 0 } else { below(40) };
        let sign = if below(2) == 0 { 1.0 } else { -1.0 };
        let whole = below(bits) as f64;
        let value = sign * whole * 2f64.powi(i32::try_from(shift).unwrap() - i32::from(fraction_bits));
        #[expect(clippy::cast_possible_truncation, reason = "24 bits and a sign")]
        let value = value as f32;
        value.to_bits()
    }

    /// How many products and sums with these fraction bits differ from the chip's.
    fn differences(fraction_bits: [u8; 2]) -> usize {
        let mut state = 7;
        let differs = |_: &u32| {
            let [a, b] = fraction_bits.map(|bits| multiple(&mut state, bits));
            let [x, y] = [a, b].map(f32::from_bits);
            (x * y).to_bits() != exact::mul(a, b) || (x + y).to_bits() != exact::add(a, b)
        };
        (0..100_000).filter(differs).count()
    }

    #[test]
    fn unchecked_products_are_those_of_the_chip() {
        for first in 0..=MOST {
            assert_eq!(differences([first, MOST - first]), 0, "{first}");
        }
        // One more bit gives products below the least normal number.
        assert!((0..=MOST).any(|first| differences([first, MOST + 1 - first]) > 0));
        assert!(differences([NARROW, NARROW + 1]) > 0);
    }
}
