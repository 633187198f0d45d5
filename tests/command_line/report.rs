//! Tests reports as users get them: the page, the CSV file, the table, and the messages about invalid files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::command::{capture, command, curie, file, stdout, text};
use crate::common::markup::elements;

/// A file with every model, and with text that a page, a CSV file or a terminal could misinterpret.
const MODELS: &str = include_str!("report/models.json");

fn report(arguments: &[&str]) -> Output {
    curie(&[&["report"], arguments].concat())
}

/// Writes a statistics file into a folder private to this test.
fn written(folder: &str, content: &str) -> String {
    file(&format!("report/{folder}/run.json"), content)
}

/// The command's output for a file.
fn printed(folder: &str, content: &str, more: &[&str]) -> String {
    let path = written(folder, content);
    stdout(&[&["report", &path], more].concat())
}

fn models() -> Value {
    serde_json::from_str(MODELS).unwrap()
}

/// The first error in the nesting of a page's elements, if any.
fn misnested(page: &str) -> Option<String> {
    elements(page).err()
}

/// The first resource that a page would fetch, if any.
fn fetched(page: &str) -> Option<String> {
    let without_names = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    ["http:", "https:", "src=\"/", "<link", "@import", "url(", "fetch(", "<iframe"]
        .iter()
        .find_map(|sign| Some(without_names[without_names.find(sign)?..].chars().take(60).collect()))
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let page = printed("page", MODELS, &["--format", "html"]);
    assert_eq!(misnested(&page), None);
    assert_eq!(fetched(&page), None);
    for planted in ["</p></body>", "<b></body>", "<a b=\"></body>", "<p>1 < 2</p></body>"] {
        assert!(misnested(&page.replace("</body>", planted)).is_some(), "{planted}");
    }
    assert!(fetched(&page.replace("</body>", "<img src=\"https://a.b/c\" /></body>")).is_some());
}

#[test]
fn text_of_the_file_stays_text() {
    let page = printed("escape", MODELS, &["--format", "html"]);
    for markup in ["<b>machine", "<i>quoted", "<A8R8G8B8>", "<writes>", "zeta & more"] {
        assert!(!page.contains(markup), "{markup}");
    }
    for escaped in [
        "test &lt;b&gt;machine&lt;/b&gt; &amp; &quot;co&quot;",
        "a &quot;word&quot;, &lt;i&gt;quoted&lt;/i&gt; &lt;/script&gt;",
        "color0 &lt;A8R8G8B8&gt;, zeta &amp; more",
        "depth output, KIL &amp; &lt;writes&gt;",
    ] {
        assert!(page.contains(escaped), "{escaped}");
    }
    // A group of counters without a name is a group.
    let mut file = models();
    file["counters"][""] = json!({ "": 3, "more": { "": 4 } });
    assert_eq!(misnested(&printed("escape_empty", &file.to_string(), &["--format", "html"])), None);
    // The rows of long tables are in a script.
    let mut file = models();
    let draws = file["draws"].as_array_mut().unwrap();
    for number in 3..200 {
        let mut draw = draws[1].clone();
        draw["draw"] = number.into();
        draws.push(draw);
    }
    let page = printed("escape_long", &file.to_string(), &["--format", "html"]);
    assert_eq!(misnested(&page), None);
    assert!(page.contains("\\u003c/script\\u003e"));
}

#[test]
fn sections_are_there_with_their_models() {
    let sections = [
        ("texture_cache", "texture-cache"),
        ("prefetch", "prefetch"),
        ("memory", "memory"),
        ("compression", "compression"),
        ("zcull", "zcull"),
        ("vertex", "vertex"),
        ("shader", "shader"),
        ("time", "time"),
        ("heat_maps", "heat-maps"),
    ];
    let has = |page: &str, id: &str| page.contains(&format!("<h2 id=\"{id}\">"));
    let page = printed("sections", MODELS, &["--format", "html"]);
    for id in sections.iter().map(|(_, id)| *id).chain(["draws", "frames", "targets", "machine", "counters"]) {
        assert!(has(&page, id), "{id}");
    }
    for (model, id) in sections {
        let mut file = models();
        file["models"].as_object_mut().unwrap().remove(model).unwrap();
        let page = printed("sections", &file.to_string(), &["--format", "html"]);
        assert!(!has(&page, id), "{id}");
        assert_eq!(sections.iter().filter(|(_, id)| has(&page, id)).count(), sections.len() - 1);
    }
    let mut file = models();
    file.as_object_mut().unwrap().remove("models").unwrap();
    let page = printed("sections", &file.to_string(), &["--format", "html"]);
    assert_eq!(sections.iter().filter(|(_, id)| has(&page, id)).count(), 0);
    assert!(page.contains("those with the most fragments first"));
}

