//! Replaces what a check file expects by what the reference gives, and keeps its comments and order.

use toml_edit::{Array, DocumentMut, Item, TableLike, Value, value};

use super::case::{Case, Engine, Pixel, Subject};
use super::run::{Observed, count, observe, picture_of, pixel_value, readback_lines};
use super::{CheckError, CheckFile, Engines, files};
use crate::counters::Counters;
use crate::present::{read_png, write_png};
use crate::replay::Outcome;

/// Replaces the expectations of some cases of a file, and their pictures, by what the reference gives. The kinds of
/// expectations stay: a case with some counters gets new values of these counters. One that expects nothing gets the hashes
/// of all surfaces, or all results. Returns how many cases changed.
///
/// # Errors
/// When a case cannot run or a file cannot be written; the check file then stays as it is.
pub fn bless(file: &CheckFile, wanted: &[&Case], engines: &Engines) -> Result<usize, CheckError> {
    let unreadable = |error: &dyn std::error::Error| CheckError::content(&file.path, error);
    let before = files::read_text(&file.path)?;
    let mut document: DocumentMut = before.parse().map_err(|error: toml_edit::TomlError| unreadable(&error))?;
    let (mut text, mut changed) = (before.clone(), 0);
    for (index, case) in file.cases.iter().enumerate() {
        if !wanted.iter().any(|wanted| wanted.name == case.name) {
            continue;
        }
        let observed = observe(case, Engine::Reference, engines)?;
        let message = "the file has changed since it was read".to_owned();
        let table = document.get_mut("case").and_then(|cases| entry(cases, index));
        let table = table.ok_or_else(|| CheckError::Content { path: file.path.clone(), message })?;
        let has_new_picture = bless_case(table, case, &observed)?;
        let now = document.to_string();
        changed += usize::from(has_new_picture || now != text);
        text = now;
    }
    if text != before {
        files::write(&file.path, text.as_bytes())?;
    }
    Ok(changed)
}

/// The table of a case: an element of `[[case]]`, or of an array of inline tables.
fn entry(cases: &mut Item, index: usize) -> Option<&mut dyn TableLike> {
    match cases {
        Item::ArrayOfTables(tables) => tables.get_mut(index).map(|table| table as &mut dyn TableLike),
        Item::Value(Value::Array(tables)) => {
            tables.get_mut(index)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}

/// Replaces the expectations of a case; returns whether its picture changed.
fn bless_case(table: &mut dyn TableLike, case: &Case, observed: &Observed) -> Result<bool, CheckError> {
    match observed {
        Observed::Program(lines) => {
            set_lines(table, "results", lines);
            Ok(false)
        }
        Observed::Stream(outcome, counters) => {
            bless_surfaces(table, case, outcome);
            if case.expected.readbacks.is_some() {
                set_lines(table, "readbacks", &readback_lines(outcome));
            }
            if let Some(counters) = counters {
                bless_counters(table, case, counters);
            }
            bless_pixels(table, &case.expected.pixels, outcome);
            bless_picture(case, outcome)
        }
    }
}

fn bless_surfaces(table: &mut dyn TableLike, case: &Case, outcome: &Outcome) {
    if case.expected.surfaces.is_empty() && !case.expected.is_empty() && !table.contains_key("surfaces") {
        return;
    }
    let listed = &case.expected.surfaces;
    let is_listed = |name: &str| listed.is_empty() || listed.iter().any(|(listed, _)| listed == name);
    if !table.contains_key("surfaces") {
        let mut surfaces = toml_edit::Table::new();
        surfaces.set_dotted(true);
        table.insert("surfaces", Item::Table(surfaces));
    }
    let Some(surfaces) = table.get_mut("surfaces").and_then(Item::as_table_like_mut) else { return };
    for surface in outcome.surfaces.iter().filter(|surface| is_listed(&surface.name)) {
        set(surfaces, &surface.name, surface.summary().into());
    }
    // What is no longer bound has no hash.
    for (name, _) in listed.iter().filter(|(name, _)| outcome.surfaces.iter().all(|surface| surface.name != *name)) {
        surfaces.remove(name);
    }
}

fn bless_counters(table: &mut dyn TableLike, case: &Case, counters: &Counters) {
    for (name, counter, element, _) in &case.expected.counters {
        let mut keys = name.split('.').peekable();
        let mut place = table.get_mut("counters").and_then(Item::as_table_like_mut);
        while let Some(key) = keys.next() {
            let Some(inner) = place.take() else { break };
            if keys.peek().is_some() {
                place = inner.get_mut(key).and_then(Item::as_table_like_mut);
            } else {
                let count = count(counters, *counter, *element);
                set(inner, key, i64::try_from(count).unwrap_or(i64::MAX).into());
            }
        }
    }
}

fn bless_pixels(table: &mut dyn TableLike, pixels: &[Pixel], outcome: &Outcome) {
    for (index, pixel) in pixels.iter().enumerate() {
        let surface = outcome.surfaces.iter().find(|surface| surface.name == pixel.surface);
        let actual = surface.and_then(|surface| pixel_value(surface, pixel.x, pixel.y));
        let entry = table.get_mut("pixels").and_then(|pixels| entry(pixels, index));
        if let Some((entry, actual)) = entry.zip(actual) {
            set(entry, "value", actual.into());
        }
    }
}

/// Writes the picture of a case if it is another; returns whether it is.
fn bless_picture(case: &Case, outcome: &Outcome) -> Result<bool, CheckError> {
    let (Subject::Stream(stream), Some(path)) = (&case.subject, &case.expected.picture) else { return Ok(false) };
    let message = || format!("case {}: no surface '{}' is bound", case.name, stream.surface);
    let picture = picture_of(stream, outcome).ok_or_else(|| CheckError::Run(message()))?;
    if read_png(path).is_ok_and(|kept| kept == picture) {
        return Ok(false);
    }
    write_png(path, &picture).map_err(|error| CheckError::run(&error))?;
    Ok(true)
}

/// Replaces the value of a key, and keeps the blanks and comments around it.
fn set(table: &mut dyn TableLike, key: &str, new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => replace(old, new),
        None => {
            table.insert(key, value(new));
        }
    }
}

fn replace(old: &mut Value, mut new: Value) {
    let is_same = match (&*old, &new) {
        (Value::String(old), Value::String(new)) => old.value() == new.value(),
        (Value::Integer(old), Value::Integer(new)) => old.value() == new.value(),
        _ => false,
    };
    // The old value may be written in another way.
    if !is_same {
        *new.decor_mut() = old.decor().clone();
        *old = new;
    }
}

/// Replaces a list of lines. Comments between them stay if their number does.
fn set_lines(table: &mut dyn TableLike, key: &str, lines: &[String]) {
    if let Some(old) = table.get_mut(key).and_then(Item::as_array_mut)
        && old.len() == lines.len()
    {
        for (old, line) in old.iter_mut().zip(lines) {
            replace(old, line.as_str().into());
        }
        return;
    }
    let mut array: Array = lines.iter().map(String::as_str).collect();
    if lines.len() > 1 {
        array.iter_mut().for_each(|line| line.decor_mut().set_prefix("\n    "));
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
    set(table, key, array.into());
}
