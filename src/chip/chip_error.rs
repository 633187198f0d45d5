//! Why a stream cannot continue.

use super::anomalies::Anomaly;
use crate::command::packet::PushError;
use crate::memory::MemorySpace;
use crate::pipeline::EngineError;

/// Why a stream cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ChipError {
    /// The pusher stopped, as the chip's would.
    #[error("submission {sequence}: {source}")]
    Push {
        /// The submission.
        sequence: u32,
        /// The error.
        #[source]
        source: PushError,
    },
    /// An anomaly in strict mode.
    #[error("{anomaly} (value {value:#010x})")]
    Anomaly {
        /// The anomaly.
        anomaly: Anomaly,
        /// The value written.
        value: u32,
    },
    /// A memory record names a domain that is neither VRAM nor GART.
    #[error("buffer {handle}: domain {domain}, expected 2 (VRAM) or 4 (GART)")]
    Domain {
        /// The buffer.
        handle: u32,
        /// The domain.
        domain: u32,
    },
    /// A buffer does not fit into its address space.
    #[error("buffer {handle}: {bytes} bytes at {offset:#x} lie outside {space:?}")]
    BufferOutside {
        /// The buffer.
        handle: u32,
        /// Its address.
        offset: u64,
        /// Its size.
        bytes: u64,
        /// The address space.
        space: MemorySpace,
    },
    /// A record names a buffer that does not exist.
    #[error("{tag} names buffer {handle}, which does not exist")]
    UnknownBuffer {
        /// The record's tag.
        tag: &'static str,
        /// The buffer.
        handle: u32,
    },
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}
