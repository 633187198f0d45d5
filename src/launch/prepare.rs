//! Turns a request for a kernel of a module into a launch: finds the entry, lays out arguments, constants and variables.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Argument, TextureArgument};
use crate::isa::tesla::module::{
    KERNEL_GLOBAL_SPACE, PARAMETERS_OFFSET, RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaKernel, TeslaModule,
    TeslaParameter, TeslaParameterKind,
};
use crate::pipeline::SimtStage;
use crate::pipeline::launch::{
    GlobalSpace, Launch, LaunchLimits, LaunchMemory, LaunchTextureError, LaunchTextures, LaunchThreads, OutOfMemory,
    STACK_ENTRIES,
};
use crate::shader::simt::SimtProgram;

/// Which kernel runs, on how many threads, with which arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelRequest {
    /// The name of the kernel; not needed if there is only one.
    pub entry: Option<String>,
    /// The blocks of the grid in x, y and z.
    pub grid: [u32; 3],
    /// The threads of a block in x, y and z.
    pub block: [u32; 3],
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// Shared memory of a block beyond what the kernel declares, in bytes.
    pub more_shared_bytes: u32,
    /// The size of an address among the parameters, in bytes, where the module does not tell: 4 or 8.
    pub pointer_bytes: u32,
    /// The textures.
    pub textures: Vec<TextureArgument>,
}

/// A launch that can run.
#[derive(Debug, Clone)]
pub struct PreparedLaunch {
    /// The launch.
    pub launch: Launch,
    /// The limits of the module's processor.
    pub limits: LaunchLimits,
    /// The arguments that are buffers, named by their numbers from 0, and the module's global variables.
    pub memory: LaunchMemory,
}

/// Why a request does not fit the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// The module has no kernel.
    #[error("the module has no kernel")]
    NoKernels,
    /// The module has several kernels, and the request names none.
    #[error("the module has several kernels; name one of {entries}")]
    ManyKernels {
        /// Their names.
        entries: String,
    },
    /// The module has no kernel of this name.
    #[error("the module has no kernel '{name}'; it has {entries}")]
    UnknownKernel {
        /// The name.
        name: String,
        /// The names that it has.
        entries: String,
    },
    /// The number of arguments is not that of the parameters.
    #[error("{kernel} needs {parameters} arguments ({names}), found {arguments}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// How many parameters it has.
        parameters: usize,
        /// Their names.
        names: String,
        /// How many arguments there are.
        arguments: usize,
    },
    /// An argument is of another kind than its parameter.
    #[error("argument {number} is {argument}, but parameter {name} is {parameter}")]
    ArgumentKind {
        /// The argument, from 0.
        number: usize,
        /// What it is, in words.
        argument: &'static str,
        /// The parameter.
        name: String,
        /// What that is, in words.
        parameter: String,
    },
    /// The arguments reach beyond the shared memory of the kernel.
    #[error("the arguments end at byte {end:#x} of shared memory, but {kernel} has only {bytes:#x} bytes")]
    ArgumentsTooLong {
        /// The kernel.
        kernel: String,
        /// Where they end.
        end: u32,
        /// The shared memory that it declares.
        bytes: u32,
    },
    /// A constant space has more bytes than the processor can address.
    #[error("constant space {space} has {bytes} bytes, more than {limit}")]
    ConstantsTooLarge {
        /// The space.
        space: u8,
        /// Its size.
        bytes: u64,
        /// The largest one.
        limit: u32,
    },
    /// The program is not one that runs on elements.
    #[error("{name} is {}", if *is_kernel { "a kernel, which `curie launch` runs" } else { "a geometry program, which is not executed" })]
    NoElements {
        /// Its name.
        name: String,
        /// Whether it is a kernel.
        is_kernel: bool,
    },
    /// Elements give different values to a constant.
    #[error("element {element} gives {word:#010x} to c{space}[{offset:#x}], which is {before:#010x}")]
    OtherConstant {
        /// The constant space.
        space: u8,
        /// The place in it.
        offset: u32,
        /// The vertex or fragment, from 1.
        element: usize,
        /// The value that it gives.
        word: u32,
        /// The value that an earlier one gives.
        before: u32,
    },
    /// The module has no texture of this name.
    #[error("the module has no texture '{name}'; it has {textures}")]
    UnknownTexture {
        /// The name.
        name: String,
        /// The names that it has.
        textures: String,
    },
    /// A texture cannot be bound.
    #[error("texture {name}: {error}")]
    Texture {
        /// Its name.
        name: String,
        /// Why.
        error: LaunchTextureError,
    },
    /// The kernel reads a texture that the request does not give.
    #[error("{kernel} reads texture {name}, which is not given")]
    MissingTexture {
        /// The kernel.
        kernel: String,
        /// The name of the texture, or the number of its unit.
        name: String,
    },
    /// The buffers have no room.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}

