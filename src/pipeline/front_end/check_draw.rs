//! Rejects draws that use a feature no engine executes.

use crate::pipeline::{Draw, EngineError};

/// Finds unsupported features of a draw before anything is drawn.
pub(crate) fn check_draw(draw: &Draw) -> Result<(), EngineError> {
    let textures = || draw.textures.iter().flatten().find_map(|texture| texture.view.unsupported());
    match textures().or_else(|| draw.rop.unsupported(&draw.targets)) {
        Some(what) => Err(EngineError::Unsupported { what }),
        None => Ok(()),
    }
}
