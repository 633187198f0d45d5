//! How fine the values of plain kernels are, so that only those products are watched that might not be coarse.
//!
//! A fineness n says that a value is a whole multiple of 2⁻ⁿ, an infinity or NaN. A sum is as fine as the finer of its terms,
//! a product at most as fine as both factors together: rounding to 24 bits takes a multiple of 2⁻ⁿ to another one. Coarse
//! values (`wgsl/arith/fragment_fast.wgsl`) have a fineness of at most 126. Where factors are finer together, the product
//! is watched.

use std::collections::HashMap;

use super::registers::exists;
use super::values::is_rounded;
use super::{Generator, operations};
use crate::isa::nv40_fragment::FragmentOpcode as Op;
use crate::shader::fragment::{
    FragmentOperation, FragmentRegister, FragmentSourceKind, Precision, Scale, SourcePrecision,
};

/// Multiples of the least normal number.
const COARSE: u8 = 126;
/// Zero and what is at least 2⁻⁴⁰.
const NARROW: u8 = 63;
/// Half floats.
const HALF: u8 = 24;
/// Fixed point with ten fraction bits; also the limits that sources are clamped to.
const FIXED: u8 = 10;

/// Finenesses of constants that are told apart: most numbers from 2⁻⁸ on have the first.
const CONSTANT_CLASSES: [u8; 3] = [31, NARROW, COARSE];

/// How fine the constants of a program are, in classes, so that programs share kernels; `None` where some are denormal.
#[must_use]
pub fn constant_fineness(constants: &[[u32; 4]]) -> Option<u8> {
    let finest = constants.iter().flatten().map(|bits| fineness_of(*bits)).max().unwrap_or(0);
    CONSTANT_CLASSES.into_iter().find(|class| finest <= u32::from(*class))
}

/// The fineness of a float of these bits.
fn fineness_of(bits: u32) -> u32 {
    let exponent = bits >> 23 & 0xff;
    let fraction = bits & 0x007f_ffff;
    match (exponent, fraction) {
        (255, _) | (0, 0) => 0,
        (0, _) => 150,
        _ => 150u32.saturating_sub(exponent + (fraction | 1 << 23).trailing_zeros()),
    }
}

/// How an operation's products stay coarse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// They are, whatever the values.
    Sure,
    /// They are zero or at least 2⁻⁴⁰, or the quad is not plain.
    Narrow,
    /// They are zero or at least 2⁻¹⁰³, or the quad is not plain.
    Coarse,
}

impl Watch {
    /// The function that multiplies so.
    const fn function(self) -> &'static str {
        match self {
            Self::Sure => "sure_mul",
            Self::Narrow => "narrow_mul",
            Self::Coarse => "plain_mul",
        }
    }

    /// For products of factors with these finenesses, and the fineness of the products. `None` is a factor of any size that is
    /// often tiny.
    fn of(factors: impl IntoIterator<Item = [Option<u8>; 2]>) -> (Self, u8) {
        let sums = factors.into_iter().map(|[a, b]| Some(u16::from(a?) + u16::from(b?)));
        match sums.collect::<Option<Vec<_>>>().map(|sums| sums.into_iter().max().unwrap_or(0)) {
            None => (Self::Coarse, COARSE),
            Some(sum) => u8::try_from(sum)
                .ok()
                .filter(|sum| *sum <= COARSE)
                .map_or((Self::Narrow, NARROW), |sum| (Self::Sure, sum)),
        }
    }
}

/// What is known at a place of the program.
#[derive(Debug, Default)]
pub(in crate::recompiler) struct Finenesses {
    /// Of constants.
    pub(in crate::recompiler) constants: u8,
    /// Of registers' components, where it is less than that of any value.
    registers: HashMap<(FragmentRegister, usize), u8>,
}

impl Finenesses {
    /// Forgets all, where ways through the program part or meet.
    pub(in crate::recompiler) fn forget(&mut self) {
        self.registers.clear();
    }
}

/// Which components of its sources an operation multiplies for a component of its result.
fn factors(opcode: Op, component: usize) -> Vec<[(usize, usize); 2]> {
    let dot = |count: usize| (0..count).map(|component| [(0, component), (1, component)]).collect();
    match opcode {
        Op::Mul | Op::Mad => vec![[(0, component), (1, component)]],
        Op::Lrp => vec![[(0, component), (1, component)], [(0, component), (2, component)]],
        Op::Dp2 | Op::Dp2a => dot(2),
        Op::Dp3 => dot(3),
        Op::Dp4 => dot(4),
        _ => Vec::new(),
    }
}

