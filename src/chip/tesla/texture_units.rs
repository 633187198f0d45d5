//! The textures and samplers of compute launches: which entries in memory units have, and what a launch gets of them.

use std::collections::{BTreeMap, BTreeSet};

use super::address::Address;
use super::sampler_entry::SamplerEntry;
use super::texture_entry::TextureEntry;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::bit;
use crate::chip::class::Context;
use crate::isa::tesla::TeslaGeneration;
use crate::memory::MemoryWindow;
use crate::pipeline::launch::LaunchTextures;
use crate::pipeline::{Sampler, TextureLayout, TextureView};
use crate::shader::simt::{SimtProgram, TextureFetch};

/// The bytes of an entry.
const ENTRY_BYTES: u32 = 32;

/// The entries of textures or of samplers, and those that are bound to units.
#[derive(Debug)]
pub(super) struct Entries {
    /// Where the first entry is.
    pub(super) address: Address,
    /// The number of the last entry.
    pub(super) last: u32,
    /// The logarithm of the number of units.
    pub(super) units_log: u32,
    bound: BTreeMap<u32, u32>,
}

impl Entries {
    /// Creates an empty table for at most `1 << units_log` units.
    // Unverified: how many units there are before `TEX_LIMITS` is written.
    const fn new(units_log: u32) -> Self {
        Self { address: Address { high: 0, low: 0 }, last: 0, units_log, bound: BTreeMap::new() }
    }

    /// Executes `BIND_TIC` and `BIND_TSC`, whose bit 0 tells whether the unit gets the entry or none.
    pub(super) fn bind(&mut self, unit: u32, entry: u32, context: &mut Context<'_>) -> Result<(), ChipError> {
        if unit >> self.units_log.min(31) != 0 {
            return context.anomaly(Reason::IllegalValue);
        }
        match bit(context.value, 0) {
            true => self.bound.insert(unit, entry),
            false => self.bound.remove(&unit),
        };
        Ok(())
    }

    /// The words of a unit's entry; `None` if the unit has none.
    fn words(&self, unit: u8, context: &mut Context<'_>) -> Result<Option<[u32; 8]>, Refusal> {
        let Some(entry) = self.bound.get(&unit.into()) else { return Ok(None) };
        if *entry > self.last {
            return Err(Reason::IllegalValue.into());
        }
        let address = self.address.value() + u64::from(*entry) * u64::from(ENTRY_BYTES);
        let mut bytes = [0; ENTRY_BYTES as usize];
        let window = window(address, ENTRY_BYTES.into(), context)?;
        context.engine.read_memory(window, &mut bytes).map_err(ChipError::from)?;
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Ok(Some(words))
    }
}

/// The units of compute launches.
#[derive(Debug)]
pub(super) struct TextureUnits {
    pub(super) textures: Entries,
    pub(super) samplers: Entries,
}

impl Default for TextureUnits {
    fn default() -> Self {
        Self::new()
    }
}

impl TextureUnits {
    /// Creates units that have nothing.
    pub(super) const fn new() -> Self {
        Self { textures: Entries::new(7), samplers: Entries::new(4) }
    }

    /// Reads what the units have that a program names. What cannot be executed is counted, and its unit has nothing.
    pub(super) fn bound(
        &self,
        program: &SimtProgram,
        generation: TeslaGeneration,
        context: &mut Context<'_>,
    ) -> Result<LaunchTextures, ChipError> {
        let instructions = program.instructions().iter();
        let fetches: Vec<_> = instructions.filter_map(|found| TextureFetch::of(&found.instruction)).collect();
        let mut bound = LaunchTextures::default();
        let mut textures = BTreeMap::new();
        for unit in fetches.iter().map(|fetch| fetch.texture).collect::<BTreeSet<_>>() {
            let found = self.texture(unit, generation, &mut bound, context);
            textures.extend(counted(found, context)?.map(|view| (unit, view)));
        }
        for unit in fetches.iter().map(|fetch| fetch.sampler).collect::<BTreeSet<_>>() {
            let sampling = fetches.iter().filter(|fetch| fetch.sampler == unit && fetch.samples());
            let sampled: Vec<_> = sampling.map(|fetch| textures.get(&fetch.texture)).collect();
            let found = self.sampler(unit, &sampled, &mut bound, context);
            counted(found.map(Some), context)?;
        }
        Ok(bound)
    }

    /// Binds the texture of a unit.
    fn texture(
        &self,
        unit: u8,
        generation: TeslaGeneration,
        bound: &mut LaunchTextures,
        context: &mut Context<'_>,
    ) -> Result<Option<TextureView>, Refusal> {
        let Some(words) = self.textures.words(unit, context)? else { return Ok(None) };
        let has_views = generation != TeslaGeneration::Sm10;
        let entry = TextureEntry::decode(&words, has_views)?;
        let view = TextureView { window: texels(&entry, context)?, ..entry.view };
        bound.bind(unit, &view).map_err(|error| Reason::Engine(error.to_string()))?;
        Ok(Some(view))
    }

    /// Binds the sampler of a unit, by which the program samples textures, if any of them are bound.
    fn sampler(
        &self,
        unit: u8,
        sampled: &[Option<&TextureView>],
        bound: &mut LaunchTextures,
        context: &mut Context<'_>,
    ) -> Result<(), Refusal> {
        let Some(words) = self.samplers.words(unit, context)? else { return Ok(()) };
        // Unverified: that texels alone are read without what the sampler holds. Mesa's driver lets its filters be zero.
        let sampler = match sampled {
            [] => Sampler::CLAMPED,
            sampled => SamplerEntry::decode(&words)?.sampling(sampled.iter().copied().flatten())?,
        };
        bound.bind_sampler(unit, &sampler).map_err(|error| Reason::Engine(error.to_string()))?;
        Ok(())
    }
}

/// The memory of a texture up to its last texel.
fn texels(entry: &TextureEntry, context: &Context<'_>) -> Result<MemoryWindow, Reason> {
    let TextureView { format, size: [width, ..], layout, .. } = entry.view;
    let row_bytes = width.checked_mul(format.bytes()).ok_or(Reason::IllegalValue)?;
    if matches!(layout, TextureLayout::Linear { pitch_bytes } if pitch_bytes < row_bytes) {
        return Err(Reason::IllegalValue);
    }
    window(entry.address, entry.view.reached_bytes(), context)
}

/// The memory of bytes at a virtual address, all in one buffer.
fn window(address: u64, bytes: u64, context: &Context<'_>) -> Result<MemoryWindow, Reason> {
    let window = context.objects.virtual_window(address);
    let count = u32::try_from(bytes).ok().filter(|bytes| *bytes <= window.bytes).ok_or(Reason::OutsideBuffers)?;
    Ok(window.truncated(count))
}

/// Why a unit has nothing, or the stream ends.
enum Refusal {
    Counted(Reason),
    Ends(ChipError),
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self::Counted(reason)
    }
}

impl From<ChipError> for Refusal {
    fn from(error: ChipError) -> Self {
        Self::Ends(error)
    }
}

/// What was found; a reason why nothing was is counted.
fn counted<T>(found: Result<Option<T>, Refusal>, context: &mut Context<'_>) -> Result<Option<T>, ChipError> {
    match found {
        Ok(found) => Ok(found),
        Err(Refusal::Counted(reason)) => context.anomaly(reason).map(|()| None),
        Err(Refusal::Ends(error)) => Err(error),
    }
}
