//! An open window with its stream and its view.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use winit::dpi::LogicalSize;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::Window;

use super::canvas::Canvas;
use super::control::Command;
use super::error::ViewError;
use super::load::{LoadError, Loaded};
use super::machine::Maker;
use super::options::ViewOptions;
use super::overlay::Status;
use super::player::{Player, ShownSurface};
use super::zoom::{View, Zoom};
use crate::gpu::DeviceError;
use crate::plural::counted;
use crate::present::write_png;

/// How long a note is shown.
const NOTE_TIME: Duration = Duration::from_secs(4);

/// The age of a picture after which the overlay reports unfinished work.
const SILENCE: Duration = Duration::from_millis(150);

/// All state of a window.
#[derive(Debug)]
pub(super) struct Session {
    canvas: Canvas,
    maker: Maker,
    player: Option<Player>,
    surface: ShownSurface,
    view: View,
    is_flipped: bool,
    pictures: PathBuf,
    /// Why the kernels are not used.
    fallback: Option<String>,
    /// Why the last dropped file was not opened, or another error.
    trouble: Option<String>,
    note: Option<(String, Instant)>,
    is_hovered: bool,
    pointer: [f32; 2],
    is_dragging: bool,
    /// When the window was last drawn; the stream waits for the first draw.
    drawn: Option<Instant>,
}

impl Session {
    /// Opens a window and a device that can draw to it.
    pub(super) fn new(
        event_loop: &ActiveEventLoop,
        options: &ViewOptions,
        loaded: Option<Loaded>,
    ) -> Result<Self, ViewError> {
        let (width, height) = options.window_size;
        let attributes =
            Window::default_attributes().with_title("curie").with_inner_size(LogicalSize::new(width, height));
        let canvas = Canvas::open(event_loop, attributes, &options.adapter, options.detail)?;
        let (maker, fallback) = Maker::new(canvas.gpu.clone(), options.engine, options.kernels)?;
        let mut session = Self {
            canvas,
            maker,
            player: None,
            surface: options.surface,
            view: View::new(options.zoom),
            is_flipped: options.is_flipped,
            pictures: options.pictures.clone(),
            fallback: fallback.map(|error| format!("using the reference engine: {error}")),
            trouble: None,
            note: None,
            is_hovered: false,
            pointer: [0.0; 2],
            is_dragging: false,
            drawn: None,
        };
        if let Some(loaded) = loaded {
            session.player = Some(session.start(loaded, !options.is_paused)?);
        }
        session.request_redraw();
        Ok(session)
    }

    fn start(&self, loaded: Loaded, is_playing: bool) -> Result<Player, ViewError> {
        let player = Player::new(&self.maker, loaded, self.surface, is_playing)?;
        self.canvas.window.set_title(&format!("{} – curie", player.name()));
        Ok(player)
    }

    /// Plays another file, or reports the error and continues with the old one.
    pub(super) fn open(&mut self, loaded: Result<Loaded, LoadError>, is_playing: bool) {
        self.is_hovered = false;
        let started = loaded.map_err(ViewError::from).and_then(|loaded| self.start(loaded, is_playing));
        match started {
            Ok(player) => {
                self.player = Some(player);
                self.trouble = None;
            }
            Err(error) => self.trouble = Some(error.to_string()),
        }
        self.request_redraw();
    }

    pub(super) fn request_redraw(&self) {
        self.canvas.window.request_redraw();
    }

    pub(super) fn resize(&mut self) {
        self.canvas.screen.resize();
        self.request_redraw();
    }

    pub(super) fn hover(&mut self, is_hovered: bool) {
        self.is_hovered = is_hovered;
        self.request_redraw();
    }

    pub(super) fn command(&mut self, command: Command) {
        if let Some(player) = &mut self.player {
            player.command(command);
        }
        self.request_redraw();
    }

