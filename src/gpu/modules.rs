//! The WGSL modules that kernels import, by name.

/// Name (as in `import package::NAME::item;`) and text of every module under `wgsl/`.
pub const MODULES: &[(&str, &str)] = &[
    ("condition_codes", include_str!("../../wgsl/condition_codes.wgsl")),
    ("opaque", include_str!("../../wgsl/opaque.wgsl")),
    ("quad", include_str!("../../wgsl/quad.wgsl")),
    ("vertex_formats", include_str!("../../wgsl/vertex_formats.wgsl")),
    ("vertex_parameters", include_str!("../../wgsl/vertex_parameters.wgsl")),
    ("surface_layout", include_str!("../../wgsl/surface_layout.wgsl")),
];

/// The text of a module.
#[must_use]
pub fn module_source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(module, _)| *module == name).map(|(_, source)| *source)
}
