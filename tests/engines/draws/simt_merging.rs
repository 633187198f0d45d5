//! SIMT draws that merge: what they leave in memory, and what the host may do meanwhile.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use std::sync::Arc;

use curie::gpu::{AdapterChoice, Gpu, StageClock};
use curie::kernels::{DrawPath, KernelOptions, Kernels};
use curie::memory::MemoryWindow;
use curie::pipeline::{Draw, Engine, GpuCommand, VertexStage};
use curie::reference::Reference;

use super::simt::{COLOR, COPY, MEMORY_BYTES, draw, rectangle, stage, window};
use crate::common;

/// What happens between two draws.
#[derive(Debug, Clone, Copy)]
enum Between {
    Nothing,
    /// The host writes to memory that no draw reaches, and reads it.
    Beside,
    /// The host reads what the draws write.
    Read,
    /// The host writes to it.
    Write,
}

/// Rectangles over each other in different colors, and one with another vertex program.
fn draws() -> Vec<Draw> {
    let colors = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]];
    let mut draws: Vec<_> = (0..4u8)
        .map(|number| {
            let left = 8.0 * f32::from(number);
            draw(&rectangle([left, 4.0, left + 20.0, 40.0], 0.5, colors[usize::from(number)]), COLOR)
        })
        .collect();
    let VertexStage::Simt(own) = &mut draws[3].vertex else { unreachable!() };
    // Its green is alpha, which is 1.
    own.stage = stage(&COPY.replace("o[0x14] a[0x14]", "o[0x14] a[0x1c]"), &[]);
    draws
}

/// The host's accesses on an engine; returns what it read, and the memory at the end.
fn run(engine: &mut dyn Engine, draws: &[Draw], between: Between) -> (Vec<u8>, Vec<u8>) {
    engine.grow_memory(window(0).space, MEMORY_BYTES.into()).unwrap();
    let mut read = Vec::new();
    let (target, beside) = (window(0), MemoryWindow { bytes: 64, ..window(6) });
    for draw in draws {
        engine.execute(&GpuCommand::Draw(Box::new(draw.clone()))).unwrap();
        let mut bytes = vec![0; 64];
        match between {
            Between::Nothing => {}
            Between::Beside => {
                engine.write_memory(beside, &[7; 64]).unwrap();
                engine.read_memory(beside, &mut bytes).unwrap();
            }
            Between::Read => engine.read_memory(target.from_offset(64 * 4 * 10), &mut bytes).unwrap(),
            Between::Write => engine.write_memory(target.from_offset(64 * 4 * 10).truncated(64), &[9; 64]).unwrap(),
        }
        read.extend(bytes);
    }
    engine.finish().unwrap();
    let mut memory = vec![0; MEMORY_BYTES as usize];
    engine.read_memory(MemoryWindow { start: 0, bytes: MEMORY_BYTES, ..target }, &mut memory).unwrap();
    (read, memory)
}

#[test]
fn draws_merge_and_wait_for_no_access_beside_them() {
    if common::gpu().is_none() {
        return;
    }
    for (between, merged) in [(Between::Nothing, 3), (Between::Beside, 3), (Between::Read, 0), (Between::Write, 0)] {
        let expected = run(&mut Reference::new(MEMORY_BYTES.into(), 0).unwrap(), &draws(), between);
        let gpu = Gpu::open_timed(&AdapterChoice::Best, Arc::new(StageClock::default())).unwrap();
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), MEMORY_BYTES.into(), 0).unwrap();
        kernels.start_profile().unwrap();
        let found = run(&mut kernels, &draws(), between);
        assert!(found == expected, "the engines differ: {between:?}");
        let paths: Vec<_> = kernels.profiled_draws().iter().map(|draw| draw.path).collect();
        let count = paths.iter().filter(|path| matches!(path, DrawPath::Merged { .. })).count();
        assert_eq!(count, merged, "{between:?}: {paths:?}");
        // Blue, green, red, alpha of the last rectangle.
        assert_eq!(&found.1[(20 * 64 + 30) * 4..][..4], &[0, 255, 255, 255]);
    }
}
