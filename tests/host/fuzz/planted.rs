//! Plants a difference in what each fuzz target compares: the target must fail.

use std::panic::{AssertUnwindSafe, catch_unwind};

use curie::asm::inputs::parse_inputs;
use curie::capture::{Capture, Record};
use curie::chip::MethodCounts;
use curie::command::builder::{CaptureBuilder, StreamBuilder, handles};
use curie::counters::{Counter, Counters};
use curie::engine::ComputeEngine;
use curie::launch::{Argument, TextureArgument};
use curie::pipeline::ShadedVertex;

use super::machines::{assert_consistent, modelled};
use super::targets::{
    Played, all_given, assert_same_plays, assert_valid_stream, encoded_writes, method_writes, written_inputs,
};
use super::{arguments, executed, reports};
use crate::common::compute_program::case;
use crate::common::launch_outcome::outcome;
use crate::common::markup::{csv_records, elements};

/// Whether a comparison fails.
fn fails(comparison: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(comparison)).is_err()
}

fn played() -> Played {
    let mut counters = Counters::default();
    counters.add(Counter::Quads, 4);
    Played {
        memory: vec![1, 2, 3],
        refused: Vec::new(),
        anomalies: Vec::new(),
        counters: vec![counters],
        counts: MethodCounts::default(),
    }
}

#[test]
fn other_plays() {
    let plain = || Played { counters: Vec::new(), ..played() };
    assert_same_plays(&plain(), &played(), &played());
    let memory = Played { memory: vec![1, 2, 4], ..played() };
    assert!(fails(|| assert_same_plays(&plain(), &played(), &memory)));
    assert!(fails(|| assert_same_plays(&memory, &played(), &played())));
    let mut counted = played();
    counted.counters[0].add(Counter::Quads, 1);
    assert!(fails(|| assert_same_plays(&plain(), &played(), &counted)));
    let refused = Played { refused: vec![(3, "why".to_owned())], ..plain() };
    assert!(fails(|| assert_same_plays(&refused, &played(), &played())));
}

#[test]
fn streams_of_unknown_objects() {
    // The 3D class on subchannel 7, and nothing on another.
    let stream = |subchannel: u8| {
        let mut builder = CaptureBuilder::new();
        let mut stream = StreamBuilder::new();
        stream.bind(7, 0x4097, handles::object(0x4097)).method(subchannel, 0x1fd8, 0);
        builder.submit(stream);
        builder.finish()
    };
    assert_valid_stream(&stream(7));
    assert!(fails(|| assert_valid_stream(&stream(5))));
    let mut foreign = stream(7);
    foreign.records.push(Record::Notifier { handle: 1, offset: 0, bytes: 4, buffer: 77 });
    assert!(fails(|| assert_valid_stream(&foreign)));
}

#[test]
fn other_method_writes() {
    let mut stream = StreamBuilder::new();
    stream.methods(7, 0x1ffc, &[1, 2, 3]).repeated(3, 0x400, &[4, 5]).method(0, 0x100, 6);
    let (writes, is_broken) = method_writes(stream.words());
    assert_eq!((writes.len(), is_broken), (6, false));
    assert_eq!(encoded_writes(&writes).words(), stream.words());
    let mut other = writes.clone();
    other[1].value = 9;
    assert_ne!(method_writes(encoded_writes(&other).words()).0, writes);
    other[1] = writes[1];
    other[4].begins_packet = true;
    assert_ne!(method_writes(encoded_writes(&other).words()).0, writes);
}

#[test]
fn other_inputs() {
    let read = |text: &str| parse_inputs(text, None).unwrap();
    let inputs = read("v[3]=1,2,3,nan f[FOGC]=5,6,7,8 c[7]=1e9,0,0,1");
    assert_eq!(read(&written_inputs(&inputs, &[])), all_given(inputs.clone()));
    for other in ["v[3]=1,2,3,4", "f[FOGC]=5,6,7,9", "c[7]=0,0,0,1", "c[8]=1e9,0,0,1"] {
        assert_ne!(written_inputs(&read(other), &[]), written_inputs(&inputs, &[]));
    }
}

#[test]
fn other_results_of_launches() {
    let expected = outcome(&ComputeEngine::REFERENCE, &case(1), 50_000);
    executed::assert_same_outcome("same", &expected, &expected);
    let mut other = expected.clone();
    other.memory.write(other.memory.buffers()[0].address, 1).unwrap()[0] ^= 1;
    assert!(fails(|| executed::assert_same_outcome("other", &expected, &other)));
}

#[test]
fn other_vertices() {
    let vertex = |word| ShadedVertex { outputs: vec![[word; 4]; 16] };
    executed::assert_same_vertices("same", &[vertex(1)], &[vertex(1)]);
    assert!(fails(|| executed::assert_same_vertices("other", &[vertex(1)], &[vertex(2)])));
    assert!(fails(|| executed::assert_same_vertices("fewer", &[vertex(1)], &[])));
}

