//! Splits an assembly text into tokens, and skips blanks and comments.

use logos::Logos;

use super::diagnostic::{Diagnostic, Span};

/// A token of a language.
pub trait Lexeme: for<'text> Logos<'text, Source = str, Error = (), Extras = ()> + Copy + PartialEq {
    /// How an error message calls the token.
    fn description(self) -> &'static str;
}

/// Declares the tokens of a language: those that patterns find, each with what error messages call it, and those of one
/// spelling.
macro_rules! lexemes {
    (
        $(#[$($meta:tt)+])+
        $visibility:vis enum $name:ident {
            $( $(#[$($attribute:tt)+])+ $pattern:ident => $description:literal, )*
        }
        spelled {
            $( $spelled:ident $spelling:tt, )*
        }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, logos::Logos)]
        $(#[$($meta)+])+
        $visibility enum $name {
            $( $(#[$($attribute)+])+ $pattern, )*
            $( #[doc = concat!("`", $spelling, "`")] #[token($spelling)] $spelled, )*
        }

        impl $crate::token::Lexeme for $name {
            fn description(self) -> &'static str {
                match self {
                    $( Self::$pattern => $description, )*
                    $( Self::$spelled => concat!("`", $spelling, "`"), )*
                }
            }
        }
    };
}

pub(crate) use lexemes;

lexemes! {
    /// A token of the assembly languages. Its text is the slice that its span covers.
    #[logos(skip r"[ \t\r\n\x0b\x0c]+")]
    #[logos(skip(r"#[^\n\r]*", allow_greedy = true))]
    pub enum Token {
        /// Opcodes, names, swizzles.
        #[regex(r"[A-Za-z_$][A-Za-z0-9_$]*")]
        Name => "a name",
        /// A number without sign; a point and an exponent may follow the digits.
        #[regex(r"[0-9]+|\.[0-9]+", extend_number)]
        Number => "a number",
        /// Bits in hexadecimal after `0x`.
        #[regex(r"0x[0-9A-Fa-f]+")]
        Bits => "hexadecimal bits",
        /// The texture targets that begin with a digit.
        #[token("1D")]
        #[token("2D")]
        #[token("3D")]
        Target => "a texture target",
    }
    spelled {
        Range "..",
        Dot ".",
        Comma ",",
        Semicolon ";",
        Colon ":",
        Equals "=",
        Plus "+",
        Minus "-",
        Bar "|",
        And "&",
        Not "!",
        Slash "/",
        OpenBracket "[",
        CloseBracket "]",
        OpenBrace "{",
        CloseBrace "}",
        OpenParenthesis "(",
        CloseParenthesis ")",
    }
}

/// Extends a number by its fraction and exponent. A point belongs to the number unless another point follows, as in `0..3`,
/// or a letter that is not an exponent, as in `1.x`.
fn extend_number(lexer: &mut logos::Lexer<'_, Token>) {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = lexer.remainder().as_bytes();
    let mut taken = 0;
    if !lexer.slice().starts_with('.') && rest.first() == Some(&b'.') {
        let fraction = digits(&rest[1..]);
        let has_exponent = exponent_length(&rest[1 + fraction..]) > 0;
        let next = rest.get(1);
        let ends = next.is_none_or(|next| *next != b'.' && !next.is_ascii_alphabetic() && *next != b'_');
        if fraction > 0 || has_exponent || ends {
            taken = 1 + fraction;
        }
    }
    taken += exponent_length(&rest[taken..]);
    lexer.bump(taken);
}

/// The length of `e-12`, 0 where there is no exponent.
fn exponent_length(bytes: &[u8]) -> usize {
    if !matches!(bytes.first(), Some(b'e' | b'E')) {
        return 0;
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = bytes[1 + sign..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 { 0 } else { 1 + sign + digits }
}

/// Splits the text after byte `start`.
///
/// # Errors
/// When some text is not a token.
pub fn tokens<T: Lexeme>(text: &str, start: usize) -> Result<Vec<(T, Span)>, Diagnostic> {
    let mut found = Vec::new();
    for (token, span) in T::lexer(&text[start..]).spanned() {
        let span = span.start + start..span.end + start;
        match token {
            Ok(token) => found.push((token, span)),
            Err(()) => {
                let what: String = text[span.clone()].chars().take(1).collect();
                return Err(Diagnostic::new(span, format!("`{}` has no meaning here", what.escape_debug()))
                    .label("not a part of the language"));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};

    fn split(text: &str) -> Vec<&str> {
        tokens::<Token>(text, 0).unwrap().into_iter().map(|(_, span)| &text[span]).collect()
    }

    #[test]
    fn numbers_end_where_ranges_and_swizzles_begin() {
        assert_eq!(split("0..3"), ["0", "..", "3"]);
        assert_eq!(split("1.5e-3 .5 2. 7e2,1.x 3.e1"), ["1.5e-3", ".5", "2.", "7e2", ",", "1", ".", "x", "3.e1"]);
        assert_eq!(split("1.e 5e"), ["1", ".", "e", "5", "e"]);
    }

    #[test]
    fn statements_are_split_and_comments_fall_away() {
        let text = "MADC R0.xyz (GT.x), -|c[A0.x+5]|, f[TEX0], 2D; # rest\r\nEND";
        assert_eq!(split(text).join(" "), "MADC R0 . xyz ( GT . x ) , - | c [ A0 . x + 5 ] | , f [ TEX0 ] , 2D ; END");
        assert_eq!(tokens::<Token>("2D", 0).unwrap()[0].0, Token::Target);
        assert_eq!(tokens::<Token>("2DX", 0).unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_token_is_an_error_with_its_place() {
        let error = tokens::<Token>("!!VP1.0 MOV @", 7).unwrap_err();
        assert_eq!((error.span.clone(), error.message.as_str()), (12..13, "`@` has no meaning here"));
        assert!(tokens::<Token>("é", 0).is_err());
    }
}
