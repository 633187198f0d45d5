//! Decodes the words of pushes into (subchannel, method, value), as the DMA pusher of G80 to MCP89 does in IB mode.
//!
//! In IB mode the chip reads pushes from a list of addresses and lengths, so jumps, calls and returns are no commands, and
//! a packet may begin in one push and end in another. Source: envytools, `docs/hw/fifo/dma-pusher.rst`.

use super::packet::{Command, MethodWrite};

/// The count of methods in the word after a long packet's.
const LONG_COUNT: u32 = 0x00ff_ffff;

/// A word that is no command in IB mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("pusher error 4: {word:#010x} is no command")]
pub struct InvalidCommand {
    /// The word.
    pub word: u32,
}

/// The state of the pusher between two words.
#[derive(Debug, Default)]
pub struct IbPusher {
    subchannel: u8,
    method: u16,
    remaining: u32,
    is_increasing: bool,
    /// Whether the next word is the count of a long packet.
    is_long: bool,
    /// Whether no method of the packet has been read.
    is_new: bool,
}

impl IbPusher {
    /// Reads a word; returns the method that it completes.
    ///
    /// # Errors
    /// When a packet should begin, and the word is no command.
    pub fn word(&mut self, word: u32) -> Result<Option<MethodWrite>, InvalidCommand> {
        if self.is_long {
            (self.is_long, self.remaining) = (false, word & LONG_COUNT);
            return Ok(None);
        }
        if self.remaining == 0 {
            return self.begin(word).map(|()| None);
        }
        let Self { subchannel, method, is_new, .. } = *self;
        self.is_new = false;
        self.remaining -= 1;
        if self.is_increasing {
            self.method = (method + 4) & 0x1ffc;
        }
        Ok(Some(MethodWrite { subchannel, method, value: word, begins_packet: is_new }))
    }

    fn begin(&mut self, word: u32) -> Result<(), InvalidCommand> {
        *self = if word & 0xffff_0003 == 0x0003_0000 {
            let (subchannel, method) = ((word >> 13 & 7) as u8, (word & 0x1ffc) as u16);
            Self { subchannel, method, remaining: 0, is_increasing: false, is_long: true, is_new: true }
        } else if let Some(Command::Methods { subchannel, method, count, is_increasing }) = Command::decode(word) {
            Self { subchannel, method, remaining: count.into(), is_increasing, is_long: false, is_new: true }
        } else {
            return Err(InvalidCommand { word });
        };
        Ok(())
    }

    /// How many of the words that follow are for the method that was read last.
    #[must_use]
    pub const fn repeats(&self) -> u32 {
        if self.is_increasing { 0 } else { self.remaining }
    }

    /// Skips words of [`Self::repeats`].
    pub const fn skip(&mut self, words: u32) {
        self.remaining = self.remaining.saturating_sub(words);
    }

    /// Whether no packet is open.
    #[must_use]
    pub const fn is_between_packets(&self) -> bool {
        self.remaining == 0 && !self.is_long
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(words: &[u32]) -> Result<Vec<(u8, u16, u32, bool)>, InvalidCommand> {
        let mut pusher = IbPusher::default();
        let mut writes = Vec::new();
        for &word in words {
            let write = pusher.word(word)?;
            writes.extend(write.map(|write| (write.subchannel, write.method, write.value, write.begins_packet)));
        }
        Ok(writes)
    }

    /// The forms of the table in `dma-pusher.rst`: count in bits 18 to 28, subchannel in 13 to 15, method in 2 to 12.
    #[test]
    fn packets_of_all_forms() {
        let increasing = 2 << 18 | 3 << 13 | 0x1b08;
        let non_increasing = 0x4000_0000 | 2 << 18 | 4 << 13 | 0x860;
        let long = 0x0003_0000 | 5 << 13 | 0x15e8;
        let words = [increasing, 7, 8, 0, non_increasing, 9, 10, long, 0xff00_0003, 1, 2, 3, increasing, 4, 5];
        let expected = [
            (3, 0x1b08, 7, true),
            (3, 0x1b0c, 8, false),
            (4, 0x860, 9, true),
            (4, 0x860, 10, false),
            (5, 0x15e8, 1, true),
            (5, 0x15e8, 2, false),
            (5, 0x15e8, 3, false),
            (3, 0x1b08, 4, true),
            (3, 0x1b0c, 5, false),
        ];
        assert_eq!(run(&words), Ok(expected.to_vec()));
        // Data are no commands, whatever they look like.
        assert_eq!(run(&[1 << 18, 0x0002_0000]), Ok(vec![(0, 0, 0x0002_0000, true)]));
    }

    #[test]
    fn control_flow_is_no_command() {
        // A return, an old jump, a jump, a call, the SLI condition, and methods of Fermi.
        for word in [0x0002_0000, 0x2000_1000, 0x1001, 0x1002, 0x0001_0000, 0x6000_0000, 0x8000_0000] {
            assert_eq!(run(&[0, word]), Err(InvalidCommand { word }));
        }
    }

    #[test]
    fn a_packet_is_open_until_its_last_word() {
        let mut pusher = IbPusher::default();
        let mut states = Vec::new();
        for word in [0x0003_0000, 1, 0, 1 << 18 | 0x100, 5] {
            pusher.word(word).expect("commands and data");
            states.push(pusher.is_between_packets());
        }
        assert_eq!(states, [false, false, true, false, true]);
    }
}
