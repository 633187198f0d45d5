//! Rewrites vertex state programs (`!!VSP1.0`), which write parameters, to use temporaries instead.
//!
//! The NV40 processor cannot write its constants. The program loads each written parameter into a temporary before the first
//! statement, and writes it to a result named `c[n]` after the last one.

use super::statement::{Operation, Output, ParameterUse, Register, Source, Target, Text, UnitOperation};
use crate::assembly::NamedOutput;
use crate::constants::ConstantSource;
use crate::diagnostic::Diagnostic;
use crate::isa::nv40_vertex::VectorOpcode;
use crate::shader::condition::WriteMask;

/// Output registers.
const OUTPUTS: usize = 16;

/// Replaces written parameters by temporaries, which are numbered from `first`, and returns the written parameters in
/// order.
///
/// # Errors
/// When there are more than output registers, or an address could reach one of them.
pub(super) fn rewrite(text: &mut Text, first: u32) -> Result<Vec<u32>, Diagnostic> {
    let mut written: Vec<u32> = Vec::new();
    for statement in &text.statements {
        let Target::Temporary(number) = statement.target else { continue };
        let Some(parameter) = number.checked_sub(first) else { continue };
        if !written.contains(&parameter) {
            written.push(parameter);
        }
        if written.len() > OUTPUTS {
            let (span, count) = (statement.span.clone(), written.len());
            return Err(Diagnostic::over_limit(span, "written parameters", count, OUTPUTS, "output registers"));
        }
    }
    written.sort_unstable();
    for statement in &mut text.statements {
        for source in &mut statement.sources {
            match source.register {
                Register::Parameter(ParameterUse::Single(ConstantSource::Register(index)))
                    if written.contains(&index) =>
                {
                    source.register = Register::Temporary(first + index);
                }
                Register::Parameter(ParameterUse::Element { .. }) if !written.is_empty() => {
                    return Err(Diagnostic::new(
                        statement.span.clone(),
                        "a relative read in a state program that writes parameters",
                    )
                    .label("could read a parameter that the program writes")
                    .note("the vertex processor of NV40 cannot write its constants"));
                }
                _ => {}
            }
        }
    }
    Ok(written)
}

/// Adds the loads of the written parameters before all operations, and the writes of their results after them.
pub(super) fn add_transfers(operations: &mut Vec<Operation>, written: &[u32], first: u32, statements: usize) {
    let copy = |target, register, statement| {
        let unit = UnitOperation::Vector(VectorOpcode::Mov);
        Operation::new(unit, target, WriteMask::ALL, vec![Source::new(register)], statement)
    };
    let loads = written.iter().map(|&parameter| {
        let source = Register::Parameter(ParameterUse::Single(ConstantSource::Register(parameter)));
        copy(Target::Temporary(first + parameter), source, 0)
    });
    operations.splice(0..0, loads);
    for (register, &parameter) in (0..).zip(written) {
        let output = Output { register, component: None, enable: 0, address: None, name: (0, 0) };
        operations.push(copy(Target::Output(output), Register::Temporary(first + parameter), statements));
    }
}

/// The results of the program.
pub(super) fn names(written: &[u32]) -> Vec<NamedOutput> {
    let results = (0..).zip(written);
    results
        .map(|(register, parameter)| NamedOutput { name: format!("c[{parameter}]"), register, component: None })
        .collect()
}
