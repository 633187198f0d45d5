//! The overlay: stream, speed, counters, buttons, keys.

use egui::{Align2, Color32, RichText, Ui, Vec2};
use winit::event::WindowEvent;
use winit::window::Window;

use super::control::Command;
use crate::gpu::Gpu;

/// How much of the overlay is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Only errors.
    Hidden,
    /// The stream and its speed.
    Status,
    /// The status and the keys.
    Keys,
}

impl Detail {
    /// The next level.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Hidden => Self::Status,
            Self::Status => Self::Keys,
            Self::Keys => Self::Hidden,
        }
    }
}

/// The keys and what they do; the README lists the same.
pub const KEYS: [(&str, &str); 15] = [
    ("Space", "play, pause; at the end: from the start"),
    ("N", "next frame"),
    ("D", "next draw or clear"),
    ("P", "previous frame"),
    ("B", "back to the previous draw or clear"),
    ("R", "restart"),
    ("L", "loop"),
    ("[ ]", "half, double speed"),
    ("F  1", "fit the window; pixel for pixel"),
    ("+ -", "larger, smaller; also the wheel, and drag to move"),
    ("C", "next surface: colors, depth, stencil"),
    ("V", "flip: last row first"),
    ("S", "save the picture as PNG"),
    ("H", "this overlay: status, keys, hidden"),
    ("Esc", "quit"),
];

/// The keys of a program's window; all others are the program's.
pub const PROGRAM_KEYS: [(&str, &str); 2] =
    [("F12", "this overlay: status, keys, hidden"), ("Ctrl Alt", "takes the pointer from the program until a click")];

/// What the overlay controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Controls {
    /// A stream: buttons and keys play it, files can be dropped.
    #[default]
    Stream,
    /// Nothing: the window is a program's.
    Program,
}

impl Controls {
    /// The keys and what they do.
    const fn keys(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Stream => &KEYS,
            Self::Program => &PROGRAM_KEYS,
        }
    }

    /// The line that names the key of this overlay.
    const fn hint(self) -> &'static str {
        match self {
            Self::Stream => "H: keys",
            Self::Program => "F12: keys",
        }
    }
}

/// The contents of the overlay.
#[derive(Debug, Clone, Default)]
pub struct Status {
    /// The stream and its engine.
    pub title: String,
    /// The position in the stream.
    pub place: String,
    /// The speed.
    pub speed: String,
    /// The picture.
    pub picture: String,
    /// The work of the last frame.
    pub counters: String,
    /// The last event, such as a saved picture.
    pub note: Option<String>,
    /// Errors.
    pub errors: Vec<String>,
    /// Whether a file hovers over the window.
    pub is_hovered: bool,
    /// Whether the stream plays, which the button shows.
    pub is_playing: bool,
    /// Whether there is no stream.
    pub is_empty: bool,
    /// What the overlay controls.
    pub controls: Controls,
}

/// Triangles of the overlay, ready to be drawn.
pub struct Prepared {
    triangles: Vec<egui::ClippedPrimitive>,
    screen: egui_wgpu::ScreenDescriptor,
    unused: Vec<egui::TextureId>,
    /// Submissions that precede the pass.
    pub commands: Vec<wgpu::CommandBuffer>,
    /// The commands of clicked buttons.
    pub clicked: Vec<Command>,
    /// Whether the overlay is animated.
    pub is_moving: bool,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Prepared").field("clicked", &self.clicked).finish_non_exhaustive()
    }
}

/// The overlay's state.
pub struct Overlay {
    context: egui::Context,
    input: egui_winit::State,
    renderer: egui_wgpu::Renderer,
    /// How much of the overlay is shown.
    pub detail: Detail,
}

impl std::fmt::Debug for Overlay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Overlay").field("detail", &self.detail).finish_non_exhaustive()
    }
}

impl Overlay {
    /// Creates the overlay of a window whose pixels have this format.
    #[must_use]
    pub fn new(gpu: &Gpu, window: &Window, format: wgpu::TextureFormat, detail: Detail) -> Self {
        let context = egui::Context::default();
        context.set_visuals(egui::Visuals::dark());
        let side = gpu.device().limits().max_texture_dimension_2d as usize;
        let input = egui_winit::State::new(context.clone(), egui::ViewportId::ROOT, window, None, None, Some(side));
        let renderer = egui_wgpu::Renderer::new(gpu.device(), format, egui_wgpu::RendererOptions::PREDICTABLE);
        Self { context, input, renderer, detail }
    }

    /// Handles an event of the pointer or the window; returns true if only the overlay should handle it. Sets
    /// `asks` if the overlay wants a redraw.
    pub fn take(&mut self, window: &Window, event: &WindowEvent, asks: &mut bool) -> bool {
        let is_concerned = matches!(
            event,
            WindowEvent::CursorMoved { .. }
                | WindowEvent::CursorLeft { .. }
                | WindowEvent::MouseInput { .. }
                | WindowEvent::MouseWheel { .. }
                | WindowEvent::ScaleFactorChanged { .. }
                | WindowEvent::Focused(_)
        );
        if !is_concerned {
            return false;
        }
        let response = self.input.on_window_event(window, event);
        *asks |= response.repaint;
        response.consumed || self.context.is_pointer_over_egui()
    }

