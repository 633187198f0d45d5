//! Filters, levels of detail, comparison, keys and kills against values calculated by hand, on both engines.
#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use crate::common;
use crate::common::memory::{difference, memory_of};
use crate::common::texture_sampler::{Fetch, Mode, RESULT_WORDS, on_device, on_reference, plain_texture, texels_of};
use curie::format::TextureFormat;
use curie::memory::GuestMemory;
use curie::pipeline::{
    BorderColor, ColorKeyMode, Compare, ConvolutionKernel, Dimensions, Filter, MipFilter, RemappedChannel, Sampler,
    TextureLayout, TextureState, TextureView, Wrap,
};

/// Samples at coordinates, four per quad; both engines return the same results.
fn sample(state: &TextureState, memory: &GuestMemory, mode: Mode, fetches: &[Fetch]) -> Vec<u32> {
    let results = on_reference(memory, state, mode, fetches);
    if let Some(gpu) = common::gpu() {
        let device = on_device(&gpu, memory, state, mode, fetches);
        assert_eq!(difference(&device, &results), None, "{state:?}");
    }
    results
}

/// The red channels of one pixel per coordinate, with an explicit level of detail.
fn reds(state: &TextureState, memory: &GuestMemory, points: &[([f32; 4], f32)]) -> Vec<f32> {
    let fetches: Vec<_> = points
        .iter()
        .map(|(coordinate, lod)| Fetch {
            coordinate: [coordinate.map(f32::to_bits); 4],
            lod: [lod.to_bits(); 4],
            ..Fetch::default()
        })
        .collect();
    let results = sample(state, memory, Mode::Explicit, &fetches);
    texels_of(&results).iter().step_by(4).map(|texel| f32::from_bits(texel[0])).collect()
}

fn at(s: f32, t: f32) -> ([f32; 4], f32) {
    ([s, t, 0.0, 1.0], 0.0)
}

/// 4×4 bytes 0, 16, … 240 in rows, as a linear texture of one channel.
fn ramp() -> (TextureState, GuestMemory) {
    let bytes: Vec<u8> = (0..4u8).flat_map(|row| [0, 1, 2, 3].map(|column| 64 * row + 16 * column)).collect();
    let plain = plain_texture(TextureFormat::B8, Dimensions::Two, [4, 4, 1]);
    (
        TextureState { view: TextureView { layout: TextureLayout::Linear { pitch_bytes: 4 }, ..plain.view }, ..plain },
        memory_of(&bytes),
    )
}

/// A value of 256 steps with a fraction, rounded to 16 bits like the filter's.
fn steps(value: f64) -> f32 {
    let fraction = (value * 257.0 + 0.5).floor();
    f64_to_f32(fraction / 65535.0)
}

#[expect(clippy::cast_possible_truncation, reason = "the rounding is wanted")]
fn f64_to_f32(value: f64) -> f32 {
    value as f32
}

fn with_filter(state: &TextureState, filter: Filter) -> TextureState {
    TextureState { sampler: Sampler { min_filter: filter, mag_filter: filter, ..state.sampler }, ..state.clone() }
}

#[test]
fn bilinear_values() {
    let (state, memory) = ramp();
    let state = with_filter(&state, Filter::Linear);
    // Centers of texels, halfway between them, a quarter beyond; the corner of four; outside the edge.
    let points = [at(0.375, 0.375), at(0.5, 0.375), at(0.4375, 0.375), at(0.5, 0.5), at(-1.0, 0.375)];
    assert_eq!(reds(&state, &memory, &points), [80.0, 88.0, 84.0, 120.0, 64.0].map(steps));
    let border = TextureState {
        sampler: Sampler {
            wrap: [Wrap::ClampToBorder; 3],
            border_color: BorderColor::Argb8(0x0080_0000),
            ..state.sampler
        },
        ..state
    };
    // Half the border of 128 and half of texel 64.
    assert_eq!(reds(&border, &memory, &[at(0.0, 0.375), at(-1.0, 0.375)]), [96.0, 128.0].map(steps));
}

