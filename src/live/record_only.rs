//! Stands behind the session of a chip that is not emulated: answers fences and queries, and executes nothing else.
//!
//! A driver of the Tesla generation (G80 to MCP89) waits for what queries and semaphores write to memory at virtual
//! addresses; both methods are in the stream. Values of queries are zero, and so are pixels that the program reads.
//! Sources: envytools, `rnndb/graph/g80_3d.xml` (`QUERY_GET`) and `docs/hw/fifo/puller.rst` (semaphores).

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::LiveError;
use super::backend::{Backend, Failures};
use super::session::LiveOptions;
use super::shared_buffer::SharedBuffer;
use crate::capture::{Buffer, Header, Record, Submission};
use crate::chip::{ChipError, Clock, MethodCounts};
use crate::command::ib_packet::IbPusher;
use crate::command::methods::tesla::fifo;
use crate::command::methods::tesla::three_d::{self, from_1400 as methods};
use crate::command::packet::MethodWrite;
use crate::command::subchannels::Subchannels;
use crate::machine::{NotRecordable, is_recordable};
use crate::memory::MemorySpace;
use crate::replay::Surface;

/// The first address beyond the chip's virtual memory.
const ADDRESS_END: u64 = 1 << 40;

/// Words that wait for the program, most of them in buffers that it has not mapped.
const MOST_WORDS: usize = 1 << 20;

/// The first method that belongs to the object.
const FIRST_OBJECT_METHOD: u16 = 0x100;

/// A stream that is recorded.
#[derive(Debug)]
pub(super) struct RecordOnly {
    header: Header,
    pusher: IbPusher,
    subchannels: Subchannels,
    buffers: Places,
    query: Report,
    semaphore: Report,
    /// Words for the program that are not in its memory yet: by buffer, offsets and words in the order in which they appear.
    waiting: BTreeMap<u32, Vec<(u32, u32)>>,
    waiting_words: usize,
    counts: MethodCounts,
    clock: Clock,
    queries: u64,
}

/// Where a query or a semaphore is written, and its number.
#[derive(Debug, Clone, Copy, Default)]
struct Report {
    address_high: u32,
    address_low: u32,
    sequence: u32,
}

impl Report {
    fn address(&self) -> u64 {
        let address = u64::from(self.address_high) << 32 | u64::from(self.address_low & !3);
        address % ADDRESS_END
    }
}

/// Buffers by handle and by virtual address.
#[derive(Debug, Default)]
struct Places {
    starts: HashMap<u32, u64>,
    /// Handles and sizes.
    buffers: BTreeMap<u64, (u32, u64)>,
}

impl Places {
    fn insert(&mut self, buffer: &Buffer) {
        self.remove(buffer.handle);
        self.starts.insert(buffer.handle, buffer.offset);
        self.buffers.insert(buffer.offset, (buffer.handle, buffer.bytes));
    }

    fn remove(&mut self, handle: u32) {
        if let Some(start) = self.starts.remove(&handle)
            && self.buffers.get(&start).is_some_and(|(other, _)| *other == handle)
        {
            self.buffers.remove(&start);
        }
    }

    /// The buffer with the word at this address, and the word's offset in it.
    fn find(&self, address: u64) -> Option<(u32, u32)> {
        let (start, &(handle, bytes)) = self.buffers.range(..=address).next_back()?;
        let offset = address - start;
        (offset + 4 <= bytes).then_some((handle, u32::try_from(offset).ok()?))
    }
}

impl RecordOnly {
    pub(super) fn new(options: &LiveOptions) -> Result<Self, NotRecordable> {
        let LiveOptions { header, clock: host, .. } = options;
        let chipset = header.chipset;
        if !is_recordable(chipset) {
            return Err(NotRecordable { chipset });
        }
        let mut clock = Clock::default();
        if let Some(host) = host {
            clock.follow(*host);
        }
        Ok(Self {
            header: *header,
            pusher: IbPusher::default(),
            subchannels: Subchannels::default(),
            buffers: Places::default(),
            query: Report::default(),
            semaphore: Report::default(),
            waiting: BTreeMap::new(),
            waiting_words: 0,
            counts: MethodCounts::default(),
            clock,
            queries: 0,
        })
    }

