//! The geometry stage of programs: runs one over the primitives of a batch, and assembles what it emits.

use super::assembled::{Assembled, PrimitiveList};
use super::buffers::grown;
use crate::gpu::{Bound, DeviceError, Gpu, Kernel, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::context::Context;
use crate::kernels::plan::texture_parameters::ShadeParameters;
use crate::kernels::workgroups::linear_workgroups;
use crate::pipeline::front_end::assemble_primitives::Primitive;
use crate::pipeline::{Draw, PolygonMode, SimtGeometryStage};
use crate::recompiler::compute::{GEOMETRY_WORKGROUP, SimtProgramKey};
use crate::recompiler::vertex::output_vectors;

/// Assembles emitted vertices into primitives.
pub(in crate::kernels) const ASSEMBLE_PRIMITIVES: &str = include_str!("../../../wgsl/setup/assemble_primitives.wgsl");

/// Maximum number of vertices that a dispatch may emit: 16 MiB of output registers.
const EMITTED_VERTICES: u32 = 1 << 16;

bindings! {
    /// Bindings of `run_geometry_programs`.
    GeometryProgramBindings {
        /// Guest memory, for programs that read textures.
        0 => memory: Bound<'a>,
        1 => parameters: Bound<'a>,
        2 => constants: Bound<'a>,
        4 => vertices: Bound<'a>,
        5 => primitives: Bound<'a>,
        /// Texture parameters, for programs that read textures.
        11 => textures: Option<Bound<'a>>,
        /// Output registers of each vertex that may be emitted.
        20 => emitted: Bound<'a>,
        /// The place of each such vertex in its strip, from 1; 0 if it is not emitted.
        21 => strips: Bound<'a>,
    }
}

bindings! {
    /// Bindings of `assemble_primitives`.
    AssemblyBindings {
        /// [`Assembly::parameters`].
        1 => assembly: Bound<'a>,
        21 => strips: Bound<'a>,
        22 => assembled: Bound<'a>,
    }
}

/// The parameters of a kernel that runs a geometry program; the twin of the structure in `wgsl/setup/emitted_vertices.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct GeometryParameters {
    zero: u32,
    primitive_count: u32,
    first_primitive: u32,
    first_number: u32,
}

/// The vertices that programs emit and the primitives over them, reused between draws.
#[derive(Debug, Default)]
pub(in crate::kernels) struct GeometryProgramStage {
    emitted: Option<wgpu::Buffer>,
    strips: Option<wgpu::Buffer>,
    assembled: Option<wgpu::Buffer>,
}

/// How emitted vertices become primitives.
#[derive(Debug, Clone, Copy)]
pub(in crate::kernels) struct Assembly {
    corners: u32,
    first_provokes: bool,
    modes: [PolygonMode; 2],
}

impl Assembly {
    /// That of a draw.
    pub(in crate::kernels) fn new(draw: &Draw) -> Self {
        let (corners, raster) = (draw.rasterized_primitive().corners(), &draw.raster);
        Self { corners, first_provokes: raster.first_vertex_provokes, modes: raster.polygon_mode }
    }

    /// That of filled triangles.
    pub(in crate::kernels) const TRIANGLES: Self =
        Self { corners: 3, first_provokes: false, modes: [PolygonMode::Fill; 2] };

    /// Whether polygons are drawn as triangles, as lines and as points.
    fn forms(&self) -> [bool; 3] {
        let forms = [PolygonMode::Fill, PolygonMode::Line, PolygonMode::Point];
        forms.map(|mode| self.corners == 3 && self.modes.contains(&mode))
    }

    /// The number of primitives that a vertex may complete.
    fn primitives(&self) -> u32 {
        match (self.corners, self.forms()) {
            (3, [fills, lines, points]) => u32::from(fills) + 3 * u32::from(lines) + 3 * u32::from(points),
            _ => 1,
        }
    }

    /// Whether points, lines and triangles may be among the primitives.
    fn kinds(&self) -> [bool; 3] {
        let [_, lines, points] = self.forms();
        [points || self.corners == 1, lines || self.corners == 2, self.corners == 3]
    }

    /// The parameters of the kernel for this many vertices.
    pub(in crate::kernels) fn parameters(&self, vertex_count: u32) -> [u32; 4] {
        let bits = [self.first_provokes].into_iter().chain(self.forms()).zip(0..);
        let flags = bits.fold(0, |flags, (is_set, bit)| flags | u32::from(is_set) << bit);
        [vertex_count, self.primitives(), self.corners, flags]
    }

    /// Records the assembly of vertices by their places in strips.
    fn record(
        &self,
        gpu: &Gpu,
        recording: &mut Recording,
        vertex_count: u32,
        [strips, assembled]: [&wgpu::Buffer; 2],
    ) -> Result<(), DeviceError> {
        let kernel = gpu.kernel_of("assemble_primitives", 0, || ASSEMBLE_PRIMITIVES.to_owned())?;
        let parameters = recording.store_changed("assembly", bytemuck::bytes_of(&self.parameters(vertex_count)))?;
        let bindings =
            AssemblyBindings { assembly: (&parameters).into(), strips: strips.into(), assembled: assembled.into() };
        recording.dispatch(&kernel, &bindings, Self::workgroups(vertex_count));
        Ok(())
    }

