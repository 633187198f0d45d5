//! stub
#[derive(Debug, thiserror::Error)] #[error("x")] pub struct SelfTestError;
pub fn self_test(_g: &crate::gpu::Gpu) -> Result<(), SelfTestError> { Ok(()) }
