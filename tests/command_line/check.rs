//! Tests `curie check`, `curie diff` and `curie bisect`: exit statuses, mistakes, planted differences, shares.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use curie::present::{Picture, read_png, write_png};

use super::command::{capture, command, curie, file, text};
use crate::common;

/// A check file in a folder of its own.
fn check_file(name: &str, content: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    file(&format!("check/{name}/check.toml"), content)
}

/// A path beside a check file.
fn beside(path: &str, name: &str) -> PathBuf {
    Path::new(path).with_file_name(name)
}

/// The status and the standard output of a command.
fn run(arguments: &[&str]) -> (i32, String) {
    let output = curie(arguments);
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

/// A check with its pictures in a folder beside the file.
fn check(path: &str, more: &[&str]) -> (i32, String) {
    let pictures = beside(path, "pictures").display().to_string();
    run(&[&["check", path, "--output", &pictures], more].concat())
}

/// The lines that `replay` prints for a capture, as keys of a case.
fn surfaces(name: &str) -> String {
    let (status, lines) = run(&["replay", &capture(name), "--engine", "reference"]);
    assert_eq!(status, 0, "{lines}");
    let surfaces = lines.lines().filter(|line| line.contains("sha256:"));
    surfaces
        .map(|line| {
            let (name, rest) = line.split_once(' ').unwrap();
            format!("surfaces.{name} = '{}'\n", rest.trim())
        })
        .collect()
}

#[test]
fn a_case_passes_with_the_lines_of_replay_and_fails_with_others() {
    let case = format!("[[case]]\ncapture = '{}'\n{}", capture("flat"), surfaces("flat"));
    let path = check_file("hashes", &case);
    let (status, lines) = check(&path, &[]);
    assert_eq!(status, 0, "{lines}");
    assert!(lines.contains("flat [reference]") && lines.ends_with("1 of 1 pass\n"), "{lines}");

    let wrong = case.replacen("sha256:", "sha256:0", 1);
    let path = check_file("wrong_hash", &wrong);
    let (status, lines) = check(&path, &["--junit", beside(&path, "junit.xml").to_str().unwrap()]);
    assert_eq!(status, 1, "{lines}");
    assert!(lines.contains("FAIL") && lines.contains("only the hash of the expected one is known"), "{lines}");
    let actual = read_png(&beside(&path, "pictures").join("flat-reference-color0-actual.png")).unwrap();
    assert_eq!((actual.width, actual.height), (256, 256));
    let junit = std::fs::read_to_string(beside(&path, "junit.xml")).unwrap();
    assert!(junit.contains("<testsuite name=") && junit.contains("failures=\"1\""), "{junit}");
    let (status, json) = check(&path, &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, json["failed"].as_u64()), (1, Some(1)));
    assert_eq!(json["results"][0]["passed"], false);
}

#[test]
fn a_case_that_expects_nothing_fails() {
    let path = check_file("nothing", &format!("[[case]]\ncapture = '{}'\n", capture("flat")));
    let (status, lines) = check(&path, &[]);
    assert!(status == 1 && lines.contains("the case expects nothing"), "{lines}");
}

#[test]
fn mistakes_name_the_file_and_the_line() {
    for (name, content, expected) in [
        ("key", "[[case]]\ncapture = 'a'\nsurfacs.color0 = 'x'\n", "check.toml:3: unknown field `surfacs`"),
        ("toml", "[[case]]\ncapture = \n", "check.toml:2: "),
        ("kind", "[[case]]\nname = 'x'\n", "check.toml:1: a case has one of"),
    ] {
        let path = check_file(&format!("mistake_{name}"), content);
        let (status, lines) = check(&path, &[]);
        assert!(status == 1 && lines.contains(expected), "{lines}");
    }
    let (status, lines) = run(&["check", "no such file"]);
    assert!(status == 1 && lines.contains("no such file: "), "{lines}");
    let path = check_file("stream", "[[case]]\ncapture = 'missing.nvcap'\nsurfaces.color0 = 'x'\n");
    let (status, lines) = check(&path, &[]);
    assert!(status == 1 && lines.contains("missing.nvcap"), "{lines}");
    assert_eq!(check(&path, &["--fraction", "3/2"]).0, 2);
    assert_eq!(check(&path, &["--bless", "--json"]).0, 2);
    assert_eq!(run(&["check"]).0, 2);
    let (status, lines) = check(&path, &["--filter", "nobody"]);
    assert!(status == 2 && lines.contains("no case has such a name"), "{lines}");
    let content = format!("[[case]]\ncapture = '{}'\nuntil_draw = 99\n{}", capture("flat"), surfaces("flat"));
    let (status, lines) = check(&check_file("until", &content), &[]);
    assert!(status == 1 && lines.contains("the stream ends before"), "{lines}");
}

