//! Texture fetches.

use super::Lowering;
use super::builder::{Word, constant_or_register};
use crate::ptx::ast::{Instruction, Operand};
use crate::ptx::ir::{Destination, Lifetime, MOVE, Operand as IrOperand, Slice, Source};
use crate::shader::simt::{Operation, TextureSample, TextureSource};

impl Lowering<'_> {
    /// The coordinates and the texel are in the same registers.
    pub(super) fn texture(&mut self, instruction: &Instruction) {
        let coordinate_type = instruction.types[1];
        let [Operand::Vector(elements), Operand::Texture { variable, coordinates }] = &instruction.operands[..] else {
            return;
        };
        let words: Vec<Word> = coordinates
            .iter()
            .map(|coordinate| match coordinate {
                Operand::Ignored => Word::Constant(0),
                value => self.word(value, coordinate_type),
            })
            .collect();
        let register = self.builder.program.register(4, Lifetime::Instruction);
        for (part, word) in (0..).zip(&words) {
            let to = Destination::Register(Slice::word(register, part));
            self.builder.push(MOVE, to, &[constant_or_register(*word)]);
        }
        let count = u8::try_from(words.len()).unwrap_or(4);
        let unit = u8::try_from(self.layout.offset(*variable)).unwrap_or(0);
        // Integer coordinates name a texel; others are sampled.
        let source = if coordinate_type.is_float() { TextureSource::Automatic } else { TextureSource::Texel };
        let sample = TextureSample { source, is_cube: false, is_live_only: false, uses_derivatives: false };
        let sources = [IrOperand::Texture(unit), IrOperand::Coordinates { register, count }].map(Source::of);
        self.builder.push_guarded(Operation::Texture(sample), Destination::Texture(register), &sources);
        for (part, element) in (0..).zip(elements) {
            self.result(element, &[Word::Register(Slice::word(register, part))]);
        }
    }
}
