//! Manages the surface of a window: configures it when it changes and replaces it when it is lost.

use std::sync::Arc;

use winit::window::Window;

use super::error::{ViewError, without_place};
use crate::gpu::Gpu;

/// A window's surface.
#[derive(Debug)]
pub(super) struct Screen {
    instance: wgpu::Instance,
    surface: wgpu::Surface<'static>,
    window: Arc<Window>,
    configuration: wgpu::SurfaceConfiguration,
    /// The largest side that the device can draw to.
    limit: u32,
    /// Whether the surface no longer has the window's size, or the window has none.
    is_stale: bool,
}

impl Screen {
    /// Configures a surface of this window for a device.
    ///
    /// # Errors
    /// When the device cannot draw to it.
    pub(super) fn new(
        gpu: &Gpu,
        (instance, adapter): (wgpu::Instance, &wgpu::Adapter),
        surface: wgpu::Surface<'static>,
        window: Arc<Window>,
    ) -> Result<Self, ViewError> {
        let capabilities = surface.get_capabilities(adapter);
        let formats = &capabilities.formats;
        // Pictures hold bytes that are shown unchanged. If only an sRGB format exists, the pass decodes them
        // first.
        let plain = formats
            .iter()
            .find(|format| matches!(format, wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm));
        let format = plain.or_else(|| formats.iter().find(|format| format.is_srgb())).or(formats.first());
        let Some(&format) = format else {
            let adapter = gpu.summary().name.clone();
            return Err(ViewError::Surface(format!("'{adapter}' cannot draw to any format of the window")));
        };
        let configuration = wgpu::SurfaceConfiguration {
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            format,
            color_space: wgpu::SurfaceColorSpace::Auto,
            width: 1,
            height: 1,
            present_mode: wgpu::PresentMode::AutoVsync,
            desired_maximum_frame_latency: 2,
            alpha_mode: wgpu::CompositeAlphaMode::Auto,
            view_formats: Vec::new(),
        };
        let limit = gpu.device().limits().max_texture_dimension_2d;
        let mut screen = Self { instance, surface, window, configuration, limit, is_stale: true };
        screen.configure(gpu);
        Ok(screen)
    }

    /// The format of its pixels.
    #[must_use]
    pub(super) const fn format(&self) -> wgpu::TextureFormat {
        self.configuration.format
    }

    /// Columns and rows.
    #[must_use]
    pub(super) const fn size(&self) -> (u32, u32) {
        (self.configuration.width, self.configuration.height)
    }

    /// Records that the window has another size.
    pub(super) const fn resize(&mut self) {
        self.is_stale = true;
    }

    /// Gives the surface the window's size; returns false while the window has none, as when minimized.
    fn configure(&mut self, gpu: &Gpu) -> bool {
        let size = self.window.inner_size();
        self.is_stale = size.width == 0 || size.height == 0;
        if self.is_stale {
            return false;
        }
        self.configuration.width = size.width.min(self.limit);
        self.configuration.height = size.height.min(self.limit);
        self.surface.configure(gpu.device(), &self.configuration);
        true
    }

    /// The texture for the next picture; `None` if there is none now.
    ///
    /// # Errors
    /// When the surface is lost and cannot be replaced.
    pub(super) fn next_texture(&mut self, gpu: &Gpu) -> Result<Option<wgpu::SurfaceTexture>, ViewError> {
        if self.is_stale && !self.configure(gpu) {
            return Ok(None);
        }
        // A surface that keeps changing, as while a window is enlarged by dragging, waits for the next picture.
        for _ in 0..3 {
            match self.surface.get_current_texture() {
                wgpu::CurrentSurfaceTexture::Success(texture) => return Ok(Some(texture)),
                wgpu::CurrentSurfaceTexture::Suboptimal(texture) => {
                    self.is_stale = true;
                    return Ok(Some(texture));
                }
                wgpu::CurrentSurfaceTexture::Timeout | wgpu::CurrentSurfaceTexture::Occluded => return Ok(None),
                wgpu::CurrentSurfaceTexture::Lost => {
                    let surface = self.instance.create_surface(Arc::clone(&self.window));
                    self.surface = surface.map_err(|error| ViewError::Surface(without_place(&error)))?;
                }
                wgpu::CurrentSurfaceTexture::Outdated | wgpu::CurrentSurfaceTexture::Validation => {}
            }
            if !self.configure(gpu) {
                return Ok(None);
            }
        }
        Ok(None)
    }
}
