//! Fuzz targets of statistics files and reports: what is read, and what a page, a CSV file and a table show of it.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use std::collections::BTreeSet;
use std::io::Cursor;
use std::sync::LazyLock;

use curie::statistics::report::{LaunchFile, StatisticsFile, csv, launch_page, page, text};
use serde_json::Value;

use crate::common::markup::{Element, csv_records, elements};

/// A statistics file with every model.
const EVERY_MODEL: &str = include_str!("../../command_line/report/models.json");

/// The statistics of a launch.
const LAUNCH: &str = include_str!("launch.json");

/// The same JSON text, with keys in another order and without blanks; `None` if it cannot be written without a loss.
fn rewritten(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let written = value.to_string();
    (serde_json::from_str::<Value>(&written).ok()? == value).then_some(written)
}

/// Any bytes as the statistics of a replay or of a launch: what is read does not depend on how the text is laid out.
pub fn statistics(bytes: &[u8]) -> bool {
    let replay = StatisticsFile::read(Cursor::new(bytes));
    let launch = LaunchFile::read(bytes);
    for error in [replay.as_ref().err(), launch.as_ref().err()].into_iter().flatten() {
        assert!(!error.to_string().is_empty());
    }
    if let (Ok(file), Some(written)) = (&replay, rewritten(bytes)) {
        let again = StatisticsFile::read(Cursor::new(written.as_bytes())).expect("it was read before");
        assert_eq!(format!("{again:?}"), format!("{file:?}"));
    }
    if let (Ok(file), Some(written)) = (&launch, rewritten(bytes)) {
        let again = LaunchFile::read(written.as_bytes()).expect("it was read before");
        assert_eq!(format!("{again:?}"), format!("{file:?}"));
    }
    replay.is_ok() || launch.is_ok()
}

/// The names of the elements of pages with every model, with and without long tables.
static ELEMENTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut long: Value = serde_json::from_str(EVERY_MODEL).expect("a statistics file");
    let draws = long["draws"].as_array_mut().expect("draws");
    for number in draws.len()..200 {
        let mut draw = draws[1].clone();
        draw["draw"] = number.into();
        draws.push(draw);
    }
    let read = |text: &str| StatisticsFile::read(Cursor::new(text.as_bytes())).expect("a statistics file");
    let launch = LaunchFile::read(LAUNCH.as_bytes()).expect("the statistics of a launch");
    let pages = [page(&read(EVERY_MODEL), "name", None), page(&read(&long.to_string()), "name", None)];
    let pages = pages.map(|page| page.expect("a page")).into_iter().chain([launch_page(&launch, "name")]);
    let names =
        |page: String| elements(&page).expect("a page").iter().map(|found| found.name.to_owned()).collect::<Vec<_>>();
    pages.flat_map(names).collect()
});

/// Asserts that a page is well-formed, has only elements of its own, and loads nothing.
pub(crate) fn assert_page(page: &str) {
    let found = elements(page).unwrap_or_else(|error| panic!("{error}"));
    for element in &found {
        let Element { name, attributes } = element;
        assert!(ELEMENTS.contains(*name), "<{name}> is no element of reports");
        for (attribute, value) in attributes {
            assert!(!attribute.starts_with("on"), "<{name}> has a script in {attribute}");
            let is_inside = match *attribute {
                "action" | "data" | "formaction" | "poster" | "srcset" => false,
                "src" | "xlink:href" => value.starts_with("data:image/png;base64,"),
                "href" => value.starts_with('#') || value.starts_with("data:image/png;base64,"),
                _ => true,
            };
            assert!(is_inside, "<{name}> loads {value}");
        }
    }
    // Text of a file in the script could end it early, and then show as text.
    let scripts = found.iter().filter(|element| element.name == "script").count();
    assert_eq!(page.matches("</script").count(), scripts, "a script ends early");
}

/// Asserts that a CSV file has a row for each draw, which says what the file says.
pub(crate) fn assert_csv(text: &str, file: &Value) {
    let records = csv_records(text).unwrap_or_else(|error| panic!("{error}"));
    let draws = file["draws"].as_array().expect("draws");
    assert_eq!(records.len(), draws.len() + 1, "a header, and a row for each draw");
    let titles: BTreeSet<_> = records[0].iter().collect();
    assert!(titles.len() == records[0].len() || draws.is_empty(), "two columns with one title: {:?}", records[0]);
    for (number, (record, draw)) in records[1..].iter().zip(draws).enumerate() {
        let expected = [number.to_string(), draw["primitive"].as_str().expect("a name").to_owned()];
        assert_eq!([&record[0], &record[2]], [&expected[0], &expected[1]]);
        assert_eq!(record[3], draw["target"].to_string());
    }
}

/// Asserts that a table for a terminal is lines of printable characters.
pub(crate) fn assert_printable(text: &str) {
    let control = text.chars().find(|letter| letter.is_control() && *letter != '\n');
    assert_eq!(control, None, "{text:?}");
}

/// Any bytes as a statistics file: the page is well-formed and all text in it is text, the CSV file has a row for each draw,
/// and the table for a terminal is printable.
pub fn report(bytes: &[u8]) -> bool {
    let mut is_read = false;
    if let Ok(file) = StatisticsFile::read(Cursor::new(bytes)) {
        let name = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]);
        match page(&file, &name, None) {
            Ok(page) => assert_page(&page),
            Err(error) => panic!("{error}"),
        }
        if let Ok(value) = serde_json::from_slice(bytes) {
            assert_csv(&csv(&file), &value);
        }
        assert_printable(&text(&file));
        is_read = true;
    }
    if let Ok(file) = LaunchFile::read(bytes) {
        assert_page(&launch_page(&file, &String::from_utf8_lossy(&bytes[..bytes.len().min(64)])));
        is_read = true;
    }
    is_read
}
