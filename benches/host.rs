//! Benchmarks the host's path from words to commands and kernels, and the stages of the reference, each under its own name.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use curie::arith::vertex::VertexRuleSet;
use curie::capture::{Capture, Push, Record};
use curie::command::packet::{Pusher, WordSource};
use curie::engine::ComputeEngine;
use curie::gpu::{AdapterChoice, Gpu};
use curie::kernels::shade_quads::disabled_texture_unit;
use curie::launch::{Argument, KernelRequest, launch, read_module};
use curie::machine::chip_of;
use curie::pipeline::ShadedVertex;
use curie::pipeline::VertexContext;
use curie::pipeline::front_end::assemble_primitives::assemble_primitives;
use curie::pipeline::front_end::fetch_indices::fetch_indices;
use curie::pipeline::front_end::raster_parameters::RasterParameters;
use curie::pipeline::launch::LaunchOptions;
use curie::pipeline::{Draw, GpuCommand, NullEngine};
use curie::recompiler::fragment::{self, FragmentKernelKey};
use curie::recompiler::quad_inputs::QuadSource;
use curie::recompiler::vertex::{self, VertexFetch, VertexKernelKey};
use curie::reference::interp::interpolate::interpolate;
use curie::reference::observer::Unobserved;
use curie::reference::raster::rasterize_tiles::rasterize_tiles;
use curie::reference::setup::set_up_primitives::set_up_primitives;
use curie::reference::vertex::fetch_vertices::fetch_vertex;
use curie::reference::vertex::run_vertex_program::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::scene::{SceneFile, SceneOptions};
use curie::shader::fragment::FragmentProgram;
use curie::shader::vertex::VertexProgram;

/// Pixels along the side of a tile.
const TILE_SIZE: u32 = 32;

/// A frame with an army of figures in one draw.
fn army() -> Capture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/army");
    SceneFile::open(&path, &SceneOptions::default()).unwrap().capture(0..1).unwrap()
}

/// Plays a capture on the chip with a null engine; returns guest memory, and the draws and clears.
fn record(capture: &Capture) -> (NullEngine, Vec<GpuCommand>) {
    let mut engine = NullEngine::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, &mut engine).unwrap();
    }
    let commands = engine.take_drawn();
    (engine, commands)
}

/// The words of a push buffer at address 0.
struct Words<'a>(&'a [u32]);

impl WordSource for Words<'_> {
    fn word(&mut self, address: u32) -> Option<u32> {
        self.0.get((address / 4) as usize).copied()
    }
}

fn decode(push: &Push) -> u32 {
    let bytes = u32::try_from(push.words.len() * 4).unwrap();
    let mut pusher = Pusher::called(0, bytes, bytes);
    let mut sum = 0;
    while let Some(write) = pusher.next(&mut Words(&push.words)).unwrap() {
        sum ^= write.value;
    }
    sum
}

fn commands(criterion: &mut Criterion) {
    let capture = army();
    let submissions = capture.records.iter().filter_map(|record| match record {
        Record::Submit(submission) => Some(&submission.pushes),
        _ => None,
    });
    let pushes: Vec<_> = submissions.flatten().collect();
    let words = pushes.iter().map(|push| push.words.len() as u64).sum();
    let mut group = criterion.benchmark_group("commands");
    group.throughput(Throughput::Elements(words));
    group.bench_function("decode_packets", |bencher| {
        bencher.iter(|| pushes.iter().fold(0, |sum, push| sum ^ decode(black_box(push))));
    });
    group.bench_function("chip_to_commands", |bencher| bencher.iter(|| record(black_box(&capture)).1.len()));
    group.finish();
}

/// The draw with the most vertices.
fn largest_draw<'a>(engine: &NullEngine, commands: &'a [GpuCommand]) -> &'a Draw {
    let draws = commands.iter().filter_map(|command| match command {
        GpuCommand::Draw(draw) => Some(draw.as_ref()),
        _ => None,
    });
    draws.max_by_key(|draw| fetch_indices(engine.memory(), draw).unwrap().order.len()).unwrap()
}

fn programs(engine: &NullEngine, draw: &Draw) -> (VertexProgram, FragmentProgram) {
    let vertex = draw.vertex.vec4().unwrap().microcode.decode().unwrap();
    let microcode = engine.memory().slice(draw.fragment.vec4().unwrap().program).as_chunks().0;
    let mut read = |offset: u32| microcode.get(offset as usize).map(|word| u32::from_le_bytes(*word));
    (vertex, FragmentProgram::decode_from(&mut read).unwrap())
}

