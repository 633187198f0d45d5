//! Joins WGSL modules into one text by their import lines.
//!
//! The syntax is WESL's: `import package::half::round_to_half;` or `import package::half::{round_to_half, to_half};`.
//! Every module is included once, depth first; names are global, so they are unique over all modules. An import line
//! becomes a blank line, so that a line of the joined text maps back to its file.

/// Why modules cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// An import names a module that does not exist.
    #[error("{file}:{line}: there is no module '{module}'")]
    UnknownModule {
        /// The importing file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// The module.
        module: String,
    },
    /// An import names something that its module does not declare.
    #[error("{file}:{line}: module '{module}' declares no '{item}'")]
    UnknownItem {
        /// The importing file.
        file: String,
        /// Its line, from 1.
        line: usize,
        /// The module.
        module: String,
        /// The item.
        item: String,
    },
    /// An import line cannot be read.
    #[error("{file}:{line}: an import reads `import package::module::item;`")]
    MalformedImport {
        /// The importing file.
        file: String,
        /// Its line, from 1.
        line: usize,
    },
}

/// Joined text and the origins of its lines.
#[derive(Debug, Clone)]
pub struct Linked {
    /// The joined WGSL.
    pub source: String,
    /// File name and its first line (from 0) in the joined text, ascending.
    files: Vec<(String, usize)>,
}

impl Linked {
    /// The file and line (from 1) of a line (from 1) of the joined text.
    #[must_use]
    pub fn locate(&self, line: usize) -> (&str, usize) {
        let index = self.files.partition_point(|(_, first)| *first < line).saturating_sub(1);
        match self.files.get(index) {
            Some((file, first)) => (file, line - first),
            None => ("", line),
        }
    }
}

/// Joins `root` with every module that it imports, directly or indirectly.
///
/// `resolve` returns the text of a module.
///
/// # Errors
/// When an import names a module or an item that does not exist.
pub fn link<'a>(root_name: &str, root: &str, resolve: &dyn Fn(&str) -> Option<&'a str>) -> Result<Linked, LinkError> {
    let mut linker =
        Linker { resolve, included: Vec::new(), linked: Linked { source: String::new(), files: Vec::new() }, lines: 0 };
    linker.include(root_name, root)?;
    Ok(linker.linked)
}

struct Linker<'r, 'a> {
    resolve: &'r dyn Fn(&str) -> Option<&'a str>,
    included: Vec<String>,
    linked: Linked,
    lines: usize,
}

impl Linker<'_, '_> {
    fn include(&mut self, file: &str, source: &str) -> Result<(), LinkError> {
        for (index, text) in source.lines().enumerate() {
            let Some(import) = text.trim().strip_prefix("import ") else { continue };
            let line = index + 1;
            let malformed = || LinkError::MalformedImport { file: file.to_owned(), line };
            let path =
                import.strip_prefix("package::").and_then(|path| path.strip_suffix(';')).ok_or_else(malformed)?;
            let (module, items) = path.rsplit_once("::").ok_or_else(malformed)?;
            let unknown = || LinkError::UnknownModule { file: file.to_owned(), line, module: module.to_owned() };
            let text = (self.resolve)(module).ok_or_else(unknown)?;
            for item in items.trim_matches(['{', '}']).split(',').map(str::trim).filter(|item| !item.is_empty()) {
                if !declares(text, item) {
                    let (file, module, item) = (file.to_owned(), module.to_owned(), item.to_owned());
                    return Err(LinkError::UnknownItem { file, line, module, item });
                }
            }
            if !self.included.iter().any(|included| included == module) {
                self.included.push(module.to_owned());
                self.include(&format!("wgsl/{}.wgsl", module.replace("::", "/")), text)?;
            }
        }
        self.linked.files.push((file.to_owned(), self.lines));
        for text in source.lines() {
            if !text.trim_start().starts_with("import ") {
                self.linked.source.push_str(text);
            }
            self.linked.source.push('\n');
            self.lines += 1;
        }
        Ok(())
    }
}

/// Whether a module declares a function, struct, constant, alias, override or variable of this name.
fn declares(source: &str, item: &str) -> bool {
    source.lines().any(|line| {
        // Bindings have attributes.
        let line = line.trim_start();
        let line = if line.starts_with('@') { line.rsplit_once(") ").map_or(line, |(_, rest)| rest) } else { line };
        ["fn ", "struct ", "const ", "alias ", "override ", "var<"].iter().any(|keyword| {
            line.strip_prefix(keyword).is_some_and(|rest| {
                let name = if *keyword == "var<" { rest.split_once("> ").map_or("", |(_, name)| name) } else { rest };
                name.trim_start()
                    .strip_prefix(item)
                    .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(name: &str) -> Option<&'static str> {
        match name {
            "a" => Some("// A.\nimport package::b::two;\nfn one() -> u32 { return two(); }"),
            "b" => Some(
                "// B.\nfn two() -> u32 { return 2u; }\nvar<private> three: u32;\n@group(0) @binding(1) var<storage, read> four: u32;",
            ),
            _ => None,
        }
    }

    #[test]
    fn modules_come_once_and_before_their_importers() {
        let root = "import package::a::one;\nimport package::b::{two, three, four};\nfn main() { _ = one() + two(); }";
        let linked = link("root.wgsl", root, &resolve).unwrap();
        assert_eq!(linked.source.matches("fn two").count(), 1);
        assert!(linked.source.find("fn two") < linked.source.find("fn one"));
        assert!(!linked.source.contains("import"));
        let line = linked.source.lines().position(|line| line.contains("fn main")).unwrap() + 1;
        assert_eq!(linked.locate(line), ("root.wgsl", 3));
        let line = linked.source.lines().position(|line| line.contains("fn one")).unwrap() + 1;
        assert_eq!(linked.locate(line), ("wgsl/a.wgsl", 3));
    }

    #[test]
    fn missing_modules_and_items_are_named_with_their_line() {
        let error = link("r", "\nimport package::c::x;", &resolve).unwrap_err();
        assert_eq!(error.to_string(), "r:2: there is no module 'c'");
        let error = link("r", "import package::b::tw;", &resolve).unwrap_err();
        assert_eq!(error.to_string(), "r:1: module 'b' declares no 'tw'");
        assert!(matches!(link("r", "import b;", &resolve), Err(LinkError::MalformedImport { .. })));
    }
}
