//! Turns an invocation count into the workgroups of a dispatch.

/// Number of workgroups that every adapter supports in one dimension.
const MAX_WORKGROUPS: u32 = 65_535;

/// Workgroups of a one-dimensional dispatch, in two dimensions if the count exceeds one.
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
