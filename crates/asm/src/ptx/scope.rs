//! The names of a text: registers, variables, labels and functions, by the braces that they are declared in.

use std::collections::{BTreeMap, BTreeSet};

use super::target::needs_doubles;
use super::types::Type;
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::tesla::TeslaGeneration;

/// Most registers of a function.
const MAX_REGISTERS: usize = 1 << 16;

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

/// What a function has besides statements.
#[derive(Debug, Default)]
pub(super) struct Locals {
    /// The types of its registers.
    pub(super) registers: Vec<Type>,
    /// The module's registers that it names, each with its own register for it.
    pub(super) shared: Vec<(usize, usize)>,
    /// How many labels it has.
    pub(super) labels: usize,
}

/// The names between two braces.
#[derive(Debug, Default)]
struct Scope<'text> {
    names: BTreeMap<&'text str, Named>,
    /// By prefix, the type and count of registers that `%r<10>` declares.
    ranges: BTreeMap<&'text str, (Type, u64)>,
    /// Names and prefixes whose declarations failed.
    refused: BTreeSet<&'text str>,
}

/// The names that can be used at a place.
#[derive(Debug, Default)]
pub(super) struct Scopes<'text> {
    /// The innermost one last.
    scopes: Vec<Scope<'text>>,
    /// The types of the function's registers.
    pub(super) registers: Vec<Type>,
    /// The types of the module's registers.
    module_registers: Vec<Type>,
    /// The function's register for each of the module's that it names.
    named_registers: BTreeMap<usize, usize>,
    labels: BTreeMap<&'text str, (usize, Option<Span>)>,
    /// The first use of each label.
    label_uses: Vec<(&'text str, Span)>,
    /// The functions by name, each with its index.
    pub(super) functions: BTreeMap<&'text str, usize>,
    /// Whether registers of double precision can be used.
    pub(super) has_doubles: bool,
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

    /// Forgets the registers and labels of a function, and returns them.
    ///
    /// # Errors
    /// When a label that is used has no place.
    pub(super) fn end_function(&mut self) -> Parsed<Locals> {
        self.scopes.truncate(1);
        let labels = std::mem::take(&mut self.labels);
        let uses = std::mem::take(&mut self.label_uses);
        let registers = std::mem::take(&mut self.registers);
        let shared = std::mem::take(&mut self.named_registers).into_iter().collect();
        for (name, span) in uses {
            if labels.get(name).is_some_and(|(_, place)| place.is_none()) {
                let known = labels.iter().filter(|(_, (_, place))| place.is_some()).map(|(name, _)| *name);
                return Err(Diagnostic::new(span, format!("there is no label `{}`", shortened(name)))
                    .label("not declared in this function")
                    .suggest(name, known));
            }
        }
        Ok(Locals { registers, shared, labels: labels.len() })
    }

    /// A new register of the function, or of the module outside of functions.
    pub(super) fn register(&mut self, of: Type, span: &Span) -> Parsed<usize> {
        let registers = if self.scopes.len() == 1 { &mut self.module_registers } else { &mut self.registers };
        new_register(registers, of, span)
    }

    /// What stands for the module's registers in the function.
    fn in_function(&mut self, named: Named, span: &Span) -> Parsed<Named> {
        let mut local = |index: usize| match self.named_registers.get(&index) {
            Some(known) => Ok(*known),
            None => {
                let register = new_register(&mut self.registers, self.module_registers[index], span)?;
                self.named_registers.insert(index, register);
                Ok(register)
            }
        };
        Ok(match named {
            Named::Register(index) => Named::Register(local(index)?),
            Named::Vector(indices) => Named::Vector(indices.into_iter().map(local).collect::<Parsed<_>>()?),
            variable @ Named::Variable(_) => variable,
        })
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

    /// Remembers that a declaration of a name or prefix failed.
    pub(super) fn refuse(&mut self, name: &'text str) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.refused.insert(name);
        }
    }

    /// What a name stands for.
    pub(super) fn find(&mut self, name: &'text str, span: &Span) -> Parsed<Named> {
        for index in (0..self.scopes.len()).rev() {
            let of_range = self.scopes[index].of_range(name);
            let named = match (self.scopes[index].names.get(name), of_range) {
                (Some(named), _) => named.clone(),
                (None, Some(of)) => {
                    let registers = if index == 0 { &mut self.module_registers } else { &mut self.registers };
                    let register = Named::Register(new_register(registers, of, span)?);
                    self.scopes[index].names.insert(name, register.clone());
                    register
                }
                (None, None) => continue,
            };
            let named = if index == 0 { self.in_function(named, span)? } else { named };
            return self.check_precision(named, span);
        }
        let what = if name.starts_with('%') { "register" } else { "name" };
        let known = self.scopes.iter().flat_map(|scope| scope.names.keys().copied());
        let error = Diagnostic::new(span.clone(), format!("the {what} `{}` is not declared", shortened(name)))
            .label("not declared")
            .suggest(name, known);
        let prefix = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_refused = |name: &&str| self.scopes.iter().any(|scope| scope.refused.contains(name));
        let error = error.refuse([name, prefix].into_iter().find(is_refused).unwrap_or(name));
        match self.scopes.iter().rev().find_map(|scope| scope.ranges.get(prefix)) {
            Some((_, count)) => Err(error.note(format!("`{prefix}<{count}>` declares numbers below {count}"))),
            None => Err(error),
        }
    }

    /// Refuses registers of double precision where they have no use.
    fn check_precision(&self, named: Named, span: &Span) -> Parsed<Named> {
        let registers = match &named {
            Named::Register(register) => std::slice::from_ref(register),
            Named::Vector(registers) => registers,
            Named::Variable(_) => &[],
        };
        let is_double = |register: &usize| self.registers.get(*register).is_some_and(|of| of.is_double());
        if !self.has_doubles && registers.iter().any(is_double) {
            return Err(needs_doubles(span.clone(), TeslaGeneration::Sm13));
        }
        Ok(named)
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

fn new_register(registers: &mut Vec<Type>, of: Type, span: &Span) -> Parsed<usize> {
    if registers.len() >= MAX_REGISTERS {
        let (count, what) = (registers.len() + 1, "registers of a function");
        return Err(Diagnostic::over_limit(span.clone(), "registers", count, MAX_REGISTERS, what));
    }
    registers.push(of);
    Ok(registers.len() - 1)
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
