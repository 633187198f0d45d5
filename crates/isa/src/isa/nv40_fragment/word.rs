//! The bit fields of an NV40 fragment instruction: four 32-bit words.
//!
//! Source: Mesa `nvfx_shader.h`, RPCS3 `RSXFragmentProgram.h`.

/// A range of bits in one of the four words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentField {
    /// Its name.
    pub name: &'static str,
    word: u8,
    low: u8,
    width: u8,
}

const fn field(name: &'static str, word: u8, high: u8, low: u8) -> FragmentField {
    FragmentField { name, word, low, width: high - low + 1 }
}

impl FragmentField {
    /// Last instruction.
    pub const END: Self = field("END", 0, 0, 0);
    /// Destination register.
    pub const DESTINATION: Self = field("DESTINATION", 0, 6, 1);
    /// The destination is a half register.
    pub const DESTINATION_HALF: Self = field("DESTINATION_HALF", 0, 7, 7);
    /// The condition register is written.
    pub const CONDITION_UPDATE: Self = field("CONDITION_UPDATE", 0, 8, 8);
    /// Write mask: x in bit 0 … w in bit 3.
    pub const WRITE_MASK: Self = field("WRITE_MASK", 0, 12, 9);
    /// Interpolant.
    pub const INPUT: Self = field("INPUT", 0, 16, 13);
    /// Texture unit.
    pub const TEXTURE_UNIT: Self = field("TEXTURE_UNIT", 0, 20, 17);
    /// Expands a texel to 2v−1.
    pub const EXPAND_TEXEL: Self = field("EXPAND_TEXEL", 0, 21, 21);
    /// Precision of the result.
    pub const PRECISION: Self = field("PRECISION", 0, 23, 22);
    /// Low six bits of the opcode.
    pub const OPCODE: Self = field("OPCODE", 0, 29, 24);
    /// Whether no register is written.
    pub const NO_DESTINATION: Self = field("NO_DESTINATION", 0, 30, 30);
    /// Results are clamped to 0..1.
    pub const SATURATE: Self = field("SATURATE", 0, 31, 31);
    /// Tested relation: LT, EQ, GT.
    pub const CONDITION: Self = field("CONDITION", 1, 20, 18);
    /// Swizzle of the tested condition register: x in bits 1:0 … w in bits 7:6.
    pub const CONDITION_SWIZZLE: Self = field("CONDITION_SWIZZLE", 1, 28, 21);
    /// Magnitude of source 0.
    pub const ABS0: Self = field("ABS0", 1, 29, 29);
    /// Condition register that is written.
    pub const CONDITION_WRITTEN: Self = field("CONDITION_WRITTEN", 1, 30, 30);
    /// Condition register that is tested.
    pub const CONDITION_TESTED: Self = field("CONDITION_TESTED", 1, 31, 31);
    /// Magnitude of source 1.
    pub const ABS1: Self = field("ABS1", 2, 18, 18);
    /// Precision that source 0 is clamped to.
    pub const PRECISION0: Self = field("PRECISION0", 2, 21, 19);
    /// Precision that source 1 is clamped to.
    pub const PRECISION1: Self = field("PRECISION1", 2, 24, 22);
    /// Precision that source 2 is clamped to.
    pub const PRECISION2: Self = field("PRECISION2", 2, 27, 25);
    /// Factor applied to the result.
    pub const SCALE: Self = field("SCALE", 2, 30, 28);
    /// Bit 6 of the opcode.
    pub const FLOW: Self = field("FLOW", 2, 31, 31);
    /// Magnitude of source 2.
    pub const ABS2: Self = field("ABS2", 3, 18, 18);
    /// Displacement of an indexed input, signed.
    pub const DISPLACEMENT: Self = field("DISPLACEMENT", 3, 29, 19);
    /// The input is indexed.
    pub const INPUT_INDEXED: Self = field("INPUT_INDEXED", 3, 30, 30);
    /// Texture coordinates are multiplied by 1/w.
    pub const DIVIDES_BY_W: Self = field("DIVIDES_BY_W", 3, 31, 31);
    /// Offset of the ELSE part, or the target of a call, in words.
    pub const FLOW_OFFSET: Self = field("FLOW_OFFSET", 2, 30, 0);
    /// Offset after an IF or a loop, in words.
    pub const FLOW_END: Self = field("FLOW_END", 3, 30, 0);
    /// Iterations of a loop.
    pub const LOOP_COUNT: Self = field("LOOP_COUNT", 2, 9, 2);
    /// First value of the loop index.
    pub const LOOP_INITIAL: Self = field("LOOP_INITIAL", 2, 17, 10);
    /// Increment of the loop index per iteration, signed.
    pub const LOOP_INCREMENT: Self = field("LOOP_INCREMENT", 2, 26, 19);

