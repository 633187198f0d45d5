//! Runs inside an OpenGL program in place of the kernel's nouveau driver, and hands what Mesa's driver does to the emulator.
//!
//! Mesa's nouveau drivers reach the kernel through requests to a device node (`ioctl`) and maps of it (`mmap`), whatever library
//! makes them. Preloaded, this library answers those of one node, which is `/dev/null`, and lets all others pass. Of chips it
//! knows only what the kernel tells: it places buffers, collects the words of submissions and sends both through the
//! [`protocol`]; programs see the memory of a buffer that they map as a file in memory which the emulator shares.
//!
//! ```text
//! identity         which GPU the machine has (drm*)
//! intercept        ioctl and mmap
//! descriptors      which client a descriptor leads to
//! client           requests: channel, objects, buffers
//! submission       requests: words, and the buffers that they use
//! buffer           buffers: place, memory, waits; address_space: their addresses
//! generation       what differs between chips
//! frames           where frames end; swap_functions: Mesa's functions that end them
//! connection       the socket
//! libdrm_nouveau   a fault of older drivers
//! marks            what the program did, for the command that started it
//! clock            the time that both sides read
//! uapi             numbers and structures of the kernel's interface
//! ```
#![cfg(target_os = "linux")]

mod address_space;
mod buffer;
mod client;
pub mod clock;
mod connection;
mod descriptors;
mod frames;
mod generation;
mod identity;
mod intercept;
mod libdrm_nouveau;
mod marks;
pub mod protocol;
mod submission;
mod swap_functions;
mod uapi;
