//! Turns the vertex stage of a draw into the key of its kernel, its parameters and the buffers that the host fills.

use super::vec4_stages::vertex_stage;
use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::kernels::workgroups;
use crate::pipeline::{Draw, Elements, VertexAttribute, VertexInput, VertexTexture};
use crate::recompiler::vertex::{self, Advance, AttributeLayout, ElementAlignment};
use crate::recompiler::vertex::{ProgramTraits, VertexFetch, VertexKernelKey};
use crate::shader::vertex::{CONSTANT_SLOTS, VertexProgram};

/// Vertices per dispatch of a program that can loop: at most a billion instructions.
const LOOPING_VERTICES: u32 = 1 << 14;

/// One attribute: an array in guest memory, or one value for all vertices.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct VertexArray {
    /// First byte in the mirror of guest memory.
    pub start: u32,
    /// Number of elements entirely inside the window.
    pub element_count: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// Frequency divider, at least 1.
    pub divider: u32,
    /// The value when there is no array.
    pub value: [u32; 4],
}

/// One vertex texture unit; see `wgsl/vertex/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct VertexTextureParameters {
    pub start: u32,
    pub bytes: u32,
    pub size: u32,
    pub pitch: u32,
    pub last_level: u32,
    pub lod_bias: i32,
    pub min_lod: i32,
    pub max_lod: i32,
    pub wrap: u32,
    pub channels: u32,
    pub padding: [u32; 2],
    pub border: [u32; 4],
}

impl VertexTextureParameters {
    /// The parameters of an enabled unit.
    #[must_use]
    pub fn new(texture: &VertexTexture, locate: Locate<'_>) -> Self {
        let MirrorWindow { start, bytes } = locate(texture.window);
        let [width, height] = texture.base_size();
        let [lod_bias, min_lod, max_lod] = texture.lod_limits();
        Self {
            start,
            bytes,
            size: width | height << 16,
            pitch: texture.pitch_bytes,
            last_level: texture.last_level(),
            lod_bias,
            min_lod,
            max_lod,
            wrap: texture.wrap[0] as u32 | (texture.wrap[1] as u32) << 8,
            channels: texture.format.channels(),
            padding: [0; 2],
            border: texture.border(),
        }
    }
}

/// Binding 1 of the kernel, the twin of `wgsl/vertex/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct VertexParameters {
    /// Always 0.
    pub zero: u32,
    /// End of the shaded vertex range.
    pub vertex_count: u32,
    /// Added to every index.
    pub base_index: u32,
    /// The booleans of BRB and CLB.
    pub booleans: u32,
    /// Maximum number of instructions that one vertex executes.
    pub instruction_limit: u32,
    /// Lowest constant that indexed reads reach.
    pub first_indexed_constant: u32,
    /// Highest constant that indexed reads reach.
    pub last_indexed_constant: u32,
    /// The first shaded vertex.
    pub first_vertex: u32,
    /// 1 if the constants that are factors are in the normal range.
    pub has_normal_range_constants: u32,
    /// Pads to a multiple of 16 bytes.
    pub padding: [u32; 3],
    /// The attributes.
    pub arrays: [VertexArray; 16],
    /// The texture units.
    pub textures: [VertexTextureParameters; 4],
}

impl VertexParameters {
    /// The parameters of a draw.
    #[must_use]
    pub fn new(draw: &Draw, program: &ProgramTraits, vertex_count: u32, locate: Locate<'_>) -> Self {
        let Some(stage) = draw.vertex.vec4() else {
            return Self::without_arrays(vertex_count, 0, 0, (0, 0)).with_input(&draw.input, locate);
        };
        let base = Self::without_arrays(vertex_count, stage.booleans, stage.instruction_limit, stage.indexed_constants)
            .with_constants(program, &stage.constants);
        let textures = stage
            .textures
            .each_ref()
            .map(|unit| unit.as_ref().map_or_else(Default::default, |unit| VertexTextureParameters::new(unit, locate)));
        Self { textures, ..base.with_input(&draw.input, locate) }
    }

    /// These parameters with the properties of a program's constants.
    #[must_use]
    pub fn with_constants(self, program: &ProgramTraits, constants: &[[u32; 4]]) -> Self {
        Self { has_normal_range_constants: u32::from(program.has_normal_range_constants(constants)), ..self }
    }

    /// These parameters with the arrays of an input.
    #[must_use]
    pub fn with_input(self, input: &VertexInput, locate: Locate<'_>) -> Self {
        let arrays = input.attributes.map(|attribute| match attribute {
            VertexAttribute::Constant(value) => VertexArray { divider: 1, value, ..VertexArray::default() },
            VertexAttribute::Array { window, format, stride, divider, .. } => {
                let MirrorWindow { start, bytes } = locate(window);
                let beyond_first = bytes.checked_sub(format.bytes());
                let element_count = match (beyond_first, stride) {
                    (None, _) => 0,
                    (Some(_), 0) => u32::MAX,
                    (Some(rest), stride) => rest / stride + 1,
                };
                let divider = u32::from(divider).max(1);
                VertexArray { start, element_count, stride, divider, value: [0; 4] }
            }
        });
        Self { base_index: input.base_index, arrays, ..self }
    }

    /// The parameters of a program with immediate attributes.
    #[must_use]
    pub fn without_arrays(vertex_count: u32, booleans: u32, instruction_limit: u32, (first, last): (u16, u16)) -> Self {
        let highest = u16::try_from(CONSTANT_SLOTS - 1).expect("the store has 544 slots");
        Self {
            vertex_count,
            booleans,
            instruction_limit,
            first_indexed_constant: u32::from(first),
            last_indexed_constant: u32::from(last.min(highest)),
            ..Self::default()
        }
    }
}

