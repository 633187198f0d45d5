//! The effect of methods of the GeForce 8: what draws, clears, copies and launches are with other values. Each expected value
//! follows from the meaning of the method's fields (envytools `rnndb/graph/g80_3d.xml`, `g80_2d.xml`, `nv_m2mf.xml`,
//! `g80_compute.xml`).
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod formats;
mod inputs;
mod launches;
mod merging;
mod programs;
mod raster;
mod surfaces;
mod transfers;
mod values;

use curie::chip::Chip;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{Engine, GpuCommand};

use super::tesla_draws::{BUFFER, CODE, COLOR, CONSTANTS, Methods, VERTICES, ZETA, run};
use crate::common::recorder::Recorder;

const fn f(value: f32) -> u32 {
    value.to_bits()
}

/// Where an address of a buffer is in VRAM: buffers follow one another.
fn place(address: u32) -> u32 {
    let buffers = [CODE, CONSTANTS, COLOR, ZETA, VERTICES];
    let (number, start) = (0..).zip(buffers).filter(|(_, start)| *start <= address).last().unwrap();
    number * BUFFER + (address - start)
}

/// Bytes of memory behind a run, from an address of a buffer.
fn memory(engine: &mut Recorder, address: u32, count: u32) -> Vec<u8> {
    let window = MemoryWindow { space: MemorySpace::Vram, start: place(address), bytes: count };
    let mut bytes = vec![0; count as usize];
    engine.read_memory(window, &mut bytes).unwrap();
    bytes
}

/// Runs methods that have no anomalies.
fn plain_run(parts: &[Methods<'_>]) -> (Chip, Recorder) {
    let (chip, engine) = run(parts);
    assert!(chip.anomalies().is_empty(), "{:?}", chip.anomalies().lines());
    (chip, engine)
}

/// The commands of methods that have no anomalies.
fn commands(parts: &[Methods<'_>]) -> Vec<GpuCommand> {
    let work = plain_run(parts).1.work;
    work.into_iter().filter(|command| !matches!(command, GpuCommand::ZeroMemory(_))).collect()
}

/// What a run counts, line by line.
fn notes(parts: &[Methods<'_>]) -> String {
    run(parts).0.anomalies().lines().join("\n")
}
