//! Checks the value of a parameter against its type and legal range.

use std::fmt;

/// The legal values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Legal {
    /// A whole number in this range.
    Whole(u32, u32),
    /// A power of two in this range.
    PowerOfTwo(u32, u32),
    /// A number in this range.
    Number(f64, f64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// True or false.
    Flag,
}

/// A parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A whole number.
    Whole(u32),
    /// A number.
    Number(f64),
    /// A word.
    Choice(&'static str),
    /// True or false.
    Flag(bool),
}

/// The value in a file before it is known to be legal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Given<'a> {
    /// An integer.
    Integer(i64),
    /// A float.
    Float(f64),
    /// A string.
    Text(&'a str),
    /// A boolean.
    Flag(bool),
}

/// Why a given value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is of another type.
    Type,
    /// It is out of range.
    Range,
}

impl Legal {
    /// The name of the type of such values.
    pub(super) fn type_name(self) -> &'static str {
        match self {
            Self::Whole(..) | Self::PowerOfTwo(..) => "an integer",
            Self::Number(..) => "a number",
            Self::Choice(_) => "a string",
            Self::Flag => "a boolean",
        }
    }

    /// The value, if it is legal.
    pub(super) fn check(self, given: Given<'_>) -> Result<Value, Refusal> {
        match (self, given) {
            (Self::Whole(least, most), Given::Integer(number)) => {
                whole_within(number, least, most).map(Value::Whole).ok_or(Refusal::Range)
            }
            (Self::PowerOfTwo(least, most), Given::Integer(number)) => {
                let within = whole_within(number, least, most).filter(|whole| whole.is_power_of_two());
                within.map(Value::Whole).ok_or(Refusal::Range)
            }
            (Self::Number(least, most), Given::Integer(_) | Given::Float(_)) => {
                let number = match given {
                    // An integer beyond 32 bits is outside every range.
                    Given::Integer(integer) => i32::try_from(integer).map_or(f64::INFINITY, f64::from),
                    Given::Float(float) => float,
                    Given::Text(_) | Given::Flag(_) => return Err(Refusal::Type),
                };
                // NaN is outside every range.
                if (least..=most).contains(&number) { Ok(Value::Number(number)) } else { Err(Refusal::Range) }
            }
            (Self::Choice(words), Given::Text(text)) => {
                words.iter().find(|word| **word == text).map(|word| Value::Choice(word)).ok_or(Refusal::Range)
            }
            (Self::Flag, Given::Flag(flag)) => Ok(Value::Flag(flag)),
            _ => Err(Refusal::Type),
        }
    }
}

fn whole_within(number: i64, least: u32, most: u32) -> Option<u32> {
    u32::try_from(number).ok().filter(|whole| (least..=most).contains(whole))
}

impl fmt::Display for Legal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(least, most) => write!(f, "{least} to {most}"),
            Self::PowerOfTwo(least, most) => write!(f, "a power of two from {least} to {most}"),
            Self::Number(least, most) => write!(f, "{least} to {most}"),
            Self::Choice(words) => write!(f, "{}", words.join(" or ")),
            Self::Flag => write!(f, "true or false"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => write!(f, "{whole}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Choice(word) => write!(f, "{word}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

impl fmt::Display for Given<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Float(float) => write!(f, "{float}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// A type that a field of a machine may have.
pub(super) trait Field: Sized {
    /// The field's value, unless it is of another kind.
    fn from_value(value: Value) -> Option<Self>;
}

impl Field for u32 {
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Whole(whole) = value { Some(whole) } else { None }
    }
}

impl Field for f64 {
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Number(number) = value { Some(number) } else { None }
    }
}

impl Field for bool {
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Flag(flag) = value { Some(flag) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_their_ends_and_nothing_beyond() {
        for (given, expected) in [(0, Err(Refusal::Range)), (1, Ok(1)), (9, Ok(9)), (10, Err(Refusal::Range))] {
            assert_eq!(Legal::Whole(1, 9).check(Given::Integer(given)), expected.map(Value::Whole));
        }
        for beyond in [-1, i64::MIN, i64::MAX, 1 << 32] {
            assert_eq!(Legal::Whole(0, u32::MAX).check(Given::Integer(beyond)), Err(Refusal::Range));
            assert_eq!(Legal::Number(0.0, 4e9).check(Given::Integer(beyond)), Err(Refusal::Range));
        }
        let powers: Vec<_> =
            (0..40).filter(|&given| Legal::PowerOfTwo(2, 32).check(Given::Integer(given)).is_ok()).collect();
        assert_eq!(powers, [2, 4, 8, 16, 32]);
        let tenth = Legal::Number(0.1, 2.0);
        assert_eq!(tenth.check(Given::Float(0.1)), Ok(Value::Number(0.1)));
        assert_eq!(tenth.check(Given::Integer(2)), Ok(Value::Number(2.0)));
        for beyond in [0.0, 2.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(tenth.check(Given::Float(beyond)), Err(Refusal::Range));
        }
    }

    #[test]
    fn another_type_is_not_a_value_out_of_range() {
        assert_eq!(Legal::Whole(1, 9).check(Given::Float(2.0)), Err(Refusal::Type));
        assert_eq!(Legal::Number(1.0, 9.0).check(Given::Text("2")), Err(Refusal::Type));
        assert_eq!(Legal::Flag.check(Given::Integer(1)), Err(Refusal::Type));
        assert_eq!(Legal::Choice(&["a", "b"]).check(Given::Flag(true)), Err(Refusal::Type));
        assert_eq!(Legal::Choice(&["a", "b"]).check(Given::Text("c")), Err(Refusal::Range));
        assert_eq!(Legal::Choice(&["a", "b"]).check(Given::Text("b")), Ok(Value::Choice("b")));
    }
}
