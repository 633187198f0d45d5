//! stub
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ShadeParameters { pub zero: [u32;4] }
impl ShadeParameters { pub fn new(_d: &crate::work::Draw, _h: &dyn Fn(crate::memory::MemoryWindow)->super::HeapWindow) -> Self { Self::default() } }