#[test]
fn numbers_of_the_file_are_on_the_page() {
    let page = printed("numbers", MODELS, &["--format", "html"]);
    for number in [
        // From the plots: cache levels, points of the curve, partitions, a client.
        "\n4,000\n",
        "\n1,000\n",
        "\n12.5\n",
        "\n50.0\n",
        "\n98.0\n",
        "\n40.0 k\n",
        "\n20.0 k\n",
        "\n38.4 k\n",
        // From the tables and lists: methods, an element, a hit rate, a ratio, a rate, what is unknown, a parameter's mark.
        ">1,234,567<",
        ">600<",
        ">75.00<",
        "2.33 : 1, 4 : 1 assumed",
        "2.50 : 1, 4 : 1 assumed",
        "35.2 GB/s",
        "<h3>novelties</h3>",
        "4,096 (estimate)",
        "<td>400</td><td>MHz</td><td>primary</td><td>a &lt;page&gt;</td>",
        // The texture unit is busy 800 of 1000 cycles and limits a draw of 500.
        "texture</td><td class=\"n\">800</td><td class=\"n\">80.0</td><td class=\"n\">1</td><td class=\"n\">500</td>",
        // The depth and color traffic of draw 1, the divergence of its batches, two clears.
        "<td class=\"n\">1</td><td class=\"n\">20</td><td class=\"n\">50.0</td><td class=\"n\">960</td><td class=\"n\">1.60</td><td class=\"n\">8</td><td class=\"n\">100.0</td><td class=\"n\">768</td><td class=\"n\">4.00</td>",
        "<td class=\"n\">625</td><td class=\"n\">77</td><td class=\"n\">4</td><td class=\"n\">5</td><td class=\"n\">6</td>",
        // A draw on processors that execute in order, one that waits for nothing, and units over two draws.
        "in &amp; order</td><td class=\"n\">4</td><td class=\"n\">32</td><td class=\"n\">50.0</td><td class=\"n\">6</td><td class=\"n\">0.200</td><td class=\"n\">120</td><td class=\"n\">18</td><td class=\"n\">60</td><td class=\"n\">24</td><td class=\"n\">6</td><td class=\"n\">5</td><td class=\"n\">7</td>",
        "chip &lt;three&gt;</td><td class=\"n\">1</td><td class=\"n\">18</td><td class=\"n\">33.3</td><td class=\"n\">4</td><td class=\"n\">0.111</td><td class=\"n\">36</td><td class=\"n\">0</td>",
        "in &amp; order</td><td>MUL</td><td class=\"n\">120</td><td class=\"n\">15.0</td>",
        "in &amp; order</td><td>RCP/RSQ</td><td class=\"n\">12</td><td class=\"n\">5.0</td>",
        "clear</td><td class=\"n\">2</td>",
        "<td class=\"n\">2,990</td>",
    ] {
        assert!(page.contains(number), "{number:?}");
    }
    assert!(page.contains("The sums over all draws equal"), "things are 1 + 2");
    let mut file = models();
    file["counters"]["raster"]["quads"] = 2001.into();
    file["models"]["time"]["draws"][2]["bottleneck"] = Value::Null;
    let page = printed("numbers", &file.to_string(), &["--format", "html"]);
    assert!(page.contains("differs from the counters of the run: raster.quads<"));
}

/// The records of a CSV text.
fn records(csv: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut letters = csv.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        let record = records.last_mut().unwrap();
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => record.last_mut().unwrap().push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\r' if !quoted => {
                assert_eq!(letters.next(), Some('\n'));
                records.push(vec![String::new()]);
            }
            other => record.last_mut().unwrap().push(other),
        }
    }
    assert_eq!(records.pop().unwrap(), [""], "the last line ends");
    records
}

