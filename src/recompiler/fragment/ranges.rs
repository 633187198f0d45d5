//! Which values lie in 0..1 for certain, so that rounding and packing them need no care for signs, infinities and NaN. None of
//! them is −0.

use std::collections::HashSet;

use super::registers::color_output;
use super::{Generator, QuadSource, operations};
use crate::isa::nv40_fragment::FragmentOpcode as Op;
use crate::recompiler::rop::color::ValueRange;
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentRegister, FragmentSourceKind, Scale, SourcePrecision,
};

/// What is known at a place of the program.
#[derive(Debug, Default)]
pub(in crate::recompiler) struct Ranges {
    /// Registers' components that lie in 0..1.
    units: HashSet<(FragmentRegister, usize)>,
}

impl Ranges {
    /// Forgets all.
    pub(in crate::recompiler) fn forget(&mut self) {
        self.units.clear();
    }
}

impl Generator<'_> {
    fn is_register_unit(&self, register: FragmentRegister, component: usize) -> bool {
        let number = if register.is_half { register.index / 2 } else { register.index };
        self.ranges.units.contains(&(register, component)) && !self.needs.shared.contains(&number)
    }

    fn is_source_unit(&self, operation: &FragmentOperation, source: usize, component: usize) -> bool {
        let source = operation.sources[source];
        let component = usize::from(source.swizzle.0[component & 3] & 3);
        let is_unit = match source.kind {
            FragmentSourceKind::Register(register) => self.is_register_unit(register, component),
            // Given inputs may be anything.
            FragmentSourceKind::Input => {
                self.key.quads == QuadSource::Interpolated
                    && matches!(operation.input, FragmentInput::Color0 | FragmentInput::Color1)
            }
            FragmentSourceKind::Constant(_) => false,
        };
        !source.negate && (is_unit || source.precision == SourcePrecision::Saturate)
    }

    /// Whether the result of an operation for a component lies in 0..1, before it is rounded as well as after that.
    pub(in crate::recompiler) fn is_result_unit(&self, operation: &FragmentOperation, component: usize) -> bool {
        if operation.opcode.is_pack() {
            return false;
        }
        let are_units = |count| (0..count).all(|source| self.is_source_unit(operation, source, component));
        let is_unit = match operation.opcode {
            Op::Mov => are_units(1),
            Op::Mul | Op::Min | Op::Max => are_units(2),
            // 1 − a is rounded by 2⁻²⁵ at most, so that the sum is not above 1 when it is rounded.
            Op::Lrp => are_units(3),
            opcode if operations::samples(opcode) => self.key.unit_fetches >> (operation.texture_unit & 15) & 1 != 0,
            opcode => operations::compares(opcode),
        };
        let is_scaled_up = matches!(operation.scale, Scale::Two | Scale::Four | Scale::Eight);
        operation.saturate || is_unit && !is_scaled_up
    }

    /// Notes what is known of a component that was written, perhaps only for some pixels.
    pub(in crate::recompiler) fn note_range(
        &mut self,
        register: FragmentRegister,
        component: usize,
        is_unit: bool,
        is_guarded: bool,
    ) {
        let was_unit = !is_guarded || self.is_register_unit(register, component);
        if is_unit && was_unit {
            self.ranges.units.insert((register, component));
        } else {
            self.ranges.units.remove(&(register, component));
        }
    }

    /// What is known of the colour that the program leaves for a target.
    pub(in crate::recompiler) fn color_ranges(&self, target: u8) -> [ValueRange; 4] {
        let register = color_output(target, self.key.has_full_outputs);
        let is_unit = |component| self.is_register_unit(register, component);
        [0, 1, 2, 3].map(|component| ValueRange { is_half: register.is_half, is_unit: is_unit(component) })
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::fragment as exact;

    const ONE: u32 = 0x3f80_0000;

    /// Values of 0..1, those near both ends often.
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
        // Not so of sums.
        assert!(exact::add(ONE, ONE) > ONE && exact::sub(0, ONE) > ONE);
    }
}
