//! Writes the rates of scenes as text and JSON, and compares them with an earlier report.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{HeadlineRow, ScalingRow, SceneReport, VertexProcessorRow, geometric_mean};
use crate::files;

/// The longest earlier report.
const MAX_BYTES: u64 = 64 << 20;

/// Why an earlier report cannot be used for a comparison.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not a report.
    #[error("{path}: not an output of 'curie bench --json': {source}")]
    Parse {
        /// The file.
        path: String,
        /// The parse error.
        source: serde_json::Error,
    },
    /// No scene is in both.
    #[error("{path}: none of its scenes was measured now; it has {scenes}")]
    NothingInCommon {
        /// The file.
        path: String,
        /// Its scenes.
        scenes: String,
    },
}

/// Rates of several scenes on one engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The adapter that kernels ran on, or `reference`.
    pub adapter: String,
    /// Scenes in the order of measurement.
    pub scenes: Vec<SceneReport>,
    /// Rates relative to the chip's, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headline: Vec<HeadlineRow>,
    /// Growth of cost, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scaling: Vec<ScalingRow>,
    /// Rates of vertex processors, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertex_processors: Vec<VertexProcessorRow>,
    /// The peak memory use of the process, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

impl Report {
    /// The head of the table of scenes.
    pub const HEAD: &str = "stream              frames/s       min       max     Mpix/s   Mtexel/s   Mvert/s    Mtri/s";

    /// Reads what `--json` printed.
    ///
    /// # Errors
    /// When it cannot be read or is not a report.
    pub fn read(path: &Path) -> Result<Self, ReportError> {
        let name = || path.display().to_string();
        let text = files::read_text(path, MAX_BYTES).map_err(|source| ReportError::Read { path: name(), source })?;
        serde_json::from_str(&text).map_err(|source| ReportError::Parse { path: name(), source })
    }

    /// Compares the frame rates with those of an earlier report; `path` names it in errors.
    ///
    /// # Errors
    /// When they have no scene in common.
    pub fn compare(&self, path: &str, earlier: &Self) -> Result<Comparison, ReportError> {
        let mut ratios = BTreeMap::new();
        for scene in &self.scenes {
            let before = earlier.scenes.iter().find(|before| before.name == scene.name);
            if let Some(before) = before.map(|before| before.frames_per_second.median).filter(|before| *before > 0.0) {
                ratios.insert(scene.name.clone(), scene.frames_per_second.median / before);
            }
        }
        let values: Vec<_> = ratios.values().copied().collect();
        match geometric_mean(&values) {
            Some(geometric_mean) => Ok(Comparison { ratios, geometric_mean }),
            None => {
                let scenes: Vec<_> = earlier.scenes.iter().map(|scene| scene.name.as_str()).collect();
                let scenes = if scenes.is_empty() { "none".to_owned() } else { scenes.join(", ") };
                Err(ReportError::NothingInCommon { path: path.to_owned(), scenes })
            }
        }
    }
}

/// Frame rates relative to earlier ones: above 1 is faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// By scene.
    pub ratios: BTreeMap<String, f64>,
    /// Over all scenes in both reports.
    pub geometric_mean: f64,
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, ratio) in &self.ratios {
            writeln!(formatter, "{name:<18}{ratio:>10.3} times the baseline")?;
        }
        write!(formatter, "{:<18}{:>10.3} times the baseline", "geometric mean", self.geometric_mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::{FrameCounts, Measured, Spread};

    fn scene(name: &str, median: f64) -> SceneReport {
        let frames_per_second = Spread { median, min: median, max: median };
        let stages = vec![("shade".to_owned(), 2.0, 4.0)];
        let measured =
            Measured { frames_per_second, samples: 3, host_milliseconds: 1.0, guest_memory_bytes: 0, stages };
        let counts =
            FrameCounts { pixels: 3e6, texels: 1e6, vertices: 5e5, triangles: 250_000.0, draws: 4.0, frames: 1 };
        SceneReport::new(name.to_owned(), &measured, &counts)
    }

    fn report(scenes: Vec<SceneReport>) -> Report {
        Report { adapter: "an adapter".to_owned(), scenes, ..Report::default() }
    }

    #[test]
    fn rates_are_counts_times_frames() {
        let scene = scene("a", 10.0);
        assert_eq!((scene.mpix_per_second, scene.mtexel_per_second), (30.0, 10.0));
        assert_eq!((scene.mvert_per_second, scene.mtri_per_second), (5.0, 2.5));
        // 2 ms of a frame of 100 ms.
        let lines = scene.lines();
        assert!(lines.contains("2.000 ms    2.0 %      4.0 passes"), "{lines}");
        assert!(lines.contains("98.000 ms   98.0 %"), "{lines}");
        assert!(lines.contains("1.000 ms    1.0 %    250.0 µs per draw"), "{lines}");
    }

    #[test]
    fn a_planted_difference_shows_in_the_ratio() {
        let before = report(vec![scene("a", 10.0), scene("b", 10.0), scene("gone", 1.0)]);
        let now = report(vec![scene("a", 20.0), scene("b", 5.0), scene("new", 1.0)]);
        let comparison = now.compare("before.json", &before).unwrap();
        assert_eq!(comparison.ratios, BTreeMap::from([("a".to_owned(), 2.0), ("b".to_owned(), 0.5)]));
        assert!((comparison.geometric_mean - 1.0).abs() < 1e-12);
        let same = now.compare("now.json", &now).unwrap();
        assert!(same.ratios.values().all(|ratio| *ratio == 1.0));
        let error = now.compare("x.json", &report(vec![scene("gone", 1.0)])).unwrap_err();
        assert_eq!(error.to_string(), "x.json: none of its scenes was measured now; it has gone");
    }

    #[test]
    fn json_comes_back() {
        let report = report(vec![scene("a", 10.0)]);
        let text = serde_json::to_string(&report).unwrap();
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
    }
}
