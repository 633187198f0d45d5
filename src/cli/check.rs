//! `curie check`: runs the cases of check files and compares their results with what is expected.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use curie::check::{
    Case, CheckFile, CheckOptions, CheckResult, Engine, Engines, Report, Share, bless, check, file_name, merge_reports,
    merge_tables, write,
};
use curie::gpu::AdapterChoice;
use curie::plural::counted;

use super::failure::{Failure, Usage};
use super::output::{OutputFormat, print_line, with_status};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Check files; with --merge, the reports (.xml) and tables (.csv) of shares
    #[arg(required = true, value_name = "FILE.toml")]
    files: Vec<PathBuf>,
    /// Run on this engine instead of those of each case: reference, kernels or both
    #[arg(long, value_enum)]
    engine: Option<EngineArgument>,
    /// The adapter of the kernels: best, software, or a part of its name
    #[arg(long, default_value = "best")]
    adapter: AdapterChoice,
    /// Only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only the Ith of N shares: every Nth case from the Ith on, over all files
    #[arg(long, value_name = "I/N", default_value_t)]
    fraction: Share,
    /// Write the pictures of differences into this folder
    #[arg(short, long, value_name = "DIR", default_value = "curie-check")]
    output: PathBuf,
    /// Write a JUnit report to this file
    #[arg(long, value_name = "FILE.xml", value_parser = OutputFormat::JUNIT.parser())]
    junit: Option<PathBuf>,
    /// Write a table of all hashes and other values to this file
    #[arg(long, value_name = "FILE.csv", value_parser = OutputFormat::TABLE.parser())]
    table: Option<PathBuf>,
    /// Print one JSON object instead of lines
    #[arg(long)]
    json: bool,
    /// Replace the expectations in the files, and the pictures, by what the reference engine gives
    #[arg(long, conflicts_with_all = ["engine", "junit", "table", "json", "merge"])]
    bless: bool,
    /// Merge the reports and tables of shares into --junit and --table
    #[arg(long, conflicts_with_all = ["engine", "filter", "fraction", "json"])]
    merge: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum EngineArgument {
    Reference,
    Kernels,
    Both,
}

impl EngineArgument {
    fn engines(self) -> Vec<Engine> {
        match self {
            Self::Reference => vec![Engine::Reference],
            Self::Kernels => vec![Engine::Kernels],
            Self::Both => vec![Engine::Reference, Engine::Kernels],
        }
    }
}

/// Runs the subcommand. The exit status is 1 if a case differs.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if arguments.merge {
        return merge(arguments);
    }
    let mut files = arguments.files.iter().map(|path| CheckFile::open(path)).collect::<Result<Vec<_>, _>>()?;
    // A file that is named twice is checked once.
    let mut paths = HashSet::new();
    files.retain(|file| paths.insert(file.path.clone()));
    let cases = files.iter().flat_map(|file| file.cases.iter().map(move |case| (file, case)));
    let is_wanted = |case: &Case| arguments.filter.as_ref().is_none_or(|text| case.name.contains(text));
    let cases: Vec<_> = arguments.fraction.of(cases.filter(|(_, case)| is_wanted(case))).collect();
    // A share of few cases may be empty.
    if cases.is_empty() && arguments.fraction == Share::ALL {
        return Err(Usage("no case has such a name".to_owned()).into());
    }
    let engines = Engines::new(arguments.adapter.clone());
    if arguments.bless {
        return bless_files(&files, &cases, &engines).map(|()| ExitCode::SUCCESS);
    }
    let output = Some(arguments.output.clone());
    let mut options = CheckOptions { engines: arguments.engine.map(EngineArgument::engines), output };
    let mut printed = Ok(());
    let mut report = Report { share: arguments.fraction, files: Vec::new() };
    report.files.extend(files.iter().map(|file| (file.path.clone(), Vec::new())));
    for (file, case) in cases {
        if files.len() > 1 {
            options.output =
                Some(arguments.output.join(file_name(&file.path.with_extension("").display().to_string())));
        }
        let results = check(case, &engines, &options);
        // All cases run, also if nobody reads the lines.
        if !arguments.json && printed.is_ok() {
            printed = results.iter().try_for_each(|result| print_result(&file.path, result));
        }
        if let Some((_, found)) = report.files.iter_mut().find(|(path, _)| *path == file.path) {
            found.extend(results);
        }
    }
    let status = finish(arguments, &report)?;
    with_status(printed, status)
}

