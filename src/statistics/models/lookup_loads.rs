//! The load of texture lookups, which depends on their samples and on the format.

use crate::counters::trace::TracedLookup;
use crate::format::TextureFormat;
use crate::machine::TeslaTexture;
use crate::pipeline::Draw;
use crate::statistics::time::TextureLoads;

/// Clocks of a filter unit for a bilinear sample of a texture unit's format.
pub(super) fn format_clocks(texture: &TeslaTexture, draw: &Draw, unit: u8) -> f64 {
    match format_class(draw, unit) {
        FormatClass::HalfFloats => texture.half_float_clocks,
        FormatClass::SingleFloats => texture.single_float_clocks,
        FormatClass::Others => 1.0,
    }
}

/// How long a texture unit takes for a format.
enum FormatClass {
    HalfFloats,
    SingleFloats,
    Others,
}

fn format_class(draw: &Draw, unit: u8) -> FormatClass {
    let format = draw.textures[usize::from(unit & 15)].as_ref().map(|unit| unit.view.format);
    match format {
        Some(TextureFormat::W16Z16Y16X16F) => FormatClass::HalfFloats,
        Some(TextureFormat::W32Z32Y32X32F) => FormatClass::SingleFloats,
        _ => FormatClass::Others,
    }
}

/// The load of a quad's lookup on the texture units. The units of its four pixels are busy until the last one is
/// done: the fragment units process squares of four pixels at a time (GPU Gems 2, section 30.2.1), so no pixel
/// continues alone.
pub(super) fn texture_loads(draw: &Draw, lookup: &TracedLookup) -> TextureLoads {
    let bilinear = 4 * u64::from(lookup.filtered.steps);
    let addresses = TextureLoads { addresses: 4, ..TextureLoads::default() };
    match format_class(draw, lookup.unit) {
        FormatClass::HalfFloats => TextureLoads { half_floats: bilinear, ..addresses },
        FormatClass::SingleFloats => TextureLoads { single_floats: bilinear, ..addresses },
        FormatClass::Others => TextureLoads { others: bilinear, ..addresses },
    }
}
