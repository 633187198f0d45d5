//! Bounds the size of each dispatch of the split path's kernels, so that none reaches the adapter's limit of loop
//! iterations; see [`Gpu::max_loop_iterations`](crate::gpu::Gpu::max_loop_iterations).

use super::geometry_options::GeometryOptions;
use crate::pipeline::front_end::raster_parameters::RasterParameters;
use crate::pipeline::{Draw, SampleMode};

/// The maxima of everything that one invocation loops over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernels) struct LoopBounds {
    /// Primitives of a batch. Each may cover one tile entirely.
    pub(in crate::kernels) primitives: usize,
    /// Quads of a tile, for the kernel that merges them.
    pub(in crate::kernels) quads: u32,
    /// Tiles of a round, which one workgroup handles.
    pub(in crate::kernels) tiles: u32,
    /// Quads of a round.
    pub(in crate::kernels) capacity: u32,
}

impl LoopBounds {
    /// The bounds for a draw on an adapter that ends loops after `adapter_limit` iterations of an invocation, if it has
    /// a limit.
    pub(in crate::kernels) fn new(adapter_limit: Option<u32>, options: &GeometryOptions, draw: &Draw) -> Self {
        let Some(limit) = options.max_loop_iterations.or(adapter_limit) else {
            let capacity = options.quad_capacity;
            return Self { primitives: usize::MAX, quads: u32::MAX, tiles: u32::MAX, capacity };
        };
        let planes =
            (1..).zip(RasterParameters::new(draw).user_clips).filter_map(|(end, plane)| plane.map(|_| end)).max();
        // The loop over the planes for each sample; the adapter unrolls the loop over window clip rectangles.
        let rasterize = 1 + planes.map_or(0, |planes| (planes.max(6) + 1) * draw.raster.samples.count());
        let samples = draw.targets.samples;
        let merge = if samples == SampleMode::One { 1 } else { 2 + samples.count() };
        Self { capacity: options.quad_capacity, ..Self::within(limit, options.tile_size, [rasterize, merge]) }
    }

    /// Finding a quad takes `rasterize` iterations, merging it `merge`.
    fn within(limit: u32, tile_size: u32, [rasterize, merge]: [u32; 2]) -> Self {
        // Rasterizing a primitive takes an iteration for each quad of the tile, one to leave that loop, one of the loop
        // over primitives and one to find the next primitive. Invocations in lockstep do this together, but each
        // reaches a new word of its bin at a different time. Then the iterations of all eight add up, 8 × (1/32 +
        // 1/1024) for a primitive.
        let iterations_per_primitive = tile_size.pow(2) / 4 * rasterize + 4;
        let iterations = limit.saturating_sub(128);
        Self {
            primitives: (iterations / iterations_per_primitive).max(1) as usize,
            quads: (iterations / merge).max(1),
            // Far more than an invocation needs for two passes over its share of the tiles.
            tiles: iterations.max(1),
            capacity: u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_stay_within_the_limit_of_the_adapter() {
        // A tile of 16 × 16 has 64 quads; the quad loop ends with one more iteration, as do the two loops around it.
        let bounds = LoopBounds::within(65_535, 16, [1, 5]);
        let primitives = u32::try_from(bounds.primitives).unwrap();
        assert!((900..1000).contains(&primitives));
        assert!(primitives * (64 + 3) + 8 * (primitives.div_ceil(32) + primitives.div_ceil(1024) + 1) <= 65_535);
        assert!(bounds.quads * 5 < 65_535 && bounds.tiles + 64 < 65_535);
        let clipped = LoopBounds::within(65_535, 16, [8, 1]);
        assert!((120..128).contains(&clipped.primitives));
        // Drawing makes progress for any limit.
        assert_eq!(
            LoopBounds::within(0, 32, [1, 5]),
            LoopBounds { primitives: 1, quads: 1, tiles: 1, capacity: u32::MAX }
        );
    }
}
