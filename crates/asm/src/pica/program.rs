//! Reads one executable of a shader binary as a program with the registers that its container sets.

use std::sync::Arc;

use super::listing::{PicaListingError, listing};
use crate::arith::pica::F24;
use crate::inputs::ElementInputs;
use crate::isa::VertexMicrocode;
use crate::isa::pica_vertex::{FIRST_INTEGER, INTEGERS, PicaDecodeError};
use crate::shader::vertex::VertexProgram;
use crate::shbin::{Executable, Shbin, ShbinStage, ShbinValue};

/// One executable of a shader binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PicaProgram {
    binary: Shbin,
    number: usize,
}

/// A shader binary does not have an executable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no executable {number}; the shader binary has {count}")]
pub struct NoExecutable {
    /// The number that is asked for, from 0.
    pub number: usize,
    /// How many executables there are.
    pub count: usize,
}

impl PicaProgram {
    /// Takes the executable with this number, from 0.
    ///
    /// # Errors
    /// When the binary does not have it.
    pub fn new(binary: Shbin, number: usize) -> Result<Self, NoExecutable> {
        let count = binary.executables.len();
        if number < count { Ok(Self { binary, number }) } else { Err(NoExecutable { number, count }) }
    }

    /// The shader binary.
    #[must_use]
    pub const fn binary(&self) -> &Shbin {
        &self.binary
    }

    /// The executable.
    #[must_use]
    pub fn executable(&self) -> &Executable {
        &self.binary.executables[self.number]
    }

    /// The words, with the address at which execution starts.
    #[must_use]
    pub fn microcode(&self) -> VertexMicrocode {
        VertexMicrocode::Pica200 { shader: Arc::new(self.binary.shader()), entry: self.entry() }
    }

    /// The address at which execution starts. One beyond 16 bits is outside of every store, as is the last of them.
    fn entry(&self) -> u16 {
        u16::try_from(self.executable().entry).unwrap_or(u16::MAX)
    }

    /// Decodes the program.
    ///
    /// # Errors
    /// When a word that execution can reach has no meaning in this stage.
    pub fn decode(&self) -> Result<VertexProgram, PicaDecodeError> {
        let shader = self.binary.shader();
        match self.executable().stage {
            ShbinStage::Vertex => shader.lower(self.entry()),
            ShbinStage::Geometry { .. } => shader.lower_geometry(self.entry()),
        }
    }

    /// Writes the executable and all code of the binary as text.
    ///
    /// # Errors
    /// When the language cannot describe them.
    pub fn listing(&self) -> Result<String, PicaListingError> {
        listing(&self.binary, self.number)
    }

    /// The inputs of an element for which nothing is given: the constants of the executable, and zeros.
    #[must_use]
    pub fn inputs(&self) -> ElementInputs {
        // Unverified: registers that nothing sets; they hold what the program before left.
        let constants = (0..usize::from(FIRST_INTEGER) + usize::from(INTEGERS)).map(|index| (index, [0; 4]));
        let mut inputs = ElementInputs { constants: constants.collect(), ..ElementInputs::default() };
        for constant in &self.executable().constants {
            let register = usize::from(constant.register);
            match constant.value {
                ShbinValue::Boolean(value) => inputs.set_boolean(constant.register, value),
                ShbinValue::Integer(value) => {
                    inputs.constants.insert(usize::from(FIRST_INTEGER) + register, value.map(u32::from));
                }
                ShbinValue::Float(value) => {
                    inputs.constants.insert(register, value.map(|bits| F24.decode(bits)));
                }
            }
        }
        inputs
    }
}
