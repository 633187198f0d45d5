//! Normal-range analysis: finds the products and sums of a straight-line vertex program that cheaper functions can
//! compute, and the checks that this needs.
//!
//! A kernel holds such a program twice: with the functions of `wgsl/software/vertex_normal_range.wgsl`, whose checks
//! find values near the ends of the range, and with the exact functions for the vertices that have such values.

use std::collections::{BTreeMap, BTreeSet};

use crate::arith::vertex_functions::{NormalRangeForm, NormalRangeTwin, ResultRange, VertexFunction};
use crate::shader::condition::{Relation, WriteMask};
use crate::shader::vertex::{
    CONSTANT_SLOTS, OperationKind, VertexBundle, VertexOperand, VertexOperation, VertexProgram, VertexRegister,
};
use crate::shader::vertex_blocks::BlockExit;

/// The fewest products that justify a second copy of the program.
const MIN_PRODUCTS: u32 = 12;

/// What is known about a component of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Zero or in the normal range; otherwise the vertex takes the exact path.
    InRange,
    /// Any value except denormals.
    Normal,
    /// Any value except denormals, and often infinite or tiny.
    Extreme,
    /// Any value.
    Unknown,
}

/// The check of a component before it is a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Zero or in the normal range.
    InRange,
    /// Not denormal.
    NotDenormal,
}

/// A register that a kernel checks; the host checks constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckedRegister {
    /// A temporary.
    Temporary(u8),
    /// A vertex attribute.
    Attribute(u8),
    /// An output register, read back.
    Output(u8),
}

/// A check of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorCheck {
    /// The register.
    pub register: CheckedRegister,
    /// Its component.
    pub component: u8,
    /// The requirement.
    pub requirement: Requirement,
}

/// How the cheaper function computes the vector operation of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalRangeOperation {
    /// The cheaper function.
    pub twin: NormalRangeTwin,
    /// The checks of its factors.
    pub factors: Vec<FactorCheck>,
    /// Bit i: the largest term of component i is checked; 0 for products.
    pub terms: u8,
}

/// The operations of a program that cheaper functions compute, and their common requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NormalRangePlan {
    /// How each bundle's vector operation is computed; `None` for the exact function.
    pub operations: Vec<Option<NormalRangeOperation>>,
    /// Constants and their components that must be in the normal range.
    pub constants: BTreeSet<(u16, u8)>,
}

impl NormalRangePlan {
    /// Whether a second copy is worth its size: for straight-line programs of many products, without indices and
    /// textures.
    #[must_use]
    pub fn is_worthwhile(program: &VertexProgram) -> bool {
        let products: u32 = program.bundles.iter().map(products).sum();
        let is_direct = |operation: &VertexOperation| {
            !matches!(operation.kind, OperationKind::FetchTexture { .. })
                && operation.read_sources().iter().all(|source| source.register.relative().is_none())
        };
        let is_plain = |bundle: &VertexBundle| {
            bundle.operations().into_iter().all(is_direct)
                && bundle.output.is_none_or(|output| output.relative.is_none())
                && bundle.constant_write.is_none()
                && bundle.emission.is_none()
        };
        let is_straight = matches!(
            program.blocks().as_slice(),
            [block] if matches!(block.exit, BlockExit::Continue { next: None })
                && block.bundles == (0..program.bundles.len())
        );
        products >= MIN_PRODUCTS && is_straight && program.bundles.iter().all(is_plain)
    }

    /// Analyzes a program; returns `None` if a second copy is not worth its size.
    #[must_use]
    pub fn of(program: &VertexProgram) -> Option<Self> {
        if !Self::is_worthwhile(program) {
            return None;
        }
        let mut known = Known::default();
        let operations = program.bundles.iter().map(|bundle| known.visit(bundle)).collect();
        Some(Self { operations, constants: known.constants })
    }
}

/// Whether these bits are zero or in the normal range of factors; the twin of `normal_range_is_wrong_factor`.
#[must_use]
pub const fn is_in_range(bits: u32) -> bool {
    let magnitude = bits & 0x7fff_ffff;
    magnitude == 0 || magnitude.wrapping_sub(0x2000_0000) < 0x3f80_0000
}

/// The vector operation's function if it has a cheaper one.
fn twin_of(operation: &VertexOperation) -> Option<(&'static VertexFunction, NormalRangeTwin)> {
    match operation.kind {
        OperationKind::Arithmetic(function) => function.normal_range.map(|twin| (function, twin)),
        _ => None,
    }
}

/// Multiplications of the vector operation that a cheaper function would do.
fn products(bundle: &VertexBundle) -> u32 {
    match twin_of(&bundle.vector) {
        Some((function, twin)) if twin.form != NormalRangeForm::Sum => {
            function.components_read(0, bits(bundle.vector_components())).count_ones()
        }
        _ => 0,
    }
}

/// Bit i: component i.
const fn bits(mask: WriteMask) -> u8 {
    mask.0 & 15
}

