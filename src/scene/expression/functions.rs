//! Implements the functions of expressions.

use super::trigonometry::{cos, exp, ln, pow, sin};
use super::value::{
    Value, componentwise, cross, dot, inverted, look_at, normalized, orthographic, perspective, rotation, scaling,
    translation, transposed,
};
use crate::scene::noise;
use crate::scene::suggest::suggestion;

/// Every function: its name, its arguments, its result.
pub const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("sin", "x", "the sine; angles of sin and cos are in radians"),
    ("cos", "x", "the cosine"),
    ("exp", "x", "e to the power of x"),
    ("log", "x", "the natural logarithm; 0 for x ≤ 0"),
    ("sqrt", "x", "the square root; 0 for x < 0"),
    ("abs", "x", "the magnitude"),
    ("floor", "x", "the largest integer that is not larger"),
    ("fract", "x", "x − floor(x)"),
    ("sign", "x", "−1, 0 or 1"),
    ("saturate", "x", "x, at least 0 and at most 1"),
    ("min", "a, b", "the smaller"),
    ("max", "a, b", "the larger"),
    ("mod", "a, b", "a − b·floor(a/b)"),
    ("pow", "a, b", "a to the power of b; 0 for a ≤ 0"),
    ("step", "edge, x", "1 where x ≥ edge, else 0"),
    ("mix", "a, b, t", "a + (b − a)·t"),
    ("clamp", "x, low, high", "x, at least low and at most high"),
    ("smoothstep", "low, high, x", "0 below low, 1 above high, smooth between"),
    ("select", "test, a, b", "a where the test is above 0, else b"),
    ("dot", "a, b", "the sum of the products of the components"),
    ("cross", "a, b", "a vector at right angles to both, of three components"),
    ("length", "v", "the length"),
    ("normalize", "v", "v, made length 1"),
    ("noise", "p", "smooth noise between 0 and 1 at a point of one to three components"),
    ("fractal", "p", "four octaves of noise, between 0 and 1"),
    ("hash", "x", "a number between 0 and 1 that looks random, the same for the same x"),
    ("checker", "u, v", "0 and 1 in the squares of a checkerboard with sides of 1"),
    ("translate", "x, y, z | v", "a matrix that moves"),
    ("scale", "x, y, z | s", "a matrix that scales"),
    ("rotate_x", "degrees", "a matrix that turns about x"),
    ("rotate_y", "degrees", "a matrix that turns about y"),
    ("rotate_z", "degrees", "a matrix that turns about z"),
    ("rotate", "axis, degrees", "a matrix that turns about an axis"),
    ("look_at", "eye, target, up", "the view of a camera"),
    ("perspective", "degrees, aspect, near, far", "a projection; the angle is the vertical field of view"),
    ("orthographic", "left, right, bottom, top, near, far", "a parallel projection"),
    ("transpose", "m", "the transpose of a matrix"),
    ("inverse", "m", "the inverse of a matrix"),
    ("normals", "m", "the matrix for normals when m moves points: the inverse of the transpose"),
];

/// The result of a function, or the error in the call.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let Some((_, parameters, _)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
        let hint = suggestion(name, FUNCTIONS.iter().map(|(known, ..)| *known));
        return Err(format!(
            "there is no function `{name}`; {}",
            hint.unwrap_or_else(|| "see docs/scenes.md".to_owned())
        ));
    };
    let result =
        by_components(name, arguments).or_else(|| geometric(name, arguments)).or_else(|| matrix(name, arguments));
    result.unwrap_or_else(|| {
        let found: Vec<_> = arguments.iter().map(Value::kind).collect();
        Err(format!("`{name}` takes ({parameters}), found ({})", found.join(", ")))
    })
}

fn smooth(low: f64, high: f64, x: f64) -> f64 {
    let t = if high == low { f64::from(u8::from(x >= low)) } else { ((x - low) / (high - low)).clamp(0.0, 1.0) };
    t * t * (3.0 - 2.0 * t)
}

/// Functions of one to three vectors that operate on each component separately.
fn by_components(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let one: Option<fn(f64) -> f64> = match name {
        "sin" => Some(sin),
        "cos" => Some(cos),
        "exp" => Some(exp),
        "log" => Some(ln),
        "sqrt" => Some(|x| x.max(0.0).sqrt()),
        "abs" => Some(f64::abs),
        "floor" => Some(f64::floor),
        "fract" => Some(|x| x - x.floor()),
        "sign" => Some(|x| if x == 0.0 { 0.0 } else { x.signum() }),
        "saturate" => Some(|x| x.clamp(0.0, 1.0)),
        _ => None,
    };
    let two: Option<fn(f64, f64) -> f64> = match name {
        "min" => Some(f64::min),
        "max" => Some(f64::max),
        "mod" => Some(|a, b| if b == 0.0 { 0.0 } else { a - b * (a / b).floor() }),
        "pow" => Some(pow),
        "step" => Some(|edge, x| f64::from(u8::from(x >= edge))),
        _ => None,
    };
    match (arguments, one, two) {
        ([x @ Value::Vector { .. }], Some(apply), _) => Some(componentwise(x, &Value::from(0.0), |x, _| apply(x))),
        ([a @ Value::Vector { .. }, b @ Value::Vector { .. }], _, Some(apply)) => Some(componentwise(a, b, apply)),
        ([a, b, c], None, None) => three(name, a, b, c),
        _ => None,
    }
}

