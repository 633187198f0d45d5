//! Turns viewport registers into [`ViewportState`].

use super::{ThreeD, enums};
use crate::chip::bits::{bit, signed_high, signed_low};
use crate::command::methods::three_d::{program, raster as methods, targets};
use crate::pipeline::ViewportState;

impl ThreeD {
    pub(super) fn viewport_state(&self) -> ViewportState {
        let registers = &self.registers;
        let origin = registers.get(targets::VIEWPORT_TX_ORIGIN);
        let control = registers.get(methods::DEPTH_CONTROL);
        let planes = registers.get(methods::VP_CLIP_PLANES_ENABLE);
        ViewportState {
            scale: std::array::from_fn(|axis| registers.element(methods::VIEWPORT_SCALE_X, 4, axis)),
            translate: std::array::from_fn(|axis| registers.element(methods::VIEWPORT_TRANSLATE_X, 4, axis)),
            skips_transform: bit(registers.get(program::ENGINE), 8),
            depth_near: registers.get(methods::DEPTH_RANGE_NEAR),
            depth_far: registers.get(methods::DEPTH_RANGE_FAR),
            clips_depth: bit(control, 0),
            clamps_depth: bit(control, 4),
            clip_planes: std::array::from_fn(|plane| enums::clip_plane(planes >> (4 * plane))),
            window_offset: [signed_low(origin), signed_high(origin)],
        }
    }
}
