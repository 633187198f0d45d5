//! Textures that SIMT programs of draws read: texels by calculation, on both engines.

use super::geometry_programs::{copy, with_program};
use super::simt::{
    COLOR, COPY, PATHS, SIDE, TARGET, TEXELS, corner_triangle, draw, linear, memory_over, stage, wide, window, word,
};
use curie::format::{ColorFormat, TextureFormat};
use curie::kernels::KernelPath;
use curie::memory::MemoryWindow;
use curie::pipeline::{
    BorderColor, ColorTarget, Compare, Dimensions, Draw, EmittedPrimitive, Filter, FragmentStage, MipFilter,
    RemappedChannel, Sampler, TextureLayout, TextureState, TextureView, VertexStage, Wrap,
};

/// The bytes that texels may take.
const TEXEL_BYTES: u32 = 4 * TARGET;

/// The color of the vertices at the pixel in `$r0` and `$r1`: (column + 1/2) / 64, (row + 1/2) / 64.
const PLACE: &str =
    "    interp $r4 v[0x0]\n    rcp f32 $r4 $r4\n    interp $r0 v[0x4] $r4\n    interp $r1 v[0x8] $r4\n";

/// Texture 3 with sampler 2 in blocks of two gobs.
fn state(format: TextureFormat, dimensions: Dimensions, size: [u32; 3]) -> TextureState {
    let view = TextureView {
        window: MemoryWindow { bytes: TEXEL_BYTES, ..window(TEXELS) },
        layout: TextureLayout::BlockLinear { log2_block: [1, 0] },
        ..TextureView::plain(format, dimensions, size)
    };
    TextureState { view, sampler: Sampler { max_lod: 0xfff, ..Sampler::CLAMPED } }
}

/// The bytes of a texture whose texel (or block) at x, y, z of a level of a layer or face is `texel(layer, level, [x, y, z])`.
fn texels(view: &TextureView, texel: impl Fn(u32, u32, [u32; 3]) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = vec![0; TEXEL_BYTES as usize];
    let (levels, layer_bytes) = view.level_layout();
    for (layer, (number, level)) in
        (0..view.faces()).flat_map(|layer| (0..).zip(&levels).map(move |level| (layer, level)))
    {
        let [width, height, depth] = level.size;
        for place in (0..width * height * depth).map(|n| [n % width, n / width % height, n / width / height]) {
            let offset = (layer * layer_bytes + level.offset + view.element_offset(level, place)) as usize;
            let texel = texel(layer, number, place);
            bytes[offset..offset + texel.len()].copy_from_slice(&texel);
        }
    }
    bytes
}

/// A draw of a fragment program that begins with the place in `$r0` and `$r1` and ends with a color in `$r0` to `$r3`.
fn drawing(state: &TextureState, text: &str) -> Draw {
    let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), &format!(".kind fragment\n{PLACE}{text}    exit nop\n"));
    draw.textures[0] = Some(state.clone());
    let FragmentStage::Simt(fragment) = &mut draw.fragment else { unreachable!() };
    fragment.units = vec![[3, 2]];
    draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
    draw
}

/// The words of a pixel.
fn pixel(memory: &[u8], x: u32, y: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|channel| word(memory, (y * SIDE + x) * 16 + 4 * channel))
}

/// The words of all pixels that a draw leaves in memory, by their places.
fn pixels(memory: Vec<u8>) -> impl Iterator<Item = ([u32; 2], [u32; 4])> {
    (0..SIDE).flat_map(|y| (0..SIDE - 1 - y).map(move |x| [x, y])).map(move |[x, y]| ([x, y], pixel(&memory, x, y)))
}

/// The same on both engines.
fn drawn(state: &TextureState, texels: &[u8], text: &str) -> impl Iterator<Item = ([u32; 2], [u32; 4])> + use<> {
    pixels(memory_over(&[drawing(state, text)], texels, &[KernelPath::Stages]))
}

/// The same on the reference engine; `texture/units.rs` compares all formats.
fn drawn_by_reference(
    state: &TextureState,
    texels: &[u8],
    text: &str,
) -> impl Iterator<Item = ([u32; 2], [u32; 4])> + use<> {
    pixels(memory_over(&[drawing(state, text)], texels, &[]))
}

