//! The table of counters in the documentation is the table of the code.

use std::path::Path;

use curie::counters::Counter;

/// The table as the page shows it.
fn table() -> String {
    let mut text = String::from("| Group | Name | Elements | Counts |\n|---|---|---|---|\n");
    for row in Counter::TABLE {
        let elements = match row.elements {
            [] => String::new(),
            [first, .., last] if row.elements.len() > 4 => format!("`{first}` … `{last}`"),
            elements => elements.iter().map(|element| format!("`{element}`")).collect::<Vec<_>>().join(", "),
        };
        text += &format!("| `{}` | `{}` | {elements} | {} |\n", row.group, row.name, row.summary);
    }
    text
}

#[test]
fn the_page_lists_every_counter() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/statistics.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- counters -->\n").unwrap();
    let (listed, after) = rest.split_once("<!-- /counters -->").unwrap();
    if std::env::var_os("BLESS").is_some() {
        let page = format!("{before}<!-- counters -->\n{}<!-- /counters -->{after}", table());
        std::fs::write(&path, page).unwrap();
    } else {
        assert_eq!(listed, table(), "BLESS=1 writes the table");
    }
}
