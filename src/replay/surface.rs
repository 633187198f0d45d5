//! Reads surfaces, and hashes them.

use sha2::{Digest, Sha256};

use crate::chip::BoundSurface;
use crate::format::SurfaceFormat;
use crate::pipeline::{Engine, EngineError, SampleMode};

/// The content of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surface {
    /// `color0` … `color7` or `zeta`.
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
