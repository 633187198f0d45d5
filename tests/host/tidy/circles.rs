//! Checks that no files of a crate import each other in circles.
//!
//! A file imports those that define the names it uses. A name that a `mod.rs` re-exports belongs to the file behind it, so a
//! folder may gather the names of its files, and these may use each other's by it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::layers::without_unit_tests;
use super::texts_below;

/// The folders of the crates.
const CRATES: [&str; 6] =
    ["client/src/", "crates/asm/src/", "crates/isa/src/", "crates/statistics/src/", "src/", "wayland/src/"];

/// A `use` of a name.
#[derive(Debug, PartialEq, Eq)]
struct Use {
    is_public: bool,
    /// The path, with the name that it ends in.
    path: Vec<String>,
    /// What this file calls it.
    name: String,
}

/// A file of a crate.
struct File {
    /// The path of its module from the root.
    module: Vec<String>,
    /// Whether it is the file of a folder.
    is_folder: bool,
    /// Its text without comments, unit tests and `use` statements.
    body: String,
    uses: Vec<Use>,
}

/// The paths that a file names outside its unit tests, in `use` statements and elsewhere.
pub(super) fn paths_named(text: &str) -> Vec<Vec<String>> {
    let file = File::read("file.rs", text);
    let inline = file.body.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'));
    file.uses.into_iter().map(|used| used.path).chain(inline.map(segments)).collect()
}

/// The files of a crate, by their paths below its folder.
struct Sources(HashMap<String, File>);

/// The paths of a `use` statement without its keyword, with groups in braces expanded.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((prefix, group)) = tree.split_once('{') else { return vec![tree.trim().to_owned()] };
    let group = group.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut start, mut paths) = (0, 0, Vec::new());
    for (index, character) in group.char_indices().chain([(group.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let inner = group[start..index].trim();
                if !inner.is_empty() {
                    paths.extend(paths_of(inner).iter().map(|path| format!("{}{path}", prefix.trim())));
                }
                start = index + 1;
            }
            _ => (),
        }
    }
    paths
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}

impl File {
    fn read(path: &str, text: &str) -> Self {
        let mut module = segments(&path.strip_suffix(".rs").unwrap().replace('/', "::"));
        let is_folder = matches!(module.last().unwrap().as_str(), "lib" | "main" | "mod");
        if is_folder {
            module.pop();
        }
        let code = without_unit_tests(text).lines().filter(|line| !line.trim_start().starts_with("//"));
        let (mut body, mut uses) = (String::new(), Vec::new());
        let mut statement: Option<(bool, String)> = None;
        for line in code {
            let begun = statement.take().or_else(|| {
                let (visibility, _) = line.trim_start().split_once("use ")?;
                let is_public = visibility.starts_with("pub");
                (visibility.is_empty() || (is_public && visibility.ends_with(' '))).then(|| (is_public, String::new()))
            });
            let Some((is_public, begun)) = begun else {
                body.push_str(line);
                body.push('\n');
                continue;
            };
            let whole = format!("{begun} {line}");
            if !line.contains(';') {
                statement = Some((is_public, whole));
                continue;
            }
            let tree = whole.split_once("use ").unwrap().1.split(';').next().unwrap();
            uses.extend(paths_of(tree).iter().map(|path| {
                let (path, alias) =
                    path.split_once(" as ").map_or((path.as_str(), None), |(path, alias)| (path, Some(alias)));
                let mut path = segments(&path.replace(' ', ""));
                if path.last().is_some_and(|last| last == "self") {
                    path.pop();
                }
                let name = alias.map_or_else(|| path.last().unwrap().clone(), |alias| alias.trim().to_owned());
                Use { is_public, path, name }
            }));
        }
        Self { module, is_folder, body, uses }
    }
}

impl Sources {
    fn read(files: &[(String, String)]) -> Self {
        let files = files.iter().filter(|(path, _)| !path.ends_with("tests.rs"));
        Self(files.map(|(path, text)| (path.clone(), File::read(path, text))).collect())
    }

    /// The file of a module.
    fn file_of(&self, module: &[String]) -> Option<&str> {
        let path = module.join("/");
        let places = [format!("{path}.rs"), format!("{path}/mod.rs"), "mod.rs".to_owned(), "lib.rs".to_owned()];
        let places = if path.is_empty() { &places[2..] } else { &places[..2] };
        places.iter().find_map(|place| self.0.get_key_value(place)).map(|(name, _)| name.as_str())
    }

