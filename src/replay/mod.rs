//! Plays captures on an engine and reads the surfaces that are bound at the end.

mod frames;
mod player;
mod readbacks;
mod rehearse;

use sha2::{Digest, Sha256};

use crate::capture::Capture;
use crate::chip::{BoundSurface, ChipError};
use crate::format::SurfaceFormat;
use crate::machine::UnsupportedChipset;
use crate::pipeline::{Engine, EngineError, SampleMode};

pub use frames::{FrameRule, FrameStart, FrameStarts, longest_stretch};
pub use player::{MissedStop, Player, Step};
pub use readbacks::Readback;
pub use rehearse::{IdleKernels, rehearse, rehearse_steps, with_rehearsal};

/// Where a replay stops, what it collects, and which conditions are errors.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReplayOptions {
    /// Stops after the submission with this sequence number.
    pub until: Option<u32>,
    /// Stops after the draw with this number, from 0, counting those that the engine accepts.
    pub until_draw: Option<u64>,
    /// Hashes each buffer that the client can read after the chip may have written it.
    pub readbacks: bool,
    /// Unknown methods, classes and values are errors.
    pub strict: bool,
}

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The capture is for a chip that curie does not emulate.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// A record cannot be applied.
    #[error("record {record}: {source}")]
    Record {
        /// Its number, from 0.
        record: usize,
        /// Why.
        source: ChipError,
    },
    /// The engine failed while memory was read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The client reads more often than results are kept for.
    #[error("the stream reads back more than {limit} buffers")]
    TooManyReadbacks {
        /// How many are kept.
        limit: usize,
    },
}

/// The content of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    /// `color0` … `color3` or `zeta`.
    pub name: String,
    /// Columns of texels.
    pub width: u32,
    /// Rows of texels.
    pub height: u32,
    /// How many samples a pixel has.
    pub samples: SampleMode,
    /// Its format.
    pub format: SurfaceFormat,
    /// Its pixels, untiled: `height` rows of `width * format.bytes()` bytes.
    pub rows: Vec<u8>,
}

impl Surface {
    /// The bytes of a texel in the surface's format, from the left upper one; `None` outside.
    #[must_use]
    pub fn texel(&self, x: u32, y: u32) -> Option<&[u8]> {
        let bytes = self.format.bytes() as usize;
        let index = y as usize * self.width as usize + x as usize;
        (x < self.width && y < self.height).then(|| self.rows.get(index * bytes..(index + 1) * bytes)).flatten()
    }

    /// The SHA-256 of its rows, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hexadecimal(&Sha256::digest(&self.rows))
    }

    /// Formats the line that identifies it: `color0 256x256 A8R8G8B8 sha256:…`.
    #[must_use]
    pub fn hash_line(&self) -> String {
        format!("{:<6} {}", self.name, self.summary())
    }

    /// Formats its size, format and hash: `256x256 A8R8G8B8 sha256:…`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Self { width, height, .. } = self;
        format!("{width}x{height} {} sha256:{}", self.format.name(), self.sha256())
    }
}

/// Formats a digest.
pub(crate) fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The result of a replay.
#[derive(Debug)]
pub struct Outcome {
    /// What the client could read before the end, if the options ask for it.
    pub readbacks: Vec<Readback>,
    /// The color targets bound at the end, then the zeta that was last used.
    pub surfaces: Vec<Surface>,
    /// What the chip ignores or rejects, each once, with its count.
    pub anomalies: Vec<String>,
    /// Set if the stream has ended before the submission or draw to stop at.
    pub missed_stop: Option<MissedStop>,
}

/// Applies the records of a capture in order and reads the surfaces that are bound at the end.
///
/// `progress` receives the number of applied records and the total.
///
/// # Errors
/// When a record cannot be applied; the error names it.
pub fn replay(
    capture: &Capture,
    engine: &mut dyn Engine,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, ReplayError> {
    let mut player = Player::new(capture, options)?;
    while player.step(engine)?.is_some() {
        let (done, all) = player.progress();
        progress(done, all);
    }
    Ok(player.outcome(engine)?)
}

/// Reads the pixels of a bound surface.
///
/// # Errors
/// When the engine fails.
pub fn read_surface(bound: &BoundSurface, engine: &mut dyn Engine) -> Result<Surface, EngineError> {
    let bytes = bound.format.bytes();
    let (width, height) = (bound.width, bound.height);
    let size = bound.layout.span_bytes(width, height, bytes);
    let window = bound.window.truncated(u32::try_from(size).unwrap_or(u32::MAX));
    let mut memory = vec![0; window.bytes as usize];
    engine.read_memory(window, &mut memory)?;
    let mut rows = Vec::with_capacity((width * height * bytes) as usize);
    for y in 0..height {
        for x in 0..width {
            for word in 0..bytes.div_ceil(4) {
                let offset = bound.layout.word_offset(x, y, bytes, word) as usize;
                let part = bytes.min(4) as usize;
                rows.extend_from_slice(memory.get(offset..offset + part).unwrap_or(&[0; 4][..part]));
            }
        }
    }
    Ok(Surface { name: bound.name.to_owned(), width, height, samples: bound.samples, format: bound.format, rows })
}
