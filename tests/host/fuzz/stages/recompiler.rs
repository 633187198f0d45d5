//! The target of the recompiler: every draw becomes kernels that link and validate, or an error that can be printed.

use std::sync::Arc;

use curie::command::methods::three_d::{program, raster, rop, targets, texture, vertex};
use curie::gpu::{link, module_source};
use curie::isa::{NvMicrocode, VertexMicrocode};
use curie::kernels::AdapterChoices;
use curie::kernels::draw_sources::{SourceOptions, draw_sources};
use curie::memory::{GuestMemory, MemoryWindow};
use curie::pipeline::Draw;
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::StageInput;
use crate::common::memory::heap_of;
use crate::common::random::Random;

/// Any programs and state: the kernels of each draw link and validate, on adapters of every kind.
pub fn recompiler(input: &[u8]) -> bool {
    let tables = [program::TABLE, vertex::TABLE, texture::TABLE, raster::TABLE, rop::TABLE, targets::TABLE];
    let StageInput { draws, mut memory, mut random } = StageInput::new(input, &tables);
    let Some(mut draw) = draws.into_iter().next() else { return false };
    damage_vertex_program(&mut draw, &mut random);
    damage_fragment_program(&mut memory, &draw, &mut random);
    let options = SourceOptions {
        choices: if random.flag() { AdapterChoices::SOFTWARE } else { AdapterChoices::OTHERS },
        separates_stages: random.below(4) == 0,
        has_wide_words: random.flag(),
        counts: random.below(4) == 0,
    };
    let mut read = |index: u32| {
        let word = draw.fragment.vec4().unwrap().program.from_offset(index.checked_mul(4)?).truncated(4);
        memory.slice(word).first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    };
    match draw_sources(&draw, &mut read, options, &heap_of(&memory)) {
        Ok(sources) => {
            for (label, source) in &sources {
                validate(label, source, options.has_wide_words);
            }
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Flips up to three bits of the vertex program.
fn damage_vertex_program(draw: &mut Draw, random: &mut Random) {
    let VertexMicrocode::Nv(NvMicrocode { slots, .. }) = &mut draw.vertex.vec4_mut().unwrap().microcode else { return };
    let count = u32::try_from(slots.len()).expect("a program has few instructions");
    for _ in 0..random.below(4) {
        let (slot, word) = (random.below(count) as usize, random.below(4) as usize);
        if let Some(slot) = Arc::make_mut(slots).get_mut(slot) {
            slot[word] ^= 1 << random.below(32);
        }
    }
}

/// Flips up to three bits of the first 64 words of the fragment program.
fn damage_fragment_program(memory: &mut GuestMemory, draw: &Draw, random: &mut Random) {
    for _ in 0..random.below(4) {
        let byte: MemoryWindow = draw.fragment.vec4().unwrap().program.from_offset(random.below(256)).truncated(1);
        if let Some(byte) = memory.slice_mut(byte).first_mut() {
            *byte ^= 1 << random.below(8);
        }
    }
}

/// Links and validates a kernel as a device would.
fn validate(label: &str, source: &str, has_wide_words: bool) {
    let resolve = |name: &str| {
        let wide = has_wide_words.then(|| module_source(&format!("{name}_wide"))).flatten();
        wide.or_else(|| module_source(name))
    };
    let linked = link(label, source, &resolve).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let module = naga::front::wgsl::parse_str(&linked.source)
        .unwrap_or_else(|error| panic!("{label}: {}\n{source}", error.emit_to_string(&linked.source)));
    let mut capabilities = Capabilities::default();
    capabilities.set(Capabilities::SHADER_INT64, has_wide_words);
    if let Err(error) = Validator::new(ValidationFlags::all(), capabilities).validate(&module) {
        panic!("{label}: {}\n{source}", error.emit_to_string(&linked.source));
    }
}
