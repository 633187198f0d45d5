//! A fragment program into the WGSL kernel `shade_quads`.
