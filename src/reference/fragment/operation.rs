//! What each opcode of the fragment processor computes for the four fragments of a quad.

use super::run_fragment_program::{LodMode, TextureUnits};
use crate::arith::{MINUS_ONE, ONE, fragment as fp};
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::pipeline::EngineError;
use crate::shader::fragment::FragmentOperation;

/// A vector per fragment of a quad.
pub(crate) type QuadVector = [[u32; 4]; 4];

/// The result of an operation before scale, saturation and rounding; `None` where it has none.
///
/// # Errors
/// When a texture unit fails.
#[expect(clippy::too_many_lines, reason = "one line per opcode, in table order")]
pub(crate) fn compute(
    operation: &FragmentOperation,
    sources: &[QuadVector; 3],
    units: &mut dyn TextureUnits,
) -> Result<Option<QuadVector>, EngineError> {
    let [s0, s1, s2] = sources;
    let component_wise = |function: fn(u32, u32) -> u32| {
        each(|lane| std::array::from_fn(|component| function(s0[lane][component], s1[lane][component])))
    };
    let unary = |function: fn(u32) -> u32| s0.map(|value| value.map(function));
    let scalar = |function: fn(u32) -> u32| s0.map(|value| [function(value[0]); 4]);
    let dot = |function: fn([u32; 4], [u32; 4]) -> u32| each(|lane| [function(s0[lane], s1[lane]); 4]);
    let vector = |function: fn([u32; 4]) -> [u32; 4]| s0.map(function);
    let by_scalar = |function: fn(u32, u32) -> u32| each(|lane| s0[lane].map(|value| function(value, s1[lane][0])));
    let mut sample = |coordinates: QuadVector, mode: LodMode| -> Result<QuadVector, EngineError> {
        let texels = units.sample(operation.texture_unit, &coordinates, mode)?;
        Ok(if operation.expand_texel { texels.map(|texel| texel.map(expanded)) } else { texels })
    };
    let no_bias = LodMode::Implicit { bias: [0; 4] };
    let w = s0.map(|value| value[3]);

    Ok(Some(match operation.opcode {
        FragmentOpcode::Mov => *s0,
        FragmentOpcode::Mul => component_wise(fp::mul),
        FragmentOpcode::Add => component_wise(fp::add),
        FragmentOpcode::Mad => each(|lane| std::array::from_fn(|c| fp::mad(s0[lane][c], s1[lane][c], s2[lane][c]))),
        FragmentOpcode::Dp3 => dot(fp::dp3),
        FragmentOpcode::Dp4 => dot(fp::dp4),
        FragmentOpcode::Dst => each(|lane| fp::dst(s0[lane], s1[lane])),
        FragmentOpcode::Min => component_wise(fp::min),
        FragmentOpcode::Max => component_wise(fp::max),
        FragmentOpcode::Slt => component_wise(fp::slt),
        FragmentOpcode::Sge => component_wise(fp::sge),
        FragmentOpcode::Sle => component_wise(fp::sle),
        FragmentOpcode::Sgt => component_wise(fp::sgt),
        FragmentOpcode::Sne => component_wise(fp::sne),
        FragmentOpcode::Seq => component_wise(fp::seq),
        FragmentOpcode::Frc => unary(fp::frc),
        FragmentOpcode::Flr => unary(fp::flr),
        FragmentOpcode::Pk4b => vector(fp::pk4b),
        FragmentOpcode::Up4b => vector(fp::up4b),
        FragmentOpcode::Ddx => [0, 0, 2, 2].map(|left| difference(s0[left + 1], s0[left])),
        // Unverified: the derivative along y grows with the row, whatever the origin convention.
        FragmentOpcode::Ddy => [0, 1, 0, 1].map(|upper| difference(s0[upper + 2], s0[upper])),
        FragmentOpcode::Tex => sample(*s0, no_bias)?,
        FragmentOpcode::Txp => sample(s0.map(projected), no_bias)?,
        FragmentOpcode::Txd => sample(*s0, LodMode::Gradient { x: *s1, y: *s2 })?,
        FragmentOpcode::Rcp => scalar(fp::rcp),
        FragmentOpcode::Rsq => scalar(fp::rsq),
        FragmentOpcode::Ex2 => scalar(fp::ex2),
        FragmentOpcode::Lg2 => scalar(fp::lg2),
        FragmentOpcode::Lit => vector(fp::lit),
        FragmentOpcode::Lrp => each(|lane| fp::lrp(s0[lane], s1[lane], s2[lane])),
        FragmentOpcode::Str => [[ONE; 4]; 4],
        FragmentOpcode::Sfl => [[0; 4]; 4],
        FragmentOpcode::Cos => scalar(fp::cos),
        FragmentOpcode::Sin => scalar(fp::sin),
        FragmentOpcode::Pk2h => vector(fp::pk2h),
        FragmentOpcode::Up2h => vector(fp::up2h),
        FragmentOpcode::Pow => each(|lane| [fp::pow(s0[lane][0], s1[lane][0]); 4]),
        FragmentOpcode::Pk4ub => vector(fp::pk4ub),
        FragmentOpcode::Up4ub => vector(fp::up4ub),
        FragmentOpcode::Pk2us => vector(fp::pk2us),
        FragmentOpcode::Up2us => vector(fp::up2us),
        FragmentOpcode::X2d => each(|lane| fp::x2d(s0[lane], s1[lane], s2[lane])),
        FragmentOpcode::Pk4ubg => vector(fp::pk4ubg),
        FragmentOpcode::Up4ubg => vector(fp::up4ubg),
        FragmentOpcode::Dp2a => each(|lane| [fp::dp2a(s0[lane], s1[lane], s2[lane]); 4]),
        FragmentOpcode::Txl => sample(*s0, LodMode::Explicit(w))?,
        FragmentOpcode::Txb => sample(*s0, LodMode::Implicit { bias: w })?,
        FragmentOpcode::Rfl => each(|lane| fp::rfl(s0[lane], s1[lane])),
        FragmentOpcode::Dp2 => dot(fp::dp2),
        FragmentOpcode::Nrm => vector(fp::nrm),
        FragmentOpcode::Div => by_scalar(fp::div),
        FragmentOpcode::DivSq => by_scalar(fp::div_sqrt),
        FragmentOpcode::LitEx2 => vector(fp::lit_ex2),
        FragmentOpcode::TexBem => sample(each(|lane| bumped(s0[lane], s1[lane], s2[lane])), no_bias)?,
        FragmentOpcode::TxpBem => sample(each(|lane| projected(bumped(s0[lane], s1[lane], s2[lane]))), no_bias)?,
        FragmentOpcode::BemLum => each(|lane| fp::bem_lum(s0[lane], s1[lane], s2[lane])),
        FragmentOpcode::TimesWTex => sample(s0.map(times_w), no_bias)?,
        FragmentOpcode::Nop
        | FragmentOpcode::Kil
        | FragmentOpcode::FencT
        | FragmentOpcode::FencB
        | FragmentOpcode::Brk
        | FragmentOpcode::Cal
        | FragmentOpcode::If
        | FragmentOpcode::Loop
        | FragmentOpcode::Rep
        | FragmentOpcode::Ret => return Ok(None),
    }))
}

