//! Defines a SIMT program of a launch or a draw, and what it reads besides its inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::shader::simt::{SimtProgram, TeslaGeneration};

/// The source of a word that a vertex or geometry program of a draw passes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputWord {
    /// The word of `o[]` of this number.
    Word(u8),
    /// This value.
    Value(u32),
}

impl OutputWord {
    /// The first words of `o[]` in place.
    #[must_use]
    pub fn in_place(count: u8) -> Vec<Self> {
        (0..count).map(Self::Word).collect()
    }

    /// How many words of `o[]` these need.
    #[must_use]
    pub fn words_needed(words: &[Self]) -> u32 {
        let ends = words.iter().map(|word| if let Self::Word(word) = word { u32::from(*word) + 1 } else { 0 });
        ends.max().unwrap_or(0)
    }

    /// Its value in the words of `o[]`; 0 where there is none.
    #[must_use]
    pub fn of(self, words: &[u32]) -> u32 {
        match self {
            Self::Word(word) => words.get(usize::from(word)).copied().unwrap_or(0),
            Self::Value(value) => value,
        }
    }
}

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
