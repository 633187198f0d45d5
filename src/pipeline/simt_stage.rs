//! Defines a SIMT program of a launch or a draw, and what it reads besides its inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::shader::simt::{SimtProgram, TeslaGeneration};

/// A SIMT program of a launch or a draw, and what it reads besides inputs and textures.
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
    pub constants: Arc<BTreeMap<u8, Vec<u8>>>,
}
