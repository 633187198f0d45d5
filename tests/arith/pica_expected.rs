//! Expected values of the PICA200's arithmetic, computed by the rows of functions on the host and on the adapter.
//!
//! A row without another source is a result that a program showed on the chip (`aroulin/3ds-gpu-tests`) or that 3dbrew
//! and the tests of azahar agree on. Where azahar computes with singles, the value is that of a 24-bit float.

use std::collections::HashMap;

use curie::arith::pica::{NAN, from_single};
use curie::arith::{INFINITY, is_nan};

use super::functions::pica_rows;
use super::operations::{ROWS_PER_KERNEL, device_results};
use super::rows::{Row, Twin};
use crate::common;

type Case = [[u32; 4]; 3];

/// Source, expression and result: a number is exact, `~` allows one part in 50,000.
const EXPECTED: &[(&str, &str, &str)] = &[
    ("hardware", "rcp(0)", "inf"),
    ("hardware", "rcp(inf)", "0"),
    ("hardware", "rcp(NaN)", "NaN"),
    ("hardware", "rsq(0)", "inf"),
    ("hardware", "rsq(1)", "1"),
    ("hardware", "rsq(-1)", "NaN"),
    ("hardware", "rsq(inf)", "0"),
    ("hardware", "rsq(-inf)", "NaN"),
    ("hardware", "rsq(NaN)", "NaN"),
    ("hardware", "max(0, inf)", "inf"),
    ("hardware", "max(0, -inf)", "0"),
    ("hardware", "max(0, NaN)", "NaN"),
    ("hardware", "max(NaN, 0)", "0"),
    ("hardware", "max(-inf, inf)", "inf"),
    ("hardware", "min(0, inf)", "0"),
    ("hardware", "min(0, -inf)", "-inf"),
    ("hardware", "min(0, NaN)", "NaN"),
    ("hardware", "min(NaN, 0)", "0"),
    ("hardware", "min(-inf, inf)", "-inf"),
    ("hardware", "add(inf, -inf)", "NaN"),
    ("hardware", "mul(inf, 0)", "0"),
    ("hardware", "mul(0, inf)", "0"),
    ("hardware", "mul(NaN, 0)", "NaN"),
    ("hardware", "mul(0, NaN)", "NaN"),
    ("hardware", "mad(inf, 0, 1)", "1"),
    ("hardware", "dp4((inf, 1, 0, 1), (0, 1, inf, 1))", "2"),
    ("hardware", "dp3((inf, inf, 0, 0), (0, 0, inf, 0))", "0"),
    ("hardware", "dph((inf, inf, inf, 0), (0, 0, 0, 1))", "1"),
    // SGEI and SLTI compute the same.
    ("hardware", "sge(NaN, 0)", "0"),
    ("hardware", "sge(0, NaN)", "0"),
    ("hardware", "slt(NaN, 0)", "0"),
    ("hardware", "slt(0, NaN)", "0"),
    ("hardware", "-flr(-0.1)", "1"),
    ("hardware", "rsq(rcp(-inf))", "inf"),
    ("hardware", "rcp(rcp(-inf))", "inf"),
    ("hardware", "ex2(-inf)", "0"),
    ("hardware", "lg2(rcp(-inf))", "-inf"),
    ("hardware", "lg2(-1)", "NaN"),
    // Unit vectors.
    ("hardware", "dph((1, 0, 0, 0), (1, 0, 0, 0))", "1"),
    ("hardware", "dph((0, 1, 0, 0), (0, 1, 0, 0))", "1"),
    ("hardware", "dph((0, 0, 1, 0), (0, 0, 1, 0))", "1"),
    ("hardware", "dph((0, 0, 0, 1), 0)", "0"),
    ("hardware", "dph(0, (0, 0, 0, 1))", "1"),
    // Only component x counts.
    ("hardware", "rcp((1, 10, 10, 10))", "1"),
    ("hardware", "rcp((10, 1, 1, 1))", "~0.1"),
    ("hardware", "rsq((1, 100, 100, 100))", "1"),
    ("hardware", "rsq((100, 1, 1, 1))", "~0.1"),
    ("hardware", "sge(1, 0)", "1"),
    ("hardware", "sge(1, 1)", "1"),
    ("hardware", "sge(0, 1)", "0"),
    ("hardware", "sge(0.52, 0.21)", "1"),
    ("hardware", "sge(0.82, 0.82)", "1"),
    ("hardware", "sge(0.01, 0.23)", "0"),
    ("hardware", "sge(-1e20, 1e20)", "0"),
    ("hardware", "address(0.9)", "0"),
    ("hardware", "rcp(-0)", "inf"),
    ("hardware", "rsq(-0)", "inf"),
    // The output was y/128 of these; beyond 127.99609375 it showed 1.
    ("hardware", "litp((0, 64, 0, 0))", "(0, 64, 0, 0)"),
    ("hardware", "litp((0, 256, 0, 0))", "(0, 127.99609375, 0, 0)"),
    ("3dbrew", "litp((1, -256, 9, 2))", "(1, -127.99609375, 0, 2)"),
    ("3dbrew", "litp((-1, 127.9921875, 9, -2))", "(0, 127.9921875, 0, 0)"),
    // The flags of LITP.
    ("3dbrew", "sge((1, 0, -1, -inf), 0)", "(1, 1, 0, 0)"),
    ("azahar", "add(1, -1)", "0"),
    ("azahar", "add(inf, 1)", "inf"),
    ("azahar", "add(inf, -1)", "inf"),
    ("azahar", "add(NaN, 1)", "NaN"),
    ("azahar", "mul(1, -1)", "-1"),
    ("azahar", "mul(-1, 1)", "-1"),
    ("azahar", "mul(inf, inf)", "inf"),
    ("azahar", "mul(inf, -inf)", "-inf"),
    ("azahar", "dp3(inf, 0)", "0"),
    ("azahar", "dp4(inf, 0)", "0"),
    ("azahar", "dph(inf, 0)", "0"),
    ("azahar", "dp3(1, 1)", "3"),
    ("azahar", "dp4(1, 1)", "4"),
    ("azahar", "dph(1, 1)", "4"),
    ("azahar", "dph(0, 1)", "1"),
    ("azahar", "dp3(NaN, 0)", "NaN"),
    ("azahar", "dp4(NaN, 0)", "NaN"),
    ("azahar", "dph(NaN, 0)", "NaN"),
    ("azahar", "lg2(NaN)", "NaN"),
    ("azahar", "lg2(0)", "-inf"),
    ("azahar", "lg2(4)", "2"),
    ("azahar", "lg2(64)", "6"),
    // Beyond the greatest 24-bit float, 1.84e19.
    ("range", "lg2(1e24)", "inf"),
    ("range", "ex2(79.7262742773)", "inf"),
    ("azahar", "ex2(NaN)", "NaN"),
    ("azahar", "ex2(-800)", "0"),
    ("azahar", "ex2(0)", "1"),
    ("azahar", "ex2(2)", "4"),
    ("azahar", "ex2(6)", "64"),
    ("azahar", "ex2(800)", "inf"),
    ("azahar", "sge((inf, 0, inf, inf), (0, inf, inf, -inf))", "(1, 0, 1, 1)"),
    ("azahar", "sge((-inf, 1, -1, 0), (inf, -1, 1, 0))", "(0, 1, 0, 1)"),
    ("azahar", "slt((inf, 0, inf, inf), (0, inf, inf, -inf))", "(0, 1, 0, 0)"),
    ("azahar", "slt((-inf, 1, -1, 0), (inf, -1, 1, 0))", "(1, 0, 1, 0)"),
    ("azahar", "flr((0.5, -0.5, 1.5, -1.5))", "(0, -1, 1, -2)"),
    ("azahar", "flr((NaN, inf, -inf, 3))", "(NaN, inf, -inf, 3)"),
    ("azahar", "max((1, 0, 1, 0), (0, 1, 0, 1))", "1"),
    ("azahar", "min((1, 0, 1, 0), (0, 1, 0, 1))", "0"),
    ("azahar", "rcp(16)", "0.0625"),
    ("azahar", "rcp(8)", "0.125"),
    ("azahar", "rcp(4)", "0.25"),
    ("azahar", "rcp(2)", "0.5"),
    ("azahar", "rcp(1)", "1"),
    ("azahar", "rcp(0.5)", "2"),
    ("azahar", "rcp(0.25)", "4"),
    ("azahar", "rcp(0.125)", "8"),
    ("azahar", "rcp(0.0625)", "16"),
    ("azahar", "rsq(-2)", "NaN"),
    ("azahar", "rsq(16)", "0.25"),
    ("azahar", "rsq(8)", "~0.353553"),
    ("azahar", "rsq(4)", "0.5"),
    ("azahar", "rsq(2)", "~0.707107"),
    ("azahar", "rsq(0.5)", "~1.414214"),
    ("azahar", "rsq(0.25)", "2"),
    ("azahar", "rsq(0.125)", "~2.828427"),
    ("azahar", "rsq(0.0625)", "4"),
    ("azahar", "mad(0, 0, 0)", "0"),
    ("azahar", "mad(1, 1, 1)", "2"),
    ("azahar", "mad(inf, 0, 0)", "0"),
    ("azahar", "mad(NaN, 0, 0)", "NaN"),
    // Offsets keep more than eight bits.
    ("azahar", "address((0, 13, 50, 60))", "(0, 13, 50, 60)"),
    ("azahar", "address((74, 87, 88, 128))", "(74, 87, 88, 128)"),
    ("azahar", "address((-40, -42, -70, -73))", "(-40, -42, -70, -73)"),
    ("azahar", "address((-127, -129, 0, 0))", "(-127, -129, 0, 0)"),
    ("azahar", "address((95.6, -0.9, 13.99, -73))", "(95, 0, 13, -73)"),
    // By the definitions of the operations.
    ("definition", "dst((7, 3, 5, 7), (2, 4, 2, 9))", "(1, 12, 5, 9)"),
    ("definition", "dp3((1, 2, 3, 4), (5, 6, 7, 8))", "38"),
    ("definition", "dp4((1, 2, 3, 4), (5, 6, 7, 8))", "70"),
    ("definition", "dph((1, 2, 3, 4), (5, 6, 7, 8))", "46"),
    ("definition", "dph((0.5, 0.5, 0.5, 0), (0.5, 0.5, 0.5, 0))", "0.75"),
    ("definition", "dph((0.5, 0.5, 0, 0), (0.5, 0.5, 0, 0))", "0.5"),
    ("definition", "dph((0.5, 0.5, 0.5, 0), (0.5, 0.5, 0.5, 0.25))", "1"),
    ("definition", "seq((1, 0, NaN, 1), (1, -0, NaN, 2))", "(1, 1, 0, 0)"),
    ("definition", "sne((1, 0, NaN, 1), (1, -0, NaN, 2))", "(0, 0, 1, 1)"),
    ("definition", "sle((1, 0, NaN, 3), (1, -0, NaN, 2))", "(1, 1, 0, 0)"),
    ("definition", "sgt((1, 0, NaN, 3), (1, -0, NaN, 2))", "(0, 0, 0, 1)"),
    ("definition", "lg2(0.5)", "-1"),
    ("definition", "lg2(1)", "0"),
    ("definition", "ex2(-1)", "0.5"),
    ("definition", "ex2(-3)", "0.125"),
    // Denormals are zeros of arithmetic, but numbers of comparisons and copies.
    ("3dbrew", "add(denormal, denormal)", "0"),
    ("3dbrew", "mul(denormal, 1)", "0"),
    ("3dbrew", "mul(denormal, inf)", "0"),
    ("3dbrew", "rcp(-denormal)", "inf"),
    ("3dbrew", "max(denormal, 0)", "denormal"),
    ("3dbrew", "seq(denormal, 0)", "0"),
    // 1 + 2⁻¹⁷ is truncated, and so is the square of 1 + 2⁻¹⁶; 1 − 2⁻²⁵ is first rounded to 1, 1 − 2⁻¹⁷ is exact.
    ("rounding", "add(1, 0.00000762939453125)", "1"),
    ("rounding", "mul(1.0000152587890625, 1.0000152587890625)", "1.000030517578125"),
    ("rounding", "add(1, -0.0000000298023223876953125)", "1"),
    ("rounding", "add(1, -0.00000762939453125)", "0.9999923706054688"),
];

