//! `curie view` and `curie gl --window` in a real window: what an X server shows is what is written to files or what a program
//! drew, keys and the pointer work, scenes move.
#![cfg(feature = "window")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use curie::capture::Capture;
use curie::present::{Channel, Picture, read_png};
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};

/// How long anything may take; machines are busy, and kernels are compiled first.
const PATIENCE: Duration = Duration::from_secs(120);

const CAPTURE: &str = "scenes/captures/flat.nvcap";

/// A child that does not outlive the test.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An X server without a screen, whose pixels lie in a file.
struct Server {
    number: String,
    folder: PathBuf,
    _process: Guarded,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Starts an X server. Without one the test is skipped loudly, or fails where `CURIE_REQUIRE_WINDOW` is set.
fn server(name: &str) -> Option<Server> {
    let folder = std::env::temp_dir().join(format!("curie-window-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let has_keys = Command::new("xdotool").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    let started = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp", "-fbdir"])
        .arg(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let skip = |reason: &str| {
        assert!(std::env::var_os("CURIE_REQUIRE_WINDOW").is_none(), "a window is required: {reason}");
        // Tests capture what `eprintln` prints, but not this.
        let _ = writeln!(std::io::stderr(), "SKIPPED, no window: {reason}");
    };
    match started {
        Err(error) => skip(&format!("Xvfb: {error}")),
        Ok(process) if !has_keys => {
            drop(Guarded(process));
            skip("xdotool is not installed");
        }
        Ok(process) => {
            let mut process = Guarded(process);
            let mut line = String::new();
            BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
            return Some(Server { number: format!(":{}", line.trim()), folder, _process: process });
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    None
}

impl Server {
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env("DISPLAY", &self.number).env_remove("WAYLAND_DISPLAY");
        command.env_remove("WAYLAND_SOCKET").env("WINIT_X11_SCALE_FACTOR", "1");
        command
    }

    fn view(&self, arguments: &[&str]) -> Guarded {
        let mut command = self.command(env!("CARGO_BIN_EXE_curie"), &["view"]);
        Guarded(command.args(arguments).spawn().unwrap())
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = self.command("xdotool", arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// The window whose title holds a text, with the keyboard.
    fn focus(&self, title: &str) -> String {
        let mut window = String::new();
        wait_for("the window", || {
            window = self.xdotool(&["search", "--name", title]).lines().last().unwrap_or_default().to_owned();
            !window.is_empty()
        });
        self.xdotool(&["windowfocus", "--sync", &window]);
        window
    }

    /// Red, green and blue of a part of the screen: an XWD file, whose header is words of the other byte order.
    fn pixels(&self, [left, top]: [usize; 2], (width, height): (u32, u32)) -> Vec<u8> {
        let bytes = std::fs::read(self.folder.join("Xvfb_screen0")).unwrap();
        let header = |index: usize| {
            let word = bytes[index * 4..].first_chunk().copied().unwrap();
            usize::try_from(u32::from_be_bytes(word)).unwrap()
        };
        let (start, pitch, bits) = (header(0) + 12 * header(19), header(12), header(11));
        assert_eq!(
            (header(1), header(7), bits),
            (7, 0, 32),
            "version 7, least significant byte first, 32 bits a pixel"
        );
        let places = (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (left + x, top + y)));
        places
            .flat_map(|(x, y)| {
                let at = start + y * pitch + x * 4;
                [bytes[at + 2], bytes[at + 1], bytes[at]]
            })
            .collect()
    }

    fn shows(&self, place: [usize; 2], picture: &Picture) -> bool {
        self.pixels(place, (picture.width, picture.height)) == picture.rgb
    }
}

/// Presses a key until it has its effect: a window that has only just the keyboard may miss the first time.
fn press(server: &Server, key: &str, mut has_effect: impl FnMut() -> bool) {
    wait_for(&format!("the effect of {key}"), || {
        server.xdotool(&["key", key]);
        let start = Instant::now();
        while !has_effect() && start.elapsed() < PATIENCE / 8 {
            std::thread::sleep(Duration::from_millis(50));
        }
        has_effect()
    });
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what} did not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn exit_status(child: &mut Guarded) -> i32 {
    let mut status = None;
    wait_for("the end of the process", || {
        status = child.0.try_wait().unwrap();
        status.is_some()
    });
    status.and_then(|status| status.code()).unwrap()
}

/// What the reference leaves in the first colour target.
fn expected() -> Picture {
    let capture = Capture::read(&std::fs::read(CAPTURE).unwrap()).unwrap();
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let outcome = replay(&capture, &mut engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap()
}

#[test]
fn a_window_shows_every_pixel_as_a_file_does_and_answers_keys() {
    let Some(_) = common::gpu() else { return };
    let Some(server) = server("capture") else { return };
    let picture = expected();
    let (width, height) = (picture.width as usize, picture.height as usize);
    let folder = server.folder.display().to_string();
    let window_size = format!("{}x{}", width + 100, height + 60);
    let options = ["--zoom", "1", "--no-overlay", "--window", &window_size, "--pictures", &folder];
    let mut process = server.view(&[[CAPTURE].as_slice(), &options].concat());
    wait_for("the picture", || server.shows([50, 30], &picture));
    assert!(!server.shows([51, 30], &picture), "a planted difference is found");

    let window = server.focus("curie");
    let mut saved = None;
    press(&server, "s", || {
        let files = std::fs::read_dir(&server.folder).unwrap().map(|entry| entry.unwrap().path());
        saved = files.filter(|path| path.extension().is_some_and(|extension| extension == "png")).last();
        saved.as_ref().is_some_and(|path| read_png(path).is_ok())
    });
    assert_eq!(read_png(&saved.unwrap()).unwrap(), picture);

    // The note about the saved picture covers the corner; a larger window has room for both.
    server.xdotool(&["key", "v"]);
    server.xdotool(&["windowsize", &window, "780", "580"]);
    let place = [(780 - width) / 2, (580 - height) / 2];
    wait_for("the flipped picture in the larger window", || server.shows(place, &picture.clone().flipped()));

    let middle = [place[0] + width / 2, place[1] + height / 2];
    server.xdotool(&["key", "v", "plus"]);
    let doubled = |x: usize, y: usize| {
        let at = (y * width + x) * 3;
        picture.rgb[at..at + 3].repeat(2)
    };
    wait_for("the picture at twice the size", || {
        (0..8).all(|step| {
            let (x, y) = (width / 2 + 10 * step, height / 2 + 5 * step);
            let at = [middle[0] + 20 * step, middle[1] + 10 * step];
            server.pixels(at, (2, 1)) == doubled(x, y)
        })
    });

    // Restarted, it comes to the same picture.
    server.xdotool(&["key", "1", "r"]);
    std::thread::sleep(Duration::from_millis(500));
    wait_for("the picture again", || server.shows(place, &picture));
    assert!(process.0.try_wait().unwrap().is_none(), "the window is open");
    server.xdotool(&["key", "Escape"]);
    assert_eq!(exit_status(&mut process), 0);
}

#[test]
fn a_scene_moves_until_it_is_paused() {
    let Some(_) = common::gpu() else { return };
    let Some(server) = server("scene") else { return };
    let options = ["scenes/edges", "--size", "64x48", "--window", "200x200", "--zoom", "1", "--no-overlay"];
    let mut process = server.view(&options);
    let pixels = || server.pixels([68, 76], (64, 48));
    let mut seen = Vec::new();
    wait_for("three pictures", || {
        let now = pixels();
        if now.iter().any(|byte| *byte != now[0]) && !seen.contains(&now) {
            seen.push(now);
        }
        seen.len() >= 3
    });
    server.focus("edges");
    let is_still = || {
        let before = pixels();
        std::thread::sleep(Duration::from_millis(1500));
        pixels() == before
    };
    press(&server, "space", is_still);
    let paused = pixels();
    server.xdotool(&["key", "n"]);
    wait_for("the next frame", || pixels() != paused);
    assert!(is_still());
    server.xdotool(&["key", "Escape"]);
    assert_eq!(exit_status(&mut process), 0);
}

#[test]
fn without_a_display_or_a_capture_there_is_an_error() {
    let run = |path: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_curie"));
        command.args(["view", path]);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, message) = run("README.md");
    assert_eq!(status, Some(1));
    assert!(message.contains("README.md") && Path::new("README.md").exists(), "{message}");
    if cfg!(target_os = "linux") {
        let (status, message) = run(CAPTURE);
        assert_eq!(status, Some(1));
        assert!(message.contains("no window can be opened") && message.contains("curie replay"), "{message}");
    }
}

/// Programs with a window of their own.
#[cfg(target_os = "linux")]
mod program {
    use super::*;

    /// Runs an example of the client library's crate in a window; its output goes to a file. `None` without it, EGL or the
    /// driver, which is a failure if `CURIE_REQUIRE_OPENGL` is set.
    fn run(server: &Server, engine: &str, arguments: &[&str]) -> Option<(Guarded, PathBuf)> {
        let missing = |reason: &str| {
            assert!(std::env::var_os("CURIE_REQUIRE_OPENGL").is_none(), "OpenGL is required: {reason}");
            let _ = writeln!(std::io::stderr(), "SKIPPED, no OpenGL: {reason}");
        };
        let program = Path::new(env!("CARGO_BIN_EXE_curie")).with_file_name("examples").join("gl_window");
        if !program.exists() {
            missing("cargo test --workspace builds the program");
            return None;
        }
        let output = server.folder.join("output");
        let mut command = server.command(env!("CARGO_BIN_EXE_curie"), &["gl", "--window", "--engine", engine, "--"]);
        command.arg(program).args(arguments).env_remove("LD_PRELOAD");
        command.stdout(std::fs::File::create(&output).unwrap());
        let mut process = Guarded(command.spawn().unwrap());
        let mut is_missing = false;
        wait_for("the renderer", || {
            is_missing = process.0.try_wait().unwrap().is_some();
            is_missing || said(&output).contains("renderer")
        });
        if is_missing {
            missing("the program ended at once");
            return None;
        }
        assert!(said(&output).starts_with("renderer NV40\n"), "{}", said(&output));
        Some((process, output))
    }

    /// Whether a window shows as many pixels with this color as the strongest.
    fn dominates(pixels: &[u8], channel: usize) -> usize {
        let is_strongest = |pixel: &&[u8]| (0..3).all(|other| other == channel || pixel[other] < pixel[channel]);
        pixels.chunks_exact(3).filter(is_strongest).count()
    }

    /// Runs a program on an X server whose screen is shown, with its output in a file; `None` without them.
    fn run_on_x(server: &Server, options: &[&str], program: &str) -> Option<(Guarded, PathBuf)> {
        let are_missing = ["Xwayland", program].into_iter().any(|program| {
            !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .any(|path| path.join(program).exists())
        });
        if are_missing {
            assert!(std::env::var_os("CURIE_REQUIRE_OPENGL").is_none(), "Xwayland and {program} are required");
            let _ = writeln!(std::io::stderr(), "SKIPPED, no Xwayland or {program}");
            return None;
        }
        let arguments = [&["gl", "--window", "--x11=400x300"], options, &[program]].concat();
        let output = server.folder.join("output");
        let mut command = server.command(env!("CARGO_BIN_EXE_curie"), &arguments);
        command.env_remove("LD_PRELOAD").stdout(std::fs::File::create(&output).unwrap());
        command.env("MESA_SHADER_CACHE_DIR", server.folder.join("kernels"));
        Some((Guarded(command.spawn().unwrap()), output))
    }

    #[test]
    fn a_window_says_how_many_kernels_its_program_waits_for() {
        let Some(_) = common::gpu() else { return };
        // A software adapter on one core compiles unseen.
        if std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1) {
            let _ = writeln!(std::io::stderr(), "SKIPPED, one core");
            return;
        }
        let Some(server) = server("compiling") else { return };
        // No kernel is on disk.
        let Some((process, _)) = run_on_x(&server, &["--engine", "kernels", "--adapter", "software"], "glxgears")
        else {
            return;
        };
        let is_said = || !server.xdotool(&["search", "--onlyvisible", "--name", "compiling [0-9]+ kernel"]).is_empty();
        wait_for("the line", is_said);
        wait_for("the three gears", || {
            (0..3).all(|channel| dominates(&server.pixels([0, 0], (300, 300)), channel) > 2_000)
        });
        wait_for("the end of the line", || !is_said());
        drop(process);
    }

    #[test]
    fn an_x_servers_screen_is_shown_and_takes_input() {
        let Some(server) = server("x11") else { return };
        let Some((mut process, _)) = run_on_x(&server, &["--engine", "reference"], "glxgears") else { return };
        // Each of its three gears has a color.
        let counts = || [0, 1, 2].map(|channel| dominates(&server.pixels([0, 0], (300, 300)), channel));
        wait_for("three gears", || counts().iter().all(|count| *count > 2_000));
        assert!(server.pixels([300, 0], (100, 300)).iter().all(|byte| *byte == 0), "the rest of the screen is empty");
        let search = server.xdotool(&["search", "--onlyvisible", "--name", "."]);
        let window = search.lines().last().unwrap().to_owned();
        server.xdotool(&["windowfocus", "--sync", &window]);
        server.xdotool(&["mousemove", "100", "100"]);
        // Escape ends it.
        wait_for("the end", || {
            server.xdotool(&["key", "Escape"]);
            process.0.try_wait().unwrap().is_some()
        });
        assert_eq!(exit_status(&mut process), 0);
    }

    #[test]
    fn an_x_program_gets_the_pointer_where_it_is_in_the_picture() {
        let Some(server) = server("pointer") else { return };
        // It prints each event; its window lies at the upper left.
        let Some((process, output)) = run_on_x(&server, &["--engine", "reference", "--allow-other-renderer"], "xev")
        else {
            return;
        };
        wait_for("its window", || said(&output).contains("MapNotify"));
        let click = |at: [&str; 2], button: &str| server.xdotool(&["mousemove", at[0], at[1], "click", button]);
        let button = |at: &str, number: u32| {
            // An event is some lines: its name, where it was, what it was.
            said(&output).split("\n\n").any(|event| {
                event.starts_with("ButtonPress") && event.contains(at) && event.contains(&format!("button {number},"))
            })
        };
        // The window appears with the first picture.
        wait_for("the button", || {
            click(["40", "60"], "1");
            button("root:(40,60)", 1)
        });
        assert!(!button("root:(40,60)", 3) && !button("root:(41,60)", 1), "planted differences");
        let window = server.focus("curie");
        server.xdotool(&["windowsize", "--sync", &window, "800", "600"]);
        wait_for("the button in a window of twice the size", || {
            click(["100", "80"], "3");
            button("root:(50,40)", 3)
        });
        // Up and down are buttons 4 and 5 of the core protocol.
        click(["100", "80"], "5");
        wait_for("the wheel", || button("root:(50,40)", 5));
        press(&server, "a", || said(&output).contains("keysym 0x61, a"));
        drop(process);
    }

    /// What the program has said.
    fn said(output: &Path) -> String {
        std::fs::read_to_string(output).unwrap()
    }

    /// The colors of the program after some keys: red, green, blue, yellow from the lower left counterclockwise.
    fn colors((width, height): (u32, u32), turns: usize) -> Picture {
        let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 0]];
        let pixel = |x: u32, y: u32| {
            let (is_right, is_upper) = (x >= width / 2, height - 1 - y >= height / 2);
            let corner = [[0, 1], [3, 2]][usize::from(is_upper)][usize::from(is_right)];
            colors[(corner + turns) % 4]
        };
        let rgb = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
        Picture { width, height, rgb }
    }

    #[test]
    fn a_programs_window_shows_its_pixels_and_takes_its_input() {
        let Some(_) = common::gpu() else { return };
        let Some(server) = server("program") else { return };
        // The driver lays the second out in swizzled order.
        let sizes = [(200, 150), (128, 64)];
        for (engine, (width, height)) in
            ["reference", "kernels"].into_iter().flat_map(|engine| sizes.map(|size| (engine, size)))
        {
            let arguments = [width, height].map(|side| side.to_string());
            let Some((mut process, output)) = run(&server, engine, &arguments.each_ref().map(String::as_str)) else {
                return;
            };
            let picture = |turns| colors((width, height), turns);
            wait_for("the program's picture", || server.shows([0, 0], &picture(0)));
            assert!(!server.shows([1, 0], &picture(0)) && !server.shows([0, 0], &picture(1)), "planted differences");

            let window = server.focus("four colors");
            press(&server, "a", || said(&output).contains("key 30\n"));
            let turns = said(&output).matches("key 30\n").count();
            wait_for("the turned picture", || server.shows([0, 0], &picture(turns)));
            server.xdotool(&["mousemove", "20", "30", "click", "1"]);
            wait_for("the button", || said(&output).contains("button 0x110 at [20.0, 30.0]\n"));
            wait_for("its spot", || server.pixels([20, 30], (8, 8)).iter().all(|byte| *byte == 255));
            assert_ne!(server.pixels([28, 30], (1, 1)), [255; 3]);

            // At twice the size, positions are still those of the picture.
            let larger = [2 * width, 2 * height].map(|side| side.to_string());
            server.xdotool(&["windowsize", "--sync", &window, &larger[0], &larger[1]]);
            wait_for("the larger spot", || server.pixels([40, 60], (16, 16)).iter().all(|byte| *byte == 255));
            server.xdotool(&["mousemove", "81", "40", "click", "3"]);
            wait_for("the other button", || said(&output).contains("button 0x111 at [40.5, 20.0]\n"));
            server.xdotool(&["key", "Escape"]);
            assert_eq!(exit_status(&mut process), 0);
        }
    }

    #[test]
    fn a_locked_pointer_tells_its_motion_until_it_is_let_go() {
        let Some(_) = common::gpu() else { return };
        let Some(server) = server("lock") else { return };
        let Some((mut process, output)) = run(&server, "reference", &["200", "150", "lock"]) else { return };
        wait_for("the program's picture", || server.shows([0, 0], &colors((200, 150), 0)));
        server.xdotool(&["mousemove", "100", "70"]);
        server.focus("four colors");
        // The title says that the pointer is held.
        let is_held = || !server.xdotool(&["search", "--name", "releases the pointer"]).is_empty();
        wait_for("the lock", is_held);
        wait_for("motion", || {
            server.xdotool(&["mousemove_relative", "3", "2"]);
            said(&output).contains("relative ")
        });
        press(&server, "ctrl+alt", || !is_held());
        server.xdotool(&["click", "1"]);
        wait_for("the lock again", is_held);
        assert!(!said(&output).contains("button"), "{}", said(&output));
        server.xdotool(&["key", "Escape"]);
        assert_eq!(exit_status(&mut process), 0);
    }

    #[test]
    fn without_a_display_the_program_does_not_start() {
        let mut command = Command::new(env!("CARGO_BIN_EXE_curie"));
        command.args(["gl", "--window", "--engine", "reference", "--", "echo", "started"]);
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let (out, message) = (output.stdout, String::from_utf8(output.stderr).unwrap());
        assert_eq!((output.status.code(), out), (Some(1), Vec::new()));
        assert!(message.contains("no window can be opened") && message.contains("without --window"), "{message}");
    }
}
