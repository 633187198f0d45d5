//! Reads an instruction: the flags and the predicate, then the text of one of the patterns of the instruction set.

use super::super::cursor::{Parsed, shortened};
use super::super::diagnostic::{Diagnostic, Span};
use super::kinds::KINDS;
use super::operands::{Line, Symbols, condition, destination, is_condition, source};
use super::token::TeslaToken as Token;
use crate::isa::tesla::{TeslaPattern, TeslaPlace, TeslaTextPart, conditions};
use crate::shader::simt::{Destination, Instruction, Operand, Operation, Predicate, ProgramKind, Source};

/// An instruction of a text. Its operands may fit several operations.
#[derive(Debug)]
pub(super) struct Statement<'text> {
    /// The name of the operation and its place.
    pub(super) name: (&'text str, Span),
    /// The instructions that the text can mean, in the order of the instruction set.
    pub(super) readings: Vec<Reading<'text>>,
    /// The length in bytes that the text asks for.
    pub(super) bytes: Option<u32>,
    /// Bits of the word that differ from the plain encoding.
    pub(super) flipped: u64,
}

/// An instruction that a text can mean.
#[derive(Debug, Clone)]
pub(super) struct Reading<'text> {
    pub(super) instruction: Instruction,
    /// The label that its flow continues at or pushes.
    pub(super) target: Option<(&'text str, Span)>,
    /// Where its parts are in the text.
    pub(super) places: Vec<(TeslaPlace, Span)>,
}

/// What is before the operation.
#[derive(Debug, Default)]
struct Prefix {
    bytes: Option<u32>,
    exits: bool,
    joins: bool,
    predicate: Option<Predicate>,
    places: Vec<(TeslaPlace, Span)>,
}

/// Where patterns do not match, and what they want there.
#[derive(Debug, Default)]
struct Mismatch {
    at: usize,
    words: Vec<&'static str>,
    /// The error of an operand.
    error: Option<Diagnostic>,
}

/// Reads an instruction of a program of this kind.
///
/// # Errors
/// When the instruction set has no such text.
pub(super) fn statement<'text>(
    line: &mut Line<'text>,
    kind: ProgramKind,
    symbols: &Symbols<'_>,
) -> Parsed<Statement<'text>> {
    let prefix = prefix(line)?;
    let start = line.mark();
    let (name, patterns) = match operation_name(line) {
        Some((name, span)) => ((name, span), named(name, kind)),
        None if line.peek().is_none() && (prefix.exits || prefix.joins) => {
            // A flag alone is an instruction that does nothing else.
            let instruction = TeslaPattern::all(kind).iter().find(|of| of.example.operation == Operation::Nothing);
            let readings = instruction.map(|of| prefix.reading(of.example.clone(), None, Vec::new()));
            let name = ("nop", line.last_span());
            return Ok(Statement { name, readings: readings.into_iter().collect(), bytes: prefix.bytes, flipped: 0 });
        }
        None => return Err(line.unexpected("an instruction")),
    };
    if patterns.is_empty() {
        return Err(unknown(name, kind));
    }
    let (mut readings, mut mismatch, mut end) = (Vec::<Reading<'text>>::new(), Mismatch::default(), start);
    for pattern in patterns {
        line.rewind(start);
        let Some(reading) = matched(line, pattern, symbols, &mut mismatch) else { continue };
        end = line.mark();
        let reading = prefix.reading(reading.instruction, reading.target, reading.places);
        if !readings.iter().any(|known| known.instruction == reading.instruction) {
            readings.push(reading);
        }
    }
    if readings.is_empty() {
        line.rewind(mismatch.at);
        return Err(mismatch.diagnostic(line));
    }
    line.rewind(end);
    let flipped = if line.accept(Token::Name) { flipped_bits(line)? } else { 0 };
    Ok(Statement { name, readings, bytes: prefix.bytes, flipped })
}

impl Prefix {
    /// An instruction with these flags and this predicate.
    fn reading<'text>(
        &self,
        instruction: Instruction,
        target: Option<(&'text str, Span)>,
        places: Vec<(TeslaPlace, Span)>,
    ) -> Reading<'text> {
        let predicate = self.predicate.unwrap_or(Predicate::Always);
        let instruction = Instruction { exits: self.exits, joins: self.joins, predicate, ..instruction };
        let places = self.places.iter().cloned().chain(places).collect();
        Reading { instruction, target, places }
    }
}

