//! All rows of the instruction set.

use super::table::TeslaRow;
use super::{rows_long, rows_short};

impl TeslaRow {
    /// Every row, those of a form in the order in which they are tried.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        rows_short::TABLES.iter().chain(rows_long::TABLES).flat_map(|table| table.iter())
    }
}
