//! The module that the sections and symbols of an ELF cubin describe.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use object::elf::STT_OBJECT;

use super::super::token::is_name;
use super::super::{
    BARRIERS, CONSTANT_BYTES, GLOBAL_ALIGNMENT, LOCAL_BYTES, MAX_ALIGNMENT, MAX_REGISTERS, SHARED_BYTES, TEXTURES,
    words,
};
use super::attributes::Attributes;
use super::error::ElfCubinError;
use super::image::{Image, Relocation, Section, Symbol};
use crate::isa::tesla::module::{
    PARAMETERS_OFFSET, RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule,
    TeslaParameter, TeslaParameterKind, TeslaTexture,
};
use crate::isa::tesla::{TeslaGeneration, broken_instruction};
use crate::shader::simt::ProgramKind;

/// `R_CUDA_32`: the address of a symbol.
const ADDRESS: u32 = 1;

/// The table of addresses of variables.
const ADDRESSES: &str = ".nv.constant14";

/// The sections whose relocations matter; others are debug information.
const RELOCATED: [&str; 3] = [".text.", ".nv.constant", ".nv.global"];

/// Zeros between variables that are not a variable of their own: less than the widest alignment.
const PADDING: usize = 16;

/// The name of a kernel's literals, as in cubin text.
const LITERALS: &str = "const";

/// The module of a file.
///
/// # Errors
/// When the file is for another processor, exceeds a limit of the processor, or has relocations other than addresses of
/// variables.
pub(super) fn module(image: &Image<'_>) -> Result<TeslaModule, ElfCubinError> {
    let architecture = image.flags & 0xff;
    let generation = TeslaGeneration::from_name(&format!("sm_{architecture}"));
    let generation = generation.ok_or(ElfCubinError::Architecture { architecture })?;
    let mut sections = HashMap::new();
    for section in &image.sections {
        let is_used = section.name.starts_with(".text.") || section.name.starts_with(".nv.");
        if is_used && sections.insert(section.name, section).is_some() {
            return Err(ElfCubinError::Twice { name: section.name.to_owned() });
        }
    }
    let reader = Reader { image, sections };
    let mut names = Names::default();
    let constants = reader.constants(&mut names)?;
    let globals = reader.globals()?;
    let mut kernels = Vec::new();
    for section in &image.sections {
        if let Some(name) = section.name.strip_prefix(".text.") {
            kernels.push(reader.kernel(identifier(name)?, section, &names)?);
        }
    }
    let generation = kernels.iter().map(TeslaKernel::generation).fold(generation, TeslaGeneration::max);
    Ok(TeslaModule { generation, kernels, constants, globals, textures: Vec::new() })
}

/// Names that are taken, with the number that the next one of the same name gets.
#[derive(Debug, Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// The name, with a number behind it if it is taken: variables in functions may share theirs.
    fn own(&mut self, name: &str) -> String {
        let mut own = name.to_owned();
        while let Some(number) = self.0.get(&own).copied() {
            self.0.insert(name.to_owned(), number + 1);
            own = format!("{name}_{number}");
        }
        self.0.insert(own.clone(), 2);
        own
    }
}

struct Reader<'image> {
    image: &'image Image<'image>,
    sections: HashMap<&'image str, &'image Section<'image>>,
}

