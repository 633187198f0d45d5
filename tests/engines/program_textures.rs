//! Programs that are given textures: both engines give the same bits.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use curie::asm::inputs::ElementInputs;
use curie::asm::program_file::{FileOptions, ProgramFile, read_program_file};
use curie::format::{TexelStorage, TextureFormat};
use curie::gpu::Gpu;
use curie::kernels::run_elements::run_elements;
use curie::pipeline::program_run::{ElementResult, ProgramTextures, RunSettings};
use curie::{ProgramTexture, bind_textures, run_textured_program};

use crate::common;
use crate::common::random::Random;

/// Elements per program.
const ELEMENTS: usize = 200;

fn fragment_program(target: &str) -> ProgramFile {
    // An explicit level, an implicit one with a bias, and the gradients that a rotated coordinate gives.
    let text = format!(
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nOPTION ARB_fragment_program_shadow;\nTEMP a, b;\nTXL a, fragment.texcoord[0], texture[3], {target};\n\
         TXB b, fragment.texcoord[0], texture[3], {target};\nMUL a, a, 0.5;\nMAD a, b, 0.25, a;\n\
         TXD b, fragment.texcoord[0], fragment.texcoord[1], fragment.texcoord[2], texture[3], {target};\n\
         MAD result.color, b, 0.25, a;\nEND"
    );
    read_program_file("fragment", text.as_bytes(), FileOptions::default()).unwrap()
}

fn vertex_program() -> ProgramFile {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTXL result.position, vertex.position, texture[6], 2D;\n\
                TXL result.color, vertex.position.yxzw, texture[9], 1D;\nEND";
    read_program_file("vertex", text.as_bytes(), FileOptions::default()).unwrap()
}

fn bind(file: &ProgramFile, textures: &[String]) -> ProgramTextures {
    let textures: Vec<ProgramTexture> = textures.iter().map(|text| text.parse().unwrap()).collect();
    bind_textures(file, &textures, Path::new("")).unwrap_or_else(|error| panic!("{error}"))
}

/// The results of both engines; the reference's first.
fn results(
    gpu: &Gpu,
    file: &ProgramFile,
    textures: [&ProgramTextures; 2],
    elements: &[ElementInputs],
) -> [Vec<ElementResult>; 2] {
    let settings = RunSettings { has_full_outputs: true, ..RunSettings::of(file.assembly.as_ref()) };
    let on_reference =
        |element: &ElementInputs| run_textured_program(&file.program, &settings, textures[0], element).unwrap();
    let borrowed: Vec<_> = elements.iter().collect();
    let kernels = run_elements(gpu, &file.program, &settings, textures[1], &borrowed).unwrap();
    [elements.iter().map(on_reference).collect(), kernels]
}

/// Random inputs near the texture, some anywhere.
fn elements(random: &mut Random, scale: f32) -> Vec<ElementInputs> {
    let mut coordinate = || {
        let near = ((random.below(4001) as f32 / 1000.0 - 1.5) * scale).to_bits();
        if random.below(20) == 0 { random.word() } else { near }
    };
    let mut element = || {
        let mut inputs = ElementInputs::default();
        inputs.attributes.as_flattened_mut().iter_mut().for_each(|word| *word = coordinate());
        inputs.interpolants.as_flattened_mut().iter_mut().for_each(|word| *word = coordinate());
        inputs
    };
    (0..ELEMENTS).map(|_| element()).collect()
}

fn is_of_nv40(format: TextureFormat) -> bool {
    !format.is_of_tesla()
}

/// A file of random texels, and the text that names it.
fn random_texels(random: &mut Random, name: &str, bytes: usize) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("program-texture-{name}"));
    let texels: Vec<u8> = (0..bytes).map(|_| random.word().to_le_bytes()[1]).collect();
    std::fs::write(&path, texels).unwrap();
    path.display().to_string()
}

