//! Tests of ELF cubins, which a builder writes section by section as public cubins have them.

use super::super::{GLOBAL_ALIGNMENT, write_cubin};
use super::read_elf_cubin;
use crate::isa::tesla::TeslaGeneration;
use crate::isa::tesla::module::{
    TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule, TeslaParameter, TeslaParameterKind, TeslaTexture,
};
use crate::shader::simt::ProgramKind;

const PROGBITS: u32 = 1;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const RELA: u32 = 4;
const NOBITS: u32 = 8;
const REL: u32 = 9;

const OBJECT: u8 = 0x11;
const TEXTURE: u8 = 0x1a;

/// A section as its header has it.
#[derive(Clone)]
struct Section {
    name: &'static str,
    kind: u32,
    flags: u32,
    info: u32,
    alignment: u32,
    /// The size of a section without bytes.
    size: u32,
    bytes: Vec<u8>,
}

fn section(name: &'static str, kind: u32, info: u32, bytes: &[u8]) -> Section {
    Section { name, kind, flags: 0, info, alignment: 4, size: 0, bytes: bytes.to_vec() }
}

fn empty(name: &'static str, size: u32) -> Section {
    Section { size, ..section(name, NOBITS, 0, &[]) }
}

/// A file: the numbers of sections count from 1, those of symbols from 1.
#[derive(Clone)]
struct File {
    is_wide: bool,
    machine: u16,
    flags: u32,
    sections: Vec<Section>,
    /// Name, kind, section, value, size.
    symbols: Vec<(&'static str, u8, u16, u32, u32)>,
}

fn half(value: u16) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn word(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Bytes that end each name, and the place of each.
fn names<'name>(names: impl Iterator<Item = &'name str>) -> (Vec<u8>, Vec<u32>) {
    let (mut bytes, mut places) = (vec![0], Vec::new());
    for name in names {
        places.push(u32::try_from(bytes.len()).unwrap());
        bytes.extend(name.bytes().chain([0]));
    }
    (bytes, places)
}

impl File {
    /// An address or a size.
    fn long(&self, value: u32) -> Vec<u8> {
        if self.is_wide { u64::from(value).to_le_bytes().to_vec() } else { word(value) }
    }

    /// A relocation: the place, the symbol, the kind.
    fn relocation(&self, place: u32, symbol: u32, kind: u32) -> Vec<u8> {
        let info = if self.is_wide { [word(kind), word(symbol)].concat() } else { word(symbol << 8 | kind) };
        [self.long(place), info].concat()
    }

