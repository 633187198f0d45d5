//! Runs a SIMT fragment program on quads of a draw.

use super::run_vertices::run_threads;
use crate::arith::{ONE, fragment as fp};
use crate::memory::GuestMemory;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::launch::{
    FragmentQuad, Fragments, Interpolants, Launch, LaunchTextures, LaunchThreads, Plane, QUAD_THREADS,
};
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{
    EngineError, MAX_SAMPLES, QuadInputs, QuadSamples, ShadedQuad, ShadedSamples, ShadedVertex, SimtFragmentStage,
    TextureState,
};
use crate::reference::interp::plane_equations::{centroid, plane_equations, sample_place};
use crate::reference::raster::rasterize_tiles::CoveredQuad;

/// Shades quads, eight in a warp in their order. Depth is interpolated, or comes from the program if it computes it. The
/// coverage of smooth lines multiplies the alpha of every color. `numbers` are those of the primitives, if the program reads them.
///
/// # Errors
/// When the program does not fit on the processor or does not end, or a thread has a fault.
pub fn shade_simt_quads(
    stage: &SimtFragmentStage,
    parameters: &RasterParameters<'_>,
    vertices: &[ShadedVertex],
    (setups, numbers): (&[PrimitiveSetup], &[u32]),
    quads: &[(CoveredQuad, QuadInputs)],
    (textures, texels): (&[Option<TextureState>], &GuestMemory),
) -> Result<Vec<ShadedQuad>, EngineError> {
    let mut pending = PendingQuads::default();
    for (quad, inputs) in quads {
        pending.push(stage, parameters, vertices, (setups, numbers), (quad, inputs));
    }
    let report = run_threads(&pending.launch(stage, textures, quads.len()), texels)?;
    let quads = quads.iter().zip(report.outputs.chunks(QUAD_THREADS as usize));
    Ok(quads.map(|((quad, inputs), results)| shaded_quad(stage, (*quad, inputs), results)).collect())
}

/// Quads whose threads are to run, with the equations of the interpolants of each.
#[derive(Debug, Default)]
pub(in crate::reference) struct PendingQuads {
    quads: Vec<FragmentQuad>,
    planes: Vec<Plane>,
}

impl PendingQuads {
    /// Adds a quad.
    pub(in crate::reference) fn push(
        &mut self,
        stage: &SimtFragmentStage,
        parameters: &RasterParameters<'_>,
        vertices: &[ShadedVertex],
        (setups, numbers): (&[PrimitiveSetup], &[u32]),
        (quad, inputs): (&CoveredQuad, &QuadInputs),
    ) {
        let record = quad.record as usize;
        let setup = (&setups[record], numbers.get(record).copied().unwrap_or(0));
        self.planes.extend(plane_equations(stage, parameters, vertices, setup, [quad.x, quad.y]));
        let mode = parameters.raster.samples;
        let fragments = FragmentQuad { covered: inputs.coverage, ..FragmentQuad::new(0) };
        self.quads.push(match stage.samples {
            ShadedSamples::Together => {
                let centroids = [0, 1, 2, 3].map(|corner| centroid(mode, quad.coverage, corner));
                FragmentQuad { centroids, ..fragments }
            }
            ShadedSamples::Each | ShadedSamples::Only(_) => {
                let sample = quad.sample();
                FragmentQuad { centroids: [sample_place(mode, sample); 4], sample, ..fragments }
            }
        });
    }

    /// How many there are.
    pub(in crate::reference) const fn len(&self) -> usize {
        self.quads.len()
    }

    /// Takes the launch of the first `count` quads, with the textures of a draw's units.
    pub(in crate::reference) fn launch(
        &mut self,
        stage: &SimtFragmentStage,
        textures: &[Option<TextureState>],
        count: usize,
    ) -> Launch {
        let interpolant_words = stage.input_words();
        let quads = self.quads.drain(..count).zip(0..).map(|(quad, primitive)| FragmentQuad { primitive, ..quad });
        let fragments = Fragments {
            quads: quads.collect(),
            interpolant_words,
            interpolants: Interpolants::Planes(self.planes.drain(..count * interpolant_words as usize).collect()),
            results: stage.results.count(),
        };
        let textures = LaunchTextures::of_units(&stage.units, textures);
        stage.stage.launch(LaunchThreads::Fragments(fragments), textures)
    }
}

/// A quad from the results of its four threads; those that are discarded or not covered have none.
fn shaded_quad(
    stage: &SimtFragmentStage,
    (quad, inputs): (CoveredQuad, &QuadInputs),
    results: &[Option<Vec<u32>>],
) -> ShadedQuad {
    let word = |pixel: usize, register: u8| {
        let results = results.get(pixel).and_then(Option::as_ref);
        results.and_then(|words| words.get(usize::from(register))).copied().unwrap_or_default()
    };
    let pixels = [0, 1, 2, 3];
    let keeps_sample =
        |pixel: usize| stage.results.sample_mask.is_none_or(|register| word(pixel, register) >> quad.sample() & 1 != 0);
    let is_kept = |pixel: &usize| results.get(*pixel).is_some_and(Option::is_some) && keeps_sample(*pixel);
    let coverage = pixels.into_iter().filter(is_kept);
    let exported = stage.results.depth.map(|register| pixels.map(|pixel| fp::saturate(word(pixel, register))));
    ShadedQuad {
        x: inputs.x,
        y: inputs.y,
        coverage: coverage.fold(0, |mask, pixel| mask | 1 << pixel) & inputs.coverage,
        samples: inputs.samples.map(|samples| QuadSamples {
            depth: exported.map_or(samples.depth, |depth| [depth; MAX_SAMPLES]),
            ..samples
        }),
        is_front_facing: inputs.is_front_facing,
        depth: exported.unwrap_or(inputs.depth),
        colors: stage.results.colors.map(|first| {
            pixels.map(|pixel| {
                let share = inputs.alpha_coverage.map_or(ONE, |shares| shares[pixel]);
                let color = first.map_or([0; 4], |first| [0, 1, 2, 3].map(|channel| word(pixel, first + channel)));
                let [red, green, blue, alpha] = color;
                [red, green, blue, if share == ONE { alpha } else { fp::mul(alpha, share) }]
            })
        }),
    }
}
