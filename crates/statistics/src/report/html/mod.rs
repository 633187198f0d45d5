//! Writes statistics as one self-contained HTML page, with its styles, script, plots and pictures.

mod draws;
mod embedded_picture;
mod escape;
mod heat_map;
mod launch;
mod models;
mod plot;
mod processor;
mod summary;
mod table;
mod timeline;
mod vertex;

use std::fmt::Write;

pub use embedded_picture::EmbeddedPicture;
use escape::escape;
pub use launch::launch_page;

use super::ReportError;
use super::file::StatisticsFile;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A section of the page that its head links to.
struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// The page; `name` says what was run.
///
/// # Errors
/// When a plot or a heat map cannot be drawn.
pub fn page(file: &StatisticsFile, name: &str, picture: Option<&EmbeddedPicture>) -> Result<String, ReportError> {
    let mut sections = Vec::new();
    let mut add = |id, title, body: String| {
        if !body.is_empty() {
            sections.push(Section { id, title, body });
        }
    };
    let models = &file.models;
    if let Some(time) = &models.time {
        add("time", "Time", models::time(file, time)?);
    }
    add("draws", "Draws", draws::draws(file)?);
    add("frames", "Frames", draws::frames(file)?);
    add("targets", "Targets", draws::targets(file));
    add("processor", "Processor", processor::processor(file)?);
    if let Some(cache) = &models.texture_cache {
        add("texture-cache", "Texture cache", models::texture_cache(cache)?);
    }
    if let Some(prefetch) = &models.prefetch {
        add("prefetch", "Texture prefetching", models::prefetch(prefetch)?);
    }
    if let Some(memory) = &models.memory {
        add("memory", "Memory", models::memory(memory)?);
    }
    if let Some(compression) = &models.compression {
        add("compression", "Compression of surfaces", models::compression(compression));
    }
    if let Some(zcull) = &models.zcull {
        add("zcull", "Z-cull", models::zcull(zcull));
    }
    if let Some(vertex) = &models.vertex {
        add("vertex", "Vertex processors", vertex::vertex_processors(vertex));
    }
    if let Some(shader) = &models.shader {
        add("shader", "Fragment programs", models::shader(shader));
    }
    add("heat-maps", "Heat maps", heat_map::heat_maps(&models.heat_maps)?);
    add("machine", "Machine", models::machine(&file.machine));
    add("counters", "Counters of the run", draws::counters(file));
    Ok(assemble(
        [name, file.machine.title.as_ref().unwrap_or(&file.machine.name)],
        &summary::summary(file, picture),
        &sections,
    ))
}

/// Assembles the whole page from the names of run and machine, its head and its sections.
fn assemble(names: [&str; 2], summary: &str, sections: &[Section]) -> String {
    let [name, machine] = names.map(escape);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n\
         <title>{name}: statistics</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n<p class=\"machine\">{machine}</p>\n<nav>"
    );
    for Section { id, title, .. } in sections {
        let _ = write!(text, "<a href=\"#{id}\">{title}</a> ");
    }
    text.push_str("</nav>\n");
    text.push_str(summary);
    for Section { id, title, body } in sections {
        let _ = write!(text, "<h2 id=\"{id}\">{title}</h2>\n{body}");
    }
    let _ = write!(text, "<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    text
}
