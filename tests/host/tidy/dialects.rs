//! Checks that the text around the programs that shade quads knows no dialect of programs: rasterizer, inputs, tiles and merger
//! serve every program by its trait.

use super::circles::paths_named;
use super::texts_below;

/// Modules of `shader` and of the recompiler that belong to a dialect.
const DIALECTS: [&str; 4] = ["compute", "fragment", "simt", "vertex"];

/// The files and folders without a dialect.
const NEUTRAL: [&str; 7] = [
    "src/recompiler/fragment/shade_quads.rs",
    "src/recompiler/quad_inputs.rs",
    "src/recompiler/quad_program.rs",
    "src/recompiler/software/quad_traversal.rs",
    "src/recompiler/software/walk_tile.rs",
    "src/recompiler/software/zcull.rs",
    "src/recompiler/tiles/",
];

/// The paths that name a dialect.
fn dialects_named(text: &str) -> Vec<String> {
    let names = |path: &[String]| {
        path.windows(2).any(|pair| {
            ["recompiler", "shader", "super"].contains(&pair[0].as_str()) && DIALECTS.contains(&pair[1].as_str())
        })
    };
    paths_named(text).into_iter().filter(|path| names(path)).map(|path| path.join("::")).collect()
}

#[test]
fn the_text_around_programs_knows_no_dialect() {
    let files = texts_below("src/recompiler", &["rs"]);
    for place in NEUTRAL {
        let mut below = files.iter().filter(|(path, _)| path.starts_with(place)).peekable();
        assert!(below.peek().is_some(), "{place} does not exist");
        below.for_each(|(path, text)| assert_eq!(dialects_named(text), [""; 0], "in {path}"));
    }
    // The program itself names its dialect.
    let (_, program) = files.iter().find(|(path, _)| path == "src/recompiler/fragment/quad_program.rs").unwrap();
    assert!(!dialects_named(program).is_empty());
}

#[test]
fn planted_dialects_are_found() {
    let count = |text: &str| dialects_named(&format!("//! A file.\n\n{text}")).len();
    assert_eq!(count("use crate::shader::fragment::FragmentInput;\n"), 1);
    assert_eq!(count("use crate::recompiler::{\n    fragment::Generator,\n    vertex,\n};\n"), 2);
    assert_eq!(count("fn f() { crate::shader::simt::g() }\n"), 1);
    assert_eq!(count("use super::super::fragment;\n"), 1);
    assert_eq!(
        count("fn f() { text.import(\"fragment::quad\", \"QuadVector\"); }\n/// [`crate::shader::vertex`]\n"),
        0
    );
    assert_eq!(count("#[cfg(test)]\nmod tests {\n    use crate::recompiler::fragment;\n}\n"), 0);
}
