//! Explains why no encoding holds an instruction.

use super::super::diagnostic::{Diagnostic, Span};
use super::statement::Reading;
use crate::isa::tesla::{TeslaFit, TeslaPlace, describe_forms, fits};
use crate::shader::simt::{Address, Destination, Operand, ProgramKind, Register, Width};

/// The error that no encoding of some length in bytes, if one is asked for, holds an instruction.
pub(super) fn misfit(
    (name, span): &(&str, Span),
    reading: &Reading<'_>,
    bytes: Option<u32>,
    kind: ProgramKind,
) -> Diagnostic {
    let instruction = &reading.instruction;
    let mut fits = fits(instruction, kind);
    let lengths = fits.len();
    fits.retain(|fit| bytes.is_none_or(|bytes| fit.row.form.bytes() == bytes));
    let nearest = fits.first();
    let error = match nearest.and_then(|fit| fit.misfits.first().map(|place| (fit, *place))) {
        Some((fit, place)) => {
            let at = reading.places.iter().find(|(found, _)| *found == place).map_or(span, |(_, at)| at);
            let (message, label) = explain(name, fit, place, reading, kind);
            Diagnostic::new(at.clone(), message).label(label)
        }
        None if lengths > 0 && fits.is_empty() => {
            let words = if bytes == Some(4) { "one word" } else { "two words" };
            Diagnostic::new(span.clone(), format!("this `{name}` has no form of {words}")).label("another length")
        }
        None => Diagnostic::new(span.clone(), format!("no encoding of `{name}` holds these operands"))
            .label("no form of the instruction fits"),
    };
    describe_forms(instruction.operation, kind).into_iter().fold(error, Diagnostic::note)
}

/// The message and the label of what does not fit.
fn explain(
    name: &str,
    fit: &TeslaFit,
    place: TeslaPlace,
    reading: &Reading<'_>,
    kind: ProgramKind,
) -> (String, String) {
    let wanted = &reading.instruction;
    match place {
        TeslaPlace::Source(position) => {
            let other = fit.nearest.sources.get(position).map(|source| source.operand);
            match (wanted.sources[position].operand, other) {
                (Operand::Register(found), Some(Operand::Register(other))) if found.width() != other.width() => {
                    width(name, found, other)
                }
                (Operand::Immediate(found), Some(Operand::Immediate(_))) => match fit.largest(position) {
                    Some(most) => (format!("{found:#x} does not fit"), format!("must be at most {most:#x}")),
                    None => held(name),
                },
                (Operand::CodeAddress(found), Some(Operand::CodeAddress(_))) => {
                    let most = fit.largest(position).unwrap_or(0);
                    (format!("{found:#x} is not a target"), format!("must be a multiple of 4 up to {most:#x}"))
                }
                (Operand::Memory(memory), _) => match (memory.address, fit.largest_offset(wanted, position, kind)) {
                    (Address::Offset { offset, .. }, Some(most)) => {
                        let size = memory.access.bytes();
                        let label = format!("must be a multiple of {size} up to {most:#x}");
                        (format!("no form of `{name}` holds the offset {offset:#x}"), label)
                    }
                    _ => held(name),
                },
                _ => held(name),
            }
        }
        TeslaPlace::Destination => match (wanted.destination, fit.nearest.destination) {
            (Destination::Register(found), Destination::Register(other)) if found.width() != other.width() => {
                width(name, found, other)
            }
            _ => held(name),
        },
        TeslaPlace::Modifiers(_) => (format!("`{name}` cannot modify this source so"), "no bit for it".to_owned()),
        TeslaPlace::ConditionWrite => {
            (format!("`{name}` does not write a condition register here"), "no bits for it".to_owned())
        }
        TeslaPlace::Predicate => (format!("`{name}` has no predicate here"), "always executed".to_owned()),
        TeslaPlace::Flags => (format!("`{name}` cannot exit or join so"), "no bits for it".to_owned()),
    }
}

fn held(name: &str) -> (String, String) {
    (format!("no form of `{name}` holds this operand"), "not possible here".to_owned())
}

/// The message of a register of the wrong width.
fn width(name: &str, found: Register, other: Register) -> (String, String) {
    let called = |of: Register| match of.width() {
        Width::Half => "a half register such as `$r0l`",
        Width::Word => "a whole register such as `$r0`",
        Width::Double => "a pair of registers such as `$r0d`",
        Width::Quad => "four registers such as `$r0q`",
    };
    let label = format!("expected {}", called(other));
    (format!("`{name}` takes {} here, not {}", called(other), called(found)), label)
}
