//! Runs the fragment program of a draw on one quad after the other.

use super::run_fragment_program::{TextureUnits, run_fragment_program};
use super::{QuadInputs, ShadedQuad};
use crate::program::fragment::FragmentProgram;
use crate::work::{EngineError, FragmentStage};

/// Shades a quad. Depth is the interpolated one, or the program's where the stage exports it.
///
/// # Errors
/// As [`run_fragment_program`].
pub fn shade_quad(
    program: &FragmentProgram,
    stage: &FragmentStage,
    inputs: &QuadInputs,
    units: &mut dyn TextureUnits,
) -> Result<ShadedQuad, EngineError> {
    let result = run_fragment_program(program, stage.has_full_outputs, inputs, units)?;
    Ok(ShadedQuad {
        x: inputs.x,
        y: inputs.y,
        // Unverified: KIL discards whether or not FP_CONTROL announces it.
        coverage: result.coverage,
        is_front_facing: inputs.is_front_facing,
        depth: if stage.exports_depth { result.depth } else { inputs.depth },
        colors: result.colors,
    })
}
