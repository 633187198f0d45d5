//! The kernels engine: work becomes compute dispatches.
