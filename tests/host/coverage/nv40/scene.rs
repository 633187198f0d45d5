//! A stream that uses every block of the chip once, so that a changed register affects the commands that follow.

use std::sync::OnceLock;

use curie::capture::{Capture, Record};
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::command::methods::three_d::{draw, program, raster, rop, sync, targets, texture, vertex};
use curie::command::methods::{CLASSES, memory_copy, scaled_image, surfaces};
use curie::command::methods::{blit, image_upload, pixel_context, puller, rectangles, texture_upload};
use curie::isa::nv40_vertex::{VectorOpcode, VertexField, VertexWord};
use curie::memory::MemorySpace;

use crate::host::coverage::family::{ALL, PLAIN, Place, Setting};

pub(crate) const THREE_D: u8 = 7;
pub(crate) const OTHER: u8 = 6;

/// Copies f[TEX0] to R0.
const FRAGMENT_PROGRAM: [u32; 4] = [0x0100_9e01, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800];

/// Its settings: a plain one; all tests, units, arrays and enables, and 2D objects with a bitwise operation; and as the plain
/// one with 2D objects that blend, and with such that multiply by four factors.
pub(super) const SETTINGS: [Setting; 4] = [PLAIN, ALL, 2, 3];

/// The operation of 2D objects in each setting.
const OPERATIONS: [u32; SETTINGS.len()] = [3, 1, 2, 5];

/// Addresses of the parts of VRAM, after the builder's first mebibyte.
const BASE: u32 = 1 << 20;
const ZETA: u32 = BASE + 0x4000;
pub(crate) const PROGRAM: u32 = BASE + 0x8000;
const ARRAYS: u32 = BASE + 0x9000;
const TEXTURES: u32 = BASE + 0xa000;
const IMAGES: u32 = BASE + 0x1_0000;
const BYTES: u64 = 0x2_0000;

/// The buffers and objects of every stream.
fn prepared() -> CaptureBuilder {
    let mut builder = CaptureBuilder::new();
    for table in CLASSES {
        builder.record(Record::Object { handle: handles::object(table.class), class: table.class });
    }
    let buffer = builder.buffer(MemorySpace::Vram, BYTES);
    assert_eq!(buffer.offset, u64::from(BASE));
    let mut bytes = vec![0x3f; BYTES as usize];
    for (index, word) in FRAGMENT_PROGRAM.iter().enumerate() {
        let start = (PROGRAM - BASE) as usize + 4 * index;
        bytes[start..start + 4].copy_from_slice(&word.to_le_bytes());
    }
    builder.write(&buffer, &bytes);
    builder
}

/// A capture with the setup, some methods, and the use of everything.
pub(crate) fn capture(setting: Setting, place: Place, tested: &dyn Fn(&mut StreamBuilder)) -> Capture {
    static PREPARED: OnceLock<CaptureBuilder> = OnceLock::new();
    let mut builder = PREPARED.get_or_init(prepared).clone();
    let mut stream = StreamBuilder::new();
    set_up_three_d(&mut stream, setting);
    set_up_two_d(&mut stream, setting);
    if place == Place::Outside {
        tested(&mut stream);
    } else {
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 5);
        tested(&mut stream);
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    }
    use_everything(&mut stream);
    builder.submit(stream);
    builder.finish()
}

