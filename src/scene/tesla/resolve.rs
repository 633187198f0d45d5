//! Resolves samples to pixels by a draw: a triangle over the target whose fragments average the texels of a pixel.
//!
//! The chip's 2D class takes no samples; Mesa's driver draws as well.

use std::fmt::Write as _;

use super::links::words_of;
use crate::asm::tesla::{HEADER, assemble};
use crate::pipeline::SampleMode;
use crate::scene::loaded_program::SimtCode;
use crate::shader::simt::SimtProgram;

/// The corners of the triangle in clip space.
pub(super) const CORNERS: [[f32; 2]; 3] = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];

/// The vertex program: the corner at depth 0.
const VERTEX: &str = ".kernel corner\n.kind vertex\nmov b32 o[0x0] a[0x0]\nmov b32 o[0x4] a[0x4]\nmov b32 $r0 0.0\n\
    mov b32 $r1 1.0\nmov b32 o[0x8] $r0\nmov b32 o[0xc] $r1\nexit nop\n";

/// The fragment program for a mode: the sum of the texels of the pixel at the window position, one texel for each sample,
/// then its share.
fn fragment(samples: SampleMode) -> String {
    let [columns, rows] = samples.log2_size();
    let mut text = ".kernel average\n.kind fragment\ninterp $r4 v[0x0]\ninterp $r5 v[0x4]\n\
        cvt rzi s32 $r4 f32 $r4\ncvt rzi s32 $r5 f32 $r5\n"
        .to_owned();
    let _ = writeln!(text, "shl b32 $r4 $r4 {columns}\nshl b32 $r5 $r5 {rows}");
    for sum in 0..4 {
        let _ = writeln!(text, "mov b32 $r{sum} 0.0");
    }
    for sample in samples.samples() {
        let [column, row] = sample.texel;
        // The third number is the level.
        let _ = writeln!(text, "add b32 $r8 $r4 {column:#x}\nadd b32 $r9 $r5 {row:#x}\nmov b32 $r10 0x0");
        text.push_str("texfetch all $r8:$r9:$r10:$r11 $t0 $s0 $r8:$r9:$r10 0x0 0x0 0x0\n");
        for sum in 0..4 {
            let _ = writeln!(text, "add rn f32 $r{sum} $r{sum} $r{}", 8 + sum);
        }
    }
    let share = 1.0 / f64::from(samples.count());
    for sum in 0..4 {
        let _ = writeln!(text, "mul rn f32 $r{sum} $r{sum} {share:?}");
    }
    text.push_str("exit nop\n");
    text
}

/// The two programs that average the samples of a mode.
pub(super) fn programs(samples: SampleMode) -> Result<[SimtCode; 2], String> {
    let module = assemble("resolve", &format!("{HEADER}\n{VERTEX}{}", fragment(samples)));
    let module = module.map_err(|errors| errors.to_string())?;
    let code = |number: usize| {
        let kernel = module.kernels.get(number).ok_or("a program is missing")?;
        Ok::<_, String>(SimtCode {
            kind: kernel.kind,
            words: kernel.code.clone(),
            registers: u32::from(kernel.registers),
            uses: words_of(&SimtProgram::decode_from(&kernel.code, 0, kernel.kind))?,
            ..SimtCode::default()
        })
    };
    Ok([code(0)?, code(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_fetches_a_texel_for_each_sample() {
        for samples in SampleMode::ALL {
            let [vertex, average] = programs(samples).unwrap();
            assert_eq!((vertex.uses.attributes, vertex.uses.outputs), (2, 4));
            assert_eq!(average.uses.textures, [(0, 0)]);
            let fetches = fragment(samples).matches("texfetch").count();
            assert_eq!(fetches, samples.count() as usize);
        }
    }
}
