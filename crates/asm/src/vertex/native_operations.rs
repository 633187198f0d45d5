//! Parses the operations of one `!!NV40vp1.0` statement into a typed instruction. `+` joins the operations of both units,
//! the vector unit's first.

use super::grammar::MAX_LABELS;
use super::native::{Label, NativeInstruction, disagreement};
use super::register_name::numbered;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::Operand;
use crate::isa::nv40_vertex::decode::decode_instruction;
use crate::isa::nv40_vertex::disassemble::Operations;
use crate::isa::nv40_vertex::{
    Branch, OutputWrite, ScalarOpcode, VectorOpcode, VertexField, VertexInstruction, VertexSource, VertexSourceKind,
    VertexWord,
};
use crate::language::Language;
use crate::operand::{ComponentLetters, ModifierRules, component, condition_test, modified, selection, write_mask};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{AddressComponent, ConditionUpdate, INSTRUCTION_SLOTS, Unit};
use crate::token::Token;

const LETTERS: ComponentLetters = ComponentLetters::Position;

impl NativeInstruction for VertexInstruction {
    const LANGUAGE: Language = Language::NativeVertex;
    const SLOTS: usize = INSTRUCTION_SLOTS;
    const FIELDS: &'static [VertexField] = &VertexField::ALL;
    const LABELS: usize = MAX_LABELS;
    const HAS_BRANCHES: bool = true;
    const NOTHING: Self = NOTHING;

    fn read<'text>(cursor: &mut Cursor<'text>) -> Parsed<(Self, Label<'text>)> {
        let mut slot = Unfinished { instruction: NOTHING, target: None };
        let mut reader = Reader { cursor, seen: Seen::default() };
        reader.first_operation(&mut slot)?;
        if reader.cursor.accept(Token::Plus) {
            let (name, span) = reader.cursor.name("an operation of the scalar unit")?;
            reader.scalar(&mut slot, name, &span)?;
        }
        Ok((slot.instruction, slot.target))
    }

    fn decode(slot: u16, word: VertexWord, slots: usize) -> Option<Self> {
        let instruction = decode_instruction(slot, word).ok()?;
        instruction.target().is_none_or(|target| usize::from(target) < slots).then_some(instruction)
    }

    fn word(&self) -> VertexWord {
        self.encode()
    }

    fn text(&self) -> String {
        Operations(self).to_string()
    }

    fn target(&self) -> Option<u16> {
        self.has_target().then_some(self.branch.target)
    }

    fn set_target(&mut self, slot: u16) {
        self.branch.target = slot;
    }

    fn set_last(&mut self, is_last: bool) {
        self.is_last = is_last;
    }
}

/// An instruction that does nothing.
pub(super) const NOTHING: VertexInstruction = VertexInstruction {
    slot: 0,
    vector: VectorOpcode::Nop,
    scalar: ScalarOpcode::Nop,
    sources: [VertexSource {
        kind: VertexSourceKind::Input,
        swizzle: Swizzle::IDENTITY,
        absolute: false,
        negate: false,
    }; 3],
    input_index: 0,
    is_input_indexed: false,
    constant_index: 0,
    is_constant_indexed: false,
    address: AddressComponent { register: 0, component: 0 },
    condition: None,
    condition_update: None,
    saturate: false,
    vector_mask: WriteMask(0),
    scalar_mask: WriteMask(0),
    vector_destination: None,
    scalar_destination: None,
    output: None,
    branch: Branch { target: 0, boolean: 0, polarity: false },
    texture_unit: 0,
    is_last: false,
};

/// An instruction that is being read.
struct Unfinished<'text> {
    instruction: VertexInstruction,
    target: Label<'text>,
}

/// The fields that the operands of a statement have set so far. Both units share them.
#[derive(Default)]
struct Seen {
    input: Option<(u8, bool)>,
    constant: Option<(u16, bool)>,
    address: Option<AddressComponent>,
    sources: [bool; 3],
    has_condition: bool,
}

struct Reader<'cursor, 'text> {
    cursor: &'cursor mut Cursor<'text>,
    seen: Seen,
}

/// An opcode such as `MADC1_SAT`, split into its parts.
struct Mnemonic<'text> {
    name: &'text str,
    update: Option<u8>,
    saturate: bool,
}

