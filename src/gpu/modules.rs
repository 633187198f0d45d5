//! The WGSL modules that kernels import, by name.

/// Name (as in `import package::NAME::item;`) and text of every module under `wgsl/`.
pub const MODULES: &[(&str, &str)] = &[
    ("coverage_at_centers", include_str!("../../wgsl/coverage_at_centers.wgsl")),
    ("coverage_at_samples", include_str!("../../wgsl/coverage_at_samples.wgsl")),
    ("cylindrical_wrap", include_str!("../../wgsl/cylindrical_wrap.wgsl")),
    ("geometry_buffers", include_str!("../../wgsl/geometry_buffers.wgsl")),
    ("given_quads", include_str!("../../wgsl/given_quads.wgsl")),
    ("image_channels", include_str!("../../wgsl/image_channels.wgsl")),
    ("image_dither", include_str!("../../wgsl/image_dither.wgsl")),
    ("image_operation", include_str!("../../wgsl/image_operation.wgsl")),
    ("image_yuv", include_str!("../../wgsl/image_yuv.wgsl")),
    ("interpolate", include_str!("../../wgsl/interpolate.wgsl")),
    ("line_coverage", include_str!("../../wgsl/line_coverage.wgsl")),
    ("listed_quads", include_str!("../../wgsl/listed_quads.wgsl")),
    ("memory_read", include_str!("../../wgsl/memory_read.wgsl")),
    ("memory_write", include_str!("../../wgsl/memory_write.wgsl")),
    ("merge_surface", include_str!("../../wgsl/merge_surface.wgsl")),
    ("numeric_bits", include_str!("../../wgsl/numeric_bits.wgsl")),
    ("numeric_condition", include_str!("../../wgsl/numeric_condition.wgsl")),
    ("numeric_convert", include_str!("../../wgsl/numeric_convert.wgsl")),
    ("numeric_fragment", include_str!("../../wgsl/numeric_fragment.wgsl")),
    ("numeric_pack", include_str!("../../wgsl/numeric_pack.wgsl")),
    ("numeric_special", include_str!("../../wgsl/numeric_special.wgsl")),
    ("numeric_tables", include_str!("../../wgsl/numeric_tables.wgsl")),
    ("numeric_vector", include_str!("../../wgsl/numeric_vector.wgsl")),
    ("numeric_vertex", include_str!("../../wgsl/numeric_vertex.wgsl")),
    ("numeric_vertex_rough", include_str!("../../wgsl/numeric_vertex_rough.wgsl")),
    ("opaque", include_str!("../../wgsl/opaque.wgsl")),
    ("polygon_coverage", include_str!("../../wgsl/polygon_coverage.wgsl")),
    ("quad", include_str!("../../wgsl/quad.wgsl")),
    ("quad_samples", include_str!("../../wgsl/quad_samples.wgsl")),
    ("quad_weights", include_str!("../../wgsl/quad_weights.wgsl")),
    ("raster_parameters", include_str!("../../wgsl/raster_parameters.wgsl")),
    ("set_up_line", include_str!("../../wgsl/set_up_line.wgsl")),
    ("set_up_record", include_str!("../../wgsl/set_up_record.wgsl")),
    ("set_up_triangle", include_str!("../../wgsl/set_up_triangle.wgsl")),
    ("srgb_curve", include_str!("../../wgsl/srgb_curve.wgsl")),
    ("surface_layout", include_str!("../../wgsl/surface_layout.wgsl")),
    ("texture_addressing", include_str!("../../wgsl/texture_addressing.wgsl")),
    ("texture_ellipse", include_str!("../../wgsl/texture_ellipse.wgsl")),
    ("texture_parameters", include_str!("../../wgsl/texture_parameters.wgsl")),
    ("texture_texels", include_str!("../../wgsl/texture_texels.wgsl")),
    ("tile_walk", include_str!("../../wgsl/tile_walk.wgsl")),
    ("transfer_source_copy", include_str!("../../wgsl/transfer_source_copy.wgsl")),
    ("transfer_source_heap", include_str!("../../wgsl/transfer_source_heap.wgsl")),
    ("user_clip", include_str!("../../wgsl/user_clip.wgsl")),
    ("vertex_formats", include_str!("../../wgsl/vertex_formats.wgsl")),
    ("vertex_parameters", include_str!("../../wgsl/vertex_parameters.wgsl")),
    ("vertex_texture", include_str!("../../wgsl/vertex_texture.wgsl")),
    ("window_vertex", include_str!("../../wgsl/window_vertex.wgsl")),
];

/// The text of a module.
#[must_use]
pub fn module_source(name: &str) -> Option<&'static str> {
    MODULES.iter().find(|(module, _)| *module == name).map(|(_, source)| *source)
}
