//! Turns a shader binary of the PICA200 into the registers that a driver writes for it, and the uniforms that a draw
//! supplies.

use crate::arith::pica::F24;
use crate::asm::pica::PicaProgram;
use crate::asm::shbin::{Executable, OutputSemantic, RegisterFile, ShbinOutput, ShbinStage, ShbinUniform, ShbinValue};
use crate::isa::pica_vertex::{DESCRIPTORS, STORE_WORDS};
use crate::scene::loaded_program::{Constant, OUTPUT_WORDS, PicaCode, VertexCode, VertexProgram};

/// A component without a meaning, in a word of `SH_OUTMAP`.
const UNUSED: u8 = 0x1f;

/// Takes a program apart; constants have the container's numbers of registers.
///
/// # Errors
/// What draws cannot run.
pub(super) fn vertex_program(program: &PicaProgram) -> Result<VertexProgram, &'static str> {
    let executable = program.executable();
    if executable.stage != ShbinStage::Vertex {
        return Err("it is a geometry shader");
    }
    let shader = program.binary().shader();
    if shader.code.len() > STORE_WORDS || shader.descriptors.len() > DESCRIPTORS {
        return Err("it is longer than the program store or its descriptors");
    }
    let (exported, semantics) =
        output_map(&executable.outputs).ok_or("more than seven output registers have a meaning")?;
    Ok(VertexProgram {
        code: VertexCode::Pica(PicaCode {
            words: shader.code,
            descriptors: shader.descriptors,
            entry: executable.entry,
            exported,
            output_count: exported.count_ones(),
            semantics,
        }),
        constants: constants(executable),
        attributes: executable.input_mask,
    })
}

/// The number of a meaning's first component (azahar, `regs_rasterizer.h`).
const fn first_semantic(semantic: OutputSemantic) -> Option<u8> {
    match semantic {
        OutputSemantic::Position => Some(0),
        OutputSemantic::NormalQuaternion => Some(4),
        OutputSemantic::Color => Some(8),
        OutputSemantic::Texcoord0 => Some(12),
        OutputSemantic::Texcoord1 => Some(14),
        OutputSemantic::Texcoord0W => Some(16),
        OutputSemantic::View => Some(18),
        OutputSemantic::Texcoord2 => Some(22),
        OutputSemantic::Dummy => None,
    }
}

/// The mask of output registers with a meaning, and their words; `None` if there are too many. The components of an
/// output have consecutive meanings, as `DVLE_GenerateOutmap` of libctru numbers them.
fn output_map(outputs: &[ShbinOutput]) -> Option<(u16, [u32; OUTPUT_WORDS])> {
    let mut registers = [[UNUSED; 4]; 16];
    let mut exported = 0u16;
    for output in outputs {
        let Some(first) = first_semantic(output.semantic) else { continue };
        exported |= 1 << (output.register & 15);
        let components = (0..4).filter(|component| output.mask.has(*component));
        for (component, semantic) in components.zip(first..) {
            registers[usize::from(output.register & 15)][component] = semantic;
        }
    }
    let words = (0..16).filter(|register| exported >> register & 1 != 0).map(|register| registers[register]);
    let words: Vec<u32> = words.map(u32::from_le_bytes).collect();
    let mut map = [u32::from_le_bytes([UNUSED; 4]); OUTPUT_WORDS];
    map.get_mut(..words.len())?.copy_from_slice(&words);
    Some((exported, map))
}

/// Uniforms by name, which may have a value in the binary, and the constants without a name.
fn constants(executable: &Executable) -> Vec<(u32, Constant)> {
    let values = executable.constants.iter().map(|constant| {
        let (base, _) = constant.value.kind().1.range();
        (u32::from(base) + u32::from(constant.register), bits(constant.value))
    });
    let mut found: Vec<(u32, Constant)> = values.map(|(slot, bits)| (slot, Constant::Literal(bits))).collect();
    for uniform in executable.uniforms.iter().filter(|uniform| uniform.file != RegisterFile::Input) {
        for (register, names) in named_registers(uniform) {
            let slot = u32::from(uniform.file.range().0) + register;
            let place = found.iter_mut().find(|(known, _)| *known == slot);
            match place {
                Some((_, constant)) => {
                    let value = if let Constant::Literal(bits) = constant { Some(*bits) } else { None };
                    *constant = Constant::Parameter(names, value);
                }
                None => found.push((slot, Constant::Parameter(names, None))),
            }
        }
    }
    found
}

