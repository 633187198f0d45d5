//! Random textures of all formats, read by each kind of texture instruction at random places.
//!
//! - `CURIE_TEXTURE_CASES`: the number of programs, 12 by default, each with four textures.
//! - `CURIE_TEXTURE_SEED`: the first seed, 0 by default. A failure names its seed.

use std::sync::Arc;

use curie::format::{ComponentKind, TexelStorage, TextureFormat};
use curie::launch::{Argument, KernelRequest, PreparedLaunch, TextureArgument, prepare, read_module};
use curie::pipeline::launch::{CoordinatePlaces, FaultKind, rows_of_texels, texture_axes};
use curie::pipeline::{
    BorderColor, Compare, Dimensions, Filter, MipFilter, RemappedChannel, Sampler, TextureLayout, TextureState,
    TextureView, Wrap,
};

use super::{compare, kernels, number};
use crate::common::nightly::cases;
use crate::common::random::Random;

/// Textures of a program, and threads that read them.
const TEXTURES: u32 = 4;
const THREADS: u32 = 256;

/// How an instruction reads.
const READS: [&str; 6] = ["texauto", "texauto", "texlod", "texbias", "texfetch", "texsize"];

const WRAPS: [Wrap; 6] =
    [Wrap::ClampToEdge, Wrap::Repeat, Wrap::MirroredRepeat, Wrap::ClampToBorder, Wrap::Clamp, Wrap::MirrorClampToEdge];

const CHANNELS: [RemappedChannel; 7] = [
    RemappedChannel::Zero,
    RemappedChannel::One,
    RemappedChannel::OneInteger,
    RemappedChannel::Source(0),
    RemappedChannel::Source(1),
    RemappedChannel::Source(2),
    RemappedChannel::Source(3),
];

fn formats() -> Vec<TextureFormat> {
    TextureFormat::ALL.iter().copied().filter(|format| format.is_of_tesla()).collect()
}

fn random_texture(random: &mut Random, format: TextureFormat) -> TextureView {
    let dimensions =
        random.pick(&[Dimensions::One, Dimensions::Two, Dimensions::Two, Dimensions::Three, Dimensions::Cube]);
    let mut size: [u32; 3] = std::array::from_fn(|axis| match axis < texture_axes(dimensions) {
        true => random.pick(&[1, 2, 3, 4, 7, 16, 33]),
        false => 1,
    });
    if dimensions == Dimensions::Cube {
        size = [size[0], size[0], 1];
    }
    let plain = rows_of_texels(format, dimensions, size);
    let is_remapped = random.below(3) == 0;
    let remap = if is_remapped { std::array::from_fn(|_| random.pick(&CHANNELS)) } else { plain.remap };
    let is_unnormalized = dimensions != Dimensions::Cube && random.flag();
    let gamma = if random.below(4) == 0 { [true, true, true, false] } else { [false; 4] };
    let mut view = TextureView { is_unnormalized, remap, gamma, ..plain };
    if matches!(dimensions, Dimensions::One | Dimensions::Two) && random.below(3) == 0 {
        view.layers = Some(1 + random.below(4));
    }
    // Rows of blocks have another pitch.
    if random.below(3) == 0 || format.is_compressed() || dimensions == Dimensions::Cube || view.layers.is_some() {
        let log2_block = [random.below(3), random.below(3)].map(|log2| u8::try_from(log2).unwrap());
        view.layout = TextureLayout::BlockLinear { log2_block };
        view.levels = if is_unnormalized { 1 } else { 1 + random.below(4) };
    }
    view
}

fn random_sampler(random: &mut Random) -> Sampler {
    let mut filter = || random.pick(&[Filter::Nearest, Filter::Linear, Filter::Linear]);
    let (min_filter, mag_filter) = (filter(), filter());
    let [min_lod, max_lod] = random.pick(&[[0, 0], [0, 0xfff], [1, 0xfff], [0x200, 0x100]]);
    Sampler {
        wrap: std::array::from_fn(|_| random.pick(&WRAPS)),
        min_filter,
        mag_filter,
        min_lod,
        max_lod,
        lod_bias: random.pick(&[0, 0, 0x80, -0x80]),
        max_anisotropy: random.pick(&[1, 1, 1, 4]),
        shadow_compare: random.pick(&Compare::ALL),
        border_color: BorderColor::Words(std::array::from_fn(|_| random.pick(&[0, 0x3f00_0000, 0xbf80_0000, 7]))),
        mip_filter: random.pick(&[MipFilter::None, MipFilter::Nearest, MipFilter::Linear]),
        is_seamless: random.flag(),
        ..Sampler::PLAIN
    }
}

/// Any bits, but mostly floats of moderate size where texels are floats.
fn random_texels(random: &mut Random, texture: &TextureView) -> Vec<u8> {
    let has_floats = matches!(
        texture.format.storage(),
        TexelStorage::Components(components) if components.kind == ComponentKind::Float && components.width == 32
    );
    let words = (0..texture.reached_bytes().div_ceil(4)).map(|_| match has_floats && random.below(16) != 0 {
        true => random.word() & 0x83ff_ffff | 0x3c00_0000,
        false => random.word(),
    });
    let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    bytes.truncate(usize::try_from(texture.reached_bytes()).unwrap());
    bytes
}

/// A coordinate: mostly near the image, sometimes far away or none at all.
fn random_coordinate(random: &mut Random, texture: &TextureView, axis: usize, is_texel: bool) -> u32 {
    const SPECIAL: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.0, 1e-40, 16_777_217.0];
    let side = texture.size.get(axis).copied().unwrap_or(1);
    if is_texel {
        return if random.below(32) == 0 { random.word() } else { random.below(side + 4).wrapping_sub(2) };
    }
    let scale = if texture.is_unnormalized { side as f32 } else { 1.0 };
    match random.below(32) {
        0 => random.pick(&SPECIAL).to_bits(),
        1 => random.word(),
        // Where two texels weigh the same, and borders of texels.
        2 | 3 => (random.below(2 * side + 1) as f32 * 0.5 * scale / side as f32).to_bits(),
        _ => (scale * (random.below(1 << 16) as f32 / 16384.0 - 1.5)).to_bits(),
    }
}

