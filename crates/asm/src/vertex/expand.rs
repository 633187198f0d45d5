//! Lowers statements to operations of the chip: expands macros, and moves results that share an output register to their
//! components.

use std::ops::Range;

use super::opcodes::{Kind, Lookup};
use super::profile::Profile;
use super::statement::{Operation, Output, Register, Source, Statement, Target, Text, UnitOperation};
use crate::constants::ConstantSource;
use crate::diagnostic::Diagnostic;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::operand::{Selector, SwizzleElement};
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use crate::state::{Matrix, MatrixForm, StateBinding};

const X: WriteMask = WriteMask(1);
const XYZ: WriteMask = WriteMask(7);
const W: WriteMask = WriteMask(8);

/// Operations and the number of temporaries that they use.
#[derive(Debug)]
pub(super) struct Expansion {
    /// In the order of the slots.
    pub(super) operations: Vec<Operation>,
    /// Temporaries are numbered below this.
    pub(super) temporaries: u32,
    /// Operations that compute the position before the first statement.
    pub(super) prologue: Range<usize>,
}

struct Expander<'text> {
    text: &'text Text,
    profile: &'text Profile,
    operations: Vec<Operation>,
    temporaries: u32,
    statement: usize,
    /// Output registers that hold clip distances, as a mask.
    shared: u16,
}

/// Lowers every statement.
///
/// # Errors
/// When the chip cannot do what a statement asks for.
pub(super) fn expand(text: &Text, profile: &Profile) -> Result<Expansion, Vec<Diagnostic>> {
    let shared = text.statements.iter().fold(0, |shared, statement| match statement.target {
        Target::Output(Output { register, component: Some(_), .. }) => shared | 1 << register,
        _ => shared,
    });
    let mut expander =
        Expander { text, profile, operations: Vec::new(), temporaries: text.temporaries, statement: 0, shared };
    let main = text.labels.get("main").unwrap_or(0);
    let mut errors = Vec::new();
    for (index, statement) in text.statements.iter().enumerate() {
        expander.statement = index;
        if let Err(error) = expander.expand(statement) {
            errors.push(error);
        }
    }
    let prologue = if text.is_position_invariant { expander.transform_position(main) } else { 0..0 };
    if errors.is_empty() {
        Ok(Expansion { operations: expander.operations, temporaries: expander.temporaries, prologue })
    } else {
        Err(errors)
    }
}

const fn vector(opcode: VectorOpcode) -> UnitOperation {
    UnitOperation::Vector(opcode)
}

const fn scalar(opcode: ScalarOpcode) -> UnitOperation {
    UnitOperation::Scalar(opcode)
}

/// Whether each component of the result depends on the same component of the operands alone.
const fn is_per_component(unit: UnitOperation) -> bool {
    match unit {
        UnitOperation::Vector(opcode) => !matches!(
            opcode,
            VectorOpcode::Dst
                | VectorOpcode::Dp3
                | VectorOpcode::Dph
                | VectorOpcode::Dp4
                | VectorOpcode::Txl
                | VectorOpcode::Arl
                | VectorOpcode::Arr
                | VectorOpcode::Ara
        ),
        UnitOperation::Scalar(opcode) => matches!(opcode, ScalarOpcode::Mov),
    }
}

/// Whether all components of the result are the same.
const fn is_replicated(unit: UnitOperation) -> bool {
    match unit {
        UnitOperation::Vector(opcode) => {
            matches!(opcode, VectorOpcode::Dp3 | VectorOpcode::Dph | VectorOpcode::Dp4)
        }
        UnitOperation::Scalar(opcode) => {
            !matches!(opcode, ScalarOpcode::Exp | ScalarOpcode::Log | ScalarOpcode::Lit | ScalarOpcode::Mov)
        }
    }
}

