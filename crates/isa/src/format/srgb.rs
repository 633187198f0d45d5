//! Converts floats to bytes on the sRGB curve, as color writes with `SHADER_PACKER` set do, and bytes back.

use super::srgb_decode::linear_value;
use crate::arith::fragment;

/// Entry k is the least single that the curve maps to a value that rounds to k of 255 or more.
///
/// The inverse of the curve at (k − ½)/255: c/12.92 up to 0.04045, ((c + 0.055)/1.055)^2.4 above, rounded up.
#[rustfmt::skip]
const THRESHOLDS: [u32; 256] = [
    0x0000_0000, 0x391f_22b4, 0x39ee_b40e, 0x3a46_eb61, 0x3a8b_3e5e, 0x3ab3_070b, 0x3ada_cfb8, 0x3b01_4c33,
    0x3b15_3089, 0x3b29_14df, 0x3b3c_f936, 0x3b50_f2d1, 0x3b65_fb9b, 0x3b7c_3403, 0x3b89_d060, 0x3b96_2333,
    0x3ba3_14bd, 0x3bb0_a731, 0x3bbe_dcb7, 0x3bcd_b76d, 0x3bdd_3967, 0x3bed_64af, 0x3bfe_3b46, 0x3c07_df91,
    0x3c10_f91b, 0x3c1a_6b32, 0x3c24_36c8, 0x3c2e_5cc7, 0x3c38_de1a, 0x3c43_bba4, 0x3c4e_f648, 0x3c5a_8ee4,
    0x3c66_8654, 0x3c72_dd71, 0x3c7f_950f, 0x3c86_5702, 0x3c8d_148f, 0x3c94_0396, 0x3c9b_247c, 0x3ca2_77a6,
    0x3ca9_fd78, 0x3cb1_b653, 0x3cb9_a298, 0x3cc1_c2a9, 0x3cca_16e3, 0x3cd2_9fa4, 0x3cdb_5d4b, 0x3ce4_5032,
    0x3ced_78b5, 0x3cf6_d72e, 0x3d00_35fc, 0x3d05_1bb4, 0x3d0a_1cec, 0x3d0f_39d0, 0x3d14_728a, 0x3d19_c745,
    0x3d1f_382c, 0x3d24_c567, 0x3d2a_6f22, 0x3d30_3584, 0x3d36_18b7, 0x3d3c_18e4, 0x3d42_3632, 0x3d48_70ca,
    0x3d4e_c8d2, 0x3d55_3e73, 0x3d5b_d1d3, 0x3d62_8318, 0x3d69_526a, 0x3d70_3fee, 0x3d77_4bca, 0x3d7e_7624,
    0x3d82_df90, 0x3d86_9372, 0x3d8a_56cb, 0x3d8e_29ab, 0x3d92_0c27, 0x3d95_fe4f, 0x3d9a_0035, 0x3d9e_11ec,
    0x3da2_3384, 0x3da6_6510, 0x3daa_a6a0, 0x3dae_f847, 0x3db3_5a15, 0x3db7_cc1b, 0x3dbc_4e6b, 0x3dc0_e114,
    0x3dc5_8429, 0x3dca_37b9, 0x3dce_fbd6, 0x3dd3_d08f, 0x3dd8_b5f5, 0x3ddd_ac19, 0x3de2_b30a, 0x3de7_cad9,
    0x3dec_f395, 0x3df2_2d50, 0x3df7_7817, 0x3dfc_d3fc, 0x3e01_2087, 0x3e03_dfae, 0x3e06_a77b, 0x3e09_77f6,
    0x3e0c_5126, 0x3e0f_3314, 0x3e12_1dc5, 0x3e15_1143, 0x3e18_0d95, 0x3e1b_12c2, 0x3e1e_20d1, 0x3e21_37cb,
    0x3e24_57b6, 0x3e27_8099, 0x3e2a_b27d, 0x3e2d_ed68, 0x3e31_3161, 0x3e34_7e70, 0x3e37_d49c, 0x3e3b_33ec,
    0x3e3e_9c67, 0x3e42_0e15, 0x3e45_88fb, 0x3e49_0d22, 0x3e4c_9a90, 0x3e50_314c, 0x3e53_d15d, 0x3e57_7aca,
    0x3e5b_2d9a, 0x3e5e_e9d4, 0x3e62_af7e, 0x3e66_7e9f, 0x3e6a_573e, 0x3e6e_3962, 0x3e72_2511, 0x3e76_1a52,
    0x3e7a_192c, 0x3e7e_21a5, 0x3e81_19e2, 0x3e83_27c7, 0x3e85_3a86, 0x3e87_5222, 0x3e89_6e9d, 0x3e8b_8ffc,
    0x3e8d_b641, 0x3e8f_e170, 0x3e92_118b, 0x3e94_4696, 0x3e96_8095, 0x3e98_bf89, 0x3e9b_0377, 0x3e9d_4c62,
    0x3e9f_9a4c, 0x3ea1_ed38, 0x3ea4_452b, 0x3ea6_a226, 0x3ea9_042e, 0x3eab_6b44, 0x3ead_d76d, 0x3eb0_48aa,
    0x3eb2_bf00, 0x3eb5_3a71, 0x3eb7_bb00, 0x3eba_40b1, 0x3ebc_cb85, 0x3ebf_5b81, 0x3ec1_f0a7, 0x3ec4_8af9,
    0x3ec7_2a7c, 0x3ec9_cf32, 0x3ecc_791e, 0x3ecf_2842, 0x3ed1_dca2, 0x3ed4_9641, 0x3ed7_5521, 0x3eda_1946,
    0x3edc_e2b2, 0x3edf_b168, 0x3ee2_856a, 0x3ee5_5ebd, 0x3ee8_3d63, 0x3eeb_215d, 0x3eee_0ab1, 0x3ef0_f95f,
    0x3ef3_ed6b, 0x3ef6_e6d8, 0x3ef9_e5a8, 0x3efc_e9de, 0x3eff_f37e, 0x3f01_8145, 0x3f03_0b82, 0x3f04_9877,
    0x3f06_2827, 0x3f07_ba92, 0x3f09_4fb9, 0x3f0a_e79f, 0x3f0c_8244, 0x3f0e_1faa, 0x3f0f_bfd2, 0x3f11_62be,
    0x3f13_086e, 0x3f14_b0e4, 0x3f16_5c22, 0x3f18_0a29, 0x3f19_bafa, 0x3f1b_6e96, 0x3f1d_24ff, 0x3f1e_de36,
    0x3f20_9a3c, 0x3f22_5913, 0x3f24_1abc, 0x3f25_df38, 0x3f27_a689, 0x3f29_70af, 0x3f2b_3dad, 0x3f2d_0d83,
    0x3f2e_e032, 0x3f30_b5bd, 0x3f32_8e24, 0x3f34_6968, 0x3f36_478b, 0x3f38_288f, 0x3f3a_0c73, 0x3f3b_f33a,
    0x3f3d_dce5, 0x3f3f_c975, 0x3f41_b8eb, 0x3f43_ab48, 0x3f45_a08f, 0x3f47_98bf, 0x3f49_93db, 0x3f4b_91e3,
    0x3f4d_92d8, 0x3f4f_96bd, 0x3f51_9d92, 0x3f53_a758, 0x3f55_b411, 0x3f57_c3be, 0x3f59_d65f, 0x3f5b_ebf7,
    0x3f5e_0486, 0x3f60_200e, 0x3f62_3e90, 0x3f64_600c, 0x3f66_8485, 0x3f68_abfb, 0x3f6a_d670, 0x3f6d_03e5,
    0x3f6f_345a, 0x3f71_67d2, 0x3f73_9e4d, 0x3f75_d7cc, 0x3f78_1451, 0x3f7a_53dd, 0x3f7c_9671, 0x3f7e_dc0e,
];

