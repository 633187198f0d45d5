//! Embeds the WGSL modules that kernels import, by name: every file below `wgsl/`.

use include_dir::{Dir, include_dir};

static WGSL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/wgsl");

/// The text of a module; `block::module` names `wgsl/block/module.wgsl`.
#[must_use]
pub fn module_source(name: &str) -> Option<&'static str> {
    WGSL.get_file(format!("{}.wgsl", name.replace("::", "/")))?.contents_utf8()
}

/// The text of the module that replaces another one on devices with 64-bit words, if there is one:
/// `block::module_wide` replaces `block::module`.
pub(super) fn wide_module_source(name: &str) -> Option<&'static str> {
    module_source(&format!("{name}_wide"))
}

/// Name (as in `import package::NAME::item;`) and text of every module, block by block.
pub fn modules() -> impl Iterator<Item = (String, &'static str)> {
    WGSL.dirs().flat_map(Dir::files).filter_map(|file| {
        let name = file.path().with_extension("").to_str()?.replace('/', "::");
        Some((name, file.contents_utf8()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_module() {
        let names: Vec<_> = modules().map(|(name, _)| name).collect();
        assert!(names.len() > 80 && names.contains(&"arith::bits".to_owned()), "{names:?}");
        assert!(names.iter().all(|name| module_source(name).is_some()));
        assert!(wide_module_source("memory::vector").is_some() && wide_module_source("arith::bits").is_none());
        assert_eq!(module_source("arith"), None);
        assert_eq!(module_source("arith::no_such_module"), None);
    }
}
