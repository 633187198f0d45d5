//! Value ranges: finds results that certainly lie in 0..1, so that rounding and packing need not handle signs,
//! infinities and NaN. None of them is −0.

use std::collections::HashSet;

use super::ProgramView;
use super::execution_order::{Step, execution_order};
use super::resource_usage::ResourceUsage;
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSourceKind, Scale,
    SourcePrecision,
};
use crate::shader::fragment_function::ResultRange;

/// Registers' components.
type Components = HashSet<(FragmentRegister, usize)>;

/// Whether each result lies in 0..1, by the index in [`execution_order`].
#[derive(Debug)]
pub struct ValueRanges {
    results: Vec<[bool; 4]>,
    at_end: Components,
}

impl ValueRanges {
    /// Analyzes the program from its start.
    #[must_use]
    pub fn of(view: &ProgramView<'_>, usage: &ResourceUsage) -> Self {
        let mut pass = Pass { view, usage, units: Components::new() };
        let mut results = Vec::new();
        for step in execution_order(view) {
            match step {
                Step::Operation { operation, is_masked } => {
                    let is_unit = [0, 1, 2, 3].map(|component| pass.is_result_unit(operation, component));
                    pass.note(operation, is_unit, is_masked);
                    results.push(is_unit);
                }
                Step::Join => pass.units.clear(),
            }
        }
        Self { results, at_end: pass.units }
    }

    /// Whether the result of an operation lies in 0..1, both before and after rounding.
    #[must_use]
    pub fn is_unit(&self, operation: usize, component: usize) -> bool {
        self.results[operation][component]
    }

    /// Whether a register's component lies in 0..1 when the program ends.
    #[must_use]
    pub fn is_unit_at_end(&self, register: FragmentRegister, component: usize) -> bool {
        self.at_end.contains(&(register, component))
    }
}

struct Pass<'a> {
    view: &'a ProgramView<'a>,
    usage: &'a ResourceUsage,
    /// The components in 0..1 at the current point; shared registers have no entry.
    units: Components,
}

