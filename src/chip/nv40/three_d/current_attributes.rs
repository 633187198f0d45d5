//! The current values of attributes.

use crate::format::MISSING_COMPONENTS;

/// The value of every attribute that no array provides.
#[derive(Debug, Clone)]
pub(super) struct CurrentAttributes {
    pub(super) values: [[u32; 4]; 16],
}

impl Default for CurrentAttributes {
    fn default() -> Self {
        Self { values: [MISSING_COMPONENTS; 16] }
    }
}
