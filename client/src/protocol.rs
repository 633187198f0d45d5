//! The messages between a program's library and the emulator, over a Unix stream socket.
//!
//! A message is a tag of four characters, the size of its payload as a 32-bit number, and the payload; numbers are little
//! endian. Messages of the library with the tags of a capture file (`CHAN`, `GOBJ`, `NTFY`, `BONW`, `BOMV`, `BODL`, `PREP`, `MARK`,
//! `SUBM`) have the payloads of its records: what a program does with a live chip is what a capture of it holds. The rest:
//!
//! | Tag | From | Payload | Meaning |
//! |---|---|---|---|
//! | `HELO` | library | version, process number, 1 if swaps of buffers are seen or 0 | first message of a connection, which is one device with one channel |
//! | `MACH` | emulator | chipset, 0, bytes of VRAM (64 bits), bytes of GART (64 bits) | answers `HELO` |
//! | `SHAR` | library | handle | the descriptor that comes with the message is the memory of this buffer from now on |
//! | `EXPT` | library | handle, flags and mode of tiling | others know the buffer by the file of the descriptor that comes with the message |
//! | `IMPT` | library | handle | the library is about to create this buffer, which is that of another program with the file of the descriptor |
//! | `IMPD` | emulator | place, flags and mode of tiling, 0, bytes (64 bits) | answers `IMPT`; without a payload, no program has exported that file |
//! | `SENT` | library | nanoseconds (64 bits) | when the next `SUBM` or `PREP` was sent, by the system's monotonic clock; from a library that has sent `EXPT` or `IMPT` |
//! | `DONE` | emulator | handle | answers `PREP`: the chip is idle on the buffer, and its memory is up to date; and `EXPT` |
//!
//! The file behind an `EXPT` is the memory of the buffer if it is shared, before or later; until then its bytes mean nothing.
//! A buffer without `SHAR` is one that the program never maps; its content exists in the emulator alone. The emulator
//! writes fences and query results to the memory of the notifier buffer without being asked. Times in them are of the
//! system's monotonic clock, in nanoseconds.

/// The version of the protocol.
pub const VERSION: u32 = 4;

/// The environment variable that holds the path of the emulator's socket.
pub const SOCKET_VARIABLE: &str = "CURIE_SOCKET";

/// The name by which libglvnd loads the library as a vendor's, and that of the vendor.
pub const VENDOR_LIBRARY: &str = "libGLX_curie.so.0";
/// See [`VENDOR_LIBRARY`].
pub const VENDOR: &str = "curie";

/// The environment variable that holds the folder in which the library leaves files as marks.
pub const MARKS_VARIABLE: &str = "CURIE_MARKS";
/// The mark of a process that submitted work to the chip.
pub const DREW: &str = "drew";
/// The mark of a process that had loaded an OpenGL library when it ended; it holds a line with the names of the first process's.
pub const OPENGL: &str = "opengl";

/// The largest payload.
pub const MAX_BYTES: u32 = 1 << 26;

/// The tag of a message.
pub type Tag = [u8; 4];

/// The first message of a connection.
pub const HELLO: Tag = *b"HELO";
/// The answer to it.
pub const MACHINE: Tag = *b"MACH";
/// The memory of a buffer.
pub const SHARE: Tag = *b"SHAR";
/// The file by which others know a buffer.
pub const EXPORT: Tag = *b"EXPT";
/// A buffer that another program has exported.
pub const IMPORT: Tag = *b"IMPT";
/// The answer to [`IMPORT`].
pub const IMPORTED: Tag = *b"IMPD";
/// When the next submission or preparation was sent.
pub const SENT: Tag = *b"SENT";
/// The answer to [`PREPARE`] and [`EXPORT`].
pub const DONE: Tag = *b"DONE";
/// The channel.
pub const CHANNEL: Tag = *b"CHAN";
/// A graphics object.
pub const OBJECT: Tag = *b"GOBJ";
/// A part of the notifier buffer.
pub const NOTIFIER: Tag = *b"NTFY";
/// A new buffer.
pub const CREATE_BUFFER: Tag = *b"BONW";
/// A buffer moves, with its content.
pub const MOVE_BUFFER: Tag = *b"BOMV";
/// A buffer is gone.
pub const DESTROY_BUFFER: Tag = *b"BODL";
/// The program is about to access a buffer.
pub const PREPARE: Tag = *b"PREP";
/// A label.
pub const MARK: Tag = *b"MARK";
/// Words for the chip.
pub const SUBMIT: Tag = *b"SUBM";

