//! Draws a picture and the overlay to a window: the window, a device that can draw to it, and the one render pass.

use std::sync::Arc;

use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowAttributes};

use super::control::Command;
use super::error::{ViewError, without_place};
use super::machine::Shown;
use super::overlay::{Detail, Overlay, Status};
use super::screen::Screen;
use super::show::Show;
use super::zoom::Placement;
use crate::gpu::{self, AdapterChoice, Gpu};

/// A window and what draws to it.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) window: Arc<Window>,
    pub(super) gpu: Gpu,
    pub(super) screen: Screen,
    pub(super) overlay: Overlay,
    show: Show,
}

/// What came of drawing.
#[derive(Debug)]
pub(super) struct Drawn {
    /// The commands of clicked buttons.
    pub(super) clicked: Vec<Command>,
    /// Whether the overlay is animated.
    pub(super) is_moving: bool,
}

impl Canvas {
    /// Opens a window and a device that can draw to it.
    pub(super) fn open(
        event_loop: &ActiveEventLoop,
        attributes: WindowAttributes,
        adapter: &AdapterChoice,
        detail: Detail,
    ) -> Result<Self, ViewError> {
        let window =
            event_loop.create_window(attributes).map_err(|error| ViewError::NoDisplay(without_place(&error)))?;
        let window = Arc::new(window);
        let display = Box::new(event_loop.owned_display_handle());
        let instance = gpu::instance(wgpu::InstanceDescriptor::new_with_display_handle(display));
        let surface =
            instance.create_surface(Arc::clone(&window)).map_err(|error| ViewError::Surface(without_place(&error)))?;
        let (gpu, adapter) = Gpu::open_for(adapter, &instance, &surface)?;
        let gpu = gpu.compiling_on_all_cores();
        let screen = Screen::new(&gpu, (instance, &adapter), surface, Arc::clone(&window))?;
        let show = Show::new(&gpu, screen.format())?;
        let overlay = Overlay::new(&gpu, &window, screen.format(), detail);
        Ok(Self { window, gpu, screen, overlay, show })
    }

    /// Draws the window; `None` if it cannot be drawn now.
    pub(super) fn draw(
        &mut self,
        shown: Option<&Shown>,
        place: impl FnOnce((u32, u32)) -> Placement,
        is_flipped: bool,
        status: &Status,
    ) -> Result<Option<Drawn>, ViewError> {
        let gpu = &self.gpu;
        let Some(texture) = self.screen.next_texture(gpu)? else { return Ok(None) };
        let size = self.screen.size();
        let picture = self.show.prepare(gpu, shown, place(size), is_flipped);
        let mut overlay = self.overlay.prepare(gpu, &self.window, status, size);

        let target = texture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder
            .begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("window"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &target,
                    depth_slice: None,
                    resolve_target: None,
                    // Every pixel is drawn.
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..Default::default()
            })
            .forget_lifetime();
        self.show.draw(&mut pass, &picture);
        self.overlay.draw(&mut pass, &overlay);
        drop(pass);
        let commands = std::mem::take(&mut overlay.commands);
        gpu.queue().submit(commands.into_iter().chain([encoder.finish()]));
        self.window.pre_present_notify();
        gpu.queue().present(texture);
        gpu.check()?;
        Ok(Some(Drawn { clicked: overlay.clicked, is_moving: overlay.is_moving }))
    }
}
