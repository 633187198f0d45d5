//! Why an ELF file is no module.

/// Why a file is no module.
#[derive(Debug, thiserror::Error)]
pub(super) enum ElfCubinError {
    #[error("the ELF file is damaged: {0}")]
    Damaged(#[from] object::read::Error),
    #[error("the file is neither ELF of 32 bits nor of 64 bits")]
    Class,
    #[error("an ELF file of machine {machine}, not of CUDA (190); `cuobjdump -xelf all` takes cubins out of a program")]
    Machine { machine: u16 },
    #[error("code for sm_{architecture}, which is no Tesla processor (sm_10 to sm_13)")]
    Architecture { architecture: u32 },
    #[error("`{}` is not a name of the assembly language", name.escape_default())]
    Name { name: String },
    #[error("{owner}: {what} is {value}, at most {most} is possible")]
    Limit { owner: String, what: &'static str, value: u64, most: u32 },
    #[error("names, sections or variables overlap more than those of a compiler do")]
    Overlap,
    #[error("section {name} stands twice")]
    Twice { name: String },
    #[error("{section}: {problem} at byte {offset:#x}")]
    Bytes { section: String, offset: u64, problem: &'static str },
    #[error("{section}: the relocation at byte {offset:#x} {problem}")]
    Relocation { section: String, offset: u64, problem: &'static str },
    #[error("{name} lies outside of its section {section}")]
    Symbol { name: String, section: String },
    #[error("{kernel}: {problem}")]
    Kernel { kernel: String, problem: String },
}
