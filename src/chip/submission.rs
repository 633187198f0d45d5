//! Decodes submissions into methods, and dispatches them to the puller and to classes.

use super::anomalies::Reason;
use super::class::{Context, Peers};
use super::notifier::{DMA_NOTIFY, NOTIFY};
use super::objects::{GraphicsObject, ObjectKind};
use super::{Chip, ChipError};
use crate::capture::Submission;
use crate::command::ib_packet::IbPusher;
use crate::command::packet::{MethodWrite, PushError, Pusher, WordSource};
use crate::memory::{MemorySpace, MemoryWindow, PAGE_BYTES};
use crate::pipeline::Engine;

/// The most words that jumps and calls may add to a submission.
const MAX_EXTRA_WORDS: u32 = 1 << 22;

/// The first method that belongs to the object.
const FIRST_OBJECT_METHOD: u16 = 0x100;

/// A submission in progress.
#[derive(Debug)]
pub struct SubmissionRun<'a> {
    sequence: u32,
    pieces: Vec<Piece<'a>>,
    current: usize,
    pusher: Option<Pusher>,
    budget: u32,
    /// The guest memory page read last, and its address.
    page: Option<(u32, Vec<u8>)>,
    /// In IB mode, the state of the list.
    list: Option<ListState>,
}

/// The state of a list of pushes.
#[derive(Debug, Default)]
struct ListState {
    pusher: IbPusher,
    /// The next word of the current piece.
    at: usize,
    /// The words of the current piece, if the chip has written their buffer: what it holds when the list comes to it.
    written: Option<Vec<u32>>,
}

/// The position in a submission: a [`SubmissionRun`] without its words, so it does not borrow them.
#[derive(Debug)]
pub struct SubmissionPosition {
    current: usize,
    pusher: Option<Pusher>,
    budget: u32,
    page: Option<(u32, Vec<u8>)>,
    list: Option<ListState>,
}

impl SubmissionRun<'_> {
    /// Pauses between two methods.
    #[must_use]
    pub fn position(self) -> SubmissionPosition {
        let Self { current, pusher, budget, page, list, .. } = self;
        SubmissionPosition { current, pusher, budget, page, list }
    }

    /// The words that follow for the method that was read last, as far as they lie in the current piece.
    fn repeats(&self) -> &[u32] {
        let Some(piece) = self.pieces.get(self.current) else { return &[] };
        let (words, first, count) = match (&self.list, &self.pusher) {
            (Some(ListState { pusher, at, written }), _) => {
                (written.as_deref().unwrap_or(piece.words), *at, pusher.repeats())
            }
            (None, Some(pusher)) => {
                let (get, count) = pusher.repeats();
                match get.checked_sub(piece.start) {
                    Some(offset) => (piece.words, offset as usize / 4, count),
                    None => return &[],
                }
            }
            (None, None) => return &[],
        };
        let rest = words.get(first..).unwrap_or_default();
        &rest[..rest.len().min(count as usize)]
    }

    /// Skips words of [`Self::repeats`], of a packet at most.
    fn skip(&mut self, words: u32) {
        match (&mut self.list, &mut self.pusher) {
            (Some(list), _) => {
                list.pusher.skip(words);
                list.at += words as usize;
            }
            (None, Some(pusher)) => pusher.skip(u16::try_from(words).unwrap_or(u16::MAX)),
            (None, None) => {}
        }
    }

    /// Skips the rest of the push in which the pusher stopped.
    pub fn skip_push(&mut self) {
        self.pusher = None;
        self.list = self.list.take().map(|_| Default::default());
        self.current += 1;
    }
}

