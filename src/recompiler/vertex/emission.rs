//! Translates the emission of vertices by geometry shaders into WGSL: output registers to triangles in a buffer.
//!
//! Each of three slots has a copy of the output registers that the program writes, and so has their second bank.

use super::VertexKernelKey;
use super::output_registers::{INITIAL_OUTPUT, outputs_of};
use crate::recompiler::emitted_vertices;
use crate::recompiler::text::Text;
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::vertex::{EMISSION_SLOTS, EmissionTarget, KEPT_TRIANGLES};

/// The vertices that an invocation has room for; each triangle is a strip. Registers that the program does not write keep what
/// the host fills the buffer with, [`UNWRITTEN_OUTPUT`](crate::shader::vertex::UNWRITTEN_OUTPUT). Behind the places in strips
/// of all invocations are the numbers of triangles that each one emits.
#[expect(clippy::cast_possible_truncation, reason = "there are three slots")]
pub const EMITTED_VERTICES: u32 = KEPT_TRIANGLES * EMISSION_SLOTS as u32;

/// Emits the binding.
pub(super) fn declare(text: &mut Text, key: &VertexKernelKey) {
    if key.program.emits() {
        emitted_vertices::declare(text);
    }
}

/// Emits the target, the slots and the second bank.
pub(super) fn emit_registers(text: &mut Text, key: &VertexKernelKey, resources: &VertexResources) {
    if !key.program.emits() {
        return;
    }
    text.line("var triangle_count = 0u;");
    text.line("var target_slot = 0u;");
    text.line("var completes_triangle = false;");
    text.line("var is_inverted = false;");
    for output in emitted_outputs(resources) {
        text.line(format!("var other_o{output} = {INITIAL_OUTPUT};"));
        for slot in 0..EMISSION_SLOTS {
            text.line(format!("var slot{slot}_o{output} = {INITIAL_OUTPUT};"));
        }
    }
}

/// Emits the selection of a target.
pub(super) fn emit_select(text: &mut Text, target: EmissionTarget) {
    let EmissionTarget { vertex, completes_triangle, is_inverted } = target;
    text.line(format!("target_slot = {vertex}u;"));
    text.line(format!("completes_triangle = {completes_triangle};"));
    text.line(format!("is_inverted = {is_inverted};"));
}

/// Emits the emission of a vertex.
pub(super) fn emit_vertex(text: &mut Text, resources: &VertexResources) {
    for slot in 0..EMISSION_SLOTS {
        text.open(format!("if target_slot == {slot}u {{"));
        for output in emitted_outputs(resources) {
            text.line(format!("slot{slot}_o{output} = {};", name(resources, output)));
        }
        text.close();
    }
    text.open("if completes_triangle {");
    text.open(format!("if triangle_count < {KEPT_TRIANGLES}u {{"));
    text.line(format!("let first = {EMITTED_VERTICES}u * vertex + {EMISSION_SLOTS}u * triangle_count;"));
    for output in emitted_outputs(resources) {
        for (vertex, value) in [
            format!("select(slot0_o{output}, slot1_o{output}, is_inverted)"),
            format!("select(slot1_o{output}, slot0_o{output}, is_inverted)"),
            format!("slot2_o{output}"),
        ]
        .into_iter()
        .enumerate()
        {
            text.line(format!("emitted[output_place(first + {vertex}u, {output}u)] = stored_of({value});"));
        }
    }
    for vertex in 0..EMISSION_SLOTS {
        text.line(format!("strips[first + {vertex}u] = {}u;", vertex + 1));
    }
    text.close();
    text.line("triangle_count += 1u;");
    text.close();
    for output in emitted_outputs(resources) {
        let register = name(resources, output);
        let value = text.bind("t", &register);
        text.line(format!("{register} = other_o{output};"));
        text.line(format!("other_o{output} = {value};"));
    }
}

/// Emits what ends an invocation.
pub(super) fn emit_finish(text: &mut Text, key: &VertexKernelKey) {
    if key.program.emits() {
        text.line(format!("strips[{EMITTED_VERTICES}u * vertex_count + vertex] = triangle_count;"));
    }
}

/// The output registers that a program may write.
fn emitted_outputs(resources: &VertexResources) -> impl Iterator<Item = u8> {
    outputs_of(if resources.has_indexed_outputs { u16::MAX } else { resources.outputs })
}

/// The variable of an output register.
fn name(resources: &VertexResources, output: u8) -> String {
    if resources.has_indexed_outputs { format!("outputs[{output}]") } else { format!("o{output}") }
}
