//! Streams of the GeForce 8 as Mesa's driver sends them, but with other values of some methods, methods in between, and other words in
//! memory: descriptors, programs, constants, indices, vertices.

use std::collections::BTreeMap;
use std::path::Path;

use curie::capture::{Capture, Record};
use curie::command::methods::{FieldKind, MethodRow, class_table};

use super::random::Random;

/// The most changes of a stream.
const MAX_CHANGES: u32 = 8;

/// The bundled captures of up to this many bytes.
pub(crate) fn captures(limit: usize) -> Vec<Capture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures/geforce-8");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "nvcap"));
    paths.sort();
    let files = paths.iter().map(|path| std::fs::read(path).unwrap());
    let captures: Vec<_> = files.filter(|file| file.len() < limit).map(|file| Capture::read(&file).unwrap()).collect();
    assert!(captures.len() > 20, "the bundled captures");
    captures
}

/// A stream with changes.
pub(crate) fn damaged(random: &mut Random, capture: &Capture) -> Capture {
    let mut capture = capture.clone();
    let classes = bound_classes(&capture);
    for _ in 0..=random.below(MAX_CHANGES) {
        let at = random.below(u32::try_from(capture.records.len()).unwrap()) as usize;
        match &mut capture.records[at] {
            Record::Write { bytes, .. } | Record::Pages { bytes, .. } => damage_word(random, bytes),
            Record::Submit(submission) => {
                let count = u32::try_from(submission.pushes.len()).unwrap();
                if count > 0 {
                    let push = &mut submission.pushes[random.below(count) as usize];
                    damage_packets(random, &mut push.words, &classes);
                }
            }
            _ => {}
        }
    }
    capture
}

/// Changes a word of memory.
fn damage_word(random: &mut Random, bytes: &mut [u8]) {
    let words = u32::try_from(bytes.len() / 4).unwrap();
    if words == 0 {
        return;
    }
    let place = 4 * random.below(words) as usize;
    let word = u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap());
    let other = match random.below(3) {
        0 => word ^ 1 << random.below(32),
        1 => word.wrapping_add(random.below(5)).wrapping_sub(2),
        _ => number(random),
    };
    bytes[place..place + 4].copy_from_slice(&other.to_le_bytes());
}

/// A number that is small, a power of two, or any.
fn number(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.below(40),
        1 => 1 << random.below(32),
        2 => (1 << random.below(32)) - 1,
        _ => random.word(),
    }
}

/// A packet of a push.
#[derive(Debug, Clone, Copy)]
struct Packet {
    start: usize,
    /// Its first word after the command.
    first: usize,
    subchannel: u32,
    method: u16,
    words: u32,
    is_increasing: bool,
}

fn packets(words: &[u32]) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut start = 0;
    while let Some(&header) = words.get(start) {
        let is_long = header & 0xffff_0003 == 0x0003_0000;
        let (first, count) = match is_long {
            true => (start + 2, words.get(start + 1).map_or(0, |count| *count & 0xff_ffff)),
            false => (start + 1, header >> 18 & 0x7ff),
        };
        packets.push(Packet {
            start,
            first,
            subchannel: header >> 13 & 7,
            method: u16::try_from(header & 0x1ffc).unwrap(),
            words: count,
            is_increasing: !is_long && header >> 29 == 0,
        });
        start = first + count as usize;
    }
    packets
}

/// The classes of the objects on subchannels.
fn bound_classes(capture: &Capture) -> BTreeMap<u32, u32> {
    let objects: BTreeMap<u32, u32> = capture
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Object { handle, class } => Some((*handle, *class)),
            _ => None,
        })
        .collect();
    let submissions = capture.records.iter().filter_map(|record| match record {
        Record::Submit(submission) => Some(submission),
        _ => None,
    });
    let mut bound = BTreeMap::new();
    for push in submissions.flat_map(|submission| &submission.pushes) {
        for packet in packets(&push.words).iter().filter(|packet| packet.method == 0 && packet.words > 0) {
            let class = push.words.get(packet.first).and_then(|handle| objects.get(handle));
            bound.extend(class.map(|class| (packet.subchannel, *class)));
        }
    }
    bound
}

/// A value of a method: its value after reset, or a number, with another value of one of its fields.
fn value(random: &mut Random, row: &MethodRow) -> u32 {
    let mut value = if random.flag() { row.reset } else { number(random) };
    if let Some(count) = u32::try_from(row.fields.len()).ok().filter(|count| *count > 0) {
        let field = row.fields[random.below(count) as usize];
        let width = u32::from(field.high - field.low) + 1;
        let mask = u32::MAX >> (32 - width);
        let bits = match field.kind {
            FieldKind::Enum(names) if !names.is_empty() && random.below(4) != 0 => {
                names[random.below(u32::try_from(names.len()).unwrap()) as usize].0
            }
            _ => number(random),
        };
        value = value & !(mask << field.low) | (bits & mask) << field.low;
    }
    // Millions of elements take seconds.
    if row.name.contains("COUNT") { value % 300 } else { value }
}

/// Writes another value to a method of a push, or inserts a method.
fn damage_packets(random: &mut Random, words: &mut Vec<u32>, classes: &BTreeMap<u32, u32>) {
    let found = packets(words);
    let Some(count) = u32::try_from(found.len()).ok().filter(|count| *count > 0) else { return };
    let packet = found[random.below(count) as usize];
    let Some(table) = classes.get(&packet.subchannel).and_then(|class| class_table(*class)) else { return };
    if random.flag() && packet.words > 0 {
        let place = random.below(packet.words);
        let step = if packet.is_increasing { 4 * u16::try_from(place).unwrap_or(0) } else { 0 };
        let row = table.find(packet.method.wrapping_add(step) & 0x1ffc);
        if let (Some((row, _)), Some(word)) = (row, words.get_mut(packet.first + place as usize)) {
            *word = value(random, row);
        }
        return;
    }
    let rows: Vec<_> = table.rows().filter(|row| row.address >= 0x100).collect();
    let row = rows[random.below(u32::try_from(rows.len()).unwrap()) as usize];
    let element = u16::try_from(random.below(row.count.into())).unwrap();
    let header = 1 << 18 | packet.subchannel << 13 | u32::from(row.address + element * row.stride);
    words.splice(packet.start..packet.start, [header, value(random, row)]);
}
