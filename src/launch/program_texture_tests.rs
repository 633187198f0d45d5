//! Tests textures of programs on the reference against values worked out by hand.

use std::path::Path;

use super::*;
use crate::asm::inputs::ElementInputs;
use crate::asm::program_file::{FileOptions, ProgramFile, read_program_file};
use crate::pipeline::program_run::RunSettings;
use crate::present::{Picture, write_png};
use crate::reference::run_program::run_textured_program;

/// A fragment program that returns what it samples.
fn sampling(instruction: &str, target: &str) -> ProgramFile {
    let options = "OPTION NV_fragment_program2;\nOPTION ARB_fragment_program_shadow;";
    let text =
        format!("!!ARBfp1.0\n{options}\n{instruction} result.color, fragment.texcoord[0], texture[3], {target};\nEND");
    read_program_file("sampling", text.as_bytes(), FileOptions::default()).unwrap()
}

fn bind(file: &ProgramFile, textures: &[&str]) -> Result<crate::ProgramTextures, String> {
    let textures: Vec<ProgramTexture> = textures.iter().map(|text| text.parse().unwrap()).collect();
    bind_textures(file, &textures, Path::new("")).map_err(|error| error.to_string())
}

fn run(file: &ProgramFile, texture: &str, inputs: &ElementInputs) -> [f32; 4] {
    let textures = bind(file, &[texture]).unwrap_or_else(|error| panic!("{error}"));
    // Half results would round what is sampled.
    let settings = RunSettings { has_full_outputs: true, ..RunSettings::of(file.assembly.as_ref()) };
    let result = run_textured_program(&file.program, &settings, &textures, inputs).unwrap();
    result.registers[0].1.map(f32::from_bits)
}

fn sample_by(instruction: &str, target: &str, texture: &str, coordinate: [f32; 4]) -> [f32; 4] {
    let file = sampling(instruction, target);
    let [s, t, r, q] = coordinate;
    run(&file, texture, &file.parse_inputs(&format!("fragment.texcoord[0]={s},{t},{r},{q}")).unwrap())
}

fn sample(target: &str, texture: &str, [s, t]: [f32; 2]) -> [f32; 4] {
    sample_by("TEX", target, texture, [s, t, 0.0, 1.0])
}

const FOUR_COLORS: &str = "[1,0,0,1, 0,1,0,1, 0,0,1,1, 1,1,1,0]";
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

#[test]
fn the_nearest_texel_is_read_row_by_row() {
    let texture = format!("3=A8R8G8B8,2x2:{FOUR_COLORS}");
    let read = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75]].map(|place| sample("2D", &texture, place));
    assert_eq!(read, [RED, GREEN, BLUE, [1.0, 1.0, 1.0, 0.0]]);
    // Beyond the edge: clamped, repeated, mirrored, or the border, which is zero.
    let wrapped = |wrap: &str| sample("2D", &format!("3=A8R8G8B8,2x2,wrap={wrap}:{FOUR_COLORS}"), [1.25, 0.25]);
    assert_eq!([wrapped("clamp"), wrapped("repeat"), wrapped("mirror")], [GREEN, RED, GREEN]);
    assert_eq!(wrapped("border"), [0.0; 4]);
    // The other names of the unit.
    for name in ["texture[3]", "TEX3"] {
        assert_eq!(sample("2D", &texture.replacen('3', name, 1), [0.25, 0.75]), BLUE);
    }
}

#[test]
fn linear_filters_weight_texels() {
    // Half of 0 and of 255, rounded up: 128.
    let [red, green, blue, alpha] = sample("1D", "3=B8,2,filter=linear:[0,1]", [0.5, 0.0]);
    assert_eq!([red, green, blue, alpha], [128.0 / 255.0, 128.0 / 255.0, 128.0 / 255.0, 1.0]);
    // Halves are filtered as floats: 2·(1 − ¼) + 4·¼.
    let read = sample("2D", "3=Y16_X16_FLOAT,2x1,filter=linear:[2,-8, 4,8]", [0.375, 0.5]);
    assert_eq!(read[..2], [2.5, -4.0]);
}

