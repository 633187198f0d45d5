//! The memory copy with every increment, pitch and legal limit.

use curie::chip::Reason;
use curie::command::builder::handles;
use curie::command::methods::memory_copy as methods;

use super::stream::Scene;
use crate::common::random::Random;

const COPY: u8 = 6;

fn copy(scene: &mut Scene, offsets: [u32; 2], registers: &[u32; 5]) {
    scene.stream.bind(COPY, 0x39, handles::object(0x39));
    scene.stream.methods(COPY, methods::DMA_BUFFER_IN, &[handles::VRAM, handles::VRAM]);
    scene.stream.methods(COPY, methods::OFFSET_IN, &offsets);
    scene.stream.methods(COPY, methods::PITCH_IN, registers);
    scene.stream.method(COPY, methods::BUF_NOTIFY, 0);
}

#[test]
fn every_increment_and_pitch() {
    let mut random = Random::new(3);
    let source: Vec<u8> = (0..4096).map(|_| random.word() as u8).collect();
    for (input, output) in (0..9).map(|index| ([1, 2, 4][index / 3], [1, 2, 4][index % 3])) {
        for (pitch_in, pitch_out) in [(64, 96), (0, 40), (7, 0), (130, 3)] {
            let mut scene = Scene::new(&source, &[0xee; 4096]);
            let offsets = [scene.source.offset as u32 + 5, scene.destination.offset as u32 + 9];
            let (length, lines) = (21u32, 11u32);
            copy(&mut scene, offsets, &[pitch_in, pitch_out, length, lines, input | output << 8]);
            let mut expected = vec![0xee; 4096];
            for line in 0..lines {
                for element in 0..length {
                    let from = 5 + line * pitch_in + element * input;
                    expected[(9 + line * pitch_out + element * output) as usize] = source[from as usize];
                }
            }
            assert_eq!(scene.run(), expected, "{input} {output} {pitch_in} {pitch_out}");
        }
    }
}

#[test]
fn overlapping_copies_read_everything_first() {
    let content: Vec<u8> = (0..4096u32).map(|index| (index % 251) as u8).collect();
    for (from, to) in [(100, 117), (117, 100)] {
        let mut scene = Scene::new(&[0], &content);
        let start = scene.destination.offset as u32;
        copy(&mut scene, [start + from, start + to], &[33, 33, 33, 20, 0x101]);
        let mut expected = content.clone();
        let count = 33 * 20;
        expected[to as usize..][..count].copy_from_slice(&content[from as usize..][..count]);
        assert_eq!(scene.run(), expected);
    }
}

#[test]
fn the_limits_of_the_registers() {
    let mut scene = Scene::new(&[1; 64], &[7; 64]);
    let offsets = [scene.source.offset as u32, scene.destination.offset as u32];
    copy(&mut scene, offsets, &[0x7fff, 0x7fff, 4, 1, 0x404]);
    for (method, value) in [
        (methods::PITCH_IN, 0x8000),
        (methods::PITCH_OUT, 0xffff_fff0),
        (methods::LINE_LENGTH_IN, 0x40_0000),
        (methods::LINE_COUNT, 0x800),
        (methods::FORMAT, 0x103),
        (methods::FORMAT, 0x1_0101),
    ] {
        scene.stream.method(COPY, method, value);
    }
    let (drawn, reasons) = scene.run_with_anomalies();
    assert_eq!(drawn[..14], [1, 7, 7, 7, 1, 7, 7, 7, 1, 7, 7, 7, 1, 7]);
    let refused =
        [methods::PITCH_IN, methods::PITCH_OUT, methods::LINE_LENGTH_IN, methods::LINE_COUNT, methods::FORMAT];
    assert_eq!(reasons, refused.map(|method| (0x39, method, Reason::IllegalValue)));
}
