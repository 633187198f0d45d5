//! Tracks which buffer the display reads and which the client draws to: the counters of the flip methods.

use crate::command::methods::three_d::sync as methods;

/// The counters. Both wrap at `count`; 0 means that they do not wrap.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct FlipCounters {
    read: u32,
    write: u32,
    count: u32,
}

impl FlipCounters {
    /// The buffers that the display reads and the client draws to.
    pub(super) const fn buffers(self) -> (u32, u32) {
        (self.read, self.write)
    }

    const fn next(self, buffer: u32) -> u32 {
        match buffer.checked_add(1) {
            Some(next) if self.count == 0 || next < self.count => next,
            _ => 0,
        }
    }

    /// Executes one method.
    ///
    /// Unverified: sources differ on which of the first two methods sets which counter. A wait ends at once: there
    /// is no display, so the buffer that the client waits for counts as shown.
    pub(super) const fn method(&mut self, method: u16, value: u32) {
        match method {
            methods::FLIP_SET_READ => self.read = value,
            methods::FLIP_SET_WRITE => self.write = value,
            methods::FLIP_MAX => self.count = value,
            methods::FLIP_INCR_WRITE => self.write = self.next(self.write),
            _ if self.read == self.write => self.read = self.next(self.read),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_runs_ahead_of_the_display() {
        let mut flip = FlipCounters::default();
        for (method, value, expected) in [
            (methods::FLIP_SET_READ, 1, (1, 0)),
            (methods::FLIP_SET_WRITE, 0, (1, 0)),
            (methods::FLIP_MAX, 2, (1, 0)),
            (methods::FLIP_WAIT, 0, (1, 0)),
            (methods::FLIP_INCR_WRITE, 0, (1, 1)),
            (methods::FLIP_WAIT, 0, (0, 1)),
            (methods::FLIP_INCR_WRITE, 0, (0, 0)),
            (methods::FLIP_WAIT, 0, (1, 0)),
        ] {
            flip.method(method, value);
            assert_eq!((flip.read, flip.write), expected, "{method:#x}");
        }
    }

    #[test]
    fn counters_do_not_overflow() {
        let mut flip = FlipCounters { read: u32::MAX, write: u32::MAX, count: 0 };
        flip.method(methods::FLIP_WAIT, 0);
        flip.method(methods::FLIP_INCR_WRITE, 0);
        assert_eq!((flip.read, flip.write), (0, 0));
    }
}
