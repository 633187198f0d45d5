//! Writes the bytes of a shader binary, in picasso's order.

use super::{Executable, MAX_NAME_LENGTH, Shbin, ShbinStage, ShbinValue, bytes};
use crate::isa::pica_vertex::OUTPUTS;

/// Why a shader binary has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShbinWriteError {
    /// An offset does not fit its field.
    #[error("the file is larger than 4 GiB")]
    TooLarge,
    /// A value does not fit its field.
    #[error("executable {executable}: {what} {value:#x} is out of range")]
    OutOfRange {
        /// The number of the executable.
        executable: usize,
        /// What the value is.
        what: &'static str,
        /// The value.
        value: u32,
    },
    /// A name cannot be stored.
    #[error("executable {executable}: the name {name:?} has a zero byte or more than {MAX_NAME_LENGTH} bytes")]
    Name {
        /// The number of the executable.
        executable: usize,
        /// The name.
        name: String,
    },
}

impl Shbin {
    /// Writes the file.
    ///
    /// # Errors
    /// When a value or a name does not fit the format.
    pub fn write(&self) -> Result<Vec<u8>, ShbinWriteError> {
        let mut blocks = vec![self.program()?];
        for (number, executable) in self.executables.iter().enumerate() {
            executable.check(number, self.code.len())?;
            blocks.push(executable.block()?);
        }
        let mut file = Bytes::default();
        file.name(b"DVLB");
        file.size(self.executables.len())?;
        let mut offset = bytes::HEADER + 4 * self.executables.len();
        for block in &blocks[..self.executables.len()] {
            offset += block.0.len();
            file.size(offset)?;
        }
        for block in blocks {
            file.0.extend_from_slice(&block.0);
        }
        Ok(file.0)
    }

    fn program(&self) -> Result<Bytes, ShbinWriteError> {
        let mut block = Bytes::default();
        let descriptors = bytes::WRITTEN_PROGRAM_HEADER + 4 * self.code.len();
        let end = descriptors + bytes::DESCRIPTOR * self.descriptors.len();
        block.name(b"DVLP");
        block.word(self.version);
        block.size(bytes::WRITTEN_PROGRAM_HEADER)?;
        block.size(self.code.len())?;
        block.size(descriptors)?;
        block.size(self.descriptors.len())?;
        // Debugging data, which is absent.
        block.size(end)?;
        block.words(&[0; 3]);
        block.words(&self.code);
        for descriptor in &self.descriptors {
            block.words(&[descriptor.word, descriptor.operands]);
        }
        Ok(block)
    }
}

impl Executable {
    /// Fails if the reader would not accept a value.
    fn check(&self, executable: usize, code_words: usize) -> Result<(), ShbinWriteError> {
        let names = self.labels.iter().map(|label| &label.name).chain(self.uniforms.iter().map(|entry| &entry.name));
        for name in names {
            if name.len() > MAX_NAME_LENGTH || name.contains('\0') {
                return Err(ShbinWriteError::Name { executable, name: name.clone() });
            }
        }
        let in_range = |what, value: u32, is_valid: bool| {
            if is_valid { Ok(()) } else { Err(ShbinWriteError::OutOfRange { executable, what, value }) }
        };
        in_range("entry", self.entry, (self.entry as usize) < code_words)?;
        in_range("end of main", self.end, self.end as usize <= code_words)?;
        for constant in &self.constants {
            let (_, registers) = constant.value.kind().1.range();
            in_range("register of a constant", constant.register.into(), constant.register < registers)?;
            if let ShbinValue::Float(components) = constant.value {
                components.into_iter().try_for_each(|value| in_range("24-bit float", value, value >> 24 == 0))?;
            }
        }
        for output in &self.outputs {
            in_range("output register", output.register.into(), output.register < OUTPUTS)?;
            in_range("mask of an output", output.mask.0.into(), output.mask.0 < 16)?;
        }
        for uniform in &self.uniforms {
            let (_, registers) = uniform.file.range();
            in_range("last register", uniform.last.into(), uniform.last < registers)?;
            in_range("first register", uniform.first.into(), uniform.first <= uniform.last)?;
        }
        Ok(())
    }

    fn block(&self) -> Result<Bytes, ShbinWriteError> {
        let mut names = Bytes::default();
        let mut tables = Bytes::default();
        let mut header = Bytes::default();
        let mut begins = Vec::new();
        begins.push((tables.0.len(), self.constants.len()));
        for constant in &self.constants {
            tables.half(constant.value.kind().0);
            tables.half(constant.register.into());
            tables.words(&match constant.value {
                ShbinValue::Boolean(value) => [value.into(), 0, 0, 0],
                ShbinValue::Integer(components) => [u32::from_le_bytes(components), 0, 0, 0],
                ShbinValue::Float(components) => components,
            });
        }
        begins.push((tables.0.len(), self.labels.len()));
        for label in &self.labels {
            tables.words(&[label.id.into(), label.address, label.words]);
            tables.size(names.0.len())?;
            names.text(&label.name);
        }
        begins.push((tables.0.len(), self.outputs.len()));
        for output in &self.outputs {
            for value in [output.semantic as u16, output.register.into(), output.mask.0.into(), 0] {
                tables.half(value);
            }
        }
        begins.push((tables.0.len(), self.uniforms.len()));
        for uniform in &self.uniforms {
            let (base, _) = uniform.file.range();
            tables.size(names.0.len())?;
            names.text(&uniform.name);
            tables.half(base + u16::from(uniform.first));
            tables.half(base + u16::from(uniform.last));
        }
        begins.push((tables.0.len(), names.0.len()));
        header.name(b"DVLE");
        header.half(self.version);
        let (stage, geometry) = match self.stage {
            ShbinStage::Vertex => (0, [0; 4]),
            ShbinStage::Geometry { mode, fixed_start, variable_count, fixed_count } => {
                (1, [mode as u8, fixed_start, variable_count, fixed_count])
            }
        };
        header.0.extend_from_slice(&[stage, self.merges_outputs.into()]);
        header.words(&[self.entry, self.end]);
        header.half(self.input_mask);
        header.half(self.output_mask);
        header.0.extend_from_slice(&geometry);
        for (start, count) in begins {
            header.size(bytes::EXECUTABLE_HEADER + start)?;
            header.size(count)?;
        }
        header.0.append(&mut tables.0);
        header.0.append(&mut names.0);
        header.0.resize(header.0.len().next_multiple_of(4), 0);
        Ok(header)
    }
}

/// Bytes that grow at their end.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn name(&mut self, name: &[u8; 4]) {
        self.0.extend_from_slice(name);
    }

    fn half(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn word(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn words(&mut self, values: &[u32]) {
        values.iter().for_each(|&value| self.word(value));
    }

    fn size(&mut self, value: usize) -> Result<(), ShbinWriteError> {
        self.word(u32::try_from(value).map_err(|_| ShbinWriteError::TooLarge)?);
        Ok(())
    }

    /// A text with its end.
    fn text(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
    }
}
