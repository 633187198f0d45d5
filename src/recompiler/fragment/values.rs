//! Which register components arithmetic cannot take as they are, and of which the very bits matter.
//!
//! Arithmetic is cheapest on values without denormals, and when it may leave any NaN behind. It never makes denormals itself, so
//! only what is copied from elsewhere has to be flushed before it; and a NaN has to become the one that results have only
//! where bits are copied, stored or taken apart. Plain kernels (`wgsl/arith/fragment_fast.wgsl`) take coarse values only, which
//! sums, products and what they read give.

use std::collections::BTreeSet;

use super::needs::Needs;
use super::registers::{color_output, full};
use super::{FragmentKernelKey, QuadSource, operations};
use crate::isa::Operand;
use crate::isa::nv40_fragment::FragmentOpcode as Op;
use crate::shader::fragment::{
    Block, FragmentInput, FragmentNode, FragmentOperation, FragmentRegister, FragmentSourceKind, Precision, Scale,
    SourcePrecision,
};

/// Number and component of a full register.
type Place = (u8, usize);

/// What is known of the components of full registers.
#[derive(Debug, Default)]
pub(in crate::recompiler) struct Values {
    /// Components that can hold denormals; in plain kernels those that may not be coarse or that a compiler may know.
    raw: BTreeSet<Place>,
    /// Components whose bits are copied, stored or taken apart.
    copied: BTreeSet<Place>,
    is_plain: bool,
}

impl Values {
    /// Looks through the program until nothing is added.
    pub(in crate::recompiler) fn of(key: &FragmentKernelKey, needs: &Needs, is_plain: bool) -> Self {
        let mut found = Vec::new();
        for block in std::iter::once(&key.body).chain(&key.subroutines) {
            collect(block, &mut found);
        }
        let mut values = Self { is_plain, ..Self::default() };
        for target in (0..4).filter(|target| key.targets >> target & 1 != 0) {
            let register = color_output(target, key.has_full_outputs);
            if !register.is_half {
                values.copied.extend((0..4).map(|component| (register.index, component)));
            }
        }
        if key.exports_depth {
            values.copied.insert((full(1).index, 2));
        }
        for number in &needs.shared {
            let components = (0..4).map(|component| (*number, component));
            values.raw.extend(components.clone());
            values.copied.extend(components);
        }
        loop {
            let known = values.raw.len() + values.copied.len();
            for operation in &found {
                values.add(key, operation);
            }
            if values.raw.len() + values.copied.len() == known {
                return values;
            }
        }
    }

    /// Whether arithmetic cannot take a register's component as it is.
    pub(in crate::recompiler) fn is_raw(&self, register: FragmentRegister, component: usize) -> bool {
        !register.is_half && self.raw.contains(&(register.index, component))
    }

    /// Whether a NaN in a register's component must have the bits of a result.
    pub(in crate::recompiler) fn is_copied(&self, register: FragmentRegister, component: usize) -> bool {
        !register.is_half && self.copied.contains(&(register.index, component))
    }

    fn add(&mut self, key: &FragmentKernelKey, operation: &FragmentOperation) {
        let destination = operation.destination.filter(|register| !register.is_half);
        let written = (0..4).filter(|component| operation.mask.has(*component));
        for component in written {
            if let Some(register) = destination
                && self.gives_raw(key, operation, component)
            {
                self.raw.insert((register.index, component));
            }
            if is_plain_copy(operation) {
                // The NaN goes on as it is, and matters where that matters.
                if destination.is_some_and(|register| self.is_copied(register, component)) {
                    self.add_copied(operation, 0, component);
                }
            }
        }
        let is_rounded_copy = operation.opcode == Op::Mov && is_rounded(operation);
        if !is_arithmetic(operation.opcode) && !is_plain_copy(operation) && !is_rounded_copy {
            for operand in operation.opcode.row().operands {
                for component in 0..4 {
                    self.add_copied(operation, operand_number(*operand), component);
                }
            }
        }
    }

    fn add_copied(&mut self, operation: &FragmentOperation, source: usize, component: usize) {
        let source = operation.sources[source];
        if let FragmentSourceKind::Register(register) = source.kind
            && !register.is_half
        {
            self.copied.insert((register.index, usize::from(source.swizzle.0[component] & 3)));
        }
    }