#[test]
fn convolution_values() {
    use ConvolutionKernel::{Gaussian, Quincunx, QuincunxAlternative};
    let (state, memory) = ramp();
    // Around texel (1, 1) of 80: rows 0 16 32, 64 80 96, 128 144 160.
    let values = |kernel, point| reds(&with_filter(&state, Filter::Convolution(kernel)), &memory, &[point])[0];
    let middle = at(0.3, 0.49);
    assert_eq!(values(Quincunx, middle), steps((64.0 + 4.0 * 80.0 + 96.0 + 128.0 + 160.0) / 8.0));
    assert_eq!(values(Gaussian, middle), steps(80.0));
    assert_eq!(values(QuincunxAlternative, middle), steps((0.0 + 32.0 + 64.0 + 4.0 * 80.0 + 96.0) / 8.0));
    // At texel (0, 0) the edge repeats: rows 0 0 16, 0 0 16, 64 64 80.
    let corner = at(0.0, 0.0);
    assert_eq!(values(Quincunx, corner), steps((16.0 + 64.0 + 80.0) / 8.0));
    assert_eq!(values(Gaussian, corner), steps((16.0 + 2.0 * 16.0 + 64.0 + 2.0 * 64.0 + 80.0) / 16.0));
    // Only for magnification: minified pixels stay nearest.
    let mixed = TextureState {
        sampler: Sampler { mag_filter: Filter::Convolution(Quincunx), ..state.sampler },
        ..state.clone()
    };
    let far = ([0.3, 0.49, 0.0, 1.0], 3.0);
    assert_eq!(reds(&mixed, &memory, &[corner, far]), [steps(20.0), steps(80.0)]);
}

#[test]
fn half_floats_are_convolved_and_filtered_as_floats() {
    // 2×2 texels of red 1, 2, 4, 8.
    let halves = [0x3c00u64, 0x4000, 0x4400, 0x4800];
    let bytes: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
    let plain = plain_texture(TextureFormat::W16Z16Y16X16F, Dimensions::Two, [2, 2, 1]);
    let memory = memory_of(&bytes);
    assert_eq!(reds(&with_filter(&plain, Filter::Linear), &memory, &[at(0.5, 0.5), at(0.5, 0.25)]), [3.75, 1.5]);
    // Edges repeat: rows 1 1 2, 1 1 2, 4 4 8.
    let convolved =
        reds(&with_filter(&plain, Filter::Convolution(ConvolutionKernel::Gaussian)), &memory, &[at(0.1, 0.1)]);
    assert_eq!(convolved, [(1.0 + 2.0 + 2.0 + 2.0 + 4.0 + 4.0 + 4.0 + 8.0 + 8.0) / 16.0]);
}

/// Levels 8, 4, 2, 1 texels wide of flat red 0, 80, 160, 240.
fn flat_levels() -> (TextureState, GuestMemory) {
    let bytes: Vec<u8> = [(64, 0u8), (16, 80), (4, 160), (1, 240)].iter().flat_map(|&(n, v)| vec![v; n]).collect();
    let plain = plain_texture(TextureFormat::B8, Dimensions::Two, [8, 8, 1]);
    (TextureState { view: TextureView { levels: 4, ..plain.view }, ..plain }, memory_of(&bytes))
}

