//! Draws plots as SVG: bars, curves, areas. Ink is black in the SVG; the style sheet replaces it by the page's
//! text color.

use std::io;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::report::ReportError;
use crate::report::number::{grouped, scaled};

pub(super) type PlotError = DrawingAreaErrorKind<io::Error>;
pub(super) type Canvas<'s> = DrawingArea<SVGBackend<'s>, Shift>;
type Chart<'c, 's> = ChartContext<'c, SVGBackend<'s>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Colors that are distinct, and visible on white and on black.
pub(super) const COLORS: [RGBColor; 8] = [
    RGBColor(78, 121, 167),
    RGBColor(242, 142, 43),
    RGBColor(89, 161, 79),
    RGBColor(225, 87, 89),
    RGBColor(118, 183, 178),
    RGBColor(176, 122, 161),
    RGBColor(201, 168, 44),
    RGBColor(140, 140, 140),
];

/// The grid behind a plot; the style sheet makes it faint.
const GRID: RGBColor = RGBColor(128, 128, 128);

/// The largest value that is drawn; tick marks of larger numbers would not be distinct numbers.
const LARGEST: f64 = 1e18;

/// Font size in pixels.
const LETTERS: u32 = 12;

/// Draws on a canvas of `size` pixels.
pub(super) fn draw(
    size: (u32, u32),
    paint: impl FnOnce(&Canvas<'_>) -> Result<(), PlotError>,
) -> Result<String, ReportError> {
    let mut text = String::new();
    {
        let canvas = SVGBackend::with_string(&mut text, size).into_drawing_area();
        paint(&canvas).and_then(|()| canvas.present()).map_err(|error| ReportError::Plot(error.to_string()))?;
    }
    Ok(text)
}

/// A plot with its caption, which screen readers also read.
pub(super) fn figure(caption: &str, legend: &str, svg: &str) -> String {
    let caption = super::escape::escape(caption);
    format!("<figure>\n<figcaption>{caption}{legend}</figcaption>\n{svg}</figure>\n")
}

/// Names and their colors in a line.
pub(super) fn legend(names: &[(&str, RGBColor)]) -> String {
    let entry = |(name, color): &(&str, RGBColor)| {
        let RGBColor(red, green, blue) = color;
        format!(
            "<span class=\"key\"><i class=\"swatch\" style=\"background:rgb({red},{green},{blue})\"></i>{}</span>",
            super::escape::escape(name)
        )
    };
    names.iter().map(entry).collect()
}

/// A value clamped to the drawable range.
pub(super) fn drawable(value: f64) -> f64 {
    value.clamp(0.0, LARGEST)
}

/// A scale from 0 to slightly more than the largest value.
fn scale(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0, f64::max);
    if largest > 1e-9 { largest * 1.06 } else { 1.0 }
}

/// The text style of labels.
pub(super) fn words(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    ("sans-serif", LETTERS).into_text_style(&(1, 1)).pos(Pos::new(horizontal, vertical))
}

/// Values on a common axis; each bar is a stack of parts.
pub(super) struct Bars<'b> {
    /// The labels of the bars.
    pub(super) names: &'b [String],
    /// Values of each part, one for each bar, and the part's color.
    pub(super) parts: &'b [(Vec<f64>, RGBColor)],
    /// What is measured, with its unit.
    pub(super) measure: &'b str,
}

impl Bars<'_> {
    /// The plot; each bar is labeled with its sum.
    pub(super) fn render(&self, size: (u32, u32)) -> Result<String, ReportError> {
        let parts = |bar: usize| self.parts.iter().map(move |(values, color)| (drawable(values[bar]), color));
        let sum = |bar: usize| parts(bar).map(|(value, _)| value).sum::<f64>();
        let top = scale((0..self.names.len()).map(sum)) * 1.08;
        let count = self.names.len() as f64;
        draw(size, |canvas| {
            let mut builder = ChartBuilder::on(canvas);
            builder.margin(8).margin_left(4).x_label_area_size(28).y_label_area_size(68);
            let mut chart = builder.build_cartesian_2d(0.0..count.max(1.0), 0.0..top)?;
            mesh(&mut chart, "", self.measure, false)?;
            for (bar, name) in self.names.iter().enumerate() {
                let (left, mut base) = (bar as f64, 0.0);
                for (value, color) in parts(bar).filter(|(value, _)| *value > 0.0) {
                    let corners = [(left + 0.2, base), (left + 0.8, base + value)];
                    chart.draw_series([Rectangle::new(corners, color.filled())])?;
                    base += value;
                }
                let (x, y) = chart.backend_coord(&(left + 0.5, base));
                canvas.draw(&Text::new(scaled(base), (x, y - 3), words(HPos::Center, VPos::Bottom)))?;
                let (x, y) = chart.backend_coord(&(left + 0.5, 0.0));
                canvas.draw(&Text::new(name.clone(), (x, y + 6), words(HPos::Center, VPos::Top)))?;
            }
            Ok(())
        })
    }
}

