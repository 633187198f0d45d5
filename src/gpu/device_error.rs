//! Why kernels cannot run.

use super::link::LinkError;

/// Why kernels cannot run.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// No adapter fits the choice.
    #[error("no adapter {choice}; found: {found}")]
    NoAdapter {
        /// The choice.
        choice: String,
        /// The existing adapters.
        found: String,
    },
    /// The adapter cannot open a device.
    #[error("adapter '{adapter}' gives no device: {message}")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// The driver's message.
        message: String,
    },
    /// Modules cannot be joined.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// A kernel is not valid WGSL.
    #[error("kernel '{kernel}' at {file}:{line}: {message}")]
    InvalidKernel {
        /// The kernel.
        kernel: String,
        /// The file of the error.
        file: String,
        /// The line in it, from 1.
        line: usize,
        /// naga's message.
        message: String,
    },
    /// A buffer is larger than one binding can hold.
    #[error("buffer '{label}' of {bytes} bytes is beyond the {limit} that '{adapter}' can bind")]
    TooLarge {
        /// What the buffer is for.
        label: String,
        /// Its size.
        bytes: u64,
        /// The most that a binding can hold.
        limit: u64,
        /// The adapter.
        adapter: String,
    },
    /// The device or the driver reports an error.
    #[error("{0}")]
    Driver(String),
}