fn prefix(line: &mut Line<'_>) -> Parsed<Prefix> {
    let mut prefix = Prefix::default();
    loop {
        let span = line.span();
        match line.peek_text() {
            "short" if prefix.bytes.is_none() => prefix.bytes = Some(4),
            "long" if prefix.bytes.is_none() => prefix.bytes = Some(8),
            "exit" if !prefix.exits => {
                prefix.exits = true;
                prefix.places.push((TeslaPlace::Flags, span));
            }
            "join" if !prefix.joins => {
                prefix.joins = true;
                prefix.places.push((TeslaPlace::Flags, span));
            }
            _ => break,
        }
        line.advance();
    }
    prefix.predicate = predicate(line, &mut prefix.places)?;
    Ok(prefix)
}

/// `(never)`, or `(e $c1)`; the lanes that an instruction writes are in parentheses, too.
fn predicate(line: &mut Line<'_>, places: &mut Vec<(TeslaPlace, Span)>) -> Parsed<Option<Predicate>> {
    let start = line.span();
    if line.peek() != Some(Token::OpenParenthesis) {
        return Ok(None);
    }
    let name = line.peek_text_at(1);
    let predicate = if name == "never" && line.peek_at(2) == Some(Token::CloseParenthesis) {
        line.advance();
        line.advance();
        Predicate::Never
    } else if line.peek_at(2) == Some(Token::Register) {
        line.advance();
        let span = line.span();
        let found = conditions().find(|(known, _)| *known == name).ok_or_else(|| {
            Diagnostic::new(span, format!("unknown condition `{}`", shortened(name)))
                .label("not a test of a condition register")
                .suggest(name, conditions().map(|(known, _)| known))
        })?;
        line.advance();
        Predicate::If { register: condition(line)?, condition: found.1 }
    } else {
        return Ok(None);
    };
    line.expect(Token::CloseParenthesis)?;
    places.push((TeslaPlace::Predicate, line.span_from(&start)));
    Ok(Some(predicate))
}

/// The name of the operation, behind the lanes in parentheses.
fn operation_name<'text>(line: &Line<'text>) -> Option<(&'text str, Span)> {
    let mut ahead = line.clone();
    if ahead.accept(Token::OpenParenthesis) {
        ahead.advance();
        ahead.accept(Token::CloseParenthesis);
    }
    let found = (ahead.peek_text(), ahead.span());
    (ahead.peek() == Some(Token::Name)).then_some(found)
}

fn named(name: &str, kind: ProgramKind) -> Vec<&'static TeslaPattern> {
    TeslaPattern::all(kind).iter().filter(|pattern| pattern.name() == name).collect()
}

/// The error that an instruction is not known, or only to other programs.
fn unknown((name, span): (&str, Span), kind: ProgramKind) -> Diagnostic {
    let has = |kind: &ProgramKind| TeslaPattern::all(*kind).iter().any(|pattern| pattern.name() == name);
    let others: Vec<_> = KINDS.iter().filter(|(other, _)| has(other)).map(|(_, name)| *name).collect();
    if !others.is_empty() {
        let here = KINDS.iter().find(|(other, _)| *other == kind).map_or("", |(_, name)| name);
        let error = Diagnostic::new(span, format!("{here} programs have no `{name}`"));
        return error.label(format!("only in {} programs", others.join(" and ")));
    }
    Diagnostic::new(span, format!("unknown instruction `{}`", shortened(name)))
        .refuse(name)
        .label("not an instruction of the processor")
        .suggest(name, TeslaPattern::all(kind).iter().map(TeslaPattern::name))
}

/// Reads a line as the text of a pattern; remembers where it does not match otherwise.
fn matched<'text>(
    line: &mut Line<'text>,
    pattern: &TeslaPattern,
    symbols: &Symbols<'_>,
    mismatch: &mut Mismatch,
) -> Option<Reading<'text>> {
    let example = &pattern.example;
    let blank = |source: &Source| Source::of(source.operand);
    let sources = example.sources.iter().map(blank).collect();
    let instruction = Instruction { sources, condition_write: None, ..example.clone() };
    let mut reading = Reading { instruction, target: None, places: Vec::new() };
    for part in &pattern.parts {
        let start = line.span();
        let result = match *part {
            TeslaTextPart::Word(word) if line.peek().is_some() && line.peek_text() == word => {
                line.advance();
                continue;
            }
            TeslaTextPart::Word(word) => {
                mismatch.word(line.mark(), word);
                return None;
            }
            part => operand(line, part, example, symbols, &mut reading),
        };
        match result {
            Ok(Some(place)) => reading.places.push((place, line.span_from(&start))),
            Ok(None) => {}
            Err(error) => {
                mismatch.operand(line.mark(), error);
                return None;
            }
        }
    }
    if line.peek().is_some() && line.peek_text() != "bits" {
        mismatch.operand(line.mark(), line.unexpected("the end of the line"));
        return None;
    }
    Some(reading)
}

