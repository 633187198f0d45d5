//! Draws the timeline: which unit limits the chip, and how busy each unit is, over the cycles of a run.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use serde_json::{Value, json};

use super::escape;
use super::plot::{COLORS, PlotError, draw, drawable, steps, words};
use crate::report::ReportError;
use crate::report::models::Time;
use crate::report::number::scaled;

/// Units in pipeline order, with their colors; the style sheet has the same.
pub(super) const UNITS: [(&str, RGBColor); 8] = [
    ("front_end", COLORS[7]),
    ("vertex", COLORS[1]),
    ("set_up", COLORS[6]),
    ("raster", COLORS[2]),
    ("shader", COLORS[0]),
    ("texture", COLORS[5]),
    ("rop", COLORS[3]),
    ("memory", COLORS[4]),
];

/// A value for each unit.
type OfUnits = [f64; UNITS.len()];

/// Columns that the time is divided into.
const COLUMNS: usize = 1000;

/// Layout in pixels.
const SIZE: (u32, u32) = (1180, 292);
const LEFT: f64 = 84.0;
const RIGHT: f64 = 1164.0;
const TOP: f64 = 22.0;
const LANE: f64 = 24.0;
const BOTTOM: f64 = TOP + 9.0 * LANE + 10.0;

/// The least distance between the labels of two frames.
const FRAME_GAP: f64 = 56.0;

/// A canvas with fractional pixel coordinates.
type Pixels<'s> = DrawingArea<SVGBackend<'s>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The state of each column of time.
struct Columns {
    /// Cycles for which each unit is the bottleneck.
    limiting: Vec<OfUnits>,
    /// Cycles for which each unit is busy.
    busy: Vec<OfUnits>,
    /// Cycles in a column.
    width: f64,
}

impl Columns {
    fn new(time: &Time) -> Self {
        let all: f64 = time.draws.iter().map(|draw| drawable(draw.duration())).sum();
        let width = all / COLUMNS as f64;
        let nothing = vec![[0.0; UNITS.len()]; COLUMNS];
        let mut columns = Self { limiting: nothing.clone(), busy: nothing, width };
        let (mut column, mut left) = (0, width);
        for draw in &time.draws {
            let mut duration = drawable(draw.duration());
            let bottleneck = UNITS.iter().position(|(unit, _)| Some(*unit) == draw.bottleneck.as_deref());
            let shares = UNITS.map(|(unit, _)| draw.cycles.get(unit).copied().map_or(0.0, drawable) / duration);
            while duration > 0.0 && column < COLUMNS {
                let part = duration.min(left);
                if let Some(unit) = bottleneck {
                    columns.limiting[column][unit] += part;
                }
                for (busy, share) in columns.busy[column].iter_mut().zip(shares) {
                    *busy += part * share;
                }
                duration -= part;
                left -= part;
                if left <= 0.0 {
                    (column, left) = (column + 1, width);
                }
            }
        }
        columns
    }

    /// The unit that is the bottleneck of a column for longest.
    fn bottleneck(&self, column: usize) -> Option<usize> {
        let limiting = &self.limiting[column];
        let longest = (0..UNITS.len()).max_by(|left, right| limiting[*left].total_cmp(&limiting[*right]))?;
        (limiting[longest] > 0.0).then_some(longest)
    }

    /// Where a column begins.
    fn edge(column: usize) -> f64 {
        LEFT + (RIGHT - LEFT) * column as f64 / COLUMNS as f64
    }

    fn draw_bottlenecks(&self, pixels: &Pixels<'_>) -> Result<(), PlotError> {
        label(pixels, "limited by", TOP)?;
        let mut start = 0;
        for end in 1..=COLUMNS {
            let unit = self.bottleneck(start);
            if end < COLUMNS && self.bottleneck(end) == unit {
                continue;
            }
            if let Some(unit) = unit {
                let corners = [(Self::edge(start), TOP), (Self::edge(end), TOP + LANE - 4.0)];
                pixels.draw(&Rectangle::new(corners, UNITS[unit].1.filled()))?;
            }
            start = end;
        }
        Ok(())
    }

    fn draw_lane(&self, pixels: &Pixels<'_>, unit: usize) -> Result<(), PlotError> {
        let (name, color) = UNITS[unit];
        let top = TOP + 6.0 + LANE * (unit as f64 + 1.0);
        let base = top + LANE - 3.0;
        label(pixels, &name.replace('_', " "), top)?;
        let height = |busy: &OfUnits| ((busy[unit] / self.width).clamp(0.0, 1.0) * (LANE - 4.0)).round();
        let heights: Vec<_> = self.busy.iter().map(height).collect();
        let mut outline = vec![(RIGHT, base), (LEFT, base)];
        outline.extend(steps(&heights, Self::edge).into_iter().map(|(x, height)| (x, base - height)));
        pixels.draw(&Polygon::new(outline, color.filled()))?;
        pixels.draw(&PathElement::new([(LEFT, base), (RIGHT, base)], BLACK.mix(0.3)))
    }
}

fn label(pixels: &Pixels<'_>, text: &str, top: f64) -> Result<(), PlotError> {
    pixels.draw(&Text::new(text.to_owned(), (LEFT - 8.0, top + LANE / 2.0), words(HPos::Right, VPos::Center)))
}

/// A round distance that gives 5 to 13 tick marks.
fn tick_distance(cycles: f64) -> f64 {
    let power = 10_f64.powf((cycles / 5.0).log10().floor());
    [5.0, 2.0].into_iter().map(|factor| factor * power).find(|distance| cycles / distance >= 5.0).unwrap_or(power)
}

