//! Decodes words of a push buffer into (subchannel, method, value), as the FIFO's DMA pusher does.
//!
//! The forms of a command word are those of NV40 (envytools, `docs/hw/fifo/dma-pusher.rst`): increasing and
//! non-increasing methods, two jumps, call and return. `docs/undefined-bits.md` says of each bit where that is known from.

/// The meaning of a command word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `count` words follow for `method` of `subchannel`.
    Methods {
        /// The subchannel, 0..7.
        subchannel: u8,
        /// Byte address of the first method.
        method: u16,
        /// The number of words.
        count: u16,
        /// Whether each further word goes to the next method.
        is_increasing: bool,
    },
    /// Reading continues at an address.
    Jump {
        /// The address.
        target: u32,
    },
    /// Like a jump, but remembers the position after this word.
    Call {
        /// The address.
        target: u32,
    },
    /// Reading continues after the last call.
    Return,
}

/// One form of command words.
#[derive(Debug)]
pub struct CommandForm {
    /// Its name.
    pub name: &'static str,
    /// The bits that tell it from other forms.
    pub mask: u32,
    /// The value of these bits.
    pub value: u32,
    /// The bits that have a meaning; the pusher ignores those that are neither here nor in `mask`.
    pub operands: u32,
    command: fn(u32) -> Command,
}

impl CommandForm {
    /// Each form; no word matches two.
    pub const ALL: &'static [Self] = &[
        Self {
            name: "increasing methods",
            mask: 0xe003_0003,
            value: 0,
            operands: 0x1ffc_fffc,
            command: |word| Command::methods(word, true),
        },
        Self {
            name: "non-increasing methods",
            mask: 0xe003_0003,
            value: 0x4000_0000,
            operands: 0x1ffc_fffc,
            command: |word| Command::methods(word, false),
        },
        Self {
            name: "old jump",
            mask: 0xe000_0003,
            value: 0x2000_0000,
            operands: 0x1fff_fffc,
            command: |word| Command::Jump { target: word & 0x1fff_fffc },
        },
        Self {
            name: "jump",
            mask: 3,
            value: 1,
            operands: 0xffff_fffc,
            command: |word| Command::Jump { target: word & !3 },
        },
        // A PlayStation 3 calls offset 0 where bits 31:29 are set (RPCS3, pull request 5404).
        Self {
            name: "call",
            mask: 3,
            value: 2,
            operands: 0x1fff_fffc,
            command: |word| Command::Call { target: word & 0x1fff_fffc },
        },
        // A PlayStation 3 returns whatever the bits of a method's address hold (RPCS3, pull request 5185).
        Self { name: "return", mask: 0xffff_0003, value: RETURN, operands: 0, command: |_| Command::Return },
    ];
}

impl Command {
    /// Decodes a command word; `None` if it has no legal form.
    #[must_use]
    pub fn decode(word: u32) -> Option<Self> {
        CommandForm::ALL.iter().find(|form| word & form.mask == form.value).map(|form| (form.command)(word))
    }

    const fn methods(word: u32, is_increasing: bool) -> Self {
        Self::Methods {
            subchannel: (word >> 13 & 7) as u8,
            method: (word & 0x1ffc) as u16,
            count: (word >> 18 & 0x7ff) as u16,
            is_increasing,
        }
    }

    /// The command word for `count` methods.
    #[must_use]
    pub fn encode_methods(subchannel: u8, method: u16, count: u16, is_increasing: bool) -> u32 {
        let form = if is_increasing { 0 } else { 0x4000_0000 };
        form | u32::from(count & 0x7ff) << 18 | u32::from(subchannel & 7) << 13 | u32::from(method & 0x1ffc)
    }
}

/// The word that returns from a call and ends a submission.
pub const RETURN: u32 = 0x0002_0000;

/// The most data words of one packet.
pub const MAX_PACKET_WORDS: usize = 0x7ff;