/// Prepares a launch.
///
/// # Errors
/// When the module has no such kernel, or the arguments do not fit.
pub fn prepare(module: &TeslaModule, request: &KernelRequest) -> Result<PreparedLaunch, KernelError> {
    let kernel = find_kernel(module, request.entry.as_deref())?;
    let limits = LaunchLimits::of(module.generation);
    let mut memory = LaunchMemory::default();
    let parameters = lay_out_arguments(kernel, request, &mut memory)?;
    let mut constants = BTreeMap::new();
    for piece in module.constants.iter().chain(&kernel.constants) {
        place_constants(&mut constants, piece, limits.constant_bytes)?;
    }
    for global in &module.globals {
        let address = memory.allocate_aligned(&global.name, bytes_of(&global.words), global.bytes, global.alignment)?;
        let piece = TeslaConstants {
            name: global.name.clone(),
            space: RELOCATION_CONSTANT_SPACE,
            offset: global.address_offset,
            bytes: 4,
            words: vec![address],
        };
        place_constants(&mut constants, &piece, limits.constant_bytes)?;
    }
    let program = SimtProgram::decode_kind(&kernel.code, kernel.kind);
    let textures = bind_textures(module, kernel, &program, &request.textures, &mut memory)?;
    let launch = Launch {
        threads: LaunchThreads::Grid,
        stage: SimtStage {
            program: Arc::new(program),
            generation: module.generation,
            registers: kernel.registers.into(),
            local_bytes: kernel.local_bytes,
            constants: Arc::new(constants),
        },
        grid: request.grid,
        block: request.block,
        grid_id: 0,
        shared_bytes: kernel.shared_bytes.saturating_add(request.more_shared_bytes),
        parameters,
        globals: BTreeMap::from([(KERNEL_GLOBAL_SPACE, GlobalSpace::WHOLE)]),
        stack_entries: STACK_ENTRIES,
        textures: Arc::new(textures),
    };
    Ok(PreparedLaunch { launch, limits, memory })
}

/// The kernel of a name, or the only one.
///
/// # Errors
/// When the module has no such kernel, or several and no name is given.
pub fn find_kernel<'module>(
    module: &'module TeslaModule,
    entry: Option<&str>,
) -> Result<&'module TeslaKernel, KernelError> {
    let entries = || module.kernels.iter().map(|kernel| kernel.name.as_str()).collect::<Vec<_>>().join(", ");
    match (entry, &module.kernels[..]) {
        (_, []) => Err(KernelError::NoKernels),
        (None, [kernel]) => Ok(kernel),
        (None, _) => Err(KernelError::ManyKernels { entries: entries() }),
        (Some(name), kernels) => kernels
            .iter()
            .find(|kernel| kernel.name == name)
            .ok_or_else(|| KernelError::UnknownKernel { name: name.to_owned(), entries: entries() }),
    }
}

/// Binds the textures of a request, all that the program reads, to units, with texels in memory.
pub(super) fn bind_textures(
    module: &TeslaModule,
    kernel: &TeslaKernel,
    program: &SimtProgram,
    given: &[TextureArgument],
    memory: &mut LaunchMemory,
) -> Result<LaunchTextures, KernelError> {
    let mut textures = LaunchTextures::default();
    let names = || kernel.textures.iter().chain(&module.textures);
    for TextureArgument { name, texture, sampler, texels } in given {
        let named = names().find(|own| own.name == *name).map(|own| own.unit);
        let Some(unit) = named.or_else(|| name.parse().ok()) else {
            let names: Vec<_> = names().map(|own| own.name.as_str()).collect();
            let textures = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(KernelError::UnknownTexture { name: name.clone(), textures });
        };
        let bound =
            textures.bind_texels(unit, texture, texels, memory).and_then(|()| textures.bind_sampler(unit, sampler));
        bound.map_err(|error| KernelError::Texture { name: name.clone(), error })?;
    }
    let units: BTreeSet<u8> = textures.units().collect();
    let reads = program.texture_reads();
    let read = reads.keys().flat_map(|(texture, sampler)| [*texture, *sampler]);
    if let Some(missing) = read.into_iter().find(|unit| !units.contains(unit)) {
        let named = names().find(|own| own.unit == missing).map(|own| own.name.clone());
        let name = named.unwrap_or_else(|| missing.to_string());
        return Err(KernelError::MissingTexture { kernel: kernel.name.clone(), name });
    }
    Ok(textures)
}

