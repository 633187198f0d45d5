//! Observes the effect of a method: compares the resulting commands for different values.

use std::cell::RefCell;

use curie::capture::Capture;
use curie::chip::Reason;
use curie::command::builder::{StreamBuilder, handles};
use curie::command::methods::{FieldKind, MethodRow};
use curie::machine::chip_of;
use curie::pipeline::{Engine, GpuCommand};
use curie::reference::Reference;

use super::scene::{OTHER, Place, Setting, THREE_D, capture};
use crate::common::recorder::Recorder;

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
    reference_count: u32,
    would_wait: bool,
    flip_buffers: (u32, u32),
}

thread_local! {
    /// Existing memory is much faster than memory allocated for every stream.
    static ENGINE: RefCell<Recorder> = RefCell::new(Recorder { samples: 1, ..Recorder::new(1 << 28, 1 << 28) });
}

fn replay(capture: &Capture) -> (Outcome, Vec<(u16, Reason)>) {
    ENGINE.with_borrow_mut(|engine| replay_on(engine, capture))
}

fn replay_on(engine: &mut Recorder, capture: &Capture) -> (Outcome, Vec<(u16, Reason)>) {
    engine.work.clear();
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let anomalies: Vec<_> =
        chip.anomalies().iter().map(|(anomaly, _)| (anomaly.method, anomaly.reason.clone())).collect();
    let would_wait = anomalies.iter().any(|(_, reason)| *reason == Reason::Deadlock);
    let mut work = std::mem::take(&mut engine.work);
    // The chip zeroes buffers only in memory that already exists.
    work.retain(|command| !matches!(command, GpuCommand::ZeroMemory(_)));
    (
        Outcome { work, reference_count: chip.reference_count(), would_wait, flip_buffers: chip.flip_buffers() },
        anomalies,
    )
}

/// The commands of a stream, and its anomalies.
pub(crate) fn work_and_anomalies(capture: &Capture) -> (Vec<GpuCommand>, Vec<(u16, Reason)>) {
    let (outcome, anomalies) = replay(capture);
    (outcome.work, anomalies)
}

