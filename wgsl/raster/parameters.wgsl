// The state of a draw that the geometry stages read; the twin of `RasterBlock` in Rust.

struct RasterParameters {
    zero: u32,
    flags: u32,
    primitive_count: u32,
    bin_words: u32,
    clip: vec4u,
    tiles: vec4u,
    round: vec4u,
    scale: vec4u,
    translate: vec4u,
    depth: vec4u,
    shapes: vec4u,
    colors: vec4u,
    scalars: vec4u,
    fog: vec4u,
    clip_planes: array<vec4u, 2>,
    texcoords: array<vec4u, 3>,
    window_clips: array<vec4u, 8>,
    stipple: array<vec4u, 8>,
    counts: vec4u,
}

// What a primitive selects, and the layer that is drawn; the twin of `SelectionBlock`. Zero for draws without selection.
struct Selection {
    viewport_output: u32,
    layer_output: u32,
    viewports: u32,
    layers: u32,
    layer: u32,
    padding: array<u32, 3>,
}

// A viewport that a primitive selects; the twin of `ViewportBlock`.
struct Viewport {
    scale: vec4u,
    translate: vec4u,
    depth: vec4u,
    clip: vec4u,
}

struct RasterSource {
    parameters: RasterParameters,
    selection: Selection,
    viewports: array<Viewport>,
}

@group(0) @binding(6)
var<storage, read> raster_source: RasterSource;

// A copy: reads at fixed addresses are cheap only before the first branch of an entry point.
var<private> raster: RasterParameters;

// Every entry point calls this before anything else.
fn load_raster() {
    raster = raster_source.parameters;
}

const CLIPS_DEPTH: u32 = 0x1u;
const CLAMPS_DEPTH: u32 = 0x2u;
const SKIPS_TRANSFORM: u32 = 0x4u;
const IS_FLAT: u32 = 0x8u;
const FRONT_IS_COUNTER_CLOCKWISE: u32 = 0x10u;
const CULLS_FRONT: u32 = 0x20u;
const CULLS_BACK: u32 = 0x40u;
const TWO_SIDED: u32 = 0x80u;
const LINE_SMOOTH: u32 = 0x100u;
const LINE_STIPPLE: u32 = 0x200u;
const POLYGON_STIPPLE: u32 = 0x400u;
const WINDOW_CLIP: u32 = 0x800u;
const WINDOW_CLIP_EXCLUSIVE: u32 = 0x1000u;
const POINT_SPRITE: u32 = 0x2000u;
const PROGRAM_POINT_SIZE: u32 = 0x4000u;
const USER_CLIP: u32 = 0x8000u;
const POLYGON_SMOOTH: u32 = 0x20000000u;
const CULLS_BY_DISTANCE: u32 = 0x40000000u;
// What a distance of `clip_planes` does, above the output that it is: it keeps negative values, keeps others, or culls primitives.
const CLIP_MODE_SHIFT: u32 = 8u;
const CLIP_KEEPS_NEGATIVE: u32 = 1u;
const CLIP_CULLS: u32 = 3u;
const OFFSET_SHIFT: u32 = 16u;
const MODE_SHIFT: u32 = 20u;
const SPRITE_R_SHIFT: u32 = 24u;
const SAMPLES_SHIFT: u32 = 26u;
const NO_REGISTER: u32 = 0xffu;
const TEXCOORD_SPRITE: u32 = 0x100u;
const TEXCOORD_2D: u32 = 0x200u;
const TEXCOORD_CENTROID: u32 = 0x400u;
const TEXCOORD_WRAP_SHIFT: u32 = 12u;
const ORIGIN_INVERTED: u32 = 0x1000u;
const CENTER_INTEGER: u32 = 0x10000u;
