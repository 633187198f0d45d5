//! The compute class, 0x50c0 and 0x85c0: its methods describe a grid of thread blocks, and `LAUNCH` runs it.
//!
//! Source: envytools `rnndb/graph/g80_compute.xml` and hwtest; the order of methods is that of Mesa's `nv50_compute.c`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::constant_buffers::FRAGMENT;
use super::launch_state::{GlobalRegisters, LaunchState};
use super::processor::Processor;
use super::program_cache::{operands, read_program};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field, field16};
use crate::chip::class::Context;
use crate::chip::objects::Objects;
use crate::command::methods::tesla::compute as methods;
use crate::isa::tesla::TeslaGeneration;
use crate::memory::MemoryWindow;
use crate::pipeline::launch::{
    ComputeLaunch, GLOBAL_STEP, GlobalSpace, Launch, LaunchLimits, LaunchThreads, STACK_ENTRIES,
};
use crate::pipeline::{GpuCommand, SimtStage};
use crate::shader::simt::{ProgramKind, SimtProgram, Space};

/// The smallest stack of a warp.
const MIN_STACK_ENTRIES: u32 = 4;

/// `COND_MODE` of launches that are always executed.
const ALWAYS: u32 = 1;

/// Executes a method.
pub(super) fn method(state: &mut Processor, context: &mut Context<'_>) -> Result<(), ChipError> {
    let value = context.value;
    let Some((row, element)) = methods::CLASS.find(context.method) else {
        return context.anomaly(Reason::UnknownMethod);
    };
    let element = usize::from(element);
    let launch = &mut state.launch;
    match row.address {
        methods::CP_ADDRESS_HIGH => state.code.high = value,
        methods::CP_ADDRESS_LOW => state.code.low = value,
        methods::CP_START_ID => state.start = value,
        methods::CP_REG_ALLOC_TEMP => state.thread_registers = value,
        methods::CB_ADDR => state.constants.seek(value),
        methods::CB_DATA => return state.constants.write(context),
        methods::CB_DEF_ADDRESS_HIGH => state.constants.address.high = value,
        methods::CB_DEF_ADDRESS_LOW => state.constants.address.low = value,
        methods::CB_DEF_SET => state.constants.define(value),
        methods::SET_PROGRAM_CB => state.constants.bind(FRAGMENT, value),
        methods::STACK_SIZE_LOG => launch.stack_size_log = value,
        methods::LOCAL_SIZE_LOG => launch.local_size_log = value,
        methods::BLOCKDIM_XY => [launch.block[0], launch.block[1]] = [field(value, 15, 0), field(value, 31, 16)],
        methods::BLOCKDIM_Z => launch.block[2] = value,
        methods::BLOCK_ALLOC => launch.block_threads = field(value, 15, 0),
        methods::GRIDDIM => launch.grid = [field(value, 15, 0), field(value, 31, 16)],
        methods::GRIDID => launch.grid_id = field16(value, 15, 0),
        methods::SHARED_SIZE => launch.shared_bytes = value,
        methods::USER_PARAM_COUNT => launch.parameter_count = field(value, 15, 8),
        methods::USER_PARAM => launch.parameters[element] = value,
        methods::GLOBAL_ADDRESS_HIGH => launch.globals[element].address.high = value,
        methods::GLOBAL_ADDRESS_LOW => launch.globals[element].address.low = value,
        methods::GLOBAL_LIMIT => launch.globals[element].limit = value,
        methods::GLOBAL_MODE => launch.globals[element].mode = value,
        methods::TIC_ADDRESS_HIGH => launch.textures.textures.address.high = value,
        methods::TIC_ADDRESS_LOW => launch.textures.textures.address.low = value,
        methods::TIC_LIMIT => launch.textures.textures.last = value,
        methods::TSC_ADDRESS_HIGH => launch.textures.samplers.address.high = value,
        methods::TSC_ADDRESS_LOW => launch.textures.samplers.address.low = value,
        methods::TSC_LIMIT => launch.textures.samplers.last = value,
        methods::TEX_LIMITS => {
            launch.textures.samplers.units_log = field(value, 3, 0);
            launch.textures.textures.units_log = field(value, 7, 4);
        }
        methods::TEX_MISC => {
            launch.textures.set_seamless(bit(value, 1), generation_of(context.objects.chipset()));
        }
        methods::BIND_TIC => return launch.textures.textures.bind(field(value, 8, 1), field(value, 30, 9), context),
        methods::BIND_TSC => return launch.textures.samplers.bind(field(value, 7, 4), field(value, 22, 12), context),
        methods::LINKED_TSC if bit(value, 0) => {
            return context.anomaly(Reason::Unsupported("sampling by the entry with the number of the texture"));
        }
        methods::COND_MODE if value != ALWAYS => {
            return context.anomaly(Reason::Unsupported("launches under a condition"));
        }
        methods::QUERY_ADDRESS_HIGH => state.reports[1].address.high = value,
        methods::QUERY_ADDRESS_LOW => state.reports[1].address.low = value,
        methods::QUERY_SEQUENCE => state.reports[1].sequence = value,
        methods::QUERY_GET => {
            let report = state.reports[1];
            return report.write(context, [report.sequence, 0], bit(value, 15));
        }
        methods::ISA_FLAGS => launch.zero_wins = bit(value, 16),
        methods::LAUNCH => return start(state, context),
        // Caches, counters, the place of stacks and local memory, and what has no known meaning.
        _ => {}
    }
    Ok(())
}

