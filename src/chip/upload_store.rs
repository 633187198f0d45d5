//! Keeps the instruction and constant stores of a vertex engine as methods upload them, a word at a time.

use std::sync::Arc;

use super::ChipError;
use super::anomalies::Reason;
use super::class::Context;

/// Vectors of four words that methods fill in order. Draws share them until the next upload.
#[derive(Debug)]
pub(super) struct UploadStore {
    vectors: Arc<Vec<[u32; 4]>>,
    /// The vector that the next word goes to.
    position: usize,
}

impl UploadStore {
    /// A store of this many zero vectors.
    pub(super) fn new(vectors: usize) -> Self {
        Self { vectors: Arc::new(vec![[0; 4]; vectors]), position: 0 }
    }

    /// The vectors.
    pub(super) fn vectors(&self) -> &Arc<Vec<[u32; 4]>> {
        &self.vectors
    }

    /// Selects the vector that the next word goes to.
    pub(super) const fn seek(&mut self, position: u32) {
        self.position = position as usize;
    }

    /// Executes an upload method. The component is the element's index in a group of four; after the fourth the
    /// position advances, wherever in the window it was written (the rule that hardware tests found).
    pub(super) fn upload(&mut self, element: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        let component = usize::from(element % 4);
        let Some(vector) = self.vectors.get(self.position) else { return context.anomaly(Reason::IllegalValue) };
        if vector[component] != context.value {
            Arc::make_mut(&mut self.vectors)[self.position][component] = context.value;
        }
        if component == 3 {
            self.position += 1;
        }
        Ok(())
    }
}