/// An expression: values of four components, negations, and calls of functions.
enum Expression {
    Value([u32; 4]),
    Negated(Box<Self>),
    Call(String, Vec<Self>),
}

/// The bits of a named or written number.
fn number(text: &str) -> u32 {
    match text {
        "inf" => INFINITY,
        "NaN" => NAN,
        // 2⁻⁷⁸.
        "denormal" => 0x1880_0000,
        _ => from_single(text.parse::<f32>().unwrap_or_else(|_| panic!("{text} is no number")).to_bits()),
    }
}

/// Splits at commas outside parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(move |letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth == 0 && letter == ','
    });
    parts.map(str::trim).collect()
}

fn parse(text: &str) -> Expression {
    if let Some(rest) = text.strip_prefix('-') {
        return Expression::Negated(Box::new(parse(rest)));
    }
    let Some((name, rest)) = text.split_once('(') else { return Expression::Value([number(text); 4]) };
    let arguments: Vec<_> =
        split(rest.strip_suffix(')').expect("parentheses are closed")).into_iter().map(parse).collect();
    if !name.is_empty() {
        return Expression::Call(name.to_owned(), arguments);
    }
    let component = |argument: &Expression| evaluate(argument, &mut |_, _| panic!("vectors hold numbers"))[0];
    Expression::Value(std::array::from_fn(|index| component(&arguments[index])))
}

