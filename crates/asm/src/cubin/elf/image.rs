//! The sections and symbols of an ELF file of either class, as plain values.

use std::cell::Cell;

use object::elf::{EM_CUDA, FileHeader32, FileHeader64, SHT_NOBITS, SHT_SYMTAB, SectionType};
use object::read::elf::{FileHeader, Rel as _, Rela as _, SectionHeader, Sym as _};
use object::{Endianness, FileKind};

use super::error::ElfCubinError;

/// Types of sections without bytes in the file, beside `SHT_NOBITS`: global, local and shared memory.
///
/// Source: the tables of types in public tools that read cubins. The public cubins for `sm_10` to `sm_13` have `SHT_NOBITS`.
const WITHOUT_BYTES: [SectionType; 3] = [SectionType(0x7000_0007), SectionType(0x7000_0009), SectionType(0x7000_000a)];

/// How many times the bytes of a file may be used: names share their ends, and variables may share bytes. Without a limit, a
/// small file could have any number of large kernels and variables.
const MAX_USES: usize = 8;

/// An ELF file of CUDA.
pub(super) struct Image<'file> {
    /// How many bytes may still be used.
    uses: Uses,
    /// `e_flags`.
    pub(super) flags: u32,
    pub(super) sections: Vec<Section<'file>>,
    pub(super) symbols: Vec<Symbol<'file>>,
}

/// How many bytes of a file may still be used.
struct Uses(Cell<usize>);

impl Uses {
    fn spend(&self, bytes: usize) -> Result<(), ElfCubinError> {
        self.0.set(self.0.get().checked_sub(bytes).ok_or(ElfCubinError::Overlap)?);
        Ok(())
    }

    /// A name as text.
    fn text<'file>(&self, name: &'file [u8]) -> Result<&'file str, ElfCubinError> {
        self.spend(name.len())?;
        std::str::from_utf8(name).map_err(|_| ElfCubinError::Name { name: String::from_utf8_lossy(name).into_owned() })
    }
}

/// A section.
pub(super) struct Section<'file> {
    pub(super) name: &'file str,
    /// `sh_flags`.
    pub(super) flags: u64,
    /// `sh_info`.
    pub(super) info: u32,
    pub(super) alignment: u64,
    /// Its size, also where the file has no bytes of it.
    pub(super) size: u64,
    /// Its bytes; none if they are all zero.
    pub(super) bytes: &'file [u8],
    /// The relocations that it holds, of the section with the number `info`.
    pub(super) relocations: Option<Vec<Relocation>>,
}

/// A symbol.
pub(super) struct Symbol<'file> {
    pub(super) name: &'file str,
    /// `STT_OBJECT` and others.
    pub(super) kind: u8,
    /// The number of its section.
    pub(super) section: usize,
    pub(super) value: u64,
    pub(super) size: u64,
}

/// A relocation.
pub(super) struct Relocation {
    pub(super) offset: u64,
    /// The number of the symbol.
    pub(super) symbol: usize,
    pub(super) kind: u32,
    /// What is added to the symbol's value, beside what the section holds.
    pub(super) addend: i64,
}

impl<'file> Image<'file> {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is damaged, or not of CUDA.
    pub(super) fn read(file: &'file [u8]) -> Result<Self, ElfCubinError> {
        match FileKind::parse(file)? {
            FileKind::Elf32 => Self::of::<FileHeader32<Endianness>>(file),
            FileKind::Elf64 => Self::of::<FileHeader64<Endianness>>(file),
            _ => Err(ElfCubinError::Class),
        }
    }

    fn of<Elf: FileHeader<Endian = Endianness>>(file: &'file [u8]) -> Result<Self, ElfCubinError> {
        let header = Elf::parse(file)?;
        let endian = header.endian()?;
        let machine = header.e_machine(endian);
        if machine != EM_CUDA {
            return Err(ElfCubinError::Machine { machine: machine.0 });
        }
        let table = header.sections(endian, file)?;
        let uses = Uses(Cell::new(file.len().saturating_mul(MAX_USES)));
        let sections = table.iter().map(|section| {
            let name = uses.text(table.section_name(endian, section)?)?;
            let section = read_section::<Elf>(file, endian, name, section)?;
            uses.spend(section.bytes.len())?;
            Ok(section)
        });
        let sections = sections.collect::<Result<_, ElfCubinError>>()?;
        let found = table.symbols(endian, file, SHT_SYMTAB)?;
        let mut symbols = Vec::new();
        for (index, symbol) in found.enumerate() {
            symbols.push(Symbol {
                name: uses.text(found.symbol_name(endian, symbol)?)?,
                kind: symbol.st_type().0,
                section: found.symbol_section(endian, symbol, index)?.map_or(0, |section| section.0),
                value: symbol.st_value(endian).into(),
                size: symbol.st_size(endian).into(),
            });
        }
        Ok(Self { uses, flags: header.e_flags(endian).0, sections, symbols })
    }

    /// Counts bytes that a variable has.
    ///
    /// # Errors
    /// When they are too many for the file.
    pub(super) fn spend(&self, bytes: usize) -> Result<(), ElfCubinError> {
        self.uses.spend(bytes)
    }
}

fn read_section<'file, Elf: FileHeader<Endian = Endianness>>(
    file: &'file [u8],
    endian: Endianness,
    name: &'file str,
    section: &'file Elf::SectionHeader,
) -> Result<Section<'file>, ElfCubinError> {
    let kind = section.sh_type(endian);
    let mut relocations = None;
    if let Some((found, _)) = section.rel(endian, file)? {
        let plain = found.iter().map(|relocation| Relocation {
            offset: relocation.r_offset(endian).into(),
            symbol: relocation.r_sym(endian) as usize,
            kind: relocation.r_type(endian).0,
            addend: 0,
        });
        relocations = Some(plain.collect());
    }
    if let Some((found, _)) = section.rela(endian, file)? {
        let plain = found.iter().map(|relocation| Relocation {
            offset: relocation.r_offset(endian).into(),
            symbol: relocation.r_sym(endian, false) as usize,
            kind: relocation.r_type(endian, false).0,
            addend: relocation.r_addend(endian).into(),
        });
        relocations = Some(plain.collect());
    }
    Ok(Section {
        name,
        flags: section.sh_flags(endian).0,
        info: section.sh_info(endian),
        alignment: section.sh_addralign(endian).into(),
        size: section.sh_size(endian).into(),
        bytes: match kind == SHT_NOBITS || WITHOUT_BYTES.contains(&kind) {
            true => &[],
            false => section.data(endian, file)?,
        },
        relocations,
    })
}
