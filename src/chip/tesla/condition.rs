//! Conditional rendering: whether reports in memory let the 2D and the 3D class draw.

use super::address::Address;
use crate::chip::ChipError;
use crate::chip::class::Context;

/// Bytes of a report.
const REPORT_BYTES: u64 = 16;

/// What `COND_MODE` of the running method makes of the reports at an address: never, always, that the first one is not zero,
/// that the two are equal, that they are not; `None` for other values.
// Unverified: the reports are read here, once. Their first two words are compared, as Mesa's driver presets them so that a
// report that is not yet written counts as unequal.
pub(super) fn holds(address: Address, context: &mut Context<'_>) -> Result<Option<bool>, ChipError> {
    let mut read = |number: u64| {
        let mut bytes = [0; 8];
        let window = context.objects.virtual_window(address.value() + number * REPORT_BYTES);
        context.engine.read_memory(window, &mut bytes).map(|()| bytes)
    };
    Ok(Some(match context.value {
        0 => false,
        1 => true,
        2 => read(0)? != [0; 8],
        3 => read(0)? == read(1)?,
        4 => read(0)? != read(1)?,
        _ => return Ok(None),
    }))
}
