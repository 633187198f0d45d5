//! Reads cubin text into a module.

use std::collections::BTreeSet;

use super::super::cursor::shortened;
use super::super::diagnostic::{Diagnostic, Diagnostics, Span};
use super::sections::{Lookup, Section, sections};
use super::{
    ABI_VERSIONS, BARRIERS, CONSTANT_BYTES, CONSTANT_SEGMENT, GLOBAL_ALIGNMENT, LOCAL_BYTES, MAX_REGISTERS,
    RELOCATION_SEGMENT, SHARED_BYTES, TEXTURES,
};
use crate::isa::tesla::module::{
    RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule, TeslaTexture,
};
use crate::isa::tesla::{TeslaGeneration, broken_instruction};
use crate::shader::simt::ProgramKind;

/// The sections of a text.
const SECTIONS: [&str; 7] = ["architecture", "abiversion", "modname", "consts", "reloc", "sampler", "code"];

/// Reads a cubin text; `name` is what errors call it.
///
/// The generation of the module is that of `architecture`, or a later one that an instruction needs: CUDA calls GT215 `sm_12`.
///
/// # Errors
/// When the text is not of the form, or exceeds a limit of the processor.
pub fn read_cubin(name: &str, text: &str) -> Result<TeslaModule, Diagnostics> {
    Diagnostics::check_length(name, text)?;
    let sections = sections(text).map_err(|error| Diagnostics::new(name, text, vec![error]))?;
    let mut reader = Reader { lookup: Lookup::default(), module: TeslaModule::default(), names: BTreeSet::new() };
    for section in &sections {
        reader.section(section);
    }
    if !sections.iter().any(|section| section.name == "architecture") {
        reader.lookup.error(Diagnostic::new(0..0, "the text has no `architecture`").label("expected before this"));
    }
    let Reader { lookup: Lookup { errors }, mut module, .. } = reader;
    if !errors.is_empty() {
        return Err(Diagnostics::new(name, text, errors));
    }
    module.textures.sort_by_key(|texture| texture.unit);
    module.generation =
        module.kernels.iter().map(TeslaKernel::generation).fold(module.generation, TeslaGeneration::max);
    Ok(module)
}

struct Reader<'text> {
    lookup: Lookup,
    module: TeslaModule,
    /// The kinds and names of what has been read.
    names: BTreeSet<(&'static str, &'text str)>,
}

impl<'text> Reader<'text> {
    fn section(&mut self, section: &Section<'text>) {
        match section.name {
            "architecture" => self.architecture(section),
            "abiversion" => self.lookup.only_number(section, ABI_VERSIONS - 1),
            "modname" => drop(self.lookup.value(section)),
            "consts" => self.constants(section),
            "reloc" => self.global(section),
            "sampler" => self.texture(section),
            "code" => self.kernel(section),
            other => {
                let error = Diagnostic::new(section.span.clone(), format!("unknown section `{}`", shortened(other)));
                self.lookup.error(error.label("not a section of cubin text").suggest(other, SECTIONS));
            }
        }
    }

    fn architecture(&mut self, section: &Section<'text>) {
        let Some(value) = self.lookup.value(section) else { return };
        // CUDA has no name for GT215.
        let known = TeslaGeneration::NAMES.into_iter().filter(|(generation, _)| *generation != TeslaGeneration::Gt215);
        match known.clone().find(|(_, name)| *name == value.text) {
            Some((generation, _)) => self.module.generation = generation,
            None => self.lookup.error(
                Diagnostic::new(value.span, format!("unknown architecture `{}`", shortened(value.text)))
                    .label("not a Tesla processor")
                    .note(format!("known: {}", known.map(|(_, name)| name).collect::<Vec<_>>().join(", "))),
            ),
        }
    }

    /// The name of a section, which no other one of the kind may have.
    fn own_name(&mut self, section: &Section<'text>, kind: &'static str) -> String {
        let (name, span) = self.lookup.name(section, "name");
        if !self.names.insert((kind, name)) {
            let error = Diagnostic::new(span, format!("a second {kind} `{}`", shortened(name)));
            self.lookup.error(error.label("the name is taken"));
        }
        name.to_owned()
    }

    fn constants(&mut self, section: &Section<'text>) {
        self.lookup.check(section, &["name", "segname", "segnum", "offset", "bytes"], &["mem"]);
        let name = self.own_name(section, "constant");
        self.segment(section, CONSTANT_SEGMENT);
        let constants = self.piece(section, name);
        self.module.constants.push(constants);
    }

    /// The place, size and words of constants.
    fn piece(&mut self, section: &Section<'text>, name: String) -> TeslaConstants {
        let (space, _) = self.lookup.number(section, "segnum", 15);
        let (offset, _) = self.lookup.number(section, "offset", CONSTANT_BYTES);
        let (bytes, span) = self.lookup.number(section, "bytes", CONSTANT_BYTES);
        if offset + bytes > CONSTANT_BYTES {
            let error = Diagnostic::new(span, format!("the constants end at {}", offset + bytes));
            self.lookup.error(error.label(format!("a constant space has {CONSTANT_BYTES} bytes")));
        }
        let words = self.words_of(section, bytes);
        // The number was checked above.
        TeslaConstants { name, space: u8::try_from(space).unwrap_or(0), offset, bytes, words }
    }