    /// Whether arithmetic cannot take an operation's result as it is.
    fn gives_raw(&self, key: &FragmentKernelKey, operation: &FragmentOperation, component: usize) -> bool {
        if operation.opcode.is_pack() {
            return true;
        }
        if self.is_plain {
            return self.may_be_fine(key, operation, component);
        }
        if is_rounded(operation) {
            return false;
        }
        match operation.opcode {
            Op::Mov => self.is_source_raw(key, operation, 0, component),
            Op::Dst => component >= 2,
            Op::LitEx2 => component == 1,
            opcode => operations::samples(opcode),
        }
    }

    /// Whether an operation's result may not be coarse, or known to a compiler.
    fn may_be_fine(&self, key: &FragmentKernelKey, operation: &FragmentOperation, component: usize) -> bool {
        if operation.precision != Precision::Fp32 {
            return false;
        }
        match (operation.scale, operation.opcode) {
            (Scale::Half | Scale::Quarter | Scale::Eighth, _) => true,
            (_, Op::Mov) => self.is_source_raw(key, operation, 0, component),
            (_, opcode) => !operations::is_clean_arithmetic(opcode) || operations::compares(opcode),
        }
    }

    /// Whether arithmetic cannot take a component of an operation's source as it is.
    pub(in crate::recompiler) fn is_source_raw(
        &self,
        key: &FragmentKernelKey,
        operation: &FragmentOperation,
        source: usize,
        component: usize,
    ) -> bool {
        let source = operation.sources[source];
        (source.precision == SourcePrecision::Full || self.is_plain)
            && match source.kind {
                FragmentSourceKind::Register(register) => {
                    self.is_raw(register, usize::from(source.swizzle.0[component] & 3))
                }
                // Plain kernels watch constants before they begin.
                FragmentSourceKind::Constant(_) => !self.is_plain,
                FragmentSourceKind::Input if self.is_plain => !is_interpolated(operation.input),
                // Interpolation is arithmetic.
                FragmentSourceKind::Input => key.quads == QuadSource::Given,
            }
    }
}

/// Whether an input is made of sums and products only.
const fn is_interpolated(input: FragmentInput) -> bool {
    matches!(input, FragmentInput::Color0 | FragmentInput::Color1 | FragmentInput::TexCoord(_))
}

fn collect<'b>(block: &'b Block, found: &mut Vec<&'b FragmentOperation>) {
    for node in block {
        match node {
            FragmentNode::Operation(operation) => found.push(operation),
            FragmentNode::If { then, otherwise, .. } => {
                collect(then, found);
                collect(otherwise, found);
            }
            FragmentNode::Loop { body, .. } => collect(body, found),
            FragmentNode::Call { .. } | FragmentNode::Break { .. } | FragmentNode::Return { .. } => {}
        }
    }
}

const fn operand_number(operand: Operand) -> usize {
    match operand {
        Operand::S0 => 0,
        Operand::S1 => 1,
        Operand::S2 => 2,
    }
}

/// Whether results are scaled, saturated or rounded, which leaves no denormals and one NaN.
pub(in crate::recompiler) fn is_rounded(operation: &FragmentOperation) -> bool {
    let is_half = operation.destination.is_some_and(|register| register.is_half);
    let changes = operation.scale != Scale::One || operation.saturate || operation.precision != Precision::Fp32;
    is_half || changes && !operation.opcode.is_pack()
}

/// Whether an operation copies its source bit by bit.
fn is_plain_copy(operation: &FragmentOperation) -> bool {
    let source = operation.sources[0];
    let is_modified = source.negate || source.absolute || source.precision != SourcePrecision::Full;
    operation.opcode == Op::Mov && !is_modified && !is_rounded(operation)
}

/// Whether an operation treats every NaN alike.
const fn is_arithmetic(opcode: Op) -> bool {
    matches!(
        opcode,
        Op::Mul
            | Op::Add
            | Op::Mad
            | Op::Lrp
            | Op::Min
            | Op::Max
            | Op::Slt
            | Op::Sge
            | Op::Sle
            | Op::Sgt
            | Op::Sne
            | Op::Seq
            | Op::Frc
            | Op::Flr
            | Op::Dp2
            | Op::Dp2a
            | Op::Dp3
            | Op::Dp4
            | Op::X2d
            | Op::BemLum
            | Op::Ddx
            | Op::Ddy
            | Op::Rcp
            | Op::Rsq
            | Op::Ex2
            | Op::Lg2
            | Op::Cos
            | Op::Sin
            | Op::Pow
            | Op::Div
            | Op::DivSq
            | Op::Nrm
            | Op::Rfl
            | Op::Lit
    )
}
