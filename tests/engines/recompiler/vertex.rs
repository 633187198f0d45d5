//! Vertex programs: straight-line, branching, and the fetch of every format.

use curie::arith::vertex::VertexRuleSet;
use curie::format::{AttributeFormat, TeslaVertexFormat, VertexFormat};
use curie::isa::nv40_vertex::{
    Branch, OutputWrite, ScalarOpcode, VectorOpcode, VertexInstruction, VertexMicroprogram, VertexSource,
    VertexSourceKind,
};
use curie::kernels::MirrorWindow;
use curie::kernels::run_program::run_vertex_program;
use curie::kernels::run_vertex_programs::{VertexParameters, fetch, workgroups};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::VertexContext;
use curie::pipeline::{VertexAttribute, VertexInput};
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, output_vectors, outputs_by_vertex, source};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::fetch_vertices::fetch_vertex;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use curie::shader::vertex::{AddressComponent, ConditionUpdate, Unit, VertexRegister};

use super::random::{Random, assert_valid, seeds};
use crate::common;

const FLOW: [ScalarOpcode; 9] = [
    ScalarOpcode::BraIndirect,
    ScalarOpcode::Bra,
    ScalarOpcode::Bra,
    ScalarOpcode::Cal,
    ScalarOpcode::Ret,
    ScalarOpcode::Brb,
    ScalarOpcode::Clb,
    ScalarOpcode::PushA,
    ScalarOpcode::PopA,
];

fn is_flow(opcode: ScalarOpcode) -> bool {
    FLOW.contains(&opcode) || matches!(opcode, ScalarOpcode::CalIndirect | ScalarOpcode::BraIndirect)
}

fn random_source(random: &mut Random) -> VertexSource {
    VertexSource {
        kind: match random.below(4) {
            0 | 1 => VertexSourceKind::Temporary(random.below(4) as u8),
            2 => VertexSourceKind::Input,
            _ => VertexSourceKind::Constant,
        },
        swizzle: if random.one_in(2) {
            Swizzle::IDENTITY
        } else {
            Swizzle(std::array::from_fn(|_| random.below(4) as u8))
        },
        absolute: random.one_in(4),
        negate: random.one_in(4),
    }
}

fn random_condition(random: &mut Random) -> ConditionTest {
    ConditionTest {
        register: random.below(2) as u8,
        relation: Relation::from_bits(random.below(8)),
        swizzle: Swizzle(std::array::from_fn(|_| random.below(4) as u8)),
    }
}

fn random_instruction(random: &mut Random, slot: u16, slots: u16, has_flow: bool) -> VertexInstruction {
    let vectors: Vec<_> = VectorOpcode::ALL.to_vec();
    let scalars: Vec<_> = ScalarOpcode::ALL.iter().copied().filter(|opcode| !is_flow(*opcode)).collect();
    let scalar = if has_flow && random.one_in(3) { random.choose(&FLOW) } else { random.choose(&scalars) };
    let unit = |random: &mut Random| if random.one_in(2) { Unit::Vector } else { Unit::Scalar };
    let mask = |random: &mut Random| WriteMask(if random.one_in(2) { 15 } else { random.below(16) as u8 });
    VertexInstruction {
        slot,
        vector: random.choose(&vectors),
        scalar,
        sources: std::array::from_fn(|_| random_source(random)),
        input_index: random.below(16) as u8,
        is_input_indexed: random.one_in(8),
        constant_index: random.below(24) as u16,
        is_constant_indexed: random.one_in(4),
        address: AddressComponent { register: random.below(2) as u8, component: random.below(4) as u8 },
        condition: random.one_in(2).then(|| random_condition(random)),
        condition_update: random
            .one_in(2)
            .then(|| ConditionUpdate { register: random.below(2) as u8, unit: Some(unit(random)) }),
        saturate: random.one_in(8),
        vector_mask: mask(random),
        scalar_mask: mask(random),
        vector_destination: (!random.one_in(4)).then(|| random.below(4) as u8),
        scalar_destination: (!random.one_in(4)).then(|| random.below(4) as u8),
        output: (!random.one_in(3)).then(|| OutputWrite {
            index: random.below(16) as u8,
            is_indexed: random.one_in(6),
            unit: unit(random),
        }),
        branch: Branch {
            target: random.below(u32::from(slots)) as u16,
            boolean: random.below(32) as u8,
            polarity: random.one_in(2),
        },
        texture_unit: 0,
        is_last: slot + 1 == slots,
    }
}

