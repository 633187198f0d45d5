//! Vertex textures: TXL of every unit on both engines, over random states and coordinates.

use curie::arith::vertex::VertexRuleSet;
use curie::isa::nv40_vertex::VectorOpcode;
use curie::kernels::MirrorWindow;
use curie::kernels::run_vertex_programs::{VertexParameters, VertexTextureParameters, workgroups};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::VertexContext;
use curie::pipeline::{VertexTexture, VertexTextureFormat, Wrap};
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, output_vectors, outputs_by_vertex, source};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::BoundVertexTextures;
use curie::shader::vertex::VertexProgram;

use super::random::{Random, assert_valid, seeds};
use super::vertex::copying_program;
use crate::common;

/// o[n] = TXL(v[n]) with unit n mod 4.
fn fetching_program() -> VertexProgram {
    let mut program = copying_program();
    for (instruction, unit) in program.instructions.iter_mut().zip((0..4).cycle()) {
        instruction.vector = VectorOpcode::Txl;
        instruction.texture_unit = unit;
    }
    program.lower()
}

fn random_texture(random: &mut Random) -> Option<VertexTexture> {
    if random.one_in(8) {
        return None;
    }
    let format = random.choose(&VertexTextureFormat::ALL);
    let size = [1 + random.below(20), 1 + random.below(20)];
    let row = size[0] * 4 * format.channels();
    Some(VertexTexture {
        window: MemoryWindow {
            space: random.choose(&MemorySpace::ALL),
            start: random.below(16) * 128,
            bytes: if random.one_in(3) { random.below(4000) } else { 1 << 20 },
        },
        format,
        size,
        pitch_bytes: row + random.below(5) * if random.one_in(2) { 4 } else { 1 },
        levels: 1 + random.below(6),
        wrap: [random.choose(&Wrap::ALL), random.choose(&Wrap::ALL)],
        lod_bias: random.below(0x400).cast_signed() - 0x200,
        min_lod: if random.one_in(2) { 0 } else { random.below(0x300) },
        max_lod: if random.one_in(2) { 0xfff } else { random.below(0x500) },
        border_color: random.next(),
    })
}

#[test]
fn vertex_textures_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let program = fetching_program();
    let key = VertexKernelKey {
        program: program.clone(),
        rules: VertexRuleSet::Nv40Modern,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: false,
    };
    let text = source(&key);
    assert_valid(&text);
    for seed in seeds(40_000, 40) {
        let mut random = Random::new(seed);
        let mut memory = GuestMemory::new(1 << 16, 1 << 16).unwrap();
        for space in MemorySpace::ALL {
            memory.grow(space, 8192).unwrap();
            memory.bytes_mut(space).fill_with(|| random.next() as u8);
        }
        let textures: [_; 4] = std::array::from_fn(|_| random_texture(&mut random));
        let heap = |window: MemoryWindow| {
            let window = memory.clamp(window);
            let first = if window.space == MemorySpace::Vram { 0 } else { memory.extent(MemorySpace::Vram) };
            MirrorWindow { start: first + window.start, bytes: window.bytes }
        };
        let count = 100;
        let units = textures.each_ref().map(|unit| {
            unit.as_ref()
                .map_or_else(VertexTextureParameters::default, |unit| VertexTextureParameters::new(unit, &heap))
        });
        let parameters =
            VertexParameters { textures: units, ..VertexParameters::without_arrays(count, 0, 100, (0, 0)) };
        let mut parameters: Vec<u32> = bytemuck::cast_slice(&[parameters]).to_vec();
        let mut words: Vec<u32> = MemorySpace::ALL
            .iter()
            .flat_map(|space| memory.bytes(*space).chunks_exact(4))
            .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        let coordinate = |random: &mut Random| {
            let near = (random.below(4001) as f32 / 1000.0 - 2.0).to_bits();
            if random.one_in(5) { random.float() } else { near }
        };
        let inputs: Vec<[[u32; 4]; 16]> =
            (0..count).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| coordinate(&mut random)))).collect();
        let mut attributes: Vec<u32> = bytemuck::cast_slice(&inputs).to_vec();
        let mut vertices = vec![0; output_vectors(count as usize) * 4];
        let mut bindings = [(0, &mut words), (1, &mut parameters), (3, &mut attributes), (4, &mut vertices)];
        gpu.run("vertex textures", &text, &mut bindings, workgroups(count, &key.program, key.has_runs)).unwrap();
        let vertices = outputs_by_vertex(bytemuck::cast_slice(&vertices), count as usize);
        let context = VertexContext {
            constants: &[],
            rules: VertexRuleSet::Nv40Modern,
            booleans: 0,
            instruction_limit: 100,
            indexed_constants: (0, 0),
        };
        for (input, vertex) in inputs.iter().zip(vertices) {
            let bound = BoundVertexTextures::new(&memory, &textures);
            let expected = run_vertex_program(&program, &context, input, &bound, &Unobserved);
            for unit in 0..16 {
                assert_eq!(
                    expected.outputs[unit],
                    vertex[unit],
                    "seed {seed}: {:?} at {:?}",
                    textures[unit % 4],
                    input[unit].map(f32::from_bits)
                );
            }
        }
    }
}
