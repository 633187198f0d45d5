//! The directives of a text: kernels with their sizes and parameters, and variables of the module.

use std::collections::BTreeSet;

use super::super::cubin::{
    BARRIERS, CONSTANT_BYTES, GLOBAL_ALIGNMENT, LOCAL_BYTES, MAX_ALIGNMENT, MAX_REGISTERS, SHARED_BYTES, TEXTURES,
};
use super::super::cursor::{Parsed, shortened};
use super::super::diagnostic::{Diagnostic, Span};
use super::code::{Choice, Code, Item, usage};
use super::kinds::KINDS;
use super::operands::{Line, Symbols, number, number_up_to};
use super::token::TeslaToken as Token;
use crate::isa::tesla::module::{
    PARAMETERS_OFFSET, RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule,
    TeslaParameter, TeslaParameterKind, TeslaTexture,
};
use crate::isa::tesla::{TeslaGeneration, space_named};
use crate::shader::simt::{ProgramKind, Space};

/// The directives with what they are for.
const DIRECTIVES: [&str; 13] = [
    ".target", ".texture", ".global", ".const", ".data", ".kernel", ".kind", ".reg", ".shared", ".local", ".bar",
    ".param", ".words",
];

/// The letters of types with the kinds of parameters.
pub(super) const TYPES: [(char, TeslaParameterKind); 4] = [
    ('b', TeslaParameterKind::Bits),
    ('u', TeslaParameterKind::Unsigned),
    ('s', TeslaParameterKind::Signed),
    ('f', TeslaParameterKind::Float),
];

/// Where `.data` continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    /// The last constants of the module, or of the kernel.
    Constants,
    /// The last global variable.
    Global,
}

/// A module while it is assembled.
#[derive(Debug)]
pub(super) struct Builder<'text> {
    module: TeslaModule,
    kernel: Option<Kernel<'text>>,
    open: Open,
    symbols: Symbols<'text>,
    /// How many symbols are the module's.
    shared_symbols: usize,
    /// The names of variables, textures and kernels.
    names: BTreeSet<(&'static str, &'text str)>,
    errors: Vec<Diagnostic>,
}

/// A kernel while it is assembled.
#[derive(Debug)]
struct Kernel<'text> {
    kernel: TeslaKernel,
    code: Code<'text>,
    registers: Option<u8>,
    shared_bytes: Option<u32>,
    barriers: Option<u8>,
    /// The end of the last parameter.
    parameters_end: u32,
    /// The directives that it has.
    seen: Vec<&'text str>,
}

impl Default for Builder<'_> {
    fn default() -> Self {
        Self {
            module: TeslaModule::default(),
            kernel: None,
            open: Open::Nothing,
            symbols: Symbols::default(),
            shared_symbols: 0,
            names: BTreeSet::new(),
            errors: Vec::new(),
        }
    }
}

impl<'text> Builder<'text> {
    /// The module, and what is wrong with it as a whole.
    pub(super) fn finish(mut self) -> (TeslaModule, Vec<Diagnostic>) {
        self.finish_kernel();
        self.module.textures.sort_by_key(|texture| texture.unit);
        (self.module, self.errors)
    }

    fn finish_kernel(&mut self) {
        let Some(Kernel { mut kernel, code, registers, shared_bytes, barriers, parameters_end, .. }) =
            self.kernel.take()
        else {
            return;
        };
        match code.finish(kernel.kind) {
            Ok(words) => kernel.code = words,
            Err(errors) => self.errors.extend(errors),
        }
        let usage = usage(&kernel.code, kernel.kind);
        self.module.generation = self.module.generation.max(kernel.generation());
        kernel.registers = registers.unwrap_or(usage.registers);
        kernel.barriers = barriers.unwrap_or(usage.barriers);
        kernel.textures.sort_by_key(|texture| texture.unit);
        let is_kernel = kernel.kind == ProgramKind::Compute;
        kernel.shared_bytes = shared_bytes.unwrap_or(if is_kernel { parameters_end } else { 0 });
        self.module.kernels.push(kernel);
        self.symbols.truncate(self.shared_symbols);
    }

