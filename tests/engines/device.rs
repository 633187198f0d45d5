//! The device runs a kernel over words and reads the result back.

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
