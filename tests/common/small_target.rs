//! The start of a stream that draws to a small square target.

use curie::command::builder::StreamBuilder;
use curie::command::methods::three_d::{program, raster, targets};

pub(crate) use curie::command::builder::THREE_D;

/// Pixels of the target in both directions.
pub(crate) const SIDE: u32 = 32;

/// Binds the 3D object and its windows, a linear target of [`SIDE`]² pixels of 32 bits at `color`, fully visible, and a
/// vertex program that passes attribute 0 on as position and attribute 8 as texture coordinate 0.
pub(crate) fn open_target(stream: &mut StreamBuilder, color: u32) {
    stream.bind_three_d();
    stream.methods(THREE_D, targets::RT_HORIZ, &[SIDE << 16, SIDE << 16, 0x148, SIDE * 4, color]);
    stream.method(THREE_D, targets::RT_ENABLE, 1);
    stream.method(THREE_D, targets::COORD_CONVENTIONS, SIDE);
    let half = 16.0;
    stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[half, half, 0.5, 0.0, half, half, 0.5, 0.0]);
    stream.methods(THREE_D, raster::SCISSOR_HORIZ, &[SIDE << 16, SIDE << 16]);
    stream.methods(THREE_D, raster::VIEWPORT_HORIZ, &[SIDE << 16, SIDE << 16]);
    // MOV o[0], v[0]; MOV o[7], v[8], as the open driver assembles them.
    stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80]);
    stream.methods(THREE_D, program::VP_UPLOAD_INST, &[0x401f_9c6c, 0x0040_080d, 0x8106_c083, 0x6041_ff9d]);
    stream.method(THREE_D, program::VP_START_FROM_ID, 0);
    stream.methods(THREE_D, program::VP_ATTRIB_EN, &[0x101, 0x4000]);
}
