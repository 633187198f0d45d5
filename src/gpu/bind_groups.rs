//! Caches bind groups by kernel, buffers and images.

use std::collections::HashMap;

use super::Kernel;
use super::arena::{Bindings, Bound};

/// The most bind groups that are kept.
const GROUP_LIMIT: usize = 1024;

/// A kernel's number and its resources.
type Key = (u64, Vec<Resource>);

/// A bound resource: a buffer, first byte and size; or an image.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Resource {
    Buffer(wgpu::Buffer, u64, u64),
    Image(wgpu::TextureView),
}

/// Bind groups by kernel and buffers. Each dispatch supplies the offsets of blocks in their buffers, so that
/// groups with blocks repeat.
#[derive(Debug, Default)]
pub(super) struct BindGroups {
    groups: HashMap<Key, wgpu::BindGroup>,
}

impl BindGroups {
    /// Drops all groups, so that they keep no buffer alive.
    pub(super) fn clear(&mut self) {
        self.groups.clear();
    }

    /// The group of a kernel over these buffers; `offsets` receives the offsets of its moving bindings.
    pub(super) fn find<'b>(
        &mut self,
        device: &wgpu::Device,
        kernel: &Kernel,
        bindings: &(impl Bindings<'b> + ?Sized),
        offsets: &mut Vec<u32>,
    ) -> wgpu::BindGroup {
        let mut key = Vec::with_capacity(kernel.bindings.len());
        let mut entries = Vec::with_capacity(kernel.bindings.len());
        for (&binding, &moves) in kernel.bindings.iter().zip(&kernel.moving) {
            // Without a declared binding the group is invalid, which the device reports.
            let Some(bound) = bindings.bound(binding) else { continue };
            let (buffer, offset, bytes) = match bound {
                Bound::Buffer { buffer, offset, bytes } => (buffer, offset, bytes),
                Bound::Image(view) => {
                    key.push(Resource::Image(view.clone()));
                    entries.push((binding, wgpu::BindingResource::TextureView(view)));
                    continue;
                }
            };
            let fixed = if moves { 0 } else { offset };
            if moves {
                offsets.push(u32::try_from(offset).expect("blocks lie in buffers of a few megabytes"));
            }
            key.push(Resource::Buffer(buffer.clone(), fixed, bytes));
            let size = std::num::NonZeroU64::new(bytes);
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: fixed, size });
            entries.push((binding, resource));
        }
        let key = (kernel.number, key);
        if let Some(group) = self.groups.get(&key) {
            return group.clone();
        }
        let entries: Vec<_> =
            entries.into_iter().map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&kernel.label),
            layout: &kernel.layout,
            entries: &entries,
        });
        if self.groups.len() >= GROUP_LIMIT {
            self.groups.clear();
        }
        self.groups.insert(key, group.clone());
        group
    }
}
