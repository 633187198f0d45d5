//! Which records of a capture are a frame.

use crate::capture::{Capture, Record};

/// The frames of a capture, in parts that are played in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frames {
    /// How many records come before the first frame; they are played once.
    pub records_before: usize,
    /// The numbers of the records of each part.
    pub parts: Vec<Vec<usize>>,
    /// Whether each part is a frame, as `MARK` records say; else all parts together hold some frames, as many as clear
    /// colour and depth.
    pub is_marked: bool,
}

/// Why a capture has no frame to measure.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FramesError {
    /// There are marks, and nothing is submitted between them.
    #[error("no submission follows any of its marks 'frame N', so there is no frame to measure")]
    EmptyFrames,
    /// Nothing is submitted at all.
    #[error("it submits no words, so there is no frame to measure")]
    NothingSubmitted,
}

impl Frames {
    /// Finds the frames of a capture.
    ///
    /// With marks `frame N` or `frame`, a frame is the submissions from such a mark to the next mark of any kind. Memory that the
    /// client writes or makes between two frames belongs to the later one. No buffer is destroyed, as the next round
    /// may use it again.
    ///
    /// Without them, the frames are the longest run of submissions, in words, during which no object or buffer is made,
    /// moved or destroyed: what is left of a client that has loaded everything and goes on drawing.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(capture: &Capture) -> Result<Self, FramesError> {
        match capture.records.iter().position(Record::begins_frame) {
            Some(first) => Self::marked(capture, first),
            None => Self::unmarked(capture),
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
        Ok(Self { records_before: first, parts, is_marked: true })
    }

    fn unmarked(capture: &Capture) -> Result<Self, FramesError> {
        let is_structure = |record: &Record| {
            !matches!(record, Record::Pages { .. } | Record::Prepare { .. } | Record::Mark(_) | Record::Submit(_))
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
        let (words, run) = longest;
        if words == 0 {
            return Err(FramesError::NothingSubmitted);
        }
        let mut parts = Vec::new();
        let mut part = Vec::new();
        for number in run.clone() {
            match &capture.records[number] {
                Record::Pages { .. } => part.push(number),
                Record::Submit(_) => {
                    part.push(number);
                    parts.push(std::mem::take(&mut part));
                }
                _ => {}
            }
        }
        Ok(Self { records_before: run.start, parts, is_marked: false })
    }

    /// How many frames all parts are, where `clears` is how often they clear colour and depth of the surface shown.
    #[must_use]
    pub fn count(&self, clears: u64) -> u64 {
        if self.is_marked { self.parts.len() as u64 } else { clears.max(1) }
    }
}

fn submitted_words(record: &Record) -> usize {
    match record {
        Record::Submit(submission) => submission.pushes.iter().map(|push| push.words.len()).sum(),
        _ => 0,
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
        assert_eq!(frames, Frames { records_before: 1, parts: vec![vec![2, 3], vec![6, 10]], is_marked: true });
        assert_eq!(frames.count(7), 2);
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
        assert_eq!(frames, Frames { records_before: 3, parts: vec![vec![3, 4], vec![7]], is_marked: false });
        assert_eq!((frames.count(0), frames.count(3)), (1, 3));
    }

    #[test]
    fn a_capture_without_work_has_no_frames() {
        assert_eq!(find(vec![create(), mark("frame 0"), mark("end")]), Err(FramesError::EmptyFrames));
        assert_eq!(find(vec![create(), submit(0)]), Err(FramesError::NothingSubmitted));
        assert_eq!(find(vec![]), Err(FramesError::NothingSubmitted));
    }
}
