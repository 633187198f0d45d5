//! Formats of colour and depth surfaces (field `RT_FORMAT`).

use super::formats;

formats! {
    /// Formats of colour targets (`RT_FORMAT` bits 4:0).
    ColorFormat {
        /// 16 bits, the unused bit written 0.
        X1R5G5B5Zero = 1 "X1R5G5B5_Z" 2;
        /// 16 bits, the unused bit written 1.
        X1R5G5B5One = 2 "X1R5G5B5_O" 2;
        /// 16 bits.
        R5G6B5 = 3 "R5G6B5" 2;
        /// 32 bits, the unused byte written 0.
        X8R8G8B8Zero = 4 "X8R8G8B8_Z" 4;
        /// 32 bits, the unused byte written 255.
        X8R8G8B8One = 5 "X8R8G8B8_O" 4;
        /// 32 bits.
        A8R8G8B8 = 8 "A8R8G8B8" 4;
        /// One byte, from the blue channel.
        B8 = 9 "B8" 1;
        /// Two bytes, from green and blue.
        G8B8 = 10 "G8B8" 2;
        /// Four half floats, red first in memory.
        A16B16G16R16F = 11 "A16B16G16R16F" 8;
        /// Four floats, red first in memory.
        A32B32G32R32F = 12 "A32B32G32R32F" 16;
        /// One float.
        R32F = 13 "R32F" 4;
        /// 32 bits, the unused byte written 0.
        X8B8G8R8Zero = 14 "X8B8G8R8_Z" 4;
        /// 32 bits, the unused byte written 255.
        X8B8G8R8One = 15 "X8B8G8R8_O" 4;
        /// 32 bits.
        A8B8G8R8 = 16 "A8B8G8R8" 4;
    }
}

formats! {
    /// Formats of depth and stencil surfaces (`RT_FORMAT` bits 7:5).
    ZetaFormat {
        /// 16 bits of depth.
        Z16 = 1 "Z16" 2;
        /// 24 bits of depth in 31:8, stencil in 7:0.
        Z24S8 = 2 "Z24S8" 4;
    }
}
