//! Small scenes built in a test and played on an engine.

use std::path::{Path, PathBuf};

use curie::capture::Capture;
use curie::kernels::{KernelOptions, Kernels};
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::Engine;
use curie::present::{Channel, Picture};
use curie::reference::Reference;
use curie::replay::{Outcome, ReplayOptions, replay};
use curie::scene::{SceneError, SceneFile, SceneOptions};

/// A vertex program that passes positions, texture coordinates and a color through.
pub(crate) const PLAIN_VERTEX: &str = "!!ARBvp1.0\nMOV result.position, vertex.position;\n\
    MOV result.texcoord[0], vertex.texcoord[0];\nMOV result.color, vertex.color;\nEND\n";

/// A fragment program that outputs the color.
pub(crate) const PLAIN_FRAGMENT: &str = "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND\n";

/// A folder for this test with these files.
pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenes").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in [("plain.vp", PLAIN_VERTEX), ("plain.fp", PLAIN_FRAGMENT)].iter().chain(files) {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

/// Reads a scene from a text, with files beside it.
pub(crate) fn read(name: &str, text: &str, files: &[(&str, &str)]) -> Result<SceneFile, SceneError> {
    SceneFile::read("scene.ron", text.to_owned(), &folder(name, files), &SceneOptions::default())
}

/// A scene with one target of 64×64 pixels and the pass-through programs `vertex` and `fragment`; `rest` follows.
pub(crate) fn text(rest: &str) -> String {
    format!(
        "(size: (64, 64), targets: {{\"screen\": (color: A8R8G8B8, zeta: Z24S8)}},
        programs: {{\"vertex\": (file: \"plain.vp\"), \"fragment\": (file: \"plain.fp\")}}, {rest})"
    )
}

/// Plays a capture on the reference without any anomaly.
pub(crate) fn play(capture: &Capture) -> Outcome {
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    play_on(capture, &mut engine).0
}

/// Plays a capture without any anomaly; also returns all memory.
pub(crate) fn play_on(capture: &Capture, engine: &mut dyn Engine) -> (Outcome, [Vec<u8>; 2]) {
    let options = ReplayOptions { strict: true, ..ReplayOptions::default() };
    let outcome = replay(capture, engine, &options, &mut |_, _| {}).unwrap();
    let memory = MemorySpace::ALL.map(|space| {
        let mut bytes = vec![0; engine.memory_extent(space) as usize];
        engine.read_memory(MemoryWindow { space, start: 0, bytes: u32::MAX }, &mut bytes).unwrap();
        bytes
    });
    (outcome, memory)
}

/// The kernels for a capture; `None` without an adapter.
pub(crate) fn kernels(capture: &Capture) -> Option<Kernels> {
    let gpu = crate::common::gpu()?;
    let header = capture.header;
    Some(Kernels::new(gpu, KernelOptions::default(), header.vram_bytes, header.gart_bytes).unwrap())
}

/// The picture of the first frame of a scene.
pub(crate) fn picture(name: &str, text: &str, files: &[(&str, &str)]) -> Picture {
    let scene = read(name, text, files).unwrap_or_else(|error| panic!("{error}"));
    let outcome = play(&scene.capture(0..1).unwrap_or_else(|error| panic!("{error}")));
    Picture::of_surface(&outcome.surfaces[0], Channel::Color).unwrap()
}

/// Red, green and blue of a pixel.
pub(crate) fn pixel(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    let at = ((y * picture.width + x) * 3) as usize;
    [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]]
}

/// The lines that a command prints for an outcome.
pub(crate) fn lines(outcome: &Outcome) -> String {
    outcome.surfaces.iter().map(|surface| surface.hash_line() + "\n").collect()
}
