//! Reads what reports are made of: the elements of a page, and the fields of a CSV file.

/// An element of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element<'page> {
    pub(crate) name: &'page str,
    /// Names and values, as they are written.
    pub(crate) attributes: Vec<(&'page str, &'page str)>,
}

/// Fails where text has an ampersand that begins no reference to a character.
fn check_text(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('&') {
        let after = &text[at + 1..];
        let name = after.split(';').next().unwrap_or_default();
        let is_reference = after.len() > name.len() && !name.is_empty() && name.len() < 10;
        if !is_reference || !name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '#') {
            return Err(format!("a bare & before {:?}", after.chars().take(20).collect::<String>()));
        }
    }
    Ok(())
}

/// The attributes between the name of an element and its end.
fn attributes(mut text: &str) -> Result<Vec<(&str, &str)>, String> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return Ok(found);
        }
        let end = text.find(|letter: char| letter == '=' || letter.is_whitespace()).unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | ':' | '_');
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(format!("an attribute {name:?}"));
        }
        let Some(rest) = rest.strip_prefix("=\"") else {
            found.push((name, ""));
            text = rest;
            continue;
        };
        let (value, rest) = rest.split_once('"').ok_or_else(|| format!("the value of {name} has no end"))?;
        check_text(value)?;
        found.push((name, value));
        text = rest;
    }
}

/// The end of a tag: the first > outside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut is_quoted = false;
    text.char_indices().find_map(|(at, letter)| {
        is_quoted ^= letter == '"';
        (letter == '>' && !is_quoted).then_some(at)
    })
}

/// The elements of a page in order, or what is wrong with their nesting. Scripts and styles contain text.
pub(crate) fn elements(page: &str) -> Result<Vec<Element<'_>>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("the page does not begin as one")?;
    let (mut open, mut found) = (Vec::new(), Vec::new());
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start])?;
        let inside = &rest[start + 1..];
        let end = tag_end(inside).ok_or_else(|| format!("a tag has no end within {open:?}"))?;
        let tag = &inside[..end];
        rest = &inside[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("<{tag}> within {open:?}"));
            }
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, more) = tag.split_at(tag.find(char::is_whitespace).unwrap_or(tag.len()));
        if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_alphanumeric()) {
            return Err(format!("<{tag}>"));
        }
        found.push(Element { name, attributes: attributes(more)? });
        if !is_empty {
            open.push(name);
            if matches!(name, "script" | "style") {
                let end = rest.find(&format!("</{name}>")).ok_or_else(|| format!("<{name}> has no end"))?;
                rest = &rest[end..];
            }
        }
    }
    check_text(rest)?;
    if open.is_empty() { Ok(found) } else { Err(format!("{open:?} stay open")) }
}

/// The field at the start of a text, and what follows it.
fn csv_field(text: &str) -> Result<(String, &str), String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (field, rest) = text.split_at(text.find([',', '\r', '\n']).unwrap_or(text.len()));
        let has_quote = field.contains('"');
        return if has_quote { Err(format!("a quote within {field:?}")) } else { Ok((field.to_owned(), rest)) };
    };
    let mut end = 0;
    loop {
        end += quoted[end..].find('"').ok_or("a quoted field has no end")?;
        if !quoted[end + 1..].starts_with('"') {
            return Ok((quoted[..end].replace("\"\"", "\""), &quoted[end + 1..]));
        }
        end += 2;
    }
}

/// The records of a CSV file (RFC 4180), or what is wrong with it: all have as many fields as the first.
pub(crate) fn csv_records(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut records, mut record) = (Vec::new(), Vec::new());
    let mut rest = text;
    while !rest.is_empty() {
        let (field, after) = csv_field(rest)?;
        record.push(field);
        if let Some(after) = after.strip_prefix(',') {
            rest = after;
            if rest.is_empty() {
                return Err("the last record has no end".to_owned());
            }
            continue;
        }
        rest = after.strip_prefix("\r\n").ok_or_else(|| format!("no end of a record after {:?}", record.last()))?;
        records.push(std::mem::take(&mut record));
    }
    let width = records.first().map_or(0, Vec::len);
    match records.iter().position(|record| record.len() != width) {
        Some(row) => Err(format!("record {row} has {} fields, and the first {width}", records[row].len())),
        None => Ok(records),
    }
}
