//! The arithmetic units of a PICA200 vertex processor, and the units that each operation uses one after the other.
//!
//! Source of the units: the vendor's hardware specifications of the vertex shader processor, table of arithmetic units.
//! An adder takes two values there, so the sums of dot products form a tree.

use std::fmt::{self, Display, Formatter};

use crate::arith::vertex_functions::{VertexFunction, pica};

/// An arithmetic unit as its document lists it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArithmeticUnitRow {
    /// The documented name.
    pub name: &'static str,
    /// The letter in timetables.
    pub symbol: char,
    /// How many a vertex processor has.
    pub installed: u32,
    /// Clocks of an operation.
    pub clocks: u32,
}

macro_rules! arithmetic_units {
    ($(
        #[doc = $doc:literal]
        $variant:ident = $name:literal $symbol:literal, $installed:literal installed, $clocks:literal clocks;
    )*) => {
        /// A kind of arithmetic unit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ArithmeticUnit {
            $( #[doc = $doc] $variant, )*
        }

        impl ArithmeticUnit {
            /// Every unit, in the order of the table.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// Its row of the table.
            #[must_use]
            pub const fn row(self) -> ArithmeticUnitRow {
                match self {
                    $( Self::$variant => ArithmeticUnitRow {
                        name: $name,
                        symbol: $symbol,
                        installed: $installed,
                        clocks: $clocks,
                    }, )*
                }
            }
        }
    };
}

arithmetic_units! {
    /// Calculates the product of two values.
    Multiplier = "MUL" 'M', 4 installed, 1 clocks;
    /// Calculates the sum of two values.
    Adder = "ADD" 'A', 4 installed, 1 clocks;
    /// Calculates the reciprocal or the reciprocal square root.
    Reciprocal = "RCP/RSQ" 'R', 2 installed, 2 clocks;
    /// Calculates the largest integer not above.
    Floor = "FLOOR" 'F', 4 installed, 1 clocks;
    /// Calculates the base-2 logarithm.
    Logarithm = "LOG" 'L', 1 installed, 2 clocks;
    /// Calculates the power of two.
    Exponential = "EXP" 'E', 1 installed, 2 clocks;
    /// Selects the larger of two values.
    Maximum = "MAX" 'X', 4 installed, 1 clocks;
    /// Selects the smaller of two values.
    Minimum = "MIN" 'N', 4 installed, 1 clocks;
    /// Compares two values for greater or equal.
    GreaterEqual = "SGE" 'G', 4 installed, 1 clocks;
    /// Compares two values for less.
    Less = "SLT" 'S', 4 installed, 1 clocks;
    /// Compares two values into a status register.
    Comparator = "CMP" 'C', 2 installed, 2 clocks;
}

/// Shows the documented name.
impl Display for ArithmeticUnit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.pad(self.row().name)
    }
}

impl serde::Serialize for ArithmeticUnit {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.row().name)
    }
}

/// The units of a kind that an operation uses at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitUse {
    /// Clocks from the start of the execute stage.
    pub after: u32,
    /// The kind.
    pub unit: ArithmeticUnit,
    /// Units that are used whatever is written.
    fixed: u32,
    /// Components that use a unit each if they are written: bit 0 x … bit 3 w.
    written: u8,
}

impl UnitUse {
    /// How many units an operation uses that writes these components, at most as many as there are.
    #[must_use]
    pub fn copies(self, mask: u8) -> u32 {
        (self.fixed + (self.written & mask).count_ones()).min(self.unit.row().installed)
    }

    /// The first clock after the use, counted like `after`.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.after + self.unit.row().clocks
    }
}

/// A unit for each written component.
const fn each(after: u32, unit: ArithmeticUnit) -> UnitUse {
    of(after, unit, 0b1111)
}

/// A unit for each written component among these.
const fn of(after: u32, unit: ArithmeticUnit, written: u8) -> UnitUse {
    UnitUse { after, unit, fixed: 0, written }
}

/// A number of units.
const fn fixed(after: u32, unit: ArithmeticUnit, fixed: u32) -> UnitUse {
    UnitUse { after, unit, fixed, written: 0 }
}

use ArithmeticUnit::{
    Adder, Comparator, Exponential, Floor, GreaterEqual, Less, Logarithm, Maximum, Minimum, Multiplier, Reciprocal,
};

/// The units of a comparison whose result only a status register receives.
pub const STATUS_COMPARISON: &[UnitUse] = &[each(0, Comparator)];

