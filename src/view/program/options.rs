//! Defines what a program's window needs.

use std::sync::Arc;

use curie_wayland::Server;

use super::messages::Notice;
use crate::gpu::AdapterChoice;
use crate::live::{Execution, Exports};

/// What a program's window needs.
pub struct ProgramOptions {
    /// The server that the program will find.
    pub server: Server,
    /// Columns and rows of the screen that the program finds [default: those of the monitor].
    pub screen: Option<(u32, u32)>,
    /// The way to the sessions of the program's driver.
    pub exports: Exports,
    /// The adapter that presents the window.
    pub adapter: AdapterChoice,
    /// What executes the program's submissions, for the overlay.
    pub execution: Execution,
    /// Called from several threads with what happens.
    pub report: Arc<dyn Fn(Notice) + Send + Sync>,
}

impl std::fmt::Debug for ProgramOptions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ProgramOptions").field("adapter", &self.adapter).finish_non_exhaustive()
    }
}
