//! Compiled programs of Cg (`.vpo`, `.fpo`): the binaries of the profiles `sce_vp_rsx` and `sce_fp_rsx`, and CGB files.
//!
//! ```text
//! CgBinaryProgram   profile, revision, sizes, offsets     CGB   size, profile, configuration
//! parameters        type, resource, name, default value         microcode
//! strings                                                       values of constants
//! configuration     masks, registers, outputs                   names and resources
//! microcode
//! ```
//!
//! Binaries are big-endian or little-endian, CGB files are big-endian. The words of fragment programs have their halves
//! swapped where the file is big-endian.
//!
//! Source: RPCS3, `CgBinaryProgram.h`; the programs of elad335/myps3tests; for CGB files, `cgb_parse.c` of
//! FirebirdTA01/PS3DK.

mod binary;
mod compact;
mod contents;
mod limits;
mod reader;
mod resources;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::assembly::{Assembly, FragmentAssembly, VertexAssembly};
use super::constants::ConstantSource;
use super::fragment::summarized;
use super::inputs::{InlineComponents, InputPlace, NamedInput};
use super::language::{Language, ProgramStage};
use crate::isa::NvVertexIsa;
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use contents::{Contents, Parameter, Place, Words};
use reader::Reader;

pub use limits::{MAX_NAME_LENGTH, MAX_PARAMETERS, MAX_PLACES};
pub use reader::CgBinaryError;

/// What a CGB file begins with.
const CGB_MAGIC: &[u8] = b"CGB\0";

/// A compiled program of Cg.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CgBinary {
    /// Its words, and what the file says of them.
    pub assembly: Assembly,
    /// Its inputs and constants.
    pub inputs: Vec<NamedInput>,
    /// The names of its textures, with their units.
    pub samplers: Vec<(String, u8)>,
}

impl CgBinary {
    /// Whether a file is a compiled program of Cg, perhaps a broken one.
    #[must_use]
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(CGB_MAGIC) || binary::byte_order(bytes).is_some()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file is broken, or its words are not a program.
    pub fn read(bytes: &[u8]) -> Result<Self, CgBinaryError> {
        let contents = if bytes.starts_with(CGB_MAGIC) {
            compact::read(&Reader { bytes, is_little: false })?
        } else {
            binary::read(bytes)?
        };
        contents.described().map_err(CgBinaryError::Fragment)
    }

    /// The processor that the program is for.
    #[must_use]
    pub const fn stage(&self) -> ProgramStage {
        self.assembly.language().stage()
    }
}

impl Contents {
    fn described(self) -> Result<CgBinary, FragmentDecodeError> {
        match self.words {
            Words::Vertex { slots, start, attributes } => {
                let native = VertexAssembly::native(NvVertexIsa::Nv40, slots, start);
                let assembly = Assembly::Vertex(VertexAssembly { attributes, ..native });
                let samplers = samplers(&self.parameters);
                let inputs = self.parameters.into_iter().filter_map(|parameter| parameter.named(&BTreeMap::new()));
                Ok(CgBinary { assembly, inputs: inputs.collect(), samplers })
            }
            Words::Fragment { words, control } => {
                let mut fragment = summarized(Language::NativeFragment, words, Some(control))?;
                let slots = declare_constants(&mut fragment, &self.parameters);
                for texture in &mut fragment.textures {
                    texture.target = self.parameters.iter().find_map(|parameter| match parameter.place {
                        Place::Texture(unit, target) if unit == texture.unit => target,
                        _ => None,
                    });
                }
                let samplers = samplers(&self.parameters);
                let inputs = self.parameters.into_iter().filter_map(|parameter| parameter.named(&slots));
                Ok(CgBinary { inputs: inputs.collect(), assembly: Assembly::Fragment(fragment), samplers })
            }
        }
    }
}

/// The names of textures with their units.
fn samplers(parameters: &[Parameter]) -> Vec<(String, u8)> {
    let unit = |parameter: &Parameter| match parameter.place {
        Place::Texture(unit, _) => Some((parameter.name.clone(), unit)),
        _ => None,
    };
    parameters.iter().filter_map(unit).collect()
}

/// Makes each inline constant with words of a uniform a parameter of its own, since uniforms may share one. Returns the
/// parameters by the first word.
fn declare_constants(fragment: &mut FragmentAssembly, parameters: &[Parameter]) -> BTreeMap<u32, ConstantSource> {
    let mut slots = BTreeMap::new();
    for parameter in parameters {
        let Place::Inline(places) = &parameter.place else { continue };
        for first in places.iter().map(|place| place & !3) {
            let words = fragment.words.get(first as usize..).and_then(|words| words.first_chunk::<4>());
            let (Some(&value), false) = (words, slots.contains_key(&first)) else { continue };
            let number = u32::try_from(fragment.parameters.len()).unwrap_or(u32::MAX);
            let source = ConstantSource::Named(number, value);
            fragment.parameters.push((format!("constant[{first}]"), value));
            fragment.constants.push((first, source));
            slots.insert(first, source);
        }
    }
    slots
}

impl Parameter {
    /// The parameter as an input; `None` for textures.
    fn named(self, slots: &BTreeMap<u32, ConstantSource>) -> Option<NamedInput> {
        let place = match self.place {
            Place::Attribute(number) => InputPlace::Attribute(number),
            Place::Interpolant(number) => InputPlace::Interpolant(number),
            Place::Constant(slot) => InputPlace::Constant(slot),
            Place::Inline(places) => {
                let inline = places.into_iter().filter_map(|place| {
                    let first = (place & 3).to_le_bytes()[0];
                    slots.get(&(place & !3)).map(|&source| InlineComponents { source, first, count: self.components })
                });
                InputPlace::Inline(inline.collect())
            }
            Place::Texture(..) => return None,
        };
        Some(NamedInput { name: self.name, place, default: self.default })
    }
}
