//! Builds submissions from methods, and captures from records. Tests use it directly, scenes through
//! [`writer`](super::writer).

use super::methods::{FieldKind, class_table, three_d};
use super::packet::{Command, MAX_PACKET_WORDS, RETURN};
use crate::capture::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Header, Push, Record, Submission};
use crate::memory::{MemorySpace, PAGE_BYTES};

/// Why a stream cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// No table has this class.
    #[error("class {class:#06x} is unknown")]
    UnknownClass {
        /// The class.
        class: u32,
    },
    /// The class has no such method.
    #[error("class {class:#06x} has no method {name}")]
    UnknownMethod {
        /// The class.
        class: u32,
        /// The name.
        name: String,
    },
    /// The method has no such field.
    #[error("{method} has no field {name}")]
    UnknownField {
        /// The method.
        method: &'static str,
        /// The name.
        name: String,
    },
    /// The field has no such value.
    #[error("{method} {field} has no value {name}")]
    UnknownValue {
        /// The method.
        method: &'static str,
        /// The field.
        field: &'static str,
        /// The name.
        name: String,
    },
    /// A number does not fit into the field.
    #[error("{value:#x} does not fit into {method} {field}")]
    TooWide {
        /// The method.
        method: &'static str,
        /// The field.
        field: &'static str,
        /// The number.
        value: u32,
    },
    /// A typed number does not fit into its field.
    #[error("a number does not fit into a field of {method}")]
    FieldOverflow {
        /// The method.
        method: &'static str,
    },
}

/// Builds the words of one submission.
///
/// ```
/// use curie::command::builder::StreamBuilder;
/// use curie::command::methods::three_d::{draw, targets};
///
/// let mut stream = StreamBuilder::new();
/// stream.bind(7, 0x4097, 0xbeef_3097);
/// stream.methods(7, targets::RT_HORIZ, &[640 << 16, 480 << 16]);
/// stream.named(7, 0x4097, "RT_FORMAT", &[("color", "A8R8G8B8"), ("zeta", "Z24S8"), ("layout", "LINEAR")])?;
/// stream.method(7, draw::VERTEX_BEGIN_END, 5);
/// assert_eq!(stream.words()[..2], [0x0004_e000, 0xbeef_3097]);
/// assert_eq!(stream.words()[6], 0x148);
/// # Ok::<(), curie::command::builder::BuildError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct StreamBuilder {
    words: Vec<u32>,
}

impl StreamBuilder {
    /// Creates an empty stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The words so far.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Binds an object to a subchannel. The class only documents the binding.
    pub fn bind(&mut self, subchannel: u8, _class: u32, handle: u32) -> &mut Self {
        self.method(subchannel, super::methods::puller::OBJECT, handle)
    }

    /// Binds the 3D object of the GeForce 6800 to [`THREE_D`] with the windows that drivers give it: surfaces in VRAM, textures
    /// and vertices in VRAM or GART.
    pub fn bind_three_d(&mut self) -> &mut Self {
        self.bind(THREE_D, three_d::CLASS.class, handles::object(three_d::CLASS.class));
        let (vram, gart) = (handles::VRAM, handles::GART);
        let slots = [handles::NOTIFIER, vram, gart, vram, 0, vram, vram, vram, gart, handles::FENCE, handles::QUERY];
        self.methods(THREE_D, three_d::sync::DMA_NOTIFY, &slots);
        self.methods(THREE_D, three_d::sync::DMA_COLOR2, &[vram, vram])
    }

    /// Writes one method.
    pub fn method(&mut self, subchannel: u8, method: u16, value: u32) -> &mut Self {
        self.methods(subchannel, method, &[value])
    }

    /// Writes consecutive methods, in as many packets as they need.
    pub fn methods(&mut self, subchannel: u8, method: u16, values: &[u32]) -> &mut Self {
        let mut method = method;
        for values in values.chunks(MAX_PACKET_WORDS) {
            let count = u16::try_from(values.len()).expect("a packet has at most 2047 words");
            self.words.push(Command::encode_methods(subchannel, method, count, true));
            self.words.extend_from_slice(values);
            method = method.wrapping_add(count * 4);
        }
        self
    }

    /// Writes all values to one method.
    pub fn repeated(&mut self, subchannel: u8, method: u16, values: &[u32]) -> &mut Self {
        for values in values.chunks(MAX_PACKET_WORDS) {
            let count = u16::try_from(values.len()).expect("a packet has at most 2047 words");
            self.words.push(Command::encode_methods(subchannel, method, count, false));
            self.words.extend_from_slice(values);
        }
        self
    }

    /// Writes floats to consecutive methods.
    pub fn floats(&mut self, subchannel: u8, method: u16, values: &[f32]) -> &mut Self {
        let bits: Vec<_> = values.iter().map(|value| value.to_bits()).collect();
        self.methods(subchannel, method, &bits)
    }

