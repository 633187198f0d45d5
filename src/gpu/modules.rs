//! Embeds the WGSL modules that kernels import, by name: every file below `wgsl/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

static WGSL: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/wgsl");

/// The texts by name. Looking up a path in the folder takes longer.
static MODULES: LazyLock<BTreeMap<String, &str>> = LazyLock::new(|| {
    let files = WGSL.dirs().flat_map(Dir::files);
    let named = files.filter_map(|file| {
        let name = file.path().with_extension("").to_str()?.replace('/', "::");
        Some((name, file.contents_utf8()?))
    });
    named.collect()
});

/// The text of a module; `block::module` names `wgsl/block/module.wgsl`.
#[must_use]
pub fn module_source(name: &str) -> Option<&'static str> {
    MODULES.get(name).copied()
}

/// The text of the module that replaces another one on some devices, if there is one: `block::module_variant` replaces
/// `block::module`. Variants are `wide`, for devices with 64-bit words, and `llvmpipe`.
pub(super) fn variant_source(name: &str, variant: &str) -> Option<&'static str> {
    module_source(&format!("{name}_{variant}"))
}

/// Name (as in `import package::NAME::item;`) and text of every module, block by block.
pub fn modules() -> impl Iterator<Item = (&'static str, &'static str)> {
    MODULES.iter().map(|(name, text)| (name.as_str(), *text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_module() {
        let names: Vec<_> = modules().map(|(name, _)| name).collect();
        assert!(names.len() > 80 && names.contains(&"arith::bits"), "{names:?}");
        assert!(names.iter().all(|name| module_source(name).is_some()));
        let has = |name, variant| variant_source(name, variant).is_some();
        assert!(
            has("memory::vector", "wide") && has("arith::float_barrier", "llvmpipe") && !has("arith::bits", "wide")
        );
        assert_eq!(module_source("arith"), None);
        assert_eq!(module_source("arith::no_such_module"), None);
    }
}
