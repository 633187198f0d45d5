//! Indices of 8 and 16 bits, several in a word.

use crate::chip::bits::field;
use crate::chip::open_primitive::OpenPrimitive;

/// What `VB_ELEMENT_U16_SETUP` and `VB_ELEMENT_U8_SETUP` say of the packed indices that follow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PackedIndices {
    /// The bytes of the first word that hold no index.
    skipped_bytes: usize,
    /// How many indices are left; `None` if there is no limit.
    left: Option<u32>,
}

impl PackedIndices {
    /// The set-up of a method's value.
    pub(super) fn new(value: u32) -> Self {
        let count = field(value, 29, 0);
        Self { skipped_bytes: field(value, 31, 30) as usize, left: (count != 0).then_some(count) }
    }

    /// Adds the indices of a word.
    pub(super) fn push(&mut self, indices: &[u32], open: &mut OpenPrimitive) {
        let skipped = std::mem::take(&mut self.skipped_bytes) * indices.len() / 4;
        for index in &indices[skipped..] {
            match &mut self.left {
                Some(0) => return,
                Some(left) => *left -= 1,
                None => {}
            }
            open.push_indices(&[*index]);
        }
    }
}
