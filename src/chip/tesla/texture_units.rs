//! The textures and samplers of programs: which entries in memory units have, and what a launch or a draw gets of them.

use std::collections::BTreeMap;

use super::address::Address;
use super::sampler_entry::SamplerEntry;
use super::texture_entry::TextureEntry;
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::bit;
use crate::chip::class::Context;
use crate::format::TextureFormat;
use crate::isa::tesla::TeslaGeneration;
use crate::memory::MemoryWindow;
use crate::pipeline::launch::LaunchTextures;
use crate::pipeline::{BorderColor, Dimensions, Sampler, TextureLayout, TextureState, TextureView};
use crate::shader::simt::SimtProgram;

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
    ///
    /// Numbers of samplers have at least eleven bits, as Mesa's driver has tables of 2048; envytools knows nine.
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

/// A texture without memory, which reads zero.
const NOTHING: TextureState = TextureState::plain(TextureFormat::Unorm8x4, Dimensions::Two, [1; 3]);

/// The texture units of a stage, or of compute launches.
#[derive(Debug)]
pub(super) struct TextureUnits {
    pub(super) textures: Entries,
    pub(super) samplers: Entries,
    is_seamless: bool,
}

impl Default for TextureUnits {
    fn default() -> Self {
        Self { textures: Entries::new(7), samplers: Entries::new(4), is_seamless: false }
    }
}

impl TextureUnits {
    /// Executes `TEX_MISC`: whether programs ask for cube maps without seams, which chips from GT200 on have.
    ///
    /// Source: Mesa's driver, which writes the method on classes from 0x8397 on (`nv50_screen.c`); its list of failing tests.
    // Unverified: that earlier chips ignore the method.
    pub(super) fn set_seamless(&mut self, is_asked_for: bool, generation: TeslaGeneration) {
        self.is_seamless = is_asked_for && generation >= TeslaGeneration::Sm12;
    }

    /// What the units give a launch. What cannot be executed is counted, and the program does not have it.
    pub(super) fn bound(
        &self,
        program: &SimtProgram,
        generation: TeslaGeneration,
        context: &mut Context<'_>,
    ) -> Result<LaunchTextures, ChipError> {
        let mut bound = LaunchTextures::default();
        for ((texture, sampler), samples) in program.texture_reads() {
            // Unverified: that launches read no texels without a sampler either.
            let has_sampler = self.samplers.bound.contains_key(&sampler.into());
            let units = [texture, sampler];
            let found = match has_sampler {
                true => self.state(units, samples, generation, context),
                false => Ok(None),
            };
            let Some(state) = counted(found, context)? else { continue };
            if let Err(error) = bound.bind_state(units, &state) {
                context.anomaly(Reason::Engine(error.to_string()))?;
            }
        }
        Ok(bound)
    }

    /// What the units give a draw: the state of each texture and sampler that an instruction of its program names. What cannot
    /// be executed is counted; it reads zero, as a unit that has nothing does.
    // Unverified: that such a unit reads zero.
    pub(super) fn states(
        &self,
        program: &SimtProgram,
        generation: TeslaGeneration,
        context: &mut Context<'_>,
    ) -> Result<Vec<([u8; 2], TextureState)>, ChipError> {
        let mut states = Vec::new();
        for ((texture, sampler), samples) in program.texture_reads() {
            let units = [texture, sampler];
            let found = self.state(units, samples, generation, context);
            let mut state = counted(found, context)?.unwrap_or(NOTHING);
            if let Some(what) = state.view.unsupported() {
                context.anomaly(Reason::Engine(what))?;
                state = NOTHING;
            }
            states.push((units, state));
        }
        Ok(states)
    }

    /// The state of a texture and a sampler by the numbers of their units; `None` if a unit has nothing.
    fn state(
        &self,
        [texture, sampler]: [u8; 2],
        samples: bool,
        generation: TeslaGeneration,
        context: &mut Context<'_>,
    ) -> Result<Option<TextureState>, Refusal> {
        let Some(texture) = self.textures.words(texture, context)? else { return Ok(None) };
        let TextureEntry { view, address, compared, has_gray_border, max_anisotropy } =
            TextureEntry::decode(&texture, generation != TeslaGeneration::Sm10)?;
        let window = texels(&view, address, context)?;
        let mut view = TextureView { window, ..view };
        let words = self.samplers.words(sampler, context)?;
        // Unverified: that texels alone are read without what the sampler holds but its conversion. Mesa's driver lets its
        // filters be zero.
        if !samples {
            view.gamma = view.gamma.map(|is_srgb| is_srgb && words.is_none_or(|words| bit(words[0], 13)));
            return Ok(Some(TextureState { view, sampler: Sampler::CLAMPED }));
        }
        let Some(words) = words else { return Ok(None) };
        let entry = SamplerEntry::decode(&words)?;
        view.gamma = view.gamma.map(|is_srgb| is_srgb && entry.converts_srgb);
        // Unverified: that textures without depths are not compared. OpenGL does not ask for it.
        if let Some(format) = compared.filter(|_| entry.compares) {
            view.format = format;
        }
        let mut sampler = entry.sampler;
        if let (true, BorderColor::Words([red, ..])) = (has_gray_border, sampler.border_color) {
            sampler.border_color = BorderColor::Words([red; 4]);
        }
        sampler.max_anisotropy = max_anisotropy.unwrap_or(sampler.max_anisotropy);
        sampler.is_seamless = self.is_seamless;
        Ok(Some(TextureState { view, sampler }))
    }
}

/// The memory of a texture at a virtual address up to its last texel.
fn texels(view: &TextureView, address: u64, context: &Context<'_>) -> Result<MemoryWindow, Reason> {
    let TextureView { format, size: [width, ..], layout, .. } = *view;
    let row_bytes = width.checked_mul(format.bytes()).ok_or(Reason::IllegalValue)?;
    if matches!(layout, TextureLayout::Linear { pitch_bytes } if pitch_bytes < row_bytes) {
        return Err(Reason::IllegalValue);
    }
    window(address, view.reached_bytes(), context)
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