/// Registers from `$r0` on with the bits of numbers.
fn set(words: &[u32]) -> String {
    words.iter().enumerate().map(|(number, word)| format!("    mov b32 $r{number} {word:#x}\n")).collect()
}

fn floats(values: &[f32]) -> String {
    set(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
}

const TWO: &str = "    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n";
const THREE: &str = "    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2 0x0 0x0 0x0\n";

/// The same texel everywhere, as programs read it.
#[test]
fn formats_that_the_driver_uses() {
    use TextureFormat as Format;
    let srgb = [true, true, true, false];
    let curve = |byte: f64| (((byte / 255.0 + 0.055) / 1.055).powf(2.4)) as f32;
    let plain = [false; 4];
    let word = |word: u32| word.to_le_bytes().to_vec();
    let half = |half: u16| half.to_le_bytes().to_vec();
    // A block of one color: both ends are 0xf800, red.
    let red = [0, 0xf8, 0, 0xf8, 0, 0, 0, 0];
    let block = |alpha: [u8; 8]| [alpha, red].concat();
    let cases = [
        (Format::Unorm8x4, srgb, vec![255, 128, 0, 128], [1.0, curve(128.0), 0.0, 128.0 / 255.0]),
        (Format::Unorm8x2, [true, false, false, false], vec![128, 51], [curve(128.0), 0.2, 0.0, 0.0]),
        (Format::Unorm10x3Unorm2, plain, word(2 << 30 | 341 << 10 | 1023), [1.0, 1.0 / 3.0, 0.0, 2.0 / 3.0]),
        (Format::Snorm10x3Snorm2, plain, word(0x201 << 10 | 0x1ff), [1.0, -1.0, 0.0, 0.0]),
        (Format::Unorm5Unorm6Unorm5, plain, half(31 << 11 | 21 << 5), [0.0, 1.0 / 3.0, 1.0, 0.0]),
        (Format::Unorm5x3Unorm1, plain, half(1 << 15 | 31), [1.0, 0.0, 0.0, 1.0]),
        (Format::Unorm1Unorm5x3, plain, half(1 | 31 << 11), [1.0, 0.0, 0.0, 1.0]),
        (Format::Unorm4x4, plain, half(0xf065), [1.0 / 3.0, 0.4, 0.0, 1.0]),
        (Format::Unorm8Unorm24, plain, word(0x8000_0033), [0.2, 8_388_608.0 / 16_777_215.0, 0.0, 0.0]),
        (Format::SharedExponent, plain, word(16 << 27 | 256 << 18 | 128), [0.5, 0.0, 1.0, 0.0]),
        (Format::Float11x2Float10, plain, word(15 << 27 | 16 << 17 | 14 << 6), [0.5, 2.0, 1.0, 0.0]),
        (Format::Bc1, plain, red.to_vec(), [1.0, 0.0, 0.0, 1.0]),
        (Format::Bc2, plain, block([0x33; 8]), [1.0, 0.0, 0.0, 0.2]),
        (Format::Bc3, srgb, block([51, 0, 0, 0, 0, 0, 0, 0]), [1.0, 0.0, 0.0, 0.2]),
        (Format::Bc4Snorm, plain, vec![0x81, 0, 0, 0, 0, 0, 0, 0], [-1.0, 0.0, 0.0, 0.0]),
        (Format::Bc5, plain, vec![255, 0, 0, 0, 0, 0, 0, 0, 51, 0, 0, 0, 0, 0, 0, 0], [1.0, 0.2, 0.0, 0.0]),
    ];
    for (format, gamma, texel, expected) in cases {
        let mut state = state(format, Dimensions::Two, [16, 16, 1]);
        state.view.gamma = gamma;
        (state.sampler.min_filter, state.sampler.mag_filter) = (Filter::Linear, Filter::Linear);
        let texels = texels(&state.view, |_, _, _| texel.clone());
        for ([x, y], found) in drawn_by_reference(&state, &texels, TWO) {
            let found = found.map(f32::from_bits);
            let is_near = found.iter().zip(expected).all(|(found, value)| (found - value).abs() < 1e-4);
            assert!(is_near, "{} {x}, {y}: {found:?} {expected:?}", format.name());
        }
    }
    for (format, texel, expected) in [
        (Format::Uint8Uint24, word(0x1234_5678), [0x78, 0x12_3456, 0, 0]),
        (Format::Uint10x3Uint2, word(3 << 30 | 7 << 20 | 5 << 10 | 9), [9, 5, 7, 3]),
        (Format::Uint32Uint8Uint24, [word(1), word(0xff)].concat(), [1, 0xff, 0, 0]),
    ] {
        let state = state(format, Dimensions::Two, [16, 16, 1]);
        let texels = texels(&state.view, |_, _, _| texel.clone());
        assert!(drawn_by_reference(&state, &texels, TWO).all(|(_, found)| found == expected), "{}", format.name());
    }
}

/// Texels (face, x, y) of 4×4 faces, by the table of OpenGL 3.3, section 3.8.10: the major axis, and the coordinates that run
/// along s and t.
#[test]
fn faces_of_a_cube_map() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Cube, [4, 4, 1]);
    state.view.levels = 3;
    let texels = texels(&state.view, |face, level, [x, y, _]| vec![face as u8, x as u8, y as u8, level as u8]);
    let cube = "    texauto cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2\n";
    let (s, t) = (-0.25f32, 0.6f32);
    let directions = [[1.0, -t, -s], [-1.0, -t, s], [s, 1.0, t], [s, -1.0, -t], [s, -t, 1.0], [-s, -t, -1.0]];
    for (face, direction) in (0..).zip(directions) {
        let mut found = drawn(&state, &texels, &format!("{}{cube}", floats(&direction)));
        assert!(found.all(|(_, texel)| texel == [face, 1, 3, 0]), "face {face}");
    }
}

