//! Measures rates and compares them with those of a GeForce 6800 Ultra.

use serde::{Deserialize, Serialize};

use super::streams::{Layer, Lit, layers, vertices};
use super::{BenchError, SceneReport};
use crate::capture::Capture;
use crate::machine::{Machine, rate};
use crate::scene::SceneError;

/// Vertices of a frame.
const VERTICES: u32 = 3 << 16;
/// Size and number of the layers of a frame.
const SIZE: (u32, u32) = (1024, 1024);
const LAYERS: u32 = 4;

/// A rate of the chip, and how to measure the corresponding rate.
struct Figure {
    name: &'static str,
    unit: &'static str,
    /// The key of the chip's rate in [`RATES`](crate::machine::RATES).
    chip: &'static str,
    stream: fn() -> Result<Capture, SceneError>,
    measured: fn(&SceneReport) -> f64,
}

const FIGURES: [Figure; 4] = [
    Figure {
        name: "vertices",
        unit: "Mvert/s",
        chip: "vertices",
        stream: || vertices(Lit::Arb, VERTICES),
        measured: |scene| scene.mvert_per_second,
    },
    Figure {
        name: "texels",
        unit: "Mtexel/s",
        chip: "texels",
        stream: || layers(Layer::Bilinear, SIZE, LAYERS),
        measured: |scene| scene.mtexel_per_second,
    },
    Figure {
        name: "flat_pixels",
        unit: "Mpix/s",
        chip: "pixels",
        stream: || layers(Layer::Flat, SIZE, LAYERS),
        measured: |scene| scene.mpix_per_second,
    },
    Figure {
        name: "depth_pixels",
        unit: "Mpix/s",
        chip: "depth_only_pixels",
        stream: || layers(Layer::Depth, SIZE, LAYERS),
        measured: |scene| scene.mpix_per_second,
    },
];

/// One rate beside the chip's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeadlineRow {
    /// `vertices` (of 20 instructions), `texels` (bilinear), `flat_pixels` or `depth_pixels`.
    pub name: String,
    /// The unit of both rates.
    pub unit: String,
    /// The measured rate.
    pub measured: f64,
    /// Rate of a GeForce 6800 Ultra.
    pub geforce_6800_ultra: f64,
    /// The measured rate divided by the chip's.
    pub ratio: f64,
}

/// Measures the four rates; `bench` measures a named stream.
///
/// # Errors
/// When `bench` fails.
pub fn headline<E: From<BenchError>>(
    bench: &mut dyn FnMut(&str, &Capture) -> Result<SceneReport, E>,
) -> Result<Vec<HeadlineRow>, E> {
    let mut rows = Vec::new();
    let machine = Machine::default();
    for figure in &FIGURES {
        let chip = rate(&machine, figure.chip).expect("the table has the key") / 1e6;
        let stream = (figure.stream)().map_err(|error| BenchError::Scene(Box::new(error)))?;
        let measured = (figure.measured)(&bench(figure.name, &stream)?);
        rows.push(HeadlineRow {
            name: figure.name.to_owned(),
            unit: figure.unit.to_owned(),
            measured,
            geforce_6800_ultra: chip,
            ratio: measured / chip,
        });
    }
    Ok(rows)
}

impl HeadlineRow {
    /// The line of the table.
    #[must_use]
    pub fn line(&self) -> String {
        format!(
            "{:<18}{:>12.3} {:<9}{:>10} GeForce 6800 Ultra {:>12.4} times",
            self.name, self.measured, self.unit, self.geforce_6800_ultra, self.ratio
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{FrameCounts, Measured, Spread};

    #[test]
    fn ratios_are_against_the_chip() {
        // Pretends that every stream has 3.2 million of everything, a hundred times per second.
        let mut names = Vec::new();
        let mut bench = |name: &str, _: &Capture| -> Result<SceneReport, BenchError> {
            names.push(name.to_owned());
            let frames_per_second = Spread { median: 100.0, min: 90.0, max: 110.0 };
            let measured = Measured {
                frames_per_second,
                samples: 3,
                host_milliseconds: 1.0,
                guest_memory_bytes: 0,
                stages: vec![],
            };
            let each = 3.2e6;
            let counts =
                FrameCounts { pixels: each, texels: each, vertices: each, triangles: each, draws: 1.0, frames: 1 };
            Ok(SceneReport::new(name.to_owned(), &measured, &counts))
        };
        let rows = headline(&mut bench).unwrap();
        let ratios: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.ratio)).collect();
        // GPU Gems 2, section 30.4, at 400 MHz.
        let expected = [
            ("vertices", 320.0 / 600.0),
            ("texels", 320.0 / 6400.0),
            ("flat_pixels", 320.0 / 6400.0),
            ("depth_pixels", 320.0 / 12800.0),
        ];
        assert_eq!(ratios, expected);
        assert_eq!(names, expected.map(|(name, _)| name));
    }
}
