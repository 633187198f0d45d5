//! Stencil operations of the output merger.

use crate::pipeline::{StencilFace, StencilOp};

/// Whether a stored stencil value passes the test of a face.
#[must_use]
pub const fn stencil_passes(face: &StencilFace, stored: u32) -> bool {
    let mask = face.compare_mask as u32;
    face.compare.passes(face.reference as u32 & mask, stored & mask)
}

/// The stencil value after an operation, limited to the face's write mask.
#[must_use]
pub fn updated_stencil(face: &StencilFace, op: StencilOp, stored: u32) -> u32 {
    let result = match op {
        StencilOp::Keep => stored,
        StencilOp::Zero => 0,
        StencilOp::Replace => u32::from(face.reference),
        StencilOp::IncrementSaturate => (stored + 1).min(255),
        StencilOp::DecrementSaturate => stored.saturating_sub(1),
        StencilOp::Invert => !stored,
        StencilOp::IncrementWrap => stored + 1,
        StencilOp::DecrementWrap => stored.wrapping_sub(1),
    };
    let mask = u32::from(face.write_mask);
    (stored & !mask) | (result & mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Compare;

    const FACE: StencilFace = StencilFace {
        compare: Compare::Equal,
        reference: 0x5a,
        compare_mask: 0x0f,
        write_mask: 0xff,
        fail: StencilOp::Keep,
        depth_fail: StencilOp::Keep,
        pass: StencilOp::Keep,
    };

    #[test]
    fn operations_at_the_ends_of_the_range() {
        let rows = [
            (StencilOp::Keep, [0, 255, 7]),
            (StencilOp::Zero, [0, 0, 0]),
            (StencilOp::Replace, [0x5a, 0x5a, 0x5a]),
            (StencilOp::IncrementSaturate, [1, 255, 8]),
            (StencilOp::DecrementSaturate, [0, 254, 6]),
            (StencilOp::Invert, [255, 0, 248]),
            (StencilOp::IncrementWrap, [1, 0, 8]),
            (StencilOp::DecrementWrap, [255, 254, 6]),
        ];
        for (op, expected) in rows {
            assert_eq!([0, 255, 7].map(|stored| updated_stencil(&FACE, op, stored)), expected, "{op:?}");
        }
        let masked = StencilFace { write_mask: 0x0f, ..FACE };
        assert_eq!(updated_stencil(&masked, StencilOp::Invert, 0x33), 0x3c);
    }

    #[test]
    fn comparisons_put_the_reference_first() {
        assert!(stencil_passes(&FACE, 0xaa) && !stencil_passes(&FACE, 0xab));
        let outcomes = |compare: Compare| [(1, 2), (2, 2), (3, 2)].map(|(a, b)| compare.passes(a, b));
        assert_eq!(outcomes(Compare::Less), [true, false, false]);
        assert_eq!(outcomes(Compare::LessEqual), [true, true, false]);
        assert_eq!(outcomes(Compare::Equal), [false, true, false]);
        assert_eq!(outcomes(Compare::NotEqual), [true, false, true]);
        assert_eq!(outcomes(Compare::GreaterEqual), [false, true, true]);
        assert_eq!(outcomes(Compare::Greater), [false, false, true]);
        assert_eq!(outcomes(Compare::Always), [true; 3]);
        assert_eq!(outcomes(Compare::Never), [false; 3]);
    }
}
