//! Finds the starts of a capture's frames.

use std::ops::Range;

use crate::capture::{Capture, Record, Submission};
use crate::chip::{Chip, ChipError};
use crate::machine::chip_of;
use crate::memory::MemoryWindow;
use crate::pipeline::{Clear, GpuCommand, NullEngine};

/// The rule that separates frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameRule {
    /// Marks `frame` and `frame N`, each before its frame.
    Marks,
    /// The first flip (`FLIP_INCR_WRITE`) after a draw or clear ends a frame. The first frame begins with the first
    /// draw or clear; commands after the last flip form a frame if they draw or clear.
    Flips,
    /// A clear of color and depth begins a frame; if several surfaces are cleared, only clears of the last one count.
    Clears,
    /// The capture has one frame, which begins with the [`longest_stretch`].
    Stretch,
}

/// A position between two records, or between two methods of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct FrameStart {
    /// The record with or in which the frame begins.
    pub record: usize,
    /// The number of methods of that record before the frame.
    pub method: u64,
}

/// The frames of a capture. Each lasts until the next begins, the last until the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameStarts {
    /// The rule that found them.
    pub rule: FrameRule,
    /// The starts, in order.
    pub starts: Vec<FrameStart>,
}

impl FrameStarts {
    /// Finds the frames of a capture by the first rule that applies: marks, flips, clears, the longest stretch. For
    /// flips and clears, the capture is played without drawing. A capture that submits nothing may have no frame.
    #[must_use]
    pub fn find(capture: &Capture) -> Self {
        let at = |record: usize| FrameStart { record, method: 0 };
        let records = capture.records.iter().enumerate();
        let marks: Vec<_> = records.filter(|(_, record)| record.begins_frame()).map(|(number, _)| at(number)).collect();
        if !marks.is_empty() {
            return Self { rule: FrameRule::Marks, starts: marks };
        }
        let scan = Scan::new(capture);
        if scan.has_flips {
            return Self { rule: FrameRule::Flips, starts: scan.pictures };
        }
        let starts = scan.last_cleared();
        if !starts.is_empty() {
            return Self { rule: FrameRule::Clears, starts };
        }
        let starts = longest_stretch(capture).map(|stretch| at(stretch.start)).into_iter().collect();
        Self { rule: FrameRule::Stretch, starts }
    }
}

/// Finds the longest run of records, in words submitted, that creates, moves and destroys no object or buffer: the
/// client has loaded everything by then and only draws. The record that ends the run belongs to it. `None` if nothing
/// is submitted.
#[must_use]
pub fn longest_stretch(capture: &Capture) -> Option<Range<usize>> {
    let is_structure = |record: &Record| {
        let is_content = matches!(record, Record::Pages { .. } | Record::Write { .. } | Record::Times(_));
        !is_content && !matches!(record, Record::Prepare { .. } | Record::Mark(_) | Record::Submit(_))
    };
    let mut longest = (0, 0..0);
    let mut first = 0;
    for run in capture.records.split_inclusive(is_structure) {
        let words: usize = run.iter().map(submitted_words).sum();
        if words > longest.0 {
            longest = (words, first..first + run.len());
        }
        first += run.len();
    }
    (longest.0 != 0).then_some(longest.1)
}

fn submitted_words(record: &Record) -> usize {
    match record {
        Record::Submit(submission) => submission.pushes.iter().map(|push| push.words.len()).sum(),
        _ => 0,
    }
}

/// The candidates for frame boundaries in a capture, found without drawing.
#[derive(Debug, Default)]
struct Scan {
    /// The starts of pictures that end with flips: the first draw or clear, then after each flip.
    pictures: Vec<FrameStart>,
    /// The position after the flip that follows the last draw or clear.
    behind_flip: Option<FrameStart>,
    /// Whether a flip has ended a picture.
    has_flips: bool,
    /// Clears of color and depth, with the first color surface of each.
    clears: Vec<(MemoryWindow, FrameStart)>,
}

impl Scan {
    /// Plays a capture up to its first error.
    fn new(capture: &Capture) -> Self {
        let header = &capture.header;
        let mut scan = Self::default();
        let Ok(mut engine) = NullEngine::new(header.vram_bytes, header.gart_bytes) else { return scan };
        let Ok(mut chip) = chip_of(header) else { return scan };
        for (record, applied) in capture.records.iter().enumerate() {
            let result = match applied {
                Record::Submit(submission) => scan.submission(submission, record, &mut chip, &mut engine),
                _ => chip.apply(applied, &mut engine),
            };
            if result.is_err() {
                break;
            }
        }
        scan
    }

    fn submission(
        &mut self,
        submission: &Submission,
        record: usize,
        chip: &mut Chip,
        engine: &mut NullEngine,
    ) -> Result<(), ChipError> {
        let mut run = chip.start(submission)?;
        let mut here = FrameStart { record, method: 0 };
        loop {
            let flips = chip.counts().flips;
            let Some(methods) = chip.execute_next(&mut run, u64::MAX, engine)? else { break };
            for command in engine.take_drawn() {
                self.note_command(&command, here);
            }
            here.method += methods;
            if chip.counts().flips > flips && !self.pictures.is_empty() {
                self.has_flips = true;
                self.behind_flip.get_or_insert(here);
            }
        }
        // A submission is over after its last method.
        if self.behind_flip == Some(here) {
            self.behind_flip = Some(FrameStart { record: record + 1, method: 0 });
        }
        Ok(())
    }

    /// Notes a draw or clear.
    fn note_command(&mut self, command: &GpuCommand, here: FrameStart) {
        match self.behind_flip.take() {
            Some(start) => self.pictures.push(start),
            None if self.pictures.is_empty() => self.pictures.push(here),
            None => {}
        }
        if let GpuCommand::Clear(clear) = command {
            self.clears.extend(cleared_surface(clear).map(|surface| (surface, here)));
        }
    }

    /// The clears of the last cleared surface.
    fn last_cleared(&self) -> Vec<FrameStart> {
        let Some(&(last, _)) = self.clears.last() else { return Vec::new() };
        self.clears.iter().filter(|(surface, _)| *surface == last).map(|(_, start)| *start).collect()
    }
}

/// The first color surface of a clear of color and depth.
fn cleared_surface(clear: &Clear) -> Option<MemoryWindow> {
    let surface = clear.targets.color.iter().flatten().next()?;
    (clear.color_mask != 0 && clear.clears_depth).then_some(surface.window)
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
