//! Reads the values of a PICA200 program's inputs from text: `NAME=VALUE` groups.
//!
//! Names are registers (`v0`, `c5`, `i1`, `b3`) or those of the binary's uniform table, with an index for those of several
//! registers (`bones[4]`). A component of v and c is a decimal number, eight hexadecimal digits of a single, or six of a
//! 24-bit float. Registers i have three or four numbers from −128 to 255, and registers b `true` or `false`.

use super::program::PicaProgram;
use crate::arith::pica::{F24, from_single};
use crate::inputs::{ElementInputs, InputError, split_group};
use crate::isa::pica_vertex::FIRST_INTEGER;
use crate::shbin::RegisterFile;

/// Names that are known, for errors.
const KNOWN: &str = "v0, c0, i0, b0, uniforms of the program";

impl PicaProgram {
    /// Reads the groups of one element, separated by blanks. Registers that no group names have the values that the
    /// container gives.
    ///
    /// # Errors
    /// When a group is not of the form, or names nothing that the program has.
    pub fn parse_inputs(&self, line: &str) -> Result<ElementInputs, InputError> {
        let mut inputs = self.inputs();
        for group in line.split_whitespace() {
            let (name, value) = split_group(group)?;
            let (file, register) =
                self.register(name).ok_or_else(|| InputError::UnknownName { name: name.to_owned(), known: KNOWN })?;
            let index = usize::from(register);
            match file {
                RegisterFile::Input => {
                    let value = floats(name, value)?;
                    inputs.attribute(index).into_iter().for_each(|input| *input = value);
                }
                RegisterFile::Float => drop(inputs.constants.insert(index, floats(name, value)?)),
                RegisterFile::Integer => {
                    inputs.constants.insert(usize::from(FIRST_INTEGER) + index, integers(name, value)?);
                }
                RegisterFile::Boolean => inputs.set_boolean(register, boolean(name, value)?),
            }
        }
        Ok(inputs)
    }

    /// The register of a name.
    fn register(&self, name: &str) -> Option<(RegisterFile, u8)> {
        let (base, index) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((base, index)) => (base, index.parse().ok()?),
            None => (name, 0u8),
        };
        if let Some(uniform) = self.executable().uniforms.iter().find(|uniform| uniform.name == base) {
            let register = uniform.first.checked_add(index)?;
            return (register <= uniform.last).then_some((uniform.file, register));
        }
        let file = match name.chars().next()? {
            'v' => RegisterFile::Input,
            'c' => RegisterFile::Float,
            'i' => RegisterFile::Integer,
            'b' => RegisterFile::Boolean,
            _ => return None,
        };
        let digits = &name[1..];
        let register: u8 = digits.parse().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
        (register < file.range().1).then_some((file, register))
    }
}

/// Splits a value into its components. A value has at least `least` of them and at most four.
fn components<'value>(name: &str, value: &'value str, least: usize) -> Result<Vec<&'value str>, InputError> {
    let components: Vec<&str> = value.split(',').collect();
    if (least..=4).contains(&components.len()) {
        return Ok(components);
    }
    Err(InputError::WrongCount { name: name.to_owned(), components: components.len() })
}

fn floats(name: &str, value: &str) -> Result<[u32; 4], InputError> {
    let mut bits = [0; 4];
    for (bits, component) in bits.iter_mut().zip(components(name, value, 4)?) {
        let number = match component.strip_prefix("0x") {
            Some(digits) => {
                let number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
                let number = u32::from_str_radix(digits, 16).ok().filter(|_| number);
                match digits.len() {
                    6 => number.map(|bits| F24.decode(bits)),
                    8 => number.map(from_single),
                    _ => None,
                }
            }
            None => component.parse().ok().map(|number: f32| from_single(number.to_bits())),
        };
        *bits = number.ok_or_else(|| bad(name, component, "a number, six hexadecimal digits after 0x, or eight"))?;
    }
    Ok(bits)
}

fn integers(name: &str, value: &str) -> Result<[u32; 4], InputError> {
    let mut numbers = [0; 4];
    for (number, component) in numbers.iter_mut().zip(components(name, value, 3)?) {
        let parsed: Option<i16> = component.parse().ok().filter(|number| (-128..=255).contains(number));
        // The register holds the low byte.
        *number = parsed
            .map(|number| u32::from(number.to_le_bytes()[0]))
            .ok_or_else(|| bad(name, component, "a whole number from -128 to 255"))?;
    }
    Ok(numbers)
}

fn boolean(name: &str, value: &str) -> Result<bool, InputError> {
    match value {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(bad(name, value, "true, false, 1 or 0")),
    }
}

fn bad(name: &str, component: &str, expected: &'static str) -> InputError {
    InputError::NotExpected { name: name.to_owned(), component: component.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::ONE;
    use crate::pica::{PicaOptions, assemble};

    fn program() -> PicaProgram {
        let text = ".fvec matrix[4]\n.bool isLit\n.ivec lights\n.constf half(0.5, 0.5, 0, 1)\n.in position v3\n\
                    .out o position\n.proc main\nmov o, position\nend\n.end\n";
        let binary = assemble("a.v.pica", text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        PicaProgram::new(binary, 0).unwrap()
    }

    #[test]
    fn registers_and_uniforms_take_values() {
        let inputs = program()
            .parse_inputs(
                "position=1,0x3f0000,0x3f800000,-2.5 matrix[2]=1,2,3,4 lights=3,-1,2 isLit=true b2=1 c90=1,1,1,1",
            )
            .unwrap();
        assert_eq!(inputs.attributes[3], [ONE, ONE, ONE, (-2.5f32).to_bits()]);
        let four = [1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits);
        assert_eq!((inputs.constants[&2], inputs.constants[&90]), (four, [ONE; 4]));
        assert_eq!(inputs.constants[&96], [3, 255, 2, 0]);
        assert_eq!(inputs.booleans, 0b101);
        let half = 0.5f32.to_bits();
        assert!(inputs.constants.values().any(|value| *value == [half, half, 0, ONE]), "the constant of the text");
    }

    #[test]
    fn singles_are_truncated_to_24_bits() {
        // One unit in the last place above 1 needs 23 fraction bits; 16 are kept.
        let inputs = program().parse_inputs("v0=0x3f800001,0x3fffffff,1e30,0x000001").unwrap();
        assert_eq!(inputs.attributes[0], [ONE, 0x3fff_ff80, 0x7f80_0000, 0x1880_0000]);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |line: &str| program().parse_inputs(line).unwrap_err().to_string();
        for name in ["v16", "c96", "i4", "b16", "matrix[4]", "matrix[-1]", "q", "v+1", "é", "v[0]"] {
            assert!(message(&format!("{name}=0,0,0,0")).contains("is not an input"), "{name}");
        }
        assert_eq!(message("v0=1,2"), "v0 has 2 components where four are needed");
        assert_eq!(message("lights=300,0,0"), "lights: \"300\" is not a whole number from -128 to 255");
        assert_eq!(message("isLit=2"), "isLit: \"2\" is not true, false, 1 or 0");
        assert!(message("v0=0x1,0,0,0").contains("\"0x1\" is not a number, six hexadecimal digits after 0x, or eight"));
    }
}