    /// Writes one method by name from the names and values of its fields; fields not named are zero.
    ///
    /// A value is the name of an enumerated value, or a number in decimal or, after `0x`, in hexadecimal; a float field
    /// takes a decimal fraction.
    ///
    /// # Errors
    /// When a name is unknown or a number does not fit.
    pub fn named(
        &mut self,
        subchannel: u8,
        class: u32,
        method: &str,
        fields: &[(&str, &str)],
    ) -> Result<&mut Self, BuildError> {
        let table = class_table(class).ok_or(BuildError::UnknownClass { class })?;
        let row = table
            .rows()
            .find(|row| row.name == method)
            .ok_or_else(|| BuildError::UnknownMethod { class, name: method.to_owned() })?;
        let mut word = 0;
        for (name, text) in fields {
            let field = row
                .fields
                .iter()
                .find(|field| field.name == *name)
                .ok_or_else(|| BuildError::UnknownField { method: row.name, name: (*name).to_owned() })?;
            let value = parse(field.kind, text).ok_or_else(|| BuildError::UnknownValue {
                method: row.name,
                field: field.name,
                name: (*text).to_owned(),
            })?;
            if field.extract(value << field.low) != value {
                return Err(BuildError::TooWide { method: row.name, field: field.name, value });
            }
            word |= value << field.low;
        }
        Ok(self.method(subchannel, row.address, word))
    }

    /// Ends the words with a return and makes them a submission from one buffer object.
    #[must_use]
    pub fn finish(mut self, sequence: u32, buffer: u32) -> Submission {
        self.words.push(RETURN);
        self.listed(sequence, buffer)
    }

    /// Makes the words a submission from one buffer object, for chips that read pushes from a list.
    #[must_use]
    pub fn listed(self, sequence: u32, buffer: u32) -> Submission {
        Submission { sequence, pushes: vec![Push { buffer, offset: 0, words: self.words }], ..Submission::default() }
    }
}

