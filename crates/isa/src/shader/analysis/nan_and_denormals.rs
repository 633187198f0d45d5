//! NaN and denormals: finds the register components that arithmetic must flush first, and those whose exact bits
//! matter.
//!
//! Arithmetic is cheapest on values without denormals, and if it may produce any NaN. It never produces denormals
//! itself, so only values copied from elsewhere need a flush. A NaN must become the canonical one only where bits
//! are copied, stored or unpacked. The fast path (`wgsl/software/fragment_fast.wgsl`) accepts only multiples of
//! 2⁻¹²⁶, which sums, products and their inputs are.

use std::collections::BTreeSet;

use super::resource_usage::ResourceUsage;
use super::{ArithmeticPath, ProgramView};
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentOperationKind, FragmentOutputs, FragmentRegister, FragmentSourceKind,
    Precision, Scale, SourcePrecision,
};
use crate::shader::fragment_function::{BitUse, ResultRange, Variant};

/// Number and component of a full register.
type Place = (u8, usize);

/// Facts about the components of full registers.
#[derive(Debug)]
pub struct NanAndDenormals {
    path: ArithmeticPath,
    interpolates: bool,
    /// Components that can hold denormals; on the fast path, those that may not be multiples of 2⁻¹²⁶, or that a
    /// compiler may know.
    unflushed: BTreeSet<Place>,
    /// Components whose bits are copied, stored or unpacked.
    copied: BTreeSet<Place>,
}

impl NanAndDenormals {
    /// Iterates over the program until nothing is added.
    #[must_use]
    pub fn of(view: &ProgramView<'_>, usage: &ResourceUsage, path: ArithmeticPath) -> Self {
        let operations = view.operations();
        let mut found =
            Self { path, interpolates: view.interpolates, unflushed: BTreeSet::new(), copied: BTreeSet::new() };
        for register in view.outputs.color_registers().filter(|register| !register.is_half) {
            found.copied.extend((0..4).map(|component| (register.index, component)));
        }
        if view.outputs.exports_depth {
            found.copied.insert((FragmentOutputs::DEPTH.index, 2));
        }
        for number in &usage.shared {
            let components = (0..4).map(|component| (*number, component));
            found.unflushed.extend(components.clone());
            found.copied.extend(components);
        }
        loop {
            let known = found.unflushed.len() + found.copied.len();
            operations.iter().for_each(|operation| found.add(operation));
            if found.unflushed.len() + found.copied.len() == known {
                return found;
            }
        }
    }

    /// Whether arithmetic must flush a register's component first.
    #[must_use]
    pub fn is_unflushed(&self, register: FragmentRegister, component: usize) -> bool {
        !register.is_half && self.unflushed.contains(&(register.index, component))
    }

    /// Whether a NaN in a register's component must have the canonical bits.
    #[must_use]
    pub fn is_copied(&self, register: FragmentRegister, component: usize) -> bool {
        !register.is_half && self.copied.contains(&(register.index, component))
    }

    fn add(&mut self, operation: &FragmentOperation) {
        let destination = operation.destination.filter(|register| !register.is_half);
        let written = (0..4).filter(|component| operation.mask.has(*component));
        for component in written {
            if let Some(register) = destination
                && self.gives_unflushed(operation, component)
            {
                self.unflushed.insert((register.index, component));
            }
            if is_plain_copy(operation) {
                // The NaN is copied unchanged, and matters if the copy matters.
                if destination.is_some_and(|register| self.is_copied(register, component)) {
                    self.add_copied(operation, 0, component);
                }
            }
        }
        let is_rounded_copy = operation.kind == FragmentOperationKind::Move && operation.is_rounded();
        if !treats_nan_alike(operation.kind) && !is_plain_copy(operation) && !is_rounded_copy {
            for source in 0..operation.kind.source_count() {
                (0..4).for_each(|component| self.add_copied(operation, source, component));
            }
        }
    }

    fn add_copied(&mut self, operation: &FragmentOperation, source: usize, component: usize) {
        let source = operation.sources[source];
        if let FragmentSourceKind::Register(register) = source.kind
            && !register.is_half
        {
            self.copied.insert((register.index, usize::from(source.swizzle.0[component] & 3)));
        }
    }

    /// Whether arithmetic must flush an operation's result first.
    fn gives_unflushed(&self, operation: &FragmentOperation, component: usize) -> bool {
        if operation.kind.packs() {
            return true;
        }
        if self.path == ArithmeticPath::Fast {
            return self.may_be_fine(operation, component);
        }
        if operation.is_rounded() {
            return false;
        }
        match operation.kind {
            FragmentOperationKind::Move => self.is_source_unflushed(operation, 0, component),
            FragmentOperationKind::Compute(function) => match function.facts.bits {
                BitUse::Copies(components) => components.has(component),
                BitUse::Packs => true,
                BitUse::Numbers | BitUse::Unpacks => false,
            },
            FragmentOperationKind::Sample(_) => true,
            FragmentOperationKind::Derivative(_)
            | FragmentOperationKind::Kill
            | FragmentOperationKind::Fence(_)
            | FragmentOperationKind::Nothing => false,
        }
    }