/// One method write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodWrite {
    /// The subchannel, 0..7.
    pub subchannel: u8,
    /// Byte address of the method.
    pub method: u16,
    /// The value.
    pub value: u32,
    /// Whether it is the first of its packet.
    pub begins_packet: bool,
}

/// The memory from which the pusher reads words: guest addresses, four bytes apart.
pub trait WordSource {
    /// The word at an address; `None` if the address holds no readable memory.
    fn word(&mut self, address: u32) -> Option<u32>;
}

/// Why the pusher stops; the numbers are those that the chip reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// A call inside a subroutine.
    #[error("pusher error 1: call of {word:#010x} inside a subroutine, at {get:#x}")]
    CallInSubroutine {
        /// Address of the word.
        get: u32,
        /// The word.
        word: u32,
    },
    /// A return outside a subroutine.
    #[error("pusher error 3: return outside a subroutine, at {get:#x}")]
    ReturnOutsideSubroutine {
        /// Address of the word.
        get: u32,
        /// The word.
        word: u32,
    },
    /// The word matches no form of command.
    #[error("pusher error 4: {word:#010x} is no command, at {get:#x}")]
    InvalidCommand {
        /// Address of the word.
        get: u32,
        /// The word.
        word: u32,
    },
    /// The submission ends before its last packet does.
    #[error("the submission ends within a packet")]
    OpenPacket,
    /// The address holds no readable memory.
    #[error("pusher error 6: no push buffer at {get:#x}")]
    MemoryFault {
        /// The address.
        get: u32,
        /// The command whose words were being read, or zero.
        word: u32,
    },
    /// One submission reads more words than any real one: most likely it jumps in a loop.
    #[error("more than {limit} words in one submission, at {get:#x}")]
    Endless {
        /// The address that was reached.
        get: u32,
        /// The limit.
        limit: u32,
    },
}

impl PushError {
    /// The error number of the chip's pusher; `None` for limits of this emulator.
    #[must_use]
    pub const fn id(&self) -> Option<u32> {
        match self {
            Self::CallInSubroutine { .. } => Some(1),
            Self::ReturnOutsideSubroutine { .. } => Some(3),
            Self::InvalidCommand { .. } => Some(4),
            Self::MemoryFault { .. } => Some(6),
            Self::OpenPacket | Self::Endless { .. } => None,
        }
    }
}

/// The state of the pusher while it reads one piece of a push buffer.
#[derive(Debug)]
pub struct Pusher {
    get: u32,
    /// First address after the push, where reading ends even without a return.
    end: u32,
    is_called: bool,
    return_address: Option<u32>,
    packet: Packet,
    /// Remaining words that may be read; bounds jumps in a loop.
    budget: u32,
    limit: u32,
}

/// The packet whose words are being read.
#[derive(Debug, Clone, Copy, Default)]
struct Packet {
    header: u32,
    subchannel: u8,
    method: u16,
    remaining: u16,
    is_increasing: bool,
    /// Whether none of its methods has been read.
    is_new: bool,
}

impl Pusher {
    /// Starts reading at `start`, up to `end`, at most `limit` words. A return outside a call is an error.
    #[must_use]
    pub fn new(start: u32, end: u32, limit: u32) -> Self {
        Self {
            get: start,
            end,
            is_called: false,
            return_address: None,
            packet: Packet::default(),
            budget: limit,
            limit,
        }
    }

    /// Like [`Self::new`] for a piece that the client's main buffer calls, as recorded pushes are: a return ends
    /// it.
    ///
    /// Calls inside it are followed one level deep, although the chip itself would already be inside a subroutine.
    #[must_use]
    pub fn called(start: u32, end: u32, limit: u32) -> Self {
        Self { is_called: true, ..Self::new(start, end, limit) }
    }

    /// Remaining words that may be read.
    #[must_use]
    pub const fn budget(&self) -> u32 {
        self.budget
    }

