//! Measures one computation on the vertex processors of each family of chips.

use serde::{Deserialize, Serialize};

use super::streams::{Lit, vertices};
use super::{BenchError, SceneReport};
use crate::capture::Capture;

/// Vertices of a frame.
const VERTICES: u32 = 3 << 16;

/// The rate of one family's vertex processors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VertexProcessorRow {
    /// The name of a machine.
    pub machine: String,
    /// Millions of vertices per second, each of 20 instructions.
    pub mvert_per_second: f64,
    /// The rate divided by that of the first row.
    pub ratio: f64,
}

/// Measures the rates; `bench` measures a named stream.
///
/// # Errors
/// When `bench` fails.
pub fn vertex_processors<E: From<BenchError>>(
    bench: &mut dyn FnMut(&str, &Capture) -> Result<SceneReport, E>,
) -> Result<Vec<VertexProcessorRow>, E> {
    let mut rows: Vec<VertexProcessorRow> = Vec::new();
    for lit in [Lit::Geforce6, Lit::Geforce3, Lit::Pica200] {
        let machine = lit.machine();
        let stream = vertices(lit, VERTICES).map_err(|error| BenchError::Scene(Box::new(error)))?;
        let mvert_per_second = bench(machine, &stream)?.mvert_per_second;
        let first = rows.first().map_or(mvert_per_second, |row| row.mvert_per_second);
        rows.push(VertexProcessorRow {
            machine: machine.to_owned(),
            mvert_per_second,
            ratio: mvert_per_second / first,
        });
    }
    Ok(rows)
}

impl VertexProcessorRow {
    /// The line of the table.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{:<22}{:>12.3} Mvert/s {:>10.3} times", self.machine, self.mvert_per_second, self.ratio)
    }
}
