//! The generated texture units produce the reference's bits.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::memory::{difference, random_memory, random_window};
use crate::common::random::Random;
use crate::common::texture_sampler::{Fetch, Mode, Quad, RESULT_WORDS, on_device, on_reference};
use curie::format::TextureFormat;
use curie::gpu::Gpu;
use curie::pipeline::{
    BorderColor, ColorKeyMode, Compare, ConvolutionKernel, Dimensions, Filter, LayoutKind, MipFilter, RemappedChannel,
    Sampler, TextureLayout, TextureState, TextureView, Wrap,
};

/// A natural channel in half of the cases, else a constant.
fn random_channel(random: &mut Random) -> RemappedChannel {
    match random.below(8) {
        0 | 1 => RemappedChannel::Zero,
        2 | 3 => RemappedChannel::One,
        channel => RemappedChannel::Source(u8::try_from(channel - 4).unwrap()),
    }
}

fn random_sampler(random: &mut Random, format: TextureFormat) -> Sampler {
    let kernel = random.pick(&[
        ConvolutionKernel::Quincunx,
        ConvolutionKernel::Gaussian,
        ConvolutionKernel::QuincunxAlternative,
    ]);
    let filter = |random: &mut Random| {
        random.pick(&[Filter::Nearest, Filter::Linear, Filter::Linear, Filter::Linear, Filter::Convolution(kernel)])
    };
    let border_color = match format.is_of_tesla() {
        true => BorderColor::Words(std::array::from_fn(|_| random_coordinate(random, 0.5, 2.0))),
        false => BorderColor::Argb8(random.word()),
    };
    let (minimum, maximum) = (random.below(0x400), random.below(0x1000));
    Sampler {
        wrap: std::array::from_fn(|_| random.pick(&Wrap::ALL)),
        min_filter: filter(random),
        mip_filter: random.pick(&[MipFilter::None, MipFilter::Nearest, MipFilter::Linear, MipFilter::Linear]),
        mag_filter: filter(random),
        lod_bias: random.below(0x400).cast_signed() - 0x200,
        min_lod: if random.flag() { 0 } else { minimum },
        max_lod: if random.flag() { 0xfff } else { maximum },
        max_anisotropy: random.pick(&[1, 1, 2, 4, 16]),
        border_color,
        shadow_compare: random.pick(&Compare::ALL),
        alpha_kill: random.below(8) == 0,
        color_key_mode: random.pick(&[
            ColorKeyMode::Off,
            ColorKeyMode::Off,
            ColorKeyMode::Off,
            ColorKeyMode::ClearAlpha,
            ColorKeyMode::ClearColor,
            ColorKeyMode::Discard,
        ]),
        color_key: random.pick(&[0, 0xffff_ffff, 0x0000_ffff]),
        is_seamless: random.flag(),
    }
}

fn random_texture(random: &mut Random, format: TextureFormat) -> TextureState {
    let dimensions =
        random.pick(&[Dimensions::One, Dimensions::Two, Dimensions::Two, Dimensions::Three, Dimensions::Cube]);
    let log2_block = [random.below(4), random.below(3)].map(|log2| u8::try_from(log2).unwrap());
    let layout = match random.below(8) {
        _ if format.element_bytes() != format.bytes() => LayoutKind::Linear,
        0..4 => LayoutKind::Linear,
        4..6 => LayoutKind::Swizzled,
        _ => LayoutKind::BlockLinear,
    };
    let layout = match layout {
        LayoutKind::Linear => TextureLayout::Linear { pitch_bytes: random.pick(&[64, 128, 192, 130, 13]) },
        LayoutKind::Swizzled => TextureLayout::Swizzled,
        LayoutKind::BlockLinear => TextureLayout::BlockLinear { log2_block },
    };
    let may_be_odd = layout != TextureLayout::Swizzled || random.below(if format.is_compressed() { 2 } else { 8 }) == 0;
    let side = |random: &mut Random| if may_be_odd { 1 + random.below(40) } else { 1 << random.below(6) };
    let width = side(random);
    let height = match dimensions {
        Dimensions::One => 1,
        Dimensions::Cube => width,
        Dimensions::Two | Dimensions::Three => side(random),
    };
    let depth = if dimensions == Dimensions::Three { side(random).min(16) } else { 1 };
    let alignment = if random.below(8) == 0 { 1 } else { format.element_bytes().min(4) };
    let is_unnormalized = random.below(6) == 0 && dimensions != Dimensions::Cube;
    let has_planes = matches!(dimensions, Dimensions::One | Dimensions::Two);
    let is_array = format.is_of_tesla() && has_planes && random.below(4) == 0;
    TextureState {
        view: TextureView {
            window: random_window(random, alignment),
            format,
            dimensions,
            layout,
            is_unnormalized,
            has_border_texels: random.below(6) == 0,
            size: [width, height, depth],
            face_bytes: None,
            layers: is_array.then(|| 1 + random.below(4)),
            levels: if is_unnormalized { 1 } else { 1 + random.below(6) },
            remap: if random.flag() {
                RemappedChannel::IDENTITY
            } else {
                std::array::from_fn(|_| random_channel(random))
            },
            signed: if random.below(4) == 0 { std::array::from_fn(|_| random.flag()) } else { [false; 4] },
            is_signed_clamped: random.flag(),
            gamma: if random.below(6) == 0 { std::array::from_fn(|_| random.flag()) } else { [false; 4] },
            expand_normal: random.below(8) == 0,
        },
        sampler: random_sampler(random, format),
    }
}

