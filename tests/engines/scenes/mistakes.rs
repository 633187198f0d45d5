//! Mistakes in scene files: their messages and locations.

use curie::scene::SceneError;

use super::stage::{read, text};

/// The message for a scene that contains a draw, and the text that it points at.
fn mistake(name: &str, source: &str, files: &[(&str, &str)]) -> (String, String) {
    let error = read(name, source, files).and_then(|scene| scene.capture(0..1)).unwrap_err();
    let SceneError::Scene(located) = &error else { panic!("{error}") };
    let line = source.lines().nth(located.line.saturating_sub(1)).unwrap_or_default();
    let rest: String = line.chars().skip(located.column - 1).collect();
    (error.to_string(), rest)
}

fn scene(parts: &str, draw: &str) -> String {
    text(&format!(
        "{parts}
        meshes: {{\"screen\": (shape: Screen)}},
        passes: [Render(target: \"screen\", draws: [
            (mesh: \"screen\", vertex: \"vertex\", fragment: \"fragment\"{draw}),
        ])]"
    ))
}

#[test]
fn names_of_nothing_are_shown_with_the_nearest_name() {
    let good = scene("textures: {\"sky\": (image: Formula(size: (4, 4), color: \"u\"))},", ", textures: {0: \"sky\"}");
    assert!(read("names", &good, &[]).is_ok());
    for (from, to, message, hint, at) in [
        ("target: \"screen\"", "target: \"sreen\"", "there is no target `sreen`", "did you mean `screen`?", "sreen\""),
        ("mesh: \"screen\"", "mesh: \"scren\"", "there is no mesh `scren`", "did you mean `screen`?", "scren\""),
        ("{0: \"sky\"}", "{0: \"sk\"}", "there is no texture `sk`", "did you mean `sky`?", "sk\""),
        ("{0: \"sky\"}", "{16: \"sky\"}", "there is no texture unit 16", "there are 16", "sky\""),
        (
            "vertex: \"vertex\"",
            "vertex: \"fragment\"",
            "`fragment` is no vertex program",
            "the other stage",
            "fragment\"",
        ),
        (
            "vertex: \"vertex\"",
            "vertex: \"verteks\"",
            "there is no vertex program `verteks`",
            "did you mean `vertex`?",
            "verteks",
        ),
        ("color: \"u\"", "color: \"u + x\"", "there is no value `x` here", "", "x\""),
        ("color: \"u\"", "color: \"sinn(u)\"", "`sinn` cannot be computed", "did you mean `sin`?", "sinn(u)"),
        (
            "color: \"u\"",
            "color: \"(u\"",
            "this is no expression",
            "expected a comma or a closing parenthesis",
            "\"))}",
        ),
        ("color: A8R8G8B8", "color: A8R8G8B9", "`A8R8G8B9` is no color format", "did you mean `A8R8G8B8`?", "A8R8G8B9"),
        ("zeta: Z24S8", "zetta: Z24S8", "Unexpected field named `zetta`", "did you mean `zeta`?", "zetta"),
        ("shape: Screen", "shape: Skreen", "named `Skreen`", "did you mean `Screen`?", "Skreen"),
        ("shape: Screen", "shape: File(\"a.mesh\")", "a.mesh", "", "a.mesh\""),
        ("shape: Screen", "shape: File(\"../a.mesh\")", "lies outside the scene's folder", "", "../a.mesh\""),
        ("shape: Screen", "shape: File(\"plain.vq\")", "plain.vq", "did you mean `plain.vp`?", "plain.vq\""),
        ("shape: Screen", "shape: Join([\"screen\"])", "there is no earlier mesh `screen`", "", "screen\"]"),
        (
            "shape: Screen)",
            "shape: Vertices(count: 3, primitive: LINES)), \"two\": (shape: Join([\"screen\"]))",
            "mesh `two` is impossible",
            "only triangles",
            "two\"",
        ),
        ("size: (4, 4)", "size: (9999, 4)", "texture `sky` has 39996 texels", "at most 4096", "sky\""),
        (
            "fragment: \"fragment\"",
            "fragment: \"fragment\", only_if: \"a\"",
            "there is no earlier counter `a`",
            "",
            "a\"",
        ),
        (
            "fragment: \"fragment\"",
            "fragment: \"fragment\", state: (depth: (test: LES))",
            "`LES` is no comparison",
            "did you mean `LESS`?",
            "LES",
        ),
        (
            "fragment: \"fragment\"",
            "fragment: \"fragment\", state: (clip_planes: [9])",
            "this draw is impossible",
            "there are six",
            "screen\"",
        ),
        ("size: (64, 64)", "size: (64, 64), size: (1, 1)", "Unexpected duplicate field named `size`", "", ""),
    ] {
        let broken = good.replacen(from, to, 1);
        assert_ne!(broken, good, "{from}");
        let (found, place) = mistake("names", &broken, &[]);
        assert!(found.contains(message) && found.contains(hint), "{to}:\n{found}");
        assert!(place.starts_with(at) || place.contains(at) && at.len() > 5, "{to}: points at {place}\n{found}");
    }
}

#[test]
fn keys_that_come_twice_are_refused() {
    let twice = scene("values: {\"a\": \"1\", \"a\": \"2\"},", "");
    assert!(mistake("twice", &twice, &[]).0.contains("`a` is there twice"));
}

#[test]
fn programs_need_what_they_name() {
    let vertex = "!!ARBvp1.0\nPARAM shift = program.local[0];\nADD result.position, vertex.position, shift;\nEND\n";
    let (found, place) = mistake("needs", &scene("", ""), &[("plain.vp", vertex)]);
    assert!(found.contains("program `vertex` needs `shift`"), "{found}");
    assert!(place.starts_with("screen\""), "{place}");
    for given in ["values: {\"shift\": \"(0, 0, 0, 0)\"},", "values: {\"local[0]\": \"0\"},"] {
        read("needs", &scene(given, ""), &[("plain.vp", vertex)]).unwrap().capture(0..1).unwrap();
    }
    let matrix =
        "!!ARBvp1.0\nPARAM m[4] = { state.matrix.mvp.inverse };\nDP4 result.position, m[0], vertex.position;\nEND\n";
    let (found, _) = mistake("needs", &scene("values: {\"mvp\": \"3\"},", ""), &[("plain.vp", matrix)]);
    assert!(found.contains("the value `mvp` is a number"), "{found}");
    let (found, _) = mistake("needs", &scene("values: {\"mvp\": \"scale(0)\"},", ""), &[("plain.vp", matrix)]);
    assert!(found.contains("the matrix `mvp` has no inverse"), "{found}");
}

#[test]
fn mistakes_in_programs_are_shown_in_the_program() {
    let broken = "!!ARBfp1.0\nMOW result.color, fragment.color;\nEND\n";
    let error = read("program", &scene("", ""), &[("plain.fp", broken)]).unwrap_err().to_string();
    assert!(error.contains("plain.fp:2:1") && error.contains("MOW"), "{error}");
}

#[test]
fn scenes_are_bounded() {
    let plain = scene("", "");
    let large = plain.replace("targets: {", "targets: {\"large\": (color: A32B32G32R32F, size: (4096, 4096)), ");
    let circular = scene("values: {\"shift\": \"shift + 1\"},", "");
    for (name, source, message) in
        [("memory", large, "the scene needs more than 240 MiB"), ("itself", circular, "defined by itself")]
    {
        let vertex = "!!ARBvp1.0\nPARAM shift = program.local[0];\nADD result.position, vertex.position, shift;\nEND\n";
        let (found, _) = mistake(name, &source, &[("plain.vp", vertex)]);
        assert!(found.contains(message), "{found}");
    }
    let error = read("many", &scene("", ", repeat: 4000000000"), &[]).unwrap_err().to_string();
    assert!(error.contains("4000000000 draws in a frame"), "{error}");
    let error = read("size", &scene("", "").replace("(64, 64)", "(64, 9999)"), &[]).unwrap_err().to_string();
    assert!(error.contains("a picture of 64×9999 pixels"), "{error}");
    assert!(read("nested", &"(".repeat(100_000), &[]).is_err());
}

/// Truncated and damaged texts of a whole scene are refused or read, and never panic.
#[test]
fn damaged_scenes_do_not_panic() {
    let good = scene(
        "values: {\"m\": \"rotate_y(30) * translate(0, 1, 2)\"}, \
         textures: {\"sky\": (image: Formula(size: (2, 2), color: \"mix((1, 0, 0), u, v)\"), mipmaps: true)},",
        ", textures: {0: \"sky\"}, state: (cull: BACK, depth: (test: LESS), stencil: (reference: 3))",
    );
    damage("damaged", &good, &[]);
}

/// Builds damaged texts of a good scene.
pub(super) fn damage(name: &str, good: &str, files: &[(&str, &str)]) {
    assert!(read(name, good, files).and_then(|scene| scene.capture(0..1)).is_ok());
    let mut random = 7u64;
    for round in 0..400 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (random >> 33) as usize % good.len();
        let mut text = good.to_owned();
        match round % 3 {
            0 => text.truncate(at),
            1 => text.replace_range(at..=at, ["(", ")", "\"", "9", "-", ":", "é"][(random >> 20) as usize % 7]),
            _ => text.insert_str(at, &good[at..(at + 20).min(good.len())]),
        }
        if let Ok(scene) = read(name, &text, files) {
            let _ = scene.capture(0..1);
        }
    }
}

#[test]
fn meshes_are_bounded_together() {
    use std::fmt::Write as _;
    let mut meshes = String::new();
    for number in 0..100 {
        let _ = write!(meshes, "\"m{number}\": (shape: Vertices(count: 262144, primitive: POINTS), attributes: {{}}),");
    }
    let source = scene("", "").replace("meshes: {", &format!("meshes: {{{meshes}"));
    let (error, _) = mistake("many", &source, &[]);
    assert!(error.contains("the meshes have more than"), "{error}");
}

#[test]
fn nested_values_are_bounded() {
    use std::fmt::Write as _;
    let mut values = "\"v0\": \"1\"".to_owned();
    for number in 1..100 {
        let _ = write!(values, ", \"v{number}\": \"{}v{}{}\"", "mix(1, -".repeat(20), number - 1, ", 1)".repeat(20));
    }
    let source = scene(
        &format!("values: {{{values}}}, textures: {{\"t\": (image: Formula(size: (1, 1), color: \"v99\"))}},"),
        ", textures: {0: \"t\"}",
    );
    let (error, _) = mistake("deep", &source, &[]);
    assert!(error.contains("nested too deeply"), "{error}");
}