#[test]
fn levels_of_detail_with_bias_and_limits() {
    let (plain, memory) = flat_levels();
    let linear = TextureState { sampler: Sampler { mip_filter: MipFilter::Linear, ..plain.sampler }, ..plain.clone() };
    let lods = [-1.0, 0.0, 0.5, 1.0, 1.25, 3.0, 9.0].map(|lod| ([0.5, 0.5, 0.0, 1.0], lod));
    assert_eq!(reds(&linear, &memory, &lods), [0.0, 0.0, 40.0, 80.0, 100.0, 240.0, 240.0].map(steps));
    let nearest =
        TextureState { sampler: Sampler { mip_filter: MipFilter::Nearest, ..plain.sampler }, ..plain.clone() };
    assert_eq!(reds(&nearest, &memory, &lods), [0.0, 0.0, 0.0, 80.0, 80.0, 240.0, 240.0].map(steps));
    assert_eq!(reds(&plain, &memory, &lods), [0.0; 7]);
    let limited =
        TextureState { sampler: Sampler { min_lod: 0x80, max_lod: 0x240, ..linear.sampler }, ..linear.clone() };
    assert_eq!(reds(&limited, &memory, &lods)[..2], [40.0; 2].map(steps));
    assert_eq!(reds(&limited, &memory, &lods)[5..], [180.0; 2].map(steps));
    // NV_fragment_program2, section 3.11.6.6: an explicit level takes the place of log2 ρ, to which the bias is added.
    let biased = TextureState { sampler: Sampler { lod_bias: 0x100, ..linear.sampler }, ..linear.clone() };
    assert_eq!(reds(&biased, &memory, &lods), [0.0, 80.0, 120.0, 160.0, 180.0, 240.0, 240.0].map(steps));
    // Implicit: two texels per pixel are level 1; the unit's bias of 1/2 and the fetch's of 1/4 add up.
    let pixel = |x: f32, y: f32| [x / 4.0, y / 4.0, 0.0, 1.0].map(f32::to_bits);
    let coordinate = [pixel(0.0, 0.0), pixel(1.0, 0.0), pixel(0.0, 1.0), pixel(1.0, 1.0)];
    let fetch = Fetch { coordinate, lod: [0.25f32.to_bits(); 4], ..Fetch::default() };
    let red = |state: &TextureState| f32::from_bits(texels_of(&sample(state, &memory, Mode::Implicit, &[fetch]))[3][0]);
    assert_eq!(red(&linear), steps(100.0));
    assert_eq!(
        red(&TextureState { sampler: Sampler { lod_bias: 0x80, ..linear.sampler }, ..linear.clone() }),
        steps(140.0)
    );
    assert_eq!(red(&TextureState { sampler: Sampler { lod_bias: -0x180, ..linear.sampler }, ..linear }), 0.0);
}

/// OpenGL 2.1, section 3.8.6: each fragment has its own face, and its derivatives are those of that face's coordinates.
#[test]
fn pixels_of_a_quad_across_a_cube_edge_have_their_own_levels() {
    // Levels 64 to 1 texels wide of flat red 0, 32, … 192; faces lie at multiples of 128 bytes.
    let face = (0..7u8).flat_map(|level| vec![level * 32; 1 << (12 - 2 * level)]).chain([0; 43]);
    let bytes: Vec<u8> = face.cycle().take(6 * 5504).collect();
    let plain = plain_texture(TextureFormat::B8, Dimensions::Cube, [64, 64, 1]);
    let state = TextureState {
        view: TextureView { levels: 7, ..plain.view },
        sampler: Sampler { mip_filter: MipFilter::Nearest, ..plain.sampler },
    };
    let reds = |quad: [[f32; 3]; 4]| {
        let coordinate = quad.map(|[x, y, z]| [x, y, z, 0.0].map(f32::to_bits));
        let results = sample(&state, &memory_of(&bytes), Mode::Implicit, &[Fetch { coordinate, ..Fetch::default() }]);
        <[f32; 4]>::try_from(texels_of(&results).iter().map(|texel| f32::from_bits(texel[0])).collect::<Vec<_>>())
            .unwrap()
    };
    // The left pixels lie on +y, the right ones on +x. On +x, s = (1 − z/x)/2 and t = (1 − y/x)/2: t moves from −1 to 0
    // along x, 64 texels, so the level is 6. On +y, s = (1 + x/y)/2 moves from 2/3 to 1, 21.3 texels, so it is 4.
    let above = |z: f32| [1.0, 3.0, z];
    let beside = |z: f32| [1.0, 1.0, z];
    assert_eq!(reds([above(0.0), beside(0.0), above(0.25), beside(0.25)]), [128.0, 192.0, 128.0, 192.0].map(steps));
    // The same with the faces changing along y.
    assert_eq!(reds([above(0.0), above(0.25), beside(0.0), beside(0.25)]), [128.0, 128.0, 192.0, 192.0].map(steps));
    // On −z, s = (1 + x/z)/2: 1/8 of 64 texels a pixel is level 3, whatever the face of pixel 3.
    let far = [[0.0, 0.0, -1.0], [0.25, 0.0, -1.0], [0.0, 0.25, -1.0], [4.0, 0.25, -1.0]];
    assert_eq!(reds(far)[..3], [96.0; 3].map(steps));
}

