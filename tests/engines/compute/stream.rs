//! Launches by the methods of the compute classes, in a stream of Mesa's driver and in streams made here.

use std::path::Path;

use curie::capture::{Buffer, Capture, DOMAIN_VRAM, Record};
use curie::check::{CheckOptions, Engine as CheckEngine, Engines, check};
use curie::chip::Chip;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::tesla::{compute, two_d};
use curie::engine::{EngineChoice, open_reference};
use curie::gpu::AdapterChoice;
use curie::isa::tesla::module::TeslaModule;
use curie::kernels::{KernelOptions, Kernels};
use curie::machine::chip_of;
use curie::pipeline::Engine;

use crate::common;
use crate::common::check_files::{COMPUTE as CHECK_FILE, cases};

/// The engines; the kernels only if there is an adapter.
pub(super) fn engines(capture: &Capture) -> Vec<(EngineChoice, Box<dyn Engine>)> {
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    let mut engines: Vec<(_, Box<dyn Engine>)> = vec![(EngineChoice::Reference, open_reference(sizes).unwrap())];
    if let Some(gpu) = common::gpu() {
        let kernels = Kernels::new(gpu, KernelOptions::default(), sizes.0, sizes.1).unwrap();
        engines.push((EngineChoice::Kernels, Box::new(kernels)));
    }
    engines
}

/// Plays a capture to its end.
pub(super) fn play(capture: &Capture, engine: &mut dyn Engine) -> Chip {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    chip
}

/// The words of a buffer from an offset in bytes on.
pub(super) fn words(chip: &Chip, engine: &mut dyn Engine, buffer: u32, offset: u32, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; 4 * count];
    engine.read_memory(chip.buffer_window(buffer).unwrap().from_offset(offset), &mut bytes).unwrap();
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

pub(super) fn notes(chip: &Chip) -> Vec<String> {
    chip.anomalies().lines()
}

