//! Reads instructions: guard, opcode, modifiers, types and operands, checked against the table.

use super::ast::{Instruction, Modifiers, Operand, Variable};
use super::opcodes::{self, Classes, LATER, Modifier, Opcode, OpcodeRow, ProductPart, Shape, TABLE};
use super::operands::OperandReader;
use super::scope::Scopes;
use super::target::{needs, needs_doubles};
use super::token::{Cursor, Token};
use super::types::{Kind, StateSpace, TYPES, Type, U32};
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::tesla::TeslaGeneration;
use crate::plural::counted;
use crate::shader::simt::AtomicOperation;

/// What a call needs to know about a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) results: Vec<Type>,
    pub(super) arguments: Vec<Type>,
    pub(super) is_kernel: bool,
}

/// What instructions are checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) variables: &'a [Variable],
    pub(super) functions: &'a [Signature],
    pub(super) generation: TeslaGeneration,
    /// Whether double precision is demoted to single precision.
    pub(super) demotes_doubles: bool,
}

/// Reads an instruction up to and with its `;`.
pub(super) fn read_instruction<'text>(
    cursor: &mut Cursor<'text>,
    scopes: &mut Scopes<'text>,
    context: Context<'_>,
) -> Parsed<Instruction> {
    let start = cursor.span();
    let guard = if cursor.accept(Token::At) {
        let (modifiers, types) = (&Modifiers::default(), &[][..]);
        let variables = context.variables;
        Some(
            OperandReader { cursor: &mut *cursor, scopes: &mut *scopes, variables, modifiers, types }
                .predicate_use()?,
        )
    } else {
        None
    };
    let (name, name_span) = cursor.name("an instruction")?;
    let forms = forms(name, &name_span, context.generation)?;
    let (modifiers, types) = read_suffixes(cursor, name, &forms)?;
    let suffixes = cursor.span_from(&name_span);
    let row = choose(name, &forms, &modifiers, &types, &suffixes)?;
    check_target(row.opcode, &modifiers, &types, &suffixes, context)?;
    let operands = if row.opcode == Opcode::Call {
        vec![read_call(cursor, scopes, context)?]
    } else {
        read_operands(cursor, scopes, context, (row, &modifiers, &types), &suffixes)?
    };
    cursor.expect(Token::Semicolon)?;
    Ok(Instruction { span: cursor.span_from(&start), guard, opcode: row.opcode, modifiers, types, operands })
}

fn forms(name: &str, span: &Span, generation: TeslaGeneration) -> Parsed<Vec<&'static OpcodeRow>> {
    let forms: Vec<_> = TABLE.iter().filter(|row| row.name == name).collect();
    if !forms.is_empty() {
        return Ok(forms);
    }
    if let Some((_, target)) = LATER.iter().find(|(later, _)| *later == name) {
        let error = needs(span.clone(), &format!("`{name}`"), target, generation);
        return Err(error.label("not an instruction of the target"));
    }
    Err(Diagnostic::new(span.clone(), format!("unknown instruction `{}`", shortened(name)))
        .refuse(name)
        .label("no such instruction")
        .suggest(name, TABLE.iter().map(|row| row.name)))
}

/// Reads the modifiers and types after an opcode.
fn read_suffixes(cursor: &mut Cursor<'_>, name: &str, forms: &[&OpcodeRow]) -> Parsed<(Modifiers, Vec<Type>)> {
    let classes = forms.iter().fold(0, |all, row| all | row.required | row.optional);
    let (mut modifiers, mut types) = (Modifiers::default(), Vec::new());
    let mut seen: Classes = 0;
    while cursor.peek() == Some(Token::Dotted) {
        let (text, span) = (cursor.peek_text(), cursor.span());
        cursor.advance();
        if let Some(found) = Type::of(text) {
            types.push(found);
            continue;
        }
        let Some(modifier) = opcodes::modifier(text, classes & !seen) else {
            let is_repeated = opcodes::modifier(text, classes).is_some();
            let problem = if is_repeated { "stands twice" } else { "is not possible" };
            let known = opcodes::modifier_names(classes).chain(TYPES.iter().map(|(known, _)| *known));
            return Err(Diagnostic::new(span, format!("`{}` {problem} after `{name}`", shortened(text)))
                .label("not a modifier of this instruction")
                .suggest(text, known));
        };
        seen |= modifier.class();
        modifiers.0.push(modifier);
        if matches!(modifier, Modifier::Space(StateSpace::Constant)) && cursor.accept(Token::OpenBracket) {
            // Banks of constants share one space here.
            cursor.integer_up_to("a bank", 10)?;
            cursor.expect(Token::CloseBracket)?;
        }
    }
    Ok((modifiers, types))
}

