//! Checks that text for users counts things by `plural::counted`, so that one thing is not called several.

use super::layers::without_unit_tests;
use super::texts_below;

/// What commands, windows and reports count.
const COUNTED: [&str; 29] = [
    "anomalies",
    "branches",
    "buffers",
    "cases",
    "clears",
    "clocks",
    "combinations",
    "copies",
    "draws",
    "entries",
    "faults",
    "files",
    "frames",
    "indices",
    "instructions",
    "kernels",
    "kinds",
    "launches",
    "lines",
    "lookups",
    "passes",
    "pixels",
    "races",
    "rows",
    "samples",
    "surfaces",
    "times",
    "transactions",
    "vertices",
];

/// The folders and files whose text users read as sentences.
const READ: [&str; 11] = [
    "crates/statistics/src/report/text.rs",
    "src/bench/",
    "src/check/",
    "src/chip/anomalies.rs",
    "src/cli/",
    "src/launch/",
    "src/listing/",
    "src/live/",
    "src/pipeline/launch/report.rs",
    "src/profile/",
    "src/view/",
];

/// Words after which a noun belongs to something else.
const BREAKS: [&str; 10] = ["are", "differ", "differs", "has", "have", "in", "is", "no", "of", "to"];

/// Lines that may print a count before a plural: their text, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("fault {:#06x} {} {} times", "a line of expectations, which files hold"),
    ("{} lines sha256:{}", "a line of expectations, which files hold"),
];

/// The plurals right after a placeholder of a line. A number with a fixed number of decimals is no count, nor is what is
/// printed for debugging.
fn plurals(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    let after = code.match_indices("} ").filter(|(at, _)| {
        let placeholder = code[..*at].rsplit('{').next().unwrap_or_default();
        !placeholder.split_once(':').is_some_and(|(_, format)| format.contains(['.', '?']))
    });
    // Up to two adjectives may stand before the noun.
    let nouns = after.filter_map(|(at, _)| {
        let words = code[at + 2..].split(' ').take(3);
        let mut words = words.map(|word| word.split(['/', ',', '.', ';', ')', '"', '\\']).next().unwrap_or_default());
        let is_word = |word: &&str| {
            !word.is_empty() && !BREAKS.contains(word) && word.bytes().all(|letter| letter.is_ascii_lowercase())
        };
        words.by_ref().take_while(is_word).find(|word| COUNTED.contains(word))
    });
    nouns.collect()
}

/// The lines of a file that print a plural for any count.
fn complaints(path: &str, text: &str) -> Vec<String> {
    let lines = without_unit_tests(text).lines().zip(1..);
    let is_text = |line: &&str| line.contains('"') && !line.trim_start().starts_with("//");
    let is_exception = |line: &str| EXCEPTIONS.iter().any(|(own, _)| line.contains(own));
    let found = lines.filter(|(line, _)| is_text(line) && !is_exception(line));
    found
        .filter_map(|(line, number)| {
            let noun = *plurals(line).first()?;
            Some(format!("{path}:{number}: a count of {noun}: use plural::counted"))
        })
        .collect()
}

#[test]
fn counts_have_their_noun_by_one_function() {
    let files = [texts_below("src", &["rs"]), texts_below("crates", &["rs"])].concat();
    let read = files.iter().filter(|(path, _)| READ.iter().any(|read| path.starts_with(read)));
    let read: Vec<_> = read.filter(|(path, _)| !path.ends_with("tests.rs")).collect();
    assert!(read.len() > 60, "the text for users was not found");
    let found: Vec<_> = read.iter().flat_map(|(path, text)| complaints(path, text)).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn a_planted_plural_is_found() {
    for line in [
        r#"format!("{draws} draws")"#,
        r#"line(format_args!("frame {frame} + {} draws, {rest}", list.len()))"#,
        r#"format!("{} warp instructions", n)"#,
        r#"    "{:>4} further anomalies","#,
    ] {
        assert_eq!(complaints("x.rs", line).len(), 1, "{line}");
    }
    for line in [
        r#"format!("{:.1} frames/s", rate)"#,
        r#"format!("{ratio:>10.3} times the baseline")"#,
        r#"format!("{}", counted(draws, "draw"))"#,
        r#"// format!("{draws} draws")"#,
        r#"format!("{name} has no pixels")"#,
        r#"format!("{combinations} of sizes, lines and ways")"#,
        r#"format!("{index_type:?} indices {}", ranges)"#,
        r#"format!("fault {:#06x} {} {} times", a, b, c)"#,
    ] {
        assert_eq!(complaints("x.rs", line), Vec::<String>::new(), "{line}");
    }
}
