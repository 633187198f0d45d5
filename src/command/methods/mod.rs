//! Method tables: the methods of each class, their fields and their values after reset.
//!
//! One row gives the constant that the chip and the builder use, the names and fields in listings, and the register's
//! value after reset.

pub mod blit;
pub mod enums;
pub mod image_upload;
pub mod memory_copy;
pub mod nv20_three_d;
pub mod pica200_vertex;
pub mod pixel_context;
pub mod puller;
pub mod rectangles;
pub mod scaled_image;
pub mod surfaces;
pub mod tesla;
pub mod texture_upload;
pub mod three_d;

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
const METHOD_WORDS: usize = 0x800;

impl ClassTable {
    const fn new(class: u32, name: &'static str, blocks: &'static [&'static [MethodRow]]) -> Self {
        Self::family(class, &[], name, blocks)
    }

    const fn family(
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

/// The tables of all emulated classes.
pub static CLASSES: [&ClassTable; 18] = [
    &three_d::CLASS,
    &nv20_three_d::CLASS,
    &pica200_vertex::CLASS,
    &memory_copy::CLASS,
    &surfaces::CLASS_2D,
    &surfaces::CLASS_SWIZZLED,
    &scaled_image::CLASS,
    &image_upload::CLASS,
    &texture_upload::CLASS,
    &blit::CLASS,
    &rectangles::CLASS,
    &pixel_context::beta::CLASS,
    &pixel_context::beta4::CLASS,
    &pixel_context::rop::CLASS,
    &pixel_context::pattern::CLASS,
    &pixel_context::color_key::CLASS,
    &pixel_context::clip::CLASS,
    &NULL,
];

/// The tables of the classes of the Tesla generation. The chip executes only the methods that compute launches need.
pub static LISTED_CLASSES: [&ClassTable; 4] =
    [&tesla::three_d::CLASS, &tesla::two_d::CLASS, &tesla::memory_copy::CLASS, &tesla::compute::CLASS];

/// The null class, which has only the puller's methods.
pub static NULL: ClassTable = ClassTable::new(0x0030, "NULL", &[puller::TABLE]);

/// Finds the table of a class by its number or an alias.
#[must_use]
pub fn class_table(class: u32) -> Option<&'static ClassTable> {
    CLASSES.iter().chain(&LISTED_CLASSES).copied().find(|table| table.has(class))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::ImageFormat;

    #[test]
    fn rows_lie_inside_the_method_space_and_do_not_overlap() {
        for table in CLASSES.into_iter().chain(LISTED_CLASSES) {
            let mut owner = vec![None; METHOD_WORDS];
            for row in table.rows() {
                assert!(row.count > 0 && row.stride >= 4 && row.address % 4 == 0, "{}", row.name);
                for element in 0..row.count {
                    let word = usize::from((row.address + element * row.stride) / 4);
                    let previous = owner[word].replace(row.name);
                    assert_eq!(previous, None, "{} and {:?} share {:#x}", row.name, previous, word * 4);
                }
                let mut used = 0u32;
                for field in row.fields {
                    assert!(field.low <= field.high && field.high < 32, "{} {}", row.name, field.name);
                    let mask = field.extract(u32::MAX) << field.low;
                    assert_eq!(used & mask, 0, "fields of {} overlap at {}", row.name, field.name);
                    used |= mask;
                }
            }
            assert!(table.blocks.iter().all(|block| block.len() < 255));
        }
    }

    #[test]
    fn look_up_finds_array_elements() {
        let (row, element) = three_d::CLASS.find(0x1a24).unwrap();
        assert_eq!((row.name, element), ("TEX_FORMAT", 1));
        let (row, element) = three_d::CLASS.find(0x1f7c).unwrap();
        assert_eq!((row.name, element), ("VP_UPLOAD_CONST", 31));
        assert!(three_d::CLASS.find(0x1ffc).is_none());
        assert!(class_table(0x1234).is_none());
    }

    #[test]
    fn formats_of_images_are_named_as_in_the_tables() {
        for (code, name) in enums::IMAGE_FORMAT {
            assert_eq!(ImageFormat::from_source_code(*code).unwrap().name(), *name);
        }
        for (code, name) in enums::SURFACE_FORMAT {
            let found = ImageFormat::from_surface_code(*code).unwrap();
            assert_eq!(found.name(), name.trim_end_matches("_X"));
            assert_eq!(found.row().bytes, found.bytes());
        }
    }
}
