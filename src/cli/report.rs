//! `curie report`: formats a statistics file as a page, a CSV file or a short table.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use curie::files;
use curie::statistics::report::{
    EmbeddedPicture, LaunchFile, ReportError, StatisticsFile, csv, launch_page, page, text,
};

use super::output::{print_text, write_file};
use super::{Failure, with_sources};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file that --statistics wrote
    statistics: PathBuf,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format [default: html with -o, else text]
    #[arg(long)]
    format: Option<Format>,
    /// Embed this picture in the page
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
}

/// The largest picture, and the largest statistics of a launch, which have a few hundred bytes for each instruction.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A self-contained page
    Html,
    /// One row per draw
    Csv,
    /// A short table
    Text,
}

/// The statistics of a launch, if the file has them. Only files of a size that a launch writes are looked at.
fn read_launch(mut file: &File) -> Result<Option<LaunchFile>, ReportError> {
    if file.metadata()?.len() > MAX_BYTES {
        return Ok(None);
    }
    let mut text = Vec::new();
    // A device has no size.
    file.take(MAX_BYTES).read_to_end(&mut text)?;
    file.rewind()?;
    if LaunchFile::is_launch(&text) { LaunchFile::read(&text).map(Some) } else { Ok(None) }
}

/// Writes the page of a launch.
fn report_launch(arguments: &Arguments, launch: &LaunchFile, format: Format) -> Result<(), Failure> {
    if format != Format::Html || arguments.picture.is_some() {
        return Err("the statistics of a launch become a page without a picture: give -o FILE or --format html".into());
    }
    let name = arguments.statistics.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let written = launch_page(launch, &name);
    match &arguments.output {
        None => print_text(written),
        Some(output) => write_file(output, written.as_bytes()),
    }
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format.unwrap_or(if arguments.output.is_some() { Format::Html } else { Format::Text });
    if arguments.picture.is_some() && format != Format::Html {
        return Err("--picture is for pages: give -o FILE or --format html, too".into());
    }
    let path = &arguments.statistics;
    let file = File::open(path).map_err(|error| named(path, &error))?;
    if let Some(launch) = read_launch(&file).map_err(|error| named(path, &error))? {
        return report_launch(arguments, &launch, format);
    }
    let file = StatisticsFile::read(file).map_err(|error| named(path, &error))?;
    let written = match format {
        Format::Html => {
            let name = path.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
            let picture = arguments.picture.as_deref().map(open_picture).transpose()?;
            page(&file, &name, picture.as_ref()).map_err(|error| named(path, &error))?
        }
        Format::Csv => csv(&file),
        Format::Text => text(&file),
    };
    match &arguments.output {
        None => print_text(written),
        Some(output) => write_file(output, written.as_bytes()),
    }
}

fn open_picture(path: &Path) -> Result<EmbeddedPicture, Failure> {
    let bytes = files::read(path, MAX_BYTES).map_err(|error| named(path, &error))?;
    Ok(EmbeddedPicture::from_png(bytes).map_err(|error| named(path, &error))?)
}

/// Prefixes an error with its file name.
fn named(path: &Path, error: &dyn std::error::Error) -> String {
    format!("{}: {}", path.display(), with_sources(error))
}
