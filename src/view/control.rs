//! Play, pause, step and speed: decides what the stream does next. Depends on no window, clock or engine.

use std::time::Duration;

/// Speeds are powers of two from 2⁻⁶ to 2⁶.
const SPEED_LIMIT: i8 = 6;

/// Pictures per second that a window can show; faster streams run several frames per picture.
const PICTURES_PER_SECOND: f64 = 60.0;

/// A command of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Toggles between play and pause; at the end, plays again from the start.
    TogglePlay,
    /// Runs to the end of the frame, then pauses.
    StepFrame,
    /// Runs one draw or clear, then pauses.
    StepDraw,
    /// Returns to the end of the previous frame and pauses.
    BackFrame,
    /// Returns to the previous draw or clear and pauses.
    BackDraw,
    /// Returns to the start.
    Restart,
    /// Doubles the speed.
    Faster,
    /// Halves the speed.
    Slower,
    /// Toggles between starting again at the end and stopping there.
    ToggleLoop,
}

/// The next thing that the stream has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Run to the end of the frame.
    Frame,
    /// Run one draw or clear.
    Draw,
    /// Return to the start.
    Restart,
    /// Return to an earlier place.
    Back,
}

/// The progress of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The task is not done; its time ran out.
    Unfinished,
    /// The task is done.
    Done,
    /// The task is done, and the stream is at its end.
    End,
}

/// The playback state.
#[derive(Debug, Clone)]
pub struct Control {
    is_playing: bool,
    is_at_end: bool,
    loops: bool,
    log2_speed: i8,
    frames_per_second: f64,
    /// Frames due according to elapsed time, but not started.
    owed: f64,
    /// The requested step.
    step: Option<Task>,
    /// Whether a frame has started but is not done.
    is_midway: bool,
    restart: bool,
    /// Whether the stream returns to an earlier place; a step waits until it is there.
    goes_back: bool,
}

impl Control {
    /// A stream at its start.
    #[must_use]
    pub fn new(frames_per_second: f64, is_playing: bool, loops: bool) -> Self {
        Self {
            is_playing,
            is_at_end: false,
            loops,
            log2_speed: 0,
            // Rates come from scene files.
            frames_per_second: frames_per_second.clamp(0.01, 1000.0),
            owed: 1.0,
            step: (!is_playing).then_some(Task::Frame),
            is_midway: false,
            restart: false,
            goes_back: false,
        }
    }

    /// Whether frames play continuously.
    #[must_use]
    pub const fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// Whether the stream is at its end.
    #[must_use]
    pub const fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Whether the stream starts again at its end.
    #[must_use]
    pub const fn loops(&self) -> bool {
        self.loops
    }

    /// The speed relative to the stream's own.
    #[must_use]
    pub fn speed(&self) -> f64 {
        f64::from(self.log2_speed).exp2()
    }

    /// Handles a command.
    pub fn command(&mut self, command: Command) {
        match command {
            Command::TogglePlay if self.is_at_end && !self.goes_back => {
                self.restart = true;
                self.is_playing = true;
            }
            Command::TogglePlay => {
                self.is_playing = !self.is_playing;
                // A pause takes effect between two frames.
                self.step = (!self.is_playing && self.is_midway).then_some(Task::Frame);
                self.owed = 1.0;
            }
            Command::StepFrame => self.step(Task::Frame),
            Command::StepDraw => self.step(Task::Draw),
            Command::BackFrame | Command::BackDraw => {
                self.is_playing = false;
                (self.step, self.restart, self.goes_back) = (None, false, true);
            }
            Command::Restart => {
                (self.restart, self.goes_back) = (true, false);
                // A paused stream shows its first frame again.
                self.step = (!self.is_playing).then_some(Task::Frame);
            }
            Command::Faster => self.log2_speed = (self.log2_speed + 1).min(SPEED_LIMIT),
            Command::Slower => self.log2_speed = (self.log2_speed - 1).max(-SPEED_LIMIT),
            Command::ToggleLoop => self.loops = !self.loops,
        }
    }

