//! The instructions of a text: scopes, procedures, labels, padding, and the encoding of all.
//!
//! The hardware ends only one IF, and one LOOP, behind an instruction, and the end of a scope overrides a jump or call in
//! its last word. A NOP separates them, by the rules of picasso.
#![expect(clippy::cast_possible_truncation, reason = "addresses are below the size of the store")]

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::pica_vertex::{
    DescriptorTable, PicaEncodeProblem, PicaInstruction, PicaRegister, PicaShader, PicaTest, STORE_WORDS,
};
use crate::labels::Labels;

/// Most scopes within each other, as in picasso.
const MAX_SCOPES: usize = 32;

/// What an instruction's target is the name of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target<'text> {
    pub(super) name: &'text str,
    pub(super) span: Span,
}

/// An instruction with its place in the text.
#[derive(Debug)]
struct Slot<'text> {
    instruction: PicaInstruction,
    span: Span,
    target: Option<Target<'text>>,
}

/// What `.end` ends.
#[derive(Debug)]
enum ScopeKind<'text> {
    Procedure { name: &'text str },
    If { otherwise: Option<usize> },
    Loop,
}

#[derive(Debug)]
struct Scope<'text> {
    kind: ScopeKind<'text>,
    /// The address of the instruction that opens it, or of the first one of a procedure.
    start: usize,
    span: Span,
}

/// The instructions of a text.
#[derive(Debug)]
pub(super) struct Code<'text> {
    pads_scopes: bool,
    slots: Vec<Slot<'text>>,
    scopes: Vec<Scope<'text>>,
    /// Whether a scope ended behind the last instruction.
    has_just_ended: bool,
    procedures: BTreeMap<&'text str, Range<usize>>,
    labels: Labels,
}

impl<'text> Code<'text> {
    pub(super) fn new(pads_scopes: bool) -> Self {
        Self {
            pads_scopes,
            slots: Vec::new(),
            scopes: Vec::new(),
            has_just_ended: false,
            procedures: BTreeMap::new(),
            labels: Labels::default(),
        }
    }

    /// Whether the text has more instructions than the store.
    pub(super) const fn is_full(&self) -> bool {
        self.slots.len() > STORE_WORDS
    }

    /// Names the address of the next instruction.
    pub(super) fn label(&mut self, name: &str, span: Span) -> Parsed<()> {
        self.labels.insert(name, span, self.slots.len())
    }

    /// Adds an instruction.
    pub(super) fn push(
        &mut self,
        instruction: PicaInstruction,
        span: Span,
        target: Option<Target<'text>>,
    ) -> Parsed<()> {
        if self.scopes.is_empty() {
            return Err(
                Diagnostic::new(span, "an instruction outside of a procedure").note("`.proc name` begins a procedure")
            );
        }
        // Tells what has no word here, so that every statement is checked.
        if let Err(problem) = instruction.encode(&mut DescriptorTable::default()) {
            let error = Diagnostic::new(span, problem.to_string());
            return Err(match problem {
                PicaEncodeProblem::NarrowSource { .. } | PicaEncodeProblem::SeveralConstants { .. } => {
                    error.note("move the constant to a temporary register, or exchange the sources")
                }
                _ => error,
            });
        }
        let mut inputs = instruction.sources().iter().filter_map(|source| match source.register {
            PicaRegister::Input(number) => Some(number),
            _ => None,
        });
        if let Some(first) = inputs.next()
            && let Some(other) = inputs.find(|&other| other != first)
        {
            return Err(Diagnostic::new(span, format!("reads two input registers, v{first} and v{other}"))
                .note("the hardware reads one input register per instruction reliably"));
        }
        self.has_just_ended = false;
        self.slots.push(Slot { instruction, span, target });
        Ok(())
    }

    /// Adds an instruction that begins a scope.
    pub(super) fn push_scope(&mut self, instruction: PicaInstruction, span: Span) -> Parsed<()> {
        let is_loop = matches!(instruction, PicaInstruction::Loop { .. });
        let kind = if is_loop { ScopeKind::Loop } else { ScopeKind::If { otherwise: None } };
        let start = self.slots.len();
        self.push(instruction, span.clone(), None)?;
        self.open(Scope { kind, start, span })
    }

    fn open(&mut self, scope: Scope<'text>) -> Parsed<()> {
        if self.scopes.len() == MAX_SCOPES {
            return Err(Diagnostic::over_limit(scope.span, "scopes", MAX_SCOPES + 1, MAX_SCOPES, "scopes of a scope"));
        }
        self.scopes.push(scope);
        Ok(())
    }

    /// Begins a procedure.
    pub(super) fn begin_procedure(&mut self, name: &'text str, span: Span) -> Parsed<()> {
        let scope = Scope { kind: ScopeKind::Procedure { name }, start: self.slots.len(), span: span.clone() };
        let is_nested = !self.scopes.is_empty();
        let is_known = self.procedures.insert(name, scope.start..scope.start).is_some();
        // A procedure in a wrong place still takes its `.end`, so that the error is reported once.
        self.open(scope)?;
        if is_nested {
            return Err(Diagnostic::new(span, "`.proc` within a procedure"));
        }
        if is_known {
            return Err(Diagnostic::new(span, format!("procedure `{}` stands twice", shortened(name))));
        }
        Ok(())
    }

