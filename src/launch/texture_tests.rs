//! Tests of texture instructions against values worked out by hand.

use std::sync::Arc;

use super::*;
use crate::pipeline::launch::{Fault, FaultKind};

const ONE: u32 = 0x3f80_0000;

/// Each thread reads a texture at its four coordinates and writes its four registers.
fn kernel(instruction: &str) -> TeslaModule {
    let text = format!(
        "!!Tesla1.0\n.texture a 0\n.texture b 1\n.kernel read\n.param u32 coordinates\n.param u32 texels\n\
         \x20   cvt u32 $r8 u16 $r0l\n    shl b32 $r8 $r8 4\n    add b32 $r9 b32 s[coordinates] $r8\n\
         \x20   ld b128 $r0q g14[$r9]\n    {instruction}\n    add b32 $r9 b32 s[texels] $r8\n\
         \x20   exit st b128 g14[$r9] $r0q\n"
    );
    read_module("read.tesla", text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn request(textures: &[&str], coordinates: [u32; 4]) -> KernelRequest {
    let bytes = coordinates.iter().flat_map(|word| word.to_le_bytes()).collect();
    KernelRequest {
        entry: None,
        grid: [1, 1, 1],
        block: [1, 1, 1],
        arguments: vec![Argument::Buffer(bytes), Argument::Buffer(vec![0; 16])],
        more_shared_bytes: 0,
        pointer_bytes: 4,
        textures: textures.iter().map(|text| text.parse().unwrap_or_else(|error| panic!("{error}"))).collect(),
    }
}

/// What the registers hold after a kernel.
fn registers(prepared: PreparedLaunch) -> ([u32; 4], Vec<Fault>) {
    let run = run(prepared, &ComputeEngine::REFERENCE, &LaunchOptions::default(), &mut |_| ()).unwrap();
    let words = run.memory.buffers()[1].bytes.as_chunks::<4>().0;
    ([0, 1, 2, 3].map(|word: usize| u32::from_le_bytes(words[word])), run.report.faults)
}

fn read_words(textures: &[&str], instruction: &str, coordinates: [u32; 4]) -> [u32; 4] {
    let (words, faults) = registers(prepare(&kernel(instruction), &request(textures, coordinates)).unwrap());
    assert_eq!(faults, []);
    words
}

/// Samples a texture at a place by as many coordinates as there are.
fn sampled(texture: &str, coordinates: &[f32]) -> [u32; 4] {
    let names = ["$r0", "$r0:$r1", "$r0:$r1:$r2"][coordinates.len() - 1];
    let mut words = [0; 4];
    words.iter_mut().zip(coordinates).for_each(|(word, coordinate)| *word = coordinate.to_bits());
    read_words(&[texture], &format!("texauto all $r0:$r1:$r2:$r3 $t0 $s0 {names} 0 0 0"), words)
}

fn red(texture: &str, coordinates: &[f32]) -> f32 {
    f32::from_bits(sampled(texture, coordinates)[0])
}

#[test]
fn the_nearest_float_keeps_its_bits() {
    let texture = "a=f32,4:[nan,1e-45,-0,2.5]";
    let texels = [0.5, 1.5, 2.75, 3.0].map(|x| sampled(texture, &[x]));
    assert_eq!(texels.map(|texel| texel[0]), [0x7fc0_0000, 1, 0x8000_0000, 0x4020_0000]);
    assert_eq!(texels[0][1..], [0, 0, ONE]);
    assert_eq!(sampled("a=f32x2,1:[1,2]", &[0.0]), [ONE, 0x4000_0000, 0, ONE]);
    assert_eq!(sampled("a=f32x4,1x1:[1,2,1,2]", &[0.0, 0.0]), [ONE, 0x4000_0000, ONE, 0x4000_0000]);
    assert_eq!(sampled("a=f16x2,1:[1,-2]", &[0.0])[..2], [ONE, 0xc000_0000]);
}

#[test]
fn integers_are_read_as_they_are() {
    assert_eq!(sampled("a=u8x4,1,filter=linear:[1,2,3,255]", &[0.9]), [1, 2, 3, 255]);
    assert_eq!(sampled("a=s8x2,1:[-1,-128]", &[0.0]), [u32::MAX, 0xffff_ff80, 0, 1]);
    assert_eq!(sampled("a=s16x4,1:[-2,3,32767,-32768]", &[0.0]), [0xffff_fffe, 3, 0x7fff, 0xffff_8000]);
    assert_eq!(sampled("a=u16,2:[65535,7]", &[1.0]), [7, 0, 0, 1]);
    assert_eq!(sampled("a=s32x2,1:[-1,5]", &[0.0]), [u32::MAX, 5, 0, 1]);
    assert_eq!(sampled("a=u32,1:[4294967295]", &[0.0]), [u32::MAX, 0, 0, 1]);
}

#[test]
fn fractions_are_floats() {
    let fraction = |value: u16, most: u16| f32::from(value) / f32::from(most);
    assert_eq!(red("a=unorm8,1:[51]", &[0.0]), fraction(51, 255));
    assert_eq!(red("a=unorm16,1:[3]", &[0.0]), fraction(3, 65535));
    let signed = ["a=snorm8,1:[-128]", "a=snorm8,1:[64]", "a=snorm16,1:[-32767]"].map(|texture| red(texture, &[0.0]));
    assert_eq!(signed, [-1.0, fraction(64, 127), -1.0]);
    // Half of each: (0 + 65535) / 2, rounded up.
    assert_eq!(red("a=unorm8,2,filter=linear:[0,255]", &[1.0]), fraction(32768, 65535));
}

#[test]
fn wrap_modes() {
    let nearest = |wrap: &str, x: f32| sampled(&format!("a=u8,4,wrap={wrap},normalized:[10,11,12,13]"), &[x])[0];
    let places = [-0.125, 0.3, 1.125, 1.4];
    assert_eq!(places.map(|x| nearest("clamp", x)), [10, 11, 13, 13]);
    assert_eq!(places.map(|x| nearest("repeat", x)), [13, 11, 10, 11]);
    assert_eq!(places.map(|x| nearest("mirror", x)), [10, 11, 13, 12]);
    assert_eq!(places.map(|x| nearest("border", x)), [0, 11, 0, 0]);
    // Coordinates in texels are clamped.
    let texels = [-1.0, 0.0, 3.9, 5.0].map(|x| sampled("a=u8,4,wrap=repeat:[10,11,12,13]", &[x])[0]);
    assert_eq!(texels, [10, 10, 13, 13]);
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30].map(|x| sampled("a=u8,4:[10,11,12,13]", &[x])[0]);
    assert_eq!(odd, [10, 13, 10, 13]);
}

#[test]
fn linear_filters_weight_the_nearest_texels() {
    // Texel centers are at halves: three quarters of the right column, half of each row.
    assert_eq!(red("a=f32,2x2,filter=linear:[0,4,8,16]", &[1.25, 1.0]), (3.0 + 14.0) / 2.0);
    assert_eq!(red("a=f32,2x2,filter=linear,normalized:[0,4,8,16]", &[0.625, 0.5]), 8.5);
    assert_eq!(red("a=f32,2,filter=linear:[1,3]", &[1.0]), 2.0);
    // Half of the last texel and half of the first one, or of the border.
    assert_eq!(red("a=f32,2,filter=linear,wrap=repeat,normalized:[1,4]", &[1.0]), 2.5);
    assert_eq!(red("a=f32,2,filter=linear,wrap=border,normalized:[1,4]", &[1.0]), 2.0);
    // A weight has eight bits: 1/512 of a texel rounds up, less rounds down.
    assert_eq!(red("a=f32,2,filter=linear:[0,256]", &[0.5 + 1.0 / 512.0]), 1.0);
    assert_eq!(red("a=f32,2,filter=linear:[0,256]", &[0.5 + 0.9 / 512.0]), 0.0);
    let volume = "a=f32,2x2x2,filter=linear:[0,1,2,3,4,5,6,7]";
    assert_eq!(red(volume, &[1.0, 1.0, 1.0]), 3.5);
    assert_eq!(red(volume, &[0.5, 0.5, 1.25]), 3.0);
}

#[test]
fn texels_are_fetched_by_integers() {
    let image = "a=u8,3x2,filter=linear,normalized:[1,2,3,4,5,6]";
    let fetch = |offsets: &str, x: i32, y: i32| {
        let words = [x.cast_unsigned(), y.cast_unsigned(), 9, 9];
        read_words(&[image], &format!("texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 {offsets}"), words)
    };
    assert_eq!(fetch("0 0 0", 2, 1), [6, 0, 0, 1]);
    assert_eq!(fetch("-1 -1 0", 2, 1), [2, 0, 0, 1]);
    assert_eq!(fetch("1 0 0", -1, 0), [1, 0, 0, 1]);
    for (x, y) in [(3, 0), (-1, 0), (0, 2), (0, -1), (i32::MIN, 0)] {
        assert_eq!(fetch("0 0 0", x, y), [0; 4], "{x} {y}");
    }
    // The last of three coordinates is the level.
    let level = |level: u32| {
        read_words(&[image], "texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0 0 0", [0, 1, level, 0])[0]
    };
    assert_eq!([level(0), level(1)], [4, 0]);
    let long: Vec<String> = (0..5000).map(|texel| (texel * 7).to_string()).collect();
    let long = format!("a=u32,5000:[{}]", long.join(","));
    let texel = |x| read_words(&[&long], "texfetch all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0 0 0", [x, 0, 0, 0])[0];
    assert_eq!([texel(4999), texel(5000)], [34993, 0]);
}

#[test]
fn sizes_levels_and_components() {
    let size = "texsize all $r0:$r1:$r2:$r3 $t0 $s0 $r0";
    assert_eq!(read_words(&["a=f32,5x3:zeros"], size, [0; 4]), [5, 3, 1, 1]);
    assert_eq!(read_words(&["a=f32,5x3x2:zeros"], size, [1, 0, 0, 0]), [0, 0, 0, 1]);
    let texture = "a=u8x4,2:[1,2,3,4,5,6,7,8]";
    for name in ["texlod", "texbias"] {
        let instruction = format!("{name} all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0 0 0");
        assert_eq!(read_words(&[texture], &instruction, [1.0_f32.to_bits(), 0x4040_0000, 0, 0]), [5, 6, 7, 8]);
    }
    // The second and fourth component go to the first two registers, the others stay.
    let masked = "texauto all #:$r0:#:$r1 $t0 $s0 $r0 0 0 0";
    assert_eq!(read_words(&[texture], masked, [0, 9, 10, 11]), [2, 4, 10, 11]);
}

#[test]
fn a_sampler_of_another_unit_filters_and_wraps() {
    let textures = ["a=f32,2,normalized:[1,3]", "b=f32,1,filter=linear,wrap=repeat:[0]"];
    let read = |sampler: u8, x: f32| {
        let instruction = format!("texauto all $r0:$r1:$r2:$r3 $t0 $s{sampler} $r0 0 0 0");
        f32::from_bits(read_words(&textures, &instruction, [x.to_bits(), 0, 0, 0])[0])
    };
    assert_eq!([read(0, 0.5), read(1, 0.5), read(0, 1.0), read(1, 1.0)], [3.0, 2.0, 3.0, 2.0]);
}

#[test]
fn offsets_move_the_place_by_texels() {
    let texture = "a=f32,4:[1,2,3,4]";
    for (offset, texel) in [(0, 2.0_f32), (1, 3.0), (-1, 1.0), (2, 4.0), (7, 4.0), (-8, 1.0)] {
        let instruction = format!("texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 {offset} 0 0");
        assert_eq!(read_words(&[texture], &instruction, [1.5_f32.to_bits(), 0, 0, 0])[0], texel.to_bits(), "{offset}");
    }
}

#[test]
fn what_cannot_be_read_is_a_fault() {
    let plain = "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0 0 0";
    let mut prepared = prepare(&kernel(plain), &request(&["a=f32,1:[1]"], [7; 4])).unwrap();
    prepared.launch.textures = Arc::default();
    let (words, faults) = registers(prepared);
    assert_eq!((words, faults.len(), faults[0].kind, faults[0].count), ([0; 4], 1, FaultKind::UnboundTexture, 1));
    assert!(faults[0].to_string().contains(": texture not bound, once, by block (0,0) thread (0,0,0)"));
}

#[test]
fn textures_fit_the_kernel() {
    let plain = kernel("texauto all $r0:$r1:$r2:$r3 $t1 $s1 $r0 0 0 0");
    let refused = |textures: &[&str]| prepare(&plain, &request(textures, [0; 4])).unwrap_err().to_string();
    assert_eq!(refused(&["c=f32,1:zeros"]), "the module has no texture 'c'; it has a, b");
    assert_eq!(refused(&["a=f32,1:zeros"]), "read reads texture b, which is not given");
    let size = refused(&["b=f32x2,2x2:[1,2,3]"]);
    assert_eq!(size, "texture b: a texture of 2×2 texels has 32 bytes, found 12");
    let side = refused(&["b=f32,0x2:zeros"]);
    assert_eq!(side, "texture b: a texture of 0×2 texels; sides are 1 to 65536×32768");
    let long = refused(&["b=f32,4294967295x4294967295x4294967295:zeros"]);
    assert!(long.ends_with("sides are 1 to 2048×2048×2048"), "{long}");
    // A number is a unit.
    let long = request(&["1=u8,8193:zeros"], [0; 4]);
    let error = launch(&plain, &long, &ComputeEngine::REFERENCE, &LaunchOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "a side of a texture that is sampled is 8193, more than 8192");
}