fn print_result(path: &Path, result: &CheckResult) -> Result<(), Failure> {
    let CheckResult { case, engine, differences, .. } = result;
    let word = if differences.is_empty() { "ok  " } else { "FAIL" };
    print_line(format_args!("{word} {}: {case} [{}]", path.display(), engine.name()))?;
    differences.iter().try_for_each(|difference| print_line(format_args!("     {difference}")))
}

/// Writes the report and the table, and prints the sum.
fn finish(arguments: &Arguments, report: &Report) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.junit {
        write(path, report.junit()?.as_bytes())?;
    }
    if let Some(path) = &arguments.table {
        write(path, report.table().as_bytes())?;
    }
    let results = || report.files.iter().flat_map(|(path, results)| results.iter().map(move |result| (path, result)));
    let (all, failed) = (results().count(), results().filter(|(_, result)| !result.differences.is_empty()).count());
    let printed = if arguments.json {
        let rows: Vec<_> = results().map(|(path, result)| result_json(path, result)).collect();
        print_line(serde_json::json!({
            "fraction": report.share.to_string(), "passed": all - failed, "failed": failed, "results": rows,
        }))
    } else {
        print_line(format_args!("{} of {all} pass", all - failed))
    };
    with_status(printed, if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn result_json(path: &Path, result: &CheckResult) -> serde_json::Value {
    let CheckResult { case, engine, differences, values, time } = result;
    let values: serde_json::Map<_, _> =
        values.iter().map(|(item, value)| (item.clone(), value.as_str().into())).collect();
    serde_json::json!({
        "file": path.display().to_string(), "case": case, "engine": engine.name(), "passed": differences.is_empty(),
        "differences": differences, "values": values, "seconds": time.as_secs_f64(),
    })
}

fn bless_files(files: &[CheckFile], cases: &[(&CheckFile, &Case)], engines: &Engines) -> Result<(), Failure> {
    let mut printed = Ok(());
    for file in files {
        let own = cases.iter().filter(|(owner, _)| owner.path == file.path);
        let own: Vec<&Case> = own.map(|(_, case)| *case).collect();
        let changed = bless(file, &own, engines)?;
        if printed.is_ok() {
            let all = counted(own.len(), "case");
            printed = print_line(format_args!("{}: {changed} of {all} changed", file.path.display()));
        }
    }
    printed
}

/// Merges what shares wrote. The exit status is 1 if a case failed, is missing or has several results.
fn merge(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let has_extension = |path: &&PathBuf, wanted: &str| path.extension().is_some_and(|extension| extension == wanted);
    let of =
        |wanted: &str| arguments.files.iter().filter(|path| has_extension(path, wanted)).cloned().collect::<Vec<_>>();
    let (reports, tables) = (of("xml"), of("csv"));
    if reports.len() + tables.len() != arguments.files.len() {
        return Err("--merge takes reports (.xml) and tables (.csv)".into());
    }
    if reports.is_empty() != arguments.junit.is_none() || tables.is_empty() != arguments.table.is_none() {
        return Err("--merge needs --junit for reports (.xml) and --table for tables (.csv)".into());
    }
    let mut problems = Vec::new();
    if let Some(path) = &arguments.junit {
        let (merged, found) = merge_reports(&reports)?;
        write(path, merged.as_bytes())?;
        problems.extend(found);
    }
    if let Some(path) = &arguments.table {
        let (merged, found) = merge_tables(&tables)?;
        write(path, merged.as_bytes())?;
        problems.extend(found);
    }
    let status = if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    with_status(problems.iter().try_for_each(print_line), status)
}
