//! Splits a cubin text into sections, settings and words, and looks them up with errors that point at their place.

use std::collections::BTreeSet;

use super::super::cursor::{Cursor, Parsed, shortened};
use super::super::diagnostic::{Diagnostic, MAX_ERRORS, Span};
use super::token::CubinToken as Token;

/// The deepest nesting of sections: `code`, `const`, `mem`.
const DEEPEST: usize = 3;

/// `name { items }`.
#[derive(Debug)]
pub(super) struct Section<'text> {
    pub(super) name: &'text str,
    /// The place of the name.
    pub(super) span: Span,
    values: Vec<Value<'text>>,
    settings: Vec<(Value<'text>, Value<'text>)>,
    sections: Vec<Self>,
}

/// A name, a number or a word.
#[derive(Debug, Clone)]
pub(super) struct Value<'text> {
    token: Token,
    pub(super) text: &'text str,
    pub(super) span: Span,
}

impl<'text> Value<'text> {
    /// Takes a value, or gives the error that `what` is expected.
    fn take(cursor: &mut Cursor<'text, Token>, what: &str) -> Parsed<Self> {
        match cursor.peek() {
            Some(token @ (Token::Name | Token::Number | Token::Bits)) => {
                let value = Self { token, text: cursor.peek_text(), span: cursor.span() };
                cursor.advance();
                Ok(value)
            }
            _ => Err(cursor.unexpected(what)),
        }
    }

    /// The integer that it is.
    fn number(&self) -> Parsed<u32> {
        let value = match self.token {
            Token::Number => self.text.parse().ok(),
            Token::Bits => u32::from_str_radix(&self.text[2..], 16).ok(),
            _ => None,
        };
        value.ok_or_else(|| {
            Diagnostic::new(self.span.clone(), format!("`{}` is not a number of 32 bits", shortened(self.text)))
                .label("expected a number")
        })
    }
}

/// The sections of a text.
///
/// # Errors
/// When braces do not match, or something is neither a section, a setting nor a word.
pub(super) fn sections(text: &str) -> Parsed<Vec<Section<'_>>> {
    let mut cursor = Cursor::split(text, 0)?;
    let mut found = Vec::new();
    while cursor.peek().is_some() {
        found.push(section(&mut cursor, 1)?);
    }
    Ok(found)
}

fn section<'text>(cursor: &mut Cursor<'text, Token>, depth: usize) -> Parsed<Section<'text>> {
    let (name, span) = cursor.take(Token::Name, "a section")?;
    if depth > DEEPEST {
        return Err(Diagnostic::new(span, "the section is nested too deeply").label("inside of three sections"));
    }
    cursor.expect(Token::OpenBrace)?;
    let mut section =
        Section { name, span: span.clone(), values: Vec::new(), settings: Vec::new(), sections: Vec::new() };
    while !cursor.accept(Token::CloseBrace) {
        if cursor.peek().is_none() {
            let error = Diagnostic::new(span, format!("the section `{}` does not end", shortened(name)));
            return Err(error.label("no `}` follows"));
        }
        match cursor.peek_at(1) {
            Some(Token::OpenBrace) => section.sections.push(self::section(cursor, depth + 1)?),
            Some(Token::Equals) => {
                let key = Value::take(cursor, "a setting")?;
                cursor.advance();
                section.settings.push((key, Value::take(cursor, "a value")?));
            }
            _ => section.values.push(Value::take(cursor, "a setting, a section or a word")?),
        }
    }
    Ok(section)
}

/// Looks up the parts of sections and collects what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Lookup {
    pub(super) errors: Vec<Diagnostic>,
}

