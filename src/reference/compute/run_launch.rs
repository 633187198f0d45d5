//! Runs a launch: its blocks one after the other, and the warps of a block in turns.

use std::sync::Arc;

use super::barriers::Barriers;
use super::block::BlockContext;
use super::execute_instruction::execute_instruction;
use super::races::Races;
use super::records::Records;
use super::warp::{Warp, WarpState};
use crate::memory::GuestMemory;
use crate::pipeline::launch::{
    CONSTANT_STEP, FaultKind, Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport,
    TURN_INSTRUCTIONS, TraceStep,
};
use crate::reference::observer::{DrawObserver, Unobserved};

/// Runs a launch on memory; `observer` receives the steps of the traced warp.
///
/// # Errors
/// When the launch does not fit on the processor or does not end.
pub fn run_launch(
    launch: &Launch,
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
    options: &LaunchOptions,
    observer: &mut dyn FnMut(TraceStep),
) -> Result<LaunchReport, LaunchError> {
    let texels = Arc::clone(memory.texels());
    run_launch_over(launch, &texels, limits, memory, options, observer)
}

/// The same with the texels of textures in guest memory.
///
/// # Errors
/// As for [`run_launch`].
pub fn run_launch_over(
    launch: &Launch,
    texels: &GuestMemory,
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
    options: &LaunchOptions,
    observer: &mut dyn FnMut(TraceStep),
) -> Result<LaunchReport, LaunchError> {
    run_launch_observed(launch, (texels, &Unobserved), limits, memory, options, observer)
}

/// The same with an observer of the fetches from textures.
///
/// # Errors
/// As for [`run_launch`].
pub(super) fn run_launch_observed(
    launch: &Launch,
    texels: (&GuestMemory, &dyn DrawObserver),
    limits: &LaunchLimits,
    memory: &mut LaunchMemory,
    options: &LaunchOptions,
    observer: &mut dyn FnMut(TraceStep),
) -> Result<LaunchReport, LaunchError> {
    limits.check(launch)?;
    let mut constants: [Vec<u8>; 16] = Default::default();
    for (space, bytes) in constants
        .iter_mut()
        .zip(0_u8..)
        .filter_map(|(space, number)| launch.stage.constants.get(&number).map(|bytes| (space, bytes)))
    {
        space.clone_from(bytes);
        space.resize(bytes.len().next_multiple_of(CONSTANT_STEP), 0);
    }
    let mut records = Records::new(launch);
    let mut context = BlockContext::new((launch, texels), &mut constants, memory, &mut records, options);
    for block in 0..launch.grid.into_iter().map(u64::from).product() {
        run_block(&mut context, block, options, observer)?;
    }
    let races = context.races.take().map(Races::finish).unwrap_or_default();
    Ok(records.finish(races))
}

/// Runs a block to its end.
fn run_block(
    context: &mut BlockContext<'_>,
    block: u64,
    options: &LaunchOptions,
    observer: &mut dyn FnMut(TraceStep),
) -> Result<(), LaunchError> {
    context.begin_block(block);
    let launch = context.launch;
    let mut warps: Vec<Warp> = (0..launch.block_warps()).map(|number| Warp::new(launch, block, number)).collect();
    let mut barriers = Barriers::default();
    let first_warp = block * u64::from(launch.block_warps());
    while warps.iter().any(|warp| warp.state == WarpState::Ready) {
        for number in 0..warps.len() {
            let is_traced = options.traces_warps
                || options.traces_accesses
                || options.traced_warp == Some(first_warp + number as u64);
            let mut turn = 0;
            while warps[number].state == WarpState::Ready {
                if launch.stage.program.begins_basic_block(warps[number].pc) {
                    if context.records.warp_instructions() >= options.instruction_limit {
                        return Err(endless(context, &warps[number], options.instruction_limit));
                    }
                    if turn >= TURN_INSTRUCTIONS {
                        break;
                    }
                    if options.max_quad_blocks.is_some_and(|max| !warps[number].begin_block(launch, max)) {
                        continue;
                    }
                }
                let observer = if is_traced { Some(&mut *observer) } else { None };
                execute_instruction(&mut warps, number, &mut barriers, context, observer)?;
                turn += 1;
            }
            if warps[number].state == WarpState::Ended && turn > 0 {
                barriers.leave(&mut warps);
            }
        }
    }
    for warp in &warps {
        if let WarpState::Waiting { at, .. } = warp.state {
            context.fault(at, FaultKind::Deadlock, warp, warp.active, None);
        }
        context.record_outputs(warp);
    }
    Ok(())
}

fn endless(context: &BlockContext<'_>, warp: &Warp, limit: u64) -> LaunchError {
    let place = context.launch.place(context.block, warp.thread(warp.active.trailing_zeros() % 32));
    LaunchError::Endless { limit, instruction: warp.pc, place }
}
