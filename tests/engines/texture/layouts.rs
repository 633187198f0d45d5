//! Texel addresses: reads every layout texel by texel, against addresses computed here.
//!
//! Each element of memory holds its own number, so a fetch shows which element it read.
#![expect(clippy::cast_possible_truncation, reason = "textures are small")]

use crate::common;
use crate::common::memory::{difference, memory_of};
use crate::common::texture_sampler::{Fetch, Mode, on_device, on_reference, plain_texture, texels_of};
use curie::format::TextureFormat;
use curie::pipeline::{Dimensions, MipFilter, Sampler, TextureLayout, TextureState, TextureView, Wrap};

/// One texel to read: face, level, position in texels of the level (borders at −1 and the size), and the number of its
/// element.
#[derive(Debug, Clone, Copy)]
struct Expected {
    face: u32,
    level: u32,
    position: [i32; 3],
    element: u32,
}

/// How memory encodes the number of an element.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    /// In every word: for elements of one or more words.
    Words(u32),
    /// In both end points of a DXT1 block.
    Block,
}

/// The direction of a texel of a cube face, by the table of the OpenGL specification.
fn direction(face: u32, [s, t]: [f32; 2]) -> [f32; 3] {
    let [s, t] = [2.0 * s - 1.0, 2.0 * t - 1.0];
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

fn fetches(state: &TextureState, texels: &[Expected]) -> Vec<Fetch> {
    texels
        .chunks(4)
        .map(|texels| {
            let mut fetch = Fetch::default();
            for (pixel, texel) in texels.iter().enumerate() {
                let center: [f32; 3] = std::array::from_fn(|axis| {
                    let size =
                        if state.view.is_unnormalized { 1 } else { (state.view.size[axis] >> texel.level).max(1) };
                    (texel.position[axis] as f32 + 0.5) / size as f32
                });
                let coordinate = match state.view.dimensions {
                    Dimensions::Cube => direction(texel.face, [center[0], center[1]]),
                    _ => center,
                };
                fetch.coordinate[pixel] = [coordinate[0], coordinate[1], coordinate[2], 0.0].map(f32::to_bits);
                fetch.lod[pixel] = (texel.level as f32).to_bits();
            }
            fetch
        })
        .collect()
}

/// Reads all texels on both engines and compares the element numbers with the expected ones.
fn check(what: &str, mut state: TextureState, unit: Unit, texels: &[Expected]) {
    state.sampler.mip_filter = if state.view.levels > 1 { MipFilter::Nearest } else { MipFilter::None };
    let number = |number: u32| match unit {
        Unit::Words(count) => vec![number; count as usize],
        Unit::Block => vec![number | number << 16, 0],
    };
    let bytes: Vec<u8> = (0..1 << 15).flat_map(number).flat_map(u32::to_le_bytes).collect();
    let memory = memory_of(&bytes);
    let fetches = fetches(&state, texels);
    let results = on_reference(&memory, &state, Mode::Explicit, &fetches);
    for (texel, value) in texels.iter().zip(texels_of(&results)) {
        let channels = value.map(|bits| (f32::from_bits(bits) * 255.0).round() as u32);
        let actual = match unit {
            // Single floats keep their bits.
            Unit::Words(_) if state.view.format != TextureFormat::A8R8G8B8 => value[0],
            Unit::Words(_) => channels[3] << 24 | channels[0] << 16 | channels[1] << 8 | channels[2],
            Unit::Block => (channels[0] >> 3) << 11 | (channels[1] >> 2) << 5 | channels[2] >> 3,
        };
        assert_eq!(actual, texel.element, "{what}: {texel:?}");
    }
    if let Some(gpu) = common::gpu() {
        let device = on_device(&gpu, &memory, &state, Mode::Explicit, &fetches);
        assert_eq!(difference(&device, &results), None, "{what}");
    }
}

/// Interleaves bits, lowest first, x before y before z, until each coordinate runs out.
fn morton(position: [u32; 3], size: [u32; 3]) -> u32 {
    let (mut index, mut place) = (0, 0);
    for bit in 0..12 {
        for axis in 0..3 {
            if size[axis] > 1 << bit {
                index += (position[axis] >> bit & 1) << place;
                place += 1;
            }
        }
    }
    index
}

/// All texels of all levels and faces, including `margin` border texels. `element` returns the number of an element
/// within its level, `length` the elements of a level; faces are aligned to `align` elements.
fn texels(
    state: &TextureState,
    margin: i32,
    align: u32,
    element: impl Fn(u32, [i32; 3]) -> u32,
    length: impl Fn(u32) -> u32,
) -> Vec<Expected> {
    let chain: u32 = (0..state.view.levels).map(&length).sum();
    let faces = if state.view.dimensions == Dimensions::Cube { 6 } else { 1 };
    let mut texels = Vec::new();
    for face in 0..faces {
        let mut start = face * chain.next_multiple_of(align);
        for level in 0..state.view.levels {
            let size = state.view.size.map(|texels| (texels >> level).max(1).cast_signed());
            let margins = [margin, margin, if state.view.dimensions == Dimensions::Three { margin } else { 0 }];
            for z in -margins[2]..size[2] + margins[2] {
                for y in -margins[1]..size[1] + margins[1] {
                    for x in -margins[0]..size[0] + margins[0] {
                        let position = [x, y, z];
                        texels.push(Expected { face, level, position, element: start + element(level, position) });
                    }
                }
            }
            start += length(level);
        }
    }
    texels
}

fn level_size(state: &TextureState, level: u32) -> [u32; 3] {
    state.view.size.map(|texels| (texels >> level).max(1))
}

fn swizzled(state: &TextureState, align: u32) -> Vec<Expected> {
    let size = |level| level_size(state, level);
    texels(
        state,
        0,
        align,
        |level, position| morton(position.map(i32::cast_unsigned), size(level)),
        |level| size(level).iter().product(),
    )
}

const WORD: TextureFormat = TextureFormat::A8R8G8B8;

#[test]
fn swizzled_order_in_all_dimensions() {
    for (dimensions, size, levels) in [
        (Dimensions::One, [64, 1, 1], 7),
        (Dimensions::Two, [32, 8, 1], 6),
        (Dimensions::Three, [8, 4, 16], 5),
        (Dimensions::Three, [1024, 4, 2], 1),
        (Dimensions::Cube, [16, 16, 1], 5),
    ] {
        let plain = plain_texture(WORD, dimensions, size);
        let state = TextureState { view: TextureView { levels, ..plain.view }, ..plain };
        // Faces start at multiples of 128 bytes.
        check(&format!("{dimensions:?}"), state.clone(), Unit::Words(1), &swizzled(&state, 32));
    }
}

#[test]
fn indices_of_the_largest_volumes_end_at_32_bits() {
    // With its border 4096×2048×2048 texels: bit 10 of x maps to bit 30 of the index, and bit 11 is dropped.
    let plain = plain_texture(TextureFormat::B8, Dimensions::Three, [4000, 1500, 1023]);
    let state = TextureState { view: TextureView { has_border_texels: true, ..plain.view }, ..plain };
    // Bit 2 of y and z, and then of x at 1020 and 2044, a bit that also counts four border texels.
    let mut bytes = vec![255; 1 << 12];
    bytes[(1 << 7 | 1 << 8) + 2] = 0;
    let memory = memory_of(&bytes);
    let expected = [1020, 2044].map(|x| Expected { face: 0, level: 0, position: [x, 0, 0], element: 0 });
    let fetches = fetches(&state, &expected);
    let results = on_reference(&memory, &state, Mode::Explicit, &fetches);
    let values: Vec<_> = texels_of(&results).into_iter().map(|value| f32::from_bits(value[2])).collect();
    assert_eq!(values[..2], [0.0, 1.0], "beyond the window, and inside of it");
    if let Some(gpu) = common::gpu() {
        let device = on_device(&gpu, &memory, &state, Mode::Explicit, &fetches);
        assert_eq!(difference(&device, &results), None);
    }
}

#[test]
fn wide_texels_are_swizzled_whole() {
    let plain = plain_texture(TextureFormat::W32Z32Y32X32F, Dimensions::Two, [16, 4, 1]);
    let state = TextureState { view: TextureView { levels: 3, ..plain.view }, ..plain };
    check("16 bytes", state.clone(), Unit::Words(4), &swizzled(&state, 8));
}

#[test]
fn linear_rows_slices_and_faces() {
    for (dimensions, size, levels) in [
        (Dimensions::One, [33, 1, 1], 6),
        (Dimensions::Two, [17, 10, 1], 5),
        (Dimensions::Three, [9, 5, 6], 4),
        (Dimensions::Cube, [11, 11, 1], 4),
    ] {
        let plain = plain_texture(WORD, dimensions, size);
        let state = TextureState {
            view: TextureView { levels, layout: TextureLayout::Linear { pitch_bytes: 192 }, ..plain.view },
            ..plain
        };
        // The pitch of the base level applies to all levels; faces are consecutive.
        let rows = |level| level_size(&state, level)[1];
        let element = |level, [x, y, z]: [i32; 3]| {
            let [x, y, z] = [x, y, z].map(i32::cast_unsigned);
            (z * rows(level) + y) * 48 + x
        };
        let expected = texels(&state, 0, 1, element, |level| rows(level) * level_size(&state, level)[2] * 48);
        check(&format!("linear {dimensions:?}"), state.clone(), Unit::Words(1), &expected);
    }
}

/// The elements of a level by their places in memory: blocks, gobs of a block, rows of a gob, and elements of a row follow
/// each other, x the fastest (envytools `docs/hw/memory/g80-surface.rst`). Blocks are `log2_block` gobs high and deep, or as
/// few as cover the level.
fn in_blocks([columns, rows, slices]: [u32; 3], element_bytes: u32, log2_block: [u8; 2]) -> Vec<[u32; 3]> {
    let [mut gobs_high, mut gobs_deep] = log2_block.map(|log2| 1 << log2);
    while gobs_high > 1 && gobs_high / 2 * 4 >= rows {
        gobs_high /= 2;
    }
    while gobs_deep > 1 && gobs_deep / 2 >= slices {
        gobs_deep /= 2;
    }
    let gob_columns = 64 / element_bytes;
    let mut places = Vec::new();
    for block_z in (0..slices).step_by(gobs_deep as usize) {
        for block_y in (0..rows).step_by(4 * gobs_high as usize) {
            for block_x in (0..columns).step_by(gob_columns as usize) {
                for (z, gob_y) in (0..gobs_deep).flat_map(|z| (0..gobs_high).map(move |y| (z, 4 * y))) {
                    for (y, x) in (0..4).flat_map(|y| (0..gob_columns).map(move |x| (y, x))) {
                        places.push([block_x + x, block_y + gob_y + y, block_z + z]);
                    }
                }
            }
        }
    }
    places
}

#[test]
fn blocks_of_gobs_in_all_dimensions() {
    for (format, dimensions, size, levels, log2_block) in [
        (WORD, Dimensions::One, [100, 1, 1], 7, [0, 0]),
        (WORD, Dimensions::Two, [70, 45, 1], 7, [2, 0]),
        (WORD, Dimensions::Two, [33, 130, 1], 8, [5, 0]),
        (WORD, Dimensions::Three, [20, 9, 11], 5, [1, 2]),
        (WORD, Dimensions::Cube, [20, 20, 1], 5, [1, 0]),
        (TextureFormat::W32Z32Y32X32F, Dimensions::Two, [13, 17, 1], 5, [1, 0]),
        (TextureFormat::Dxt1, Dimensions::Two, [60, 44, 1], 6, [1, 0]),
        (TextureFormat::Dxt1, Dimensions::Three, [32, 16, 6], 6, [0, 1]),
    ] {
        let layout = TextureLayout::BlockLinear { log2_block };
        let plain = plain_texture(format, dimensions, size);
        let state = TextureState { view: TextureView { levels, layout, ..plain.view }, ..plain };
        let (side, element_bytes) = (if format.is_compressed() { 4 } else { 1 }, format.element_bytes());
        let places: Vec<_> = (0..levels)
            .map(|level| {
                let [width, height, depth] = level_size(&state, level);
                in_blocks([width.div_ceil(side), height.div_ceil(side), depth], element_bytes, log2_block)
            })
            .collect();
        let element = |level: u32, [x, y, z]: [i32; 3]| {
            let [x, y, z] = [x, y, z].map(i32::cast_unsigned);
            let place = places[level as usize].iter().position(|place| *place == [x / side, y / side, z]);
            place.unwrap() as u32
        };
        // Faces begin with a whole block of the base level, which here is no smaller than asked for.
        let align = (256 / element_bytes) << (log2_block[0] + log2_block[1]);
        let unit = if format.is_compressed() { Unit::Block } else { Unit::Words(element_bytes / 4) };
        let expected = texels(&state, 0, align, element, |level| places[level as usize].len() as u32);
        check(&format!("gobs {format:?} {dimensions:?}"), state.clone(), unit, &expected);
    }
}

#[test]
fn unnormalized_coordinates_count_texels() {
    let plain = plain_texture(WORD, Dimensions::Two, [13, 7, 1]);
    let layout = TextureLayout::Linear { pitch_bytes: 64 };
    let state = TextureState { view: TextureView { layout, is_unnormalized: true, ..plain.view }, ..plain };
    let expected =
        texels(&state, 0, 1, |_, [x, y, _]| (y * 16 + x).cast_unsigned(), |level| level_size(&state, level)[1] * 16);
    check("rectangle", state, Unit::Words(1), &expected);
}

#[test]
fn blocks_of_images_and_faces() {
    for (dimensions, size, levels) in [(Dimensions::Two, [32, 16, 1], 6), (Dimensions::Cube, [16, 16, 1], 5)] {
        let plain = plain_texture(TextureFormat::Dxt1, dimensions, size);
        let state = TextureState { view: TextureView { levels, ..plain.view }, ..plain };
        let blocks = |level| level_size(&state, level).map(|texels| texels.div_ceil(4));
        let element = |level, [x, y, _]: [i32; 3]| (y / 4).cast_unsigned() * blocks(level)[0] + (x / 4).cast_unsigned();
        let expected = texels(&state, 0, 16, element, |level| blocks(level)[0] * blocks(level)[1]);
        check(&format!("blocks {dimensions:?}"), state.clone(), Unit::Block, &expected);
    }
}

#[test]
fn volumes_of_blocks_are_bricks_of_four_slices() {
    // The formula of NV_texture_compression_vtc; the last bricks of the small levels are thinner.
    let plain = plain_texture(TextureFormat::Dxt1, Dimensions::Three, [16, 8, 8]);
    let state = TextureState { view: TextureView { levels: 4, ..plain.view }, ..plain };
    let blocks = |level| {
        let [width, height, depth] = level_size(&state, level);
        [width.div_ceil(4), height.div_ceil(4), depth]
    };
    let element = |level, position: [i32; 3]| {
        let [width, height, depth] = blocks(level);
        let [x, y, z] = position.map(i32::cast_unsigned);
        let thickness = (depth - z / 4 * 4).min(4);
        z / 4 * width * height * 4 + (y / 4 * width + x / 4) * thickness + z % 4
    };
    let expected = texels(&state, 0, 1, element, |level| blocks(level).iter().product());
    check("bricks", state.clone(), Unit::Block, &expected);
    // Other sizes, and linear textures, are stored slice by slice.
    for (layout, pitch) in [(TextureLayout::Swizzled, 3), (TextureLayout::Linear { pitch_bytes: 64 }, 8)] {
        let plain = plain_texture(TextureFormat::Dxt1, Dimensions::Three, [12, 8, 3]);
        let state = TextureState { view: TextureView { layout, ..plain.view }, ..plain };
        let element = |_, [x, y, z]: [i32; 3]| (z * 2 * pitch + y / 4 * pitch + x / 4).cast_unsigned();
        let expected = texels(&state, 0, 1, element, |_| 6 * pitch.cast_unsigned());
        check("slices", state, Unit::Block, &expected);
    }
}

#[test]
fn border_texels_surround_images() {
    for (dimensions, size, is_linear) in [
        (Dimensions::Two, [16, 8, 1], false),
        (Dimensions::Three, [8, 8, 4], false),
        (Dimensions::Two, [13, 5, 1], true),
        (Dimensions::Three, [5, 4, 3], true),
    ] {
        let plain = plain_texture(WORD, dimensions, size);
        let wrap = [Wrap::ClampToBorder; 3];
        let layout = if is_linear { TextureLayout::Linear { pitch_bytes: 96 } } else { TextureLayout::Swizzled };
        let state = TextureState {
            view: TextureView { levels: 2, has_border_texels: true, layout, ..plain.view },
            sampler: Sampler { wrap, ..plain.sampler },
        };
        let volume = u32::from(dimensions == Dimensions::Three);
        let stored = |level| {
            let [width, height, depth] = level_size(&state, level);
            match is_linear {
                true => [width + 2, height + 2, depth + 2 * volume],
                false => [width + 8, height + 8, depth + 8 * volume].map(u32::next_power_of_two),
            }
        };
        let border = if is_linear { 1 } else { 4 };
        let element = |level, [x, y, z]: [i32; 3]| {
            let position = [x + border, y + border, z + border * volume.cast_signed()].map(i32::cast_unsigned);
            match is_linear {
                true => (position[2] * stored(level)[1] + position[1]) * 24 + position[0],
                false => morton(position, stored(level)),
            }
        };
        let length = |level| match is_linear {
            true => stored(level)[1] * stored(level)[2] * 24,
            false => stored(level).iter().product(),
        };
        check(
            &format!("border {dimensions:?} {is_linear}"),
            state.clone(),
            Unit::Words(1),
            &texels(&state, 1, 1, element, length),
        );
    }
}

#[test]
fn odd_sizes_fill_up_when_swizzled() {
    let plain = plain_texture(WORD, Dimensions::Two, [20, 6, 1]);
    let state = TextureState { view: TextureView { levels: 3, ..plain.view }, ..plain };
    let stored = |level| level_size(&state, level).map(u32::next_power_of_two);
    let element = |level, position: [i32; 3]| morton(position.map(i32::cast_unsigned), stored(level));
    let expected = texels(&state, 0, 1, element, |level| stored(level).iter().product());
    check("odd", state.clone(), Unit::Words(1), &expected);
}

#[test]
#[should_panic(expected = "planted")]
fn a_wrong_address_is_noticed() {
    let state = plain_texture(WORD, Dimensions::Two, [4, 4, 1]);
    let mut expected = swizzled(&state, 1);
    expected[7].element += 1;
    check("planted", state, Unit::Words(1), &expected);
}
