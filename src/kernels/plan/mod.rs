//! Plans the execution of commands on the device: which kernels, with which parameters, and why. The plans are pure
//! values, which a test reads without a device.

pub(in crate::kernels) mod count_places;
pub(in crate::kernels) mod draw_path;
pub(super) mod draw_programs;
pub mod draw_sources;
pub(in crate::kernels) mod filled_triangles;
pub(in crate::kernels) mod geometry_key;
pub(in crate::kernels) mod geometry_options;
pub(in crate::kernels) mod launch_parameters;
pub(in crate::kernels) mod loop_bounds;
pub mod merge_pixels;
pub(in crate::kernels) mod merging;
pub mod outputs_read;
pub(in crate::kernels) mod path_taken;
pub(in crate::kernels) mod reached_memory;
pub mod run_vertex_programs;
pub mod scale_image;
pub(in crate::kernels) mod selected_layers;
pub mod shade_quads;
pub mod surface_layout;
pub mod texture_parameters;
pub mod transfer;
pub(super) mod vec4_stages;
pub(in crate::kernels) mod vertex_blocks;
pub(in crate::kernels) mod vertex_dispatches;
pub(in crate::kernels) mod vertex_sources;
