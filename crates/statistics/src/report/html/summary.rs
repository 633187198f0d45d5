//! Writes the head of a page: the main figures of the run, and its picture.

use super::EmbeddedPicture;
use super::escape::escape;
use super::heat_map::address;
use super::processor::{has_threads, lanes};
use crate::report::counters::Counters;
use crate::report::file::{CUT_OFF, StatisticsFile, count, count_all, quad_instructions, surface_bytes};
use crate::report::number::{bytes, grouped, percent, scaled, whole};

/// A number with its name, and its components.
pub(super) struct Card {
    pub(super) title: &'static str,
    pub(super) value: String,
    pub(super) note: String,
}

impl Card {
    pub(super) fn render(&self) -> String {
        let Self { title, value, note } = self;
        let note = if note.is_empty() { String::new() } else { format!("<small>{}</small>", escape(note)) };
        format!("<div><dt>{title}</dt><dd>{}{note}</dd></div>\n", escape(value))
    }
}

/// Cards, the picture beside them, and whether the counters add up.
pub(super) fn summary(file: &StatisticsFile, picture: Option<&EmbeddedPicture>) -> String {
    let cards: String = time(file).iter().chain(&work(file)).chain(&traffic(file)).map(Card::render).collect();
    let (class, image) = picture.map_or(("overview", String::new()), |picture| {
        let (width, height) = picture.size;
        let address = address(&picture.bytes);
        let image =
            format!("<img alt=\"picture of the run\" src=\"{address}\" width=\"{width}\" height=\"{height}\" />\n");
        ("overview pictured", image)
    });
    let differing = file.differing_sums();
    let sums = if differing.is_empty() {
        "<p class=\"note\">The sums over all draws equal the counters of the run.</p>\n".to_owned()
    } else {
        let names = escape(&differing.join(", "));
        format!("<p class=\"warning\">The sum over draws differs from the counters of the run: {names}</p>\n")
    };
    let cut_off = if file.models.is_cut_off { format!("<p class=\"warning\">{CUT_OFF}</p>\n") } else { String::new() };
    format!("{cut_off}<div class=\"{class}\"><dl class=\"cards\">\n{cards}</dl>\n{image}</div>\n{sums}")
}

fn of(part: u64, all: u64, what: &str) -> String {
    percent(part as f64, all as f64).map(|share| format!("{} % {what}", grouped(share, 1))).unwrap_or_default()
}

fn time(file: &StatisticsFile) -> Vec<Card> {
    let mut cards = Vec::new();
    let Some(time) = &file.models.time else { return cards };
    let numbered = time.frames.iter().filter(|frame| frame.frame.is_some());
    let milliseconds: Vec<_> = numbered.filter_map(|frame| frame.milliseconds).collect();
    if !milliseconds.is_empty() {
        let mean = milliseconds.iter().sum::<f64>() / milliseconds.len() as f64;
        let longest = milliseconds.iter().copied().fold(0.0, f64::max);
        let value = format!("{} ms", grouped(mean, 3));
        let rate = if mean > 0.0 { format!("{} frames/s, ", grouped(1000.0 / mean, 1)) } else { String::new() };
        let note = format!("{rate}longest {} ms", grouped(longest, 3));
        cards.push(Card { title: "Modeled mean time of a frame", value, note });
    }
    cards
}

fn work(file: &StatisticsFile) -> Vec<Card> {
    let number = |group: &str, name: &str| count(&file.counters, group, name);
    let (indices, fetched) = (number("vertices", "indices"), number("vertices", "cache_misses"));
    let (assembled, set_up) = (number("primitives", "assembled"), number("primitives", "set_up"));
    let (fragments, helpers) = (number("raster", "fragments"), number("raster", "helpers"));
    let (shaded, passed) = (number("shading", "fragments"), number("tests", "passed_samples"));
    let (draws, lookups) = (file.draws.len() as u64, number("shading", "texture_lookups"));
    let card = |title, value: u64, note| Card { title, value: scaled(value as f64), note };
    vec![
        Card { title: "Draws", value: whole(draws), note: format!("frames: {}", whole(file.frame_count() as u64)) },
        card("Vertices transformed", fetched, of(indices.saturating_sub(fetched), indices, "of indices hit the cache")),
        card("Primitives set up", set_up, of(set_up, assembled, "of those assembled")),
        card("Fragments", fragments, of(helpers, fragments.saturating_add(helpers), "of quads are helpers")),
        card("Fragments shaded", shaded, of(shaded, fragments, "of fragments")),
        card("Samples that passed all tests", passed, of(passed, number("raster", "samples"), "of samples")),
        instructions(&file.counters),
        card("Texture lookups", lookups, {
            let each = |name: &str| grouped(number("shading", name) as f64 / lookups as f64, 2);
            if number("shading", "texture_samples") == 0 {
                String::new()
            } else {
                format!("{} samples, {} texels each", each("texture_samples"), each("texels"))
            }
        }),
    ]
}

/// Instructions of quads, or of warps.
fn instructions(counters: &Counters) -> Card {
    let (title, value, note) = if has_threads(counters) {
        let note = lanes(counters).map(|lanes| format!("{} of 32 lanes", grouped(lanes, 2)));
        ("Warp instructions", count(counters, "processor", "warp_instructions"), note.unwrap_or_default())
    } else {
        let (instructions, quads) = (quad_instructions(counters), count(counters, "shading", "quads"));
        let each = || format!("{} per shaded quad", grouped(instructions as f64 / quads as f64, 2));
        ("Quad instructions", instructions, if quads == 0 { String::new() } else { each() })
    };
    Card { title, value: scaled(value as f64), note }
}

fn traffic(file: &StatisticsFile) -> Vec<Card> {
    let number = |group: &str, name: &str| count(&file.counters, group, name);
    let surfaces = surface_bytes(&file.counters);
    let written = count_all(&file.counters, "bytes", &["color_written", "zeta_written"]);
    let vertices = count_all(&file.counters, "bytes", &["indices", "attributes"]);
    let copied = count_all(&file.counters, "stream", &["copied_bytes", "image_bytes"]);
    let uploaded = number("stream", "uploaded_bytes");
    let card = |title, value: u64, note| Card { title, value: bytes(value as f64), note };
    vec![
        card("Surface traffic of draws", surfaces, of(written, surfaces, "written")),
        card("Vertices and indices read", vertices, String::new()),
        card("Cleared", number("stream", "cleared_bytes"), format!("clears: {}", whole(number("stream", "clears")))),
        card("Uploaded", uploaded, format!("copied and scaled: {}", bytes(copied as f64))),
        Card {
            title: "Methods",
            value: scaled(number("stream", "methods") as f64),
            note: format!("state changes: {}", scaled(number("stream", "state_changes") as f64)),
        },
    ]
}
