//! The texture units of SIMT programs whose threads run alone: vertices and primitives.

use super::kernel_key::ComputeKernelKey;
use super::sample_texture::{fetch_call, set_offsets};
use crate::pipeline::launch::CoordinatePlaces;
use crate::recompiler::text::{COMPONENTS, Text};
use crate::recompiler::texture::fetch::fetch_source;
use crate::recompiler::texture::unit::{self, TextureKey};
use crate::shader::simt::{ProgramKind, TextureFetch, TextureSource};

/// The most loop iterations of a thread alone that fetches texels. Software adapters leave all loops after twice as many.
const MAX_ITERATIONS: u64 = 1 << 15;

/// The units of a program, by the places of its textures.
#[derive(Debug)]
pub(super) struct UnitTexts {
    keys: Vec<TextureKey>,
    /// The maximum number of loop iterations of all fetches.
    rounds: u64,
}

impl UnitTexts {
    /// Those of a kernel. How much of their memory exists is data.
    pub(super) fn new(kernel: &ComputeKernelKey) -> Self {
        let fetches = kernel.program.instructions().iter().filter_map(|found| TextureFetch::of(&found.instruction));
        let rounds = fetches.map(|fetch| {
            let mut textures = kernel.textures.iter();
            let found = textures.find(|own| [own.texture, own.sampler] == [fetch.texture, fetch.sampler]);
            found.map_or(0, |own| {
                let rounds = unit::max_rounds(&own.key);
                rounds.fixed + rounds.samples
            })
        });
        let rounds = rounds.sum();
        let keys = kernel.textures.iter().map(|own| TextureKey { is_whole: false, ..own.key.clone() });
        Self { keys: keys.collect(), rounds }
    }

    /// Whether a software adapter lets one thread make `passes` over the program's basic blocks. Each pass enters the loops of all
    /// fetches.
    pub(super) fn fits(&self, passes: u64) -> bool {
        self.is_empty() || passes.saturating_mul(1 + self.rounds) <= MAX_ITERATIONS
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    fn numbered(&self) -> impl Iterator<Item = (u8, &TextureKey)> {
        (0..).zip(&self.keys)
    }

    /// Declares their functions.
    pub(super) fn declare(&self, text: &mut Text) {
        if !self.is_empty() {
            text.import("fragment::quad", "QuadVector");
        }
        for (number, key) in self.numbered() {
            text.line("");
            text.line(unit::source(number, key) + &fetch_source(number, key));
        }
    }

    /// Loads their parameters.
    pub(super) fn emit_loads(&self, text: &mut Text) {
        self.numbered().for_each(|(number, _)| text.line(unit::prologue(number)));
    }

    /// Names what a thread fetches, as `fetched`; `register` returns a register of the thread.
    pub(super) fn emit_fetch(
        &self,
        text: &mut Text,
        (number, fetch, places): (u8, &TextureFetch, &CoordinatePlaces),
        register: &dyn Fn(u8) -> String,
    ) {
        let (first, count) = fetch.coordinates;
        let coordinate =
            |place: usize| (first..).take(count.into()).nth(place).map_or_else(|| "0u".to_owned(), register);
        if fetch.source == TextureSource::Size {
            let size = text.bind("size", &format!("texture_size_{number}({})", coordinate(0)));
            let sizes = COMPONENTS.map(|component| format!("vec4u({size}.{component})")).join(", ");
            text.line(format!("let fetched = QuadVector({sizes});"));
            return;
        }
        if self.keys.get(usize::from(number)).is_some_and(|key| key.uses.offsets) {
            text.line(set_offsets(number, places, fetch));
        }
        // Threads that are alone have no derivatives.
        let mut words = |place| format!("vec4u({})", coordinate(place));
        let call = fetch_call(number, places, fetch, ProgramKind::Vertex, &mut words);
        text.line(format!("let fetched = {call};"));
    }
}