/// Counters by the names of their columns.
fn flat(counters: &Value) -> BTreeMap<String, u64> {
    let mut flat = BTreeMap::new();
    for (group, members) in counters.as_object().unwrap() {
        for (name, value) in members.as_object().unwrap() {
            match value.as_object() {
                None => drop(flat.insert(format!("{group}.{name}"), value.as_u64().unwrap())),
                Some(elements) => flat.extend(
                    elements
                        .iter()
                        .map(|(element, value)| (format!("{group}.{name}.{element}"), value.as_u64().unwrap())),
                ),
            }
        }
    }
    flat
}

/// The sums over the columns of counters.
fn sums(records: &[Vec<String>]) -> BTreeMap<String, u64> {
    let counters = records[0].iter().enumerate().skip(4).filter(|(_, title)| !title.starts_with("models."));
    let sum = |column: usize| records[1..].iter().map(|row| row[column].parse::<u64>().unwrap_or(0)).sum();
    counters.map(|(column, title)| (title.clone(), sum(column))).collect()
}

#[test]
fn columns_of_the_csv_file_add_up_to_the_run() {
    let records = records(&printed("csv", MODELS, &["--format", "csv"]));
    assert!(records.iter().all(|record| record.len() == records[0].len()));
    let mut run = flat(&models()["counters"]);
    run.retain(|name, _| !name.starts_with("stream."));
    assert_eq!(sums(&records), run);
    let mut planted = records.clone();
    planted[1][5].push('1');
    assert_ne!(sums(&planted), run);
    let field = |row: usize, title: &str| {
        let column = records[0].iter().position(|other| other == title);
        records[row + 1][column.unwrap_or_else(|| panic!("no column {title}"))].as_str()
    };
    for (row, title, expected) in [
        (1, "primitive", "a \"word\", <i>quoted</i> </script>"),
        (0, "frame", "0"),
        (2, "frame", "1"),
        (1, "novelties.things", "2"),
        (2, "novelties.things", ""),
        (0, "models.time.bottleneck", "texture"),
        (0, "models.time.cycles.memory", "300"),
        (0, "models.texture_cache.second.conflict", "10"),
        (1, "models.texture_cache.first.hits", ""),
        (2, "models.zcull.disabled_by", "depth output; KIL & <writes>"),
        (0, "models.vertex.machine", "chip <three>"),
        (1, "models.vertex.cycles", "120"),
        (1, "models.vertex.cycles_by_cause.register_stalls", "24"),
        (2, "models.vertex.cycles_by_cause.refetch", ""),
        (0, "models.vertex.units.MUL.busy", ""),
        (2, "models.vertex.units.MUL.available", "320"),
        (1, "models.vertex.units.RCP/RSQ.busy", "12"),
        (1, "models.shader.passes_per_quad", "2.5"),
    ] {
        assert_eq!(field(row, title), expected, "{title} of draw {row}");
    }
    let position = |title: &str| records[0].iter().position(|other| other == title).unwrap();
    assert!(position("shading.texture_lookups.unit2") < position("shading.texture_lookups.unit10"));
}

#[test]
fn the_table_names_frames_and_the_most_costly_draws() {
    let table = printed("table", &MODELS.replace("\"quads\", \"target\"", "\"qu\\u001b[2Jads\", \"target\""), &[]);
    let line = |start: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.trim_start().starts_with(start));
        line.unwrap_or_else(|| panic!("no line {start} in\n{table}")).split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(line("run"), ["run", "3", "15", "7", "7,000", "4,000", "4,000", "43,600", "0.003"]);
    assert_eq!(line("before ")[..2], ["before", "0"]);
    assert_eq!(line("0      0")[..3], ["0", "0", "triangles"]);
    let order: Vec<_> = table.lines().skip_while(|line| !line.starts_with("draw ")).skip(1).collect();
    assert!(order[0].ends_with("500     texture") && order[2].ends_with("250      memory"), "{table}");
    assert!(!table.contains('\u{1b}'));
}

