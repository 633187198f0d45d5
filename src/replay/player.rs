//! Plays a capture on a chip record by record and reports the ends of its frames.

use super::readbacks::ReadbackLog;
use super::{FrameStart, FrameStarts, MissedStop, Outcome, ReplayError, ReplayOptions, read_surface};
use crate::capture::{Capture, Record};
use crate::chip::{BoundSurface, Chip, ChipError, MethodCounts, SubmissionRun};
use crate::machine::chip_of;
use crate::pipeline::{Engine, EngineError};

/// Plays a capture on its chip.
#[derive(Debug)]
pub struct Player<'c> {
    capture: &'c Capture,
    chip: Chip,
    /// The next record; for a submission in progress, the rest of it and the number of its methods executed.
    record: usize,
    run: Option<SubmissionRun<'c>>,
    methods: u64,
    /// The last submission or draw to play, and whether it was played.
    until: Option<u32>,
    until_draw: Option<u64>,
    is_stopped: bool,
    /// The starts of frames, and how many frames have begun.
    starts: Vec<FrameStart>,
    begun: usize,
    /// Whether the last frame has ended.
    is_over: bool,
    readbacks: Option<ReadbackLog>,
}

/// Outcome of one playback step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A record was applied, or the part of it that belongs to one frame. When stepping by method, the end of a record.
    Record,
    /// A method of a submission was executed.
    Method,
    /// The frame with this number, from 0, has ended; without a number, the part before the first frame. The end of
    /// playback ends the last frame.
    FrameEnd(Option<u32>),
}

impl<'c> Player<'c> {
    /// Creates the chip on which a capture was recorded, and plays nothing yet. The whole capture counts as the part
    /// before a first frame.
    ///
    /// # Errors
    /// When curie does not emulate this chip.
    pub fn new(capture: &'c Capture, options: &ReplayOptions) -> Result<Self, ReplayError> {
        Ok(Self {
            capture,
            chip: chip_of(&capture.header)?.strict(options.strict),
            record: 0,
            run: None,
            methods: 0,
            until: options.until,
            until_draw: options.until_draw,
            is_stopped: false,
            starts: Vec::new(),
            begun: 0,
            is_over: false,
            readbacks: options.readbacks.then(ReadbackLog::default),
        })
    }

    /// Splits the capture into the frames found by [`FrameStarts`].
    #[must_use]
    pub fn by_frames(self) -> Self {
        Self { starts: FrameStarts::find(self.capture).starts, ..self }
    }

    /// Applies the next record up to the end of the frame, or ends a frame; `None` after the end of the last frame.
    ///
    /// # Errors
    /// When a record cannot be applied; the error names it.
    pub fn step(&mut self, engine: &mut dyn Engine) -> Result<Option<Step>, ReplayError> {
        self.advance(engine, u64::MAX)
    }

    /// Steps like [`Self::step`], but stops after each method of a submission.
    ///
    /// # Errors
    /// When a record cannot be applied; the error names it.
    pub fn step_method(&mut self, engine: &mut dyn Engine) -> Result<Option<Step>, ReplayError> {
        self.advance(engine, 1)
    }

    /// Takes a step of at most `most` methods.
    fn advance(&mut self, engine: &mut dyn Engine, most: u64) -> Result<Option<Step>, ReplayError> {
        let frame = self.begun.checked_sub(1).and_then(|frame| u32::try_from(frame).ok());
        let Some(record) = self.next_record() else {
            let was_over = std::mem::replace(&mut self.is_over, true);
            return Ok((!was_over).then_some(Step::FrameEnd(frame)));
        };
        let here = FrameStart { record: self.record, method: self.methods };
        if self.starts.get(self.begun).is_some_and(|start| *start <= here) {
            self.begun += 1;
            if here != FrameStart::default() {
                return Ok(Some(Step::FrameEnd(frame)));
            }
        }
        let is_done = self.apply(record, engine, most);
        if is_done.map_err(|source| ReplayError::Record { record: self.record, source })? {
            if let Some(readbacks) = &mut self.readbacks {
                readbacks.note(record, &self.chip, engine)?;
            }
            self.record += 1;
            self.methods = 0;
            self.is_stopped |= matches!(record, Record::Submit(submission) if self.until == Some(submission.sequence));
            return Ok(Some(Step::Record));
        }
        Ok(Some(if most == 1 { Step::Method } else { Step::Record }))
    }

    /// Applies at most `most` methods of a record, up to the start of the next frame; returns whether the record is done.
    fn apply(&mut self, record: &'c Record, engine: &mut dyn Engine, most: u64) -> Result<bool, ChipError> {
        let Record::Submit(submission) = record else { return self.chip.apply(record, engine).map(|()| true) };
        let next = self.starts.get(self.begun).filter(|start| start.record == self.record).map(|start| start.method);
        let end = next.unwrap_or(u64::MAX).min(self.methods.saturating_add(most));
        let mut run = match self.run.take() {
            Some(run) => run,
            None => self.chip.start(submission)?,
        };
        while self.methods < end {
            let most = end - self.methods;
            let Some(methods) = self.chip.execute_next(&mut run, most, engine)? else { return Ok(true) };
            self.methods += methods;
            if self.until_draw.is_some_and(|last| self.chip.counts().draws > last) {
                self.is_stopped = true;
                break;
            }
        }
        self.run = Some(run);
        Ok(false)
    }

