//! Calls the texture unit for the texture instructions of a warp.

use super::emitter::Emitter;
use super::kernel_key::KernelTexture;
use crate::pipeline::Dimensions;
use crate::pipeline::launch::{CoordinatePlaces, FaultKind, MIN_LOD, texture_axes};
use crate::recompiler::text::COMPONENTS;
use crate::recompiler::texture::fetch::fetch_source;
use crate::recompiler::texture::key::TextureKey;
use crate::recompiler::texture::unit;
use crate::shader::simt::{Destination, Instruction, ProgramKind, TextureFetch, TextureSource};

/// The center of a texture one texel high, in both kinds of coordinates.
const CENTER: u32 = 0x3f00_0000;

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

    /// What a lane reads. The functions of a unit take the four places of its quad where they need their differences; elsewhere all
    /// four are the same.
    fn emit_read(&mut self, unit: u8, texture: &KernelTexture, fetch: &TextureFetch) -> [String; 4] {
        let (first, count) = fetch.coordinates;
        let registers: Vec<String> = (first..).take(count.into()).map(|number| self.register(number)).collect();
        let coordinate = |place: usize| registers.get(place).cloned().unwrap_or_else(|| "0u".to_owned());
        if fetch.source == TextureSource::Size {
            let size = self.text.bind("size", &format!("texture_size_{unit}({})", coordinate(0)));
            return COMPONENTS.map(|component| format!("{size}.{component}"));
        }
        if fetch.samples() {
            let rounds = unit::max_rounds(&texture.key);
            self.loops += u32::try_from(rounds.fixed + rounds.samples).unwrap_or(u32::MAX);
        }
        if texture.key.uses.offsets {
            let line = set_offsets(unit, &texture.places, fetch);
            self.text.line(line);
        }
        let kind = self.key.program.kind();
        let has_differences = fetch.uses_derivatives(kind);
        let axes = texture_axes(texture.places.of_coordinates(fetch.is_cube).dimensions);
        let call = fetch_call(unit, &texture.places, fetch, kind, &mut |place| match has_differences {
            true if place < axes => self.emit_quad_words(&coordinate(place)),
            _ => format!("vec4u({})", coordinate(place)),
        });
        let texel = self.text.bind("texel", &call);
        let lane = if has_differences { "[lane & 3u]" } else { ".x" };
        COMPONENTS.map(|component| format!("{texel}.{component}{lane}"))
    }
}

/// The statement that sets the texels which fetches of a unit add to their places.
pub(super) fn set_offsets(unit: u8, places: &CoordinatePlaces, fetch: &TextureFetch) -> String {
    let axes = if fetch.samples() { places.of_coordinates(fetch.is_cube).moved_axes() } else { 0 };
    let offsets: [i8; 3] = std::array::from_fn(|axis| if axis < axes { fetch.offsets[axis] } else { 0 });
    let [x, y, z] = offsets;
    format!("texture_offsets_{unit} = vec3i({x}, {y}, {z});")
}

/// The text of a fetch for the four threads of a quad, except of a size; `coordinate` returns a coordinate of all four.
pub(super) fn fetch_call(
    unit: u8,
    places: &CoordinatePlaces,
    fetch: &TextureFetch,
    kind: ProgramKind,
    coordinate: &mut dyn FnMut(usize) -> String,
) -> String {
    // Functions that take the faces of an array of cube maps as layers have names of their own.
    let form = if places.is_cube_array() && !fetch.is_cube { "_faces" } else { "" };
    let places = places.of_coordinates(fetch.is_cube);
    let axes = texture_axes(places.dimensions);
    let mut optional = |place: Option<usize>| place.map_or_else(|| "vec4u(0u)".to_owned(), &mut *coordinate);
    if fetch.source == TextureSource::Texel {
        let place: [String; 4] = std::array::from_fn(|axis| match axis {
            3 => optional(Some(places.texel_level())),
            axis if axis < axes => {
                let offset = i32::from(fetch.offsets[axis]).cast_unsigned();
                format!("{} + vec4u({offset:#x}u)", optional(Some(axis)))
            }
            2 => optional(places.layer),
            _ => "vec4u(0u)".to_owned(),
        });
        return format!("fetch_texel_{unit}(QuadVector({}))", place.join(", "));
    }
    if fetch.source == TextureSource::PrepareCube {
        let place = [0, 1, 2, 3].map(|place| optional(Some(place)));
        return format!("prepare_cube_{unit}(QuadVector({}))", place.join(", "));
    }
    let place: [String; 4] = std::array::from_fn(|axis| match (axis, places.dimensions) {
        (axis, _) if axis < axes => optional(Some(axis)),
        (1, _) => format!("vec4u({CENTER:#x}u)"),
        (3, Dimensions::Cube) if places.layer.is_some() => optional(places.layer),
        (2, _) | (3, Dimensions::Cube) => optional(places.reference),
        _ => optional(places.layer),
    });
    let place = format!("QuadVector({})", place.join(", "));
    match fetch.source {
        TextureSource::Gather => format!("gather_texels{form}_{unit}({place})"),
        TextureSource::Lod => format!("sample_texture_lod{form}_{unit}({place}, {})", optional(Some(places.lod))),
        TextureSource::QueryLod if !fetch.uses_derivatives(kind) => {
            format!("query_texture_at_{unit}(vec4u({MIN_LOD:#x}u))")
        }
        TextureSource::QueryLod => format!("query_texture{form}_{unit}({place})"),
        _ if !fetch.uses_derivatives(kind) => format!("sample_texture_lod{form}_{unit}({place}, vec4u({MIN_LOD:#x}u))"),
        TextureSource::Bias => format!("sample_texture{form}_{unit}({place}, {})", optional(Some(places.lod))),
        _ => format!("sample_texture{form}_{unit}({place}, vec4u(0u))"),
    }
}
