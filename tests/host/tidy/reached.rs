//! Checks that every file is used: kernel text is imported or included, and a test file is a module of a binary.

use super::texts_below;

/// The WGSL files that no other file names, as a module or as a path.
fn unused_text(text: &[(String, String)], sources: &[(String, String)]) -> Vec<String> {
    let unused = text.iter().filter(|(path, _)| {
        let file = path.trim_start_matches("wgsl/");
        let module = file.trim_end_matches(".wgsl").replace('/', "::");
        let names = |text: &str| {
            // A mention in a comment does not count.
            let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
            let text = &lines.collect::<Vec<_>>().join("\n");
            let after = |rest: &str| !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            text.contains(file) || text.split(&module).skip(1).any(after)
        };
        // The linker replaces `x` by `x_wide` or `x_llvmpipe` on some adapters.
        let replaces_another = ["_wide.wgsl", "_llvmpipe.wgsl"].iter().any(|variant| {
            let base = path.strip_suffix(variant).map(|base| format!("{base}.wgsl"));
            base.is_some_and(|base| text.iter().any(|(path, _)| *path == base))
        });
        !replaces_another && !text.iter().chain(sources).any(|(other, text)| other != path && names(text))
    });
    unused.map(|(path, _)| path.clone()).collect()
}

/// The file that must declare the module of a test file, and the module's name.
fn declaration(path: &str) -> Option<(String, String)> {
    let parts: Vec<_> = path.trim_start_matches("tests/").trim_end_matches(".rs").split('/').collect();
    let parts = parts.strip_suffix(&["mod"]).unwrap_or(&parts);
    let (name, folders) = parts.split_last()?;
    let file = match folders {
        // A binary, or the modules that all binaries share.
        [] => return None,
        ["common"] => "tests/common/mod.rs".to_owned(),
        [binary] => format!("tests/{binary}.rs"),
        [.., _] => format!("tests/{}/mod.rs", folders.join("/")),
    };
    Some((file, (*name).to_owned()))
}

/// The errors in the files of the integration tests.
fn stray_tests(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        let attribute = ["#[", "path"].concat();
        if text.contains(&attribute) {
            found.push(format!("{path} includes a file by its path; make it a module of tests/common"));
        }
        let Some((parent, name)) = declaration(path) else { continue };
        let line = format!("mod {name};");
        let is_declared = |text: &str| text.lines().any(|found| found.trim().trim_start_matches("pub(crate) ") == line);
        if !files.iter().any(|(file, text)| *file == parent && is_declared(text)) {
            found.push(format!("{path} is not tested: {parent} has no 'mod {name};'"));
        }
    }
    found
}

#[test]
fn all_kernel_text_is_used() {
    let (text, sources) =
        (texts_below("wgsl", &["wgsl"]), [texts_below("src", &["rs"]), texts_below("crates", &["rs"])].concat());
    assert!(text.len() > 80, "the kernels' text was not found");
    assert_eq!(unused_text(&text, &sources), Vec::<String>::new());
}

#[test]
fn all_files_of_tests_are_modules() {
    let files = texts_below("tests", &["rs"]);
    assert!(files.len() > 80, "the tests were not found");
    let found = stray_tests(&files);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn planted_strays_are_found() {
    let files = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let text = files(&[
        ("wgsl/rop/a.wgsl", "import package::rop::b::f;"),
        ("wgsl/rop/b.wgsl", ""),
        ("wgsl/rop/b_c.wgsl", "// rop/b_c.wgsl"),
        ("wgsl/rop/b_wide.wgsl", ""),
    ]);
    assert_eq!(
        unused_text(&text, &files(&[("src/x.rs", "include_str!(\"../wgsl/rop/a.wgsl\")")])),
        ["wgsl/rop/b_c.wgsl"]
    );
    assert_eq!(unused_text(&text, &files(&[("src/x.rs", "\"rop::a\" \"rop::b_c\"")])), Vec::<String>::new());
    assert_eq!(unused_text(&text, &files(&[("src/x.rs", "\"rop::a\" // rop::b_c")])), ["wgsl/rop/b_c.wgsl"]);

    let sound =
        [("tests/x.rs", "mod x {\n    mod a;\n    mod b;\n}"), ("tests/x/a.rs", ""), ("tests/x/b/mod.rs", "mod c;")];
    let with = |more: (&str, &str)| stray_tests(&files(&[&sound[..], &[more]].concat())).len();
    assert_eq!(with(("tests/x/b/c.rs", "")), 0);
    assert_eq!(with(("tests/x/b/d.rs", "")), 1);
    assert_eq!(with(("tests/x/e/mod.rs", "")), 1);
    assert_eq!(with(("tests/y.rs", &format!("{}{}] mod z;", "#[", "path = \"x.rs\""))), 1);
}
