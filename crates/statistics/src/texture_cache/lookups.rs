//! Lookups of texture units, the shapes of caches, and what a simulation counts.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use bytemuck::{Pod, Zeroable};

use crate::ParameterError;

/// Most lines of one cache.
pub const MAX_LINES: u32 = 32_768;

/// Most quad pipes.
pub const MAX_PIPES: u32 = 16;

/// A trace event: the texels that a texture unit reads for one quad.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct QuadLookup {
    /// Its first texel in the trace.
    pub first_texel: u32,
    /// How many texels it reads.
    pub texel_count: u32,
    /// The quad pipe that executes it, from 0.
    pub pipe: u16,
    /// Clocks that the pipe filters it; 0 counts as 1.
    pub clocks: u16,
    /// The index of its stream in the trace.
    pub stream: u32,
    /// The primitive of the draw that the quad belongs to.
    pub primitive: u32,
    /// Column of quads in bits 15:0, row of quads in bits 31:16.
    pub position: u32,
}

/// The draw and texture unit of lookups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LookupStream {
    /// The draw; draws are executed in the order of their numbers.
    pub draw: u32,
    /// The texture unit.
    pub unit: u32,
}

/// Every texel that texture units read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextureTrace {
    /// Lookups as they were recorded.
    pub lookups: Vec<QuadLookup>,
    /// Byte addresses of texels; a texel lies in the line of its first byte.
    pub texels: Vec<u32>,
    /// Draws and units of the lookups.
    pub streams: Vec<LookupStream>,
}

impl TextureTrace {
    /// Checks that lookups lie inside the trace and on existing pipes.
    ///
    /// # Errors
    /// With the first field of a lookup that does not fit.
    pub fn check(&self, pipes: u32) -> Result<(), ParameterError> {
        check_lookups(&self.lookups, self.texels.len() as u64, self.streams.len(), pipes)
    }
}

/// Checks that lookups lie inside a trace with these numbers of texels and streams, and on existing pipes.
///
/// # Errors
/// With the first field that does not fit.
pub fn check_lookups(lookups: &[QuadLookup], texels: u64, streams: usize, pipes: u32) -> Result<(), ParameterError> {
    let mut sum = 0;
    for lookup in lookups {
        let end = u64::from(lookup.first_texel) + u64::from(lookup.texel_count);
        ParameterError::unless(end <= texels, "texel_count", lookup.texel_count, "inside the trace")?;
        ParameterError::unless((lookup.stream as usize) < streams, "stream", lookup.stream, "a stream of the trace")?;
        ParameterError::unless(u32::from(lookup.pipe) < pipes, "pipe", lookup.pipe, "below the number of pipes")?;
        sum += u64::from(lookup.texel_count);
        ParameterError::unless(u32::try_from(sum).is_ok(), "texel_count", sum, "below 2^32 in all lookups together")?;
    }
    Ok(())
}

/// The shape of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheParameters {
    /// Its size in bytes: a whole number of sets, at most [`MAX_LINES`] lines.
    pub size_bytes: u32,
    /// Bytes of a line, a power of two from 16 to 4096.
    pub line_bytes: u32,
    /// Lines of a set, from 1.
    pub ways: u32,
}

impl CacheParameters {
    /// Lines that it holds.
    #[must_use]
    pub const fn lines(&self) -> u32 {
        self.size_bytes / self.line_bytes
    }

    /// Sets of lines.
    #[must_use]
    pub const fn sets(&self) -> u32 {
        self.lines() / self.ways
    }

    /// Checks every field; `names` are the names of size, line and ways in errors.
    fn check(&self, names: [&'static str; 3]) -> Result<(), ParameterError> {
        let Self { size_bytes, line_bytes, ways } = *self;
        let holds = line_bytes.is_power_of_two() && (16..=4096).contains(&line_bytes);
        ParameterError::unless(holds, names[1], line_bytes, "a power of two from 16 to 4096")?;
        ParameterError::unless((1..=MAX_LINES).contains(&ways), names[2], ways, "from 1 to 32768")?;
        let holds = size_bytes > 0 && u64::from(size_bytes) % (u64::from(line_bytes) * u64::from(ways)) == 0;
        ParameterError::unless(holds, names[0], size_bytes, "a multiple of line_bytes times ways")?;
        ParameterError::unless(self.lines() <= MAX_LINES, names[0], size_bytes, "at most 32768 lines")
    }
}

/// The texture caches of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureCacheParameters {
    /// Quad pipes, each with a first level of its own; 1 to [`MAX_PIPES`].
    pub pipes: u32,
    /// The first level.
    pub first: CacheParameters,
    /// The second level that all pipes share; its lines are at least as long as the first's. Without one, the first
    /// level is filled from memory.
    pub second: Option<CacheParameters>,
}