    /// Passes an event of the pointer to the overlay; returns true if only the overlay should handle it.
    pub(super) fn overlay_takes(&mut self, event: &WindowEvent) -> bool {
        let mut asks = false;
        let is_taken = self.canvas.overlay.take(&self.canvas.window, event, &mut asks);
        if asks {
            self.request_redraw();
        }
        is_taken
    }

    /// Accounts for elapsed time and plays until the deadline. Returns how long nothing is due; `None` means
    /// forever.
    pub(super) fn work(&mut self, time: Duration, deadline: Instant) -> Option<Duration> {
        // The window appears before anything is compiled.
        let drawn = self.drawn?;
        let player = self.player.as_mut()?;
        player.pass(time);
        let is_new = player.work(&self.maker, deadline);
        if is_new || player.is_unfinished() && drawn.elapsed() > SILENCE {
            self.canvas.window.request_redraw();
        }
        match player.control().wait() {
            Some(_) if player.compiled().is_some() => Some(SILENCE),
            wait => wait,
        }
    }

    /// Draws the window; returns false if it cannot be drawn now.
    pub(super) fn redraw(&mut self) -> Result<bool, ViewError> {
        let status = self.status();
        let shown = self.player.as_ref().and_then(Player::shown);
        let picture = shown.map_or((1, 1), |shown| (shown.width, shown.height));
        let place = |window| self.view.place(picture, window);
        let Some(drawn) = self.canvas.draw(shown, place, self.is_flipped, &status)? else { return Ok(false) };
        self.drawn = Some(Instant::now());
        if drawn.is_moving {
            self.request_redraw();
        }
        drawn.clicked.into_iter().for_each(|command| self.command(command));
        Ok(true)
    }

    /// Columns and rows of the picture and of the window.
    fn sizes(&self) -> ((u32, u32), (u32, u32)) {
        let shown = self.player.as_ref().and_then(Player::shown);
        (shown.map_or((1, 1), |shown| (shown.width, shown.height)), self.canvas.screen.size())
    }

    pub(super) fn zoom(&mut self, zoom: Zoom) {
        self.view = View::new(zoom);
        self.request_redraw();
    }

    pub(super) fn zoom_step(&mut self, enlarges: bool) {
        let (picture, window) = self.sizes();
        self.view.step(enlarges, picture, window);
        self.request_redraw();
    }

    /// Zooms by a factor about the pointer.
    pub(super) fn zoom_by(&mut self, factor: f32) {
        let (picture, window) = self.sizes();
        self.view.zoom_by(factor, self.pointer, picture, window);
        self.request_redraw();
    }

    pub(super) const fn drag(&mut self, is_dragging: bool) {
        self.is_dragging = is_dragging;
    }

    /// Records the pointer position; moves the picture while it is dragged.
    #[expect(clippy::cast_possible_truncation, reason = "windows have few pixels")]
    pub(super) fn point(&mut self, at: [f64; 2]) {
        let at = at.map(|place| place as f32);
        if self.is_dragging {
            let (picture, window) = self.sizes();
            self.view.move_by([at[0] - self.pointer[0], at[1] - self.pointer[1]], picture, window);
            self.request_redraw();
        }
        self.pointer = at;
    }

    pub(super) fn flip(&mut self) {
        self.is_flipped = !self.is_flipped;
        self.request_redraw();
    }

    pub(super) fn next_detail(&mut self) {
        self.canvas.overlay.detail = self.canvas.overlay.detail.next();
        self.request_redraw();
    }

    pub(super) fn next_surface(&mut self) {
        self.surface = match &self.player {
            Some(player) => player.surface_after(self.surface),
            None => self.surface.next(),
        };
        if let Some(player) = &mut self.player
            && let Err(error) = player.choose_surface(self.surface)
        {
            self.trouble = Some(error.to_string());
        }
        self.request_redraw();
    }

