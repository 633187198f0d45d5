//! Formats a statistics file for people: as a page, a CSV file or a short table.
//!
//! [`StatisticsFile::read`] reads what `--statistics` wrote, by this program or another; [`page`], [`csv()`] and [`text()`] present
//! it. [`LaunchFile::read`] and [`launch_page`] do so for what `curie launch --statistics` wrote. The page is one file that needs no network; docs/report.md describes it.

mod counters;
mod csv;
mod file;
mod html;
mod launch_file;
mod models;
mod number;
mod place;
mod report_error;
mod text;

pub use csv::csv;
pub use file::StatisticsFile;
pub use html::{EmbeddedPicture, launch_page, page};
pub use launch_file::LaunchFile;
pub use report_error::ReportError;
pub use text::{aligned, text};
