//! `curie bench`: how many frames, pixels, texels, vertices and triangles a second streams reach.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use curie::bench::{Frames, Options, Report, SceneReport, count, measure};
use curie::capture::Capture;
use curie::engine::{EngineChoice, Opened, open, open_timed};
use curie::gpu::{AdapterChoice, StageClock};
use curie::kernels::KernelOptions;
use curie::scene::{SceneFile, SceneOptions};

use super::Failure;
use super::replay::BUNDLED;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Captures (.nvcap or .nvcap.zst) and scenes (folders or .ron files); without any, a bundled capture
    #[arg(value_name = "CAPTURE|SCENE")]
    streams: Vec<PathBuf>,
    /// The engine: auto, kernels or reference
    #[arg(long, default_value = "auto")]
    engine: EngineChoice,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// How long to measure each stream
    #[arg(long, default_value_t = 1.0, value_parser = seconds)]
    seconds: f64,
    /// How many frames the host may have pushed before the first of them is done; 1 waits after each frame
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=64))]
    frames_in_flight: u16,
    /// Most frames to take of a scene's animation
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frames: u32,
    /// Print the time of each kernel on the device as well
    #[arg(long)]
    stages: bool,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// Compare with what `--json` printed earlier into this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("0 to 3600 seconds".to_owned()),
    }
}

/// A stream to measure.
struct Stream {
    name: String,
    capture: Capture,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let baseline = arguments.baseline.as_deref().map(|path| Report::read(path).map(|report| (path, report)));
    let baseline = baseline.transpose()?;
    let mut report = Report { adapter: String::new(), scenes: Vec::new() };
    if arguments.streams.is_empty() {
        let capture = Capture::read(BUNDLED).map_err(|error| format!("the bundled capture: {error}"))?;
        bench(&Stream { name: "cube".to_owned(), capture }, "the bundled capture", arguments, &mut report)?;
    }
    for path in &arguments.streams {
        let stream = Stream { name: name_of(path), capture: read(path, arguments)? };
        bench(&stream, &path.display().to_string(), arguments, &mut report)?;
    }
    let comparison = match &baseline {
        Some((path, earlier)) => Some(report.compare(&path.display().to_string(), earlier)?),
        None => None,
    };
    if arguments.json {
        let mut object = serde_json::to_value(&report)?;
        if let Some(comparison) = &comparison {
            object["baseline"] = serde_json::to_value(comparison)?;
        }
        println!("{object}");
    } else if let Some(comparison) = &comparison {
        println!("{comparison}");
    }
    Ok(())
}

/// The name of a file without endings, or of a scene's folder.
fn name_of(path: &Path) -> String {
    let is_scene_of_folder = path.file_name() == Some(OsStr::new("scene.ron"));
    let named = if is_scene_of_folder { path.parent().unwrap_or(path) } else { path };
    let canonical = named.canonicalize().unwrap_or_else(|_| named.to_owned());
    let name = canonical.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name).to_owned()
}

fn read(path: &Path, arguments: &Arguments) -> Result<Capture, Failure> {
    let name = path.display();
    if path.is_dir() || path.extension() == Some(OsStr::new("ron")) {
        let scene = SceneFile::open(path, &SceneOptions::default())?;
        return Ok(scene.capture(0..scene.frames().clamp(1, arguments.frames))?);
    }
    let bytes = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    let capture = Capture::read(&bytes).map_err(|error| format!("{name}: {error}"))?;
    for warning in &capture.warnings {
        eprintln!("warning: {name}: {warning}");
    }
    Ok(capture)
}

/// Measures one stream and adds it to the report.
fn bench(stream: &Stream, path: &str, arguments: &Arguments, report: &mut Report) -> Result<(), Failure> {
    let Stream { name, capture } = stream;
    let frames = Frames::find(capture).map_err(|error| format!("{path}: {error}"))?;
    let counts = count(capture, &frames).map_err(|error| format!("{path}: {error}"))?;
    let clock = arguments.stages.then(Arc::<StageClock>::default);
    let mut opened = open_engine(capture, arguments, clock.as_ref())?;
    if report.scenes.is_empty() {
        begin(&opened, arguments, report);
    }
    let options = Options {
        duration: Duration::from_secs_f64(arguments.seconds),
        unfinished_frames: usize::from(arguments.frames_in_flight) - 1,
    };
    let measured = measure(capture, &frames, counts.frames, opened.engine.as_mut(), &options, clock.as_ref());
    let measured = measured.map_err(|error| format!("{path}: {error}"))?;
    let scene = SceneReport::new(name.clone(), &measured, &counts);
    if !arguments.json {
        print!("{}", scene.lines());
    }
    report.scenes.push(scene);
    Ok(())
}

fn open_engine(capture: &Capture, arguments: &Arguments, clock: Option<&Arc<StageClock>>) -> Result<Opened, Failure> {
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    let Arguments { engine, adapter, .. } = arguments;
    Ok(match clock {
        None => open(*engine, adapter, KernelOptions::default(), sizes)?,
        Some(clock) => open_timed(*engine, adapter, KernelOptions::default(), sizes, clock)?,
    })
}

/// Says what the first engine runs on; the others are the same.
fn begin(opened: &Opened, arguments: &Arguments, report: &mut Report) {
    if let Some(reason) = &opened.fallback {
        eprintln!("note: using the reference engine: {reason}");
    }
    report.adapter = opened.adapter.clone().unwrap_or_else(|| opened.name.clone());
    if !arguments.json {
        println!("{}\n{}", opened.name, Report::HEAD);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_endings() {
        assert_eq!(name_of(Path::new("a/alu20.nvcap.zst")), "alu20");
        assert_eq!(name_of(Path::new("scenes/phong/scene.ron")), "phong");
        assert_eq!(name_of(Path::new("scenes/phong/")), "phong");
        assert_eq!(name_of(Path::new("other.ron")), "other");
    }

    #[test]
    fn seconds_are_a_number_in_reach() {
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert!(seconds("-1").is_err() && seconds("NaN").is_err() && seconds("1e9").is_err());
    }
}
