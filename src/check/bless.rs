//! Replaces what a check file expects by what the reference gives, and keeps its comments and order.

use std::path::Path;

use toml_edit::{Array, DocumentMut, Item, TableLike, Value, value};

use super::case::{Case, Engine, Pixel, Subject};
use super::run::{Observed, compare_lines, count, is_summary, observe, picture_of, pixel_value, readback_lines};
use super::{CheckError, CheckFile, Engines, files};
use crate::counters::Counters;
use crate::present::{Picture, read_png, write_png};
use crate::replay::Outcome;

/// Replaces the expectations of some cases of a file, and their pictures, by what the reference gives. The kinds of
/// expectations stay: a case with some counters gets new values of these counters. One that expects nothing gets the hashes
/// of all surfaces, or all results. Returns how many cases changed.
///
/// # Errors
/// When a case cannot run; nothing is written then. When a file cannot be written; the check file then stays as it is.
pub fn bless(file: &CheckFile, wanted: &[&Case], engines: &Engines) -> Result<usize, CheckError> {
    let unreadable = |error: &dyn std::error::Error| CheckError::content(&file.path, error);
    let before = files::read_text(&file.path)?;
    let mut document: DocumentMut = before.parse().map_err(|error: toml_edit::TomlError| unreadable(&error))?;
    let (mut text, mut changed, mut pictures) = (before.clone(), 0, Vec::new());
    for (index, case) in file.cases.iter().enumerate() {
        if !wanted.iter().any(|wanted| wanted.name == case.name) {
            continue;
        }
        let observed = observe(case, Engine::Reference, engines)?;
        let message = "the file has changed since it was read".to_owned();
        let table = document.get_mut("case").and_then(|cases| entry(cases, index));
        let table = table.ok_or_else(|| CheckError::Content { path: file.path.clone(), message })?;
        bless_case(table, case, &observed);
        let picture = new_picture(case, &observed)?;
        let now = document.to_string();
        changed += usize::from(picture.is_some() || now != text);
        text = now;
        pictures.extend(picture);
    }
    for (path, picture) in pictures {
        write_png(path, &picture).map_err(|error| CheckError::run(&error))?;
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

/// Replaces the expectations of a case, but for its picture.
fn bless_case(table: &mut dyn TableLike, case: &Case, observed: &Observed) {
    match observed {
        Observed::Program(lines) => set_lines(table, "results", lines),
        Observed::Stream(outcome, counters) => {
            bless_surfaces(table, case, outcome);
            if case.expected.readbacks.is_some() {
                set_lines(table, "readbacks", &readback_lines(outcome));
            }
            if let Some(counters) = counters {
                bless_counters(table, case, counters);
            }
            bless_pixels(table, &case.expected.pixels, outcome);
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
        let summary = surface.summary();
        if !listed.iter().any(|(name, expected)| *name == surface.name && is_summary(expected, &summary)) {
            set(surfaces, &surface.name, summary.into());
        }
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
        let actual = actual.filter(|actual| !actual.eq_ignore_ascii_case(&pixel.value));
        if let Some((entry, actual)) = entry.zip(actual) {
            set(entry, "value", actual.into());
        }
    }
}

/// The picture of a case and its file, if it is another one.
fn new_picture<'case>(case: &'case Case, observed: &Observed) -> Result<Option<(&'case Path, Picture)>, CheckError> {
    let (Subject::Stream(stream), Some(path)) = (&case.subject, &case.expected.picture) else { return Ok(None) };
    let Observed::Stream(outcome, _) = observed else { return Ok(None) };
    let message = || format!("case {}: no surface '{}' is bound", case.name, stream.surface);
    let picture = picture_of(stream, outcome).ok_or_else(|| CheckError::Run(message()))?;
    let is_same = read_png(path).is_ok_and(|kept| kept == picture);
    Ok((!is_same).then_some((path, picture)))
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
    let kept = table
        .get(key)
        .and_then(Item::as_array)
        .map(|old| old.iter().map(|line| line.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>());
    if kept.is_some_and(|kept| compare_lines(key, &kept, lines).is_none()) {
        return;
    }
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