#[test]
fn quad_linear_values_of_volumes() {
    // Level 0: 2×2×2 bytes, slice z of 64·z + 16·y + 8·x; level 1: one byte, 200.
    let bytes: Vec<u8> = (0..8u8).map(|i| 64 * (i >> 2) + 16 * (i >> 1 & 1) + 8 * (i & 1)).chain([200]).collect();
    let plain = plain_texture(TextureFormat::B8, Dimensions::Three, [2, 2, 2]);
    let plain = with_filter(&plain, Filter::Linear);
    let state = TextureState {
        view: TextureView { levels: 2, ..plain.view },
        sampler: Sampler { mip_filter: MipFilter::Linear, ..plain.sampler },
    };
    let points = [([0.5, 0.5, 0.5, 1.0], 0.0), ([0.25, 0.25, 0.5, 1.0], 0.0), ([0.5, 0.5, 0.5, 1.0], 0.5)];
    let memory = memory_of(&bytes);
    assert_eq!(reds(&state, &memory, &points), [44.0, 32.0, 122.0].map(steps));
}

#[test]
fn comparison_is_filtered_after_it_is_made() {
    // 2×2 depths 0x2000, 0x4000, 0x6000, 0x8000.
    let bytes: Vec<u8> = [0x2000u16, 0x4000, 0x6000, 0x8000].iter().flat_map(|depth| depth.to_le_bytes()).collect();
    let memory = memory_of(&bytes);
    let plain = plain_texture(TextureFormat::Depth16, Dimensions::Two, [2, 2, 1]);
    let state = with_filter(&plain, Filter::Linear);
    let reference = 0x4000 as f32 / 65535.0;
    let middle = [0.5, 0.5, reference, 1.0];
    // Reference OP texel: passes of four, weighted by a quarter each.
    let compares = [
        (Compare::Never, 0),
        (Compare::Greater, 1),
        (Compare::Equal, 1),
        (Compare::GreaterEqual, 2),
        (Compare::Less, 2),
        (Compare::NotEqual, 3),
        (Compare::LessEqual, 3),
        (Compare::Always, 4),
    ];
    for (compare, passes) in compares {
        let state = TextureState { sampler: Sampler { shadow_compare: compare, ..state.sampler }, ..state.clone() };
        let value = reds(&state, &memory, &[(middle, 0.0)])[0];
        assert_eq!(value, steps(255.0 * f64::from(passes) / 4.0), "{compare:?}");
    }
    // Depths of luminance: alpha one by the remap, as the open driver writes it; references beyond 0..1 are clamped.
    let luminance = TextureState {
        view: TextureView { remap: with_alpha(RemappedChannel::One), ..state.view },
        sampler: Sampler { shadow_compare: Compare::LessEqual, ..state.sampler },
    };
    let fetch = |z: f32| Fetch { coordinate: [[0.5, 0.5, z, 1.0].map(f32::to_bits); 4], ..Fetch::default() };
    let results = sample(&luminance, &memory, Mode::Implicit, &[fetch(-3.0), fetch(7.0)]);
    let texels = texels_of(&results);
    assert_eq!([texels[0], texels[4]], [[1.0f32; 4], [0.0, 0.0, 0.0, 1.0]].map(|texel| texel.map(f32::to_bits)));
    // Expansion turns fail and pass into −1 and 1.
    let expanded = TextureState {
        view: TextureView { expand_normal: true, ..state.view },
        sampler: Sampler { shadow_compare: Compare::LessEqual, ..state.sampler },
    };
    assert_eq!(reds(&expanded, &memory, &[(middle, 0.0), ([0.0, 0.0, reference, 1.0], 0.0)]), [0.5, -1.0]);
    // The border's depth is its red byte: half of 0x8080 passes, half of texel 0x2000 fails.
    let border = TextureState {
        sampler: Sampler {
            shadow_compare: Compare::LessEqual,
            wrap: [Wrap::ClampToBorder; 3],
            border_color: BorderColor::Argb8(0x0080_0000),
            ..state.sampler
        },
        ..state
    };
    assert_eq!(reds(&border, &memory, &[([0.0, 0.25, reference, 1.0], 0.0)]), [steps(127.5)]);
}

