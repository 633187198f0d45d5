//! Formats of vertex attributes (field `VTXFMT` bits 2:0).

use super::formats;

formats! {
    /// Component types of vertex attributes; sizes are bytes per component.
    VertexFormat {
        /// Four unsigned bytes in the order blue, green, red, alpha, normalized.
        B8G8R8A8Unorm = 0 "B8G8R8A8_UNORM" 1;
        /// Signed 16 bits, normalized.
        S16Norm = 1 "S16_NORM" 2;
        /// IEEE single.
        F32 = 2 "F32" 4;
        /// IEEE half.
        F16 = 3 "F16" 2;
        /// Unsigned bytes, normalized.
        U8Unorm = 4 "U8_UNORM" 1;
        /// Signed 16 bits as integers.
        S16 = 5 "S16" 2;
        /// One word of 11, 11, 10 bits, signed, normalized.
        S11S11S10Norm = 6 "S11S11S10_NORM" 4;
        /// Unsigned bytes as integers.
        U8 = 7 "U8" 1;
    }
}
