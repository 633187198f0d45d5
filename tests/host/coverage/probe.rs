//! Observes the effect of a method: compares the resulting commands for different values.

use std::cell::RefCell;

use curie::capture::Capture;
use curie::chip::Reason;
use curie::command::methods::{Field, FieldKind, MethodRow};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{Engine, EngineError, GpuCommand};
use curie::reference::Reference;

use super::family::{Family, Place, ValueWrites};
use crate::common::recorder::Recorder;

/// `NOP` of every class.
const NOP: u16 = 0x100;

/// The state of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Its value changes the result.
    Executed,
    /// It is accepted, and nothing depends on it.
    NoEffect,
    /// It is dropped, as the chip drops it.
    Refused,
    /// It is counted as not executed.
    Unsupported(String),
}

/// The outcome of a stream.
#[derive(Debug, PartialEq)]
struct Outcome {
    work: Vec<GpuCommand>,
    writes: Vec<(MemoryWindow, Vec<u8>)>,
    reference_count: u32,
    would_wait: bool,
    flip_buffers: (u32, u32),
}

thread_local! {
    /// Existing memory is much faster than memory allocated for every stream.
    static ENGINE: RefCell<Recorder> = RefCell::new(Recorder { samples: 1, ..Recorder::new(1 << 28, 1 << 28) });
}

/// A recorder, and what a chip writes to memory itself.
#[derive(Debug)]
struct Observer<'a> {
    recorder: &'a mut Recorder,
    writes: Vec<(MemoryWindow, Vec<u8>)>,
}

impl Engine for Observer<'_> {
    fn grow_memory(&mut self, space: MemorySpace, end: u64) -> Result<(), EngineError> {
        self.recorder.grow_memory(space, end)
    }

    fn memory_extent(&self, space: MemorySpace) -> u32 {
        self.recorder.memory_extent(space)
    }

    fn write_memory(&mut self, window: MemoryWindow, bytes: &[u8]) -> Result<(), EngineError> {
        self.writes.push((window, bytes.to_vec()));
        self.recorder.write_memory(window, bytes)
    }

    fn read_memory(&mut self, window: MemoryWindow, bytes: &mut [u8]) -> Result<(), EngineError> {
        self.recorder.read_memory(window, bytes)
    }

    fn execute(&mut self, command: &GpuCommand) -> Result<(), EngineError> {
        self.recorder.execute(command)
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.recorder.finish()
    }
}

fn replay(capture: &Capture) -> (Outcome, Vec<(u16, Reason)>) {
    ENGINE.with_borrow_mut(|recorder| {
        recorder.work.clear();
        replay_on(&mut Observer { recorder, writes: Vec::new() }, capture)
    })
}

fn replay_on(engine: &mut Observer<'_>, capture: &Capture) -> (Outcome, Vec<(u16, Reason)>) {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let anomalies: Vec<_> =
        chip.anomalies().iter().map(|(anomaly, _)| (anomaly.method, anomaly.reason.clone())).collect();
    let would_wait = anomalies.iter().any(|(_, reason)| *reason == Reason::Deadlock);
    let mut work = std::mem::take(&mut engine.recorder.work);
    // The chip zeroes buffers only in memory that already exists.
    work.retain(|command| !matches!(command, GpuCommand::ZeroMemory(_)));
    let outcome = Outcome {
        work,
        writes: std::mem::take(&mut engine.writes),
        reference_count: chip.reference_count(),
        would_wait,
        flip_buffers: chip.flip_buffers(),
    };
    (outcome, anomalies)
}

/// The commands of a stream, and its anomalies.
pub(crate) fn work_and_anomalies(capture: &Capture) -> (Vec<GpuCommand>, Vec<(u16, Reason)>) {
    let (outcome, anomalies) = replay(capture);
    (outcome.work, anomalies)
}

/// The field of a method whose value is one unnamed number.
const WHOLE: &[Field] = &[Field { name: "value", high: 31, low: 0, kind: FieldKind::Bits }];