fn set_up_three_d(stream: &mut StreamBuilder, setting: Setting) {
    let (vram, gart) = (handles::VRAM, handles::GART);
    stream.bind(THREE_D, 0x4097, handles::object(0x4097));
    let objects = [handles::NOTIFIER, vram, gart, vram, 0, vram, vram, vram, gart, handles::FENCE, handles::QUERY];
    stream.methods(THREE_D, sync::DMA_NOTIFY, &objects);
    stream.methods(THREE_D, sync::DMA_COLOR2, &[vram, vram]);
    stream.methods(THREE_D, targets::RT_HORIZ, &[8 << 16, 8 << 16, 0x148, 64, BASE, ZETA, BASE + 0x1000, 64]);
    stream.methods(THREE_D, targets::COLOR2_PITCH, &[64, 64, BASE + 0x2000, BASE + 0x3000]);
    stream.method(THREE_D, targets::ZETA_PITCH, 64);
    stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, PROGRAM | 1);
    stream.method(THREE_D, program::FP_CONTROL, 0x0200_0000);
    stream.method(THREE_D, program::VP_RESULT_EN, 0x003f_ffff);
    let moves = [(0, 0), (8, 7)].map(|(input, output)| {
        VertexWord::new([0x001f_9c6c, 0x0000_000d, 0x8106_c083, 0x6041_fffc])
            .with(VertexField::OP_VEC, u32::from(VectorOpcode::Mov.code()))
            .with(VertexField::INPUT_ADDR, input)
            .with(VertexField::SRC0, 2 | 0b00_01_10_11 << 8)
            .with(VertexField::WM_VEC, 15)
            .with(VertexField::OUT_ADDR, output)
            .with(VertexField::OUT_FROM_VEC, 1)
            .with(VertexField::END, output & 1)
    });
    stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
    for word in moves {
        stream.methods(THREE_D, program::VP_UPLOAD_INST, &word.words());
    }
    stream.method(THREE_D, program::VP_START_FROM_ID, 0);
    stream.method(THREE_D, vertex::VTXFMT, 0x1042);
    stream.method(THREE_D, vertex::VTXBUF, ARRAYS);
    stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[TEXTURES + 0x3000, 0x10]);
    if setting == ALL {
        set_up_options(stream);
    }
}

/// Enables every optional part of the 3D class.
fn set_up_options(stream: &mut StreamBuilder) {
    for attribute in 0..16 {
        // Every second array is in the other address space.
        stream.method(THREE_D, vertex::VTXBUF + 4 * attribute, ARRAYS | u32::from(attribute % 2) << 31);
        stream.method(THREE_D, vertex::VTXFMT + 4 * attribute, 0x1042);
    }
    for rectangle in 0..8 {
        stream.methods(THREE_D, targets::VIEWPORT_CLIP_HORIZ + 8 * rectangle, &[6 << 16, 6 << 16]);
    }
    for (method, value) in [
        (targets::RT_ENABLE, 0x1f),
        (rop::ALPHA_FUNC_ENABLE, 1),
        (rop::BLEND_FUNC_ENABLE, 1),
        (rop::MRT_BLEND_ENABLE, 0xe),
        (rop::STENCIL_ENABLE, 1),
        (rop::STENCIL_ENABLE + 32, 1),
        (rop::DEPTH_TEST_ENABLE, 1),
        (rop::DEPTH_BOUNDS_TEST_ENABLE, 1),
        (rop::COLOR_LOGIC_OP_ENABLE, 1),
        (raster::POLYGON_STIPPLE_ENABLE, 1),
        (raster::LINE_STIPPLE_ENABLE, 1),
        (raster::LINE_SMOOTH_ENABLE, 1),
        (raster::POLYGON_OFFSET_POINT_ENABLE, 1),
        (raster::POLYGON_OFFSET_LINE_ENABLE, 1),
        (raster::POLYGON_OFFSET_FILL_ENABLE, 1),
        (raster::VERTEX_TWO_SIDE_ENABLE, 1),
        (raster::CULL_FACE_ENABLE, 1),
        (raster::POINT_SPRITE, 0x101),
        (raster::POINT_PARAMS_ENABLE, 1),
        (raster::VP_CLIP_PLANES_ENABLE, 0x22_2222),
        (draw::PRIMITIVE_RESTART_ENABLE, 1),
        (sync::QUERY_ENABLE, 1),
    ] {
        stream.method(THREE_D, method, value);
    }
    for unit in 0..16 {
        texture_unit(stream, unit);
    }
    for unit in 0..4 {
        let base = texture::VERTEX_TEX_OFFSET + 32 * unit;
        // A linear texture of 4×4 single floats.
        stream.methods(THREE_D, base, &[TEXTURES, 0x1_bc21, 0x303, 1 << 31, 16, 0, 4 << 16 | 4]);
    }
}

