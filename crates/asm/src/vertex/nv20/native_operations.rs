//! Parses the operations of one `!!NV20vp1.0` statement into a typed instruction, in the form of [`Nv20Instruction`]'s text.

use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::Operand;
use crate::isa::nv20_vertex::decode::decode_instruction;
use crate::isa::nv20_vertex::{
    INSTRUCTION_SLOTS, IluOpcode, LAST_CONSTANT, MacOpcode, Nv20Field, Nv20Instruction, Nv20OutputRegister,
    Nv20OutputWrite, Nv20Source, POSITION_TEMPORARY, TEMPORARIES, VertexSourceKind,
};
use crate::isa::vertex_word::{VertexField, VertexWord};
use crate::language::Language;
use crate::operand::{ComponentLetters, selection, write_mask};
use crate::shader::vertex::Unit;
use crate::token::Token;
use crate::vertex::native::{Label, NativeInstruction, disagreement};
use crate::vertex::register_name::numbered;

const LETTERS: ComponentLetters = ComponentLetters::Position;
/// Attributes of a vertex.
const ATTRIBUTES: u8 = 16;
/// The temporary that the ILU of a pair writes.
const ILU_REGISTER: u8 = 1;

impl NativeInstruction for Nv20Instruction {
    const LANGUAGE: Language = Language::NativeNv20Vertex;
    const SLOTS: usize = INSTRUCTION_SLOTS;
    const FIELDS: &'static [VertexField] = &Nv20Field::ALL;
    const LABELS: usize = 1;
    const HAS_BRANCHES: bool = false;
    const NOTHING: Self = Self::NOP;

    fn read<'text>(cursor: &mut Cursor<'text>) -> Parsed<(Self, Label<'text>)> {
        let mut reader = Reader { cursor, instruction: Self::NOP, attribute: None, constant: None, c: None };
        let (word, span) = reader.cursor.name("an operation")?;
        let Some(mac) = MacOpcode::ALL.iter().copied().find(|opcode| opcode.mnemonic() == word) else {
            reader.ilu(word, &span)?;
            return Ok((reader.instruction, None));
        };
        reader.mac(mac)?;
        if reader.cursor.accept(Token::Plus) {
            let (word, span) = reader.cursor.name("an operation of the ILU")?;
            reader.ilu(word, &span)?;
        }
        Ok((reader.instruction, None))
    }

    fn decode(slot: u16, word: VertexWord, _: usize) -> Option<Self> {
        // The bits that hold nothing do not fit a value.
        let is_empty = word.get(Nv20Field::UNUSED) == 0 && word.words()[0] == 0;
        decode_instruction(slot, word).ok().filter(|_| is_empty)
    }

    fn word(&self) -> VertexWord {
        VertexWord::new(self.encode())
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn target(&self) -> Option<u16> {
        None
    }

    fn set_target(&mut self, _: u16) {}

    fn set_last(&mut self, is_last: bool) {
        self.is_last = is_last;
    }
}

struct Reader<'cursor, 'text> {
    cursor: &'cursor mut Cursor<'text>,
    instruction: Nv20Instruction,
    attribute: Option<u8>,
    constant: Option<(u8, bool)>,
    /// Operand C of the MAC.
    c: Option<Nv20Source>,
}

impl Reader<'_, '_> {
    fn mac(&mut self, opcode: MacOpcode) -> Parsed<()> {
        self.instruction.mac = opcode;
        match opcode {
            MacOpcode::Nop => return Ok(()),
            MacOpcode::Arl => {
                if !self.cursor.accept_word("A0") {
                    return Err(self.cursor.unexpected("A0"));
                }
            }
            _ => self.destinations(Unit::Vector)?,
        }
        for operand in opcode.row().operands {
            let source = self.source(opcode == MacOpcode::Arl)?;
            self.instruction.sources[operand.index()] = source;
            self.c = if *operand == Operand::S2 { Some(source) } else { self.c };
        }
        Ok(())
    }

    fn ilu(&mut self, word: &str, span: &Span) -> Parsed<()> {
        let known = IluOpcode::ALL.iter().copied().filter(|opcode| *opcode != IluOpcode::Nop);
        let opcode = known.clone().find(|opcode| opcode.mnemonic() == word).ok_or_else(|| {
            let names = MacOpcode::ALL.iter().map(|opcode| opcode.mnemonic()).chain(known.map(IluOpcode::mnemonic));
            Diagnostic::new(span.clone(), format!("unknown operation `{}`", shortened(word)))
                .refuse(word)
                .label("not an operation of this unit")
                .suggest(word, names)
        })?;
        self.instruction.ilu = opcode;
        self.destinations(Unit::Scalar)?;
        let start = self.cursor.span();
        let source = self.source(opcode.reads_scalar())?;
        let Some(shared) = self.c else {
            self.instruction.sources[Operand::S2.index()] = source;
            return Ok(());
        };
        let has_components =
            if opcode.reads_scalar() { shared.swizzle.0[0] == source.swizzle.0[0] } else { shared == source };
        if has_components && shared.kind == source.kind && shared.negate == source.negate {
            Ok(())
        } else {
            Err(disagreement(self.cursor.span_from(&start), "operand C"))
        }
    }

