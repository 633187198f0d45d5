//! Float operations behind barriers keep their order and rounding, whatever the driver's compiler combines.

use curie::gpu::Gpu;

use crate::common;

/// A value of three floats: name, WGSL with a barrier `o` behind each operation, and Rust.
type Expression = (&'static str, &'static str, fn(f32, f32, f32) -> f32);

#[expect(clippy::suboptimal_flops, reason = "a product and a sum round twice")]
const EXPRESSIONS: [Expression; 6] = [
    ("sum of a product", "o(o(a * b) + c)", |a, b, c| a * b + c),
    ("sum of a sum", "o(o(a + 16777216.0) + -16777216.0)", |a, _, _| (a + 16_777_216.0) - 16_777_216.0),
    ("product of a product", "o(o(a * 1.1) * 1.7)", |a, _, _| (a * 1.1) * 1.7),
    ("sum of products with a common factor", "o(o(a * b) + o(a * c))", |a, b, c| a * b + a * c),
    ("infinity times a zero with two barriers", "o(o(o(c * 3e38) * 3e38) * o(o(0.0)))", |_, _, c| {
        c * 3e38 * 3e38 * 0.0
    }),
    ("sum with zero", "o(o(a - a) * -1.0) + o(0.0)", |_, _, _| 0.0),
];

const GROUPS: u32 = 64;
const COUNT: usize = 64 * GROUPS as usize;

/// The names of the expressions whose results differ from the host's, with the text of the barrier.
fn differing(gpu: &Gpu, barrier: &str) -> Vec<&'static str> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut values = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = u32::try_from(state >> 32).expect("half of it");
        // From 2⁻⁸ to 2⁸, of either sign.
        (word & 0x807f_ffff) | (119 + (word >> 23) % 16) << 23
    };
    let mut operands: Vec<u32> = (0..3 * COUNT).map(|_| values()).collect();
    let stores: String = (EXPRESSIONS.iter().enumerate())
        .map(|(index, (_, text, _))| format!("results[id.x * 6u + {index}u] = bitcast<u32>({text});\n"))
        .collect();
    let source = format!(
        "import package::arith::optimization_barrier::{{set_opaque_zero, opaque}};
         @group(0) @binding(0) var<storage, read> operands: array<f32>;
         @group(0) @binding(1) var<storage, read_write> results: array<u32>;
         @group(0) @binding(2) var<storage, read> zero: array<u32>;
         fn o(value: f32) -> f32 {{ return {barrier}; }}
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
             set_opaque_zero(zero[0]);
             let a = operands[id.x * 3u];
             let b = operands[id.x * 3u + 1u];
             let c = operands[id.x * 3u + 2u];
             {stores}}}"
    );
    let mut results = vec![0; COUNT * EXPRESSIONS.len()];
    let mut bindings = [(0, &mut operands), (1, &mut results), (2, &mut vec![0; 4])];
    gpu.run("barriers", &source, &mut bindings, [GROUPS, 1, 1]).expect("it runs");
    let operands: Vec<_> =
        operands.chunks_exact(3).map(|abc| [0, 1, 2].map(|index| f32::from_bits(abc[index]))).collect();
    let differs = |(index, (_, _, host)): (usize, &Expression)| {
        let expected = operands.iter().map(|[a, b, c]| host(*a, *b, *c));
        let device = results.iter().skip(index).step_by(EXPRESSIONS.len()).map(|bits| f32::from_bits(*bits));
        // Adapters choose the bits of NaN.
        device
            .zip(expected)
            .any(|(device, host)| device.to_bits() != host.to_bits() && !(device.is_nan() && host.is_nan()))
    };
    let differing = EXPRESSIONS.iter().enumerate().filter(|(index, expression)| differs((*index, expression)));
    differing.map(|(_, (name, ..))| *name).collect()
}

#[test]
fn barriers_keep_float_operations_apart() {
    let Some(gpu) = common::gpu() else { return };
    assert_eq!(differing(&gpu, "opaque(value)"), [""; 0]);
    let without = differing(&gpu, "value");
    eprintln!("without barriers differ: {without:?}");
    // Mesa's compiler combines them where nothing keeps them apart.
    assert!(!without.is_empty() || !gpu.summary().is_llvmpipe());
}
