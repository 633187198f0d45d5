//! The start-up self-test: compares exact arithmetic on an adapter with the host, operation by operation.
//!
//! Drivers can miscompile, and shaders may flush or fuse where they must not. An adapter that fails the test cannot
//! produce the reference's pictures.

use crate::arith::fragment;
use crate::arith::vertex::{self, VertexRuleSet};
use crate::gpu::{DeviceError, Gpu};

/// Why an adapter is refused.
#[derive(Debug, thiserror::Error)]
pub enum SelfTestError {
    /// The device could not run the test.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An operation returns different bits than on the host.
    #[error("{operation} of {left:#010x} and {right:#010x} gives {device:#010x} on '{adapter}', not {expected:#010x}")]
    Differs {
        /// The adapter.
        adapter: String,
        /// The operation, by its name in the kernels.
        operation: &'static str,
        /// Bits of the first operand.
        left: u32,
        /// Bits of the second operand, unused by unary operations.
        right: u32,
        /// Bits that the host computes.
        expected: u32,
        /// Bits that the device computes.
        device: u32,
    },
}

/// An operation under test: its name, its expression over `a` and `b`, and the same on the host.
type Operation = (&'static str, &'static str, fn(u32, u32) -> u32);

const OPERATIONS: &[Operation] = &[
    ("fp_add", "fp_add(a, b)", fragment::add),
    ("fp_mul", "fp_mul(a, b)", fragment::mul),
    ("fp_mad", "fp_mad(a, b, a)", |a, b| fragment::mad(a, b, a)),
    ("fp_min", "fp_min(a, b)", fragment::min),
    ("fp_frc", "fp_frc(a)", |a, _| fragment::frc(a)),
    ("fp_flr", "fp_flr(a)", |a, _| fragment::flr(a)),
    ("fp_rcp", "fp_rcp(a)", |a, _| fragment::rcp(a)),
    ("fp_rsq", "fp_rsq(a)", |a, _| fragment::rsq(a)),
    ("fp_ex2", "fp_ex2(a)", |a, _| fragment::ex2(a)),
    ("fp_lg2", "fp_lg2(a)", |a, _| fragment::lg2(a)),
    ("fp_round_to_half", "fp_round_to_half(a)", |a, _| fragment::round_to_half(a)),
    ("fp_float_to_unorm", "fp_float_to_unorm(a, 8u)", |a, _| fragment::float_to_unorm(a, 8)),
    ("xf_mul", "xf_mul(a, b, true)", |a, b| vertex::mul(VertexRuleSet::Nv40Modern, a, b)),
    ("xf_add", "xf_add(a, b)", vertex::add),
];

const IMPORTS: &str = "import package::arith::optimization_barrier::set_opaque_zero;
import package::arith::fragment::{fp_add, fp_mul, fp_mad, fp_min, fp_frc, fp_flr, fp_rcp, fp_rsq, fp_ex2, fp_lg2};
import package::arith::convert::{fp_round_to_half, fp_float_to_unorm};
import package::arith::vertex::{xf_mul, xf_add};
@group(0) @binding(0) var<storage, read> operands: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
@group(0) @binding(2) var<storage, read> zero: array<u32>;
";

/// Values at boundaries, tested in pairs.
const EDGES: [u32; 16] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x807f_ffff,
    0x0080_0000,
    0x80ff_ffff,
    0x3f7f_ffff,
    0x3f80_0000,
    0xbf80_0001,
    0x3380_0000,
    0xb300_0001,
    0x477f_f000,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
];

/// A pair whose product is below the least normal number, but rounds to it.
const MIN_PRODUCT: [u32; 2] = [0x3f34_f93b, 0x00b5_10ac];

/// How many operand pairs test each operation; a multiple of 256.
const PAIRS: u32 = 2048;

/// Runs a few thousand operations on the device and compares each with the host.
///
/// # Errors
/// If the device fails, or with the first operation and operands that differ.
pub fn self_test(gpu: &Gpu) -> Result<(), SelfTestError> {
    run(gpu, OPERATIONS)
}

fn run(gpu: &Gpu, operations: &[Operation]) -> Result<(), SelfTestError> {
    let pairs = operand_pairs();
    // Four left operands, then the four right ones that belong to them.
    let lanes = |four: &[[u32; 2]]| [0, 1].map(|side| [0, 1, 2, 3].map(|lane| four[lane][side]));
    let mut operands: Vec<u32> = pairs.chunks_exact(4).flat_map(lanes).flatten().collect();
    let mut results = vec![0; pairs.len() * operations.len()];
    let mut zero = vec![0; 4];
    let mut bindings = [(0, &mut operands), (1, &mut results), (2, &mut zero)];
    gpu.run("self_test", &kernel(operations), &mut bindings, [PAIRS / 256, 1, 1])?;
    for (index, &(operation, _, host)) in operations.iter().enumerate() {
        for (pair, &[left, right]) in pairs.iter().enumerate() {
            let device = results[(pair / 4 * operations.len() + index) * 4 + pair % 4];
            let expected = host(left, right);
            if device != expected {
                let adapter = gpu.summary().name.clone();
                return Err(SelfTestError::Differs { adapter, operation, left, right, expected, device });
            }
        }
    }
    Ok(())
}

fn kernel(operations: &[Operation]) -> String {
    let count = operations.len();
    let stores: String = operations
        .iter()
        .enumerate()
        .map(|(index, (_, expression, _))| format!("    results[id.x * {count}u + {index}u] = {expression};\n"))
        .collect();
    format!(
        "{IMPORTS}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {{
    set_opaque_zero(zero[0]);
    let a = operands[id.x * 2u];
    let b = operands[id.x * 2u + 1u];\n{stores}}}\n"
    )
}

/// All pairs of edges, then words of a xorshift generator; half of these are pairs with close exponents.
fn operand_pairs() -> Vec<[u32; 2]> {
    let mut pairs: Vec<[u32; 2]> = EDGES.iter().flat_map(|&left| EDGES.map(|right| [left, right])).collect();
    pairs.push(MIN_PRODUCT);
    let mut state = 0x9e37_79b9u32;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    while pairs.len() < PAIRS as usize {
        let (left, right) = (word(), word());
        pairs.push([left, if left & 1 == 0 { right } else { left ^ right & 0x81ff_ffff }]);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    #[test]
    fn a_good_adapter_passes_and_a_planted_difference_is_named() {
        let gpu = match Gpu::open(&AdapterChoice::Best) {
            Ok(gpu) => gpu,
            Err(error) if std::env::var_os("CURIE_REQUIRE_ADAPTER").is_some() => {
                panic!("an adapter is required: {error}")
            }
            Err(error) => {
                eprintln!("SKIPPED, no adapter: {error}");
                return;
            }
        };
        self_test(&gpu).unwrap();
        let planted: Operation =
            ("fp_mul", "fp_mul(a, b)", |a, b| if a == 0xbf80_0001 { 7 } else { fragment::mul(a, b) });
        let error = run(&gpu, &[OPERATIONS[0], planted]).unwrap_err();
        // The first pair with that operand is the one with the first edge.
        let SelfTestError::Differs { operation, left, right, expected, device, .. } = error else { panic!("{error}") };
        assert_eq!((operation, left, right, expected), ("fp_mul", 0xbf80_0001, 0, 7));
        assert_eq!(device, 0x8000_0000);
    }
}
