//! Holds back draws that may merge with the next one, and flushes them before any other command reaches the device.
//!
//! The device is behind [`DrawMerger::flushed`], so no other command can be recorded, and no memory read or written,
//! while draws wait.

use super::executor::Executor;
use super::merged_draws::{MergedDraws, VertexRun};
use super::plan::merging::{Separation, shares_pixel_state};
use super::plan::vertex_sources::reached_indices;
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::{Draw, EngineError};

/// Merges consecutive draws.
#[derive(Debug)]
pub(super) struct DrawMerger {
    /// Draws that are not recorded yet.
    waiting: Option<MergedDraws>,
    executor: Executor,
}

impl DrawMerger {
    /// Creates a merger in front of an executor.
    pub(super) const fn new(executor: Executor) -> Self {
        Self { waiting: None, executor }
    }

    /// Records all waiting draws and returns the executor: the only access to it for all commands except draws.
    pub(super) fn flushed(&mut self) -> Result<&mut Executor, EngineError> {
        if let Some(draws) = self.waiting.take() {
            self.executor.draws.record(&mut self.executor.context, &draws)?;
        }
        Ok(&mut self.executor)
    }

    /// Returns the executor without a flush, to read state that waiting draws do not change.
    pub(super) const fn unflushed(&self) -> &Executor {
        &self.executor
    }

    /// Accepts a draw, which may wait for later draws.
    pub(super) fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        match self.merge(draw)? {
            Some(Ok(())) => return Ok(()),
            Some(Err(reason)) => tracing::trace!(%reason, "a draw does not merge"),
            None => (),
        }
        let Executor { context, draws, .. } = self.flushed()?;
        match draws.prepare(context, draw)? {
            Some(merged) if merged.is_open() => self.waiting = Some(merged),
            Some(merged) => draws.record(context, &merged)?,
            None => (),
        }
        Ok(())
    }

    /// Adds a draw to the waiting draws, if there are any, unless a separation applies.
    fn merge(&mut self, draw: &Draw) -> Result<Option<Result<(), Separation>>, EngineError> {
        let Some(waiting) = &mut self.waiting else { return Ok(None) };
        let Executor { context, draws, .. } = &mut self.executor;
        if !shares_pixel_state(waiting.first(), draw) {
            return Ok(Some(Err(Separation::PixelState)));
        }
        if reached_indices(&draw.elements).is_some_and(|indices| waiting.writes(indices)) {
            return Ok(Some(Err(Separation::WrittenGeometry)));
        }
        let geometry = draws.assemble(context, draw)?;
        let is_empty = geometry.batches.is_empty();
        if let Some(separation) = waiting.separation(draw, &geometry.batches).filter(|_| !is_empty) {
            return Ok(Some(Err(separation)));
        }
        if waiting.counted.is_some_and(|first| !draws.counting.has_room(first)) {
            return Ok(Some(Err(Separation::Counts)));
        }
        if is_empty && waiting.counted.is_none() {
            return Ok(Some(Ok(())));
        }
        let (program, kernel) = draws.following_program(context, waiting, draw)?;
        let programs = (&*program, &waiting.fragment_program);
        let place = draws.counting.begin(context, draw, programs, &geometry, true)?;
        let number = place.zip(waiting.counted).map_or(0, |(place, first)| place.number_from(first));
        if !is_empty {
            waiting.push(VertexRun { draw: draw.clone(), program, kernel, batches: geometry.batches, number });
        }
        Ok(Some(Ok(())))
    }
}