fn draw_ticks(pixels: &Pixels<'_>, cycles: f64) -> Result<(), PlotError> {
    let distance = tick_distance(cycles);
    for tick in 0..=12 {
        let at = f64::from(tick) * distance;
        if at > cycles {
            break;
        }
        let x = LEFT + (RIGHT - LEFT) * at / cycles;
        pixels.draw(&PathElement::new([(x, BOTTOM), (x, BOTTOM + 4.0)], BLACK))?;
        pixels.draw(&Text::new(scaled(at), (x, BOTTOM + 7.0), words(HPos::Center, VPos::Top)))?;
    }
    let middle = (f64::midpoint(LEFT, RIGHT), BOTTOM + 24.0);
    pixels.draw(&Text::new("cycles", middle, words(HPos::Center, VPos::Top)))
}

/// Marks where frames begin; of frames that are too close together, only the first is marked.
fn draw_frames(pixels: &Pixels<'_>, time: &Time, frames: &[(String, usize)], all: f64) -> Result<(), PlotError> {
    let mut last = f64::NEG_INFINITY;
    let mut draws = time.draws.iter().peekable();
    let mut cycles = 0.0;
    let frames = if frames.len() < 2 { &[] } else { frames };
    for (name, first) in frames {
        while let Some(draw) = draws.next_if(|draw| draw.draw < *first) {
            cycles += drawable(draw.duration());
        }
        let x = LEFT + (RIGHT - LEFT) * cycles / all;
        if x - last < FRAME_GAP {
            continue;
        }
        last = x;
        pixels.draw(&PathElement::new([(x, TOP - 4.0), (x, BOTTOM)], BLACK))?;
        pixels.draw(&Text::new(format!("frame {name}"), (x, TOP - 18.0), words(HPos::Left, VPos::Top)))?;
    }
    Ok(())
}

/// The figure, with the data for its tooltip; `frames` are names and first draws.
pub(super) fn timeline(time: &Time, frames: &[(String, usize)]) -> Result<String, ReportError> {
    let columns = Columns::new(time);
    let all = columns.width * COLUMNS as f64;
    if all <= 0.0 {
        return Ok(String::new());
    }
    let svg = draw(SIZE, |canvas| {
        let (width, height) = canvas.dim_in_pixel();
        let ranges = (0.0..f64::from(width), 0.0..f64::from(height));
        let actual = (0..i32::try_from(width).unwrap_or(0), 0..i32::try_from(height).unwrap_or(0));
        let pixels = canvas.apply_coord_spec(Cartesian2d::new(ranges.0, ranges.1, actual));
        columns.draw_bottlenecks(&pixels)?;
        (0..UNITS.len()).try_for_each(|unit| columns.draw_lane(&pixels, unit))?;
        draw_ticks(&pixels, all)?;
        draw_frames(&pixels, time, frames, all)
    })?;
    Ok(format!(
        "<figure class=\"timeline\">\n<figcaption>What limits the chip, and the busy share of each unit, over the cycles of \
         all draws one after the other</figcaption>\n{svg}<output></output>\n\
         <script type=\"application/json\">{}</script>\n</figure>\n",
        escape::json(&told(time))
    ))
}

/// The data that the script needs to name the draw under a pointer.
fn told(time: &Time) -> Value {
    let draw = |draw: &super::super::models::TimeDraw| {
        let unit = UNITS.iter().position(|(unit, _)| Some(*unit) == draw.bottleneck.as_deref());
        json!([draw.draw, drawable(draw.duration()).round(), unit])
    };
    json!({
        "left": LEFT,
        "right": RIGHT,
        "width": SIZE.0,
        "units": UNITS.map(|(unit, _)| unit.replace('_', " ")),
        "draws": time.draws.iter().map(draw).collect::<Value>(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::models::TimeDraw;

    fn draw(draw: usize, bottleneck: &str, cycles: &[(&str, f64)]) -> TimeDraw {
        let cycles: BTreeMap<_, _> = cycles.iter().map(|(unit, cycles)| ((*unit).to_owned(), *cycles)).collect();
        TimeDraw { draw, cycles, bottleneck: Some(bottleneck.to_owned()) }
    }

    #[test]
    fn columns_are_shared_by_the_draws_that_lie_in_them() {
        // Of 4000 cycles, 4 per column, the shader limits 1000 and the ROP the rest.
        let draws = vec![
            draw(0, "shader", &[("shader", 1000.0), ("rop", 500.0)]),
            draw(1, "rop", &[("rop", 3000.0), ("memory", 750.0)]),
        ];
        let time = Time { parameters: None, draws, others: Vec::new(), frames: Vec::new() };
        let columns = Columns::new(&time);
        assert_eq!(columns.width, 4.0);
        let unit = |name: &str| UNITS.iter().position(|(unit, _)| *unit == name).unwrap();
        assert_eq!((columns.bottleneck(249), columns.bottleneck(250)), (Some(unit("shader")), Some(unit("rop"))));
        assert_eq!(columns.busy[100][unit("rop")], 2.0);
        assert_eq!(columns.busy[900][unit("memory")], 1.0);
        let busy = |name: &str| columns.busy.iter().map(|busy| busy[unit(name)]).sum::<f64>();
        assert_eq!((busy("shader"), busy("rop"), busy("memory")), (1000.0, 3500.0, 750.0));
    }

    #[test]
    fn ticks_are_round() {
        for (cycles, distance) in [(148_000.0, 20_000.0), (1000.0, 200.0), (5.05e6, 1e6), (9.9, 1.0), (5.0, 1.0)] {
            assert_eq!(tick_distance(cycles), distance, "{cycles}");
        }
    }
}
