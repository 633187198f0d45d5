//! The members of a family share kernels, so that a comparison of many takes little compilation.

use std::collections::BTreeMap;

use curie::kernels::AdapterChoices;
use curie::kernels::draw_sources::{SourceOptions, draw_sources};
use curie::machine::chip_of;
use curie::pipeline::{Draw, GpuCommand};

use crate::common::memory::heap_of;
use crate::common::random_stream::RandomStream;
use crate::common::recorder::Recorder;

const VRAM_BYTES: u64 = 4 << 20;

/// The kernels that the draws of a stream need on a software adapter.
fn kernels(stream: RandomStream) -> Vec<Vec<(&'static str, String)>> {
    let capture = stream.capture();
    let mut chip = chip_of(&capture.header).unwrap();
    let mut recorder = Recorder::new(VRAM_BYTES, VRAM_BYTES);
    for record in &capture.records {
        chip.apply(record, &mut recorder).unwrap();
    }
    let Recorder { work, memory, .. } = recorder;
    let sources = |draw: &Draw| {
        let mut read = |index: u32| {
            let word = draw.fragment.vec4().unwrap().program.from_offset(index.checked_mul(4)?).truncated(4);
            memory.slice(word).first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
        };
        let options =
            SourceOptions { choices: AdapterChoices::SOFTWARE, has_wide_words: true, ..SourceOptions::default() };
        draw_sources(draw, &mut read, options, &heap_of(&memory)).unwrap()
    };
    let draws = work.iter().filter_map(|command| match command {
        GpuCommand::Draw(draw) => Some(sources(draw)),
        _ => None,
    });
    draws.collect()
}

#[test]
fn members_of_a_family_share_kernels() {
    let members = 12;
    let mut most = 0;
    for family in 0..12 {
        let mut uses = BTreeMap::new();
        let mut draws = 0;
        for kernels in (0..members).flat_map(|member| kernels(RandomStream { family, member })) {
            draws += 1;
            kernels.into_iter().for_each(|kernel| *uses.entry(kernel).or_insert(0) += 1);
        }
        let mut labels: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        uses.iter().for_each(|((label, _), count)| labels.entry(*label).or_default().push(*count));
        println!("family {family}: {draws} draws: {labels:?}");
        most = most.max(uses.len());
    }
    assert!(most <= 8, "{members} members of one family need {most} kernels");
}