/// The units of each function, with the clocks of the execute stage from which on they are used.
static OPERATIONS: &[(&VertexFunction, &[UnitUse])] = &[
    (&pica::ADD, &[each(0, Adder)]),
    (&pica::MUL, &[each(0, Multiplier)]),
    (&pica::MAD, &[each(0, Multiplier), each(1, Adder)]),
    (&pica::DP3, &[fixed(0, Multiplier, 3), fixed(1, Adder, 1), fixed(2, Adder, 1)]),
    (&pica::DP4, &[fixed(0, Multiplier, 4), fixed(1, Adder, 2), fixed(2, Adder, 1)]),
    // Unverified: that the w of the second source passes a multiplier, as a factor of 1.
    (&pica::DPH, &[fixed(0, Multiplier, 4), fixed(1, Adder, 2), fixed(2, Adder, 1)]),
    // x, z and w are copies.
    (&pica::DST, &[of(0, Multiplier, 0b0010)]),
    // Unverified: that y is clamped in two steps, and that the flags are compared beside them.
    (&pica::LITP, &[of(0, Maximum, 0b1001), of(0, Minimum, 0b0010), of(1, Maximum, 0b0010)]),
    (&pica::MAX, &[each(0, Maximum)]),
    (&pica::MIN, &[each(0, Minimum)]),
    (&pica::SGE, &[each(0, GreaterEqual)]),
    (&pica::SLT, &[each(0, Less)]),
    // No opcode writes these to a register other than status.
    (&pica::SEQ, STATUS_COMPARISON),
    (&pica::SNE, STATUS_COMPARISON),
    (&pica::SLE, STATUS_COMPARISON),
    (&pica::SGT, STATUS_COMPARISON),
    (&pica::FLR, &[each(0, Floor)]),
    (&pica::RCP, &[fixed(0, Reciprocal, 1)]),
    (&pica::RSQ, &[fixed(0, Reciprocal, 1)]),
    (&pica::EX2, &[fixed(0, Exponential, 1)]),
    (&pica::LG2, &[fixed(0, Logarithm, 1)]),
];

/// The units of a function; `None` if the processor does not have it.
#[must_use]
pub fn units_of(function: &VertexFunction) -> Option<&'static [UnitUse]> {
    OPERATIONS.iter().find(|(row, _)| *row == function).map(|(_, units)| *units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::vertex_functions;

    #[test]
    fn the_units_are_those_of_the_document() {
        // Unit name, number installed, clock cycles required for operation.
        let document = [
            ("MUL", 4, 1),
            ("ADD", 4, 1),
            ("RCP/RSQ", 2, 2),
            ("FLOOR", 4, 1),
            ("LOG", 1, 2),
            ("EXP", 1, 2),
            ("MAX", 4, 1),
            ("MIN", 4, 1),
            ("SGE", 4, 1),
            ("SLT", 4, 1),
            ("CMP", 2, 2),
        ];
        let rows: Vec<_> = ArithmeticUnit::ALL.iter().map(|unit| unit.row()).collect();
        assert_eq!(rows.iter().map(|row| (row.name, row.installed, row.clocks)).collect::<Vec<_>>(), document);
        let mut symbols: Vec<_> = rows.iter().map(|row| row.symbol).collect();
        symbols.sort_unstable();
        symbols.dedup();
        assert_eq!(symbols.len(), document.len(), "a letter names one unit");
    }

    #[test]
    fn every_function_has_units_and_only_those_installed() {
        for function in pica::FUNCTIONS {
            let units = units_of(function).unwrap_or_else(|| panic!("{function:?}"));
            let wanted = |each: &UnitUse| each.fixed + each.written.count_ones();
            // Status has the components x and y.
            let most = |each: &UnitUse| if each.unit == Comparator { 2 } else { wanted(each) };
            assert!(units.iter().all(|each| most(each) <= each.unit.row().installed), "{function:?}");
            assert!(units.iter().any(|each| each.after == 0), "{function:?}");
        }
        assert_eq!(OPERATIONS.len(), pica::FUNCTIONS.len());
        assert!(units_of(&vertex_functions::SIN).is_none());
    }

    #[test]
    fn masks_decide_how_many_units_work() {
        let copies =
            |function, mask| -> Vec<u32> { units_of(function).unwrap().iter().map(|each| each.copies(mask)).collect() };
        assert_eq!(copies(&pica::MAD, 0b0101), [2, 2]);
        assert_eq!(copies(&pica::DP4, 0b0001), [4, 2, 1]);
        assert_eq!(copies(&pica::DST, 0b1101), [0]);
        assert_eq!(copies(&pica::LITP, 0b1111), [2, 1, 1]);
    }
}