const COMMENTED: &str = "# The head.\n[defaults] # of all\nengines = ['reference']\n\n[[case]]\nname = 'b'  # first\ncapture = \
    'CAPTURE'\npicture = 'b.png'\n# Not all.\nsurfaces.color0 = 'old' # why\npixels = [\n    { x = 128, y = 100, value = \
    '0x00' }, # the middle\n]\n\n[case.counters] # of the run\nraster.quads = 1 # one\n\n[[case]]\nname = 'a'\nprogram = \
    'twice.vp'\ninput = ['vertex.position=1,2,3,1', 'vertex.position=0.5,0,0,1']\nresults = []\n";

#[test]
fn blessing_fills_in_what_the_reference_gives_and_keeps_comments_and_order() {
    let path = check_file("bless", &COMMENTED.replace("CAPTURE", &capture("flat")));
    let program = "!!ARBvp1.0\nADD result.position, vertex.position, vertex.position;\nEND\n";
    std::fs::write(beside(&path, "twice.vp"), program).unwrap();
    let (status, lines) = check(&path, &[]);
    assert!(status == 1 && lines.contains("0 of 2 pass"), "{lines}");
    let (status, lines) = run(&["check", &path, "--bless"]);
    assert!(status == 0 && lines.contains("2 of 2 cases changed"), "{lines}");
    let blessed = std::fs::read_to_string(&path).unwrap();
    for comment in
        ["# The head.", "# of all", "# first", "# Not all.", "# why", "# the middle", "# of the run", "# one"]
    {
        assert!(blessed.contains(comment), "{comment}: {blessed}");
    }
    assert!(blessed.find("name = 'b'") < blessed.find("name = 'a'"), "{blessed}");
    assert!(!blessed.contains("surfaces.zeta"), "only what is listed: {blessed}");
    // 2 · (1, 2, 3, 1) and 2 · (0.5, 0, 0, 1) as bits of floats.
    assert!(blessed.contains("1 result.position 40000000 40800000 40c00000 40000000"), "{blessed}");
    assert!(blessed.contains("2 result.position 3f800000 00000000 00000000 40000000"), "{blessed}");
    let (status, lines) = check(&path, &[]);
    assert!(status == 0 && lines.contains("2 of 2 pass"), "{lines}");
    let (_, lines) = run(&["check", &path, "--bless"]);
    assert!(lines.contains("0 of 2 cases changed"), "{lines}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), blessed);
    if common::gpu().is_some() {
        let (status, lines) = check(&path, &["--engine", "both"]);
        assert!(status == 0 && lines.contains("4 of 4 pass"), "{lines}");
    }
}

#[test]
fn planted_differences_of_each_kind_are_found() {
    let path = check_file("planted", &COMMENTED.replace("CAPTURE", &capture("flat")));
    std::fs::write(beside(&path, "twice.vp"), "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n").unwrap();
    assert_eq!(run(&["check", &path, "--bless"]).0, 0);
    let blessed = std::fs::read_to_string(&path).unwrap();
    let count = blessed.lines().find_map(|line| line.strip_prefix("raster.quads = ")).unwrap();
    let more = format!("1{count}");
    for (old, new, expected) in [
        (count, more.as_str(), "counter raster.quads: "),
        ("1 result.position 3f800000", "1 result.position 3f800001", "results, line 1: "),
        ("value = \"0x", "value = \"0x0f", "pixel (128, 100) of color0: "),
        ("sha256:", "sha256:1", "color0: "),
    ] {
        let planted = blessed.replacen(old, new, 1);
        assert_ne!(planted, blessed, "{old}");
        std::fs::write(&path, planted).unwrap();
        let (status, lines) = check(&path, &[]);
        assert!(status == 1 && lines.contains(expected) && lines.contains("1 of 2 pass"), "{lines}");
    }
    std::fs::write(&path, &blessed).unwrap();
    let mut picture = read_png(&beside(&path, "b.png")).unwrap();
    let place = 3 * (7 * picture.width as usize + 9);
    picture.rgb[place] ^= 0x20;
    write_png(&beside(&path, "b.png"), &picture).unwrap();
    let (status, lines) = check(&path, &[]);
    assert!(
        status == 1 && lines.contains("1 of 65536 pixels differ by at most 32 of 255, the first at (9, 7)"),
        "{lines}"
    );
    for kind in ["actual", "expected", "difference"] {
        read_png(&beside(&path, "pictures").join(format!("b-reference-color0-{kind}.png"))).unwrap();
    }
}

#[test]
fn shares_run_each_case_once_and_merge_to_what_one_run_writes() {
    let names = ["flat", "smooth", "textri", "query", "ifelse"];
    let cases = names.map(|name| format!("[[case]]\ncapture = '{}'\nsurfaces.color0 = 'x'\n", capture(name))).concat();
    let path = check_file("shares", &cases);
    assert_eq!(run(&["check", &path, "--bless"]).0, 0);
    let folder = |name: &str| beside(&path, name).display().to_string();
    let (status, whole) = check(&path, &["--junit", &folder("all.xml"), "--table", &folder("all.csv")]);
    assert_eq!(status, 0, "{whole}");
    let mut lines = Vec::new();
    let mut parts = Vec::new();
    for index in 1..=3 {
        let fraction = format!("{index}/3");
        let [junit, table] = ["xml", "csv"].map(|end| folder(&format!("{index}.{end}")));
        let (status, shard) = check(&path, &["--fraction", &fraction, "--junit", &junit, "--table", &table]);
        assert_eq!(status, 0, "{shard}");
        lines.extend(shard.lines().filter(|line| line.starts_with("ok")).map(str::to_owned));
        parts.extend([junit, table]);
    }
    let mut expected: Vec<_> = whole.lines().filter(|line| line.starts_with("ok")).map(str::to_owned).collect();
    expected.sort();
    lines.sort();
    assert_eq!((lines.len(), &lines), (names.len(), &expected));

    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let outputs = [folder("merged.xml"), folder("merged.csv")];
    let merge = |parts: &[&str]| run(&[parts, &["--merge", "--junit", &outputs[0], "--table", &outputs[1]]].concat());
    let (status, lines) = merge(&[&["check"], &parts[..]].concat());
    assert_eq!((status, lines.as_str()), (0, ""));
    let read = |name: &str| std::fs::read_to_string(folder(name)).unwrap();
    assert_eq!(read("merged.csv"), read("all.csv"));
    assert_eq!(read("all.csv").lines().count(), 1 + 2 * names.len());
    let untimed = |text: String| {
        let line = |line: &str| line.split(" time=").next().unwrap().trim_end_matches(['/', '>']).to_owned();
        text.lines().map(line).collect::<Vec<_>>()
    };
    assert_eq!(untimed(read("merged.xml")), untimed(read("all.xml")));

    let (status, lines) = merge(&[&["check"], &parts[2..]].concat());
    assert!(status == 1 && lines.contains("the share 1/3 is missing"), "{lines}");
    // Another machine with another result.
    std::fs::write(folder("1.csv"), read("1.csv").replacen("sha256:", "sha256:0", 1)).unwrap();
    std::fs::write(folder("4.csv"), read("all.csv")).unwrap();
    let (status, lines) = run(&["check", &folder("1.csv"), &folder("4.csv"), "--merge", "--table", &outputs[1]]);
    assert!(status == 1 && lines.contains("has several values"), "{lines}");
    assert_eq!(run(&["check", &folder("1.csv"), "--merge", "--junit", &outputs[0]]).0, 1);
}

#[test]
fn diff_exits_as_diff_does() {
    let [flat, smooth] = ["flat", "smooth"].map(capture);
    let diff = |arguments: &[&str]| run(&[&["diff", "--engine", "reference"], arguments].concat());
    assert_eq!(diff(&[&flat, &flat, "--readbacks", "--statistics"]), (0, String::new()));
    let picture = file("check/diff.png", "");
    let (status, lines) = diff(&[&flat, &smooth, "-o", &picture, "--statistics"]);
    assert!(status == 1 && lines.contains("color0: ") && lines.contains("pixels differ by at most"), "{lines}");
    assert!(read_png(Path::new(&picture)).unwrap().rgb.chunks(3).any(|pixel| pixel == [255, 0, 0]));
    let (status, json) = diff(&[&flat, &smooth, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, &json["equal"]), (1, &false.into()));
    assert!(json["surfaces"][0]["pixels"]["count"].as_u64().unwrap() > 0);
    let (status, lines) = diff(&[&flat, &flat, "--draw", "0"]);
    assert_eq!((status, lines.as_str()), (0, ""));
    let (status, lines) = diff(&[&flat, &smooth, "--draw", "0"]);
    assert!(status == 1 && lines.starts_with("--- "), "{lines}");
    for trouble in [&[flat.as_str(), "missing"][..], &[&flat, &flat, "--draw", "99"]] {
        assert_eq!(diff(trouble).0, 2);
    }
    assert_eq!(diff(&[&flat]).0, 2);
}

#[test]
fn diff_compares_statistics_files() {
    let write = |name: &str| {
        let path = file(&format!("check/{name}.json"), "");
        let (status, lines) = run(&["replay", &capture(name), "--engine", "reference", "--statistics", &path]);
        assert_eq!(status, 0, "{lines}");
        path
    };
    let (flat, cube) = (write("flat"), write("textri"));
    assert_eq!(run(&["diff", &flat, &flat]), (0, String::new()));
    let (status, lines) = run(&["diff", &flat, &cube]);
    assert!(status == 1 && lines.contains("counters."), "{lines}");
    let (status, _) = run(&["diff", &flat, &file("check/no.json", "{")]);
    assert_eq!(status, 2);
}

#[test]
fn diff_takes_scenes() {
    let scene = |name: &str| format!("{}/scenes/{name}", env!("CARGO_MANIFEST_DIR"));
    let diff = |left: &str, right: &str| run(&["diff", "--engine", "reference", "--size", "32x24", left, right]);
    assert_eq!(diff(&scene("edges"), &scene("edges")), (0, String::new()));
    assert_eq!(diff(&scene("edges"), &scene("phong")).0, 1);
}

#[test]
fn bisect_finds_no_difference_between_the_engines() {
    if common::gpu().is_none() {
        return;
    }
    let (status, lines) = run(&["bisect", &capture("cube")]);
    assert!(status == 0 && lines.starts_with("no difference in "), "{lines}");
    let options = ["--a", "--engine kernels --path stages --tile-size 8", "--b", "--engine kernels", "--json"];
    let (status, json) = run(&[&["bisect", &capture("textri")][..], &options].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((status, &json["differs"]), (0, &false.into()));
}

#[test]
fn bisect_names_the_draw_that_machines_count_differently() {
    let machine = "base = \"geforce-6800-ultra\"\n[vertex]\ncache_entries = { value = 1, provenance = \"estimate\", source = \"a test\" }\n";
    let machine = file("check/small.toml", machine);
    let bisect = |other: &str| {
        let other = format!("--engine reference --machine {other}");
        let scene = concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/phong");
        let machine = "--engine reference --machine geforce-6800-ultra";
        run(&["bisect", scene, "--size", "32x24", "--a", machine, "--b", &other])
    };
    assert_eq!(bisect("geforce-6800-ultra").0, 0);
    let (status, lines) = bisect(&machine);
    assert!(status == 1 && lines.contains("counter vertices.cache_"), "{lines}");
}

/// A program that prints what this build prints, but after some draw, another hash.
#[cfg(unix)]
fn other_build(name: &str, from: u64, to: u64) -> String {
    use std::os::unix::fs::PermissionsExt as _;

    let curie = env!("CARGO_BIN_EXE_curie");
    let script = format!(
        "#!/bin/sh\nwhile [ \"$5\" -ge {from} ] && [ \"$5\" -lt {to} ]; do\n    '{curie}' \"$@\" | sed 's/\"sha256\":\"./\"sha256\":\"x/'\n    \
         exit\ndone\nexec '{curie}' \"$@\"\n"
    );
    let path = file(name, script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[cfg(unix)]
#[test]
fn bisect_finds_the_draw_from_which_another_build_differs() {
    let bisect = |other: &str, more: &[&str]| {
        run(&[&["bisect", &capture("cube"), "--other-curie", other, "--b", "--engine reference"], more].concat())
    };
    let (status, lines) = bisect(env!("CARGO_BIN_EXE_curie"), &[]);
    assert!(status == 0 && lines.starts_with("no difference in "), "{lines}");
    let (status, lines) = bisect(&other_build("check/later", 2, 99), &[]);
    assert!(status == 1 && lines.starts_with("the first difference is after draw 2 in submission"), "{lines}");
    assert!(lines.contains("equal; the difference is in bits"), "{lines}");
    // A later draw overwrites it.
    let hidden = other_build("check/hidden", 1, 2);
    assert_eq!(bisect(&hidden, &[]).0, 0);
    let (status, lines) = bisect(&hidden, &["--each"]);
    assert!(status == 1 && lines.starts_with("the first difference is after draw 1 "), "{lines}");
    assert_eq!(bisect("/nonexistent", &[]).0, 2);
    let (status, lines) = run(&["bisect", &capture("flat"), "--a", "--engine nothing"]);
    assert!(status == 2 && lines.contains("--a '--engine nothing': "), "{lines}");
}

/// The status of a command whose lines nobody reads.
fn status_without_reader(arguments: &[&str]) -> Option<i32> {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command(arguments).stdout(writer).status().unwrap().code()
}

#[test]
fn statuses_are_the_same_when_nobody_reads_the_lines() {
    let wrong = surfaces("flat").replacen("sha256:", "sha256:0", 1);
    let case = |name: &str| format!("[[case]]\nname = '{name}'\ncapture = '{}'\n{wrong}", capture("flat"));
    let path = check_file("unread", &[case("one"), case("two")].concat());
    let junit = beside(&path, "junit.xml").display().to_string();
    let pictures = beside(&path, "pictures").display().to_string();
    let check = ["check", &path, "--output", &pictures, "--junit", &junit];
    assert_eq!(status_without_reader(&check), Some(1));
    assert!(std::fs::read_to_string(&junit).unwrap().contains("tests=\"2\""));
    let engine = ["--engine", "reference"];
    let diff =
        |other: &str| status_without_reader(&[&["diff", &capture("cube"), &capture(other)], &engine[..]].concat());
    assert_eq!((diff("cube"), diff("flat")), (Some(0), Some(1)));
    let states = ["diff", &capture("cube"), &capture("flat"), "--draw", "0"];
    assert_eq!(status_without_reader(&states), Some(1));
}

#[test]
fn what_diff_cannot_do_is_trouble() {
    let cube = capture("cube");
    for more in [&["--until-draw", "100000"][..], &["--frame", "1"], &["--size", "8x8"]] {
        let (status, lines) = run(&[&["diff", &cube, &cube, "--engine", "reference"], more].concat());
        assert_eq!(status, 2, "{more:?}: {lines}");
    }
    let (status, lines) = run(&["diff", "a.json", "b.json", "--until-draw", "1"]);
    assert!(status == 2 && lines.contains("--until-draw is for captures and scenes"), "{lines}");
}

#[test]
fn pictures_of_each_file_and_case_have_their_names() {
    let wrong = surfaces("flat").replacen("sha256:", "sha256:0", 1);
    let case = |name: &str| format!("[[case]]\nname = '{name}'\ncapture = '{}'\n{wrong}", capture("flat"));
    let cases = [case("a b"), case("a_b")].concat();
    let files = ["pictures_one", "pictures_two"].map(|name| check_file(name, &cases));
    let folder = beside(&files[0], "pictures");
    let output = folder.display().to_string();
    // A file that is named twice is checked once.
    let (status, lines) = run(&["check", &files[0], &files[1], &files[0], "--output", &output]);
    assert!(status == 1 && lines.ends_with("0 of 4 pass\n"), "{lines}");
    let pictures: usize = std::fs::read_dir(&folder)
        .unwrap()
        .map(|inner| std::fs::read_dir(inner.unwrap().path()).unwrap().count())
        .sum();
    assert_eq!(pictures, 4, "{lines}");
}

#[test]
fn blessing_writes_nothing_unless_all_cases_run_and_keeps_what_passes() {
    let path = check_file("half", "");
    let picture = beside(&path, "kept.png");
    let case = format!("[[case]]\ncapture = '{}'\n", capture("flat"));
    let hash = surfaces("flat").lines().next().unwrap().rsplit_once(' ').unwrap().1.trim_end_matches('\'').to_owned();
    let passes = format!("{case}name = 'short'\nsurfaces.color0 = '{hash}'\n");
    let pictured = format!("{case}name = 'pictured'\npicture = 'kept.png'\n");
    let missing = "[[case]]\ncapture = 'missing.nvcap'\n";
    let old = Picture { width: 1, height: 1, rgb: vec![1, 2, 3] };
    write_png(&picture, &old).unwrap();
    let text = [&passes, &pictured, missing].concat();
    std::fs::write(&path, &text).unwrap();
    assert_eq!(check(&path, &["--bless"]).0, 1);
    assert_eq!(read_png(&picture).unwrap(), old);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    std::fs::write(&path, [&*passes, &pictured].concat()).unwrap();
    let (status, lines) = check(&path, &["--bless"]);
    assert!(status == 0 && lines.contains("1 of 2 cases changed"), "{lines}");
    assert_ne!(read_png(&picture).unwrap(), old);
    assert!(std::fs::read_to_string(&path).unwrap().contains(&format!("surfaces.color0 = '{hash}'")));
}

#[test]
fn programs_of_cases_sample_textures_beside_the_file() {
    let cases = "[[case]]\nname = 'fragment'\nprogram = 'sample.fp'\ninput = 'fragment.texcoord[0]=0.75,0.5,0,1'\n\
                 textures = '0=A8R8G8B8:two.png'\nresults = ['1 result.color 00000000 3f800000 00000000 3f800000']\n\n\
                 [[case]]\nname = 'tesla'\nprogram = 'sample.tesla'\ninput = 'a[0]=0.75'\n\
                 textures = ['0=f32,2,normalized:two.raw']\nresults = ['1 o[0x0] 40000000']\n";
    let path = check_file("textures", cases);
    let fragment = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND\n";
    std::fs::write(beside(&path, "sample.fp"), fragment).unwrap();
    let tesla = "!!Tesla1.0\n.kernel sample\n.kind vertex\n    ld b32 $r0 a[0x0]\n\
                 \x20   texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0 0 0 0\n    exit mov b32 o[0x0] $r0\n";
    std::fs::write(beside(&path, "sample.tesla"), tesla).unwrap();
    let picture = Picture { width: 2, height: 1, rgb: vec![255, 0, 0, 0, 255, 0] };
    write_png(&beside(&path, "two.png"), &picture).unwrap();
    std::fs::write(beside(&path, "two.raw"), [1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat()).unwrap();
    let (status, lines) = check(&path, &[]);
    assert!(status == 0 && lines.contains("2 of 2 pass"), "{lines}");
    if common::gpu().is_some() {
        let (status, lines) = check(&path, &["--engine", "kernels"]);
        assert!(status == 0 && lines.contains("2 of 2 pass"), "{lines}");
    }
    // Another picture gives another result, and none an error.
    let picture = Picture { width: 2, height: 1, rgb: vec![255, 0, 0, 0, 0, 255] };
    write_png(&beside(&path, "two.png"), &picture).unwrap();
    let (status, lines) = check(&path, &[]);
    assert!(status == 1 && lines.contains("1 of 2 pass"), "{lines}");
    std::fs::remove_file(beside(&path, "two.png")).unwrap();
    let (status, lines) = check(&path, &[]);
    assert!(status == 1 && lines.contains("two.png"), "{lines}");
    // Streams have the textures of their draws.
    let stream =
        check_file("textures_of_stream", &format!("[[case]]\ncapture = '{}'\ntextures = []\n", capture("flat")));
    let (status, lines) = run(&["check", &stream]);
    assert!(status != 0 && lines.contains("the key textures is of programs"), "{lines}");
}

#[test]
fn other_judgments_are_the_same_when_nobody_reads_the_lines() {
    let flat = capture("flat");
    assert_eq!(status_without_reader(&["replay", &flat, "--engine", "reference", "--until-draw", "9999"]), Some(1));
    assert_eq!(status_without_reader(&["replay", &flat, "--engine", "reference"]), Some(0));
    let far = "!!Tesla1.0\n.kernel far\n.param u32 out\n    mov b32 $r1 b32 s[out]\n    add b32 $r1 $r1 0x10000\n    \
               exit st b32 g14[$r1] $r1\n";
    let launch = ["launch", &file("check/far.tesla", far), "--grid", "1", "--block", "1", "--arg", "zeros:4"];
    assert_eq!(status_without_reader(&launch), Some(1));
}
