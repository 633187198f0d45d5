//! Parses the statements of `!!FP1.0` and `!!ARBfp1.0` into instructions of the chip over virtual registers.

use super::code::{FragmentCode, Node, Source, SourceKind};
use super::expand::{Expander, Target};
use super::flow::Flow;
use super::names::Names;
use super::opcodes::{Dialects, FLOW, Mnemonic, Operation, mnemonic};
use crate::arith::Precision;
use crate::assembly::TextureTarget;
use crate::constants::ConstantSource;
use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::labels::accept_label;
use crate::operand::{
    ModifierRules, Selector, SwizzleElement, condition_rule, condition_test, modified, selector, write_mask,
};
use crate::shader::condition::{ConditionTest, Relation, WriteMask};
use crate::statements::ReadStatement;
use crate::token::Token;

/// Instructions of `!!FP1.0`.
const FP_INSTRUCTIONS: usize = 1024;

/// Reads the statements of a text and collects their instructions.
#[derive(Debug)]
pub(super) struct Grammar {
    pub(super) names: Names,
    pub(super) code: FragmentCode,
    pub(super) flow: Flow,
    /// Instructions of the text.
    pub(super) instructions: usize,
}

impl Grammar {
    pub(super) fn new(names: Names) -> Self {
        Self { names, code: FragmentCode::default(), flow: Flow::default(), instructions: 0 }
    }

    fn flow_statement(&mut self, cursor: &mut Cursor<'_>, word: &str, span: Span) -> Parsed<()> {
        match word {
            "IF" => {
                let condition = self.rule(cursor)?;
                self.flow.open_if(condition, span)
            }
            "ELSE" => self.flow.otherwise(span),
            "ENDIF" => self.flow.end_if(span),
            "LOOP" | "REP" => {
                let has_index = word == "LOOP";
                let start = cursor.span();
                let parameters = self.names.parameter(cursor, &mut self.code)?;
                check_loop(&parameters, has_index, cursor.span_from(&start))?;
                self.names.index_depth += usize::from(has_index);
                self.flow.open_loop(parameters, has_index, span)
            }
            "ENDLOOP" => {
                self.flow.end_loop(true, span)?;
                self.names.index_depth = self.names.index_depth.saturating_sub(1);
                Ok(())
            }
            "ENDREP" => self.flow.end_loop(false, span),
            "BRK" => {
                let condition = self.test(cursor)?;
                self.flow.break_loop(condition, span)
            }
            "CAL" => {
                let (name, name_span) = cursor.name("a label")?;
                let condition = self.test(cursor)?;
                self.flow.call(name, condition, name_span);
                Ok(())
            }
            _ => {
                let condition = self.test(cursor)?;
                self.flow.block().push(Node::Return { condition });
                Ok(())
            }
        }
    }

    /// `GT.x` with or without parentheses.
    fn rule(&self, cursor: &mut Cursor<'_>) -> Parsed<ConditionTest> {
        match condition_test(cursor, 1, self.names.letters())? {
            Some(test) => Ok(test),
            None => condition_rule(cursor, 1, self.names.letters()),
        }
    }

    fn test(&self, cursor: &mut Cursor<'_>) -> Parsed<ConditionTest> {
        Ok(condition_test(cursor, 1, self.names.letters())?.unwrap_or(ConditionTest::ALWAYS))
    }

