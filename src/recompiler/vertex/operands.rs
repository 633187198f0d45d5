//! Translates source operands of vertex operations into WGSL expressions over the bits of four components.

use crate::recompiler::condition::swizzled;
use crate::recompiler::text::COMPONENTS;
use crate::shader::vertex::{AddressComponent, CONSTANT_SLOTS, VertexOperand, VertexRegister};

/// All four components of a source: swizzle, magnitude, sign.
pub(super) fn vector(source: &VertexOperand) -> String {
    let mut expression = swizzled(&register(source.register), source.swizzle);
    if source.absolute {
        expression = format!("({expression} & vec4u(0x7fffffffu))");
    }
    if source.negate {
        expression = format!("({expression} ^ vec4u(0x80000000u))");
    }
    expression
}

/// Component x of a source after its swizzle.
pub(super) fn scalar(source: &VertexOperand) -> String {
    let component = COMPONENTS[usize::from(source.swizzle.0[0] & 3)];
    let mut expression = format!("{}.{component}", register(source.register));
    if source.absolute {
        expression = format!("({expression} & 0x7fffffffu)");
    }
    if source.negate {
        expression = format!("({expression} ^ 0x80000000u)");
    }
    expression
}

fn register(register: VertexRegister) -> String {
    match register {
        VertexRegister::Temporary(index) => format!("r{index}"),
        VertexRegister::Attribute { index, relative: Some(address) } => {
            let index = indexed(address, u16::from(index));
            format!("select(vec4u(0u), inputs[u32({index}) & 15u], u32({index}) < 16u)")
        }
        VertexRegister::Attribute { index, relative: None } => format!("v{}", index & 15),
        VertexRegister::Constant { index, relative: Some(address) } => {
            format!("indexed_constant({}, limits)", indexed(address, index))
        }
        VertexRegister::Constant { index, relative: None } if usize::from(index) < CONSTANT_SLOTS => {
            format!("c{index}")
        }
        VertexRegister::Constant { .. } => "vec4u(0u)".to_owned(),
        VertexRegister::WrappedConstant { index, address } => {
            format!("wrapped_constant({index}, {})", component(address))
        }
        VertexRegister::Output(index) => format!("o{}", index & 15),
    }
}

/// An index plus a component of an address register.
pub(super) fn indexed(address: AddressComponent, index: u16) -> String {
    format!("({} + {index})", component(address))
}

/// A component of an address register.
pub(super) fn component(address: AddressComponent) -> String {
    format!("a{}.{}", address.register & 1, COMPONENTS[usize::from(address.component & 3)])
}