    /// Where the words begin that follow for the method that was read last, and how many they are.
    #[must_use]
    pub const fn repeats(&self) -> (u32, u32) {
        let Packet { remaining, is_increasing, .. } = self.packet;
        let count = if is_increasing { 0 } else { remaining as u32 };
        (self.get, if count < self.budget { count } else { self.budget })
    }

    /// Skips words of [`Self::repeats`].
    pub const fn skip(&mut self, words: u16) {
        self.get = self.get.wrapping_add(4 * words as u32);
        self.budget = self.budget.saturating_sub(words as u32);
        self.packet.remaining = self.packet.remaining.saturating_sub(words);
    }

    /// The next method; `None` at the end.
    ///
    /// # Errors
    /// When the chip's pusher would stop with an error, or the limit is reached.
    pub fn next(&mut self, source: &mut impl WordSource) -> Result<Option<MethodWrite>, PushError> {
        loop {
            if self.packet.remaining > 0 {
                return self.next_of_packet(source).map(Some);
            }
            if self.get == self.end && self.return_address.is_none() {
                return Ok(None);
            }
            let get = self.get;
            let word = self.read(source)?;
            match Command::decode(word) {
                Some(Command::Methods { subchannel, method, count, is_increasing }) => {
                    self.packet =
                        Packet { header: word, subchannel, method, remaining: count, is_increasing, is_new: true };
                }
                Some(Command::Jump { target }) => self.get = target,
                Some(Command::Call { target }) => {
                    if self.return_address.is_some() {
                        return Err(PushError::CallInSubroutine { get, word });
                    }
                    self.return_address = Some(self.get);
                    self.get = target;
                }
                Some(Command::Return) => match self.return_address.take() {
                    Some(address) => self.get = address,
                    None if self.is_called => return Ok(None),
                    None => return Err(PushError::ReturnOutsideSubroutine { get, word }),
                },
                None => return Err(PushError::InvalidCommand { get, word }),
            }
        }
    }

    fn next_of_packet(&mut self, source: &mut impl WordSource) -> Result<MethodWrite, PushError> {
        let value = self.read(source)?;
        let packet = &mut self.packet;
        let write =
            MethodWrite { subchannel: packet.subchannel, method: packet.method, value, begins_packet: packet.is_new };
        packet.is_new = false;
        packet.remaining -= 1;
        if packet.is_increasing {
            // The method counter has 11 bits of words and wraps around.
            packet.method = (packet.method + 4) & 0x1ffc;
        }
        Ok(write)
    }

