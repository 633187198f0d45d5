//! `curie render`: builds a stream from a scene and runs it like a capture.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::pipeline::Engine;
use curie::replay::{Player, Step};
use curie::scene::{SceneFile, SceneOptions};
use curie::statistics::Collector;
use curie::statistics::models::counting_options;

use super::Failure;
use super::counting::write_statistics;
use super::environment::SHORT_SCENE;
use super::output::write_file;
use super::replay::{Options, open_engine, play, report};

/// The most frames of one call.
const MAX_FRAMES: u32 = 10_000;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scene: its folder, or a .ron file
    scene: PathBuf,
    #[command(flatten)]
    options: Options,
    /// The frame to render, from 0
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "frames")]
    #[arg(value_parser = clap::value_parser!(u32).range(..1_000_000))]
    frame: u32,
    /// Render this many frames from 0; OUT.png may be a pattern such as frame-%03d.png
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_FRAMES)))]
    frames: Option<u32>,
    /// Width and height of the picture [default: the scene's own]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    size: Option<(u32, u32)>,
    /// Write the stream to this capture file (.nvcap)
    #[arg(long, value_name = "FILE")]
    capture: Option<PathBuf>,
}

impl Arguments {
    /// Whether few frames are rendered.
    pub(super) fn is_short(&self) -> bool {
        !self.options.optimize && self.frames.is_none_or(|frames| frames <= SHORT_SCENE)
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

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.scene.display().to_string();
    let scene = SceneFile::open(&arguments.scene, &SceneOptions { size: arguments.size })?;
    let frames = match arguments.frames {
        Some(count) => 0..count,
        None => arguments.frame..arguments.frame + 1,
    };
    let capture = scene.capture(frames)?;
    if let Some(path) = &arguments.capture {
        write_file(path, &capture.write())?;
    }
    match arguments.frames {
        Some(_) => play_frames(&name, &capture, &arguments.options),
        None => play(&name, &capture, &arguments.options),
    }
}

/// Plays a capture and reports the bound surfaces after each frame.
fn play_frames(name: &str, capture: &Capture, options: &Options) -> Result<(), Failure> {
    let machine = options.machine(name, capture)?;
    let mut opened = open_engine(capture, options)?;
    let mut playing = match &options.counting.statistics {
        None => Playing::Plain(opened.engine.as_mut()),
        Some(_) => Playing::Counted(Box::new(Collector::new(opened.engine.as_mut(), counting_options(&machine))?)),
    };
    let mut player = Player::new(capture, &options.replay()).map_err(|error| format!("{name}: {error}"))?.by_frames();
    let named = |error: &dyn Display| format!("{name}: {error}");
    while let Some(step) = player.step(playing.engine()).map_err(|error| named(&error))? {
        let Step::FrameEnd(frame) = step else { continue };
        if let Playing::Counted(collector) = &mut playing {
            collector.close_frame(frame, player.counts())?;
        }
        if frame.is_some() || player.is_stopped() {
            let outcome = player.outcome(playing.engine()).map_err(|error| named(&error))?;
            let output = options.output.as_ref().map(|pattern| numbered(pattern, frame.unwrap_or(0)));
            report(&outcome, &opened.name, options, output.as_deref(), frame)?;
        }
    }
    if let (Some(path), Playing::Counted(collector)) = (&options.counting.statistics, playing) {
        let models = options.model(name, capture, &machine, opened.gpu.as_ref())?;
        write_statistics(path, &collector.finish(), &machine, models.as_ref())?;
    }
    Ok(())
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