/// A line through labeled points over a logarithmic scale that begins at 0; `y` ends at `top` at least.
pub(super) fn curve(
    points: &[(f64, f64)],
    top: f64,
    measures: [&str; 2],
    size: (u32, u32),
) -> Result<String, ReportError> {
    /// The least distance in pixels between labeled points.
    const GAP: i32 = 36;
    let place = |x: f64| (1.0 + drawable(x)).log2();
    let mut points = points.to_vec();
    points.sort_by(|left, right| left.0.total_cmp(&right.0));
    let placed: Vec<_> = points.iter().map(|(x, y)| (place(*x), drawable(*y))).collect();
    let right = scale(placed.iter().map(|(x, _)| *x));
    let top = scale(placed.iter().map(|(_, y)| *y).chain([top])) * 1.06;
    draw(size, |canvas| {
        let mut builder = ChartBuilder::on(canvas);
        builder.margin(8).margin_left(4).margin_right(16).x_label_area_size(44).y_label_area_size(68);
        let mut chart = builder.build_cartesian_2d(0.0..right, 0.0..top)?;
        mesh(&mut chart, measures[0], measures[1], false)?;
        chart.draw_series([PathElement::new(placed.clone(), COLORS[0].stroke_width(2))])?;
        chart.draw_series(placed.iter().map(|point| Circle::new(*point, 3, COLORS[0].filled())))?;
        let mut free = i32::MIN;
        for (point, value) in placed.iter().zip(&points) {
            let (x, y) = chart.backend_coord(point);
            if x < free {
                continue;
            }
            free = x.saturating_add(GAP);
            let (_, base) = chart.backend_coord(&(0.0, 0.0));
            canvas.draw(&Text::new(grouped(value.1, 1), (x, y - 6), words(HPos::Center, VPos::Bottom)))?;
            canvas.draw(&Text::new(scaled(value.0), (x, base + 6), words(HPos::Center, VPos::Top)))?;
        }
        Ok(())
    })
}

/// Values in order, drawn as stacked steps: columns without gaps.
pub(super) struct Steps<'s> {
    /// Values of each part, all of the same length, and the part's color.
    pub(super) parts: &'s [(Vec<f64>, RGBColor)],
    /// The axis: its name, the number of the first column, and how many numbers each column stands for.
    pub(super) axis: (&'s str, f64, f64),
    /// What is measured, with its unit.
    pub(super) measure: &'s str,
}

impl Steps<'_> {
    pub(super) fn render(&self, size: (u32, u32)) -> Result<String, ReportError> {
        let columns = self.parts.iter().map(|(values, _)| values.len()).max().unwrap_or(0);
        let mut sums = vec![0.0; columns];
        let mut outlines = Vec::new();
        let (name, first, each) = self.axis;
        let edge = |column: usize| first + column as f64 * each;
        for (values, color) in self.parts {
            let lower = sums.clone();
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += drawable(*value));
            let mut outline = steps(&sums, edge);
            outline.extend(steps(&lower, edge).into_iter().rev());
            outlines.push((outline, color));
        }
        let top = scale(sums.into_iter());
        draw(size, |canvas| {
            let mut builder = ChartBuilder::on(canvas);
            builder.margin(8).margin_left(4).margin_right(16).x_label_area_size(40).y_label_area_size(68);
            let mut chart = builder.build_cartesian_2d(first..edge(columns.max(1)), 0.0..top)?;
            mesh(&mut chart, name, self.measure, true)?;
            chart.draw_series(outlines.into_iter().map(|(outline, color)| Polygon::new(outline, color.filled())))?;
            Ok(())
        })
    }
}