    /// Begins the else part.
    pub(super) fn begin_else(&mut self, span: Span) -> Parsed<()> {
        let Some(Scope { kind: ScopeKind::If { otherwise: None }, start, .. }) = self.scopes.last() else {
            return Err(Diagnostic::new(span, "`.else` does not stand in an if"));
        };
        let is_empty = self.slots.len() - start < 2;
        self.pad(is_empty, false, &span);
        let here = self.slots.len();
        if let Some(Scope { kind: ScopeKind::If { otherwise }, .. }) = self.scopes.last_mut() {
            *otherwise = Some(here);
        }
        Ok(())
    }

    /// Ends the innermost scope.
    pub(super) fn end(&mut self, span: Span) -> Parsed<()> {
        let Some(scope) = self.scopes.pop() else {
            return Err(Diagnostic::new(span, "`.end` without a scope"));
        };
        let words = self.slots.len() - scope.start;
        let (is_loop, is_procedure) =
            (matches!(scope.kind, ScopeKind::Loop), matches!(scope.kind, ScopeKind::Procedure { .. }));
        self.pad(words < if is_procedure { 1 } else { 2 }, is_loop, &span);
        let end = self.slots.len();
        match scope.kind {
            ScopeKind::Procedure { name } => {
                self.procedures.insert(name, scope.start..end);
                return Ok(());
            }
            ScopeKind::Loop => {
                if let PicaInstruction::Loop { last, .. } = &mut self.slots[scope.start].instruction {
                    *last = (end - 1) as u16;
                }
            }
            ScopeKind::If { otherwise: part } => {
                let part = part.unwrap_or(end);
                let words = u8::try_from(end - part).map_err(|_| {
                    Diagnostic::over_limit(span, "words of an else part", end - part, 255, "words of an else part")
                })?;
                if let PicaInstruction::If { otherwise, count, .. } = &mut self.slots[scope.start].instruction {
                    (*otherwise, *count) = (part as u16, words);
                }
            }
        }
        self.has_just_ended = true;
        Ok(())
    }

    /// Adds a NOP where the end of a scope would be lost.
    fn pad(&mut self, is_empty: bool, is_loop: bool, span: &Span) {
        let leaves = |slot: &Slot<'_>| match slot.instruction {
            PicaInstruction::Jump { .. } | PicaInstruction::Call { .. } => true,
            PicaInstruction::Break { .. } => is_loop,
            _ => false,
        };
        if self.pads_scopes && (self.has_just_ended || is_empty || self.slots.last().is_some_and(leaves)) {
            self.slots.push(Slot { instruction: PicaInstruction::Nop, span: span.clone(), target: None });
        }
        self.has_just_ended = false;
    }

    /// Resolves targets and encodes; returns the words of the entry procedure, too.
    pub(super) fn finish(mut self, entry: (&str, Span)) -> Result<(PicaShader, Range<u32>), Vec<Diagnostic>> {
        let mut errors = ErrorList::default();
        errors.extend(self.scopes.iter().map(|scope| Diagnostic::new(scope.span.clone(), "a scope without `.end`")));
        let mut program = Vec::with_capacity(self.slots.len());
        for slot in std::mem::take(&mut self.slots) {
            program.push((slot.instruction, slot.span));
            if let Some(target) = slot.target {
                let resolved = program.last_mut().map_or(Ok(()), |last| self.resolve(&mut last.0, &target));
                errors.extend(resolved.err());
                if errors.is_full() {
                    break;
                }
            }
        }
        let words = self.procedures.get(entry.0).cloned();
        if words.is_none() {
            errors.push(self.unknown_procedure(entry.0, entry.1.clone()));
        }
        let (Some(words), true) = (words, errors.is_empty()) else { return Err(errors.into_errors()) };
        let instructions: Vec<_> = program.iter().map(|(instruction, _)| *instruction).collect();
        let shader = PicaShader::encode(&instructions).map_err(|error| {
            let span = program.get(error.address).map_or(0..0, |(_, span)| span.clone());
            vec![Diagnostic::new(span, error.problem.to_string())]
        })?;
        // A label or procedure behind the last word is no target.
        for (address, (_, span)) in program.iter().enumerate() {
            shader.instruction(address).map_err(|error| vec![Diagnostic::new(span.clone(), error.to_string())])?;
        }
        if words.is_empty() {
            return Err(vec![Diagnostic::new(
                entry.1,
                format!("procedure `{}` has no instructions", shortened(entry.0)),
            )]);
        }
        Ok((shader, words.start as u32..words.end as u32))
    }

    fn resolve(&self, instruction: &mut PicaInstruction, name: &Target<'_>) -> Parsed<()> {
        match instruction {
            PicaInstruction::Jump { target, .. } => {
                let unknown = || self.labels.unknown(name.name, name.span.clone());
                *target = self.labels.get(name.name).ok_or_else(unknown)? as u16;
            }
            PicaInstruction::Call { target, count, .. } => {
                let unknown = || self.unknown_procedure(name.name, name.span.clone());
                let words = self.procedures.get(name.name).ok_or_else(unknown)?;
                *target = words.start as u16;
                *count = u8::try_from(words.len()).map_err(|_| {
                    let span = name.span.clone();
                    Diagnostic::over_limit(span, "words", words.len(), 255, "words of a called procedure")
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    fn unknown_procedure(&self, name: &str, span: Span) -> Diagnostic {
        Diagnostic::new(span, format!("there is no procedure `{}`", shortened(name)))
            .refuse(&format!("procedure {name}"))
            .suggest(name, self.procedures.keys().copied())
    }
}

/// A jump or call whose target is a name.
pub(super) const fn unresolved(is_call: bool, test: PicaTest) -> PicaInstruction {
    if is_call {
        PicaInstruction::Call { test, target: 0, count: 0 }
    } else {
        PicaInstruction::Jump { test, target: 0 }
    }
}
