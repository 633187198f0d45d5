//! Computes the constants of a draw's programs from the scene's expressions.

use super::error::SceneError;
use super::expression::{Expression, Matrix, Scope, Value, inverted, transposed};
use super::loaded_program::Constant;
use super::plan::{Plan, Values};
use super::text::Text;
use crate::asm::state::{Matrix as StateMatrix, MatrixForm};

/// Finds the values of a program's constants in a draw.
pub(super) struct Finder<'a> {
    pub(super) plan: &'a Plan,
    /// The name of the draw, where errors are shown.
    pub(super) name: &'a Text,
    /// The constants of the draw, then those of its programs.
    pub(super) constants: &'a Values,
    pub(super) scope: &'a Scope<'a>,
    /// The name of the program.
    pub(super) program: &'a Text,
}

impl Finder<'_> {
    /// The value of a constant.
    pub(super) fn bits(&self, constant: &Constant) -> Result<[u32; 4], SceneError> {
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
        let given = self.constants.iter().find(|(known, _)| known == name).map(|(_, expression)| expression);
        let expression: Option<&Expression> = given.or_else(|| self.scope.definition(name));
        match expression {
            Some(expression) => {
                expression.evaluate(self.scope).map(Some).map_err(|error| self.plan.source.located(&error))
            }
            None => Ok(None),
        }
    }

    fn missing(&self, name: &str) -> SceneError {
        let message = format!("program `{}` needs `{name}`", self.program);
        self.plan.source.at(self.name, message, format!("neither a constant nor a value is called `{name}` here"))
    }
}

/// The name of the scene value that provides a matrix of the fixed pipeline.
fn matrix_name(matrix: StateMatrix) -> String {
    match matrix {
        StateMatrix::ModelView(0) => "modelview".to_owned(),
        StateMatrix::ModelView(number) => format!("modelview{number}"),
        StateMatrix::Projection => "projection".to_owned(),
        StateMatrix::ModelViewProjection => "mvp".to_owned(),
        StateMatrix::Texture(number) => format!("texture{number}"),
        StateMatrix::Palette(number) => format!("palette{number}"),
        StateMatrix::Program(number) => format!("program{number}"),
    }
}

/// A row of a matrix in one of its forms; `None` if the matrix has no inverse.
fn matrix_row(matrix: &Matrix, form: MatrixForm, row: usize) -> Option<[f64; 4]> {
    let matrix = match form {
        MatrixForm::Plain => *matrix,
        MatrixForm::Transpose => transposed(matrix),
        MatrixForm::Inverse => inverted(matrix)?,
        MatrixForm::InverseTranspose => transposed(&inverted(matrix)?),
    };
    matrix.get(row).copied()
}

#[expect(clippy::cast_possible_truncation, reason = "constants are singles")]
fn to_bits(row: [f64; 4]) -> [u32; 4] {
    row.map(|value| (value as f32).to_bits())
}
