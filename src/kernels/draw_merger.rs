//! Holds back draws that may merge with the next one, and flushes them before any other command reaches the device.
//!
//! The device is behind [`DrawMerger::flushed`], so no other command can be recorded while draws wait, and behind
//! [`DrawMerger::for_host`], so no memory is read or written that they reach.

use super::draw_profile::{DrawProfile, ProfiledDraw};
use super::executor::Executor;
use super::merged_draws::{MergedDraws, VertexRun};
use super::plan::draw_programs::counted;
use super::plan::merging::{Separation, shares_pixel_state};
use super::plan::path_taken::DrawPath;
use super::plan::vertex_sources::{reached_indices, vertex_windows};
use crate::memory::MemoryWindow;
use crate::pipeline::front_end::check_draw::check_draw;
use crate::pipeline::{Draw, EngineError};

/// Merges consecutive draws.
#[derive(Debug)]
pub(super) struct DrawMerger {
    /// Draws that are not recorded yet.
    waiting: Option<MergedDraws>,
    executor: Executor,
    /// What becomes of draws, if that is profiled.
    pub(super) profile: Option<DrawProfile>,
}

impl DrawMerger {
    /// Creates a merger in front of an executor.
    pub(super) const fn new(executor: Executor) -> Self {
        Self { waiting: None, executor, profile: None }
    }

    /// Records all waiting draws and returns the executor: the only access to it for all commands except draws.
    pub(super) fn flushed(&mut self) -> Result<&mut Executor, EngineError> {
        if let Some(draws) = self.waiting.take() {
            let Executor { context, draws: pipeline, .. } = &mut self.executor;
            match &self.profile {
                None => pipeline.record(context, &draws)?,
                Some(profile) => profile.record(|| pipeline.record(context, &draws))?,
            }
        }
        Ok(&mut self.executor)
    }

    /// Returns the executor for an access of the host to a window, after a flush unless waiting draws do not mind.
    pub(super) fn for_host(&mut self, window: MemoryWindow, writes: bool) -> Result<&mut Executor, EngineError> {
        match &mut self.waiting {
            Some(draws) if draws.lets_pass(window, writes) => {
                draws.is_stale |= writes;
                Ok(&mut self.executor)
            }
            _ => self.flushed(),
        }
    }

    /// Returns the executor without a flush, to read state that waiting draws do not change.
    pub(super) const fn unflushed(&self) -> &Executor {
        &self.executor
    }

    /// Accepts a draw, which may wait for later draws.
    pub(super) fn draw(&mut self, draw: &Draw) -> Result<(), EngineError> {
        check_draw(draw)?;
        let begin = self.profile.as_ref().map(DrawProfile::begin_draw);
        let placed = self.place_samples(draw);
        if let Some((profile, begin)) = self.profile.as_mut().zip(begin) {
            profile.end_draw(begin, placed.as_ref().ok().copied());
        }
        placed.map(|_| ())
    }

    /// Adds a draw whose program runs for samples one by one as a draw of each. The reference runs draws that are counted.
    fn place_samples(&mut self, draw: &Draw) -> Result<ProfiledDraw, EngineError> {
        let is_counting = self.executor.draws.counting.is_counting();
        let samples = if is_counting { Vec::new() } else { draw.of_samples() };
        let Some((last, others)) = samples.split_last() else { return self.place(draw) };
        others.iter().try_for_each(|draw| self.place(draw).map(|_| ()))?;
        self.place(last)
    }

    /// Adds a draw to the waiting ones, lets it wait, or records it.
    fn place(&mut self, draw: &Draw) -> Result<ProfiledDraw, EngineError> {
        let placed = |path, separation| ProfiledDraw { primitive: draw.primitive, path, separation };
        let separation = match self.merge(draw)? {
            Some(Ok(path)) => return Ok(placed(path, None)),
            Some(Err(reason)) => {
                tracing::trace!(%reason, "a draw does not merge");
                Some(reason)
            }
            None => None,
        };
        let Executor { context, draws, .. } = self.flushed()?;
        let merged = match draws.prepare(context, draw)? {
            Ok(merged) => merged,
            Err(path) => return Ok(placed(path, separation)),
        };
        let path = merged.pixels.path();
        if merged.is_open() {
            self.waiting = Some(merged);
        } else {
            draws.record(context, &merged)?;
        }
        Ok(placed(path, separation))
    }

    /// Adds a draw to the waiting draws, if there are any, unless a separation applies; returns its path.
    fn merge(&mut self, draw: &Draw) -> Result<Option<Result<DrawPath, Separation>>, EngineError> {
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
        let mut windows = geometry.batches.iter().flat_map(|batch| vertex_windows(draw, &batch.vertices));
        if !windows.all(|window| context.memory.holds(window)) {
            return Ok(Some(Err(Separation::AbsentGeometry)));
        }
        if waiting.counted.is_some_and(|first| !draws.counting.has_room(first)) {
            return Ok(Some(Err(Separation::Counts)));
        }
        if is_empty && waiting.counted.is_none() {
            return Ok(Some(Ok(DrawPath::Nothing)));
        }
        let Some((program, kernel)) = draws.following_program(context, waiting, draw)? else {
            return Ok(Some(Err(Separation::Program)));
        };
        let programs = counted(draw, &program, &waiting.fragment_program);
        if waiting.counted.is_some() && programs.is_none() {
            return Ok(Some(Err(Separation::Program)));
        }
        let place = draws.counting.begin(context, draw, programs, &geometry, true)?;
        let number = place.zip(waiting.counted).map_or(0, |(place, first)| place.number_from(first));
        if is_empty {
            return Ok(Some(Ok(DrawPath::Nothing)));
        }
        waiting.push(VertexRun { draw: draw.clone(), program, kernel, batches: geometry.batches, number });
        let first = self.profile.as_ref().map_or(0, DrawProfile::first);
        Ok(Some(Ok(DrawPath::Merged { first })))
    }
}
