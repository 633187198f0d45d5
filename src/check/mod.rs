//! Compares what streams and programs give with what is expected, with each other, and draw by draw.
//!
//! [`CheckFile`] is a list of cases with expected hashes, counters, pixels, pictures and result registers; [`check`] runs
//! one of them, and [`bless()`] replaces what a file expects by what the reference gives. Results are the same on every
//! machine, so the [`Share`]s of a list may run on several, and [`merge_reports`] and [`merge_tables`] join what they wrote. [`compare_surfaces`]
//! finds where two surfaces differ, [`state_at`] is the state of a draw as text, and [`bisect()`] finds the first command
//! after which two engines differ. docs/check.md describes the file and the commands.

mod bisect;
mod bless;
mod case;
mod compare;
mod error;
mod file;
mod files;
mod numbers;
mod program;
mod report;
mod run;
mod share;
mod state;
mod stream;

pub use bisect::{Finding, Place, bisect, search};
pub use bless::bless;
pub use case::{Case, Engine, Expected, ExpectedCount, Pixel, Program, ProgramInputs, Stream, Subject};
pub use compare::{PixelDifference, SurfaceDifference, compare_pictures, compare_surfaces, difference_picture};
pub use error::{CheckError, with_causes};
pub use file::CheckFile;
pub use files::{read_text, write};
pub use numbers::{NumberDifference, compare_numbers};
pub use report::{Report, merge_reports, merge_tables};
pub use run::{CheckOptions, CheckResult, Engines, check, compare_outcome, file_name};
pub use share::Share;
pub use state::state_at;
pub use stream::{StreamOptions, open_stream, open_streams};
