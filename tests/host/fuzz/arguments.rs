//! The fuzz target of what a launch takes from the command line: arguments, textures and tables.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use curie::launch::{Argument, Table, TextureArgument};
use curie::pipeline::launch::{LaunchMemory, LaunchTextures};
use curie::pipeline::{Dimensions, Filter, Wrap};

/// Bytes of a buffer that are compared.
const COMPARED_BYTES: usize = 1 << 16;

/// Writes an argument as text.
pub(crate) fn written_argument(argument: &Argument) -> String {
    match argument {
        Argument::Signed(value) => format!("i32:{value}"),
        Argument::Unsigned(value) => format!("u32:{value:#x}"),
        Argument::Float(bits) => format!("f32:{bits:#010x}"),
        Argument::Bytes(bytes) => {
            format!("bytes:{}", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
        }
        Argument::Buffer(bytes) if bytes.len() > COMPARED_BYTES || bytes.len() % 4 != 0 => {
            format!("zeros:{}", bytes.len())
        }
        Argument::Buffer(bytes) => {
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word).to_string());
            format!("u32:[{}]", words.collect::<Vec<_>>().join(","))
        }
    }
}

/// Writes a texture as text, with zeros for its texels.
pub(crate) fn written_texture(argument: &TextureArgument) -> String {
    let TextureArgument { name, texture, sampler, .. } = argument;
    let axes = match texture.dimensions {
        Dimensions::One => 1,
        Dimensions::Two => 2,
        Dimensions::Three | Dimensions::Cube => 3,
    };
    let size = texture.size[..axes].iter().map(u32::to_string).collect::<Vec<_>>().join("x");
    let wrap = match sampler.wrap[0] {
        Wrap::Repeat => "repeat",
        Wrap::MirroredRepeat => "mirror",
        Wrap::ClampToBorder => "border",
        _ => "clamp",
    };
    let filter = if sampler.mag_filter == Filter::Linear { "linear" } else { "nearest" };
    let normalized = if texture.is_unnormalized { "" } else { ",normalized" };
    format!("{name}={},{size},wrap={wrap},filter={filter}{normalized}:zeros", texture.format.name())
}

/// Whether reading a text would read a file.
fn names_file(text: &str) -> bool {
    let content = text.split_once('=').and_then(|(_, rest)| rest.split_once(':')).map(|(_, content)| content);
    text.starts_with("buf:") || content.is_some_and(|content| content != "zeros" && !content.starts_with('['))
}

fn argument(text: &str) -> bool {
    let argument: Argument = match text.parse() {
        Ok(argument) => argument,
        Err(error) => {
            assert!(!ToString::to_string(&error).is_empty());
            return false;
        }
    };
    let written = written_argument(&argument);
    let again: Argument = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
    match (&argument, &again) {
        (Argument::Buffer(bytes), Argument::Buffer(other)) if bytes.len() > COMPARED_BYTES => {
            assert_eq!(bytes.len(), other.len());
        }
        _ => assert_eq!(again, argument, "{written}"),
    }
    true
}

fn texture(text: &str) -> bool {
    let argument: TextureArgument = match text.parse() {
        Ok(argument) => argument,
        Err(error) => {
            assert!(!ToString::to_string(&error).is_empty());
            return false;
        }
    };
    let written = written_texture(&argument);
    let again: TextureArgument = written.parse().unwrap_or_else(|error| panic!("{written}: {error}"));
    let state = |argument: &TextureArgument| (argument.name.clone(), argument.texture, argument.sampler);
    assert_eq!(state(&again), state(&argument), "{written}");
    // Only textures that have the bytes of all of their texels are bound.
    if argument.texels.len() <= COMPARED_BYTES {
        let (mut textures, mut memory) = (LaunchTextures::default(), LaunchMemory::default());
        let bound = textures.bind_texels(0, &argument.texture, &argument.texels, &mut memory);
        let is_whole = argument.texels.len() as u64 == argument.texture.reached_bytes();
        assert!(bound.is_err() || is_whole, "{text}: a texture with {} bytes", argument.texels.len());
    }
    true
}

/// The bytes that tables show.
const SHOWN: [u8; 37] = [0x3f; 37];

fn table(text: &str) -> bool {
    let Ok(table) = text.parse::<Table>() else { return false };
    let values = table.values(&SHOWN);
    let rows = table.rows(&SHOWN);
    assert_eq!(rows.len(), values.len().div_ceil(table.columns));
    let shown: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace().skip(1)).collect();
    assert_eq!(shown, values, "rows show each value once, in order");
    assert_eq!(format!("{}:{}", table.column, table.columns).parse(), Ok(table));
    true
}

/// Any text as an argument of a kernel, a texture, and a table of a buffer: what is read, written as text, is read as the same.
pub fn launch_arguments(text: &str) -> bool {
    let reads_file = names_file(text);
    let is_read = [!reads_file && argument(text), !reads_file && texture(text), table(text)];
    is_read.contains(&true)
}
