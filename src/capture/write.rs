//! Encodes records into the bytes of a capture file.

use std::io::{self, Write};

use super::record::{MAGIC, VERSION};
use super::{Buffer, Capture, Header, Record, Submission};
use crate::memory::PAGE_BYTES;

/// Writes a capture file record by record, uncompressed. What was written so far is a capture at any time.
#[derive(Debug)]
pub struct CaptureWriter<W> {
    out: W,
}

impl<W: Write> CaptureWriter<W> {
    /// Writes the header of a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        let mut bytes = MAGIC.to_vec();
        push_words(&mut bytes, &[VERSION, header.chipset]);
        bytes.extend_from_slice(&header.vram_bytes.to_le_bytes());
        bytes.extend_from_slice(&header.gart_bytes.to_le_bytes());
        out.write_all(&bytes)?;
        Ok(Self { out })
    }

    /// Appends a record; returns how many bytes it takes.
    ///
    /// # Errors
    /// When it cannot be written.
    ///
    /// # Panics
    /// When the record is larger than 4 GiB.
    pub fn append(&mut self, record: &Record) -> io::Result<usize> {
        let payload = payload(record);
        let mut head = record.tag().to_vec();
        push_words(&mut head, &[count(payload.len())]);
        self.out.write_all(&head)?;
        self.out.write_all(&payload)?;
        Ok(head.len() + payload.len())
    }

    /// The destination.
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Returns the destination.
    pub fn into_inner(self) -> W {
        self.out
    }
}

impl Capture {
    /// The bytes of a capture file, uncompressed.
    ///
    /// # Panics
    /// When a record is larger than 4 GiB.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut writer = CaptureWriter::new(Vec::new(), &self.header).expect("memory takes every byte");
        for record in &self.records {
            writer.append(record).expect("memory takes every byte");
        }
        writer.into_inner()
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a record is smaller than 4 GiB")
}

fn push_words(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.reserve(words.len() * 4);
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

fn payload(record: &Record) -> Vec<u8> {
    let mut payload = Vec::new();
    match record {
        &Record::Channel { vram_handle, gart_handle, notifier_buffer } => {
            push_words(&mut payload, &[vram_handle, gart_handle, notifier_buffer, 0]);
        }
        &Record::Object { handle, class } => push_words(&mut payload, &[handle, class]),
        &Record::Notifier { handle, offset, bytes, buffer } => {
            push_words(&mut payload, &[handle, offset, bytes, buffer]);
        }
        Record::CreateBuffer(buffer) | Record::MoveBuffer(buffer) => push_buffer(&mut payload, buffer),
        &Record::DestroyBuffer { handle } => push_words(&mut payload, &[handle]),
        Record::Pages { handle, first_page, bytes } => {
            push_words(&mut payload, &[*handle, *first_page, count(bytes.len()) / PAGE_BYTES, 0]);
            payload.extend_from_slice(bytes);
        }
        Record::Write { handle, offset, bytes } => {
            push_words(&mut payload, &[*handle, *offset, count(bytes.len()), 0]);
            payload.extend_from_slice(bytes);
        }
        &Record::Prepare { handle, flags } => push_words(&mut payload, &[handle, flags]),
        Record::Mark(text) => payload.extend_from_slice(text),
        Record::Times(times) => payload.extend(times.iter().flat_map(|time| time.to_le_bytes())),
        Record::Submit(submission) => push_submission(&mut payload, submission),
    }
    payload
}

fn push_buffer(payload: &mut Vec<u8>, buffer: &Buffer) {
    push_words(payload, &[buffer.handle, buffer.domain, buffer.tile_mode, buffer.tile_flags]);
    payload.extend_from_slice(&buffer.bytes.to_le_bytes());
    payload.extend_from_slice(&buffer.offset.to_le_bytes());
}

fn push_submission(payload: &mut Vec<u8>, submission: &Submission) {
    let counts = [submission.buffers.len(), submission.relocations.len(), submission.pushes.len()].map(count);
    push_words(payload, &[submission.sequence, counts[0], counts[1], counts[2]]);
    for buffer in &submission.buffers {
        push_words(
            payload,
            &[
                buffer.handle,
                buffer.read_domains,
                buffer.write_domains,
                buffer.valid_domains,
                buffer.domain,
                buffer.offset,
            ],
        );
    }
    for relocation in &submission.relocations {
        push_words(payload, relocation);
    }
    for push in &submission.pushes {
        push_words(payload, &[push.buffer, push.offset, count(push.words.len() * 4), 0]);
        push_words(payload, &push.words);
    }
}
