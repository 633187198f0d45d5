//! Replays a capture on an engine that is chosen automatically.

use super::{Outcome, ReplayError, ReplayOptions, replay};
use crate::capture::Capture;
use crate::engine::{EngineChoice, OpenError, open_for};
use crate::gpu::AdapterChoice;

/// Why [`run`] fails.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No engine can have the memory that the capture requests.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The replay stops.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// Runs a whole capture and reads the surfaces that are bound at the end: on the kernels of the best adapter, or without one
/// that passes the self-test on the reference, with the same result.
///
/// # Errors
/// When the capture requests more memory than there is, or a record cannot be applied.
pub fn run(capture: &Capture) -> Result<Outcome, RunError> {
    let mut opened = open_for(capture, EngineChoice::Auto, &AdapterChoice::Best)?;
    Ok(replay(capture, opened.engine.as_mut(), &ReplayOptions::default(), &mut |_, _| {})?)
}