fn parse(kind: FieldKind, text: &str) -> Option<u32> {
    if let FieldKind::Enum(names) = kind
        && let Some((value, _)) = names.iter().find(|(_, name)| *name == text)
    {
        return Some(*value);
    }
    if let FieldKind::Float = kind {
        return text.parse().ok().map(f32::to_bits);
    }
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The subchannel of the 3D object.
pub const THREE_D: u8 = 7;

/// Handles of the objects that [`CaptureBuilder::new`] creates.
pub mod handles {
    /// The DMA object of VRAM.
    pub const VRAM: u32 = 0xbeef_0201;
    /// The DMA object of GART.
    pub const GART: u32 = 0xbeef_0202;
    /// The DMA object of fences.
    pub const FENCE: u32 = 0xbeef_1e00;
    /// The DMA object of notifiers.
    pub const NOTIFIER: u32 = 0xbeef_0301;
    /// The DMA object of reports.
    pub const QUERY: u32 = 0xbeef_0351;
    /// The object of a class.
    #[must_use]
    pub const fn object(class: u32) -> u32 {
        0xbeef_0000 | class
    }
}

/// The address of a buffer of a [`CaptureBuilder`] in its space.
pub(crate) fn address(buffer: &Buffer) -> u32 {
    u32::try_from(buffer.offset).expect("the builder stays below 2^32")
}

/// Builds a capture: the channel and objects of a driver, buffers, pages and submissions.
#[derive(Debug, Clone)]
pub struct CaptureBuilder {
    capture: Capture,
    next_handle: u32,
    next_address: [u64; 2],
    push_buffer: u32,
    sequence: u32,
    /// Whether the chip reads pushes from a list, and so needs no return at their ends.
    lists_pushes: bool,
}

/// Where buffers in VRAM and in GART begin where both have addresses in one virtual memory: the sizes of a capture's
/// spaces keep them apart.
const VIRTUAL_ADDRESSES: [u64; 2] = [1 << 20, 1 << 29];

/// Size of the buffer that contains push buffers.
const PUSH_BUFFER_BYTES: u64 = 1 << 20;

/// The same where indices are words of the pushes.
const LISTED_PUSH_BYTES: u64 = 16 << 20;

impl Default for CaptureBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl CaptureBuilder {
    /// Creates a channel with one object of each class, as drivers do.
    #[must_use]
    pub fn new() -> Self {
        let mut builder = Self::channel(Header::default(), [1 << 20; 2]);
        for (handle, offset, bytes) in
            [(handles::FENCE, 0, 0x20), (handles::NOTIFIER, 0x20, 0x20), (handles::QUERY, 0x40, 0xf80)]
        {
            builder.notifier(handle, offset, bytes);
        }
        builder.record(Record::Object { handle: 0, class: 0x30 });
        for class in [0x4097, 0x39, 0x62, 0x309e, 0x3089] {
            builder.record(Record::Object { handle: handles::object(class), class });
        }
        builder.push_buffer = builder.buffer(MemorySpace::Gart, PUSH_BUFFER_BYTES).handle;
        builder
    }

    /// Creates a channel of a chip of the Tesla generation with its memory copies, its 2D class, and this 3D class. Buffers
    /// have virtual addresses.
    #[must_use]
    pub fn tesla(chipset: u32, three_d: u32) -> Self {
        let header = Header { chipset, ..Header::default() };
        let mut builder = Self { lists_pushes: true, ..Self::channel(header, VIRTUAL_ADDRESSES) };
        builder.notifier(handles::NOTIFIER, 0x20, 0x20);
        for (handle, class) in [(0x5039, 0x5039), (0x502d, 0x502d), (0x5097, three_d)] {
            builder.record(Record::Object { handle: handles::object(handle), class });
        }
        builder.push_buffer = builder.buffer(MemorySpace::Gart, LISTED_PUSH_BYTES).handle;
        builder
    }

    /// A channel with a buffer of notifiers, and with nothing in it.
    fn channel(header: Header, next_address: [u64; 2]) -> Self {
        let mut builder = Self {
            capture: Capture { header, ..Capture::default() },
            next_handle: 1,
            next_address,
            push_buffer: 0,
            sequence: 0,
            lists_pushes: false,
        };
        let notifier_buffer = builder.buffer(MemorySpace::Gart, u64::from(PAGE_BYTES)).handle;
        builder.record(Record::Channel { vram_handle: handles::VRAM, gart_handle: handles::GART, notifier_buffer });
        builder
    }

    /// Creates a notifier in the buffer of notifiers, which is the first one.
    fn notifier(&mut self, handle: u32, offset: u32, bytes: u32) {
        self.record(Record::Notifier { handle, offset, bytes, buffer: 1 });
    }

    /// The buffer object of submissions.
    #[must_use]
    pub const fn push_buffer(&self) -> u32 {
        self.push_buffer
    }

    /// Creates a buffer object of whole pages after the earlier ones of its address space.
    pub fn buffer(&mut self, space: MemorySpace, bytes: u64) -> Buffer {
        let bytes = bytes.next_multiple_of(u64::from(PAGE_BYTES));
        let next = &mut self.next_address[space as usize];
        let domain = match space {
            MemorySpace::Vram => DOMAIN_VRAM,
            MemorySpace::Gart => DOMAIN_GART,
        };
        let buffer = Buffer { handle: self.next_handle, domain, tile_mode: 0, tile_flags: 0, bytes, offset: *next };
        *next += bytes;
        self.next_handle += 1;
        self.capture.records.push(Record::CreateBuffer(buffer));
        buffer
    }

    /// Writes bytes from the start of a buffer, padded with zeros to whole pages.
    pub fn write(&mut self, buffer: &Buffer, bytes: &[u8]) -> &mut Self {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(PAGE_BYTES as usize), 0);
        self.record(Record::Pages { handle: buffer.handle, first_page: 0, bytes })
    }

    /// Appends a record.
    pub fn record(&mut self, record: Record) -> &mut Self {
        self.capture.records.push(record);
        self
    }

    /// Submits a stream.
    pub fn submit(&mut self, stream: StreamBuilder) -> &mut Self {
        let (sequence, buffer) = (self.sequence, self.push_buffer);
        let mut submission = match self.lists_pushes {
            true => stream.listed(sequence, buffer),
            false => stream.finish(sequence, buffer),
        };
        submission.buffers.push(BufferUse {
            handle: self.push_buffer,
            read_domains: DOMAIN_GART,
            write_domains: 0,
            valid_domains: DOMAIN_GART,
            domain: DOMAIN_GART,
            offset: 0,
        });
        self.sequence += 1;
        self.record(Record::Submit(submission))
    }

    /// The capture.
    #[must_use]
    pub fn finish(self) -> Capture {
        self.capture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_split_into_packets() {
        let mut stream = StreamBuilder::new();
        stream.repeated(7, 0x1818, &[5; 3000]);
        let words = stream.words();
        assert_eq!(words.len(), 3002);
        assert_eq!(words[0], 0x4000_0000 | 2047 << 18 | 7 << 13 | 0x1818);
        assert_eq!(words[2048], 0x4000_0000 | 953 << 18 | 7 << 13 | 0x1818);
    }

    #[test]
    fn unknown_names_are_refused() {
        let mut stream = StreamBuilder::new();
        let unknown = stream.named(7, 0x4097, "DEPTH_FUNC", &[("function", "LESSER")]).unwrap_err();
        assert_eq!(unknown.to_string(), "DEPTH_FUNC function has no value LESSER");
        assert!(stream.named(7, 0x4097, "NO_SUCH", &[]).is_err());
        let wide = stream.named(7, 0x4097, "RT_HORIZ", &[("x", "0x10000")]).unwrap_err();
        assert_eq!(wide, BuildError::TooWide { method: "RT_HORIZ", field: "x", value: 0x10000 });
        assert!(stream.words().is_empty());
    }
}
