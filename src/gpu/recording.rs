//! A list of dispatches and copies that is submitted at once.

use super::Kernel;
use super::stage_clock::PassTimes;

/// Records dispatches in order; each sees the writes of those before it.
#[derive(Debug)]
pub struct Recording {
    device: wgpu::Device,
    encoder: wgpu::CommandEncoder,
    /// Timestamps around passes, where somebody wants them.
    times: Option<PassTimes>,
}

impl Recording {
    pub(super) fn new(device: &wgpu::Device, is_timed: bool) -> Self {
        Self {
            device: device.clone(),
            encoder: device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
            times: is_timed.then(PassTimes::default),
        }
    }

    /// Dispatches a kernel over `workgroups`; nothing happens when one of them is 0.
    ///
    /// `bindings` are (binding number, buffer); those that the kernel does not declare are left out.
    pub fn dispatch(&mut self, kernel: &Kernel, bindings: &[(u32, &wgpu::Buffer)], workgroups: [u32; 3]) {
        if workgroups.contains(&0) {
            return;
        }
        let group = self.bind(kernel, bindings);
        let mut pass = self.begin_pass(kernel);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(workgroups[0], workgroups[1], workgroups[2]);
    }

    /// Dispatches a kernel over the workgroup counts that three words at `offset` of a buffer hold.
    pub fn dispatch_indirect(
        &mut self,
        kernel: &Kernel,
        bindings: &[(u32, &wgpu::Buffer)],
        counts: &wgpu::Buffer,
        offset: u64,
    ) {
        let group = self.bind(kernel, bindings);
        let mut pass = self.begin_pass(kernel);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups_indirect(counts, offset);
    }

    /// Copies bytes between buffers; offsets and size are multiples of 4.
    pub fn copy(&mut self, source: (&wgpu::Buffer, u64), destination: (&wgpu::Buffer, u64), bytes: u64) {
        if bytes > 0 {
            self.encoder.copy_buffer_to_buffer(source.0, source.1, destination.0, destination.1, bytes);
        }
    }

    /// Fills bytes of a buffer with zero; offset and size are multiples of 4.
    pub fn clear(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: u64) {
        if bytes > 0 {
            self.encoder.clear_buffer(buffer, offset, Some(bytes));
        }
    }

    /// Starts the pass of one kernel; with times wanted, each kernel has a pass of its own.
    fn begin_pass(&mut self, kernel: &Kernel) -> wgpu::ComputePass<'_> {
        let times = self.times.as_mut().map(|times| times.next(&self.device, &kernel.label));
        let timestamp_writes = times.as_ref().map(|(query_set, first)| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(*first),
            end_of_pass_write_index: Some(first + 1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: Some(&kernel.label), timestamp_writes };
        let mut pass = self.encoder.begin_compute_pass(&descriptor);
        pass.set_pipeline(&kernel.pipeline);
        pass
    }

    fn bind(&self, kernel: &Kernel, bindings: &[(u32, &wgpu::Buffer)]) -> wgpu::BindGroup {
        let entries: Vec<_> = bindings
            .iter()
            .filter(|(binding, _)| kernel.bindings.contains(binding))
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&kernel.label),
            layout: &kernel.layout,
            entries: &entries,
        })
    }

    /// The commands, and the times to read once they are done.
    pub(super) fn finish(mut self) -> (wgpu::CommandBuffer, Option<PassTimes>) {
        if let Some(times) = &mut self.times {
            times.resolve(&self.device, &mut self.encoder);
        }
        (self.encoder.finish(), self.times)
    }
}
