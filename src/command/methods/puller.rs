//! Methods that the FIFO's puller executes, on any subchannel.

use super::kinds::{Address, Bits, Handle};
use super::methods;

methods! {
    OBJECT 0x000 { object 31:0 Handle }
    REF_CNT 0x050 { value 31:0 Bits }
    DMA_SEMAPHORE 0x060 { object 31:0 Handle }
    SEMAPHORE_OFFSET 0x064 { offset 31:0 Address }
    SEMAPHORE_ACQUIRE 0x068 { value 31:0 Bits }
    SEMAPHORE_RELEASE 0x06c { value 31:0 Bits }
    YIELD 0x080 { value 31:0 Bits }
}
