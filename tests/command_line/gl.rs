//! Tests `curie gl` with an OpenGL program on Mesa's own driver for the chip.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use curie::present::read_png;
use rustix::process::{Pid, Signal, getegid, kill_process};
use sha2::{Digest as _, Sha256};

use super::command::{command, curie, error, stdout, text};

/// How long a process outlives `gl_pixels`.
const OUTLIVING: Duration = Duration::from_secs(60);

/// A program, an example of the client library's crate. `gl_pixels` checks its own pixels, `gl_shaders` waits.
fn program(name: &str) -> Option<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_curie")).with_file_name("examples").join(name);
    program.exists().then(|| program.to_str().unwrap().to_owned())
}

/// Runs the program with options of `curie gl`.
fn run(options: &[&str]) -> Option<String> {
    run_with("gl_pixels", options, &[])
}

/// Runs a program and its arguments with options of `curie gl`; `None` where the program, EGL or the driver is missing, which is a
/// failure if `CURIE_REQUIRE_OPENGL` is set.
fn run_with(name: &str, options: &[&str], program_arguments: &[&str]) -> Option<String> {
    let Some(program) = program(name) else {
        missing("cargo test --workspace builds the program");
        return None;
    };
    run_command(&program, options, program_arguments)
}

/// Says that something is missing, which is a failure if `CURIE_REQUIRE_OPENGL` is set.
fn missing(reason: &str) {
    assert!(std::env::var_os("CURIE_REQUIRE_OPENGL").is_none(), "OpenGL is required: {reason}");
    let _ = writeln!(std::io::stderr(), "SKIPPED, no OpenGL: {reason}");
}

/// As [`run_with`], for any program.
fn run_command(program: &str, options: &[&str], program_arguments: &[&str]) -> Option<String> {
    let arguments = [&["gl"], options, &["--", program], program_arguments].concat();
    let output = command(&arguments).env_remove("LD_PRELOAD").output().unwrap();
    let (lines, messages) = (text(&output.stdout), text(&output.stderr));
    if messages.contains("drew nothing on the emulated chip") {
        missing(&messages);
        return None;
    }
    assert!(output.status.success(), "{lines}{messages}");
    Some(lines)
}