    fn step(&mut self, task: Task) {
        self.is_playing = false;
        self.step = Some(task);
        // On the way back the end is left behind.
        if self.is_at_end && !self.goes_back {
            self.restart = true;
        }
    }

    /// Accounts for elapsed time. Frames that are too late to be shown are dropped.
    pub fn pass(&mut self, time: Duration) {
        if self.is_playing {
            let rate = self.frames_per_second * self.speed();
            let most = (rate / PICTURES_PER_SECOND).max(1.0) + 1.0;
            self.owed = (self.owed + time.as_secs_f64() * rate).min(most);
        }
    }

    /// The current task; `None` if there is none until time passes or a command comes.
    #[must_use]
    pub fn task(&self) -> Option<Task> {
        if self.restart {
            return Some(Task::Restart);
        }
        if self.goes_back {
            return Some(Task::Back);
        }
        if self.is_at_end {
            return (self.is_playing && self.loops && self.owed >= 1.0).then_some(Task::Restart);
        }
        if self.step.is_some() {
            return self.step;
        }
        (self.is_playing && self.owed >= 1.0).then_some(Task::Frame)
    }

    /// Whether another frame runs before a picture is shown.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.is_playing && self.owed >= 1.0 && self.frames_per_second * self.speed() > PICTURES_PER_SECOND
    }

    /// Records the progress of a task.
    pub fn done(&mut self, task: Task, progress: Progress) {
        self.is_midway = task == Task::Frame && progress == Progress::Unfinished;
        match (task, progress) {
            (_, Progress::Unfinished) => return,
            (Task::Restart | Task::Back, _) => {
                (self.restart, self.goes_back) = (false, false);
                self.is_at_end = false;
                self.owed = 1.0;
                return;
            }
            (Task::Frame | Task::Draw, _) if self.step.is_some() => self.step = None,
            (Task::Frame | Task::Draw, _) => self.owed -= 1.0,
        }
        if progress == Progress::End {
            self.is_at_end = true;
            self.is_playing &= self.loops;
        }
    }

    /// Stops permanently, as after an error.
    pub const fn fail(&mut self) {
        self.is_at_end = true;
        self.is_playing = false;
        self.step = None;
        (self.restart, self.goes_back) = (false, false);
        self.is_midway = false;
    }

    /// The time until the next task; `None` if only a command can start one.
    #[must_use]
    pub fn wait(&self) -> Option<Duration> {
        if self.task().is_some() {
            return Some(Duration::ZERO);
        }
        let rate = self.frames_per_second * self.speed();
        // Below the lowest rate of a scene the wait is shortened, which is harmless.
        self.is_playing.then(|| Duration::from_secs_f64(((1.0 - self.owed) / rate).clamp(0.0, 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Duration = Duration::from_millis(100);

    fn run(control: &mut Control, progress: Progress) -> Option<Task> {
        let task = control.task();
        if let Some(task) = task {
            control.done(task, progress);
        }
        task
    }

    #[test]
    fn frames_come_as_time_passes() {
        let mut control = Control::new(10.0, true, false);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        assert_eq!((control.task(), control.wait()), (None, Some(TENTH)));
        control.pass(TENTH / 2);
        assert_eq!((control.task(), control.wait()), (None, Some(TENTH / 2)));
        control.pass(TENTH / 2);
        assert_eq!(run(&mut control, Progress::Unfinished), Some(Task::Frame));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        assert_eq!(control.task(), None);
    }

    #[test]
    fn a_slow_stream_runs_up_no_debt() {
        let mut control = Control::new(10.0, true, false);
        control.pass(100 * TENTH);
        let frames = std::iter::from_fn(|| run(&mut control, Progress::Done)).count();
        assert_eq!(frames, 2);
    }

    #[test]
    fn speed_changes_by_factors_of_two_within_limits() {
        let mut control = Control::new(60.0, true, false);
        control.command(Command::Slower);
        assert!((control.speed() - 0.5).abs() < 1e-12);
        (0..99).for_each(|_| control.command(Command::Slower));
        assert!((control.speed() - 1.0 / 64.0).abs() < 1e-12);
        (0..99).for_each(|_| control.command(Command::Faster));
        assert!((control.speed() - 64.0).abs() < 1e-12);
        control.pass(Duration::from_secs(1));
        assert!(control.is_behind());
        let frames = std::iter::from_fn(|| run(&mut control, Progress::Done)).count();
        assert_eq!(frames, 65);
        assert!(!control.is_behind());
    }

    #[test]
    fn steps_pause() {
        let mut control = Control::new(60.0, true, false);
        control.command(Command::StepDraw);
        assert!(!control.is_playing());
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Draw));
        assert_eq!((control.task(), control.wait()), (None, None));
        control.command(Command::StepFrame);
        assert_eq!(run(&mut control, Progress::Unfinished), Some(Task::Frame));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        control.pass(TENTH);
        assert_eq!(control.task(), None);
        control.command(Command::TogglePlay);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
    }

    #[test]
    fn steps_back_pause_and_leave_the_end() {
        for command in [Command::BackDraw, Command::BackFrame] {
            let mut control = Control::new(60.0, true, false);
            assert_eq!(run(&mut control, Progress::End), Some(Task::Frame));
            control.command(command);
            assert_eq!(run(&mut control, Progress::Unfinished), Some(Task::Back));
            // A step forward waits until the stream is there, and does not restart it.
            control.command(Command::StepDraw);
            assert_eq!(run(&mut control, Progress::Done), Some(Task::Back));
            assert!(!control.is_at_end() && !control.is_playing());
            assert_eq!(run(&mut control, Progress::Done), Some(Task::Draw));
            control.pass(TENTH);
            assert_eq!((control.task(), control.wait()), (None, None));
            // A restart takes the place of a way back, and a way back that of a restart.
            control.command(command);
            control.command(Command::Restart);
            assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
            control.command(Command::Restart);
            control.command(command);
            assert_eq!(run(&mut control, Progress::Done), Some(Task::Back));
            assert_eq!(control.task(), None);
        }
    }

    #[test]
    fn a_pause_finishes_the_frame() {
        let mut control = Control::new(60.0, true, false);
        assert_eq!(run(&mut control, Progress::Unfinished), Some(Task::Frame));
        control.command(Command::TogglePlay);
        assert!(!control.is_playing());
        assert_eq!(run(&mut control, Progress::Unfinished), Some(Task::Frame));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        assert_eq!(control.task(), None);
    }

    #[test]
    fn the_end_pauses_or_repeats() {
        let mut control = Control::new(60.0, true, false);
        assert_eq!(run(&mut control, Progress::End), Some(Task::Frame));
        assert!(control.is_at_end() && !control.is_playing());
        assert_eq!((control.task(), control.wait()), (None, None));
        control.command(Command::TogglePlay);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
        assert_eq!(run(&mut control, Progress::End), Some(Task::Frame));
        control.command(Command::StepFrame);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        assert_eq!(control.task(), None);

        let mut control = Control::new(10.0, true, true);
        assert_eq!(run(&mut control, Progress::End), Some(Task::Frame));
        assert_eq!(control.task(), None, "the last frame is shown as long as others");
        control.pass(TENTH);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
    }

    #[test]
    fn a_restart_keeps_playing_or_shows_the_first_frame() {
        let mut control = Control::new(60.0, true, false);
        run(&mut control, Progress::Done);
        control.command(Command::Restart);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
        assert_eq!(control.task(), Some(Task::Frame));
        control.command(Command::StepDraw);
        run(&mut control, Progress::Done);
        control.command(Command::Restart);
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Restart));
        assert_eq!(run(&mut control, Progress::Done), Some(Task::Frame));
        assert_eq!(control.task(), None);
    }

    #[test]
    fn a_failed_stream_does_nothing_until_it_is_restarted() {
        let mut control = Control::new(60.0, true, true);
        control.fail();
        assert_eq!((control.task(), control.wait()), (None, None));
        control.command(Command::Restart);
        assert_eq!(control.task(), Some(Task::Restart));
    }
}
