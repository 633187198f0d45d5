//! Decodes a capture file, uncompressed or zstd-compressed, into records.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use super::record::{HEADER_BYTES, MAGIC, RELOCATION_WORDS, VERSION};
use super::{Buffer, BufferUse, Capture, CaptureWarning, Header, Push, Record, Submission, Tag};
use crate::files;
use crate::memory::PAGE_BYTES;

/// The largest capture after decompression.
pub const MAX_BYTES: u64 = 1 << 30;

/// The largest zstd window: the decoder allocates it before it has seen the contents.
const MAX_ZSTD_WINDOW_BYTES: u64 = 128 << 20;

/// First bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The most warnings kept; later ones are only counted.
const MAX_WARNINGS: usize = 64;

/// Why a capture cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file cannot be read.
    #[error("cannot read the capture")]
    Io(#[from] std::io::Error),
    /// The zstd stream is broken.
    #[error("the zstd stream is broken: {message}")]
    Compression {
        /// The decoder's message.
        message: String,
    },
    /// The capture is larger than the reader accepts.
    #[error("the capture holds more than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The file holds more records than any client creates.
    #[error("more than {limit} records")]
    TooManyRecords {
        /// The limit.
        limit: usize,
    },
    /// The file does not start with a capture header.
    #[error("this is not a capture: expected a header of 32 bytes that starts with NVCAPT")]
    NotACapture,
    /// The format has another version.
    #[error("capture version {version}, expected 1")]
    Version {
        /// The version in the file.
        version: u32,
    },
    /// A record's payload does not have the size that its kind requires.
    #[error("record {record} ({tag}) at byte {offset}: payload of {found} bytes, expected {expected}")]
    PayloadSize {
        /// Number of the record, from 0.
        record: usize,
        /// Its tag.
        tag: Tag,
        /// Its offset in the (decompressed) file.
        offset: usize,
        /// The size of its payload.
        found: usize,
        /// The required size.
        expected: u64,
    },
    /// A piece of a push buffer is not made of whole words.
    #[error("record {record} ({tag}) at byte {offset}: push of {bytes} bytes, expected a multiple of 4")]
    PushSize {
        /// Number of the record, from 0.
        record: usize,
        /// Its tag.
        tag: Tag,
        /// Its offset in the (decompressed) file.
        offset: usize,
        /// The size of the push.
        bytes: u32,
    },
}

impl Capture {
    /// Reads a capture file.
    ///
    /// # Errors
    /// When the file cannot be read or is not a well-formed capture.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, CaptureError> {
        match files::read(path.as_ref(), MAX_BYTES) {
            Ok(bytes) => Self::read(&bytes),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => Err(CaptureError::TooLarge { limit: MAX_BYTES }),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a capture from the bytes of a file.
    ///
    /// # Errors
    /// When they are not a well-formed capture.
    pub fn read(bytes: &[u8]) -> Result<Self, CaptureError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(CaptureError::TooLarge { limit: MAX_BYTES });
        }
        if bytes.starts_with(&ZSTD_MAGIC) {
            return read_records(&decompress(bytes, MAX_BYTES)?);
        }
        read_records(bytes)
    }
}

/// Decompresses all zstd frames, at most `limit` bytes.
fn decompress(mut bytes: &[u8], limit: u64) -> Result<Vec<u8>, CaptureError> {
    let broken = |message: String| CaptureError::Compression { message };
    let mut output = Vec::new();
    while !bytes.is_empty() {
        let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(&mut bytes, MAX_ZSTD_WINDOW_BYTES)
            .map_err(|error| broken(error.to_string()))?;
        let room = limit - output.len() as u64;
        decoder.take(room + 1).read_to_end(&mut output).map_err(|error| broken(error.to_string()))?;
        if output.len() as u64 > limit {
            return Err(CaptureError::TooLarge { limit });
        }
    }
    Ok(output)
}

fn word_at(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().copied().map(u32::from_le_bytes)
}

fn read_header(bytes: &[u8]) -> Result<Header, CaptureError> {
    if bytes.len() < HEADER_BYTES || !bytes.starts_with(&MAGIC) {
        return Err(CaptureError::NotACapture);
    }
    let word = |index: usize| word_at(bytes, 8 + index * 4).expect("the header was measured");
    let long = |index: usize| u64::from(word(index)) | u64::from(word(index + 1)) << 32;
    if word(0) != VERSION {
        return Err(CaptureError::Version { version: word(0) });
    }
    Ok(Header { chipset: word(1), vram_bytes: long(2), gart_bytes: long(4) })
}

