//! Names the position in a JSON text that a parse error refers to.

use super::ReportError;

/// Turns a parser error into one that names the key.
pub(super) fn explain(text: &[u8], error: serde_json::Error) -> ReportError {
    if !error.is_data() {
        return ReportError::NotJson(error);
    }
    let line_start = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum::<usize>();
    let end = (line_start + error.column()).min(text.len());
    ReportError::Key { place: place(&text[..end]), message: error.to_string() }
}

/// One level of nesting.
enum Step<'t> {
    /// A member of an object: the raw text of its key.
    Member(&'t [u8]),
    /// An element of an array.
    Element(usize),
}

/// The position in a JSON text after its first bytes, as `draws[3].counters`.
fn place(text: &[u8]) -> String {
    let mut steps = Vec::new();
    let mut string = &text[..0];
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match (byte, steps.last_mut()) {
            (b'"', _) => {
                let start = at + 1;
                at = string_end(text, start);
                string = &text[start.min(at)..at];
            }
            (b':', Some(Step::Member(key))) => *key = string,
            (b',', Some(Step::Element(index))) => *index += 1,
            (b'{', _) => steps.push(Step::Member(&text[..0])),
            // For a value that is rejected because it is an array, name the value, not its first element.
            (b'[', _) if at + 1 < text.len() => steps.push(Step::Element(0)),
            (b'}' | b']', _) => drop(steps.pop()),
            _ => {}
        }
        at += 1;
    }
    let mut name = String::new();
    for step in steps {
        match step {
            Step::Member([]) => {}
            Step::Member(key) => {
                let dot = if name.is_empty() { "" } else { "." };
                name.push_str(&format!("{dot}{}", String::from_utf8_lossy(key)));
            }
            Step::Element(index) => name.push_str(&format!("[{index}]")),
        }
    }
    if name.is_empty() { "the file".to_owned() } else { name }
}

/// The index of the quotation mark that ends a string, or the end of the text.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// An error that names a key.
pub(super) fn wrong(place: String, message: String) -> Result<(), ReportError> {
    Err(ReportError::Key { place, message })
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_are_named_from_the_outside_in() {
        for (text, expected) in [
            ("", "the file"),
            ("{\"a\": 1", "a"),
            ("{\"a\": [1, 2, 3", "a[2]"),
            ("{\"a\": [{}, {\"b\": {\"c\": \"x\"", "a[1].b.c"),
            ("{\"a\": [{\"b\": 1}", "a[0]"),
            ("{\"a\": {\"b\": [", "a.b"),
            ("{\"a\\\"[{\": 5", "a\\\"[{"),
            ("{\"a\": \"[[[{,", "a"),
            ("[[[1], 5", "[0][1]"),
        ] {
            assert_eq!(place(text.as_bytes()), expected, "{text}");
        }
    }
}
