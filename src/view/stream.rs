//! A capture that is played piece by piece: frame by frame, draw by draw, or for as long as there is time.

use std::time::Instant;

use super::control::Progress;
use super::timeline::{FrameRule, Timeline};
use crate::capture::{Capture, Record};
use crate::chip::{BoundSurface, Chip, ChipError, SubmissionPosition};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::replay::ReplayError;
use crate::work::{Elements, Engine, EngineError, Work};

/// Methods between two looks at the clock, where none of them makes work.
const METHODS_PER_LOOK: u32 = 256;

/// Where a piece of a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// At the end of the frame.
    Frame,
    /// Behind the method that drew or cleared.
    Draw,
}

/// What the chip asked the engine for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Draws.
    pub draws: u64,
    /// Clears.
    pub clears: u64,
    /// Copies and images of the 2D classes.
    pub transfers: u64,
    /// Vertices of draws, repeated ones each time.
    pub vertices: u64,
}

/// An engine that counts what it is asked for.
#[derive(Debug)]
struct Counted<'a> {
    engine: &'a mut dyn Engine,
    counters: &'a mut Counters,
}

impl Counters {
    fn count(&mut self, work: &Work) {
        match work {
            Work::Draw(draw) => {
                self.draws += 1;
                self.vertices += vertices(&draw.elements);
            }
            Work::Clear(_) => self.clears += 1,
            Work::CopyMemory(_) | Work::ScaleImage(_) => self.transfers += 1,
            Work::ZeroMemory(_)
            | Work::ResetSampleCounter
            | Work::WriteReport { .. }
            | Work::WriteNotifier { .. }
            | Work::WriteFence { .. } => {}
        }
    }

    /// All work that takes long.
    const fn pieces(&self) -> u64 {
        self.draws + self.clears + self.transfers
    }
}

fn vertices(elements: &Elements) -> u64 {
    match elements {
        Elements::Ranges(ranges) | Elements::Buffer { ranges, .. } => {
            ranges.iter().map(|&(_, count)| u64::from(count)).sum()
        }
        Elements::Inline(indices) => indices.len() as u64,
        Elements::Immediate(vertices) => vertices.len() as u64,
    }
}

impl Engine for Counted<'_> {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.engine.grow_memory(space, end)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.engine.memory_extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.engine.write_memory(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.engine.read_memory(window, bytes)
    }

    fn execute(&mut self, work: &Work) -> Result<(), EngineError> {
        self.counters.count(work);
        self.engine.execute(work)
    }

    fn end_frame(&mut self, unfinished: usize) -> Result<(), EngineError> {
        self.engine.end_frame(unfinished)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.engine.finish()
    }
}

/// A capture with the chip that plays it.
#[derive(Debug)]
pub struct Stream {
    capture: Capture,
    timeline: Timeline,
    chip: Chip,
    frame: usize,
    record: usize,
    /// Where the submission of the current record was left.
    position: Option<SubmissionPosition>,
    counters: Counters,
    /// The counters at the last end of a frame, and what the frame before it took.
    frame_start: Counters,
    last_frame: Counters,
}

impl Stream {
    /// A capture at its start.
    #[must_use]
    pub fn new(capture: Capture) -> Self {
        Self {
            timeline: Timeline::new(&capture),
            chip: Chip::new(&capture.header),
            capture,
            frame: 0,
            record: 0,
            position: None,
            counters: Counters::default(),
            frame_start: Counters::default(),
            last_frame: Counters::default(),
        }
    }

    /// Goes back to the start; the engine is to be a new one.
    pub fn restart(&mut self) {
        self.chip = Chip::new(&self.capture.header);
        (self.frame, self.record, self.position) = (0, 0, None);
        self.counters = Counters::default();
        self.frame_start = Counters::default();
    }

    /// The sizes of the address spaces.
    #[must_use]
    pub const fn memory_sizes(&self) -> (u64, u64) {
        (self.capture.header.vram_bytes, self.capture.header.gart_bytes)
    }

    /// Frames done, and all frames.
    #[must_use]
    pub const fn frames(&self) -> (usize, usize) {
        (self.frame, self.timeline.frames.len())
    }

    /// What the frames were found by.
    #[must_use]
    pub const fn frame_rule(&self) -> FrameRule {
        self.timeline.rule
    }

    /// Draws and clears of the frame so far; 0 between frames.
    #[must_use]
    pub const fn draws_of_frame(&self) -> u64 {
        let (now, start) = (&self.counters, &self.frame_start);
        now.draws + now.clears - start.draws - start.clears
    }

    /// What the last whole frame asked for.
    #[must_use]
    pub const fn last_frame(&self) -> &Counters {
        &self.last_frame
    }