fn each(fragment: impl FnMut(usize) -> [u32; 4]) -> QuadVector {
    std::array::from_fn(fragment)
}

fn difference(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|component| fp::sub(a[component], b[component]))
}

/// The coordinate of a projective fetch: x, y, z times the reciprocal of w; w stays.
fn projected([x, y, z, w]: [u32; 4]) -> [u32; 4] {
    let reciprocal = fp::rcp(w);
    [fp::mul(x, reciprocal), fp::mul(y, reciprocal), fp::mul(z, reciprocal), w]
}

/// A coordinate whose x and y a bump environment moves, as X2D does; z and w stay.
// Unverified: the operands, which RPCS3 takes as those of X2D, and that z and w stay.
fn bumped(coordinate: [u32; 4], bump: [u32; 4], matrix: [u32; 4]) -> [u32; 4] {
    let [x, y, ..] = fp::x2d(coordinate, bump, matrix);
    [x, y, coordinate[2], coordinate[3]]
}

/// The coordinate of TIMESWTEX: x, y, z times w; w stays.
// Unverified: the name alone is public.
fn times_w([x, y, z, w]: [u32; 4]) -> [u32; 4] {
    [fp::mul(x, w), fp::mul(y, w), fp::mul(z, w), w]
}

/// 2v − 1.
fn expanded(texel: u32) -> u32 {
    fp::add(fp::mul(texel, 2.0f32.to_bits()), MINUS_ONE)
}