    fn instruction(&mut self, cursor: &mut Cursor<'_>, mnemonic: Mnemonic, start: Span) -> Parsed<()> {
        let operation = mnemonic.row.operation;
        if operation == Operation::KillNegative {
            return self.kill(cursor, start);
        }
        let destination_start = cursor.span();
        let destination = self.names.destination(cursor, &mut self.code)?;
        let mask = write_mask(cursor, self.names.letters())?;
        let condition = if self.names.has_tests() { self.test(cursor)? } else { ConditionTest::ALWAYS };
        let destination_span = cursor.span_from(&destination_start);
        let default = if destination.is_half { Precision::Fp16 } else { Precision::Fp32 };
        let mut target = Target {
            updates_condition: mnemonic.updates_condition,
            condition,
            precision: mnemonic.precision.unwrap_or(default),
            clamp: mnemonic.clamp,
            ..Target::new(destination.register, mask, start.clone())
        };
        if operation == Operation::ExtendedSwizzle {
            return self.extended_swizzle(cursor, &target);
        }
        let sources = self.operands(cursor, mnemonic.row.operands, operation)?;
        if let Operation::Chip(opcode) = operation {
            if opcode.is_texture() {
                cursor.expect(Token::Comma)?;
                let texture = self.names.texture(cursor)?;
                (target.texture_unit, target.coordinates) = (texture.0, coordinates(texture.1));
            }
            check_sizes(opcode, destination.is_half, &sources, &self.code, &destination_span)?;
            if opcode == FragmentOpcode::Rfl && self.names.dialects.has(Dialects::FP) && mask.has(3) {
                return Err(Diagnostic::new(destination_span, "RFL has no w").label("write .xyz or less"));
            }
        }
        target.span = cursor.span_from(&start);
        self.check_unique(&sources, &target.span)?;
        let reads = if is_set(operation) { &[] } else { sources.as_slice() };
        self.expander().operation(operation, &target, reads);
        Ok(())
    }

    /// Reads source operands, each after a comma. SFL and STR may omit theirs.
    fn operands(&mut self, cursor: &mut Cursor<'_>, letters: &str, operation: Operation) -> Parsed<Vec<Source>> {
        let mut sources = Vec::new();
        if is_set(operation) && cursor.peek() == Some(Token::Semicolon) {
            return Ok(sources);
        }
        for letter in letters.bytes() {
            cursor.expect(Token::Comma)?;
            sources.push(self.names.source(cursor, &mut self.code, letter == b's')?);
        }
        Ok(sources)
    }

    fn kill(&mut self, cursor: &mut Cursor<'_>, start: Span) -> Parsed<()> {
        let mut target = Target::new(None, WriteMask::ALL, start.clone());
        let word = cursor.peek_text();
        let is_condition = cursor.peek() == Some(Token::OpenParenthesis)
            || (Relation::ALL.iter().any(|relation| relation.mnemonic() == word) && !self.names.is_declared(word));
        if self.names.has_tests() && (is_condition || self.names.dialects.has(Dialects::FP)) {
            target.condition = self.rule(cursor)?;
            target.span = cursor.span_from(&start);
            self.expander().operation(Operation::KillTested, &target, &[]);
            return Ok(());
        }
        let source = self.names.source(cursor, &mut self.code, false)?;
        target.span = cursor.span_from(&start);
        self.expander().operation(Operation::KillNegative, &target, &[source]);
        Ok(())
    }

    /// The rest of `SWZ d, s, e, e, e, e`.
    fn extended_swizzle(&mut self, cursor: &mut Cursor<'_>, target: &Target) -> Parsed<()> {
        cursor.expect(Token::Comma)?;
        let source = self.names.source(cursor, &mut self.code, false)?;
        let mut elements = [SwizzleElement { selector: Selector::Zero, negate: false }; 4];
        // The four share an alphabet (ARB_fragment_program, extendedSwizzle).
        let mut letters = self.names.letters();
        for element in &mut elements {
            cursor.expect(Token::Comma)?;
            let read = modified(cursor, ModifierRules::ALL, |cursor| {
                let word = cursor.peek_text();
                let read = selector(cursor, letters)?;
                letters = letters.kept_to(word);
                Ok(read)
            })?;
            *element = SwizzleElement { selector: read.register, negate: read.negate };
        }
        self.expander().extended_swizzle(target, source, elements);
        Ok(())
    }

    /// In `!!FP1.0`, one attribute and one parameter at most.
    fn check_unique(&self, sources: &[Source], span: &Span) -> Parsed<()> {
        if !self.names.dialects.has(Dialects::FP) {
            return Ok(());
        }
        let differ = |is_kind: fn(&SourceKind) -> bool| {
            let mut kinds = sources.iter().map(|source| source.register).filter(is_kind);
            kinds.next().is_some_and(|first| kinds.any(|kind| kind != first))
        };
        for (is_kind, what) in [
            ((|kind| matches!(kind, SourceKind::Input(_))) as fn(&SourceKind) -> bool, "attributes"),
            (|kind| matches!(kind, SourceKind::Constant(_)), "parameters or constants"),
        ] {
            if differ(is_kind) {
                return Err(Diagnostic::over_limit(span.clone(), what, 2, 1, "different ones in one instruction"));
            }
        }
        Ok(())
    }

