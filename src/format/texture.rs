//! Formats of textures (field `TEX_FORMAT` bits 12:8).

use super::formats;

formats! {
    /// Texture formats; sizes are bytes per texel, per 4×4 block for DXT, per pixel for the YUV-like pairs.
    TextureFormat {
        /// One byte.
        B8 = 0x01 "B8" 1;
        /// 16 bits with one bit of alpha on top.
        A1R5G5B5 = 0x02 "A1R5G5B5" 2;
        /// 16 bits.
        A4R4G4B4 = 0x03 "A4R4G4B4" 2;
        /// 16 bits.
        R5G6B5 = 0x04 "R5G6B5" 2;
        /// 32 bits.
        A8R8G8B8 = 0x05 "A8R8G8B8" 4;
        /// Compressed, 8 bytes per block.
        Dxt1 = 0x06 "DXT1" 8;
        /// Compressed, 16 bytes per block, explicit alpha.
        Dxt23 = 0x07 "DXT23" 16;
        /// Compressed, 16 bytes per block, interpolated alpha.
        Dxt45 = 0x08 "DXT45" 16;
        /// Two bytes.
        G8B8 = 0x0b "G8B8" 2;
        /// Two pixels in 32 bits sharing green and blue.
        B8R8G8R8 = 0x0d "B8R8_G8R8" 2;
        /// Two pixels in 32 bits sharing green and blue.
        R8B8R8G8 = 0x0e "R8B8_R8G8" 2;
        /// 16 bits.
        R6G5B5 = 0x0f "R6G5B5" 2;
        /// 24 bits of depth.
        Depth24D8 = 0x10 "DEPTH24_D8" 4;
        /// 24 bits of float depth.
        Depth24D8Float = 0x11 "DEPTH24_D8_FLOAT" 4;
        /// 16 bits of depth.
        Depth16 = 0x12 "DEPTH16" 2;
        /// 16 bits of float depth.
        Depth16Float = 0x13 "DEPTH16_FLOAT" 2;
        /// One 16-bit channel.
        X16 = 0x14 "X16" 2;
        /// Two 16-bit channels.
        Y16X16 = 0x15 "Y16_X16" 4;
        /// 16 bits with one bit of alpha below.
        R5G5B5A1 = 0x17 "R5G5B5A1" 2;
        /// Two unsigned bytes.
        HiLo8 = 0x18 "HILO8" 2;
        /// Two signed bytes.
        HiLoS8 = 0x19 "HILO_S8" 2;
        /// Four half floats.
        W16Z16Y16X16F = 0x1a "W16_Z16_Y16_X16_FLOAT" 8;
        /// Four floats.
        W32Z32Y32X32F = 0x1b "W32_Z32_Y32_X32_FLOAT" 16;
        /// One float.
        X32F = 0x1c "X32_FLOAT" 4;
        /// 16 bits, alpha reads 1.
        D1R5G5B5 = 0x1d "D1R5G5B5" 2;
        /// 32 bits, alpha reads 1.
        D8R8G8B8 = 0x1e "D8R8G8B8" 4;
        /// Two half floats.
        Y16X16F = 0x1f "Y16_X16_FLOAT" 4;
    }
}