impl Pass<'_> {
    fn is_source_unit(&self, operation: &FragmentOperation, source: usize, component: usize) -> bool {
        let source = operation.sources[source];
        let component = usize::from(source.swizzle.0[component] & 3);
        let is_unit = match source.kind {
            FragmentSourceKind::Register(register) => self.units.contains(&(register, component)),
            // Inputs that are not interpolated may have any value.
            FragmentSourceKind::Input => {
                self.view.interpolates && matches!(operation.input, FragmentInput::Color0 | FragmentInput::Color1)
            }
            FragmentSourceKind::Constant(_) => false,
        };
        !source.negate && (is_unit || source.precision == SourcePrecision::Saturate)
    }

    fn is_result_unit(&self, operation: &FragmentOperation, component: usize) -> bool {
        if operation.kind.packs() {
            return false;
        }
        let are_units =
            || (0..operation.kind.source_count()).all(|source| self.is_source_unit(operation, source, component));
        let is_unit = match operation.kind {
            FragmentOperationKind::Move => are_units(),
            FragmentOperationKind::Compute(function) => match function.facts.range {
                ResultRange::Any => false,
                ResultRange::UnitOfUnits => are_units(),
                ResultRange::ZeroOrOne => true,
            },
            FragmentOperationKind::Sample(_) => self.view.unit_range_fetches >> (operation.texture_unit & 15) & 1 != 0,
            FragmentOperationKind::Derivative(_)
            | FragmentOperationKind::Kill
            | FragmentOperationKind::Fence(_)
            | FragmentOperationKind::Nothing => false,
        };
        let is_scaled_up = matches!(operation.scale, Scale::Two | Scale::Four | Scale::Eight);
        operation.saturate || is_unit && !is_scaled_up
    }

    /// Records an operation's writes, which may affect only some pixels.
    fn note(&mut self, operation: &FragmentOperation, is_unit: [bool; 4], is_masked: bool) {
        let Some(register) = operation.written_register() else { return };
        if self.usage.is_shared(register) {
            return;
        }
        let is_guarded = is_masked || operation.is_predicated();
        for component in (0..4).filter(|component| operation.mask.has(*component)) {
            let place = (register, component);
            if is_unit[component] && (!is_guarded || self.units.contains(&place)) {
                self.units.insert(place);
            } else {
                self.units.remove(&place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ValueRanges;
    use crate::arith::fragment as exact;
    use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode as Op};
    use crate::isa::test_words::{INPUT, flow, fragment, full, words};
    use crate::shader::analysis::resource_usage::ResourceUsage;
    use crate::shader::analysis::test_programs::{straight, view};
    use crate::shader::fragment::{FragmentProgram, FragmentRegister};

    fn analyzed(program: &FragmentProgram) -> ValueRanges {
        let view = view(program);
        ValueRanges::of(&view, &ResourceUsage::of(&view))
    }

    #[test]
    fn colors_and_their_products_are_units() {
        let program = straight(vec![
            fragment(Op::Mul, 1, &[INPUT, INPUT]).with(Field::INPUT, 1),
            fragment(Op::Add, 2, &[full(1), full(1)]),
            fragment(Op::Add, 3, &[full(1), full(1)]).with(Field::SATURATE, 1),
            fragment(Op::Slt, 4, &[full(2), full(2)]),
            fragment(Op::Max, 5, &[full(3), full(4)]),
            fragment(Op::Mul, 6, &[full(3).negated(), full(4)]),
            fragment(Op::Tex, 7, &[INPUT]).with(Field::INPUT, 4),
            fragment(Op::Tex, 8, &[INPUT]).with(Field::INPUT, 4).with(Field::TEXTURE_UNIT, 1),
            fragment(Op::Mul, 9, &[full(3), full(4)]).with(Field::SCALE, 1),
        ]);
        let ranges = analyzed(&program);
        let is_unit: Vec<bool> = (0..9).map(|operation| ranges.is_unit(operation, 0)).collect();
        assert_eq!(is_unit, [true, false, true, true, true, false, true, false, false]);
        let at_end = |index| ranges.is_unit_at_end(FragmentRegister { index, is_half: false }, 2);
        assert!(at_end(5) && !at_end(6) && !at_end(40));
    }

    #[test]
    fn nothing_is_known_where_paths_meet() {
        let unit = fragment(Op::Slt, 1, &[full(2), full(2)]);
        let copy = fragment(Op::Mov, 3, &[full(1)]);
        let program = [unit, copy, flow(Op::If, 16, 16).with(Field::CONDITION, 4), copy, copy];
        let mut words = words(&program);
        words[16] |= 1;
        let program = FragmentProgram::decode(&words).unwrap();
        let ranges = analyzed(&program);
        // Before IF, inside it, after it.
        assert_eq!([1, 2, 3].map(|operation| ranges.is_unit(operation, 0)), [true, true, false]);
    }

    #[test]
    fn a_write_for_some_pixels_keeps_what_both_values_are() {
        let guarded = |word: crate::isa::nv40_fragment::FragmentWord| word.with(Field::CONDITION, 4);
        let program = straight(vec![
            fragment(Op::Slt, 1, &[full(2), full(2)]),
            guarded(fragment(Op::Sge, 1, &[full(2), full(2)])),
            fragment(Op::Mov, 3, &[full(1)]),
            guarded(fragment(Op::Add, 1, &[full(2), full(2)])),
            fragment(Op::Mov, 3, &[full(1)]),
        ]);
        let ranges = analyzed(&program);
        assert!(ranges.is_unit(2, 0) && !ranges.is_unit(4, 0));
    }

    const ONE: u32 = 0x3f80_0000;

    /// Values in 0..1; often near the ends.
    fn units() -> impl Iterator<Item = u32> {
        let mut state = 3u64;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = u32::try_from(state >> 34).expect("thirty bits") % (ONE + 1);
            match state >> 32 & 3 {
                0 => ONE - bits % 9,
                1 => (bits % 9) << 23,
                _ => bits,
            }
        })
    }

    #[test]
    fn operations_on_units_stay_in_range() {
        let mut units = units();
        let mut next = || units.next().expect("there is no end");
        for _ in 0..200_000 {
            let [a, b, c] = [next(), next(), next()];
            let lerp = exact::add(exact::mul(a, b), exact::mul(exact::sub(ONE, a), c));
            for value in [exact::mul(a, b), lerp, exact::min(a, b), exact::max(a, b)] {
                let rounded = [exact::round_to_half(value), exact::round_to_fx12(value), exact::round_to_fx9(value)];
                assert!(value <= ONE && rounded.iter().all(|value| *value <= ONE), "{a:08x} {b:08x} {c:08x}");
            }
        }
        // Not so for sums.
        assert!(exact::add(ONE, ONE) > ONE && exact::sub(0, ONE) > ONE);
    }
}