    /// Surfaces that drawing would write now.
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.chip.bound_surfaces()
    }

    /// What the stream asked for so far that the chip does not know or refuses.
    #[must_use]
    pub fn anomalies(&self) -> Vec<String> {
        self.chip.anomalies().lines()
    }

    /// Plays on to the end of a piece, or until the deadline has passed.
    ///
    /// # Errors
    /// When a record cannot be applied; the error names it.
    pub fn advance(
        &mut self,
        engine: &mut dyn Engine,
        piece: Piece,
        deadline: Instant,
    ) -> Result<Progress, ReplayError> {
        loop {
            let Some(frame) = self.timeline.frames.get(self.frame) else { return Ok(Progress::End) };
            if self.record >= frame.end {
                self.end_frame();
                let is_last = self.frame == self.timeline.frames.len();
                match piece {
                    _ if is_last => return Ok(Progress::End),
                    Piece::Frame => return Ok(Progress::Done),
                    Piece::Draw => continue,
                }
            }
            let number = self.record;
            let progress = self
                .advance_record(engine, piece, deadline)
                .map_err(|source| ReplayError::Record { record: number, source })?;
            if let Some(progress) = progress {
                return Ok(progress);
            }
            if Instant::now() >= deadline {
                return Ok(Progress::Unfinished);
            }
        }
    }

    fn end_frame(&mut self) {
        self.frame += 1;
        let (now, start) = (self.counters, self.frame_start);
        self.last_frame = Counters {
            draws: now.draws - start.draws,
            clears: now.clears - start.clears,
            transfers: now.transfers - start.transfers,
            vertices: now.vertices - start.vertices,
        };
        self.frame_start = now;
    }

    /// Applies the current record; says why it was left before its end.
    fn advance_record(
        &mut self,
        engine: &mut dyn Engine,
        piece: Piece,
        deadline: Instant,
    ) -> Result<Option<Progress>, ChipError> {
        let engine = &mut Counted { engine, counters: &mut self.counters };
        let Record::Submit(submission) = &self.capture.records[self.record] else {
            self.chip.apply(&self.capture.records[self.record], engine)?;
            self.record += 1;
            return Ok(None);
        };
        let mut run = match self.position.take() {
            Some(position) => self.chip.go_on(submission, position)?,
            None => self.chip.start(submission)?,
        };
        let mut methods = 0;
        while let Some(write) = self.chip.next_method(&mut run, engine)? {
            let before = *engine.counters;
            self.chip.execute_method(write, engine)?;
            let now = &*engine.counters;
            methods += 1;
            let has_drawn = now.draws + now.clears > before.draws + before.clears;
            if piece == Piece::Draw && has_drawn {
                self.position = Some(run.position());
                return Ok(Some(Progress::Done));
            }
            let is_time_to_look = now.pieces() > before.pieces() || methods % METHODS_PER_LOOK == 0;
            if is_time_to_look && Instant::now() >= deadline {
                self.position = Some(run.position());
                return Ok(Some(Progress::Unfinished));
            }
        }
        self.record += 1;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::reference::Reference;
    use crate::replay::{ReplayOptions, read_surface, replay};
    use crate::scene::{SceneFile, SceneOptions};

    const FRAMES: u32 = 3;

    fn capture() -> Capture {
        let options = SceneOptions { size: Some((48, 36)) };
        SceneFile::open("scenes/edges".as_ref(), &options).unwrap().capture(0..FRAMES).unwrap()
    }

    fn opened() -> (Stream, Reference) {
        let stream = Stream::new(capture());
        let (vram, gart) = stream.memory_sizes();
        (stream, Reference::new(vram, gart).unwrap())
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(3600)
    }

    /// All bytes of the surfaces that are bound.
    fn shown(stream: &Stream, engine: &mut Reference) -> Vec<Vec<u8>> {
        let bound = stream.bound_surfaces();
        bound.iter().map(|bound| read_surface(bound, engine).unwrap().rows).collect()
    }

    #[test]
    fn pieces_of_any_size_leave_the_same_surfaces() {
        let (mut stream, mut engine) = opened();
        let whole = replay(&capture(), &mut engine, &ReplayOptions::default(), &mut |_, _| {});
        let whole: Vec<_> = whole.unwrap().surfaces.into_iter().map(|surface| surface.rows).collect();
        assert!(!whole.is_empty());

        // Frame by frame, with every piece cut short by its deadline.
        let (_, mut engine) = opened();
        let mut after_frames = Vec::new();
        let mut pieces = 0;
        loop {
            pieces += 1;
            match stream.advance(&mut engine, Piece::Frame, Instant::now()).unwrap() {
                Progress::Unfinished => {}
                Progress::Done => after_frames.push(shown(&stream, &mut engine)),
                Progress::End => break,
            }
        }
        let (done, all) = stream.frames();
        assert_eq!((done, after_frames.len() + 1, all), (all, all, FRAMES as usize));
        assert_ne!(after_frames[0], after_frames[1], "the scene moves");
        assert!(pieces > 10 * all, "{pieces} pieces");
        assert_eq!(shown(&stream, &mut engine), whole);

        // Draw by draw: the same pictures at the ends of frames.
        stream.restart();
        let (_, mut engine) = opened();
        let mut draws = 0;
        while stream.advance(&mut engine, Piece::Draw, later()).unwrap() == Progress::Done {
            draws += 1;
            assert!(stream.draws_of_frame() > 0);
        }
        assert!(draws >= all, "{draws} draws");
        assert_eq!(shown(&stream, &mut engine), whole);
    }

    #[test]
    fn a_frame_step_finishes_the_frame_that_draw_steps_began() {
        let (mut stream, mut engine) = opened();
        assert_eq!(stream.advance(&mut engine, Piece::Draw, later()).unwrap(), Progress::Done);
        assert_eq!((stream.frames().0, stream.draws_of_frame()), (0, 1));
        assert_eq!(stream.advance(&mut engine, Piece::Frame, later()).unwrap(), Progress::Done);
        assert_eq!((stream.frames().0, stream.draws_of_frame()), (1, 0));
        assert!(stream.last_frame().draws + stream.last_frame().clears > 1);
    }
}
