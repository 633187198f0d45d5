//! Historic graphics chips that run on the GPU you have; the first is the GeForce 6800 (NV40).
//!
//! A chip takes the inputs of the real one: push buffers of methods, memory, microcode. An [`Engine`] executes the
//! chip's commands: the *reference* (Rust, the specification) or the *kernels* (WGSL compute shaders through wgpu).
//! Both produce the same bytes.
//!
//! Draw a triangle, with programs and named methods of the chip:
//!
//! ```
//! use curie::{Channel, Drawing, Picture, run, write_png};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut drawing = Drawing::new(64, 64);
//! drawing.program("!!ARBvp1.0 MOV result.position, vertex.position; MOV result.color, vertex.color; END")?;
//! drawing.program("!!ARBfp1.0 MOV result.color, fragment.color; END")?;
//! drawing.named("VERTEX_BEGIN_END", &[("primitive", "TRIANGLES")])?;
//! let [red, green, blue] = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]];
//! for (x, y, color) in [(0.0, 0.0, red), (64.0, 0.0, green), (0.0, 64.0, blue)] {
//!     // The position, attribute 0, completes a vertex.
//!     drawing.attribute(3, color).attribute(0, [x, y, 0.0, 1.0]);
//! }
//! drawing.named("VERTEX_BEGIN_END", &[("primitive", "STOP")])?;
//!
//! let surface = run(&drawing.finish())?.surfaces.remove(0);
//! // The center of the pixel is 1.5/64 of the way to green and to blue.
//! assert_eq!(surface.pixel(1, 1), Some([243, 6, 6]));
//! assert_eq!(surface.pixel(60, 60), Some([0, 0, 0]), "the other half is not drawn");
//! let picture = Picture::of_surface(&surface, Channel::Color).ok_or("a color surface has a picture")?;
//! write_png(&std::env::temp_dir().join("triangle.png"), &picture)?;
//! # Ok(())
//! # }
//! ```
//!
//! Assemble a program and run it on given inputs:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use curie::*;
//!
//! let text = "!!ARBvp1.0\nADD result.position, vertex.position, vertex.position;\nEND";
//! let file = read_program_file("twice.vp", text.as_bytes(), FileOptions::default())?;
//! assert!(file.listing()?.contains("ADD"), "the chip's own instructions as text");
//! let inputs = parse_inputs("vertex.position=1,2,3,1", file.assembly.as_ref())?;
//! let result = run_program(&file.program, &RunSettings::of(file.assembly.as_ref()), &inputs)?;
//! assert_eq!(result.registers[0].1.map(f32::from_bits), [2.0, 4.0, 6.0, 2.0]);
//! # Ok(())
//! # }
//! ```
//!
//! Count the chip's work in a recorded stream:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use curie::*;
//!
//! let capture = Capture::open("scenes/captures/flat.nvcap")?;
//! let mut opened = open_for(&capture, EngineChoice::Reference, &AdapterChoice::Best)?;
//! let (options, counting) = (ReplayOptions::default(), CountingOptions::default());
//! let (_, statistics) = collect(&capture, opened.engine.as_mut(), &options, counting, &mut |_, _| {})?;
//! assert!(!statistics.frames.is_empty());
//! assert!(!statistics.draws.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! Compare all adapters of the machine:
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use curie::*;
//!
//! let capture = Capture::open("scenes/captures/cube.nvcap")?;
//! let mut lines = Vec::new();
//! for adapter in adapters() {
//!     let mut opened = open_for(&capture, EngineChoice::Kernels, &AdapterChoice::Named(adapter.name))?;
//!     let outcome = replay(&capture, opened.engine.as_mut(), &ReplayOptions::default(), &mut |_, _| {})?;
//!     lines.push(outcome.surfaces.iter().map(Surface::hash_line).collect::<Vec<_>>());
//! }
//! assert!(lines.windows(2).all(|pair| pair[0] == pair[1]));
//! # Ok(())
//! # }
//! ```
//!
//! The items below are the library's public API. The modules are public for the project's own tests and tools, hidden
//! from this page, and change without notice. Below them stand the packages `curie-isa` (arithmetic, programs, encodings,
//! formats), `curie-asm` (assembly languages) and `curie-statistics` (models, schedules, reports). In data-flow order, each module depends only on those above it:
//!
//! - [`files`](mod@files): files that are read within bounds and written whole
//! - [`memory`]: address spaces, windows into them, surface layouts
//! - [`capture`]: recorded streams
//! - [`command`]: packets and methods, method writes in words, a stream builder
//! - [`pipeline`]: the chip's commands to an engine as plain data, and the front end that both engines share
//! - [`chip`]: channel, objects and classes; turns methods into pipeline commands
//! - [`machine`](mod@machine): descriptions of chips and boards, and their peak rates
//! - [`scene`]: scene files to captures
//! - [`listing`]: a capture as text
//! - [`counters`]: the work of a draw's stages, in numbers
//! - [`counting`]: the traits of engines that count
//! - [`reference`](mod@reference): the engine on the host, the specification
//! - [`recompiler`]: programs and state to WGSL
//! - [`gpu`]: device, linker, dispatch; independent of opcodes and registers
//! - [`kernels`]: the engine on a GPU
//! - [`engine`]: the choice of engine and adapter
//! - [`replay`](mod@replay): plays a capture on an engine and reads the resulting surfaces
//! - [`launch`](mod@launch): kernels with arguments
#![cfg_attr(target_os = "linux", doc = "- [`live`]: an OpenGL program's driver as the client of a chip")]
//! - [`statistics`]: the chip's work on a stream
//! - [`present`]: pictures of surfaces
//! - [`check`](mod@check): results against expectations and against each other
//! - [`bench`](mod@bench): repeated frames, and their rates
//! - [`profile`](mod@profile): the time of each draw, and why
#![cfg_attr(feature = "window", doc = "- [`view`](mod@view): windows that show captures, scenes and programs")]

