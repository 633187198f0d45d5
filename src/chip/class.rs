//! Classes of graphics objects: their interface to the channel, a machine's table of them, and their state in a
//! channel.

use std::any::Any;
use std::fmt::Debug;

use super::context::Context;
use super::notifier::Notifier;
use super::nv40::three_d::BoundSurface;
use super::objects::{GraphicsObject, ObjectKind};
use super::{Chip, ChipError};
use crate::command::methods::ClassTable;
use crate::memory::MemoryWindow;

/// A class of graphics objects. A channel keeps one state for all objects of a class, as the chip does.
pub(crate) trait Class: Any + Debug + Send {
    /// Executes the method in the context. Methods of notifiers never get here.
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError>;

    /// The surfaces that drawing would write now: enabled color targets, then depth; of depth the one that was used last, if
    /// the bound one never was.
    fn bound_surfaces(&self) -> Vec<BoundSurface> {
        Vec::new()
    }

    /// The buffers that the display reads and the client draws to, if the class counts flips.
    fn flip_buffers(&self) -> Option<(u32, u32)> {
        None
    }

    /// The start of the active fragment program, if the class runs any.
    fn fragment_program(&self) -> Option<MemoryWindow> {
        None
    }
}

/// A row of a machine's table of classes.
#[derive(Debug, Clone, Copy)]
pub struct ClassRow {
    /// The class's numbers and methods.
    pub table: &'static ClassTable,
    pub(super) state: ClassRowState,
}

/// Where the state of a class comes from.
#[derive(Debug, Clone, Copy)]
pub(super) enum ClassRowState {
    /// It has none: the null class, whose objects accept and ignore every method.
    Null,
    /// It is created as after reset.
    Own(fn() -> Box<dyn Class>),
    /// It is that of the row before.
    Same,
}

impl ClassRow {
    pub(crate) const fn new(table: &'static ClassTable, create: fn() -> Box<dyn Class>) -> Self {
        Self { table, state: ClassRowState::Own(create) }
    }

    pub(crate) const fn null(table: &'static ClassTable) -> Self {
        Self { table, state: ClassRowState::Null }
    }

    /// A class with the state of the row before.
    pub(crate) const fn same(table: &'static ClassTable) -> Self {
        Self { table, state: ClassRowState::Same }
    }
}

/// The state of one class in a channel.
#[derive(Debug)]
pub(super) struct ClassState {
    pub(super) class: Box<dyn Class>,
    pub(super) notifier: Notifier,
}

/// The states of all classes but the null class.
#[derive(Debug)]
pub(super) struct Classes {
    rows: &'static [ClassRow],
    /// One per row that has a state, in row order.
    states: Vec<ClassState>,
}

impl Classes {
    /// Creates every class in its state after reset.
    pub(super) fn new(rows: &'static [ClassRow]) -> Self {
        let create = |row: &ClassRow| match row.state {
            ClassRowState::Own(create) => Some(ClassState { class: create(), notifier: Notifier::default() }),
            ClassRowState::Null | ClassRowState::Same => None,
        };
        Self { rows, states: rows.iter().filter_map(create).collect() }
    }

    /// The graphics object that a client creates for a class.
    pub(super) fn object(&self, class: u32) -> GraphicsObject {
        let mut states = 0;
        for row in self.rows {
            states += usize::from(matches!(row.state, ClassRowState::Own(_)));
            if row.table.has(class) {
                let kind = match row.state {
                    ClassRowState::Null => ObjectKind::Null,
                    ClassRowState::Own(_) | ClassRowState::Same => ObjectKind::Known { state: states - 1 },
                };
                return GraphicsObject { class, kind };
            }
        }
        GraphicsObject { class, kind: ObjectKind::Unknown }
    }

    /// The state of one class, and the states of all others.
    pub(super) fn split(&mut self, state: usize) -> (&mut ClassState, Peers<'_>) {
        let (before, rest) = self.states.split_at_mut(state);
        let (own, after) = rest.split_first_mut().expect("known objects have a state");
        (own, Peers { before, after })
    }

    fn iter(&self) -> impl Iterator<Item = &dyn Class> {
        self.states.iter().map(|state| state.class.as_ref())
    }
}

/// The classes other than the one whose method runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Peers<'a> {
    before: &'a [ClassState],
    after: &'a [ClassState],
}

impl<'a> Peers<'a> {
    /// The state of a class; `None` if the machine has no such class.
    pub(super) fn get<T: Class>(self) -> Option<&'a T> {
        self.before.iter().chain(self.after).find_map(|state| (state.class.as_ref() as &dyn Any).downcast_ref())
    }
}

impl Chip {
    /// The buffers that the display reads and the client draws to, as the flip methods count them.
    #[must_use]
    pub fn flip_buffers(&self) -> (u32, u32) {
        self.classes.iter().find_map(Class::flip_buffers).unwrap_or_default()
    }

    /// The surfaces that drawing would write now: enabled color targets, then depth; of depth the one that was used last, if
    /// the bound one never was.
    #[must_use]
    pub fn bound_surfaces(&self) -> Vec<BoundSurface> {
        self.classes.iter().flat_map(Class::bound_surfaces).collect()
    }

    /// The start of the active fragment program.
    #[must_use]
    pub fn fragment_program(&self) -> MemoryWindow {
        self.classes.iter().find_map(Class::fragment_program).unwrap_or(MemoryWindow::EMPTY)
    }
}
