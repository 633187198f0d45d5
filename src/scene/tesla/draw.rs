//! Turns one draw into methods: connections of programs, vertex arrays, elements.

use super::links::{ATTRIBUTE_WORDS, Links, PRIMITIVE_VERTICES};
use super::methods::Methods;
use crate::command::builder::address;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use crate::format::{TeslaVertexKind, TeslaVertexSizes, VertexFormat};
use crate::scene::attribute::PlacedAttribute;
use crate::scene::loaded_program::SimtCode;
use crate::scene::state::State;
use crate::scene::store::{Stored, StoredInstances, StoredMesh};
use crate::scene::target::PlacedTarget;

/// User clip planes.
const CLIP_PLANES: u8 = 8;

/// The word of points in scenes.
const POINTS: u32 = 1;

/// The number of attributes.
const ATTRIBUTES: u16 = 16;

/// The array of a mesh's vertices, and that of instances.
const ARRAYS: [u16; 2] = [0, 1];

/// `VERTEX_ARRAY_FETCH` of an array that is read.
const ENABLED: u32 = 1 << 29;

/// `VERTEX_ARRAY_ATTRIB` of an attribute with the constant value.
const CONSTANT: u32 = 0x3f << 25 | 1 << 19 | 1 << 4;

/// `VERTEX_BEGIN_GL` of the next instance.
const NEXT_INSTANCE: u32 = 1 << 28;

/// The components of the position that fragment programs read first, in `FP_INTERPOLANT_CTRL`.
const WHOLE_POSITION: u32 = 0xf << 24;

/// The programs of a draw.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawPrograms<'a> {
    pub(super) vertex: &'a SimtCode,
    pub(super) geometry: Option<&'a SimtCode>,
    pub(super) fragment: &'a SimtCode,
}

/// Connects the programs. Word n of the last stage before the rasterizer is slot n of the map.
pub(super) fn connect(
    programs: DrawPrograms<'_>,
    state: &State,
    target: &PlacedTarget,
    methods: &mut Methods,
) -> Result<(), String> {
    let DrawPrograms { vertex, geometry, fragment } = programs;
    let links = Links::new(vertex, geometry, fragment)?;
    vertex_stage(vertex, geometry, methods);
    fixed_results(geometry.unwrap_or(vertex), state, methods)?;
    methods.set(late::GP_ENABLE, geometry.is_some());
    if let (Some(geometry), Some(count)) = (geometry, links.geometry) {
        let (primitive, vertices) = geometry.emits.unwrap_or_default();
        methods.set(late::GP_REG_ALLOC_TEMP, geometry.registers);
        methods.set(late::GP_REG_ALLOC_RESULT, count);
        methods.set(late::GP_OUTPUT_PRIMITIVE_TYPE, primitive);
        methods.set(late::GP_VERTEX_OUTPUT_COUNT, vertices);
        result_map(methods, [late::GP_RESULT_MAP_SIZE, late::GP_RESULT_MAP], count);
    }
    let control = links.interpolants | 4 << 8 | links.smooth << 16 | WHOLE_POSITION;
    methods.set(late::FP_INTERPOLANT_CTRL, control);
    let colors = u32::try_from(target.colors.len()).unwrap_or(0);
    let results = 4 * colors + u32::from(fragment.writes_depth);
    if fragment.registers < results {
        let found = fragment.registers;
        return Err(format!("the fragment program leaves {results} results in its registers, but it has only {found}"));
    }
    methods.set(late::FP_REG_ALLOC_TEMP, fragment.registers);
    methods.set(early::FP_RESULT_COUNT, results);
    let flags = u32::from(colors > 1) | u32::from(fragment.writes_depth) << 8 | u32::from(fragment.uses.discards) << 20;
    methods.set(late::FP_CONTROL, flags);
    methods.set(late::FP_CTRL_UNK196C, if fragment.writes_depth { 0x11u32 } else { 0 });
    Ok(())
}

/// Which words of the last program before the rasterizer are the size of a point and distances from planes.
fn fixed_results(last: &SimtCode, state: &State, methods: &mut Methods) -> Result<(), String> {
    methods.set(late::SEMANTIC_PTSZ, last.point_size.map_or(0, |word| word << 4 | 1));
    let planes = state.clip_planes.as_deref().unwrap_or_default();
    if planes.iter().any(|plane| *plane >= CLIP_PLANES) {
        return Err(format!("clip_planes: there are {CLIP_PLANES}, from 0"));
    }
    let count = planes.iter().map(|plane| u32::from(*plane) + 1).max().unwrap_or(0);
    let first = match last.clip_distances {
        Some(first) if first + count <= last.uses.outputs => first,
        _ if count == 0 => 0,
        Some(_) => return Err(format!("clip_planes: the program writes fewer than {count} `clip_distances`")),
        None => return Err("clip_planes: the last program before the fragments names no `clip_distances`".to_owned()),
    };
    methods.set(late::SEMANTIC_CLIP, first | count << 8);
    methods.set(late::CLIP_DISTANCE_ENABLE, planes.iter().fold(0u32, |all, plane| all | 1 << plane));
    Ok(())
}

