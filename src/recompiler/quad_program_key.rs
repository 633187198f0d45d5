//! What determines the text of the programs that shade quads, by dialect.

use super::compute::{self, SimtFragmentKey};
use super::fragment::{self, FragmentKernelKey};
use super::quad_inputs::QuadKey;
use super::quad_program::{ProgramFacts, QuadProgram};
use super::software::iteration_budget::QuadIterations;
use crate::pipeline::EngineError;

/// The key of a program that shades quads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum QuadProgramKey {
    /// Over registers of four components.
    Vec4(Box<FragmentKernelKey>),
    /// Over the threads of quads.
    Simt(Box<SimtFragmentKey>),
}

impl QuadProgramKey {
    /// The quads that it shades.
    #[must_use]
    pub const fn quads(&self) -> &QuadKey {
        match self {
            Self::Vec4(key) => &key.quads,
            Self::Simt(key) => &key.quads,
        }
    }

    /// Bit i: it computes the color of target i.
    #[must_use]
    pub const fn targets(&self) -> u8 {
        match self {
            Self::Vec4(key) => key.targets,
            Self::Simt(key) => key.targets,
        }
    }

    /// What tile kernels depend on, of a program with these constants; `fetch` returns the loop iterations of a texture unit.
    pub(crate) fn facts(&self, constants: &[[u32; 4]], fetch: &dyn Fn(u8) -> QuadIterations) -> ProgramFacts {
        match self {
            Self::Vec4(key) => key.facts(constants, fetch),
            Self::Simt(key) => key.facts(fetch),
        }
    }

    /// The program.
    ///
    /// # Errors
    /// If it is too large, or kernels do not run it.
    pub(crate) fn program(&self) -> Result<Box<dyn QuadProgram + '_>, EngineError> {
        Ok(match self {
            Self::Vec4(key) => Box::new(fragment::quad_program(key)?),
            Self::Simt(key) => Box::new(compute::quad_program(key)?),
        })
    }

    /// Writes the kernel `shade_quads`; `texture_unit` returns the text that declares a sampled unit's functions, with its
    /// imports.
    ///
    /// # Errors
    /// Those of [`program`](Self::program).
    pub fn shade_source(
        &self,
        texture_unit: &dyn Fn(u8) -> Result<String, EngineError>,
    ) -> Result<String, EngineError> {
        let counts = match self {
            Self::Vec4(key) => key.counts,
            Self::Simt(key) => key.counts.is_some(),
        };
        fragment::shade_quads_source(self.quads(), counts, &mut *self.program()?, texture_unit)
    }
}
