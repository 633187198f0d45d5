//! Models of whole runs over streams with known answers: batches, work between draws, tiles, cache lines of vertices.

use std::path::Path;

use curie::capture::{Buffer, Capture, DOMAIN_VRAM, Record};
use curie::counters::{Counter, CountingOptions};
use curie::machine::Machine;
use curie::reference::Reference;
use curie::replay::ReplayOptions;
use curie::statistics::collect;
use curie::statistics::memory_partitions::{ACCESS_BYTES, Client, TileRegion};
use curie::statistics::models::{ModelRunner, ModelledWork, Models, TileTraffic, TracedFrames, frame_shading};
use curie::statistics::time::Unit;

use super::models::{modelled, modelled_on, ultra};
use super::streams::{COLOR, PIXELS, chequered, scene, scene_of, triangle, whole_target};
use crate::common::nightly::is_nightly;

/// A machine with this many quads per batch.
fn with_batches(batch_quads: u32) -> Machine {
    let mut machine = ultra();
    machine.fragment.batch_quads = batch_quads;
    machine
}

#[test]
fn batches_diverge_where_the_fields_of_a_chequerboard_meet_in_them() {
    // Consecutive quads lie in tiles of 8×8 pixels, four in each of four rows.
    for (period, batch, expected) in [
        (8, 16, [32, 32, 0]),
        (8, 1024, [0, 0, 1]),
        (4, 16, [0, 0, 64]),
        (4, 4, [0, 0, 256]),
        (4, 2, [256, 256, 0]),
        (2, 2, [0, 0, 512]),
        (2, 1, [512, 512, 0]),
        (1, 16, [0, 0, 64]),
    ] {
        let capture = whole_target(&format!("batches{period}_{batch}"), &chequered(period), "");
        let models = modelled_on(&capture, &with_batches(batch));
        let shading = &models.draws[0].programs.shading().unwrap();
        let batches = &shading.batches;
        let found = [batches.uniform_taken, batches.uniform_not_taken, batches.divergent];
        assert_eq!((found, batches.batches), (expected, 1024 / u64::from(batch)), "{period} {batch}");
        // Each side of the branch has one instruction, which takes a pass: a divergent batch also runs the other side,
        // unless its quads diverge already.
        let further = if batches.divergent > 0 && period > 1 { 1024 } else { 0 };
        assert_eq!(shading.divergence_clocks, further, "{period} {batch}");
        assert_eq!(models.draws[0].loads.quad_clocks, shading.clocks + further);
    }
}

#[test]
fn rounds_of_loops_are_branches_of_their_own() {
    // Pixels of column x leave a loop in iteration x / 16 of four.
    let fragment = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP a, b;\nMOV b, { 0 }.x;\n\
        MUL a.x, fragment.position.x, { 0.0625 }.x;\nREP { 4 }.x;\nADD b.x, b.x, { 1 }.x;\nSUBC a.y, a.x, b.x;\n\
        BRK (LT.y);\nENDREP;\nMOV result.color, b;\nEND\n";
    let models = modelled_on(&whole_target("rounds", fragment, ""), &with_batches(16));
    let batches = &models.draws[0].programs.shading().unwrap().batches;
    // A column of eight tiles leaves in each of four iterations, two columns of tiles at once: of 64 batches, 16 break
    // first in each iteration, and reach one branch per iteration.
    assert_eq!([batches.uniform_taken, batches.uniform_not_taken, batches.divergent], [64, 16 * (1 + 2 + 3), 0]);
    // All 64 columns in one batch diverge in every iteration except the last, which only breaking pixels reach.
    let models = modelled_on(&whole_target("rounds_at_once", fragment, ""), &with_batches(1024));
    let batches = &models.draws[0].programs.shading().unwrap().batches;
    assert_eq!([batches.uniform_taken, batches.uniform_not_taken, batches.divergent], [1, 0, 3]);
}