    /// A path from the root of the crate; `None` if it leads out of the crate.
    fn path_in_crate(&self, file: &File, path: &[String]) -> Option<Vec<String>> {
        let mut base = file.module.clone();
        match path[0].as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => base.extend_from_slice(&path[1..]),
            "super" => {
                let ups = path.iter().take_while(|segment| *segment == "super").count();
                base.truncate(base.len().checked_sub(ups)?);
                base.extend_from_slice(&path[ups..]);
            }
            _ => {
                base.push(path[0].clone());
                self.file_of(&base)?;
                base.extend_from_slice(&path[1..]);
            }
        }
        Some(base)
    }

    /// The file that defines what a path from the root names.
    fn definer(&self, path: &[String], depth: u32) -> Option<&str> {
        let (length, file) =
            (0..=path.len()).rev().find_map(|length| Some((length, self.file_of(&path[..length])?)))?;
        let folder = &self.0[file];
        let passed_on = path.get(length).filter(|_| folder.is_folder && depth < 8).and_then(|name| {
            let passed_on = folder.uses.iter().find(|used| used.is_public && used.name == *name)?;
            let behind = [self.path_in_crate(folder, &passed_on.path)?, path[length + 1..].to_vec()].concat();
            self.definer(&behind, depth + 1)
        });
        passed_on.or(Some(file))
    }

    /// The files that a file imports. The root, which gathers the names of a crate, is none of them.
    fn imports(&self, name: &str) -> BTreeSet<&str> {
        let file = &self.0[name];
        let words = file.body.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':'));
        let words: Vec<_> = words.map(segments).collect();
        // What a folder's file only passes on, it does not use.
        let is_used = |name: &str| words.iter().any(|word| word.first().is_some_and(|first| first == name));
        let used = file.uses.iter().filter(|used| !(used.is_public && file.is_folder) || is_used(&used.name));
        let used = used.map(|used| used.path.clone());
        let inline = words.iter().filter(|word| word.len() > 1).cloned();
        let paths = used.chain(inline).filter_map(|path| self.path_in_crate(file, &path));
        let found = paths.collect::<Vec<_>>();
        let files = found.iter().filter_map(|path| self.definer(path, 0));
        files.filter(|file| *file != name && *file != "lib.rs").collect()
    }

    /// Files that import each other in a circle, if there are some.
    fn circle(&self) -> Option<Vec<String>> {
        fn visit<'name>(
            graph: &HashMap<&'name str, BTreeSet<&'name str>>,
            file: &'name str,
            trail: &mut Vec<&'name str>,
            done: &mut HashSet<&'name str>,
        ) -> bool {
            if let Some(first) = trail.iter().position(|visited| *visited == file) {
                trail.drain(..first);
                trail.push(file);
                return true;
            }
            if done.contains(file) {
                return false;
            }
            trail.push(file);
            if graph[file].iter().any(|imported| visit(graph, imported, trail, done)) {
                return true;
            }
            trail.pop();
            done.insert(file);
            false
        }
        let graph: HashMap<_, _> = self.0.keys().map(|name| (name.as_str(), self.imports(name))).collect();
        let mut names: Vec<_> = graph.keys().copied().collect();
        names.sort_unstable();
        let (mut trail, mut done) = (Vec::new(), HashSet::new());
        let is_circle = names.into_iter().any(|name| visit(&graph, name, &mut trail, &mut done));
        is_circle.then(|| trail.into_iter().map(str::to_owned).collect())
    }
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    for folder in CRATES {
        let below = |(path, text): (String, String)| (path.strip_prefix(folder).unwrap().to_owned(), text);
        let sources = Sources::read(&texts_below(folder, &["rs"]).into_iter().map(below).collect::<Vec<_>>());
        if folder == "src/" {
            let imported = sources.imports("kernels/draw_merger.rs");
            assert!(imported.contains("kernels/executor.rs") && imported.contains("kernels/plan/merging.rs"));
        }
        assert_eq!(sources.circle(), None, "in {folder}");
    }
}

#[test]
fn a_planted_circle_is_found() {
    let circle = |texts: [&str; 5]| {
        let names = ["lib.rs", "a.rs", "b/mod.rs", "b/c.rs", "b/d.rs"];
        let files = names.iter().zip(texts).map(|(name, text)| ((*name).to_owned(), format!("//! A file.\n\n{text}")));
        let sources = Sources::read(&files.collect::<Vec<_>>());
        (sources.circle(), sources.imports("a.rs").into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let (library, user, folder) = (
        "mod a;\npub use a::A;\n",
        "use super::b::{self, D, c::{\n    C, E}};\nuse std::fmt;\n",
        "mod c;\npub use d::D;\n",
    );
    let tests = "use std::fmt;\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n";
    // `D` belongs to the file behind the folder.
    let (none, imported) = circle([library, user, folder, tests, ""]);
    assert_eq!((none, imported), (None, ["b/c.rs", "b/d.rs", "b/mod.rs"].map(str::to_owned).to_vec()));
    let found = |texts| circle(texts).0.unwrap();
    assert_eq!(found([library, user, folder, "use crate::A;\n", ""]), ["a.rs", "b/c.rs", "a.rs"]);
    assert_eq!(found([library, user, folder, "fn f() { crate::a::g() }\n", ""]), ["a.rs", "b/c.rs", "a.rs"]);
    assert_eq!(
        found([library, user, folder, "use super::d::D;\n", "use super::c::C;\n"]),
        ["b/c.rs", "b/d.rs", "b/c.rs"]
    );
    // What a folder's file passes on and uses itself, and what it defines.
    let own = "mod c;\npub use c::C;\nfn f(c: C) {}\n";
    assert_eq!(found([library, "", own, "use super::f;\n", ""]), ["b/c.rs", "b/mod.rs", "b/c.rs"]);
    assert_eq!(
        found([library, "", "mod c;\nfn f() { c::g() }\n", "use super::F;\n", ""]),
        ["b/c.rs", "b/mod.rs", "b/c.rs"]
    );
    assert_eq!(circle([library, "", folder, "use super::D;\n", ""]).0, None);
}
