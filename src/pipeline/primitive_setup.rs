//! Defines primitive setup: the output of triangle, line and point setup for the rasterizer and interpolation.
//!
//! The layout matches `wgsl/setup/primitive_setup.wgsl`.

use super::front_end::assemble_primitives::KIND_MASK;

/// Fraction bits of window coordinates.
pub const SUBPIXEL_BITS: u32 = 4;
/// The pixel center, in subpixels.
pub const PIXEL_CENTER: i64 = 8;

/// [`PrimitiveSetup::header`] flag: the primitive draws something.
pub const RECORD_VALID: u32 = 4;
/// Flag: the primitive faces the viewer.
pub const RECORD_FRONT: u32 = 8;
/// Flag: corners are not the vertices; [`PrimitiveSetup::shares`] defines them.
pub const RECORD_CLIPPED: u32 = 16;
/// Flag: dropped because a position is infinite or not a number.
pub const RECORD_NOT_FINITE: u32 = 32;
/// Flag: the line's major axis is y.
pub const RECORD_Y_MAJOR: u32 = 64;
/// Flag: the line runs against its major axis.
pub const RECORD_BACKWARD: u32 = 128;
/// Flag: the line stipple restarts here.
pub const RECORD_RESTARTS_STIPPLE: u32 = 256;
/// Flag of setups that draw nothing: dropped because its visible face is culled.
pub const RECORD_CULLED: u32 = 512;

/// Truncates to 32 bits without loss: window coordinates have 19 bits and products of them 38.
#[expect(clippy::cast_possible_truncation, reason = "the range is that of the guard band")]
const fn narrow(value: i64) -> i32 {
    value as i32
}

const fn low_half(value: i64) -> u32 {
    (value & 0xffff) as u32
}

/// Converts an integer to a float, rounded to nearest even.
#[expect(clippy::cast_possible_truncation, reason = "fewer than 53 bits, so that only this conversion rounds")]
pub(crate) const fn rounded(value: i64) -> u32 {
    (value as f64 as f32).to_bits()
}

/// An integer function of the pixel: `16 * (a * x + b * y) + (high << 16) + low` in subpixel units.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct LinearFunction {
    /// Change per column / 16; 19 bits.
    pub a: i32,
    /// Change per row / 16; 19 bits.
    pub b: i32,
    /// The value at pixel (0, 0), from bit 16 up.
    pub high: i32,
    /// Its lowest 16 bits.
    pub low: u32,
}

impl LinearFunction {
    /// The function with these slopes that equals `constant` for a pixel center at `point`.
    #[must_use]
    pub fn through(a: i64, b: i64, point: [i32; 2], constant: i64) -> Self {
        let value = a * (PIXEL_CENTER - i64::from(point[0])) + b * (PIXEL_CENTER - i64::from(point[1])) + constant;
        Self { a: narrow(a), b: narrow(b), high: narrow(value >> 16), low: low_half(value) }
    }

    /// The value at the center of a pixel.
    #[must_use]
    pub fn at(self, x: i64, y: i64) -> i64 {
        let value = (i64::from(self.high) << 16) + i64::from(self.low);
        16 * (i64::from(self.a) * x + i64::from(self.b) * y) + value
    }

    /// The function whose value at a pixel center is this one's at an offset from there, in subpixels.
    #[must_use]
    pub const fn moved(self, offset: [i32; 2]) -> Self {
        let change = self.a as i64 * offset[0] as i64 + self.b as i64 * offset[1] as i64;
        let value = ((self.high as i64) << 16) + self.low as i64 + change;
        Self { high: narrow(value >> 16), low: low_half(value), ..self }
    }

    /// The value at the center of a pixel, rounded to a float.
    #[must_use]
    pub fn float_at(self, x: i64, y: i64) -> u32 {
        rounded(self.at(x, y))
    }

    /// Top-left rule: pixel centers on an edge belong to it if it is a left edge or a horizontal upper one.
    pub(crate) fn without_ties(self) -> Self {
        if self.is_top_left() { self } else { self.exclusive() }
    }

    pub(crate) const fn is_top_left(self) -> bool {
        self.a > 0 || (self.a == 0 && self.b >= 0)
    }

    /// The function minus 1, so that pixel centers on the edge are outside.
    pub(crate) const fn exclusive(self) -> Self {
        self.raised(-1)
    }

    /// The function plus a constant.
    pub(crate) const fn raised(self, by: i64) -> Self {
        let value = ((self.high as i64) << 16) + self.low as i64 + by;
        Self { high: narrow(value >> 16), low: low_half(value), ..self }
    }
}

/// The setup of a primitive, as the rasterizer and interpolation read it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct PrimitiveSetup {
    /// Kind (1:0) and flags; first column | first row << 16; last column | last row << 16; provoking vertex.
    pub header: [u32; 4],
    /// Vertex numbers; unused ones repeat the first. Then, in kernels, the number of the primitive if fragment programs read it.
    pub vertices: [u32; 4],
    /// Weights of the three corners.
    pub weights: [LinearFunction; 3],
    /// 1/w of the three corners; 1 / sum of the weights.
    pub perspective: [u32; 4],
    /// Depth of corner 0; differences of corners 1 and 2; polygon offset.
    pub depth: [u32; 4],
    /// Share of vertex 1, then of vertex 2, in each corner.
    pub shares: [[u32; 4]; 2],
    /// Lines: first pixel along the major axis, pixel count, stipple counter at the first pixel. Rectangular lines:
    /// half the width plus half a pixel (float), length, counter, and pixels per unit of the weights (float); their
    /// third weight is the distance from the axis. Smooth polygons: 1 / (length × 16) of each edge that fades (float).
    /// Points: left and top (subpixels), 1 / size (float).
    pub span: [u32; 4],
    /// Half planes: a pixel is covered if all are 0 or more.
    pub edges: [LinearFunction; 4],
}

impl PrimitiveSetup {
    /// Whether it draws something.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.has(RECORD_VALID)
    }

    /// Whether a flag is set.
    #[must_use]
    pub const fn has(&self, flag: u32) -> bool {
        self.header[0] & flag != 0
    }

    /// Sets a flag, or clears it.
    pub const fn set(&mut self, flag: u32, is_set: bool) {
        self.header[0] = self.header[0] & !flag | if is_set { flag } else { 0 };
    }

    /// Point, line or triangle, as one of the `KIND_…` constants of primitives.
    #[must_use]
    pub const fn kind(&self) -> u32 {
        self.header[0] & KIND_MASK
    }

    /// Column and row of the first and of the last pixel that it may cover.
    #[must_use]
    pub const fn bounds(&self) -> [[u32; 2]; 2] {
        let [_, first, last, _] = self.header;
        [[first & 0xffff, first >> 16], [last & 0xffff, last >> 16]]
    }

    /// Sets column and row of the first and of the last pixel that it may cover.
    pub const fn set_bounds(&mut self, [first, last]: [[u32; 2]; 2]) {
        self.header[1] = first[0] | first[1] << 16;
        self.header[2] = last[0] | last[1] << 16;
    }

    /// The vertex whose colors flat shading uses.
    #[must_use]
    pub const fn provoking_vertex(&self) -> u32 {
        self.header[3]
    }

    /// The setup relative to an offset from every pixel's center, in subpixels.
    #[must_use]
    pub fn moved(&self, offset: [i32; 2]) -> Self {
        let move_all = |function: LinearFunction| function.moved(offset);
        Self { weights: self.weights.map(move_all), edges: self.edges.map(move_all), ..*self }
    }
}
