//! Fuzz targets of single stages: what a stage does with the draws of a random stream, whose state the input selects.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this folder as a module of its library")]

mod output_merger;
mod rasterizer;
mod recompiler;
mod texture_unit;

pub use output_merger::output_merger;
pub use rasterizer::rasterizer;
pub use recompiler::recompiler;
pub use texture_unit::texture_unit;

use curie::command::methods::MethodRow;
use curie::machine::chip_of;
use curie::memory::GuestMemory;
use curie::pipeline::{Draw, GpuCommand};

use crate::common::random::Random;
use crate::common::random_stream::of_input;
use crate::common::recorder::Recorder;

/// Bytes of both memories.
const SPACE_BYTES: u64 = 4 << 20;

/// What an input gives to a stage.
struct StageInput {
    /// The draws of its stream that the chip accepts.
    draws: Vec<Draw>,
    /// Memory after the stream's writes.
    memory: GuestMemory,
    /// Supplies the values that the stage before passes on.
    random: Random,
}

impl StageInput {
    /// Applies the stream of an input to a chip. A quarter of the input supplies the values from other stages, and words
    /// for up to three methods of these tables, legal or not.
    fn new(input: &[u8], tables: &[&[MethodRow]]) -> Self {
        let (values, state) = input.split_at(input.len() / 4);
        let mut random = Random::of_input(values);
        let overrides = (0..random.below(4)).map(|_| any_method(&mut random, tables)).collect();
        let capture = of_input(state, overrides);
        let mut chip = chip_of(&capture.header).expect("the generator names a chip that draws");
        let mut engine = Recorder::new(SPACE_BYTES, SPACE_BYTES);
        for record in &capture.records {
            let _ = chip.apply(record, &mut engine);
        }
        let draws = engine.work.into_iter().filter_map(|command| match command {
            GpuCommand::Draw(draw) => Some(*draw),
            _ => None,
        });
        Self { draws: draws.collect(), memory: engine.memory, random }
    }
}

/// A method of one of these tables with any value.
fn any_method(random: &mut Random, tables: &[&[MethodRow]]) -> (u16, u32) {
    let table = random.pick(tables);
    let row = random.pick(table);
    let element = u16::try_from(random.below(row.count.into())).expect("the count has 16 bits");
    (row.address + element * row.stride, random.word())
}