impl Expander<'_> {
    fn temporary(&mut self) -> u32 {
        self.temporaries += 1;
        self.temporaries - 1
    }

    /// An unconditional operation into a temporary.
    fn compute(&mut self, unit: UnitOperation, temporary: u32, mask: WriteMask, sources: Vec<Source>) {
        let target = Target::Temporary(temporary);
        self.operations.push(Operation::new(unit, target, mask, sources, self.statement));
    }

    fn expand(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let sources = &statement.sources;
        match statement.kind {
            Kind::Vector(opcode) => self.result(statement, vector(opcode), sources.clone()),
            Kind::Constant(opcode) => self.result(statement, vector(opcode), Vec::new()),
            Kind::Lighting => self.result(statement, scalar(ScalarOpcode::Lit), sources.clone()),
            Kind::Absolute => {
                let source = sources[0].magnitude();
                self.result(statement, vector(VectorOpcode::Mov), vec![source])
            }
            Kind::Subtract => self.result(statement, vector(VectorOpcode::Add), vec![sources[0], sources[1].negated()]),
            Kind::Scalar(opcode) => {
                let takes_magnitude = match opcode {
                    // LOG takes the magnitude in every language. The modern rules leave that to the operand.
                    ScalarOpcode::Log => true,
                    ScalarOpcode::Rsq => self.profile.has_absolute_roots,
                    _ => false,
                };
                let source = if takes_magnitude { sources[0].magnitude() } else { sources[0] };
                self.result(statement, scalar(opcode), vec![source])
            }
            Kind::Power => self.power(statement),
            Kind::Swizzle => self.swizzle(statement),
            Kind::CrossProduct => self.cross_product(statement),
            Kind::Address(opcode) => self.result(statement, vector(opcode), sources.clone()),
            Kind::AddressAdd => self.result(statement, vector(VectorOpcode::Ara), Vec::new()),
            Kind::Texture(lookup) => self.lookup(statement, lookup),
            Kind::Branch(opcode) => {
                let target = statement.label.as_ref().and_then(|(name, _)| self.text.labels.get(name));
                self.flow(statement, opcode, target);
                Ok(())
            }
            Kind::Return => {
                self.flow(statement, ScalarOpcode::Ret, None);
                Ok(())
            }
            Kind::Stack(opcode) => {
                self.flow(statement, opcode, None);
                Ok(())
            }
        }
    }

    fn flow(&mut self, statement: &Statement, opcode: ScalarOpcode, branch: Option<usize>) {
        let mut operation = Operation::new(scalar(opcode), Target::Nothing, WriteMask(0), Vec::new(), self.statement);
        operation.condition = statement.condition;
        operation.branch = branch;
        operation.address = statement.address;
        self.operations.push(operation);
    }

    /// The operation that gives a statement its result, with test, update and saturation.
    fn result(&mut self, statement: &Statement, unit: UnitOperation, sources: Vec<Source>) -> Result<(), Diagnostic> {
        let mut operation = Operation::new(unit, statement.target, statement.mask, sources, self.statement);
        operation.condition = statement.condition;
        operation.update = statement.update;
        operation.saturate = statement.saturate;
        operation.address = statement.address;
        operation.texture = self.texture_unit(statement.texture);
        let tests_another = match (operation.condition, operation.update) {
            (Some(test), Some(update)) => test.register != update && test.relation != Relation::Always,
            _ => false,
        };
        if tests_another {
            return self.test_one_and_update_other(operation, statement);
        }
        if let (Some(test), Some(update)) = (&mut operation.condition, operation.update) {
            test.register = update;
        }
        self.place(operation);
        Ok(())
    }

    /// The unit of the chip for a unit of the text.
    fn texture_unit(&self, image: u8) -> u8 {
        let place = self.text.textures.iter().position(|(known, _)| *known == image);
        let is_direct = self.text.textures.iter().all(|(known, _)| *known < 4);
        if is_direct { image & 3 } else { place.unwrap_or(0).to_le_bytes()[0] & 3 }
    }

    /// Appends an operation. If its result shares an output register, it goes to the component of that result.
    fn place(&mut self, mut operation: Operation) {
        let Target::Output(output) = operation.target else { return self.operations.push(operation) };
        let is_shared = output.component.is_some() || self.shared >> output.register & 1 != 0;
        if !is_shared || output.address.is_some() {
            return self.operations.push(operation);
        }
        let component = output.component.unwrap_or(0);
        let has_x = operation.mask.has(0);
        if operation.update.is_none() && (is_per_component(operation.unit) || is_replicated(operation.unit)) {
            if has_x {
                if !is_replicated(operation.unit) {
                    operation.sources = operation.sources.iter().map(|source| source.splat(0)).collect();
                }
                operation.condition = operation.condition.map(x_alone);
                operation.mask = WriteMask(1 << component);
                self.operations.push(operation);
            }
            return;
        }
        let (condition, update, mask) = (operation.condition, operation.update, operation.mask);
        let temporary = self.temporary();
        operation.target = Target::Temporary(temporary);
        (operation.condition, operation.update) = (None, None);
        self.operations.push(operation);
        let source = Source::temporary(temporary);
        if has_x {
            let mask = WriteMask(1 << component);
            let target = Target::Output(output);
            let mut operation =
                Operation::new(vector(VectorOpcode::Mov), target, mask, vec![source.splat(0)], self.statement);
            operation.condition = condition.map(x_alone);
            self.operations.push(operation);
        }
        if update.is_some() {
            let mut operation =
                Operation::new(vector(VectorOpcode::Mov), Target::Nothing, mask, vec![source], self.statement);
            (operation.condition, operation.update) = (condition, update);
            self.operations.push(operation);
        }
    }

    /// Lowers a write that tests one condition register and updates the other one. The chip names one register for both,
    /// so a sequence rebuilds the updated register from values with its signs.
    fn test_one_and_update_other(&mut self, mut operation: Operation, statement: &Statement) -> Result<(), Diagnostic> {
        if matches!(operation.target, Target::Address(_)) {
            return Err(Diagnostic::new(
                statement.span.clone(),
                "an address register is loaded under one condition register and recorded in the other",
            )
            .label("cannot be encoded")
            .note("an instruction of the chip names one condition register"));
        }
        let (Some(test), Some(update)) = (operation.condition, operation.update) else { return Ok(()) };
        let (result, signs) = (self.temporary(), self.temporary());
        let target = operation.target;
        operation.target = Target::Temporary(result);
        (operation.condition, operation.update) = (None, None);
        self.operations.push(operation);
        let on = |relation| Some(ConditionTest { register: update, relation, swizzle: Swizzle::IDENTITY });
        let result = Source::temporary(result);
        self.compute(vector(VectorOpcode::Sfl), signs, WriteMask::ALL, Vec::new());
        for (relation, opcode, sources) in [
            // A code that is not equal, less or greater is NaN.
            (Relation::NotEqual, VectorOpcode::Mov, vec![Source::literal([0x7fff_ffff; 4])]),
            (Relation::Greater, VectorOpcode::Str, Vec::new()),
            (Relation::Less, VectorOpcode::Mov, vec![Source::number(1.0).negated()]),
        ] {
            let target = Target::Temporary(signs);
            let mut operation = Operation::new(vector(opcode), target, WriteMask::ALL, sources, self.statement);
            operation.condition = on(relation);
            self.operations.push(operation);
        }
        let mut write = Operation::new(vector(VectorOpcode::Mov), target, statement.mask, vec![result], self.statement);
        write.condition = Some(test);
        let mut merge = write.clone();
        merge.target = Target::Temporary(signs);
        if target != Target::Nothing {
            self.place(write);
        }
        self.operations.push(merge);
        let signs = vec![Source::temporary(signs)];
        let mut record =
            Operation::new(vector(VectorOpcode::Mov), Target::Nothing, WriteMask::ALL, signs, self.statement);
        record.update = Some(update);
        self.operations.push(record);
        Ok(())
    }

    /// a^b = 2^(b·log2 a), as the documents define it.
    fn power(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let temporary = self.temporary();
        let value = Source::temporary(temporary).splat(0);
        self.compute(scalar(ScalarOpcode::Lg2), temporary, X, vec![statement.sources[0]]);
        self.compute(vector(VectorOpcode::Mul), temporary, X, vec![value, statement.sources[1]]);
        self.result(statement, scalar(ScalarOpcode::Ex2), vec![value])
    }

    fn cross_product(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let temporary = self.temporary();
        let [a, b] = [statement.sources[0], statement.sources[1]];
        let (yzx, zxy) = ([1, 2, 0, 3], [2, 0, 1, 3]);
        let products = vec![a.swizzled(zxy), b.swizzled(yzx)];
        self.compute(vector(VectorOpcode::Mul), temporary, statement.mask, products);
        let other = Source::temporary(temporary).negated();
        self.result(statement, vector(VectorOpcode::Mad), vec![a.swizzled(yzx), b.swizzled(zxy), other])
    }

    /// SWZ: one move if all components have one sign and one kind, otherwise a move for each combination.
    fn swizzle(&mut self, statement: &Statement) -> Result<(), Diagnostic> {
        let source = statement.sources[0];
        let wanted = (0..4).filter(|&component| statement.mask.has(component));
        let mut kinds: Vec<(bool, bool)> = wanted
            .map(|component| {
                let element = statement.elements[component];
                (matches!(element.selector, Selector::Component(_)), element.negate)
            })
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let selected = |is_component: bool, negative: bool| {
            let pick = statement.elements.map(|element| match (element.selector, is_component) {
                (Selector::Component(component), true) => component,
                // The constant is (0, 1, 0, 1).
                (Selector::One, false) => 1,
                _ => 0,
            });
            let one = 1.0f32.to_bits();
            let base = if is_component { source } else { Source::literal([0, one, 0, one]) };
            let picked = base.swizzled(pick);
            if negative { picked.negated() } else { picked }
        };
        if let &[(is_component, negative)] = kinds.as_slice() {
            return self.result(statement, vector(VectorOpcode::Mov), vec![selected(is_component, negative)]);
        }
        let temporary = self.temporary();
        for (is_component, negative) in kinds {
            let mask = (0..4).fold(0, |mask, component| {
                let SwizzleElement { selector, negate } = statement.elements[component];
                let is_same = matches!(selector, Selector::Component(_)) == is_component && negate == negative;
                mask | u8::from(is_same) << component
            });
            let mask = WriteMask(mask & statement.mask.0);
            self.compute(vector(VectorOpcode::Mov), temporary, mask, vec![selected(is_component, negative)]);
        }
        self.result(statement, vector(VectorOpcode::Mov), vec![Source::temporary(temporary)])
    }

    /// The chip's only lookup takes its level from w.
    fn lookup(&mut self, statement: &Statement, lookup: Lookup) -> Result<(), Diagnostic> {
        let coordinate = statement.sources[0];
        if lookup == Lookup::Level {
            return self.result(statement, vector(VectorOpcode::Txl), vec![coordinate]);
        }
        let temporary = self.temporary();
        let value = Source::temporary(temporary);
        if lookup == Lookup::Projective {
            let w = coordinate.splat(3);
            self.compute(scalar(ScalarOpcode::Rcp), temporary, W, vec![w]);
            let products = vec![coordinate, value.splat(3)];
            self.compute(vector(VectorOpcode::Mul), temporary, XYZ, products);
        } else {
            self.compute(vector(VectorOpcode::Mov), temporary, XYZ, vec![coordinate]);
        }
        self.compute(vector(VectorOpcode::Sfl), temporary, W, Vec::new());
        self.result(statement, vector(VectorOpcode::Txl), vec![value])
    }

    /// The position as the fixed pipeline computes it, before anything else.
    fn transform_position(&mut self, main: usize) -> Range<usize> {
        let output = Output { register: 0, component: None, enable: 0, address: None, name: (0, 0) };
        let rows = (0..4).map(|row| {
            let binding = StateBinding::MatrixRow(Matrix::ModelViewProjection, MatrixForm::Plain, row);
            let row_source = Source::parameter(ConstantSource::State(binding));
            let position = Source::new(Register::Attribute(0, None));
            let mask = WriteMask(1 << row);
            Operation::new(vector(VectorOpcode::Dp4), Target::Output(output), mask, vec![position, row_source], main)
        });
        // They precede the statement at which execution starts. Branches to that statement skip them.
        let place = self.operations.iter().position(|operation| operation.statement >= main);
        let place = place.unwrap_or(self.operations.len());
        self.operations.splice(place..place, rows);
        place..place + 4
    }
}

/// The test with x's component for all components.
fn x_alone(test: ConditionTest) -> ConditionTest {
    ConditionTest { swizzle: Swizzle([test.swizzle.0[0]; 4]), ..test }
}
