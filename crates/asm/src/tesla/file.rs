//! Reads files of Tesla modules: cubins, or a text in the assembly language or in PTX.

use super::super::cubin::{self, read_cubin};
use super::super::diagnostic::Diagnostics;
use super::super::ptx::{compile_ptx, is_ptx};
use super::{HEADER, assemble};
use crate::isa::tesla::module::TeslaModule;

/// Reads a file if it begins as a module does; errors call it `name`. Other files give `None`.
#[must_use]
pub fn read_module(name: &str, bytes: &[u8]) -> Option<Result<TeslaModule, Diagnostics>> {
    if bytes.starts_with(&cubin::MAGIC) {
        return Some(cubin::read_elf_cubin(name, bytes));
    }
    let text = std::str::from_utf8(bytes).ok()?;
    if text.starts_with(HEADER) {
        return Some(assemble(name, text));
    }
    if is_ptx(text) {
        return Some(compile_ptx(name, text));
    }
    let rest = text.trim_start().strip_prefix(cubin::FIRST_WORD)?;
    rest.trim_start().starts_with('{').then(|| read_cubin(name, text))
}

#[cfg(test)]
mod tests {
    use super::read_module;

    #[test]
    fn the_beginning_tells_the_form() {
        let kernels = |text: &str| {
            let module = read_module("test", text.as_bytes())?.ok()?;
            Some(module.kernels.into_iter().map(|kernel| kernel.name).collect::<Vec<_>>())
        };
        assert_eq!(kernels("!!Tesla1.0\n.kernel a\nexit"), Some(vec!["a".to_owned()]));
        let ptx = "// One.\n/* Two. */ .version 1.4\n.target sm_10\n.entry b { }";
        assert_eq!(kernels(ptx), Some(vec!["b".to_owned()]));
        assert_eq!(kernels("\narchitecture {sm_10}\n"), Some(Vec::new()));
        assert!(read_module("test", b"architecture {sm_99}").unwrap().is_err());
        for other in ["!!NV40vp\n", "!!VP1.0\nEND", "architecture of a shader", ".proc main\n.end", "// .version", ""] {
            assert!(read_module("test", other.as_bytes()).is_none(), "{other}");
        }
        assert!(read_module("test", b"architecture {\xff}").is_none());
    }
}
