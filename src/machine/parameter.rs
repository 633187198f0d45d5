//! Defines a parameter of a machine file, and writes parameters section by section.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::legal::Value;
use super::provenance::Provenance;
use super::sections::{ParameterRow, SectionRow};

/// A parameter of a machine file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its row of the table.
    pub row: &'static ParameterRow,
    /// Its value.
    pub value: Value,
    /// How trustworthy it is.
    pub provenance: Provenance,
    /// Its source.
    pub source: String,
    /// The file that contains it.
    pub file: String,
    /// The line of that file, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A section of a machine's parameters, as an object of keys.
struct SectionOf<'a>(&'a [Parameter], &'static str);

impl Serialize for SectionOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for parameter in self.0.iter().filter(|parameter| parameter.row.section == self.1) {
            let Parameter { row, value, provenance, source, file, .. } = parameter;
            let entry = serde_json::json!({
                "value": value, "unit": row.unit, "provenance": provenance, "source": source, "file": file
            });
            map.serialize_entry(row.key, &entry)?;
        }
        map.end()
    }
}

/// All sections of a machine's parameters.
pub(super) struct Sections<'a>(pub(super) &'static [SectionRow], pub(super) &'a [Parameter]);

impl Serialize for Sections<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|section| (section.name, SectionOf(self.1, section.name))))
    }
}