    /// Reads `R0.x`, `oPos.x`, `{oPos, R0.x}` or `_`.
    fn destinations(&mut self, unit: Unit) -> Parsed<()> {
        if self.cursor.accept_word("_") {
            return Ok(());
        }
        if !self.cursor.accept(Token::OpenBrace) {
            return self.destination(unit);
        }
        self.destination(unit)?;
        self.cursor.expect(Token::Comma)?;
        let span = self.cursor.span();
        let before = (self.instruction.output, self.instruction.mac_mask, self.instruction.ilu_mask);
        self.destination(unit)?;
        let after = (self.instruction.output, self.instruction.mac_mask, self.instruction.ilu_mask);
        let has_both = match unit {
            Unit::Vector => after.1.0 != 0,
            Unit::Scalar => after.2.0 != 0,
        } && after.0.is_some_and(|output| output.unit == unit);
        if !has_both || before == after {
            return Err(Diagnostic::new(
                self.cursor.span_from(&span),
                "an operation writes one temporary and one output",
            )
            .label("not one of each"));
        }
        self.cursor.expect(Token::CloseBrace)?;
        Ok(())
    }

    fn destination(&mut self, unit: Unit) -> Parsed<()> {
        let (name, span) = self.cursor.name("a destination")?;
        let output = Nv20OutputRegister::OUTPUT_NAMES.into_iter().find(|(_, known)| *known == name);
        let register = match output {
            Some((index, _)) => Some(Nv20OutputRegister::Output(index)),
            None if name == "c" => {
                let index = self.cursor.bracketed("a constant", u32::from(LAST_CONSTANT) + 1)?;
                Some(Nv20OutputRegister::Constant(index.to_le_bytes()[0]))
            }
            None => None,
        };
        if let Some(register) = register {
            if self.instruction.output.is_some() {
                return Err(disagreement(self.cursor.span_from(&span), "output"));
            }
            let mask = write_mask(self.cursor, LETTERS)?;
            self.instruction.output = Some(Nv20OutputWrite { register, unit, mask });
            return Ok(());
        }
        let Some(index) = numbered(name, "R", TEMPORARIES) else {
            let names = Nv20OutputRegister::OUTPUT_NAMES.map(|(_, name)| name);
            return Err(Diagnostic::new(span, format!("`{}` is not a destination", shortened(name)))
                .label("R0 to R11, c[n] or an output")
                .suggest(name, names));
        };
        let mask = write_mask(self.cursor, LETTERS)?;
        let is_pair = self.instruction.mac != MacOpcode::Nop && unit == Unit::Scalar;
        if is_pair && index != ILU_REGISTER {
            return Err(Diagnostic::new(span, format!("the ILU beside a MAC operation cannot write R{index}"))
                .label("only R1, c[n] or an output"));
        }
        match unit {
            Unit::Vector => (self.instruction.temporary, self.instruction.mac_mask) = (index, mask),
            Unit::Scalar => {
                if self.instruction.mac_mask.0 == 0 {
                    self.instruction.temporary = index;
                }
                self.instruction.ilu_mask = mask;
            }
        }
        Ok(())
    }

    /// Reads `, -c[A0+3].wzyx`.
    fn source(&mut self, is_scalar: bool) -> Parsed<Nv20Source> {
        self.cursor.expect(Token::Comma)?;
        let negate = self.cursor.accept(Token::Minus);
        let kind = self.register()?;
        let selection = selection(self.cursor, LETTERS)?;
        if is_scalar && selection.letters != 1 {
            let span = if selection.letters == 0 { self.cursor.last_span() } else { selection.span };
            return Err(
                Diagnostic::new(span, "a scalar operand has exactly one component").label("needs one of .x .y .z .w")
            );
        }
        Ok(Nv20Source { kind, swizzle: selection.swizzle, negate })
    }

    fn register(&mut self) -> Parsed<VertexSourceKind> {
        let (name, span) = self.cursor.name("a source")?;
        if name == "c" {
            let constant = self.constant_index()?;
            if self.constant.is_some_and(|seen| seen != constant) {
                return Err(disagreement(self.cursor.span_from(&span), "constant"));
            }
            self.constant = Some(constant);
            (self.instruction.constant_index, self.instruction.is_constant_indexed) = constant;
            return Ok(VertexSourceKind::Constant);
        }
        if let Some(index) = numbered(name, "v", ATTRIBUTES) {
            if self.attribute.is_some_and(|seen| seen != index) {
                return Err(disagreement(span, "attribute"));
            }
            self.attribute = Some(index);
            self.instruction.input_index = index;
            return Ok(VertexSourceKind::Input);
        }
        numbered(name, "R", POSITION_TEMPORARY + 1).map(VertexSourceKind::Temporary).ok_or_else(|| {
            Diagnostic::new(span, format!("`{}` is not a source", shortened(name)))
                .label("R0 to R12, v0 to v15 or c[n]")
        })
    }

    /// Reads `[n]` or `[A0+n]`, and returns n and whether A0 is added.
    fn constant_index(&mut self) -> Parsed<(u8, bool)> {
        self.cursor.expect(Token::OpenBracket)?;
        let is_indexed = self.cursor.accept_word("A0");
        if is_indexed {
            self.cursor.expect(Token::Plus)?;
        }
        let limit = if is_indexed { 256 } else { u32::from(LAST_CONSTANT) + 1 };
        let index = self.cursor.integer("a constant", limit)?;
        self.cursor.expect(Token::CloseBracket)?;
        Ok((index.to_le_bytes()[0], is_indexed))
    }
}