/// A coordinate: mostly a smooth one near the image, sometimes far away or NaN.
fn random_coordinate(random: &mut Random, base: f32, spread: f32) -> u32 {
    const SPECIAL: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.0, 1e-40, 16_777_217.0];
    match random.below(64) {
        0 => random.pick(&SPECIAL).to_bits(),
        1 => random.word(),
        _ => (base + spread * (random.below(1 << 16) as f32 / 65536.0 - 0.5)).to_bits(),
    }
}

fn random_quad(random: &mut Random, scale: f32) -> Quad {
    let spread = scale * 0.5f32.powi(random.below(9).cast_signed());
    let base: [f32; 4] = std::array::from_fn(|_| scale * (random.below(1 << 16) as f32 / 16384.0 - 2.0));
    std::array::from_fn(|_| std::array::from_fn(|component| random_coordinate(random, base[component], spread)))
}

const QUADS: usize = 96;

/// Samples random quads with both engines; returns how many textures were executed.
fn compare_sampling(gpu: &Gpu, first: u64, count: u64, change: fn(&mut TextureState)) -> u64 {
    compare_sampling_of(gpu, first, count, 0, change)
}

/// The same for formats from a place in the table on.
fn compare_sampling_of(gpu: &Gpu, first: u64, count: u64, format: u64, change: fn(&mut TextureState)) -> u64 {
    let formats = TextureFormat::ALL.iter().cycle().skip(usize::try_from(format).unwrap());
    let factor = std::env::var("CURIE_RANDOM_TEXTURES").ok().and_then(|value| value.parse().ok()).unwrap_or(1);
    let mut executed = 0;
    for (seed, &format) in (first..first + count * factor).zip(formats) {
        let mut random = Random::new(seed);
        let memory = random_memory(&mut random);
        let mut state = random_texture(&mut random, format);
        change(&mut state);
        if state.view.unsupported().is_some() {
            continue;
        }
        executed += 1;
        let mode = random.pick(&[Mode::Implicit, Mode::Implicit, Mode::Explicit, Mode::Gradient]);
        let scale = if state.view.is_unnormalized { 16.0 } else { 1.0 };
        let mut fetches: Vec<_> = (0..QUADS)
            .map(|_| Fetch {
                lod: std::array::from_fn(|_| random_coordinate(&mut random, 1.0, 6.0)),
                coordinate: random_quad(&mut random, scale),
                x: random_quad(&mut random, 0.2),
                y: random_quad(&mut random, 0.2),
            })
            .collect();
        if state.view.layers.is_some() {
            // One beyond the last layer, and more.
            for pixel in fetches.iter_mut().flat_map(|fetch| &mut fetch.coordinate) {
                pixel[3] = random.pick(&[0, 1, 2, 3, 4, u32::MAX]);
            }
        }
        let expected = on_reference(&memory, &state, mode, &fetches);
        if let Some(texels) = state.fixed_texels() {
            let taken = expected.chunks_exact(RESULT_WORDS).map(|words| &words[RESULT_WORDS - 4..]);
            taken.for_each(|taken| assert_eq!(taken, [4, 4 * texels, 0, 0], "seed {seed} {state:?}"));
        }
        let actual = on_device(gpu, &memory, &state, mode, &fetches);
        if let Some((byte, left, right)) = difference(&actual, &expected) {
            let fetch = fetches[byte / 4 / RESULT_WORDS];
            let word = byte / 4 % RESULT_WORDS;
            panic!("seed {seed} word {word}: {left:x} is not {right:x}\n{state:?}\n{mode:?} {fetch:x?}");
        }
    }
    executed
}

#[test]
fn sampling_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let executed = compare_sampling(&gpu, 0, 54, |_| ());
    assert!(executed > 40, "only {executed} of 54 textures were executed");
}