pub(crate) fn random_program(random: &mut Random, slots: u16, has_flow: bool) -> VertexMicroprogram {
    let start = if has_flow { random.below(u32::from(slots)) as u16 } else { 0 };
    let instructions = (0..slots).map(|slot| random_instruction(random, slot, slots, has_flow)).collect();
    VertexMicroprogram { start, instructions }
}

fn random_inputs(random: &mut Random, count: usize) -> Vec<[[u32; 4]; 16]> {
    (0..count).map(|_| std::array::from_fn(|_| random.vector())).collect()
}

/// The modern rules, without constants that differ from 0.
const MODERN: VertexContext<'_> = VertexContext {
    constants: &[[0; 4]; 544],
    rules: VertexRuleSet::Nv40Modern,
    booleans: 0,
    instruction_limit: 100,
    indexed_constants: (0, 543),
};

/// Runs programs on both engines.
fn compare(seeds: std::ops::Range<u64>, slots: u16, has_flow: bool) {
    let gpu = common::gpu();
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut program = random_program(&mut random, slots, has_flow).lower();
        // No NV40 program has a separate mask for an output.
        for output in program.bundles.iter_mut().filter_map(|bundle| bundle.output.as_mut()) {
            if random.one_in(3) {
                output.mask = WriteMask(random.below(16) as u8);
            }
        }
        let rules = if random.one_in(3) { VertexRuleSet::Nv40Legacy } else { VertexRuleSet::Nv40Modern };
        let key = VertexKernelKey {
            program: program.clone(),
            rules,
            fetch: VertexFetch::Immediate,
            outputs: u16::MAX,
            output_map: None,
            has_runs: false,
        };
        assert_valid(&source(&key));
        let Some(gpu) = &gpu else { continue };
        let constants: Vec<_> = (0..544).map(|_| random.vector()).collect();
        let context = VertexContext {
            constants: &constants,
            rules,
            booleans: random.next(),
            instruction_limit: 150,
            indexed_constants: (3, 500),
        };
        let inputs = random_inputs(&mut random, 200);
        let results = run_vertex_program(gpu, &program, &context, &inputs).unwrap();
        for (input, result) in inputs.iter().zip(&results) {
            let expected = reference::run_vertex_program(&program, &context, input, &NoVertexTextures, &Unobserved);
            assert_eq!(expected, *result, "seed {seed}\n{program:#x?}\ninputs {input:x?}\n{}", source(&key));
        }
    }
}

#[test]
fn straight_line_programs_give_the_same_bits() {
    compare(seeds(0, 10), 12, false);
}

#[test]
fn branching_programs_give_the_same_bits() {
    compare(seeds(10_000, 8), 10, true);
}

