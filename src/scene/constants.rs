//! Computes the constants of a draw's programs from the scene's expressions.

use std::collections::HashMap;

use super::error::SceneError;
use super::expression::{Expression, Scope, Value};
use super::loaded_program::{Constant, FragmentCode};
use super::plan::{DrawPlan, Plan};
use super::program::{matrix_name, matrix_row};
use super::text::Text;
use crate::asm::shbin::RegisterFile;
use crate::isa::VertexIsa;

/// The contents of the vertex processor's constants, by slot.
pub(super) type VertexConstants = HashMap<u32, [u32; 4]>;

/// The constants of the vertex program, by slot.
pub(super) fn vertex(plan: &Plan, draw: &DrawPlan, scope: &Scope<'_>) -> Result<Vec<(u32, [u32; 4])>, SceneError> {
    let program = &plan.scene.programs.0[draw.vertex].0;
    let constants = &plan.vertex_program(draw.vertex).constants;
    let finder = Finder { plan, draw, scope, program };
    let is_integer = |slot: u32| {
        let register = RegisterFile::from_number(u16::try_from(slot).unwrap_or(u16::MAX));
        plan.vertex_program(draw.vertex).code.isa() == VertexIsa::Pica200
            && matches!(register, Some((RegisterFile::Integer, _)))
    };
    let value = |(slot, constant): &(u32, Constant)| {
        let bits = finder.bits(constant)?;
        if is_integer(*slot) && !bits.iter().all(|bits| is_byte(f32::from_bits(*bits))) {
            return Err(finder.no_integers(constant));
        }
        Ok((*slot, bits))
    };
    constants.iter().map(value).collect()
}

/// The microcode of the fragment program with its constants.
pub(super) fn fragment(plan: &Plan, draw: &DrawPlan, scope: &Scope<'_>) -> Result<Vec<u32>, SceneError> {
    let name = &plan.scene.programs.0[draw.fragment].0;
    let program = plan.fragment_program(draw.fragment);
    let finder = Finder { plan, draw, scope, program: name };
    let mut values = HashMap::new();
    for (source, constant) in &program.constants {
        values.insert(*source, finder.bits(constant)?);
    }
    Ok(match &program.code {
        FragmentCode::Words(words) => words.clone(),
        FragmentCode::Assembly(assembly) => assembly.patched(&|source| values.get(source).copied().unwrap_or_default()),
    })
}

struct Finder<'a> {
    plan: &'a Plan,
    draw: &'a DrawPlan,
    scope: &'a Scope<'a>,
    program: &'a Text,
}

impl Finder<'_> {
    fn bits(&self, constant: &Constant) -> Result<[u32; 4], SceneError> {
        match constant {
            Constant::Literal(bits) => Ok(*bits),
            Constant::Parameter(names, default) => {
                for name in names {
                    if let Some(row) = self.row(name)? {
                        return Ok(to_bits(row));
                    }
                }
                default.ok_or_else(|| self.missing(names.last().map_or("a constant", String::as_str)))
            }
            Constant::MatrixRow(matrix, form, row) => {
                let name = matrix_name(*matrix);
                let missing = || self.missing(&name);
                let value = match self.value(&name)? {
                    Some(Value::Matrix(matrix)) => matrix,
                    Some(value) => {
                        let message = format!("the value `{name}` is {}", value.kind());
                        return Err(self.plan.source.at(self.program, message, "this program needs a matrix"));
                    }
                    None => return Err(missing()),
                };
                let no_inverse = || {
                    let message = format!("the matrix `{name}` has no inverse");
                    self.plan.source.at(self.program, message, "this program needs it")
                };
                matrix_row(&value, *form, *row).map(to_bits).ok_or_else(no_inverse)
            }
        }
    }

    /// The row of a name: of a constant or value of that name, or row n of a value `name` for `name[n]`.
    fn row(&self, name: &str) -> Result<Option<[f64; 4]>, SceneError> {
        if let Some(value) = self.value(name)? {
            return Ok(value.rows().first().copied());
        }
        let Some((base, index)) = name.strip_suffix(']').and_then(|name| name.rsplit_once('[')) else {
            return Ok(None);
        };
        let Ok(index) = index.parse::<usize>() else { return Ok(None) };
        // A matrix assigned to an earlier parameter fills the three that follow it.
        for back in 1..=index.min(3) {
            if let Some(value) = self.value(&format!("{base}[{}]", index - back))?
                && let Some(row) = value.rows().get(back)
            {
                return Ok(Some(*row));
            }
        }
        Ok(self.value(base)?.and_then(|value| value.rows().get(index).copied()))
    }

    fn value(&self, name: &str) -> Result<Option<Value>, SceneError> {
        let given = self.draw.constants.iter().find(|(known, _)| known == name).map(|(_, expression)| expression);
        let expression: Option<&Expression> = given.or_else(|| self.scope.definition(name));
        match expression {
            Some(expression) => {
                expression.evaluate(self.scope).map(Some).map_err(|error| self.plan.source.located(&error))
            }
            None => Ok(None),
        }
    }

    fn no_integers(&self, constant: &Constant) -> SceneError {
        let name = match constant {
            Constant::Parameter(names, _) => names.last().map_or("", String::as_str),
            Constant::Literal(_) | Constant::MatrixRow(..) => "",
        };
        let message = format!("the integer uniform `{name}` of program `{}` has other numbers", self.program);
        self.plan.source.at(&self.draw.name, message, "four whole numbers from 0 to 255 are expected")
    }

    fn missing(&self, name: &str) -> SceneError {
        let message = format!("program `{}` needs `{name}`", self.program);
        self.plan.source.at(&self.draw.name, message, format!("neither a constant nor a value is called `{name}` here"))
    }
}

/// Whether a component fits an integer uniform of the PICA200.
fn is_byte(value: f32) -> bool {
    (0.0..=255.0).contains(&value) && value.fract() == 0.0
}

#[expect(clippy::cast_possible_truncation, reason = "constants are singles")]
fn to_bits(row: [f64; 4]) -> [u32; 4] {
    row.map(|value| (value as f32).to_bits())
}
