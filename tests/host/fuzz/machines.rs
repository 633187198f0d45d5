//! The fuzz target of models with machine files: totals agree with their parts for every machine that is accepted.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use std::fmt::Debug;
use std::io::Cursor;
use std::sync::LazyLock;

use curie::capture::Capture;
use curie::counters::CountingOptions;
use curie::machine::{self, AnyMachine, Machine};
use curie::reference::Reference;
use curie::replay::ReplayOptions;
use curie::statistics::models::{ModelRunner, Models, ModelsError, model};
use curie::statistics::report::StatisticsFile;
use curie::statistics::texture_cache::LevelCounts;
use curie::statistics::{Statistics, collect};

/// A small stream with textures, depth and several draws.
static STREAM: LazyLock<Capture> = LazyLock::new(|| {
    Capture::read(include_bytes!("../../../scenes/captures/cube_map.nvcap")).expect("a bundled capture")
});

/// Asserts that a number of the models is at most another one.
fn assert_at_most<T: PartialOrd + Debug>(what: &str, part: T, whole: T) {
    assert!(part <= whole, "{what}: {part:?} of {whole:?}");
}

/// Asserts that the numbers of models agree with each other: parts add up to totals, and nothing is less than its part.
pub(crate) fn assert_consistent(models: &Models, machine: &Machine) {
    let mut of_draws = LevelCounts::default();
    for draw in &models.draws {
        of_draws += draw.texture;
        let (rejection, shading) = (&draw.rejection.counts, draw.programs.shading().expect("stages have processors"));
        assert_at_most("rejected tiles", rejection.tiles_rejected, rejection.tiles);
        let pixels = u64::from(machine.zcull.tile_width) * u64::from(machine.zcull.tile_height);
        assert_at_most("pixels of rejected tiles", rejection.fragments_rejected, rejection.tiles_rejected * pixels);
        assert_at_most("slots of the shader", shading.slots.issued, 4 * shading.slots.passes);
        assert_at_most("clocks of divergence", shading.divergence_clocks, shading.clocks);
        assert_eq!(draw.texture.second.accesses(), draw.texture.first.misses(), "what misses the first level");
    }
    let mut of_frames = LevelCounts::default();
    for frame in &models.frames {
        let total = frame.textures.cache.total();
        of_frames += total;
        assert_eq!(
            frame.textures.cache.lookup_misses.iter().map(|misses| u64::from(*misses)).sum::<u64>(),
            total.first.misses()
        );
        for pipe in &frame.textures.pipes {
            assert_at_most("clocks without latency", pipe.cycles_without_latency, pipe.cycles);
        }
        for partition in &frame.memory.partitions {
            let accesses: u64 = partition.accesses.iter().flatten().sum();
            let rows: u64 = partition.banks.iter().map(|bank| bank.hits + bank.misses).sum();
            assert_eq!(rows, accesses, "accesses of a partition by their rows");
            assert_at_most("clocks of a partition", partition.clocks, frame.memory.clocks());
        }
        // Rounding may make the sum of one unit's clocks a little more than that of the slowest units.
        assert_at_most("clocks that overlap", frame.time.together(), frame.time.apart * (1.0 + 1e-9));
        for (unit, clocks) in frame.time.units.iter() {
            assert!(clocks.is_finite() && clocks >= 0.0, "{unit}: {clocks} clocks");
        }
    }
    assert_eq!(of_frames, of_draws, "texture lookups of frames and of their draws");
}

/// The counters of the stream.
static COUNTED: LazyLock<Statistics> = LazyLock::new(|| {
    let mut engine = Reference::new(STREAM.header.vram_bytes, STREAM.header.gart_bytes).expect("legal sizes");
    let (options, counting) = (ReplayOptions::default(), CountingOptions::default());
    collect(&STREAM, &mut engine, &options, counting, &mut |_, _| {}).expect("a bundled capture can be played").1
});

/// The models of a machine over the stream.
pub(crate) fn modelled(machine: &Machine) -> Result<Models, ModelsError> {
    model(&STREAM, machine, ModelRunner::default(), &ReplayOptions::default(), &mut |_, _| {})
}

/// Any text as a machine file of graphics, whose models run over a stream. What is written of them can be read again.
pub fn models(text: &str) -> bool {
    let Ok(machine) = machine::read("fuzz", text).and_then(AnyMachine::staged) else { return false };
    let models = match modelled(&machine) {
        Ok(models) => models,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert_consistent(&models, &machine);
    let mut file = Vec::new();
    let serializer = &mut serde_json::Serializer::new(&mut file);
    COUNTED.serialize(machine.sheet(), Some(((&machine).into(), &models)), serializer).expect("memory takes it");
    StatisticsFile::read(Cursor::new(&file)).expect("what was written can be read");
    true
}