/// Layers of 8×8 texels (layer, x, y), each with levels: the number of the layer is an integer, and ends at the last one.
#[test]
fn layers_of_an_array() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Two, [8, 8, 1]);
    (state.view.levels, state.view.layers) = (4, Some(5));
    let bytes = texels(&state.view, |layer, level, [x, y, _]| vec![layer as u8, x as u8, y as u8, level as u8]);
    for (layer, expected) in [(0, 0), (1, 1), (4, 4), (9, 4), (u32::MAX, 4)] {
        let text = format!("    mov b32 $r2 {layer:#x}\n{THREE}");
        for ([x, y], texel) in drawn(&state, &bytes, &text) {
            assert_eq!(texel, [expected, x / 8, y / 8, 0], "{x}, {y}");
        }
    }
    let fetch = "    texfetch all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n";
    for (place, expected) in [([3, 1, 2, 1], [2, 3, 1, 1]), ([0, 0, 5, 0], [0; 4]), ([4, 0, 1, 1], [0; 4])] {
        let mut found = drawn(&state, &bytes, &format!("{}{fetch}", set(&place)));
        assert!(found.all(|(_, texel)| texel == expected), "{place:?}");
    }
    let size = "    mov b32 $r0 0x1\n    texsize all $r0:$r1:$r2:$r3 $t3 $s2 $r0\n";
    assert!(drawn(&state, &bytes, size).all(|(_, size)| size == [4, 4, 5, 4]));
    // Of one dimension.
    (state.view.dimensions, state.view.size) = (Dimensions::One, [8, 1, 1]);
    let bytes = texels(&state.view, |layer, level, [x, ..]| vec![layer as u8, x as u8, 0, level as u8]);
    let text = format!("    mov b32 $r1 0x3\n{TWO}");
    assert!(drawn(&state, &bytes, &text).all(|([x, _], texel)| texel == [3, x / 8, 0, 0]));
    assert!(drawn(&state, &bytes, size).all(|(_, size)| size == [4, 5, 1, 4]));
}

/// Texels that are read by their numbers lie in any level, also of a texture of many pages whose sampler reaches level 0 alone.
#[test]
fn texels_of_levels_that_the_sampler_does_not_reach() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Two, [128, 128, 1]);
    (state.view.levels, state.sampler.mip_filter) = (8, MipFilter::None);
    let bytes = texels(&state.view, |_, level, [x, y, _]| vec![x as u8, y as u8, 7, level as u8]);
    let fetch = "    texfetch all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2 0x0 0x0 0x0\n";
    for (x, y, level) in [(127, 127, 0), (63, 63, 1), (0, 31, 2), (3, 1, 5), (0, 0, 7)] {
        let mut found = drawn(&state, &bytes, &format!("{}{fetch}", set(&[x, y, level])));
        assert!(found.all(|(_, texel)| texel == [x, y, 7, level]), "{x} {y} {level}");
    }
}

