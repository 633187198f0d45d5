//! The device runs a kernel over words and reads the result back.

use curie::gpu::{Block, Bound, Recording};

use crate::common;

#[test]
fn a_kernel_adds_words() {
    let Some(gpu) = common::gpu() else { return };
    let source = "
        @group(0) @binding(0) var<storage, read> left: array<u32>;
        @group(0) @binding(3) var<storage, read_write> right: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            if id.x < arrayLength(&left) { right[id.x] += left[id.x]; }
        }";
    let mut left: Vec<u32> = (0..100).collect();
    let mut right: Vec<u32> = (0..100).map(|value| value * 1000).collect();
    gpu.run("add", source, &mut [(0, &mut left), (3, &mut right)], [2, 1, 1]).unwrap();
    assert!(right.iter().enumerate().all(|(index, value)| *value as usize == index * 1001));
}

#[test]
fn an_invalid_kernel_names_its_line() {
    let Some(gpu) = common::gpu() else { return };
    let error = gpu.kernel("broken", "@compute @workgroup_size(1)\nfn main() { let x: u32 = 1.5; }").unwrap_err();
    assert!(error.to_string().contains("broken:2"), "{error}");
}

/// A recording may bind a block of the one before it, and nothing else may take the place of the block until it is submitted.
#[test]
fn a_block_stays_until_the_last_recording_that_binds_it() {
    let Some(gpu) = common::gpu() else { return };
    let source = "
        @group(0) @binding(0) var<storage, read> stored: array<u32>;
        @group(0) @binding(3) var<storage, read_write> copied: array<u32>;
        @compute @workgroup_size(1) fn main() { copied[0] = stored[0]; }";
    let kernel = gpu.kernel("copy", source).unwrap();
    let copied = gpu.buffer("copied", 4).unwrap();
    let mut recording = gpu.record();
    let block = recording.store(&7u32.to_le_bytes()).unwrap();
    let dispatch = |recording: &mut Recording, block: &Block| {
        recording.dispatch(&kernel, &[(0, Bound::from(block)), (3, Bound::from(&copied))], [1; 3]);
    };
    for _ in 0..3 {
        dispatch(&mut recording, &block);
        gpu.flush(&mut recording).unwrap();
        recording.clear(&copied, 0, 4);
    }
    dispatch(&mut recording, &block);
    drop(block);
    // Without the block before it, this one would be the first of the same buffer.
    recording.store(&9u32.to_le_bytes()).unwrap();
    let mut word = [0; 4];
    gpu.read_back(&mut recording, &copied, 0, &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), 7);
}
