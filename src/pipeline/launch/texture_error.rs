//! Why a launch cannot sample a texture.

/// Why a texture cannot be bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchTextureError {
    /// The format is none of those that compute programs read.
    #[error("compute programs do not read texels of format {format}")]
    Format {
        /// The format.
        format: &'static str,
    },
    /// A cube map, or a convolution filter.
    #[error("textures of compute programs have one to three dimensions, and filter nearest or linearly")]
    Kind,
    /// A side is zero or too long.
    #[error("a texture of {size} texels; sides are 1 to {longest}")]
    Size {
        /// The sides.
        size: String,
        /// The longest ones.
        longest: String,
    },
    /// There are not as many bytes as texels.
    #[error("a texture of {size} texels has {needed} bytes, found {found}")]
    Bytes {
        /// The sides.
        size: String,
        /// How many there must be.
        needed: u64,
        /// How many there are.
        found: u64,
    },
    /// The texels of all textures have more bytes than their memory.
    #[error("no memory is left for the {bytes} bytes of a texture")]
    OutOfMemory {
        /// How many there are.
        bytes: u64,
    },
}
