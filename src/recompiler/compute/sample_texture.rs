//! Calls the texture unit for the texture instructions of a warp.

use super::emitter::Emitter;
use super::kernel_key::KernelTexture;
use crate::pipeline::launch::{FaultKind, MIN_LOD, texture_axes};
use crate::recompiler::text::COMPONENTS;
use crate::recompiler::texture::fetch::fetch_source;
use crate::recompiler::texture::key::TextureKey;
use crate::recompiler::texture::unit;
use crate::shader::simt::{Destination, Instruction, TextureFetch, TextureSource};

/// The center of a texture one texel high, in both kinds of coordinates.
pub(super) const CENTER: u32 = 0x3f00_0000;

impl Emitter<'_> {
    /// The texture units of the text, by the place of their textures in the key.
    fn texture_units(&self) -> impl Iterator<Item = (u8, &TextureKey)> {
        (0..).zip(self.key.textures.iter().map(|texture| &texture.key))
    }

    /// Loads what all lanes share.
    pub(super) fn emit_texture_parameters(&mut self) {
        let lines: Vec<_> = self.texture_units().map(|(unit, _)| unit::prologue(unit)).collect();
        for line in lines {
            self.text.line(line);
        }
    }

    /// The functions of the units.
    pub(super) fn emit_texture_units(&mut self) {
        let sources = self.texture_units().map(|(unit, key)| unit::source(unit, key) + &fetch_source(unit, key));
        let sources: Vec<_> = sources.collect();
        for source in sources {
            self.text.line(source);
        }
    }

    /// Writes what lanes read to the components of the destination.
    pub(super) fn emit_texture(&mut self, instruction: &Instruction, fetch: &TextureFetch, lanes: &str) {
        if self.thread.is_some() {
            // A parameter of the step.
            let words = COMPONENTS.map(|component| format!("texel.{component}"));
            self.emit_components(instruction, &words, lanes);
            return;
        }
        let bound = self.key.textures.iter();
        let found = (0_u8..).zip(bound).find(|(_, own)| (own.texture, own.sampler) == (fetch.texture, fetch.sampler));
        let texel: [String; 4] = match found {
            Some((unit, texture)) => self.emit_read(unit, texture, fetch),
            None => {
                self.emit_warp_fault(instruction.address, FaultKind::UnboundTexture, "warp_active");
                std::array::from_fn(|_| "0u".to_owned())
            }
        };
        self.emit_components(instruction, &texel, lanes);
    }

    /// Writes the components of a texel that the destination takes.
    fn emit_components(&mut self, instruction: &Instruction, texel: &[String; 4], lanes: &str) {
        let mask = if let Destination::Texture { mask, .. } = instruction.destination { mask } else { 0 };
        let components = texel.iter().enumerate();
        let words: Vec<_> =
            components.filter(|(component, _)| mask >> component & 1 != 0).map(|(_, word)| word.clone()).collect();
        self.emit_write(instruction, &words, lanes);
    }

    /// Names the words of the four lanes of a quad.
    fn emit_quad_words(&mut self, word: &str) -> String {
        let function = self.text.import("compute::ballot", "word_of_lane").to_owned();
        self.note_ballot();
        let words = [0, 1, 2, 3].map(|corner| {
            let other = format!("{function}({word}, (lane & ~3u) | {corner}u)");
            self.text.bind("word", &other)
        });
        self.text.bind("words", &format!("vec4u({})", words.join(", ")))
    }

    /// What a lane reads. The functions of a unit take four places side by side; here all are the same.
    fn emit_read(&mut self, unit: u8, texture: &KernelTexture, fetch: &TextureFetch) -> [String; 4] {
        let (first, count) = fetch.coordinates;
        let registers: Vec<String> = (first..).take(count.into()).map(|number| self.register(number)).collect();
        let coordinate = |place: usize| registers.get(place).cloned().unwrap_or_else(|| "0u".to_owned());
        let axes = texture_axes(texture.dimensions);
        let quad =
            |words: [String; 4]| format!("QuadVector({})", words.map(|word| format!("vec4u({word})")).join(", "));
        match fetch.source {
            TextureSource::Size => {
                let size = format!("texture_size_{unit}({})", coordinate(0));
                let size = self.text.bind("size", &size);
                COMPONENTS.map(|component| format!("{size}.{component}"))
            }
            TextureSource::Texel => {
                let place: [String; 4] = std::array::from_fn(|axis| match axis {
                    3 => coordinate(axes),
                    axis if axis < axes => {
                        let offset = i32::from(fetch.offsets[axis]).cast_unsigned();
                        format!("{} + {offset:#x}u", coordinate(axis))
                    }
                    _ => "0u".to_owned(),
                });
                let texel = self.text.bind("texel", &format!("fetch_texel_{unit}({})", quad(place)));
                COMPONENTS.map(|component| format!("{texel}.{component}.x"))
            }
            _ if fetch.uses_derivatives(self.key.program.kind()) => {
                let place: [String; 4] = std::array::from_fn(|axis| match axis {
                    axis if axis < axes => self.emit_quad_words(&coordinate(axis)),
                    1 => format!("vec4u({CENTER:#x}u)"),
                    _ => "vec4u(0u)".to_owned(),
                });
                let bias = if fetch.source == TextureSource::Bias { coordinate(axes) } else { "0u".to_owned() };
                let call = format!("sample_texture_{unit}(QuadVector({}), vec4u({bias}))", place.join(", "));
                self.loops += u32::try_from(unit::max_rounds(&texture.key).fixed).unwrap_or(u32::MAX);
                let texel = self.text.bind("texel", &call);
                COMPONENTS.map(|component| format!("{texel}.{component}[lane & 3u]"))
            }
            _ => {
                let place: [String; 4] = std::array::from_fn(|axis| match axis {
                    axis if axis < axes => coordinate(axis),
                    1 => format!("{CENTER:#x}u"),
                    _ => "0u".to_owned(),
                });
                let lod = match fetch.source {
                    TextureSource::Lod => coordinate(axes),
                    _ => format!("{MIN_LOD:#x}u"),
                };
                let call = format!("sample_texture_lod_{unit}({}, vec4u({lod}))", quad(place));
                self.loops += u32::try_from(unit::max_rounds(&texture.key).fixed).unwrap_or(u32::MAX);
                let texel = self.text.bind("texel", &call);
                COMPONENTS.map(|component| format!("{texel}.{component}.x"))
            }
        }
    }
}
