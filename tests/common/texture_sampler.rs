//! Samples one texture for many quads, on the device and on the reference.

use std::cell::Cell;

use curie::counters::{CountedLookups, LookupCounts};
use curie::format::TextureFormat;
use curie::gpu::Gpu;
use curie::kernels::texture_parameters::ShadeParameters;
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{Dimensions, Sampler, TextureState, TextureView, Wrap};
use curie::recompiler;
use curie::recompiler::texture::unit::TextureKey;
use curie::reference::fragment::run_fragment_program::{LodMode, TextureUnits};
use curie::reference::observer::DrawObserver;
use curie::reference::texture::unit::BoundTextures;

use super::memory::{heap_of, words_of};

/// Four pixels by four components.
pub(crate) type Quad = [[u32; 4]; 4];

/// Words of a quad's result: four channels by four pixels, then the discarded pixels, then the fetch's lookup counts.
pub(crate) const RESULT_WORDS: usize = 24;

/// Which fetch function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Implicit,
    Explicit,
    Gradient,
}

/// The operands of a fetch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fetch {
    pub(crate) coordinate: Quad,
    pub(crate) lod: [u32; 4],
    pub(crate) x: Quad,
    pub(crate) y: Quad,
}

/// Values of a quad by component, as in kernels.
fn by_component(quad: &Quad) -> Vec<u32> {
    (0..4).flat_map(|component| quad.iter().map(move |pixel| pixel[component])).collect()
}

/// The device's result for each quad.
pub(crate) fn on_device(
    gpu: &Gpu,
    memory: &GuestMemory,
    state: &TextureState,
    mode: Mode,
    fetches: &[Fetch],
) -> Vec<u32> {
    let counts = CountedLookups { level_samples: true, level_texels: true };
    let key = TextureKey {
        counts: Some(counts),
        ..TextureKey::new(state, heap_of(memory)(state.view.window).bytes).unwrap()
    };
    let discards = if state.can_discard() { "texture_discards_3" } else { "vec4<bool>(false)" };
    let call = match mode {
        Mode::Implicit => "sample_texture_3(a, lod)",
        Mode::Explicit => "sample_texture_lod_3(a, lod)",
        Mode::Gradient => "sample_texture_gradient_3(a, b, c)",
    };
    let source = format!(
        "import package::arith::optimization_barrier::set_opaque_zero;\n{}
        @group(0) @binding(10) var<storage, read> quads: array<vec4u>;
        @group(0) @binding(13) var<storage, read_write> shaded: array<vec4u>;
        fn quad_at(i: u32) -> QuadVector {{ return QuadVector(quads[i], quads[i + 1u], quads[i + 2u], quads[i + 3u]); }}
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
            {}
            if id.x * 6u >= arrayLength(&shaded) {{ return; }}
            set_opaque_zero(shade_parameters.zero);
            let a = quad_at(id.x * 13u);
            let lod = quads[id.x * 13u + 4u];
            let b = quad_at(id.x * 13u + 5u);
            let c = quad_at(id.x * 13u + 9u);
            let value = {call};
            shaded[id.x * 6u] = value.x;
            shaded[id.x * 6u + 1u] = value.y;
            shaded[id.x * 6u + 2u] = value.z;
            shaded[id.x * 6u + 3u] = value.w;
            shaded[id.x * 6u + 4u] = vec4u({discards});
            shaded[id.x * 6u + 5u] = texture_counts_3;
        }}",
        recompiler::texture::unit::source(3, &key),
        recompiler::texture::unit::prologue(3),
    );
    let mut textures = [const { None }; 16];
    textures[3] = Some(state.clone());
    let parameters = ShadeParameters::new(&textures, &heap_of(memory));
    let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&[parameters]);
    let mut heap = words_of(memory);
    let mut inputs = Vec::new();
    for fetch in fetches {
        inputs.extend(by_component(&fetch.coordinate));
        inputs.extend(fetch.lod);
        inputs.extend(by_component(&fetch.x));
        inputs.extend(by_component(&fetch.y));
    }
    let mut outputs = vec![0; fetches.len() * RESULT_WORDS];
    let bindings: &mut [(u32, &mut Vec<u32>)] =
        &mut [(0, &mut heap), (10, &mut inputs), (11, &mut parameters), (13, &mut outputs)];
    let groups = u32::try_from(fetches.len()).unwrap().div_ceil(64);
    gpu.run("sample", &source, bindings, [groups, 1, 1]).unwrap_or_else(|error| panic!("{error}\n{source}"));
    outputs
}

/// The lookup counts of the reference's fetches.
#[derive(Debug, Default)]
struct TakenSamples(Cell<LookupCounts>);

impl DrawObserver for TakenSamples {
    fn read_texel(&self, _: MemoryWindow, _: u32) {
        self.sample_texture(LookupCounts::TEXEL);
    }

    fn sample_texture(&self, taken: LookupCounts) {
        let mut sum = self.0.get();
        sum += taken;
        self.0.set(sum);
    }
}

/// The reference's result for each quad.
pub(crate) fn on_reference(memory: &GuestMemory, state: &TextureState, mode: Mode, fetches: &[Fetch]) -> Vec<u32> {
    let mut textures = [const { None }; 16];
    textures[3] = Some(state.clone());
    let mut outputs = Vec::new();
    for fetch in fetches {
        let taken = TakenSamples::default();
        let mut units = BoundTextures::new(memory, &textures).observed(&taken);
        let mode = match mode {
            Mode::Implicit => LodMode::Implicit { bias: fetch.lod },
            Mode::Explicit => LodMode::Explicit(fetch.lod),
            Mode::Gradient => LodMode::Gradient { x: fetch.x, y: fetch.y },
        };
        outputs.extend(by_component(&units.sample(3, &fetch.coordinate, mode).unwrap()));
        let discarded = units.take_discarded();
        outputs.extend((0..4).map(|pixel| u32::from(discarded >> pixel & 1)));
        outputs.extend(taken.0.get().words());
    }
    outputs
}

/// Results as red, green, blue, alpha of each texel.
pub(crate) fn texels_of(results: &[u32]) -> Vec<[u32; 4]> {
    let quads = results.chunks_exact(RESULT_WORDS);
    quads.flat_map(|quad| (0..4).map(|pixel| std::array::from_fn(|channel| quad[channel * 4 + pixel]))).collect()
}

/// A swizzled texture at the start of VRAM with nearest filters, one level and all options off.
pub(crate) fn plain_texture(format: TextureFormat, dimensions: Dimensions, size: [u32; 3]) -> TextureState {
    let plain = TextureState::plain(format, dimensions, size);
    TextureState {
        view: TextureView {
            window: MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 0x40_0000 },
            ..plain.view
        },
        sampler: Sampler { wrap: [Wrap::ClampToEdge; 3], max_lod: 0xfff, ..plain.sampler },
    }
}
