//! Finds the tiles of a surface that compress.

use super::gradient::encode;
use super::tiles::{SampleSurface, TILE_COLUMNS, TILE_ROWS, TILE_SAMPLES, TileClass, TileFormat, TileMap};
use crate::ParameterError;

/// The class of a tile of whole samples, row by row.
#[must_use]
pub fn classify_tile(samples: &[u32; TILE_SAMPLES], format: TileFormat) -> TileClass {
    let is_equal_in = |columns: usize, rows: usize| {
        (0..TILE_SAMPLES).all(|sample| {
            let (x, y) = (sample % 8, sample / 8);
            samples[sample] == samples[y / rows * rows * 8 + x / columns * columns]
        })
    };
    let (fits, is_constant) = match format {
        TileFormat::Depth(mode) => {
            let depths = samples.map(|sample| sample >> 8);
            (encode(&depths, mode).is_some(), depths.iter().all(|depth| *depth == depths[0]))
        }
        TileFormat::FlatColor => (is_equal_in(2, 2), is_equal_in(8, 4)),
        TileFormat::PairedColor => (is_equal_in(2, 1), is_equal_in(8, 4)),
    };
    match (fits, is_constant) {
        (true, true) => TileClass::Constant,
        (true, false) => TileClass::Compressed,
        (false, _) => TileClass::Plain,
    }
}

/// The classes of all tiles of a surface in memory.
///
/// # Errors
/// When memory does not hold the surface.
pub fn classify(memory: &[u32], surface: &SampleSurface, format: TileFormat) -> Result<TileMap, ParameterError> {
    surface.check(memory.len() as u64)?;
    let [columns, rows] = surface.tiles();
    let tiles = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
    let tiles = tiles.map(|(column, row)| class_at(memory, surface, format, column, row));
    Ok(TileMap { format, columns, tiles: tiles.collect() })
}

/// The class of a tile of a surface that memory holds.
fn class_at(memory: &[u32], surface: &SampleSurface, format: TileFormat, column: u32, row: u32) -> TileClass {
    let (left, top) = (column * TILE_COLUMNS, row * TILE_ROWS);
    if left + TILE_COLUMNS > surface.width || top + TILE_ROWS > surface.height {
        return TileClass::Partial;
    }
    let first = surface.word(left, top);
    let samples = std::array::from_fn(|sample| memory[first + sample / 8 * surface.pitch_words as usize + sample % 8]);
    classify_tile(&samples, format)
}

/// Copies changed words of memory, and reclassifies the surface's tiles that contain them.
///
/// # Panics
/// When the map does not belong to the surface, or memory, whose size is the same before and after, does not hold
/// the surface.
pub fn reclassify(map: &mut TileMap, surface: &SampleSurface, memory: &mut [u32], now: &[[u8; 4]]) {
    let [columns, rows] = surface.tiles();
    let mut changed = Vec::new();
    for row in 0..rows {
        changed.clear();
        changed.resize(columns as usize, false);
        let top = row * TILE_ROWS;
        for y in top..surface.height.min(top + TILE_ROWS) {
            let words = surface.word(0, y)..surface.word(surface.width, y);
            let tiles = memory[words.clone()].chunks_mut(TILE_COLUMNS as usize);
            for ((old, new), changed) in tiles.zip(now[words].chunks(TILE_COLUMNS as usize)).zip(&mut changed) {
                for (old, new) in old.iter_mut().zip(new) {
                    let new = u32::from_le_bytes(*new);
                    *changed |= *old != new;
                    *old = new;
                }
            }
        }
        for (column, _) in (0..).zip(&changed).filter(|(_, changed)| **changed) {
            map.tiles[(row * columns + column) as usize] = class_at(memory, surface, map.format, column, row);
        }
    }
}
