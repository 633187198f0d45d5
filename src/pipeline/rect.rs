//! A rectangle of pixels.

use super::SampleMode;

/// A rectangle of pixels: `x..x + width`, `y..y + height`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rect {
    /// First column.
    pub x: u32,
    /// First row.
    pub y: u32,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Rect {
    /// The pixels that lie in both.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        let x = self.x.max(other.x);
        let y = self.y.max(other.y);
        let right = self.right().min(other.right());
        let bottom = self.bottom().min(other.bottom());
        Self { x, y, width: right.saturating_sub(x), height: bottom.saturating_sub(y) }
    }

    /// The smallest rectangle around the pixels of both.
    #[must_use]
    pub fn around(self, other: Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return if self.is_empty() { other } else { self };
        }
        let (x, y) = (self.x.min(other.x), self.y.min(other.y));
        let (right, bottom) = (self.right().max(other.right()), self.bottom().max(other.bottom()));
        Self { x, y, width: right - x, height: bottom - y }
    }

    /// The column past the last.
    #[must_use]
    pub const fn right(self) -> u32 {
        self.x.saturating_add(self.width)
    }

    /// The row past the last.
    #[must_use]
    pub const fn bottom(self) -> u32 {
        self.y.saturating_add(self.height)
    }

    /// Whether a pixel lies in it.
    #[must_use]
    pub const fn contains(self, x: u32, y: u32) -> bool {
        self.x <= x && x < self.right() && self.y <= y && y < self.bottom()
    }

    /// Whether no pixel lies in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// The texels of the samples of a rectangle of pixels.
    #[must_use]
    pub const fn texels(self, mode: SampleMode) -> Self {
        let [columns, rows] = mode.log2_size();
        Self { x: self.x << columns, y: self.y << rows, width: self.width << columns, height: self.height << rows }
    }
}
