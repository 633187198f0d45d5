//! The time that the driver reads from the device and that the chip writes to reports.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds of the system's monotonic clock. The library and the emulator run on one system, so they need no message
/// to agree.
#[must_use]
pub fn nanoseconds() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::nanoseconds;

    #[test]
    fn a_pause_takes_its_nanoseconds() {
        let before = nanoseconds();
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(nanoseconds() - before >= 2_000_000);
    }
}
