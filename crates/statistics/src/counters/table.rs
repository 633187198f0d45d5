//! The table of counters, and a set of their values.

use std::ops::AddAssign;

use crate::format::MAX_COLOR_TARGETS;

/// One kind of counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterRow {
    /// The part of the chip that it belongs to.
    pub group: &'static str,
    /// Its name within the group.
    pub name: &'static str,
    /// The names of its elements; if empty, it has one unnamed element.
    pub elements: &'static [&'static str],
    /// What is counted.
    pub summary: &'static str,
}

impl CounterRow {
    /// The number of its values.
    #[must_use]
    pub const fn count(&self) -> usize {
        if self.elements.is_empty() { 1 } else { self.elements.len() }
    }
}

macro_rules! counters {
    ($($group:literal { $($(#[doc = $doc:literal])+ $variant:ident $name:literal $elements:expr;)* })*) => {
        /// The kinds of counters.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Counter {
            $($($(#[doc = $doc])+ $variant,)*)*
        }

        impl Counter {
            /// Every kind, in order.
            pub const ALL: &'static [Self] = &[$($(Self::$variant,)*)*];
            /// Every kind's row, in the same order.
            pub const TABLE: &'static [CounterRow] = &[$($(CounterRow {
                group: $group,
                name: $name,
                elements: $elements,
                summary: concat!($($doc),+).trim_ascii(),
            },)*)*];
        }
    };
}

const ONE: &[&str] = &[];
const TARGETS: &[&str; MAX_COLOR_TARGETS] =
    &["color0", "color1", "color2", "color3", "color4", "color5", "color6", "color7"];
const PRECISIONS: &[&str] = &["fp32", "fp16", "fx12", "fx9"];
const STAGES: &[&str] = &["vertex", "geometry", "fragment"];
const PROCESSOR_UNITS: &[&str] = &["scalar", "special", "memory", "flow"];
const UNITS: &[&str] = &[
    "unit0", "unit1", "unit2", "unit3", "unit4", "unit5", "unit6", "unit7", "unit8", "unit9", "unit10", "unit11",
    "unit12", "unit13", "unit14", "unit15",
];

counters! {
    "stream" {
        /// Methods in push buffers.
        Methods "methods" ONE;
        /// Methods of the 3D object that changed the value of a register.
        StateChanges "state_changes" ONE;
        /// Packets with at least one method.
        Packets "packets" ONE;
        /// Draws.
        Draws "draws" ONE;
        /// Clears.
        Clears "clears" ONE;
        /// Surface bytes that clears wrote.
        ClearedBytes "cleared_bytes" ONE;
        /// Memory copies.
        Copies "copies" ONE;
        /// Bytes that memory copies wrote.
        CopiedBytes "copied_bytes" ONE;
        /// Images that the 2D objects wrote.
        Images "images" ONE;
        /// Bytes that images wrote.
        ImageBytes "image_bytes" ONE;
        /// Byte ranges that the host changed in memory.
        Uploads "uploads" ONE;
        /// Bytes in these ranges.
        UploadedBytes "uploaded_bytes" ONE;
    }
    "vertices" {
        /// Elements of draws, without primitive restarts.
        Indices "indices" ONE;
        /// Elements whose vertex was in the post-transform cache.
        CacheHits "cache_hits" ONE;
        /// Elements whose vertex was fetched and transformed.
        CacheMisses "cache_misses" ONE;
        /// Vertex program instructions, over all transformed vertices.
        VertexInstructions "instructions" ONE;
        /// Of these, instructions with a vector unit operation.
        VectorOperations "vector_operations" ONE;
        /// Instructions with a scalar unit operation other than flow control.
        ScalarOperations "scalar_operations" ONE;
        /// Fetches from vertex textures.
        VertexTextureLookups "texture_lookups" ONE;
        /// Branches, calls, returns and stack operations.
        VertexFlow "flow_instructions" ONE;
    }
    "primitives" {
        /// Assembled points, lines and triangles; for polygons drawn as points or lines, those of both faces.
        Assembled "assembled" ONE;
        /// Of these, primitives dropped by face culling.
        Culled "culled" ONE;
        /// Primitives that draw nothing: outside, without area, between pixel centers, not finite.
        Rejected "rejected" ONE;
        /// Primitives set up for the rasterizer.
        SetUp "set_up" ONE;
        /// Of those set up, primitives clipped at a plane.
        Clipped "clipped" ONE;
    }
    "raster" {
        /// 2×2 quads with at least one covered pixel.
        Quads "quads" ONE;
        /// Pixels that primitives cover.
        Fragments "fragments" ONE;
        /// Uncovered pixels of quads.
        Helpers "helpers" ONE;
        /// Covered samples of fragments.
        Samples "samples" ONE;
    }
    "tests" {
        /// Pixels of the surface that primitives cover outside the scissor.
        Scissor "scissor_rejects" ONE;
        /// Pixels that primitives cover inside the scissor and that window clips remove.
        WindowClip "window_clip_rejects" ONE;
        /// Samples outside the depth bounds, before shading.
        EarlyDepthBounds "early_depth_bounds_rejects" ONE;
        /// Samples that failed the stencil test, before shading.
        EarlyStencil "early_stencil_rejects" ONE;
        /// Samples that failed only the depth test, before shading.
        EarlyDepth "early_depth_rejects" ONE;
        /// Fragments that KIL, alpha kill or a color key discarded.
        Killed "killed" ONE;
        /// Fragments that failed the alpha test.
        Alpha "alpha_rejects" ONE;
        /// Samples of discarded fragments, and samples that the sample mask or alpha excluded.
        MaskedSamples "masked_samples" ONE;
        /// Samples outside the depth bounds, after shading.
        LateDepthBounds "late_depth_bounds_rejects" ONE;
        /// Samples that failed the stencil test, after shading.
        LateStencil "late_stencil_rejects" ONE;
        /// Samples that failed only the depth test, after shading.
        LateDepth "late_depth_rejects" ONE;
        /// Samples that passed all tests.
        Passed "passed_samples" ONE;
    }
    "shading" {
        /// Quads that fragment programs shaded.
        ShadedQuads "quads" ONE;
        /// Covered fragments of these quads that passed the early tests.
        ShadedFragments "fragments" ONE;
        /// Multiplier and adder instructions that quads executed, by the precision of the result.
        Arithmetic "arithmetic_instructions" PRECISIONS;
        /// Special function instructions that quads executed: reciprocals, roots, exponentials, logarithms, sines.
        Special "special_instructions" PRECISIONS;
        /// Texture instructions that quads executed.
        TextureInstructions "texture_instructions" ONE;
        /// KIL instructions that quads executed.
        Kills "kill_instructions" ONE;
        /// NOP and fence instructions that quads executed.
        Nops "nop_instructions" ONE;
        /// IF, LOOP, REP, CAL, BRK and RET instructions that quads executed.
        Flow "flow_instructions" ONE;
        /// Conditional branches that all active pixels of a quad took.
        UniformTaken "branches_uniform_taken" ONE;
        /// Conditional branches that no active pixel of a quad took.
        UniformNotTaken "branches_uniform_not_taken" ONE;
        /// Conditional branches that some but not all active pixels of a quad took.
        Divergent "branches_divergent" ONE;
        /// Texture lookups of pixels, including helpers, by unit.
        Lookups "texture_lookups" UNITS;
        /// Nearest, bilinear or convolved samples of these: one per level, or several along an anisotropic footprint.
        TextureSamples "texture_samples" UNITS;
        /// Texels that these samples read.
        Texels "texels" UNITS;
        /// Of these lookups, those that mixed two mip levels.
        Trilinear "trilinear_lookups" UNITS;
        /// Of these lookups, those that took several samples of a level.
        Anisotropic "anisotropic_lookups" UNITS;
    }
    "rop" {
        /// Samples written, by target.
        ColorWritten "written" TARGETS;
        /// Of these, samples blended with the stored value.
        ColorBlended "blended" TARGETS;
        /// Samples whose stored depth was read.
        DepthReads "depth_reads" ONE;
        /// Samples whose depth was written.
        DepthWrites "depth_writes" ONE;
        /// Samples whose stencil value was read.
        StencilReads "stencil_reads" ONE;
        /// Samples whose stencil value was written.
        StencilWrites "stencil_writes" ONE;
    }
    "bytes" {
        /// Bytes of indices in memory.
        IndexBytes "indices" ONE;
        /// Bytes of vertex attributes of the fetched vertices.
        AttributeBytes "attributes" ONE;
        /// Bytes of color read for blending and logic operations.
        ColorReadBytes "color_read" ONE;
        /// Bytes of color written.
        ColorWrittenBytes "color_written" ONE;
        /// Bytes of depth and stencil read.
        ZetaReadBytes "zeta_read" ONE;
        /// Bytes of depth and stencil written.
        ZetaWrittenBytes "zeta_written" ONE;
    }
    "processor" {
        /// Threads of SIMT programs: transformed vertices, primitives, and pixels of shaded quads, including helpers.
        Threads "threads" STAGES;
        /// Warps of 32 threads that these fill, draw by draw.
        Warps "warps" STAGES;
        /// Instructions that warps executed.
        WarpInstructions "warp_instructions" STAGES;
        /// The same instructions by the unit of the multiprocessor.
        UnitInstructions "unit_instructions" PROCESSOR_UNITS;
        /// Instructions that threads executed: of each instruction of a warp, the active threads whose predicate held.
        ThreadInstructions "thread_instructions" STAGES;
        /// Branches whose threads took both ways.
        DivergentWarps "divergent_branches" STAGES;
        /// Texture instructions that threads executed.
        ThreadFetches "texture_fetches" STAGES;
        /// Vertices that geometry programs emitted.
        EmittedVertices "emitted_vertices" ONE;
    }
    "stream_output" {
        /// Primitives that stream output wrote.
        StreamedPrimitives "primitives" ONE;
        /// Their vertices.
        StreamedVertices "vertices" ONE;
        /// Bytes of these vertices.
        StreamedBytes "bytes" ONE;
    }
}

/// The offset of each kind's values.
const OFFSETS: [usize; Counter::TABLE.len() + 1] = {
    let mut offsets = [0; Counter::TABLE.len() + 1];
    let mut index = 0;
    while index < Counter::TABLE.len() {
        offsets[index + 1] = offsets[index] + Counter::TABLE[index].count();
        index += 1;
    }
    offsets
};

/// The number of values.
const VALUES: usize = OFFSETS[Counter::TABLE.len()];

impl Counter {
    /// Its row of the table.
    #[must_use]
    pub const fn row(self) -> &'static CounterRow {
        &Self::TABLE[self as usize]
    }
}

/// A value of every counter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    values: [u64; VALUES],
}

