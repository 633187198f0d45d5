//! Runs a SIMT geometry program on the primitives of a draw.

use super::run_vertices::run_threads;
use crate::memory::GuestMemory;
use crate::pipeline::front_end::assemble_primitives::{Primitive, RESTART, assemble_primitives};
use crate::pipeline::launch::{Launch, LaunchTextures, LaunchThreads, Primitives};
use crate::pipeline::{Draw, EngineError, OutputWord, PrimitiveWord, ShadedVertex, SimtGeometryStage, VertexWord};

/// Runs the program on primitives over these vertices, 32 in a warp in their order; returns the vertices that it emits and
/// the primitives over them. `first` is the number of the first primitive in the draw.
///
/// # Errors
/// When the program does not fit on the processor or does not end, or a thread has a fault.
pub fn run_simt_primitives(
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtGeometryStage,
    vertices: &[ShadedVertex],
    primitives: &[Primitive],
    first: u32,
) -> Result<(Vec<ShadedVertex>, Vec<Primitive>), EngineError> {
    let report = run_threads(&primitive_launch(draw, stage, vertices, primitives, first), memory)?;
    let (mut emitted, mut elements) = (Vec::new(), Vec::new());
    for vertices in report.emitted {
        for vertex in vertices {
            elements.push(length(emitted.len()));
            emitted.push(ShadedVertex::of_words(&vertex.words, &stage.outputs));
            if vertex.ends_strip {
                elements.push(RESTART);
            }
        }
        // A strip ends with its thread.
        elements.push(RESTART);
    }
    let primitives = assemble_primitives(stage.emitted.primitive(), &elements, &draw.raster);
    Ok((emitted, primitives))
}

fn length(words: usize) -> u32 {
    u32::try_from(words).unwrap_or(u32::MAX)
}

/// The launch of primitives over these vertices.
pub(in crate::reference) fn primitive_launch(
    draw: &Draw,
    stage: &SimtGeometryStage,
    vertices: &[ShadedVertex],
    primitives: &[Primitive],
    first: u32,
) -> Launch {
    let corners = draw.primitive.vertices();
    let mut inputs = Vec::with_capacity(primitives.len() * stage.inputs.len());
    let mut vertex_values = Vec::with_capacity(primitives.len() * corners as usize * stage.vertex_words.len());
    for (number, primitive) in (first..).zip(primitives) {
        inputs.extend(stage.inputs.iter().map(|word| match *word {
            PrimitiveWord::Vertex(vertex) if u32::from(vertex) < corners => Primitives::vertex_address(vertex),
            PrimitiveWord::Vertex(_) => 0,
            PrimitiveWord::Number => number,
            PrimitiveWord::Word(word) => word,
        }));
        for vertex in primitive.program_vertices(corners) {
            let outputs = vertices.get(vertex as usize).map_or(&[][..], |vertex| &vertex.outputs);
            vertex_values.extend(stage.vertex_words.iter().map(|word| match *word {
                VertexWord::Output(output) => output.of(outputs),
                VertexWord::Word(word) => word,
            }));
        }
    }
    let threads = LaunchThreads::Primitives(Primitives {
        count: length(primitives.len()),
        input_words: length(stage.inputs.len()),
        inputs,
        vertices: corners,
        vertex_words: length(stage.vertex_words.len()),
        vertex_values,
        output_words: OutputWord::words_needed(&stage.outputs),
        max_vertices: stage.max_vertices,
    });
    stage.stage.launch(threads, LaunchTextures::of_stage(&stage.textures))
}