/// The curve for the kernels, as bits of floats: the thresholds of the bytes 0..=255, then their linear values.
#[must_use]
pub fn curve() -> Vec<u32> {
    THRESHOLDS.into_iter().chain((0..256).map(decode)).collect()
}

/// The linear value of a byte on the sRGB curve, as bits.
#[must_use]
pub fn decode(byte: u32) -> u32 {
    linear_value(fragment::unorm_to_float(byte, 8))
}

/// The byte on the sRGB curve nearest to a linear value, given as bits; negative values and NaN give 0.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "a byte")]
pub const fn encode(linear: u32) -> u32 {
    if linear > 0x7f80_0000 {
        return 0;
    }
    let mut byte = 0;
    let mut step = 128;
    while step > 0 {
        // Bits of positive floats have the order of their values.
        if THRESHOLDS[byte + step] <= linear {
            byte += step;
        }
        step /= 2;
    }
    byte as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve of the standard.
    fn curve(linear: f64) -> f64 {
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
    }

    #[test]
    fn bytes_are_the_nearest_on_the_curve() {
        for bits in (0..=0x3f80_0000u32).step_by(4099) {
            let exact = curve(f64::from(f32::from_bits(bits))) * 255.0;
            assert!((f64::from(encode(bits)) - exact).abs() <= 0.500_001, "{bits:#x}: {} {exact}", encode(bits));
        }
    }

    #[test]
    fn bytes_are_decoded_and_encoded_again() {
        for byte in 0..=255u32 {
            let (c, value) = (f64::from(byte) / 255.0, f64::from(f32::from_bits(decode(byte))));
            let exact = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            assert!((value - exact).abs() < 1e-6, "{byte}: {value} {exact}");
            assert_eq!(encode(decode(byte)), byte);
        }
        assert_eq!([0, 255].map(decode), [0, 0x3f80_0000]);
        assert_eq!(super::curve().len(), 512);
    }

    #[test]
    fn thresholds_are_where_the_byte_changes() {
        for byte in 1..=255u32 {
            let threshold = THRESHOLDS[byte as usize];
            assert_eq!([threshold - 1, threshold].map(encode), [byte - 1, byte]);
            let middle = (f64::from(byte) - 0.5) / 255.0;
            let exact = if middle <= 0.04045 { middle / 12.92 } else { ((middle + 0.055) / 1.055).powf(2.4) };
            let [below, least] = [threshold - 1, threshold].map(|bits| f64::from(f32::from_bits(bits)));
            assert!(below < exact && exact <= least, "{byte}");
        }
    }

    #[test]
    fn what_lies_outside_is_clamped() {
        let bits = [-1.0f32, -0.0, f32::NAN, f32::INFINITY, 2.0, 1.0, 0.0].map(f32::to_bits);
        assert_eq!(bits.map(encode), [0, 0, 0, 255, 255, 255, 0]);
        assert_eq!(encode(0xffc0_0000), 0);
    }
}
