//! Arguments of a kernel from text: numbers, files and lists.

use std::path::Path;
use std::str::FromStr;

use crate::files;

/// The largest file of a buffer: more global memory no Tesla board has.
pub(super) const MAX_BYTES: u64 = 4 << 30;

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A signed integer.
    Signed(i32),
    /// An unsigned integer.
    Unsigned(u32),
    /// A single-precision float as bits.
    Float(u32),
    /// Global memory with these bytes; the kernel gets its address.
    Buffer(Vec<u8>),
    /// These bytes themselves: a structure, or a number of 64 bits.
    Bytes(Vec<u8>),
}

/// Why a text is not an argument.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    /// It names no known kind.
    #[error(
        "'{text}' is not an argument; write i32:5, u32:0x10, f32:1.5, f32:[1,2,…], zeros:BYTES, buf:FILE or bytes:00ff…"
    )]
    Kind {
        /// The text.
        text: String,
    },
    /// A number is not one of the kind.
    #[error("'{number}' is not a number of kind {kind}")]
    Number {
        /// The number.
        number: String,
        /// `i32`, `u32` or `f32`, or `bytes` for a size or digits.
        kind: &'static str,
    },
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl FromStr for Argument {
    type Err = ArgumentError;

    fn from_str(text: &str) -> Result<Self, ArgumentError> {
        let unknown = || ArgumentError::Kind { text: text.to_owned() };
        let (kind, value) = text.split_once(':').ok_or_else(unknown)?;
        match kind {
            "i32" => numbers(value, signed, |bits| Self::Signed(bits.cast_signed())),
            "u32" => numbers(value, |number| unsigned(number, "u32"), Self::Unsigned),
            "f32" => numbers(value, float, Self::Float),
            "zeros" => Ok(Self::Buffer(vec![0; unsigned(value, "bytes")? as usize])),
            "buf" => match files::read(Path::new(value), MAX_BYTES) {
                Ok(bytes) => Ok(Self::Buffer(bytes)),
                Err(source) => Err(ArgumentError::File { path: value.to_owned(), source }),
            },
            "bytes" => hexadecimal(value).map(Self::Bytes),
            _ => Err(unknown()),
        }
    }
}

/// Bytes of two hexadecimal digits each.
fn hexadecimal(text: &str) -> Result<Vec<u8>, ArgumentError> {
    let wrong = || ArgumentError::Number { number: text.to_owned(), kind: "bytes" };
    let digits = |pair: &[u8; 2]| {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()
    };
    match text.as_bytes().as_chunks() {
        (pairs, []) => pairs.iter().map(digits).collect::<Option<_>>().ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

/// One number, or a buffer of the numbers in brackets.
fn numbers(
    text: &str,
    read: impl Fn(&str) -> Result<u32, ArgumentError>,
    scalar: impl Fn(u32) -> Argument,
) -> Result<Argument, ArgumentError> {
    let Some(list) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return read(text).map(scalar);
    };
    let mut bytes = Vec::new();
    if !list.trim().is_empty() {
        for number in list.split(',') {
            bytes.extend(read(number.trim())?.to_le_bytes());
        }
    }
    Ok(Argument::Buffer(bytes))
}

fn unsigned(text: &str, kind: &'static str) -> Result<u32, ArgumentError> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.map_err(|_| ArgumentError::Number { number: text.to_owned(), kind })
}

fn signed(text: &str) -> Result<u32, ArgumentError> {
    let number: Result<i32, _> = text.parse();
    number.map(i32::cast_unsigned).map_err(|_| ArgumentError::Number { number: text.to_owned(), kind: "i32" })
}

/// A float; digits after `0x` are its bits.
fn float(text: &str) -> Result<u32, ArgumentError> {
    if text.starts_with("0x") {
        return unsigned(text, "f32");
    }
    let number: Result<f32, _> = text.parse();
    number.map(f32::to_bits).map_err(|_| ArgumentError::Number { number: text.to_owned(), kind: "f32" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Argument {
        text.parse().unwrap()
    }

    fn error(text: &str) -> String {
        text.parse::<Argument>().unwrap_err().to_string()
    }

    #[test]
    fn numbers_and_buffers_are_read() {
        assert_eq!(read("i32:-5"), Argument::Signed(-5));
        assert_eq!(read("u32:0xffffffff"), Argument::Unsigned(u32::MAX));
        assert_eq!(read("f32:-1.5"), Argument::Float(0xbfc0_0000));
        assert_eq!(read("f32:0x7fffffff"), Argument::Float(0x7fff_ffff));
        assert_eq!(read("f32:[1, 2.5]"), Argument::Buffer(vec![0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40]));
        assert_eq!(read("i32:[-1]"), Argument::Buffer(vec![0xff; 4]));
        assert_eq!(read("u32:[]"), Argument::Buffer(Vec::new()));
        assert_eq!(read("zeros:0x10"), Argument::Buffer(vec![0; 16]));
        assert_eq!(read("bytes:00fF7e"), Argument::Bytes(vec![0, 0xff, 0x7e]));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(error("5").starts_with("'5' is not an argument; write i32:5"));
        assert!(error("f64:5").starts_with("'f64:5' is not an argument"));
        assert_eq!(error("i32:5.5"), "'5.5' is not a number of kind i32");
        assert_eq!(error("f32:[1,x]"), "'x' is not a number of kind f32");
        assert_eq!(error("zeros:-1"), "'-1' is not a number of kind bytes");
        assert_eq!(error("bytes:123"), "'123' is not a number of kind bytes");
        assert_eq!(error("bytes:1g"), "'1g' is not a number of kind bytes");
        assert!(error("buf:/does/not/exist").starts_with("/does/not/exist: "));
    }
}
