//! Checks that each failure that piglit is expected to have stands in a group whose comment names the cause.

use std::collections::HashSet;
use std::path::Path;

/// The words that a cause begins with (docs/piglit.md).
const CAUSES: [&str; 6] = ["driver", "limit", "test", "emulator", "unknown", "open"];

/// The results that a line may expect.
const RESULTS: [&str; 3] = ["Fail", "Crash", "Timeout"];

/// The first line that breaks the rules, if any. Groups are paragraphs; the first one describes the file.
fn complaint(text: &str) -> Option<String> {
    let mut names = HashSet::new();
    for group in text.split("\n\n").skip(1) {
        let first = group.lines().next().unwrap_or_default();
        let cause = first.strip_prefix("# ").and_then(|comment| comment.split_once(": "));
        if cause.is_none_or(|(word, rest)| !CAUSES.contains(&word) || rest.is_empty()) {
            return Some(format!("{first}: the group does not begin with a cause"));
        }
        for line in group.lines().filter(|line| !line.starts_with("# ")) {
            match line.rsplit_once(',') {
                Some((name, result)) if RESULTS.contains(&result) && !name.contains(',') => {
                    if !names.insert(name) {
                        return Some(format!("{line}: listed twice"));
                    }
                }
                _ => return Some(format!("{line}: not a test and its result")),
            }
        }
    }
    names.is_empty().then(|| "no test is listed".to_owned())
}

#[test]
fn each_failure_of_piglit_has_a_cause() {
    for name in ["nv40-fails.txt", "nv50-fails.txt"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("suites/piglit").join(name);
        assert_eq!(complaint(&std::fs::read_to_string(file).unwrap()), None, "{name}");
    }
}

#[test]
fn the_rules_find_a_failure_without_one() {
    assert_eq!(complaint("# File.\n\n# driver: loops.\n# More.\na@b,Fail\na@c,Crash\n"), None);
    for text in [
        "# File.\n",
        "# File.\n\na@b,Fail\n",
        "# File.\n\n# loops.\na@b,Fail\n",
        "# File.\n\n# mystery: loops.\na@b,Fail\n",
        "# File.\n\n# driver: loops.\na@b,Pass\n",
        "# File.\n\n# driver: loops.\na@b\n",
        "# File.\n\n# driver: loops.\na@b,Fail\n\n# limit: inputs.\na@b,Fail\n",
    ] {
        assert!(complaint(text).is_some(), "{text}");
    }
}