#[test]
fn a_recorded_run_makes_every_form_and_shows_its_picture() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let capture = capture("flat");
    let (statistics, picture, page) = (path("flat.json"), path("flat.png"), path("flat.html"));
    let replay = ["replay", &capture, "--engine", "reference", "--statistics", &statistics, "-o", &picture];
    stdout(&replay);
    let output = report(&[&statistics, "-o", &page, "--picture", &picture]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!((misnested(&page), fetched(&page)), (None, None));
    // The signature of a PNG file, in base64.
    assert!(page.contains("<img alt=\"picture of the run\" src=\"data:image/png;base64,iVBORw0KGgo"));
    assert!(page.contains("<h1>flat</h1>") && page.contains("The sums over all draws equal"));
    let csv = report(&[&statistics, "--format", "csv"]);
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&statistics).unwrap()).unwrap();
    let mut run = flat(&file["counters"]);
    run.retain(|name, _| !name.starts_with("stream."));
    assert_eq!(sums(&records(&text(&csv.stdout))), run);
    let output = report(&[&statistics, "--format", "html", "--picture", &statistics]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("flat.json: not a PNG file"), "{}", text(&output.stderr));
    let output = report(&[&statistics, "--picture", &picture]);
    assert!(text(&output.stderr).contains("--picture is for pages"));
}

/// A square whose corners a program of the PICA200 places.
const SCENE: &str = r#"(
    size: (8, 8),
    targets: { "screen": (color: A8R8G8B8) },
    meshes: { "square": (shape: Screen, attributes: { 0: (from: Position) }) },
    programs: { "place": (file: "place.v.pica", machine: "pica200"), "color": (file: "color.fp") },
    passes: [ Render(target: "screen", draws: [ (mesh: "square", vertex: "place", fragment: "color") ]) ],
)"#;

#[test]
fn reports_have_every_number_of_a_vertex_model() {
    let scene = file("report/vertex/scene.ron", SCENE);
    file("report/vertex/place.v.pica", ".in position v0\n.out o position\n.proc main\nmov o, position\nend\n.end\n");
    file("report/vertex/color.fp", "!!ARBfp1.0\nMOV result.color, { 1, 0, 0, 1 };\nEND\n");
    let (statistics, picture) = (file("report/vertex/run.json", ""), file("report/vertex/run.png", ""));
    stdout(&["render", &scene, "--engine", "reference", "--models", "--statistics", &statistics, "-o", &picture]);
    let run: Value = serde_json::from_str(&std::fs::read_to_string(&statistics).unwrap()).unwrap();
    let mut draw = run["models"]["vertex"]["draws"][0].as_object().unwrap().clone();
    assert_eq!((draw.remove("draw").unwrap(), &draw["machine"]), (0.into(), &"pica200".into()));

    let mut expected = BTreeMap::new();
    for unit in draw.remove("units").unwrap().as_array().unwrap() {
        let name = unit["unit"].as_str().unwrap();
        expected.extend(["busy", "available"].map(|key| (format!("units.{name}.{key}"), unit[key].clone())));
    }
    assert_eq!(expected["units.MUL.available"], 4 * draw["cycles"].as_u64().unwrap());
    let causes = draw.remove("cycles_by_cause").unwrap();
    for (cause, cycles) in causes.as_object().unwrap() {
        expected.insert(format!("cycles_by_cause.{cause}"), cycles.clone());
    }
    expected.extend(draw);
    let records = records(&stdout(&["report", &statistics, "--format", "csv"]));
    let fields = records[0].iter().zip(&records[1]);
    let vertex = fields.filter_map(|(title, field)| Some((title.strip_prefix("models.vertex.")?.to_owned(), field)));
    let found = vertex.map(|(title, field)| (title, serde_json::from_str(field).unwrap_or_else(|_| json!(field))));
    assert_eq!(found.collect::<BTreeMap<String, Value>>(), expected);

    let page = stdout(&["report", &statistics, "--format", "html"]);
    let (_, section) = page.split_once("<h2 id=\"vertex\">").unwrap();
    for cause in causes.as_object().unwrap().keys() {
        assert!(section.contains(&format!("Cycles <small>{}<", cause.replace('_', " "))), "{cause}");
    }
    assert!(section.contains("<td>pica200</td><td>MUL</td><td class=\"n\">0</td>"), "MOV has no product");
}

