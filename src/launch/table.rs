//! A buffer as a table of numbers.

use std::str::FromStr;

use crate::named_enum;

named_enum! {
    /// What the columns of a table hold.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Column {
        /// Single-precision floats.
        F32 = "f32",
        /// Signed integers.
        I32 = "i32",
        /// Unsigned integers.
        U32 = "u32",
        /// Words in hexadecimal.
        X32 = "x32",
        /// Bytes.
        U8 = "u8",
    }
}

impl Column {
    const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::F32 | Self::I32 | Self::U32 | Self::X32 => 4,
        }
    }

    /// A value as text; the bytes are those of one value, or fewer at the end of a buffer.
    fn text(self, bytes: &[u8]) -> String {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        match self {
            Self::F32 => format!("{:?}", f32::from_le_bytes(word)),
            Self::I32 => i32::from_le_bytes(word).to_string(),
            Self::U32 | Self::U8 => u32::from_le_bytes(word).to_string(),
            Self::X32 => format!("{:08x}", u32::from_le_bytes(word)),
        }
    }
}

/// How a buffer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// What it holds.
    pub column: Column,
    /// How many values a row has.
    pub columns: usize,
}

/// Why a text describes no table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' describes no table; write f32, i32, u32, x32 or u8, and :COLUMNS")]
pub struct TableError {
    /// The text.
    pub text: String,
}

impl FromStr for Table {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Self, TableError> {
        let error = || TableError { text: text.to_owned() };
        let (name, columns) = text.split_once(':').unwrap_or((text, "8"));
        let column = name.parse().map_err(|_| error())?;
        match columns.parse() {
            Ok(columns @ 1..) => Ok(Self { column, columns }),
            _ => Err(error()),
        }
    }
}

impl Table {
    /// The values in order.
    #[must_use]
    pub fn values(&self, bytes: &[u8]) -> Vec<String> {
        bytes.chunks(self.column.bytes()).map(|value| self.column.text(value)).collect()
    }

    /// The rows, each after the number of its first value. Columns are aligned.
    #[must_use]
    pub fn rows(&self, bytes: &[u8]) -> Vec<String> {
        let values = self.values(bytes);
        let width = values.iter().map(String::len).max().unwrap_or(0);
        let numbers = values.len().saturating_sub(1).to_string().len();
        let row = |(number, row): (usize, &[String])| {
            let cells = row.iter().fold(String::new(), |line, value| format!("{line} {value:>width$}"));
            format!("{:>numbers$}:{cells}", number * self.columns)
        };
        values.chunks(self.columns).enumerate().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_become_rows() {
        let bytes: Vec<u8> = [1.5_f32, -2.0, f32::NAN].iter().flat_map(|value| value.to_le_bytes()).collect();
        let rows = |text: &str| text.parse::<Table>().unwrap().rows(&bytes);
        assert_eq!(rows("f32:2"), ["0:  1.5 -2.0", "2:  NaN"]);
        assert_eq!(rows("x32"), ["0: 3fc00000 c0000000 7fc00000"]);
        assert_eq!(rows("i32:1")[1], format!("1: {}", (-2.0_f32).to_bits().cast_signed()));
        assert_eq!(rows("u8:6")[1], " 6:   0 192   0   0 192 127");
        assert_eq!("f32".parse::<Table>().unwrap().rows(&[]), Vec::<String>::new());
    }

    #[test]
    fn other_tables_are_refused() {
        for text in ["f64", "f32:0", "f32:x", "", "f32:-1"] {
            assert_eq!(text.parse::<Table>(), Err(TableError { text: text.to_owned() }));
        }
    }
}
