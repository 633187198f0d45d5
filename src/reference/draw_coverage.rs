//! Finds what draws cover without shading them: vertices, primitives and pixels from the stages up to the rasterizer.

use super::Reference;
use super::draw_programs::{DrawPrograms, FragmentCode};
use super::engine::covered_quads;
use super::raster::rasterize_tiles::covered_pixels;
use super::setup::set_up_primitives::set_up_batch;
use crate::counters::Instructions;
use crate::counting::{CoverageEngine, DrawCoverage};
use crate::pipeline::front_end::assemble_primitives::assemble_draw;
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::{Draw, EngineError};
use crate::shader::simt::TextureFetch;

impl CoverageEngine for Reference {
    fn coverage(&mut self, draw: &Draw) -> Result<Option<DrawCoverage>, EngineError> {
        let programs = DrawPrograms::decode(draw, self.memory())?;
        let elements = fetch_indices(self.memory(), draw)?;
        let primitives = assemble_draw(draw, &elements.order);
        if primitives.is_empty() || draw.raster.clip.is_empty() {
            return Ok(None);
        }
        let parameters = RasterParameters::new(draw);
        let mut coverage = DrawCoverage { primitives: primitives.len() as u64, ..DrawCoverage::default() };
        let (mut stipple_counter, mut first) = (0, 0);
        for batch in vertex_batches(elements.unique, primitives, BATCH_VERTICES) {
            coverage.vertices += batch.vertices.len() as u64;
            let (vertices, primitives) = programs.vertices.run_batch(self.memory(), draw, &batch, first)?;
            first += u32::try_from(batch.primitives.len()).unwrap_or(u32::MAX);
            let setups = set_up_batch(&parameters, &vertices, &primitives, &mut stipple_counter);
            coverage.pixels +=
                covered_quads(draw, &parameters, &vertices, &setups).map(|quad| covered(quad.coverage)).sum::<u64>();
        }
        coverage.texels = coverage.pixels * texture_instructions(&programs.fragment);
        Ok(Some(coverage))
    }
}

/// Counts pixels with any covered sample, from a quad's four bits per sample.
const fn covered(coverage: u32) -> u64 {
    covered_pixels(coverage).count_ones() as u64
}

/// Counts the texture instructions of a program.
fn texture_instructions(program: &FragmentCode<'_>) -> u64 {
    match program {
        FragmentCode::Vec4(_, program) => Instructions::of_blocks(program).iter().flat_map(|block| block.lookups).sum(),
        FragmentCode::Simt(stage) => {
            let instructions = stage.stage.program.instructions().iter();
            let samples = instructions.filter_map(|found| TextureFetch::of(&found.instruction));
            samples.count() as u64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_counts_once_whatever_its_samples() {
        assert_eq!(covered(0b0000_0000_0000_1011), 3);
        assert_eq!(covered(0b0001_0010_0010_0001), 2);
        assert_eq!(covered(0xffff), 4);
    }
}
