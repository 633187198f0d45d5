//! The library in a few lines: replays a capture on the best engine, prints the hashes, writes the picture.
#![expect(clippy::print_stdout, reason = "the hashes are the output")]

use std::path::Path;

use curie::{AdapterChoice, Capture, Channel, EngineChoice, Picture, ReplayOptions, open_for, replay, write_png};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "scenes/captures/cube.nvcap".to_owned());
    let capture = Capture::open(path)?;
    let mut opened = open_for(&capture, EngineChoice::Auto, &AdapterChoice::Best)?;
    let outcome = replay(&capture, opened.engine.as_mut(), &ReplayOptions::default(), &mut |_, _| {})?;
    for surface in &outcome.surfaces {
        println!("{}", surface.hash_line());
    }
    if let Some(picture) = outcome.surfaces.first().and_then(|surface| Picture::of_surface(surface, Channel::Color)) {
        write_png(Path::new("frame.png"), &picture)?;
    }
    Ok(())
}
