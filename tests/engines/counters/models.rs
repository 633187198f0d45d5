//! Models over streams with known answers, and the same numbers on a device and on the host.

use std::path::Path;

use curie::capture::Capture;
use curie::counters::Counter;
use curie::machine::{self, DEFAULT_MACHINE, Machine};
use curie::replay::ReplayOptions;
use curie::statistics::models::{CacheSweep, ModelRunner, Models, TracedFrames, model, texture_trace};
use curie::statistics::texture_cache::{QuadOrder, SweepAxes};
use serde_json::Value;

use super::streams::{PIXELS, drawn_layers, only_draw, scene};
use crate::common;

pub(crate) fn ultra() -> Machine {
    machine::open(DEFAULT_MACHINE).unwrap()
}

/// The models of a capture, equal on the host and on a device.
pub(crate) fn modelled(capture: &Capture) -> Models {
    modelled_on(capture, &ultra())
}

/// The same for another machine.
pub(crate) fn modelled_on(capture: &Capture, machine: &Machine) -> Models {
    let run = |runner| model(capture, machine, runner, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    let on_host = run(ModelRunner::default());
    if let Some(gpu) = common::gpu() {
        assert_eq!(run(ModelRunner::only_on_device(&gpu)), on_host);
    }
    assert!(!on_host.is_cut_off);
    on_host
}

/// The path of the first difference between two JSON values; `None` if they are equal.
fn first_difference(left: &Value, right: &Value) -> Option<String> {
    let members = |value: &Value| -> Vec<(String, Value)> {
        match value {
            Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
            Value::Array(elements) => {
                (0..).zip(elements).map(|(at, value): (u32, _)| (at.to_string(), value.clone())).collect()
            }
            _ => Vec::new(),
        }
    };
    let (left_members, right_members) = (members(left), members(right));
    let keys = |members: &[(String, Value)]| -> Vec<String> { members.iter().map(|(key, _)| key.clone()).collect() };
    if left_members.is_empty() || keys(&left_members) != keys(&right_members) {
        return (left != right).then(String::new);
    }
    left_members
        .iter()
        .zip(&right_members)
        .find_map(|((key, left), (_, right))| first_difference(left, right).map(|path| format!("/{key}{path}")))
}

#[test]
fn a_device_gives_the_models_of_the_host_in_every_member() {
    let Some(gpu) = common::gpu() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures");
    for name in ["cube", "blend_stencil", "npot"] {
        let capture = Capture::read(&std::fs::read(folder.join(format!("{name}.nvcap"))).unwrap()).unwrap();
        let json = |machine: &Machine, runner| {
            let models = model(&capture, machine, runner, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
            serde_json::to_value(models.json(machine.into())).unwrap()
        };
        let machine = ultra();
        let on_host = json(&machine, ModelRunner::default());
        assert_eq!(first_difference(&json(&machine, ModelRunner::only_on_device(&gpu)), &on_host), None, "{name}");
        // Planted differences: one clock in a row, and one more clock to open rows of memory.
        let mut other = on_host.clone();
        let cycles = &mut other["time"]["draws"][0]["cycles"]["memory"];
        *cycles = (cycles.as_f64().unwrap() + 1.0).into();
        assert_eq!(first_difference(&other, &on_host).unwrap(), "/time/draws/0/cycles/memory", "{name}");
        let mut slower = machine.clone();
        slower.memory.activate_clocks += 1;
        let path = first_difference(&json(&slower, ModelRunner::only_on_device(&gpu)), &on_host).unwrap();
        assert!(path.starts_with("/memory/partitions/0/cycles"), "{name}: {path}");
    }
}

/// A 64×64 texture over the 64×64 target, one texel per pixel.
fn textured(name: &str, filter: &str) -> Capture {
    let fragment = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND\n";
    let rest = format!(
        "textures: {{\"t\": (image: Formula(size: (64, 64), color: \"(u, v, 1 - u, 1)\"), min: {filter}, mag: {filter})}},
        meshes: {{\"screen\": (shape: Screen)}},
        passes: [Render(target: \"screen\", draws: [
            (mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}}),
        ])]"
    );
    scene(name, fragment, &rest)
}

#[test]
fn a_texture_over_the_target_is_read_from_memory_once() {
    let capture = textured("texel_for_pixel", "LINEAR");
    let models = modelled(&capture);
    let frame = &models.frames[0];
    let total = frame.textures.cache.total();
    // 64×64 texels of 4 bytes, lines of 64 bytes.
    assert_eq!((total.second.misses(), total.second.cold), (256, 256));
    assert_eq!(frame.textures.cache.memory_bytes(), 4 * PIXELS);
    assert_eq!(models.draws[0].loads.memory.texture, 4 * PIXELS);
    // Quads of both triangles look up four texels for each of four pixels.
    assert_eq!(total.first.accesses() % 16, 0);
    assert_eq!(total.first.accesses(), only_draw(&capture).total(Counter::Texels));
    assert!(total.first.accesses() >= 4 * PIXELS);
    // Each 32-byte access is written once by each primitive that covers part of it.
    let written = frame.memory.bytes_of(curie::statistics::memory_partitions::Client::Color)[1];
    assert!((4 * PIXELS..5 * PIXELS).contains(&written), "{written}");
}

#[test]
fn a_fragment_fifo_as_deep_as_latency_hides_it() {
    let models = modelled(&textured("prefetched", "NEAREST"));
    let curve = &models.frames[0].textures.curve;
    let rate = |point: &(u32, u64, u64)| point.2 as f64 / point.1 as f64;
    assert!(curve.windows(2).all(|pair| rate(&pair[0]) <= rate(&pair[1]) + 1e-9), "{curve:?}");
    assert!(rate(&curve[0]) < 0.2, "without a FIFO the loss is great");
}

fn layers(name: &str, depths: [u32; 8]) -> Models {
    modelled(&drawn_layers(name, depths))
}

#[test]
fn hidden_layers_are_rejected_coarsely() {
    // 64 tiles of 8×8 pixels each.
    let front_to_back = layers("coarse_front", [0, 1, 2, 3, 4, 5, 6, 7]);
    let rejected: Vec<_> = front_to_back.draws.iter().map(|draw| draw.rejection.counts.tiles_rejected).collect();
    assert_eq!(rejected, [0, 64, 64, 64, 64, 64, 64, 64]);
    assert!(
        front_to_back
            .draws
            .iter()
            .all(|draw| draw.rejection.counts.tiles == 64 && draw.rejection.disabled_by.is_empty())
    );
    let back_to_front = layers("coarse_back", [7, 6, 5, 4, 3, 2, 1, 0]);
    assert!(back_to_front.draws.iter().all(|draw| draw.rejection.counts.tiles_rejected == 0));
    // A layer writes four bytes of color and of depth for each pixel, and reads depth.
    let clocks = &back_to_front.draws[3].clocks;
    let memory = &back_to_front.draws[3].loads.memory;
    assert_eq!((memory.color, memory.depth), (4 * PIXELS, 8 * PIXELS));
    assert!(clocks.bottleneck().is_some());
    // All samples of the depth surface are equal.
    let left = front_to_back.frames[0].left.depth.unwrap();
    assert_eq!((left.tiles, left.compressed, left.bytes), (8 * 16, 8 * 16, 8 * 16 * 32));
}

#[test]
fn sweeps_add_up_and_larger_caches_of_all_ways_never_miss_more() {
    let capture = textured("swept", "LINEAR");
    let axes = SweepAxes {
        size_bytes: vec![1024, 4096, 16_384],
        line_bytes: vec![64],
        ways: vec![16],
        orders: vec![QuadOrder::Tiled { quads: 4 }, QuadOrder::Scanline],
        ..SweepAxes::default()
    };
    let mut sweep = CacheSweep::new(&axes);
    let mut texels = 0;
    for frame in TracedFrames::new(&capture, &ultra(), &ReplayOptions::default()).unwrap() {
        let (trace, _) = texture_trace(&frame.unwrap().draws, &ultra());
        texels += trace.texels.len() as u64;
        sweep.add(&ModelRunner::default().sweep(&trace, &sweep.cases()).unwrap());
    }
    assert_eq!(sweep.rows.len(), 6);
    for row in &sweep.rows {
        assert_eq!(row.counts.accesses(), texels);
        assert_eq!(row.memory_bytes, 64 * row.counts.misses());
    }
    for rows in sweep.rows.chunks(3) {
        assert!(
            rows[0].counts.misses() >= rows[1].counts.misses() && rows[1].counts.misses() >= rows[2].counts.misses()
        );
    }
    let csv = sweep.to_csv();
    assert_eq!(csv.lines().count(), 7);
    assert!(sweep.to_text().contains("scanline"));
    assert!(curie::statistics::models::sweep_svg(&sweep, "swept").unwrap().starts_with("<svg"));
}
