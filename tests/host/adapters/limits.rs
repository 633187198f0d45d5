//! WebGPU's default limits, which every browser grants: what the bundled streams run stays within them.
//!
//! [`kernels`] plays the streams on a device with exactly these limits. There wgpu refuses a kernel with more than eight
//! storage buffers or 256 invocations per workgroup, 64-bit words, a dispatch of more than 65,535 workgroups in a
//! dimension, and a binding of more than 128 MiB. It does not look at the memory of workgroups: 16 KiB.

use std::collections::BTreeSet;

use curie::gpu::Gpu;
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine as _;
use naga::AddressSpace;

use super::recorded::{device, fixed_kernels, kernels};

/// The memory of a workgroup.
const SHARED_BYTES: u32 = 16 << 10;

fn webgpu() -> Gpu {
    device(wgpu::Limits::default())
}

/// Kernels that need more, with the number of storage buffers that they bind.
const EXCEPTIONS: [(&str, usize); 1] = [
    // A launch with textures on the Tesla processor: texels and the parameters of the texture unit besides up to eight
    // buffers of all launches. An adapter without ten refuses it with an error that says so.
    ("run_launch", 9),
];

/// The number of storage buffers that a kernel binds, and the bytes of its workgroups' memory.
fn needs(gpu: &Gpu, label: &str, text: &str) -> (usize, u32) {
    let module = gpu.module(label, text).unwrap();
    let in_space = |is_wanted: fn(AddressSpace) -> bool| {
        module.global_variables.iter().map(|(_, variable)| variable).filter(move |variable| is_wanted(variable.space))
    };
    let buffers = in_space(|space| matches!(space, AddressSpace::Storage { .. })).count();
    let shared = in_space(|space| space == AddressSpace::WorkGroup);
    (buffers, shared.map(|variable| module.types[variable.ty].inner.size(module.to_ctx())).sum())
}

#[test]
fn all_kernels_but_the_named_ones_are_within_the_limits() {
    let gpu = webgpu();
    let mut beyond = BTreeSet::new();
    for (text, label) in kernels() {
        let (buffers, shared) = needs(&gpu, label, text);
        assert!(shared <= SHARED_BYTES, "{label} has {shared} bytes of workgroup memory");
        if buffers > gpu.summary().max_bindings as usize {
            beyond.insert((label.as_str(), buffers));
        } else if let Err(error) = gpu.kernel(label, text) {
            panic!("{label}: {error}");
        }
    }
    assert_eq!(beyond, BTreeSet::from(EXCEPTIONS));
}

#[test]
fn every_kernel_of_hardware_adapters_is_recorded() {
    let labels: BTreeSet<_> = kernels().values().map(String::as_str).collect();
    let fixed: Vec<_> = fixed_kernels().map(|(label, _)| label).collect();
    assert!(fixed.len() > 25, "{fixed:?}");
    let generated = ["run_vertex_programs", "draw_tiles", "shade_quads", "merge_pixels"];
    for label in fixed.iter().map(String::as_str).chain(generated) {
        assert!(labels.contains(label), "{label} is not among {labels:?}");
    }
    let is_of_software = |text: &String| text.contains("tile_progress");
    assert!(!kernels().keys().any(is_of_software), "the device took the kernels of a software adapter");
}

#[test]
fn kernels_beyond_a_limit_are_refused() {
    let gpu = webgpu();
    let kernel = |declarations: &str, size: u32, body: &str| {
        let text = format!("{declarations} @compute @workgroup_size({size}) fn main() {{ {body} }}");
        gpu.kernel("planted", &text).map(|_| text).map_err(|error| error.to_string())
    };
    let buffers = |count: u32| -> String {
        let buffer = |n| format!("@group(0) @binding({n}) var<storage, read_write> b{n}: array<u32>;");
        (0..count).map(buffer).collect()
    };
    let stores = |count: u32| -> String { (0..count).map(|n| format!("b{n}[0] = 1u;")).collect() };
    let eight = kernel(&buffers(8), 1, &stores(8)).unwrap();
    assert_eq!(needs(&gpu, "planted", &eight).0, 8);
    assert!(kernel(&buffers(9), 1, &stores(9)).unwrap_err().contains("storage_buffers"));
    // A buffer that only a branch uses which never runs does not count.
    assert!(kernel(&buffers(9), 1, &format!("{} if 1u > 1u {{ b8[0] = 1u; }}", stores(8))).is_ok());
    let text = kernel("", 256, "").unwrap();
    assert!(kernel("", 257, "").is_err());
    let shared = |words: u32| {
        let text = kernel(&format!("var<workgroup> shared_words: array<u32, {words}>;"), 1, "shared_words[0] = 1u;");
        needs(&gpu, "planted", &text.unwrap()).1
    };
    assert_eq!((shared(4096), shared(4097)), (SHARED_BYTES, SHARED_BYTES + 4));
    assert!(kernel("", 1, "let x: u64 = 1lu;").is_err());
    assert!(gpu.run("planted", &text, &mut [], [65_535, 1, 1]).is_ok());
    assert!(gpu.run("planted", &text, &mut [], [65_536, 1, 1]).is_err());
}

#[test]
fn guest_memory_grows_beyond_a_binding_with_few_copies() {
    const LIMIT: u64 = 128 << 20;
    let mut kernels = Kernels::new(webgpu(), KernelOptions::default(), 1 << 28, 1 << 28).unwrap();
    let mut moved = Vec::new();
    // 200 MiB and 100 MiB, a buffer of 1 MiB at a time, with kernels between them that see the last byte.
    for mebibyte in 1..=200 {
        for (space, mebibytes) in [(MemorySpace::Vram, mebibyte), (MemorySpace::Gart, mebibyte / 2)] {
            kernels.grow_memory(space, mebibytes << 20).unwrap();
            let last = u32::try_from(mebibytes << 20).unwrap().saturating_sub(4);
            let (_, buffer, place) = kernels.device_memory(MemoryWindow { space, start: last, bytes: 8 }).unwrap();
            assert!(buffer.size() <= LIMIT && place.bytes <= 4, "{mebibyte}");
        }
        moved.push(kernels.moved_bytes());
    }
    // The buffer grows by half, so that all copies are no longer than three of the last one's.
    let copies = moved.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((5..20).contains(&copies), "{copies} copies");
    assert!((LIMIT / 2..3 * LIMIT).contains(&kernels.moved_bytes()), "{} bytes", kernels.moved_bytes());
    assert_eq!(moved[120], moved[199], "beyond a binding nothing is copied");
}
