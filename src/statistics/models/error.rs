//! Defines why a stream cannot be modeled.

use crate::replay::ReplayError;
use crate::statistics::ParameterError;
use crate::statistics::vertex_timetable::UnknownOperation;

/// Why a stream cannot be modeled.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// It cannot be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A parameter of the machine does not suit a model.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A vertex program is not one of the processors that run it.
    #[error(transparent)]
    VertexProgram(#[from] UnknownOperation),
}
