//! The 3D class 0x4097: methods write registers or act; a finished primitive becomes a
//! [`Draw`](crate::pipeline::Draw).

mod attribute;
mod begin_end;
mod clear;
mod current_attributes;
mod draw;
mod enums;
mod flip;
mod legal;
mod program;
mod program_store;
mod raster;
mod report;
mod rop;
mod state;
mod targets;
mod textures;
mod used_zetas;
mod vertex_input;
mod vertex_outputs;
mod viewport;

use crate::chip::anomalies::Reason;
use crate::chip::class::{Class, Context};
use crate::chip::objects::Objects;
use crate::chip::{BoundSurface, ChipError, MethodCounts};
use crate::command::methods::three_d::{self as methods, sync};
use crate::memory::MemoryWindow;
use crate::pipeline::GpuCommand;
use state::FIRST_DMA_SLOT;
pub(crate) use state::ThreeD;

impl Class for ThreeD {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let before = self.registers.get(context.method);
        let done = self.execute(context);
        context.counts.state_changes += u64::from(self.registers.get(context.method) != before);
        context.counts.flips += u64::from(context.method == sync::FLIP_INCR_WRITE);
        done
    }

    fn repeat(&mut self, _: u32, method: u16, words: &[u32]) -> bool {
        self.push_elements(method, words)
    }

    fn bound_surfaces(&self, _: &Objects) -> Vec<BoundSurface> {
        self.target_surfaces()
    }

    fn flip_buffers(&self) -> Option<(u32, u32)> {
        Some(self.flip.buffers())
    }

    fn fragment_program(&self) -> Option<MemoryWindow> {
        Some(self.fragment_stage().program)
    }
}

impl ThreeD {
    /// Executes one method.
    fn execute(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let (method, value) = (context.method, context.value);
        let Some((row, element)) = methods::CLASS.find(method) else {
            return context.anomaly(Reason::UnknownMethod);
        };
        if !legal::is_legal(row.address, value) {
            return context.anomaly(Reason::IllegalValue);
        }
        self.registers.set(method, value);
        match row.address {
            sync::DMA_NOTIFY..=sync::DMA_COLOR3 => {
                self.dma[usize::from((method - FIRST_DMA_SLOT) / 4)] = context.dma()?;
                Ok(())
            }
            sync::FLIP_SET_READ..=sync::FLIP_WAIT => {
                self.flip.method(method, value);
                Ok(())
            }
            sync::QUERY_RESET
            | sync::QUERY_GET
            | sync::FENCE_VALUE
            | sync::TEXTURE_READ_FENCE_VALUE
            | sync::RENDER_ENABLE => self.report_method(context),
            methods::targets::CLIP_ID_TEST_ENABLE if value & 1 != 0 => {
                context.anomaly(Reason::Unsupported("the clip id test, as the size and order of ids are not known,"))
            }
            methods::targets::CLEAR_CLIP_ID => {
                context.anomaly(Reason::Unsupported("a clear of clip ids, as their size and order are not known,"))
            }
            methods::targets::CLEAR_BUFFERS => self.clear(context),
            methods::program::VP_UPLOAD_FROM_ID
            | methods::program::VP_UPLOAD_INST
            | methods::program::VP_UPLOAD_CONST_ID
            | methods::program::VP_UPLOAD_CONST => self.program.method(row.address, element, context),
            methods::raster::EDGEFLAG => {
                self.edge_flag(value);
                Ok(())
            }
            methods::draw::VERTEX_BEGIN_END => self.begin_end(context),
            methods::draw::VB_VERTEX_BATCH
            | methods::draw::VB_INDEX_BATCH
            | methods::draw::VB_ELEMENT_U16
            | methods::draw::VB_ELEMENT_U32
            | methods::draw::VERTEX_DATA => self.element_method(context),
            base => self.attribute_method(base, usize::from(element), context),
        }
    }

    /// Passes a draw or clear to the engine, and notes the depth surface that it uses.
    fn execute_drawing(&mut self, command: &GpuCommand, context: &mut Context<'_>) -> Result<(), ChipError> {
        let accepted = |counts: &MethodCounts| counts.draws + counts.clears;
        let before = accepted(context.counts);
        context.execute(command)?;
        if accepted(context.counts) > before {
            self.used_zetas.note(command);
        }
        Ok(())
    }
}
