//! Measures the throughput of the chip's arithmetic: operations on the host, and chains of operations in kernels.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use curie::arith::vertex::VertexRuleSet;
use curie::arith::{fragment, vertex};
use curie::gpu::{AdapterChoice, Gpu};

/// Operands per measurement on the host.
const HOST_OPERANDS: u32 = 4096;
/// Invocations per dispatch, and consecutive operations in each.
const INVOCATIONS: u32 = 1 << 16;
const CHAIN: u32 = 16;

type HostOperation = (&'static str, fn(u32, u32) -> u32);

const HOST: &[HostOperation] = &[
    ("fragment add", fragment::add),
    ("fragment mul", fragment::mul),
    ("fragment rcp", |a, _| fragment::rcp(a)),
    ("fragment ex2", |a, _| fragment::ex2(a)),
    ("vertex mul", |a, b| vertex::mul(VertexRuleSet::Nv40Modern, a, b)),
    ("vertex add", vertex::add),
];

/// Name, module and expression over `v` and `b`.
const KERNELS: &[(&str, &str, &str)] = &[
    ("fp_add", "arith::fragment", "fp_add(v, b)"),
    ("fp_mul", "arith::fragment", "fp_mul(v, b)"),
    ("fp_mad", "arith::fragment", "fp_mad(v, b, b)"),
    ("fp_rcp", "arith::fragment", "fp_rcp(v)"),
    ("fp_rsq", "arith::fragment", "fp_rsq(v)"),
    ("fp_ex2", "arith::fragment", "fp_ex2(v)"),
    ("fp_lg2", "arith::fragment", "fp_lg2(v)"),
    ("fp_sin", "arith::fragment", "fp_sin(v)"),
    ("xf_mul", "arith::vertex", "xf_mul(v, b, true)"),
    ("xf_add", "arith::vertex", "xf_add(v, b)"),
];

fn host(criterion: &mut Criterion) {
    let operands: Vec<u32> =
        (0..HOST_OPERANDS).map(|i| i.wrapping_mul(0x9e37_79b9) & 0xbfff_ffff | 0x2000_0000).collect();
    let mut group = criterion.benchmark_group("host");
    group.throughput(Throughput::Elements(u64::from(HOST_OPERANDS)));
    for (name, operation) in HOST {
        group.bench_function(*name, |bencher| {
            bencher.iter(|| operands.windows(2).fold(0, |sum, pair| sum ^ operation(black_box(pair[0]), pair[1])));
        });
    }
    group.finish();
}

fn kernels(criterion: &mut Criterion) {
    // Without an adapter there is nothing to measure; only the host's rows remain.
    let Ok(gpu) = Gpu::open(&AdapterChoice::Best) else { return };
    let mut group = criterion.benchmark_group("kernels");
    group.throughput(Throughput::Elements(u64::from(INVOCATIONS * CHAIN * 4)));
    for (name, module, expression) in KERNELS {
        let source = format!(
            "import package::arith::optimization_barrier::set_opaque_zero;
             import package::{module}::{name};
             @group(0) @binding(0) var<storage, read_write> values: array<vec4u>;
             @group(0) @binding(1) var<storage, read> zero: array<u32>;
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
                 set_opaque_zero(zero[0]);
                 var v = values[id.x];
                 let b = v ^ vec4u(0x00112233u);
                 for (var i = 0u; i < {CHAIN}u; i++) {{ v = {expression} ^ vec4u(i); }}
                 values[id.x] = v;
             }}"
        )
        .replace("\n             import", "\nimport");
        let kernel = gpu.kernel(name, &source).expect("the kernel is valid");
        let values = gpu.buffer("values", u64::from(INVOCATIONS) * 16).expect("the buffer fits");
        let zero = gpu.buffer("zero", 16).expect("the buffer fits");
        let words: Vec<u8> = (0..INVOCATIONS * 4)
            .flat_map(|i| (i.wrapping_mul(0x9e37_79b9) & 0x3fff_ffff | 0x3000_0000).to_le_bytes())
            .collect();
        gpu.upload(&values, 0, &words);
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter_custom(|iterations| {
                let mut elapsed = Duration::ZERO;
                for _ in 0..iterations {
                    let mut recording = gpu.record();
                    recording.dispatch(&kernel, &[(0, &values), (1, &zero)], [INVOCATIONS / 64, 1, 1]);
                    let start = Instant::now();
                    gpu.submit(recording).expect("the device works");
                    gpu.wait().expect("the device works");
                    elapsed += start.elapsed();
                }
                elapsed
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(300));
    targets = host, kernels
}
criterion_main!(benches);
