//! `docs/coverage.md` and its like: how the chips of a family treat every method, opcode and format in the code's tables.
//!
//! The rows come from the tables. Their states are observed: each method is written with many values, and the resulting
//! commands to the engine are compared; the reference executes each value and opcode. Only the names of tests, and the
//! reasons for missing features and effects, are written by hand (`evidence_*.rs`). `BLESS=1 cargo test --test host
//! coverage` rewrites the pages.
#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking and counts in small numbers"
)]

mod evidence;
mod family;
mod mutants;
mod nv40;
mod page;
mod probe;
mod rows;
mod tesla;
mod witnesses;

use evidence::{evidence, test_exists};
use family::{FAMILIES, Family, PLAIN, Place};
use nv40::Nv40;
use nv40::scene::OTHER;
use probe::State;

/// Fails if a file of `docs/` differs from the page that the tables give; `BLESS` writes it.
fn assert_fresh(name: &str, page: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    let line = page.lines().zip(found.lines()).position(|(page, found)| page != found);
    assert!(
        page == found,
        "docs/{name} is stale from line {}; BLESS=1 cargo test --test host coverage rewrites it",
        line.map_or(0, |line| line + 1)
    );
}

/// What the rows of a family lack.
fn complaints(family: &dyn Family) -> Vec<String> {
    let (evidence, rows) = (evidence(family), rows::rows(family));
    let mut complaints = Vec::new();
    let mut used = vec![false; evidence.len()];
    for row in &rows {
        let Some(index) = evidence.iter().position(|entry| entry.covers(row)) else {
            complaints.push(format!("{}: {} has no evidence: {:?}", row.section, row.name, row.state));
            continue;
        };
        used[index] = true;
        let entry = &evidence[index];
        if row.state == State::Executed && entry.test.is_empty() {
            complaints.push(format!("{}: {} is executed and names no test", row.section, row.name));
        }
        if row.state != State::Executed && entry.reason.is_empty() {
            complaints.push(format!("{}: {} is {:?} without a reason", row.section, row.name, row.state));
        }
    }
    for (entry, used) in evidence.iter().zip(used) {
        if !used {
            complaints.push(format!("{}: {} stands for no row", entry.section, entry.names));
        }
        if !entry.test.is_empty() && !test_exists(entry.test) {
            complaints.push(format!("{}: there is no test {}", entry.section, entry.test));
        }
    }
    complaints
}

#[test]
fn every_row_has_a_test_and_every_state_its_reason() {
    let complaints: Vec<_> = FAMILIES.into_iter().flat_map(complaints).collect();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_pages_are_fresh() {
    for family in FAMILIES {
        assert_fresh(family.texts().coverage, &page::page(family));
    }
}

#[test]
fn streams_without_a_tested_method_have_no_anomalies() {
    for family in FAMILIES {
        for &setting in family.value_settings() {
            let capture = family.capture(setting, Place::Outside, &|_| ());
            let (_, anomalies) = probe::work_and_anomalies(&capture);
            assert_eq!(anomalies, [], "{}: setting {setting}", family.texts().coverage);
        }
    }
}

#[test]
fn planted_faults_are_seen() {
    // A method that no class has, one without effect, and one with an effect.
    let state = |name, address| probe::method_state(&Nv40, 0x4097, &probe::planted_row(name, address));
    assert_eq!(state("NONE", 0x154), State::Unsupported("unknown method".into()));
    assert_eq!(state("NOP", 0x100), State::NoEffect);
    assert_eq!(state("DEPTH_TEST_ENABLE", 0xa74), State::Executed);
    assert!(!test_exists("tests/host/coverage/mod.rs::no_such_test"));
    assert!(!test_exists("tests/no_such_file.rs::planted_faults_are_seen"));
    assert!(test_exists("tests/host/coverage/mod.rs::planted_faults_are_seen"));
    if std::env::var_os("BLESS").is_none() {
        assert!(std::panic::catch_unwind(|| assert_fresh("coverage.md", "# Coverage\n")).is_err());
    }
}

#[test]
fn semaphores_are_released_and_never_waited_for() {
    use curie::chip::Reason;
    use curie::command::builder::handles;
    use curie::command::methods::puller;
    use curie::pipeline::GpuCommand;
    let capture = Nv40.capture(PLAIN, Place::Outside, &|stream| {
        stream.method(OTHER, puller::DMA_SEMAPHORE, handles::VRAM);
        stream.methods(OTHER, puller::SEMAPHORE_OFFSET, &[0x80, 5, 6]);
        // The second word of 0x84 does not exist: acquire precedes release.
        stream.method(OTHER, puller::SEMAPHORE_ACQUIRE, 6);
    });
    let (work, anomalies) = probe::work_and_anomalies(&capture);
    // The first acquire finds zero instead of 5; the second finds the released value.
    let waits: Vec<_> = anomalies.iter().filter(|(_, reason)| *reason == Reason::Deadlock).collect();
    assert_eq!(waits.len(), 1);
    let released = work
        .iter()
        .any(|command| matches!(command, GpuCommand::WriteFence { window, value: 6 } if window.start == 0x80));
    assert!(released);
}