    fn read(&mut self, source: &mut impl WordSource) -> Result<u32, PushError> {
        let get = self.get;
        self.budget = self.budget.checked_sub(1).ok_or(PushError::Endless { get, limit: self.limit })?;
        let word = source.word(get).ok_or(PushError::MemoryFault { get, word: self.packet.header })?;
        self.get = get.wrapping_add(4);
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Words {
        start: u32,
        words: Vec<u32>,
    }

    impl WordSource for Words {
        fn word(&mut self, address: u32) -> Option<u32> {
            let index = address.checked_sub(self.start)? / 4;
            self.words.get(index as usize).copied()
        }
    }

    fn run(words: &[u32], length: u32) -> Result<Vec<(u8, u16, u32)>, PushError> {
        let mut source = Words { start: 0x1000, words: words.to_vec() };
        let mut pusher = Pusher::new(0x1000, 0x1000 + length * 4, 1000);
        let mut writes = Vec::new();
        while let Some(write) = pusher.next(&mut source)? {
            writes.push((write.subchannel, write.method, write.value));
        }
        Ok(writes)
    }

    #[test]
    fn increasing_and_non_increasing_packets() {
        let words = [0x0008_e200, 7, 8, 0x4008_0100, 9, 10, 0];
        let expected = [(7, 0x200, 7), (7, 0x204, 8), (0, 0x100, 9), (0, 0x100, 10)];
        assert_eq!(run(&words, 7).unwrap(), expected);
        assert_eq!(Command::encode_methods(7, 0x200, 2, true), words[0]);
        assert_eq!(Command::encode_methods(0, 0x100, 2, false), words[3]);
    }

    #[test]
    fn jumps_calls_and_returns() {
        // An old jump over a bad word, a call of a subroutine beyond the end, a new jump to the end.
        let words = [
            0x2000_1008,
            0xffff_ffff,
            0x1000 + 6 * 4 + 2,
            0x1000 + 5 * 4 + 1,
            0xffff_ffff,
            RETURN,
            0x0004_0100,
            5,
            RETURN,
        ];
        assert_eq!(run(&words, 5).unwrap(), [(0, 0x100, 5)]);
    }

    #[test]
    fn a_return_ends_a_called_piece() {
        for word in [RETURN, 0x0002_0050, 0x0002_e000, 0x0002_fffc] {
            let mut source = Words { start: 0, words: vec![0x0004_0100, 5, word, 0xffff_ffff] };
            let mut pusher = Pusher::called(0, 16, 1000);
            assert!(pusher.next(&mut source).unwrap().is_some());
            assert_eq!(pusher.next(&mut source), Ok(None), "{word:#x}");
        }
    }

    #[test]
    fn no_word_has_two_forms() {
        for (index, a) in CommandForm::ALL.iter().enumerate() {
            assert_eq!((a.mask & a.operands, a.value & !a.mask), (0, 0), "{}", a.name);
            for b in &CommandForm::ALL[index + 1..] {
                assert_ne!(a.value & b.mask, b.value & a.mask, "{} and {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn ignored_bits_change_nothing_and_all_others_matter() {
        for form in CommandForm::ALL {
            let command = Command::decode(form.value);
            for bit in (0..32).map(|position| 1 << position) {
                let changed = Command::decode(form.value ^ bit);
                let is_ignored = (form.mask | form.operands) & bit == 0;
                assert_eq!(command == changed, is_ignored, "{} {bit:#x}", form.name);
            }
        }
    }

    #[test]
    fn a_call_keeps_29_bits_of_its_target() {
        assert_eq!(Command::decode(0xe000_1002), Some(Command::Call { target: 0x1000 }));
        assert_eq!(Command::decode(0xe000_1001), Some(Command::Jump { target: 0xe000_1000 }));
        assert_eq!(Command::decode(0x3fff_fffc), Some(Command::Jump { target: 0x1fff_fffc }));
    }

    #[test]
    fn words_that_are_no_command() {
        // An address that is not a multiple of four (0x0004_0053, refused by a PlayStation 3), a return with the bit of
        // non-increasing methods, a return with a count, conditionals and long packets of other modes.
        for word in [0x0004_0053, 0x4002_0000, 0x0006_0000, 0x0001_0000, 0x0003_0100, 0x6000_0000, 0x8000_0100] {
            assert_eq!(Command::decode(word), None, "{word:#x}");
        }
    }

    #[test]
    fn a_packet_without_words_does_nothing() {
        assert_eq!(run(&[0x0000_0050, 0x4000_0050, 0x0004_0100, 5], 4).unwrap(), [(0, 0x100, 5)]);
    }

    #[test]
    fn errors_carry_id_position_and_word() {
        assert_eq!(run(&[0, 0x0001_0000], 2), Err(PushError::InvalidCommand { get: 0x1004, word: 0x0001_0000 }));
        assert_eq!(run(&[RETURN, 0], 2), Err(PushError::ReturnOutsideSubroutine { get: 0x1000, word: RETURN }));
        assert_eq!(run(&[0x1006, 0x1006], 2), Err(PushError::CallInSubroutine { get: 0x1004, word: 0x1006 }));
        assert_eq!(run(&[0x0008_0100, 1], 2), Err(PushError::MemoryFault { get: 0x1008, word: 0x0008_0100 }));
        let circle = run(&[0x1001, 0], 2).unwrap_err();
        assert_eq!(circle, PushError::Endless { get: 0x1000, limit: 1000 });
        assert_eq!((circle.id(), PushError::MemoryFault { get: 0, word: 0 }.id()), (None, Some(6)));
    }
}