    /// The record that the next step applies or continues; `None` after the last.
    #[must_use]
    pub fn next_record(&self) -> Option<&'c Record> {
        self.capture.records.get(self.record).filter(|_| !self.is_stopped)
    }

    /// Whether the submission or draw to stop at was played.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Whether the stream has ended before the submission or draw to stop at.
    #[must_use]
    pub fn missed_stop(&self) -> Option<MissedStop> {
        if self.is_stopped || self.next_record().is_some() {
            return None;
        }
        if let Some(draw) = self.until_draw {
            return Some(MissedStop::Draw { draw, draws: self.chip.counts().draws });
        }
        let submissions = self.capture.records.iter().filter_map(|record| match record {
            Record::Submit(submission) => Some(submission.sequence),
            _ => None,
        });
        let (first, last) = (submissions.clone().min(), submissions.max());
        self.until.map(|submission| MissedStop::Submission { submission, present: first.zip(last) })
    }

    /// The number of applied records, and the total.
    #[must_use]
    pub const fn progress(&self) -> (usize, usize) {
        (self.record, self.capture.records.len())
    }

    /// What the chip has executed so far.
    #[must_use]
    pub const fn counts(&self) -> MethodCounts {
        self.chip.counts()
    }

    /// The surfaces that drawing would write now, and the depth surface that was last used; see [`Chip::bound_surfaces`].
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.chip.bound_surfaces()
    }

    /// Waits for all commands so far and reads the currently bound surfaces; takes the readbacks since the last call.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn outcome(&mut self, engine: &mut dyn Engine) -> Result<Outcome, EngineError> {
        engine.finish()?;
        let bound = self.bound_surfaces();
        let surfaces = bound.iter().map(|bound| read_surface(bound, engine)).collect::<Result<_, _>>()?;
        let readbacks = self.readbacks.as_mut().map(ReadbackLog::take).unwrap_or_default();
        let anomalies = self.chip.anomalies().lines();
        Ok(Outcome { readbacks, surfaces, anomalies, missed_stop: self.missed_stop() })
    }
}

/// Applies the records of a capture in order and reads the surfaces that are bound at the end.
///
/// `progress` receives the number of applied records and the total.
///
/// # Errors
/// When a record cannot be applied; the error names it.
pub fn replay(
    capture: &Capture,
    engine: &mut dyn Engine,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, ReplayError> {
    let mut player = Player::new(capture, options)?;
    while player.step(engine)?.is_some() {
        let (done, all) = player.progress();
        progress(done, all);
    }
    Ok(player.outcome(engine)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Submission;
    use crate::command::builder::{CaptureBuilder, StreamBuilder, handles};
    use crate::reference::Reference;

    fn mark(text: &str) -> Record {
        Record::Mark(text.as_bytes().to_vec())
    }

    fn submit(sequence: u32) -> Record {
        Record::Submit(Submission { sequence, ..Submission::default() })
    }

    /// The ends of frames, and how many records were applied before each.
    fn ends(records: Vec<Record>, until: Option<u32>) -> Vec<(Option<u32>, usize)> {
        let capture = Capture { records, ..Capture::default() };
        let mut player =
            Player::new(&capture, &ReplayOptions { until, ..ReplayOptions::default() }).unwrap().by_frames();
        let mut engine = Reference::new(1 << 20, 1 << 20).unwrap();
        let mut ends = Vec::new();
        while let Some(step) = player.step(&mut engine).unwrap() {
            if let Step::FrameEnd(frame) = step {
                ends.push((frame, player.progress().0));
            }
        }
        assert_eq!(player.step(&mut engine).unwrap(), None);
        ends
    }

    #[test]
    fn frames_end_where_the_next_begins_and_with_the_stream() {
        let records =
            || vec![submit(0), mark("frame 0"), submit(1), mark("draw"), mark("frame 1"), submit(2), submit(3)];
        assert_eq!(ends(records(), None), [(None, 1), (Some(0), 4), (Some(1), 7)]);
        assert_eq!(ends(records(), Some(2)), [(None, 1), (Some(0), 4), (Some(1), 6)]);
        assert_eq!(ends(records(), Some(0)), [(None, 1)]);
        assert_eq!(ends(records().split_off(1), None), [(Some(0), 3), (Some(1), 6)]);
        assert_eq!(ends(vec![submit(0)], None), [(None, 1)]);
        assert_eq!(ends(Vec::new(), None), [(None, 0)]);
    }

    #[test]
    fn a_submission_can_be_taken_method_by_method() {
        let mut stream = StreamBuilder::new();
        stream.bind(0, 0x4097, handles::object(0x4097)).method(0, 0x100, 0).method(0, 0x100, 0);
        let mut builder = CaptureBuilder::new();
        builder.record(mark("frame 0")).submit(stream).record(mark("frame 1"));
        let capture = builder.finish();
        let mut player = Player::new(&capture, &ReplayOptions::default()).unwrap().by_frames();
        let mut engine = Reference::new(1 << 28, 1 << 28).unwrap();
        let mut steps = Vec::new();
        while let Some(step) = player.step_method(&mut engine).unwrap() {
            let is_submission = matches!(player.next_record(), Some(Record::Submit(_)));
            steps.push((step, player.counts().methods, is_submission));
        }
        let first = steps.iter().position(|(step, ..)| matches!(step, Step::FrameEnd(None))).unwrap();
        let expected = [
            (Step::FrameEnd(None), 0, false),
            (Step::Record, 0, true),
            (Step::Method, 1, true),
            (Step::Method, 2, true),
            (Step::Method, 3, true),
            (Step::Record, 3, false),
            (Step::FrameEnd(Some(0)), 3, false),
            (Step::Record, 3, false),
            (Step::FrameEnd(Some(1)), 3, false),
        ];
        assert_eq!(steps[first..], expected);
    }
}
