//! Runs the fragment program of a draw on one quad after the other.

use super::run_fragment_program::{TextureUnits, run_fragment_program};
use super::{QuadInputs, ShadedQuad};
use crate::numeric::fragment as fp;
use crate::program::fragment::FragmentProgram;
use crate::work::{EngineError, FragmentStage};

/// Shades a quad. Depth is the interpolated one, or the program's where the stage exports it; the coverage of smooth
/// lines multiplies the alpha of every colour (OpenGL 2.1, section 3.12).
///
/// # Errors
/// As [`run_fragment_program`].
pub fn shade_quad(
    program: &FragmentProgram,
    stage: &FragmentStage,
    inputs: &QuadInputs,
    units: &mut dyn TextureUnits,
) -> Result<ShadedQuad, EngineError> {
    let mut result = run_fragment_program(program, stage.has_full_outputs, inputs, units)?;
    if let Some(shares) = inputs.alpha_coverage {
        for color in &mut result.colors {
            for (pixel, share) in color.iter_mut().zip(shares) {
                pixel[3] = fp::mul(pixel[3], share);
            }
        }
    }
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
