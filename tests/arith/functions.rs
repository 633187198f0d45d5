//! Builds rows for the functions that opcodes name from the tables of functions.

use curie::arith::vertex::VertexRuleSet::{Nv40Legacy, Nv40Modern};
use curie::arith::vertex_functions::{
    self, ADDRESS_FUNCTIONS, AddressFunction, FUNCTIONS, VertexFunction, VertexShape,
};
use curie::shader::fragment_function::functions::TABLE;
use curie::shader::fragment_function::{Argument, FragmentFunction, KernelText, ResultForm, Variant};

use super::rows::{Row, Twin};

const LETTERS: [&str; 3] = ["a", "b", "c"];

/// One row per function and rule set on which it depends.
pub(crate) fn function_rows() -> Vec<Row> {
    let fragment = TABLE.iter().filter_map(|function| fragment_row(function));
    chip_rows(FUNCTIONS, ADDRESS_FUNCTIONS).into_iter().chain(pica_rows()).chain(fragment).collect()
}

/// The rows of the PICA200's functions.
pub(crate) fn pica_rows() -> Vec<Row> {
    chip_rows(vertex_functions::pica::FUNCTIONS, vertex_functions::pica::ADDRESS_FUNCTIONS)
}

/// The rows of one chip's vertex processor.
fn chip_rows(functions: &[&'static VertexFunction], address_functions: &[&'static AddressFunction]) -> Vec<Row> {
    let vertex = functions.iter().flat_map(|function| vertex_rows(function));
    let address = address_functions.iter().map(|function| {
        let expression = format!("vec4u({}(a))", function.name);
        Row { name: function.name.into(), expression: expression.into(), twin: Twin::Address(function) }
    });
    vertex.chain(address).collect()
}

fn vertex_rows(function: &'static VertexFunction) -> Vec<Row> {
    // A function of one component is tested on two of them.
    let components: &[usize] = if matches!(function.shape, VertexShape::ScalarToVector(_)) { &[0, 3] } else { &[0] };
    let rule_sets: &[_] = if function.takes_rules() { &[Nv40Legacy, Nv40Modern] } else { &[Nv40Modern] };
    let mut rows = Vec::new();
    for &rules in rule_sets {
        let suffix = if function.takes_rules() { format!(", {}", rules.wgsl_argument()) } else { String::new() };
        let call = |arguments: &str| format!("{}({arguments}{suffix})", function.name);
        for &component in components {
            let letters = LETTERS[..function.source_count()].join(", ");
            let expression = match function.shape {
                VertexShape::DotProduct { .. } => format!("vec4u({})", call(&letters)),
                VertexShape::Scalar(_) => format!("vec4u({})", ["a.x", "a.y", "a.z", "a.w"].map(call).join(", ")),
                VertexShape::ScalarToVector(_) => call(["a.x", "a.y", "a.z", "a.w"][component]),
                _ => call(&letters),
            };
            let name = format!("{} {rules:?}", function.name);
            rows.push(Row {
                name: name.into(),
                expression: expression.into(),
                twin: Twin::Vertex { function, rules, component },
            });
        }
    }
    rows
}

/// A row for a function that kernels call; the recompiler expands the others inline, and its tests compare them.
fn fragment_row(function: &'static FragmentFunction) -> Option<Row> {
    let KernelText::Call(kernel) = function.kernel.text else { return None };
    let is_ftz = function.kernel.variant == Variant::Ftz;
    let operand = |text: String| if is_ftz { format!("fp_flush({text})") } else { text };
    let mut arguments = Vec::new();
    for (letter, argument) in LETTERS.iter().zip(function.shape.arguments()) {
        match argument {
            Argument::Component => arguments.push(operand((*letter).to_owned())),
            Argument::First(count) => {
                let components = ["x", "y", "z", "w"].iter().take(usize::from(*count));
                arguments.extend(components.map(|component| operand(format!("quad_of({letter}).{component}"))));
            }
            Argument::Vector => arguments.push(format!("quad_of({letter})")),
        }
    }
    let call = format!("{}({})", kernel.exact.name, arguments.join(", "));
    let expression = if is_ftz { format!("fp_canonical({call})") } else { call };
    Some(Row { name: kernel.exact.name.into(), expression: expression.into(), twin: Twin::Fragment(function) })
}

/// Whether a fragment function returns a vector per pixel.
pub(crate) fn gives_vectors(function: &FragmentFunction) -> bool {
    function.shape.result() == ResultForm::Vector
}