impl Reader<'_> {
    fn kernel(&self, name: &str, section: &Section<'_>, names: &Names) -> Result<TeslaKernel, ElfCubinError> {
        let limit = |what, value: u64, most| limit(name, what, value, most);
        let of_kernel = |prefix: &str| self.sections.get(format!("{prefix}{name}").as_str()).copied();
        let size = |prefix: &str| of_kernel(prefix).map(|section| section.size);
        let info = of_kernel(".nv.info.").map(|section| Attributes::read(section.name, section.bytes)).transpose()?;
        let Attributes { tell_parameters, parameters, textures } = info.unwrap_or_default();
        let mut constants = Vec::new();
        for space in 0..16 {
            if let Some(section) = of_kernel(&format!(".nv.constant{space}.")) {
                limit("the size of its constants", section.size, CONSTANT_BYTES)?;
                constants.push(piece(LITERALS.to_owned(), space, 0, section.bytes));
            }
        }
        let parameters = parameters.into_iter().enumerate();
        let parameters = parameters.map(|(index, (number, offset, bytes))| {
            if usize::from(number) != index {
                let problem = format!("parameter {index} is missing, or told twice");
                return Err(ElfCubinError::Kernel { kernel: name.to_owned(), problem });
            }
            let offset = u32::from(offset) + PARAMETERS_OFFSET;
            limit("the end of its parameters", u64::from(offset) + u64::from(bytes), SHARED_BYTES)?;
            let mut name = format!("param{index}");
            while names.0.contains_key(&name) {
                name.push('_');
            }
            Ok(TeslaParameter { name, offset, bytes, kind: TeslaParameterKind::Bits })
        });
        let parameters: Vec<_> = parameters.collect::<Result<_, _>>()?;
        let parameters_end = parameters.iter().map(|parameter| parameter.offset + parameter.bytes).max();
        let shared_bytes = size(".nv.shared.").unwrap_or_else(|| parameters_end.unwrap_or(PARAMETERS_OFFSET).into());
        let registers = limit("the number of its registers", (section.info >> 24).into(), MAX_REGISTERS)?;
        let barriers = limit("the number of its barriers", section.flags >> 20 & 0x1f, BARRIERS)?;
        Ok(TeslaKernel {
            name: name.to_owned(),
            kind: ProgramKind::Compute,
            code: code(name, section.bytes)?,
            // The limits are below 256.
            registers: u8::try_from(registers).unwrap_or(u8::MAX),
            shared_bytes: limit("the size of its shared memory", shared_bytes, SHARED_BYTES)?,
            local_bytes: limit("the size of its local memory", size(".nv.local.").unwrap_or(0), LOCAL_BYTES)?,
            barriers: u8::try_from(barriers).unwrap_or(u8::MAX),
            constants,
            textures: self.textures(name, &textures)?,
            parameters: tell_parameters.then_some(parameters),
        })
    }

    /// The textures of a kernel, from the numbers of symbols with units.
    fn textures(&self, kernel: &str, slots: &[(u32, u32)]) -> Result<Vec<TeslaTexture>, ElfCubinError> {
        let mut textures: Vec<TeslaTexture> = Vec::new();
        for (symbol, unit) in slots {
            let symbol = self.image.symbols.get(*symbol as usize).ok_or_else(|| {
                let problem = format!("symbol {symbol} of a texture is missing");
                ElfCubinError::Kernel { kernel: kernel.to_owned(), problem }
            })?;
            let name = identifier(symbol.name)?;
            let unit = limit(name, "the unit of the texture", (*unit).into(), TEXTURES - 1)?;
            if textures.iter().any(|texture| texture.name == name) {
                let problem = format!("texture {name} has two units");
                return Err(ElfCubinError::Kernel { kernel: kernel.to_owned(), problem });
            }
            limit(kernel, "the number of its textures", textures.len() as u64 + 1, TEXTURES)?;
            textures.push(TeslaTexture { name: name.to_owned(), unit: u8::try_from(unit).unwrap_or(u8::MAX) });
        }
        textures.sort_by_key(|texture| texture.unit);
        Ok(textures)
    }

    /// Variables in constant memory, and what lies between them.
    fn constants(&self, names: &mut Names) -> Result<Vec<TeslaConstants>, ElfCubinError> {
        let mut constants = Vec::new();
        for (number, section) in self.image.sections.iter().enumerate() {
            let space = section.name.strip_prefix(".nv.constant").and_then(|space| space.parse().ok());
            let Some(space) = space.filter(|space| *space < 16 && *space != RELOCATION_CONSTANT_SPACE) else {
                continue;
            };
            limit(section.name, "its size", section.size, CONSTANT_BYTES)?;
            let mut end = 0;
            let variables = self.variables(number, section)?;
            let names_and_places =
                variables.iter().map(|variable| (Some(variable.symbol.name), variable.range.clone()));
            let last = (None, section.bytes.len()..section.bytes.len());
            for (name, range) in names_and_places.chain([last]) {
                let between = section.bytes.get(end..range.start).unwrap_or_default();
                if between.len() >= PADDING || between.iter().any(|byte| *byte != 0) {
                    let name = names.own(&format!("constant{space}_{end:x}"));
                    constants.push(piece(name, space, end, between));
                }
                end = end.max(range.end);
                if let Some(name) = name {
                    let bytes = section.bytes.get(range.clone()).unwrap_or_default();
                    constants.push(piece(names.own(identifier(name)?), space, range.start, bytes));
                }
            }
        }
        Ok(constants)
    }

    /// Variables in global memory whose addresses kernels read, in the order of the addresses.
    fn globals(&self) -> Result<Vec<TeslaGlobal>, ElfCubinError> {
        let mut globals = Vec::new();
        let mut names = Names::default();
        let (mut symbols, mut places) = (BTreeSet::new(), BTreeSet::new());
        for section in &self.image.sections {
            let Some(relocations) = &section.relocations else { continue };
            let Some(changed) = self.image.sections.get(section.info as usize) else { continue };
            if !RELOCATED.iter().any(|prefix| changed.name.starts_with(prefix)) {
                continue;
            }
            for relocation in relocations {
                let error = |problem| ElfCubinError::Relocation {
                    section: section.name.to_owned(),
                    offset: relocation.offset,
                    problem,
                };
                if changed.name != ADDRESSES {
                    return Err(error("is not in the table of addresses of variables, .nv.constant14"));
                }
                if !symbols.insert(relocation.symbol) {
                    return Err(error("is a second address of its variable"));
                }
                if !places.insert(relocation.offset) {
                    return Err(error("is at the place of another one"));
                }
                globals.push(self.global(changed, relocation, &mut names)?.map_err(error)?);
            }
        }
        if let Some(addresses) = self.sections.get(ADDRESSES)
            && let Some(offset) = addresses.bytes.iter().position(|byte| *byte != 0)
        {
            let problem = "a value beside the address of a variable";
            return Err(ElfCubinError::Bytes { section: ADDRESSES.to_owned(), offset: offset as u64, problem });
        }
        globals.sort_by_key(|global| global.address_offset);
        Ok(globals)
    }

    /// The variable whose address a relocation writes, or what is wrong with the relocation.
    fn global(
        &self,
        addresses: &Section<'_>,
        relocation: &Relocation,
        names: &mut Names,
    ) -> Result<Result<TeslaGlobal, &'static str>, ElfCubinError> {
        let fits = relocation.offset.is_multiple_of(4)
            && relocation.offset.checked_add(4).is_some_and(|end| end <= addresses.size)
            && relocation.offset <= u64::from(CONSTANT_BYTES - 4);
        if !fits {
            return Ok(Err("is not at a whole word of the table"));
        }
        if relocation.kind != ADDRESS || relocation.addend != 0 {
            return Ok(Err("is not the address of a variable"));
        }
        let symbol = self.image.symbols.get(relocation.symbol);
        let section = symbol.and_then(|symbol| self.image.sections.get(symbol.section));
        let (Some(symbol), Some(section)) = (symbol, section) else { return Ok(Err("has no symbol")) };
        if !section.name.starts_with(".nv.global") || symbol.kind != STT_OBJECT.0 {
            return Ok(Err("is not of a variable in global memory"));
        }
        let variable = self.variable(symbol, section)?;
        let bytes = section.bytes.get(variable.range.clone()).unwrap_or_default();
        let alignment = u32::try_from(section.alignment).ok().filter(|alignment| alignment.is_power_of_two());
        Ok(Ok(TeslaGlobal {
            name: names.own(identifier(symbol.name)?),
            bytes: u32::try_from(symbol.size).unwrap_or(u32::MAX),
            alignment: alignment.unwrap_or(0).clamp(GLOBAL_ALIGNMENT, MAX_ALIGNMENT),
            words: words(bytes),
            address_offset: u32::try_from(relocation.offset).unwrap_or(u32::MAX),
        }))
    }

    /// The variables in a section, by their places.
    fn variables(&self, number: usize, section: &Section<'_>) -> Result<Vec<Variable<'_>>, ElfCubinError> {
        let symbols = self.image.symbols.iter();
        let in_section = symbols.filter(|symbol| symbol.section == number && symbol.kind == STT_OBJECT.0);
        let mut variables: Vec<_> =
            in_section.map(|symbol| self.variable(symbol, section)).collect::<Result<_, _>>()?;
        variables.sort_by_key(|variable| variable.range.start);
        Ok(variables)
    }

    /// The place of a variable in its section.
    fn variable<'image>(
        &self,
        symbol: &'image Symbol<'image>,
        section: &Section<'_>,
    ) -> Result<Variable<'image>, ElfCubinError> {
        let end = symbol.value.checked_add(symbol.size).filter(|end| *end <= section.size);
        let (Ok(start), Some(Ok(end))) = (usize::try_from(symbol.value), end.map(usize::try_from)) else {
            return Err(ElfCubinError::Symbol { name: symbol.name.to_owned(), section: section.name.to_owned() });
        };
        // A section without bytes has none to copy.
        self.image.spend(if section.bytes.is_empty() { 0 } else { end - start })?;
        Ok(Variable { symbol, range: start..end })
    }
}

