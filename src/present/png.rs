//! Writes pictures to PNG files and reads them back.

use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use super::Picture;
use crate::files;

/// The largest file that is read, and the most bytes of its pixels.
const MAX_BYTES: u64 = 1 << 28;

/// Why a picture cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The encoder failed.
    #[error("{}: {source}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// The encoder's error.
        source: png::EncodingError,
    },
    /// The decoder failed.
    #[error("{}: {source}", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// The decoder's error.
        source: png::DecodingError,
    },
    /// The pixel type is not supported.
    #[error("{}: pixels of type {kind} are not read", path.display())]
    PixelType {
        /// The file.
        path: PathBuf,
        /// The pixel type.
        kind: String,
    },
}

/// Writes a picture as an RGB file, first row first.
///
/// # Errors
/// When the file cannot be written.
pub fn write_png(path: &Path, picture: &Picture) -> Result<(), PictureError> {
    let mut bytes = Vec::new();
    encode_png(&mut bytes, picture).map_err(|source| PictureError::Encode { path: path.to_owned(), source })?;
    files::write(path, &bytes).map_err(|source| PictureError::File { path: path.to_owned(), source })
}

/// Writes the bytes of a PNG file with RGB pixels, first row first.
///
/// # Errors
/// When they cannot be written.
pub fn encode_png(out: impl Write, picture: &Picture) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(out, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgb)?;
    writer.finish()
}

/// Reads a file of eight-bit gray, RGB, RGBA or palette pixels; alpha is dropped.
///
/// # Errors
/// When the file cannot be read.
pub fn read_png(path: &Path) -> Result<Picture, PictureError> {
    let bytes = files::read(path, MAX_BYTES).map_err(|source| PictureError::File { path: path.to_owned(), source })?;
    let decode_error = |source| PictureError::Decode { path: path.to_owned(), source };
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(decode_error)?;
    let unreadable = |kind: String| PictureError::PixelType { path: path.to_owned(), kind };
    let size = reader.output_buffer_size().filter(|size| *size as u64 <= MAX_BYTES);
    let size = size.ok_or_else(|| unreadable("absurd size".to_owned()))?;
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).map_err(decode_error)?;
    bytes.truncate(frame.buffer_size());
    let rgb = match frame.color_type {
        png::ColorType::Rgb => bytes,
        png::ColorType::Rgba => bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        png::ColorType::Grayscale => bytes.iter().flat_map(|&value| [value; 3]).collect(),
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).flat_map(|pixel| [pixel[0]; 3]).collect(),
        png::ColorType::Indexed => return Err(unreadable("palette".to_owned())),
    };
    Ok(Picture { width: frame.width, height: frame.height, rgb })
}