impl Chip {
    /// Resumes a paused submission.
    ///
    /// # Errors
    /// When a push lies in a buffer that does not exist.
    pub fn go_on<'a>(
        &self,
        submission: &'a Submission,
        position: SubmissionPosition,
    ) -> Result<SubmissionRun<'a>, ChipError> {
        let SubmissionPosition { current, pusher, budget, page, list } = position;
        Ok(SubmissionRun { current, pusher, budget, page, list, ..self.start(submission)? })
    }

    pub(super) fn submit(&mut self, submission: &Submission, engine: &mut dyn Engine) -> Result<(), ChipError> {
        let mut run = self.start(submission)?;
        while self.execute_next(&mut run, u64::MAX, engine)?.is_some() {}
        Ok(())
    }

    /// Executes the next method of a submission, and those that repeat it with further elements of a primitive, `most` in all.
    /// Returns how many there were; `None` at the end.
    ///
    /// # Errors
    /// When the pusher stops, the engine fails, or there is an anomaly in strict mode.
    pub fn execute_next(
        &mut self,
        run: &mut SubmissionRun<'_>,
        most: u64,
        engine: &mut dyn Engine,
    ) -> Result<Option<u64>, ChipError> {
        let Some(write) = self.next_method(run, engine)? else { return Ok(None) };
        self.execute_method(write, engine)?;
        let words = run.repeats();
        let words = &words[..words.len().min(usize::try_from(most.saturating_sub(1)).unwrap_or(usize::MAX))];
        let taken = if words.is_empty() { 0 } else { self.repeat_method(write, words) };
        run.skip(taken);
        Ok(Some(1 + u64::from(taken)))
    }

    /// Executes a method again with words, as far as its class takes them at once; returns how many these were.
    fn repeat_method(&mut self, write: MethodWrite, words: &[u32]) -> u32 {
        let bound = self.channel.bound[usize::from(write.subchannel & 7)];
        let Some(GraphicsObject { class, kind: ObjectKind::Known { state } }) = bound else { return 0 };
        if write.method < FIRST_OBJECT_METHOD || !self.classes.split(state).0.repeat(class, write.method, words) {
            return 0;
        }
        self.counts.state_changes += changes(write.value, words);
        let count = u32::try_from(words.len()).expect("a packet has fewer words");
        self.counts.methods += u64::from(count);
        self.clock.count_methods(count);
        count
    }

    /// Starts a submission that the caller executes with [`Self::next_method`] and [`Self::execute_method`];
    /// [`Self::apply`] does both.
    ///
    /// # Errors
    /// When a push lies in a buffer that does not exist.
    pub fn start<'a>(&self, submission: &'a Submission) -> Result<SubmissionRun<'a>, ChipError> {
        let mut pieces = Vec::with_capacity(submission.pushes.len());
        let mut words = 0usize;
        for push in &submission.pushes {
            let buffer = self.objects.buffer(push.buffer);
            let buffer = buffer.ok_or(ChipError::UnknownBuffer { tag: "SUBM", handle: push.buffer })?;
            let start = buffer.start.wrapping_add(push.offset) & !3;
            // Each lookup searches the pieces, so empty ones would only cost time.
            if !push.words.is_empty() {
                pieces.push(Piece { buffer: push.buffer, space: buffer.space, start, words: &push.words });
            }
            words += push.words.len();
        }
        let budget = u32::try_from(words).unwrap_or(u32::MAX).saturating_add(MAX_EXTRA_WORDS);
        let list = self.objects.virtual_memory.as_ref().map(|_| Default::default());
        Ok(SubmissionRun { sequence: submission.sequence, pieces, current: 0, pusher: None, budget, page: None, list })
    }

    /// The next method of a submission; `None` at its end.
    ///
    /// # Errors
    /// When the pusher stops.
    pub fn next_method(
        &self,
        run: &mut SubmissionRun<'_>,
        engine: &mut dyn Engine,
    ) -> Result<Option<MethodWrite>, ChipError> {
        if let Some(ListState { pusher, at, written }) = &mut run.list {
            while let Some(piece) = run.pieces.get(run.current) {
                if *at == 0 && self.has_written(piece.buffer) {
                    *written = Some(piece.read(engine)?);
                }
                while let Some(&word) = written.as_deref().unwrap_or(piece.words).get(*at) {
                    *at += 1;
                    let get = piece.start.wrapping_add(u32::try_from(4 * (*at - 1)).unwrap_or(u32::MAX));
                    let failed =
                        |_| ChipError::Push { sequence: run.sequence, source: PushError::InvalidCommand { get, word } };
                    if let Some(write) = pusher.word(word).map_err(failed)? {
                        return Ok(Some(write));
                    }
                }
                (run.current, *at, *written) = (run.current + 1, 0, None);
            }
            let is_open = !pusher.is_between_packets();
            *pusher = IbPusher::default();
            return match is_open {
                true => Err(ChipError::Push { sequence: run.sequence, source: PushError::OpenPacket }),
                false => Ok(None),
            };
        }
        while let Some(piece) = run.pieces.get(run.current) {
            let pusher = run.pusher.get_or_insert_with(|| {
                let bytes = u32::try_from(piece.words.len() * 4).unwrap_or(u32::MAX);
                Pusher::called(piece.start, piece.start.wrapping_add(bytes), run.budget)
            });
            let whole = self.whole(piece.space);
            let mut source =
                PushMemory { pieces: &run.pieces, current: run.current, whole, page: &mut run.page, engine };
            let sequence = run.sequence;
            let next = pusher.next(&mut source).map_err(|source| ChipError::Push { sequence, source })?;
            if next.is_some() {
                return Ok(next);
            }
            run.budget = pusher.budget();
            run.pusher = None;
            run.current += 1;
        }
        Ok(None)
    }

    /// The class of the object on a subchannel.
    #[must_use]
    pub fn bound_class(&self, subchannel: u8) -> Option<u32> {
        self.channel.bound[usize::from(subchannel & 7)].map(|object| object.class)
    }

    /// Executes one method.
    ///
    /// # Errors
    /// When the engine fails, or there is an anomaly in strict mode.
    pub fn execute_method(&mut self, write: MethodWrite, engine: &mut dyn Engine) -> Result<(), ChipError> {
        self.clock.count_methods(1);
        self.counts.methods += 1;
        self.counts.packets += u64::from(write.begins_packet);
        let bound = self.channel.bound[usize::from(write.subchannel & 7)];
        let mut context = Context {
            objects: &self.objects,
            peers: Peers::default(),
            engine,
            anomalies: &mut self.anomalies,
            is_strict: self.is_strict,
            clock: &mut self.clock,
            counts: &mut self.counts,
            written: &mut self.written,
            notifies: false,
            class: bound.map_or(0, |object| object.class),
            method: write.method,
            value: write.value,
        };
        if write.method < FIRST_OBJECT_METHOD {
            return self.channel.method(write.subchannel, &mut context);
        }
        let state = match bound.map(|object| object.kind) {
            None => return context.anomaly(Reason::EmptySubchannel),
            Some(ObjectKind::Unknown) => return context.anomaly(Reason::UnknownClass),
            Some(ObjectKind::Null) => return Ok(()),
            Some(ObjectKind::Known { state }) => state,
        };
        let (class, notifier, peers) = self.classes.split(state);
        (context.peers, context.notifies) = (peers, notifier.begin());
        match write.method {
            NOTIFY | DMA_NOTIFY => notifier.method(&mut context),
            _ => class.method(&mut context),
        }?;
        if context.notifies { notifier.write(&mut context) } else { Ok(()) }
    }
}