    fn expander(&mut self) -> Expander<'_> {
        Expander { code: &mut self.code, block: self.flow.block() }
    }
}

impl<'text> ReadStatement<'text> for Grammar {
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if self.names.declaration(cursor)? {
            return Ok(());
        }
        let has_flow = self.names.dialects.has(Dialects::NV2);
        if has_flow && let Some((name, span)) = accept_label(cursor) {
            return self.flow.label(name, span);
        }
        let (word, span) = cursor.name("an instruction")?;
        self.instructions += 1;
        if self.names.dialects.has(Dialects::FP) && !has_flow && self.instructions == FP_INSTRUCTIONS + 1 {
            let limit = "instructions of !!FP1.0";
            return Err(Diagnostic::over_limit(span, "instructions", self.instructions, FP_INSTRUCTIONS, limit));
        }
        if FLOW.contains(&word) {
            if !has_flow {
                return Err(Diagnostic::new(span, format!("`{word}` needs OPTION NV_fragment_program2 or !!FP2.0"))
                    .refuse(word));
            }
            self.flow_statement(cursor, word, span)?;
        } else {
            let mnemonic = mnemonic(word, &span, self.names.dialects)?;
            self.instruction(cursor, mnemonic, span)?;
        }
        cursor.expect(Token::Semicolon)?;
        Ok(())
    }
}

const fn is_set(operation: Operation) -> bool {
    matches!(operation, Operation::Chip(FragmentOpcode::Str | FragmentOpcode::Sfl))
}

/// Which components of a coordinate a target reads, without w.
const fn coordinates(target: TextureTarget) -> WriteMask {
    WriteMask(match target {
        TextureTarget::OneDimensional => 0b0001,
        TextureTarget::TwoDimensional | TextureTarget::Rectangle => 0b0011,
        TextureTarget::Shadow1D => 0b0101,
        TextureTarget::ThreeDimensional
        | TextureTarget::Cube
        | TextureTarget::Shadow2D
        | TextureTarget::ShadowRectangle => 0b0111,
    })
}

/// Checks that packed values are in full registers.
fn check_sizes(
    opcode: FragmentOpcode,
    is_half: bool,
    sources: &[Source],
    code: &FragmentCode,
    destination: &Span,
) -> Parsed<()> {
    let error = |what: &str| {
        Err(Diagnostic::new(destination.clone(), format!("{} {what} a half register", opcode.mnemonic()))
            .label("packed values have 32 bits"))
    };
    if opcode.is_pack() && is_half {
        return error("writes");
    }
    let is_unpack =
        matches!(opcode, FragmentOpcode::Up2h | FragmentOpcode::Up2us | FragmentOpcode::Up4b | FragmentOpcode::Up4ub);
    let reads_half = |source: &Source| match source.register {
        SourceKind::Register(register) => code.row(register).is_half,
        SourceKind::Input(_) | SourceKind::Constant(_) => false,
    };
    if is_unpack && sources.iter().any(reads_half) {
        return error("reads");
    }
    Ok(())
}

/// Checks that the numbers of a loop fit the fields of its instruction.
fn check_loop(parameters: &ConstantSource, has_index: bool, span: Span) -> Parsed<()> {
    let ConstantSource::Literal(value) = parameters else { return Ok(()) };
    let [count, initial, increment, _] = value.map(f32::from_bits);
    if count >= 256.0 {
        return Err(Diagnostic::new(span, format!("a loop of {count} rounds"))
            .label("too many rounds")
            .note("limit: 255 rounds (MAX_PROGRAM_LOOP_COUNT_NV)"));
    }
    if has_index && (!(0.0..256.0).contains(&initial) || !(-128.0..128.0).contains(&increment)) {
        return Err(Diagnostic::new(span, format!("the loop index begins at {initial} and grows by {increment}"))
            .label("does not fit the instruction")
            .note("limit: the index begins at 0..255 and grows by -128..127"));
    }
    Ok(())
}
