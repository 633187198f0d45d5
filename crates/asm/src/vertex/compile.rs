//! Compiles the statements of a vertex program into microcode and the list of what a driver must bind.

use std::ops::Range;

use super::allocate::allocate;
use super::constant_store::{ConstantStore, place_constants};
use super::emit::emit;
use super::expand::{Expansion, expand};
use super::legalize::legalize;
use super::profile::{INSTRUCTIONS, Profile};
use super::state_program;
use super::statement::{Operation, Output, Placed, Register, Target, Text, UnitOperation};
use crate::assembly::{NamedOutput, TextureUse, VertexAssembly};
use crate::diagnostic::Diagnostic;
use crate::isa::NvVertexIsa;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::language::Language;
use crate::shader::condition::WriteMask;

/// Compiles a text; `source` is the text itself, for names.
///
/// # Errors
/// When the program does not fit the chip.
pub(super) fn compile(
    mut text: Text,
    profile: &Profile,
    language: Language,
    source: &str,
) -> Result<VertexAssembly, Vec<Diagnostic>> {
    let parameters = if language == Language::Vsp1_0 {
        state_program::rewrite(&mut text, u32::from(profile.temporaries)).map_err(|error| vec![error])?
    } else {
        Vec::new()
    };
    let named = named_outputs(&text, source)?;
    let Expansion { mut operations, mut temporaries, prologue } = expand(&text, profile)?;
    state_program::add_transfers(&mut operations, &parameters, u32::from(profile.temporaries), text.statements.len());
    fits(&operations, &text)?;
    let keeps_numbers = profile.parameters > 0;
    let store = place_constants(&mut operations, &text, keeps_numbers)?;
    let (operations, starts) = legalize(operations, &mut temporaries);
    fits(&operations, &text)?;
    let start_of = |index: usize| starts.get(index).copied().unwrap_or(operations.len());
    let prologue = start_of(prologue.start)..start_of(prologue.start) + prologue.len();
    let mut placed = place(operations, &text, &prologue);
    allocate(&mut placed.operations, &text, &placed.targets)?;
    let instructions = emit(&placed);
    let start = u16::try_from(placed.start).unwrap_or(0);
    let Bound { attributes, results } = bound(&placed.operations);
    let outputs = if language == Language::Vsp1_0 { state_program::names(&parameters) } else { named };
    let ConstantStore { slots, indexed, .. } = store;
    Ok(VertexAssembly {
        language,
        isa: NvVertexIsa::Nv40,
        instructions,
        start,
        rules: profile.rules,
        constants: slots,
        indexed_constants: indexed,
        attributes,
        results,
        textures: textures(&text),
        is_position_invariant: text.is_position_invariant,
        outputs,
    })
}

fn fits(operations: &[Operation], text: &Text) -> Result<(), Vec<Diagnostic>> {
    let Some(first) = operations.get(INSTRUCTIONS.most) else { return Ok(()) };
    let span = text.statements.get(first.statement).map_or(0..0, |statement| statement.span.clone());
    let what = "instructions, macros and moves written out,";
    Err(vec![Diagnostic::over_limit(span, what, operations.len(), INSTRUCTIONS.most, INSTRUCTIONS.name)])
}

/// Resolves branch targets and the start, and ends the program with an operation that is not a branch.
fn place(mut operations: Vec<Operation>, text: &Text, prologue: &Range<usize>) -> Placed {
    let place_of = |operations: &[Operation], statement: usize| {
        let found = operations
            .iter()
            .enumerate()
            .position(|(index, operation)| !prologue.contains(&index) && operation.statement >= statement);
        found.unwrap_or(operations.len())
    };
    let main = text.labels.get("main").map_or(0, |main| place_of(&operations, main));
    let start = if prologue.is_empty() { main } else { prologue.start };
    let targets: Vec<Option<usize>> =
        operations.iter().map(|operation| operation.branch.map(|statement| place_of(&operations, statement))).collect();
    let needs_end = operations.last().is_none_or(is_flow)
        || start >= operations.len()
        || targets.iter().flatten().any(|&target| target >= operations.len());
    let mut targets = targets;
    if needs_end {
        let nothing = UnitOperation::Vector(VectorOpcode::Nop);
        let statement = text.statements.len();
        operations.push(Operation::new(nothing, Target::Nothing, WriteMask(0), Vec::new(), statement));
        targets.push(None);
    }
    Placed { operations, targets, start }
}

const fn is_flow(operation: &Operation) -> bool {
    matches!(
        operation.unit,
        UnitOperation::Scalar(
            ScalarOpcode::Bra | ScalarOpcode::Cal | ScalarOpcode::Ret | ScalarOpcode::PushA | ScalarOpcode::PopA
        )
    )
}

/// What a program reads and writes.
pub(super) struct Bound {
    pub(super) attributes: u16,
    pub(super) results: u32,
}

pub(super) fn bound(operations: &[Operation]) -> Bound {
    let mut bound = Bound { attributes: 0, results: 0 };
    for operation in operations {
        for source in &operation.sources {
            match source.register {
                Register::Attribute(index, None) => bound.attributes |= 1 << index,
                Register::Attribute(_, Some(_)) => bound.attributes = u16::MAX,
                _ => {}
            }
        }
        if let Target::Output(output) = operation.target {
            bound.results |= output.enable;
        }
    }
    bound
}

fn textures(text: &Text) -> Vec<TextureUse> {
    let is_direct = text.textures.iter().all(|(image, _)| *image < 4);
    let units = text.textures.iter().zip(0u8..);
    units
        .map(|((image, target), place)| TextureUse {
            unit: if is_direct { *image } else { place },
            image: *image,
            target: Some(*target),
        })
        .collect()
}

/// The results that a text writes, named as the text names them.
pub(super) fn named_outputs(text: &Text, source: &str) -> Result<Vec<NamedOutput>, Vec<Diagnostic>> {
    let outputs = || {
        text.statements.iter().filter_map(|statement| match statement.target {
            Target::Output(output) => Some((output, &statement.span)),
            _ => None,
        })
    };
    let is_shared =
        |register: u8| outputs().any(|(output, _)| output.register == register && output.component.is_some());
    let mut named: Vec<(Output, NamedOutput)> = Vec::new();
    for (output, span) in outputs() {
        let clash = named.iter().find(|(known, _)| {
            let whole_coordinate = 1 << 13;
            known.register == output.register
                && known.enable != output.enable
                && (known.enable | output.enable) & whole_coordinate != 0
        });
        if let Some((_, known)) = clash {
            return Err(vec![
                Diagnostic::new(span.clone(), format!("the result shares its output register with {}", known.name))
                    .label("both cannot be written"),
            ]);
        }
        let spelled = source.get(output.name.0..output.name.1).unwrap_or_default();
        let spelled: String = spelled.chars().filter(|letter| !letter.is_whitespace()).collect();
        let component = output.component.or_else(|| is_shared(output.register).then_some(0));
        let mut add = |register: u8, name: String| {
            let is_known = named.iter().any(|(_, known)| known.register == register && known.component == component);
            if !is_known {
                named.push((Output { register, ..output }, NamedOutput { name, register, component }));
            }
        };
        if output.address.is_some() {
            (0..8).for_each(|number| add(7 + number, format!("{spelled}[{number}]")));
        } else {
            add(output.register, spelled);
        }
    }
    let mut named: Vec<NamedOutput> = named.into_iter().map(|(_, named)| named).collect();
    named.sort_by_key(|named| (named.register, named.component));
    Ok(named)
}
