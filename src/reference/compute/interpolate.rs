//! Interpolants of fragments: plane equations at the places of the fragments, or values that are given.

use super::access_memory::addresses;
use super::block::BlockContext;
use super::operands::{modify_float, value, write};
use super::warp::{Warp, ZEROS, lanes_of};
use crate::arith::tesla::{Rounding, float};
use crate::pipeline::launch::{FaultKind, LaunchThreads, MemoryKind};
use crate::shader::simt::{Instruction, InterpolationMode, Operand};

/// Interpolates; a second source is a factor. A lane whose access is a fault gets the product of zero.
///
/// Source: envytools' `envydis/g80.c` for the sources. Compilers multiply by the reciprocal of an interpolated 1/w.
// Unverified: that the product is rounded to nearest, and that a negation is that of the interpolant.
pub(super) fn interpolate(
    context: &mut BlockContext<'_>,
    warp: &mut Warp,
    instruction: &Instruction,
    mode: InterpolationMode,
    threads: u32,
) {
    let Some(source) = instruction.sources.first() else { return };
    let Operand::Memory(operand) = source.operand else { return };
    let launch = context.launch;
    let addresses = addresses(warp, &operand);
    let mut values = ZEROS;
    for lane in lanes_of(threads) {
        let address = addresses[lane];
        let fault = match &launch.threads {
            _ if !address.is_multiple_of(4) => FaultKind::Misaligned,
            LaunchThreads::Fragments(fragments) if address / 4 < fragments.interpolant_words => {
                #[expect(clippy::cast_possible_truncation, reason = "there are 32 lanes")]
                let fragment = launch.element(context.block, warp.thread(lane as u32));
                values[lane] = fragments.interpolant(fragment, address / 4, mode);
                continue;
            }
            _ => FaultKind::OutOfRange,
        };
        context.fault(instruction.address, fault(MemoryKind::Interpolant), warp, 1 << lane, Some(address));
    }
    let mut values = modify_float(values, source);
    if let Some(factor) = instruction.sources.get(1) {
        let factors = modify_float(value(context, warp, instruction.address, factor, threads), factor);
        for lane in lanes_of(threads) {
            values[lane] = float::multiply(values[lane], factors[lane], Rounding::NearestEven);
        }
    }
    write(context, warp, instruction, &[values], threads);
}