/// The form that has the modifiers and types.
fn choose(
    name: &str,
    forms: &[&'static OpcodeRow],
    modifiers: &Modifiers,
    types: &[Type],
    span: &Span,
) -> Parsed<&'static OpcodeRow> {
    let classes = modifiers.0.iter().fold(0, |all, modifier| all | modifier.class());
    if let Some(row) = forms.iter().find(|row| row.fits(classes, types)) {
        return Ok(row);
    }
    let typed: Vec<_> = forms.iter().filter(|row| row.has_types(types)).collect();
    let names: Vec<_> = types.iter().map(|found| found.name()).collect();
    let Some(row) = typed.first() else {
        let message = match (types.len(), forms[0].types.len()) {
            (found, wanted) if found != wanted => format!("`{name}` has {wanted} types, not {found}"),
            _ => format!("`{name}` is not possible with {}", names.join(" and ")),
        };
        return Err(Diagnostic::new(span.clone(), message).label("no such form of the instruction"));
    };
    let missing = row.required & !classes;
    let error = Diagnostic::new(span.clone(), format!("`{name}{}` has no form with these modifiers", names.concat()));
    if missing == 0 {
        return Err(error.label("no such form of the instruction"));
    }
    let wanted: Vec<_> = opcodes::modifier_names(missing & missing.wrapping_neg()).collect();
    Err(error
        .label(if wanted.is_empty() {
            "a state space is missing".to_owned()
        } else {
            "a modifier is missing".to_owned()
        })
        .note(format!(
            "one of: {}",
            if wanted.is_empty() { ".global .shared .local .const .param".to_owned() } else { wanted.join(" ") }
        )))
}

/// Checks what the table does not say: what the target has, and which modifiers fit the types.
fn check_target(
    opcode: Opcode,
    modifiers: &Modifiers,
    types: &[Type],
    span: &Span,
    context: Context<'_>,
) -> Parsed<()> {
    let needs = |what: &str, wanted: &str| Err(needs(span.clone(), what, wanted, context.generation));
    if types.iter().any(|found| found.is_double()) && !context.demotes_doubles {
        return match context.generation {
            TeslaGeneration::Sm13 => Err(needs_doubles(span.clone(), context.generation)),
            _ => needs("double precision", "sm_13 or map_f64_to_f32"),
        };
    }
    let is_single = types.first().is_some_and(|first| first.is_float() && first.bits == 32);
    match opcode {
        Opcode::Atomic | Opcode::Reduce => {
            if modifiers.space() == Some(StateSpace::Shared) {
                return needs("atomic access to shared memory", "sm_12");
            }
            if modifiers.space() != Some(StateSpace::Global) {
                return Err(Diagnostic::new(span.clone(), "atomic access is possible in .global only"));
            }
            if context.generation < TeslaGeneration::Sm11 {
                return needs("atomic access", "sm_11");
            }
        }
        Opcode::Breakpoint if context.generation < TeslaGeneration::Sm11 => return needs("`brkpt`", "sm_11"),
        Opcode::Add | Opcode::Subtract | Opcode::Multiply if is_single => {
            use crate::shader::simt::Rounding::{Down, Up};
            if matches!(modifiers.rounding(), Some(Down | Up)) {
                return needs("this rounding", "sm_20");
            }
        }
        Opcode::Multiply | Opcode::MultiplyAdd
            if modifiers.product() == Some(ProductPart::Wide) && types.iter().any(|of| of.bits == 64) =>
        {
            let message = "`.wide` is not possible with 64 bits";
            return Err(Diagnostic::new(span.clone(), message).label("no such form of the instruction"));
        }
        Opcode::Reciprocal | Opcode::SquareRoot if is_single && modifiers.rounding().is_some() => {
            return needs("correct rounding", "sm_20");
        }
        Opcode::Texture if modifiers.vector() != 4 => {
            return Err(Diagnostic::new(span.clone(), "`tex` needs .v4: texels have four components"));
        }
        Opcode::Load | Opcode::Store if modifiers.space() == Some(StateSpace::Texture) => {
            return Err(Diagnostic::new(span.clone(), "textures are read by `tex` only"));
        }
        Opcode::Store if modifiers.space() == Some(StateSpace::Parameter) => {
            return needs("writing parameters", "sm_20");
        }
        Opcode::Store if modifiers.space() == Some(StateSpace::Constant) => {
            return Err(Diagnostic::new(span.clone(), "constant memory cannot be written"));
        }
        _ => {}
    }
    check_update(opcode, modifiers, types, span)?;
    check_comparison(modifiers, types, span)
}