/// Tesla's formats, as its driver lays textures out.
#[test]
fn sampling_in_blocks_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let count = TextureFormat::ALL.iter().filter(|format| format.is_of_tesla()).count() as u64;
    let first = TextureFormat::ALL.len() as u64 - count;
    let mut state_count = 0;
    for round in 0..2 {
        state_count += compare_sampling_of(&gpu, 2000 + 100 * round, count, first, |state| {
            state.view.layout = TextureLayout::BlockLinear { log2_block: [1, 1] };
            (state.view.has_border_texels, state.view.expand_normal) = (false, false);
            (state.sampler.alpha_kill, state.sampler.color_key_mode) = (false, ColorKeyMode::Off);
            for filter in [&mut state.sampler.min_filter, &mut state.sampler.mag_filter] {
                if matches!(filter, Filter::Convolution(_)) {
                    *filter = Filter::Linear;
                }
            }
        });
    }
    assert_eq!(state_count, 2 * count);
}

/// Small cube maps and arrays of them, whose faces are filtered across edges and corners.
#[test]
fn seamless_sampling_agrees() {
    use TextureFormat as Format;
    let Some(gpu) = common::gpu() else { return };
    let formats = [
        Format::Unorm8x4,
        Format::Unorm8x4,
        Format::Unorm16x2,
        Format::Float16x4,
        Format::Float32,
        Format::Snorm8x4,
        Format::Uint8x4,
        Format::Z24S8,
        Format::Z32F,
        Format::Bc1,
        Format::Bc3,
        Format::A8R8G8B8,
        Format::Depth16,
    ];
    for (seed, format) in (3000..).step_by(10).zip(formats) {
        let place = TextureFormat::ALL.iter().position(|other| *other == format).unwrap() as u64;
        let executed = compare_sampling_of(&gpu, seed, 1, place, |state| {
            let view = &mut state.view;
            let side = 1 << (view.size[0] % 4);
            (view.dimensions, view.size, view.is_unnormalized) = (Dimensions::Cube, [side, side, 1], false);
            (view.has_border_texels, view.expand_normal) = (false, false);
            if matches!(view.format, Format::Bc3 | Format::Unorm8x4) {
                view.gamma = [side > 2, side > 2, side > 2, false];
            }
            let sampler = &mut state.sampler;
            (sampler.is_seamless, sampler.min_filter) = (true, Filter::Linear);
            if matches!(sampler.mag_filter, Filter::Convolution(_)) {
                sampler.mag_filter = Filter::Linear;
            }
        });
        assert_eq!(executed, 1, "{}", format.name());
    }
}

#[test]
fn anisotropic_sampling_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let executed = compare_sampling(&gpu, 500, 27, |state| {
        if state.view.dimensions == Dimensions::Three {
            (state.view.dimensions, state.view.size[2]) = (Dimensions::Two, 1);
        }
        (state.sampler.min_filter, state.sampler.max_anisotropy) =
            (Filter::Linear, state.sampler.max_anisotropy.max(2));
    });
    assert!(executed > 24, "only {executed} of 27 textures were executed");
}

/// Every wrap mode on every axis, inside and outside the image, with and without border texels.
#[test]
fn every_wrap_on_every_axis_agrees() {
    let Some(gpu) = common::gpu() else { return };
    for (number, _) in Wrap::ALL.iter().enumerate() {
        let mut random = Random::new(number as u64);
        let memory = random_memory(&mut random);
        let mut state = random_texture(&mut random, TextureFormat::B8);
        let filter = if number % 4 == 3 { Filter::Nearest } else { Filter::Linear };
        (state.sampler.min_filter, state.sampler.mag_filter, state.sampler.mip_filter) =
            (filter, filter, MipFilter::None);
        (state.view.dimensions, state.view.size, state.view.levels) = (Dimensions::Three, [8, 4, 4], 1);
        state.view.layout = match number % 3 {
            0 => TextureLayout::Linear { pitch_bytes: 13 },
            1 => TextureLayout::Swizzled,
            _ => TextureLayout::BlockLinear { log2_block: [0, 1] },
        };
        state.view.is_unnormalized = number == 5;
        (state.sampler.alpha_kill, state.sampler.color_key_mode, state.sampler.max_anisotropy) =
            (false, ColorKeyMode::Off, 1);
        state.view.has_border_texels = number % 2 == 1;
        state.sampler.wrap = std::array::from_fn(|axis| Wrap::ALL[(number + axis) % 8]);
        let scale = if state.view.is_unnormalized { 4.0 } else { 1.0 };
        let fetches: Vec<_> =
            (0..512).map(|_| Fetch { coordinate: random_quad(&mut random, scale), ..Fetch::default() }).collect();
        let expected = on_reference(&memory, &state, Mode::Explicit, &fetches);
        let actual = on_device(&gpu, &memory, &state, Mode::Explicit, &fetches);
        assert_eq!(difference(&actual, &expected), None, "{state:?}");
    }
}
