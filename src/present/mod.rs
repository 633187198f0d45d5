//! Pictures of surfaces, as PNG files.

mod picture;
mod png;

pub use picture::{Channel, Difference, Picture};
pub use png::{PictureError, read_png, write_png};
