//! The vertex unit: attribute fetch, vertex programs, vertex textures.

mod emission;
pub mod fetch_vertices;
pub mod run_vertex_program;
pub mod sample_vertex_texture;
mod scopes;
