//! Reads the numbers in the names of registers.

/// The n of `R12`, below a limit, without leading zeros.
pub(super) fn numbered(name: &str, prefix: &str, limit: u8) -> Option<u8> {
    let digits = name.strip_prefix(prefix)?;
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|&number| is_plain && number < limit)
}