/// The registers of a uniform, each with its names: that of the uniform if it is the only one, and `name[i]`.
fn named_registers(uniform: &ShbinUniform) -> impl Iterator<Item = (u32, Vec<String>)> + '_ {
    let is_single = uniform.first == uniform.last;
    (uniform.first..=uniform.last).zip(0..).map(move |(register, index): (u8, u32)| {
        let mut names = vec![format!("{}[{index}]", uniform.name)];
        names.extend(is_single.then(|| uniform.name.clone()));
        (u32::from(register), names)
    })
}

/// A value of the container as four singles.
fn bits(value: ShbinValue) -> [u32; 4] {
    match value {
        ShbinValue::Boolean(value) => [f32::from(u8::from(value)).to_bits(); 4],
        ShbinValue::Integer(bytes) => bytes.map(|byte| f32::from(byte).to_bits()),
        ShbinValue::Float(components) => components.map(|raw| F24.decode(raw)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::pica::{PicaOptions, assemble};

    fn program(text: &str) -> Result<VertexProgram, &'static str> {
        let binary = assemble("a.v.pica", text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        vertex_program(&PicaProgram::new(binary, 0).unwrap())
    }

    #[test]
    fn outputs_have_the_meanings_of_their_text() {
        let text = ".in a\n.out p position\n.out c color.rgb\n.out t texcoord0.xy\n.proc main\n\
                    mov p, a\nmov c, a\nmov t, a\nend\n.end\n";
        let VertexCode::Pica(code) = program(text).unwrap().code else { panic!("a PICA200 program") };
        assert_eq!((code.exported, code.output_count), (7, 3));
        assert_eq!(code.semantics[..4], [0x0302_0100, 0x1f0a_0908, 0x1f1f_0d0c, 0x1f1f_1f1f]);
        let output =
            |semantic, mask| ShbinOutput { semantic, register: 9, mask: crate::shader::condition::WriteMask(mask) };
        let shared = [output(OutputSemantic::Texcoord1, 0b0110), output(OutputSemantic::Texcoord0W, 0b1000)];
        assert_eq!(output_map(&shared).map(|(mask, words)| (mask, words[0])), Some((1 << 9, 0x100f_0e1f)));
        let dummy = output(OutputSemantic::Dummy, 15);
        assert_eq!(output_map(&[dummy]).map(|(mask, _)| mask), Some(0));
        let many: Vec<_> =
            (0..8).map(|register| ShbinOutput { register, ..output(OutputSemantic::Color, 15) }).collect();
        assert!(output_map(&many[..7]).is_some());
        assert_eq!(output_map(&many), None);
    }

    #[test]
    fn uniforms_have_the_names_of_their_text() {
        let text = ".fvec m[2], tint\n.ivec count\n.bool isLit\n.constf half(0.5, -2.0, 0.0, 1.0)\n\
                    .in a v2\n.out p position\n.proc main\nadd p, half, a\nend\n.end\n";
        let found = program(text).unwrap();
        assert_eq!(found.attributes, 1 << 2);
        let named = |name: &str| {
            let is_named = |constant: &Constant| matches!(constant, Constant::Parameter(names, None) if names.iter().any(|known| known == name));
            found.constants.iter().find(|(_, constant)| is_named(constant)).map(|(slot, _)| *slot)
        };
        // The container's numbers: floats from 0x10, integers from 0x70, booleans from 0x78.
        let slots = ["m[0]", "m[1]", "tint", "tint[0]", "count", "isLit"].map(named);
        assert_eq!(slots, [Some(0x10), Some(0x11), Some(0x12), Some(0x12), Some(0x70), Some(0x78)]);
        assert_eq!(named("m"), None);
        let half = [0.5f32, -2.0, 0.0, 1.0].map(f32::to_bits);
        assert!(found.constants.iter().any(|(_, constant)| *constant == Constant::Literal(half)));
    }

    #[test]
    fn values_of_the_binary_are_defaults() {
        let uniform = |file, first| ShbinUniform { name: "n".to_owned(), file, first, last: first };
        let executable = Executable {
            constants: vec![crate::asm::shbin::ShbinConstant {
                register: 1,
                value: ShbinValue::Integer([3, 0, 1, 255]),
            }],
            uniforms: vec![uniform(RegisterFile::Integer, 1), uniform(RegisterFile::Input, 2)],
            ..Executable::default()
        };
        let names = vec!["n[0]".to_owned(), "n".to_owned()];
        let expected = Constant::Parameter(names, Some([3.0f32, 0.0, 1.0, 255.0].map(f32::to_bits)));
        assert_eq!(constants(&executable), [(0x71, expected)]);
    }
}
