//! Runs the event loop: keys, pointer and dropped files become commands; elapsed time becomes frames; frames
//! become redraws.

use std::time::{Duration, Instant};

use winit::application::ApplicationHandler;
use winit::event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::{Key, NamedKey};
use winit::window::WindowId;

use super::control::Command;
use super::error::{ViewError, without_place};
use super::load::{Loaded, load};
use super::options::ViewOptions;
use super::session::Session;
use super::zoom::Zoom;
use crate::scene::SceneOptions;

/// How long a stream is advanced before the window handles events again.
const SLICE: Duration = Duration::from_millis(10);

/// The delay before a surface without a texture is tried again.
const PATIENCE: Duration = Duration::from_millis(100);

/// Zoom factor per notch of the wheel, and pixels that count as a notch.
const WHEEL_FACTOR: f32 = 1.15;
const NOTCH_PIXELS: f64 = 40.0;

/// Loads the file, opens the window, and runs until the window is closed.
pub(super) fn run(options: ViewOptions) -> Result<(), ViewError> {
    let scene_options = SceneOptions { size: options.scene_size };
    // A bad file is reported before a window opens.
    let loaded = options.path.as_deref().map(|path| load(path, &scene_options)).transpose()?;
    let no_display = |error: winit::error::EventLoopError| ViewError::NoDisplay(without_place(&error));
    let event_loop = EventLoop::new().map_err(no_display)?;
    let mut app = App { options, loaded, session: None, failure: None, passed: Instant::now(), redraw_at: None };
    event_loop.run_app(&mut app).map_err(no_display)?;
    app.failure.map_or(Ok(()), Err)
}

struct App {
    options: ViewOptions,
    /// The stream to play once the window exists.
    loaded: Option<Loaded>,
    session: Option<Session>,
    failure: Option<ViewError>,
    /// The last time at which elapsed time was processed.
    passed: Instant,
    /// When to retry a redraw that found no texture, or when a note ends.
    redraw_at: Option<Instant>,
}

impl App {
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: ViewError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(session) = &mut self.session else { return };
        match session.redraw() {
            Ok(true) => self.redraw_at = session.note_end(),
            Ok(false) => self.redraw_at = Some(Instant::now() + PATIENCE),
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn open(&mut self, path: &std::path::Path) {
        let Some(session) = &mut self.session else { return };
        let scene_options = SceneOptions { size: self.options.scene_size };
        session.open(load(path, &scene_options), !self.options.is_paused);
        self.passed = Instant::now();
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.session.is_some() {
            return;
        }
        match Session::new(event_loop, &self.options, self.loaded.take()) {
            Ok(session) => self.session = Some(session),
            Err(error) => self.fail(event_loop, error),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(session) = &mut self.session else { return };
        let is_taken = session.overlay_takes(&event);
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => session.resize(),
            WindowEvent::Occluded(false) => session.request_redraw(),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                key(session, event_loop, &event);
            }
            WindowEvent::HoveredFile(_) => session.hover(true),
            WindowEvent::HoveredFileCancelled => session.hover(false),
            WindowEvent::DroppedFile(path) => self.open(&path),
            WindowEvent::CursorMoved { position, .. } => session.point([position.x, position.y]),
            WindowEvent::MouseInput { state, button: MouseButton::Left, .. } => {
                session.drag(state == ElementState::Pressed && !is_taken);
            }
            WindowEvent::MouseWheel { delta, .. } if !is_taken => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(distance) => distance.y / NOTCH_PIXELS,
                };
                #[expect(clippy::cast_possible_truncation, reason = "few notches")]
                session.zoom_by(WHEEL_FACTOR.powf(notches.clamp(-20.0, 20.0) as f32));
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(session) = &mut self.session else { return };
        let now = Instant::now();
        let wait = session.work(now - self.passed, now + SLICE);
        self.passed = now;
        if self.redraw_at.is_some_and(|at| at <= now) {
            self.redraw_at = None;
            session.request_redraw();
        }
        let work_at = wait.map(|wait| Instant::now() + wait);
        event_loop.set_control_flow(match (wait, work_at.into_iter().chain(self.redraw_at).min()) {
            (Some(Duration::ZERO), _) => ControlFlow::Poll,
            (_, Some(at)) => ControlFlow::WaitUntil(at),
            (_, None) => ControlFlow::Wait,
        });
    }
}

/// Executes the action of a key.
fn key(session: &mut Session, event_loop: &ActiveEventLoop, event: &KeyEvent) {
    let is_first = !event.repeat;
    match &event.logical_key {
        Key::Named(NamedKey::Escape) => event_loop.exit(),
        Key::Named(NamedKey::Space) if is_first => session.command(Command::TogglePlay),
        Key::Character(text) => match text.to_lowercase().as_str() {
            "n" => session.command(Command::StepFrame),
            "d" => session.command(Command::StepDraw),
            "p" => session.command(Command::BackFrame),
            "b" => session.command(Command::BackDraw),
            "r" if is_first => session.command(Command::Restart),
            "l" if is_first => session.command(Command::ToggleLoop),
            "[" => session.command(Command::Slower),
            "]" => session.command(Command::Faster),
            "f" => session.zoom(Zoom::Fit),
            "1" => session.zoom(Zoom::Times(1.0)),
            "+" | "=" => session.zoom_step(true),
            "-" => session.zoom_step(false),
            "c" if is_first => session.next_surface(),
            "v" if is_first => session.flip(),
            "s" if is_first => session.save(),
            "h" if is_first => session.next_detail(),
            _ => {}
        },
        _ => {}
    }
}