/// Checks that an update of memory has the type.
fn check_update(opcode: Opcode, modifiers: &Modifiers, types: &[Type], span: &Span) -> Parsed<()> {
    let (Some(update), Some(of)) = (modifiers.update(), types.first()) else { return Ok(()) };
    let is_possible = match update {
        AtomicOperation::Add | AtomicOperation::Min | AtomicOperation::Max => of.kind != Kind::Bits,
        AtomicOperation::Increment | AtomicOperation::Decrement => of.kind == Kind::Unsigned,
        AtomicOperation::Exchange | AtomicOperation::CompareAndSwap => opcode == Opcode::Atomic,
        AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor => true,
    };
    if is_possible {
        return Ok(());
    }
    let message = format!("this update is not possible with {}", of.name());
    Err(Diagnostic::new(span.clone(), message).label("no such form of the instruction"))
}

/// Checks that a comparison has the type.
fn check_comparison(modifiers: &Modifiers, types: &[Type], span: &Span) -> Parsed<()> {
    let Some(relations) = modifiers.relations() else { return Ok(()) };
    let unsigned_only = |modifier: &Modifier| matches!(modifier, Modifier::Comparison(found) if found.is_unsigned_only);
    let is_unsigned_only = modifiers.0.iter().any(unsigned_only);
    let compared = types.last().copied().unwrap_or(U32);
    let is_equality = relations.less == relations.greater && !relations.unordered;
    let is_float_only = relations.unordered || relations.less && relations.equal && relations.greater;
    let is_possible = match compared.kind {
        Kind::Float => !is_unsigned_only,
        Kind::Signed => !is_float_only && !is_unsigned_only,
        Kind::Unsigned => !is_float_only,
        Kind::Bits | Kind::Predicate => is_equality && !is_float_only,
    };
    if is_possible {
        return Ok(());
    }
    let message = format!("this comparison is not possible with {}", compared.name());
    Err(Diagnostic::new(span.clone(), message).label("no such form of the instruction"))
}