/// The text of an instruction that reads a texture by the coordinates in the first registers.
fn instruction(random: &mut Random, name: &str, unit: u32, places: &CoordinatePlaces) -> String {
    // A level of detail beside four coordinates is 0.
    let count = match name {
        "texsize" => 1,
        "texlod" | "texbias" => (places.lod + 1).min(4),
        "texfetch" => places.texel_level() + usize::from(random.flag()),
        _ => places.lod,
    };
    let coordinates = ["$r0", "$r0:$r1", "$r0:$r1:$r2", "$r0:$r1:$r2:$r3"][count - 1];
    let offsets = match name {
        "texfetch" => format!(" {} {} {}", random.below(2), random.below(16).cast_signed() - 8, random.below(2)),
        "texsize" => String::new(),
        _ => " 0 0 0".to_owned(),
    };
    let to = random.pick(&["$r0:$r1:$r2:$r3", "$r0:$r1:$r2:$r3", "$r0:#:$r1:#", "#:$r0:$r1:$r2"]);
    format!("{name} all {to} $t{unit} $s{unit} {coordinates}{offsets}")
}

fn case(seed: u64) -> PreparedLaunch {
    let mut random = Random::new(seed);
    let formats = formats();
    let (mut textures, mut text, mut reads) = (Vec::new(), String::new(), Vec::new());
    for unit in 0..TEXTURES {
        let place = seed * u64::from(TEXTURES) + u64::from(unit);
        let format = formats[usize::try_from(place).unwrap() % formats.len()];
        let texture = random_texture(&mut random, format);
        let read = random.pick(&READS);
        let sampler = random_sampler(&mut random);
        let places = CoordinatePlaces::of(&TextureState { view: texture, sampler });
        let fetch = instruction(&mut random, read, unit, &places);
        text += &format!("    ld b128 $r0q g14[$r9]\n    {fetch}\n    st b128 g14[$r10] $r0q\n");
        text += "    add b32 $r9 $r9 0x10\n    add b32 $r10 $r10 0x10\n";
        reads.push((texture, read, places));
        textures.push(TextureArgument {
            name: unit.to_string(),
            texture,
            sampler,
            texels: random_texels(&mut random, &texture),
        });
    }
    let mut coordinates = Vec::new();
    for _ in 0..THREADS {
        for (texture, read, places) in &reads {
            let words: [u32; 4] = std::array::from_fn(|axis| match *read {
                "texsize" => random.below(3),
                _ if places.layer == Some(axis) => random.pick(&[0, 1, 2, 3, 4, u32::MAX]),
                "texfetch" if axis == places.texel_level() => u32::from(random.below(8) == 0),
                read => random_coordinate(&mut random, texture, axis, read == "texfetch"),
            });
            coordinates.extend(words);
        }
    }
    let step = TEXTURES * 16;
    let text = format!(
        "!!Tesla1.0\n.kernel read\n.param u32 coordinates\n.param u32 texels\n    cvt u32 $r8 u16 $r0l\n\
         \x20   mov b32 $r9 {step:#x}\n    mul $r8 u24 $r8 $r9\n    add b32 $r9 b32 s[coordinates] $r8\n\
         \x20   add b32 $r10 b32 s[texels] $r8\n{text}    exit nop\n"
    );
    let module = read_module("read.tesla", text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let request = KernelRequest {
        entry: None,
        grid: [1, 1, 1],
        block: [THREADS, 1, 1],
        arguments: vec![
            Argument::Buffer(coordinates.into_iter().flat_map(u32::to_le_bytes).collect()),
            Argument::Buffer(vec![0; (THREADS * step) as usize]),
        ],
        more_shared_bytes: 0,
        pointer_bytes: 4,
        textures,
    };
    prepare(&module, &request).unwrap_or_else(|error| panic!("seed {seed}: {error}"))
}

#[test]
fn random_textures_are_equal() {
    let Some(kernels) = kernels() else { return };
    let first = number("CURIE_TEXTURE_SEED", 0);
    let count = number("CURIE_TEXTURE_CASES", cases(6, 12));
    let mut found = Vec::new();
    for seed in first..first + count {
        let prepared = case(seed);
        let (expected, differs) = compare(&kernels, &prepared, 100_000);
        let report = expected.report.unwrap();
        assert_eq!(report.faults, [], "seed {seed}");
        let texels = &expected.memory.buffers()[1].bytes;
        let differing = texels.chunks(4).collect::<std::collections::BTreeSet<_>>().len();
        assert!(differing > 16, "seed {seed}: only {differing} words differ");
        if let Some(differs) = differs {
            println!("seed {seed}: {differs}\n{:#?}", prepared.launch.bound_textures());
            found.push(seed);
        }
    }
    assert!(found.is_empty(), "{} programs differ: {found:?}", found.len());
}

#[test]
fn unbound_textures_are_the_same_fault() {
    let Some(kernels) = kernels() else { return };
    let mut prepared = case(3);
    prepared.launch.textures = Arc::default();
    let (expected, differs) = compare(&kernels, &prepared, 100_000);
    assert_eq!(differs, None);
    let faults = expected.report.unwrap().faults;
    assert!(faults.len() == 4 && faults.iter().all(|fault| fault.kind == FaultKind::UnboundTexture), "{faults:?}");
}