/// What is known about all registers at a point of the program.
#[derive(Debug, Default)]
struct Known {
    temporaries: BTreeMap<u8, [Class; 4]>,
    /// The checked classes of attributes and their components.
    attributes: BTreeMap<(u8, u8), Class>,
    /// Constants and their components that the host checks.
    constants: BTreeSet<(u16, u8)>,
}

impl Known {
    fn visit(&mut self, bundle: &VertexBundle) -> Option<NormalRangeOperation> {
        let operation = self.plan(&bundle.vector, bits(bundle.vector_components()));
        self.note(bundle);
        operation
    }

    /// The checks that allow the cheaper function to compute components of an operation.
    fn plan(&mut self, operation: &VertexOperation, mask: u8) -> Option<NormalRangeOperation> {
        let (function, twin) = twin_of(operation)?;
        let factors: Vec<(VertexOperand, u8)> = match twin.form {
            NormalRangeForm::Sum => Vec::new(),
            NormalRangeForm::Product | NormalRangeForm::SumOfProducts => (0..2)
                .flat_map(|source| {
                    let read = function.components_read(source, mask);
                    let components = (0..4u8).filter(move |component| read >> component & 1 != 0);
                    components.map(move |component| (operation.sources[source], component))
                })
                .collect(),
        };
        // A single product needs both factors in range.
        let is_product = twin.form == NormalRangeForm::Product;
        let is_extreme = |(source, component): &(VertexOperand, u8)| self.class(source, *component) == Class::Extreme;
        if is_product && factors.iter().any(is_extreme) {
            return None;
        }
        let requirement = if is_product { Requirement::InRange } else { Requirement::NotDenormal };
        let factors =
            factors.iter().filter_map(|(source, component)| self.check(source, *component, requirement)).collect();
        let terms = match twin.form {
            NormalRangeForm::Product => 0,
            NormalRangeForm::Sum | NormalRangeForm::SumOfProducts if function.is_replicated() => 1,
            NormalRangeForm::Sum | NormalRangeForm::SumOfProducts => mask,
        };
        Some(NormalRangeOperation { twin, factors, terms })
    }

    /// Requires a property of a factor; returns the check unless the property is known to hold.
    fn check(&mut self, source: &VertexOperand, component: u8, requirement: Requirement) -> Option<FactorCheck> {
        let (wanted, known) = match requirement {
            Requirement::InRange => (Class::InRange, Class::InRange),
            Requirement::NotDenormal => (Class::Extreme, Class::Normal),
        };
        if self.class(source, component) <= wanted {
            return None;
        }
        let component = source.swizzle.0[usize::from(component)] & 3;
        let register = match source.register {
            VertexRegister::Temporary(register) => {
                let classes = self.temporaries.entry(register).or_insert([Class::InRange; 4]);
                classes[usize::from(component)] = known;
                CheckedRegister::Temporary(register)
            }
            VertexRegister::Attribute { index, .. } => {
                self.attributes.insert((index & 15, component), known);
                CheckedRegister::Attribute(index & 15)
            }
            VertexRegister::Constant { index, .. } => {
                self.constants.insert((index, component));
                return None;
            }
            // No program with a plan has one.
            VertexRegister::WrappedConstant { .. } => return None,
            VertexRegister::Output(index) => CheckedRegister::Output(index & 15),
        };
        Some(FactorCheck { register, component, requirement })
    }

    /// Records the writes of a bundle.
    fn note(&mut self, bundle: &VertexBundle) {
        let is_conditional = bundle.condition.is_some_and(|test| test.relation != Relation::Always);
        let written = bundle.operations().map(|operation| self.classes(operation));
        for (operation, classes) in bundle.operations().into_iter().zip(written) {
            let (Some(register), Some(classes)) = (operation.destination, classes) else { continue };
            let known = self.temporaries.entry(register).or_insert([Class::InRange; 4]);
            for component in (0..4).filter(|component| operation.mask.has(*component)) {
                let new = classes[component];
                known[component] = if is_conditional { known[component].max(new) } else { new };
            }
        }
    }

    /// What is known about an operation's result; `None` if it is not a vector.
    fn classes(&self, operation: &VertexOperation) -> Option<[Class; 4]> {
        let of = |source: usize, component: u8| self.class(&operation.sources[source], component);
        let either = |component: u8| of(0, component).max(of(1, component));
        let each = |class: &dyn Fn(u8) -> Class| Some([0, 1, 2, 3].map(class));
        match operation.kind {
            OperationKind::Idle | OperationKind::LoadAddress(_) | OperationKind::AddAddress { .. } => None,
            OperationKind::Move => each(&|component| of(0, component)),
            OperationKind::Constant(bits) if is_in_range(bits) => Some([Class::InRange; 4]),
            OperationKind::Constant(_) | OperationKind::FetchTexture { .. } => Some([Class::Unknown; 4]),
            OperationKind::Arithmetic(function) => match function.range {
                ResultRange::Operand => each(&either),
                // Powers are computed as LG2, MUL, EX2.
                ResultRange::Product => each(&|component| either(component).clamp(Class::Normal, Class::Extreme)),
                ResultRange::Normal => Some([Class::Normal; 4]),
                ResultRange::Extreme => Some([Class::Extreme; 4]),
                ResultRange::Any => Some([Class::Unknown; 4]),
            },
        }
    }

