//! Plays a capture in pieces: frame by frame, draw by draw, or until a deadline.

use std::time::Instant;

use super::control::Progress;
use crate::capture::{Capture, Record};
use crate::chip::{BoundSurface, Chip, ChipError, SubmissionPosition};
use crate::machine::Family;
use crate::pipeline::{Elements, Engine, EngineError, EngineLayer, GpuCommand};
use crate::replay::{FrameStart, FrameStarts, ReplayError};

/// Methods between two checks of the clock, if none of them causes work.
const METHODS_PER_LOOK: u64 = 256;

/// The end of a piece of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// The end of the frame.
    Frame,
    /// After the method that drew or cleared.
    Draw,
}

/// An earlier place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// After this many draws and clears.
    Draws(u64),
    /// After this many frames.
    Frames(usize),
}

/// What the chip requested from the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Draws.
    pub draws: u64,
    /// Clears.
    pub clears: u64,
    /// Copies and images of the 2D classes.
    pub transfers: u64,
    /// Vertices of draws, counted each time they are repeated.
    pub vertices: u64,
}

/// An engine that counts its commands.
#[derive(Debug)]
struct Counted<'a> {
    engine: &'a mut dyn Engine,
    counters: &'a mut Counters,
}

impl Counters {
    fn count(&mut self, command: &GpuCommand) {
        match command {
            GpuCommand::Draw(draw) => {
                self.draws += 1;
                self.vertices += vertices(&draw.elements);
            }
            GpuCommand::Clear(_) => self.clears += 1,
            GpuCommand::CopyMemory(_) | GpuCommand::ScaleImage(_) | GpuCommand::Launch(_) => self.transfers += 1,
            GpuCommand::ZeroMemory(_)
            | GpuCommand::ResetSampleCounter
            | GpuCommand::WriteReport { .. }
            | GpuCommand::WriteNotifier { .. }
            | GpuCommand::WriteFence { .. } => {}
        }
    }

    /// All work that may take long.
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

impl EngineLayer for Counted<'_> {
    fn inner(&self) -> &dyn Engine {
        self.engine
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        self.engine
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.counters.count(command);
        self.engine.execute(command)
    }
}

/// A capture and the chip that plays it.
#[derive(Debug)]
pub struct Stream {
    capture: Capture,
    family: &'static Family,
    /// Starts of frames; the first frame includes what precedes it.
    starts: Vec<FrameStart>,
    chip: Chip,
    /// The number of finished frames.
    frame: usize,
    here: FrameStart,
    /// The position in an unfinished submission.
    position: Option<SubmissionPosition>,
    counters: Counters,
    /// The counters at the end of the last frame, and what that frame took.
    frame_start: Counters,
    last_frame: Counters,
    /// Draws and clears before the first frame, and at the end of each frame that was reached once.
    drawn: Vec<u64>,
}

impl Stream {
    /// A capture at its start.
    #[must_use]
    pub fn new(capture: Capture, family: &'static Family) -> Self {
        Self {
            starts: FrameStarts::find(&capture).starts,
            chip: family.build(&capture.header),
            family,
            capture,
            frame: 0,
            here: FrameStart::default(),
            position: None,
            counters: Counters::default(),
            frame_start: Counters::default(),
            last_frame: Counters::default(),
            drawn: vec![0],
        }
    }

    /// Returns to the start; the engine must be a new one.
    pub fn restart(&mut self) {
        self.chip = self.family.build(&self.capture.header);
        (self.frame, self.here, self.position) = (0, FrameStart::default(), None);
        self.counters = Counters::default();
        self.frame_start = Counters::default();
    }

    /// The sizes of the address spaces.
    #[must_use]
    pub const fn memory_sizes(&self) -> (u64, u64) {
        (self.capture.header.vram_bytes, self.capture.header.gart_bytes)
    }

    /// Finished frames, and all frames, at least one.
    #[must_use]
    pub fn frames(&self) -> (usize, usize) {
        (self.frame, self.starts.len().max(1))
    }

    /// Draws and clears of the frame so far; 0 between frames.
    #[must_use]
    pub const fn draws_of_frame(&self) -> u64 {
        let (now, start) = (&self.counters, &self.frame_start);
        now.draws + now.clears - start.draws - start.clears
    }

    /// Draws and clears since the start.
    const fn draws(&self) -> u64 {
        self.counters.draws + self.counters.clears
    }

    /// The place one piece before another, which the stream has reached; by default, before the current place. Nothing is
    /// before the first draw.
    #[must_use]
    pub fn before(&self, place: Option<Goal>, piece: Piece) -> Goal {
        let (frames, draws) = match place {
            None => (self.frame, self.draws()),
            Some(Goal::Frames(frames)) => (frames, self.drawn.get(frames).copied().unwrap_or_default()),
            Some(Goal::Draws(draws)) => (self.drawn.partition_point(|end| *end < draws).saturating_sub(1), draws),
        };
        let is_within = self.drawn.get(frames).is_some_and(|start| draws > *start);
        match (piece, if is_within { frames } else { frames.saturating_sub(1) }) {
            (Piece::Frame, 0) => Goal::Draws(1),
            (Piece::Frame, frames) => Goal::Frames(frames),
            (Piece::Draw, _) => Goal::Draws(draws.saturating_sub(1).max(1)),
        }
    }

