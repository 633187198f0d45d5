//! Plays captures on an engine and reads the surfaces that are bound at the end.

mod frames;
mod outcome;
mod player;
mod readbacks;
mod rehearse;
mod replay_error;
mod replay_options;
mod run;
mod surface;

pub use frames::{FrameRule, FrameStart, FrameStarts, longest_stretch};
pub use outcome::{MissedStop, Outcome};
pub use player::{Player, Step, replay};
pub use readbacks::Readback;
pub use rehearse::{IdleKernels, rehearse, rehearse_steps, with_rehearsal};
pub use replay_error::ReplayError;
pub use replay_options::ReplayOptions;
pub use run::{RunError, run};
pub(crate) use surface::hexadecimal;
pub use surface::{Surface, read_surface};
