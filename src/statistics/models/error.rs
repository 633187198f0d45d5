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
    /// A draw has programs that the machine's processors do not run.
    #[error("draw {draw} has programs that `{machine}` does not run")]
    Programs {
        /// The number of the draw in its frame.
        draw: usize,
        /// The machine.
        machine: String,
    },
    /// A parameter of the machine does not suit a model.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A vertex program is not one of the processors that run it.
    #[error(transparent)]
    VertexProgram(#[from] UnknownOperation),
}