/// Reads a part that is not a word. Returns what it is if something is there.
fn operand<'text>(
    line: &mut Line<'text>,
    part: TeslaTextPart,
    example: &Instruction,
    symbols: &Symbols<'_>,
    reading: &mut Reading<'text>,
) -> Parsed<Option<TeslaPlace>> {
    let instruction = &mut reading.instruction;
    Ok(match part {
        TeslaTextPart::Word(_) => None,
        TeslaTextPart::ConditionWrite => {
            if is_condition(line) {
                instruction.condition_write = Some(condition(line)?);
            }
            instruction.condition_write.map(|_| TeslaPlace::ConditionWrite)
        }
        TeslaTextPart::Destination => {
            instruction.destination = destination(line, example.destination, example.operation, symbols)?;
            Some(TeslaPlace::Destination)
        }
        TeslaTextPart::Modifiers(position) => {
            let source = &mut instruction.sources[position];
            let start = line.mark();
            loop {
                let flag = match line.peek_text() {
                    "neg" => &mut source.negate,
                    "abs" => &mut source.absolute,
                    "not" => &mut source.invert,
                    _ => break,
                };
                if std::mem::replace(flag, true) {
                    return Err(line.unexpected("an operand"));
                }
                line.advance();
            }
            (line.mark() > start).then_some(TeslaPlace::Modifiers(position))
        }
        TeslaTextPart::Source(position) | TeslaTextPart::SizedSource(position) => {
            let is_sized = part == TeslaTextPart::SizedSource(position);
            let example = example.sources[position].operand;
            if matches!(example, Operand::CodeAddress(_)) && line.peek() == Some(Token::Name) {
                reading.target = Some((line.peek_text(), line.span()));
            }
            let operand = source(line, example, is_sized, symbols)?;
            if let (Operand::Coordinates { first, .. }, Destination::Texture { mask: 0, .. }) =
                (operand, instruction.destination)
            {
                // A fetch without results begins at the same register, too.
                instruction.destination = Destination::Texture { first, mask: 0 };
            }
            instruction.sources[position].operand = operand;
            Some(TeslaPlace::Source(position))
        }
    })
}

/// `bits 0x…` at the end: bits that differ from the plain encoding.
fn flipped_bits(line: &mut Line<'_>) -> Parsed<u64> {
    let (text, span) = line.take(Token::Bits, "bits after 0x")?;
    u64::from_str_radix(&text[2..], 16).map_err(|_| Diagnostic::new(span, "more than 64 bits").label("out of range"))
}

impl Mismatch {
    /// Whether a place is as far as the farthest one so far.
    fn is_far(&mut self, at: usize) -> bool {
        if at > self.at {
            *self = Self { at, ..Self::default() };
        }
        at == self.at
    }

    fn word(&mut self, at: usize, word: &'static str) {
        if self.is_far(at) && !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    fn operand(&mut self, at: usize, error: Diagnostic) {
        if self.is_far(at) && self.error.is_none() {
            self.error = Some(error);
        }
    }

    /// The error at the farthest place, where the line is.
    fn diagnostic(self, line: &Line<'_>) -> Diagnostic {
        let Some((last, words)) = self.words.split_last() else {
            return self.error.unwrap_or_else(|| line.unexpected("an instruction"));
        };
        let mut wanted: Vec<String> = words.iter().take(8).map(|word| format!("`{word}`")).collect();
        if words.len() > 8 {
            wanted.push("…".to_owned());
        }
        let is_operand = self.error.is_some().then_some("an operand");
        let wanted = match (wanted.join(", "), is_operand) {
            (others, None) if others.is_empty() => format!("`{last}`"),
            (others, None) => format!("{others} or `{last}`"),
            (others, Some(operand)) if others.is_empty() => format!("`{last}` or {operand}"),
            (others, Some(operand)) => format!("{others}, `{last}` or {operand}"),
        };
        let error = line.unexpected(&wanted);
        if line.peek().is_some() { error.suggest(line.peek_text(), self.words.iter().copied()) } else { error }
    }
}