    /// Whether the stream has passed a place, so that it gets there only from the start.
    #[must_use]
    pub const fn is_beyond(&self, place: Goal) -> bool {
        match place {
            Goal::Draws(draws) => self.draws() > draws,
            Goal::Frames(frames) => self.frame > frames || self.frame == frames && self.draws_of_frame() > 0,
        }
    }

    /// The next piece on the way to a place; `None` if the stream is there.
    #[must_use]
    pub fn piece_toward(&self, place: Goal) -> Option<Piece> {
        match place {
            Goal::Frames(frames) => (self.frame < frames).then_some(Piece::Frame),
            Goal::Draws(draws) => (self.draws() < draws).then(|| match self.drawn.get(self.frame + 1) {
                Some(end) if *end < draws => Piece::Frame,
                _ => Piece::Draw,
            }),
        }
    }

    /// The work of the last complete frame.
    #[must_use]
    pub const fn last_frame(&self) -> &Counters {
        &self.last_frame
    }

    /// The surfaces that drawing would write now; see [`Chip::bound_surfaces`].
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.chip.bound_surfaces()
    }

    /// Unknown and refused methods so far.
    #[must_use]
    pub fn anomalies(&self) -> Vec<String> {
        self.chip.anomalies().lines()
    }

    /// Plays to the end of a piece, or until the deadline has passed.
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
            let (done, all) = self.frames();
            if done == all {
                return Ok(Progress::End);
            }
            let is_at_end = match self.starts.get(done + 1) {
                Some(next) => self.here >= *next,
                None => self.here.record == self.capture.records.len(),
            };
            if is_at_end {
                self.end_frame();
                match piece {
                    _ if done + 1 == all => return Ok(Progress::End),
                    Piece::Frame => return Ok(Progress::Done),
                    Piece::Draw => continue,
                }
            }
            let number = self.here.record;
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
        if self.drawn.len() == self.frame {
            self.drawn.push(self.draws());
        }
    }

    /// Applies the current record up to the end of the frame; returns why it stopped earlier.
    fn advance_record(
        &mut self,
        engine: &mut dyn Engine,
        piece: Piece,
        deadline: Instant,
    ) -> Result<Option<Progress>, ChipError> {
        let engine = &mut Counted { engine, counters: &mut self.counters };
        let record = self.here.record;
        let Record::Submit(submission) = &self.capture.records[record] else {
            self.chip.apply(&self.capture.records[record], engine)?;
            self.here.record += 1;
            return Ok(None);
        };
        let next_frame = self.starts.get(self.frame + 1).filter(|start| start.record == record);
        let end = next_frame.map_or(u64::MAX, |start| start.method);
        let mut run = match self.position.take() {
            Some(position) => self.chip.go_on(submission, position)?,
            None => self.chip.start(submission)?,
        };
        while self.here.method < end {
            let before = *engine.counters;
            let most = (end - self.here.method).min(METHODS_PER_LOOK);
            let Some(methods) = self.chip.execute_next(&mut run, most, engine)? else {
                self.here = FrameStart { record: record + 1, method: 0 };
                return Ok(None);
            };
            let now = &*engine.counters;
            let looks = self.here.method / METHODS_PER_LOOK;
            self.here.method += methods;
            let has_drawn = now.draws + now.clears > before.draws + before.clears;
            if piece == Piece::Draw && has_drawn {
                self.position = Some(run.position());
                return Ok(Some(Progress::Done));
            }
            let is_time_to_look = now.pieces() > before.pieces() || self.here.method / METHODS_PER_LOOK > looks;
            if is_time_to_look && Instant::now() >= deadline {
                self.position = Some(run.position());
                return Ok(Some(Progress::Unfinished));
            }
        }
        self.position = Some(run.position());
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::capture::{Push, Submission};
    use crate::command::builder::{StreamBuilder, handles};
    use crate::command::methods::three_d::sync;
    use crate::machine::FAMILIES;
    use crate::reference::Reference;
    use crate::replay::{ReplayOptions, read_surface, replay};
    use crate::scene::{SceneFile, SceneOptions};

    const FRAMES: u32 = 3;

    fn capture() -> Capture {
        let options = SceneOptions { size: Some((48, 36)) };
        SceneFile::open("scenes/edges".as_ref(), &options).unwrap().capture(0..FRAMES).unwrap()
    }

    fn opened() -> (Stream, Reference) {
        let stream = Stream::new(capture(), FAMILIES[0]);
        let (vram, gart) = stream.memory_sizes();
        (stream, Reference::new(vram, gart).unwrap())
    }

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(3600)
    }

    /// All bytes of the bound surfaces.
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

        // Frame by frame, with every piece interrupted by its deadline.
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

    /// Plays to the place before the current one; returns what is shown there.
    fn back(stream: &mut Stream, piece: Piece) -> Vec<Vec<u8>> {
        let goal = stream.before(None, piece);
        assert!(stream.is_beyond(goal));
        stream.restart();
        let (_, mut engine) = opened();
        while let Some(piece) = stream.piece_toward(goal) {
            assert!(!stream.is_beyond(goal));
            stream.advance(&mut engine, piece, later()).unwrap();
        }
        shown(stream, &mut engine)
    }

    #[test]
    fn the_way_back_shows_what_the_way_forward_showed() {
        // What each draw and each frame left.
        let (mut stream, mut engine) = opened();
        let (mut draws, mut frames) = (Vec::new(), Vec::new());
        while stream.advance(&mut engine, Piece::Draw, later()).unwrap() == Progress::Done {
            draws.push(shown(&stream, &mut engine));
        }
        let (mut stream, mut engine) = opened();
        while stream.frames().0 < FRAMES as usize {
            stream.advance(&mut engine, Piece::Frame, later()).unwrap();
            frames.push(shown(&stream, &mut engine));
        }
        assert!(draws.len() > 2 * frames.len() && draws.windows(2).any(|pair| pair[0] != pair[1]));
        // From the end draw by draw, and from the third draw; nothing is before the first one.
        for expected in draws.iter().rev().skip(1).take(3) {
            assert!(back(&mut stream, Piece::Draw) == *expected, "{} draws", stream.draws());
        }
        stream.restart();
        let (_, mut engine) = opened();
        (0..3).for_each(|_| assert_eq!(stream.advance(&mut engine, Piece::Draw, later()).unwrap(), Progress::Done));
        for expected in draws[..2].iter().rev() {
            assert!(back(&mut stream, Piece::Draw) == *expected, "{} draws", stream.draws());
        }
        assert_eq!((stream.draws(), stream.before(None, Piece::Draw)), (1, Goal::Draws(1)));
        assert_eq!(stream.before(None, Piece::Frame), Goal::Draws(1));
        // From the end frame by frame, then to the first draw.
        let (_, mut engine) = opened();
        stream.restart();
        while stream.frames().0 < FRAMES as usize {
            stream.advance(&mut engine, Piece::Frame, later()).unwrap();
        }
        for expected in frames.iter().rev().skip(1) {
            assert!(back(&mut stream, Piece::Frame) == *expected, "{} frames", stream.frames().0);
        }
        assert_eq!(stream.frames().0, 1);
        assert!(back(&mut stream, Piece::Frame) == draws[0]);
        // Within a frame, the previous one ends where it begins.
        stream.restart();
        let (_, mut engine) = opened();
        stream.advance(&mut engine, Piece::Frame, later()).unwrap();
        stream.advance(&mut engine, Piece::Draw, later()).unwrap();
        assert_eq!(stream.before(None, Piece::Frame), Goal::Frames(1));
        assert!(back(&mut stream, Piece::Frame) == frames[0]);
        // Several steps are counted from where the first ones lead.
        let once = Goal::Draws(stream.drawn[2] - 1);
        assert_eq!(stream.before(Some(Goal::Frames(2)), Piece::Draw), once);
        assert_eq!(stream.before(Some(once), Piece::Draw), Goal::Draws(stream.drawn[2] - 2));
        assert_eq!(stream.before(Some(once), Piece::Frame), Goal::Frames(1));
        assert_eq!(stream.before(Some(Goal::Frames(1)), Piece::Frame), Goal::Draws(1));
    }

    #[test]
    fn frames_begin_in_the_middle_of_submissions() {
        let (mut stream, mut engine) = opened();
        let mut expected = Vec::new();
        while stream.frames().0 < FRAMES as usize {
            stream.advance(&mut engine, Piece::Frame, later()).unwrap();
            expected.push(shown(&stream, &mut engine));
        }
        // The first submission of each frame begins with the flip that ends the previous one.
        let mut capture = capture();
        let mut flip = StreamBuilder::new();
        flip.bind(7, 0x4097, handles::object(0x4097)).method(7, sync::FLIP_INCR_WRITE, 0);
        let mut begins = false;
        for record in &mut capture.records {
            begins |= record.begins_frame();
            if let Record::Submit(Submission { pushes, .. }) = record
                && std::mem::take(&mut begins)
            {
                pushes.insert(0, Push { words: flip.words().to_vec(), ..pushes[0].clone() });
            }
        }
        capture.records.retain(|record| !record.begins_frame());
        let mut stream = Stream::new(capture, FAMILIES[0]);
        assert_eq!(stream.frames(), (0, FRAMES as usize));
        assert!(stream.starts[1..].iter().all(|start| start.method == 2));
        for deadline in [later(), Instant::now()] {
            let (_, mut engine) = opened();
            stream.restart();
            let mut pictures = Vec::new();
            while pictures.len() < FRAMES as usize {
                match stream.advance(&mut engine, Piece::Frame, deadline).unwrap() {
                    Progress::Unfinished => assert!(stream.position.is_some() || stream.here.method == 0),
                    Progress::Done | Progress::End => pictures.push(shown(&stream, &mut engine)),
                }
            }
            assert!(pictures == expected, "the same pictures");
            assert_eq!(stream.advance(&mut engine, Piece::Frame, deadline).unwrap(), Progress::End);
        }
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