    /// The field at the same position in the word of source 0, 1 or 2.
    const fn of_source(self, source: u8) -> Self {
        Self { word: source + 1, ..self }
    }

    /// Register file of a source: 0 register, 1 input, 2 constant.
    #[must_use]
    pub const fn source_type(source: u8) -> Self {
        field("TYPE", 1, 1, 0).of_source(source)
    }

    /// Register of a source.
    #[must_use]
    pub const fn source_register(source: u8) -> Self {
        field("REGISTER", 1, 7, 2).of_source(source)
    }

    /// A source is a half register.
    #[must_use]
    pub const fn source_half(source: u8) -> Self {
        field("HALF", 1, 8, 8).of_source(source)
    }

    /// Swizzle of a source: x in bits 1:0 … w in bits 7:6.
    #[must_use]
    pub const fn source_swizzle(source: u8) -> Self {
        field("SWIZZLE", 1, 16, 9).of_source(source)
    }

    /// Negation of a source.
    #[must_use]
    pub const fn source_negate(source: u8) -> Self {
        field("NEGATE", 1, 17, 17).of_source(source)
    }

    const fn mask(self) -> u32 {
        (((1u64 << self.width) - 1) & 0xffff_ffff) as u32
    }
}

/// One fragment instruction without its inline constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FragmentWord(pub [u32; 4]);

impl FragmentWord {
    /// The value of a field.
    #[must_use]
    pub const fn get(self, field: FragmentField) -> u32 {
        self.0[field.word as usize] >> field.low & field.mask()
    }

    /// Whether a one-bit field is set.
    #[must_use]
    pub const fn is_set(self, field: FragmentField) -> bool {
        self.get(field) != 0
    }

    /// The same instruction with another value in a field; bits beyond the field's width are dropped.
    #[must_use]
    pub const fn with(self, field: FragmentField, value: u32) -> Self {
        let mut words = self.0;
        let word = field.word as usize;
        words[word] = words[word] & !(field.mask() << field.low) | (value & field.mask()) << field.low;
        Self(words)
    }

    /// The seven bits of the opcode.
    #[must_use]
    pub const fn opcode_bits(self) -> u8 {
        (self.get(FragmentField::FLOW) << 6 | self.get(FragmentField::OPCODE)).to_le_bytes()[0]
    }

    /// Whether 16 bytes of constant follow: any source, whether or not it is read, names the constant file.
    #[must_use]
    pub const fn has_constant(self) -> bool {
        // RPCS3 `get_fragment_program_ucode_size` examines all three sources. Flow instructions hold offsets
        // there.
        !self.is_set(FragmentField::FLOW)
            && (self.get(FragmentField::source_type(0)) == 2
                || self.get(FragmentField::source_type(1)) == 2
                || self.get(FragmentField::source_type(2)) == 2)
    }
}

#[cfg(test)]
mod tests {
    use super::{FragmentField, FragmentWord};

    #[test]
    fn fields_of_the_blit_program_are_in_their_documented_places() {
        // Mesa's blit program: TEX R0, f[TEX0], unit 0.
        let word = FragmentWord([0x1700_9e00, 0x1c9d_c801, 0x0001_c800, 0x3fe1_c800]);
        assert_eq!(word.opcode_bits(), 0x17);
        assert_eq!(word.get(FragmentField::INPUT), 4);
        assert_eq!(word.get(FragmentField::WRITE_MASK), 0xf);
        assert_eq!(word.get(FragmentField::CONDITION), 7);
        assert_eq!(word.get(FragmentField::CONDITION_SWIZZLE), 0b11_10_01_00);
        assert_eq!(word.get(FragmentField::source_type(0)), 1);
        assert_eq!(word.get(FragmentField::source_swizzle(0)), 0b11_10_01_00);
        assert_eq!(word.get(FragmentField::DISPLACEMENT), 0x7fc);
        assert!(!word.is_set(FragmentField::END) && !word.has_constant());
        let last = FragmentWord([0x0140_1e81, 0x1c9d_c800, 0x0001_c800, 0x0001_c800]);
        assert!(last.is_set(FragmentField::END) && last.is_set(FragmentField::DESTINATION_HALF));
        assert_eq!(last.get(FragmentField::PRECISION), 1);
    }

    #[test]
    fn a_written_field_reads_back_and_leaves_the_rest_alone() {
        let word = FragmentWord([!0; 4]).with(FragmentField::SCALE, 2);
        assert_eq!(word.get(FragmentField::SCALE), 2);
        assert_eq!(word.with(FragmentField::SCALE, !0).0, [!0; 4]);
    }
}
