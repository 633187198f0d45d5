//! Tests the capture format: every record, damaged files, and oversized ones.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use curie::capture::{Buffer, BufferUse, Capture, CaptureError, CaptureWarning, Header, Push, Record, Submission};
use curie::listing::list_capture;
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine as _;

use crate::common::recorder::Recorder;

/// A capture with one record of each kind.
fn every_record() -> Capture {
    let buffer = Buffer { handle: 1, domain: 4, tile_mode: 2, tile_flags: 3, bytes: 1 << 33, offset: 0x1_0000_1000 };
    let records = vec![
        Record::CreateBuffer(buffer),
        Record::Channel { vram_handle: 10, gart_handle: 11, notifier_buffer: 1 },
        Record::Object { handle: 12, class: 0x4097 },
        Record::Notifier { handle: 13, offset: 32, bytes: 64, buffer: 1 },
        Record::MoveBuffer(Buffer { domain: 2, ..buffer }),
        Record::Pages { handle: 1, first_page: 5, bytes: (0..8192u32).map(|byte| byte.to_le_bytes()[0]).collect() },
        Record::Write { handle: 1, offset: 4094, bytes: vec![1, 2, 3, 0, 5] },
        Record::Write { handle: 1, offset: u32::MAX, bytes: Vec::new() },
        Record::Prepare { handle: 1, flags: 4 },
        Record::Mark(b"frame 1".to_vec()),
        Record::Times(vec![0x0102_0304_0506_0708, 0, u64::MAX]),
        Record::Submit(Submission {
            sequence: 9,
            buffers: vec![BufferUse {
                handle: 1,
                read_domains: 4,
                write_domains: 0,
                valid_domains: 6,
                domain: 4,
                offset: 0x1000,
            }],
            relocations: vec![[1, 2, 3, 4, 5, 6, 7]],
            pushes: vec![Push { buffer: 1, offset: 16, words: vec![0x0004_0000, 5, 0x0002_0000] }],
        }),
        Record::DestroyBuffer { handle: 1 },
    ];
    Capture { header: Header::default(), records, warnings: Vec::new() }
}