/// The outline of columns from left to right.
pub(super) fn steps(heights: &[f64], edge: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (column, height) in heights.iter().enumerate() {
        match points.last_mut() {
            // Merges columns of the same height.
            Some(last) if last.1 == *height => last.0 = edge(column + 1),
            _ => points.extend([(edge(column), *height), (edge(column + 1), *height)]),
        }
    }
    points
}

/// Axes, tick marks and a faint grid.
fn mesh(chart: &mut Chart<'_, '_>, x: &str, y: &str, numbers: bool) -> Result<(), PlotError> {
    let mut mesh = chart.configure_mesh();
    mesh.disable_x_mesh().light_line_style(TRANSPARENT).bold_line_style(GRID).axis_style(BLACK);
    mesh.label_style(("sans-serif", LETTERS)).y_desc(y).y_labels(6).y_label_formatter(&|value| scaled(*value));
    // Numbers along the axis are integers.
    let whole = |value: &f64| if value.fract() == 0.0 { scaled(*value) } else { String::new() };
    mesh.x_desc(x).x_labels(if numbers { 12 } else { 0 }).x_label_formatter(&whole);
    mesh.draw()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two numeric attributes of each element of a kind.
    fn elements(svg: &str, name: &str, attributes: [&str; 2]) -> Vec<[f64; 2]> {
        let attribute = |element: &str, name: &str| -> f64 {
            let value = element.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            value.and_then(|value| value.parse().ok()).unwrap()
        };
        let opening = format!("<{name} ");
        let found = svg.split(&opening).skip(1);
        found.map(|rest| format!(" {rest}")).map(|rest| attributes.map(|name| attribute(&rest, name))).collect()
    }

    #[test]
    fn bars_are_as_high_as_their_values() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let parts = [(vec![1000.0, 4000.0, 0.0], COLORS[0]), (vec![1000.0, 0.0, 0.0], COLORS[1])];
        let svg = Bars { names: &names, parts: &parts, measure: "things" }.render((580, 260)).unwrap();
        let heights: Vec<_> = elements(&svg, "rect", ["y", "height"]).into_iter().map(|[_, height]| height).collect();
        assert_eq!(heights.len(), 3, "{svg}");
        assert!((heights[0] - heights[1]).abs() <= 1.0, "{heights:?}");
        assert!((heights[2] - 4.0 * heights[0]).abs() <= 4.0 && heights[0] > 10.0, "{heights:?}");
        for label in ["\n2,000\n", "\n4,000\n", "\n0\n", "\nthings\n"] {
            assert!(svg.contains(label), "{label:?} in {svg}");
        }
    }

    #[test]
    fn points_of_a_curve_lie_at_their_values() {
        let points = [(0.0, 25.0), (1.0, 50.0), (3.0, 100.0)];
        let svg = curve(&points, 100.0, ["x", "y"], (580, 260)).unwrap();
        let dots = elements(&svg, "circle", ["cx", "cy"]);
        let steps = [dots[1][0] - dots[0][0], dots[2][0] - dots[1][0]];
        assert!((steps[0] - steps[1]).abs() <= 1.0, "logarithms of 1, 2 and 4: {dots:?}");
        let rises = [dots[0][1] - dots[1][1], dots[1][1] - dots[2][1]];
        assert!((2.0 * rises[0] - rises[1]).abs() <= 2.0 && rises[0] > 10.0, "{dots:?}");
        assert!(svg.contains("\n25.0\n") && svg.contains("\n100.0\n"), "{svg}");
    }

    #[test]
    fn columns_of_one_height_are_one_step() {
        let edge = |column: usize| 10.0 * column as f64;
        assert_eq!(steps(&[1.0, 1.0, 2.0], edge), [(0.0, 1.0), (20.0, 1.0), (20.0, 2.0), (30.0, 2.0)]);
    }

    #[test]
    fn numbers_that_make_no_sense_make_a_plot() {
        for value in [0.0, -5.0, 1e-300, 1e300, f64::MAX] {
            let names = ["a".to_owned()];
            Bars { names: &names, parts: &[(vec![value], COLORS[0])], measure: "" }.render((580, 260)).unwrap();
            curve(&[(value, value)], 1.0, ["", ""], (580, 260)).unwrap();
            let parts = [(vec![value; 2], COLORS[0])];
            Steps { parts: &parts, axis: ("", 0.0, 1.0), measure: "" }.render((580, 260)).unwrap();
        }
    }
}
