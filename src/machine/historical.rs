//! The historical table of products, Riva ZX to GeForce 6800 Ultra, with printed rates and rates derived from units.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::Provenance;

/// The table with its sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Historical {
    /// The source of the numbers in [`Product::printed`].
    pub printed: Origin,
    /// The source of the numbers in [`Product::derived`].
    pub derived: Origin,
    /// The products by year.
    #[serde(rename = "product")]
    pub products: Vec<Product>,
}

/// The source of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// How trustworthy they are.
    pub provenance: Provenance,
    /// The document.
    pub source: String,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// The year.
    pub year: u32,
    /// The product's name.
    pub name: String,
    /// Its new features.
    pub features: String,
    /// The numbers of the table.
    pub printed: Printed,
    /// Units and widths from which the rates follow.
    pub derived: Units,
}

/// A product's numbers as printed; rates are in millions per second, bandwidths in GB/s.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// Chip clock in MHz.
    pub core_mhz: f64,
    /// Memory clock in MHz, doubled for double data rate.
    pub memory_mhz: f64,
    /// Triangles.
    pub triangles: f64,
    /// Vertices.
    pub vertices: f64,
    /// Pixels with one texture.
    pub pixels: f64,
    /// Pixels with depth and stencil only.
    pub depth_only_pixels: f64,
    /// Pixels of four samples with one texture.
    pub pixels_4x_one_texture: f64,
    /// Pixels of four samples with two textures.
    pub pixels_4x_two_textures: f64,
    /// Bilinear texture lookups.
    pub texels: f64,
    /// Bandwidth of the memory.
    pub bandwidth: f64,
    /// Bandwidth with 4:1 compression of everything that the product compresses.
    pub effective_bandwidth: f64,
    /// The process in micrometers.
    pub micrometres: f64,
    /// Millions of transistors.
    pub transistors: f64,
}

/// A kind of traffic, each a third of the total, that a product may compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Traffic {
    /// Textures.
    Texture,
    /// Color surfaces.
    Colour,
    /// Depth surfaces.
    Depth,
}

/// Units and widths, per clock, from which a product's rates follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// Whether the host transforms the vertices, so that their rate is an estimate.
    pub vertices_by_host: bool,
    /// Pixels with one texture.
    pub pixels: u32,
    /// Pixels with depth and stencil only.
    pub depth_only_pixels: u32,
    /// Bilinear texture lookups.
    pub lookups: u32,
    /// Samples with color and depth.
    pub samples: u32,
    /// Whether the samples of a pixel share its texture lookups. If not, each sample has its own, as with
    /// supersampling.
    pub multisamples: bool,
    /// Lines of the memory bus.
    pub bus_bits: u32,
    /// The traffic that is compressed 4:1.
    pub compresses: Vec<Traffic>,
}

