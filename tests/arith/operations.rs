//! Checks that every operation of the chip's arithmetic returns the same bits in Rust and in WGSL.

use super::cases::{CASES, cases, normal_range_cases};
use super::rows::{NORMAL_RANGE, Row, Twin, rows};
use super::tesla::tesla_rows;
use crate::common;
use curie::gpu::{Gpu, modules};

/// Rows per kernel: more rows make fewer but larger pipelines.
pub(crate) const ROWS_PER_KERNEL: usize = 4;

/// Names that are parts of operations, covered by the tests of those operations.
const PARTS: &[&str] = &[
    "fp_clamp",
    "fp_floor_of_scaled",
    "fp_nearer_quotient",
    "fp_one_if",
    "fp_packed_bytes",
    "fp_biased_byte",
    "fp_repeated",
    "fp_round_to_units",
    "fp_srgb_byte",
    "fp_srgb_decoded",
    "fp_srgb_encoded",
    "fp_unbiased",
    "normal_range_assembled",
    "normal_range_is_denormal",
    "normal_range_is_wrong_factor",
    "normal_range_is_wrong_term",
    "normal_range_product",
    "normal_range_saturated",
    "normal_range_units",
    "pica_is_equal",
    "pica_is_less",
    "pica_is_less_equal",
    "pica_is_ordered",
    "pica_one_if",
    "pica_operand",
    "pica_order_key",
    "tesla_added",
    "tesla_clamped",
    "tesla_directed",
    "tesla_exponent",
    "tesla_exponential_slope",
    "tesla_exponential_value",
    "tesla_extended",
    "tesla_float_of_magnitude",
    "tesla_half_of",
    "tesla_integer_order",
    "tesla_integral_magnitude",
    "tesla_is_nan",
    "tesla_is_special",
    "tesla_join",
    "tesla_leading",
    "tesla_logarithm_slope",
    "tesla_logarithm_value",
    "tesla_mask",
    "tesla_native_sum",
    "tesla_number_of",
    "tesla_order",
    "tesla_packed",
    "tesla_packed_result",
    "tesla_partial",
    "tesla_pick",
    "tesla_prepared",
    "tesla_quotient",
    "tesla_reciprocal_row",
    "tesla_reciprocal_square_root_slope",
    "tesla_reciprocal_square_root_value",
    "tesla_round_to_integer",
    "tesla_rounded_shift",
    "tesla_row",
    "tesla_scaled",
    "tesla_shifted",
    "tesla_significand_product",
    "tesla_sine_of_quarters",
    "tesla_sine_slope",
    "tesla_sine_value",
    "tesla_term",
    "tesla_total_order",
    "tesla_truncated_square",
    "xf2_aligned",
    "xf2_saturated",
    "xf_address",
    "xf_address_magnitude",
    "xf_aligned",
    "xf_assembled",
    "xf_is_unordered",
    "xf_order_key",
    "xf_set",
];

/// The first case and lane in which a result differs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    name: String,
    operands: [[u32; 4]; 3],
    host: [u32; 4],
    device: [u32; 4],
}

/// Whether a module holds operations on numbers.
fn is_numeric(module: &str) -> bool {
    let has_barriers = module == "arith::optimization_barrier";
    module.starts_with("arith::") && !has_barriers || module == "software::vertex_normal_range"
}

/// Whether a function of a numeric module is an operation rather than a step of one.
fn is_operation(name: &str) -> bool {
    let prefixes = ["fp_", "xf_", "xf2_", "normal_range_", "pica_", "tesla_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || name.ends_with("_codes")
}

fn imports() -> String {
    let mut text = String::from(
        "import package::arith::optimization_barrier::set_opaque_zero;\nimport package::fragment::quad::QuadVector;\n",
    );
    text.push_str("import package::software::vertex_normal_range::NormalRangeSums;\n");
    for (module, source) in modules().filter(|&(module, _)| is_numeric(module)) {
        for name in functions(source).filter(|name| is_operation(name)) {
            text.push_str(&format!("import package::{module}::{name};\n"));
        }
    }
    text
}

fn functions(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next())
}

