//! The command line: one file per subcommand, no logic.

mod adapters;
mod assemble;
mod bench;
mod bisect;
mod cache_sweep;
mod check;
mod completions;
mod counting;
mod diagnostics;
mod diff;
mod disassemble;
mod environment;
mod explain;
mod failure;
#[cfg(target_os = "linux")]
mod gl;
mod launch;
mod list;
mod machines;
mod man;
mod message;
mod open_machine;
mod output;
mod play;
mod profile;
mod recompile;
mod render;
mod replay;
mod report;
mod run_program;
mod stream;
#[cfg(feature = "window")]
mod view;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use curie::asm::Diagnostics;
use failure::{Failure, Usage};

/// A GeForce 6800 that runs on the GPU you have.
#[derive(Debug, Parser)]
#[command(name = "curie", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a recorded stream, or that of a scene, and write the picture
    Replay(replay::Arguments),
    /// Build a stream from a scene, run it and write the picture; captures run like with `replay`
    Render(replay::Arguments),
    /// Run an OpenGL program on the emulated chip
    #[cfg(target_os = "linux")]
    Gl(gl::Arguments),
    /// Play a capture or scene in a window
    #[cfg(feature = "window")]
    View(view::Arguments),
    /// Print a stream as text: methods, fields, enum names, disassembled programs
    List(list::Arguments),
    /// Assemble a program into microcode
    Assemble(assemble::Arguments),
    /// Print a program as text that assembles to the same words
    Disassemble(disassemble::Arguments),
    /// Print how the chip's shader units schedule a program, slot by slot
    Explain(explain::Arguments),
    /// Print the WGSL that a program is recompiled to
    Recompile(recompile::Arguments),
    /// Run one program over given inputs and print its result registers
    RunProgram(run_program::Arguments),
    /// Run a kernel of the Tesla processor on a grid of threads
    Launch(launch::Arguments),
    /// Compare captures, scenes and programs with expected hashes, counters, pixels, pictures and results
    Check(check::Arguments),
    /// Compare two captures, scenes or statistics files: pictures, states, counters
    Diff(diff::Arguments),
    /// Find the first draw after which two engines, options, machines or builds differ
    Bisect(bisect::Arguments),
    /// Measure streams in frames, pixels, texels, vertices and triangles per second
    Bench(bench::Arguments),
    /// List the draws of a stream with their kernels, times on device and host, and counts
    Profile(profile::Arguments),
    /// Simulate texture caches of many shapes on the lookups of a stream
    CacheSweep(cache_sweep::Arguments),
    /// List the machines, or check and explain one
    Machines(machines::Arguments),
    /// Format a statistics file as a page, a CSV file or a short table
    Report(report::Arguments),
    /// List the adapters that wgpu finds, what the engine needs, and the results of the self-test
    Adapters(adapters::Arguments),
    /// Print the script with which a shell completes arguments
    Completions(completions::Arguments),
    /// Write the manual pages of the command and its subcommands
    Man(man::Arguments),
}

/// Runs the subcommand that the arguments name. The exit status is 0, 1 after a failure, or 2 after wrong usage.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    environment::provide(|| is_short(arguments.command.as_ref()));
    diagnostics::show();
    match run(arguments.command) {
        Ok(status) => status,
        Err(failure) if output::reader_has_gone(&failure) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            if failure.is::<Usage>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Prints the message of a failure.
fn complain(failure: &Failure) {
    match failure.downcast_ref::<Diagnostics>() {
        Some(errors) => message::line(errors.to_string().trim_end()),
        None => message::error(failure),
    }
}

/// The status of a comparison: 2 if it could not be made, as of diff(1).
fn compared(status: Result<ExitCode, Failure>) -> Result<ExitCode, Failure> {
    match status {
        Err(failure) if !output::reader_has_gone(&failure) => {
            complain(&failure);
            Ok(ExitCode::from(2))
        }
        status => status,
    }
}

/// Whether a subcommand plays few frames.
fn is_short(command: Option<&Command>) -> bool {
    match command {
        None | Some(Command::RunProgram(_) | Command::Check(_) | Command::Diff(_) | Command::Bisect(_)) => true,
        Some(Command::Replay(arguments) | Command::Render(arguments)) => arguments.is_short(),
        Some(_) => false,
    }
}

/// Runs a subcommand; returns its status.
fn run(command: Option<Command>) -> Result<ExitCode, Failure> {
    let done = match command {
        None => replay::run_bundled(),
        // The program's status becomes the command's.
        #[cfg(target_os = "linux")]
        Some(Command::Gl(arguments)) => return gl::run(&arguments),
        // The result of a comparison is the status, too.
        Some(Command::Check(arguments)) => return check::run(&arguments),
        Some(Command::Diff(arguments)) => return compared(diff::run(&arguments)),
        Some(Command::Bisect(arguments)) => return compared(bisect::run(&arguments)),
        Some(Command::Replay(arguments) | Command::Render(arguments)) => replay::run(&arguments),
        #[cfg(feature = "window")]
        Some(Command::View(arguments)) => view::run(arguments),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Assemble(arguments)) => assemble::run(&arguments),
        Some(Command::Disassemble(arguments)) => disassemble::run(&arguments),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Recompile(arguments)) => recompile::run(&arguments),
        Some(Command::RunProgram(arguments)) => run_program::run(&arguments),
        Some(Command::Launch(arguments)) => launch::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Profile(arguments)) => profile::run(&arguments),
        Some(Command::CacheSweep(arguments)) => cache_sweep::run(&arguments),
        Some(Command::Machines(arguments)) => machines::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::Adapters(arguments)) => adapters::run(&arguments),
        Some(Command::Completions(arguments)) => completions::run(&arguments, &mut Arguments::command()),
        Some(Command::Man(arguments)) => man::run(&arguments, Arguments::command()),
    };
    done.map(|()| ExitCode::SUCCESS)
}
