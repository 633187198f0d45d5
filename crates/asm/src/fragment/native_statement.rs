//! Parses one statement of `!!NV40fp1.0` that is not flow into an operation and its inline constant.

use crate::arith::{Precision, Scale, SourcePrecision};
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::Diagnostic;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::isa::nv40_fragment::modifiers::{PRECISIONS, SCALES, SOURCE_PRECISIONS};
use crate::operand::{ComponentLetters, condition_rule, condition_test, selection, vector_literal, write_mask};
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::fragment::FULL_REGISTERS;
use crate::shader::fragment::{
    FragmentInput, FragmentOperation, FragmentOperationKind, FragmentRegister, FragmentSource, FragmentSourceKind,
};
use crate::token::Token;

pub(super) const LETTERS: ComponentLetters = ComponentLetters::Position;

/// Condition registers of the chip.
pub(super) const CONDITION_REGISTERS: u8 = 2;

/// An instruction that does nothing and reads nothing.
const fn nothing(kind: FragmentOperationKind) -> FragmentOperation {
    FragmentOperation {
        kind,
        word_offset: 0,
        destination: None,
        mask: WriteMask(0),
        condition_update: None,
        condition: ConditionTest::ALWAYS,
        precision: Precision::Fp32,
        scale: Scale::One,
        saturate: false,
        expand_texel: false,
        texture_unit: 0,
        input: FragmentInput::WindowPosition,
        is_input_indexed: false,
        input_displacement: 0,
        divides_by_w: false,
        sources: [FragmentSource::UNREAD; 3],
    }
}

/// Reads a statement up to its semicolon or WITH.
pub(super) fn operation(cursor: &mut Cursor<'_>) -> Parsed<(FragmentOperation, Option<[u32; 4]>)> {
    let (word, span) = cursor.name("an instruction")?;
    let read = FragmentOpcode::ALL.iter().filter_map(|opcode| {
        let operation = suffixes(opcode.operation()?, word.strip_prefix(opcode.mnemonic())?)?;
        Some((opcode.mnemonic().len(), operation))
    });
    let Some((_, mut operation)) = read.max_by_key(|(length, _)| *length) else {
        let mnemonics = FragmentOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
        return Err(Diagnostic::new(span, format!("unknown opcode `{}`", shortened(word)))
            .refuse(word)
            .label("not an opcode of the fragment processor")
            .suggest(word, mnemonics));
    };
    match operation.kind {
        FragmentOperationKind::Nothing | FragmentOperationKind::Fence(_) => return Ok((operation, None)),
        FragmentOperationKind::Kill => {
            operation.condition = condition_rule(cursor, CONDITION_REGISTERS, LETTERS)?;
            return Ok((operation, None));
        }
        FragmentOperationKind::Compute(_)
        | FragmentOperationKind::Move
        | FragmentOperationKind::Derivative(_)
        | FragmentOperationKind::Sample(_) => {}
    }
    operation.destination = destination(cursor)?;
    operation.mask = write_mask(cursor, LETTERS)?;
    operation.condition = condition_test(cursor, CONDITION_REGISTERS, LETTERS)?.unwrap_or(ConditionTest::ALWAYS);
    let mut constant = None;
    let mut has_input = false;
    for index in 0..operation.kind.source_count() {
        cursor.expect(Token::Comma)?;
        operation.sources[index] = source(cursor, &mut operation, &mut constant, &mut has_input)?;
    }
    if operation.kind.samples() {
        cursor.expect(Token::Comma)?;
        let (name, span) = cursor.name("a texture unit")?;
        let unit = name.strip_prefix("TEX").and_then(|digits| digits.parse().ok()).filter(|&unit| unit < 16);
        operation.texture_unit = unit.ok_or_else(|| {
            Diagnostic::new(span, format!("`{}` is not a texture unit", shortened(name))).label("one of TEX0..TEX15")
        })?;
    }
    Ok((operation, constant))
}

/// An operation with the suffixes after its mnemonic.
fn suffixes(kind: FragmentOperationKind, mut rest: &str) -> Option<FragmentOperation> {
    let mut operation = nothing(kind);
    let mut accept = |suffix: &str| match rest.strip_prefix(suffix) {
        Some(behind) => {
            rest = behind;
            true
        }
        None => false,
    };
    let precision = PRECISIONS.into_iter().find(|(_, suffix)| accept(suffix));
    operation.precision = precision.map_or(Precision::Fp32, |(precision, _)| precision);
    if accept("C1") {
        operation.condition_update = Some(1);
    } else if accept("C") {
        operation.condition_update = Some(0);
    }
    operation.expand_texel = accept("_bx2");
    let scale = SCALES.into_iter().find(|(_, spelling)| !spelling.is_empty() && accept(spelling));
    operation.scale = scale.map_or(Scale::One, |(scale, _)| scale);
    operation.saturate = accept("_SAT");
    rest.is_empty().then_some(operation)
}

fn destination(cursor: &mut Cursor<'_>) -> Parsed<Option<FragmentRegister>> {
    if cursor.accept_word("RC") {
        return Ok(None);
    }
    register(cursor).map(Some)
}

