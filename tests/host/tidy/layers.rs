//! Checks the layers of a crate: a module uses only modules that the list in its `lib.rs` names before it.

use std::collections::BTreeSet;
use std::path::Path;

use super::texts_below;

/// The crates whose modules have an order.
const CRATES: [&str; 3] = ["crates/isa/src/", "crates/statistics/src/", "src/"];

/// The modules of the crate, lowest first, as the documentation of `src/lib.rs` lists them.
fn order(library: &str) -> Vec<&str> {
    let lines = library.lines().filter(|line| line.starts_with("//! - [") || line.starts_with("#![cfg_attr("));
    lines.filter_map(|line| line.split("[`").nth(1)?.split('`').next()).collect()
}

/// The modules that a library declares.
fn declared(library: &str) -> Vec<&str> {
    library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect()
}

/// The modules of the crate that code names after `crate::`; comments do not count.
pub(super) fn used(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line.split(" // ").next().unwrap_or_default(), "\n"])
        .collect();
    let name = |rest: &str| -> String {
        rest.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    let mut found = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            found.insert(name(rest));
            continue;
        };
        // The names at the first level of `crate::{a::{b, c}, d}`.
        let (mut depth, mut begins) = (1, true);
        for (at, letter) in group.char_indices() {
            if begins && !letter.is_whitespace() {
                found.insert(name(&group[at..]));
                begins = false;
            }
            match letter {
                '{' => depth += 1,
                '}' if depth == 1 => break,
                '}' => depth -= 1,
                ',' if depth == 1 => begins = true,
                _ => {}
            }
        }
    }
    found
}

/// The text before its unit tests, which may import anything.
pub(super) fn without_unit_tests(text: &str) -> &str {
    let begins = ["#[cfg(test)]\nmod ", "#[cfg(test)]\npub(crate) mod "];
    let inline = |begin: &str| {
        let mut found = text.match_indices(begin);
        found.find(|(at, _)| text[*at + begin.len()..].lines().next().is_some_and(|line| line.ends_with('{')))
    };
    let end = begins.iter().filter_map(|begin| inline(begin)).map(|(at, _)| at).min();
    &text[..end.unwrap_or(text.len())]
}

/// Every upward import among the files of a folder, given as path and text.
fn upward(order: &[&str], folder: &str, files: &[(String, String)]) -> Vec<(String, String)> {
    let rank = |module: &str| order.iter().position(|known| *known == module);
    let mut found = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("tests.rs")) {
        let module = path.strip_prefix(folder).and_then(|rest| rest.split('/').next()).unwrap_or_default();
        // The command line and the crate's root are above everything.
        let Some(own) = rank(module.trim_end_matches(".rs")) else { continue };
        let above = used(without_unit_tests(text)).into_iter().filter(|used| rank(used).is_some_and(|used| used > own));
        found.extend(above.map(|used| (path.clone(), used)));
    }
    found
}

#[test]
fn modules_use_only_those_below_them() {
    for folder in CRATES {
        let files = texts_below(folder, &["rs"]);
        let library = &files.iter().find(|(path, _)| *path == format!("{folder}lib.rs")).unwrap().1;
        assert_eq!(upward(&order(library), folder, &files), [], "files use modules above their own");
    }
}

#[test]
fn the_order_names_every_module_once() {
    for folder in CRATES {
        let library =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("lib.rs")).unwrap();
        let (mut order, mut declared) = (order(&library), declared(&library));
        assert!(order.len() > 3, "{order:?}");
        order.sort_unstable();
        declared.sort_unstable();
        assert_eq!(order, declared);
    }
}

#[test]
fn planted_arrows_are_found() {
    let order = order("//! - [`low`]: a\n//! - [`middle`](mod@middle): b\n#![cfg_attr(x, doc = \"- [`high`]: c\")]\n");
    assert_eq!(order, ["low", "middle", "high"]);
    let arrows = |path: &str, text: &str| upward(&order, "src/", &[(path.to_owned(), text.to_owned())]).len();
    assert_eq!(arrows("src/low/part.rs", "use crate::middle::Thing;\n"), 1);
    assert_eq!(arrows("src/low.rs", "fn f() { crate::high::g(); }\n"), 1);
    assert_eq!(arrows("src/low/part.rs", "use crate::{\n    low::{a, b},\n    middle,\n};\n"), 1);
    assert_eq!(arrows("src/low/part.rs", "use crate::{low::{high, middle}, low};\n"), 0);
    assert_eq!(arrows("src/middle/part.rs", "use crate::low::Thing;\nuse crate::middle::Other;\n"), 0);
    assert_eq!(arrows("src/low/part.rs", "/// See [`crate::high`].\n"), 0);
    let tested = "use crate::low::a;\n#[cfg(test)]\nmod tests {\n    use crate::high::b;\n}\n";
    assert_eq!(arrows("src/middle/part.rs", tested), 0);
    assert_eq!(arrows("src/middle/part.rs", &format!("#[cfg(test)]\nmod tests;\nuse crate::high::b;\n{tested}")), 1);
    assert_eq!(arrows("src/cli/part.rs", "use crate::high::Thing;\n"), 0);
}