#[test]
fn branches_follow_address_registers() {
    let Some(gpu) = common::gpu() else { return };
    // ARL A0.x, v0.x; BRA [A0.x]; then o1, o2 and o3 in sequence from slot 2 on.
    let copy = &copying_program().instructions;
    let mut load = copy[0].clone();
    (load.vector, load.output, load.vector_destination) = (VectorOpcode::Arl, None, Some(0));
    let mut jump = copy[0].clone();
    (jump.slot, jump.vector, jump.scalar, jump.output) = (1, VectorOpcode::Nop, ScalarOpcode::BraIndirect, None);
    let mut instructions = vec![load, jump];
    for slot in 2..5u16 {
        let mut copy = copy[slot as usize - 1].clone();
        (copy.slot, copy.is_last) = (slot, slot == 4);
        instructions.push(copy);
    }
    let program = VertexMicroprogram { start: 0, instructions }.lower();
    let context = MODERN;
    let one = 1.0f32.to_bits();
    let targets = [2.0f32, 3.0, 4.0, 5.0, -1.0, 0.0, 500.0];
    let inputs: Vec<[[u32; 4]; 16]> = targets
        .iter()
        .map(|target| std::array::from_fn(|attribute| [if attribute == 0 { target.to_bits() } else { one }; 4]))
        .collect();
    let results = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
    // How many of o1, o2, o3 each target writes: slots that do not exist end the program, and 0 loops until the limit.
    for ((input, result), written) in inputs.iter().zip(&results).zip([3, 2, 1, 0, 0, 0, 0]) {
        assert_eq!(*result, reference::run_vertex_program(&program, &context, input, &NoVertexTextures, &Unobserved));
        assert_eq!(result.outputs[1..4].iter().filter(|output| **output == [one; 4]).count(), written);
    }
}

/// Copies every attribute to the output with the same number.
pub(crate) fn copying_program() -> VertexMicroprogram {
    let source =
        VertexSource { kind: VertexSourceKind::Input, swizzle: Swizzle::IDENTITY, absolute: false, negate: false };
    let instructions = (0..16u8).map(|index| VertexInstruction {
        slot: u16::from(index),
        vector: VectorOpcode::Mov,
        scalar: ScalarOpcode::Nop,
        sources: [source; 3],
        input_index: index,
        is_input_indexed: false,
        constant_index: 0,
        is_constant_indexed: false,
        address: AddressComponent { register: 0, component: 0 },
        condition: None,
        condition_update: None,
        saturate: false,
        vector_mask: WriteMask::ALL,
        scalar_mask: WriteMask(0),
        vector_destination: None,
        scalar_destination: None,
        output: Some(OutputWrite { index, is_indexed: false, unit: Unit::Vector }),
        branch: Branch { target: 0, boolean: 0, polarity: false },
        texture_unit: 0,
        is_last: index == 15,
    });
    VertexMicroprogram { start: 0, instructions: instructions.collect() }
}

fn random_attribute(random: &mut Random, format: AttributeFormat, is_aligned: bool) -> VertexAttribute {
    if random.one_in(10) {
        return VertexAttribute::Constant(random.vector());
    }
    let unit = if is_aligned { 4 } else { 1 };
    VertexAttribute::Array {
        window: MemoryWindow {
            space: random.choose(&MemorySpace::ALL),
            start: random.below(1000) * unit,
            bytes: random.below(3000),
        },
        format,
        stride: if random.one_in(8) { 0 } else { random.below(60) * unit },
        divider: if random.one_in(2) { random.below(2) as u16 } else { random.below(9) as u16 },
        is_modulo: random.one_in(2),
    }
}

