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
mod table;
pub mod tesla;
pub mod texture_upload;
pub mod three_d;

pub use table::{ClassTable, Field, FieldKind, MethodRow};
pub(crate) use table::{kinds, methods};

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

/// The tables of the classes of the Tesla generation.
pub static LISTED_CLASSES: [&ClassTable; 4] =
    [&tesla::three_d::CLASS, &tesla::two_d::CLASS, &tesla::memory_copy::CLASS, &tesla::compute::CLASS];

/// The null class, which has only the puller's methods.
pub static NULL: ClassTable = ClassTable::new(0x0030, "NULL", &[puller::TABLE]);

/// Finds the table of a class by its number or an alias.
#[must_use]
pub fn class_table(class: u32) -> Option<&'static ClassTable> {
    CLASSES.iter().chain(&LISTED_CLASSES).copied().find(|table| table.has(class))
}

#[cfg(test)]
mod tests {
    use super::table::METHOD_WORDS;
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
