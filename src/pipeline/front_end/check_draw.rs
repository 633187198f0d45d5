//! Rejects draws that use a feature no engine executes.

use crate::pipeline::{Draw, EngineError, StreamOut};

/// Finds unsupported features of a draw before anything is drawn.
pub(crate) fn check_draw(draw: &Draw) -> Result<(), EngineError> {
    let textures = || draw.textures.iter().flatten().find_map(|texture| texture.view.unsupported());
    let stream_out = || draw.stream_out.as_ref().and_then(StreamOut::unsupported);
    match textures().or_else(|| draw.rop.unsupported(&draw.targets)).or_else(stream_out) {
        Some(what) => Err(EngineError::Unsupported { what }),
        None => Ok(()),
    }
}
