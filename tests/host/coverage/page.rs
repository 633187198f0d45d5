//! Formats the page as Markdown: one table per section.

use std::fmt::Write as _;

use super::evidence::evidence;
use super::family::Family;
use super::probe::State;
use super::{mutants, rows};

/// The whole page.
pub(crate) fn page(family: &dyn Family) -> String {
    let (rows, evidence, unshown) = (rows::rows(family), evidence(family), mutants::unshown(family));
    let mut page = family.texts().coverage_opening.to_owned();
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
    for row in &rows {
        if row.section != section {
            section = &row.section;
            let aliases = aliases(family, section);
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
fn aliases(family: &dyn Family, section: &str) -> String {
    let table = family.classes().iter().find(|table| section == format!("Class {:#06x} {}", table.class, table.name));
    let names: Vec<_> = table.iter().flat_map(|table| table.aliases).map(|class| format!("{class:#06x}")).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("Other classes with these methods: {}.\n\n", names.join(", "))
    }
}
