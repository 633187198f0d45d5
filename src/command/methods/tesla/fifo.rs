//! Methods that the puller of G84 and later executes: semaphores at virtual addresses.
//!
//! Source: envytools `docs/hw/fifo/puller.rst` and `rnndb/fifo/nv_object.xml`.

use crate::command::methods::kinds::{Bits, Enum};
use crate::command::methods::methods;

/// `SEMAPHORE_TRIGGER`: the sequence number and the time are written.
pub const RELEASE: u32 = 2;

const ACTION: &[(u32, &str)] = &[(1, "ACQUIRE_EQUAL"), (RELEASE, "RELEASE"), (4, "ACQUIRE_GEQUAL")];

methods! {
    SEMAPHORE_ADDRESS_HIGH 0x010 { address 7:0 Bits }
    SEMAPHORE_ADDRESS_LOW 0x014 { address 31:0 Bits }
    SEMAPHORE_SEQUENCE 0x018 { value 31:0 Bits }
    SEMAPHORE_TRIGGER 0x01c { action 3:0 Enum(ACTION) }
    NOTIFY_INTR 0x020 {}
    WRCACHE_FLUSH 0x024 {}
}