fn kernel_of(rows: &[Row]) -> String {
    let mut text = imports();
    text.push_str(
        "@group(0) @binding(0) var<storage, read> operands: array<vec4u>;
         @group(0) @binding(1) var<storage, read_write> results: array<vec4u>;
         @group(0) @binding(2) var<storage, read> zero: array<u32>;
         fn are_in_range(a: vec4u, b: vec4u) -> bool {
             var wrong = false;
             for (var index = 0; index < 4; index += 1) {
                 wrong |= normal_range_is_wrong_factor(a[index]) | normal_range_is_wrong_factor(b[index]);
             }
             return !wrong;
         }
         fn passes(a: vec4u, b: vec4u, largest: vec4u) -> bool {
             var wrong = false;
             for (var index = 0; index < 4; index += 1) {
                 wrong |= normal_range_is_denormal(a[index]) | normal_range_is_denormal(b[index]);
                 wrong |= normal_range_is_wrong_term(largest[index]);
             }
             return !wrong;
         }
         fn normal_range_or(exact: vec4u, found: NormalRangeSums, a: vec4u, b: vec4u) -> vec4u {
             return select(exact, found.value, passes(a, b, found.largest));
         }
         fn quad_of(v: vec4u) -> QuadVector { return QuadVector(v, v.yzwx, v.zwxy, v.wxyz); }
         @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
             set_opaque_zero(zero[0]);
             let count = arrayLength(&operands) / 3u;
             if id.x >= count { return; }
             let a = operands[id.x * 3u];
             let b = operands[id.x * 3u + 1u];
             let c = operands[id.x * 3u + 2u];\n",
    );
    let words: usize = rows.iter().map(Row::words).sum();
    let mut word = 0;
    for (index, row) in rows.iter().enumerate() {
        let expression = &row.expression;
        if row.is_quad() {
            text.push_str(&format!("let q{index} = {expression};\n"));
            for (offset, component) in ["x", "y", "z", "w"].iter().enumerate() {
                let at = word + offset;
                text.push_str(&format!("results[id.x * {words}u + {at}u] = q{index}.{component};\n"));
            }
        } else {
            text.push_str(&format!("results[id.x * {words}u + {word}u] = {expression};\n"));
        }
        word += row.words();
    }
    text.push('}');
    text
}

/// The device's words for rows over cases: for each case, those of each row.
fn words_on_device(gpu: &Gpu, rows: &[Row], cases: &[[[u32; 4]; 3]]) -> Vec<u32> {
    let words: usize = rows.iter().map(Row::words).sum();
    let mut operands: Vec<u32> = cases.iter().flatten().flatten().copied().collect();
    let mut results = vec![0u32; cases.len() * words * 4];
    let mut zero = vec![0u32; 4];
    let groups = u32::try_from(cases.len().div_ceil(64)).expect("a few thousand groups");
    let kernel = kernel_of(rows);
    gpu.run("numeric", &kernel, &mut [(0, &mut operands), (1, &mut results), (2, &mut zero)], [groups, 1, 1])
        .expect("the kernel runs");
    results
}

/// The device's results of a few rows without quads: for each row, one vector per case.
pub(crate) fn device_results(gpu: &Gpu, rows: &[Row], cases: &[[[u32; 4]; 3]]) -> Vec<Vec<[u32; 4]>> {
    assert!(rows.iter().all(|row| row.words() == 1), "a row of quads has four vectors per case");
    let words = words_on_device(gpu, rows, cases);
    let (vectors, []) = words.as_chunks::<4>() else { unreachable!("results are vectors") };
    (0..rows.len()).map(|row| vectors.iter().skip(row).step_by(rows.len()).copied().collect()).collect()
}

