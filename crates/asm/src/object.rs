//! Reads and writes assembled programs as files: hexadecimal words, and directives that list what a driver must bind.
//!
//! ```text
//! !!NV40vp
//! .language !!ARBvp1.0
//! .start 0
//! .constant 0 program.local[3]
//! .output result.position 0
//! 401f9c6c 01c0000d 8106c083 6041ff81
//! ```

use std::fmt::Write as _;

use super::assembly::{
    Assembly, FragmentAssembly, NamedOutput, TextureTarget, TextureUse, VertexAssembly, WindowConventions, rules_of,
};
use super::constants::{ConstantSlot, ConstantSource, read_source};
use super::cursor::shortened;
use super::language::{FRAGMENT_HEADER, Language, ProgramStage};
use crate::shader::vertex::CONSTANT_SLOTS;

/// Why a directive is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// The first word is unknown.
    #[error("unknown directive {word:?}")]
    UnknownDirective {
        /// The word.
        word: String,
    },
    /// The operands after it do not fit.
    #[error(".{word} is followed by {expected}")]
    BadOperands {
        /// The directive.
        word: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// The language belongs to another processor.
    #[error("{header} is no language of this processor")]
    OtherStage {
        /// The language.
        header: &'static str,
    },
}

/// Writes an assembled program as a file.
#[must_use]
pub fn write_object(assembly: &Assembly) -> String {
    match assembly {
        Assembly::Vertex(vertex) => write_vertex(vertex),
        Assembly::Fragment(fragment) => write_fragment(fragment),
    }
}

fn write_vertex(vertex: &VertexAssembly) -> String {
    let mut text = format!("{}\n.language {}\n", vertex.isa.header(), vertex.language.header());
    let _ = writeln!(text, ".start {}", vertex.start);
    let _ = writeln!(text, ".attributes {:#06x}\n.results {:#08x}", vertex.attributes, vertex.results);
    if let Some((lowest, highest)) = vertex.indexed_constants {
        let _ = writeln!(text, ".indexed {lowest} {highest}");
    }
    if vertex.is_position_invariant {
        text.push_str(".invariant\n");
    }
    for constant in &vertex.constants {
        let _ = writeln!(text, ".constant {} {}", constant.slot, constant.source);
    }
    write_textures(&mut text, &vertex.textures);
    for output in &vertex.outputs {
        let _ = match output.component {
            None => writeln!(text, ".output {} {}", output.name, output.register),
            Some(component) => writeln!(text, ".output {} {} {component}", output.name, output.register),
        };
    }
    for [a, b, c, d] in &vertex.instructions {
        let _ = writeln!(text, "{a:08x} {b:08x} {c:08x} {d:08x}");
    }
    text
}