/// The address of a texture may be in no buffer. Its texels are zero, also where it is the first one that a device samples.
#[test]
fn a_texture_may_lie_in_no_memory() {
    let mut state = state(TextureFormat::A8R8G8B8, Dimensions::Two, [16, 16, 1]);
    state.view.window = MemoryWindow::EMPTY;
    let text = "    texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n";
    let memory = memory_over(&[drawing(&state, text)], &[], &PATHS);
    assert!(pixels(memory).all(|(_, color)| color == [0; 4]));
}

/// Depths of 1/2 and 1/4 in the two layers of an array; the depth that is compared is the column, after the layer.
#[test]
fn depths_are_compared() {
    for (format, depths) in [
        (TextureFormat::Z24S8, [0x8000_00ff, 0x4000_00ff]),
        (TextureFormat::S8Z24, [0xff80_0000, 0xff40_0000]),
        (TextureFormat::Z32F, [0.5f32.to_bits(), 0.25f32.to_bits()]),
    ] {
        let mut state = state(format, Dimensions::Two, [4, 4, 1]);
        state.view.layers = Some(2);
        state.sampler.shadow_compare = Compare::LessEqual;
        let bytes = texels(&state.view, |layer, _, _| depths[layer as usize].to_le_bytes().to_vec());
        for (layer, limit) in [(0, 32), (1, 16)] {
            let text = format!(
                "    mov b32 $r3 $r0\n    mov b32 $r2 {layer:#x}\n    texauto all $r0:$r1:$r2:$r3 $t3 $s2 \
                 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n"
            );
            for ([x, y], found) in drawn(&state, &bytes, &text) {
                let passes = if x < limit { 1.0f32.to_bits() } else { 0 };
                assert_eq!(found, [passes; 4], "{} {x}, {y}", format.name());
            }
        }
    }
}

/// The border has no sources: it is read as it is, and mixed with texels whose red and blue are swapped.
#[test]
fn a_border_is_not_remapped() {
    let mut state = state(TextureFormat::Unorm8x4, Dimensions::Two, [4, 4, 1]);
    state.view.remap.swap(0, 2);
    state.view.remap[3] = RemappedChannel::One;
    state.sampler.wrap = [Wrap::ClampToBorder; 3];
    let border = [0.25, 0.5, 2.0, 0.0f32];
    state.sampler.border_color = BorderColor::Words(border.map(f32::to_bits));
    let bytes = texels(&state.view, |_, _, _| vec![255, 51, 0, 7]);
    // Columns from 0 to 2 of the texture's width, half of them in the border.
    let text = format!("    add rn f32 $r0 $r0 $r0\n{TWO}");
    for ([x, y], found) in drawn(&state, &bytes, &text) {
        let [red, green, blue, alpha] = found.map(f32::from_bits);
        let expected = if x < 32 { [0.0, 0.2, 1.0, 1.0] } else { [0.25, 0.5, 1.0, 0.0] };
        let is_near = [red, green, blue, alpha].iter().zip(expected).all(|(found, value)| (found - value).abs() < 1e-4);
        assert!(is_near, "{x}, {y}: {found:x?}");
    }
    // Between the last texel and the border, at column 4 of 4.
    (state.sampler.min_filter, state.sampler.mag_filter) = (Filter::Linear, Filter::Linear);
    let text = format!("{}{TWO}", floats(&[1.0, 0.5]));
    for (_, found) in drawn(&state, &bytes, &text) {
        let near = |channel: usize, value: f32| (f32::from_bits(found[channel]) - value).abs() < 1e-4;
        assert!(near(0, 0.125) && near(1, 0.35) && near(2, 1.0) && near(3, 0.5), "{found:x?}");
    }
    // Integers are read as they are, too.
    state.view.format = TextureFormat::Uint8x4;
    state.sampler.border_color = BorderColor::Words([7, 8, 0xffff_ffff, 9]);
    let text = format!("{}{TWO}", floats(&[1.5, 0.5]));
    assert!(drawn(&state, &bytes, &text).all(|(_, found)| found == [7, 8, 0xffff_ffff, 9]));
}