/// Values to try for a method.
fn candidates(row: &MethodRow) -> Vec<u32> {
    let mut values = vec![row.reset, 0, 1];
    for field in row.fields {
        let mask = field.extract(u32::MAX) << field.low;
        let parts: Vec<u32> = match field.kind {
            FieldKind::Handle => {
                vec![handles::VRAM, handles::GART, 0, handles::QUERY, handles::object(0x4097), handles::object(0x62)]
            }
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
        values.push(row.fields.iter().fold(0, |value, field| value | all << field.low));
    }
    values.extend(base(row).iter().flat_map(|&base| (0..32).map(move |bit| base ^ 1 << bit)));
    let mut seen = std::collections::BTreeSet::new();
    values.retain(|value| seen.insert(*value));
    values
}

/// A legal value that others differ from by a bit, if the value after reset is not legal.
fn base(row: &MethodRow) -> Option<u32> {
    match row.name {
        "FP_CONTROL" => Some(0x0200_0000),
        "VERTEX_TEX_FORMAT" => Some(0x0001_bc21),
        "FORMAT" => Some(0x0101),
        _ => None,
    }
}

/// Methods that reveal the effect of a method that only changes how the next ones are read.
fn follow(class: u32, row: &MethodRow, value: u32) -> Vec<(u16, u32)> {
    match (class, row.name) {
        (0x4097, "VERTEX_BEGIN_END") if value == 0 => Vec::new(),
        (0x4097, "VERTEX_BEGIN_END") => vec![(0x1814, 7 << 24), (0x1808, 0)],
        (_, "OBJECT") => vec![(0x30c, 0x77)],
        (0x4097, "VP_UPLOAD_FROM_ID") => (0..4).map(|word| (0xb80 + 4 * word, 0)).collect(),
        (0x4097, "VP_UPLOAD_CONST_ID") => (0..4).map(|word| (0x1f00 + 4 * word, 0x7777)).collect(),
        (0x4097, "FLIP_MAX") => vec![(0x12c, 0); 3],
        (0x97, "VP_UPLOAD_FROM_ID") => (0..4).map(|word| (0xb00 + 4 * word, 7)).chain([(0x1e94, 2)]).collect(),
        (0x97, "VP_UPLOAD_CONST_ID") => (0..4).map(|word| (0xb80 + 4 * word, 0x7777)).chain([(0x1e94, 2)]).collect(),
        (0x97, "VP_UPLOAD_INST" | "VP_UPLOAD_CONST" | "VP_START_FROM_ID") => vec![(0x1e94, 2)],
        (0xf1ca, name) if name != "START_DRAW_FUNC0" => pica_draw(name),
        (0x44, "COLOR_FORMAT") => vec![(0x310, 0x8123_4567)],
        (0x44, "BITMAP_FORMAT") => vec![(0x318, 1)],
        (0x57, "COLOR_FORMAT") => vec![(0x304, 0x8123_4567)],
        _ => Vec::new(),
    }
}

/// What reveals a register of the PICA200's vertex processor: the words behind an index, and drawing mode.
fn pica_draw(name: &str) -> Vec<(u16, u32)> {
    let reveal: &[(u16, u32)] = match name {
        "VSH_FLOATUNIFORM_INDEX" => &[(0xb04, 0x7777); 4],
        "VSH_FLOATUNIFORM_DATA" => &[(0xb04, 0); 2],
        "VSH_CODETRANSFER_INDEX" => &[(0xb30, 0x7777)],
        "VSH_ATTRIBUTES_PERMUTATION_HIGH" => &[(0xae4, 15)],
        "VSH_OPDESCS_INDEX" => &[(0xb58, 0x7777)],
        // One exported register, whose x is the position's.
        "SH_OUTMAP" => &[(0x13c, 7), (0xaf4, 0x7f)],
        "SH_OUTMAP_TOTAL" => &[(0xaf4, 1), (0x140, 0x1f1f_1f00)],
        "VSH_OUTMAP_MASK" => &[(0x13c, 1), (0x140, 0x1f1f_1f00)],
        _ => &[],
    };
    reveal.iter().copied().chain([(0x914, 0)]).collect()
}

fn subchannel(class: u32) -> u8 {
    if class == 0x4097 { THREE_D } else { OTHER }
}

fn write(stream: &mut StreamBuilder, class: u32, method: u16, value: u32, follow: &[(u16, u32)]) {
    // Both cases use the same number of methods, so that virtual time is the same.
    stream.bind(OTHER, class, handles::object(if class == 0x4097 { 0x39 } else { class }));
    stream.method(subchannel(class), method, value);
    for &(method, value) in follow {
        stream.method(subchannel(class), method, value);
    }
    // Completes a notifier.
    stream.method(subchannel(class), 0x100, 0);
}

/// Observes one method of a class, at the first and the last element of its array.
pub(crate) fn method_state(class: u32, row: &MethodRow) -> State {
    let (values, follow) = (candidates(row), follow(class, row, u32::MAX));
    let mut refused = None;
    for place in [Place::Outside, Place::Inside] {
        if place == Place::Inside && class != 0x4097 {
            continue;
        }
        for setting in Setting::ALL {
            if setting != Setting::Plain && setting != Setting::All && class == 0x4097 {
                continue;
            }
            let (untouched, _) = replay(&capture(setting, place, |stream| write(stream, class, 0x100, 0, &follow)));
            let mut elements = vec![row.address, row.address + (row.count - 1) * row.stride];
            elements.dedup();
            for &method in &elements {
                for &value in &values {
                    let tested = capture(setting, place, |stream| write(stream, class, method, value, &follow));
                    let (outcome, anomalies) = replay(&tested);
                    let illegal = [Reason::IllegalValue, Reason::UnknownHandle];
                    let of_method =
                        anomalies.iter().find(|(name, reason)| *name == method && !illegal.contains(reason));
                    if outcome != untouched {
                        return State::Executed;
                    }
                    if let Some((_, reason @ (Reason::UnknownMethod | Reason::Unsupported(_)))) = of_method {
                        refused = Some(reason.to_string());
                    }
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

/// Observes one value of a field: the reference must execute what follows, and another value must change the result.
pub(crate) fn value_state(class: u32, row: &MethodRow, value: u32, others: &[u32], prepare: &[(u16, u32)]) -> State {
    let method = row.address;
    let mut refused = None;
    let mut has_effect = false;
    for setting in [Setting::Plain, Setting::All] {
        let with = |value: u32, place| {
            capture(setting, place, |stream| {
                for &(method, value) in prepare {
                    write(stream, class, method, value, &[]);
                }
                write(stream, class, method, value, &follow(class, row, value));
            })
        };
        if refused.is_none() {
            refused = refusal(&with(value, Place::Outside), class, method);
        }
        let (outcome, _) = replay(&with(value, Place::Outside));
        has_effect = has_effect || others.iter().any(|&other| replay(&with(other, Place::Outside)).0 != outcome);
    }
    match refused {
        Some(state) => state,
        None if has_effect => State::Executed,
        None => State::NoEffect,
    }
}
