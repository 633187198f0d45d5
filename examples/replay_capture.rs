//! The library in a few lines: replay a capture on the best engine, print the hashes, write the picture.
#![expect(clippy::print_stdout, reason = "the hashes are the output")]

use std::path::Path;

use curie::capture::Capture;
use curie::engine::{EngineChoice, open};
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::present::{Channel, Picture, write_png};
use curie::replay::{ReplayOptions, replay};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "scenes/captures/cube.nvcap".to_owned());
    let capture = Capture::read(&std::fs::read(path)?)?;
    let sizes = (capture.header.vram_bytes, capture.header.gart_bytes);
    let mut opened = open(EngineChoice::Auto, &AdapterChoice::Best, KernelOptions::default(), sizes)?;
    let outcome = replay(&capture, opened.engine.as_mut(), &ReplayOptions::default(), &mut |_, _| {})?;
    for surface in &outcome.surfaces {
        println!("{}", surface.hash_line());
    }
    if let Some(picture) = outcome.surfaces.first().and_then(|surface| Picture::of_surface(surface, Channel::Color)) {
        write_png(Path::new("frame.png"), &picture)?;
    }
    Ok(())
}