/// The inputs and the outputs of the vertex program.
fn vertex_stage(vertex: &SimtCode, geometry: Option<&SimtCode>, methods: &mut Methods) {
    attributes(vertex, geometry, methods);
    methods.set(late::VP_REG_ALLOC_TEMP, vertex.registers);
    methods.set(late::VP_REG_ALLOC_RESULT, vertex.uses.outputs);
    result_map(methods, [late::VP_RESULT_MAP_SIZE, late::VP_RESULT_MAP], vertex.uses.outputs);
}

/// Lets the vertices of a mesh go through a vertex program into memory, and not to the rasterizer.
pub(super) fn stream(vertex: &SimtCode, mesh: &StoredMesh, methods: &mut Methods) -> Result<(), String> {
    let next = mesh.next.as_ref().ok_or("the mesh has no memory for other vertices")?;
    if mesh.primitive != POINTS || mesh.indices.is_some() {
        return Err("only points without indices can be replaced".to_owned());
    }
    let words = vertex.uses.outputs;
    if mesh.attributes.iter().any(|attribute| attribute.format != VertexFormat::F32) || 4 * words != mesh.stride {
        let vertex = mesh.stride / 4;
        return Err(format!("the program writes {words} words; the vertex is to have as many floats, not {vertex}"));
    }
    vertex_stage(vertex, None, methods);
    methods.set(late::GP_ENABLE, 0u32);
    methods.set(late::RASTERIZE_ENABLE, 0u32);
    for slot in (0..words).step_by(4) {
        let byte = |word: u32| if slot + word < words { 0x80 | (slot + word) } else { 0 };
        let map = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
        methods.set(late::STRMOUT_MAP + u16::try_from(slot).unwrap_or(0), map);
    }
    // One buffer, whose limit is in primitives before the GT200 and in bytes since.
    methods.set(early::STRMOUT_BUFFERS_CTRL, 1 | u32::from(methods.limits_bytes) << 1 | mesh.stride << 8);
    methods.set(early::STRMOUT_PRIMITIVE_LIMIT, mesh.vertex_count);
    methods.set_address(late::STRMOUT_ADDRESS_HIGH, late::STRMOUT_ADDRESS_LOW, address(next));
    methods.set(late::STRMOUT_NUM_ATTRIBS, words);
    methods.set(late::STRMOUT_OFFSET_LIMIT, mesh.vertex_count * mesh.stride);
    methods.set(late::STRMOUT_OFFSET, 0u32);
    methods.act(early::STRMOUT_PARAMS_LATCH, 1);
    methods.set(late::STRMOUT_ENABLE, 1u32);
    arrays(mesh, None, methods)?;
    elements(mesh, 1, methods);
    methods.set(late::STRMOUT_ENABLE, 0u32);
    methods.set(late::RASTERIZE_ENABLE, 1u32);
    Ok(())
}

/// The attributes that the vertex program reads: attribute n is `a[16 n]`, so all before the last one are there too. The
/// numbers of vertex and instance follow all sixteen.
fn attributes(vertex: &SimtCode, geometry: Option<&SimtCode>, methods: &mut Methods) {
    let read = vertex.uses.attributes;
    let count = read.min(ATTRIBUTE_WORDS).div_ceil(4).max(1);
    let enabled = u64::MAX >> (64 - 4 * count);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    let [low, high] = [enabled as u32, (enabled >> 32) as u32];
    methods.set(late::VP_ATTR_EN, low);
    methods.set(late::VP_ATTR_EN + 4, high);
    let numbers_primitives = geometry.is_some_and(|geometry| geometry.uses.attributes > PRIMITIVE_VERTICES);
    // The number of a vertex counts from the first one of the range, bit 12.
    let built_in = u32::from(read > ATTRIBUTE_WORDS)
        | u32::from(read > ATTRIBUTE_WORDS) << 12
        | u32::from(read > ATTRIBUTE_WORDS + 1) << 4
        | u32::from(numbers_primitives) << 8;
    methods.set(late::VP_GP_BUILTIN_ATTR_EN, built_in);
}

/// A map that passes this many words in their order.
fn result_map(methods: &mut Methods, [size, map]: [u16; 2], count: u32) {
    methods.set(size, count);
    for (word, first) in (0u16..).zip((0..count).step_by(4)) {
        let byte = |place: u32| if first + place < count { first + place } else { 0 };
        methods.set(map + 4 * word, byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24);
    }
}