fn split<'text>(word: &'text str, known: &dyn Fn(&str) -> bool) -> Option<Mnemonic<'text>> {
    let (rest, saturate) = word.strip_suffix("_SAT").map_or((word, false), |rest| (rest, true));
    [("", None), ("C", Some(0)), ("C1", Some(1))].into_iter().find_map(|(suffix, update)| {
        let name = rest.strip_suffix(suffix)?;
        known(name).then_some(Mnemonic { name, update, saturate })
    })
}

fn scalar_name(opcode: ScalarOpcode) -> &'static str {
    match opcode {
        ScalarOpcode::Bra => "BRA",
        ScalarOpcode::Cal => "CAL",
        // BRA and CAL spell the forms with immediate targets.
        ScalarOpcode::BraIndirect | ScalarOpcode::CalIndirect => "",
        _ => opcode.mnemonic(),
    }
}

fn vector_opcode(name: &str) -> Option<VectorOpcode> {
    VectorOpcode::ALL.iter().copied().find(|opcode| opcode.mnemonic() == name)
}

fn scalar_opcode(name: &str) -> Option<ScalarOpcode> {
    ScalarOpcode::ALL.iter().copied().find(|&opcode| !name.is_empty() && scalar_name(opcode) == name)
}

impl<'text> Reader<'_, 'text> {
    fn first_operation(&mut self, slot: &mut Unfinished<'text>) -> Parsed<()> {
        let (word, span) = self.cursor.name("an operation")?;
        let Some(mnemonic) = split(word, &|name| vector_opcode(name).is_some()) else {
            return self.scalar(slot, word, &span);
        };
        let Some(opcode) = vector_opcode(mnemonic.name) else { return Ok(()) };
        slot.instruction.vector = opcode;
        if opcode == VectorOpcode::Nop {
            return Ok(());
        }
        self.result(&mut slot.instruction, &mnemonic, Unit::Vector)?;
        if opcode == VectorOpcode::Ara {
            self.cursor.expect(Token::Comma)?;
            let register = address_register(self.cursor)?;
            slot.instruction.address.register = register;
            return Ok(());
        }
        for operand in opcode.row().operands {
            self.cursor.expect(Token::Comma)?;
            self.source(&mut slot.instruction, *operand, false)?;
        }
        if opcode == VectorOpcode::Txl {
            self.cursor.expect(Token::Comma)?;
            if !self.cursor.accept_word("texture") {
                return Err(self.cursor.unexpected("`texture`"));
            }
            slot.instruction.texture_unit = self.cursor.bracketed("a texture unit", 4)?.to_le_bytes()[0];
        }
        Ok(())
    }

    fn scalar(&mut self, slot: &mut Unfinished<'text>, word: &'text str, span: &Span) -> Parsed<()> {
        let Some(mnemonic) = split(word, &|name| scalar_opcode(name).is_some()) else {
            let names = VectorOpcode::ALL.iter().map(|opcode| opcode.mnemonic());
            let names = names.chain(ScalarOpcode::ALL.iter().map(|&opcode| scalar_name(opcode)));
            return Err(Diagnostic::new(span.clone(), format!("unknown operation `{}`", shortened(word)))
                .refuse(word)
                .label("not an operation of this unit")
                .suggest(word, names));
        };
        let Some(opcode) = scalar_opcode(mnemonic.name) else { return Ok(()) };
        let instruction = &mut slot.instruction;
        instruction.scalar = opcode;
        if !opcode.has_result() && (mnemonic.update.is_some() || mnemonic.saturate) {
            return Err(Diagnostic::new(span.clone(), format!("{} has no result", scalar_name(opcode)))
                .label("takes no suffix"));
        }
        match opcode {
            ScalarOpcode::Nop => {}
            ScalarOpcode::Bra if self.cursor.accept(Token::OpenBracket) => {
                instruction.scalar = ScalarOpcode::BraIndirect;
                let register = address_register(self.cursor)?;
                let component = component(self.cursor, LETTERS)?;
                self.cursor.expect(Token::CloseBracket)?;
                self.seen.address(self.cursor, instruction, AddressComponent { register, component })?;
                self.test(instruction)?;
            }
            ScalarOpcode::Bra | ScalarOpcode::Cal => {
                slot.target = Some(self.cursor.name("a label")?);
                self.test(instruction)?;
            }
            ScalarOpcode::Brb | ScalarOpcode::Clb => {
                slot.target = Some(self.cursor.name("a label")?);
                self.cursor.expect(Token::Comma)?;
                instruction.branch.polarity = !self.cursor.accept(Token::Not);
                if !self.cursor.accept_word("b") {
                    return Err(self.cursor.unexpected("`b`"));
                }
                instruction.branch.boolean = self.cursor.bracketed("a boolean", 32)?.to_le_bytes()[0];
            }
            ScalarOpcode::Ret => self.test(instruction)?,
            ScalarOpcode::PushA | ScalarOpcode::PopA => {
                let register = address_register(self.cursor)?;
                if instruction.vector == VectorOpcode::Nop {
                    instruction.vector_destination = Some(register);
                } else if instruction.vector_destination.is_none() {
                    instruction.address.register = register;
                }
            }
            _ => {
                self.result(instruction, &mnemonic, Unit::Scalar)?;
                self.cursor.expect(Token::Comma)?;
                let is_scalar = !matches!(opcode, ScalarOpcode::Mov | ScalarOpcode::Lit);
                self.source(instruction, Operand::S2, is_scalar)?;
            }
        }
        Ok(())
    }

    /// Reads destinations, mask and test of an operation.
    fn result(&mut self, instruction: &mut VertexInstruction, mnemonic: &Mnemonic<'_>, unit: Unit) -> Parsed<()> {
        instruction.saturate |= mnemonic.saturate;
        if let Some(register) = mnemonic.update {
            if instruction.condition_update.is_some() {
                return Err(disagreement(self.cursor.last_span(), "condition update"));
            }
            instruction.condition_update = Some(ConditionUpdate { register, unit: Some(unit) });
        }
        if self.cursor.accept(Token::OpenBrace) {
            self.destination(instruction, unit)?;
            self.cursor.expect(Token::Comma)?;
            self.destination(instruction, unit)?;
            self.cursor.expect(Token::CloseBrace)?;
        } else {
            self.destination(instruction, unit)?;
        }
        let mask = if self.cursor.accept_member("_") { WriteMask(0) } else { write_mask(self.cursor, LETTERS)? };
        match unit {
            Unit::Vector => instruction.vector_mask = mask,
            Unit::Scalar => instruction.scalar_mask = mask,
        }
        self.test(instruction)
    }

    fn test(&mut self, instruction: &mut VertexInstruction) -> Parsed<()> {
        let start = self.cursor.span();
        let Some(test) = condition_test(self.cursor, 2, LETTERS)? else { return Ok(()) };
        if self.seen.has_condition && instruction.condition != Some(test) {
            return Err(disagreement(self.cursor.span_from(&start), "condition"));
        }
        self.seen.has_condition = true;
        instruction.condition = Some(test);
        Ok(())
    }

    fn destination(&mut self, instruction: &mut VertexInstruction, unit: Unit) -> Parsed<()> {
        let (name, span) = self.cursor.name("a destination")?;
        if name == "CC" {
            return Ok(());
        }
        if name == "o" {
            if instruction.output.is_some() {
                return Err(disagreement(span, "output"));
            }
            let (index, is_indexed) = self.seen.index(self.cursor, instruction, "an output register", 31)?;
            instruction.output = Some(OutputWrite { index: index.to_le_bytes()[0], is_indexed, unit });
            return Ok(());
        }
        let writes_address = unit == Unit::Vector
            && matches!(instruction.vector, VectorOpcode::Arl | VectorOpcode::Arr | VectorOpcode::Ara);
        let register = if writes_address { numbered(name, "A", 2) } else { numbered(name, "R", 63) };
        let register = register.ok_or_else(|| {
            let wanted = if writes_address { "A0 or A1" } else { "R0 to R62" };
            Diagnostic::new(span, format!("`{}` is not a destination", shortened(name)))
                .label(format!("{wanted}, o[n] or CC"))
        })?;
        match unit {
            Unit::Vector => instruction.vector_destination = Some(register),
            Unit::Scalar => instruction.scalar_destination = Some(register),
        }
        Ok(())
    }

    fn source(&mut self, instruction: &mut VertexInstruction, operand: Operand, is_scalar: bool) -> Parsed<()> {
        let start = self.cursor.span();
        let rules = ModifierRules { has_inner_sign: false, ..ModifierRules::ALL };
        let seen = &mut self.seen;
        let read = modified(self.cursor, rules, |cursor| {
            Ok((seen.register(cursor, instruction)?, selection(cursor, LETTERS)?))
        })?;
        let (kind, selection) = read.register;
        if is_scalar && selection.letters == 4 {
            return Err(Diagnostic::new(selection.span, "a scalar operand has one component"));
        }
        let source = VertexSource { kind, swizzle: selection.swizzle, absolute: read.absolute, negate: read.negate };
        let index = operand.index();
        if !self.seen.sources[index] {
            self.seen.sources[index] = true;
            instruction.sources[index] = source;
            return Ok(());
        }
        // The scalar unit reads the vector unit's third source.
        let shared = instruction.sources[index];
        let is_same = VertexSource { swizzle: source.swizzle, ..shared } == source
            && (shared.swizzle == source.swizzle || is_scalar && shared.swizzle.0[0] == source.swizzle.0[0]);
        if is_same { Ok(()) } else { Err(disagreement(self.cursor.span_from(&start), "third source")) }
    }
}

