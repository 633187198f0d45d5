//! Programs and state into WGSL text.