    /// Saves the picture.
    pub(super) fn save(&mut self) {
        let saved = self.player.as_ref().and_then(|player| Some(self.save_picture(player, player.shown()?)));
        match saved {
            Some(Ok(path)) => self.note = Some((format!("saved {}", path.display()), Instant::now() + NOTE_TIME)),
            Some(Err(message)) => self.trouble = Some(message),
            None => {}
        }
        self.request_redraw();
    }

    fn save_picture(&self, player: &Player, shown: &super::machine::Shown) -> Result<PathBuf, String> {
        let picture = shown.read(self.maker.gpu()).map_err(|error: DeviceError| error.to_string())?;
        let picture = if self.is_flipped { picture.flipped() } else { picture };
        let path = free_path(&self.pictures, &format!("{}-{:04}", player.name(), player.stream().frames().0))
            .ok_or_else(|| format!("{}: no free name for a picture", self.pictures.display()))?;
        write_png(&path, &picture).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// When the current note ends.
    pub(super) fn note_end(&self) -> Option<Instant> {
        self.note.as_ref().map(|(_, end)| *end)
    }

    /// The contents of the overlay.
    fn status(&mut self) -> Status {
        self.note.take_if(|(_, end)| *end <= Instant::now());
        let mut status = Status {
            note: self.note.as_ref().map(|(note, _)| note.clone()),
            errors: self.fallback.iter().chain(&self.trouble).cloned().collect(),
            is_hovered: self.is_hovered,
            ..Status::default()
        };
        let Some(player) = &self.player else {
            status.title = format!("curie, {}", self.maker.name());
            status.is_empty = true;
            return status;
        };
        let (stream, control) = (player.stream(), player.control());
        status.title = format!("{}, {}", player.name(), self.maker.name());
        let (frame, frames) = stream.frames();
        status.place = match stream.draws_of_frame() {
            0 => format!("frame {frame} of {frames}"),
            draws => format!("frame {frame} of {frames} + {}", counted(draws, "draw")),
        };
        status.place += if control.loops() { ", loop" } else { "" };
        let compiling;
        let state = match player.compiled() {
            Some((done, known)) if player.is_unfinished() && done < known => {
                compiling = format!("compiling {} of {}", done + 1, counted(known, "kernel"));
                &compiling
            }
            _ if player.is_unfinished() => "working",
            _ if control.is_playing() => "playing",
            _ if control.is_at_end() => "end",
            _ => "paused",
        };
        status.speed = format!("{state} ×{}", control.speed());
        if let Some((rate, host)) = player.measured().filter(|_| control.is_playing()) {
            status.speed += &format!("  {rate:.1} frames/s  {:.1} ms host", host.as_secs_f64() * 1000.0);
        }
        let scale = self.view.place(self.sizes().0, self.canvas.screen.size()).scale * 100.0;
        let fits = if self.view.zoom == Zoom::Fit { "fit " } else { "" };
        let flipped = if self.is_flipped { " flipped" } else { "" };
        status.picture = format!("{}  {fits}{scale:.0} %{flipped}", player.caption());
        let last = stream.last_frame();
        let counts =
            [(last.draws, "draw"), (last.clears, "clear"), (last.transfers, "copy"), (last.vertices, "vertex")];
        status.counters = counts.map(|(count, noun)| counted(count, noun)).join("  ");
        let anomalies = stream.anomalies();
        status.errors.extend(player.error().map(str::to_owned));
        status.errors.extend(anomalies.first().map(|first| match anomalies.len() {
            1 => first.clone(),
            count => format!("{first} (and {} more)", count - 1),
        }));
        status.is_playing = control.is_playing();
        status
    }
}

/// A path in a folder that no file has.
fn free_path(folder: &Path, stem: &str) -> Option<PathBuf> {
    let names = std::iter::once(format!("{stem}.png")).chain((2..1000).map(|number| format!("{stem}-{number}.png")));
    names.map(|name| folder.join(name)).find(|path| !path.exists())
}