    /// Fails if a buffer does not fit into its place or into virtual memory.
    fn check(&self, buffer: &Buffer) -> Result<(), LiveError> {
        let &Buffer { handle, domain, bytes, offset, .. } = buffer;
        let space = buffer.space().ok_or(ChipError::Domain { handle, domain })?;
        let most = match space {
            MemorySpace::Vram => self.header.vram_bytes,
            MemorySpace::Gart => self.header.gart_bytes,
        };
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= ADDRESS_END);
        match is_inside && bytes <= most.min(u32::MAX.into()) {
            true => Ok(()),
            false => Err(ChipError::BufferOutside { handle, offset, bytes, space }.into()),
        }
    }

    /// Follows a method. What is no query and no semaphore has no effect.
    fn method(&mut self, write: MethodWrite) -> Result<(), String> {
        self.clock.count_method();
        self.counts.methods += 1;
        self.counts.packets += u64::from(write.begins_packet);
        if !self.subchannels.method(write) {
            return Err(format!("subchannel {}: object {:#x} does not exist", write.subchannel, write.value));
        }
        if write.method < FIRST_OBJECT_METHOD {
            return self.puller_method(write);
        }
        match self.subchannels.class(write.subchannel) {
            Some(class) if three_d::CLASS.has(class) => self.three_d_method(write),
            Some(_) => Ok(()),
            None => Err(format!("subchannel {} has no object", write.subchannel)),
        }
    }

    fn puller_method(&mut self, write: MethodWrite) -> Result<(), String> {
        match write.method {
            fifo::SEMAPHORE_ADDRESS_HIGH => self.semaphore.address_high = write.value,
            fifo::SEMAPHORE_ADDRESS_LOW => self.semaphore.address_low = write.value,
            fifo::SEMAPHORE_SEQUENCE => self.semaphore.sequence = write.value,
            // What is acquired was released before: commands execute in order, and there is one channel.
            fifo::SEMAPHORE_TRIGGER if write.value & 0xf == fifo::RELEASE => {
                let [low, high] = self.time();
                return self.write(self.semaphore, &[self.semaphore.sequence, 0, low, high]);
            }
            _ => {}
        }
        Ok(())
    }

    fn three_d_method(&mut self, write: MethodWrite) -> Result<(), String> {
        match write.method {
            methods::QUERY_ADDRESS_HIGH => self.query.address_high = write.value,
            methods::QUERY_ADDRESS_LOW => self.query.address_low = write.value,
            methods::QUERY_SEQUENCE => self.query.sequence = write.value,
            methods::QUERY_GET => return self.get_query(write.value),
            methods::VERTEX_BEGIN_GL | methods::VERTEX_BEGIN_D3D => self.counts.draws += 1,
            methods::CLEAR_BUFFERS => self.counts.clears += 1,
            _ => {}
        }
        Ok(())
    }

    /// Writes the report of a query whose value is zero.
    fn get_query(&mut self, get: u32) -> Result<(), String> {
        const SYNC: u32 = 1;
        const DROPPED_PRIMITIVES: u32 = 3;
        self.queries += 1;
        let [mode, is_counter, select, is_short] = [get & 3, get >> 23 & 1, get >> 24 & 0xf, get >> 28 & 1];
        if mode == SYNC {
            return Ok(());
        }
        let sequence = self.query.sequence;
        let [first, second] = match (is_counter, select) {
            (1, _) => [0, 0],
            (_, DROPPED_PRIMITIVES) => [0, sequence],
            _ => [sequence, 0],
        };
        let [low, high] = self.time();
        let words = [first, second, low, high];
        self.write(self.query, if is_short == 1 { &words[..1] } else { &words })
    }

    /// The time to write, in nanoseconds.
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a number")]
    fn time(&mut self) -> [u32; 2] {
        let time = self.clock.read();
        [time as u32, (time >> 32) as u32]
    }

    /// Writes a report. Its number comes last: the program may look for it at any time, and then reads the others.
    fn write(&mut self, report: Report, words: &[u32]) -> Result<(), String> {
        let mut result = Ok(());
        let places: Vec<_> = (report.address()..).step_by(4).zip(words).collect();
        for (address, &word) in places.into_iter().rev() {
            let Some((handle, offset)) = self.buffers.find(address) else {
                result = Err(format!("a report at {address:#x}, which is in no buffer"));
                continue;
            };
            if self.waiting_words >= MOST_WORDS {
                self.waiting.clear();
                self.waiting_words = 0;
                result = Err("reports are lost: too many wait for the program to map their buffers".to_owned());
            }
            self.waiting.entry(handle).or_default().push((offset, word));
            self.waiting_words += 1;
        }
        result
    }

    /// Takes the words that wait in a buffer.
    fn take_words(&mut self, handle: u32) -> Vec<(u32, u32)> {
        let words = self.waiting.remove(&handle).unwrap_or_default();
        self.waiting_words -= words.len();
        words
    }
}