#[test]
fn other_totals_of_models() {
    let machine = curie::machine::open("geforce-6800-ultra").unwrap();
    let models = modelled(&machine).unwrap();
    assert_consistent(&models, &machine);
    let mut hits = models.clone();
    hits.draws[0].texture.first.hits += 1;
    assert!(fails(|| assert_consistent(&hits, &machine)));
    let mut misses = models.clone();
    misses.frames.last_mut().unwrap().textures.cache.streams[0].first.cold += 1;
    assert!(fails(|| assert_consistent(&misses, &machine)));
    let mut tiles = models.clone();
    tiles.draws[0].rejection.counts.tiles_rejected = tiles.draws[0].rejection.counts.tiles + 1;
    assert!(fails(|| assert_consistent(&tiles, &machine)));
    let mut time = models.clone();
    time.frames.last_mut().unwrap().time.apart = 0.0;
    assert!(fails(|| assert_consistent(&time, &machine)));
    let mut rows = models;
    rows.frames.last_mut().unwrap().memory.partitions[0].banks[0].hits += 1;
    assert!(fails(|| assert_consistent(&rows, &machine)));
}

#[test]
fn other_pages() {
    let page = |body: &str| format!("<!DOCTYPE html>\n<html lang=\"en\"><body>{body}</body></html>");
    reports::assert_page(&page("<p class=\"machine\">a &lt; b</p>"));
    for body in [
        "<b>bold",
        "<p>a & b</p>",
        "<p>a < b</p>",
        "<marquee></marquee>",
        "<p onclick=\"x\"></p>",
        "<a href=\"https://example.org/\">x</a>",
        "<img src=\"//example.org/x.png\" alt=\"x\" />",
        "<script>x</script></script>",
    ] {
        assert!(fails(|| reports::assert_page(&page(body))), "{body}");
    }
    assert!(elements("no page").is_err());
}

#[test]
fn other_tables() {
    let file = serde_json::json!({ "draws": [{ "primitive": "a,\"b\"", "target": 0 }] });
    reports::assert_csv("draw,frame,primitive,target\r\n0,,\"a,\"\"b\"\"\",0\r\n", &file);
    for text in [
        "draw,frame,primitive,target\r\n",
        "draw,frame,primitive,target\r\n0,,a,\"b\",0\r\n",
        "draw,frame,primitive,target\r\n0,,\"a,\"\"c\"\"\",0\r\n",
        "draw,frame,primitive,target\r\n1,,\"a,\"\"b\"\"\",0\r\n",
        "draw,draw,primitive,target\r\n0,,\"a,\"\"b\"\"\",0\r\n",
    ] {
        assert!(fails(|| reports::assert_csv(text, &file)), "{text:?}");
    }
    assert!(csv_records("a,b\nc,d\r\n").is_err());
    reports::assert_printable("a\nb");
    assert!(fails(|| reports::assert_printable("a\u{1b}[31m")));
}

#[test]
fn other_arguments() {
    let written = |text: &str| arguments::written_argument(&text.parse::<Argument>().unwrap());
    for (text, other) in [("i32:-1", "u32:0xffffffff"), ("f32:0.0", "f32:-0.0"), ("u32:[1,2]", "u32:[2,1]")] {
        assert_ne!(written(text), written(other));
    }
    let written = |text: &str| arguments::written_texture(&text.parse::<TextureArgument>().unwrap());
    let texture = written("0=unorm8x4,2x2:zeros");
    for other in ["1=unorm8x4,2x2:zeros", "0=unorm8x4,2x2x1:zeros", "0=unorm8x4,2x2,normalized:zeros"] {
        assert_ne!(written(other), texture);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn other_recordings() {
    use super::live_messages::assert_replayed;
    use crate::common::live::{Emulator, capture};
    use curie::engine::{EngineChoice, EngineSource};

    let engines = EngineSource::open(EngineChoice::Reference, &Default::default(), Default::default()).unwrap();
    let emulator = Emulator::start(engines, Some("planted.nvcap"));
    let mut client = emulator.connect();
    client.play(&capture("textri").records, &mut |_, _, _| {});
    drop(client);
    let ended = emulator.closed().unwrap();
    let mut recording = Capture::open(emulator.file("planted.nvcap")).unwrap();
    assert_replayed(&ended, &recording);
    // The texture, as the program wrote it.
    let written = recording.records.iter_mut().filter_map(|record| match record {
        Record::Write { bytes, .. } => Some(bytes),
        _ => None,
    });
    for byte in written.flatten() {
        *byte ^= 0x10;
    }
    assert!(fails(|| assert_replayed(&ended, &recording)));
}