/// A symbol, and the bytes of its section that it names.
struct Variable<'image> {
    symbol: &'image Symbol<'image>,
    range: Range<usize>,
}

/// A piece of a constant space.
fn piece(name: String, space: u8, start: usize, bytes: &[u8]) -> TeslaConstants {
    let size = |value| u32::try_from(value).unwrap_or(u32::MAX);
    TeslaConstants { name, space, offset: size(start), bytes: size(bytes.len()), words: words(bytes) }
}

/// The words of a kernel's code, whose instructions are whole.
fn code(kernel: &str, bytes: &[u8]) -> Result<Vec<u32>, ElfCubinError> {
    let error = |problem| ElfCubinError::Kernel { kernel: kernel.to_owned(), problem };
    if !bytes.len().is_multiple_of(4) {
        return Err(error(format!("{} bytes of code are no whole words", bytes.len())));
    }
    let words = words(bytes);
    match broken_instruction(&words, ProgramKind::Compute) {
        Some((_, problem)) => Err(error(problem.to_string())),
        None => Ok(words),
    }
}

/// The value as a number of 32 bits, at most `most`.
fn limit(owner: &str, what: &'static str, value: u64, most: u32) -> Result<u32, ElfCubinError> {
    let small = u32::try_from(value).ok().filter(|value| *value <= most);
    small.ok_or_else(|| ElfCubinError::Limit { owner: owner.to_owned(), what, value, most })
}

/// The name, if it is one in the assembly language.
fn identifier(name: &str) -> Result<&str, ElfCubinError> {
    if is_name(name) { Ok(name) } else { Err(ElfCubinError::Name { name: name.to_owned() }) }
}