    /// Names the place of the next instruction.
    pub(super) fn label(&mut self, name: &str, span: Span) -> Parsed<()> {
        match &mut self.kernel {
            Some(kernel) => kernel.code.label(name, span),
            None => Err(outside(span)),
        }
    }

    /// Reads an instruction.
    pub(super) fn instruction(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let Some(kernel) = &mut self.kernel else { return Err(outside(line.span())) };
        let choice = Choice::read(line, kernel.kernel.kind, &self.symbols)?;
        kernel.code.push(Item::Instruction(Box::new(choice)));
        Ok(())
    }

    /// Reads a directive.
    pub(super) fn directive(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let (name, span) = (line.peek_text(), line.span());
        line.advance();
        match name {
            ".target" => return self.target(line),
            ".texture" => return self.texture(line),
            ".global" => return self.global(line),
            ".const" => return self.constants(line),
            ".data" => return self.data(line, span),
            ".kernel" => return self.begin_kernel(line),
            _ => {}
        }
        if !DIRECTIVES.contains(&name) {
            return Err(Diagnostic::new(span, format!("unknown directive `{}`", shortened(name)))
                .label("not a directive of the language")
                .suggest(name, DIRECTIVES));
        }
        let Some(kernel) = &mut self.kernel else { return Err(outside(span)) };
        if !matches!(name, ".words" | ".param") {
            if kernel.seen.contains(&name) {
                return Err(Diagnostic::new(span, format!("a second `{name}`")).label("the kernel has one"));
            }
            kernel.seen.push(name);
        }
        match name {
            ".kind" => kernel.kind(line, &span)?,
            ".reg" => kernel.registers = Some(small(line, name, MAX_REGISTERS)?),
            ".bar" => kernel.barriers = Some(small(line, name, BARRIERS)?),
            ".shared" => kernel.shared_bytes = Some(number_up_to(line, name, SHARED_BYTES)?),
            ".local" => kernel.kernel.local_bytes = number_up_to(line, name, LOCAL_BYTES)?,
            ".param" => kernel.parameter(line, &mut self.symbols)?,
            _ => kernel.code.push(Item::Words(words(line)?)),
        }
        Ok(())
    }

    fn target(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let (name, span) = take_name(line, "a generation")?;
        let known = TeslaGeneration::from_name(name).ok_or_else(|| {
            let names = TeslaGeneration::NAMES.map(|(_, name)| name);
            Diagnostic::new(span, format!("unknown generation `{}`", shortened(name)))
                .label("not a Tesla processor")
                .note(format!("known: {}", names.join(", ")))
        })?;
        self.module.generation = self.module.generation.max(known);
        Ok(())
    }

    /// A name that no other one of its kind has.
    fn own_name(&mut self, line: &mut Line<'text>, kind: &'static str) -> Parsed<(&'text str, Span)> {
        let (name, span) = take_name(line, "a name")?;
        if !self.names.insert((kind, name)) {
            return Err(taken(kind, name, span));
        }
        Ok((name, span))
    }

    /// `.texture NAME UNIT`, of the kernel or, before kernels, of the module.
    fn texture(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let name = match &self.kernel {
            None => self.own_name(line, "texture")?.0,
            Some(kernel) => {
                let (name, span) = take_name(line, "a name")?;
                let textures = &kernel.kernel.textures;
                if textures.iter().any(|texture| texture.name == name) {
                    return Err(taken("texture", name, span));
                }
                if textures.len() >= TEXTURES as usize {
                    let (count, limit) = (textures.len() + 1, TEXTURES as usize);
                    return Err(Diagnostic::over_limit(span, "textures", count, limit, "the textures of a kernel"));
                }
                name
            }
        };
        let texture = TeslaTexture { name: name.to_owned(), unit: small(line, "the unit", TEXTURES - 1)? };
        match &mut self.kernel {
            None => self.module.textures.push(texture),
            Some(kernel) => kernel.kernel.textures.push(texture),
        }
        Ok(())
    }

