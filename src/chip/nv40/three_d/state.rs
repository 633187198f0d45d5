//! The state of the 3D class: its registers and DMA slots, the stores that methods fill, and the open primitive.

use super::current_attributes::CurrentAttributes;
use super::flip::FlipCounters;
use super::program_store::ProgramStore;
use super::used_zetas::UsedZetas;
use crate::chip::open_primitive::OpenPrimitive;
use crate::chip::registers::Registers;
use crate::command::methods::three_d::{CLASS, sync};
use crate::memory::MemoryWindow;

/// Number of DMA slots, methods 0x180 to 0x1bc.
const DMA_SLOTS: usize = 16;

/// Address of the first DMA slot.
pub(super) const FIRST_DMA_SLOT: u16 = sync::DMA_NOTIFY;

/// State of the 3D class.
#[derive(Debug)]
pub(crate) struct ThreeD {
    pub(super) registers: Registers,
    pub(super) dma: [MemoryWindow; DMA_SLOTS],
    pub(super) program: ProgramStore,
    pub(super) attributes: CurrentAttributes,
    pub(super) primitive: Option<OpenPrimitive>,
    pub(super) flip: FlipCounters,
    pub(super) used_zetas: UsedZetas,
    /// Whether conditional rendering enables drawing.
    pub(super) is_rendering: bool,
}

impl ThreeD {
    pub(crate) fn new() -> Self {
        Self {
            registers: Registers::new(&CLASS),
            dma: [MemoryWindow::EMPTY; DMA_SLOTS],
            program: ProgramStore::new(),
            attributes: CurrentAttributes::default(),
            primitive: None,
            flip: FlipCounters::default(),
            used_zetas: UsedZetas::default(),
            is_rendering: true,
        }
    }

    /// The memory of a DMA slot, starting at an offset.
    pub(super) fn window(&self, slot: u16, offset: u32) -> MemoryWindow {
        self.dma[usize::from((slot - FIRST_DMA_SLOT) / 4)].from_offset(offset)
    }

    /// The memory at a texture or fragment program address, which names its DMA slot by 1 or 2.
    pub(super) fn texture_window(&self, dma: u32, offset: u32) -> MemoryWindow {
        match dma {
            1 => self.window(sync::DMA_TEXTURE0, offset),
            2 => self.window(sync::DMA_TEXTURE1, offset),
            _ => MemoryWindow::EMPTY,
        }
    }
}
