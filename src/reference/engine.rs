//! The engine itself: carries out work one piece after the other, each stage in the order of the pipeline.

use super::blit::clear_surface::clear_surfaces;
use super::blit::scale_image::scale_image;
use super::counted_draw::{CountedDraw, vertex_inputs};
use super::fragment::shade_quads::shade_counted_quad;
use super::interp::interpolate::interpolate;
use super::raster::count_rejects::count_rejects;
use super::raster::rasterize_tiles::rasterize_tiles;
use super::rop::merge_pixels::merge_quad;
use super::setup::set_up_primitives::set_up_batch;
use super::texture::unit::BoundTextures;
use super::vertex::run_vertex_program::run_textured_vertex_program;
use super::vertex::sample_vertex_texture::BoundVertexTextures;
use crate::counters::trace::{TraceRoom, TracedDraw};
use crate::counters::{Counters, CountingOptions, ProgramCounts};
use crate::counting::CountingEngine;
use crate::memory::{GuestMemory, MemoryError, MemorySpace, MemoryWindow};
use crate::pipeline::front_end::assemble_primitives::{Primitive, assemble_primitives};
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::front_end::decode_programs::decode_programs;
use crate::pipeline::front_end::fetch_indices::fetch_indices;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::front_end::vertex_batches::{BATCH_VERTICES, vertex_batches};
use crate::pipeline::host_transfer::{copy_memory, write_fence, write_report, zero_memory};
use crate::pipeline::primitive_setup::PrimitiveSetup;
use crate::pipeline::{Draw, Engine, EngineError, GpuCommand, ShadedVertex, VertexContext};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// Tiles are only an order of visiting pixels here; the result does not depend on their size.
pub(crate) const TILE_SIZE: u32 = 32;
/// Most quads that are listed at once, where a single record has no more.
pub(crate) const LISTED_QUADS: u32 = 1 << 22;

/// The reference engine and its guest memory.
#[derive(Debug)]
pub struct Reference {
    memory: GuestMemory,
    samples: u32,
    vertices_run: u64,
    counting: Option<Counting>,
}

/// The counters of draws so far.
#[derive(Debug)]
struct Counting {
    options: CountingOptions,
    draws: Vec<Counters>,
    /// The traces of the same draws, where they are recorded.
    traces: Option<Vec<TracedDraw>>,
    /// Whether something else wrote since the last draw.
    has_written: bool,
}

impl Reference {
    /// Creates an engine whose memory can grow to these sizes in bytes.
    ///
    /// # Errors
    /// When a size is beyond the chip.
    pub fn new(vram_bytes: u64, gart_bytes: u64) -> Result<Self, MemoryError> {
        Ok(Self { memory: GuestMemory::new(vram_bytes, gart_bytes)?, samples: 0, vertices_run: 0, counting: None })
    }

    /// How many vertices programs have run on: an index that a draw repeats counts once.
    #[must_use]
    pub const fn vertices_run(&self) -> u64 {
        self.vertices_run
    }

