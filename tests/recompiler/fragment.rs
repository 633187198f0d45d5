//! Fragment programs.