/// Reads `R12` or `H12`.
fn register(cursor: &mut Cursor<'_>) -> Parsed<FragmentRegister> {
    let (name, span) = cursor.name("a register")?;
    let read = |prefix: char, limit: u8, is_half: bool| {
        let index = name.strip_prefix(prefix)?.parse().ok().filter(|&index| index < limit)?;
        Some(FragmentRegister { index, is_half })
    };
    read('R', FULL_REGISTERS, false).or_else(|| read('H', 64, true)).ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` is not a register", shortened(name)))
            .label(format!("one of R0..R{}, H0..H63", FULL_REGISTERS - 1))
    })
}

fn source(
    cursor: &mut Cursor<'_>,
    operation: &mut FragmentOperation,
    constant: &mut Option<[u32; 4]>,
    has_input: &mut bool,
) -> Parsed<FragmentSource> {
    let negate = cursor.sign();
    // The magnitude has one bit, so bars around a clamp and inside it mean the same.
    let is_outer_bar = cursor.accept(Token::Bar);
    let precision = SOURCE_PRECISIONS
        .into_iter()
        .find(|(_, spelling)| cursor.peek_at(1) == Some(Token::OpenParenthesis) && cursor.accept_word(spelling))
        .map(|(precision, _)| precision);
    if precision.is_some() {
        cursor.expect(Token::OpenParenthesis)?;
    }
    let is_inner_bar = !is_outer_bar && cursor.accept(Token::Bar);
    let kind = match cursor.peek_text() {
        "{" => {
            let span = cursor.span();
            let value = vector_literal(cursor)?;
            if *constant.get_or_insert(value) != value {
                return Err(Diagnostic::new(cursor.span_from(&span), "two constants in one instruction")
                    .label("an instruction has one constant"));
            }
            FragmentSourceKind::Constant(0)
        }
        "f" if cursor.peek_at(1) == Some(Token::OpenBracket) => {
            input(cursor, operation, has_input)?;
            FragmentSourceKind::Input
        }
        _ => FragmentSourceKind::Register(register(cursor)?),
    };
    let swizzle = selection(cursor, LETTERS)?.swizzle;
    if is_inner_bar {
        cursor.expect(Token::Bar)?;
    }
    if precision.is_some() {
        cursor.expect(Token::CloseParenthesis)?;
    }
    if is_outer_bar {
        cursor.expect(Token::Bar)?;
    }
    let absolute = is_outer_bar || is_inner_bar;
    Ok(FragmentSource { kind, swizzle, precision: precision.unwrap_or(SourcePrecision::Full), absolute, negate })
}

/// Reads `f[TEX0]`, `f[TEX[A0.x+1]]`, `f[WPOS]/w`.
fn input(cursor: &mut Cursor<'_>, operation: &mut FragmentOperation, has_input: &mut bool) -> Parsed<()> {
    let start = cursor.span();
    cursor.advance();
    cursor.expect(Token::OpenBracket)?;
    let (name, span) = cursor.name("an attribute of the fragment")?;
    let (mut read, mut displacement) = (FragmentInput::WindowPosition, None);
    if name == "TEX" && cursor.accept(Token::OpenBracket) {
        displacement = Some(displacement_of(cursor)?);
        cursor.expect(Token::CloseBracket)?;
    } else {
        let spelled = format!("f[{name}]");
        read = FragmentInput::all().find(|input| input.to_string() == spelled).ok_or_else(|| {
            Diagnostic::new(span, format!("there is no `f[{}]`", shortened(name)))
                .suggest(name, ["WPOS", "COL0", "COL1", "FOGC", "FACE", "TEX0"])
        })?;
    }
    cursor.expect(Token::CloseBracket)?;
    let divides_by_w = cursor.accept(Token::Slash);
    if divides_by_w && !cursor.accept_word("w") {
        return Err(cursor.unexpected("`w`"));
    }
    let known = (operation.input, operation.is_input_indexed, operation.input_displacement, operation.divides_by_w);
    let found = (read, displacement.is_some(), displacement.unwrap_or(0), divides_by_w);
    if std::mem::replace(has_input, true) && known != found {
        return Err(Diagnostic::new(cursor.span_from(&start), "two attributes in one instruction")
            .label("an instruction has one attribute"));
    }
    (operation.input, operation.is_input_indexed, operation.input_displacement, operation.divides_by_w) = found;
    Ok(())
}

/// Reads `A0.x+3`.
fn displacement_of(cursor: &mut Cursor<'_>) -> Parsed<i16> {
    if !cursor.accept_word("A0") || !cursor.accept_member("x") {
        return Err(cursor.unexpected("`A0.x`"));
    }
    let is_negative = cursor.accept(Token::Minus);
    if !is_negative && !cursor.accept(Token::Plus) {
        return Ok(0);
    }
    // The field is signed and has eleven bits.
    let magnitude = cursor.integer("a displacement", if is_negative { 1025 } else { 1024 })?;
    let magnitude = i16::try_from(magnitude).unwrap_or(0);
    Ok(if is_negative { -magnitude } else { magnitude })
}