/// Flag of [`PREPARE`]: the program will write.
pub const PREPARE_WRITE: u32 = 4;

/// Bytes before the payload of a message.
pub const HEADER_BYTES: usize = 8;

/// The machine behind a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// The chipset number, 0x40 for NV40.
    pub chipset: u32,
    /// Bytes of video memory.
    pub vram_bytes: u64,
    /// Bytes of the window into system memory.
    pub gart_bytes: u64,
}

impl Machine {
    /// The payload of [`MACHINE`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = words(&[self.chipset, 0]);
        payload.extend_from_slice(&self.vram_bytes.to_le_bytes());
        payload.extend_from_slice(&self.gart_bytes.to_le_bytes());
        payload
    }

    /// Reads the payload of [`MACHINE`]; `None` if it is too short.
    #[must_use]
    pub fn decode(payload: &[u8]) -> Option<Self> {
        Some(Self { chipset: word(payload, 0)?, vram_bytes: long(payload, 8)?, gart_bytes: long(payload, 16)? })
    }
}

/// What a library learns of a buffer that it imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Imported {
    /// The place where it was when it was exported, a flag.
    pub place: u32,
    /// The flags of tiling that it was created with.
    pub tile_flags: u32,
    /// The mode of tiling that it was created with.
    pub tile_mode: u32,
    /// Its size.
    pub bytes: u64,
}

impl Imported {
    /// The payload of [`IMPORTED`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut payload = words(&[self.place, self.tile_flags, self.tile_mode, 0]);
        payload.extend_from_slice(&self.bytes.to_le_bytes());
        payload
    }

    /// Reads the payload of [`IMPORTED`]; `None` if it is too short.
    #[must_use]
    pub fn decode(payload: &[u8]) -> Option<Self> {
        let [place, tile_flags, tile_mode] = [word(payload, 0)?, word(payload, 1)?, word(payload, 2)?];
        Some(Self { place, tile_flags, tile_mode, bytes: long(payload, 16)? })
    }
}

/// The number of 64 bits at an offset of a payload.
fn long(payload: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*payload.get(at..)?.first_chunk()?))
}

/// A message with this payload.
///
/// # Panics
/// When the payload has 4 GiB or more.
#[must_use]
pub fn message(tag: Tag, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).expect("a payload is smaller than 4 GiB");
    [&tag[..], &size.to_le_bytes(), payload].concat()
}

/// The tag and the size of the payload, from the bytes before it.
#[must_use]
pub fn header([a, b, c, d, size @ ..]: [u8; HEADER_BYTES]) -> (Tag, u32) {
    ([a, b, c, d], u32::from_le_bytes(size))
}

/// The bytes of some words.
#[must_use]
pub fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The word with this number in a payload.
#[must_use]
pub fn word(payload: &[u8], number: usize) -> Option<u32> {
    payload.get(number * 4..)?.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_a_tag_a_size_and_a_payload() {
        let bytes = message(SHARE, &words(&[0x0102_0304]));
        assert_eq!(bytes, *b"SHAR\x04\0\0\0\x04\x03\x02\x01");
        let (head, payload) = bytes.split_first_chunk().expect("a header");
        assert_eq!((header(*head), word(payload, 0), word(payload, 1)), ((SHARE, 4), Some(0x0102_0304), None));
    }

    #[test]
    fn a_machine_survives_its_message() {
        let machine = Machine { chipset: 0x40, vram_bytes: 1 << 32, gart_bytes: 3 };
        let payload = machine.encode();
        assert_eq!(payload[..16], *b"\x40\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0");
        assert_eq!(Machine::decode(&payload), Some(machine));
        assert_eq!(Machine::decode(&payload[..23]), None);
    }

    #[test]
    fn a_description_survives_its_message() {
        let imported = Imported { place: 2, tile_flags: 3, tile_mode: 4, bytes: 5 << 32 | 6 };
        let payload = imported.encode();
        assert_eq!(payload, words(&[2, 3, 4, 0, 6, 5]));
        assert_eq!(Imported::decode(&payload), Some(imported));
        assert_eq!((Imported::decode(&payload[..23]), Imported::decode(&[])), (None, None));
    }
}