/// The format of an attribute in `VERTEX_ARRAY_ATTRIB`.
fn attribute_format(attribute: &PlacedAttribute) -> Result<u32, String> {
    use TeslaVertexKind::{Float, Snorm, Sscaled, Unorm, Uscaled};
    let (bytes, kind, swaps) = match attribute.format {
        VertexFormat::F32 => (4, Float, false),
        VertexFormat::F16 => (2, Float, false),
        VertexFormat::S16 => (2, Sscaled, false),
        VertexFormat::U8 => (1, Uscaled, false),
        VertexFormat::U8Unorm => (1, Unorm, false),
        VertexFormat::B8G8R8A8Unorm => (1, Unorm, true),
        VertexFormat::S16Norm => (2, Snorm, false),
        VertexFormat::S11S11S10Norm => {
            return Err(format!("attribute {}: the GeForce 8 has no {}", attribute.slot, attribute.format.name()));
        }
    };
    let size = if swaps { 4 } else { usize::from(attribute.size) };
    let bits = 8 * bytes;
    let sizes = TeslaVertexSizes::ALL.iter().find(|sizes| {
        let components = sizes.component_bits();
        components.len() == size && components.iter().all(|own| *own == bits)
    });
    let sizes = sizes.ok_or_else(|| format!("attribute {} has no format", attribute.slot))?;
    Ok(u32::from(swaps) << 31 | (kind as u32) << 25 | sizes.code() << 19)
}

/// Binds the vertex arrays of a mesh and of instances.
pub(super) fn arrays(
    mesh: &StoredMesh,
    instances: Option<&StoredInstances>,
    methods: &mut Methods,
) -> Result<(), String> {
    array(methods, ARRAYS[0], &mesh.vertices, mesh.stride);
    let of_instances = instances.map(|own| own.attributes.as_slice()).unwrap_or_default();
    if let Some(own) = instances {
        array(methods, ARRAYS[1], &own.stream, own.stride);
    }
    methods.set_element(early::VERTEX_ARRAY_PER_INSTANCE, 4, ARRAYS[1], instances.is_some());
    methods.set_element(early::VERTEX_ARRAY_DIVISOR, 16, ARRAYS[1], 1u32);
    for slot in 0..ATTRIBUTES {
        let find = |attributes: &[PlacedAttribute]| {
            attributes.iter().find(|attribute| u16::from(attribute.slot) == slot).copied()
        };
        let word = match (find(of_instances), find(&mesh.attributes)) {
            (Some(own), _) => u32::from(ARRAYS[1]) | own.offset << 5 | attribute_format(&own)?,
            (None, Some(own)) => u32::from(ARRAYS[0]) | own.offset << 5 | attribute_format(&own)?,
            (None, None) => CONSTANT,
        };
        methods.set_element(late::VERTEX_ARRAY_ATTRIB, 4, slot, word);
    }
    methods.act(late::VERTEX_ARRAY_FLUSH, 0);
    Ok(())
}

/// Binds an array: its first byte, its last one, and the bytes from one element to the next.
fn array(methods: &mut Methods, number: u16, stored: &Stored, stride: u32) {
    let start = address(&stored.buffer);
    let last = start + u32::try_from(stored.buffer.bytes).unwrap_or(u32::MAX) - 1;
    methods.set_element(early::VERTEX_ARRAY_FETCH, 16, number, ENABLED | stride);
    methods.set_element(early::VERTEX_ARRAY_START_HIGH, 16, number, 0u32);
    methods.set_element(early::VERTEX_ARRAY_START_LOW, 16, number, start);
    methods.set_element(early::VERTEX_ARRAY_LIMIT_HIGH, 8, number, 0u32);
    methods.set_element(early::VERTEX_ARRAY_LIMIT_LOW, 8, number, last);
}

/// The words of a mesh's indices.
pub(super) const fn listed(mesh: &StoredMesh) -> u64 {
    mesh.index_values.len() as u64
}

/// Draws the elements, once for each instance. Indices are words of the stream, as many as [`listed`] says.
pub(super) fn elements(mesh: &StoredMesh, instances: u32, methods: &mut Methods) {
    // Primitives have OpenGL's numbers; those of the scene's words are NV40's, one more, where 0 is none.
    let Some(primitive) = mesh.primitive.checked_sub(1) else { return };
    for instance in 0..instances {
        methods.act(late::VERTEX_BEGIN_GL, primitive | if instance == 0 { 0 } else { NEXT_INSTANCE });
        match &mesh.indices {
            // A word holds two indices of 16 bits.
            Some((_, count, false)) if count.is_multiple_of(2) => {
                let pairs = mesh.index_values.as_chunks().0;
                let words: Vec<u32> = pairs.iter().map(|[low, high]| low | high << 16).collect();
                methods.repeat(late::VB_ELEMENT_U16, &words);
            }
            Some(_) => methods.repeat(late::VB_ELEMENT_U32, &mesh.index_values),
            None => {
                methods.act(early::VERTEX_BUFFER_FIRST, 0);
                methods.act(early::VERTEX_BUFFER_COUNT, mesh.vertex_count);
            }
        }
        methods.act(late::VERTEX_END_GL, 0);
    }
}
