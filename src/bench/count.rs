//! How much work a frame is: an engine that carries out copies and clears, and only counts what draws would do.

use super::measure::Player;
use super::{BenchError, Frames};
use crate::capture::Capture;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::assemble_primitives;
use crate::pipeline::front_end::decode_programs::decode_programs;
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::{Draw, Engine, EngineError, GpuCommand};
use crate::reference::Reference;
use crate::reference::engine::{LISTED_QUADS, TILE_SIZE};
use crate::reference::raster::rasterize_tiles::rasterize_tiles;
use crate::reference::setup::set_up_primitives::set_up_batch;
use crate::shader::fragment::{Block, FragmentNode, FragmentProgram};

/// The work of one frame; averages where several frames were counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FrameCounts {
    /// Pixels that primitives cover, before any test, once for each primitive; in frames without draws, pixels that are
    /// cleared.
    pub pixels: f64,
    /// Texture instructions over these pixels. A texel is the result of one, whatever its filter reads. Each instruction
    /// of a program counts once: a loop may run it more often, and a branch may leave it out.
    pub texels: f64,
    /// Vertices that programs run on: an index that a draw repeats counts once.
    pub vertices: f64,
    /// Triangles, lines and points before clipping and culling.
    pub triangles: f64,
    /// Draws.
    pub draws: f64,
    /// How many frames one round of the capture is.
    pub frames: u64,
}

/// Counts the work of the frames of a capture, on the host and apart from any engine that is measured.
///
/// These are not the [counters](crate::counters) of draws: those need every fragment shaded and tested, which would take
/// the host far longer than the measurement.
///
/// Nothing is drawn: where vertices come from what an earlier draw rendered, they are counted as zeros make them.
///
/// # Errors
/// When a record cannot be applied.
pub fn count(capture: &Capture, frames: &Frames) -> Result<FrameCounts, BenchError> {
    let header = &capture.header;
    let reference = Reference::new(header.vram_bytes, header.gart_bytes).map_err(EngineError::from)?;
    let mut counter = Counter { reference, totals: Totals::default(), is_counting: false };
    let mut player = Player::new(capture, frames)?;
    player.play_before(&mut counter)?;
    counter.is_counting = true;
    for _ in &frames.parts {
        player.play_part(&mut counter)?;
    }
    Ok(counter.totals.per_frame(frames))
}

/// Sums over all frames.
#[derive(Debug, Default)]
struct Totals {
    pixels: u64,
    cleared_pixels: u64,
    texels: u64,
    vertices: u64,
    triangles: u64,
    draws: u64,
}

impl Totals {
    fn per_frame(&self, frames: &Frames) -> FrameCounts {
        let pixels = if self.draws == 0 { self.cleared_pixels } else { self.pixels };
        let mean = |total: u64| total as f64 / frames.count as f64;
        FrameCounts {
            pixels: mean(pixels),
            texels: mean(self.texels),
            vertices: mean(self.vertices),
            triangles: mean(self.triangles),
            draws: mean(self.draws),
            frames: frames.count,
        }
    }
}

/// The engine that counts.
#[derive(Debug)]
struct Counter {
    reference: Reference,
    totals: Totals,
    is_counting: bool,
}

impl Counter {
    fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        let memory = self.reference.memory();
        let microcode = memory.slice(draw.fragment.program).as_chunks().0;
        let mut read = |offset: u32| microcode.get(offset as usize).map(|word| u32::from_le_bytes(*word));
        let (vertex_program, fragment_program) = decode_programs(draw, &mut read)?;
        let elements = fetch_indices(memory, draw)?;
        let parameters = RasterParameters::new(draw);
        let primitives = assemble_primitives(draw.primitive, &elements.order, &draw.raster);
        if primitives.is_empty() || draw.raster.clip.is_empty() {
            return Ok(());
        }
        self.totals.draws += 1;
        self.totals.triangles += primitives.len() as u64;
        let fetches = texture_instructions(&fragment_program);
        let clip = draw.raster.clip;
        let records_at_once = (LISTED_QUADS / ((clip.width / 2 + 1) * (clip.height / 2 + 1))).max(1) as usize;
        let mut stipple_counter = 0;
        for batch in vertex_batches(elements.unique, primitives, BATCH_VERTICES) {
            self.totals.vertices += batch.vertices.len() as u64;
            let vertices = self.reference.run_vertices(draw, &vertex_program, &batch.vertices);
            let records = set_up_batch(&parameters, &vertices, &batch.primitives, &mut stipple_counter);
            for records in records.chunks(records_at_once) {
                let tiles = rasterize_tiles(&parameters, &vertices, records, TILE_SIZE);
                let pixels: u64 = tiles.iter().flat_map(|tile| &tile.quads).map(|quad| covered(quad.coverage)).sum();
                self.totals.pixels += pixels;
                self.totals.texels += pixels * fetches;
            }
        }
        Ok(())
    }
}

/// Pixels with any covered sample, from a quad's four bits per sample.
fn covered(coverage: u16) -> u64 {
    let pixels = (coverage | coverage >> 4 | coverage >> 8 | coverage >> 12) & 15;
    u64::from(pixels.count_ones())
}

/// The texture instructions of a program.
fn texture_instructions(program: &FragmentProgram) -> u64 {
    program.subroutines.iter().chain([&program.body]).map(of_block).sum()
}

fn of_block(block: &Block) -> u64 {
    let of_node = |node: &FragmentNode| match node {
        FragmentNode::Operation(operation) => u64::from(operation.kind.samples()),
        FragmentNode::If { then, otherwise, .. } => of_block(then) + of_block(otherwise),
        FragmentNode::Loop { body, .. } => of_block(body),
        FragmentNode::Call { .. } | FragmentNode::Break { .. } | FragmentNode::Return { .. } => 0,
    };
    block.iter().map(of_node).sum()
}

impl Engine for Counter {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.reference.grow_memory(space, end)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.reference.memory_extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.reference.write_memory(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.reference.read_memory(window, bytes)
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        match command {
            GpuCommand::Draw(draw) if self.is_counting => self.draw(draw),
            GpuCommand::Draw(_) => Ok(()),
            GpuCommand::Clear(clear) => {
                if self.is_counting {
                    self.totals.cleared_pixels += u64::from(clear.rect.width) * u64::from(clear.rect.height);
                }
                Ok(())
            }
            _ => self.reference.execute(command),
        }
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.reference.finish()
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
