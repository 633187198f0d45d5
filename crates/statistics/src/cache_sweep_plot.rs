//! Plots the hit rates of a sweep over texture caches, with a panel per line length.

use std::fmt::Display;

use plotters::prelude::{
    ChartBuilder, Color, IntoDrawingArea, IntoFont, IntoLogRange, PathElement, RGBColor, SVGBackend, TRANSPARENT, Text,
    WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::cache_sweep::CacheSweep;
use crate::plural::counted;
use crate::texture_cache::QuadOrder;

/// Width and height of a panel.
const PANEL: (u32, u32) = (520, 360);

/// Font size of labels, and their line spacing, in pixels.
const LETTERS: u32 = 10;
const LINE: i32 = 12;

/// A plot that cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

fn failed(error: impl Display) -> PlotError {
    PlotError(error.to_string())
}

/// The plot as SVG.
///
/// # Errors
/// When the sweep is empty.
pub fn sweep_svg(sweep: &CacheSweep, title: &str) -> Result<String, PlotError> {
    let mut lines: Vec<u32> = sweep.rows.iter().map(|row| row.kind().1).collect();
    lines.sort_unstable();
    lines.dedup();
    let panels = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    if panels == 0 || panels > 16 {
        return Err(failed("it has no panel, or more than 16"));
    }
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (PANEL.0 * panels, PANEL.1)).into_drawing_area();
        root.fill(&WHITE).map_err(failed)?;
        for (line, panel) in lines.iter().zip(root.split_evenly((1, lines.len()))) {
            draw_panel(sweep, *line, title, &panel)?;
        }
        root.present().map_err(failed)?;
    }
    Ok(svg)
}

type Panel<'p> = plotters::drawing::DrawingArea<SVGBackend<'p>, plotters::coord::Shift>;

/// Draws the panel of one line length, with one line per order and number of ways.
fn draw_panel(sweep: &CacheSweep, line: u32, title: &str, panel: &Panel<'_>) -> Result<(), PlotError> {
    let rows = || sweep.rows.iter().filter(move |row| row.kind().1 == line);
    let sizes = || rows().map(|row| f64::from(row.case.parameters.first.size_bytes) / 1024.0);
    let least = sizes().fold(f64::INFINITY, f64::min);
    let greatest = sizes().fold(0.0, f64::max).max(least * 2.0);
    let misses = |rate: Option<f64>| 100.0 * (1.0 - rate.unwrap_or(1.0));
    let highest = rows().map(|row| misses(row.counts.hit_rate())).fold(0.0, f64::max).max(0.001) * 1.1;
    let mut chart = ChartBuilder::on(panel)
        .caption(format!("{title}: lines of {line} bytes"), ("sans-serif", 15).into_font())
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(46)
        .build_cartesian_2d((least..greatest * 2.0).log_scale().base(2.0), 0.0..highest)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_desc("size of a first-level cache, KiB")
        .y_desc("misses, % of texels")
        .x_label_formatter(&|size| format!("{size:.0}"))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(224, 224, 224))
        .draw()
        .map_err(failed)?;
    let mut kinds: Vec<(QuadOrder, u32)> = rows().map(|row| (row.case.order, row.kind().2)).collect();
    kinds.dedup();
    let mut drawn: Vec<(QuadOrder, u32)> = Vec::new();
    let mut labels = Vec::new();
    for (order, ways) in kinds {
        if drawn.contains(&(order, ways)) {
            continue;
        }
        drawn.push((order, ways));
        let color = color_of(order, ways);
        let mut points: Vec<(f64, f64)> = rows()
            .filter(|row| (row.case.order, row.kind().2) == (order, ways))
            .map(|row| (f64::from(row.case.parameters.first.size_bytes) / 1024.0, misses(row.counts.hit_rate())))
            .collect();
        points.sort_by(|left, right| left.0.total_cmp(&right.0));
        let Some(&end) = points.last() else { continue };
        chart.plotting_area().draw(&PathElement::new(points, color.stroke_width(2))).map_err(failed)?;
        let label = format!("{order}, {}", counted(ways, "way"));
        let (x, y) = chart.backend_coord(&end);
        labels.push((y, x, label, color));
    }
    labels.sort_by_key(|(y, ..)| *y);
    let mut places: Vec<i32> = labels.iter().map(|(y, ..)| *y).collect();
    let [top, bottom] = [highest, 0.0].map(|misses| chart.backend_coord(&(least, misses)).1);
    spread(&mut places, top, bottom);
    let (left, above) = panel.get_base_pixel();
    for (place, (y, x, label, color)) in places.into_iter().zip(labels) {
        // A displaced label is connected to the end of its line.
        let ends = [(x - left, y - above), (x - left + 8, place - above)];
        panel.draw(&PathElement::new(ends, color.mix(0.5))).map_err(failed)?;
        let style = ("sans-serif", LETTERS).into_font().color(&color).pos(Pos::new(HPos::Left, VPos::Center));
        panel.draw(&Text::new(label, (x - left + 10, place - above), style)).map_err(failed)?;
    }
    Ok(())
}

/// Moves ascending positions apart so that labels do not overlap, as little as possible from the first downward;
/// keeps all between top and bottom if there is room.
fn spread(places: &mut [i32], top: i32, bottom: i32) {
    let mut free = top;
    for place in places.iter_mut() {
        *place = free.max(*place);
        free = *place + LINE;
    }
    let mut free = bottom;
    for place in places.iter_mut().rev() {
        *place = free.min(*place);
        free = *place - LINE;
    }
}

/// Warm colors for rows, cold ones for tiles; more ways are darker.
fn color_of(order: QuadOrder, ways: u32) -> RGBColor {
    let shade = u8::try_from(190 - 50 * ways.ilog2().min(3)).unwrap_or(60);
    match order {
        QuadOrder::Scanline => RGBColor(220, shade, shade / 3),
        QuadOrder::Tiled { .. } | QuadOrder::Recorded => RGBColor(shade / 3, shade, 220),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_a_line_apart_and_stay_inside() {
        let spread = |mut places: Vec<i32>| {
            spread(&mut places, 20, 100);
            places
        };
        assert_eq!(spread(vec![30, 60]), [30, 60]);
        assert_eq!(spread(vec![30, 30, 31, 80]), [30, 42, 54, 80]);
        assert_eq!(spread(vec![99, 99, 99]), [76, 88, 100]);
        assert_eq!(spread(vec![5, 5, 70]), [20, 32, 70]);
    }
}