fn read_operands<'text>(
    cursor: &mut Cursor<'text>,
    scopes: &mut Scopes<'text>,
    context: Context<'_>,
    (row, modifiers, types): (&OpcodeRow, &Modifiers, &[Type]),
    span: &Span,
) -> Parsed<Vec<Operand>> {
    let is_present = |(position, shape): &(usize, &Shape)| match shape {
        Shape::CombinedPredicate => modifiers.combination().is_some(),
        // Only compare-and-swap has a third source.
        Shape::Source if row.opcode == Opcode::Atomic && *position == 3 => {
            modifiers.update() == Some(AtomicOperation::CompareAndSwap)
        }
        _ => true,
    };
    let shapes: Vec<Shape> = row.operands.iter().enumerate().filter(is_present).map(|(_, shape)| *shape).collect();
    let mut operands = Vec::with_capacity(shapes.len());
    let count_error = |cursor: &Cursor<'_>, found: &str| {
        let wanted = shapes.len();
        let wanted = counted(wanted, "operand");
        let message = format!("`{}` has {wanted}, and {found}", row.name);
        Diagnostic::new(cursor.span_from(span), message).label(format!("{wanted} expected"))
    };
    for (position, shape) in shapes.iter().enumerate() {
        if position > 0 && !cursor.accept(Token::Comma) {
            if cursor.peek() == Some(Token::Semicolon) {
                return Err(count_error(cursor, "some are missing"));
            }
            return Err(cursor.unexpected("`,`"));
        }
        let (cursor, scopes, variables) = (&mut *cursor, &mut *scopes, context.variables);
        operands.push(OperandReader { cursor, scopes, variables, modifiers, types }.read(*shape)?);
    }
    if !shapes.is_empty() && cursor.peek() == Some(Token::Comma) {
        return Err(count_error(cursor, "more are given"));
    }
    Ok(operands)
}

/// Reads `(results), function, (arguments)`.
fn read_call<'text>(cursor: &mut Cursor<'text>, scopes: &mut Scopes<'text>, context: Context<'_>) -> Parsed<Operand> {
    let modifiers = Modifiers::default();
    let mut results = Vec::new();
    let start = cursor.span();
    // Results stand before the function, so their types are checked afterwards.
    if cursor.accept(Token::OpenParenthesis) {
        while cursor.peek() == Some(Token::Name) {
            let (name, span) = cursor.name("a register")?;
            match scopes.find(name, &span)? {
                super::scope::Named::Register(register) => results.push(register),
                _ => return Err(Diagnostic::new(span, "not a register")),
            }
            if !cursor.accept(Token::Comma) {
                break;
            }
        }
        cursor.expect(Token::CloseParenthesis)?;
        cursor.expect(Token::Comma)?;
    }
    let (name, span) = cursor.name("a function")?;
    let Some(&function) = scopes.functions.get(name) else {
        let known: Vec<_> = scopes.functions.keys().copied().collect();
        return Err(Diagnostic::new(span, format!("the function `{}` is not declared", shortened(name)))
            .refuse(name)
            .label("functions are declared before they are called")
            .suggest(name, known));
    };
    let signature = &context.functions[function];
    if signature.is_kernel {
        return Err(Diagnostic::new(span, format!("`{}` is a kernel and cannot be called", shortened(name))));
    }
    let mut arguments = Vec::new();
    if cursor.accept(Token::Comma) {
        cursor.expect(Token::OpenParenthesis)?;
        for (position, wanted) in signature.arguments.iter().enumerate() {
            if position > 0 {
                cursor.expect(Token::Comma)?;
            }
            let (cursor, scopes, variables) = (&mut *cursor, &mut *scopes, context.variables);
            let types = &[*wanted];
            let shape = if wanted.is_predicate() { Shape::Predicate } else { Shape::Source };
            let mut reader = OperandReader { cursor, scopes, variables, modifiers: &modifiers, types };
            arguments.push(reader.read(shape)?);
        }
        cursor.expect(Token::CloseParenthesis)?;
    }
    let found: Vec<_> = results.iter().map(|register| scopes.registers[*register]).collect();
    let fits = found.len() == signature.results.len()
        && signature.results.iter().zip(&found).all(|(wanted, found)| wanted.accepts(*found));
    if !fits || arguments.len() != signature.arguments.len() {
        let message = format!("`{}` has other results or arguments", shortened(name));
        return Err(Diagnostic::new(cursor.span_from(&start), message));
    }
    Ok(Operand::Call { function, results, arguments })
}
