//! Encodes records into the bytes of a capture file.

use super::{Buffer, Capture, MAGIC, Record, Submission, VERSION};
use crate::memory::PAGE_BYTES;

impl Capture {
    /// The bytes of a capture file, uncompressed.
    ///
    /// # Panics
    /// When a record is larger than 4 GiB.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend_from_slice(&MAGIC);
        push_words(&mut file, &[VERSION, self.header.chipset]);
        file.extend_from_slice(&self.header.vram_bytes.to_le_bytes());
        file.extend_from_slice(&self.header.gart_bytes.to_le_bytes());
        for record in &self.records {
            let payload = payload(record);
            file.extend_from_slice(&record.tag());
            push_words(&mut file, &[count(payload.len())]);
            file.extend_from_slice(&payload);
        }
        file
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
        &Record::Prepare { handle, flags } => push_words(&mut payload, &[handle, flags]),
        Record::Mark(text) => payload.extend_from_slice(text),
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
