//! Runs the fragment program of a draw on one quad at a time.

use super::run_fragment_program::{TextureUnits, run_fragment_program};
use crate::arith::fragment as fp;
use crate::pipeline::{EngineError, MAX_SAMPLES, Vec4FragmentStage};
use crate::pipeline::{QuadInputs, QuadSamples, ShadedQuad};
use crate::reference::observer::DrawObserver;
use crate::shader::fragment::FragmentProgram;

/// Shades a quad. Depth is interpolated, or comes from the program if the stage exports it. The coverage of smooth
/// lines multiplies the alpha of every color (OpenGL 2.1, section 3.12).
///
/// # Errors
/// When a texture unit fails.
pub fn shade_quad(
    program: &FragmentProgram,
    stage: &Vec4FragmentStage,
    inputs: &QuadInputs,
    units: &mut dyn TextureUnits,
    observer: &dyn DrawObserver,
) -> Result<ShadedQuad, EngineError> {
    let mut result = run_fragment_program(program, stage.has_full_outputs, inputs, units, observer)?;
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
        samples: inputs.samples.map(|samples| QuadSamples {
            depth: if stage.exports_depth { [result.depth; MAX_SAMPLES] } else { samples.depth },
            ..samples
        }),
        is_front_facing: inputs.is_front_facing,
        depth: if stage.exports_depth { result.depth } else { inputs.depth },
        colors: result.colors,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::nv40_fragment::{FragmentField, FragmentOpcode};
    use crate::isa::test_words::{INPUT, ended, fragment};
    use crate::memory::MemoryWindow;
    use crate::pipeline::VEC4_INPUTS;
    use crate::reference::fragment::run_fragment_program::NoTextures;
    use crate::reference::observer::Unobserved;

    #[test]
    fn coverage_multiplies_alpha_alone() {
        let color = [0.5f32, 0.25, 0.125, 0.75].map(f32::to_bits);
        let inputs = QuadInputs {
            x: 0,
            y: 0,
            coverage: 15,
            samples: None,
            alpha_coverage: Some([0.0f32, 0.25, 0.5, 1.0].map(f32::to_bits)),
            is_front_facing: true,
            depth: [0; 4],
            slots: vec![[color; 4]; VEC4_INPUTS],
        };
        let stage = Vec4FragmentStage {
            program: MemoryWindow::EMPTY,
            exports_depth: false,
            has_full_outputs: true,
            uses_kill: false,
        };
        let copy = fragment(FragmentOpcode::Mov, 0, &[INPUT]).with(FragmentField::INPUT, 4);
        let program = FragmentProgram::decode(&ended(vec![copy])).unwrap();
        let alphas = |inputs: &QuadInputs| {
            let shaded = shade_quad(&program, &stage, inputs, &mut NoTextures, &Unobserved).unwrap();
            let colors = shaded.colors[0];
            assert!(colors.iter().all(|pixel| pixel[..3] == color[..3]));
            colors.map(|pixel| f32::from_bits(pixel[3]))
        };
        assert_eq!(alphas(&inputs), [0.0, 0.1875, 0.375, 0.75]);
        assert_eq!(alphas(&QuadInputs { alpha_coverage: None, ..inputs }), [0.75; 4]);
    }
}
