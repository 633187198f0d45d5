//! Rejects draws that use a feature no engine executes.

use crate::pipeline::{
    AttributeWord, Draw, EngineError, FragmentStage, InterpolantSource, OutputComponent, StreamOut, VertexStage,
    VertexWord,
};

/// Finds unsupported features of a draw before anything is drawn.
pub(crate) fn check_draw(draw: &Draw) -> Result<(), EngineError> {
    let textures = || {
        let mut textures = draw.textures.iter().flatten().chain(draw.stage_textures());
        textures.find_map(|texture| texture.view.unsupported())
    };
    let stream_out = || draw.stream_out.as_ref().and_then(StreamOut::unsupported);
    let found = textures()
        .or_else(|| draw.rop.unsupported(&draw.targets))
        .or_else(stream_out)
        .or_else(|| connections(draw))
        .or_else(|| units(draw));
    found.map_or(Ok(()), |what| Err(EngineError::Unsupported { what }))
}

/// What the stages of a draw name that the stage before them cannot have.
fn connections(draw: &Draw) -> Option<String> {
    if let VertexStage::Simt(stage) = &draw.vertex {
        for word in &stage.attributes {
            if let AttributeWord::Component { attribute: attribute @ 16.., component }
            | AttributeWord::Component { attribute, component: component @ 4.. } = word
            {
                return Some(format!("component {component} of attribute {attribute}"));
            }
        }
    }
    let mut named = named_outputs(draw);
    let OutputComponent { slot, component } = named.find(|output| output.slot >= 16 || output.component >= 4)?;
    Some(format!("component {component} of output slot {slot}"))
}

/// The outputs that stages of SIMT programs read, and those that are written to memory.
fn named_outputs(draw: &Draw) -> impl Iterator<Item = OutputComponent> {
    let interpolants = match &draw.fragment {
        FragmentStage::Simt(stage) => Some(stage.interpolants.values()),
        FragmentStage::Vec4(_) => None,
    };
    let interpolants = interpolants.into_iter().flatten().filter_map(|interpolant| match interpolant.source {
        InterpolantSource::Output { front, back } => Some([Some(front), back]),
        InterpolantSource::WindowPosition(_) | InterpolantSource::Facing | InterpolantSource::PrimitiveNumber => None,
    });
    let vertices = draw.geometry.iter().flat_map(|stage| &stage.vertex_words);
    let buffers = draw.stream_out.iter().flat_map(|stream_out| &stream_out.buffers);
    let words = vertices.chain(buffers.flat_map(|buffer| buffer.words.iter().flatten()));
    interpolants.flatten().flatten().chain(VertexWord::outputs(words))
}

/// Two units of a SIMT program that give a texture with its sampler two meanings.
fn units(draw: &Draw) -> Option<String> {
    let FragmentStage::Simt(stage) = &draw.fragment else { return None };
    let bound: Vec<_> =
        stage.units.iter().zip(&draw.textures).filter_map(|(own, state)| Some((own, state.as_ref()?))).collect();
    bound.iter().enumerate().find_map(|(place, (numbers, state))| {
        let differs = bound[..place].iter().any(|(others, other)| numbers == others && state != other);
        differs.then(|| format!("two states of texture {} with sampler {}", numbers[0], numbers[1]))
    })
}
