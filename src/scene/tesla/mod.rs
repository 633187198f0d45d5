//! The driver of the GeForce 8 to 300: methods of the 3D class 0x5097 and its successors, of the 2D class and of memory copies.
//!
//! What connects the programs of a draw follows from the programs themselves (`links`), by rules that a scene's author can
//! keep in mind: attribute n is `a[16 n]`; the word `o[n]` of the last stage before the rasterizer is `v[n]` of the fragment
//! program, where the first four are the position; constants have the names of the text.

mod class;
mod constants;
mod draw;
mod driver;
mod links;
mod methods;
mod program;
mod resolve;
mod state_registers;
mod target;
mod textures;

pub(super) use class::three_d_class;
pub(super) use driver::TeslaDriver;
pub(super) use program::load as load_program;
pub(super) use target::place as place_target;
pub(super) use textures::place as place_texture;
