//! Tests streams whose frames are separated by marks, flips, clears, or nothing.

use super::*;
use crate::capture::Push;
use crate::command::builder::{StreamBuilder, handles};
use crate::command::methods::three_d::sync;
use crate::reference::Reference;
use crate::replay::{Player, ReplayOptions, Step};
use crate::scene::{SceneFile, SceneOptions};

fn mark(text: &str) -> Record {
    Record::Mark(text.as_bytes().to_vec())
}

/// Two methods: a 3D object, and a flip.
fn flip() -> Push {
    let mut stream = StreamBuilder::new();
    stream.bind(0, 0x4097, handles::object(0x4097)).method(0, sync::FLIP_INCR_WRITE, 0);
    Push { buffer: 1, offset: 0, words: stream.words().to_vec() }
}

/// Two methods that neither draw nor flip.
fn idle() -> Push {
    let mut stream = StreamBuilder::new();
    stream.bind(0, 0x4097, handles::object(0x4097)).method(0, 0x100, 0);
    Push { buffer: 1, offset: 0, words: stream.words().to_vec() }
}

fn submit(pushes: Vec<Push>) -> Record {
    Record::Submit(Submission { pushes, ..Submission::default() })
}

/// A capture that creates the objects of a scene, and the pushes of its frames: each clears color and depth first.
fn scene(frames: u32) -> (Capture, Vec<Vec<Push>>) {
    let file = SceneFile::open("scenes/shadow_volumes".as_ref(), &SceneOptions { size: Some((16, 12)) });
    let mut capture = file.unwrap().capture(0..frames).unwrap();
    let first = capture.records.iter().position(Record::begins_frame).unwrap();
    let mut drawn = Vec::new();
    for record in capture.records.drain(first..) {
        if record.begins_frame() {
            drawn.push(Vec::new());
        }
        if let Record::Submit(submission) = record {
            drawn.last_mut().unwrap().extend(submission.pushes);
        }
    }
    (capture, drawn)
}

fn found(mut capture: Capture, records: impl IntoIterator<Item = Record>) -> (Capture, FrameRule, Vec<FrameStart>) {
    capture.records.extend(records);
    let FrameStarts { rule, starts } = FrameStarts::find(&capture);
    (capture, rule, starts)
}

fn at(record: usize) -> FrameStart {
    FrameStart { record, method: 0 }
}

/// The number of methods executed at the ends of frames; the first pair is for those before the first frame.
fn done_at_ends(capture: &Capture) -> Vec<(Option<u32>, u64)> {
    let mut player = Player::new(capture, &ReplayOptions::default()).unwrap().by_frames();
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let mut ends = Vec::new();
    while let Some(step) = player.step(&mut engine).unwrap() {
        if let Step::FrameEnd(frame) = step {
            ends.push((frame, player.counts().methods));
        }
    }
    ends
}

#[test]
fn marks_come_before_flips() {
    let (capture, mut drawn) = scene(1);
    let made = capture.records.len();
    drawn[0].push(flip());
    let again = submit(drawn[0].clone());
    let records = [mark("clear"), mark("frame 0"), again.clone(), mark("draw"), mark("frame 1"), again.clone(), again];
    let (_, rule, starts) = found(capture, records);
    assert_eq!((rule, starts), (FrameRule::Marks, vec![at(made + 1), at(made + 4)]));
}

#[test]
fn flips_end_frames_at_ends_of_submissions_and_within() {
    let (setup, drawn) = scene(3);
    let made = setup.records.len();
    let flipped: Vec<_> = drawn.iter().map(|pushes| [pushes.clone(), vec![flip()]].concat()).collect();
    let (apart, rule, starts) = found(setup.clone(), flipped.iter().cloned().map(submit));
    assert_eq!(rule, FrameRule::Flips);
    assert_eq!((starts[0].record, &starts[1..]), (made, &[at(made + 1), at(made + 2)][..]));
    let ends = done_at_ends(&apart);
    assert_eq!(ends.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [None, Some(0), Some(1), Some(2)]);
    assert_eq!(ends[0].1, methods_of(&setup) + starts[0].method);

    // All in one submission: the same frames are found inside it, and the idle end belongs to the last.
    let joined = [flipped.concat(), vec![idle()]].concat();
    let (joined, rule, starts) = found(setup.clone(), [submit(joined)]);
    assert_eq!((rule, starts.len()), (FrameRule::Flips, 3));
    for (start, (_, methods)) in starts.iter().zip(&ends) {
        assert_eq!(*start, FrameStart { record: made, method: methods - methods_of(&setup) });
    }
    let last = ends[3].1 + 2;
    assert_eq!(done_at_ends(&joined), [&ends[..3], &[(Some(2), last)]].concat());
}

/// The number of methods in a capture.
fn methods_of(capture: &Capture) -> u64 {
    done_at_ends(capture).last().unwrap().1
}

#[test]
fn frames_between_flips_draw() {
    let (setup, drawn) = scene(1);
    let made = setup.records.len();
    let draw = || submit(drawn[0].clone());
    let flip = || submit(vec![flip()]);
    // Flips before anything is drawn, and repeated flips, end no frame; uploads after a flip belong to the next frame.
    let (_, rule, starts) =
        found(setup.clone(), [flip(), draw(), flip(), submit(vec![idle()]), flip(), draw(), flip()]);
    assert_eq!((rule, starts.len()), (FrameRule::Flips, 2));
    assert_eq!((starts[0].record, starts[1]), (made + 1, at(made + 3)));
    // Draws after the last flip also form a frame.
    let (_, rule, starts) = found(setup.clone(), [draw(), flip(), draw(), draw()]);
    assert_eq!((rule, starts[0].record, &starts[1..]), (FrameRule::Flips, made, &[at(made + 2)][..]));
    // A flip that shows nothing separates no frames.
    let (_, rule, starts) = found(setup, [flip(), draw(), draw()]);
    assert_eq!((rule, starts.len()), (FrameRule::Clears, 2));
}

#[test]
fn without_clears_there_is_one_frame_at_most() {
    let (mut setup, _) = scene(1);
    let made = setup.records.len();
    setup.records.push(Record::DestroyBuffer { handle: 1 << 20 });
    let long = submit(vec![idle(); 1000]);
    let (_, rule, starts) = found(setup, [long.clone(), submit(vec![idle()])]);
    assert_eq!((rule, starts), (FrameRule::Stretch, vec![at(made + 1)]));
    let (_, rule, starts) = found(Capture::default(), []);
    assert_eq!((rule, starts), (FrameRule::Stretch, vec![]));
    // An infinite loop of jumps, after which nothing is known.
    let jump = submit(vec![Push { buffer: 1, offset: 0, words: vec![0x2000_0000, 1] }]);
    let (_, rule, starts) = found(Capture::default(), [jump]);
    assert_eq!((rule, starts), (FrameRule::Stretch, vec![at(0)]));
}