fn scratch(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn a_program_draws_on_the_chip_and_its_recording_replays() {
    for (engine, file) in [("reference", "gl.nvcap"), ("auto", "gl_auto.nvcap.zst")] {
        let recording = scratch(file);
        let Some(lines) = run(&["--engine", engine, "--record", &recording]) else { return };
        assert!(lines.starts_with("renderer NV40\n"), "{lines}");
        assert_eq!(lines.matches("\nok ").count(), 12, "{lines}");
        let (_, surfaces) = lines.split_at(lines.find("color0 ").unwrap());
        assert!(surfaces.contains("\nzeta "), "{surfaces}");
        for engine in ["reference", "auto"] {
            assert_eq!(stdout(&["replay", &recording, "--engine", engine]), surfaces, "{engine}");
        }
    }
}

#[test]
fn what_a_program_reads_is_hashed_by_the_replay() {
    let recording = scratch("gl_reads.nvcap");
    if run(&["--engine", "reference", "--record", &recording]).is_none() {
        return;
    }
    // The program's first read follows a clear to (51, 102, 153, 255), which memory holds as blue, green, red, alpha.
    let cleared = [153, 102, 51, 255].repeat(64 * 64);
    let digest = Sha256::digest(&cleared).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let expected = format!("16384 bytes sha256:{digest}");
    for engine in ["reference", "auto"] {
        let lines = stdout(&["replay", &recording, "--engine", engine, "--readbacks"]);
        let first = lines.lines().next().unwrap();
        assert!(first.starts_with("readback 0 ") && first.ends_with(&expected), "{engine}: {lines}");
    }
}

#[test]
fn the_summary_counts_what_the_program_did() {
    let Some(lines) = run(&["--engine", "reference", "--json"]) else { return };
    let object = &lines[lines.find("\n{").unwrap()..];
    let summary: serde_json::Value = serde_json::from_str(object).unwrap();
    // A triangle, five squares, and the two draws by which the driver copies a texture and reads it back.
    assert_eq!((&summary["draws"], &summary["frames"]), (&8.into(), &1.into()), "{summary}");
}

#[test]
fn frames_are_counted_shown_and_limited() {
    let (shown, last) = (scratch("gl_frame.png"), scratch("gl_last.png"));
    let screenshot = format!("1:{shown}");
    let options =
        ["--engine", "reference", "--strict", "--json", "--frames", "3", "--screenshot", &screenshot, "-o", &last];
    let Some(lines) = run_with("gl_pixels", &options, &["1000000"]) else { return };
    let summary: serde_json::Value = serde_json::from_str(&lines).unwrap();
    let counted = ["frames", "clears", "signal"].map(|name| summary[name].as_u64());
    assert_eq!(counted, [3, 3, 15].map(Some), "{summary}");
    let red = |path: &str| {
        let picture = read_png(Path::new(path)).unwrap();
        assert_eq!((picture.width, picture.height), (64, 64));
        assert!(picture.rgb.chunks_exact(3).all(|pixel| pixel == &picture.rgb[..3]), "{path}");
        [picture.rgb[0], picture.rgb[1], picture.rgb[2]]
    };
    assert_eq!(red(&shown), [1, 0, 0]);
    assert_eq!(red(&last), [2, 0, 0]);
}

#[test]
fn a_program_that_does_not_end_after_its_frames_is_killed() {
    let Some(program) = program("gl_pixels") else { return missing("cargo test --workspace builds the program") };
    // A game may hang in its handler of the signal; a shell hands an ignored one to the program.
    let script = format!("trap '' TERM; exec {program} 1000000");
    let options = ["--engine", "reference", "--json", "--frames", "2"];
    let Some(lines) = run_command("sh", &options, &["-c", &script]) else { return };
    let summary: serde_json::Value = serde_json::from_str(&lines).unwrap();
    assert_eq!((summary["frames"].as_u64(), summary["signal"].as_u64()), (Some(2), Some(9)), "{summary}");
}

/// Whether a program can be found.
fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).exists())
}

/// Whether there are Xwayland and `glxgears`, which nobody here wrote.
fn has_x_programs() -> bool {
    let has_both = ["Xwayland", "glxgears"].into_iter().all(is_installed);
    if !has_both {
        missing("Xwayland and glxgears are not installed");
    }
    has_both
}

/// libglvnd takes Mesa's library for GLX, so the client library gives out no functions.
#[test]
fn a_program_whose_swaps_are_not_seen_has_frames() {
    if !has_x_programs() {
        return;
    }
    let options = ["--x11=320x320", "--engine", "reference", "--json", "--frames", "4"];
    let program = ["__GLX_VENDOR_LIBRARY_NAME=mesa", "glxgears"];
    let Some(lines) = run_command("env", &options, &program) else { return };
    let summary: serde_json::Value = serde_json::from_str(&lines).unwrap();
    let count = |name: &str| summary[name].as_u64().unwrap();
    // Each frame was cleared; the X server may have left some out.
    assert!(count("frames") == 4 && count("clears") >= 4, "{summary}");
}

