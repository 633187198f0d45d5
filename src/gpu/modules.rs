//! The WGSL modules that kernels import, by name.

/// Name (as in `import package::NAME::item;`) and text of every module under `wgsl/`.
pub const MODULES: &[(&str, &str)] = &[
    ("opaque", include_str!("../../wgsl/opaque.wgsl")),
    ("quad", include_str!("../../wgsl/quad.wgsl")),
    ("surface_layout", include_str!("../../wgsl/surface_layout.wgsl")),
    ("memory_read", include_str!("../../wgsl/memory_read.wgsl")),
    ("memory_write", include_str!("../../wgsl/memory_write.wgsl")),
    ("transfer_source_heap", include_str!("../../wgsl/transfer_source_heap.wgsl")),
    ("transfer_source_copy", include_str!("../../wgsl/transfer_source_copy.wgsl")),
];

/// The text of a module.
#[must_use]
pub fn module_source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(module, _)| *module == name).map(|(_, source)| *source)
}
