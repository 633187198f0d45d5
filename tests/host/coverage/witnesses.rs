//! `docs/witnesses.md`: what outside of the project says that each row of the coverage page, and each convention, is as here.
//! `BLESS=1 cargo test --test host coverage` rewrites it.

use std::fmt::Write as _;

use super::assert_fresh;
use super::evidence::{matches, test_exists};
use super::rows::{self, Row};
use super::witness_list::{CONVENTIONS, GROUPS};

/// The kinds of witnesses, the strongest first, with what they are.
const KINDS: [(&str, &str); 7] = [
    ("piglit", "tests of OpenGL that pass with Mesa's driver on the chip"),
    ("hardware", "tests that others ran on a chip of the family or an older one"),
    ("document", "a specification, or public notes about the hardware"),
    ("patent", "a patent of the vendor"),
    ("driver", "code of a driver for the chip"),
    ("emulator", "code of another emulator"),
    ("none", "no witness"),
];

const OPENING: &str = "\
# Witnesses

Two engines that agree can share a mistake. For each row of the [coverage page](coverage.md), and for conventions that no row shows, this
page names something outside of the project that tells what the chip does. A test makes it from `tests/host/coverage/witness_list.rs`.
";

/// The kind of a witness, and what it names.
fn split(witness: &str) -> (&str, &str) {
    witness.split_once([' ', ';']).map_or((witness, ""), |(kind, rest)| (kind, rest.trim_start()))
}

fn covers([section, names, _]: &[&str; 3], row: &Row) -> bool {
    matches(section, &row.section) && names.split_whitespace().any(|pattern| matches(pattern, &row.name))
}

/// The witness of a row: that of the first line for its section, if one names the section itself.
fn witness_of(row: &Row) -> Vec<&'static [&'static str; 3]> {
    let found: Vec<_> = GROUPS.iter().filter(|group| covers(group, row)).collect();
    let own: Vec<_> = found.iter().copied().filter(|group| group[0] == row.section).collect();
    if own.is_empty() { found } else { own }
}

/// What is wrong with a witness.
fn complaint(witness: &str, fails: &str) -> Option<String> {
    let (kind, rest) = split(witness);
    if !KINDS.iter().any(|(known, _)| *known == kind) {
        return Some(format!("{witness:?} is of no known kind"));
    }
    if kind != "none" && rest.is_empty() {
        return Some(format!("{witness:?} names nothing"));
    }
    let tests = if kind == "piglit" { rest } else { "" };
    let failing = |test: &str| fails.lines().any(|line| line.split_once(',').is_some_and(|(name, _)| name == test));
    let mut tests = tests.split("; ").filter(|test| !test.is_empty());
    tests.find(|test| failing(test)).map(|test| format!("piglit's {test} is listed as failing"))
}

fn page(rows: &[Row]) -> String {
    let mut page = OPENING.to_owned();
    let kinds: Vec<_> =
        rows.iter().map(|row| witness_of(row).first().map_or("none", |group| split(group[2]).0)).collect();
    let _ = writeln!(page, "\n| Witness | Rows |\n|---|---|");
    for (kind, meaning) in KINDS {
        let count = kinds.iter().filter(|found| **found == kind).count();
        let _ = writeln!(page, "| {kind}: {meaning} | {count} |");
    }
    let with = kinds.iter().filter(|kind| **kind != "none").count();
    let _ = writeln!(page, "\n{with} of {} rows have a witness.\n\n## Conventions\n", rows.len());
    page.push_str("| Convention | Witness | Shown by |\n|---|---|---|\n");
    for [convention, witness, test] in CONVENTIONS {
        let shown = if test.is_empty() { String::new() } else { format!("`{test}`") };
        let _ = writeln!(page, "| {convention} | {witness} | {shown} |");
    }
    let mut section = "";
    let mut line: Option<(&str, Vec<&str>)> = None;
    let end = |page: &mut String, line: &mut Option<(&str, Vec<&str>)>| {
        if let Some((witness, names)) = line.take() {
            let _ = writeln!(page, "| {} | {witness} |", names.join(", "));
        }
    };
    for row in rows {
        if row.section != section {
            end(&mut page, &mut line);
            section = &row.section;
            let _ = writeln!(page, "\n## {section}\n\n| Rows | Witness |\n|---|---|");
        }
        let witness = witness_of(row).first().map_or("none", |group| group[2]);
        match &mut line {
            Some((last, names)) if *last == witness => names.push(&row.name),
            _ => {
                end(&mut page, &mut line);
                line = Some((witness, vec![&row.name]));
            }
        }
    }
    end(&mut page, &mut line);
    page
}

#[test]
fn every_row_has_a_witness_or_says_why_not() {
    let rows = rows::rows();
    let mut complaints = Vec::new();
    for row in &rows {
        let found = witness_of(row).len();
        if found != 1 {
            complaints.push(format!("{}: {} has {found} lines", row.section, row.name));
        }
    }
    let unused = GROUPS.iter().filter(|group| !rows.iter().any(|row| witness_of(row).contains(group)));
    complaints.extend(unused.map(|group| format!("{}: {} stands for no row", group[0], group[1])));
    let fails = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/suites/piglit/nv40-fails.txt")).unwrap();
    let witnesses = GROUPS.iter().map(|group| group[2]).chain(CONVENTIONS.iter().map(|row| row[1]));
    complaints.extend(witnesses.filter_map(|witness| complaint(witness, &fails)));
    let tests = CONVENTIONS.iter().map(|row| row[2]).filter(|test| !test.is_empty() && !test_exists(test));
    complaints.extend(tests.map(|test| format!("there is no test {test}")));
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_page_of_witnesses_is_fresh() {
    assert_fresh("witnesses.md", &page(&rows::rows()));
}

#[test]
fn planted_witnesses_are_seen() {
    let fails = "# cause\nspec@a@b,Fail\n";
    assert_eq!(complaint("piglit spec@a@c; spec@a", fails), None);
    assert!(complaint("piglit spec@a@c; spec@a@b", fails).unwrap().contains("spec@a@b"));
    assert!(complaint("rumor somewhere", fails).unwrap().contains("no known kind"));
    assert!(complaint("document", fails).unwrap().contains("names nothing"));
    assert_eq!(split("none; because"), ("none", "because"));
    assert_eq!(complaint("none; because", fails), None);
}
