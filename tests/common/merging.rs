//! Merges quads with the reference and with the kernel and requires the same bytes.

use curie::format::srgb;
use curie::gpu::Gpu;
use curie::kernels::merge_pixels::MergeParameters;
use curie::memory::GuestMemory;
use curie::pipeline::ShadedQuad;
use curie::pipeline::{
    Blend, BlendEquation, BlendFactor, ColorTarget, Dither, MAX_COLOR_TARGETS, MultisampleCoverage, RopState, Targets,
};
use curie::recompiler;
use curie::recompiler::rop::merge_pixels::MergeKey;
use curie::reference::rop::merge_pixels::merge_quad;

use super::memory::{difference, heap_of, words_of};

/// Pixels along a side of the surfaces.
pub(crate) const SIDE: u32 = 32;

/// Blending that stores the source.
pub(crate) const REPLACE: Blend =
    Blend { source: [BlendFactor::One; 2], destination: [BlendFactor::Zero; 2], equation: [BlendEquation::Add; 2] };

/// The first color targets, without others.
pub(crate) fn color_targets(first: &[ColorTarget]) -> [Option<ColorTarget>; MAX_COLOR_TARGETS] {
    std::array::from_fn(|index| first.get(index).copied())
}

/// ROP state without tests, blending or masks.
pub(crate) fn plain_rop() -> RopState {
    RopState {
        alpha_test: None,
        depth_test: None,
        depth_bounds: None,
        stencil: None,
        blend: [None; MAX_COLOR_TARGETS],
        blend_color: [0; 4],
        float_blend_color: [0; 4],
        broadcasts_first_color: false,
        logic_op: None,
        dither: Dither(false),
        color_mask: [15; MAX_COLOR_TARGETS],
        clamped_colors: 0,
        srgb_write: false,
        multisample: MultisampleCoverage::DISABLED,
        counts_samples: false,
    }
}

/// Quads with a color for each pixel, row by row of the surface.
pub(crate) fn quads(color: impl Fn(u32) -> [u32; 4]) -> Vec<ShadedQuad> {
    let places = (0..SIDE).step_by(2).flat_map(|y| (0..SIDE).step_by(2).map(move |x| (x, y)));
    places
        .map(|(x, y)| ShadedQuad {
            x,
            y,
            coverage: 15,
            is_front_facing: true,
            depth: [0; 4],
            samples: None,
            colors: [[0u32, 1, 2, 3].map(|pixel| color((y + pixel / 2) * SIDE + x + pixel % 2)); MAX_COLOR_TARGETS],
        })
        .collect()
}

/// Merges quads with the reference and, given a device, also with the kernel, which must produce the same bytes.
pub(crate) fn merge(
    gpu: Option<&Gpu>,
    memory: &mut GuestMemory,
    rop: &RopState,
    targets: &Targets,
    quads: &[ShadedQuad],
) {
    let mut heap = words_of(memory);
    if let Some(gpu) = gpu {
        let mut shaded = Vec::new();
        for quad in quads {
            shaded.extend(quad.depth);
            shaded.extend([quad.coverage.into(), quad.x | quad.y << 16, quad.is_front_facing.into(), 0]);
            let used = rop.shaded_colors(targets);
            (0..MAX_COLOR_TARGETS).filter(|color| used >> color & 1 != 0).for_each(|color| {
                shaded.extend(quad.colors[color].as_flattened());
            });
        }
        let mut tiles = vec![0, u32::try_from(quads.len()).unwrap()];
        let parameters = MergeParameters::new(rop, targets, 0, 1, &heap_of(memory));
        let mut parameters: Vec<u32> = bytemuck::pod_collect_to_vec(&[parameters]);
        let (mut curve, mut counters) = (srgb::curve(), vec![0; 4]);
        let bindings: &mut [(u32, &mut Vec<u32>)] = &mut [
            (0, &mut heap),
            (9, &mut tiles),
            (22, &mut curve),
            (13, &mut shaded),
            (14, &mut parameters),
            (15, &mut counters),
        ];
        let source = recompiler::rop::merge_pixels::source(&MergeKey::new(rop, targets).unwrap());
        gpu.run("merge_pixels", &source, bindings, [1; 3]).unwrap();
    }
    for quad in quads {
        merge_quad(memory, rop, targets, quad);
    }
    if gpu.is_some() {
        assert_eq!(difference(&heap, &words_of(memory)), None, "{rop:?} {targets:?}");
    }
}
