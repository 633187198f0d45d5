//! Fills rows of a surface with 64-bit words.

use crate::kernels::plan::transfer::{FillParameters, GROUP, TransferDispatch, TransferKernel};

/// Rows of an invocation of `fill_row_blocks`, as in the kernel.
const BLOCK_ROWS: u32 = 8;

/// Turns a dispatch of `fill_rows` or `fill_blocks` into one that writes four 64-bit words at once, for devices that have them. Other
/// dispatches stay unchanged, and so do rows that begin or end within such a block of 32 bytes, and pixels shorter than a word.
#[must_use]
pub fn in_wide_words(dispatch: TransferDispatch) -> TransferDispatch {
    if !matches!(dispatch.kernel, TransferKernel::FillRows | TransferKernel::FillBlocks) {
        return dispatch;
    }
    let parameters: FillParameters = bytemuck::pod_read_unaligned(&dispatch.parameters);
    let FillParameters { start, bytes, pixel_bytes, order, left, right, top, bottom, .. } = parameters;
    // With a single row, the pitch has no effect.
    let pitch_bytes = match dispatch.kernel {
        TransferKernel::FillRows if bottom - top > 1 || top > 0 => order.row,
        _ => 0,
    };
    let sizes = [start, bytes, pitch_bytes, left * pixel_bytes, right * pixel_bytes];
    if pixel_bytes < 4 || !sizes.iter().all(|size| size.is_multiple_of(32)) {
        return dispatch;
    }
    let [_, rows, _] = dispatch.workgroups;
    let workgroups = [((right - left) * pixel_bytes / 32).div_ceil(GROUP), rows.div_ceil(BLOCK_ROWS), 1];
    TransferDispatch { kernel: TransferKernel::FillRowBlocks, workgroups, ..dispatch }
}
