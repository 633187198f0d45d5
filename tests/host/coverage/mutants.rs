//! Whether the named tests show their rows: in a copy of the program, each row's effect is removed, and its test must
//! fail: `just mutants`. The rows whose tests still pass are listed in an `unshown.txt` of each family.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::evidence::{Evidence, evidence};
use super::family::{FAMILIES, Family};
use super::probe::State;
use super::rows::{Row, rows};

/// The module that the copy gets: it drops or changes the writes that `CURIE_MUTANT` names.
const MODULE: &str = r#"
//! Removes the effect of one row: of a method, `CLASS ADDRESS`, or of a field's value, `CLASS ADDRESS LOW FROM TO`.
use crate::command::methods::{FieldKind, MethodRow, class_table};
use crate::command::packet::MethodWrite;
use std::sync::LazyLock;

static MUTANT: LazyLock<Option<Vec<u32>>> = LazyLock::new(|| {
    let text = std::env::var("CURIE_MUTANT").ok()?;
    Some(text.split(' ').map(|number| number.parse().unwrap()).collect())
});

fn row(class: u32, method: u16) -> Option<&'static MethodRow> {
    class_table(class)?.find(method).map(|(row, _)| row)
}

pub(crate) fn is_active() -> bool {
    MUTANT.is_some()
}

pub(crate) fn method(class: u32, mut write: MethodWrite) -> Option<MethodWrite> {
    let Some(mutant) = MUTANT.as_deref() else { return Some(write) };
    let (wanted, address) = (mutant[0], mutant[1] as u16);
    // The puller's methods belong to every class.
    if address < 0x100 {
        return (write.method != address).then_some(write);
    }
    let table = class_table(wanted).unwrap();
    if !table.has(class) {
        return Some(write);
    }
    match mutant {
        [_, _] => row(class, write.method).is_none_or(|row| row.address != address).then_some(write),
        [_, _, low, from, to] => {
            let fields = row(wanted, address).unwrap().fields;
            let kind = fields.iter().find(|field| u32::from(field.low) == *low).unwrap().kind;
            let FieldKind::Enum(names) = kind else { panic!("not a list of values") };
            for field in row(class, write.method).map_or(&[][..], |row| row.fields) {
                let mask = field.extract(u32::MAX) << field.low;
                if matches!(field.kind, FieldKind::Enum(same) if same == names) && field.extract(write.value) == *from {
                    write.value = write.value & !mask | to << field.low;
                }
            }
            Some(write)
        }
        _ => panic!("CURIE_MUTANT has two or five numbers"),
    }
}
"#;

/// A place in the source, and what the copy has after it.
const INSERTIONS: [(&str, &str, &str); 4] = [
    // Another version: cargo would take the copy's files in the common target folder for those of the package.
    ("Cargo.toml", "\nname = \"curie-gpu\"\nversion = \"", "9"),
    ("src/lib.rs", "\npub mod memory;\n", "mod mutant;\n"),
    (
        "src/chip/submission.rs",
        "pub fn execute_method(&mut self, write: MethodWrite, engine: &mut dyn Engine) -> Result<(), ChipError> {\n",
        "let class = self.channel.bound[usize::from(write.subchannel & 7)].map_or(0, |object| object.class);\n\
         let Some(write) = crate::mutant::method(class, write) else { return Ok(()) };\n",
    ),
    // Each element of a packet is a method of its own.
    (
        "src/chip/submission.rs",
        "fn repeat_method(&mut self, write: MethodWrite, words: &[u32]) -> u32 {\n",
        "if crate::mutant::is_active() { return 0; }\n",
    ),
];

/// Where a test may still run after its row's effect is removed.
const LIMIT: Duration = Duration::from_secs(120);

/// A file of the package.
fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The rows of a family whose tests pass without them, as `section | name | test`.
pub(crate) fn unshown(family: &dyn Family) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file(family.texts().unshown)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The line of a row in `unshown.txt`.
pub(crate) fn line(row: &Row, entry: &Evidence) -> String {
    format!("{} | {} | {}", row.section, row.name, entry.test)
}

/// Copies the tracked files, with the insertions; unchanged files keep their times, so that little is compiled again.
fn copy_package(to: &Path) {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(file("")).output().unwrap();
    for path in String::from_utf8(listed.stdout).unwrap().split_terminator('\0') {
        let Ok(mut bytes) = std::fs::read(file(path)) else { continue };
        for (_, anchor, inserted) in INSERTIONS.iter().filter(|(changed, ..)| *changed == path) {
            let text = String::from_utf8(bytes).unwrap();
            let (before, after) = text.split_once(anchor).unwrap_or_else(|| panic!("{path} has no line `{anchor}`"));
            bytes = format!("{before}{anchor}{inserted}{after}").into_bytes();
        }
        write_changed(&to.join(path), &bytes);
    }
    write_changed(&to.join("src/mutant.rs"), MODULE.as_bytes());
}

