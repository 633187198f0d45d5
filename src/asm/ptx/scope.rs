//! The names of a text: registers, variables, labels and functions, by the braces that they are declared in.

use std::collections::BTreeMap;

use super::types::Type;
use crate::asm::cursor::{Parsed, shortened};
use crate::asm::diagnostic::{Diagnostic, Span};

/// Most registers of a function.
const MOST_REGISTERS: usize = 1 << 16;

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// A register.
    Register(usize),
    /// Registers that form a vector.
    Vector(Vec<usize>),
    /// A variable.
    Variable(usize),
}

/// The names between two braces.
#[derive(Debug, Default)]
struct Scope<'text> {
    names: BTreeMap<&'text str, Named>,
    /// By prefix, the type and count of registers that `%r<10>` declares.
    ranges: BTreeMap<&'text str, (Type, u64)>,
}

/// The names that can be used at a place.
#[derive(Debug, Default)]
pub(super) struct Scopes<'text> {
    /// The innermost one last.
    scopes: Vec<Scope<'text>>,
    /// The types of the function's registers.
    pub(super) registers: Vec<Type>,
    labels: BTreeMap<&'text str, (usize, Option<Span>)>,
    /// The first use of each label.
    label_uses: Vec<(&'text str, Span)>,
    /// The functions by name, each with its index.
    pub(super) functions: BTreeMap<&'text str, usize>,
}

impl<'text> Scopes<'text> {
    /// The scope of a module.
    pub(super) fn new() -> Self {
        Self { scopes: vec![Scope::default()], ..Self::default() }
    }

    pub(super) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Forgets the registers and labels of a function.
    ///
    /// # Errors
    /// When a label that is used has no place.
    pub(super) fn end_function(&mut self) -> Parsed<(Vec<Type>, usize)> {
        self.scopes.truncate(1);
        let labels = std::mem::take(&mut self.labels);
        let uses = std::mem::take(&mut self.label_uses);
        let registers = std::mem::take(&mut self.registers);
        for (name, span) in uses {
            if labels.get(name).is_some_and(|(_, place)| place.is_none()) {
                let known = labels.iter().filter(|(_, (_, place))| place.is_some()).map(|(name, _)| *name);
                return Err(Diagnostic::new(span, format!("there is no label `{}`", shortened(name)))
                    .label("not declared in this function")
                    .suggest(name, known));
            }
        }
        Ok((registers, labels.len()))
    }

    /// A new register.
    pub(super) fn register(&mut self, of: Type, span: &Span) -> Parsed<usize> {
        if self.registers.len() >= MOST_REGISTERS {
            let count = self.registers.len() + 1;
            return Err(Diagnostic::over_limit(
                span.clone(),
                "registers",
                count,
                MOST_REGISTERS,
                "registers of a function",
            ));
        }
        self.registers.push(of);
        Ok(self.registers.len() - 1)
    }

    /// Declares a name.
    pub(super) fn declare(&mut self, name: &'text str, span: Span, named: Named) -> Parsed<()> {
        let scope = self.scopes.last_mut();
        if scope.is_some_and(|scope| scope.names.insert(name, named).is_some()) {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(name))));
        }
        Ok(())
    }

    /// Declares the registers `prefix0` and so on.
    pub(super) fn declare_range(&mut self, prefix: &'text str, span: Span, of: Type, count: u64) -> Parsed<()> {
        let scope = self.scopes.last_mut();
        if scope.is_some_and(|scope| scope.ranges.insert(prefix, (of, count)).is_some()) {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(prefix))));
        }
        Ok(())
    }

    /// What a name stands for.
    pub(super) fn find(&mut self, name: &'text str, span: &Span) -> Parsed<Named> {
        for index in (0..self.scopes.len()).rev() {
            if let Some(named) = self.scopes[index].names.get(name) {
                return Ok(named.clone());
            }
            if let Some(of) = self.scopes[index].of_range(name) {
                let register = Named::Register(self.register(of, span)?);
                self.scopes[index].names.insert(name, register.clone());
                return Ok(register);
            }
        }
        let what = if name.starts_with('%') { "register" } else { "name" };
        let known = self.scopes.iter().flat_map(|scope| scope.names.keys().copied());
        let error = Diagnostic::new(span.clone(), format!("the {what} `{}` is not declared", shortened(name)))
            .label("not declared")
            .suggest(name, known);
        let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        match self.scopes.iter().rev().find_map(|scope| scope.ranges.get(prefix)) {
            Some((_, count)) => Err(error.note(format!("`{prefix}<{count}>` declares numbers below {count}"))),
            None => Err(error),
        }
    }

    /// The label of a name, at its place or where it is used.
    pub(super) fn label(&mut self, name: &'text str, span: Span, is_place: bool) -> Parsed<usize> {
        let count = self.labels.len();
        let (label, place) = self.labels.entry(name).or_insert((count, None));
        let label = *label;
        if !is_place {
            self.label_uses.push((name, span));
        } else if place.replace(span.clone()).is_some() {
            return Err(Diagnostic::new(span, format!("label `{}` stands twice", shortened(name))));
        }
        Ok(label)
    }
}

impl Scope<'_> {
    /// The type of a name that a range declares.
    fn of_range(&self, name: &str) -> Option<Type> {
        let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let digits = &name[prefix.len()..];
        // Digits of the prefix itself may stand before the number.
        (0..digits.len()).find_map(|taken| {
            let (of, count) = self.ranges.get(&name[..prefix.len() + taken])?;
            let number = &digits[taken..];
            let is_plain = number == "0" || !number.starts_with('0');
            (is_plain && number.parse::<u64>().is_ok_and(|number| number < *count)).then_some(*of)
        })
    }
}
