//! `docs/witnesses.md` and its like: what outside of the project says that each row of the coverage page, and each convention, is as here.
//! `BLESS=1 cargo test --test host coverage` rewrites it.

use std::fmt::Write as _;
use std::path::Path;

use super::assert_fresh;
use super::evidence::{matches, test_exists};
use super::family::{FAMILIES, Family};
use super::rows::{self, Row};

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

/// The kind of a witness, and what it names.
fn split(witness: &str) -> (&str, &str) {
    witness.split_once([' ', ';']).map_or((witness, ""), |(kind, rest)| (kind, rest.trim_start()))
}

fn covers([section, names, _]: &[&str; 3], row: &Row) -> bool {
    matches(section, &row.section) && names.split_whitespace().any(|pattern| matches(pattern, &row.name))
}

/// Every witness of a family.
fn groups(family: &dyn Family) -> impl Iterator<Item = &'static [&'static str; 3]> {
    family.witnesses().iter().copied().flatten()
}

/// The witness of a row: the first line for its section, or else for sections like it, that covers the row.
fn witness_of(family: &dyn Family, row: &Row) -> Option<&'static [&'static str; 3]> {
    let mut found: Vec<_> = groups(family).filter(|group| covers(group, row)).collect();
    found.sort_by_key(|group| group[0] != row.section);
    found.first().copied()
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

fn page(family: &dyn Family) -> String {
    let rows = rows::rows(family);
    let mut page = family.texts().witnesses_opening.to_owned();
    let kinds: Vec<_> =
        rows.iter().map(|row| witness_of(family, row).map_or("none", |group| split(group[2]).0)).collect();
    let _ = writeln!(page, "\n| Witness | Rows |\n|---|---|");
    for (kind, meaning) in KINDS {
        let count = kinds.iter().filter(|found| **found == kind).count();
        let _ = writeln!(page, "| {kind}: {meaning} | {count} |");
    }
    let with = kinds.iter().filter(|kind| **kind != "none").count();
    let _ = writeln!(page, "\n{with} of {} rows have a witness.\n\n## Conventions\n", rows.len());
    page.push_str("| Convention | Witness | Shown by |\n|---|---|---|\n");
    for [convention, witness, test] in family.conventions() {
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
    for row in &rows {
        if row.section != section {
            end(&mut page, &mut line);
            section = &row.section;
            let _ = writeln!(page, "\n## {section}\n\n| Rows | Witness |\n|---|---|");
        }
        let witness = witness_of(family, row).map_or("none", |group| group[2]);
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

/// What is wrong with the witnesses of a family.
fn complaints(family: &dyn Family) -> Vec<String> {
    let rows = rows::rows(family);
    let mut complaints = Vec::new();
    for row in &rows {
        if witness_of(family, row).is_none() {
            complaints.push(format!("{}: {} has no line", row.section, row.name));
        }
    }
    let used: Vec<_> = rows.iter().filter_map(|row| witness_of(family, row)).collect();
    let unused = groups(family).filter(|group| !used.contains(group));
    complaints.extend(unused.map(|group| format!("{}: {} stands for no row", group[0], group[1])));
    let fails = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(family.texts().fails)).unwrap();
    let witnesses = groups(family).map(|group| group[2]).chain(family.conventions().iter().map(|row| row[1]));
    complaints.extend(witnesses.filter_map(|witness| complaint(witness, &fails)));
    let tests = family.conventions().iter().map(|row| row[2]).filter(|test| !test.is_empty() && !test_exists(test));
    complaints.extend(tests.map(|test| format!("there is no test {test}")));
    complaints
}

#[test]
fn every_row_has_a_witness_or_says_why_not() {
    let complaints: Vec<_> = FAMILIES.into_iter().flat_map(complaints).collect();
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn the_pages_of_witnesses_are_fresh() {
    for family in FAMILIES {
        assert_fresh(family.texts().witnesses, &page(family));
    }
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
