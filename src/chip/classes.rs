//! A machine's table of classes, and their states in a channel.

use super::class::{Class, Peers};
use super::notifier::Notifier;
use super::objects::{GraphicsObject, ObjectKind};
use crate::command::methods::ClassTable;

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

/// The states of all classes but the null class.
#[derive(Debug)]
pub(super) struct Classes {
    rows: &'static [ClassRow],
    /// One per row that has a state, in row order.
    states: Vec<Box<dyn Class>>,
    /// The notifier of each.
    notifiers: Vec<Notifier>,
}

impl Classes {
    /// Creates every class in its state after reset.
    pub(super) fn new(rows: &'static [ClassRow]) -> Self {
        let create = |row: &ClassRow| match row.state {
            ClassRowState::Own(create) => Some(create()),
            ClassRowState::Null | ClassRowState::Same => None,
        };
        let states: Vec<_> = rows.iter().filter_map(create).collect();
        let notifiers = states.iter().map(|_| Notifier::default()).collect();
        Self { rows, states, notifiers }
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

    /// The state of one class, its notifier, and the states of all others.
    pub(super) fn split(&mut self, state: usize) -> (&mut dyn Class, &mut Notifier, Peers<'_>) {
        let (before, rest) = self.states.split_at_mut(state);
        let (own, after) = rest.split_first_mut().expect("known objects have a state");
        (own.as_mut(), &mut self.notifiers[state], Peers { before, after })
    }

    /// The states of all classes.
    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn Class> {
        self.states.iter().map(Box::as_ref)
    }
}
