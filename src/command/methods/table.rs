//! The table of a class: its methods with their fields, and the macro that declares them.

use std::sync::OnceLock;

/// How the bits of a field are read.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// An unsigned number.
    Unsigned,
    /// A two's complement number.
    Signed,
    /// An IEEE single.
    Float,
    /// A single bit.
    Flag,
    /// Unnamed bits, printed in hexadecimal.
    Bits,
    /// A byte address or offset.
    Address,
    /// The handle of an object.
    Handle,
    /// One of these values.
    Enum(&'static [(u32, &'static str)]),
}

/// Bits of a method's value.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The name in ordinary words.
    pub name: &'static str,
    /// Highest bit.
    pub high: u8,
    /// Lowest bit.
    pub low: u8,
    /// How the bits are read.
    pub kind: FieldKind,
}

impl Field {
    /// The field's bits of a value, shifted down.
    #[must_use]
    pub const fn extract(&self, value: u32) -> u32 {
        let width = self.high - self.low + 1;
        value >> self.low & (u32::MAX >> (32 - width))
    }
}

/// A method, or an array of methods of the same meaning.
#[derive(Debug, Clone, Copy)]
pub struct MethodRow {
    /// The documented name.
    pub name: &'static str,
    /// Byte address of the first element.
    pub address: u16,
    /// The number of elements.
    pub count: u16,
    /// Bytes from one element to the next.
    pub stride: u16,
    /// Value after reset.
    pub reset: u32,
    /// Its fields; empty if the value is one unnamed number.
    pub fields: &'static [Field],
}

/// All methods of a class.
#[derive(Debug)]
pub struct ClassTable {
    /// The class number.
    pub class: u32,
    /// Other classes with the same methods, most of them of earlier chips.
    pub aliases: &'static [u32],
    /// Its name.
    pub name: &'static str,
    /// The rows, one slice per hardware block.
    pub blocks: &'static [&'static [MethodRow]],
    /// For each word address, (block, row) + 1 packed as `block << 8 | row + 1`; filled at the first lookup.
    index: OnceLock<Vec<u16>>,
}

/// Word addresses of a subchannel.
pub(super) const METHOD_WORDS: usize = 0x800;

impl ClassTable {
    pub(super) const fn new(class: u32, name: &'static str, blocks: &'static [&'static [MethodRow]]) -> Self {
        Self::family(class, &[], name, blocks)
    }

    pub(super) const fn family(
        class: u32,
        aliases: &'static [u32],
        name: &'static str,
        blocks: &'static [&'static [MethodRow]],
    ) -> Self {
        Self { class, aliases, name, blocks, index: OnceLock::new() }
    }

    /// Whether this is the table of a class, by its number or an alias.
    #[must_use]
    pub fn has(&self, class: u32) -> bool {
        self.class == class || self.aliases.contains(&class)
    }

    /// Every row.
    pub fn rows(&self) -> impl Iterator<Item = &'static MethodRow> {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// Finds the row of a method and the element of its array.
    #[must_use]
    pub fn find(&self, method: u16) -> Option<(&'static MethodRow, u16)> {
        let index = self.index.get_or_init(|| self.build_index());
        let entry = *index.get(usize::from(method / 4))?;
        let row = self.blocks.get(usize::from(entry >> 8))?.get(usize::from((entry & 0xff).checked_sub(1)?))?;
        Some((row, (method - row.address) / row.stride.max(4)))
    }

    fn build_index(&self) -> Vec<u16> {
        let mut index = vec![0; METHOD_WORDS];
        for (block_number, block) in (0u16..).zip(self.blocks) {
            for (row_number, row) in (1u16..).zip(block.iter()) {
                for element in 0..row.count {
                    let word = usize::from((row.address + element * row.stride) / 4);
                    if let Some(entry) = index.get_mut(word) {
                        *entry = block_number << 8 | row_number;
                    }
                }
            }
        }
        index
    }
}

/// Declares methods: `NAME address [count; stride] = reset { field high:low kind, … };`, where array and reset are
/// optional. Expands to a constant per method, a module of the same name with one function per field, which
/// creates a [`MethodWord`], and `TABLE` of all rows.
macro_rules! methods {
    ( $( $name:ident $address:literal $([$count:literal; $stride:literal])? $(= $reset:literal)?
         { $( $field:ident $high:literal : $low:literal $kind:expr ),* $(,)? } )* ) => {
        $(
            #[doc = concat!("Address of `", stringify!($name), "`.")]
            pub const $name: u16 = $address;

            #[doc = concat!("Fields of `", stringify!($name), "`, each as a word that holds only this field.")]
            #[expect(non_snake_case, reason = "the module is the method, by its documented name")]
            pub mod $name {
                /// Bytes from one element to the next.
                pub const STRIDE: u16 = 4 $(- 4 + $stride)?;

                $(
                    #[doc = concat!("The word with `", stringify!($field), "`.")]
                    pub fn $field(
                        value: impl $crate::command::word::FieldValue,
                    ) -> $crate::command::word::MethodWord<$address, STRIDE> {
                        $crate::command::word::MethodWord::field(value, $high, $low)
                    }
                )*
            }
        )*

        /// The rows of this block.
        pub const TABLE: &[$crate::command::methods::MethodRow] = &[
            $( $crate::command::methods::MethodRow {
                name: stringify!($name),
                address: $address,
                count: 1 $(- 1 + $count)?,
                stride: 4 $(- 4 + $stride)?,
                reset: 0 $(+ $reset)?,
                fields: &[ $( $crate::command::methods::Field {
                    name: stringify!($field),
                    high: $high,
                    low: $low,
                    kind: $kind,
                } ),* ],
            }, )*
        ];
    };
}
pub(crate) use methods;

/// Short names of field kinds for the rows of the tables.
pub(crate) mod kinds {
    pub(crate) use super::FieldKind::{Address, Bits, Enum, Flag, Float, Handle, Signed, Unsigned};
}