#[test]
fn a_program_on_an_x_server_draws_by_glx() {
    if !has_x_programs() {
        return;
    }
    for engine in ["reference", "auto"] {
        let (shown, recording) = (scratch(&format!("gears_{engine}.png")), scratch(&format!("gears_{engine}.nvcap")));
        let screenshot = format!("0:{shown}");
        let options = ["--x11=320x320", "--engine", engine, "--json", "--frames", "3", "--screenshot", &screenshot];
        let options = [&options[..], &["--record", &recording]].concat();
        let Some(lines) = run_command("glxgears", &options, &["-info"]) else { return };
        let (said, summary) = lines.split_at(lines.find('{').unwrap());
        assert!(said.contains("GL_RENDERER   = NV40\n"), "{said}");
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        // The X server's own connection is not the program's.
        assert_eq!((&summary["frames"], summary["connections"].as_array().unwrap().len()), (&3.into(), 1), "{summary}");
        let picture = read_png(Path::new(&shown)).unwrap();
        assert_eq!((picture.width, picture.height), (300, 300));
        // The materials of its gears are red, green and blue, on black.
        for channel in 0..3 {
            let dominates =
                |pixel: &&[u8]| pixel.iter().enumerate().all(|(at, value)| at == channel || *value < pixel[channel]);
            let count = picture.rgb.chunks_exact(3).filter(dominates).count();
            assert!((2_000..25_000).contains(&count), "{count} pixels of channel {channel}");
        }
        assert!(picture.rgb.chunks_exact(3).filter(|pixel| pixel == &[0; 3]).count() > 45_000);
        let replayed = curie(&["replay", "--engine", "reference", &recording]);
        assert!(text(&replayed.stdout).contains("color0 300x300"), "{replayed:?}");
    }
}

#[test]
fn on_an_x_server_tool_kits_find_it_and_those_of_windows_their_own_display() {
    if !has_x_programs() {
        return;
    }
    let options = ["gl", "--x11", "--engine", "reference", "--allow-other-renderer", "env"];
    let user = ["SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER", "GDK_BACKEND", "QT_QPA_PLATFORM"];
    let output = command(&options).envs(user.map(|variable| (variable, "wayland"))).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let variables = text(&output.stdout);
    let value = |name| variables.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    assert!(value("DISPLAY").is_some_and(|number| number.starts_with(':')), "{variables}");
    assert_eq!(value("WAYLAND_DISPLAY"), None);
    // Wine hands these on, and Windows programs have no X: SDL 1.2 takes no list, and opens windows on X by itself.
    assert_eq!(value("SDL_VIDEODRIVER"), None);
    assert_eq!(value("SDL_VIDEO_DRIVER"), Some("x11,windows"));
    assert_eq!(value("GDK_BACKEND"), Some("x11,*"));
    // It keeps this one from them.
    assert_eq!(value("QT_QPA_PLATFORM"), Some("xcb"));
}