/// Evaluates an expression; `call` computes a function.
fn evaluate(expression: &Expression, call: &mut dyn FnMut(&str, Case) -> [u32; 4]) -> [u32; 4] {
    match expression {
        Expression::Value(value) => *value,
        Expression::Negated(inner) => evaluate(inner, call).map(|bits| bits ^ 0x8000_0000),
        Expression::Call(name, arguments) => {
            let mut case = [[0; 4]; 3];
            for (source, argument) in case.iter_mut().zip(arguments) {
                *source = evaluate(argument, call);
            }
            call(name, case)
        }
    }
}

/// The row of a function and whether it reads one component.
fn row<'a>(rows: &'a [Row], name: &str) -> (usize, &'a Row) {
    let found = rows.iter().enumerate().find(|(_, row)| row.expression.contains(&format!("pica_{name}(")));
    found.unwrap_or_else(|| panic!("there is no function {name}"))
}

/// Replicates the result of a function of component x, which rows compute for each lane.
fn replicated(row: &Row, result: [u32; 4]) -> [u32; 4] {
    match row.twin {
        Twin::Vertex { function, .. } if function.is_scalar() => [result[0]; 4],
        _ => result,
    }
}

fn on_host(rows: &[Row], name: &str, case: Case) -> [u32; 4] {
    let (_, row) = row(rows, name);
    replicated(row, row.host(&case)[0])
}

