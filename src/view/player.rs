//! Plays a stream on an engine under user control, and keeps the current picture.

use std::collections::VecDeque;
use std::str::FromStr;
use std::time::{Duration, Instant};

use super::control::{Command, Control, Progress, Task};
use super::load::Loaded;
use super::machine::{Machine, Maker, Shown};
use super::preparation::Preparation;
use super::stream::{Goal, Piece, Stream};
use crate::chip::BoundSurface;
use crate::format::SurfaceFormat;
use crate::kernels::scan_out::ScanOut;
use crate::pipeline::EngineError;
use crate::plural::counted;
use crate::replay::ReplayError;

/// The longest time between pictures while frames end more often.
const PICTURE_TIME: Duration = Duration::from_millis(16);

/// The period over which rates are measured.
const RATE_TIME: Duration = Duration::from_secs(1);

/// Frames over which rates are measured even if that takes longer: some programs send them in bursts.
const MIN_FRAMES: usize = 8;

/// Frames in flight on the device when another starts.
const UNFINISHED_FRAMES: usize = 1;

/// The surface to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownSurface {
    /// A color target, 0..7.
    Color(u8),
    /// Depth.
    Depth,
    /// Stencil.
    Stencil,
}

impl ShownSurface {
    const ALL: [(&'static str, Self); 10] = [
        ("color0", Self::Color(0)),
        ("color1", Self::Color(1)),
        ("color2", Self::Color(2)),
        ("color3", Self::Color(3)),
        ("color4", Self::Color(4)),
        ("color5", Self::Color(5)),
        ("color6", Self::Color(6)),
        ("color7", Self::Color(7)),
        ("depth", Self::Depth),
        ("stencil", Self::Stencil),
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, surface)| *surface == self).map_or("color0", |(name, _)| name)
    }

    /// The next surface.
    #[must_use]
    pub fn next(self) -> Self {
        let index = Self::ALL.iter().position(|(_, surface)| *surface == self).unwrap_or(0);
        Self::ALL[(index + 1) % Self::ALL.len()].1
    }

    /// The next surface that a stream has bound; the next one if there is none.
    fn next_bound(self, bound: &[BoundSurface]) -> Self {
        let is_bound = |surface: &Self| {
            let found = bound.iter().find(|bound| bound.name == surface.bound_name());
            found.is_some_and(|bound| *surface != Self::Stencil || has_stencil(bound))
        };
        let mut surfaces = std::iter::successors(Some(self.next()), |surface| Some(surface.next()));
        surfaces.by_ref().take(Self::ALL.len()).find(is_bound).unwrap_or_else(|| self.next())
    }

    /// The name of the bound surface that contains it.
    fn bound_name(self) -> &'static str {
        match self {
            Self::Color(_) => self.name(),
            Self::Depth | Self::Stencil => "zeta",
        }
    }
}

impl FromStr for ShownSurface {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, surface)| *surface);
        found.ok_or_else(|| "color0 to color7, depth or stencil".to_owned())
    }
}

/// Whether a surface has stencil.
const fn has_stencil(bound: &BoundSurface) -> bool {
    matches!(bound.format, SurfaceFormat::Zeta(format) if format.has_stencil())
}

/// Frames of the last second.
#[derive(Debug, Default)]
pub(super) struct Rate {
    /// When frames ended, and the host's time for each.
    frames: VecDeque<(Instant, Duration)>,
    /// The host's time for the frame so far.
    busy: Duration,
}

impl Rate {
    /// Ends a frame.
    pub(super) fn end_frame(&mut self, now: Instant) {
        self.frames.push_back((now, std::mem::take(&mut self.busy)));
        while self.frames.front().is_some_and(|(then, _)| now - *then > RATE_TIME) && self.frames.len() > MIN_FRAMES {
            self.frames.pop_front();
        }
    }

    /// Frames per second, and the host's time per frame; `None` before there are two frames.
    pub(super) fn measured(&self) -> Option<(f64, Duration)> {
        let (first, last) = (self.frames.front()?.0, self.frames.back()?.0);
        let count = u32::try_from(self.frames.len()).ok()?;
        if last <= first {
            return None;
        }
        let host: Duration = self.frames.iter().map(|(_, busy)| *busy).sum();
        Some((f64::from(count - 1) / (last - first).as_secs_f64(), host / count))
    }
}

/// A stream during playback.
#[derive(Debug)]
pub struct Player {
    name: String,
    stream: Stream,
    machine: Machine,
    preparation: Option<Preparation>,
    control: Control,
    surface: ShownSurface,
    shown: Option<Shown>,
    /// The caption of the picture.
    caption: String,
    error: Option<String>,
    rate: Rate,
    is_unfinished: bool,
    /// The earlier place to which the stream returns, and whether it has started again since.
    back: Option<(Goal, bool)>,
    /// When the picture was rendered.
    pictured: Instant,
}

