//! Defines a case: what runs, on which engines, and what it must give.

use std::path::PathBuf;

use super::StreamOptions;
use crate::counters::Counter;
use crate::named_enum;

/// A counter that a case must give: its name, the counter, its element if it has several, the value.
pub type ExpectedCount = (String, Counter, Option<usize>, u64);

named_enum! {
    /// An engine that a case runs on.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize, serde::Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Engine {
        /// The reference, on the host.
        Reference = "reference",
        /// The kernels, on an adapter.
        Kernels = "kernels",
    }
}

/// A case of a check file, with paths relative to the working directory.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, unique in its file.
    pub name: String,
    /// Its line in the file, from 1.
    pub line: usize,
    /// What runs.
    pub subject: Subject,
    /// The engines that run it.
    pub engines: Vec<Engine>,
    /// The machine that runs it: a name of a bundled machine, or a file.
    pub machine: Option<String>,
    /// What it must give.
    pub expected: Expected,
}

/// What a case runs.
#[derive(Debug, Clone)]
pub enum Subject {
    /// A capture or scene.
    Stream(Stream),
    /// A program over given inputs.
    Program(Program),
}

/// A capture, or a frame of a scene.
#[derive(Debug, Clone)]
pub struct Stream {
    /// The capture or scene.
    pub path: PathBuf,
    /// What is taken of a scene.
    pub options: StreamOptions,
    /// The last submission.
    pub until: Option<u32>,
    /// The last draw.
    pub until_draw: Option<u64>,
    /// What the picture shows: `color0` … `color7`, `depth` or `stencil`.
    pub surface: String,
    /// Whether the picture's last row comes first.
    pub flip: bool,
}

/// A program and its inputs, as `curie run-program` takes them.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program file.
    pub path: PathBuf,
    /// The inputs of each element: `NAME=x,y,z,w` groups.
    pub inputs: ProgramInputs,
    /// The stage of raw words: `vertex` or `fragment`.
    pub stage: Option<String>,
    /// The program of a module for the Tesla processor.
    pub entry: Option<String>,
    /// The textures, as text.
    pub textures: Vec<String>,
    /// The folder that the files of textures are in.
    pub folder: PathBuf,
    /// The booleans of a vertex program.
    pub booleans: u32,
    /// Whether a fragment program's results are full registers.
    pub full_outputs: bool,
    /// Whether a fragment program writes depth.
    pub depth: bool,
}

/// Where the inputs of a program are.
#[derive(Debug, Clone)]
pub enum ProgramInputs {
    /// In the case itself, one text for each element.
    Given(Vec<String>),
    /// In a file, one line for each element.
    File(PathBuf),
}

/// What a case must give; each part is optional.
#[derive(Debug, Clone, Default)]
pub struct Expected {
    /// Surfaces by name; each with its size, format and hash, or its hash alone.
    pub surfaces: Vec<(String, String)>,
    /// The lines of all readbacks.
    pub readbacks: Option<Vec<String>>,
    /// Counters of the whole run: the name, the counter, its element, the value.
    pub counters: Vec<ExpectedCount>,
    /// Single pixels.
    pub pixels: Vec<Pixel>,
    /// A picture of the surface that the case shows.
    pub picture: Option<PathBuf>,
    /// The result registers of a program.
    pub results: Option<Vec<String>>,
}

impl Expected {
    /// Whether nothing is expected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { surfaces, readbacks, counters, pixels, picture, results } = self;
        let has_lists = readbacks.is_some() || results.is_some() || picture.is_some();
        !has_lists && surfaces.is_empty() && counters.is_empty() && pixels.is_empty()
    }
}

/// A pixel and its value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pixel {
    /// The surface.
    #[serde(default = "color0")]
    pub surface: String,
    /// The column, from 0.
    pub x: u32,
    /// The row, from 0, in the order of memory.
    pub y: u32,
    /// Its value, a hexadecimal number of as many bytes as the format has.
    pub value: String,
}

fn color0() -> String {
    "color0".to_owned()
}