    /// Workgroups for this many vertices.
    pub(in crate::kernels) const fn workgroups(vertex_count: u32) -> [u32; 3] {
        linear_workgroups(vertex_count, 64)
    }
}

/// The vertices that a program emits, and the primitives over them.
pub(in crate::kernels) struct Emitted {
    vertices: wgpu::Buffer,
    vertex_count: u32,
    primitives: wgpu::Buffer,
    primitive_count: u32,
    kinds: [bool; 3],
}

impl Emitted {
    /// The same as input of the later stages.
    pub(in crate::kernels) const fn assembled(&self) -> Assembled<'_> {
        let (buffer, count, kinds) = (&self.primitives, self.primitive_count, self.kinds);
        let primitives = PrimitiveList::Device { buffer, first: 0, count, kinds };
        Assembled { vertices: &self.vertices, vertex_count: self.vertex_count, primitives, counted: None }
    }
}

/// The primitives of a dispatch.
pub(in crate::kernels) struct ProgramPrimitives<'a> {
    /// The vertices of the batch, which programs ran on.
    pub(in crate::kernels) vertices: &'a wgpu::Buffer,
    /// The primitives of the batch.
    pub(in crate::kernels) primitives: Bound<'a>,
    /// Those that the program runs on.
    pub(in crate::kernels) range: std::ops::Range<u32>,
    /// The number of the first one of the batch in the draw.
    pub(in crate::kernels) first_number: u32,
}

impl GeometryProgramStage {
    /// The ranges of this many primitives that one dispatch each runs on; none if the program emits nothing.
    pub(in crate::kernels) fn ranges(
        stage: &SimtGeometryStage,
        count: u32,
    ) -> impl Iterator<Item = std::ops::Range<u32>> {
        let step = EMITTED_VERTICES.checked_div(stage.max_vertices).map_or(0, |step| step.max(1));
        let count = if step == 0 { 0 } else { count };
        (0..count).step_by(step.max(1) as usize).map(move |first| first..first.saturating_add(step).min(count))
    }

    /// Records the program over primitives, and the assembly of what it emits.
    pub(in crate::kernels) fn run(
        &mut self,
        Context { gpu, recording, memory, .. }: &mut Context,
        (draw, stage): (&Draw, &SimtGeometryStage),
        kernel: &Kernel,
        from: &ProgramPrimitives<'_>,
    ) -> Result<Emitted, DeviceError> {
        let count = from.range.end - from.range.start;
        let vertex_count = count * stage.max_vertices;
        let vertex_bytes = output_vectors(vertex_count as usize) * size_of::<[u32; 4]>();
        let emitted = grown(gpu, &mut self.emitted, "emitted vertices", vertex_bytes as u64)?;
        let strips = grown(gpu, &mut self.strips, "strips", u64::from(vertex_count) * 4)?;
        let assembly = Assembly::new(draw);
        let primitive_count = vertex_count * assembly.primitives();
        let bytes = u64::from(primitive_count) * size_of::<Primitive>() as u64;
        let assembled = grown(gpu, &mut self.assembled, "assembled primitives", bytes)?;
        recording.clear(&strips, 0, u64::from(vertex_count) * 4);
        let mut constants = SimtProgramKey::constant_vectors(&stage.stage);
        // A buffer is not empty.
        constants.push([0; 4]);
        let constants = recording.store_changed("geometry constants", bytemuck::cast_slice(&constants))?;
        let (first_primitive, zero) = (from.range.start, 0);
        let first_number = from.first_number.wrapping_add(first_primitive);
        let parameters = GeometryParameters { zero, primitive_count: count, first_primitive, first_number };
        let parameters = recording.store_changed("geometry parameters", bytemuck::bytes_of(&parameters))?;
        let textures = if stage.textures.is_empty() {
            None
        } else {
            let locate = |window| memory.locate(window);
            let textures = ShadeParameters::of_program(&stage.stage.program, &stage.textures, &locate);
            Some(recording.store_changed("geometry textures", bytemuck::bytes_of(&textures))?)
        };
        let bindings = GeometryProgramBindings {
            memory: memory.buffer().into(),
            textures: textures.as_ref().map(Into::into),
            parameters: (&parameters).into(),
            constants: (&constants).into(),
            vertices: from.vertices.into(),
            primitives: from.primitives,
            emitted: (&emitted).into(),
            strips: (&strips).into(),
        };
        recording.dispatch(kernel, &bindings, linear_workgroups(count, GEOMETRY_WORKGROUP));
        assembly.record(gpu, recording, vertex_count, [&strips, &assembled])?;
        Ok(Emitted { vertices: emitted, vertex_count, primitives: assembled, primitive_count, kinds: assembly.kinds() })
    }
}