/// Executes `LAUNCH`.
fn start(state: &Processor, context: &mut Context<'_>) -> Result<(), ChipError> {
    let launch = &state.launch;
    let threads = launch.block.iter().try_fold(1_u32, |product, size| product.checked_mul(*size));
    let parameter_words = launch.parameters.get(..launch.parameter_count as usize);
    let (Some(threads), Some(parameters)) = (threads, parameter_words) else {
        return context.anomaly(Reason::IllegalValue);
    };
    if threads < launch.block_threads {
        return context.anomaly(Reason::IllegalValue);
    }
    if threads != launch.block_threads {
        return context.anomaly(Reason::Unsupported("a launch of a part of a block's threads"));
    }
    let program = read_program(ProgramKind::Compute, (state.code, state.start), context)?;
    let program = Arc::new(program.with_zero_wins(launch.zero_wins));
    let globals = global_spaces(launch, &program, context)?;
    let generation = generation_of(context.objects.chipset());
    let textures = launch.textures.bound(&program, generation, context)?;
    let windows = windows(&globals, context.objects);
    let launch = Launch {
        threads: LaunchThreads::Grid,
        stage: SimtStage {
            constants: Arc::new(state.constants.read(&program, context)?),
            program,
            generation,
            registers: state.thread_registers,
            local_bytes: local_bytes(launch.local_size_log),
        },
        grid: [launch.grid[0], launch.grid[1], 1],
        block: launch.block,
        grid_id: launch.grid_id,
        shared_bytes: launch.shared_bytes,
        parameters: parameters.iter().flat_map(|word| word.to_le_bytes()).collect(),
        globals,
        stack_entries: stack_entries(launch.stack_size_log),
        textures: Arc::new(textures),
    };
    let limits = LaunchLimits::of(generation);
    context.execute(&GpuCommand::Launch(Box::new(ComputeLaunch { launch, limits, windows })))
}

/// The processor of a chip.
pub(super) const fn generation_of(chipset: u32) -> TeslaGeneration {
    match chipset {
        0x50 => TeslaGeneration::Sm10,
        0xa0 => TeslaGeneration::Sm13,
        0xaa | 0xac => TeslaGeneration::Sm12,
        0xa3 | 0xa5 | 0xa8 | 0xaf => TeslaGeneration::Gt215,
        _ => TeslaGeneration::Sm11,
    }
}

/// The entries of a stack: `STACK_SIZE_LOG` is one more than their logarithm.
fn stack_entries(size_log: u32) -> u32 {
    match size_log {
        0 => 0,
        _ => 1_u32.checked_shl(size_log - 1).unwrap_or(u32::MAX).clamp(MIN_STACK_ENTRIES, STACK_ENTRIES),
    }
}

/// The local memory of a thread: `LOCAL_SIZE_LOG` is the logarithm of an eighth of its bytes.
fn local_bytes(size_log: u32) -> u32 {
    match size_log {
        0 => 0,
        _ => 8_u32.checked_shl(size_log).unwrap_or(u32::MAX),
    }
}

/// The global spaces that the program uses.
fn global_spaces(
    launch: &LaunchState,
    program: &SimtProgram,
    context: &mut Context<'_>,
) -> Result<BTreeMap<u8, GlobalSpace>, ChipError> {
    let mut globals = BTreeMap::new();
    for number in used_spaces(program) {
        let GlobalRegisters { address, limit, mode } = launch.globals[usize::from(number) & 15];
        if !bit(mode, 0) {
            context.anomaly(Reason::Unsupported("a block linear global space"))?;
            continue;
        }
        let Ok(start) = u32::try_from(address.value()) else {
            context.anomaly(Reason::Unsupported("a global space beyond 4 GiB"))?;
            continue;
        };
        if start.is_multiple_of(GLOBAL_STEP) {
            globals.insert(number, GlobalSpace { start, last: limit });
        } else {
            context.anomaly(Reason::IllegalValue)?;
        }
    }
    Ok(globals)
}

/// The memory in global spaces, without overlaps.
fn windows(globals: &BTreeMap<u8, GlobalSpace>, objects: &Objects) -> Vec<(u32, MemoryWindow)> {
    let mut reached: BTreeMap<u32, u32> = BTreeMap::new();
    for GlobalSpace { start, last } in globals.values() {
        let end = reached.entry(*start).or_default();
        *end = start.saturating_add(*last).max(*end);
    }
    let mut windows = Vec::new();
    let mut next = 0;
    for (first, last) in reached {
        let (first, last) = (u64::from(first).max(next), u64::from(last));
        if first <= last {
            let parts = objects.virtual_windows(first, last);
            windows.extend(parts.filter_map(|(address, window)| Some((u32::try_from(address).ok()?, window))));
            next = last + 1;
        }
    }
    windows
}

/// The global spaces that instructions of the program name.
fn used_spaces(program: &SimtProgram) -> BTreeSet<u8> {
    let spaces = operands(program).filter_map(|memory| match memory.space {
        Space::Global(number) => Some(number),
        _ => None,
    });
    spaces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_logarithms() {
        assert_eq!([0, 1, 3, 4, 13, 40].map(stack_entries), [0, 4, 4, 8, 4096, 4096]);
        assert_eq!([0, 1, 13, 40].map(local_bytes), [0, 16, 0x1_0000, u32::MAX]);
    }
}
