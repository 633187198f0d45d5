//! Tests the manual pages and the completions of shells: each subcommand is in both.

use std::path::Path;

use super::command::{error, stdout};

/// The subcommands that `--help` lists.
fn subcommands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert!(names.contains(&"replay") && names.contains(&"man"), "{help}");
    names.into_iter().filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_subcommand_has_a_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents/man1");
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(stdout(&["man", folder.to_str().unwrap()]), "");
    let page = |name: &str| std::fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
    let main = page("curie");
    for name in subcommands() {
        assert!(main.contains(&format!("curie\\-{}", name.replace('-', "\\-"))), "{name}: {main}");
        assert!(page(&format!("curie-{name}")).contains(".SH SYNOPSIS"), "{name}");
    }
    assert!(page("curie-replay").contains("until\\-draw"));
    let in_the_way = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents/file");
    std::fs::write(&in_the_way, "").unwrap();
    assert!(error(&["man", in_the_way.to_str().unwrap()]).starts_with("error: "));
}

#[test]
fn shells_complete_every_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&["completions", shell]);
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("until-draw"), "{shell}");
    }
}
