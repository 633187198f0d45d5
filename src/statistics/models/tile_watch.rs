//! Classifies the tiles of compressed surfaces around each draw, and those that a frame leaves.
//!
//! A draw changes few tiles of a surface. The last classified words of a surface are kept; only tiles whose words
//! have changed, whatever wrote them, are classified again.

use std::sync::Arc;

use super::compressed_surface::{CompressedSurface, WatchedTiles, compressed_surfaces};
use super::compression::{SurfaceTraffic, TileTraffic};
use super::runner::ModelRunner;
use crate::counters::trace::TracedDraw;
use crate::machine::Machine;
use crate::memory::GuestMemory;
use crate::pipeline::Draw;
use crate::statistics::ParameterError;
use crate::statistics::memory_partitions::Client;
use crate::statistics::tile_compression::{TileClass, TileMap, classify, reclassify};

/// A surface with its words.
#[derive(Debug)]
pub(super) struct SurfaceWords {
    surface: CompressedSurface,
    words: Vec<u32>,
}

/// Tracks the tiles of a machine's compressed surfaces.
#[derive(Debug)]
pub(super) struct TileWatch<'m> {
    machine: &'m Machine,
    kept: Vec<(SurfaceWords, Arc<TileMap>)>,
}

impl<'m> TileWatch<'m> {
    pub(super) const fn new(machine: &'m Machine) -> Self {
        Self { machine, kept: Vec::new() }
    }

    /// The surfaces of a draw, as they are before it.
    pub(super) fn before(&mut self, draw: &Draw, memory: &GuestMemory) -> Vec<WatchedTiles> {
        let surfaces = compressed_surfaces(&draw.targets, self.machine);
        let used = surfaces.filter(|surface| match surface.client {
            Client::Zeta => draw.rop.used_zeta(&draw.targets).is_some(),
            _ => draw.targets.written_colors(draw.rop.color_mask).any(|(_, color)| color.window == surface.window),
        });
        used.filter_map(|surface| {
            let before = self.tiles(surface, memory)?;
            Some(WatchedTiles { surface, after: Arc::clone(&before), before })
        })
        .collect()
    }

    /// Adds their state after the draw.
    pub(super) fn after(&mut self, tiles: &mut [WatchedTiles], memory: &GuestMemory) {
        for WatchedTiles { surface, after, .. } in tiles {
            if let Some(tiles) = self.tiles(*surface, memory) {
                *after = tiles;
            }
        }
    }

    /// The surfaces that a frame leaves: depth and color of the last draw with a compressed one of each. The next
    /// frame starts afresh.
    pub(super) fn end_frame(&mut self, draws: &[TracedDraw], memory: &GuestMemory) -> Vec<SurfaceWords> {
        self.kept.clear();
        let last_of = |client: Client| {
            draws.iter().rev().find_map(|traced| {
                let targets = &traced.draw.targets;
                let is_used = client == Client::Color || traced.draw.rop.used_zeta(targets).is_some();
                compressed_surfaces(targets, self.machine).find(|surface| is_used && surface.client == client)
            })
        };
        let surfaces = [Client::Zeta, Client::Color].into_iter().filter_map(last_of);
        surfaces.map(|surface| SurfaceWords::new(surface, memory)).collect()
    }

    /// The current tiles of a surface; none if it reaches beyond memory.
    fn tiles(&mut self, surface: CompressedSurface, memory: &GuestMemory) -> Option<Arc<TileMap>> {
        let now = surface.words(memory);
        let is_same = |(kept, _): &&mut (SurfaceWords, _)| kept.surface == surface && kept.words.len() == now.len();
        if let Some((kept, map)) = self.kept.iter_mut().find(is_same) {
            reclassify(Arc::make_mut(map), &surface.surface, &mut kept.words, now);
            return Some(Arc::clone(map));
        }
        let words = SurfaceWords::new(surface, memory);
        let map = classify(&words.words, &surface.surface, surface.format).inspect_err(not_classified).ok()?;
        let map = Arc::new(map);
        self.kept.push((words, Arc::clone(&map)));
        Some(map)
    }
}

fn not_classified(error: &ParameterError) {
    tracing::debug!("a surface is not classified: {error}");
}

impl CompressedSurface {
    /// Its words that memory holds.
    fn words<'m>(&self, memory: &'m GuestMemory) -> &'m [[u8; 4]] {
        let bytes = self.surface.height.saturating_mul(self.surface.pitch_words).saturating_mul(4);
        memory.slice(self.window.truncated(bytes)).as_chunks().0
    }
}

impl SurfaceWords {
    fn new(surface: CompressedSurface, memory: &GuestMemory) -> Self {
        Self { surface, words: surface.words(memory).iter().map(|word| u32::from_le_bytes(*word)).collect() }
    }

    /// Its tiles, each read once without stencil.
    fn traffic(&self, runner: ModelRunner<'_>) -> Option<TileTraffic> {
        let tiles = runner.tiles(&self.words, &self.surface.surface, self.surface.format);
        let tiles = tiles.inspect_err(not_classified).ok()?;
        let compressed = tiles.count(TileClass::Compressed) + tiles.count(TileClass::Constant);
        Some(TileTraffic { tiles: tiles.tiles.len() as u64, compressed, bytes: tiles.bytes(false) })
    }
}

/// Returns the tiles that a frame leaves, each surface read once.
pub(super) fn left_traffic(surfaces: &[SurfaceWords], runner: ModelRunner<'_>) -> SurfaceTraffic {
    let mut left = SurfaceTraffic::default();
    for surface in surfaces {
        if let Some(traffic) = surface.traffic(runner) {
            *left.of(surface.surface.client) = traffic;
        }
    }
    left
}