    /// `.global NAME BYTES c14[OFFSET]`, then perhaps `align N`.
    fn global(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let (name, _) = self.own_name(line, "global variable")?;
        let bytes = number(line)?;
        let start = line.span();
        let (space, address_offset) = place(line, CONSTANT_BYTES - 4)?;
        if space != Space::Constant(RELOCATION_CONSTANT_SPACE) || address_offset % 4 != 0 {
            let error = Diagnostic::new(line.span_from(&start), "no place for an address");
            return Err(error.label(format!("expected `c{RELOCATION_CONSTANT_SPACE}[a multiple of 4]`")));
        }
        let mut alignment = GLOBAL_ALIGNMENT;
        if line.peek_text() == "align" {
            line.advance();
            let span = line.span();
            alignment = number_up_to(line, "the alignment", MAX_ALIGNMENT)?;
            if !alignment.is_power_of_two() {
                return Err(Diagnostic::new(span, format!("the alignment is {alignment}")).label("not a power of two"));
            }
        }
        let global = TeslaGlobal { name: name.to_owned(), bytes, alignment, words: Vec::new(), address_offset };
        self.module.globals.push(global);
        self.open = Open::Global;
        Ok(())
    }

    /// `.const NAME c1[OFFSET] BYTES`, of the kernel or, before kernels, of the module.
    fn constants(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        let is_shared = self.kernel.is_none();
        let (name, name_span) = if is_shared { self.own_name(line, "constant")? } else { take_name(line, "a name")? };
        let start = line.span();
        let (space, offset) = place(line, CONSTANT_BYTES)?;
        let Space::Constant(number) = space else {
            let error = Diagnostic::new(line.span_from(&start), "not a constant space");
            return Err(error.label("expected `c0[offset]` to `c15[offset]`"));
        };
        let bytes = number_up_to(line, "the size", CONSTANT_BYTES - offset)?;
        let constants = TeslaConstants { name: name.to_owned(), space: number, offset, bytes, words: Vec::new() };
        match &mut self.kernel {
            // Compilers call every segment of literals the same.
            Some(kernel) => {
                let _ = self.symbols.insert(name, name_span, space, offset);
                kernel.kernel.constants.push(constants);
            }
            None => {
                self.symbols.insert(name, name_span, space, offset)?;
                self.shared_symbols = self.symbols.count();
                self.module.constants.push(constants);
            }
        }
        self.open = Open::Constants;
        Ok(())
    }

    /// Initial words of the last variable.
    fn data(&mut self, line: &mut Line<'text>, span: Span) -> Parsed<()> {
        let place = match (self.open, &mut self.kernel) {
            (Open::Nothing, _) => None,
            (Open::Global, _) => self.module.globals.last_mut().map(|global| (&mut global.words, global.bytes)),
            (Open::Constants, Some(kernel)) => {
                kernel.kernel.constants.last_mut().map(|constants| (&mut constants.words, constants.bytes))
            }
            (Open::Constants, None) => {
                self.module.constants.last_mut().map(|constants| (&mut constants.words, constants.bytes))
            }
        };
        let Some((words, bytes)) = place else {
            return Err(Diagnostic::new(span, "`.data` of nothing").label("expected `.const` or `.global` before it"));
        };
        words.extend(self::words(line)?);
        let most = bytes.div_ceil(4) as usize;
        if words.len() > most {
            let error = Diagnostic::new(span, format!("{} words of data", words.len()));
            return Err(error.label(format!("{bytes} bytes are room for {most}")));
        }
        Ok(())
    }

    fn begin_kernel(&mut self, line: &mut Line<'text>) -> Parsed<()> {
        self.finish_kernel();
        self.open = Open::Nothing;
        let (name, _) = self.own_name(line, "kernel")?;
        self.kernel = Some(Kernel {
            kernel: TeslaKernel { name: name.to_owned(), ..TeslaKernel::default() },
            code: Code::new(),
            registers: None,
            shared_bytes: None,
            barriers: None,
            parameters_end: PARAMETERS_OFFSET,
            seen: Vec::new(),
        });
        Ok(())
    }
}

impl<'text> Kernel<'text> {
    fn kind(&mut self, line: &mut Line<'text>, span: &Span) -> Parsed<()> {
        let (name, name_span) = take_name(line, "a kind of program")?;
        let found = KINDS.iter().find(|(_, known)| *known == name).ok_or_else(|| {
            Diagnostic::new(name_span, format!("unknown kind of program `{}`", shortened(name)))
                .label(format!("known: {}", KINDS.map(|(_, name)| name).join(", ")))
                .suggest(name, KINDS.map(|(_, name)| name))
        })?;
        if !self.code.is_empty() {
            return Err(
                Diagnostic::new(span.clone(), "`.kind` behind an instruction").label("expected before the first")
            );
        }
        self.kernel.kind = found.0;
        Ok(())
    }

