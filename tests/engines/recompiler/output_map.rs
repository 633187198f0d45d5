//! Maps between the output registers of programs and those of later stages, on both engines.

use curie::arith::vertex::VertexRuleSet;
use curie::gpu::Gpu;
use curie::kernels::run_vertex_programs::{VertexParameters, constant_store, immediate_stream, workgroups};
use curie::pipeline::{MappedComponent, OutputComponent, OutputMap, VertexContext};
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, output_vectors, outputs_by_vertex, source};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::vertex::VertexProgram;

use super::random::{Random, assert_valid, seeds};
use super::vertex::random_program;
use crate::common;

/// A word that no kernel has stored.
const UNTOUCHED: u32 = 0xdead_beef;

type Registers = [[u32; 4]; 16];

fn random_map(random: &mut Random) -> OutputMap {
    let mut component = || {
        let output = OutputComponent { slot: random.below(16) as u8, component: random.below(4) as u8 };
        match random.below(4) {
            0 => MappedComponent::One,
            1 => MappedComponent::Color(output),
            _ => MappedComponent::Output(output),
        }
    };
    OutputMap(std::array::from_fn(|_| std::array::from_fn(|_| component())))
}

fn key(program: &VertexProgram, outputs: u16, output_map: Option<OutputMap>) -> VertexKernelKey {
    let (program, fetch) = (program.clone(), VertexFetch::Immediate);
    VertexKernelKey { program, rules: VertexRuleSet::Nv40Modern, fetch, outputs, output_map, has_runs: false }
}

/// The registers that a kernel stores for each vertex.
fn stored(gpu: &Gpu, key: &VertexKernelKey, context: &VertexContext<'_>, inputs: &[Registers]) -> Vec<Registers> {
    let count = inputs.len() as u32;
    let parameters = VertexParameters::without_arrays(count, context.booleans, context.instruction_limit, (0, 543));
    let mut parameters: Vec<u32> = bytemuck::cast_slice(&[parameters]).to_vec();
    let mut constants: Vec<u32> = constant_store(context.constants).into_iter().flatten().collect();
    let mut attributes = immediate_stream(inputs);
    let mut vertices = vec![UNTOUCHED; output_vectors(inputs.len()) * 4];
    let mut memory = vec![0; 4];
    let mut bindings =
        [(0, &mut memory), (1, &mut parameters), (2, &mut constants), (3, &mut attributes), (4, &mut vertices)];
    gpu.run("outputs", &source(key), &mut bindings, workgroups(count, &key.program, key.has_runs)).unwrap();
    outputs_by_vertex(bytemuck::cast_slice(&vertices), inputs.len())
}

/// What the reference gives for registers in a mask.
fn expected(
    program: &VertexProgram,
    context: &VertexContext<'_>,
    map: &OutputMap,
    outputs: u16,
    input: &Registers,
) -> Vec<[u32; 4]> {
    let result = run_vertex_program(program, context, input, &NoVertexTextures, &Unobserved);
    let mut registers = map.apply(&result.outputs);
    for (register, value) in registers.iter_mut().enumerate() {
        if outputs >> register & 1 == 0 {
            *value = [UNTOUCHED; 4];
        }
    }
    registers
}

/// A program with its inputs; output registers may be written by an index.
fn case(random: &mut Random, has_flow: bool) -> (VertexProgram, Vec<[u32; 4]>, Vec<Registers>) {
    let program = random_program(random, 10, has_flow).lower();
    let constants = (0..544).map(|_| random.vector()).collect();
    let inputs = (0..40).map(|_| std::array::from_fn(|_| random.vector())).collect();
    (program, constants, inputs)
}

fn context(constants: &[[u32; 4]], booleans: u32) -> VertexContext<'_> {
    let rules = VertexRuleSet::Nv40Modern;
    VertexContext { constants, rules, booleans, instruction_limit: 150, indexed_constants: (0, 543) }
}

#[test]
fn random_maps_give_the_same_bits() {
    let gpu = common::gpu();
    for seed in seeds(120_000, 12) {
        let mut random = Random::new(seed);
        let (program, constants, inputs) = case(&mut random, seed % 2 == 0);
        let (map, outputs) = (random_map(&mut random), random.next() as u16);
        let context = context(&constants, random.next());
        let key = key(&program, outputs, Some(map));
        assert_valid(&source(&key));
        let Some(gpu) = &gpu else { continue };
        for (input, found) in inputs.iter().zip(stored(gpu, &key, &context, &inputs)) {
            let expected = expected(&program, &context, &map, outputs, input);
            assert_eq!(found.as_slice(), expected, "seed {seed}\n{map:?}\n{}", source(&key));
        }
    }
}

#[test]
fn a_changed_map_is_noticed() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random::new(5);
    let (program, constants, inputs) = case(&mut random, false);
    let context = context(&constants, 0);
    let one = OutputMap::default();
    let found = stored(&gpu, &key(&program, u16::MAX, Some(one)), &context, &inputs);
    let mut changed = one;
    changed.0[15][3] = MappedComponent::Color(OutputComponent { slot: 15, component: 1 });
    let differs = |map: &OutputMap| {
        inputs.iter().zip(&found).any(|(input, found)| expected(&program, &context, map, u16::MAX, input) != *found)
    };
    assert!(!differs(&one) && differs(&changed));
}

/// Each register as it is, so that the map changes nothing but the text.
#[test]
fn the_identity_stores_what_no_map_stores() {
    let Some(gpu) = common::gpu() else { return };
    let component = |register, component| MappedComponent::Output(OutputComponent { slot: register, component });
    let mut identity = OutputMap::default();
    for (register, components) in (0..16).zip(&mut identity.0) {
        *components = [0, 1, 2, 3].map(|index| component(register, index));
    }
    for seed in seeds(130_000, 4) {
        let mut random = Random::new(seed);
        let (program, constants, inputs) = case(&mut random, true);
        let context = context(&constants, random.next());
        let [plain, mapped] =
            [None, Some(identity)].map(|map| stored(&gpu, &key(&program, u16::MAX, map), &context, &inputs));
        assert_eq!(plain, mapped, "seed {seed}");
    }
}
