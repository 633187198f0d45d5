//! Finds the first command of a stream after which two engines differ.
//!
//! Two players go through the stream side by side. After each command that writes memory, what it writes is compared. So a
//! difference is found where it arises, also if later commands overwrite it. Reading after each command separates
//! draws that an engine would otherwise run together; [`search`] finds differences that appear only then, and those of
//! other programs, in a few plays up to a draw.

use super::{CheckError, SurfaceDifference, compare_surfaces};
use crate::capture::{Capture, Record};
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Engine, EngineError, EngineLayer, GpuCommand};
use crate::plural::counted;
use crate::replay::{Player, ReplayError, ReplayOptions, Step, Surface, read_surface};

/// A command of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Place {
    /// What it does: `draw`, `clear`, `copy`, `image`, `fill`, `report` or `launch`.
    pub command: &'static str,
    /// How many draws and clears the stream had before it. A draw has this number in `--until-draw`.
    pub draws: u64,
    /// The same of clears.
    pub clears: u64,
    /// The sequence number of its submission.
    pub submission: u32,
    /// The record of its submission, from 0.
    pub record: usize,
    /// The method of the submission that executes it, from 0.
    pub method: u64,
}

impl Place {
    /// The place of a draw; none if the stream has no draw of this number.
    ///
    /// # Errors
    /// When the stream cannot be played up to there.
    pub fn of_draw(capture: &Capture, engine: &mut dyn Engine, draw: u64) -> Result<Option<Self>, CheckError> {
        let mut player = Player::new(capture, &ReplayOptions::default()).map_err(|error| CheckError::run(&error))?;
        let mut method = 0;
        loop {
            let (record, _) = player.progress();
            let clears = player.counts().clears;
            let submission = sequence(&player);
            let step = player.step_method(engine).map_err(|error| CheckError::run(&error))?;
            if player.counts().draws > draw {
                return Ok(Some(Self { command: "draw", draws: draw, clears, submission, record, method }));
            }
            match step {
                None => return Ok(None),
                Some(Step::Method) => method += 1,
                Some(_) => method = 0,
            }
        }
    }
}

/// The sequence number of the submission that a player executes next.
fn sequence(player: &Player<'_>) -> u32 {
    match player.next_record() {
        Some(Record::Submit(submission)) => submission.sequence,
        _ => 0,
    }
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The first command after which the engines differ; none if only memory at the end does.
    pub place: Option<Place>,
    /// The surfaces that differ.
    pub surfaces: Vec<SurfaceDifference>,
    /// Other differences, in words: bytes of memory, an engine that fails.
    pub others: Vec<String>,
}

/// What a command writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Surfaces,
    Window(MemoryWindow),
    Everything,
}

/// An engine that notes which commands it executes.
#[derive(Debug)]
struct Watched<'e> {
    engine: &'e mut dyn Engine,
    commands: Vec<(&'static str, Written)>,
}

impl EngineLayer for Watched<'_> {
    fn inner(&self) -> &dyn Engine {
        self.engine
    }

    fn inner_mut(&mut self) -> &mut dyn Engine {
        self.engine
    }

    fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.engine.execute(command)?;
        self.commands.extend(match command {
            GpuCommand::Draw(_) => Some(("draw", Written::Surfaces)),
            GpuCommand::Clear(_) => Some(("clear", Written::Surfaces)),
            GpuCommand::CopyMemory(copy) => {
                let lines = u64::from(copy.line_count.saturating_sub(1)) * u64::from(copy.destination_pitch);
                let line = u64::from(copy.line_length) * u64::from(copy.destination_increment);
                let bytes = u32::try_from(lines + line).unwrap_or(u32::MAX);
                Some(("copy", Written::Window(copy.destination.truncated(bytes))))
            }
            GpuCommand::ScaleImage(image) => Some(("image", Written::Window(image.destination))),
            GpuCommand::ZeroMemory(window) => Some(("fill", Written::Window(*window))),
            GpuCommand::WriteReport { window, .. } => Some(("report", Written::Window(window.truncated(16)))),
            GpuCommand::Launch(_) => Some(("launch", Written::Everything)),
            // Their values are in the stream.
            GpuCommand::WriteNotifier { .. } | GpuCommand::WriteFence { .. } | GpuCommand::ResetSampleCounter => None,
        });
        Ok(())
    }
}

/// A player and its engine.
#[derive(Debug)]
struct Side<'c, 'e> {
    player: Player<'c>,
    engine: Watched<'e>,
}

