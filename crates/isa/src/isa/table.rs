//! Defines the row type of an opcode table, and the macro that turns a list of rows into an enum and its table.
//!
//! One line per opcode gives the enum variant with its documentation, [`from_code`], the mnemonic and the operand
//! list. Everything else (disassembler, documentation, generated kernels) is an ordinary function over `TABLE` or
//! a `match` over the enum without a wildcard, so a new row does not compile until every stage handles it.
//!
//! [`from_code`]: crate::isa::nv40_vertex::VectorOpcode::from_code

/// A source operand that an opcode reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The first source, all four components.
    S0,
    /// The second source, all four components.
    S1,
    /// The third source, all four components.
    S2,
}

impl Operand {
    /// Every source, in order.
    pub const ALL: [Self; 3] = [Self::S0, Self::S1, Self::S2];

    /// Its place among the sources of an instruction.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One opcode as its document lists it.
#[derive(Debug, Clone, Copy)]
pub struct OpcodeRow {
    /// The number in the opcode field.
    pub code: u8,
    /// The documented spelling.
    pub mnemonic: &'static str,
    /// The source operands that are read, in order.
    pub operands: &'static [Operand],
    /// What it does, from the enum's documentation.
    pub summary: &'static str,
}

/// Declares an opcode enum whose table has rows of any type with `code` and `mnemonic`; a row names its opcode as `Self`.
macro_rules! opcode_enum {
    (
        $(#[$meta:meta])*
        $name:ident: $row:ty {
            $( #[doc = $doc:literal] $variant:ident = $code:literal => $expression:expr; )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $( #[doc = $doc] $variant = $code, )*
        }

        impl $name {
            /// Every opcode, in code order.
            pub const ALL: &'static [Self] = &[$( Self::$variant, )*];

            /// The table in code order, one row per opcode.
            pub const TABLE: &'static [$row] = &[$( $expression, )*];

            /// Finds the opcode with this code; `None` if the code is unused.
            #[must_use]
            pub const fn from_code(code: u8) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$variant), )*
                    _ => None,
                }
            }

            /// The number in the opcode field.
            #[must_use]
            pub const fn code(self) -> u8 {
                self as u8
            }

            /// The table row of this opcode.
            #[must_use]
            pub const fn row(self) -> &'static $row {
                let mut index = 0;
                while index < Self::TABLE.len() {
                    if Self::TABLE[index].code == self as u8 {
                        return &Self::TABLE[index];
                    }
                    index += 1;
                }
                unreachable!()
            }

            /// The documented spelling.
            #[must_use]
            pub const fn mnemonic(self) -> &'static str {
                self.row().mnemonic
            }
        }
    };
}

/// Declares an opcode enum whose rows list the operands.
macro_rules! opcodes {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( #[doc = $doc:literal] $variant:ident = $code:literal $mnemonic:literal [$($operand:ident),*]; )*
        }
    ) => {
        crate::isa::table::opcode_enum! {
            $(#[$meta])*
            $name: crate::isa::OpcodeRow {
                $(
                    #[doc = $doc] $variant = $code => crate::isa::OpcodeRow {
                        code: $code,
                        mnemonic: $mnemonic,
                        operands: &[$( crate::isa::Operand::$operand ),*],
                        summary: $doc.trim_ascii(),
                    };
                )*
            }
        }
    };
}

/// Declares an opcode enum whose last column is what the opcode does.
macro_rules! opcodes_with_effects {
    (
        $(#[$meta:meta])*
        $name:ident -> $effect:ty {
            $(
                #[doc = $doc:literal]
                $variant:ident = $code:literal $mnemonic:literal [$($operand:ident),*] => $value:expr;
            )*
        }
    ) => {
        crate::isa::table::opcodes! {
            $(#[$meta])*
            $name {
                $( #[doc = $doc] $variant = $code $mnemonic [$($operand),*]; )*
            }
        }

        impl $name {
            /// The effect of the opcode.
            #[must_use]
            pub const fn effect(self) -> $effect {
                match self {
                    $( Self::$variant => $value, )*
                }
            }
        }
    };
}

pub(crate) use {opcode_enum, opcodes, opcodes_with_effects};