#[test]
fn models_that_are_cut_off_are_warned_of() {
    for (format, sign) in
        [("html", "<p class=\"warning\">A frame had more quads or texels"), ("text", "A frame had more quads")]
    {
        assert!(!printed("cut_off", MODELS, &["--format", format]).contains(sign));
        let mut file = models();
        file["models"]["is_cut_off"] = json!(true);
        let report = printed("cut_off", &file.to_string(), &["--format", format]);
        assert!(report.contains(sign), "{report}");
    }
}

#[test]
fn a_page_holds_so_many_rows_of_a_table() {
    let mut file = models();
    let draws = file["draws"].as_array_mut().unwrap();
    draws[1]["counters"] = json!({ "raster": { "fragments": 1 } });
    for number in 3..20_010 {
        let mut draw = draws[1].clone();
        draw["draw"] = number.into();
        draws.push(draw);
    }
    let page = printed("rows", &file.to_string(), &["--format", "html"]);
    assert!(page.contains("The first 20,000 of 20,010 rows are here."));
    assert!(!printed("rows", MODELS, &["--format", "html"]).contains("rows are here"));
}

#[test]
fn files_that_make_no_sense_are_refused_by_key() {
    let changed = |pointer: &str, value: Value| {
        let mut file = models();
        *file.pointer_mut(pointer).unwrap() = value;
        file.to_string()
    };
    let without = |pointer: &str, key: &str| {
        let mut file = models();
        file.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key).unwrap();
        file.to_string()
    };
    for (content, expected) in [
        (String::new(), "not a JSON text: EOF"),
        (MODELS[..MODELS.len() / 2].to_owned(), "not a JSON text: EOF"),
        ("graph".to_owned(), "not a JSON text: expected"),
        ("{\"later\": ".to_owned() + &"[".repeat(100_000), "not a JSON text: EOF"),
        (
            MODELS.replace("cycles\": 250 }", &format!("cycles\": {}{} }}", "[".repeat(500), "]".repeat(500))),
            "not a JSON text: recursion limit",
        ),
        ("7".to_owned(), "the file: invalid type"),
        ("{}".to_owned(), "the file: missing field `schema`"),
        (changed("/schema", json!(2)), "schema: the file has version 2, this program reads version 1"),
        (changed("/schema", json!("1")), "schema: invalid type: string"),
        (without("", "draws"), "the file: missing field `draws`"),
        (without("/draws/1", "primitive"), "draws[1]: missing field `primitive`"),
        (changed("/draws/2/counters/raster/quads", json!("many")), "draws[2].counters.raster.quads: invalid type"),
        (changed("/draws/2/counters/raster/quads", json!([1])), "draws[2].counters.raster.quads: invalid type"),
        (changed("/counters/stream/methods", json!(-1)), "counters.stream.methods: invalid type: integer `-1`"),
        (changed("/counters/shading/texture_lookups/unit2", json!(0.5)), "counters.shading.texture_lookups.unit2:"),
        (changed("/draws/1/target", json!(1)), "draws[1].target: there is no target 1"),
        (changed("/draws/1/draw", json!(0)), "draws[1].draw: 0, but draws are numbered in order"),
        (changed("/frames/2/draws", json!(u64::MAX)), "frames[2].draws: there are 3 draws"),
        (changed("/models/time/draws/0/draw", json!(3)), "models.time.draws[0].draw: there is no draw 3"),
        (changed("/models/vertex/draws/1/draw", json!(3)), "models.vertex.draws[1].draw: there is no draw 3"),
        (without("/models/vertex/draws/1/units/0", "unit"), "models.vertex.draws[1].units[0]: missing field `unit`"),
        (without("/models/time/draws/2", "cycles"), "models.time.draws[2]: missing field `cycles`"),
        (changed("/models/time/draws/2/cycles/rop", json!(null)), "models.time.draws[2].cycles.rop: invalid type"),
        (changed("/models/heat_maps/0/rows", json!(u64::MAX)), "models.heat_maps[0].values: 6 values, but 3 columns"),
        (changed("/models/heat_maps/0/columns", json!(0)), "models.heat_maps[0].values: 6 values, but 0 columns"),
    ] {
        let path = written("wrong", &content);
        let output = report(&[&path]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{expected}: {message}");
        assert!(message.starts_with("error: ") && message.lines().count() == 1, "{message}");
        assert!(message.contains(&format!("run.json: {expected}")), "{message} instead of {expected}");
    }
}

