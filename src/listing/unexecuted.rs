//! Lists captures of chips that draw nothing: records, methods by the tables of their classes, and programs.

use std::io::Write;

use super::tesla_programs::TeslaPrograms;
use super::{ListError, describe_record, list_warnings};
use crate::capture::{Capture, Record, Submission};
use crate::command::ib_packet::IbPusher;
use crate::command::list::describe_method;
use crate::command::subchannels::Subchannels;

/// Writes the records and methods of a capture of the Tesla generation.
pub(super) fn list(capture: &Capture, out: &mut dyn Write) -> Result<(), ListError> {
    let mut subchannels = Subchannels::default();
    let mut programs = TeslaPrograms::default();
    for (number, record) in capture.records.iter().enumerate() {
        writeln!(out, "{number} {}", describe_record(record))?;
        match record {
            &Record::Object { handle, class } => subchannels.create(handle, class),
            Record::Submit(submission) => list_submission(submission, &mut subchannels, &mut programs, out)?,
            _ => {}
        }
    }
    Ok(list_warnings(capture, out)?)
}

fn list_submission(
    submission: &Submission,
    subchannels: &mut Subchannels,
    programs: &mut TeslaPrograms,
    out: &mut dyn Write,
) -> Result<(), ListError> {
    let mut pusher = IbPusher::default();
    for push in &submission.pushes {
        for &word in &push.words {
            match pusher.word(word) {
                Ok(None) => {}
                Ok(Some(write)) => {
                    let exists = subchannels.method(write);
                    let class = subchannels.class(write.subchannel);
                    writeln!(out, "  {}", describe_method(class, write))?;
                    if !exists {
                        writeln!(out, "  ! object {:#x} does not exist", write.value)?;
                    }
                    if let Some((title, lines)) = class.and_then(|class| programs.method(class, write)) {
                        writeln!(out, "    {title}")?;
                        lines.iter().try_for_each(|line| writeln!(out, "      {line}"))?;
                    }
                }
                Err(error) => {
                    writeln!(out, "  ! {error}")?;
                    break;
                }
            }
        }
    }
    if !pusher.is_between_packets() {
        writeln!(out, "  ! the submission ends within a packet")?;
    }
    Ok(())
}