impl Lookup {
    /// Adds an error; the first few are enough.
    pub(super) fn error(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn result<T: Default>(&mut self, result: Parsed<T>) -> T {
        result.unwrap_or_else(|error| {
            self.error(error);
            T::default()
        })
    }

    /// Checks that a section has no settings and sections but these, none of them twice but `const`, and no words.
    pub(super) fn check(&mut self, section: &Section<'_>, settings: &[&str], sections: &[&str]) {
        let keys = section.settings.iter().map(|(key, _)| (key.text, &key.span, "setting", settings));
        let parts = section.sections.iter().map(|part| (part.name, &part.span, "section", sections));
        let mut seen = BTreeSet::new();
        for (name, span, what, known) in keys.chain(parts) {
            if !known.contains(&name) {
                let error = Diagnostic::new(span.clone(), format!("unknown {what} `{}`", shortened(name)))
                    .label(format!("not a {what} of `{}`", section.name));
                self.error(error.suggest(name, known.iter().copied()));
            } else if seen.contains(&(what, name)) {
                self.error(Diagnostic::new(span.clone(), format!("the {what} `{name}` stands twice")));
            }
            if name != "const" {
                seen.insert((what, name));
            }
        }
        if let Some(value) = section.values.first() {
            let error = Diagnostic::new(value.span.clone(), format!("`{}` stands alone", shortened(value.text)));
            self.error(error.label(format!("expected a setting of `{}`", section.name)));
        }
    }

    /// The value of a setting.
    fn setting<'section, 'text>(
        &mut self,
        section: &'section Section<'text>,
        key: &str,
    ) -> Option<&'section Value<'text>> {
        let found = section.settings.iter().find(|(found, _)| found.text == key).map(|(_, value)| value);
        if found.is_none() {
            let error = Diagnostic::new(section.span.clone(), format!("`{}` has no `{key}`", section.name));
            self.error(error.label(format!("expected `{key} = …`")));
        }
        found
    }

    /// The number of a setting and its place.
    pub(super) fn number(&mut self, section: &Section<'_>, key: &str, most: u32) -> (u32, Span) {
        let Some(value) = self.setting(section, key) else { return (0, section.span.clone()) };
        let number = value.number().and_then(|number| in_range(value, key, number, most));
        (self.result(number), value.span.clone())
    }

    /// The name of a setting and its place.
    pub(super) fn name<'text>(&mut self, section: &Section<'text>, key: &str) -> (&'text str, Span) {
        let Some(value) = self.setting(section, key) else { return ("", section.span.clone()) };
        if value.token != Token::Name {
            let error = Diagnostic::new(value.span.clone(), format!("`{}` is not a name", shortened(value.text)));
            self.error(error.label("expected a name"));
        }
        (value.text, value.span.clone())
    }

    /// The only value of a section such as `architecture {sm_10}`.
    pub(super) fn value<'text>(&mut self, section: &Section<'text>) -> Option<Value<'text>> {
        if let ([value], [], []) = (&*section.values, &*section.settings, &*section.sections) {
            return Some(value.clone());
        }
        let error = Diagnostic::new(section.span.clone(), format!("`{}` does not have one value", section.name));
        self.error(error.label(format!("expected `{} {{value}}`", section.name)));
        None
    }

    /// The number that is the only value of a section.
    pub(super) fn only_number(&mut self, section: &Section<'_>, most: u32) {
        let Some(value) = self.value(section) else { return };
        let number = value.number().and_then(|number| in_range(&value, section.name, number, most));
        self.result(number);
    }

    /// The parts of a section with a name.
    pub(super) fn parts<'section, 'text>(
        section: &'section Section<'text>,
        name: &'section str,
    ) -> impl Iterator<Item = &'section Section<'text>> {
        section.sections.iter().filter(move |part| part.name == name)
    }

    /// The words in a part of a section with their places; none if the part is missing.
    pub(super) fn words(&mut self, section: &Section<'_>, name: &str) -> Vec<(u32, Span)> {
        let Some(part) = Self::parts(section, name).next() else { return Vec::new() };
        if !part.settings.is_empty() || !part.sections.is_empty() {
            let error = Diagnostic::new(part.span.clone(), format!("`{name}` has more than words"));
            self.error(error.label("expected nothing but words"));
        }
        let words = part.values.iter().map(|value| value.number().map(|number| (number, value.span.clone())));
        words.filter_map(|word| word.map_err(|error| self.error(error)).ok()).collect()
    }
}

/// A number, or the error that it is larger than possible.
fn in_range(value: &Value<'_>, key: &str, number: u32, most: u32) -> Parsed<u32> {
    if number <= most {
        return Ok(number);
    }
    Err(Diagnostic::new(value.span.clone(), format!("`{key}` is {number}")).label(format!("must be at most {most}")))
}
