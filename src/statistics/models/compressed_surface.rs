//! Finds the surfaces that a machine compresses.

use std::sync::Arc;

use crate::format::{ColorFormat, ZetaFormat};
use crate::machine::Machine;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{SurfaceLayout, Targets};
use crate::statistics::memory_partitions::Client;
use crate::statistics::tile_compression::{SampleSurface, TileFormat, TileMap};

/// A surface with compressible tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CompressedSurface {
    pub(super) window: MemoryWindow,
    pub(super) surface: SampleSurface,
    pub(super) format: TileFormat,
    pub(super) client: Client,
}

/// The tiles of a draw's surface.
#[derive(Debug)]
pub(super) struct WatchedTiles {
    pub(super) surface: CompressedSurface,
    pub(super) before: Arc<TileMap>,
    pub(super) after: Arc<TileMap>,
}

/// The surfaces among targets that a machine compresses: depth of Z24S8, colors of 32 bits with several samples.
pub(super) fn compressed_surfaces(targets: &Targets, machine: &Machine) -> impl Iterator<Item = CompressedSurface> {
    let rect = targets.rect.texels(targets.samples);
    let surface = move |window: MemoryWindow, layout: SurfaceLayout, format: TileFormat, client: Client| {
        let SurfaceLayout::Linear { pitch_bytes } = layout else { return None };
        let surface = SampleSurface {
            first_word: 0,
            width: rect.x + rect.width,
            height: rect.y + rect.height,
            pitch_words: pitch_bytes / 4,
        };
        let is_possible =
            window.space == MemorySpace::Vram && pitch_bytes.is_multiple_of(4) && window.start.is_multiple_of(4);
        is_possible.then_some(CompressedSurface { window, surface, format, client })
    };
    let zeta =
        targets.zeta.filter(|zeta| machine.compression.depth && zeta.format == ZetaFormat::Z24S8 && !zeta.is_float);
    let depth = TileFormat::Depth(targets.samples);
    let zeta = zeta.and_then(|zeta| surface(zeta.window, zeta.layout, depth, Client::Zeta));
    let tiles = TileFormat::of_color(targets.samples).filter(|_| machine.compression.color);
    let colors = targets.color.into_iter().flatten().filter_map(move |color| {
        let tiles = tiles.filter(|tiles| match tiles {
            TileFormat::PairedColor => color.format == ColorFormat::A8R8G8B8,
            _ => color.format.bytes() == 4,
        })?;
        surface(color.window, color.layout, tiles, Client::Color)
    });
    zeta.into_iter().chain(colors)
}