#[doc(hidden)]
pub use curie_asm as asm;
#[doc(hidden)]
pub use curie_isa::{arith, format, isa, named_enum, plural, shader};

#[doc(hidden)]
pub mod bench;
#[doc(hidden)]
pub mod capture;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod chip;
#[doc(hidden)]
pub mod command;
#[doc(hidden)]
pub mod counters;
#[doc(hidden)]
pub mod counting;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod gpu;
#[doc(hidden)]
pub mod kernels;
#[doc(hidden)]
pub mod launch;
#[doc(hidden)]
pub mod listing;
#[cfg(target_os = "linux")]
#[doc(hidden)]
pub mod live;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod pipeline;
#[doc(hidden)]
pub mod present;
#[doc(hidden)]
pub mod profile;
#[doc(hidden)]
pub mod recompiler;
#[doc(hidden)]
pub mod reference;
#[doc(hidden)]
pub mod replay;
#[doc(hidden)]
pub mod scene;
#[doc(hidden)]
pub mod statistics;
#[doc(hidden)]
#[cfg(feature = "window")]
pub mod view;

#[doc(inline)]
pub use asm::inputs::{ElementInputs, InputError, parse_inputs};
#[doc(inline)]
pub use asm::program_file::{FileOptions, MicrocodeFileError, Program, ProgramFile, read_program_file};
#[doc(inline)]
pub use asm::{Assembly, Diagnostics, Language, ProgramStage, assemble, assemble_for};
#[doc(inline)]
pub use capture::{Capture, CaptureError};
#[doc(inline)]
pub use command::builder::{BuildError, CaptureBuilder, StreamBuilder, THREE_D, handles};
#[doc(inline)]
pub use command::drawing::{Drawing, DrawingError};
#[doc(inline)]
pub use command::methods::three_d as methods;
#[doc(inline)]
pub use counters::{Counter, Counters, CountingOptions};
#[doc(inline)]
pub use counting::CountingEngine;
#[doc(inline)]
pub use engine::{ComputeEngine, EngineChoice, OpenError, Opened, open_for};
#[doc(inline)]
pub use gpu::{AdapterChoice, AdapterSummary, adapters};
#[doc(inline)]
pub use launch::{
    Argument, ElementsRequest, ElementsRun, KernelRequest, KernelRun, ProgramTexture, TextureArgument, bind_textures,
    launch, run_elements,
};
#[doc(inline)]
pub use machine::{Machine, MachineError, open as open_machine};
#[doc(inline)]
pub use memory::{MemorySpace, MemoryWindow};
#[doc(inline)]
pub use pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};
#[doc(inline)]
pub use pipeline::{Engine, EngineError};
#[doc(inline)]
pub use present::{Channel, Picture, PictureError, write_png};
#[doc(inline)]
pub use reference::run_program::{run_program, run_textured_program};
#[doc(inline)]
pub use replay::{Outcome, Readback, ReplayError, ReplayOptions, RunError, Surface, replay, run};
#[doc(inline)]
pub use scene::{SceneError, SceneFile, SceneOptions};
#[doc(inline)]
pub use statistics::{Statistics, collect};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
