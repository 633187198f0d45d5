//! Measures how long kernels run on the device, by name, with timestamps around their passes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Queries of one set, the most that every device supports: a beginning and an end per pass.
const QUERIES: u32 = wgpu::QUERY_SET_MAX_QUERIES;

/// The time of one kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageTime {
    /// Nanoseconds on the device, over all passes.
    pub nanoseconds: f64,
    /// Passes.
    pub passes: u64,
}

/// Adds up the time of each kernel while it is running; shared by the measuring device and its users.
#[derive(Debug, Default)]
pub struct StageClock {
    is_running: AtomicBool,
    times: Mutex<BTreeMap<String, StageTime>>,
}

impl StageClock {
    /// Starts from zero: passes recorded from now on are timed, and each submission waits for its times.
    pub fn start(&self) {
        self.times.lock().expect("no holder panics").clear();
        self.is_running.store(true, Ordering::Relaxed);
    }

    /// Stops, and returns the times since the start by kernel name.
    #[must_use]
    pub fn stop(&self) -> BTreeMap<String, StageTime> {
        self.is_running.store(false, Ordering::Relaxed);
        std::mem::take(&mut self.times.lock().expect("no holder panics"))
    }

    pub(super) fn is_running(&self) -> bool {
        self.is_running.load(Ordering::Relaxed)
    }

    /// Adds the passes of one query set; `ticks` are pairs of timestamps, `period` nanoseconds per tick.
    fn add(&self, labels: &[String], ticks: &[[u64; 2]], period: f32) {
        let mut times = self.times.lock().expect("no holder panics");
        for (label, [begin, end]) in labels.iter().zip(ticks) {
            let time = times.entry(label.clone()).or_default();
            // Clocks of some devices step back between passes; negative times count as zero.
            time.nanoseconds += end.saturating_sub(*begin) as f64 * f64::from(period);
            time.passes += 1;
        }
    }
}

/// The timestamps of one recording.
#[derive(Debug, Default)]
pub(super) struct PassTimes {
    /// Query sets with the kernels of their passes, two queries each.
    sets: Vec<(wgpu::QuerySet, Vec<String>)>,
    resolved: Vec<wgpu::Buffer>,
}

impl PassTimes {
    /// The set and the first of the two queries of the next pass.
    pub(super) fn next(&mut self, device: &wgpu::Device, label: &str) -> (wgpu::QuerySet, u32) {
        let is_full = self.sets.last().is_none_or(|(_, labels)| labels.len() as u64 * 2 == u64::from(QUERIES));
        if is_full {
            let descriptor =
                wgpu::QuerySetDescriptor { label: Some("passes"), ty: wgpu::QueryType::Timestamp, count: QUERIES };
            self.sets.push((device.create_query_set(&descriptor), Vec::new()));
        }
        let (set, labels) = self.sets.last_mut().expect("one was just made where there was none");
        labels.push(label.to_owned());
        let first = u32::try_from(labels.len() * 2 - 2).expect("a set has few queries");
        (set.clone(), first)
    }

    /// Records the transfer of timestamps to buffers.
    pub(super) fn resolve(&mut self, device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder) {
        for (set, labels) in &self.sets {
            let size = labels.len() as u64 * 16;
            let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
            let descriptor =
                wgpu::BufferDescriptor { label: Some("timestamps"), size, usage, mapped_at_creation: false };
            let buffer = device.create_buffer(&descriptor);
            let queries = u32::try_from(labels.len() * 2).expect("a set has few queries");
            encoder.resolve_query_set(set, 0..queries, &buffer, 0);
            self.resolved.push(buffer);
        }
    }

    /// Reads the times with `download` and adds them to a clock.
    pub(super) fn read<E>(
        &self,
        clock: &StageClock,
        period: f32,
        mut download: impl FnMut(&wgpu::Buffer, &mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for ((_, labels), buffer) in self.sets.iter().zip(&self.resolved) {
            let mut ticks = vec![[0u64; 2]; labels.len()];
            download(buffer, bytemuck::cast_slice_mut(&mut ticks))?;
            clock.add(labels, &ticks, period);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_of_a_kernel_add_up() {
        let clock = StageClock::default();
        clock.start();
        let labels = ["shade", "merge", "shade"].map(str::to_owned);
        clock.add(&labels, &[[10, 30], [30, 31], [50, 40]], 2.0);
        let times = clock.stop();
        assert_eq!(times["shade"], StageTime { nanoseconds: 40.0, passes: 2 });
        assert_eq!(times["merge"], StageTime { nanoseconds: 2.0, passes: 1 });
        assert!(clock.stop().is_empty());
    }
}
