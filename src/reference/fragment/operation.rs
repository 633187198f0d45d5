//! Computes the result of a fragment program operation for the four fragments of a quad.

use crate::arith::{MINUS_ONE, fragment as fp};
use crate::pipeline::EngineError;
use crate::reference::texture::unit::{LodMode, TextureUnits};
use crate::shader::fragment::{Axis, FragmentOperation, FragmentOperationKind, LodSource, Projection, TextureFetch};

/// One vector per fragment of a quad.
pub(crate) type QuadVector = [[u32; 4]; 4];

/// The result of an operation before scale, saturation and rounding; `None` if it has none.
///
/// # Errors
/// When a texture unit fails.
pub(crate) fn compute(
    operation: &FragmentOperation,
    sources: &[QuadVector; 3],
    units: &mut dyn TextureUnits,
) -> Result<Option<QuadVector>, EngineError> {
    let [s0, s1, s2] = sources;
    Ok(match operation.kind {
        FragmentOperationKind::Compute(function) => {
            Some(each(|lane| function.shape.evaluate([s0[lane], s1[lane], s2[lane]])))
        }
        FragmentOperationKind::Move => Some(*s0),
        FragmentOperationKind::Derivative(axis) => Some(derivative(axis, s0)),
        FragmentOperationKind::Sample(fetch) => Some(sample(operation, fetch, sources, units)?),
        FragmentOperationKind::Kill | FragmentOperationKind::Fence(_) | FragmentOperationKind::Nothing => None,
    })
}

/// Right minus left in each row, or lower minus upper in each column.
fn derivative(axis: Axis, value: &QuadVector) -> QuadVector {
    match axis {
        Axis::X => [0, 0, 2, 2].map(|left| difference(value[left + 1], value[left])),
        // Unverified: the derivative along y grows with the row, whatever the origin convention.
        Axis::Y => [0, 1, 0, 1].map(|upper| difference(value[upper + 2], value[upper])),
    }
}

/// Forms coordinates and level of detail, and samples the unit of the operation.
fn sample(
    operation: &FragmentOperation,
    fetch: TextureFetch,
    [s0, s1, s2]: &[QuadVector; 3],
    units: &mut dyn TextureUnits,
) -> Result<QuadVector, EngineError> {
    let moved = if fetch.bump { each(|lane| bumped(s0[lane], s1[lane], s2[lane])) } else { *s0 };
    let coordinates = match fetch.projection {
        Projection::None => moved,
        Projection::DivideByW => moved.map(projected),
        Projection::MultiplyByW => moved.map(times_w),
    };
    let w = s0.map(|value| value[3]);
    let mode = match fetch.lod {
        LodSource::Implicit => LodMode::Implicit { bias: [0; 4] },
        LodSource::Bias => LodMode::Implicit { bias: w },
        LodSource::Explicit => LodMode::Explicit(w),
        LodSource::Gradient => LodMode::Gradient { x: *s1, y: *s2 },
    };
    let texels = units.sample(operation.texture_unit, &coordinates, mode)?;
    Ok(if operation.expand_texel { texels.map(|texel| texel.map(expanded)) } else { texels })
}

fn each(fragment: impl FnMut(usize) -> [u32; 4]) -> QuadVector {
    std::array::from_fn(fragment)
}

fn difference(a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
    std::array::from_fn(|component| fp::sub(a[component], b[component]))
}

/// The coordinate of a projective fetch: x, y, z times the reciprocal of w; w is unchanged.
fn projected([x, y, z, w]: [u32; 4]) -> [u32; 4] {
    let reciprocal = fp::rcp(w);
    [fp::mul(x, reciprocal), fp::mul(y, reciprocal), fp::mul(z, reciprocal), w]
}

/// Offsets x and y of a coordinate by a bump environment, as X2D does; z and w are unchanged.
// Unverified: the operands, which RPCS3 treats like those of X2D, and that z and w are unchanged.
fn bumped(coordinate: [u32; 4], bump: [u32; 4], matrix: [u32; 4]) -> [u32; 4] {
    let [x, y, ..] = fp::x2d(coordinate, bump, matrix);
    [x, y, coordinate[2], coordinate[3]]
}

/// The coordinate of TIMESWTEX: x, y, z times w; w is unchanged.
// Unverified: only the name is public.
fn times_w([x, y, z, w]: [u32; 4]) -> [u32; 4] {
    [fp::mul(x, w), fp::mul(y, w), fp::mul(z, w), w]
}

/// 2v − 1.
fn expanded(texel: u32) -> u32 {
    fp::add(fp::mul(texel, 2.0f32.to_bits()), MINUS_ONE)
}
