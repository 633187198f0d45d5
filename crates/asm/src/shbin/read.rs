//! Reads the bytes of a shader binary.
//!
//! Blocks may not overlap and a table stays in its block, so each byte is read a bounded number of times.
#![expect(clippy::cast_possible_truncation, reason = "values are compared with a limit before they are narrowed")]

use std::ops::Range;

use super::{
    Executable, GeometryMode, MAX_NAME_LENGTH, OutputSemantic, RegisterFile, Shbin, ShbinConstant, ShbinDescriptor,
    ShbinLabel, ShbinOutput, ShbinStage, ShbinUniform, ShbinValue, bytes,
};
use crate::isa::pica_vertex::OUTPUTS;
use crate::shader::condition::WriteMask;

/// Why bytes are not a shader binary. Offsets count from the start of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShbinError {
    /// A block does not begin with its name.
    #[error("byte {offset:#x}: expected {expected:?}")]
    Name {
        /// The offset of the block.
        offset: usize,
        /// Its name.
        expected: &'static str,
    },
    /// The file or a block ends early.
    #[error("byte {offset:#x}: expected {expected}, {limit:#x} is the end")]
    Truncated {
        /// The offset of what is expected.
        offset: usize,
        /// What is expected.
        expected: &'static str,
        /// The end of the file or block.
        limit: usize,
    },
    /// A block begins before the end of the previous one, or outside of the file.
    #[error("byte {offset:#x}: executable {number} begins at byte {start:#x}, expected {first:#x} to {last:#x}")]
    BlockOutside {
        /// The offset of the field.
        offset: usize,
        /// The number of the executable.
        number: usize,
        /// Where it begins.
        start: u64,
        /// The first possible byte.
        first: usize,
        /// The last possible byte.
        last: usize,
    },
    /// A table leaves its block.
    #[error("byte {offset:#x}: {what} from byte {start:#x} to {end:#x}, expected within {first:#x} to {last:#x}")]
    TableOutside {
        /// The offset of the table's field.
        offset: usize,
        /// The table.
        what: &'static str,
        /// Where it begins.
        start: u64,
        /// Where it ends.
        end: u64,
        /// The first byte of the block that a table can have.
        first: usize,
        /// The end of the block.
        last: usize,
    },
    /// A value has no meaning.
    #[error("byte {offset:#x}: {what} {value:#x}, expected {expected}")]
    Value {
        /// The offset of the value.
        offset: usize,
        /// What it is.
        what: &'static str,
        /// The value.
        value: u32,
        /// What values it can have.
        expected: &'static str,
    },
    /// A name is not a text.
    #[error("byte {offset:#x}: the name at byte {start:#x} {problem}")]
    Text {
        /// The offset of the name's field.
        offset: usize,
        /// Where the name begins.
        start: u64,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl Shbin {
    /// Reads a shader binary.
    ///
    /// # Errors
    /// When the bytes are not a well-formed one.
    pub fn read(file: &[u8]) -> Result<Self, ShbinError> {
        let whole = Block { file, start: 0, limit: file.len() };
        whole.expect_name("DVLB")?;
        let count = whole.word(4, "number of executables")?;
        let end_of_header = bytes::HEADER as u64 + u64::from(count) * 4;
        if end_of_header > file.len() as u64 {
            return Err(ShbinError::TableOutside {
                offset: 4,
                what: "offsets of executables",
                start: bytes::HEADER as u64,
                end: end_of_header,
                first: bytes::HEADER,
                last: file.len(),
            });
        }
        let program_start = end_of_header as usize;
        let blocks = executable_blocks(&whole, program_start)?;
        let limit = blocks.first().map_or(file.len(), |block| block.start);
        let program = Block { file, start: program_start, limit };
        program.expect_name("DVLP")?;
        let version = program.word(0x04, "version")?;
        let code = program.table(0x08, "code", 4, bytes::PROGRAM_HEADER)?;
        let descriptors = program.table(0x10, "operand descriptors", bytes::DESCRIPTOR, bytes::PROGRAM_HEADER)?;
        let (code, _) = file[code].as_chunks::<4>();
        let (descriptors, _) = file[descriptors].as_chunks::<{ bytes::DESCRIPTOR }>();
        let mut shader = Self {
            version,
            code: code.iter().copied().map(u32::from_le_bytes).collect(),
            descriptors: descriptors
                .iter()
                .map(|&[a, b, c, d, e, f, g, h]| ShbinDescriptor {
                    word: u32::from_le_bytes([a, b, c, d]),
                    operands: u32::from_le_bytes([e, f, g, h]),
                })
                .collect(),
            executables: Vec::with_capacity(blocks.len()),
        };
        for block in blocks {
            shader.executables.push(block.executable(shader.code.len())?);
        }
        Ok(shader)
    }
}

/// The blocks of the executables, each up to the next one; they must be in order.
fn executable_blocks<'file>(whole: &Block<'file>, program: usize) -> Result<Vec<Block<'file>>, ShbinError> {
    let mut blocks: Vec<Block<'file>> = Vec::new();
    let mut first = program + bytes::PROGRAM_HEADER;
    for (number, offset) in (bytes::HEADER..program).step_by(4).enumerate() {
        let start = whole.word(offset, "offset of an executable")?;
        let last = whole.limit.saturating_sub(bytes::EXECUTABLE_HEADER);
        if (start as usize) < first || start as usize > last {
            return Err(ShbinError::BlockOutside { offset, number, start: start.into(), first, last });
        }
        if let Some(previous) = blocks.last_mut() {
            previous.limit = start as usize;
        }
        blocks.push(Block { file: whole.file, start: start as usize, limit: whole.limit });
        first = start as usize + bytes::EXECUTABLE_HEADER;
    }
    Ok(blocks)
}

