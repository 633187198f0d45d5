//! Vertex programs on the processors of other machines: their pictures, the stream, and mistakes.

use std::fmt::Write as _;

use curie::asm::pica::{PicaOptions, assemble};
use curie::listing::list_capture;
use curie::present::{Channel, Picture};
use curie::scene::{SceneError, SceneFile, SceneOptions};

use super::stage::{folder, kernels, lines, pixel, play, play_on, read};

/// The bytes of a scene's first frame, which are the same on both engines.
fn picture(name: &str, text: &str, files: &[(&str, &str)]) -> Picture {
    let scene = read(name, text, files).unwrap_or_else(|error| panic!("{error}"));
    let capture = scene.capture(0..1).unwrap_or_else(|error| panic!("{error}"));
    let outcome = play(&capture);
    if let Some(mut engine) = kernels(&capture) {
        assert_eq!(lines(&play_on(&capture, &mut engine).0), lines(&outcome), "the engines differ");
    }
    Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap()
}

/// The number of color channels that differ, and the largest difference.
fn difference(one: &Picture, other: &Picture) -> (usize, u8) {
    let steps = one.rgb.iter().zip(&other.rgb).map(|(one, other)| one.abs_diff(*other));
    (steps.clone().filter(|step| *step > 0).count(), steps.max().unwrap_or(0))
}

/// A lit sphere, turned by a matrix, with a vertex program on a machine.
fn sphere(machine: &str, turn: u32) -> String {
    format!(
        "(size: (64, 64), targets: {{\"screen\": (color: A8R8G8B8, zeta: Z24S8)}},
        values: {{
            \"c[0]\": \"perspective(45, aspect, 1, 10) * look_at((0, 0, 3), (0, 0, 0), (0, 1, 0)) * rotate_y({turn})\",
            \"c[4]\": \"(normalize((1, 2, 2)), 0)\", \"c[5]\": \"(0.1, 0.2, 0.3, 1)\", \"c[9]\": \"(0.8, 0.6, 0.4, 12)\",
        }},
        meshes: {{\"sphere\": (shape: Sphere(radius: 1, segments: (16, 9)))}},
        programs: {{\"vertex\": (file: \"lit.vp\", {machine}), \"fragment\": (file: \"plain.fp\")}},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1), depth: 1), draws: [
            (mesh: \"sphere\", vertex: \"vertex\", fragment: \"fragment\", state: (depth: (test: LESS))),
        ])])"
    )
}

/// Lights by LIT; the colors are read through the address register.
const LIT: &str = "!!VP1.0
    DP4 o[HPOS].x, c[0], v[OPOS];
    DP4 o[HPOS].y, c[1], v[OPOS];
    DP4 o[HPOS].z, c[2], v[OPOS];
    DP4 o[HPOS].w, c[3], v[OPOS];
    DP3 R0.xy, v[NRML], c[4];
    MOV R0.w, c[9].w;
    LIT R0, R0;
    SGE R1.x, R0.z, R0.y;
    ARL A0.x, R1.x;
    MOV R2, c[A0.x + 5];
    MAD R2, R0.y, c[9], R2;
    MUL R1.xyz, R0.z, c[9];
    MAX o[COL0], R2, R1;
END
";

#[test]
fn a_program_draws_the_same_picture_on_two_machines() {
    let on = |machine: &str, turn| picture("two_machines", &sphere(machine, turn), &[("lit.vp", LIT)]);
    let geforce_6 = on("", 0);
    let center = pixel(&geforce_6, 32, 28);
    assert!(center[0] > 120 && center[0] > center[2], "a lit sphere: {center:?}");
    assert_eq!(difference(&geforce_6, &on("machine: \"geforce-6800-gt\"", 0)), (0, 0));
    let geforce_3 = on("machine: \"geforce-3\"", 0);
    let (_, step) = difference(&geforce_6, &geforce_3);
    assert!(step <= 2, "the arithmetic differs in the last bits, LIT in the eleventh: {step}");
    let (_, step) = difference(&geforce_3, &on("machine: \"geforce-3\"", 40));
    assert!(step > 20, "a sphere turned by 40 degrees differs: {step}");
}

/// `c[2]` times itself is beyond all floats.
const LARGE: &str = "!!VP1.0
    MOV o[HPOS], v[OPOS];
    MUL R1, c[2], c[2];
    MUL R1, R1, c[3];
    MUL R1, R1, c[4];
    MIN o[COL0], R1, c[5];
END
";

/// The GeForce 3 saturates products at the largest finite number, the GeForce 6 at infinity. An eighth of that number
/// times 2^-126 is less than one half by 2^-25, below 127.5 of 255; the minimum of infinity and one is 255.
#[test]
fn draws_switch_between_machines() {
    let (nv20, nv40) = ("nv20", "nv40");
    let order = [nv20, nv40, nv40, nv20, nv40, nv20];
    let mut draws = String::new();
    for (place, vertex) in order.iter().enumerate() {
        let _ = write!(
            draws,
            "(mesh: \"square\", vertex: \"{vertex}\", fragment: \"fragment\", state: (scissor: ({}, 0, 10, 16))),",
            10 * place
        );
    }
    let scene = format!(
        "(size: (64, 16), targets: {{\"screen\": (color: A8R8G8B8)}},
        values: {{\"c[2]\": \"pow(2, 100)\", \"c[3]\": \"pow(2, -126)\", \"c[4]\": \"(0.125, 0, 0, 0)\", \"c[5]\": \"1\"}},
        meshes: {{\"square\": (shape: Screen)}},
        programs: {{
            \"nv40\": (file: \"large.vp\"), \"nv20\": (file: \"large.vp\", machine: \"geforce-3\"),
            \"fragment\": (file: \"plain.fp\"),
        }},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1)), draws: [{draws}])])"
    );
    let picture = picture("switch", &scene, &[("large.vp", LARGE)]);
    for (place, vertex) in (0u32..).zip(order) {
        let expected = if vertex == nv20 { [127, 0, 0] } else { [255, 0, 0] };
        assert_eq!(pixel(&picture, 10 * place + 5, 8), expected, "{place}");
    }
}

