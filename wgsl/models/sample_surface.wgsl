// Describes a surface of 32-bit samples in memory and its tiles of 8×4 samples.

struct SampleSurface {
    first_word: u32,
    width: u32,
    height: u32,
    pitch_words: u32,
}

struct TileClassification {
    surface: SampleSurface,
    tile_count: u32,
    // Tiles in a row.
    columns: u32,
    // Invocations in a row of workgroups.
    row: u32,
    // Base-2 logarithms of a pixel's columns and rows of samples.
    log2_columns: u32,
    log2_rows: u32,
}

// Codes of `TileClass`.
const PLAIN = 0u;
const COMPRESSED = 1u;
const CONSTANT = 2u;
const PARTIAL = 3u;

@group(0) @binding(14)
var<storage, read> run: TileClassification;
@group(0) @binding(31)
var<storage, read> memory: array<u32>;
@group(0) @binding(32)
var<storage, read_write> classes: array<u32>;

// The tile of an invocation.
fn tile_of(id: vec3u) -> u32 {
    return id.y * run.row + id.x;
}

// Whether a tile reaches beyond the surface.
fn is_partial(tile: u32) -> bool {
    let right = tile % run.columns * 8u + 8u;
    let bottom = tile / run.columns * 4u + 4u;
    return right > run.surface.width || bottom > run.surface.height;
}

// The word of a tile's first sample.
fn first_sample(tile: u32) -> u32 {
    return run.surface.first_word + tile / run.columns * 4u * run.surface.pitch_words + tile % run.columns * 8u;
}
