//! The register width of each operand of an operation.

use super::{Convert, ElementType, FloatType, Operation, Product, Width};

impl FloatType {
    const fn width(self) -> Width {
        match self {
            Self::F32 => Width::Word,
            Self::F64 => Width::Double,
        }
    }
}

impl Operation {
    /// The width of the destination register.
    #[must_use]
    pub const fn destination_width(self) -> Width {
        match self {
            Self::Move { width, .. }
            | Self::AddInteger { width, .. }
            | Self::ShiftLeft(width)
            | Self::Logic { width, .. }
            | Self::Convert(Convert { to_width: width, .. }) => width,
            Self::SetInteger { operands: integer, .. }
            | Self::MaxInteger(integer)
            | Self::MinInteger(integer)
            | Self::ShiftRight(integer) => integer.width,
            Self::AddFloat { format, .. }
            | Self::MultiplyFloat { format, .. }
            | Self::MaxFloat(format)
            | Self::MinFloat(format) => format.width(),
            Self::FusedMultiplyAdd(_) => Width::Double,
            Self::Reduce { element, .. } | Self::Atomic { element, .. } => match element {
                ElementType::B32 | ElementType::U32 | ElementType::S32 => Width::Word,
                ElementType::B64 | ElementType::U64 => Width::Double,
            },
            _ => Width::Word,
        }
    }

    /// The width of a source register, by its position.
    #[must_use]
    pub const fn source_width(self, position: usize) -> Width {
        match self {
            Self::Convert(Convert { from_width, .. }) => from_width,
            Self::SetFloat { format, .. } => format.width(),
            Self::MultiplyInteger(Product::Bits16 { .. }) => Width::Half,
            Self::MultiplyAddInteger { product: Product::Bits16 { .. }, .. } if position < 2 => Width::Half,
            Self::SumAbsoluteDifference(integer) if position < 2 => integer.width,
            _ => self.destination_width(),
        }
    }
}
