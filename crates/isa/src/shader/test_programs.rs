//! Builds small vertex programs for tests without encoding them.

use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{
    OperationKind, VertexBundle, VertexOperand, VertexOperation, VertexProgram, VertexRegister,
};

/// An unswizzled operand.
fn operand(register: VertexRegister) -> VertexOperand {
    VertexOperand { register, swizzle: Swizzle::IDENTITY, absolute: false, negate: false }
}

/// A temporary register as an unswizzled operand.
pub fn temporary(index: u8) -> VertexOperand {
    operand(VertexRegister::Temporary(index))
}

/// An attribute as an unswizzled operand.
pub fn attribute(index: u8) -> VertexOperand {
    operand(VertexRegister::Attribute { index, relative: None })
}

/// A constant as an unswizzled operand.
pub fn constant(index: u16) -> VertexOperand {
    operand(VertexRegister::Constant { index, relative: None })
}

/// An operation that writes all components.
pub fn operation(kind: OperationKind, read: &[VertexOperand], destination: Option<u8>) -> VertexOperation {
    VertexOperation::new(kind, read.iter().copied(), destination, WriteMask::ALL)
}

/// A bundle that only issues this vector operation.
pub fn bundle(vector: VertexOperation) -> VertexBundle {
    VertexBundle { vector, ..VertexBundle::idle(0) }
}

/// A program of these bundles from slot 0 on; the last one ends it.
pub fn program(mut bundles: Vec<VertexBundle>) -> VertexProgram {
    for (slot, bundle) in (0u16..).zip(&mut bundles) {
        bundle.slot = slot;
    }
    if let Some(last) = bundles.last_mut() {
        last.is_last = true;
    }
    VertexProgram { start: 0, bundles }
}
