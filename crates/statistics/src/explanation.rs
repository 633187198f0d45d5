//! Defines what all explanations of a schedule share.

use std::fmt::Display;

/// A program with its schedule; displays as text.
pub trait Explanation: Display {
    /// The schedule as one JSON object.
    fn to_json(&self) -> serde_json::Value;
}