/// Results on the adapter, found in rounds: calls whose arguments are known run together.
fn on_device(gpu: &curie::gpu::Gpu, rows: &[Row], expressions: &[Expression]) -> Vec<[u32; 4]> {
    let mut known: HashMap<(usize, Case), [u32; 4]> = HashMap::new();
    loop {
        let mut wanted = Vec::new();
        let mut call = |name: &str, case: Case| {
            let (index, row) = row(rows, name);
            let Some(result) = known.get(&(index, case)) else {
                wanted.push(case);
                return [0; 4];
            };
            replicated(row, *result)
        };
        let results = expressions.iter().map(|expression| evaluate(expression, &mut call)).collect();
        if wanted.is_empty() {
            return results;
        }
        for (chunk, rows) in rows.chunks(ROWS_PER_KERNEL).enumerate() {
            for (index, results) in device_results(gpu, rows, &wanted).into_iter().enumerate() {
                let first = chunk * ROWS_PER_KERNEL;
                known.extend(wanted.iter().zip(results).map(|(case, result)| ((first + index, *case), result)));
            }
        }
    }
}

/// Whether a result is the expected one.
fn is_expected(name: &str, result: [u32; 4], expected: &str) -> bool {
    let (is_near, text) = expected.strip_prefix('~').map_or((false, expected), |text| (true, text));
    let expected = evaluate(&parse(text), &mut |_, _| panic!("a result is a value"));
    let is_same = |(found, expected): (u32, u32)| {
        let [value, wanted] = [found, expected].map(|bits| f64::from(f32::from_bits(bits)));
        if is_near {
            ((value - wanted) / wanted).abs() < 2e-5
        } else if name == "address" {
            f64::from(found.cast_signed()).to_bits() == (wanted + 0.0).to_bits()
        } else {
            found == expected || is_nan(found) && is_nan(expected)
        }
    };
    result.into_iter().zip(expected).all(is_same)
}