#[test]
fn a_shader_of_mesas_driver() {
    const THREADS: u32 = 64;
    // What `buffers.comp` says, for 3 x 2 x 2 groups of 32 x 2 threads.
    let (mut expected, mut total) = (vec![0_u32; 768], 0_u32);
    for z in 0..2 {
        for y in 0..4 {
            for x in 0..96 {
                let (n, own) = (x + 96 * (y + 4 * z), (x % 32 + 32 * (y % 2)) % THREADS);
                let a = n * 7 + 3;
                expected[n as usize] = (0..own & 7).map(|i| a * i).sum::<u32>() + 1000 * own;
                total += if own % 2 == 0 { n } else { 0 };
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute/buffers.nvcap");
    let capture = Capture::open(path).unwrap();
    for (choice, mut engine) in engines(&capture) {
        let chip = play(&capture, engine.as_mut());
        assert_eq!(notes(&chip), Vec::<String>::new(), "{choice:?}");
        assert_eq!(chip.counts().launches, 2);
        // The program copied both buffers to memory that it had mapped.
        assert_eq!(words(&chip, engine.as_mut(), 11, 0x2000, 768), expected, "{choice:?}");
        assert_eq!(words(&chip, engine.as_mut(), 13, 0, 1), [total], "{choice:?}");
    }
}

#[test]
fn programs_on_mesas_driver_read_what_the_check_file_has() {
    let mut engines = vec![CheckEngine::Reference];
    engines.extend(common::gpu().map(|_| CheckEngine::Kernels));
    let (source, options) = (Engines::new(AdapterChoice::Best), CheckOptions { engines: Some(engines), output: None });
    for result in cases(CHECK_FILE).iter().flat_map(|case| check(case, &source, &options)) {
        assert_eq!(result.differences, Vec::<String>::new(), "{} on {:?}", result.case, result.engine);
    }
}

/// The virtual address and the handle of the buffer of a stream that is made here.
pub(super) const DATA: u32 = 0x2000_0000;
pub(super) const HANDLE: u32 = 100;

/// Where code is in that buffer.
const CODE: u32 = 0x4000;

pub(super) const COMPUTE: u8 = 6;
const TWO_D: u8 = 4;

/// A stream that uploads the code of an example, and sets up a launch of two blocks of 32 threads.
pub(super) fn stream(module: &TeslaModule, parameters: &[u32]) -> StreamBuilder {
    let kernel = &module.kernels[0];
    let bytes = u32::try_from(4 * kernel.code.len()).unwrap();
    let mut stream = StreamBuilder::new();
    stream.bind(TWO_D, 0x502d, handles::object(0x502d)).bind(COMPUTE, 0x50c0, handles::object(0x50c0));
    for (method, value) in [
        (two_d::DST_FORMAT, 0xf3),
        (two_d::DST_LINEAR, 1),
        (two_d::DST_ADDRESS_HIGH, 0),
        (two_d::DST_ADDRESS_LOW, DATA + CODE),
        (two_d::SIFC_FORMAT, 0xf3),
        (two_d::SIFC_WIDTH, bytes),
        (two_d::SIFC_HEIGHT, 1),
        (two_d::SIFC_DX_DU_INT, 1),
        (two_d::SIFC_DY_DV_INT, 1),
        (two_d::SIFC_DST_X_INT, 0x100),
        (two_d::SIFC_DST_Y_INT, 0),
    ] {
        stream.method(TWO_D, method, value);
    }
    stream.repeated(TWO_D, two_d::SIFC_DATA, &kernel.code);
    for (method, value) in [
        (compute::CP_ADDRESS_HIGH, 0),
        (compute::CP_ADDRESS_LOW, DATA + CODE + 0x100),
        (compute::CP_START_ID, 0),
        (compute::CP_REG_ALLOC_TEMP, kernel.registers.into()),
        (compute::SHARED_SIZE, 0x40),
        (compute::STACK_SIZE_LOG, 4),
        (compute::BLOCKDIM_XY, 1 << 16 | 32),
        (compute::BLOCKDIM_Z, 1),
        (compute::BLOCK_ALLOC, 1 << 16 | 32),
        (compute::BLOCKDIM_LATCH, 1),
        (compute::GRIDDIM, 1 << 16 | 2),
        (compute::GLOBAL_ADDRESS_LOW + 14 * 32, 0),
        (compute::GLOBAL_LIMIT + 14 * 32, u32::MAX),
        (compute::GLOBAL_MODE + 14 * 32, 1),
        (compute::USER_PARAM_COUNT, u32::try_from(parameters.len()).unwrap() << 8),
    ] {
        stream.method(COMPUTE, method, value);
    }
    stream.methods(COMPUTE, compute::USER_PARAM, parameters);
    stream
}

/// A capture of a stream on a G80, with a buffer that begins with these words.
pub(super) fn capture(words: &[u32], stream: StreamBuilder) -> Capture {
    let mut builder = CaptureBuilder::new();
    for class in [0x502d, 0x5039, 0x50c0] {
        builder.record(Record::Object { handle: handles::object(class), class });
    }
    let (handle, bytes) = (HANDLE, 0x8000);
    let buffer = Buffer { handle, domain: DOMAIN_VRAM, tile_mode: 0, tile_flags: 0, bytes, offset: DATA.into() };
    builder.record(Record::CreateBuffer(buffer));
    builder.write(&buffer, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    builder.submit(stream);
    let mut capture = builder.finish();
    capture.header.chipset = 0x50;
    for record in &mut capture.records {
        if let Record::Submit(submission) = record {
            // A return, which ends pushes of other chips.
            submission.pushes[0].words.pop();
        }
    }
    capture
}

fn vector_add() -> TeslaModule {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute/vector_add.ptx");
    curie::launch::read_module("vector_add", &std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_stream_launches_a_kernel() {
    let mut stream = stream(&vector_add(), &[DATA, DATA + 0x200, DATA + 0x400, 60]);
    stream.method(COMPUTE, compute::LAUNCH, 0);
    let floats: Vec<f32> = (0..=255_u8).map(|number| f32::from(number) * 0.5).collect();
    let capture = capture(&floats.iter().copied().map(f32::to_bits).collect::<Vec<_>>(), stream);
    for (choice, mut engine) in engines(&capture) {
        let chip = play(&capture, engine.as_mut());
        assert_eq!(notes(&chip), Vec::<String>::new(), "{choice:?}");
        let sums = words(&chip, engine.as_mut(), HANDLE, 0x400, 64);
        let expected = (0..64).map(|n| if n < 60 { floats[n] + floats[n + 128] } else { 0.0 });
        assert_eq!(sums, expected.map(f32::to_bits).collect::<Vec<_>>(), "{choice:?}");
    }
}

/// The memory of the launch is 32 KiB; side by side, its blocks need twice as much for their claims.
#[test]
fn a_launch_may_have_more_memory_than_the_device_binds() {
    let Some(gpu) = common::gpu() else { return };
    let mut stream = stream(&vector_add(), &[DATA, DATA + 0x200, DATA + 0x400, 60]);
    stream.method(COMPUTE, compute::LAUNCH, 0);
    let content: Vec<_> = (0..=255_u8).map(|number| f32::from(number).to_bits()).collect();
    let capture = capture(&content, stream);
    let results = |engine: &mut dyn Engine| {
        let chip = play(&capture, engine);
        assert_eq!(notes(&chip), Vec::<String>::new());
        words(&chip, engine, HANDLE, 0, 0x8000 / 4)
    };
    let (vram, gart) = (capture.header.vram_bytes, capture.header.gart_bytes);
    let expected = results(open_reference((vram, gart)).unwrap().as_mut());
    assert_eq!(expected[0x400 / 4 + 59], (59.0_f32 + 187.0).to_bits());
    for limit in [0x4000, 0xc000, 0x1_0000] {
        let gpu = gpu.clone().binding_at_most(limit);
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), vram, gart).unwrap();
        assert_eq!(results(&mut kernels), expected, "{limit:#x}");
    }
}

#[test]
fn what_a_launch_cannot_do_is_counted() {
    let parameters = [DATA, DATA + 0x200, DATA + 0x400, 64];
    let check = |method: u16, value: u32, note: &str| {
        let mut stream = stream(&vector_add(), &parameters);
        stream.method(COMPUTE, method, value).method(COMPUTE, compute::LAUNCH, 0);
        let capture = capture(&[1.0_f32.to_bits(); 256], stream);
        for (choice, mut engine) in engines(&capture) {
            let chip = play(&capture, engine.as_mut());
            let found = notes(&chip);
            assert!(found.iter().any(|line| line.contains(note)), "{choice:?}: {found:?}");
        }
    };
    // The space ends 64 bytes into the last vector.
    let faults = ": access outside g14[], 48 times, first by block (0,0) thread (16,0,0) at 0x20000440 (";
    check(compute::GLOBAL_LIMIT + 14 * 32, DATA + 0x43f, faults);
    check(compute::BLOCK_ALLOC, 33, "LAUNCH: illegal value, dropped");
    check(compute::BLOCK_ALLOC, 16, "a launch of a part of a block's threads is not implemented");
    check(compute::CP_REG_ALLOC_TEMP, 200, "registers of a thread");
    check(compute::GLOBAL_MODE + 14 * 32, 0x10, "a block linear global space is not implemented");
    check(compute::LINKED_TSC, 1, "sampling by the entry with the number of the texture is not implemented");
    check(compute::CP_ADDRESS_LOW, DATA + 0x10_0000, "execution outside the code");
    check(compute::UNK0700 + 64, 0, "unknown method");
}

#[test]
fn an_upload_outside_buffers_is_counted() {
    let mut stream = StreamBuilder::new();
    stream.bind(TWO_D, 0x502d, handles::object(0x502d));
    for (method, value) in [
        (two_d::DST_FORMAT, 0xf3),
        (two_d::DST_LINEAR, 1),
        (two_d::DST_ADDRESS_LOW, DATA + 0x7ffc),
        (two_d::SIFC_FORMAT, 0xf3),
        (two_d::SIFC_WIDTH, 8),
        (two_d::SIFC_HEIGHT, 1),
        (two_d::SIFC_DX_DU_INT, 1),
        (two_d::SIFC_DY_DV_INT, 1),
        (two_d::SIFC_DST_Y_INT, 0),
        (two_d::SIFC_DATA, 0x1234_5678),
        (two_d::SIFC_DATA, 1),
        (two_d::SIFC_WIDTH, 4),
        (two_d::SIFC_DST_Y_INT, 0),
        (two_d::SIFC_DATA, 0x8765_4321),
    ] {
        stream.method(TWO_D, method, value);
    }
    let capture = capture(&[], stream);
    for (choice, mut engine) in engines(&capture) {
        let chip = play(&capture, engine.as_mut());
        // The row that crosses the buffer's end is not written; the shorter one after it fits.
        assert_eq!(words(&chip, engine.as_mut(), HANDLE, 0x7ffc, 1), [0x8765_4321], "{choice:?}");
        let found = notes(&chip);
        let expected = "class 0x502d method 0x0860 SIFC_DATA: the address is in no buffer";
        assert!(matches!(&found[..], [found] if found.starts_with(expected)), "{found:?}");
    }
}
