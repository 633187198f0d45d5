//! Records which kernels each draw takes and why, and tells the device's clock on whose behalf the engine works.

use std::sync::Arc;

use super::plan::merging::Separation;
use super::plan::path_taken::DrawPath;
use crate::gpu::{HostWork, StageClock};
use crate::pipeline::PrimitiveType;

/// What the engine did for a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfiledDraw {
    /// The primitives that it assembles.
    pub primitive: PrimitiveType,
    /// The kernels that it went through.
    pub path: DrawPath,
    /// Why it did not merge with the draws before it, if these waited for more.
    pub separation: Option<Separation>,
}

/// The draws since profiling began; on the device's clock, the owner of a pass or span is the number of a draw.
#[derive(Debug)]
pub(super) struct DrawProfile {
    clock: Arc<StageClock>,
    draws: Vec<ProfiledDraw>,
    /// The number of the last draw that began to draw, alone or as the first of merged draws.
    first: usize,
}

impl ProfiledDraw {
    /// The name of the host's work on one draw.
    pub const DRAW: &'static str = "draw";
    /// The name of its work on waiting draws, once no more can merge with them.
    pub const RECORD: &'static str = "record";
}

impl DrawProfile {
    /// Starts with the next draw.
    pub(super) const fn new(clock: Arc<StageClock>) -> Self {
        Self { clock, draws: Vec::new(), first: 0 }
    }

    /// The draws so far.
    pub(super) fn draws(&self) -> &[ProfiledDraw] {
        &self.draws
    }

    /// The number of the first of the draws that merge with the last one.
    pub(super) const fn first(&self) -> usize {
        self.first
    }

    /// Starts the time of the next draw.
    pub(super) fn begin_draw(&self) -> f64 {
        self.clock.set_owner(Some(self.draws.len()));
        self.clock.now()
    }

    /// Ends the time of a draw that began at `begin`; without a `draw`, the engine refused it.
    pub(super) fn end_draw(&mut self, begin: f64, draw: Option<ProfiledDraw>) {
        if let Some(draw) = draw {
            self.clock.add_span(HostWork::Command(ProfiledDraw::DRAW), begin);
            if matches!(draw.path, DrawPath::Fused { .. } | DrawPath::Split(_)) {
                self.first = self.draws.len();
            }
            self.draws.push(draw);
        }
        self.clock.set_owner(None);
    }

    /// Calls `record` on behalf of the draws that merge with the last one.
    pub(super) fn record<T>(&self, record: impl FnOnce() -> T) -> T {
        let owner = self.clock.set_owner(Some(self.first));
        let begin = self.clock.now();
        let recorded = record();
        self.clock.add_span(HostWork::Command(ProfiledDraw::RECORD), begin);
        self.clock.set_owner(owner);
        recorded
    }
}