/// The key of a draw's kernel; bit i of `outputs`: later stages read output register i.
#[must_use]
pub fn key(draw: &Draw, program: &VertexProgram, outputs: u16, has_runs: bool, locate: Locate<'_>) -> VertexKernelKey {
    let stage = vertex_stage(draw);
    VertexKernelKey {
        program: program.clone(),
        rules: stage.rules,
        fetch: draw_fetch(draw, vertex::attributes_read(program), locate),
        outputs,
        output_map: stage.output_map,
        has_runs,
    }
}

/// The baked state of a draw's input; the program reads the attributes in the mask `read`.
#[must_use]
pub fn draw_fetch(draw: &Draw, read: u16, locate: Locate<'_>) -> VertexFetch {
    match draw.elements {
        Elements::Immediate(_) => VertexFetch::Immediate,
        Elements::Ranges(_) | Elements::Inline(_) | Elements::Buffer { .. } => fetch(&draw.input, read, locate),
    }
}

/// The baked state of an input; attributes outside the mask `read` are constant.
#[must_use]
pub fn fetch(input: &VertexInput, read: u16, locate: Locate<'_>) -> VertexFetch {
    let alignment = |window, stride: u32| {
        let start = locate(window).start;
        match start.is_multiple_of(4) && stride.is_multiple_of(4) {
            true => ElementAlignment::Words,
            false => ElementAlignment::Bytes,
        }
    };
    let layouts = std::array::from_fn(|index| match input.attributes[index] {
        VertexAttribute::Array { window, format, stride, divider, is_modulo } if read >> index & 1 != 0 => {
            AttributeLayout::Array {
                format,
                advance: match (divider, is_modulo) {
                    (0 | 1, _) => Advance::Every,
                    (_, false) => Advance::Divide,
                    (_, true) => Advance::Modulo,
                },
                alignment: alignment(window, stride),
            }
        }
        VertexAttribute::Array { .. } | VertexAttribute::Constant(_) => AttributeLayout::Constant,
    });
    VertexFetch::Arrays(Box::new(layouts))
}

/// Binding 2: the whole constant store.
#[must_use]
pub fn constant_store(constants: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut store = vec![[0; 4]; CONSTANT_SLOTS];
    for (slot, constant) in store.iter_mut().zip(constants) {
        *slot = *constant;
    }
    store
}

/// Binding 3: vertex indices, or the attributes of immediate vertices.
#[must_use]
pub fn vertex_stream(draw: &Draw, indices: &[u32]) -> Vec<u32> {
    match &draw.elements {
        Elements::Immediate(vertices) => {
            indices.iter().flat_map(|&index| vertices[index as usize].into_iter().flatten()).collect()
        }
        Elements::Ranges(_) | Elements::Inline(_) | Elements::Buffer { .. } => indices.to_vec(),
    }
}

/// Ranges of vertices that are dispatched and submitted one after the other, so that a driver does not mistake a
/// program with loops for a hang.
pub fn dispatch_ranges(program: &ProgramTraits, vertex_count: u32) -> impl Iterator<Item = std::ops::Range<u32>> {
    let step = if program.can_loop { LOOPING_VERTICES } else { u32::MAX };
    (0..vertex_count).step_by(step as usize).map(move |first| first..first.saturating_add(step).min(vertex_count))
}

/// Binding 3 for immediate vertices.
#[must_use]
pub fn immediate_stream(vertices: &[[[u32; 4]; 16]]) -> Vec<u32> {
    bytemuck::cast_slice(vertices).to_vec()
}

/// Workgroups for this many vertices, if the kernel's key has this program and `has_runs`.
#[must_use]
pub fn workgroups(vertex_count: u32, program: &VertexProgram, has_runs: bool) -> [u32; 3] {
    linear_workgroups(vertex_count, vertex::run_and_workgroup(program, has_runs))
}

/// Workgroups for this many vertices; an invocation takes a run of them.
#[must_use]
pub fn linear_workgroups(vertex_count: u32, [run, workgroup]: [u32; 2]) -> [u32; 3] {
    workgroups::linear_workgroups(vertex_count.div_ceil(run), workgroup)
}

/// The kernel's WGSL.
#[must_use]
pub fn source(key: &VertexKernelKey) -> String {
    vertex::source(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_lie_where_the_kernel_reads_them() {
        let source = crate::gpu::module_source("vertex::parameters").unwrap();
        let module = naga::front::wgsl::parse_str(source).unwrap();
        let members_of = |name: &str| {
            let (_, ty) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some(name)).unwrap();
            let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is not a struct") };
            let members: Vec<_> =
                members.iter().map(|member| (member.name.clone().unwrap(), member.offset as usize)).collect();
            (members, *span as usize)
        };
        macro_rules! assert_same {
            ($name:ident { $($field:ident),* }) => {
                let fields = vec![$((stringify!($field).to_owned(), std::mem::offset_of!($name, $field))),*];
                assert_eq!(members_of(stringify!($name)), (fields, size_of::<$name>()));
            };
        }
        assert_same!(VertexArray { start, element_count, stride, divider, value });
        assert_same!(VertexParameters {
            zero,
            vertex_count,
            base_index,
            booleans,
            instruction_limit,
            first_indexed_constant,
            last_indexed_constant,
            first_vertex,
            has_normal_range_constants,
            padding,
            arrays,
            textures
        });
        assert_same!(VertexTextureParameters {
            start,
            bytes,
            size,
            pitch,
            last_level,
            lod_bias,
            min_lod,
            max_lod,
            wrap,
            channels,
            padding,
            border
        });
    }
}
