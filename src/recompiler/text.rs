//! Builds WGSL text: indented lines, and the imports that they need.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The end of a loop with a count `rounds` that a compiler cannot know, so that it does not unroll the loop.
///
/// On llvmpipe, lanes that leave a loop at its top, or after a `continuing`, run its whole body again under a mask.
pub(super) fn end_of_loop(counter: &str, rounds: &str) -> String {
    format!("        {counter} += 1u;\n        if {counter} >= {rounds} {{\n            break;\n        }}\n    }}\n")
}

/// A kernel's text under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    imports: BTreeMap<&'static str, BTreeSet<String>>,
    lines: String,
    depth: usize,
    next_name: u32,
}

impl Text {
    /// Adds an import of a module's item; returns the item's name.
    pub(super) fn import<'n>(&mut self, module: &'static str, item: &'n str) -> &'n str {
        let items = self.imports.entry(module).or_default();
        if !items.contains(item) {
            items.insert(item.to_owned());
        }
        item
    }

    /// Imports items of several modules.
    pub(super) fn import_all(&mut self, items: &[(&'static str, &str)]) {
        for (module, item) in items {
            self.import(module, item);
        }
    }

    /// Appends one line.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.lines.extend(std::iter::repeat_n("    ", self.depth));
        }
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    /// Appends a line that opens a block.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes a block.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// Returns a name that no other value of this kernel has.
    pub(super) fn name(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// Binds the value of an expression to a name, on a separate line.
    pub(super) fn bind(&mut self, prefix: &str, expression: &str) -> String {
        let name = self.name(prefix);
        self.line(format!("let {name} = {expression};"));
        name
    }

    /// Appends the lines and imports of another text at this depth.
    pub(super) fn append(&mut self, other: Self) {
        for (module, items) in other.imports {
            self.imports.entry(module).or_default().extend(items);
        }
        other.lines.lines().for_each(|line| self.line(line));
        self.next_name = self.next_name.max(other.next_name);
    }

    /// The whole text: `header` comment, imports, lines.
    pub(super) fn finish(self, header: &str) -> String {
        let mut source = format!("// {header}\n");
        for (module, items) in &self.imports {
            for item in items {
                let _ = writeln!(source, "import package::{module}::{item};");
            }
        }
        source.push('\n');
        source.push_str(&self.lines);
        source
    }
}

/// The letters of the four components.
pub(super) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];
