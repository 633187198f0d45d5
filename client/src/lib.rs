//! Runs inside an OpenGL program in place of libdrm's nouveau library, and hands what its driver does to the emulator.

pub mod protocol;
