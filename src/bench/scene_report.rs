//! Turns the measurements of one scene into rates, and writes them as lines.

use serde::{Deserialize, Serialize};

use super::{FrameCounts, Measured, Spread};

/// Rates of one scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneReport {
    /// The name of its file without extensions.
    pub name: String,
    /// Frames per second.
    pub frames_per_second: Spread,
    /// Million pixels per second, by the median like all rates below.
    pub mpix_per_second: f64,
    /// Million texels per second.
    pub mtexel_per_second: f64,
    /// Million vertices per second.
    pub mvert_per_second: f64,
    /// Million triangles per second.
    pub mtri_per_second: f64,
    /// Milliseconds of the host to submit a frame, including waits.
    #[serde(default)]
    pub host_milliseconds: f64,
    /// Bytes of guest memory that the stream uses.
    #[serde(default)]
    pub guest_memory_bytes: u64,
    /// Draws per frame.
    #[serde(default)]
    pub draws: f64,
    /// The number of distinct frames that were repeated.
    #[serde(default)]
    pub frames: u64,
    /// The number of samples of the frame rates.
    #[serde(default)]
    pub samples: usize,
    /// Time on the device by kernel, longest first, if requested.
    #[serde(default)]
    pub stages: Vec<StageReport>,
}

/// The time of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageReport {
    /// The kernel.
    pub name: String,
    /// Milliseconds per frame.
    pub milliseconds: f64,
    /// Passes per frame.
    pub passes: f64,
}

impl SceneReport {
    /// The rates of a scene, from its measurements and the counts of a frame.
    #[must_use]
    pub fn new(name: String, measured: &Measured, counts: &FrameCounts) -> Self {
        let millions = |per_frame: f64| per_frame * measured.frames_per_second.median / 1e6;
        let stage = |(name, milliseconds, passes): &(String, f64, f64)| StageReport {
            name: name.clone(),
            milliseconds: *milliseconds,
            passes: *passes,
        };
        Self {
            name,
            frames_per_second: measured.frames_per_second,
            mpix_per_second: millions(counts.pixels),
            mtexel_per_second: millions(counts.texels),
            mvert_per_second: millions(counts.vertices),
            mtri_per_second: millions(counts.triangles),
            host_milliseconds: measured.host_milliseconds,
            guest_memory_bytes: measured.guest_memory_bytes,
            draws: counts.draws,
            frames: counts.frames,
            samples: measured.samples,
            stages: measured.stages.iter().map(stage).collect(),
        }
    }

    /// The line of the table with the head [`Report::HEAD`](super::Report::HEAD), then one line per stage.
    #[must_use]
    pub fn lines(&self) -> String {
        let Spread { median, min, max } = self.frames_per_second;
        let mut text = format!(
            "{:<18}{median:>10.2}{min:>10.2}{max:>10.2}{:>11.3}{:>11.3}{:>10.4}{:>10.4}\n",
            self.name, self.mpix_per_second, self.mtexel_per_second, self.mvert_per_second, self.mtri_per_second
        );
        if self.stages.is_empty() {
            return text;
        }
        let frame = 1000.0 / median;
        let on_device: f64 = self.stages.iter().map(|stage| stage.milliseconds).sum();
        let rest = ("not in a kernel", frame - on_device, String::new());
        let per_draw = 1000.0 * self.host_milliseconds / self.draws.max(1.0);
        let host = ("the host, beside it", self.host_milliseconds, format!("{per_draw:>9.1} µs per draw"));
        let stages = self.stages.iter().map(|stage| {
            let passes = format!("{:>9.1} passes", stage.passes);
            (stage.name.as_str(), stage.milliseconds, passes)
        });
        for (name, milliseconds, note) in stages.chain([rest, host]) {
            let share = 100.0 * milliseconds / frame;
            text += &format!("  {name:<22}{milliseconds:>10.3} ms{share:>7.1} %{note}\n");
        }
        text
    }
}
