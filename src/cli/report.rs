//! `curie report`: formats a statistics file as a page, a CSV file or a short table.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use curie::check::with_causes;
use curie::files;
use curie::statistics::report::{
    EmbeddedPicture, LaunchFile, ReportError, StatisticsFile, csv, launch_page, page, text,
};

use super::failure::{Failure, Usage};
use super::output::{other_format, print_text, write_file};
use super::stream::{input_name, is_standard, read_input};

/// The longest statistics that are read from standard input.
const MAX_INPUT_BYTES: u64 = 4 << 30;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file that --statistics wrote; - reads standard input
    statistics: PathBuf,
    /// Write to this file instead of standard output; its ending chooses the format: .html, .csv or .txt
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format [default: that of the file's ending, html for others; text on standard output]
    #[arg(long)]
    format: Option<Format>,
    /// The title of a page [default: the name of the statistics file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
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

impl Arguments {
    /// The file to write; `None` for standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_standard(path))
    }

    /// The format that was asked for, or that the file's ending names.
    fn format(&self) -> Result<Format, Failure> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some(path) = self.file() else { return Ok(Format::Text) };
        if other_format(path, &["csv", "htm", "html", "txt"]).is_some() {
            let path = path.display();
            let message = format!("{path}: reports are .html, .csv or .txt; --format writes one under another name");
            return Err(Usage(message).into());
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        Ok(match ending.as_str() {
            "csv" => Format::Csv,
            "txt" | "text" => Format::Text,
            _ => Format::Html,
        })
    }

    /// The title of a page.
    fn title(&self) -> String {
        let stem = || self.statistics.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        match &self.title {
            Some(title) => title.clone(),
            None if is_standard(&self.statistics) => "Statistics".to_owned(),
            None => stem().unwrap_or_default(),
        }
    }

    /// Writes the report to the file, or prints it.
    fn write(&self, report: String) -> Result<(), Failure> {
        match self.file() {
            None => print_text(report),
            Some(path) => write_file(path, report.as_bytes()),
        }
    }
}

/// The statistics of a launch, if the file has them. Only files of a size that a launch writes are looked at.
fn read_launch(file: &mut (impl Read + Seek)) -> Result<Option<LaunchFile>, ReportError> {
    let bytes = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    if bytes > MAX_BYTES {
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
    arguments.write(launch_page(launch, &arguments.title()))
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let format = arguments.format()?;
    if arguments.picture.is_some() && format != Format::Html {
        return Err("--picture is for pages: give -o FILE.html or --format html, too".into());
    }
    let path = &arguments.statistics;
    if !is_standard(path) {
        return report(arguments, format, File::open(path).map_err(|error| named(path, &error))?);
    }
    report(arguments, format, Cursor::new(read_input(path, MAX_INPUT_BYTES).map_err(|error| named(path, &error))?))
}

/// Reports the statistics of a file.
fn report(arguments: &Arguments, format: Format, mut file: impl Read + Seek) -> Result<(), Failure> {
    let path = &arguments.statistics;
    if let Some(launch) = read_launch(&mut file).map_err(|error| named(path, &error))? {
        return report_launch(arguments, &launch, format);
    }
    let file = StatisticsFile::read(file).map_err(|error| named(path, &error))?;
    arguments.write(match format {
        Format::Html => {
            let picture = arguments.picture.as_deref().map(open_picture).transpose()?;
            page(&file, &arguments.title(), picture.as_ref()).map_err(|error| named(path, &error))?
        }
        Format::Csv => csv(&file),
        Format::Text => text(&file),
    })
}

fn open_picture(path: &Path) -> Result<EmbeddedPicture, Failure> {
    let bytes = files::read(path, MAX_BYTES).map_err(|error| named(path, &error))?;
    Ok(EmbeddedPicture::from_png(bytes).map_err(|error| named(path, &error))?)
}

/// Prefixes an error with its file name.
fn named(path: &Path, error: &dyn std::error::Error) -> String {
    format!("{}: {}", input_name(path), with_causes(error))
}
