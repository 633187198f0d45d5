//! Tests files and streams that cannot be read or written as a command would like.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::command::{capture, command, curie, error, file, stdout, text};

/// An empty folder of this name.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A copy of a bundled capture with a record at its end that gives a warning.
fn warned_capture(folder: &Path) -> String {
    let mut bytes = std::fs::read(capture("flat")).unwrap();
    bytes.extend(*b"ODD!");
    bytes.extend([0; 4]);
    let path = folder.join("warned.nvcap");
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn messages_that_cannot_be_printed_are_lost_and_nothing_else() {
    let folder = folder("full_stderr");
    let warned = warned_capture(&folder);
    let picture = folder.join("frame.png");
    let arguments = ["replay", &warned, "--engine", "reference", "-o", picture.to_str().unwrap()];
    let usual = curie(&arguments);
    assert!(text(&usual.stderr).starts_with("warning: "), "{}", text(&usual.stderr));
    let usual_picture = std::fs::read(&picture).unwrap();
    std::fs::remove_file(&picture).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for stderr in [full, Stdio::from(writer)] {
        let output = command(&arguments).stderr(stderr).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(text(&output.stdout), text(&usual.stdout));
        assert_eq!(std::fs::read(&picture).unwrap(), usual_picture);
        std::fs::remove_file(&picture).unwrap();
    }
    // Failures keep their status, and diagnostics of `RUST_LOG` do not panic either.
    for arguments in [&["replay", "/no/such.nvcap"][..], &["assemble", "Cargo.toml"], &arguments[..4]] {
        let expected = curie(arguments).status.code();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command(arguments).env("RUST_LOG", "trace").stderr(full).output().unwrap();
        assert_eq!(output.status.code(), expected, "{arguments:?}");
    }
}

#[test]
fn every_frame_is_written_also_if_nobody_reads_the_lines() {
    let folder = folder("frames_without_reader");
    let pattern = folder.join("%d.png");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let size = ["--size", "16x16", "--engine", "reference"];
    let arguments = [&["render", "scenes/edges", "--frames", "3", "-o", pattern.to_str().unwrap()][..], &size].concat();
    let output = command(&arguments).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert_eq!(names(&folder), ["0.png", "1.png", "2.png"]);
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_earlier_one() {
    let folder = folder("whole_outputs");
    let out = folder.join("frame.png");
    let out = out.to_str().unwrap();
    stdout(&["replay", &capture("flat"), "--engine", "reference", "-o", out]);
    assert_eq!(names(&folder), ["frame.png"]);
    let flat = capture("flat");
    let written =
        |option: &[&str], path: &str| error(&[&["replay", &flat, "--engine", "reference"], option, &[path]].concat());
    assert!(written(&["-o"], "/dev/full").contains("No space left on device"));
    assert!(written(&["--statistics"], "/dev/full").contains("No space left on device"));
    let nowhere = written(&["-o"], "/no/such/frame.png");
    assert!(nowhere.contains("/no/such/frame.png: No such file"), "{nowhere}");
    assert_eq!(names(&folder), ["frame.png"]);
    let program = file("whole_outputs.fp", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n");
    assert_eq!(stdout(&["assemble", &program, "-o", "/dev/stdout"]), stdout(&["assemble", &program]));
}

#[test]
fn files_of_a_scene_are_regular_and_inside_its_folder() {
    let folder = folder("hostile_scenes");
    let scene = |name: &str| {
        let path = folder.join(name);
        std::fs::create_dir(&path).unwrap();
        path
    };
    let refused = |path: &Path| error(&["render", path.to_str().unwrap(), "--engine", "reference"]);
    let device = scene("device");
    symlink("/dev/zero", device.join("scene.ron")).unwrap();
    assert!(refused(&device).contains("at most 1048576 bytes"));
    assert!(refused(&device.join("scene.ron")).contains("longer than 1048576 bytes"));
    let pipe = scene("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, pipe.join("scene.ron"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    assert!(refused(&pipe).contains("not a regular file"));
    let secret = scene("secret");
    std::fs::write(folder.join("secret.txt"), "root:hash\n").unwrap();
    symlink("../secret.txt", secret.join("scene.ron")).unwrap();
    let message = refused(&secret);
    assert!(message.contains("a symbolic link leads out of the folder") && !message.contains("root:hash"), "{message}");
    let mesh = scene("mesh");
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/phong");
    for entry in std::fs::read_dir(&bundled).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), mesh.join(entry.file_name())).unwrap();
    }
    let text = std::fs::read_to_string(bundled.join("scene.ron")).unwrap();
    for (name, link) in [("other", bundled.clone()), ("zero", PathBuf::from("/dev/zero"))] {
        let file = if name == "zero" { "zero".to_owned() } else { format!("{name}/teapot.mesh") };
        std::fs::write(mesh.join("scene.ron"), text.replace("teapot.mesh", &file)).unwrap();
        symlink(link, mesh.join(name)).unwrap();
        let message = refused(&mesh);
        assert!(message.contains("a symbolic link leads out of the folder"), "{name}: {message}");
    }
}

/// Runs the command with a limit of address space in KiB.
fn with_memory(kibibytes: u32, arguments: &[&str]) -> Output {
    let script = format!(r#"ulimit -v {kibibytes}; exec "$0" "$@""#);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_curie")]).args(arguments);
    shell.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap()
}

#[test]
fn the_reference_runs_where_memory_is_too_small_for_an_adapter() {
    let arguments = ["replay", "scenes/captures/flat.nvcap"];
    for kibibytes in [300_000, 1_000_000, 1_500_000] {
        let output = with_memory(kibibytes, &arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{kibibytes}: {message}");
        assert!(message.starts_with("note: using the reference engine: "), "{kibibytes}: {message}");
        assert_eq!(text(&output.stdout), stdout(&["replay", &capture("flat"), "--engine", "reference"]));
    }
}

#[test]
fn inputs_without_end_are_refused() {
    let zero = "/dev/zero";
    let program = file("endless_inputs.fp", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n");
    for arguments in [
        &["launch", zero, "--grid", "1", "--block", "1"][..],
        &["disassemble", zero],
        &["explain", zero],
        &["machines", zero],
        &["report", zero],
        &["run-program", zero, "--input", "v[0]=0,0,0,0"],
        &["run-program", &program, "--inputs", zero],
        &["bench", "scenes/edges", "--baseline", zero, "--seconds", "0.01"],
    ] {
        // The limits are far below this; without one the command would take all memory.
        let output = with_memory(4_000_000, arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(message.starts_with("error: "), "{arguments:?}: {message}");
    }
    let buffer = curie(&["launch", "x.ptx", "--grid", "1", "--block", "1", "--arg", "buf:/dev/zero"]);
    assert!(text(&buffer.stderr).contains("longer than"), "{}", text(&buffer.stderr));
}

/// An option that names a file to write: the command, its other arguments, the option, what stands before the file, an ending
/// of its format, and what the message says.
type Written = (&'static str, &'static [&'static str], &'static str, &'static str, &'static str, &'static str);

/// Every option that names a file to write.
#[cfg(target_os = "linux")]
const OUTPUTS: [Written; 27] = [
    ("replay", &["x"], "--capture", "", "nvcap", "captures are written as .nvcap"),
    ("replay", &["x.nvcap"], "--output", "", "png", "pictures are written as PNG"),
    ("replay", &["x.nvcap"], "--statistics", "", "json", "statistics are written as JSON"),
    ("render", &["x"], "--output", "", "png", "pictures are written as PNG"),
    ("render", &["x"], "--statistics", "", "json", "statistics are written as JSON"),
    ("render", &["x"], "--capture", "", "nvcap", "captures are written as .nvcap"),
    ("gl", &["x"], "--output", "", "png", "pictures are written as PNG"),
    ("gl", &["x"], "--screenshot", "0:", "png", "pictures are written as PNG"),
    ("gl", &["--record", "x.nvcap", "x"], "--statistics", "", "json", "statistics are written as JSON"),
    ("gl", &["x"], "--record", "", "nvcap", "streams are recorded as .nvcap or .zst"),
    ("gl", &["x"], "--record", "", "nvcap.zst", "streams are recorded as .nvcap or .zst"),
    ("assemble", &["x"], "--output", "", "nv40vp", "programs are written as text or shader binaries"),
    ("assemble", &["x"], "--output", "", "shbin", "programs are written as text or shader binaries"),
    ("assemble", &["x"], "--output", "", "txt", "programs are written as text or shader binaries"),
    ("launch", LAUNCH, "--out", "0=", "bin", "buffers are written as bytes"),
    ("launch", LAUNCH, "--out", "0=", "raw", "buffers are written as bytes"),
    ("launch", LAUNCH, "--statistics", "", "json", "statistics are written as JSON"),
    ("check", &["x.toml"], "--junit", "", "xml", "JUnit reports are written as XML"),
    ("check", &["x.toml"], "--table", "", "csv", "tables are written as CSV"),
    ("diff", &["x", "y"], "--output", "", "png", "pictures are written as PNG"),
    ("bench", &["x"], "--statistics", "", "json", "statistics are written as JSON"),
    ("profile", &["x"], "--trace", "", "json", "traces are written as JSON"),
    ("cache-sweep", &["x"], "--output", "", "svg", "plots are written as SVG"),
    ("report", &["x"], "--output", "", "html", "reports are .html, .csv or .txt"),
    ("report", &["x"], "--output", "", "htm", "reports are .html, .csv or .txt"),
    ("report", &["x"], "--output", "", "csv", "reports are .html, .csv or .txt"),
    ("report", &["x"], "--output", "", "txt", "reports are .html, .csv or .txt"),
];

const LAUNCH: &[&str] = &["x", "--grid", "1", "--block", "1"];

#[cfg(target_os = "linux")]
#[test]
fn a_file_has_no_ending_of_another_format() {
    let folder = folder("endings");
    for (command, arguments, option, before, ending, message) in OUTPUTS {
        for other in ["jpg", "pdf", "md", "PNG", "svg", "xml", "json"] {
            let is_own = other.eq_ignore_ascii_case(ending);
            let path = folder.join(format!("out.{other}"));
            let value = format!("{before}{}", path.display());
            let output = curie(&[&[command, option, &value], arguments].concat());
            let error = text(&output.stderr);
            assert_eq!(error.contains(message), !is_own, "{command} {option} .{other}: {error}");
            // `diff` has status 2 for anything but a comparison.
            assert!(is_own || output.status.code() == Some(2), "{command} {option} .{other}: {error}");
        }
        let value = format!("{before}{}", folder.join(format!("out.{ending}")).display());
        let error = text(&curie(&[&[command, option, &value], arguments].concat()).stderr);
        assert!(!error.contains(message), "{command} {option} .{ending}: {error}");
    }
    assert_eq!(names(&folder), Vec::<String>::new(), "nothing ran");
}

#[cfg(target_os = "linux")]
#[test]
fn every_option_that_writes_a_file_is_listed() {
    let help = stdout(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut found = Vec::new();
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|command| *command != "help") {
        let help = stdout(&[command, "-h"]);
        // The lines of an option are joined; it begins with a dash.
        let mut options: Vec<String> = Vec::new();
        for line in help.lines().map(str::trim) {
            match options.last_mut() {
                Some(option) if !line.starts_with('-') => *option += &format!(" {line}"),
                _ => options.push(line.to_owned()),
            }
        }
        for option in options.iter().filter(|option| option.starts_with('-') && option.contains(" <")) {
            let name = option.split([' ', ',']).find(|word| word.starts_with("--")).unwrap();
            let writes = ["Write ", "Also write ", ", and write ", "Record the stream"];
            if writes.iter().any(|write| option.contains(write)) && !option.contains("into this folder") {
                found.push((command.to_owned(), name.to_owned()));
            }
        }
    }
    found.sort();
    let mut listed: Vec<_> =
        OUTPUTS.iter().map(|(command, _, option, ..)| ((*command).to_owned(), (*option).to_owned())).collect();
    listed.sort();
    listed.dedup();
    assert_eq!(found, listed);
}
