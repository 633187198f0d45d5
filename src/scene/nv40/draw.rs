//! Turns one draw into methods: state, programs, textures, vertex arrays, elements.

use super::state_registers;
use super::subchannels::THREE_D;
use super::{target, texture};
use crate::command::builder::address;
use crate::command::methods::three_d::{draw as methods, program, sync, vertex};
use crate::command::writer::StreamWriter;
use crate::scene::plan::{DrawPlan, Plan};
use crate::scene::store::{Stored, StoredInstances, StoredMesh};
use crate::scene::target::PlacedTarget;
use crate::scene::texture::PlacedTexture;

/// Elements of a batch.
const BATCH: u32 = 256;

/// Bytes of a report.
const REPORT_BYTES: u32 = 16;

/// The mesh and programs of a draw.
#[derive(Debug)]
pub(super) struct DrawContext<'a> {
    pub(super) mesh: &'a StoredMesh,
    pub(super) instances: Option<&'a StoredInstances>,
    /// Attributes that the vertex program reads.
    pub(super) attributes: u16,
}

/// Sets up state, textures and the fragment stage for a draw to this target.
pub(super) fn state(
    writer: &mut StreamWriter,
    plan: &Plan,
    draw: &DrawPlan,
    target: &PlacedTarget,
    textures: &[(PlacedTexture, Option<Stored>)],
) -> Result<(), String> {
    state_registers::write(&draw.state, target, writer)?;
    let of_scene = &plan.scene.textures.0;
    for unit in 0..16 {
        match draw.textures.iter().find(|(bound, _)| *bound == unit) {
            Some((_, index)) => texture::bind(writer, unit, &of_scene[*index].1, &textures[*index].0)?,
            None => texture::unbind(writer, unit),
        }
    }
    for unit in 0..4 {
        match draw.vertex_textures.iter().find(|(bound, _)| *bound == unit) {
            Some((_, index)) => texture::bind_vertex(writer, unit, &of_scene[*index].1, &textures[*index].0)?,
            None => texture::unbind_vertex(writer, unit),
        }
    }
    let fragment = plan.fragment_program(draw.fragment);
    target::count_positions(target, fragment.conventions, writer);
    let control = fragment.control;
    writer.set(THREE_D, crate::command::word::MethodWord::<{ program::FP_CONTROL }, 4>::field(control, 31, 0));
    if let Some(report) = draw.only_if {
        let word = sync::RENDER_ENABLE::offset(report * REPORT_BYTES) | sync::RENDER_ENABLE::mode(2u32);
        writer.act(THREE_D, word);
    }
    if draw.count.is_some() {
        writer.act(THREE_D, sync::QUERY_RESET::counter(1u32));
        writer.act(THREE_D, sync::QUERY_ENABLE::enable(true));
    }
    Ok(())
}

/// Ends sample counting and conditional drawing.
pub(super) fn finish(writer: &mut StreamWriter, draw: &DrawPlan) {
    if let Some(report) = draw.count {
        writer.act(THREE_D, sync::QUERY_GET::offset(report * REPORT_BYTES) | sync::QUERY_GET::counter(1u32));
        writer.act(THREE_D, sync::QUERY_ENABLE::enable(false));
    }
    if draw.only_if.is_some() {
        writer.act(THREE_D, sync::RENDER_ENABLE::offset(0u32) | sync::RENDER_ENABLE::mode(1u32));
    }
}

/// Binds the arrays and draws the elements.
pub(super) fn elements(writer: &mut StreamWriter, context: &DrawContext<'_>) {
    let mesh = context.mesh;
    let divider = context.instances.map_or(0, |_| mesh.vertex_count);
    let mut modulo = 0;
    for slot in 0..16u8 {
        let of_mesh = mesh.attributes.iter().find(|attribute| attribute.slot == slot);
        let of_instance = context
            .instances
            .and_then(|own| Some((own, own.attributes.iter().find(|attribute| attribute.slot == slot)?)));
        let (attribute, stride, start) = match (of_instance, of_mesh) {
            (Some((own, attribute)), _) => (attribute, own.stride, address(&own.stream.buffer)),
            (None, Some(attribute)) => {
                modulo |= u32::from(context.instances.is_some()) << slot;
                (attribute, mesh.stride, address(&mesh.vertices.buffer))
            }
            (None, None) => {
                writer.set_element(THREE_D, u16::from(slot), vertex::VTXFMT::component(2u32));
                continue;
            }
        };
        let is_read = context.attributes >> slot & 1 != 0;
        let format = vertex::VTXFMT::component(attribute.format.code())
            | vertex::VTXFMT::size(if is_read { attribute.size } else { 0 })
            | vertex::VTXFMT::stride(stride)
            | vertex::VTXFMT::frequency(divider);
        writer.set_element(THREE_D, u16::from(slot), vertex::VTXBUF::offset(start + attribute.offset));
        writer.set_element(THREE_D, u16::from(slot), format);
    }
    writer.set(THREE_D, vertex::FREQUENCY_DIVIDER_OPERATION::modulo(modulo));
    writer.act(THREE_D, vertex::VTX_CACHE_INVALIDATE_1710::value(0u32));
    let instances = context.instances.map_or(1, |instances| instances.count);
    let indices = context.instances.map_or(mesh.indices, |instances| instances.indices);
    writer.act(THREE_D, methods::VERTEX_BEGIN_END::primitive(mesh.primitive));
    match indices {
        Some((buffer, count, is_wide)) => {
            writer.upload(THREE_D, methods::IDXBUF_OFFSET, &[address(&buffer)]);
            writer.upload(THREE_D, methods::IDXBUF_FORMAT, &[u32::from(!is_wide) << 4]);
            writer.repeat(THREE_D, methods::VB_INDEX_BATCH, &batches(count));
        }
        None => {
            writer.repeat(THREE_D, methods::VB_VERTEX_BATCH, &batches(mesh.vertex_count.saturating_mul(instances)));
        }
    }
    writer.act(THREE_D, methods::VERTEX_BEGIN_END::primitive(0u32));
}

/// Batch words that cover this many elements: first element in 23:0, count minus one in 31:24.
fn batches(count: u32) -> Vec<u32> {
    let word = |first: u32| first | (((count - first).min(BATCH) - 1) << 24);
    (0..count.div_ceil(BATCH)).map(|batch| word(batch * BATCH)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_cover_all_elements() {
        assert!(batches(0).is_empty());
        assert_eq!(batches(1), [0]);
        assert_eq!(batches(256), [0xff00_0000]);
        assert_eq!(batches(600), [0xff00_0000, 0xff00_0100, 0x5700_0200]);
    }
}