/// The most records. A record in memory is larger than an empty one in a file.
pub const MAX_RECORDS: usize = 1 << 22;

fn read_records(bytes: &[u8]) -> Result<Capture, CaptureError> {
    let mut capture = Capture { header: read_header(bytes)?, records: Vec::new(), warnings: Vec::new() };
    let mut suppressed = 0;
    let mut offset = HEADER_BYTES;
    let mut record = 0;
    while offset < bytes.len() {
        let rest = &bytes[offset..];
        let mut tag = [0; 4];
        let tag_bytes = rest.len().min(4);
        tag[..tag_bytes].copy_from_slice(&rest[..tag_bytes]);
        let tag = Tag(tag);
        let payload_bytes = word_at(rest, 4);
        let payload = payload_bytes.and_then(|size| rest.get(8..)?.get(..usize::try_from(size).ok()?));
        let Some(payload) = payload else {
            let expected = 8 + u64::from(payload_bytes.unwrap_or(0));
            capture.warnings.push(CaptureWarning::Truncated { record, tag, offset, found: rest.len(), expected });
            break;
        };
        match Record::decode(tag, payload, RecordPosition { record, offset })? {
            Some(_) if capture.records.len() >= MAX_RECORDS => {
                return Err(CaptureError::TooManyRecords { limit: MAX_RECORDS });
            }
            Some(decoded) => capture.records.push(decoded),
            None if capture.warnings.len() < MAX_WARNINGS => {
                capture.warnings.push(CaptureWarning::UnknownTag { record, tag, offset });
            }
            None => suppressed += 1,
        }
        offset += 8 + payload.len();
        record += 1;
    }
    if suppressed > 0 {
        capture.warnings.push(CaptureWarning::More { count: suppressed });
    }
    Ok(capture)
}

/// The place of a record, for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordPosition {
    /// Its number, from 0.
    pub record: usize,
    /// Its offset in the (decompressed) file or stream.
    pub offset: usize,
}

impl Record {
    /// Decodes the payload of one record; `None` if its kind is unknown.
    ///
    /// # Errors
    /// When the payload does not have the size that its kind requires.
    pub fn decode(tag: Tag, payload: &[u8], position: RecordPosition) -> Result<Option<Self>, CaptureError> {
        let RecordPosition { record, offset } = position;
        (Payload { bytes: payload, position: 0, record, tag, offset }).record()
    }
}

/// The payload of one record, read sequentially.
struct Payload<'a> {
    bytes: &'a [u8],
    position: usize,
    record: usize,
    tag: Tag,
    offset: usize,
}