#[test]
fn formats_read_alike() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random::new(71);
    let file = fragment_program("2D");
    for (number, format) in TextureFormat::ALL.iter().copied().filter(|format| is_of_nv40(*format)).enumerate() {
        let filter = ["filter=linear", "filter=linear,mipmaps", "mipmaps"][number % 3];
        let wrap = ["repeat", "clamp", "border", "mirror", "half-border", "mirror-once"][number % 6];
        // Elements of the levels 8×8, 4×4, 2×2 and 1×1; blocks count as one element each, pairs hold two texels.
        let has_levels = filter.ends_with("mipmaps");
        let counts: &[usize] = match format.storage() {
            TexelStorage::Block(_) => &[4, 1, 1, 1],
            TexelStorage::Pair(_) => &[32, 8, 2, 1],
            _ => &[64, 16, 4, 1],
        };
        let count: usize = counts[..if has_levels { 4 } else { 1 }].iter().sum();
        let path = random_texels(&mut random, format.name(), count * format.element_bytes() as usize);
        let srgb = if number.is_multiple_of(2) { ",srgb" } else { "" };
        let textures = bind(&file, &[format!("3={},8x8,{filter},wrap={wrap}{srgb}:{path}", format.name())]);
        let elements = elements(&mut random, 1.0);
        let [reference, kernels] = results(&gpu, &file, [&textures; 2], &elements);
        assert!(reference == kernels, "{}: {filter} {wrap}", format.name());
        let distinct = reference.iter().map(|result| result.registers[0].1).collect::<std::collections::BTreeSet<_>>();
        assert!(distinct.len() > 4 || format.name().starts_with("DEPTH"), "{}: {distinct:?}", format.name());
    }
}

#[test]
fn targets_read_alike_and_a_changed_texel_shows() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random::new(72);
    for (target, size, texels, scale) in [
        ("1D", "7", 7, 1.0),
        ("2D", "5x3", 15, 1.0),
        ("3D", "4x2x4", 32, 1.0),
        ("CUBE", "4x4", 96, 1.0),
        ("RECT", "6x5", 30, 6.0),
        ("SHADOW2D", "4x4", 16, 1.0),
        ("SHADOWRECT", "4x4", 16, 4.0),
    ] {
        let format = if target.starts_with("SHADOW") { "DEPTH24_D8" } else { "A8R8G8B8" };
        let path = random_texels(&mut random, target, texels * 4);
        let file = fragment_program(target);
        let text = format!("3={format},{size},filter=linear:{path}");
        let textures = bind(&file, std::slice::from_ref(&text));
        let elements = elements(&mut random, scale);
        let [reference, kernels] = results(&gpu, &file, [&textures; 2], &elements);
        assert!(reference == kernels, "{target}");
        // The comparison sees a difference of one texture.
        let mut changed = textures.clone();
        changed
            .memory
            .slice_mut(changed.fragment[3].as_ref().unwrap().view.window)
            .iter_mut()
            .for_each(|byte| *byte ^= 0x80);
        let [reference, kernels] = results(&gpu, &file, [&textures, &changed], &elements);
        assert!(reference != kernels, "{target}: other texels give the same");
    }
}

#[test]
fn vertex_textures_read_alike() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random::new(73);
    let file = vertex_program();
    for (wrap, levels) in [("repeat", ""), ("mirror", ",mipmaps"), ("border", ",mipmaps"), ("clamp", "")] {
        // Levels of 8×4, 4×2, 2×1 and 1×1 texels, and of 8, 4, 2 and 1.
        let (plane, row) = if levels.is_empty() { (32, 8) } else { (32 + 8 + 2 + 1, 15) };
        let (plane, row) =
            (random_texels(&mut random, "plane", plane * 16), random_texels(&mut random, "row", row * 4));
        let textures = bind(
            &file,
            &[
                format!("6=W32_Z32_Y32_X32_FLOAT,8x4{levels},wrap={wrap}:{plane}"),
                format!("9=X32_FLOAT,8{levels},wrap={wrap}:{row}"),
            ],
        );
        let [reference, kernels] = results(&gpu, &file, [&textures; 2], &elements(&mut random, 1.0));
        assert!(reference == kernels, "{wrap}{levels}");
        let [reference, kernels] =
            results(&gpu, &file, [&textures, &ProgramTextures::default()], &elements(&mut random, 1.0));
        assert!(reference != kernels, "{wrap}{levels}: without textures");
    }
}
