//! `curie gl`: runs an OpenGL program whose driver draws on the emulated chip.

mod arguments;
mod client_library;
#[cfg(feature = "window")]
mod hidden_display;
mod program;
mod renderer;
mod report;
mod serve;
mod socket_folder;
mod statistics;
#[cfg(feature = "window")]
mod window;
#[cfg(feature = "window")]
mod x_server;

use std::process::ExitCode;

pub(crate) use arguments::Arguments;
use curie::capture::Header;
use curie::engine::EngineSource;
use curie::kernels::KernelOptions;
use curie::live::{Execution, Exports, LiveOptions, NumberedPaths};
use curie::machine::{Family, NotRecordable, is_recordable, open_any};

use super::failure::Failure;
use super::message;

/// Runs the subcommand; returns the status of the program.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(socket) = &arguments.connect {
        return serve::run_beside(socket, arguments);
    }
    let execution = execution(arguments)?;
    let options = live_options(arguments)?;
    #[cfg(feature = "window")]
    if arguments.window {
        return window::run(arguments, execution, options);
    }
    #[cfg(feature = "window")]
    if let Some(screen) = arguments.x11 {
        return hidden_display::run(arguments, (execution, options), screen);
    }
    match &arguments.serve {
        Some(socket) => serve::serve(socket, arguments, execution, options),
        None => serve::run_program(arguments, execution, options),
    }
}

fn execution(arguments: &Arguments) -> Result<Execution, Failure> {
    if arguments.record_only {
        return Ok(Execution::RecordOnly);
    }
    let engines = EngineSource::open(arguments.engine, &arguments.adapter, KernelOptions::default())?;
    if let Some(reason) = &engines.fallback {
        message::note(format_args!("using the reference engine: {reason}"));
    }
    Ok(engines.into())
}

/// Fails unless the chip is emulated, and with `--record-only` its stream can be recorded.
fn check_chipset(chipset: u32, record_only: bool) -> Result<(), Failure> {
    if record_only && !is_recordable(chipset) {
        return Err(NotRecordable { chipset }.into());
    }
    Family::of_chipset(chipset)?;
    Ok(())
}

fn live_options(arguments: &Arguments) -> Result<LiveOptions, Failure> {
    let mut header = Header::default();
    if let Some(name) = &arguments.machine {
        let chipset = open_any(name)?.sheet().chipset();
        header.chipset = chipset.ok_or_else(|| format!("{name}: no OpenGL driver knows this machine"))?;
    }
    if let Some(chipset) = arguments.chipset {
        header.chipset = chipset;
    }
    check_chipset(header.chipset, arguments.record_only)?;
    Ok(LiveOptions {
        header,
        is_strict: arguments.strict,
        recordings: arguments.record.clone().map(NumberedPaths::new),
        frames: arguments.frames,
        frames_shown: arguments.screenshot.iter().map(|(frame, _)| *frame).collect(),
        clock: Some(curie_client::clock::nanoseconds),
        exports: Exports::default(),
        is_display: false,
    })
}