#[test]
fn streams_have_the_object_of_another_machine_only_if_a_program_runs_there() {
    let listed = |machine: &str| {
        let mut listed = Vec::new();
        let scene = read("listed", &sphere(machine, 0), &[("lit.vp", LIT)]).unwrap();
        list_capture(&scene.capture(0..1).unwrap(), &mut listed).unwrap();
        String::from_utf8(listed).unwrap()
    };
    let geforce_3 = listed("machine: \"geforce-3\"");
    assert!(geforce_3.contains(" 6 0097 ENGINE = 0x00000002  mode=PROGRAM"), "{geforce_3}");
    assert!(!listed("").contains(" 0097 "));
}

#[test]
fn native_languages_imply_their_machine() {
    let text = "!!NV20vp1.0\n    MOV oPos, v0;\n    MOV oD0, c[96];\nEND\n";
    let words = "!!NV20vp\n0 0020001b 0836106c 2070f800\n0 002c001b 0c36106c 2070f819\n";
    let scene = "(size: (64, 64), targets: {\"screen\": (color: A8R8G8B8)}, values: {\"c[96]\": \"(0, 1, 0, 1)\"},
        meshes: {\"square\": (shape: Screen)},
        programs: {\"vertex\": (file: \"native.vp\"), \"fragment\": (file: \"plain.fp\")},
        passes: [Render(target: \"screen\", draws: [
            (mesh: \"square\", vertex: \"vertex\", fragment: \"fragment\"),
        ])])";
    for program in [text, words] {
        let picture = picture("native", scene, &[("native.vp", program)]);
        assert_eq!(pixel(&picture, 30, 30), [0, 255, 0], "{program}");
    }
}

/// The message for a scene, and the text that it points at.
fn mistake(vertex: &str, program: &str) -> (String, String) {
    let source = sphere(vertex, 0);
    let error = read("machine_mistakes", &source, &[("lit.vp", program)]).unwrap_err();
    let SceneError::Scene(located) = &error else { panic!("{error}") };
    let line = source.lines().nth(located.line.saturating_sub(1)).unwrap_or_default();
    (error.to_string(), line.chars().skip(located.column - 1).collect())
}

#[test]
fn mistakes_about_machines_are_shown_in_the_scene() {
    let on = "machine: \"geforce-3\"";
    let long = format!("!!VP1.0\n{}END\n", "MOV o[HPOS], v[OPOS];\n".repeat(129));
    let words = format!("!!NV20vp\n{}", "00000000 00000000 00000000 00000000\n".repeat(137));
    let writes = "!!VSP1.0\nMOV c[7], v[0];\nEND\n";
    for (machine, program, message, hint, at) in [
        ("machine: \"geforce-4\"", LIT, "there is no machine `geforce-4`", "did you mean `geforce-3`?", "geforce-4"),
        ("machine: \"voodoo\"", LIT, "there is no machine `voodoo`", "expected one of geforce-6800-ultra", "voodoo"),
        ("machine: \"lit.vp\"", LIT, "there is no machine `lit.vp`", "", "lit.vp"),
        (on, "!!ARBvp1.0\nEND\n", "has no vertex programs in !!ARBvp1.0", "!!VP1.0, !!VP1.1", "geforce-3"),
        (
            "machine: \"geforce-6200\"",
            "!!NV20vp1.0\nEND\n",
            "no vertex programs in !!NV20vp1.0",
            "!!VP2.0",
            "geforce-6200",
        ),
        (on, &long, "`lit.vp` is no program for `geforce-3`", "lit.vp:130:1", "geforce-3"),
        (
            on,
            "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[TEX5], v[OPOS];\nEND\n",
            "`lit.vp` is no program for `geforce-3`",
            "limit: texture coordinates of the GeForce 3 = 4",
            "geforce-3",
        ),
        (on, &words, "`lit.vp` is no program for `geforce-3`", "137 instructions", "geforce-3"),
        (on, "!!NV40vp\n", "`lit.vp` is no program for `geforce-3`", "words of NV40", "geforce-3"),
        (on, writes, "`lit.vp` is no program for `geforce-3`", "constant", "geforce-3"),
    ] {
        let (found, place) = mistake(machine, program);
        assert!(found.contains(message) && found.contains(hint), "{machine}:\n{found}");
        assert!(place.starts_with(at), "{machine}: points at {place}\n{found}");
    }
    let fragment = sphere("", 0).replace("plain.fp\"", "plain.fp\", machine: \"geforce-6200\"");
    let error = read("machine_mistakes", &fragment, &[("lit.vp", LIT)]).unwrap_err().to_string();
    assert!(error.contains("`plain.fp` is a fragment program"), "{error}");
}

#[test]
fn constants_that_only_an_address_reaches_are_zero() {
    let program = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nARL A0.x, c[7].x;\nMOV o[COL0], c[A0.x + 30];\nEND\n";
    for machine in ["", "machine: \"geforce-3\""] {
        let source = sphere(machine, 0);
        let with = |given: &str| source.replace("\"c[9]\":", &format!("{given} \"c[9]\":"));
        // c[7] is 3, so that the color is c[33].
        let black = picture("reached", &with("\"c[7]\": \"3\","), &[("lit.vp", program)]);
        assert_eq!(pixel(&black, 32, 32), [0, 0, 0], "{machine}");
        let given = with("\"c[7]\": \"3\", \"c[33]\": \"(1, 1, 0, 1)\",");
        let yellow = picture("reached", &given, &[("lit.vp", program)]);
        assert_eq!(pixel(&yellow, 32, 32), [255, 255, 0], "{machine}");
    }
    let direct = "!!VP1.0\nADD o[HPOS], v[OPOS], c[50];\nEND\n";
    let scene = read("reached", &sphere("machine: \"geforce-3\"", 0), &[("lit.vp", direct)]).unwrap();
    let error = scene.capture(0..1).unwrap_err().to_string();
    assert!(error.contains("program `vertex` needs `c[50]`"), "{error}");
}

/// The sphere with light in steps: a loop adds `light` as often as an integer says, and a boolean doubles it.
const STEPS: &str = "\
.fvec projection[4]
.fvec light
.ivec steps
.bool isBright
.constf zero(0.0, 0.0, 0.0, 1.0)
.in position v0
.in normal v2
.out outPosition position
.out outColor color
.proc main
    dp4 outPosition.x, projection[0], position
    dp4 outPosition.y, projection[1], position
    dp4 outPosition.z, projection[2], position
    dp4 outPosition.w, projection[3], position
    dp3 r0.xyz, light, normal
    max r0.xyz, zero, r0
    mov r1, zero
    for steps
        add r1.xyz, r0, r1
    .end
    ifu isBright
        add r1.xyz, r1, r1
    .end
    mov outColor, r1
    end
.end
";

/// The same for the GeForce 6, with the factor of the light in `c[5]`, whose w is zero.
const STEPS_VP: &str = "!!VP1.0
    DP4 o[HPOS].x, c[0], v[OPOS];
    DP4 o[HPOS].y, c[1], v[OPOS];
    DP4 o[HPOS].z, c[2], v[OPOS];
    DP4 o[HPOS].w, c[3], v[OPOS];
    DP3 R0, v[NRML], c[4];
    MAX R0, R0, c[5].w;
    MUL o[COL0], R0.x, c[5];
END
";

/// The sphere on the PICA200; `values` are of the uniforms other than the matrix.
fn pica_sphere(values: &str) -> String {
    let scene = sphere("", 0).replace("lit.vp", "steps.v.pica").replace("\"c[0]\"", "\"projection\"");
    scene.replace("\"c[4]\"", &format!("{values}, \"c[4]\""))
}

#[test]
fn the_pica200_draws_with_loops_and_conditions() {
    let draw = |values: &str| picture("pica", &pica_sphere(values), &[("steps.v.pica", STEPS)]);
    let expected = |factor: &str| {
        let scene = sphere("", 0).replace("(0.1, 0.2, 0.3, 1)", &format!("({factor}, {factor}, {factor}, 0)"));
        picture("pica_expected", &scene, &[("lit.vp", STEPS_VP)])
    };
    let light = "\"light\": \"(normalize((1, 2, 2)) * 0.15, 0)\"";
    let three = draw(&format!("{light}, \"steps\": \"(2, 0, 1, 0)\", \"isBright\": \"0\""));
    let six = draw(&format!("{light}, \"steps\": \"(2, 0, 1, 0)\", \"isBright\": \"1\""));
    let four = draw(&format!("{light}, \"steps\": \"(3, 0, 1, 0)\", \"isBright\": \"0\""));
    // Positions have sixteen bits of mantissa, so that pixels at edges may differ.
    for (picture, factor) in [(&three, "0.45"), (&six, "0.9"), (&four, "0.6")] {
        let other = expected(factor);
        let far = picture.rgb.iter().zip(&other.rgb).filter(|(one, other)| one.abs_diff(**other) > 1).count();
        assert!(far <= 12, "{factor}: {far} channels differ");
        assert!(difference(picture, &expected("0.3")).0 > 1000, "{factor}: another light is noticed");
    }
}

#[test]
fn shader_binaries_draw_what_their_text_draws() {
    let values = "\"light\": \"(0, 0, 1, 0)\", \"steps\": \"(0, 0, 1, 0)\", \"isBright\": \"0\"";
    let text = pica_sphere(values);
    let expected = picture("binary_text", &text, &[("steps.v.pica", STEPS)]);
    let binary = assemble("steps.v.pica", STEPS, PicaOptions::default()).unwrap().write().unwrap();
    let folder = folder("binary", &[]);
    std::fs::write(folder.join("steps.shbin"), binary).unwrap();
    let text = text.replace("steps.v.pica", "steps.shbin");
    let scene = SceneFile::read("scene.ron", text, &folder, &SceneOptions::default()).unwrap();
    let outcome = play(&scene.capture(0..1).unwrap());
    assert_eq!(Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap(), expected);
}

#[test]
fn three_machines_take_turns() {
    let names = ["nv40", "pica", "nv20", "pica", "nv40", "nv20", "pica"];
    let mut draws = String::new();
    for (place, name) in names.iter().enumerate() {
        let _ = write!(
            draws,
            "(mesh: \"square\", vertex: \"{name}\", fragment: \"fragment\", state: (scissor: ({}, 0, 8, 16)),
              constants: {{\"c[0]\": \"(0, {place} / 10, 0, 1)\", \"tint\": \"({place} / 10, 0, 0, 1)\"}}),",
            8 * place
        );
    }
    let scene = format!(
        "(size: (64, 16), targets: {{\"screen\": (color: A8R8G8B8)}}, values: {{}},
        meshes: {{\"square\": (shape: Screen)}},
        programs: {{
            \"nv40\": (file: \"a.vp\"), \"nv20\": (file: \"a.vp\", machine: \"geforce-3\"),
            \"pica\": (file: \"a.v.pica\", machine: \"pica200\"), \"fragment\": (file: \"plain.fp\"),
        }},
        passes: [Render(target: \"screen\", clear: (color: (0, 0, 0, 1)), draws: [{draws}])])"
    );
    let program = "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], c[0];\nEND\n";
    let shader = ".fvec tint\n.in a v0\n.out p position\n.out c color\n.proc main\nmov p, a\nmov c, tint\nend\n.end\n";
    let picture = picture("turns", &scene, &[("a.vp", program), ("a.v.pica", shader)]);
    for (place, name) in (0u32..).zip(names) {
        let found = pixel(&picture, 8 * place + 4, 8);
        // Tenths of 255; a 24-bit float is less by 2⁻¹⁶ at most, which rounds 127.5 down.
        let level = 255.0 * f64::from(place) / 10.0;
        let (level_found, other) = if name == "pica" { (found[0], found[1]) } else { (found[1], found[0]) };
        assert!((f64::from(level_found) - level).abs() < 0.51 && other == 0, "{place} {name}: {found:?}");
    }
}

#[test]
fn mistakes_about_the_pica200_are_shown_in_the_scene() {
    let good = "\"light\": \"0\", \"steps\": \"0\", \"isBright\": \"0\"";
    let capture = |values: &str, machine: &str, shader: &str| {
        let scene = pica_sphere(values).replace("steps.v.pica\",", &format!("steps.v.pica\", {machine}"));
        read("pica_mistakes", &scene, &[("steps.v.pica", shader)]).and_then(|scene| scene.capture(0..1))
    };
    assert!(capture(good, "machine: \"pica200\"", STEPS).is_ok());
    let geometry = format!(".gsh\n{}", STEPS.replace("    end\n", "    emit\n    end\n"));
    for (values, machine, shader, message, hint) in [
        ("\"light\": \"0\", \"isBright\": \"0\"", "", STEPS, "program `vertex` needs `steps`", ""),
        (
            "\"light\": \"0\", \"isBright\": \"0\", \"steps\": \"(0.5, 0, 1, 0)\"",
            "",
            STEPS,
            "the integer uniform `steps` of program `vertex` has other numbers",
            "four whole numbers from 0 to 255",
        ),
        (
            "\"light\": \"0\", \"isBright\": \"0\", \"steps\": \"(256, 0, 1, 0)\"",
            "",
            STEPS,
            "the integer uniform `steps`",
            "",
        ),
        (good, "machine: \"geforce-3\"", STEPS, "`steps.v.pica` is no program for `geforce-3`", ""),
        (good, "machine: \"pica200\"", LIT, "`steps.v.pica` is no program for `pica200`", "picasso"),
        (good, "machine: \"pica200\"", ".proc main\nmow r0, r1\n.end\n", "no program for `pica200`", "steps.v.pica:2"),
        (good, "machine: \"pica200\"", &geometry, "no program for `pica200`", ""),
    ] {
        let error = capture(values, machine, shader).unwrap_err();
        let SceneError::Scene(located) = &error else { panic!("{error}") };
        assert!(located.line > 0, "{error}");
        let found = error.to_string();
        assert!(found.contains(message) && found.contains(hint), "{message}:\n{found}");
    }
}