fn write_changed(path: &Path, bytes: &[u8]) {
    if std::fs::read(path).is_ok_and(|found| found == bytes) {
        return;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Builds the copy's tests; returns the executable of each source file, as cargo names them.
fn build(source: &Path) -> BTreeMap<String, PathBuf> {
    let built = Command::new(env!("CARGO"))
        .args(["test", "--no-run", "--lib", "--tests"])
        // The package's own target folder has the dependencies compiled already.
        .env("CARGO_TARGET_DIR", file("target"))
        .current_dir(source)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success(), "the copy does not compile:\n{text}");
    let executable = |line: &str| {
        let (name, path) = line.trim().strip_prefix("Executable ")?.strip_suffix(')')?.split_once(" (")?;
        Some((name.trim_start_matches("unittests ").to_owned(), PathBuf::from(path)))
    };
    text.lines().filter_map(executable).collect()
}

/// The executable of a test, and the name by which it selects it.
fn locate(test: &str, executables: &BTreeMap<String, PathBuf>) -> (PathBuf, String) {
    let (path, function) = test.split_once("::").unwrap();
    let root = match path.split('/').collect::<Vec<_>>()[..] {
        ["tests", directory, _, ..] => format!("tests/{directory}.rs"),
        _ => "src/lib.rs".to_owned(),
    };
    let executable = &executables[&root];
    let listed = Command::new(executable).args(["--list", "--format=terse"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let found = names.filter(|name| name.rsplit("::").next() == Some(function)).max_by_key(|name| {
        let parts = path.trim_end_matches(".rs").split('/').filter(|part| name.split("::").any(|own| own == *part));
        parts.count()
    });
    (executable.clone(), found.unwrap_or_else(|| panic!("{root} does not list {test}")).to_owned())
}

/// Whether a test passes with a mutant, or without one.
fn passes(source: &Path, (executable, name): &(PathBuf, String), mutant: Option<&str>) -> bool {
    let mut command = Command::new(executable);
    command.args(["--exact", name, "--test-threads=1"]).current_dir(source);
    command.stdout(Stdio::null()).stderr(Stdio::null()).envs(mutant.map(|mutant| ("CURIE_MUTANT", mutant)));
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An executed row that a mutant is without: its line, the mutant, its test.
type Case = (String, String, &'static str);

/// Every row of a family that has a mutant and a test.
fn cases(family: &dyn Family) -> Vec<Case> {
    let entries = evidence(family);
    let executed = rows(family).into_iter().filter(|row| row.state == State::Executed);
    let case = |row: Row| {
        let entry = entries.iter().find(|entry| entry.covers(&row))?;
        Some((line(&row, entry), row.mutant?, entry.test))
    };
    executed.filter_map(case).collect()
}

/// The lines of cases whose tests pass with their mutants.
fn passing(source: &Path, cases: &[Case], executables: &BTreeMap<String, PathBuf>) -> BTreeSet<String> {
    let tests: BTreeSet<_> = cases.iter().map(|(.., test)| *test).collect();
    let tests: BTreeMap<_, _> = tests.into_iter().map(|test| (test, locate(test, executables))).collect();
    for (test, located) in &tests {
        assert!(passes(source, located, None), "{test} fails without a mutant");
    }
    let (waiting, found) = (Mutex::new(cases.iter()), Mutex::new(BTreeSet::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some((line, mutant, test)) = waiting.lock().unwrap().next() else { break };
                    if passes(source, &tests[test], Some(mutant)) {
                        found.lock().unwrap().insert(line.clone());
                    }
                }
            });
        }
    });
    found.into_inner().unwrap()
}

#[test]
#[ignore = "builds a copy of the program and runs a test per row: just mutants"]
fn tests_fail_without_the_effect_of_their_row() {
    let source = file("target/mutants");
    copy_package(&source);
    let executables = build(&source);
    let mut complaints = Vec::new();
    for family in FAMILIES {
        let cases = cases(family);
        let found = passing(&source, &cases, &executables);
        if std::env::var_os("BLESS").is_some() {
            let text: String = found.iter().map(|line| format!("{line}\n")).collect();
            std::fs::write(file(family.texts().unshown), text).unwrap();
            continue;
        }
        let known = unshown(family);
        let (new, gone): (Vec<_>, Vec<_>) = (found.difference(&known).collect(), known.difference(&found).collect());
        if !new.is_empty() || !gone.is_empty() {
            let [rows, passing] = [cases.len(), found.len()];
            complaints.push(format!(
                "of {rows} rows, {passing} have tests that pass without them; new: {new:#?}, shown now: {gone:#?}"
            ));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