impl Side<'_, '_> {
    fn step(&mut self) -> Result<Option<Step>, ReplayError> {
        self.player.step_method(&mut self.engine)
    }

    fn surfaces(&mut self) -> Result<Vec<Surface>, EngineError> {
        let bound = self.player.bound_surfaces();
        bound.iter().map(|bound| read_surface(bound, self.engine.engine)).collect()
    }

    fn bytes(&mut self, window: MemoryWindow) -> Result<Vec<u8>, EngineError> {
        let extent = self.engine.memory_extent(window.space).saturating_sub(window.start);
        let mut bytes = vec![0; window.bytes.min(extent) as usize];
        self.engine.read_memory(window, &mut bytes)?;
        Ok(bytes)
    }
}

/// Plays a stream on two engines side by side, and finds the first command after which what it wrote differs; none if no
/// command does, and memory is the same at the end. An engine that fails where the other does not differs there.
/// `progress` receives the number of applied records and the total.
///
/// # Errors
/// When both engines fail, or memory cannot be read.
pub fn bisect(
    capture: &Capture,
    engines: [&mut dyn Engine; 2],
    options: &ReplayOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Option<Finding>, CheckError> {
    let run = |error: &dyn std::error::Error| CheckError::run(error);
    let [left, right] = engines.map(|engine| {
        let player = Player::new(capture, options).map_err(|error| run(&error));
        player.map(|player| Side { player, engine: Watched { engine, commands: Vec::new() } })
    });
    let mut sides = [left?, right?];
    let mut method = 0;
    loop {
        let (record, _) = sides[0].player.progress();
        let counts = sides[0].player.counts();
        let submission = sequence(&sides[0].player);
        let place =
            move |command| Place { command, draws: counts.draws, clears: counts.clears, submission, record, method };
        let [left, right] = sides.each_mut().map(Side::step);
        match (left, right) {
            (Ok(None), Ok(None)) => break,
            (Ok(_), Ok(step)) => method = if step == Some(Step::Method) { method + 1 } else { 0 },
            (Err(error), Err(_)) => return Err(run(&error)),
            (left, right) => return Ok(Some(failure(place("method"), [left.err(), right.err()]))),
        }
        progress(record, capture.records.len());
        let [commands, others] = sides.each_mut().map(|side| std::mem::take(&mut side.engine.commands));
        if commands != others {
            let others = vec![format!("one executes {commands:?}, the other {others:?}")];
            return Ok(Some(Finding { place: Some(place("method")), surfaces: Vec::new(), others }));
        }
        for (command, written) in commands {
            let found = written_difference(&mut sides, written).map_err(|error| run(&error))?;
            if let Some(found) = found {
                return Ok(Some(Finding { place: Some(place(command)), ..found }));
            }
        }
    }
    written_difference(&mut sides, Written::Everything).map_err(|error| run(&error))
}

fn failure(place: Place, errors: [Option<ReplayError>; 2]) -> Finding {
    let failed = errors.into_iter().zip(["first", "second"]);
    let others = failed.filter_map(|(error, side)| Some(format!("the {side} fails: {}", error?)));
    Finding { place: Some(place), surfaces: Vec::new(), others: others.collect() }
}

/// The difference of what a command wrote, without its place.
fn written_difference(sides: &mut [Side<'_, '_>; 2], written: Written) -> Result<Option<Finding>, EngineError> {
    let mut found = Finding { place: None, surfaces: Vec::new(), others: Vec::new() };
    if written == Written::Surfaces {
        let [left, right] = sides.each_mut().map(Side::surfaces);
        found.surfaces = compare_surfaces(&left?, &right?);
    } else {
        let windows = match written {
            Written::Window(window) => vec![window],
            _ => MemorySpace::ALL.map(|space| MemoryWindow { space, start: 0, bytes: u32::MAX }).to_vec(),
        };
        for window in windows {
            let [left, right] = sides.each_mut().map(|side| side.bytes(window));
            found.others.extend(compare_bytes(window, &left?, &right?));
        }
    }
    Ok((!found.surfaces.is_empty() || !found.others.is_empty()).then_some(found))
}

fn compare_bytes(window: MemoryWindow, left: &[u8], right: &[u8]) -> Option<String> {
    let count = left.iter().zip(right).filter(|(left, right)| left != right).count();
    let space = window.space;
    if left.len() != right.len() {
        return Some(format!("{space:?} has {} and {} bytes", left.len(), right.len()));
    }
    let first = left.iter().zip(right).position(|(left, right)| left != right)?;
    let address = u64::from(window.start) + first as u64;
    Some(format!(
        "{space:?} differs in {}, the first at {address:#x}: {:#04x}, {:#04x}",
        counted(count, "byte"),
        left[first],
        right[first]
    ))
}

/// Finds a draw after which two programs differ while they agree after the draw before it. `probe` plays both up to a
/// draw and returns their difference. If they agree after the last draw, none is found; a difference that a later draw
/// overwrites is only found with `each`, which tries every draw in order.
///
/// # Errors
/// When a probe fails.
pub fn search<T, E>(
    draws: u64,
    each: bool,
    probe: &mut dyn FnMut(u64) -> Result<Option<T>, E>,
) -> Result<Option<(u64, T)>, E> {
    if each {
        for draw in 0..draws {
            if let Some(found) = probe(draw)? {
                return Ok(Some((draw, found)));
            }
        }
        return Ok(None);
    }
    let Some(last) = draws.checked_sub(1) else { return Ok(None) };
    let Some(found) = probe(last)? else { return Ok(None) };
    // They agree before draw `low`, and differ after draw `high`.
    let (mut low, mut high, mut best) = (0, last, found);
    while low < high {
        let middle = low + (high - low) / 2;
        match probe(middle)? {
            Some(found) => (high, best) = (middle, found),
            None => low = middle + 1,
        }
    }
    Ok(Some((high, best)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;

    /// The reference, which changes a bit of a pixel after one of its draws.
    #[derive(Debug)]
    struct Faulty {
        engine: Reference,
        draws: u64,
        fault: u64,
    }

    impl EngineLayer for Faulty {
        fn inner(&self) -> &dyn Engine {
            &self.engine
        }

        fn inner_mut(&mut self) -> &mut dyn Engine {
            &mut self.engine
        }

        fn pass_command(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
            self.engine.execute(command)?;
            let GpuCommand::Draw(draw) = command else { return Ok(()) };
            self.draws += 1;
            if self.draws - 1 == self.fault {
                let target = draw.targets.color[0].expect("the stream draws colors");
                let offset = target.layout.word_offset(5, 3, 4, 0);
                let window = target.window.from_offset(offset).truncated(1);
                let mut byte = [0];
                self.engine.read_memory(window, &mut byte)?;
                self.engine.write_memory(window, &[byte[0] ^ 0x10])?;
            }
            Ok(())
        }
    }

    fn reference(capture: &Capture) -> Reference {
        Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap()
    }

    fn faulty_after(capture: &Capture, fault: u64) -> Option<Finding> {
        let mut faulty = Faulty { engine: reference(capture), draws: 0, fault };
        bisect(capture, [&mut reference(capture), &mut faulty], &ReplayOptions::default(), &mut |_, _| {}).unwrap()
    }

    #[test]
    fn a_planted_difference_is_found_at_its_draw_although_a_clear_removes_it() {
        let capture = Capture::open("scenes/captures/multiframe.nvcap").unwrap();
        assert_eq!(faulty_after(&capture, u64::MAX), None);
        for fault in [0, 3] {
            let found = faulty_after(&capture, fault).unwrap();
            let place = found.place.unwrap();
            assert_eq!((place.command, place.draws), ("draw", fault));
            assert!(matches!(&capture.records[place.record], Record::Submit(it) if it.sequence == place.submission));
            let pixels = found.surfaces[0].pixels.as_ref().unwrap();
            assert_eq!((pixels.count, pixels.first, pixels.largest), (1, [5, 3], 16), "{found:?}");
        }
    }

    #[test]
    fn a_search_finds_where_results_begin_to_differ() {
        for first in 0..20 {
            let mut probes = 0;
            let mut probe = |draw: u64| {
                probes += 1;
                Ok::<_, ()>((draw >= first).then_some(draw))
            };
            assert_eq!(search(20, false, &mut probe), Ok(Some((first, first))));
            assert!(probes <= 6, "{probes}");
        }
        assert_eq!(search(0, false, &mut |_| Ok::<_, ()>(Some(1))), Ok(None));
        assert_eq!(search(5, false, &mut |_| Ok::<Option<()>, ()>(None)), Ok(None));
        assert_eq!(search(5, false, &mut |_| Err::<Option<()>, _>("no")), Err("no"));
    }

    #[test]
    fn a_difference_that_is_overwritten_is_found_by_trying_each_draw() {
        let mut probe = |draw: u64| Ok::<_, ()>((2..4).contains(&draw).then_some(draw));
        assert_eq!(search(6, false, &mut probe), Ok(None));
        assert_eq!(search(6, true, &mut probe), Ok(Some((2, 2))));
    }
}
