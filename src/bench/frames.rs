//! Finds the records of a capture that the bench replays as frames.

use crate::capture::{Capture, Record};
use crate::replay::{FrameRule, FrameStart, FrameStarts, longest_stretch};

/// The frames of a capture, in parts that are played in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// The number of records before the first frame; they are played once.
    pub records_before: usize,
    /// The numbers of the records of each part.
    pub parts: Vec<Vec<usize>>,
    /// The number of frames in all parts together, at least one.
    pub count: u64,
    /// Whether each part is a frame, delimited by `MARK` records.
    pub is_marked: bool,
}

/// Why a capture has no frame to measure.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FramesError {
    /// There are marks, but no submissions between them.
    #[error("no submission follows any of its marks 'frame N', so there is no frame to measure")]
    EmptyFrames,
    /// There are no submissions.
    #[error("it submits no words, so there is no frame to measure")]
    NothingSubmitted,
}

impl Frames {
    /// Finds the frames of a capture.
    ///
    /// With marks `frame N` or `frame`, a frame consists of the submissions from such a mark to the next mark of
    /// any kind. Memory that the client writes or allocates between two frames belongs to the later one. No buffer
    /// is destroyed, as the next iteration may use it again.
    ///
    /// Without marks, the [`longest_stretch`] is played, with the frames that begin in it ([`FrameStarts`]).
    ///
    /// # Errors
    /// When there is none.
    pub fn find(capture: &Capture) -> Result<Self, FramesError> {
        let FrameStarts { rule, starts } = FrameStarts::find(capture);
        match (rule, starts.first()) {
            (FrameRule::Marks, Some(first)) => Self::marked(capture, first.record),
            _ => Self::unmarked(capture, &starts),
        }
    }

    fn marked(capture: &Capture, first: usize) -> Result<Self, FramesError> {
        let mut parts = Vec::new();
        let mut part = Vec::new();
        let (mut is_inside, mut has_submission) = (false, false);
        for (number, record) in capture.records.iter().enumerate().skip(first) {
            match record {
                Record::Mark(_) => {
                    if has_submission {
                        parts.push(std::mem::take(&mut part));
                        has_submission = false;
                    }
                    is_inside = record.begins_frame();
                }
                Record::Submit(_) if is_inside => {
                    part.push(number);
                    has_submission = true;
                }
                Record::Submit(_) | Record::DestroyBuffer { .. } | Record::Prepare { .. } => {}
                _ => part.push(number),
            }
        }
        if has_submission {
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(FramesError::EmptyFrames);
        }
        let count = parts.len() as u64;
        Ok(Self { records_before: first, parts, count, is_marked: true })
    }

    fn unmarked(capture: &Capture, starts: &[FrameStart]) -> Result<Self, FramesError> {
        let stretch = longest_stretch(capture).ok_or(FramesError::NothingSubmitted)?;
        let count = starts.iter().filter(|start| stretch.contains(&start.record)).count().max(1) as u64;
        let mut parts = Vec::new();
        let mut part = Vec::new();
        for number in stretch.clone() {
            match &capture.records[number] {
                Record::Pages { .. } | Record::Write { .. } => part.push(number),
                Record::Submit(_) => {
                    part.push(number);
                    parts.push(std::mem::take(&mut part));
                }
                _ => {}
            }
        }
        Ok(Self { records_before: stretch.start, parts, count, is_marked: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Buffer, Push, Submission};

    fn mark(text: &str) -> Record {
        Record::Mark(text.as_bytes().to_vec())
    }

    fn submit(words: usize) -> Record {
        let push = Push { buffer: 0, offset: 0, words: vec![0; words] };
        Record::Submit(Submission { pushes: vec![push], ..Submission::default() })
    }

    fn pages() -> Record {
        Record::Pages { handle: 1, first_page: 0, bytes: vec![0; 4096] }
    }

    fn create() -> Record {
        Record::CreateBuffer(Buffer { handle: 1, domain: 2, tile_mode: 0, tile_flags: 0, bytes: 64, offset: 0 })
    }

    fn find(records: Vec<Record>) -> Result<Frames, FramesError> {
        Frames::find(&Capture { records, ..Capture::default() })
    }

    #[test]
    fn marks_bracket_frames() {
        let records = vec![
            submit(9),
            mark("frame 0"),
            submit(1),
            submit(1),
            mark("overlay"),
            submit(1),
            pages(),
            Record::DestroyBuffer { handle: 1 },
            mark("frame 1"),
            mark("frame"),
            submit(1),
            mark("readpixels"),
            submit(1),
        ];
        let frames = find(records).unwrap();
        let parts = vec![vec![2, 3], vec![6, 10]];
        assert_eq!(frames, Frames { records_before: 1, parts, count: 2, is_marked: true });
    }

    #[test]
    fn without_marks_the_longest_stretch_of_drawing_is_repeated() {
        let records = vec![
            create(),
            submit(5),
            create(),
            pages(),
            submit(3),
            mark("frame buffers"),
            mark("frames"),
            submit(4),
            create(),
            submit(6),
        ];
        let frames = find(records).unwrap();
        let parts = vec![vec![3, 4], vec![7]];
        assert_eq!(frames, Frames { records_before: 3, parts, count: 1, is_marked: false });
    }

    #[test]
    fn a_capture_without_work_has_no_frames() {
        assert_eq!(find(vec![create(), mark("frame 0"), mark("end")]), Err(FramesError::EmptyFrames));
        assert_eq!(find(vec![create(), submit(0)]), Err(FramesError::NothingSubmitted));
        assert_eq!(find(vec![]), Err(FramesError::NothingSubmitted));
    }
}
