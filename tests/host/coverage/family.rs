//! What the pages need to know of a family of chips: its tables, streams that show what a method does, and what is written
//! by hand about its rows.

use std::sync::OnceLock;

use curie::capture::Capture;
use curie::command::builder::StreamBuilder;
use curie::command::methods::{ClassTable, Field, MethodRow};

use super::nv40::Nv40;
use super::rows::Row;
use super::tesla::Tesla;

/// The number of a setting of a stream: which optional parts are enabled.
pub(crate) type Setting = usize;

/// Only what a draw needs.
pub(crate) const PLAIN: Setting = 0;

/// All that can be enabled together.
pub(crate) const ALL: Setting = 1;

/// The position of a tested method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// After the setup.
    Outside,
    /// Inside a primitive.
    Inside,
}

/// The texts and files of a family.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The page of rows, in `docs/`.
    pub(crate) coverage: &'static str,
    /// What it begins with.
    pub(crate) coverage_opening: &'static str,
    /// The page of witnesses.
    pub(crate) witnesses: &'static str,
    /// What it begins with.
    pub(crate) witnesses_opening: &'static str,
    /// The rows whose tests pass without them.
    pub(crate) unshown: &'static str,
    /// Piglit's tests that fail on the chip.
    pub(crate) fails: &'static str,
}

/// A value of a method as writes: those that make it legal, the one with the value, those that reveal it.
#[derive(Debug, Clone)]
pub(crate) struct ValueWrites {
    pub(crate) prepare: Vec<(u16, u32)>,
    pub(crate) word: u32,
    pub(crate) follow: Vec<(u16, u32)>,
}

/// A family of chips.
pub(crate) trait Family: Sync {
    fn texts(&self) -> &'static Texts;

    /// The rows, once they were observed.
    fn observed(&self) -> &'static OnceLock<Vec<Row>>;

    /// The tables of its classes.
    fn classes(&self) -> &'static [&'static ClassTable];

    /// The tables of methods that every class has, and the class that shows them.
    fn shared(&self) -> (&'static [&'static [MethodRow]], u32);

    /// Where and in which settings a class's methods are observed.
    fn conditions(&self, class: u32) -> Vec<(Place, Setting)>;

    /// The settings in which values are observed.
    fn value_settings(&self) -> &'static [Setting] {
        &[PLAIN, ALL]
    }

    /// A stream with the setup, some methods, and the use of everything.
    fn capture(&self, setting: Setting, place: Place, tested: &dyn Fn(&mut StreamBuilder)) -> Capture;

    /// Writes a method and those that follow it.
    fn write(&self, stream: &mut StreamBuilder, class: u32, method: u16, value: u32, follow: &[(u16, u32)]);

    /// Handles of objects to try.
    fn handles(&self) -> Vec<u32>;

    /// A legal value that others differ from by a bit, if the value after reset is not legal.
    fn base(&self, row: &MethodRow) -> Option<u32>;

    /// Methods that reveal the effect of a method that only changes how the next ones are read.
    fn follow(&self, class: u32, row: &MethodRow, value: u32) -> Vec<(u16, u32)>;

    /// Whether another field shows all values of this one.
    fn is_repeated(&self, row: &MethodRow) -> bool;

    /// The writes of a value of a field, and of another one in its place.
    fn value_writes(&self, class: u32, row: &MethodRow, field: &Field, value: u32, written: u32) -> ValueWrites;

    /// The rows between those of methods and of values.
    fn opcodes(&self) -> Vec<Row>;

    /// The rows behind those of values.
    fn others(&self) -> Vec<Row>;

    /// Evidence: section, names, test, reason.
    fn evidence(&self) -> &'static [&'static [[&'static str; 4]]];

    /// Witnesses: section, names, witness.
    fn witnesses(&self) -> &'static [&'static [[&'static str; 3]]];

    /// Conventions that no row shows: convention, witness, test.
    fn conventions(&self) -> &'static [[&'static str; 3]];
}

/// Every family.
pub(crate) const FAMILIES: [&dyn Family; 2] = [&Nv40, &Tesla];
