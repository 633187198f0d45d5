//! Maps chipset numbers of captures to the names of NVIDIA's chips.

use std::fmt;

/// A chip that captures may come from.
struct ChipsetRow {
    chipset: u32,
    /// The products it is best known for.
    product: &'static str,
    /// NVIDIA's name of the chip.
    chip: &'static str,
}

macro_rules! chipsets {
    ($($chipset:literal $product:literal $chip:literal,)+) => {
        &[$(ChipsetRow { chipset: $chipset, product: $product, chip: $chip },)+]
    };
}

/// Chips from the Riva TNT to the GeForce 300, as the nouveau project numbers them.
const CHIPSETS: &[ChipsetRow] = chipsets! {
    0x04 "Riva TNT" "NV04",
    0x05 "Riva TNT2" "NV05",
    0x10 "GeForce 256" "NV10",
    0x11 "GeForce2 MX" "NV11",
    0x15 "GeForce2 GTS" "NV15",
    0x17 "GeForce4 MX" "NV17",
    0x18 "GeForce4 MX" "NV18",
    0x1a "nForce" "NV1A",
    0x1f "nForce2" "NV1F",
    0x20 "GeForce3" "NV20",
    0x25 "GeForce4 Ti" "NV25",
    0x28 "GeForce4 Ti" "NV28",
    0x2a "Xbox" "NV2A",
    0x30 "GeForce FX 5800" "NV30",
    0x31 "GeForce FX 5600" "NV31",
    0x34 "GeForce FX 5200" "NV34",
    0x35 "GeForce FX 5900" "NV35",
    0x36 "GeForce FX 5700" "NV36",
    0x40 "GeForce 6800" "NV40",
    0x41 "GeForce 6800" "NV41",
    0x42 "GeForce 6800" "NV42",
    0x43 "GeForce 6600" "NV43",
    0x44 "GeForce 6200" "NV44",
    0x45 "GeForce 6800" "NV45",
    0x46 "GeForce 7300" "G72",
    0x47 "GeForce 7800" "G70",
    0x49 "GeForce 7900" "G71",
    0x4a "GeForce 6200" "NV44A",
    0x4b "GeForce 7600" "G73",
    0x4c "GeForce 6150" "C61",
    0x4e "GeForce 6100" "C51",
    0x50 "GeForce 8800" "NV50",
    0x63 "GeForce 7100" "C73",
    0x67 "GeForce 7000M" "C67",
    0x68 "GeForce 7025" "C68",
    0x84 "GeForce 8600" "G84",
    0x86 "GeForce 8400" "G86",
    0x92 "GeForce 9800" "G92",
    0x94 "GeForce 9600" "G94",
    0x96 "GeForce 9500" "G96",
    0x98 "GeForce 8400 GS" "G98",
    0xa0 "GeForce GTX 280" "GT200",
    0xa3 "GeForce GT 240" "GT215",
    0xa5 "GeForce GT 220" "GT216",
    0xa8 "GeForce 210" "GT218",
    0xaa "GeForce 8200" "MCP77",
    0xac "GeForce 9400M" "MCP79",
    0xaf "GeForce 320M" "MCP89",
};

fn row(chipset: u32) -> Option<&'static ChipsetRow> {
    CHIPSETS.iter().find(|row| row.chipset == chipset)
}

/// NVIDIA's name of a chip.
pub(super) fn code_name(chipset: u32) -> Option<&'static str> {
    row(chipset).map(|row| row.chip)
}

/// Finds a chipset number by NVIDIA's name of the chip, as `NV43`, or by the number in hexadecimal, as `0x43`.
#[must_use]
pub fn chipset_named(name: &str) -> Option<u32> {
    let number = name.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    number.or_else(|| CHIPSETS.iter().find(|row| row.chip.eq_ignore_ascii_case(name)).map(|row| row.chipset))
}

/// A chipset number as messages show it: `chipset 0x50 (GeForce 8800, NV50)`.
pub(super) struct Chipset(pub(super) u32);

impl fmt::Display for Chipset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "chipset {:#x}", self.0)?;
        match row(self.0) {
            Some(ChipsetRow { product, chip, .. }) => write!(formatter, " ({product}, {chip})"),
            None => formatter.write_str(" (unknown)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_found_by_name_and_by_number() {
        assert_eq!(
            ["NV43", "g70", "0x4e", "0xff", "NV4", "43", ""].map(chipset_named),
            [Some(0x43), Some(0x47), Some(0x4e), Some(0xff), None, None, None]
        );
    }

    #[test]
    fn numbers_are_in_order_and_unknown_ones_say_so() {
        assert!(CHIPSETS.is_sorted_by(|row, next| row.chipset < next.chipset));
        assert_eq!(Chipset(0x20).to_string(), "chipset 0x20 (GeForce3, NV20)");
        assert_eq!(Chipset(0xffff_ffff).to_string(), "chipset 0xffffffff (unknown)");
    }
}
