//! Reads what a vertex or fragment gives to a program: `a[0x10]=1,2.5`, `v[0x4]=0x3f800000`, `c0[0x20]=1,0,0`.
//!
//! A name is a place in a space, as the disassembler prints it, and the numbers are consecutive words from there on.

use std::collections::BTreeMap;

use super::super::inputs::{InputError, parse_component, split_group};
use crate::cubin::CONSTANT_BYTES;
use crate::shader::simt::ProgramKind;

/// The end of the inputs: instructions name 256 words.
const INPUT_BYTES: u32 = 0x400;

/// The word in place of a group that says that a fragment is a helper.
const HELPER: &str = "helper";

/// What one vertex or fragment reads, as bits. What is not given is zero.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeslaInputs {
    /// The words of `a[]` or `v[]` by their offset in bytes.
    pub inputs: BTreeMap<u32, u32>,
    /// The words of constant spaces by space and offset in bytes.
    pub constants: BTreeMap<(u8, u32), u32>,
    /// Whether a fragment is a helper of its quad.
    pub is_helper: bool,
}

/// Reads the groups of a vertex or fragment, separated by blanks.
///
/// # Errors
/// When a group is not of the form, or names nothing that programs of the kind read.
pub fn parse_inputs(line: &str, kind: ProgramKind) -> Result<TeslaInputs, InputError> {
    let mut found = TeslaInputs::default();
    let (letter, known) = match kind {
        ProgramKind::Fragment => ("v", "v[0x4], c0[0x10], helper"),
        _ => ("a", "a[0x0], c0[0x10]"),
    };
    for group in line.split_whitespace() {
        if group == HELPER && kind == ProgramKind::Fragment {
            found.is_helper = true;
            continue;
        }
        let (name, values) = split_group(group)?;
        let unknown = || InputError::UnknownName { name: name.chars().take(80).collect(), known };
        let (space, offset) = place(name).ok_or_else(unknown)?;
        let constant = space.strip_prefix('c').and_then(|number| number.parse().ok()).filter(|number| *number < 16_u8);
        if constant.is_none() && space != letter {
            return Err(unknown());
        }
        let end = if constant.is_some() { CONSTANT_BYTES } else { INPUT_BYTES };
        for (at, value) in (offset..).step_by(4).zip(values.split(',')) {
            if at >= end {
                return Err(unknown());
            }
            let bits = parse_component(value).ok_or_else(|| InputError::BadComponent {
                name: name.to_owned(),
                component: value.chars().take(80).collect(),
            })?;
            match constant {
                Some(space) => found.constants.insert((space, at), bits),
                None => found.inputs.insert(at, bits),
            };
        }
    }
    Ok(found)
}

/// The space and the offset of `space[offset]`, that of a word.
fn place(name: &str) -> Option<(&str, u32)> {
    let (space, offset) = name.strip_suffix(']')?.split_once('[')?;
    let offset = match offset.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok()?,
        None => offset.parse().ok()?,
    };
    (offset % 4 == 0 && offset < CONSTANT_BYTES).then_some((space, offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_placed_one_after_the_other() {
        let inputs = parse_inputs("a[0x10]=1,-2.5 c3[8]=0xdeadbeef", ProgramKind::Vertex).unwrap();
        assert_eq!(inputs.inputs, BTreeMap::from([(0x10, 0x3f80_0000), (0x14, 0xc020_0000)]));
        assert_eq!(inputs.constants, BTreeMap::from([((3, 8), 0xdead_beef)]));
        assert!(!inputs.is_helper);
        assert!(parse_inputs("v[0]=1 helper", ProgramKind::Fragment).unwrap().is_helper);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |line: &str| parse_inputs(line, ProgramKind::Vertex).unwrap_err().to_string();
        for name in
            ["v[0x0]", "a[0x2]", "a[0x400]", "c16[0x0]", "c[0x0]", "c0[0x10000]", "a0", "o[0x0]", "a[0xfffffffff]"]
        {
            assert_eq!(message(&format!("{name}=1")), format!("{name:?} is not an input: a[0x0], c0[0x10], …"));
        }
        assert_eq!(message("a[0x3fc]=1,2"), "\"a[0x3fc]\" is not an input: a[0x0], c0[0x10], …");
        assert_eq!(message("helper"), "\"helper\" is not of the form NAME=x,y,z,w");
        let wrong = "a[0x0]: \"x\" is neither a decimal number nor eight hexadecimal digits after 0x";
        assert_eq!(message("a[0x0]=1,x"), wrong);
    }
}