impl Backend for RecordOnly {
    fn apply(&mut self, record: &Record) -> Result<(), LiveError> {
        match record {
            &Record::Object { handle, class } => self.subchannels.create(handle, class),
            Record::CreateBuffer(buffer) => {
                self.check(buffer)?;
                self.take_words(buffer.handle);
                self.buffers.insert(buffer);
            }
            Record::MoveBuffer(buffer) => {
                self.check(buffer)?;
                self.buffers.insert(buffer);
            }
            &Record::DestroyBuffer { handle } => {
                self.buffers.remove(handle);
                self.take_words(handle);
            }
            _ => {}
        }
        Ok(())
    }

    fn execute(&mut self, submission: &Submission, failures: &mut Failures) -> Result<(), LiveError> {
        for push in &submission.pushes {
            for &word in &push.words {
                match self.pusher.word(word) {
                    Ok(None) => {}
                    Ok(Some(write)) => {
                        if let Err(failure) = self.method(write) {
                            failures.note(failure);
                        }
                    }
                    Err(error) => {
                        failures.note(error.to_string());
                        break;
                    }
                }
            }
        }
        if !self.pusher.is_between_packets() {
            failures.note("a submission ends within a packet".to_owned());
            self.pusher = IbPusher::default();
        }
        Ok(())
    }

    fn end_submission(&mut self) -> Vec<u64> {
        self.clock.end_submission()
    }

    fn finish(&mut self) -> Result<(), LiveError> {
        Ok(())
    }

    fn written(&self) -> Vec<u32> {
        self.waiting.keys().copied().collect()
    }

    fn bring(&mut self, handle: u32, shared: &mut SharedBuffer, _has_reports: bool) -> Result<(), LiveError> {
        for (offset, word) in self.take_words(handle) {
            let written = shared.bring_word(offset as usize, word);
            written.map_err(|source| LiveError::SharedMemory { handle, source })?;
        }
        Ok(())
    }

    fn read(&mut self, _handle: u32, _range: Range<u32>) -> Result<Option<Vec<u8>>, LiveError> {
        Ok(None)
    }

    fn surfaces(&mut self) -> Result<Vec<Surface>, LiveError> {
        Ok(Vec::new())
    }

    fn counts(&self) -> MethodCounts {
        self.counts
    }

    fn queries(&self) -> Option<u64> {
        Some(self.queries)
    }

    fn anomalies(&self) -> Vec<String> {
        Vec::new()
    }
}
