//! The copy of texture memory that kernels of software adapters sample: it equals guest memory in every window that was
//! brought up to date, and has nothing newer elsewhere.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::random::Random;
use curie::gpu::{Bound, Gpu};
use curie::kernels::MemoryMirror;
use curie::kernels::texel_image::TexelImage;
use curie::memory::{MemorySpace, MemoryWindow};

/// Loads a byte, two bytes, four bytes and a whole word at an address of any alignment.
const LOADS: &str = "
import package::software::texel_image::{load_texel_u8, load_texel_u16, load_texel_u32, load_texel_word};
@group(0) @binding(1) var<storage, read> addresses: array<u32>;
@group(0) @binding(13) var<storage, read_write> loaded: array<vec4u>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let address = addresses[id.x];
    loaded[id.x] = vec4u(
        load_texel_u8(address),
        load_texel_u16(address),
        load_texel_u32(address),
        load_texel_word(address & 0xfffffffcu),
    );
}
";

/// Number of addresses in one dispatch.
const COUNT: u16 = 1024;

fn load(gpu: &Gpu, image: &TexelImage, addresses: &[u32]) -> Vec<[u32; 4]> {
    let kernel = gpu.kernel("loads", LOADS).unwrap();
    let mut recording = gpu.record();
    let addresses = recording.store(bytemuck::cast_slice(addresses)).unwrap();
    let loaded = gpu.buffer("loaded", 16 * u64::from(COUNT)).unwrap();
    let bindings = [(1, Bound::from(&addresses)), (13, (&loaded).into()), (20, image.view().unwrap().into())];
    recording.dispatch(&kernel, &bindings, [u32::from(COUNT / 64), 1, 1]);
    let mut words = vec![[0u32; 4]; usize::from(COUNT)];
    gpu.read_back(&mut recording, &loaded, 0, bytemuck::cast_slice_mut(&mut words)).unwrap();
    words
}

/// The expected results of the loads over these bytes of guest memory.
fn expected(heap: &[u8], address: u32) -> [u32; 4] {
    let bytes = |first: u32, count: u32| {
        (first..first + count).rev().fold(0, |value, place| value << 8 | u32::from(heap[place as usize]))
    };
    [bytes(address, 1), bytes(address, 2), bytes(address, 4), bytes(address & !3, 4)]
}

#[test]
fn the_image_has_the_bytes_of_the_windows_that_were_asked_for() {
    let Some(gpu) = common::gpu() else { return };
    let Some(mut image) = TexelImage::new(&gpu) else { return };
    let mut random = Random::new(5);
    let mut heap = MemoryMirror::new(&gpu, 1 << 20, 1 << 20, u64::MAX).unwrap();
    // Slightly more than three rows of the image; the second space starts within a row.
    let sizes = [(MemorySpace::Vram, 203_000), (MemorySpace::Gart, 91_000)];
    for (space, bytes) in sizes {
        heap.grow(space, u64::from(bytes)).unwrap();
    }
    let mut recording = gpu.record();
    let mut mirror = Vec::new();
    let write = |heap: &mut MemoryMirror, random: &mut Random, recording: &mut curie::gpu::Recording, window| {
        heap.host_mut().slice_mut(window).fill_with(|| u8::try_from(random.below(256)).unwrap());
        heap.mark_host_write(window);
        heap.upload(&gpu, recording, &Vec::new).unwrap();
    };
    let window = |space, start, bytes| MemoryWindow { space, start, bytes };
    for (space, bytes) in sizes {
        write(&mut heap, &mut random, &mut recording, window(space, 0, bytes));
    }
    let all = sizes.map(|(space, bytes)| window(space, 0, bytes));
    // In any order; the first makes the image grow afterward, and the second crosses rows.
    let pieces = [window(MemorySpace::Vram, 4096, 100), window(MemorySpace::Vram, 60_000, 140_000), all[1], all[0]];
    for (number, piece) in pieces.into_iter().enumerate() {
        if number == 3 {
            // A change in a copied window, and one in a window that was not copied.
            write(&mut heap, &mut random, &mut recording, window(MemorySpace::Vram, 70_001, 9));
            write(&mut heap, &mut random, &mut recording, window(MemorySpace::Gart, 30_000, 5000));
        }
        image.refresh(&gpu, &mut recording, &heap, [piece]).unwrap();
        gpu.flush(&mut recording).unwrap();
        let place = heap.locate(piece);
        mirror.resize(usize::try_from(heap.buffer().size()).unwrap(), 0);
        let host = heap.host().slice(piece).to_vec();
        mirror[place.start as usize..][..host.len()].copy_from_slice(&host);
        let addresses: Vec<u32> = (0..COUNT).map(|_| place.start + random.below(piece.bytes - 8)).collect();
        let loaded = load(&gpu, &image, &addresses);
        for (address, loaded) in addresses.iter().zip(&loaded) {
            assert_eq!(*loaded, expected(&mirror, *address), "{address} after piece {number}");
        }
    }
    // The last entry of a list makes an image grow.
    let mut grown = TexelImage::new(&gpu).unwrap();
    grown.refresh(&gpu, &mut recording, &heap, [pieces[0], all[1]]).unwrap();
    gpu.flush(&mut recording).unwrap();
    let place = heap.locate(pieces[0]).start;
    let addresses: Vec<u32> = (0..u32::from(COUNT)).map(|number| place + number % 96).collect();
    for (address, loaded) in addresses.iter().zip(load(&gpu, &grown, &addresses)) {
        assert_eq!(loaded, expected(&mirror, *address), "{address} of an image that grew");
    }
    // The second space was written after its copy, so the image differs from it until the next refresh.
    let place = heap.locate(window(MemorySpace::Gart, 30_000, 5000)).start;
    let addresses: Vec<u32> = (0..COUNT).map(|_| place + random.below(4990)).collect();
    let mut current = mirror.clone();
    current[place as usize..][..5000].copy_from_slice(heap.host().slice(window(MemorySpace::Gart, 30_000, 5000)));
    for is_current in [false, true] {
        let loaded = load(&gpu, &image, &addresses);
        let differ =
            addresses.iter().zip(&loaded).filter(|(address, loaded)| **loaded != expected(&current, **address));
        assert_eq!(differ.count() == 0, is_current);
        image.refresh(&gpu, &mut recording, &heap, all).unwrap();
        gpu.flush(&mut recording).unwrap();
    }
}
