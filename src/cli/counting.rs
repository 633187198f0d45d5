//! Writes the counters of a stream, and the results of the machine's models, to a file.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use curie::capture::Capture;
use curie::engine::Opened;
use curie::files;
use curie::gpu::{AdapterChoice, Gpu};
use curie::machine::AnyMachine;
use curie::plural::counted;
use curie::replay::{Outcome, ReplayOptions};
use curie::statistics::models::{ModelRunner, Models, ModelsOn, any_counting_options, model};
use curie::statistics::{Statistics, collect};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::failure::Failure;
use super::message;
use super::output::OutputFormat;

/// Options for counting.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Counting {
    /// Count what the chip does, and write the counters to this file
    #[arg(long, value_name = "FILE.json", value_parser = OutputFormat::STATISTICS.parser())]
    pub(super) statistics: Option<PathBuf>,
    /// Also run the machine's models over a second, much slower replay, and write their results
    #[arg(long, requires = "statistics")]
    models: bool,
    /// Where the models run, with the same numbers: host, device, or auto, the device of the engine where that is hardware
    #[arg(long, value_name = "WHERE", default_value = "auto", requires = "models")]
    models_on: ModelsOn,
}

impl Counting {
    /// Plays a capture on an engine, and writes its counters and the results of the models to a file.
    pub(super) fn count(
        &self,
        path: &Path,
        (name, capture): (&str, &Capture),
        machine: &AnyMachine,
        opened: &mut Opened,
        options: &ReplayOptions,
        adapter: &AdapterChoice,
    ) -> Result<Outcome, Failure> {
        let counted = with_progress(opened.gpu.clone(), |progress| {
            collect(capture, opened.engine.as_mut(), options, any_counting_options(machine), progress)
        });
        let (outcome, statistics) = counted.map_err(|error| format!("{name}: {error}"))?;
        let models = self.model(name, capture, machine, options, (opened.gpu.as_ref(), adapter))?;
        write_statistics(path, &statistics, machine, models.as_ref())?;
        Ok(outcome)
    }

    /// Runs the models if the options ask for them, on the device of the engine or on the adapter.
    pub(super) fn model(
        &self,
        name: &str,
        capture: &Capture,
        machine: &AnyMachine,
        options: &ReplayOptions,
        (gpu, adapter): (Option<&Gpu>, &AdapterChoice),
    ) -> Result<Option<Models>, Failure> {
        if !self.models {
            return Ok(None);
        }
        let gpu = self.models_on.device(gpu, adapter)?;
        let runner = gpu.as_ref().map_or_else(ModelRunner::default, ModelRunner::on_device);
        let models = with_progress(None, |progress| model(capture, machine, runner, options, progress));
        let models = models.map_err(|error| format!("{name}: {error}"))?;
        if models.is_cut_off {
            message::note(format_args!(
                "{name}: some quads or texels were left out of the models of caches and memory"
            ));
        }
        Ok(Some(models))
    }
}

/// Writes statistics to a file.
pub(super) fn write_statistics(
    path: &Path,
    statistics: &Statistics,
    machine: &AnyMachine,
    models: Option<&Models>,
) -> Result<(), Failure> {
    // The models trace the reference. An engine that refuses other draws than the reference also counts other
    // draws.
    let agrees = |models: &&Models| models.draws.len() == statistics.draws.len();
    if models.is_some_and(|models| !agrees(&models)) {
        message::note("models are left out: the reference and this engine refuse different draws");
    }
    let written = files::write_by(path, |out| -> std::io::Result<()> {
        let models = models.filter(agrees).map(|models| (machine.into(), models));
        statistics.serialize(machine.sheet(), models, &mut serde_json::Serializer::new(&mut *out))?;
        out.write_all(b"\n")
    });
    Ok(written.map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Shows a progress bar during work that says how many of all records are done.
pub(super) fn with_progress<T>(gpu: Option<Gpu>, work: impl FnOnce(&mut (dyn FnMut(usize, usize) + Send)) -> T) -> T {
    let bar = progress_bar(gpu);
    let result = work(&mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    result
}

/// Creates a progress bar, hidden where standard error is not a terminal.
pub(super) fn progress_bar(gpu: Option<Gpu>) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let kernels = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
        if let Some((done, known)) = gpu.as_ref().and_then(Gpu::compiled).filter(|(done, known)| done < known) {
            let _ = write!(text, "compiling {} of {}", done + 1, counted(known, "kernel"));
        }
    };
    let style = ProgressStyle::with_template("{elapsed} [{bar:40}] record {pos} of {len} {kernels}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("kernels", kernels);
    let bar = ProgressBar::new(0).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