#[test]
fn floats_keep_their_bits() {
    assert_eq!(sample("2D", "3=X32_FLOAT,3x1:[0.1,-2.5,1e30]", [0.5, 0.5]), [-2.5; 4]);
    let four = "3=W32_Z32_Y32_X32_FLOAT,1x2:[0.1,0.2,0.3,0.4,5,6,7,8]";
    assert_eq!(sample("2D", four, [0.5, 0.25]), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(sample("2D", four, [0.5, 0.75]), [5.0, 6.0, 7.0, 8.0]);
}

#[test]
fn targets_have_their_own_places() {
    // Texels of a rectangle are counted; the text says that it is one.
    let row = "3=X32_FLOAT,3x2:[0,1,2,3,4,5]";
    assert_eq!(sample("RECT", row, [2.5, 1.5])[0], 5.0);
    let text = "!!NV40fp1.0\nTEXR R0, f[TEX0], TEX3;\nEND";
    let microcode = read_program_file("bare", text.as_bytes(), FileOptions::default()).unwrap();
    let inputs = microcode.parse_inputs("f[TEX0]=2.5,1.5,0,1").unwrap();
    assert_eq!(run(&microcode, &row.replace("3x2", "3x2,rectangle"), &inputs)[0], 5.0);
    assert_eq!(run(&microcode, row, &inputs)[0], 5.0, "clamped to the edge");
    let volume = "3=X32_FLOAT,1x1x4:[0,1,2,3]";
    assert_eq!(sample_by("TEX", "3D", volume, [0.5, 0.5, 0.6, 1.0])[0], 2.0);
    // The faces are +x, −x, +y, −y, +z, −z.
    let cube = "3=X32_FLOAT,1x1:[0,1,2,3,4,5]";
    let directions =
        [[1.0, 0.1, 0.2], [-1.0, 0.1, 0.2], [0.1, 1.0, 0.2], [0.1, -1.0, 0.2], [0.1, 0.2, 1.0], [0.1, 0.2, -1.0]];
    let faces = directions.map(|[x, y, z]| sample_by("TEX", "CUBE", cube, [x, y, z, 1.0])[0]);
    assert_eq!(faces, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn levels_are_means_of_larger_ones() {
    let at = |texture: &str, lod: f32| sample_by("TXL", "2D", texture, [0.1, 0.1, 0.0, lod])[0];
    let texture = "3=W16_Z16_Y16_X16_FLOAT,2x2,mipmaps:[1,0,0,0, 2,0,0,0, 3,0,0,0, 6,0,0,0]";
    assert_eq!([at(texture, 0.0), at(texture, 1.0), at(texture, 9.0)], [1.0, 3.0, 3.0]);
    // Without levels there is nothing but the largest.
    assert_eq!(at(&texture.replace(",mipmaps", ""), 1.0), 1.0);
    // Between levels, a linear filter weights both: the corner texel is 1, and 3 is the mean.
    assert_eq!(at(&texture.replace("mipmaps", "mipmaps,filter=linear"), 0.5), 2.0);
}

#[test]
fn depths_are_compared() {
    let shadow = |options: &str, reference: f32| {
        sample_by("TEX", "SHADOW2D", &format!("3=DEPTH16,1x1{options}:[0.5]"), [0.5, 0.5, reference, 1.0])[0]
    };
    assert_eq!([shadow("", 0.25), shadow("", 0.75)], [1.0, 0.0]);
    assert_eq!([shadow(",compare=greater", 0.25), shadow(",compare=greater", 0.75)], [0.0, 1.0]);
}

#[test]
fn compressed_and_encoded_texels_are_decoded() {
    let texels = vec!["0,0,1,1"; 16].join(",");
    assert_eq!(sample("2D", &format!("3=DXT1,4x4:[{texels}]"), [0.3, 0.3]), BLUE);
    // 55 of 255 as sRGB: ((55/255 + 0.055) / 1.055)^2.4 = 0.0382.
    let [red, .., alpha] = sample("2D", "3=A8R8G8B8,1x1,srgb:[0.2157,0,0,0.2]", [0.5, 0.5]);
    assert!((red - 0.0382).abs() < 0.0005 && alpha == 0.2, "{red} {alpha}");
    // Green alone is stored; the others read 1.
    assert_eq!(sample("2D", "3=X16,1x1:[0]", [0.5, 0.5]), [1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn files_hold_elements_or_pictures() {
    let folder = std::env::temp_dir().join(format!("curie-program-texture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (raw, png) = (folder.join("raw"), folder.join("picture.png"));
    // Blue, green, red, alpha; two levels of 2×2 and 1×1.
    std::fs::write(&raw, [[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255], [0; 4], [255, 0, 0, 255]].concat())
        .unwrap();
    let text = format!("3=A8R8G8B8,2x2,mipmaps:{}", raw.display());
    let places = [[0.25, 0.25], [0.75, 0.25], [0.25, 0.75]];
    assert_eq!(places.map(|place| sample("2D", &text, place)), [RED, GREEN, BLUE]);
    assert_eq!(sample_by("TXL", "2D", &text, [0.25, 0.25, 0.0, 1.0]), BLUE, "the smaller level");
    let pixels: [[u8; 3]; 4] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [0, 0, 0]];
    write_png(&png, &Picture { width: 2, height: 2, rgb: pixels.concat() }).unwrap();
    for size in ["", ",2x2", ",2x1x2"] {
        let text = format!("3=A8R8G8B8{size}:{}", png.display());
        let target = if size == ",2x1x2" { "3D" } else { "2D" };
        let read = places.map(|[s, t]| sample_by("TEX", target, &text, [s, t, t, 1.0]));
        assert_eq!(read, [RED, GREEN, BLUE], "{size}");
    }
    let file = sampling("TEX", "2D");
    let wrong = |text: String| bind(&file, &[&text]).unwrap_err();
    let error = wrong(format!("3=A8R8G8B8,2x3:{}", png.display()));
    assert_eq!(error, "texture '3': a picture of 2×2 does not fit the size");
    let error = wrong(format!("3=A8R8G8B8,2x2:{}", raw.display()));
    assert_eq!(error, "texture '3': the file has 20 bytes, its texels take 16");
    let error = wrong(format!("3=A8R8G8B8:{}", raw.display()));
    assert_eq!(error, "texture '3': a file that is no PNG file needs a size");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn vertex_programs_read_floats() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTXL result.position, vertex.position, texture[5], 2D;\nEND";
    let file = read_program_file("vertex", text.as_bytes(), FileOptions::default()).unwrap();
    let at = |texture: &str, [s, t, lod]: [f32; 3]| {
        run(&file, texture, &file.parse_inputs(&format!("vertex.position={s},{t},0,{lod}")).unwrap())
    };
    // Unit 5 of the text is unit 0 of the chip.
    let texture = "5=X32_FLOAT,2x2,mipmaps:[1,2,3,6]";
    assert_eq!([at(texture, [0.75, 0.25, 0.0]), at(texture, [0.25, 0.75, 0.0])], [[2.0; 4], [3.0; 4]]);
    assert_eq!(at(texture, [0.75, 0.25, 1.0]), [3.0; 4], "the mean of all");
    assert_eq!(at("5=W32_Z32_Y32_X32_FLOAT,1:[1,2,3,4]", [0.5, 0.5, 0.0]), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(at("5=X32_FLOAT,2,wrap=repeat:[1,2]", [1.75, 0.0, 0.0]), [2.0; 4]);
    let wrong = |text: &str| bind(&file, &[text]).unwrap_err();
    let formats = "vertex programs read X32_FLOAT and W32_Z32_Y32_X32_FLOAT, not A8R8G8B8";
    assert_eq!(wrong("5=A8R8G8B8,1x1:zeros"), format!("texture '5': {formats}"));
    assert!(wrong("5=X32_FLOAT,1x1x1:zeros").contains("one or two dimensions"));
    assert_eq!(wrong("0=X32_FLOAT,1x1:zeros"), "the program samples no texture '0'; it samples 5");
}

#[test]
fn compiled_programs_name_their_textures() {
    let file = ProgramFile { samplers: vec![("diffuse".to_owned(), 3)], ..sampling("TEX", "2D") };
    let inputs = file.parse_inputs("fragment.texcoord[0]=0,0,0,1").unwrap();
    for name in ["diffuse", "3"] {
        assert_eq!(run(&file, &format!("{name}=A8R8G8B8,1x1:[0,1,0,1]"), &inputs), GREEN);
    }
    let error = bind(&file, &["specular=B8,1x1:zeros"]).unwrap_err();
    assert_eq!(error, "the program samples no texture 'specular'; it samples 3 (diffuse)");
}

#[test]
fn mistakes_are_named() {
    let parsed = |text: &str| text.parse::<ProgramTexture>().map_err(|error| error.to_string());
    assert!(parsed("3").unwrap_err().starts_with("'3' is not a texture; write "));
    assert!(parsed("3=A8R8G8B8:zeros").unwrap_err().contains("is not a texture"), "zeros need a size");
    let format = parsed("3=A8R8G8B,1x1:zeros").unwrap_err();
    assert!(format.starts_with("'A8R8G8B' is not a format of textures, did you mean 'A8R8G8B8'; "), "{format}");
    assert!(!format.contains("unorm8"), "formats of kernels: {format}");
    assert!(parsed("3=B8,1x:zeros").unwrap_err().starts_with("'1x' is not a size"));
    assert!(parsed("3=B8,1,filter=cubic:zeros").unwrap_err().starts_with("'filter=cubic' is not an option"));
    assert_eq!(parsed("3=B8,1:[x]").unwrap_err(), "'x' is not a component of format B8");
    let file = sampling("TEX", "2D");
    let wrong = |texts: &[&str]| bind(&file, texts).unwrap_err();
    assert_eq!(wrong(&["2=B8,1x1:zeros"]), "the program samples no texture '2'; it samples 3");
    assert_eq!(wrong(&["3=B8,1x1:zeros", "TEX3=B8,1x1:zeros"]), "texture 'TEX3': unit 3 has another texture");
    assert_eq!(wrong(&["3=R5G6B5,1x1:[1,2]"]), "texture '3': 2 numbers where each texel has 3");
    assert_eq!(wrong(&["3=B8,2x1:[1]"]), "texture '3': 1 texel where 2 are needed");
    assert_eq!(wrong(&["3=B8,2x1,cube:zeros"]), "texture '3': the faces of a cube are squares");
    assert!(wrong(&["3=B8,5000x1:zeros"]).contains("sizes of 1 to 4096 texels"));
    assert!(wrong(&["3=B8,2x2,rectangle,mipmaps:zeros"]).contains("mip levels"));
    assert!(wrong(&["3=W32_Z32_Y32_X32_FLOAT,512x512x512:zeros"]).contains("bytes are more than"));
    assert!(wrong(&["3=B8,1x1:/does/not/exist"]).starts_with("/does/not/exist: "));
}