/// How often a register changes that is written with these words one after the other.
fn changes(before: u32, words: &[u32]) -> u64 {
    let pairs = std::iter::once(&before).chain(words).zip(words);
    pairs.map(|(before, after)| u64::from(before != after)).sum()
}

/// Words of a submission at their guest addresses.
#[derive(Debug)]
struct Piece<'a> {
    buffer: u32,
    space: MemorySpace,
    start: u32,
    words: &'a [u32],
}

impl Piece<'_> {
    /// The words that memory holds now.
    fn read(&self, engine: &mut dyn Engine) -> Result<Vec<u32>, ChipError> {
        let bytes = u32::try_from(4 * self.words.len()).unwrap_or(u32::MAX);
        let mut held = vec![0; bytes as usize];
        engine.read_memory(MemoryWindow { space: self.space, start: self.start, bytes }, &mut held)?;
        Ok(held.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }
}

/// The push buffer: the submission's own words, and the guest memory that jumps lead to.
struct PushMemory<'a> {
    pieces: &'a [Piece<'a>],
    current: usize,
    whole: MemoryWindow,
    page: &'a mut Option<(u32, Vec<u8>)>,
    engine: &'a mut dyn Engine,
}

impl PushMemory<'_> {
    fn word_of(&self, piece: &Piece<'_>, address: u32) -> Option<u32> {
        let index = address.checked_sub(piece.start)? / 4;
        if piece.space != self.whole.space {
            return None;
        }
        piece.words.get(index as usize).copied()
    }
}

impl WordSource for PushMemory<'_> {
    fn word(&mut self, address: u32) -> Option<u32> {
        if let Some(word) = self.word_of(&self.pieces[self.current], address) {
            return Some(word);
        }
        if let Some(word) = self.pieces.iter().find_map(|piece| self.word_of(piece, address)) {
            return Some(word);
        }
        let first = address - address % PAGE_BYTES;
        if address >= self.engine.memory_extent(self.whole.space) {
            return None;
        }
        if self.page.as_ref().is_none_or(|(start, _)| *start != first) {
            let mut bytes = vec![0; PAGE_BYTES as usize];
            self.engine.read_memory(self.whole.from_offset(first), &mut bytes).ok()?;
            *self.page = Some((first, bytes));
        }
        let (_, bytes) = self.page.as_ref()?;
        bytes.get((address - first) as usize..)?.first_chunk().copied().map(u32::from_le_bytes)
    }
}
