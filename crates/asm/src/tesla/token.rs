//! The tokens of the Tesla processor's assembly language.

use super::super::token::lexemes;

lexemes! {
    /// A token. Its text is the slice that its span covers.
    #[logos(skip r"[ \t\r\n\x0b\x0c]+")]
    #[logos(skip(r"//[^\n\r]*", allow_greedy = true))]
    pub(super) enum TeslaToken {
        /// Operations, their variants, spaces, labels; names of kernels and variables, which PTX lets begin with `%`.
        #[regex(r"[A-Za-z_%][A-Za-z0-9_$]*")]
        Name => "a name",
        /// A directive with its dot.
        #[regex(r"\.[A-Za-z]+")]
        Directive => "a directive",
        /// A register with its dollar sign, or a name that begins with one.
        #[regex(r"\$[A-Za-z0-9_$]+")]
        Register => "a register",
        /// A number in hexadecimal after `0x`.
        #[regex(r"0x[0-9A-Fa-f]+")]
        Bits => "a number",
        /// A decimal number.
        #[regex(r"[0-9]+")]
        Number => "a number",
        /// A number with a point.
        #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
        Float => "a number with a point",
        /// `#`: no register.
        #[token("#")]
        Hash => "`#`",
    }
    spelled {
        PlusPlus "++",
        Plus "+",
        Minus "-",
        Colon ":",
        OpenBracket "[",
        CloseBracket "]",
        OpenParenthesis "(",
        CloseParenthesis ")",
    }
}