/// The bytes of shared memory from the first parameter on. Buffers are allocated.
fn lay_out_arguments(
    kernel: &TeslaKernel,
    request: &KernelRequest,
    memory: &mut LaunchMemory,
) -> Result<Vec<u8>, KernelError> {
    let arguments = &request.arguments;
    if let Some(parameters) = &kernel.parameters
        && parameters.len() != arguments.len()
    {
        let names: Vec<_> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        return Err(KernelError::ArgumentCount {
            kernel: kernel.name.clone(),
            parameters: parameters.len(),
            names: names.join(", "),
            arguments: arguments.len(),
        });
    }
    let mut bytes: Vec<u8> = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let (start, size) = match &kernel.parameters {
            Some(parameters) => {
                let parameter = &parameters[index];
                check_kind(index, argument, parameter)?;
                (parameter.offset.saturating_sub(PARAMETERS_OFFSET) as usize, parameter.bytes)
            }
            None => {
                let size = if matches!(argument, Argument::Buffer(_)) { request.pointer_bytes } else { 4 };
                (bytes.len().next_multiple_of(size as usize), size)
            }
        };
        let number = |value: u64| value.to_le_bytes()[..(size as usize).min(8)].to_vec();
        let value = match argument {
            Argument::Signed(value) => number(i64::from(*value).cast_unsigned()),
            Argument::Unsigned(value) | Argument::Float(value) => number(u64::from(*value)),
            Argument::Buffer(content) => number(memory.allocate(&index.to_string(), content.clone())?.into()),
            Argument::Bytes(value) => value.clone(),
        };
        let end = start + value.len();
        bytes.resize(bytes.len().max(end), 0);
        bytes[start..end].copy_from_slice(&value);
    }
    let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX).saturating_add(PARAMETERS_OFFSET);
    if !bytes.is_empty() && end > kernel.shared_bytes {
        let kernel_name = kernel.name.clone();
        return Err(KernelError::ArgumentsTooLong { kernel: kernel_name, end, bytes: kernel.shared_bytes });
    }
    Ok(bytes)
}

/// Checks that an argument can be the value of a parameter.
fn check_kind(number: usize, argument: &Argument, parameter: &TeslaParameter) -> Result<(), KernelError> {
    let is_float = parameter.kind == TeslaParameterKind::Float;
    let may_be_float = is_float || parameter.kind == TeslaParameterKind::Bits;
    let (argument, fits) = match argument {
        Argument::Signed(_) | Argument::Unsigned(_) => ("an integer", !is_float),
        Argument::Float(_) => ("a float", may_be_float && parameter.bytes == 4),
        Argument::Buffer(_) => ("a buffer", !is_float && matches!(parameter.bytes, 4 | 8)),
        Argument::Bytes(bytes) => ("a number of bytes", bytes.len() == parameter.bytes as usize),
    };
    if fits {
        return Ok(());
    }
    let kind = match parameter.kind {
        TeslaParameterKind::Float => "a float",
        TeslaParameterKind::Bits => "a value",
        TeslaParameterKind::Unsigned | TeslaParameterKind::Signed => "an integer",
    };
    let parameter_kind = format!("{kind} of {} bytes", parameter.bytes);
    Err(KernelError::ArgumentKind { number, argument, name: parameter.name.clone(), parameter: parameter_kind })
}

/// Writes a piece of a constant space.
pub(super) fn place_constants(
    spaces: &mut BTreeMap<u8, Vec<u8>>,
    piece: &TeslaConstants,
    limit: u32,
) -> Result<(), KernelError> {
    let content = bytes_of(&piece.words);
    let bytes = u64::from(piece.offset) + u64::from(piece.bytes).max(content.len() as u64);
    if bytes > u64::from(limit) {
        return Err(KernelError::ConstantsTooLarge { space: piece.space, bytes, limit });
    }
    let space = spaces.entry(piece.space).or_default();
    let (start, end) = (piece.offset as usize, piece.offset as usize + (piece.bytes as usize).max(content.len()));
    space.resize(space.len().max(end), 0);
    space[start..start + content.len()].copy_from_slice(&content);
    Ok(())
}

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
