//! Runs damaged captures and random packets through the chip: no panic, no hang, bounded memory.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::common::recorder::Recorder;
use curie::capture::{Capture, Record};
use curie::chip::Chip;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::CLASSES;
use curie::machine::chip_of;
use curie::memory::MemorySpace;

/// The `SplitMix64` generator: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    }

    fn word(&mut self) -> u32 {
        (self.next() >> 32) as u32
    }

    fn byte(&mut self) -> u8 {
        self.word().to_le_bytes()[3]
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// Values that are common in streams: small, single bits, floats, handles, or anything.
    fn value(&mut self) -> u32 {
        match self.below(6) {
            0 => self.word() & 0xff,
            1 => 1 << self.below(32),
            2 => (self.below(4096) as f32).to_bits(),
            3 => [handles::VRAM, handles::GART, handles::QUERY, 0, handles::object(0x309e)][self.below(5)],
            4 => self.word() & 0x0fff_0fff,
            _ => self.word(),
        }
    }
}

/// Applies as much of a capture as the chip accepts.
fn apply(capture: &Capture) -> (Chip, Recorder) {
    // A damaged header may declare any size; guest memory itself refuses the impossible ones.
    let (vram, gart) = (capture.header.vram_bytes.min(1 << 26), capture.header.gart_bytes.min(1 << 26));
    // Damaged chipset numbers are not tested here: other chips are rejected before their records are read.
    let header = curie::capture::Header { vram_bytes: vram, gart_bytes: gart, ..curie::capture::Header::default() };
    let mut chip = chip_of(&header).expect("the default chipset is supported");
    let mut engine = Recorder::new(vram, gart);
    engine.limit = 0;
    for record in &capture.records {
        let _ = chip.apply(record, &mut engine);
    }
    (chip, engine)
}

/// A small capture with a bit of everything.
fn small_capture() -> Capture {
    let mut builder = CaptureBuilder::new();
    let vertices = builder.buffer(MemorySpace::Vram, 4096);
    builder.write(&vertices, &[1; 100]);
    let mut stream = StreamBuilder::new();
    stream.bind(7, 0x4097, handles::object(0x4097));
    stream.methods(7, 0x184, &[handles::VRAM, handles::GART, handles::VRAM, 0, handles::VRAM, handles::VRAM]);
    stream.methods(7, 0x19c, &[handles::VRAM, handles::GART, handles::FENCE, handles::QUERY]);
    stream.methods(7, 0x200, &[64 << 16, 64 << 16, 0x148, 256, 0, 0x10000]);
    stream.methods(7, 0x1d94, &[0xf3]);
    stream.method(7, 0x1740, 0x1022);
    stream.method(7, 0x1808, 5).method(7, 0x1814, 0x0200_0000).method(7, 0x1808, 0);
    stream.methods(7, 0x1d6c, &[0, 1]);
    stream.bind(1, 0x39, handles::object(0x39));
    stream.methods(1, 0x184, &[handles::GART, handles::VRAM]);
    stream.methods(1, 0x30c, &[0, 0, 64, 64, 64, 2, 0x101, 0]);
    builder.submit(stream);
    builder.record(Record::Mark(b"end".to_vec()));
    builder.record(Record::DestroyBuffer { handle: vertices.handle });
    builder.finish()
}

#[test]
fn the_small_capture_itself_is_sound() {
    let (chip, engine) = apply(&small_capture());
    assert!(chip.anomalies().is_empty());
    assert_eq!(engine.executed, 4, "a clear, a draw, a fence and a copy");
}

#[test]
fn damaged_captures_neither_panic_nor_hang() {
    let intact = small_capture().write();
    for seed in 0..3000 {
        let mut random = Random(seed);
        let mut bytes = intact.clone();
        for _ in 0..=random.below(6) {
            let position = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[position] = random.byte(),
                1 => bytes.truncate(position.max(32)),
                2 => bytes[position] ^= 1 << random.below(8),
                _ => {
                    let value = random.value().to_le_bytes();
                    let end = (position + 4).min(bytes.len());
                    bytes[position..end].copy_from_slice(&value[..end - position]);
                }
            }
        }
        if let Ok(capture) = Capture::read(&bytes) {
            apply(&capture);
        }
    }
}

#[test]
fn damaged_compressed_captures_are_refused() {
    // A frame header that asks for a window of 2 TiB, and one that ends early.
    for bytes in [&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0x00][..], &[0x28, 0xb5, 0x2f, 0xfd]] {
        assert!(Capture::read(bytes).is_err());
    }
    let mut random = Random(1);
    for _ in 0..500 {
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd];
        bytes.extend((0..random.below(64)).map(|_| random.byte()));
        let _ = Capture::read(&bytes);
    }
}

#[test]
fn random_methods_neither_panic_nor_hang() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut builder = CaptureBuilder::new();
        builder.buffer(MemorySpace::Vram, 1 << 16);
        let mut stream = StreamBuilder::new();
        for table in CLASSES {
            builder.record(Record::Object { handle: handles::object(table.class), class: table.class });
        }
        // The 3D class, the linear surface, and five of the others.
        let mut bound = vec![CLASSES[0], CLASSES[2]];
        bound.extend((0..5).map(|_| CLASSES[random.below(CLASSES.len())]));
        for (subchannel, table) in (1u8..).zip(&bound) {
            stream.bind(subchannel, table.class, handles::object(table.class));
        }
        for _ in 0..400 {
            let table = random.below(bound.len());
            let rows: Vec<_> = bound[table].rows().collect();
            let row = rows[random.below(rows.len())];
            let element = u16::try_from(random.below(usize::from(row.count))).unwrap();
            let values: Vec<_> = (0..=random.below(8)).map(|_| random.value()).collect();
            let subchannel = u8::try_from(table + 1).unwrap();
            let method = row.address + element * row.stride;
            if random.below(4) == 0 {
                stream.repeated(subchannel, method, &values);
            } else {
                stream.methods(subchannel, method, &values);
            }
        }
        builder.submit(stream);
        apply(&builder.finish());
    }
}

#[test]
fn random_words_neither_panic_nor_hang() {
    for seed in 0..400 {
        let mut random = Random(seed);
        let mut builder = CaptureBuilder::new();
        let mut submission = StreamBuilder::new().finish(0, 2);
        submission.pushes[0].words = (0..200).map(|_| random.value()).collect();
        builder.record(Record::Submit(submission));
        apply(&builder.finish());
    }
}
