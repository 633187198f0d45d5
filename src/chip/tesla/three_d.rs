//! The methods of the 3D class that matter to compute launches: constant buffers, the code of fragment programs, and
//! reports. Draws and clears are not executed, and all other state is ignored.
//!
//! Source: envytools `rnndb/graph/g80_3d.xml`.

use super::processor::Processor;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{bit, field};
use crate::chip::class::Context;
use crate::command::methods::tesla::three_d::{CLASS, below_1400 as early, from_1400 as late};

/// The program of `SET_PROGRAM_CB` that compute programs share.
const FRAGMENT: u32 = 3;

/// `QUERY_GET` of a query whose report is not written.
const MODE_SYNC: u32 = 1;

/// The value of `QUERY_GET` whose report has the number in the second word.
const DROPPED_PRIMITIVES: u32 = 3;

/// Executes a method.
pub(super) fn method(state: &mut Processor, context: &mut Context<'_>) -> Result<(), ChipError> {
    let value = context.value;
    match context.method {
        early::CB_ADDR => state.constants.seek(value),
        early::CB_DEF_ADDRESS_HIGH => state.constants.address.high = value,
        early::CB_DEF_ADDRESS_LOW => state.constants.address.low = value,
        early::CB_DEF_SET => state.constants.define(value),
        early::FP_ADDRESS_HIGH => state.code.high = value,
        early::FP_ADDRESS_LOW => state.code.low = value,
        late::FP_START_ID => state.start = value,
        late::FP_REG_ALLOC_TEMP => state.registers = value,
        late::SET_PROGRAM_CB if field(value, 7, 4) == FRAGMENT => state.constants.bind(value),
        late::QUERY_ADDRESS_HIGH => state.reports[0].address.high = value,
        late::QUERY_ADDRESS_LOW => state.reports[0].address.low = value,
        late::QUERY_SEQUENCE => state.reports[0].sequence = value,
        late::QUERY_GET => return report(state, context),
        late::VERTEX_BEGIN_GL | late::VERTEX_BEGIN_D3D => {
            context.counts.draws += 1;
            return context.anomaly(Reason::Unsupported("drawing of the Tesla generation"));
        }
        late::CLEAR_BUFFERS => {
            context.counts.clears += 1;
            return context.anomaly(Reason::Unsupported("clearing of the Tesla generation"));
        }
        method => match CLASS.find(method) {
            Some((row, _)) if row.address == early::CB_DATA => return state.constants.write(context),
            Some(_) => {}
            None => return context.anomaly(Reason::UnknownMethod),
        },
    }
    Ok(())
}

/// Executes `QUERY_GET`. Nothing is drawn, so that counters are zero.
fn report(state: &Processor, context: &mut Context<'_>) -> Result<(), ChipError> {
    let value = context.value;
    if field(value, 1, 0) == MODE_SYNC {
        return Ok(());
    }
    let report = state.reports[0];
    let words = match (bit(value, 23), field(value, 27, 24)) {
        (true, _) => [0; 2],
        (false, DROPPED_PRIMITIVES) => [0, report.sequence],
        (false, _) => [report.sequence, 0],
    };
    report.write(context, words, bit(value, 28))
}
