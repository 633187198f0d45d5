//! A GeForce 6800 that runs on the GPU you have.
//!
//! The modules in the order that data travels; each depends only on those above it:
//!
//! - [`arith`]: the chips' arithmetic, bit for bit
//! - [`format`](mod@format): texel, surface and vertex formats
//! - [`memory`]: address spaces, windows into them, surface layouts
//! - [`capture`]: recorded streams
//! - [`command`]: packets and methods, method writes in words, a stream builder
//! - [`shader`]: typed programs with structured flow
//! - [`isa`]: opcode tables, word layouts, decode, encode, disassemble
//! - [`asm`]: assembly languages into microcode and back
//! - [`pipeline`]: what the chip asks an engine to do, as plain data, and the front end that both engines share
//! - [`chip`]: channel, objects and classes; methods become commands of the pipeline
//! - [`scene`]: scene files into captures
//! - [`machine`](mod@machine): descriptions of chips and boards, their peak rates
//! - [`listing`]: a capture as text
//! - [`counters`]: what the stages of a draw do, in numbers
//! - [`counting`]: the trait of engines that count
//! - [`reference`](mod@reference): the engine on the host, the specification
//! - [`recompiler`]: programs and state into WGSL
//! - [`gpu`]: device, linker, dispatch; knows no opcode and no register
//! - [`kernels`]: the engine on a GPU
//! - [`engine`]: the choice of engine and adapter
//! - [`replay`](mod@replay): a capture on an engine, and the surfaces that it leaves
//! - [`statistics`]: what the chip did with a stream
//! - [`present`]: pictures of surfaces
//! - [`bench`](mod@bench): frames again and again, and the rates that they reach
#![cfg_attr(feature = "window", doc = "- [`view`](mod@view): a window that plays captures and scenes")]

pub mod arith;
pub mod asm;
pub mod bench;
pub mod capture;
pub mod chip;
pub mod command;
pub mod counters;
pub mod counting;
pub mod engine;
pub mod format;
pub mod gpu;
pub mod isa;
pub mod kernels;
pub mod listing;
pub mod machine;
pub mod memory;
pub mod pipeline;
pub mod present;
pub mod recompiler;
pub mod reference;
pub mod replay;
pub mod scene;
pub mod shader;
pub mod statistics;
#[cfg(feature = "window")]
pub mod view;
