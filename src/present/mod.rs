//! Turns surfaces into pictures, and pictures into PNG files.

mod picture;
mod png;

pub use picture::{Channel, Picture};
pub use png::{PictureError, encode_png, read_png, write_png};
