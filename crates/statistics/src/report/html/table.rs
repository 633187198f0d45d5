//! Writes tables that sort by a click. For long tables the page shows the first rows, and its script creates more
//! from the rows' values.

use std::fmt::Write;

use serde_json::{Value, json};

use super::escape::{escape, json};
use crate::report::number::{grouped, whole};

/// Rows that a table shows initially.
const SHOWN: usize = 50;

/// The most rows of a table that a page holds; browsers become slow with many more.
const MOST: usize = 20_000;

/// Characters of a text that stays on one line; the script has the same number.
const LONG: usize = 36;

/// A table of rows `R`; each column says what it shows of a row.
pub(super) struct Table<'f, R> {
    columns: Vec<Column<'f, R>>,
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words.
    Text,
    /// The name of a unit of the chip, which has a color.
    Unit,
    /// Numbers with this many digits after the point.
    Number(u8),
}

struct Column<'f, R> {
    title: String,
    /// The unit of its numbers; empty for words and counts.
    measure: String,
    /// A tooltip for the title.
    hint: String,
    kind: Kind,
    /// What it shows of a row.
    cell: Box<dyn Fn(R) -> Cell + 'f>,
}

/// The content of one table field.
pub(super) enum Cell {
    Text(String),
    Number(f64),
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl<'f, R: Copy> Table<'f, R> {
    pub(super) const fn new() -> Self {
        Self { columns: Vec::new() }
    }

    fn column<C: Into<Cell>>(
        &mut self,
        [title, measure]: [&str; 2],
        kind: Kind,
        cell: impl Fn(R) -> C + 'f,
    ) -> &mut Self {
        let [title, measure] = [title, measure].map(str::to_owned);
        let cell = Box::new(move |row| cell(row).into());
        self.columns.push(Column { title, measure, hint: String::new(), kind, cell });
        self
    }

    /// Adds a column of words.
    pub(super) fn text<C: Into<Cell>>(&mut self, title: &str, cell: impl Fn(R) -> C + 'f) -> &mut Self {
        self.column([title, ""], Kind::Text, cell)
    }

    /// Adds a column of the chip's units.
    pub(super) fn unit<C: Into<Cell>>(&mut self, title: &str, cell: impl Fn(R) -> C + 'f) -> &mut Self {
        self.column([title, ""], Kind::Unit, cell)
    }

    /// Adds a column of numbers with this many digits after the point; `measure` is their unit.
    pub(super) fn number<C: Into<Cell>>(
        &mut self,
        title: &str,
        measure: &str,
        digits: u8,
        cell: impl Fn(R) -> C + 'f,
    ) -> &mut Self {
        self.column([title, measure], Kind::Number(digits), cell)
    }

    /// Gives the last column a tooltip.
    pub(super) fn hint(&mut self, hint: &str) -> &mut Self {
        if let Some(column) = self.columns.last_mut() {
            hint.clone_into(&mut column.hint);
        }
        self
    }

    /// The table of these rows with its caption; nothing without rows.
    pub(super) fn render(&self, caption: &str, rows: impl IntoIterator<Item = R>) -> String {
        let mut rows = rows.into_iter();
        let cells = |row| self.columns.iter().map(|column| (column.cell)(row)).collect::<Vec<_>>();
        let held: Vec<_> = rows.by_ref().take(MOST).map(cells).collect();
        let note = match rows.count() {
            _ if held.is_empty() => return String::new(),
            0 => String::new(),
            more => {
                format!(" The first {} of {} rows are here.", whole(MOST as u64), whole((MOST + more) as u64))
            }
        };
        let mut text = format!(
            "<div class=\"table\"><div class=\"scroll\"><table class=\"sorts\"><caption>{}{note}</caption>\n<thead><tr>",
            escape(caption)
        );
        self.columns.iter().for_each(|column| text.push_str(&column.head()));
        text.push_str("</tr></thead>\n<tbody>\n");
        for row in held.iter().take(SHOWN) {
            text.push_str("<tr>");
            for (cell, column) in row.iter().zip(&self.columns) {
                text.push_str(&cell.render(column.kind));
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</tbody></table></div>");
        if held.len() > SHOWN {
            let rows: Value = held.iter().map(|row| row.iter().map(Cell::value).collect::<Value>()).collect();
            let _ = write!(text, "\n<script type=\"application/json\" class=\"rows\">{}</script>", json(&rows));
        }
        text + "</div>\n"
    }
}

impl<R> Column<'_, R> {
    fn head(&self) -> String {
        let (kind, digits) = match self.kind {
            Kind::Text => ("text", 0),
            Kind::Unit => ("unit", 0),
            Kind::Number(digits) => ("number", digits),
        };
        let hint = if self.hint.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&self.hint)) };
        let measure =
            if self.measure.is_empty() { String::new() } else { format!(" <small>{}</small>", escape(&self.measure)) };
        format!(
            "<th scope=\"col\" data-kind=\"{kind}\" data-digits=\"{digits}\"{hint}><button type=\"button\">{}{measure}</button></th>",
            escape(&self.title)
        )
    }
}

impl Cell {
    fn render(&self, kind: Kind) -> String {
        match (self, kind) {
            (Self::Text(text), Kind::Unit) => format!("<td>{}{}</td>", swatch(text), escape(&text.replace('_', " "))),
            (Self::Text(text), _) if text.chars().count() > LONG => format!("<td class=\"long\">{}</td>", escape(text)),
            (Self::Text(text), _) => format!("<td>{}</td>", escape(text)),
            (Self::Number(value), Kind::Number(digits)) => {
                format!("<td class=\"n\">{}</td>", grouped(*value, usize::from(digits)))
            }
            (Self::Number(value), _) => format!("<td>{value}</td>"),
            (Self::Empty, Kind::Number(_)) => "<td class=\"n\">–</td>".to_owned(),
            (Self::Empty, _) => "<td></td>".to_owned(),
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            // An integer is shorter without its decimal point.
            Self::Number(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                format!("{value:.0}").parse::<i64>().map_or_else(|_| json!(value), |whole| json!(whole))
            }
            Self::Number(value) => json!(value),
            Self::Empty => Value::Null,
        }
    }
}

/// The color of a unit of the chip.
pub(super) fn swatch(unit: &str) -> String {
    format!("<i class=\"swatch\" data-unit=\"{}\"></i>", escape(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_tables_keep_their_rows_for_the_script() {
        let mut table = Table::<usize>::new();
        table.number("n", "", 0, |row| row).number("x", "px", 1, |_| 1234.5).hint("h").text("w", |_| "<w>");
        let text = table.render("c", 0..=SHOWN);
        assert_eq!(text.matches("<tr>").count(), 1 + SHOWN);
        assert!(text.contains("<td class=\"n\">49</td><td class=\"n\">1,234.5</td><td>&lt;w&gt;</td>"), "{text}");
        assert!(text.contains(",[50,1234.5,\"\\u003cw\\u003e\"]]</script>"), "{text}");
    }
}