#[test]
fn cubes_compare_their_fourth_component() {
    // Faces of one texel each at multiples of 128 bytes, with depth 0x1000 · (face + 1).
    let mut bytes = vec![0u8; 6 * 128];
    for face in 0..6u16 {
        let offset = usize::from(face) * 128;
        bytes[offset..offset + 2].copy_from_slice(&(0x1000 * (face + 1)).to_le_bytes());
    }
    let plain = plain_texture(TextureFormat::Depth16, Dimensions::Cube, [1, 1, 1]);
    let state = TextureState { sampler: Sampler { shadow_compare: Compare::LessEqual, ..plain.sampler }, ..plain };
    let w = 0x3000 as f32 / 65535.0;
    let directions = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
    let points = directions.map(|[x, y, z]| ([x, y, z, w], 0.0));
    assert_eq!(reds(&state, &memory_of(&bytes), &points), [0.0, 0.0, 1.0, 1.0, 1.0]);
}

/// Faces of one texel each, at multiples of 128 bytes.
fn faces<const N: usize>(texels: [[u8; N]; 6]) -> GuestMemory {
    let mut bytes = vec![0u8; 6 * 128];
    for (face, texel) in texels.iter().enumerate() {
        bytes[face * 128..][..N].copy_from_slice(texel);
    }
    memory_of(&bytes)
}

fn toward(x: f32, y: f32, z: f32, w: f32) -> ([f32; 4], f32) {
    ([x, y, z, w], 0.0)
}

/// `ARB_seamless_cube_map`: halfway between faces, two texels weigh the same. Beyond a corner is the mean of the three that meet
/// there, so that a corner has the mean of three.
#[test]
fn seamless_cubes_are_filtered_across_edges_and_corners() {
    let plain = plain_texture(TextureFormat::B8, Dimensions::Cube, [1, 1, 1]);
    let memory = faces([[0], [60], [96], [150], [192], [240]]);
    let points = [toward(1.0, 1.0, 0.0, 0.0), toward(-1.0, 0.0, 1.0, 0.0), toward(0.0, -1.0, -1.0, 0.0)];
    let corners = [toward(1.0, 1.0, 1.0, 0.0), toward(-1.0, -1.0, -1.0, 0.0), toward(-1.0, 1.0, -1.0, 0.0)];
    let values = |state: &TextureState| [reds(state, &memory, &points), reds(state, &memory, &corners)];
    let seamless = TextureState { sampler: Sampler { is_seamless: true, ..plain.sampler }, ..plain.clone() };
    assert_eq!(values(&with_filter(&seamless, Filter::Linear))[0], [48.0, 126.0, 195.0].map(steps));
    assert_eq!(values(&with_filter(&seamless, Filter::Linear))[1], [96.0, 150.0, 132.0].map(steps));
    // The face itself without the flag, and for the nearest texel.
    let own = [[0.0, 60.0, 150.0], [0.0, 60.0, 60.0]].map(|values| values.map(steps).to_vec());
    assert_eq!(values(&with_filter(&plain, Filter::Linear)), own);
    assert_eq!(values(&seamless), own);
}