/// A file of a header and these records, each a tag and a payload.
fn file(records: &[(&[u8; 4], &[u32])]) -> Vec<u8> {
    let mut bytes = Capture::default().write();
    for (tag, words) in records {
        bytes.extend_from_slice(*tag);
        bytes.extend_from_slice(&u32::try_from(words.len() * 4).unwrap().to_le_bytes());
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes
}

#[test]
fn the_bytes_of_a_file_are_those_of_the_format() {
    let header = Header { chipset: 0x40, vram_bytes: 0x1000_0000, gart_bytes: 0x2000_0000 };
    let capture = Capture { header, records: vec![Record::Mark(b"end".to_vec())], warnings: Vec::new() };
    let expected = b"NVCAPT\0\0\x01\0\0\0\x40\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\x20\0\0\0\0MARK\x03\0\0\0end";
    assert_eq!(capture.write(), expected);
}

#[test]
fn times_have_eight_bytes() {
    let mut times = Capture::default();
    times.records.push(Record::Times(vec![0x0102_0304_0506_0708, 9]));
    let expected = b"TIME\x10\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01\x09\0\0\0\0\0\0\0";
    assert_eq!(times.write()[32..], expected[..]);
    let error = Capture::read(&file(&[(b"TIME", &[1, 2, 3])])).unwrap_err();
    assert!(matches!(error, CaptureError::PayloadSize { found: 12, expected: 16, .. }), "{error}");
}

#[test]
fn written_bytes_follow_their_place_and_number() {
    let mut written = Capture::default();
    written.records.push(Record::Write { handle: 7, offset: 0x102, bytes: b"abcde".to_vec() });
    let expected = b"WRIT\x15\0\0\0\x07\0\0\0\x02\x01\0\0\x05\0\0\0\0\0\0\0abcde";
    assert_eq!(written.write()[32..], expected[..]);
}

#[test]
fn records_are_listed_with_what_they_name() {
    let records = vec![
        Record::CreateBuffer(Buffer { handle: 7, domain: 2, tile_mode: 0, tile_flags: 0, bytes: 4096, offset: 0 }),
        Record::Write { handle: 7, offset: 0x102, bytes: b"abcde".to_vec() },
        Record::Pages { handle: 7, first_page: 0, bytes: vec![0; 4096] },
        Record::Write { handle: 8, offset: 0, bytes: vec![1] },
    ];
    let mut listed = Vec::new();
    list_capture(&Capture { records, ..Capture::default() }, &mut listed).unwrap();
    let listed = String::from_utf8(listed).unwrap();
    let found: Vec<&str> = listed.lines().filter(|line| line.contains("WRIT") || line.contains("PAGE")).collect();
    assert_eq!(
        found,
        [
            "1 WRIT buffer 7 0x102+0x5",
            "2 PAGE buffer 7 first_page=0 bytes=0x1000",
            "3 WRIT buffer 8 0x0+0x1",
            "  ! WRIT names buffer 8, which does not exist"
        ],
        "{listed}"
    );
}

/// Writes that reach beyond the end of their buffer, or lie behind it, leave what is there alone.
#[test]
fn written_bytes_stay_inside_of_their_buffer() {
    let buffer = |handle, offset| Buffer { handle, domain: 2, tile_mode: 0, tile_flags: 0, bytes: 4096, offset };
    let mut chip = chip_of(&Header::default()).unwrap();
    let mut engine = Recorder::new(1 << 20, 1 << 20);
    for record in [
        Record::CreateBuffer(buffer(1, 0)),
        Record::CreateBuffer(buffer(2, 4096)),
        Record::Write { handle: 1, offset: 4093, bytes: vec![1; 8] },
        Record::Write { handle: 1, offset: 4096, bytes: vec![2; 8] },
        Record::Write { handle: 1, offset: u32::MAX, bytes: vec![3; 8] },
        Record::Write { handle: 2, offset: 3, bytes: vec![4; 2] },
    ] {
        chip.apply(&record, &mut engine).unwrap();
    }
    let mut content = [0; 8];
    engine.read_memory(MemoryWindow { space: MemorySpace::Vram, start: 4092, bytes: 8 }, &mut content).unwrap();
    assert_eq!(content, [0, 1, 1, 1, 0, 0, 0, 4]);
    let unknown = chip.apply(&Record::Write { handle: 9, offset: 0, bytes: vec![1] }, &mut engine);
    assert_eq!(unknown.unwrap_err().to_string(), "WRIT names buffer 9, which does not exist");
}

#[test]
fn every_record_survives_writing_and_reading() {
    let capture = every_record();
    let bytes = capture.write();
    assert_eq!(Capture::read(&bytes).unwrap(), capture);
    // A planted difference is detected.
    let mut other = bytes;
    let last = other.len() - 1;
    other[last] ^= 1;
    assert_ne!(Capture::read(&other).unwrap(), capture);
}

#[test]
fn compressed_captures_are_the_same_captures() {
    let capture = every_record();
    let compressed =
        ruzstd::encoding::compress_to_vec(&capture.write()[..], ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!(Capture::read(&compressed).unwrap(), capture);
    let broken = Capture::read(&compressed[..compressed.len() / 2]).unwrap_err();
    assert!(matches!(broken, CaptureError::Compression { .. }), "{broken}");
}

#[test]
fn unknown_records_are_skipped_with_a_warning() {
    let bytes = file(&[(b"WHAT", &[1, 2, 3]), (b"BODL", &[7])]);
    let capture = Capture::read(&bytes).unwrap();
    assert_eq!(capture.records, [Record::DestroyBuffer { handle: 7 }]);
    assert_eq!(capture.warnings[0].to_string(), "record 0 (WHAT) at byte 32: unknown kind, skipped");
    let many = file(&vec![(b"WHAT", &[][..]); 100]);
    let capture = Capture::read(&many).unwrap();
    assert_eq!(capture.warnings.len(), 65);
    assert_eq!(capture.warnings[64], CaptureWarning::More { count: 36 });
}

#[test]
fn a_truncated_last_record_is_reported() {
    let bytes = file(&[(b"BODL", &[7]), (b"GOBJ", &[1, 2])]);
    for cut in 1..16 {
        let capture = Capture::read(&bytes[..bytes.len() - cut]).unwrap();
        assert_eq!(capture.records, [Record::DestroyBuffer { handle: 7 }], "{cut}");
        let [CaptureWarning::Truncated { record: 1, offset: 44, found, .. }] = capture.warnings[..] else {
            panic!("{:?}", capture.warnings)
        };
        assert_eq!(found, 16 - cut);
    }
}

#[test]
fn counts_are_checked_before_anything_is_allocated() {
    for (tag, words) in [
        (b"SUBM", &[0, u32::MAX, u32::MAX, u32::MAX][..]),
        (b"SUBM", &[0, 0, 0, 1, 1, 0, u32::MAX - 3, 0]),
        (b"PAGE", &[1, 0, u32::MAX, 0]),
        (b"WRIT", &[1, 0, u32::MAX, 0, 5]),
        (b"WRIT", &[1, 0, 8, 0, 5]),
        (b"WRIT", &[1, 0, 3, 0, 5]),
        (b"WRIT", &[1, 0, 0]),
        (b"CHAN", &[1, 2, 3]),
        (b"BODL", &[1, 2]),
        (b"SUBM", &[0, 0, 0, 0, 5]),
    ] {
        let error = Capture::read(&file(&[(b"BODL", &[7]), (tag, words)])).unwrap_err();
        assert!(matches!(error, CaptureError::PayloadSize { record: 1, offset: 44, .. }), "{error}");
    }
    let error = Capture::read(&file(&[(b"SUBM", &[0, 0, 0, 1, 1, 0, 6, 0, 0, 0])])).unwrap_err();
    assert_eq!(error.to_string(), "record 0 (SUBM) at byte 32: push of 6 bytes, expected a multiple of 4");
}

#[test]
fn other_files_are_refused() {
    assert!(matches!(Capture::read(b"NVCAPT"), Err(CaptureError::NotACapture)));
    assert!(matches!(Capture::read(&[0; 64]), Err(CaptureError::NotACapture)));
    let mut later = Capture::default().write();
    later[8] = 2;
    assert_eq!(Capture::read(&later).unwrap_err().to_string(), "capture version 2, expected 1");
    assert!(matches!(Capture::open("/no/such/file"), Err(CaptureError::Io(_))));
}
