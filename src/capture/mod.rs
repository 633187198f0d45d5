//! Recorded command streams (`.nvcap`).
