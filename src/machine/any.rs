//! Machines of any family: what all of them have, and which kind of numbers they come with.

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::bundled::machine_names;
use super::chipset::chipset_named;
use super::error::MachineError;
use super::family::{Family, MachineKind};
use super::parameter::{Parameter, Sections};
use super::parameters::{Machine, SECTIONS};
use super::rates::{RATES, Rate};
use super::sections::SectionRow;
use super::tesla_machine::TESLA_RATES;
use super::tesla_parameters::{TESLA_SECTIONS, TeslaMachine};

/// A machine of any family.
#[derive(Debug)]
pub enum AnyMachine {
    /// With processors for each stage of draws.
    Staged(Box<Machine>),
    /// With one processor for the programs of all stages, and for kernels.
    Unified(Box<TeslaMachine>),
}

/// What machines of all families have.
#[derive(Debug)]
pub struct Sheet<'a> {
    /// The name by which `--machine` finds it, or the path of its file.
    pub name: &'a str,
    /// The product.
    pub title: &'a str,
    /// The chip.
    pub chip: &'a str,
    /// Choices made in its description, or empty.
    pub about: &'a str,
    /// The family whose streams it runs.
    pub family: &'static Family,
    /// The sections of its parameters.
    pub sections: &'static [SectionRow],
    /// Every parameter with its provenance and source, section by section.
    pub parameters: &'a [Parameter],
    /// Its peak rates.
    pub rates: Vec<Rate>,
}

macro_rules! sheet {
    ($Machine:ident, $sections:ident, $rates:ident) => {
        impl $Machine {
            /// Every parameter with its provenance and source, in the order of the table.
            ///
            /// Later changes of the sections' fields have no effect here.
            #[must_use]
            pub fn parameters(&self) -> &[Parameter] {
                &self.parameters
            }

            /// What machines of all families have.
            #[must_use]
            pub fn sheet(&self) -> Sheet<'_> {
                let Self { name, title, chip, about, family, parameters, .. } = self;
                let rates = $rates.iter().map(|row| row.rate(self)).collect();
                Sheet { name, title, chip, about, family, sections: $sections, parameters, rates }
            }
        }

        impl Serialize for $Machine {
            /// As its [`Sheet`].
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.sheet().serialize(serializer)
            }
        }
    };
}

sheet!(Machine, SECTIONS, RATES);
sheet!(TeslaMachine, TESLA_SECTIONS, TESLA_RATES);

impl Sheet<'_> {
    /// Returns the chipset number that its driver finds: that of its chip, or else its family's first; `None` if no driver knows
    /// the family.
    #[must_use]
    pub fn chipset(&self) -> Option<u32> {
        let own = chipset_named(self.chip).filter(|chipset| self.family.answers_to(*chipset));
        own.or_else(|| self.family.chipsets.first().copied())
    }
}

impl Serialize for Sheet<'_> {
    /// An object with `name`, `title`, `chip`, `family`, `about`, `parameters` by section and key, and `rates` per second by
    /// key.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name)?;
        map.serialize_entry("title", self.title)?;
        map.serialize_entry("chip", self.chip)?;
        map.serialize_entry("family", self.family.name)?;
        map.serialize_entry("about", self.about)?;
        map.serialize_entry("parameters", &Sections(self.sections, self.parameters))?;
        let rate = |rate: &Rate| serde_json::json!({ "per_second": rate.per_second, "what": rate.what });
        let rates = self.rates.iter().map(|row| (row.key.to_owned(), rate(row)));
        map.serialize_entry("rates", &serde_json::Map::from_iter(rates))?;
        map.end()
    }
}

impl AnyMachine {
    /// What machines of all families have.
    #[must_use]
    pub fn sheet(&self) -> Sheet<'_> {
        match self {
            Self::Staged(machine) => machine.sheet(),
            Self::Unified(machine) => machine.sheet(),
        }
    }

    /// The machine with processors for each stage.
    ///
    /// # Errors
    /// When it has a unified one.
    pub fn staged(self) -> Result<Machine, MachineError> {
        match self {
            Self::Staged(machine) => Ok(*machine),
            Self::Unified(machine) => Err(other_kind(machine.name, MachineKind::Unified, MachineKind::Staged)),
        }
    }

    /// The machine with a unified processor.
    ///
    /// # Errors
    /// When it has processors for each stage.
    pub fn unified(self) -> Result<TeslaMachine, MachineError> {
        match self {
            Self::Unified(machine) => Ok(*machine),
            Self::Staged(machine) => Err(other_kind(machine.name, MachineKind::Staged, MachineKind::Unified)),
        }
    }
}

fn other_kind(name: String, kind: MachineKind, wanted: MachineKind) -> MachineError {
    MachineError::OtherKind { name, kind, wanted, known: machine_names(Some(wanted)) }
}
