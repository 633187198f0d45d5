//! Program files: each text here is a test that assembles it, brings it through a listing, and runs it on both engines.

mod common;

mod programs {
    pub(crate) mod coverage;
    pub(crate) mod engines;
    pub(crate) mod file;
    pub(crate) mod own_tests;
}

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use programs::file::ProgramTest;
use programs::{coverage, engines, own_tests};

/// The folder of the files.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Every program file with its text, by name.
fn program_files() -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is part of the repository");
    let mut files: Vec<(String, String)> = entries
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "vp" || extension == "fp"))
        .map(|path| {
            let name = path.file_name().expect("it is a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("it is text"))
        })
        .collect();
    files.sort();
    files
}

fn check_file(name: &str, text: &str) -> Result<(), Failed> {
    let test = ProgramTest::parse(text)?;
    engines::check(name, &test)?;
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files = program_files();
    let mut trials = own_tests::trials();
    trials.extend(coverage::trials(&files));
    trials.extend(files.into_iter().map(|(name, text)| Trial::test(name.clone(), move || check_file(&name, &text))));
    libtest_mimic::run(&arguments, trials).exit_code()
}
