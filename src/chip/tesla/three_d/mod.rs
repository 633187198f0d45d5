//! The 3D class, 0x5097 and its successors: methods write registers or act, and a finished primitive becomes a
//! [`Draw`](crate::pipeline::Draw).
//!
//! Source: envytools `rnndb/graph/g80_3d.xml`; what drivers write, Mesa's nv50 driver.

mod attribute;
mod begin_end;
mod clear;
mod draw;
mod programs;
mod raster;
mod report;
mod rop;
mod selection;
mod stream_out;
mod targets;
mod unsupported;
mod vertex_input;

use super::constant_buffers::{FRAGMENT, GEOMETRY, VERTEX};
use super::packed_indices::PackedIndices;
use super::processor::Processor;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::chip::class::Context;
use crate::chip::tesla::compute::generation_of;
use crate::command::methods::tesla::three_d::{CLASS, below_1400 as early, from_1400 as late};

/// Executes a method.
pub(super) fn method(state: &mut Processor, context: &mut Context<'_>) -> Result<(), ChipError> {
    let value = context.value;
    let Some((row, element)) = CLASS.find(context.method) else {
        return context.anomaly(Reason::UnknownMethod);
    };
    context.counts.state_changes += u64::from(state.registers.get(context.method) != value);
    state.registers.set(context.method, value);
    if let Some(what) = unsupported::unsupported(row.address, value) {
        context.anomaly(Reason::Unsupported(what))?;
    }
    let stage = usize::from(element);
    match row.address {
        early::CB_ADDR => state.constants.seek(value),
        early::CB_DATA => return state.constants.write(context),
        early::CB_DEF_ADDRESS_HIGH => state.constants.address.high = value,
        early::CB_DEF_ADDRESS_LOW => state.constants.address.low = value,
        early::CB_DEF_SET => state.constants.define(value),
        early::FP_ADDRESS_HIGH => state.code.high = value,
        early::FP_ADDRESS_LOW => state.code.low = value,
        late::FP_START_ID => state.start = value,
        late::FP_REG_ALLOC_TEMP => state.thread_registers = value,
        late::CODE_CB_FLUSH => state.programs.clear(),
        late::SET_PROGRAM_CB => match field(value, 7, 4) as usize {
            program @ (VERTEX | GEOMETRY | FRAGMENT) => state.constants.bind(program, value),
            _ => return context.anomaly(Reason::IllegalValue),
        },
        early::LINKED_TSC if bit(value, 0) => {
            return context.anomaly(Reason::Unsupported("sampling by the entry with the number of the texture"));
        }
        early::TEX_LIMITS => {
            state.units[stage].samplers.units_log = field(value, 3, 0);
            state.units[stage].textures.units_log = field(value, 7, 4);
        }
        late::TIC_ADDRESS_HIGH => state.units.iter_mut().for_each(|units| units.textures.address.high = value),
        late::TIC_ADDRESS_LOW => state.units.iter_mut().for_each(|units| units.textures.address.low = value),
        late::TIC_LIMIT => state.units.iter_mut().for_each(|units| units.textures.last = value),
        late::TSC_ADDRESS_HIGH => state.units.iter_mut().for_each(|units| units.samplers.address.high = value),
        late::TSC_ADDRESS_LOW => state.units.iter_mut().for_each(|units| units.samplers.address.low = value),
        late::TSC_LIMIT => state.units.iter_mut().for_each(|units| units.samplers.last = value),
        late::TEX_MISC => {
            let generation = generation_of(context.objects.chipset());
            state.units.iter_mut().for_each(|units| units.set_seamless(bit(value, 2), generation));
        }
        late::BIND_TIC => return state.units[stage].textures.bind(field(value, 8, 1), field(value, 30, 9), context),
        late::BIND_TSC => return state.units[stage].samplers.bind(field(value, 7, 4), field(value, 22, 12), context),
        late::QUERY_ADDRESS_HIGH => state.reports[0].address.high = value,
        late::QUERY_ADDRESS_LOW => state.reports[0].address.low = value,
        late::QUERY_SEQUENCE => state.reports[0].sequence = value,
        late::QUERY_GET | late::COUNTER_RESET | late::COND_MODE => return state.report_method(row.address, context),
        early::STRMOUT_PARAMS_LATCH => state.begins_stream = true,
        late::CLEAR_BUFFERS => return state.clear(context),
        early::VERTEX_BUFFER_COUNT
        | early::DRAW_TFB_BYTES
        | early::VB_ELEMENT_U8
        | late::VB_ELEMENT_U16
        | late::VB_ELEMENT_U32
        | late::VERTEX_DATA => return state.element_method(row.address, context),
        early::VB_ELEMENT_U8_SETUP | late::VB_ELEMENT_U16_SETUP => state.packed_indices = PackedIndices::new(value),
        late::EDGEFLAG => state.edge_flag(value),
        late::VERTEX_BEGIN_GL => return state.begin(context),
        late::VERTEX_BEGIN_D3D => return state.begin_direct3d(context),
        late::VERTEX_END_GL | late::VERTEX_END_D3D => return state.end(context),
        address => state.attribute_method(address, stage, value),
    }
    Ok(())
}