/// A unit with a small linear texture of A8R8G8B8.
fn texture_unit(stream: &mut StreamBuilder, unit: u16) {
    let base = texture::TEX_OFFSET + 32 * unit;
    let format = (1 + u32::from(unit % 2)) | 1 << 3 | 2 << 4 | 5 << 8 | 1 << 13 | 1 << 15 | 1 << 16;
    let words = [TEXTURES, format, 0x3_0303, 0x8006_0000, 0xaae4, 0x0202_2000, 8 << 16 | 8, 0xff00_ff00];
    stream.methods(THREE_D, base, &words);
    stream.method(THREE_D, texture::TEX_SIZE1 + 4 * unit, 0x10_0020);
}

fn bind(stream: &mut StreamBuilder, class: u32) {
    stream.bind(OTHER, class, handles::object(class));
}

fn set_up_two_d(stream: &mut StreamBuilder, setting: Setting) {
    let object = handles::object;
    bind(stream, 0x62);
    stream.methods(OTHER, surfaces::linear::DMA_IMAGE_SOURCE, &[handles::VRAM; 2]);
    stream.methods(OTHER, surfaces::linear::FORMAT, &[10, 64 << 16 | 64, IMAGES, IMAGES + 0x1000]);
    bind(stream, 0x309e);
    stream.method(OTHER, surfaces::swizzled::DMA_IMAGE, handles::VRAM);
    stream.methods(OTHER, surfaces::swizzled::FORMAT, &[0x0303_000a, IMAGES + 0x2000]);
    set_up_pixel_context(stream);
    // Slots: pattern, bitwise operation, factor, four factors.
    let slots = [object(0x44), object(0x43), object(0x12), object(0x72)];
    bind(stream, 0x3089);
    stream.method(OTHER, scaled_image::DMA_IMAGE, handles::VRAM);
    stream.methods(OTHER, scaled_image::PATTERN, &slots);
    stream.method(OTHER, scaled_image::SURFACE, object(0x62));
    let sizes = [8 | 8 << 16, 0, 8 | 8 << 16, 1 << 20, 1 << 20];
    stream.methods(OTHER, scaled_image::COLOR_FORMAT, &[3, OPERATIONS[setting], 0]);
    stream.methods(OTHER, scaled_image::CLIP_SIZE, &sizes);
    stream.methods(OTHER, scaled_image::SIZE, &[8 | 8 << 16, 32 | 1 << 16, IMAGES + 0x3000]);
    bind(stream, 0x308a);
    stream.methods(OTHER, image_upload::COLOR_KEY, &[object(0x57), object(0x19)]);
    stream.methods(OTHER, image_upload::PATTERN, &slots);
    stream.method(OTHER, image_upload::SURFACE, object(0x62));
    stream.methods(OTHER, image_upload::OPERATION, &[OPERATIONS[setting], 4, 0, 2 | 1 << 16, 2 | 1 << 16]);
    bind(stream, 0x307b);
    stream.method(OTHER, texture_upload::SURFACE, object(0x309e));
    stream.methods(OTHER, texture_upload::COLOR_FORMAT, &[4, 0, 2 | 1 << 16, 8 << 16, 8 << 16]);
    bind(stream, 0x9f);
    stream.methods(OTHER, blit::COLOR_KEY, &[object(0x57), object(0x19)]);
    stream.methods(OTHER, blit::PATTERN, &slots);
    stream.methods(OTHER, blit::SURFACE, &[object(0x62)]);
    stream.methods(OTHER, blit::OPERATION, &[OPERATIONS[setting], 0, 1]);
    bind(stream, 0x4a);
    stream.methods(OTHER, rectangles::PATTERN, &slots);
    stream.method(OTHER, rectangles::SURFACE, object(0x62));
    stream.methods(OTHER, rectangles::OPERATION, &[OPERATIONS[setting], 3, 2]);
    for clip in [rectangles::CLIP_B_POINT0, rectangles::CLIP_C_POINT0, rectangles::CLIP_E_POINT0] {
        stream.methods(OTHER, clip, &[0, 8 | 8 << 16]);
    }
    stream.method(OTHER, rectangles::SIZE_C, 8 | 4 << 16);
    stream.methods(OTHER, rectangles::SIZE_IN_E, &[8 | 4 << 16, 8 | 4 << 16]);
    bind(stream, 0x39);
    stream.methods(OTHER, memory_copy::DMA_NOTIFY, &[handles::NOTIFIER, handles::VRAM, handles::VRAM]);
    let copy = [IMAGES, IMAGES + 0x4000, 16, 16, 8, 2, 0x101];
    stream.methods(OTHER, memory_copy::OFFSET_IN, &copy);
    for table in CLASSES.iter().filter(|table| table.class != 0x30) {
        bind(stream, table.class);
        stream.method(OTHER, memory_copy::DMA_NOTIFY, handles::NOTIFIER);
    }
    stream.method(OTHER, puller::DMA_SEMAPHORE, handles::VRAM);
    stream.method(OTHER, puller::SEMAPHORE_OFFSET, 0x40);
}