impl Player {
    /// Starts a stream.
    ///
    /// # Errors
    /// When its memory cannot be provided.
    pub fn new(maker: &Maker, loaded: Loaded, surface: ShownSurface, is_playing: bool) -> Result<Self, EngineError> {
        let preparation = maker.prepare(&loaded.capture, loaded.family);
        let stream = Stream::new(loaded.capture, loaded.family);
        Ok(Self {
            preparation,
            name: loaded.name,
            machine: maker.make(stream.memory_sizes())?,
            control: Control::new(loaded.rate, is_playing, loaded.loops && stream.frames().1 > 1),
            stream,
            surface,
            shown: None,
            caption: String::new(),
            error: None,
            rate: Rate::default(),
            is_unfinished: false,
            back: None,
            pictured: Instant::now(),
        })
    }

    /// The name of the stream.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stream.
    #[must_use]
    pub const fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The playback state.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// The picture; `None` before there is one.
    #[must_use]
    pub const fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// The caption of the picture.
    #[must_use]
    pub fn caption(&self) -> &str {
        &self.caption
    }

    /// Why the stream stopped.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// How many kernels are compiled and how many are known, while the stream waits for them.
    #[must_use]
    pub fn compiled(&self) -> Option<(usize, usize)> {
        self.preparation.as_ref()?.progress()
    }

    /// Whether a unit of work exceeded its time.
    #[must_use]
    pub const fn is_unfinished(&self) -> bool {
        self.is_unfinished
    }

    /// Frames per second over the last second, and the host's time per frame.
    #[must_use]
    pub fn measured(&self) -> Option<(f64, Duration)> {
        self.rate.measured()
    }

    /// Handles a command.
    pub fn command(&mut self, command: Command) {
        let piece = match command {
            Command::BackFrame => Some(Piece::Frame),
            Command::BackDraw => Some(Piece::Draw),
            _ => None,
        };
        if let Some(piece) = piece {
            let goal = self.stream.before(self.back.map(|(goal, _)| goal), piece);
            let has_restarted = self.back.is_some_and(|(_, has_restarted)| has_restarted);
            self.back = Some((goal, has_restarted && !self.stream.is_beyond(goal)));
        } else if command == Command::Restart {
            self.back = None;
        }
        self.control.command(command);
    }

    /// Accounts for elapsed time.
    pub fn pass(&mut self, time: Duration) {
        self.control.pass(time);
    }

    /// The surface after one that the stream has bound now.
    #[must_use]
    pub fn surface_after(&self, surface: ShownSurface) -> ShownSurface {
        surface.next_bound(&self.stream.bound_surfaces())
    }

    /// Shows another surface.
    ///
    /// # Errors
    /// When the device fails.
    pub fn choose_surface(&mut self, surface: ShownSurface) -> Result<(), EngineError> {
        self.surface = surface;
        self.update_picture()
    }

    /// The surface to show.
    #[must_use]
    pub const fn surface(&self) -> ShownSurface {
        self.surface
    }

    /// Executes due tasks until the deadline; returns whether there is a new picture.
    pub fn work(&mut self, maker: &Maker, deadline: Instant) -> bool {
        let mut is_new = false;
        if self.compiled().is_some() {
            self.is_unfinished = self.control.task().is_some();
            return false;
        }
        self.preparation = None;
        while let Some(task) = self.control.task() {
            let started = Instant::now();
            if started >= deadline {
                break;
            }
            let result = self.carry_out(maker, task, deadline);
            self.rate.busy += started.elapsed();
            let progress = match result {
                Ok(progress) => progress,
                Err(error) => return self.fail(&error),
            };
            self.control.done(task, progress);
            self.is_unfinished = progress == Progress::Unfinished;
            if self.is_unfinished || task == Task::Restart {
                continue;
            }
            if task == Task::Frame {
                self.rate.end_frame(Instant::now());
            }
            is_new = true;
            if !self.control.is_behind() || self.pictured.elapsed() >= PICTURE_TIME {
                break;
            }
        }
        if is_new
            && !self.is_unfinished
            && let Err(error) = self.update_picture()
        {
            return self.fail(&ReplayError::Engine(error));
        }
        is_new && !self.is_unfinished
    }

    fn fail(&mut self, error: &ReplayError) -> bool {
        self.error = Some(error.to_string());
        self.is_unfinished = false;
        self.back = None;
        self.control.fail();
        // What was drawn before the failure is worth showing; if the device failed, there is nothing.
        let _ = self.update_picture();
        true
    }

    fn carry_out(&mut self, maker: &Maker, task: Task, deadline: Instant) -> Result<Progress, ReplayError> {
        let piece = match task {
            Task::Frame => Piece::Frame,
            Task::Draw => Piece::Draw,
            Task::Restart => {
                self.restart(maker)?;
                return Ok(Progress::Done);
            }
            Task::Back => return self.go_back(maker, deadline),
        };
        self.advance(piece, deadline)
    }