impl Default for Counters {
    fn default() -> Self {
        Self { values: [0; VALUES] }
    }
}

impl Counters {
    /// The sum over all elements of a counter.
    #[must_use]
    pub fn total(&self, counter: Counter) -> u64 {
        self.elements(counter).iter().sum()
    }

    /// The elements of a counter.
    #[must_use]
    pub fn elements(&self, counter: Counter) -> &[u64] {
        let index = counter as usize;
        &self.values[OFFSETS[index]..OFFSETS[index + 1]]
    }

    /// Adds to the first, or only, element of a counter.
    pub const fn add(&mut self, counter: Counter, amount: u64) {
        self.add_to(counter, 0, amount);
    }

    /// Adds to an element of a counter.
    ///
    /// # Panics
    /// When there is no such element.
    pub const fn add_to(&mut self, counter: Counter, element: usize, amount: u64) {
        assert!(element < counter.row().count(), "a counter has no such element");
        let value = &mut self.values[OFFSETS[counter as usize] + element];
        *value = value.saturating_add(amount);
    }
}

impl AddAssign<&Self> for Counters {
    fn add_assign(&mut self, other: &Self) {
        for (value, other) in self.values.iter_mut().zip(&other.values) {
            *value = value.saturating_add(*other);
        }
    }
}

impl std::fmt::Debug for Counters {
    /// Names the counters that are not zero.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut map = formatter.debug_map();
        for counter in Counter::ALL {
            let (row, elements) = (counter.row(), self.elements(*counter));
            if elements.iter().any(|value| *value != 0) {
                map.entry(&format_args!("{}.{}", row.group, row.name), &elements);
            }
        }
        map.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_counters_lie_apart() {
        let mut counters = Counters::default();
        let mut expected = 0;
        for (counter, number) in Counter::ALL.iter().zip(1u64..) {
            for element in 0..counter.row().count() {
                counters.add_to(*counter, element, number);
                expected += number;
            }
        }
        for (counter, number) in Counter::ALL.iter().zip(1u64..) {
            assert!(counters.elements(*counter).iter().all(|value| *value == number), "{counter:?}");
        }
        let mut doubled = counters;
        doubled += &counters;
        assert_eq!(Counter::ALL.iter().map(|counter| doubled.total(*counter)).sum::<u64>(), 2 * expected);
    }

    #[test]
    fn names_are_unique_within_groups() {
        let mut names: Vec<_> = Counter::TABLE.iter().map(|row| (row.group, row.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Counter::TABLE.len());
    }
}