#[test]
fn an_x_server_that_is_missing_or_ends_is_named() {
    let output = command(&["gl", "--x11", "--engine", "reference", "true"]).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Xwayland is not installed; --x11 needs it"), "{}", text(&output.stderr));
    if !has_x_programs() {
        return;
    }
    // The program outlives its display.
    let script = "pkill -KILL -P $PPID Xwayland; exec sleep 60";
    let output = command(&["gl", "--x11", "--engine", "reference", "sh", "-c", script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("the X server has ended"), "{}", text(&output.stderr));
    for size in ["0x0", "100", "9000x480", "axb"] {
        let output = curie(&["gl", &format!("--x11={size}"), "true"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains("a size such as 1024x768, of 64 to 8192 pixels a side"),
            "{}",
            text(&output.stderr)
        );
    }
}

#[test]
fn a_recording_is_counted_once_the_program_has_ended() {
    let (recording, counted) = (scratch("gl_counted.nvcap"), scratch("gl_counted.json"));
    let options = ["--engine", "reference", "--record", &recording, "--statistics", &counted, "--models"];
    if run(&options).is_none() {
        return;
    }
    let by_replay = scratch("gl_by_replay.json");
    stdout(&["replay", &recording, "--engine", "reference", "--statistics", &by_replay, "--models"]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&counted), read(&by_replay));
    let object: serde_json::Value = serde_json::from_str(&read(&counted)).unwrap();
    assert_eq!(object["draws"].as_array().unwrap().len(), 8, "{object}");
    assert!(!object["models"].is_null());
}

#[test]
fn a_signal_ends_the_program_and_leaves_no_folder() {
    let folder = scratch("gl_signal");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let mut running =
        command(&["gl", "--engine", "reference", "--", "sleep", "60"]).env("TMPDIR", &folder).spawn().unwrap();
    let started = || std::fs::read_dir(&folder).unwrap().any(|entry| entry.unwrap().path().join("socket").exists());
    while !started() {
        assert!(running.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    // The program starts right after the socket is there; the signal waits for it.
    send(&running, Signal::TERM);
    assert_eq!(running.wait().unwrap().code(), Some(128 + 15));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn the_driver_finds_the_chip_that_was_asked_for() {
    for (options, chip) in [
        (&["--engine", "reference"][..], "NV40"),
        (&["--engine", "reference", "--machine", "geforce-6600-gt"], "NV43"),
        (&["--engine", "reference", "--chipset", "0x4e"], "NV4E"),
        (&["--engine", "reference", "--machine", "geforce-6200", "--chipset", "g70"], "NV47"),
    ] {
        let Some(lines) = run(options) else { return };
        assert!(lines.starts_with(&format!("renderer {chip}\n")), "{lines}");
        assert_eq!(lines.matches("\nok ").count(), 12, "{lines}");
    }
}

#[test]
fn a_stream_is_recorded_without_executing_it() {
    for (chip, renderer, class) in [("0x50", "NV50", 0x5097), ("G92", "NV92", 0x8297), ("GT200", "NVA0", 0x8397)] {
        let recording = scratch(&format!("gl_{chip}.nvcap.zst"));
        let options = ["--record-only", "--chipset", chip, "--record", &recording, "--json"];
        let Some(lines) = run_with("gl_shaders", &options, &[]) else { return };
        let waited =
            format!("renderer {renderer}\nsamples 0\nprimitives 0\nfence true\npixel [0, 0, 0, 0]\nerror 0x0\n");
        let (printed, summary) = lines.split_at(lines.find('{').unwrap());
        assert_eq!(printed, waited);
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        // Two instances, one draw with indices, and one for the second query; a clear; two pairs of reports, and fences.
        assert_eq!((&summary["draws"], &summary["clears"]), (&4.into(), &1.into()), "{summary}");
        assert!(summary["reports"].as_u64().is_some_and(|reports| reports > 4), "{summary}");
        let listing = stdout(&["list", &recording]);
        assert!(listing.contains(&format!("GOBJ handle=0xbeef5097 class={class:#06x}\n")));
        assert_eq!(listing.matches(&format!("3 {class:04x} VERTEX_BEGIN_GL = ")).count(), 4);
        // The 2D class uploads the shaders, and a method names where each of them starts.
        for program in ["vertex", "fragment"] {
            let at = listing.find(&format!("    {program} program at 0x")).unwrap();
            let lines = listing[at..].lines().skip(1).take_while(|line| line.starts_with("      "));
            assert!(
                lines.last().is_some_and(|line| line.trim_start().starts_with("exit ")),
                "{}",
                &listing[at..at + 400]
            );
        }
        assert!(!listing.contains("unknown method") && !listing.contains(" ! "));
        // What was recorded draws when it is replayed.
        let replayed = stdout(&["replay", &recording, "--engine", "reference"]);
        assert!(replayed.starts_with("color0 64x64 "), "{replayed}");
    }
}

/// Three squares of 64 × 64 pixels pass. Texels are 1/3; to alpha the program adds sin(1.5/64) and sin(3/64), and then divides by
/// four. Primitives are counted while stream output is on alone.
#[test]
fn a_geforce_8_draws_with_programs() {
    for (chip, renderer) in [("NV50", "NV50"), ("G92", "NV92"), ("GT200", "NVA0")] {
        let Some(lines) = run_with("gl_shaders", &["--chipset", chip, "--engine", "reference"], &[]) else { return };
        let printed: Vec<_> = lines.lines().take(6).collect();
        let drawn = ["samples 12288", "primitives 0", "fence true", "pixel [21, 21, 21, 26]", "error 0x0"];
        assert_eq!(printed, [&[&*format!("renderer {renderer}")][..], &drawn].concat());
    }
}

#[test]
fn a_server_records_the_streams_of_several_programs() {
    let (socket, files) = (scratch("gl_records"), ["gl_served.nvcap", "gl_served-1.nvcap"].map(scratch));
    for old in [&socket, &files[0], &files[1]] {
        let _ = std::fs::remove_file(old);
    }
    let options = ["gl", "--record-only", "--chipset", "NV50", "--record", &files[0], "--serve", &socket];
    let mut server = command(&options).stdout(Stdio::null()).spawn().unwrap();
    while !Path::new(&socket).exists() {
        assert!(server.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    let ran: Vec<_> = (0..2).map(|_| run_with("gl_shaders", &["--connect", &socket], &[])).collect();
    send(&server, Signal::TERM);
    server.wait().unwrap();
    if ran.iter().any(Option::is_none) {
        return;
    }
    for file in files {
        let listing = stdout(&["list", &file]);
        assert_eq!(listing.matches(" 5097 VERTEX_BEGIN_GL = ").count(), 4, "{file}");
    }
}

#[test]
fn the_status_is_that_of_the_program() {
    let ends = |script: &str| curie(&["gl", "--engine", "reference", "--", "sh", "-c", script]);
    let output = ends("exit 3");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stderr), "", "the program has said why");
    let killed = ends("kill -9 $$");
    assert_eq!(killed.status.code(), Some(128 + 9));
    assert!(text(&killed.stderr).starts_with("note: the program drew nothing"), "{}", text(&killed.stderr));
}

/// Starts a program that ends only by a signal, once its supervisor passes signals on.
fn start(options: &[&str], script: &str) -> Child {
    let started = scratch(&format!("gl_started_{}", script.len()));
    let _ = std::fs::remove_file(&started);
    let script = format!("{script}; : > {started}; while :; do sleep 0.1; done");
    let arguments = [&["gl", "--engine", "reference"], options, &["--", "sh", "-c", &script]].concat();
    let mut running = command(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    while !Path::new(&started).exists() {
        assert!(running.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    running
}

fn send(running: &Child, signal: Signal) {
    kill_process(Pid::from_child(running), signal).unwrap();
}

#[test]
fn every_signal_to_the_command_alone_ends_the_program() {
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1), (Signal::QUIT, 3)] {
        let mut running = start(&[], "trap - INT QUIT");
        send(&running, signal);
        assert_eq!(running.wait().unwrap().code(), Some(128 + number));
    }
    // A program that ignores signals is killed, at the second or after a time.
    for again in [true, false] {
        let running = start(&[], "trap '' TERM INT");
        send(&running, Signal::TERM);
        if again {
            send(&running, Signal::INT);
        }
        let output = running.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(128 + 9));
        assert_eq!(text(&output.stderr).contains("did not end within 5 s and was killed"), !again);
    }
}

#[test]
fn the_command_ends_with_its_program_and_not_with_a_process_that_outlives_it() {
    let begin = std::time::Instant::now();
    let Some(lines) = run_with("gl_pixels", &["--engine", "reference"], &["outlived"]) else { return };
    assert!(lines.contains("color0 "), "{lines}");
    assert!(begin.elapsed() < OUTLIVING, "waited for the other process");
}

#[test]
fn another_renderer_is_an_error_unless_it_is_allowed() {
    let gl = |options: &[&str], script: &str| {
        let output = curie(&[&["gl", "--engine", "reference"], options, &["--", "sh", "-c", script]].concat());
        (output.status.code(), text(&output.stderr))
    };
    let (status, message) = gl(&[], "true");
    assert_eq!(status, Some(1));
    assert!(
        message.starts_with("error: the program drew nothing on the emulated chip; no OpenGL library"),
        "{message}"
    );
    let (status, message) = gl(&["--allow-other-renderer"], "true");
    assert_eq!(status, Some(0));
    assert!(message.starts_with("note: the program drew nothing"), "{message}");
    // A file that takes the rights of another group is named before its program starts; Debian has one.
    let is_set_group = |file: std::fs::Metadata| file.mode() & 0o2010 == 0o2010 && file.gid() != getegid().as_raw();
    if std::fs::metadata("/usr/bin/chage").is_ok_and(is_set_group) {
        let output =
            curie(&["gl", "--engine", "reference", "--allow-other-renderer", "--", "/usr/bin/chage", "--help"]);
        let message = text(&output.stderr);
        assert!(message.contains("warning: ") && message.contains("rights of another user or group"), "{message}");
    }
    assert!(!message.contains("rights"), "{message}");
    let (status, message) = gl(&["--connect", "/no/such.sock"], "true");
    assert_eq!(status, Some(1));
    assert!(message.starts_with("error: /no/such.sock: No such file"), "{message}");
    let Some(program) = program("gl_pixels") else { return };
    // Without its socket the client library finds no chip, and Mesa takes another driver.
    let elsewhere = format!("CURIE_SOCKET=/no/such.sock {program} >/dev/null 2>&1; exit 0");
    let (status, message) = gl(&[], &elsewhere);
    assert_eq!(status, Some(1));
    assert!(message.contains("its OpenGL is that of another driver, by "), "{message}");
    assert!(message.contains("libEGL.so.1") && message.contains("libEGL_mesa.so.0"), "{message}");
    let socket = scratch("gl_marks");
    let _ = std::fs::remove_file(&socket);
    let mut server = command(&["gl", "--engine", "reference", "--serve", &socket]).spawn().unwrap();
    while !Path::new(&socket).exists() {
        assert!(server.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    let mode = std::fs::metadata(&socket).unwrap().permissions().mode();
    let ran = run_with("gl_pixels", &["--connect", &socket], &[]);
    let (status, message) = gl(&["--connect", &socket], &elsewhere);
    send(&server, Signal::TERM);
    server.wait().unwrap();
    assert_eq!(mode & 0o077, 0, "others can connect to the socket");
    if ran.is_some() {
        assert_eq!(status, Some(1));
        assert!(message.contains("its OpenGL is that of another driver"), "{message}");
    }
}

#[test]
fn what_is_cut_or_missing_fails() {
    let fails = |options: &[&str]| {
        let program = program("gl_pixels")?;
        let output = curie(&[&["gl", "--engine", "reference"], options, &["--", &program]].concat());
        let message = text(&output.stderr);
        if message.contains("drew nothing on the emulated chip") {
            return None;
        }
        assert_eq!(output.status.code(), Some(1), "{options:?}: {message}");
        Some(message)
    };
    let Some(message) = fails(&["--record", "/dev/full"]) else { return };
    assert!(message.contains("error: connection 0") && message.contains("/dev/full: No space left"), "{message}");
    let late = scratch("gl_late.png");
    let message = fails(&["--screenshot", &format!("9:{late}")]).unwrap();
    assert!(message.contains(&format!("error: {late}: there was no frame 9; 1 frame was marked")), "{message}");
    let message = fails(&["--screenshot", "0:/no/such.png"]).unwrap();
    assert!(message.contains("error: /no/such.png: No such file"), "{message}");
}

#[test]
fn requests_of_the_kernel_are_answered() {
    let Some(program) = program("kernel_requests") else { return };
    let run = |argument: Option<&str>| {
        let options = ["gl", "--engine", "reference", "--allow-other-renderer", "--", &program];
        let output = curie(&options.into_iter().chain(argument).collect::<Vec<_>>());
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    // The program compares the answers with those of the kernel.
    let (status, lines, messages) = run(None);
    assert_eq!(status, Some(0), "{lines}{messages}");
    assert_eq!(messages.matches("connection ").count(), 3, "a channel each: {messages}");
    let (status, lines, messages) = run(Some("unknown"));
    assert_eq!(status, Some(0), "{lines}{messages}");
    let unknown = "curie: the driver made request 0x52 of the kernel, which is unknown here";
    assert_eq!(messages.matches(unknown).count(), 1, "{messages}");
    let (status, lines, messages) = run(Some("idle"));
    assert_eq!(status, Some(0), "{lines}{messages}");
    assert!(messages.contains("0 submissions") && messages.contains("drew nothing"), "{messages}");
    let (status, lines, messages) = run(Some("forbidden"));
    assert_eq!(status, Some(0), "{lines}{messages}");
    assert_eq!(messages.matches("connection ").count(), 2, "{messages}");
    let (status, lines, messages) = run(Some("closed"));
    assert_eq!(status, Some(1), "{lines}{messages}");
    assert!(messages.contains("curie: the program has closed the descriptors of its graphics device"), "{messages}");
    assert!(!lines.contains("went on"), "{lines}");
}

#[test]
fn what_is_missing_is_named() {
    let gl = |arguments: &[&str]| error(&[&["gl", "--engine", "reference"], arguments].concat());
    assert!(gl(&["--", "no-such-program"]).contains("no-such-program"));
    assert!(gl(&["--client", "/no/such.so", "--", "true"]).contains("/no/such.so"));
    assert!(gl(&["--machine", "pica200", "--", "true"]).contains("pica200"));
    assert!(gl(&["--chipset", "0xc0", "--", "true"]).contains("curie has no machine of chipset 0xc0"));
    let record_only = ["gl", "--record-only", "--record", "/no/such.nvcap"];
    let emulated = error(&[&record_only[..], &["--chipset", "NV40", "--", "true"]].concat());
    assert!(emulated.contains("GeForce 6800") && emulated.contains("GT200"), "{emulated}");
    assert!(error(&[&record_only[..], &["--chipset", "0xc0", "--", "true"]].concat()).contains("chipset 0xc0"));
    for arguments in [
        &["--record-only", "--chipset", "NV50"][..],
        &["--record-only", "--record", "x.nvcap"],
        &["--record-only", "--chipset", "NV50", "--record", "x.nvcap", "--engine", "reference"],
        &["--record-only", "--chipset", "NV50", "--record", "x.nvcap", "--machine", "geforce-6600-gt"],
        &["--record-only", "--chipset", "NV50", "--record", "x.nvcap", "--screenshot", "0:x.png"],
        &["--record-only", "--chipset", "NV50", "--record", "x.nvcap", "--statistics", "x.json"],
    ] {
        assert_eq!(curie(&[&["gl"], arguments, &["--", "true"]].concat()).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(curie(&["gl", "--chipset", "NV5", "--", "true"]).status.code(), Some(2));
    assert_eq!(curie(&["gl"]).status.code(), Some(2));
}

#[test]
fn the_program_needs_no_dashes_before_it() {
    for dashes in [&[][..], &["--"]] {
        let arguments = [&["gl", "--engine", "reference"], dashes, &["sh", "-c", "exit 7"]].concat();
        assert_eq!(curie(&arguments).status.code(), Some(7), "{dashes:?}");
    }
    let output = curie(&["gl", "--windo", "sh"]);
    assert_eq!(output.status.code(), Some(2), "an option that does not exist is no program");
    assert_eq!(curie(&["gl"]).status.code(), Some(2));
}

#[test]
fn the_command_alone_runs_a_program() {
    // Cargo installs only the command. It lies in a folder without the library, as a link.
    let folder = scratch("gl_alone");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let alone = Path::new(&folder).join("curie");
    std::fs::hard_link(env!("CARGO_BIN_EXE_curie"), &alone).unwrap();
    // With libraries for two word sizes it is the loader that chooses the folder.
    let script = "library=$(echo $LD_PRELOAD | sed 's,[$]LIB,lib64,'); echo $library; head -c 4 $library";
    let preloaded = std::process::Command::new(&alone)
        .args(["gl", "--engine", "reference", "sh", "-c", script])
        .env_remove("LD_PRELOAD")
        .output()
        .unwrap();
    let lines = String::from_utf8_lossy(&preloaded.stdout).into_owned();
    let is_own = lines.starts_with("/proc/") || lines.contains("/curie-gl-");
    assert!(is_own && lines.contains("\n\x7fELF"), "{lines}{}", text(&preloaded.stderr));
    let Some(program) = program("gl_pixels") else { return };
    if run(&["--engine", "reference"]).is_none() {
        return;
    }
    let output = std::process::Command::new(&alone)
        .args(["gl", "--engine", "reference", &program])
        .env_remove("LD_PRELOAD")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("renderer NV40\n"), "{}", text(&output.stdout));
}