    /// Whether an operation's result may not be a multiple of 2⁻¹²⁶, or may be known to a compiler.
    fn may_be_fine(&self, operation: &FragmentOperation, component: usize) -> bool {
        if operation.precision != Precision::Fp32 {
            return false;
        }
        if matches!(operation.scale, Scale::Half | Scale::Quarter | Scale::Eighth) {
            return true;
        }
        match operation.kind {
            FragmentOperationKind::Move => self.is_source_unflushed(operation, 0, component),
            FragmentOperationKind::Compute(function) => {
                function.kernel.variant == Variant::Full || function.facts.range == ResultRange::ZeroOrOne
            }
            FragmentOperationKind::Derivative(_) => false,
            FragmentOperationKind::Sample(_)
            | FragmentOperationKind::Kill
            | FragmentOperationKind::Fence(_)
            | FragmentOperationKind::Nothing => true,
        }
    }

    /// Whether arithmetic must flush a component of an operation's source first.
    #[must_use]
    pub fn is_source_unflushed(&self, operation: &FragmentOperation, source: usize, component: usize) -> bool {
        let source = operation.sources[source];
        let is_fast = self.path == ArithmeticPath::Fast;
        (source.precision == SourcePrecision::Full || is_fast)
            && match source.kind {
                FragmentSourceKind::Register(register) => {
                    self.is_unflushed(register, usize::from(source.swizzle.0[component] & 3))
                }
                // The fast path is only used with constants that it accepts.
                FragmentSourceKind::Constant(_) => !is_fast,
                FragmentSourceKind::Input if is_fast => !is_interpolated(operation.input),
                // Interpolation is arithmetic.
                FragmentSourceKind::Input => !self.interpolates,
            }
    }
}

/// Whether an input consists of sums and products only.
const fn is_interpolated(input: FragmentInput) -> bool {
    matches!(input, FragmentInput::Color0 | FragmentInput::Color1 | FragmentInput::TexCoord(_))
}

/// Whether an operation copies its source bit by bit.
fn is_plain_copy(operation: &FragmentOperation) -> bool {
    let source = operation.sources[0];
    let is_modified = source.negate || source.absolute || source.precision != SourcePrecision::Full;
    operation.kind == FragmentOperationKind::Move && !is_modified && !operation.is_rounded()
}

/// Whether an operation treats every NaN alike.
fn treats_nan_alike(kind: FragmentOperationKind) -> bool {
    match kind {
        FragmentOperationKind::Compute(function) => function.facts.bits == BitUse::Numbers,
        FragmentOperationKind::Derivative(_) => true,
        FragmentOperationKind::Move
        | FragmentOperationKind::Sample(_)
        | FragmentOperationKind::Kill
        | FragmentOperationKind::Fence(_)
        | FragmentOperationKind::Nothing => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op, FragmentWord};
    use crate::isa::test_words::{INPUT, fragment, full};
    use crate::shader::analysis::test_programs::{straight, view};

    const fn register(index: u8) -> FragmentRegister {
        FragmentRegister { index, is_half: false }
    }

    fn analyzed(words: Vec<FragmentWord>, path: ArithmeticPath) -> NanAndDenormals {
        let program = straight(words);
        let view = view(&program);
        NanAndDenormals::of(&view, &ResourceUsage::of(&view), path)
    }

    #[test]
    fn what_is_sampled_is_unflushed_until_it_is_computed_with() {
        let words = vec![
            fragment(Op::Tex, 1, &[INPUT]).with(Field::INPUT, 4),
            fragment(Op::Mov, 2, &[full(1)]),
            fragment(Op::Add, 3, &[full(2), full(2)]),
            fragment(Op::Mov, 4, &[full(3)]),
        ];
        let found = analyzed(words, ArithmeticPath::Exact);
        assert_eq!([1, 2, 3, 4].map(|index| found.is_unflushed(register(index), 0)), [true, true, false, false]);
    }

    #[test]
    fn a_nan_matters_where_it_is_stored_or_packed() {
        // R2.x is copied to the stored R0, R3 is packed, R4 is only added.
        let words = vec![
            fragment(Op::Add, 2, &[full(4), full(4)]),
            fragment(Op::Add, 3, &[full(4), full(4)]),
            fragment(Op::Mov, 0, &[full(2)]).with(Field::WRITE_MASK, 1),
            fragment(Op::Pk2h, 5, &[full(3)]),
        ];
        let found = analyzed(words, ArithmeticPath::Exact);
        assert_eq!([0, 2, 3, 4].map(|index| found.is_copied(register(index), 0)), [true, true, true, false]);
        assert!(!found.is_copied(register(2), 1) && found.is_copied(register(3), 3));
        assert!(found.is_unflushed(register(5), 0));
    }

    #[test]
    fn the_fast_path_minds_comparisons_and_special_functions() {
        let words = vec![
            fragment(Op::Slt, 1, &[full(6), full(6)]),
            fragment(Op::Rcp, 2, &[full(6)]),
            fragment(Op::Mul, 3, &[full(6), full(6)]),
            fragment(Op::Mul, 4, &[full(6), full(6)]).with(Field::SCALE, 5),
            fragment(Op::Rcp, 5, &[full(6)]).with(Field::PRECISION, 1),
        ];
        let unflushed = |found: &NanAndDenormals| [1, 2, 3, 4, 5].map(|index| found.is_unflushed(register(index), 0));
        assert_eq!(unflushed(&analyzed(words.clone(), ArithmeticPath::Fast)), [true, true, false, true, false]);
        assert_eq!(unflushed(&analyzed(words, ArithmeticPath::Exact)), [false; 5]);
    }
}
