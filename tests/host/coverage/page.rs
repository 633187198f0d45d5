//! Formats the page as Markdown: one table per section.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use curie::command::methods::CLASSES;

use super::evidence::Evidence;
use super::mutants;
use super::probe::State;
use super::rows::Row;

const OPENING: &str = "\
# Coverage

What becomes of everything that the tables of the code name. A test makes this page from those tables
(`BLESS=1 cargo test --test host coverage` rewrites it) and observes each state: a method is *executed* when some value of it changes
what the chip asks an engine for, and has *no effect* when none does; a value or opcode is *executed* when the reference
carries out a stream or program with it. The last column names a test that covers the rows, or says why there is nothing to show.

`just mutants` removes the effect of each executed method and value from a copy of the program, and runs its test. A test that still
passes is marked *passes without it*: it runs the row and does not show its effect.

Classes of the chip that no table has, and the public facts that they lack, are listed in
[known unknowns](known-unknowns/images.md).

";

/// The whole page.
pub(crate) fn page(rows: &[Row], evidence: &[Evidence], unshown: &BTreeSet<String>) -> String {
    let mut page = OPENING.to_owned();
    let count = |wanted: fn(&State) -> bool| rows.iter().filter(|row| wanted(&row.state)).count();
    let _ = writeln!(
        page,
        "{} rows: {} executed, {} without effect, {} refused as the chip refuses them, {} counted as unsupported.",
        rows.len(),
        count(|state| *state == State::Executed),
        count(|state| *state == State::NoEffect),
        count(|state| *state == State::Refused),
        count(|state| matches!(state, State::Unsupported(_)))
    );
    let mut section = "";
    for row in rows {
        if row.section != section {
            section = &row.section;
            let aliases = aliases(section);
            let _ = writeln!(page, "\n## {section}\n\n{aliases}| Row | Code | State | Shown by |\n|---|---|---|---|");
        }
        let entry = evidence.iter().find(|entry| entry.covers(row));
        let (test, reason) = entry.map_or(("", ""), |entry| (entry.test, entry.reason));
        let is_unshown = entry.is_some_and(|entry| unshown.contains(&mutants::line(row, entry)));
        let state = match &row.state {
            State::Executed => "executed",
            State::NoEffect => "no effect",
            State::Refused => "refused",
            State::Unsupported(_) => "unsupported",
        };
        let shown = match (&row.state, test) {
            (State::Executed, test) if is_unshown => format!("`{test}` *passes without it*"),
            (State::Executed, test) => format!("`{test}`"),
            (State::NoEffect, "") => reason.to_owned(),
            (State::NoEffect, test) => format!("{reason}: `{test}`"),
            (State::Refused | State::Unsupported(_), _) => reason.to_owned(),
        };
        let _ = writeln!(page, "| {} | {} | {state} | {shown} |", row.name, row.code);
    }
    page
}

/// A line about other classes with the same methods, if there are any.
fn aliases(section: &str) -> String {
    let table = CLASSES.iter().find(|table| section == format!("Class {:#06x} {}", table.class, table.name));
    let names: Vec<_> = table.iter().flat_map(|table| table.aliases).map(|class| format!("{class:#06x}")).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("Other classes with these methods: {}.\n\n", names.join(", "))
    }
}
