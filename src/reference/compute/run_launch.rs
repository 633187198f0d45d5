//! Runs a launch: its blocks one after the other.

use super::block::{BlockContext, run_block};
use super::races::Races;
use super::records::Records;
use crate::pipeline::launch::{
    CONSTANT_STEP, Launch, LaunchError, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, TraceStep,
};

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
    limits.check(launch)?;
    let mut constants: [Vec<u8>; 16] = Default::default();
    for (space, bytes) in constants
        .iter_mut()
        .zip(0_u8..)
        .filter_map(|(space, number)| launch.constants.get(&number).map(|bytes| (space, bytes)))
    {
        space.clone_from(bytes);
        space.resize(bytes.len().next_multiple_of(CONSTANT_STEP), 0);
    }
    let mut records = Records::new(launch);
    let mut context = BlockContext::new(launch, &mut constants, memory, &mut records, options);
    for block in 0..launch.grid.into_iter().map(u64::from).product() {
        run_block(&mut context, block, options, observer)?;
    }
    let races = context.races.take().map(Races::finish).unwrap_or_default();
    Ok(records.finish(races))
}