    /// `.param TYPE NAME`, then perhaps `s[OFFSET]`; a type is `u32`, or `u8[12]` for bytes.
    fn parameter(&mut self, line: &mut Line<'text>, symbols: &mut Symbols<'text>) -> Parsed<()> {
        let (name, span) = take_name(line, "a type")?;
        let (kind, size) = parameter_type(name).ok_or_else(|| {
            Diagnostic::new(span.clone(), format!("unknown type `{}`", shortened(name)))
                .label("expected u8, u16, u32, u64, s8, s16, s32, s64, f32, f64 or b8, b16, b32, b64")
        })?;
        let mut count = 1;
        if line.accept(Token::OpenBracket) {
            count = number_up_to(line, "the count", SHARED_BYTES / size)?;
            line.expect(Token::CloseBracket)?;
        }
        let (name, span) = take_name(line, "a name")?;
        let mut offset = self.parameters_end.next_multiple_of(size);
        if line.peek().is_some() {
            let start = line.span();
            let (space, found) = place(line, SHARED_BYTES)?;
            if space != Space::Shared {
                let error = Diagnostic::new(line.span_from(&start), "parameters are in shared memory");
                return Err(error.label("expected `s[offset]`"));
            }
            offset = found;
        }
        let bytes = size * count;
        if offset + bytes > SHARED_BYTES {
            let error = Diagnostic::new(span, format!("the parameter ends at {}", offset + bytes));
            return Err(error.label(format!("shared memory has {SHARED_BYTES} bytes")));
        }
        symbols.insert(name, span, Space::Shared, offset)?;
        self.parameters_end = self.parameters_end.max(offset + bytes);
        let parameters = self.kernel.parameters.get_or_insert_default();
        parameters.push(TeslaParameter { name: name.to_owned(), offset, bytes, kind });
        Ok(())
    }
}

/// The kind and size of a type such as `u32`.
fn parameter_type(name: &str) -> Option<(TeslaParameterKind, u32)> {
    let (letter, kind) = TYPES.into_iter().find(|(letter, _)| name.starts_with(*letter))?;
    let size = match name.strip_prefix(letter)? {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        "64" => 8,
        _ => return None,
    };
    (letter != 'f' || size >= 4).then_some((kind, size))
}

/// The error that another one of its kind has the name.
fn taken(kind: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::new(span, format!("a second {kind} `{}`", shortened(name))).label("the name is taken")
}

/// The error that something belongs into a kernel.
fn outside(span: Span) -> Diagnostic {
    Diagnostic::new(span, "not in a kernel").label("expected `.kernel NAME` before it")
}

fn take_name<'text>(line: &mut Line<'text>, what: &str) -> Parsed<(&'text str, Span)> {
    let found = (line.peek_text(), line.span());
    // Names may begin with a dollar sign, as registers do.
    if line.accept(Token::Name) || line.accept(Token::Register) { Ok(found) } else { Err(line.unexpected(what)) }
}

/// A number of at most 255.
fn small(line: &mut Line<'_>, what: &str, most: u32) -> Parsed<u8> {
    let value = number_up_to(line, what, most)?;
    Ok(u8::try_from(value).unwrap_or(u8::MAX))
}

/// `c1[0x10]`: a space and an offset in it.
fn place(line: &mut Line<'_>, most: u32) -> Parsed<(Space, u32)> {
    let space = space_named(line.peek_text()).ok_or_else(|| line.unexpected("a place such as `c0[0x10]`"))?;
    line.advance();
    line.expect(Token::OpenBracket)?;
    let offset = number_up_to(line, "the offset", most)?;
    line.expect(Token::CloseBracket)?;
    Ok((space, offset))
}

/// One or more numbers up to the end of the line.
fn words(line: &mut Line<'_>) -> Parsed<Vec<u32>> {
    let mut words = vec![number(line)?];
    while line.peek().is_some() {
        words.push(number(line)?);
    }
    Ok(words)
}