    fn symbol(&self, name: u32, kind: u8, section: u16, value: u32, size: u32) -> Vec<u8> {
        let (place, ends) = ([self.long(value), self.long(size)].concat(), [vec![kind, 0], half(section)].concat());
        if self.is_wide { [word(name), ends, place].concat() } else { [word(name), place, ends].concat() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut sections = self.sections.clone();
        let (strings, places) = names(self.symbols.iter().map(|symbol| symbol.0));
        let symbols = self.symbols.iter().zip(places);
        let symbols =
            symbols.map(|((_, kind, section, value, size), name)| self.symbol(name, *kind, *section, *value, *size));
        let symbols: Vec<u8> = [self.symbol(0, 0, 0, 0, 0)].into_iter().chain(symbols).flatten().collect();
        sections.push(section(".symtab", SYMTAB, 0, &symbols));
        sections.push(section(".strtab", STRTAB, 0, &strings));
        sections.push(section(".shstrtab", STRTAB, 0, &[]));
        let (strings, places) = names(sections.iter().map(|section| section.name));
        let last = sections.len();
        sections[last - 1].bytes = strings;
        let header = if self.is_wide { 64 } else { 52 };
        let (mut content, mut headers) = (Vec::new(), vec![0; if self.is_wide { 64 } else { 40 }]);
        for (section, name) in sections.iter().zip(places) {
            let offset = header + u32::try_from(content.len()).unwrap();
            let size = section.size.max(u32::try_from(section.bytes.len()).unwrap());
            let link = if section.kind == SYMTAB { last - 1 } else { last - 2 };
            let entry = match section.kind {
                SYMTAB => self.symbol(0, 0, 0, 0, 0).len(),
                REL => self.relocation(0, 0, 0).len(),
                _ => 0,
            };
            let long = |value| self.long(value);
            headers.extend(
                [word(name), word(section.kind), long(section.flags), long(0), long(offset), long(size)].concat(),
            );
            let entry = u32::try_from(entry).unwrap();
            let link = word(u32::try_from(link).unwrap());
            headers.extend([link, word(section.info), long(section.alignment), long(entry)].concat());
            content.extend(&section.bytes);
        }
        let class = if self.is_wide { 2 } else { 1 };
        let start = [0x7f, b'E', b'L', b'F', class, 1, 1, 51, 2, 0, 0, 0, 0, 0, 0, 0].to_vec();
        let table = header + u32::try_from(content.len()).unwrap();
        let (own, of_section) = if self.is_wide { (64, 64) } else { (52, 40) };
        let count = u16::try_from(last + 1).unwrap();
        let sizes = [own, 0, 0, of_section, count, count - 1].map(half).concat();
        let kind = [half(2), half(self.machine), word(1)].concat();
        let places = [self.long(0), self.long(0), self.long(table), word(self.flags)].concat();
        [start, kind, places, sizes, content, headers].concat()
    }

    fn section(&mut self, name: &str) -> &mut Section {
        self.sections.iter_mut().find(|section| section.name == name).unwrap()
    }

    fn error(&self) -> String {
        let text = read_elf_cubin("test", &self.bytes()).unwrap_err().to_string();
        text.lines().next().unwrap().to_owned()
    }
}

/// Stores the word at s[0x18] to the address at s[0x10]: `mov b32 $r1 b32 s[0x10]`, `mov b32 $r0 b32 s[0x18]`,
/// `exit st b32 g14[$r1] $r0`.
const CODE: [u32; 4] = [0x1100_e804, 0x1100_ec00, 0xd00e_0201, 0xa0c0_0781];

/// A record of a parameter, as compilers write it: the number, the offset, the size.
fn parameter(number: u16, offset: u16, bytes: u32) -> Vec<u8> {
    [vec![4, 0x17, 12, 0], word(0), half(number), half(offset), word(bytes << 18 | 0x3_f000)].concat()
}

/// A file with all that a cubin may have.
fn file(is_wide: bool) -> File {
    let mut file = File { is_wide, machine: 190, flags: 0x000b_010b, sections: Vec::new(), symbols: Vec::new() };
    let code = Section { flags: 0x20_0006, ..section(".text.first", PROGBITS, 0x0700_0002, &words(&CODE)) };
    let info = [
        vec![3, 0x18, 12, 0],
        // The last parameter comes first.
        parameter(1, 8, 4),
        parameter(0, 0, 8),
        [vec![4, 0x02, 8, 0], word(3), word(5)].concat(),
        // The most threads of a block.
        [vec![4, 0x05, 12, 0], words(&[64, 1, 1])].concat(),
    ];
    file.sections = vec![
        code,
        section(".nv.info.first", 0x7000_0000, 1, &info.concat()),
        empty(".nv.shared.first", 0x2c),
        empty(".nv.local.first", 16),
        section(".nv.constant1.first", PROGBITS, 1, &[1, 0, 0, 0, 2, 3]),
        section(".nv.constant0", PROGBITS, 0, &words(&[7, 8, 9, 10])),
        Section { alignment: 64, ..section(".nv.global.init", PROGBITS, 0, &words(&[11, 12])) },
        empty(".nv.global", 40),
        section(".nv.constant14", PROGBITS, 0, &words(&[0, 0])),
        section(".rel.nv.constant14", REL, 9, &[file.relocation(4, 1, 1), file.relocation(0, 2, 1)].concat()),
        section(".text._Z6secondv", PROGBITS, 0, &words(&CODE)),
        section(".nv.info._Z6secondv", 0x7000_0000, 11, &[3, 0x18, 0, 0]),
        section(".debug_line", PROGBITS, 0, b"anything"),
        section(".rel.debug_line", REL, 13, &file.relocation(0, 1, 9)),
    ];
    file.symbols = vec![
        ("start", OBJECT, 7, 4, 4),
        ("counters", OBJECT, 8, 8, 32),
        ("image", TEXTURE, 0, 0, 0),
        ("table", OBJECT, 6, 4, 8),
        ("first", 0x12, 1, 0, 16),
    ];
    file
}

/// What the file says.
fn module() -> TeslaModule {
    let constants = |name: &str, space, offset, bytes, words: &[u32]| TeslaConstants {
        name: name.to_owned(),
        space,
        offset,
        bytes,
        words: words.to_vec(),
    };
    let global = |name: &str, bytes, alignment, words: &[u32], address_offset| TeslaGlobal {
        name: name.to_owned(),
        bytes,
        alignment,
        words: words.to_vec(),
        address_offset,
    };
    let parameter = |name: &str, offset, bytes| TeslaParameter {
        name: name.to_owned(),
        offset,
        bytes,
        kind: TeslaParameterKind::Bits,
    };
    let first = TeslaKernel {
        name: "first".to_owned(),
        kind: ProgramKind::Compute,
        code: CODE.to_vec(),
        registers: 7,
        shared_bytes: 0x2c,
        local_bytes: 16,
        barriers: 2,
        constants: vec![constants("const", 1, 0, 6, &[1, 0x302])],
        textures: vec![TeslaTexture { name: "image".to_owned(), unit: 5 }],
        parameters: Some(vec![parameter("param0", 0x10, 8), parameter("param1", 0x18, 4)]),
    };
    let second = TeslaKernel {
        name: "_Z6secondv".to_owned(),
        code: CODE.to_vec(),
        shared_bytes: 0x10,
        parameters: Some(Vec::new()),
        ..TeslaKernel::default()
    };
    TeslaModule {
        generation: TeslaGeneration::Sm11,
        kernels: vec![first, second],
        // No symbol names the first and the last word.
        constants: vec![
            constants("constant0_0", 0, 0, 4, &[7]),
            constants("table", 0, 4, 8, &[8, 9]),
            constants("constant0_c", 0, 12, 4, &[10]),
        ],
        globals: vec![global("counters", 32, GLOBAL_ALIGNMENT, &[], 0), global("start", 4, 64, &[12], 4)],
        textures: Vec::new(),
    }
}

#[test]
fn files_of_both_classes_are_read() {
    for is_wide in [false, true] {
        assert_eq!(read_elf_cubin("test", &file(is_wide).bytes()).unwrap(), module());
    }
    assert_eq!(file(true).bytes(), include_bytes!("../../../../../tests/host/fuzz/elf.cubin"));
    // Text has no place for textures of a kernel: they are the module's.
    assert!(write_cubin(&module()).contains("sampler  {\n\tname = image\n\ttexunit = 5\n}\n"));
}

#[test]
fn names_that_variables_share_are_made_different() {
    let mut file = file(true);
    file.symbols.push(("table", OBJECT, 6, 12, 4));
    file.symbols.push(("param1", OBJECT, 6, 0, 4));
    let module = read_elf_cubin("test", &file.bytes()).unwrap();
    let names: Vec<_> = module.constants.iter().map(|constants| constants.name.as_str()).collect();
    assert_eq!(names, ["param1", "table", "table_2"]);
    assert_eq!(module.kernels[0].parameters.as_ref().unwrap()[1].name, "param1_");
}

#[test]
fn a_small_file_has_no_large_module() {
    let overlap = error(|file| {
        file.section(".nv.constant0").bytes = vec![0; 0x1_0000];
        file.symbols.extend([("all", OBJECT, 6, 0, 0x1_0000); 16]);
    });
    assert_eq!(overlap, "error: names, sections or variables overlap more than those of a compiler do");
    let textures = error(|file| {
        let first = u32::try_from(file.symbols.len()).unwrap() + 1;
        file.symbols.extend((0..129).map(|number| (&*format!("image{number}").leak(), TEXTURE, 0, 0, 0)));
        let slots = (0..129).map(|number| [vec![4, 2, 8, 0], words(&[first + number, 0])].concat());
        file.section(".nv.info.first").bytes = slots.collect::<Vec<_>>().concat();
    });
    assert_eq!(textures, "error: first: the number of its textures is 129, at most 128 is possible");
}

/// The error of a file with a change.
fn error(change: impl Fn(&mut File)) -> String {
    let messages = [false, true].map(|is_wide| {
        let mut file = file(is_wide);
        change(&mut file);
        file.error()
    });
    assert_eq!(messages[0], messages[1]);
    messages[0].clone()
}

#[test]
fn other_processors_are_named() {
    let program = error(|file| file.machine = 62);
    assert!(program.starts_with("error: an ELF file of machine 62, not of CUDA (190)"), "{program}");
    let fermi = error(|file| file.flags = 0x0014_0514);
    assert_eq!(fermi, "error: code for sm_20, which is no Tesla processor (sm_10 to sm_13)");
}

#[test]
fn limits_are_those_of_the_processor() {
    let registers = error(|file| file.section(".text.first").info = 129 << 24);
    assert_eq!(registers, "error: first: the number of its registers is 129, at most 128 is possible");
    let barriers = error(|file| file.section(".text.first").flags = 17 << 20);
    assert_eq!(barriers, "error: first: the number of its barriers is 17, at most 16 is possible");
    let shared = error(|file| file.section(".nv.shared.first").size = 0x4001);
    assert_eq!(shared, "error: first: the size of its shared memory is 16385, at most 16384 is possible");
    let local = error(|file| file.section(".nv.local.first").size = 0x1_0001);
    assert_eq!(local, "error: first: the size of its local memory is 65537, at most 65536 is possible");
    let parameters = error(|file| file.section(".nv.info.first").bytes = parameter(0, 0x3ff0, 1));
    assert_eq!(parameters, "error: first: the end of its parameters is 16385, at most 16384 is possible");
    let texture = error(|file| file.section(".nv.info.first").bytes = [vec![4, 2, 8, 0], words(&[3, 128])].concat());
    assert_eq!(texture, "error: image: the unit of the texture is 128, at most 127 is possible");
}

#[test]
fn damage_is_named() {
    let attribute = error(|file| file.section(".nv.info.first").bytes = vec![3, 0x18, 0, 0, 4, 0x17, 12, 0, 1]);
    assert_eq!(attribute, "error: .nv.info.first: an attribute that does not end at byte 0x4");
    let half = error(|file| file.section(".nv.info.first").bytes = vec![3, 0x18, 0, 0, 4]);
    assert_eq!(half, "error: .nv.info.first: half an attribute at byte 0x4");
    let length = error(|file| file.section(".nv.info.first").bytes = [vec![4, 0x17, 4, 0], word(0)].concat());
    assert_eq!(length, "error: .nv.info.first: an attribute of another length at byte 0x0");
    let missing = error(|file| file.section(".nv.info.first").bytes = parameter(1, 0, 4));
    assert_eq!(missing, "error: first: parameter 0 is missing, or told twice");
    let symbol = error(|file| file.section(".nv.info.first").bytes = [vec![4, 2, 8, 0], words(&[9, 0])].concat());
    assert_eq!(symbol, "error: first: symbol 9 of a texture is missing");
    let variable = error(|file| file.symbols[3].3 = 12);
    assert_eq!(variable, "error: table lies outside of its section .nv.constant0");
    let name = error(|file| file.symbols[3].0 = "a b");
    assert_eq!(name, "error: `a b` is not a name of the assembly language");
    let code = error(|file| file.section(".text.first").bytes = vec![0; 7]);
    assert_eq!(code, "error: first: 7 bytes of code are no whole words");
    let long = error(|file| file.section(".text.first").bytes = words(&CODE[..3]));
    assert_eq!(long, "error: first: 0x8: the second word of the instruction is missing");
    let twice = error(|file| file.section(".text._Z6secondv").name = ".text.first");
    assert_eq!(twice, "error: section .text.first stands twice");
    for end in 0..file(true).bytes().len() {
        // A file that ends early is an error, or lacks nothing but the end of its last header.
        let _ = read_elf_cubin("test", &file(true).bytes()[..end]);
    }
}

#[test]
fn relocations_are_addresses_of_variables() {
    let with =
        |relocation: fn(&File) -> Vec<u8>| error(|file| file.section(".rel.nv.constant14").bytes = relocation(file));
    let prefix = "error: .rel.nv.constant14: the relocation at byte ";
    assert_eq!(with(|file| file.relocation(8, 1, 1)), format!("{prefix}0x8 is not at a whole word of the table"));
    assert_eq!(with(|file| file.relocation(2, 1, 1)), format!("{prefix}0x2 is not at a whole word of the table"));
    assert_eq!(with(|file| file.relocation(0, 1, 2)), format!("{prefix}0x0 is not the address of a variable"));
    assert_eq!(with(|file| file.relocation(0, 4, 1)), format!("{prefix}0x0 is not of a variable in global memory"));
    assert_eq!(with(|file| file.relocation(0, 99, 1)), format!("{prefix}0x0 has no symbol"));
    let again = with(|file| [file.relocation(0, 1, 1), file.relocation(4, 1, 1)].concat());
    assert_eq!(again, format!("{prefix}0x4 is a second address of its variable"));
    let elsewhere = error(|file| file.section(".rel.nv.constant14").info = 7);
    assert_eq!(elsewhere, format!("{prefix}0x4 is not in the table of addresses of variables, .nv.constant14"));
    let value = error(|file| file.section(".nv.constant14").bytes[4] = 1);
    assert_eq!(value, "error: .nv.constant14: a value beside the address of a variable at byte 0x4");
    let place = with(|file| [file.relocation(0, 1, 1), file.relocation(0, 2, 1)].concat());
    assert_eq!(place, format!("{prefix}0x0 is at the place of another one"));
    let addend = error(|file| {
        let plain = file.relocation(4, 1, 1);
        let addend = file.long(8);
        let section = file.section(".rel.nv.constant14");
        (section.kind, section.bytes) = (RELA, [plain, addend].concat());
    });
    assert_eq!(addend, format!("{prefix}0x4 is not the address of a variable"));
}
