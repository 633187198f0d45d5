//! Executes the texture instructions of a warp by the texture unit.

use super::block::BlockContext;
use super::operands::write;
use super::warp::{Lanes, Warp, ZEROS, lanes_of};
use crate::pipeline::launch::{CoordinatePlaces, FaultKind, MIN_LOD, texture_axes};
use crate::pipeline::{Dimensions, TextureState};
use crate::reference::texture::unit::Sampler;
use crate::shader::simt::{Destination, Instruction, TextureFetch, TextureSource};

/// The center of a texture one texel high, in both kinds of coordinates.
const CENTER: u32 = 0x3f00_0000;

/// Writes what the lanes of these threads read to the components of the destination.
///
/// The registers of the coordinates hold as many of them as the texture has dimensions, then the layer of an array, the depth
/// that is compared, and a level of detail or a bias, each if there is one (envytools
/// `docs/hw/graph/tesla/cuda/texture.rst`).
pub(super) fn execute_texture(
    context: &mut BlockContext<'_>,
    warp: &mut Warp,
    instruction: &Instruction,
    fetch: &TextureFetch,
    threads: u32,
) {
    let launch = context.launch;
    let textures = &launch.textures;
    let mut texels = [ZEROS; 4];
    if let Some(state) = textures.state(fetch.texture, fetch.sampler) {
        let (first, count) = fetch.coordinates;
        let coordinates: Vec<Lanes> = (first..).take(count.into()).map(|number| warp.register(number)).collect();
        let layout = state.view.level_layout();
        let places = CoordinatePlaces::of(&state).of_coordinates(fetch.is_cube);
        let mut sampler = Sampler::new(context.texels, &state, &layout, context.fetches)
            .with_offsets(sampled_offsets(&places, fetch));
        if places.dimensions != state.view.dimensions {
            sampler = sampler.over_faces();
        }
        let uses_derivatives = fetch.uses_derivatives(launch.threads.kind());
        for lane in lanes_of(threads) {
            let word = |place: usize, lane: usize| coordinates.get(place).map_or(0, |words| words[lane]);
            let coordinate = |place| word(place, lane);
            let texel = match fetch.source {
                TextureSource::Size => size(&state, coordinate(0)),
                TextureSource::Texel => {
                    let (position, level) = texel_place(&places, fetch, coordinate);
                    sampler.fetch(position, level)
                }
                TextureSource::PrepareCube => sampler.prepare_cube([0, 1, 2, 3].map(coordinate)),
                TextureSource::Gather => sampler.gather(sampled_place(&places, fetch, coordinate).0),
                _ if uses_derivatives => {
                    // The registers of all lanes of the quad, as they are.
                    let first = lane & !3;
                    let positions =
                        [0, 1, 2, 3].map(|corner| sampled_place(&places, fetch, |at| word(at, first + corner)).0);
                    match fetch.source {
                        TextureSource::QueryLod => sampler.query_in_quad(&positions, lane & 3),
                        TextureSource::Bias => sampler.sample_in_quad(&positions, coordinate(places.lod), lane & 3),
                        _ => sampler.sample_in_quad(&positions, 0, lane & 3),
                    }
                }
                TextureSource::QueryLod => sampler.query_at(MIN_LOD),
                _ => {
                    let (position, lod) = sampled_place(&places, fetch, coordinate);
                    sampler.sample_at(position, lod)
                }
            };
            for (words, word) in texels.iter_mut().zip(texel) {
                words[lane] = word;
            }
        }
        if !matches!(fetch.source, TextureSource::Size | TextureSource::PrepareCube | TextureSource::QueryLod) {
            context.fetches.finish_threads([fetch.texture, fetch.sampler], threads);
        }
    } else {
        context.fault(instruction.address, FaultKind::UnboundTexture, warp, warp.active, None);
    }
    write(context, warp, instruction, &written_components(instruction.destination, texels), threads);
}

/// The components that a destination takes.
fn written_components(destination: Destination, texels: [Lanes; 4]) -> Vec<Lanes> {
    let mask = if let Destination::Texture { mask, .. } = destination { mask } else { 0 };
    let components = texels.into_iter().enumerate();
    components.filter(|(component, _)| mask >> component & 1 != 0).map(|(_, words)| words).collect()
}

/// Where a texture is sampled, and at which level of detail.
fn sampled_place(
    places: &CoordinatePlaces,
    fetch: &TextureFetch,
    coordinate: impl Fn(usize) -> u32,
) -> ([u32; 4], u32) {
    let lod = match fetch.source {
        TextureSource::Lod => coordinate(places.lod),
        // Without derivatives these are 0, and no bias changes what their logarithm is.
        _ => MIN_LOD,
    };
    let [layer, reference] = [places.layer, places.reference].map(|place| place.map_or(0, &coordinate));
    let position = match places.dimensions {
        Dimensions::One => [coordinate(0), CENTER, reference, layer],
        Dimensions::Two => [coordinate(0), coordinate(1), reference, layer],
        Dimensions::Three => [coordinate(0), coordinate(1), coordinate(2), 0],
        Dimensions::Cube if places.layer.is_some() => [coordinate(0), coordinate(1), coordinate(2), layer],
        Dimensions::Cube => [coordinate(0), coordinate(1), coordinate(2), reference],
    };
    (position, lod)
}

/// The texels that a fetch adds to the place that it samples.
fn sampled_offsets(places: &CoordinatePlaces, fetch: &TextureFetch) -> [i8; 3] {
    let axes = places.moved_axes();
    std::array::from_fn(|axis| if axis < axes { fetch.offsets[axis] } else { 0 })
}

/// The place of a texel that a fetch reads, and its level.
fn texel_place(places: &CoordinatePlaces, fetch: &TextureFetch, coordinate: impl Fn(usize) -> u32) -> ([u32; 3], u32) {
    let axes = texture_axes(places.dimensions);
    let mut position = std::array::from_fn(|axis| match axis < axes {
        true => coordinate(axis).wrapping_add_signed(fetch.offsets[axis].into()),
        false => 0,
    });
    if let Some(place) = places.layer {
        position[2] = coordinate(place);
    }
    (position, coordinate(places.texel_level()))
}

/// Width, height and depth of a level, and the number of levels. Levels that do not exist have no size. The layers of an array
/// follow its sides.
// Unverified: sizes beyond the dimensions, 1 here, and levels that do not exist.
fn size(state: &TextureState, level: u32) -> [u32; 4] {
    let view = &state.view;
    let levels = view.last_level() + 1;
    if level >= levels {
        return [0, 0, 0, levels];
    }
    let [width, height, depth] = view.size.map(|side| (side >> level).max(1));
    match (view.dimensions, view.layers) {
        (Dimensions::One, Some(layers)) => [width, layers, 1, levels],
        (_, Some(layers)) => [width, height, layers, levels],
        (_, None) => [width, height, depth, levels],
    }
}