/// The expressions whose results are wrong.
fn complaints(expected: &[(&str, &str, &str)], results: &[[u32; 4]]) -> Vec<String> {
    assert_eq!(expected.len(), results.len());
    let wrong = expected.iter().zip(results).filter(|((_, text, expected), result)| {
        !is_expected(text.split('(').next().unwrap_or_default(), **result, expected)
    });
    wrong.map(|((source, text, expected), result)| format!("{text} = {expected} ({source}): {result:08x?}")).collect()
}

#[test]
fn functions_give_the_expected_values() {
    let rows = pica_rows();
    let expressions: Vec<_> = EXPECTED.iter().map(|(_, text, _)| parse(text)).collect();
    let mut host = |name: &str, case| on_host(&rows, name, case);
    let results: Vec<_> = expressions.iter().map(|expression| evaluate(expression, &mut host)).collect();
    let found = complaints(EXPECTED, &results);
    assert!(found.is_empty(), "on the host:\n{}", found.join("\n"));
    for row in &rows {
        let name = row.name.strip_prefix("pica_").and_then(|name| name.split(' ').next()).expect("the prefix");
        let call = format!("{name}(");
        assert!(EXPECTED.iter().any(|(_, text, _)| text.contains(&call)), "no value is expected of {name}");
    }
    let Some(gpu) = common::gpu() else { return };
    let found = complaints(EXPECTED, &on_device(&gpu, &rows, &expressions));
    assert!(found.is_empty(), "on the adapter:\n{}", found.join("\n"));
}

#[test]
fn planted_values_are_found() {
    let rows = pica_rows();
    let count = |text, expected| {
        let result = evaluate(&parse(text), &mut |name, case| on_host(&rows, name, case));
        complaints(&[("planted", text, expected)], &[result]).len()
    };
    assert_eq!(count("add(1, 1)", "2"), 0);
    assert_eq!(count("add(1, 1)", "2.0001"), 1);
    assert_eq!(count("add(1, -1)", "-0"), 1);
    assert_eq!(count("rcp(10)", "~0.1001"), 1);
    assert_eq!(count("add(inf, -inf)", "inf"), 1);
    assert_eq!(count("rcp(inf)", "NaN"), 1);
    assert_eq!(count("address(3.5)", "4"), 1);
    assert_eq!(count("max((1, 2, 3, 4), 0)", "(1, 2, 3, 5)"), 1);
}

/// Halving 1 stops at zero, and 2⁻⁶² is the last number before it.
#[test]
fn halves_reach_zero_at_step_63() {
    let rows = pica_rows();
    let half = |a| on_host(&rows, "mul", [[a; 4], [0x3f00_0000; 4], [0; 4]])[0];
    let values = std::iter::successors(Some(0x3f80_0000), |value| Some(half(*value)));
    let halves: Vec<u32> = values.take_while(|value| *value != 0).take(100).collect();
    assert_eq!(halves.len(), 63);
    assert_eq!(halves[62], 0x2080_0000);
}