impl Seen {
    /// Records the address component of an indexed operand. An instruction has one.
    fn address(
        &mut self,
        cursor: &Cursor<'_>,
        instruction: &mut VertexInstruction,
        address: AddressComponent,
    ) -> Parsed<()> {
        if self.address.is_some_and(|seen| seen != address) {
            return Err(disagreement(cursor.last_span(), "address component"));
        }
        self.address = Some(address);
        instruction.address = address;
        Ok(())
    }

    /// Reads `[n]` or `[A0.x+n]`.
    fn index(
        &mut self,
        cursor: &mut Cursor<'_>,
        instruction: &mut VertexInstruction,
        what: &str,
        limit: u32,
    ) -> Parsed<(u16, bool)> {
        cursor.expect(Token::OpenBracket)?;
        let is_indexed = cursor.peek() == Some(Token::Name);
        if is_indexed {
            let register = address_register(cursor)?;
            let component = component(cursor, LETTERS)?;
            self.address(cursor, instruction, AddressComponent { register, component })?;
            cursor.expect(Token::Plus)?;
        }
        let index = cursor.integer(what, limit)?;
        cursor.expect(Token::CloseBracket)?;
        Ok((u16::try_from(index).unwrap_or(u16::MAX), is_indexed))
    }

    fn register(&mut self, cursor: &mut Cursor<'_>, instruction: &mut VertexInstruction) -> Parsed<VertexSourceKind> {
        let (name, span) = cursor.name("a source")?;
        match name {
            "v" => {
                let (index, is_indexed) = self.index(cursor, instruction, "an attribute", 16)?;
                let input = (index.to_le_bytes()[0], is_indexed);
                if self.input.is_some_and(|seen| seen != input) {
                    return Err(disagreement(cursor.span_from(&span), "attribute"));
                }
                self.input = Some(input);
                (instruction.input_index, instruction.is_input_indexed) = input;
                Ok(VertexSourceKind::Input)
            }
            "c" => {
                let constant = self.index(cursor, instruction, "a constant", 1024)?;
                if self.constant.is_some_and(|seen| seen != constant) {
                    return Err(disagreement(cursor.span_from(&span), "constant"));
                }
                self.constant = Some(constant);
                (instruction.constant_index, instruction.is_constant_indexed) = constant;
                Ok(VertexSourceKind::Constant)
            }
            _ => numbered(name, "R", 64).map(VertexSourceKind::Temporary).ok_or_else(|| {
                Diagnostic::new(span, format!("`{}` is not a source", shortened(name))).label("Rn, v[n] or c[n]")
            }),
        }
    }
}

fn address_register(cursor: &mut Cursor<'_>) -> Parsed<u8> {
    let (name, span) = cursor.name("an address register")?;
    numbered(name, "A", 2).ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` is not an address register", shortened(name))).label("A0 or A1")
    })
}
