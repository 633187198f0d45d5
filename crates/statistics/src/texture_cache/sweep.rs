//! Combines ranges of cache shapes and orders, for what-if plots.

use super::{CacheParameters, QuadOrder, TextureCacheParameters, TextureCacheResult, TextureTrace, simulate};
use crate::ParameterError;

/// One combination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SweepCase {
    /// The caches.
    pub parameters: TextureCacheParameters,
    /// The order of quads.
    pub order: QuadOrder,
}

/// The axes of a sweep: every size is combined with every line, number of ways and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweepAxes {
    /// Quad pipes.
    pub pipes: u32,
    /// Bytes of the first level.
    pub size_bytes: Vec<u32>,
    /// Bytes of its lines.
    pub line_bytes: Vec<u32>,
    /// Lines of its sets.
    pub ways: Vec<u32>,
    /// Orders of quads.
    pub orders: Vec<QuadOrder>,
    /// The second level, the same for all.
    pub second: Option<CacheParameters>,
}

impl Default for SweepAxes {
    fn default() -> Self {
        Self {
            pipes: 4,
            size_bytes: [2, 4, 8, 16, 32].map(|kibibytes| kibibytes << 10).to_vec(),
            line_bytes: vec![32, 64, 128],
            ways: vec![1, 2, 4],
            orders: vec![QuadOrder::Tiled { quads: 4 }, QuadOrder::Scanline],
            second: None,
        }
    }
}

impl SweepAxes {
    /// The valid combinations, ordered by order, size, line and ways.
    #[must_use]
    pub fn cases(&self) -> Vec<SweepCase> {
        let shapes: Vec<_> = self.shapes().filter(|parameters| parameters.check().is_ok()).collect();
        let of_order = |&order| shapes.iter().map(move |parameters| SweepCase { parameters: *parameters, order });
        self.orders.iter().flat_map(of_order).collect()
    }

    /// The invalid combinations of size, line and ways, each with the reason.
    #[must_use]
    pub fn left_out(&self) -> Vec<(CacheParameters, ParameterError)> {
        self.shapes().filter_map(|parameters| Some((parameters.first, parameters.check().err()?))).collect()
    }

    /// Combines every size with every line and every number of ways.
    fn shapes(&self) -> impl Iterator<Item = TextureCacheParameters> {
        let Self { pipes, second, .. } = *self;
        self.size_bytes.iter().flat_map(move |&size_bytes| {
            self.line_bytes.iter().flat_map(move |&line_bytes| {
                self.ways.iter().map(move |&ways| {
                    let first = CacheParameters { size_bytes, line_bytes, ways };
                    TextureCacheParameters { pipes, first, second }
                })
            })
        })
    }
}

/// Runs every case over a trace; results are in the order of the cases.
///
/// # Errors
/// As [`simulate()`].
pub fn sweep(trace: &TextureTrace, cases: &[SweepCase]) -> Result<Vec<TextureCacheResult>, ParameterError> {
    cases.iter().map(|case| simulate(trace, &case.parameters, case.order)).collect()
}
