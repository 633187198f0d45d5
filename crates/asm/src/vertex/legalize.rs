//! Fits operations to the chip's instruction, which reads one constant, one attribute and one address component. Moves into
//! temporaries before the operation fetch the rest.

use super::statement::{Operation, Register, Source, Target, UnitOperation};
use crate::isa::nv40_vertex::VectorOpcode;
use crate::shader::condition::WriteMask;
use crate::shader::vertex::AddressComponent;

/// Inserts moves until each operation fits, and counts `temporaries` up. Also returns where each of the old operations
/// now begins, including its moves.
pub(super) fn legalize(operations: Vec<Operation>, temporaries: &mut u32) -> (Vec<Operation>, Vec<usize>) {
    let mut legal = Vec::with_capacity(operations.len());
    let mut starts = Vec::with_capacity(operations.len());
    for operation in operations {
        starts.push(legal.len());
        fit(operation, &mut legal, temporaries);
    }
    (legal, starts)
}

fn fit(mut operation: Operation, legal: &mut Vec<Operation>, temporaries: &mut u32) {
    let mut address = output_address(&operation);
    // ARA reads an address register through the field that indexes operands.
    let is_address_add = operation.unit == UnitOperation::Vector(VectorOpcode::Ara);
    let (mut constant, mut attribute) = (None, None);
    let mut moved: Vec<(Register, u32)> = Vec::new();
    for index in 0..operation.sources.len() {
        let register = operation.sources[index].register;
        let place = match register {
            Register::Constant(..) => &mut constant,
            Register::Attribute(..) => &mut attribute,
            Register::Temporary(_) | Register::Parameter(_) => continue,
        };
        let is_free = place.is_none_or(|taken| taken == register);
        let fits_address = register.address().is_none_or(|wanted| address.is_none_or(|taken| taken == wanted));
        if is_free && fits_address && !is_address_add {
            *place = Some(register);
            address = address.or(register.address());
            continue;
        }
        let known = moved.iter().find(|(moved, _)| *moved == register).map(|(_, temporary)| *temporary);
        let temporary = known.unwrap_or_else(|| {
            let temporary = *temporaries;
            *temporaries += 1;
            let target = Target::Temporary(temporary);
            let unit = UnitOperation::Vector(VectorOpcode::Mov);
            let sources = vec![Source::new(register)];
            legal.push(Operation::new(unit, target, WriteMask::ALL, sources, operation.statement));
            moved.push((register, temporary));
            temporary
        });
        operation.sources[index].register = Register::Temporary(temporary);
    }
    legal.push(operation);
}

const fn output_address(operation: &Operation) -> Option<AddressComponent> {
    match operation.target {
        Target::Output(output) => output.address,
        _ => None,
    }
}