/// Each level has its own number; the texture has a texel for each pixel, so that the level of detail is 0 and the bias.
#[test]
fn levels_of_detail_have_a_bias_and_limits() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Two, [64, 64, 1]);
    (state.view.levels, state.sampler.mip_filter) = (7, MipFilter::Nearest);
    let bytes = texels(&state.view, |_, level, _| vec![level as u8, 0, 0, 0]);
    for (lod_bias, min_lod, max_lod, level) in
        [(0, 0, 0xfff, 0), (0x200, 0, 0xfff, 2), (0, 0x300, 0xfff, 3), (0x500, 0, 0x180, 1), (0x17f, 0, 0xfff, 1)]
    {
        (state.sampler.lod_bias, state.sampler.min_lod, state.sampler.max_lod) = (lod_bias, min_lod, max_lod);
        assert!(drawn(&state, &bytes, TWO).all(|(_, found)| found[0] == level), "{lod_bias} {min_lod} {max_lod}");
    }
}

/// A buffer of integers: more texels than a side may have, read without a level.
#[test]
fn a_buffer_is_a_row() {
    let mut state = state(TextureFormat::Uint16, Dimensions::One, [100_000, 1, 1]);
    state.view.layout = TextureLayout::Linear { pitch_bytes: 200_000 };
    state.view.is_unnormalized = true;
    let bytes: Vec<u8> = (0..TEXEL_BYTES / 2).flat_map(|n| (n as u16).to_le_bytes()).collect();
    for (place, expected) in [(70_000u32, 70_000 & 0xffff), (99_999, 99_999 & 0xffff), (100_000, 0)] {
        let text = format!(
            "    mov b32 $r0 {place:#x}\n    mov b32 $r1 0x0\n    texfetch all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n"
        );
        assert!(drawn(&state, &bytes, &text).all(|(_, found)| found[0] == expected), "{place}");
    }
}

/// A texel is read by a sampler that other instructions sample a texture in another state with.
#[test]
fn a_texture_has_two_samplers() {
    let first = state(TextureFormat::Uint8x4, Dimensions::Two, [64, 64, 1]);
    let second = TextureState { view: TextureView { format: TextureFormat::Unorm8x4, ..first.view }, ..first.clone() };
    let bytes = texels(&first.view, |_, _, [x, y, _]| vec![x as u8, y as u8, 255, 1]);
    let text = "    mov b32 $r4 0x5\n    mov b32 $r5 0x6\n    mov b32 $r6 0x0\n\
                \x20   texfetch all $r4:$r5:$r6:$r7 $t3 $s0 $r4:$r5:$r6 0x0 0x0 0x0\n\
                \x20   texauto all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n    mov b32 $r0 $r4\n";
    let mut draw = drawing(&second, text);
    let FragmentStage::Simt(fragment) = &mut draw.fragment else { unreachable!() };
    fragment.units = vec![[3, 2], [3, 0]];
    draw.textures[1] = Some(first);
    let memory = memory_over(&[draw], &bytes, &PATHS);
    // The red of texel (5, 6), an integer, and the blue of all, a fraction.
    assert_eq!([pixel(&memory, 3, 4)[0], pixel(&memory, 3, 4)[2]], [5, 1.0f32.to_bits()]);
}

/// A place moves by texels of the level that is sampled, before it is wrapped.
#[test]
fn offsets_move_the_place() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Two, [8, 8, 1]);
    (state.view.levels, state.sampler.mip_filter) = (2, MipFilter::Nearest);
    state.sampler.wrap = [Wrap::Repeat, Wrap::ClampToEdge, Wrap::Repeat];
    let bytes = texels(&state.view, |_, level, [x, y, _]| vec![x as u8, y as u8, level as u8, 0]);
    for (level, side) in [(0, 8), (1, 4)] {
        let text = format!(
            "    mov b32 $r2 {:#x}\n    texlod all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2 3 -2 0\n",
            (level as f32).to_bits()
        );
        for ([x, y], found) in drawn(&state, &bytes, &text) {
            let [column, row] = [x, y].map(|place| place * side / SIDE);
            assert_eq!(found[..3], [(column + 3) % side, row.saturating_sub(2), level], "{x}, {y}");
        }
    }
}