/// The table.
pub fn historical() -> &'static Historical {
    static TABLE: LazyLock<Historical> =
        LazyLock::new(|| toml::from_str(include_str!("historical.toml")).expect("the bundled table is read by a test"));
    &TABLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{open, rate};

    /// The numbers of a product with the rates that follow from its clocks and units, unrounded.
    fn recomputed(product: &Product) -> Printed {
        let Units { pixels, depth_only_pixels, lookups, samples, multisamples, bus_bits, ref compresses, .. } =
            product.derived;
        let clock = product.printed.core_mhz;
        let four_samples = |textures: u32| {
            let lookups_per_pixel = textures * if multisamples { 1 } else { 4 };
            let merged = (f64::from(samples) / 4.0).min(f64::from(pixels));
            clock * merged.min(f64::from(lookups) / f64::from(lookups_per_pixel))
        };
        let bandwidth = product.printed.memory_mhz * f64::from(bus_bits) / 8.0 / 1e3;
        let share = |traffic| if compresses.contains(&traffic) { 4.0 } else { 1.0 };
        let gain = (share(Traffic::Texture) + share(Traffic::Colour) + share(Traffic::Depth)) / 3.0;
        Printed {
            pixels: clock * f64::from(pixels),
            depth_only_pixels: clock * f64::from(depth_only_pixels),
            pixels_4x_one_texture: four_samples(1),
            pixels_4x_two_textures: four_samples(2),
            texels: clock * f64::from(lookups),
            bandwidth,
            effective_bandwidth: bandwidth * gain,
            ..product.printed
        }
    }

    /// Each rate as printed and as recomputed, with the unit of its last printed digit.
    fn pairs(product: &Product) -> [(&'static str, f64, f64, f64); 7] {
        let (printed, now) = (&product.printed, recomputed(product));
        [
            ("pixels", printed.pixels, now.pixels, 1.0),
            ("depth_only_pixels", printed.depth_only_pixels, now.depth_only_pixels, 1.0),
            ("pixels_4x_one_texture", printed.pixels_4x_one_texture, now.pixels_4x_one_texture, 1.0),
            ("pixels_4x_two_textures", printed.pixels_4x_two_textures, now.pixels_4x_two_textures, 1.0),
            ("texels", printed.texels, now.texels, 1.0),
            ("bandwidth", printed.bandwidth, now.bandwidth, 0.1),
            ("effective_bandwidth", printed.effective_bandwidth, now.effective_bandwidth, 0.1),
        ]
    }

    /// The keys whose recomputed rate does not round to the printed one.
    fn differences(product: &Product) -> Vec<&'static str> {
        let differs = |&(_, printed, recomputed, step): &(_, f64, f64, f64)| {
            ((recomputed / step).round() - (printed / step).round()).abs() > 0.5
        };
        pairs(product).iter().filter(|pair| differs(pair)).map(|pair| pair.0).collect()
    }

    #[test]
    fn every_printed_rate_follows_from_clocks_and_units() {
        assert_eq!(historical().products.len(), 7);
        for product in &historical().products {
            assert_eq!(differences(product), [""; 0], "{}", product.name);
        }
    }

    #[test]
    fn a_rate_that_does_not_follow_is_found() {
        let mut product = historical().products[2].clone();
        product.printed.effective_bandwidth = 10.6;
        product.printed.texels += 1.0;
        assert_eq!(differences(&product), ["texels", "effective_bandwidth"]);
    }

    /// The table's last row: each column's growth over the six years, computed before rounding.
    #[test]
    fn growth_over_six_years_is_as_printed() {
        let products = &historical().products;
        let (first, last) = (&products[0], &products[6]);
        assert_eq!(last.year - first.year, 6);
        let (before, after) = (recomputed(first), recomputed(last));
        let machine = open("geforce-6800-ultra-425").unwrap();
        let vertices = rate(&machine, "vertices").unwrap() / 1e6;
        for (printed, growth) in [
            (56.7, last.printed.triangles / first.printed.triangles),
            (637.5, vertices / first.printed.vertices),
            (68.0, after.pixels / before.pixels),
            (136.0, after.depth_only_pixels / before.depth_only_pixels),
            (272.0, after.pixels_4x_one_texture / before.pixels_4x_one_texture),
            (272.0, after.pixels_4x_two_textures / before.pixels_4x_two_textures),
            (68.0, after.texels / before.texels),
            (22.0, after.bandwidth / before.bandwidth),
            (88.0, after.effective_bandwidth / before.effective_bandwidth),
            (55.5, last.printed.transistors / first.printed.transistors),
        ] {
            assert!((growth - printed).abs() < 0.05, "{growth} is not {printed}");
        }
    }

    /// The table's columns of growth per year, in percent.
    #[test]
    fn growth_from_year_to_year_is_as_printed() {
        let growth = |rate: fn(&Product) -> f64| -> Vec<f64> {
            let pairs = historical().products.windows(2);
            pairs.map(|pair| ((rate(&pair[1]) / rate(&pair[0]) - 1.0) * 100.0).round()).collect()
        };
        assert_eq!(growth(|product| product.printed.triangles), [200.0, 178.0, 20.0, 100.0, 178.0, 2.0]);
        assert_eq!(growth(|product| recomputed(product).pixels), [250.0, 90.0, 20.0, 50.0, 67.0, 240.0]);
        assert_eq!(growth(|product| recomputed(product).texels), [250.0, 279.0, 20.0, 50.0, 67.0, 70.0]);
    }

    /// The same product as a machine: rates by its units instead of the table's.
    #[test]
    fn the_last_row_is_the_machine_at_425_mhz() {
        let machine = open("geforce-6800-ultra-425").unwrap();
        let last = &historical().products[6];
        for (key, printed, ..) in pairs(last) {
            let key = if key == "bandwidth" { "memory_bandwidth" } else { key };
            let scale = if key.ends_with("bandwidth") { 1e9 } else { 1e6 };
            assert_eq!(rate(&machine, key), Some(printed * scale), "{key}");
        }
        for (key, printed) in [("triangles", last.printed.triangles), ("vertices", last.printed.vertices)] {
            assert_eq!((rate(&machine, key).unwrap() / 1e6).round(), printed, "{key}");
        }
        assert_eq!(machine.clocks.core_mhz, last.printed.core_mhz);
    }
}