/// Runs rows over cases on the device; returns the first difference from the host for each row.
pub(crate) fn differences(gpu: &Gpu, rows: &[Row], cases: &[[[u32; 4]; 3]]) -> Vec<Difference> {
    let words: usize = rows.iter().map(Row::words).sum();
    let results = words_on_device(gpu, rows, cases);
    let mut found = Vec::new();
    let mut first = 0;
    for row in rows {
        let differing = cases.iter().enumerate().find_map(|(index, operands)| {
            let host = row.host(operands);
            (0..row.words()).find_map(|word| {
                let at = (index * words + first + word) * 4;
                let device: [u32; 4] = results[at..at + 4].try_into().expect("four words");
                let name = format!("{}, component {word}", row.name);
                (device != host[word]).then_some(Difference { name, operands: *operands, host: host[word], device })
            })
        });
        found.extend(differing);
        first += row.words();
    }
    found
}

#[test]
fn every_operation_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let cases = cases(CASES);
    let mut found = Vec::new();
    // `NUMERIC_ONLY=fp_add` runs the rows whose names have this prefix.
    let only = std::env::var("NUMERIC_ONLY").unwrap_or_default();
    let chosen: Vec<Row> = rows().into_iter().filter(|row| row.name.starts_with(&only)).collect();
    for rows in chosen.chunks(ROWS_PER_KERNEL) {
        let start = std::time::Instant::now();
        found.extend(differences(&gpu, rows, &cases));
        eprintln!("{:?} {:?}", rows.iter().map(|row| &row.name).collect::<Vec<_>>(), start.elapsed());
    }
    let report: Vec<String> = found
        .iter()
        .map(|d| format!("{}: {:08x?} host {:08x?} device {:08x?}", d.name, d.operands, d.host, d.device))
        .collect();
    assert!(found.is_empty(), "{} operations differ:\n{}", found.len(), report.join("\n"));
}

#[test]
fn normal_range_operations_agree_where_they_are_taken() {
    let Some(gpu) = common::gpu() else { return };
    let cases = normal_range_cases(4 * CASES);
    // The results of all rows exceed the largest buffer of some adapters.
    for rows in NORMAL_RANGE.chunks(6) {
        let found = differences(&gpu, rows, &cases);
        assert!(found.is_empty(), "{found:08x?}");
    }
    let is_in_range = |bits: &u32| matches!(bits & 0x7fff_ffff, 0 | 0x2000_0000..0x5f80_0000);
    let taken = cases.iter().filter(|[a, b, _]| a.iter().chain(b).all(is_in_range)).count();
    assert!(taken > cases.len() / 10 * 9, "{taken} of {}", cases.len());
}

#[test]
fn a_planted_difference_is_found() {
    let Some(gpu) = common::gpu() else { return };
    let cases = [[[1, 2, 3, 4], [5; 4], [0; 4]], [[7, 7, 0x8000_0000, 7], [1; 4], [0; 4]]];
    let agreeing = Row { name: "agrees".into(), expression: "a ^ b".into(), twin: Twin::Lanes(|a, b, _| a ^ b) };
    // The two sides differ only in the third lane of the second case.
    let planted =
        Row { name: "planted".into(), expression: "a & vec4u(0x7fffffffu)".into(), twin: Twin::Lanes(|a, _, _| a) };
    let found = differences(&gpu, &[agreeing, planted], &cases);
    let expected = Difference {
        name: "planted, component 0".to_owned(),
        operands: cases[1],
        host: [7, 7, 0x8000_0000, 7],
        device: [7, 7, 0, 7],
    };
    assert_eq!(found, [expected]);
}

#[test]
fn no_operation_is_forgotten() {
    let rows = [rows(), tesla_rows()].concat();
    let expressions: Vec<&str> = rows.iter().map(|row| &*row.expression).collect();
    for (module, source) in modules().filter(|&(module, _)| is_numeric(module)) {
        for name in functions(source).filter(|name| is_operation(name)) {
            // The rows of an operation cover its variant over flushed values.
            let operation =
                name.strip_suffix("_ftz").filter(|operation| functions(source).any(|name| name == *operation));
            let call = format!("{}(", operation.unwrap_or(name));
            let is_called = expressions.iter().any(|expression| expression.contains(&call));
            assert!(
                is_called != PARTS.contains(&name),
                "{name} of {module} has no row, or has one and is listed as a part"
            );
        }
    }
}
