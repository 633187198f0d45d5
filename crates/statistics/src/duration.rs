//! Times as text.

/// A time as text, in milliseconds or microseconds.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if seconds < 1e-3 { format!("{:.2} µs", 1e6 * seconds) } else { format!("{:.3} ms", 1e3 * seconds) }
}