    /// The initial words of a variable of this size.
    fn words_of(&mut self, section: &Section<'text>, bytes: u32) -> Vec<u32> {
        let words = self.lookup.words(section, "mem");
        let most = bytes.div_ceil(4) as usize;
        if let Some((_, span)) = words.get(most) {
            let error = Diagnostic::new(span.clone(), format!("`mem` has {} words", words.len()));
            self.lookup.error(error.label(format!("`bytes = {bytes}` is room for {most}")));
        }
        words.into_iter().map(|(word, _)| word).collect()
    }

    /// Checks the name of a segment.
    fn segment(&mut self, section: &Section<'text>, expected: &str) {
        let (name, span) = self.lookup.name(section, "segname");
        if name != expected {
            let error = Diagnostic::new(span, format!("`{}` is not the segment of this section", shortened(name)));
            self.lookup.error(error.label(format!("expected `{expected}`")));
        }
    }

    // Unverified: initial words; the compiled kernels at hand have none.
    fn global(&mut self, section: &Section<'text>) {
        self.lookup.check(section, &["name", "segname", "segnum", "offset", "bytes"], &["mem"]);
        let name = self.own_name(section, "global variable");
        self.segment(section, RELOCATION_SEGMENT);
        let expected = RELOCATION_CONSTANT_SPACE;
        let (space, span) = self.lookup.number(section, "segnum", 15);
        if space != u32::from(expected) {
            let error = Diagnostic::new(span, format!("addresses of variables in constant space {space}"));
            self.lookup.error(error.label(format!("expected {expected}")));
        }
        let (address_offset, span) = self.lookup.number(section, "offset", CONSTANT_BYTES - 4);
        if address_offset % 4 != 0 {
            let error = Diagnostic::new(span, format!("the address is at offset {address_offset}"));
            self.lookup.error(error.label("must be a multiple of 4"));
        }
        let (bytes, _) = self.lookup.number(section, "bytes", u32::MAX);
        let words = self.words_of(section, bytes);
        self.module.globals.push(TeslaGlobal { name, bytes, alignment: GLOBAL_ALIGNMENT, words, address_offset });
    }

    fn texture(&mut self, section: &Section<'text>) {
        self.lookup.check(section, &["name", "texunit"], &[]);
        let name = self.own_name(section, "texture");
        let (unit, _) = self.lookup.number(section, "texunit", TEXTURES - 1);
        self.module.textures.push(TeslaTexture { name, unit: u8::try_from(unit).unwrap_or(0) });
    }

    fn kernel(&mut self, section: &Section<'text>) {
        self.lookup.check(section, &["name", "lmem", "smem", "reg", "bar"], &["bincode", "const"]);
        let name = self.own_name(section, "kernel");
        let (local_bytes, _) = self.lookup.number(section, "lmem", LOCAL_BYTES);
        let (shared_bytes, _) = self.lookup.number(section, "smem", SHARED_BYTES);
        let (registers, _) = self.lookup.number(section, "reg", MAX_REGISTERS);
        let (barriers, _) = self.lookup.number(section, "bar", BARRIERS);
        if Lookup::parts(section, "bincode").next().is_none() {
            let error = Diagnostic::new(section.span.clone(), "`code` has no `bincode`");
            self.lookup.error(error.label("expected `bincode { words }`"));
        }
        let code = self.lookup.words(section, "bincode");
        self.check_code(&code);
        let mut constants = Vec::new();
        for part in Lookup::parts(section, "const") {
            self.lookup.check(part, &["segname", "segnum", "offset", "bytes"], &["mem"]);
            let (name, _) = self.lookup.name(part, "segname");
            constants.push(self.piece(part, name.to_owned()));
        }
        self.module.kernels.push(TeslaKernel {
            name,
            code: code.into_iter().map(|(word, _)| word).collect(),
            registers: u8::try_from(registers).unwrap_or(0),
            shared_bytes,
            local_bytes,
            barriers: u8::try_from(barriers).unwrap_or(0),
            constants,
            ..TeslaKernel::default()
        });
    }

    /// Checks that instructions of two words are whole, and aligned to eight bytes.
    fn check_code(&mut self, code: &[(u32, Span)]) {
        let words: Vec<u32> = code.iter().map(|(word, _)| *word).collect();
        let Some((address, error)) = broken_instruction(&words, ProgramKind::Compute) else { return };
        let span = code.get(address as usize / 4).map_or(0..0, |(_, span)| span.clone());
        self.lookup.error(Diagnostic::new(span, error.to_string()).label("the first word of an instruction of two"));
    }
}
