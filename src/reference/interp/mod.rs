//! Interpolation: the inputs of a quad's fragments.

pub mod interpolate;
pub mod plane_equations;
pub mod quad_weights;
