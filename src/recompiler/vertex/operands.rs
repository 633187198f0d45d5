//! Source operands of vertex instructions into WGSL expressions over the bits of four components.

use crate::recompiler::condition::swizzled;
use crate::recompiler::text::COMPONENTS;
use crate::shader::vertex::{CONSTANT_SLOTS, VertexInstruction, VertexSource, VertexSourceKind};

/// All four components of a source: swizzle, magnitude, sign.
pub(super) fn vector(instruction: &VertexInstruction, source: &VertexSource) -> String {
    let mut expression = swizzled(&register(instruction, source), source.swizzle);
    if source.absolute {
        expression = format!("({expression} & vec4u(0x7fffffffu))");
    }
    if source.negate {
        expression = format!("({expression} ^ vec4u(0x80000000u))");
    }
    expression
}

/// Component x of a source after its swizzle.
pub(super) fn scalar(instruction: &VertexInstruction, source: &VertexSource) -> String {
    let component = COMPONENTS[usize::from(source.swizzle.0[0] & 3)];
    let mut expression = format!("{}.{component}", register(instruction, source));
    if source.absolute {
        expression = format!("({expression} & 0x7fffffffu)");
    }
    if source.negate {
        expression = format!("({expression} ^ 0x80000000u)");
    }
    expression
}

/// The register, attribute or constant that a source names.
fn register(instruction: &VertexInstruction, source: &VertexSource) -> String {
    match source.kind {
        VertexSourceKind::Temporary(index) => format!("r{index}"),
        VertexSourceKind::Input if instruction.is_input_indexed => {
            let index = indexed(instruction, u16::from(instruction.input_index));
            format!("select(vec4u(0u), inputs[u32({index}) & 15u], u32({index}) < 16u)")
        }
        VertexSourceKind::Input => format!("v{}", instruction.input_index & 15),
        VertexSourceKind::Constant if instruction.is_constant_indexed => {
            format!("indexed_constant({}, limits)", indexed(instruction, instruction.constant_index))
        }
        VertexSourceKind::Constant if usize::from(instruction.constant_index) < CONSTANT_SLOTS => {
            format!("c{}", instruction.constant_index)
        }
        VertexSourceKind::Constant => "vec4u(0u)".to_owned(),
    }
}

/// An index plus the instruction's address register component.
pub(super) fn indexed(instruction: &VertexInstruction, index: u16) -> String {
    let component = COMPONENTS[usize::from(instruction.address.component & 3)];
    format!("(a{}.{component} + {index})", instruction.address.register & 1)
}
