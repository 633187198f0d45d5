//! Counts on the device what shading did to the quads of a round, for counted draws.

use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::kernels::bindings::bindings;
use crate::kernels::plan::count_places::{CountPlace, places};

const COUNT_QUADS: &str = include_str!("../../../wgsl/fragment/count_quads.wgsl");

/// Minimum number of quads per invocation, if there are enough quads.
const MIN_SHARE: u32 = 8;
/// Maximum number of loop iterations in which an invocation counts its quads.
const MAX_ITERATIONS: u64 = 50_000;
/// Minimum number of quads in a round: those of a tile.
const MIN_QUADS: u32 = 256;
/// Maximum number of workgroups of the kernel.
const MAX_GROUPS: u32 = 64;

bindings! {
    /// Bindings of `count_quads`.
    CountQuadsBindings {
        /// Workgroups of shading, then the number of quads.
        9 => groups: Bound<'a>,
        13 => shaded: Bound<'a>,
        14 => parameters: Bound<'a>,
        15 => counters: Bound<'a>,
    }
}

/// A round of shaded quads.
pub(in crate::kernels) struct CountedQuads<'a> {
    pub(in crate::kernels) counters: &'a wgpu::Buffer,
    pub(in crate::kernels) shaded: &'a wgpu::Buffer,
    /// Workgroups of shading, then the number of quads.
    pub(in crate::kernels) groups: &'a wgpu::Buffer,
    pub(in crate::kernels) max_quads: u32,
    /// Vectors per quad.
    pub(in crate::kernels) stride: u32,
    /// Number of words at the end of a quad's vectors that count its program's work.
    pub(in crate::kernels) flow_counts: u32,
}

/// Maximum number of quads in a round; shaded quads have `stride` vectors, the last `flow_vectors` of them flow counts.
pub(in crate::kernels) fn max_quads(gpu: &Gpu, [stride, flow_vectors]: [u32; 2]) -> u32 {
    // Their buffer grows to at most twice this size.
    let bound = gpu.summary().max_binding_bytes / (2 * 16 * u64::from(stride));
    let counted = u64::from(64 * MAX_GROUPS) * (MAX_ITERATIONS / u64::from(flow_vectors + 1));
    u32::try_from(bound.min(counted)).unwrap_or(u32::MAX).max(MIN_QUADS)
}

/// Records the count of a round of quads for the draw at `place`.
pub(in crate::kernels) fn count_quads(
    gpu: &Gpu,
    recording: &mut Recording,
    place: CountPlace,
    quads: &CountedQuads<'_>,
) -> Result<(), DeviceError> {
    let kernel = gpu.kernel_of("count_quads", 0, || format!("{}{COUNT_QUADS}", places()))?;
    let flow_vectors = quads.flow_counts.div_ceil(4);
    let tests_early = u32::from(place.tests_early);
    let parameters = [place.first, quads.stride, flow_vectors, quads.flow_counts, tests_early, 0, 0, 0];
    let parameters = recording.store(bytemuck::cast_slice(&parameters))?;
    let bindings = CountQuadsBindings {
        groups: quads.groups.into(),
        shaded: quads.shaded.into(),
        parameters: (&parameters).into(),
        counters: quads.counters.into(),
    };
    recording.dispatch(&kernel, &bindings, workgroups(quads.max_quads));
    Ok(())
}

const fn workgroups(quads: u32) -> [u32; 3] {
    let groups = quads.div_ceil(64 * MIN_SHARE);
    [if groups > MAX_GROUPS { MAX_GROUPS } else { groups }, 1, 1]
}