/// A block of the file; positions are relative to its start.
struct Block<'file> {
    file: &'file [u8],
    start: usize,
    limit: usize,
}

impl Block<'_> {
    fn array<const N: usize>(&self, position: usize, expected: &'static str) -> Result<[u8; N], ShbinError> {
        let offset = self.start + position;
        let found = self.file[..self.limit].get(offset..).and_then(|rest| rest.first_chunk());
        found.copied().ok_or(ShbinError::Truncated { offset, expected, limit: self.limit })
    }

    fn byte(&self, position: usize, expected: &'static str) -> Result<u8, ShbinError> {
        self.array(position, expected).map(|[byte]| byte)
    }

    fn half(&self, position: usize, expected: &'static str) -> Result<u16, ShbinError> {
        self.array(position, expected).map(u16::from_le_bytes)
    }

    fn word(&self, position: usize, expected: &'static str) -> Result<u32, ShbinError> {
        self.array(position, expected).map(u32::from_le_bytes)
    }

    fn expect_name(&self, expected: &'static str) -> Result<(), ShbinError> {
        let found: [u8; 4] = self.array(0, expected)?;
        if found == expected.as_bytes() { Ok(()) } else { Err(ShbinError::Name { offset: self.start, expected }) }
    }

    /// The bytes in the file of the table whose offset and count are at `position`.
    fn table(
        &self,
        position: usize,
        what: &'static str,
        entry_bytes: usize,
        header_bytes: usize,
    ) -> Result<Range<usize>, ShbinError> {
        let start = self.start as u64 + u64::from(self.word(position, what)?);
        let bytes = u64::from(self.word(position + 4, what)?) * entry_bytes as u64;
        if bytes == 0 {
            // Nothing is read from an empty table, so that its offset does not matter.
            return Ok(0..0);
        }
        let (end, first) = (start + bytes, self.start + header_bytes);
        if start < first as u64 || end > self.limit as u64 {
            let offset = self.start + position;
            return Err(ShbinError::TableOutside { offset, what, start, end, first, last: self.limit });
        }
        Ok(start as usize..end as usize)
    }

    /// The value at a position, if it is in a range.
    fn checked(
        &self,
        position: usize,
        what: &'static str,
        value: u32,
        is_valid: bool,
        expected: &'static str,
    ) -> Result<u32, ShbinError> {
        let offset = self.start + position;
        if is_valid { Ok(value) } else { Err(ShbinError::Value { offset, what, value, expected }) }
    }

    /// The entries of a table, each as a block of its own.
    fn entries(
        &self,
        position: usize,
        what: &'static str,
        entry_bytes: usize,
    ) -> Result<impl Iterator<Item = Self>, ShbinError> {
        let table = self.table(position, what, entry_bytes, bytes::EXECUTABLE_HEADER)?;
        let file = self.file;
        Ok(table.step_by(entry_bytes).map(move |start| Self { file, start, limit: start + entry_bytes }))
    }

    fn executable(&self, code_words: usize) -> Result<Executable, ShbinError> {
        self.expect_name("DVLE")?;
        let (entry, end) = (self.word(0x08, "entry")?, self.word(0x0c, "end of main")?);
        self.checked(0x08, "entry", entry, (entry as usize) < code_words, "an address of the code")?;
        self.checked(0x0c, "end of main", end, end as usize <= code_words, "an address of the code, or its end")?;
        let merges = self.byte(0x07, "merge flag")?;
        self.checked(0x07, "merge flag", merges.into(), merges < 2, "0 or 1")?;
        let names = self.table(0x38, "names", 1, bytes::EXECUTABLE_HEADER)?;
        let name = |entry: &Self, position: usize| entry.name(position, &names);
        let constants = self.entries(0x18, "constants", bytes::CONSTANT)?;
        let labels = self.entries(0x20, "labels", bytes::LABEL)?;
        let outputs = self.entries(0x28, "outputs", bytes::OUTPUT)?;
        let uniforms = self.entries(0x30, "uniforms", bytes::UNIFORM)?;
        Ok(Executable {
            version: self.half(0x04, "version")?,
            stage: self.stage()?,
            merges_outputs: merges != 0,
            entry,
            end,
            input_mask: self.half(0x10, "input mask")?,
            output_mask: self.half(0x12, "output mask")?,
            constants: constants.map(|entry| entry.constant()).collect::<Result<_, _>>()?,
            labels: labels
                .map(|entry| {
                    Ok(ShbinLabel {
                        id: entry.byte(0, "label")?,
                        address: entry.word(4, "label")?,
                        words: entry.word(8, "label")?,
                        name: name(&entry, 12)?,
                    })
                })
                .collect::<Result<_, _>>()?,
            outputs: outputs.map(|entry| entry.output()).collect::<Result<_, _>>()?,
            uniforms: uniforms
                .map(|entry| {
                    let (file, first, last) = entry.registers()?;
                    Ok(ShbinUniform { name: name(&entry, 0)?, file, first, last })
                })
                .collect::<Result<_, _>>()?,
        })
    }

    fn stage(&self) -> Result<ShbinStage, ShbinError> {
        let code = self.byte(0x06, "stage")?;
        self.checked(0x06, "stage", code.into(), code < 2, "0 (vertex) or 1 (geometry)")?;
        if code == 0 {
            return Ok(ShbinStage::Vertex);
        }
        let [mode, fixed_start, variable_count, fixed_count] = self.array(0x14, "mode of the geometry shader")?;
        let Some(known) = GeometryMode::ALL.get(usize::from(mode)) else {
            let (offset, what) = (self.start + 0x14, "mode of the geometry shader");
            return Err(ShbinError::Value { offset, what, value: mode.into(), expected: "0 to 2" });
        };
        Ok(ShbinStage::Geometry { mode: *known, fixed_start, variable_count, fixed_count })
    }

    fn constant(&self) -> Result<ShbinConstant, ShbinError> {
        let what = "constant";
        let (kind, register) = (self.half(0, what)?, self.half(2, what)?);
        let value = match kind {
            0 => ShbinValue::Boolean(self.word(4, what)? != 0),
            1 => ShbinValue::Integer(self.array(4, what)?),
            2 => {
                let mut components = [0; 4];
                for (component, position) in components.iter_mut().zip([4, 8, 12, 16]) {
                    let value = self.word(position, what)?;
                    *component = self.checked(position, "24-bit float", value, value >> 24 == 0, "24 bits")?;
                }
                ShbinValue::Float(components)
            }
            _ => {
                let (offset, expected) = (self.start, "0 (boolean), 1 (integer) or 2 (float)");
                return Err(ShbinError::Value { offset, what: "type of a constant", value: kind.into(), expected });
            }
        };
        let (_, registers) = value.kind().1.range();
        let is_valid = register < u16::from(registers);
        self.checked(2, "register of a constant", register.into(), is_valid, "a register of its type")?;
        Ok(ShbinConstant { register: register as u8, value })
    }

    fn output(&self) -> Result<ShbinOutput, ShbinError> {
        let what = "output";
        let (code, register, mask) = (self.half(0, what)?, self.half(2, what)?, self.half(4, what)?);
        let semantic = OutputSemantic::from_code(code).ok_or(ShbinError::Value {
            offset: self.start,
            what: "type of an output",
            value: code.into(),
            expected: "0 to 6, 8 or 9",
        })?;
        self.checked(2, "output register", register.into(), register < OUTPUTS.into(), "0 to 15")?;
        self.checked(4, "mask of an output", mask.into(), mask < 16, "0 to 15")?;
        Ok(ShbinOutput { semantic, register: register as u8, mask: WriteMask(mask as u8) })
    }

    /// The registers of a uniform.
    fn registers(&self) -> Result<(RegisterFile, u8, u8), ShbinError> {
        let (first, last) = (self.half(4, "uniform")?, self.half(6, "uniform")?);
        let expected = "0x00-0x0f (v), 0x10-0x6f (c), 0x70-0x73 (i) or 0x78-0x87 (b)";
        let register = |position: usize, number: u16| {
            let offset = self.start + position;
            let unknown = ShbinError::Value { offset, what: "register of a uniform", value: number.into(), expected };
            RegisterFile::from_number(number).ok_or(unknown)
        };
        let ((file, low), (last_file, high)) = (register(4, first)?, register(6, last)?);
        let is_range = file == last_file && low <= high;
        self.checked(6, "last register", last.into(), is_range, "one of the first register's file behind it")?;
        Ok((file, low, high))
    }

    /// The name whose offset in the table of names is at `position`.
    fn name(&self, position: usize, names: &Range<usize>) -> Result<String, ShbinError> {
        let within = self.word(position, "offset of a name")?;
        let start = names.start as u64 + u64::from(within);
        let fail = |problem| ShbinError::Text { offset: self.start + position, start, problem };
        let text = &self.file[names.clone()];
        let rest = text.get(within as usize..).filter(|rest| !rest.is_empty());
        let rest = rest.ok_or(fail("is outside of the table of names"))?;
        let shown = &rest[..rest.len().min(MAX_NAME_LENGTH + 1)];
        let Some(length) = shown.iter().position(|&byte| byte == 0) else {
            let is_long = rest.len() > MAX_NAME_LENGTH;
            return Err(fail(if is_long { "has more than 255 bytes" } else { "has no end" }));
        };
        let name = std::str::from_utf8(&rest[..length]).map_err(|_| fail("is not UTF-8"))?;
        Ok(name.to_owned())
    }
}
