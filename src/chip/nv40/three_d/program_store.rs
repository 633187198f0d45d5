//! Keeps the vertex engine's instruction and constant stores.

use crate::chip::ChipError;
use crate::chip::class::Context;
use crate::chip::upload_store::UploadStore;
use crate::command::methods::three_d::program as methods;
use crate::shader::vertex::{CONSTANT_SLOTS, INSTRUCTION_SLOTS};

/// The uploaded stores.
#[derive(Debug)]
pub(super) struct ProgramStore {
    pub(super) instructions: UploadStore,
    pub(super) constants: UploadStore,
}

impl ProgramStore {
    pub(super) fn new() -> Self {
        Self { instructions: UploadStore::new(INSTRUCTION_SLOTS), constants: UploadStore::new(CONSTANT_SLOTS) }
    }

    /// Executes an upload method.
    pub(super) fn method(&mut self, base: u16, element: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        match base {
            methods::VP_UPLOAD_FROM_ID => self.instructions.seek(context.value),
            methods::VP_UPLOAD_CONST_ID => self.constants.seek(context.value),
            methods::VP_UPLOAD_INST => return self.instructions.upload(element, context),
            _ => return self.constants.upload(element, context),
        }
        Ok(())
    }
}