    /// What is known about a component of a source after its swizzle.
    fn class(&self, source: &VertexOperand, component: u8) -> Class {
        let component = source.swizzle.0[usize::from(component)] & 3;
        match source.register {
            VertexRegister::Temporary(register) => {
                self.temporaries.get(&register).map_or(Class::InRange, |known| known[usize::from(component)])
            }
            VertexRegister::Attribute { index, .. } => {
                *self.attributes.get(&(index & 15, component)).unwrap_or(&Class::Unknown)
            }
            VertexRegister::Constant { index, .. } => {
                let is_checked = usize::from(index) >= CONSTANT_SLOTS || self.constants.contains(&(index, component));
                if is_checked { Class::InRange } else { Class::Unknown }
            }
            VertexRegister::WrappedConstant { .. } => Class::Unknown,
            VertexRegister::Output(_) => Class::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckedRegister, FactorCheck, NormalRangePlan, Requirement, is_in_range};
    use crate::arith::vertex_functions::{DP4, EX2, MUL, VertexFunction};
    use crate::shader::test_programs::{attribute, bundle, constant, operation, program, temporary};
    use crate::shader::vertex::{AddressComponent, OperationKind, VertexBundle, VertexOperand, VertexRegister};

    fn arithmetic(function: &'static VertexFunction, read: &[VertexOperand], destination: u8) -> VertexBundle {
        bundle(operation(OperationKind::Arithmetic(function), read, Some(destination)))
    }

    /// R0 = v0 multiplied by three rows of a matrix: twelve products.
    fn transform() -> Vec<VertexBundle> {
        (0..3).map(|row| arithmetic(&DP4, &[attribute(0), constant(row)], 0)).collect()
    }

    fn attribute_check(component: u8, requirement: Requirement) -> FactorCheck {
        FactorCheck { register: CheckedRegister::Attribute(0), component, requirement }
    }

    #[test]
    fn few_products_and_indices_have_one_text() {
        assert!(!NormalRangePlan::is_worthwhile(&program(transform()[..2].to_vec())));
        assert!(NormalRangePlan::is_worthwhile(&program(transform())));
        let mut indexed = transform();
        indexed[1].vector.sources[1].register =
            VertexRegister::Constant { index: 1, relative: Some(AddressComponent { register: 0, component: 0 }) };
        assert!(NormalRangePlan::of(&program(indexed)).is_none());
    }

    #[test]
    fn a_factor_is_checked_once_and_constants_by_the_host() {
        let plan = NormalRangePlan::of(&program(transform())).unwrap();
        let checks: Vec<_> = plan.operations.iter().flatten().map(|operation| operation.factors.clone()).collect();
        assert_eq!(checks[0], [0, 1, 2, 3].map(|component| attribute_check(component, Requirement::NotDenormal)));
        assert!(checks[1].is_empty() && checks[2].is_empty());
        assert_eq!(plan.constants.len(), 12);
        assert!(plan.operations.iter().flatten().all(|operation| operation.terms == 1));
    }

    #[test]
    fn a_product_by_itself_needs_factors_in_range() {
        let mut bundles = transform();
        bundles.push(arithmetic(&MUL, &[attribute(0), temporary(0)], 1));
        let plan = NormalRangePlan::of(&program(bundles)).unwrap();
        let product = plan.operations[3].as_ref().unwrap();
        assert_eq!(product.terms, 0);
        // Attributes were only known not to be denormal; sums are normal, but not in range.
        assert_eq!(product.factors.len(), 8);
        assert_eq!(product.factors[0], attribute_check(0, Requirement::InRange));
    }

    #[test]
    fn a_product_of_a_power_stays_exact() {
        let mut bundles = transform();
        let mut power = VertexBundle::idle(0);
        power.scalar = operation(OperationKind::Arithmetic(&EX2), &[attribute(1)], Some(2));
        bundles.extend([power, arithmetic(&MUL, &[temporary(2), attribute(0)], 3)]);
        let plan = NormalRangePlan::of(&program(bundles)).unwrap();
        assert!(plan.operations[4].is_none());
    }

    #[test]
    fn the_normal_range_of_factors_is_symmetric_around_one() {
        let two_to = |exponent: i32| ((127 + exponent).cast_unsigned()) << 23;
        assert!(is_in_range(0) && is_in_range(0x8000_0000) && is_in_range(two_to(-63)) && is_in_range(two_to(63)));
        assert!(!is_in_range(two_to(-64)) && !is_in_range(two_to(64)) && !is_in_range(1));
    }
}