/// Floats of 8×8 texels whose components are row, column, layer and 7.
fn numbered(layers: Option<u32>) -> (TextureState, Vec<u8>) {
    let mut state = state(TextureFormat::Float32x4, Dimensions::Two, [8, 8, 1]);
    state.view.layers = layers;
    let bytes = texels(&state.view, |layer, _, [x, y, _]| {
        [y, x, layer, 7].iter().flat_map(|value| (*value as f32).to_le_bytes()).collect()
    });
    (state, bytes)
}

/// The texels around a place, which filters and levels of detail do not change: (left, below), (right, below), (right, above),
/// (left, above), where rows below have larger numbers, by OpenGL 4.0, section 3.8.8. The first component is the one that programs
/// read as red.
#[test]
fn gathers_read_four_texels() {
    let gather = "    texgather all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n";
    let (mut state, bytes) = numbered(None);
    state.view.remap.swap(0, 1);
    state.sampler.wrap = [Wrap::ClampToBorder, Wrap::Repeat, Wrap::Repeat];
    state.sampler.border_color = BorderColor::Words([-1.0f32, 0.0, 0.0, 0.0].map(f32::to_bits));
    state.sampler.min_lod = 0x300;
    // Pixel x is at 8 · (x + 1/2) / 64 texels; half a texel before that is between two centers.
    let corner = |pixel: u32| (pixel.cast_signed() - 4).div_euclid(8);
    let column = |x: i32| if (0..8).contains(&x) { x as f32 } else { -1.0 };
    let texels_at = |x: i32, y: i32| {
        [[0, 1], [1, 1], [1, 0], [0, 0]].map(|[right, below]| {
            assert!((-2..10).contains(&(y + below)));
            column(x + right)
        })
    };
    for ([x, y], found) in drawn(&state, &bytes, gather) {
        assert_eq!(found.map(f32::from_bits), texels_at(corner(x), corner(y)), "{x}, {y}");
    }
    // Rows repeat; the place moves by texels.
    state.view.remap.swap(0, 1);
    let moved = gather.replace("0x0 0x0 0x0", "3 -1 0");
    for ([x, y], found) in drawn(&state, &bytes, &moved) {
        let (left, above) = (corner(x) + 3, corner(y) - 1);
        let expected = [[0, 1], [1, 1], [1, 0], [0, 0]].map(|[right, below]| match left + right {
            0..8 => (above + below).rem_euclid(8) as f32,
            _ => -1.0,
        });
        assert_eq!(found.map(f32::from_bits), expected, "{x}, {y}");
    }
}

/// Depths that are gathered are compared one by one, in layers too; integers and fractions are read as they are.
#[test]
fn gathers_compare_and_decode() {
    let mut state = state(TextureFormat::Z32F, Dimensions::Two, [8, 8, 1]);
    (state.view.layers, state.sampler.shadow_compare) = (Some(3), Compare::LessEqual);
    let bytes = texels(&state.view, |layer, _, [x, ..]| ((x + layer) as f32 / 8.0).to_le_bytes().to_vec());
    let text = format!(
        "{}    texgather all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n",
        "    mov b32 $r2 0x1\n    mov b32 $r3 0x3f000000\n"
    );
    for ([x, _], found) in drawn(&state, &bytes, &text) {
        let left = (x.cast_signed() - 4).div_euclid(8);
        let expected = [0, 1, 1, 0].map(|right| if (left + right).clamp(0, 7) >= 3 { 1.0f32 } else { 0.0 });
        assert_eq!(found.map(f32::from_bits), expected, "{x}");
    }
    let gather = "    texgather all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1 0x0 0x0 0x0\n";
    for (format, one) in [(TextureFormat::Uint8x4, 1), (TextureFormat::Unorm8x4, (1.0f32 / 255.0).to_bits())] {
        let state = self::state(format, Dimensions::Two, [4, 4, 1]);
        let bytes = texels(&state.view, |_, _, [x, y, _]| vec![u8::from(x == 1 && y == 2), 9, 9, 9]);
        let found: Vec<_> = drawn(&state, &bytes, gather).filter(|([x, y], _)| [*x, *y] == [16, 40]).collect();
        // Between columns 0 and 1, and between rows 2 and 3.
        assert_eq!(found, [([16, 40], [0, 0, one, 0])], "{}", format.name());
    }
}