/// Values to try for a method.
fn candidates(family: &dyn Family, row: &MethodRow) -> Vec<u32> {
    let mut values = vec![row.reset, 0, 1];
    let fields = if row.fields.is_empty() { WHOLE } else { row.fields };
    for field in fields {
        let mask = field.extract(u32::MAX) << field.low;
        let parts: Vec<u32> = match field.kind {
            FieldKind::Handle => family.handles(),
            FieldKind::Float => [0.0f32, 0.5, 1.0, 2.0, -1.0, 64.0].map(f32::to_bits).to_vec(),
            FieldKind::Enum(names) => names.iter().map(|(value, _)| *value).collect(),
            _ => vec![0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 32, 64, 128, 255, 0x1000, u32::MAX],
        };
        for part in parts {
            let part = part.checked_shl(field.low.into()).unwrap_or(0) & mask;
            values.push(row.reset & !mask | part);
            values.push(part);
        }
    }
    for all in [1, 2, 3, 4, 8] {
        values.push(fields.iter().fold(0, |value, field| value | all << field.low));
    }
    values.extend(family.base(row).iter().flat_map(|&base| (0..32).map(move |bit| base ^ 1 << bit)));
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(*value));
    values
}

/// Observes one method of a class, at the first and the last element of its array.
pub(crate) fn method_state(family: &dyn Family, class: u32, row: &MethodRow) -> State {
    let (values, follow) = (candidates(family, row), family.follow(class, row, u32::MAX));
    let mut elements = vec![row.address, row.address + (row.count - 1) * row.stride];
    elements.dedup();
    let mut refused = None;
    for (place, setting) in family.conditions(class) {
        let with = |method, value| {
            family.capture(setting, place, &|stream| family.write(stream, class, method, value, &follow))
        };
        let (untouched, _) = replay(&with(NOP, 0));
        for &method in &elements {
            for &value in &values {
                let (outcome, anomalies) = replay(&with(method, value));
                let illegal = [Reason::IllegalValue, Reason::UnknownHandle];
                let of_method = anomalies.iter().find(|(name, reason)| *name == method && !illegal.contains(reason));
                if outcome != untouched {
                    return State::Executed;
                }
                if let Some((_, reason @ (Reason::UnknownMethod | Reason::Unsupported(_)))) = of_method {
                    refused = Some(reason.to_string());
                }
            }
        }
    }
    refused.map_or(State::NoEffect, State::Unsupported)
}

/// Runs a stream on the reference; returns the state of its last anomaly, if any.
fn refusal(capture: &Capture, class: u32, method: u16) -> Option<State> {
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, &mut engine).unwrap();
    }
    engine.finish().unwrap();
    let found = chip.anomalies().iter().map(|(anomaly, _)| {
        let is_dropped = anomaly.reason == Reason::IllegalValue && (anomaly.class, anomaly.method) == (class, method);
        if is_dropped { State::Refused } else { State::Unsupported(anomaly.to_string()) }
    });
    found.last()
}

/// Observes one value, of a field or of what methods leave in memory: the reference must execute what follows, and another
/// value must change the result.
pub(crate) fn value_state(
    family: &dyn Family,
    class: u32,
    method: u16,
    value: u32,
    others: &[u32],
    writes: &dyn Fn(u32) -> ValueWrites,
) -> State {
    let mut refused = None;
    let mut has_effect = false;
    for &setting in family.value_settings() {
        let with = |value: u32| {
            let ValueWrites { prepare, word, follow } = writes(value);
            family.capture(setting, Place::Outside, &|stream| {
                for &(method, value) in &prepare {
                    family.write(stream, class, method, value, &[]);
                }
                family.write(stream, class, method, word, &follow);
            })
        };
        if refused.is_none() {
            refused = refusal(&with(value), class, method);
        }
        let (outcome, _) = replay(&with(value));
        has_effect = has_effect || others.iter().any(|&other| replay(&with(other)).0 != outcome);
    }
    match refused {
        Some(state) => state,
        None if has_effect => State::Executed,
        None => State::NoEffect,
    }
}

/// A row that no table has, for tests of the tests.
pub(crate) fn planted_row(name: &'static str, address: u16) -> MethodRow {
    MethodRow { name, address, count: 1, stride: 4, reset: 0, fields: WHOLE }
}
