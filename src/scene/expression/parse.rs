//! Parses the text of an expression into a tree by recursive descent.

use std::ops::Range;

/// The longest expression, in bytes.
const MAX_BYTES: usize = 4096;

/// The deepest nesting.
const MAX_DEPTH: usize = 48;

/// A part of an expression and its position in the text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Range<usize>,
}

/// The kind of a part of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeKind {
    Number(f64),
    Name(String),
    /// Two to four components in parentheses, or concatenated parts.
    Vector(Vec<Node>),
    Call(String, Vec<Node>),
    Negate(Box<Node>),
    Operation(Operator, Box<Node>, Box<Node>),
    /// Components by number.
    Swizzle(Box<Node>, Vec<usize>),
}

/// An operator between two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Where and why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParseError {
    pub(super) span: Range<usize>,
    pub(super) expected: &'static str,
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// Parses a whole text.
pub(super) fn parse(text: &str) -> Result<Node, ParseError> {
    if text.len() > MAX_BYTES {
        return Err(ParseError { span: 0..text.len(), expected: "an expression of at most 4096 bytes" });
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let node = parser.sum()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.error("an operator or the end")),
    }
}

impl Parser<'_> {
    /// Skips spaces; returns the next character.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn error(&self, expected: &'static str) -> ParseError {
        let width = self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        ParseError { span: self.at..self.at + width, expected }
    }

    fn sum(&mut self) -> Result<Node, ParseError> {
        self.operations(&[('+', Operator::Add), ('-', Operator::Subtract)], Self::term)
    }

    fn term(&mut self) -> Result<Node, ParseError> {
        self.operations(&[('*', Operator::Multiply), ('/', Operator::Divide)], Self::signed)
    }

    fn operations(
        &mut self,
        operators: &[(char, Operator)],
        part: fn(&mut Self) -> Result<Node, ParseError>,
    ) -> Result<Node, ParseError> {
        let mut left = part(self)?;
        while let Some(next) = self.peek()
            && let Some((_, operator)) = operators.iter().find(|(symbol, _)| *symbol == next)
        {
            self.at += 1;
            let right = part(self)?;
            let span = left.span.start..right.span.end;
            // A long sum nests to the left; the length of the text bounds its depth.
            left = Node { kind: NodeKind::Operation(*operator, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Node, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("less nesting"));
        }
        self.peek();
        let start = self.at;
        let node = if self.take('-') {
            let inner = self.signed()?;
            let span = start..inner.span.end;
            Node { kind: NodeKind::Negate(Box::new(inner)), span }
        } else {
            self.swizzled()?
        };
        self.depth -= 1;
        Ok(node)
    }

    fn swizzled(&mut self) -> Result<Node, ParseError> {
        let mut node = self.primary()?;
        while self.take('.') {
            let letters = self.letters();
            let components: Option<Vec<_>> =
                letters.chars().map(|letter| "xyzw".find(letter).or_else(|| "rgba".find(letter))).collect();
            match components {
                Some(components) if (1..=4).contains(&components.len()) => {
                    let span = node.span.start..self.at;
                    node = Node { kind: NodeKind::Swizzle(Box::new(node), components), span };
                }
                _ => return Err(self.error("one to four of x, y, z, w")),
            }
        }
        Ok(node)
    }

    fn letters(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length =
            rest.find(|character: char| !character.is_ascii_alphanumeric() && character != '_').unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    fn primary(&mut self) -> Result<Node, ParseError> {
        let start = match self.peek() {
            Some(_) => self.at,
            None => return Err(self.error("a number, a name or parentheses")),
        };
        let first = self.text[start..].chars().next().unwrap_or(' ');
        if first.is_ascii_digit() || first == '.' {
            return self.number(start);
        }
        if first.is_ascii_alphabetic() {
            let name = self.letters();
            let kind = if self.take('(') { NodeKind::Call(name, self.list()?) } else { NodeKind::Name(name) };
            return Ok(Node { kind, span: start..self.at });
        }
        if self.take('(') {
            let mut parts = self.list()?;
            let span = start..self.at;
            return match parts.len() {
                1 => Ok(Node { span, ..parts.remove(0) }),
                2..=4 => Ok(Node { kind: NodeKind::Vector(parts), span }),
                _ => Err(ParseError { span, expected: "one to four parts in parentheses" }),
            };
        }
        Err(self.error("a number, a name or parentheses"))
    }

    fn number(&mut self, start: usize) -> Result<Node, ParseError> {
        let rest = &self.text[start..];
        let digits = |text: &str| text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let mut length = digits(rest);
        if rest[length..].starts_with('.') {
            length += 1 + digits(&rest[length + 1..]);
        }
        if let Some(exponent) = rest[length..].strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['-', '+']));
            if digits(&exponent[sign..]) > 0 {
                length += 1 + sign + digits(&exponent[sign..]);
            }
        }
        self.at = start + length;
        match rest[..length].parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Node { kind: NodeKind::Number(number), span: start..self.at }),
            _ => Err(ParseError { span: start..self.at, expected: "a number" }),
        }
    }

    /// Parses what follows an opening parenthesis, up to the closing one.
    fn list(&mut self) -> Result<Vec<Node>, ParseError> {
        let mut parts = Vec::new();
        if self.take(')') {
            return Ok(parts);
        }
        loop {
            parts.push(self.sum()?);
            if self.take(')') {
                return Ok(parts);
            }
            if !self.take(',') {
                self.peek();
                return Err(self.error("a comma or a closing parenthesis"));
            }
        }
    }
}
