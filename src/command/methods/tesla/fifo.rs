//! Methods that the puller of G84 and later executes: semaphores at virtual addresses.
//!
//! Source: envytools `docs/hw/fifo/puller.rst` and `rnndb/fifo/nv_object.xml`.

use crate::command::methods::kinds::{Bits, Enum};
use crate::command::methods::methods;

/// `SEMAPHORE_TRIGGER`: the sequence number and the time are written.
pub const RELEASE: u32 = 2;

/// `SEMAPHORE_TRIGGER`: the puller waits for the sequence number.
pub const ACQUIRE_EQUAL: u32 = 1;

/// `SEMAPHORE_TRIGGER`: the puller waits for the sequence number or a later one.
pub const ACQUIRE_GREATER_OR_EQUAL: u32 = 4;

const ACTION: &[(u32, &str)] =
    &[(ACQUIRE_EQUAL, "ACQUIRE_EQUAL"), (RELEASE, "RELEASE"), (ACQUIRE_GREATER_OR_EQUAL, "ACQUIRE_GEQUAL")];

methods! {
    SEMAPHORE_ADDRESS_HIGH 0x010 { address 7:0 Bits }
    SEMAPHORE_ADDRESS_LOW 0x014 { address 31:0 Bits }
    SEMAPHORE_SEQUENCE 0x018 { value 31:0 Bits }
    SEMAPHORE_TRIGGER 0x01c { action 3:0 Enum(ACTION) }
    NOTIFY_INTR 0x020 {}
    WRCACHE_FLUSH 0x024 {}
}