#[test]
fn every_attribute_format_is_fetched_with_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let program = copying_program().lower();
    let mut tesla = TeslaVertexFormat::all().cycle();
    for seed in seeds(30_000, 12) {
        let mut random = Random::new(seed);
        let mut memory = GuestMemory::new(1 << 16, 1 << 16).unwrap();
        for space in MemorySpace::ALL {
            memory.grow(space, 4096).unwrap();
            memory.bytes_mut(space).fill_with(|| random.next() as u8);
        }
        let is_aligned = seed % 2 == 0;
        let attributes = std::array::from_fn(|number| {
            let nv40 = VertexFormat::ALL.get(number).map(|components| {
                let size = 1 + random.below(4) as u8;
                AttributeFormat::Nv40 { components: *components, size }
            });
            let format = nv40.unwrap_or_else(|| AttributeFormat::Tesla(tesla.next().unwrap()));
            random_attribute(&mut random, format, is_aligned)
        });
        let input = VertexInput { attributes, base_index: random.below(3), restart_index: None };
        let heap = |window: MemoryWindow| {
            let window = memory.clamp(window);
            let first = if window.space == MemorySpace::Vram { 0 } else { memory.extent(MemorySpace::Vram) };
            MirrorWindow { start: first + window.start, bytes: window.bytes }
        };
        let key = VertexKernelKey {
            program: program.clone(),
            rules: VertexRuleSet::Nv40Modern,
            fetch: fetch(&input, u16::MAX, &heap),
            outputs: u16::MAX,
            output_map: None,
            has_runs: false,
        };
        let text = source(&key);
        assert_valid(&text);
        let count = 150;
        let mut indices: Vec<u32> =
            (0..count).map(|_| if random.one_in(10) { random.next() } else { random.below(120) }).collect();
        indices[0] = u32::MAX;
        let parameters = VertexParameters::without_arrays(count, 0, 100, (0, 0)).with_input(&input, &heap);
        let mut parameters: Vec<u32> = bytemuck::cast_slice(&[parameters]).to_vec();
        let mut words: Vec<u32> = MemorySpace::ALL
            .iter()
            .flat_map(|space| memory.bytes(*space).chunks_exact(4))
            .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        let mut vertices = vec![0; output_vectors(count as usize) * 4];
        let mut bindings = [(0, &mut words), (1, &mut parameters), (3, &mut indices), (4, &mut vertices)];
        gpu.run("fetch", &text, &mut bindings, workgroups(count, &key.program, key.has_runs)).unwrap();
        let vertices = outputs_by_vertex(bytemuck::cast_slice(&vertices), count as usize);
        for (index, vertex) in indices.iter().zip(vertices) {
            let expected = fetch_vertex(&memory, &input, *index);
            for number in 0..16 {
                assert_eq!(
                    expected[number], vertex[number],
                    "seed {seed}, vertex {index}, attribute {number}: {:?}",
                    input.attributes[number]
                );
            }
        }
    }
}

#[test]
fn a_changed_program_is_noticed() {
    let Some(gpu) = common::gpu() else { return };
    let context = MODERN;
    let program = copying_program().lower();
    let mut changed = program.clone();
    changed.bundles[7].vector.sources[0].negate = true;
    let inputs = random_inputs(&mut Random::new(1), 1);
    let results = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
    assert_eq!(
        results[0],
        reference::run_vertex_program(&program, &context, &inputs[0], &NoVertexTextures, &Unobserved)
    );
    assert_ne!(
        results[0],
        reference::run_vertex_program(&changed, &context, &inputs[0], &NoVertexTextures, &Unobserved)
    );
}

#[test]
fn outputs_have_a_mask_of_their_own() {
    let Some(gpu) = common::gpu() else { return };
    let context = MODERN;
    // MOV R0.xy and o0.yz from v0, then MOV o1 from R0.
    let mut program = copying_program().lower();
    program.bundles.truncate(2);
    let [first, second] = program.bundles.as_mut_slice() else { panic!("two are left") };
    (first.vector.destination, first.vector.mask) = (Some(0), WriteMask(0b0011));
    first.output.as_mut().unwrap().mask = WriteMask(0b0110);
    second.vector.sources[0].register = VertexRegister::Temporary(0);
    second.is_last = true;
    let inputs = [[[1, 2, 3, 4]; 16]];
    let [result] = run_vertex_program(&gpu, &program, &context, &inputs).unwrap().try_into().unwrap();
    let one = 1.0f32.to_bits();
    assert_eq!(result.outputs[..2], [[0, 2, 3, one], [1, 2, 0, 0]]);
    assert_eq!(result, reference::run_vertex_program(&program, &context, &inputs[0], &NoVertexTextures, &Unobserved));
}
