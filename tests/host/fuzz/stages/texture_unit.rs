//! The target of the texture units: which texels fetches read, and what they return.

use std::cell::RefCell;

use curie::command::methods::three_d::texture;
use curie::format::TexelStorage;
use curie::memory::{GuestMemory, MemoryWindow};
use curie::pipeline::{Filter, MipFilter, Sampler, TextureState, Wrap};
use curie::reference::fragment::run_fragment_program::{LodMode, TextureUnits};
use curie::reference::observer::DrawObserver;
use curie::reference::texture::addressing::{TapFilter, axis_neighbors, axis_taps};
use curie::reference::texture::unit::BoundTextures;

use super::StageInput;
use crate::common::random::Random;

/// Any state of the texture units, any memory and any coordinates. Fetches read the levels that the state selects, only
/// wrap modes with a border reach it, and an image of one value of integers gives it everywhere.
pub fn texture_unit(input: &[u8]) -> bool {
    let StageInput { draws, memory, mut random } = StageInput::new(input, &[texture::TABLE]);
    let Some(draw) = draws.into_iter().next() else { return false };
    check_taps(&mut random);
    let mut is_sampled = false;
    for (unit, state) in (0..).zip(&draw.textures) {
        let Some(state) = state else { continue };
        let (coordinates, mode) = (quad(&mut random, state), lod_mode(&mut random, state));
        let Some((values, discarded)) = sample(&memory, state, unit, &coordinates, mode) else { continue };
        is_sampled = true;
        assert!(discarded == 0 || state.can_discard(), "{state:?}");
        assert_eq!(sample(&memory, state, 15 - unit, &coordinates, mode), Some((values, discarded)), "{state:?}");
        check_one_value(state, &coordinates, mode);
    }
    is_sampled
}

/// Coordinates near the image, sometimes far away or any bits.
fn quad(random: &mut Random, state: &TextureState) -> [[u32; 4]; 4] {
    let scale = if state.view.is_unnormalized { 24.0 } else { 1.0 };
    let spread = scale * 0.5f32.powi(random.below(10).cast_signed());
    let base: [f32; 4] = std::array::from_fn(|_| scale * (random.below(1 << 12) as f32 / 1024.0 - 2.0));
    std::array::from_fn(|_| base.map(|base| number(random, base, spread)))
}

fn number(random: &mut Random, base: f32, spread: f32) -> u32 {
    match random.below(32) {
        0 => random.word(),
        1 => random.pick(&[f32::NAN, f32::INFINITY, -f32::INFINITY, 1e30, -1e30, -0.0, 1e-40]).to_bits(),
        _ => (base + spread * (random.below(1 << 8) as f32 / 256.0 - 0.5)).to_bits(),
    }
}

fn lod_mode(random: &mut Random, state: &TextureState) -> LodMode {
    let lod = std::array::from_fn(|_| number(random, 2.0, 12.0));
    match random.below(4) {
        0 => LodMode::Explicit(lod),
        1 => LodMode::Gradient { x: quad(random, state), y: quad(random, state) },
        _ => LodMode::Implicit { bias: lod },
    }
}

/// The places of the texels that were read.
#[derive(Debug, Default)]
struct Texels(RefCell<Vec<(MemoryWindow, u32)>>);

impl DrawObserver for Texels {
    fn read_texel(&self, window: MemoryWindow, offset: u32) {
        self.0.borrow_mut().push((window, offset));
    }
}

/// Samples a texture; `None` if the unit refuses its state.
fn sample(
    memory: &GuestMemory,
    state: &TextureState,
    unit: u8,
    coordinates: &[[u32; 4]; 4],
    mode: LodMode,
) -> Option<([[u32; 4]; 4], u8)> {
    let mut textures = [const { None }; 16];
    textures[usize::from(unit)] = Some(state.clone());
    let texels = Texels::default();
    let mut units = BoundTextures::new(memory, &textures).observed(&texels);
    let values = units.sample(unit, coordinates, mode).ok()?;
    check_places(state, &texels.0.borrow());
    Some((values, units.take_discarded()))
}

/// Texels lie in the levels that the state selects.
fn check_places(state: &TextureState, texels: &[(MemoryWindow, u32)]) {
    let windows = state.fetched_windows(false);
    for &(window, offset) in texels {
        assert_eq!(window, state.view.window);
        // Accesses beyond the window read zero.
        if offset < window.bytes {
            let address = window.start + offset;
            let is_sampled = |sampled: &MemoryWindow| address.wrapping_sub(sampled.start) < sampled.bytes;
            assert!(windows.iter().any(is_sampled), "{offset:#x} is not in {windows:x?}: {state:?}");
        }
    }
    if let Some(most) = state.fixed_texels() {
        assert!(texels.len() <= 4 * most as usize, "{} texels: {state:?}", texels.len());
    }
}

/// If every texel has the same value, filters of integers return it. Those of floats round a·(1−w) and b·w.
fn check_one_value(state: &TextureState, coordinates: &[[u32; 4]; 4], mode: LodMode) {
    let is_compared =
        matches!(state.view.format.storage(), TexelStorage::Depth { .. } | TexelStorage::FloatDepth { .. });
    if is_compared || state.reaches_border() || !state.view.filters_integers() {
        return;
    }
    // Empty memory reads zero everywhere.
    let memory = GuestMemory::new(1 << 20, 1 << 20).expect("the sizes are legal");
    let (values, _) = sample(&memory, state, 0, coordinates, mode).expect("the state was sampled before");
    let nearest = TextureState {
        sampler: Sampler {
            min_filter: Filter::Nearest,
            mag_filter: Filter::Nearest,
            mip_filter: MipFilter::None,
            max_anisotropy: 1,
            wrap: [Wrap::ClampToEdge; 3],
            ..state.sampler
        },
        ..state.clone()
    };
    let (expected, _) = sample(&memory, &nearest, 0, &[[0; 4]; 4], LodMode::Explicit([0; 4])).expect("likewise");
    assert_eq!(values, expected, "{state:?}");
}

/// The texels of an axis lie inside the image or, if the mode has one, in its border.
fn check_taps(random: &mut Random) {
    let size = 1 + random.below(4096);
    let wrap = random.pick(&Wrap::ALL);
    let filter = random.pick(&[TapFilter::Nearest, TapFilter::Linear, TapFilter::LinearRounded]);
    let (is_filtered, is_unnormalized) = (filter != TapFilter::Nearest, random.flag());
    let coordinate = if random.flag() { random.word() } else { number(random, 0.5, 4.0) };
    let is_inside = |texel: &Option<u32>, is_filtered| match texel {
        Some(texel) => *texel < size,
        None => wrap.reaches_border(is_filtered),
    };
    let taps = axis_taps(coordinate, size, wrap, filter, is_unnormalized);
    let context = || format!("{taps:?} of {coordinate:#x} in {size}, {wrap:?} {filter:?} {is_unnormalized}");
    assert!(taps.texels.iter().all(|texel| is_inside(texel, is_filtered)), "{}", context());
    assert!(taps.weight < 256 && (is_filtered || taps.weight == 0), "{}", context());
    let border = -1..=size.cast_signed();
    assert!(taps.with_border.iter().all(|texel| border.contains(texel)), "{}", context());
    let neighbors = axis_neighbors(coordinate, size, wrap, is_unnormalized);
    assert!(neighbors.texels.iter().all(|texel| is_inside(texel, true)), "{neighbors:?} {}", context());
    assert!(neighbors.with_border.iter().all(|texel| border.contains(texel)), "{neighbors:?} {}", context());
}