fn stages(criterion: &mut Criterion) {
    let (engine, commands) = record(&army());
    let draw = largest_draw(&engine, &commands);
    let (program, _) = programs(&engine, draw);
    let mut group = criterion.benchmark_group("stages");

    let elements = fetch_indices(engine.memory(), draw).unwrap();
    group.throughput(Throughput::Elements(elements.order.len() as u64));
    group.bench_function("fetch_indices", |bencher| {
        bencher.iter(|| fetch_indices(engine.memory(), black_box(draw)).unwrap().unique.len());
    });
    let assemble = || assemble_primitives(draw.primitive, black_box(&elements.order), &draw.raster);
    group.bench_function("assemble_primitives", |bencher| bencher.iter(|| assemble().len()));

    group.throughput(Throughput::Elements(elements.unique.len() as u64));
    let fetch = |index: &u32| fetch_vertex(engine.memory(), &draw.input, *index);
    group.bench_function("fetch_vertices", |bencher| {
        bencher.iter(|| elements.unique.iter().fold(0, |sum, index| sum ^ fetch(black_box(index))[0][0]));
    });
    let context = VertexContext::new(draw.vertex.vec4().unwrap());
    let shade = || -> Vec<ShadedVertex> {
        elements
            .unique
            .iter()
            .map(|index| run_vertex_program(&program, &context, &fetch(index), &NoVertexTextures, &Unobserved))
            .collect()
    };
    group.bench_function("run_vertex_programs", |bencher| bencher.iter(|| shade().len()));

    let (vertices, primitives) = (shade(), assemble());
    let parameters = RasterParameters::new(draw);
    group.throughput(Throughput::Elements(primitives.len() as u64));
    let set_up = || set_up_primitives(&parameters, &vertices, black_box(&primitives));
    group.bench_function("set_up_primitives", |bencher| bencher.iter(|| set_up().len()));
    let records = set_up();
    let rasterize = || rasterize_tiles(&parameters, &vertices, black_box(&records), TILE_SIZE);
    group.bench_function("rasterize_tiles", |bencher| bencher.iter(|| rasterize().len()));

    let tiles = rasterize();
    let quads: Vec<_> = tiles.iter().flat_map(|tile| &tile.quads).collect();
    group.throughput(Throughput::Elements(quads.len() as u64));
    group.bench_function("interp::interpolate", |bencher| {
        bencher.iter(|| {
            quads.iter().fold(0, |sum, quad| {
                sum ^ interpolate(&parameters, &vertices, &records[quad.record as usize], **quad).depth[0]
            })
        });
    });
    group.finish();
}

fn recompiler(criterion: &mut Criterion) {
    let (engine, commands) = record(&army());
    let (vertex_program, fragment_program) = programs(&engine, largest_draw(&engine, &commands));
    let mut group = criterion.benchmark_group("recompile");
    let key = VertexKernelKey {
        program: vertex_program,
        rules: VertexRuleSet::Nv40Modern,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: false,
    };
    group.bench_function("vertex", |bencher| bencher.iter(|| vertex::source(black_box(&key)).len()));
    let key = FragmentKernelKey::new(&fragment_program, false, false, 1, QuadSource::Interpolated);
    group.bench_function("fragment", |bencher| {
        bencher.iter(|| fragment::source(black_box(&key), &|unit| Ok(disabled_texture_unit(unit))).unwrap().len());
    });
    group.finish();
}

/// Multiplies square matrices of zeros on the reference, and if there is an adapter on it, in grids of one size and of four
/// times as many blocks.
fn compute(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/compute/matrix_multiply.ptx");
    let text = std::fs::read(path).unwrap();
    let module = read_module("matrix_multiply.ptx", &text).unwrap();
    let mut group = criterion.benchmark_group("compute");
    group.bench_function("compile_ptx", |bencher| {
        bencher.iter(|| read_module("matrix_multiply.ptx", black_box(&text)).unwrap().kernels[0].code.len());
    });
    let kernels = Gpu::open(&AdapterChoice::Best).ok().map(ComputeEngine::on);
    let engines = [("", Some(ComputeEngine::REFERENCE), [64, 128]), ("_kernels", kernels, [256, 512])];
    for (name, engine, sizes) in engines {
        let Some(engine) = engine else { continue };
        for size in sizes {
            let matrix = || Argument::Buffer(vec![0; 4 * size as usize * size as usize]);
            let request = KernelRequest {
                entry: None,
                grid: [size / 16, size / 16, 1],
                block: [16, 16, 1],
                arguments: vec![matrix(), matrix(), matrix(), Argument::Unsigned(size)],
                more_shared_bytes: 0,
                pointer_bytes: 4,
                textures: Vec::new(),
            };
            let run = || launch(&module, &request, &engine, &LaunchOptions::default()).unwrap().report;
            group.throughput(Throughput::Elements(run().thread_instructions));
            let bench = format!("matrix_multiply_{size}{name}");
            group.bench_function(bench, |bencher| bencher.iter(|| run().warp_instructions));
        }
    }
    group.finish();
}

/// A kernel in which each label has a branch, some of them back or far away.
fn labels(count: usize, target: impl Fn(usize) -> usize) -> String {
    let lines = (0..count).map(|label| format!("l{label}: @p bra l{};\n", target(label)));
    let lines: String = lines.collect();
    format!(
        ".version 1.4\n.target sm_11\n.entry k ()\n{{\n.reg .pred p;\n.reg .u32 a;\nsetp.gt.u32 p, a, 3;\n{lines}exit;\n}}\n"
    )
}

/// Compiles kernels with twice as many labels each; the time for a label is to stay the same.
fn assemblers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("assemblers");
    for count in [500, 1000, 2000, 4000] {
        group.throughput(Throughput::Elements(count as u64));
        let texts = [
            ("tangled", labels(count, |label| 7 * label % count)),
            ("forward", labels(count, |label| (label + 2).min(count - 1))),
            ("back", labels(count, |label| label / 2)),
            ("out", labels(count, |_| count - 1)),
        ];
        for (name, text) in texts {
            group.bench_function(format!("ptx_labels_{name}_{count}"), |bencher| {
                bencher.iter(|| read_module("labels.ptx", black_box(text.as_bytes())).unwrap().kernels[0].code.len());
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
    targets = commands, stages, compute, recompiler, assemblers
}
criterion_main!(benches);