    /// Lays the overlay out.
    pub fn prepare(&mut self, gpu: &Gpu, window: &Window, status: &Status, size: (u32, u32)) -> Prepared {
        let input = self.input.take_egui_input(window);
        let detail = self.detail;
        let mut clicked = Vec::new();
        let mut output = self.context.run_pass(input, |context| {
            clicked.clear();
            panel(context, status, detail, &mut clicked);
            center_message(context, status);
        });
        self.input.handle_platform_output(window, output.platform_output);
        let (device, queue) = (gpu.device(), gpu.queue());
        for (texture, changes) in &output.textures_delta.set {
            for change in changes {
                self.renderer.update_texture(device, queue, *texture, change);
            }
        }
        let unused = output.textures_delta.free.iter().copied().collect();
        output.textures_delta.clear();
        let triangles = self.context.tessellate(output.shapes, output.pixels_per_point);
        let screen =
            egui_wgpu::ScreenDescriptor { size_in_pixels: [size.0, size.1], pixels_per_point: output.pixels_per_point };
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut commands = self.renderer.update_buffers(device, queue, &mut encoder, &triangles, &screen);
        commands.push(encoder.finish());
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|viewport| viewport.repaint_delay);
        Prepared { triangles, screen, unused, commands, clicked, is_moving: delay.is_some_and(|delay| delay.is_zero()) }
    }

    /// Draws the prepared overlay.
    pub fn draw(&mut self, pass: &mut wgpu::RenderPass<'static>, prepared: &Prepared) {
        self.renderer.render(pass, &prepared.triangles, &prepared.screen);
        for texture in &prepared.unused {
            self.renderer.free_texture(texture);
        }
    }
}

/// The panel in the corner.
fn panel(context: &egui::Context, status: &Status, detail: Detail, clicked: &mut Vec<Command>) {
    if detail == Detail::Hidden && status.errors.is_empty() && status.note.is_none() {
        return;
    }
    let frame = egui::Frame::new().fill(Color32::from_black_alpha(200)).corner_radius(4).inner_margin(8);
    egui::Area::new(egui::Id::unique("status")).fixed_pos([8.0, 8.0]).show(context, |ui| {
        frame.show(ui, |ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            if detail != Detail::Hidden {
                lines(ui, status);
                if !status.is_empty && status.controls == Controls::Stream {
                    buttons(ui, status, clicked);
                }
            }
            let width = ui.available_width().min(640.0);
            ui.scope(|ui| {
                ui.set_max_width(width);
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Wrap);
                for error in &status.errors {
                    ui.label(RichText::new(error).color(Color32::from_rgb(255, 120, 100)));
                }
            });
            if let Some(note) = &status.note {
                ui.label(RichText::new(note).color(Color32::from_rgb(150, 220, 150)));
            }
            match detail {
                Detail::Keys => keys(ui, status.controls),
                Detail::Status => {
                    ui.label(RichText::new(status.controls.hint()).weak().small());
                }
                Detail::Hidden => {}
            }
        });
    });
}

fn lines(ui: &mut Ui, status: &Status) {
    ui.label(RichText::new(&status.title).strong());
    for line in [&status.place, &status.speed, &status.picture, &status.counters] {
        if !line.is_empty() {
            ui.label(RichText::new(line).monospace().color(Color32::from_gray(215)));
        }
    }
}

fn buttons(ui: &mut Ui, status: &Status, clicked: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let play = if status.is_playing { "pause" } else { "play" };
        let buttons = [
            (play, Command::TogglePlay),
            ("frame", Command::StepFrame),
            ("draw", Command::StepDraw),
            ("frame back", Command::BackFrame),
            ("draw back", Command::BackDraw),
            ("restart", Command::Restart),
            ("slower", Command::Slower),
            ("faster", Command::Faster),
        ];
        for (text, command) in buttons {
            if ui.small_button(text).clicked() {
                clicked.push(command);
            }
        }
    });
}

fn keys(ui: &mut Ui, controls: Controls) {
    ui.separator();
    egui::Grid::new("keys").num_columns(2).spacing([12.0, 2.0]).show(ui, |ui| {
        for &(key, meaning) in controls.keys() {
            ui.label(RichText::new(key).monospace().strong());
            ui.label(meaning);
            ui.end_row();
        }
    });
}

/// The message in the middle: files can be dropped here.
fn center_message(context: &egui::Context, status: &Status) {
    let text = match (status.is_hovered, status.is_empty) {
        _ if status.controls == Controls::Program => return,
        (true, _) => "drop to open",
        (false, true) => "drop a capture (.nvcap) or a scene (folder or .ron) here",
        (false, false) => return,
    };
    egui::Area::new(egui::Id::unique("center")).anchor(Align2::CENTER_CENTER, Vec2::ZERO).interactable(false).show(
        context,
        |ui| {
            let frame = egui::Frame::new().fill(Color32::from_black_alpha(200)).corner_radius(4).inner_margin(16);
            frame.show(ui, |ui| {
                ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
                ui.label(RichText::new(text).size(18.0));
            });
        },
    );
}