fn three(name: &str, a: &Value, b: &Value, c: &Value) -> Option<Result<Value, String>> {
    let number = |value: &Value| match value {
        Value::Vector { components, size: 1 } => Some(components[0]),
        _ => None,
    };
    match name {
        "mix" => Some(componentwise(b, a, |b, a| b - a).and_then(|difference| {
            let part = componentwise(&difference, c, |difference, t| difference * t)?;
            componentwise(a, &part, |a, part| a + part)
        })),
        "clamp" => Some(componentwise(a, b, f64::max).and_then(|x| componentwise(&x, c, f64::min))),
        "smoothstep" => {
            let (low, high) = (number(a)?, number(b)?);
            Some(componentwise(c, &Value::from(0.0), |x, _| smooth(low, high, x)))
        }
        "select" => Some(Ok(if number(a)? > 0.0 { *b } else { *c })),
        _ => None,
    }
}

/// Functions of vectors as a whole.
fn geometric(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let value = match (name, arguments) {
        ("dot", [Value::Vector { components: a, size: m }, Value::Vector { components: b, size: n }]) if m == n => {
            Value::from(dot(*a, *b))
        }
        ("cross", [Value::Vector { components: a, size: 3 }, Value::Vector { components: b, size: 3 }]) => {
            Value::Vector { components: cross(*a, *b), size: 3 }
        }
        ("length", [Value::Vector { components, .. }]) => Value::from(dot(*components, *components).sqrt()),
        ("normalize", [Value::Vector { components, size }]) => {
            Value::Vector { components: normalized(*components), size: *size }
        }
        ("noise", [Value::Vector { components, size: 1..=3 }]) => Value::from(noise::smooth(components)),
        ("fractal", [Value::Vector { components, size: 1..=3 }]) => Value::from(noise::fractal(components)),
        ("hash", [Value::Vector { components: [x, ..], size: 1 }]) => Value::from(noise::hash(*x)),
        (
            "checker",
            [Value::Vector { components: [u, ..], size: 1 }, Value::Vector { components: [v, ..], size: 1 }],
        ) => {
            let sum = u.floor() + v.floor();
            Value::from(sum - 2.0 * (sum / 2.0).floor())
        }
        _ => return None,
    };
    Some(Ok(value))
}

/// Functions that return matrices.
fn matrix(name: &str, arguments: &[Value]) -> Option<Result<Value, String>> {
    let vectors: Option<Vec<_>> = arguments
        .iter()
        .map(|argument| match argument {
            Value::Vector { components, size } => Some((*components, *size)),
            Value::Matrix(_) => None,
        })
        .collect();
    if let Some(vectors) = vectors {
        let numbers: Option<Vec<f64>> =
            vectors.iter().map(|(components, size)| (*size == 1).then_some(components[0])).collect();
        let numbers = numbers.unwrap_or_default();
        let matrix = match (name, numbers.as_slice(), vectors.as_slice()) {
            ("translate", &[x, y, z], _) => translation(x, y, z),
            ("translate", _, &[([x, y, z, _], 3)]) => translation(x, y, z),
            ("scale", &[s], _) => scaling(s, s, s),
            ("scale", &[x, y, z], _) => scaling(x, y, z),
            ("scale", _, &[([x, y, z, _], 3)]) => scaling(x, y, z),
            ("rotate_x", &[degrees], _) => rotation([1.0, 0.0, 0.0, 0.0], degrees),
            ("rotate_y", &[degrees], _) => rotation([0.0, 1.0, 0.0, 0.0], degrees),
            ("rotate_z", &[degrees], _) => rotation([0.0, 0.0, 1.0, 0.0], degrees),
            ("rotate", _, &[(axis, 3), ([degrees, ..], 1)]) => rotation(axis, degrees),
            ("look_at", _, &[(eye, 3), (target, 3), (up, 3)]) => look_at(eye, target, up),
            ("perspective", &[degrees, aspect, near, far], _) => perspective(degrees, aspect, near, far),
            ("orthographic", &[left, right, bottom, top, near, far], _) => {
                orthographic([left, right, bottom, top, near, far])
            }
            _ => return None,
        };
        return Some(Ok(Value::Matrix(matrix)));
    }
    let none = || "this matrix has no inverse".to_owned();
    match (name, arguments) {
        ("transpose", [Value::Matrix(m)]) => Some(Ok(Value::Matrix(transposed(m)))),
        ("inverse", [Value::Matrix(m)]) => Some(inverted(m).map(Value::Matrix).ok_or_else(none)),
        ("normals", [Value::Matrix(m)]) => {
            Some(inverted(m).map(|inverse| Value::Matrix(transposed(&inverse))).ok_or_else(none))
        }
        _ => None,
    }
}
