//! Turns a number of invocations into the workgroups of a dispatch.

/// Workgroups that every adapter dispatches along one dimension.
const MAX_WORKGROUPS: u32 = 65_535;

/// Workgroups of a one-dimensional dispatch, in two dimensions where one is too small for the count.
///
/// Kernels number their invocations by `y * (groups.x * size) + x` and skip those beyond their count.
#[must_use]
pub const fn linear_workgroups(invocations: u32, workgroup_size: u32) -> [u32; 3] {
    let groups = invocations.div_ceil(workgroup_size);
    let rows = groups.div_ceil(MAX_WORKGROUPS);
    if rows == 0 {
        return [0, 1, 1];
    }
    [groups.div_ceil(rows), rows, 1]
}
