//! Reads the peak memory use of the process.

/// The peak resident size of this process in bytes; `None` if the system does not report it.
#[must_use]
pub fn peak_memory_bytes() -> Option<u64> {
    // Linux: proc(5).
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Parses the text of `/proc/self/status`.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status() {
        assert_eq!(peak_of("Name:\tcurie\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n"), Some(12_345 * 1024));
        assert_eq!(peak_of("Name:\tcurie\n"), None);
    }
}
