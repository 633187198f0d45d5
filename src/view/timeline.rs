//! The records of a capture as frames: where playing may stop to show a picture.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::capture::{Capture, Record, Submission};
use crate::command::methods::three_d::{draw, sync, targets};
use crate::command::methods::{class_table, puller};
use crate::command::packet::{Pusher, WordSource};

/// The 3D class.
const THREE_D_CLASS: u32 = 0x4097;

/// What frames are found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameRule {
    /// `MARK` records that read `frame` or `frame N`, each before its frame.
    Marks,
    /// Submissions that flip buffers, each the end of a frame.
    Flips,
    /// Submissions that draw or clear, each the end of a frame.
    Submissions,
}

/// A capture cut into frames.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeline {
    /// What the frames were found by.
    pub rule: FrameRule,
    /// The records of each frame; together they are all records, and there is at least one frame.
    pub frames: Vec<Range<usize>>,
}

impl Timeline {
    /// Cuts a capture into frames by marks, where it has none by flips, and else by submissions.
    #[must_use]
    pub fn new(capture: &Capture) -> Self {
        let records = &capture.records;
        let marks: Vec<_> = (0..records.len()).filter(|&index| records[index].begins_frame()).collect();
        if let Some((_, later)) = marks.split_first() {
            // What precedes the first mark belongs to the first frame, what follows the last frame to that one.
            let frames = cut(later.iter().copied(), records.len());
            return Self { rule: FrameRule::Marks, frames };
        }
        let mut scan = Scan::default();
        let found: Vec<_> = records.iter().map(|record| scan.record(record)).collect();
        let flips = found.iter().any(|found| found.flips);
        let rule = if flips { FrameRule::Flips } else { FrameRule::Submissions };
        let is_end = |found: &Found| if flips { found.flips } else { found.draws };
        let mut ends: Vec<_> = (1..).zip(&found).filter(|(_, found)| is_end(found)).map(|(end, _)| end).collect();
        // What follows the last frame belongs to it.
        ends.pop();
        Self { rule, frames: cut(ends.into_iter(), records.len()) }
    }
}

/// The ranges between 0, the places where a range starts, and `end`.
fn cut(starts: impl Iterator<Item = usize>, end: usize) -> Vec<Range<usize>> {
    let mut frames = Vec::new();
    let mut first = 0;
    for start in starts {
        frames.push(first..start);
        first = start;
    }
    frames.push(first..end);
    frames
}

/// What a record does that may end a frame.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    flips: bool,
    draws: bool,
}

/// Reads the methods of submissions without a chip.
#[derive(Debug, Default)]
struct Scan {
    classes: BTreeMap<u32, u32>,
    is_three_d: [bool; 8],
}

/// The words of a push from address 0 on.
struct Words<'a>(&'a [u32]);

impl WordSource for Words<'_> {
    fn word(&mut self, address: u32) -> Option<u32> {
        self.0.get(address as usize / 4).copied()
    }
}

impl Scan {
    fn record(&mut self, record: &Record) -> Found {
        match record {
            &Record::Object { handle, class } => {
                self.classes.insert(handle, class);
                Found::default()
            }
            Record::Submit(submission) => self.submission(submission),
            _ => Found::default(),
        }
    }

    fn submission(&mut self, submission: &Submission) -> Found {
        let mut found = Found::default();
        for push in &submission.pushes {
            let words = u32::try_from(push.words.len()).unwrap_or(u32::MAX / 4);
            // A jump in a circle ends with the limit; one out of the push ends the scan of it.
            let mut pusher = Pusher::called(0, words.saturating_mul(4), words);
            while let Ok(Some(write)) = pusher.next(&mut Words(&push.words)) {
                let is_three_d = &mut self.is_three_d[usize::from(write.subchannel & 7)];
                if write.method == puller::OBJECT {
                    let class = self.classes.get(&write.value).and_then(|&class| class_table(class));
                    *is_three_d = class.is_some_and(|table| table.class == THREE_D_CLASS);
                } else if *is_three_d {
                    found.flips |= write.method == sync::FLIP_INCR_WRITE;
                    found.draws |= matches!(write.method, draw::VERTEX_BEGIN_END | targets::CLEAR_BUFFERS);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Push;
    use crate::command::packet::Command;

    fn submission(methods: &[(u16, u32)]) -> Record {
        let words = methods.iter().flat_map(|&(method, value)| [Command::encode_methods(7, method, 1, true), value]);
        let push = Push { buffer: 1, offset: 0, words: words.collect() };
        Record::Submit(Submission { pushes: vec![push], ..Submission::default() })
    }

    fn timeline(records: Vec<Record>) -> Timeline {
        Timeline::new(&Capture { records, ..Capture::default() })
    }

    fn mark(text: &str) -> Record {
        Record::Mark(text.as_bytes().to_vec())
    }

    #[test]
    fn marks_precede_frames() {
        let one = || submission(&[]);
        let records = vec![
            one(),
            mark("clear"),
            mark("frame 0"),
            one(),
            mark("draw"),
            mark("frame 1"),
            one(),
            mark("readpixels"),
            one(),
        ];
        let found = timeline(records);
        assert_eq!((found.rule, found.frames), (FrameRule::Marks, vec![0..5, 5..9]));
    }

    #[test]
    fn flips_come_before_submissions() {
        let object = Record::Object { handle: 0x97, class: THREE_D_CLASS };
        let bind = submission(&[(puller::OBJECT, 0x97)]);
        let draw = || submission(&[(draw::VERTEX_BEGIN_END, 5), (draw::VERTEX_BEGIN_END, 0)]);
        let flip = || submission(&[(targets::CLEAR_BUFFERS, 1), (sync::FLIP_INCR_WRITE, 0)]);
        let records = vec![object.clone(), bind.clone(), draw(), flip(), draw(), flip(), submission(&[])];
        let found = timeline(records);
        assert_eq!((found.rule, found.frames), (FrameRule::Flips, vec![0..4, 4..7]));
        let found = timeline(vec![object, bind, draw(), submission(&[]), draw(), submission(&[])]);
        assert_eq!((found.rule, found.frames), (FrameRule::Submissions, vec![0..3, 3..6]));
    }

    #[test]
    fn an_empty_capture_is_one_frame_and_wrong_words_end_nothing() {
        assert_eq!(timeline(Vec::new()).frames, vec![0..0]);
        let jump = Record::Submit(Submission {
            pushes: vec![Push { buffer: 1, offset: 0, words: vec![0x2000_0000, 1] }],
            ..Submission::default()
        });
        assert_eq!(timeline(vec![jump]).frames, vec![0..1]);
    }
}