    fn restart(&mut self, maker: &Maker) -> Result<(), ReplayError> {
        self.error = None;
        self.stream.restart();
        self.machine = maker.make(self.stream.memory_sizes())?;
        Ok(())
    }

    /// Plays one piece of the way from the start to an earlier place.
    fn go_back(&mut self, maker: &Maker, deadline: Instant) -> Result<Progress, ReplayError> {
        let Some((goal, has_restarted)) = self.back else { return Ok(Progress::Done) };
        if !has_restarted {
            self.restart(maker)?;
            self.back = Some((goal, true));
        }
        let progress = match self.stream.piece_toward(goal) {
            Some(piece) => self.advance(piece, deadline)?,
            None => Progress::End,
        };
        if progress == Progress::End {
            self.back = None;
            return Ok(Progress::Done);
        }
        Ok(Progress::Unfinished)
    }

    fn advance(&mut self, piece: Piece, deadline: Instant) -> Result<Progress, ReplayError> {
        let progress = self.stream.advance(self.machine.engine(), piece, deadline)?;
        if progress != Progress::Unfinished {
            // A fast host would fill the device's queue.
            self.machine.engine().end_frame(UNFINISHED_FRAMES).map_err(ReplayError::Engine)?;
        }
        Ok(progress)
    }

    fn update_picture(&mut self) -> Result<(), EngineError> {
        self.pictured = Instant::now();
        let name = self.surface.bound_name();
        let bound = self.stream.bound_surfaces();
        let Some(bound) = bound.iter().find(|bound| bound.name == name) else {
            self.caption = format!("no surface {name} is bound");
            return Ok(());
        };
        let shows_stencil = self.surface == ShownSurface::Stencil;
        if shows_stencil && !has_stencil(bound) {
            self.caption = format!("{} has no stencil", bound.format.name());
            return Ok(());
        }
        if ScanOut::new(bound, shows_stencil).picture_bytes() == 0 {
            self.caption = format!("{} has no pixels", self.surface.name());
            return Ok(());
        }
        let shown = self.machine.show(bound, shows_stencil, self.shown.take())?;
        let samples = match bound.samples.count() {
            1 => String::new(),
            count => format!(" × {}", counted(count, "sample")),
        };
        self.caption =
            format!("{} {}×{}{samples} {}", self.surface.name(), shown.width, shown.height, bound.format.name());
        self.shown = Some(shown);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surfaces_are_named_as_on_the_command_line() {
        for (name, surface) in ShownSurface::ALL {
            assert_eq!((name.parse(), surface.name()), (Ok(surface), name));
        }
        assert!("color8".parse::<ShownSurface>().is_err());
        assert_eq!(ShownSurface::Stencil.next(), ShownSurface::Color(0));
    }

    #[test]
    fn surfaces_that_are_not_bound_are_passed_over() {
        use crate::format::{ColorFormat, ZetaFormat};
        use crate::memory::MemoryWindow;
        use crate::pipeline::{SampleMode, SurfaceLayout};
        let bound = |name: &'static str, format| BoundSurface {
            name,
            width: 1,
            height: 1,
            samples: SampleMode::default(),
            format,
            window: MemoryWindow::EMPTY,
            layout: SurfaceLayout::Linear { pitch_bytes: 64 },
        };
        let color = bound("color0", SurfaceFormat::Color(ColorFormat::A8R8G8B8));
        let with_depth = |format| [color.clone(), bound("zeta", SurfaceFormat::Zeta(format))];
        let both = with_depth(ZetaFormat::Z24S8);
        let mut surface = ShownSurface::Color(0);
        for expected in [ShownSurface::Depth, ShownSurface::Stencil, ShownSurface::Color(0)] {
            surface = surface.next_bound(&both);
            assert_eq!(surface, expected);
        }
        assert_eq!(ShownSurface::Depth.next_bound(&with_depth(ZetaFormat::Z16)), ShownSurface::Color(0));
        assert_eq!(ShownSurface::Color(0).next_bound(std::slice::from_ref(&color)), ShownSurface::Color(0));
        assert_eq!(ShownSurface::Color(0).next_bound(&[]), ShownSurface::Color(1));
    }

    #[test]
    fn rates_are_of_the_last_second() {
        let mut rate = Rate::default();
        let start = Instant::now();
        assert!(rate.measured().is_none());
        for frame in 0..200 {
            rate.busy += Duration::from_millis(3);
            rate.end_frame(start + Duration::from_millis(20 * frame));
        }
        let (frames, host) = rate.measured().unwrap();
        assert!((frames - 50.0).abs() < 0.01 && host == Duration::from_millis(3), "{frames} {host:?}");
        assert!(rate.frames.len() < 60);
    }
}
