//! Formats numbers for people.

/// Formats a number with thousands separators and `digits` decimals.
pub(super) fn grouped(value: f64, digits: usize) -> String {
    // The sum of no numbers is -0.
    group(&format!("{:.digits$}", value + 0.0))
}

/// A whole number with thousands separators.
pub(super) fn whole(value: u64) -> String {
    group(&value.to_string())
}

fn group(plain: &str) -> String {
    let (sign, unsigned) = plain.strip_prefix('-').map_or(("", plain), |rest| ("-", rest));
    let (integer, fraction) = unsigned.split_at(unsigned.find('.').unwrap_or(unsigned.len()));
    let mut text = sign.to_owned();
    for (index, digit) in integer.chars().enumerate() {
        if index > 0 && (integer.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// A large number with three digits and an SI prefix: 1.65 M. Numbers below 10,000 are printed in full.
pub(super) fn scaled(value: f64) -> String {
    const PREFIXES: [(f64, &str); 5] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let prefix = PREFIXES.iter().find(|(scale, _)| value.abs() >= *scale);
    match prefix {
        Some((scale, prefix)) if value.abs() >= 1e4 => {
            let scaled = value / scale;
            let digits = if scaled.abs() < 10.0 { 2 } else { usize::from(scaled.abs() < 100.0) };
            format!("{} {prefix}", grouped(scaled, digits))
        }
        _ => grouped(value, if value.fract() == 0.0 { 0 } else { 2 }),
    }
}

/// A number of bytes, in decimal multiples.
pub(super) fn bytes(value: f64) -> String {
    let text = scaled(value);
    if text.ends_with(char::is_alphabetic) { format!("{text}B") } else { format!("{text} B") }
}

/// A percentage; `None` if the whole is zero.
pub(super) fn percent(part: f64, all: f64) -> Option<f64> {
    (all > 0.0).then(|| 100.0 * part / all)
}

/// Replaces characters that a terminal would interpret.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let texts = [0, 999, 1000, 123_456, u64::MAX].map(whole);
        assert_eq!(texts, ["0", "999", "1,000", "123,456", "18,446,744,073,709,551,615"]);
        assert_eq!(grouped(-1234.56, 1), "-1,234.6");
        assert_eq!(grouped(0.5, 2), "0.50");
        assert_eq!(grouped(-0.0, 1), "0.0");
    }

    #[test]
    fn large_numbers_keep_three_digits() {
        let texts = [0.0, 0.25, 9999.0, 12_345.0, 1_654_220.0, 250e6, 35.2e9].map(scaled);
        assert_eq!(texts, ["0", "0.25", "9,999", "12.3 k", "1.65 M", "250 M", "35.2 G"]);
        assert_eq!([512.0, 1_654_220.0].map(bytes), ["512 B", "1.65 MB"]);
    }

    #[test]
    fn a_terminal_obeys_nothing_that_is_printed() {
        assert_eq!(printable("quads\u{1b}[2J\n"), "quads\u{fffd}[2J\u{fffd}");
    }
}