fn write_fragment(fragment: &FragmentAssembly) -> String {
    let mut text = format!("{FRAGMENT_HEADER}\n.language {}\n", fragment.language.header());
    let _ = writeln!(text, ".control {:#010x}\n.inputs {:#06x}", fragment.control, fragment.inputs);
    let _ = writeln!(text, ".targets {:#x}", fragment.color_targets);
    if fragment.writes_depth {
        text.push_str(".depth\n");
    }
    let conventions = fragment.conventions;
    if conventions != WindowConventions::default() {
        let origin = if conventions.is_upper_left { " upper_left" } else { "" };
        let centers = if conventions.has_integer_centers { " integer_centers" } else { "" };
        let _ = writeln!(text, ".window{origin}{centers}");
    }
    for (name, [x, y, z, w]) in &fragment.parameters {
        let _ = writeln!(text, ".parameter {name} {{{x:#010x}, {y:#010x}, {z:#010x}, {w:#010x}}}");
    }
    for (word, source) in &fragment.constants {
        let _ = writeln!(text, ".constant {word} {source}");
    }
    for (word, source) in &fragment.loops {
        let _ = writeln!(text, ".loop {word} {source}");
    }
    write_textures(&mut text, &fragment.textures);
    for row in fragment.words.chunks(4) {
        let row: Vec<String> = row.iter().map(|word| format!("{word:08x}")).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    text
}

fn write_textures(text: &mut String, textures: &[TextureUse]) {
    for texture in textures {
        let name = TextureTarget::TABLE.iter().find(|(_, target)| Some(*target) == texture.target);
        let name = name.map_or("", |(name, _)| name);
        let _ = writeln!(text, "{}", format!(".texture {} {} {name}", texture.unit, texture.image).trim_end());
    }
}

/// Reads the directives of a file into the description of its words. Each comes with its line number and without its dot.
///
/// # Errors
/// The first line that does not fit.
pub fn read_directives(mut assembly: Assembly, directives: &[(usize, &str)]) -> Result<Assembly, (usize, ObjectError)> {
    for &(line, directive) in directives {
        let (word, operands) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
        let operands = operands.trim();
        let result = match &mut assembly {
            Assembly::Vertex(vertex) => vertex_directive(vertex, word, operands),
            Assembly::Fragment(fragment) => fragment_directive(fragment, word, operands),
        };
        result.map_err(|error| (line, error))?;
    }
    Ok(assembly)
}

fn bad(word: &'static str, expected: &'static str) -> ObjectError {
    ObjectError::BadOperands { word, expected }
}

fn language_of(operands: &str, stage: ProgramStage) -> Result<Language, ObjectError> {
    let language = Language::ALL.into_iter().find(|language| language.header() == operands);
    let language = language.ok_or_else(|| bad("language", "the header of a language"))?;
    if language.stage() == stage { Ok(language) } else { Err(ObjectError::OtherStage { header: language.header() }) }
}

/// A number, decimal or after `0x`, below a limit.
fn number(text: &str, limit: u32) -> Option<u32> {
    let value = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    value.filter(|&value| value < limit)
}

fn short(text: &str, limit: u16) -> Option<u16> {
    number(text, u32::from(limit)).and_then(|value| u16::try_from(value).ok())
}

fn constant(operands: &str, limit: u32) -> Result<(u32, ConstantSource), ObjectError> {
    let error = || bad("constant", "a place and where its value comes from");
    let (place, source) = operands.split_once(char::is_whitespace).ok_or_else(error)?;
    Ok((number(place, limit).ok_or_else(error)?, read_source(source.trim()).ok_or_else(error)?))
}

fn texture(operands: &str) -> Result<TextureUse, ObjectError> {
    let error = || bad("texture", "the unit of the chip, the unit of the text, and a target");
    let mut words = operands.split_whitespace();
    let mut unit = || words.next().and_then(|word| number(word, 16)).map(|unit| unit.to_le_bytes()[0]);
    let (chip, image) = (unit().ok_or_else(error)?, unit().ok_or_else(error)?);
    let target = match words.next() {
        None => None,
        Some(name) => {
            let row = TextureTarget::TABLE.iter().find(|(known, _)| *known == name).ok_or_else(error)?;
            Some(row.1)
        }
    };
    Ok(TextureUse { unit: chip, image, target })
}

fn vertex_directive(vertex: &mut VertexAssembly, word: &str, operands: &str) -> Result<(), ObjectError> {
    match word {
        "language" => {
            vertex.language = language_of(operands, ProgramStage::Vertex)?;
            if !vertex.language.runs_on(vertex.isa) {
                return Err(ObjectError::OtherStage { header: vertex.language.header() });
            }
            vertex.rules = rules_of(vertex.isa, vertex.language);
        }
        "start" => {
            let limit = u16::try_from(vertex.isa.slots()).unwrap_or(u16::MAX);
            vertex.start = short(operands, limit).ok_or_else(|| bad("start", "a slot"))?;
        }
        "attributes" => {
            let mask = number(operands, 1 << 16).and_then(|mask| u16::try_from(mask).ok());
            vertex.attributes = mask.ok_or_else(|| bad("attributes", "a mask of 16 bits"))?;
        }
        "results" => {
            vertex.results = number(operands, 1 << 22).ok_or_else(|| bad("results", "a mask of 22 bits"))?;
        }
        "indexed" => {
            let limit = u16::try_from(CONSTANT_SLOTS).unwrap_or(u16::MAX);
            let range = operands.split_once(char::is_whitespace);
            let range = range.and_then(|(low, high)| Some((short(low, limit)?, short(high.trim(), limit)?)));
            vertex.indexed_constants = Some(range.ok_or_else(|| bad("indexed", "the lowest and the highest slot"))?);
        }
        "invariant" => vertex.is_position_invariant = true,
        "constant" => {
            let limit = u32::try_from(CONSTANT_SLOTS).unwrap_or(u32::MAX);
            let (slot, source) = constant(operands, limit)?;
            vertex.constants.push(ConstantSlot { slot, source });
        }
        "texture" => vertex.textures.push(texture(operands)?),
        "output" => {
            // The results of a state program are constants.
            let limit = if vertex.language == Language::Vsp1_0 { 192 } else { 16 };
            vertex.outputs.push(output(operands, limit)?);
        }
        _ => return Err(ObjectError::UnknownDirective { word: shortened(word) }),
    }
    Ok(())
}

fn output(operands: &str, limit: u32) -> Result<NamedOutput, ObjectError> {
    let error = || bad("output", "a name, a register and perhaps a component");
    let mut words = operands.split_whitespace();
    let name = words.next().ok_or_else(error)?.to_owned();
    let register = words.next().and_then(|word| number(word, limit)).ok_or_else(error)?.to_le_bytes()[0];
    let component = match words.next() {
        None => None,
        Some(word) => Some(number(word, 4).ok_or_else(error)?.to_le_bytes()[0]),
    };
    Ok(NamedOutput { name, register, component })
}

fn fragment_directive(fragment: &mut FragmentAssembly, word: &str, operands: &str) -> Result<(), ObjectError> {
    match word {
        "language" => fragment.language = language_of(operands, ProgramStage::Fragment)?,
        "control" => {
            fragment.control = number(operands, u32::MAX).ok_or_else(|| bad("control", "a word"))?;
        }
        "inputs" => {
            let mask = number(operands, 1 << 16).and_then(|mask| u16::try_from(mask).ok());
            fragment.inputs = mask.ok_or_else(|| bad("inputs", "a mask of 16 bits"))?;
        }
        "targets" => {
            let mask = number(operands, 16).ok_or_else(|| bad("targets", "a mask of four bits"))?;
            fragment.color_targets = mask.to_le_bytes()[0];
        }
        "depth" => fragment.writes_depth = true,
        "parameter" => {
            let error = || bad("parameter", "a name and its first value");
            let (name, value) = operands.split_once(char::is_whitespace).ok_or_else(error)?;
            let Some(ConstantSource::Literal(value)) = read_source(value.trim()) else { return Err(error()) };
            fragment.parameters.push((name.to_owned(), value));
        }
        "constant" => {
            let constant = fragment_constant(fragment, operands)?;
            fragment.constants.push(constant);
        }
        "loop" => {
            let constant = fragment_constant(fragment, operands)?;
            fragment.loops.push(constant);
        }
        "texture" => fragment.textures.push(texture(operands)?),
        "window" => {
            for word in operands.split_whitespace() {
                match word {
                    "upper_left" => fragment.conventions.is_upper_left = true,
                    "integer_centers" => fragment.conventions.has_integer_centers = true,
                    _ => return Err(bad("window", "`upper_left`, `integer_centers` or both")),
                }
            }
        }
        _ => return Err(ObjectError::UnknownDirective { word: shortened(word) }),
    }
    Ok(())
}

/// A word offset and its source, which may be a parameter that an earlier line declares.
fn fragment_constant(fragment: &FragmentAssembly, operands: &str) -> Result<(u32, ConstantSource), ObjectError> {
    let limit = u32::try_from(fragment.words.len()).unwrap_or(u32::MAX);
    let declared = (0..).zip(&fragment.parameters).find_map(|(index, (_, value))| {
        let place = operands.strip_suffix(&format!(" named[{index}]"))?;
        Some((number(place.trim(), limit)?, ConstantSource::Named(index, *value)))
    });
    declared.map_or_else(|| constant(operands, limit), Ok)
}

#[cfg(test)]
mod tests {
    use super::write_object;
    use crate::assemble;
    use crate::program_file::{FileOptions, MicrocodeFileError, read_program_file};

    #[test]
    fn a_program_comes_back_with_all_that_was_known() {
        let text = "!!ARBvp1.0
            PARAM m[4] = { state.matrix.mvp };
            PARAM t[] = { program.env[0..2], {1, 2, 3, 4} };
            ADDRESS A;
            ARL A.x, vertex.position.x;
            DP4 result.position.x, m[0], vertex.position;
            MUL result.fogcoord, t[A.x-1], 0.5;
            MOV result.color.back.secondary, program.local[7];
            END";
        let assembly = assemble("a", text).unwrap();
        let file = write_object(&assembly);
        assert!(file.contains(".constant 1 program.env[0]\n"), "{file}");
        let read = read_program_file("b", file.as_bytes(), FileOptions::default()).unwrap();
        assert_eq!(read.assembly, Some(assembly));
    }

    #[test]
    fn a_fragment_program_keeps_parameters_and_loops() {
        let texts = [
            "!!FP1.0\nDECLARE a = {1, 2, 3, 4};\nDECLARE b;\nTEX R0, f[TEX1], TEX3, CUBE;\n\
             MADC o[COLH], R0, b, R0; MUL R1, R0, a; MOV o[DEPR], p[7]; KIL GT;\nEND",
            "!!FP2.0\nOPTION ARB_fragment_coord_pixel_center_integer;\nTXL R0, f[WPOS], TEX0, 2D; MOVR o[COLR], R0;\nEND",
            "!!ARBfp1.0\nOPTION NV_fragment_program2;\nOPTION ARB_fragment_coord_origin_upper_left;\nTEMP t;\nREP program.local[2];\n\
             ADD t, t, state.light[1].ambient;\nENDREP;\nMOV result.color, t;\nEND",
        ];
        for text in texts {
            let assembly = assemble("a", text).unwrap();
            let read = read_program_file("b", write_object(&assembly).as_bytes(), FileOptions::default()).unwrap();
            assert_eq!(read.assembly, Some(assembly));
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = |line: &str| {
            let text = format!("!!NV40vp\n401f9c6c 0040000d 8106c083 6041ff81\n{line}\n");
            read_program_file("a", text.as_bytes(), FileOptions::default()).unwrap_err().to_string()
        };
        assert_eq!(error(".bogus 3"), "line 3: unknown directive \"bogus\"");
        assert!(error(".constant 544 c[0]").starts_with("line 3: .constant is followed by"));
        assert!(error(".language !!FP1.0").contains("no language of this processor"));
        let error = read_program_file("a", b"!!NV40vp\n.start 9\n1 2 3 4", FileOptions::default()).unwrap_err();
        assert!(matches!(error, MicrocodeFileError::Vertex(_)), "{error}");
    }
}