#[test]
fn a_run_without_draws_has_a_report() {
    let empty = json!({
        "schema": 1, "machine": { "name": "m" }, "counters": {}, "frames": [], "targets": [], "draws": [],
        "models": { "time": { "draws": [] }, "memory": {}, "prefetch": { "parameters": null }, "zcull": { "draws": [] }, "vertex": { "draws": [] } }
    });
    for format in ["html", "csv", "text"] {
        let report = printed("empty", &empty.to_string(), &["--format", format]);
        assert!(!report.contains("NaN") && !report.contains("inf"), "{report}");
        assert_eq!(if format == "html" { misnested(&report) } else { None }, None);
    }
}

/// 40 threads store words that are 8 bytes apart: three half-warps, each thread with a transaction.
#[test]
fn a_launch_becomes_a_page() {
    let kernel_text = "!!Tesla1.0\n.kernel store\n.param u32 out\n    cvt u32 $r1 u16 $r0l\n    shl b32 $r1 $r1 0x3\n    add b32 $r1 b32 \
                s[out] $r1\n    exit st b32 g14[$r1] $r0\n";
    let kernel = file("report/launch/store.tesla", kernel_text);
    let path = file("report/launch/store.json", "");
    stdout(&["launch", &kernel, "--grid", "2", "--block", "40", "--arg", "zeros:320", "--statistics", &path]);
    let page = stdout(&["report", &path, "--format", "html"]);
    assert_eq!(misnested(&page), None);
    for part in [
        "<title>store: statistics</title>",
        "<p class=\"machine\">GeForce 8800 GTX</p>",
        "<dt>Blocks</dt><dd>2 × 1 × 1<small>of 40 × 1 × 1 threads</small></dd>",
        "<dt>Bytes moved</dt><dd>2,560<small>320 asked; 0 of 6 half-warps coalesced</small></dd>",
        "<td>000018</td><td>exit st b32 g14[$r1] $r0</td><td>memory</td><td class=\"n\">4</td><td class=\"n\">20.0</td>",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let refused = |content: String, message: &str| {
        let path = file("report/launch/wrong.json", content);
        let output = text(&report(&[&path, "--format", "html"]).stderr);
        assert_eq!(output.replace(&path, "FILE"), format!("error: FILE: {message}\n"));
    };
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let with = |key: &str, value: Value| {
        let mut changed = json.clone();
        changed[key] = value;
        changed.to_string()
    };
    refused(with("schema", json!(9)), "schema: the file has version 9, this program reads version 1");
    let output = text(&report(&[&path, "--format", "csv"]).stderr);
    let page_only = "the statistics of a launch become a page without a picture: give -o FILE or --format html";
    assert_eq!(output, format!("error: {page_only}\n"));
    let wrong = file("report/launch/wrong.json", with("time", json!({ "clocks": "many" })));
    let output = text(&report(&[&wrong, "--format", "html"]).stderr);
    assert!(output.contains(": time.clocks: invalid type: string"), "{output}");
}

#[test]
fn endings_choose_the_format() {
    let statistics = file("report/endings/run.json", MODELS);
    let written = |name: &str, more: &[&str]| {
        let path = file(&format!("report/endings/{name}"), "");
        stdout(&[&["report", &statistics, "-o", &path], more].concat());
        std::fs::read_to_string(path).unwrap()
    };
    let [html, csv, plain] = ["html", "csv", "text"].map(|format| printed("endings", MODELS, &["--format", format]));
    for (name, more, expected) in [
        ("a.csv", &[][..], &csv),
        ("a.CSV", &[], &csv),
        ("a.txt", &[], &plain),
        ("a.html", &[], &html),
        ("a", &[], &html),
        ("a.csv", &["--format", "text"], &plain),
        ("a.json", &["--format", "csv"], &csv),
    ] {
        assert!(written(name, more) == *expected, "{name} {more:?}");
    }
    let refused = curie(&["report", &statistics, "-o", "report.json"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("reports are .html, .csv or .txt"), "{}", text(&refused.stderr));
    assert_eq!(stdout(&["report", &statistics, "-o", "-"]), plain);
    let titled = written("titled.html", &["--title", "a <b>"]);
    assert!(titled.contains("<title>a &lt;b&gt;: statistics</title>"), "{titled}");
    assert!(plain.lines().next().unwrap().ends_with("; times are modeled, not measured"), "{plain}");
    let from_input =
        command(&["report", "-", "--format", "csv"]).stdin(std::fs::File::open(&statistics).unwrap()).output().unwrap();
    assert_eq!(text(&from_input.stdout), csv);
}

/// The counters of a recording of the GeForce 8, in a folder private to a test.
fn counted_geforce_8(folder: &str, engine: &str) -> (Value, String) {
    let path = file(&format!("report/{folder}/{engine}.json"), "");
    let recording = capture("geforce-8/geometry_program");
    let arguments = ["replay", &recording, "--engine", engine, "--statistics", &path, "--models"];
    stdout(&arguments);
    (serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap(), path)
}

#[test]
fn a_recording_of_the_geforce_8_has_counters_and_a_page() {
    let (counted, path) = counted_geforce_8("geforce_8", "reference");
    assert_eq!(counted["machine"]["name"], "geforce-8800-gtx");
    let models = &counted["models"];
    let draw = &models["processor"]["draws"][0];
    for stage in ["vertex", "geometry", "fragment"] {
        let warps = &draw["stages"][stage];
        assert_eq!(warps["warps"], counted["draws"][0]["counters"]["processor"]["warps"][stage], "{warps}");
    }
    assert!(draw["cycles"].as_f64() > Some(0.0), "{draw}");
    let balance = &models["processor"]["frames"][0]["balance"];
    assert_eq!(balance["fragment"].as_array().map(Vec::len), Some(64));
    assert_eq!(models["memory"]["partitions"].as_array().map(Vec::len), Some(6));
    assert_eq!(models["time"]["draws"][0]["bottleneck"], "front_end", "so small a draw");
    assert!(models["prefetch"].is_null() && models["shader"].is_null() && models["compression"].is_null());
    let processor = &counted["counters"]["processor"];
    for stage in ["vertex", "geometry", "fragment"] {
        assert!(processor["warps"][stage].as_u64() > Some(0), "{processor}");
    }
    assert_eq!(counted["draws"][0]["counters"]["stream_output"]["bytes"], 0);
    let page = stdout(&["report", &path, "--format", "html"]);
    assert_eq!((misnested(&page), fetched(&page)), (None, None));
    for part in [
        "<h2 id=\"processor\">",
        "Warp instructions",
        "of warps",
        "Divergent branches",
        "Work of the processor over frame",
        "Warps by draw and program",
        "Multiprocessors by draw",
        "<h2 id=\"zcull\">",
        "Bytes by partition",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<h2 id=\"shader\">") && !page.contains("Quad instructions"));
    let rows = stdout(&["report", &path, "--format", "csv"]);
    for column in ["processor.warps.vertex", "models.processor.stages.geometry.occupancy", "models.time.cycles.shader"]
    {
        assert!(rows.lines().next().unwrap().contains(column), "{column}");
    }
    assert!(stdout(&["report", &path]).starts_with("geforce-8800-gtx: draws "));
}

/// Files of other chips have no group of these.
#[test]
fn a_recording_of_the_geforce_6800_has_no_threads() {
    let path = file("report/geforce_6800/run.json", "");
    stdout(&["replay", &capture("flat"), "--engine", "reference", "--statistics", &path]);
    let counted: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let groups: Vec<_> = counted["counters"].as_object().unwrap().keys().cloned().collect();
    let expected = ["stream", "vertices", "primitives", "raster", "tests", "shading", "rop", "bytes"];
    assert!(expected.iter().all(|group| groups.iter().any(|own| own == group)) && groups.len() == expected.len());
    assert!(!stdout(&["report", &path, "--format", "html"]).contains("<h2 id=\"processor\">"));
}

#[test]
fn both_engines_count_a_recording_of_the_geforce_8_alike() {
    if crate::common::gpu().is_none() {
        return;
    }
    let [kernels, reference] = ["kernels", "reference"].map(|engine| counted_geforce_8("geforce_8_engines", engine).0);
    assert_eq!(kernels, reference);
}
