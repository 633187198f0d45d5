//! The kernels engine: work becomes compute dispatches over guest memory that lives on the device.

pub mod merge_pixels;
pub mod texture_parameters;
pub mod transfer;

/// A window of guest memory as a range of the device's heap, cut off where memory ends.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct HeapWindow {
    /// First byte in the heap.
    pub start: u32,
    /// How many bytes may be touched.
    pub bytes: u32,
}
