//! Builds a stream from a scene and runs it like a capture, frame by frame if asked for.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::pipeline::Engine;
use curie::replay::{Player, Step};
use curie::scene::{SceneFile, SceneOptions};
use curie::statistics::Collector;
use curie::statistics::models::any_counting_options;

use super::counting::write_statistics;
use super::environment::SHORT_SCENE;
use super::failure::{Failure, Usage};
use super::output::{OutputFormat, both, reader_has_gone, write_file};
use super::play::{Options, check_stop, open_engine, play, report};
use super::stream::is_standard;

/// The most frames of one call.
const MAX_FRAMES: u32 = 10_000;

/// Options for scenes.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options for scenes")]
pub(crate) struct SceneArguments {
    /// The frame to render, from 0 [default: 0]
    #[arg(long, value_name = "N", conflicts_with = "frames")]
    #[arg(value_parser = clap::value_parser!(u32).range(..1_000_000))]
    frame: Option<u32>,
    /// Render this many frames from 0; OUT.png may be a pattern such as frame-%03d.png, else -0000 and so on is added
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_FRAMES)))]
    frames: Option<u32>,
    /// Width and height of the picture [default: the scene's own]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Write the stream to this capture file (.nvcap)
    #[arg(long, value_name = "FILE", value_parser = OutputFormat::CAPTURE.parser())]
    capture: Option<PathBuf>,
}

impl SceneArguments {
    /// Whether few frames are rendered.
    pub(super) fn has_few_frames(&self) -> bool {
        self.frames.is_none_or(|frames| frames <= SHORT_SCENE)
    }

    /// Options of the scene.
    pub(super) const fn options(&self) -> SceneOptions {
        SceneOptions { size: self.size }
    }

    /// Fails if an option was given, for a stream that is a capture.
    pub(super) fn check_unused(&self, name: &str) -> Result<(), Failure> {
        let given = [
            ("--frame", self.frame.is_some()),
            ("--frames", self.frames.is_some()),
            ("--size", self.size.is_some()),
            ("--capture", self.capture.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Usage(format!("{option} is for scenes, and {name} is a capture")).into()),
            None => Ok(()),
        }
    }
}

/// Reads a width and height.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once('x').ok_or("two numbers, as in 320x240")?;
    let number = |text: &str| match text.parse::<u32>() {
        Ok(number @ 1..=4096) => Ok(number),
        _ => Err("1 to 4096 pixels"),
    };
    Ok((number(width)?, number(height)?))
}

/// Builds the stream of a scene, runs it and reports the surfaces.
pub(super) fn render(
    name: &str,
    scene: &SceneFile,
    arguments: &SceneArguments,
    options: &Options,
) -> Result<(), Failure> {
    if arguments.frames.is_some_and(|frames| frames > 1) && options.output.as_deref().is_some_and(is_standard) {
        return Err(Usage("standard output takes one picture: name a file, or render one frame".to_owned()).into());
    }
    let frame = arguments.frame.unwrap_or(0);
    let capture = scene.capture(arguments.frames.map_or(frame..frame + 1, |count| 0..count))?;
    if let Some(path) = &arguments.capture {
        write_file(path, &capture.write())?;
    }
    match arguments.frames {
        Some(_) => play_frames(name, &capture, options),
        None => play(name, &capture, options),
    }
}

/// Plays a capture and reports the bound surfaces after each frame.
fn play_frames(name: &str, capture: &Capture, options: &Options) -> Result<(), Failure> {
    let machine = options.machine(name, capture)?;
    let mut opened = open_engine(capture, options)?;
    let mut playing = match &options.counting.statistics {
        None => Playing::Plain(opened.engine.as_mut()),
        Some(_) => Playing::Counted(Box::new(Collector::new(opened.engine.as_mut(), any_counting_options(&machine))?)),
    };
    let mut player = Player::new(capture, &options.replay()).map_err(|error| format!("{name}: {error}"))?.by_frames();
    let named = |error: &dyn Display| format!("{name}: {error}");
    let writes_files = options.output.is_some() || options.counting.statistics.is_some();
    let mut printed = Ok(());
    while let Some(step) = player.step(playing.engine()).map_err(|error| named(&error))? {
        let Step::FrameEnd(frame) = step else { continue };
        if let Playing::Counted(collector) = &mut playing {
            collector.close_frame(frame, player.counts())?;
        }
        if frame.is_some() || player.is_stopped() {
            let outcome = player.outcome(playing.engine()).map_err(|error| named(&error))?;
            let number = |pattern: &PathBuf| match is_standard(pattern) {
                true => pattern.clone(),
                false => numbered(pattern, frame.unwrap_or(0)),
            };
            let output = options.output.as_ref().map(number);
            match report(&outcome, &opened.name, options, output.as_deref(), frame) {
                Err(failure) if writes_files && reader_has_gone(&failure) => printed = Err(failure),
                reported => reported?,
            }
        }
    }
    let missed = player.missed_stop();
    if let (Some(path), Playing::Counted(collector)) = (&options.counting.statistics, playing) {
        let models = options.model(name, capture, &machine, opened.gpu.as_ref())?;
        write_statistics(path, &collector.finish(), &machine, models.as_ref())?;
    }
    both(printed, check_stop(missed))
}

/// An engine, with or without counting.
enum Playing<'e> {
    Plain(&'e mut dyn Engine),
    Counted(Box<Collector<'e>>),
}

impl Playing<'_> {
    fn engine(&mut self) -> &mut dyn Engine {
        match self {
            Self::Plain(engine) => *engine,
            Self::Counted(collector) => collector.as_mut(),
        }
    }
}

/// Replaces `%d` or `%04d` by the frame number, or inserts it before the extension.
fn numbered(pattern: &Path, frame: u32) -> PathBuf {
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let replaced = name.split_once('%').and_then(|(before, rest)| {
        let (width, after) = rest.split_once('d')?;
        let width: usize = if width.is_empty() { 0 } else { width.parse().ok().filter(|width| *width < 20)? };
        Some(format!("{before}{frame:0width$}{after}"))
    });
    let name = replaced.unwrap_or_else(|| match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{frame:04}.{extension}"),
        None => format!("{name}-{frame:04}"),
    });
    pattern.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_numbered_where_the_pattern_says() {
        let path = |pattern: &str| numbered(Path::new(pattern), 7).display().to_string();
        assert_eq!(path("a/frame-%03d.png"), "a/frame-007.png");
        assert_eq!(path("%d.png"), "7.png");
        assert_eq!(path("out.png"), "out-0007.png");
        assert_eq!(path("100%.png"), "100%-0007.png");
    }

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!(size("320x240"), Ok((320, 240)));
        assert!(size("320").is_err() && size("0x5").is_err() && size("9999x5").is_err());
    }
}
