//! Runs the event loop of a program's window: pictures become redraws, the host's input becomes the program's.

use std::sync::Arc;
use std::time::{Duration, Instant};

use curie_wayland::{Event, Grab, Handle, Input};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{DeviceEvent, DeviceId, ElementState, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::keyboard::{KeyCode, ModifiersState, PhysicalKey};
use winit::window::{CursorGrabMode, Fullscreen, Window, WindowId};

use super::super::canvas::Canvas;
use super::super::error::{ViewError, without_place};
use super::super::machine::Shown;
use super::super::overlay::{Controls, Detail, Status};
use super::super::player::Rate;
use super::super::zoom::{Placement, View, Zoom};
use super::compiling::Compiling;
use super::draw_rate::DrawRate;
use super::host::{Latest, Slot, WindowHost, take};
use super::input::{button_code, key_code, notches, picture_position};
use super::messages::{Message, Notice};
use super::options::ProgramOptions;
use crate::gpu::{AdapterChoice, DeviceError};
use crate::live::{Execution, Exports};
use crate::plural::counted;

/// The delay before a surface without a texture is tried again.
const PATIENCE: Duration = Duration::from_millis(100);

/// The screen that programs find where the host does not say.
const DEFAULT_SCREEN: (u32, u32) = (1280, 1024);

/// The key of the overlay, which the program does not get.
const OVERLAY_KEY: KeyCode = KeyCode::F12;

/// Opens the window and runs until it is ended.
pub(super) fn run(event_loop: EventLoop<Message>, options: ProgramOptions) -> Result<(), ViewError> {
    let ProgramOptions { server, screen, exports, adapter, execution, report } = options;
    let mut app = App {
        proxy: event_loop.create_proxy(),
        server: Some(server),
        screen,
        exports,
        adapter,
        execution,
        report,
        slot: Slot::default(),
        open: None,
        failure: None,
    };
    event_loop.run_app(&mut app).map_err(|error| ViewError::NoProgramDisplay(without_place(&error)))?;
    app.failure.map_or(Ok(()), Err)
}

struct App {
    proxy: EventLoopProxy<Message>,
    /// The server until it starts.
    server: Option<curie_wayland::Server>,
    screen: Option<(u32, u32)>,
    exports: Exports,
    adapter: AdapterChoice,
    execution: Execution,
    report: Arc<dyn Fn(Notice) + Send + Sync>,
    slot: Slot,
    open: Option<Open>,
    failure: Option<ViewError>,
}

/// The open window.
struct Open {
    canvas: Canvas,
    handle: Handle,
    execution: Execution,
    compiling: Compiling,
    shown: Option<Shown>,
    /// The size that the window was last given for a picture.
    fitted: Option<(u32, u32)>,
    title: String,
    grab: Grab,
    shows_cursor: bool,
    modifiers: ModifiersState,
    rate: Rate,
    draws: DrawRate,
    redraw_at: Option<Instant>,
}

impl App {
    fn fail(&mut self, event_loop: &ActiveEventLoop, error: ViewError) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    /// Opens the window, which is not visible yet, and starts the server.
    fn start(&mut self, event_loop: &ActiveEventLoop) -> Result<(), ViewError> {
        let Some(server) = self.server.take() else { return Ok(()) };
        let attributes = Window::default_attributes().with_title("curie").with_visible(false);
        let canvas = Canvas::open(event_loop, attributes, &self.adapter, Detail::Hidden)?;
        let window = &canvas.window;
        let monitor = window.current_monitor().or_else(|| window.primary_monitor());
        let monitor = monitor.or_else(|| window.available_monitors().next());
        let size = monitor.map(|monitor| (monitor.size().width, monitor.size().height));
        let monitor = size.filter(|(width, height)| *width > 0 && *height > 0);
        let screen = self.screen.or(monitor).unwrap_or(DEFAULT_SCREEN);
        let host = WindowHost {
            exports: self.exports.clone(),
            proxy: self.proxy.clone(),
            slot: Arc::clone(&self.slot),
            report: Arc::clone(&self.report),
        };
        let handle = server.start(screen, host).map_err(|error| ViewError::NoProgramDisplay(without_place(&error)))?;
        self.open = Some(Open {
            canvas,
            handle,
            execution: self.execution.clone(),
            compiling: Compiling::default(),
            shown: None,
            fitted: None,
            title: String::new(),
            grab: Grab::None,
            shows_cursor: true,
            modifiers: ModifiersState::empty(),
            rate: Rate::default(),
            draws: DrawRate::default(),
            redraw_at: None,
        });
        (self.report)(Notice::Ready);
        Ok(())
    }
}

impl ApplicationHandler<Message> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if let Err(error) = self.start(event_loop) {
            self.fail(event_loop, error);
        }
    }

    fn user_event(&mut self, event_loop: &ActiveEventLoop, message: Message) {
        let Some(open) = &mut self.open else { return };
        match message {
            Message::End => event_loop.exit(),
            Message::Picture => {
                if let Some(latest) = take(&self.slot)
                    && let Err(error) = open.picture(&latest)
                {
                    self.fail(event_loop, error.into());
                }
            }
            Message::Event(event) => open.event(event),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(open) = &mut self.open else { return };
        match event {
            WindowEvent::CloseRequested => {
                open.handle.input(Input::Close);
                (self.report)(Notice::CloseRequested);
            }
            WindowEvent::RedrawRequested => {
                if let Err(error) = open.redraw() {
                    self.fail(event_loop, error);
                }
            }
            event => open.input(event),
        }
    }

    fn device_event(&mut self, _: &ActiveEventLoop, _: DeviceId, event: DeviceEvent) {
        if let (Some(open), DeviceEvent::MouseMotion { delta }) = (&self.open, event) {
            open.handle.input(Input::Relative([delta.0, delta.1]));
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let Some(open) = &mut self.open else { return };
        let now = Instant::now();
        if open.compiling.look(now, || open.execution.compiling()) {
            open.show_compiling();
        }
        if open.redraw_at.take_if(|at| *at <= now).is_some() {
            open.canvas.window.request_redraw();
        }
        let next = open.compiling.next_look();
        event_loop.set_control_flow(ControlFlow::WaitUntil(open.redraw_at.map_or(next, |at| at.min(next))));
    }
}

impl Open {
    /// Shows a picture. The window takes its size, unless the user gave it another.
    fn picture(&mut self, latest: &Latest) -> Result<(), DeviceError> {
        let now = Instant::now();
        for _ in 0..latest.count {
            self.rate.end_frame(now);
            self.draws.picture(now, latest.draws);
        }
        let (gpu, pixels) = (&self.canvas.gpu, &latest.pixels);
        let bytes = pixels.rgba.len() as u64;
        let buffer = match self.shown.take().map(|shown| shown.buffer) {
            Some(buffer) if buffer.size() >= bytes => buffer,
            _ => gpu.buffer("picture", bytes)?,
        };
        gpu.upload(&buffer, 0, &pixels.rgba);
        let size = (pixels.width, pixels.height);
        self.shown = Some(Shown { buffer, width: size.0, height: size.1 });
        if self.fitted != Some(size) {
            let is_own = self.fitted.is_none_or(|fitted| <(u32, u32)>::from(self.canvas.window.inner_size()) == fitted);
            if is_own && self.canvas.window.fullscreen().is_none() {
                let _ = self.canvas.window.request_inner_size(PhysicalSize::new(size.0, size.1));
                self.canvas.screen.resize();
            }
            self.fitted = Some(size);
        }
        if self.canvas.window.is_visible() != Some(true) {
            self.canvas.window.set_visible(true);
        }
        self.canvas.window.request_redraw();
        Ok(())
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Title(title) => {
                self.title = title;
                self.set_title();
            }
            Event::Closed => {
                self.shown = None;
                self.fitted = None;
                self.canvas.window.set_visible(false);
            }
            Event::Fullscreen(is_full) => {
                self.canvas.window.set_fullscreen(is_full.then_some(Fullscreen::Borderless(None)));
            }
            Event::Cursor(shows) => {
                self.shows_cursor = shows;
                self.set_cursor();
            }
            Event::Grab(grab) => {
                self.grab = grab;
                self.set_cursor();
                self.set_title();
            }
            Event::Picture(_) | Event::Trouble(_) => {}
        }
    }

    fn set_title(&self) {
        let title = if self.title.is_empty() { "OpenGL program" } else { &self.title };
        let hint = if self.grab == Grab::None { "" } else { " (Ctrl+Alt releases the pointer)" };
        let compiling = self.compiling.note().map_or_else(String::new, |note| format!(" – {note}"));
        self.canvas.window.set_title(&format!("{title} – curie{hint}{compiling}"));
    }

    /// Says that kernels are compiled, or no longer. A program waits for them, so a window without a picture appears meanwhile.
    fn show_compiling(&mut self) {
        self.set_title();
        if self.shown.is_none() {
            self.canvas.window.set_visible(self.compiling.note().is_some());
        }
        self.canvas.window.request_redraw();
    }

    /// Holds and shows the pointer as the program wants it. Some systems can only confine a pointer; a locked one then
    /// moves unseen, and the server passes only its motion on.
    fn set_cursor(&self) {
        let window = &self.canvas.window;
        let modes: &[_] = match self.grab {
            Grab::None => &[CursorGrabMode::None],
            Grab::Confined => &[CursorGrabMode::Confined],
            Grab::Locked => &[CursorGrabMode::Locked, CursorGrabMode::Confined],
        };
        // A system that can hold no pointer lets it go.
        let _ = modes.iter().any(|mode| window.set_cursor_grab(*mode).is_ok());
        window.set_cursor_visible(self.shows_cursor && self.grab != Grab::Locked);
    }

    /// The size of the picture.
    fn picture_size(&self) -> (u32, u32) {
        self.shown.as_ref().map_or((1, 1), |shown| (shown.width, shown.height))
    }

    fn placement(&self) -> Placement {
        View::new(Zoom::Fit).place(self.picture_size(), self.canvas.screen.size())
    }

    /// Passes the host's input to the program.
    fn input(&mut self, event: WindowEvent) {
        let input = match event {
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                self.canvas.overlay.take(&self.canvas.window, &event, &mut false);
                self.canvas.screen.resize();
                self.canvas.window.request_redraw();
                return;
            }
            WindowEvent::Occluded(false) => return self.canvas.window.request_redraw(),
            WindowEvent::Focused(has_keyboard) => Input::Focus(has_keyboard),
            WindowEvent::ModifiersChanged(modifiers) => {
                self.modifiers = modifiers.state();
                let lets_go = self.modifiers.control_key() && self.modifiers.alt_key() && self.grab != Grab::None;
                if !lets_go {
                    return;
                }
                Input::LetGo
            }
            WindowEvent::KeyboardInput { event, is_synthetic, .. } => {
                let is_down = event.state == ElementState::Pressed;
                if event.physical_key == PhysicalKey::Code(OVERLAY_KEY) {
                    if is_down && !event.repeat {
                        self.canvas.overlay.detail = self.canvas.overlay.detail.next();
                        self.canvas.window.request_redraw();
                    }
                    return;
                }
                // Keys that were down when the keyboard came are not pressed for the program.
                let Some(code) = key_code(event.physical_key).filter(|_| !(event.repeat || is_synthetic && is_down))
                else {
                    return;
                };
                Input::Key(code, is_down)
            }
            WindowEvent::CursorMoved { position, .. } => {
                Input::Motion(picture_position([position.x, position.y], self.picture_size(), self.placement()))
            }
            WindowEvent::CursorLeft { .. } => Input::Leave,
            WindowEvent::MouseInput { state, button, .. } => {
                let Some(code) = button_code(button) else { return };
                Input::Button(code, state == ElementState::Pressed)
            }
            WindowEvent::MouseWheel { delta, .. } => Input::Wheel(notches(delta)),
            _ => return,
        };
        self.handle.input(input);
    }

    fn redraw(&mut self) -> Result<(), ViewError> {
        let placement = self.placement();
        let status = self.status(placement);
        let picture = self.picture_size();
        let place = |window| View::new(Zoom::Fit).place(picture, window);
        let drawn = self.canvas.draw(self.shown.as_ref(), place, false, &status)?;
        match drawn {
            None => self.redraw_at = Some(Instant::now() + PATIENCE),
            Some(drawn) if drawn.is_moving => self.canvas.window.request_redraw(),
            Some(_) => {}
        }
        Ok(())
    }

    /// The contents of the overlay.
    fn status(&self, placement: Placement) -> Status {
        let (width, height) = self.picture_size();
        let rate = self.rate.measured().map_or_else(String::new, |(rate, _)| format!("{rate:.1} frames/s"));
        let pointer = if self.grab == Grab::None { "" } else { "  pointer held" };
        Status {
            title: self.execution.name(),
            note: self.compiling.note(),
            speed: rate,
            picture: match self.shown {
                Some(_) => format!("{width}×{height}  {:.0} %{pointer}", placement.scale * 100.0),
                None => String::new(),
            },
            counters: self
                .draws
                .per_picture()
                .map_or_else(String::new, |draws| format!("{}/frame", counted(draws, "draw"))),
            is_playing: true,
            controls: Controls::Program,
            ..Status::default()
        }
    }
}
