//! Defines what a SIMT program of a draw reads besides its inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::launch::{Launch, LaunchTextures, LaunchThreads};
use crate::isa::tesla::TeslaGeneration;
use crate::shader::simt::SimtProgram;

/// A SIMT program of a draw, and what it reads besides its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct SimtStage {
    /// The program.
    pub program: Arc<SimtProgram>,
    /// The generation of the processor; instructions of later ones are invalid.
    pub generation: TeslaGeneration,
    /// The registers of a thread.
    pub registers: u32,
    /// The local memory of a thread, in bytes.
    pub local_bytes: u32,
    /// The constant spaces by number; the others are empty.
    pub constants: BTreeMap<u8, Vec<u8>>,
}

impl SimtStage {
    /// The launch of the program over vertices or fragments, with textures whose texels are elsewhere.
    #[must_use]
    pub fn launch(&self, threads: LaunchThreads, textures: LaunchTextures) -> Launch {
        let launch = Launch::graphics(Arc::clone(&self.program), self.generation, self.registers, threads);
        let (constants, textures) = (self.constants.clone(), Arc::new(textures));
        Launch { local_bytes: self.local_bytes, constants, textures, ..launch }
    }
}