/// Faces of four cube maps of 4×4 texels: by a direction and the number of the cube map, which ends at the last one, or by prepared
/// coordinates in an array of all faces.
#[test]
fn faces_of_an_array_of_cube_maps() {
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Cube, [4, 4, 1]);
    (state.view.levels, state.view.layers) = (3, Some(4));
    let bytes = texels(&state.view, |face, level, [x, y, _]| vec![face as u8, x as u8, y as u8, level as u8]);
    let cube = "    texauto cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3\n";
    let prepared = "    texprep cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3\n";
    let lod = "    mov b32 $r3 0x3f800000\n    texlod all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3 0x0 0x0 0x0\n";
    state.sampler.mip_filter = MipFilter::Nearest;
    let (s, t) = (-0.25f32, 0.6f32);
    let directions = [[1.0, -t, -s], [-1.0, -t, s], [s, 1.0, t], [s, -1.0, -t], [s, -t, 1.0], [-s, -t, -1.0]];
    for (face, [x, y, z]) in (0..).zip(directions) {
        for (layer, whole) in [(0, 0), (2, 2), (9, 3)] {
            let place = format!("{}    mov b32 $r3 {layer:#x}\n", floats(&[x, y, z]));
            let expected = whole * 6 + face;
            let mut found = drawn(&state, &bytes, &format!("{place}{cube}"));
            assert!(found.all(|(_, texel)| texel == [expected, 1, 3, 0]), "{face} {layer}");
            let mut found = drawn(&state, &bytes, &format!("{place}{prepared}"));
            let near = |found: u32, value: f32| (f32::from_bits(found) - value).abs() < 1e-6;
            let is_prepared = |[u, v, face, _]: [u32; 4]| near(u, 0.375) && near(v, 0.8) && face == expected;
            assert!(found.all(|(_, words)| is_prepared(words)), "{face} {layer}");
            let mut found = drawn(&state, &bytes, &format!("{place}{prepared}{lod}"));
            assert!(found.all(|(_, texel)| texel == [expected, 0, 1, 1]), "{face} {layer}");
        }
    }
    let gather = "    texgather cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3\n";
    let text = format!("{}    mov b32 $r3 0x1\n{gather}", floats(&directions[4]));
    assert!(drawn(&state, &bytes, &text).all(|(_, texel)| texel == [10; 4]));
    let size = "    mov b32 $r0 0x1\n    texsize all $r0:$r1:$r2:$r3 $t3 $s2 $r0\n";
    assert!(drawn(&state, &bytes, size).all(|(_, size)| size == [2, 2, 4, 3]));
}

/// A gather at the corner (1, 1, 1) of face +x of each cube map: the texels of +z, +x and +y that meet there, and beyond the corner
/// their mean. Of integers, that is the face's own texel. Prepared coordinates of an array have the same neighbors.
#[test]
fn gathers_reach_adjacent_faces() {
    let texel = |face: u32, x: u32, y: u32| 16 * face + 4 * x + 3 * y;
    let (own, beside, above) = (texel(0, 0, 0), texel(4, 1, 0), texel(2, 1, 1));
    let cube = "    texgather cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3\n";
    let prepared = "    texprep cube all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2:$r3\n\
                    \x20   texgather all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1:$r2 0x0 0x0 0x0\n";
    // A third of 107, rounded to nearest.
    for (format, corner) in [(TextureFormat::Uint8x4, own), (TextureFormat::Unorm8x4, 36)] {
        let mut state = state(format, Dimensions::Cube, [2, 2, 1]);
        state.view.layers = Some(2);
        state.sampler.is_seamless = true;
        let bytes = texels(&state.view, |face, _, [x, y, _]| {
            vec![texel(face % 6, x, y) as u8 + (face / 6 * 100) as u8, 9, 9, 9]
        });
        for (text, layer) in [(cube, 0), (cube, 1), (prepared, 1)] {
            let place = format!("{}    mov b32 $r3 {layer:#x}\n", floats(&[1.0; 3]));
            let expected = [beside, own, above, corner].map(|texel| texel + 100 * layer);
            for (_, found) in drawn(&state, &bytes, &format!("{place}{text}")) {
                let found = match format {
                    TextureFormat::Uint8x4 => found,
                    _ => found.map(|word| (f32::from_bits(word) * 255.0).round() as u32),
                };
                assert_eq!(found, expected, "{} {layer}", format.name());
            }
        }
    }
}

