//! Historic graphics chips that run on the GPU you have; the first is the GeForce 6800 (NV40).
//!
//! A chip takes the inputs of the real one: push buffers of methods, memory, microcode. An [`Engine`] executes the
//! chip's commands: the *reference* (Rust, the specification) or the *kernels* (WGSL compute shaders through wgpu).
//! Both produce the same bytes.
//!
//! Build a stream and draw a triangle:
//!
//! ```
//! use curie::methods::{draw, program, sync, targets, vertex};
//! use curie::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! const CLASS: u32 = 0x4097;
//! const THREE_D: u8 = 7;
//! let mut capture = CaptureBuilder::new();
//! let target = capture.buffer(MemorySpace::Vram, 64 * 64 * 4);
//! let microcode = capture.buffer(MemorySpace::Vram, 4096);
//!
//! let mut stream = StreamBuilder::new();
//! stream.bind(THREE_D, CLASS, handles::object(CLASS));
//! stream.method(THREE_D, sync::DMA_COLOR0, handles::VRAM);
//! stream.method(THREE_D, sync::DMA_TEXTURE0, handles::VRAM);
//! stream.named(THREE_D, CLASS, "RT_HORIZ", &[("width", "64")])?;
//! stream.named(THREE_D, CLASS, "RT_VERT", &[("height", "64")])?;
//! stream.named(THREE_D, CLASS, "RT_FORMAT", &[("color", "A8R8G8B8"), ("zeta", "Z24S8"), ("layout", "LINEAR")])?;
//! stream.method(THREE_D, targets::COLOR0_PITCH, 64 * 4);
//! stream.method(THREE_D, targets::COLOR0_OFFSET, u32::try_from(target.offset)?);
//!
//! let text = "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND";
//! let pass = assemble("pass.vp", text)?;
//! assert!(pass.listing().contains("MOV o[0], v[0]"), "the chip's own instructions as text");
//! let Assembly::Vertex(vertex_program) = pass else { unreachable!() };
//! stream.method(THREE_D, program::VP_UPLOAD_FROM_ID, 0);
//! for instruction in &vertex_program.instructions {
//!     stream.methods(THREE_D, program::VP_UPLOAD_INST, instruction);
//! }
//! stream.method(THREE_D, program::VP_RESULT_EN, vertex_program.results);
//! let text = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND";
//! let Assembly::Fragment(fragment_program) = assemble("color.fp", text)? else { unreachable!() };
//! let bytes: Vec<u8> = fragment_program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
//! capture.write(&microcode, &bytes);
//! stream.method(THREE_D, program::FP_ACTIVE_PROGRAM, u32::try_from(microcode.offset)? | 1);
//! stream.method(THREE_D, program::FP_CONTROL, fragment_program.control);
//!
//! // Positions are in pixels. Writing attribute 0 completes a vertex.
//! stream.method(THREE_D, program::ENGINE, 0x113);
//! stream.named(THREE_D, CLASS, "VERTEX_BEGIN_END", &[("primitive", "TRIANGLES")])?;
//! for (position, color) in [([0.0, 0.0], [1.0, 0.0, 0.0]), ([64.0, 0.0], [0.0, 1.0, 0.0]), ([0.0, 64.0], [0.0, 0.0, 1.0])] {
//!     stream.floats(THREE_D, vertex::VTX_ATTR_3F_X + 16 * 3, &color);
//!     stream.floats(THREE_D, vertex::VTX_ATTR_2F_X, &position);
//! }
//! stream.method(THREE_D, draw::VERTEX_BEGIN_END, 0);
//! capture.submit(stream);
//! let capture = capture.finish();
//!
//! let mut opened = open_for(&capture, EngineChoice::Reference, &AdapterChoice::Best)?;
//! let outcome = replay(&capture, opened.engine.as_mut(), &ReplayOptions::default(), &mut |_, _| {})?;
//! let surface = &outcome.surfaces[0];
//! let picture = Picture::of_surface(surface, Channel::Color).ok_or("a color target has a picture")?;
//! write_png(&std::env::temp_dir().join("triangle.png"), &picture)?;
//! let pixel = surface.pixel(1, 1).ok_or("inside")?;
//! assert!(pixel[0] > 240, "the corner at the origin is red: {pixel:?}");
//! assert_eq!(surface.texel(60, 60), Some(&[0; 4][..]), "the other half is not drawn");
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
pub use curie_isa::{arith, format, isa, plural, shader};

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
pub use command::builder::{BuildError, CaptureBuilder, StreamBuilder, handles};
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
pub use replay::{Outcome, Readback, ReplayError, ReplayOptions, Surface, replay};
#[doc(inline)]
pub use scene::{SceneError, SceneFile, SceneOptions};
#[doc(inline)]
pub use statistics::{Statistics, collect};
