//! Replays what was recorded of a program, and writes its counters and the results of the machine's models.

use std::path::PathBuf;

use curie::engine::open_for;
use curie::live::NumberedPaths;
use curie::replay::ReplayOptions;

use super::Arguments;
use crate::cli::failure::Failure;
use crate::cli::message;
use crate::cli::open_machine::open_machine;
use crate::cli::stream::open_recorded;

/// Counts each recording if the options ask for it. Counting while the program runs would slow it down.
pub(super) fn count(arguments: &Arguments, recordings: &[PathBuf]) -> Result<(), Failure> {
    let Some(first) = &arguments.counting.statistics else { return Ok(()) };
    let paths = NumberedPaths::new(first.clone());
    let options = ReplayOptions { strict: arguments.strict, ..ReplayOptions::default() };
    for recording in recordings {
        let name = recording.display().to_string();
        let capture = open_recorded(recording, |_| 0..1)?;
        let machine = open_machine(arguments.machine.as_deref(), &name, &capture)?;
        let mut opened = open_for(&capture, arguments.engine, &arguments.adapter)?;
        let (path, counted) = (paths.next(), (name.as_str(), &capture));
        arguments.counting.count(&path, counted, &machine, &mut opened, &options, &arguments.adapter)?;
        message::line(format_args!("{name}: counted to {}", path.display()));
    }
    Ok(())
}