    /// Records the trace of every draw from the next on, while draws are counted.
    pub fn start_tracing(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.traces = Some(Vec::new());
        }
    }

    /// The traces of the draws since they were last taken, in the order of the stream.
    #[must_use]
    pub fn traces(&self) -> &[TracedDraw] {
        self.counting.as_ref().and_then(|counting| counting.traces.as_deref()).unwrap_or_default()
    }

    /// The traces of the draws since the last call, in the order of the stream.
    pub fn take_traces(&mut self) -> Vec<TracedDraw> {
        let traces = self.counting.as_mut().and_then(|counting| counting.traces.as_mut());
        traces.map(std::mem::take).unwrap_or_default()
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        let microcode = self.memory.slice(draw.fragment.program).as_chunks().0;
        let mut read = |offset: u32| microcode.get(offset as usize).map(|word| u32::from_le_bytes(*word));
        let (vertex_program, fragment_program) = decode_programs(draw, &mut read)?;

        let elements = fetch_indices(&self.memory, draw)?;
        let parameters = RasterParameters::new(draw);
        let primitives = assemble_primitives(draw.primitive, &elements.order, &draw.raster);
        let mut counted = self.counting.as_ref().map(|counting| {
            let programs = (&vertex_program, &fragment_program);
            CountedDraw::new(
                counting.options,
                &self.memory,
                draw,
                programs,
                &elements,
                primitives.len() as u64,
                counting.traces.as_deref().map(TraceRoom::beside),
            )
        });
        if !primitives.is_empty() && !draw.raster.clip.is_empty() {
            let programs = (&vertex_program, &fragment_program);
            self.draw_primitives(draw, programs, &parameters, elements.unique, primitives, counted.as_mut())?;
        }
        if let (Some(counting), Some(counted)) = (&mut self.counting, counted) {
            let counters = counted.finish();
            counting.draws.push(counters);
            if let Some(traces) = &mut counting.traces {
                let follows_writes = std::mem::take(&mut counting.has_written);
                traces.extend(counted.traced(draw, (vertex_program, fragment_program), counters, follows_writes));
            }
        }
        Ok(())
    }

    /// Runs the vertices of primitives, then draws them, batch by batch.
    fn draw_primitives(
        &mut self,
        draw: &Draw,
        (vertex_program, fragment_program): (&VertexProgram, &FragmentProgram),
        parameters: &RasterParameters<'_>,
        unique: Vec<u32>,
        primitives: Vec<Primitive>,
        mut counted: Option<&mut CountedDraw>,
    ) -> Result<(), EngineError> {
        // Fetches find memory as it was before the draw.
        let before = draw.samples_its_targets(u16::MAX).then(|| self.memory.clone());
        let over_surface = if counted.is_some() { RasterParameters::over_surface(draw) } else { None };
        let (mut stipple_counter, mut stipple_over_surface) = (0, 0);
        for batch in vertex_batches(unique, primitives, BATCH_VERTICES) {
            let vertices = self.run_vertices(draw, vertex_program, &batch.vertices);
            let records = set_up_batch(parameters, &vertices, &batch.primitives, &mut stipple_counter);
            if let Some(counted) = &mut counted {
                records.iter().for_each(|record| counted.count_record(record));
                if let Some(all) = &over_surface {
                    let records = set_up_batch(all, &vertices, &batch.primitives, &mut stipple_over_surface);
                    counted.count_rejects(count_rejects(parameters, all, &vertices, &records));
                }
            }
            let next = counted.as_deref_mut();
            self.draw_records(draw, fragment_program, parameters, (&vertices, &records), before.as_ref(), next)?;
        }
        Ok(())
    }

    /// Guest memory.
    pub(crate) const fn memory(&self) -> &GuestMemory {
        &self.memory
    }

    /// Runs the vertex program of a draw.
    pub(crate) fn run_vertices(&mut self, draw: &Draw, program: &VertexProgram, indices: &[u32]) -> Vec<ShadedVertex> {
        self.vertices_run += indices.len() as u64;
        let context = VertexContext::new(&draw.vertex);
        let units = BoundVertexTextures::new(&self.memory, &draw.vertex.textures);
        let run = |&index: &u32| {
            let inputs = vertex_inputs(&self.memory, draw, index);
            run_textured_vertex_program(program, &context, &inputs, &units)
        };
        indices.iter().map(run).collect()
    }

    /// Rasterises, shades and merges records; quads are listed before they are shaded, a few records at a time to keep
    /// the list short.
    fn draw_records(
        &mut self,
        draw: &Draw,
        program: &FragmentProgram,
        parameters: &RasterParameters<'_>,
        (vertices, records): (&[ShadedVertex], &[PrimitiveSetup]),
        before: Option<&GuestMemory>,
        mut counted: Option<&mut CountedDraw>,
    ) -> Result<(), EngineError> {
        let clip = draw.raster.clip;
        let clip_quads = (clip.width / 2 + 1) * (clip.height / 2 + 1);
        let records_at_once = (LISTED_QUADS / clip_quads).max(1) as usize;
        for records in records.chunks(records_at_once) {
            for quad in
                rasterize_tiles(parameters, vertices, records, TILE_SIZE).into_iter().flat_map(|tile| tile.quads)
            {
                let inputs = interpolate(parameters, vertices, &records[quad.record as usize], quad);
                let notes = counted.as_ref().and_then(|counted| counted.notes());
                let mut units = BoundTextures::new(before.unwrap_or(&self.memory), &draw.textures).noting(notes);
                let mut executed =
                    counted.as_ref().map_or_else(ProgramCounts::default, |counted| counted.program_counts());
                let counts = counted.as_ref().map(|counted| (counted.numbers(), &mut executed));
                let shaded = shade_counted_quad(program, &draw.fragment, &inputs, &mut units, counts)?;
                executed.lookups = *units.counts();
                let outcomes = merge_quad(&mut self.memory, &draw.rop, &draw.targets, &shaded);
                if draw.rop.counts_samples {
                    self.samples = self.samples.wrapping_add(outcomes.passed);
                }
                if let Some(counted) = &mut counted {
                    counted.count_quad(quad.record, &inputs, &shaded, &outcomes, &executed);
                }
            }
            if let Some(counted) = &mut counted {
                counted.first_primitive += u32::try_from(records.len()).expect("a batch has few records");
            }
        }
        Ok(())
    }
}

impl Engine for Reference {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.memory.grow(space, end)?;
        Ok(())
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.memory.extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.memory.store(window, bytes);
        Ok(())
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.memory.load(window, bytes);
        Ok(())
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        if let Some(counting) = &mut self.counting {
            counting.has_written |= matches!(
                command,
                GpuCommand::Clear(_)
                    | GpuCommand::CopyMemory(_)
                    | GpuCommand::ScaleImage(_)
                    | GpuCommand::ZeroMemory(_)
            );
        }
        match command {
            GpuCommand::Draw(draw) => self.draw(draw)?,
            GpuCommand::Clear(clear) => {
                if let Some(what) = clear.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                clear_surfaces(&mut self.memory, clear);
            }
            GpuCommand::CopyMemory(copy) => {
                if let Some(what) = copy.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                copy_memory(&mut self.memory, copy);
            }
            GpuCommand::ScaleImage(image) => {
                if let Some(what) = image.unsupported() {
                    return Err(EngineError::Unsupported { what });
                }
                scale_image(&mut self.memory, image);
            }
            GpuCommand::ZeroMemory(window) => zero_memory(&mut self.memory, *window),
            GpuCommand::ResetSampleCounter => self.samples = 0,
            GpuCommand::WriteReport { window, timestamp_ns } => {
                write_report(&mut self.memory, *window, *timestamp_ns, self.samples);
            }
            GpuCommand::WriteNotifier { window, timestamp_ns } => {
                write_report(&mut self.memory, *window, *timestamp_ns, 0);
            }
            GpuCommand::WriteFence { window, value } => write_fence(&mut self.memory, *window, *value),
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl CountingEngine for Reference {
    fn start_counting(&mut self, options: CountingOptions) -> Result<(), EngineError> {
        self.counting = Some(Counting { options, draws: Vec::new(), traces: None, has_written: false });
        Ok(())
    }

    fn take_counters(&mut self) -> Result<Vec<Counters>, EngineError> {
        Ok(self.counting.as_mut().map(|counting| std::mem::take(&mut counting.draws)).unwrap_or_default())
    }
}
