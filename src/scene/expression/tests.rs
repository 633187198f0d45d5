//! Checks expressions against hand calculations.

use std::cell::Cell;

use super::*;

fn value(text: &str) -> Result<Value, ExpressionError> {
    let steps = Cell::new(0);
    let mut scope = Scope::new(Vec::new(), &steps);
    scope.set("time", 2.0);
    Expression::parse(text, 0)?.evaluate(&scope)
}

fn number(text: &str) -> f64 {
    match value(text) {
        Ok(Value::Vector { components, size: 1 }) => components[0],
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn operators_bind_as_usual() {
    for (text, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 / 2 / 2", 2.0),
        ("7 - 2 - 1", 4.0),
        ("-2 * -3", 6.0),
        ("- - 2", 2.0),
        ("2.5e1 + .5", 25.5),
        ("time * time", 4.0),
        ("1 / 0", 0.0),
        ("dot((1, 2, 3), (4, 5, 6))", 32.0),
        ("cross((1, 0, 0), (0, 1, 0)).z", 1.0),
        ("((1, 2), 3).z", 3.0),
        ("length((3, 4))", 5.0),
        ("mix(1, 3, 0.25)", 1.5),
        ("mod(-1, 4)", 3.0),
        ("checker(0.5, 1.5) - checker(2.5, 0.5)", 1.0),
        ("select(time - 3, 1, 2)", 2.0),
        ("smoothstep(0, 2, 1)", 0.5),
        ("(translate(1, 2, 3) * (0, 0, 0)).y", 2.0),
        ("(scale(2) * rotate_z(90) * (1, 0, 0, 0)).y", 2.0),
        ("(inverse(translate(1, 2, 3)) * translate(1, 2, 3)).x.x", 1.0),
    ] {
        assert!((number(text) - expected).abs() < 1e-12, "{text}: {} instead of {expected}", number(text));
    }
}

#[test]
fn a_camera_puts_its_target_into_the_middle() {
    let text = "perspective(60, 1, 1, 10) * look_at((0, 0, 5), (0, 0, 0), (0, 1, 0)) * (0, 0, 0)";
    let Ok(Value::Vector { components: [x, y, z, w], .. }) = value(text) else { panic!("a vector") };
    assert_eq!([x, y], [0.0, 0.0]);
    assert!((w - 5.0).abs() < 1e-12);
    // Depth 5 between 1 and 10 in the usual mapping: (f+n)/(f-n) - 2fn/((f-n)·5).
    assert!((z / w - (11.0 / 9.0 - 20.0 / 9.0 / 5.0)).abs() < 1e-12);
    let above = "perspective(90, 1, 1, 10) * look_at((0, 0, 5), (0, 0, 0), (0, 1, 0)) * (0, 5, 0)";
    let Ok(Value::Vector { components: [_, y, _, w], .. }) = value(above) else { panic!("a vector") };
    assert!((y / w - 1.0).abs() < 1e-12, "the edge of a field of 90 degrees");
}

fn parse(name: &str, text: &str) -> (String, Expression) {
    (name.to_owned(), Expression::parse(text, 0).unwrap())
}

#[test]
fn definitions_are_looked_up_where_they_are_used() {
    let steps = Cell::new(0);
    let outer = [parse("a", "1"), parse("b", "a + 1")];
    let inner = [parse("a", "10")];
    let mut scope = Scope::new(vec![&outer], &steps);
    scope.set("frame", 3.0);
    let b = Expression::parse("b", 0).unwrap();
    assert_eq!(b.evaluate(&scope), Ok(Value::from(2.0)));
    assert_eq!(b.evaluate(&scope.with(&inner)), Ok(Value::from(11.0)));
    assert!(!scope.reads_time());
    Expression::parse("frame", 0).unwrap().evaluate(&scope).unwrap();
    assert!(scope.reads_time());
}

#[test]
fn mistakes_are_found_where_they_are() {
    for (text, span, hint) in [
        ("1 + ", 4..4, "expected a number, a name or parentheses"),
        ("(1, 2", 5..5, "expected a comma or a closing parenthesis"),
        ("tine", 0..4, "did you mean `time`?"),
        ("sine(1)", 0..7, "there is no function `sine`; did you mean `sin`?"),
        ("1 + sin((1, 2), 3)", 4..18, "`sin` takes (x), found (a vector of two, a number)"),
        ("(1, 2) + (1, 2, 3)", 0..18, "a vector of two and a vector of three do not go together"),
        ("(1, 2).z", 0..8, "a vector of two has fewer components"),
        ("1 2", 2..3, "expected an operator or the end"),
        ("inverse(scale(0))", 0..17, "this matrix has no inverse"),
    ] {
        let error = value(text).unwrap_err();
        assert_eq!((error.span, error.hint.as_str()), (span, hint), "{text}");
    }
}

#[test]
fn hostile_expressions_end() {
    assert!(value(&"(".repeat(4000)).is_err());
    assert!(value(&"-".repeat(4000)).is_err());
    assert!(value(&"1+".repeat(2047)).is_err());
    assert!(value(&format!("{}1", "1+".repeat(2047))).is_err(), "too deep to the left");
    let steps = Cell::new(0);
    let itself = [("a".to_owned(), Expression::parse("a + a", 0).unwrap())];
    let scope = Scope::new(vec![&itself], &steps);
    assert!(Expression::parse("a", 0).unwrap().evaluate(&scope).is_err());
    let doubling: Vec<_> = (0..60)
        .map(|n| (format!("a{n}"), Expression::parse(&format!("a{} + a{}", n + 1, n + 1), 0).unwrap()))
        .collect();
    let end = [parse("a60", "1")];
    steps.set(MAX_STEPS - 100_000);
    let scope = Scope::new(vec![&doubling, &end], &steps);
    let error = Expression::parse("a0", 0).unwrap().evaluate(&scope).unwrap_err();
    assert!(error.message.contains("too much"), "{}", error.message);
}

#[test]
fn every_function_is_known_by_its_name() {
    for (name, parameters, _) in FUNCTIONS {
        let error = value(&format!("{name}()")).unwrap_err();
        assert_eq!(error.hint, format!("`{name}` takes ({parameters}), found ()"));
    }
}