impl Generator<'_> {
    /// The fineness of any value of a register.
    fn worst(&self, register: FragmentRegister) -> u8 {
        match (exists(register), register.is_half) {
            (false, _) => 0,
            (true, true) => HALF,
            (true, false) => COARSE,
        }
    }

    fn register_fineness(&self, register: FragmentRegister, component: usize) -> u8 {
        let number = if register.is_half { register.index / 2 } else { register.index };
        let known =
            self.finenesses.registers.get(&(register, component)).filter(|_| !self.needs.shared.contains(&number));
        known.copied().unwrap_or_else(|| self.worst(register))
    }

    /// The fineness of a source's component; `None` where it is of any size.
    fn source_fineness(&self, operation: &FragmentOperation, source: usize, component: usize) -> Option<u8> {
        if self.values.is_source_raw(self.key, operation, source, component) {
            return None;
        }
        let source = operation.sources[source];
        let component = usize::from(source.swizzle.0[component & 3] & 3);
        let fineness = match source.kind {
            FragmentSourceKind::Register(register) => self.register_fineness(register, component),
            FragmentSourceKind::Constant(_) => self.finenesses.constants,
            FragmentSourceKind::Input => COARSE,
        };
        Some(match source.precision {
            SourcePrecision::Full => fineness,
            SourcePrecision::Half => HALF,
            SourcePrecision::Fx12 | SourcePrecision::Fx9 | SourcePrecision::Saturate => fineness.max(FIXED),
        })
    }

    /// How the products of an operation stay coarse, and how fine they are.
    fn watch(&self, operation: &FragmentOperation, component: usize) -> (Watch, u8) {
        let fineness = |(source, component)| self.source_fineness(operation, source, component);
        Watch::of(factors(operation.opcode, component).into_iter().map(|pair| pair.map(fineness)))
    }

    /// What a plain kernel computes for a component of an operation that multiplies and adds; `None` for others.
    pub(in crate::recompiler) fn plain_products(
        &mut self,
        operation: &FragmentOperation,
        component: usize,
    ) -> Option<String> {
        let factors = factors(operation.opcode, component);
        if !self.is_plain || factors.is_empty() {
            return None;
        }
        let function = self.watch(operation, component).0.function();
        let mut products = Vec::new();
        for (index, [a, b]) in factors.into_iter().enumerate() {
            let mut a = self.clean_operand(operation, a.0, a.1);
            let b = self.clean_operand(operation, b.0, b.1);
            if operation.opcode == Op::Lrp && index == 1 {
                a = self.call("clean_sub", &["vec4u(0x3f800000u)", &a]);
            }
            products.push(self.call(function, &[&a, &b]));
        }
        match operation.opcode {
            Op::Mad => products.push(self.clean_operand(operation, 2, component)),
            Op::Dp2a => products.push(self.clean_operand(operation, 2, 0)),
            _ => {}
        }
        let mut terms = products.into_iter();
        let first = terms.next()?;
        Some(terms.fold(first, |sum, term| self.call("clean_add", &[&sum, &term])))
    }

    /// The fineness of what an operation writes to a component.
    pub(in crate::recompiler) fn result_fineness(&self, operation: &FragmentOperation, component: usize) -> u8 {
        let sources = |sources: &[usize], component| {
            let known =
                sources.iter().map(|source| self.source_fineness(operation, *source, component).unwrap_or(COARSE));
            known.max().unwrap_or(0)
        };
        let products = || self.watch(operation, component).1;
        let exact = match operation.opcode {
            Op::Mul | Op::Lrp | Op::Dp2 | Op::Dp3 | Op::Dp4 => products(),
            Op::Mad => products().max(sources(&[2], component)),
            Op::Dp2a => products().max(sources(&[2], 0)),
            Op::Add | Op::Min | Op::Max => sources(&[0, 1], component),
            Op::Mov | Op::Frc | Op::Ddx | Op::Ddy => sources(&[0], component),
            Op::Flr => 0,
            opcode if operations::compares(opcode) => 0,
            _ => COARSE,
        };
        let is_half = operation.destination.is_some_and(|register| register.is_half);
        match (is_rounded(operation), operation.precision, operation.scale) {
            (true, _, _) if is_half => HALF,
            (true, Precision::Fp16, _) => HALF,
            (true, Precision::Fx12, _) => FIXED,
            (true, _, Scale::Half | Scale::Quarter | Scale::Eighth) => COARSE,
            _ => exact,
        }
    }

    /// Notes what is known of a component that was written, perhaps only for some pixels.
    pub(in crate::recompiler) fn note_fineness(
        &mut self,
        register: FragmentRegister,
        component: usize,
        fineness: u8,
        is_guarded: bool,
    ) {
        let before = if is_guarded { self.register_fineness(register, component) } else { 0 };
        let fineness = fineness.max(before).min(self.worst(register));
        self.finenesses.registers.insert((register, component), fineness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::fragment as exact;

    #[test]
    fn constants_fall_into_classes() {
        let class = |value: f32| constant_fineness(&[[value.to_bits(), 0, 0, 0]]);
        assert_eq!(constant_fineness(&[]), Some(31));
        assert_eq!([0.5, 0.299, 0.1, f32::INFINITY, f32::NAN].map(class), [Some(31); 5]);
        // 2⁻³¹ has one bit, 0.001 = 1.024 × 2⁻¹⁰ has its last 33 places behind the point.
        assert_eq!([2f32.powi(-31), 2f32.powi(-32), 0.001].map(class), [Some(31), Some(63), Some(63)]);
        assert_eq!([1e-12, f32::MIN_POSITIVE, 1e-38].map(class), [Some(63), Some(126), None]);
        assert_eq!(fineness_of(0.001f32.to_bits()), 33);
        assert_eq!(fineness_of(3.5f32.to_bits()), 1);
        assert_eq!(fineness_of(16_777_216f32.to_bits()), 0);
    }

    #[test]
    fn products_are_watched_where_factors_are_too_fine_together() {
        let watch = |a, b| Watch::of([[a, b]]);
        assert_eq!(watch(Some(63), Some(63)), (Watch::Sure, 126));
        assert_eq!(watch(Some(63), Some(64)), (Watch::Narrow, NARROW));
        assert_eq!(watch(Some(24), Some(31)), (Watch::Sure, 55));
        assert_eq!(watch(None, Some(0)), (Watch::Coarse, COARSE));
        assert_eq!(Watch::of([[Some(1), Some(2)], [Some(100), Some(20)]]), (Watch::Sure, 120));
        assert_eq!(Watch::of([[Some(1), Some(2)], [None, Some(20)]]), (Watch::Coarse, COARSE));
    }

    /// A multiple of 2⁻ⁿ with up to 24 bits, small ones often.
    fn multiple(state: &mut u64, fineness: u8) -> u32 {
        let mut below = |limit: u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 33) % limit
        };
        let bits = 1 << below(25);
        let shift = if below(2) == 0 { 0 } else { below(40) };
        let sign = if below(2) == 0 { 1.0 } else { -1.0 };
        let whole = below(bits) as f64;
        let value = sign * whole * 2f64.powi(i32::try_from(shift).unwrap() - i32::from(fineness));
        #[expect(clippy::cast_possible_truncation, reason = "24 bits and a sign")]
        let value = value as f32;
        value.to_bits()
    }

    /// How many products and sums of two finenesses differ from the chip's.
    fn differences(fineness: [u8; 2]) -> usize {
        let mut state = 7;
        let differs = |_: &u32| {
            let [a, b] = fineness.map(|fineness| multiple(&mut state, fineness));
            let [x, y] = [a, b].map(f32::from_bits);
            (x * y).to_bits() != exact::mul(a, b) || (x + y).to_bits() != exact::add(a, b)
        };
        (0..100_000).filter(differs).count()
    }

    #[test]
    fn sure_products_are_those_of_the_chip() {
        for first in 0..=COARSE {
            assert_eq!(differences([first, COARSE - first]), 0, "{first}");
        }
        // One place more leaves products below the least normal number.
        assert!((0..=COARSE).any(|first| differences([first, COARSE + 1 - first]) > 0));
        assert!(differences([NARROW, NARROW + 1]) > 0);
    }
}