/// The level that is read, and the level of detail with its biases, both in 1/256. The texture has 128 texels for 64 pixels.
#[test]
fn levels_of_detail_are_asked_for() {
    let query = "    texquerylod all $r0:$r1:$r2:$r3 $t3 $s2 $r0:$r1\n";
    let mut state = state(TextureFormat::Uint8x4, Dimensions::Two, [128, 128, 1]);
    state.view.levels = 4;
    let bytes = texels(&state.view, |_, _, _| vec![0; 4]);
    let cases = [
        (MipFilter::Linear, 0x80, 0xfff, 0x180, 0x180),
        (MipFilter::Nearest, 0x81, 0xfff, 0x200, 0x181),
        (MipFilter::None, 0x80, 0xfff, 0, 0x180),
        (MipFilter::Linear, -0x300, 0xfff, 0x40, 0xffff_fe00),
        (MipFilter::Linear, 0x700, 0xfff, 0x300, 0x800),
        (MipFilter::Linear, 0x180, 0x1c0, 0x1c0, 0x280),
    ];
    for (mip_filter, lod_bias, max_lod, level, lod) in cases {
        (state.sampler.mip_filter, state.sampler.lod_bias) = (mip_filter, lod_bias);
        (state.sampler.min_lod, state.sampler.max_lod) = (0x40, max_lod);
        for (_, found) in drawn(&state, &bytes, query) {
            assert_eq!(found, [level, lod, 0, 0], "{mip_filter:?} {lod_bias}");
        }
    }
}

/// Vertex and geometry programs have textures of their own: texel (5, 6), by level 0 and by number.
#[test]
fn vertices_and_primitives_read_textures() {
    let state = state(TextureFormat::Float32x4, Dimensions::Two, [8, 8, 1]);
    let texel = |x: u32, y: u32| [x as f32 / 8.0, y as f32 / 8.0, 1.0, 1.0];
    let bytes =
        texels(&state.view, |_, _, [x, y, _]| texel(x, y).iter().flat_map(|value| value.to_le_bytes()).collect());
    let sampled = "texauto all $r0:$r1:$r2:$r3 $t1 $s4 $r0:$r1 0x0 0x0 0x0\n";
    let fetched = "texfetch all $r0:$r1:$r2:$r3 $t1 $s4 $r0:$r1:$r2 0x0 0x0 0x0\n";
    let colors: String =
        (0..4).map(|channel| format!("    mov b32 o[{:#x}] $r{channel}\n", 16 + 4 * channel)).collect();
    let color = |memory: &[u8]| [(0, 0), (30, 20)].map(|(x, y)| super::simt::pixel(memory, 0, x, y));
    let expected = [[255, 191, 159, 255]; 2];
    for (place, fetch) in [(floats(&[5.5 / 8.0, 6.5 / 8.0]), sampled), (set(&[5, 6, 0]), fetched)] {
        let read = format!("{place}    {fetch}{colors}");
        let mut draw = draw(&corner_triangle(0.5, [1.0; 3]), COLOR);
        let VertexStage::Simt(vertex) = &mut draw.vertex else { unreachable!() };
        let position: Vec<_> = COPY.lines().take(5).collect();
        vertex.stage = stage(&format!("{}\n{read}    exit nop\n", position.join("\n")), &[]);
        vertex.textures = vec![([1, 4], state.clone())];
        assert_eq!(color(&memory_over(&[draw], &bytes, &[KernelPath::Stages])), expected);
        let emit = |vertex: u32| copy(vertex).replace("    emit\n", &format!("{read}    emit\n"));
        let text: String = (0..3).map(emit).collect();
        let plain = super::simt::draw(&corner_triangle(0.5, [1.0; 3]), COLOR);
        let mut draw = with_program(plain, &text, EmittedPrimitive::TriangleStrip, 3);
        draw.geometry.as_mut().unwrap().textures = vec![([1, 4], state.clone())];
        assert_eq!(color(&memory_over(&[draw], &bytes, &[KernelPath::Stages])), expected);
    }
}
