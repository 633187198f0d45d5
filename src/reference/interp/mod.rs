//! Interpolation: the inputs of a quad's fragments.

pub mod interpolate;
