//! The driver of the GeForce 6800: methods of its 3D class, its 2D classes, and the vertex processors of other machines.

mod constants;
mod draw;
mod driver;
mod pica_program;
mod program;
mod state_registers;
mod subchannels;
mod target;
mod texture;
mod transfer;
mod vertex_engines;

pub(super) use driver::Nv40Driver;
pub(super) use program::load as load_program;
pub(super) use target::place as place_target;