impl Default for TextureCacheParameters {
    fn default() -> Self {
        // Unverified: that there are two levels is published, but no size is. The size of the first level is that
        // of the simulator ATTILA, with the blocks of 4×4 texels of Igehy et al. (1998).
        Self {
            pipes: 4,
            first: CacheParameters { size_bytes: 16 << 10, line_bytes: 64, ways: 4 },
            second: Some(CacheParameters { size_bytes: 128 << 10, line_bytes: 64, ways: 8 }),
        }
    }
}

impl TextureCacheParameters {
    /// Bytes of the lines fetched from memory.
    #[must_use]
    pub fn memory_line_bytes(&self) -> u32 {
        self.second.unwrap_or(self.first).line_bytes
    }

    /// Checks every field.
    ///
    /// # Errors
    /// With the first field that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::unless((1..=MAX_PIPES).contains(&self.pipes), "pipes", self.pipes, "from 1 to 16")?;
        self.first.check(["first.size_bytes", "first.line_bytes", "first.ways"])?;
        let Some(second) = &self.second else { return Ok(()) };
        second.check(["second.size_bytes", "second.line_bytes", "second.ways"])?;
        let holds = second.line_bytes >= self.first.line_bytes;
        ParameterError::unless(holds, "second.line_bytes", second.line_bytes, "at least first.line_bytes")
    }
}

/// Hits and misses of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheCounts {
    /// Accesses to lines in the cache.
    pub hits: u64,
    /// Misses of lines that were never touched before.
    pub cold: u64,
    /// Misses that also occur in a fully associative cache of the same size.
    pub capacity: u64,
    /// All other misses.
    pub conflict: u64,
}

impl CacheCounts {
    /// Lines fetched.
    #[must_use]
    pub const fn misses(&self) -> u64 {
        self.cold + self.capacity + self.conflict
    }

    /// Hits and misses.
    #[must_use]
    pub const fn accesses(&self) -> u64 {
        self.hits + self.misses()
    }

    /// Hits per access, 0 to 1; `None` without accesses.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate is for people")]
    pub fn hit_rate(&self) -> Option<f64> {
        (self.accesses() > 0).then(|| self.hits as f64 / self.accesses() as f64)
    }
}

impl AddAssign for CacheCounts {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.cold += other.cold;
        self.capacity += other.capacity;
        self.conflict += other.conflict;
    }
}

/// Both levels. The misses of the first are the accesses of the second, if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LevelCounts {
    /// The first levels of all pipes.
    pub first: CacheCounts,
    /// The second level.
    pub second: CacheCounts,
}

impl AddAssign for LevelCounts {
    fn add_assign(&mut self, other: Self) {
        self.first += other.first;
        self.second += other.second;
    }
}

/// How a rasterizer traverses the quads of a primitive; primitives follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadOrder {
    /// As the trace was recorded.
    Recorded,
    /// Tile by tile in rows of tiles; row by row inside a tile.
    Tiled {
        /// Quads along a side of a tile, from 1; 4 are 8×8 pixels.
        quads: u32,
    },
    /// Row by row.
    Scanline,
}

impl std::fmt::Display for QuadOrder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Recorded => formatter.write_str("recorded"),
            Self::Tiled { quads } => write!(formatter, "tiled {0}x{0}", u64::from(*quads) * 2),
            Self::Scanline => formatter.write_str("scanline"),
        }
    }
}

/// Results of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureCacheResult {
    /// The caches.
    pub parameters: TextureCacheParameters,
    /// The order of quads.
    pub order: QuadOrder,
    /// Counts of each stream of the trace.
    pub streams: Vec<LevelCounts>,
    /// Misses of each lookup in its first level, as the trace numbers lookups.
    pub lookup_misses: Vec<u32>,
}

impl TextureCacheResult {
    /// The counts of all streams.
    #[must_use]
    pub fn total(&self) -> LevelCounts {
        let mut total = LevelCounts::default();
        for counts in &self.streams {
            total += *counts;
        }
        total
    }

    /// Bytes fetched from memory.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        let total = self.total();
        let filled = if self.parameters.second.is_some() { total.second } else { total.first };
        filled.misses() * u64::from(self.parameters.memory_line_bytes())
    }

    /// Counts of each draw; `streams` are the trace's.
    #[must_use]
    pub fn by_draw(&self, streams: &[LookupStream]) -> BTreeMap<u32, LevelCounts> {
        self.summed(streams, |stream| stream.draw)
    }

    /// Counts of each texture unit; `streams` are the trace's.
    #[must_use]
    pub fn by_unit(&self, streams: &[LookupStream]) -> BTreeMap<u32, LevelCounts> {
        self.summed(streams, |stream| stream.unit)
    }

    fn summed(&self, streams: &[LookupStream], key: impl Fn(&LookupStream) -> u32) -> BTreeMap<u32, LevelCounts> {
        let mut sums = BTreeMap::<_, LevelCounts>::new();
        for (stream, counts) in streams.iter().zip(&self.streams) {
            *sums.entry(key(stream)).or_default() += *counts;
        }
        sums
    }
}
