//! Submits recordings to the device, and reads back what they wrote.

use std::sync::Arc;

use super::recording::{Finished, Recording};
use super::stage_clock::HostWork;
use super::{DeviceError, Gpu};

/// Submissions that may be in flight; more would only use memory.
const MAX_IN_FLIGHT: usize = 4;

/// The most bytes read back at once.
const READ_BACK_BYTES: usize = 16 << 20;

impl Gpu {
    /// Starts a recording of dispatches.
    #[must_use]
    pub fn record(&self) -> Recording {
        Recording::new(Arc::clone(&self.shared), self.clock.clone())
    }

    /// Submits a recording; waits while too many submissions are in flight.
    ///
    /// # Errors
    /// When the device reports an error.
    pub fn submit(&self, recording: Recording) -> Result<(), DeviceError> {
        self.submit_before(recording, None)
    }

    /// Submits a recording; the next one may bind blocks of it that are held.
    fn submit_before(&self, recording: Recording, next: Option<&mut Recording>) -> Result<(), DeviceError> {
        let Finished { commands, chunks, times } = recording.finish();
        let put_back = |chunks| {
            let free = match next {
                Some(next) => next.keep_held(chunks),
                None => chunks,
            };
            self.shared.pool.lock().expect("no holder panics").put_back(free);
        };
        let Some(commands) = commands else {
            put_back(chunks);
            return self.check();
        };
        let span = self.begin_span();
        if let Some(compilers) = &self.compilers {
            compilers.compile(self)?;
        }
        for chunk in &chunks {
            self.queue.write_buffer(&chunk.buffer, 0, &chunk.staged);
        }
        let submitted = self.queue.submit([commands]);
        put_back(chunks);
        *self.last_submission.lock().expect("no holder panics") = Some(submitted.clone());
        self.in_flight.lock().expect("no holder panics").push_back(submitted);
        self.keep(&self.in_flight, MAX_IN_FLIGHT)?;
        if let Some((clock, begin)) = span {
            if let Some(times) = times.filter(|times| !times.is_empty()) {
                self.wait()?;
                let period = self.queue.get_timestamp_period();
                times.read(clock, period, |buffer, bytes| self.download(buffer, 0, bytes))?;
            }
            clock.add_span(HostWork::Submission, begin);
        }
        self.check()
    }

    /// Submits the recorded commands and starts a new recording.
    ///
    /// # Errors
    /// When the device reports an error.
    pub fn flush(&self, recording: &mut Recording) -> Result<(), DeviceError> {
        let submitted = std::mem::replace(recording, self.record());
        self.submit_before(submitted, Some(recording))
    }

    /// Waits for all submitted work and reads bytes back; offset and length are multiples of 4.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, buffer: &wgpu::Buffer, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.read_back(&mut self.record(), buffer, offset, bytes)
    }

    /// Submits the recorded commands, waits for them and reads bytes back; offset and length are multiples of 4.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read_back(
        &self,
        recording: &mut Recording,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let span = self.begin_span();
        for (number, bytes) in (0..).zip(bytes.chunks_mut(READ_BACK_BYTES)) {
            let size = bytes.len() as u64;
            let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("readback"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            recording.copy((buffer, offset + number * READ_BACK_BYTES as u64), (&staging, 0), size);
            self.flush(recording)?;
            let (sender, receiver) = futures_intrusive::channel::shared::oneshot_channel();
            staging.map_async(wgpu::MapMode::Read, .., move |result| {
                // The receiver outlives the poll below, so the send cannot fail.
                let _ = sender.send(result);
            });
            self.wait()?;
            pollster::block_on(receiver.receive())
                .ok_or_else(|| DeviceError::Driver("readback was dropped".to_owned()))?
                .map_err(|error| DeviceError::Driver(error.to_string()))?;
            let view = staging.get_mapped_range(..).map_err(|error| DeviceError::Driver(error.to_string()))?;
            bytes.copy_from_slice(&view);
        }
        if let Some((clock, begin)) = span {
            clock.add_span(HostWork::Readback, begin);
        }
        Ok(())
    }

    /// Runs a kernel once over words: uploads each binding, dispatches, and reads every binding back.
    ///
    /// For tests and small jobs; `bindings` are (binding number, words).
    ///
    /// # Errors
    /// When the kernel is not valid or the device fails.
    pub fn run(
        &self,
        label: &str,
        source: &str,
        bindings: &mut [(u32, &mut Vec<u32>)],
        workgroups: [u32; 3],
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel(label, source)?;
        let mut buffers = Vec::new();
        for (binding, words) in bindings.iter() {
            let buffer = self.buffer(label, words.len() as u64 * 4)?;
            self.upload(&buffer, 0, bytemuck::cast_slice(words));
            buffers.push((*binding, buffer));
        }
        let bound: Vec<_> = buffers.iter().map(|(binding, buffer)| (*binding, buffer)).collect();
        let mut recording = self.record();
        recording.dispatch(&kernel, &bound, workgroups);
        self.submit(recording)?;
        for ((_, words), (_, buffer)) in bindings.iter_mut().zip(&buffers) {
            self.download(buffer, 0, bytemuck::cast_slice_mut(words))?;
        }
        Ok(())
    }
}
