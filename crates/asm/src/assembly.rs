//! The output of the assembler: microcode and the list of what a driver must bind for it.

use std::sync::Arc;

use super::constants::{ConstantSlot, ConstantSource};
use super::language::Language;
pub use super::texture_target::TextureTarget;
use crate::arith::vertex::VertexRuleSet;
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode, FragmentWord};
use crate::isa::{NvMicrocode, NvVertexIsa};
use crate::shader::fragment::{FragmentOutputs, FragmentProgram, FragmentRegister, color_register};

/// `FP_CONTROL`: R1.z is the depth.
pub(super) const DEPTH: u32 = 0xe;
/// `FP_CONTROL`: results are full registers.
pub(super) const FULL_OUTPUTS: u32 = 1 << 6;
/// `FP_CONTROL`: KIL is used.
pub(super) const KILLS: u32 = 1 << 7;

/// An assembled program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assembly {
    /// For the vertex processor.
    Vertex(VertexAssembly),
    /// For the fragment processor.
    Fragment(FragmentAssembly),
}

impl Assembly {
    /// The language of the text.
    #[must_use]
    pub const fn language(&self) -> Language {
        match self {
            Self::Vertex(vertex) => vertex.language,
            Self::Fragment(fragment) => fragment.language,
        }
    }
}

/// A texture unit that a program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextureUse {
    /// The unit of the chip that the microcode names.
    pub unit: u8,
    /// The unit that the text names.
    pub image: u8,
    /// The target bound there; `None` if the text does not name one.
    pub target: Option<TextureTarget>,
}

impl TextureUse {
    /// A unit that has the same number in the text and in microcode.
    pub(super) const fn same(unit: u8, target: Option<TextureTarget>) -> Self {
        Self { unit, image: unit, target }
    }
}

/// A vertex program as microcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexAssembly {
    /// The language of the text.
    pub language: Language,
    /// The instruction set of the words.
    pub isa: NvVertexIsa,
    /// The instruction store from slot 0.
    pub instructions: Vec<[u32; 4]>,
    /// The slot at which execution starts.
    pub start: u16,
    /// The arithmetic that the language implies.
    pub rules: VertexRuleSet,
    /// The constants that the program reads, by slot.
    pub constants: Vec<ConstantSlot>,
    /// Lowest and highest slot that addresses reach; `None` where nothing is indexed.
    pub indexed_constants: Option<(u16, u16)>,
    /// `VP_ATTRIB_EN`: bit i, attribute i is read.
    pub attributes: u16,
    /// `VP_RESULT_EN`: which results are passed on.
    pub results: u32,
    /// Texture units that are read.
    pub textures: Vec<TextureUse>,
    /// The position is that of the fixed pipeline; the program computes it from `state.matrix.mvp`.
    pub is_position_invariant: bool,
    /// Results that the text names, in the order in which they are listed.
    pub outputs: Vec<NamedOutput>,
}

impl VertexAssembly {
    /// Describes bare microcode, which may read every attribute and write every result.
    #[must_use]
    pub fn native(isa: NvVertexIsa, instructions: Vec<[u32; 4]>, start: u16) -> Self {
        Self {
            language: Language::native(isa),
            isa,
            instructions,
            start,
            rules: rules_of(isa, Language::native(isa)),
            constants: Vec::new(),
            indexed_constants: None,
            attributes: u16::MAX,
            results: 0x003f_ffff,
            textures: Vec::new(),
            is_position_invariant: false,
            outputs: Vec::new(),
        }
    }

    /// The program's words.
    #[must_use]
    pub fn microcode(&self) -> NvMicrocode {
        NvMicrocode { isa: self.isa, slots: Arc::new(self.instructions.clone()), start: self.start }
    }
}

/// The arithmetic that a language implies on a processor.
pub(super) const fn rules_of(isa: NvVertexIsa, language: Language) -> VertexRuleSet {
    match (isa, language) {
        (NvVertexIsa::Nv40, Language::Vp1_0 | Language::Vp1_1 | Language::Vsp1_0) => VertexRuleSet::Nv40Legacy,
        _ => isa.rules(),
    }
}

/// A result of a vertex program under the name that its language gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOutput {
    /// The name in the language of the text.
    pub name: String,
    /// The output register.
    pub register: u8,
    /// The component that holds the whole result, for fog, point size and clip distances that share a register.
    pub component: Option<u8>,
}

/// A fragment program as microcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentAssembly {
    /// The language of the text.
    pub language: Language,
    /// The microcode as words in memory order, inline constants included.
    pub words: Vec<u32>,
    /// Inline constants: the index of the first word of each in `words`, and where its value comes from.
    pub constants: Vec<(u32, ConstantSource)>,
    /// LOOP and REP whose numbers are parameters: the index of the first word of each in `words`.
    pub loops: Vec<(u32, ConstantSource)>,
    /// The names of DECLARE with their first values, which [`ConstantSource::Named`] counts.
    pub parameters: Vec<(String, [u32; 4])>,
    /// `FP_CONTROL`: depth output, 32-bit results, KIL, register count.
    pub control: u32,
    /// Texture units that are read.
    pub textures: Vec<TextureUse>,
    /// Interpolants that are read, by attribute number.
    pub inputs: u16,
    /// Color targets that are written, by bit.
    pub color_targets: u8,
    /// The depth is a result.
    pub writes_depth: bool,
    /// How the window position that it reads is counted.
    pub conventions: WindowConventions,
}

