//! Defines a picture inside a page.

use crate::report::ReportError;

/// A PNG file that a page shows.
#[derive(Debug)]
pub struct EmbeddedPicture {
    pub(super) bytes: Vec<u8>,
    pub(super) size: (u32, u32),
}

impl EmbeddedPicture {
    /// Wraps the bytes of a PNG file.
    ///
    /// # Errors
    /// When they are not a PNG file.
    pub fn from_png(bytes: Vec<u8>) -> Result<Self, ReportError> {
        let reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info()?;
        let size = (reader.info().width, reader.info().height);
        Ok(Self { bytes, size })
    }
}
