//! A list of dispatches and copies that is submitted at once.

use super::Kernel;

/// Records dispatches in order; each sees the writes of those before it.
#[derive(Debug)]
pub struct Recording {
    device: wgpu::Device,
    encoder: wgpu::CommandEncoder,
}

impl Recording {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        Self {
            device: device.clone(),
            encoder: device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()),
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
        let mut pass = self
            .encoder
            .begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(&kernel.label), ..Default::default() });
        pass.set_pipeline(&kernel.pipeline);
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
        let mut pass = self
            .encoder
            .begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(&kernel.label), ..Default::default() });
        pass.set_pipeline(&kernel.pipeline);
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

    pub(super) fn finish(self) -> wgpu::CommandBuffer {
        self.encoder.finish()
    }
}