fn set_up_pixel_context(stream: &mut StreamBuilder) {
    use pixel_context::{beta, beta4, clip, color_key, pattern, rop as bitwise};
    for (class, method, value) in [
        (0x12, beta::BETA_1D31, 0x4000_0000),
        (0x72, beta4::BETA_FACTOR, 0x8040_20ff),
        (0x43, bitwise::ROP, 0x5a),
        (0x57, color_key::COLOR, 0xff12_3456),
        (0x19, clip::POINT, 0),
        (0x19, clip::SIZE, 8 | 8 << 16),
        (0x44, pattern::BITMAP_COLOR, 0xff00_00ff),
    ] {
        bind(stream, class);
        stream.method(OTHER, method, value);
    }
}

/// Draws from every vertex source, clears, counts, and uses each 2D object once.
fn use_everything(stream: &mut StreamBuilder) {
    let mut primitive = |inner: &dyn Fn(&mut StreamBuilder)| {
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 5);
        inner(stream);
        stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
    };
    primitive(&|stream| {
        stream.method(THREE_D, draw::VB_VERTEX_BATCH, 2 << 24);
    });
    primitive(&|stream| {
        stream.methods(THREE_D, draw::VB_ELEMENT_U16, &[1 << 16, 2]);
    });
    primitive(&|stream| {
        stream.method(THREE_D, draw::VB_INDEX_BATCH, 2 << 24);
    });
    primitive(&|stream| {
        stream.repeated(THREE_D, draw::VERTEX_DATA, &[0x3f00_0000; 192]);
    });
    primitive(&|stream| {
        for _ in 0..3 {
            stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[0.5; 4]);
        }
    });
    stream.method(THREE_D, targets::CLEAR_BUFFERS, 0xf3);
    stream.method(THREE_D, sync::QUERY_GET, 0x0100_0010);
    stream.methods(THREE_D, sync::FENCE_VALUE, &[1, 2]);
    bind(stream, 0x3089);
    stream.method(OTHER, scaled_image::POINT, 0);
    bind(stream, 0x308a);
    stream.methods(OTHER, image_upload::COLOR, &[1, 2]);
    bind(stream, 0x307b);
    stream.methods(OTHER, texture_upload::COLOR, &[1, 2]);
    bind(stream, 0x9f);
    stream.method(OTHER, blit::SIZE, 4 | 4 << 16);
    bind(stream, 0x4a);
    stream.methods(OTHER, rectangles::UNCLIPPED_RECTANGLE_SIZE, &[4 | 4 << 16]);
    stream.methods(OTHER, rectangles::CLIPPED_RECTANGLE_POINT_1, &[4 | 4 << 16]);
    stream.method(OTHER, rectangles::MONOCHROME_COLOR1_C, 0x1234_5678);
    stream.method(OTHER, rectangles::MONOCHROME_COLOR01_E, 0x1234_5678);
    bind(stream, 0x39);
    stream.method(OTHER, memory_copy::BUF_NOTIFY, 0);
    for table in CLASSES.iter().filter(|table| table.class != 0x30) {
        bind(stream, table.class);
        stream.method(OTHER, memory_copy::NOTIFY, 0);
        stream.method(OTHER, memory_copy::NOP, 0);
    }
    stream.method(OTHER, puller::SEMAPHORE_RELEASE, 3);
}
