//! A stream that uses every block of a chip of the GeForce 8 once, so that a changed register affects the commands that
//! follow.

use curie::capture::{Buffer, Capture, DOMAIN_GART, DOMAIN_VRAM, Header, Push, Record, Submission};
use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::puller;
use curie::command::methods::tesla::three_d::{below_1400 as early, from_1400 as late};
use curie::command::methods::tesla::{compute, fifo, graph, memory_copy, two_d};

use super::programs;
use crate::host::coverage::family::{ALL, PLAIN, Place, Setting};

/// As [`ALL`], with a geometry program that selects viewports and layers, stream output into one buffer, blend functions of
/// each target, and copies from blocks into rows.
pub(super) const SELECTING: Setting = 2;

pub(super) const SETTINGS: [Setting; 3] = [PLAIN, ALL, SELECTING];

/// A GeForce GT 220, which has all methods.
pub(super) const HEADER: Header = Header { chipset: 0xa5, vram_bytes: 16 << 20, gart_bytes: 16 << 20 };

pub(super) const THREE_D_CLASS: u32 = 0x8597;
pub(super) const COMPUTE_CLASS: u32 = 0x85c0;

pub(super) const THREE_D: u8 = 3;
pub(super) const TWO_D: u8 = 4;
pub(super) const COPY: u8 = 5;
pub(super) const COMPUTE: u8 = 6;

/// The classes with their subchannels.
pub(super) const CLASSES: [(u8, u32); 4] =
    [(THREE_D, THREE_D_CLASS), (TWO_D, 0x502d), (COPY, 0x5039), (COMPUTE, COMPUTE_CLASS)];

/// Virtual addresses of buffers of 64 KiB.
const PUSHES: u32 = 0x2000_0000;
pub(super) const CODE: u32 = 0x2010_0000;
pub(super) const CONSTANTS: u32 = 0x2020_0000;
pub(super) const COLOR: u32 = 0x2030_0000;
pub(super) const ZETA: u32 = 0x2040_0000;
pub(super) const VERTICES: u32 = 0x2050_0000;
pub(super) const ENTRIES: u32 = 0x2060_0000;
const TEXELS: u32 = 0x2070_0000;
const STREAMED: u32 = 0x2080_0000;
const REPORTS: u32 = 0x2090_0000;
const IMAGES: u32 = 0x20a0_0000;
const BYTES: u32 = 0x1_0000;

/// Where sampler entries begin behind those of textures.
pub(super) const SAMPLERS: u32 = 0x800;

/// The constant buffers: of programs, of entries, of code.
pub(super) const CONSTANT_BUFFER: u32 = 1;
pub(super) const ENTRY_BUFFER: u32 = 2;
const CODE_BUFFER: u32 = 3;

/// Columns and rows of targets.
const SIDE: u32 = 16;

/// A texture of 8 × 8 texels A8B8G8R8 in blocks of two gobs, with levels.
pub(super) const TEXTURE_ENTRY: [u32; 8] = [
    5 << 27 | 4 << 24 | 3 << 21 | 2 << 18 | 2 << 15 | 2 << 12 | 2 << 9 | 2 << 6 | 8,
    TEXELS,
    1 << 31 | 1 << 30 | 1 << 22 | 1 << 14,
    0,
    8,
    1 << 28 | 1 << 16 | 8,
    0,
    1 << 4,
];

/// A sampler that clamps to the edge, with linear filters.
pub(super) const SAMPLER_ENTRY: [u32; 8] = [2 << 6 | 2 << 3 | 2, 3 << 6 | 2 << 4 | 2, 0xf00 << 12, 0, 1, 2, 3, 4];

/// Entry 1 in unit 1.
const UNIT_TEXTURE: u32 = 1 << 9 | 1 << 1 | 1;
const UNIT_SAMPLER: u32 = 1 << 12 | 1 << 4 | 1;

/// Entry 2, a smaller texture, in unit 1.
pub(super) const OTHER_TEXTURE: u32 = 2 << 9 | 1 << 1 | 1;

/// The bytes of an entry.
pub(super) const ENTRY: u32 = 32;

const fn f(value: f32) -> u32 {
    value.to_bits()
}