/// The mean of bytes is a byte, that of comparisons a fraction, that of floats is not rounded to one.
#[test]
fn means_beyond_corners_are_rounded_to_nearest() {
    let seamless = |format| {
        let plain = plain_texture(format, Dimensions::Cube, [1, 1, 1]);
        let state = TextureState { sampler: Sampler { is_seamless: true, ..plain.sampler }, ..plain };
        with_filter(&state, Filter::Linear)
    };
    // The corner (1, 1, 1) of +x, +y and +z. Rows are rounded as bytes: (1/3 → 0, 1), (0, 0) and (2/3 → 1, 1), (0, 1).
    let corner = |w| toward(1.0, 1.0, 1.0, w);
    let byte = |texels| reds(&seamless(TextureFormat::B8), &faces(texels), &[corner(0.0)])[0];
    assert_eq!(byte([[0], [9], [3], [9], [6], [9]]), steps(3.0));
    assert_eq!(byte([[0], [9], [100], [9], [0], [9]]), steps(34.0));
    let halves = [0x3c00u16, 0, 0x4000, 0, 0x4600, 0].map(|half| {
        let mut texel = [0; 8];
        texel[..2].copy_from_slice(&half.to_le_bytes());
        texel
    });
    // 1, 2 and 6.
    let float = reds(&seamless(TextureFormat::W16Z16Y16X16F), &faces(halves), &[corner(0.0)])[0];
    assert_eq!(float, 3.0);
    // Two of three depths pass.
    let depths = [0x4000u16, 0, 0x1000, 0, 0x5000, 0].map(u16::to_le_bytes);
    let depth = seamless(TextureFormat::Depth16);
    let depth = TextureState { sampler: Sampler { shadow_compare: Compare::LessEqual, ..depth.sampler }, ..depth };
    let reference = 0x3000 as f32 / 65535.0;
    assert_eq!(reds(&depth, &faces(depths), &[corner(reference)])[0], f64_to_f32(2.0 / 3.0));
}

#[test]
fn anisotropic_faces_and_rectangles_average_along_the_footprint() {
    // Faces of 16×16 texels with alternating black and white columns.
    let rows: Vec<u8> = (0..6 * 16 * 16u32).map(|texel| if texel % 2 == 1 { 255 } else { 0 }).collect();
    let plain = plain_texture(TextureFormat::B8, Dimensions::Cube, [16, 16, 1]);
    let layout = TextureLayout::Linear { pitch_bytes: 16 };
    let linear = TextureState {
        view: TextureView { layout, ..plain.view },
        sampler: Sampler { max_anisotropy: 16, ..plain.sampler },
    };
    let cube = with_filter(&linear, Filter::Linear);
    let memory = memory_of(&rows);
    // Eight texels per pixel along s of face +z, one along t.
    let pixel = |x: f32, y: f32| [0.1 + x, 0.0 + y / 8.0, 1.0, 0.0].map(f32::to_bits);
    let coordinate = [pixel(0.0, 0.0), pixel(1.0, 0.0), pixel(0.0, 1.0), pixel(1.0, 1.0)];
    let fetch = Fetch { coordinate, ..Fetch::default() };
    let red = |state: &TextureState, fetch: Fetch| {
        f32::from_bits(texels_of(&sample(state, &memory, Mode::Implicit, &[fetch]))[0][0])
    };
    assert!((red(&cube, fetch) - 0.5).abs() < 0.05, "{}", red(&cube, fetch));
    // Without anisotropic filtering, a bilinear fetch favors the nearest column.
    assert!(
        (red(&TextureState { sampler: Sampler { max_anisotropy: 1, ..cube.sampler }, ..cube.clone() }, fetch) - 0.5)
            .abs()
            > 0.15
    );
    let pixel = |x: f32, y: f32| [8.3 + 8.0 * x, 4.5 + y, 0.0, 1.0].map(f32::to_bits);
    let coordinate = [pixel(0.0, 0.0), pixel(1.0, 0.0), pixel(0.0, 1.0), pixel(1.0, 1.0)];
    let rectangle =
        TextureState { view: TextureView { is_unnormalized: true, dimensions: Dimensions::Two, ..cube.view }, ..cube };
    assert!((red(&rectangle, Fetch { coordinate, ..fetch }) - 0.5).abs() < 0.05);
}