#[test]
fn batches_of_one_quad_do_what_quads_do() {
    let names: &[_] = if is_nightly() { &["ifelse", "loop_const", "copy", "multiframe"] } else { &["ifelse", "copy"] };
    for name in names {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/captures/{name}.nvcap"));
        let capture = Capture::read(&std::fs::read(path).unwrap()).unwrap();
        let [alone, together] = [1, 256].map(with_batches);
        let mut draws = 0;
        let options = ReplayOptions::default();
        for frame in TracedFrames::new(&capture, &alone, &options).unwrap() {
            let frame = frame.unwrap();
            let [alone, together] = [&alone, &together]
                .map(|machine| frame_shading(&frame.draws, machine, ModelRunner::default()).unwrap());
            for ((traced, quads), batches) in frame.draws.iter().zip(&alone).zip(&together) {
                draws += 1;
                let counters = [Counter::UniformTaken, Counter::UniformNotTaken, Counter::Divergent];
                let found = [quads.batches.uniform_taken, quads.batches.uniform_not_taken, quads.batches.divergent];
                assert_eq!(found, counters.map(|counter| traced.counters.total(counter)), "{name}");
                assert_eq!(
                    (&quads.batches.entered, quads.divergence_clocks),
                    (&traced.vec4().unwrap().entered, 0),
                    "{name}"
                );
                // Larger batches enter each block at least as often.
                assert_eq!(batches.batches.entered[0], traced.vec4().unwrap().entered[0], "{name}");
                assert!(
                    batches
                        .batches
                        .entered
                        .iter()
                        .zip(&traced.vec4().unwrap().entered)
                        .all(|(batch, quads)| batch >= quads)
                );
                assert_eq!(traced.trace.vertices.len() as u64, traced.counters.total(Counter::CacheMisses), "{name}");
            }
        }
        assert!(draws > 0, "{name}");
    }
}

/// The work of one kind.
fn others<'m>(models: &'m Models, work: &str) -> Vec<&'m ModelledWork> {
    models.others.iter().filter(|other| other.work == work).collect()
}

