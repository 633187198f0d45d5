//! Runs inside an OpenGL program in place of libdrm's nouveau library, and hands what its driver does to the emulator.
//!
//! Mesa's nouveau drivers reach the kernel through `libdrm_nouveau.so.2`: devices, channels, buffer objects, push buffers.
//! Preloaded, this library answers these calls. Of chips it knows only what the kernel tells: it places buffers, collects
//! the words of submissions and sends both through the [`protocol`]; programs see the memory of a buffer that they map as a
//! file in memory which the emulator shares.
//!
//! ```text
//! identity         which GPU the machine has (drm*)
//! object           devices, channels, notifiers, graphics objects
//! push_buffer      words, references, submissions; buffer_context: references that a driver keeps
//! buffer           buffer objects: address, memory, waits
//! device           what the objects of a device share: connection, address_space
//! generation       what differs between chips
//! frames           where frames end
//! connection       the socket
//! marks            what the program did, for the command that started it
//! clock            the time that both sides read
//! abi              the types of libdrm's header
//! ```
//!
//! Functions that the driver calls follow the contracts of libdrm's `nouveau.h`; pointers come from its own calls.
#![cfg(target_os = "linux")]

mod abi;
mod address_space;
mod buffer;
mod buffer_context;
pub mod clock;
mod connection;
mod device;
mod frames;
mod generation;
mod identity;
mod marks;
mod object;
pub mod protocol;
mod push_buffer;
