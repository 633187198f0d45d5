//! Samples of a surface into the classes of its tiles: the specification.

use super::{SampleSurface, TILE_COLUMNS, TILE_ROWS, TILE_SAMPLES, TileClass, TileFormat, TileMap, encode};
use crate::statistics::ParameterError;

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
    let tiles = tiles.map(|(column, row)| {
        let (left, top) = (column * TILE_COLUMNS, row * TILE_ROWS);
        if left + TILE_COLUMNS > surface.width || top + TILE_ROWS > surface.height {
            return TileClass::Partial;
        }
        let first = surface.first_word as usize + top as usize * surface.pitch_words as usize + left as usize;
        let samples =
            std::array::from_fn(|sample| memory[first + sample / 8 * surface.pitch_words as usize + sample % 8]);
        classify_tile(&samples, format)
    });
    Ok(TileMap { format, columns, tiles: tiles.collect() })
}
