//! All rows of a page, from the tables of the code, with the observed states.

use curie::command::methods::{Field, FieldKind, MethodRow};

use super::family::Family;
use super::probe::{State, method_state, value_state};

/// One line of the page.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) section: String,
    pub(crate) name: String,
    /// Its numeric code.
    pub(crate) code: String,
    pub(crate) state: State,
    /// What removes its effect (`mutants.rs`), if it is a method or a value.
    pub(crate) mutant: Option<String>,
}

/// Every row of a family, observed once.
pub(crate) fn rows(family: &dyn Family) -> Vec<Row> {
    family.observed().get_or_init(|| observe(family)).clone()
}

fn observe(family: &dyn Family) -> Vec<Row> {
    let mut rows = Vec::new();
    let (shared, class) = family.shared();
    for method in shared.iter().copied().flatten() {
        rows.push(Row {
            section: "Every class".to_owned(),
            name: method.name.to_owned(),
            code: method_code(method),
            state: method_state(family, class, method),
            mutant: Some(format!("0 {}", method.address)),
        });
    }
    for table in family.classes() {
        let own = table.blocks.iter().filter(|block| !shared.iter().any(|shared| shared[0].name == block[0].name));
        for method in own.flat_map(|block| block.iter()) {
            rows.push(Row {
                section: format!("Class {:#06x} {}", table.class, table.name),
                name: method.name.to_owned(),
                code: method_code(method),
                state: method_state(family, table.class, method),
                mutant: Some(format!("{} {}", table.class, method.address)),
            });
        }
    }
    rows.extend(family.opcodes());
    rows.extend(value_fields(family).into_iter().flat_map(|field| values(family, field)));
    rows.extend(family.others());
    rows
}

/// A field whose values have their own rows.
struct ValueField {
    section: String,
    class: u32,
    method: &'static MethodRow,
    field: Field,
}

/// The rows of a field's values.
fn values(family: &dyn Family, ValueField { section, class, method, field }: ValueField) -> Vec<Row> {
    let FieldKind::Enum(names) = field.kind else { return Vec::new() };
    let row = |&(value, name): &(u32, &str)| {
        let others: Vec<u32> = names.iter().map(|(value, _)| *value).filter(|other| *other != value).collect();
        let writes = |written| family.value_writes(class, method, &field, value, written);
        // Another number may have the same name.
        let other = names.iter().find(|(_, other)| *other != name).map(|(other, _)| *other);
        Row {
            section: section.clone(),
            name: name.to_owned(),
            code: format!("{value:#x}"),
            state: value_state(family, class, method.address, value, &others, &writes),
            mutant: other.map(|other| format!("{class} {} {} {value} {other}", method.address, field.low)),
        }
    };
    names.iter().map(row).collect()
}

fn method_code(method: &MethodRow) -> String {
    match method.count {
        1 => format!("{:#06x}", method.address),
        count => format!("{:#06x} × {count}", method.address),
    }
}

/// The fields whose values have their own rows, each list of names once.
fn value_fields(family: &dyn Family) -> Vec<ValueField> {
    let mut seen: Vec<&[(u32, &str)]> = Vec::new();
    let mut fields = Vec::new();
    for table in family.classes() {
        for method in table.rows() {
            for field in method.fields {
                let FieldKind::Enum(names) = field.kind else { continue };
                if seen.contains(&names) || family.is_repeated(method) {
                    continue;
                }
                seen.push(names);
                let section = format!("Values of {} {} {}", table.name, method.name, field.name);
                fields.push(ValueField { section, class: table.class, method, field: *field });
            }
        }
    }
    fields
}
