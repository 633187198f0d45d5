//! Both engines refuse the same hostile commands, and check sizes before they use them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use crate::common::merging::color_targets;
use curie::capture::{Capture, CaptureError};
use curie::format::ColorFormat;
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{
    Clear, ColorTarget, Engine, EngineError, GpuCommand, MemoryCopy, Rect, SampleMode, SurfaceLayout, Targets,
};
use curie::reference::Reference;

const BYTES: u32 = 1 << 16;

fn window() -> MemoryWindow {
    MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: BYTES }
}

/// The engines that this machine can open, with some memory.
fn engines() -> Vec<Box<dyn Engine>> {
    let size = u64::from(BYTES);
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Reference::new(size, size).unwrap())];
    if let Some(gpu) = common::gpu() {
        engines.push(Box::new(Kernels::new(gpu, KernelOptions::default(), size, size).unwrap()));
    }
    for engine in &mut engines {
        engine.grow_memory(MemorySpace::Vram, size).unwrap();
        engine.write_memory(window(), &[0x55; BYTES as usize]).unwrap();
    }
    engines
}

/// Every engine refuses the command and leaves memory unchanged.
fn assert_refused(command: &GpuCommand) {
    for mut engine in engines() {
        let result = engine.execute(command);
        assert!(matches!(result, Err(EngineError::Unsupported { .. })), "{engine:?}: {result:?}");
        let mut bytes = vec![0; BYTES as usize];
        engine.read_memory(window(), &mut bytes).unwrap();
        assert!(bytes.iter().all(|byte| *byte == 0x55), "{engine:?} wrote memory");
    }
}

#[test]
fn clears_of_overlapping_rows_are_refused() {
    let rect = Rect { x: 0, y: 0, width: 16, height: 4 };
    let layout = SurfaceLayout::Linear { pitch_bytes: 2 };
    let color = color_targets(&[ColorTarget { window: window(), layout, format: ColorFormat::A8R8G8B8 }]);
    let targets = Targets { color, zeta: None, samples: SampleMode::One, rect };
    assert_refused(&GpuCommand::Clear(Box::new(Clear {
        targets,
        rect,
        color: [0; 4],
        zeta: [0; 2],
        color_mask: 15,
        clears_depth: false,
        clears_stencil: false,
        stencil_mask: 0,
    })));
}

#[test]
fn copies_that_would_take_minutes_are_refused() {
    assert_refused(&GpuCommand::CopyMemory(MemoryCopy {
        source: window(),
        destination: window(),
        source_pitch: 0,
        destination_pitch: 0,
        line_length: 0x3f_ffff,
        line_count: 0x7ff,
        source_increment: 1,
        destination_increment: 1,
    }));
}

#[test]
fn memory_is_whole_pages_and_grows_in_place() {
    let mut memory = GuestMemory::new(4097, 1 << 24).unwrap();
    assert!(memory.grow(MemorySpace::Vram, 4097).is_err(), "the last byte is no whole page");
    memory.grow(MemorySpace::Vram, 4096).unwrap();
    let window = MemoryWindow { space: MemorySpace::Gart, start: 0, bytes: u32::MAX };
    for page in 0..4096u32 {
        memory.grow(MemorySpace::Gart, u64::from(page + 1) * 4096).unwrap();
        assert!(memory.write(window, page * 4096, &page.to_le_bytes()));
        assert_eq!(memory.read_u32(window, page * 4096 + 4), 0, "new memory is zero");
    }
    assert!((0..4096u32).all(|page| memory.read_u32(window, page * 4096) == page));
}

#[test]
fn a_file_of_empty_records_is_refused() {
    let mut file = b"NVCAPT\0\0".to_vec();
    file.extend([1u32, 0x40].iter().flat_map(|word| word.to_le_bytes()));
    file.extend([1u64 << 20; 2].iter().flat_map(|size| size.to_le_bytes()));
    let header = file.len();
    file.resize(header + 8 * ((1 << 22) + 1), 0);
    for record in file[header..].chunks_exact_mut(8) {
        record[..4].copy_from_slice(b"MARK");
    }
    assert!(matches!(Capture::read(&file), Err(CaptureError::TooManyRecords { .. })));
}
