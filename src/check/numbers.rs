//! Compares the numbers of two JSON values by their places: counters, and the results of models.

use serde_json::Value;

/// A place at which two values differ.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct NumberDifference {
    /// The place, as `counters.raster.quads` or `draws[3].counters.raster.quads`.
    pub place: String,
    /// Both values; `null` if there is none.
    pub sides: [Value; 2],
}

impl NumberDifference {
    /// Describes it in words, with the change of a number in percent.
    #[must_use]
    pub fn describe(&self) -> String {
        let [left, right] = &self.sides;
        let change = match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) if left != 0.0 => format!(" ({:+.2}%)", (right - left) / left * 100.0),
            _ => String::new(),
        };
        format!("{}: {left}, {right}{change}", self.place)
    }
}

/// Finds where two values differ, in the order of the first, then of the second.
#[must_use]
pub fn compare_numbers(left: &Value, right: &Value) -> Vec<NumberDifference> {
    let mut found = Vec::new();
    compare(String::new(), left, right, &mut found);
    found
}

fn compare(place: String, left: &Value, right: &Value, found: &mut Vec<NumberDifference>) {
    const NOTHING: Value = Value::Null;
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let only_right = right.keys().filter(|key| !left.contains_key(*key));
            for key in left.keys().chain(only_right) {
                let dot = if place.is_empty() { "" } else { "." };
                let [left, right] = [left, right].map(|object| object.get(key).unwrap_or(&NOTHING));
                compare(format!("{place}{dot}{key}"), left, right, found);
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let [left, right] = [left, right].map(|array| array.get(index).unwrap_or(&NOTHING));
                compare(format!("{place}[{index}]"), left, right, found);
            }
        }
        _ if left == right => {}
        _ => found.push(NumberDifference { place, sides: [left.clone(), right.clone()] }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_differences_are_found_at_their_places() {
        let left = serde_json::json!({ "counters": { "raster": { "quads": 10 } }, "draws": [{ "a": 1 }, { "a": 2 }] });
        assert_eq!(compare_numbers(&left, &left), []);
        let mut right = left.clone();
        right["counters"]["raster"]["quads"] = 15.into();
        right["draws"][1]["a"] = 3.into();
        right["draws"][1]["b"] = "x".into();
        let found: Vec<_> = compare_numbers(&left, &right).iter().map(NumberDifference::describe).collect();
        assert_eq!(
            found,
            ["counters.raster.quads: 10, 15 (+50.00%)", "draws[1].a: 2, 3 (+50.00%)", "draws[1].b: null, \"x\""]
        );
        assert_eq!(compare_numbers(&left["draws"], &right["counters"]).len(), 1);
    }
}