impl Payload<'_> {
    /// The record; `None` if its kind is unknown.
    fn record(&mut self) -> Result<Option<Record>, CaptureError> {
        let record = match &self.tag.0 {
            b"CHAN" => {
                let [vram_handle, gart_handle, notifier_buffer, _] = self.exactly()?;
                Record::Channel { vram_handle, gart_handle, notifier_buffer }
            }
            b"GOBJ" => {
                let [handle, class] = self.exactly()?;
                Record::Object { handle, class }
            }
            b"NTFY" => {
                let [handle, offset, bytes, buffer] = self.exactly()?;
                Record::Notifier { handle, offset, bytes, buffer }
            }
            b"BONW" => Record::CreateBuffer(self.buffer()?),
            b"BOMV" => Record::MoveBuffer(self.buffer()?),
            b"BODL" => {
                let [handle] = self.exactly()?;
                Record::DestroyBuffer { handle }
            }
            b"PAGE" => self.pages()?,
            b"WRIT" => self.write()?,
            b"PREP" => {
                let [handle, flags] = self.exactly()?;
                Record::Prepare { handle, flags }
            }
            b"MARK" => Record::Mark(self.bytes.to_vec()),
            b"TIME" => Record::Times(self.times()?),
            b"SUBM" => Record::Submit(self.submission()?),
            _ => return Ok(None),
        };
        Ok(Some(record))
    }

    const fn wrong_size(&self, expected: u64) -> CaptureError {
        CaptureError::PayloadSize {
            record: self.record,
            tag: self.tag,
            offset: self.offset,
            found: self.bytes.len(),
            expected,
        }
    }

    /// Fails unless the payload holds `needed` more bytes. Called with every count before anything is allocated for it.
    const fn need(&self, needed: u64) -> Result<(), CaptureError> {
        if ((self.bytes.len() - self.position) as u64) < needed {
            return Err(self.wrong_size(self.position as u64 + needed));
        }
        Ok(())
    }

    fn words<const N: usize>(&mut self) -> Result<[u32; N], CaptureError> {
        self.need(N as u64 * 4)?;
        let first = self.position;
        self.position += N * 4;
        Ok(std::array::from_fn(|index| word_at(self.bytes, first + index * 4).expect("the payload was measured")))
    }

    /// All words of a payload of fixed size.
    fn exactly<const N: usize>(&mut self) -> Result<[u32; N], CaptureError> {
        if self.bytes.len() != N * 4 {
            return Err(self.wrong_size(N as u64 * 4));
        }
        self.words()
    }

    fn buffer(&mut self) -> Result<Buffer, CaptureError> {
        let [handle, domain, tile_mode, tile_flags, size_low, size_high, offset_low, offset_high] = self.exactly()?;
        let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let (bytes, offset) = (long(size_low, size_high), long(offset_low, offset_high));
        Ok(Buffer { handle, domain, tile_mode, tile_flags, bytes, offset })
    }

    fn pages(&mut self) -> Result<Record, CaptureError> {
        let [handle, first_page, pages, _] = self.words()?;
        let expected = 16 + u64::from(pages) * u64::from(PAGE_BYTES);
        if self.bytes.len() as u64 != expected {
            return Err(self.wrong_size(expected));
        }
        Ok(Record::Pages { handle, first_page, bytes: self.bytes[16..].to_vec() })
    }

    fn write(&mut self) -> Result<Record, CaptureError> {
        let [handle, offset, bytes, _] = self.words()?;
        let expected = 16 + u64::from(bytes);
        if self.bytes.len() as u64 != expected {
            return Err(self.wrong_size(expected));
        }
        Ok(Record::Write { handle, offset, bytes: self.bytes[16..].to_vec() })
    }

    fn times(&self) -> Result<Vec<u64>, CaptureError> {
        let (times, rest) = self.bytes.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(self.wrong_size(self.bytes.len().next_multiple_of(8) as u64));
        }
        Ok(times.iter().copied().map(u64::from_le_bytes).collect())
    }

    fn submission(&mut self) -> Result<Submission, CaptureError> {
        let [sequence, buffers, relocations, pushes] = self.words()?;
        let fixed = u64::from(buffers) * 24 + u64::from(relocations) * RELOCATION_WORDS as u64 * 4;
        // A push takes at least its own 16 bytes.
        self.need(fixed + u64::from(pushes) * 16)?;
        let mut submission = Submission { sequence, ..Submission::default() };
        for _ in 0..buffers {
            let [handle, read_domains, write_domains, valid_domains, domain, offset] = self.words()?;
            submission.buffers.push(BufferUse { handle, read_domains, write_domains, valid_domains, domain, offset });
        }
        for _ in 0..relocations {
            submission.relocations.push(self.words()?);
        }
        for _ in 0..pushes {
            let [buffer, offset, bytes, _] = self.words()?;
            if bytes % 4 != 0 {
                return Err(CaptureError::PushSize { record: self.record, tag: self.tag, offset: self.offset, bytes });
            }
            self.need(u64::from(bytes))?;
            let end = self.position + bytes as usize;
            let (words, _) = self.bytes[self.position..end].as_chunks::<4>();
            submission.pushes.push(Push {
                buffer,
                offset,
                words: words.iter().copied().map(u32::from_le_bytes).collect(),
            });
            self.position = end;
        }
        if self.position != self.bytes.len() {
            return Err(self.wrong_size(self.position as u64));
        }
        Ok(submission)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decompression_stops_at_the_limit() {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let compressed = ruzstd::encoding::compress_to_vec(&[0; 1 << 20][..], level);
        assert!(compressed.len() < 1 << 12);
        assert_eq!(decompress(&compressed, 1 << 20).unwrap().len(), 1 << 20);
        let error = decompress(&compressed, (1 << 20) - 1).unwrap_err();
        assert_eq!(error.to_string(), "the capture holds more than 1048575 bytes");
    }
}
