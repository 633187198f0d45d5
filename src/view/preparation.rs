//! Compiles the kernels of a stream's first frame before it is played, so that the window answers meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::control::Progress;
use super::stream::{Piece, Stream};
use crate::capture::Capture;
use crate::gpu::Gpu;
use crate::kernels::KernelOptions;
use crate::machine::Family;
use crate::replay::rehearse_steps;

/// The time after which the rehearsal checks whether to stop.
const SLICE: Duration = Duration::from_millis(10);

/// A rehearsal of a first frame on a thread of its own, and the compilation of what it finds.
#[derive(Debug)]
pub struct Preparation {
    gpu: Gpu,
    is_over: Arc<AtomicBool>,
    rehearsal: Option<JoinHandle<()>>,
    /// The kernels that were compiled before.
    done_before: usize,
}

impl Preparation {
    /// Starts to prepare a capture for this device; `None` if its driver has no use for that.
    pub fn start(gpu: &Gpu, options: KernelOptions, capture: &Capture, family: &'static Family) -> Option<Self> {
        let (done_before, _) = gpu.compiled()?;
        let idle = gpu.rehearsal()?;
        gpu.compile_ahead();
        let is_over = Arc::new(AtomicBool::new(false));
        let (mut stream, is_stopped) = (Stream::new(capture.clone(), family), Arc::clone(&is_over));
        let rehearsal = std::thread::spawn(move || {
            // Whatever fails here fails in earnest as well.
            let _ = rehearse_steps(idle, options, stream.memory_sizes(), &is_stopped, |engine| {
                Ok(stream.advance(engine, Piece::Frame, Instant::now() + SLICE)? == Progress::Unfinished)
            });
        });
        Some(Self { gpu: gpu.clone(), is_over, rehearsal: Some(rehearsal), done_before })
    }

    /// How many kernels are compiled and how many are known; `None` once it is over, as it is at once if the driver has the
    /// kernels on disk.
    #[must_use]
    pub fn progress(&self) -> Option<(usize, usize)> {
        let (done, known) = self.gpu.compiled()?;
        let are_on_disk = done > self.done_before && !self.gpu.compiles_slowly();
        let are_known = self.rehearsal.as_ref().is_none_or(JoinHandle::is_finished);
        let is_over = are_on_disk || are_known && done == known;
        (!is_over).then_some((done, known))
    }
}

impl Drop for Preparation {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(rehearsal) = self.rehearsal.take() {
            // A thread that panicked has printed why.
            let _ = rehearsal.join();
        }
        self.gpu.forget_rehearsed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;
    use crate::kernels::Kernels;
    use crate::pipeline::Engine as _;

    #[test]
    fn a_prepared_frame_needs_no_further_kernels() {
        let gpu = match Gpu::open(&AdapterChoice::Best) {
            Ok(gpu) => gpu.compiling_on_all_cores(),
            Err(error) if std::env::var_os("CURIE_REQUIRE_ADAPTER").is_some() => {
                panic!("an adapter is required: {error}")
            }
            Err(error) => {
                eprintln!("SKIPPED, no adapter: {error}");
                return;
            }
        };
        let capture = Capture::open("scenes/captures/cube.nvcap").unwrap();
        let family = Family::of_chipset(capture.header.chipset).unwrap();
        let options = KernelOptions::default();
        let Some(preparation) = Preparation::start(&gpu, options, &capture, family) else {
            assert!(gpu.compiled().is_none(), "this driver compiles in time");
            return;
        };
        while preparation.progress().is_some() {
            std::thread::sleep(SLICE);
        }
        drop(preparation);
        let (done, known) = gpu.compiled().unwrap();
        assert!(done > 0);
        let mut stream = Stream::new(capture, family);
        let (vram, gart) = stream.memory_sizes();
        let mut engine = Kernels::new(gpu.clone(), options, vram, gart).unwrap();
        let deadline = Instant::now() + Duration::from_secs(600);
        assert_ne!(stream.advance(&mut engine, Piece::Frame, deadline).unwrap(), Progress::Unfinished);
        engine.finish().unwrap();
        // Kernels on disk are left to the device.
        if gpu.compiles_slowly() && done == known {
            assert_eq!(gpu.compiled(), Some((done, known)));
        }
    }
}
