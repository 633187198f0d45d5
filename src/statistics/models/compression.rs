//! Computes the traffic of compressed tiles for draws and clears, and the classes of the tiles that frames leave.
//!
//! A draw moves a tile once for each rasterizer tile of a primitive that reads from it, and once for each that
//! writes to it. Reads have the compression that the surface had before the draw, writes the one that it has after
//! the draw. A tile is moved as a whole; its uncompressed size is 128 bytes. A clear moves `fast_clear_bytes` for
//! each tile that it covers and sets completely, apart from stencil, which is stored apart from depth.
// Unverified: that tiles are moved as a whole, and when a tile changes its compression within a draw.

use std::collections::BTreeSet;

use super::accesses::{DrawSurface, draw_surfaces, walked_tiles};
use super::compressed_surface::{CompressedSurface, WatchedTiles, compressed_surfaces};
use super::transfers::cleared_zeta;
use super::zcull::DrawRejection;
use crate::counters::trace::TracedDraw;
use crate::machine::Machine;
use crate::pipeline::Clear;
use crate::statistics::memory_partitions::Client;
use crate::statistics::tile_compression::{TILE_BYTES, TILE_COLUMNS, TILE_ROWS, TileClass};

/// Tiles that were moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TileTraffic {
    /// How often a tile was moved.
    pub tiles: u64,
    /// Of these, how often it was compressed.
    pub compressed: u64,
    /// Bytes that were moved.
    pub bytes: u64,
}

impl TileTraffic {
    /// Bytes that would have been moved without compression.
    #[must_use]
    pub const fn bytes_uncompressed(&self) -> u64 {
        self.tiles * TILE_BYTES as u64
    }

    /// Adds other tiles.
    pub const fn add(&mut self, other: &Self) {
        self.tiles += other.tiles;
        self.compressed += other.compressed;
        self.bytes += other.bytes;
    }

    const fn move_tile(&mut self, bytes: u32, is_compressed: bool) {
        self.tiles += 1;
        self.compressed += is_compressed as u64;
        self.bytes += bytes as u64;
    }
}

/// The tiles of a draw, a clear or what a frame leaves; `None` where no such surface is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SurfaceTraffic {
    /// Of the depth surface.
    pub depth: Option<TileTraffic>,
    /// Of all color surfaces.
    pub color: Option<TileTraffic>,
}

impl SurfaceTraffic {
    pub(super) fn of(&mut self, client: Client) -> &mut TileTraffic {
        let traffic = if client == Client::Zeta { &mut self.depth } else { &mut self.color };
        traffic.get_or_insert_default()
    }

    /// Adds the tiles of something else.
    pub fn add(&mut self, other: &Self) {
        for (sum, other) in [(&mut self.depth, other.depth), (&mut self.color, other.color)] {
            if let Some(other) = other {
                sum.get_or_insert_default().add(&other);
            }
        }
    }

    /// Whether no surface is compressed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.depth.is_none() && self.color.is_none()
    }
}

/// The tiles that a draw moves.
pub(super) fn draw_compression(
    traced: &TracedDraw,
    tiles: &[WatchedTiles],
    rejection: &DrawRejection,
) -> SurfaceTraffic {
    let mut traffic = SurfaceTraffic::default();
    let samples = traced.draw.targets.samples;
    let surfaces = draw_surfaces(traced);
    for WatchedTiles { surface: compressed, before, after } in tiles {
        let same = |surface: &&DrawSurface| surface.client == compressed.client && surface.window == compressed.window;
        let Some(surface) = surfaces.iter().find(same) else { continue };
        let traffic = traffic.of(compressed.client);
        for quads in walked_tiles(traced, rejection) {
            let mut touched = [BTreeSet::new(), BTreeSet::new()];
            for quad in &quads {
                for (touched, pixels) in touched.iter_mut().zip(surface.pixels(quad)) {
                    for pixel in (0..4u32).filter(|pixel| pixels >> pixel & 1 != 0) {
                        let [x, y] = [u32::from(quad.x) + pixel % 2, u32::from(quad.y) + pixel / 2];
                        for sample in 0..samples.count() {
                            let [column, row] = samples.texel(x, y, sample);
                            touched.insert((row / TILE_ROWS, column / TILE_COLUMNS));
                        }
                    }
                }
            }
            for ((touched, map), stencil) in touched.iter().zip([before, after]).zip(surface.stencil) {
                for (row, column) in touched {
                    let place = (row * map.columns + column) as usize;
                    let Some(class) = map.tiles.get(place).filter(|_| *column < map.columns) else { continue };
                    let fits = matches!(class, TileClass::Compressed | TileClass::Constant);
                    traffic.move_tile(map.format.tile_bytes(fits, stencil), fits);
                }
            }
        }
    }
    traffic
}

/// The tiles that a clear moves.
pub(super) fn clear_compression(clear: &Clear, machine: &Machine) -> SurfaceTraffic {
    let mut traffic = SurfaceTraffic::default();
    let [mask, _] = cleared_zeta(clear);
    let colors = |window| {
        let target = clear.targets.color.iter().flatten().find(|target| target.window == window);
        target.map_or(0, |target| clear.color_word_masks(target.format)[0])
    };
    let rect = clear.rect;
    for CompressedSurface { window, client, format, .. } in compressed_surfaces(&clear.targets, machine) {
        let (is_cleared, is_whole, with_stencil) = match client {
            Client::Zeta => (mask != 0, mask >> 8 == 0xff_ffff && [0, 0xff].contains(&(mask & 0xff)), mask & 0xff != 0),
            _ => (colors(window) != 0, colors(window) == u32::MAX, false),
        };
        if !is_cleared || rect.width == 0 || rect.height == 0 {
            continue;
        }
        let [right, bottom] = [rect.x + rect.width, rect.y + rect.height];
        let stencil_bytes =
            if with_stencil { format.tile_bytes(true, true) - format.tile_bytes(true, false) } else { 0 };
        let traffic = traffic.of(client);
        for row in rect.y / TILE_ROWS..bottom.div_ceil(TILE_ROWS) {
            for column in rect.x / TILE_COLUMNS..right.div_ceil(TILE_COLUMNS) {
                let [left, top] = [column * TILE_COLUMNS, row * TILE_ROWS];
                let is_covered =
                    left >= rect.x && left + TILE_COLUMNS <= right && top >= rect.y && top + TILE_ROWS <= bottom;
                if is_covered && is_whole {
                    traffic.move_tile(machine.compression.fast_clear_bytes + stencil_bytes, true);
                } else {
                    traffic.move_tile(TILE_BYTES, false);
                }
            }
        }
    }
    traffic
}
