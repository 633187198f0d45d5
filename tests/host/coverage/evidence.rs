//! The tests that cover rows, and the reasons for rows that are not executed: written by hand, one line per group. The
//! first line that covers a row is its evidence.

use std::path::Path;

use super::family::Family;
use super::rows::Row;

/// The evidence for a group of rows.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// The section, or its beginning followed by `*`.
    pub(crate) section: &'static str,
    /// Names, separated by blanks; `*` matches any letters.
    pub(crate) names: &'static str,
    /// `file::function` of a test that covers them; empty if nothing is executed.
    pub(crate) test: &'static str,
    /// Why there is no effect, or which public fact is missing.
    pub(crate) reason: &'static str,
}

/// Everything written by hand about a family.
pub(crate) fn evidence(family: &dyn Family) -> Vec<Evidence> {
    let row = |&[section, names, test, reason]: &[&'static str; 4]| Evidence { section, names, test, reason };
    family.evidence().iter().copied().flatten().map(row).collect()
}

/// Whether a name matches a pattern.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => {
            name.strip_prefix(start).is_some_and(|tail| (0..=tail.len()).any(|skip| matches(rest, &tail[skip..])))
        }
    }
}

impl Evidence {
    pub(crate) fn covers(&self, row: &Row) -> bool {
        matches(self.section, &row.section) && self.names.split(' ').any(|pattern| matches(pattern, &row.name))
    }
}

/// Whether a file of the package has a test function of this name.
pub(crate) fn test_exists(test: &str) -> bool {
    let Some((file, function)) = test.split_once("::") else { return false };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    let wanted = format!("fn {function}(");
    // The attribute precedes the function, among others; a macro may also generate the function.
    let position = lines.iter().position(|line| line.contains(&wanted));
    position.is_some_and(|at| lines[..at].iter().rev().take(4).any(|line| line.contains("#[test]")))
}

#[test]
fn patterns_stand_for_names() {
    assert!(matches("RT_*", "RT_FORMAT") && matches("*", "X") && matches("A*C", "ABC") && matches("A*", "A"));
    assert!(!matches("RT_*", "ART_FORMAT") && !matches("RT", "RT_FORMAT") && !matches("A*C", "ABD"));
}
