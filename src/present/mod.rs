//! Pictures of surfaces, and PNG files of them.

mod picture;
mod png;

pub use picture::{Channel, Picture};
pub use png::{PictureError, read_png, write_png};