fn buffer(handle: u32, domain: u32, address: u32) -> Record {
    let offset = address.into();
    Record::CreateBuffer(Buffer { handle, domain, tile_mode: 0, tile_flags: 0, bytes: BYTES.into(), offset })
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The channel with its buffers and objects, and what the buffers hold.
fn channel() -> Vec<Record> {
    let places = [CODE, CONSTANTS, COLOR, ZETA, VERTICES, ENTRIES, TEXELS, STREAMED, REPORTS, IMAGES];
    let mut records = vec![buffer(1, DOMAIN_GART, PUSHES)];
    records.extend((2..).zip(places).map(|(handle, address)| buffer(handle, DOMAIN_VRAM, address)));
    records.push(Record::Channel { vram_handle: handles::VRAM, gart_handle: handles::GART, notifier_buffer: 1 });
    records.push(Record::Notifier { handle: handles::NOTIFIER, offset: 0x20, bytes: 0x20, buffer: 1 });
    records.extend(CLASSES.map(|(_, class)| Record::Object { handle: handles::object(class), class }));
    let vertex = |number: u32| {
        let [x, y] = [number & 1, number >> 1 & 1].map(|bit| if bit == 0 { -0.9 } else { 0.8 });
        [[f(x), f(y), f(0.25), f(1.0)], [f(0.5); 4], [f(0.25); 4], [0, 1, f(4.0), f(1.0)]].concat()
    };
    let mut smaller = TEXTURE_ENTRY;
    smaller[4] = 4;
    let textures = [&[0; 8][..], &TEXTURE_ENTRY, &smaller, &[0; SAMPLERS as usize / 4 - 24]];
    let entries = [&textures.concat()[..], &[0; 8], &SAMPLER_ENTRY].concat();
    let contents = [
        (CODE, programs::code().to_vec()),
        (CONSTANTS, bytes(&[f(0.5); 64])),
        (VERTICES, bytes(&(0..16).flat_map(vertex).collect::<Vec<_>>())),
        (ENTRIES, bytes(&entries)),
        (TEXELS, vec![0x5a; 0x400]),
        (REPORTS, bytes(&[7; 16])),
        (IMAGES, (0..0x8000_u32).map(|byte| (byte * 7 + byte / 256 * 13) as u8).collect()),
    ];
    for (address, bytes) in contents {
        let handle = (2..).zip(places).find(|(_, place)| *place == address).unwrap().0;
        records.push(Record::Write { handle, offset: 0, bytes });
    }
    records
}

/// A capture with the setup, some methods, and the use of everything.
pub(super) fn capture(setting: Setting, place: Place, tested: &dyn Fn(&mut StreamBuilder)) -> Capture {
    let mut stream = StreamBuilder::new();
    for (subchannel, class) in CLASSES {
        stream.bind(subchannel, class, handles::object(class));
        stream.method(subchannel, early::DMA_NOTIFY, handles::NOTIFIER);
    }
    stream.method(COPY, puller::DMA_SEMAPHORE, handles::VRAM);
    stream.method(COPY, puller::SEMAPHORE_OFFSET, 0x40);
    stream.methods(COPY, fifo::SEMAPHORE_ADDRESS_HIGH, &[0, REPORTS + 0x800, 3]);
    set_up_compute(&mut stream);
    set_up_three_d(&mut stream, setting);
    set_up_two_d(&mut stream, setting);
    set_up_copy(&mut stream, setting);
    if place == Place::Outside {
        tested(&mut stream);
    } else {
        stream.method(THREE_D, late::VERTEX_BEGIN_GL, 4);
        stream.methods(THREE_D, early::VERTEX_BUFFER_FIRST, &[0, 3]);
        tested(&mut stream);
        stream.methods(THREE_D, early::VERTEX_BUFFER_FIRST, &[1, 3]);
        stream.method(THREE_D, late::VERTEX_END_GL, 0);
    }
    use_everything(&mut stream, setting);
    let push = Push { buffer: 1, offset: 0, words: stream.words().to_vec() };
    let submission = Submission { sequence: 1, buffers: Vec::new(), relocations: Vec::new(), pushes: vec![push] };
    let mut records = channel();
    records.push(Record::Submit(submission));
    Capture { header: HEADER, records, ..Capture::default() }
}

/// Runs of methods from an address on.
type Runs<'a> = &'a [(u16, &'a [u32])];

fn set(stream: &mut StreamBuilder, runs: Runs<'_>) {
    for (method, values) in runs {
        stream.methods(THREE_D, *method, values);
    }
}

fn set_up_three_d(stream: &mut StreamBuilder, setting: Setting) {
    let is_plain = setting == PLAIN;
    let side = SIDE << 16;
    set(
        stream,
        &[
            (early::CB_DEF_ADDRESS_HIGH, &[0, CODE, CODE_BUFFER << 16]),
            (early::CB_DEF_ADDRESS_HIGH, &[0, ENTRIES, ENTRY_BUFFER << 16]),
            (early::CB_DEF_ADDRESS_HIGH, &[0, CONSTANTS, CONSTANT_BUFFER << 16 | 0x100]),
            (early::CB_ADDR, &[CONSTANT_BUFFER]),
            (early::RT_ADDRESS_HIGH, &[0, COLOR, 0xd5, 0x10, 0x400]),
            (early::RT_HORIZ, &[SIDE, SIDE]),
            (early::RT_CONTROL, &[1]),
            (early::RT_ARRAY_MODE, &[1, SIDE, SIDE, 0x1_0001]),
            (early::ZETA_ADDRESS_HIGH, &[0, ZETA, 0x16, 0x10, 0x400, side, side]),
            (early::VIEWPORT_SCALE_X, &[f(4.0), f(4.0), f(0.5), f(4.0), f(4.0), f(0.5)]),
            (early::VIEWPORT_HORIZ, &[12 << 16, 12 << 16, f(0.0), f(1.0)]),
            (early::SCISSOR_ENABLE, &[0, side, side]),
            (late::VIEWPORT_TRANSFORM_EN, &[1]),
            (late::VIEW_VOLUME_CLIP_CTRL, &[0]),
            (late::RASTERIZE_ENABLE, &[1]),
            (late::POINT_RASTER_RULES, &[0]),
            (early::GP_ADDRESS_HIGH, &[0, CODE]),
            (early::VP_ADDRESS_HIGH, &[0, CODE]),
            (early::FP_ADDRESS_HIGH, &[0, CODE]),
            (late::VP_START_ID, &[programs::VERTEX, programs::GEOMETRY, programs::FRAGMENT]),
            (late::VP_REG_ALLOC_TEMP, &[4]),
            (late::FP_REG_ALLOC_TEMP, &[44]),
            (early::FP_RESULT_COUNT, &[4]),
            (late::VP_RESULT_MAP_SIZE, &[8]),
            (late::VP_RESULT_MAP, &[0x0302_0100, 0x4140_0100]),
            (late::FP_INTERPOLANT_CTRL, &[0x0804_0404]),
            (late::SEMANTIC_COLOR, &[0x0004_0404, 4, 0, 0, 0x27]),
            (late::VP_ATTR_EN, &[0xf]),
            (late::VERTEX_ARRAY_ATTRIB, &[0x3f << 25 | 1 << 19]),
            (early::VERTEX_ARRAY_FETCH, &[1 << 29 | 64, 0, VERTICES]),
            (early::VERTEX_ARRAY_LIMIT_HIGH, &[0, VERTICES + 0x3ff]),
            (late::QUERY_ADDRESS_HIGH, &[0, REPORTS + 0x100, 7]),
            (late::COND_ADDRESS_HIGH, &[0, REPORTS, if is_plain { 1 } else { 2 }]),
            (early::DRAW_TFB_STRIDE, &[16]),
            (late::VB_ELEMENT_BASE, &[1, 0]),
        ],
    );
    for program in [0, 2, 3] {
        stream.method(THREE_D, late::SET_PROGRAM_CB, CONSTANT_BUFFER << 12 | program << 4 | 1);
    }
    set_up_textures(stream);
    if !is_plain {
        set_up_options(stream);
        set_up_inputs(stream);
    }
    if setting == SELECTING {
        set_up_selection(stream);
    }
    if !is_plain {
        draw_and_change_code(stream);
    }
}

/// A texture and a sampler for each kind of program.
fn set_up_textures(stream: &mut StreamBuilder) {
    set(
        stream,
        &[
            (late::TIC_ADDRESS_HIGH, &[0, ENTRIES, 7]),
            (late::TSC_ADDRESS_HIGH, &[0, ENTRIES + SAMPLERS, 7]),
            (early::TEX_LIMITS, &[0x54; 3]),
            (late::BIND_TSC, &[UNIT_SAMPLER, UNIT_TEXTURE, UNIT_SAMPLER, UNIT_TEXTURE, UNIT_SAMPLER, UNIT_TEXTURE]),
        ],
    );
}

/// Enables every optional part, for pixels of four samples in eight targets.
fn set_up_options(stream: &mut StreamBuilder) {
    let side = SIDE / 2;
    for target in 0..8 {
        let address = COLOR + 0x1000 * u32::from(target);
        stream.methods(THREE_D, early::RT_ADDRESS_HIGH + 32 * target, &[0, address, 0xd5, 0x10, 0x100]);
        stream.methods(THREE_D, early::RT_HORIZ + 8 * target, &[SIDE, SIDE]);
        let functions = [1, 0x8008, 0x4302, 0x4303, 0x8006, 0x4001, 0x4000];
        stream.methods(THREE_D, late::IBLEND_SEPARATE_ALPHA + 32 * target, &functions);
    }
    for number in 0..16 {
        stream.methods(THREE_D, early::SCISSOR_ENABLE + 16 * number, &[1, side << 16, side << 16 | 1]);
    }
    for rectangle in 0..8 {
        stream.methods(THREE_D, early::CLIP_RECT_HORIZ + 8 * rectangle, &[6 << 16, 6 << 16]);
    }
    set(
        stream,
        &[
            (early::RT_CONTROL, &[0x0fac_6888]),
            (early::RT_ARRAY_MODE, &[2]),
            (late::MULTISAMPLE_MODE, &[2]),
            (late::MULTISAMPLE_ENABLE, &[1, 1, 0x11]),
            (late::FP_MULTISAMPLE, &[1]),
            (late::SAMPLE_SHADING, &[0x10]),
            (late::FP_CONTROL, &[0x101]),
            (early::FP_RESULT_COUNT, &[34]),
            (early::BLEND_ENABLE, &[1, 0, 1, 0, 1, 0, 1, 0]),
            (early::BLEND_SEPARATE_ALPHA, &[1, 0x8006, 0x4302, 0x4303, 0x8006, 0xc001]),
            (early::FRAG_COLOR_CLAMP_EN, &[0x1010_1010]),
            (late::COLOR_MASK, &[0x1111; 8]),
            (late::LOGIC_OP_ENABLE, &[1, 0x1506]),
            (early::ALPHA_TEST_ENABLE, &[1]),
            (early::ALPHA_TEST_REF, &[f(0.25), 0x207]),
            (early::DEPTH_TEST_ENABLE, &[1]),
            (early::DEPTH_WRITE_ENABLE, &[1]),
            (early::DEPTH_TEST_FUNC, &[0x203]),
            (late::DEPTH_BOUNDS_EN, &[1]),
            (early::DEPTH_BOUNDS, &[f(0.0), f(1.0)]),
            (early::STENCIL_ENABLE, &[1, 0x1e01, 0x1e01, 0x1e01, 0x207, 1, 0xff, 0xff]),
            (late::STENCIL_TWO_SIDE_ENABLE, &[1, 0x150a, 0x150a, 0x150a, 0x207]),
            (early::STENCIL_BACK_FUNC_REF, &[1, 0xff, 0xff]),
            (late::SAMPLECNT_ENABLE, &[1]),
            (late::CULL_FACE_ENABLE, &[1, 0x901, 0x404]),
            (late::CLIP_RECTS_EN, &[1]),
            (late::CLIP_DISTANCE_ENABLE, &[1]),
            (late::SEMANTIC_COLOR, &[0x0104_0804, 0x10f, 12, 14 << 4 | 1, 0x27]),
            (late::VERTEX_TWO_SIDE_ENABLE, &[1, 1]),
            (late::POINT_SPRITE_ENABLE, &[1]),
            (late::POINT_SIZE, &[f(4.0)]),
            (early::POINT_COORD_REPLACE_MAP, &[0x4321_0000; 16]),
            (late::LINE_SMOOTH_ENABLE, &[1]),
            (late::LINE_STIPPLE_ENABLE, &[1]),
            (early::POLYGON_SMOOTH_ENABLE, &[0]),
            (early::POLYGON_OFFSET_POINT_ENABLE, &[1, 1, 1]),
            (late::POLYGON_STIPPLE_PATTERN, &[0xffff_ffff; 32]),
            (late::PRIM_RESTART_ENABLE, &[1, 7]),
            (early::STRMOUT_BUFFERS_CTRL, &[0x22]),
            (late::STRMOUT_MAP, &[0x8382_8180, 0x8786_8584]),
            (late::STRMOUT_ADDRESS_HIGH, &[0, STREAMED, 4, 0x800]),
            (late::STRMOUT_ADDRESS_HIGH + 16, &[0, STREAMED + 0x1000, 4, 0x800]),
            (late::STRMOUT_OFFSET, &[16, 16]),
            (early::STRMOUT_PARAMS_LATCH, &[1, 4]),
            (late::STRMOUT_ENABLE, &[1]),
            (late::CLEAR_FLAGS, &[0x10]),
        ],
    );
}

/// Sixteen arrays and programs over sixteen words. The last array steps by instances.
fn set_up_inputs(stream: &mut StreamBuilder) {
    for array in 0..16 {
        let start = VERTICES + 16 * u32::from(array % 4);
        stream.methods(THREE_D, early::VERTEX_ARRAY_FETCH + 16 * array, &[1 << 29 | 64, 0, start, 2]);
        stream.methods(THREE_D, early::VERTEX_ARRAY_LIMIT_HIGH + 8 * array, &[0, VERTICES + 0x3ff]);
        stream.method(THREE_D, early::VERTEX_ARRAY_PER_INSTANCE + 4 * array, u32::from(array == 15));
        let format = 0x3f << 25 | 1 << 19 | u32::from(array);
        stream.method(THREE_D, late::VERTEX_ARRAY_ATTRIB + 4 * array, format);
    }
    let map: Vec<u32> = (0..4).map(|word| 0x0302_0100 + 0x0404_0404 * word).collect();
    set(
        stream,
        &[
            (late::VP_ATTR_EN, &[0xffff_ffff, 0x0fff_ffff]),
            (late::VP_GP_BUILTIN_ATTR_EN, &[0x1111]),
            (late::VP_START_ID, &[programs::WIDE_VERTEX, programs::GEOMETRY, programs::WIDE_FRAGMENT]),
            (late::VP_RESULT_MAP_SIZE, &[programs::WIDE_WORDS]),
            (late::VP_RESULT_MAP, &map),
            (late::FP_INTERPOLANT_CTRL, &[0x0804_040c]),
        ],
    );
}

fn set_up_selection(stream: &mut StreamBuilder) {
    let side = SIDE << 16;
    for number in 0..16 {
        let scale = [f(4.0), f(4.0), f(0.5), f(4.0), f(4.0), f(0.5)];
        stream.methods(THREE_D, early::VIEWPORT_SCALE_X + 32 * number, &scale);
        stream.methods(THREE_D, early::VIEWPORT_HORIZ + 16 * number, &[side, side, f(0.0), f(1.0)]);
    }
    let map: Vec<u32> = (0..4).map(|word| 0x0302_0100 + 0x0404_0404 * word).collect();
    set(
        stream,
        &[
            // The program has no mask of samples, so that `SAMPLE_SHADING` tells for which it runs.
            (late::FP_MULTISAMPLE, &[0]),
            (early::FP_RESULT_COUNT, &[33]),
            (late::GP_ENABLE, &[1]),
            (late::GP_REG_ALLOC_TEMP, &[8]),
            (late::GP_VERTEX_OUTPUT_COUNT, &[3]),
            (late::GP_OUTPUT_PRIMITIVE_TYPE, &[3]),
            (late::GP_RESULT_MAP_SIZE, &[programs::WIDE_WORDS]),
            (late::GP_RESULT_MAP, &map),
            (late::GP_VIEWPORT_ID_ENABLE, &[1]),
            (early::SEMANTIC_VIEWPORT, &[13]),
            (late::LAYER, &[1 << 16]),
            (early::BLEND_INDEPENDENT, &[1]),
            (early::BLEND_ENABLE_COMMON, &[1]),
            (early::COLOR_MASK_COMMON, &[1]),
            (early::STRMOUT_BUFFERS_CTRL, &[1]),
            (late::STRMOUT_ADDRESS_HIGH, &[0, STREAMED, 8]),
            (early::STRMOUT_PARAMS_LATCH, &[1, 64]),
        ],
    );
}

/// A draw whose programs stay in the instruction cache while their memory changes, and which begins the buffers of stream
/// output.
fn draw_and_change_code(stream: &mut StreamBuilder) {
    set(
        stream,
        &[
            (late::VERTEX_BEGIN_GL, &[4]),
            (early::VERTEX_BUFFER_FIRST, &[0, 3]),
            (late::VERTEX_END_GL, &[0]),
            (early::CB_ADDR, &[programs::WIDE_FRAGMENT << 6 | CODE_BUFFER]),
        ],
    );
    stream.repeated(THREE_D, early::CB_DATA, &programs::other_fragment());
    stream.method(THREE_D, early::CB_ADDR, CONSTANT_BUFFER);
}

/// An open upload of 2 × 2 texels, unless copies are clipped, and a copy of 4 × 4.
fn set_up_two_d(stream: &mut StreamBuilder, setting: Setting) {
    let mut set = |method: u16, values: &[u32]| {
        stream.methods(TWO_D, method, values);
    };
    let is_linear = u32::from(setting != ALL);
    set(two_d::DST_FORMAT, &[0xd5, is_linear, 0x110, 2, 1, 64, 16, 16, 0, IMAGES + 0x4000]);
    let is_linear = u32::from(setting != SELECTING);
    set(two_d::SRC_FORMAT, &[0xd5, is_linear, 0x110, 2, 1, 64, 16, 16, 0, IMAGES]);
    set(two_d::COND_ADDRESS_HIGH, &[0, REPORTS, if setting == PLAIN { 1 } else { 2 }]);
    set(two_d::CLIP_X, &[1, 1, 12, 12, u32::from(setting == ALL)]);
    set(two_d::ROP, &[0x5a]);
    set(two_d::OPERATION, &[if setting == ALL { 4 } else { 3 }]);
    set(two_d::PATTERN_COLOR_FORMAT, &[2, 1, 0x1234_5678, 0x8765_4321, 0x5555_aaaa, 0x1234_5678]);
    set(two_d::SIFC_FORMAT, &[0xd5]);
    // Copies are clipped in the other setting, as no upload can be.
    if setting != ALL {
        set(two_d::SIFC_WIDTH, &[2, 2, 0, 1, 0, 1, 0, 3, 0, 3]);
        set(two_d::SIFC_DATA, &[0x0102_0304]);
    }
    // The other copy enlarges.
    let [fraction, step] = if setting == SELECTING { [1 << 31, 0] } else { [0, 1] };
    set(two_d::BLIT_DST_X, &[1, 1, 4, 4, fraction, step, fraction, step, 0, 2, 0]);
}

fn set_up_copy(stream: &mut StreamBuilder, setting: Setting) {
    let mut set = |method: u16, values: &[u32]| {
        stream.methods(COPY, method, values);
    };
    let [has_source_rows, has_rows] = [setting != SELECTING, setting != ALL].map(u32::from);
    set(memory_copy::LAYOUT_IN, &[has_source_rows, 0x110, 64, 16, 2, 1, 1 << 16 | 4]);
    set(memory_copy::LAYOUT_OUT, &[has_rows, 0x110, 64, 16, 2, 1, 1 << 16 | 4]);
    set(memory_copy::OFFSET_IN_HIGH, &[0, 0]);
    set(memory_copy::OFFSET_IN, &[IMAGES, IMAGES + 0x6000, 64, 32, 16, 3, 0x101]);
}

/// A launch of two threads with a texture, a constant and a parameter.
fn set_up_compute(stream: &mut StreamBuilder) {
    let mut set = |method: u16, values: &[u32]| {
        stream.methods(COMPUTE, method, values);
    };
    set(compute::CP_ADDRESS_HIGH, &[0, CODE]);
    set(compute::STACK_SIZE_LOG, &[4]);
    set(compute::BLOCKDIM_XY, &[1 << 16 | 2, 1]);
    set(compute::BLOCK_ALLOC, &[1 << 16 | 2]);
    set(compute::GRIDDIM, &[1 << 16 | 1]);
    set(compute::SHARED_SIZE, &[0x40]);
    set(compute::GLOBAL_ADDRESS_HIGH, &[0, IMAGES, 0, 0xfff, 1]);
    set(compute::USER_PARAM_COUNT, &[1 << 8]);
    set(compute::USER_PARAM, &[0x40]);
    set(compute::TIC_ADDRESS_HIGH, &[0, ENTRIES, 7]);
    set(compute::TSC_ADDRESS_HIGH, &[0, ENTRIES + SAMPLERS, 7]);
    set(compute::TEX_LIMITS, &[0x54, UNIT_SAMPLER, UNIT_TEXTURE]);
    set(compute::QUERY_ADDRESS_HIGH, &[0, REPORTS + 0x400, 9]);
}

/// Draws from every vertex source, clears, counts, and uses each of the other classes.
fn use_everything(stream: &mut StreamBuilder, setting: Setting) {
    let mut primitive = |number: u32, inner: &dyn Fn(&mut StreamBuilder)| {
        stream.method(THREE_D, late::VERTEX_BEGIN_GL, number);
        inner(stream);
        stream.method(THREE_D, late::VERTEX_END_GL, 0);
    };
    primitive(4, &|stream| {
        stream.methods(THREE_D, early::VERTEX_BUFFER_FIRST, &[0, 3]);
    });
    primitive(1 << 28 | 4, &|stream| {
        stream.method(THREE_D, late::VB_ELEMENT_U16_SETUP, 3);
        stream.repeated(THREE_D, late::VB_ELEMENT_U16, &[1 << 16, 2]);
    });
    primitive(4, &|stream| {
        stream.method(THREE_D, early::VB_ELEMENT_U8_SETUP, 3);
        stream.repeated(THREE_D, early::VB_ELEMENT_U8, &[0x0002_0100]);
    });
    primitive(4, &|stream| {
        stream.repeated(THREE_D, late::VB_ELEMENT_U32, &[0, 1, 2]);
    });
    // As many words as three vertices have at most.
    primitive(4, &|stream| {
        stream.repeated(THREE_D, late::VERTEX_DATA, &[f(0.5); 192]);
    });
    primitive(4, &|stream| {
        for _ in 0..3 {
            stream.methods(THREE_D, early::VTX_ATTR_4F_X, &[f(0.5); 4]);
        }
    });
    stream.method(THREE_D, late::VERTEX_BEGIN_D3D, 4);
    stream.method(THREE_D, early::DRAW_TFB_BYTES, 48);
    stream.method(THREE_D, late::VERTEX_END_D3D, 0);
    stream.method(THREE_D, late::CLEAR_BUFFERS, 0x3f);
    stream.method(THREE_D, late::COUNTER_RESET, 1);
    stream.repeated(THREE_D, late::QUERY_GET, &[0x0100_f002, 0x0680_5002, 0x1000_f010, 0x5002, 0x0d00_5002]);
    if setting != ALL {
        stream.repeated(TWO_D, two_d::SIFC_DATA, &[0x0506_0708, 3, 4]);
        stream.method(TWO_D, two_d::SIFC_DST_Y_INT, 3);
        stream.repeated(TWO_D, two_d::SIFC_DATA, &[5, 6, 7, 8]);
    }
    stream.method(TWO_D, two_d::BLIT_SRC_Y_INT, 1);
    stream.method(COPY, memory_copy::BUF_NOTIFY, 0);
    stream.method(COMPUTE, compute::CP_START_ID, programs::COMPUTE);
    stream.method(COMPUTE, compute::CP_REG_ALLOC_TEMP, 10);
    stream.method(COMPUTE, compute::LAUNCH, 0);
    stream.method(COMPUTE, compute::QUERY_GET, 0);
    for (subchannel, _) in CLASSES {
        stream.method(subchannel, graph::NOTIFY, 0);
        stream.method(subchannel, graph::NOP, 0);
    }
    stream.method(COPY, puller::SEMAPHORE_RELEASE, 3);
    stream.method(COPY, fifo::SEMAPHORE_TRIGGER, fifo::RELEASE);
}
