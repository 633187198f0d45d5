//! Measures whether cost grows linearly: the same stream with more draws, triangles, layers or area.

use serde::{Deserialize, Serialize};

use super::streams::{Layer, draws, layers, sheet};
use super::{BenchError, SceneReport};
use crate::capture::Capture;
use crate::scene::SceneError;

/// How often all points of a series are measured in sequence.
const ROUNDS: usize = 3;

/// A series: what grows, and the streams by factor, the first of them 1.
type Series = (&'static str, &'static [f64], fn(f64) -> Result<Capture, SceneError>);

const SERIES: [Series; 4] = [
    ("draws", &[1.0, 2.0, 5.0, 10.0], |factor| draws(times(20, factor))),
    ("triangles", &[1.0, 2.0, 5.0, 10.0], |factor| sheet(times(50, factor), 100)),
    ("layers", &[1.0, 2.0, 5.0, 10.0], |factor| layers(Layer::Flat, (320, 240), times(2, factor))),
    ("area", &[1.0, 2.25, 4.0], |factor| {
        let side = times(256, factor.sqrt());
        layers(Layer::Flat, (side, side), 4)
    }),
];

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small positive numbers")]
fn times(count: u32, factor: f64) -> u32 {
    (f64::from(count) * factor).round() as u32
}

/// The cost of one factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ScalingPoint {
    /// The amount of work relative to the first point.
    pub factor: f64,
    /// Milliseconds per frame in the fastest sample: other activity of the machine only makes samples slower.
    pub milliseconds: f64,
}

/// How cost grows with one kind of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalingRow {
    /// `draws`, `triangles`, `layers` or `area`.
    pub name: String,
    /// Points, starting with factor 1.
    pub points: Vec<ScalingPoint>,
    /// Time at the last point relative to the first point's proportional extrapolation: 1 is proportional, less is
    /// better.
    pub relative_to_proportional: f64,
}

impl ScalingRow {
    /// The row of these points; `None` if there are none.
    #[must_use]
    pub fn new(name: &str, points: Vec<ScalingPoint>) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        let relative_to_proportional = last.milliseconds / first.milliseconds / (last.factor / first.factor);
        Some(Self { name: name.to_owned(), points, relative_to_proportional })
    }

    /// The line of the table.
    #[must_use]
    pub fn line(&self) -> String {
        let points = self.points.iter().map(|point| format!("×{} {:.3} ms", point.factor, point.milliseconds));
        let points = points.collect::<Vec<_>>().join(", ");
        format!("{:<18}{:>8.3} of proportional   {points}", self.name, self.relative_to_proportional)
    }
}

/// Measures all series; `bench` measures a named stream.
///
/// # Errors
/// When `bench` fails.
pub fn scaling<E: From<BenchError>>(
    bench: &mut dyn FnMut(&str, &Capture) -> Result<SceneReport, E>,
) -> Result<Vec<ScalingRow>, E> {
    let mut rows = Vec::new();
    for (name, factors, stream) in SERIES {
        let mut points: Vec<_> =
            factors.iter().map(|&factor| ScalingPoint { factor, milliseconds: f64::INFINITY }).collect();
        for _ in 0..ROUNDS {
            for point in &mut points {
                let stream = stream(point.factor).map_err(|error| BenchError::Scene(Box::new(error)))?;
                let scene = bench(&format!("{name}_x{}", point.factor), &stream)?;
                point.milliseconds = point.milliseconds.min(1000.0 / scene.frames_per_second.max);
            }
        }
        rows.extend(ScalingRow::new(name, points));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proportional_cost_is_one() {
        let point = |factor, milliseconds| ScalingPoint { factor, milliseconds };
        let row = ScalingRow::new("draws", vec![point(1.0, 3.0), point(2.0, 9.0), point(10.0, 30.0)]).unwrap();
        assert!((row.relative_to_proportional - 1.0).abs() < 1e-12);
        let row = ScalingRow::new("area", vec![point(1.0, 2.0), point(4.0, 16.0)]).unwrap();
        assert!((row.relative_to_proportional - 2.0).abs() < 1e-12);
        assert_eq!(ScalingRow::new("none", vec![]), None);
    }

    #[test]
    fn streams_grow_by_their_factors() {
        for (name, factors, stream) in SERIES {
            let work = |factor| {
                let capture = stream(factor).unwrap();
                let counts = super::super::count(&capture, &super::super::Frames::find(&capture).unwrap()).unwrap();
                match name {
                    "draws" | "layers" => counts.draws,
                    "triangles" => counts.triangles,
                    _ => counts.pixels,
                }
            };
            let last = factors[factors.len() - 1];
            assert!((work(last) / work(1.0) - last).abs() < 1e-9, "{name}");
        }
    }
}
