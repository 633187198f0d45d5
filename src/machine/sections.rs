//! The macro of a table of parameters: one row is a field of a section's struct and a key of machine files.

use super::legal::{Field, Legal};

/// A row of the table of parameters.
#[derive(Debug, PartialEq)]
pub struct ParameterRow {
    /// The section.
    pub section: &'static str,
    /// The key within the section.
    pub key: &'static str,
    /// Its meaning, as a sentence.
    pub summary: &'static str,
    /// The unit, or empty.
    pub unit: &'static str,
    /// The legal values.
    pub legal: Legal,
}

/// A section of the table of parameters.
#[derive(Debug, PartialEq, Eq)]
pub struct SectionRow {
    /// The name.
    pub name: &'static str,
    /// Its meaning, as a sentence.
    pub summary: &'static str,
}

/// Defines a machine: its struct with fields of its own, the lists of sections and parameters, and the function that
/// creates a machine from its parameters.
macro_rules! sections {
    (
        #[doc = $machine_about:literal]
        $Machine:ident { $( #[doc = $own_about:literal] $own:ident: $Own:ty, )* }
        #[doc = $sections_about:literal]
        $SECTIONS:ident,
        #[doc = $parameters_about:literal]
        $PARAMETERS:ident,
        $machine_from:ident;
        $(
            #[doc = $about:literal]
            $section:ident: $Section:ident {
                $( #[doc = $summary:literal] $key:ident: $kind:ty = $legal:expr, $unit:literal; )+
            }
        )+
    ) => {
        $(
            #[doc = $about]
            #[derive(Debug, Clone, Copy, PartialEq)]
            pub struct $Section {
                $( #[doc = $summary] pub $key: $kind, )+
            }
        )+

        #[doc = $machine_about]
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Machine {
            /// The name by which `--machine` finds it, or the path of its file.
            pub name: String,
            /// The product.
            pub title: String,
            /// The chip.
            pub chip: String,
            /// Choices made in its description, or empty.
            pub about: String,
            $( #[doc = $own_about] pub $own: $Own, )*
            $( #[doc = $about] pub $section: $Section, )+
            pub(super) parameters: Vec<Parameter>,
        }

        #[doc = $sections_about]
        pub const $SECTIONS: &[SectionRow] = &[
            $( SectionRow { name: stringify!($section), summary: $about.trim_ascii() }, )+
        ];

        #[doc = $parameters_about]
        pub const $PARAMETERS: &[ParameterRow] = &[
            $($( ParameterRow {
                section: stringify!($section),
                key: stringify!($key),
                summary: $summary.trim_ascii(),
                unit: $unit,
                legal: $legal,
            }, )+)+
        ];

        /// Creates a machine from its parameters, one per row in table order.
        pub(super) fn $machine_from(
            [name, title, chip, about]: [String; 4],
            $( $own: $Own, )*
            parameters: Vec<Parameter>,
        ) -> $Machine {
            let mut values = parameters.iter().map(|parameter| parameter.value);
            $(
                let $section = $Section {
                    $( $key: next_field(&mut values), )+
                };
            )+
            $Machine { name, title, chip, about, $( $own, )* $( $section, )+ parameters }
        }
    };
}

pub(super) use sections;

/// The next field; its value was checked against the row that determines the field's type.
pub(super) fn next_field<T: Field>(values: &mut impl Iterator<Item = super::Value>) -> T {
    let value = values.next().expect("there is a parameter for each row");
    T::from_value(value).expect("the legal range of a row is one of its type")
}