/// Two targets: one is drawn to, then copied and scaled to the other.
fn copied() -> Capture {
    let target = "(color: A8R8G8B8, zeta: Z24S8)";
    let rest = format!(
        "meshes: {{{}}}, passes: [
            Render(target: \"first\", clear: (color: (0, 0, 1, 1), depth: 1), state: (depth: (test: LESS)),
                draws: [(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\")]),
            Copy(from: (\"first\", Zeta), to: (\"second\", Zeta)),
            Resolve(from: \"first\", to: \"second\"),
            Render(target: \"second\", draws: [(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\")]),
        ]",
        triangle("all", "0")
    );
    scene_of(&format!("\"first\": {target}, \"second\": {target}"), "copied", COLOR, &rest)
}

#[test]
fn what_lies_between_draws_goes_through_memory_and_time() {
    let capture = copied();
    let models = modelled(&capture);
    let frame = &models.frames[0];
    let surface = 4 * PIXELS;
    for (work, before_draw, read_and_written) in [
        ("clear", 0, [0, 2 * surface]),
        ("copy", 1, [surface, surface]),
        ("image", 1, [surface, surface]),
        ("scan_out", 2, [surface, 0]),
    ] {
        let found = others(&models, work);
        assert_eq!(found.len(), 1, "{work}");
        let loads = &found[0].loads;
        assert_eq!((found[0].frame, found[0].before_draw), (Some(0), before_draw), "{work}");
        assert_eq!(loads.memory.total(), read_and_written.iter().sum::<u64>(), "{work}");
        assert!(found[0].clocks.get(Unit::Memory) >= loads.memory.total() as f64 / 35.2e9 * 400e6 - 1e-6, "{work}");
    }
    let bytes = |client| frame.memory.bytes_of(client);
    assert_eq!(bytes(Client::Copy), [2 * surface, 2 * surface]);
    assert_eq!(bytes(Client::ScanOut), [surface, 0]);
    let clear = others(&models, "clear")[0];
    assert_eq!((clear.loads.memory.color, clear.loads.memory.depth), (surface, surface));
    assert_eq!((clear.loads.pixels, clear.loads.samples), (PIXELS, PIXELS));
    // Everything in the frame is a draw or one of these.
    let all = models.draws.iter().map(|draw| &draw.loads).chain(models.others.iter().map(|other| &other.loads));
    let memory: u64 = all.clone().map(|loads| loads.memory.total()).sum();
    assert_eq!(memory, Client::ALL.iter().flat_map(|client| frame.memory.bytes_of(*client)).sum::<u64>());
    // The busiest partition of each is at least the mean, and all of them together at most the sum.
    let clocks: u64 = all.clone().map(|loads| loads.partition_clocks).sum();
    let (parameters, accesses) = (&frame.memory.parameters, memory / u64::from(ACCESS_BYTES));
    let mean = (accesses * u64::from(parameters.access_clocks)).div_ceil(parameters.partitions.into());
    assert!(clocks >= frame.memory.clocks() && frame.memory.clocks() >= mean);
    let apart: f64 = models.draws.iter().map(|draw| draw.clocks.most()).sum();
    let apart = apart + models.others.iter().map(|other| other.clocks.most()).sum::<f64>();
    assert!((frame.time.apart - apart).abs() < 1e-6);
    // Methods and packets match the counters.
    let header = capture.header;
    let mut engine = Reference::new(header.vram_bytes, header.gart_bytes).unwrap();
    let options = ReplayOptions::default();
    let (_, statistics) = collect(&capture, &mut engine, &options, CountingOptions::default(), &mut |_, _| {}).unwrap();
    let counted = statistics.frames.iter().find(|frame| frame.number == Some(0)).unwrap();
    assert_eq!(all.clone().map(|loads| loads.methods).sum::<u64>(), counted.counters.total(Counter::Methods));
    assert_eq!(all.map(|loads| loads.packets).sum::<u64>(), counted.counters.total(Counter::Packets));
}

/// A target of several samples, covered once.
fn multisampled(samples: &str, state: &str) -> Models {
    let rest = format!(
        "meshes: {{{}}}, passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1, stencil: 0),
        state: ({state}), draws: [(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\")])]",
        triangle("all", "0")
    );
    let target = format!("\"screen\": (color: A8R8G8B8, zeta: Z24S8, samples: {samples})");
    modelled(&scene_of(&target, &format!("tiles_{samples}_{}", state.len()), COLOR, &rest))
}

fn compressed(tiles: u64, bytes_each: u64) -> Option<TileTraffic> {
    Some(TileTraffic { tiles, compressed: tiles, bytes: tiles * bytes_each })
}

#[test]
fn draws_move_compressed_tiles_of_several_samples() {
    for (samples, count) in [("X2_DIAGONAL", 2), ("X4_SQUARE", 4)] {
        // 8×4 samples of one color and one depth make a tile; each lies in one tile of the only primitive.
        let tiles = count * PIXELS / 32;
        let models = multisampled(samples, "depth: (test: LESS)");
        let draw = &models.draws[0].compression;
        assert_eq!((draw.color, draw.depth), (compressed(tiles, 32), compressed(2 * tiles, 32)), "{samples}");
        assert_eq!(draw.color.unwrap().bytes_uncompressed(), 4 * draw.color.unwrap().bytes);
        // Blending also reads.
        let blended = multisampled(samples, "blend: (color: (ONE, ONE))");
        assert_eq!(blended.draws[0].compression.color, compressed(2 * tiles, 32));
        let left = models.frames[0].left;
        assert_eq!((left.color, left.depth), (compressed(tiles, 32), compressed(tiles, 32)));
        // Clears write only the tags of whole tiles, and 32 bytes of stencil.
        let clear = others(&models, "clear")[0];
        assert_eq!((clear.compression.color, clear.compression.depth), (compressed(tiles, 0), compressed(tiles, 32)));
    }
    // One sample: depth only.
    let single = modelled(&whole_target("one_sample", COLOR, "depth: (test: LESS)"));
    assert_eq!(single.draws[0].compression.color, None);
    assert_eq!(single.draws[0].compression.depth, compressed(2 * PIXELS / 32, 32));
    assert_eq!(single.frames[0].left.color, None);
    // A chip without compression.
    let plain = curie::machine::open("geforce-6200").unwrap();
    let models = modelled_on(&whole_target("uncompressed", COLOR, "depth: (test: LESS)"), &plain);
    assert!(models.draws[0].compression.is_empty() && models.frames[0].left.is_empty());
}

#[test]
fn tiles_of_the_coarse_test_have_the_size_that_the_machine_gives() {
    for side in [2, 4, 16, 64] {
        let mut machine = ultra();
        let zcull = &mut machine.zcull;
        (zcull.tile_width, zcull.tile_height) = (side, (side / 2).max(2));
        let tiles = PIXELS / u64::from(zcull.tile_width * zcull.tile_height);
        let draws = "(mesh: \"all\", vertex: \"vertex\", fragment: \"fragment\"),".repeat(2);
        let rest = format!(
            "meshes: {{{}}}, passes: [Render(target: \"screen\", clear: (color: (0, 0, 1, 1), depth: 1),
            state: (depth: (test: LESS)), draws: [{draws}])]",
            triangle("all", "0")
        );
        let models = modelled_on(&scene(&format!("coarse{side}"), COLOR, &rest), &machine);
        let rejection = &models.draws[1].rejection;
        assert_eq!((rejection.counts.tiles, rejection.counts.tiles_rejected), (tiles, tiles), "{side}");
        assert_eq!((rejection.counts.fragments_rejected, rejection.counts.quads_rejected), (PIXELS, PIXELS / 4));
        // Rejected pixels read no depth.
        assert_eq!((models.draws[1].loads.memory.depth, models.draws[1].loads.memory.color), (0, 0));
    }
}

#[test]
fn vertices_are_read_in_lines() {
    // A strip of vertices with one 16-byte attribute each.
    let count = 64;
    let mesh = format!(
        "\"strip\": (shape: Vertices(count: {count}, primitive: TRIANGLE_STRIP), attributes: {{
            0: (from: Formula(\"(vertex / 32 - 1, mod(vertex, 2), 0, 1)\")) }})"
    );
    let rest = format!(
        "meshes: {{{mesh}}}, passes: [Render(target: \"screen\",
        draws: [(mesh: \"strip\", vertex: \"vertex\", fragment: \"fragment\")])]"
    );
    let capture = scene("lines", COLOR, &rest);
    for fetch_line_bytes in [16, 32, 64, 128] {
        let mut machine = ultra();
        machine.vertex.fetch_line_bytes = fetch_line_bytes;
        let loads = &modelled_on(&capture, &machine).draws[0].loads;
        let from_memory = if loads.memory.vertex > 0 { loads.memory.vertex } else { loads.bus_bytes };
        let expected =
            if loads.memory.vertex > 0 { fetch_line_bytes.max(32) / fetch_line_bytes * 16 * count } else { 16 * count };
        assert_eq!(from_memory, u64::from(expected), "{fetch_line_bytes}");
    }
}

#[test]
fn lookups_of_float_formats_are_told_apart() {
    for (format, place) in [("A8R8G8B8", 0), ("W16_Z16_Y16_X16_FLOAT", 1), ("W32_Z32_Y32_X32_FLOAT", 2)] {
        let fragment = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND\n";
        let rest = format!(
            "textures: {{\"t\": (image: Formula(size: (64, 64), color: \"(u, v, 1 - u, 1)\"), min: NEAREST, mag: NEAREST,
                format: {format})}},
            meshes: {{\"screen\": (shape: Screen)}}, passes: [Render(target: \"screen\", draws: [
                (mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\", textures: {{0: \"t\"}})])]"
        );
        let models = modelled(&scene(&format!("lookups{place}"), fragment, &rest));
        let loads = &models.draws[0].loads;
        let lookups = [loads.texture.others, loads.texture.half_floats, loads.texture.single_floats];
        let mut expected = [0; 3];
        expected[place] = models.draws[0].programs.shading().unwrap().quads * 4;
        assert_eq!(lookups, expected, "{format}");
        let clocks = models.draws[0].clocks.get(Unit::Texture);
        assert_eq!(clocks, (expected[place] * [1, 2, 4][place]) as f64 / 16.0);
    }
}

#[test]
fn buffers_that_ask_for_tiling_get_regions() {
    let mut capture = whole_target("regions", COLOR, "");
    let buffer = |handle, tile_mode, offset| {
        let (domain, bytes) = (DOMAIN_VRAM, 0x10000);
        Record::CreateBuffer(Buffer { handle, domain, tile_mode, tile_flags: 0, bytes, offset })
    };
    // An invalid pitch, and a start between groups of blocks, get none.
    let end = 128 << 20;
    let buffers =
        [(1000, 1024, end), (1001, 1000, end + 0x10000), (1002, 1024, end + 0x28000), (1003, 0, end + 0x40000)];
    for (place, (handle, tile_mode, offset)) in buffers.into_iter().enumerate() {
        capture.records.insert(place, buffer(handle, tile_mode, offset));
    }
    let mut regions = Vec::new();
    for frame in TracedFrames::new(&capture, &ultra(), &ReplayOptions::default()).unwrap() {
        regions = frame.unwrap().regions;
    }
    let region = TileRegion { start: 128 << 20, bytes: 0x10000, pitch_bytes: 1024, bank_offset: 0 };
    assert_eq!(regions, [region]);
}