/// Which pixels of a quad are discarded, and their values.
fn discards(state: &TextureState, memory: &GuestMemory, points: [[f32; 2]; 4]) -> ([u32; 4], Vec<[u32; 4]>) {
    let coordinate = points.map(|[s, t]| [s, t, 0.0, 1.0].map(f32::to_bits));
    let results = sample(state, memory, Mode::Explicit, &[Fetch { coordinate, ..Fetch::default() }]);
    assert_eq!(results.len(), RESULT_WORDS);
    (*results[16..].first_chunk().unwrap(), texels_of(&results))
}

#[test]
fn keys_and_kills() {
    // 2×2 texels: clear red, half-transparent green, opaque blue, clear black.
    let words = [0x00ff_0000u32, 0x8000_ff00, 0xff00_00ff, 0];
    let memory = memory_of(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
    let plain = plain_texture(TextureFormat::A8R8G8B8, Dimensions::Two, [2, 2, 1]);
    let centers = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]];
    let kill = TextureState { sampler: Sampler { alpha_kill: true, ..plain.sampler }, ..plain.clone() };
    assert_eq!(discards(&kill, &memory, centers).0, [1, 0, 0, 1]);
    // Filtered alpha decides: half of 0x80 is not 0.
    let filtered = with_filter(&kill, Filter::Linear);
    assert_eq!(discards(&filtered, &memory, [[0.5, 0.25], [0.0, 0.0], [0.75, 0.25], [0.25, 0.5]]).0, [0, 1, 0, 0]);
    // So does the remap: alpha one never kills, alpha zero always does.
    assert_eq!(
        discards(
            &TextureState {
                view: TextureView { remap: with_alpha(RemappedChannel::One), ..kill.view },
                ..kill.clone()
            },
            &memory,
            centers
        )
        .0,
        [0; 4]
    );
    assert_eq!(
        discards(
            &TextureState { view: TextureView { remap: with_alpha(RemappedChannel::Zero), ..kill.view }, ..kill },
            &memory,
            centers
        )
        .0,
        [1; 4]
    );

    let keyed = |color_key_mode, color_key| TextureState {
        sampler: Sampler { color_key_mode, color_key, ..plain.sampler },
        ..plain.clone()
    };
    let (discarded, texels) = discards(&keyed(ColorKeyMode::Discard, 0xff00_00ff), &memory, centers);
    assert_eq!((discarded, texels[2][2]), ([0, 0, 1, 0], 1.0f32.to_bits()));
    let (discarded, texels) = discards(&keyed(ColorKeyMode::ClearAlpha, 0xff00_00ff), &memory, centers);
    assert_eq!((discarded, texels[2]), ([0; 4], [0, 0, 1.0f32.to_bits(), 0]));
    let (_, texels) = discards(&keyed(ColorKeyMode::ClearColor, 0x8000_ff00), &memory, centers);
    assert_eq!((texels[1], texels[2][3]), ([0; 4], 1.0f32.to_bits()));
    // Formats without alpha compare only colors.
    let plain = keyed(ColorKeyMode::Discard, 0x0000_00ff);
    let no_alpha = TextureState { view: TextureView { format: TextureFormat::D8R8G8B8, ..plain.view }, ..plain };
    assert_eq!(discards(&no_alpha, &memory, centers).0, [0, 0, 1, 0]);
}

/// Red, green and blue in place, and this alpha.
const fn with_alpha(alpha: RemappedChannel) -> [RemappedChannel; 4] {
    let [red, green, blue, _] = RemappedChannel::IDENTITY;
    [red, green, blue, alpha]
}