/// How a fragment program counts the window position (`ARB_fragment_coord_conventions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowConventions {
    /// Rows count from the upper edge instead of the lower one.
    pub is_upper_left: bool,
    /// The centers of pixels are integers instead of halves.
    pub has_integer_centers: bool,
}

impl FragmentAssembly {
    /// Describes bare microcode, which may read every interpolant and writes the first color.
    #[must_use]
    pub const fn native(words: Vec<u32>) -> Self {
        Self {
            language: Language::NativeFragment,
            words,
            constants: Vec::new(),
            loops: Vec::new(),
            parameters: Vec::new(),
            control: 0,
            textures: Vec::new(),
            inputs: u16::MAX,
            color_targets: 1,
            writes_depth: false,
            conventions: WindowConventions { is_upper_left: false, has_integer_centers: false },
        }
    }

    /// Whether results are full registers instead of halves.
    #[must_use]
    pub const fn has_full_outputs(&self) -> bool {
        self.control & FULL_OUTPUTS != 0
    }

    /// The microcode with parameters and loop counts patched to these values. Numbers of the text stay.
    #[must_use]
    pub fn patched(&self, value: &dyn Fn(&ConstantSource) -> [u32; 4]) -> Vec<u32> {
        let mut words = self.words.clone();
        let is_patched = |source: &ConstantSource| !matches!(source, ConstantSource::Literal(_));
        for (start, source) in self.constants.iter().filter(|(_, source)| is_patched(source)) {
            let place = words.get_mut(*start as usize..).and_then(|words| words.first_chunk_mut());
            if let Some(place) = place {
                *place = value(source);
            }
        }
        for (start, source) in self.loops.iter().filter(|(_, source)| is_patched(source)) {
            let place: Option<&mut [u32; 4]> =
                words.get_mut(*start as usize..).and_then(|words| words.first_chunk_mut());
            if let Some(place) = place {
                let (count, initial, increment) = loop_numbers(value(source));
                let mut word = FragmentWord(*place).with(Field::LOOP_COUNT, u32::from(count));
                if word.opcode_bits() == FragmentOpcode::Loop.code() {
                    word = word
                        .with(Field::LOOP_INITIAL, u32::from(initial))
                        .with(Field::LOOP_INCREMENT, u32::from(increment.cast_unsigned()));
                }
                *place = word.0;
            }
        }
        words
    }

    /// The program with its parameters patched to these values.
    ///
    /// # Errors
    /// When the words are not a program, which an assembler's are.
    pub fn bound(&self, value: &dyn Fn(&ConstantSource) -> [u32; 4]) -> Result<FragmentProgram, FragmentDecodeError> {
        FragmentProgram::decode(&self.patched(value))
    }

    /// The results in the language's own names, with the registers that hold them and, for depth, the component.
    #[must_use]
    pub fn outputs(&self) -> Vec<(String, FragmentRegister, Option<u8>)> {
        let is_fp = matches!(self.language, Language::Fp1_0 | Language::Fp2_0);
        let is_native = self.language == Language::NativeFragment;
        let mut outputs = Vec::new();
        for target in (0..4).filter(|target| self.color_targets >> target & 1 != 0) {
            let register = color_register(target, self.has_full_outputs());
            let name = match (is_fp, is_native) {
                (true, _) if self.has_full_outputs() => "o[COLR]".to_owned(),
                (true, _) => "o[COLH]".to_owned(),
                (_, true) => register.to_string(),
                _ if self.color_targets == 1 => "result.color".to_owned(),
                _ => format!("result.color[{target}]"),
            };
            outputs.push((name, register, None));
        }
        if self.writes_depth {
            let name = if is_fp || is_native { "o[DEPR]" } else { "result.depth" };
            outputs.push((name.to_owned(), FragmentOutputs::DEPTH, Some(2)));
        }
        outputs
    }
}

/// `FP_CONTROL` for a program that uses this many full registers.
pub(super) const fn control_word(writes_depth: bool, has_full_outputs: bool, kills: bool, registers: u32) -> u32 {
    (if writes_depth { DEPTH } else { 0 })
        | if has_full_outputs { FULL_OUTPUTS } else { 0 }
        | if kills { KILLS } else { 0 }
        | registers << 24
}

/// Count, first index and increment of a loop from its parameter; numbers are floored and clamped to their fields.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are clamped to their fields before they are narrowed"
)]
pub(super) fn loop_numbers(value: [u32; 4]) -> (u8, u8, i8) {
    let [count, initial, increment, _] = value.map(|bits| f32::from_bits(bits).floor());
    (count.clamp(0.0, 255.0) as u8, initial.clamp(0.0, 255.0) as u8, increment.clamp(-128.0, 127.0) as i8)
}
