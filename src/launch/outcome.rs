//! What identifies the content of a buffer after a launch.

use sha2::{Digest as _, Sha256};

use crate::pipeline::launch::LaunchBuffer;
use crate::replay::hexadecimal;

/// The SHA-256 of a buffer, in hexadecimal.
#[must_use]
pub fn buffer_hash(buffer: &LaunchBuffer) -> String {
    hexadecimal(&Sha256::digest(&buffer.bytes))
}
